"""Ranking: cells and messages in the order of their evidence for a question.

A message is evidence by what it says, by what was said right before and after it, by how much of
the question its session is about, by who speaks, and by the day it was said on. A cell stands on
the evidence of the message it came from and on its own words; a message from which no cell was
made stands for itself. Between near equals the newer, the more salient, the more used one comes
first. `Weights` holds every number, `Parts` says what each hit's score is made of. Pure: the same
question over the same evidence gives the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from scenemem.base.sentences import sentences
from scenemem.base.text import fold, words
from scenemem.retrieval.matching import MOST_ROWS, Matches, find_matches
from scenemem.retrieval.message_evidence import (
    Scored,
    brevity_in,
    dates_asked_for,
    score_messages,
    speaker_factor,
)
from scenemem.retrieval.question import Question
from scenemem.retrieval.weights import DEFAULT_WEIGHTS, Parts, Weights, score_of
from scenemem.store.evidence import Evidence, Item

if TYPE_CHECKING:
    from scenemem.retrieval.meaning import AskedMeaning

__all__ = [
    "DEFAULT_WEIGHTS",
    "Hit",
    "Parts",
    "Ranking",
    "Weights",
    "rank",
    "rank_cells",
]

_SAME = 12  # characters at an end of a cell that show it to be the message's own words
_STEM = 4
# A long question tells of who asks: "… for my living room, with a cat that sheds a lot?"
_LONG_QUESTION = 70
# What only asks has no other end mark, and nothing behind a question mark but a space.
_MAY_STATE = re.compile(r"[.!…。！।\n]|[?？؟][^\s?？؟]")
_OF_ONESELF = re.compile(
    r"\b(?:my|our|(?:i|we)['’](?:m|re|ve)|(?:i|we) (?:am|are|have|was|were))\b", re.IGNORECASE
)
_NEAR_TIES = 15  # cells beyond the limit that length, recency or salience may still bring into it


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
    question: Question,
    evidence: Evidence,
    *,
    limit: int,
    weights: Weights = DEFAULT_WEIGHTS,
    meaning: AskedMeaning | None = None,
) -> Ranking:
    """The best `limit` cells and messages for the question.

    With the question's `meaning`, likeness to it is evidence beside the words.
    """
    if question.only_stopwords or not (question.terms or question.days):
        return Ranking(())
    if not evidence.size("message"):
        return rank_cells(question, evidence, limit=limit, weights=weights)
    dates = dates_asked_for(question, evidence, weights)
    matches = find_matches(evidence, "message", question.terms, within=dates)
    said = score_messages(question, evidence, matches, dates, limit, weights, meaning)
    like = _plan_for_cells(evidence, matches)
    own = find_matches(evidence, "cell", question.terms, like=like)
    entries = _cells_and_messages(question, evidence, said, matches, own, limit, weights)
    hits = _in_order(question, entries, limit, weights)
    return Ranking(hits, matches.exact and own.exact, len(matches) + len(own))


def _plan_for_cells(evidence: Evidence, matches: Matches) -> Matches | None:
    """The matches among messages, where the cells are too many to be counted apart, and like them.

    Cells that come from messages hold about the same words; those of another origin may not.
    """
    messages, cells = evidence.size("message"), evidence.size("cell")
    return matches if cells > MOST_ROWS and 2 * messages >= cells else None


def rank_cells(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The best `limit` cells by their own words alone; messages take no part."""
    own = find_matches(evidence, "cell", question.terms)
    items = evidence.cells(own.strongest(limit + _NEAR_TIES))
    entries = _by_own_words(question, items, own, weights)
    _add_scenes(entries, weights)
    return Ranking(_in_order(question, entries, limit, weights), own.exact, len(own))


def _by_own_words(
    question: Question, items: Sequence[Item], own: Matches, w: Weights
) -> list[Scored]:
    brevity = brevity_in(items, w)
    return [
        Scored(item, own.total(item.id) * brevity(item), speaker_factor(question, item, w))
        for item in items
    ]


# -- cells ---------------------------------------------------------------------------------------


