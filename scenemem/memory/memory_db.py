"""MemoryDB: the memory of one agent, in one SQLite file: its tables, and recall from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from scenemem.base.checks import required_count
from scenemem.base.errors import DatabaseError
from scenemem.base.records import Cell
from scenemem.retrieval.cell_recall import recall_cells
from scenemem.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from scenemem.retrieval.embedding import Embedder
    from scenemem.store.database import Database

__all__ = ["MemoryDB"]


class MemoryDB(Store):
    """The memory of one agent, in the file at `path` (created when missing), or ":memory:".

    `read_only` never writes; `synchronous="NORMAL"` trades the last commits at a power loss for
    speed. Raises `DatabaseError` or `SchemaVersionError` when the file can't be used. Use it as
    a context manager, or call `close()`; the one file then holds everything. Threads and processes
    may share it. Scenes, cells and the log are methods of its own; messages are `sessions`.

    With an `embedder`, messages that are like a question in meaning are recalled too, for which
    their vectors are kept in the file (`embed_pending`). It needs the extra `dense`: raises
    `MissingExtraError` without it, `TypeError` for what is no `Embedder`.
    """

    def __init__(
        self,
        path: str | Path | Database = ":memory:",
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        embedder: Embedder | None = None,
    ) -> None:
        super().__init__(path, read_only=read_only, synchronous=synchronous)
        if embedder is not None:
            from scenemem.retrieval.message_vectors import MessageVectors  # and with it numpy

            self.vectors = MessageVectors(self.database, embedder)

    def embed_pending(
        self, limit: int | None = None, *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Embed the messages that have no vector yet, at most `limit`; return how many.

        They are stored batch by batch, and `progress` is told the number of each. A
        `MemoryManager` does it with what it takes in. Raises `ModelError` when the embedder fails
        (what was stored by then stays), `ValueError` for a memory without an embedder.
        """
        if self.vectors is None:
            raise ValueError("this memory has no embedder; open it with MemoryDB(path, embedder=…)")
        if limit is not None:
            required_count("limit", limit, 0)
        return self.vectors.embed_waiting(limit, progress)

    def retrieve_scene_context(self, query: str, limit: int = 6) -> list[Cell]:
        """The cells that bear on `query`, best first, at most `limit`; each knows its scene.

        Empty when none does; `recall` has the messages, the summaries and the reasons too.
        """
        return recall_cells(self, query, limit)

    def _repr_html_(self) -> str:
        from scenemem.base.display import unreadable_html  # only notebooks ask

        try:
            return self._shown()
        except DatabaseError as error:  # a notebook would show where it was raised, line by line
            return unreadable_html(self.path.name, f"{error}")

    def _shown(self) -> str:
        from scenemem.base.display import SCENES_SHOWN, Counts, memory_html

        sessions, turns = self.sessions.list_sessions(), self.sessions.count_turns()
        counts = Counts(
            sessions=len(sessions),
            messages=sum(session.messages for session in sessions),
            cells=self.count_cells(),
            superseded=self.count_cells(superseded=True),
            scenes=self.count_scenes(),
            pending=turns["pending"] + turns["open"],
            failed=turns["failed"],
            stale=self.count_scenes(stale=True),
        )
        return memory_html(self.path.name, counts, self.list_scenes(limit=SCENES_SHOWN))
