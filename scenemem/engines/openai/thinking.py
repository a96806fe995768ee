"""Thoughts: what a reasoning model writes before its answer, between `<think>` and `</think>`.

Some servers take them out, others send them as text. They are no part of an answer. A template may
have written the opening mark into the prompt, so that only the closing one is in the answer; and a
model cut off by its token limit may never close them.
"""

from __future__ import annotations

import re

__all__ = ["ThoughtFilter", "without_thoughts"]

_NAMES = "think|thinking|thought|reasoning"
_OPEN = re.compile(rf"<(?:{_NAMES})>", re.I)
_CLOSE = re.compile(rf"</(?:{_NAMES})>", re.I)
_CLOSE_OF_LINE = re.compile(rf"</(?:{_NAMES})>[ \t]*(?:\n|$)", re.I)
_LONGEST_MARK = len("</reasoning>")


def without_thoughts(text: str, *, closing_anywhere: bool = False) -> str:
    """The answer in `text`, stripped; empty when there are only thoughts, closed or not.

    Thoughts are what stands between marks at the beginning, and whatever comes before a closing
    mark whose opening one is missing; that mark ends a line, or may stand anywhere if so told.
    Marks further on belong to the answer.
    """
    rest = text.lstrip()
    while opened := _OPEN.match(rest):
        closed = _CLOSE.search(rest, opened.end())
        if closed is None:
            return ""
        rest = rest[closed.end() :].lstrip()
    closing = _CLOSE if closing_anywhere else _CLOSE_OF_LINE
    first_open, first_close = _OPEN.search(rest), closing.search(rest)
    if first_close and (first_open is None or first_close.start() < first_open.start()):
        rest = rest[first_close.end() :]
    return rest.strip()


class ThoughtFilter:
    """Passes a streamed answer on piece by piece, without the thoughts at its beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"  # start, thinking, answer

    def feed(self, piece: str) -> str:
        """The part of the answer that can be shown once `piece` has come."""
        self._held += piece
        if self._state == "start":
            self._begin()
        if self._state == "thinking":
            self._skip()
        return self._release() if self._state == "answer" else ""

    def rest(self) -> str:
        """What is left at the end of the stream."""
        held, self._held = self._held, ""
        return "" if self._state == "thinking" else held

    def _begin(self) -> None:
        self._held = self._held.lstrip()
        if _OPEN.match(self._held):
            self._state = "thinking"
        elif self._held and not _may_open(self._held):
            self._state = "answer"

    def _skip(self) -> None:
        closed = _CLOSE.search(self._held)
        if closed is None:
            self._held = self._held[-_LONGEST_MARK:]
            return
        self._held = self._held[closed.end() :]
        self._state = "start"
        self._begin()
        if self._state == "thinking":
            self._skip()

    def _release(self) -> str:
        shown, self._held = self._held, ""
        return shown


def _may_open(text: str) -> bool:
    return any(f"<{name}>".startswith(text.lower()) for name in _NAMES.split("|"))
