"""SQLiteStore: one memory file as a store, composed of its groups of tables.

Each group loads when it is first asked for: a recall needs few of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from scenemem.store.sqlite.cells import SQLiteCells
from scenemem.store.sqlite.database import Database
from scenemem.store.sqlite.log import SQLiteLog
from scenemem.store.sqlite.migrations import TODAYS, Schema
from scenemem.store.sqlite.scenes import SQLiteScenes

if TYPE_CHECKING:
    from pathlib import Path

    from scenemem.store.evidence import Scope
    from scenemem.store.sqlite.evidence import SQLiteEvidence
    from scenemem.store.sqlite.notebook import SQLiteNotebook
    from scenemem.store.sqlite.sessions import SQLiteSessions
    from scenemem.store.sqlite.vectors import SQLiteVectors

__all__ = ["SQLiteStore"]


class SQLiteStore:
    """The store in the SQLite file at `path` (created when missing), or ":memory:".

    `read_only` never writes; `synchronous="NORMAL"` trades the last commits at a power loss for
    speed; `schema` is what an older file is brought to. Raises `DatabaseError` or
    `SchemaVersionError` when the file can't be used.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        schema: Schema = TODAYS,
    ) -> None:
        self.database = Database(path, read_only=read_only, synchronous=synchronous, schema=schema)
        self.log = SQLiteLog(self.database)
        self.scenes = SQLiteScenes(self.database, self.log)
        self.cells = SQLiteCells(self.database, self.scenes, self.log)

    @cached_property
    def sessions(self) -> SQLiteSessions:
        from scenemem.store.sqlite.sessions import SQLiteSessions

        return SQLiteSessions(self.database)

    @cached_property
    def notebook(self) -> SQLiteNotebook:
        from scenemem.store.sqlite.notebook import SQLiteNotebook

        return SQLiteNotebook(self.database)

    @cached_property
    def vectors(self) -> SQLiteVectors:
        from scenemem.store.sqlite.vectors import SQLiteVectors

        return SQLiteVectors(self.database)

    # -- using it ----------------------------------------------------------------------------

    def evidence(self, scope: Scope) -> SQLiteEvidence:
        from scenemem.store.sqlite.evidence import SQLiteEvidence

        return SQLiteEvidence(self.database.held_connection(), scope)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self.database.transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self.database.snapshot():
            yield

    @property
    def in_transaction(self) -> bool:
        return self.database.in_transaction

    # -- the whole file ----------------------------------------------------------------------

    @property
    def location(self) -> str:
        return self.database.file

    @property
    def path(self) -> Path:
        return self.database.path

    @property
    def read_only(self) -> bool:
        return self.database.read_only

    def backup(self, destination: str | Path) -> Path:
        return self.database.backup(destination)

    def check(self) -> list[str]:
        return self.database.check()

    def rebuild_index(self) -> None:
        self.database.rebuild_index()

    def merge_index(self) -> None:
        self.database.merge_index()

    def scrub(self) -> None:
        self.database.scrub()

    def close(self) -> None:
        self.database.close()
