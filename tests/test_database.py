"""The file: opened safely, shared by threads and processes, read-only where it must be."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlite_files import leave_room, sqlite_of

from scenemem.base.errors import DatabaseError, SchemaVersionError
from scenemem.base.records import MessageDraft
from scenemem.memory.exporting import export_lines
from scenemem.memory.ingestion import ingest_file
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.store.sqlite import migrations
from scenemem.store.sqlite.database import Database


def test_a_new_file_holds_the_schema_and_says_whose_it_is(path: Path) -> None:
    Database(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (migrations.TODAYS.version,)
        assert connection.execute("PRAGMA application_id").fetchone() == (
            migrations.APPLICATION_ID,
        )
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_the_folder_of_a_new_file_is_made(tmp_path: Path) -> None:
    Database(tmp_path / "a" / "b" / "agent.db").close()
    assert (tmp_path / "a" / "b" / "agent.db").is_file()


def test_a_file_of_a_newer_version_is_refused_untouched(path: Path) -> None:
    Database(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaVersionError, match=f"999.*{migrations.TODAYS.version}"):
        Database(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: p.mkdir(), "is a directory"),
        (lambda p: p.write_bytes(b"not a database " * 1000), "is not a SQLite database"),
        (lambda p: p.write_text('{"a": 1}' * 200), "is not a SQLite database"),
    ],
)
def test_what_is_no_memory_file_is_named_in_one_sentence(
    path: Path, make: Callable[[Path], object], says: str
) -> None:
    make(path)
    with pytest.raises(DatabaseError, match=says) as caught:
        Database(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE invoices (id INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match=r"another program.*invoices"):
        Database(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_reported_and_never_replaced(path: Path, tmp_path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "the depot is in Leeds"})
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"\x00" * 100 + path.read_bytes()[100:])
    before = damaged.read_bytes()
    with pytest.raises(DatabaseError, match=r"damaged\.db"):
        MemoryDB(damaged)
    assert damaged.read_bytes() == before


def test_a_missing_fts5_is_said_at_open_and_leaves_no_schema(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WithoutFts5(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            if "fts5" in sql:
                raise sqlite3.OperationalError("no such module: fts5")
            return super().execute(sql, *arguments)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, factory=WithoutFts5, **k))
    with pytest.raises(DatabaseError, match=r"without FTS5.*python"):
        Database(path)
    monkeypatch.undo()
    assert not path.exists() or path.stat().st_size == 0


def test_a_file_marked_read_only_can_be_read_and_not_written(path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "the depot is in Leeds", "scene": "Depot"})
    path.chmod(0o444)
    with MemoryDB(path) as db:
        assert [c.content for c in db.cells.list_cells()] == ["the depot is in Leeds"]
        with pytest.raises(DatabaseError, match="read-only"):
            db.insert_cell({"content": "more"})
    assert not path.with_name("agent.db-wal").exists()


def _as_another_user(deed: Callable[[], str]) -> str:
    """What `deed` returns in a child process that has become an ordinary user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        os.write(writer, deed().encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return said


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs to become another user")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_another_users_file_in_a_locked_folder_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with MemoryDB(path) as db:
        db.insert_cell({"content": "the depot is in Leeds"})
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o055)

    def refusal(deed: Callable[[], object]) -> str:
        try:
            deed()
        except DatabaseError as error:
            return str(error)
        return "not refused"

    def deed() -> str:
        db = MemoryDB(path)
        return "\n".join(
            [
                db.cells.list_cells()[0].content,
                refusal(lambda: db.insert_cell({"content": "x"})),
                refusal(lambda: MemoryDB(tmp_path / "new.db")),
                refusal(lambda: MemoryDB(tmp_path / "folder" / "new.db")),
            ]
        )

    path.chmod(0o666)  # writable itself, in a folder that is not
    assert _as_another_user(lambda: MemoryDB(path).cells.list_cells()[0].content) == (
        "the depot is in Leeds"
    )
    path.chmod(0o644)
    content, refused, unopened, unmade = _as_another_user(deed).splitlines()
    assert content == "the depot is in Leeds"
    assert "agent.db is read-only" in refused
    assert "new.db can't be opened; check that the folder exists" in unopened
    assert "folder" in unmade and "choose a path in a folder that you can write to" in unmade


def test_a_closed_memory_says_so(path: Path) -> None:
    db = MemoryDB(path)
    db.close()
    db.close()
    with pytest.raises(DatabaseError, match="was closed"):
        db.cells.list_cells()


@pytest.mark.parametrize("where", ["file", ":memory:"])
def test_threads_share_one_memory(path: Path, where: str) -> None:
    db = MemoryDB(path if where == "file" else where)

    def work(thread: int) -> int:
        for n in range(25):
            db.insert_cell({"content": f"note {n} of thread {thread}", "scene": f"S{n % 3}"})
        return len(db.cells.list_cells(scene="S0"))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert db.cells.count_cells() == 200
    assert db.check() == []
    db.close()


_WRITER = """
import sys
from scenemem.memory.memory_db import MemoryDB
with MemoryDB(sys.argv[1]) as db:
    for n in range(100):
        db.insert_cell({"content": f"process {sys.argv[2]} wrote note {n}", "scene": "Shared"})
"""


def test_processes_share_one_file_without_a_lock_error(path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), str(n)], stderr=subprocess.PIPE, text=True
        )
        for n in range(4)
    ]
    with MemoryDB(path) as db:
        reads = 0
        while any(writer.poll() is None for writer in writers):
            db.cells.list_cells(limit=5)
            reads += 1
        errors = [writer.communicate()[1] for writer in writers]
        assert errors == [""] * 4
        assert reads > 0
        assert db.cells.count_cells() == 400
        assert db.scenes.count_scenes() == 1
        assert db.check() == []


