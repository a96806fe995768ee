"""Turn after turn against a server that fails in all ways: no turn is lost, none counts twice."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_server import Act, Received, ScriptedServer, answers, cuts_off, fails, says

from scenemem.engines.openai.chat import OpenAIChat
from scenemem.engines.openai.engine import ModelEngine
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB

ITEM = re.compile(r"the number of my locker (\d+) is (\d+)")


def right_answer(received: Received) -> str:
    """What a good model extracts: a cell for each locker in each turn of the request."""
    data = received.messages[-1]["content"]
    turns = data.split("<turn")[1:]
    cells = [
        {"turn": n, "content": f"Locker {locker} has number {number}", "scene": "Lockers"}
        for n, turn in enumerate(turns, 1)
        for locker, number in ITEM.findall(turn)
    ]
    return json.dumps({"cells": cells})


def faults(received: Received) -> list[Act]:
    """All the ways to fail, the last ones with an answer that looks like one."""
    right = right_answer(received)
    return [
        fails(429, retry_after="0"),
        fails(429, retry_after="3600"),
        fails(500),
        fails(503),
        cuts_off(),
        cuts_off(b'{"choices": [{"mess'),
        answers({"choices": []}),
        answers("<html>bad gateway</html>"),
        says("", finish_reason="length"),
        says(right[:-9], finish_reason="length"),
        says("I'm sorry, I can't help with that."),
        says(None, refusal="No."),
        says("<think>lockers, [lockers]"),
        says("Sure! The lockers are nice."),
    ]


def failing_one_in_three(seed: int) -> Callable[[Received], Act]:
    dice = random.Random(seed)

    def act(received: Received) -> Act:
        fault = dice.choice(faults(received))
        return fault if dice.random() < 1 / 3 else says(right_answer(received))

    return act


def talk(manager: MemoryManager, turns: int) -> None:
    for n in range(turns):
        manager.update(f"By the way, the number of my locker {n} is {7 * n}.", "Noted.")


def check_that_nothing_is_lost(path: Path, turns: int, seed: int) -> None:
    with MemoryDB(path) as db:
        with ScriptedServer(act=failing_one_in_three(seed)) as server:
            chat = OpenAIChat("flaky", base_url=server.base_url, sleep=lambda _: None)
            manager = MemoryManager(db, ModelEngine(chat), consolidate_after=10 * turns)
            talk(manager, turns)
            asked = len(server.requests)
        assert asked < 8 * turns
        with ScriptedServer(act=lambda received: says(right_answer(received))) as server:
            chat = OpenAIChat("well", base_url=server.base_url)
            db.sessions.retry_failed()
            MemoryManager(db, ModelEngine(chat)).extract_pending()
        status = manager.db.status()
        assert (status.pending, status.failed) == (0, 0)
        kept = Counter(cell.content for cell in db.cells.list_cells())
    assert kept == Counter(f"Locker {n} has number {7 * n}" for n in range(turns))


def test_a_server_that_fails_one_in_three_costs_no_turn_and_doubles_none(path: Path) -> None:
    check_that_nothing_is_lost(path, turns=60, seed=1)


@pytest.mark.slow
def test_a_thousand_turns_against_such_a_server(path: Path) -> None:
    check_that_nothing_is_lost(path, turns=1000, seed=2)


def test_turns_wait_for_a_rate_limit_to_end_and_are_extracted_once(db: MemoryDB) -> None:
    with ScriptedServer(fails(429, retry_after="3600")) as server:
        chat = OpenAIChat("busy", base_url=server.base_url, sleep=lambda _: None)
        manager = MemoryManager(db, ModelEngine(chat))
        for n in range(5):
            update = manager.update(f"the number of my locker {n} is {n}.", "Noted.")
            assert update.outcome == "pending"
            assert "too busy" in (update.error or "")
            assert len(server.requests) == n + 1
        assert manager.db.status().pending == 5
    with ScriptedServer(act=lambda received: says(right_answer(received))) as server:
        chat = OpenAIChat("well", base_url=server.base_url)
        manager = MemoryManager(db, ModelEngine(chat), consolidate_after=100)
        manager.update("the number of my locker 5 is 5.", "Noted.")
    assert sorted(cell.content for cell in db.cells.list_cells()) == [
        f"Locker {n} has number {n}" for n in range(6)
    ]
    assert manager.db.status().pending == 0
