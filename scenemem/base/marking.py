"""Marking: which words of a text match a question, a text cut around them, and text made inert.

Pure. What a prompt, a page or a terminal shows of a message goes through here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from scenemem.base.text import fold, shorten, words

__all__ = ["day_in_words", "excerpt", "marked_spans", "without_marks"]

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:memory|session))", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:'s|’s|ings?|edly|ed|ies|es|s|ly|ers?|y|e)$")


def without_marks(text: str) -> str:
    """Text that can neither open nor close the marks that data stands between in a prompt."""
    return _DELIMITER.sub("‹", text)


def day_in_words(at: datetime) -> str:
    """A day as people write it: 8 May 2023."""
    return f"{at.day} {at:%b} {at.year}"


def excerpt(text: str, terms: Collection[str], limit: int) -> str:
    """`text` on one line, cut to about `limit` characters around the words that match `terms`."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    spans = marked_spans(line, terms)
    if not spans:
        return shorten(line, limit)
    best = max(spans, key=lambda span: (_within(spans, span[0], limit), -span[0]))
    start = max(best[0] - limit // 6, 0)
    start = 0 if start < limit // 6 else line.find(" ", start) + 1 or start
    cut = shorten(line[start:], limit - 1)
    return f"…{cut}" if start else cut


def _within(spans: Sequence[tuple[int, int]], start: int, limit: int) -> int:
    return sum(start <= first and last <= start + limit * 5 // 6 for first, last in spans)


def marked_spans(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where `text` has words that match one of `terms`, as (start, end), in order.

    English endings are taken off both sides, which comes near to what the index does; in unspaced
    scripts a term is found anywhere.
    """
    stems = {_stem(fold(term)) for term in terms if term}
    unspaced = [term for term in terms if term and not term.isascii()]
    spans: set[tuple[int, int]] = set()
    position = 0
    for word in words(text):
        start = text.index(word, position)
        position = start + len(word)
        if _stem(fold(word)) in stems:
            spans.add((start, position))
    for term in unspaced:
        spans.update((m.start(), m.end()) for m in re.finditer(re.escape(term), text))
    return _merged(sorted(spans))


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _stem(word: str) -> str:
    bare = _SUFFIX.sub("", word)
    return bare if len(bare) >= 3 else word
