"""SQLiteScenes: the scenes of a memory, their summaries, and the spellings that lead to them.

A scene is found under any spelling of its name (case, spaces and hyphens don't matter) and under
every name it had before, so neither a writer's spelling nor a merge ever makes a second scene.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from scenemem.base.checks import bool_given, datetime_given, int_given, items_given, str_given
from scenemem.base.errors import NotFoundError
from scenemem.base.records import Scene, now_utc, stamp, unstamp
from scenemem.base.text import clean, name_key
from scenemem.store.protocol import DEFAULT_SCENE, Scenes
from scenemem.store.sqlite.database import Database
from scenemem.store.sqlite.log import SQLiteLog

__all__ = ["SQLiteScenes", "recount_scenes"]

_STALE = "cells > 0 AND (due OR newest > watermark)"
_SCENE = (
    "SELECT scene, summary, updated_at, watermark, due, cells, newest, first_at, last_at "
    "FROM mem_scenes "
)


class SQLiteScenes(Scenes):
    """The scenes of one memory file."""

    def __init__(self, database: Database, log: SQLiteLog) -> None:
        self._database = database
        self._log = log

    def resolve_scene(self, scene: str) -> str | None:
        str_given("scene", scene)
        with self._database.reading() as connection:
            return _resolve(connection, scene)

    def get_scene(self, scene: str) -> Scene | None:
        name = self.resolve_scene(scene)
        return None if name is None else next(iter(self.get_scenes([name])), None)

    def get_scenes(self, scenes: Iterable[str]) -> list[Scene]:
        scenes = [str_given("a scene", name) for name in items_given("scenes", scenes, "strs")]
        names = list(dict.fromkeys(scenes))
        marks = ", ".join("?" * len(names))
        found = {
            scene.scene: scene
            for scene in self._read_scenes(f"{_SCENE} WHERE scene IN ({marks})", names)
        }
        return [found[name] for name in names if name in found]

    def list_scenes(self, *, stale: bool = False, limit: int | None = None) -> list[Scene]:
        bool_given("stale", stale)
        if limit is not None:
            int_given("limit", limit)
        return self._read_scenes(
            _SCENE
            + (f"WHERE {_STALE} " if stale else "")
            + "ORDER BY coalesce(last_at, updated_at) DESC, scene LIMIT ?",
            [-1 if limit is None else limit],
        )

    def _read_scenes(self, query: str, values: Sequence[Any]) -> list[Scene]:
        with self._database.reading() as connection:
            rows = connection.execute(query, values).fetchall()
            aliases: dict[str, list[str]] = {}
            for start in range(0, len(rows), 500):
                names = [row[0] for row in rows[start : start + 500]]
                for scene, alias in connection.execute(
                    "SELECT scene, alias FROM scene_aliases "
                    f"WHERE scene IN ({', '.join('?' * len(names))}) AND alias <> scene "
                    "ORDER BY alias_key",
                    names,
                ):
                    aliases.setdefault(scene, []).append(alias)
        return [
            Scene(
                scene=name,
                summary=summary,
                updated_at=unstamp(updated_at),
                watermark=watermark,
                cells=cells,
                stale=cells > 0 and (bool(due) or newest > watermark),
                first_at=unstamp(first_at) if first_at else None,
                last_at=unstamp(last_at) if last_at else None,
                aliases=tuple(aliases.get(name, ())),
            )
            for name, summary, updated_at, watermark, due, cells, newest, first_at, last_at in rows
        ]

    def ensure_scene(self, scene: str) -> str:
        str_given("scene", scene)
        with self._database.transaction() as connection:
            return _ensure(connection, scene)

    def upsert_scene(
        self,
        scene: str,
        summary: str,
        *,
        watermark: int | None = None,
        at: datetime | None = None,
        actor: str = "caller",
    ) -> Scene:
        str_given("scene", scene)
        summary = str_given("summary", summary)
        if watermark is not None:
            int_given("watermark", watermark)
        at = None if at is None else datetime_given("at", at)
        str_given("actor", actor)
        from scenemem.base.secrets import without_secrets  # recall has no need of it

        with self._database.transaction() as connection:
            name = _ensure(connection, scene)
            before = connection.execute(
                "SELECT summary FROM mem_scenes WHERE scene = ?", (name,)
            ).fetchone()[0]
            text = without_secrets(summary).strip()
            connection.execute(
                "UPDATE mem_scenes SET summary = ?, updated_at = ?, "
                "watermark = coalesce(?, newest), due = 0 WHERE scene = ?",
                (text, stamp(at or now_utc()), watermark, name),
            )
            if before != text:
                self._log.log_change(
                    actor, "summarize", f"scene {name}", before=before or None, after=text
                )
            return self._held(name)

    def add_alias(self, scene: str, alias: str) -> None:
        str_given("alias", alias, empty=False)
        with self._database.transaction() as connection:
            _add_alias(connection, alias, _require(connection, scene))

    def rename_scene(
        self, scene: str, name: str, *, actor: str = "caller", keep_alias: bool = True
    ) -> Scene:
        str_given("scene", scene)
        str_given("name", name, empty=False)
        str_given("actor", actor)
        bool_given("keep_alias", keep_alias)
        new = _tidied(name)
        if not name_key(new):
            raise ValueError("name must not be empty")
        with self._database.transaction() as connection:
            old = _require(connection, scene)
            holder = _resolve(connection, new)
            if holder not in (None, old):
                raise ValueError(f"the name {new!r} belongs to the scene {holder!r}; merge them")
            if new != old:
                connection.execute("UPDATE mem_scenes SET scene = ? WHERE scene = ?", (new, old))
                connection.execute("UPDATE mem_cells SET scene = ? WHERE scene = ?", (new, old))
                _add_alias(connection, new, new)
                if not keep_alias:
                    connection.execute(
                        "DELETE FROM scene_aliases WHERE scene = ? AND alias_key <> ?",
                        (new, name_key(new)),
                    )
                self._log.rename_subjects({f"scene {old}": f"scene {new}"})
                before = old if keep_alias else None
                self._log.log_change(actor, "rename", f"scene {new}", before=before, after=new)
            return self._held(new)

    def merge_scenes(self, scene: str, into: str, *, actor: str = "caller") -> Scene:
        str_given("scene", scene)
        str_given("into", into)
        str_given("actor", actor)
        with self._database.transaction() as connection:
            gone, kept = _require(connection, scene), _require(connection, into)
            if gone != kept:
                moved = connection.execute(
                    "UPDATE mem_cells SET scene = ? WHERE scene = ?", (kept, gone)
                ).rowcount
                connection.execute(
                    "UPDATE scene_aliases SET scene = ? WHERE scene = ?", (kept, gone)
                )
                self._log.rename_subjects({f"scene {gone}": f"scene {kept}"})
                connection.execute("DELETE FROM mem_scenes WHERE scene = ?", (gone,))
                connection.execute("UPDATE mem_scenes SET due = 1 WHERE scene = ?", (kept,))
                recount_scenes(connection, [kept])
                self._log.log_change(
                    actor,
                    "merge",
                    f"scene {kept}",
                    before=gone,
                    after=kept,
                    reason=f"{moved} cells moved",
                )
            return self._held(kept)

    def _held(self, name: str) -> Scene:
        """The scene of a stored name, in the transaction that has just written it."""
        (scene,) = self.get_scenes([name])
        return scene

    def list_due(self) -> list[Scene]:
        return self._read_scenes(f"{_SCENE} WHERE due AND cells > 0 ORDER BY scene", [])

    def is_extracted(self, scene: str) -> bool:
        scene = str_given("scene", scene)
        with self._database.reading() as connection:
            return not connection.execute(
                "SELECT 1 FROM mem_cells WHERE scene = ? AND source_first IS NULL LIMIT 1", (scene,)
            ).fetchone()

    def retrieve_scene_summary(self, scene: str) -> str:
        found = self.get_scene(scene)
        return found.summary if found else ""

    def count_scenes(self, *, stale: bool = False) -> int:
        bool_given("stale", stale)
        query = "SELECT count(*) FROM mem_scenes" + (f" WHERE {_STALE}" if stale else "")
        with self._database.reading() as connection:
            return int(connection.execute(query).fetchone()[0])


def recount_scenes(connection: sqlite3.Connection, scenes: Iterable[str]) -> None:
    """Sum up the cells in force of these scenes anew."""
    connection.executemany(
        "UPDATE mem_scenes SET (cells, newest, first_at, last_at) = (SELECT count(*), "
        "coalesce(max(id), 0), min(created_at), max(created_at) FROM mem_cells AS c "
        "WHERE c.scene = mem_scenes.scene AND c.superseded_by IS NULL) WHERE scene = ?",
        [(scene,) for scene in sorted(set(scenes))],
    )
    # A summary of cells that are no longer in force tells what no longer holds.
    connection.execute("UPDATE mem_scenes SET summary = '', due = 0 WHERE cells = 0 AND due")


def _tidied(name: str) -> str:
    return " ".join(clean(name).split())


def _resolve(connection: sqlite3.Connection, scene: str) -> str | None:
    scene = str_given("scene", scene)
    row = connection.execute(
        "SELECT scene FROM scene_aliases WHERE alias_key = ?", (name_key(scene),)
    ).fetchone()
    return None if row is None else str(row[0])


def _require(connection: sqlite3.Connection, scene: str) -> str:
    found = _resolve(connection, scene)
    if found is None:
        raise NotFoundError.of("scene", scene)
    return found


def _ensure(connection: sqlite3.Connection, scene: str) -> str:
    name = _tidied(scene) or DEFAULT_SCENE
    found = _resolve(connection, name)
    if found is None:
        connection.execute(
            "INSERT INTO mem_scenes (scene, updated_at) VALUES (?, ?)", (name, stamp(now_utc()))
        )
        _add_alias(connection, name, name)
        found = name
    return found


def _add_alias(connection: sqlite3.Connection, alias: str, scene: str) -> None:
    connection.execute(
        "INSERT INTO scene_aliases (alias_key, alias, scene) VALUES (?, ?, ?) "
        "ON CONFLICT (alias_key) DO NOTHING",
        (name_key(alias), _tidied(alias), scene),
    )
