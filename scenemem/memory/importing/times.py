"""When a message was said, as sources write it: the times of JSON exports and of transcripts.

JSON exports give ISO 8601, mail dates or epoch numbers (seconds, milliseconds, microseconds or
nanoseconds since 1970: the size tells which, since all of them are recent). Transcripts begin a
line with a stamp, in the many forms that chat programs write:

    [2026-03-01 09:15] Ann: hi
    2026-03-01 09:15 - Ann: hi
    [01/03/2026, 9:15:00 PM] Ann: hi
    01.03.26, 09:15 - Ann: hi
    [09:15] Ann: hi

Days and months in digits come in two orders; `day_comes_first` tells which one a transcript uses.
A time without a zone is taken as UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from scenemem.base.records import utc
from scenemem.base.text import clean, shorten
from scenemem.memory.importing.format import BadLine, kind_of

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


# -- stamps at the start of a transcript's lines ----------------------------------------------

# Marks of writing direction and of width, which some programs put before a line and its name.
INVISIBLE = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_DATE = r"(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})"
_TIME = (
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:[.,]\d{1,9})?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm](?!\w)\.?)?"
    r"\s?(?:(?P<zulu>Z|UTC|GMT)(?!\w)|(?P<zone>[+-]\d\d:?\d\d)(?!\d))?"
)
_BETWEEN = r"(?:T|,?\s+(?:(?:at|um|klo|à)\s+)?)"
_STAMP = re.compile(
    rf"[\s{INVISIBLE}]*(?P<open>\[)?(?:{_DATE}(?:{_BETWEEN}|(?=\])))?(?:{_TIME})?(?P<close>\])?"
    r"\s*(?:[-–—|:](?=\s))?\s*"
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time before a message: its parts as written, where it ends, and its punctuation.

    `date` holds the three numbers in the order they were written, None for a time of day alone.
    """

    date: tuple[str, str, str] | None
    time: timedelta
    zone: timezone
    end: int
    punctuation: str

    def instant(self, day_first: bool) -> datetime | None:
        """The instant in UTC; None without a date, or for one that is on no calendar."""
        if self.date is None:
            return None
        a, b, c = self.date
        year, month, day = (a, b, c) if len(a) > 2 else (c, b, a) if day_first else (c, a, b)
        full_year = int(year) + (2000 if len(year) <= 2 else 0)
        try:
            midnight = datetime(full_year, int(month), int(day), tzinfo=self.zone)
            return (midnight + self.time).astimezone(UTC)
        except (ValueError, OverflowError):
            return None


def read_stamp(line: str) -> Stamp | None:
    """The stamp at the start of `line`: a date with a time of day, or either in brackets."""
    found = _STAMP.match(line)
    if found is None or (found["open"] is None) != (found["close"] is None):
        return None
    whole = found["a"] is not None and found["hour"] is not None
    if not (whole or (found["open"] and (found["a"] or found["hour"]))):
        return None
    if (time := _time_of_day(found)) is None or (zone := _zone(found["zone"])) is None:
        return None
    date = (found["a"], found["b"], found["c"]) if found["a"] else None
    punctuation = re.sub(r"\d+", "0", re.sub(r"[^\W\d]+", "", found.group()))
    return Stamp(date, time, zone, found.end(), punctuation)


def _time_of_day(found: re.Match[str]) -> timedelta | None:
    if found["hour"] is None:
        return timedelta()
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    if found["half"] and hour <= 12:
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _zone(told: str | None) -> timezone | None:
    """The zone of "+02:00"; UTC when none was told; None for one that can't be."""
    if told is None:
        return UTC
    offset = timedelta(hours=int(told[1:3]), minutes=int(told[-2:]))
    if offset >= timedelta(hours=24):
        return None
    return timezone(-offset if told[0] == "-" else offset)


def day_comes_first(stamps: Iterable[tuple[Stamp, str]]) -> bool:
    """Whether a transcript writes the day before the month, by the stamps with their lines.

    A number above 12 tells. Without one, dots and 24-hour clocks mean day first, and a 12-hour
    clock with slashes means month first.
    """
    american = False
    for stamp, line in stamps:
        if stamp.date is None or len(stamp.date[0]) > 2:
            continue
        if int(stamp.date[0]) > 12:
            return True
        if int(stamp.date[1]) > 12:
            return False
        twelve_hours = re.search(r"\d\s?[AaPp]\.?\s?[Mm]", line[: stamp.end]) is not None
        american = american or (twelve_hours and "/" in stamp.punctuation)
    return not american
