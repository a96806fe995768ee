"""A scene in under 100 words, made of its own statements.

Extractive: the statements that carry the scene are picked one by one, each for its salience, for
how much of the scene it covers that the others left out, and a little for being new (maximal
marginal relevance), and told in the order of time. Where a newer statement says much the same as an
older one, the newer stands. Names, numbers and dates count extra, as these are what a reader would
miss. Adding a cell changes little; the same cells give the same words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log1p

from scenemem.base.records import Cell, CellType
from scenemem.base.text import words
from scenemem.engines.rules.telling import (
    Told,
    date_label,
    dated,
    names_a_year,
    runs_on,
    tell,
    word_count,
)
from scenemem.engines.rules.terms import VAGUE_WEIGHT, is_field, terms

__all__ = ["summarize"]

MOST_CELLS = 240  # cells that are looked at, half for salience and half for being new
MOST_WORDS = 66  # leaves room for a line of what was lost in under 100
_FITTING = 40  # candidates whose wording is worked out, best first
_SAID_AGAIN = 0.6  # share of an older statement's terms from which a newer one takes its place
_LONGEST_JOINED = 26
_WORTH: Mapping[CellType, float] = {
    "decision": 0.2, "risk": 0.1, "task": 0.1, "plan": 0.05, "preference": 0.05, "fact": 0.0,
}  # fmt: skip
_SURE = 0.25
_NEW = 0.1
_TELLING = 0.05  # for each name or number, up to three
_COVER = 0.6
_LEAST_VALUE = 0.4  # of the first one's value: what is worth less is better left out
_IDLE = re.compile(
    r"(?:hey|hi|hello|let's|remember|check|look|take a look|here's|here is|can't wait|don't|keep|"
    r"good|great|oh|wow|thanks|so)\b|谢谢|感谢|你好|您好|再见|好的|好了|嗯|是的|哇|嗨|没问题|ありがとう|はい",
    re.IGNORECASE,
)
_DANGLING = 0.12  # for each word that points at what is not told, up to two
_POINTER = re.compile(r"\b(?:it|them|this|that|those|these|there|you|your)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Statement:
    cell: Cell
    terms: dict[str, float]
    worth: float


def summarize(scene: str, cells: Sequence[Cell]) -> str:
    """What the scene is about, in well under 100 words, from its `cells`; "" where there are none.

    Deterministic. However many cells, at most a few hundred are looked at: the most salient and
    the newest.
    """
    chosen = _bounded(cells)
    if not chosen:
        return ""
    statements = _weighed(scene, chosen)
    others = _partners(chosen)
    picked = _pick(statements, others)
    return _told_in_time(picked)


def _bounded(cells: Sequence[Cell]) -> list[Cell]:
    """At most `MOST_CELLS` cells, oldest first."""
    if len(cells) > MOST_CELLS:
        salient = sorted(cells, key=lambda cell: (-cell.salience, -cell.id))[: MOST_CELLS // 2]
        newest = sorted(cells, key=lambda cell: (cell.created_at, cell.id))[-MOST_CELLS // 2 :]
        cells = list({cell.id: cell for cell in (*salient, *newest)}.values())
    return sorted(cells, key=lambda cell: (cell.created_at, cell.id))


def _partners(cells: Sequence[Cell]) -> dict[str, str]:
    """Whom each of two speakers talks to."""
    speakers = sorted({cell.speaker for cell in cells if cell.speaker})
    if len(speakers) != 2:
        return {}
    one, two = speakers
    return {one: two, two: one}


def _weighed(scene: str, cells: Sequence[Cell]) -> list[_Statement]:
    """The statements with what each is worth by itself; what was said again later is left out."""
    read = [{t: w for t, w in terms(cell.content).items() if not is_field(t)} for cell in cells]
    said_in = Counter(term for found in read for term in found)
    named = terms(scene)
    kept: list[_Statement] = []
    newer = _Newer()
    for place in range(len(cells) - 1, -1, -1):
        cell, found = cells[place], read[place]
        if newer.say_again(found):
            continue
        newer.add(found)
        worth = _worth(cell, found, said_in, named, place / len(cells))
        kept.append(_Statement(cell, found, worth))
    kept.reverse()
    return kept


class _Newer:
    """The terms of newer statements, listed so that an older one finds those that share some."""

    def __init__(self) -> None:
        self._statements: list[Mapping[str, float]] = []
        self._saying: dict[str, list[int]] = {}

    def add(self, found: Mapping[str, float]) -> None:
        for term in found:
            self._saying.setdefault(term, []).append(len(self._statements))
        self._statements.append(found)

    def say_again(self, found: Mapping[str, float]) -> bool:
        """Whether one newer statement says most of what `found` does, and little else."""
        weight = sum(found.values())
        if weight < 1.0:
            return False
        shared: dict[int, float] = {}
        for term, share in found.items():
            for place in self._saying.get(term, ()):
                shared[place] = shared.get(place, 0.0) + share
        return any(
            share >= _SAID_AGAIN * weight and len(self._statements[place]) <= 2 * len(found) + 2
            for place, share in shared.items()
        )


def _worth(
    cell: Cell,
    found: Mapping[str, float],
    said_in: Counter[str],
    named: Mapping[str, float],
    newness: float,
) -> float:
    central = sum(w * log1p(said_in[t] - 1) for t, w in found.items() if said_in[t] > 1)
    about = any(term in named and weight > VAGUE_WEIGHT for term, weight in found.items())
    length = word_count(cell.content)
    size = -0.3 if length < 4 else -0.1 if length > 45 else 0.0
    return (
        cell.salience
        + _WORTH[cell.cell_type]
        + 0.15 * min(central, 4.0)
        + 0.25 * about
        + _NEW * newness
        + _TELLING * min(_telling_words(cell.content), 3)
        + size
    )


def _telling_words(content: str) -> int:
    """How many names and numbers a statement has, its first word left out."""
    return sum(word[0].isdigit() or word[0].isupper() for word in words(content)[1:] if word != "I")


def _pick(
    statements: Sequence[_Statement], others: Mapping[str, str]
) -> list[tuple[_Statement, Told]]:
    """The statements that are told, best first, until the words are used up."""
    ranked = sorted(statements, key=lambda s: (-round(s.worth, 2), -s.cell.id))[:_FITTING]
    told = [(s, tell(s.cell, others.get(s.cell.speaker or ""))) for s in ranked]
    open_ones = [(statement, text) for statement, text in told if text is not None]
    picked: list[tuple[_Statement, Told]] = []
    covered: Counter[str] = Counter()
    left, floor = MOST_WORDS, 0.0
    while open_ones:
        best = max(open_ones, key=lambda one: (_value(one, covered), one[0].cell.id))
        open_ones.remove(best)
        floor = floor or _LEAST_VALUE * _value(best, covered)
        if _value(best, covered) < floor:
            break
        if best[1].words > left - 2:  # a date may join it
            continue
        picked.append(best)
        covered.update(best[0].terms.keys())
        left -= best[1].words + 2
    if not picked and told:
        picked = [(s, text) for s, text in told if text is not None][:1]
    return picked


def _value(one: tuple[_Statement, Told], covered: Counter[str]) -> float:
    statement, told = one
    weight = sum(statement.terms.values()) or 1.0
    again = sum(w for term, w in statement.terms.items() if covered[term])
    return round(statement.worth + _wording(told) - _COVER * again / weight - 0.004 * told.words, 2)


def _wording(told: Told) -> float:
    """How well a told statement reads by itself."""
    worth = _SURE if told.subject else 0.0
    quote = told.text.partition("“")[2]
    if (quote and told.words < 9) or _IDLE.match(quote or told.text):
        worth -= _SURE
    return worth - _DANGLING * min(len(_POINTER.findall(told.text)), 2)


def _told_in_time(picked: Sequence[tuple[_Statement, Told]]) -> str:
    """The picked statements as running text, in the order they were said, dated where it helps."""
    ordered = sorted(picked, key=lambda one: (one[0].cell.created_at, one[0].cell.id))
    if not ordered:
        return ""
    first, last = ordered[0][0].cell.created_at, ordered[-1][0].cell.created_at
    by_day = (last - first).days <= 31
    shown = ""
    pieces: list[str] = []
    for text, at in _run_together(ordered):
        label = date_label(at, by_day, text)
        if label != shown and not names_a_year(text):
            text = dated(text, label)
        shown = label
        pieces.append(text)
    return _flowing(pieces)


def _run_together(
    ordered: Sequence[tuple[_Statement, Told]],
) -> Iterator[tuple[str, datetime]]:
    """Each statement with its instant; two short ones of one subject on one day become one."""
    waiting: tuple[Told, datetime] | None = None
    for statement, told in ordered:
        at = statement.cell.created_at
        if waiting is None:
            waiting = told, at
            continue
        before, since = waiting
        if at.date() == since.date() and _can_join(before, told):
            rest = told.text.removeprefix(f"{told.subject} ")
            yield f"{before.text.rstrip('.')} and {rest}", since
            waiting = None
        else:
            yield before.text, since
            waiting = told, at
    if waiting is not None:
        yield waiting[0].text, waiting[1]


def _can_join(one: Told, other: Told) -> bool:
    both = f"{one.text} {other.text}"
    return (
        bool(one.subject)
        and one.subject == other.subject
        and one.words + other.words <= _LONGEST_JOINED
        and " and " not in both
        and not names_a_year(both)
        and ". " not in one.text
    )


def _flowing(pieces: Sequence[str]) -> str:
    text = ""
    for piece in pieces:
        text += piece if not text or runs_on(text, piece) else f" {piece}"
    return text
