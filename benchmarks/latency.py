"""Recall, insert and cold start compared with what they build on, in one run, as ratios.

    python benchmarks/latency.py [--cells 10000 100000]

The cells are sentences of a made-up conversation: a vocabulary with the long tail of real speech
(Zipf), interspersed with function words. *Raw* is SQLite's FTS5 as you would use it by hand: an
external content table with triggers, the same tokenizer, and the same search expression as scenemem
(without stop words), ordered by bm25, with the ten best rows joined to their text. *As typed* is
the same with every word of the question. The contestants are interleaved and their median CPU times
compared. Cold start compares whole processes.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from scenemem.base.records import CellDraft
from scenemem.base.text import words
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.question import understand
from scenemem.retrieval.recall import recall
from scenemem.store.sought import any_of
from scenemem.store.sqlite.evidence import compiled

QUESTIONS = 100
_COMMON = "the a of to and in we that it is was for on with they at she he this have"
FUNCTION_WORDS = _COMMON.split()
RAW_SCHEMA = """
CREATE TABLE cells (id INTEGER PRIMARY KEY, content TEXT NOT NULL);
CREATE VIRTUAL TABLE cells_fts USING fts5 (content, content = 'cells', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2");
CREATE TRIGGER cells_insert AFTER INSERT ON cells BEGIN
    INSERT INTO cells_fts (rowid, content) VALUES (new.id, new.content);
END;
"""
RAW_QUERY = (
    "WITH top AS MATERIALIZED (SELECT rowid, bm25(cells_fts) AS score FROM cells_fts "
    "WHERE cells_fts MATCH ? ORDER BY score LIMIT 10) "
    "SELECT c.id, c.content, top.score FROM top JOIN cells AS c ON c.id = top.rowid ORDER BY score"
)


def vocabulary(rng: random.Random, size: int = 20_000) -> list[str]:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(size)]


def sentences(rng: random.Random, count: int) -> tuple[list[str], list[str]]:
    """Made-up cells, and questions built from words in some of them."""
    known = vocabulary(rng)
    weights = [1 / (rank + 3) for rank in range(len(known))]
    drawn = iter(rng.choices(known, weights, k=count * 9))
    common = iter(rng.choices(FUNCTION_WORDS, k=count * 8))
    made = []
    for _ in range(count):
        mixed = [next(drawn) for _ in range(9)] + [next(common) for _ in range(8)]
        rng.shuffle(mixed)
        made.append(" ".join(mixed).capitalize() + ".")
    asked = []
    for cell in rng.sample(made, QUESTIONS):
        content = [w for w in words(cell.lower()) if w not in FUNCTION_WORDS]
        asked.append(f"What did we say about the {' and the '.join(rng.sample(content, 3))}?")
    return made, asked


def raw_store(path: Path, made: Sequence[str]) -> tuple[sqlite3.Connection, float]:
    """The cells in plain FTS5, and the CPU seconds taken to insert them in one transaction."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(RAW_SCHEMA)
    start = time.process_time()
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO cells (content) VALUES (?)", ((m,) for m in made))
    connection.execute("COMMIT")
    return connection, time.process_time() - start


def scene_store(path: Path, made: Sequence[str]) -> tuple[MemoryDB, float]:
    """The same cells inserted through the library, in 50 scenes, and the CPU seconds taken."""
    db = MemoryDB(path)
    drafts = [CellDraft(text, scene=f"Scene {n % 50}") for n, text in enumerate(made)]
    start = time.process_time()
    db.cells.insert_cells(drafts)
    return db, time.process_time() - start


def interleaved(
    contestants: dict[str, Callable[[str], object]], asked: Sequence[str]
) -> dict[str, list[float]]:
    """CPU milliseconds of each contestant on each question, interleaved, after one warm-up."""
    spent: dict[str, list[float]] = {name: [] for name in contestants}
    for round_ in range(3):
        for question in asked:
            for name, answer in contestants.items():
                start = time.process_time()
                answer(question)
                if round_:
                    spent[name].append((time.process_time() - start) * 1e3)
    return spent


def p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def compare(count: int, folder: Path) -> None:
    made, asked = sentences(random.Random(7), count)
    raw, raw_seconds = raw_store(folder / f"raw-{count}.db", made)
    db, our_seconds = scene_store(folder / f"scenemem-{count}.db", made)
    expressions = {
        question: compiled(any_of(t.sought for t in understand(question).terms))
        for question in asked
    }
    typed = {q: " OR ".join(f'"{w}"' for w in words(q)) for q in asked}
    spent = interleaved(
        {
            "raw": lambda q: raw.execute(RAW_QUERY, (expressions[q],)).fetchall(),
            "as typed": lambda q: raw.execute(RAW_QUERY, (typed[q],)).fetchall(),
            "scenemem": lambda q: recall(db, q, limit=10),
        },
        asked,
    )
    base = median(spent["raw"])
    print(
        f"{count:,} cells: insert {raw_seconds / our_seconds:.2f} x the raw rate "
        f"({count / our_seconds:,.0f} against {count / raw_seconds:,.0f} cells per CPU-second)"
    )
    for name, values in spent.items():
        print(
            f"  recall, {name:9} p50 {median(values):7.2f} ms, p95 {p95(values):7.2f} ms, "
            f"{median(values) / base:5.2f} x raw"
        )
    size = (folder / f"scenemem-{count}.db").stat().st_size
    text = sum(len(m.encode()) for m in made)
    db.close()
    raw.close()
    size = (folder / f"scenemem-{count}.db").stat().st_size
    print(f"  file: {size / count:.0f} bytes a cell, of which {text / count:.0f} are its text")


def cold_start(folder: Path) -> None:
    path = folder / "scenemem-10000.db"
    if not path.exists():
        return
    question = sentences(random.Random(7), 10_000)[1][0]
    commands = {
        "import click, sqlite3": [sys.executable, "-c", "import click, sqlite3"],
        "scenemem recall": [
            str(Path(sys.executable).with_name("scenemem")),
            "--database",
            str(path),
            "recall",
            question,
        ],
    }
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for round_ in range(16):
        for name, command in commands.items():
            before = getrusage(RUSAGE_CHILDREN)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=env)
            after = getrusage(RUSAGE_CHILDREN)
            if round_:
                used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
                spent[name].append(used * 1e3)
    base, ours = (median(values) for values in spent.values())
    print(
        f"cold start: {ours:.0f} ms against {base:.0f} ms of `import click, sqlite3`, "
        f"{ours / base:.2f} x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for count in options.cells:
            compare(count, Path(folder))
        cold_start(Path(folder))


if __name__ == "__main__":
    main()
