"""ChangeLog: the append-only record of what changed the memory.

Who (manager, cli, a tool), what, when, why, with the text before and after where there is one.
Plain additions are logged once a batch; what takes something away or rewrites it, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Self

from scenemem.base.records import Change, now_utc, stamp, unstamp
from scenemem.base.text import clean
from scenemem.store.database import Database

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ChangeLog"]


class ChangeLog:
    """The change log of one memory file."""

    def __init__(
        self,
        path: str | Path | Database = ":memory:",
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
    ) -> None:
        self.database = (
            path
            if isinstance(path, Database)
            else Database(path, read_only=read_only, synchronous=synchronous)
        )

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
        """Append one entry."""
        from scenemem.base.secrets import without_secrets  # recall has no need of it

        texts = (actor, action, subject, before, after, reason)
        actor_, action_, subject_, before_, after_, reason_ = (
            t and without_secrets(clean(t)) for t in texts
        )
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO change_log (at, actor, action, subject, turn, before, after, reason) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (stamp(at or now_utc()), actor_, action_, subject_, turn, before_, after_, reason_),
            )

    def list_changes(
        self, *, limit: int = 50, subject: str | None = None, actor: str | None = None
    ) -> list[Change]:
        """The latest changes, newest first; of one `subject` ("cell 12"), by one `actor`."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT id, at, actor, action, subject, turn, before, after, reason "
                "FROM change_log WHERE (?1 IS NULL OR subject = ?1) "
                "AND (?2 IS NULL OR actor = ?2) ORDER BY id DESC LIMIT ?3",
                (subject, actor, limit),
            ).fetchall()
        return [Change(row[0], unstamp(row[1]), *row[2:]) for row in rows]

    def blank_changes(self, subjects: Iterable[str], *, reasons: Iterable[str] = ()) -> None:
        """Remove what the entries about these subjects, or for these reasons, quote.

        That there was a change stays.
        """
        with self.database.transaction() as connection:
            connection.executemany(
                "UPDATE change_log SET before = NULL, after = NULL WHERE reason = ?",
                [(reason,) for reason in reasons],
            )
            connection.executemany(
                "UPDATE change_log SET before = NULL, after = NULL WHERE subject = ?",
                [(subject,) for subject in subjects],
            )

    def rename_subjects(self, names: Mapping[str, str]) -> None:
        """Let the entries about these subjects speak of them by other names."""
        with self.database.transaction() as connection:
            connection.executemany(
                "UPDATE change_log SET subject = ? WHERE subject = ?",
                [(new, old) for old, new in names.items()],
            )

    # -- the file ----------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The file's path; `:memory:` for a memory without a file."""
        return self.database.path

    def close(self) -> None:
        """Close; the one file then holds everything. Closing twice is fine."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
