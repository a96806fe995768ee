"""SQLiteNotebook: what a session has written down: facts and notes; and what all sessions share.

A fact is a key with any JSON value, of a session and a scope: "short" for the matter at hand,
"long" for what is meant to last; short wins. Notes are free text. Globals and counters belong to no
session. Whatever JSON can hold comes back with its type; what is missing is told apart from what
is empty.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scenemem.base.checks import (
    datetime_given,
    int_given,
    one_of_given,
    quoted,
    str_given,
)
from scenemem.base.records import now_utc, stamp, unstamp
from scenemem.base.session_records import FACT_SCOPES, Fact, FactScope, Note
from scenemem.store.protocol import LARGEST_COUNT, Notebook
from scenemem.store.sqlite.database import Database
from scenemem.store.sqlite.sessions import ensure_number, session_name

__all__ = ["SQLiteNotebook"]

_FACTS = (
    "SELECT s.session, f.key, f.value, f.scope, f.updated_at "
    "FROM facts AS f JOIN sessions AS s ON s.number = f.session "
)


class SQLiteNotebook(Notebook):
    """The facts, notes, globals and counters of one memory file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- facts -------------------------------------------------------------------------------

    def remember_fact(
        self,
        session: str,
        key: str,
        value: Any,
        scope: FactScope = "short",
        *,
        at: datetime | None = None,
    ) -> None:
        one_of_given("scope", scope, FACT_SCOPES)
        at = now_utc() if at is None else datetime_given("at", at)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO facts (session, scope, key, value, updated_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (session, key, scope) DO UPDATE SET value = excluded.value, "
                "updated_at = excluded.updated_at",
                (
                    ensure_number(connection, session, at),
                    scope,
                    _key(key),
                    _to_json(key, value),
                    stamp(at),
                ),
            )

    def recall_fact(self, session: str, key: str, default: Any = None) -> Any:
        found = self.get_fact(session, key)
        return default if found is None else found.value

    def get_fact(self, session: str, key: str, scope: FactScope | None = None) -> Fact | None:
        if scope is not None:
            one_of_given("scope", scope, FACT_SCOPES)
        with self._database.reading() as connection:
            row = connection.execute(
                f"{_FACTS} WHERE s.session = ? AND f.key = ? AND (?3 IS NULL OR f.scope = ?3) "
                "ORDER BY f.scope DESC LIMIT 1",
                (session_name(session), _as_key(key), scope),
            ).fetchone()
        return _as_fact(row) if row else None

    def list_facts(self, session: str | None = None) -> list[Fact]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_FACTS} WHERE ?1 IS NULL OR s.session = ?1 "
                "ORDER BY f.session, f.key, f.scope DESC",
                (session if session is None else session_name(session),),
            ).fetchall()
        return [_as_fact(row) for row in rows]

    def delete_fact(self, session: str, key: str, scope: FactScope | None = None) -> int:
        if scope is not None:
            one_of_given("scope", scope, FACT_SCOPES)
        with self._database.transaction() as connection:
            return connection.execute(
                "DELETE FROM facts WHERE key = ?2 AND (?3 IS NULL OR scope = ?3) "
                "AND session = (SELECT number FROM sessions WHERE session = ?1)",
                (session_name(session), _as_key(key), scope),
            ).rowcount

    # -- notes -------------------------------------------------------------------------------

    def add_note(self, session: str, note: str, *, at: datetime | None = None) -> Note:
        text = str_given("note", note, empty=False).strip()
        at = now_utc() if at is None else datetime_given("at", at)
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, at)
            cursor = connection.execute(
                "INSERT INTO notes (session, note, at) VALUES (?, ?, ?)", (number, text, stamp(at))
            )
        assert cursor.lastrowid is not None
        return Note(cursor.lastrowid, session_name(session), text, at)

    def list_notes(self, session: str | None = None, *, last: int | None = None) -> list[Note]:
        if last is not None:
            int_given("last", last)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT n.id, s.session, n.note, n.at FROM notes AS n "
                "JOIN sessions AS s ON s.number = n.session "
                "WHERE ?1 IS NULL OR s.session = ?1 ORDER BY n.id DESC LIMIT ?2",
                (
                    session if session is None else session_name(session),
                    -1 if last is None else last,
                ),
            ).fetchall()
        return [Note(row[0], row[1], row[2], unstamp(row[3])) for row in reversed(rows)]

    def delete_note(self, note_id: int) -> bool:
        int_given("note_id", note_id)
        with self._database.transaction() as connection:
            cursor = connection.execute("DELETE FROM notes WHERE id = ?", (note_id,))
            return bool(cursor.rowcount)

    # -- what all sessions share -------------------------------------------------------------

    def upsert_global(self, key: str, value: Any) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO globals (key, value, updated_at) VALUES (?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value, "
                "updated_at = excluded.updated_at",
                (_key(key), _to_json(key, value), stamp(now_utc())),
            )

    def get_global(self, key: str, default: Any = None) -> Any:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT value FROM globals WHERE key = ?", (_as_key(key),)
            ).fetchone()
        return _from_json(row[0]) if row else default

    def list_globals(self) -> dict[str, Any]:
        with self._database.reading() as connection:
            rows = connection.execute("SELECT key, value FROM globals ORDER BY key").fetchall()
        return {key: _from_json(value) for key, value in rows}

    def delete_global(self, key: str) -> bool:
        with self._database.transaction() as connection:
            cursor = connection.execute("DELETE FROM globals WHERE key = ?", (_as_key(key),))
            return bool(cursor.rowcount)

    # -- counters ----------------------------------------------------------------------------

    def add_to_counter(self, name: str, amount: int = 1) -> int:
        int_given("amount", amount, -LARGEST_COUNT, LARGEST_COUNT)
        with self._database.transaction() as connection:
            row = connection.execute(
                "INSERT INTO counters (name, count) VALUES (?1, ?2) ON CONFLICT (name) "
                "DO UPDATE SET count = count + ?2 WHERE count BETWEEN ?3 AND ?4 RETURNING count",
                (
                    _key(name),
                    amount,
                    max(-LARGEST_COUNT, -LARGEST_COUNT - amount),
                    min(LARGEST_COUNT, LARGEST_COUNT - amount),
                ),
            ).fetchone()
        if row is None:
            raise ValueError(
                f"the counter {name!r} can't be changed by {amount}: it would leave the range of "
                f"±{LARGEST_COUNT}"
            )
        return int(row[0])

    def set_counter(self, name: str, count: int) -> int:
        int_given("count", count, -LARGEST_COUNT, LARGEST_COUNT)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO counters (name, count) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET count = excluded.count",
                (_key(name), count),
            )
        return count

    def get_counter(self, name: str) -> int | None:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT count FROM counters WHERE name = ?", (_as_key(name),)
            ).fetchone()
        return int(row[0]) if row else None

    def list_counters(self) -> dict[str, int]:
        with self._database.reading() as connection:
            rows = connection.execute("SELECT name, count FROM counters ORDER BY name")
            return dict(rows.fetchall())

    def delete_counter(self, name: str) -> bool:
        with self._database.transaction() as connection:
            cursor = connection.execute("DELETE FROM counters WHERE name = ?", (_as_key(name),))
            return bool(cursor.rowcount)


def _key(key: str) -> str:
    return str_given("key", key, empty=False)


def _as_key(key: str) -> str:
    return str_given("key", key)


def _to_json(key: str, value: Any) -> str:
    """The value as JSON that reads back as the same value, or a `TypeError`."""
    import json

    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        same = json.loads(text) == value
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise TypeError(
            f"the value of {key!r} must be what JSON can hold (a str, a number, True, False, None, "
            f"or lists and dicts of these), got {quoted(value)}"
        )
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only escaped can be stored
        return json.dumps(value, allow_nan=False)
    return text


def _from_json(text: str) -> Any:
    import json  # a recall has no need of it, and starts faster without

    return json.loads(text)


def _as_fact(row: tuple[str, str, str, FactScope, str]) -> Fact:
    session, key, value, scope, updated_at = row
    return Fact(session, key, _from_json(value), scope, unstamp(updated_at))
