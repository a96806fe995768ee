"""Store: all tables of one memory file, as one object.

Scenes, cells and the change log are its own tables (`scene_table`, `cell_table`, `change_log`);
`sessions` holds the verbatim messages and the queue of extraction in the same file. Threads and
processes may share it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scenemem.store.cell_table import CellTable

if TYPE_CHECKING:
    from scenemem.retrieval.message_vectors import MessageVectors
    from scenemem.store.sessions import SessionStore

__all__ = ["Store"]


class Store(CellTable):
    """The tables of the memory file at `path`; `MemoryDB` adds what stands above them.

    `vectors` are those of its embedder; None where it has none, and recall goes by words alone.
    """

    vectors: MessageVectors | None = None

    @cached_property
    def sessions(self) -> SessionStore:
        """The sessions of the file: messages, turns, notebooks, summaries."""
        from scenemem.store.sessions import SessionStore  # a recall of cells has no need of it

        return SessionStore(self.database)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.database.file!r})"
