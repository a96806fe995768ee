"""In which order cells and messages are evidence for a question, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from math import prod
from typing import Any, cast

import pytest

from scenemem import MemoryManager, ModelEngine, recall
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval import matching
from scenemem.retrieval.question import understand
from scenemem.retrieval.ranking import Ranked, Ranking, rank, rank_cells
from scenemem.retrieval.weights import DEFAULT_WEIGHTS, EVIDENCE, FACTORS, Weights
from scenemem.store.evidence import Evidence, Scope
from scenemem.testing import ScriptedModel, cells_json

DAY = datetime(2024, 3, 1, tzinfo=UTC)


@contextmanager
def evidence_of(db: MemoryDB) -> Iterator[Evidence]:
    with db.snapshot():
        yield db.evidence(Scope())


def ranked(
    db: MemoryDB,
    text: str,
    *,
    limit: int = 10,
    names: Sequence[str] = (),
    days: Sequence[tuple[date, date]] = (),
    weights: Weights = DEFAULT_WEIGHTS,
) -> Ranking:
    with evidence_of(db) as evidence:
        question = understand(text, names=names, days=days)
        return rank(question, evidence, limit=limit, weights=weights)


def contents(ranking: Ranking) -> list[str]:
    return [hit.item.content for hit in ranking.hits]


def talk(db: MemoryDB, session: str, *lines: tuple[str, str], day: int = 0) -> list[int]:
    """Store lines of named people, as (name, text); return the ids of the messages."""
    drafts = [
        MessageDraft("user", text, at=DAY + timedelta(days=day, minutes=place), name=name)
        for place, (name, text) in enumerate(lines)
    ]
    return [message.id for message in db.sessions.append_messages(session, drafts).messages]


def chat(db: MemoryDB, session: str, *lines: str, day: int = 0) -> list[int]:
    """Store lines of user and assistant in turn, without names."""
    drafts = [
        MessageDraft(
            "assistant" if place % 2 else "user", text, at=DAY + timedelta(days=day, minutes=place)
        )
        for place, text in enumerate(lines)
    ]
    return [message.id for message in db.sessions.append_messages(session, drafts).messages]


def parts_of(ranking: Ranking, content: str) -> Ranked:
    return next(hit for hit in ranking.hits if hit.item.content == content)


# -- cells ---------------------------------------------------------------------------------------


def test_the_rarer_word_counts_more(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"project note {number}") for number in range(60))
    db.insert_cell(CellDraft("project sundial was approved"))
    assert contents(ranked(db, "sundial project"))[0] == "project sundial was approved"


def test_among_equal_matches_the_shorter_text_comes_first(db: MemoryDB) -> None:
    long = "the kettle and the toaster and the blender and the mixer are all in the upper cupboard"
    db.cells.insert_cells([CellDraft("kettle is red", at=DAY), CellDraft(long, at=DAY)])
    assert contents(ranked(db, "kettle")) == ["kettle is red", long]


def test_the_newer_of_near_equals_comes_first(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("tax return is drafted", at=DAY),
            CellDraft("tax return is checked", at=DAY + timedelta(days=9)),
        ]
    )
    assert contents(ranked(db, "state of the tax return"))[0] == "tax return is checked"


def test_a_fresh_but_weaker_match_does_not_overtake(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("tax return is checked", at=DAY),
            CellDraft("return the ladder to Jo", at=DAY + timedelta(days=99), salience=1.0),
        ]
    )
    assert contents(ranked(db, "tax return"))[0] == "tax return is checked"


def test_the_more_salient_of_equals_comes_first(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("door code is 11", at=DAY, salience=0.9),
            CellDraft("door code is 22", at=DAY, salience=0.1),
        ]
    )
    assert contents(ranked(db, "door code"))[0] == "door code is 11"


def test_the_more_used_of_equals_comes_first(db: MemoryDB) -> None:
    first, _ = db.cells.insert_cells(
        [CellDraft("door code is 11", at=DAY), CellDraft("door code is 22", at=DAY)]
    )
    db.cells.note_recalled([first.id])
    assert contents(ranked(db, "door code"))[0] == "door code is 11"


def test_cells_without_a_word_of_the_question_are_no_hits(db: MemoryDB) -> None:
    db.cells.insert_cells([CellDraft("basil in tray 4", salience=1.0), CellDraft("roof is tiled")])
    assert contents(ranked(db, "who tiled the roof?")) == ["roof is tiled"]


def test_a_synonym_finds_but_ranks_below_the_word_itself(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("the film was called Fig", at=DAY + timedelta(days=5)),
            CellDraft("the movie was about a vet", at=DAY),
        ]
    )
    assert contents(ranked(db, "which movie")) == [
        "the movie was about a vet",
        "the film was called Fig",
    ]


def test_a_person_is_favoured_in_what_names_them_where_nobody_speaks(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [CellDraft("Ann lives in Oslo", at=DAY), CellDraft("Ben lives in Rome", at=DAY)]
    )
    assert contents(ranked(db, "where does Ann live?", names=["Ann", "Ben"]))[0].startswith("Ann")


def test_a_dated_statement_answers_when(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("the roof was tiled by Jo", at=DAY),
            CellDraft("the roof was tiled in May", at=DAY, occurred_at=date(2024, 5, 1)),
        ]
    )
    found = ranked(db, "when was the roof tiled?")
    assert contents(found)[0] == "the roof was tiled in May"
    assert found.hits[0].parts["telling"] > found.hits[1].parts["telling"] == 1.0


def test_other_matching_cells_of_its_scene_support_a_cell(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [
            CellDraft("paint for the shed", scene="Shed", at=DAY),
            CellDraft("shed paint is green", scene="Shed", at=DAY),
            CellDraft("paint for the gate", scene="Gate", at=DAY),
        ]
    )
    found = ranked(db, "paint")
    assert contents(found)[-1] == "paint for the gate"
    assert parts_of(found, "paint for the gate").parts["scene"] == 0.0


# -- messages ------------------------------------------------------------------------------------


def test_an_answer_is_found_by_the_question_before_it(db: MemoryDB) -> None:
    talk(
        db,
        "s",
        ("Ann", "Which instrument would you like to learn?"),
        ("Ben", "The cello, I think."),
        ("Ann", "Lovely weather today."),
    )
    (ids,) = [talk(db, "t", ("Ann", "nothing here"), ("Ben", "nor here"))]
    answer = next(
        cell
        for cell in db.cells.insert_cells(
            [CellDraft("The cello, I think.", source=Source("s", (1 << 24) + 2, (1 << 24) + 2))]
        )
    )
    hit = parts_of(ranked(db, "which instrument"), answer.content)
    assert hit.parts["own"] == 0.0
    assert hit.parts["neighbours"] > 0.0
    assert ids[0] >> 24 == 2


def test_neighbours_end_with_the_session(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "About the telescope"))
    talk(db, "two", ("Ben", "Yes, it is at home"))
    assert contents(ranked(db, "telescope home")) == ["Yes, it is at home", "About the telescope"]
    for hit in ranked(db, "telescope home").hits:
        assert hit.parts["neighbours"] == 0.0


def test_a_message_without_own_match_and_without_a_cell_is_no_hit(db: MemoryDB) -> None:
    talk(db, "s", ("Ann", "The telescope is in the attic"), ("Ben", "ok"))
    assert contents(ranked(db, "telescope")) == ["The telescope is in the attic"]


def test_a_session_about_the_question_supports_its_messages(db: MemoryDB) -> None:
    talk(
        db,
        "one",
        ("Ann", "cheap tickets"),
        *[("Ben", f"chatter {n}") for n in range(6)],
        ("Ann", "we fly to Lisbon"),
    )
    talk(db, "two", ("Ann", "cheap tickets"), *[("Ben", f"gossip {n}") for n in range(6)])
    hits = ranked(db, "tickets to Lisbon").hits
    tickets = [hit for hit in hits if hit.item.content == "cheap tickets"]
    assert tickets[0].item.id >> 24 == 1
    assert tickets[0].parts["session"] > tickets[1].parts["session"]


def test_what_the_named_person_said_comes_first(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "I started pottery this week"))
    talk(db, "two", ("Ben", "I started pottery this week"))
    hits = ranked(db, "What did Ben start? pottery?", names=["Ann", "Ben"]).hits
    assert [hit.item.speaker for hit in hits] == ["Ben", "Ann"]


def test_the_users_words_count_double_unless_the_assistant_is_asked_for(db: MemoryDB) -> None:
    chat(db, "one", "I own a violin", "Noted")
    chat(db, "two", "Hello", "I own a violin too")
    mine = ranked(db, "which violin do I have?").hits
    assert mine[0].item.role == "user"
    assert mine[0].parts["role"] == DEFAULT_WEIGHTS.user
    assert all(h.parts["role"] == 1.0 for h in ranked(db, "what did you say of the violin?").hits)


def test_roles_do_not_count_where_people_have_names(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "I own a violin"))
    assert ranked(db, "violin").hits[0].parts["role"] == 1.0


def test_a_mere_question_ranks_below_a_statement(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "Where is the violin?"), day=5)
    talk(db, "two", ("Ben", "There is the violin."))
    assert contents(ranked(db, "violin"))[0] == "There is the violin."


def test_what_a_user_merely_asked_is_no_answer(db: MemoryDB) -> None:
    chat(db, "a", "when is my dentist appointment?", "I don't know yet.")
    assert contents(ranked(db, "dentist")) == []


def test_a_long_question_that_tells_of_the_user_is_evidence(db: MemoryDB) -> None:
    asked = "What keeps my flat free of dust, especially with a cat that sheds as much as mine?"
    chat(db, "a", asked, "A brush every day.")
    of_nobody = "What keeps a flat free of dust, especially with a cat that sheds as much as some?"
    chat(db, "b", of_nobody, "A filter.")
    assert contents(ranked(db, "dust in the flat")) == [asked]


@pytest.mark.parametrize(
    "said",
    [
        "My cat sheds a lot, and the flat is full of hair all day: which vacuum should I get?",
        "we have a cat in our flat, and it sheds on all that we own: which vacuum should we get?",
        "My cat is named Milo. Which food is best for cats?",
    ],
)
def test_a_question_with_a_statement_of_the_user_is_evidence(db: MemoryDB, said: str) -> None:
    chat(db, "a", said, "One with a filter.")
    assert contents(ranked(db, "my cat")) == [said]


def test_a_synonym_never_counts_for_more_than_the_word_asked_for(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"I sell lamp number {number}") for number in range(40))
    db.insert_cell(CellDraft("I want to buy some lamps"))
    assert contents(ranked(db, "what did I sell?"))[0].startswith("I sell")


def test_who_won_does_not_find_who_wont(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [CellDraft("I won't go to the match"), CellDraft("Leeds won at last, 2 to 1")]
    )
    assert contents(ranked(db, "who won?")) == ["Leeds won at last, 2 to 1"]


def test_messages_of_a_day_asked_for_come_first(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "walked by the lake"), day=0)
    talk(db, "two", ("Ann", "walked by the lake again and again"), day=4)
    day = (DAY + timedelta(days=4)).date()
    assert contents(ranked(db, "walked by the lake", days=[(day, day)]))[0].endswith("again")


def test_a_cell_that_speaks_of_the_day_asked_for_comes_first(db: MemoryDB) -> None:
    ids = talk(db, "one", ("Ann", "Yesterday I walked"), ("Ann", "I walked"), day=7)
    day = (DAY + timedelta(days=6)).date()
    db.cells.insert_cells(
        [
            CellDraft(
                "Ann walked yesterday",
                source=Source("one", ids[0], ids[0]),
                at=DAY,
                occurred_at=day,
            ),
            CellDraft("Ann walked", source=Source("one", ids[1], ids[1]), at=DAY),
        ]
    )
    found = ranked(db, "walked", days=[(day, day)])
    assert contents(found)[0] == "Ann walked yesterday"
    assert found.hits[0].parts["date"] > 0.0


def test_a_cell_stands_for_its_message(db: MemoryDB) -> None:
    ids = talk(db, "one", ("Ann", "Well, the boiler was replaced, and so on"))
    db.insert_cell(CellDraft("The boiler was replaced", source=Source("one", ids[0], ids[0])))
    assert [hit.item.kind for hit in ranked(db, "boiler").hits] == ["cell"]


def test_the_cell_that_holds_the_words_leads_its_siblings(db: MemoryDB) -> None:
    ids = talk(db, "one", ("Ann", "The boiler was replaced. The cat is fine."))
    source = Source("one", ids[0], ids[0])
    db.cells.insert_cells(
        [CellDraft("The cat is fine", source=source), CellDraft("The boiler is new", source=source)]
    )
    found = ranked(db, "boiler")
    assert contents(found) == ["The boiler is new", "The cat is fine"]
    assert found.hits[1].parts["own"] < found.hits[0].parts["own"]


def test_a_message_whose_cell_was_superseded_is_not_shown_in_its_place(db: MemoryDB) -> None:
    ids = talk(db, "one", ("Ann", "The boiler is old"))
    old = db.insert_cell(CellDraft("The boiler is old", source=Source("one", ids[0], ids[0])))
    new = db.insert_cell(CellDraft("The boiler is new"))
    db.cells.supersede_cell(old.id, new.id)
    assert contents(ranked(db, "boiler")) == ["The boiler is new"]


# -- order, bounds, explanation ------------------------------------------------------------------


def test_scores_are_made_of_their_parts_and_fall(db: MemoryDB) -> None:
    talk(db, "one", *[("Ann", f"boat {n} has a sail and a {'rudder' * (n % 2)}") for n in range(9)])
    hits = ranked(db, "boat with sail and rudder").hits
    assert len(hits) == 9
    for hit in hits:
        assert list(hit.parts) == [*EVIDENCE, *FACTORS]
        factors = prod(hit.parts[name] for name in FACTORS)
        assert hit.score == pytest.approx(sum(hit.parts[name] for name in EVIDENCE) * factors)
        assert hit.score > 0.0
    assert all(first.score >= second.score for first, second in pairwise(hits))


class _Counted:
    """Evidence that notes what it is asked."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self._evidence, name)


