"""Files of every schema there was become today's, step by step, with nothing lost on the way."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kept_files import ARTICLE_TEXTS, DAY, EMBEDDER, all_it_holds, kept_file, tell_everything

from scenemem.base import text as todays_texts
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.errors import DatabaseError, SchemaVersionError
from scenemem.base.records import stamp
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.store.evidence import Scope
from scenemem.store.sought import phrase
from scenemem.store.sqlite import migrations
from scenemem.store.sqlite.migrations import TODAYS, Schema
from scenemem.store.sqlite.steps import from_the_article, texts_of_version_1
from scenemem.store.sqlite.store import SQLiteStore

# The schema of each version, as its files have it. A line is added with a version, none is changed:
# memories of all of them are in use.
DIGESTS = {
    1: "cd571a877193f4dd",
}
SHADOW = re.compile(r"_fts_(data|idx|docsize|config|content)$")


def schema_of(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    """The schema in a database, but for what SQLite and FTS5 add and for layout and comments."""
    return sorted(
        (kind, name, _normalised(sql))
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
        if not name.startswith("sqlite_") and not SHADOW.search(name)
    )


def _normalised(sql: str) -> str:
    without_comments = re.sub(r"--[^\n]*", "", sql).replace('"', "")
    return re.sub(r"\s*([(),;|]+|\s)\s*", r"\1", " ".join(without_comments.split()))


def schema_of_file(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    found = schema_of(connection)
    connection.close()
    return found


def digest_of(schema: list[tuple[str, ...]]) -> str:
    return hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def names_beside(path: Path) -> list[str]:
    return sorted(p.name for p in path.parent.iterdir())


@pytest.fixture
def old_file(path: Path) -> Path:
    """A file of the article's schema: 12 cells, JSON text, loose index."""
    shutil.copy(kept_file(0), path)
    return path


@pytest.fixture
def todays_file(path: Path) -> Path:
    """A file of today's version, before whatever step comes next."""
    shutil.copy(kept_file(V), path)
    return path


# -- no schema changes in place --------------------------------------------------------------------


def test_a_new_file_has_the_schema_to_which_the_steps_lead(path: Path, old_file: Path) -> None:
    SQLiteStore(old_file).close()
    new = path.with_name("new.db")
    SQLiteStore(new).close()
    assert schema_of_file(old_file) == schema_of_file(new)
    assert version_of(old_file) == version_of(new) == TODAYS.version


def test_todays_schema_is_the_one_recorded_for_its_version(path: Path) -> None:
    SQLiteStore(path).close()
    digest = digest_of(schema_of_file(path))
    assert digest == DIGESTS.get(TODAYS.version), (
        f"the schema of version {TODAYS.version} is {digest} now: if it has changed, give it a "
        "version and a step of its own (migrations.py says how)"
    )


@pytest.mark.parametrize("version", DIGESTS)
def test_every_version_has_a_file_of_its_schema_kept(version: int) -> None:
    assert version_of(kept_file(version)) == version
    assert digest_of(schema_of_file(kept_file(version))) == DIGESTS[version]


def test_every_version_is_recorded() -> None:
    assert list(DIGESTS) == list(range(1, TODAYS.version + 1))


def test_the_step_from_the_article_makes_version_1_whatever_todays_schema_is(
    old_file: Path,
) -> None:
    connection = sqlite3.connect(old_file, isolation_level=None)
    from_the_article.bring_on(connection)
    assert digest_of(schema_of(connection)) == DIGESTS[1]
    connection.close()


@given(st.text(max_size=40))
@example("ﬁne Straße ＦＵＬＬ width, Ärger, Zoë's l'été")
@example("大阪出張は来週の火曜 港A 서울에서 สวัสดี")
def test_what_is_stored_of_a_text_is_what_todays_version_stores(text: str) -> None:
    frozen, todays = texts_of_version_1, todays_texts
    assert (
        frozen.clean(text),
        frozen.index_terms(text),
        frozen.name_key(text),
        frozen.fingerprint(text),
    ) == (
        todays.clean(text),
        todays.index_terms(text),
        todays.name_key(text),
        todays.fingerprint(text),
    ), "what is stored of a text has changed: a step brings on what older files hold"


