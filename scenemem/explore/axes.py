"""Shared by all pictures: the extra they need, charts of rows, UTC time axes, type colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from scenemem.base import errors
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.checks import int_given

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
_ROOM = 0.02  # share of the span left free at both ends

needed = partial(errors.needed, extra="notebook")


def chart_of(alt: Any, rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart of these rows as plain values, since altair validates each row of its own type."""
    return alt.Chart({"values": list(rows)})


def empty_chart(alt: Any, title: str, note: str) -> Any:
    """A chart that only says why there is nothing to show."""
    chart = chart_of(alt, []).mark_point().encode()
    return chart.properties(title=alt.TitleParams(title, subtitle=note), width=500, height=10)


def at_least_one(name: str, number: int) -> None:
    """Raise `ValueError` if a picture is asked to show nothing."""
    int_given(name, number, 1)


def time_axis(alt: Any, field: str, instants: Sequence[int]) -> Any:
    """The x channel for `field` (milliseconds), over a span with room for all `instants`."""
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
    """The start and end of an axis with room for all `instants`, in milliseconds."""
    first, last = min(instants), max(instants)
    room = max(round((last - first) * _ROOM), _DAY // 24)
    return first - room, last + room


def _ticks(span: int) -> int | dict[str, int | str]:
    """In a span of few days, one tick per day, so that no label appears twice."""
    return {"interval": "day", "step": 1} if 2 * _DAY <= span < 9 * _DAY else 8


def _day_format(span: int) -> str:
    if span < 2 * _DAY:
        return "%-d %b %H:%M"
    if span < 300 * _DAY:
        return "%-d %b"
    return "%b %Y" if span < 3000 * _DAY else "%Y"


def type_colour(alt: Any) -> Any:
    """The colour channel for the field `type`, with the same colours in every picture."""
    return (
        alt.Color("type:N", title="type")
        .scale(domain=list(CELL_TYPES))
        .legend(orient="top", symbolType="circle", symbolOpacity=1)
    )
