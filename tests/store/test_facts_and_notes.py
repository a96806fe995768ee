"""What sessions have written down: facts and notes of one, globals and counters of all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_values import json_values

from scenemem.store.protocol import LARGEST_COUNT, Store

names = st.text(min_size=1).filter(lambda text: text.replace("\x00", "").strip())


def test_any_json_value_comes_back_with_its_type(store: Store) -> None:
    @given(value=json_values, key=names, session=st.text())
    def check(value: Any, key: str, session: str) -> None:
        store.notebook.remember_fact(session, key, value)
        store.notebook.upsert_global(key, value)
        for found in (
            store.notebook.recall_fact(session, key, "?"),
            store.notebook.get_global(key, "?"),
        ):
            assert json.dumps(found) == json.dumps(value)

    check()


@pytest.mark.parametrize("value", [0, 0.0, False, "", [], {}, None])
def test_what_is_empty_is_found_and_is_not_the_default(store: Store, value: Any) -> None:
    store.notebook.remember_fact("A", "unread", value)
    store.notebook.upsert_global("unread", value)
    found = store.notebook.recall_fact("A", "unread", "the default")
    assert found == value and type(found) is type(value)
    assert store.notebook.get_global("unread", "the default") == value
    assert store.notebook.recall_fact("A", "missing", "the default") == "the default"
    assert store.notebook.get_global("missing", "the default") == "the default"
    assert store.notebook.get_fact("A", "missing") is None


def test_the_short_term_value_wins_over_the_long_term_one(store: Store) -> None:
    store.notebook.remember_fact("A", "dark_mode", False, "short")
    store.notebook.remember_fact("A", "dark_mode", True, scope="long")
    assert store.notebook.recall_fact("A", "dark_mode") is False
    assert [(f.scope, f.value) for f in store.notebook.list_facts("A")] == [
        ("short", False),
        ("long", True),
    ]
    assert store.notebook.delete_fact("A", "dark_mode", "short") == 1
    assert store.notebook.recall_fact("A", "dark_mode") is True


def test_sessions_see_nothing_of_each_others_notebook_and_share_globals(store: Store) -> None:
    store.notebook.remember_fact("A", "model", "gpt-4", "long")
    store.notebook.add_note("A", "breadcrumb")
    store.notebook.upsert_global("team", "blue")
    assert store.notebook.recall_fact("B", "model") is None
    assert store.notebook.list_facts("B") == [] and store.notebook.list_notes("B") == []
    assert store.notebook.get_global("team") == "blue"


@pytest.mark.parametrize("value", [(1, 2), {1: "a"}, {"a": {3}}, float("nan"), object(), b"x"])
def test_a_value_that_json_would_change_is_refused(store: Store, value: Any) -> None:
    with pytest.raises(TypeError, match="what JSON can hold"):
        store.notebook.remember_fact("A", "key", value)
    assert store.notebook.list_facts() == []


def test_wrong_keys_and_scopes_are_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        store.notebook.remember_fact("A", " ", 1)
    with pytest.raises(ValueError, match="one of short, long"):
        store.notebook.remember_fact("A", "key", 1, "medium")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must not be empty"):
        store.notebook.add_note("A", " \n")


def test_notes_come_in_their_order_and_the_last_can_be_asked_for(store: Store) -> None:
    for number in range(5):
        store.notebook.add_note("A", f"note {number}")
    assert [n.note for n in store.notebook.list_notes("A", last=2)] == ["note 3", "note 4"]
    assert store.notebook.delete_note(store.notebook.list_notes("A")[0].id)
    assert len(store.notebook.list_notes("A")) == 4


def test_a_counter_stays_a_whole_number_of_64_bits(store: Store) -> None:
    notebook = store.notebook
    assert notebook.add_to_counter("c") == 1 and notebook.add_to_counter("c", -3) == -2
    notebook.set_counter("c", LARGEST_COUNT)
    with pytest.raises(ValueError, match="would leave the range"):
        notebook.add_to_counter("c")
    with pytest.raises(ValueError, match="would leave the range"):
        notebook.add_to_counter("c", LARGEST_COUNT)
    assert notebook.get_counter("c") == LARGEST_COUNT
    assert notebook.add_to_counter("c", -LARGEST_COUNT) == 0
    for wrong in (1.5, True, "2"):
        with pytest.raises(TypeError, match="must be an int"):
            notebook.add_to_counter("c", wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be at most"):
        notebook.set_counter("c", 2**63)
    assert notebook.get_counter("never used") is None
    assert notebook.delete_counter("c") and not notebook.delete_counter("c")
    assert notebook.list_counters() == {}


def test_facts_are_listed_by_session_and_key_the_short_term_ones_first(store: Store) -> None:
    for session, key, scope in (("B", "x", "long"), ("A", "y", "short"), ("A", "x", "long")):
        store.notebook.remember_fact(session, key, f"{session}{key}", scope)  # type: ignore[arg-type]
    store.notebook.remember_fact("A", "x", "short one")
    assert [(f.session, f.key, f.scope) for f in store.notebook.list_facts()] == [
        ("B", "x", "long"),
        ("A", "x", "short"),
        ("A", "x", "long"),
        ("A", "y", "short"),
    ]
    found = store.notebook.get_fact("A", "x", "long")
    assert found is not None and found.value == "Ax"
    assert store.notebook.delete_fact("A", "x") == 2
    assert store.notebook.delete_fact("A", "x") == 0


def test_a_note_keeps_its_time_and_can_be_removed(store: Store) -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    note = store.notebook.add_note("A", "  call Ann  ", at=at)
    assert (note.session, note.note, note.at) == ("A", "call Ann", at)
    assert store.notebook.list_notes() == [note]
    assert store.notebook.delete_note(note.id) and not store.notebook.delete_note(note.id)
    assert store.notebook.add_note("A", "another").id > note.id


def test_what_all_share_is_listed_by_key_and_can_be_removed(store: Store) -> None:
    store.notebook.upsert_global("b", 2)
    store.notebook.upsert_global("a", [1])
    store.notebook.upsert_global("b", 3)
    assert list(store.notebook.list_globals().items()) == [("a", [1]), ("b", 3)]
    assert store.notebook.delete_global("a") and not store.notebook.delete_global("a")
    assert store.notebook.get_global("a") is None
