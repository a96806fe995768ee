"""One model engine under several memories: each counts its own calls, a caller's hook sees all."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scripted_server import Act, Received, ScriptedServer, fails, says, streams

from scenemem import (
    HistoryCompactor,
    MemoryDB,
    MemoryManager,
    ModelEngine,
    ModelError,
    OpenAIChat,
    Prompt,
    Reply,
    WorkerAgent,
)
from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import Message, now_utc
from scenemem.engines.openai.chat import ChatModel
from scenemem.testing import cells_json

OWNERS = ("Anna", "Bert")
TOKENS = {"Anna": (3, 2), "Bert": (5000, 700)}  # of every call that is about them
HIVE = re.compile(r"My hive (\d+) is for (\w+)")


def owner_in(received: Received) -> str:
    said = json.dumps(received.messages)
    (owner,) = (name for name in OWNERS if name in said)
    return owner


def answer(received: Received) -> Act:
    """What a good model says to extraction, summaries, notes and questions about one owner."""
    owner = owner_in(received)
    last = received.messages[-1]["content"]
    if received.body.get("stream"):
        return streams("Hello ", owner, "!", usage=TOKENS[owner])
    if "response_format" in received.body:
        turns = last.split("<turn")[1:]
        cells = [
            {"turn": n, "content": f"Hive {hive} is for {owner}", "scene": "Hives"}
            for n, turn in enumerate(turns, 1)
            for hive, _ in HIVE.findall(turn)
        ]
        return says(cells_json(*cells), usage=TOKENS[owner])
    return says(" ".join(re.findall(r"\w[\w :,.-]*", last)), usage=TOKENS[owner])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(act=answer) as served:
        yield served


@pytest.fixture
def engine(server: ScriptedServer) -> ModelEngine:
    return ModelEngine(OpenAIChat("tiny", base_url=server.base_url, sleep=lambda _: None))


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[dict[str, MemoryDB]]:
    with ExitStack() as opened:
        yield {
            name: opened.enter_context(MemoryDB(tmp_path / f"{name}.db", embedder=None))
            for name in OWNERS
        }


class Used(NamedTuple):
    calls: int
    prompt_tokens: int
    completion_tokens: int


def counted_in(db: MemoryDB) -> Used:
    totals = db.log.list_usage()
    return Used(
        sum(t.calls for t in totals),
        sum(t.prompt_tokens for t in totals),
        sum(t.completion_tokens for t in totals),
    )


def served_to(server: ScriptedServer, owner: str) -> Used:
    calls = sum(owner_in(received) == owner for received in server.requests)
    prompt, completion = TOKENS[owner]
    return Used(calls, calls * prompt, calls * completion)


def check_that_each_counts_its_own(
    server: ScriptedServer, memories: dict[str, MemoryDB], *purposes: str
) -> None:
    for owner, db in memories.items():
        assert counted_in(db) == served_to(server, owner)
        assert {total.purpose for total in db.log.list_usage()} == set(purposes)


def hive(number: int, owner: str) -> str:
    return f"My hive {number} is for {owner}."


def in_threads(*works: Callable[[], object]) -> None:
    errors: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# -- two memories --------------------------------------------------------------------------------


def test_two_managers_in_turn_count_their_own_calls(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    managers = {o: MemoryManager(db, engine, consolidate_after=1) for o, db in memories.items()}
    for number in range(3):
        for owner, manager in managers.items():
            assert manager.update(hive(number, owner), "Noted.").outcome == "kept"
    managers["Bert"].extract_cells(hive(9, "Bert"))
    check_that_each_counts_its_own(server, memories, "extract", "summarize")


def test_two_managers_in_two_threads_count_their_own_calls(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    together = threading.Barrier(2)

    def talk(owner: str) -> None:
        manager = MemoryManager(memories[owner], engine, consolidate_after=1)
        for number in range(5):
            together.wait(timeout=30)
            manager.update(hive(number, owner), "Noted.")

    in_threads(lambda: talk("Anna"), lambda: talk("Bert"))
    check_that_each_counts_its_own(server, memories, "extract", "summarize")
    assert sum(used.calls for used in engine.usage.values()) == len(server.requests)


def test_streams_read_by_turns_count_in_the_memory_they_were_begun_for(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    agents = [WorkerAgent(db, MemoryManager(db, engine)) for db in memories.values()]
    streamed = [
        agent.answer_stream(hive(1, owner)) for agent, owner in zip(agents, OWNERS, strict=True)
    ]
    first = [next(pieces) for pieces in streamed]
    rest = ["".join(pieces) for pieces in reversed(streamed)]
    assert (first, rest) == (["Hello ", "Hello "], ["Bert!", "Anna!"])
    check_that_each_counts_its_own(server, memories, "reply", "extract")


def test_a_stream_finished_by_another_thread_counts_where_it_was_begun(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    agents = {o: WorkerAgent(db, MemoryManager(db, engine)) for o, db in memories.items()}
    anna, bert = (agents[owner].answer_stream(hive(1, owner)) for owner in OWNERS)
    assert next(anna) == next(bert) == "Hello "
    in_threads(lambda: list(bert), lambda: list(anna))
    check_that_each_counts_its_own(server, memories, "reply", "extract")


def test_a_stream_that_is_left_early_counts_in_its_memory(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    agents = {o: WorkerAgent(db, MemoryManager(db, engine)) for o, db in memories.items()}
    pieces = agents["Anna"].answer_stream(hive(1, "Anna"))
    next(pieces)
    agents["Bert"].answer(hive(1, "Bert"))
    pieces.close()
    (reply,) = (t for t in memories["Anna"].log.list_usage() if t.purpose == "reply")
    assert (reply.calls, reply.failed) == (1, 1)
    assert counted_in(memories["Bert"]) == served_to(server, "Bert")


def test_async_turns_at_once_count_their_own_calls(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    agents = {o: WorkerAgent(db, MemoryManager(db, engine)) for o, db in memories.items()}

    async def talk() -> None:
        for number in range(2):
            await asyncio.gather(
                *(agent.aanswer(hive(number, owner)) for owner, agent in agents.items()),
                *(agent.manager.aupdate(hive(9, owner)) for owner, agent in agents.items()),
            )

    asyncio.run(talk())
    check_that_each_counts_its_own(server, memories, "reply", "extract")


def test_compaction_counts_in_the_memory_it_compacts(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    agents = {}
    for owner, db in memories.items():
        compactor = HistoryCompactor(db, engine, max_turns=2, keep_messages=2)
        agents[owner] = WorkerAgent(db, MemoryManager(db, engine), compactor=compactor)
    for number in range(4):
        for owner, agent in agents.items():
            agent.answer(hive(number, owner))
    check_that_each_counts_its_own(server, memories, "reply", "extract", "condense")


def test_a_compactor_without_a_manager_counts_too(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    for owner, db in memories.items():
        for number in range(4):
            db.sessions.append_history("A", "user", hive(number, owner))
            db.sessions.append_history("A", "assistant", "Noted.")
    compactors = [HistoryCompactor(db, engine, keep_messages=2) for db in memories.values()]
    for compactor in compactors:
        assert compactor.compact("A") is not None
    check_that_each_counts_its_own(server, memories, "condense")


def test_two_managers_of_one_memory_count_each_call_once(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    db = memories["Anna"]
    first = MemoryManager(db, engine)
    second = MemoryManager(db, first.engine)
    for number, manager in enumerate((first, second, first)):
        manager.update(hive(number, "Anna"))
    assert counted_in(db) == served_to(server, "Anna")


def test_a_call_that_fails_counts_in_its_memory(
    tmp_path: Path, memories: dict[str, MemoryDB]
) -> None:
    with ScriptedServer(fails(400, "no such model")) as server:
        engine = ModelEngine(OpenAIChat("tiny", base_url=server.base_url))
        managers = {owner: MemoryManager(db, engine) for owner, db in memories.items()}
        assert managers["Anna"].update(hive(1, "Anna")).outcome == "pending"
    (total,) = memories["Anna"].log.list_usage()
    assert (total.calls, total.failed) == (1, 1)
    assert not memories["Bert"].log.list_usage()


# -- the caller's own hook -----------------------------------------------------------------------


def test_a_hook_of_the_callers_sees_the_calls_of_all_memories_and_of_none(
    server: ScriptedServer, memories: dict[str, MemoryDB]
) -> None:
    seen: list[UsageRecord] = []
    chat = OpenAIChat("tiny", base_url=server.base_url)
    engine = ModelEngine(chat, on_usage=seen.append)
    managers = {owner: MemoryManager(db, engine) for owner, db in memories.items()}
    for owner, manager in managers.items():
        manager.update(hive(1, owner))
    engine.reply(question("How is Anna?"))
    assert [record.prompt_tokens for record in seen] == [3, 5000, 3]
    assert counted_in(memories["Anna"]) == (1, 3, 2)
    assert counted_in(memories["Bert"]) == (1, 5000, 700)
    assert engine.on_usage is not None


def test_a_hook_may_be_set_after_the_managers_were_made(
    server: ScriptedServer, engine: ModelEngine, memories: dict[str, MemoryDB]
) -> None:
    managers = {owner: MemoryManager(db, engine) for owner, db in memories.items()}
    assert engine.on_usage is None
    seen: list[UsageRecord] = []
    engine.on_usage = seen.append
    for owner, manager in managers.items():
        manager.update(hive(1, owner))
    assert [record.prompt_tokens for record in seen] == [3, 5000]
    check_that_each_counts_its_own(server, memories, "extract")


def question(text: str) -> Prompt:
    return Prompt("You help.", (Message(1, "s", 1, "user", text, now_utc()),))


# -- what is shared ------------------------------------------------------------------------------


class Counting(ModelEngine):
    """Counts its replies and summaries itself, as a caller's own engine may."""

    replies = 0
    greeting = ""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self.seen: list[str] = []

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        self.replies += 1
        self.seen.append(self.greeting)
        return super().reply(prompt, tools)


