"""StoredEvidence: what ranking reads of a memory file, narrowed to the scope of one recall.

The hot path of recall: postings of the full-text indexes with their bm25, and the few columns that
ranking weighs, for messages and cells alike. All SQL of recall stands here; ranking sees ids,
numbers and `Item`s only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from scenemem.database import id_list
from scenemem.ranking import Item, Kind
from scenemem.records import CellType, stamp, unstamp
from scenemem.store import Store
from scenemem.text import clean

__all__ = ["Scope", "StoredEvidence"]

_ITEM_OF = {
    "cell": (
        "SELECT 'cell', c.id, c.content, c.created_at, c.speaker, NULL, c.source_first, c.scene, "
        "c.salience, c.recalls, c.occurred_at, c.occurred_until FROM mem_cells AS c "
    ),
    "message": (
        "SELECT 'message', m.id, coalesce(m.redacted, m.content), m.at, m.name, m.role, NULL, "
        "NULL, 0.0, 0, NULL, NULL FROM messages AS m "
    ),
}
_INDEX = {"cell": "mem_cells_fts", "message": "messages_fts"}
_TABLE = {"cell": "mem_cells AS c ON c.id", "message": "messages AS m ON m.id"}


class Scope(NamedTuple):
    """What one recall looks at. `since` and `until` bound when it was said, until being excluded;
    `as_of` looks at the memory as it was then; `without_turn` passes over one turn's messages.
    """

    scene: str | None = None
    cell_type: CellType | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    without_turn: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing narrows it but a turn that is passed over."""
        return not any(
            (self.scene, self.cell_type, self.session, self.since, self.until, self.as_of)
        )


