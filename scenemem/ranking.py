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
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from scenemem.matching import SESSION_SHIFT, Evidence, Item, Kind, Matches, find_matches
from scenemem.query import Question
from scenemem.text import fold

__all__ = [
    "DEFAULT_WEIGHTS",
    "Evidence",
    "Hit",
    "Item",
    "Kind",
    "Parts",
    "Ranking",
    "Weights",
    "rank",
    "rank_cells",
]


class Weights(NamedTuple):
    """How much each part of the evidence counts, against 1 for a message's own words.

    What the parts are worth: without them, the share of LoCoMo / LongMemEval evidence among the
    first ten falls by .071 / .018 (neighbours), .037 / .042 (speaker and user), .023 / .000
    (dates), .011 / .018 (session), .003 / .018 (scene); of the terms of the question, by .009 /
    .021 (synonyms) and .005 / .000 (light words weighed down). The curves are flat around the
    values: doubling or halving one of them mostly moves that share by less than .01.
    """

    before: float = 0.4  # what was said right before it
    second_before: float = 0.35  # two before it: in a talk of two, by the same speaker
    after: float = 0.25  # right after it
    second_after: float = 0.2  # two after it
    repeated: float = 0.5  # the weaker of own and neighbours' match, where both hold a concept
    lecture: int = 150  # characters of an unnamed neighbour that count; of a longer one, less
    length: float = 0.7  # how far longer texts than the mean count less: b of BM25
    saturation: float = 1.2  # k1 of BM25
    session: float = 0.3  # how much of the question its session holds
    date: float = 3.0  # said on, or speaking of, a day that the question names
    named: float = 2.0  # factor: said by a person whom the question names
    user: float = 2.0  # factor: the user's own words, where messages have roles and no names
    dated: float = 0.2  # factor above 1: tells when it happened; twice that for "when"
    counted: float = 0.1  # factor above 1: has a number, where the question asks how many
    asking: float = 0.25  # factor below 1: a message that only asks
    sibling: float = 0.3  # of the own match of a message, what a cell has that holds none of it
    scene: float = 0.1  # the best other cells of its scene
    recency: float = 0.04  # factor from the oldest to the newest: decides near ties only
    salience: float = 0.03  # factor from salience 0 to 1: decides nearer ties
    use: float = 0.01  # factor from never to often recalled
    spread: int = 150  # best matching messages whose neighbours become candidates
    candidates: int = 80  # messages that are scored in full, at least


DEFAULT_WEIGHTS = Weights()
_NEAR_TIES = 15  # cells beyond the limit that length, recency or salience may still bring into it


class Parts(NamedTuple):
    """What a score is made of: the sum of the first five, times each of the others."""

    own: float = 0.0
    neighbours: float = 0.0
    session: float = 0.0
    scene: float = 0.0
    date: float = 0.0
    speaker: float = 1.0
    role: float = 1.0
    telling: float = 1.0
    recency: float = 1.0
    salience: float = 1.0
    use: float = 1.0

    @property
    def score(self) -> float:
        """The score."""
        total = self.own + self.neighbours + self.session + self.scene + self.date
        total *= self.speaker * self.role * self.telling
        return total * self.recency * self.salience * self.use


class Hit(NamedTuple):
    """A cell or a message that is evidence for the question, and why."""

    item: Item
    score: float
    parts: Parts


class Ranking(NamedTuple):
    """The hits, best first; whether all that matches was read; how many rows matched."""

    hits: tuple[Hit, ...]
    exact: bool = True
    rows: int = 0


