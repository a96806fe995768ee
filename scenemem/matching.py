"""Matches: which messages and cells hold the terms of a question, and how rare the terms are.

A row counts by which terms it holds, weighed by their rarity; how often it holds them is not asked
(it ranked no better, and rows without a score cost a quarter). What a row's neighbours and session
hold is arithmetic on ids: a message's id is `session number << 24 | position`. `Evidence` is all
that ranking asks of a store.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from heapq import nlargest
from typing import Literal, NamedTuple, Protocol

from scenemem.query import Term
from scenemem.records import Role

__all__ = ["SESSION_SHIFT", "Evidence", "Item", "Kind", "Matches", "find_matches"]

Kind = Literal["message", "cell"]
SESSION_SHIFT = 24

MOST_ROWS = 20_000  # rows of one question that are read; beyond it the search is bounded
_NEWEST = 4_000  # rows of a frequent term that a bounded search reads


class Item(NamedTuple):
    """A cell or a message, with what its rank depends on.

    `source` is the id of the first message a cell came from; `speaker` a person's name.
    """

    kind: Kind
    id: int
    content: str
    at: datetime
    speaker: str | None = None
    role: Role | None = None
    source: int | None = None
    scene: str | None = None
    salience: float = 0.5
    recalls: int = 0
    occurred_at: date | None = None
    occurred_until: date | None = None


class Evidence(Protocol):
    """What ranking reads of a memory, narrowed by the store to the scope of one recall."""

    def size(self, kind: Kind) -> int:
        """About how many rows the index of that kind has."""

    def rows(self, kind: Kind, expression: str, limit: int | None = None) -> list[int]:
        """The ids that match: all of them, ascending, or the newest `limit`, descending."""

    def count(self, kind: Kind, expression: str, cap: int) -> tuple[int, int]:
        """How many of the newest rows match, at most `cap`, and the lowest id among them."""

    def messages(self, ids: Iterable[int]) -> list[Item]:
        """The messages of these ids that exist and are in scope."""

    def cells(self, ids: Iterable[int]) -> list[Item]:
        """The cells of these ids that are in scope."""

    def cells_of(self, message_ids: Iterable[int]) -> list[Item]:
        """The cells in scope that came from these messages."""

    def extracted(self, message_ids: Iterable[int]) -> set[int]:
        """Those of these messages that any cell came from, in scope or not."""

    def said_between(self, first: date, last: date) -> list[tuple[int, int]]:
        """The messages said on these days, as ranges of ids, each within one session."""

    def told_of(self, first: date, last: date, most: int) -> list[int]:
        """The messages with a cell that speaks of these days, and of little more than these."""


class Matches:
    """The rows that hold terms of the question.

    A concept has one or more forms (a word, its irregular forms, its synonyms), the strongest
    first, each with its strength and the rows that hold it. `totals` adds up, for every row, the
    strength of the concepts it holds. `exact` is false when frequent terms were read in part.
    """

    def __init__(
        self,
        concepts: Sequence[Sequence[tuple[float, Collection[int]]]],
        *,
        exact: bool = True,
        names: Sequence[int] = (),
    ) -> None:
        self.exact = exact
        self.concepts = concepts
        self._names = names or range(len(concepts))
        self.totals = _totals(concepts)
        self._strengths: dict[int, list[float]] = {}

    def strongest(self, most: int) -> list[int]:
        """The ids that hold most, at most `most` of them, the newest among equals."""
        if len(self.totals) <= most:
            return list(self.totals)
        # The totals are sums of few strengths, so few are distinct: the last one that still has a
        # place is found by counting, and only the rows above it need sorting.
        left, last = most, 0.0
        for value, count in sorted(Counter(self.totals.values()).items(), reverse=True):
            last = value
            if count >= left:
                break
            left -= count
        above = [(value, row) for row, value in self.totals.items() if value > last]
        ties = [row for row, value in self.totals.items() if value == last]
        return [row for _, row in sorted(above, reverse=True)] + nlargest(left, ties)

    def strengths(self, row: int) -> list[float]:
        """What the row holds of each concept."""
        known = self._strengths.get(row)
        if known is None:
            known = self._strengths[row] = [_held(row, forms) for forms in self.concepts]
        return known

    def held(self, row: int) -> set[int]:
        """Which concepts of the question the row holds."""
        return {name for name, held in zip(self._names, self.strengths(row), strict=True) if held}

    def of_sessions(self, sessions: Iterable[int]) -> dict[int, float]:
        """How much of the question each of these sessions holds, in whichever messages."""
        ordered = [
            [(strength, sorted(rows)) for strength, rows in forms] for forms in self.concepts
        ]
        found: dict[int, float] = {}
        for session in sessions:
            low, high = session << SESSION_SHIFT, session + 1 << SESSION_SHIFT
            found[session] = sum(
                next((s for s, rows in forms if _holds_between(rows, low, high)), 0.0)
                for forms in ordered
            )
        return found


def _held(row: int, forms: Sequence[tuple[float, Collection[int]]]) -> float:
    for strength, rows in forms:
        if row in rows:
            return strength
    return 0.0


def _holds_between(rows: Sequence[int], low: int, high: int) -> bool:
    place = bisect_left(rows, low)
    return place < len(rows) and rows[place] < high


def _totals(
    concepts: Sequence[Sequence[tuple[float, Collection[int]]]],
) -> dict[int, float]:
    totals: dict[int, float] = {}
    for forms in concepts:
        counted: set[int] = set()
        for strength, rows in forms:
            fresh = [row for row in rows if row not in counted] if counted else rows
            if not totals:
                totals = dict.fromkeys(fresh, strength)
            else:
                known = totals.get
                for row in fresh:
                    totals[row] = known(row, 0.0) + strength
            if len(forms) > 1:
                counted.update(rows)
    return totals


def find_matches(evidence: Evidence, kind: Kind, terms: Sequence[Term]) -> Matches:
    """The rows that hold any of the terms, with strengths by rarity.

    Where the terms have more than `MOST_ROWS` rows together, the rarest are read in full, and of
    the frequent ones the newest rows that hold a rarer term too.
    """
    size = evidence.size(kind)
    if size == 0:
        return Matches(())
    read = {term: evidence.rows(kind, term.expression, _probe(size)) for term in terms}
    counts = {term: len(rows) for term, rows in read.items()}
    for term, rows in read.items():
        if len(rows) == _probe(size):
            counts[term] = evidence.count(kind, term.expression, size)[0]
    exact = sum(counts.values()) <= MOST_ROWS
    found: dict[int, list[tuple[float, Collection[int]]]] = {}
    left = MOST_ROWS
    rarer: list[str] = []
    for term in sorted(terms, key=counts.__getitem__):
        rows, count = read[term], counts[term]
        if count > len(rows) and (exact or count <= left):
            rows = evidence.rows(kind, term.expression)
        elif count > len(rows) and rarer:
            both = f"({term.expression}) AND ({' OR '.join(rarer)})"
            rows = evidence.rows(kind, both, _NEWEST)
        left -= len(rows)
        if rows:
            rarer.append(term.expression)
            strength = term.weight * _rarity(count, size)
            found.setdefault(term.concept, []).append((strength, set(rows)))
    concepts = [sorted(found[c], key=lambda form: -form[0]) for c in sorted(found)]
    return Matches(concepts, exact=exact, names=sorted(found))


def _probe(size: int) -> int | None:
    """How many rows of a term are read at first: all of them where there can't be many."""
    return None if size <= MOST_ROWS else _NEWEST


def _rarity(count: int, size: int) -> float:
    """The inverse document frequency of BM25, in the form that never falls below 0."""
    return math.log(1.0 + (max(size, count) - count + 0.5) / (count + 0.5))
