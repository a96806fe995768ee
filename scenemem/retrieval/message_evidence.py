"""What messages are evidence of: each by its own words, its neighbours, session, day and speaker.

A first look at all that matches picks the candidates by which terms they and the messages around
them hold; only these are read, and weighed in full, with the length of their texts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scenemem.base.records import SESSION_SHIFT
from scenemem.base.text import fold
from scenemem.retrieval.matching import Matches
from scenemem.retrieval.question import Question
from scenemem.retrieval.weights import Weights
from scenemem.store.evidence import Evidence, Item

if TYPE_CHECKING:
    from scenemem.retrieval.meaning import AskedMeaning

__all__ = ["Scored", "brevity_in", "dates_asked_for", "score_messages", "speaker_factor"]

_TOLD_OF = 80  # messages of a day asked for, by what they speak of, that are weighed
_SAID_ON = 750  # and by when they were said
_WORDLESS = 5.0  # the strength of a question of whose words no message holds any


class Scored:
    """An item that may become a hit, and what is known of its parts so far."""

    __slots__ = (
        "date", "item", "meaning", "neighbours", "own", "role", "scene", "session", "speaker",
    )  # fmt: skip

    def __init__(self, item: Item, own: float, speaker: float) -> None:
        self.item = item
        self.own = own
        self.speaker = speaker
        self.neighbours = self.session = self.scene = self.date = self.meaning = 0.0
        self.role = 1.0

    def told_by(self, cell: Item, own: float) -> Scored:
        """The same evidence, for a cell that came from this message."""
        entry = Scored(cell, own, self.speaker)
        entry.neighbours, entry.session = self.neighbours, self.session
        entry.date, entry.meaning, entry.role = self.date, self.meaning, self.role
        return entry

    @property
    def bears_itself(self) -> bool:
        """Whether its own words or meaning bear on the question, and not only what is around it."""
        return bool(self.own or self.meaning)

    @property
    def strength(self) -> float:
        """The score, but for what decides near ties and how it is told."""
        total = self.own + self.neighbours + self.session + self.scene + self.date + self.meaning
        return total * self.speaker * self.role


def score_messages(
    question: Question,
    evidence: Evidence,
    matches: Matches,
    dates: Mapping[int, float],
    limit: int,
    w: Weights,
    meaning: AskedMeaning | None = None,
) -> list[Scored]:
    """The messages that are evidence, at most `limit` and a margin, in any order."""
    ids, sessions = _candidates(matches, dates, limit + w.margin, w)
    items = evidence.messages(ids)
    voices = _voices(items, w)
    scored, steps = [], _steps(w)
    for item in items:
        own, neighbours = _own_and_neighbours(item.id, matches, voices, steps, w)
        date = dates.get(item.id, 0.0)
        if not (own or neighbours or date):
            continue
        entry = _weighed(question, item, own, w)
        entry.neighbours = neighbours
        entry.session = w.session * sessions[item.id >> SESSION_SHIFT]
        entry.date = date
        scored.append(entry)
    if meaning is None:
        return scored
    return scored + _like_in_meaning(
        question, evidence, matches, scored, meaning, limit + w.margin, w
    )


def _weighed(question: Question, item: Item, own: float, w: Weights) -> Scored:
    """A message with its own match and with who says it."""
    entry = Scored(item, own, speaker_factor(question, item, w))
    if item.speaker is None and item.role == "user" and not question.about_assistant:
        entry.role = w.user
    return entry


def _like_in_meaning(
    question: Question,
    evidence: Evidence,
    matches: Matches,
    scored: Sequence[Scored],
    meaning: AskedMeaning,
    most: int,
    w: Weights,
) -> list[Scored]:
    """Weigh the likeness of what was scored; the nearest `most` messages that were not, scored.

    What is just like the question counts as much as what holds all of its words.
    """
    like = meaning.nearest(evidence, most, w.unlike)
    known = {entry.item.id for entry in scored}
    like |= meaning.likeness(known - like.keys())
    if not like:
        return []
    more = [_weighed(question, item, 0.0, w) for item in evidence.messages(like.keys() - known)]
    strength = w.meaning * (matches.whole or _WORDLESS)
    for entry in chain(scored, more):
        entry.meaning = strength * max(like.get(entry.item.id, 0.0) - w.unlike, 0.0)
    return more


def _candidates(
    matches: Matches, dates: Mapping[int, float], most: int, w: Weights
) -> tuple[list[int], dict[int, float]]:
    """The `most` messages that hold most, with their neighbours, whatever their length.

    With them, how much of the question their sessions hold.
    """
    strongest = matches.strongest(most)
    of_the_day = dates.keys() & _within(2, matches.masks.keys() & dates.keys())
    asked_for = of_the_day if len(of_the_day) > most else dates.keys()
    pool = _within(2, strongest) | asked_for
    held = matches.totals(_within(4, strongest) | _within(2, asked_for))
    rough = {row: held.get(row, 0.0) for row in pool}
    # Few rows of the pool have a match before or after them; what holds none adds nothing.
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
    """From a message to its neighbours, and how much of what these hold counts for it."""
    return (-1, w.before), (-2, w.second_before), (1, w.after), (2, w.second_after)


def dates_asked_for(question: Question, evidence: Evidence, w: Weights) -> dict[int, float]:
    """The messages said on, or speaking of, a day that the question names, by rarity."""
    dates: dict[int, float] = {}
    if not question.days:
        return dates
    size = evidence.size("message")
    for first, last in question.days:
        ranges = evidence.said_between(first, last)
        count = sum(high - low + 1 for low, high in ranges)
        strength = w.date * max(math.log(1.0 + (size - count + 0.5) / (count + 0.5)), 0.2)
        found = evidence.told_of(first, last, _TOLD_OF)
        for low, high in ranges:
            if len(found) < _SAID_ON:
                found.extend(range(low, min(high, low + _SAID_ON // 5) + 1))
        for row in found:
            dates[row] = max(dates.get(row, 0.0), strength)
    return dates


# How much a match in a message counts for itself, and for its neighbours.
_Voice = tuple[float, float]
_UNHEARD: _Voice = (1.0, 1.0)


def _voices(items: Sequence[Item], w: Weights) -> dict[int, _Voice]:
    """The voices of messages: long texts count less, the lectures of an unnamed assistant least.

    Such lectures hold words of everything and would drown what the user says between them.
    """
    brevity = brevity_in(items, w)
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


def speaker_factor(question: Question, item: Item, w: Weights) -> float:
    """The factor for what a named person says; without a speaker, for what names the person."""
    if not question.names:
        return 1.0
    if item.speaker is not None:
        return w.named if item.speaker in question.names else 1.0
    content = fold(item.content)
    return w.named if any(fold(name) in content for name in question.names) else 1.0


def brevity_in(items: Sequence[Item], w: Weights) -> Callable[[Item], float]:
    """How much a match counts in a text of this length: the length norm of BM25 at one match."""
    mean = sum(len(item.content) for item in items) / max(len(items), 1) or 1.0
    floor, slope = 1 + w.saturation * (1 - w.length), w.saturation * w.length / mean
    return lambda item: (w.saturation + 1) / (floor + slope * len(item.content))
