"""Which scene a new cell belongs to, and what a new scene is called.

A `SceneIndex` knows each scene's strongest terms and little more. Live, exchange by exchange, a
statement goes to the scene that its terms speak for, the scene just talked about having the benefit
of the doubt; a statement that brings much new and fits nowhere opens a scene. In bulk the whole
stretch is looked at first: pair by pair while the memory is small (`agglomerated`), by bursts of
terms otherwise (`Partition`). All count as they go, so talk about the same matter weeks later comes
to the same scene. Later, `Partners` finds scenes that should be one. The index is rebuilt from
cells or profiles at any time; it keeps nothing that the memory does not hold.

Figures (LoCoMo; without the part): two messages that answer one question, of different sessions,
stand in one scene in 24 % of cases (any two: 5 %). Without `Partition` 15 %, and scenes' summaries
hold .33 of the answers' words (.40), R@10 is .819 (.823). Without `agglomerated`, in memories of
three sessions, .49 (.57). Without `Partners`, live, 54 scenes of one or two cells (11). Recall
itself gains .002 over a scene a session.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from math import log, sqrt

from scenemem.base.records import Cell, CellDraft, utc
from scenemem.base.text import name_key
from scenemem.engines.rules.cohesion import (
    BEGINNING,
    SceneProfile,
    SpeakerNames,
    TermCounts,
    Terms,
)
from scenemem.engines.rules.naming import (
    CELLS_READ,
    SMALL_TALK_NAMES,
    Weigh,
    likeness,
    name_for,
    small_talk,
)
from scenemem.engines.rules.terms import TOPIC_WEIGHT, is_field, news_of, read_any_word, terms

BULK = 12  # drafts in one call from which on they are looked at as a whole
_CHUNK = 1500
_STAY = 1.5  # what the scene just talked about is ahead by
_STAY_HOURS = 6.0  # after which it is ahead by half of that
_LITTLE_NEWS = 1.0  # the weight of topic words up to which a statement is likely a follow-up
_LITTLE_SAID = 1.5  # the weight of all terms up to which the same is so of what opens a session
_STAY_OF_LITTLE = 2.0  # times which the scene just talked about is ahead then
_NEWS = 2.0  # the weight of topic words that can open a scene
_NEWS_ASIDE = 4.0  # the same where the statement stays in the field just talked about
_NEWS_ALONE = 0.5  # the same where nothing was talked about yet
_NEWS_FIT = 0.8  # the cohesion for each unit of that weight below which it does
_SESSIONS_KEPT = 4096
_CENTRAL_TERMS = 8


@dataclass(slots=True)
class _Known:
    name: str
    last_at: datetime = BEGINNING
    last_session: str | None = None
    beside: int | None = None  # what was talked about when it was opened


class SceneIndex:
    """The scenes of one memory, as far as placing needs them. Not thread-safe."""

    def __init__(self, profiles: Iterable[SceneProfile] = ()) -> None:
        self._counts = TermCounts()
        self._known: dict[int, _Known] = {}
        self._by_key: dict[str, int] = {}
        self._likenesses: dict[frozenset[str], int] = {}
        self._numbers = 0
        self._current: OrderedDict[str, tuple[int, datetime]] = OrderedDict()
        self._left: dict[int, None] = {}  # small scenes that talk has moved on from, in order
        self._speakers = SpeakerNames()
        self._heard = CountedCells()
        self._restore(sorted(profiles, key=lambda profile: profile.last_at))

    def place(self, drafts: Sequence[CellDraft]) -> list[str]:
        """The name of the scene of each draft; new scenes get names of their own.

        The drafts are those of one or more exchanges, in order. A draft that names its scene
        keeps it. The index counts them as placed; when they come back as stored cells, `learn`
        knows them.
        """
        for draft in drafts:
            self._speakers.meet(draft.speaker)
        statements = [self._terms(draft.content) for draft in drafts]
        before = self._numbers
        free = [at for at, draft in enumerate(drafts) if not name_key(draft.scene)]
        placed: list[int] = [0] * len(drafts)
        for at, draft in enumerate(drafts):
            if name_key(draft.scene):
                placed[at] = self._number(draft.scene)
                self._counts.note(statements[at])
                self._counts.add(placed[at], statements[at])
                self._mark(placed[at], draft)
        for start in range(0, len(free), _CHUNK):
            chunk = free[start : start + _CHUNK]
            place = self._place_in_bulk if len(chunk) >= BULK else self._place_live
            numbers = place([drafts[at] for at in chunk], [statements[at] for at in chunk])
            for at, number in zip(chunk, numbers, strict=True):
                placed[at] = number
        settled = self._name_new(before, drafts, statements, placed)
        names: list[str] = []
        for draft, number in zip(drafts, placed, strict=True):
            number = settled.get(number, number)
            self._heard.expect(number, draft.content)
            names.append(self._known[number].name)
        return names

    def learn(self, cells: Iterable[Cell]) -> None:
        """Catch up with stored cells, in any order; a cell that is known changes nothing."""
        for cell in cells:
            if self._heard.is_known(cell.id):
                continue
            self._speakers.meet(cell.speaker)
            number = self._number(cell.scene, _session(cell))
            if self._heard.was_expected(number, cell.content):
                continue
            statement = self._terms(cell.content)
            self._counts.note(statement)
            self._counts.add(number, statement)
            self._mark(number, cell)

    def merges(self, scenes: Iterable[str]) -> list[tuple[str, str]]:
        """Which of these scenes should become a part of which other: each at most once, and none
        into one that is itself to be merged."""
        current = {number for number, _ in self._current.values()}
        beside = {
            number: known.beside
            for number, known in self._known.items()
            if known.beside is not None and number not in current  # what is talked of may yet grow
        }
        partners = Partners(self._counts, beside)
        found: dict[int, int] = {}
        asked = [self._by_key.get(name_key(scene), -1) for scene in scenes]
        for number in dict.fromkeys((*asked, *self._left)):
            if number not in self._counts.scene_terms or number in found.values():
                continue
            best = partners.best_of(number)
            if best is not None and best[2] not in found:
                found[number] = best[2]
        self._left.clear()
        return [(self._known[one].name, self._known[other].name) for one, other in found.items()]

    def rename(self, scene: str, name: str) -> None:
        """Follow a scene to its new name; where that is another scene, the two become one."""
        number = self._by_key.get(name_key(scene))
        if number is not None:
            self._follow(number, name)

    def forget(self, scene: str) -> None:
        """Place nothing in this scene any more."""
        number = self._by_key.pop(name_key(scene), None)
        if number is not None:
            self._counts.drop(number)
            self._likenesses.pop(likeness(self._known.pop(number).name), None)

    def profiles(self) -> list[SceneProfile]:
        """What is known of each scene, in the order the scenes came up."""
        return [
            SceneProfile(
                known.name,
                dict(self._counts.scene_terms.get(number, {})),
                self._counts.scene_size.get(number, 0),
                known.last_at,
                known.last_session,
                self._known[known.beside].name if known.beside in self._known else None,
            )
            for number, known in self._known.items()
        ]

    def _terms(self, content: str) -> dict[str, float]:
        """What a statement is about, as terms; the speakers are nobody's topic."""
        return self._speakers.terms_without_names(content)

    def _place_in_bulk(
        self, drafts: Sequence[CellDraft], statements: Sequence[Mapping[str, float]]
    ) -> list[int]:
        sessions = [_session(draft) for draft in drafts]
        opening = {
            session: current[0]
            for session in set(sessions)
            if (current := self._current.get(session)) and current[0] in self._known
        }
        for statement in statements:
            self._counts.note(statement)
        if not self._counts.scene_size and len(drafts) <= MOST_STATEMENTS:
            return self._place_first(drafts, statements, sessions)
        placed = Partition(statements, sessions, self._counts, self._found, opening).place()
        for draft, number in zip(drafts, placed, strict=True):
            self._mark(number, draft)
        return placed

    def _place_first(
        self,
        drafts: Sequence[CellDraft],
        statements: Sequence[Mapping[str, float]],
        sessions: Sequence[str],
    ) -> list[int]:
        """Place what a memory begins with, too little to count on."""
        messages = [draft.source or at for at, draft in enumerate(drafts)]
        matters = without_names(statements, [draft.content for draft in drafts])
        groups = agglomerated(matters, sessions, messages)
        founded = [self._found() for _ in range(max(groups) + 1)]
        placed = [founded[group] for group in groups]
        for draft, statement, number in zip(drafts, statements, placed, strict=True):
            self._counts.add(number, statement)
            self._mark(number, draft)
        return placed

    def _place_live(
        self, drafts: Sequence[CellDraft], statements: Sequence[Mapping[str, float]]
    ) -> list[int]:
        placed: list[int] = []
        for draft, statement in zip(drafts, statements, strict=True):
            number = self._fitting(draft, statement)
            self._counts.note(statement)
            self._counts.add(number, statement)
            self._mark(number, draft)
            placed.append(number)
        return placed

    def _fitting(self, draft: CellDraft, statement: Mapping[str, float]) -> int:
        """The scene that one statement fits, a new one where it brings news and fits nowhere."""
        gains = self._counts.gains(statement)
        news = news_of(statement)
        current, stay = self._staying(draft)
        if news <= _LITTLE_NEWS:
            stay *= _STAY_OF_LITTLE
        if current is not None:
            gains[current] = gains.get(current, 0.0) + stay
        elif news < _NEWS_ALONE:
            return self._number(small_talk(draft.content))
        if not gains:
            return self._found(current)
        best = min(gains, key=lambda number: (-gains[number], number))
        enough = _NEWS_FIT * news + (stay if best == current else 0.0)
        if current is None:
            needed = _NEWS_ALONE
        else:
            needed = _NEWS if self._changes_field(statement, current) else _NEWS_ASIDE
        return self._found(current) if news >= needed and gains[best] < enough else best

    def _staying(self, draft: CellDraft) -> tuple[int | None, float]:
        """The scene just talked about in the draft's session, and how far it is ahead."""
        current, last_at = self._current.get(_session(draft), (None, BEGINNING))
        if current is None or current not in self._known:
            return None, 0.0
        said = _said(draft)
        hours = abs((said - last_at).total_seconds()) / 3600 if said else 0.0
        size = self._counts.scene_size.get(current, 0)
        crowded = min(max(2.0 - size / self._counts.crowd, 0.0), 1.0)
        return current, _STAY * crowded / (1 + hours / _STAY_HOURS)

    def _changes_field(self, statement: Mapping[str, float], current: int) -> bool:
        """Whether a statement is of another field of life than all that `current` has said."""
        fields = [term for term in statement if is_field(term)]
        known = self._counts.scene_terms.get(current, {})
        return bool(fields) and not any(field in known for field in fields)

    def _found(self, beside: int | None = None) -> int:
        number = self._numbers
        self._numbers += 1
        self._known[number] = _Known("", beside=beside)
        return number

    def _name_new(
        self,
        first: int,
        drafts: Sequence[CellDraft],
        statements: Sequence[Mapping[str, float]],
        placed: Sequence[int],
    ) -> dict[int, int]:
        """Name the scenes numbered from `first` on, largest first, and drop those left empty.

        Returns which number each of them goes by from now on.
        """
        settled: dict[int, int] = {}
        said: dict[int, list[int]] = {}
        for at, number in enumerate(placed):
            if number >= first and not self._known[number].name:
                said.setdefault(number, []).append(at)
        for number in sorted(said, key=lambda number: (-len(said[number]), number)):
            central = self._most_central(number, said[number], statements)
            texts = [drafts[at].content for at in central]
            name = name_for(texts, self._weigh(number), self._speakers.words, self._is_taken)
            settled[number] = self._follow(number, name)
        for number in range(first, self._numbers):
            if number in self._known and not self._known[number].name:
                self._counts.drop(number)
                del self._known[number]
        return settled

    def _most_central(
        self, number: int, places: Sequence[int], statements: Sequence[Mapping[str, float]]
    ) -> list[int]:
        """Of the statements at `places`, as many as a name is read from, in order: those that say
        most of what speaks for the scene."""
        if len(places) <= CELLS_READ:
            return list(places)
        strongest = self._counts.strongest(number, _CENTRAL_TERMS)

        def weight(at: int) -> float:
            return sum(statements[at].get(term, 0.0) for term in strongest)

        return sorted(sorted(places, key=lambda at: (-weight(at), at))[:CELLS_READ])

    def _weigh(self, number: int) -> Weigh:
        def weigh(term: str) -> float:
            if term in self._counts.weights:
                return self._counts.distinctness(number, term)
            parts = [self._counts.distinctness(number, part) for part in terms(term)]
            return sum(parts) / len(parts) if parts else 0.0

        return weigh

    def _number(self, scene: str, session: str | None = None) -> int:
        """The number of the scene by this name, in any spelling; a new one for a new name."""
        key = name_key(scene)
        number = self._by_key.get(key)
        if number is None:
            beside = self._current.get(session) if session is not None else None
            number = self._by_key[key] = self._found(beside[0] if beside else None)
            self._known[number].name = scene.strip()
            self._likenesses.setdefault(likeness(scene), number)
        return number

    def _is_taken(self, name: str) -> bool:
        """Whether another scene has this name, or one that is hard to tell from it."""
        return name_key(name) in self._by_key or likeness(name) in self._likenesses

    def _follow(self, number: int, name: str) -> int:
        """Give the scene this name; where another scene has it, the two become one, whose number
        is returned."""
        other = self._by_key.setdefault(name_key(name), number)
        if other == number:
            self._known[number].name = name.strip()
            self._likenesses.setdefault(likeness(name), number)
            return number
        before = self._known.pop(number).name
        if before:
            self._by_key[name_key(before)] = other
        self._counts.merge(number, other)
        return other

    def _mark(self, number: int, said: CellDraft | Cell) -> None:
        """Note when and in which session a scene was last talked of."""
        session = _session(said)
        known = self._known[number]
        at = _said(said) or known.last_at
        if at >= known.last_at:
            known.last_at, known.last_session = at, session or None
        self._stay_with(number, session, at)

    def _stay_with(self, number: int, session: str, at: datetime) -> None:
        """Note what is being talked about in a session; small talk is about nothing."""
        if self._known[number].name in SMALL_TALK_NAMES:
            return
        before, _ = self._current.get(session, (number, at))
        if before != number and self._counts.scene_size.get(before, 0) <= TINY:
            self._left[before] = None
            little = self._counts.scene_mass.get(before, 0.0) <= _LITTLE_SAID
            if before in self._known and self._known[before].beside is None:
                # Nothing was said before it: what tells little goes with what came next.
                self._known[before].beside = number if little else None
        self._current[session] = number, at
        self._current.move_to_end(session)
        if len(self._current) > _SESSIONS_KEPT:
            self._current.popitem(last=False)

    def _restore(self, profiles: Sequence[SceneProfile]) -> None:
        """Take up scenes as they were known before, oldest first."""
        for profile in profiles:
            number = self._number(profile.scene)
            self._counts.restore(number, profile.terms, profile.cells)
            known = self._known[number]
            known.last_at, known.last_session = profile.last_at, profile.last_session
            self._stay_with(number, profile.last_session or "", profile.last_at)
        for profile in profiles:
            beside = self._by_key.get(name_key(profile.beside or ""))
            self._known[self._by_key[name_key(profile.scene)]].beside = beside


