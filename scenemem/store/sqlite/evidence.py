"""SQLiteEvidence: what ranking reads of a memory file, narrowed to the scope of one recall.

The hot path of recall: the rows that the full-text indexes hold terms in, and the few columns that
ranking weighs, for messages and cells alike. All SQL of recall stands here; ranking sees ids,
numbers and `Item`s only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from scenemem.base.records import Message, stamp
from scenemem.base.text import clean
from scenemem.store.evidence import Evidence, Item, Kind, Scope
from scenemem.store.sought import Sought
from scenemem.store.sqlite.database import id_list

__all__ = ["SQLiteEvidence", "compiled"]

_ITEM_OF = {
    "cell": (
        "SELECT 'cell', c.id, c.content, c.created_at, c.speaker, NULL, 0, c.source_first, "
        "c.scene, c.salience, c.recalls, c.occurred_at, c.occurred_until, c.cell_type, s.session, "
        "c.source_last, c.superseded_by, c.valid_to, c.told FROM mem_cells AS c "
        "LEFT JOIN sessions AS s ON s.number = c.source_first >> 24 "
    ),
    "message": (
        "SELECT 'message', m.id, coalesce(m.redacted, m.content), m.at, m.name, m.role, "
        "EXISTS (SELECT 1 FROM mem_cells WHERE source_first = m.id) "
        "OR EXISTS (SELECT 1 FROM cell_tellings WHERE message = m.id) "
        "FROM messages AS m "
    ),
}
_REST_OF = {
    "cell": (),
    "message": (None, None, 0.0, 0, None, None, None, None, None, None, None, 1),
}
_KINDS: tuple[Kind, ...] = ("message", "cell")
MOST_MEMBERS = 20_000  # rows of a scene or a session that are listed before they are searched
_INDEX = {"cell": "mem_cells_fts", "message": "messages_fts"}
_TABLE = {"cell": "mem_cells AS c ON c.id", "message": "messages AS m ON m.id"}


class SQLiteEvidence(Evidence):
    """The evidence in one memory file, for one recall; to be used inside one `snapshot()`."""

    def __init__(self, connection: sqlite3.Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope
        self._narrow: dict[Kind, list[int] | None] = {}
        self._searches: dict[Kind, tuple[str, list[Any]]] = {}
        self._conditions = {"cell": self._cell_condition(), "message": self._message_condition()}

    # -- what ranking asks -------------------------------------------------------------------

    @property
    def narrowed(self) -> bool:
        return not self._scope.is_open

    def size(self, kind: Kind) -> int:
        members = self._members(kind)
        return self._whole[kind] if members is None else len(members)

    def _members(self, kind: Kind) -> list[int] | None:
        """The rows of a scope that one scene or one session makes narrow; None for any other."""
        if kind == "message" and self._scope.has_no_messages:
            return []
        if self._scope.scene is None and self._scope.session is None:
            return None
        if kind not in self._narrow:
            condition, values = self._conditions[kind]
            table, column = _TABLE[kind].split(" ON ")
            found = self._connection.execute(
                f"SELECT {column} FROM {table} WHERE {condition} LIMIT ?",
                [*values, MOST_MEMBERS + 1],
            ).fetchall()
            members = sorted(row for (row,) in found)
            self._narrow[kind] = members if len(members) <= MOST_MEMBERS else None
        return self._narrow[kind]

    @cached_property
    def _whole(self) -> dict[Kind, int]:
        """All rows of each index, from the one record in which FTS5 keeps its totals."""
        blocks = ", ".join(
            f"(SELECT block FROM {_INDEX[kind]}_data WHERE id = 1)" for kind in _KINDS
        )
        totals = self._connection.execute(f"SELECT {blocks}").fetchone()
        return {
            kind: next(_varints(block), 0) if block else 0
            for kind, block in zip(_KINDS, totals, strict=True)
        }

    def rows(
        self,
        kind: Kind,
        sought: Sequence[Sought],
        limit: int | None = None,
        *,
        room: int = 0,
        span: tuple[int, int] | None = None,
        oldest: bool = False,
    ) -> list[list[int]]:
        # In the open scope, what little is out of it is left to `cells` and `messages`: a join for
        # every row would nearly double the cost.
        query, within = self._search(kind)
        if not query:
            return [[] for _ in sought]
        if span is not None:
            query, within = f"{query} AND f.rowid BETWEEN ? AND ?", [*within, *span]
        if limit is not None:
            # FTS5 finds rows in their order; backwards it reads a frequent term's twice.
            query += " LIMIT ?" if oldest else " ORDER BY f.rowid DESC LIMIT ?"
        # Thousands of ids come faster as one text than as rows of one column.
        query = f"SELECT json_group_array(id) FROM ({query})"
        found: list[list[int]] = []
        for node in sought:
            most = [] if limit is None else [max(limit, room)]
            values = [compiled(node), *within, *most]
            (listed,) = self._connection.execute(query, values).fetchone()
            found.append(list(map(int, listed[1:-1].split(","))) if len(listed) > 2 else [])
            room -= len(found[-1])
        return found

    def _search(self, kind: Kind) -> tuple[str, list[Any]]:
        """The query for what matches in the scope, and its values but for the expression; an empty
        one where nothing can. It is asked for each term, and worked out once."""
        known = self._searches.get(kind)
        if known is None:
            known = self._searches[kind] = self._searching(kind)
        return known

    def _searching(self, kind: Kind) -> tuple[str, list[Any]]:
        index, (condition, conditions) = _INDEX[kind], self._conditions[kind]
        query, members = f"SELECT f.rowid AS id FROM {index} AS f ", self._members(kind)
        if members is None and self._scope.is_open:
            return f"{query}WHERE {index} MATCH ?", []
        if members is None:
            joined = f"JOIN {_TABLE[kind]} = f.rowid WHERE {index} MATCH ? AND {condition}"
            return query + joined, conditions
        if not members:
            return "", []
        listed = "AND +f.rowid IN (SELECT value FROM json_each(?))"
        return (
            f"{query}WHERE {index} MATCH ? AND f.rowid BETWEEN ? AND ? {listed}",
            [members[0], members[-1], id_list(members)],
        )

    def told_of(self, first: date, last: date, most: int) -> list[int]:
        condition, values = self._conditions["cell"]
        most_days = 2 * ((last - first).days + 1) + 7
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
                    _before(first, most_days).isoformat(),
                    first.isoformat(),
                    most_days,
                    *values,
                    most,
                ),
            )
        ]

    def counts(self, kind: Kind, sought: Sequence[Sought]) -> list[int]:
        index = _INDEX[kind]
        query = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"
        return [
            int(self._connection.execute(query, (compiled(node),)).fetchone()[0]) for node in sought
        ]

    def messages(self, ids: Iterable[int]) -> list[Item]:
        return self._items("message", "m.id IN (SELECT value FROM json_each(?))", ids)

    def quoted_messages(self, ids: Iterable[int]) -> dict[int, Message]:
        from scenemem.store.sqlite.messages import REDACTED_ROWS, messages_by_id

        return messages_by_id(self._connection, ids, REDACTED_ROWS)

    def cells(self, ids: Iterable[int], *, of: Iterable[int] = ()) -> list[Item]:
        which = (
            "c.id IN (SELECT value FROM json_each(?) UNION SELECT id FROM mem_cells "
            "WHERE source_first IN (SELECT value FROM json_each(?)))"
        )
        return self._items("cell", which, ids, of)

    def said_between(self, first: date, last: date) -> list[tuple[int, int]]:
        return self._connection.execute(
            "SELECT min(id), max(id) FROM messages WHERE at >= ? AND at < ? GROUP BY id >> 24",
            (first.isoformat(), _after(last).isoformat()),
        ).fetchall()

    def in_scope(self, message_ids: Iterable[int]) -> set[int]:
        condition, values = self._conditions["message"]
        rows = self._connection.execute(
            "SELECT m.id FROM messages AS m "
            f"WHERE m.id IN (SELECT value FROM json_each(?)) AND {condition}",
            [id_list(message_ids), *values],
        )
        return {row for (row,) in rows}

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
        if scope.has_no_messages:
            return "0", []
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
            number = "(SELECT number FROM sessions WHERE session = ?)"
            where.append(f"{message} >= {number} << 24 AND {message} < ({number} + 1) << 24")
            values += [clean(scope.session)] * 2
        return where, values

    def _items(self, kind: Kind, which: str, *ids: Iterable[int]) -> list[Item]:
        condition, values = self._conditions[kind]
        rows = self._connection.execute(
            f"{_ITEM_OF[kind]} WHERE {which} AND {condition}", [*map(id_list, ids), *values]
        )
        rest = _REST_OF[kind]  # columns of one value would cost a third of the time
        return [Item._make(row + rest) for row in rows] if rest else list(map(Item._make, rows))


def compiled(sought: Sought) -> str:
    """What is sought as an FTS5 expression: every text is quoted, so none can be syntax."""
    if sought.op in ("phrase", "prefix"):
        quoted = '"' + clean(sought.text).replace('"', '""') + '"'
        return f"{quoted}*" if sought.op == "prefix" else quoted
    if not sought.of:
        return '""'  # any of nothing: no row
    operator = {"any": " OR ", "all": " AND ", "without": " NOT "}[sought.op]
    return f"({operator.join(map(compiled, sought.of))})"


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
