"""Store: all tables of one memory file, as one object.

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

__all__ = ["Store"]


class Store(CellTable):
    """The tables of the memory file at `path`; `MemoryDB` adds what stands above them."""

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
        return f"{type(self).__name__}({self.database.file!r})"
