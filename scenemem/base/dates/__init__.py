"""Days named in text: found and resolved against the day on which they were said.

`days_named` is for questions: a cheap look first, and only a text that may name a day loads the
patterns of `finding`, which take longer to make ready than most recalls.
"""

from __future__ import annotations

from datetime import date
from functools import cache

from scenemem.base.languages import values

__all__ = ["days_named"]

# What a text without figures must hold a word of to name a day; a letter beyond ASCII is always
# looked at. Words are known by their beginnings, so that endings and full stops do no harm.
_NAMING = (
    "months", "weekdays", "short weekdays", "seasons", "day units", "pointing words", "named days",
    "holidays",
)  # fmt: skip
_SHORTEST, _LONGEST = 3, 5  # letters of a beginning


def days_named(text: str, today: date) -> list[tuple[date, date]]:
    """The days that `text` names, as (first, last), read as said `today`. Never raises."""
    if text.isascii() and not _may_name_days(text):
        return []
    from scenemem.base.dates.finding import find_dates

    return [(found.first, found.last) for found in find_dates(text, today)]


def _may_name_days(text: str) -> bool:
    known = _beginnings()
    return any(
        any(character.isdigit() for character in word)
        or any(word[:length] in known for length in range(_SHORTEST, _LONGEST + 1))
        for word in text.lower().split()
    )


@cache
def _beginnings() -> frozenset[str]:
    """The first letters of the words of days; of a phrase, of its longest word."""
    found = (phrase for section in _NAMING for phrase in values(section))
    longest = (max(p.split(), key=len) if " " in p else p for p in found if p.isascii())
    return frozenset(word[:_LONGEST] for word in longest if len(word) >= _SHORTEST)