class StoredEvidence:
    """The evidence in one memory file, for one recall; to be used inside one `reading()`."""

    def __init__(self, db: Store, connection: sqlite3.Connection, scope: Scope) -> None:
        self._db = db
        self._connection = connection
        self._scope = scope
        self._conditions = {"cell": self._cell_condition(), "message": self._message_condition()}

    # -- what ranking asks -------------------------------------------------------------------

    def size(self, kind: Kind) -> int:
        """How many rows the index has, from the one record in which FTS5 keeps its totals."""
        block = self._connection.execute(
            f"SELECT block FROM {_INDEX[kind]}_data WHERE id = 1"
        ).fetchone()
        return next(_varints(block[0]), 0) if block else 0

    def rows(self, kind: Kind, expression: str, limit: int | None = None) -> list[int]:
        """Ids that match: all in ascending order, or the newest `limit`, newest first.

        Where the scope is narrow they are in it. In the open scope, what little is out of it is
        left to `cells` and `messages`: a join for every row would nearly double the cost.
        """
        index, (condition, conditions) = _INDEX[kind], self._conditions[kind]
        query = f"SELECT f.rowid FROM {index} AS f "
        values: list[Any] = [expression]
        if self._scope.is_open:
            query += f"WHERE {index} MATCH ?"
        else:
            query += f"JOIN {_TABLE[kind]} = f.rowid WHERE {index} MATCH ? AND {condition}"
            values += conditions
        if limit is not None:
            query += " ORDER BY f.rowid DESC LIMIT ?"
            values.append(limit)
        return [row for (row,) in self._connection.execute(query, values)]

    def told_of(self, first: date, last: date, most: int) -> list[int]:
        """The messages whose cells speak of these days, and not of much more, newest first."""
        condition, values = self._conditions["cell"]
        days = (last - first).days + 1
        return [
            row[0]
            for row in self._connection.execute(
                "SELECT DISTINCT c.source_first FROM mem_cells AS c WHERE c.occurred_at <= ? "
                "AND c.occurred_at >= ? AND coalesce(c.occurred_until, c.occurred_at) >= ? "
                "AND julianday(coalesce(c.occurred_until, c.occurred_at)) "
                "- julianday(c.occurred_at) <= ? AND c.source_first IS NOT NULL "
                f"AND {condition} ORDER BY c.source_first DESC LIMIT ?",
                (
                    last.isoformat(),
                    _before(first, 400).isoformat(),
                    first.isoformat(),
                    2 * days + 7,
                    *values,
                    most,
                ),
            )
        ]

    def count(self, kind: Kind, expression: str, cap: int) -> tuple[int, int]:
        """How many rows match, at most `cap` of the newest, and the lowest id among them.

        With a `cap` that no count can reach all are counted, which is cheaper, and the id is 0.
        """
        index = _INDEX[kind]
        if cap >= self.size(kind):
            (count,) = self._connection.execute(
                f"SELECT count(*) FROM {index} WHERE {index} MATCH ?", (expression,)
            ).fetchone()
            return count, 0
        found: tuple[int, int | None] = self._connection.execute(
            f"SELECT count(*), min(rowid) FROM (SELECT rowid FROM {index} WHERE {index} MATCH ? "
            "ORDER BY rowid DESC LIMIT ?)",
            (expression, cap),
        ).fetchone()
        return found[0], found[1] or 0

    def messages(self, ids: Iterable[int]) -> list[Item]:
        """The messages of these ids that are in scope."""
        return self._items("message", "m.id IN (SELECT value FROM json_each(?))", ids)

    def cells(self, ids: Iterable[int]) -> list[Item]:
        """The cells of these ids that are in scope."""
        return self._items("cell", "c.id IN (SELECT value FROM json_each(?))", ids)

    def cells_of(self, message_ids: Iterable[int]) -> list[Item]:
        """The cells in scope that came from these messages."""
        which = "c.source_first IN (SELECT value FROM json_each(?))"
        return self._items("cell", which, message_ids)

    def extracted(self, message_ids: Iterable[int]) -> set[int]:
        """Those of these messages that any cell came from, in scope or not."""
        return {
            row[0]
            for row in self._connection.execute(
                "SELECT source_first FROM mem_cells "
                "WHERE source_first IN (SELECT value FROM json_each(?1)) UNION "
                "SELECT message FROM cell_tellings "
                "WHERE message IN (SELECT value FROM json_each(?1))",
                (id_list(message_ids),),
            )
        }

    def said_between(self, first: date, last: date) -> list[tuple[int, int]]:
        """The messages said on these days, as ranges of ids within a session."""
        return self._connection.execute(
            "SELECT min(id), max(id) FROM messages WHERE at >= ? AND at < ? GROUP BY id >> 24",
            (first.isoformat(), _after(last).isoformat()),
        ).fetchall()

    # -- scope -------------------------------------------------------------------------------

    def _cell_condition(self) -> tuple[str, list[Any]]:
        scope = self._scope
        where, values = self._said("c.created_at", "c.source_first")
        if scope.as_of is None:
            where.append("c.superseded_by IS NULL")
        else:
            where.append("(c.valid_to IS NULL OR c.valid_to > ?)")
            values.append(stamp(scope.as_of))
        named = (("c.scene = ?", scope.scene), ("c.cell_type = ?", scope.cell_type))
        for condition, value in named:
            if value is not None:
                where.append(condition)
                values.append(value)
        return " AND ".join(where), values

    def _message_condition(self) -> tuple[str, list[Any]]:
        scope = self._scope
        if scope.scene is not None or scope.cell_type is not None:
            return "0", []  # a message belongs to a scene, and has a type, only as a cell
        where, values = self._said("m.at", "m.id")
        where.append("m.echo = 0 AND m.role IN ('user', 'assistant')")
        if scope.without_turn is not None:
            where.append("m.turn <> ?")
            values.append(scope.without_turn)
        return " AND ".join(where), values

    def _said(self, at: str, message: str) -> tuple[list[str], list[Any]]:
        scope = self._scope
        where, values = list[str](), list[Any]()
        for condition, instant in (
            (f"{at} >= ?", scope.since),
            (f"{at} < ?", scope.until),
            (f"{at} <= ?", scope.as_of),
        ):
            if instant is not None:
                where.append(condition)
                values.append(stamp(instant))
        if scope.session is not None:
            where.append(f"{message} >> 24 = (SELECT number FROM sessions WHERE session = ?)")
            values.append(clean(scope.session))
        return where, values

    def _items(self, kind: Kind, which: str, ids: Iterable[int]) -> list[Item]:
        condition, values = self._conditions[kind]
        rows = self._connection.execute(
            f"{_ITEM_OF[kind]} WHERE {which} AND {condition}", [id_list(ids), *values]
        )
        day = date.fromisoformat
        return [
            Item(
                kind,
                row[1],
                row[2],
                unstamp(row[3]),
                row[4],
                row[5],
                row[6],
                row[7],
                row[8],
                row[9],
                row[10] and day(row[10]),
                row[11] and day(row[11]),
            )
            for row in rows
        ]


def _varints(blob: bytes) -> Iterator[int]:
    """The numbers in a record of SQLite's: seven bits a byte, the high bit while one goes on."""
    number = 0
    for byte in blob:
        number = number << 7 | byte & 127
        if byte < 128:
            yield number
            number = 0


def _before(day: date, days: int) -> date:
    return day - timedelta(days=days) if day.toordinal() > days else date.min


def _after(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day
