"""Ranking: the cells and messages that answer a question, best first.

A message is evidence by what it says, by what was said right before and after it, by how much of
the question its session is about, by who speaks, and by the day it was said. A cell inherits the
evidence of the message it came from and adds its own words. A message that no cell was made from
ranks for itself. Between near equals, the newer, the more salient and the more often recalled one
comes first.

A first look at everything that matches picks the candidates by which terms they and the messages
around them hold. Only the candidates are read and scored in full. `weights` holds every number and
names the parts of a score. Pure: the same question over the same evidence gives the same order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from scenemem.base.records import SESSION_SHIFT
from scenemem.base.text import fold, words
from scenemem.retrieval.matching import MOST_ROWS, Matches, find_matches
from scenemem.retrieval.question import Question
from scenemem.retrieval.weights import DEFAULT_WEIGHTS, EVIDENCE, FACTORS, Weights, score_of
from scenemem.store.evidence import Evidence, Item

if TYPE_CHECKING:
    from scenemem.retrieval.meaning import AskedMeaning

__all__ = ["Ranked", "Ranking", "rank", "rank_cells"]

_ABOUT_A_DAY = 80  # messages scored because they are about a day that the question names
_SAID_ON_A_DAY = 750  # messages scored because they were said on such a day
_NO_WORDS = 5.0  # strength of a question if no message holds any of its words
_SAME = 12  # characters at either end of a cell that show it quotes its message
_STEM = 4
# Long questions also say things about the person who asks: "... for my living room, with a cat?"
_LONG_QUESTION = 70
_NEAR_TIES = 15  # cells beyond the limit that length, recency or salience may still move into it


class Ranked(NamedTuple):
    """A cell or a message that is evidence for the question, and the parts of its score."""

    item: Item
    score: float
    parts: dict[str, float]


class Ranking(NamedTuple):
    """The hits, best first; whether everything that matches was read; how many rows matched."""

    hits: tuple[Ranked, ...]
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

    If the question's `meaning` is given, similarity of meaning counts as evidence too.
    """
    if question.only_stopwords or not (question.terms or question.days):
        return Ranking(())
    if not evidence.size("message"):
        return rank_cells(question, evidence, limit=limit, weights=weights)
    dates = _dates_asked_for(question, evidence, weights)
    matches = find_matches(evidence, "message", question.terms, within=dates)
    said = _score_messages(question, evidence, matches, dates, limit, weights, meaning)
    like = _plan_for_cells(evidence, matches)
    own = find_matches(evidence, "cell", question.terms, like=like)
    entries = _cells_and_messages(question, evidence, said, matches, own, limit, weights)
    hits = _in_order(question, entries, limit, weights)
    return Ranking(hits, matches.exact and own.exact, len(matches) + len(own))


def _plan_for_cells(evidence: Evidence, matches: Matches) -> Matches | None:
    """The message matches, if there are too many cells to count and they resemble the messages.

    Cells made from messages hold about the same words; cells from elsewhere may not.
    """
    messages, cells = evidence.size("message"), evidence.size("cell")
    return matches if cells > MOST_ROWS and 2 * messages >= cells else None


def rank_cells(
    question: Question, evidence: Evidence, *, limit: int, weights: Weights = DEFAULT_WEIGHTS
) -> Ranking:
    """The best `limit` cells by their own words alone, without any messages."""
    own = find_matches(evidence, "cell", question.terms)
    items = evidence.cells(own.strongest(limit + _NEAR_TIES))
    entries = _by_own_words(question, items, own, weights)
    _add_scenes(entries, weights)
    return Ranking(_in_order(question, entries, limit, weights), own.exact, len(own))


_NO_EVIDENCE = dict.fromkeys(EVIDENCE, 0.0)
_NO_FACTORS = dict.fromkeys(FACTORS, 1.0)


class _Entry:
    """A cell or message that may become a hit, with the parts of its score so far."""

    __slots__ = ("evidence", "factors", "item")

    def __init__(self, item: Item, evidence: dict[str, float], factors: dict[str, float]) -> None:
        self.item = item
        self.evidence = evidence
        self.factors = factors

    @classmethod
    def of(cls, question: Question, item: Item, own: float, w: Weights) -> _Entry:
        """An item with the strength of its own words and with its speaker."""
        entry = cls(item, _NO_EVIDENCE.copy(), _NO_FACTORS.copy())
        entry.evidence["own"] = own
        entry.factors["speaker"] = _speaker_factor(question, item, w)
        return entry

    def told_by(self, cell: Item, own: float) -> _Entry:
        """The same parts for a cell that came from this message, but for its own words."""
        entry = _Entry(cell, self.evidence.copy(), self.factors.copy())
        entry.evidence["own"] = own
        return entry

    @property
    def bears_itself(self) -> bool:
        """Whether its own words or meaning match, not only what surrounds it."""
        return bool(self.evidence["own"] or self.evidence["meaning"])


