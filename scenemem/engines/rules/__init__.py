"""The embedded engine: reads and writes language for the memory without a language model.

Deterministic, private, instant. Statements are cut out of what was said, typed by cues and weighed
by information (`extraction`), placed into scenes by lexical cohesion and named by their distinctive
terms (`scenes`, `naming`), summarised by extraction (`summaries`) and quoted in replies
(`replies`), which also carry out plain commands (`commands`). Dates are resolved against the day on
which they were said.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from scenemem.base.checks import int_given
from scenemem.base.records import Cell, CellDraft, Message, Scene
from scenemem.base.session_records import Exchange
from scenemem.engines.engine import (
    LEAST_SUMMARY_WORDS,
    SUMMARY_WORDS,
    Economy,
    Extraction,
    MemoryView,
    Prompt,
    Reply,
    SceneSummary,
)
from scenemem.engines.rules.change import (
    Claim,
    claims_of,
    clashes,
    may_replace,
    speaks_of_change,
)
from scenemem.engines.rules.condensing import condense
from scenemem.engines.rules.extraction import draft_cells, is_grave
from scenemem.engines.rules.naming import name_for, propose_name
from scenemem.engines.rules.scenes import SceneIndex
from scenemem.engines.rules.summaries import summarize

__all__ = ["EmbeddedEngine"]

_LEARNED_AT_FIRST = 20_000  # newest cells from which the scenes are learned when a memory is opened
_PAGE = 2_000
_RELATED = 8  # stored cells that are looked at for what a new one replaces
_BATCH_LOOKED_AT = 300  # and drafts of the same batch, which are not stored yet


class EmbeddedEngine:
    """The engine that needs no model, no key and no network.

    It keeps, for each memory it works for, an index of the scenes in it, learned from the stored
    cells and kept current; several threads may use one engine. A scene's summary has at most
    `summary_words`.
    """

    name = "embedded"
    quotes_memory = True

    def __init__(self, *, summary_words: int = SUMMARY_WORDS) -> None:
        int_given("summary_words", summary_words, LEAST_SUMMARY_WORDS)
        self.economy = Economy(summary_words=summary_words)
        self._scenes: WeakKeyDictionary[MemoryView, _Scenes] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        """The cells of each exchange: typed, weighed, dated, placed into scenes."""
        drafts = [draft_cells(exchange) for exchange in exchanges]
        flat = [draft for of_one in drafts for draft in of_one]
        with self._lock:
            known = self._scenes.setdefault(memory, _Scenes())
            known.catch_up(memory)
            names = iter(known.index.place(flat))
        changes = _Changes(memory)
        return [
            Extraction(
                exchange.id,
                tuple(changes.noted(draft._replace(scene=next(names))) for draft in of_one),
            )
            for exchange, of_one in zip(exchanges, drafts, strict=True)
        ]

    def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
        """An extractive summary, and a better name where the cells tell one."""
        return SceneSummary(
            summarize(scene.scene, cells, self.economy.told_words), propose_name(cells)
        )

    def merges(self, scenes: Sequence[str], memory: MemoryView) -> list[tuple[str, str]]:
        """Small scenes that belong into another one, as far as their words tell."""
        with self._lock:
            index = self._scenes.setdefault(memory, _Scenes()).index
            merges = index.merges(scenes)
            for scene, into in merges:
                index.rename(scene, into)
        return merges

    def relearn(self, memory: MemoryView) -> None:
        """Drop the index of a memory's scenes; it is learned anew from the stored cells."""
        with self._lock:
            self._scenes.pop(memory, None)

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """The statements that tell most, and the latest, after those of `previous`."""
        return condense(messages, previous)

    def statements(self, exchange: Exchange, *, framed: bool = False) -> list[CellDraft]:
        """What people state in an exchange, typed, weighed and dated, without a scene."""
        return draft_cells(exchange, framed=framed)

    def name_scene(self, texts: Sequence[str], is_refused: Callable[[str], bool]) -> str:
        """The best name for the scene of these statements that is not refused."""
        return name_for(texts, None, frozenset(), is_refused)

    def is_grave(self, statement: str) -> bool:
        """Whether a statement speaks of health, life and death, deadlines, and the like."""
        return is_grave(statement)

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The calls of the offered tools that plain commands ask for, else the answer: what the
        tools said, a saved fact, or what is remembered, quoted.
        """
        from scenemem.engines.rules.replies import (
            reply_to,  # many patterns, which extraction needs not
        )

        return reply_to(prompt, tools)


class _Scenes:
    """The scene index of one memory, and how far into its cells it has read."""

    def __init__(self) -> None:
        self.index = SceneIndex()
        self._read_to: int | None = None

    def catch_up(self, memory: MemoryView) -> None:
        """Learn the cells that were stored since, whoever stored them."""
        if self._read_to is None:
            cells = memory.recent_cells(_LEARNED_AT_FIRST)
            self.index.learn(cells)
            self._read_to = cells[-1].id if cells else 0
        while cells := memory.cells_after(self._read_to, _PAGE):
            self.index.learn(cells)
            self._read_to = cells[-1].id


class _Changes:
    """Which cells new drafts take the place of, among the stored ones and those of the batch."""

    def __init__(self, memory: MemoryView) -> None:
        self._memory = memory
        self._batch: list[tuple[CellDraft, tuple[Claim, ...]]] = []

    def noted(self, draft: CellDraft) -> CellDraft:
        """The draft, with what it supersedes."""
        claims = claims_of(draft.content)
        if not claims:
            return draft
        older = tuple(self._replaced(draft, claims)) if may_replace(draft.content) else ()
        self._batch.append((draft, claims))
        return draft._replace(supersedes=older) if older else draft

    def _replaced(self, draft: CellDraft, claims: Sequence[Claim]) -> Iterator[int | str]:
        if speaks_of_change(claims):
            for cell in self._memory.related_cells(draft.content, _RELATED):
                is_older = draft.at is None or cell.created_at <= draft.at
                if (
                    is_older
                    and cell.speaker == draft.speaker
                    and clashes(claims, claims_of(cell.content))
                ):
                    yield cell.id
        for earlier, claimed in self._batch[-_BATCH_LOOKED_AT:]:
            is_older = draft.at is None or earlier.at is None or earlier.at <= draft.at
            if is_older and earlier.speaker == draft.speaker and clashes(claims, claimed):
                yield earlier.content
