"""A session's messages as the chat API wants them: one system message, tool calls with results.

Servers refuse a whole request for a tool result without its call, a call without its result, or a
second system message. A session can hold all of these (a crash between call and result, an import),
so they are mended here, and no request fails for them for ever. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenemem.records import Message
from scenemem.text import shorten

__all__ = ["chat_messages", "history_text"]

_TOOL_TEXT = 600  # characters of a tool's result in a text for condensing


def chat_messages(system: str, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The chat to send: the system message first, with the session's own system messages in it."""
    notes = [m.content for m in messages if m.role == "system" and m.content.strip()]
    first = "\n\n".join(part for part in (system, *notes) if part)
    chat: list[dict[str, Any]] = [{"role": "system", "content": first}] if first else []
    answered = {m.tool_call_id for m in messages if m.role == "tool"}
    open_calls: set[str] = set()
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id in open_calls:
                open_calls.discard(message.tool_call_id)
                chat.append(
                    {
                        "role": "tool",
                        "tool_call_id": message.tool_call_id,
                        "content": message.content,
                    }
                )
        elif message.role != "system":
            calls = [call for call in message.tool_calls if call.get("id") in answered]
            open_calls = {str(call["id"]) for call in calls}
            chat += _spoken(message, calls)
    return chat


def _spoken(message: Message, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if calls:
        return [{"role": message.role, "content": message.content or None, "tool_calls": calls}]
    if not message.content.strip():
        return []
    return [{"role": message.role, "content": message.content}]


def history_text(message: Message) -> str:
    """What a message says, for condensing: tool calls and the beginnings of results included."""
    if message.role == "tool":
        return shorten(message.content, _TOOL_TEXT)
    called = [
        f"[calls {call['function'].get('name')}({call['function'].get('arguments')})]"
        for call in message.tool_calls
        if isinstance(call.get("function"), dict)
    ]
    return "\n".join(part for part in (message.content.strip(), *called) if part)
