"""Evidence recall on LoCoMo, through `recall()` over memories built by the embedded engine.

    python benchmarks/locomo.py PATH/locomo10.json [--key PATH/locomo_audit_errors.json] [--half b]
        [--peers bm25s,minilm] [--embedder static]

Asks the questions of categories 1 to 4 (1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop);
`--key` uses the evidence as corrected by the locomo-audit project. Also prints how each
conversation's cells are distributed over its scenes. "half a" holds the conversations with even
numbers, on which parameters may be chosen (`tune.py`); "half b" holds the others. For `--peers` see
`recall_peers.py`; for `--embedder` (recall by meaning as well) see `embedders.py`.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import embedders
from evidence import Haystack, Question, compare
from recall_peers import add_option, made

from scenemem.memory.ingestion import ingest_file
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.embedding import Embedder

CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop"}
_DIALOGUE_ID = re.compile(r"D:?(\d+):0*(\d+)")


def questions_of(
    sample: dict[str, Any], number: int, corrected: dict[str, list[str]], ids: dict[str, int]
) -> Iterator[Question]:
    """The scored questions of one conversation; `ids` maps dialogue ids to message ids."""
    for position, qa in enumerate(sample["qa"]):
        if qa["category"] not in CATEGORIES:
            continue
        cited = corrected.get(f"locomo_{number}_qa{position}") or qa["evidence"]
        named = {
            f"D{match[1]}:{match[2]}" for text in cited for match in _DIALOGUE_ID.finditer(text)
        }
        evidence = frozenset(ids[name] for name in named if name in ids)
        if evidence:
            half = half_of(sample)
            yield Question(qa["question"], evidence, CATEGORIES[qa["category"]], half)


def half_of(sample: dict[str, Any]) -> str:
    """The half a conversation belongs to, by its number: "conv-26" is in half a."""
    return "ab"[int(sample["sample_id"].rpartition("-")[2]) % 2]


def ingested(sample: dict[str, Any], folder: Path, embedder: Embedder | None = None) -> MemoryDB:
    """A memory of one conversation, ingested as a user would ingest it."""
    file = folder / "sample.json"
    file.write_text(json.dumps([sample]))
    db = MemoryDB(folder / f"{sample['sample_id']}.db", embedder=embedder)
    ingest_file(MemoryManager(db), file)
    return db


def sizes(db: MemoryDB, name: str) -> str:
    """How one conversation's cells are distributed over its scenes, as a table row."""
    counts = sorted(scene.cells for scene in db.scenes.list_scenes())
    total = sum(counts)
    single = sum(1 for count in counts if count == 1)
    return (
        f"| {name} | {len(db.sessions.list_messages())} | {total} | {len(counts)} | "
        f"{median(counts):g} | {counts[-1]} ({counts[-1] / total:.0%}) | {single} |"
    )


def memories(
    path: Path,
    key: Path | None,
    folder: Path,
    half: str | None = None,
    embedder: Embedder | None = None,
) -> Iterator[Haystack]:
    """Each conversation's memory, built in `folder`, and its questions, for one half or both."""
    corrected = {}
    if key:
        audited = json.loads(key.read_text())
        corrected = {entry["question_id"]: entry["correct_evidence"] for entry in audited}
    for number, sample in enumerate(json.loads(path.read_text())):
        if half in (None, half_of(sample)):
            start = time.process_time()
            with ingested(sample, folder, embedder) as db:
                seconds = time.process_time() - start
                messages = db.sessions.list_messages()
                ids = {m.external_id: m.id for m in messages if m.external_id}
                yield Haystack(db, list(questions_of(sample, number, corrected, ids)), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path, help="locomo10.json")
    parser.add_argument("--key", type=Path, help="locomo_audit_errors.json: corrected evidence")
    parser.add_argument("--half", choices=["a", "b"], help="ask only the questions in this half")
    parser.add_argument("--keep", type=Path, help="keep the memories in this folder")
    add_option(parser)
    embedders.add_option(parser)
    options = parser.parse_args()
    print("| conversation | messages | cells | scenes | median | largest | of one cell |")
    print("|---|---|---|---|---|---|---|")
    start = time.process_time()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)

        def shown() -> Iterator[Haystack]:
            asked_of = options.path, options.key, folder, options.half
            for haystack in memories(*asked_of, embedders.made(options.embedder)):
                db = haystack.db
                print(sizes(db, db.path.stem), flush=True)
                yield haystack

        with made(options.peers) as peers:
            found = list[str]()
            compare(shown(), peers, found.append)
        print("\n" + "\n".join(found))
    print(f"CPU in all: {time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
