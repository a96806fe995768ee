"""MemorySearch: what an engine may ask of the memory while it extracts, over a memory file."""

from __future__ import annotations

from collections.abc import Sequence

from scenemem.base.records import Cell, Scene
from scenemem.retrieval.recall import recall_cells
from scenemem.store.protocol import Store

__all__ = ["MemorySearch"]


class MemorySearch:
    """`engine.MemoryView` over a memory file; messages take no part in it."""

    def __init__(self, db: Store) -> None:
        self._db = db

    def related_cells(self, text: str, limit: int = 10) -> list[Cell]:
        """The cells in force that match `text` best, best first."""
        return list(recall_cells(self._db, text, limit))

    def related_scenes(self, text: str, limit: int = 8) -> list[Scene]:
        """The scenes whose cells match `text` best, best first."""
        cells = recall_cells(self._db, text, 4 * limit)
        names = list(dict.fromkeys(cell.scene for cell in cells))
        return self._db.scenes.get_scenes(names[:limit])

    def cells_from(self, messages: Sequence[int]) -> list[Cell]:
        """The cells that are already stored from these messages, oldest first."""
        return self._db.cells.cells_from(messages)

    def recent_cells(self, limit: int) -> list[Cell]:
        """The newest cells in force, at most `limit`, oldest first."""
        return self._db.cells.list_cells(order="newest", limit=limit)[::-1]

    def cells_after(self, cell_id: int, limit: int) -> list[Cell]:
        """Up to `limit` cells in force with ids above `cell_id`, oldest first."""
        return self._db.cells.list_cells(after=cell_id, limit=limit)
