"""What the memory promises in the corners: forgetting, order of time, engines that fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import Run

from scenemem import (
    CellDraft,
    EmbeddedEngine,
    Exchange,
    Extraction,
    MemoryDB,
    MemoryManager,
    MessageDraft,
    ModelUnavailableError,
    Prompt,
    Reply,
    WorkerAgent,
    recall,
)
from scenemem.engines.engine import MemoryView

EARLY, LATE = datetime(2020, 5, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)


def in_file(path: Path, word: str) -> bool:
    return word.lower().encode() in path.read_bytes().lower()


# -- forgetting ----------------------------------------------------------------------------------


def test_every_message_that_told_a_forgotten_cell_is_blanked(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    for day in (1, 2, 3):
        at = datetime(2026, 5, day, tzinfo=UTC)
        memory.update("My therapist is Dr. Quillfeather.", at=at, session=f"day {day}")
    (cell,) = db.cells.list_cells()
    assert cell.told == 3
    assert memory.forget(cells=[cell.id]).messages == 3
    assert not recall(db, "Quillfeather")
    db.close()
    assert not in_file(db.path, "quillfeather")


def test_a_reply_that_quoted_a_forgotten_cell_is_blanked(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    agent.answer("My therapist is Dr. Quillfeather.")
    assert "Quillfeather" in agent.answer("Who is my therapist?")
    agent.manager.forget(cells=[db.cells.list_cells()[0].id])
    assert not recall(db, "Quillfeather therapist")
    db.close()
    assert not in_file(db.path, "quillfeather")


def test_the_log_quotes_nothing_forgotten_after_renames_merges_and_changes(db: MemoryDB) -> None:
    old = db.insert_cell({"content": "Ilona marries in Ghent", "scene": "Wedding"})
    db.upsert_scene("Wedding", "Ilona marries in Ghent.")
    db.scenes.rename_scene("Wedding", "Family")
    new = db.insert_cell(
        {"content": "Ilona marries in Bruges", "scene": "Family", "supersedes": (old.id,)}
    )
    db.insert_cell({"content": "The dog is called Bruno", "scene": "Dog"})
    db.scenes.merge_scenes("Family", "Dog")
    MemoryManager(db).forget(cells=[old.id, new.id])
    quoted = [
        text for c in db.log.list_changes() for text in (c.before, c.after, c.subject) if text
    ]
    assert not any("Ghent" in text or "Bruges" in text for text in quoted)


def test_a_blanked_message_keeps_no_tool_calls(db: MemoryDB) -> None:
    call = {"id": "1", "function": {"name": "book", "arguments": '{"who": "Quillfeather"}'}}
    (message,) = db.sessions.append_messages(
        "A", [MessageDraft("assistant", "", tool_calls=(call,))]
    ).messages
    assert db.sessions.redact_messages([message.id]) == 1
    assert db.sessions.list_messages("A")[0].tool_calls == ()


def test_an_export_holds_no_secret_and_keeps_what_only_quotes(run: Run, path: Path) -> None:
    embedded = ["-d", str(path), "-m", "embedded"]
    run(*embedded, "ask", "My sister Nora lives in Bergen. My password is hunter2zebra!")
    run(*embedded, "ask", "Where does Nora live?")
    exported = run(*embedded, "export").stdout
    assert "hunter2zebra" not in exported and "Bergen" in exported
    lines = [json.loads(line) for line in exported.splitlines()]
    assert sum(line.get("echo", False) for line in lines) == 2


# -- time and people -----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["one by one", "in one batch"])
def test_an_older_statement_that_comes_later_replaces_nothing(db: MemoryDB, how: str) -> None:
    memory = MemoryManager(db)
    for text, at in (("I live in Rome now.", LATE), ("I live in Paris now.", EARLY)):
        memory.ingest([{"role": "user", "content": text}], session=text, at=at)
        if how == "one by one":
            memory.extract_pending()
    memory.extract_pending()
    rome = next(c for c in db.cells.list_cells(superseded=True) if "Rome" in c.content)
    assert rome.superseded_by is None


def test_two_people_who_say_the_same_are_two_cells(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    talk = [
        {"role": "user", "name": "Bob", "content": "I live in Paris."},
        {"role": "assistant", "name": "Alice", "content": "I live in Paris."},
        {"role": "assistant", "name": "Alice", "content": "I moved to Rome last week."},
    ]
    for n, message in enumerate(talk, start=1):
        memory.ingest([message], at=datetime(2026, 5, n, tzinfo=UTC))
        memory.extract_pending()
    paris = {
        c.speaker: c.superseded_by
        for c in db.cells.list_cells(superseded=True)
        if "Paris" in c.content
    }
    assert set(paris) == {"Bob", "Alice"}
    assert paris["Bob"] is None


def test_what_was_recalled_as_of_a_day_tells_nothing_later(db: MemoryDB) -> None:
    db.insert_cell({"content": "Billing runs on Postgres", "scene": "Billing", "at": EARLY})
    db.insert_cell({"content": "Billing moves to MySQL", "scene": "Billing", "at": LATE})
    db.upsert_scene("Billing", "Billing moves to MySQL.")
    then = recall(db, "billing", as_of=datetime(2021, 1, 1, tzinfo=UTC))
    assert "MySQL" not in then.render(500) and "Postgres" in then.render(500)
    assert "MySQL" in recall(db, "billing").render(500)


def test_a_question_that_was_asked_is_no_answer_to_itself(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    for _ in range(2):
        assert agent.answer("Who is my dentist?") == "I don't remember anything about that."
    assert not recall(db, "dentist")


# -- scenes --------------------------------------------------------------------------------------


def test_scenes_that_a_caller_named_are_never_merged_or_renamed(db: MemoryDB) -> None:
    db.insert_cell({"scene": "Trip to Oslo", "content": "Fly to Oslo on 3 May"})
    db.insert_cell({"scene": "Payroll", "content": "Salaries are paid on the 25th"})
    db.upsert_scene("Trip to Oslo", "A trip to Oslo is planned.")
    memory = MemoryManager(db)
    memory.update("I adopted a cat named Miso.", "Aw")
    memory.consolidate_stale()
    assert {"Trip to Oslo", "Payroll"} <= {scene.scene for scene in db.scenes.list_scenes()}
    assert db.retrieve_scene_summary("Trip to Oslo") == "A trip to Oslo is planned."


def test_a_scene_is_due_when_what_its_summary_told_has_changed(db: MemoryDB) -> None:
    flat = db.insert_cell({"scene": "Flat", "content": "The rent is 900"})
    db.upsert_scene("Flat", "The rent is 900.")
    db.insert_cell({"scene": "Money", "content": "The rent is 950", "supersedes": (flat.id,)})
    assert [s.scene for s in db.scenes.list_scenes(stale=True)] == ["Money"]
    assert db.retrieve_scene_summary("Flat") == ""  # nothing it told is in force
    one, two = db.cells.insert_cells(
        [{"scene": "Cat", "content": "Miso is one"}, {"scene": "Cat", "content": "Miso is red"}]
    )
    db.upsert_scene("Cat", "Miso is one, and red.")
    db.cells.supersede_cell(two.id, one.id)
    assert "Cat" in [s.scene for s in db.scenes.list_scenes(stale=True)]
    db.upsert_scene("Cat", "Miso is one.")
    assert "Cat" not in [s.scene for s in db.scenes.list_scenes(stale=True)]


def test_unrelated_talks_do_not_share_a_scene(db: MemoryDB) -> None:
    said = (
        "My wifi router is on the fridge.",
        "I play the cello on Tuesdays.",
        "The boiler is from 1998.",
        "We chose Postgres for billing.",
        "Grandma turns ninety in July.",
        "I collect stamps from Chile.",
    )
    memory = MemoryManager(db)
    for number, text in enumerate(said):
        memory.ingest([{"role": "user", "content": text}], session=f"talk {number}", at=EARLY)
    memory.extract_pending()
    memory.consolidate_stale()
    assert [scene.cells for scene in db.scenes.list_scenes()] == [1] * len(said)


# -- engines that fail ---------------------------------------------------------------------------


class Broken(EmbeddedEngine):
    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        raise KeyError("a bug of the engine's own")


def test_a_reply_is_delivered_whatever_an_engine_does_after_it(db: MemoryDB) -> None:
    assert WorkerAgent(db, MemoryManager(db, Broken())).answer("I moved to Bergen.") == "Noted."
    assert [m.content for m in db.sessions.list_messages()] == ["I moved to Bergen.", "Noted."]
    assert MemoryManager(db).extract_pending().turns == 1


def test_one_bad_draft_costs_only_itself(db: MemoryDB) -> None:
    class Careless(EmbeddedEngine):
        def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
            drafts = (
                CellDraft("  "),
                CellDraft("Bergen is home", salience=7),
                CellDraft("Good one"),
            )
            return [Extraction(exchange.id, drafts) for exchange in exchanges]

    update = MemoryManager(db, Careless()).update("I moved to Bergen.", at=EARLY)
    assert update.outcome == "kept"
    (cell,) = update.cells
    assert (cell.content, cell.created_at) == ("Good one", EARLY)
    assert cell.source is not None and cell.source.session == "default"


def test_a_question_whose_reply_failed_is_extracted_all_the_same(db: MemoryDB) -> None:
    class Mute(EmbeddedEngine):
        def reply(self, prompt: Prompt, tools: Sequence[dict[str, object]] = ()) -> Reply:
            raise ModelUnavailableError("the model is down")

    with pytest.raises(ModelUnavailableError):
        WorkerAgent(db, MemoryManager(db, Mute())).answer("I moved to Bergen.")
    assert MemoryManager(db).extract_pending().turns == 1
    assert "Bergen" in recall(db, "Bergen").cells[0].content


def test_an_answer_that_comes_after_its_turn_was_read_is_read_too(db: MemoryDB) -> None:
    turn, _ = db.sessions.open_turn("A", MessageDraft("user", "I moved to Bergen."))
    db.sessions.close_turn(turn)
    memory = MemoryManager(db)
    memory.extract_pending()
    db.sessions.append_to_turn(turn, [MessageDraft("assistant", "I booked the ferry for Friday.")])
    memory.extract_pending()
    moved, booked = db.cells.list_cells()
    assert "Bergen" in moved.content and "ferry" in booked.content
    assert moved.told == 1


def test_a_repeat_is_kept_and_not_nothing(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    first = memory.update("I moved to Bergen.")
    again = memory.update("I moved to Bergen.")
    assert (first.outcome, again.outcome) == ("kept", "kept")
    assert [c.id for c in again.cells] == [c.id for c in first.cells]


def test_sessions_that_alternate_in_a_file_keep_their_turns(
    run: Run, path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "two.jsonl"
    rows = [
        ("A", "user", "I moved to Bergen."),
        ("B", "user", "I moved to Oslo."),
        ("A", "assistant", "Nice."),
        ("B", "assistant", "Good."),
    ]
    file.write_text(
        "\n".join(json.dumps({"session": s, "role": r, "content": c}) for s, r, c in rows)
    )
    run("-d", str(path), "-m", "embedded", "ingest", str(file))
    with MemoryDB(path) as db:
        assert sum(db.sessions.count_turns().values()) == 2
