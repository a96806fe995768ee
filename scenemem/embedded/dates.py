"""Dates in text: found, resolved against the day on which they were said, and written out.

`find_dates("I went to Lisbon last week", date(2022, 11, 16))` is one mention, 7 to 13 November
2022. The day of speaking is the only clock; nothing here looks at the wall clock. What people
leave open ("on Friday", "in May") leans on the tense of the words around it.

The library `dateparser` knows more languages, but its search took 2.9 ms a sentence told that it
is English, and 94 ms left to find the language, where a bulk import has 0.2 ms for everything;
hence rules of our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from scenemem.embedded import day_spans as spans
from scenemem.embedded.date_words import (
    COUNTS,
    HOLIDAYS,
    MONTH_NAMES,
    MONTHS,
    NAMED_DAYS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH,
)
from scenemem.embedded.day_spans import Days

__all__ = ["DateMention", "find_dates", "format_dates"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date found in a text: the span `start:end` it stands at and the days `first`..`last`.

    `relative` tells that it can only be read with the day of speaking ("last week", "on Friday").
    """

    start: int
    end: int
    first: date
    last: date
    relative: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern, what it means, and the words without one of which it cannot match."""

    hints: frozenset[str]
    pattern: re.Pattern[str]
    resolve: Callable[[re.Match[str], date], Days | None]
    relative: bool = True


def find_dates(text: str, said: date) -> list[DateMention]:
    """The dates that `text` names, in order and without overlap, read as said on the day `said`.

    Never raises, whatever the text; what would fall outside the calendar is no mention.
    """
    rules: list[_Rule] = []
    words = set(_WORD.findall(text.lower()))
    if not words.isdisjoint(_HINTS):
        rules = [rule for rule in _SPACED_RULES if not words.isdisjoint(rule.hints)]
    if _NUMERIC_HINT.search(text):
        rules += _NUMERIC_RULES
    if not text.isascii() and _UNSPACED_HINT.search(text):
        rules += _UNSPACED_RULES
    return _mentions(text, said, rules) if rules else []


def _mentions(text: str, said: date, rules: Iterable[_Rule]) -> list[DateMention]:
    taken: list[DateMention] = []
    for rule in rules:
        for match in rule.pattern.finditer(text):
            start, end = match.span()
            if any(start < other.end and other.start < end for other in taken):
                continue
            try:
                days = rule.resolve(match, said)
            except (ValueError, OverflowError):  # 31 April, or beyond the calendar's ends
                continue
            if days is not None:
                taken.append(DateMention(start, end, *days, rule.relative))
    taken.sort(key=lambda mention: mention.start)
    return taken


def format_dates(first: date, last: date) -> str:
    """The days `first`..`last` the way people write them.

    "7 May 2023", "7-13 November 2022", "31 October-6 November 2022", "May 2023",
    "June-August 2022", "2019".
    """
    if first.day == 1 and last == spans.month_end(last.year, last.month):
        if (first.month, last.month) == (1, 12):
            return f"{first.year}" if first.year == last.year else f"{first.year}-{last.year}"
        start, end = _month_words(first), _month_words(last)
    elif first != last and (first.year, first.month) == (last.year, last.month):
        return f"{first.day}-{last.day} {_month_words(last)}"
    else:
        start, end = f"{first.day} {_month_words(first)}", f"{last.day} {_month_words(last)}"
    if start == end:
        return end
    return f"{start.rpartition(' ')[0] if first.year == last.year else start}-{end}"


def _month_words(day: date) -> str:
    return f"{MONTH_NAMES[day.month - 1]} {day.year}"


# --- the tense around a date ---------------------------------------------------------------------

_PAST = re.compile(
    r"\b(?:was|were|went|had|did|got|came|took|made|saw|met|bought|found|been|won|lost|left|ate|"
    r"began|felt|told|said|gave|ran|since|war|waren|hatte|habe|haben|wurde|ging|"
    r"(?!need|feed|speed)[a-z]{2,15}ed)\b",
    re.I,
)
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|gonna|plan|plans|planning|upcoming|coming|soon|scheduled|hope|"
    r"want|can|should|must|need|due|deadline|until|till|by|meeting|appointment|werde|wird|"
    r"werden|muss|soll|looking forward)\b|['’]ll\b",
    re.I,
)


def _lean(match: re.Match[str]) -> int:
    """-1 where the words around the match speak of the past, 1 of the future, else 0."""
    offset = max(0, match.start() - 90)
    near, at = match.string[offset : match.end() + 60], match.start() - offset
    past, future = _nearness(_PAST, near, at), _nearness(_FUTURE, near, at)
    return (future > past) - (past > future)


def _nearness(cue: re.Pattern[str], near: str, at: int) -> int:
    return max((200 - abs(found.start() - at) for found in cue.finditer(near)), default=0)


# --- what a match means --------------------------------------------------------------------------


def _named_day(match: re.Match[str], said: date) -> Days:
    phrase = " ".join(match.group().lower().replace("’", "'").split())
    return spans.single(said + timedelta(days=NAMED_DAYS[phrase]))


def _count(phrase: str | None) -> tuple[int, int]:
    if not phrase:
        return 1, 1
    if phrase.isdecimal():
        return int(phrase), int(phrase)
    words = phrase.lower().split()
    return next((COUNTS[word] for word in reversed(words) if word in COUNTS), (1, 1))


def _counted(match: re.Match[str], said: date, sign: int) -> Days:
    fewest, most = _count(match["count"])
    unit = match["unit"].lower()
    if unit in UNITS:
        return spans.counted(said, UNITS[unit], fewest, most, sign)
    day = WEEKDAYS[unit if unit in WEEKDAYS else unit.removesuffix("s")]
    nearest = spans.weekday(said, day, "last" if sign < 0 else "this")[0]
    return spans.single(nearest + timedelta(weeks=sign * (fewest - 1)))


def _ago(match: re.Match[str], said: date) -> Days:
    return _counted(match, said, -1)


def _ahead(match: re.Match[str], said: date) -> Days | None:
    # "I lost five kilos in two months" tells a length of time, not a day.
    return None if _lean(match) < 0 else _counted(match, said, 1)


def _pointed(match: re.Match[str], said: date) -> Days | None:
    """A word that points and what it points at: "last week", "nächsten Freitag", "le mois dernier"."""
    groups = match.groupdict()
    word = (groups.get("which") or groups.get("which_after") or "this").lower().split()[-1]
    which, what = WHICH[word], match["what"].lower()
    if what in UNITS:
        unit = UNITS[what]
        if word == "past" or (groups.get("the") and word == "last"):
            return spans.weekend(said - timedelta(weeks=1)) if unit == "weekend" else spans.rolling(
                said, unit
            )
        return spans.counted(said, unit, abs(spans.STEPS[which]), abs(spans.STEPS[which]), _sign(which))
    if what in WEEKDAYS:
        return spans.weekday(said, WEEKDAYS[what], which)
    if what in SEASONS:
        return spans.season(said, SEASONS[what], which)
    if what in HOLIDAYS:
        month, day = HOLIDAYS[what]
        lean = _sign(which) if which != "this" else 0
        return _day_of_year(said, month, day, lean)
    return spans.month_of_year(said, MONTHS[what], which)


def _sign(which: spans.Which) -> int:
    return -1 if spans.STEPS[which] < 0 else 1


def _day_of_year(said: date, month: int, day: int, lean: int) -> Days:
    return spans.single(date(spans.leaning_year(said, month, day, lean), month, day))
