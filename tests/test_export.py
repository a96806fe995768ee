"""What `export` writes, `ingest` brings back: a memory put back is the memory that it was."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_files import leave_room

from scenemem import recall
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.errors import DatabaseError
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.base.session_records import Compaction
from scenemem.memory import ingestion
from scenemem.memory.exporting import export_lines
from scenemem.memory.ingestion import Ingested, ingest_file
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.restoring import Restoring

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "sk-live-4242424242424242"
Groups = dict[str, Any]


def everything(db: MemoryDB) -> Groups:
    """All that a memory holds, by groups; ids are told by places, which do not change."""
    cells = db.cells.list_cells(superseded=True)
    place = {cell.id: number for number, cell in enumerate(cells)}
    messages = db.sessions.list_messages()
    seen = db.sessions.get_messages([m.id for m in messages], redacted=True)
    turns = db.sessions.get_turns({m.turn for m in messages})
    sessions = db.sessions.list_sessions()
    return {
        "cells": [
            cell._replace(
                id=place[cell.id],
                source=cell.source and Source(cell.source.session, *map(at, cell.source[1:])),
                superseded_by=cell.superseded_by and place[cell.superseded_by],
            )
            for cell in cells
        ],
        "tellings": {place[c.id]: sorted(map(at, db.cells.told_in([c.id]))) for c in cells},
        "scenes": [s._replace(watermark=0) for s in db.scenes.list_scenes()],
        "sessions": {s._replace(summarized_through=at(s.summarized_through)) for s in sessions},
        "given": {s.session: db.sessions.given_summary(s.session) for s in sessions},
        "compactions": [c._replace(through=at(c.through)) for c in db.sessions.list_compactions()],
        "messages": [
            (m._replace(id=at(m.id), turn=0, external_id=None), seen[m.id].content)
            for m in sorted(messages, key=lambda m: (m.session, m.id))
        ],
        "turns": [
            turns[m.turn]._replace(number=0)
            for m in sorted(messages, key=lambda m: (m.session, m.id))
        ],
        "facts": {tuple(map(str, fact)) for fact in db.notebook.list_facts()},
        "notes": sorted(note[1:] for note in db.notebook.list_notes()),
        "globals": db.notebook.list_globals(),
        "counters": db.notebook.list_counters(),
    }


def at(message: int) -> int:
    """A message's position in its session."""
    return message & 0xFFFFFF


def exported(db: MemoryDB) -> str:
    return "".join(json.dumps(line) + "\n" for line in export_lines(db))


def ingested(db: MemoryDB, text: str) -> Ingested:
    return ingest_file(MemoryManager(db), None, stream=io.BytesIO(text.encode()))


def assert_same(there: MemoryDB, here: MemoryDB) -> None:
    told, kept = everything(there), everything(here)
    for group, held in kept.items():
        assert told[group] == held, group
    assert there.check() == []


