"""UsageTable: what the memory's model calls cost, by day, model and purpose."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple, Protocol

from scenemem.change_log import ChangeLog

__all__ = ["UsageTable", "UsageTotal"]


class _Call(Protocol):
    """One model call; see `engine.UsageRecord`."""

    @property
    def at(self) -> datetime: ...
    @property
    def model(self) -> str: ...
    @property
    def purpose(self) -> str: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def failed(self) -> bool: ...


class UsageTotal(NamedTuple):
    """The model calls of one day, model and purpose: how many, how many failed, their tokens.

    `estimated` counts the calls for which the server told no tokens.
    """

    day: date
    model: str
    purpose: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    estimated: int


class UsageTable(ChangeLog):
    """What the model calls of one memory file cost."""

    def note_usage(self, used: _Call) -> None:
        """Count one model call."""
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO model_usage VALUES (?, ?, ?, 1, ?, ?, ?, ?) "
                "ON CONFLICT (day, model, purpose) DO UPDATE SET calls = calls + 1, "
                "failed = failed + excluded.failed, "
                "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
                "completion_tokens = completion_tokens + excluded.completion_tokens, "
                "estimated = estimated + excluded.estimated",
                (
                    used.at.date().isoformat(), used.model, used.purpose, int(used.failed),
                    used.prompt_tokens, used.completion_tokens, int(used.estimated),
                ),
            )

    def list_usage(self) -> list[UsageTotal]:
        """What was used, newest day first."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT day, model, purpose, calls, failed, prompt_tokens, completion_tokens, "
                "estimated FROM model_usage ORDER BY day DESC, model, purpose"
            ).fetchall()
        return [UsageTotal(date.fromisoformat(row[0]), *row[1:]) for row in rows]
