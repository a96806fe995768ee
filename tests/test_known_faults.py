"""Faults that memory systems are known for, each as input and the right behaviour.

`COVERED` names every case and the test that holds it, here or in the file of its subject.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from conftest import Run

from scenemem import (
    Cell,
    DatabaseError,
    EmbeddedEngine,
    MemoryDB,
    MemoryManager,
    ModelEngine,
    Scene,
    SceneSummary,
    WorkerAgent,
    arecall,
    recall,
)
from scenemem.base.text import estimate_tokens
from scenemem.testing import Request, ScriptedModel, cells_json

COVERED = {
    "Q1": "test_known_faults.test_identifiers_and_dates_with_hyphens_are_found",
    "Q2": "test_known_faults.test_punctuation_in_a_query_hides_nothing",
    "Q3": "test_known_faults.test_operator_words_are_words",
    "Q5": "test_known_faults.test_a_query_that_says_nothing_matches_nothing",
    "L1": "test_known_faults.test_unspaced_text_is_found_by_its_parts",
    "L3": "test_known_faults.test_every_script_finds_its_own",
    "L5": "test_known_faults.test_text_is_stored_and_shown_in_its_own_characters",
    "R1": "test_known_faults.test_the_best_match_is_found_among_many_that_share_a_word",
    "R2": "test_known_faults.test_stop_words_do_not_outvote_the_word_that_matters",
    "R4": "test_known_faults.test_a_correction_outranks_a_stale_status",
    "OWN5": "test_known_faults.test_type_and_scene_names_are_not_content",
    "I1": "test_known_faults.test_what_was_forgotten_is_not_found_again",
    "I3": "test_cells_of_a_memory.test_a_corrected_cell_is_found_by_its_new_words_only",
    "D1": "test_database.test_a_killed_writer_loses_nothing_that_it_acknowledged",
    "OWN3": "test_database.test_a_backup_is_whole_while_the_memory_is_open",
    "OWN8": "test_known_faults.test_ctrl_c_during_consolidation_costs_a_summary_only",
    "E1": "test_cli.test_help_needs_no_home_and_makes_nothing",
    "E2": "test_database.test_a_missing_fts5_is_said_at_open_and_leaves_no_schema",
    "E4": "test_known_faults.test_the_plain_calls_work_inside_a_running_event_loop",
    "OWN11": "test_cli.test_text_that_looks_like_an_option_is_searched_after_two_dashes",
    "O1": "test_known_faults.test_a_lone_surrogate_costs_one_character",
    "O3": "test_known_faults.test_a_huge_message_takes_nothing_else_down",
    "O5": "test_known_faults.test_contents_that_are_lists_or_missing_are_taken_in",
    "M1": "test_migrations.test_an_old_file_is_upgraded_once_with_all_its_cells",
    "OWN2": "test_database.test_a_file_of_a_newer_version_is_refused_untouched",
    "T1": "test_known_faults.test_the_shown_branch_of_a_chatgpt_export_is_followed",
    "T3": "test_known_faults.test_a_killed_import_is_finished_by_the_next_and_doubles_nothing",
    "W2": "test_cells_of_a_memory.test_the_same_text_again_counts_and_is_not_stored_twice",
    "W3": "test_known_faults.test_a_changed_preference_takes_the_old_ones_place",
    "W5": "test_known_faults.test_relative_days_are_taken_from_when_it_was_said",
    "OWN12": "test_embedded_extraction",
    "S1": "test_scenes_of_a_memory.test_three_spellings_of_a_name_are_one_scene",
    "X3": "test_locations.test_every_odd_name_opens_a_memory",
    "X4": "test_cli.test_two_agents_see_nothing_of_each_other",
    "K1": "test_known_faults.test_nobody_waits_for_a_lock_while_a_model_works",
    "K2": "test_database.test_threads_share_one_memory",
    "K5": "test_known_faults.test_an_event_loop_goes_on_while_the_lock_is_awaited",
    **dict.fromkeys(
        ("P1", "P3", "P4", "P5", "P6", "P7", "P8"),
        "test_model_replies.test_a_reply_is_read_to_what_it_says",
    ),
    "A1": "test_model_chat.test_what_a_server_refuses_is_learnt_once",
    "A3": "test_model_chat.test_every_form_of_an_address_works_or_fails_with_it",
    "A5": "test_model_faults.test_turns_wait_for_a_rate_limit_to_end_and_are_extracted_once",
    "A6": "test_model_extraction.test_failed_nothing_to_keep_and_kept_are_three_things",
    "Y1": "test_cli_model.test_an_answer_is_delivered_when_the_memory_fails_and_caught_up_later",
    "N1": "test_known_faults.test_tokens_are_estimated_for_any_text_without_a_table",
    "W1": "test_known_faults.test_what_was_recalled_is_not_remembered_again",
    "C1": "test_compaction.test_wherever_it_is_cut_no_call_loses_its_result",
    "C3": "test_compaction.test_system_messages_stay_first_and_are_not_condensed",
    "C4": "test_compaction.test_a_failing_model_changes_nothing_and_the_turn_has_its_answer",
    "K4": "test_notebook.test_counters_are_exact_with_many_processes",
    "H1": "test_session_faults.test_a_history_is_in_the_order_of_insertion_whatever_the_clock_says",
    "Z1": "test_tools.test_stored_falsy_values_are_found_with_their_types",
    "X1": "test_agent.test_nothing_told_can_close_its_block_or_speak_as_the_system",
    "X2": "test_session_faults.test_secrets_stay_in_the_history_and_talk_about_them_is_kept",
    "G1": "test_agent.test_wrong_arguments_are_told_to_the_model_and_the_loop_goes_on",
    "G3": "test_tools.test_a_bomb_is_refused_before_it_is_worked_out",
    "OWN10": "test_tools.test_a_counter_at_its_limit_stays_a_whole_number",
    "S3": "test_session_faults.test_a_forgotten_fact_does_not_come_back",
    "S4": "test_session_faults.test_consolidation_changes_the_summary_only",
    "OWN7": "test_known_faults.test_a_turn_sent_again_by_its_client_is_kept_once",
}


@pytest.mark.parametrize("case", COVERED)
def test_every_case_has_its_test(case: str) -> None:
    module, _, test = COVERED[case].partition(".")
    found = importlib.import_module(module)
    assert not test or callable(getattr(found, test))


def filled(db: MemoryDB, *contents: str, **fields: object) -> list[Cell]:
    return db.cells.insert_cells([{"content": content, **fields} for content in contents])


def first(db: MemoryDB, query: str) -> str | None:
    found = recall(db, query, limit=6)
    return found.cells[0].content if found.cells else None


# -- queries -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("7f3a91bc-2e44-4d0f-9a1e-5c0d7be21f60", 0),
        ("what happens on 2026-03-14?", 1),
        ("2026-03-14", 1),
        ("multi-agent", 2),
        ("multi agent", 2),
    ],
)
def test_identifiers_and_dates_with_hyphens_are_found(
    db: MemoryDB, run: Run, query: str, expected: int
) -> None:
    cells = filled(
        db,
        "Deploy job 7f3a91bc-2e44-4d0f-9a1e-5c0d7be21f60 failed on staging",
        "Release freeze starts 2026-03-14",
        "The multi-agent demo is on Thursday",
    )
    assert first(db, query) == cells[expected].content
    done = run("-d", str(db.path), "recall", query)
    assert done.returncode == 0 and cells[expected].content in done.stdout


PUNCTUATED = (
    "Nora's deploy plan lives in src/app.py",
    "Ping @nora in #infra when a=b drops under 50%",
    "Logs go to C:\\tmp\\log; see foo&bar [draft] <todo>",
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what's Nora's deploy plan?", 0),
        ("src/app.py", 0),
        ("#infra", 1),
        ("a=b", 1),
        ("50%", 1),
        ("C:\\tmp\\log", 2),
        ("foo&bar", 2),
        ("[draft]", 2),
        ("<todo>", 2),
        ('"foo" ^bar*', 2),
        ("the log; where is it, exactly?!", 2),
        ("{log}", 2),
        ("log:log", 2),
        ("-draft", 2),
        ("+infra -nora", 1),
        ("infra' OR 1=1 --", 1),
    ],
)
def test_punctuation_in_a_query_hides_nothing(db: MemoryDB, query: str, expected: int) -> None:
    filled(db, *PUNCTUATED)
    assert first(db, query) == PUNCTUATED[expected]


def test_an_at_sign_finds_every_cell_with_the_name(db: MemoryDB) -> None:
    filled(db, *PUNCTUATED)
    assert {c.content for c in recall(db, "@nora").cells} == set(PUNCTUATED[:2])


@pytest.mark.parametrize("query", ["AND", "OR", "NOT", "to be or NOT to be", "NEAR(a b", "*", "**"])
def test_operator_words_are_words(db: MemoryDB, query: str) -> None:
    filled(db, "Never deploy on Friday", "Chose grpc, not rest")
    recall(db, query)
    assert first(db, "rest OR grpc") == "Chose grpc, not rest"
    assert first(db, "DO NOT deploy on Friday") == "Never deploy on Friday"
    assert not recall(db, "*")


@pytest.mark.parametrize(
    "query", ["", "   ", "???", "🎉", "…", "\u200b", "the of and", "\x00", "\ud83d"]
)
def test_a_query_that_says_nothing_matches_nothing(db: MemoryDB, run: Run, query: str) -> None:
    filled(db, "Safe code of the vault is kept at the bank", salience=0.9)
    found = recall(db, query)
    assert found.hits == () and not found
    assert [cell.content for cell in found.fallback] == [
        "Safe code of the vault is kept at the bank"
    ]
    assert found.as_dict()["matched"] is False
    assert found.render(200).splitlines()[1].startswith("Nothing remembered matches.")
    if "\x00" not in query and "\ud83d" not in query:
        assert run("-d", str(db.path), "recall", query).stdout.startswith("Nothing remembered")


@pytest.mark.parametrize("query", ["数据库", "新加坡", "数据库迁移", "数据库在哪里？"])
def test_unspaced_text_is_found_by_its_parts(db: MemoryDB, query: str) -> None:
    filled(db, "我们决定把数据库迁移到新加坡机房")
    filled(db, "Cake recipe for Sunday", salience=0.95)
    assert [c.content for c in recall(db, query).cells] == ["我们决定把数据库迁移到新加坡机房"]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("Сергей работает в бухгалтерии", "Где работает Сергей в 2026?"),
        ("العميل يفضل القهوة", "القهوة"),
        ("ลูกค้าชอบกาแฟเย็น", "กาแฟ"),
        ("사용자는 매운 음식을 싫어한다", "음식"),
        ("הלקוח גר בחיפה", "בחיפה"),
        ("来月は京都へ引っ越します", "京都"),
        ("मेरी बहन दिल्ली में रहती है", "दिल्ली"),
        ("Ο Νίκος μένει στη Θεσσαλονίκη", "Θεσσαλονικη"),
        ("Herr Müller wohnt in der Bahnhofstraße", "Muller Bahnhofstrasse"),
        ("Zoë a déménagé à Orléans", "zoe orleans"),
        ("İstanbul'da çalışıyor", "Istanbul"),
        ("ＡＢＣ倉庫に保管", "abc"),
    ],
)
def test_every_script_finds_its_own(db: MemoryDB, content: str, query: str) -> None:
    filled(db, content)
    filled(db, "Alice likes cake", salience=0.95)
    assert [c.content for c in recall(db, query).cells] == [content]


def test_decomposed_accents_are_the_same_letters(db: MemoryDB) -> None:
    filled(db, "Mu\u0308ller moved to Zu\u0308rich", "Nothing of the kind")
    for query in ("Müller", "Muller", "Zürich", "zurich", "Zu\u0308rich"):
        assert first(db, query) == "Mu\u0308ller moved to Zu\u0308rich"


def test_text_is_stored_and_shown_in_its_own_characters(db: MemoryDB, run: Run) -> None:
    filled(db, "大阪出張は来週の火曜", "Résumé sent to Zürich office")
    assert first(db, "大阪") == "大阪出張は来週の火曜"
    assert first(db, "Zürich") == first(db, "résumé") == "Résumé sent to Zürich office"
    assert not recall(db, "u5927")
    assert "大阪出張" in recall(db, "大阪").render(200)
    for options in ([], ["--json"]):
        assert "大阪出張は来週の火曜" in run("-d", str(db.path), "recall", "大阪", *options).stdout


@pytest.mark.parametrize("target_first", [True, False])
def test_the_best_match_is_found_among_many_that_share_a_word(
    db: MemoryDB, target_first: bool
) -> None:
    notes = [f"project note number {n} about project status" for n in range(200)]
    target = "project heliograph budget approved at 40k"
    filled(db, *([target, *notes] if target_first else [*notes, target]))
    found = recall(db, "heliograph project budget", limit=6)
    assert found.cells[0].content == target and len(found.cells) == 6


def test_stop_words_do_not_outvote_the_word_that_matters(db: MemoryDB) -> None:
    filled(db, *(f"the notes of the day {n}: it is what it is to me" for n in range(20)))
    filled(db, "Dentist is Dr. Okafor on Elm Street")
    assert (
        first(db, "what is the name of the dentist I went to?")
        == "Dentist is Dr. Okafor on Elm Street"
    )


@pytest.mark.parametrize(
    "query", ["is the server migration finished?", "status of the server migration"]
)
def test_a_correction_outranks_a_stale_status(db: MemoryDB, query: str) -> None:
    for day, content in (
        (1, "Server migration under way"),
        (3, "Server migration finished"),
        (10, "Lunch with the migration crew"),
    ):
        db.insert_cell({"content": content, "at": datetime(2026, 5, day, tzinfo=UTC)})
    assert [c.content for c in recall(db, query).cells] == [
        "Server migration finished",
        "Server migration under way",
        "Lunch with the migration crew",
    ]


def test_type_and_scene_names_are_not_content(db: MemoryDB) -> None:
    filled(db, *(f"Tray {n} holds basil" for n in range(30)), scene="garden")
    filled(db, "Chargebacks rise in December", scene="billing", cell_type="risk")
    for query in ("is that a fact?", "what's the plan?", "any risk?", "garden"):
        assert not any("basil" in c.content for c in recall(db, query).cells)


# -- what is kept --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["live", "in bulk"])
def test_a_changed_preference_takes_the_old_ones_place(db: MemoryDB, how: str) -> None:
    memory = MemoryManager(db)
    said = [
        ("2026-01-05", "I take the bus to work."),
        ("2026-02-10", "I don't take the bus any more, I cycle to work now."),
        ("2026-02-11", "I love spicy food."),
        ("2026-03-01", "I hate spicy food."),
    ]
    for day, text in said:
        at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        if how == "live":
            memory.update(text, at=at)
        else:
            memory.ingest([{"role": "user", "content": text}], at=at)
    memory.extract_pending()
    memory.consolidate_stale()
    for query, current, former in (
        ("how do I get to work now?", "cycle", "I take the bus"),
        ("do I like spicy food?", "hate", "love"),
    ):
        contents = [cell.content for cell in recall(db, query).cells]
        assert current in contents[0]
        assert not any(former in content for content in contents)
    assert not any("love" in scene.summary for scene in db.scenes.list_scenes())
    then = recall(db, "spicy food", as_of=datetime(2026, 2, 20, tzinfo=UTC))
    assert "love" in then.cells[0].content


def test_relative_days_are_taken_from_when_it_was_said(db: MemoryDB) -> None:
    at = datetime(2022, 11, 16, 9, 30, tzinfo=UTC)
    (cell,) = MemoryManager(db).update("I went to Lisbon last week.", at=at).cells
    assert cell.created_at == at
    assert cell.occurred_at is not None and cell.occurred_until is not None
    assert date(2022, 11, 7) <= cell.occurred_at <= cell.occurred_until <= date(2022, 11, 16)


def test_what_was_forgotten_is_not_found_again(db: MemoryDB, run: Run) -> None:
    memory = MemoryManager(db)
    memory.update("My landlady is called Ottoline.")
    memory.update("I keep bees on the roof.")
    filled(db, "Lease ends in June", "Rent is 900 a month", scene="home")
    ottoline = recall(db, "Ottoline").cells[0]
    memory.forget(cells=[ottoline.id])
    memory.forget(scene="HOME")
    for word in ("Ottoline", "landlady", "lease", "rent"):
        assert not recall(db, word)
    assert run("-d", str(db.path), "doctor", "--mend").returncode == 0
    for word in ("Ottoline", "landlady", "lease", "rent"):
        assert not recall(db, word)
    assert recall(db, "bees")
    db.close()
    before = db.path.read_bytes()
    assert b"ottoline" not in before.lower()
    MemoryDB(db.path).close()
    assert db.path.read_bytes() == before


def test_ctrl_c_during_consolidation_costs_a_summary_only(db: MemoryDB) -> None:
    class Interrupted(EmbeddedEngine):
        def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MemoryManager(db, Interrupted()).update("I moved to Bergen in May.")
    db.close()
    with MemoryDB(db.path) as again:
        assert "Bergen" in recall(again, "Bergen").cells[0].content
        (stale,) = again.scenes.list_scenes(stale=True)
        memory = MemoryManager(again)
        assert memory.db.status().pending == 0
        assert [scene.scene for scene in memory.consolidate_stale()] == [stale.scene]
        assert "Bergen" in again.retrieve_scene_summary(stale.scene)


def test_a_lone_surrogate_costs_one_character(db: MemoryDB, run: Run) -> None:
    WorkerAgent(db).answer("My depot \ud83d is in Leeds near the river.", "A")
    assert "depot \ufffd is in Leeds" in db.sessions.list_messages("A")[0].content
    assert "Leeds" in recall(db, "depot").cells[0].content
    done = run("-d", str(db.path), "export")
    assert done.returncode == 0 and "depot" in done.stdout


def test_a_huge_message_takes_nothing_else_down(db: MemoryDB) -> None:
    log = "2026-05-01 12:00:00 INFO worker-7 GET /health 200 0.003s\n" * 35_000
    memory = MemoryManager(db)
    memory.ingest(
        [
            {"role": "user", "content": log + "and remember, the on-call phone is 555-0100"},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": "I moved my standup to 10:30."},
        ]
    )
    memory.extract_pending()
    assert "555-0100" in recall(db, "what is the on-call phone?").cells[0].content
    assert "10:30" in recall(db, "when is my standup?").cells[0].content
    assert all(len(cell.content) < 5_000 for cell in db.cells.list_cells())
    assert len(db.cells.list_cells()) < 100


def test_contents_that_are_lists_or_missing_are_taken_in(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    call = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": "{}"}}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    memory.ingest(
        [
            {"role": "user", "content": [{"type": "text", "text": "I collect stamps"}, image]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "42"}]},
            {"role": "assistant", "tool_calls": []},
        ]
    )
    memory.extract_pending()
    assert [c.content for c in db.cells.list_cells()] == ["I collect stamps"]
    assert not any("None" in m.content for m in db.sessions.list_messages())
    with pytest.raises(ValueError, match="role"):
        memory.ingest([{"text": "no role"}])


def test_what_was_recalled_is_not_remembered_again(db: MemoryDB) -> None:
    def answer(request: Request) -> str:
        if request.purpose == "reply":
            said = request.last
            return "Noted!" if "allergic" in said else "Since you avoid peanuts, try this."
        talk = request.last
        known = cells_json({"content": "User is allergic to peanuts", "scene": "health"})
        return known if "peanut" in talk.lower() else "[]"

    model = ScriptedModel(answer=answer)
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(model)))
    agent.answer("I'm allergic to peanuts.")
    for dish in ("soup", "cake", "curry", "salad", "bread", "stew", "pie", "tart", "roll", "dip"):
        agent.answer(f"Give me a recipe for a {dish}.")
    assert [cell.content for cell in db.cells.list_cells()] == ["User is allergic to peanuts"]
    replies = [request for request in model.requests if request.purpose == "reply"]
    assert len(replies) == 11
    extractions = [request for request in model.requests if request.purpose == "extract"]
    assert not any("<memory>" in str(m["content"]) for r in extractions for m in r.messages)


@pytest.mark.parametrize("text", ["", "hello", "数据库迁移", "Где работает Сергей", "x" * 10_000])
def test_tokens_are_estimated_for_any_text_without_a_table(text: str) -> None:
    assert estimate_tokens(text) == -(-len(text.encode()) // 4)


# -- imports -------------------------------------------------------------------------------------


def test_the_shown_branch_of_a_chatgpt_export_is_followed(
    db: MemoryDB, run: Run, tmp_path: Path
) -> None:
    def node(parent: str | None, role: str, *parts: object) -> dict[str, object]:
        message = {"author": {"role": role}, "create_time": None, "content": {"parts": list(parts)}}
        return {"parent": parent, "message": message}

    conversation = {
        "title": "shop",
        "create_time": 1765000000.5,
        "current_node": "n2b",
        "mapping": {
            "n0": {"parent": None, "message": None, "children": ["n1"]},
            "n1": node("n0", "user", "My shop is called Fern & Co"),
            "n2a": node("n1", "assistant", "OLD reply"),
            "n2b": node("n1", "assistant", "NEW reply", {"asset_pointer": "x"}),
        },
    }
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([conversation]))
    done = run("-d", str(db.path), "ingest", str(file))
    assert "2 imported" in done.stdout, done.stderr
    assert [m.content for m in db.sessions.list_messages()] == [
        "My shop is called Fern & Co",
        "NEW reply",
    ]
    assert db.sessions.list_messages()[0].at == datetime.fromtimestamp(1765000000.5, UTC)
    assert recall(db, "what is the shop called?").cells


def _talks(messages: Sequence[int]) -> str:
    return "\n".join(
        json.dumps(
            {
                "role": "user" if n % 2 == 0 else "assistant",
                "session": f"talk {talk}",
                "id": f"{talk}-{n}",
                "at": f"2026-05-{talk + 1:02}T10:00:{n % 60:02}Z",
                "content": f"Valve {talk}-{n} was replaced by Ines on the upper deck.",
            }
        )
        for talk, count in enumerate(messages)
        for n in range(count)
    )


def test_a_killed_import_is_finished_by_the_next_and_doubles_nothing(
    path: Path, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "talks.jsonl"
    file.write_text(_talks([1500, 1500, 1500]))
    ingest = [sys.executable, "-m", "scenemem", "-d", str(path), "ingest", str(file)]
    process = subprocess.Popen(ingest, stdout=subprocess.DEVNULL)
    while process.poll() is None and (not path.exists() or path.stat().st_size < 400_000):
        time.sleep(0.005)
    process.kill()
    process.wait()
    done = run("-d", str(path), "ingest", str(file))
    assert done.returncode == 0 and "0 failed" in done.stdout
    with MemoryDB(path) as db:
        assert db.sessions.count_turns()["pending"] == 0
        counts = (sum(s.messages for s in db.sessions.list_sessions()), db.cells.count_cells())
        assert counts[0] == 4500
        assert db.check() == []
    assert "0 imported, 4,500 skipped" in run("-d", str(path), "ingest", str(file)).stdout
    with MemoryDB(path) as db:
        assert (
            sum(s.messages for s in db.sessions.list_sessions()),
            db.cells.count_cells(),
        ) == counts
    file.write_text(_talks([1500, 1502, 1500]))
    assert "2 imported, 4,500 skipped" in run("-d", str(path), "ingest", str(file)).stdout


# -- several at once -----------------------------------------------------------------------------

_ADDER = """
import sys
from scenemem import MemoryDB, MemoryManager
with MemoryDB(sys.argv[1]) as db:
    memory = MemoryManager(db)
    for n in range(40):
        said = f"Valve {sys.argv[2]}-{n} was replaced by Ines."
        memory.update(said, "Noted.", session=sys.argv[2])
