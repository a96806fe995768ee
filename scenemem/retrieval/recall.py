"""Recalling: from the user's words to a `Recollection` of scenes, cells and messages.

`question` works out what to look for, `ranking` orders the evidence in the memory, and the best of
it is grouped by scene. Messages that were not extracted yet, or made no cell, are searched too, so
what was said a second ago is found. If nothing matches, the most salient cells are returned
separately as a fallback, never among the hits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scenemem.base.cell_types import CELL_TYPES, CellType
from scenemem.base.checks import (
    datetime_given,
    int_given,
    memory_given,
    one_of_given,
    quoted,
    str_given,
)
from scenemem.base.dates import days_named
from scenemem.base.errors import NotFoundError
from scenemem.base.records import Cell, Scene, now_utc
from scenemem.retrieval.question import Question, understand
from scenemem.retrieval.ranking import Ranking, rank, rank_cells
from scenemem.retrieval.recollection import Hit, Recollection
from scenemem.retrieval.weights import DEFAULT_WEIGHTS, Weights
from scenemem.store.evidence import Evidence, Scope
from scenemem.store.protocol import Store

if TYPE_CHECKING:
    from typing import Protocol

    from scenemem.retrieval.meaning import Meaning
else:
    Protocol = object  # see `store.protocol`

__all__ = ["arecall", "recall", "recall_cells"]

DEFAULT_LIMIT = 10
_RESERVE = 64  # hits that `render` may draw on if no limit was given and its budget has room
_FALLBACK = 5


class Memory(Store, Protocol):
    """What `recall` reads: a store, and the meaning of its messages if it has an embedder."""

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
    """Recall what is relevant to `query`, which may be any text in any language.

    `limit` is the maximum number of hits (10 by default, and then `render` may draw on more).
    Narrow the search with `scene` (any spelling), `cell_type`, `session`, `since` and `until` (when
    it was said; `until` is exclusive). `as_of` recalls what was held true at that time. Words such
    as "yesterday" in the query are resolved against `now`. `without_turn` skips the messages of one
    turn. If the memory has an embedder, similarity of meaning counts too. The same memory, query
    and `now` give the same result.

    Raises `NotFoundError` for an unknown scene, `ValueError` for an unknown type or a limit
    below 1, `TypeError` for an argument of a wrong type, `DatabaseError` if the file can't be read.
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
    if now is None:
        now = now_utc()
    datetime_given("now", now)  # "yesterday" is a matter of the caller's own day
    if without_turn is not None:
        int_given("without_turn", without_turn)
    if not isinstance(weights, Weights):
        raise TypeError(f"weights must be Weights, got {quoted(weights)}")
    scope = Scope(scene, cell_type, session, since, until, as_of, without_turn)
    meaning = None
    if db.meaning is not None and not scope.has_no_messages:
        meaning = db.meaning.asked(query)  # before the snapshot: an embedder may take a while
    if meaning is not None:
        weights = weights._replace(meaning=weights.meaning * meaning.weight)
    with db.snapshot():
        scope = _with_known_scene(db, scope)
        question = _understood(db, query, now)
        most = limit or _RESERVE
        evidence = db.evidence(scope)
        ranking = rank(question, evidence, limit=most, weights=weights, meaning=meaning)
        hits = _hits(evidence, ranking)
        return _recollection(db, query, scope, question, ranking, hits, limit or DEFAULT_LIMIT)


async def arecall(db: Memory, query: str, **narrowed: Any) -> Recollection:
    """`recall` in a thread, so that it doesn't block the event loop."""
    import asyncio

    return await asyncio.to_thread(recall, db, query, **narrowed)


def recall_cells(store: Store, text: str, limit: int) -> list[Cell]:
    """The cells that match `text` by their own words, best first, without any messages."""
    question = understand(text, names=store.cells.list_speakers())
    if question.only_stopwords:
        return []
    with store.snapshot():
        ranking = rank_cells(question, store.evidence(Scope()), limit=limit)
    return [hit.item.as_cell() for hit in ranking.hits]


def _with_known_scene(db: Store, scope: Scope) -> Scope:
    """The scope with the scene's own name in place of any spelling. Raises `NotFoundError`."""
    if scope.scene is None:
        return scope
    name = db.scenes.resolve_scene(scope.scene)
    if name is None:
        raise NotFoundError.of("scene", scope.scene)
    return scope._replace(scene=name)


def _understood(db: Store, query: str, now: datetime) -> Question:
    """What the query asks for, given this memory's speakers and the day it is asked."""
    return understand(query, names=db.cells.list_speakers(), days=days_named(query, now.date()))


def _recollection(
    db: Store,
    query: str,
    scope: Scope,
    question: Question,
    ranking: Ranking,
    hits: tuple[Hit, ...],
    shown: int,
) -> Recollection:
    """The hits as a recollection, with their scenes, or the fallback in their place."""
    fallback = () if hits or not scope.is_open else tuple(db.cells.list_most_salient(_FALLBACK))
    return Recollection(
        query,
        hits[:shown],
        fallback,
        question=question,
        exact=ranking.exact,
        reserve=hits[shown:],
        scenes=_scenes(db, hits, fallback, scope),
        read_messages=lambda ids: db.sessions.get_messages(ids, redacted=True),
    )


def _hits(evidence: Evidence, ranking: Ranking) -> tuple[Hit, ...]:
    """What was ranked, with the cells and messages as records."""
    said = [found.item.id for found in ranking.hits if found.item.kind == "message"]
    messages = evidence.quoted_messages(said) if said else {}
    return tuple(
        Hit(found.score, found.parts, cell=found.item.as_cell())
        if found.item.kind == "cell"
        else Hit(found.score, found.parts, message=messages[found.item.id])
        for found in ranking.hits
        if found.item.kind == "cell" or found.item.id in messages
    )


def _scenes(
    db: Store, hits: tuple[Hit, ...], fallback: tuple[Cell, ...], scope: Scope
) -> Mapping[str, Scene]:
    """The scenes of what was found, by name; without their summaries if time or session narrow it.

    A summary covers everything in its scene, and so also what was not asked for.
    """
    names = dict.fromkeys([h.scene for h in hits if h.scene] + [c.scene for c in fallback])
    scenes = {found.scene: found for found in db.scenes.get_scenes(names)}
    if not (scope.since or scope.until or scope.as_of or scope.session):
        return scenes
    return {
        name: found._replace(summary="", stale=False, first_at=None, last_at=None)
        for name, found in scenes.items()
    }
