"""Evidence recall: the share of a question's evidence that is found, for all recall benchmarks.

The unit is a message, unless the haystack maps messages to other units. The hits of a recollection
are mapped to their source messages in rank order, and each unit counts once. "At k" is the share of
a question's evidence among the first k units; "inside n tokens" is the share among what `render(n)`
shows. Each peer in `recall_peers.py` answers the same questions over the same messages in the same
run; its context is its messages in rank order, up to n tokens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from recall_peers import Peer

from scenemem.base.records import Message
from scenemem.base.text import estimate_tokens
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.retrieval.recollection import Recollection

KS = (5, 10, 20)
BUDGETS = (500, 1000, 2000)
MOST_HITS = 64  # requested from scenemem: more than 2,000 tokens can hold
MOST_MESSAGES = 200  # requested from each peer
DATE_AND_SPEAKER = 8  # tokens
Measures = dict[str, float]


@dataclass(frozen=True)
class Question:
    """A question, the units that hold its answer, and the groups it counts towards."""

    text: str
    evidence: frozenset[int]
    category: str | None = None
    half: str | None = None
    asked_at: datetime | None = None

    @property
    def groups(self) -> Iterable[str]:
        yield "all"
        if self.category:
            yield self.category
        if self.half:
            yield f"half {self.half}"


class Haystack(NamedTuple):
    """A memory, the questions to ask it, and the CPU seconds it took to build.

    `units` maps message ids to units where the unit is not the message itself.
    """

    db: MemoryDB
    questions: list[Question]
    seconds: float
    units: Mapping[int, int] | None = None


@dataclass
class Tally:
    """The mean of each measure, by category and by half."""

    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, question: Question, measures: Measures) -> None:
        for group in question.groups:
            sums = self.sums.setdefault(group, {})
            self.counts[group] = self.counts.get(group, 0) + 1
            for name, value in measures.items():
                sums[name] = sums.get(name, 0.0) + value

    def rows(self) -> Iterable[tuple[str, int, Measures]]:
        for group in sorted(self.sums, key=lambda g: (g.startswith("half"), g == "all", g)):
            yield group, self.counts[group], self.means(group)

    def means(self, group: str) -> Measures:
        return {name: value / self.counts[group] for name, value in self.sums[group].items()}


@dataclass
class Score:
    """One system's results, and the CPU seconds it took to index and to answer each question."""

    name: str
    tally: Tally = field(default_factory=Tally)
    indexing: float = 0.0
    answering: list[float] = field(default_factory=list)


class Found(NamedTuple):
    """The messages found for a question in rank order, and those that fit each budget."""

    ranked: Sequence[int]
    shown: Mapping[int, Sequence[int]]
    seconds: float


def share(found: Iterable[int], evidence: frozenset[int]) -> float:
    """The share of the evidence that was found."""
    return len(evidence & set(found)) / len(evidence)


def of_scenemem(db: MemoryDB, question: Question) -> Found:
    """What `recall` finds."""
    start = time.process_time()
    found = recall(db, question.text, limit=MOST_HITS, now=question.asked_at)
    seconds = time.process_time() - start
    ranked = [source for hit in found.hits for source in hit.sources]
    return Found(ranked, {budget: shown_sources(found, budget) for budget in BUDGETS}, seconds)


def shown_sources(found: Recollection, budget: int) -> list[int]:
    """The messages whose cell or text appears in the rendered context."""
    shown = found.shown(budget)
    context = found.render(budget)
    assert estimate_tokens(context) <= budget
    return [source for hit in shown for source in hit.sources]


def of_peer(peer: Peer, texts: Mapping[int, str], question: Question) -> Found:
    """What a peer finds among the messages it has indexed; `texts` maps ids to texts."""
    start = time.process_time()
    ranked = peer.search(question.text, MOST_MESSAGES)
    seconds = time.process_time() - start
    return Found(ranked, {budget: fitting(ranked, texts, budget) for budget in BUDGETS}, seconds)


