"""The explorer's requests to a memory and their answers, both as plain JSON values.

A request holds the contents of the query box and the filters, and which hit is open. Invalid parts
are ignored, because requests come from a web page. Texts are returned in pieces, each flagged as
matching or not, so that the page does not have to count characters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from scenemem.base.cell_types import CELL_TYPES, CellType
from scenemem.base.display.markup import NOT_SHOWN, counted, day_in_words, minute_in_figures
from scenemem.base.errors import NotFoundError, SceneMemError
from scenemem.base.records import Cell, Message
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.marking import marked_spans
from scenemem.retrieval.recall import recall
from scenemem.retrieval.recollection import Hit, Recollection

__all__ = ["answer_to", "overview"]

SHOWN = 60
_AROUND = 2  # messages shown before and after a cell's sources


class _Filters(NamedTuple):
    """The active filters."""

    types: tuple[CellType, ...]
    scene: str | None
    since: datetime | None
    until: datetime | None

    @property
    def let_all_through(self) -> bool:
        return self.all_types and not (self.scene or self.since or self.until)

    @property
    def are_backwards(self) -> bool:
        return bool(self.since and self.until and self.since >= self.until)

    @property
    def all_types(self) -> bool:
        return len(self.types) in (0, len(CELL_TYPES))


def overview(db: MemoryDB) -> dict[str, Any]:
    """What the explorer shows before the first query: scenes, types, and the range of days."""
    scenes = db.scenes.list_scenes()
    said = [at for scene in scenes for at in (scene.first_at, scene.last_at) if at]
    return {
        "name": db.path.name,
        "cells": db.cells.count_cells(),
        "types": list(CELL_TYPES),
        "scenes": [{"scene": scene.scene, "cells": scene.cells} for scene in scenes],
        "first": min(said).date().isoformat() if said else "",
        "last": max(said).date().isoformat() if said else "",
    }


def answer_to(db: MemoryDB, ask: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one request.

    `query` is the question (without one, cells are listed newest first). `types`, `scene`, `since`
    and `until` (days, inclusive) narrow it. `open` is the hit whose messages are wanted, as
    [kind, id]. The answer repeats `number`, so that the page can recognize outdated answers.
    """
    query = _text_or_empty(ask.get("query")).strip()
    answer: dict[str, Any] = {"number": ask.get("number", 0), "query": query, "hits": []}
    try:
        filters = _filters(db, ask)
        terms, hits, note = _search(db, query, filters)
        if filters.are_backwards:
            note = "No results: the first day is after the last."
        answer["hits"] = [_hit_as_dict(hit, terms) for hit in hits[:SHOWN]]
        answer["note"] = note
        answer["opened"] = _open_hit(db, ask.get("open"), terms)
    except SceneMemError as error:
        answer["note"] = f"{error}"
    return answer


# -- requests -------------------------------------------------------------------------------


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _filters(db: MemoryDB, ask: Mapping[str, Any]) -> _Filters:
    wanted = ask.get("types")
    chosen = wanted if isinstance(wanted, list) else []
    until = _day(ask.get("until"))
    named = _text_or_empty(ask.get("scene"))
    scene = db.scenes.resolve_scene(named) if named else None
    if named and scene is None:
        raise NotFoundError(f"There is no scene “{named}” (anymore).")
    return _Filters(
        tuple(kind for kind in CELL_TYPES if kind in chosen),
        scene,
        _day(ask.get("since")),
        until + timedelta(days=1) if until and until.year < 9999 else None,
    )


