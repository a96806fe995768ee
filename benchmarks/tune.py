"""Choose the ranking weights on the halves a of LoCoMo and LongMemEval, never on the halves b.

    python benchmarks/tune.py PATH/locomo10.json PATH/locomo_audit_errors.json \
        PATH/longmemeval_s_sample60.json.xz [--oracle PATH/longmemeval_oracle.json.xz]

This is a coordinate search over round numbers. For each weight in turn it tries the next lower and
next higher value in `STEPS`, and keeps one that raises the mean of both sets by at least `WORTH`
and lowers neither. It repeats the round until no step helps. The target is the mean of evidence
recall at 5, at 10, at 20 and inside 1,000 tokens. With `--oracle`, LongMemEval's set also includes
half a of the oracle's questions (see `longmemeval.py`). The memories are built once and then
queried by as many processes as there are cores.

Prints every trial and, at the end, the weights that differ from the defaults.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import Pool
from multiprocessing.pool import Pool as Processes
from pathlib import Path
from statistics import mean

import locomo
import longmemeval
from evidence import Question, share, shown_sources

from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.retrieval.weights import DEFAULT_WEIGHTS, Weights

WORTH = 0.001
STEPS: dict[str, Sequence[float]] = {
    "before": (0.2, 0.3, 0.4, 0.5, 0.6),
    "second_before": (0.2, 0.3, 0.4, 0.5),
    "after": (0.1, 0.2, 0.3, 0.4),
    "second_after": (0.1, 0.2, 0.3),
    "repeated": (0.3, 0.5, 0.7),
    "lecture": (100, 150, 200, 300),
    "length": (0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "saturation": (0.8, 1.2, 1.6, 2.0),
    "session": (0.1, 0.2, 0.3, 0.4, 0.5),
    "date": (1.0, 2.0, 3.0, 4.0),
    "named": (1.5, 2.0, 2.5, 3.0),
    "user": (1.5, 2.0, 2.5, 3.0),
    "dated": (0.0, 0.1, 0.2, 0.3),
    "counted": (0.0, 0.1, 0.2),
    "asking": (0.1, 0.2, 0.3, 0.4),
    "sibling": (0.1, 0.3, 0.5),
    "scene": (0.0, 0.1, 0.2, 0.3),
}
Asked = list[tuple[Path, list[Question]]]


def found_by(db: MemoryDB, question: Question, weights: Weights) -> float:
    """The mean share of the question's evidence at 5, 10, 20 and inside 1,000 tokens."""
    found = recall(db, question.text, limit=40, now=question.asked_at, weights=weights)
    ranked = list(dict.fromkeys(source for hit in found.hits for source in hit.sources))
    shares = [share(ranked[:k], question.evidence) for k in (5, 10, 20)]
    return mean([*shares, share(shown_sources(found, 1_000), question.evidence)])


def found_in(weights: Weights, asked: tuple[Path, list[Question]]) -> list[float]:
    """The share of evidence found for each question of one memory."""
    path, questions = asked
    with MemoryDB(path, read_only=True) as db:
        return [found_by(db, question, weights) for question in questions]


def worth(sets: Sequence[Asked], weights: Weights, processes: Processes) -> list[float]:
    """For each set, the mean share of evidence found over its questions."""
    found_with = partial(found_in, weights)
    return [
        mean(found for memory in processes.imap(found_with, asked) for found in memory)
        for asked in sets
    ]


def is_better(value: Sequence[float], best: Sequence[float]) -> bool:
    """Whether it raises the mean of the sets and lowers none of them."""
    gains = [new - old for new, old in zip(value, best, strict=True)]
    return mean(gains) >= WORTH and min(gains) >= 0.0


def neighbours(name: str, weights: Weights) -> Iterator[Weights]:
    """The weights with the named one a step lower, then a step higher."""
    value = getattr(weights, name)
    lower = [step for step in STEPS[name] if step < value]
    higher = [step for step in STEPS[name] if step > value]
    for step in lower[-1:] + higher[:1]:
        yield Weights(**(weights._asdict() | {name: step}))


def search(sets: Sequence[Asked], processes: Processes) -> Weights:
    """Weights that no single step improves by `WORTH`."""
    weights, best = DEFAULT_WEIGHTS, worth(sets, DEFAULT_WEIGHTS, processes)
    print(f"defaults: {in_words(best)}", flush=True)
    improved = True
    while improved:
        improved = False
        for name in STEPS:
            for tried in neighbours(name, weights):
                value = worth(sets, tried, processes)
                print(f"  {name} = {getattr(tried, name)}: {in_words(value)}", flush=True)
                if is_better(value, best):
                    weights, best, improved = tried, value, True
                    break
    return weights


def in_words(value: Sequence[float]) -> str:
    return " and ".join(f"{share:.4f}" for share in value)


def talks_of_two(path: Path, key: Path, folder: Path) -> Asked:
    """LoCoMo's half a, with each memory in its own file."""
    return [(db.path, questions) for db, questions, *_ in locomo.memories(path, key, folder, "a")]


def chats(path: Path, oracle: Path | None, folder: Path) -> Asked:
    """LongMemEval's half a, and the oracle's if that is given."""
    asked: Asked = []
    for source in [None, oracle] if oracle else [None]:
        for db, questions, *_ in longmemeval.memories(path, "a", source):
            copy = folder / f"chat-{len(asked)}.db"
            db.backup(copy)
            asked.append((copy, questions))
    return asked


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("locomo", type=Path, help="locomo10.json")
    parser.add_argument("key", type=Path, help="locomo_audit_errors.json")
    parser.add_argument("longmemeval", type=Path, help="longmemeval_s_sample60.json.xz")
    parser.add_argument("--oracle", type=Path, help="longmemeval_oracle.json.xz")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, Pool() as processes:
        folder = Path(made)
        sets = [
            talks_of_two(options.locomo, options.key, folder),
            chats(options.longmemeval, options.oracle, folder),
        ]
        weights = search(sets, processes)
        print(f"found: {in_words(worth(sets, weights, processes))}")
    for name, value in weights._asdict().items():
        if value != getattr(DEFAULT_WEIGHTS, name):
            print(f"  {name} = {value}")


if __name__ == "__main__":
    main()
