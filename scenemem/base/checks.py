"""What a caller hands in, checked at the door: wrong use gets one clear error, and no other later.

A type that is wrong is a `TypeError`, a number that is too small a `ValueError`.
"""

from __future__ import annotations

from scenemem.base.text import clean, shorten

__all__ = ["required_count", "required_text"]


def required_text(what: str, value: object) -> str:
    """The text, cleaned. `what` names it in the error: "the key"."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is {shorten(repr(value), 80)}; it is a text")
    return clean(value)


def required_count(what: str, value: object, least: int = 0) -> int:
    """A whole number from `least` on; `True` is none, and neither is 2.0."""
    told = f"{what} is {shorten(repr(value), 80)}; it is a whole number from {least}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(told)
    if value < least:
        raise ValueError(told)
    return value
