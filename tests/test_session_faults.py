"""Faults that session memories are known for: order, secrets, forgetting, consolidation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import Run
from sqlite_files import sqlite_of

from scenemem import MemoryDB, MemoryManager, ModelEngine, SessionStore, WorkerAgent, recall
from scenemem.agent.compaction import HistoryCompactor
from scenemem.base.secrets import WITHHELD
from scenemem.engines.openai.chat import Completion
from scenemem.memory.exporting import export_lines
from scenemem.testing import ScriptedModel, cells_json, tool_call

NOON = datetime(2026, 5, 12, 12, tzinfo=UTC)


# -- order ---------------------------------------------------------------------------------------


def test_a_history_is_in_the_order_of_insertion_whatever_the_clock_says(path: Path) -> None:
    with MemoryDB(path) as db:
        call = tool_call("a", "c1")
        for role, content, more in (
            ("user", "q1", {}),
            ("assistant", "", {"tool_calls": (call,)}),
            ("tool", "1", {"tool_call_id": "c1"}),
            ("assistant", "r1", {}),
        ):
            db.sessions.append_history("A", role, content, at=NOON, **more)  # type: ignore[arg-type]
        for role, content in (("user", "q2"), ("assistant", "r2")):
            db.sessions.append_history("A", role, content, at=NOON - timedelta(hours=1))  # type: ignore[arg-type]
    for _ in range(50):
        with MemoryDB(path) as db:
            messages = db.sessions.list_messages("A")
            assert [m.content for m in messages] == ["q1", "", "1", "r1", "q2", "r2"]
            assert [m.turn for m in messages] == [1, 1, 1, 1, 2, 2]
            assert messages[1].tool_calls == (call,) and messages[2].tool_call_id == "c1"


def test_a_message_sent_again_is_stored_once_and_a_genuine_repeat_stays(db: MemoryDB) -> None:
    for external_id in ("t1", "t1", "t2"):
        db.sessions.append_history("A", "user", "I booked the ferry.", external_id=external_id)
    assert [m.external_id for m in db.sessions.list_messages("A")] == ["t1", "t2"]
    assert db.sessions.append_history("A", "user", "x", external_id="t1") is None


def test_history_appended_message_by_message_is_extracted_in_turns(db: MemoryDB) -> None:
    db.sessions.append_history("A", "user", "I moved to Oslo in May.")
    assert MemoryManager(db).extract_pending().turns == 0  # its answer is still to come
    db.sessions.append_history("A", "assistant", "Noted.")
    assert MemoryManager(db).extract_pending().turns == 1
    assert "Oslo" in db.cells.list_cells()[0].content


# -- secrets -------------------------------------------------------------------------------------

SECRETS = ("teal-Otter-42", "sk-test-51Habcdefghijklmnopqrstuvwxyz", "eyJhbGciOi.abc.def")
TOLD = (
    f"Prod password is {SECRETS[0]} and the key is {SECRETS[1]}; "
    f"Authorization: Bearer {SECRETS[2]}",
    "We ship without any Stripe key in the app.",
    "My password manager is on the NAS.",
)


def stored_beside_the_history(db: MemoryDB) -> Iterator[str]:
    """All text of the file but the messages' own, the full-text indexes' words among it."""
    with sqlite_of(db).reading() as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.endswith(("_fts", "_data", "_idx", "_docsize", "_config", "_content"))
        ]
        for table in tables:
            columns = "redacted, terms" if table == "messages" else "*"
            for row in connection.execute(f"SELECT {columns} FROM {table}"):
                yield str(row)
        for table in ("messages_fts", "mem_cells_fts"):
            connection.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary_{table} "
                f"USING fts5vocab('main', '{table}', 'row')"
            )
            for (term,) in connection.execute(f"SELECT term FROM temp.vocabulary_{table}"):
                yield term


def all_told(db: MemoryDB, agent: WorkerAgent) -> None:
    for text in TOLD:
        agent.answer(text, "A")
    for n in range(19):
        agent.answer(f"Shelf {n} holds jars.", "A")
    agent.compactor.maybe_compact("A")


@pytest.mark.parametrize("kind", ["embedded", "model"])
def test_secrets_stay_in_the_history_and_talk_about_them_is_kept(db: MemoryDB, kind: str) -> None:
    # A model that repeats whatever it is told.
    model = ScriptedModel(
        answer=lambda request: (
            cells_json(*(text for text in TOLD if text[:14] in request.last))
            if request.purpose == "extract"
            else f"- {' '.join(TOLD)}"
        )
    )
    engine = ModelEngine(model) if kind == "model" else None
    agent = WorkerAgent(db, MemoryManager(db, engine))
    all_told(db, agent)
    assert db.sessions.list_compactions("A")
    everything = "\n".join(
        [
            *stored_beside_the_history(db),
            json.dumps([*export_lines(db)]),
            recall(db, "what is the prod password and key?").render(),
            db.sessions.get_summary("A")[0],
        ]
    )
    for secret in SECRETS:
        assert secret not in everything
    for word in ("otter", "51habcdefghijklmnopqrstuvwxyz", "eyjhbgcioi"):
        assert word not in everything.lower()
    cells = [cell.content for cell in db.cells.list_cells()]
    assert any(WITHHELD in content for content in cells)
    assert sum(text in content for text in TOLD[1:] for content in cells) == 2
    # The history is word for word.
    assert db.sessions.list_messages("A")[0].content == TOLD[0]


def test_a_model_is_not_shown_a_secret_again(db: MemoryDB) -> None:
    model = ScriptedModel(answer=lambda r: "Fine." if r.purpose == "reply" else cells_json())
    manager = MemoryManager(db, ModelEngine(model))
    manager.update(TOLD[0], "Noted.", session="A")
    WorkerAgent(db, manager).answer("What was the prod password?", "B")
    for request in model.requests:
        assert not any(secret in str(request.messages) for secret in SECRETS)


def test_a_secret_that_a_model_tries_to_save_is_in_no_export(db: MemoryDB) -> None:
    asked = tool_call("remember", key="wifi_password", value="teal-Otter-42")
    model = ScriptedModel(Completion("", (asked,)), "I don't keep secrets.", cells_json())
    WorkerAgent(db, MemoryManager(db, ModelEngine(model))).answer("Remember our wifi.", "A")
    db.notebook.remember_fact("A", "api_key", "teal-Otter-42")  # an app may keep what it likes
    db.notebook.remember_fact("A", "locale", "en_US")
    lines = [*export_lines(db)]
    assert "teal-Otter-42" not in json.dumps(lines)
    assert {line["key"]: line["value"] for line in lines if line["kind"] == "fact"} == {
        "api_key": WITHHELD,
        "locale": "en_US",
    }


def test_an_export_brings_the_notebook_back_and_overwrites_nothing(
    db: MemoryDB, run: Run, tmp_path: Path
) -> None:
    db.notebook.remember_fact("A", "unread", 0)
    db.notebook.remember_fact("A", "tz", "CET", "long")
    db.notebook.add_note("A", "call Ann", at=NOON)
    db.notebook.upsert_global("team", ["blue"])
    db.notebook.add_to_counter("coffee", 3)
    MemoryManager(db).update("I moved to Oslo in May.", session="A")
    exported = run("-d", str(db.path), "export").stdout
    (tmp_path / "export.jsonl").write_text(
        exported
        + '{"kind": "fact", "session": "A"}\n{"kind": "counter", "name": "x", "count": 1.5}\n'
    )
    with MemoryDB(tmp_path / "other.db") as other:
        other.notebook.remember_fact("A", "tz", "PST", "long")
        options = (
            "-d",
            str(other.path),
            "-m",
            "embedded",
            "ingest",
            str(tmp_path / "export.jsonl"),
        )
        done = run(*options)
        assert "2 failed" in done.stdout and "a fact: 'key' is missing" in done.stderr
        run(*options)
        there, here = SessionStore(other).get(), SessionStore(db).get()
        assert there["sessions"]["A"]["long_term"]["facts"] == {"tz": "PST"}
        assert there["sessions"]["A"]["short_term"] == here["sessions"]["A"]["short_term"]
        assert there["global"] == {"team": ["blue"]}
        assert other.notebook.list_counters() == {"coffee": 3}
        assert other.notebook.list_notes()[0].at == NOON


def test_the_log_and_the_notebook_keep_no_secret(db: MemoryDB, run: Run) -> None:
    options = ("-d", str(db.path))
    assert run(*options, "jot", f"the key is {SECRETS[1]}").returncode == 0
    assert SECRETS[1] not in run(*options, "log").stdout
    assert SECRETS[1] not in run(*options, "jot").stdout


# -- scenes --------------------------------------------------------------------------------------


def test_a_forgotten_fact_does_not_come_back(db: MemoryDB) -> None:
    asked: list[str] = []

    def summarize(request: object) -> str:
        told = str(getattr(request, "last", ""))
        asked.append(told)
        return "The lease ends in June" + (" and rent is 900." if "900" in told else ".")

    manager = MemoryManager(db, ModelEngine(ScriptedModel(answer=summarize)))
    _, rent = db.cells.insert_cells(
        {"content": content, "scene": "home"}
        for content in ("Lease ends in June", "Rent is 900 a month")
    )
    assert "900" in manager.consolidate_scene("home").summary
    manager.forget(cells=[rent.id])
    assert "900" not in recall(db, "rent").render()
    assert "900" not in (db.get_scene("home") or rent)[1]
    db.insert_cell({"content": "Boiler serviced", "scene": "home"})
    assert "900" not in manager.consolidate_scene("home").summary
    assert not any("900" in told or "Rent" in told for told in asked[1:])


def test_consolidation_changes_the_summary_only(db: MemoryDB) -> None:
    plants = [f"plant{n}" for n in range(30)]
    db.cells.insert_cells(
        {"content": f"The {plant} stands in bed {n}", "scene": "garden"}
        for n, plant in enumerate(plants)
    )
    vague = ModelEngine(ScriptedModel("Various things happened in the garden, a plant, a bed."))
    before = db.cells.list_cells()
    manager = MemoryManager(db, vague)
    manager.consolidate_stale()
    assert db.cells.list_cells() == before
    for n, plant in enumerate(plants):
        assert recall(db, plant).cells[0].content == f"The {plant} stands in bed {n}"


def test_a_compactor_and_the_scenes_are_told_apart(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    for n in range(20):
        agent.answer(f"Shelf {n} holds {n * 7} jars.", "A")
    cells = db.cells.list_cells()
    HistoryCompactor(db, agent.manager.engine).maybe_compact("A")
    assert db.cells.list_cells() == cells
