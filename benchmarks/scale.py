"""Recall, intake and file size at 10,000, 100,000 and 1,000,000 cells, with peers in one run.

    python benchmarks/scale.py [--cells 10000 100000 1000000] [--without-messages] [--keep FOLDER]

Every line of a made-up conversation (`made_talk`) is stored as a message and as the cell derived
from it, or, with `--without-messages`, as a cell only. *FTS5* is what you would write by hand over
the same lines: one external-content table with triggers, the same tokenizer, all words of the
question, the ten best by bm25. *Content words* is the same without stop words. tantivy and chroma
run if they are installed (`requirements-peers.txt`). chroma runs up to 10,000 cells, with vectors
of hashed words, so the time a model would take to embed is not measured. Each question, in seven
shapes, is asked of all contestants in turn, after a warm-up. Times are CPU times, the better of two
for each question, because other work on the machine slows both cores.

Intake is timed through the public API in batches of 1,000 lines, including the index merge at the
end, as `ingest_file` does it: `db.cells.insert_cells` (in bulk), with `db.sessions.append_messages`
before it, and, for the first 2,000 lines, `MemoryManager.ingest` and `extract_pending`, where the
embedded engine reads every word.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from statistics import median
from typing import Any

from made_talk import Line, Talk
from scale_peers import PEERS, Peer

from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall

BATCH = 1_000
READ_BY_THE_ENGINE = 2_000
QUESTIONS = 30  # of each shape; above 100,000 cells, where FTS5 by hand takes seconds, 10
SCENES = 400
WHAT_FOR = {
    "messages": "what was said, verbatim",
    "messages_fts": "finds messages by their words",
    "messages_by_time": "messages of a day or a span that is asked for",
    "messages_by_turn": "messages of a turn: extraction, forgetting",
    "sessions": "conversations, by number",
    "sqlite_autoindex_sessions_1": "a session by its name",
    "turns": "the queue of extraction",
    "turns_waiting": "the turns that wait, of which this benchmark leaves all",
    "sqlite_autoindex_turns_1": "a turn that a caller gave an id is stored once",
    "mem_cells": "the cells",
    "mem_cells_fts": "finds cells by their words",
    "mem_cells_by_scene": "cells of a scene, newest first: summaries, listings",
    "mem_cells_by_source": "cells of a message: recall shows them in its place",
    "mem_cells_by_fingerprint": "repeats are told apart on intake",
    "mem_cells_by_day": "cells that speak of a day that is asked for",
    "mem_cells_most_salient": "what is offered when nothing matches",
    "mem_scenes": "scenes, their summaries and counts",
}


def batches(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    for start in range(0, len(lines), BATCH):
        yield lines[start : start + BATCH]


def drafts_of(lines: Sequence[Line]) -> Iterator[tuple[str, list[MessageDraft]]]:
    """The lines as messages, by session."""
    for number, said in groupby(lines, key=lambda line: line.session):
        yield (
            f"talk-{number}",
            [
                MessageDraft(
                    "user" if line.by_user else "assistant", line.text, line.at, line.speaker
                )
                for line in said
            ],
        )


def cell_of(line: Line, source: Source | None = None) -> CellDraft:
    """The line as a cell in its conversation's scene; a tenth of the cells are salient."""
    return CellDraft(
        line.text,
        scene=f"Scene {line.session % SCENES}",
        salience=0.8 if len(line.text) % 10 == 0 else 0.5,
        at=line.at,
        occurred_at=line.day,
        speaker=line.speaker,
        source=source,
    )


def store(db: MemoryDB, lines: Sequence[Line], with_messages: bool) -> float:
    """Store the lines in batches and merge the index; return the CPU seconds it took."""
    start = time.process_time()
    for batch in batches(lines):
        sources: list[Source | None] = [None] * len(batch)
        if with_messages:
            with db.transaction():
                sources = [
                    Source(session, message.id, message.id)
                    for session, drafts in drafts_of(batch)
                    for message in db.sessions.append_messages(session, drafts).messages
                ]
        db.cells.insert_cells(map(cell_of, batch, sources))
    db.merge_index()
    return time.process_time() - start


def read_by_the_engine(lines: Sequence[Line]) -> float:
    """Cells per CPU second that the embedded engine extracts."""
    with MemoryDB() as db:
        manager = MemoryManager(db)
        start = time.process_time()
        for session, drafts in drafts_of(lines):
            manager.ingest(drafts, session=session)
        manager.extract_pending()
        return db.cells.count_cells() / (time.process_time() - start)


