"""Messages, cells and scenes as immutable records, and the drafts they are made from.

Every instant is an aware UTC datetime. `at` is when something was *said*, never when it was
imported; `occurred_at` is the day on which it *happened*, if that was mentioned.

They are named tuples because a dozen frozen dataclasses would add more to a command's startup than
the recall itself takes, and are slower to create by the thousand.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple, get_args

from scenemem.base.cell_types import CELL_TYPES, CellType
from scenemem.base.checks import (
    date_given,
    datetime_given,
    items_given,
    mapping_given,
    number_given,
    one_of_given,
    quoted,
    str_given,
)

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = get_args(Role)
SESSION_SHIFT = 24  # a message's id is its session's number << SESSION_SHIFT | its position


class MessageDraft(NamedTuple):
    """A message passed in for storage.

    `name` is the speaker's name, if the source gives one. `external_id` is the caller's id: within
    a session, a message whose id is already stored is the same message. An `echo` only quotes the
    memory (as the embedded engine's replies do); it is kept but never recalled. `recallable` is the
    part that may be seen outside the session, if not the whole text.
    """

    role: Role
    content: str
    at: datetime | None = None
    name: str | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    tool_call_id: str | None = None
    external_id: str | None = None
    echo: bool = False
    recallable: str | None = None

    def validated(self) -> MessageDraft:
        """This draft, if it can be stored. Raises `TypeError` or `ValueError` if it can't."""
        one_of_given("role", self.role, ROLES)
        str_given("content", self.content)
        if self.at is not None:
            datetime_given("at", self.at)
        for field in ("name", "tool_call_id", "external_id", "recallable"):
            if (value := getattr(self, field)) is not None:
                str_given(field, value)
        if self.tool_calls != ():
            for call in items_given("tool_calls", self.tool_calls, "dicts"):
                mapping_given("a tool call", call)
        return self


class Message(NamedTuple):
    """One stored line of a session, verbatim.

    Within a session, `id` increases in insertion order. `turn` is the id of the turn the message
    belongs to (one user message and everything that answers it).
    """

    id: int
    session: str
    turn: int
    role: Role
    content: str
    at: datetime
    name: str | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    tool_call_id: str | None = None
    external_id: str | None = None
    echo: bool = False

    @property
    def speaker(self) -> str:
        """The speaker's name if the source gives one, otherwise the role."""
        return self.name or self.role

    def _repr_html_(self) -> str:
        from scenemem.base.display import message_html  # only notebooks need it

        return message_html(self)


class Source(NamedTuple):
    """The messages a cell was derived from: the first and last message id, within one session."""

    session: str
    first: int
    last: int


class CellDraft(NamedTuple):
    """A cell proposed by extraction or a caller, not yet stored.

    `scene` may be any spelling of a scene's name. `supersedes` lists the cells this one replaces,
    as ids of stored cells or as the content of cells that may be in the same batch. `at` is when it
    was said (default: now).
    """

    content: str
    scene: str = ""
    cell_type: CellType = "fact"
    salience: float = 0.5
    at: datetime | None = None
    occurred_at: date | None = None
    occurred_until: date | None = None
    speaker: str | None = None
    source: Source | None = None
    supersedes: tuple[int | str, ...] = ()

    def validated(self) -> CellDraft:
        """This draft, if it can be stored. Raises `TypeError` or `ValueError` if it can't."""
        str_given("content", self.content, empty=False)
        str_given("scene", self.scene)
        one_of_given("cell_type", self.cell_type, CELL_TYPES)
        number_given("salience", self.salience, 0, 1)
        if self.at is not None:
            datetime_given("at", self.at)
        if self.speaker is not None:
            str_given("speaker", self.speaker)
        if self.source is not None and not isinstance(self.source, Source):
            raise TypeError(f"source must be a Source, got {quoted(self.source)}")
        if self.supersedes != ():
            for old in items_given("supersedes", self.supersedes, "cell ids or contents"):
                if isinstance(old, bool) or not isinstance(old, int | str):
                    raise TypeError(f"supersedes must hold ints or strs, got {quoted(old)}")
        first = None if self.occurred_at is None else date_given("occurred_at", self.occurred_at)
        last = (
            None
            if self.occurred_until is None
            else date_given("occurred_until", self.occurred_until)
        )
        if first is self.occurred_at and last is self.occurred_until:
            return self
        return self._replace(occurred_at=first, occurred_until=last)

    @classmethod
    def given(cls, cell: object) -> CellDraft:
        """A draft that a caller handed in, as such or as a mapping of its fields, validated."""
        if isinstance(cell, CellDraft):
            return cell.validated()
        if not isinstance(cell, Mapping):
            raise TypeError(f"a cell must be a CellDraft or a dict, got {quoted(cell)}")
        for field in cell:
            if field not in cls._fields:
                raise TypeError(
                    f"a cell must have no field {quoted(field)}, only {', '.join(cls._fields)}"
                )
        if "content" not in cell:
            raise TypeError("a cell must have a content, got none")
        return cls(**cell).validated()


class Cell(NamedTuple):
    """One atomic, typed memory.

    `created_at` is when it was said; `occurred_at`..`occurred_until` are the days it refers to;
    `superseded_by` is the id of the cell that replaced it, at `valid_to`; `told` is how many times
    it was said; `recalls` is how often recall has returned it.
    """

    id: int
    scene: str
    cell_type: CellType
    salience: float
    content: str
    created_at: datetime
    occurred_at: date | None = None
    occurred_until: date | None = None
    speaker: str | None = None
    source: Source | None = None
    superseded_by: int | None = None
    valid_to: datetime | None = None
    told: int = 1
    recalls: int = 0

    def _repr_html_(self) -> str:
        from scenemem.base.display import cell_html  # only notebooks need it

        return cell_html(self)


class Scene(NamedTuple):
    """A named group of cells with one summary.

    `watermark` is the id of the last cell that the summary covers; a scene with newer cells is
    stale. `cells` counts the cells in force; `first_at` and `last_at` are when the first and last
    of them were said.
    """

    scene: str
    summary: str
    updated_at: datetime
    watermark: int = 0
    cells: int = 0
    stale: bool = False
    first_at: datetime | None = None
    last_at: datetime | None = None
    aliases: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from scenemem.base.display import scene_html  # only notebooks need it

        return scene_html(self)


def utc(at: datetime) -> datetime:
    """The same instant in UTC; a naive datetime is taken as UTC."""
    if not isinstance(at, datetime):
        raise TypeError(f"expected a datetime, got {quoted(at)}")
    return datetime_given("a datetime", at)


def now_utc() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """An instant as fixed-width UTC text, so that text order is time order."""
    return utc(at).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def unstamp(text: str) -> datetime:
    """The instant that `stamp` wrote."""
    return datetime.fromisoformat(text)
