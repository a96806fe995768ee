"""Changes of the notebook that are kept in the change log: one transaction for both.

Whoever changes it (a tool that the model calls, the command line, an app) is named in the log,
with the turn that caused it where there is one.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from scenemem.base.errors import NotFoundError
from scenemem.base.records import FactScope
from scenemem.base.secrets import WITHHELD, is_secret, without_secrets
from scenemem.memory.memory_db import MemoryDB

__all__ = ["CounterOp", "as_json", "count", "forget_global", "jot", "remember", "share"]

CounterOp = Literal["inc", "dec", "get", "set", "reset"]


def remember(
    db: MemoryDB,
    session: str,
    key: str,
    value: Any,
    scope: FactScope,
    *,
    actor: str,
    turn: int | None = None,
) -> None:
    """Save a fact of a session; see `Notebook.remember_fact`."""
    with db.transaction():
        before = db.notebook.get_fact(session, key, scope)
        db.notebook.remember_fact(session, key, value, scope)
        db.log.log_change(
            actor,
            "remember",
            _subject(session, key),
            turn=turn,
            before=None if before is None else _logged(key, before.value),
            after=_logged(key, value),
            reason=f"{scope} term",
        )


def share(db: MemoryDB, key: str, value: Any, *, actor: str) -> None:
    """Save a value that all sessions share; see `Notebook.upsert_global`."""
    with db.transaction():
        db.notebook.upsert_global(key, value)
        db.log.log_change(actor, "remember", f"global {key}", after=_logged(key, value))


def forget_global(db: MemoryDB, key: str, *, actor: str) -> None:
    """Remove a value that all sessions share, and what the log quoted of it; scrub the file.

    Raises `NotFoundError` when there is none.
    """
    subject = f"global {key}"
    with db.transaction():
        if not db.notebook.delete_global(key):
            raise NotFoundError(f"no {key!r} is saved for all sessions")
        db.log.blank_changes([subject])
        db.log.log_change(actor, "forget", subject)
    db.scrub()


def jot(db: MemoryDB, session: str, note: str, *, actor: str, turn: int | None = None) -> None:
    """Write a note down, without the secrets in it; see `Notebook.add_note`."""
    with db.transaction():
        written = db.notebook.add_note(session, without_secrets(note))
        subject = f"note {written.id} of {session}"
        db.log.log_change(actor, "jot", subject, turn=turn, after=written.note)


def count(
    db: MemoryDB,
    name: str,
    op: CounterOp,
    amount: int = 1,
    *,
    actor: str,
    turn: int | None = None,
) -> int:
    """Change a counter, or read it ("get"); return where it stands.

    `amount` is the step of "inc" and "dec", and the new count of "set". Raises `ValueError` where
    the counter would leave 64 bits.
    """
    notebook = db.notebook
    if op == "get":
        return notebook.get_counter(name) or 0
    with db.transaction():
        before = notebook.get_counter(name)
        if op in ("set", "reset"):
            after = notebook.set_counter(name, amount if op == "set" else 0)
        else:
            after = notebook.add_to_counter(name, amount if op == "inc" else -amount)
        old = None if before is None else str(before)
        db.log.log_change(
            actor, "count", f"counter {name}", turn=turn, before=old, after=str(after)
        )
    return after


def _logged(key: str, value: Any) -> str:
    return WITHHELD if is_secret(key, value) else as_json(value)


def as_json(value: Any) -> str:
    """A value as it is shown: JSON, in the characters themselves."""
    return json.dumps(value, ensure_ascii=False)


def _subject(session: str, key: str) -> str:
    return f"fact {key} of {session}"
