"""Days named in text: found and resolved against the day on which they were said.

`days_named` is for questions: a cheap look first, and only a text that may name a day loads the
patterns of `finding`, which take longer to make ready than most recalls.
"""

from __future__ import annotations

import re
from datetime import date

__all__ = ["days_named"]

# The beginnings of date words in the languages that `date_words` knows and that write in ASCII;
# text beyond ASCII is always looked at.
_MAY_NAME_DAYS = re.compile(
    r"[^\x00-\x7f]|\d|\b(?:jan|feb|mar|apr|ma[iy]|ju[nl]|aug|ago|sep|oct|okt|nov|de[cz]|ene|abr|dic|"
    r"avr|mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mer|jeu|ven|dim|mie|jue|vie|sab|"
    r"dom|yes|tod|ton|tom|las|next|this|day|week|year|past|prev|ges|heu|mor|vor|let|uebe|hier|auj|"
    r"dem|ayer|hoy|man|ant|spr|sum|aut|fall|win|som|her|prim|ver|oto|inv|ete|ear|chr|hal|new y|"
    r"christ|east|thanks|w(?:oche|och)|jahr|sem|ann|mois|mes|quarter|decade|century|the other)",
    re.IGNORECASE,
)


def days_named(text: str, today: date) -> list[tuple[date, date]]:
    """The days that `text` names, as (first, last), read as said `today`. Never raises."""
    if not _MAY_NAME_DAYS.search(text):
        return []
    from scenemem.dates.finding import find_dates

    return [(found.first, found.last) for found in find_dates(text, today)]
