"""What a format is: how it is recognised, and the reader that turns it into messages.

To add one, write a file that ends in a `JsonFormat` or a `TextFormat`, and add that to `FORMATS`
in `registry.py`. A reader yields what the source says and no more: a `SessionMessage` or a whole
`Conversation`, and a `BadLine` for what it can't read. Missing sessions, times and ids are filled
in by `registering.py`, the same way for every format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
class SavedMessage:
    """A message as an export of a memory has it; `entry` is its whole line.

    `session` is None only until `registering.py` has named it.
    """

    where: str
    session: str | None
    draft: MessageDraft
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SavedEntry:
    """Something else that a memory holds, such as a cell or a note; `entry` is its whole line."""

    where: str
    kind: str
    entry: Mapping[str, Any]


Imported = ImportedMessage | SavedMessage | SavedEntry | BadLine
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


Read = SessionMessage | Conversation | SavedMessage | SavedEntry | BadLine


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """A format of JSON values: the lines of a JSONL file, the elements of a list, or one value.

    An object with all keys of one of `signs` is of this format. `read_value` reads one value, and
    is told how to name its place; a value of a document is called a `unit` there.
    """

    name: str
    signs: tuple[frozenset[str], ...]
    unit: str
    read_value: Callable[[object, str], Iterator[Read]]


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format of plain lines.

    `looks_like` is given the first lines of a text; `read_lines` all of them, and the text's head.
    `seen_as` says of a text what it is instead, `found_none` that nothing could be read in it.
    """

    name: str
    looks_like: Callable[[Sequence[str]], bool]
    read_lines: Callable[[Iterable[str], str], Iterator[Read]]
    seen_as: str
    found_none: str


class WrongFormatError(ValueError):
    """A whole text is not in the format that it seemed to be in; the message says what it is."""


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