def test_a_writer_waits_for_the_lock_and_readers_do_not(path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "before"})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        stored = threading.Thread(target=lambda: db.insert_cell({"content": "after"}))
        stored.start()
        assert [c.content for c in db.cells.list_cells()] == ["before"]
        time.sleep(0.05)
        assert stored.is_alive()
        other.execute("COMMIT")
        other.close()
        stored.join(timeout=20)
        assert [c.content for c in db.cells.list_cells()] == ["before", "after"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_uses_connections_of_its_own(path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "from the parent"})
        child = os.fork()
        if child == 0:
            db.insert_cell({"content": "from the child"})
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        db.insert_cell({"content": "after the child"})
        assert db.cells.count_cells() == 3
        assert db.check() == []


_ENDLESS = """
import sys
from scenemem.memory.memory_db import MemoryDB
db = MemoryDB(sys.argv[1])
n = 0
while True:
    db.insert_cell({"content": f"acknowledged note {n}", "scene": f"S{n % 5}"})
    print(n, flush=True)
    n += 1
"""


def test_a_killed_writer_loses_nothing_that_it_acknowledged(path: Path) -> None:
    for delay in (0.02, 0.05, 0.11):
        writer = subprocess.Popen(
            [sys.executable, "-c", _ENDLESS, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().split()
        writer.stdout.close()
        writer.wait()
        acknowledged = int(rest[-1]) if rest else 0
        with MemoryDB(path) as db:
            contents = {c.content for c in db.cells.list_cells()}
            assert {f"acknowledged note {n}" for n in range(acknowledged + 1)} <= contents
            assert db.check() == []
        path.unlink()


def test_after_close_the_one_file_holds_everything(path: Path, tmp_path: Path) -> None:
    db = MemoryDB(path)
    db.cells.insert_cells({"content": f"cell {n}"} for n in range(50))
    db.close()
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    with MemoryDB(copy) as copied:
        assert copied.cells.count_cells() == 50


def test_a_backup_is_whole_while_the_memory_is_open(path: Path, tmp_path: Path) -> None:
    with MemoryDB(path) as db:
        db.cells.insert_cells({"content": f"cell {n}"} for n in range(50))
        target = db.backup(tmp_path / "backup.db")
        with MemoryDB(target) as copied:
            assert copied.cells.count_cells() == 50
        with pytest.raises(DatabaseError, match="never overwrites"):
            db.backup(target)
        with pytest.raises(DatabaseError, match="backup"):
            db.backup(tmp_path / "missing" / "backup.db")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["agent.db", "backup.db"]


def test_an_index_that_disagrees_is_found_and_mended(path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "the violet lantern"})
        with sqlite_of(db).transaction() as connection:
            connection.execute("INSERT INTO mem_cells_fts (mem_cells_fts) VALUES ('delete-all')")
        assert db.check() == ["the full-text index mem_cells_fts does not agree with its table"]
        db.rebuild_index()
        assert db.check() == []


def test_cells_that_supersede_one_another_are_told_of_and_mended_by_their_import(
    path: Path,
) -> None:
    with MemoryDB(path) as db:
        cells = db.cells.insert_cells({"content": f"cell {n}", "scene": "s"} for n in range(5))
        one, two, three, _, last = (cell.id for cell in cells)
        with sqlite_of(db).transaction() as connection:  # as versions until now could leave them
            connection.executemany(
                "UPDATE mem_cells SET superseded_by = ?, valid_to = created_at WHERE id = ?",
                [(two, one), (three, two), (two, three), (last, last)],
            )
        ring, alone = f"the cells {two}, {three} supersede one another", f"({last})"
        faults = db.check()
        assert len(faults) == 2
        assert alone in faults[0] and ring in faults[1]
        lines = "\n".join(map(json.dumps, export_lines(db))).encode()
        assert len(ingest_file(MemoryManager(db), None, stream=io.BytesIO(lines)).bad) == 1
        assert db.cells.restore_succession(last, None, at=None)
        assert db.check() == []
        assert [cell.id for cell in db.cells.list_cells()] == [three, cells[3].id, last]


def test_nothing_more_is_stored_in_a_transaction_that_a_full_disk_ended(path: Path) -> None:
    with MemoryDB(path) as db:
        leave_room(db, pages=20)
        with (
            pytest.raises(DatabaseError, match="rolled back by an earlier error"),
            db.transaction(),
        ):
            db.notebook.upsert_global("a", 1)
            with pytest.raises(DatabaseError, match="disk is full"):
                db.notebook.upsert_global("b", "x" * 500_000)
            with pytest.raises(DatabaseError, match="rolled back by an earlier error"):
                db.notebook.upsert_global("c", 3)
        assert db.notebook.list_globals() == {}
        db.notebook.upsert_global("d", 4)
        assert db.notebook.list_globals() == {"d": 4}


def test_synchronous_is_full_or_normal(path: Path) -> None:
    with pytest.raises(ValueError, match="OFF"):
        Database(path, synchronous="OFF")  # type: ignore[arg-type]


def test_a_turn_left_open_long_ago_waits_for_extraction(path: Path) -> None:
    with MemoryDB(path) as db:
        db.sessions.open_turn("A", MessageDraft("user", "lost"))
        assert db.sessions.list_pending() == []
        with sqlite_of(db).transaction() as connection:
            connection.execute("UPDATE turns SET stored_at = '2020-01-01T00:00:00.000000Z'")
        assert [e.messages[0].content for e in db.sessions.list_pending()] == ["lost"]
