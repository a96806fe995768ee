"""Recall of cells alone, by their own words: what an engine asks, and scene context."""

from __future__ import annotations

from scenemem.base.records import Cell
from scenemem.retrieval.question import understand
from scenemem.retrieval.ranking import rank_cells
from scenemem.store.evidence import Scope
from scenemem.store.protocol import Store

__all__ = ["recall_cells"]


def recall_cells(store: Store, text: str, limit: int) -> list[Cell]:
    """The cells that match `text` by their own words, best first; messages take no part."""
    question = understand(text, names=store.cells.list_speakers())
    if question.only_stopwords:
        return []
    with store.snapshot():
        ranking = rank_cells(question, store.evidence(Scope()), limit=limit)
    return [hit.item.as_cell() for hit in ranking.hits]