@pytest.fixture
def rich(db: MemoryDB) -> MemoryDB:
    """A memory with something of everything in it, at rest."""
    manager = MemoryManager(db)
    manager.update("I moved to Oslo in May.", "Nice!", at=NOON, session="A")
    manager.update("I live in Bergen now.", at=NOON + timedelta(days=3), session="A")
    manager.update("My sister Nora keeps bees.", session="B", external_id="retry-1")
    manager.update("My sister Nora keeps bees.", session="A", at=NOON + timedelta(days=4))
    manager.update(f"The API key is {SECRET}.", session="B")
    manager.ingest(
        [
            {"role": "user", "content": "What is 2 + 2?", "id": "q1", "name": "Ann  Lee"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "sum", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "content": "4", "tool_call_id": "c1"},
            {"role": "assistant", "content": "It is 4.", "id": "a1"},
            {"role": "user", "content": "Remember the code 17 for this session."},
        ],
        session="tools",
        at=NOON,
    )
    db.sessions.append_messages(
        "tools", [MessageDraft("assistant", "You said: bees.", NOON, echo=True)]
    )
    manager.end_session()
    last = db.sessions.list_messages("tools")[-2]
    db.sessions.withhold_messages([last.id])
    own = db.cells.insert_cells(
        [
            CellDraft("The boiler is a Vaillant.", "The House", "fact", 0.123456789, NOON),
            CellDraft("The boiler is serviced in May.", "The House", occurred_at=date(2026, 5, 1)),
            CellDraft("The rent is 900.", "Lease", "risk", speaker="Ann Lee"),
            CellDraft("The rent is 950.", "Lease", supersedes=("The rent is 900.",)),
            CellDraft("The rent is 990.", "Lease", speaker="Ann Lee"),
        ]
    )
    db.cells.supersede_cell(own[2].id, own[4].id, at=NOON + timedelta(hours=1))
    db.cells.update_cell(own[0].id, content="The boiler is a Viessmann.", salience=1 / 3)
    extracted = next(c for c in db.cells.list_cells() if c.source)
    db.cells.update_cell(extracted.id, cell_type="decision", salience=0.9)
    db.cells.note_recalled([extracted.id])
    db.cells.insert_cell({"content": "The rent is 990.", "scene": "lease", "speaker": "Ann Lee"})
    db.scenes.upsert_scene("The House", "The house in Bergen, by its owner.", at=NOON)
    db.scenes.add_alias("The House", "Casa Grande")
    db.scenes.rename_scene("Lease", "Lease of Flat 3")
    db.scenes.upsert_scene("Empty but told", "A scene that only a summary tells of.", at=NOON)
    manager.end_session()
    end = db.sessions.list_messages("A")[1].id
    db.sessions.compact_session(Compaction("A", NOON, end, 2, 30, 12), "Moved to Oslo.", after=0)
    db.sessions.set_summary("B", "Nora keeps bees.")
    for key, value in (("tz", "CET"), ("n", 0), ("none", None), ("list", [1, {"a": False}])):
        db.notebook.remember_fact("A", key, value, "long")
    db.notebook.remember_fact("only a notebook", "tz", "PST")
    db.notebook.add_note("A", "call Ann", at=NOON)
    db.notebook.add_note("A", "call Ann", at=NOON + timedelta(days=1))
    db.notebook.upsert_global("team", ["blue"])
    db.notebook.add_to_counter("coffee", 3)
    return db


def test_a_memory_comes_back_whole(rich: MemoryDB) -> None:
    kept = everything(rich)
    assert all(kept.values()), "the memory has something of everything"
    assert any(cell.superseded_by is not None for cell in kept["cells"])
    assert any(cell.told > 1 for cell in kept["cells"]) and any(kept["tellings"].values())
    with MemoryDB() as again:
        done = ingested(again, exported(rich))
        assert done.bad == [] and done.cells == 0 and done.pending == 0
        told = everything(again)
        secret = json.dumps([told, kept], default=str)
        assert secret.count(SECRET) == 1  # in the history of the first one alone
        kept["messages"] = [
            (m._replace(content=seen) if SECRET in m.content else m, seen)
            for m, seen in kept["messages"]
        ]
        for group, held in kept.items():
            assert told[group] == held, group
        assert again.check() == []


def test_an_export_of_what_was_restored_says_the_same(rich: MemoryDB) -> None:
    with MemoryDB() as again, MemoryDB() as third:
        ingested(again, exported(rich))
        ingested(third, exported(again))
        assert_same(third, again)


def test_the_same_export_twice_adds_nothing(rich: MemoryDB) -> None:
    text = exported(rich)
    with MemoryDB() as again:
        ingested(again, text)
        before = everything(again)
        done = ingested(again, text)
        assert done.imported == 0 and not done.restored and done.bad == []
        assert everything(again) == before
    before = everything(rich)
    done = ingested(rich, text)  # and none of it into the memory that it came from
    assert done.imported == 0 and not done.restored
    assert everything(rich) == before