def test_what_a_subclass_counts_is_counted_in_the_callers_own_engine(
    server: ScriptedServer, memories: dict[str, MemoryDB]
) -> None:
    engine = Counting(OpenAIChat("tiny", base_url=server.base_url))
    agents = {o: WorkerAgent(db, MemoryManager(db, engine)) for o, db in memories.items()}
    engine.greeting = "Hello"
    for number in range(2):
        for owner, agent in agents.items():
            agent.answer(hive(number, owner))
    assert engine.replies == 4 and engine.seen == ["Hello"] * 4
    assert all(isinstance(agent.manager.engine, Counting) for agent in agents.values())
    check_that_each_counts_its_own(server, memories, "reply", "extract")


def test_a_window_found_too_small_is_known_to_all_that_share_the_engine(
    memories: dict[str, MemoryDB],
) -> None:
    refused = Counter[str]()

    def small_window(received: Received) -> Act:
        if len(received.messages[-1]["content"]) > 4000:
            refused[owner_in(received)] += 1
            return fails(400, "maximum context length is 2000 tokens")
        return answer(received)

    with ScriptedServer(act=small_window) as server:
        engine = ModelEngine(OpenAIChat("tiny", base_url=server.base_url))
        for owner, db in memories.items():
            manager = MemoryManager(db, engine)
            manager.update(hive(1, owner) + " It hums all day long." * 600)
    assert refused["Anna"] > 0
    assert refused["Bert"] == 0


