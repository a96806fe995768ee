"""Changes of the notebook that are kept in the change log: one transaction for both.

Whoever changes it (a tool that the model calls, the command line, an app) is named in the log,
with the turn that caused it where there is one. What was `recalled` under a key before it changed
no longer is.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from scenemem.base.secrets import WITHHELD, is_secret, without_secrets
from scenemem.base.session_records import FactScope
from scenemem.base.text import clean
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.written_down import (
    SHARED_SESSION,
    fact_text,
    fact_texts,
    tell,
    withdraw,
)

__all__ = ["CounterOp", "as_json", "count", "jot", "remember", "share"]

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
    recalled: bool = False,
) -> None:
    """Save a fact of a session; see `Notebook.remember_fact`.

    It is the session's own, unless it is to be `recalled`: then it is a cell too.
    """
    with db.transaction():
        before = db.notebook.get_fact(session, key, scope)
        held = fact_texts(db, key) if recalled else set()
        db.notebook.remember_fact(session, key, value, scope)
        if recalled and (text := fact_text(key, value)):
            tell(db, text, instead_of=held, actor=actor, turn=turn)
        elif (
            clean(session) == SHARED_SESSION
            and before is not None
            and (old := fact_text(key, before.value))
        ):  # what all could recall is no longer held, and its cell would tell it on
            withdraw(db, [old], still_told=fact_texts(db, key), actor=actor, turn=turn)
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
    """Save a value that all sessions share, as a cell too; see `Notebook.upsert_global`."""
    with db.transaction():
        held = fact_texts(db, key)
        shared = db.notebook.list_globals()
        is_held, before = clean(key) in shared, shared.get(clean(key))
        db.notebook.upsert_global(key, value)
        if text := fact_text(key, value):
            tell(db, text, instead_of=held, actor=actor)
        elif is_held and (old := fact_text(key, before)):
            withdraw(db, [old], still_told=fact_texts(db, key), actor=actor)
        db.log.log_change(
            actor,
            "remember",
            f"global {key}",
            before=_logged(key, before) if is_held else None,
            after=_logged(key, value),
        )


def jot(
    db: MemoryDB,
    session: str,
    note: str,
    *,
    actor: str,
    turn: int | None = None,
    recalled: bool = False,
) -> None:
    """Write a note down, without the secrets in it; see `Notebook.add_note`.

    It is the session's own, unless it is to be `recalled`: then it is a cell too.
    """
    with db.transaction():
        written = db.notebook.add_note(session, without_secrets(note))
        subject = f"note {written.id} of {session}"
        db.log.log_change(actor, "jot", subject, turn=turn, after=written.note)
        if recalled:
            tell(db, written.note, actor=actor, turn=turn)


def count(
    db: MemoryDB,
    name: str,
    op: CounterOp,
    amount: int = 1,
    *,
    actor: str,
    turn: int | None = None,
) -> int:
    """Change a counter, or read it ("get"); return its value.

    `amount` is the step for "inc" and "dec", and the new value for "set". Raises `ValueError` if
    the counter would exceed 64 bits.
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
    """A value as JSON for display, without escaping non-ASCII characters."""
    return json.dumps(value, ensure_ascii=False)


def _subject(session: str, key: str) -> str:
    return f"fact {key} of {session}"
