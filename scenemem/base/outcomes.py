"""What was done to the memory and what came of it, as records: changes, usage, results."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, NamedTuple

from scenemem.base.records import Cell


class Change(NamedTuple):
    """One entry of the change log: who changed what, when, and why."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    turn: int | None = None
    before: str | None = None
    after: str | None = None
    reason: str | None = None


class UsageRecord(NamedTuple):
    """One model call: its purpose and tokens, `estimated` if the server reported none."""

    at: datetime
    model: str
    purpose: str
    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False
    failed: bool = False


class UsageTotal(NamedTuple):
    """The calls of one day, model and purpose: how many, how many failed, and their tokens.

    `estimated` counts the calls for which the server reported no tokens.
    """

    day: date
    model: str
    purpose: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    estimated: int


class UsageTotals(list[UsageTotal]):
    """Usage totals, as a list that a notebook displays as a table."""

    def _repr_html_(self) -> str:
        from scenemem.base.display import usage_html  # only notebooks need it

        return usage_html(self)


Outcome = Literal["kept", "nothing to keep", "pending"]


class Extracted(NamedTuple):
    """The result of one pass over the extraction queue.

    `turns` counts the turns now done, `cells` are the cells kept from them, `failed` maps each turn
    that stays pending to the reason, and `rejected` says which drafts were rejected and why.
    """

    turns: int = 0
    cells: tuple[Cell, ...] = ()
    failed: dict[int, str] | None = None
    rejected: tuple[str, ...] = ()

    @property
    def scenes(self) -> list[str]:
        """The scenes of the kept cells."""
        return list(dict.fromkeys(cell.scene for cell in self.cells))


class Update(NamedTuple):
    """The result of `update` for one exchange.

    "kept": `cells` were stored; "nothing to keep": it was read and contained nothing lasting;
    "pending": it is stored but could not be read yet, for the reason in `error`.
    """

    turn: int
    outcome: Outcome
    cells: tuple[Cell, ...] = ()
    error: str | None = None


class Forgotten(NamedTuple):
    """The result of `forget`: the removed cells, and how many messages were blanked."""

    cells: tuple[Cell, ...]
    messages: int


class Status(NamedTuple):
    """What a memory holds and what is still to be done.

    `pending` turns wait for extraction; `failed` ones were tried too often and are retried only on
    request; `errors` holds the latest reasons as (turn, session, attempts, reason).
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
