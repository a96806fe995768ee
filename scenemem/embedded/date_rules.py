"""The forms that dates take in text, and what each means to somebody who speaks on a given day.

One rule for a form: its pattern, the words without one of which it cannot match (so that most
texts cost one look at their words), and its reading. What people leave open ("on Friday",
"in May") leans on the tense of the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from scenemem.embedded import day_spans as spans
from scenemem.embedded.date_words import (
    COUNTS,
    HOLIDAYS,
    MONTHS,
    NAMED_DAYS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH,
)
from scenemem.embedded.day_spans import Days, Which

__all__ = ["Rule", "rules_for"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, what it means, and the words without one of which it cannot match."""

    hints: frozenset[str]
    pattern: re.Pattern[str]
    resolve: Callable[[re.Match[str], date], Days | None]
    relative: bool = True


def rules_for(text: str) -> list[Rule]:
    """The rules that may match in `text`, surest first; empty for most texts."""
    rules: list[Rule] = []
    words = set(_WORD.findall(text.lower()))
    if not words.isdisjoint(_HINTS):
        rules = [rule for rule in _SPACED_RULES if not words.isdisjoint(rule.hints)]
    if _NUMERIC_HINT.search(text):
        rules += _NUMERIC_RULES
    if not text.isascii() and _UNSPACED_HINT.search(text):
        rules += _UNSPACED_RULES
    return rules


# --- the tense around a date ---------------------------------------------------------------------

_PAST = re.compile(
    r"\b(?:was|were|went|had|did|got|came|took|made|saw|met|bought|found|been|won|lost|left|ate|"
    r"began|felt|told|said|gave|ran|since|war|waren|hatte|habe|haben|wurde|ging|"
    r"(?!need|feed|speed)[a-z]{2,15}ed)\b",
    re.I,
)
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|gonna|plan|plans|planning|upcoming|coming|soon|scheduled|hope|"
    r"want|can|should|must|need|due|deadline|until|till|by|meeting|appointment|werde|wird|"
    r"werden|muss|soll|looking forward)\b|['’]ll\b",
    re.I,
)


def _lean(match: re.Match[str]) -> int:
    """-1 where the words around the match speak of the past, 1 of the future, else 0."""
    offset = max(0, match.start() - 90)
    near, at = match.string[offset : match.end() + 60], match.start() - offset
    past, future = _nearness(_PAST, near, at), _nearness(_FUTURE, near, at)
    return (future > past) - (past > future)


def _nearness(cue: re.Pattern[str], near: str, at: int) -> int:
    return max((200 - abs(found.start() - at) for found in cue.finditer(near)), default=0)


# --- what a match means --------------------------------------------------------------------------


def _named_day(match: re.Match[str], said: date) -> Days:
    phrase = " ".join(match.group().lower().replace("’", "'").split())
    return spans.single(said + timedelta(days=NAMED_DAYS[phrase]))


def _count(phrase: str | None) -> tuple[int, int]:
    if not phrase:
        return 1, 1
    if phrase.isdecimal():
        return int(phrase), int(phrase)
    words = phrase.lower().split()
    return next((COUNTS[word] for word in reversed(words) if word in COUNTS), (1, 1))


def _counted(match: re.Match[str], said: date, sign: int) -> Days:
    fewest, most = _count(match["count"])
    unit = match["unit"].lower()
    if unit in UNITS:
        return spans.counted(said, UNITS[unit], fewest, most, sign)
    day = WEEKDAYS[unit if unit in WEEKDAYS else unit.removesuffix("s")]
    nearest = spans.weekday(said, day, "last" if sign < 0 else "this")[0]
    return spans.single(nearest + timedelta(weeks=sign * (fewest - 1)))


def _ago(match: re.Match[str], said: date) -> Days:
    return _counted(match, said, -1)


def _ahead(match: re.Match[str], said: date) -> Days | None:
    # "I lost five kilos in two months" tells a length of time, not a day.
    return None if _lean(match) < 0 else _counted(match, said, 1)


