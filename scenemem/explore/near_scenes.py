"""Which scenes are near each other, by the terms they share; and a place for each on a map.

Scenes are vectors of their terms, each weighed by how few scenes have it (tf-idf), and near by the
cosine between them. Their places come from springs between near scenes while all repel each other
(Fruchterman and Reingold, 1991), started from a circle, so that the same memory gives the same map.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scenemem.base.records import Cell
from scenemem.engines.rules.cohesion import SceneProfile
from scenemem.engines.rules.merging import propose_merges
from scenemem.engines.rules.terms import guess_language, is_field, read_any_word, runs, terms

__all__ = ["Pair", "SceneTerms", "candidates", "near_pairs", "places", "scene_terms"]

SHARED_SHOWN = 5
_ROUNDS = 300


class SceneTerms(NamedTuple):
    """What a scene is about: the weight of each of its terms, and how many cells it has.

    `spellings` has for each term the words that stand for it, with how often each was written.
    """

    scene: str
    weights: dict[str, float]
    cells: int
    spellings: dict[str, Counter[str]]


class Pair(NamedTuple):
    """Two scenes, how near they are (cosine, 0 to 1), and the words that they share, best first."""

    one: str
    other: str
    nearness: float
    shared: tuple[str, ...]


def scene_terms(cells: Iterable[Cell]) -> list[SceneTerms]:
    """The terms of each scene of these cells, in the order in which the scenes begin."""
    found: dict[str, SceneTerms] = {}
    for cell in cells:
        fresh = SceneTerms(cell.scene, {}, 0, {})
        known = found.get(cell.scene, fresh)
        for term, weight in terms(cell.content).items():
            known.weights[term] = known.weights.get(term, 0.0) + weight
        for term, word in _spelt(cell.content):
            known.spellings.setdefault(term, Counter())[word] += 1
        found[cell.scene] = known._replace(cells=known.cells + 1)
    return list(found.values())


def near_pairs(scenes: Sequence[SceneTerms]) -> list[Pair]:
    """Every pair of scenes that shares a term, the nearest first."""
    having = Counter(term for scene in scenes for term in scene.weights)
    rarity = {term: math.log(1 + len(scenes) / count) for term, count in having.items()}
    vectors = [_unit({t: w * rarity[t] for t, w in scene.weights.items()}) for scene in scenes]
    pairs = []
    for place, one in enumerate(vectors):
        for further in range(place + 1, len(vectors)):
            other = vectors[further]
            products = {term: one[term] * other[term] for term in one.keys() & other.keys()}
            if products:
                shared = _readable(products, scenes[place], scenes[further])
                names = scenes[place].scene, scenes[further].scene
                pairs.append(Pair(*names, min(sum(products.values()), 1.0), shared))
    return sorted(pairs, key=lambda pair: (-pair.nearness, pair.one, pair.other))


def candidates(scenes: Sequence[SceneTerms]) -> set[frozenset[str]]:
    """The pairs that the embedded engine's rules of merging would make one."""
    profiles = [SceneProfile(s.scene, s.weights, s.cells) for s in scenes]
    return {frozenset(pair) for pair in propose_merges(profiles)}


def places(scenes: Sequence[str], pairs: Iterable[Pair]) -> dict[str, tuple[float, float]]:
    """A place for each scene, from 0 to 1 in both directions; near scenes stand together."""
    pairs = sorted(pairs, key=lambda pair: (-pair.nearness, pair.one, pair.other))
    around = _near_beside_near(scenes, pairs)
    number = {scene: place for place, scene in enumerate(around)}
    size = len(scenes)
    if size < 2:
        return dict.fromkeys(scenes, (0.5, 0.5))
    spots = [
        [math.cos(2 * math.pi * i / size), math.sin(2 * math.pi * i / size)] for i in range(size)
    ]
    springs = [
        (number[p.one], number[p.other], p.nearness)
        for p in pairs
        if p.one in number and p.other in number
    ]
    for turn in range(_ROUNDS):
        _settle(spots, springs, step=0.12 * (1 - turn / _ROUNDS))
    fitted = dict(zip(around, _fitted(spots), strict=True))
    return {scene: fitted[scene] for scene in scenes}


def _near_beside_near(scenes: Sequence[str], pairs: Sequence[Pair]) -> list[str]:
    """The scenes in an order in which each follows the one before that it is nearest to."""
    nearest: dict[str, list[str]] = {scene: [] for scene in scenes}
    for pair in pairs:
        if pair.one in nearest and pair.other in nearest:
            nearest[pair.one].append(pair.other)
            nearest[pair.other].append(pair.one)
    order: dict[str, None] = {}
    for scene in scenes:
        waiting = [scene]
        while waiting:
            following = waiting.pop()
            if following not in order:
                order[following] = None
                waiting += reversed(nearest[following])
    return list(order)


def _settle(
    spots: list[list[float]], springs: Sequence[tuple[int, int, float]], step: float
) -> None:
    """Move each spot by at most `step`, as springs pull and all others push."""
    apart = 1.6 / math.sqrt(len(spots))
    moves = [[-0.25 * x, -0.25 * y] for x, y in spots]  # a little to the middle
    for i, (x, y) in enumerate(spots):
        for j in range(i):
            dx, dy = x - spots[j][0], y - spots[j][1]
            push = apart * apart / max(dx * dx + dy * dy, 1e-4)
            for spot, sign in ((i, 1), (j, -1)):
                moves[spot][0] += sign * dx * push
                moves[spot][1] += sign * dy * push
    for i, j, nearness in springs:
        dx, dy = spots[i][0] - spots[j][0], spots[i][1] - spots[j][1]
        pull = 6 * nearness * math.hypot(dx, dy) / apart
        for spot, sign in ((i, -1), (j, 1)):
            moves[spot][0] += sign * dx * pull
            moves[spot][1] += sign * dy * pull
    for place, (dx, dy) in zip(spots, moves, strict=True):
        length = math.hypot(dx, dy)
        if length:
            place[0] += dx / length * min(length, step)
            place[1] += dy / length * min(length, step)


def _fitted(spots: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    lows = [min(spot[axis] for spot in spots) for axis in (0, 1)]
    spans = [max(spot[axis] for spot in spots) - lows[axis] or 1.0 for axis in (0, 1)]
    return [
        (round((x - lows[0]) / spans[0], 4), round((y - lows[1]) / spans[1], 4)) for x, y in spots
    ]


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}


def _spelt(text: str) -> Iterable[tuple[str, str]]:
    """The terms of the spaced words of a text, each with the word."""
    language = guess_language(text)
    for kind, run in runs(text):
        if kind == "word":
            yield read_any_word(run.lower(), language)[0], run.lower()


def _readable(products: Mapping[str, float], one: SceneTerms, other: SceneTerms) -> tuple[str, ...]:
    """The strongest shared terms as the words they were written as."""
    shown: list[str] = []
    for term in sorted(products, key=lambda term: (-products[term], term)):
        if is_field(term):
            continue
        spelt = one.spellings.get(term, Counter()) + other.spellings.get(term, Counter())
        shown.append(min(spelt, key=lambda word: (-spelt[word], word)) if spelt else term)
        if len(shown) == SHARED_SHOWN:
            break
    return tuple(dict.fromkeys(shown))
