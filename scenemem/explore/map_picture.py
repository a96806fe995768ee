"""The map of scenes: similar scenes are close together, and lines show how much they share.

The nearness of two scenes is the cosine of their weighted terms, and a spring layout places them.
All of that is pure; `scene_map` draws it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scenemem.base.checks import memory_given
from scenemem.base.display.markup import counted
from scenemem.base.records import Cell
from scenemem.base.text import shorten
from scenemem.engines.rules.cohesion import SceneProfile
from scenemem.engines.rules.scenes import propose_merges
from scenemem.engines.rules.terms import guess_language, is_field, read_any_word, runs, terms
from scenemem.explore.axes import at_least_one, chart_of, empty_chart, needed
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB

__all__ = ["Pair", "SceneTerms", "candidates", "near_pairs", "places", "scene_map", "scene_terms"]

SHARED_SHOWN = 5
_ROUNDS = 300
SCENES = 40
PAIRS = 12
WIDTH, HEIGHT = 700, 440
_ACROSS, _UP = (-0.11, 1.11), (-0.06, 1.08)  # the visible part of the plane, with room for names
_LONGEST_NAME = 170  # pixels, like all of the following
_PAIR_NAMES = 300  # width of the column of pair names
_LETTER = 7.5  # approximate width of a letter, and half the height of a name
_DOT = 10  # approximate radius of a dot
_ABOVE, _BELOW = 17, 18  # from the centre of a dot to that of its name
_NEIGHBOURS = 2  # each scene has lines to at least this many neighbours


class SceneTerms(NamedTuple):
    """A scene's terms with their weights, and how many cells it has.

    `spellings` maps each term to the words it was written as, with their counts.
    """

    scene: str
    weights: dict[str, float]
    cells: int
    spellings: dict[str, Counter[str]]


class Pair(NamedTuple):
    """Two scenes, their nearness (cosine, 0 to 1), and the words they share, strongest first."""

    one: str
    other: str
    nearness: float
    shared: tuple[str, ...]


def scene_terms(cells: Iterable[Cell]) -> list[SceneTerms]:
    """The terms of each scene among these cells, in the order the scenes begin."""
    found: dict[str, SceneTerms] = {}
    for cell in cells:
        fresh = SceneTerms(cell.scene, {}, 0, {})
        known = found.get(cell.scene, fresh)
        for term, weight in terms(cell.content).items():
            known.weights[term] = known.weights.get(term, 0.0) + weight
        for term, word in _spellings(cell.content):
            known.spellings.setdefault(term, Counter())[word] += 1
        found[cell.scene] = known._replace(cells=known.cells + 1)
    return list(found.values())


def near_pairs(scenes: Sequence[SceneTerms]) -> list[Pair]:
    """Every pair of scenes that share a term, nearest first."""
    having = Counter(term for scene in scenes for term in scene.weights)
    rarity = {term: math.log(1 + len(scenes) / count) for term, count in having.items()}
    vectors = [_unit({t: w * rarity[t] for t, w in scene.weights.items()}) for scene in scenes]
    pairs = []
    for place, one in enumerate(vectors):
        for further in range(place + 1, len(vectors)):
            other = vectors[further]
            products = {term: one[term] * other[term] for term in one.keys() & other.keys()}
            if products:
                shared = _shared_as_written(products, scenes[place], scenes[further])
                names = scenes[place].scene, scenes[further].scene
                pairs.append(Pair(*names, min(sum(products.values()), 1.0), shared))
    return sorted(pairs, key=lambda pair: (-pair.nearness, pair.one, pair.other))


def candidates(scenes: Sequence[SceneTerms]) -> set[frozenset[str]]:
    """The pairs that the embedded engine's rules would merge."""
    profiles = [SceneProfile(s.scene, s.weights, s.cells) for s in scenes]
    return {frozenset(pair) for pair in propose_merges(profiles)}


def places(scenes: Sequence[str], pairs: Iterable[Pair]) -> dict[str, tuple[float, float]]:
    """Coordinates for each scene, from 0 to 1, with similar scenes close together."""
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
    """The scenes in an order that puts similar ones next to each other."""
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
    """Move each spot by at most `step`, pulled by springs and pushed by all others."""
    apart = 1.6 / math.sqrt(len(spots))
    moves = [[-0.25 * x, -0.25 * y] for x, y in spots]  # slightly towards the middle
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


def _spellings(text: str) -> Iterable[tuple[str, str]]:
    """The (term, word) pairs of a text's space-separated words."""
    language = guess_language(text)
    for kind, run in runs(text):
        if kind == "word":
            yield read_any_word(run.lower(), language)[0], run.lower()


