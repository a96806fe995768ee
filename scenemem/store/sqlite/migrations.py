"""Migrations: what schema a file has, and how it becomes this version's.

Version 0 is a file that holds nothing yet, or the six-column schema that was published with the
idea of scene memory: `mem_cells(id, scene, cell_type, salience, content, created_at)` with
JSON-encoded content, `mem_scenes(scene, summary, updated_at)`, and a full-text table without
links to the cells. Its rows are decoded, checked one by one, and kept.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from scenemem.base.errors import DatabaseError
from scenemem.base.records import CELL_TYPES, now_utc, stamp
from scenemem.base.text import clean, fingerprint, index_terms, name_key

VERSION = 1
APPLICATION_ID = 0x53434D4D  # "SCMM", so that the file tells whose it is

NO_FTS5 = (
    "this Python's SQLite was built without FTS5, which scenemem needs for full text; use a Python "
    "from python.org, your distribution, conda or pyenv (all have it), and check with "
    "python -c \"import sqlite3; sqlite3.connect(':memory:')"
    ".execute('CREATE VIRTUAL TABLE t USING fts5(x)')\""
)
INDEXES = ("messages_fts", "mem_cells_fts")
_OLD_TABLES = frozenset({"mem_cells", "mem_scenes", "mem_cells_fts"})
_DEFAULT_SALIENCE = 0.5


class Found(NamedTuple):
    """What a file holds: its schema version, a table of another program, cells to migrate."""

    version: int
    foreign: str | None
    holds_cells: bool


def inspect(connection: sqlite3.Connection) -> Found:
    """Look at a file without changing it."""
    connection.execute("BEGIN")  # one view of the file: another process may be making the schema
    try:
        return _look(connection)
    finally:
        connection.execute("COMMIT")


def _look(connection: sqlite3.Connection) -> Found:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    tables = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith(("sqlite_", "mem_cells_fts"))
    }
    strangers = sorted(tables - _OLD_TABLES)
    foreign = strangers[0] if strangers and not ours else None
    return Found(version, foreign, holds_cells=version < VERSION and "mem_cells" in tables)


def require_fts5(connection: sqlite3.Connection) -> None:
    """Raise `DatabaseError` when this SQLite has no FTS5, before anything is written."""
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5(x)")
        connection.execute("DROP TABLE temp.fts5_probe")
    except sqlite3.OperationalError as error:
        raise DatabaseError(NO_FTS5) from error


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to this version; runs inside the caller's transaction."""
    found = _look(connection)
    if found.version == VERSION:
        return  # another process was faster
    if found.holds_cells:
        _set_aside_old_tables(connection)
    for statement in _statements(_schema()):
        connection.execute(statement)
    if found.holds_cells:
        _take_over_old_rows(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _schema() -> str:
    from importlib.resources import files  # needed once in the life of a file

    return files("scenemem.store.sqlite").joinpath("schema.sql").read_text("utf-8")


def _statements(script: str) -> list[str]:
    """The statements of a script (`executescript` would commit the open transaction)."""
    statements, lines = [], list[str]()
    for line in script.splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            statements.append("\n".join(lines))
            lines.clear()
    return statements


# -- version 0 -------------------------------------------------------------------------------


def _set_aside_old_tables(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS mem_cells_fts")
    connection.execute("ALTER TABLE mem_cells RENAME TO old_cells")
    has_scenes = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'mem_scenes'"
    ).fetchone()
    if has_scenes:
        connection.execute("ALTER TABLE mem_scenes RENAME TO old_scenes")
    else:
        connection.execute("CREATE TABLE old_scenes (scene TEXT, summary TEXT, updated_at TEXT)")


def _take_over_old_rows(connection: sqlite3.Connection) -> None:
    names: dict[str, str] = {}
    for scene, summary, updated_at in connection.execute(
        "SELECT scene, summary, updated_at FROM old_scenes ORDER BY rowid"
    ).fetchall():
        name = _ensure_scene(connection, names, scene, updated_at)
        connection.execute(
            "UPDATE mem_scenes SET summary = trim(summary || ' ' || ?) WHERE scene = ?",
            (clean(_decoded(summary)), name),
        )
    kept = skipped = 0
    for row in connection.execute(
        "SELECT id, scene, cell_type, salience, content, created_at FROM old_cells ORDER BY id"
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
            stamp(now_utc()),
            "migration",
            "upgrade",
            f"schema version 0 to {VERSION}",
            f"{kept} cells taken over, {skipped} without any text left out",
        ),
    )
    connection.execute("DROP TABLE old_cells")
    connection.execute("DROP TABLE old_scenes")


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
            kind if kind in CELL_TYPES else "fact",
            _old_salience(salience),
            text,
            index_terms(text),
            _old_stamp(created_at),
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
            "INSERT INTO mem_scenes (scene, updated_at) VALUES (?, ?)", (name, _old_stamp(at))
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
    import json

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


def _old_salience(value: object) -> float:
    if isinstance(value, str | int | float):
        with contextlib.suppress(ValueError):
            number = float(value)
            if math.isfinite(number):
                return min(max(number, 0.0), 1.0)
    return _DEFAULT_SALIENCE


def _old_stamp(value: object) -> str:
    with contextlib.suppress(TypeError, ValueError):
        return stamp(datetime.fromisoformat(str(value)))
    return stamp(now_utc())


# -- the indexes -----------------------------------------------------------------------------


def check(connection: sqlite3.Connection, *, writable: bool) -> list[str]:
    """What is wrong with the file, a sentence each."""
    faults = [
        f"the file is damaged: {row[0]}"
        for row in connection.execute("PRAGMA quick_check(10)")
        if row[0] != "ok"
    ]
    faults += [
        f"a row of {table} refers to a missing row of {parent}"
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    ]
    faults += [
        f"the cell {cell} is in the scene {scene!r}, which is missing"
        for cell, scene in connection.execute(
            "SELECT min(id), scene FROM mem_cells "
            "WHERE scene NOT IN (SELECT scene FROM mem_scenes) GROUP BY scene"
        )
    ]
    for index in INDEXES if writable else ():
        try:
            # rank 1 compares the index with the table's text, not only with itself.
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError:
            faults.append(f"the full-text index {index} does not agree with its table")
    return faults


def rebuild_index(connection: sqlite3.Connection) -> None:
    for index in INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")


def optimize_index(connection: sqlite3.Connection) -> None:
    # Merging into one segment drops what was deleted. (The option 'secure-delete' would too, but
    # an index written with it can't be read by SQLite before 3.42.)
    for index in INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
