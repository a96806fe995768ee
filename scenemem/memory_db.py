"""MemoryDB: the memory of one agent, in one SQLite file: its tables, and recall from them."""

from __future__ import annotations

from scenemem.errors import DatabaseError
from scenemem.recollection import recall_cells
from scenemem.records import Cell
from scenemem.store import Store

__all__ = ["MemoryDB"]


class MemoryDB(Store):
    """The memory of one agent, in the file at `path` (created when missing), or ":memory:".

    `read_only` never writes; `synchronous="NORMAL"` trades the last commits at a power loss for
    speed. Raises `DatabaseError` or `SchemaVersionError` when the file can't be used. Use it as
    a context manager, or call `close()`; the one file then holds everything. Threads and processes
    may share it. Scenes, cells and the log are methods of its own; messages are `sessions`.
    """

    def retrieve_scene_context(self, query: str, limit: int = 6) -> list[Cell]:
        """The cells that bear on `query`, best first, at most `limit`; each knows its scene.

        Empty when none does; `recall` has the messages, the summaries and the reasons too.
        """
        return recall_cells(self, query, limit)

    def _repr_html_(self) -> str:
        from scenemem.display import unreadable_html  # only notebooks ask

        try:
            return self._shown()
        except DatabaseError as error:  # a notebook would show where it was raised, line by line
            return unreadable_html(self.path.name, f"{error}")

    def _shown(self) -> str:
        from scenemem.display import SCENES_SHOWN, Counts, memory_html

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