def _pointed(match: re.Match[str], said: date) -> Days | None:
    """A word that points, with what it points at: "last week", "le mois dernier"."""
    groups = match.groupdict()
    words = (groups.get("which") or groups.get("which_after") or "this").lower().split()
    which, what = WHICH[words[-1]], match["what"]
    if what in _CAPITALISED:  # "this may help", "the next march", "the last sun"
        return None
    unit = UNITS.get(what.lower())
    if unit == "weekend" and which == "this":
        return _weekend(match, said)
    if unit and (words[-1] == "past" or (groups.get("the") and words[-1] == "last")):
        return spans.rolling(said, unit)
    return _span(what.lower(), which, said)


def _span(what: str, which: Which, said: date) -> Days:
    steps = spans.STEPS[which]
    if what in UNITS:
        return spans.counted(said, UNITS[what], abs(steps), abs(steps), -1 if steps < 0 else 1)
    if what in WEEKDAYS:
        return spans.weekday(said, WEEKDAYS[what], which)
    if what in SEASONS:
        return spans.season(said, SEASONS[what], which)
    if what in HOLIDAYS:
        month, day = HOLIDAYS[what]
        return _day_of_year(said, month, day, steps)
    return spans.month_of_year(said, MONTHS[what], which)


def _before_last(match: re.Match[str], said: date) -> Days:
    return _span(match["what"].lower(), "last but one", said)


def _after_next(match: re.Match[str], said: date) -> Days:
    return _span(match["what"].lower(), "next but one", said)


def _weekend(match: re.Match[str], said: date) -> Days:
    back = said.weekday() < 5 and _lean(match) < 0
    return spans.weekend(said - timedelta(weeks=1) if back else said)


def _rolling(match: re.Match[str], said: date) -> Days:
    """"the last three weeks": from that long ago up to the day of speaking."""
    return spans.counted(said, UNITS[match["unit"].lower()], 0, _count(match["count"])[1], -1)[0], said


def _bare_weekday(match: re.Match[str], said: date) -> Days | None:
    if match["every"]:
        return None
    return spans.weekday(said, WEEKDAYS[match["what"].lower()], "last" if _lean(match) < 0 else "this")


def _day_of_month(match: re.Match[str], said: date) -> Days:
    day, back = int(match["day"]), _lean(match) < 0
    month = said.month + (0 if (day <= said.day) == back or day == said.day else -1 if back else 1)
    first = spans.months(said.year, month)[0]
    return spans.single(first.replace(day=day))


def _holiday(match: re.Match[str], said: date) -> Days | None:
    lean = _lean(match)
    return _day_of_year(said, *HOLIDAYS[match["what"].lower()], lean) if lean else None


def _day_of_year(said: date, month: int, day: int, lean: int) -> Days:
    return spans.single(date(spans.leaning_year(said, month, day, lean), month, day))


def _day_and_month(match: re.Match[str], said: date) -> Days | None:
    if match["month"] in _CAPITALISED and not match["year"]:
        return None
    month, day = MONTHS[match["month"].lower()], int(match["day"])
    year = int(match["year"] or spans.leaning_year(said, month, day, _lean(match)))
    last = int(match["until"] or day)
    return (date(year, month, day), date(year, month, last)) if last >= day else None


def _month_and_year(match: re.Match[str], said: date) -> Days | None:
    return spans.months(int(match["year"]), MONTHS[match["month"].lower()])


def _month(match: re.Match[str], said: date) -> Days | None:
    if match["month"] in _CAPITALISED:
        return None
    month, lean = MONTHS[match["month"].lower()], _lean(match)
    return spans.months(spans.leaning_year(said, month, said.day, lean), month)


def _season_and_year(match: re.Match[str], said: date) -> Days:
    return spans.months(int(match["year"]), SEASONS[match["season"].lower()], 3)


def _year(match: re.Match[str], said: date) -> Days:
    first = int(match["year"])
    return spans.years(first, first + 9 if match.group().endswith("s") else first)