def test_an_export_comes_into_a_memory_that_holds_other_things(rich: MemoryDB) -> None:
    kept = everything(rich)
    with MemoryDB() as other:
        manager = MemoryManager(other)
        manager.update("I work as a welder in Leeds.", session="A", at=NOON - timedelta(days=9))
        other.cells.insert_cell({"content": "The garage is cold.", "scene": "casa grande"})
        other.cells.insert_cell({"content": "The rent is 990.", "scene": "Rent"})
        other.notebook.remember_fact("A", "tz", "PST", "long")
        mine = everything(other)
        done = ingested(other, exported(rich))
        assert done.bad == []
        now = everything(other)
        assert len(now["messages"]) == len(mine["messages"]) + len(kept["messages"])
        contents = [cell.content for cell in now["cells"]]
        for cell in (*mine["cells"], *kept["cells"]):
            assert cell.content in contents
        sources = {c.id: c.source for c in other.cells.list_cells(superseded=True) if c.source}
        for cell in (c for c in other.cells.list_cells() if c.id in sources):
            (first,) = other.sessions.get_messages([sources[cell.id].first]).values()
            assert first.session == sources[cell.id].session
        assert other.notebook.recall_fact("A", "tz") == "PST"
        assert other.scenes.resolve_scene("Casa Grande") == "casa grande"
        before = everything(other)
        ingested(other, exported(rich))
        assert everything(other) == before
        assert other.check() == []


def test_nothing_is_extracted_twice_and_what_waits_is_extracted(db: MemoryDB) -> None:
    manager = MemoryManager(db)
    manager.update("I keep bees in Bergen.", session="A")
    db.cells.update_cell(db.cells.list_cells()[0].id, content="Ann keeps bees in Bergen.")
    manager.end_session()
    manager.ingest([{"role": "user", "content": "My brother Tom lives in Leeds."}], session="A")
    with MemoryDB() as again:
        done = ingested(again, exported(db))
        assert done.imported == 2 and done.restored["cell"] == 1 and done.cells == 1
        contents = [cell.content for cell in again.cells.list_cells()]
        assert contents[0] == "Ann keeps bees in Bergen." and "Leeds" in contents[1]
        assert len(contents) == 2


def test_what_changed_since_comes_over_and_what_changed_here_stays(db: MemoryDB) -> None:
    one, two = db.cells.insert_cells(
        {"content": content, "scene": "s", "at": NOON} for content in ("It is red.", "It is cold.")
    )
    with MemoryDB() as again:
        ingested(again, exported(db))
        here = {cell.content: cell.id for cell in again.cells.list_cells()}
        again.cells.update_cell(here["It is cold."], content="It is icy.")
        db.cells.update_cell(one.id, content="It is green.")
        db.cells.insert_cell({"content": "It is new.", "scene": "s", "supersedes": (two.id,)})
        done = ingested(again, exported(db))
        assert done.bad == [] and done.restored["cell"] == 1
        assert {
            c.content: c.superseded_by is None for c in again.cells.list_cells(superseded=True)
        } == {
            "It is green.": True,
            "It is icy.": False,
            "It is new.": True,
        }


def test_what_was_forgotten_here_does_not_come_back(db: MemoryDB) -> None:
    manager = MemoryManager(db)
    manager.update("I keep bees in Bergen.", session="A")
    text = exported(db)
    manager.forget(cells=[cell.id for cell in db.cells.list_cells()])
    ingested(db, text)
    assert db.cells.list_cells(superseded=True) == []
    assert [m.content for m in db.sessions.list_messages()] == [""]


def test_memories_with_sessions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    with MemoryDB() as one, MemoryDB() as two, MemoryDB() as both:
        MemoryManager(one).update("I keep bees.", session="default")
        MemoryManager(two).update("I keep goats.", session="default")
        ingested(both, exported(one))
        ingested(both, exported(two))
        contents = [m.content for m in both.sessions.list_messages("default")]
        assert contents == ["I keep bees.", "I keep goats."]


def test_a_message_that_came_back_from_another_memory_is_the_same_message(db: MemoryDB) -> None:
    MemoryManager(db).update("I keep bees.", session="A")
    with MemoryDB() as other:
        other.sessions.append_messages("A", [MessageDraft("user", "I was here before.", NOON)])
        ingested(other, exported(db))
        done = ingested(db, exported(other))
        assert done.imported == 1
        contents = [m.content for m in db.sessions.list_messages("A")]
        assert sorted(contents) == ["I keep bees.", "I was here before."]


