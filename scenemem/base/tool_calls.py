"""Tool calls as they stand in a history, whoever made them: the tool, its arguments, the result.

Engines, servers and other programs write calls in their own ways: with a "function", as in the chat
API, or a "custom" in its place, or with a name and arguments of the call itself; with ids that are
missing, or the same in every turn. None of it is an error here: what is not told is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scenemem.base.records import Message

__all__ = ["MadeCall", "asked_of", "made_calls"]


class MadeCall(NamedTuple):
    """A call that was made: `result` is None where none came. `arguments` are empty where they
    are no JSON object."""

    id: str
    tool: str
    arguments: dict[str, Any]
    result: str | None


def asked_of(call: Mapping[str, Any]) -> tuple[str, str]:
    """The name of the tool that a call asks for, and its arguments as they are written."""
    inner = call.get("function", call.get("custom"))
    asked = inner if isinstance(inner, Mapping) else call
    name = asked.get("name")
    given = asked.get("arguments", asked.get("input"))
    if given is not None and not isinstance(given, str):
        given = json.dumps(given, ensure_ascii=False, default=str)
    return name if isinstance(name, str) else "", given or ""


def made_calls(messages: Sequence[Message]) -> Iterator[tuple[int, MadeCall]]:
    """The calls of the messages in order, each with the place of the message that makes it.

    A call's result is looked for among the tool messages right behind it.
    """
    for place, message in enumerate(messages):
        if not message.tool_calls:
            continue
        results = list(_results_behind(messages, place))
        for call in message.tool_calls:
            call_id = str(call.get("id") or "")
            found = next((r for r in results if (r.tool_call_id or "") == call_id), None)
            if found is not None:
                results.remove(found)  # the next call may have the same id
            tool, given = asked_of(call)
            result = None if found is None else found.content
            yield place, MadeCall(call_id, tool, _as_object(given), result)


def _results_behind(messages: Sequence[Message], place: int) -> Iterator[Message]:
    for message in messages[place + 1 :]:
        if message.role != "tool":
            return
        yield message


def _as_object(arguments: str) -> dict[str, Any]:
    try:
        read = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}
