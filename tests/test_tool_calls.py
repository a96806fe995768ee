"""Tool calls as they stand in a history, whoever made them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conftest import Run

from scenemem import MemoryDB
from scenemem.base.records import Message
from scenemem.base.tool_calls import asked_of, made_calls

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


def test_calls_of_one_step_find_their_results_by_id_and_with_one_id_in_order() -> None:
    step = [
        asked(call("a", call_id="1"), call("b", call_id="2"), call("c", call_id="x"),
              call("d", call_id="x")),
        result("two", "2"), result("one", "1"), result("three", "x"), result("four", "x"),
    ]  # fmt: skip
    assert [(made.tool, made.result) for _, made in made_calls(step)] == [
        ("a", "one"),
        ("b", "two"),
        ("c", "three"),
        ("d", "four"),
    ]


def test_arguments_are_shown_as_they_are_written() -> None:
    assert asked_of(call("search", '{"q":  "tea"}')) == ("search", '{"q":  "tea"}')
    assert asked_of({"custom": {"name": "shell", "input": "ls -l"}}) == ("shell", "ls -l")
    assert asked_of({"name": "search", "input": {"q": "Tee für Käte"}}) == (
        "search",
        '{"q": "Tee für Käte"}',
    )


def test_a_history_with_calls_of_other_shapes_is_shown(run: Run, path: Path) -> None:
    foreign: list[dict[str, Any]] = [
        call("search", '{"q": "tea"}'),
        {"type": "custom", "custom": {"name": "shell", "input": "ls -l"}},
        {"id": "x", "function": None},
    ]
    with MemoryDB(path) as db:
        db.sessions.append_history("A", "user", "Search.", at=AT)
        db.sessions.append_history("A", "assistant", "", at=AT, tool_calls=foreign)
    shown = run("-d", str(path), "history", "A")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert 'search({"q": "tea"})' in shown.stdout and "shell(ls -l)" in shown.stdout
