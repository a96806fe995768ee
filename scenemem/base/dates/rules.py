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
    UNITS,
    WEEKDAYS,
    WHICH,
)
from scenemem.base.dates.day_spans import Days

__all__ = ["CAPITALISED", "Rule", "rules_for"]

# Words that are a date's only with a capital: the others mean something else as well.
CAPITALISED = frozenset({"may", "march", "mar", "sun", "sat", "mon", "wed"})


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
    """The words that show that an entry of the tables may stand in a text."""
    return frozenset(word for table in tables for entry in table for word in _WORD.findall(entry))


def _one_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{source})(?!\w)".replace(" ", r"\s{1,3}"))


_SHORT_WEEKDAYS = _one_of("mon tue tues wed weds thu thur thurs fri sat sun")
_ENGLISH_WHICH = "last|this|next|past|previous|coming|upcoming"
_FOREIGN_WHICH = _either(set(_spaced(WHICH)) - set(_ENGLISH_WHICH.split("|")))
_UNIT = f"(?P<unit>{_either(_spaced(UNITS))})"
_UNIT_OR_DAYS = f"(?P<unit>{_either([*_spaced(UNITS), *(d + 's' for d in _spaced(WEEKDAYS))])})"
_COUNT = (
    r"(?P<count>\d{1,3}|ein paar|(?:an? )?(?:couple(?: of)?|few)|"
    rf"{_either(set(_spaced(COUNTS)) - {'paar', 'couple', 'few'})})"
)
_ABOUT = (
    r"(?:about |around |over |almost |nearly |roughly |just |only |like |another |etwa |ungefähr "
    r"|environ |unos )?"
)
_WHAT = _either(
    [*_spaced(UNITS), *_spaced(WEEKDAYS), *_spaced(SEASONS), *_spaced(MONTHS), *HOLIDAYS]
)
_MONTH = f"(?P<month>{_either(_spaced(MONTHS))})"
_SURE_MONTH = "january|february|july|september|october|november|december|januar|februar|juli"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_DAY = (
    rf"(?P<day>\d{{1,2}}){_ORDINAL}"
    rf"(?:\s?(?:-|–|to|and|bis|au|al)\s?(?P<until>\d{{1,2}}){_ORDINAL})?"
)
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_BEFORE_A_MONTH = (
    "in|since|until|till|by|during|from|early|late|mid|around|of|before|after|im|seit|bis|anfang"
    "|mitte|ende|en|depuis|début|fin|desde|hasta|de|в|с"
)
_WEEKDAY = _either(word for word in _spaced(WEEKDAYS) if word not in _SHORT_WEEKDAYS)
_NOT_A_DAY = (
    r"(?! (?:of|floor|grade|street|avenue|birthday|century|place|day|try|row|page|week|hole|lap)\b)"
)

_HAS_DIGIT = frozenset({"0"})
_HAS_MONTH = _found_by(_spaced(MONTHS))
_HAS_UNIT = _found_by(_spaced(UNITS))
_HAS_WEEKDAY = _found_by(_spaced(WEEKDAYS))
_HAS_SEASON = _found_by(_spaced(SEASONS))
_HAS_WHAT = _HAS_UNIT | _HAS_WEEKDAY | _HAS_SEASON | _HAS_MONTH | _found_by(HOLIDAYS)
_HAS_NAMED_DAY = _found_by(_spaced(NAMED_DAYS)) - _one_of(
    "the last this day after before ce aujourd"
)
_HAS_NAMED_DAY |= {"aujourd"}

# --- languages with spaces -----------------------------------------------------------------------

_SPACED_RULES: tuple[Rule, ...] = (
    Rule(_pattern(_either(_spaced(NAMED_DAYS))), read.named_day, (_HAS_NAMED_DAY,)),
    Rule(
        _pattern(rf"{_DAY} (?:of |de )?{_MONTH}\.?(?:,? (?:de |del )?{_YEAR})?"),
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
        _pattern(rf"{_MONTH}\.?,? (?:of |de )?{_YEAR}"),
        read.month_and_year,
        (_HAS_MONTH, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"(?P<season>{_either(_spaced(SEASONS))}),? (?:of |de )?{_YEAR}"),
        read.season_and_year,
        (_HAS_SEASON, _HAS_DIGIT),
        relative=False,
    ),
    Rule(
        _pattern(rf"{_ABOUT}{_COUNT} {_UNIT_OR_DAYS} (?:ago|back|назад)"),
        read.ago,
        (_one_of("ago back назад"),),
    ),
    Rule(
        _pattern(rf"(?:vor|il y a|hace) {_ABOUT}{_COUNT} {_UNIT}"),
        read.ago,
        (_one_of("vor il hace"), _HAS_UNIT),
    ),
    Rule(
        _pattern(rf"{_ABOUT}{_COUNT} {_UNIT} from (?:now|today)"),
        read.ahead,
        (_one_of("now today"), _HAS_UNIT),
    ),
    Rule(
        _pattern(rf"(?:in|dans|dentro de|en|через) {_ABOUT}{_COUNT} {_UNIT}(?:'? time)?"),
        read.ahead,
        (_HAS_UNIT, _one_of("in dans dentro en через")),
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
            rf"(?:(?P<the>the) )?(?P<which>(?:this )?(?:{_ENGLISH_WHICH})) (?P<what>{_WHAT})(?! "
            rf"of\b)"
        ),
        read.pointed,
        (_HAS_WHAT, _one_of(_ENGLISH_WHICH.replace("|", " "))),
    ),
    Rule(
        _pattern(rf"(?P<which>{_FOREIGN_WHICH}) (?P<what>{_WHAT})"),
        read.pointed,
        (_HAS_WHAT, _found_by(_spaced(WHICH)) - _one_of(_ENGLISH_WHICH.replace("|", " "))),
    ),
    Rule(
        _pattern(
            rf"(?:(?:la|le|el) |l')?(?P<what>{_WHAT}) (?:que )?(?P<which>dernier|dernière|derniere"
            r"|passé|passée|prochain|prochaine|pasado|pasada|próximo|próxima|viene)"
        ),
        read.pointed,
        (
            _one_of(
                "dernier dernière derniere passé passée prochain prochaine pasado pasada próximo "
                "próxima viene"
            ),
        ),
    ),
    Rule(
        _pattern(r"(?:over|on|at|during|for) the weekend(?! of\b)|am wochenende"),
        read.near_weekend,
        (_one_of("weekend wochenende"),),
    ),
    Rule(
        _pattern(r"(?:end|beginning|start|rest|middle) of the (?P<what>week|month|year)"),
        read.present,
        (_one_of("week month year"), _one_of("end beginning start rest middle")),
    ),
    Rule(
        _pattern(rf"(?:on|at|over|by|for|until|an|zu) (?P<what>{_either(HOLIDAYS)})"),
        read.holiday,
        (_found_by(HOLIDAYS) - _one_of("day eve s st new"),),
    ),
    Rule(
        _pattern(rf"(?:the )?(?:{_BEFORE_A_MONTH})[ -]{_MONTH}|(?P<sure>{_SURE_MONTH})"),
        read.bare_month,
        (_HAS_MONTH,),
        relative=False,
    ),
    Rule(
        _pattern(
            r"(?:in|since|during|early|late|mid|around|year|seit|jahr|en|depuis|desde"
            r"|в)[ -](?:the )?"
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
            r"(?:(?P<every>every|each|most|some|black|good|ash|alternate|jeden|chaque|cada) )?"
            rf"(?:on |am )?(?P<what>{_WEEKDAY})"
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
