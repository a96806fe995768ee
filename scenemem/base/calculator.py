"""Evaluate arithmetic written as text: exact where possible, bounded in time and size, no code.

    calculate("12*(8+5)")   "156"
    calculate("0.1 + 0.2")  "0.3"

The text is first split into numbers and operators, so that nothing else ever reaches Python's
parser; the resulting tree is evaluated over fractions. The digits of a power are estimated before
it is computed, and every other result is at most twice as long as its operands, so that no
expression takes more than a moment. Values without a short exact form (a root, a power of decimals)
are computed in floating point.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, NoReturn

from scenemem.base.text import clean, shorten

__all__ = ["calculate", "is_arithmetic"]

LONGEST_EXPRESSION = 1_000  # characters
DEEPEST = 50  # brackets within brackets, or signs in a row
MOST_DIGITS = 2_000  # of an intermediate numerator or denominator
LONGEST_RESULT = 500  # digits of an integer result
_LONGEST_DECIMAL = 30  # digits of a result written out instead of rounded
_HIGHEST_ROOT = 64  # exact roots are tried up to the 64th

_MOST_BITS = math.ceil(MOST_DIGITS * math.log2(10))
_AS_TYPED: Final = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/", "−": "-", "–": "-"}
    | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # full-width forms
)
_TIMES: Final = re.compile(r"(?<=[0-9)]) [xX] (?=[0-9(.+-])")
_TOKEN: Final = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)(?![\w.,])"
    r"|(?P<operator>\*\*|//|[-+*/%^()])"
    r"|(?P<other>[\w.,]+|.)",
    re.DOTALL,
)
_ALLOWED = "numbers, + - * / // % ** and parentheses are allowed"

Number = Fraction | float


def calculate(expression: str) -> str:
    """The value of an arithmetic `expression`, as text.

    It may contain numbers ("1,234.5", "1e6"), + - * / // % ** and parentheses. × · ÷ − and ^
    (power) are accepted too, as is a trailing "=" or "?". Integers and decimals are exact; other
    fractions are rounded to about 16 digits. Operators bind as in Python.

    Raises `ValueError` if it is not arithmetic, has no real value, or would take too long to
    compute.
    """
    root, source = _parse(expression)
    return _format(_evaluate(root, source))


def is_arithmetic(text: str) -> bool:
    """Whether `text` is an expression with at least one operator between two numbers.

    It is not evaluated: "1/0" is arithmetic.
    """
    try:
        root, _ = _parse(text)
    except ValueError:
        return False
    return any(isinstance(node, ast.BinOp) for node in ast.walk(root))


# --- parsing -------------------------------------------------------------------------------------


def _parse(expression: str) -> tuple[ast.expr, str]:
    """The expression as a syntax tree, and the source text its nodes point into."""
    if len(expression) > LONGEST_EXPRESSION:
        raise ValueError(
            f"the expression has {len(expression):,} characters; "
            f"at most {LONGEST_EXPRESSION:,} are allowed"
        )
    text = _TIMES.sub("*", expression.translate(_AS_TYPED)).strip().rstrip("=? \t\r\n")
    tokens = _tokens(text)
    _check_order(tokens)
    source = " ".join(tokens)
    return _syntax_tree(source, text), source


def _tokens(text: str) -> list[str]:
    """The numbers and operators of `text`, as Python writes them."""
    tokens = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "other":
            _reject(token)
        elif match.lastgroup == "number":
            number = token.replace(",", "").lstrip("0")
            tokens.append(number if number[:1].isdigit() else f"0{number}")
        elif match.lastgroup == "operator":
            tokens.append("**" if token == "^" else token)
    if not tokens:
        raise ValueError("the expression is empty; write arithmetic such as 12*(8+5)")
    return tokens


def _reject(token: str) -> NoReturn:
    """Raise an error that says why `token` is not allowed."""
    if token.strip(",.0123456789") == "" and "," in token:
        raise ValueError(
            f"{_excerpt(token)} is not a number; commas separate thousands, as in 1,234.5"
        )
    raise ValueError(f"{_excerpt(token)} is not arithmetic; {_ALLOWED}")


def _check_order(tokens: Sequence[str]) -> None:
    """Reject nesting too deep for the parser, and operands with no operator between them."""
    depth = signs = 0
    before = ""
    for token in tokens:
        depth += (token == "(") - (token == ")")
        signs = signs + 1 if token in ("+", "-") else 0
        if depth > DEEPEST or signs > DEEPEST:
            raise ValueError(
                f"the expression is nested too deeply; at most {DEEPEST} levels are allowed"
            )
        if _ends_operand(before) and (token == "(" or token[0].isdigit()):
            between = f"between {_excerpt(before)} and {_excerpt(token)}"
            raise ValueError(f"an operator is missing {between}; {_ALLOWED}")
        before = token


def _ends_operand(token: str) -> bool:
    return token == ")" or token[:1].isdigit()


def _syntax_tree(source: str, text: str) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(
            f"{_excerpt(text)} is not complete arithmetic; write it like 12*(8+5)"
        ) from None


def _excerpt(text: str) -> str:
    return f'"{shorten(clean(text), 40)}"'


# --- evaluating ---------------------------------------------------------------------------------


def _evaluate(root: ast.expr, source: str) -> Number:
    """Evaluate a parsed expression without recursion, as sums may have hundreds of terms."""
    values: list[Number] = []
    waiting: list[tuple[ast.expr, bool]] = [(root, False)]
    while waiting:
        node, has_operands = waiting.pop()
        if isinstance(node, ast.Constant):
            values.append(_literal(source[node.col_offset : node.end_col_offset]))
        elif isinstance(node, ast.UnaryOp):
            if has_operands:
                values.append(-values.pop() if isinstance(node.op, ast.USub) else values.pop())
            else:
                waiting += [(node, True), (node.operand, False)]
        elif isinstance(node, ast.BinOp):
            if has_operands:
                right, left = values.pop(), values.pop()
                values.append(_apply(node.op, left, right))
            else:
                waiting += [(node, True), (node.right, False), (node.left, False)]
        else:
            raise ValueError('"()" is not arithmetic; a number is missing between the parentheses')
    return values.pop()


def _literal(text: str) -> Fraction:
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) + abs(int(exponent or 0)) > MOST_DIGITS:
        raise ValueError(
            f"{_excerpt(text)} is out of range; at most {MOST_DIGITS:,} digits are allowed"
        )
    return Fraction(text)


_OPERATIONS: Final[dict[type[ast.operator], Callable[[Number, Number], Number]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _apply(sign: ast.operator, left: Number, right: Number) -> Number:
    try:
        if isinstance(sign, ast.Pow):
            return _in_range(_power(left, right))
        operation = _OPERATIONS[type(sign)]
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return _in_range(Fraction(operation(left, right)))
        left, right = float(left), float(right)
        result = operation(left, right)
    except ZeroDivisionError:
        raise ValueError("division by zero; divide by another number") from None
    except OverflowError:
        raise _too_large() from None
    if result == 0 and left and right and isinstance(sign, ast.Mult | ast.Div):
        raise _too_small()
    return _in_range(result)


def _in_range(value: Number) -> Number:
    """`value`, converted to floating point if it is a fraction with too many digits."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _too_large()
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _MOST_BITS:
        return value
    if value.denominator == 1:
        raise _too_large()
    rounded = float(value)
    if rounded == 0:
        raise _too_small()
    return rounded


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if exponent.denominator == 1:
            power = _whole_power(base, exponent.numerator)
        else:
            root = _whole_root(base, exponent.denominator)
            power = None if root is None else _whole_power(root, exponent.numerator)
        if power is not None:
            return power
    if base < 0 and float(exponent) != math.floor(exponent):
        raise ValueError("the root of a negative number is not real; use 0 or more")
    power = float(base) ** float(exponent)
    if power == 0 and base != 0:
        raise _too_small()
    return float(power)


