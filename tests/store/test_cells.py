"""Cells: stored once, typed and weighed, superseded but kept, in the order that was asked for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.errors import NotFoundError
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.store.protocol import Store

DAY = datetime(2026, 5, 1, 9, tzinfo=UTC)


def test_a_cell_comes_back_as_it_was_given(store: Store) -> None:
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
    cell = store.cells.insert_cell(draft)
    assert cell == store.cells.get_cell(cell.id)
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


def test_the_speakers_are_those_of_cells_and_messages_whatever_their_names(store: Store) -> None:
    assert store.cells.list_speakers() == []
    store.cells.insert_cell(CellDraft("hello", speaker="Ann, of Ely\nline two"))
    store.cells.insert_cell(CellDraft("hello again", speaker="Zoë"))
    store.sessions.append_messages("one", [MessageDraft("user", "hi", name="Bob")])
    assert sorted(store.cells.list_speakers()) == ["Ann, of Ely\nline two", "Bob", "Zoë"]


def test_notes_that_merely_share_words_stay_apart(store: Store) -> None:
    store.cells.insert_cell({"content": "redis needs maxmemory set to 2gb"})
    store.cells.insert_cell({"content": "redis needs maxmemory set to 4gb"})
    assert store.cells.count_cells() == 2


@pytest.mark.parametrize(
    ("cell", "error", "says"),
    [
        ({"content": "  "}, ValueError, "empty"),
        ({"content": "x", "cell_type": "emotion"}, ValueError, "fact, plan.*emotion"),
        ({"content": "x", "salience": 3}, ValueError, "0 to 1.*3"),
        ({"content": "x", "salience": float("nan")}, ValueError, "nan"),
        ({"content": "x", "colour": "red"}, TypeError, "colour"),
        ({}, TypeError, "content"),
    ],
)
def test_wrong_use_is_refused_with_the_value(
    store: Store, cell: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        store.cells.insert_cell(cell)
    assert store.cells.count_cells() == store.scenes.count_scenes() == 0


def test_a_batch_is_stored_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(ValueError, match="empty"):
        store.cells.insert_cells([{"content": "good"}, {"content": ""}])
    assert store.cells.count_cells() == 0


def test_a_cell_may_supersede_another_of_its_batch_by_content(store: Store) -> None:
    old, new = store.cells.insert_cells(
        [
            {"content": "loves spicy food"},
            {"content": "hates spicy food", "supersedes": ("Loves spicy food.",)},
        ]
    )
    assert store.cells.get_cells([old.id])[old.id].superseded_by == new.id


def test_a_cell_can_not_supersede_itself(store: Store) -> None:
    cell = store.cells.insert_cell({"content": "one"})
    with pytest.raises(ValueError, match="itself"):
        store.cells.supersede_cell(cell.id, cell.id)
    with pytest.raises(NotFoundError, match="99"):
        store.cells.supersede_cell(cell.id, 99)


def test_a_cell_without_its_superseder_is_in_force_again(store: Store) -> None:
    old = store.cells.insert_cell({"content": "launch is in May"})
    new = store.cells.insert_cell({"content": "launch is in June", "supersedes": (old.id,)})
    store.cells.delete_cells([new.id])
    assert [c.id for c in store.cells.list_cells()] == [old.id]
    assert store.cells.get_cells([old.id])[old.id].valid_to is None


def test_cells_are_listed_by_scene_type_time_and_order(store: Store) -> None:
    for n in range(6):
        store.cells.insert_cell(
            {
                "content": f"cell {n}",
                "scene": "even" if n % 2 == 0 else "odd",
                "cell_type": "risk" if n == 3 else "fact",
                "salience": n / 10,
                "at": datetime(2026, 5, 1 + n, tzinfo=UTC),
            }
        )

    def ids(**narrowed: Any) -> list[int]:
        return [cell.id for cell in store.cells.list_cells(**narrowed)]

    assert ids(scene="EVEN") == [1, 3, 5]
    assert ids(cell_type="risk") == [4]
    assert ids(since=datetime(2026, 5, 3, tzinfo=UTC), until=datetime(2026, 5, 5, tzinfo=UTC)) == [
        3,
        4,
    ]
    assert ids(order="salience", limit=2) == [6, 5]
    assert ids(order="newest", limit=2) == [6, 5]
    assert ids(after=4) == [5, 6]


def test_a_cell_knows_the_messages_it_came_from(store: Store) -> None:
    messages = store.sessions.append_messages(
        "A", [MessageDraft("user", "I moved to Oslo")]
    ).messages
    cell = store.cells.insert_cell(
        CellDraft("moved to Oslo", source=Source("A", messages[0].id, messages[0].id))
    )
    assert cell.source == Source("A", messages[0].id, messages[0].id)
    assert store.cells.cells_from([messages[0].id]) == [cell]


def test_reading_the_same_message_again_does_not_count_as_told_again(store: Store) -> None:
    draft = CellDraft("moved to Oslo", source=Source("A", 16777217, 16777217))
    assert [store.cells.insert_cell(draft).told, store.cells.insert_cell(draft).told] == [1, 1]


def test_use_is_counted(store: Store) -> None:
    cell = store.cells.insert_cell({"content": "one"})
    store.cells.note_recalled([cell.id])
    store.cells.note_recalled([cell.id, 99])
    assert store.cells.get_cells([cell.id])[cell.id].recalls == 2


def test_any_text_is_stored_and_the_index_agrees(store: Store) -> None:
    @given(st.text(min_size=1), st.text())
    def check(content: str, scene: str) -> None:
        try:
            cell = store.cells.insert_cell({"content": content, "scene": scene})
        except ValueError:
            assert not content.strip()
            return
        assert cell.content == content.replace("\x00", "\ufffd").strip()
        assert store.check() == []

    check()


def test_the_most_salient_come_first_and_the_newer_among_equals(store: Store) -> None:
    saliences = (0.5, 0.9, 0.3, 0.8, 0.9, 0.6)
    cells = store.cells.insert_cells(
        CellDraft(f"note {n}", salience=s) for n, s in enumerate(saliences)
    )
    ids = [cell.id for cell in cells]
    expected = [ids[4], ids[1], ids[3], ids[5], ids[0], ids[2]]
    for limit in range(1, 7):
        assert [cell.id for cell in store.cells.list_most_salient(limit)] == expected[:limit]


def test_a_superseded_cell_is_never_among_the_most_salient(store: Store) -> None:
    old = store.cells.insert_cell(CellDraft("door code is 11", salience=0.9))
    new = store.cells.insert_cell(CellDraft("door code is 22", salience=0.8, supersedes=(old.id,)))
    assert store.cells.list_most_salient(5) == [new]


def test_a_repeat_of_the_same_speaker_counts_wherever_an_engine_would_put_it(store: Store) -> None:
    messages = store.sessions.append_messages(
        "A", [MessageDraft("user", f"line {n}") for n in range(3)]
    ).messages
    one, two, three = (Source("A", m.id, m.id) for m in messages)
    first = store.cells.insert_cell(CellDraft("Moved to Oslo", "Moves", speaker="Ann", source=one))
    again = store.cells.insert_cell(
        CellDraft("moved to Oslo.", "Towns", salience=0.8, speaker="Ann", source=two)
    )
    assert (again.id, again.told, again.scene, again.salience) == (first.id, 2, "Moves", 0.8)
    others = store.cells.insert_cells(
        [
            CellDraft("Moved to Oslo", "Towns", speaker="Bob", source=three),
            CellDraft("Moved to Oslo", "Towns", speaker="Ann"),
        ]
    )
    assert first.id not in {cell.id for cell in others}
    assert store.cells.told_in([first.id]) == [messages[1].id]
    assert [c.id for c in store.cells.cells_from([messages[1].id])] == [first.id]


def test_what_was_superseded_may_be_told_anew(store: Store) -> None:
    old = store.cells.insert_cell(CellDraft("takes the bus", at=DAY))
    new = store.cells.insert_cell(CellDraft("takes the bike", at=DAY + timedelta(days=1)))
    assert not store.cells.is_superseded("takes the bus")
    store.cells.supersede_cell(old.id, new.id)
    was = store.cells.get_cell(old.id)
    assert was is not None and (was.superseded_by, was.valid_to) == (new.id, new.created_at)
    assert store.cells.is_superseded("Takes the bus.")
    assert not store.cells.is_superseded("never said")
    assert [c.id for c in store.cells.list_cells()] == [new.id]
    assert [c.id for c in store.cells.list_cells(superseded=True)] == [old.id, new.id]
    assert store.cells.count_cells() == store.cells.count_cells(superseded=True) == 1
    back = store.cells.insert_cell(CellDraft("takes the bus", at=DAY + timedelta(days=2)))
    assert back.id not in (old.id, new.id) and back.told == 1
    assert not store.cells.is_superseded("takes the bus")


def test_a_cell_is_superseded_from_a_moment_that_is_given(store: Store) -> None:
    old, new = store.cells.insert_cells([CellDraft("one", at=DAY), CellDraft("two", at=DAY)])
    store.cells.supersede_cell(old.id, new.id, at=DAY + timedelta(days=3), actor="Ann")
    was = store.cells.get_cell(old.id)
    assert was is not None and was.valid_to == DAY + timedelta(days=3)
    assert store.log.list_changes(actor="Ann")[0].action == "supersede"


def test_a_cell_is_corrected_in_place_and_its_old_text_logged(store: Store) -> None:
    cell = store.cells.insert_cell({"content": "lives in Leeds", "scene": "Home"})
    store.scenes.upsert_scene("Home", "Lives in Leeds.")
    fixed = store.cells.update_cell(
        cell.id, content="lives in Turin", cell_type="plan", scene="Plans", actor="Ann"
    )
    assert (fixed.id, fixed.content, fixed.cell_type, fixed.scene, fixed.salience) == (
        cell.id,
        "lives in Turin",
        "plan",
        "Plans",
        0.5,
    )
    (change,) = store.log.list_changes(subject=f"cell {cell.id}")
    assert (change.actor, change.before, change.after) == (
        "Ann",
        "lives in Leeds",
        "lives in Turin",
    )
    assert store.scenes.retrieve_scene_summary("Home") == ""  # of no cell that is left
    assert [s.scene for s in store.scenes.list_due()] == ["Plans"]
    assert not store.cells.list_cells(scene="Home")
    with pytest.raises(NotFoundError, match="99"):
        store.cells.update_cell(99, content="x")
    with pytest.raises(ValueError, match="salience"):
        store.cells.update_cell(cell.id, salience=2)


def test_deleted_cells_take_what_was_told_of_them_along(store: Store) -> None:
    lease, rent, parrot = store.cells.insert_cells(
        [
            {"scene": "home", "content": "Lease ends in June"},
            {"scene": "home", "content": "Rent is 900 quatloos"},
            {"scene": "pets", "content": "The parrot is called Quasimodo"},
        ]
    )
    store.scenes.upsert_scene("home", "The lease ends in June; the rent is 900 quatloos.")
    store.scenes.add_alias("home", "the quatloo flat")
    gone = store.cells.delete_cells([rent.id, parrot.id, 99])
    assert sorted(cell.id for cell in gone) == [rent.id, parrot.id]
    assert store.cells.get_cell(rent.id) is None
    assert list(store.cells.get_cells([lease.id, rent.id])) == [lease.id]
    assert store.scenes.get_scene("pets") is None
    assert store.scenes.get_scene("the quatloo flat") is None
    assert store.scenes.retrieve_scene_summary("home") == ""
    assert [scene.scene for scene in store.scenes.list_due()] == ["home"]
    assert all(
        "quatloo" not in f"{change.before} {change.after}" and "pets" not in change.subject
        for change in store.log.list_changes()
    )
    assert store.cells.delete_cells([]) == []


def test_the_id_of_a_deleted_cell_is_never_given_again(store: Store) -> None:
    first = store.cells.insert_cell({"content": "one"})
    store.cells.delete_cells([first.id])
    assert store.cells.insert_cell({"content": "two"}).id > first.id


def test_no_secret_is_stored_in_a_cell(store: Store) -> None:
    cell = store.cells.insert_cell({"content": "The password is hunter22xy"})
    assert "hunter22xy" not in cell.content
    fixed = store.cells.update_cell(cell.id, content="The password is now hunter33xy")
    assert "hunter33xy" not in fixed.content


def test_cells_of_the_same_words_are_found_in_any_scene_and_out_of_force(store: Store) -> None:
    first, other, second = store.cells.insert_cells(
        [
            CellDraft("City: Oslo", "A"),
            CellDraft("City: Rome", "A"),
            CellDraft("city, OSLO!", "B"),
        ]
    )
    store.cells.supersede_cell(first.id, other.id)
    assert [c.id for c in store.cells.list_same(["city oslo"])] == [first.id, second.id]
    assert store.cells.list_same([]) == [] == store.cells.list_same(["city"])
    assert [c.id for c in store.cells.list_superseded([other.id])] == [first.id]
    assert store.cells.list_superseded([first.id, 99]) == []
