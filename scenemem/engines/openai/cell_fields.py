"""The fields of a cell as models write them, each read to what the memory stores. Pure.

What a field can't be read from takes a documented default: salience `DEFAULT_SALIENCE` (0.5), type
`DEFAULT_TYPE` (fact), scene and days none. A field never costs the cell.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date

from scenemem.base.records import CELL_TYPES, CellType
from scenemem.base.text import shorten

__all__ = [
    "DEFAULT_SALIENCE",
    "DEFAULT_TYPE",
    "DayRange",
    "read_days",
    "read_numbers",
    "read_salience",
    "read_scene",
    "read_type",
    "salience_scale",
]

DEFAULT_SALIENCE = 0.5
DEFAULT_TYPE: CellType = "fact"
_LONGEST_SCENE = 80
DayRange = tuple[date, date]

_OTHER_NAMES: Mapping[str, CellType] = {
    "goal": "plan", "intention": "plan", "event": "plan", "schedule": "plan",
    "like": "preference", "dislike": "preference", "opinion": "preference", "habit": "preference",
    "choice": "decision", "agreement": "decision",
    "todo": "task", "reminder": "task", "action": "task", "action item": "task",
    "concern": "risk", "warning": "risk", "problem": "risk", "issue": "risk",
}  # fmt: skip


def read_type(value: object) -> CellType | None:
    """The cell type that a model's word stands for; None when it is none of ours."""
    if not isinstance(value, str):
        return None
    word = re.sub(r"[\W_]+", " ", value).strip().lower()
    for name in (word, word.removesuffix("s"), word.removesuffix(" cell")):
        for cell_type in CELL_TYPES:
            if name == cell_type:
                return cell_type
        if name in _OTHER_NAMES:
            return _OTHER_NAMES[name]
    return None


def salience_scale(values: Sequence[object]) -> float:
    """What the saliences of one reply are parts of: 10 where all are whole and one is above 1.

    A model that counts from 1 to 10 means by 1 the least, not the most.
    """
    numbers = [n for n in map(_plain_number, values) if n is not None]
    counted = all(n == int(n) and 0 <= n <= 10 for n in numbers)
    return 10.0 if counted and any(n > 1 for n in numbers) else 1.0


def read_salience(value: object, scale: float = 1.0) -> float:
    """A number from 0 to 1: 0.7, "0.7", "70%", 7 (of 10), 70 (of 100), "7/10", "7 of 10".

    Words, null, booleans, what is below 0, above 100 or no number are `DEFAULT_SALIENCE`.
    """
    if isinstance(value, str):
        text = value.strip().replace(",", ".")
        if of := re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+(?:\.\d+)?)", text):
            return _share(float(of[1]), float(of[2]))
        if percent := re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:%|percent)", text):
            return _share(float(percent[1]), 100.0)
    number = _plain_number(value)
    if number is None:
        return DEFAULT_SALIENCE
    if number <= 1:
        return _share(number, scale)
    return _share(number, 10.0 if number <= 10 else 100.0)


def _plain_number(value: object) -> float | None:
    """The finite number that a JSON value or a text is, booleans aside."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.strip().replace(",", ".") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _share(part: float, whole: float) -> float:
    if whole <= 0 or not 0 <= part <= whole:
        return DEFAULT_SALIENCE
    return part / whole


def read_scene(value: object) -> str:
    """A scene's name on one line; of several the first; "" when there is none."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str) and item.strip()), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    name = shorten(value.strip().strip("[]\"'`#").replace("_", " "), _LONGEST_SCENE)
    return "" if name.lower() in ("none", "null", "n/a", "unknown") else name


def read_numbers(value: object) -> tuple[int, ...]:
    """Whole numbers above 0, given as one, as text ("2", "#2, #5") or as a list."""
    if isinstance(value, list):
        return tuple(n for item in value for n in read_numbers(item))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ()
    digits = re.findall(r"\d{1,9}", value) if isinstance(value, str) else [value]
    return tuple(n for n in map(int, digits) if n > 0)


def read_days(value: object) -> DayRange | None:
    """The first and last day of `2026`, `2026-05`, `2026-05-07`, or of a range `…/…` of them."""
    if not isinstance(value, str):
        return None
    parts = [_days_of(part) for part in re.split(r"\s*(?:/|\bto\b|–|\.\.)\s*", value.strip())]
    if not parts or len(parts) > 2 or None in parts:
        return None
    ranges = [part for part in parts if part is not None]
    first, last = ranges[0][0], ranges[-1][1]
    return (first, last) if first <= last else None


def _days_of(text: str) -> DayRange | None:
    match = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?", text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        if month is None:
            return date(year or 0, 1, 1), date(year or 0, 12, 31)
        if day is None:
            return date(year or 0, month, 1), date(
                year or 0, month, monthrange(year or 1, month)[1]
            )
        return date(year or 0, month, day), date(year or 0, month, day)
    except ValueError:
        return None