@pytest.mark.parametrize("parts", [1, 3, 5, 8])
def test_an_import_that_stops_anywhere_is_brought_to_its_end(
    rich: MemoryDB, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(rich)
    monkeypatch.setattr(ingestion, "BATCH", 4)
    with MemoryDB() as again, MemoryDB() as straight:
        taken = 0
        take = Restoring.take

        def stops(self: Restoring, items: Any) -> None:
            nonlocal taken
            if taken == parts:
                raise KeyboardInterrupt
            taken += 1
            take(self, items)

        with monkeypatch.context() as patched:
            patched.setattr(Restoring, "take", stops)
            with pytest.raises(KeyboardInterrupt):
                ingested(again, text)
        assert all("an import was stopped" in fault for fault in again.check())
        ingested(again, text)
        ingested(straight, text)
        assert_same(again, straight)


def test_lines_that_cannot_be_read_are_counted_and_said(rich: MemoryDB) -> None:
    lines = exported(rich).splitlines()
    broken = [
        '{"kind": "hologram", "session": "A"}',
        '{"kind": "cell", "id": 9000, "scene": "s", "type": "mood", "salience": 1, "content": "x", '
        '"at": "2026-03-01T12:00:00+00:00"}',
        '{"kind": "message", "session": "A", "role": "king", "content": "x"}',
        '{"kind": "scene", "scene": 7}',
        '{"kind": "note", "session": "A", "note": "x", "at": "noon"}',
        '{"kind": "message", "session": "A", "role"',
    ]
    with MemoryDB() as again, MemoryDB() as straight:
        done = ingested(again, "\n".join([*lines[:5], *broken, *lines[5:]]))
        said = " ".join(map(str, done.bad))
        assert done.failed == len(broken)
        for word in ("hologram", "mood", "king", "noon", "line 6", "JSON"):
            assert word in said
        ingested(straight, "\n".join(lines))
        assert_same(again, straight)


def test_a_full_disk_ends_an_import_and_leaves_nothing_of_the_batch(tmp_path: Path) -> None:
    fact = {"kind": "fact", "session": "s", "value": "x" * 2000, "scope": "short"}
    with MemoryDB(tmp_path / "a.db") as db:
        db.notebook.remember_fact("s", "first", 1)
        leave_room(db, pages=40)
        lines = [json.dumps(fact | {"key": f"k{number}"}) for number in range(400)]
        with pytest.raises(DatabaseError, match="disk is full"):
            ingested(db, "\n".join(lines))
        assert [held.key for held in db.notebook.list_facts()] == ["first"]
        leave_room(db, pages=10_000)
        assert ingested(db, "\n".join(lines)).restored == {"fact": 400}


def test_a_cell_whose_successor_is_lost_is_in_force_and_that_is_said(db: MemoryDB) -> None:
    old, new = db.cells.insert_cells({"content": c, "scene": "s"} for c in ("Old.", "New."))
    db.cells.supersede_cell(old.id, new.id)
    text = "\n".join(line for line in exported(db).splitlines() if '"New."' not in line)
    with MemoryDB() as again:
        done = ingested(again, text)
        assert "in force again" in str(done.bad[0]) and done.failed == 0
        assert [cell.content for cell in again.cells.list_cells()] == ["Old."]
        assert again.scenes.list_scenes()[0].cells == 1


def test_an_import_that_stops_before_its_end_leaves_no_cell_out_of_force_for_good(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = db.cells.insert_cells({"content": c, "scene": "s"} for c in ("Old.", "New."))
    db.cells.supersede_cell(old.id, new.id)

    def stops(self: Restoring) -> None:
        raise KeyboardInterrupt

    with MemoryDB() as again, MemoryDB() as third:
        with monkeypatch.context() as patched:
            patched.setattr(Restoring, "finish", stops)
            with pytest.raises(KeyboardInterrupt):
                ingested(again, exported(db))
        assert "an import was stopped" in again.check()[0]
        assert not ingested(third, exported(again)).bad
        assert [cell.content for cell in third.cells.list_cells()] == ["Old.", "New."]
        ingested(again, exported(db))
        assert [cell.content for cell in again.cells.list_cells()] == ["New."]
        assert everything(again)["cells"] == everything(db)["cells"]
        assert again.check() == []


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ((2, 1), "cell 2: it and cell 1 are said to supersede one another; it is in force again"),
        ((2, 2), "cell 2: it is said to supersede itself; it is in force again"),
    ],
)
def test_cells_that_supersede_one_another_in_a_file_are_not_all_out_of_force(
    db: MemoryDB, links: tuple[int, int], said: str
) -> None:
    db.cells.insert_cells({"content": c, "scene": "s"} for c in ("Old.", "New."))
    lines = [json.loads(line) for line in exported(db).splitlines()]
    told = [line for line in lines if line["kind"] == "cell"]
    for line, by in zip(told, links, strict=True):
        line["superseded_by"] = by
    with MemoryDB() as again:
        for _ in range(2):
            done = ingested(again, "\n".join(map(json.dumps, lines)))
            assert [str(bad) for bad in done.bad] == [said] and done.failed == 0
            assert [cell.content for cell in again.cells.list_cells()] == ["New."]
            assert again.check() == []


