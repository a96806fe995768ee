"""A session's messages as the chat API wants them: one system message, tool calls with results.

Servers refuse a whole request for a tool result without its call, a call without its result, two
calls of one id, a call without a name, or a second system message. A session can hold all of these
(a crash between call and result, a server that gives every call the same id, an import), so they
are mended here, and no request fails for them for ever. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from scenemem.base.records import Message
from scenemem.base.text import shorten

__all__ = ["chat_messages", "history_text"]

_TOOL_TEXT = 600  # characters of a tool's result in a text for condensing
_NAMELESS = "unknown"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64  # characters


class _Call(NamedTuple):
    """A call as it may be sent; its id may be another's too."""

    id: str
    name: str
    arguments: str


def chat_messages(system: str, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The chat to send: the system message first, with the session's own system messages in it."""
    notes = [m.content for m in messages if m.role == "system" and m.content.strip()]
    first = "\n\n".join(part for part in (system, *notes) if part)
    chat: list[dict[str, Any]] = [{"role": "system", "content": first}] if first else []
    taken: set[str] = set()
    for message, results in _with_results(messages):
        chat += _spoken(message, _answered(message, results, taken))
    return chat


def history_text(message: Message) -> str:
    """What a message says, for condensing: tool calls and the beginnings of results included."""
    if message.role == "tool":
        return shorten(message.content, _TOOL_TEXT)
    called = [
        f"[calls {call['function'].get('name')}({call['function'].get('arguments')})]"
        for call in message.tool_calls
        if isinstance(call, Mapping) and isinstance(call.get("function"), Mapping)
    ]
    return "\n".join(part for part in (message.content.strip(), *called) if part)


def _with_results(messages: Sequence[Message]) -> Iterator[tuple[Message, list[Message]]]:
    """Each message of the user and the assistant, with the tools' results that follow it."""
    spoken: Message | None = None
    results: list[Message] = []
    for message in messages:
        if message.role == "tool":
            results.append(message)
        elif message.role != "system":
            if spoken is not None:
                yield spoken, results
            spoken, results = message, []
    if spoken is not None:
        yield spoken, results


def _answered(
    message: Message, results: Sequence[Message], taken: set[str]
) -> list[tuple[_Call, str]]:
    """The calls of a message that have a result, under ids of their own, each with its result."""
    if message.role != "assistant":
        return []
    waiting = list(_calls_of(message))
    answers: dict[int, str] = {}
    for result in results:
        for place, call in enumerate(waiting):
            if place not in answers and call.id == result.tool_call_id:
                answers[place] = result.content
                break
    return [
        (waiting[place]._replace(id=_own_id(waiting[place].id, taken)), answers[place])
        for place in sorted(answers)
    ]


def _own_id(told: str, taken: set[str]) -> str:
    """The id, or one made from it that no other call of the request has; it is taken then."""
    spellings = (told if number == 1 else f"{told}_{number}" for number in count(1))
    own = next(spelling for spelling in spellings if spelling not in taken)
    taken.add(own)
    return own


def _calls_of(message: Message) -> Iterator[_Call]:
    """The calls that can be read as such, of whatever shape they are."""
    for call in message.tool_calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        call_id = call.get("id") if isinstance(function, Mapping) else None
        if isinstance(function, Mapping) and isinstance(call_id, str) and call_id:
            yield _Call(
                call_id,
                _sent_name(function.get("name")),
                _sent_arguments(function.get("arguments")),
            )


def _sent_name(name: object) -> str:
    """A name that servers take: a model may have called what there is not."""
    told = name.strip() if isinstance(name, str) else ""
    return _NOT_IN_A_NAME.sub("_", told)[:_LONGEST_NAME] or _NAMELESS


def _sent_arguments(arguments: object) -> str:
    """JSON text of an object: servers refuse a history that holds anything else."""
    try:
        if isinstance(arguments, Mapping):
            return json.dumps(arguments, ensure_ascii=False)
        if isinstance(arguments, str) and isinstance(json.loads(arguments), dict):
            return arguments
    except (TypeError, ValueError, RecursionError):
        pass  # no JSON: what was asked can't be told
    return "{}"


def _spoken(message: Message, calls: Sequence[tuple[_Call, str]]) -> list[dict[str, Any]]:
    if not calls:
        if not message.content.strip():
            return []
        return [{"role": message.role, "content": message.content}]
    sent = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call, _ in calls
    ]
    return [
        {"role": message.role, "content": message.content or None, "tool_calls": sent},
        *({"role": "tool", "tool_call_id": call.id, "content": text} for call, text in calls),
    ]
