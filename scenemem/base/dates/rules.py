"""The forms that dates take in text: patterns, each with its reading.

A rule names words that must stand in a text for it to match at all, so that most texts cost one
look at their words. Patterns are matched against lower-case text with straight apostrophes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from scenemem.base.dates import readings as read
from scenemem.base.dates.date_words import (
    COUNTS,
    HOLIDAYS,
    MONTHS,
    NAMED_DAYS,
    SEASONS,
    SHORT_WEEKDAYS,
    UNITS,
    WEEKDAYS,
    WHICH,
    date_words,
)
from scenemem.base.dates.day_spans import Days

__all__ = ["CAPITALISED", "Rule", "rules_for"]

# Words that are a date's only with a capital: the others mean something else as well.
CAPITALISED = frozenset(date_words("only with a capital"))


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of date.

    It can only match where each of the sets in `needs` shares a word with the text ("0" stands for
    any digit); the rarest set comes first. `relative` tells that the date found means nothing
    without the day of speaking.
    """

    pattern: re.Pattern[str]
    reading: Callable[[re.Match[str], date], Days | None]
    needs: tuple[frozenset[str], ...] = ()
    relative: bool = True


def rules_for(text: str, lower: str) -> list[Rule]:
    """The rules that may match in `text`, surest first; none for most texts.

    `lower` is `text` in lower case, equally long.
    """
    words = set(_WORD.findall(lower))
    digits = _DIGIT.search(lower) is not None
    if digits:
        words.add("0")
    rules: list[Rule] = []
    if not words.isdisjoint(_TRIGGERS):
        for word in words & CAPITALISED:
            if word.capitalize() not in text and not digits:
                words.discard(word)
        tried = {at for word in words & _TRIGGERS for at in _TRIGGERED[word]}
        rules = [_SPACED_RULES[at] for at in sorted(tried) if _may_match(_SPACED_RULES[at], words)]
    if digits and _NUMERIC_HINT.search(lower):
        rules += _NUMERIC_RULES
    if not text.isascii() and _UNSPACED_HINT.search(text):
        rules += _UNSPACED_RULES
    return rules


def _may_match(rule: Rule, words: set[str]) -> bool:
    return not any(words.isdisjoint(needed) for needed in rule.needs[1:])


# --- building blocks -----------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


def _either(words: Iterable[str]) -> str:
    return "|".join(
        re.escape(word).replace("\\ ", " ") for word in sorted(set(words), key=len, reverse=True)
    )


def _spaced(words: Iterable[str]) -> list[str]:
    """Those of `words` that belong to scripts with spaces between words."""
    return [word for word in words if ord(word[0]) < 0x2E80]


def _found_by(*tables: Iterable[str]) -> frozenset[str]:
    """The words that show that an entry of the tables may stand in a text: each one's longest."""
    return frozenset(max(_WORD.findall(entry), key=len) for table in tables for entry in table)


def _one_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _around(key: str) -> str:
    """The small words of a row as alternatives, each with the space behind it."""
    return "|".join(
        re.escape(word).replace("\\ ", " ") + ("" if word.endswith("'") else " ")
        for word in sorted(date_words(key), key=len, reverse=True)
    )


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{source})(?!\w)".replace(" ", r"\s{1,3}"))


_UNIT = f"(?P<unit>{_either(_spaced(UNITS))})"
_UNIT_OR_DAYS = f"(?P<unit>{_either([*_spaced(UNITS), *(d + 's' for d in _spaced(WEEKDAYS))])})"
_COUNT = rf"(?P<count>\d{{1,3}}|{_either(_spaced(COUNTS))})"
_ABOUT = f"(?:{_around('about')})?"
_AGO_BEFORE = date_words("ago, before the count")
_AGO_BEHIND = date_words("ago, behind the count")
_AHEAD_BEFORE = date_words("ahead, before the count")
_WHAT = _either(
    [*_spaced(UNITS), *_spaced(WEEKDAYS), *_spaced(SEASONS), *_spaced(MONTHS), *HOLIDAYS]
)
_WHICH_BEHIND = date_words("pointing, behind the noun")
_NEAR_WEEKEND = date_words("a weekend near by")
_MONTH = f"(?P<month>{_either(_spaced(MONTHS))})"
_ORDINAL = rf"(?:{_either(date_words('ordinal endings'))}|\.)?"
_OF = f"(?:{_around('of')})?"
_DAY = (
    rf"(?P<day>\d{{1,2}}){_ORDINAL}"
    rf"(?:\s?(?:-|–|{_either(date_words('until'))})\s?(?P<until>\d{{1,2}}){_ORDINAL})?"
)
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_WEEKDAY = _either(word for word in _spaced(WEEKDAYS) if word not in SHORT_WEEKDAYS)
_NOT_A_DAY = (
    r"(?! (?:of|floor|grade|street|avenue|birthday|century|place|day|try|row|page|week|hole|lap)\b)"
)