def test_however_long_a_question_it_takes_few_readings(db: MemoryDB) -> None:
    nouns = [
        "boat",
        "sail",
        "rudder",
        "deck",
        "cabin",
        "anchor",
        "harbour",
        "engine",
        "radio",
        "chart",
    ]
    ids = talk(
        db, "one", *[("Ann", f"The {noun} is {n} years old") for n, noun in enumerate(nouns)]
    )
    db.cells.insert_cells(
        CellDraft(f"The {noun} is old", source=Source("one", i, i))
        for noun, i in zip(nouns[:5], ids, strict=False)
    )
    with evidence_of(db) as evidence:
        counted = _Counted(evidence)
        hits = rank(understand(" ".join(nouns)), cast(Evidence, counted), limit=20).hits
    assert len(hits) == 10
    assert [name for name in counted.asked if name not in ("size", "narrowed")] == [
        "rows", "messages", "rows", "cells",
    ]  # fmt: skip


def test_the_same_question_gives_the_same_ranking(db: MemoryDB) -> None:
    talk(db, "one", *[("Ann", f"boat {n % 3} has a sail") for n in range(30)])
    assert ranked(db, "boat 1 sail") == ranked(db, "boat 1 sail")


def test_the_limit_holds(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"boat {n}") for n in range(50))
    assert len(ranked(db, "boat", limit=7).hits) == 7


