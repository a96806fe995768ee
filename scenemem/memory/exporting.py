"""Export: everything in a memory as plain JSON values, in a form that can be read back.

Messages come as OpenAI-style messages with their session, id and time, and what was written down
(facts, notes, globals, counters) with its `kind`: `scenemem ingest` reads both back. Summaries,
scenes and cells follow, to be read; they are made anew from the messages. What looks like a key or
a password is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenemem.base.records import Message
from scenemem.base.secrets import WITHHELD, is_secret, redacted_call, without_secrets
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recollection import cell_as_dict

__all__ = ["export_lines"]

_PAGE = 1000


def export_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    """One value a message, summary, fact, note, counter, scene and cell (superseded ones too), in a
    stable order."""
    yield from (_message_line(message) for message in _all_messages(db))
    yield from _notebook_lines(db)
    for scene in sorted(db.scenes.list_scenes(), key=lambda s: s.scene):
        yield {
            "kind": "scene",
            "scene": scene.scene,
            "summary": scene.summary,
            "aliases": list(scene.aliases),
        }
    after = 0
    while cells := db.cells.list_cells(after=after, superseded=True, limit=_PAGE):
        yield from (cell_as_dict(cell) for cell in cells)
        after = cells[-1].id


def _all_messages(db: MemoryDB) -> Iterator[Message]:
    after = 0
    while messages := db.sessions.list_messages(after=after, limit=_PAGE):
        yield from messages
        after = messages[-1].id


def _notebook_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    notebook = db.notebook
    for session in sorted(db.sessions.list_sessions(), key=lambda s: s.created_at):
        if session.summary:
            yield {"kind": "summary", "session": session.session, "summary": session.summary}
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


def _message_line(message: Message) -> dict[str, Any]:
    line: dict[str, Any] = {
        "kind": "message",
        "session": message.session,
        "id": message.external_id or f"m{message.id}",
        "at": message.at.isoformat(),
        "role": message.role,
        "content": without_secrets(message.content),
    }
    optional = {
        "name": message.name,
        "tool_calls": [redacted_call(call) for call in message.tool_calls] or None,
        "tool_call_id": message.tool_call_id,
        "echo": message.echo,
    }
    return line | {key: value for key, value in optional.items() if value}
