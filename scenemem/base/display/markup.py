"""Building blocks of the displays: headings, rows, badges, marks and sources, all escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import cache
from html import escape

from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.display.palette import DARK_TYPES, LIGHT_TYPES
from scenemem.base.records import Cell, Message, Scene

Marked = Callable[[str], Iterable[tuple[int, int]]]  # the (start, end) spans to mark in a text
NOT_SHOWN = "not shown: forgotten, or for its session alone"  # shown instead of a withheld text


@cache
def stylesheet() -> str:
    """Colours and layout as CSS under one class, `scenemem`.

    In `theme.css`, comments mark where the colours and badges of the cell types go.
    """
    from importlib.resources import files

    css = files("scenemem.base.display").joinpath("theme.css").read_text("utf-8")
    for ground, colours in (("light", LIGHT_TYPES), ("dark", DARK_TYPES)):
        named = " ".join(f"--sm-{kind}: {colour};" for kind, colour in colours.items())
        css = css.replace(f"/* types: {ground} */", named)
    badges = [f".scenemem .sm-type-{kind} {{ --sm-own: var(--sm-{kind}); }}" for kind in CELL_TYPES]
    return css.replace("/* badges */", "\n".join(badges))


def counted(number: int, noun: str) -> str:
    """ "1 cell", "3 cells"."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def days(first: datetime | None, last: datetime | None) -> str:
    """ "8 May 2023", "8 May – 3 Jul 2023", or "" if unknown."""
    if first is None or last is None or first.date() == last.date():
        return day_in_words(last or first)
    start = f"{first.day} {first:%b}" if first.year == last.year else day_in_words(first)
    return f"{start} – {day_in_words(last)}"


def day_in_words(at: date | None) -> str:
    return f"{at.day} {at:%b} {at.year}" if at is not None else ""


def minute_in_figures(at: datetime) -> str:
    """ "2023-05-08 13:56" in UTC, like all times; works for any year."""
    return at.isoformat(" ", "minutes")[:16]


def page(body: str) -> str:
    return f'<style>{stylesheet()}</style><div class="scenemem">{body}</div>'


def dotted(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def name_html(name: str) -> str:
    return f'<span class="sm-name" dir="auto">{escape(name)}</span>'


def head(name: str, details: str, due: str = "") -> str:
    soft = f'<span class="sm-soft">{escape(details)}</span>' if details else ""
    waits = f'<span class="sm-due">{escape(due)}</span>' if due else ""
    return f'<div class="sm-head">{name_html(name)}{soft}{waits}</div>'


def scene_head(scene: Scene) -> str:
    details = dotted(counted(scene.cells, "cell"), days(scene.first_at, scene.last_at))
    return head(scene.scene, details, "summary due" if scene.stale else "")


def scene_card(heading: str, summary: str, rows: Sequence[str], body: str = "") -> str:
    paragraph = f'<p class="sm-summary" dir="auto">{escape(summary)}</p>' if summary else ""
    cells = f'<div class="sm-cells">{"".join(rows)}</div>' if rows else ""
    return f'<div class="sm-scene">{heading}{paragraph}{body}{cells}</div>'


def scene_line(scene: Scene) -> str:
    details = dotted(counted(scene.cells, "cell"), days(scene.first_at, scene.last_at))
    summary = "summary due" if scene.stale and not scene.summary else scene.summary
    return (
        f"{name_html(scene.scene)}"
        f'<span class="sm-soft">{escape(details)}</span>'
        f'<span class="sm-soft sm-line" dir="auto" title="{escape(summary)}">'
        f"{escape(summary)}</span>"
    )


def cell_row(cell: Cell, marked: Marked | None = None, said: Sequence[Message] = ()) -> str:
    gone = " sm-gone" if cell.superseded_by is not None else ""
    salience = f"{cell.salience:.0%}"
    badges = (
        f'<span class="sm-badges">{_badge_html(cell.cell_type)}'
        f'<span class="sm-salience" title="salience {cell.salience:.2f}">'
        f'<i style="width:{salience}"></i></span></span>'
    )
    text = _text_html(cell.speaker, cell.content, marked)
    return (
        f'<div class="sm-cell{gone}">{_time_html(cell.created_at)}'
        f"<div>{text}{_sources_html(said)}</div>{badges}</div>"
    )


def message_row(message: Message, marked: Marked | None = None) -> str:
    text = _text_html(message.speaker, message.content, marked)
    return (
        f'<div class="sm-cell">{_time_html(message.at)}<div>{text}</div>'
        f'<span class="sm-badges">{_badge_html("message")}</span></div>'
    )


def _badge_html(kind: str) -> str:
    return f'<span class="sm-type sm-type-{escape(kind)}">{escape(kind)}</span>'


def _time_html(at: datetime) -> str:
    exact = f'datetime="{at.isoformat()}" title="{minute_in_figures(at)} UTC"'
    return f"<time {exact}>{day_in_words(at)}</time>"


def _text_html(speaker: str | None, text: str, marked: Marked | None) -> str:
    who = f'<span class="sm-who">{escape(speaker)}: </span>' if speaker else ""
    return f'<span class="sm-text" dir="auto">{who}{_marked_html(text, marked)}</span>'


def _marked_html(text: str, marked: Marked | None) -> str:
    shown, position = "", 0
    for start, end in marked(text) if marked else ():
        shown += f"{escape(text[position:start])}<mark>{escape(text[start:end])}</mark>"
        position = end
    return shown + escape(text[position:])


_WITHHELD = f'<span class="sm-soft">{NOT_SHOWN}</span>'


def _sources_html(said: Sequence[Message]) -> str:
    if not said:
        return ""
    quoted = "".join(
        f'<div class="sm-source" dir="auto"><span class="sm-who">{escape(m.speaker)}, '
        f"{minute_in_figures(m.at)}:</span> {escape(m.content) or _WITHHELD}</div>"
        for m in said
    )
    where = escape(said[0].session)
    return f"<details><summary>source: {where}</summary>{quoted}</details>"


def numbers_row(texts: Sequence[str], numbers: Sequence[int]) -> str:
    named = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return named + "".join(f'<td class="sm-number">{number:,}</td>' for number in numbers)