# -- messages ------------------------------------------------------------------------------------


def _score_messages(
    question: Question,
    evidence: Evidence,
    matches: Matches,
    dates: Mapping[int, float],
    limit: int,
    w: Weights,
    meaning: AskedMeaning | None,
) -> list[_Entry]:
    """The messages that are evidence, at most `limit` plus a margin, in any order."""
    most = limit + w.margin
    ids, sessions = _candidates(matches, dates, most, w)
    items = evidence.messages(ids)
    voices = _voices(items, w)
    scored, steps = [], _steps(w)
    for item in items:
        own, neighbours = _own_and_neighbours(item.id, matches, voices, steps, w)
        date = dates.get(item.id, 0.0)
        if not (own or neighbours or date):
            continue
        entry = _message_entry(question, item, own, w)
        entry.evidence["neighbours"] = neighbours
        entry.evidence["session"] = w.session * sessions[item.id >> SESSION_SHIFT]
        entry.evidence["date"] = date
        scored.append(entry)
    if meaning is None:
        return scored
    return scored + _add_meaning(question, evidence, matches, scored, meaning, most, w)


def _message_entry(question: Question, item: Item, own: float, w: Weights) -> _Entry:
    """A message with the strength of its own words, its speaker and its role."""
    entry = _Entry.of(question, item, own, w)
    if item.speaker is None and item.role == "user" and not question.about_assistant:
        entry.factors["role"] = w.user
    return entry


def _add_meaning(
    question: Question,
    evidence: Evidence,
    matches: Matches,
    scored: Sequence[_Entry],
    meaning: AskedMeaning,
    most: int,
    w: Weights,
) -> list[_Entry]:
    """Add similarity of meaning to what was scored; return the `most` nearest other messages.

    A message that means exactly what the question does counts as much as one with all its words.
    """
    like = meaning.nearest(evidence, most, w.unlike)
    known = {entry.item.id for entry in scored}
    like |= meaning.likeness(known - like.keys())
    if not like:
        return []
    more = [
        _message_entry(question, item, 0.0, w) for item in evidence.messages(like.keys() - known)
    ]
    strength = w.meaning * (matches.whole or _NO_WORDS)
    for entry in chain(scored, more):
        entry.evidence["meaning"] = strength * max(like.get(entry.item.id, 0.0) - w.unlike, 0.0)
    return more


def _candidates(
    matches: Matches, dates: Mapping[int, float], most: int, w: Weights
) -> tuple[list[int], dict[int, float]]:
    """The `most` messages that hold most together with their neighbours, regardless of length.

    Also returns how much of the question each of their sessions holds.
    """
    strongest = matches.strongest(most)
    of_the_day = dates.keys() & _within(2, matches.masks.keys() & dates.keys())
    asked_for = of_the_day if len(of_the_day) > most else dates.keys()
    pool = _within(2, strongest) | asked_for
    held = matches.totals(_within(4, strongest) | _within(2, asked_for))
    rough = {row: held.get(row, 0.0) for row in pool}
    # Few rows of the pool have a match next to them, so it is faster to start from the matches.
    for step, weight in _steps(w):
        for row, strength in held.items():
            if row - step in rough:
                rough[row - step] += weight * strength
    sessions = matches.of_sessions({row >> SESSION_SHIFT for row in pool})
    ordered = [
        (strength + w.session * sessions[row >> SESSION_SHIFT] + dates.get(row, 0.0), row)
        for row, strength in rough.items()
    ]
    ordered.sort(reverse=True)
    return [row for _, row in ordered[:most]], sessions


def _within(reach: int, rows: Iterable[int]) -> set[int]:
    """The rows and those around them, up to `reach` away."""
    return set(chain.from_iterable([range(row - reach, row + reach + 1) for row in rows]))


def _steps(w: Weights) -> tuple[tuple[int, float], ...]:
    """The steps from a message to its neighbours, each with the weight of what they hold."""
    return (-1, w.before), (-2, w.second_before), (1, w.after), (2, w.second_after)


