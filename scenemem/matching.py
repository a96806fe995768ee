"""Matches: which messages and cells hold the words of a question, and how strongly.

The full-text index answers one term at a time with the rows that hold it and their bm25; since
bm25 adds up over terms, nothing is lost, and what a row's neighbours and session hold is arithmetic
on ids: a message's id is `session number << 24 | position`. `Evidence` is all that ranking asks of
a store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from heapq import nlargest
from typing import Literal, NamedTuple, Protocol

from scenemem.query import Term
from scenemem.records import Role

__all__ = ["Evidence", "Item", "Kind", "Matches", "match_terms"]

Kind = Literal["message", "cell"]
_SESSION_SHIFT = 24


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

    def postings(
        self, kind: Kind, expression: str, limit: int | None = None
    ) -> list[tuple[int, float]]:
        """The rows that match, as (id, bm25 > 0): all in any order, or the best `limit`."""

    def count(self, kind: Kind, expression: str, cap: int) -> tuple[int, int]:
        """How many of the newest rows match, at most `cap`, and the lowest id among them."""

    def newest(self, kind: Kind, expression: str, limit: int) -> list[int]:
        """The newest ids that match."""

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


class Matches:
    """The rows that hold the terms: a weighted bm25 by id for every concept of the question."""

    def __init__(self, concepts: Sequence[dict[int, float]]) -> None:
        self.concepts = concepts
        totals: dict[int, float] = {}
        for scores in concepts:
            if totals:
                for row, score in scores.items():
                    totals[row] = totals.get(row, 0.0) + score
            else:
                totals = dict(scores)
        self.totals = totals

    def strongest(self, most: int) -> list[int]:
        """The ids that match best, at most `most` of them; in any order when there are fewer."""
        if len(self.totals) <= most:
            return list(self.totals)
        return nlargest(most, self.totals, key=self.totals.__getitem__)

    def by_session(self, sessions: Collection[int]) -> dict[int, float]:
        """For each of these sessions, the best match of every concept in it, added up."""
        strength = dict.fromkeys(sessions, 0.0)
        for scores in self.concepts:
            best = dict.fromkeys(sessions, 0.0)
            for row, score in scores.items():
                session = row >> _SESSION_SHIFT
                if score > best.get(session, score):
                    best[session] = score
            for session, score in best.items():
                strength[session] += score
        return strength


def match_terms(evidence: Evidence, kind: Kind, terms: Sequence[Term]) -> Matches:
    """All rows that hold any of the terms; of the terms of one concept the best one counts."""
    concepts: dict[int, dict[int, float]] = {}
    for term in terms:
        weight = term.weight
        rows = evidence.postings(kind, term.expression)
        if term.concept not in concepts:
            concepts[term.concept] = {row: score * weight for row, score in rows}
            continue
        scores = concepts[term.concept]
        for row, score in rows:
            if score * weight > scores.get(row, 0.0):
                scores[row] = score * weight
    return Matches(list(concepts.values()))
