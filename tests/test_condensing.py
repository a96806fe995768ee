"""A session's notes without a model: what came of tool calls, whoever wrote them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.loss_check import count_words
from scenemem.base.records import Message
from scenemem.engines.rules.condensing import CONDENSED_WORDS, condense

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def message(role: Any, content: str = "", **more: Any) -> Message:
    return Message(1, "s", 1, role, content, AT, **more)


def call(name: str, arguments: str = "{}", call_id: str = "call_1") -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def asked(*calls: Any) -> Message:
    return message("assistant", tool_calls=calls)


def result(content: str, call_id: str | None = "call_1") -> Message:
    return message("tool", content, tool_call_id=call_id)


def test_a_result_belongs_to_the_call_right_before_it_where_every_turn_repeats_the_id() -> None:
    notes = condense(
        [
            asked(call("calculator", '{"expression": "2+2"}')),
            result("4"),
            message("user", "And the ferry?"),
            asked(call("ferry_times", '{"harbour": "Kiel"}')),
            result("9:00 and 14:00"),
        ],
        "",
    )
    assert "- calculator(2+2) gave 4\n" in notes
    assert "- ferry_times(Kiel) gave 9:00 and 14:00" in notes


def test_a_call_without_a_result_is_noted_as_called() -> None:
    assert condense([asked(call("ferry_times", '{"harbour": "Kiel"}'))], "") == (
        "- ferry_times(Kiel) was called"
    )


@pytest.mark.parametrize(
    ("foreign", "told"),
    [
        ({}, "a tool() gave done"),
        ({"id": None, "function": None}, "a tool() gave done"),
        ({"function": "search"}, "a tool() gave done"),
        ({"function": {"arguments": '{"q": "tea"}'}}, "a tool(tea) gave done"),
        ({"function": {"name": "search", "arguments": {"q": "tea"}}}, "search(tea) gave done"),
        ({"function": {"name": "search", "arguments": "[1]"}}, "search() gave done"),
        ({"function": {"name": 7, "arguments": None}}, "a tool() gave done"),
        ({"type": "custom", "custom": {"name": "shell", "input": "ls"}}, "shell() gave done"),
        ({"name": "search", "arguments": '{"q": "tea"}'}, "search(tea) gave done"),
        ({"name": "search", "input": {"q": "tea"}}, "search(tea) gave done"),
    ],
)
def test_calls_of_other_shapes_are_noted_as_far_as_they_tell(
    foreign: dict[str, Any], told: str
) -> None:
    assert condense([asked(foreign), result("done", None)], "") == f"- {told}"


def test_notes_without_new_messages_stay() -> None:
    assert condense([], "- The barn is red.\n- The boiler is old.") == (
        "- The barn is red.\n- The boiler is old."
    )


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=6), inner, max_size=2)
    ),
    max_leaves=4,
)
CALLS = st.one_of(
    st.dictionaries(st.sampled_from(["id", "type", "function", "custom", "name"]), JSON),
    st.fixed_dictionaries({"function": st.dictionaries(
        st.sampled_from(["name", "arguments"]), JSON)}),
)  # fmt: skip


@given(
    st.lists(
        st.one_of(
            st.lists(CALLS, max_size=2).map(lambda calls: asked(*calls)),
            st.text(max_size=40).map(lambda text: result(text, text[:2] or None)),
            st.text(max_size=40).map(lambda text: message("user", text)),
        ),
        max_size=5,
    ),
    st.text(max_size=40),
)
def test_any_history_is_condensed_within_the_limit(history: list[Message], before: str) -> None:
    notes = condense(history, before)
    assert sum(count_words(line) for line in notes.splitlines()) <= CONDENSED_WORDS
    assert condense(history, before) == notes
