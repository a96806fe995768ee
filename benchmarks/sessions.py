"""Long sessions: append and read back next to SQLiteSession, and prompts that stay flat.

    python benchmarks/sessions.py [--messages 10000 100000] [--turns 1000] [--only stores|prompts]

*Stores* appends one message to a session that already holds 10,000 or 100,000 and reads back the
last 20, in the same run as SQLiteSession from the package `openai-agents` (if it is not installed,
only scenemem's figures are printed); see `session_stores`. *Prompts* counts the tokens of each
turn's prompt over 1,000 turns of one session; see `session_prompts`. `--check` exits with an error
if a target is missed: no slower than SQLiteSession with the same durability, and prompts that do
not grow.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean

from session_prompts import (
    FACT,
    conversation,
    whole_history,
    with_embedded_engine,
    with_model,
)
from session_stores import PEER, STORES, Spent, measure

OURS = "scenemem FULL"  # syncs as SQLiteSession does
MOST_TIME = 1.0  # of SQLiteSession's
MOST_GROWTH = 1.1  # the last span's prompts, divided by the second's
SPANS = 10


# -- stores ----------------------------------------------------------------------------------


def report_stores(counts: Sequence[int], folder: Path) -> Iterator[str]:
    """Print the table; yield one sentence for each target that was missed."""
    print("Median wall-clock milliseconds per call (CPU time):\n")
    print_row("messages", "", *STORES, f"{OURS} / {PEER}")
    print_row(*["---"] * (len(STORES) + 3))
    missing = False
    for count in counts:
        for deed, spent in measure(count, folder).items():
            ratio = _ratio(spent)
            missing = ratio is None
            times = [_clock_and_cpu(spent.get(name)) for name in STORES]
            print_row(f"{count:,}", deed, *times, _clock_and_cpu(ratio))
            if ratio is not None and ratio.clock > MOST_TIME:
                yield f"{deed} at {count:,} messages takes {ratio.clock:.2f} x what {PEER} takes"
    if missing:
        print(f"\n{PEER} is not installed, so there is nothing to compare with.")


def _ratio(spent: Mapping[str, Spent]) -> Spent | None:
    """Our time divided by the peer's."""
    if PEER not in spent:
        return None
    ours, theirs = spent[OURS], spent[PEER]
    return Spent(ours.clock / theirs.clock, ours.processor / theirs.processor)


def _clock_and_cpu(spent: Spent | None) -> str:
    return "-" if spent is None else f"{spent.clock:.2f} ({spent.processor:.2f})"


# -- prompts ---------------------------------------------------------------------------------


def report_prompts(count: int, folder: Path) -> Iterator[str]:
    """Print the table; yield one sentence for each target that was missed."""
    turns = conversation(count)
    compacted = {
        "scripted model": with_model(turns, folder / "model.db"),
        "embedded engine": with_embedded_engine(turns, folder / "embedded.db"),
    }
    # Without compaction, a prompt takes as much of the history as the window has room for. A few
    # turns are enough to show that.
    never = with_model(turns[: count * 3 // SPANS], folder / "never.db", compaction=False)
    columns = {name: growth.tokens for name, growth in compacted.items()}
    columns |= {"model, no compaction": never.tokens, "the history alone": whole_history(turns)}
    print("Prompt tokens per turn, mean (largest):\n")
    print_row("turns", *columns)
    print_row(*["---"] * (len(columns) + 1))
    for start, end in pairwise(edges(count)):
        means = [_mean_and_largest(tokens[start:end]) for tokens in columns.values()]
        print_row(f"{start + 1}-{end}", *means)
    ratios = {name: last_by_second(growth.tokens) for name, growth in compacted.items()}
    grown = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    print(f"\n{'last tenth / second tenth':34} {grown}")
    holds = {**compacted, "model, no compaction": never}
    held = [f"{n} {'yes' if g.knows_the_first_turn else 'no'}" for n, g in holds.items()]
    print(f"{'the last prompt contains turn 1':34}", ", ".join(held))
    for name, growth in compacted.items():
        if ratios[name] > MOST_GROWTH:
            yield f"prompts grow with the {name}: {ratios[name]:.2f}"
        if not growth.knows_the_first_turn:
            yield f"with the {name}, the last prompt does not say that {FACT}"


def edges(count: int) -> list[int]:
    """The boundaries of the tenths of the turns."""
    return [count * n // SPANS for n in range(SPANS + 1)]


def last_by_second(tokens: Sequence[int]) -> float:
    """The mean prompt of the last tenth, divided by that of the second."""
    _, second, *_, last = (mean(tokens[a:b]) for a, b in pairwise(edges(len(tokens))))
    return last / second


def _mean_and_largest(tokens: Sequence[int]) -> str:
    return f"{mean(tokens):,.0f} ({max(tokens):,})" if tokens else "-"


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> int:
    """Measure and print; return 1 if `--check` is given and a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--only", choices=["stores", "prompts"])
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    options = parser.parse_args()
    if options.turns < 20 * SPANS:  # so that the second tenth begins after the first compaction
        parser.error(f"--turns must be at least {20 * SPANS}")
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        if options.only != "prompts":
            missed += report_stores(options.messages, Path(temporary))
            print()
        if options.only != "stores":
            missed += report_prompts(options.turns, Path(temporary))
    print("", *missed, sep="\n")
    return int(bool(missed) and options.check)


if __name__ == "__main__":
    sys.exit(main())
