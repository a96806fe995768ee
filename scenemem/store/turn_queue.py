"""TurnQueue: which turns wait for extraction, and what became of the others.

A turn waits in the queue until its cells are in the memory: `mark_extracted` runs in the same
transaction as their insertion, so a crash at any point leaves a turn either wholly extracted or
still pending.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from scenemem.base.records import Exchange, Message, TurnState, now_utc, stamp, unstamp
from scenemem.base.text import clean
from scenemem.store.database import id_list
from scenemem.store.notebook import Notebook

__all__ = [
    "MAX_ATTEMPTS",
    "MESSAGE_ROWS",
    "REDACTED_ROWS",
    "Turn",
    "TurnQueue",
    "as_message",
    "insert_pending_turns",
    "last_turn_given",
]

MAX_ATTEMPTS = 5  # failed extractions of one turn before it waits to be asked for again
_REPLY_GRACE = timedelta(minutes=10)  # a turn this old without an answer won't get one

MESSAGE_ROWS = (
    "SELECT m.id, s.session, m.turn, m.role, m.content, m.at, m.name, m.tool_calls, "
    "m.tool_call_id, m.external_id, m.echo "
    "FROM messages AS m JOIN sessions AS s ON s.number = m.id >> 24 "
)
# The same, without the secrets in them.
REDACTED_ROWS = MESSAGE_ROWS.replace("m.content", "coalesce(m.redacted, m.content)")


class Turn(NamedTuple):
    """How a turn stands: its state, the cells kept once it is done, why it failed last."""

    state: TurnState
    kept: int | None = None
    last_error: str | None = None


class TurnQueue(Notebook):
    """The queue of extraction of one memory file."""

    def pending_turns(self) -> list[int]:
        """The ids of all turns that wait for extraction, the fresh ones first, oldest first.

        A turn whose extraction failed comes after those that were never tried, so that it keeps
        nothing waiting. A turn left open long ago (its answer never came) counts as waiting.
        """
        abandoned = stamp(now_utc() - _REPLY_GRACE)
        with self.database.reading() as connection:
            return [
                row[0]
                for row in connection.execute(
                    # The first condition is the index's, so that done turns are not read.
                    "SELECT id FROM turns WHERE state <> 'done' AND (state = 'pending' "
                    "OR (state = 'open' AND stored_at < ?)) "
                    "ORDER BY last_error IS NOT NULL, attempts, id",
                    (abandoned,),
                )
            ]

    def get_exchanges(self, turns: Sequence[int]) -> list[Exchange]:
        """The exchanges of these turns, in their order, as far as they still wait.

        Without the secrets that were told in them: these stay in the history alone.
        """
        with self.database.reading() as connection:
            found = {
                row[0]: row
                for row in connection.execute(
                    "SELECT t.id, s.session, t.attempts, t.last_error FROM turns AS t "
                    "JOIN sessions AS s ON s.number = t.session WHERE t.state IN "
                    "('pending', 'open') AND t.id IN (SELECT value FROM json_each(?))",
                    (id_list(turns),),
                )
            }
            rows = connection.execute(
                f"{REDACTED_ROWS} WHERE m.turn IN (SELECT value FROM json_each(?)) ORDER BY m.id",
                (id_list(found),),
            ).fetchall()
        by_turn: dict[int, list[Message]] = {}
        for row in rows:
            by_turn.setdefault(row[2], []).append(as_message(row))
        return [
            Exchange(turn, found[turn][1], tuple(by_turn[turn]), *found[turn][2:])
            for turn in turns
            if turn in by_turn
        ]

    def list_pending(self, limit: int = 100) -> list[Exchange]:
        """Up to `limit` exchanges that wait for extraction, the fresh ones first."""
        return self.get_exchanges(self.pending_turns()[:limit])

    def get_turn(self, turn: int) -> Turn | None:
        """How a turn stands in the queue, or None without such a turn."""
        with self.database.reading() as connection:
            row = connection.execute(
                "SELECT state, kept, last_error FROM turns WHERE id = ?", (turn,)
            ).fetchone()
        return Turn(*row) if row else None

    def mark_extracted(self, kept: dict[int, int]) -> list[int]:
        """Mark turns as done, with the number of cells kept of each; return those now marked.

        Call it before inserting their cells, in one transaction: a turn that another process has
        marked meanwhile is not returned, and its cells must not be inserted again.
        """
        with self.database.transaction() as connection:
            return [
                turn
                for turn, count in kept.items()
                if connection.execute(
                    "UPDATE turns SET state = 'done', kept = ?, last_error = NULL "
                    "WHERE id = ? AND state <> 'done'",
                    (count, turn),
                ).rowcount
            ]

    def mark_failed(self, turns: Iterable[int], error: str, *, count: bool = True) -> list[int]:
        """Note a failed extraction; return the turns that it is noted of, done ones left out.

        After `MAX_ATTEMPTS` a turn waits to be asked for again. `count=False` notes the reason
        only, for faults that are no fault of the turn's.
        """
        with self.database.transaction() as connection:
            return [
                turn
                for turn in turns
                if connection.execute(
                    "UPDATE turns SET attempts = attempts + ?2, last_error = ?3, state = CASE "
                    "WHEN attempts + ?2 >= ?4 THEN 'failed' ELSE 'pending' END "
                    "WHERE id = ?1 AND state <> 'done'",
                    (turn, int(count), clean(error), MAX_ATTEMPTS),
                ).rowcount
            ]

    def retry_failed(self) -> int:
        """Put the failed turns back into the queue; return how many there were."""
        with self.database.transaction() as connection:
            return connection.execute(
                "UPDATE turns SET state = 'pending', attempts = 0 WHERE state = 'failed'"
            ).rowcount

    def count_turns(self) -> dict[TurnState, int]:
        """How many turns are in each state."""
        counts: dict[TurnState, int] = {"open": 0, "pending": 0, "done": 0, "failed": 0}
        with self.database.reading() as connection:
            rows = connection.execute("SELECT state, count(*) FROM turns GROUP BY state")
            counts.update(dict(rows.fetchall()))
        return counts

    def list_errors(self, limit: int = 5) -> list[tuple[int, str, int, str]]:
        """Turns whose extraction failed, newest first: id, session, attempts, the last error."""
        with self.database.reading() as connection:
            return connection.execute(
                "SELECT t.id, s.session, t.attempts, t.last_error FROM turns AS t "
                "JOIN sessions AS s ON s.number = t.session "
                "WHERE t.state <> 'done' AND t.last_error IS NOT NULL ORDER BY t.id DESC LIMIT ?",
                (limit,),
            ).fetchall()


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


def last_turn_given(connection: sqlite3.Connection) -> int:
    """The highest id that a turn was ever given."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'").fetchone()
    return int(row[0]) if row else 0


def insert_pending_turns(connection: sqlite3.Connection, number: int, turns: Iterable[int]) -> None:
    """Turns of past talk in the session of this number, by ids that are free."""
    stored_at = stamp(now_utc())
    connection.executemany(
        "INSERT INTO turns (id, session, state, stored_at) VALUES (?, ?, 'pending', ?)",
        [(turn, number, stored_at) for turn in turns],
    )
