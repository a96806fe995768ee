"""What the matched form of a date means to somebody who speaks on a given day.

Every reading takes the match (over lower-case text) and the day of speaking, and returns the span
of days, or None where the words turn out to be no date. What people leave open ("on Friday",
"in May") leans on the tense of the words around it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from scenemem.base.dates import day_spans as spans
from scenemem.base.dates.date_words import (
    COUNTS,
    FUTURE_WORDS,
    HOLIDAYS,
    MONTHS,
    NAMED_DAYS,
    PAST_WORDS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH,
)
from scenemem.base.dates.day_spans import Days, Which

_PAST = re.compile(rf"\b(?:{'|'.join(PAST_WORDS)}|(?!need|feed|speed)[a-z]{{2,15}}ed)\b")
_FUTURE = re.compile(
    rf"\b(?:{'|'.join(FUTURE_WORDS)}|"
    # What was put off lies ahead: "we moved the dinner to Friday".
    r"(?:moved|pushed|postponed|delayed|shifted)(?: \S+){0,4} (?:to|on|until))\b|'ll\b"
)
_BEFORE, _AFTER = 90, 60  # how many characters around a date its tense is looked for


def _lean(match: re.Match[str]) -> int:
    """-1 where the words around the match speak of the past, 1 of the future, else 0."""
    offset = max(0, match.start() - _BEFORE)
    near, at = match.string[offset : match.end() + _AFTER], match.start() - offset
    past, future = _nearness(_PAST, near, at), _nearness(_FUTURE, near, at)
    return (future > past) - (past > future)


def _nearness(cue: re.Pattern[str], near: str, at: int) -> int:
    return max((200 - abs(found.start() - at) for found in cue.finditer(near)), default=0)


# --- days and counted units ----------------------------------------------------------------------


def named_day(match: re.Match[str], said: date) -> Days:
    """yesterday, übermorgen, avant-hier, 昨天."""
    return spans.single(said + timedelta(days=NAMED_DAYS[" ".join(match.group().split())]))


def ago(match: re.Match[str], said: date) -> Days:
    """two weeks ago, vor drei Tagen, il y a un mois, three Fridays ago."""
    return _counted(match, said, -1)


def ahead(match: re.Match[str], said: date) -> Days | None:
    """in two weeks, dans trois jours; not "I lost five kilos in two months", which is a length."""
    if match["unit"] == "day" or _lean(match) < 0:  # "Rome wasn't built in a day"
        return None
    return _counted(match, said, 1)


def before_or_after(match: re.Match[str], said: date) -> Days:
    """三天前, 2週間前, 两个月后."""
    return _counted(match, said, -1 if "前" in match["sign"] else 1)


def lately(match: re.Match[str], said: date) -> Days:
    """the last three weeks: from that long ago up to the day of speaking."""
    return spans.counted(said, UNITS[match["unit"]], 0, _count(match["count"])[1], -1)[0], said


def shortly(match: re.Match[str], said: date) -> Days:
    """the next few days: from the day of speaking on."""
    return said, spans.counted(said, UNITS[match["unit"]], 0, _count(match["count"])[1], 1)[1]


def _count(phrase: str) -> tuple[int, int]:
    if phrase.isdecimal():
        return int(phrase), int(phrase)
    return COUNTS[" ".join(phrase.split())]


def _counted(match: re.Match[str], said: date, sign: int) -> Days:
    fewest, most = _count(match["count"])
    unit = match["unit"]
    if unit in UNITS:
        return spans.counted(said, UNITS[unit], fewest, most, sign)
    day = WEEKDAYS[unit.removesuffix("s")]
    nearest = spans.weekday(said, day, "last" if sign < 0 else "this")[0]
    return spans.single(nearest + timedelta(weeks=sign * (fewest - 1)))


# --- words that point ----------------------------------------------------------------------------


def pointed(match: re.Match[str], said: date) -> Days:
    """last week, next Friday, diesen Sommer, le mois dernier."""
    groups = match.groupdict()
    word = groups["which"].split()[-1]
    which, what = WHICH[word], match["what"]
    unit = UNITS.get(what)
    if unit == "weekend" and which == "this":
        return near_weekend(match, said)
    if unit and unit != "weekend" and (word == "past" or (groups.get("the") and word == "last")):
        return spans.rolling(said, unit)
    return _span(what, which, said)


def before_last(match: re.Match[str], said: date) -> Days:
    """the week before last."""
    return _span(match["what"], "last but one", said)


def after_next(match: re.Match[str], said: date) -> Days:
    """the week after next."""
    return _span(match["what"], "next but one", said)


def present(match: re.Match[str], said: date) -> Days:
    """the end of the month."""
    return _span(match["what"], "this", said)


def near_weekend(match: re.Match[str], said: date) -> Days:
    """over the weekend, this weekend."""
    back = said.weekday() < 5 and _lean(match) < 0
    return spans.weekend(said - timedelta(weeks=1) if back else said)


def weekday_of_week(match: re.Match[str], said: date) -> Days:
    """Friday of last week, 上周五, 先週の金曜日."""
    monday = _span("week", WHICH[match["which"]], said)[0]
    return spans.single(monday + timedelta(days=WEEKDAYS[match["day"]]))


def bare_weekday(match: re.Match[str], said: date) -> Days | None:
    """on Friday; not "every Friday"."""
    if match["every"]:
        return None
    which: Which = "last" if _lean(match) < 0 else "this"
    return spans.weekday(said, WEEKDAYS[match["what"]], which)


def _span(what: str, which: Which, said: date) -> Days:
    steps = spans.STEPS[which]
    if what in UNITS:
        return spans.counted(said, UNITS[what], abs(steps), abs(steps), -1 if steps < 0 else 1)
    if what in WEEKDAYS:
        return spans.weekday(said, WEEKDAYS[what], which)
    if what in SEASONS:
        return spans.season(said, SEASONS[what], which)
    if what in HOLIDAYS:
        return _day_of_year(said, *HOLIDAYS[what], steps)
    return spans.month_of_year(said, MONTHS[what], which)


# --- days of the year ----------------------------------------------------------------------------


def day_and_month(match: re.Match[str], said: date) -> Days | None:
    """May 8th, 8 May 2023, 3-5 May."""
    month, day = MONTHS[match["month"]], int(match["day"])
    year = int(match["year"] or spans.leaning_year(said, month, day, _lean(match)))
    last = int(match["until"] or day)
    return (date(year, month, day), date(year, month, last)) if last >= day else None


def month_and_year(match: re.Match[str], said: date) -> Days:
    """May 2023."""
    return spans.months(int(match["year"]), MONTHS[match["month"]])


def bare_month(match: re.Match[str], said: date) -> Days:
    """in May, since July."""
    month, lean = MONTHS[match["month"] or match["sure"]], _lean(match)
    return spans.months(spans.leaning_year(said, month, said.day, lean), month)


def season_and_year(match: re.Match[str], said: date) -> Days:
    """summer of 2019."""
    return spans.months(int(match["year"]), SEASONS[match["season"]], 3)


def year_alone(match: re.Match[str], said: date) -> Days:
    """in 2019, in the 1990s."""
    first = int(match["year"])
    return spans.years(first, first + 9 if match.group().endswith("s") else first)


def day_of_month(match: re.Match[str], said: date) -> Days:
    """on the 12th: the last or the next such day."""
    day, lean = int(match["day"]), _lean(match)
    step = 0 if day == said.day else -1 if lean < 0 < day - said.day else 0
    if lean >= 0 and day < said.day:
        step = 1
    first = spans.months(said.year, said.month + step)[0]
    return spans.single(first.replace(day=day))


def holiday(match: re.Match[str], said: date) -> Days | None:
    """at Christmas, where the tense tells which one."""
    lean = _lean(match)
    return _day_of_year(said, *HOLIDAYS[match["what"]], lean) if lean else None


def numeric(match: re.Match[str], said: date) -> Days:
    """2026-03-14, 14.03.2026, 3/14/2026."""
    year, month, day = int(match["year"]), *_month_first(match)
    return spans.single(date(year + 2000 if year < 100 else year, month, day))


def numeric_day(match: re.Match[str], said: date) -> Days:
    """on 3/14."""
    return _day_of_year(said, *_month_first(match), _lean(match))


def _month_first(match: re.Match[str]) -> tuple[int, int]:
    month, day = int(match["month"]), int(match["day"])
    # 31/12: the reading with a thirty-first month is none.
    return (day, month) if month > 12 >= day else (month, day)


def _day_of_year(said: date, month: int, day: int, lean: int) -> Days:
    return spans.single(date(spans.leaning_year(said, month, day, lean), month, day))


def unspaced_year(match: re.Match[str], said: date) -> Days:
    """去年, 明年5月, 去年夏天, 2023年5月3日, 5月3号."""
    named, month, day = match["named"], match["month"], match["day"]
    year = int(match["year"] or 0)
    if named:
        year = said.year + spans.STEPS[WHICH[named[0]]]
    if match["season"]:
        return spans.months(year, SEASONS[match["season"]], 3)
    if month is None:
        return spans.years(year, year)
    if not year:
        year = spans.leaning_year(said, int(month), int(day or said.day), 0)
    if day is None:
        return spans.months(year, int(month))
    return spans.single(date(year, int(month), int(day)))