def test_an_export_of_an_older_version_is_still_read(db: MemoryDB) -> None:
    lines: list[dict[str, Any]] = [
        {"kind": "message", "session": "A", "id": "m16777217", "at": "2026-03-01T12:00:00+00:00",
         "role": "user", "content": "I keep bees in Bergen."},
        {"kind": "summary", "session": "A", "summary": "About bees."},
        {"kind": "fact", "session": "A", "key": "tz", "value": "CET", "scope": "long",
         "at": "2026-03-01T12:00:00+00:00"},
        {"kind": "scene", "scene": "Made by an engine", "summary": "x", "aliases": []},
        {"kind": "scene", "scene": "House", "summary": "The house.", "aliases": ["Casa"]},
        {"kind": "cell", "id": 1, "scene": "Made by an engine", "type": "fact", "salience": 0.5,
         "content": "Keeps bees.", "speaker": None, "at": "2026-03-01T12:00:00+00:00",
         "occurred_at": None, "occurred_until": None, "superseded_by": None,
         "source": {"session": "A", "messages": [16777217]}},
        {"kind": "cell", "id": 2, "scene": "House", "type": "risk", "salience": 0.5,
         "content": "Old boiler.", "speaker": None, "at": "2026-03-01T12:00:00+00:00",
         "occurred_at": None, "occurred_until": None, "superseded_by": 3, "source": None},
        {"kind": "cell", "id": 3, "scene": "House", "type": "fact", "salience": 0.5,
         "content": "New boiler.", "speaker": None, "at": "2026-03-02T12:00:00+00:00",
         "occurred_at": None, "occurred_until": None, "superseded_by": None, "source": None},
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, lines))
    for _ in range(2):
        done = ingested(db, text)
        assert done.bad == []
        cells = db.cells.list_cells(superseded=True)
        assert sorted(cell.content for cell in cells if cell.source is None) == [
            "New boiler.",
            "Old boiler.",
        ]
        assert any("Bergen" in cell.content for cell in cells)
        assert db.sessions.get_summary("A")[0] == "About bees."
        assert db.scenes.resolve_scene("Casa") == "House"
        assert db.scenes.resolve_scene("Made by an engine") is None
        assert len(db.sessions.list_messages()) == 1
        assert db.notebook.recall_fact("A", "tz") == "CET"


def test_the_command_line_brings_an_export_back(run: Run, rich: MemoryDB, tmp_path: Path) -> None:
    out = run("-d", str(rich.path), "export")
    assert out.returncode == 0 and SECRET not in out.stdout
    file, again = tmp_path / "x.jsonl", str(tmp_path / "new.db")
    file.write_text(out.stdout)
    done = run("-d", again, "-m", "embedded", "ingest", str(file))
    assert done.returncode == 0 and "0 failed" in done.stdout and "restored" in done.stdout
    with MemoryDB(again, read_only=True) as other:
        for question in ("boiler", "Where do I live?", "rent", "bees", "Nora", "2 + 2"):
            told, kept = recall(other, question), recall(rich, question)
            assert told.render() == kept.render() and told.render(), question


def test_a_path_may_be_a_text(db: MemoryDB, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"role": "user", "content": "I keep bees"}\n')
    assert ingest_file(MemoryManager(db), str(tmp_path / "x.jsonl")).imported == 1


