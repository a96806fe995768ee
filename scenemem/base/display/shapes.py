"""The shapes of what is shown: as much of each record as a display reads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol


class SourceShape(Protocol):
    """Where a cell came from."""

    @property
    def session(self) -> str: ...


class MessageShape(Protocol):
    """A message, as far as it is shown."""

    @property
    def session(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def speaker(self) -> str: ...


class CellShape(Protocol):
    """A cell, as far as it is shown."""

    @property
    def cell_type(self) -> str: ...
    @property
    def salience(self) -> float: ...
    @property
    def content(self) -> str: ...
    @property
    def scene(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def occurred_at(self) -> date | None: ...
    @property
    def speaker(self) -> str | None: ...
    @property
    def source(self) -> SourceShape | None: ...
    @property
    def superseded_by(self) -> int | None: ...
    @property
    def valid_to(self) -> datetime | None: ...
    @property
    def told(self) -> int: ...


class SceneShape(Protocol):
    """A scene, as far as it is shown."""

    @property
    def scene(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def cells(self) -> int: ...
    @property
    def stale(self) -> bool: ...
    @property
    def first_at(self) -> datetime | None: ...
    @property
    def last_at(self) -> datetime | None: ...
    @property
    def aliases(self) -> Sequence[str]: ...


class HitShape(Protocol):
    """A hit of a recall: a cell or a message."""

    @property
    def cell(self) -> CellShape | None: ...
    @property
    def message(self) -> MessageShape | None: ...
    @property
    def sources(self) -> Sequence[int]: ...


class SessionShape(Protocol):
    """A session, as far as it is shown."""

    @property
    def session(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def messages(self) -> int: ...
    @property
    def last_at(self) -> datetime | None: ...


class UsageShape(Protocol):
    """The model calls of one day, model and purpose."""

    @property
    def day(self) -> date: ...
    @property
    def model(self) -> str: ...
    @property
    def purpose(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...


class Counts(NamedTuple):
    """What a memory holds, and what waits: turns for extraction, scenes for a summary."""

    sessions: int
    messages: int
    cells: int
    superseded: int
    scenes: int
    pending: int
    failed: int
    stale: int
