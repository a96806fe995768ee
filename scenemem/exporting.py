"""Export: everything in a memory as plain JSON values, in a form that can be read back.

Messages come as OpenAI-style messages with their session, id and time, which `scenemem ingest`
reads; scenes and cells follow, marked by their `kind` (reading the messages back makes them
anew). What looks like a key or a password is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenemem.memory_db import MemoryDB
from scenemem.recollection import cell_as_dict
from scenemem.records import Message
from scenemem.redaction import without_secrets

__all__ = ["export_lines"]

_PAGE = 1000


def export_lines(db: MemoryDB) -> Iterator[dict[str, Any]]:
    """One value a message, scene and cell (superseded ones too), in a stable order."""
    yield from (_message_line(message) for message in _all_messages(db))
    for scene in sorted(db.list_scenes(), key=lambda s: s.scene):
        yield {
            "kind": "scene",
            "scene": scene.scene,
            "summary": scene.summary,
            "aliases": list(scene.aliases),
        }
    after = 0
    while cells := db.list_cells(after=after, superseded=True, limit=_PAGE):
        yield from (cell_as_dict(cell) for cell in cells)
        after = cells[-1].id


def _all_messages(db: MemoryDB) -> Iterator[Message]:
    after = 0
    while messages := db.sessions.list_messages(after=after, limit=_PAGE):
        yield from messages
        after = messages[-1].id


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
        "tool_calls": list(message.tool_calls) or None,
        "tool_call_id": message.tool_call_id,
        "echo": message.echo,
    }
    return line | {key: value for key, value in optional.items() if value}