def rank(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The best `limit` cells and messages for the question."""
    if not question.terms and not question.days:
        return Ranking(())
    if not evidence.size("message"):
        return rank_cells(question, evidence, limit=limit, weights=weights)
    matches = find_matches(evidence, "message", question.terms)
    most = max(weights.candidates, 2 * limit)
    said = _score_messages(question, evidence, matches, most, weights)
    own = find_matches(evidence, "cell", question.terms)
    entries = _cells_and_messages(question, evidence, said, matches, own, limit, weights)
    hits = _in_order(question, entries, weights)
    exact = matches.exact and own.exact
    return Ranking(tuple(hits[:limit]), exact, len(matches.totals) + len(own.totals))


def rank_cells(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The best `limit` cells by their own words alone; messages take no part."""
    own = find_matches(evidence, "cell", question.terms)
    items = evidence.cells(own.strongest(limit + _NEAR_TIES))
    entries = _with_scenes(_by_own_words(question, items, own, weights), weights)
    hits = _in_order(question, entries, weights)
    return Ranking(tuple(hits[:limit]), own.exact, len(own.totals))


def _by_own_words(
    question: Question, items: Sequence[Item], own: Matches, w: Weights
) -> list[tuple[Item, Parts]]:
    brevity = _brevity(items, w)
    return [
        (
            item,
            Parts(
                own=own.totals[item.id] * brevity(item), speaker=_speaker_factor(question, item, w)
            ),
        )
        for item in items
    ]


def _brevity(items: Sequence[Item], w: Weights) -> Callable[[Item], float]:
    """How much a match counts in a text of this length: the length norm of BM25 at one match."""
    mean = sum(len(item.content) for item in items) / max(len(items), 1) or 1.0
    floor, slope = 1 + w.saturation * (1 - w.length), w.saturation * w.length / mean
    return lambda item: (w.saturation + 1) / (floor + slope * len(item.content))


# -- messages ------------------------------------------------------------------------------------


def _score_messages(
    question: Question, evidence: Evidence, matches: Matches, most: int, w: Weights
) -> list[tuple[Item, Parts]]:
    """The `most` messages that are evidence, each with its parts, in any order."""
    dates = _dates_asked_for(question, evidence, w)
    totals = matches.totals
    pool = dict.fromkeys(
        row + step for row in matches.strongest(w.spread) for step in (0, -1, 1, -2, 2)
    )
    pool.update(dict.fromkeys(dates))
    sessions = matches.of_sessions({row >> SESSION_SHIFT for row in pool})
    held = totals.get

    def rough(row: int) -> tuple[float, int]:
        return (
            held(row, 0.0)
            + w.before * held(row - 1, 0.0)
            + w.second_before * held(row - 2, 0.0)
            + w.after * held(row + 1, 0.0)
            + w.second_after * held(row + 2, 0.0)
            + w.session * sessions[row >> SESSION_SHIFT]
            + dates.get(row, 0.0)
        ), row

    items = evidence.messages(sorted(pool, key=rough, reverse=True)[:most])
    voices = _voices(items, w)
    scored = []
    for item in items:
        own, neighbours = _own_and_neighbours(item.id, matches, voices, w)
        plain = item.speaker is None and item.role == "user"
        parts = Parts(
            own=own,
            neighbours=neighbours,
            session=w.session * sessions[item.id >> SESSION_SHIFT],
            date=dates.get(item.id, 0.0),
            speaker=_speaker_factor(question, item, w),
            role=w.user if plain and not question.about_assistant else 1.0,
        )
        if own or neighbours or parts.date:
            scored.append((item, parts))
    return scored


def _dates_asked_for(question: Question, evidence: Evidence, w: Weights) -> dict[int, float]:
    """The messages said on, or speaking of, a day that the question names, by rarity."""
    dates: dict[int, float] = {}
    if not question.days:
        return dates
    size = evidence.size("message")
    for first, last in question.days:
        ranges = evidence.said_between(first, last)
        count = sum(high - low + 1 for low, high in ranges)
        strength = w.date * max(math.log(1.0 + (size - count + 0.5) / (count + 0.5)), 0.2)
        found = evidence.told_of(first, last, w.candidates)
        for low, high in ranges:
            if len(found) < 5 * w.spread:
                found.extend(range(low, min(high, low + w.spread) + 1))
        for row in found:
            dates[row] = max(dates.get(row, 0.0), strength)
    return dates


class _Voice(NamedTuple):
    """How much a match in a message counts for itself, and for its neighbours."""

    own: float
    near: float


def _voices(items: Sequence[Item], w: Weights) -> dict[int, _Voice]:
    """The voices of messages: long texts count less, the lectures of an unnamed assistant least.

    Such lectures hold words of everything and would drown what the user says between them.
    """
    brevity = _brevity(items, w)
    voices = {}
    for item in items:
        own = brevity(item)
        lecture = item.speaker is None and len(item.content) > w.lecture
        voices[item.id] = _Voice(own, own * w.lecture / len(item.content) if lecture else own)
    return voices


_UNHEARD = _Voice(1.0, 1.0)


def _own_and_neighbours(
    row: int, matches: Matches, voices: Mapping[int, _Voice], w: Weights
) -> tuple[float, float]:
    """The row's own match, and what its neighbours add to it, concept by concept."""
    mine = matches.strengths(row)
    near = [0.0] * len(mine)
    for step, weight in ((-1, w.before), (-2, w.second_before), (1, w.after), (2, w.second_after)):
        other = row + step
        if other in matches.totals:
            weight *= voices.get(other, _UNHEARD).near
            near = [
                n + strength * weight
                for n, strength in zip(near, matches.strengths(other), strict=True)
            ]
    voice = voices[row].own
    words = total = 0.0
    for strength, around in zip(mine, near, strict=True):
        own = strength * voice
        words += own
        total += own + w.repeated * around if own >= around else around + w.repeated * own
    return words, total - words


def _speaker_factor(question: Question, item: Item, w: Weights) -> float:
    """The factor for what a named person says; without a speaker, for what names the person."""
    if not question.names:
        return 1.0
    if item.speaker is not None:
        return w.named if item.speaker in question.names else 1.0
    content = fold(item.content)
    return w.named if any(fold(name) in content for name in question.names) else 1.0


# -- cells ---------------------------------------------------------------------------------------


def _cells_and_messages(
    question: Question,
    evidence: Evidence,
    said: Sequence[tuple[Item, Parts]],
    matches: Matches,
    own: Matches,
    limit: int,
    w: Weights,
) -> list[tuple[Item, Parts]]:
    """The cells of the best messages, the messages without any, and cells that match themselves."""
    best = sorted(said, key=lambda entry: (-entry[1].score, -entry[0].id))[: max(2 * limit, 40)]
    sources = [item.id for item, _ in best]
    cells: dict[int, list[Item]] = {}
    for cell in evidence.cells_of(sources):
        if cell.source is not None:
            cells.setdefault(cell.source, []).append(cell)
    told = {cell.id for made in cells.values() for cell in made}
    alone = evidence.cells(row for row in own.strongest(max(2 * limit, 40)) if row not in told)
    brevity = _brevity([cell for made in cells.values() for cell in made] + alone, w)
    silent = evidence.extracted(sources)
    entries: list[tuple[Item, Parts]] = []
    for message, parts in best:
        made = cells.get(message.id, [])
        # What neither matches itself nor was worth a cell ("ok"), and what a user only asked, is no
        # answer.
        asked = message.speaker is None and message.role == "user" and _only_asks(message)
        if not made and message.id not in silent and parts.own and not asked:
            entries.append((message, parts))
        # Cells that a model worded anew may lack the very word that is asked for.
        told_by_cells = set[int]().union(*(own.held(cell.id) for cell in made))
        stands = bool(made) and not asked and not matches.held(message.id) <= told_by_cells
        if stands:
            entries.append((message, parts))
        most = max((own.totals.get(cell.id, 0.0) for cell in made), default=0.0)
        for cell in made:
            if stands and cell.id not in own.totals:
                continue  # the message itself says more
            holds = own.totals.get(cell.id, 0.0)
            share = w.sibling + (1 - w.sibling) * holds / most if most else 1.0
            words = max(parts.own * share, holds * brevity(cell))
            entries.append((cell, parts._replace(own=words)))
    entries.extend(_by_own_words(question, alone, own, w))
    return _with_scenes(entries, w)


def _with_scenes(entries: Sequence[tuple[Item, Parts]], w: Weights) -> list[tuple[Item, Parts]]:
    """The entries, each cell with what the three best others of its scene hold on average."""
    owned: dict[str, list[float]] = {}
    for item, parts in entries:
        if item.scene is not None:
            owned.setdefault(item.scene, []).append(parts.own)
    for values in owned.values():
        values.sort(reverse=True)
    settled = []
    for item, parts in entries:
        best = owned[item.scene][:4] if item.scene is not None else []
        if len(best) > 1:
            others = sum(best[:4]) - parts.own if parts.own >= best[-1] else sum(best[:3])
            parts = parts._replace(scene=w.scene * others / 3)
        settled.append((item, parts))
    return settled


# -- order ---------------------------------------------------------------------------------------


def _in_order(question: Question, entries: Iterable[tuple[Item, Parts]], w: Weights) -> list[Hit]:
    """The hits, best first: with what kind of statement it is, and what decides near ties."""
    found = list(entries)
    times = sorted({item.at for item, _ in found})
    newest = {at: i / max(len(times) - 1, 1) for i, at in enumerate(times)}
    hits = []
    for item, parts in found:
        full = Parts(
            *parts[:7],
            _telling_factor(question, item, w),
            1.0 + w.recency * newest[item.at],
            1.0 + w.salience * item.salience,
            1.0 + w.use * min(item.recalls, 10) / 10,
        )
        hits.append(Hit(item, full.score, full))
    hits.sort(key=lambda hit: (-hit.score, -newest[hit.item.at], -hit.item.id))
    return hits


def _only_asks(item: Item) -> bool:
    return item.content.rstrip().endswith(("?", "？", "؟"))


def _telling_factor(question: Question, item: Item, w: Weights) -> float:
    """The factor for statements of the kind that answers: dated, counted, not a mere question."""
    factor = 1.0
    if item.occurred_at is not None:
        factor *= 1.0 + w.dated * (2 if "when" in question.asks else 1)
    if "how many" in question.asks and any(c.isdigit() for c in item.content):
        factor *= 1.0 + w.counted
    if item.kind == "message" and _only_asks(item):
        factor *= 1.0 - w.asking
    return factor
