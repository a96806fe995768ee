"""Whether a newer statement takes an older one's place: changed facts, by the words alone.

Both are taken as said by the same speaker. Each is read into claims, such as a liking, a home, the
value of an attribute, a habit; two claims clash when they are about the same subject and matter
and cannot both hold. It is conservative: statements that only share a topic never clash.

Figures: none of recall (LoCoMo, MemoryBank: .000); what is out of date must not be recalled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from scenemem.base.text import lowered
from scenemem.engines.rules.sentence import Phrases, Sentence, word_set
from scenemem.engines.rules.terms import VAGUE_WEIGHT, read_word

__all__ = ["Claim", "claims_of", "clashes", "contradicts", "may_replace", "speaks_of_change"]

_Kind = Literal["liking", "home", "work", "attribute", "move", "habit"]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one clause claims: that `subject` stands so to the matter `about`.

    `holds` is False for what is denied or over. `value` is what an attribute, a home or a work is
    set to, `verb` what a habit does; `marked` tells that the clause itself speaks of a change.
    """

    kind: _Kind
    subject: frozenset[str]
    about: frozenset[str]
    value: frozenset[str] = frozenset()
    holds: bool = True
    marked: bool = False
    verb: str = ""


def contradicts(newer: str, older: str) -> bool:
    """Whether `newer`, said later by the same speaker, makes `older` untrue.

    True when it reverses a liking ("I hate spicy food." after "I love spicy food."), denies or
    ends a habit ("I don't take the bus any more."), gives another value to the same attribute
    ("My favourite tea is oolong."), home or work, or moves a date ("The launch moved to 19 May.").
    """
    return may_replace(newer) and clashes(claims_of(newer), claims_of(older))


def claims_of(statement: str) -> tuple[Claim, ...]:
    """What the clauses of a statement claim; most claim nothing that could change."""
    return _claims(_bare(statement))


def clashes(newer: Iterable[Claim], older: Collection[Claim]) -> bool:
    """Whether one of the `newer` claims and one of the `older` ones can't both hold."""
    return any(_clash(new, old) for new in newer for old in older)


def speaks_of_change(claims: Iterable[Claim]) -> bool:
    """Whether any of the claims is more than a habit told in passing."""
    return any(c.kind != "habit" or not c.holds or c.marked for c in claims)


def may_replace(statement: str) -> bool:
    """Whether `statement` could take the place of anything at all; most cannot, and it is cheap."""
    return _GATE.found_in(Sentence.of(statement))


_GATE: Final = Phrases(
    "love|like|enjoy|adore|prefer|hate|dislike|loves|likes|enjoys|prefers|hates|dislikes|can't "
    "stand|fan of|favorite|favourite|live in|lives in|living in|moved|move|work at|work for|work as"
    "|works at|works for|started at|new job|is|are|starts|begins|costs|needs|takes|due|be|now"
    "|anymore|any more|no longer|instead|changed|rescheduled|postponed|pushed|switched|stopped"
    "|quit|gave up|used to|don't|doesn't|do not|does not|not|never|again|i'm|isn't|aren't|name's"
    "|run|runs|use|take|eat|drink"
)

# --- clauses -------------------------------------------------------------------------------------

_NOTE: Final = re.compile(r"\s*\[image: [^\]]*\]| \(\d[^()]*\d{4}\)|\s\(\d{4}-[\d/-]+\)")
_CLAUSE: Final = re.compile(
    r"[,;.!?。！？]+(?!\d)\s*| but | (?:and|so) (?=(?:i|i'm|we|my|now)\b)| - | – "
)
_MARK: Final = re.compile(
    r"\b(?:any ?more|any longer|no longer|these days|nowadays|now|instead|again|from now on"
    r"|at the moment|currently|as of (?:today|now|this week)|since (?:last|this) \w+)\b"
)
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS: Final = (
    "january february march april may june july august september october november december"
)
_WHEN: Final = word_set(f"{_WEEKDAYS} {_MONTHS} noon midnight tomorrow")
_DIGITS: Final = re.compile(r"\d")


def _bare(statement: str) -> str:
    return _NOTE.sub("", statement)


@lru_cache(maxsize=512)
def _claims(statement: str) -> tuple[Claim, ...]:
    return tuple(
        claim
        for clause in _split(statement)
        for read in (_liking, _place, _attribute, _moved, _habit)
        for claim in read(clause)
    )


