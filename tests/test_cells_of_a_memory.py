"""Cells: stored once, typed and weighed, superseded but kept, always in step with the index."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlite_files import sqlite_of

from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall


@pytest.mark.parametrize(
    "repeat", ["Redis needs maxmemory set to 2gb", "REDIS needs maxmemory set to 2GB "]
)
def test_the_same_text_again_counts_and_is_not_stored_twice(db: MemoryDB, repeat: str) -> None:
    first = db.insert_cell({"content": "redis needs maxmemory set to 2gb"})
    again = db.insert_cell({"content": repeat})
    assert (again.id, again.told) == (first.id, 2)
    assert [c.content for c in recall(db, "redis maxmemory").cells] == [first.content]


def test_a_superseded_cell_stays_dated_and_out_of_recall(db: MemoryDB) -> None:
    bus = db.insert_cell(
        {"content": "takes the bus to work", "at": datetime(2026, 1, 5, tzinfo=UTC)}
    )
    bike = db.insert_cell(
        {
            "content": "cycles to work now",
            "at": datetime(2026, 2, 10, tzinfo=UTC),
            "supersedes": (bus.id,),
        }
    )
    assert [c.id for c in recall(db, "way to work, by bus?").cells] == [bike.id]
    then = recall(db, "way to work, by bus?", as_of=datetime(2026, 1, 31, tzinfo=UTC))
    assert [c.id for c in then.cells] == [bus.id]
    old = db.cells.get_cell(bus.id)
    assert old is not None and (old.superseded_by, old.valid_to) == (bike.id, bike.created_at)
    assert db.cells.count_cells() == db.cells.count_cells(superseded=True) == 1
    change = db.log.list_changes(subject=f"cell {bus.id}")[0]
    assert (change.action, change.before, change.after) == (
        "supersede",
        "takes the bus to work",
        "cycles to work now",
    )


def test_a_corrected_cell_is_found_by_its_new_words_only(db: MemoryDB) -> None:
    cell = db.insert_cell({"content": "lives in Leeds"})
    for n in range(1000):
        db.cells.update_cell(cell.id, content=f"lives in town {n}")
    db.cells.update_cell(cell.id, content="lives in Turin", salience=0.9, cell_type="fact")
    assert not recall(db, "Leeds")
    assert [c.content for c in recall(db, "Turin").cells] == ["lives in Turin"]
    assert db.check() == []
    with sqlite_of(db).reading() as connection:
        rows = connection.execute("SELECT count(*) FROM mem_cells_fts_docsize").fetchone()[0]
    assert rows == db.cells.count_cells() == 1


def test_deleted_cells_leave_index_summary_and_file(db: MemoryDB) -> None:
    lease, rent = db.cells.insert_cells(
        [
            {"scene": "home", "content": "Lease ends in June"},
            {"scene": "home", "content": "Rent is 900 quatloos a month"},
        ]
    )
    db.insert_cell({"scene": "pets", "content": "The parrot is called Quasimodo"})
    db.upsert_scene("home", "The lease ends in June; the rent is 900 quatloos.")
    db.cells.delete_cells([rent.id])
    assert db.retrieve_scene_summary("home") == ""
    db.cells.delete_cells(c.id for c in db.cells.list_cells(scene="pets"))
    assert db.get_scene("pets") is None
    for word in ("rent", "quatloos", "parrot", "Quasimodo"):
        assert not recall(db, word)
    assert db.check() == []
    db.scrub()
    db.close()
    assert b"quatloos" not in db.path.read_bytes().lower()
    assert b"quasimodo" not in db.path.read_bytes().lower()
    with MemoryDB(db.path) as again:
        assert [c.id for c in again.cells.list_cells()] == [lease.id]


def test_a_lone_surrogate_is_replaced(db: MemoryDB) -> None:
    cell = db.insert_cell({"content": "the depot \ud83d is in Leeds", "scene": "de\udc00pot"})
    assert cell.content == "the depot \ufffd is in Leeds"
    assert recall(db, "depot Leeds").cells == (cell,)