def _dates_asked_for(question: Question, evidence: Evidence, w: Weights) -> dict[int, float]:
    """The messages said on a day that the question names, or about it; rarer days count more."""
    dates: dict[int, float] = {}
    if not question.days:
        return dates
    size = evidence.size("message")
    for first, last in question.days:
        ranges = evidence.said_between(first, last)
        count = sum(high - low + 1 for low, high in ranges)
        strength = w.date * max(math.log(1.0 + (size - count + 0.5) / (count + 0.5)), 0.2)
        found = evidence.told_of(first, last, _ABOUT_A_DAY)
        for low, high in ranges:
            if len(found) < _SAID_ON_A_DAY:
                found.extend(range(low, min(high, low + _SAID_ON_A_DAY // 5) + 1))
        for row in found:
            dates[row] = max(dates.get(row, 0.0), strength)
    return dates


# How much a match in a message counts for the message itself, and for its neighbours.
_Voice = tuple[float, float]
_UNHEARD: _Voice = (1.0, 1.0)


def _voices(items: Sequence[Item], w: Weights) -> dict[int, _Voice]:
    """The voice of each message: long texts count less, an unnamed assistant's lectures least.

    Lectures hold words about everything and would drown out what the user says between them.
    """
    brevity = _brevity_in(items, w)
    voices = {}
    for item in items:
        own = brevity(item)
        lecture = item.speaker is None and len(item.content) > w.lecture
        voices[item.id] = own, own * w.lecture / len(item.content) if lecture else own
    return voices


def _own_and_neighbours(
    row: int,
    matches: Matches,
    voices: Mapping[int, _Voice],
    steps: Sequence[tuple[int, float]],
    w: Weights,
) -> tuple[float, float]:
    """The row's own match, and what its neighbours add to it, concept by concept."""
    voice = voices[row][0]
    near: dict[int, float] = {}
    for step, weight in steps:
        if held := matches.strengths(row + step):
            heard = weight * voices.get(row + step, _UNHEARD)[1]
            for concept, strength in held.items():
                near[concept] = near.get(concept, 0.0) + heard * strength
    mine = matches.strengths(row)
    added = 0.0
    for concept, around in near.items():
        own = mine.get(concept, 0.0) * voice
        added += w.repeated * around if own >= around else around - (1 - w.repeated) * own
    return matches.total(row) * voice, added


def _speaker_factor(question: Question, item: Item, w: Weights) -> float:
    """The factor for a person whom the question names: as the speaker, else within the text."""
    if not question.names:
        return 1.0
    if item.speaker is not None:
        return w.named if item.speaker in question.names else 1.0
    content = fold(item.content)
    return w.named if any(fold(name) in content for name in question.names) else 1.0


def _brevity_in(items: Sequence[Item], w: Weights) -> Callable[[Item], float]:
    """How much a match counts in a text of this length: BM25's length norm for one match."""
    mean = sum(len(item.content) for item in items) / max(len(items), 1) or 1.0
    floor, slope = 1 + w.saturation * (1 - w.length), w.saturation * w.length / mean
    return lambda item: (w.saturation + 1) / (floor + slope * len(item.content))


# -- cells ---------------------------------------------------------------------------------------


def _cells_and_messages(
    question: Question,
    evidence: Evidence,
    said: Sequence[_Entry],
    matches: Matches,
    own: Matches,
    limit: int,
    w: Weights,
) -> list[_Entry]:
    """The cells of the best messages, messages without cells, and cells that match themselves."""
    ordered = sorted(said, key=lambda e: (-score_of(e.evidence, e.factors), -e.item.id))
    best = ordered[: limit + w.margin]
    cells: dict[int, list[Item]] = {entry.item.id: [] for entry in best}
    alone: list[Item] = []
    found = evidence.cells(own.strongest(limit + _NEAR_TIES), of=cells)
    for cell in found:
        cells.get(cell.source or 0, alone).append(cell)
    brevity = _brevity_in(found, w)
    entries: list[_Entry] = []
    for entry in best:
        if made := cells[entry.item.id]:
            entries += _told_in_cells(entry, made, matches, own, brevity, w)
        elif entry.bears_itself and not entry.item.extracted and not _user_asks(entry.item):
            # A message that doesn't match itself and wasn't worth a cell ("ok") is no answer, and
            # neither is what a user only asked.
            entries.append(entry)
    entries += _by_own_words(question, alone, own, w)
    _add_scenes(entries, w)
    return entries


def _by_own_words(
    question: Question, items: Sequence[Item], own: Matches, w: Weights
) -> list[_Entry]:
    """Cells scored by their own words and who said them."""
    brevity = _brevity_in(items, w)
    return [_Entry.of(question, item, own.total(item.id) * brevity(item), w) for item in items]


def _told_in_cells(
    entry: _Entry,
    made: Sequence[Item],
    matches: Matches,
    own: Matches,
    brevity: Callable[[Item], float],
    w: Weights,
) -> Iterator[_Entry]:
    """The cells of a message.

    The message itself comes too if its cells lack a word that is asked for, or say something else
    than the message does: a model may have reworded it, or made it up.
    """
    held = [own.total(cell.id) for cell in made]
    most = max(held)
    told = set[int]().union(*[own.strengths(cell.id) for cell in made])
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
        yield entry.told_by(cell, max(entry.evidence["own"] * share, holds * brevity(cell)))


def _strays(cell: str, message: str) -> bool:
    """Whether a cell uses other words than the message it is said to come from."""
    if cell[:_SAME] in message or cell[-_SAME:] in message:
        return False
    said = {fold(word)[:_STEM] for word in words(message)}
    told = [fold(word)[:_STEM] for word in words(cell) if len(word) > 3]
    return 2 * sum(word in said for word in told) < len(told)


def _add_scenes(entries: Sequence[_Entry], w: Weights) -> None:
    """Add to each cell the average of the three best other cells of its scene."""
    owned: dict[str, list[float]] = {}
    for entry in entries:
        if entry.item.scene is not None:
            owned.setdefault(entry.item.scene, []).append(entry.evidence["own"])
    best_of = {
        scene: sorted(values, reverse=True)[:4]
        for scene, values in owned.items()
        if len(values) > 1
    }
    for entry in entries:
        best = best_of.get(entry.item.scene or "")
        if best:
            own = entry.evidence["own"]
            others = sum(best) - own if own >= best[-1] else sum(best[:3])
            entry.evidence["scene"] = w.scene * others / 3


# -- order ---------------------------------------------------------------------------------------


def _in_order(
    question: Question, entries: Sequence[_Entry], limit: int, w: Weights
) -> tuple[Ranked, ...]:
    """The best `limit` entries, after what each one tells and what decides near ties."""
    times = sorted({entry.item.at for entry in entries})
    newest = {at: place / max(len(times) - 1, 1) for place, at in enumerate(times)}
    scored = []
    for entry in entries:
        item, factors = entry.item, entry.factors
        factors["telling"] = _telling_factor(question, item, w)
        factors["recency"] = 1.0 + w.recency * newest[item.at]
        factors["salience"] = 1.0 + w.salience * item.salience
        factors["use"] = 1.0 + w.use * min(item.recalls, 10) / 10
        scored.append((score_of(entry.evidence, factors), item.at, item.id, entry))
    scored.sort(key=itemgetter(0, 1, 2), reverse=True)
    return tuple(
        Ranked(entry.item, score, entry.evidence | entry.factors)
        for score, _, _, entry in scored[:limit]
    )


def _telling_factor(question: Question, item: Item, w: Weights) -> float:
    """The factor for the kind of statement that answers: dated, counted, not just a question."""
    factor = 1.0
    if item.occurred_at is not None:
        factor *= 1.0 + w.dated * (2 if "when" in question.asks else 1)
    if "how many" in question.asks and any(c.isdigit() for c in item.content):
        factor *= 1.0 + w.counted
    if item.kind == "message" and _only_asks(item):
        factor *= 1.0 - w.asking
    return factor


def _only_asks(item: Item) -> bool:
    return _asks(item.content.rstrip())


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "？", "؟"))


def _user_asks(item: Item) -> bool:
    """Whether it is just a question of the user's, which tells the assistant nothing."""
    if item.speaker is not None or item.role != "user" or not _only_asks(item):
        return False
    if _may_state().search(item.content):
        from scenemem.base.sentences import sentences  # most questions are one sentence

        if not all(map(_asks, sentences(item.content))):
            return False
    return len(item.content) < _LONG_QUESTION or _of_oneself().search(item.content) is None


@cache
def _may_state() -> re.Pattern[str]:
    # What only asks has no other end mark, and nothing but a space after a question mark.
    return re.compile(r"[.!…。！।\n]|[?？؟][^\s?？؟]")


@cache
def _of_oneself() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:my|our|(?:i|we)['’](?:m|re|ve)|(?:i|we) (?:am|are|have|was|were))\b", re.IGNORECASE
    )
