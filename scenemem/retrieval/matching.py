"""Find which messages and cells hold the terms of a question, and how rare the terms are.

A row counts by which terms it holds, weighted by their rarity. How often it holds them is ignored:
counting ranked no better, and reading rows without a score takes a quarter of the time. What a row
holds is one number with a bit for each form of each concept. Few distinct numbers occur, so the
strength of each is computed once. What a row's neighbours and session hold is arithmetic on ids: a
message's id is `session number << 24 | position`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from scenemem.base.records import SESSION_SHIFT
from scenemem.retrieval.question import Term
from scenemem.store.evidence import Evidence, Kind
from scenemem.store.sought import Sought, all_of, any_of

__all__ = ["Matches", "find_matches"]

_Worth = TypeVar("_Worth")

MOST_ROWS = 3_000  # rows of an index read for one question; beyond that, the search is bounded
PROBE = 1_000  # rows of all terms together read in the first look
NEWEST = 500  # rows of a frequent term read by a bounded search
MOST_BOUNDED = 16  # terms read by a bounded search: the rarest
SMALL = 25_000  # up to this many rows in an index, the first look reads all that may be needed
KEYS = 4  # the rarest terms; frequent terms count only in rows that hold one of them


class Form(NamedTuple):
    """One form of a concept of the question: how much it counts, and the rows that hold it."""

    concept: int
    strength: float
    rows: Sequence[int]


class Matches:
    """The rows that hold terms of the question.

    A concept has one or more forms (a word, its irregular forms, its synonyms). If a row holds
    several, the strongest counts. `plan` says how the rows were read.
    """

    def __init__(self, forms: Sequence[Form], plan: Plan | None = None) -> None:
        self.plan = plan or Plan()
        self._forms = forms
        self.masks = _masks(forms)
        self._strengths = _Remembered(self._strengths_of)
        self._totals = _Remembered(self._total_of)

    @property
    def exact(self) -> bool:
        """Whether all rows of all terms were read."""
        return self.plan.exact

    @property
    def whole(self) -> float:
        """The strength of all the concepts that any row holds."""
        return self._totals[(1 << len(self._forms)) - 1]

    def __len__(self) -> int:
        return len(self.masks)

    def __contains__(self, row: int) -> bool:
        return row in self.masks

    def total(self, row: int) -> float:
        """The strength of all concepts that the row holds; 0.0 if it holds none."""
        return self._totals[self.masks.get(row, 0)]

    def totals(self, rows: Collection[int]) -> dict[int, float]:
        """The strength of each of these rows that holds any concept."""
        masks, totals = self.masks, self._totals
        return {row: totals[masks[row]] for row in masks.keys() & rows}

    def strengths(self, row: int) -> Mapping[int, float]:
        """The concepts that the row holds, each with its strength."""
        return self._strengths[self.masks.get(row, 0)]

    def strongest(self, most: int) -> list[int]:
        """The ids of up to `most` rows that hold most; among equals, the newest."""
        if len(self.masks) <= most:
            return list(self.masks)
        equals: dict[float, list[int]] = {}
        holders = {
            mask: equals.setdefault(self._totals[mask], []) for mask in {*self.masks.values()}
        }
        for row, mask in self.masks.items():
            holders[mask].append(row)
        chosen: list[int] = []
        for value in sorted(equals, reverse=True):
            chosen += sorted(equals[value], reverse=True)[: most - len(chosen)]
            if len(chosen) == most:
                break
        return chosen

    def of_sessions(self, sessions: Iterable[int]) -> dict[int, float]:
        """How much of the question each of these sessions holds, over all its messages."""
        masks = dict.fromkeys(sessions, 0)
        for place, form in enumerate(self._forms):
            for session in masks.keys() & {row >> SESSION_SHIFT for row in form.rows}:
                masks[session] |= 1 << place
        return {session: self._totals[mask] for session, mask in masks.items()}

    def _strengths_of(self, mask: int) -> Mapping[int, float]:
        known: dict[int, float] = {}
        for place, form in enumerate(self._forms):
            if mask >> place & 1 and form.strength > known.get(form.concept, 0.0):
                known[form.concept] = form.strength
        return known

    def _total_of(self, mask: int) -> float:
        return sum(self._strengths[mask].values())


class _Remembered(dict[int, _Worth]):
    """What each mask is worth, computed when it is first needed."""

    def __init__(self, compute: Callable[[int], _Worth]) -> None:
        self._compute = compute

    def __missing__(self, mask: int) -> _Worth:
        worth = self[mask] = self._compute(mask)
        return worth


def _masks(forms: Sequence[Form]) -> dict[int, int]:
    """For each row, a bit for every form that it holds."""
    masks: dict[int, int] = {}
    for place in reversed(range(len(forms))):  # the last has most rows, and the first costs nothing
        rows, bit = forms[place].rows, 1 << place
        if not masks:
            masks = dict.fromkeys(rows, bit)
            continue
        known = masks.get
        for row in rows:
            masks[row] = known(row, 0) | bit
    return masks


def find_matches(
    evidence: Evidence,
    kind: Kind,
    terms: Sequence[Term],
    *,
    like: Matches | None = None,
    within: Collection[int] = (),
) -> Matches:
    """The rows that hold any of the terms, with strengths by rarity.

    If the terms have more than `MOST_ROWS` rows together, the search is bounded: the rarest terms
    are read in full; of the others, the newest rows that also hold one of the rarest, and the rows
    between the first and the last of `within`. If there are very many terms, the most frequent are
    skipped. `like` are the matches in the other index, which holds the same words divided
    differently; if given, their strengths and bounds are used here too.
    """
    size = evidence.size(kind)
    if size == 0 or not terms:
        return Matches(())
    plan = like.plan.cut() if like is not None else _plan(evidence, kind, terms, size)
    unread = [reading for reading in plan.readings if like is not None or reading.more]
    read = _read(evidence, kind, unread, plan, within)
    forms = []
    for reading in plan.readings:
        rows = read.get(reading.term, reading.rows)
        if rows:
            forms.append(Form(reading.term.concept, reading.strength, rows))
    return Matches(forms, plan)


class Reading(NamedTuple):
    """How the rows of one term are read: all of them, or the newest that also hold a key term.

    `rows` are those read so far, to see how many there are; `more` says to read them again.
    """

    term: Term
    strength: float
    rows: list[int]
    more: bool = False
    bounded: bool = False


class Plan(NamedTuple):
    """How the terms of a question are read, rarest first; `keys` are the few rarest."""

    readings: tuple[Reading, ...] = ()
    keys: tuple[Sought, ...] = ()
    exact: bool = True

    def cut(self) -> Plan:
        """The plan for the rarest terms alone; terms without rows cost nothing."""
        found = [reading for reading in self.readings if reading.rows]
        nowhere = [reading for reading in self.readings if not reading.rows]
        few = (*found[:MOST_BOUNDED], *nowhere)
        return self._replace(readings=few, exact=self.exact and len(few) == len(self.readings))


class _Look(NamedTuple):
    """A first look at a term: `all` of its rows or some of them.

    `many` says that it has at least as many as are looked at; `newest`, that those read are the
    newest.
    """

    term: Term
    rows: list[int]
    all: bool
    many: bool
    newest: bool


def _plan(evidence: Evidence, kind: Kind, terms: Sequence[Term], size: int) -> Plan:
    """Look at some rows of each term, and count the rows of terms that have more."""
    probe = None if size <= MOST_ROWS else max(PROBE // len(terms), PROBE // 8)
    looked = _look(evidence, kind, terms, size, probe)
    exact = True
    somewhere = sum(bool(look.rows) for look in looked)
    if somewhere > MOST_BOUNDED and any(look.many for look in looked):
        looked = _rarest(evidence, kind, looked, probe)
        exact = False
    counts = _counts(evidence, kind, looked)
    many = [counts[look.term] for look in looked if look.many]
    if len(set(many)) < len(many):  # equally frequent terms are ordered by their newest rows
        looked = _rarest(evidence, kind, looked, probe)
    looked.sort(key=lambda look: counts[look.term])
    exact = exact and sum(counts.values()) <= MOST_ROWS
    rarities = _rarities(counts, size)
    left = MOST_ROWS
    readings = []
    for look in looked:
        count = counts[look.term]
        bounded = count > left
        more = look.many and count > (probe or 0) and (bounded or not look.all)
        strength = look.term.weight * rarities[look.term]
        readings.append(Reading(look.term, strength, look.rows, more, bounded))
        left -= min(count, NEWEST) if bounded else count
    found = [reading.term.sought for reading in readings if reading.rows]
    return Plan(tuple(readings), tuple(found[:KEYS]), exact)


def _rarities(counts: Mapping[Term, int], size: int) -> dict[Term, float]:
    """How rare each term is; another form never counts as rarer than the word itself."""
    rarities = {term: _rarity(count, size) for term, count in counts.items()}
    words = {
        term.concept: rarities[term] for term in counts if term.kind == "word" and counts[term]
    }
    return {
        term: min(rarity, words.get(term.concept, rarity)) if term.kind == "form" else rarity
        for term, rarity in rarities.items()
    }


def _look(
    evidence: Evidence, kind: Kind, terms: Sequence[Term], size: int, probe: int | None
) -> list[_Look]:
    """Read up to `probe` rows of each term.

    Of few terms in a small index, read as many as there is room for: all will be needed anyway.
    """
    small, few = size <= SMALL, len(terms) <= MOST_BOUNDED
    room = MOST_ROWS if small and few and not evidence.narrowed else 0
    # Of many terms the most frequent are skipped, and only the newest rows tell which those are.
    newest = not (small or few)
    read = evidence.rows(kind, [term.sought for term in terms], probe, room=room, oldest=not newest)
    looked = []
    for term, rows in zip(terms, read, strict=True):
        most = None if probe is None else max(probe, room)
        room -= len(rows)
        many = probe is not None and len(rows) >= probe
        looked.append(_Look(term, rows, most is None or len(rows) < most, many, newest))
    return looked


def _counts(evidence: Evidence, kind: Kind, looked: Sequence[_Look]) -> dict[Term, int]:
    """How many rows each term has; only terms that were not read in full are counted."""
    cut = [look.term for look in looked if not look.all]
    counted = evidence.counts(kind, [term.sought for term in cut]) if cut else []
    counts = dict(zip(cut, counted, strict=True))
    return {look.term: counts.get(look.term, len(look.rows)) for look in looked}


def _rarest(
    evidence: Evidence, kind: Kind, looked: Sequence[_Look], probe: int | None
) -> list[_Look]:
    """Up to `MOST_BOUNDED` terms, rarest first.

    Of two terms with many rows, the rarer one is that whose newest rows reach back further.
    """
    found = [look for look in looked if look.rows]
    rare = sorted((look for look in found if not look.many), key=lambda look: len(look.rows))
    if probe is None or len(rare) >= MOST_BOUNDED:
        return rare[:MOST_BOUNDED]
    frequent = [look for look in found if look.many]
    unknown = [look.term for look in frequent if not (look.all or look.newest)]
    newest = evidence.rows(kind, [term.sought for term in unknown], probe) if unknown else []
    reach = dict(zip(unknown, map(min, newest), strict=True))
    frequent.sort(
        key=lambda look: reach[look.term] if look.term in reach else sorted(look.rows)[-probe]
    )
    return (rare + frequent)[:MOST_BOUNDED]


def _read(
    evidence: Evidence,
    kind: Kind,
    readings: Sequence[Reading],
    plan: Plan,
    within: Collection[int],
) -> dict[Term, list[int]]:
    """The rows of these terms, in at most three reads of the index."""
    whole = [reading.term for reading in readings if not reading.bounded]
    cut = [reading.term for reading in readings if reading.bounded]
    read: dict[Term, list[int]] = {}
    if whole:
        rows = evidence.rows(kind, [term.sought for term in whole])
        read.update(zip(whole, rows, strict=True))
    if cut:
        rows = evidence.rows(kind, [_beside_keys(term, plan) for term in cut], NEWEST)
        if within:
            span = min(within), max(within)
            around = evidence.rows(kind, [term.sought for term in cut], NEWEST, span=span)
            rows = [list(dict.fromkeys(r + more)) for r, more in zip(rows, around, strict=True)]
        read.update(zip(cut, rows, strict=True))
    return read


def _beside_keys(term: Term, plan: Plan) -> Sought:
    """What to look for, for a frequent term: the term together with one of the rarest terms."""
    keys = [key for key in plan.keys if key != term.sought]
    if not keys or term.sought == plan.keys[0]:
        return term.sought
    return all_of(term.sought, any_of(keys))


def _rarity(count: int, size: int) -> float:
    """BM25's inverse document frequency, in the form that never drops below 0."""
    return math.log(1.0 + (max(size, count) - count + 0.5) / (count + 0.5))
