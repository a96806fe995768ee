"""Ranking: cells and messages in the order of their evidence for a question.

A message is evidence by what it says, by what was said right before and after it, by how much of
the question its session is about, by who speaks, and by the day it was said on. A cell stands on
the evidence of the message it came from and on its own words; a message from which no cell was
made stands for itself. Between near equals the newer, the more salient, the more used one comes
first. `Weights` holds every number, `Parts` says what each hit's score is made of. Pure: the same
question over the same evidence gives the same order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scenemem.matching import Evidence, Item, Kind, Matches, match_terms
from scenemem.query import Question
from scenemem.text import fold

__all__ = [
    "DEFAULT_WEIGHTS", "Evidence", "Hit", "Item", "Kind", "Parts", "Ranking", "Weights", "rank", "rank_cells",
]

_SESSION_SHIFT = 24


class Weights(NamedTuple):
    """How much each part of the evidence counts, against 1 for a message's own words."""

    before: float = 0.4
    """What was said right before it."""
    second_before: float = 0.35
    """What was said two before it: in a talk of two, by the same speaker."""
    after: float = 0.25
    """What was said right after it."""
    second_after: float = 0.2
    """What was said two after it."""
    repeated: float = 0.5
    """The weaker of own and neighbours' match of one word, when both have it."""
    neighbour_length: int = 150
    """Characters of an unnamed neighbour that count; of a longer one, in proportion less."""
    session: float = 0.3
    """The best match of every word in its session."""
    date: float = 2.0
    """A day that the question names."""
    named_speaker: float = 2.0
    """Factor for what is said by a person whom the question names."""
    user: float = 2.0
    """Factor for the user's own words, where messages have roles and no names."""
    scene: float = 0.1
    """The best other matching cells of its scene."""
    recency: float = 0.04
    """From the oldest to the newest candidate: decides near ties only."""
    salience: float = 0.03
    """From salience 0 to 1: decides nearer ties."""
    use: float = 0.01
    """From never recalled to often recalled."""
    candidates: int = 200
    """Messages that are scored in full."""
    spread: int = 400
    """Best matching messages whose neighbours become candidates."""


DEFAULT_WEIGHTS = Weights()


class Parts(NamedTuple):
    """What a score is made of: the sum of the first five times the product of the rest."""

    own: float = 0.0
    neighbours: float = 0.0
    session: float = 0.0
    scene: float = 0.0
    date: float = 0.0
    speaker: float = 1.0
    role: float = 1.0
    recency: float = 1.0
    salience: float = 1.0
    use: float = 1.0

    @property
    def score(self) -> float:
        """The score."""
        return (
            (self.own + self.neighbours + self.session + self.scene + self.date)
            * self.speaker * self.role * self.recency * self.salience * self.use
        )


class Hit(NamedTuple):
    """A cell or a message that is evidence for the question, and why."""

    item: Item
    score: float
    parts: Parts


class Ranking(NamedTuple):
    """The hits, best first; whether every matching row was scored; how many rows were read."""

    hits: tuple[Hit, ...]
    exact: bool
    rows: int


