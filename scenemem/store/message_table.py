"""MessageTable: the verbatim messages of all sessions, in turns; above the queue of extraction.

A message is stored, append-only, before anything is derived from it. Its id is its session's
number and its position in the session, so it grows in the order of insertion and tells its
neighbours.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from scenemem.base.errors import NotFoundError
from scenemem.base.records import (
    ROLES,
    SESSION_SHIFT,
    Message,
    MessageDraft,
    Role,
    TurnState,
    now_utc,
    stamp,
)
from scenemem.base.text import clean, index_terms
from scenemem.store.database import id_list
from scenemem.store.session_table import ensure_number, find_number, session_name
from scenemem.store.turn_queue import (
    MESSAGE_ROWS,
    REDACTED_ROWS,
    TurnQueue,
    as_message,
    insert_pending_turns,
    last_turn_given,
)

__all__ = ["Appended", "MessageTable"]

_SINCE_IN_SESSION = "m.id BETWEEN max(? + 1, s.number << 24) AND (s.number << 24) + 16777215"


class Appended(NamedTuple):
    """What an append did: the messages stored, and how many were there already."""

    messages: tuple[Message, ...]
    skipped: int = 0


class MessageTable(TurnQueue):
    """The messages of one memory file, and the turns that they make."""

    # -- turns and messages ------------------------------------------------------------------

    def open_turn(
        self, session: str, question: MessageDraft, *, external_id: str | None = None
    ) -> tuple[int, bool]:
        """Store the message that begins a turn; return the turn's id and whether it is new.

        With an `external_id` that the session has already, nothing is stored and the turn that
        has it is returned. Earlier turns of the session that never got their answer become
        pending as they are.
        """
        at = question.at or now_utc()
        with self.database.transaction() as connection:
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
        """Store further messages of a turn, in order.

        A turn that was extracted already waits again: its answer was not read.
        """
        with self.database.transaction() as connection:
            row = connection.execute(
                "SELECT t.session, s.session FROM turns AS t "
                "JOIN sessions AS s ON s.number = t.session WHERE t.id = ?",
                (turn,),
            ).fetchone()
            if row is None:
                raise NotFoundError(f"there is no turn {turn}")
            _set_state(connection, turn, "done", "pending")
            return _insert_messages(
                connection, row[0], row[1], [(turn, d, d.at or now_utc()) for d in drafts]
            )

    def close_turn(self, turn: int) -> None:
        """The turn is complete: it now waits for extraction."""
        with self.database.transaction() as connection:
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
        """Store one message as it is said; return it, or None when its `external_id` is known.

        A message of role user or system begins a turn, others continue the one before; an
        assistant's answer (without tool calls) completes it, and it waits for extraction.
        """
        draft = MessageDraft(
            role=role,
            content=content or "",
            name=name,
            tool_calls=tuple(dict(call) for call in tool_calls),
            tool_call_id=tool_call_id,
            external_id=external_id,
        )
        at = at or now_utc()
        with self.database.transaction() as connection:
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
        """Store messages of a conversation that has taken place, as turns that are pending.

        A message of role user or system begins a turn, others continue the one before. Messages
        whose `external_id` the session has already are skipped. A message without a time takes
        that of the one before it, the first `at` or now.
        """
        at = at or now_utc()
        with self.database.transaction() as connection:
            number = ensure_number(connection, session, at)
            fresh, skipped = _unknown(connection, number, drafts)
            placed: list[tuple[int, MessageDraft, datetime]] = []
            before = turn = last_turn_given(connection)
            for draft in fresh:
                at = draft.at or at
                if turn == before or draft.role in ("user", "system"):
                    turn += 1
                placed.append((turn, draft, at))
            insert_pending_turns(connection, number, range(before + 1, turn + 1))
            messages = _insert_messages(connection, number, session, placed)
            return Appended(messages, skipped)

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
        """Messages in order of insertion: of a session, a turn, or all; `last` takes the end.

        `redacted` takes the secrets out that were told in them.
        """
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
        with self.database.reading() as connection:
            rows = connection.execute(
                f"{source} WHERE {' AND '.join(where)} ORDER BY m.id {order} LIMIT ?",
                [*values, -1 if limit is None else limit],
            ).fetchall()
        return [as_message(row) for row in (reversed(rows) if last else rows)]

    def get_messages(self, ids: Iterable[int], *, redacted: bool = False) -> dict[int, Message]:
        """The messages of these ids, by id; missing ones are left out.

        `redacted` takes the secrets out that were told in them.
        """
        source = REDACTED_ROWS if redacted else MESSAGE_ROWS
        with self.database.reading() as connection:
            rows = connection.execute(
                f"{source} WHERE m.id IN (SELECT value FROM json_each(?))",
                (id_list(ids),),
            ).fetchall()
        return {row[0]: as_message(row) for row in rows}

    def withhold_messages(self, ids: Iterable[int]) -> None:
        """From now on only their session sees these messages: they are kept, never recalled."""
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE messages SET redacted = '', terms = '' "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (id_list(ids),),
            )

    def list_withheld(self, session: str) -> list[tuple[str, str]]:
        """The messages of a session that others see only in part: whole, and what they see."""
        with self.database.reading() as connection:
            number = find_number(connection, session)
            if number is None:
                return []
            return connection.execute(
                "SELECT content, redacted FROM messages "
                "WHERE redacted IS NOT NULL AND id BETWEEN ? AND ?",
                (number << SESSION_SHIFT, (number + 1 << SESSION_SHIFT) - 1),
            ).fetchall()

    def quotes_of(self, texts: Iterable[str]) -> list[int]:
        """What quotes one of these texts: tool calls, their results, and replies that only quote
        the memory."""
        with self.database.reading() as connection:
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
        """The messages of a session that have this text, in their content or tool calls.

        Whether letters of ASCII are large or small is not asked.
        """
        with self.database.reading() as connection:
            number = find_number(connection, session)
            rows = connection.execute(
                f"{MESSAGE_ROWS} WHERE m.id BETWEEN ?1 << 24 AND (?1 << 24) + 16777215 "
                "AND (instr(lower(m.content), lower(?2)) > 0 "
                "OR instr(lower(m.tool_calls), lower(?3)) > 0) ORDER BY m.id",
                (number or 0, text, _in_json(text)),
            ).fetchall()
        return [as_message(row) for row in rows]

    def redact_messages(self, ids: Iterable[int]) -> int:
        """Blank the text of these messages for good; their place in the session stays."""
        with self.database.transaction() as connection:
            return connection.execute(
                "UPDATE messages SET content = '', redacted = NULL, terms = '', tool_calls = NULL "
                "WHERE id IN (SELECT value FROM json_each(?)) "
                "AND (content <> '' OR tool_calls IS NOT NULL)",
                (id_list(ids),),
            ).rowcount


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


def _insert_messages(
    connection: sqlite3.Connection,
    number: int,
    session: str,
    placed: Sequence[tuple[int, MessageDraft, datetime]],
) -> tuple[Message, ...]:
    from scenemem.base.secrets import without_secrets  # only what writes needs its patterns

    first = number << SESSION_SHIFT
    last = connection.execute(
        "SELECT max(id) FROM messages WHERE id BETWEEN ? AND ?",
        (first, first + (1 << SESSION_SHIFT) - 1),
    ).fetchone()[0]
    messages = []
    for offset, (turn, draft, at) in enumerate(placed, start=1):
        if draft.role not in ROLES:
            raise ValueError(f"role is {draft.role!r}; it is one of {', '.join(ROLES)}")
        messages.append(
            Message(
                id=(first if last is None else last) + offset,
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
        )
    shown = [
        without_secrets(m.content if draft.recallable is None else clean(draft.recallable))
        for m, (_, draft, _) in zip(messages, placed, strict=True)
    ]
    connection.executemany(
        "INSERT INTO messages (id, turn, role, name, content, redacted, terms, tool_calls, "
        "tool_call_id, at, external_id, echo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                m.id,
                m.turn,
                m.role,
                m.name,
                m.content,
                None if text == m.content else text,
                index_terms(text),
                clean(_as_json(m.tool_calls)) if m.tool_calls else None,
                m.tool_call_id,
                stamp(m.at),
                m.external_id,
                int(m.echo),
            )
            for m, text in zip(messages, shown, strict=True)
        ],
    )
    connection.executemany(
        "INSERT INTO speakers (name) VALUES (?) ON CONFLICT DO NOTHING",
        [(name,) for name in sorted({m.name for m in messages if m.name})],
    )
    return tuple(messages)
