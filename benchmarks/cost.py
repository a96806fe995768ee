"""Compare the memory's model calls and tokens with those of the article's algorithm, in one run.

    python benchmarks/cost.py [--turns 600] [--json] [--check]

The conversation is made up and covers 20 subjects. In each turn the user states three things in 60
tokens, each about one of the subjects, and the assistant answers in 250 tokens. The model is
scripted: it finds the three statements in each turn it is shown, summarizes the cells it is given,
and counts the tokens it reads and writes (estimated as one per four bytes for every contestant).

*Article* extracts each turn separately, then rewrites the summary of every touched scene from all
of its cells. *Each turn* is `MemoryManager` with a model engine and default settings: it extracts
each turn immediately and rewrites a summary after forty new cells. *Every 10* is
`extract_every=10`: one call extracts ten turns. *Cheapest* extracts twelve turns a call and
rewrites summaries after sixty cells. Replies are left out because they are the agent's cost, not
the memory's.

Every few turns, and after the last, the script checks that everything the latest turn stated can be
recalled immediately, extracted or not. `--check` exits with an error if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scenemem.base.text import estimate_tokens
from scenemem.engines.openai.chat import Completion, Tokens, estimate_prompt
from scenemem.engines.openai.engine import ModelEngine
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.testing import Request, ScriptedModel

SUBJECTS = (
    "boat", "bakery", "orchard", "kitchen", "choir", "clinic", "archive", "workshop", "garage",
    "vineyard", "library", "theatre", "greenhouse", "lighthouse", "museum", "foundry", "stable",
    "harbour", "pottery", "observatory",
)  # fmt: skip
PARTS = (
    "roof", "door", "ledger", "lease", "pump", "lamp", "table", "clock", "gate", "cellar", "bell",
)  # fmt: skip
THINGS_A_TURN = 3
TOLD = re.compile(r"The \w+ of the (\w+) has the number \d+ and is to be seen to by [A-Z]\w+\.")
MOST_TOKENS = 1 / 5  # of the article's
MOST_CALLS = 1 / 3
TRIED_EVERY = 25


@dataclass(frozen=True)
class Turn:
    """One exchange, and the statements it contains."""

    user: str
    assistant: str
    told: tuple[str, ...]


def conversation(turns: int, seed: int = 7) -> Iterator[Turn]:
    """Turns of 60 and 250 tokens that state three things each."""
    dice = random.Random(seed)
    for n in range(turns):
        told = tuple(
            f"The {dice.choice(PARTS)} of the {dice.choice(SUBJECTS)} has the number "
            f"{10_000 + THINGS_A_TURN * n + k} and is to be seen to by {_name(dice)}."
            for k in range(THINGS_A_TURN)
        )
        yield Turn(_filled(" ".join(told), 60, dice), _filled("I see.", 250, dice), told)


def _name(dice: random.Random) -> str:
    return "".join(dice.choice(("ka", "ro", "mi", "len", "tu", "sa")) for _ in range(2)).title()


def _filled(text: str, tokens: int, dice: random.Random) -> str:
    fillers = ("well", "so", "then", "there", "again", "indeed", "perhaps", "after", "all", "and")
    while estimate_tokens(text) < tokens:
        text += " " + dice.choice(fillers)
    return text


# -- the scripted model ----------------------------------------------------------------------


def scripted_answer(request: Request) -> str:
    """What a good model would answer to either algorithm's prompts."""
    if request.purpose == "extract":
        return json.dumps({"cells": [*_cells_of(request.last)]})
    told = [match.group() for match in TOLD.finditer(request.last)]
    words = " ".join(told[-6:]).split()
    return " ".join(words[:60])


def _cells_of(data: str) -> Iterator[dict[str, Any]]:
    turns = data.split("<turn")[1:] or [data]
    for number, turn in enumerate(turns, 1):
        for match in TOLD.finditer(turn):
            cell = {"content": match.group(), "cell_type": "fact", "salience": 0.6}
            yield ({"turn": number} if len(turns) > 1 else {}) | cell | {"scene": match[1]}


@dataclass
class Bill:
    """Calls and tokens so far by purpose, and the total tokens at a few checkpoints."""

    calls: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    growth: dict[int, int] = field(default_factory=dict)
    forgotten: int = 0

    def add(self, purpose: str, calls: int, tokens: int) -> None:
        """Add calls and their tokens to the bill."""
        self.calls[purpose] = self.calls.get(purpose, 0) + calls
        self.tokens[purpose] = self.tokens.get(purpose, 0) + tokens

    def as_dict(self) -> dict[str, Any]:
        """The bill as plain JSON values."""
        return {
            "calls": sum(self.calls.values()),
            "tokens": sum(self.tokens.values()),
            "calls_by_purpose": self.calls,
            "tokens_by_purpose": self.tokens,
            "tokens_by_turn": self.growth,
            "not_recalled": self.forgotten,
        }


# -- the article's algorithm -----------------------------------------------------------------

ARTICLE_EXTRACT = (
    "Extract atomic memory cells from this exchange as a JSON list. Each has scene (its topic), "
    "cell_type (fact, plan, preference, decision, task, risk), salience from 0 to 1, and content "
    "(compressed and factual).\n\nUser: {user}\nAssistant: {assistant}"
)
ARTICLE_SUMMARIZE = (
    "Write a summary of this memory scene in under 100 words, stable and reusable for reasoning "
    "later on.\n\nCells:\n{cells}"
)


