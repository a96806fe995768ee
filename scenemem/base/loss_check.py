"""The loss check: find what a new summary lost from the cells it was made from.

It is deterministic and the same for every engine. It looks in the summary for the names, numbers,
dates, identifiers and rare terms of the most salient cells. Missing ones are added in a bounded
line "Also: …", each with a few words of context. A summary that keeps next to nothing (a refusal,
chatter, another topic) should not be stored at all. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from scenemem.base.dates.finding import find_dates
from scenemem.base.records import Cell
from scenemem.base.stopwords import english_stopwords
from scenemem.base.text import fold, is_unspaced, unspaced_terms

__all__ = ["LEAST_KEPT", "LossCheck", "check_loss", "count_words", "trim_words"]

ALSO_WORDS = 32  # words in the line of what a summary lost
LEAST_KEPT = 0.12  # share of the most salient cells' content that a summary must keep
_SALIENT_CELLS = 24
_SUMMARY_STEMS = 40  # content words that fit in a summary of 99 words
_FRAGMENT = 9  # words quoted around what was lost
_BEFORE = 5  # how many of them come before it

_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}\"“”„«»…]+(?:[:,](?=\d)[^\s,;:!?()\[\]{}\"“”„«»…]+)*")
_EDGES = ".'’‘-–—_*`"
_SPEAKERS = frozenset(("user", "user's", "assistant"))
_ANY_DAY = date(2000, 1, 1)  # absolute dates need no reference day; relative ones are ignored


@dataclass(frozen=True, slots=True)
class LossCheck:
    """A summary after the check.

    `text` is the summary with the line of what it had lost; `lost` are the terms that did not fit
    in that line. `kept` is the share, from 0 to 1, of the most salient cells' content that the
    summary contained by itself; below `LEAST_KEPT` it should be rejected.
    """

    text: str
    lost: tuple[str, ...]
    kept: float

    @property
    def is_acceptable(self) -> bool:
        """Whether the summary keeps enough to replace an older one."""
        return self.kept >= LEAST_KEPT


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a cell: the word, its position, and how much it would be missed."""

    word: str
    place: int
    weight: float


