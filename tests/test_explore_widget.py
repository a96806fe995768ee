"""The explorer: what a page asks is answered from the memory, whatever it asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from explored import day, remember_a_move
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenemem.base.records import CellDraft
from scenemem.explore.answering import answer_to, overview, pieces
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB


@pytest.fixture(scope="module")
def moved() -> Iterator[MemoryDB]:
    """A memory that no test changes."""
    with MemoryDB() as db:
        remember_a_move(db)
        yield db


def texts(answer: dict[str, Any]) -> list[str]:
    return ["".join(text for text, _ in hit["text"]) for hit in answer["hits"]]


def test_a_query_is_answered_with_the_words_that_matched(moved: MemoryDB) -> None:
    answer = answer_to(moved, {"query": "garden plot", "number": 3})
    assert answer["number"] == 3
    assert texts(answer)[0].startswith(("We decided to rent the garden", "The garden plot"))
    matched = {text for text, is_match in answer["hits"][0]["text"] if is_match}
    assert matched == {"garden", "plot"}
    json.dumps(answer)


def test_without_a_query_the_cells_are_listed_the_newest_first(moved: MemoryDB) -> None:
    answer = answer_to(moved, {})
    listed = moved.cells.list_cells(superseded=True)
    assert sorted(texts(answer)) == sorted(cell.content for cell in listed)
    assert texts(answer)[0] == listed[-1].content
    assert [hit["gone"] for hit in answer["hits"]].count(True) == 2


def test_types_scene_and_days_narrow_both(moved: MemoryDB) -> None:
    for query in ("", "spicy food garden Bruno"):
        answer = answer_to(moved, {"query": query, "types": ["preference", "decision"]})
        assert {hit["type"] for hit in answer["hits"]} == {"preference", "decision"}
        scene = moved.cells.list_cells()[-1].scene
        answer = answer_to(moved, {"query": query, "scene": scene})
        assert {hit["scene"] for hit in answer["hits"]} <= {scene, ""} and answer["hits"]
        one_day = {"query": query, "since": "2026-08-02", "until": "2026-08-02"}
        assert {hit["day"] for hit in answer_to(moved, one_day)["hits"]} == {"2 Aug 2026"}


def test_several_types_are_ranked_together(moved: MemoryDB) -> None:
    answer = answer_to(moved, {"query": "garden plot food", "types": ["preference", "decision"]})
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True) and len(scores) > 1


def test_opening_a_cell_shows_its_message_among_those_around_it(moved: MemoryDB) -> None:
    cell = next(c for c in moved.cells.list_cells() if c.content.startswith("My dog Bruno"))
    opened = answer_to(moved, {"query": "thunder", "open": ["cell", cell.id]})["opened"]
    assert opened["session"] == "July"
    own = [message for message in opened["messages"] if message["own"]]
    assert own[0]["text"][-1] == (".", False)
    assert [m["speaker"] for m in opened["messages"]] == ["user", "assistant"]


def test_opened_messages_show_no_secret_and_say_when_nothing_is_shown(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    memory.update("The boat club's password is teal-Otter-42. I live in Oslo.", "Noted.")
    (home,) = [cell for cell in db.cells.list_cells() if "Oslo" in cell.content]
    opened = answer_to(db, {"open": ["cell", home.id]})["opened"]
    told = "".join(text for text, _ in opened["messages"][0]["text"])
    assert "[secret not kept]" in told and "Otter" not in told
    assert answer_to(db, {"query": "Otter"})["hits"] == []
    db.sessions.redact_messages([home.source.first] if home.source else [])
    opened = answer_to(db, {"open": ["cell", home.id]})["opened"]
    assert opened["messages"][0]["text"][0][0].startswith("not shown: forgotten")


def test_opening_a_superseded_cell_says_what_replaced_it(moved: MemoryDB) -> None:
    cell = next(
        c for c in moved.cells.list_cells(superseded=True) if c.content == "I live in Oslo."
    )
    opened = answer_to(moved, {"open": ["cell", cell.id]})["opened"]
    assert opened["note"] == "No longer in force: replaced on 9 Sep 2026 by “I live in Bergen now.”"


def test_a_cell_of_no_conversation_says_so(db: MemoryDB) -> None:
    cell = db.insert_cell(CellDraft("Ada likes tea.", scene="Ada", at=day(6, 1)))
    opened = answer_to(db, {"open": ["cell", cell.id]})["opened"]
    assert opened["messages"] == [] and opened["note"].startswith("Stored directly")


def test_the_overview_has_scenes_and_the_days_between(moved: MemoryDB) -> None:
    seen = overview(moved)
    assert (seen["first"], seen["last"]) == ("2026-06-02", "2026-09-10")
    assert [scene["scene"] for scene in seen["scenes"]] == [
        s.scene for s in moved.scenes.list_scenes()
    ]
    with MemoryDB() as nothing:
        assert overview(nothing)["scenes"] == [] and answer_to(nothing, {})["hits"] == []


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: ANYTHING
            for name in ("query", "types", "scene", "since", "until", "open", "number")
        },
    )
)
def test_whatever_a_page_asks_is_answered(moved: MemoryDB, ask: dict[str, Any]) -> None:
    answer = answer_to(moved, ask)
    assert isinstance(answer["hits"], list)


@given(st.text(), st.lists(st.text(max_size=6), max_size=4))
def test_pieces_joined_are_the_text(text: str, terms: list[str]) -> None:
    assert "".join(piece for piece, _ in pieces(text, terms)) == text


def test_filters_that_let_nothing_through_are_told(moved: MemoryDB) -> None:
    def note(**ask: Any) -> str:
        answer = answer_to(moved, ask)
        assert not answer["hits"]
        return str(answer["note"])

    assert note(query="zeppelin") == "Nothing remembered matches."
    days = {"since": "2030-01-01", "until": "2031-01-01"}
    assert note(query="garden", **days) == "Nothing remembered matches within these filters."
    assert "the first day is after the last" in note(since="2026-09-01", until="2026-06-01")
    assert "There is no scene “Moon”" in note(query="garden", scene="Moon")


def test_the_widget_of_a_closed_memory_says_so() -> None:
    pytest.importorskip("anywidget")
    from scenemem.explore import explore

    db = MemoryDB()
    remember_a_move(db)
    explorer = explore(db, "Bruno")
    db.close()
    explorer.ask = {"query": "canal", "number": 1}
    assert "was closed" in explorer.answer["note"]
    shown = explorer._repr_mimebundle_()
    assert shown is not None and "text/html" not in shown[0]


def test_the_widget_answers_when_it_is_asked(moved: MemoryDB) -> None:
    pytest.importorskip("anywidget")
    from scenemem.explore import explore

    explorer = explore(moved, "Bruno")
    assert any("Bruno" in text for text in texts(explorer.answer))
    explorer.ask = {"query": "canal", "number": 1}
    assert explorer.answer["number"] == 1 and "canal" in texts(explorer.answer)[0]
    shown = explorer._repr_mimebundle_()
    assert shown is not None and "canal" in shown[0]["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in shown[0]


def test_the_page_of_the_widget_imports_nothing_and_sets_no_markup() -> None:
    pytest.importorskip("anywidget")
    from scenemem.explore.widget import script, style

    code = script()
    assert "import " not in code and "http" not in code and "innerHTML" not in code
    assert "url(" not in style() and "@import" not in style()