def _session(said: CellDraft | Cell) -> str:
    return said.source.session if said.source else ""


def _said(said: CellDraft | Cell) -> datetime | None:
    at = said.created_at if isinstance(said, Cell) else said.at
    return utc(at) if at else None


# --- what was counted already --------------------------------------------------------------------

_EXPECTED_KEPT = 20_000
_PAGE = 1024


class CountedCells:
    """What was counted of one memory. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # page of ids -> one bit for each
        self._expected: OrderedDict[tuple[int, str], int] = OrderedDict()

    def expect(self, number: int, content: str) -> None:
        """Know that `content` was counted for scene `number` when it was placed."""
        self._expected[number, content] = self._expected.get((number, content), 0) + 1
        if len(self._expected) > _EXPECTED_KEPT:
            self._expected.popitem(last=False)

    def was_expected(self, number: int, content: str) -> bool:
        """Whether this was counted when it was placed; it is expected once less from now on."""
        times = self._expected.pop((number, content), 0)
        if times > 1:
            self._expected[number, content] = times - 1
        return times > 0

    def is_known(self, cell: int) -> bool:
        """Whether the cell of this id was shown before; from now on it was."""
        page, place = divmod(cell, _PAGE)
        bits = self._known.get(page, 0)
        self._known[page] = bits | 1 << place
        return bool(bits >> place & 1)


# --- a whole stretch of talk at once -------------------------------------------------------------

MOVE_COST = 1.0
_LAPS = 2
_REACH = 1
_FOUNDING_WEIGHT = 0.5
_FOUNDING_STATEMENTS = 6
_SMALLEST_SCENE = 4
_COMMON_SHARE = 0.05
_COMMON_COUNT = 8
_OWNED_SHARE = 0.3  # of a term's weight, from which on it is an older scene's
_OWNED_SHARE_NEW = 0.4  # the same for a scene that was founded just before
_CANDIDATES = 24
_STRETCH = 60
_RUN = 3
_RUN_NEWS = 4.0
_RUN_FIT = 0.9


class Partition:
    """Statements on their way to scenes.

    `statements[i]` are the terms of statement i, said in `sessions[i]`, sessions one after another;
    `counts` knows them as part of the whole already, and counts each for its scene here.
    `found_scene()` gives the number of a new scene; `opening` says what a session was about before.
    """

    def __init__(
        self,
        statements: Sequence[Terms],
        sessions: Sequence[str],
        counts: TermCounts,
        found_scene: Callable[[], int],
        opening: Mapping[str, int] | None = None,
    ) -> None:
        self._statements = statements
        self._sessions = sessions
        self._counts = counts
        self._found_scene = found_scene
        self._opening = opening or {}
        self._new: set[int] = set()
        self._placed: list[int | None] = [None] * len(statements)

    def place(self) -> list[int]:
        """The scene of each statement."""
        self._found_by_bursts()
        stretches = self._stretches()
        for lap in range(_LAPS):
            for stretch in stretches:
                self._replace(stretch, settle=lap == 0)
            self._dissolve_small()
        return [scene for scene in self._placed if scene is not None]

    def _put(self, at: int, scene: int) -> None:
        before = self._placed[at]
        if before == scene:
            return
        if before is not None:
            self._counts.remove(before, self._statements[at])
        self._counts.add(scene, self._statements[at])
        self._placed[at] = scene

    def _new_scene(self) -> int:
        scene = self._found_scene()
        self._new.add(scene)
        return scene

    def _found_by_bursts(self) -> None:
        """Found a scene for each term that is said in bursts, widest reach first.

        A term reaches the statements around its own. One that an older scene already owns brings
        them to that scene.
        """
        reaches = self._reaches()
        covered: set[int] = set()
        queue = [(-len(reach) * burst, term) for term, (reach, burst) in reaches.items()]
        heapify(queue)
        while queue:
            promised, term = heappop(queue)
            reach, burst = reaches[term]
            fresh = reach - covered
            worth = -len(fresh) * burst
            if len(fresh) < _FOUNDING_STATEMENTS:
                continue
            if worth > promised:  # others took some of it meanwhile: back in line
                heappush(queue, (worth, term))
                continue
            owner, share = self._counts.ownership(term)
            owned = _OWNED_SHARE_NEW if owner in self._new else _OWNED_SHARE
            scene = owner if owner is not None and share >= owned else self._new_scene()
            for at in sorted(fresh):
                self._put(at, scene)
            covered |= fresh

    def _reaches(self) -> dict[str, tuple[set[int], float]]:
        """For each term that may found a scene, the statements it reaches and how it bursts."""
        said_at: dict[str, list[int]] = {}
        for at, said in enumerate(self._statements):
            for term, weight in said.items():
                if weight >= _FOUNDING_WEIGHT:
                    said_at.setdefault(term, []).append(at)
        common = max(_COMMON_COUNT, _COMMON_SHARE * self._counts.statements)
        sessions, last = self._sessions, len(self._statements) - 1
        reaches: dict[str, tuple[set[int], float]] = {}
        for term, places in said_at.items():
            if len(places) < 2 or self._counts.said_in[term] > common:
                continue
            near = sum(
                after - before <= 5 and sessions[before] == sessions[after]
                for before, after in pairwise(places)
            )
            burst = 0.3 + (near + 0.5) / len(places)
            reach = {
                at
                for place in places
                for at in range(max(place - _REACH, 0), min(place + _REACH, last) + 1)
                if sessions[at] == sessions[place]
            }
            reaches[term] = reach, burst if len(places) > 2 else 0.5 * burst
        return reaches

    def _stretches(self) -> list[range]:
        bounds = [0]
        for at in range(1, len(self._statements)):
            long = at - bounds[-1] >= _STRETCH
            if self._sessions[at] != self._sessions[at - 1] or long:
                bounds.append(at)
        bounds.append(len(self._statements))
        return [range(start, end) for start, end in pairwise(bounds)]

    def _replace(self, stretch: range, settle: bool) -> None:
        """Put the statements of one stretch on the likeliest path through the scenes."""
        gains = [self._counts.gains(self._statements[at], own=self._placed[at]) for at in stretch]
        opening = self._opening_of(stretch)
        if opening is not None:
            gains[0][opening] = gains[0].get(opening, 0.0) + MOVE_COST
        ranked = self._candidates(stretch, gains)
        path = _likeliest_path(gains, ranked)
        if settle:
            path = self._with_runs_apart(stretch, gains, path)
        for at, scene in zip(stretch, path, strict=True):
            self._put(at, scene)

    def _opening_of(self, stretch: range) -> int | None:
        """What was talked about in the session before this stretch."""
        first = stretch[0]
        if first and self._sessions[first - 1] == self._sessions[first]:
            return self._placed[first - 1]
        return self._opening.get(self._sessions[first])

    def _candidates(self, stretch: range, gains: Sequence[Mapping[int, float]]) -> list[int]:
        """The scenes that the stretch as a whole speaks for most; at least one."""
        speaking: dict[int, float] = {}
        for gain in gains:
            for scene, value in gain.items():
                speaking[scene] = speaking.get(scene, 0.0) + value
        if speaking:
            return sorted(speaking, key=lambda scene: (-speaking[scene], scene))[:_CANDIDATES]
        settled = [placed for at in stretch if (placed := self._placed[at]) is not None]
        return settled[:1] or [self._new_scene()]

    def _with_runs_apart(
        self, stretch: range, gains: Sequence[dict[int, float]], path: list[int]
    ) -> list[int]:
        """The path, with new scenes for runs that say much and that no scene speaks for."""
        parted: list[int] = []
        for scene, run in groupby(zip(stretch, gains, path, strict=True), key=lambda step: step[2]):
            steps = list(run)
            news = sum(news_of(self._statements[at]) for at, _, _ in steps)
            fit = sum(gain.get(scene, 0.0) for _, gain, _ in steps)
            apart = len(steps) >= _RUN and news >= _RUN_NEWS and fit < _RUN_FIT * news
            parted.extend([self._new_scene() if apart else scene] * len(steps))
        return parted

    def _dissolve_small(self) -> None:
        sizes = Counter(self._placed)
        small = {scene for scene in self._new if 0 < sizes[scene] < _SMALLEST_SCENE}
        if small == {scene for scene in sizes if scene is not None}:
            return
        loose = [at for at, scene in enumerate(self._placed) if scene in small]
        for at in loose:
            scene = self._placed[at]
            if scene is not None:
                self._counts.remove(scene, self._statements[at])
            self._placed[at] = None
        for at in loose:
            self._put(at, self._nearest(at, sizes, small))

    def _nearest(self, at: int, sizes: Counter[int | None], small: set[int]) -> int:
        """The scene for one loose statement: by its terms and its neighbours, else the largest."""
        gains = self._counts.gains(self._statements[at])
        for beside in (at - 1, at + 1):
            if 0 <= beside < len(self._placed) and self._sessions[beside] == self._sessions[at]:
                neighbour = self._placed[beside]
                if neighbour is not None:
                    gains[neighbour] = gains.get(neighbour, 0.0) + MOVE_COST
        if not gains:
            gains = {s: float(n) for s, n in sizes.items() if s is not None and s not in small}
        return min(gains, key=lambda scene: (-gains[scene], scene))


def _likeliest_path(gains: Sequence[dict[int, float]], scenes: Sequence[int]) -> list[int]:
    """The path through `scenes`, one for each of `gains`, of the highest gains less moves."""
    reached = [gains[0].get(scene, 0.0) for scene in scenes]
    numbers = range(len(scenes))
    places = {scene: number for number, scene in enumerate(scenes)}
    came_from: list[list[int]] = []
    for gain in gains[1:]:
        best = max(numbers, key=reached.__getitem__)
        moved = reached[best] - MOVE_COST
        came_from.append([best if value < moved else here for here, value in enumerate(reached)])
        reached = [moved if value < moved else value for value in reached]
        for scene, value in gain.items():
            if scene in places:
                reached[places[scene]] += value
    here = max(numbers, key=reached.__getitem__)
    path = [scenes[here]]
    for before in reversed(came_from):
        here = before[here]
        path.append(scenes[here])
    path.reverse()
    return path


# --- a small memory: statements compared pair by pair --------------------------------------------

MOST_STATEMENTS = 120  # up to which pairs are compared
_NEXT = 0.1  # likeness of statements said one after another
_NEXT_BUT_ONE = 0.04
_SAME_MESSAGE = 0.08
_LINKED = 0.02  # mean likeness from which two groups are one matter
_LARGEST_SHARE = 0.15  # of the statements, for one matter
_LARGEST_AT_LEAST = 10
_SMALLEST = 3  # statements a matter has, else it joins another
_RARELY = 0.05  # of the statements: as many may have nothing to do with any other
_OVERFULL = 1.25  # of the largest, for what has nowhere else to go
_FIELD_SHARE = 0.5  # what a field of life tells beside a word that was said


def agglomerated(
    statements: Sequence[Terms], sessions: Sequence[str], messages: Sequence[object]
) -> list[int]:
    """The group of each statement, groups numbered from 0 in the order they come up.

    `statements[i]` are the terms of statement i, said in `sessions[i]` and in the message
    `messages[i]`; what was said together stands together.
    """
    groups = _Groups(_likenesses(statements, sessions, messages))
    largest = max(_LARGEST_AT_LEAST, _LARGEST_SHARE * len(statements))
    groups.join_alike(largest)
    groups.join_small(largest * _OVERFULL, sessions)
    return groups.numbered()


def _likenesses(
    statements: Sequence[Terms], sessions: Sequence[str], messages: Sequence[object]
) -> list[list[float]]:
    said_in = Counter(term for statement in statements for term in statement)
    vectors = [_vector(statement, said_in, len(statements)) for statement in statements]
    alike = [[0.0] * len(statements) for _ in statements]
    for later in range(len(statements)):
        for earlier in range(later):
            value = sum(
                weight * vectors[earlier].get(term, 0.0) for term, weight in vectors[later].items()
            )
            if sessions[earlier] == sessions[later] and later - earlier <= 2:
                value += _NEXT if later - earlier == 1 else _NEXT_BUT_ONE
                value += _SAME_MESSAGE if messages[earlier] == messages[later] else 0.0
            alike[earlier][later] = alike[later][earlier] = value
    return alike


def _vector(statement: Terms, said_in: Counter[str], statements: int) -> dict[str, float]:
    """The terms by how rare they are, as a vector no longer than 1; one that tells little stays
    short."""
    weighed = {
        term: weight * log(statements / said_in[term]) * (_FIELD_SHARE if is_field(term) else 1.0)
        for term, weight in statement.items()
    }
    length = sqrt(sum(weight * weight for weight in weighed.values()))
    shortest = log(max(statements, 2))
    return {term: weight / max(length, shortest) for term, weight in weighed.items()}


class _Groups:
    """Groups of statements and, for each two of them, the sum of their statements' likenesses."""

    def __init__(self, alike: list[list[float]]) -> None:
        self._alike = alike
        self._members = {at: [at] for at in range(len(alike))}

    def join_alike(self, largest: float) -> None:
        """Join the two groups most alike, again and again, while they are of one matter."""
        while True:
            best, pair = _LINKED, None
            groups = list(self._members)
            for place, one in enumerate(groups):
                for other in groups[place + 1 :]:
                    if self._size(one) + self._size(other) > largest:
                        continue
                    linked = self._linked(one, other)
                    if linked > best:
                        best, pair = linked, (one, other)
            if pair is None:
                return
            self._join(pair[1], pair[0])

    def join_small(self, largest: float, sessions: Sequence[str]) -> None:
        """Join what is too small for a matter to the group it is closest to, smallest first.

        Without a word in common that is the group of its nearest neighbour in the session. What
        stands alone in its session, too, goes with what was said before it where that is a rare
        exception, and stays for itself where such statements are many.
        """
        alone: set[int] = set()
        while len(self._members) > 1:
            small = [g for g in self._members if self._size(g) < _SMALLEST and g not in alone]
            if not small:
                break
            group = min(small, key=lambda group: (self._size(group), group))
            others = [o for o in self._members if o != group and self._closest(group, o) > 0]
            if not others:
                beside = self._beside(group, sessions)
                if beside is None:
                    alone.add(group)
                else:
                    self._join(group, beside)
                continue
            room = [o for o in others if self._size(o) + self._size(group) <= largest] or others
            self._join(group, max(room, key=lambda o: (self._closest(group, o), -o)))

        if len(alone) <= _RARELY * len(sessions):
            for group in alone & self._members.keys():
                before = self._members[group][0] - 1
                into = next((o for o, members in self._members.items() if before in members), None)
                if into is not None:
                    self._join(group, into)

    def _beside(self, group: int, sessions: Sequence[str]) -> int | None:
        """The group of the statement nearest to this one's first in the same session."""
        at = self._members[group][0]
        near = [
            (abs(place - at), other)
            for other, members in self._members.items()
            if other != group
            for place in members
            if sessions[place] == sessions[at]
        ]
        return min(near)[1] if near else None

    def numbered(self) -> list[int]:
        """The group of each statement."""
        placed = [0] * len(self._alike)
        for number, group in enumerate(sorted(self._members.values(), key=min)):
            for at in group:
                placed[at] = number
        return placed

    def _size(self, group: int) -> int:
        return len(self._members[group])

    def _linked(self, one: int, other: int) -> float:
        """The mean likeness of the statements of two groups."""
        return self._alike[one][other] / (self._size(one) * self._size(other))

    def _closest(self, one: int, other: int) -> float:
        return self._alike[one][other] / sqrt(self._size(one) * self._size(other))

    def _join(self, group: int, into: int) -> None:
        for other in self._members:
            summed = self._alike[into][other] + self._alike[group][other]
            self._alike[into][other] = self._alike[other][into] = summed
        self._members[into] += self._members.pop(group)


