"""Format scenes, cells and recollections for a terminal; pure, except for reading its width.

Stored text and model output may contain terminal control sequences, so all of it goes through
`printable` or is printed as JSON with them escaped. Styles are added afterwards.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import click

from scenemem.base.records import Cell, Scene
from scenemem.base.text import clean, day_in_words, shorten
from scenemem.retrieval.recollection import Hit, Recollection

# C0 and C1 controls and DEL, except tab and newline. With them, a text could clear the screen,
# overwrite its contents or set the clipboard.
_CONTROLS = [code for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"]
_SHOWN = dict.fromkeys(_CONTROLS, "\ufffd")
_ESCAPED = {code: f"\\u{code:04x}" for code in _CONTROLS}

NARROWEST, WIDEST = 40, 100


def printable(text: str) -> str:
    """`text` made safe to print: control characters become U+FFFD; newlines and tabs stay."""
    if text.isprintable():
        return text
    return clean(text.replace("\r\n", "\n")).translate(_SHOWN)


def as_json(value: Any) -> str:
    """A readable JSON document with only control characters escaped."""
    return _json(value, indent=2)


def json_line(value: Any) -> str:
    """A JSON document on one line; see `as_json`."""
    return _json(value, indent=None)


def _json(value: Any, *, indent: int | None) -> str:
    import json

    # JSON escapes some control characters itself; the others can only occur inside strings.
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    return text if text.isascii() and "\x7f" not in text else text.translate(_ESCAPED)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def scene_as_dict(scene: Scene) -> dict[str, Any]:
    return {
        "scene": scene.scene,
        "summary": scene.summary,
        "aliases": scene.aliases,
        "cells": scene.cells,
        "stale": scene.stale,
        "first_at": scene.first_at,
        "last_at": scene.last_at,
    }


def page_width() -> int:
    # Like shutil.get_terminal_size, which would load the compression modules too.
    columns = os.environ.get("COLUMNS", "")
    try:
        width = int(columns) if columns.isdigit() else os.get_terminal_size().columns
    except OSError:  # no terminal
        width = WIDEST
    return max(NARROWEST, min(width, WIDEST))


def days(first: datetime | None, last: datetime | None) -> str:
    """ "8 May 2023", "8 May - 3 Jul 2023", or "" if unknown."""
    if first is None or last is None:
        return ""
    if first.date() == last.date():
        return day_in_words(last)
    start = f"{first.day} {first:%b}" if first.year == last.year else day_in_words(first)
    return f"{start} - {day_in_words(last)}"


def counted(number: int, noun: str) -> str:
    """ "1 cell", "3 cells", "2 matches"."""
    plural = noun + ("es" if noun.endswith(("ch", "s")) else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def scene_heading(scene: Scene) -> str:
    details = [counted(scene.cells, "cell"), days(scene.first_at, scene.last_at)]
    if scene.stale:
        details.append("summary due")
    name = click.style(printable(scene.scene), bold=True)
    return f"{name}  {click.style(' · '.join(d for d in details if d), dim=True)}"


def summary_lines(scene: Scene) -> Iterator[str]:
    if scene.summary:
        for line in textwrap.wrap(printable(scene.summary), page_width() - 2):
            yield f"  {line}"


def cell_line(cell: Cell, terms: Collection[str] = ()) -> str:
    kind = "" if cell.cell_type == "fact" else f" [{cell.cell_type}]"
    gone = " (superseded)" if cell.superseded_by else ""
    return _line(cell.created_at, cell.speaker, cell.content, kind + gone, terms)


def hit_line(hit: Hit, terms: Collection[str]) -> str:
    if hit.cell:
        return cell_line(hit.cell, terms)
    return _line(hit.at, hit.speaker, hit.text, "", terms)


def _line(at: datetime, speaker: str | None, text: str, note: str, terms: Collection[str]) -> str:
    """A dated line, wrapped and indented, with the words that match `terms` highlighted."""
    day = f"{day_in_words(at):>11}"
    who = f"{speaker}: " if speaker else ""
    body = textwrap.wrap(
        f"{printable(who + ' '.join(text.split()))}{note}",
        page_width() - 15,
        break_long_words=False,
        break_on_hyphens=False,
    )
    marked = [_marked(line, terms) for line in body] or [""]
    if note:
        marked[-1] = marked[-1].replace(note, click.style(note, dim=True))
    return f"  {click.style(day, dim=True)}  " + ("\n" + " " * 15).join(marked)


def _marked(text: str, terms: Collection[str]) -> str:
    if not sys.stdout.isatty():  # nobody sees styles in a pipe or a file
        return text
    from scenemem.retrieval.marking import marked_spans

    marked, position = "", 0
    for start, end in marked_spans(text, terms):
        marked += text[position:start] + click.style(text[start:end], fg="yellow", bold=True)
        position = end
    return marked + text[position:]


def recollection_lines(found: Recollection) -> Iterator[str]:
    """A recollection as text: scenes with their cells, then messages without cells."""
    if not found.hits:
        yield printable(f"Nothing remembered matches {shorten(found.query, 200)!r}.")
        if found.fallback:
            yield click.style("Not matches, but the most important notes:", dim=True)
            yield from (cell_line(cell) for cell in found.fallback)
        return
    for number, recalled in enumerate(found.scenes):
        if number:
            yield ""
        yield scene_heading(recalled.scene)
        yield from summary_lines(recalled.scene)
        in_time = sorted(recalled.cells, key=lambda cell: (cell.created_at, cell.id))
        yield from (cell_line(cell, found.terms) for cell in in_time)
    said = [hit for hit in found.hits if hit.message]
    if said:
        if found.scenes:
            yield ""
        yield click.style("Said in conversation", bold=True)
        yield from (hit_line(hit, found.terms) for hit in sorted(said, key=lambda hit: hit.at))
