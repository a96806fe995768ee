"""Whatever a session holds, its request is one that servers take; calls out of odd streams."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scripted_server import Act, Received, ScriptedServer, says, streams, tool_call
from test_agent import assert_valid

from scenemem import MemoryDB, MemoryManager, ModelEngine, OpenAIChat, WorkerAgent
from scenemem.base.records import Message
from scenemem.engines.openai.chat import Completion, StreamReader
from scenemem.engines.openai.prompts import chat_messages, history_text
from scenemem.testing import cells_json

NOON = datetime(2026, 5, 12, 12, tzinfo=UTC)


def said(role: Any, content: str = "", **more: Any) -> Message:
    return Message(1, "A", 1, role, content, NOON, **more)


def calls(*named: tuple[str, str]) -> tuple[dict[str, Any], ...]:
    return tuple(tool_call(name, "{}", call_id) for call_id, name in named)


def sent(*messages: Message) -> list[dict[str, Any]]:
    """The messages of the request but for the system message; all of it is valid."""
    chat = chat_messages("Be kind.", messages)
    check(chat)
    return chat[1:]


def check(chat: list[dict[str, Any]]) -> None:
    assert_valid(chat)
    json.dumps(chat, allow_nan=False)
    ids = [call["id"] for message in chat for call in message.get("tool_calls", ())]
    assert len(set(ids)) == len(ids) and all(ids)
    for message in chat:
        assert message["role"] == "assistant" or "tool_calls" not in message
        assert isinstance(message["content"], str) or message["tool_calls"]
        for call in message.get("tool_calls", ()):
            assert call.keys() == {"id", "type", "function"} and call["type"] == "function"
            assert call["function"].keys() == {"name", "arguments"}
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])


# -- results and their calls ---------------------------------------------------------------------


def test_an_id_that_was_answered_in_another_turn_answers_nothing_in_this_one() -> None:
    chat = sent(
        said("user", "What time is it?"),
        said("assistant", tool_calls=calls(("call_1", "clock"))),
        said("tool", "noon", tool_call_id="call_1"),
        said("assistant", "Noon."),
        said("user", "And now?"),
        said("assistant", "Let me look.", tool_calls=calls(("call_1", "clock"))),
        said("user", "Well?"),
    )
    assert [m["role"] for m in chat] == [
        "user", "assistant", "tool", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert chat[5] == {"role": "assistant", "content": "Let me look."}


def test_a_result_after_another_message_answers_nothing() -> None:
    chat = sent(
        said("assistant", "One moment.", tool_calls=calls(("a", "clock"))),
        said("user", "Well?"),
        said("tool", "noon", tool_call_id="a"),
    )
    assert [m.get("tool_calls") for m in chat] == [None, None]


def test_a_system_message_between_a_call_and_its_result_parts_them_not() -> None:
    chat = sent(
        said("assistant", tool_calls=calls(("a", "clock"))),
        said("system", "Be brief."),
        said("tool", "noon", tool_call_id="a"),
    )
    assert [m["role"] for m in chat] == ["assistant", "tool"]


def test_calls_of_one_id_get_ids_of_their_own_and_keep_their_results() -> None:
    turn = (
        said("assistant", tool_calls=calls(("a", "clock"), ("a", "date"), ("a_2", "day"))),
        said("tool", "noon", tool_call_id="a"),
        said("tool", "12 May", tool_call_id="a"),
        said("tool", "Tuesday", tool_call_id="a_2"),
    )
    chat = sent(*turn, *turn)
    made = [call for m in chat for call in m.get("tool_calls", ())]
    results = {m["tool_call_id"]: m["content"] for m in chat if m["role"] == "tool"}
    assert [(call["function"]["name"], results[call["id"]]) for call in made] == [
        ("clock", "noon"), ("date", "12 May"), ("day", "Tuesday"),
    ] * 2  # fmt: skip
    assert chat_messages("Be kind.", turn) == chat_messages("Be kind.", turn * 2)[:5]


def test_a_call_without_a_result_is_left_out_and_its_neighbour_stays() -> None:
    chat = sent(
        said("assistant", tool_calls=calls(("a", "clock"), ("b", "date"))),
        said("tool", "12 May", tool_call_id="b"),
        said("tool", "again", tool_call_id="b"),
        said("tool", "whose?"),
    )
    assert [call["id"] for call in chat[0]["tool_calls"]] == ["b"]
    assert chat[1:] == [{"role": "tool", "tool_call_id": "b", "content": "12 May"}]


# -- calls of any shape --------------------------------------------------------------------------


def call_sent(call: Any) -> dict[str, Any] | None:
    chat = sent(said("assistant", "x", tool_calls=(call,)), said("tool", "y", tool_call_id="a"))
    return next((call["function"] for m in chat for call in m.get("tool_calls", ())), None)


def test_a_call_of_no_known_shape_is_left_out() -> None:
    shapes: tuple[Any, ...] = (
        {}, {"id": "a"}, {"id": "a", "function": None}, {"id": "a", "function": "clock"},
        {"id": None, "function": {"name": "clock"}}, {"function": {"name": "clock"}},
        {"id": "", "function": {"name": "clock"}}, {"id": ["a"], "function": {}}, "a", None,
    )  # fmt: skip
    for shape in shapes:
        assert call_sent(shape) is None, shape
        assert isinstance(history_text(said("assistant", "x", tool_calls=(shape,))), str)


def test_a_call_without_a_name_is_one_of_an_unknown_tool() -> None:
    for name in ("", "  ", None, 3, "MISSING"):
        function = {} if name == "MISSING" else {"name": name}
        assert call_sent({"id": "a", "function": function}) == {
            "name": "unknown",
            "arguments": "{}",
        }
    named = call_sent({"id": "a", "function": {"name": "my tool.now" + "x" * 80}})
    assert named is not None and named["name"].startswith("my_tool_nowxx")


def test_arguments_are_sent_as_an_object_or_not_at_all() -> None:
    for told, is_sent in (
        ('{"a": 1}', '{"a": 1}'), ({"a": "é"}, '{"a": "é"}'), ('{"a": ', "{}"), ("[1]", "{}"),
        (None, "{}"), (5, "{}"), ("", "{}"), ("[" * 100_000, "{}"),
    ):  # fmt: skip
        made = call_sent({"id": "a", "function": {"name": "clock", "arguments": told}})
        assert made == {"name": "clock", "arguments": is_sent}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
ids = st.sampled_from(["a", "a_2", "a_2_2", "b", "", None, 1])
functions = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["clock", "", "two words", None, 7]),
        "arguments": st.sampled_from(["{}", '{"a": 1}', "[", "", None]) | json_values,
    },
)
call_shapes = json_values | st.fixed_dictionaries(
    {"type": st.just("function")}, optional={"id": ids, "function": functions | json_values}
)
histories = st.lists(
    st.builds(
        lambda role, content, made, call_id: said(
            role, content, tool_calls=tuple(made), tool_call_id=call_id
        ),
        st.sampled_from(["user", "assistant", "tool", "tool", "system"]),
        st.sampled_from(["", " ", "hello"]) | st.text(max_size=5),
        st.lists(call_shapes, max_size=4),
        st.sampled_from(["a", "a_2", "a_2_2", "b", "", None]),
    ),
    max_size=12,
)


@given(messages=histories)
def test_a_history_of_any_shape_is_a_valid_request(messages: Sequence[Message]) -> None:
    sent(*messages)
    assert all(isinstance(history_text(message), str) for message in messages)


# -- with a server -------------------------------------------------------------------------------


def test_a_session_with_calls_of_every_kind_goes_on(db: MemoryDB) -> None:
    sessions = db.sessions
    sessions.append_history("A", "user", "What time is it?")
    for content in ("noon", ""):
        sessions.append_history("A", "assistant", "", tool_calls=calls(("call_1", "")))
        if content:
            sessions.append_history("A", "tool", content, tool_call_id="call_1")
    asked: list[Received] = []

    def act(received: Received) -> Act:
        if "tools" not in received.body:
            return says(cells_json())
        asked.append(received)
        check(received.messages)
        return says("Here.")

    with ScriptedServer(act=act) as server:
        chat = OpenAIChat("tiny", base_url=server.base_url, sleep=lambda _: None)
        agent = WorkerAgent(db, MemoryManager(db, ModelEngine(chat)))
        assert agent.answer("Are you there?", "A") == "Here."
    assert [m["role"] for m in asked[0].messages] == [
        "system", "user", "assistant", "tool", "user",
    ]  # fmt: skip


# -- calls that come in a stream -----------------------------------------------------------------


def streamed(*pieces: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The id, name and arguments of the calls that the real client gets out of these pieces."""
    deltas = [{"tool_calls": [piece]} for piece in pieces]
    with ScriptedServer(streams(*deltas, finish_reason="tool_calls")) as server:
        chat = OpenAIChat("tiny", base_url=server.base_url, sleep=lambda _: None)
        *_, last = chat.stream([{"role": "user", "content": "Count."}], tools=[TOOL])
    assert isinstance(last, Completion)
    return [
        (call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in last.tool_calls
    ]


TOOL = {"type": "function", "function": {"name": "sum", "parameters": {"type": "object"}}}


def piece(
    arguments: str | None, name: str | None = None, call_id: str | None = None, **more: Any
) -> dict[str, Any]:
    return {"id": call_id, "function": {"name": name, "arguments": arguments}, **more}


def test_whole_calls_that_all_have_index_0_stay_apart() -> None:
    both = [("a", "sum", '{"x": 1}'), ("b", "sum", '{"x": 2}')]
    assert streamed(*(piece(text, name, i, index=0) for i, name, text in both)) == both
    empty = [("a", "sum", ""), ("b", "sum", "")]
    assert streamed(*(piece(text, name, i, index=0) for i, name, text in empty)) == empty
    nameless = streamed(*(piece(text, name, index=0) for _, name, text in both))
    assert nameless == [("", "sum", '{"x": 1}'), ("", "sum", '{"x": 2}')]


def test_whole_calls_without_an_index_stay_apart_and_pieces_go_on() -> None:
    assert streamed(piece("", "sum"), piece("{}", "count"), piece("{}", "count")) == [
        ("", "sum", ""), ("", "count", "{}"), ("", "count", "{}"),
    ]  # fmt: skip
    assert streamed(piece('{"x":', "sum", "a"), piece(" 1}")) == [("a", "sum", '{"x": 1}')]


def test_a_name_that_is_repeated_in_each_piece_is_one_name() -> None:
    pieces = [piece(text, "sum", "a", index=0) for text in ("", '{"x"', ": 1}", "")]
    assert streamed(*pieces) == [("a", "sum", '{"x": 1}')]


def test_a_name_in_pieces_is_put_together() -> None:
    pieces = [piece("", "su", "a", index=0), piece("{}", "m", index=0)]
    assert streamed(*pieces) == [("a", "sum", "{}")]


def test_an_id_made_up_for_every_piece_makes_no_new_call() -> None:
    pieces = [
        piece("", "sum", "a", index=0), piece('{"x"', None, "b", index=0),
        piece(": 1}", None, "c", index=0), piece("", None, "d", index=0),
    ]  # fmt: skip
    assert streamed(*pieces) == [("a", "sum", '{"x": 1}')]


def test_calls_whose_pieces_come_in_turns_are_put_together_by_their_index() -> None:
    pieces = [
        piece("", "sum", "a", index=0), piece("", "count", "b", index=1),
        piece('{"x": ', index=0), piece("{", index=1), piece("1}", index=0), piece("}", index=1),
    ]  # fmt: skip
    assert streamed(*pieces) == [("a", "sum", '{"x": 1}'), ("b", "count", "{}")]


@given(
    pieces=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "index": st.integers(0, 2) | st.none() | st.text(max_size=2),
                "id": st.sampled_from(["a", "b", "", None, 4]),
                "function": functions | st.none(),
            },
        ),
        max_size=8,
    )
)
def test_pieces_of_any_shape_become_calls_of_the_chat_apis_shape(pieces: list[Any]) -> None:
    reader = StreamReader()
    for each in pieces:
        reader.read({"choices": [{"delta": {"tool_calls": [each]}}]})
    for call in reader.completion().tool_calls:
        assert all(isinstance(call["function"][key], str) for key in ("name", "arguments"))
        assert isinstance(call["id"], str)