_NAME_SHARE = 0.45  # of its weight that a name keeps which stands alone
_WORD = re.compile(r"[^\W\d_][^\W_]*")
_TITLE = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof)\.? (?=[^\W\d_])")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;\n\"“«¿¡(–—])\W*\Z")  # what may stand before a capital


def without_names(statements: Sequence[Terms], contents: Sequence[str]) -> list[Terms]:
    """`statements` with less weight on the names of people that stand in their `contents`.

    A person is named whatever the matter is, so a name ties statements together less than the words
    for the matter do. With more talk, counting tells as much.
    """
    names = frozenset[str]().union(*map(lone_names, contents))
    return [
        {term: weight * (_NAME_SHARE if term in names else 1.0) for term, weight in found.items()}
        for found in statements
    ]


def lone_names(content: str) -> set[str]:
    """The terms of the names in `content` that stand alone ("Maria", not "Maria Street").

    Told by how they are written: with a capital that no start of a sentence explains, and next to
    no other word with one.
    """
    found: set[str] = set()
    joined = False
    content = _TITLE.sub("the ", content)
    matches = list(_WORD.finditer(content))
    for match, after in zip(matches, [*matches[1:], None], strict=False):
        opens = _SENTENCE_START.search(content, max(match.start() - 4, 0), match.start())
        joins = not opens and _is_joined(content, match, after)
        if not (opens or joined or joins):
            key, weight = read_any_word(match.group().lower(), "en")
            if _is_capital(match) and len(match.group()) > 2 and weight >= TOPIC_WEIGHT:
                found.add(key)
        joined = joins
    return found


