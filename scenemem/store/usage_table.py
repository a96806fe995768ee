"""UsageTable: what the memory's model calls cost, by day, model and purpose."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from scenemem.base.records import UsageRecord
from scenemem.store.change_log import ChangeLog

__all__ = ["UsageTable", "UsageTotal", "UsageTotals"]


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


class UsageTotals(list[UsageTotal]):
    """What was used, as a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from scenemem.base.display import usage_html  # only notebooks ask

        return usage_html(self)


class UsageTable(ChangeLog):
    """What the model calls of one memory file cost."""

    def note_usage(self, used: UsageRecord) -> None:
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
                    used.at.date().isoformat(),
                    used.model,
                    used.purpose,
                    int(used.failed),
                    used.prompt_tokens,
                    used.completion_tokens,
                    int(used.estimated),
                ),
            )

    def list_usage(self) -> UsageTotals:
        """What was used, newest day first."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT day, model, purpose, calls, failed, prompt_tokens, completion_tokens, "
                "estimated FROM model_usage ORDER BY day DESC, model, purpose"
            ).fetchall()
        return UsageTotals(UsageTotal(date.fromisoformat(row[0]), *row[1:]) for row in rows)
