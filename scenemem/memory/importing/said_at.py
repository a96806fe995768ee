"""When a message was said: ISO 8601 and mail dates, epoch numbers, to aware UTC.

Sources write seconds, milliseconds, microseconds or nanoseconds since 1970; which one it is can
be told by the size, since all of them are recent. A time without a zone is taken as UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from scenemem.base.records import utc
from scenemem.base.text import clean, shorten
from scenemem.memory.importing.imported import BadLine, kind_of

TIME_KEYS = ("at", "timestamp", "created_at", "create_time", "date")

_NUMBER = re.compile(r"-?\d{9,}(?:\.\d+)?")
# "2026/03/01 (Sun) 09:15" is ISO 8601 but for its slashes and its weekday.
_SLASHED = re.compile(r"(\d{4})/(\d\d)/(\d\d)(?:\s*\([^()]{2,9}\))?")
# "Sun, 01 Mar 2026 09:15:00 GMT", as mail and the web write it.
_MAIL_DATE = re.compile(r"[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d(:\d\d)? [-+\w]{3,5}")
_ZONE_WORD = re.compile(r"\s*(?:UTC|GMT)$", re.IGNORECASE)
# 1e11 seconds is the year 5138, 1e11 milliseconds is 1973: no recent time is in doubt.
_LARGEST_SECONDS = 1e11
_LARGEST_NANOSECONDS = 1e20
_LONGEST = 64


def read_time(value: object) -> datetime | None:
    """The instant that `value` tells; None for what tells none (null, 0, an empty text).

    Raises ValueError when it should be a time but can't be read as one.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if isinstance(value, datetime):
        return utc(value)
    if not isinstance(value, str):
        raise ValueError(f"its time is {kind_of(value)}")
    told = value.strip()
    if not told:
        return None
    try:
        if len(told) <= _LONGEST:
            number = _NUMBER.fullmatch(told)
            return _from_epoch(float(told)) if number else utc(_from_words(told))
    except (ValueError, OverflowError):
        pass
    shown = shorten(clean(told), 40)
    raise ValueError(f"its time {shown!r} is neither ISO 8601 nor an epoch number")


def _from_words(told: str) -> datetime:
    if _MAIL_DATE.fullmatch(told):
        from email.utils import parsedate_to_datetime

        return parsedate_to_datetime(told)
    return datetime.fromisoformat(_ZONE_WORD.sub("+00:00", _SLASHED.sub(r"\1-\2-\3", told)))


def _from_epoch(number: float) -> datetime | None:
    if number == 0:
        return None
    try:
        seconds = float(number)
        if _LARGEST_SECONDS <= seconds < _LARGEST_NANOSECONDS:
            seconds /= 1000 ** int(math.log(seconds / _LARGEST_SECONDS, 1000) + 1)
        if seconds > 0:
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError(f"its time {shorten(repr(number), 40)} is no epoch number")


def told_time(
    record: Mapping[str, Any], where: str, keys: Iterable[str] = TIME_KEYS
) -> tuple[datetime | None, list[BadLine]]:
    """The time under the first of `keys` that holds one, and what is to be said about bad ones."""
    bad: list[BadLine] = []
    for key in keys:
        try:
            at = read_time(record.get(key))
        except ValueError as error:
            reason = f"{error}; the time of the message before it was taken"
            bad.append(BadLine(where, reason, lost=False))
            continue
        if at is not None:
            return at, []
    return None, bad[:1]