def _is_capital(match: re.Match[str]) -> bool:
    word = match.group()
    return word[0].isupper() and word[1:].islower()


def _is_joined(content: str, match: re.Match[str], after: re.Match[str] | None) -> bool:
    """Whether a word and the one after it make one name, two capitals with a space between."""
    if after is None or content[match.end() : after.start()] != " ":
        return False
    return match.group()[0].isupper() and after.group()[0].isupper()


# --- scenes that should be one -------------------------------------------------------------------

TINY = 2  # cells up to which a scene joins whatever speaks for it at all
ALIKE = 0.3  # cosine from which larger scenes are one; twice that where they would be a crowd
ALIKE_TINY = 0.04
LEAST_CEILING = 15  # cells that a scene may have in the smallest memory if all are plainly alike
_LITTLE = 4.0  # weight of topic words for each cell, above which a lone one may be of its own
_CONSIDERED = 12
_OVERCROWDED = 1.3  # of the crowd: what no scene grows beyond even by a tiny one


def propose_merges(profiles: Iterable[SceneProfile]) -> list[tuple[str, str]]:
    """Pairs (scene, the scene it should become a part of), to be carried out in their order.

    The smaller scene joins the larger. A target may be merged itself later in the list, never
    earlier. No scene grows past the share of the memory at which it would swallow everything.
    """
    listed = list(profiles)
    counts = TermCounts()
    for number, profile in enumerate(listed):
        counts.restore(number, profile.terms, profile.cells)
    numbers = {profile.scene: number for number, profile in enumerate(listed)}
    beside = {
        number: numbers[profile.beside]
        for number, profile in enumerate(listed)
        if profile.beside in numbers
    }
    merges = _all_merges(counts, Partners(counts, beside), range(len(listed)))
    return [(listed[scene].scene, listed[into].scene) for scene, into in merges]


