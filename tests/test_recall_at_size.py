"""A memory with more matches than one recall reads: what a bounded search still finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlite_files import sqlite_of

from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.memory.ingestion import ingest_file
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval import matching
from scenemem.retrieval.matching import find_matches
from scenemem.retrieval.question import understand
from scenemem.retrieval.recall import recall
from scenemem.store.evidence import Evidence, Scope
from scenemem.store.sqlite import evidence as evidence_module

DAY = datetime(2024, 3, 1, 9, tzinfo=UTC)


@contextmanager
def evidence_of(db: MemoryDB) -> Iterator[Evidence]:
    with db.snapshot():
        yield db.evidence(Scope())


@pytest.fixture
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that a memory of a few hundred lines exceeds."""
    monkeypatch.setattr(matching, "MOST_ROWS", 60)
    monkeypatch.setattr(matching, "PROBE", 24)
    monkeypatch.setattr(matching, "NEWEST", 20)


def reports(db: MemoryDB, count: int, start: datetime = DAY) -> None:
    """A line a day about sales, each a message and the cell that came from it."""
    for number in range(count):
        at = start + timedelta(days=number)
        text = f"sales report {number} from the office"
        session = f"day {at:%Y%m%d}"
        said = db.sessions.append_messages(session, [MessageDraft("user", text, at)])
        place = said.messages[0].id
        db.insert_cell(CellDraft(text, at=at, source=Source(session, place, place)))


def test_a_bounded_search_of_messages_finds_the_rare_word(db: MemoryDB, small_bounds: None) -> None:
    reports(db, 100)
    db.sessions.append_messages("rare", [MessageDraft("user", "sales of obsidian fell", DAY)])
    reports(db, 100, DAY + timedelta(days=200))
    found = recall(db, "sales report of the office about obsidian", now=DAY)
    assert not found.exact
    assert found.hits[0].text == "sales of obsidian fell"


def test_a_day_that_is_asked_for_is_found_however_frequent_the_words(
    db: MemoryDB, small_bounds: None
) -> None:
    reports(db, 200)
    found = recall(db, "sales report of 11 March 2024", now=DAY + timedelta(days=300))
    assert not found.exact
    assert found.hits[0].text == "sales report 10 from the office"


