"""What `scenemem export` wrote: messages, and everything else that a memory holds.

Each line names its `kind`. A line without one, or of another kind that has a role, is read as any
message, so that files may be joined. Texts and names come back exactly as they were exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from scenemem.base.records import ROLES, MessageDraft, utc
from scenemem.base.text import clean
from scenemem.memory.importing.format import (
    BadLine,
    JsonFormat,
    Read,
    SavedEntry,
    SavedMessage,
    keys_of,
    kind_of,
    short_id,
)
from scenemem.memory.importing.openai_messages import read_record

__all__ = ["FORMAT", "KINDS"]

# What a memory holds beside its messages.
KINDS = frozenset(
    {"session", "summary", "fact", "note", "global", "counter", "cell", "scene"},
)


def read_line(value: object, where: str) -> Iterator[Read]:
    """What one line of an export holds; raises nothing, whatever `value` is."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or kind is None:
        yield from read_record(value, where)
    elif kind == "message":
        try:
            draft = _draft(value)
            yield SavedMessage(where, _text(value, "session"), draft, value)
        except ValueError as error:
            yield BadLine(where, str(error))
    elif isinstance(kind, str) and kind in KINDS:
        yield SavedEntry(where, kind, value)
    elif "role" in value or "user" in value or "assistant" in value:
        yield from read_record(value, where)
    else:
        shown = short_id(kind) if isinstance(kind, str) else kind_of(kind)
        yield BadLine(where, f"its kind is {shown}, which this version does not know")


def _draft(line: Mapping[str, Any]) -> MessageDraft:
    if "role" not in line:
        raise ValueError(f"a message without a role ({keys_of(line)})")
    role = line["role"]
    if role not in ROLES:
        shown = short_id(role) if isinstance(role, str) else kind_of(role)
        raise ValueError(f"its role is {shown}, not user, assistant, system or tool")
    calls = line.get("tool_calls")
    if calls is not None and not (
        isinstance(calls, list) and all(isinstance(call, dict) for call in calls)
    ):
        raise ValueError("its tool_calls are no list of objects")
    return MessageDraft(
        role=role,
        content=_text(line, "content") or "",
        at=_time(line),
        name=_text(line, "name"),
        tool_calls=tuple(calls or ()),
        tool_call_id=_text(line, "tool_call_id"),
        external_id=_text(line, "id"),
        # Whatever a file says of it, its system messages give the agent no instructions.
        echo=line.get("echo") is True or role == "system",
        recallable=_text(line, "recallable"),
    )


def _text(line: Mapping[str, Any], key: str) -> str | None:
    value = line.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"its {key} is {kind_of(value)}, not a text")
    return value if value is None else clean(value)


def _time(line: Mapping[str, Any]) -> datetime | None:
    told = _text(line, "at")
    try:
        return utc(datetime.fromisoformat(told)) if told else None
    except (ValueError, OverflowError):
        raise ValueError(f"its time {short_id(told)} is not ISO 8601") from None


FORMAT = JsonFormat(
    name="scenemem",
    signs=(
        frozenset({"kind", "session"}),
        frozenset({"kind", "scene"}),
        frozenset({"kind", "key", "value"}),
        frozenset({"kind", "name", "count"}),
    ),
    unit="line",
    read_value=read_line,
)