def test_instants_are_stored_as_todays_version_stores_them() -> None:
    assert texts_of_version_1.stamp(DAY) == stamp(DAY)
    assert set(from_the_article._CELL_TYPES) <= set(CELL_TYPES)  # a frozen step knows no later type


# -- the kept files --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", DIGESTS)
def test_a_kept_file_holds_what_was_told_to_it(path: Path, version: int) -> None:
    shutil.copy(kept_file(version), path)
    told = SQLiteStore()
    tell_everything(told)
    store = SQLiteStore(path)
    assert all_it_holds(store) == all_it_holds(told)
    assert store.check() == []
    store.close()
    told.close()


@pytest.mark.parametrize("version", DIGESTS)
def test_what_a_kept_file_holds_is_recalled(path: Path, version: int) -> None:
    shutil.copy(kept_file(version), path)
    with MemoryDB(path) as db:
        assert [c.content for c in recall(db, "What is the boat called?").cells] == [
            "The boat is called Petrel"
        ]
        lease = [c.content for c in recall(db, "lease of the berth").cells]
        assert "The lease of the berth ends in July" in lease
        assert "The lease of the berth ends in June" not in lease
        assert recall(db, "Where do we meet Zoe?").hits[0].text.startswith("We meet Zoë")
        assert recall(db, "大阪出張").hits
        assert recall(db, "my key").hits[0].text == "My key is [secret not kept], keep it."
        assert db.store.vectors.kept(EMBEDDER) == (4, 3, 0)


# -- from the article's schema ---------------------------------------------------------------------


def test_an_old_file_is_upgraded_once_with_all_its_cells(old_file: Path) -> None:
    with MemoryDB(old_file) as db:
        cells = db.cells.list_cells()
        assert [cell.content for cell in cells] == ARTICLE_TEXTS
        assert cells[0].created_at.isoformat() == "2025-03-01T10:00:00+00:00"
        assert [s.scene for s in db.scenes.list_scenes()] == ["Kitchen Remodel"]
        assert db.retrieve_scene_summary("kitchen remodel") == "Valves and trips."
        assert db.check() == []
        changes = db.log.list_changes()
        assert (changes[0].actor, changes[0].subject) == ("migration", "schema version 0 to 1")
    before = old_file.read_bytes()
    with MemoryDB(old_file) as db:
        assert db.cells.count_cells() == len(ARTICLE_TEXTS)
        assert db.log.list_changes() == changes
    assert old_file.read_bytes() == before


def test_what_was_taken_over_is_recalled(old_file: Path) -> None:
    with MemoryDB(old_file) as db:
        for n in range(10):
            assert recall(db, f"valve {n}").cells[0].content == f"Valve {n} was replaced by Ines"
        assert recall(db, "大阪").cells[0].content == "大阪出張は来週の火曜"
        assert recall(db, "Cafe Zoe").cells[0].content == "Café meeting with Zoë at the 港"
        assert not recall(db, "u5927")