def rank(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The best `limit` cells and messages for the question."""
    if not question.terms and not question.days:
        return Ranking((), exact=True, rows=0)
    if not evidence.size("message"):
        return rank_cells(question, evidence, limit=limit, weights=weights)
    matches = match_terms(evidence, "message", question.terms)
    days = _said_on(question, evidence)
    said = _score_messages(question, evidence, matches, days, weights)
    hits = _settle(_cells_and_messages(question, evidence, said, limit, weights), weights)
    return Ranking(tuple(hits[:limit]), exact=True, rows=len(matches.totals))


def rank_cells(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The cells on their own words alone, from one query."""
    found = _own_matches(question, evidence, max(4 * limit, 50))
    hits = _settle(_sourceless(question, evidence.cells(found), found, weights), weights)
    return Ranking(tuple(hits[:limit]), exact=True, rows=len(found))


def _own_matches(question: Question, evidence: Evidence, most: int) -> dict[int, float]:
    if not question.terms:
        return {}
    return dict(evidence.postings("cell", question.expression, most))


def _sourceless(
    question: Question, items: Iterable[Item], found: Mapping[int, float], weights: Weights
) -> Iterator[tuple[Item, Parts]]:
    for item in items:
        yield item, Parts(own=found[item.id], speaker=_speaker(question, item, weights))


# -- messages ------------------------------------------------------------------------------------


class _Days(NamedTuple):
    """The messages said on a day that the question names: (first, last) id by session."""

    ranges: Sequence[tuple[int, int]]
    strength: float

    def covers(self, message: int) -> bool:
        return any(first <= message <= last for first, last in self.ranges)


def _said_on(question: Question, evidence: Evidence) -> list[_Days]:
    days: list[_Days] = []
    size = evidence.size("message")
    for first, last in question.days:
        ranges = evidence.said_between(first, last)
        count = sum(end - start + 1 for start, end in ranges)
        if count:
            rarity = math.log((size - count + 0.5) / (count + 0.5)) if count < size else 0.0
            days.append(_Days(ranges, max(rarity, 0.2)))
    return days


def _score_messages(
    question: Question, evidence: Evidence, matches: Matches, days: Sequence[_Days], w: Weights
) -> list[tuple[Item, Parts]]:
    """The messages that are evidence, each with its parts, in any order."""
    pool = _candidates(matches, days, w)
    sessions = matches.by_session({row >> _SESSION_SHIFT for row in pool})
    dates = {row: max((d.strength for d in days if d.covers(row)), default=0.0) for row in pool}
    totals = matches.totals

    def rough(row: int) -> float:
        near = (
            w.before * totals.get(row - 1, 0.0)
            + w.second_before * totals.get(row - 2, 0.0)
            + w.after * totals.get(row + 1, 0.0)
            + w.second_after * totals.get(row + 2, 0.0)
        )
        session = w.session * sessions[row >> _SESSION_SHIFT]
        return totals.get(row, 0.0) + near + session + w.date * dates[row]

    best = sorted(pool, key=lambda row: (-rough(row), -row))[: w.candidates]
    items = evidence.messages(best)
    weighed = {item.id: _loudness(item, w) for item in items}
    scored = []
    for item in items:
        own, neighbours = _words_and_neighbours(item.id, matches, weighed, w)
        parts = Parts(
            own=own,
            neighbours=neighbours,
            session=w.session * sessions[item.id >> _SESSION_SHIFT],
            date=w.date * dates[item.id],
            speaker=_speaker(question, item, w),
            role=w.user if _is_plain_user(item) and not question.about_assistant else 1.0,
        )
        if own or neighbours or parts.date:
            scored.append((item, parts))
    return scored


def _candidates(matches: Matches, days: Sequence[_Days], w: Weights) -> list[int]:
    """The best matching rows, the rows around them, and those of the days asked for."""
    pool: set[int] = set()
    for row in matches.strongest(w.spread):
        pool.update((row - 2, row - 1, row, row + 1, row + 2))
    for day in days:
        for first, last in day.ranges:
            if len(pool) < 5 * w.spread:
                pool.update(range(first, min(last, first + w.spread) + 1))
    return sorted(pool)


def _words_and_neighbours(
    row: int, matches: Matches, loudness: Mapping[int, float], w: Weights
) -> tuple[float, float]:
    """The row's own match, and what its neighbours add to it, word by word."""
    around = [
        (row + step, weight * loudness.get(row + step, 1.0))
        for step, weight in (
            (-1, w.before), (-2, w.second_before), (1, w.after), (2, w.second_after)
        )
    ]
    total = words = 0.0
    for scores in matches.concepts:
        own = scores.get(row, 0.0)
        near = sum(weight * scores[other] for other, weight in around if other in scores)
        words += own
        total += own + w.repeated * near if own >= near else near + w.repeated * own
    return words, total - words


def _loudness(item: Item, w: Weights) -> float:
    """How much of a message counts for its neighbours: an assistant's long lecture drowns them."""
    if item.speaker is not None:
        return 1.0
    return min(1.0, w.neighbour_length / max(len(item.content), 1))


def _is_plain_user(item: Item) -> bool:
    return item.speaker is None and item.role == "user"


def _speaker(question: Question, item: Item, w: Weights) -> float:
    """The factor for what a named person says; without a speaker, for what names the person."""
    if not question.names:
        return 1.0
    if item.speaker is not None:
        return w.named_speaker if item.speaker in question.names else 1.0
    content = fold(item.content)
    return w.named_speaker if any(fold(name) in content for name in question.names) else 1.0


# -- cells ---------------------------------------------------------------------------------------


def _cells_and_messages(
    question: Question,
    evidence: Evidence,
    said: Sequence[tuple[Item, Parts]],
    limit: int,
    w: Weights,
) -> list[tuple[Item, Parts]]:
    """The cells of the best messages, the messages without any, and cells that match themselves."""
    best = sorted(said, key=lambda entry: (-entry[1].score, -entry[0].id))[: max(3 * limit, 60)]
    sources = {item.id: (item, parts) for item, parts in best}
    found = _own_matches(question, evidence, w.candidates)
    cells: dict[int, list[Item]] = {}
    for cell in evidence.cells_of(sources):
        if cell.source is not None:
            cells.setdefault(cell.source, []).append(cell)
    silent = evidence.extracted(sources)
    hits: list[tuple[Item, Parts]] = []
    seen: set[int] = set()
    for message, parts in best:
        own = cells.get(message.id, [])
        if not own and parts.own and message.id not in silent:
            hits.append((message, parts))
        strongest = max((found.get(cell.id, 0.0) for cell in own), default=0.0)
        for cell in own:
            share = found.get(cell.id, 0.0) / strongest if strongest else 1.0
            words = max(parts.own * (0.5 + 0.5 * share), found.get(cell.id, 0.0))
            hits.append((cell, parts._replace(own=words)))
            seen.add(cell.id)
    others = evidence.cells(row for row in found if row not in seen)
    hits.extend(_sourceless(question, others, found, w))
    return hits


# -- order ---------------------------------------------------------------------------------------


def _settle(entries: Iterable[tuple[Item, Parts]], w: Weights) -> list[Hit]:
    """The hits in order: with what decides near ties, best first."""
    found = list(entries)
    times = sorted({item.at for item, _ in found})
    newest = {at: i / max(len(times) - 1, 1) for i, at in enumerate(times)}
    hits = []
    for item, parts in found:
        full = parts._replace(
            recency=1.0 + w.recency * newest[item.at],
            salience=1.0 + w.salience * item.salience,
            use=1.0 + w.use * min(item.recalls, 10) / 10,
        )
        hits.append(Hit(item, full.score, full))
    hits.sort(key=lambda hit: (-hit.score, -hit.item.at.timestamp(), -hit.item.id))
    return hits
