"""The time at the start of a transcript's line, in the many ways chat programs write it.

`[2026-03-01 09:15] Ann: hi`, `2026-03-01 09:15 - Ann: hi`, `[01/03/2026, 9:15:00 PM] Ann: hi`,
`01.03.26, 09:15 - Ann: hi`, `[09:15] Ann: hi`. Days and months in digits come in two orders;
`day_comes_first` tells which one a transcript uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

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
