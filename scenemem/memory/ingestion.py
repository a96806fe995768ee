"""Ingestion: a file of conversations into the memory, in batches, resumable, nothing twice.

Each batch of messages is one transaction and is extracted before the next is read, so memory use
stays flat whatever the size of the file and a stop at any point loses nothing: the same call again
skips what is stored and extracts what waits. Summaries are made once, at the end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from scenemem.base.checks import function_given, object_given, path_given, str_given
from scenemem.base.errors import DatabaseError, ImportFormatError
from scenemem.base.records import MessageDraft, now_utc
from scenemem.base.secrets import WITHHELD
from scenemem.memory.importing import BadLine, Imported, ImportedMessage, read_file
from scenemem.memory.importing.imported import NotebookEntry
from scenemem.memory.importing.json_store import is_json_store
from scenemem.memory.importing.said_at import read_time
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.session_store import SessionStore
from scenemem.store.protocol import Notebook

__all__ = ["Ingested", "ingest_file"]

BATCH = 500  # messages a transaction
_NEW = 4  # with a message for every so many turns, the index is worth merging
_log = logging.getLogger("scenemem")


@dataclass
class Ingested:
    """What ingesting one file did: messages imported and skipped (stored before), bad lines.

    `cells` counts the cells kept; `pending` the turns whose extraction still waits, for `reason`.
    """

    imported: int = 0
    skipped: int = 0
    bad: list[BadLine] = field(default_factory=list)
    cells: int = 0
    pending: int = 0
    reason: str | None = None

    @property
    def failed(self) -> int:
        """How many parts of the file were lost."""
        return sum(line.lost for line in self.bad)


def ingest_file(
    manager: MemoryManager,
    path: str | Path | None,
    *,
    format: str | None = None,
    stream: IO[bytes] | None = None,
    session: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Ingested:
    """Take in a file of conversations; arguments as of `importing.read_file`.

    A message whose file tells no time at all gets that of the file's last change (of a stream:
    now). Raises `ImportFormatError` when the file can't be read, `DatabaseError` when the memory
    can't be written; what was stored until then stays.
    """
    object_given("manager", manager, "a MemoryManager", "extract_pending", "take_in")
    path = None if path is None else Path(path_given("path", path))
    if session is not None:
        str_given("session", session, empty=False)
    if progress is not None:
        function_given("progress", progress)
    if path is None and stream is None:
        raise ValueError("ingest_file needs a path or a stream, got neither")
    if stream is None and path is not None and format is None and is_json_store(path):
        return _take_in_store(manager, path)
    done = Ingested()
    fallback = _changed_at(path) if stream is None and path is not None else now_utc()
    entries: list[NotebookEntry] = []
    items = read_file(path, format=format, stream=stream, session=session, progress=progress)
    can_go_on = _extract(manager, done)  # what an earlier, interrupted run left
    try:
        for batch in _batches(items, done.bad, entries):
            _store(manager, batch, fallback, done)
            can_go_on = can_go_on and _extract(manager, done)
    except ImportFormatError:
        manager.consolidate_stale()  # the file ends badly: what came before it counts
        raise
    _write_down(manager.db, entries, done.bad)
    manager.consolidate_stale()
    done.pending = len(manager.db.sessions.pending_turns())
    _merge_index(manager, done)
    return done


def _merge_index(manager: MemoryManager, done: Ingested) -> None:
    """Make the index one piece where much of it is new; what was stored does not depend on it."""
    turns = sum(manager.db.sessions.count_turns().values())
    if done.imported and _NEW * done.imported >= turns:
        try:
            manager.db.merge_index()
        except DatabaseError as error:
            _log.warning("the full-text index stays in pieces: %s", error)


def _take_in_store(manager: MemoryManager, path: Path) -> Ingested:
    """A `memory_store.json`: its sessions with their notebooks."""
    store = SessionStore(manager.db).import_json_store(path)
    done = Ingested(imported=store.messages, skipped=store.skipped)
    _extract(manager, done)
    manager.consolidate_stale()
    done.pending = len(manager.db.sessions.pending_turns())
    return done


def _changed_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return now_utc()  # reading it will say what is wrong


def _batches(
    items: Iterator[Imported], bad: list[BadLine], entries: list[NotebookEntry]
) -> Iterator[list[ImportedMessage]]:
    """The messages in batches that end between turns; the other items go to their lists."""
    batch: list[ImportedMessage] = []
    for item in items:
        if isinstance(item, BadLine):
            bad.append(item)
            continue
        if isinstance(item, NotebookEntry):
            entries.append(item)
            continue
        if len(batch) >= BATCH and item.draft.role == "user":
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _write_down(db: MemoryDB, entries: list[NotebookEntry], bad: list[BadLine]) -> None:
    """What an export says was written down, in one transaction; what is here already stays."""
    with db.transaction():
        for entry in entries:
            try:
                _restore(db.notebook, entry)
            except (KeyError, TypeError, ValueError) as error:
                told = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                bad.append(BadLine(f"a {entry.kind}", told))


def _restore(notebook: Notebook, entry: NotebookEntry) -> None:
    line = entry.entry
    if line.get("value") == WITHHELD:
        return
    if entry.kind == "fact":
        session, key, scope = line["session"], line["key"], line["scope"]
        if notebook.get_fact(session, key, scope) is None:
            notebook.remember_fact(session, key, line["value"], scope)
    elif entry.kind == "note":
        if line["note"] not in {note.note for note in notebook.list_notes(line["session"])}:
            notebook.add_note(line["session"], line["note"], at=read_time(line.get("at")))
    elif entry.kind == "global":
        if line["key"] not in notebook.list_globals():
            notebook.upsert_global(line["key"], line["value"])
    elif notebook.get_counter(line["name"]) is None:
        notebook.set_counter(line["name"], line["count"])


def _store(
    manager: MemoryManager, batch: list[ImportedMessage], fallback: datetime, done: Ingested
) -> None:
    with manager.db.transaction():
        by_session: dict[str, list[MessageDraft]] = {}
        for item in batch:
            # A file's system messages are kept, and give the agent no instructions.
            draft = item.draft._replace(echo=item.draft.echo or item.draft.role == "system")
            by_session.setdefault(item.session, []).append(draft)
        for session, drafts in by_session.items():
            appended = manager.db.sessions.append_messages(session, drafts, at=fallback)
            done.imported += len(appended.messages)
            done.skipped += appended.skipped


def _extract(manager: MemoryManager, done: Ingested) -> bool:
    """Extract what waits; whether the engine could be asked."""
    extracted = manager.extract_pending()
    done.cells += len(extracted.cells)
    done.reason = next(iter((extracted.failed or {}).values()), done.reason)
    return not extracted.failed
