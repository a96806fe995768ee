"""SQLiteCells: the cells of a memory, and how drafts become rows, with repeats told apart.

A draft is a repeat when its text (but for case, spaces and punctuation) is known from the same
speaker: in the same scene, or, for what was extracted from messages, where the engine chose the
scene, in any. A repeat only raises `told`; all others are inserted in one statement. The full-text
index follows the table by triggers; no row of it is written by hand.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from scenemem.base.cell_types import CELL_TYPES, CellType
from scenemem.base.checks import (
    bool_given,
    datetime_given,
    ids_given,
    int_given,
    items_given,
    one_of_given,
    quoted,
    records_given,
    str_given,
    strs_given,
)
from scenemem.base.errors import NotFoundError
from scenemem.base.records import Cell, CellDraft, Source, now_utc, stamp, unstamp, utc
from scenemem.base.text import clean, fingerprint, index_terms
from scenemem.store.protocol import Cells
from scenemem.store.sqlite.database import Database, id_list
from scenemem.store.sqlite.log import SQLiteLog
from scenemem.store.sqlite.scenes import SQLiteScenes, recount_scenes

if TYPE_CHECKING:
    from scenemem.store.records import PastCell

__all__ = ["SQLiteCells"]

_CELL = (
    "SELECT c.id, c.scene, c.cell_type, c.salience, c.content, c.created_at, c.occurred_at, "
    "c.occurred_until, c.speaker, s.session, c.source_first, c.source_last, c.superseded_by, "
    "c.valid_to, c.told, c.recalls FROM mem_cells AS c "
    "LEFT JOIN sessions AS s ON s.number = c.source_first >> 24 "
)
_INSERT = (
    "INSERT INTO mem_cells (id, scene, cell_type, salience, content, terms, created_at, "
    "occurred_at, occurred_until, speaker, source_first, source_last, fingerprint) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NAMELESS = frozenset({"user", "assistant", "system", "tool"})


class SQLiteCells(Cells):
    """The cells of one memory file."""

    def __init__(self, database: Database, scenes: SQLiteScenes, log: SQLiteLog) -> None:
        self._database = database
        self._scenes = scenes
        self._log = log

    # -- writing -----------------------------------------------------------------------------

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        return self.insert_cells([CellDraft.given(cell)])[0]

    def insert_cells(self, cells: Iterable[CellDraft | Mapping[str, Any]]) -> list[Cell]:
        from scenemem.base.secrets import without_secrets  # a recall has no need of its patterns

        drafts = [CellDraft.given(cell) for cell in items_given("cells", cells, "cells")]
        names: dict[str, str] = {}
        stored: list[int | Cell] = []
        with self._database.transaction() as connection:
            for draft in drafts:
                if draft.scene not in names:
                    names[draft.scene] = self._scenes.ensure_scene(without_secrets(draft.scene))
            for run in _runs(drafts):
                stored += _store_cells(connection, run, [names[draft.scene] for draft in run])
                self._supersede_all(connection, run[-1], stored[-1])
            told_again = self.get_cells(cell for cell in stored if isinstance(cell, int))
        return [told_again[cell] if isinstance(cell, int) else cell for cell in stored]

    def _supersede_all(
        self, connection: sqlite3.Connection, draft: CellDraft, by: int | Cell
    ) -> None:
        new = by if isinstance(by, int) else by.id
        for cell_id in _in_force(connection, draft):
            if cell_id != new:
                self.supersede_cell(cell_id, new, actor="manager")

    def update_cell(
        self,
        cell_id: int,
        *,
        content: str | None = None,
        salience: float | None = None,
        cell_type: CellType | None = None,
        scene: str | None = None,
        actor: str = "caller",
    ) -> Cell:
        cell_id = int_given("cell_id", cell_id)
        str_given("actor", actor)
        if content is not None:
            str_given("content", content)
        if cell_type is not None:
            one_of_given("cell_type", cell_type, CELL_TYPES)
        from scenemem.base.secrets import without_secrets

        with self._database.transaction() as connection:
            old = self._require_cell(cell_id)
            draft = CellDraft(
                content=without_secrets(clean(old.content if content is None else content)).strip(),
                scene=old.scene if scene is None else scene,
                cell_type=cell_type or old.cell_type,
                salience=old.salience if salience is None else salience,
            ).validated()
            new_scene = self._scenes.ensure_scene(draft.scene)
            connection.execute(
                "UPDATE mem_cells SET scene = ?, cell_type = ?, salience = ? WHERE id = ?",
                (new_scene, draft.cell_type, draft.salience, cell_id),
            )
            if draft.content != old.content:
                connection.execute(
                    "UPDATE mem_cells SET content = ?, terms = ?, fingerprint = ? WHERE id = ?",
                    (
                        draft.content,
                        index_terms(draft.content),
                        fingerprint(draft.content),
                        cell_id,
                    ),
                )
            # The summary may still tell the old text: have it made anew.
            _make_due(connection, [old.scene, new_scene])
            self._log.log_change(
                actor, "update", f"cell {cell_id}", before=old.content, after=draft.content
            )
            return self._require_cell(cell_id)

    def supersede_cell(
        self, cell_id: int, by: int, *, at: datetime | None = None, actor: str = "caller"
    ) -> None:
        cell_id, by = int_given("cell_id", cell_id), int_given("by", by)
        at = None if at is None else datetime_given("at", at)
        str_given("actor", actor)
        if cell_id == by:
            raise ValueError(f"cell {cell_id} can't supersede itself")
        with self._database.transaction() as connection:
            old, new = self._require_cell(cell_id), self._require_cell(by)
            if new.superseded_by is not None and _leads_to(connection, by, cell_id):
                raise ValueError(f"cell {cell_id} can't be superseded by {by}, which it superseded")
            connection.execute(
                "UPDATE mem_cells SET superseded_by = ?, valid_to = ? WHERE id = ?",
                (by, stamp(at or new.created_at), cell_id),
            )
            _make_due(connection, [old.scene])
            self._log.log_change(
                actor,
                "supersede",
                f"cell {cell_id}",
                before=old.content,
                after=new.content,
                reason=f"by cell {by}",
            )

    def restore_cells(self, cells: Sequence[PastCell], taken: set[int]) -> tuple[list[int], int]:
        from scenemem.base.secrets import without_secrets

        if not isinstance(taken, set):
            raise TypeError(f"taken must be a set, got {quoted(taken)}")
        from scenemem.store.records import PastCell  # a recall has no need of it

        cells = records_given("cells", cells, PastCell)
        ids: list[int] = []
        fresh: list[Cell] = []
        with self._database.transaction() as connection:
            corrected = _corrected(connection)
            next_id = _last_id(connection) + 1
            for past in cells:
                cell = past.cell._replace(
                    scene=self._scenes.ensure_scene(without_secrets(past.cell.scene)),
                    content=without_secrets(clean(past.cell.content)).strip(),
                    speaker=past.cell.speaker and clean(past.cell.speaker),
                )
                found = _same_cell(connection, cell, taken)
                if found is None:
                    found = _corrected_cell(connection, cell, corrected, taken)
                if found is None and (old := _earlier_cell(connection, past, cell, taken)):
                    found = old
                    self.update_cell(
                        old,
                        content=cell.content,
                        salience=cell.salience,
                        cell_type=cell.cell_type,
                        scene=cell.scene,
                        actor="import",
                    )
                if found is None and cell.valid_to is None:
                    found = _repeated_cell(connection, cell, taken)
                    if found is not None:
                        _tell_as_often(connection, found, past)
                if found is None:
                    found, next_id = next_id, next_id + 1
                    cell = cell._replace(id=found)
                    _insert_restored(connection, cell, past.tellings)
                    fresh.append(cell)
                taken.add(found)
                ids.append(found)
            _count_fresh(connection, [cell for cell in fresh if cell.valid_to is None])
            _note_speakers(connection, fresh)
        return ids, len(fresh)

    def restore_succession(self, cell_id: int, by: int | None, *, at: datetime | None) -> bool:
        int_given("cell_id", cell_id)
        if by is not None:
            int_given("by", by)
        if at is not None:
            datetime_given("at", at)
        with self._database.transaction() as connection:
            cell = self._require_cell(cell_id)
            held = cell.superseded_by
            # Of a circle at least one link leads to a cell that is no newer: it is broken there.
            if held is not None and (held > cell_id or not _leads_to(connection, held, cell_id)):
                return True
            refused = by is not None and _leads_to(connection, by, cell_id)
            if by is not None and not refused:
                if held is None:
                    self.supersede_cell(cell_id, by, at=at, actor="import")
                else:
                    end = cell.valid_to or self._require_cell(by).created_at
                    connection.execute(
                        "UPDATE mem_cells SET superseded_by = ?, valid_to = ? WHERE id = ?",
                        (by, stamp(end), cell_id),
                    )
            elif held is not None:
                connection.execute(
                    "UPDATE mem_cells SET superseded_by = NULL, valid_to = NULL WHERE id = ?",
                    (cell_id,),
                )
                _make_due(connection, [cell.scene])
            return not refused

    def delete_cells(self, ids: Iterable[int]) -> list[Cell]:
        wanted = ids_given("ids", ids)
        with self._database.transaction() as connection:
            cells = list(self.get_cells(wanted).values())
            key = id_list(cell.id for cell in cells)
            scenes = sorted({cell.scene for cell in cells})
            freed = [
                row[0]
                for row in connection.execute(
                    "UPDATE mem_cells SET superseded_by = NULL, valid_to = NULL "
                    "WHERE superseded_by IN (SELECT value FROM json_each(?)) RETURNING id",
                    (key,),
                ).fetchall()
            ]
            connection.execute(
                "DELETE FROM mem_cells WHERE id IN (SELECT value FROM json_each(?))", (key,)
            )
            connection.executemany(
                "UPDATE mem_scenes SET summary = '' WHERE scene = ?",
                [(scene,) for scene in scenes],
            )
            connection.executemany(
                "DELETE FROM mem_scenes WHERE scene = ?1 "
                "AND NOT EXISTS (SELECT 1 FROM mem_cells WHERE scene = ?1)",
                [(scene,) for scene in scenes],
            )
            # Names of scenes that were merged in tell what their cells said.
            connection.executemany(
                "DELETE FROM scene_aliases WHERE scene = ? AND alias <> scene",
                [(scene,) for scene in scenes],
            )
            gone = [scene for scene in scenes if self._scenes.resolve_scene(scene) is None]
            # Those they superseded are in force again, in whatever scenes.
            _make_due(connection, [*scenes, *_scenes_of(connection, freed)])
            self._log.blank_changes(
                [f"cell {cell.id}" for cell in cells] + [f"scene {scene}" for scene in scenes],
                reasons=[f"by cell {cell.id}" for cell in cells],
            )
            # The name of a scene tells what it was about, so it goes with it.
            self._log.rename_subjects({f"scene {scene}": "a forgotten scene" for scene in gone})
        return cells

    def note_recalled(self, ids: Iterable[int]) -> None:
        ids = ids_given("ids", ids)
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE mem_cells SET recalls = recalls + 1 "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (id_list(ids),),
            )

    # -- reading -----------------------------------------------------------------------------

    def get_cell(self, cell_id: int) -> Cell | None:
        int_given("cell_id", cell_id)
        return self.get_cells([cell_id]).get(cell_id)

    def get_cells(self, ids: Iterable[int]) -> dict[int, Cell]:
        ids = ids_given("ids", ids)
        found = self._read_cells("WHERE c.id IN (SELECT value FROM json_each(?))", [id_list(ids)])
        return {cell.id: cell for cell in found}

    def _require_cell(self, cell_id: int) -> Cell:
        cell = self.get_cell(cell_id)
        if cell is None:
            raise NotFoundError.of("cell", cell_id)
        return cell

    def list_cells(
        self,
        *,
        scene: str | None = None,
        cell_type: CellType | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int = 0,
        superseded: bool = False,
        limit: int | None = None,
        order: Literal["told", "salience", "newest"] = "told",
    ) -> list[Cell]:
        if cell_type is not None:
            one_of_given("cell_type", cell_type, CELL_TYPES)
        one_of_given("order", order, ("told", "salience", "newest"))
        int_given("after", after)
        bool_given("superseded", superseded)
        if limit is not None:
            int_given("limit", limit)
        since = None if since is None else datetime_given("since", since)
        until = None if until is None else datetime_given("until", until)
        where: list[str] = ["c.id > ?"]
        values: list[Any] = [after]
        if scene is not None:
            name = self._scenes.resolve_scene(scene)
            if name is None:
                raise NotFoundError.of("scene", scene)
            where.append("c.scene = ?")
            values.append(name)
        for condition, value in (
            ("c.cell_type = ?", cell_type),
            ("c.created_at >= ?", since and stamp(since)),
            ("c.created_at < ?", until and stamp(until)),
        ):
            if value is not None:
                where.append(condition)
                values.append(value)
        if not superseded:
            where.append("c.superseded_by IS NULL")
        by = {"told": "c.id", "newest": "c.id DESC", "salience": "c.salience DESC, c.id DESC"}
        return self._read_cells(
            f"WHERE {' AND '.join(where)} ORDER BY {by[order]} LIMIT ?",
            [*values, -1 if limit is None else limit],
        )

    def list_most_salient(self, limit: int) -> list[Cell]:
        int_given("limit", limit)
        found = self._read_cells(
            "WHERE c.salience >= 0.75 AND c.superseded_by IS NULL "
            "ORDER BY c.salience DESC, c.id DESC LIMIT ?",
            [limit],
        )
        if len(found) == limit:
            return found
        return found + self._read_cells(
            "WHERE c.id IN (SELECT id FROM mem_cells ORDER BY id DESC LIMIT 1000) "
            "AND c.salience < 0.75 AND c.superseded_by IS NULL "
            "ORDER BY c.salience DESC, c.id DESC LIMIT ?",
            [limit - len(found)],
        )

    def cells_from(self, messages: Iterable[int]) -> list[Cell]:
        messages = ids_given("messages", messages)
        return self._read_cells(
            "WHERE c.source_first IN (SELECT value FROM json_each(?1)) "
            "OR c.source_last IN (SELECT value FROM json_each(?1)) OR c.id IN (SELECT cell "
            "FROM cell_tellings WHERE message IN (SELECT value FROM json_each(?1))) ORDER BY c.id",
            [id_list(messages)],
        )

    def list_same(self, texts: Iterable[str]) -> list[Cell]:
        prints = set(map(fingerprint, strs_given("texts", texts)))
        return self._read_cells(
            "WHERE c.fingerprint IN (SELECT value FROM json_each(?)) ORDER BY c.id",
            [id_list(prints)],
        )

    def list_superseded(self, by: Iterable[int]) -> list[Cell]:
        ids = id_list(ids_given("by", by))
        return self._read_cells(
            "WHERE c.superseded_by IN (SELECT value FROM json_each(?)) ORDER BY c.id", [ids]
        )

    def is_superseded(self, content: str) -> bool:
        str_given("content", content)
        with self._database.reading() as connection:
            held = connection.execute(
                "SELECT superseded_by IS NULL FROM mem_cells WHERE fingerprint = ?",
                (fingerprint(content),),
            ).fetchall()
        return bool(held) and not any(in_force for (in_force,) in held)

    def told_in(self, cells: Iterable[int]) -> list[int]:
        cells = ids_given("cells", cells)
        with self._database.reading() as connection:
            return [
                row[0]
                for row in connection.execute(
                    "SELECT message FROM cell_tellings "
                    "WHERE cell IN (SELECT value FROM json_each(?))",
                    (id_list(cells),),
                )
            ]

    def list_speakers(self) -> list[str]:
        # Every recall asks: hundreds of names come faster as one text than as rows.
        with self._database.reading() as connection:
            query = "SELECT group_concat(hex(name)) FROM speakers"
            (listed,) = connection.execute(query).fetchone()
        return list(_from_hex(listed)) if listed else []

    def count_cells(self, *, superseded: bool = False) -> int:
        bool_given("superseded", superseded)
        condition = "IS NOT NULL" if superseded else "IS NULL"
        with self._database.reading() as connection:
            return int(
                connection.execute(
                    f"SELECT count(*) FROM mem_cells WHERE superseded_by {condition}"
                ).fetchone()[0]
            )

    def _read_cells(self, condition: str, values: Sequence[Any]) -> list[Cell]:
        with self._database.reading() as connection:
            return [_from_row(row) for row in connection.execute(_CELL + condition, values)]


@lru_cache(maxsize=16)
def _from_hex(listed: str) -> tuple[str, ...]:
    """The texts of a list of hexadecimal ones."""
    return tuple(bytes.fromhex(text).decode() for text in listed.split(","))


def _runs(drafts: Sequence[CellDraft]) -> Iterator[Sequence[CellDraft]]:
    """The drafts cut behind each that supersedes: what it replaces must be out of force before
    the next draft is compared with what is known."""
    start = 0
    for end, draft in enumerate(drafts, start=1):
        if draft.supersedes:
            yield drafts[start:end]
            start = end
    if start < len(drafts):
        yield drafts[start:]


def _scenes_of(connection: sqlite3.Connection, ids: Iterable[int]) -> list[str]:
    return [
        row[0]
        for row in connection.execute(
            "SELECT DISTINCT scene FROM mem_cells WHERE id IN (SELECT value FROM json_each(?))",
            (id_list(ids),),
        )
    ]


def _leads_to(connection: sqlite3.Connection, start: int, end: int) -> bool:
    """Whether a cell is another one, or was superseded by it, directly or by way of others."""
    found = connection.execute(
        "WITH RECURSIVE later (id) AS (SELECT ?1 UNION SELECT c.superseded_by FROM mem_cells AS c "
        "JOIN later USING (id) WHERE c.superseded_by IS NOT NULL) "
        "SELECT 1 FROM later WHERE id = ?2",
        (start, end),
    ).fetchone()
    return found is not None


def _make_due(connection: sqlite3.Connection, scenes: Sequence[str]) -> None:
    """What these scenes' summaries tell has changed: sum up their cells, have them made anew."""
    connection.executemany(
        "UPDATE mem_scenes SET due = 1 WHERE scene = ?", [(scene,) for scene in scenes]
    )
    recount_scenes(connection, scenes)


