"""The map of scenes: near ones stand together, and lines say how much they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scenemem.base.display.markup import counted
from scenemem.base.text import shorten
from scenemem.explore.axes import at_least_one, chart_of, empty_chart
from scenemem.explore.extra import needed
from scenemem.explore.near_scenes import (
    Pair,
    SceneTerms,
    candidates,
    near_pairs,
    places,
    scene_terms,
)
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB

__all__ = ["scene_map"]

SCENES = 40
PAIRS = 12
WIDTH, HEIGHT = 700, 440
_ACROSS, _UP = (-0.11, 1.11), (-0.06, 1.08)  # what is shown of the plane, with room for names
_LONGEST_NAME = 170  # pixels, as all that follow
_PAIR_NAMES = 300  # the width of the column of names of pairs
_LETTER = 7.5  # about the width of a letter of a name, and half the height of a name
_DOT = 10  # about the radius of a dot
_ABOVE, _BELOW = 17, 18  # from the middle of a dot to that of its name
_NEIGHBOURS = 2  # lines that a scene has at least, to its nearest


def scene_map(db: MemoryDB, *, scenes: int = SCENES) -> Picture:
    """Which scenes share their words: a map of at most the `scenes` largest, and the nearest pairs.

    A thick line joins scenes that share much. An orange one joins candidates to merge, by the rules
    by which the embedded engine merges; `db.scenes.merge_scenes(scene, into)` does it.
    Raises `ValueError` for `scenes` below 1.
    """
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
        return Picture(empty_chart(alt, title, "Nothing was remembered so far."), title)
    title = "Scenes that share their words"
    note = _told(known, shown, merge)
    chart = _map(alt, shown, pairs, merge).properties(
        title=alt.TitleParams(title, subtitle=note), width=WIDTH, height=HEIGHT
    )
    if pairs:
        chart = alt.vconcat(chart, _nearest(alt, pairs, merge), spacing=26)
    return Picture(chart, title)


def _told(known: Sequence[Any], shown: Sequence[Any], merge: set[frozenset[str]]) -> str:
    told = counted(len(known), "scene")
    if len(shown) < len(known):
        told += f"; shown are the {len(shown)} largest"
    merging = counted(len(merge), "candidate") if merge else "no candidate"
    return f"{told}, {merging} to merge (orange). Size: cells. Width of a line: nearness."


def _drawn_pairs(pairs: Sequence[Pair], merge: set[frozenset[str]]) -> list[Pair]:
    """The lines worth drawing: each scene's nearest, and the candidates."""
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


def _map(
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
        _lines(alt, [p for p in drawn if _is_candidate(p, merge) is merging], spots, merging, x, y)
        for merging in (False, True)
    ]
    return alt.layer(*lines, dots, *names)


class _Box(NamedTuple):
    """What takes place on the map, in pixels: its middle, and half of its width and height."""

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
    """The scenes whose names hide less of other names and dots below their dots than above."""
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
    """Where a spot of the plane is drawn, from the lower left."""
    sides = zip(spot, (_ACROSS, _UP), (WIDTH, HEIGHT), strict=True)
    x, y = ((at - low) / (high - low) * size for at, (low, high), size in sides)
    return x, y


def _lines(
    alt: Any,
    pairs: Sequence[Pair],
    spots: Mapping[str, tuple[float, float]],
    merging: bool,
    x: Any,
    y: Any,
) -> Any:
    values = [
        {"pair": f"{p.one} – {p.other}", "nearness": round(p.nearness, 3), "shared": _words(p)}
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


def _words(pair: Pair) -> str:
    return ", ".join(pair.shared)


def _nearest(alt: Any, pairs: Sequence[Pair], merge: set[frozenset[str]]) -> Any:
    """The nearest pairs as bars, with the words that they share."""
    values = [
        {
            "pair": f"{shorten(p.one, 26)} – {shorten(p.other, 26)}",
            "nearness": round(p.nearness, 3),
            "shared": _words(p),
            "merge": _is_candidate(p, merge),
        }
        for p in pairs[:PAIRS]
    ]
    base = chart_of(alt, values).encode(
        alt.Y("pair:N", sort=[v["pair"] for v in values], title=None, axis=None),
    )
    # The names stand inside: an axis would move the map aside to make room for them.
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