def _numeric(match: re.Match[str], said: date) -> Days:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if month > 12 >= day:  # 31/12/2024: the reading with a thirteenth month is none
        month, day = day, month
    return spans.single(date(year + 2000 if year < 100 else year, month, day))


def _numeric_day(match: re.Match[str], said: date) -> Days:
    month, day = int(match["month"]), int(match["day"])
    if month > 12 >= day:
        month, day = day, month
    return _day_of_year(said, month, day, _lean(match))


# --- the same in Chinese and Japanese ------------------------------------------------------------


def _unspaced_pointed(match: re.Match[str], said: date) -> Days:
    """上周五, 先週の金曜日, 下个月, 这周末."""
    which, day = WHICH[match["which"]], match["day"]
    if day == "末":
        return _span("weekend", which, said)
    first, last = _span(match["what"], which, said)
    if day is None or UNITS[match["what"]] != "week":
        return first, last
    return spans.single(first + timedelta(days=WEEKDAYS[day]))


def _unspaced_year(match: re.Match[str], said: date) -> Days:
    """去年, 明年5月, 去年夏天, 2023年5月3日, 5月3号."""
    named, month, day = match["named"], match["month"], match["day"]
    year = int(match["year"] or 0)
    if named:
        year = said.year + spans.STEPS[WHICH[named[0]]]
    if match["season"]:
        return spans.months(year or said.year, SEASONS[match["season"][0]], 3)
    if month is None:
        return spans.years(year, year)
    if not year:
        year = spans.leaning_year(said, int(month), int(day or said.day), 0)
    if day is None:
        return spans.months(year, int(month))
    return spans.single(date(year, int(month), int(day)))


def _unspaced_counted(match: re.Match[str], said: date) -> Days:
    """三天前, 2週間前, 两个月后."""
    return _counted(match, said, -1 if "前" in match["sign"] else 1)


# --- the rules, surest first ---------------------------------------------------------------------


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace("\\ ", " ") for word in sorted(words, key=len, reverse=True))


def _spaced(words: Iterable[str]) -> list[str]:
    """Those of `words` that belong to scripts with spaces between words."""
    return [word for word in words if ord(word[0]) < 0x2E80]


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){source}(?!\w)".replace(" ", r"\s{1,3}"), re.IGNORECASE)


# Words that are a date's only with a capital: the others mean something else as well.
_CAPITALISED = frozenset({"may", "march", "mar", "sun", "sat", "mon", "wed"})

_SURE_MONTHS = "january february july september october november december januar februar juli"
_SHORT_WEEKDAYS = {"mon", "tue", "tues", "wed", "weds", "thu", "thur", "thurs", "fri", "sat", "sun"}

_SURE = _either(_SURE_MONTHS.split())
_MONTH = f"(?P<month>{_either(_spaced(MONTHS))})"
_UNIT = f"(?P<unit>{_either(_spaced(UNITS))})"
_COUNT = (
    r"(?P<count>\d{1,3}|ein paar|(?:an? )?(?:couple(?: of)?|few)|"
    rf"{_either(set(_spaced(COUNTS)) - {'paar', 'couple', 'few'})})"
)
_UNITS_AND_DAYS = _either([*_spaced(UNITS), *(day + "s" for day in _spaced(WEEKDAYS))])
_SPACED_WHICH = _either(_spaced(WHICH))
_WHAT = _either([*_spaced(UNITS), *_spaced(WEEKDAYS), *_spaced(SEASONS), *_spaced(MONTHS), *HOLIDAYS])
_LONG_WEEKDAYS = _either(word for word in _spaced(WEEKDAYS) if word not in _SHORT_WEEKDAYS)
_ABOUT = r"(?:about |around |over |almost |nearly |roughly |just |etwa |ungefähr |environ |unos )?"
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"
_DAY = rf"(?P<day>\d{{1,2}}){_ORDINAL}(?: ?(?:-|–|to|bis|au|al) ?(?P<until>\d{{1,2}}){_ORDINAL})?"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_LEAD = (
    r"(?:in|since|until|till|by|during|from|early|late|mid|around|of|before|after|im|seit|bis|anfang|"
    r"mitte|ende|en|depuis|début|fin|desde|hasta|de|в|с)"
)


