"""Evidence: which rows hold what is sought, within each scope, for odd texts as well as plain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.records import Cell, CellDraft, Message, MessageDraft, Source
from scenemem.store.evidence import Evidence, Kind, Scope
from scenemem.store.protocol import Store
from scenemem.store.sought import Sought, all_of, any_of, phrase, prefix, without

DAY = datetime(2024, 3, 1, 9, tzinfo=UTC)
WEEK = timedelta(days=7)


@contextmanager
def evidence_of(store: Store, **narrowed: Any) -> Iterator[Evidence]:
    with store.snapshot():
        yield store.evidence(Scope(**narrowed))


def found(store: Store, sought: Sought, kind: Kind = "cell", **narrowed: Any) -> list[int]:
    with evidence_of(store, **narrowed) as evidence:
        (ids,) = evidence.rows(kind, [sought])
        return sorted(ids)


def test_rows_are_read_within_a_span_and_up_to_a_limit(store: Store) -> None:
    cells = store.cells.insert_cells(CellDraft(f"boat {n}") for n in range(9))
    ids = [cell.id for cell in cells]
    with evidence_of(store) as evidence:
        boat, ship = phrase("boat"), phrase("ship")

        def rows(*given: int | None, **options: Any) -> list[int]:
            (found,) = evidence.rows("cell", [boat], *given, **options)
            return sorted(found)

        assert rows() == ids
        assert rows(3) == ids[-3:]
        assert rows(3, oldest=True) == ids[:3]
        assert rows(10, oldest=True) == ids
        assert rows(span=(ids[2], ids[4])) == ids[2:5]
        assert evidence.counts("cell", [boat, ship]) == [9, 0]
        both = evidence.rows("cell", [boat, ship, boat], 2, room=12, oldest=True)
        assert list(map(sorted, both)) == [ids, [], ids[:3]]  # the last has what room was left


# -- what is sought --------------------------------------------------------------------------------


@pytest.fixture
def boats(store: Store) -> list[int]:
    texts = ["the blue boat", "a boat, blue and old", "the red boats", "old sails", "!!!"]
    return [cell.id for cell in store.cells.insert_cells({"content": text} for text in texts)]


def test_a_phrase_is_its_words_one_behind_the_other(store: Store, boats: list[int]) -> None:
    assert found(store, phrase("blue boat")) == [boats[0]]
    assert found(store, phrase("BOAT -- Blue!")) == [boats[1]]
    assert found(store, phrase("boat")) == boats[:3]  # whatever their ending


def test_a_prefix_is_how_a_word_begins(store: Store, boats: list[int]) -> None:
    assert found(store, prefix("bo")) == boats[:3]
    assert found(store, prefix("red bo")) == [boats[2]]
    assert found(store, phrase("bo")) == []


def test_nodes_are_combined(store: Store, boats: list[int]) -> None:
    blue, old, boat = phrase("blue"), phrase("old"), phrase("boat")
    assert found(store, any_of([blue, old])) == [boats[0], boats[1], boats[3]]
    assert found(store, all_of(blue, old)) == [boats[1]]
    assert found(store, without(boat, blue)) == [boats[2]]
    nested = without(any_of([all_of(boat, old), phrase("red"), prefix("sai")]), blue)
    assert found(store, nested) == [boats[2], boats[3]]


def test_a_phrase_without_a_word_and_any_of_nothing_match_nothing(
    store: Store, boats: list[int]
) -> None:
    boat = phrase("boat")
    for nothing in (phrase(""), phrase("!?"), prefix(" "), any_of([])):
        assert found(store, nothing) == []
        assert found(store, any_of([nothing, boat])) == boats[:3]
        assert found(store, all_of(nothing, boat)) == []
        assert found(store, without(boat, nothing)) == boats[:3]
        assert found(store, without(nothing, boat)) == []
    with pytest.raises(ValueError, match="at least one"):
        all_of()


def test_the_same_node_twice_is_one() -> None:
    assert any_of([phrase("boat"), phrase("boat")]) == phrase("boat")


ODD = ['"', 'blue" OR "old', "NEAR(a b)", "content:x", "a*", "^a", "(", "NOT", "{x}: y", "\x00"]
texts = st.text(max_size=20) | st.sampled_from(ODD)
trees = st.recursive(
    texts.map(phrase) | texts.map(prefix),
    lambda inner: (
        st.lists(inner, max_size=3).map(any_of)
        | st.lists(inner, min_size=1, max_size=3).map(lambda nodes: all_of(*nodes))
        | st.tuples(inner, inner).map(lambda pair: without(*pair))
    ),
    max_leaves=8,
)


def test_no_text_is_syntax_and_none_raises(store: Store, boats: list[int]) -> None:
    @given(trees)
    def check(sought: Sought) -> None:
        with evidence_of(store) as evidence:
            (ids,), (count,) = evidence.rows("cell", [sought]), evidence.counts("cell", [sought])
            assert len(ids) == len(set(ids)) == count
            assert set(ids) <= set(boats)

    check()


def test_a_row_is_found_by_the_text_that_it_holds(store: Store) -> None:
    @given(st.text(min_size=1, max_size=20).filter(lambda text: any(map(str.isalnum, text))))
    def check(text: str) -> None:
        cell = store.cells.insert_cell({"content": f"so {text} it is"})
        message = store.sessions.append_messages("A", [MessageDraft("user", text)]).messages[0]
        assert cell.id in found(store, phrase(cell.content))
        assert cell.id in found(store, phrase(f"so {cell.content[3:-6]} it"))
        assert message.id in found(store, phrase(text), "message")

    check()


# -- scopes ----------------------------------------------------------------------------------------


class Told(NamedTuple):
    """Three days of two sessions: a message each, and a cell of the first two."""

    messages: list[Message]
    cells: list[Cell]


@pytest.fixture
def told(store: Store) -> Told:
    messages: list[Message] = []
    for n, session in enumerate(("A", "A", "B")):
        draft = MessageDraft("user", f"boat {n}", DAY + n * WEEK, name="Ann")
        messages += store.sessions.append_messages(session, [draft]).messages
    others = [
        MessageDraft("tool", "boat of a tool"),
        MessageDraft("assistant", "boat, quoted", echo=True),
    ]
    store.sessions.append_messages("C", others)
    cells = store.cells.insert_cells(
        [
            CellDraft(
                f"boat {n} it is",
                scene="Harbour" if n else "Sea",
                cell_type="plan" if n else "fact",
                at=DAY + n * WEEK,
                occurred_at=date(2024, 5, 1 + 10 * n),
                occurred_until=date(2024, 5, 3 + 10 * n),
                speaker="Ann",
                source=Source("A", messages[n].id, messages[n].id),
            )
            for n in range(2)
        ]
    )
    return Told(messages, cells)


@pytest.mark.parametrize(
    ("scope", "messages", "cells"),
    [
        ({}, [0, 1, 2], [0, 1]),
        ({"session": "A"}, [0, 1], [0, 1]),
        ({"session": "B"}, [2], []),
        ({"session": "missing"}, [], []),
        ({"since": DAY + WEEK}, [1, 2], [1]),
        ({"until": DAY + WEEK}, [0], [0]),
        ({"since": DAY + WEEK, "until": DAY + 2 * WEEK}, [1], [1]),
        ({"as_of": DAY + WEEK}, [0, 1], [0, 1]),
        ({"scene": "Harbour"}, [], [1]),
        ({"scene": "Harbour", "session": "B"}, [], []),
        ({"cell_type": "fact"}, [], [0]),
    ],
)
def test_every_scope_keeps_to_its_own(
    store: Store, told: Told, scope: dict[str, Any], messages: list[int], cells: list[int]
) -> None:
    all_messages, all_cells = [m.id for m in told.messages], [c.id for c in told.cells]
    expected = {all_messages[n] for n in messages}, {all_cells[n] for n in cells}
    with evidence_of(store, **scope) as evidence:
        assert evidence.narrowed is bool(scope)
        kinds: tuple[Kind, Kind] = ("message", "cell")
        rows = [set(evidence.rows(kind, [phrase("boat")])[0]) for kind in kinds]
        if scope:
            assert rows == list(expected)
        found = evidence.messages([*all_messages, 7])
        assert {m.id for m in found} == expected[0]
        assert {m.id for m in found if m.extracted} == expected[0] & set(all_messages[:2])
        assert evidence.in_scope([*all_messages, 7]) == expected[0]
        assert {c.id for c in evidence.cells([*all_cells, 99])} == expected[1]
        assert {c.id for c in evidence.cells([], of=all_messages)} == expected[1]
        assert sorted(c.id for c in evidence.cells(all_cells, of=all_messages)) == sorted(
            expected[1]
        )
        assert evidence.counts("cell", [phrase("boat")]) == [2]  # in scope or not
        assert evidence.size("cell") >= len(cells)


def test_a_turn_can_be_passed_over(store: Store, told: Told) -> None:
    ids = [message.id for message in told.messages]
    with evidence_of(store, without_turn=told.messages[1].turn) as evidence:
        assert not evidence.narrowed
        assert evidence.in_scope(ids) == {ids[0], ids[2]}


def test_what_a_tool_said_or_a_reply_quotes_is_in_no_scope(store: Store, told: Told) -> None:
    others = [message.id for message in store.sessions.list_messages("C")]
    with evidence_of(store) as evidence:
        assert evidence.messages(others) == [] and evidence.in_scope(others) == set()


def test_messages_are_quoted_without_their_secrets_and_whatever_the_scope(store: Store) -> None:
    kept = store.sessions.append_messages(
        "A",
        [
            MessageDraft("user", "The boat is blue.", at=DAY, name="Ann"),
            MessageDraft("user", "My password is hunter2-oslo-9!", at=DAY),
        ],
    ).messages
    with evidence_of(store, session="elsewhere") as evidence:
        quoted = evidence.quoted_messages([*(m.id for m in kept), 7])
    assert quoted[kept[0].id] == kept[0]
    assert set(quoted) == {m.id for m in kept}
    assert "hunter2" not in quoted[kept[1].id].content


def test_a_superseded_cell_is_in_the_scope_of_its_time_only(store: Store, told: Told) -> None:
    old = told.cells[0]
    store.cells.supersede_cell(old.id, told.cells[1].id)
    with evidence_of(store) as evidence:
        assert [c.id for c in evidence.cells([old.id])] == []
    with evidence_of(store, as_of=DAY + timedelta(hours=1)) as evidence:
        assert [c.id for c in evidence.cells([old.id])] == [old.id]
        assert found(store, phrase("boat"), as_of=DAY) == [old.id]
    with evidence_of(store, as_of=DAY + WEEK) as evidence:
        assert evidence.cells([old.id]) == []


def test_an_item_is_the_cell_or_message_that_it_stands_for(store: Store, told: Told) -> None:
    with evidence_of(store) as evidence:
        cells = {item.id: item for item in evidence.cells([c.id for c in told.cells])}
        (message,) = evidence.messages([told.messages[0].id])
    assert [cells[c.id].as_cell() for c in told.cells] == told.cells
    assert (message.kind, message.content, message.speaker, message.role) == (
        "message",
        "boat 0",
        "Ann",
        "user",
    )


# -- days ------------------------------------------------------------------------------------------


def test_what_was_said_on_some_days_is_told_as_ranges_of_each_session(
    store: Store, told: Told
) -> None:
    ids = [message.id for message in told.messages]
    with evidence_of(store) as evidence:
        ranges = evidence.said_between(date(2024, 3, 1), date(2024, 3, 15))
        assert sorted(ranges) == [(ids[0], ids[1]), (ids[2], ids[2])]
        assert evidence.said_between(date(2024, 3, 8), date(2024, 3, 8)) == [(ids[1], ids[1])]
        assert evidence.said_between(date(2024, 3, 2), date(2024, 3, 7)) == []
        assert evidence.said_between(date.min, date.max)


def test_what_speaks_of_some_days_is_found_the_newest_first(store: Store, told: Told) -> None:
    ids = [message.id for message in told.messages]
    with evidence_of(store) as evidence:
        assert evidence.told_of(date(2024, 5, 1), date(2024, 5, 31), 9) == [ids[1], ids[0]]
        assert evidence.told_of(date(2024, 5, 1), date(2024, 5, 31), 1) == [ids[1]]
        assert evidence.told_of(date(2024, 5, 3), date(2024, 5, 3), 9) == [ids[0]]
        assert evidence.told_of(date(2024, 6, 1), date(2024, 6, 1), 9) == []
        assert evidence.told_of(date.min, date.max, 9) == [ids[1], ids[0]]
    store.cells.insert_cell(
        CellDraft(
            "all year at sea",
            occurred_at=date(2024, 1, 1),
            occurred_until=date(2024, 12, 31),
            source=Source("B", ids[2], ids[2]),
        )
    )
    with evidence_of(store) as evidence:  # a year is much more than a day
        assert evidence.told_of(date(2024, 5, 3), date(2024, 5, 3), 9) == [ids[0]]
    with evidence_of(store, scene="Sea") as evidence:
        assert evidence.told_of(date(2024, 5, 1), date(2024, 5, 31), 9) == [ids[0]]


def test_messages_that_told_a_cell_again_count_as_extracted(store: Store, told: Told) -> None:
    again = told.messages[2].id
    store.cells.insert_cell(
        CellDraft("Boat 0 it is", speaker="Ann", source=Source("B", again, again))
    )
    with evidence_of(store) as evidence:
        assert [message.extracted for message in evidence.messages([again])] == [True]
        assert evidence.cells([], of=[again]) == []


def test_a_message_stays_extracted_when_its_cell_is_out_of_scope(store: Store, told: Told) -> None:
    first = told.messages[0].id
    store.cells.supersede_cell(told.cells[0].id, told.cells[1].id)
    with evidence_of(store) as evidence:
        assert [message.extracted for message in evidence.messages([first])] == [True]
        assert evidence.cells([], of=[first]) == []


def test_sizes_grow_with_what_is_stored(store: Store) -> None:
    with evidence_of(store) as evidence:
        assert (evidence.size("message"), evidence.size("cell")) == (0, 0)
    store.sessions.append_messages("A", [MessageDraft("user", f"boat {n}") for n in range(5)])
    with evidence_of(store) as evidence:
        assert (evidence.size("message"), evidence.size("cell")) == (5, 0)
    with evidence_of(store, session="B") as evidence:
        assert evidence.size("message") == 0
