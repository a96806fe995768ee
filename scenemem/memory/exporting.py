"""Export: everything that a memory holds, as plain JSON values, in a form that comes back whole.

`scenemem ingest` reads all of it back (`restoring.py`). Ids of messages and cells mean something
only inside one file: a message is known by its session and its `position` there, so a cell's
source and a summary's end are positions. What looks like a key or a password is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenemem.base.records import SESSION_SHIFT, Cell, Message, Scene
from scenemem.base.secrets import WITHHELD, is_secret, redacted_call, without_secrets
from scenemem.base.session_records import Session
from scenemem.memory.importing.format import digest_of
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recollection import cell_as_dict
from scenemem.store.records import PastTurn

__all__ = ["export_lines"]

_PAGE = 1000
_POSITIONS = (1 << SESSION_SHIFT) - 1


def export_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    """Yield a value for each session, message, notebook entry, summary, cell and scene.

    Superseded cells are among them. The order is stable, and such that what a line speaks of comes
    before it, but for the cell that superseded another.
    """
    sessions = sorted(db.sessions.list_sessions(), key=lambda s: s.created_at)
    for session in sessions:
        at = session.created_at.isoformat()
        yield {"kind": "session", "session": session.session, "at": at}
    yield from _message_lines(db)
    yield from _notebook_lines(db)
    for session in sessions:
        if session.summary or session.summarized_through:
            yield _summary_line(db, session)
    after = 0
    while cells := db.cells.list_cells(after=after, superseded=True, limit=_PAGE):
        yield from (_cell_line(db, cell) for cell in cells)
        after = cells[-1].id
    for scene in sorted(db.scenes.list_scenes(), key=lambda s: s.scene):
        yield _scene_line(scene)


def _message_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    after = 0
    while messages := db.sessions.list_messages(after=after, limit=_PAGE):
        turns = db.sessions.get_turns({message.turn for message in messages})
        seen = db.sessions.get_messages([message.id for message in messages], redacted=True)
        for message in messages:
            yield _message_line(message, turns[message.turn], seen[message.id].content)
        after = messages[-1].id


def _message_line(message: Message, turn: PastTurn, seen: str) -> dict[str, Any]:
    """A message, its turn, and what others than its session `seen` of it where that is less."""
    content = without_secrets(message.content)
    line: dict[str, Any] = {
        "kind": "message",
        "session": message.session,
        "id": message.external_id or _made_id(message, content),
        "at": message.at.isoformat(),
        "role": message.role,
        "content": content,
        "position": _position(message.id),
        "turn": turn.number,
        "state": turn.state,
    }
    if message.external_id is None:
        line["number"] = message.id
    optional = {
        "name": message.name,
        "tool_calls": [redacted_call(call) for call in message.tool_calls] or None,
        "tool_call_id": message.tool_call_id,
        "echo": message.echo or None,
        "recallable": None if seen == content else seen,
        "kept": turn.kept,
        "attempts": turn.attempts or None,
        "error": turn.last_error and without_secrets(turn.last_error),
        "turn_id": turn.external_id,
    }
    return line | {key: value for key, value in optional.items() if value is not None}


def _made_id(message: Message, content: str) -> str:
    """An id for a message without one, which no message of another memory is given."""
    told = digest_of(message.role, message.at.isoformat(), content)
    return f"m{message.id}-{told[:12]}"


def _position(message: int) -> int:
    return message & _POSITIONS


def _notebook_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    notebook = db.notebook
    for fact in notebook.list_facts():
        value = _shown_value(fact.key, fact.value)
        line = {"kind": "fact", "session": fact.session, "key": fact.key, "value": value}
        yield line | {"scope": fact.scope, "at": fact.updated_at.isoformat()}
    for note in notebook.list_notes():
        text = without_secrets(note.note)
        yield {"kind": "note", "session": note.session, "note": text, "at": note.at.isoformat()}
    for key, value in notebook.list_globals().items():
        yield {"kind": "global", "key": key, "value": _shown_value(key, value)}
    for name, count in notebook.list_counters().items():
        yield {"kind": "counter", "name": name, "count": count}


def _shown_value(key: str, value: Any) -> Any:
    return WITHHELD if is_secret(key, value) else value


def _summary_line(db: MemoryDB, session: Session) -> dict[str, Any]:
    return {
        "kind": "summary",
        "session": session.session,
        "summary": session.summary,
        "given": db.sessions.given_summary(session.session),
        "through": _position(session.summarized_through),
        "compactions": [
            {
                "at": done.at.isoformat(),
                "through": _position(done.through),
                "messages": done.messages,
                "tokens_before": done.tokens_before,
                "tokens_after": done.tokens_after,
            }
            for done in db.sessions.list_compactions(session.session)
        ],
    }


def _cell_line(db: MemoryDB, cell: Cell) -> dict[str, Any]:
    line = cell_as_dict(cell) | {
        "scene": without_secrets(cell.scene),
        "salience": cell.salience,
        "told": cell.told,
    }
    line["source"] = cell.source and {
        "session": cell.source.session,
        "first": _position(cell.source.first),
        "last": _position(cell.source.last),
    }
    if cell.superseded_by == cell.id:  # an import was stopped before it said by which other
        line["superseded_by"] = None
    elif cell.valid_to is not None:
        line["valid_to"] = cell.valid_to.isoformat()
    if cell.recalls:
        line["recalls"] = cell.recalls
    if cell.told > 1 and (tellings := db.cells.told_in([cell.id])):
        line["tellings"] = _tellings(db, tellings)
    changes = db.log.list_changes(subject=f"cell {cell.id}")
    earlier = {change.before for change in changes if change.action == "update"}
    if before := sorted(text for text in earlier if text and text != cell.content):
        line["before"] = before
    return line


def _tellings(db: MemoryDB, messages: list[int]) -> list[list[Any]]:
    """The messages that told a cell again, each as its session and its position there."""
    held = db.sessions.get_messages(messages)
    return [[held[m].session, _position(m)] for m in sorted(messages) if m in held]


def _scene_line(scene: Scene) -> dict[str, Any]:
    return {
        "kind": "scene",
        "scene": without_secrets(scene.scene),
        "summary": scene.summary,
        "aliases": [without_secrets(alias) for alias in scene.aliases],
        "at": scene.updated_at.isoformat(),
        "watermark": scene.watermark,
        "cells": scene.cells,
        "stale": scene.stale,
    }
