"""Growth over time: messages, the cells kept from them, and what compaction saves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from scenemem.agent.prompt import estimate_messages
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.checks import memory_given
from scenemem.base.display.markup import counted, days
from scenemem.base.records import Cell, Message
from scenemem.base.session_records import Compaction
from scenemem.explore.axes import chart_of, empty_chart, needed, time_axis, type_colour
from scenemem.explore.frames import all_cells, all_messages
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB

__all__ = ["carried", "growth", "in_effect"]

STEPS = 160  # points in time at which the curves are drawn
WIDTH = 640
_ROOM = 0.015  # share of the span added so that the last levels are visible
_HOUR = 3_600_000  # milliseconds


def growth(db: MemoryDB) -> Picture:
    """Draw how the memory grew: messages, cells by type, and the tokens that compaction saves.

    If sessions were compacted, a second chart shows the tokens of everything said and the tokens
    prompts still carry (the summaries and what was not compacted). Tokens are estimated.
    """
    memory_given(db)
    alt = needed("altair")
    messages, cells = list(all_messages(db)), list(all_cells(db))
    summarized = {s.session: s.summarized_through for s in db.sessions.list_sessions()}
    compactions = in_effect(db.sessions.list_compactions(), summarized)
    instants = [_ms(message.at) for message in messages] + [_ms(cell.created_at) for cell in cells]
    if not instants:
        title = "Nothing was said yet"
        return Picture(empty_chart(alt, title, "The memory is empty."), title)
    ends = _steps(instants)
    title = "What was said, and what was kept of it"
    chart = _counts_chart(alt, ends, messages, cells).properties(
        title=alt.TitleParams(title, subtitle=_subtitle(messages, cells))
    )
    if compactions:
        below = _tokens_chart(alt, ends, carried(messages, compactions, ends))
        chart = alt.vconcat(chart, below, spacing=28).resolve_scale(color="independent")
    return Picture(chart, title)


def in_effect(compactions: Iterable[Compaction], summarized: Mapping[str, int]) -> list[Compaction]:
    """The compactions that the current summaries are built on, oldest first.

    `summarized` maps each session to the last message that its summary covers. Forgetting drops a
    session's summary; compactions from before that no longer count.
    """
    standing: dict[str, list[Compaction]] = {}
    for done in compactions:
        chain = standing.setdefault(done.session, [])
        if chain and done.through - done.messages < chain[-1].through:
            chain.clear()
        chain.append(done)
    return [
        done
        for session, chain in standing.items()
        if summarized.get(session, 0) >= chain[-1].through
        for done in chain
    ]


def carried(
    messages: Iterable[Message], compactions: Iterable[Compaction], ends: Sequence[int]
) -> list[dict[str, Any]]:
    """For each of `ends` (milliseconds), the tokens said so far and those prompts still carry.

    For a compacted session, the tokens of the condensed messages are replaced by those of its
    summary. This counts from when the last of these messages was said, because a conversation read
    from a file may be compacted years later.
    """
    listed = list(messages)
    said_at = {message.id: _ms(message.at) for message in listed}
    said = _running_sums((_ms(m.at), estimate_messages([m])) for m in listed)
    gone, summaries = [], dict[str, int]()
    for done in compactions:
        longer = done.tokens_after - summaries.get(done.session, 0)
        summaries[done.session] = done.tokens_after
        gone.append((said_at.get(done.through, _ms(done.at)), done.tokens_before - longer))
    left = _running_sums(gone)
    return [
        {
            "at": end,
            "said": _sum_until(said, end),
            "carried": _sum_until(said, end) - _sum_until(left, end),
        }
        for end in ends
    ]


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _steps(instants: Sequence[int]) -> list[int]:
    """Points in time over the whole span, and one a little later to show the final levels."""
    first, last = min(instants), max(instants)
    points = {first + round((last - first) * step / STEPS) for step in range(STEPS + 1)}
    return [*sorted(points), last + max(round((last - first) * _ROOM), _HOUR)]


def _running_sums(amounts: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The instants in order, and the sum of all amounts up to each."""
    ordered, sums = sorted(amounts), list[int]()
    for _, amount in ordered:
        sums.append(amount + (sums[-1] if sums else 0))
    return [at for at, _ in ordered], sums


def _sum_until(running: tuple[list[int], list[int]], end: int) -> int:
    place = bisect_right(running[0], end)
    return running[1][place - 1] if place else 0


def _subtitle(messages: Sequence[Message], cells: Sequence[Cell]) -> str:
    said = [m.at for m in messages] or [c.created_at for c in cells]
    counts = f"{counted(len(messages), 'message')} became {counted(len(cells), 'cell')}"
    return f"{counts}, {days(min(said), max(said))}. The line counts messages, the areas cells."


def _counts_chart(
    alt: Any, ends: Sequence[int], messages: Sequence[Message], cells: Sequence[Cell]
) -> Any:
    said = _running_sums((_ms(m.at), 1) for m in messages)
    kept = {
        kind: _running_sums((_ms(c.created_at), 1) for c in cells if c.cell_type == kind)
        for kind in CELL_TYPES
    }
    areas = [
        {"at": end, "type": kind, "order": place, "cells": _sum_until(kept[kind], end)}
        for end in ends
        for place, kind in enumerate(CELL_TYPES)
    ]
    line = [{"at": end, "messages": _sum_until(said, end)} for end in ends]
    x = time_axis(alt, "at", ends)
    area = (
        chart_of(alt, areas)
        .mark_area(interpolate="step-after", opacity=0.85)
        .encode(
            x,
            y=alt.Y("cells:Q", title=None).stack("zero"),
            color=type_colour(alt),
            order=alt.Order("order:O"),
            tooltip=["type:N", "cells:Q"],
        )
    )
    spoken = (
        chart_of(alt, line)
        .mark_line(interpolate="step-after", style="sm-ink", strokeWidth=1.6, strokeDash=[5, 3])
        .encode(alt.X("at:T"), y=alt.Y("messages:Q"), tooltip=["messages:Q"])
    )
    return (area + spoken).properties(width=WIDTH, height=230)


def _tokens_chart(alt: Any, ends: Sequence[int], values: Sequence[dict[str, Any]]) -> Any:
    saved = values[-1]["said"] - values[-1]["carried"]
    share = saved / max(values[-1]["said"], 1)
    base = chart_of(alt, values)
    y = alt.Y("carried:Q", title=None)
    gap = base.mark_area(interpolate="step-after", style="sm-strong-fill", opacity=0.16).encode(
        time_axis(alt, "at", ends), y, alt.Y2("said:Q"), tooltip=["said:Q", "carried:Q"]
    )
    said = base.mark_line(
        interpolate="step-after", style="sm-quiet", strokeWidth=2, strokeDash=[5, 3]
    ).encode(alt.X("at:T"), y=alt.Y("said:Q"))
    now = base.mark_line(interpolate="step-after", style="sm-strong", strokeWidth=2).encode(
        alt.X("at:T"), y=y
    )
    heading = f"Compaction saves {saved:,} of {values[-1]['said']:,} tokens ({share:.0%})"
    key = "Dashed: tokens of everything said. Line: tokens in summaries and verbatim tails."
    title = alt.TitleParams(heading, subtitle=key, fontSize=13)
    return (gap + said + now).properties(width=WIDTH, height=150, title=title)