def _day(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(_text_or_empty(value)[:10]).replace(tzinfo=UTC)
    except ValueError:
        return None


# -- answers ---------------------------------------------------------------------------------


def _search(db: MemoryDB, query: str, filters: _Filters) -> tuple[Collection[str], list[Hit], str]:
    """The words that matched, the hits, and a note about them."""
    if not query:
        cells = _list_cells(db, filters)
        note = f"the newest {SHOWN} cells" if len(cells) > SHOWN else counted(len(cells), "cell")
        return (), [Hit(0.0, {}, cell=cell) for cell in cells[:SHOWN]], note
    recollections = _recalled(db, query, filters)
    hits = [hit for found in recollections for hit in found.hits]
    hits.sort(key=lambda hit: -hit.score)
    if hits:
        return recollections[0].terms, hits, counted(len(hits[:SHOWN]), "hit")
    narrowed = "" if filters.let_all_through else " within these filters"
    return recollections[0].terms, hits, f"Nothing remembered matches{narrowed}."


def _recalled(db: MemoryDB, query: str, filters: _Filters) -> list[Recollection]:
    kinds: Sequence[CellType | None] = [None] if filters.all_types else filters.types
    return [
        recall(
            db,
            query,
            limit=SHOWN,
            scene=filters.scene,
            cell_type=kind,
            since=filters.since,
            until=filters.until,
        )
        for kind in kinds
    ]


def _list_cells(db: MemoryDB, filters: _Filters) -> list[Cell]:
    kinds: Sequence[CellType | None] = [None] if filters.all_types else filters.types
    cells = [
        cell
        for kind in kinds
        for cell in db.cells.list_cells(
            scene=filters.scene,
            cell_type=kind,
            since=filters.since,
            until=filters.until,
            superseded=True,
            order="newest",
            limit=SHOWN + 1,
        )
    ]
    return sorted(cells, key=lambda cell: cell.id, reverse=True)


def _hit_as_dict(hit: Hit, terms: Collection[str]) -> dict[str, Any]:
    recalled = hit.cell or hit.message
    assert recalled is not None
    return {
        "kind": "cell" if hit.cell else "message",
        "id": recalled.id,
        "type": hit.cell.cell_type if hit.cell else "message",
        "salience": round(hit.cell.salience, 2) if hit.cell else None,
        "gone": hit.cell is not None and hit.cell.superseded_by is not None,
        "speaker": hit.speaker or "",
        "scene": hit.scene or "",
        "day": day_in_words(hit.at),
        "score": round(hit.score, 2),
        "text": pieces(hit.text, terms),
    }


def pieces(text: str, terms: Collection[str]) -> list[tuple[str, bool]]:
    """`text` split into pieces, each flagged as matching one of `terms` or not."""
    found, position = list[tuple[str, bool]](), 0
    for start, end in marked_spans(text, terms):
        found += [(text[position:start], False), (text[start:end], True)]
        position = end
    return [piece for piece in [*found, (text[position:], False)] if piece[0]]


def _open_hit(db: MemoryDB, wanted: object, terms: Collection[str]) -> dict[str, Any] | None:
    """The source messages of the open hit, with those around them."""
    if not isinstance(wanted, list | tuple) or len(wanted) != 2 or not isinstance(wanted[1], int):
        return None
    kind, number = wanted
    cell = db.cells.get_cell(number) if kind == "cell" else None
    if kind == "cell" and cell is None:
        return None
    own = _own_messages(cell) if cell else range(number, number + 1)
    opened = {"kind": kind, "id": number, "note": _cell_note(db, cell), "messages": []}
    if own:
        near = range(own.start - _AROUND, own.stop + _AROUND)
        around = db.sessions.get_messages(near, redacted=True)
        session = around[own.start].session if own.start in around else None
        said = [m for _, m in sorted(around.items()) if m.session == session]
        opened["session"] = session
        opened["messages"] = list(_messages_as_dicts(said, own, terms))
    return opened


def _own_messages(cell: Cell) -> range:
    return range(cell.source.first, cell.source.last + 1) if cell.source else range(0)


def _cell_note(db: MemoryDB, cell: Cell | None) -> str:
    """A note on what replaced the cell, or where it came from if not from a message."""
    if cell is None:
        return ""
    by = db.cells.get_cell(cell.superseded_by) if cell.superseded_by is not None else None
    if by is not None:
        return f"No longer in force: replaced on {day_in_words(by.created_at)} by “{by.content}”"
    return "" if cell.source else "Stored directly, not from a conversation."


def _messages_as_dicts(
    messages: Iterable[Message], own: range, terms: Collection[str]
) -> Iterable[dict[str, Any]]:
    for message in messages:
        yield {
            "speaker": message.speaker,
            "at": minute_in_figures(message.at),
            "own": message.id in own,
            "text": pieces(message.content, terms) or [(NOT_SHOWN, False)],
        }
