"""What importing hands out (messages with their session, bad lines) and what format readers make.

A reader turns one source value into drafts and bad lines; where the source keeps conversations
whole, it makes a `Conversation`. Readers say what the source says and no more: missing sessions,
times and ids are filled in by `registering.py`, the same way for every format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scenemem.base.records import MessageDraft, Role
from scenemem.base.text import clean, shorten

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message and the session it belongs to; its draft has an `external_id`."""

    session: str
    draft: MessageDraft


@dataclass(frozen=True, slots=True)
class BadLine:
    """A part of a file that could not be read as it should.

    `where` names the place ("line 17", "conversation 3, message 'abc'"), `reason` says what is
    wrong with it. When `lost` is false it was imported all the same, as `reason` tells.
    """

    where: str
    reason: str
    lost: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class NotebookEntry:
    """A line of our own export that holds no message but what was written down.

    `kind` is "fact", "note", "global" or "counter"; `entry` is the whole line.
    """

    kind: str
    entry: Mapping[str, Any]


Imported = ImportedMessage | BadLine | NotebookEntry
Said = MessageDraft | BadLine


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message that stands alone in its file, with the session it names, if it names one."""

    session: str | None
    draft: MessageDraft


@dataclass(frozen=True, slots=True)
class Conversation:
    """A whole conversation as its source tells it, its messages in order.

    `session` is its own id, `at` when it began; both None when the source tells none.
    """

    items: tuple[Said, ...]
    session: str | None = None
    title: str = ""
    at: datetime | None = None


Read = SessionMessage | Conversation | BadLine | NotebookEntry


# How sources name the roles, in lower case.
ROLE_WORDS: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


def name_of(value: object) -> str | None:
    """An id or a name as one clean line of at most 200 characters; None for what names nothing."""
    if value is None or isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        line = " ".join(clean(str(value)).split())
    except ValueError:  # an integer of more digits than Python agrees to print
        return None
    if len(line) > LONGEST_NAME:
        line = f"{shorten(line, LONGEST_NAME - 20)} {digest_of(line)[:16]}"
    return line or None


def digest_of(*parts: str) -> str:
    """20 hex digits of clean texts: the same for the same texts, today and in years."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=10).hexdigest()


def first_name(record: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """The first of `keys` under which `record` holds an id or a name."""
    for key in keys:
        if key in record and (name := name_of(record[key])):
            return name
    return None


def kind_of(value: object) -> str:
    """What a JSON value is, in words for a reason: "a number", "null", "an object"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    kinds = ((str, "a text"), (list, "a list"), (dict, "an object"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "a number")


def keys_of(record: Mapping[str, Any]) -> str:
    """The keys of an object, in words for a reason; the first eight at most."""
    names = [shorten(clean(key), 30) for key in list(record)[:8]]
    if not names:
        return "an empty object"
    return f"keys: {', '.join(names)}" + (", …" if len(record) > 8 else "")


def short_id(value: object) -> str:
    """An id for a place's name, quoted and short."""
    return repr(shorten(clean(str(value)), 40))
