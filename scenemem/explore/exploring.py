"""`explore(db)`: the explorer of a memory, for JupyterLab and whatever else shows widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenemem.explore.extra import needed
from scenemem.memory.memory_db import MemoryDB

if TYPE_CHECKING:
    from scenemem.explore.widget import Explorer

__all__ = ["explore"]


def explore(db: MemoryDB, query: str = "") -> Explorer:
    """A query box with live recall over `db`, filters by type, scene and time, and the messages
    behind whatever is clicked. `query` is asked at once."""
    needed("anywidget")
    from scenemem.explore.widget import Explorer

    return Explorer(db, query)
