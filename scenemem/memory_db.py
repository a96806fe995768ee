"""MemoryDB: the memory of one agent, in one SQLite file.

Scenes, cells and the change log are its own tables (`scene_table`, `cell_table`, `change_log`);
`sessions` holds the verbatim messages and the queue of extraction in the same file. Threads and
processes may share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scenemem.cell_table import CellTable
from scenemem.database import Database
from scenemem.sessions import SessionStore

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MemoryDB"]


class MemoryDB(CellTable):
    """The memory of one agent, in the file at `path` (created when missing), or ":memory:".

    `read_only` never writes; `synchronous="NORMAL"` trades the last commits at a power loss for
    speed. Raises `DatabaseError` or `SchemaVersionError` when the file can't be used. Use it as
    a context manager, or call `close()`; the one file then holds everything.
    """

    def __init__(
        self,
        path: str | Path | Database = ":memory:",
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
    ) -> None:
        super().__init__(path, read_only=read_only, synchronous=synchronous)
        self.sessions = SessionStore(self.database)

    def __repr__(self) -> str:
        return f"MemoryDB({self.database.file!r})"
