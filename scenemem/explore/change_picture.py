"""Before and after: what was held true when, for cells that newer ones replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from scenemem.base.checks import int_given, memory_given
from scenemem.base.display.markup import counted
from scenemem.base.errors import NotFoundError
from scenemem.base.records import Cell
from scenemem.base.text import shorten
from scenemem.explore.axes import chart_of, empty_chart, needed, time_axis, type_colour
from scenemem.explore.frames import all_cells
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB

__all__ = ["chains", "change"]

CHAINS = 12
_ROW = 24
WIDTH = 430


def change(db: MemoryDB, cell: int | Cell | None = None) -> Picture:
    """Draw the chain of replacements of one cell, or the latest changes of the whole memory.

    Each cell is a bar from when it was said until another replaced it; cells in force are solid.
    Raises `NotFoundError` for an unknown cell.
    """
    memory_given(db)
    if cell is not None and not isinstance(cell, Cell):
        int_given("cell", cell)
    alt = needed("altair")
    cells = {known.id: known for known in all_cells(db)}
    found = chains(cells)
    if cell is not None:
        number = cell if isinstance(cell, int) else cell.id
        if number not in cells:
            raise NotFoundError.of("cell", number)
        found = [chain for chain in found if number in {c.id for c in chain}] or [[cells[number]]]
    end = max((known.created_at for known in cells.values()), default=None)
    title, note = _title_and_note(found, one=cell is not None)
    if not found:
        return Picture(empty_chart(alt, title, note), title)
    chart = _chart(alt, found[:CHAINS], end).properties(title=alt.TitleParams(title, subtitle=note))
    return Picture(chart, title)


def chains(cells: Mapping[int, Cell]) -> list[list[Cell]]:
    """The chains of cells that replaced each other, latest change first; each oldest first."""
    ends: dict[int, list[Cell]] = {}
    for cell in cells.values():
        last = _in_force(cell, cells)
        if cell.superseded_by is not None or last is not cell:
            ends.setdefault(last.id, []).append(cell)
    found = [
        sorted({c.id: c for c in [*older, cells[end]]}.values(), key=lambda c: (c.created_at, c.id))
        for end, older in ends.items()
    ]
    return sorted(found, key=lambda chain: (_changed_at(chain), chain[-1].id), reverse=True)


def _in_force(cell: Cell, cells: Mapping[int, Cell]) -> Cell:
    """The cell now in force; a dangling or circular link ends the search."""
    seen = {cell.id}
    while cell.superseded_by is not None:
        by = cells.get(cell.superseded_by)
        if by is None or by.id in seen:
            break
        cell = by
        seen.add(cell.id)
    return cell


def _changed_at(chain: Sequence[Cell]) -> datetime:
    return max(cell.valid_to or cell.created_at for cell in chain)


def _title_and_note(found: Sequence[Sequence[Cell]], *, one: bool) -> tuple[str, str]:
    if not found:
        return "Nothing has changed yet", "No cell has replaced another."
    if one and len(found[0]) == 1:
        return "It is unchanged", "No cell has replaced it, and it has replaced none."
    note = "Bars show when each was held true. Faint: superseded. Solid: in force."
    if not one:
        note = f"{counted(len(found), 'change')}, latest first{_shown_part(len(found))}. {note}"
    return "What was held true, before and after", note


def _shown_part(number: int) -> str:
    return f" ({CHAINS} shown)" if number > CHAINS else ""


def _chart(alt: Any, found: Sequence[Sequence[Cell]], end: datetime | None) -> Any:
    shown = [cell for chain in found for cell in chain]
    if shown and end is not None:
        end += (end - min(cell.created_at for cell in shown)) / 20 or timedelta(days=1)
    rows = [_row(cell, end) for cell in shown]
    order: list[str] = []
    for place, chain in enumerate(found):
        order += [f"gap {place}"] * bool(place) + [f"{cell.id}" for cell in chain]
    y = alt.Y("row:N", sort=order, title=None).scale(domain=order).axis(**_labels(alt, rows))
    return (_link_layer(alt, found, y) + _bar_layer(alt, rows, y)).properties(
        width=WIDTH, height=max(_ROW * len(order), 40)
    )


def _labels(alt: Any, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Row labels: the cell's text, fainter if it is no longer in force."""
    texts = json.dumps({row["row"]: row["short"] for row in rows})
    holding = json.dumps({row["row"]: row["holds"] for row in rows})
    return {
        "labelExpr": f"({texts})[datum.value] || ''",
        "labelOpacity": alt.condition(f"({holding})[datum.value]", alt.value(1), alt.value(0.7)),
        "labelFontSize": 12,
        "labelLimit": 420,
        "grid": False,
    }


def _row(cell: Cell, end: datetime | None) -> dict[str, Any]:
    until = cell.valid_to if cell.superseded_by is not None else end
    return {
        "row": f"{cell.id}",
        "short": shorten(cell.content, 62),
        "text": cell.content,
        "type": cell.cell_type,
        "scene": cell.scene,
        "said": cell.created_at.date().isoformat(),
        "until": until.date().isoformat() if cell.superseded_by is not None and until else "now",
        "from": _ms(cell.created_at),
        "to": _ms(max(until or cell.created_at, cell.created_at)),
        "holds": cell.superseded_by is None,
    }


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _bar_layer(alt: Any, rows: Sequence[dict[str, Any]], y: Any) -> Any:
    instants = [row[edge] for row in rows for edge in ("from", "to")]
    base = chart_of(alt, rows).encode(
        y,
        color=type_colour(alt),
        opacity=alt.condition("datum.holds", alt.value(1), alt.value(0.4)),
        tooltip=["text:N", "type:N", "scene:N", "said:N", "until:N"],
        description="text:N",
    )
    bar = base.mark_bar(height=10, cornerRadius=3).encode(alt.X("from:T"), alt.X2("to:T"))
    # A mark where it was said, so that cells replaced immediately are visible too.
    start = base.mark_point(filled=True, size=70).encode(time_axis(alt, "from", instants))
    return bar + start


def _link_layer(alt: Any, found: Sequence[Sequence[Cell]], y: Any) -> Any:
    """A line down from the end of each superseded cell to the one that replaced it."""
    values = [
        {"at": _ms(cell.valid_to), "row": f"{cell.id}", "by": f"{cell.superseded_by}"}
        for chain in found
        for cell in chain
        if cell.superseded_by in {known.id for known in chain} and cell.valid_to
    ]
    return (
        chart_of(alt, values)
        .mark_rule(style="sm-quiet", strokeWidth=1.5, tooltip=None)
        .encode(alt.X("at:T"), y, alt.Y2("by:N"))
    )