def _in_force(connection: sqlite3.Connection, draft: CellDraft) -> list[int]:
    """The ids of the cells in force that a draft supersedes; by content, those of its speaker."""
    ids: list[int] = []
    for old in draft.supersedes:
        by_id = isinstance(old, int)
        row = connection.execute(
            "SELECT id FROM mem_cells WHERE superseded_by IS NULL AND "
            + ("id = ?" if by_id else "fingerprint = ? AND speaker IS ? ORDER BY id DESC"),
            (old,) if isinstance(old, int) else (fingerprint(old), draft.speaker),
        ).fetchone()
        if row is not None:
            ids.append(int(row[0]))
    return ids


def _from_row(row: tuple[Any, ...]) -> Cell:
    return Cell(
        id=row[0],
        scene=row[1],
        cell_type=row[2],
        salience=row[3],
        content=row[4],
        created_at=unstamp(row[5]),
        occurred_at=date.fromisoformat(row[6]) if row[6] else None,
        occurred_until=date.fromisoformat(row[7]) if row[7] else None,
        speaker=row[8],
        source=None if row[10] is None else Source(row[9], row[10], row[11]),
        superseded_by=row[12],
        valid_to=unstamp(row[13]) if row[13] else None,
        told=row[14],
        recalls=row[15],
    )


