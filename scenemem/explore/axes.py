"""What the pictures share: charts of rows, time in UTC, and the colours of the cell types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenemem.records import CELL_TYPES

__all__ = ["chart_of", "empty_chart", "time_axis", "type_colour"]

_DAY = 86_400_000  # milliseconds
_ROOM = 0.02  # of the span, left free at both ends


def chart_of(alt: Any, rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart of these rows, as plain values: altair checks each row of its own data type."""
    return alt.Chart({"values": list(rows)})


def empty_chart(alt: Any, title: str, note: str) -> Any:
    """A chart that only says why there is nothing to be seen."""
    chart = chart_of(alt, []).mark_point().encode()
    return chart.properties(title=alt.TitleParams(title, subtitle=note), width=500, height=10)


def time_axis(alt: Any, field: str, instants: Sequence[int]) -> Any:
    """The x channel of `field` (milliseconds) over a span that has room for all `instants`."""
    first, last = (min(instants), max(instants)) if instants else (0, _DAY)
    room = max(round((last - first) * _ROOM), _DAY // 24)
    return (
        alt.X(f"{field}:T", title=None)
        .scale(type="utc", domain=[first - room, last + room], nice=False)
        .axis(format=_day_format(last - first), labelOverlap=True, tickCount=_ticks(last - first))
    )


def _ticks(span: int) -> int | dict[str, int | str]:
    """Where a span has few days, each has one tick: its label would stand there twice."""
    return {"interval": "day", "step": 1} if 2 * _DAY <= span < 9 * _DAY else 8


def _day_format(span: int) -> str:
    if span < 2 * _DAY:
        return "%-d %b %H:%M"
    return "%-d %b" if span < 300 * _DAY else "%b %Y"


def type_colour(alt: Any) -> Any:
    """The colour channel of the field `type`: each cell type has its colour in every picture."""
    return (
        alt.Color("type:N", title="type")
        .scale(domain=list(CELL_TYPES))
        .legend(symbolType="circle", symbolOpacity=1)
    )
