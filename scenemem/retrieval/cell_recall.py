"""Recall of cells alone, by their own words: what an engine asks, and scene context."""

from __future__ import annotations

from scenemem.base.records import Cell
from scenemem.retrieval.question import understand
from scenemem.retrieval.ranking import rank_cells
from scenemem.store.evidence import Scope, StoredEvidence, cell_of
from scenemem.store.store import Store

__all__ = ["recall_cells"]


def recall_cells(db: Store, text: str, limit: int) -> list[Cell]:
    """The cells that match `text` by their own words, best first; messages take no part."""
    question = understand(text, names=db.list_speakers())
    if question.only_stopwords:
        return []
    with db.database.snapshot() as connection:
        ranking = rank_cells(question, StoredEvidence(db, connection, Scope()), limit=limit)
    return [cell_of(hit.item) for hit in ranking.hits]
