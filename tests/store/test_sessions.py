"""Sessions: verbatim messages in order, and the queue that forgets no turn."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import Kind, fresh

from scenemem.base.errors import NotFoundError
from scenemem.base.records import SESSION_SHIFT, MessageDraft
from scenemem.base.session_records import Compaction
from scenemem.store.evidence import Scope
from scenemem.store.protocol import MAX_ATTEMPTS, Store
from scenemem.store.sought import phrase

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(role: str, content: str, **more: object) -> MessageDraft:
    return MessageDraft(role, content, **more)  # type: ignore[arg-type]


def test_messages_come_back_verbatim_and_in_order(store: Store) -> None:
    call = {"id": "c1", "function": {"name": "recall", "arguments": "{}"}}
    drafts = [
        said("user", "hi  there\n", at=NOON),
        said("assistant", "", tool_calls=(call,), at=NOON),
        said("tool", "42", tool_call_id="c1", at=NOON),
        said("assistant", "It is 42.", at=NOON - timedelta(hours=1)),
    ]
    store.sessions.append_messages("A", drafts)
    for _ in range(3):
        messages = store.sessions.list_messages("A")
        assert [m.content for m in messages] == ["hi  there\n", "", "42", "It is 42."]
        assert messages[1].tool_calls == (call,)
        assert messages[2].tool_call_id == "c1"
        assert {m.turn for m in messages} == {1}


def test_the_end_of_a_session_can_be_read(store: Store) -> None:
    store.sessions.append_messages("A", [said("user", str(n)) for n in range(30)])
    store.sessions.append_messages("B", [said("user", "other")])
    assert [m.content for m in store.sessions.list_messages("A", last=True, limit=3)] == [
        "27",
        "28",
        "29",
    ]
    assert [m.content for m in store.sessions.list_messages("B")] == ["other"]
    assert [s.session for s in store.sessions.list_sessions()] == ["B", "A"]
    assert store.sessions.list_messages("missing") == []


def test_a_known_id_is_skipped_and_a_grown_talk_adds_the_rest(store: Store) -> None:
    talk = [said("user", "one", external_id="1"), said("assistant", "two", external_id="2")]
    assert len(store.sessions.append_messages("A", talk).messages) == 2
    again = store.sessions.append_messages("A", [*talk, said("user", "three", external_id="3")])
    assert ([m.content for m in again.messages], again.skipped) == (["three"], 2)
    other = store.sessions.append_messages("B", talk)
    assert other.skipped == 0


def test_a_message_without_a_time_takes_that_of_the_one_before(store: Store) -> None:
    talk = [said("user", "a"), said("assistant", "b", at=NOON), said("user", "c")]
    messages = store.sessions.append_messages("A", talk, at=NOON - timedelta(days=1)).messages
    assert [m.at for m in messages] == [NOON - timedelta(days=1), NOON, NOON]


def test_a_turn_submitted_twice_is_stored_once(store: Store) -> None:
    first = store.sessions.open_turn("A", said("user", "book it"), external_id="t1")
    again = store.sessions.open_turn("A", said("user", "book it"), external_id="t1")
    later = store.sessions.open_turn("A", said("user", "book it"), external_id="t2")
    assert (first, again) == ((1, True), (1, False))
    assert later == (2, True)
    assert [m.content for m in store.sessions.list_messages("A")] == ["book it", "book it"]


def test_an_open_turn_waits_for_its_answer_and_then_for_extraction(store: Store) -> None:
    turn, _ = store.sessions.open_turn("A", said("user", "q"))
    assert store.sessions.list_pending() == []
    store.sessions.append_to_turn(turn, [said("assistant", "a")])
    store.sessions.close_turn(turn)
    (exchange,) = store.sessions.list_pending()
    assert [m.content for m in exchange.messages] == ["q", "a"]


def test_a_turn_that_never_got_its_answer_is_extracted_with_the_next(store: Store) -> None:
    lost, _ = store.sessions.open_turn("A", said("user", "lost"))
    store.sessions.open_turn("B", said("user", "another session's"))
    assert store.sessions.list_pending() == []
    store.sessions.open_turn("A", said("user", "next"))
    assert [e.id for e in store.sessions.list_pending()] == [lost]


def test_appended_messages_make_a_turn_of_each_question_and_its_answers(store: Store) -> None:
    opened, _ = store.sessions.open_turn("one", said("user", "first", at=NOON))
    roles = ["assistant", "user", "assistant", "assistant", "system", "user"]
    for session in ("one", "two"):
        store.sessions.append_messages(session, [said(role, "text", at=NOON) for role in roles])
    turns = [message.turn - opened for message in store.sessions.list_messages()]
    assert turns == [0, 1, 2, 2, 2, 3, 4, 5, 6, 6, 6, 7, 8]
    waiting = store.sessions.pending_turns()
    assert waiting == [opened + n for n in range(1, 9)]
    later, _ = store.sessions.open_turn("two", said("user", "last", at=NOON))
    assert later == opened + 9
    assert store.sessions.append_messages("two", []).messages == ()


def test_a_turn_is_marked_as_extracted_once(store: Store) -> None:
    store.sessions.append_messages("A", [said("user", "one"), said("user", "two")])
    assert store.sessions.mark_extracted({1: 3}) == [1]
    assert store.sessions.mark_extracted({1: 3, 2: 0}) == [2]
    assert store.sessions.list_pending() == []
    assert store.sessions.count_turns() == {"open": 0, "pending": 0, "done": 2, "failed": 0}


def test_a_failure_is_noted_and_after_too_many_the_turn_waits_to_be_asked_for(store: Store) -> None:
    store.sessions.append_messages("A", [said("user", "one")])
    store.sessions.mark_failed([1], "server down", count=False)
    assert store.sessions.list_pending()[0].attempts == 0
    for attempt in range(MAX_ATTEMPTS):
        (exchange,) = store.sessions.list_pending()
        assert exchange.attempts == attempt
        store.sessions.mark_failed([1], "babble")
    assert store.sessions.list_pending() == []
    assert store.sessions.list_errors() == [(1, "A", MAX_ATTEMPTS, "babble")]
    assert store.sessions.retry_failed() == 1
    assert [e.id for e in store.sessions.list_pending()] == [1]


def test_fresh_turns_wait_before_those_that_failed(store: Store) -> None:
    store.sessions.append_messages("A", [said("user", str(n)) for n in range(4)])
    store.sessions.mark_failed([1], "babble")
    store.sessions.mark_failed([2], "down", count=False)
    assert store.sessions.pending_turns() == [3, 4, 2, 1]
    assert [e.id for e in store.sessions.list_pending(3)] == [3, 4, 2]
    assert store.sessions.get_turn(1) == ("pending", None, "babble")
    assert store.sessions.get_turn(9) is None


def test_a_blanked_message_keeps_its_place(store: Store) -> None:
    messages = store.sessions.append_messages(
        "A", [said("user", "secret"), said("user", "open")]
    ).messages
    assert store.sessions.redact_messages([messages[0].id]) == 1
    assert store.sessions.redact_messages([messages[0].id]) == 0
    assert [m.content for m in store.sessions.list_messages("A")] == ["", "open"]
    assert store.check() == []


def test_an_unknown_role_or_turn_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="'robot'"):
        store.sessions.append_messages("A", [said("robot", "hi")])
    with pytest.raises(NotFoundError, match="7"):
        store.sessions.append_to_turn(7, [said("user", "hi")])


def test_ensuring_a_session_twice_makes_one(store: Store) -> None:
    assert store.sessions.ensure_session("A", NOON) == store.sessions.ensure_session("A")
    assert store.sessions.get_session("A").created_at == NOON  # type: ignore[union-attr]
    assert store.sessions.get_session("B") is None


def test_any_text_is_kept_in_its_order(kind: Kind, tmp_path: Path) -> None:
    role = st.sampled_from(["user", "assistant", "tool", "system"])

    @given(st.lists(st.tuples(role, st.text()), max_size=8), st.text())
    def check(talk: list[tuple[str, str]], session: str) -> None:
        with fresh(kind, tmp_path) as store:
            drafts = [said(role, content) for role, content in talk]
            store.sessions.append_messages(session, drafts)
            kept = [(m.role, m.content) for m in store.sessions.list_messages(session)]
            assert kept == [(role, content.replace("\x00", "\ufffd")) for role, content in talk]
            assert store.check() == []

    check()


def test_a_message_tells_its_session_and_place_by_its_id(store: Store) -> None:
    for session in "ABA":
        store.sessions.append_messages(session, [said("user", "x"), said("assistant", "y")])
    ids = {s: [m.id for m in store.sessions.list_messages(s)] for s in "AB"}
    assert [n & (1 << SESSION_SHIFT) - 1 for n in ids["A"]] == [1, 2, 3, 4]
    assert len({n >> SESSION_SHIFT for n in ids["A"]}) == 1
    assert ids["A"][0] >> SESSION_SHIFT != ids["B"][0] >> SESSION_SHIFT


def test_messages_are_listed_by_turn_role_and_place(store: Store) -> None:
    first = store.sessions.append_messages(
        "A", [said("user", "1"), said("assistant", "2"), said("user", "3")]
    ).messages
    store.sessions.append_messages("B", [said("user", "4")])

    def contents(*given: str, **narrowed: Any) -> list[str]:
        return [m.content for m in store.sessions.list_messages(*given, **narrowed)]

    assert contents() == ["1", "2", "3", "4"]
    assert contents(turn=first[0].turn) == ["1", "2"]
    assert contents(role="user") == ["1", "3", "4"]
    assert contents("A", after=first[0].id) == ["2", "3"]
    assert contents("A", after=first[0].id, limit=1) == ["2"]
    assert contents(last=True, limit=2) == ["3", "4"]
    assert contents("A", last=True, role="user", limit=1) == ["3"]
    found = store.sessions.get_messages([first[1].id, 7])
    assert found == {first[1].id: first[1]}


def test_history_is_stored_as_it_is_said(store: Store) -> None:
    add = store.sessions.append_history
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    question = add("A", "user", "q", name="Ann", at=NOON, external_id="1")
    assert question is not None and (question.name, question.at) == ("Ann", NOON)
    asked = add("A", "assistant", None, tool_calls=[call])
    result = add("A", "tool", "42", tool_call_id="c")
    assert asked is not None and result is not None
    assert store.sessions.get_turn(question.turn) == ("open", None, None)
    answer = add("A", "assistant", "a")
    assert answer is not None
    assert {m.turn for m in (question, asked, result, answer)} == {question.turn}
    assert store.sessions.get_turn(question.turn) == ("pending", None, None)
    assert add("A", "user", "q", external_id="1") is None
    store.sessions.mark_extracted({question.turn: 0})
    add("A", "assistant", "and one more thing")
    assert store.sessions.get_turn(question.turn) == ("pending", 0, None)


def test_an_exchange_is_read_only_while_it_waits(store: Store) -> None:
    store.sessions.append_messages("A", [said("user", str(n)) for n in range(3)])
    store.sessions.mark_extracted({2: 0})
    assert [e.id for e in store.sessions.get_exchanges([3, 9, 2, 1])] == [3, 1]


def test_secrets_stay_in_the_history_alone(store: Store) -> None:
    secret = "The password is hunter22xy, and the boat is blue."
    message = store.sessions.append_messages("A", [said("user", secret)]).messages[0]
    assert store.sessions.list_messages("A")[0].content == secret
    seen = [
        store.sessions.list_messages("A", redacted=True)[0].content,
        store.sessions.get_messages([message.id], redacted=True)[message.id].content,
        store.sessions.list_pending()[0].messages[0].content,
        store.vectors.spoken([message.id])[0].text,
    ]
    assert len(set(seen)) == 1 and "hunter22xy" not in seen[0] and "boat" in seen[0]
    assert store.sessions.list_withheld("A") == [(secret, seen[0])]
    with store.snapshot():
        evidence = store.evidence(Scope())
        assert evidence.counts("message", [phrase("hunter22xy"), phrase("boat")]) == [0, 1]


def test_what_is_a_sessions_own_is_kept_and_not_found(store: Store) -> None:
    draft = said("user", "Note: blue. The boat is red.", recallable="The boat is red.")
    part, whole = store.sessions.append_messages("A", [draft, said("user", "green")]).messages
    store.sessions.withhold_messages([whole.id])
    assert store.sessions.list_withheld("A") == [
        ("Note: blue. The boat is red.", "The boat is red."),
        ("green", ""),
    ]
    assert store.sessions.list_withheld("missing") == []
    with store.snapshot():
        sought = [phrase("blue"), phrase("red"), phrase("green")]
        assert store.evidence(Scope()).counts("message", sought) == [0, 1, 0]
    assert [m.content for m in store.sessions.list_messages()] == [part.content, "green"]


def test_what_quotes_a_text_is_found(store: Store) -> None:
    quoted = 'the "blue" boat\n港'
    arguments = json.dumps({"text": quoted}, ensure_ascii=False)
    call = {"id": "c", "function": {"name": "f", "arguments": arguments}}
    messages = store.sessions.append_messages(
        "A",
        [
            said("user", f"I have {quoted}."),
            said("assistant", "", tool_calls=(call,)),
            said("tool", f"noted: {quoted}", tool_call_id="c"),
            said("assistant", f"You said {quoted}.", echo=True),
            said("assistant", f"So, {quoted}."),
        ],
    ).messages
    ids = [m.id for m in messages]
    assert sorted(store.sessions.quotes_of([quoted])) == ids[1:4]
    assert store.sessions.quotes_of(["never said"]) == []
    found = store.sessions.messages_with(quoted.upper().replace("港", "港"), "A")
    assert [m.id for m in found] == ids
    assert store.sessions.messages_with(quoted, "B") == []


def test_a_blanked_message_loses_its_text_everywhere(store: Store) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    drafts = [said("user", "The boat is blue."), said("assistant", "", tool_calls=(call,))]
    message, asked = store.sessions.append_messages("A", drafts).messages
    assert store.sessions.redact_messages([message.id, asked.id, 7]) == 2
    assert [(m.content, m.tool_calls) for m in store.sessions.list_messages("A")] == [("", ())] * 2
    with store.snapshot():
        assert store.evidence(Scope()).counts("message", [phrase("blue")]) == [0]


def test_a_summary_moves_on_only_from_where_it_was_read(store: Store) -> None:
    messages = store.sessions.append_messages(
        "A", [said("user", str(n)) for n in range(4)]
    ).messages
    assert store.sessions.get_summary("A") == ("", 0)
    done = Compaction("A", NOON, messages[1].id, 2, 20, 5)
    assert store.sessions.compact_session(done, "two", after=0)
    assert not store.sessions.compact_session(done, "again", after=0)
    assert store.sessions.get_summary("A") == ("two", messages[1].id)
    later = Compaction("A", NOON, messages[3].id, 2, 20, 9)
    assert store.sessions.compact_session(later, "four", after=messages[1].id)
    assert (
        store.sessions.list_compactions("A") == store.sessions.list_compactions() == [done, later]
    )
    assert store.sessions.list_compactions("B") == []
    with pytest.raises(NotFoundError, match="'B'"):
        store.sessions.compact_session(done._replace(session="B"), "x", after=0)


def test_a_summary_of_what_is_forgotten_is_taken_back(store: Store) -> None:
    for session in "AB":
        said_in = store.sessions.append_messages(session, [said("user", "1"), said("user", "2")])
        first, second = said_in.messages
        store.sessions.set_summary(session, "likes boats\nhas a blue berth")
        done = Compaction(session, NOON, first.id, 1, 9, 9)
        assert store.sessions.compact_session(done, "condensed", after=0)
    assert store.sessions.drop_summaries([second.id]) == []  # nothing covers it
    assert store.sessions.drop_summaries([first.id], ["has a blue berth"]) == ["B"]
    assert store.sessions.get_summary("B") == ("likes boats", 0)  # what was given, but for that
    assert store.sessions.get_summary("A")[0] == "condensed"
