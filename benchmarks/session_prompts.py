"""Prompt tokens for each turn of one long session, with and without compaction.

Every turn goes through `WorkerAgent.answer`. The user talks about twelve projects (names, numbers,
days, decisions, plans) and occasionally asks about earlier statements: about 38 tokens per message
and 75 per answer. The first turn's statement is marked as important. The model is scripted: it
gives the made-up assistant's answers, extracts the user's statements, and condenses like a
forgetful model, keeping the newest lines that fit. The embedded engine gives its own answers.

Tokens are estimated (one per four bytes) for the largest prompt behind each turn's reply.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from scenemem.agent.agent import WorkerAgent
from scenemem.agent.compaction import HistoryCompactor
from scenemem.engines.engine import Engine, Prompt, Reply
from scenemem.engines.openai.chat import estimate_prompt
from scenemem.engines.openai.engine import ModelEngine
from scenemem.engines.openai.prompts import chat_messages
from scenemem.engines.rules import EmbeddedEngine
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.testing import Request, ScriptedModel

__all__ = [
    "FACT",
    "Growth",
    "Turn",
    "conversation",
    "whole_history",
    "with_embedded_engine",
    "with_model",
]

SESSION = "session"
FACT = "Ida is allergic to peanuts"
NEVER = 10**9
TOPICS = (
    "kitchen", "orchard", "choir", "clinic", "archive", "workshop", "vineyard", "library",
    "theatre", "greenhouse", "museum", "harbour",
)  # fmt: skip
THINGS = (
    "roof", "door", "ledger", "lease", "pump", "lamp", "table", "clock", "gate", "cellar", "bell",
    "ladder", "stove", "fence", "poster", "invoice",
)  # fmt: skip
DAYS = ("3 March", "17 April", "9 May", "24 June", "2 July", "11 August", "29 October")
TOLD = (
    "{name} will deliver the {thing} for the {topic} on {day}.",
    "The {thing} of the {topic} costs {number} euros, and {name} has agreed to it.",
    "I decided to take the {thing} that {name} offered us for the {topic}, number {number}.",
    "I prefer the {thing} in the {topic} to be as {name} drew it, {number} centimetres wide.",
    "We plan to open the {topic} on {day}, once the {thing} is in its place.",
    "There is a risk that the {thing} of the {topic} comes {number} days late, says {name}.",
    "{name} has to check the {thing} of the {topic} before {day}.",
)
ASKED = (
    "What did {name} say about the {thing} of the {topic}?",
    "How much was it for the {thing} of the {topic}?",
    "When is the {thing} of the {topic} to be ready?",
)
ANSWERED = (
    "Good, then the {topic} is a step further, and {name} can go on as planned.",
    "It would be wise to have {name} confirm it in writing, with the number {number} on it.",
    "Before {day} there is time enough to look at the {thing} once more.",
    "Shall I draw up a list of all that is still missing at the {topic}?",
    "You could ask two other firms as well, so that you can compare what they charge.",
    "The {thing} seems to be what holds up the rest, so it ought to come first.",
)


class Turn(NamedTuple):
    """The user's message, the statements in it (one sentence each), and the assistant's answer."""

    user: str
    told: tuple[str, ...]
    assistant: str


class Growth(NamedTuple):
    """The prompt's tokens turn by turn, and whether the last prompt still contains `FACT`."""

    tokens: tuple[int, ...]
    knows_the_first_turn: bool


def conversation(turns: int, seed: int = 7) -> list[Turn]:
    """The made-up conversation."""
    dice = random.Random(seed)
    first = f"This is important: {FACT}."
    made = [Turn(first, (first,), "I will keep that in mind.")]
    while len(made) < turns:
        told = tuple(_filled(dice.choice(TOLD), dice) for _ in range(dice.choice((1, 2, 2, 3))))
        asked = [_filled(dice.choice(ASKED), dice)] if dice.random() < 0.25 else []
        answer = [_filled(form, dice) for form in dice.sample(ANSWERED, dice.choice((3, 4, 5)))]
        made.append(Turn(" ".join([*told, *asked]), told, " ".join(answer)))
    return made