def _shared_as_written(
    products: Mapping[str, float], one: SceneTerms, other: SceneTerms
) -> tuple[str, ...]:
    """The strongest shared terms, as the words they were written as."""
    shown: list[str] = []
    for term in sorted(products, key=lambda term: (-products[term], term)):
        if is_field(term):
            continue
        spelt = one.spellings.get(term, Counter()) + other.spellings.get(term, Counter())
        shown.append(min(spelt, key=lambda word: (-spelt[word], word)) if spelt else term)
        if len(shown) == SHARED_SHOWN:
            break
    return tuple(dict.fromkeys(shown))


def scene_map(db: MemoryDB, *, scenes: int = SCENES) -> Picture:
    """Draw a map of the `scenes` largest scenes by shared words, and the nearest pairs.

    The thicker a line, the more two scenes share. An orange line marks candidates for merging by
    the embedded engine's rules; `db.scenes.merge_scenes(scene, into)` merges them.
    Raises `ValueError` for `scenes` below 1.
    """
    memory_given(db)
    at_least_one("scenes", scenes)
    alt = needed("altair")
    known = [scene for scene in db.scenes.list_scenes() if scene.cells]
    largest = sorted(known, key=lambda scene: (-scene.cells, scene.scene))[:scenes]
    chosen = {scene.scene for scene in largest}
    shown = scene_terms(cell for cell in db.cells.list_cells() if cell.scene in chosen)
    pairs = near_pairs(shown)
    merge = candidates(shown)
    if not shown:
        title = "No scenes yet"
        return Picture(empty_chart(alt, title, "Nothing has been remembered yet."), title)
    title = "Scenes that share their words"
    note = _subtitle(known, shown, merge)
    chart = _map_chart(alt, shown, pairs, merge).properties(
        title=alt.TitleParams(title, subtitle=note), width=WIDTH, height=HEIGHT
    )
    if pairs:
        chart = alt.vconcat(chart, _pairs_chart(alt, pairs, merge), spacing=26)
    return Picture(chart, title)


def _subtitle(known: Sequence[Any], shown: Sequence[Any], merge: set[frozenset[str]]) -> str:
    count = counted(len(known), "scene")
    if len(shown) < len(known):
        count += f" (the {len(shown)} largest shown)"
    merging = counted(len(merge), "candidate") if merge else "no candidates"
    return f"{count}, {merging} for merging (orange). Size: cells. Line width: nearness."


def _drawn_pairs(pairs: Sequence[Pair], merge: set[frozenset[str]]) -> list[Pair]:
    """The lines to draw: each scene's nearest neighbours, and the candidates."""
    lines: dict[str, int] = {}
    drawn = []
    for pair in pairs:
        few = min(lines.get(pair.one, 0), lines.get(pair.other, 0)) < _NEIGHBOURS
        if few or _is_candidate(pair, merge):
            drawn.append(pair)
            for name in (pair.one, pair.other):
                lines[name] = lines.get(name, 0) + 1
    return drawn


def _is_candidate(pair: Pair, merge: set[frozenset[str]]) -> bool:
    return frozenset((pair.one, pair.other)) in merge


def _map_chart(
    alt: Any, scenes: Sequence[SceneTerms], pairs: Sequence[Pair], merge: set[frozenset[str]]
) -> Any:
    drawn = _drawn_pairs(pairs, merge)
    spots = places([scene.scene for scene in scenes], drawn)
    below = _labelled_below(spots)
    values = [
        {"scene": s.scene, "cells": s.cells, "below": s.scene in below}
        | dict(zip("xy", spots[s.scene], strict=True))
        for s in scenes
    ]
    nodes = chart_of(alt, values)
    x = alt.X("x:Q", axis=None).scale(domain=_ACROSS, nice=False)
    y = alt.Y("y:Q", axis=None).scale(domain=_UP, nice=False)
    dots = nodes.mark_circle(style="sm-strong-fill", opacity=1).encode(
        x,
        y,
        size=alt.Size("cells:Q", legend=None).scale(domainMin=0, range=[30, 420]),
        tooltip=["scene:N", "cells:Q"],
        description="scene:N",
    )
    names = [
        nodes.transform_filter(f"datum.below === {str(under).lower()}")
        .mark_text(
            style="sm-label",
            dy=_BELOW if under else -_ABOVE,
            fontSize=12,
            fontWeight=600,
            tooltip=None,
            limit=_LONGEST_NAME,
        )
        .encode(x, y, text="scene:N")
        for under in (False, True)
    ]
    lines = [
        _line_layer(
            alt, [p for p in drawn if _is_candidate(p, merge) is merging], spots, merging, x, y
        )
        for merging in (False, True)
    ]
    return alt.layer(*lines, dots, *names)