def _words_of(*tables: Iterable[str]) -> frozenset[str]:
    """The words as the gate's own word pattern sees them, in lower case."""
    return frozenset(word for table in tables for entry in table for word in _WORD.findall(entry))


_WORD = re.compile(r"[^\W\d_]+")
_UNIT_WORDS = _words_of(_spaced(UNITS))
_MONTH_WORDS = _words_of(_spaced(MONTHS))
_WEEKDAY_WORDS = _words_of(_spaced(WEEKDAYS))
_SEASON_WORDS = _words_of(_spaced(SEASONS))
_DAY_WORDS = _words_of(_spaced(NAMED_DAYS)) - {"the", "last", "this", "day", "after", "before", "ce"}
_WHICH_WORDS = _words_of(_spaced(WHICH))
_AGO_WORDS = frozenset("ago back vor hace il назад".split())
_AHEAD_WORDS = frozenset("in from through dans dentro en через within".split())
_YEAR_WORDS = frozenset("in since of from until till by during early late mid around year before after seit jahr en depuis desde to".split())

_SPACED_RULES: tuple[Rule, ...] = (
    Rule(
        _DAY_WORDS,
        _pattern(f"(?:{_either(_spaced(NAMED_DAYS))})".replace("'", "['’]")),
        _named_day,
    ),
    Rule(_MONTH_WORDS, _pattern(rf"{_DAY} (?:of |de )?{_MONTH}\.?(?:,? (?:de |del )?{_YEAR})?"),
          _day_and_month, False),
    Rule(_MONTH_WORDS, _pattern(rf"{_MONTH}\.? (?:the )?{_DAY}(?:,? {_YEAR})?(?![:.]\d)"),
          _day_and_month, False),
    Rule(_MONTH_WORDS, _pattern(rf"{_MONTH}\.?,? (?:of |de )?{_YEAR}"), _month_and_year, False),
    Rule(_SEASON_WORDS,
          _pattern(rf"(?P<season>{_either(_spaced(SEASONS))}),? (?:of |de )?{_YEAR}"),
          _season_and_year, False),
    Rule(_AGO_WORDS, _pattern(rf"{_ABOUT}{_COUNT} (?P<unit>{_UNITS_AND_DAYS}) (?:ago|back|назад)"), _ago),
    Rule(_AGO_WORDS, _pattern(rf"(?:vor|il y a|hace) {_ABOUT}{_COUNT} {_UNIT}"), _ago),
    Rule(_AHEAD_WORDS, _pattern(rf"{_ABOUT}{_COUNT} {_UNIT} from (?:now|today)"), _ahead),
    Rule(_AHEAD_WORDS, _pattern(rf"(?:in|dans|dentro de|en|через) {_ABOUT}{_COUNT} {_UNIT}(?:['’]?s?['’]? time)?"), _ahead),
    Rule(_WHICH_WORDS, _pattern(rf"(?:the )?(?:last|past) {_COUNT} {_UNIT}"), _rolling),
    Rule(frozenset({"before"}), _pattern(rf"(?:the )?(?P<what>{_WHAT}) before last"), _before_last),
    Rule(frozenset({"after"}), _pattern(rf"(?:the )?(?P<what>{_WHAT}) after next"), _after_next),
    Rule(_WHICH_WORDS, _pattern(rf"(?:(?P<the>the) )?(?P<which>(?:this )?(?:{_SPACED_WHICH})) (?P<what>{_WHAT})(?! of\b)"),
          _pointed),
    Rule(_WHICH_WORDS, _pattern(rf"(?:(?:la|le|el) |l['’])?(?P<what>{_WHAT}) (?:que )?(?P<which_after>dernier|dernière|derniere|passé|passée|prochain|prochaine|pasado|pasada|próximo|próxima|viene)"),
          _pointed),
    Rule(frozenset({"weekend", "wochenende"}), _pattern(r"(?:over|on|at|during|for) the weekend|am wochenende"), _weekend),
    Rule(frozenset({"week", "month", "year"}), _pattern(r"(?:end|beginning|start|rest|middle) of the (?P<what>week|month|year)"), _pointed),
    Rule(_words_of(HOLIDAYS), _pattern(rf"(?:on|at|over|by|for|until|an|zu) (?P<what>{_either(HOLIDAYS)})"), _holiday),
    Rule(_MONTH_WORDS, _pattern(rf"(?:(?:the )?{_LEAD}[ -]{_MONTH}|(?P<sure>{_SURE}))"), _month, False),
    Rule(_YEAR_WORDS, _pattern(rf"(?:in|since|during|early|late|mid|around|year|seit|jahr|en|depuis|desde|back in|в)[ -](?:the )?{_YEAR}s?(?![.,:]\d|%|-\d)"), _year, False),
    Rule(_YEAR_WORDS, _pattern(rf"(?:of|from|until|till|by|before|after|to) {_YEAR}(?=\s*(?:[,;!?)]|\.(?!\d)|$|and\b|but\b|to\b|when\b|i\b|we\b))"), _year, False),
    Rule(_WEEKDAY_WORDS, _pattern(rf"(?:(?P<every>every|each|most|some|black|good|alternate|jeden|chaque|cada) )?(?:on |am )?(?P<what>{_LONG_WEEKDAYS})"), _bare_weekday),
    Rule(frozenset({"on"}), _pattern(r"on the (?P<day>\d{1,2})(?:st|nd|rd|th)(?! (?:of|[a-z]+ (?:floor|grade))\b| (?:floor|grade|street|avenue|birthday|century|place|day|try|row|page|week|hole|lap)\b)"), _day_of_month),
)

