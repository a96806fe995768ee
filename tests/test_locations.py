"""Where memory files live: names are data, and every agent has a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.locations import DEFAULT_AGENT, agent_path
from scenemem.memory.memory_db import MemoryDB

FOLDER = Path("/data")
ODD_NAMES = [
    "../../x",
    "/etc/x",
    "a/b",
    "a-b",
    "team:alpha",
    "CON",
    ".",
    "..",
    "a\x00b",
    "Ä" * 300,
    "Bot",
    "bot",
    "BOT",
    "x" * 300,
    "x" * 301,
    "default ",
    "日本語",
    "\ud83d",
]


def test_odd_names_get_safe_files_of_their_own() -> None:
    paths = [agent_path(name, FOLDER) for name in ODD_NAMES]
    assert len({str(path).lower() for path in paths}) == len(ODD_NAMES)
    for path in paths:
        assert path.parent == FOLDER
        assert path.name.isascii() and len(path.name) < 100


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_names_never_share_a_file_and_none_leaves_the_folder(one: str, other: str) -> None:
    if not one.strip() or not other.strip():
        return
    first, second = agent_path(one, FOLDER), agent_path(other, FOLDER)
    assert first.resolve().parent == FOLDER.resolve()
    assert (str(first).lower() == str(second).lower()) == (one == other)


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_an_empty_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        agent_path(name)


def test_the_default_agent_has_a_plain_file() -> None:
    assert agent_path(DEFAULT_AGENT, FOLDER) == FOLDER / "default.db"


def test_every_odd_name_opens_a_memory(tmp_path: Path) -> None:
    for name in ODD_NAMES:
        with MemoryDB(agent_path(name, tmp_path / "agents")) as db:
            assert db.cells.count_cells() == 0
            db.insert_cell({"content": "mine alone"})
    assert [p.name for p in tmp_path.iterdir()] == ["agents"]