@pytest.mark.parametrize(
    ("kind", "salience", "content", "kept"),
    [
        ("emotion", "high", json.dumps("is worried"), ("fact", 0.5, "is worried")),
        ("TASK ", 7, "plain text, no JSON", ("task", 1.0, "plain text, no JSON")),
        ("risk", None, json.dumps({"city": "Porto", "n": 3}), ("risk", 0.5, "city: Porto; n: 3")),
        ("plan", -2, json.dumps(["a", None, "b"]), ("plan", 0.0, "a, , b")),
    ],
)
def test_odd_rows_are_repaired_one_by_one(
    path: Path, kind: str, salience: object, content: str, kept: tuple[str, float, str]
) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE mem_cells (id INTEGER PRIMARY KEY, scene TEXT, cell_type TEXT, "
            "salience REAL, content TEXT, created_at TEXT)"
        )
        connection.execute(
            "INSERT INTO mem_cells VALUES (1, NULL, ?, ?, ?, 'not a date')",
            (kind, salience, content),
        )
        connection.execute("INSERT INTO mem_cells VALUES (2, '', 'fact', 0, '\"  \"', NULL)")
    connection.close()
    with MemoryDB(path) as db:
        (cell,) = db.cells.list_cells()
        assert (cell.cell_type, cell.salience, cell.content) == kept
        assert cell.scene == "General"


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TRIGGER mem_cells_fts_insert AFTER INSERT ON mem_cells BEGIN "
        "INSERT INTO mem_cells_fts (content) VALUES (new.content); END",
        "CREATE INDEX mem_cells_by_scene ON mem_cells (scene)",
        "DROP TABLE mem_scenes",
        "PRAGMA user_version = 3",
    ],
)
def test_what_somebody_added_to_the_articles_schema_is_in_nobodys_way(
    old_file: Path, script: str
) -> None:
    connection = sqlite3.connect(old_file)
    connection.execute(script)
    connection.close()
    with MemoryDB(old_file) as db:
        assert db.cells.count_cells() == len(ARTICLE_TEXTS)
        assert db.check() == []


def test_an_old_file_with_scenes_alone_keeps_them(path: Path, old_file: Path) -> None:
    connection = sqlite3.connect(old_file)
    connection.execute("DROP TABLE mem_cells")
    connection.close()
    with MemoryDB(old_file) as db:
        assert db.retrieve_scene_summary("Kitchen Remodel") == "Valves and trips."
        assert db.check() == []


# -- a next version --------------------------------------------------------------------------------

# The code of the next version, as its package would have it, for this process and for others.
NEXT = """
import os, signal
from scenemem.store.sqlite.migrations import TODAYS, Schema
from scenemem.store.sqlite.store import SQLiteStore

def add_mood(connection):
    connection.execute("ALTER TABLE mem_cells ADD COLUMN mood TEXT")
    connection.execute("UPDATE mem_cells SET mood = 'calm'")

def rebuild_scenes(connection):
    # Children refer to the table: enforced, dropping it would take the aliases with it.
    connection.execute("PRAGMA legacy_alter_table = ON")
    made = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'mem_scenes'").fetchone()
    connection.execute("ALTER TABLE mem_scenes RENAME TO old_scenes")
    connection.execute(made[0].replace("STRICT", "STRICT, WITHOUT ROWID"))
    connection.execute("INSERT INTO mem_scenes SELECT * FROM old_scenes")
    connection.execute("DROP TABLE old_scenes")
    connection.execute("PRAGMA legacy_alter_table = OFF")

def die(connection):
    add_mood(connection)
    os.kill(os.getpid(), signal.SIGKILL)

def with_steps(*steps):
    return Schema(TODAYS.script, (*TODAYS.steps, *steps))
"""
_next: dict[str, Callable[..., Schema]] = {}
exec(NEXT, _next)
add_mood: migrations.Step = _next["add_mood"]  # type: ignore[assignment]
rebuild_scenes: migrations.Step = _next["rebuild_scenes"]  # type: ignore[assignment]
with_steps = _next["with_steps"]
V = TODAYS.version


class NextMemory(SQLiteStore):
    """A memory of a next version, to be recalled from."""

    meaning = None