def article(turns: Sequence[Turn]) -> Bill:
    """Extract each turn, then summarize every touched scene from all of its cells."""
    bill = Bill()
    scenes: dict[str, list[str]] = {}
    for number, turn in enumerate(turns, 1):
        prompt = ARTICLE_EXTRACT.format(user=turn.user, assistant=turn.assistant)
        cells = json.loads(_billed(bill, "extract", prompt))["cells"]
        for cell in cells:
            scenes.setdefault(cell["scene"], []).append(cell["content"])
        for scene in dict.fromkeys(cell["scene"] for cell in cells):
            _billed(bill, "summarize", ARTICLE_SUMMARIZE.format(cells="\n".join(scenes[scene])))
        _note_growth(bill, number, len(turns))
    return bill


def _billed(bill: Bill, purpose: str, prompt: str) -> str:
    messages = [{"role": "user", "content": prompt}]
    answer = scripted_answer(Request(tuple(messages), purpose))
    bill.add(purpose, 1, estimate_prompt(messages) + estimate_tokens(answer))
    return answer


# -- ours ------------------------------------------------------------------------------------


def ours(turns: Sequence[Turn], every: int, consolidate_after: int | None = None) -> Bill:
    """The same conversation through `MemoryManager`, extracting once every `every` turns."""
    bill = Bill()
    model = ScriptedModel(answer=_counting(bill))
    engine = ModelEngine(model, turns_per_call=every)
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    with tempfile.TemporaryDirectory() as folder, MemoryDB(Path(folder) / "cost.db") as db:
        manager = MemoryManager(
            db, engine, extract_every=every, consolidate_after=consolidate_after
        )
        for number, turn in enumerate(turns, 1):
            at = begin + timedelta(minutes=10 * number)
            manager.update(turn.user, turn.assistant, at=at)
            if number % TRIED_EVERY == 0 or number == len(turns):
                bill.forgotten += sum(not _is_recalled(db, told) for told in turn.told)
            _note_growth(bill, number, len(turns))
        manager.extract_pending()
        manager.consolidate_stale()
    return bill


def _counting(bill: Bill) -> Callable[[Request], Completion]:
    def answer(request: Request) -> Completion:
        text = scripted_answer(request)
        used = Tokens(request.tokens, estimate_tokens(text))
        bill.add(request.purpose, 1, used.prompt + used.completion)
        return Completion(text, usage=used)

    return answer


def _is_recalled(db: MemoryDB, told: str) -> bool:
    number = re.search(r"\d{5}", told)
    assert number is not None
    asked = re.sub(r" has the number .*", "", told)
    return any(number.group() in hit.text for hit in recall(db, f"{asked} {number.group()}"))


def _note_growth(bill: Bill, number: int, turns: int) -> None:
    if number in (turns // 4, turns // 2, turns):
        bill.growth[number] = sum(bill.tokens.values())


# -- the report ------------------------------------------------------------------------------


def report(bills: Mapping[str, Bill]) -> str:
    """A table of calls and tokens, by purpose and in total, and how the tokens grow."""
    base = bills["article"].as_dict()
    lines = [
        f"{'':10} {'calls':>7} {'tokens':>10} {'extract':>9} {'summarize':>10}  tokens by turn"
    ]
    for name, bill in bills.items():
        told = bill.as_dict()
        grown = ", ".join(f"{turn}: {tokens:,}" for turn, tokens in bill.growth.items())
        lines.append(
            f"{name:10} {told['calls']:>7,} {told['tokens']:>10,} "
            f"{bill.tokens.get('extract', 0):>9,} {bill.tokens.get('summarize', 0):>10,}  {grown}"
        )
        if name != "article":
            fewer_calls, fewer_tokens = (base[what] / told[what] for what in ("calls", "tokens"))
            lines.append(
                f"{'':10} {fewer_calls:>6.1f}x {fewer_tokens:>9.1f}x  fewer; "
                f"{bill.forgotten} statements of a latest turn not recalled"
            )
    return "\n".join(lines)


def misses(bills: Mapping[str, Bill]) -> Iterator[str]:
    """One sentence for each target that was missed."""
    base, default = bills["article"].as_dict(), bills["every 10"].as_dict()
    if default["calls"] > base["calls"] * MOST_CALLS:
        yield f"every 10 makes {default['calls']} calls; at most {MOST_CALLS:.0%} allowed"
    if default["tokens"] > base["tokens"] * MOST_TOKENS:
        yield f"every 10 takes {default['tokens']} tokens; at most {MOST_TOKENS:.0%} allowed"
    for name in ("each turn", "every 10", "cheapest"):
        quarter, half, whole = bills[name].growth.values()
        if whole - half > 2.5 * (half - quarter):
            yield f"tokens grow faster than the turns ({name}: {quarter}, {half}, {whole})"
        if bills[name].forgotten:
            yield f"{bills[name].forgotten} statements of a latest turn were not recalled ({name})"


def main() -> int:
    """Run the four contestants and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=600, help="turns in the conversation")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    options = parser.parse_args()
    turns = list(conversation(options.turns))
    bills = {
        "article": article(turns),
        "each turn": ours(turns, every=1),
        "every 10": ours(turns, every=10),
        "cheapest": ours(turns, every=12, consolidate_after=60),
    }
    missed = list(misses(bills))
    if options.json:
        told = {name: bill.as_dict() for name, bill in bills.items()}
        print(json.dumps(told | {"missed": missed}, indent=1))
    else:
        print(report(bills))
        print(*missed, sep="\n", end="\n" if missed else "")
    return int(bool(missed) and options.check)


if __name__ == "__main__":
    sys.exit(main())