def asked_by_two_at_once(act: Callable[[Received], Act], **settings: Any) -> Sequence[str]:
    """Two threads make the first two calls of one chat, which the server answers together."""
    together = threading.Barrier(2)
    answers: list[str] = []

    def gathered(received: Received) -> None:
        if not together.broken:
            together.wait(timeout=30)

    with GatheringServer(act=act) as server:
        server.gather = gathered
        base_url = settings.get("base_url", "{root}/v1").format(root=server.root)
        chat = OpenAIChat("tiny", base_url=base_url, sleep=lambda _: None)

        def ask() -> None:
            answers.append(chat.complete([{"role": "user", "content": "Hi"}]).text)

        in_threads(ask, ask)
    return answers


class GatheringServer(ScriptedServer):
    """Lets the first two requests wait for each other before it answers them."""

    gather: Callable[[Received], None]
    _gathered = 0

    def next_act(self, received: Received) -> Act:
        with self._lock:
            self._gathered += 1
            is_early = self._gathered <= 2
        if is_early:
            self.gather(received)
        return super().next_act(received)


def test_two_threads_learn_what_a_server_refuses_at_the_same_time() -> None:
    def newer(received: Received) -> Act:
        if "max_tokens" in received.body:
            return fails(400, "use 'max_completion_tokens' instead", param="max_tokens")
        return says(f"{received.body['max_completion_tokens']} at most")

    assert asked_by_two_at_once(newer) == ["500 at most", "500 at most"]


def test_two_threads_find_the_address_at_the_same_time() -> None:
    found = asked_by_two_at_once(lambda received: says("Here."), base_url="{root}")
    assert found == ["Here.", "Here."]


def test_a_stream_of_an_engine_without_a_manager_is_counted(
    server: ScriptedServer, engine: ModelEngine
) -> None:
    list(engine.reply_stream(question("How is Bert?")))
    assert engine.usage["reply"].prompt_tokens == 5000


def test_an_engine_of_which_nothing_can_be_had_is_counted_as_failed(
    memories: dict[str, MemoryDB],
) -> None:
    with ScriptedServer(fails(400, "broken")) as server:
        engine = ModelEngine(OpenAIChat("tiny", base_url=server.base_url))
        agent = WorkerAgent(memories["Anna"], MemoryManager(memories["Anna"], engine))
        MemoryManager(memories["Bert"], engine)
        with pytest.raises(ModelError):
            list(agent.answer_stream("Is Anna there?"))
    assert [t.failed for t in memories["Anna"].log.list_usage()] == [1]
    assert not memories["Bert"].log.list_usage()
