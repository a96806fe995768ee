"""What the user wants kept for a session alone is not seen by other sessions; all else is."""

from __future__ import annotations

import contextlib
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem import (
    MemoryDB,
    MemoryManager,
    ModelEngine,
    ModelUnavailableError,
    WorkerAgent,
    recall,
)
from scenemem.engines.openai.chat import Completion
from scenemem.memory.session_only import own_sentences, own_words, without_sentences
from scenemem.testing import Request, ScriptedModel, cells_json, tool_call

OWN = [
    ("Please remember my favorite model is gpt-4. Use a tool to store it (long term).", ""),
    ("Set my locale to en_US and time format to 24h (short term).", ""),
    (
        "Remember my locale is en_US (short term). My long-term goal is to move to Lisbon.",
        "My long-term goal is to move to Lisbon.",
    ),
    (
        "Set my city to Bonn (short term). I moved to Oslo in May with my sister Nora.",
        "I moved to Oslo in May with my sister Nora.",
    ),
    ("Jot down: the party for Uwe is secret until Friday (short term).", ""),
    ("Remember that I am staying in hotel Zwinger for this session only.", ""),
    ("For this session, my pseudonym is Falkenberg. Use a tool to store it.", ""),
    ("My name is Ann. Remember it long term, please.", ""),
    ("Set my nickname to Pip for now.", ""),
    ("I like tea.\nSet my shoe size to 9 (short term).\nI like jam.", "I like tea.\nI like jam."),
]
SHARED = [
    "We use a tool to trim hedges. I like it.",
    "Remember that my sister Nora is allergic to nuts.",
    "I decided on a long-term plan: move to Rome.",
    "In this conversation I want to plan the trip to Rome.",
    "Set my locale to en_US.",
    "He told me to think long term.",
    "Keep the tent for now.",
]


@pytest.mark.parametrize(("text", "left"), [*OWN, *((text, text) for text in SHARED)])
def test_the_sentences_that_are_for_the_session_alone_are_told(text: str, left: str) -> None:
    assert without_sentences(text, own_sentences(text)) == left


@given(
    text=st.text()
    | st.text(st.sampled_from("set remember (short term) use a tool. \n"), max_size=80)
)
def test_any_text_is_cut_to_some_of_itself(text: str) -> None:
    left = without_sentences(text, own_sentences(text))
    kept = iter("".join(text.split()))  # what is left stands in the text, in its order
    assert all(character in kept for character in "".join(left.split()))


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Jot down: the party for Uwe is secret until Friday (short term).", "Uwe"),
        ("Remember that I am staying in hotel Zwinger for this session only.", "Zwinger"),
        ("For this session, my pseudonym is Falkenberg. Use a tool to store it.", "Falkenberg"),
        ("Set my shoe size to 9 (short term).", "shoe size"),
        ("Set my dark mode to true (short term).", "dark mode"),
    ],
)
def test_another_session_neither_recalls_it_nor_has_a_cell_of_it(
    db: MemoryDB, said: str, value: str
) -> None:
    agent = WorkerAgent(db)
    agent.answer(said, "A")
    agent.answer(f"What about {value}?", "A")
    assert not [c for c in db.cells.list_cells() if value in c.content]
    assert not [hit for hit in recall(db, said) if value in hit.text and hit.scene is None]
    assert value not in recall(db, said).render()
    assert db.sessions.list_messages("A")[0].content == said


def told(request: Request) -> str:
    return str([m["content"] for m in request.messages])


def test_a_model_that_answers_from_its_prompt_tells_no_other_session(db: MemoryDB) -> None:
    def answer(request: Request) -> str | Completion:
        if request.purpose != "reply":
            return cells_json(*({"The locale is xx_QQ"} if "xx_QQ" in told(request) else ()))
        if "Set my locale" in request.last:
            return Completion("", (tool_call("remember", key="locale", value="xx_QQ"),))
        if request.messages[-1]["role"] == "tool":
            return "I wrote down that your locale is xx_QQ. The ferry leaves at nine."
        return "Your locale is xx_QQ." if "xx_QQ" in request.system else "I don't know."

    model = ScriptedModel(answer=answer)
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(model)))
    agent.answer("Set my locale to xx_QQ (short term).", "A")
    assert agent.answer("What is my locale?", "A") == "Your locale is xx_QQ."
    assert agent.answer("What is my locale?", "B") == "I don't know."
    assert "xx_QQ" not in recall(db, "locale xx_QQ").render()
    assert db.cells.list_cells() == []
    assert "The ferry leaves at nine." in recall(db, "when does the ferry leave?").render()