# -- drafts into rows ------------------------------------------------------------------------


class _Known(NamedTuple):
    """A cell in force that a draft may repeat."""

    id: int
    scene: str
    speaker: str | None
    source: int | None

    def is_told_by(self, draft: CellDraft, scene: str, speaker: str | None) -> bool:
        return self.speaker == speaker and (self.scene == scene or draft.source is not None)


def _store_cells(
    connection: sqlite3.Connection, drafts: Sequence[CellDraft], scenes: Sequence[str]
) -> list[int | Cell]:
    """Insert the drafts, each into the scene of that place; inside the caller's transaction.

    Returns for each draft the new cell, or the id of the cell that it repeats.
    """
    drafts = [_without_secrets(draft) for draft in drafts]
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
    _note_speakers(connection, fresh)
    return stored


def _note_speakers(connection: sqlite3.Connection, fresh: Iterable[Cell]) -> None:
    connection.executemany(
        "INSERT INTO speakers (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(name,) for name in sorted({c.speaker for c in fresh if c.speaker} - _NAMELESS)],
    )


def _without_secrets(draft: CellDraft) -> CellDraft:
    """The draft without the secrets in its content."""
    from scenemem.base.secrets import without_secrets  # a recall has no need of its patterns

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
        _stored_day(cell.occurred_at),
        _stored_day(cell.occurred_until),
        cell.speaker,
        first,
        last,
        key,
    )


