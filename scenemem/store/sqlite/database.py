"""Database: one SQLite file, opened safely, shared by threads and processes.

A pool of connections, one in use per thread at a time, so that readers never wait for a writer;
every write goes through `transaction()`, which takes the write lock at its start (`BEGIN
IMMEDIATE`: a transaction that first reads and then writes would fail at once when another
process wrote in between, whatever the timeout). The file is in WAL mode, with a full sync at
each commit unless `synchronous="NORMAL"` is asked for. Every `sqlite3.Error` leaves as a
`DatabaseError` that names the file.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from scenemem.base.checks import bool_given, one_of_given, path_given
from scenemem.base.errors import DatabaseError, SchemaVersionError
from scenemem.store.sqlite import migrations

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Database", "id_list"]

# Paths are strings here, and os.path does the work: pathlib takes longer to load than a small
# memory takes to answer.

BUSY_TIMEOUT_MS = 30_000
CACHE_KIB = 32 * 1024
IN_MEMORY = ":memory:"


class _Held(threading.local):
    """The connection that the current thread is using, and how deep in transactions it is."""

    connection: sqlite3.Connection | None = None
    depth: int = 0


class Database:
    """One memory file.

    `path` is the file's path, created when missing (its folder is too), or ":memory:".
    `read_only` opens without ever writing; a file without write permission is opened so by
    itself. `schema` is what an older file is brought to. Raises `DatabaseError` when the path
    can't be opened, is no SQLite database, or belongs to another program; `SchemaVersionError`
    when a newer scenemem wrote it.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        schema: migrations.Schema = migrations.TODAYS,
    ) -> None:
        self.file = path_given("path", path)
        bool_given("read_only", read_only)
        one_of_given("synchronous", synchronous, ("FULL", "NORMAL"))
        self.in_memory = self.file == IN_MEMORY
        self.read_only = read_only or (os.path.isfile(self.file) and not _is_writable(self.file))
        self._synchronous = synchronous
        self._schema = schema
        self._idle: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        # A database in memory lives in one connection, which threads take in turn.
        self._gate = threading.RLock() if self.in_memory else None
        self._inherited: list[sqlite3.Connection] = []
        self._pid = os.getpid()
        self._closed = False
        self._held = _Held()
        self._open()

    # -- opening -----------------------------------------------------------------------------

    def _open(self) -> None:
        with self._explained("be opened"):
            if not self.in_memory:
                self._check_path()
            connection = self._connect()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)

    def _check_path(self) -> None:
        if os.path.isdir(self.file):
            raise DatabaseError(f"{self.file} is a directory; give the path of a memory file in it")
        if self.read_only:
            if not os.path.exists(self.file):
                raise DatabaseError(f"{self.file} does not exist, so it can't be opened read-only")
            return
        folder = os.path.dirname(os.path.abspath(self.file))
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise DatabaseError(
                f"the folder {folder} can't be made ({error.strerror}); "
                "choose a path in a folder that you can write to"
            ) from error

    def _connect(self) -> sqlite3.Connection:
        where = self.file
        if self.read_only:
            where = f"{self.path.resolve().as_uri()}?{self._read_only_mode()}"
        connection = sqlite3.connect(
            where,
            uri=self.read_only,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        # A bulk insert touches the indexes all over; with the default of 2 MiB it takes longer.
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return connection

    def _read_only_mode(self) -> str:
        # A WAL database whose folder can't take its -wal and -shm files opens only as immutable;
        # that is sound when nobody can write to it and no changes were left in a -wal file.
        wal = f"{self.file}-wal"
        has_changes = os.path.exists(wal) and os.path.getsize(wal) > 0
        may_change = _is_writable(self.file)
        return "mode=ro" if has_changes or may_change else "immutable=1"

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check whose file it is, bring it to this version's schema, switch to WAL."""
        connection.execute("BEGIN")  # one view of the file: another process may be upgrading it
        try:
            found = self._inspected(connection)
        finally:
            connection.execute("COMMIT")
        if found.version < self._schema.version:
            if self.read_only:
                raise DatabaseError(
                    f"{self.file} has an older schema and is read-only; make it writable once, so "
                    "that it can be upgraded"
                )
            migrations.require_fts5(connection)
            if found.is_empty:
                self._use_wal(connection)
            self._bring_up(connection)
        if not self.read_only:
            self._use_wal(connection)

    def _inspected(self, connection: sqlite3.Connection) -> migrations.Found:
        """What the file holds. Raises `DatabaseError` for what is not to be touched."""
        found = migrations.inspect(connection)
        if found.foreign:
            raise DatabaseError(
                f"{self.file} is a SQLite database of another program (it has the table "
                f"{found.foreign!r}); choose another path for the memory"
            )
        if found.version > self._schema.version:
            raise SchemaVersionError(
                f"{self.file} has schema version {found.version}, written by a newer scenemem; "
                f"this one knows up to version {self._schema.version}: upgrade scenemem to open it"
            )
        return found

    def _bring_up(self, connection: sqlite3.Connection) -> None:
        """Make the schema in an empty file, or take the steps from an older one, one by one."""
        # A step may rebuild a table; enforced, the old one would take its children with it.
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            copied = False
            while self._brought_on(connection, keep_copy=not copied):
                copied = True
        finally:
            connection.execute("PRAGMA foreign_keys = ON")

    def _brought_on(self, connection: sqlite3.Connection, *, keep_copy: bool) -> bool:
        """Make the schema or take one step, all or nothing; False when there is none to take."""
        with self._transaction_on(connection):
            found = self._inspected(connection)  # under the lock: another process may be faster
            if found.version == self._schema.version:
                return False
            if found.is_empty:
                migrations.make(connection, self._schema)
                return True
            if keep_copy:
                self._keep_copy(found.version)
            try:
                migrations.take_step(connection, self._schema, found.version)
            except Exception as error:
                why = str(error) or type(error).__name__
                if isinstance(error, sqlite3.Error):
                    why = _remedy(error) or why
                raise DatabaseError(
                    f"{self.file} can't be upgraded from schema version {found.version} to "
                    f"{found.version + 1} and was left as it is: {why}"
                ) from error
            return True

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # The switch needs the file to itself for a moment and does not wait by itself.
        deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _keep_copy(self, version: int) -> None:
        """A copy of the file from before its upgrade, beside it; made while the lock is held."""
        copy = self.path.with_name(f"{self.path.name}.before-upgrade-{version}")
        if copy.exists():
            return
        # Nobody else is copying, so what lies under this name was left when a copy was cut short.
        partial = copy.with_name(f".{copy.name}.partial")
        connection = self._connect()  # the one that holds the lock can't be copied from
        try:
            _copy_into(connection, copy, partial)
        except (OSError, sqlite3.Error) as error:
            raise DatabaseError(
                f"{self.file} was not upgraded, as the safety copy {copy} can't be written: {error}"
            ) from error
        finally:
            connection.close()

    @property
    def path(self) -> Path:
        """The file's path; `:memory:` for a memory without a file."""
        from pathlib import Path

        return Path(self.file)

    # -- using -------------------------------------------------------------------------------

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with; inside a transaction of this thread, the same one."""
        with self._explained("be read"), self._connection() as connection:
            yield connection

    def held_connection(self) -> sqlite3.Connection:
        """The connection that this thread holds, in a `snapshot()` or a `transaction()`."""
        if self._held.connection is None:
            raise RuntimeError("evidence is read inside a snapshot(): with db.snapshot(): …")
        return self._held.connection

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with, whose statements all see the memory as it was at the first.

        Inside a transaction of this thread, the same connection; nothing can be written in it.
        """
        with self.reading() as connection:
            if connection.in_transaction:
                yield connection
                return
            # Besides, a statement of its own would take the lock and look for changes anew each.
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # SQLite itself ends one after some faults
                    connection.execute("COMMIT")

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a `transaction()`."""
        return self._held.depth > 0

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing: commits at the end, rolls back on any exception; nests."""
        if self.read_only:
            raise DatabaseError(
                f"{self.file} is read-only, so nothing can be stored in it; "
                "make it writable or use a copy"
            )
        with (
            self._explained("be written"),
            self._connection() as connection,
            self._transaction_on(connection),
        ):
            yield connection

    @contextlib.contextmanager
    def _transaction_on(self, connection: sqlite3.Connection) -> Iterator[None]:
        level = self._held.depth
        begin, commit, rollback = (
            ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
            if level == 0
            else (f"SAVEPOINT s{level}", f"RELEASE s{level}", f"ROLLBACK TO s{level}")
        )
        if level:
            self._require_open(connection)
        connection.execute(begin)
        self._held.depth = level + 1
        try:
            yield
            self._require_open(connection)
            connection.execute(commit)
        except BaseException:
            # SQLite itself has rolled back after some faults (a full disk): nothing is left then.
            if connection.in_transaction:
                connection.execute(rollback)
            raise
        finally:
            self._held.depth = level

    def _require_open(self, connection: sqlite3.Connection) -> None:
        """Raise if SQLite ended the transaction: statements after that would be stored one by one.

        Whoever ignores the fault that ended it gets here.
        """
        if not connection.in_transaction:
            raise DatabaseError(
                f"the transaction in {self.file} was rolled back by an earlier error, so nothing "
                "of it is stored; leave the transaction when a DatabaseError is raised in it"
            )

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._pid != os.getpid():
            self._leave_to_parent()
        if self._held.connection is not None:
            yield self._held.connection
            return
        with self._gate or contextlib.nullcontext():
            connection = self._held.connection = self._take()
            try:
                yield connection
            finally:
                self._held.connection = None
                self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        with self._guard:
            if self._closed:
                raise DatabaseError(f"{self.file} was closed; open it again with MemoryDB(path)")
            self._leave_to_parent()
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _leave_to_parent(self) -> None:
        """A forked child must not touch its parent's connections, not even to close them."""
        if self._pid == os.getpid():
            return
        self._inherited, self._idle = self._idle, []
        self._held = _Held()
        self._pid = os.getpid()
        if self.in_memory:
            self._closed = True  # it lives in the parent alone

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._guard:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    @contextlib.contextmanager
    def _explained(self, deed: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise DatabaseError(self._explanation(error, deed)) from error

    def _explanation(self, error: sqlite3.Error, deed: str) -> str:
        if "no such module: fts5" in str(error):
            return migrations.NO_FTS5
        remedy = _remedy(error)
        return f"{self.file} {remedy}" if remedy else f"{self.file} can't {deed}: {error}"

    # -- the whole file ----------------------------------------------------------------------

    def backup(self, destination: str | os.PathLike[str]) -> Path:
        """Write a consistent copy to `destination`, safe while others write; return its path.

        Raises `DatabaseError` when the destination exists or can't be written.
        """
        from pathlib import Path

        target = Path(path_given("destination", destination))
        if target.exists():
            raise DatabaseError(f"{target} exists already; a backup never overwrites a file")
        with self._explained("be copied"), self._connection() as connection:
            try:
                partial = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
                _copy_into(connection, target, partial)
            except (OSError, sqlite3.Error) as error:
                raise DatabaseError(f"the backup {target} can't be written: {error}") from error
        return target

    def check(self) -> list[str]:
        """What is wrong with the file, a sentence each; empty when all is well."""
        from scenemem.store.sqlite import upkeep

        with self._explained("be checked"), self._connection() as connection:
            return upkeep.check(connection, writable=not self.read_only)

    def rebuild_index(self) -> None:
        """Make the full-text indexes anew from the tables."""
        from scenemem.store.sqlite import upkeep

        with self.transaction() as connection:
            upkeep.rebuild_index(connection)

    def merge_index(self) -> None:
        """Make each full-text index one piece: what was stored bit by bit is then found faster.

        It reads and writes all of the index, about a second for a million texts; worth it when
        much of it is new.
        """
        from scenemem.store.sqlite import upkeep

        with self.transaction() as connection:
            upkeep.merge_index(connection)

    def scrub(self) -> None:
        """See to it that deleted words leave the file: merge the index, empty the WAL."""
        self.merge_index()
        if self._held.depth == 0:
            with self._explained("be written"), self._connection() as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close; the one file then holds everything. Closing twice is fine."""
        with self._guard:
            self._leave_to_parent()
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_held"):
            self.close()


def id_list(ids: Iterable[int]) -> str:
    """Ids as the JSON list that `json_each` reads, without loading json for it."""
    return f"[{','.join(map(str, ids))}]"


def _is_writable(path: str) -> bool:
    """Whether a file can be written, and its folder, in which the log of changes stands."""
    # For root every file can be written; one without any write bit is still meant to be kept.
    folder = os.path.dirname(os.path.abspath(path))
    may_write = os.access(path, os.W_OK) and os.access(folder, os.W_OK)
    return may_write and bool(os.stat(path).st_mode & 0o222)


def _copy_into(connection: sqlite3.Connection, target: Path, partial: Path) -> None:
    """An online backup into a new file, which appears under its name only when whole.

    Until then it is `partial`; what lies there is replaced.
    """
    _remove_database(partial)
    try:
        copy = sqlite3.connect(partial)
        try:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
        partial.rename(target)
    finally:
        _remove_database(partial)


def _remove_database(file: Path) -> None:
    """Remove a database file with what SQLite keeps beside it, as far as it is there."""
    for ending in ("", "-journal", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _remedy(error: sqlite3.Error) -> str:
    """What has befallen the file and what to do, where that is known; else ""."""
    remedies = {
        "file is not a database": "is not a SQLite database, or its beginning is damaged; "
        "restore it from a backup or choose another path",
        "malformed": "is damaged; restore it from a backup, or recover it with SQLite's "
        "'.recover' command",
        "locked": f"stayed locked by another process for {BUSY_TIMEOUT_MS // 1000} s; "
        "try again when that process is done",
        "unable to open": "can't be opened; check that the folder exists and that you may "
        "write to it",
        "readonly": "is read-only; make the file and its folder writable, or use a copy",
        "disk is full": "can't grow since the disk is full; free some space and try again",
    }
    return next((remedy for sign, remedy in remedies.items() if sign in str(error)), "")
