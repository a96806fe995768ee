"""Messages, cells and summaries of another memory, put back as they were, and never twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scenemem.base.records import Cell, CellDraft, MessageDraft, Source
from scenemem.base.session_records import Compaction
from scenemem.store.protocol import Store
from scenemem.store.records import PastCell, PastMessage, PastTurn

DAY = datetime(2026, 5, 1, 9, tzinfo=UTC)
ASKED = PastMessage(
    MessageDraft("user", "I keep bees.", DAY, external_id="q"), PastTurn(7, "done", 2)
)
TOLD = PastMessage(MessageDraft("assistant", "Nice.", DAY, external_id="a"), PastTurn(7, "done", 2))
WAITS = PastMessage(
    MessageDraft("user", "I moved.", DAY, external_id="w"),
    PastTurn(9, "failed", None, 5, "no answer", "retry-1"),
)


def test_messages_come_back_with_the_states_of_their_turns_and_once(store: Store) -> None:
    turns: dict[int, int] = {}
    ids, new = store.sessions.restore_messages("A", [ASKED, TOLD, WAITS], turns)
    assert new == 3 and [m.id for m in store.sessions.list_messages("A")] == ids
    asked, told, waits = store.sessions.list_messages("A")
    assert asked.turn == told.turn == turns[7] and waits.turn == turns[9]
    held = store.sessions.get_turns([asked.turn, waits.turn])
    assert held[asked.turn] == PastTurn(asked.turn, "done", 2)
    assert held[waits.turn] == PastTurn(waits.turn, "failed", None, 5, "no answer", "retry-1")
    assert store.sessions.restore_messages("A", [ASKED, TOLD, WAITS], {}) == (ids, 0)
    assert store.sessions.open_turn("A", WAITS.draft, external_id="retry-1") == (waits.turn, False)


def test_a_message_that_waits_here_and_is_done_there_is_done(store: Store) -> None:
    store.sessions.append_messages("A", [ASKED.draft])
    store.sessions.restore_messages("A", [ASKED, TOLD], {})
    assert store.sessions.pending_turns() == []
    assert len({m.turn for m in store.sessions.list_messages("A")}) == 1


def test_the_very_message_that_was_exported_is_not_stored_again(store: Store) -> None:
    (stored,) = store.sessions.append_messages("A", [MessageDraft("user", "Hi", DAY)]).messages
    same = PastMessage(MessageDraft("user", "Hi", DAY, external_id="m1"), None, stored.id)
    other = PastMessage(MessageDraft("user", "Ho", DAY, external_id="m2"), None, stored.id)
    assert store.sessions.restore_messages("A", [same], {}) == ([stored.id], 0)
    assert store.sessions.restore_messages("A", [other], {})[1] == 1


def test_a_summary_comes_back_where_there_is_none(store: Store) -> None:
    (message, _), _ = store.sessions.restore_messages("A", [ASKED, TOLD], {})
    done = Compaction("A", DAY, message, 1, 30, 12)
    assert store.sessions.restore_summary("A", "About bees.", "Bees.", message, [done])
    assert store.sessions.get_summary("A") == ("About bees.", message)
    assert store.sessions.given_summary("A") == "Bees."
    assert store.sessions.list_compactions("A") == [done]
    assert not store.sessions.restore_summary("A", "Another.", "", message, [done])
    assert store.sessions.get_summary("A") == ("About bees.", message)


def _cell(number: int, content: str, **traits: object) -> Cell:
    return Cell(number, "Home", "risk", 0.25, content, DAY)._replace(**traits)  # type: ignore[arg-type]


def test_cells_come_back_as_they_were_and_once(store: Store) -> None:
    ids, _ = store.sessions.restore_messages("A", [ASKED, TOLD, WAITS], {})
    source = Source("A", ids[0], ids[1])
    past = [
        PastCell(_cell(5, "It was red.", valid_to=DAY + timedelta(days=1), told=2), (ids[2],)),
        PastCell(_cell(8, "It is green.", source=source, recalls=3, speaker="Ann")),
    ]
    (old, new), count = store.cells.restore_cells(past, set())
    store.cells.restore_succession(old, new, at=None)
    assert count == 2
    assert store.cells.get_cells([old, new]) == {
        old: past[0].cell._replace(id=old, superseded_by=new),
        new: past[1].cell._replace(id=new),
    }
    assert store.cells.told_in([old]) == [ids[2]]
    assert store.cells.restore_cells(past, set()) == ([old, new], 0)
    scene = store.scenes.get_scene("home")
    assert scene is not None and scene.cells == 1


def test_a_cell_is_recognised_by_what_it_said_before_on_either_side(store: Store) -> None:
    one, two = store.cells.insert_cells(
        CellDraft(content, "Home", at=DAY) for content in ("It is red.", "It is cold.")
    )
    store.cells.update_cell(two.id, content="It is icy.")
    past = [
        PastCell(_cell(1, "It is green."), before=("It is red.",)),
        PastCell(_cell(2, two.content)),
    ]
    assert store.cells.restore_cells(past, set()) == ([one.id, two.id], 0)
    assert [cell.content for cell in store.cells.list_cells()] == ["It is green.", "It is icy."]


def test_a_repeat_of_a_cell_in_force_only_adds_its_tellings(store: Store) -> None:
    kept = store.cells.insert_cell(CellDraft("It is red.", "Home"))
    for _ in range(2):
        assert store.cells.restore_cells([PastCell(_cell(1, "it is red", told=4))], set()) == (
            [kept.id],
            0,
        )
    (cell,) = store.cells.list_cells()
    assert cell.told == 4 and cell.content == "It is red."


def test_a_cell_without_its_successor_is_put_back_in_force(store: Store) -> None:
    (old,), _ = store.cells.restore_cells([PastCell(_cell(1, "Old.", valid_to=DAY))], set())
    assert store.cells.list_cells() == []
    store.cells.restore_succession(old, None, at=None)
    (cell,) = store.cells.list_cells()
    assert cell.superseded_by is None and cell.valid_to is None


def test_of_cells_that_supersede_one_another_the_newest_stays_in_force(store: Store) -> None:
    past = [PastCell(_cell(n, f"It is {n}.", valid_to=DAY)) for n in (1, 2, 3)]
    (one, two, three), _ = store.cells.restore_cells(past, set())
    linked = [(one, two), (two, three), (three, one)]
    for _ in range(2):
        held = [store.cells.restore_succession(cell, by, at=None) for cell, by in linked]
        assert held == [True, True, False]
        (cell,) = store.cells.list_cells()
        assert cell.id == three and cell.valid_to is None
    scene = store.scenes.get_scene("Home")
    assert scene is not None and scene.cells == 1
    assert store.check() == []


def test_a_cell_that_supersedes_itself_is_told_of_and_put_back_in_force(store: Store) -> None:
    (old,), _ = store.cells.restore_cells([PastCell(_cell(1, "Old.", valid_to=DAY))], set())
    (fault,) = store.check()
    assert f"without a successor ({old})" in fault
    assert not store.cells.restore_succession(old, old, at=None)
    assert [cell.id for cell in store.cells.list_cells()] == [old]
    assert store.check() == []


def test_what_superseded_a_cell_here_is_not_superseded_by_it(store: Store) -> None:
    old, new = store.cells.insert_cells(CellDraft(c, "Home", at=DAY) for c in ("Old.", "New."))
    store.cells.supersede_cell(old.id, new.id)
    assert not store.cells.restore_succession(new.id, old.id, at=None)
    with pytest.raises(ValueError, match=f"cell {new.id} can't be superseded by {old.id}"):
        store.cells.supersede_cell(new.id, old.id)
    assert [cell.id for cell in store.cells.list_cells()] == [new.id]
