"""Evidence recall on MemoryBank's probing questions, in Chinese and in English.

    python benchmarks/memorybank.py PATH/memorybank [--peers bm25s,minilm]

The folder holds `memory_bank_cn.json`, `memory_bank_en.json` and `evidence.json`, which says for
each question which exchanges answer it. The unit here is an exchange: a hit counts towards the
exchange its messages belong to. Only questions about facts are asked, each of its own user's
memory. For `--peers` see `recall_peers.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evidence import Haystack, Question, compare
from recall_peers import add_option, made

from scenemem.base.records import MessageDraft
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB

KS = (1, 5, 10)


def memory_of(history: dict[str, Any]) -> tuple[MemoryDB, dict[str, int], datetime]:
    """A user's memory, each exchange's turn by "<day>.<index>", and the day after the last one."""
    db = MemoryDB()
    manager = MemoryManager(db)
    turns: dict[str, int] = {}
    at = datetime.min.replace(tzinfo=UTC)
    for day, exchanges in sorted(history.items()):
        at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        for number, exchange in enumerate(exchanges):
            drafts = [
                MessageDraft("user", exchange["query"]),
                MessageDraft("assistant", exchange["response"]),
            ]
            appended = manager.ingest(drafts, session=day, at=at)
            turns[f"{day}.{number}"] = appended.messages[0].turn
    manager.extract_pending()
    return db, turns, at + timedelta(days=1)


def questions_of(folder: Path, language: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    by_user: dict[str, list[dict[str, Any]]] = {}
    for entry in json.loads((folder / "evidence.json").read_text()):
        if entry["kind"] == "fact":
            by_user.setdefault(entry[f"user_{language}"].strip(), []).append(entry)
    yield from by_user.items()


def memories(folder: Path, language: str) -> Iterator[Haystack]:
    """Each user's memory in one language, with its questions; the units are turns."""
    banks = json.loads((folder / f"memory_bank_{language}.json").read_text())
    histories = {user.strip(): bank["history"] for user, bank in banks.items()}
    for user, entries in questions_of(folder, language):
        start = time.process_time()
        db, turns, now = memory_of(histories[user])
        seconds = time.process_time() - start
        with db:
            asked = [(entry, [e for e in entry["evidence"] if e in turns]) for entry in entries]
            questions = [
                Question(
                    entry[f"question_{language}"],
                    frozenset(turns[exchange] for exchange in exchanges),
                    asked_at=now,
                )
                for entry, exchanges in asked
                if exchanges
            ]
            units = {message.id: message.turn for message in db.sessions.list_messages()}
            yield Haystack(db, questions, seconds, units)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="the memorybank folder")
    add_option(parser)
    options = parser.parse_args()
    with made(options.peers) as peers:
        for language in ("cn", "en"):
            print(f"\n## {language}\n")
            compare(memories(options.folder, language), peers, print, KS)


if __name__ == "__main__":
    main()