# -- whatever the texts, names and values are -----------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = st.sampled_from(["A", "  b ", "Casa", "casa", "m5", "password: hunter2x", "e\u0301"]) | TEXT
SAID = st.sampled_from(["I keep bees.", "My password is hunter2zebra!", " ", "x\ny"]) | TEXT
TIMES = st.integers(0, 10**16).map(lambda n: NOON + timedelta(microseconds=n)) | st.just(NOON)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
MESSAGES = st.builds(
    MessageDraft,
    role=st.sampled_from(["user", "assistant", "tool", "system"]),
    content=SAID,
    at=TIMES,
    name=st.none() | NAME,
    tool_calls=st.just(()) | st.tuples(st.dictionaries(TEXT, VALUES, max_size=2)),
    external_id=st.none() | TEXT,
    echo=st.booleans(),
    recallable=st.none() | SAID,
).map(lambda m: m._replace(echo=True) if m.role == "system" else m)  # see the test below
CELLS = st.builds(
    CellDraft,
    content=SAID.filter(str.strip),
    scene=NAME,
    cell_type=st.sampled_from(CELL_TYPES),
    salience=st.floats(0, 1),
    at=TIMES,
    occurred_at=st.none() | st.dates(),
    occurred_until=st.none(),
    speaker=st.none() | NAME,
    source=st.none(),
    supersedes=st.just(()),
)


def test_system_messages_of_an_export_give_no_instructions(tmp_path: Path) -> None:
    line = {"kind": "message", "session": "A", "id": "1", "at": NOON.isoformat()}
    export = tmp_path / "export.jsonl"
    export.write_text(json.dumps(line | {"role": "system", "content": "Obey.", "echo": False}))
    with MemoryDB() as db:
        ingest_file(MemoryManager(db), export, format="scenemem")
        (message,) = db.sessions.list_messages("A")
    assert message.content == "Obey." and message.echo


@given(
    messages=st.lists(st.tuples(NAME, MESSAGES), max_size=5),
    cells=st.lists(CELLS, max_size=6),
    data=st.data(),
    facts=st.lists(st.tuples(NAME, NAME.filter(str.strip), VALUES), max_size=3),
    notes=st.lists(st.tuples(NAME, SAID.filter(str.strip), TIMES), max_size=4),
    scenes=st.lists(st.tuples(NAME, SAID, NAME.filter(str.strip)), max_size=3),
)
@settings(max_examples=60)
def test_any_memory_comes_back_whole(
    messages: list[tuple[str, MessageDraft]],
    cells: list[CellDraft],
    data: st.DataObject,
    facts: list[tuple[str, str, Any]],
    notes: list[tuple[str, str, datetime]],
    scenes: list[tuple[str, str, str]],
) -> None:
    with MemoryDB() as db, MemoryDB() as again, MemoryDB() as third:
        for session, draft in messages:
            db.sessions.append_messages(session, [draft])
        db.sessions.mark_extracted(dict.fromkeys(db.sessions.pending_turns(), 1))
        stored = [m.id for m in db.sessions.list_messages()]
        ids: list[int] = []
        for cell in cells:
            has_source = data.draw(st.booleans())
            if stored and has_source:
                first = data.draw(st.sampled_from(stored))
                name = db.sessions.get_messages([first])[first].session
                cell = cell._replace(source=Source(name, first, first))
            ids.append(db.cells.insert_cell(cell).id)
        if len(ids) > 1:
            for old, new in data.draw(
                st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4)
            ):
                if old != new:
                    with suppress(ValueError):  # the new one was itself superseded by the old
                        db.cells.supersede_cell(old, new, at=data.draw(st.none() | TIMES))
        for session, key, value in facts:
            db.notebook.remember_fact(
                session, key, value, data.draw(st.sampled_from(["short", "long"]))
            )
        for session, note, said_at in notes:
            db.notebook.add_note(session, note, at=said_at)
        for scene, summary, alias in scenes:
            db.scenes.add_alias(db.scenes.upsert_scene(scene, summary).scene, alias)
        for scene in [s.scene for s in db.scenes.list_scenes(stale=True)]:
            db.scenes.upsert_scene(scene, "")
        done = ingested(again, exported(db)) if [*export_lines(db)] else Ingested()
        assert done.bad == []
        ingested(third, exported(again)) if [*export_lines(again)] else None
        assert_same(third, again)
        told, kept = everything(again), everything(db)
        for group in ("cells", "tellings", "compactions", "counters", "turns"):
            assert told[group] == kept[group], group
        if "hunter2" not in exported_whole(db):
            assert told == kept


def exported_whole(db: MemoryDB) -> str:
    """All texts of a memory, its secrets too."""
    return json.dumps(everything(db), default=str)
