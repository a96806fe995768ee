"""Evidence recall on MemoryBank's probing questions, in Chinese and in English.

    python benchmarks/memorybank.py PATH/memorybank

The folder holds `memory_bank_cn.json`, `memory_bank_en.json` and `evidence.json`, which says for
each question which exchanges answer it. The unit here is an exchange: a hit counts for the
exchange that its messages belong to. Only questions after facts are asked, each of its own user's
memory.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evidence import share

from scenemem.manager import MemoryManager
from scenemem.memory_db import MemoryDB
from scenemem.recollection import recall
from scenemem.records import MessageDraft

KS = (1, 5, 10)


def memory_of(history: dict[str, Any]) -> tuple[MemoryDB, dict[str, int], datetime]:
    """A user's memory, the turn of each exchange by "<day>.<index>", and the day after the last."""
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
            appended = manager.ingest(drafts, session_id=day, at=at)
            turns[f"{day}.{number}"] = appended.messages[0].turn
    manager.extract_pending()
    return db, turns, at + timedelta(days=1)


def questions_of(folder: Path, language: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    by_user: dict[str, list[dict[str, Any]]] = {}
    for entry in json.loads((folder / "evidence.json").read_text()):
        if entry["kind"] == "fact":
            by_user.setdefault(entry[f"user_{language}"].strip(), []).append(entry)
    yield from by_user.items()


def measure(folder: Path, language: str) -> None:
    banks = json.loads((folder / f"memory_bank_{language}.json").read_text())
    histories = {user.strip(): bank["history"] for user, bank in banks.items()}
    sums, count = dict.fromkeys(KS, 0.0), 0
    for user, entries in questions_of(folder, language):
        db, turns, now = memory_of(histories[user])
        with db:
            for entry in entries:
                evidence = frozenset(turns[e] for e in entry["evidence"] if e in turns)
                if not evidence:
                    continue
                found = recall(db, entry[f"question_{language}"], limit=40, now=now)
                messages = db.sessions.get_messages(s for hit in found.hits for s in hit.sources)
                ranked = list(
                    dict.fromkeys(messages[s].turn for hit in found.hits for s in hit.sources)
                )
                count += 1
                for k in KS:
                    sums[k] += share(ranked[:k], evidence)
    figures = ", ".join(f"R@{k} {sums[k] / count:.3f}" for k in KS)
    print(f"{language}: {count} questions, {figures}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder memorybank")
    options = parser.parse_args()
    for language in ("cn", "en"):
        measure(options.folder, language)


if __name__ == "__main__":
    main()
