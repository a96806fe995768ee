"""What lies in a memory's SQLite file, for tests that look behind the store's door."""

from __future__ import annotations

from scenemem.memory.memory_db import MemoryDB
from scenemem.store.sqlite.database import Database
from scenemem.store.sqlite.store import SQLiteStore


def sqlite_of(db: MemoryDB) -> Database:
    """The SQLite database of a memory."""
    assert isinstance(db.store, SQLiteStore)
    return db.store.database
