"""Ingestion: a file of conversations, or an export of a memory, into the memory, in batches.

Each batch of messages is one transaction and is extracted before the next is read, so memory use
stays flat whatever the size of the file. If it stops at any point nothing is lost: the same call
again skips what is stored and extracts what waits. Summaries are made once, at the end. An export
is put back first (`restoring.py`) and what waited in it is extracted then.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from scenemem.base.checks import function_given, object_given, path_given, str_given
from scenemem.base.errors import DatabaseError, ImportFormatError
from scenemem.base.records import MessageDraft, now_utc
from scenemem.memory.importing import (
    BadLine,
    Imported,
    ImportedMessage,
    SavedEntry,
    SavedMessage,
    read_file,
)
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.restoring import Restoring

__all__ = ["Ingested", "append_messages", "changed_at", "ingest_file"]

BATCH = 500  # messages, or other parts of an export, a transaction
_NEW = 4  # with a message for every so many turns, the index is worth merging
_log = logging.getLogger("scenemem")


@dataclass
class Ingested:
    """What ingesting one file did: messages imported and skipped (stored before), bad lines.

    `cells` counts the cells extracted; `pending` the turns that still wait for extraction, because
    of `reason`. `restored` counts what else an export brought back, by kind ("cell", "fact", …).
    """

    imported: int = 0
    skipped: int = 0
    bad: list[BadLine] = field(default_factory=list)
    cells: int = 0
    pending: int = 0
    reason: str | None = None
    restored: Counter[str] = field(default_factory=Counter)

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
    """Take in a file of conversations, or an export; for the arguments see `importing.read_file`.

    A message for which the file gives no time at all gets the time of the file's last change (of a
    stream: now). Raises `ImportFormatError` if the file can't be read, `DatabaseError` if the
    memory can't be written; what was stored until then stays.
    """
    object_given("manager", manager, "a MemoryManager", "extract_pending", "take_in")
    path = None if path is None else Path(path_given("path", path))
    if session is not None:
        str_given("session", session, empty=False)
    if progress is not None:
        function_given("progress", progress)
    if path is None and stream is None:
        raise ValueError("ingest_file needs a path or a stream, got neither")
    done = Ingested()
    fallback = changed_at(path) if stream is None and path is not None else now_utc()
    items = read_file(path, format=format, stream=stream, session=session, progress=progress)
    can_go_on = _extract(manager, done)  # what an earlier, interrupted run left
    restoring = Restoring(manager.db)
    try:
        for batch in _batches(items, done.bad):
            said = [item for item in batch if isinstance(item, ImportedMessage)]
            if saved := [item for item in batch if not isinstance(item, ImportedMessage)]:
                restoring.take(saved)
            else:
                new, skipped = append_messages(manager.db, said, fallback)
                done.imported += new
                done.skipped += skipped
                can_go_on = can_go_on and _extract(manager, done)
    except ImportFormatError:
        _finish(manager, restoring, done, can_go_on)  # what came before the bad end counts
        raise
    _finish(manager, restoring, done, can_go_on)
    done.pending = len(manager.db.sessions.pending_turns())
    _merge_index(manager, done)
    return done


def _finish(manager: MemoryManager, restoring: Restoring, done: Ingested, can_go_on: bool) -> None:
    """Bring what was restored to its end, and renew the summaries that are due."""
    restoring.finish()
    done.bad += restoring.bad
    done.imported += restoring.messages
    done.skipped += restoring.skipped
    done.restored = +restoring.restored
    if restoring.messages and can_go_on:
        _extract(manager, done)
    manager.consolidate_stale()


def _merge_index(manager: MemoryManager, done: Ingested) -> None:
    """Make the index one piece where much of it is new; what was stored does not depend on it."""
    turns = sum(manager.db.sessions.count_turns().values())
    if done.imported and _NEW * done.imported >= turns:
        try:
            manager.db.merge_index()
        except DatabaseError as error:
            _log.warning("the full-text index stays in pieces: %s", error)


def changed_at(path: Path) -> datetime:
    """When a file last changed, as the time of messages for which it tells none."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return now_utc()  # reading it will say what is wrong


def _batches(
    items: Iterator[Imported], bad: list[BadLine]
) -> Iterator[list[ImportedMessage | SavedMessage | SavedEntry]]:
    """The parts of a file in batches, each of plain messages or of parts of an export.

    Plain messages are cut between turns; bad lines go to their list.
    """
    batch: list[ImportedMessage | SavedMessage | SavedEntry] = []
    plain = True
    for item in items:
        if isinstance(item, BadLine):
            bad.append(item)
            continue
        is_plain = isinstance(item, ImportedMessage)
        if batch and (is_plain != plain or (len(batch) >= BATCH and _begins_anew(item))):
            yield batch
            batch = []
        plain = is_plain
        batch.append(item)
    if batch:
        yield batch


def _begins_anew(item: ImportedMessage | SavedMessage | SavedEntry) -> bool:
    """Whether a batch can be cut before this part without cutting a turn in two."""
    if isinstance(item, SavedEntry) or (isinstance(item, SavedMessage) and "turn" in item.entry):
        return True
    return item.draft.role == "user"


def append_messages(
    db: MemoryDB, batch: Iterable[ImportedMessage], fallback: datetime
) -> tuple[int, int]:
    """Store plain messages of a file in one transaction; how many were new, how many here before.

    A message without a time gets that of the one before it in the batch, at first `fallback`.
    """
    by_session: dict[str, list[MessageDraft]] = {}
    for item in batch:
        # A file's system messages are kept, and give the agent no instructions.
        draft = item.draft._replace(echo=item.draft.echo or item.draft.role == "system")
        by_session.setdefault(item.session, []).append(draft)
    new = skipped = 0
    with db.transaction():
        for session, drafts in by_session.items():
            appended = db.sessions.append_messages(session, drafts, at=fallback)
            new += len(appended.messages)
            skipped += appended.skipped
    return new, skipped


def _extract(manager: MemoryManager, done: Ingested) -> bool:
    """Extract what waits; whether the engine could be asked."""
    extracted = manager.extract_pending()
    done.cells += len(extracted.cells)
    done.reason = next(iter((extracted.failed or {}).values()), done.reason)
    return not extracted.failed