def test_the_same_cells_come_first_with_and_without_bounds(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports(db, 120)
    exact = recall(db, "report 57 from the office", limit=1)
    monkeypatch.setattr(matching, "MOST_ROWS", 60)
    monkeypatch.setattr(matching, "PROBE", 24)
    bounded = recall(db, "report 57 from the office", limit=1)
    assert exact.exact and not bounded.exact
    assert [hit.text for hit in bounded] == [hit.text for hit in exact]


def test_of_a_long_text_the_rarest_words_are_searched(db: MemoryDB, small_bounds: None) -> None:
    common = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    db.cells.insert_cells(CellDraft(" ".join(common) + f" {n}") for n in range(100))
    db.insert_cell(CellDraft("quartz"))
    found = recall(db, " ".join([*common, "quartz"]), limit=5)
    assert not found.exact
    assert found.hits[0].text == "quartz"


def test_words_that_stand_nowhere_crowd_out_none_that_do(db: MemoryDB, small_bounds: None) -> None:
    db.sessions.append_messages("a", [MessageDraft("user", f"basil {n}") for n in range(100)])
    unknown = " ".join(f"xq{letter}zt" for letter in "abcdefghijklmnopqrst")
    assert recall(db, f"basil {unknown}")


def test_cells_of_another_origin_than_the_messages_are_counted_apart(
    db: MemoryDB, small_bounds: None
) -> None:
    db.sessions.append_messages("one", [MessageDraft("user", "the boat is new", DAY)])
    db.cells.insert_cells(CellDraft(f"boat {n} is at the quay") for n in range(100))
    db.insert_cell(CellDraft("the lantern of the boat is lit"))
    found = recall(db, "boat lantern", limit=3)
    assert found.hits[0].text == "the lantern of the boat is lit"


@pytest.mark.parametrize(
    "question", ["sales 57 obsidian", "report 3", "a b c d e f g h 1 2 3 4 5 6 7"]
)
def test_a_longer_first_look_finds_the_same(
    db: MemoryDB, small_bounds: None, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    reports(db, 50)
    db.cells.insert_cells(
        CellDraft(f"{'ab cd ef'[n % 5 :]} {n % 9} sales obsidian") for n in range(40)
    )
    db.cells.insert_cells(CellDraft(" ".join("abcdefgh"[n % 7 :])) for n in range(60))
    found = []
    for small in (0, 25_000):
        monkeypatch.setattr(matching, "SMALL", small)
        with evidence_of(db) as evidence:
            matches = find_matches(evidence, "cell", understand(question).terms)
        found.append((matches.masks, matches.exact, matches.strongest(20)))
    assert found[0] == found[1]


def test_the_strongest_rows_are_those_that_hold_most_the_newest_among_equals(
    db: MemoryDB,
) -> None:
    cells = db.cells.insert_cells(
        CellDraft(f"{'boat ' * (n % 2)}sail {n} {'mast' * (n == 4)}") for n in range(9)
    )
    ids = [cell.id for cell in cells]
    with evidence_of(db) as evidence:
        matches = find_matches(evidence, "cell", understand("boat sail mast").terms)
    assert matches.strongest(3) == [ids[4], ids[7], ids[5]]
    assert set(matches.strongest(99)) == set(ids)
    assert matches.totals(ids[:2]) == {row: matches.total(row) for row in ids[:2]}
    assert matches.totals([0]) == {}


def test_a_recalled_cell_is_the_stored_cell_in_all_its_fields(db: MemoryDB) -> None:
    said = db.sessions.append_messages("one", [MessageDraft("user", "We moved in May", DAY, "Ann")])
    message = said.messages[0].id
    stored = db.insert_cell(
        CellDraft(
            "Ann moved in May",
            scene="Moving",
            cell_type="decision",
            salience=0.7,
            at=DAY,
            occurred_at=date(2024, 5, 1),
            occurred_until=date(2024, 5, 31),
            speaker="Ann",
            source=Source("one", message, message),
        )
    )
    later = DAY + timedelta(days=9)
    db.insert_cell(CellDraft("Ann moved in June", at=later, supersedes=(stored.id,)))
    before = recall(db, "when did Ann move", as_of=DAY + timedelta(hours=1)).cells
    now = recall(db, "when did Ann move").cells
    assert db.cells.get_cell(stored.id) in before
    assert [cell.content for cell in now] == ["Ann moved in June"]
    assert now[0] == db.cells.get_cell(now[0].id)


# -- the fallback ----------------------------------------------------------------------------------


def test_a_question_of_function_words_finds_nothing_and_offers_the_salient(db: MemoryDB) -> None:
    db.insert_cell(CellDraft("what is it that we do", salience=0.9))
    found = recall(db, "what is it that we do")
    assert not found.hits
    assert [cell.content for cell in found.fallback] == ["what is it that we do"]


# -- a narrow scope in a large memory --------------------------------------------------------------


def test_a_scene_is_searched_in_full_however_large_the_rest(
    db: MemoryDB, small_bounds: None
) -> None:
    db.insert_cell(CellDraft("the boat report is late", scene="Harbour", at=DAY))
    db.cells.insert_cells(CellDraft(f"boat report {n}", scene="Office") for n in range(200))
    found = recall(db, "boat report", scene="harbour")
    assert found.exact
    assert [cell.content for cell in found.cells] == ["the boat report is late"]


def test_a_session_is_searched_in_full_however_large_the_rest(
    db: MemoryDB, small_bounds: None
) -> None:
    db.sessions.append_messages("harbour", [MessageDraft("user", "The boat report is late.", DAY)])
    reports(db, 200)
    found = recall(db, "sales or boat report", session="harbour")
    assert found.exact
    assert [hit.text for hit in found] == ["The boat report is late."]
    assert not recall(db, "sales report", session="no such session").hits


def test_a_scope_with_more_rows_than_are_listed_is_still_kept_to(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_module, "MOST_MEMBERS", 10)
    db.cells.insert_cells(CellDraft(f"boat report {n}", scene="Office") for n in range(30))
    db.insert_cell(CellDraft("the boat report is late", scene="Harbour"))
    found = recall(db, "boat report", scene="Office", limit=40)
    assert len(found.cells) == 30
    assert {cell.scene for cell in found.cells} == {"Office"}


def pieces(db: MemoryDB) -> list[int]:
    """Of how many pieces the two full-text indexes are."""
    with sqlite_of(db).reading() as connection:
        return [
            connection.execute(f"SELECT count(DISTINCT segid) FROM {index}_idx").fetchone()[0]
            for index in ("messages_fts", "mem_cells_fts")
        ]


def test_a_merged_index_is_of_one_piece_and_finds_the_same(db: MemoryDB) -> None:
    reports(db, 30)
    question = "sales report 7 from the office"
    before = [(hit.text, hit.score) for hit in recall(db, question, now=DAY)]
    assert min(pieces(db)) > 1
    db.merge_index()
    assert pieces(db) == [1, 1]
    assert [(hit.text, hit.score) for hit in recall(db, question, now=DAY)] == before


def test_the_index_is_merged_after_a_file_that_brings_much(db: MemoryDB, tmp_path: Path) -> None:
    manager = MemoryManager(db)
    chat = tmp_path / "chat.jsonl"
    for count, merged in ((40, True), (1, False)):
        lines = [
            {"role": "user", "content": f"Ann moved to town {n} of {count} in May.", "session": "A"}
            for n in range(count)
        ]
        chat.write_text("\n".join(map(json.dumps, lines)))
        ingest_file(manager, chat)
        assert (pieces(db) == [1, 1]) is merged
