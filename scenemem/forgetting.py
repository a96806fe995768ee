"""Forgetting: cells leave the memory with the words that they came from.

Not only the cells go: every message that told them is blanked, and so are replies and tool results
that quoted them; session summaries that cover such a message are taken back, to be made anew;
what the change log quoted is blanked; and the words leave the full-text index and the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemem.errors import NotFoundError
from scenemem.memory_db import MemoryDB
from scenemem.outcomes import Forgotten
from scenemem.records import Cell

__all__ = ["forget_cells"]


def forget_cells(
    db: MemoryDB, ids: Sequence[int], *, actor: str, turn: int | None = None
) -> Forgotten:
    """Remove the cells of these ids in one transaction, then scrub the file.

    The summaries of their scenes are due afterwards. Raises `NotFoundError` for an unknown id;
    nothing is removed then.
    """
    held = db.get_cells(ids)
    missing = [number for number in ids if number not in held]
    if missing:
        raise NotFoundError(f"there is no cell {missing[0]}; `scenemem cells` lists them")
    with db.database.transaction():
        told_again = db.told_in(ids)
        removed = db.delete_cells(ids)
        quoted = db.sessions.echoes_of(cell.content for cell in removed)
        told_in = {*told_again, *quoted, *_sources(removed)}
        blanked = db.sessions.redact_messages(told_in)
        sessions = db.sessions.drop_summaries(sorted(told_in))
        db.blank_changes(f"session {session}" for session in sessions)
        for cell in removed:
            db.log_change(actor, "forget", f"cell {cell.id}", turn=turn)
    db.database.scrub()
    return Forgotten(tuple(removed), blanked)


def _sources(cells: Sequence[Cell]) -> Iterator[int]:
    for cell in cells:
        if cell.source:
            yield from range(cell.source.first, cell.source.last + 1)
