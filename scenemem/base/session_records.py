"""What a session is made of besides its messages, as immutable records."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

from scenemem.base.records import Message

TurnState = Literal["open", "pending", "done", "failed"]


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
