"""Which scene a new cell belongs to, and what a new scene is called.

A `SceneIndex` knows of every scene its strongest terms and little more. Live, exchange by exchange,
a statement goes to the scene that its terms speak for, the scene just talked about having the
benefit of the doubt; a statement that brings much new and fits nowhere opens a scene. In bulk the
whole stretch is looked at first (`partition`). Both count as they go, so that talk about the same
matter weeks later comes to the same scene. The index is rebuilt from cells or profiles at any time;
it keeps nothing that the memory does not hold.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scenemem.base.records import Cell, CellDraft, utc
from scenemem.base.text import name_key
from scenemem.engines.rules.agglomeration import MOST_STATEMENTS, agglomerated
from scenemem.engines.rules.cohesion import BEGINNING, SceneProfile, TermCounts
from scenemem.engines.rules.counted_cells import CountedCells
from scenemem.engines.rules.lone_names import LoneNames
from scenemem.engines.rules.merging import TINY, Partners
from scenemem.engines.rules.naming import (
    CELLS_READ,
    SMALL_TALK_NAMES,
    Weigh,
    likeness,
    name_for,
    small_talk,
)
from scenemem.engines.rules.partition import Partition
from scenemem.engines.rules.speaker_names import SpeakerNames
from scenemem.engines.rules.terms import is_field, news_of, terms

__all__ = ["SceneIndex", "SceneProfile"]

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
        self._names = LoneNames()
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
            self._names.meet(draft.content)
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
            self._names.meet(cell.content)
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
        """What a statement is about, as terms; whom it is about counts less."""
        return self._names.lighten(self._speakers.terms_without_names(content))

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
        groups = agglomerated(statements, sessions, messages)
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
