"""Older files: the six-column schema is taken over once, with nothing lost."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recollection import recall


@pytest.fixture
def old_file(path: Path) -> Path:
    """A file as the published six-column schema makes it: 50 cells, JSON text, loose index."""
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE mem_cells (id INTEGER PRIMARY KEY, scene TEXT, cell_type TEXT,
                                    salience REAL, content TEXT, created_at TEXT);
            CREATE TABLE mem_scenes (scene TEXT PRIMARY KEY, summary TEXT, updated_at TEXT);
            CREATE VIRTUAL TABLE mem_cells_fts USING fts5(content, scene, cell_type);
            """
        )
        texts = [f"Valve {n} was replaced by Ines" for n in range(48)]
        texts += ["大阪出張は来週の火曜", "Café meeting with Zoë at the 港"]
        for number, text in enumerate(texts, start=1):
            scene = "Kitchen Remodel" if number % 2 else "kitchen-remodel"
            row = (number, scene, "fact", 0.6, json.dumps(text), "2025-03-01T10:00:00")
            connection.execute("INSERT INTO mem_cells VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute(
                "INSERT INTO mem_cells_fts VALUES (?, ?, ?)", (json.dumps(text), scene, "fact")
            )
        connection.execute(
            "INSERT INTO mem_scenes "
            "VALUES ('Kitchen Remodel', 'Valves and trips.', '2025-03-02T00:00:00')"
        )
    connection.close()
    return path


def test_an_old_file_is_upgraded_once_with_all_its_cells(old_file: Path) -> None:
    with MemoryDB(old_file) as db:
        cells = db.cells.list_cells()
        assert len(cells) == 50
        assert cells[48].content == "大阪出張は来週の火曜"
        assert cells[0].created_at.isoformat() == "2025-03-01T10:00:00+00:00"
        assert [s.scene for s in db.scenes.list_scenes()] == ["Kitchen Remodel"]
        assert db.retrieve_scene_summary("kitchen remodel") == "Valves and trips."
        assert db.check() == []
        changes = db.log.list_changes()
        assert changes[0].actor == "migration"
    before = old_file.read_bytes()
    with MemoryDB(old_file) as db:
        assert db.cells.count_cells() == 50
        assert db.log.list_changes() == changes
    assert old_file.read_bytes() == before


def test_what_was_taken_over_is_recalled(old_file: Path) -> None:
    with MemoryDB(old_file) as db:
        for n in range(0, 48, 6):
            assert recall(db, f"valve {n}").cells[0].content == f"Valve {n} was replaced by Ines"
        assert recall(db, "大阪").cells[0].content == "大阪出張は来週の火曜"
        assert recall(db, "Cafe Zoe").cells[0].content == "Café meeting with Zoë at the 港"
        assert not recall(db, "u5927")


def test_a_copy_from_before_the_upgrade_stays_beside(old_file: Path) -> None:
    MemoryDB(old_file).close()
    copy = old_file.with_name("agent.db.before-upgrade-0")
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM mem_cells").fetchone() == (50,)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    connection.close()


def test_an_upgrade_that_fails_leaves_the_old_file(
    old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scenemem.store.sqlite import migrations

    def fail(*_: object) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr(migrations, "_take_over_old_rows", fail)
    with pytest.raises(RuntimeError):
        MemoryDB(old_file)
    monkeypatch.undo()
    with MemoryDB(old_file) as db:
        assert db.cells.count_cells() == 50


@pytest.mark.parametrize(
    ("kind", "salience", "content", "kept"),
    [
        ("emotion", "high", json.dumps("is worried"), ("fact", 0.5, "is worried")),
        ("TASK ", 7, "plain text, no JSON", ("task", 1.0, "plain text, no JSON")),
        ("risk", None, json.dumps({"city": "Porto", "n": 3}), ("risk", 0.5, "city: Porto; n: 3")),
        ("plan", -2, json.dumps(["a", None, "b"]), ("plan", 0.0, "a, , b")),
    ],
)
def test_odd_rows_are_repaired_one_by_one(
    path: Path, kind: str, salience: object, content: str, kept: tuple[str, float, str]
) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE mem_cells (id INTEGER PRIMARY KEY, scene TEXT, cell_type TEXT, "
            "salience REAL, content TEXT, created_at TEXT)"
        )
        connection.execute(
            "INSERT INTO mem_cells VALUES (1, NULL, ?, ?, ?, 'not a date')",
            (kind, salience, content),
        )
        connection.execute("INSERT INTO mem_cells VALUES (2, '', 'fact', 0, '\"  \"', NULL)")
    connection.close()
    with MemoryDB(path) as db:
        (cell,) = db.cells.list_cells()
        assert (cell.cell_type, cell.salience, cell.content) == kept
        assert cell.scene == "General"