def test_no_question_no_hits(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "boat"))
    assert ranked(db, "???") == Ranking(())
    with evidence_of(db) as evidence:
        assert rank_cells(understand(""), evidence, limit=5).hits == ()


def test_cells_alone_pass_over_messages(db: MemoryDB) -> None:
    talk(db, "one", ("Ann", "boat in the harbour"))
    db.insert_cell(CellDraft("boat at the quay"))
    with evidence_of(db) as evidence:
        found = rank_cells(understand("boat"), evidence, limit=5)
    assert contents(found) == ["boat at the quay"]


def test_a_small_memory_is_searched_exactly(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"boat {n}") for n in range(50))
    found = ranked(db, "boat")
    assert found.exact
    assert found.rows == 50


def test_a_bounded_search_still_finds_the_rare_word(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.cells.insert_cells(CellDraft(f"report number {n} about sales") for n in range(400))
    db.insert_cell(CellDraft("report about the obsidian sales", at=DAY))
    db.cells.insert_cells(CellDraft(f"further report {n} about sales") for n in range(400))
    exact = ranked(db, "obsidian report about sales")
    monkeypatch.setattr(matching, "MOST_ROWS", 100)
    bounded = ranked(db, "obsidian report about sales")
    assert exact.exact and not bounded.exact
    assert contents(bounded)[0] == contents(exact)[0] == "report about the obsidian sales"


def test_a_bounded_search_of_frequent_words_takes_the_newest(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.cells.insert_cells(
        CellDraft(f"sales {n:03}", at=DAY + timedelta(minutes=n)) for n in range(300)
    )
    monkeypatch.setattr(matching, "MOST_ROWS", 50)
    found = ranked(db, "sales", limit=3)
    assert not found.exact
    assert contents(found) == ["sales 299", "sales 298", "sales 297"]


def test_a_message_stands_beside_a_cell_that_tells_something_else(db: MemoryDB) -> None:
    made_up = cells_json("The gate code of the boat is 4471")
    manager = MemoryManager(db, ModelEngine(ScriptedModel(answer=lambda _: made_up)))
    manager.update("We decided to name the boat Calypso.")
    texts = [hit.text for hit in recall(db, "What about the boat?")]
    assert "We decided to name the boat Calypso." in texts


def test_a_message_is_shown_as_its_cell_that_words_it_anew(db: MemoryDB) -> None:
    worded = cells_json("The boat of the user is named Calypso by decision")
    manager = MemoryManager(db, ModelEngine(ScriptedModel(answer=lambda _: worded)))
    manager.update("We decided to name the boat Calypso.")
    (hit,) = recall(db, "What about the boat?")
    assert hit.cell is not None


def test_yesterday_is_a_matter_of_the_callers_own_day(db: MemoryDB) -> None:
    for day, what in ((29, "hammer"), (30, "lantern")):
        at = datetime(2026, 11, day, 12, tzinfo=UTC)
        db.sessions.append_messages("A", [MessageDraft("user", f"Bought a {what}.", at=at)])
    auckland = datetime(2026, 12, 1, 2, tzinfo=timezone(timedelta(hours=13)))
    assert "lantern" in recall(db, "what did I buy yesterday?", now=auckland).hits[0].text
