"""The types a cell can have: one table that everything reads which treats types differently.

To add a type, add its name to `CellType` and a row to `TYPES`, and a migration step that widens the
database's CHECK. Prompts, salience, summaries, help, displays and pictures follow. For the embedded
engine to assign it, it also needs cues in the language files and a line in `type_of`. Append new
rows: colours go by the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

__all__ = ["CELL_TYPES", "TYPES", "CellType", "TypeOfCell", "joined", "types_in_words"]

CellType = Literal["fact", "plan", "preference", "decision", "task", "risk"]


class TypeOfCell(NamedTuple):
    """What a type of cell means, and how much its cells count.

    `salience` is added to the salience of a statement of this type; `worth` to its chance of being
    told in a summary. `synonyms` are other words for it that language models use.
    """

    meaning: str
    salience: float = 0.0
    worth: float = 0.0
    synonyms: tuple[str, ...] = ()


TYPES: Mapping[CellType, TypeOfCell] = {
    "fact": TypeOfCell("what is or was so"),
    "plan": TypeOfCell(
        "what somebody means to do", 0.06, 0.05, ("goal", "intention", "event", "schedule")
    ),
    "preference": TypeOfCell(
        "what somebody likes or dislikes", 0.06, 0.05, ("like", "dislike", "opinion", "habit")
    ),
    "decision": TypeOfCell("what was decided", 0.14, 0.2, ("choice", "agreement")),
    "task": TypeOfCell(
        "what somebody has to do", 0.1, 0.1, ("todo", "reminder", "action", "action item")
    ),
    "risk": TypeOfCell("what may go wrong", 0.12, 0.1, ("concern", "warning", "problem", "issue")),
}
CELL_TYPES: tuple[CellType, ...] = tuple(TYPES)


def types_in_words() -> str:
    """Every type with its meaning: "fact (what is or was so), plan (…), … or risk (…)"."""
    return joined(f"{name} ({of.meaning})" for name, of in TYPES.items())


def joined(words: Iterable[str]) -> str:
    """The words as a sentence lists them: "fact, plan or task"."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