def _whole_power(base: Fraction, exponent: int) -> Fraction | None:
    """`base` to an integer power; None if it has too many digits but may fit a float."""
    size = max(abs(base.numerator), base.denominator)
    if size > 1:
        if exponent.bit_length() > 64 or math.log2(size) * abs(exponent) > _MOST_BITS:
            if base.denominator == 1 and exponent > 0:
                raise _too_large()
            return None
    elif size == 1 and base:
        return base if exponent % 2 else abs(base)
    return Fraction(base**exponent)


def _whole_root(base: Fraction, degree: int) -> Fraction | None:
    """The root of `base` if it is an exact fraction, as for 64 or 6.25."""
    if base < 0 or degree > _HIGHEST_ROOT or max(base.numerator, base.denominator) >= 2**53:
        return None
    root = Fraction(round(base.numerator ** (1 / degree)), round(base.denominator ** (1 / degree)))
    return root if root**degree == base else None


def _too_large() -> ValueError:
    return ValueError(f"the result is too large; at most {MOST_DIGITS:,} digits are supported")


def _too_small() -> ValueError:
    return ValueError("the result is too close to zero to represent; use larger numbers")


# --- formatting
# -------------------------------------------------------------------------------------


def _format(value: Number) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if value.denominator == 1:
        if abs(value) >= 10**LONGEST_RESULT:
            digits = len(str(abs(value.numerator)))
            raise ValueError(
                f"the result has {digits:,} digits; at most {LONGEST_RESULT} are written out"
            )
        return str(value.numerator)
    rounded = _rounded(value)
    return rounded if Fraction(rounded) == value else _exact_decimal(value) or rounded


def _rounded(value: Fraction) -> str:
    """`value` as Python writes the nearest float, or with 17 digits if no float is near."""
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf
    if math.isfinite(nearest) and abs(nearest) > 1e-300:
        return str(int(nearest)) if nearest.is_integer() and abs(nearest) < 1e16 else repr(nearest)
    wide = Context(prec=17, Emin=-9 * MOST_DIGITS, Emax=9 * MOST_DIGITS)
    return str(wide.divide(Decimal(value.numerator), Decimal(value.denominator))).lower()


def _exact_decimal(value: Fraction) -> str | None:
    """`value` as an exact decimal; None if it is infinite or too long."""
    for places in range(1, _LONGEST_DECIMAL + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            if len(digits) > _LONGEST_DECIMAL:
                return None
            return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return None