def _filled(form: str, dice: random.Random) -> str:
    name = "".join(dice.choice(("ka", "ro", "mi", "len", "tu", "sa")) for _ in range(2)).title()
    return form.format(
        name=name,
        thing=dice.choice(THINGS),
        topic=dice.choice(TOPICS),
        day=dice.choice(DAYS),
        number=dice.randint(12, 4_000),
    )


# -- the two engines -------------------------------------------------------------------------


def with_model(turns: Sequence[Turn], path: Path, *, compaction: bool = True) -> Growth:
    """The conversation with a scripted model."""
    script = _Script(turns)
    model = ScriptedModel(answer=script.answer)
    tokens, last = [], ""
    for _ in _steps(turns, ModelEngine(model), path, compaction):
        asked = [r for r in model.requests if r.purpose == "reply"]
        tokens.append(max(r.tokens for r in asked))
        last = asked[-1].system
        model.requests.clear()
        script.turn += 1
    return Growth(tuple(tokens), FACT in last)


def with_embedded_engine(turns: Sequence[Turn], path: Path) -> Growth:
    """The conversation with the embedded engine, which gives its own answers."""
    engine = _WatchedEngine()
    tokens, last = [], ""
    for _ in _steps(turns, engine, path, compaction=True):
        tokens.append(
            max(estimate_prompt(chat_messages(p.system, p.messages)) for p in engine.seen)
        )
        last = engine.seen[-1].system
        engine.seen.clear()
    return Growth(tuple(tokens), FACT in last)


def whole_history(turns: Sequence[Turn]) -> tuple[int, ...]:
    """For each turn, the tokens of all messages up to it, verbatim."""
    total, sums = 0, []
    for turn in turns:
        total += estimate_prompt([{"role": "user", "content": turn.user}])
        sums.append(total)
        total += estimate_prompt([{"role": "assistant", "content": turn.assistant}])
    return tuple(sums)


def _steps(turns: Sequence[Turn], engine: Engine, path: Path, compaction: bool) -> Iterator[None]:
    """Run the turns one by one through an agent on a new file."""
    begin = datetime(2026, 1, 1, 9, tzinfo=UTC)
    with MemoryDB(path, synchronous="NORMAL") as db:
        compactor = (
            None if compaction else HistoryCompactor(db, engine, max_turns=NEVER, max_tokens=NEVER)
        )
        agent = WorkerAgent(db, MemoryManager(db, engine), compactor=compactor)
        for number, turn in enumerate(turns):
            agent.answer(turn.user, SESSION, at=begin + timedelta(minutes=10 * number))
            yield


class _WatchedEngine(EmbeddedEngine):
    """The embedded engine, recording the prompts it replies to."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Prompt] = []

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The engine's reply."""
        self.seen.append(prompt)
        return super().reply(prompt, tools)


class _Script:
    """The scripted model's answers; `turn` is the turn being answered."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turn = 0
        self._turns = turns
        self._told = {sentence for turn in turns for sentence in turn.told}

    def answer(self, request: Request) -> str:
        """The model's text."""
        match request.purpose:
            case "reply":
                return self._turns[self.turn].assistant
            case "extract":
                return json.dumps({"cells": list(self._cells(request.last))})
            case "condense":
                notes = request.last.partition("</summary>")[0].splitlines()[1:]
                return _newest([*notes, *(f"- {s}" for s in self._sentences(request.last))], 240)
            case _:
                return _newest(list(self._sentences(request.last)), 60).replace("\n", " ")

    def _cells(self, data: str) -> Iterator[dict[str, Any]]:
        parts = data.split("<turn")[1:]
        for number, part in enumerate(parts, 1):
            for sentence in self._sentences(part):
                scene = next((t for t in TOPICS if f" {t}" in sentence), "family")
                cell: dict[str, Any] = {"content": sentence, "scene": scene}
                cell |= {"cell_type": "fact", "salience": 0.6}
                yield ({"turn": number} if len(parts) > 1 else {}) | cell

    def _sentences(self, data: str) -> Iterator[str]:
        for sentence in re.split(r"(?<=\.)\s+|: |\n", data):
            if sentence in self._told:
                yield sentence


def _newest(lines: Sequence[str], words: int) -> str:
    """The newest lines that fit the number of words, in their original order."""
    kept: list[str] = []
    for line in reversed(lines):
        words -= len(line.split())
        if words < 0:
            break
        kept.insert(0, line)
    return "\n".join(kept) or "Nothing was told."
