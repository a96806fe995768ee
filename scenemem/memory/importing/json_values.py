"""JSON values out of a text, one by one: the lines of a JSONL file, the elements of a list.

A list is cut into its elements while it is read, so that an export of any size is never held
whole, a damaged element costs only itself, and an export that was cut off gives what it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scenemem.memory.importing.format import kind_of

# Nothing a chat needs is nested deeper; Python's own limit would end in a RecursionError.
DEEPEST = 100
_CHUNK = 1 << 16
# A whole string, or a bracket, or the quote of a string that goes on in the next chunk.
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)


class BadJson(ValueError):
    """A text that is no JSON that can be used; its message says why."""


def parse(text: str) -> Any:
    """The value of one JSON text. Raises `BadJson`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"at character {error.pos + 1}" if error.pos < len(text) else "at its end"
        raise BadJson(f"not valid JSON: {error.msg.lower()} {place}") from None
    except RecursionError:
        raise BadJson("nested too deeply") from None
    except ValueError:
        raise BadJson("holds a number of too many digits") from None
    return value


def parse_lines(lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """The number of each line that holds something, from 1, with its value or a `BadJson`."""
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            try:
                yield number, parse(line)
            except BadJson as bad:
                yield number, bad


def parse_document(read: Callable[[int], str]) -> Iterator[tuple[int, Any]]:
    """The elements of a document, numbered from 1, each with its value or a `BadJson`.

    A list has its elements; anything else is an element of its own, and is read whole. `read`
    gives up to so many characters of the text, and an empty text at its end.
    """
    start = ""
    while not start:
        if not (chunk := read(_CHUNK)):
            return
        start = chunk.lstrip()
    if start.startswith("["):
        yield from enumerate(_ListReader(read, start[1:]).elements(), 1)
        return
    parts = [start]
    while chunk := read(_CHUNK):
        parts.append(chunk)
    try:
        yield 1, parse("".join(parts))
    except BadJson as bad:
        yield 1, bad


class _ListReader:
    """Cuts the text after a list's opening bracket into elements by counting brackets."""

    def __init__(self, read: Callable[[int], str], text: str) -> None:
        self._read = read
        self._text = text
        self._scanned = 0  # up to here every mark was seen
        self._begin = 0  # where the present element, or the gap before it, begins
        self._depth = 0
        self._deepest = 0

    def elements(self) -> Iterator[Any]:
        """The value of each element, or a `BadJson` in its place."""
        while True:
            closed = False
            while (mark := _MARK.search(self._text, self._scanned)) and mark.group() != '"':
                self._scanned = mark.end()
                if self._depth == 0 and mark.group() in ("]", "}"):
                    yield from self._between(mark.start())
                    closed = True
                    break
                yield from self._take(mark)
            if closed:
                break
            if not self._more(mark.start() if mark else len(self._text)):
                yield from self._cut_off()
                return
        yield from self._after_end()

    def _take(self, mark: re.Match[str]) -> Iterator[Any]:
        sign = mark.group()
        if sign in ("[", "{"):
            if self._depth == 0:
                yield from self._between(mark.start())
                self._begin, self._deepest = mark.start(), 0
            self._depth += 1
            self._deepest = max(self._deepest, self._depth)
        elif sign in ("]", "}"):
            self._depth -= 1
            if self._depth == 0:
                yield self._element(self._text[self._begin : mark.end()])
                self._begin = mark.end()

    def _element(self, text: str) -> Any:
        if self._deepest > DEEPEST:
            return BadJson("nested too deeply")
        try:
            return parse(text)
        except BadJson as bad:
            return bad

    def _between(self, end: int) -> Iterator[Any]:
        """The elements without brackets in the gap before `end`: null, texts, numbers."""
        gap = self._text[self._begin : end].strip().strip(",")
        self._begin = end
        if gap and not gap.isspace():
            try:
                yield from parse(f"[{gap}]")
            except BadJson as bad:
                yield bad

    def _more(self, scanned: int) -> bool:
        """Reads on, keeping the present element; whether there was more."""
        kept = self._text[self._begin :]
        # As much again as is kept: a string that spans chunks is scanned again, but not too often.
        chunk = self._read(max(_CHUNK, len(kept)))
        self._scanned = scanned - self._begin
        self._begin = 0
        self._text = kept + chunk
        return bool(chunk)

    def _cut_off(self) -> Iterator[Any]:
        if self._depth:
            yield BadJson("the file ends in the middle of it")
        else:
            yield from self._between(len(self._text))
            yield BadJson("the file ends before its list does; it may have been cut off")

    def _after_end(self) -> Iterator[Any]:
        rest = self._text[self._scanned :] + self._read(_CHUNK)
        if rest and not rest.isspace():
            yield BadJson("what follows the end of the list was not read")


def what_is_wrong(value: object) -> str:
    """Why a value is no object: the reason of a `BadJson`, or what it is instead."""
    return str(value) if isinstance(value, BadJson) else f"{kind_of(value)}, not an object"
