"""Recall by meaning: a memory with an embedder, its vectors in the file, and what they change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.errors import MissingExtraError, ModelError
from scenemem.base.records import MessageDraft
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval import meaning
from scenemem.retrieval.embedding import CallableEmbedder, StaticEmbedder
from scenemem.retrieval.recall import recall

AT = datetime(2026, 11, 1, tzinfo=UTC)
ALIKE = [
    ("physician", "bill"),
    ("canoe", "hobby"),
    ("brass band", "noise"),
    ("vineyard", "budget"),
]


def by_topic(texts: Sequence[str]) -> list[list[float]]:
    """A number for each topic: whether the text has a word of it."""
    return [
        [float(any(word in text.lower() for word in topic)) for topic in ALIKE] for text in texts
    ]


TOPICS = CallableEmbedder("topics", by_topic)


def broken(texts: Sequence[str]) -> list[list[float]]:
    raise ConnectionError("the line is dead")


def talk(*lines: str, speaker: str = "Ann") -> list[MessageDraft]:
    return [MessageDraft("user", line, name=speaker) for line in lines]


def found(db: MemoryDB, query: str, **narrowed: Any) -> list[str]:
    return [hit.text for hit in recall(db, query, **narrowed).hits]


def vectors_of(path: Path) -> dict[int, bytes]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT message, vector FROM message_vectors").fetchall()
    connection.close()
    return dict(rows)


@pytest.fixture
def meant(path: Path) -> Iterator[MemoryDB]:
    db = MemoryDB(path, embedder=TOPICS)
    db.sessions.append_messages(
        "health", talk("My physician was kind.", "It rained.", "They play in a brass band."), at=AT
    )
    db.sessions.append_messages(
        "lake", talk("We paddled the canoe all day."), at=AT + timedelta(days=9)
    )
    yield db
    db.close()


# -- what is found ---------------------------------------------------------------------------


def test_a_message_that_shares_no_word_with_the_question_is_found(meant: MemoryDB) -> None:
    assert found(meant, "Which hobby?") == []
    assert meant.embed_pending() == 4
    assert found(meant, "Which hobby?") == ["We paddled the canoe all day."]


def test_explain_names_meaning_as_a_part_of_the_sum(meant: MemoryDB) -> None:
    meant.embed_pending()
    (told,) = recall(meant, "Which hobby?").explain()
    # No word of the question is held by any message: it counts for 5, by a likeness of 1.
    assert told["parts"]["meaning"] == pytest.approx(5.0 * (1.0 - 0.2), rel=1e-3)
    assert told["score"] == pytest.approx(told["parts"]["meaning"] * told["parts"]["salience"])


def test_meaning_counts_as_much_as_the_words_that_are_held(meant: MemoryDB) -> None:
    meant.sessions.append_messages("lake", talk("The hobby costs."), at=AT)
    words = {hit.text: hit.parts for hit in recall(meant, "hobby").hits}
    meant.embed_pending()
    both = {hit.text: hit.parts for hit in recall(meant, "hobby").hits}
    assert words["The hobby costs."]["meaning"] == 0.0
    assert both["The hobby costs."]["meaning"] > 0.5 * both["The hobby costs."]["own"] > 0.0
    assert both["We paddled the canoe all day."]["meaning"] > 0.0


def test_an_embedders_weight_scales_its_likeness(meant: MemoryDB, path: Path) -> None:
    meant.embed_pending()
    light = CallableEmbedder("topics", by_topic, weight=0.5)
    with MemoryDB(path, embedder=light) as db:
        halved = recall(db, "Which hobby?").hits[0].parts["meaning"]
    assert halved == pytest.approx(recall(meant, "Which hobby?").hits[0].parts["meaning"] / 2)


def test_a_cell_stands_on_the_meaning_of_its_message(path: Path) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        MemoryManager(db).update("I bought a red canoe in March.", at=AT)
        (hit,) = recall(db, "Which hobby?").hits
    assert hit.cell is not None
    assert hit.parts["meaning"] > 0.0 == hit.parts["own"]


def test_what_was_said_around_a_message_counts_for_its_meaning(path: Path) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        db.sessions.append_messages("a", talk("Was it the canoe?", "In Oslo, since May."), at=AT)
        db.sessions.append_messages("b", talk("In Rome, since June."), at=AT)
        db.embed_pending()
        assert set(found(db, "The hobby")) == {"Was it the canoe?", "In Oslo, since May."}


def test_scopes_hold_for_what_is_found_by_meaning(meant: MemoryDB) -> None:
    meant.sessions.append_messages("home", talk("The hobby is dear."), at=AT)
    meant.embed_pending()
    paddled = "We paddled the canoe all day."
    assert paddled in found(meant, "wooden hobby")
    assert found(meant, "wooden hobby", session="lake") == [paddled]
    assert paddled not in found(meant, "wooden hobby", session="health")
    assert paddled not in found(meant, "wooden hobby", until=AT + timedelta(days=1))
    assert found(meant, "wooden hobby", since=AT + timedelta(days=1)) == [paddled]
    assert paddled not in found(meant, "wooden hobby", as_of=AT)
    (turn,) = {m.turn for m in meant.sessions.list_messages("lake")}
    assert paddled not in found(meant, "wooden hobby", without_turn=turn)


def test_a_narrow_scope_is_found_behind_many_nearer_messages(path: Path) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        db.sessions.append_messages("lake", talk("The canoe, and noise."), at=AT)
        db.sessions.append_messages("shed", talk(*["A canoe."] * 400), at=AT)
        db.embed_pending()
        assert found(db, "Which hobby?", session="lake") == ["The canoe, and noise."]


def test_a_scene_or_a_type_leaves_messages_out(meant: MemoryDB) -> None:
    meant.embed_pending()
    meant.insert_cell({"content": "The harbour is full", "scene": "Harbour"})
    assert found(meant, "Which hobby?", scene="Harbour") == []
    assert found(meant, "Which hobby?", cell_type="plan") == []


def test_without_an_embedder_stored_vectors_change_nothing(meant: MemoryDB, path: Path) -> None:
    with MemoryDB(path) as db:
        before = recall(db, "Did the canoe or the band matter?").explain()
        meant.embed_pending()
        assert recall(db, "Did the canoe or the band matter?").explain() == before
        assert found(db, "Which hobby?") == []


def test_above_the_most_in_memory_what_words_found_is_weighed_by_meaning(
    meant: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    meant.sessions.append_messages("lake", talk("The hobby costs."), at=AT)
    meant.embed_pending()
    whole = {hit.text: hit.parts["meaning"] for hit in recall(meant, "hobby").hits}
    monkeypatch.setattr(meaning, "MOST_IN_MEMORY", 4)
    bounded = {hit.text: hit.parts["meaning"] for hit in recall(meant, "hobby").hits}
    assert bounded["The hobby costs."] == pytest.approx(whole["The hobby costs."], rel=1e-5)
    assert found(meant, "Which budget, or bill?") == []


# -- embedding -------------------------------------------------------------------------------


def test_only_what_can_be_recalled_is_embedded_once(path: Path) -> None:
    seen: list[str] = []

    def noted(texts: Sequence[str]) -> list[list[float]]:
        seen.extend(texts)
        return by_topic(texts)

    with MemoryDB(path, embedder=CallableEmbedder("noted", noted)) as db:
        drafts = [
            MessageDraft("system", "Be kind."),
            MessageDraft("user", "My key is sk-proj-abcdefghijklmnop1234567890ABCDEFGH"),
            MessageDraft("assistant", "", tool_calls=({"id": "1"},)),
            MessageDraft("tool", "42", tool_call_id="1"),
            MessageDraft("assistant", "You said so.", echo=True),
            MessageDraft("assistant", "Noted."),
        ]
        db.sessions.append_messages("a", drafts, at=AT)
        db.sessions.append_messages("b", talk("I sail.", speaker="Bo"), at=AT)
        assert db.embed_pending() == 3
        assert db.embed_pending() == 0
    assert not any("sk-proj" in text for text in seen)
    assert seen[1:] == ["Noted.", "Bo: I sail."]


def test_embedding_goes_in_batches_and_stops_at_its_limit(path: Path) -> None:
    told: list[int] = []
    with MemoryDB(path, embedder=TOPICS) as db:
        db.sessions.append_messages("a", talk(*[f"Line {n}" for n in range(300)]), at=AT)
        with pytest.raises(ValueError, match="limit must be at least 0, got -1"):
            db.embed_pending(-1)
        assert db.embed_pending(0) == 0
        assert db.embed_pending(10, progress=told.append) == 10
        assert db.meaning is not None
        assert db.meaning.count_waiting() == 290
        assert db.embed_pending(progress=told.append) == 290
    assert told == [10, 128, 128, 34]


def test_what_a_manager_takes_in_is_embedded(path: Path) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        manager = MemoryManager(db, extract_every=3)
        manager.update("My physician was kind.", at=AT)
        assert len(vectors_of(path)) == 1
        manager.ingest([{"role": "user", "content": "We paddled the canoe."}], at=AT)
        assert len(vectors_of(path)) == 2
        db.sessions.append_messages("x", talk("We like it."), at=AT)
        manager.extract_pending()
        assert len(vectors_of(path)) == 3


def test_an_answer_that_comes_late_is_embedded_too(path: Path) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        manager = MemoryManager(db)
        turn = manager.take_in("Which hobby?", session="a")
        for n in range(5):
            manager.update(f"Line {n} of another talk.", session="b")
        assert len(vectors_of(path)) == 6
        db.sessions.append_to_turn(turn, [MessageDraft("assistant", "The canoe.")])
        manager.digest(turn)
        assert len(vectors_of(path)) == 7


def test_no_embedder_works_inside_a_transaction(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with MemoryDB(path, embedder=TOPICS) as db:
        manager = MemoryManager(db)
        with db.transaction():
            manager.ingest([{"role": "user", "content": "We paddled the canoe."}], at=AT)
        assert vectors_of(path) == {}
        assert db.embed_pending() == 1
        with db.transaction():
            assert recall(db, "canoe").hits[0].parts["meaning"] == 0.0
        assert "no embedder is called inside a transaction" in caplog.text
        assert recall(db, "canoe").hits[0].parts["meaning"] > 0.0


def test_a_memory_without_an_embedder_says_so(db: MemoryDB) -> None:
    with pytest.raises(ValueError, match="no embedder"):
        db.embed_pending()


@pytest.mark.parametrize("wrong", ["static", object(), by_topic])
def test_what_is_no_embedder_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="a method embed"):
        MemoryDB(embedder=wrong)


def test_new_vectors_are_seen_by_whoever_has_asked_before(meant: MemoryDB, path: Path) -> None:
    meant.embed_pending()
    assert found(meant, "Any budget?") == []
    with MemoryDB(path, embedder=TOPICS) as other:
        other.sessions.append_messages("farm", talk("A vineyard on a hill."), at=AT)
        # Its id lies between those that are known.
        other.sessions.append_messages("health", talk("So: a vineyard."), at=AT)
        other.embed_pending()
    assert sorted(found(meant, "Any budget?")) == ["A vineyard on a hill.", "So: a vineyard."]


# -- failing ---------------------------------------------------------------------------------


def test_a_failing_embedder_costs_a_question_nothing_but_a_line_in_the_log(
    meant: MemoryDB, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    meant.embed_pending()
    with MemoryDB(path) as db:
        words = recall(db, "the canoe").explain()
    with MemoryDB(path, embedder=CallableEmbedder("topics", broken)) as db:
        assert recall(db, "the canoe").explain() == words
    assert "recalled by words alone: the embedder 'topics' failed" in caplog.text


def test_a_failing_embedder_costs_a_turn_nothing_but_a_later_try(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with MemoryDB(path, embedder=CallableEmbedder("topics", broken)) as db:
        assert MemoryManager(db).update("I bought a red canoe.", at=AT).outcome == "kept"
        with pytest.raises(ModelError, match=r"ConnectionError: the line is dead"):
            db.embed_pending()
    assert "stay without vectors for now" in caplog.text
    with MemoryDB(path, embedder=TOPICS) as db:
        MemoryManager(db).update("It rained.", at=AT)
        assert len(vectors_of(path)) == 2


class Rude:
    name = "rude"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise KeyError("never heard of it")


def test_whatever_an_embedder_raises_is_a_model_error(meant: MemoryDB, path: Path) -> None:
    with MemoryDB(path, embedder=Rude()) as db, pytest.raises(ModelError, match="KeyError"):
        db.embed_pending()


@pytest.mark.parametrize(
    "vectors",
    [[], [[1.0]], [[1.0], [1.0, 2.0], [1.0], [1.0]], [[]] * 4, [["a"]] * 4, 3, None],
    ids=str,
)
def test_what_are_no_vectors_is_a_model_error(
    meant: MemoryDB, path: Path, vectors: list[list[float]]
) -> None:
    embedder = CallableEmbedder("odd", lambda texts: vectors)
    with MemoryDB(path, embedder=embedder) as db:
        with pytest.raises(ModelError, match="the embedder 'odd' can't be used: it gave"):
            db.embed_pending()
        assert vectors_of(path) == {}


def test_vectors_without_a_direction_are_like_nothing(path: Path) -> None:
    odd = [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [1e300, 0.0], [1e-300, 0.0]]
    embedder = CallableEmbedder("odd", lambda texts: odd[-1:] if len(texts) == 1 else odd)
    with MemoryDB(path, embedder=embedder) as db:
        for name, line in zip("abcde", ["nil", "nan", "inf", "large", "tiny"], strict=True):
            db.sessions.append_messages(name, talk(line), at=AT)
        assert db.embed_pending() == 5
        assert set(found(db, "hobby")) == {"large", "tiny"}


def test_a_model_that_changes_the_length_of_its_vectors_needs_another_name(
    meant: MemoryDB, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    meant.embed_pending()
    longer = CallableEmbedder("topics", lambda texts: [[1.0] * 9 for _ in texts])
    with MemoryDB(path, embedder=longer) as db:
        db.sessions.append_messages("more", talk("A vineyard."), at=AT)
        assert found(db, "Any hobby?") == []
        assert "it gave 9 numbers, and the vectors in the memory have 4" in caplog.text
        with pytest.raises(ModelError, match="another model needs another name"):
            db.embed_pending()


# -- leaving ---------------------------------------------------------------------------------


def test_a_forgotten_messages_vector_leaves_the_file(path: Path) -> None:
    with MemoryDB(path, embedder=StaticEmbedder()) as db:
        manager = MemoryManager(db)
        manager.update("I bought a red canoe in March.", at=AT)
        manager.update("My sister Ida plays the cello in Graz.", at=AT)
        first, second = sorted(vectors_of(path))
        gone, kept = vectors_of(path)[first], vectors_of(path)[second]
        (cell,) = [c for c in db.cells.list_cells() if "canoe" in c.content]
        assert recall(db, "Which boat?").hits
        manager.forget(cells=[cell.id])
        assert vectors_of(path) == {second: kept}
        wal = path.with_name(path.name + "-wal")
        assert gone not in path.read_bytes() + wal.read_bytes()
        assert all("canoe" not in text for text in found(db, "Which boat?"))
    assert gone not in path.read_bytes()
    assert kept in path.read_bytes()


def test_a_withheld_messages_vector_goes(meant: MemoryDB, path: Path) -> None:
    meant.embed_pending()
    (message,) = meant.sessions.list_messages("lake")
    assert found(meant, "Which hobby?") == [message.content]
    meant.sessions.withhold_messages([message.id])
    assert found(meant, "Which hobby?") == []
    assert message.id not in vectors_of(path)
    assert meant.embed_pending() == 0


def test_a_text_that_is_forgotten_while_it_is_embedded_leaves_no_vector(path: Path) -> None:
    def meanwhile(texts: Sequence[str]) -> list[list[float]]:
        with MemoryDB(path) as other:
            other.sessions.redact_messages([other.sessions.list_messages()[0].id])
        return by_topic(texts)

    with MemoryDB(path, embedder=CallableEmbedder("slow", meanwhile)) as db:
        db.sessions.append_messages("a", talk("We paddled the canoe.", "It rained."), at=AT)
        last = db.sessions.list_messages()[-1].id
        db.embed_pending()
    assert list(vectors_of(path)) == [last]


def test_vectors_follow_another_embedder(meant: MemoryDB, path: Path) -> None:
    meant.embed_pending()
    flipped = CallableEmbedder("flipped", lambda texts: [row[::-1] for row in by_topic(texts)])
    with MemoryDB(path, embedder=flipped) as db:
        assert found(db, "Which hobby?") == []  # another model's vectors tell nothing
        assert db.embed_pending() == 4
        assert found(db, "Which hobby?") == ["We paddled the canoe all day."]
    assert found(meant, "Which hobby?") == []  # nor these the first one
    assert meant.embed_pending() == 4
    assert found(meant, "Which hobby?") == ["We paddled the canoe all day."]


# -- real vectors ----------------------------------------------------------------------------


def test_static_vectors_find_what_words_do_not(path: Path) -> None:
    with MemoryDB(path, embedder=StaticEmbedder()) as db:
        for n, line in enumerate(["The surgeon removed my tonsils.", "Our fence is green."]):
            db.sessions.append_messages(f"s{n}", talk(line), at=AT)
        assert found(db, "Was there any medical operation?") == []
        db.embed_pending()
        assert found(db, "Was there any medical operation?")[0] == "The surgeon removed my tonsils."


def test_missing_vectors_of_wordllama_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'scenemem\[dense\]'"):
        StaticEmbedder().embed(["a"])


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_embedded_and_recalled(said: str, asked: str) -> None:
    with MemoryDB(embedder=REAL) as db:
        db.sessions.append_messages("a", [MessageDraft("user", said)], at=AT)
        db.embed_pending()
        recall(db, asked).render(budget=200)


REAL = StaticEmbedder()