def _split(statement: str) -> Iterator[str]:
    start = 0
    lower = lowered(statement)
    for found in _CLAUSE.finditer(lower):
        yield statement[start : found.start()].strip()
        start = found.end()
    yield statement[start:].strip()


def _matter(text: str) -> frozenset[str]:
    """The stems of the words in `text` that say what it is about."""
    found = set()
    for word in Sentence.of(text).words:
        key, weight = read_word(word)
        if weight and (weight > VAGUE_WEIGHT or word in _DOING):
            found.add(key)
        elif _DIGITS.search(word):
            found.add(word)
    return frozenset(found)


# Everyday verbs that make a habit what it is, although they carry no topic of their own.
_DOING: Final = word_set("eat drink smoke use take drive wear work run own")


def _subject(text: str) -> frozenset[str]:
    """Who or what a clause speaks of: "i" for the speaker, else its words."""
    words = [word for word in Sentence.of(text).words if word not in _ARTICLES]
    if words in (["i"], ["i'm"], ["we"], ["we're"]):
        return frozenset({"i"})
    return frozenset(words)


_ARTICLES: Final = word_set("the a an this that our my and but so also well actually now")

# --- likings -------------------------------------------------------------------------------------

_LIKING: Final = re.compile(
    r"^(?P<subject>(?:(?:my|our|the) )?[\w'-]+(?: [\w'-]+)?? )?(?P<adverb>(?:\w+ly|also|just|still"
    r"|now|actually|used to|always|don't|doesn't|do not|does not|no longer|never|really|do|does|'m"
    r"|am|is|not) ){0,4}"
    r"(?P<verb>love|like|enjoy|adore|prefer|loves|likes|enjoys|adores|prefers|hate|hates|dislike"
    r"|dislikes|detest|can't stand|cannot stand|can't bear|fond of|a (?:big |huge )?fan of|sick of"
    r"|tired of|into|crazy about|fed up with) (?P<object>.+)$"
)
_AVERSE: Final = word_set("hate hates dislike dislikes detest sick tired fed")
_DENYING: Final = re.compile(
    r"\b(?:don't|doesn't|do not|does not|no longer|never|used to|not|isn't|aren't)\b"
)


def _liking(clause: str) -> Iterator[Claim]:
    found = _LIKING.match(lowered(clause).replace("i'm ", "i am ").replace("'s ", " is "))
    if not found:
        return
    head, verb = found.string[: found.start("verb")], found["verb"]
    averse = verb.split()[0] in _AVERSE or verb.startswith(("can't", "cannot"))
    denied = _DENYING.search(head) is not None
    about = _matter(_MARK.sub(" ", found["object"]))
    if about:
        marked = "used to" in head or _MARK.search(found.string) is not None
        yield Claim(
            "liking",
            _subject(found["subject"] or "i"),
            about,
            holds=averse == denied,
            marked=marked,
        )


# --- homes and works -----------------------------------------------------------------------------

_HOME: Final = re.compile(
    r"\b(?P<subject>[Ii]|[Ww]e|[Mm]y [\w-]+|[A-Z][\w-]+)(?:['’](?:m|re|ve|s))?(?: \w+ly| just| now"
    r"| finally| also| still| recently| have| has)* (?:live[sd]?|living|moved|relocated"
    r"|move)(?: back| over)? (?:in|to) (?P<value>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)"
)
_WORK: Final = re.compile(
    r"\b(?P<subject>[Ii]|[Mm]y [\w-]+|[A-Z][\w-]+)(?:['’](?:m|ve|s))?(?: \w+ly| just| now| also"
    r"| still| have| has)* (?:works?|working|started(?: working)?|started a (?:new )?job) (?:at"
    r"|for) (?P<value>[A-Z][\w'’&-]+(?: [A-Z][\w'’&-]+)*)"
)


def _place(clause: str) -> Iterator[Claim]:
    kinds: tuple[tuple[_Kind, re.Pattern[str]], ...] = (("home", _HOME), ("work", _WORK))
    for kind, pattern in kinds:
        found = pattern.search(clause)
        if found and not re.search(r"\b(?:used to|if|when|would|want to|going to)\b", clause):
            subject = _subject(found["subject"].removeprefix("My ").removeprefix("my "))
            value = frozenset(Sentence.of(found["value"]).words) - _WHEN
            if value:
                yield Claim(kind, subject, frozenset({kind}), value)


