"""Marking: which words of a text match a question, and a long text cut around them.

A word is marked where the index would find it by one of the question's words: by its stem, as the
index itself cuts it; in Hebrew and Arabic also behind a glued prefix, in Cyrillic and Greek by its
beginning, and in scripts without spaces wherever the term stands. What a prompt, a page or a
terminal shows of a message goes through here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from scenemem.base.inflection import attached_forms, open_ending
from scenemem.base.text import clean, fold, index_terms, is_unspaced, shorten
from scenemem.store.stemming import stems_of

__all__ = ["excerpt", "marked_spans"]

_WORD = re.compile("[^\\W_][^\\W_\u0300-\u036f]*(?:[\u0300-\u036f]+[^\\W_]*)*")


def excerpt(text: str, terms: Collection[str], limit: int) -> str:
    """The text on one line, cut to about `limit` characters around words that match `terms`."""
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
    """Where the text has words that match one of `terms`, as (start, end), in order."""
    unspaced = [term for term in terms if is_unspaced(term)]
    sought = [term for term in terms if term and not is_unspaced(term)]
    spans: set[tuple[int, int]] = set()
    if sought:
        wanted = frozenset().union(*_stems(sought).values(), *_attached(sought))
        beginnings = tuple(filter(None, (open_ending(term.lower()) for term in sought)))
        found = [(match.group(), match.span()) for match in _WORD.finditer(text)]
        # A stem begins as its word does, so that few words of a text are asked for.
        initials = {stem[:1] for stem in wanted}
        stems = _stems(w for w, _ in found if not w.isascii() or w[0].lower() in initials)
        for word, span in found:
            if not wanted.isdisjoint(stems.get(word, ())) or word.lower().startswith(beginnings):
                spans.add(span)
    for term in unspaced:
        spans.update(match.span() for match in re.finditer(re.escape(term), text))
    return _merged(sorted(spans))


def _stems(words: Iterable[str]) -> dict[str, frozenset[str]]:
    """The stems of each word as the index has them; some words have a folded form too."""
    indexed = {
        word: word if word.isascii() or is_unspaced(word) else f"{word} {index_terms(word)}"
        for word in words
    }
    stems = stems_of(map(clean, indexed.values()))
    return {word: stems[clean(said)] for word, said in indexed.items()}


def _attached(terms: Iterable[str]) -> list[frozenset[str]]:
    return [frozenset(attached_forms(fold(term))) for term in terms]


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
