"""The timeline: one lane per scene, with its cells as marks at the time they were said.

Lanes are in the order in which the scenes began, as in a Gantt chart, so that the conversation runs
from the upper left to the lower right. Cells said close together would hide each other, so they are
spread into a small block around their time, and their tooltips give the exact time. If there are
few lanes and they are crowded, they are made taller.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenemem.base.checks import memory_given
from scenemem.base.display.markup import NOT_SHOWN, counted, days, minute_in_figures
from scenemem.base.records import Cell, Message
from scenemem.base.text import shorten
from scenemem.explore.axes import (
    at_least_one,
    chart_of,
    empty_chart,
    needed,
    shown_span,
    time_axis,
    type_colour,
)
from scenemem.explore.frames import all_cells
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB

__all__ = ["chosen_cells", "timeline"]

KEY = "Size: salience. Hollow: superseded. Numbers: cells per scene. Blocks: said together."

LANES = 40
CELLS = 5000
WIDTH = 640
_SLOTS = 80  # per width; cells within one slot would hide each other
_MARK_HEIGHT = 8  # pixels per mark in a stack; further marks go into another column
_STACKED = 4  # every lane has room for this many stacked marks
_HEIGHT_SHARED = 320  # pixels that crowded lanes share
_WIDEST_BLOCK = 12  # slots; a wider block would show a wrong time
_LONGEST_NAME = 28  # characters; the tooltip shows the full name


def timeline(db: MemoryDB, *, lanes: int = LANES) -> Picture:
    """Draw when each of the `lanes` largest scenes was mentioned, and by which types of cells.

    Marks are coloured by type and sized by salience; superseded cells are hollow. Drag or scroll to
    move through time, and click a type in the legend to show only that type. Tooltips quote a
    cell's source message without secrets. Raises `ValueError` for `lanes` below 1.
    """
    memory_given(db)
    at_least_one("lanes", lanes)
    alt = needed("altair")
    cells = list(all_cells(db))
    if not cells:
        title = "No cells yet"
        return Picture(empty_chart(alt, title, "Nothing has been remembered yet."), title)
    shown, note = chosen_cells(cells, lanes)
    source_ids = (cell.source.first for cell in shown if cell.source is not None)
    values = _marks(shown, db.sessions.get_messages(source_ids, redacted=True))
    scenes = _lanes(values)
    instants = [value["at"] for value in values]
    stacked = _spread_marks(values, len(scenes))
    title = "When each scene was spoken of"
    chart = _chart(alt, values, scenes, time_axis(alt, "at", instants), stacked)
    return Picture(chart.properties(title=alt.TitleParams(title, subtitle=[note, KEY])), title)


def chosen_cells(cells: Sequence[Cell], lanes: int = LANES) -> tuple[list[Cell], str]:
    """At most `CELLS` cells of the largest scenes, and a note on the selection."""
    sizes: dict[str, int] = {}
    for cell in cells:
        sizes[cell.scene] = sizes.get(cell.scene, 0) + 1
    kept = set(sorted(sizes, key=lambda name: (-sizes[name], name))[:lanes])
    shown = [cell for cell in cells if cell.scene in kept]
    said = [cell.created_at for cell in cells]
    note = f"{counted(len(cells), 'cell')} in {counted(len(sizes), 'scene')}"
    note += f", {days(min(said), max(said))}" if said else ""
    if len(kept) < len(sizes):
        note += f" (the {len(kept)} largest shown)"
    if len(shown) > CELLS:
        shown = sorted(shown, key=lambda cell: (-cell.salience, cell.id))[:CELLS]
        note += f", only the {CELLS:,} most salient cells"
    return shown, f"{note}."


def _marks(cells: Iterable[Cell], sources: Mapping[int, Message]) -> list[dict[str, Any]]:
    return [
        {
            "scene": cell.scene,
            "type": cell.cell_type,
            "salience": round(cell.salience, 2),
            "said": f"{minute_in_figures(cell.created_at)} UTC",
            "at": int(cell.created_at.timestamp() * 1000),
            "text": shorten(cell.content, 240),
            "source": _source_quote(cell, sources),
            "held": "superseded" if cell.superseded_by is not None else "in force",
        }
        for cell in sorted(cells, key=lambda cell: (cell.created_at, cell.id))
    ]


def _source_quote(cell: Cell, sources: Mapping[int, Message]) -> str:
    if cell.source is None:
        return "stored directly"
    message = sources.get(cell.source.first)
    if message is None or not message.content:
        return f"{cell.source.session}: {NOT_SHOWN}"
    return f"{message.session}, {message.speaker}: {shorten(message.content, 280)}"


def _lanes(values: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per scene, from its first to its last mark, in the order the scenes began.

    Sets each mark's lane number.
    """
    lanes: dict[str, dict[str, Any]] = {}
    for value in values:
        number = {"lane": f"{len(lanes)}"}
        fresh = number | {"scene": value["scene"], "first": value["at"], "cells": 0}
        lane = lanes.setdefault(value["scene"], fresh)
        lane |= {"last": value["at"], "cells": lane["cells"] + 1}
        value["lane"] = lane["lane"]
    return list(lanes.values())


