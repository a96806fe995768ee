"""OpenAI-style messages (`role`, `content`) and `{user, assistant}` pairs, as records.

A record is a line of a JSONL file or an element of a list: a message, a pair, or a conversation
with its `messages`; each is told by its keys, so a file may mix them. Tool calls and tool results
are kept as such. Of a content list its texts are taken; a message of nothing but pictures or files
says so in brackets (`[image]`), since the answer to it would otherwise answer the message before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from scenemem.base.checks import quoted
from scenemem.base.records import MessageDraft, Role
from scenemem.base.text import clean
from scenemem.memory.importing.format import (
    ROLE_WORDS,
    BadLine,
    Conversation,
    JsonFormat,
    Read,
    Said,
    SessionMessage,
    first_name,
    keys_of,
    kind_of,
    short_id,
)
from scenemem.memory.importing.json_values import BadJson, what_is_wrong
from scenemem.memory.importing.times import TIME_KEYS, read_time, told_time

ID_KEYS = ("id", "message_id", "uuid")
_TIMES = (datetime, str, int, float)
SESSION_KEYS = ("session", "session_id", "conversation_id")
CONVERSATION_KEYS = (*SESSION_KEYS, "id", "uuid")
_TITLE_KEYS = ("title", "name")
_DEEPEST_CALL = 40
# What parts stand for when a message has no text at all, by a word in their type.
_PART_KINDS = ("image", "audio", "video", "file")


def read_record(value: object, where: str) -> Iterator[Read]:
    """What one record holds; raises nothing, whatever `value` is."""
    if isinstance(value, list):
        yield Conversation(tuple(_read_messages(value, where)))
    elif not isinstance(value, dict):
        if value is not None:
            yield BadLine(where, what_is_wrong(value))
    elif isinstance(value.get("messages"), list):
        yield _read_conversation(value, where)
    else:
        session = first_name(value, SESSION_KEYS)
        for item in _read_said(value, where):
            yield item if isinstance(item, BadLine) else SessionMessage(session, item)


def read_message(message: Mapping[str, Any]) -> MessageDraft | None:
    """One message in OpenAI's form as a draft; None for one that holds nothing.

    Raises `ValueError` for what is no message.
    """
    if "role" not in message:
        raise ValueError(f"a message must have a role, got one with {keys_of(message)}")
    for item in _read_message(message, "the message"):
        if isinstance(item, MessageDraft):
            return item
        if item.lost:
            raise ValueError(str(item))
    return None


def check_times(message: Mapping[str, Any]) -> None:
    """Raise `TypeError` or `ValueError` for a time that tells none.

    In a file, a bad time is passed over and reported; in a call, it is the caller's mistake.
    """
    for key in TIME_KEYS:
        value = message.get(key)
        wrong = (
            f"{key} must be a datetime, an ISO 8601 string or an epoch number, got {quoted(value)}"
        )
        if value is not None and (isinstance(value, bool) or not isinstance(value, _TIMES)):
            raise TypeError(wrong)
        try:
            read_time(value)
        except ValueError as error:
            raise ValueError(wrong) from error


def _read_conversation(record: Mapping[str, Any], where: str) -> Conversation:
    at, bad = told_time(record, where)
    return Conversation(
        items=(*bad, *_read_messages(record["messages"], where)),
        session=first_name(record, CONVERSATION_KEYS),
        title=first_name(record, _TITLE_KEYS) or "",
        at=at,
    )


def _read_messages(messages: list[Any], where: str) -> Iterator[Said]:
    for number, message in enumerate(messages, 1):
        place = f"{where}, message {number}"
        if isinstance(message, dict):
            yield from _read_said(message, place)
        elif message is not None:
            yield BadLine(place, what_is_wrong(message))


def _read_said(record: Mapping[str, Any], where: str) -> Iterator[Said]:
    """The message, or the two messages of a pair, that an object holds."""
    if "role" in record:
        yield from _read_message(record, where)
    elif "user" in record or "assistant" in record:
        yield from _read_pair(record, where)
    else:
        yield BadLine(where, f"neither a message nor a pair ({keys_of(record)})")


def _read_message(record: Mapping[str, Any], where: str) -> Iterator[Said]:
    role = _role(record["role"])
    if role is None:
        told = record["role"]
        shown = short_id(told) if isinstance(told, str) else kind_of(told)
        yield BadLine(where, f"its role is {shown}, not user, assistant, system or tool")
        return
    try:
        calls = _tool_calls(record)
        content = _content(record)
    except BadJson as bad:
        yield BadLine(where, str(bad))
        return
    at, bad_times = told_time(record, where)
    yield from bad_times
    if content.strip() or calls:
        yield MessageDraft(
            role=role,
            content=content,
            at=at,
            name=first_name(record, ("name",)),
            tool_calls=calls,
            tool_call_id=first_name(record, ("tool_call_id",)),
            external_id=first_name(record, ID_KEYS),
        )


def _role(value: object) -> Role | None:
    return ROLE_WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _content(record: Mapping[str, Any]) -> str:
    if "content" in record:
        return text_of(record["content"])
    if isinstance(record.get("text"), str):
        return clean(record["text"])
    if "tool_calls" in record or "function_call" in record:
        return ""
    raise BadJson("it has no content")


def text_of(content: object) -> str:
    """The text of a message's content: a string, null, one part or a list of parts.

    Raises `BadJson` for anything else.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return clean(content)
    texts: list[str] = []
    kinds: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict):
            texts.append(_part_text(part))
            kinds.extend(_part_kinds(part))
        elif isinstance(part, str):
            texts.append(part)
        elif part is not None:
            raise BadJson(f"its content holds {kind_of(part)}")
    texts = [text for text in texts if text.strip()]
    return clean("\n".join(texts)) if texts else " ".join(kinds)