# --- attributes ----------------------------------------------------------------------------------

_ONE_AT_A_TIME: Final = (
    "name|nickname|number|phone|address|email|birthday|age|job|title|boss|manager|doctor|dentist"
    "|landlord|password|wifi|size|salary|rent|weight|height|deadline|budget|shift|seat|diet|bank"
    "|provider|locker|office|desk"
)
_FAVOURITE: Final = re.compile(
    r"^(?:now |and |so |actually )*(?P<subject>my|our|[\w]+'s) (?P<about>(?:new |current "
    r"|all-time )?(?:favou?rite|preferred|fave) [\w -]{2,40}?"
    rf"|(?:new |current |\w+ )?(?:{_ONE_AT_A_TIME})(?: number| address)?)(?: is| are"
    rf"|'s)(?P<now> now)? (?P<value>.+)$"
)
_VALUED: Final = re.compile(
    r"^(?:now |and |so |actually )*(?P<subject>(?:the|our|my) [\w' -]{2,40}?)(?: (?:is|are|starts"
    r"|begins|costs|needs|takes place|runs|will be|is due|'s))(?P<now> now)?"
    r" (?P<value>.+)$"
)


def _attribute(clause: str) -> Iterator[Claim]:
    lower = lowered(clause)
    marked = _MARK.search(lower) is not None
    if found := _FAVOURITE.match(lower):
        about = frozenset(Sentence.of(found["about"]).words) - {"new", "current", "all-time"}
        about = frozenset("favourite" if word in ("favorite", "fave") else word for word in about)
        value = _words(_MARK.sub(" ", found["value"]))
        if value and "not" not in value:
            yield Claim("attribute", frozenset({found["subject"]}), about, value, marked=marked)
    elif found := _VALUED.match(lower):
        value = _settings(found["value"])
        if value:
            yield Claim(
                "attribute",
                _subject(found["subject"]),
                _frame(found["value"]),
                value,
                marked=marked,
            )


def _words(text: str) -> frozenset[str]:
    return frozenset(Sentence.of(text).words) - {"the", "a", "an", "now", "is"}


_TIME: Final = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]m\b)(?: ?[ap]m)?")
_NUMBER: Final = re.compile(r"\b\d[\d.,/-]*\w*\b")


def _settings(text: str) -> frozenset[str]:
    """What something is set to, each with its sort: "day may", "day 19", "time 10:30"."""
    lower = text.lower()
    days = {word.removesuffix("s") for word in Sentence.of(lower).words} & _WHEN
    times = {found.group().replace(" ", "") for found in _TIME.finditer(lower)}
    numbers = set(_NUMBER.findall(_TIME.sub(" ", lower)))
    sort = "day" if days & set(_MONTHS.split()) else "number"
    return frozenset(
        [
            *(f"day {day}" for day in days),
            *(f"time {time}" for time in times),
            *(f"{sort} {number}" for number in numbers),
        ]
    )


