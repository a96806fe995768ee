"""What the memory manager's deeds came to, as records: extracted, updated, forgotten, status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemem.base.records import Cell

__all__ = ["Extracted", "Forgotten", "Outcome", "Status", "Update"]

Outcome = Literal["kept", "nothing to keep", "pending"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What one pass over the queue did.

    `turns` counts the turns now done, `cells` holds what was kept of them, `failed` maps turns
    that stay pending to the reason, `rejected` says which drafts were refused and why.
    """

    turns: int = 0
    cells: tuple[Cell, ...] = ()
    failed: dict[int, str] | None = None
    rejected: tuple[str, ...] = ()

    @property
    def scenes(self) -> list[str]:
        """The scenes that the kept cells are in."""
        return list(dict.fromkeys(cell.scene for cell in self.cells))


@dataclass(frozen=True, slots=True)
class Update:
    """What `update` did with one exchange: three outcomes are told apart.

    "kept": `cells` are in; "nothing to keep": it was read and held nothing lasting; "pending": it
    is stored but could not be read yet, for the reason in `error`.
    """

    turn: int
    outcome: Outcome
    cells: tuple[Cell, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` removed: the cells as they were, and how many messages were blanked."""

    cells: tuple[Cell, ...]
    messages: int


@dataclass(frozen=True, slots=True)
class Status:
    """How a memory stands: what it holds and what waits.

    `pending` turns wait for extraction, `failed` ones were tried too often and wait to be asked
    for; `errors` holds the latest reasons as (turn, session, attempts, reason).
    """

    sessions: int
    messages: int
    pending: int
    failed: int
    cells: int
    superseded: int
    scenes: int
    stale: int
    errors: tuple[tuple[int, str, int, str], ...] = ()
