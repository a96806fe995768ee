"""Arithmetic in what somebody says: "What is 3 plus 4?", "calc 2^10", "sqrt 16", "12*(8+5)".

What is found is written as a calculator takes it. A date, a telephone number, a score or a range of
years is no sum, though it is written like one. Pure.
"""

from __future__ import annotations

import re

from scenemem.base.calculator import is_arithmetic
from scenemem.engines.rules import command_forms as forms

__all__ = ["is_sum_alone", "sums_in", "written_out"]

_ANOTHER = re.compile(r"\s+(?:and|und|et|y)\s+|;\s+|,\s+")


def sums_in(clause: str) -> list[str]:
    """The expressions that a clause asks to work out; none where it asks for anything else."""
    asked = forms.HOW_MUCH.fullmatch(clause)
    told = forms.CALCULATE.fullmatch(clause)
    if asked and not forms.NO_SUM.fullmatch(asked["value"].strip()):
        values = asked["value"]
    elif told:
        values = told["value"]
    elif is_sum_alone(clause):
        values = clause
    else:
        return []
    expressions = [written_out(value) for value in _ANOTHER.split(values)]
    return expressions if all(map(is_arithmetic, expressions)) else []


def is_sum_alone(text: str) -> bool:
    """Whether the text is nothing but arithmetic, and no date, telephone number, score or range."""
    bare = text.rstrip(" .?=")
    if forms.NO_SUM.fullmatch(bare) or (forms.NO_SUM_ALONE.fullmatch(bare) and "=" not in text):
        return False
    return is_arithmetic(written_out(text))


def written_out(text: str) -> str:
    """An expression as a calculator takes it: operators and roots in words become signs."""
    for pattern, sign in forms.IN_WORDS:
        text = pattern.sub(sign, pattern.sub(sign, text))  # a root may stand within a root
    text = text.strip(" \t\r\n=?!:").removesuffix(".")
    alone = forms.ROOT_ALONE.fullmatch(text)
    return alone[1] if alone else text