def _spread_marks(values: Sequence[dict[str, Any]], lanes: int) -> int:
    """Place the marks of each lane and time slot in a block.

    Returns how many stacked marks a lane has room for.
    """
    begin, end = shown_span([value["at"] for value in values])
    slot = (end - begin) / _SLOTS
    crowds: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for value in values:
        crowds.setdefault((value["scene"], round((value["at"] - begin) / slot)), []).append(value)
    fullest = max(len(crowd) for crowd in crowds.values())
    stacked = max(min(fullest, _HEIGHT_SHARED // lanes // _MARK_HEIGHT), _STACKED)
    for crowd in crowds.values():
        columns = -(-len(crowd) // stacked)
        rows = -(-len(crowd) // columns)
        step = slot * min(1, _WIDEST_BLOCK / columns)
        for place, value in enumerate(crowd):
            column, row = divmod(place, rows)
            in_column = min(rows, len(crowd) - column * rows)
            value["spread"] = round((row - (in_column - 1) / 2) / stacked, 3)
            value["at"] += round((column - (columns - 1) / 2) * step)
    return stacked


def _chart(
    alt: Any, values: list[dict[str, Any]], lanes: list[dict[str, Any]], time: Any, stacked: int
) -> Any:
    # Lanes are numbered, because Vega would take a name such as "constructor" for a member.
    order = [lane["lane"] for lane in lanes]
    labels = [f"{shorten(lane['scene'], _LONGEST_NAME)}  {lane['cells']:,}" for lane in lanes]
    label = f"({json.dumps(labels)})[+datum.value]"
    y = alt.Y("lane:N", sort=order, title=None)
    y = y.axis(labelLimit=320, labelFontSize=12, labelExpr=label)
    line = (
        chart_of(alt, lanes)
        .mark_rule(style="sm-line", strokeWidth=9, strokeCap="round", tooltip=None)
        .encode(alt.X("first:T"), alt.X2("last:T"), y)
    )
    return (line + _mark_layer(alt, values, time, y)).properties(
        width=WIDTH, height=max(_MARK_HEIGHT * stacked * len(order), 60)
    )


def _mark_layer(alt: Any, values: list[dict[str, Any]], time: Any, y: Any) -> Any:
    by_type = alt.selection_point(name="types", fields=["type"], bind="legend")
    moving = alt.selection_interval(name="time", bind="scales", encodings=["x"])
    return (
        chart_of(alt, values)
        .mark_point(filled=True, strokeWidth=1.3)
        .encode(
            time,
            y,
            yOffset=alt.YOffset("spread:Q").scale(domain=[-0.5, 0.5]),
            color=type_colour(alt),
            size=alt.Size("salience:Q", title="salience")
            .scale(domain=[0, 1], range=[6, 100])
            .legend(
                orient="top", values=[0.2, 0.5, 0.9], symbolFillColor="#8a939c", symbolStrokeWidth=0
            ),
            fillOpacity=alt.condition("datum.held == 'in force'", alt.value(0.85), alt.value(0)),
            opacity=alt.condition(by_type, alt.value(1), alt.value(0.06)),
            description="text:N",
            tooltip=["text:N", "type:N", "salience:Q", "said:N", "scene:N", "held:N", "source:N"],
        )
        .add_params(by_type, moving)
        .properties(name="cells")
    )
