"""A memory's scenes, cells, messages, recalls and usage as pandas DataFrames.

Every column has a fixed type: aware UTC instants (in microseconds, so that any year fits), days
without a time zone, nullable integers, and ordered lists of categories. An empty memory gives an
empty frame with the same columns and types.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.checks import bool_given, memory_given
from scenemem.base.records import ROLES, Cell, Message
from scenemem.base.text import estimate_tokens
from scenemem.explore.axes import needed
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.marking import marked_spans
from scenemem.retrieval.recall import recall
from scenemem.retrieval.weights import EVIDENCE, FACTORS

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "all_cells",
    "all_messages",
    "cells_frame",
    "messages_frame",
    "recalls_frame",
    "scenes_frame",
    "usage_frame",
    "words_matched",
]

INSTANT = "datetime64[us, UTC]"
DAY = "datetime64[us]"
NAMES = "category"  # of the names that occur, sorted
_PAGE = 5000
Types = Mapping[str, "str | Sequence[str]"]  # a sequence: a category of these values

_SCENES: Types = {
    "scene": "string",
    "summary": "string",
    "cells": "Int64",
    "superseded": "Int64",
    "stale": "boolean",
    "first_at": INSTANT,
    "last_at": INSTANT,
    "updated_at": INSTANT,
    "watermark": "Int64",
    "aliases": "object",
}
_CELLS: Types = {
    "id": "Int64",
    "scene": NAMES,
    "cell_type": CELL_TYPES,
    "salience": "Float64",
    "content": "string",
    "speaker": NAMES,
    "created_at": INSTANT,
    "occurred_at": DAY,
    "occurred_until": DAY,
    "session": NAMES,
    "source_first": "Int64",
    "source_last": "Int64",
    "superseded_by": "Int64",
    "valid_to": INSTANT,
    "told": "Int64",
    "recalls": "Int64",
}
_MESSAGES: Types = {
    "id": "Int64",
    "session": NAMES,
    "turn": "Int64",
    "role": ROLES,
    "speaker": NAMES,
    "content": "string",
    "at": INSTANT,
    "tokens": "Int64",
    "cells": "Int64",
    "echo": "boolean",
}
_RECALLS: Types = {
    "query": NAMES,
    "rank": "Int64",
    "score": "Float64",
    **{f"part_{name}": "Float64" for name in (*EVIDENCE, *FACTORS)},
    "kind": ("cell", "message"),
    "id": "Int64",
    "cell_type": CELL_TYPES,
    "scene": NAMES,
    "speaker": NAMES,
    "text": "string",
    "at": INSTANT,
    "words": "object",
}
_USAGE: Types = {
    "day": DAY,
    "model": NAMES,
    "purpose": NAMES,
    "calls": "Int64",
    "failed": "Int64",
    "prompt_tokens": "Int64",
    "completion_tokens": "Int64",
    "estimated": "Int64",
}


def scenes_frame(db: MemoryDB) -> pd.DataFrame:
    """One row per scene, most recently mentioned first; `aliases` is a tuple of its other names.

    `cells` counts the cells in force, `superseded` those that newer cells replaced.
    """
    memory_given(db)
    gone: dict[str, int] = {}
    for cell in all_cells(db):
        if cell.superseded_by is not None:
            gone[cell.scene] = gone.get(cell.scene, 0) + 1
    rows = (
        scene._asdict() | {"superseded": gone.get(scene.scene, 0)}
        for scene in db.scenes.list_scenes()
    )
    return _frame(rows, _SCENES)


def cells_frame(db: MemoryDB) -> pd.DataFrame:
    """One row per cell, including superseded ones, in the order they were stored.

    `source_first` and `source_last` are ids in `messages_frame`; `superseded_by` is an id in this
    frame.
    """
    memory_given(db)
    return _frame((_cell_row(cell) for cell in all_cells(db)), _CELLS)


def messages_frame(db: MemoryDB, *, redacted: bool = False) -> pd.DataFrame:
    """One row per message, by session in the order they were stored.

    The text is verbatim, as in the history, including secrets; `redacted` removes them, for a
    notebook that you share. `tokens` is estimated; `cells` counts the cells derived from the
    message.
    """
    memory_given(db)
    bool_given("redacted", redacted)
    made: dict[int, int] = {}
    for cell in all_cells(db):
        if cell.source:
            for number in range(cell.source.first, cell.source.last + 1):
                made[number] = made.get(number, 0) + 1
    rows = (
        message._asdict()
        | {
            "speaker": message.speaker,
            "tokens": estimate_tokens(message.content),
            "cells": made.get(message.id, 0),
        }
        for message in all_messages(db, redacted=redacted)
    )
    return _frame(rows, _MESSAGES)


def recalls_frame(db: MemoryDB, *queries: str, **narrowed: Any) -> pd.DataFrame:
    """One row per hit of each query: rank (1 is best), score and its parts, and the text.

    The columns `part_…` are the parts of the score: those of `weights.EVIDENCE` are added, those of
    `weights.FACTORS` multiply the sum. `words` are the words of the question that the text
    contains. `narrowed` is passed on to `recall`: `limit`, `scene`, `cell_type`, `session`,
    `since`, `until`, `as_of`, `now`.
    """
    memory_given(db)
    rows = (row for query in queries for row in _hit_rows(db, query, narrowed))
    return _frame(rows, _RECALLS)


def usage_frame(db: MemoryDB) -> pd.DataFrame:
    """Model calls and tokens: one row per day, model and purpose, newest day first."""
    memory_given(db)
    return _frame((total._asdict() for total in db.log.list_usage()), _USAGE)


def all_cells(db: MemoryDB) -> Iterator[Cell]:
    """Every cell, including superseded ones, in the order they were stored."""
    after = 0
    while cells := db.cells.list_cells(after=after, superseded=True, limit=_PAGE):
        yield from cells
        after = cells[-1].id


def all_messages(db: MemoryDB, *, redacted: bool = False) -> Iterator[Message]:
    """Every message, by session in the order they were stored; `redacted` removes secrets."""
    after = 0
    while messages := db.sessions.list_messages(after=after, limit=_PAGE, redacted=redacted):
        yield from messages
        after = messages[-1].id


def _hit_rows(db: MemoryDB, query: str, narrowed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    found = recall(db, query, **narrowed)
    for rank, hit in enumerate(found.hits, start=1):
        recalled = hit.cell or hit.message
        assert recalled is not None
        yield {f"part_{name}": value for name, value in hit.parts.items()} | {
            "query": query,
            "rank": rank,
            "score": hit.score,
            "kind": "cell" if hit.cell else "message",
            "id": recalled.id,
            "cell_type": hit.cell.cell_type if hit.cell else None,
            "scene": hit.scene,
            "speaker": hit.speaker,
            "text": hit.text,
            "at": hit.at,
            "words": words_matched(hit.text, found.terms),
        }


def _cell_row(cell: Cell) -> dict[str, Any]:
    source = cell.source
    return cell._asdict() | {
        "session": source.session if source else None,
        "source_first": source.first if source else None,
        "source_last": source.last if source else None,
    }


def _frame(rows: Iterable[Mapping[str, Any]], types: Types) -> pd.DataFrame:
    """The rows as a frame with these columns and types."""
    pandas = needed("pandas")
    listed = list(rows)
    columns = {
        name: _column(pandas, [row[name] for row in listed], kind) for name, kind in types.items()
    }
    frame: pd.DataFrame = pandas.DataFrame(columns)
    return frame


def _column(pandas: Any, values: list[Any], kind: str | Sequence[str]) -> Any:
    if kind == NAMES:
        named = list(dict.fromkeys(value for value in values if value is not None))
        kind = sorted(named)
    if isinstance(kind, str):
        return pandas.Series(values, dtype=kind)
    # Text categories even if there are none, so that empty frames have the same types.
    categories = pandas.Index(list(kind), dtype="str" if _has_str(pandas) else "object")
    return pandas.Series(pandas.Categorical(values, categories=categories, ordered=False))


def _has_str(pandas: Any) -> bool:
    """Whether text columns default to `str`, as of pandas 3."""
    return int(str(pandas.__version__).partition(".")[0]) >= 3


def words_matched(text: str, terms: Collection[str]) -> tuple[str, ...]:
    """The `terms` that occur in `text`, in the order of the question."""
    return tuple(term for term in dict.fromkeys(terms) if marked_spans(text, [term]))
