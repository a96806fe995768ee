"""Which scenes are one: proposals to merge, made when more is known than when they were opened.

Live, a scene is opened on the strength of a single statement. Later a tiny scene belongs to the
scene that its terms speak for, and two scenes that say the same are one (agglomerative clustering
over their strongest terms, each weighted by how much more it is said there). Nothing here changes
a memory: the store merges, and keeps the old names as aliases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from math import sqrt

from scenemem.engines.rules.cohesion import SceneProfile, TermCounts
from scenemem.engines.rules.terms import is_field, news_of

__all__ = ["Partners", "propose_merges"]

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
