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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from scenemem.base.dates.date_words import MONTH_NAMES, date_words
from scenemem.base.dates.day_spans import month_end
from scenemem.base.dates.rules import CAPITALISED, Rule, rules_for
from scenemem.base.text import lowered

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


def find_dates(text: str, said: date) -> list[DateMention]:
    """The dates that `text` names, in order and without overlap, read as said on the day `said`.

    Never raises, whatever the text; what would fall outside the calendar is no mention.
    """
    lower = lowered(text)
    rules = rules_for(text, lower)
    return _whole_days(text, _mentions(text, lower, said, rules)) if rules else []


def _whole_days(text: str, mentions: Sequence[DateMention]) -> list[DateMention]:
    """The mentions with "Saturday" and "5 December" made one in "Saturday 5 December"."""
    whole: list[DateMention] = []
    for mention in mentions:
        before = whole[-1] if whole else None
        if (
            before is not None
            and before.relative
            and before.first == before.last
            and mention.first == mention.last
            and not mention.relative
            and text[before.end : mention.start].lower() in (" ", ", ", " the ", ", the ", ", den ")
        ):
            whole[-1] = replace(mention, start=before.start)
        else:
            whole.append(mention)
    return whole


def _mentions(text: str, lower: str, said: date, rules: Iterable[Rule]) -> list[DateMention]:
    taken: list[DateMention] = []
    for rule in rules:
        for match in rule.pattern.finditer(lower):
            start, end = match.span()
            if any(start < other.end and other.start < end for other in taken):
                continue
            if _is_another_word(text, match):
                continue
            try:
                days = rule.reading(match, said)
            except (ValueError, OverflowError):  # 31 April, or beyond the calendar's ends
                continue
            if days is not None:
                taken.append(DateMention(start, end, *days, rule.relative))
    taken.sort(key=lambda mention: mention.start)
    return taken


_CAPITALISED_ANOTHER = frozenset(date_words("another word with a capital"))


def _is_another_word(text: str, match: re.Match[str]) -> bool:
    """Whether a small "may" was read as a month, or "Guten Morgen" as tomorrow."""
    if match.group() in _CAPITALISED_ANOTHER and text[match.start()].isupper():
        return text[: match.start()].rstrip()[-1:] not in ("", ".", "!", "?")
    groups = match.groupdict()
    if groups.get("year"):
        return False
    return any(
        groups.get(group) in CAPITALISED and text[slice(*match.span(group))] in CAPITALISED
        for group in ("month", "what")
    )


def format_dates(first: date, last: date) -> str:
    """The days `first`..`last` the way people write them.

    "7 May 2023", "7-13 November 2022", "31 October-6 November 2022", "May 2023",
    "June-August 2022", "2019".
    """
    if first.day == 1 and last == month_end(last.year, last.month):
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