def check_loss(summary: str, cells: Sequence[Cell], *, most: int) -> LossCheck:
    """Check a summary against the `cells` it summarizes, and add what it lost.

    The result has at most `most` words (a longer summary is cut at the end of a sentence, and what
    is cut off counts as lost). In unspaced scripts, two characters count as one word.
    """
    salient = sorted(cells, key=lambda cell: (-cell.salience, -cell.id))[:_SALIENT_CELLS]
    cut = trim_words(summary, most)
    if not _lost_terms(cut, salient):
        return LossCheck(cut, (), _kept_share(cut, salient, most))
    also = min(ALSO_WORDS, most // 3)
    cut = trim_words(summary, most - also)
    kept = _kept_share(cut, salient, most)
    line, lost = _also_line(_lost_terms(cut, salient), also)
    return LossCheck(f"{cut}\nAlso: {line}." if line else cut, lost, kept)


# -- what is missing -------------------------------------------------------------------------


def _lost_terms(summary: str, cells: Sequence[Cell]) -> list[tuple[list[str], list[_Term]]]:
    """For each cell that lost something: its words and the lost terms, worst loss first."""
    present = _Present(summary)
    common = _cells_with_word(cells)
    losses: list[tuple[float, int, list[str], list[_Term]]] = []
    seen: set[str] = set()
    for cell in cells:
        tokens = _tokens(cell.content)
        lost = [
            term
            for term in _key_terms(tokens, common)
            if not present.has(term.word) and fold(term.word) not in seen
        ]
        seen.update(fold(term.word) for term in lost)
        if lost:
            loss = cell.salience * max(term.weight for term in lost)
            losses.append((-loss, cell.id, tokens, lost))
    return [(tokens, lost) for _, _, tokens, lost in sorted(losses, key=lambda entry: entry[:2])]


def _key_terms(tokens: Sequence[str], common: Counter[str]) -> Iterator[_Term]:
    for place, token in enumerate(tokens):
        key = fold(token)
        if any(c.isdigit() for c in token) or _is_identifier(token):
            yield _Term(token, place, 1.0)
        elif token[:1].isupper() and not _is_stop(key) and (place > 0 or common[key] > 1):
            yield _Term(token, place, 0.8)
        elif len(token) > 5 and not _is_stop(key) and common[key] == 1 and not is_unspaced(token):
            yield _Term(token, place, 0.25)


def _is_identifier(token: str) -> bool:
    """Whether a word is a path, an address, or looks like a name in code."""
    inner = token[1:]
    return any(c in "@/\\_#" for c in token) or (
        not token.isupper() and any(c.isupper() for c in inner)
    )


def _cells_with_word(cells: Iterable[Cell]) -> Counter[str]:
    """The number of cells that contain each word."""
    return Counter(
        key for cell in cells for key in {fold(token) for token in _tokens(cell.content)}
    )


def _tokens(text: str) -> list[str]:
    stripped = (match.strip(_EDGES) for match in _TOKEN.findall(text))
    return [token.removesuffix("'s").removesuffix("’s") for token in stripped if token]


class _Present:
    """A summary's words, its numbers however punctuated, and its dates in any format."""

    def __init__(self, summary: str) -> None:
        self._folded = fold(summary)
        self._words = {fold(token) for token in _tokens(summary)}
        self._digits = {_digits(token) for token in _tokens(summary)} - {""}
        self._days = _days(summary)

    def has(self, term: str) -> bool:
        key = fold(term)
        if key in self._words or (is_unspaced(key) and key in self._folded):
            return True
        if any(c.isdigit() for c in key):
            days = _days(term)
            return bool(days and days <= self._days) or (
                not any(c.isalpha() for c in key) and _digits(key) in self._digits
            )
        return len(key) > 5 and any(word[:5] == key[:5] for word in self._words)


def _digits(token: str) -> str:
    return re.sub(r"\D", "", token)


def _days(text: str) -> set[tuple[date, date]]:
    return {(m.first, m.last) for m in find_dates(text, _ANY_DAY) if not m.relative}


# -- the "Also" line -----------------------------------------------------------------------


def _also_line(
    losses: Sequence[tuple[list[str], list[_Term]]], most: int
) -> tuple[str, tuple[str, ...]]:
    """The lost terms that fit in a line of `most` words, and those that did not fit."""
    fragments: list[str] = []
    left = most - 1
    lost: list[str] = []
    for tokens, terms in losses:
        weighty = [term for term in terms if term.weight >= 0.5] or terms[:1]
        fragment, quoted = _fragment(tokens, weighty)
        size = count_words(fragment)
        if size > left:
            fragment, quoted = weighty[0].word, {weighty[0].word}
            size = count_words(fragment)
        if size <= left:
            fragments.append(fragment)
            left -= size
        else:
            quoted = set()
        lost += [term.word for term in weighty if term.word not in quoted]
    return "; ".join(fragments), tuple(lost)


def _fragment(tokens: Sequence[str], terms: Sequence[_Term]) -> tuple[str, set[str]]:
    """An excerpt that starts a few words before the first lost term, and the lost terms in it."""
    start = max(terms[0].place - _BEFORE, 0)
    while start < terms[0].place and _is_stop(fold(tokens[start])):
        start += 1
    last = max(term.place for term in terms if term.place < start + _FRAGMENT)
    quoted = {term.word for term in terms if start <= term.place <= last}
    return " ".join(tokens[start : last + 1]), quoted


# -- how much is kept ------------------------------------------------------------------------


def _kept_share(summary: str, cells: Sequence[Cell], most: int) -> float:
    """The share of the cells' content words that the summary has, relative to what would fit in it.

    A word's weight is the total salience of the cells that contain it, so that the scene's subject
    counts more than its details.
    """
    weights: dict[str, float] = defaultdict(float)
    for cell in cells:
        for stem in _stems(cell.content):
            weights[stem] += cell.salience + 0.05
    stems = min(_SUMMARY_STEMS, round(0.4 * most))
    fitting = sum(sorted(weights.values(), reverse=True)[:stems])
    present = _stems(summary)
    return min(sum(weights[s] for s in weights if s in present) / fitting, 1.0) if weights else 1.0


def _stems(text: str) -> set[str]:
    stems: set[str] = set()
    for token in _tokens(text):
        key = fold(token)
        if is_unspaced(key):
            stems.update(pair for pair in unspaced_terms(key) if len(pair) > 1)
        elif not _is_stop(key):
            stems.add(key[:5])
    return stems


# -- length ----------------------------------------------------------------------------------


def count_words(text: str) -> int:
    """The number of words; in unspaced scripts, two characters count as one word."""
    return sum(-(-len(w) // 2) if is_unspaced(w) else 1 for w in text.split())


def trim_words(text: str, most: int) -> str:
    """`text` cut to at most `most` words, at the end of a sentence if one comes soon enough."""
    if count_words(text) <= most:
        return text.strip()
    end, left = 0, most
    for word in re.finditer(r"\S+", text):
        left -= count_words(word.group())
        if left < 0:
            break
        end = word.end()
    cut = text[:end] if end else text[: 2 * most]
    sentence = max((m.end() for m in re.finditer(r"[.!?](?=\s|$)|[。！？]|\n", cut)), default=0)
    return cut[:sentence].strip() if sentence > len(cut) // 2 else cut.rstrip(" ,;:") + "…"


def _is_stop(key: str) -> bool:
    return key in english_stopwords() or key in _SPEAKERS
