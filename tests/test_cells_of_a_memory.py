"""Cells: stored once, typed and weighed, superseded but kept, always in step with the index."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_files import sqlite_of

from scenemem.base.errors import NotFoundError
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recollection import recall


def test_a_cell_comes_back_as_it_was_given(db: MemoryDB) -> None:
    at = datetime(2022, 11, 16, 9, 30, tzinfo=UTC)
    draft = CellDraft(
        "Was in Lisbon last week",
        scene="Trips",
        cell_type="plan",
        salience=0.7,
        at=at,
        occurred_at=date(2022, 11, 7),
        occurred_until=date(2022, 11, 13),
        speaker="Ann",
    )
    cell = db.insert_cell(draft)
    assert cell == db.cells.get_cell(cell.id)
    assert (cell.content, cell.scene, cell.cell_type, cell.salience) == (
        "Was in Lisbon last week",
        "Trips",
        "plan",
        0.7,
    )
    assert (cell.created_at, cell.occurred_at, cell.occurred_until) == (
        at,
        date(2022, 11, 7),
        date(2022, 11, 13),
    )
    assert (cell.speaker, cell.told, cell.superseded_by) == ("Ann", 1, None)


def test_the_speakers_are_those_of_cells_and_messages_whatever_their_names(db: MemoryDB) -> None:
    assert db.cells.list_speakers() == []
    db.insert_cell(CellDraft("hello", speaker="Ann, of Ely\nline two"))
    db.insert_cell(CellDraft("hello again", speaker="Zoë"))
    db.sessions.append_messages("one", [MessageDraft("user", "hi", name="Bob")])
    assert sorted(db.cells.list_speakers()) == ["Ann, of Ely\nline two", "Bob", "Zoë"]


@pytest.mark.parametrize(
    "repeat", ["Redis needs maxmemory set to 2gb", "REDIS needs maxmemory set to 2GB "]
)
def test_the_same_text_again_counts_and_is_not_stored_twice(db: MemoryDB, repeat: str) -> None:
    first = db.insert_cell({"content": "redis needs maxmemory set to 2gb"})
    again = db.insert_cell({"content": repeat})
    assert (again.id, again.told) == (first.id, 2)
    assert [c.content for c in recall(db, "redis maxmemory").cells] == [first.content]


def test_notes_that_merely_share_words_stay_apart(db: MemoryDB) -> None:
    db.insert_cell({"content": "redis needs maxmemory set to 2gb"})
    db.insert_cell({"content": "redis needs maxmemory set to 4gb"})
    assert db.cells.count_cells() == 2


@pytest.mark.parametrize(
    ("cell", "error", "says"),
    [
        ({"content": "  "}, ValueError, "empty"),
        ({"content": "x", "cell_type": "emotion"}, ValueError, "emotion.*fact, plan"),
        ({"content": "x", "salience": 3}, ValueError, "3.*0 to 1"),
        ({"content": "x", "salience": float("nan")}, ValueError, "nan"),
        ({"content": "x", "colour": "red"}, TypeError, "colour"),
        ({}, TypeError, "content"),
    ],
)
def test_wrong_use_is_refused_with_the_value(
    db: MemoryDB, cell: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        db.insert_cell(cell)
    assert db.cells.count_cells() == db.scenes.count_scenes() == 0


def test_a_batch_is_stored_whole_or_not_at_all(db: MemoryDB) -> None:
    with pytest.raises(ValueError, match="empty"):
        db.cells.insert_cells([{"content": "good"}, {"content": ""}])
    assert db.cells.count_cells() == 0


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


def test_a_cell_may_supersede_another_of_its_batch_by_content(db: MemoryDB) -> None:
    old, new = db.cells.insert_cells(
        [
            {"content": "loves spicy food"},
            {"content": "hates spicy food", "supersedes": ("Loves spicy food.",)},
        ]
    )
    assert db.cells.get_cells([old.id])[old.id].superseded_by == new.id


def test_a_cell_can_not_supersede_itself(db: MemoryDB) -> None:
    cell = db.insert_cell({"content": "one"})
    with pytest.raises(ValueError, match="itself"):
        db.cells.supersede_cell(cell.id, cell.id)
    with pytest.raises(NotFoundError, match="99"):
        db.cells.supersede_cell(cell.id, 99)


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


def test_a_cell_without_its_superseder_is_in_force_again(db: MemoryDB) -> None:
    old = db.insert_cell({"content": "launch is in May"})
    new = db.insert_cell({"content": "launch is in June", "supersedes": (old.id,)})
    db.cells.delete_cells([new.id])
    assert [c.id for c in db.cells.list_cells()] == [old.id]
    assert db.cells.get_cells([old.id])[old.id].valid_to is None


def test_cells_are_listed_by_scene_type_time_and_order(db: MemoryDB) -> None:
    for n in range(6):
        db.insert_cell(
            {
                "content": f"cell {n}",
                "scene": "even" if n % 2 == 0 else "odd",
                "cell_type": "risk" if n == 3 else "fact",
                "salience": n / 10,
                "at": datetime(2026, 5, 1 + n, tzinfo=UTC),
            }
        )

    def ids(**narrowed: Any) -> list[int]:
        return [cell.id for cell in db.cells.list_cells(**narrowed)]

    assert ids(scene="EVEN") == [1, 3, 5]
    assert ids(cell_type="risk") == [4]
    assert ids(since=datetime(2026, 5, 3, tzinfo=UTC), until=datetime(2026, 5, 5, tzinfo=UTC)) == [
        3,
        4,
    ]
    assert ids(order="salience", limit=2) == [6, 5]
    assert ids(order="newest", limit=2) == [6, 5]
    assert ids(after=4) == [5, 6]


def test_a_cell_knows_the_messages_it_came_from(db: MemoryDB) -> None:
    messages = db.sessions.append_messages("A", [MessageDraft("user", "I moved to Oslo")]).messages
    cell = db.insert_cell(
        CellDraft("moved to Oslo", source=Source("A", messages[0].id, messages[0].id))
    )
    assert cell.source == Source("A", messages[0].id, messages[0].id)
    assert db.cells.cells_from([messages[0].id]) == [cell]


def test_reading_the_same_message_again_does_not_count_as_told_again(db: MemoryDB) -> None:
    draft = CellDraft("moved to Oslo", source=Source("A", 16777217, 16777217))
    assert [db.insert_cell(draft).told, db.insert_cell(draft).told] == [1, 1]


def test_use_is_counted(db: MemoryDB) -> None:
    cell = db.insert_cell({"content": "one"})
    db.cells.note_recalled([cell.id])
    db.cells.note_recalled([cell.id, 99])
    assert db.cells.get_cells([cell.id])[cell.id].recalls == 2


@given(st.text(min_size=1), st.text())
def test_any_text_is_stored_and_the_index_agrees(content: str, scene: str) -> None:
    with MemoryDB() as db:
        try:
            cell = db.insert_cell({"content": content, "scene": scene})
        except ValueError:
            assert not content.strip()
            return
        assert cell.content == content.replace("\x00", "\ufffd").strip()
        assert db.check() == []


def test_a_lone_surrogate_is_replaced(db: MemoryDB) -> None:
    cell = db.insert_cell({"content": "the depot \ud83d is in Leeds", "scene": "de\udc00pot"})
    assert cell.content == "the depot \ufffd is in Leeds"
    assert recall(db, "depot Leeds").cells == (cell,)
