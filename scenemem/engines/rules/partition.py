"""A whole stretch of talk at once: which statements belong together, and to which scene.

A stretch that is read back (a session, an imported file) shows its own topics. Terms that are said
in bursts found scenes; then every statement goes where its own terms and its neighbours put it: the
most likely path through the scenes, where staying in a scene is free and moving to another costs
(Viterbi decoding of a hidden Markov model with hard re-estimation, as topic segmentation by lexical
cohesion does it). New scenes that end up with few statements are dissolved into the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise

from scenemem.engines.rules.cohesion import TermCounts, Terms
from scenemem.engines.rules.terms import news_of

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
        for at, terms in enumerate(self._statements):
            for term, weight in terms.items():
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
