"""Evidence: what ranking reads of a memory, narrowed to the scope of one recall.

The hot path of recall, and a part of what every store offers: which rows hold which terms, and
the few columns that ranking weighs, for messages and cells alike. Ranking asks for many terms and
ids at once, so that a store behind a network answers in few round trips.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from scenemem.base.cell_types import CellType
from scenemem.base.records import Cell, Message, Role, Source, unstamp
from scenemem.store.sought import Sought

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # see `protocol`

__all__ = ["Evidence", "Item", "Kind", "Scope"]

Kind = Literal["message", "cell"]


class Scope(NamedTuple):
    """What one recall looks at.

    It was said from `since` on and before `until`. `as_of` looks at the memory as it was then: what
    was said by that time, and the cells in force then. `scene` is a stored name; `scene` and
    `cell_type` leave only cells. `session` leaves its messages and the cells that came from them.
    `without_turn` leaves out the messages of one turn. Messages are those of user and assistant
    that are no echo; without `as_of`, cells are those in force.
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
    that a cell came from; `speaker` a person's name; `occurred_at` the first day it speaks of. A
    message is `extracted` if a cell's source begins with it or it told one again, whether or not
    that cell is in scope. What follows `occurred_at` is what a cell has besides.
    """

    kind: Kind
    id: int
    content: str
    at: str
    speaker: str | None = None
    role: Role | None = None
    extracted: bool = False
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
        """Whether the scope is narrow, so that `counts` may count rows that `rows` leaves out."""

    def size(self, kind: Kind) -> int:
        """About how many rows are searched: those of one scene or session, else all there are.

        It is asked several times in a recall, of both kinds, and doesn't change meanwhile.
        """

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
        """For each of `sought` the ids that match in scope, in no order, or `limit` of them.

        Those are the newest, or with `oldest` the oldest, which may be faster to find. Where more
        than `limit` are left of `room`, a list may hold as many as that; what a list holds is taken
        from `room` before the next. `span` bounds the ids, both ends included. In the open scope
        some may be out of it (a superseded cell, an echo): `cells` and `messages` leave them out.
        """

    def counts(self, kind: Kind, sought: Sequence[Sought]) -> list[int]:
        """For each of `sought` how many rows match, in scope or not."""

    def messages(self, ids: Iterable[int]) -> list[Item]:
        """Those of these messages that exist and are in scope, in no order."""

    def quoted_messages(self, ids: Iterable[int]) -> dict[int, Message]:
        """The messages of these ids that exist, by id, without the secrets told in them."""

    def cells(self, ids: Iterable[int], *, of: Iterable[int] = ()) -> list[Item]:
        """Those of these cells that are in scope, in no order, each once.

        Together with them come the cells in scope whose source begins with one of the messages
        `of`.
        """

    def in_scope(self, message_ids: Iterable[int]) -> set[int]:
        """Those of these messages that exist and are in scope."""

    def said_between(self, first: date, last: date) -> list[tuple[int, int]]:
        """The messages said on these days, in UTC: the first and the last id of each session.

        Both ends belong to it, and so may messages of other days between them.
        """

    def told_of(self, first: date, last: date, most: int) -> list[int]:
        """The newest `most` messages with a cell in scope that speaks of these days, newest first.

        What a cell speaks of must touch them and be no longer than twice as long and a week.
        """
