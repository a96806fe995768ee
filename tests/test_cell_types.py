"""Cell types: one table that everything reads, so that a new type is one row."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scenemem
from scenemem.base.cell_types import CELL_TYPES, TYPES, CellType, joined, types_in_words
from scenemem.base.display.palette import DARK_TYPES, EITHER_TYPES, LIGHT_TYPES
from scenemem.engines.openai.prompts import extraction_messages
from scenemem.engines.openai.replies import read_type

PACKAGE = Path(scenemem.__file__).parent
ROW = """\
    "wish": TypeOfCell("what somebody would like to come true", 0.05, 0.05, ("hope", "dream")),
"""
# What a memory does with cells of the new type, run over a copy of the package that has its row.
USE = """
import json, sys
from click.testing import CliRunner
from scenemem import CellDraft, MemoryDB, MemoryManager, recall
from scenemem.base.cell_types import TYPES
from scenemem.base.display import cell_html, stylesheet
from scenemem.base.display.palette import DARK_TYPES
from scenemem.cli import scenemem as command
from scenemem.engines.openai.engine import ModelEngine
from scenemem.engines.openai.prompts import cells_schema, extraction_messages
from scenemem.engines.rules.extraction import salience_of
from scenemem.engines.rules.sentence import Sentence
from scenemem.testing import ScriptedModel, cells_json

model = ScriptedModel(cells_json(
    {"content": "Ann hopes for a lighthouse", "cell_type": "dream", "salience": 0.6, "scene": "Ann"}
))
with MemoryDB(sys.argv[1]) as db:
    manager = MemoryManager(db, engine=ModelEngine(model))
    update = manager.update("I hope for a lighthouse one day", "Nice.", session="one")
    assert [cell.cell_type for cell in update.cells] == ["wish"], update
    db.insert_cell(CellDraft("Ann wants to see Oslo", scene="Ann", cell_type="fact"))
    MemoryManager(db).consolidate_stale()
    said = Sentence.of("I hope for a lighthouse")
    assert salience_of(said, "wish", 1.0, explicit=False, dated=False) > salience_of(
        said, "fact", 1.0, explicit=False, dated=False
    )
    assert "lighthouse" in recall(db, "lighthouse", cell_type="wish").hits[0].text
    (cell,) = update.cells
    assert "sm-type-wish" in cell_html(cell)
    assert stylesheet().count("--sm-wish: #") == 4 and ".sm-type-wish {" in stylesheet()
    prompt = extraction_messages([], [], [])[0]["content"]
    assert "risk or wish (what somebody would like to come true)." in prompt
    assert "wish" in json.dumps(cells_schema(1, 0))
    try:
        import altair, pandas
    except ImportError:
        pass
    else:
        from scenemem.explore import cells_frame, explain, growth, timeline
        assert "wish" in list(cells_frame(db)["cell_type"].cat.categories)
        for picture in (timeline(db), growth(db)):
            assert "wish" in picture.svg() and DARK_TYPES["wish"] in picture.svg()
        assert "lighthouse" in explain(db, "lighthouse").svg()
run = CliRunner().invoke(command, ["-d", sys.argv[1], "recall", "--type", "wish", "lighthouse"])
assert run.exit_code == 0 and "lighthouse" in run.output, run.output
shown = CliRunner().invoke(command, ["-d", sys.argv[1], "recall", "--help"])
assert "wish (what" in " ".join(shown.output.split()), shown.output
print("done")
"""


def test_every_type_has_a_row_and_every_row_is_a_type() -> None:
    assert get_args(CellType) == CELL_TYPES == tuple(TYPES)


def test_the_database_holds_the_same_types() -> None:
    schema = (PACKAGE / "store/sqlite/schema.sql").read_text("utf-8")
    (listed,) = re.findall(r"CHECK \(cell_type IN \(([^)]*)\)\)", schema)
    assert tuple(listed.replace("'", "").split(", ")) == CELL_TYPES


def test_help_says_what_each_type_means() -> None:
    assert types_in_words().startswith("fact (what is or was so), plan (")
    for name, of in TYPES.items():
        assert f"{name} ({of.meaning})" in types_in_words()


def test_a_prompt_lists_the_types_that_its_examples_show_without_explaining_them() -> None:
    rules = extraction_messages([], [], [])[0]["content"]
    assert "- cell_type: fact, plan, preference, decision, task" in rules


@pytest.mark.parametrize(
    ("name", "synonym"), [(name, word) for name, of in TYPES.items() for word in of.synonyms]
)
def test_a_models_other_word_for_a_type_is_read_as_the_type(name: str, synonym: str) -> None:
    assert read_type(synonym) == name
    assert synonym not in CELL_TYPES


def test_every_type_has_a_colour_of_its_own() -> None:
    for colours in (LIGHT_TYPES, DARK_TYPES, EITHER_TYPES):
        assert tuple(colours) == CELL_TYPES
        assert len(set(colours.values())) == len(CELL_TYPES)


@given(st.lists(st.text("abc", min_size=1), min_size=1))
def test_a_list_in_words_keeps_every_word(words: list[str]) -> None:
    assert re.split(", | or ", joined(words)) == words


def test_a_new_type_is_one_row_and_the_databases_check(tmp_path: Path) -> None:
    copy = tmp_path / "lib" / "scenemem"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    table, schema = copy / "base" / "cell_types.py", copy / "store/sqlite/schema.sql"
    rows = table.read_text("utf-8")
    last = CELL_TYPES[-1]
    rows = rows.replace(f'"{last}"]', f'"{last}", "wish"]')
    rows = rows.replace("}\nCELL_TYPES", f"{ROW}}}\nCELL_TYPES")
    table.write_text(rows, "utf-8")
    schema.write_text(
        schema.read_text("utf-8").replace(f"'{last}')", f"'{last}', 'wish')"), "utf-8"
    )
    command = [sys.executable, "-c", USE, "memory.db"]
    environment = {"PYTHONPATH": str(copy.parent), "PATH": "", "HOME": str(tmp_path)}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (run.stderr, run.stdout) == ("", "done\n")
