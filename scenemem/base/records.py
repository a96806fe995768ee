"""Immutable records for everything the memory holds: messages, exchanges, drafts, cells, scenes.

Every instant is an aware UTC datetime. `at` is when something was *said*, never when it was
imported; `occurred_at` is the day on which it *happened*, if that was mentioned.

They are named tuples because a dozen frozen dataclasses would add more to a command's startup than
the recall itself takes, and are slower to create by the thousand.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple, get_args

from scenemem.base.cell_types import CELL_TYPES as CELL_TYPES
from scenemem.base.cell_types import CellType as CellType
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

__all__ = ["Extracted", "Forgotten", "Outcome", "Status", "Update"]

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


class Exchange(NamedTuple):
    """One turn with its messages, as passed to extraction.

    `attempts` counts the failed extractions so far, and `last_error` says why the last one failed.
    """

    id: int
    session: str
    messages: tuple[Message, ...]
    attempts: int = 0
    last_error: str | None = None

    @property
    def at(self) -> datetime:
        """When the exchange began."""
        return self.messages[0].at


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


TurnState = Literal["open", "pending", "done", "failed"]


class Appended(NamedTuple):
    """The result of an append: the messages stored, and how many were already there."""

    messages: tuple[Message, ...]
    skipped: int = 0


class Turn(NamedTuple):
    """A turn's state, how many cells were kept once it is done, and why it last failed."""

    state: TurnState
    kept: int | None = None
    last_error: str | None = None


class Session(NamedTuple):
    """One conversation: its name, its summary, and how many messages it has.

    `summarized_through` is the id of the last message that the summary covers.
    """

    session: str
    created_at: datetime
    summary: str = ""
    summarized_through: int = 0
    messages: int = 0
    last_at: datetime | None = None

    def _repr_html_(self) -> str:
        from scenemem.base.display import session_html  # only notebooks need it

        return session_html(self)


FactScope = Literal["short", "long"]
FACT_SCOPES: tuple[FactScope, ...] = get_args(FactScope)


class Fact(NamedTuple):
    """A key and its value in a session's notebook; any JSON value, which keeps its type.

    `scope` "short" is for the task at hand and takes precedence over "long", which is meant to
    last.
    """

    session: str
    key: str
    value: Any
    scope: FactScope
    updated_at: datetime


class Note(NamedTuple):
    """Free text in a session's notebook."""

    id: int
    session: str
    note: str
    at: datetime


class Compaction(NamedTuple):
    """One compaction of a session: `messages` with `tokens_before` went into its summary.

    `through` is the id of the last message that the summary covers. The summary, which absorbs the
    previous one, has `tokens_after`. Tokens are estimated.
    """

    session: str
    at: datetime
    through: int
    messages: int
    tokens_before: int
    tokens_after: int


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
