"""SQLiteLog: what changed the memory, and what its model calls cost.

Plain additions are logged once a batch; what takes something away or rewrites it, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

from scenemem.base.checks import (
    datetime_given,
    int_given,
    items_given,
    mapping_given,
    quoted,
    str_given,
)
from scenemem.base.records import now_utc, stamp, unstamp
from scenemem.base.text import clean
from scenemem.store.protocol import Log
from scenemem.store.sqlite.database import Database

if TYPE_CHECKING:  # a recall loads the log and reads nothing of it
    from scenemem.base.outcomes import Change, UsageRecord, UsageTotals

__all__ = ["SQLiteLog"]


class SQLiteLog(Log):
    """The change log and the usage of one memory file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def log_change(
        self,
        actor: str,
        action: str,
        subject: str,
        *,
        turn: int | None = None,
        before: str | None = None,
        after: str | None = None,
        reason: str | None = None,
        at: datetime | None = None,
    ) -> None:
        for name, text in (("actor", actor), ("action", action), ("subject", subject)):
            str_given(name, text)
        for name, optional in (("before", before), ("after", after), ("reason", reason)):
            if optional is not None:
                str_given(name, optional)
        if turn is not None:
            int_given("turn", turn)
        at = None if at is None else datetime_given("at", at)
        from scenemem.base.secrets import without_secrets  # recall has no need of it

        texts = (actor, action, subject, before, after, reason)
        actor_, action_, subject_, before_, after_, reason_ = (
            t and without_secrets(clean(t)) for t in texts
        )
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO change_log (at, actor, action, subject, turn, before, after, reason) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (stamp(at or now_utc()), actor_, action_, subject_, turn, before_, after_, reason_),
            )

    def list_changes(
        self, *, limit: int = 50, subject: str | None = None, actor: str | None = None
    ) -> list[Change]:
        int_given("limit", limit)
        if subject is not None:
            str_given("subject", subject)
        if actor is not None:
            str_given("actor", actor)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, at, actor, action, subject, turn, before, after, reason "
                "FROM change_log WHERE (?1 IS NULL OR subject = ?1) "
                "AND (?2 IS NULL OR actor = ?2) ORDER BY id DESC LIMIT ?3",
                (subject, actor, limit),
            ).fetchall()
        from scenemem.base.outcomes import Change

        return [Change(row[0], unstamp(row[1]), *row[2:]) for row in rows]

    def blank_changes(self, subjects: Iterable[str], *, reasons: Iterable[str] = ()) -> None:
        subjects = [str_given("a subject", s) for s in items_given("subjects", subjects, "strs")]
        reasons = [str_given("a reason", r) for r in items_given("reasons", reasons, "strs")]
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE change_log SET before = NULL, after = NULL WHERE reason = ?",
                [(reason,) for reason in reasons],
            )
            connection.executemany(
                "UPDATE change_log SET before = NULL, after = NULL WHERE subject = ?",
                [(subject,) for subject in subjects],
            )

    def rename_subjects(self, names: Mapping[str, str]) -> None:
        for old, new in mapping_given("names", names).items():
            str_given("a name", old)
            str_given("a name", new)
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE change_log SET subject = ? WHERE subject = ?",
                [(new, old) for old, new in names.items()],
            )

    def note_usage(self, used: UsageRecord) -> None:
        from scenemem.base.outcomes import UsageRecord

        if not isinstance(used, UsageRecord):
            raise TypeError(f"used must be a UsageRecord, got {quoted(used)}")
        with self._database.transaction() as connection:
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
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT day, model, purpose, calls, failed, prompt_tokens, completion_tokens, "
                "estimated FROM model_usage ORDER BY day DESC, model, purpose"
            ).fetchall()
        from scenemem.base.outcomes import UsageTotal, UsageTotals

        return UsageTotals(UsageTotal(date.fromisoformat(row[0]), *row[1:]) for row in rows)
