"""Days named in text: found and resolved against the day on which they were said.

`days_named` is for questions: a cheap look first, and only a text that may name a day loads the
patterns of `finding`, which take longer to make ready than most recalls.
"""

from __future__ import annotations

from datetime import date

__all__ = ["days_named"]

# The first three letters of date words in the languages that `date_words` knows and that write in
# ASCII; a digit or a letter beyond ASCII is always looked at.
_CUES = (
    "jan feb mar apr may mai jun jul aug ago sep oct okt nov dec dez ene abr dic avr mon tue wed "
    "thu fri sat sun die mit don fre sam son lun jeu ven dim mie jue vie sab dom yes tod ton tom "
    "las nex thi day wee yea pas pre ges heu mor vor let hie auj dem aye hoy man ant spr sum aut "
    "fal win som her pri ver oto inv ete ear chr hal tha woc jah sem ann moi mes qua dec cen oth "
    "end beg mid sin bef aft hac pro ult nac com que una dos mer two few sev"
)
_BEGINNINGS = frozenset(_CUES.split())


def days_named(text: str, today: date) -> list[tuple[date, date]]:
    """The days that `text` names, as (first, last), read as said `today`. Never raises."""
    if text.isascii() and not _may_name_days(text):
        return []
    from scenemem.base.dates.finding import find_dates

    return [(found.first, found.last) for found in find_dates(text, today)]


def _may_name_days(text: str) -> bool:
    return any(
        word[:3] in _BEGINNINGS or any(c.isdigit() for c in word) for word in text.lower().split()
    )
