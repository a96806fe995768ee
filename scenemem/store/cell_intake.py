"""Cell intake: how drafts become rows, in bulk, with repeats told apart.

A draft is a repeat when its text (but for case, spaces and punctuation) is known from the same
speaker: in the same scene, or, for what was extracted from messages, where the engine chose the
scene, in any. A repeat only counts as told again; all others are inserted in one statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from scenemem.base.records import Cell, CellDraft, now_utc, stamp, utc
from scenemem.base.secrets import without_secrets
from scenemem.base.text import clean, fingerprint, index_terms
from scenemem.store.database import id_list

__all__ = ["store_cells"]

_INSERT = (
    "INSERT INTO mem_cells (id, scene, cell_type, salience, content, terms, created_at, "
    "occurred_at, occurred_until, speaker, source_first, source_last, fingerprint) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NAMELESS = frozenset({"user", "assistant", "system", "tool"})


class _Known(NamedTuple):
    """A cell in force that a draft may repeat."""

    id: int
    scene: str
    speaker: str | None
    source: int | None

    def is_told_by(self, draft: CellDraft, scene: str, speaker: str | None) -> bool:
        return self.speaker == speaker and (self.scene == scene or draft.source is not None)


def store_cells(
    connection: sqlite3.Connection, drafts: Sequence[CellDraft], scenes: Sequence[str]
) -> list[int | Cell]:
    """Insert the drafts, each into the scene of that place; inside the caller's transaction.

    Returns for each draft the new cell, or the id of the cell that it repeats.
    """
    drafts = [_shown(draft) for draft in drafts]
    prints = [fingerprint(draft.content) for draft in drafts]
    known = _known_cells(connection, prints)
    next_id = _last_id(connection) + 1
    now = now_utc()
    stored: list[int | Cell] = []
    rows: list[tuple[Any, ...]] = []
    repeats: list[tuple[int, float, int | None]] = []
    for draft, scene, key in zip(drafts, scenes, prints, strict=True):
        cell = _as_cell(draft, scene, next_id, now)
        first = cell.source.first if cell.source else None
        candidates = known.setdefault(key, [])
        repeated = next((k for k in candidates if k.is_told_by(draft, scene, cell.speaker)), None)
        if repeated is None:
            candidates.append(_Known(cell.id, scene, cell.speaker, first))
            rows.append(_as_row(cell, key))
            stored.append(cell)
            next_id += 1
            continue
        if first is None or first != repeated.source:  # the same message again tells nothing new
            repeats.append((repeated.id, cell.salience, first))
        stored.append(repeated.id)
    connection.executemany(_INSERT, rows)
    for repeat in repeats:
        _tell_again(connection, *repeat)
    fresh = [cell for cell in stored if isinstance(cell, Cell)]
    _count_fresh(connection, fresh)
    connection.executemany(
        "INSERT INTO speakers (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(name,) for name in sorted({c.speaker for c in fresh if c.speaker} - _NAMELESS)],
    )
    return stored


def _shown(draft: CellDraft) -> CellDraft:
    """The draft without the secrets in its content."""
    content = without_secrets(clean(draft.content)).strip()
    return draft if content == draft.content else draft._replace(content=content)


def _tell_again(
    connection: sqlite3.Connection, cell: int, salience: float, message: int | None
) -> None:
    """Count a cell as told again, once for each message."""
    if message is not None:
        noted = connection.execute(
            "INSERT INTO cell_tellings (cell, message) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (cell, message),
        )
        if not noted.rowcount:
            return
    connection.execute(
        "UPDATE mem_cells SET told = told + 1, salience = max(salience, ?) WHERE id = ?",
        (salience, cell),
    )


def _known_cells(connection: sqlite3.Connection, prints: Iterable[int]) -> dict[int, list[_Known]]:
    known: dict[int, list[_Known]] = {}
    for key, *cell in connection.execute(
        "SELECT fingerprint, id, scene, speaker, source_first FROM mem_cells "
        "WHERE fingerprint IN (SELECT value FROM json_each(?)) AND superseded_by IS NULL "
        "ORDER BY id",
        (id_list(set(prints)),),
    ):
        known.setdefault(key, []).append(_Known(*cell))
    return known


def _last_id(connection: sqlite3.Connection) -> int:
    """The highest id ever given, so that the id of a forgotten cell is never given again."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'mem_cells'").fetchone()
    return int(row[0]) if row else 0


def _as_cell(draft: CellDraft, scene: str, cell_id: int, now: datetime) -> Cell:
    return Cell(
        id=cell_id,
        scene=scene,
        cell_type=draft.cell_type,
        salience=float(draft.salience),
        content=draft.content,
        created_at=utc(draft.at) if draft.at else now,
        occurred_at=draft.occurred_at,
        occurred_until=draft.occurred_until or draft.occurred_at,
        speaker=clean(draft.speaker) if draft.speaker else None,
        source=draft.source,
    )


def _as_row(cell: Cell, key: int) -> tuple[Any, ...]:
    first, last = (cell.source.first, cell.source.last) if cell.source else (None, None)
    return (
        cell.id,
        cell.scene,
        cell.cell_type,
        cell.salience,
        cell.content,
        index_terms(cell.content),
        stamp(cell.created_at),
        _day(cell.occurred_at),
        _day(cell.occurred_until),
        cell.speaker,
        first,
        last,
        key,
    )


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _count_fresh(connection: sqlite3.Connection, fresh: Iterable[Cell]) -> None:
    """Add new cells to what their scenes sum up."""
    by_scene: dict[str, list[Cell]] = {}
    for cell in fresh:
        by_scene.setdefault(cell.scene, []).append(cell)
    connection.executemany(
        "UPDATE mem_scenes SET cells = cells + ?2, newest = max(newest, ?3), "
        "first_at = min(coalesce(first_at, ?4), ?4), last_at = max(coalesce(last_at, ?5), ?5) "
        "WHERE scene = ?1",
        [
            (
                scene,
                len(cells),
                cells[-1].id,
                stamp(min(cell.created_at for cell in cells)),
                stamp(max(cell.created_at for cell in cells)),
            )
            for scene, cells in by_scene.items()
        ],
    )
