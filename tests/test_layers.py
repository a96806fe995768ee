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
# From the left to the right: a folder imports only what stands further right; inside a folder
# anything may import anything. The files beside the folders are the package's doors.
ROWS = (
    {"cli"},
    {"explore"},
    {"agent"},
    {"memory"},
    {"engines", "retrieval"},
    {"store"},
    {"base"},
)
PLACE = {folder: place for place, row in enumerate(ROWS) for folder in row}
DOORS = {"__init__", "__main__", "testing"}
SQL = re.compile(r"\b(?:SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA|MATCH \?)\b")


def files_of(*folders: str) -> list[Path]:
    return [p for p in sorted(PACKAGE.rglob("*.py")) if folder_of(p) in folders]


def folder_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports anywhere in it, for type checking or not."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=named)
def test_a_folder_imports_only_what_stands_to_its_right(path: Path) -> None:
    folder = folder_of(path)
    assert folder in PLACE or folder in DOORS, f"{folder} has no place in the rows"
    if folder in DOORS:
        return
    others = {m.split(".")[1] for m in imported(path) if m.startswith("scenemem.")}
    wrong = {o for o in others & PLACE.keys() if o != folder and PLACE[o] <= PLACE[folder]}
    assert not wrong, f"{named(path)} imports {wrong}, which stand to its left or beside it"


@pytest.mark.parametrize("path", files_of(*PLACE.keys() - {"store"}), ids=named)
def test_only_the_store_knows_the_database(path: Path) -> None:
    assert "sqlite3" not in {module.split(".")[0] for module in imported(path)}
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [text for text in strings if SQL.search(text)]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=named)
def test_every_file_tells_its_idea(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), f"{path} has no docstring"


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n"))


def test_importing_the_package_loads_nothing_of_it() -> None:
    modules_loaded = loaded_by("import scenemem")
    assert {m for m in modules_loaded if m.startswith("scenemem.")} == set()


def test_recall_loads_no_engine_and_no_client(tmp_path: Path) -> None:
    heavy = {
        "openai",
        "tenacity",
        "asyncio",
        "rich",
        "platformdirs",
        "scenemem.engines.rules",
        "ssl",
    }
    heavy |= {
        "pathlib",
        "urllib.parse",
        "pydantic",
        "scenemem.store.sqlite.sessions",
        "scenemem.base.secrets",
    }
    heavy |= {
        "numpy",
        "wordllama",
        "scenemem.retrieval.meaning",
        "scenemem.retrieval.likeness",
    }
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


@pytest.mark.parametrize("path", files_of("memory", "agent"), ids=named)
def test_the_core_names_no_engine(path: Path) -> None:
    engines = {m.split(".")[2] for m in imported(path) if m.startswith("scenemem.engines.")}
    assert engines <= {"engine", "default_engine", "plain_reader"}
