"""Recall: from the user's words to a `Recollection` of scenes, cells and messages.

The question is understood (`query`), the evidence in the file is ranked (`ranking`), and the best
of it is brought together by scene. What was said but is not extracted yet, or made no cell, is
searched too, so that what was said a second ago is found. Where nothing matches, the most salient
cells are offered apart, as a fallback, never among the hits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from scenemem.base.checks import (
    datetime_given,
    int_given,
    memory_given,
    one_of_given,
    quoted,
    str_given,
)
from scenemem.base.dates import days_named
from scenemem.base.errors import DatabaseError, NotFoundError
from scenemem.base.records import CELL_TYPES, Cell, CellType, Message, Scene, now_utc
from scenemem.retrieval.marking import marked_spans
from scenemem.retrieval.question import Question, understand
from scenemem.retrieval.ranking import DEFAULT_WEIGHTS, Ranking, Weights, rank
from scenemem.retrieval.render import Context, Group, Line, assemble
from scenemem.store.evidence import Scope
from scenemem.store.protocol import Store

if TYPE_CHECKING:
    from scenemem.retrieval.meaning import Meaning

__all__ = [
    "Hit",
    "RecalledScene",
    "Recollection",
    "arecall",
    "cell_as_dict",
    "recall",
]

DEFAULT_LIMIT = 10
_RESERVE = 64  # hits that a render with room may draw on when no limit was given
_FALLBACK = 5


class Hit(NamedTuple):
    """One thing recalled: a cell, or a message from which no cell was made.

    `score` orders the hits; `parts` says what it is made of, by name.
    """

    score: float
    parts: dict[str, float]
    cell: Cell | None = None
    message: Message | None = None

    @property
    def text(self) -> str:
        """What was remembered, or said."""
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
        """Who said it, where that is known."""
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
    """A scene with those of its cells that were recalled, best first."""

    scene: Scene
    cells: tuple[Cell, ...]


class Recollection:
    """What a recall found: `hits`, best first, and their scenes; it does not change.

    Empty (and false) when nothing matched; `fallback` may then hold the most salient cells, which
    are not matches. `exact` tells whether every matching row was weighed.
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
        """The recalled messages that made no cell (yet), best first."""
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

        Dated, by scene, marked as information and not instruction; what was cut is said. A
        recollection without a limit of its own fills the budget with further matches.
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
        """The same without what came from these messages alone, which are shown elsewhere."""

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
        int_given("budget", budget, 1)
        if self.hits:
            return assemble(self._groups(self.hits + self._reserve), budget, self.terms)
        return assemble(_cell_groups(self.fallback, self._scenes), budget, fallback=True)

    def _groups(self, hits: Sequence[Hit]) -> list[Group]:
        lines: dict[str | None, list[Line]] = {}
        for place, hit in enumerate(hits):
            key = hit.scene if hit.scene else None
            lines.setdefault(key, []).append(Line(place, hit.at, hit.text, hit.speaker))
        return [
            Group(
                name or "Said in conversation",
                self._scenes[name].summary if name and name in self._scenes else "",
                tuple(found),
            )
            for name, found in lines.items()
        ]

    @property
    def terms(self) -> tuple[str, ...]:
        """The words of the question that were searched for."""
        return self.question.words if self.question else ()

    def explain(self) -> list[dict[str, Any]]:
        """Each hit with its score and the named parts that it is the sum of, best first."""
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
        """All of it as plain JSON values."""
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
        from scenemem.base.display import recollection_html  # only notebooks ask

        shown = (self.query, self.hits, self._scenes, self.fallback)
        marked = partial(marked_spans, terms=self.terms)
        return recollection_html(*shown, marked=marked, messages=self._sources())

    def _sources(self) -> Mapping[int, Message]:
        """The messages that the hits came from, redacted; none once the memory is closed."""
        if self._read_messages is None:
            return {}
        try:
            return self._read_messages(number for hit in self.hits for number in hit.sources)
        except DatabaseError:
            return {}


class Memory(Store, Protocol):
    """What is recalled from: a store, and what its messages mean where it has an embedder."""

    @property
    def meaning(self) -> Meaning | None: ...


