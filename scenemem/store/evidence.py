"""Evidence: what ranking reads of a memory, narrowed to the scope of one recall.

The hot path of recall, and a part of what every store offers: which rows hold which terms, and
the few columns that ranking weighs, for messages and cells alike. Ranking asks for many terms and
ids at once, so that a store behind a network answers in few round trips.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple, Protocol

from scenemem.base.records import Cell, CellType, Role, Source, unstamp
from scenemem.store.sought import Sought

__all__ = ["Evidence", "Item", "Kind", "Scope"]

Kind = Literal["message", "cell"]


class Scope(NamedTuple):
    """What one recall looks at. `since` and `until` bound when it was said, until being excluded;
    `as_of` looks at the memory as it was then; `without_turn` passes over one turn's messages.
    """

    scene: str | None = None
    cell_type: CellType | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    without_turn: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing narrows it but a turn that is passed over."""
        return not any(
            (self.scene, self.cell_type, self.session, self.since, self.until, self.as_of)
        )

    @property
    def has_no_messages(self) -> bool:
        """Whether only cells are in it: a message has no scene and no type of its own."""
        return self.scene is not None or self.cell_type is not None


class Item(NamedTuple):
    """A cell or a message, with what its rank depends on.

    `at` is a stamp, whose order as text is the order of time; `source` the id of the first message
    that a cell came from; `speaker` a person's name; `occurred_at` the first day it speaks of. What
    follows `occurred_at` is what a cell has besides.
    """

    kind: Kind
    id: int
    content: str
    at: str
    speaker: str | None = None
    role: Role | None = None
    source: int | None = None
    scene: str | None = None
    salience: float = 0.5
    recalls: int = 0
    occurred_at: str | None = None
    occurred_until: str | None = None
    cell_type: CellType | None = None
    session: str | None = None
    source_last: int | None = None
    superseded_by: int | None = None
    valid_to: str | None = None
    told: int = 1

    def as_cell(self) -> Cell:
        """The cell that this item stands for."""
        assert self.scene is not None and self.cell_type is not None
        source = None
        if self.source is not None:
            assert self.session is not None and self.source_last is not None
            source = Source(self.session, self.source, self.source_last)
        return Cell(
            self.id,
            self.scene,
            self.cell_type,
            self.salience,
            self.content,
            unstamp(self.at),
            _day(self.occurred_at),
            _day(self.occurred_until),
            self.speaker,
            source,
            self.superseded_by,
            unstamp(self.valid_to) if self.valid_to else None,
            self.told,
            self.recalls,
        )


def _day(day: str | None) -> date | None:
    return date.fromisoformat(day) if day else None


class Evidence(Protocol):
    """What ranking asks of a store, for one recall; used inside one `snapshot()`."""

    @property
    def narrowed(self) -> bool:
        """Whether `rows` leaves out some that `counts` counts."""

    def size(self, kind: Kind) -> int:
        """About how many rows there are to search."""

    def rows(
        self,
        kind: Kind,
        sought: Sequence[Sought],
        limit: int | None = None,
        *,
        room: int = 0,
        span: tuple[int, int] | None = None,
        oldest: bool = False,
    ) -> list[list[int]]:
        """For each of `sought` the ids that match in scope, or the newest `limit` of them.

        In no order. As long as there is `room`, which all lists use up together, a list may be
        as long as what is left of it. `span` bounds the ids, both ends included. With `oldest`
        they are the oldest, which are faster to find.
        """

    def counts(self, kind: Kind, sought: Sequence[Sought]) -> list[int]:
        """For each of `sought` how many rows match, in scope or not."""

    def messages(self, ids: Iterable[int]) -> list[Item]:
        """The messages of these ids that exist and are in scope."""

    def cells(self, ids: Iterable[int]) -> list[Item]:
        """The cells of these ids that are in scope."""

    def cells_of(self, message_ids: Iterable[int]) -> list[Item]:
        """The cells in scope that came from these messages."""

    def extracted(self, message_ids: Iterable[int]) -> set[int]:
        """Those of these messages that any cell came from, in scope or not."""

    def in_scope(self, message_ids: Iterable[int]) -> set[int]:
        """Those of these messages that exist and are in scope."""

    def said_between(self, first: date, last: date) -> list[tuple[int, int]]:
        """The messages said on these days, as ranges of ids, each within one session."""

    def told_of(self, first: date, last: date, most: int) -> list[int]:
        """The newest `most` messages with a cell that speaks of these days, and of little more."""
