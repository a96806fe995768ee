"""The session store that keeps its sessions in one JSON file, `memory_store.json`.

Its shape: `{"global": {key: value}, "sessions": {id: {"created_at", "short_term": {"notes",
"facts"}, "long_term": {"summary", "facts"}, "history": [{"role", "content"}]}}}`. It is taken in
whole or not at all: `SessionStore.import_json_store` does so, and so does an import of any file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scenemem.base.errors import ImportFormatError
from scenemem.base.records import MessageDraft
from scenemem.base.session_records import FactScope
from scenemem.base.text import clean, fingerprint
from scenemem.memory.importing.format import (
    Conversation,
    JsonFormat,
    Read,
    SavedEntry,
    WrongFormatError,
    kind_of,
    short_id,
)
from scenemem.memory.importing.json_values import BadJson, parse
from scenemem.memory.importing.openai_messages import read_message
from scenemem.memory.importing.times import read_time

__all__ = ["FORMAT", "JsonStore", "StoredSession", "parts_of", "read_json_store"]


class StoredSession(NamedTuple):
    """One session of a JSON store."""

    session: str
    created_at: datetime | None
    summary: str
    facts: tuple[tuple[FactScope, str, Any], ...]
    notes: tuple[str, ...]
    history: tuple[MessageDraft, ...]


class JsonStore(NamedTuple):
    """All that a JSON store holds."""

    shared: dict[str, Any]
    sessions: tuple[StoredSession, ...]


def read_json_store(path: Path) -> JsonStore:
    """What the file holds. Raises `ImportFormatError`, which says what is wrong and where."""
    try:
        return _store(parse(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ImportFormatError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ImportFormatError(f"{path} is no UTF-8 text; save it as UTF-8") from error
    except ValueError as error:
        raise ImportFormatError(f"{path} is no session store: {error}") from error


def read_store(value: object, where: str) -> Iterator[Read]:
    """The parts of a store. Raises `WrongFormatError` before the first of them if any is wrong."""
    try:
        if isinstance(value, BadJson):
            raise value
        store = _store(value)
    except ValueError as error:
        raise WrongFormatError(f"is no session store: {error}") from error
    yield from parts_of(store, where)


def parts_of(store: JsonStore, where: str) -> Iterator[SavedEntry | Conversation]:
    """All that a store holds, as lines of our own export would tell it; messages last."""
    for key, shared in store.shared.items():
        yield SavedEntry(where, "global", {"key": key, "value": shared})
    for session in store.sessions:
        name = session.session
        place = f"session {short_id(name)}"
        at = session.created_at and session.created_at.isoformat()
        yield SavedEntry(place, "session", {"session": name, "at": at})
        for scope, key, fact in session.facts:
            line = {"session": name, "key": key, "value": fact, "scope": scope}
            yield SavedEntry(place, "fact", line)
        for note in session.notes:
            if note.strip():
                yield SavedEntry(place, "note", {"session": name, "note": note, "at": at})
        if session.summary:
            yield SavedEntry(place, "summary", {"session": name, "summary": session.summary})
    for session in store.sessions:
        yield Conversation(session.history, session.session, at=session.created_at)


def _store(value: object) -> JsonStore:
    store = _object(value, "the file")
    return JsonStore(
        shared=_facts(store.get("global"), '"global"'),
        sessions=tuple(
            _session(name, _object(session, f"the session {name!r}"))
            for name, session in _object(store.get("sessions") or {}, '"sessions"').items()
        ),
    )


def _session(name: str, session: dict[str, Any]) -> StoredSession:
    where = f"of the session {name!r}"
    short = _object(session.get("short_term") or {}, f'"short_term" {where}')
    long = _object(session.get("long_term") or {}, f'"long_term" {where}')
    facts = {
        "short": _facts(short.get("facts"), f"the short-term facts {where}"),
        "long": _facts(long.get("facts"), f"the long-term facts {where}"),
    }
    summary = long.get("summary") or ""
    return StoredSession(
        session=name,
        created_at=_time(session.get("created_at") or None, f'"created_at" {where}'),
        summary=_text(summary, f"the summary {where}"),
        facts=tuple(
            (scope, key, value)
            for scope in ("short", "long")
            for key, value in facts[scope].items()
        ),
        notes=tuple(
            _note(note, f"a note {where}")
            for note in _list(short.get("notes") or [], f"the notes {where}")
        ),
        history=tuple(_history(session.get("history") or [], f"the history {where}")),
    )


def _history(messages: object, what: str) -> Iterator[MessageDraft]:
    """The messages, each with an id that it has in every import of the file, grown or shortened."""
    seen: Counter[tuple[str, str]] = Counter()
    for number, message in enumerate(_list(messages, what), 1):
        try:
            draft = read_message(_object(message, "a message"))
        except ValueError as error:
            raise ValueError(f"{what}, message {number}: {error}") from None
        if draft is not None:
            said = (draft.role, draft.content)
            seen[said] += 1
            print_ = fingerprint(f"{draft.role} {draft.content}")
            yield draft._replace(external_id=f"json-store-{print_:x}-{seen[said]}")


def _time(value: object, what: str) -> datetime | None:
    try:
        return read_time(value)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {kind_of(value)}, not an object")
    return dict(value)


def _facts(value: object, what: str) -> dict[str, Any]:
    """Keys and values that a notebook can hold; none where there is nothing."""
    facts = _object({} if value is None else value, what)
    for key, fact in facts.items():
        if not clean(key).strip():
            raise ValueError(f"{what}: a key is empty")
        try:
            json.dumps(fact, allow_nan=False)
        except RecursionError:
            raise ValueError(f"{what}: the value of {key!r} is nested too deeply") from None
        except ValueError:
            raise ValueError(f"{what}: the value of {key!r} holds no JSON number") from None
    return facts


def _note(value: object, what: str) -> str:
    """A note's text; a number stands for its digits, null for nothing."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    return "" if value is None else _text(value, what)


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is {kind_of(value)}, not a list")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is {kind_of(value)}, not a text")
    return value


FORMAT = JsonFormat(
    name="memory-store",
    signs=(frozenset({"global"}), frozenset({"sessions"})),
    unit="store",
    read_value=read_store,
)