def recall(
    db: Memory,
    query: str,
    *,
    limit: int | None = None,
    scene: str | None = None,
    cell_type: CellType | None = None,
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    as_of: datetime | None = None,
    now: datetime | None = None,
    without_turn: int | None = None,
    weights: Weights = DEFAULT_WEIGHTS,
) -> Recollection:
    """Recall what bears on `query`, which may be any text in any language.

    `limit` is the most hits to return (by default 10, and `render` may draw on more). `scene`
    (any spelling), `cell_type`, `session`, `since` and `until` (when it was said; until is
    excluded) narrow it; `as_of` recalls what was held true then; words such as "yesterday" in the
    query are taken from `now`; `without_turn` passes over the messages of one turn. A memory that
    has an embedder weighs likeness of meaning too. The same memory, query and `now` give the same
    result.

    Raises `NotFoundError` for an unknown scene, `ValueError` for an unknown type or a limit
    below 1, `TypeError` for an argument of a wrong type, `DatabaseError` when the file can't be
    read.
    """
    memory_given(db)
    str_given("query", query)
    if limit is not None:
        int_given("limit", limit, 1)
    if scene is not None:
        str_given("scene", scene)
    if cell_type is not None:
        one_of_given("cell_type", cell_type, CELL_TYPES)
    session = None if session is None else str_given("session", session)
    since = None if since is None else datetime_given("since", since)
    until = None if until is None else datetime_given("until", until)
    as_of = None if as_of is None else datetime_given("as_of", as_of)
    now = now_utc() if now is None else datetime_given("now", now)
    if without_turn is not None:
        int_given("without_turn", without_turn)
    if not isinstance(weights, Weights):
        raise TypeError(f"weights must be Weights, got {quoted(weights)}")
    meaning = None
    if db.meaning is not None and scene is None and cell_type is None:
        meaning = db.meaning.asked(query)
        if meaning is not None:
            weights = weights._replace(meaning=weights.meaning * meaning.weight)
    with db.snapshot():
        scope = Scope(
            _known_scene(db, scene),
            cell_type,
            session,
            since,
            until,
            as_of,
            without_turn,
        )
        question = understand(
            query,
            names=db.cells.list_speakers(),
            days=days_named(query, now.date()),
        )
        evidence = db.evidence(scope)
        ranking = rank(
            question, evidence, limit=limit or _RESERVE, weights=weights, meaning=meaning
        )
        hits = () if question.only_stopwords else _hits(db, ranking)
        fallback = () if hits or not scope.is_open else tuple(db.cells.list_most_salient(_FALLBACK))
        names = dict.fromkeys([h.scene for h in hits if h.scene] + [c.scene for c in fallback])
        scenes = {found.scene: found for found in db.scenes.get_scenes(names)}
        if scope.since or scope.until or scope.as_of or scope.session:
            # A summary tells of all that the scene holds, and so of what was not asked for.
            scenes = {
                name: found._replace(summary="", stale=False, first_at=None, last_at=None)
                for name, found in scenes.items()
            }
    shown = limit or DEFAULT_LIMIT
    return Recollection(
        query,
        hits[:shown],
        fallback,
        question=question,
        exact=ranking.exact,
        reserve=hits[shown:],
        scenes=scenes,
        read_messages=lambda ids: db.sessions.get_messages(ids, redacted=True),
    )


async def arecall(db: Memory, query: str, **narrowed: Any) -> Recollection:
    """`recall` in a thread of its own, so that an event loop goes on meanwhile."""
    import asyncio

    return await asyncio.to_thread(recall, db, query, **narrowed)


def _known_scene(db: Store, scene: str | None) -> str | None:
    if scene is None:
        return None
    name = db.scenes.resolve_scene(scene)
    if name is None:
        raise NotFoundError.of("scene", scene)
    return name


def _hits(db: Store, ranking: Ranking) -> tuple[Hit, ...]:
    said = [found.item.id for found in ranking.hits if found.item.kind == "message"]
    messages = db.sessions.get_messages(said, redacted=True) if said else {}
    return tuple(
        Hit(found.score, found.parts._asdict(), cell=found.item.as_cell())
        if found.item.kind == "cell"
        else Hit(found.score, found.parts._asdict(), message=messages[found.item.id])
        for found in ranking.hits
        if found.item.kind == "cell" or found.item.id in messages
    )


def _cell_groups(cells: Sequence[Cell], scenes: Mapping[str, Scene]) -> list[Group]:
    lines: dict[str, list[Line]] = {}
    for place, cell in enumerate(cells):
        line = Line(place, cell.created_at, cell.content, cell.speaker)
        lines.setdefault(cell.scene, []).append(line)
    return [
        Group(name, scenes[name].summary if name in scenes else "", tuple(found))
        for name, found in lines.items()
    ]


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