def interleaved(
    contestants: dict[str, Callable[[str], object]], questions: dict[str, list[str]]
) -> dict[str, dict[str, list[float]]]:
    """CPU milliseconds by contestant and shape, asking each of them every question three times.

    The first round is a warm-up; the better of the other two counts.
    """
    spent = {name: {shape: list[float]() for shape in questions} for name in contestants}
    loops = []
    for shape, asked in questions.items():
        for question in asked:
            loops.append(_timed(lambda _: sum(n * n for n in range(20_000)), question))
            for name, answer in contestants.items():
                rounds = [_timed(answer, question) for _ in range(3)]
                spent[name][shape].append(min(rounds[1:]))
    slowed = median(loops) / min(loops)
    print(f"\nslowdown by other work: a fixed Python loop took {slowed:.2f} x its best time")
    for name, shapes in spent.items():
        rested = [
            value * min(loops) / loop
            for value, loop in zip(chain(*shapes.values()), loops, strict=True)
        ]
        print(f"  {name}, corrected by the slowdown: {median(rested):.2f} / {p95(rested):.2f} ms")
    return spent


def _timed(answer: Callable[[str], object], question: str) -> float:
    start = time.process_time()
    answer(question)
    return (time.process_time() - start) * 1e3


def p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def report_times(spent: dict[str, dict[str, list[float]]]) -> None:
    names = list(spent)
    print(f"\n| recall, CPU ms p50 / p95 | {' | '.join(names)} |")
    print("|---" * (len(names) + 1) + "|")
    for shape in (*next(iter(spent.values())), "all"):
        row = []
        for name in names:
            shapes = spent[name]
            values = [*chain(*shapes.values())] if shape == "all" else shapes[shape]
            row.append(f"{median(values):.2f} / {p95(values):.2f}")
        print(f"| {shape} | {' | '.join(row)} |")


def report_size(path: Path, lines: Sequence[Line], copies: int) -> None:
    """Print bytes per cell: the closed file, beyond its text, and each table and index."""
    text = sum(len(line.text.encode()) for line in lines) / len(lines)
    total = path.stat().st_size / len(lines)
    print(
        f"\nfile: {total:.0f} bytes a cell, {total - copies * text:.0f} beyond its text "
        f"({copies} x {text:.0f})\n"
    )
    sizes: dict[str, int] = {}
    with sqlite3.connect(path) as connection:
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            for part in ("_data", "_idx", "_docsize", "_config"):
                name = name.removesuffix(part)
            sizes[name] = sizes.get(name, 0) + size
    connection.close()
    print("| table or index | bytes a cell | what it is for |\n|---|---|---|")
    for name, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
        if size / len(lines) >= 0.5:
            print(f"| {name} | {size / len(lines):.1f} | {WHAT_FOR.get(name, '')} |")


def measure(count: int, folder: Path, with_messages: bool) -> None:
    """Measure and print all figures for one size."""
    talk = Talk()
    lines = list(talk.lines(count))
    questions = talk.questions(lines, QUESTIONS if count <= 100_000 else QUESTIONS // 3)
    path = folder / f"scenemem-{count}{'' if with_messages else '-cells'}.db"
    kept = path.exists()
    print(f"\n## {count:,} cells{' and their messages' if with_messages else ''}\n")
    db = MemoryDB(path)
    if not kept:
        seconds = store(db, lines, with_messages)
        how = "append_messages and insert_cells" if with_messages else "insert_cells"
        print(f"intake, cells per CPU second: {how} {count / seconds:,.0f}")
        engine = read_by_the_engine(list(islice(lines, READ_BY_THE_ENGINE)))
        print(f"  extracted by the embedded engine: {engine:,.0f}")
    contestants: dict[str, Callable[[str], Any]] = {
        "scenemem": lambda q: recall(db, q),
        "its ten best": lambda q: recall(db, q, limit=10),
    }
    opened: list[Peer] = []
    for name, open_peer in PEERS.items():
        peer = open_peer(folder / f"{name}-{count}")
        if peer is None:
            continue
        seconds = peer.fill([line.text for line in lines])
        if seconds:
            print(f"  {name}: {count / seconds:,.0f}")
        contestants[name] = peer.search
        opened.append(peer)
    bounded = sum(not recall(db, q).exact for asked in questions.values() for q in asked)
    report_times(interleaved(contestants, questions))
    asked = sum(map(len, questions.values()))
    print(f"\nquestions answered by a bounded search: {bounded} of {asked}")
    db.close()
    for peer in opened:
        peer.close()
    report_size(path, lines, 2 if with_messages else 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--without-messages", action="store_true", help="store cells only")
    parser.add_argument("--keep", type=Path, help="keep the stores in this folder and reuse them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        for count in options.cells:
            measure(count, folder, not options.without_messages)


if __name__ == "__main__":
    main()