def _stored_day(day: date | None) -> str | None:
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


# -- cells of another memory, put back -------------------------------------------------------

_BY_PRINT = (
    "SELECT id, scene, content FROM mem_cells WHERE fingerprint = ? AND created_at = ? "
    "AND speaker IS ? AND source_first IS ? AND source_last IS ? ORDER BY id"
)


def _traits(cell: Cell) -> tuple[Any, ...]:
    """What stays the same of a cell while it is corrected."""
    first, last = (cell.source.first, cell.source.last) if cell.source else (None, None)
    return stamp(cell.created_at), cell.speaker, first, last


def _same_cell(connection: sqlite3.Connection, cell: Cell, taken: set[int]) -> int | None:
    """The cell here that this one is; in its own scene, unless an engine chose the scene."""
    found = [
        (scene == cell.scene, int(cell_id))
        for cell_id, scene, content in connection.execute(
            _BY_PRINT, (fingerprint(cell.content), *_traits(cell))
        ).fetchall()
        if content == cell.content and cell_id not in taken
    ]
    own = [cell_id for in_scene, cell_id in found if in_scene or cell.source is not None]
    return min(own, default=None)


def _corrected(connection: sqlite3.Connection) -> dict[str, list[int]]:
    """The ids of the cells that were corrected, by what they said before."""
    corrected: dict[str, list[int]] = {}
    for subject, before in connection.execute(
        "SELECT subject, before FROM change_log WHERE action = 'update' "
        "AND before IS NOT NULL AND subject LIKE 'cell %'"
    ):
        corrected.setdefault(before, []).append(int(subject.split()[1]))
    return corrected


