"""Sessions: verbatim messages in order, and the queue that forgets no turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_files import sqlite_of

from scenemem.base.errors import NotFoundError
from scenemem.base.records import MessageDraft
from scenemem.memory.memory_db import MemoryDB
from scenemem.store.sqlite.sessions import MAX_ATTEMPTS

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(role: str, content: str, **more: object) -> MessageDraft:
    return MessageDraft(role, content, **more)  # type: ignore[arg-type]


def test_messages_come_back_verbatim_and_in_order(db: MemoryDB) -> None:
    call = {"id": "c1", "function": {"name": "recall", "arguments": "{}"}}
    drafts = [
        said("user", "hi  there\n", at=NOON),
        said("assistant", "", tool_calls=(call,), at=NOON),
        said("tool", "42", tool_call_id="c1", at=NOON),
        said("assistant", "It is 42.", at=NOON - timedelta(hours=1)),
    ]
    db.sessions.append_messages("A", drafts)
    for _ in range(3):
        messages = db.sessions.list_messages("A")
        assert [m.content for m in messages] == ["hi  there\n", "", "42", "It is 42."]
        assert messages[1].tool_calls == (call,)
        assert messages[2].tool_call_id == "c1"
        assert {m.turn for m in messages} == {1}


def test_the_end_of_a_session_can_be_read(db: MemoryDB) -> None:
    db.sessions.append_messages("A", [said("user", str(n)) for n in range(30)])
    db.sessions.append_messages("B", [said("user", "other")])
    assert [m.content for m in db.sessions.list_messages("A", last=True, limit=3)] == [
        "27",
        "28",
        "29",
    ]
    assert [m.content for m in db.sessions.list_messages("B")] == ["other"]
    assert [s.session for s in db.sessions.list_sessions()] == ["B", "A"]
    assert db.sessions.list_messages("missing") == []


def test_a_known_id_is_skipped_and_a_grown_talk_adds_the_rest(db: MemoryDB) -> None:
    talk = [said("user", "one", external_id="1"), said("assistant", "two", external_id="2")]
    assert len(db.sessions.append_messages("A", talk).messages) == 2
    again = db.sessions.append_messages("A", [*talk, said("user", "three", external_id="3")])
    assert ([m.content for m in again.messages], again.skipped) == (["three"], 2)
    other = db.sessions.append_messages("B", talk)
    assert other.skipped == 0


def test_a_message_without_a_time_takes_that_of_the_one_before(db: MemoryDB) -> None:
    talk = [said("user", "a"), said("assistant", "b", at=NOON), said("user", "c")]
    messages = db.sessions.append_messages("A", talk, at=NOON - timedelta(days=1)).messages
    assert [m.at for m in messages] == [NOON - timedelta(days=1), NOON, NOON]


def test_a_turn_submitted_twice_is_stored_once(db: MemoryDB) -> None:
    first = db.sessions.open_turn("A", said("user", "book it"), external_id="t1")
    again = db.sessions.open_turn("A", said("user", "book it"), external_id="t1")
    later = db.sessions.open_turn("A", said("user", "book it"), external_id="t2")
    assert (first, again) == ((1, True), (1, False))
    assert later == (2, True)
    assert [m.content for m in db.sessions.list_messages("A")] == ["book it", "book it"]


def test_an_open_turn_waits_for_its_answer_and_then_for_extraction(db: MemoryDB) -> None:
    turn, _ = db.sessions.open_turn("A", said("user", "q"))
    assert db.sessions.list_pending() == []
    db.sessions.append_to_turn(turn, [said("assistant", "a")])
    db.sessions.close_turn(turn)
    (exchange,) = db.sessions.list_pending()
    assert [m.content for m in exchange.messages] == ["q", "a"]


def test_a_turn_that_never_got_its_answer_is_extracted_all_the_same(db: MemoryDB) -> None:
    db.sessions.open_turn("A", said("user", "lost"))
    db.sessions.open_turn("A", said("user", "next"))
    assert [e.messages[0].content for e in db.sessions.list_pending()] == ["lost"]
    with sqlite_of(db).transaction() as connection:
        connection.execute("UPDATE turns SET stored_at = '2020-01-01T00:00:00.000000Z'")
    assert [e.messages[0].content for e in db.sessions.list_pending()] == ["lost", "next"]


def test_appended_messages_make_a_turn_of_each_question_and_its_answers(db: MemoryDB) -> None:
    opened, _ = db.sessions.open_turn("one", said("user", "first", at=NOON))
    roles = ["assistant", "user", "assistant", "assistant", "system", "user"]
    for session in ("one", "two"):
        db.sessions.append_messages(session, [said(role, "text", at=NOON) for role in roles])
    turns = [message.turn - opened for message in db.sessions.list_messages()]
    assert turns == [0, 1, 2, 2, 2, 3, 4, 5, 6, 6, 6, 7, 8]
    waiting = db.sessions.pending_turns()
    assert waiting == [opened + n for n in range(1, 9)]
    later, _ = db.sessions.open_turn("two", said("user", "last", at=NOON))
    assert later == opened + 9
    assert db.sessions.append_messages("two", []).messages == ()


def test_a_turn_is_marked_as_extracted_once(db: MemoryDB) -> None:
    db.sessions.append_messages("A", [said("user", "one"), said("user", "two")])
    assert db.sessions.mark_extracted({1: 3}) == [1]
    assert db.sessions.mark_extracted({1: 3, 2: 0}) == [2]
    assert db.sessions.list_pending() == []
    assert db.sessions.count_turns() == {"open": 0, "pending": 0, "done": 2, "failed": 0}


def test_a_failure_is_noted_and_after_too_many_the_turn_waits_to_be_asked_for(db: MemoryDB) -> None:
    db.sessions.append_messages("A", [said("user", "one")])
    db.sessions.mark_failed([1], "server down", count=False)
    assert db.sessions.list_pending()[0].attempts == 0
    for attempt in range(MAX_ATTEMPTS):
        (exchange,) = db.sessions.list_pending()
        assert exchange.attempts == attempt
        db.sessions.mark_failed([1], "babble")
    assert db.sessions.list_pending() == []
    assert db.sessions.list_errors() == [(1, "A", MAX_ATTEMPTS, "babble")]
    assert db.sessions.retry_failed() == 1
    assert [e.id for e in db.sessions.list_pending()] == [1]


def test_fresh_turns_wait_before_those_that_failed(db: MemoryDB) -> None:
    db.sessions.append_messages("A", [said("user", str(n)) for n in range(4)])
    db.sessions.mark_failed([1], "babble")
    db.sessions.mark_failed([2], "down", count=False)
    assert db.sessions.pending_turns() == [3, 4, 2, 1]
    assert [e.id for e in db.sessions.list_pending(3)] == [3, 4, 2]
    assert db.sessions.get_turn(1) == ("pending", None, "babble")
    assert db.sessions.get_turn(9) is None


def test_a_blanked_message_keeps_its_place(db: MemoryDB) -> None:
    messages = db.sessions.append_messages(
        "A", [said("user", "secret"), said("user", "open")]
    ).messages
    assert db.sessions.redact_messages([messages[0].id]) == 1
    assert db.sessions.redact_messages([messages[0].id]) == 0
    assert [m.content for m in db.sessions.list_messages("A")] == ["", "open"]
    assert db.check() == []


def test_an_unknown_role_or_turn_is_refused(db: MemoryDB) -> None:
    with pytest.raises(ValueError, match="'robot'"):
        db.sessions.append_messages("A", [said("robot", "hi")])
    with pytest.raises(NotFoundError, match="7"):
        db.sessions.append_to_turn(7, [said("user", "hi")])


def test_ensuring_a_session_twice_makes_one(db: MemoryDB) -> None:
    assert db.sessions.ensure_session("A", NOON) == db.sessions.ensure_session("A")
    assert db.sessions.get_session("A").created_at == NOON  # type: ignore[union-attr]
    assert db.sessions.get_session("B") is None


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "tool", "system"]), st.text()), max_size=8
    ),
    st.text(),
)
def test_any_text_is_kept_in_its_order(talk: list[tuple[str, str]], session: str) -> None:
    with MemoryDB() as db:
        db.sessions.append_messages(session, [said(role, content) for role, content in talk])
        kept = [(m.role, m.content) for m in db.sessions.list_messages(session)]
        assert kept == [(role, content.replace("\x00", "\ufffd")) for role, content in talk]
        assert db.check() == []
