"""SessionTable: the sessions of one memory file, and how far each one's summary reaches."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from scenemem.base.checks import required_text
from scenemem.base.errors import NotFoundError
from scenemem.base.records import SESSION_SHIFT, Compaction, Session, now_utc, stamp, unstamp
from scenemem.base.text import name_key
from scenemem.store.database import Database

__all__ = [
    "SessionTable",
    "ensure_number",
    "find_number",
    "session_name",
    "tells",
]

_LEAST_TOLD = 8  # characters of a text that another one is known to tell
IN_SESSION = "m.id BETWEEN s.number << 24 AND (s.number << 24) + 16777215"


class SessionTable:
    """The sessions of one memory file."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def ensure_session(self, session: str, at: datetime | None = None) -> Session:
        """The session by that name, made when there is none; it begins `at`, by default now."""
        found = self.get_session(session)
        if found is None:
            with self.database.transaction() as connection:
                ensure_number(connection, session, at or now_utc())
            found = self.get_session(session)
            assert found is not None
        return found

    def get_session(self, session: str) -> Session | None:
        """The session by that name, or None."""
        return next(self._sessions("WHERE s.session = ?", [session_name(session)]), None)

    def list_sessions(self) -> list[Session]:
        """All sessions, the one spoken in last first."""
        return sorted(self._sessions(), key=lambda s: s.last_at or s.created_at, reverse=True)

    def _sessions(self, where: str = "", values: Sequence[Any] = ()) -> Iterator[Session]:
        # Positions are dense, so the last message tells how many there are.
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT s.session, s.created_at, s.summary, s.summarized_through, "
                "coalesce(m.id - (s.number << 24), 0), m.at "
                "FROM sessions AS s LEFT JOIN messages AS m ON m.id = "
                f"(SELECT max(m.id) FROM messages AS m WHERE {IN_SESSION}) {where}",
                values,
            ).fetchall()
        for name, created_at, summary, through, count, last_at in rows:
            yield Session(
                session=name,
                created_at=unstamp(created_at),
                summary=summary,
                summarized_through=through,
                messages=count,
                last_at=unstamp(last_at) if last_at else None,
            )

    # -- summaries ---------------------------------------------------------------------------

    def get_summary(self, session: str) -> tuple[str, int]:
        """A session's summary and the id of the last message that it covers; ("", 0) for none."""
        with self.database.reading() as connection:
            row = connection.execute(
                "SELECT summary, summarized_through FROM sessions WHERE session = ?",
                (session_name(session),),
            ).fetchone()
        return (row[0], row[1]) if row else ("", 0)

    def set_summary(self, session: str, summary: str) -> None:
        """Give a session this summary; it covers the same messages as the one before."""
        with self.database.transaction() as connection:
            number = ensure_number(connection, session, now_utc())
            connection.execute(
                "UPDATE sessions SET summary = ?1, given_summary = ?1 WHERE number = ?2",
                (_kept(summary), number),
            )

    def compact_session(self, done: Compaction, summary: str, *, after: int) -> bool:
        """Move a session's summary on, in one transaction; False when somebody else has.

        `after` is the id of the last message that the summary covered when the work on `summary`
        began. Raises `NotFoundError` without such a session.
        """
        with self.database.transaction() as connection:
            number = find_number(connection, done.session)
            if number is None:
                raise NotFoundError(f"there is no session {done.session!r}")
            moved = connection.execute(
                "UPDATE sessions SET summary = ?, summarized_through = ? "
                "WHERE number = ? AND summarized_through = ?",
                (_kept(summary), done.through, number, after),
            ).rowcount
            if moved:
                connection.execute(
                    "INSERT INTO compactions (session, at, through, messages, tokens_before, "
                    "tokens_after) VALUES (?, ?, ?, ?, ?, ?)",
                    (number, stamp(done.at), *done[2:]),
                )
            return bool(moved)

    def list_compactions(self, session: str | None = None) -> list[Compaction]:
        """What compaction did, of one session or of all, oldest first."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT s.session, c.at, c.through, c.messages, c.tokens_before, c.tokens_after "
                "FROM compactions AS c JOIN sessions AS s ON s.number = c.session "
                "WHERE ?1 IS NULL OR s.session = ?1 ORDER BY c.id",
                (session if session is None else session_name(session),),
            ).fetchall()
        return [Compaction(row[0], unstamp(row[1]), *row[2:]) for row in rows]

    def drop_summaries(self, messages: Sequence[int], texts: Sequence[str] = ()) -> list[str]:
        """Take back the summaries that cover any of these messages; return their sessions.

        The messages are all still there, and the next compaction condenses them anew. A summary
        that was given stays, but for the lines that tell one of `texts`.
        """
        first_of: dict[int, int] = {}
        for message in messages:
            number = message >> SESSION_SHIFT
            first_of[number] = min(message, first_of.get(number, message))
        dropped: list[str] = []
        with self.database.transaction() as connection:
            for number, first in first_of.items():
                row = connection.execute(
                    "SELECT session, given_summary FROM sessions "
                    "WHERE number = ? AND summarized_through >= ?",
                    (number, first),
                ).fetchone()
                if row is not None:
                    lines = [x for x in row[1].splitlines() if not any(tells(x, t) for t in texts)]
                    connection.execute(
                        "UPDATE sessions SET summary = ?1, given_summary = ?1, "
                        "summarized_through = 0 WHERE number = ?2",
                        ("\n".join(lines), number),
                    )
                    dropped.append(row[0])
        return dropped


def tells(text: str, told: str) -> bool:
    """Whether one of two texts holds the other, but for case, spaces and punctuation."""
    one, other = name_key(text), name_key(told)
    return min(len(one), len(other)) >= _LEAST_TOLD and (one in other or other in one)


def _kept(summary: str) -> str:
    from scenemem.base.secrets import without_secrets  # recall has no need of it

    return without_secrets(required_text("the summary", summary))


def session_name(session: str) -> str:
    """A session's name as it is stored. Raises `TypeError` for what is no text."""
    return required_text("the name of a session", session)


def find_number(connection: sqlite3.Connection, session: str) -> int | None:
    """The number of the session by that name, or None."""
    row = connection.execute(
        "SELECT number FROM sessions WHERE session = ?", (session_name(session),)
    ).fetchone()
    return int(row[0]) if row else None


def ensure_number(connection: sqlite3.Connection, session: str, at: datetime) -> int:
    """The number of the session by that name, which is made when there is none."""
    connection.execute(
        "INSERT INTO sessions (session, created_at) VALUES (?, ?) ON CONFLICT (session) DO NOTHING",
        (session_name(session), stamp(at)),
    )
    number = find_number(connection, session)
    assert number is not None
    return number
