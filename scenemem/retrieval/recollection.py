"""What a recall returns: hits, best first, their scenes, and how they render for a prompt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scenemem.base.checks import int_given
from scenemem.base.errors import DatabaseError
from scenemem.base.records import Cell, Message, Scene
from scenemem.retrieval.question import Question

if TYPE_CHECKING:
    from scenemem.retrieval.render import Context

__all__ = ["Hit", "RecalledScene", "Recollection", "cell_as_dict"]


class Hit(NamedTuple):
    """One thing recalled: a cell, or a message that no cell was made from.

    `score` orders the hits; `parts` are the parts it is made of, by name.
    """

    score: float
    parts: dict[str, float]
    cell: Cell | None = None
    message: Message | None = None

    @property
    def text(self) -> str:
        """What was remembered or said."""
        return self.cell.content if self.cell else self._said.content

    @property
    def at(self) -> datetime:
        """When it was said."""
        return self.cell.created_at if self.cell else self._said.at

    @property
    def scene(self) -> str | None:
        """The scene it belongs to; None for a message."""
        return self.cell.scene if self.cell else None

    @property
    def speaker(self) -> str | None:
        """Who said it, if known."""
        return self.cell.speaker if self.cell else self._said.speaker

    @property
    def sources(self) -> tuple[int, ...]:
        """The ids of the messages it came from."""
        if self.message:
            return (self.message.id,)
        source = self.cell.source if self.cell else None
        return tuple(range(source.first, source.last + 1)) if source else ()

    @property
    def _said(self) -> Message:
        assert self.message is not None
        return self.message


class RecalledScene(NamedTuple):
    """A scene and those of its cells that were recalled, best first."""

    scene: Scene
    cells: tuple[Cell, ...]


class Recollection:
    """What a recall found: `hits`, best first, and their scenes. Immutable.

    It is empty (and false) if nothing matched; `fallback` may then hold the most salient cells,
    which are not matches. `exact` is True if every matching row was scored.
    """

    def __init__(
        self,
        query: str,
        hits: tuple[Hit, ...] = (),
        fallback: tuple[Cell, ...] = (),
        *,
        question: Question | None = None,
        exact: bool = True,
        reserve: tuple[Hit, ...] = (),
        scenes: Mapping[str, Scene] | None = None,
        read_messages: Callable[[Iterable[int]], Mapping[int, Message]] | None = None,
    ) -> None:
        self.query = query
        self.hits = hits
        self.fallback = fallback
        self.question = question
        self.exact = exact
        self._reserve = reserve
        self._scenes = scenes or {}
        self._read_messages = read_messages

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The recalled cells, best first."""
        return tuple(hit.cell for hit in self.hits if hit.cell)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The recalled messages that no cell was made from (yet), best first."""
        return tuple(hit.message for hit in self.hits if hit.message)

    @cached_property
    def scenes(self) -> tuple[RecalledScene, ...]:
        """The scenes of the recalled cells, in the order of their best cell."""
        by_scene: dict[str, list[Cell]] = {}
        for cell in self.cells:
            by_scene.setdefault(cell.scene, []).append(cell)
        return tuple(
            RecalledScene(self._scenes[name], tuple(cells))
            for name, cells in by_scene.items()
            if name in self._scenes
        )

    def render(self, budget: int = 1000) -> str:
        """The recollection as text for a prompt, in at most `budget` tokens (estimated).

        Lines are dated and grouped by scene, and marked as information rather than instructions;
        the text says how much was left out. If no limit was given to `recall`, further matches
        fill the budget.
        """
        return self._context(budget).text

    def shown(self, budget: int = 1000) -> tuple[Hit, ...]:
        """The hits that `render(budget)` shows, best first."""
        int_given("budget", budget, 1)
        if not self.hits:
            return ()
        ranked = self.hits + self._reserve
        return tuple(ranked[rank] for rank in self._context(budget).shown)

    def without_messages(self, messages: Collection[int]) -> Recollection:
        """The same without what came only from these messages, which are shown elsewhere."""

        def is_news(hit: Hit) -> bool:
            return not hit.sources or not all(number in messages for number in hit.sources)

        return Recollection(
            self.query,
            tuple(filter(is_news, self.hits)),
            self.fallback,
            question=self.question,
            exact=self.exact,
            reserve=tuple(filter(is_news, self._reserve)),
            scenes=self._scenes,
            read_messages=self._read_messages,
        )

    def _context(self, budget: int) -> Context:
        from scenemem.retrieval.render import assemble, grouped  # most recalls render nothing

        int_given("budget", budget, 1)
        if self.hits:
            found = [(h.scene, h.at, h.text, h.speaker) for h in self.hits + self._reserve]
            return assemble(grouped(found, self._scenes), budget, self.terms)
        salient = [(c.scene, c.created_at, c.content, c.speaker) for c in self.fallback]
        return assemble(grouped(salient, self._scenes), budget, fallback=True)

    @property
    def terms(self) -> tuple[str, ...]:
        """The words of the question that were searched for."""
        return self.question.words if self.question else ()

    def explain(self) -> list[dict[str, Any]]:
        """Each hit with its score and the named parts of that score, best first."""
        return [
            {
                "text": hit.text,
                "scene": hit.scene,
                "score": hit.score,
                "parts": dict(hit.parts),
            }
            for hit in self.hits
        ]

    def as_dict(self) -> dict[str, Any]:
        """The whole recollection as plain JSON values."""
        return {
            "query": self.query,
            "matched": bool(self.hits),
            "hits": [
                {"score": round(hit.score, 4)}
                | (cell_as_dict(hit.cell) if hit.cell else _message_as_dict(hit._said))
                for hit in self.hits
            ],
            "scenes": [
                {
                    "scene": r.scene.scene,
                    "summary": r.scene.summary,
                    "cells": [c.id for c in r.cells],
                }
                for r in self.scenes
            ],
            "fallback": [cell_as_dict(cell) for cell in self.fallback],
        }

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        if not self.hits:
            return f"<Recollection of {self.query!r}: nothing matched>"
        lines = [f"<Recollection of {self.query!r}: {len(self.hits)} hits>"]
        for hit in self.hits:
            where = f"[{hit.scene}] " if hit.scene else ""
            lines.append(f"  {hit.at:%Y-%m-%d} {where}{_spoken(hit.speaker, hit.text)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from scenemem.base.display import recollection_html  # only notebooks need it

        shown = (self.query, self.hits, self._scenes, self.fallback)
        from scenemem.retrieval.marking import marked_spans

        marked = partial(marked_spans, terms=self.terms)
        return recollection_html(*shown, marked=marked, messages=self._sources())

    def _sources(self) -> Mapping[int, Message]:
        """The messages that the hits came from, redacted; none after the memory was closed."""
        if self._read_messages is None:
            return {}
        try:
            return self._read_messages(number for hit in self.hits for number in hit.sources)
        except DatabaseError:
            return {}


def _spoken(speaker: str | None, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text


def cell_as_dict(cell: Cell) -> dict[str, Any]:
    """A cell as plain JSON values."""
    return {
        "kind": "cell",
        "id": cell.id,
        "scene": cell.scene,
        "type": cell.cell_type,
        "salience": round(cell.salience, 3),
        "content": cell.content,
        "speaker": cell.speaker,
        "at": cell.created_at.isoformat(),
        "occurred_at": cell.occurred_at and cell.occurred_at.isoformat(),
        "occurred_until": cell.occurred_until and cell.occurred_until.isoformat(),
        "superseded_by": cell.superseded_by,
        "source": cell.source
        and {
            "session": cell.source.session,
            "messages": list(range(cell.source.first, cell.source.last + 1)),
        },
    }


def _message_as_dict(message: Message) -> dict[str, Any]:
    return {
        "kind": "message",
        "id": message.id,
        "session": message.session,
        "speaker": message.speaker,
        "content": message.content,
        "at": message.at.isoformat(),
    }