_NUMERIC_HINT = re.compile(r"\d[-/.]\d")
_NUMERIC_RULES = [
    Rule(frozenset(), re.compile(r"(?<![\d./-])(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d/-])"), _numeric, False),
    Rule(frozenset(), re.compile(r"(?<![\d./-])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d\d)(?![\d.])"), _numeric, False),
    Rule(frozenset(), re.compile(r"(?<![\d./-])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)(?![\d/])"), _numeric, False),
    Rule(frozenset(), re.compile(r"(?<!\w)on\s(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/])", re.I), _numeric_day, False),
]

_UNSPACED_HINT = re.compile("[今昨前明后後上下这這本先来來去月年周週天日あお]")
_UNSPACED_RULES = [
    Rule(frozenset(), re.compile(_either(set(NAMED_DAYS) - set(_spaced(NAMED_DAYS)))), _named_day),
    Rule(frozenset(), re.compile(r"(?P<count>\d{1,3}|好几|[一二两兩三四五六七八九十几幾数])(?:个|個)?(?P<unit>週間|星期|礼拜|か月|ヶ月|カ月|[天日周週月年])(?:之|以)?(?P<sign>[前后後])"), _unspaced_counted),
    Rule(frozenset(), re.compile(r"(?<![早晚])(?P<which>上上|下下|先々|再来|[上下这這本先今来來])(?:个|個)?(?P<what>周|週|星期|礼拜|月)の?(?P<day>[一二三四五六日天月火水木金土末](?![月号]))?"), _unspaced_pointed),
    Rule(frozenset(), re.compile(r"(?:(?P<named>[去今明后後前昨来來]年)|(?P<year>(?:1[5-9]|20|21)\d\d)年)の?(?:(?P<season>[春夏秋冬])|(?P<month>1[0-2]|0?[1-9])月(?:(?P<day>\d{1,2})[日号號])?)?"), _unspaced_year),
    Rule(frozenset(), re.compile(r"(?P<named>(?!))?(?P<year>(?!))?(?P<season>(?!))?(?<!\d)(?P<month>1[0-2]|0?[1-9])月(?:(?P<day>\d{1,2})[日号號])?"), _unspaced_year, False),
]

_HINTS = frozenset().union(*(rule.hints for rule in _SPACED_RULES))
