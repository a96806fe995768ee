"""The words of dates, of all languages together: out of the language files, ready for `rules`.

`rules` builds its patterns from these and `readings` reads the matched words back through them. A
table maps a word or phrase, in lower case, to its value.
"""

from __future__ import annotations

from typing import Final, cast

from scenemem.base.dates.day_spans import Which
from scenemem.base.languages import phrases, rows, values

MONTHS: Final = {word: int(month) for word, month in values("months").items()}
SHORT_WEEKDAYS: Final = {word: int(day) - 1 for word, day in values("short weekdays").items()}
WEEKDAYS: Final = SHORT_WEEKDAYS | {word: int(day) - 1 for word, day in values("weekdays").items()}

# Season -> its first month (meteorological, northern); each lasts three months.
_FIRST_MONTHS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
SEASONS: Final = {word: _FIRST_MONTHS[season] for word, season in values("seasons").items()}

UNITS: Final = values("day units")

# A word that points back, on, or at the present.
WHICH: Final = cast(dict[str, Which], values("pointing words"))

# A named day -> its distance from the day of speaking.
NAMED_DAYS: Final = {phrase: int(days) for phrase, days in values("named days").items()}

# Days of the year with a fixed date: month, day.
HOLIDAYS: Final = {
    phrase: (int(month), int(day))
    for phrase, date in values("holidays").items()
    for month, _, day in (date.partition("-"),)
}

# How many: the least and the most that the word means ("2-4: few").
COUNTS: Final = {
    phrase: (int(least), int(most or least))
    for phrase, number in values("numbers").items()
    for least, _, most in (number.partition("-"),)
}

PAST_WORDS: Final = phrases("past words")
FUTURE_WORDS: Final = phrases("future words")

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip


def date_words(key: str) -> tuple[str, ...]:
    """The phrases of a row of the sections `date words`: small words that stand around dates."""
    return rows("date words").get(key, ())
