"""Forgetting: cells leave the memory with the words that they came from.

Not only the cells go: every message that told them is blanked, and so are replies and tool results
that quoted them; session summaries that cover such a message are taken back, to be made anew; a
scene whose name tells what only they said gets another; what the change log quoted is blanked; and
the words leave the full-text index and the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scenemem.errors import NotFoundError
from scenemem.memory_db import MemoryDB
from scenemem.outcomes import Forgotten
from scenemem.records import Cell
from scenemem.text import fold, words

__all__ = ["forget_cells"]

_LOOKED_AT = 500  # cells of a scene that its new name is chosen from


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
        for scene in sorted({cell.scene for cell in removed}):
            _rename(db, scene, removed, actor)
    db.database.scrub()
    return Forgotten(tuple(removed), blanked)


def _rename(db: MemoryDB, scene: str, removed: Sequence[Cell], actor: str) -> None:
    """Give a scene another name where its name tells what only the removed cells said.

    A name that a caller gave stays.
    """
    held = db.get_scene(scene)
    if held is None or not db.is_extracted(scene):
        return
    left = db.list_cells(scene=scene, superseded=True, limit=_LOOKED_AT)
    still_told = _words_of(cell.content for cell in left)
    gone = _words_of(cell.content for cell in removed) - still_told
    if not _words_of([scene]) & gone:
        return
    from scenemem.embedded.naming import name_for

    def is_refused(name: str) -> bool:
        return bool(_words_of([name]) & gone) or db.resolve_scene(name) is not None

    name = name_for([cell.content for cell in left], None, set(), is_refused)
    if is_refused(name):
        name = f"Scene of cell {left[0].id}"
    db.rename_scene(scene, name, actor=actor, keep_alias=False)


def _words_of(texts: Iterable[str]) -> set[str]:
    return {fold(word).removesuffix("'s").removesuffix("s") for t in texts for word in words(t)}


def _sources(cells: Sequence[Cell]) -> Iterator[int]:
    for cell in cells:
        if cell.source:
            yield from range(cell.source.first, cell.source.last + 1)
