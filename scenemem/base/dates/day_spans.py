"""Spans of days on the calendar, counted from the day on which somebody speaks.

A span is the first and the last day, both included. Weeks run from Monday to Sunday; seasons are
the northern, meteorological ones, three whole months each. Every function raises ValueError or
OverflowError where the span would leave the calendar (years 1 to 9999).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

Days = tuple[date, date]
Which = Literal["last", "this", "next", "last but one", "next but one"]

STEPS: dict[Which, int] = {
    "last but one": -2,
    "last": -1,
    "this": 0,
    "next": 1,
    "next but one": 2,
}


def single(day: date) -> Days:
    """The one day."""
    return day, day


def month_end(year: int, month: int) -> date:
    """The last day of the month."""
    # 31 December 9999 has no day after it, so December does not go through the next month.
    return date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(days=1)


def months(year: int, month: int, length: int = 1) -> Days:
    """`length` whole months from `month`, which may lie outside 1..12."""
    first, last = year * 12 + month - 1, year * 12 + month + length - 2
    return date(first // 12, first % 12 + 1, 1), month_end(last // 12, last % 12 + 1)


def years(first: int, last: int) -> Days:
    """Whole years."""
    return date(first, 1, 1), date(last, 12, 31)


def week(day: date) -> Days:
    """The week of `day`."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def weekend(day: date) -> Days:
    """Saturday and Sunday of the week of `day`."""
    sunday = week(day)[1]
    return sunday - timedelta(days=1), sunday


def counted(said: date, unit: str, fewest: int, most: int, sign: int) -> Days:
    """The span `fewest`..`most` units before (`sign` -1) or after (`sign` 1) `said`.

    Days are counted to the day; larger units give the whole week, weekend, month or year met.
    """
    low, high = sorted((sign * fewest, sign * most))
    match unit:
        case "day":
            return said + timedelta(days=low), said + timedelta(days=high)
        case "week":
            return week(said + timedelta(weeks=low))[0], week(said + timedelta(weeks=high))[1]
        case "fortnight":
            return counted(said, "week", 2 * fewest, 2 * most, sign)
        case "weekend":
            return weekend(said + timedelta(weeks=low))[0], weekend(said + timedelta(weeks=high))[1]
        case "month":
            return months(said.year, said.month + low, high - low + 1)
        case "year":
            return years(said.year + low, said.year + high)
        case "decade":
            return years(said.year + 10 * low, said.year + 10 * high)
    raise ValueError(f"{unit!r} is no unit of days")


def rolling(said: date, unit: str) -> Days:
    """The days up to `said` that "the past week", month or year means."""
    lengths = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7, "month": 30, "year": 365}
    return said - timedelta(days=lengths.get(unit, 3652)), said


def weekday(said: date, day_of_week: int, which: Which) -> Days:
    """The weekday (0 is Monday) before `said`, on or after it, or in the week after.

    "next Friday" lies in the next week, since people say "this Friday" or "on Friday" of the
    coming one.
    """
    ahead = (day_of_week - said.weekday()) % 7
    if which == "last":
        return single(said + timedelta(days=ahead - 7))
    if which == "this":
        return single(said + timedelta(days=ahead))
    return single(week(said)[0] + timedelta(days=7 * STEPS[which] + day_of_week))


def season(said: date, first_month: int, which: Which) -> Days:
    """The season last over, under way or coming, next to begin."""
    for year in range(said.year - 1, said.year + 3):
        days = months(year, first_month, 3)
        if which.startswith("last") and months(year + 1, first_month, 3)[1] >= said:
            break
        if which == "this" and days[1] >= said:
            break
        if which.startswith("next") and days[0] > said:
            break
    extra = {"last but one": -1, "next but one": 1}.get(which, 0)
    return months(days[0].year + extra, first_month, 3)


def month_of_year(said: date, month: int, which: Which) -> Days:
    """The month last begun, present or coming, next to come, that has this number."""
    if which.startswith("last"):
        year = said.year if month < said.month else said.year - 1
    elif which == "this":
        year = said.year
    else:
        year = said.year if month > said.month else said.year + 1
    return months(year, month)


def leaning_year(said: date, month: int, day: int, lean: int) -> int:
    """The year of a month and day named without one: before, after or nearest to `said`.

    `lean` is -1 for the past (`said` included), 1 for the future, 0 for the nearest.
    """
    here = (month, day)
    if lean < 0:
        return said.year if here <= (said.month, said.day) else said.year - 1
    if lean > 0:
        return said.year if here >= (said.month, said.day) else said.year + 1
    ahead = (month - said.month) % 12
    return (said.year * 12 + said.month - 1 + (ahead if ahead <= 5 else ahead - 12)) // 12
