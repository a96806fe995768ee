"""Display records in a notebook as clean HTML, in light or dark mode, that loads nothing.

These are pure functions; the records import them when a notebook displays them. All text is
escaped. Colours follow JupyterLab's theme, or else the reader's system setting; they are in
`theme.css`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Protocol

from scenemem.base.display.markup import (
    Marked,
    cell_row,
    counted,
    day_in_words,
    dotted,
    head,
    message_row,
    name_html,
    numbers_row,
    page,
    scene_card,
    scene_head,
    scene_line,
    stylesheet,
)
from scenemem.base.outcomes import Status, UsageTotal
from scenemem.base.records import Cell, Message, Scene
from scenemem.base.session_records import Session

__all__ = [
    "SCENES_SHOWN",
    "cell_html",
    "memory_html",
    "message_html",
    "recollection_html",
    "scene_html",
    "session_html",
    "stylesheet",
    "unreadable_html",
    "usage_html",
]

SCENES_SHOWN = 12


class DisplayedHit(Protocol):
    """The parts of a recall hit that are displayed: a cell or a message."""

    @property
    def cell(self) -> Cell | None: ...
    @property
    def message(self) -> Message | None: ...
    @property
    def sources(self) -> Sequence[int]: ...


def cell_html(cell: Cell) -> str:
    """One cell, with its scene."""
    heading = head(cell.scene, _cell_details(cell))
    return page(scene_card(heading, "", [cell_row(cell)]))


def message_html(message: Message) -> str:
    """One message, with its session."""
    return page(scene_card(head(message.session, "session"), "", [message_row(message)]))


def scene_html(scene: Scene) -> str:
    """One scene: its summary, the number and dates of its cells, and its aliases."""
    also = f"also: {', '.join(scene.aliases)}" if scene.aliases else ""
    body = f'<div class="sm-soft" dir="auto">{escape(also)}</div>' if also else ""
    return page(scene_card(scene_head(scene), scene.summary, [], body))


def session_html(session: Session) -> str:
    """One session: its length, its last day, and the summary of what was compacted."""
    last = f"last on {day_in_words(session.last_at)}" if session.last_at else ""
    details = dotted(counted(session.messages, "message"), last)
    return page(scene_card(head(session.session, details), session.summary, []))


def recollection_html(
    query: str,
    hits: Sequence[DisplayedHit],
    scenes: Mapping[str, Scene],
    fallback: Sequence[Cell],
    *,
    marked: Marked,
    messages: Mapping[int, Message],
) -> str:
    """A recall's results: scenes with their cells, then messages without cells; sources on demand.

    `messages` maps ids to the source messages that may be shown; `marked` finds the matches in a
    text.
    """
    if not hits:
        return page(_no_matches_html(query, fallback))
    rows: dict[str | None, list[tuple[datetime, str]]] = {}
    for hit in hits:
        said = [messages[number] for number in hit.sources if number in messages]
        if hit.cell is not None:
            row = hit.cell.created_at, cell_row(hit.cell, marked, said)
            rows.setdefault(hit.cell.scene, []).append(row)
        elif hit.message is not None:
            row = hit.message.at, message_row(hit.message, marked)
            rows.setdefault(None, []).append(row)
    named = [name for name in rows if name is not None]
    found = dotted(counted(len(hits), "hit"), counted(len(named), "scene") if named else "")
    cards = [
        f'<div class="sm-head">{name_html(f"“{query}”")}<span class="sm-soft">{found}</span></div>'
    ]
    for name in [*named, *([None] if None in rows else [])]:
        scene = scenes.get(name) if name is not None else None
        heading = scene_head(scene) if scene else head(name or "Said in conversation", "")
        in_time = [row for _, row in sorted(rows[name], key=lambda entry: entry[0])]
        cards.append(scene_card(heading, scene.summary if scene else "", in_time))
    return page("".join(cards))


def memory_html(name: str, status: Status, scenes: Sequence[Scene]) -> str:
    """A whole memory: what it holds, what is waiting, and the scenes mentioned last."""
    held = [
        (status.sessions, "session"),
        (status.messages, "message"),
        (status.cells, "cell"),
        (status.scenes, "scene"),
    ]
    tiles = "".join(
        f'<span class="sm-count"><b>{number:,}</b>'
        f'<span class="sm-soft">{noun if number == 1 else noun + "s"}</span></span>'
        for number, noun in held
    )
    heading = head(name, dotted("memory", _superseded(status)), _waiting(status))
    listed = "".join(scene_line(scene) for scene in scenes[:SCENES_SHOWN])
    table = f'<div class="sm-list">{listed}</div>' if listed else ""
    more = status.scenes - min(len(scenes), SCENES_SHOWN)
    rest = f'<div class="sm-soft">and {counted(more, "more scene")}</div>' if more > 0 else ""
    tiled = f'{heading}<div class="sm-counts">{tiles}</div>{table}{rest}'
    return page(f'<div class="sm-scene">{tiled}</div>')


def unreadable_html(name: str, reason: str) -> str:
    """A memory that can't be read, and why."""
    return page(f'<div class="sm-scene">{head(name, "memory", reason)}</div>')


def usage_html(totals: Sequence[UsageTotal]) -> str:
    """Model calls by day, model and purpose, with the totals below."""
    if not totals:
        return page('<span class="sm-soft">No model was called.</span>')
    numbers = [(t.calls, t.failed, t.prompt_tokens, t.completion_tokens) for t in totals]
    body = "".join(
        f"<tr>{numbers_row((day_in_words(t.day), t.model, t.purpose), row)}</tr>"
        for t, row in zip(totals, numbers, strict=True)
    )
    sums = [sum(column) for column in zip(*numbers, strict=True)]
    foot = f"<tfoot><tr>{numbers_row(('in all', '', ''), sums)}</tr></tfoot>"
    named = "".join(f"<th>{name}</th>" for name in ("day", "model", "purpose"))
    counts = ("calls", "failed", "tokens in", "tokens out")
    named += "".join(f'<th class="sm-number">{name}</th>' for name in counts)
    table = f"<thead><tr>{named}</tr></thead><tbody>{body}</tbody>{foot}"
    return page(f'<table class="sm-table">{table}</table>')


def _cell_details(cell: Cell) -> str:
    often = f"said {cell.told} times" if cell.told > 1 else ""
    gone = (
        f"superseded {day_in_words(cell.valid_to)}".strip()
        if cell.superseded_by is not None
        else ""
    )
    when = f"of {day_in_words(cell.occurred_at)}" if cell.occurred_at else ""
    where = f"from {cell.source.session}" if cell.source else ""
    return dotted(when, where, often, gone)


def _no_matches_html(query: str, fallback: Sequence[Cell]) -> str:
    heading = head(f"“{query}”", "nothing remembered matches")
    if not fallback:
        return heading
    rows = [cell_row(cell) for cell in fallback]
    return heading + scene_card(
        head("Not matches", "the most important notes, in case they help"), "", rows
    )


def _superseded(status: Status) -> str:
    return f"{status.superseded:,} superseded" if status.superseded else ""


def _waiting(status: Status) -> str:
    return dotted(
        f"{counted(status.pending, 'turn')} waiting" if status.pending else "",
        f"{counted(status.failed, 'turn')} failed" if status.failed else "",
        f"{counted(status.stale, 'summary').replace('summarys', 'summaries')} due"
        if status.stale
        else "",
    )
