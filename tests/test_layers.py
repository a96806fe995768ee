"""The design as a test: imports point down, SQL stays in its files, importing does no work."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scenemem

PACKAGE = Path(scenemem.__file__).parent
# From the top down: a module may import those on later lines, and its own package's.
LAYERS = """
__main__
cli
ingestion exporting explore agent
tool_loop
tools compaction
manager notebook_changes
forgetting
outcomes consolidation session_only
testing
model_engine embedded
memory_db memory_search
prompt session_summary
recollection cell_recall
evidence
loss_check chat_model server_embedder
model
engine
store
message_vectors
vector_table embedding
cell_table
cell_intake
scene_table
usage_table
change_log sessions
message_table
turn_queue
notebook
session_table
likeness
context ranking
message_evidence
matching
query importing calculator
inflection stopwords synonyms dates
database
migrations locations redaction function_tool extras
records errors weights tool_signature arguments
display
text
"""
WITH_SQL = {
    "database",
    "migrations",
    "message_table",
    "change_log",
    "scene_table",
    "cell_table",
    "cell_intake",
    "evidence",
    "usage_table",
    "turn_queue",
    "notebook",
    "session_table",
    "vector_table",
}
SQL = re.compile(r"\b(?:SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA|MATCH \?)\b")
HEIGHT = {
    name: height
    for height, line in enumerate(reversed(LAYERS.strip().splitlines()))
    for name in line.split()
}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield parts[0] if parts != ("__init__",) else "", path


def imported(path: Path) -> Iterator[str]:
    """The top-level modules of the package that a file imports, for type checking or not."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "scenemem" and len(parts) > 1 and parts[1] in HEIGHT:
                yield parts[1]


@pytest.mark.parametrize(
    ("name", "path"), [m for m in modules() if m[0]], ids=lambda v: str(v)[-40:]
)
def test_imports_point_down(name: str, path: Path) -> None:
    assert name in HEIGHT, f"{name} has no place in the layers yet"
    upward = {other for other in imported(path) if other != name and HEIGHT[other] >= HEIGHT[name]}
    assert not upward, f"{path.name} imports {upward}, which stand above or beside it"


def test_the_design_lists_every_module_from_the_top_down() -> None:
    design = (Path(__file__).parents[1] / "docs" / "design.md").read_text()
    listed = design.partition("\nscenemem/\n")[2].partition("```")[0]
    columns = [line.split("  ")[0] for line in re.findall(r"^  (\S.*)$", listed, re.MULTILINE)]
    names = [n for n in re.findall(r"\w+", " ".join(columns)) if n in HEIGHT]
    assert set(names) == HEIGHT.keys() - {"__main__"}
    heights = [HEIGHT[name] for name in names]
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda v: str(v)[-40:])
def test_sql_stays_in_its_files(name: str, path: Path) -> None:
    if name in WITH_SQL:
        return
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [text for text in strings if SQL.search(text)]


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda v: str(v)[-40:])
def test_every_file_tells_its_idea_and_stays_small(name: str, path: Path) -> None:
    source = path.read_text()
    assert ast.get_docstring(ast.parse(source)), f"{path} has no docstring"
    assert len(source.splitlines()) <= 420, f"{path} is too long"


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n"))


def test_importing_the_package_loads_nothing_of_it() -> None:
    modules_loaded = loaded_by("import scenemem")
    assert {m for m in modules_loaded if m.startswith("scenemem.")} == set()


def test_recall_loads_no_engine_and_no_client(tmp_path: Path) -> None:
    heavy = {"openai", "tenacity", "asyncio", "rich", "platformdirs", "scenemem.embedded", "ssl"}
    heavy |= {"pathlib", "urllib.parse", "pydantic", "scenemem.sessions", "scenemem.redaction"}
    heavy |= {"numpy", "wordllama", "scenemem.message_vectors", "scenemem.likeness"}
    with scenemem.MemoryDB(tmp_path / "a.db") as db:
        db.insert_cell({"content": "The boiler is from 1998"})
    statement = (
        "from scenemem import MemoryDB, recall; "
        f"recall(MemoryDB({str(tmp_path / 'a.db')!r}), 'the launch of the boiler')"
    )
    assert not heavy & loaded_by(statement)


def test_every_public_name_can_be_had() -> None:
    for name in scenemem.__all__:
        assert getattr(scenemem, name) is not None
        assert name in dir(scenemem)
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = scenemem.nothing_such
