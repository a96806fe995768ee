"""What share of the evidence a recall finds: the measure that the recall benchmarks share.

The unit is a message. A recollection's hits are mapped to the messages they came from, in their own
order, each counted once. "At k" is the share of a question's evidence messages among the first k;
"inside n tokens" the share among those that `render(n)` shows. The baseline is plain FTS5 with
bm25 over the raw messages in the same run: every word of the question, OR-joined; its context is
the messages in rank order until n tokens are full.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import quantiles

from scenemem.memory_db import MemoryDB
from scenemem.recollection import Recollection, recall
from scenemem.records import Message
from scenemem.text import estimate_tokens, words

KS = (5, 10, 20)
BUDGETS = (500, 1000, 2000)
Measures = dict[str, float]


@dataclass(frozen=True)
class Question:
    """A question, the ids of the messages that hold its answer, and its category."""

    text: str
    evidence: frozenset[int]
    category: str
    half: str
    asked_at: datetime | None = None


@dataclass
class Tally:
    """The mean of each measure, by category and by half."""

    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, question: Question, measures: Measures) -> None:
        for group in ("all", question.category, f"half {question.half}"):
            sums = self.sums.setdefault(group, {})
            self.counts[group] = self.counts.get(group, 0) + 1
            for name, value in measures.items():
                sums[name] = sums.get(name, 0.0) + value

    def rows(self) -> Iterable[tuple[str, int, Measures]]:
        for group in sorted(self.sums, key=lambda g: (g.startswith("half"), g == "all", g)):
            count = self.counts[group]
            yield group, count, {k: v / count for k, v in self.sums[group].items()}


def share(found: Iterable[int], evidence: frozenset[int]) -> float:
    """The share of the evidence that is among the found."""
    return len(evidence & set(found)) / len(evidence)


def of_scenemem(db: MemoryDB, question: Question) -> tuple[Measures, float]:
    """The measures of `recall`, and the CPU seconds it took."""
    start = time.process_time()
    found = recall(db, question.text, limit=64, now=question.asked_at)
    spent = time.process_time() - start
    ranked = list(dict.fromkeys(source for hit in found.hits for source in hit.sources))
    measures = {f"R@{k}": share(ranked[:k], question.evidence) for k in KS}
    for budget in BUDGETS:
        measures[f"B{budget}"] = share(shown_sources(found, budget), question.evidence)
    return measures, spent


def shown_sources(found: Recollection, budget: int) -> list[int]:
    """The messages whose cell or text stands in the rendered context."""
    shown = found.shown(budget)
    context = found.render(budget)
    assert estimate_tokens(context) <= budget
    return [source for hit in shown for source in hit.sources]


class PlainIndex:
    """The baseline: raw messages in an FTS5 table, every word of the question, bm25."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._texts = {message.id: message.content for message in messages}
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE plain USING fts5(content)")
        self._connection.executemany(
            "INSERT INTO plain (rowid, content) VALUES (?, ?)", self._texts.items()
        )

    def measure(self, question: Question) -> tuple[Measures, float]:
        start = time.process_time()
        match = " OR ".join(f'"{word}"' for word in words(question.text))
        ranked = [
            row[0]
            for row in self._connection.execute(
                "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT 200",
                (match or '""',),
            )
        ]
        spent = time.process_time() - start
        measures = {f"R@{k}": share(ranked[:k], question.evidence) for k in KS}
        for budget in BUDGETS:
            measures[f"B{budget}"] = share(self._within(ranked, budget), question.evidence)
        return measures, spent

    def _within(self, ranked: Sequence[int], budget: int) -> list[int]:
        shown, left = [], budget
        for message in ranked:
            left -= estimate_tokens(self._texts[message]) + 8  # its date and speaker
            if left < 0:
                break
            shown.append(message)
        return shown

    def close(self) -> None:
        self._connection.close()


def table(name: str, tally: Tally) -> str:
    """The tally as a Markdown table."""
    columns = [f"R@{k}" for k in KS] + [f"B{b}" for b in BUDGETS]
    lines = [f"| {name} | n | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    for group, count, measures in tally.rows():
        figures = " | ".join(f"{measures[column]:.3f}" for column in columns)
        lines.append(f"| {group} | {count} | {figures} |")
    return "\n".join(lines)


def latency(seconds: Sequence[float]) -> str:
    cuts = quantiles(seconds, n=20)
    return f"CPU per recall: p50 {cuts[9] * 1e3:.2f} ms, p95 {cuts[18] * 1e3:.2f} ms"


def compare(
    memories: Iterable[tuple[MemoryDB, Sequence[Question]]],
    report: Callable[[str], None],
) -> tuple[Tally, Tally]:
    """Ask every question of its memory and of the baseline over the same messages."""
    ours, plain, spent = Tally(), Tally(), list[float]()
    for db, questions in memories:
        baseline = PlainIndex(db.sessions.list_messages())
        for question in questions:
            measures, seconds = of_scenemem(db, question)
            ours.add(question, measures)
            spent.append(seconds)
            plain.add(question, baseline.measure(question)[0])
        baseline.close()
    report(table("scenemem", ours) + "\n\n" + table("plain FTS5, bm25", plain))
    report(latency(spent))
    return ours, plain