def _all_merges(
    counts: TermCounts, partners: Partners, scenes: Iterable[int]
) -> list[tuple[int, int]]:
    """The merges, clearest first, each carried out in `counts` before the next is chosen."""
    queue = [entry for scene in scenes if (entry := partners.best_of(scene))]
    heapify(queue)
    merged: list[tuple[int, int]] = []
    gone: set[int] = set()
    while queue:
        entry = heappop(queue)
        _, scene, into = entry
        if scene in gone:
            continue
        now = partners.best_of(scene)
        if now != entry:  # others merged meanwhile: back in line
            if now is not None:
                heappush(queue, now)
            continue
        merged.append((scene, into))
        gone.add(scene)
        counts.merge(scene, into)
        partners.follow(scene, into)
        if again := partners.best_of(into):
            heappush(queue, again)
    return merged


class Partners:
    """Finds for a scene the one that it should be a part of.

    `beside` says what was being talked about when a scene was opened.
    """

    def __init__(self, counts: TermCounts, beside: Mapping[int, int]) -> None:
        self._counts = counts
        self._beside = beside
        self._moved: dict[int, int] = {}
        self._crowd = counts.crowd

    def follow(self, scene: int, into: int) -> None:
        """Know that `scene` was merged into another."""
        self._moved[scene] = into

    def best_of(self, scene: int) -> tuple[float, int, int] | None:
        """(how unclear it is, below zero; the scene; its partner), None where it stands alone."""
        sizes = self._counts.scene_size
        gains = self._counts.gains(self._counts.scene_terms[scene], own=scene)
        nearest = sorted(gains, key=lambda other: (-gains[other], other))[: _CONSIDERED + 1]
        own = self._vector(scene)
        best: tuple[float, int, int] | None = None
        for other in nearest:
            together = sizes[scene] + sizes[other]
            smaller = (sizes[other], -other) < (sizes[scene], -scene)
            if other == scene or smaller or together > self._most(scene):
                continue
            needed = ALIKE_TINY
            if sizes[scene] > TINY or together > self._ceiling(scene):
                needed = ALIKE * (1 + together / self._crowd)
            clear = _cosine(own, self._vector(other)) - needed
            if clear > 0 and (best is None or -clear < best[0]):
                best = -clear, scene, other
        return best if best or sizes[scene] > TINY else self._what_it_was_beside(scene)

    def _most(self, scene: int) -> float:
        """What no scene grows beyond by this one, however alike they are."""
        return max(self._ceiling(scene), LEAST_CEILING)

    def _ceiling(self, scene: int) -> float:
        tiny = self._counts.scene_size[scene] <= TINY
        return _OVERCROWDED * self._crowd if tiny else self._crowd

    def _what_it_was_beside(self, scene: int) -> tuple[float, int, int] | None:
        """For a tiny scene that nothing speaks for and that tells little: what was talked about
        when it was opened, unless it is plainly of another field of life."""
        beside = self._beside.get(scene)
        while beside in self._moved:
            beside = self._moved[beside]
        known = self._counts.scene_terms.get(beside, {}) if beside is not None else {}
        if beside is None or beside == scene or not known:
            return None
        if self._counts.scene_size[beside] > self._ceiling(scene):
            return None
        if news_of(self._counts.scene_terms[scene]) > _LITTLE * self._counts.scene_size[scene]:
            return None
        fields = {term for term in self._counts.scene_terms[scene] if is_field(term)}
        if fields and not fields & known.keys():
            return None
        return -ALIKE_TINY / 2, scene, beside

    def _vector(self, scene: int) -> dict[str, float]:
        """The scene's terms by how much they speak for it, as a unit vector."""
        counted = self._counts.scene_terms[scene]
        weighed = {
            term: weight * self._counts.distinctness(scene, term)
            for term, weight in counted.items()
        }
        length = sqrt(sum(weight * weight for weight in weighed.values()))
        return {term: weight / length for term, weight in weighed.items()} if length else {}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)
