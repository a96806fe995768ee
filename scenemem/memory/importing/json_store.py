"""The session store that keeps its sessions in one JSON file, `memory_store.json`.

Its shape: `{"global": {key: value}, "sessions": {id: {"created_at", "short_term": {"notes",
"facts"}, "long_term": {"summary", "facts"}, "history": [{"role", "content"}]}}}`. Reading only;
what is read goes into a `SessionStore`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scenemem.base.errors import ImportFormatError
from scenemem.base.records import FactScope, MessageDraft
from scenemem.base.text import clean, fingerprint
from scenemem.memory.importing.imported import kind_of
from scenemem.memory.importing.json_values import BadJson, parse
from scenemem.memory.importing.openai_messages import read_message
from scenemem.memory.importing.said_at import read_time

__all__ = ["JsonStore", "StoredSession", "is_json_store", "read_json_store"]

_BEGINS = re.compile(
    r'\ufeff?\s*\{\s*(?:"global"\s*:\s*null\s*,\s*)?"(?:global|sessions)"\s*:\s*\{'
)
_HEAD = 4096  # characters


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


def is_json_store(path: Path) -> bool:
    """Whether a file looks like a JSON store, by how it begins."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return bool(_BEGINS.match(file.read(_HEAD)))
    except OSError:
        return False


def read_json_store(path: Path) -> JsonStore:
    """What the file holds. Raises `ImportFormatError`, which says what is wrong and where."""
    try:
        value = parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ImportFormatError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ImportFormatError(f"{path} is no UTF-8 text; save it as UTF-8") from error
    except BadJson as error:
        raise ImportFormatError(f"{path} is no session store: {error}") from error
    try:
        store = _object(value, "the file")
        return JsonStore(
            shared=_facts(store.get("global"), '"global"'),
            sessions=tuple(
                _session(name, _object(session, f"the session {name!r}"))
                for name, session in _object(store.get("sessions") or {}, '"sessions"').items()
            ),
        )
    except ValueError as error:
        raise ImportFormatError(f"{path} is no session store: {error}") from error


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
