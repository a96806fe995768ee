"""Rows of messages as records, for all that read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from scenemem.base.records import Message, unstamp
from scenemem.store.sqlite.database import id_list

__all__ = ["MESSAGE_ROWS", "REDACTED_ROWS", "as_message", "messages_by_id"]

MESSAGE_ROWS = (
    "SELECT m.id, s.session, m.turn, m.role, m.content, m.at, m.name, m.tool_calls, "
    "m.tool_call_id, m.external_id, m.echo "
    "FROM messages AS m JOIN sessions AS s ON s.number = m.id >> 24 "
)
# The same, without the secrets in them.
REDACTED_ROWS = MESSAGE_ROWS.replace("m.content", "coalesce(m.redacted, m.content)")


def messages_by_id(
    connection: sqlite3.Connection, ids: Iterable[int], rows: str = MESSAGE_ROWS
) -> dict[int, Message]:
    """The messages of these ids that exist, by id."""
    found = connection.execute(
        f"{rows} WHERE m.id IN (SELECT value FROM json_each(?))", (id_list(ids),)
    )
    return {row[0]: as_message(row) for row in found}


def as_message(row: tuple[Any, ...]) -> Message:
    """A row of `MESSAGE_ROWS` as a record."""
    return Message(
        id=row[0],
        session=row[1],
        turn=row[2],
        role=row[3],
        content=row[4],
        at=unstamp(row[5]),
        name=row[6],
        tool_calls=_from_json(row[7]) if row[7] else (),
        tool_call_id=row[8],
        external_id=row[9],
        echo=bool(row[10]),
    )


def _from_json(text: str) -> tuple[dict[str, Any], ...]:
    import json  # a recall seldom meets tool calls, and starts faster without it

    return tuple(json.loads(text))