def _cells_and_messages(
    question: Question,
    evidence: Evidence,
    said: Sequence[Scored],
    matches: Matches,
    own: Matches,
    limit: int,
    w: Weights,
) -> list[Scored]:
    """The cells of the best messages, the messages without any, and cells that match themselves."""
    ordered = sorted(said, key=lambda entry: (-entry.strength, -entry.item.id))
    best = ordered[: limit + w.margin]
    cells: dict[int, list[Item]] = {}
    for cell in evidence.cells_of(entry.item.id for entry in best):
        if cell.source is not None:
            cells.setdefault(cell.source, []).append(cell)
    told = {cell.id for made in cells.values() for cell in made}
    alone = evidence.cells(row for row in own.strongest(limit + _NEAR_TIES) if row not in told)
    brevity = brevity_in([cell for made in cells.values() for cell in made] + alone, w)
    silent = evidence.extracted(
        entry.item.id for entry in best if entry.bears_itself and entry.item.id not in cells
    )
    entries: list[Scored] = []
    for entry in best:
        made = cells.get(entry.item.id)
        if made:
            entries += _told_in_cells(entry, made, matches, own, brevity, w)
        elif entry.bears_itself and entry.item.id not in silent and not _user_asks(entry.item):
            # What neither bears on it itself nor was worth a cell ("ok"), and what a user only
            # asked, is no answer.
            entries.append(entry)
    entries += _by_own_words(question, alone, own, w)
    _add_scenes(entries, w)
    return entries


def _told_in_cells(
    entry: Scored,
    made: Sequence[Item],
    matches: Matches,
    own: Matches,
    brevity: Callable[[Item], float],
    w: Weights,
) -> Iterator[Scored]:
    """The cells of a message, and the message too where they lack the very word that is asked for,
    or tell something else than it does: a model may have worded it anew, or made it up."""
    held = [own.total(cell.id) for cell in made]
    most = max(held)
    told = set[int]().union(*(own.strengths(cell.id) for cell in made))
    stands = not _user_asks(entry.item) and (
        not matches.strengths(entry.item.id).keys() <= told
        or any(_strays(cell.content, entry.item.content) for cell in made)
    )
    if stands:
        yield entry
    for cell, holds in zip(made, held, strict=True):
        if stands and not holds:
            continue  # the message itself says more
        share = w.sibling + (1 - w.sibling) * holds / most if most else 1.0
        yield entry.told_by(cell, max(entry.own * share, holds * brevity(cell)))


def _strays(cell: str, message: str) -> bool:
    """Whether a cell is in other words than the message that it is said to come from."""
    if cell[:_SAME] in message or cell[-_SAME:] in message:
        return False
    said = {fold(word)[:_STEM] for word in words(message)}
    told = [fold(word)[:_STEM] for word in words(cell) if len(word) > 3]
    return 2 * sum(word in said for word in told) < len(told)


def _add_scenes(entries: Sequence[Scored], w: Weights) -> None:
    """Add to each cell what the three best others of its scene hold on average."""
    owned: dict[str, list[float]] = {}
    for entry in entries:
        if entry.item.scene is not None:
            owned.setdefault(entry.item.scene, []).append(entry.own)
    best_of = {
        scene: sorted(values, reverse=True)[:4]
        for scene, values in owned.items()
        if len(values) > 1
    }
    for entry in entries:
        best = best_of.get(entry.item.scene or "")
        if best:
            others = sum(best) - entry.own if entry.own >= best[-1] else sum(best[:3])
            entry.scene = w.scene * others / 3


# -- order ---------------------------------------------------------------------------------------


def _in_order(
    question: Question, entries: Sequence[Scored], limit: int, w: Weights
) -> tuple[Hit, ...]:
    """The best `limit` hits: with how each is told, and what decides near ties."""
    times = sorted({entry.item.at for entry in entries})
    newest = {at: place / max(len(times) - 1, 1) for place, at in enumerate(times)}
    scored = []
    for entry in entries:
        item = entry.item
        values = (
            entry.own,
            entry.neighbours,
            entry.session,
            entry.scene,
            entry.date,
            entry.meaning,
            entry.speaker,
            entry.role,
            _telling_factor(question, item, w),
            1.0 + w.recency * newest[item.at],
            1.0 + w.salience * item.salience,
            1.0 + w.use * min(item.recalls, 10) / 10,
        )
        scored.append((score_of(*values), item.at, item.id, item, values))
    scored.sort(key=itemgetter(0, 1, 2), reverse=True)
    return tuple(Hit(item, score, Parts(*values)) for score, _, _, item, values in scored[:limit])


def _only_asks(item: Item) -> bool:
    return _asks(item.content.rstrip())


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？", "؟"))


def _user_asks(item: Item) -> bool:
    """Whether it is a mere question of a user's, who tells the assistant nothing by it."""
    if item.speaker is not None or item.role != "user" or not _only_asks(item):
        return False
    if _MAY_STATE.search(item.content) and not all(map(_asks, sentences(item.content))):
        return False
    return len(item.content) < _LONG_QUESTION or _OF_ONESELF.search(item.content) is None


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
