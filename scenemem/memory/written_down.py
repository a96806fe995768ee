"""What is written down outside of a conversation, as cells, so that recall finds it.

Whoever says "remember that …" in a conversation has said it in a message, and the message is
recalled. What is saved from the command line was said in no message: it becomes a cell without a
source, in the scene "Notebook". One key has one cell in force: a new value supersedes the old one.
Texts are compared as cells are, without case, spaces and punctuation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from scenemem.base.records import Cell, CellDraft
from scenemem.base.secrets import is_secret, without_secrets
from scenemem.base.text import clean, fingerprint
from scenemem.memory.memory_db import MemoryDB

__all__ = [
    "NOTEBOOK_SCENE",
    "SHARED_SESSION",
    "fact_text",
    "fact_texts",
    "let_go",
    "note_texts",
    "tell",
    "withdraw",
]

NOTEBOOK_SCENE = "Notebook"
SHARED_SESSION = "cli"  # what is written down for it, outside of a conversation, is for all
_SALIENCE = 0.8  # somebody took the trouble of writing it down
_WRITTEN = "write down"  # what the change log says of a cell that is an entry's
_MOST_CHANGES = 1_000  # of one cell that are looked through


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


def tell(
    db: MemoryDB,
    text: str,
    *,
    actor: str,
    turn: int | None = None,
    instead_of: Iterable[str] = (),
) -> None:
    """Have a cell tell this text, in the place of those that tell the other texts.

    A cell that has it in another spelling is respelled.
    """
    text = _stored(text)
    told = next((cell for cell in _entries(db, [text]) if cell.superseded_by is None), None)
    if told is None:
        told = db.cells.insert_cell(CellDraft(text, NOTEBOOK_SCENE, salience=_SALIENCE))
        db.log.log_change(actor, _WRITTEN, f"cell {told.id}", turn=turn)
    elif told.content != text:
        db.cells.update_cell(told.id, content=text, actor=actor)
    for cell in _entries(db, instead_of):
        if cell.superseded_by is None and cell.id != told.id:
            db.cells.supersede_cell(cell.id, told.id, actor=actor)


def withdraw(
    db: MemoryDB,
    texts: Iterable[str],
    *,
    still_told: Iterable[str],
    actor: str,
    turn: int | None = None,
) -> None:
    """Take the cells that tell these texts out of the memory, and what they superseded."""
    for cell in db.cells.delete_cells(let_go(db, texts, still_told=still_told)):
        db.log.log_change(actor, "withdraw", f"cell {cell.id}", turn=turn)


def let_go(db: MemoryDB, texts: Iterable[str], *, still_told: Iterable[str]) -> list[int]:
    """The ids of the cells that tell these texts, and of all that they superseded, to be deleted.

    What another entry has `still_told` is left out, and respelled as that one has it.
    """
    kept = {fingerprint(text): text for text in map(_stored, still_told)}
    meant: dict[int, None] = {}
    found = _entries(db, texts)
    while found:
        for cell in found:
            spelling = kept.get(fingerprint(cell.content))
            if spelling is None:
                meant[cell.id] = None
            elif cell.content not in kept.values():
                db.cells.update_cell(cell.id, content=spelling)
                db.log.blank_changes([f"cell {cell.id}"])
        older = db.cells.list_superseded(cell.id for cell in found if cell.id in meant)
        found = [cell for cell in older if cell.id not in meant and _is_entry(db, cell)]
    return sorted(meant)


def _entries(db: MemoryDB, texts: Iterable[str]) -> list[Cell]:
    """The cells with the words of these texts that were written down, superseded ones too."""
    same = db.cells.list_same(map(_stored, texts))
    return [cell for cell in same if _is_entry(db, cell)]


def _is_entry(db: MemoryDB, cell: Cell) -> bool:
    """Whether a cell was written down, wherever it was moved to since.

    The log says so; of a cell that came with an export, its scene.
    """
    if cell.source is not None:
        return False
    if cell.scene == db.scenes.resolve_scene(NOTEBOOK_SCENE):
        return True
    changes = db.log.list_changes(subject=f"cell {cell.id}", limit=_MOST_CHANGES)
    return any(change.action == _WRITTEN for change in changes)


def _stored(text: str) -> str:
    """The text as the store keeps the content of a cell."""
    return without_secrets(clean(text)).strip()
