"""Migrations: which schema a file has, and the steps that bring an older one to today's.

A new file is made from `schema.sql` at once. An older file takes one step from each version to the
next, every step in a transaction of its own, so that whatever happens leaves a whole file of some
version, and the next open goes on from there.

Files of every version are in use, so a change of the schema is always a new step, never an edit of
an earlier one:

1. Change `schema.sql`: that is what a new file gets.
2. Write the step as a file in `steps/` and append it to `_STEPS`. It runs inside a transaction.
   Foreign keys are not enforced meanwhile (so a table can be rebuilt and keep its children) but
   checked at the end. A table that is rebuilt keeps its row of `sqlite_sequence`, so that no id is
   given twice. Once released it is frozen: it reads no `schema.sql`, and calls nothing of
   the package whose meaning may change.
3. What is stored is also made by functions (`index_terms`, `fingerprint`, `name_key` of
   `scenemem.base.text`): when one of these changes its results, a step brings the stored ones on.
4. Keep a real file of the new version in `tests/files` and record its digest in `test_migrations`.

Version 0 is the article's schema; `steps/from_the_article.py` tells of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from scenemem.base.errors import DatabaseError

__all__ = [
    "APPLICATION_ID",
    "TODAYS",
    "Found",
    "Schema",
    "Step",
    "execute_script",
    "inspect",
    "make",
    "read_script",
    "require_fts5",
    "take_step",
]

APPLICATION_ID = 0x53434D4D  # "SCMM", so that the file tells whose it is

NO_FTS5 = (
    "this Python's SQLite was built without FTS5, which scenemem needs for full text; use a Python "
    "from python.org, your distribution, conda or pyenv (all have it), and check with "
    "python -c \"import sqlite3; sqlite3.connect(':memory:')"
    ".execute('CREATE VIRTUAL TABLE t USING fts5(x)')\""
)
_TABLES_OF_THE_ARTICLE = frozenset({"mem_cells", "mem_scenes"})

Step = Callable[[sqlite3.Connection], None]


class Schema(NamedTuple):
    """A schema: the script that makes it in a new file, and the steps that lead to it.

    The step at index n brings a file from version n to n + 1, so there are as many as versions.
    """

    script: Callable[[], str]
    steps: tuple[Step, ...]

    @property
    def version(self) -> int:
        """The version of a file that has this schema."""
        return len(self.steps)


class Found(NamedTuple):
    """What a file holds: its schema's version, whether there is nothing in it yet, and the name of
    a table that shows it to be another program's."""

    version: int
    is_empty: bool
    foreign: str | None


def inspect(connection: sqlite3.Connection) -> Found:
    """Look at a file without changing it; inside a transaction, so that it is one view."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    tables = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith(("sqlite_", "mem_cells_fts"))
    }
    if ours:
        return Found(version, not tables, None)
    # The article's files have no application id, and nobody else's version means anything here.
    return Found(0, not tables, min(tables - _TABLES_OF_THE_ARTICLE, default=None))


def require_fts5(connection: sqlite3.Connection) -> None:
    """Raise `DatabaseError` when this SQLite has no FTS5, before anything is written."""
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5(x)")
        connection.execute("DROP TABLE temp.fts5_probe")
    except sqlite3.OperationalError as error:
        raise DatabaseError(NO_FTS5) from error


def make(connection: sqlite3.Connection, schema: Schema) -> None:
    """Make the schema in an empty file; inside the caller's transaction."""
    execute_script(connection, schema.script())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {schema.version}")


def take_step(connection: sqlite3.Connection, schema: Schema, version: int) -> None:
    """Bring a file of this version to the next; inside the caller's transaction."""
    broken_before = _count_broken_references(connection)
    schema.steps[version](connection)
    broken = _count_broken_references(connection) - broken_before
    if broken > 0:
        raise DatabaseError(f"{broken} rows would refer to rows that are missing")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version + 1}")


def _count_broken_references(connection: sqlite3.Connection) -> int:
    return len(connection.execute("PRAGMA foreign_key_check").fetchall())


def execute_script(connection: sqlite3.Connection, script: str) -> None:
    """Execute the statements of a script (`executescript` would commit the open transaction)."""
    lines = list[str]()
    for line in script.splitlines():
        lines.append(line)
        statement = "\n".join(lines)
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            lines.clear()


def read_script(name: str) -> str:
    """The text of an SQL file of this folder."""
    from importlib.resources import files  # needed once in the life of a file

    return files("scenemem.store.sqlite").joinpath(name).read_text("utf-8")


# -- the steps there are ---------------------------------------------------------------------------


def _todays_script() -> str:
    return read_script("schema.sql")


def _from_the_article(connection: sqlite3.Connection) -> None:
    from scenemem.store.sqlite.steps.from_the_article import bring_on

    bring_on(connection)


_STEPS: tuple[Step, ...] = (_from_the_article,)

TODAYS = Schema(_todays_script, _STEPS)
