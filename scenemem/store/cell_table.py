"""CellTable: the cells of a memory, above its scenes and its log.

A cell is stored once: the same text said again within a scene raises `told`. A cell that another
one supersedes stays, dated, out of the default recall. The full-text index follows the table by
triggers; no row of it is written by hand. Threads and processes may share the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

from scenemem.base.errors import NotFoundError
from scenemem.base.records import (
    Cell,
    CellDraft,
    CellType,
    Source,
    stamp,
    unstamp,
)
from scenemem.base.text import clean, fingerprint, index_terms
from scenemem.store.database import id_list
from scenemem.store.scene_table import SceneTable, recount_scenes

__all__ = ["CellTable"]

_CELL = (
    "SELECT c.id, c.scene, c.cell_type, c.salience, c.content, c.created_at, c.occurred_at, "
    "c.occurred_until, c.speaker, s.session, c.source_first, c.source_last, c.superseded_by, "
    "c.valid_to, c.told, c.recalls FROM mem_cells AS c "
    "LEFT JOIN sessions AS s ON s.number = c.source_first >> 24 "
)


class CellTable(SceneTable):
    """The cells of one memory file."""

    # -- writing -----------------------------------------------------------------------------

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        """Store one cell and return it; one that the scene has already only counts as told again.

        A mapping has the fields of `CellDraft`: `content`, and as you like `scene`, `cell_type`,
        `salience`, and the rest. Raises `ValueError` for an empty content, an unknown type or a
        salience outside 0 to 1, `TypeError` for an unknown field.
        """
        return self.insert_cells([cell])[0]

    def insert_cells(self, cells: Iterable[CellDraft | Mapping[str, Any]]) -> list[Cell]:
        """Store cells in one transaction, all or none; return them in their order."""
        from scenemem.base.secrets import without_secrets
        from scenemem.store.cell_intake import store_cells  # recall has no need of these two

        drafts = [(c if isinstance(c, CellDraft) else CellDraft(**c)).validated() for c in cells]
        names: dict[str, str] = {}
        stored: list[int | Cell] = []
        with self.database.transaction() as connection:
            for draft in drafts:
                if draft.scene not in names:
                    names[draft.scene] = self.ensure_scene(without_secrets(draft.scene))
            for run in _runs(drafts):
                stored += store_cells(connection, run, [names[draft.scene] for draft in run])
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
        """Correct a cell in place; what is None stays. The text before it stays in the log."""
        from scenemem.base.secrets import without_secrets

        old = self._require_cell(cell_id)
        draft = CellDraft(
            content=without_secrets(clean(old.content if content is None else content)).strip(),
            scene=old.scene if scene is None else scene,
            cell_type=cell_type or old.cell_type,
            salience=old.salience if salience is None else salience,
        ).validated()
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE mem_cells SET scene = ?, cell_type = ?, salience = ? WHERE id = ?",
                (self.ensure_scene(draft.scene), draft.cell_type, draft.salience, cell_id),
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
            _make_due(connection, [old.scene, self.ensure_scene(draft.scene)])
            self.log_change(
                actor, "update", f"cell {cell_id}", before=old.content, after=draft.content
            )
        return self._require_cell(cell_id)

    def supersede_cell(
        self, cell_id: int, by: int, *, at: datetime | None = None, actor: str = "caller"
    ) -> None:
        """Let the cell `by` take the place of `cell_id`, from `at` (when `by` was said) on.

        Raises `NotFoundError` when one of them is missing, `ValueError` for a cell by itself.
        """
        if cell_id == by:
            raise ValueError(f"cell {cell_id} can't supersede itself")
        old, new = self._require_cell(cell_id), self._require_cell(by)
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE mem_cells SET superseded_by = ?, valid_to = ? WHERE id = ?",
                (by, stamp(at or new.created_at), cell_id),
            )
            _make_due(connection, [old.scene])
            self.log_change(
                actor,
                "supersede",
                f"cell {cell_id}",
                before=old.content,
                after=new.content,
                reason=f"by cell {by}",
            )

    def delete_cells(self, ids: Iterable[int]) -> list[Cell]:
        """Delete cells for good and return what they were; unknown ids are passed over.

        Their scenes' summaries are emptied and due anew, and scenes left without cells go. The
        messages they came from stay: `MemoryManager.forget` takes care of those too.
        """
        wanted = list(ids)
        with self.database.transaction() as connection:
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
            gone = [scene for scene in scenes if self.resolve_scene(scene) is None]
            # Those they superseded are in force again, in whatever scenes.
            _make_due(connection, [*scenes, *_scenes_of(connection, freed)])
            self.blank_changes(
                [f"cell {cell.id}" for cell in cells] + [f"scene {scene}" for scene in scenes],
                reasons=[f"by cell {cell.id}" for cell in cells],
            )
            # The name of a scene tells what it was about, so it goes with it.
            self.rename_subjects({f"scene {scene}": "a forgotten scene" for scene in gone})
        return cells

    def note_recalled(self, ids: Iterable[int]) -> None:
        """Count that an answer was built on these cells."""
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE mem_cells SET recalls = recalls + 1 "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (id_list(ids),),
            )

    # -- reading -----------------------------------------------------------------------------

    def get_cell(self, cell_id: int) -> Cell | None:
        """The cell of that id, or None."""
        return self.get_cells([cell_id]).get(cell_id)

    def get_cells(self, ids: Iterable[int]) -> dict[int, Cell]:
        """The cells of these ids, by id; missing ones are left out."""
        found = self._read_cells("WHERE c.id IN (SELECT value FROM json_each(?))", [id_list(ids)])
        return {cell.id: cell for cell in found}

    def _require_cell(self, cell_id: int) -> Cell:
        cell = self.get_cell(cell_id)
        if cell is None:
            raise NotFoundError(f"there is no cell {cell_id}; `scenemem cells` lists them")
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
        """Cells, by default in the order they were told; `superseded` includes those replaced.

        `scene` may be any spelling; `since` and `until` bound when they were said; `after` lists
        only ids above it. Raises `NotFoundError` for an unknown scene.
        """
        where: list[str] = ["c.id > ?"]
        values: list[Any] = [after]
        if scene is not None:
            name = self.resolve_scene(scene)
            if name is None:
                raise NotFoundError(f"there is no scene {scene!r}; `scenemem scenes` lists them")
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
        """The most salient cells in force, at most `limit`, the newer first among equals.

        Where fewer than `limit` have a salience of 0.75 or more, which an index holds, only the
        newest thousand of the others are looked through, so that no memory is too large for it.
        """
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
        """The cells, superseded ones included, that came from these messages, in order."""
        return self._read_cells(
            "WHERE c.source_first IN (SELECT value FROM json_each(?1)) "
            "OR c.source_last IN (SELECT value FROM json_each(?1)) OR c.id IN (SELECT cell "
            "FROM cell_tellings WHERE message IN (SELECT value FROM json_each(?1))) ORDER BY c.id",
            [id_list(messages)],
        )

    def is_superseded(self, content: str) -> bool:
        """Whether a cell of this content was superseded, and none of it is in force."""
        with self.database.reading() as connection:
            held = connection.execute(
                "SELECT superseded_by IS NULL FROM mem_cells WHERE fingerprint = ?",
                (fingerprint(content),),
            ).fetchall()
        return bool(held) and not any(in_force for (in_force,) in held)

    def told_in(self, cells: Iterable[int]) -> list[int]:
        """The further messages that told these cells again."""
        with self.database.reading() as connection:
            return [
                row[0]
                for row in connection.execute(
                    "SELECT message FROM cell_tellings "
                    "WHERE cell IN (SELECT value FROM json_each(?))",
                    (id_list(cells),),
                )
            ]

    def list_speakers(self) -> list[str]:
        """Who speaks in this memory, by name."""
        # Every recall asks: hundreds of names come faster as one text than as rows.
        with self.database.reading() as connection:
            query = "SELECT group_concat(hex(name)) FROM speakers"
            (listed,) = connection.execute(query).fetchone()
        return list(_from_hex(listed)) if listed else []

    def count_cells(self, *, superseded: bool = False) -> int:
        """How many cells are in force, or how many have been superseded."""
        condition = "IS NOT NULL" if superseded else "IS NULL"
        with self.database.reading() as connection:
            return int(
                connection.execute(
                    f"SELECT count(*) FROM mem_cells WHERE superseded_by {condition}"
                ).fetchone()[0]
            )

    def _read_cells(self, condition: str, values: Sequence[Any]) -> list[Cell]:
        with self.database.reading() as connection:
            return [_cell(row) for row in connection.execute(_CELL + condition, values)]


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


def _cell(row: tuple[Any, ...]) -> Cell:
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
