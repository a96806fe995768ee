"""JSON as language models write it: found in prose, and read even though it is not quite JSON.

It copes with trailing and missing commas, line breaks and unescaped quotes in strings, single and
typographic quotes, Python literals, bare words as values, comments, and text that breaks off. What
breaks off is never passed off as complete: a truncated string is dropped with its key, a truncated
object becomes a `CutObject`. General repair libraries complete these by guessing, and of several
values they lose all but the last; hence our own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["CutObject", "Found", "find_values"]

MOST_VALUES = 200  # values read from one text
LONGEST_TEXT = 400_000  # characters; the rest of a longer text is ignored
_DEEPEST = 24

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.S)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?=[\s,\]}]|$)")
_LITERAL = re.compile(r"(true|false|null|none|nan|-?infinity)\b", re.I)
_BARE_KEY = re.compile(r"[A-Za-z_][\w-]*(?=\s*:)")
_BARE_VALUE = re.compile(r"[^\s,\]}{\[\"'][^,\]}\n]*")
_CLOSERS = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“"}
_AFTER_STRING = re.compile(
    r"\s*(?:[}\]:]|/[/*]|$|,\s*(?:$|[\"'“{\[}\]\d-]|(?:true|false|null|none)\b|[A-Za-z_]\w*\s*:)"
    r"|\n\s*[\"'“{])",
    re.I,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "none": None, "nan": float("nan"),
    "infinity": float("inf"), "-infinity": float("-inf"),
}  # fmt: skip


class CutObject(dict[str, Any]):
    """An object whose end is missing, with the members that are complete."""


@dataclass(frozen=True, slots=True)
class Found:
    """One list or object found in a text; `is_cut` if the text breaks off inside it."""

    value: Any
    is_cut: bool


class _NotJson(Exception):
    """The text at this position is not a value."""


class _CutOff(Exception):
    """The text ends inside a string or another single value."""


def find_values(text: str) -> list[Found]:
    """The outermost lists and objects in `text`, in order; never raises."""
    text = text[:LONGEST_TEXT]
    found: list[Found] = []
    tries = 0
    place = _next_bracket(text, 0)
    while place >= 0 and tries < MOST_VALUES:
        tries += 1
        reader = _Reader(text, place)
        try:
            value = reader.value(0)
        except (_NotJson, _CutOff):
            place = _next_bracket(text, place + 1)
            continue
        found.append(Found(value, reader.is_cut))
        place = _next_bracket(text, reader.place)
    return found


def _next_bracket(text: str, start: int) -> int:
    places = [p for p in (text.find("[", start), text.find("{", start)) if p >= 0]
    return min(places, default=-1)


class _Reader:
    """Reads one value, starting at `place`."""

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place
        self.is_cut = False

    def value(self, depth: int, *, bare: bool = False) -> Any:
        if depth > _DEEPEST:
            raise _NotJson
        self._skip()
        first = self._peek()
        if first == "{":
            return self._object(depth)
        if first == "[":
            return self._list(depth)
        if first in _CLOSERS:
            return self._string()
        return self._single(bare)

    def _object(self, depth: int) -> dict[str, Any]:
        self.place += 1
        members: dict[str, Any] = {}
        while True:
            self._skip_commas()
            if self._peek() == "}":
                self.place += 1
                return members
            if not self._peek():
                return self._cut(members)
            try:
                key = self._key()
                members[key] = self.value(depth + 1, bare=True)
            except _CutOff:
                return self._cut(members)
            if self.is_cut:
                return self._cut(members)

    def _list(self, depth: int) -> list[Any]:
        self.place += 1
        items: list[Any] = []
        while True:
            self._skip_commas()
            if self._peek() == "]":
                self.place += 1
                return items
            if not self._peek():
                self.is_cut = True
                return items
            try:
                items.append(self.value(depth + 1))
            except _CutOff:
                self.is_cut = True
                return items
            if self.is_cut:
                return items

    def _cut(self, members: dict[str, Any]) -> CutObject:
        self.is_cut = True
        return CutObject(members)

    def _key(self) -> str:
        if self._peek() in _CLOSERS:
            key = self._string()
        elif bare := _BARE_KEY.match(self.text, self.place):
            key, self.place = bare.group(), bare.end()
        else:
            raise _NotJson
        self._skip()
        if not self._peek():
            raise _CutOff
        if self._peek() != ":":
            raise _NotJson
        self.place += 1
        self._skip()
        return key

    def _string(self) -> str:
        closer = _CLOSERS[self.text[self.place]]
        start, self.place = self.place, self.place + 1
        parts: list[str] = []
        while self.place < len(self.text):
            char = self.text[self.place]
            self.place += 1
            if char == "\\":
                parts.append(self._escape())
            elif char == closer and _AFTER_STRING.match(self.text, self.place):
                return "".join(parts)
            else:
                parts.append(char)
        self.place = start
        raise _CutOff

    def _escape(self) -> str:
        char = self._peek()
        self.place += 1
        if char == "u":
            digits = self.text[self.place : self.place + 4]
            if re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                self.place += 4
                return chr(int(digits, 16))
            return "\\u"
        return _ESCAPES.get(char, char if char in "\"'\\/" else f"\\{char}")

    def _single(self, bare: bool) -> Any:
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            return _number(number.group())
        if literal := _LITERAL.match(self.text, self.place):
            self.place = literal.end()
            return _LITERALS[literal.group().lower()]
        if not self._peek():
            raise _CutOff
        word = _BARE_VALUE.match(self.text, self.place) if bare else None
        if word is None:
            raise _NotJson
        self.place = word.end()
        if self.place >= len(self.text):
            raise _CutOff
        return word.group().strip()

    def _skip(self) -> None:
        blank = _BLANK.match(self.text, self.place)
        assert blank is not None  # it matches the empty text
        self.place = blank.end()

    def _skip_commas(self) -> None:
        self._skip()
        while self._peek() == ",":
            self.place += 1
            self._skip()

    def _peek(self) -> str:
        return self.text[self.place : self.place + 1]


def _number(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return float(digits)
