"""Which scenes are one: proposals to merge, made when more is known than when they were opened.

Live, a scene is opened on the strength of a single statement. Later a tiny scene belongs to the
scene that its terms speak for, and two scenes that say the same are one (average-link agglomerative
clustering over their strongest terms, each weighted by how much more it is said there). Nothing
here changes anything: the store merges, and keeps the old names as aliases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from math import sqrt

from scenemem.embedded.cohesion import CROWD, CROWD_SHARE, TermCounts
from scenemem.embedded.scenes import SceneProfile
from scenemem.embedded.terms import is_field

TINY = 2  # cells up to which a scene joins whatever speaks for it at all
ALIKE = 0.3  # cosine from which larger scenes are one
ALIKE_TINY = 0.04
_PARTNERS = 12


def propose_merges(profiles: Iterable[SceneProfile]) -> list[tuple[str, str]]:
    """Pairs (scene, the scene it should become a part of), to be carried out in their order.

    The smaller scene joins the larger. A target may be merged itself later in the list, never
    earlier. No scene grows past the share of the memory at which it would swallow everything.
    """
    return _Merging(list(profiles)).merges()


class _Merging:
    def __init__(self, profiles: list[SceneProfile]) -> None:
        self._profiles = profiles
        self._counts = TermCounts()
        for number, profile in enumerate(profiles):
            self._counts.restore(number, profile.terms, profile.cells)
        cells = sum(profile.cells for profile in profiles)
        self._crowd = max(CROWD, CROWD_SHARE * cells)
        self._numbers = {profile.scene: number for number, profile in enumerate(profiles)}
        self._joined: dict[int, int] = {}
        self._vectors = {number: self._vector(number) for number in range(len(profiles))}

    def merges(self) -> list[tuple[str, str]]:
        queue = [entry for number in self._vectors if (entry := self._best(number))]
        heapify(queue)
        found: list[tuple[str, str]] = []
        while queue:
            promised, scene, into = heappop(queue)
            if scene not in self._vectors:
                continue
            entry = self._best(scene)
            if entry is None:
                continue
            if entry != (promised, scene, into):
                heappush(queue, entry)
                continue
            found.append((self._profiles[scene].scene, self._profiles[into].scene))
            self._counts.merge(scene, into)
            self._joined[scene] = into
            del self._vectors[scene]
            self._vectors[into] = self._vector(into)
            if again := self._best(into):
                heappush(queue, again)
        return found

    def _vector(self, number: int) -> dict[str, float]:
        """The scene's terms by how much they speak for it, as a unit vector."""
        counted = self._counts.scene_terms[number]
        weighed = {
            term: weight * self._counts.distinctness(number, term)
            for term, weight in counted.items()
        }
        length = sqrt(sum(weight * weight for weight in weighed.values()))
        return {term: weight / length for term, weight in weighed.items()} if length else {}

    def _best(self, number: int) -> tuple[float, int, int] | None:
        """The merge that lies nearest for this scene: (minus how clear it is, scene, into)."""
        size = self._counts.scene_size[number]
        partners = self._counts.gains(self._counts.scene_terms[number], own=number)
        near = sorted(partners, key=lambda other: (-partners[other], other))[: _PARTNERS + 1]
        best: tuple[float, int, int] | None = None
        for other in near:
            beyond = self._counts.scene_size[other]
            if other == number or (beyond, -other) < (size, -number):
                continue
            if size + beyond > self._crowd and size > TINY:
                continue
            needed = ALIKE_TINY if size <= TINY else ALIKE * (1 + (size + beyond) / self._crowd)
            clear = _cosine(self._vectors[number], self._vectors[other]) - needed
            if clear > 0 and (best is None or -clear < best[0]):
                best = -clear, number, other
        return best if best or size > TINY else self._beside(number)

    def _beside(self, number: int) -> tuple[float, int, int] | None:
        """For a tiny scene that nothing speaks for: what was talked about when it was opened."""
        beside = self._numbers.get(self._profiles[number].beside or "")
        while beside in self._joined:
            beside = self._joined[beside]
        if beside is None or beside == number:
            return None
        fields = {term for term in self._counts.scene_terms[number] if is_field(term)}
        if fields and not fields & self._counts.scene_terms[beside].keys():
            return None
        return -ALIKE_TINY / 2, number, beside


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)