def fitting(ranked: Sequence[int], texts: Mapping[int, str], budget: int) -> list[int]:
    """The first messages that fit the token budget."""
    shown, left = [], budget
    for message in ranked:
        left -= estimate_tokens(texts[message]) + DATE_AND_SPEAKER
        if left < 0:
            break
        shown.append(message)
    return shown


def measures_of(
    found: Found, question: Question, units: Mapping[int, int] | None, ks: Sequence[int]
) -> Measures:
    """The share of the question's evidence among the first k units and inside each budget."""

    def counted(messages: Iterable[int]) -> list[int]:
        return list(dict.fromkeys(units[m] if units else m for m in messages))

    ranked = counted(found.ranked)
    measures = {f"R@{k}": share(ranked[:k], question.evidence) for k in ks}
    for budget, shown in found.shown.items():
        measures[f"B{budget}"] = share(counted(shown), question.evidence)
    return measures


def answer(
    score: Score, haystack: Haystack, ask: Callable[[Question], Found], ks: Sequence[int]
) -> None:
    """Ask one system all questions of a haystack and add the results to its score."""
    for question in haystack.questions:
        found = ask(question)
        score.answering.append(found.seconds)
        score.tally.add(question, measures_of(found, question, haystack.units, ks))


def index(peer: Peer, messages: Sequence[Message]) -> float:
    """Index these messages in a peer; return the CPU seconds it took."""
    start = time.process_time()
    peer.index(messages)
    return time.process_time() - start


def compare(
    haystacks: Iterable[Haystack],
    peers: Sequence[Peer],
    report: Callable[[str], None],
    ks: Sequence[int] = KS,
) -> list[Score]:
    """Ask the memory and each peer every question; report one table each, then a summary."""
    ours, theirs = Score("scenemem"), [Score(peer.name) for peer in peers]
    for haystack in haystacks:
        db, messages = haystack.db, haystack.db.sessions.list_messages()
        texts = {message.id: message.content for message in messages}
        ours.indexing += haystack.seconds
        answer(ours, haystack, partial(of_scenemem, db), ks)
        for peer, score in zip(peers, theirs, strict=True):
            score.indexing += index(peer, messages)
            answer(score, haystack, partial(of_peer, peer, texts), ks)
    scores = [ours, *theirs]
    for score in scores:
        report(table(score, ks) + "\n")
    report(summary(scores, ks))
    return scores


def columns(ks: Sequence[int]) -> list[str]:
    return [f"R@{k}" for k in ks] + [f"B{budget}" for budget in BUDGETS]


def table(score: Score, ks: Sequence[int]) -> str:
    """One system's results by category and half, as a Markdown table."""
    lines = [f"| {score.name} | n | {' | '.join(columns(ks))} |"]
    lines.append("|---" * (len(columns(ks)) + 2) + "|")
    for group, count, measures in score.tally.rows():
        figures = " | ".join(f"{measures[column]:.3f}" for column in columns(ks))
        lines.append(f"| {group} | {count} | {figures} |")
    return "\n".join(lines)


def summary(scores: Sequence[Score], ks: Sequence[int]) -> str:
    """All systems over all questions, with their CPU times, as a Markdown table."""
    names = [*columns(ks), "CPU ms a query, p50 / p95", "CPU s to index"]
    lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for score in scores:
        means = score.tally.means("all")
        figures = " | ".join(f"{means[column]:.3f}" for column in columns(ks))
        middle, high = (quantile(score.answering, part) * 1e3 for part in (0.5, 0.95))
        lines.append(
            f"| {score.name} | {figures} | {middle:.2f} / {high:.2f} | {score.indexing:.1f} |"
        )
    return "\n".join(lines)


def quantile(seconds: Sequence[float], part: float) -> float:
    """The value below which this part of the values lies."""
    return sorted(seconds)[min(int(part * len(seconds)), len(seconds) - 1)]