_HAS_DIGIT = frozenset({"0"})
_HAS_MONTH = _found_by(_spaced(MONTHS))
_HAS_UNIT = _found_by(_spaced(UNITS))
_HAS_WEEKDAY = _found_by(_spaced(WEEKDAYS))
_HAS_SEASON = _found_by(_spaced(SEASONS))
_HAS_WHAT = _HAS_UNIT | _HAS_WEEKDAY | _HAS_SEASON | _HAS_MONTH | _found_by(HOLIDAYS)

# --- languages with spaces -----------------------------------------------------------------------

_SPACED_RULES: tuple[Rule, ...] = (
    Rule(_pattern(_either(_spaced(NAMED_DAYS))), read.named_day, (_found_by(_spaced(NAMED_DAYS)),)),
    Rule(
        _pattern(rf"{_DAY} {_OF}{_MONTH}\.?(?:,? {_OF}{_YEAR})?"),
        read.day_and_month,
        (_HAS_MONTH, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"{_MONTH}\.? (?:the )?{_DAY}(?![:.]\d)(?:,? {_YEAR})?"),
        read.day_and_month,
        (_HAS_MONTH, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"{_MONTH}\.?,? {_OF}{_YEAR}"),
        read.month_and_year,
        (_HAS_MONTH, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"(?P<season>{_either(_spaced(SEASONS))}),? {_OF}{_YEAR}"),
        read.season_and_year,
        (_HAS_SEASON, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"{_ABOUT}{_COUNT} {_UNIT_OR_DAYS} (?:{_either(_AGO_BEHIND)})"),
        read.ago,
        (_found_by(_AGO_BEHIND),),
    ),
    Rule(
        _pattern(rf"(?:{_either(_AGO_BEFORE)}) {_ABOUT}{_COUNT} {_UNIT}"),
        read.ago,
        (_found_by(_AGO_BEFORE), _HAS_UNIT),
    ),
    Rule(
        _pattern(rf"{_ABOUT}{_COUNT} {_UNIT} from (?:now|today)"),
        read.ahead,
        (_one_of("now today"), _HAS_UNIT),
    ),
    Rule(
        _pattern(rf"(?:{_either(_AHEAD_BEFORE)}) {_ABOUT}{_COUNT} {_UNIT}(?:'? time)?"),
        read.ahead,
        (_HAS_UNIT, _found_by(_AHEAD_BEFORE)),
    ),
    Rule(
        _pattern(rf"(?:the )?(?:last|past) {_COUNT} {_UNIT}"),
        read.lately,
        (_HAS_UNIT, _one_of("last past")),
    ),
    Rule(
        _pattern(rf"(?:in |within |over )?the next {_COUNT} {_UNIT}"),
        read.shortly,
        (_HAS_UNIT, _one_of("next")),
    ),
    Rule(
        _pattern(rf"(?:the )?(?P<what>{_WHAT}) before last"),
        read.before_last,
        (_HAS_WHAT, _one_of("before"), _one_of("last")),
    ),
    Rule(
        _pattern(rf"(?:the )?(?P<what>{_WHAT}) after next"),
        read.after_next,
        (_HAS_WHAT, _one_of("after"), _one_of("next")),
    ),
    Rule(
        _pattern(rf"(?:on )?(?P<day>{_WEEKDAY})(?: of)? (?P<which>last|this|next) week"),
        read.weekday_of_week,
        (_HAS_WEEKDAY, _one_of("week")),
    ),
    Rule(
        _pattern(
            rf"(?:(?P<the>the) )?(?P<which>(?:this )?(?:{_either(_spaced(WHICH))})) "
            rf"(?P<what>{_WHAT})(?! of\b)"
        ),
        read.pointed,
        (_HAS_WHAT, _found_by(_spaced(WHICH))),
    ),
    Rule(
        _pattern(rf"(?:{_around('the')})?(?P<what>{_WHAT}) (?P<which>{_either(_WHICH_BEHIND)})"),
        read.pointed,
        (_found_by(_WHICH_BEHIND),),
    ),
    Rule(
        _pattern(rf"(?:{_either(_NEAR_WEEKEND)})(?! of\b)"),
        read.near_weekend,
        (_found_by(_NEAR_WEEKEND),),
    ),
    Rule(
        _pattern(r"(?:end|beginning|start|rest|middle) of the (?P<what>week|month|year)"),
        read.present,
        (_one_of("week month year"), _one_of("end beginning start rest middle")),
    ),
    Rule(
        _pattern(rf"(?:{_around('before a holiday')})(?P<what>{_either(HOLIDAYS)})"),
        read.holiday,
        (_found_by(HOLIDAYS),),
    ),
    Rule(
        _pattern(
            rf"(?:the )?(?:{_either(date_words('before a month'))})[ -]{_MONTH}"
            rf"|(?P<sure>{_either(date_words('surely a month'))})"
        ),
        read.bare_month,
        (_HAS_MONTH,),
        relative=False,
    ),
    Rule(
        _pattern(
            rf"(?:{_either(date_words('before a year'))})[ -](?:the )?"
            rf"{_YEAR}s?(?![.,:]\d|%|-\d)"
        ),
        read.year_alone,
        (_HAS_DIGIT,),
        relative=False,
    ),
    Rule(
        _pattern(
            rf"(?:of|from|until|till|by|before|after|to) {_YEAR}"
            r"(?=\s*(?:[,;!?)]|\.(?!\d)|$|and\b|but\b|to\b|when\b|i\b|we\b))"
        ),
        read.year_alone,
        (_HAS_DIGIT,),
        relative=False,
    ),
    Rule(
        _pattern(
            rf"(?:(?P<every>{_either(date_words('every'))}) )?"
            rf"(?:{_around('before a weekday')})?(?P<what>{_WEEKDAY})"
        ),
        read.bare_weekday,
        (_HAS_WEEKDAY,),
    ),
    Rule(
        _pattern(rf"on the (?P<day>\d{{1,2}})(?:st|nd|rd|th){_NOT_A_DAY}"),
        read.day_of_month,
        (_HAS_DIGIT, _one_of("st nd rd th")),
    ),
)
_TRIGGERS = frozenset(word for rule in _SPACED_RULES for word in rule.needs[0])
_TRIGGERED = {
    word: tuple(at for at, rule in enumerate(_SPACED_RULES) if word in rule.needs[0])
    for word in _TRIGGERS
}