def test_a_model_that_dies_after_its_tool_call_tells_no_other_session(db: MemoryDB) -> None:
    call = Completion("", (tool_call("remember", key="locale", value="xx_QQ"),))
    model = ScriptedModel(call, ModelUnavailableError("down"))
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(model)))
    with pytest.raises(ModelUnavailableError):
        agent.answer("Set my locale to xx_QQ (short term).", "A")
    assert db.notebook.recall_fact("A", "locale") == "xx_QQ"
    assert not recall(db, "locale xx_QQ")


def test_while_a_turn_is_under_way_no_other_session_sees_its_own_words(db: MemoryDB) -> None:
    seen: list[str] = []

    def answer(request: Request) -> str:
        if request.purpose == "reply":
            seen.append(recall(db, "locale xx_QQ").render())
            MemoryManager(db).extract_pending()
        return "Fine." if request.purpose == "reply" else cells_json()

    WorkerAgent(db, MemoryManager(db, ModelEngine(ScriptedModel(answer=answer)))).answer(
        "Set my locale to xx_QQ (short term).", "A"
    )
    assert seen == [""] and not recall(db, "locale xx_QQ")


def test_a_value_is_the_sessions_own_where_others_do_not_see_it() -> None:
    withheld = [("Set my size to 9 and my city to Bonn (short term).", "")]
    words = own_words([("size", 9), ("city", "Bonn"), ("name", "Ann"), ("on", True)], withheld)
    assert [w.value for w in words] == ["9", "Bonn"]
    text = "It is 9 now. Your size is 9. Bonn is nice. Ann is here."
    assert " ".join(without_sentences(text, (), words).split()) == "It is 9 now. Ann is here."


def test_a_turn_that_is_sent_twice_at_once_is_answered_once(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    answers: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: answers.append(
                agent.answer("Increment the tea counter.", "A", external_id="req-1")
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1 and len(answers) == 4
    assert list(db.notebook.list_counters().values()) == [1]
    assert len(db.sessions.list_messages("A")) == 4


def test_a_turn_that_is_sent_again_while_it_is_tried_again_is_answered_once(db: MemoryDB) -> None:
    asked: list[str] = []
    first_asks, first_fails, second_asks, second_ends = (threading.Event() for _ in range(4))

    def play(request: Request) -> str | ModelUnavailableError:
        if request.purpose != "reply":
            return cells_json()
        asked.append(request.last)
        if len(asked) == 1:
            first_asks.set()
            first_fails.wait(10)
            return ModelUnavailableError("down")
        second_asks.set()
        second_ends.wait(10)
        return "It is booked."

    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(ScriptedModel(answer=play))))
    answers: list[str] = []

    def send() -> None:
        with contextlib.suppress(ModelUnavailableError):
            answers.append(agent.answer("Book the ferry.", "A", external_id="req-1"))

    sendings = [threading.Thread(target=send) for _ in range(3)]
    first, second, third = sendings
    first.start()
    first_asks.wait(10)
    second.start()
    second.join(0.2)  # it waits for the first
    first_fails.set()
    second_asks.wait(10)
    third.start()
    third.join(0.2)  # it waits for the second
    second_ends.set()
    for sending in sendings:
        sending.join()
    assert answers == ["It is booked."] * 2 and len(asked) == 2


@pytest.mark.parametrize(
    ("said", "question", "value"),
    [
        (
            "Keep in mind for this conversation: the budget is 900 euros.",
            "What is the budget?",
            "900",
        ),
        ("For this session, call me Falkenberg.", "What should you call me?", "Falkenberg"),
    ],
)
def test_what_is_for_this_session_and_no_known_command_is_noted_in_it(
    db: MemoryDB, said: str, question: str, value: str
) -> None:
    agent = WorkerAgent(db)
    assert "oted" in agent.answer(said, "A")
    assert value in agent.answer(question, "A")
    assert value not in agent.answer(question, "B")
    assert [note.note for note in db.notebook.list_notes("A")] == [said]
    assert db.cells.list_cells() == []
