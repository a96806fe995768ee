"""What is written down outside of a conversation, as cells, so that recall finds it.

Whoever says "remember that …" in a conversation has said it in a message, and the message is
recalled. What is saved from the command line was said in no message: it becomes a cell without a
source, in the scene "Notebook". One key has one cell in force: a new value supersedes the old one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from scenemem.base.records import Cell, CellDraft
from scenemem.base.secrets import is_secret, without_secrets
from scenemem.base.text import clean
from scenemem.memory.memory_db import MemoryDB

__all__ = [
    "NOTEBOOK_SCENE",
    "SHARED_SESSION",
    "cells_telling",
    "fact_text",
    "fact_texts",
    "note_texts",
    "tell",
    "withdraw",
]

NOTEBOOK_SCENE = "Notebook"
SHARED_SESSION = "cli"  # what is written down for it, outside of a conversation, is for all
_SALIENCE = 0.8  # somebody took the trouble of writing it down


def fact_text(key: str, value: Any) -> str | None:
    """A fact as the content of its cell; None for a secret, which no cell may tell."""
    if is_secret(key, value):
        return None
    shown = (
        value if isinstance(value, str) and value.strip() else json.dumps(value, ensure_ascii=False)
    )
    return _stored(f"{key}: {shown}")


def fact_texts(db: MemoryDB, key: str) -> set[str]:
    """All that the notebook holds under a key for all sessions, as contents of cells."""
    key = clean(key)
    facts = db.notebook.list_facts(SHARED_SESSION)
    values = [fact.value for fact in facts if fact.key == key]
    values += [value for name, value in db.notebook.list_globals().items() if name == key]
    return {text for value in values if (text := fact_text(key, value))}


def note_texts(db: MemoryDB) -> set[str]:
    """The notes that are for all sessions, as contents of cells."""
    return {_stored(note.note) for note in db.notebook.list_notes(SHARED_SESSION)}


def tell(db: MemoryDB, text: str, *, instead_of: Collection[str] = ()) -> None:
    """Store a cell of this content, in the place of those of the other contents."""
    text = _stored(text)
    old = [c.id for c in _in_force(db) if c.content in instead_of and c.content != text]
    draft = CellDraft(text, NOTEBOOK_SCENE, salience=_SALIENCE, supersedes=tuple(old))
    db.cells.insert_cell(draft)


def withdraw(db: MemoryDB, texts: Iterable[str], *, still_told: Collection[str] = ()) -> None:
    """Take the cells of these contents out of the memory, and what they superseded."""
    if gone := cells_telling(db, texts, still_told=still_told):
        db.cells.delete_cells(gone)


def cells_telling(
    db: MemoryDB, texts: Iterable[str], *, still_told: Collection[str] = ()
) -> list[int]:
    """The cells that were written down with these contents, and all that they superseded.

    What another entry of the notebook has `still_told` is left out.
    """
    cells = _written(db)
    wanted = {_stored(text) for text in texts} - set(still_told)
    meant = {cell.id for cell in cells if cell.content in wanted}
    for cell in reversed(cells):  # a cell is superseded by a later one
        if cell.superseded_by in meant and cell.content not in still_told:
            meant.add(cell.id)
    return sorted(meant)


def _written(db: MemoryDB) -> list[Cell]:
    """All cells of the notebook's scene that came from no message, oldest first."""
    if db.scenes.resolve_scene(NOTEBOOK_SCENE) is None:
        return []
    cells = db.cells.list_cells(scene=NOTEBOOK_SCENE, superseded=True)
    return [cell for cell in cells if cell.source is None]


def _in_force(db: MemoryDB) -> list[Cell]:
    return [cell for cell in _written(db) if cell.superseded_by is None]


def _stored(text: str) -> str:
    """The text as the store keeps the content of a cell."""
    return without_secrets(clean(text)).strip()