def _differ(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether two settings of one sort are different ones."""
    for sort in ("day ", "time ", "number "):
        mine = {setting for setting in new if setting.startswith(sort)}
        other = {setting for setting in old if setting.startswith(sort)}
        if mine and other and not (mine <= other or other <= mine):
            return True
    return False


def _frame(text: str) -> frozenset[str]:
    """What is left of a value's text without what was set: the kind of setting, roughly."""
    lower = text.lower()
    rest = frozenset(w for w in _matter(_TIME.sub(" ", lower)) if not _DIGITS.search(w))
    return rest - frozenset(read_word(word)[0] for word in (*_WHEN, *(f"{w}s" for w in _WHEN)))


_MOVED: Final = re.compile(
    r"^(?:(?P<actor>i|we|they|\w+)(?:'ve|'s| have| has)? (?:just )?(?:moved|pushed|postponed"
    r"|rescheduled|changed|shifted) (?P<object>(?:the|my|our) [\w' -]{2,40}?)(?: back| up| out)?"
    r"|(?P<subject>(?:the|my|our) [\w' -]{2,40}?) (?:has been |have been |was |were |got |is "
    r"|is now |is being |had to be )?(?:moved|pushed|postponed|rescheduled|changed"
    r"|shifted)(?: back| up| out)?)"
    r" (?:to|until|from [\w :.-]+? to) (?P<value>.+)$"
)


def _moved(clause: str) -> Iterator[Claim]:
    found = _MOVED.match(lowered(clause))
    if found:
        value = _settings(found["value"])
        if value:
            subject = _subject(found["object"] or found["subject"])
            yield Claim("move", subject, frozenset(), value, marked=True)


# --- habits --------------------------------------------------------------------------------------

_ANY_VERB: Final = frozenset(
    read_word(word)[0]
    for word in ["use", "take", "run", "work", "wear", "drive", "own", "eat", "drink"]
)
_OVER: Final = re.compile(
    r"^(?:(?:and|but|so|now|actually) )?(?P<subject>i|we|my [\w-]+|[\w-]+) (?:\w+ly |just |also "
    r"|have |has |always |often |still |sometimes )*"
    r"(?:(?P<over>no longer|stopped|quit|gave up|used to|am no longer|don't (?=.*any ?more)"
    r"|doesn't (?=.*any ?more))|(?P<denied>don't|doesn't|do not|does not|never|am not|am no)"
    r"|(?P<holds>(?=[a-z])))"
    r" ?(?P<rest>.+)$"
)


def _habit(clause: str) -> Iterator[Claim]:
    lower = lowered(clause).replace("i'm ", "i am ").replace("'ve ", " have ")
    found = _OVER.match(lower)
    if not found or found["subject"] in _ARTICLES or _LIKING.match(lower):
        return
    rest = found["rest"]
    holds = found["holds"] is not None
    if holds and re.match(
        r"(?:will|would|could|might|may|can|should|was|were|did|had|am|is|\w+ed|went)\b", rest
    ):
        return
    about = _matter(_MARK.sub(" ", rest))
    first = rest.split()[0]
    # "I gave up meat" names no verb.
    rest_is_noun = found["over"] in ("stopped", "quit", "gave up") and not first.endswith("ing")
    if about:
        over = found["over"] is not None
        yield Claim(
            "habit",
            _subject(found["subject"].removeprefix("my ")),
            about,
            holds=holds,
            marked=over or _MARK.search(lower) is not None,
            verb="" if rest_is_noun else read_word(first)[0] or first,
        )


# --- clashes -------------------------------------------------------------------------------------


def _clash(new: Claim, old: Claim) -> bool:
    if new.kind == "move":
        return old.kind in ("attribute", "move") and _moved_on(new, old)
    if new.kind == "attribute" and old.kind == "move":
        return _moved_on(new, old)
    if new.kind != old.kind or new.subject != old.subject:
        return False
    if new.kind == "liking":
        return new.holds != old.holds and _same_liking(new, old)
    if new.kind in ("home", "work"):
        return not new.value & old.value
    if new.kind == "attribute":
        return new.about == old.about and _revalued(new.value, old.value)
    return new.kind == "habit" and _habits_clash(new, old)


def _moved_on(new: Claim, old: Claim) -> bool:
    return new.subject == old.subject and _differ(new.value, old.value)


def _same_liking(new: Claim, old: Claim) -> bool:
    """Whether two likings are of one thing; where a change is marked, it may be named in short."""
    if new.about == old.about:
        return True
    return new.marked and new.about < old.about and len(old.about - new.about) == 1


def _revalued(new: frozenset[str], old: frozenset[str]) -> bool:
    if any(" " in word for word in new | old):
        return _differ(new, old)
    return not (new <= old or old <= new)


def _habits_clash(new: Claim, old: Claim) -> bool:
    if new.holds == old.holds:
        return False
    denied, stated = (old, new) if new.holds else (new, old)
    if new.holds and not (new.marked or len(denied.about) > 1):
        return False
    # What is denied must be named whole by the other: "I eat meat" is denied by "I don't eat meat".
    enough = 1 if denied.marked and not denied.about <= _ANY_VERB else 2
    same_verb = not denied.verb or denied.verb == stated.verb
    beyond = len(stated.about - denied.about)
    return (
        same_verb
        and denied.about <= stated.about
        and len(denied.about) >= enough
        and beyond <= (2 if denied.marked else 1)
    )
