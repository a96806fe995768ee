"""What is forgotten is gone: from notes, facts, calls, summaries, names, log and file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from conftest import Run

from scenemem import (
    CellDraft,
    EmbeddedEngine,
    MemoryDB,
    MemoryManager,
    ModelEngine,
    NotFoundError,
    Source,
    WorkerAgent,
    recall,
)
from scenemem.engines.openai.chat import Completion
from scenemem.memory.exporting import export_lines
from scenemem.memory.forgetting import forget_fact, forget_note
from scenemem.testing import ScriptedModel, cells_json, tool_call


def everything(db: MemoryDB) -> str:
    """All that can be read from the memory, and what is in its file."""
    db.scrub()
    return (
        json.dumps([*export_lines(db)])
        + str(db.log.list_changes(limit=10_000))
        + str(db.path.read_bytes())
    )


def test_a_cell_takes_note_call_and_reply_with_it(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    agent.answer("Jot down: Bertram lives at 12 Quince Lane.", "A")
    agent.answer("My sister Nora is allergic to nuts.", "A")
    assert db.notebook.list_notes("A")
    agent.manager.forget(cells=[c.id for c in db.cells.list_cells() if "Bertram" in c.content])
    told = everything(db)
    assert "Quince" not in told and "Bertram" not in told
    assert "nuts" in told and db.notebook.list_notes("A") == []


def test_a_cell_takes_the_fact_that_tells_the_same_with_it(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    agent.answer("Remember my gym is Ironworks.", "A")
    db.notebook.remember_fact("A", "city", "Oslo")
    agent.manager.forget(cells=[c.id for c in db.cells.list_cells() if "Ironworks" in c.content])
    assert [f.key for f in db.notebook.list_facts("A")] == ["city"]
    assert "Ironworks" not in everything(db)


def test_a_fact_takes_its_messages_cells_and_summary_with_it(db: MemoryDB) -> None:
    agent = WorkerAgent(db, may_forget=lambda _: True)
    agent.answer("Remember my gym is Ironworks.", "A")
    for n in range(8):
        agent.answer(f"Shelf {n} holds {n * 7} jars.", "A")
    agent.compactor.compact("A")
    assert "Ironworks" in db.sessions.get_summary("A")[0]
    answer = agent.answer("Forget my gym.", "A")
    assert "orgot" in answer
    assert "Ironworks" not in everything(db)
    assert "Shelf 3 " in everything(db)


class Namer(EmbeddedEngine):
    """A reader of one's own, with names of its own, of which some are refused."""

    def name_scene(self, texts: Sequence[str], is_refused: Callable[[str], bool]) -> str:
        return next(name for name in ("Quokka", "Furry friends") if not is_refused(name))


@pytest.mark.parametrize("given", ["the engine itself", "as the fallback"])
def test_a_scene_whose_name_tells_what_was_forgotten_is_named_by_the_reader(
    db: MemoryDB, given: str
) -> None:
    if given == "the engine itself":
        manager = MemoryManager(db, Namer())
    else:
        manager = MemoryManager(db, ModelEngine(ScriptedModel(cells_json())), fallback=Namer())
    said = ("I keep a quokka named Bobo.", "The hay is in the shed.", "The vet is in Kiel.")
    told = [manager.ingest([{"role": "user", "content": text}]).messages[0] for text in said]
    sources = [Source(message.session, message.id, message.id) for message in told]
    drafts = zip(said, sources, strict=True)
    cells = db.cells.insert_cells(
        [CellDraft(text, scene="Quokka", source=source) for text, source in drafts]
    )
    manager.forget(cells=[cells[0].id])
    assert [scene.scene for scene in db.scenes.list_scenes()] == ["Furry friends"]


def test_a_note_and_a_fact_can_be_forgotten_directly(db: MemoryDB) -> None:
    db.sessions.append_history("A", "user", "The alarm code changes weekly, says Quillfeather.")
    note = db.notebook.add_note("A", "The alarm code changes weekly, says Quillfeather.")
    db.notebook.remember_fact("A", "guest", "Marblethwaite")
    forget_note(db, note.id, actor="cli")
    (fact,) = db.notebook.list_facts("A")
    forget_fact(db, fact, actor="cli")
    told = everything(db)
    assert "Quillfeather" not in told and "Marblethwaite" not in told
    with pytest.raises(NotFoundError, match="no note 99"):
        forget_note(db, 99, actor="cli")