class _Box(NamedTuple):
    """The space something takes on the map, in pixels: its centre, half width and half height."""

    x: float
    y: float
    across: float
    up: float

    def hides(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) < self.across + other.across
            and abs(self.y - other.y) < self.up + other.up
        )


def _labelled_below(spots: Mapping[str, tuple[float, float]]) -> set[str]:
    """The scenes whose names overlap less with others below their dots than above."""
    dots = {scene: _Box(*_in_pixels(spot), _DOT, _DOT) for scene, spot in spots.items()}
    names: list[_Box] = []
    below: set[str] = set()
    for scene, dot in sorted(dots.items(), key=lambda placed: (-placed[1].y, placed[0])):
        half = min(len(scene) * _LETTER, _LONGEST_NAME) / 2
        taken = [*names, *(other for name, other in dots.items() if name != scene)]
        above, under = (_Box(dot.x, dot.y + up, half, _LETTER) for up in (_ABOVE, -_BELOW))
        if sum(map(under.hides, taken)) < sum(map(above.hides, taken)):
            below.add(scene)
        names.append(under if scene in below else above)
    return below


def _in_pixels(spot: tuple[float, float]) -> tuple[float, float]:
    """The pixel position of a spot, from the lower left."""
    sides = zip(spot, (_ACROSS, _UP), (WIDTH, HEIGHT), strict=True)
    x, y = ((at - low) / (high - low) * size for at, (low, high), size in sides)
    return x, y


def _line_layer(
    alt: Any,
    pairs: Sequence[Pair],
    spots: Mapping[str, tuple[float, float]],
    merging: bool,
    x: Any,
    y: Any,
) -> Any:
    values = [
        {
            "pair": f"{p.one} – {p.other}",
            "nearness": round(p.nearness, 3),
            "shared": _shared_words(p),
        }
        | dict(zip(("x", "y", "x2", "y2"), (*spots[p.one], *spots[p.other]), strict=True))
        for p in pairs
    ]
    style = "sm-merge" if merging else "sm-quiet"
    return (
        chart_of(alt, values)
        .mark_rule(style=style, strokeCap="round")
        .encode(
            x,
            y,
            alt.X2("x2:Q"),
            alt.Y2("y2:Q"),
            strokeWidth=alt.StrokeWidth("nearness:Q", legend=None).scale(
                domain=[0, 0.5], range=[0.7, 7], clamp=True
            ),
            tooltip=["pair:N", "nearness:Q", "shared:N"],
        )
    )


def _shared_words(pair: Pair) -> str:
    return ", ".join(pair.shared)


def _pairs_chart(alt: Any, pairs: Sequence[Pair], merge: set[frozenset[str]]) -> Any:
    """The nearest pairs as bars, with the words they share."""
    values = [
        {
            "pair": f"{shorten(p.one, 26)} – {shorten(p.other, 26)}",
            "nearness": round(p.nearness, 3),
            "shared": _shared_words(p),
            "merge": _is_candidate(p, merge),
        }
        for p in pairs[:PAIRS]
    ]
    base = chart_of(alt, values).encode(
        alt.Y("pair:N", sort=[v["pair"] for v in values], title=None, axis=None),
    )
    # Names are inside the chart; an axis would push the map aside to make room for them.
    x = alt.X("nearness:Q", title=None, axis=None).scale(
        domain=[0, pairs[0].nearness * 2.6], range=[_PAIR_NAMES, WIDTH]
    )
    names = base.mark_text(
        style="sm-label", align="right", dx=-7, tooltip=None, limit=_PAIR_NAMES - 10
    ).encode(x=alt.value(_PAIR_NAMES), text="pair:N")
    bars = [
        base.transform_filter(f"datum.merge === {str(merging).lower()}")
        .mark_bar(style="sm-merge-fill" if merging else "sm-quiet-fill", height=9, cornerRadius=2)
        .encode(x, tooltip=["pair:N", "nearness:Q", "shared:N"])
        for merging in (False, True)
    ]
    text = base.mark_text(style="sm-soft", align="left", dx=7, tooltip=None, limit=280).encode(
        x, text="shared:N"
    )
    title = alt.TitleParams("The nearest pairs, and what they share", fontSize=13)
    return alt.layer(*bars, text, names).properties(
        title=title, width=WIDTH, height=20 * len(values)
    )