def in_another_process(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"import sys\n{NEXT}\n{code}", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("steps", [(add_mood,), (add_mood, rebuild_scenes)])
def test_a_file_goes_through_a_next_step_with_everything_kept(
    todays_file: Path, steps: tuple[migrations.Step, ...]
) -> None:
    told = SQLiteStore()
    tell_everything(told)
    store = NextMemory(todays_file, schema=with_steps(*steps))
    assert all_it_holds(store) == all_it_holds(told)
    assert store.check() == []
    assert [c.content for c in recall(store, "the boat").cells] == ["The boat is called Petrel"]
    with store.snapshot():
        assert store.evidence(Scope()).counts("cell", [phrase("petrel")]) == [1]
    tell_more = store.cells.insert_cell({"content": "Petrel is blue", "scene": "Harbour"})
    assert [c.id for c in recall(store, "blue").cells] == [tell_more.id]
    with store.database.reading() as connection:
        moods = connection.execute("SELECT DISTINCT mood FROM mem_cells WHERE id < 5").fetchall()
        assert moods == [("calm",)]
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    store.close()
    assert version_of(todays_file) == V + len(steps)


def test_a_file_of_the_article_takes_every_step(old_file: Path) -> None:
    store = SQLiteStore(old_file, schema=with_steps(add_mood, rebuild_scenes))
    assert [cell.content for cell in store.cells.list_cells()] == ARTICLE_TEXTS
    assert store.check() == []
    store.close()
    assert version_of(old_file) == V + 2
    assert names_beside(old_file) == ["agent.db", "agent.db.before-upgrade-0"]


def test_a_copy_from_before_the_first_step_stays_beside(old_file: Path, tmp_path: Path) -> None:
    MemoryDB(old_file).close()
    copy = old_file.with_name("agent.db.before-upgrade-0")
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM mem_cells").fetchone() == (12,)
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    connection.close()
    shutil.copy(copy, tmp_path / "restored.db")
    with MemoryDB(tmp_path / "restored.db") as db:
        assert db.cells.count_cells() == 12


def test_a_step_that_fails_leaves_the_file_untouched(todays_file: Path) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        add_mood(connection)
        connection.execute("DELETE FROM mem_cells")
        connection.execute("UPDATE no_such_table SET a = 1")

    before = todays_file.read_bytes()
    with pytest.raises(DatabaseError) as caught:
        SQLiteStore(todays_file, schema=with_steps(fail))
    assert str(caught.value) == (
        f"{todays_file} can't be upgraded from schema version {V} to {V + 1} and was left as it "
        "is: no such table: no_such_table"
    )
    assert todays_file.read_bytes() == before
    with MemoryDB(todays_file) as db:
        assert db.cells.count_cells() == 3


def test_the_articles_file_is_untouched_by_a_step_that_fails(old_file: Path) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        from_the_article.bring_on(connection)
        raise KeyError("colour")

    before = old_file.read_bytes()
    with pytest.raises(DatabaseError, match="version 0 to 1 and was left as it is: 'colour'"):
        SQLiteStore(old_file, schema=Schema(TODAYS.script, (fail,)))
    assert old_file.read_bytes() == before
    with MemoryDB(old_file) as db:
        assert db.cells.count_cells() == 12


def test_a_step_that_breaks_a_reference_is_not_taken(todays_file: Path) -> None:
    def orphan(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM sessions")

    with pytest.raises(DatabaseError, match="rows would refer to rows that are missing"):
        SQLiteStore(todays_file, schema=with_steps(orphan))
    with MemoryDB(todays_file) as db:
        assert len(db.sessions.list_sessions()) == 2


def test_a_second_step_that_fails_leaves_the_first_taken(todays_file: Path) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        raise ValueError("not today")

    with pytest.raises(DatabaseError, match=f"version {V + 1} to {V + 2}.*not today"):
        SQLiteStore(todays_file, schema=with_steps(add_mood, fail))
    assert version_of(todays_file) == V + 1
    store = SQLiteStore(todays_file, schema=with_steps(add_mood, rebuild_scenes))
    assert store.check() == [] and store.cells.count_cells() == 3
    store.close()
    assert version_of(todays_file) == V + 2


def test_a_newer_file_is_refused_untouched(todays_file: Path) -> None:
    SQLiteStore(todays_file, schema=with_steps(add_mood)).close()
    before = todays_file.read_bytes()
    with pytest.raises(SchemaVersionError, match=f"version {V + 1}.*up to version {V}"):
        MemoryDB(todays_file)
    assert todays_file.read_bytes() == before


@pytest.mark.parametrize("version", [0, 1])
def test_an_older_file_that_can_not_be_written_says_so(path: Path, version: int) -> None:
    shutil.copy(kept_file(version), path)
    path.chmod(0o444)
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match="older schema and is read-only; make it writable"):
        SQLiteStore(path, schema=with_steps(add_mood))
    assert path.read_bytes() == before
    assert names_beside(path) == ["agent.db"]


# -- other processes, and ends without warning -----------------------------------------------------


def test_processes_that_open_an_older_file_at_once_upgrade_it_once(todays_file: Path) -> None:
    code = (
        "store = SQLiteStore(sys.argv[1], schema=with_steps(add_mood, rebuild_scenes))\n"
        "store.cells.insert_cell({'content': f'from {os.getpid()}'})\n"
        "assert store.check() == []\n"
    )
    opening = [in_another_process(code, todays_file) for _ in range(4)]
    assert [process.communicate()[1] for process in opening] == [""] * 4
    store = SQLiteStore(todays_file, schema=with_steps(add_mood, rebuild_scenes))
    assert store.cells.count_cells() == 3 + 4
    store.close()
    assert version_of(todays_file) == V + 2
    assert version_of(todays_file.with_name(f"agent.db.before-upgrade-{V}")) == V
    assert names_beside(todays_file) == ["agent.db", f"agent.db.before-upgrade-{V}"]


def test_processes_that_open_the_articles_file_at_once_upgrade_it_once(old_file: Path) -> None:
    code = "assert SQLiteStore(sys.argv[1]).cells.count_cells() == 12"
    opening = [in_another_process(code, old_file) for _ in range(4)]
    assert [process.communicate()[1] for process in opening] == [""] * 4
    with MemoryDB(old_file) as db:
        assert [change.subject for change in db.log.list_changes()] == ["schema version 0 to 1"]
    assert version_of(old_file.with_name("agent.db.before-upgrade-0")) == 0


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
@pytest.mark.parametrize("steps", ["die", "add_mood, die"])
@pytest.mark.parametrize("version", [0, 1])
def test_a_process_killed_in_a_step_leaves_the_version_before(
    path: Path, version: int, steps: str
) -> None:
    shutil.copy(kept_file(version), path)
    code = f"SQLiteStore(sys.argv[1], schema=with_steps({steps}))"
    killed = in_another_process(code.replace("add_mood, die", "rebuild_scenes, die"), path)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    taken = steps.count(",")
    store = SQLiteStore(path, schema=with_steps(*[rebuild_scenes] * taken, add_mood))
    assert store.check() == []
    assert store.cells.count_cells() == (12 if version == 0 else 3)
    store.close()
    assert version_of(path) == V + taken + 1


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
def test_a_process_killed_while_it_copies_leaves_nothing_behind_for_good(old_file: Path) -> None:
    before = old_file.read_bytes()
    code = (
        "from pathlib import Path\n"
        "Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "SQLiteStore(sys.argv[1])"
    )
    killed = in_another_process(code, old_file)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert old_file.read_bytes() == before
    assert len(names_beside(old_file)) > 1
    MemoryDB(old_file).close()
    assert names_beside(old_file) == ["agent.db", "agent.db.before-upgrade-0"]


def test_a_copy_that_can_not_be_made_keeps_the_file_as_it_is(old_file: Path) -> None:
    before = old_file.read_bytes()
    old_file.with_name(".agent.db.before-upgrade-0.partial").mkdir()
    with pytest.raises(DatabaseError, match="was not upgraded, as the safety copy"):
        MemoryDB(old_file)
    assert old_file.read_bytes() == before
