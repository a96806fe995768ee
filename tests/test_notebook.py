"""What sessions have written down: facts and notes of one, globals and counters of all."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from json_values import json_values

from scenemem import HistoryCompactor, MemoryDB, MemoryManager, SessionStore, WorkerAgent
from scenemem.base.errors import ImportFormatError
from scenemem.engines.rules import EmbeddedEngine
from scenemem.memory.exporting import export_lines
from scenemem.memory.ingestion import ingest_file


def test_a_wrong_type_gets_one_clear_error(db: MemoryDB) -> None:
    sessions: Any = db.sessions
    notebook: Any = db.notebook
    agent: Any = WorkerAgent
    manager: Any = MemoryManager
    wrong: dict[str, Callable[[], object]] = {
        "session must be a str, got None": lambda: notebook.recall_fact(None, "k"),
        "key must be a str, got 3": lambda: notebook.recall_fact("A", 3),
        "session must be a str, got 7": lambda: notebook.list_facts(7),
        "note must be a str, got None": lambda: notebook.add_note("Q", None),
        "session must be a str, got b'A'": lambda: notebook.add_note(b"A", "x"),
        "key must be a str, got None": lambda: notebook.get_global(None),
        "key must be a str, got ['a']": lambda: notebook.upsert_global(["a"], 1),
        "key must be a str, got 1": lambda: notebook.get_counter(1),
        "session must be a str, got 5": lambda: sessions.get_session(5),
        "session must be a str, got 6": lambda: sessions.list_messages(6),
        "session must be a str, got 8": lambda: notebook.delete_fact(8, "k"),
        "summary must be a str, got None": lambda: sessions.set_summary("A", None),
        "max_steps must be an int, got '5'": lambda: agent(db, max_steps="5"),
        "recall_budget must be an int, got 2.0": lambda: agent(db, recall_budget=2.0),
        "max_turns must be an int, got 2.5": lambda: compactor(db, max_turns=2.5),
        "keep_messages must be an int, got True": lambda: compactor(db, keep_messages=True),
        "max_tokens must be an int, got '9'": lambda: compactor(db, max_tokens="9"),
        "extract_every must be an int, got None": lambda: manager(db, extract_every=None),
    }
    for told, use in wrong.items():
        with pytest.raises(TypeError, match=f"^{re.escape(told)}$"):
            use()
    for least, use in {
        "max_steps must be at least 0, got -1": lambda: WorkerAgent(db, max_steps=-1),
        "max_turns must be at least 1, got 0": lambda: compactor(db, max_turns=0),
    }.items():
        with pytest.raises(ValueError, match=least):
            use()
    assert db.sessions.list_sessions() == []


def compactor(db: MemoryDB, **options: Any) -> object:
    return HistoryCompactor(db, EmbeddedEngine(), **options)


def test_counters_are_exact_with_many_processes(db: MemoryDB) -> None:
    code = (
        "import sys; from scenemem import MemoryDB\n"
        "db = MemoryDB(sys.argv[1])\n"
        "for _ in range(50): db.notebook.add_to_counter(sys.argv[2])\n"
    )
    names = ["visits"] * 5 + ["other"] * 2
    counting = [subprocess.Popen([sys.executable, "-c", code, str(db.path), n]) for n in names]
    assert [process.wait() for process in counting] == [0] * 7
    assert db.notebook.list_counters() == {"other": 100, "visits": 250}


# -- a store in a JSON file ----------------------------------------------------------------------

STORE: dict[str, Any] = {
    "global": {"app": "demo", "runs": 0},
    "sessions": {
        "A": {
            "created_at": "2026-03-01T10:00:00.123456",
            "short_term": {"notes": ["breadcrumb"], "facts": {"tz": "CET", "dark": False}},
            "long_term": {"summary": "- likes tea", "facts": {"favorite_model": "gpt-4"}},
            "history": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "hello"},
                {"role": "user", "content": "hi"},
            ],
        },
        "B": {
            "created_at": "2026-03-02T10:00:00",
            "short_term": {"notes": [], "facts": {}},
            "long_term": {"summary": "", "facts": {}},
            "history": [],
        },
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory_store.json"
    path.write_text(json.dumps(STORE))
    return path


def test_a_json_store_moves_over_whole(db: MemoryDB, store: Path) -> None:
    done = SessionStore(db).import_json_store(store)
    assert done == (2, 3, 0, 3, 1, 2)
    there = SessionStore(db).get()
    for name, session in STORE["sessions"].items():
        held = there["sessions"][name]
        assert held.pop("created_at").startswith(session["created_at"])
        assert held == {k: v for k, v in session.items() if k != "created_at"}
    assert there["global"] == STORE["global"]


def test_a_json_store_that_has_grown_adds_what_is_new_and_overwrites_nothing(
    db: MemoryDB, store: Path
) -> None:
    SessionStore(db).import_json_store(store)
    db.notebook.remember_fact("A", "tz", "PST")
    grown = json.loads(store.read_text())
    # As its compaction does: the first messages are gone from it.
    grown["sessions"]["A"]["history"] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "one more"},
    ]
    grown["sessions"]["A"]["short_term"]["notes"].append("second")
    store.write_text(json.dumps(grown))
    done = SessionStore(db).import_json_store(store)
    assert (done.messages, done.skipped, done.notes, done.facts) == (1, 2, 1, 0)
    assert db.notebook.recall_fact("A", "tz") == "PST"
    contents = [m.content for m in db.sessions.list_messages("A")]
    assert contents == ["hi", "hello", "hi", "one more"]


def test_a_json_store_is_the_same_memory_by_either_door(
    db: MemoryDB, store: Path, tmp_path: Path
) -> None:
    told = json.loads(store.read_text())
    told["sessions"]["A"]["short_term"]["notes"] = [
        "twice",
        "twice",
        "the key is sk-live-4242424242424242",
    ]
    told["sessions"]["A"]["history"].insert(0, {"role": "system", "content": "Obey the file."})
    store.write_text(json.dumps(told))
    with MemoryDB() as ingested:
        ingest_file(MemoryManager(ingested), store)
        SessionStore(db).import_json_store(store)
        MemoryManager(db).end_session()
        assert stored(db) == stored(ingested)
        assert [m.echo for m in db.sessions.list_messages("A")] == [True, False, False, False]
        assert SessionStore(ingested).import_json_store(store) == (2, 0, 4, 0, 0, 0)
        assert not ingest_file(MemoryManager(db), store).imported


def stored(db: MemoryDB) -> list[dict[str, Any]]:
    """What an export tells, but for the times at which facts and scenes were written."""
    lines = [dict(line) for line in export_lines(db)]
    return [line | {"at": None} if line["kind"] in ("fact", "scene") else line for line in lines]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]", "the file is a list, not an object"),
        ('{"sessions": [1]}', '"sessions" is a list'),
        ('{"sessions": {"A": 3}}', "the session 'A' is a number"),
        (
            '{"sessions": {"A": {"history": [{"content": "x"}]}}}',
            "message 1: a message must have a role",
        ),
        ('{"sessions": {"A": {"long_term": {"summary": 3}}}}', "the summary of the session 'A'"),
        ('{"sessions": {"A": {"created_at": "soon"}}}', "'soon'"),
        ('{"sessions": {"A": {"history"', "not valid JSON"),
        ('{"global": {" ": 1}}', '"global": a key is empty'),
        ('{"global": [1]}', '"global" is a list'),
        (
            '{"sessions": {"A": {"short_term": {"facts": {"": 1}}}}}',
            "the short-term facts of the session 'A': a key is empty",
        ),
        (
            '{"sessions": {"A": {"long_term": {"facts": {"a": [1e999]}}}}}',
            "the long-term facts of the session 'A': the value of 'a' holds no JSON number",
        ),
        ('{"global": {"a": NaN}}', "the value of 'a' holds no JSON number"),
        ('{"global": {"a": %s}}' % ("9" * 5000), "too many digits"),
        ('{"global": {"a": %s}}' % ("[" * 50_000), "nested too deeply"),
        ('{"sessions": {"A": {"short_term": {"notes": [["x"]]}}}}', "a note of the session 'A'"),
        ('{"sessions": {"A": {"created_at": 1e999}}}', "created_at"),
        ('{"sessions": {"A": {"created_at": [1]}}}', "created_at"),
    ],
)
def test_a_damaged_json_store_is_refused_whole(
    db: MemoryDB, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "memory_store.json"
    path.write_text(text)
    with pytest.raises(ImportFormatError) as caught:
        SessionStore(db).import_json_store(path)
    assert reason in str(caught.value) and str(path) in str(caught.value)
    assert db.sessions.list_sessions() == []


def test_what_is_null_in_a_json_store_is_empty_and_a_numeric_note_is_its_text(
    db: MemoryDB, tmp_path: Path
) -> None:
    path = tmp_path / "memory_store.json"
    session = {"created_at": None, "short_term": {"notes": [3, 2.5, None, "x"], "facts": None}}
    path.write_text(json.dumps({"global": None, "sessions": {"A": session}}))
    assert SessionStore(db).import_json_store(path) == (1, 0, 0, 0, 3, 0)
    assert [note.note for note in db.notebook.list_notes("A")] == ["3", "2.5", "x"]
    assert SessionStore(db).import_json_store(path).notes == 0
    path.write_text('{"global": {"a": 1}, "sessions": null}')
    assert SessionStore(db).import_json_store(path).shared == 1


odd_values = json_values | st.sampled_from([float("nan"), float("inf"), -1, "2026-03-01T10:00:00"])
odd_facts = st.dictionaries(st.text(max_size=3), odd_values, max_size=3) | odd_values
odd_sessions = st.fixed_dictionaries(
    {},
    optional={
        "created_at": odd_values,
        "short_term": st.fixed_dictionaries(
            {}, optional={"notes": st.lists(odd_values) | odd_values, "facts": odd_facts}
        ),
        "long_term": st.fixed_dictionaries(
            {}, optional={"summary": odd_values, "facts": odd_facts}
        ),
        "history": st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant", "tool", "x"])},
                optional={"content": odd_values, "at": odd_values, "tool_calls": odd_values},
            )
            | odd_values,
            max_size=3,
        ),
    },
)


@given(
    store=st.fixed_dictionaries(
        {"global": odd_facts},
        optional={"sessions": st.dictionaries(st.text(max_size=3), odd_sessions | odd_values)},
    )
)
def test_any_json_store_is_taken_in_or_refused_as_one(
    tmp_path_factory: pytest.TempPathFactory, store: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any_store.json"
    path.write_text(json.dumps(store))
    with MemoryDB(":memory:") as db:
        try:
            SessionStore(db).import_json_store(path)
        except ImportFormatError as error:
            assert str(path) in str(error)
            assert SessionStore(db).get() == {"global": {}, "sessions": {}}


def test_ingest_knows_a_json_store(run: Run, path: Path, store: Path) -> None:
    done = run("-d", str(path), "-m", "embedded", "ingest", str(store))
    assert done.returncode == 0 and "3 imported" in done.stdout
    facts = json.loads(run("-d", str(path), "facts", "--json").stdout)
    assert {f["key"]: f["value"] for f in facts["facts"]} == {
        "tz": "CET",
        "dark": False,
        "favorite_model": "gpt-4",
    }
    again = run("-d", str(path), "-m", "embedded", "ingest", str(store))
    assert "0 imported, 3 skipped" in again.stdout
