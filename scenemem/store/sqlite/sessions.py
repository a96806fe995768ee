"""SQLiteSessions: sessions, their verbatim messages in turns, and the queue of extraction.

A message is stored, append-only, before anything is derived from it. Its id is its session's
number and its position in the session, so it grows in the order of insertion and tells its
neighbours. A turn waits in the queue until its cells are in the memory: `mark_extracted` runs in
the same transaction as their insertion, so a crash at any point leaves a turn either wholly
extracted or still pending.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from scenemem.base.checks import (
    bool_given,
    datetime_given,
    ids_given,
    int_given,
    items_given,
    mapping_given,
    one_of_given,
    quoted,
    records_given,
    str_given,
)
from scenemem.base.errors import NotFoundError
from scenemem.base.records import (
    ROLES,
    SESSION_SHIFT,
    Message,
    MessageDraft,
    Role,
    now_utc,
    stamp,
    unstamp,
    utc,
)
from scenemem.base.session_records import Appended, Compaction, Exchange, Session, Turn, TurnState
from scenemem.base.text import clean, index_terms, tells
from scenemem.store.protocol import MAX_ATTEMPTS, REPLY_GRACE, Sessions
from scenemem.store.records import PastMessage, PastTurn
from scenemem.store.sqlite.database import Database, id_list
from scenemem.store.sqlite.messages import (
    MESSAGE_ROWS,
    REDACTED_ROWS,
    as_message,
    messages_by_id,
)

__all__ = ["SQLiteSessions", "ensure_number", "find_number", "session_name"]

IN_SESSION = "m.id BETWEEN s.number << 24 AND (s.number << 24) + 16777215"
_SINCE_IN_SESSION = "m.id BETWEEN max(? + 1, s.number << 24) AND (s.number << 24) + 16777215"


class SQLiteSessions(Sessions):
    """The sessions of one memory file: their messages, turns and summaries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- sessions ----------------------------------------------------------------------------

    def ensure_session(self, session: str, at: datetime | None = None) -> Session:
        at = None if at is None else datetime_given("at", at)
        found = self.get_session(session)
        if found is None:
            with self._database.transaction() as connection:
                ensure_number(connection, session, at or now_utc())
            found = self.get_session(session)
            assert found is not None
        return found

    def get_session(self, session: str) -> Session | None:
        return next(self._read_sessions("WHERE s.session = ?", [session_name(session)]), None)

    def list_sessions(self) -> list[Session]:
        return sorted(self._read_sessions(), key=lambda s: s.last_at or s.created_at, reverse=True)

    def _read_sessions(self, where: str = "", values: Sequence[Any] = ()) -> Iterator[Session]:
        # Positions are dense, so the last message tells how many there are.
        with self._database.reading() as connection:
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
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT summary, summarized_through FROM sessions WHERE session = ?",
                (session_name(session),),
            ).fetchone()
        return (row[0], row[1]) if row else ("", 0)

    def set_summary(self, session: str, summary: str) -> None:
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, now_utc())
            connection.execute(
                "UPDATE sessions SET summary = ?1, given_summary = ?1 WHERE number = ?2",
                (_storable(summary), number),
            )

    def compact_session(self, done: Compaction, summary: str, *, after: int) -> bool:
        if not isinstance(done, Compaction):
            raise TypeError(f"done must be a Compaction, got {quoted(done)}")
        int_given("after", after)
        with self._database.transaction() as connection:
            number = find_number(connection, done.session)
            if number is None:
                raise NotFoundError.of("session", done.session)
            moved = connection.execute(
                "UPDATE sessions SET summary = ?, summarized_through = ? "
                "WHERE number = ? AND summarized_through = ?",
                (_storable(summary), done.through, number, after),
            ).rowcount
            if moved:
                connection.execute(
                    "INSERT INTO compactions (session, at, through, messages, tokens_before, "
                    "tokens_after) VALUES (?, ?, ?, ?, ?, ?)",
                    (number, stamp(done.at), *done[2:]),
                )
            return bool(moved)

    def list_compactions(self, session: str | None = None) -> list[Compaction]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT s.session, c.at, c.through, c.messages, c.tokens_before, c.tokens_after "
                "FROM compactions AS c JOIN sessions AS s ON s.number = c.session "
                "WHERE ?1 IS NULL OR s.session = ?1 ORDER BY c.id",
                (session if session is None else session_name(session),),
            ).fetchall()
        return [Compaction(row[0], unstamp(row[1]), *row[2:]) for row in rows]

    def drop_summaries(self, messages: Sequence[int], texts: Sequence[str] = ()) -> list[str]:
        messages = ids_given("messages", messages)
        texts = [str_given("a text", text) for text in items_given("texts", texts, "strs")]
        first_of: dict[int, int] = {}
        for message in messages:
            number = message >> SESSION_SHIFT
            first_of[number] = min(message, first_of.get(number, message))
        dropped: list[str] = []
        with self._database.transaction() as connection:
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

    # -- turns and messages ------------------------------------------------------------------

    def open_turn(
        self, session: str, question: MessageDraft, *, external_id: str | None = None
    ) -> tuple[int, bool]:
        _draft_given(question)
        if external_id is not None:
            external_id = str_given("external_id", external_id)
        at = utc(question.at) if question.at else now_utc()
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, at)
            if external_id is not None:
                row = connection.execute(
                    "SELECT id FROM turns WHERE session = ? AND external_id = ?",
                    (number, clean(external_id)),
                ).fetchone()
                if row is not None:
                    return int(row[0]), False
            _complete_open_turns(connection, number)
            turn = _insert_turn(connection, number, "open", external_id)
            _insert_messages(connection, number, session, [(turn, question, at)])
            return turn, True

    def append_to_turn(self, turn: int, drafts: Sequence[MessageDraft]) -> tuple[Message, ...]:
        int_given("turn", turn)
        drafts = [_draft_given(draft) for draft in items_given("drafts", drafts, "MessageDrafts")]
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT t.session, s.session FROM turns AS t "
                "JOIN sessions AS s ON s.number = t.session WHERE t.id = ?",
                (turn,),
            ).fetchone()
            if row is None:
                raise NotFoundError(f"there is no turn {turn}")
            _set_state(connection, turn, "done", "pending")
            return _insert_messages(
                connection,
                row[0],
                row[1],
                [(turn, d, utc(d.at) if d.at else now_utc()) for d in drafts],
            )

    def close_turn(self, turn: int) -> None:
        int_given("turn", turn)
        with self._database.transaction() as connection:
            _set_state(connection, turn, "open", "pending")

    def append_history(
        self,
        session: str,
        role: Role,
        content: str | None,
        *,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        tool_call_id: str | None = None,
        external_id: str | None = None,
    ) -> Message | None:
        draft = MessageDraft(
            role=role,
            content="" if content is None else content,
            name=name,
            tool_calls=tuple(
                dict(mapping_given("a tool call", call))
                for call in items_given("tool_calls", tool_calls, "dicts")
            ),
            tool_call_id=tool_call_id,
            external_id=external_id,
        ).validated()
        at = now_utc() if at is None else datetime_given("at", at)
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, at)
            if not _unknown(connection, number, [draft])[0]:
                return None
            begins = role in ("user", "system")
            turn = None if begins else _last_turn(connection, number)
            if turn is None:
                _complete_open_turns(connection, number)
                turn = _insert_turn(connection, number, "open" if begins else "pending", None)
            else:
                _set_state(connection, turn, "done", "pending")
            if role == "system" or (role == "assistant" and not draft.tool_calls):
                _set_state(connection, turn, "open", "pending")
            return _insert_messages(connection, number, session, [(turn, draft, at)])[0]

    def append_messages(
        self, session: str, drafts: Iterable[MessageDraft], *, at: datetime | None = None
    ) -> Appended:
        drafts = [_draft_given(draft) for draft in items_given("drafts", drafts, "MessageDrafts")]
        at = now_utc() if at is None else datetime_given("at", at)
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, at)
            fresh, skipped = _unknown(connection, number, drafts)
            placed: list[tuple[int, MessageDraft, datetime]] = []
            before = turn = _last_turn_given(connection)
            for draft in fresh:
                at = utc(draft.at) if draft.at else at
                if turn == before or draft.role in ("user", "system"):
                    turn += 1
                placed.append((turn, draft, at))
            _insert_pending_turns(connection, number, range(before + 1, turn + 1))
            messages = _insert_messages(connection, number, session, placed)
            return Appended(messages, skipped)

    # -- put back as another memory had them -------------------------------------------------

    def restore_messages(
        self, session: str, messages: Sequence[PastMessage], turns: dict[int, int]
    ) -> tuple[list[int], int]:
        str_given("session", session)
        mapping_given("turns", turns)
        messages = records_given("messages", messages, PastMessage)
        if not messages:
            return [], 0
        at = messages[0].draft.at or now_utc()
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, at)
            here = _held(connection, number, messages)
            for past in messages:
                if past.turn is not None and (held := here.get(_id_of(past))) is not None:
                    turns.setdefault(past.turn.number, held[1])
            placed: list[tuple[int, MessageDraft, datetime]] = []
            fresh: list[str] = []
            loose: int | None = None  # the turn of messages that tell of none
            for past in messages:
                if (key := _id_of(past)) in here:
                    continue
                if past.turn is None:
                    if loose is None or past.draft.role in ("user", "system"):
                        loose = _insert_turn(connection, number, "pending", None)
                    turn = loose
                else:
                    turn = _restored_turn(connection, number, past.turn, turns)
                    if (same := _same_in_turn(connection, turn, past)) is not None:
                        here[key] = (same, turn)
                        continue
                at = past.draft.at or at
                here[key] = (0, turn)
                fresh.append(key)
                placed.append((turn, past.draft, at))
            stored = _insert_messages(connection, number, session, placed)
            here.update((key, (m.id, m.turn)) for key, m in zip(fresh, stored, strict=True))
            grown = {turn for turn, _, _ in placed}
            for past_turn in {p.turn for p in messages if p.turn is not None}:
                _restore_state(connection, turns[past_turn.number], past_turn, grown)
        return [here[_id_of(past)][0] for past in messages], len(stored)

    def restore_summary(
        self, session: str, summary: str, given: str, through: int, done: Sequence[Compaction]
    ) -> bool:
        str_given("session", session)
        str_given("summary", summary)
        str_given("given", given)
        int_given("through", through)
        done = records_given("done", done, Compaction)
        with self._database.transaction() as connection:
            number = ensure_number(connection, session, now_utc())
            restored = connection.execute(
                "UPDATE sessions SET summary = ?, given_summary = ?, summarized_through = ? "
                "WHERE number = ? AND summary = '' AND summarized_through = 0",
                (_storable(summary), _storable(given), through, number),
            ).rowcount
            if restored:
                connection.executemany(
                    "INSERT INTO compactions (session, at, through, messages, tokens_before, "
                    "tokens_after) VALUES (?, ?, ?, ?, ?, ?)",
                    [(number, stamp(compaction.at), *compaction[2:]) for compaction in done],
                )
            return bool(restored)

    def given_summary(self, session: str) -> str:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT given_summary FROM sessions WHERE session = ?", (session_name(session),)
            ).fetchone()
        return str(row[0]) if row else ""

    def get_turns(self, turns: Iterable[int]) -> dict[int, PastTurn]:
        turns = ids_given("turns", turns)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, state, kept, attempts, last_error, external_id FROM turns "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (id_list(turns),),
            ).fetchall()
        return {row[0]: PastTurn(*row) for row in rows}

    def list_messages(
        self,
        session: str | None = None,
        *,
        turn: int | None = None,
        after: int = 0,
        limit: int | None = None,
        last: bool = False,
        role: Role | None = None,
        redacted: bool = False,
    ) -> list[Message]:
        if turn is not None:
            int_given("turn", turn)
        int_given("after", after)
        if limit is not None:
            int_given("limit", limit)
        bool_given("last", last)
        if role is not None:
            one_of_given("role", role, ROLES)
        bool_given("redacted", redacted)
        where: list[str] = ["m.id > ?"]
        values: list[Any] = [after]
        if session is not None:
            # One lower bound: of two, SQLite searches by the session's and reads all of it.
            where = [f"s.session = ? AND {_SINCE_IN_SESSION}"]
            values = [session_name(session), after]
        if turn is not None:
            where.append("m.turn = ?")
            values.append(turn)
        if role is not None:
            where.append(f"m.role = '{role}'" if role in ROLES else "0")
        order = "DESC" if last else "ASC"
        source = REDACTED_ROWS if redacted else MESSAGE_ROWS
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{source} WHERE {' AND '.join(where)} ORDER BY m.id {order} LIMIT ?",
                [*values, -1 if limit is None else limit],
            ).fetchall()
        return [as_message(row) for row in (reversed(rows) if last else rows)]

    def get_messages(self, ids: Iterable[int], *, redacted: bool = False) -> dict[int, Message]:
        ids = ids_given("ids", ids)
        bool_given("redacted", redacted)
        with self._database.reading() as connection:
            return messages_by_id(connection, ids, REDACTED_ROWS if redacted else MESSAGE_ROWS)

    def withhold_messages(self, ids: Iterable[int]) -> None:
        ids = ids_given("ids", ids)
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE messages SET redacted = '', terms = '' "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (id_list(ids),),
            )

    def list_withheld(self, session: str) -> list[tuple[str, str]]:
        with self._database.reading() as connection:
            number = find_number(connection, session)
            if number is None:
                return []
            return connection.execute(
                "SELECT content, redacted FROM messages "
                "WHERE redacted IS NOT NULL AND id BETWEEN ? AND ? ORDER BY id",
                (number << SESSION_SHIFT, (number + 1 << SESSION_SHIFT) - 1),
            ).fetchall()

    def quotes_of(self, texts: Iterable[str]) -> list[int]:
        texts = [str_given("a text", text) for text in items_given("texts", texts, "strs")]
        with self._database.reading() as connection:
            return [
                row[0]
                for text in texts
                for row in connection.execute(
                    "SELECT id FROM messages WHERE (echo = 1 OR role = 'tool') "
                    "AND instr(content, ?1) > 0 "
                    "OR tool_calls IS NOT NULL AND instr(tool_calls, ?2) > 0",
                    (text, _in_json(text)),
                )
            ]

    def messages_with(self, text: str, session: str) -> list[Message]:
        text = str_given("text", text)
        with self._database.reading() as connection:
            number = find_number(connection, session)
            rows = connection.execute(
                f"{MESSAGE_ROWS} WHERE m.id BETWEEN ?1 << 24 AND (?1 << 24) + 16777215 "
                "AND (instr(lower(m.content), lower(?2)) > 0 "
                "OR instr(lower(m.tool_calls), lower(?3)) > 0) ORDER BY m.id",
                (number or 0, text, _in_json(text)),
            ).fetchall()
        return [as_message(row) for row in rows]

    def redact_messages(self, ids: Iterable[int]) -> int:
        ids = ids_given("ids", ids)
        with self._database.transaction() as connection:
            return connection.execute(
                "UPDATE messages SET content = '', redacted = NULL, terms = '', tool_calls = NULL "
                "WHERE id IN (SELECT value FROM json_each(?)) "
                "AND (content <> '' OR tool_calls IS NOT NULL)",
                (id_list(ids),),
            ).rowcount

    # -- the queue of extraction -------------------------------------------------------------

    def pending_turns(self) -> list[int]:
        abandoned = stamp(now_utc() - REPLY_GRACE)
        with self._database.reading() as connection:
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
        turns = ids_given("turns", turns)
        with self._database.reading() as connection:
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
        int_given("limit", limit)
        return self.get_exchanges(self.pending_turns()[:limit])

    def get_turn(self, turn: int) -> Turn | None:
        int_given("turn", turn)
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT state, kept, last_error FROM turns WHERE id = ?", (turn,)
            ).fetchone()
        return Turn(*row) if row else None

    def mark_extracted(self, kept: dict[int, int]) -> list[int]:
        for turn, count in mapping_given("kept", kept).items():
            int_given("a turn", turn)
            int_given("a count", count)
        with self._database.transaction() as connection:
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
        turns = ids_given("turns", turns)
        error = str_given("error", error)
        bool_given("count", count)
        with self._database.transaction() as connection:
            return [
                turn
                for turn in turns
                if connection.execute(
                    "UPDATE turns SET attempts = attempts + ?2, last_error = ?3, state = CASE "
                    "WHEN attempts + ?2 >= ?4 THEN 'failed' ELSE 'pending' END "
                    "WHERE id = ?1 AND state <> 'done'",
                    (turn, int(count), error, MAX_ATTEMPTS),
                ).rowcount
            ]

    def retry_failed(self) -> int:
        with self._database.transaction() as connection:
            return connection.execute(
                "UPDATE turns SET state = 'pending', attempts = 0 WHERE state = 'failed'"
            ).rowcount

    def count_turns(self) -> dict[TurnState, int]:
        counts: dict[TurnState, int] = {"open": 0, "pending": 0, "done": 0, "failed": 0}
        with self._database.reading() as connection:
            rows = connection.execute("SELECT state, count(*) FROM turns GROUP BY state")
            counts.update(dict(rows.fetchall()))
        return counts

    def list_errors(self, limit: int = 5) -> list[tuple[int, str, int, str]]:
        int_given("limit", limit)
        with self._database.reading() as connection:
            return connection.execute(
                "SELECT t.id, s.session, t.attempts, t.last_error FROM turns AS t "
                "JOIN sessions AS s ON s.number = t.session "
                "WHERE t.state <> 'done' AND t.last_error IS NOT NULL ORDER BY t.id DESC LIMIT ?",
                (limit,),
            ).fetchall()


