"""What the summary of a session must keep, whatever a model made of it.

A summary has two parts: the notes, which an engine condenses anew each time, and what was marked
as important, kept in the words in which it was said and carried from summary to summary as it is.
Both are bounded, so that a summary's size holds over any number of compactions. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scenemem.base.loss_check import count_words, trim_words
from scenemem.base.text import fingerprint

__all__ = [
    "KEPT_WORDS",
    "NOTE_WORDS",
    "SessionSummary",
    "is_marked",
    "read_summary",
    "without_heading",
]

NOTE_WORDS = 260  # of the notes, the line of what they lost included
KEPT_WORDS = 150  # of what is kept word for word
RETURNED_WORDS = 60  # of what has no room there, at a time
_LONGEST = 60  # words of one thing that is kept
_HEADING = "Kept word for word:"
_MARKED = re.compile(
    r"\bimportant\b|\b(?:never|don'?t|do not) forget\b|\bremember (?:that|this|my|:)|^remember\b"
    r"|\bkeep in mind\b|\bcritical\b|\bessential\b|\bat all times\b|\bmust (?:never|always)\b"
    r"|\bwichtig\b|\bmerk(?:e)? dir\b|\bvergiss nicht\b|\bimportante\b|\bno olvides\b|\brecuerda\b"
    r"|\bimportant[es]?\b|\bn'oublie pas\b|\bважно\b|\bне забудь\b|重要|记住|記住|别忘|忘れないで",
    re.IGNORECASE,
)
_UNMARKED = re.compile(r"\b(?:not|nothing|isn'?t|less|un)\s*important\b", re.IGNORECASE)


class SessionSummary(NamedTuple):
    """The summary of a session: the engine's notes, and what is kept word for word, in order."""

    notes: str
    kept: tuple[str, ...] = ()

    def with_kept(
        self, fresh: Iterable[str], is_grave: Callable[[str], bool] = lambda _: False
    ) -> SessionSummary:
        """The summary with more to keep: repeats once, within `KEPT_WORDS`.

        Where all of it is too much, what is grave has precedence, and then the oldest and the
        newest in turn: what was said first is not pushed out by what came later, nor shut out by
        what came before. What has no room goes to the notes, as far as
        `RETURNED_WORDS` reach, and is condensed with them.
        """
        lines = {fingerprint(line): line for line in map(_kept_line, (*self.kept, *fresh)) if line}
        every = list(lines.values())
        ends = [n for pair in zip(range(len(every)), _backwards(every), strict=True) for n in pair]
        order = sorted(dict.fromkeys(ends), key=lambda place: not is_grave(every[place]))
        chosen = _fitting(every, order, KEPT_WORDS)
        returned = _fitting(every, [n for n in order if n not in chosen], RETURNED_WORDS)
        notes = [self.notes, *(f"- {every[n]}" for n in sorted(returned))]
        return SessionSummary(
            "\n".join(part for part in notes if part), tuple(every[n] for n in sorted(chosen))
        )

    def render(self) -> str:
        """The summary as it is stored and shown."""
        if not self.kept:
            return self.notes
        told = {fingerprint(line) for line in self.kept}
        notes = [line for line in self.notes.splitlines() if fingerprint(line) not in told]
        return "\n".join([*notes, _HEADING, *(f"- {line}" for line in self.kept)])


def read_summary(text: str) -> SessionSummary:
    """The summary that `render` wrote; any other text is notes."""
    notes, heading, kept = text.rpartition(f"{_HEADING}\n")
    if not heading:
        return SessionSummary(text.strip())
    lines = tuple(line.removeprefix("- ") for line in kept.splitlines() if line.startswith("- "))
    return SessionSummary(notes.strip(), lines)


def is_marked(text: str) -> bool:
    """Whether a statement says of itself that it is important or not to be forgotten."""
    return bool(_MARKED.search(text)) and not _UNMARKED.search(text)


def without_heading(notes: str) -> str:
    """An engine's notes without a line that would begin the part that is kept word for word."""
    return "\n".join(line for line in notes.splitlines() if line.strip() != _HEADING)


def _fitting(lines: Sequence[str], order: Iterable[int], room: int) -> set[int]:
    """Which of the lines, taken in this order, fit into so many words."""
    chosen: set[int] = set()
    for place in order:
        size = count_words(lines[place])
        if size <= room:
            chosen.add(place)
            room -= size
    return chosen


def _kept_line(text: str) -> str:
    return trim_words(" ".join(text.split()), _LONGEST)


def _backwards(lines: Sequence[str]) -> range:
    return range(len(lines) - 1, -1, -1)