def _corrected_cell(
    connection: sqlite3.Connection, cell: Cell, corrected: dict[str, list[int]], taken: set[int]
) -> int | None:
    """The cell here that said this before it was corrected."""
    for cell_id in corrected.get(cell.content, ()):
        if (
            cell_id not in taken
            and connection.execute(
                "SELECT 1 FROM mem_cells WHERE id = ? AND created_at = ? AND speaker IS ? "
                "AND source_first IS ? AND source_last IS ?",
                (cell_id, *_traits(cell)),
            ).fetchone()
        ):
            return cell_id
    return None


def _earlier_cell(
    connection: sqlite3.Connection, past: PastCell, cell: Cell, taken: set[int]
) -> int | None:
    """The cell here that still says what this one said before it was corrected."""
    for before in past.before:
        for cell_id, _, content in connection.execute(
            _BY_PRINT, (fingerprint(before), *_traits(cell))
        ).fetchall():
            if content == before and cell_id not in taken:
                return int(cell_id)
    return None


def _repeated_cell(connection: sqlite3.Connection, cell: Cell, taken: set[int]) -> int | None:
    """The cell in force here that says the same, as `insert_cells` would find it."""
    draft = CellDraft(cell.content, source=cell.source)
    key = fingerprint(cell.content)
    for known in _known_cells(connection, [key]).get(key, ()):
        if known.id not in taken and known.is_told_by(draft, cell.scene, cell.speaker):
            return known.id
    return None


