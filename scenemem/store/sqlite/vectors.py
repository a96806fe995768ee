"""SQLiteVectors: the vectors of messages in a memory file.

A vector is of the text that all but the history see, and goes with that text: a trigger takes it
away when the message is forgotten or withheld. What is never recalled (tool results, echoes) gets
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scenemem.base.checks import ids_given, int_given, str_given
from scenemem.store.protocol import Vectors
from scenemem.store.records import Kept, Spoken
from scenemem.store.sqlite.database import Database, id_list

__all__ = ["SQLiteVectors"]

_WAITING = (
    "FROM messages AS m WHERE m.id IN (SELECT n.id FROM messages AS n WHERE NOT EXISTS ("
    "SELECT 1 FROM message_vectors AS v WHERE v.message = n.id AND v.embedder = "
    "(SELECT id FROM embedders WHERE name = ?)) AND n.turn > ?) "
    "AND m.role IN ('user', 'assistant') AND m.echo = 0 AND coalesce(m.redacted, m.content) <> ''"
)
_VECTORS = (
    "SELECT message, vector FROM message_vectors "
    "WHERE embedder = (SELECT id FROM embedders WHERE name = ?)"
)


class SQLiteVectors(Vectors):
    """The vectors of one memory file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def last_turn(self) -> int:
        with self._database.reading() as connection:
            (turn,) = connection.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()
        return int(turn)

    def waiting(self, embedder: str, limit: int | None = None, after_turn: int = 0) -> list[int]:
        str_given("embedder", embedder)
        if limit is not None:
            int_given("limit", limit)
        int_given("after_turn", after_turn)
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT m.id {_WAITING} ORDER BY m.id LIMIT ?",
                (embedder, after_turn, -1 if limit is None else limit),
            )
            return [row for (row,) in rows]

    def count_waiting(self, embedder: str) -> int:
        str_given("embedder", embedder)
        with self._database.reading() as connection:
            (count,) = connection.execute(f"SELECT count(*) {_WAITING}", (embedder, 0)).fetchone()
        return int(count)

    def spoken(self, messages: Iterable[int]) -> list[Spoken]:
        messages = ids_given("messages", messages)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT m.id, m.name, coalesce(m.redacted, m.content) FROM messages AS m "
                "WHERE m.id IN (SELECT value FROM json_each(?)) "
                "AND coalesce(m.redacted, m.content) <> ''",
                (id_list(messages),),
            )
            return [Spoken._make(row) for row in rows]

    def insert_vectors(
        self,
        embedder: str,
        messages: Sequence[Spoken],
        vectors: Iterable[bytes],
        dimensions: int,
    ) -> None:
        str_given("embedder", embedder)
        int_given("dimensions", dimensions, 1)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO embedders (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (embedder, dimensions),
            )
            number, length, added = connection.execute(
                "SELECT id, dimensions, added FROM embedders WHERE name = ?", (embedder,)
            ).fetchone()
            if length != dimensions:
                raise ValueError(
                    f"it gave vectors of {dimensions} numbers, and those in the memory have "
                    f"{length}: another model needs another name"
                )
            for message, vector in zip(messages, vectors, strict=True):
                connection.execute("DELETE FROM message_vectors WHERE message = ?", (message.id,))
                added += connection.execute(
                    "INSERT INTO message_vectors (message, embedder, number, vector) "
                    "SELECT id, ?, ?, ? FROM messages "
                    "WHERE id = ? AND coalesce(redacted, content) = ?",
                    (number, added + 1, vector, message.id, message.text),
                ).rowcount
            connection.execute("UPDATE embedders SET added = ? WHERE id = ?", (added, number))

    def kept(self, embedder: str) -> Kept | None:
        str_given("embedder", embedder)
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT dimensions, added, removed FROM embedders WHERE name = ?", (embedder,)
            ).fetchone()
        return Kept._make(row) if row else None

    def added_after(self, embedder: str, number: int) -> list[tuple[int, bytes]]:
        str_given("embedder", embedder)
        int_given("number", number)
        with self._database.reading() as connection:
            return connection.execute(f"{_VECTORS} AND number > ?", (embedder, number)).fetchall()

    def of_messages(self, embedder: str, messages: Iterable[int]) -> list[tuple[int, bytes]]:
        str_given("embedder", embedder)
        messages = ids_given("messages", messages)
        with self._database.reading() as connection:
            return connection.execute(
                f"{_VECTORS} AND message IN (SELECT value FROM json_each(?))",
                (embedder, id_list(messages)),
            ).fetchall()
