"""From version 0, the article's schema, to version 1: its rows decoded, checked, and kept.

The idea of scene memory was published with a schema of six columns: `mem_cells(id, scene,
cell_type, salience, content, created_at)` with JSON-encoded content, `mem_scenes(scene, summary,
updated_at)`, and a full-text table without links to the cells.

Frozen, as every step is: it makes the schema of version 1 (`version_1.sql`) and what version 1
stored, and calls nothing of the package that may change its meaning later.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from datetime import UTC, datetime
from typing import Any

from scenemem.store.sqlite.migrations import execute_script, read_script
from scenemem.store.sqlite.steps.texts_of_version_1 import (
    clean,
    fingerprint,
    index_terms,
    name_key,
    stamp,
)

__all__ = ["bring_on"]

_CELL_TYPES = ("fact", "plan", "preference", "decision", "task", "risk")
_DEFAULT_SALIENCE = 0.5
_COLUMNS = {
    "mem_cells": "id INTEGER PRIMARY KEY, scene, cell_type, salience, content, created_at",
    "mem_scenes": "scene, summary, updated_at",
}


def bring_on(connection: sqlite3.Connection) -> None:
    """Make the tables of version 1 and take the article's rows over."""
    _set_aside_old_tables(connection)
    execute_script(connection, read_script("steps/version_1.sql"))
    _take_over_old_rows(connection)


def _set_aside_old_tables(connection: sqlite3.Connection) -> None:
    # What hangs on the old tables has names that the new schema may want, or points at the old
    # full-text table, which goes.
    for kind, name in connection.execute(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'index') "
        "AND sql IS NOT NULL AND tbl_name IN ('mem_cells', 'mem_scenes')"
    ).fetchall():
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"DROP {kind} {quoted}")
    connection.execute("DROP TABLE IF EXISTS mem_cells_fts")
    for table, columns in _COLUMNS.items():
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")


def _take_over_old_rows(connection: sqlite3.Connection) -> None:
    names: dict[str, str] = {}
    for scene, summary, updated_at in connection.execute(
        "SELECT scene, summary, updated_at FROM old_mem_scenes ORDER BY rowid"
    ).fetchall():
        name = _ensure_scene(connection, names, scene, updated_at)
        connection.execute(
            "UPDATE mem_scenes SET summary = trim(summary || ' ' || ?) WHERE scene = ?",
            (clean(_decoded(summary)), name),
        )
    kept = skipped = 0
    for row in connection.execute(
        "SELECT id, scene, cell_type, salience, content, created_at FROM old_mem_cells ORDER BY id"
    ).fetchall():
        if _take_over_cell(connection, names, *row):
            kept += 1
        else:
            skipped += 1
    # The old summaries were made of all cells at once, so they cover what was there.
    connection.execute(
        "UPDATE mem_scenes SET (cells, newest, first_at, last_at) = (SELECT count(*), "
        "coalesce(max(id), 0), min(created_at), max(created_at) FROM mem_cells AS c "
        "WHERE c.scene = mem_scenes.scene)"
    )
    connection.execute("UPDATE mem_scenes SET watermark = newest WHERE summary <> ''")
    connection.execute(
        "INSERT INTO change_log (at, actor, action, subject, reason) VALUES (?, ?, ?, ?, ?)",
        (
            _now(),
            "migration",
            "upgrade",
            "schema version 0 to 1",
            f"{kept} cells taken over, {skipped} without any text left out",
        ),
    )
    connection.execute("DROP TABLE old_mem_cells")
    connection.execute("DROP TABLE old_mem_scenes")


def _take_over_cell(
    connection: sqlite3.Connection,
    names: dict[str, str],
    cell_id: int,
    scene: object,
    cell_type: object,
    salience: object,
    content: object,
    created_at: object,
) -> bool:
    text = clean(_decoded(content)).strip()
    if not text:
        return False
    kind = str(cell_type).strip().lower()
    connection.execute(
        "INSERT INTO mem_cells (id, scene, cell_type, salience, content, terms, created_at, "
        "fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            cell_id,
            _ensure_scene(connection, names, scene, created_at),
            kind if kind in _CELL_TYPES else "fact",
            _salience(salience),
            text,
            index_terms(text),
            _instant(created_at),
            fingerprint(text),
        ),
    )
    return True


def _ensure_scene(
    connection: sqlite3.Connection, names: dict[str, str], scene: object, at: object
) -> str:
    name = " ".join(clean(_decoded(scene)).split()) or "General"
    key = name_key(name)
    if key not in names:
        names[key] = name
        connection.execute(
            "INSERT INTO mem_scenes (scene, updated_at) VALUES (?, ?)", (name, _instant(at))
        )
        connection.execute(
            "INSERT INTO scene_aliases (alias_key, alias, scene) VALUES (?, ?, ?)",
            (key, name, name),
        )
    return names[key]


def _decoded(value: object) -> str:
    """Plain text of a column that may hold JSON: a string as it is, other values in words."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    with contextlib.suppress(ValueError, RecursionError):
        return _in_words(json.loads(text))
    return text


def _in_words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_in_words(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_in_words(item) for item in value)
    return "" if value is None else str(value)


def _salience(value: object) -> float:
    if isinstance(value, str | int | float):
        with contextlib.suppress(ValueError):
            number = float(value)
            if math.isfinite(number):
                return min(max(number, 0.0), 1.0)
    return _DEFAULT_SALIENCE


def _instant(value: object) -> str:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return stamp(datetime.fromisoformat(str(value)))
    return _now()


def _now() -> str:
    return stamp(datetime.now(UTC))
