"""The calculator: exact values, what people type, clear refusals, and bounds that hold."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scenemem.base import calculator
from scenemem.base.calculator import calculate, is_arithmetic

VALUES = {
    "12*(8+5)": "156",
    "0.1+0.2": "0.3",
    "1.10 + 2.20": "3.3",
    "1/3": "0.3333333333333333",
    "-2/3": "-0.6666666666666666",
    "7/2": "3.5",
    "6/3": "2",
    "2**200": str(2**200),
    "2**-2": "0.25",
    "2**0.5": "1.4142135623730951",
    "-2**2": "-4",
    "(-2)**3": "-8",
    "2**3**2": "512",
    "-7//2": "-4",
    "-7 % 3": "2",
    "5 % 3": "2",
    "10 % 3.5": "3",
    "7.5//2": "3",
    "+5 - -3": "8",
    "64**(1/3)": "4",
    "6.25**0.5": "2.5",
    "8**(2/3)": "4",
    "4**-0.5": "0.5",
    "0**0": "1",
    "(-1)**(10**500)": "1",
    "1e6 + .5": "1000000.5",
    "007 + 1": "8",
    "12345678901234567890.5": "12345678901234567890.5",
    "1e16 + 0.3": "10000000000000000.3",
    "1e400/3": "3.3333333333333333e+399",
    "1e-400": "1e-400",
    "1e400 // 1e399": "10",
    "-(2**0.5*0)": "0",
    "4": "4",
}
AS_TYPED = {
    "12 × 3": "36",
    "12 · 3": "36",
    "12 x 3": "36",
    "6 ÷ 4": "1.5",
    "5 − 8": "-3",
    "5 – 8": "-3",
    "2^10": "1024",
    "1,234.5*2": "2469",
    "1,000,000 / 8": "125000",
    "  3 + 4  ": "7",
    "3+4=": "7",
    "3 + 4 = ?": "7",
    "3+4?": "7",
    "１２＋３": "15",
    "2 *\n3": "6",
}


@pytest.mark.parametrize(("expression", "value"), (VALUES | AS_TYPED).items())
def test_an_expression_has_its_value(expression: str, value: str) -> None:
    assert calculate(expression) == value


def test_a_power_of_a_decimal_is_computed_whatever_its_exact_length() -> None:
    assert calculate("1.04**300") == repr(float(Fraction("1.04") ** 300))
    assert float(calculate("1.04**3000")) == pytest.approx(1.04**3000)


def test_long_sums_are_worked_out() -> None:
    assert calculate("1+" * 400 + "1") == "401"
    assert calculate("1**" * 300 + "1") == "1"


NOT_ARITHMETIC = {
    "": "empty",
    "  ": "empty",
    " = ?": "empty",
    '__import__("os")': '"__import__" is not arithmetic',
    "os": '"os" is not',
    "abs(-1)": '"abs" is not',
    "'a'*3": "is not arithmetic",
    "1 < 2": '"<" is not',
    "1 == 1": '"=" is not',
    "True": '"True" is not',
    "None": '"None" is not',
    "1j": '"1j" is not',
    "nan": '"nan" is not',
    "inf": '"inf" is not',
    "0x10": '"0x10" is not',
    "1if 2else 3": '"1if" is not',
    "1 and 2": '"and" is not',
    "[1]": "is not arithmetic",
    "2 @ 3": '"@" is not',
    "1; 2": '";" is not',
    "~1": '"~" is not',
    "1 | 2": "is not",
    "\\d": "is not",
    "2²": "is not",
    "1..2": '"1..2" is not',
    "1.2.3": '"1.2.3" is not',
    "3,5 + 1": "commas separate thousands",
    "1,23": "commas separate thousands",
    "2(3)": 'an operator is missing between "2" and "("',
    "(2)(3)": "an operator is missing",
    "1 000": "an operator is missing",
    "()": "a number is missing",
    "() + 1": "a number is missing",
    "1 +": "not complete",
    "* 1": "not complete",
    "(*1)": "not complete",
    "2 / / 3": "not complete",
    "(1": "not complete",
    "1)": "not complete",
    "5 %": "not complete",
    "\x00": "is not",
    "\ud800": "is not",
}
WITHOUT_A_VALUE = {
    "1/0": "division by zero",
    "5 % 0": "division by zero",
    "5 // 0.0": "division by zero",
    "0**-1": "division by zero",
    "2**0.5 / 0": "division by zero",
    "(-1)**0.5": "root of a negative number",
    "(-8)**(1/3)": "root of a negative number",
}
TOO_MUCH = {
    "9**9**9": "too large",
    "((((7**60)**60)**60)**60)**60": "too large",
    "10**10**10": "too large",
    "2**2**2**2**2**2**2": "too large",
    "10**(10**1999)": "too large",
    "(-2.5)**30001": "too large",
    "*".join(["9" * 90] * 10) + "*" + "9" * 80: "980 digits",
    "*".join(["1e1500"] * 4): "too large",
    "2**0.5 * 1e400": "too large",
    "1e1999 + 2**0.5": "too large",
    "1e999": "1,000 digits; at most 500",
    "1e99999999999": "out of range",
    "1e-99999999999": "out of range",
    "0.5**100000": "too close to zero",
    "2**0.5 * 1e-300 * 1e-300": "too close to zero",
    "(" * 5000: "5,000 characters",
    "(" * 900: "nested too deep",
    "-" * 900 + "1": "nested too deep",
    "- " * 400 + "1": "nested too deep",
}


@pytest.mark.parametrize(
    ("expression", "why"),
    (NOT_ARITHMETIC | WITHOUT_A_VALUE | TOO_MUCH).items(),
    ids=lambda text: ascii(text)[:40],
)
def test_what_has_no_value_is_refused_in_a_sentence(expression: str, why: str) -> None:
    with pytest.raises(ValueError) as refusal:
        calculate(expression)
    told = str(refusal.value)
    assert why in told
    assert len(told) < 200
    assert "\n" not in told
    told.encode()


def test_brackets_nest_as_deep_as_allowed_and_no_deeper() -> None:
    deepest = calculator.DEEPEST
    assert calculate("(" * deepest + "1" + ")" * deepest) == "1"
    with pytest.raises(ValueError, match="nested"):
        calculate("(" * (deepest + 1) + "1" + ")" * (deepest + 1))


def test_a_whole_number_is_written_out_up_to_the_limit() -> None:
    longest = calculator.LONGEST_RESULT
    assert calculate(f"10**{longest - 1}") == "1" + "0" * (longest - 1)
    assert calculate(f"-10**{longest} + 1") == "-" + "9" * longest
    with pytest.raises(ValueError, match="digits"):
        calculate(f"10**{longest}")


def test_arithmetic_has_an_operator_between_numbers() -> None:
    for text in ("1+1", "1/0", "9**9**9", "(3 × 4)", "2 - -2 ="):
        assert is_arithmetic(text), text
    for text in ("", "5", "-5", "(5)", "+1", "1+", "one + two", "29.11.2026", "(" * 5000):
        assert not is_arithmetic(text), text


# --- for any text --------------------------------------------------------------------------------

ALPHABET = "0123456789.,eE+-*/%^() =?×÷−\n_xj#'\"\\"


@given(st.one_of(st.text(max_size=60), st.text(ALPHABET, max_size=60)))
@example("1_0")
@example("0" * 999)
@example("1e" + "9" * 900)
@example("9" * 1000)
@example("." * 1000)
@example("1," * 500)
@example("**" * 400)
@example("0**-0")
def test_any_text_has_a_value_or_is_refused(text: str) -> None:
    try:
        value = calculate(text)
    except ValueError as refusal:
        assert str(refusal)
    else:
        float(value)


numbers = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 1000, places=3, allow_nan=False, allow_infinity=False).map(str),
)


@st.composite
def sums(draw: st.DrawFn, depth: int = 3) -> tuple[str, Fraction]:
    """An expression and its value, by fractions."""
    if depth == 0 or draw(st.booleans()):
        number = draw(numbers)
        return number, Fraction(number)
    left, a = draw(sums(depth=depth - 1))
    right, b = draw(sums(depth=depth - 1))
    sign = draw(st.sampled_from(["+", "-", "*", "/", "//", "%"] if b else ["+", "-", "*"]))
    value = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a / b,
        "//": lambda: Fraction(a // b),
        "%": lambda: a % b,
    }[sign]()
    space = draw(st.sampled_from(["", " "]))
    return f"({left}){space}{sign}{space}({right})", value


@given(sums())
def test_it_agrees_with_fractions(expression_and_value: tuple[str, Fraction]) -> None:
    expression, value = expression_and_value
    told = calculate(expression)
    if value.denominator == 1:
        assert told == str(value.numerator)
    else:
        assert float(told) == float(value)


@given(st.integers(-(10**9), 10**9), st.integers(-40, 40))
def test_whole_powers_agree_with_fractions(base: int, exponent: int) -> None:
    if base == 0 and exponent < 0:
        return
    value = Fraction(base) ** exponent
    told = calculate(f"({base})**({exponent})")
    assert told == str(value) if value.denominator == 1 else float(told) == float(value)


@given(st.integers(1, 10**6), st.integers(2, 5))
def test_the_root_of_a_power_is_exact(base: int, degree: int) -> None:
    if base**degree < 2**53:
        assert calculate(f"({base}**{degree})**(1/{degree})") == str(base)