# -- rows and records ------------------------------------------------------------------------


def _in_json(text: str) -> str:
    """A text as it stands inside the arguments of a stored tool call: JSON within JSON."""
    return _as_json(_as_json(text)[1:-1])[1:-1]


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _set_state(connection: sqlite3.Connection, turn: int, old: TurnState, new: TurnState) -> None:
    """Let a turn in the old state be in the new one."""
    connection.execute("UPDATE turns SET state = ? WHERE id = ? AND state = ?", (new, turn, old))


def _complete_open_turns(connection: sqlite3.Connection, number: int) -> None:
    """The turns of a session that never got their answer are pending as they are."""
    # With `<> 'done'` it is the index of the waiting turns that is searched: few are open, while a
    # session may have a hundred thousand turns.
    connection.execute(
        "UPDATE turns SET state = 'pending' "
        "WHERE +session = ? AND state = 'open' AND state <> 'done'",
        (number,),
    )


def _last_turn(connection: sqlite3.Connection, number: int) -> int | None:
    row = connection.execute(
        "SELECT turn FROM messages WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (number << SESSION_SHIFT, (number + 1 << SESSION_SHIFT) - 1),
    ).fetchone()
    return int(row[0]) if row else None


def _insert_turn(
    connection: sqlite3.Connection, number: int, state: TurnState, external_id: str | None
) -> int:
    cursor = connection.execute(
        "INSERT INTO turns (session, external_id, state, stored_at) VALUES (?, ?, ?, ?)",
        (number, external_id and clean(external_id), state, stamp(now_utc())),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _unknown(
    connection: sqlite3.Connection, number: int, drafts: Iterable[MessageDraft]
) -> tuple[list[MessageDraft], int]:
    """The drafts that the session has not yet, and how many it has."""
    drafts = list(drafts)
    ids = [clean(d.external_id) for d in drafts if d.external_id]
    if not ids:
        return drafts, 0
    known = {
        row[0]
        for row in connection.execute(
            "SELECT external_id FROM messages WHERE id >> 24 = ? "
            "AND external_id IN (SELECT value FROM json_each(?))",
            (number, _as_json(ids)),
        )
    }
    fresh: list[MessageDraft] = []
    for draft in drafts:
        key = clean(draft.external_id) if draft.external_id else None
        if key is not None and key in known:
            continue
        if key is not None:
            known.add(key)
        fresh.append(draft)
    return fresh, len(drafts) - len(fresh)


def _id_of(past: PastMessage) -> str:
    assert past.draft.external_id is not None
    return clean(past.draft.external_id)


def _held(
    connection: sqlite3.Connection, number: int, messages: Sequence[PastMessage]
) -> dict[str, tuple[int, int]]:
    """The id and the turn of each of these messages that the session has, by external id."""
    held: dict[str, tuple[int, int]] = {
        key: (message, turn)
        for key, message, turn in connection.execute(
            "SELECT external_id, id, turn FROM messages WHERE id >> 24 = ? "
            "AND external_id IN (SELECT value FROM json_each(?))",
            (number, _as_json([_id_of(past) for past in messages])),
        )
    }
    from scenemem.base.secrets import without_secrets

    numbered = {past.number: past for past in messages if past.number is not None}
    for message, turn, role, content, at in connection.execute(
        "SELECT id, turn, role, content, at FROM messages WHERE id >> 24 = ? "
        "AND external_id IS NULL AND id IN (SELECT value FROM json_each(?))",
        (number, id_list(numbered)),
    ):
        past = numbered[message]
        if past.draft.role != role or past.draft.at is None or stamp(past.draft.at) != at:
            continue
        # One that was forgotten here is still the same message, and stays forgotten.
        if content == "" or without_secrets(content) == past.draft.content:
            held.setdefault(_id_of(past), (message, turn))
    return held


def _restored_turn(
    connection: sqlite3.Connection, number: int, past: PastTurn, turns: dict[int, int]
) -> int:
    """The turn here that a turn of another memory is, which is made when there is none."""
    turn = turns.get(past.number)
    if turn is None and past.external_id is not None:
        row = connection.execute(
            "SELECT id FROM turns WHERE session = ? AND external_id = ?",
            (number, clean(past.external_id)),
        ).fetchone()
        turn = None if row is None else int(row[0])
    if turn is None:
        turn = _insert_turn(connection, number, "pending", past.external_id)
    turns[past.number] = turn
    return turn


def _same_in_turn(connection: sqlite3.Connection, turn: int, past: PastMessage) -> int | None:
    """The message of a turn, known by the turn's external id, that says the same."""
    if past.turn is None or past.turn.external_id is None:
        return None
    row = connection.execute(
        "SELECT id FROM messages WHERE turn = ? AND role = ? AND content = ? "
        "AND external_id IS NULL ORDER BY id LIMIT 1",
        (turn, past.draft.role, past.draft.content),
    ).fetchone()
    return int(row[0]) if row else None


def _restore_state(
    connection: sqlite3.Connection, turn: int, past: PastTurn, grown: set[int]
) -> None:
    """Let a turn be in the state that it had: done wherever it was done, else if it has grown."""
    if past.state != "done" and turn not in grown:
        return
    state = "pending" if past.state == "open" else past.state
    connection.execute(
        "UPDATE turns SET state = ?1, kept = ?2, attempts = ?3, last_error = ?4 "
        "WHERE id = ?5 AND (state <> 'done' OR ?1 <> 'done')",
        (state, past.kept, past.attempts, past.last_error, turn),
    )


def _insert_messages(
    connection: sqlite3.Connection,
    number: int,
    session: str,
    placed: Sequence[tuple[int, MessageDraft, datetime]],
) -> tuple[Message, ...]:
    """Store drafts, each in a turn and at an instant, behind the session's last message."""
    from scenemem.base.secrets import without_secrets  # only what writes needs its patterns

    free = _last_place(connection, number) + 1
    messages = [
        _from_draft(draft, place, session, turn, at)
        for place, (turn, draft, at) in enumerate(placed, start=free)
    ]
    shown = [
        without_secrets(m.content if draft.recallable is None else clean(draft.recallable))
        for m, (_, draft, _) in zip(messages, placed, strict=True)
    ]
    connection.executemany(
        "INSERT INTO messages (id, turn, role, name, content, redacted, terms, tool_calls, "
        "tool_call_id, at, external_id, echo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        map(_as_row, messages, shown),
    )
    connection.executemany(
        "INSERT INTO speakers (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(name,) for name in sorted({m.name for m in messages if m.name})],
    )
    return tuple(messages)


def _last_place(connection: sqlite3.Connection, number: int) -> int:
    """The id of the last message of the session of this number; that before its first, if none."""
    before = number << SESSION_SHIFT
    (last,) = connection.execute(
        "SELECT max(id) FROM messages WHERE id BETWEEN ? AND ?",
        (before, before + (1 << SESSION_SHIFT) - 1),
    ).fetchone()
    return before if last is None else int(last)


def _from_draft(draft: MessageDraft, place: int, session: str, turn: int, at: datetime) -> Message:
    return Message(
        id=place,
        session=session,
        turn=turn,
        role=draft.role,
        content=clean(draft.content),
        at=at,
        name=draft.name and clean(draft.name),
        tool_calls=draft.tool_calls,
        tool_call_id=draft.tool_call_id and clean(draft.tool_call_id),
        external_id=clean(draft.external_id) if draft.external_id else None,
        echo=draft.echo,
    )


def _as_row(message: Message, shown: str) -> tuple[Any, ...]:
    """A message as its row; `shown` is what all but the history see of it."""
    return (
        message.id,
        message.turn,
        message.role,
        message.name,
        message.content,
        None if shown == message.content else shown,
        index_terms(shown),
        clean(_as_json(message.tool_calls)) if message.tool_calls else None,
        message.tool_call_id,
        stamp(message.at),
        message.external_id,
        int(message.echo),
    )


def _last_turn_given(connection: sqlite3.Connection) -> int:
    """The highest id that a turn was ever given."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'").fetchone()
    return int(row[0]) if row else 0


def _insert_pending_turns(
    connection: sqlite3.Connection, number: int, turns: Iterable[int]
) -> None:
    """Turns of past talk in the session of this number, by ids that are free."""
    stored_at = stamp(now_utc())
    connection.executemany(
        "INSERT INTO turns (id, session, state, stored_at) VALUES (?, ?, 'pending', ?)",
        [(turn, number, stored_at) for turn in turns],
    )


def _storable(summary: str) -> str:
    from scenemem.base.secrets import without_secrets  # recall has no need of it

    return without_secrets(str_given("summary", summary))


def _draft_given(draft: object) -> MessageDraft:
    if not isinstance(draft, MessageDraft):
        raise TypeError(f"a message must be a MessageDraft, got {quoted(draft)}")
    return draft.validated()


def session_name(session: str) -> str:
    """A session's name as it is stored. Raises `TypeError` for what is no text."""
    return str_given("session", session)


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
