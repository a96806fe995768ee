"""What pictures share: the extra they need, charts of rows, time in UTC, colours of cell types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from scenemem.base import errors
from scenemem.base.checks import int_given
from scenemem.base.records import CELL_TYPES

__all__ = [
    "at_least_one",
    "chart_of",
    "empty_chart",
    "needed",
    "shown_span",
    "time_axis",
    "type_colour",
]

_DAY = 86_400_000  # milliseconds
_ROOM = 0.02  # of the span, left free at both ends

needed = partial(errors.needed, extra="notebook")


def chart_of(alt: Any, rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart of these rows, as plain values: altair checks each row of its own data type."""
    return alt.Chart({"values": list(rows)})


def empty_chart(alt: Any, title: str, note: str) -> Any:
    """A chart that only says why there is nothing to be seen."""
    chart = chart_of(alt, []).mark_point().encode()
    return chart.properties(title=alt.TitleParams(title, subtitle=note), width=500, height=10)


def at_least_one(name: str, number: int) -> None:
    """Raises `ValueError` where a picture is to show none of what it is made of."""
    int_given(name, number, 1)


def time_axis(alt: Any, field: str, instants: Sequence[int]) -> Any:
    """The x channel of `field` (milliseconds) over a span that has room for all `instants`."""
    first, last = (min(instants), max(instants)) if instants else (0, _DAY)
    return (
        alt.X(f"{field}:T", title=None)
        .scale(type="utc", domain=list(shown_span([first, last])), nice=False)
        .axis(
            format=_day_format(last - first),
            labelOverlap=True,
            labelSeparation=8,
            tickCount=_ticks(last - first),
        )
    )


def shown_span(instants: Sequence[int]) -> tuple[int, int]:
    """Where an axis with room for all `instants` begins and ends; all in milliseconds."""
    first, last = min(instants), max(instants)
    room = max(round((last - first) * _ROOM), _DAY // 24)
    return first - room, last + room


def _ticks(span: int) -> int | dict[str, int | str]:
    """Where a span has few days, each has one tick: its label would stand there twice."""
    return {"interval": "day", "step": 1} if 2 * _DAY <= span < 9 * _DAY else 8


def _day_format(span: int) -> str:
    if span < 2 * _DAY:
        return "%-d %b %H:%M"
    if span < 300 * _DAY:
        return "%-d %b"
    return "%b %Y" if span < 3000 * _DAY else "%Y"


def type_colour(alt: Any) -> Any:
    """The colour channel of the field `type`: each cell type has its colour in every picture."""
    return (
        alt.Color("type:N", title="type")
        .scale(domain=list(CELL_TYPES))
        .legend(orient="top", symbolType="circle", symbolOpacity=1)
    )
