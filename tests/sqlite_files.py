"""What lies in a memory's SQLite file, for tests that look behind the store's door."""

from __future__ import annotations

from scenemem.memory.memory_db import MemoryDB
from scenemem.store.sqlite.database import Database
from scenemem.store.sqlite.store import SQLiteStore


def sqlite_of(db: MemoryDB) -> Database:
    """The SQLite database of a memory."""
    assert isinstance(db.store, SQLiteStore)
    return db.store.database


def leave_room(db: MemoryDB, *, pages: int) -> None:
    """Let a file grow by so many pages and no more, as on a disk that is nearly full."""
    with sqlite_of(db).reading() as connection:
        (held,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {held + pages}")