"""


def test_nobody_waits_for_a_lock_while_a_model_works(path: Path) -> None:
    class Slow(EmbeddedEngine):
        def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", _ADDER, str(path), str(n)], stderr=subprocess.PIPE
                )
                for n in range(3)
            ]
            assert [writer.communicate()[1] for writer in writers] == [b""] * 3
            return super().summarize(scene, cells)

    with MemoryDB(path) as db:
        memory = MemoryManager(db, Slow())
        memory.ingest([{"role": "user", "content": "My boiler is from 1998."}])
        memory.extract_pending()
        memory.consolidate_stale(limit=1)
        assert sum(s.messages for s in db.sessions.list_sessions()) == 1 + 3 * 80
        assert memory.db.status().pending == 0
        assert db.cells.count_cells() == 1 + 3 * 40
        assert db.check() == []


def test_two_processes_extract_each_exchange_once(path: Path) -> None:
    with MemoryDB(path) as db:
        MemoryManager(db).ingest(
            [{"role": "user", "content": f"Valve {n} was replaced by Ines."} for n in range(400)]
        )
    script = (
        "import sys\nfrom scenemem import MemoryDB, MemoryManager\n"
        "with MemoryDB(sys.argv[1]) as db: MemoryManager(db).extract_pending()"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", script, str(path)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [worker.communicate()[1] for worker in workers] == [b""] * 3
    with MemoryDB(path) as db:
        assert db.cells.count_cells() == 400
        assert {cell.told for cell in db.cells.list_cells()} == {1}
        assert db.sessions.count_turns()["done"] == 400


def test_an_event_loop_goes_on_while_the_lock_is_awaited(db: MemoryDB) -> None:
    holder = sqlite3.connect(db.path, isolation_level=None)
    memory, agent = MemoryManager(db), WorkerAgent(db)
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.02)

    async def work() -> None:
        ticker = asyncio.create_task(tick())
        holder.execute("BEGIN IMMEDIATE")
        adding = asyncio.gather(
            memory.aupdate("I moved to Bergen."), agent.aanswer("My boiler is from 1998.", "B")
        )
        await asyncio.sleep(1.0)
        assert not adding.done()
        assert len(ticks) > 20  # the loop ran while both writers were waiting
        holder.execute("COMMIT")
        await adding
        assert (await arecall(db, "Bergen")).cells
        ticker.cancel()

    asyncio.run(work())
    holder.close()
    assert db.cells.count_cells() == 2


def test_the_plain_calls_work_inside_a_running_event_loop(db: MemoryDB) -> None:
    async def cell_of_a_notebook() -> str:
        MemoryManager(db).update("My sister Nora lives in Bergen.")
        again = MemoryDB(db.path)  # the same cell run twice opens the file twice
        assert recall(again, "Nora").cells
        return WorkerAgent(again).answer("Where does Nora live?")

    assert "Bergen" in asyncio.run(cell_of_a_notebook())
    with MemoryDB(db.path) as third:
        assert third.check() == []


def test_a_turn_sent_again_by_its_client_is_kept_once(db: MemoryDB) -> None:
    memory, at = MemoryManager(db), datetime(2026, 5, 1, tzinfo=UTC)
    for external_id, later in (("t1", 0), ("t1", 0), ("t2", 1)):
        memory.update(
            "I booked the ferry to Bergen.",
            "Good.",
            external_id=external_id,
            at=at + timedelta(minutes=later),
        )
    assert len(db.sessions.list_messages()) == 4
    (cell,) = db.cells.list_cells()
    assert cell.told == 2


def test_a_memory_that_can_not_be_written_still_recalls(path: Path) -> None:
    with MemoryDB(path) as db:
        filled(db, "The depot is in Leeds")
    with MemoryDB(path, read_only=True) as db:
        assert first(db, "depot") == "The depot is in Leeds"
        with pytest.raises(DatabaseError, match="read-only"):
            MemoryManager(db).update("more")