# --- figures -------------------------------------------------------------------------------------

_NUMERIC_HINT = re.compile(r"\d[-/.]\d")
_NUMERIC_RULES = [
    Rule(
        re.compile(
            r"(?<![\d./-])(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d/-])"
        ),
        read.numeric,
        relative=False,
    ),
    Rule(
        re.compile(
            r"(?<![\d./-])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d\d)(?![\d.])"
        ),
        read.numeric,
        relative=False,
    ),
    Rule(
        re.compile(
            r"(?<![\d./-])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\d/])"
        ),
        read.numeric,
        relative=False,
    ),
    Rule(
        re.compile(r"(?<!\w)on\s(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/])"),
        read.numeric_day,
        relative=False,
    ),
]

# --- Chinese and Japanese ------------------------------------------------------------------------

_UNSPACED_HINT = re.compile("[今昨明前后後上下这這本先来來去月年周週天日あお]")
_UNSPACED_WHICH = r"(?<![早晚])(?P<which>上上|下下|先々|再来|[上下这這本先今来來])(?:个|個)?"
_MONTH_AND_DAY = r"(?P<month>1[0-2]|0?[1-9])月(?:份|(?P<day>\d{1,2})[日号號])?"
_NO_YEAR = "(?P<named>(?!))?(?P<year>(?!))?(?P<season>(?!))?"
_UNSPACED_RULES = [
    Rule(re.compile(_either(set(NAMED_DAYS) - set(_spaced(NAMED_DAYS)))), read.named_day),
    Rule(
        re.compile(
            r"(?P<count>\d{1,3}|好几|[一二两兩三四五六七八九十几幾数])(?:个|個)?"
            r"(?P<unit>週間|星期|礼拜|か月|ヶ月|カ月|[天日周週月年])(?:之|以)?(?P<sign>[前后後])"
        ),
        read.before_or_after,
    ),
    Rule(re.compile(rf"{_UNSPACED_WHICH}(?P<what>[周週]末)"), read.pointed),
    Rule(
        re.compile(
            rf"{_UNSPACED_WHICH}(?:周|週|星期|礼拜)の?(?P<day>[一二三四五六日天月火水木金土])(?:曜日?)?(?![月号])"
        ),
        read.weekday_of_week,
    ),
    Rule(re.compile(rf"{_UNSPACED_WHICH}(?P<what>周|週|星期|礼拜|月)"), read.pointed),
    Rule(
        re.compile(
            r"(?:(?P<named>[去今明后後前昨来來]年)|(?P<year>(?:1[5-9]|20|21)\d\d)年)の?"
            rf"(?:(?P<season>[春夏秋冬])天?|{_MONTH_AND_DAY})?"
        ),
        read.unspaced_year,
    ),
    Rule(
        re.compile(rf"{_NO_YEAR}(?<!\d){_MONTH_AND_DAY}"),
        read.unspaced_year,
        relative=False,
    ),
]
