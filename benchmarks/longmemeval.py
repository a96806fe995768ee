"""Evidence recall on LongMemEval_S, asking each question of its own haystack.

    python benchmarks/longmemeval.py PATH/longmemeval_s_sample60.json.xz [--half b]
        [--oracle PATH/longmemeval_oracle.json.xz] [--peers bm25s,minilm] [--embedder static]

The file holds `questions` (with `haystack_session_ids`, `haystack_dates`, `question_date` and
`has_answer`, which lists the evidence turns by session) and `sessions` by id. Questions without
evidence (abstentions) are skipped. Besides the shares of evidence messages, it prints the share of
questions with an evidence session among the first five sessions recalled. "half a" holds the
questions whose id has an even checksum (CRC-32), on which parameters may be chosen (`tune.py`). For
`--peers` see `recall_peers.py`; those with MiniLM take half an hour of CPU or more. For
`--embedder` (recall by meaning as well) see `embedders.py`.

The sample has 55 questions with evidence. `--oracle` asks others instead: up to 24 of each type
from LongMemEval's oracle split, where a question comes with its evidence sessions only. 44 of the
sample's sessions, drawn by the question's id, are added around them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import embedders
from evidence import Haystack, Question, compare
from recall_peers import add_option, made

from scenemem.base.records import MessageDraft
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.embedding import Embedder
from scenemem.retrieval.recall import recall

OF_EACH_TYPE = 24  # questions from the oracle split
OTHERS = 44  # sessions added to those with the evidence, as in the sample


def instant(text: str) -> datetime:
    """ "2023/05/30 (Tue) 23:40" as an instant."""
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def memory_of(
    entry: dict[str, Any], sessions: dict[str, Any], embedder: Embedder | None = None
) -> tuple[MemoryDB, frozenset[int]]:
    """A memory of one question's haystack, and the ids of its evidence messages."""
    db = MemoryDB(embedder=embedder)
    manager = MemoryManager(db)
    evidence: set[int] = set()
    dated = zip(entry["haystack_dates"], entry["haystack_session_ids"], strict=True)
    for told, session in sorted(dated):
        drafts = [MessageDraft(turn["role"], turn["content"]) for turn in sessions[session]]
        appended = manager.ingest(drafts, session=session, at=instant(told))
        marked = entry["has_answer"].get(session, ())
        evidence.update(appended.messages[place].id for place in marked)
    manager.extract_pending()
    manager.consolidate_stale()
    return db, frozenset(evidence)


def found_session(db: MemoryDB, question: Question) -> bool:
    """Whether an evidence session is among the first five sessions of the recollection."""
    found = recall(db, question.text, limit=64, now=question.asked_at)
    sessions = dict.fromkeys(source >> 24 for hit in found.hits for source in hit.sources)
    return bool({message >> 24 for message in question.evidence} & set(list(sessions)[:5]))


def half_of(entry: dict[str, Any]) -> str:
    """The half a question belongs to, by its id."""
    return "ab"[zlib.crc32(entry["question_id"].encode()) % 2]


def read(path: Path) -> Any:
    with lzma.open(path) as file:
        return json.load(file)


def around(entry: dict[str, Any], sample: dict[str, Any]) -> dict[str, Any]:
    """An oracle question in the sample's form, with its haystack drawn from the sample."""
    draw = random.Random(entry["question_id"])
    dates = sorted({date for known in sample["questions"] for date in known["haystack_dates"]})
    own = entry["haystack_session_ids"]
    others = draw.sample(sorted(sample["sessions"].keys() - set(own)), OTHERS)
    told = zip(own, entry["haystack_sessions"], strict=True)
    marked = {
        session: [place for place, turn in enumerate(turns) if turn.get("has_answer")]
        for session, turns in told
    }
    return entry | {
        "haystack_session_ids": [*own, *others],
        "haystack_dates": [*entry["haystack_dates"], *(draw.choice(dates) for _ in others)],
        "has_answer": marked,
    }


def entries(path: Path, oracle: Path | None) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The questions, each with the sessions its haystack names."""
    sample = read(path)
    if oracle is None:
        yield from ((entry, sample["sessions"]) for entry in sample["questions"])
        return
    known = {entry["question_id"] for entry in sample["questions"]}
    taken: Counter[str] = Counter()
    for entry in sorted(read(oracle), key=lambda entry: zlib.crc32(entry["question_id"].encode())):
        kind = entry["question_type"]
        if entry["question_id"] not in known and taken[kind] < OF_EACH_TYPE:
            own = zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
            laid = around(entry, sample)
            taken[kind] += any(laid["has_answer"].values())
            yield laid, sample["sessions"] | dict(own)


def memories(
    path: Path,
    half: str | None = None,
    oracle: Path | None = None,
    embedder: Embedder | None = None,
) -> Iterator[Haystack]:
    """The memory of each question's haystack, and the question, for one half or both."""
    for entry, sessions in entries(path, oracle):
        if not any(entry["has_answer"].values()) or half not in (None, half_of(entry)):
            continue
        start = time.process_time()
        db, evidence = memory_of(entry, sessions, embedder)
        seconds = time.process_time() - start
        question = Question(
            entry["question"],
            evidence,
            entry["question_type"],
            half_of(entry),
            instant(entry["question_date"]),
        )
        with db:
            yield Haystack(db, [question], seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("path", type=Path, help="longmemeval_s_sample60.json.xz")
    parser.add_argument("--half", choices=["a", "b"], help="ask only the questions in this half")
    parser.add_argument("--oracle", type=Path, help="ask the questions in this file instead")
    add_option(parser)
    embedders.add_option(parser)
    options = parser.parse_args()
    sessions_found: list[bool] = []

    def asked() -> Iterator[Haystack]:
        embedder = embedders.made(options.embedder)
        for haystack in memories(options.path, options.half, options.oracle, embedder):
            sessions_found.append(found_session(haystack.db, haystack.questions[0]))
            yield haystack

    with made(options.peers) as peers:
        compare(asked(), peers, print)
    print(f"session among the first five: {sum(sessions_found) / len(sessions_found):.3f}")


if __name__ == "__main__":
    main()