def _part_text(part: Mapping[str, Any]) -> str:
    for key in ("text", "refusal", "transcript"):
        text = part.get(key)
        if isinstance(text, dict):
            text = text.get("value")
        if isinstance(text, str):
            return text
    audio = part.get("input_audio") or part.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, dict) else None
    return transcript if isinstance(transcript, str) else ""


def _part_kinds(part: Mapping[str, Any]) -> Iterator[str]:
    told = part.get("type")
    if isinstance(told, str):
        yield from (f"[{kind}]" for kind in _PART_KINDS if kind in told)


def _tool_calls(record: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    told = record.get("tool_calls")
    calls = list(told) if isinstance(told, list) else []
    if isinstance(record.get("function_call"), dict):  # the form before tool calls
        calls.append({"type": "function", "function": record["function_call"]})
    cleaned = []
    for call in calls:
        if isinstance(call, str):
            call = {"id": call}
        if isinstance(call, dict):
            cleaned.append({clean(key): _cleaned(value) for key, value in call.items()})
    return tuple(cleaned)


def _cleaned(value: Any, depth: int = 1) -> Any:
    """A JSON value whose texts can all be stored."""
    if isinstance(value, str):
        return clean(value)
    if not isinstance(value, list | dict):
        return value
    if depth > _DEEPEST_CALL:
        raise BadJson("its tool calls are nested too deeply")
    if isinstance(value, list):
        return [_cleaned(element, depth + 1) for element in value]
    return {clean(key): _cleaned(element, depth + 1) for key, element in value.items()}


def _read_pair(record: Mapping[str, Any], where: str) -> Iterator[Said]:
    at, bad_times = told_time(record, where)
    yield from bad_times
    own_id = first_name(record, ID_KEYS)
    sides: tuple[Role, Role] = ("user", "assistant")
    for role in sides:
        try:
            content = text_of(record.get(role))
        except BadJson as bad:
            yield BadLine(where, f"{role}: {bad}")
            continue
        if content.strip():
            external_id = f"{own_id}:{role}" if own_id else None
            yield MessageDraft(role, content, at, external_id=external_id)


MESSAGES = JsonFormat(
    name="messages",
    signs=(
        frozenset({"role"}),
        frozenset({"messages"}),
    ),
    unit="message",
    read_value=read_record,
)


PAIRS = JsonFormat(
    name="pairs",
    signs=(
        frozenset({"user"}),
        frozenset({"assistant"}),
    ),
    unit="pair",
    read_value=read_record,
)
