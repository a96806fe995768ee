"""What a turn costs does not grow with its session: the work of SQLite is counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_files import sqlite_of

from scenemem import MemoryDB, MessageDraft

SHORT, LONG = 100, 3_000  # messages
TAIL = 10


def filled(path: Path, messages: int) -> MemoryDB:
    """A memory with one session of so many messages; its turns were extracted."""
    db = MemoryDB(path, synchronous="NORMAL")
    drafts = [
        MessageDraft("assistant" if number % 2 else "user", f"The door number {number} is green.")
        for number in range(messages)
    ]
    db.sessions.append_messages("s", drafts)
    db.sessions.mark_extracted(dict.fromkeys(db.sessions.pending_turns(), 1))
    return db


def work(db: MemoryDB, deed: Callable[[MemoryDB], object]) -> int:
    """The steps of SQLite's machine that a deed takes, the fewest of some tries."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    tries = []
    with sqlite_of(db).reading() as connection:
        connection.set_progress_handler(count, 1)
    for _ in range(5):
        steps = 0
        deed(db)
        tries.append(steps)
    with sqlite_of(db).reading() as connection:
        connection.set_progress_handler(None, 0)
    assert min(tries) > 0
    return min(tries)


def read_the_tail(db: MemoryDB) -> None:
    """As an agent reads what its session's summary does not cover."""
    last = db.sessions.list_messages("s", limit=1, last=True)[0].id
    tail = db.sessions.list_messages("s", after=last - TAIL, last=True, limit=400)
    assert len(tail) == TAIL


DEEDS: dict[str, Callable[[MemoryDB], object]] = {
    "a question": lambda db: db.sessions.append_history("s", "user", "Which door is green?"),
    "an answer": lambda db: db.sessions.append_history("s", "assistant", "Number 7."),
    "a turn": lambda db: db.sessions.open_turn("s", MessageDraft("user", "Which door is green?")),
    "the last messages": lambda db: db.sessions.list_messages("s", limit=20, last=True),
    "the tail": read_the_tail,
    "the session itself": lambda db: db.sessions.get_session("s"),
    "what waits": lambda db: db.sessions.pending_turns(),
    "system messages": lambda db: db.sessions.list_messages("s", role="system", last=True, limit=5),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_long_session_takes_no_more_work_than_a_short_one(deed: str, tmp_path: Path) -> None:
    with filled(tmp_path / "a", SHORT) as short, filled(tmp_path / "b", LONG) as long:
        assert work(long, DEEDS[deed]) < 1.5 * work(short, DEEDS[deed])