def _tell_as_often(connection: sqlite3.Connection, cell_id: int, past: PastCell) -> None:
    """Let a cell be told by the messages that told another, and not less often."""
    cell = past.cell
    first = (cell.source.first,) if cell.source else ()
    for message in (*first, *past.tellings):
        own = connection.execute(
            "SELECT 1 FROM mem_cells WHERE id = ? AND source_first = ?", (cell_id, message)
        ).fetchone()
        if own is None:
            _tell_again(connection, cell_id, cell.salience, message)
    connection.execute(
        "UPDATE mem_cells SET told = max(told, ?), salience = max(salience, ?) WHERE id = ?",
        (cell.told, cell.salience, cell_id),
    )


def _insert_restored(connection: sqlite3.Connection, cell: Cell, tellings: Iterable[int]) -> None:
    connection.execute(_INSERT, _as_row(cell, fingerprint(cell.content)))
    connection.execute(
        "UPDATE mem_cells SET told = ?, recalls = ?, superseded_by = ?, valid_to = ? WHERE id = ?",
        (
            cell.told,
            cell.recalls,
            None if cell.valid_to is None else cell.id,
            None if cell.valid_to is None else stamp(cell.valid_to),
            cell.id,
        ),
    )
    connection.executemany(
        "INSERT INTO cell_tellings (cell, message) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(cell.id, message) for message in tellings],
    )
