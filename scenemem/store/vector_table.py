"""VectorTable: the vectors of messages in a memory file, of one embedder; all SQL on them.

A vector is of the text that all but the history see, and goes with that text: a trigger takes it
away when the message is forgotten or withheld. What is never recalled (tool results, echoes) gets
none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scenemem.store.database import Database, id_list

__all__ = ["Kept", "Spoken", "VectorTable"]

_WAITING = (
    "FROM messages AS m WHERE m.id IN (SELECT n.id FROM messages AS n WHERE NOT EXISTS ("
    "SELECT 1 FROM message_vectors AS v WHERE v.message = n.id AND v.embedder = "
    "(SELECT id FROM embedders WHERE name = ?)) AND n.turn > ?) "
    "AND m.role IN ('user', 'assistant') AND m.echo = 0 AND coalesce(m.redacted, m.content) <> ''"
)


class Spoken(NamedTuple):
    """What is embedded of a message."""

    id: int
    speaker: str | None
    text: str

    @property
    def spoken(self) -> str:
        """What is embedded: the text, with the name of a person who says it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class Kept(NamedTuple):
    """What the file holds of one embedder: the length of its vectors, how many came and went."""

    id: int
    dimensions: int
    added: int
    removed: int

    @property
    def held(self) -> int:
        """How many vectors there are."""
        return self.added - self.removed


class VectorTable:
    """The vectors that the embedder of that name made, in one memory file."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    def last_turn(self) -> int:
        """The id of the newest turn."""
        with self._database.reading() as connection:
            (turn,) = connection.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()
        return int(turn)

    def waiting(self, limit: int | None = None, after_turn: int = 0) -> list[int]:
        """The messages, of turns after that one, that have no vector of this embedder."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT m.id {_WAITING} ORDER BY m.id LIMIT ?",
                (self._embedder, after_turn, -1 if limit is None else limit),
            )
            return [row for (row,) in rows]

    def messages(self, ids: Iterable[int]) -> list[Spoken]:
        """What is embedded of those of these messages that still say something."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT m.id, m.name, coalesce(m.redacted, m.content) FROM messages AS m "
                "WHERE m.id IN (SELECT value FROM json_each(?)) "
                "AND coalesce(m.redacted, m.content) <> ''",
                (id_list(ids),),
            )
            return [Spoken._make(row) for row in rows]

    def count_waiting(self) -> int:
        """How many messages have no vector of this embedder."""
        with self._database.reading() as connection:
            (count,) = connection.execute(
                f"SELECT count(*) {_WAITING}", (self._embedder, 0)
            ).fetchone()
        return int(count)

    def insert(self, messages: Sequence[Spoken], vectors: Iterable[bytes], dimensions: int) -> None:
        """Store a vector for each message whose text is still the same, in one transaction.

        One of another embedder is replaced. Raises `ValueError` when the vectors of this embedder
        have another length.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO embedders (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (self._embedder, dimensions),
            )
            kept = self.kept(connection)
            assert kept is not None
            if kept.dimensions != dimensions:
                raise ValueError(
                    f"it gave vectors of {dimensions} numbers, and those in the memory have "
                    f"{kept.dimensions}: another model needs another name"
                )
            added = kept.added
            for message, vector in zip(messages, vectors, strict=True):
                connection.execute("DELETE FROM message_vectors WHERE message = ?", (message.id,))
                added += connection.execute(
                    "INSERT INTO message_vectors (message, embedder, number, vector) "
                    "SELECT id, ?, ?, ? FROM messages "
                    "WHERE id = ? AND coalesce(redacted, content) = ?",
                    (kept.id, added + 1, vector, message.id, message.text),
                ).rowcount
            connection.execute("UPDATE embedders SET added = ? WHERE id = ?", (added, kept.id))

    def kept(self, connection: sqlite3.Connection) -> Kept | None:
        """What there is of this embedder; None when it never made a vector here."""
        row = connection.execute(
            "SELECT id, dimensions, added, removed FROM embedders WHERE name = ?",
            (self._embedder,),
        ).fetchone()
        return Kept._make(row) if row else None

    def added_after(
        self, connection: sqlite3.Connection, embedder: int, number: int
    ) -> list[tuple[int, bytes]]:
        """The messages whose vectors came after the first `number` ones, with these."""
        return connection.execute(
            "SELECT message, vector FROM message_vectors WHERE embedder = ? AND number > ?",
            (embedder, number),
        ).fetchall()

    def of_messages(
        self, connection: sqlite3.Connection, embedder: int, messages: Iterable[int]
    ) -> list[tuple[int, bytes]]:
        """Those of these messages that have a vector, with it."""
        return connection.execute(
            "SELECT message, vector FROM message_vectors WHERE embedder = ? "
            "AND message IN (SELECT value FROM json_each(?))",
            (embedder, id_list(messages)),
        ).fetchall()