def remembering(
    db: MemoryDB, said: str, key: str, value: object, *further: str | Completion
) -> WorkerAgent:
    """An agent whose model has saved what was said in session A."""
    acts = [Completion("", (tool_call("remember", key=key, value=value),)), "Saved.", *further]
    model = ScriptedModel(
        answer=lambda request: acts.pop(0) if request.purpose == "reply" else cells_json()
    )
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(model)))
    agent.answer(said, "A")
    return agent


@pytest.mark.parametrize(
    ("said", "key", "value", "words"),
    [
        ("My pets are Quokkabob and Zedfish.", "pets", ["Quokkabob", "Zedfish"], "Quokkabob"),
        ("My address: 12 Quince Lane.", "address", {"road": "Quince Lane", "no": 12}, "Quince"),
        ("My gym is IRONWORKS.", "gym", "Ironworks", "IRONWORKS"),
        ("My dark_mode is true.", "dark_mode", True, "dark_mode is"),
        ("我的城市是重庆。", "城市", "重庆", "重庆"),
    ],
)
def test_a_fact_of_any_value_takes_what_told_it_with_it(
    db: MemoryDB, said: str, key: str, value: object, words: str
) -> None:
    remembering(db, said, key, value)
    (fact,) = db.notebook.list_facts("A")
    forget_fact(db, fact, actor="cli")
    left = db.sessions.list_messages("A")
    assert [m.content for m in left] == ["", "", "", "Saved."]
    assert not any(m.tool_calls for m in left)
    assert words.encode() not in db.path.read_bytes()


def test_a_short_value_takes_no_other_calls_with_it(db: MemoryDB) -> None:
    sum_up = Completion("", (tool_call("calculator", expression="12*12"),))
    agent = remembering(db, "My lucky number is 4.", "lucky_number", 4, sum_up, "It is 144.")
    agent.answer("What is 12*12?", "A")
    (fact,) = db.notebook.list_facts("A")
    forget_fact(db, fact, actor="cli")
    left = [m.content for m in db.sessions.list_messages("A")]
    assert left == ["", "", "", "Saved.", "What is 12*12?", "", "144", "It is 144."]


def test_what_a_search_finds_in_the_step_that_forgets_it_is_not_kept(db: MemoryDB) -> None:
    MemoryManager(db).update("I keep a quokka named Bobo.", session="B")
    (cell,) = db.cells.list_cells()
    model = ScriptedModel(
        Completion(
            "",
            (
                tool_call("search_memory", "1", query="quokka"),
                tool_call("forget", "2", cells=[cell.id]),
            ),
        ),
        "I have forgotten that you keep a quokka named Bobo.",
        cells_json(),
    )
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(model)), may_forget=lambda _: True)
    agent.answer("Forget that I keep a quokka.", "A")
    assert not recall(db, "quokka") and db.cells.list_cells() == []
    results = [m.content for m in db.sessions.list_messages("A") if m.role == "tool"]
    assert results == ["what was found has been forgotten since", "forgotten: 1 cell"]


async def allows_later(_: object) -> bool:
    return True


async def refuses_later(_: object) -> bool:
    return False


@pytest.mark.parametrize(
    ("may_forget", "is_allowed"),
    [
        (refuses_later, False),
        (allows_later, True),
        (lambda _: "no", False),
        (lambda _: None, False),
    ],
)
def test_only_a_true_answer_allows_to_forget(
    db: MemoryDB, may_forget: object, is_allowed: bool
) -> None:
    db.notebook.remember_fact("A", "gym", "Ironworks")
    agent = WorkerAgent(db, may_forget=may_forget)  # type: ignore[arg-type]
    agent.answer("Forget my gym.", "A")
    assert (db.notebook.get_fact("A", "gym") is None) is is_allowed


def test_tools_of_ones_own_bring_their_own_permission(db: MemoryDB) -> None:
    agent = WorkerAgent(db)
    with pytest.raises(ValueError, match="pass may_forget to MemoryTools"):
        WorkerAgent(db, tools=agent.tools, may_forget=lambda _: True)


def test_secrets_in_the_arguments_of_calls_reach_no_summary_and_no_log(
    db: MemoryDB, run: Run
) -> None:
    agent = WorkerAgent(db)
    agent.answer("Remember my wifi password is teal-Otter-42.", "A")
    for n in range(5):
        agent.answer(f"Shelf {n} holds {n * 7} jars.", "A")
    agent.compactor.compact("A")
    assert "teal-Otter-42" not in db.sessions.get_summary("A")[0]
    run("-d", str(db.path), "remember", "wifi_password", "hunter2-teal")
    log = run("-d", str(db.path), "log", "-n", "1000").stdout
    assert "teal-Otter-42" not in log and "hunter2-teal" not in log
