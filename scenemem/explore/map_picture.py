"""The map of scenes: near ones stand together, and lines say how much they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenemem.display.markup import counted
from scenemem.explore.axes import chart_of, empty_chart
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
from scenemem.memory_db import MemoryDB
from scenemem.text import shorten

__all__ = ["scene_map"]

SCENES = 40
PAIRS = 12
WIDTH, HEIGHT = 760, 440
_LONGEST_NAME = 170  # pixels
_NEIGHBOURS = 2  # lines that a scene has at least, to its nearest


def scene_map(db: MemoryDB, *, scenes: int = SCENES) -> Picture:
    """Which scenes share their words: a map of at most the `scenes` largest, and the nearest pairs.

    A thick line joins scenes that share much. An orange one joins candidates to merge, by the rules
    by which the embedded engine merges; `db.merge_scenes(scene, into)` does it.
    """
    alt = needed("altair")
    known = [scene for scene in db.list_scenes() if scene.cells]
    largest = sorted(known, key=lambda scene: (-scene.cells, scene.scene))[:scenes]
    chosen = {scene.scene for scene in largest}
    shown = scene_terms(cell for cell in db.list_cells() if cell.scene in chosen)
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
    x = alt.X("x:Q", axis=None).scale(domain=[-0.09, 1.09], nice=False)
    y = alt.Y("y:Q", axis=None).scale(domain=[-0.04, 1.08], nice=False)
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
            dy=18 if under else -17,
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


def _labelled_below(spots: Mapping[str, tuple[float, float]]) -> set[str]:
    """The scenes whose names would lie on another's name if they stood above their dots."""
    taken: list[tuple[float, float, float]] = []  # middle, height, half the width: in pixels
    below: set[str] = set()
    for scene, (x, y) in sorted(spots.items(), key=lambda spot: (-spot[1][1], spot[0])):
        half = min(len(scene) * 8, _LONGEST_NAME) / 2
        middle, height = x * WIDTH, y * HEIGHT
        if any(abs(middle - m) < half + h and abs(height - at) < 26 for m, at, h in taken):
            below.add(scene)
            height -= 35
        taken.append((middle, height, half))
    return below


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
        alt.Y("pair:N", sort=[v["pair"] for v in values], title=None).axis(labelLimit=330),
    )
    x = alt.X("nearness:Q", title=None, axis=None).scale(domain=[0, pairs[0].nearness * 2.4])
    bars = [
        base.transform_filter(f"datum.merge === {str(merging).lower()}")
        .mark_bar(style="sm-merge-fill" if merging else "sm-quiet-fill", height=9, cornerRadius=2)
        .encode(x, tooltip=["pair:N", "nearness:Q", "shared:N"])
        for merging in (False, True)
    ]
    text = base.mark_text(style="sm-soft", align="left", dx=7, tooltip=None, limit=380).encode(
        x, text="shared:N"
    )
    title = alt.TitleParams("The nearest pairs, and what they share", fontSize=13)
    return alt.layer(*bars, text).properties(title=title, width=500, height=20 * len(values))
