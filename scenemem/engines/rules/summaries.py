"""A scene's summary, made of its own statements.

Extractive: the statements that carry the scene are picked one by one, each for its salience, for
how much of the scene it covers that the others left out, and a little for being new (maximal
marginal relevance), and told in the order of time. Where a newer statement says much the same as an
older one, the newer stands. Names, numbers and dates count extra, as these are what a reader would
miss. Adding a cell changes little; the same cells give the same words.

Figures (LoCoMo): the summaries hold .40 of the words of the answers to single-hop questions; .39
where every statement is quoted. `third_person` tells 1,475 of the first-person statements of ten
conversations about their speaker; of 60 that were read, two read badly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log1p

from scenemem.base.cell_types import TYPES
from scenemem.base.dates.date_words import MONTH_NAMES
from scenemem.base.records import ROLES, Cell
from scenemem.base.sentences import sentences
from scenemem.base.text import is_unspaced, words
from scenemem.engines.rules.sentence import word_set
from scenemem.engines.rules.terms import (
    DOING_WEIGHT,
    LIGHT_WEIGHT,
    VAGUE_WEIGHT,
    is_english,
    is_field,
    read_word,
    runs,
    terms,
)

__all__ = ["summarize"]

MOST_CELLS = 240  # cells that are looked at, half for salience and half for being new
_FITTING = 40  # candidates whose wording is worked out, best first
_SAID_AGAIN = 0.6  # share of an older statement's terms from which a newer one takes its place
_LONGEST_JOINED = 26
_SURE = 0.25
_NEW = 0.1
_TELLING = 0.05  # for each name or number, up to three
_COVER = 0.6
_LEAST_VALUE = 0.4  # of the first one's value: what is worth less is better left out
_IDLE = re.compile(
    r"(?:hey|hi|hello|let's|remember|check|look|take a look|here's|here is|can't wait|don't|keep|"
    r"good|great|oh|wow|thanks|so)\b|谢谢|感谢|你好|您好|再见|好的|好了|嗯|是的|哇|嗨|没问题|ありがとう|はい",
    re.IGNORECASE,
)
_DANGLING = 0.12  # for each word that points at what is not told, up to two
_POINTER = re.compile(r"\b(?:it|them|this|that|those|these|there|you|your)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Statement:
    cell: Cell
    terms: dict[str, float]
    worth: float


def summarize(scene: str, cells: Sequence[Cell], most: int) -> str:
    """What the scene is about, in at most `most` words, from its `cells`; "" if there are none.

    Deterministic. However many cells, at most a few hundred are looked at: the most salient and
    the newest.
    """
    chosen = _bounded(cells)
    if not chosen:
        return ""
    return _told_in_time(_pick(_weighed(scene, chosen), most))


def _bounded(cells: Sequence[Cell]) -> list[Cell]:
    """At most `MOST_CELLS` cells, oldest first."""
    if len(cells) > MOST_CELLS:
        salient = sorted(cells, key=lambda cell: (-cell.salience, -cell.id))[: MOST_CELLS // 2]
        newest = sorted(cells, key=lambda cell: (cell.created_at, cell.id))[-MOST_CELLS // 2 :]
        cells = list({cell.id: cell for cell in (*salient, *newest)}.values())
    return sorted(cells, key=lambda cell: (cell.created_at, cell.id))


def _weighed(scene: str, cells: Sequence[Cell]) -> list[_Statement]:
    """The statements with what each is worth by itself; what was said again later is left out."""
    read = [{t: w for t, w in terms(cell.content).items() if not is_field(t)} for cell in cells]
    said_in = Counter(term for found in read for term in found)
    named = terms(scene)
    kept: list[_Statement] = []
    newer = _Newer()
    for place in range(len(cells) - 1, -1, -1):
        cell, found = cells[place], read[place]
        if newer.say_again(found):
            continue
        newer.add(found)
        worth = _worth(cell, found, said_in, named, place / len(cells))
        kept.append(_Statement(cell, found, worth))
    kept.reverse()
    return kept


class _Newer:
    """The terms of newer statements, listed so that an older one finds those that share some."""

    def __init__(self) -> None:
        self._statements: list[Mapping[str, float]] = []
        self._saying: dict[str, list[int]] = {}

    def add(self, found: Mapping[str, float]) -> None:
        for term in found:
            self._saying.setdefault(term, []).append(len(self._statements))
        self._statements.append(found)

    def say_again(self, found: Mapping[str, float]) -> bool:
        """Whether one newer statement says most of what `found` does, and little else."""
        weight = sum(found.values())
        if weight < 1.0:
            return False
        shared: dict[int, float] = {}
        for term, share in found.items():
            for place in self._saying.get(term, ()):
                shared[place] = shared.get(place, 0.0) + share
        return any(
            share >= _SAID_AGAIN * weight and len(self._statements[place]) <= 2 * len(found) + 2
            for place, share in shared.items()
        )


def _worth(
    cell: Cell,
    found: Mapping[str, float],
    said_in: Counter[str],
    named: Mapping[str, float],
    newness: float,
) -> float:
    central = sum(w * log1p(said_in[t] - 1) for t, w in found.items() if said_in[t] > 1)
    about = any(term in named and weight > VAGUE_WEIGHT for term, weight in found.items())
    length = word_count(cell.content)
    size = -0.3 if length < 4 else -0.1 if length > 45 else 0.0
    return (
        cell.salience
        + TYPES[cell.cell_type].worth
        + 0.15 * min(central, 4.0)
        + 0.25 * about
        + _NEW * newness
        + _TELLING * min(_telling_words(cell.content), 3)
        + size
    )


def _telling_words(content: str) -> int:
    """How many names and numbers a statement has, its first word left out."""
    return sum(word[0].isdigit() or word[0].isupper() for word in words(content)[1:] if word != "I")


def _pick(statements: Sequence[_Statement], most: int) -> list[tuple[_Statement, Told]]:
    """The statements that are told, best first, until the words are used up."""
    ranked = sorted(statements, key=lambda s: (-round(s.worth, 2), -s.cell.id))[:_FITTING]
    told = [(s, tell(s.cell)) for s in ranked]
    open_ones = [(statement, text) for statement, text in told if text is not None]
    picked: list[tuple[_Statement, Told]] = []
    covered: Counter[str] = Counter()
    left, floor = most, 0.0
    while open_ones:
        best = max(open_ones, key=lambda one: (_value(one, covered), one[0].cell.id))
        open_ones.remove(best)
        floor = floor or _LEAST_VALUE * _value(best, covered)
        if _value(best, covered) < floor:
            break
        if best[1].words > left - 2:  # a date may join it
            continue
        picked.append(best)
        covered.update(best[0].terms.keys())
        left -= best[1].words + 2
    if not picked and told:
        picked = [(s, text) for s, text in told if text is not None][:1]
    return picked


def _value(one: tuple[_Statement, Told], covered: Counter[str]) -> float:
    statement, told = one
    weight = sum(statement.terms.values()) or 1.0
    again = sum(w for term, w in statement.terms.items() if covered[term])
    return round(statement.worth + _wording(told) - _COVER * again / weight - 0.004 * told.words, 2)


def _wording(told: Told) -> float:
    """How well a told statement reads by itself."""
    worth = _SURE if told.subject else 0.0
    quote = told.text.partition("“")[2]
    if (quote and told.words < 9) or _IDLE.match(quote or told.text):
        worth -= _SURE
    return worth - _DANGLING * min(len(_POINTER.findall(told.text)), 2)


def _told_in_time(picked: Sequence[tuple[_Statement, Told]]) -> str:
    """The picked statements as running text, in the order they were said, dated where it helps."""
    ordered = sorted(picked, key=lambda one: (one[0].cell.created_at, one[0].cell.id))
    if not ordered:
        return ""
    first, last = ordered[0][0].cell.created_at, ordered[-1][0].cell.created_at
    by_day = (last - first).days <= 31
    shown = ""
    pieces: list[str] = []
    for text, at in _run_together(ordered):
        label = date_label(at, by_day, text)
        if label != shown and not names_a_year(text):
            text = dated(text, label)
        shown = label
        pieces.append(text)
    return _flowing(pieces)


def _run_together(
    ordered: Sequence[tuple[_Statement, Told]],
) -> Iterator[tuple[str, datetime]]:
    """Each statement with its instant; two short ones of one subject on one day become one."""
    waiting: tuple[Told, datetime] | None = None
    for statement, told in ordered:
        at = statement.cell.created_at
        if waiting is None:
            waiting = told, at
            continue
        before, since = waiting
        if at.date() == since.date() and _can_join(before, told):
            rest = told.text.removeprefix(f"{told.subject} ")
            yield f"{before.text.rstrip('.')} and {rest}", since
            waiting = None
        else:
            yield before.text, since
            waiting = told, at
    if waiting is not None:
        yield waiting[0].text, waiting[1]


def _can_join(one: Told, other: Told) -> bool:
    both = f"{one.text} {other.text}"
    return (
        bool(one.subject)
        and one.subject == other.subject
        and one.words + other.words <= _LONGEST_JOINED
        and " and " not in both
        and not names_a_year(both)
        and ". " not in one.text
    )


def _flowing(pieces: Sequence[str]) -> str:
    text = ""
    for piece in pieces:
        text += piece if not text or runs_on(text, piece) else f" {piece}"
    return text


# --- telling one statement ----------------------------------------------------------------------

LONGEST_TOLD = 26  # words of one statement

_IMAGE = re.compile(r"\s*\[image: ([^\]]*)\]\s*")
_MARKUP = re.compile(r"\*\*|__|`+|^#+ |^[*•-] ")
_MID_ROLE = re.compile(r"(?<=[^.!?”] )The (?=user\b|assistant\b)")
_BRACKETS = re.compile(r"^[\"“”'«»]+|[\"“”'«»]+$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_UNSPACED_KINDS = frozenset(("han", "hiragana", "katakana", "thai"))
_END_MARKS = ".!?…。！？"


@dataclass(frozen=True, slots=True)
class Told:
    """One statement as a summary tells it.

    `sure` says that it is a sentence about its speaker (or needs none), not a quotation; `subject`
    is the name it begins with, where two such sentences can become one; `words` is its length.
    """

    text: str
    sure: bool
    subject: str
    words: int


def tell(cell: Cell) -> Told | None:
    """How a summary tells the statement of a cell; None where there is nothing to tell.

    English statements become sentences about the speaker ("Ines chose the blue tiles."); what can't
    be rewritten for sure is quoted with the speaker's name. Other languages are quoted with
    punctuation alone, so that no English word stands in a scene that has none.
    """
    caption = _IMAGE.search(cell.content)
    said = " ".join(_MARKUP.sub("", _IMAGE.sub(" ", cell.content)).split())
    if not said:
        return _told_picture(cell, caption.group(1)) if caption else None
    if not is_english(said):
        return _quoted_plainly(cell, _beginning(said))
    for text in _shorter_and_shorter(said):
        if word_count(text) > LONGEST_TOLD:
            continue
        if cell.speaker is None:
            return Told(_as_sentence(text), True, "", word_count(text))
        rewritten = third_person(text, cell.speaker)
        if rewritten and word_count(rewritten) <= LONGEST_TOLD + 4:
            return _told(rewritten, _speaker(cell))
    return _quoted(cell, _beginning(said))


def dated(told: str, label: str) -> str:
    """A told statement with the date on which it was said; `label` as `date_label` gives it."""
    if not is_english(told):
        return f"{label}{told}"
    end = told[-1] if told[-1] in _END_MARKS else ""
    return f"{told[: len(told) - len(end)]} ({label}){end or '.'}"


def date_label(at: datetime, by_day: bool, sample: str) -> str:
    """The day or the month of `at` as the language of `sample` writes it, ready for `dated`."""
    scripts = {kind for kind, _ in runs(sample)}
    if "hangul" in scripts:
        return f"{at.year}년 {at.month}월 {at.day}일: " if by_day else f"{at.year}년 {at.month}월: "
    if scripts & {"han", "hiragana", "katakana"}:
        return f"{at.year}年{at.month}月{at.day}日：" if by_day else f"{at.year}年{at.month}月："
    if not is_english(sample):
        return f"{at:%Y-%m-%d}: " if by_day else f"{at:%Y-%m}: "
    return f"{at.day} {_month(at)} {at.year}" if by_day else f"{_month(at)} {at.year}"


def names_a_year(text: str) -> bool:
    """Whether a statement tells a date itself."""
    return _YEAR.search(text) is not None


def runs_on(before: str, after: str) -> bool:
    """Whether `after` follows `before` without a space, as in Chinese or Japanese."""
    ends = [kind for kind, _ in runs(before)][-1:], [kind for kind, _ in runs(after)][:1]
    return all(kinds and kinds[0] in _UNSPACED_KINDS for kinds in ends)


def word_count(text: str) -> int:
    """The words of a text; in unspaced scripts two characters count as one."""
    return sum(-(-len(word) // 2) if is_unspaced(word) else 1 for word in text.split())


def _shorter_and_shorter(said: str) -> Iterator[str]:
    """The whole, then its first sentences, fewer each time."""
    pieces = sentences(said)
    glue = "" if is_unspaced(said) else " "
    for count in range(len(pieces), 0, -1):
        yield glue.join(pieces[:count])


def _told(text: str, subject: str) -> Told:
    text = _MID_ROLE.sub("the ", text)
    begins = subject if text.startswith(f"{subject} ") else ""
    return Told(text, True, begins, word_count(text))


def _told_picture(cell: Cell, caption: str) -> Told | None:
    speaker = _speaker(cell)
    if not speaker or not is_english(caption):
        return None
    return _told(f"{speaker} shared {caption.strip(' .')}.", speaker)


def _quoted_plainly(cell: Cell, text: str) -> Told:
    """A statement of another language: by name where there is one, never by an English role."""
    text = _ended(text)
    if cell.speaker is None or cell.speaker in ROLES:
        return Told(text, True, "", word_count(text))
    colon = "：" if is_unspaced(text) else ": "
    whole = f"{cell.speaker}{colon}“{text}”"
    return Told(whole, False, "", word_count(whole))


def _quoted(cell: Cell, text: str) -> Told:
    speaker = _speaker(cell)
    text = _BRACKETS.sub("", text)
    whole = f"{speaker} said: “{text}”" if speaker else _as_sentence(text)
    return Told(whole, False, "", word_count(whole))


def _beginning(said: str) -> str:
    """As many of the first sentences as fit, or of the first words."""
    fitting = (text for text in _shorter_and_shorter(said) if word_count(text) <= LONGEST_TOLD)
    return next(fitting, None) or _cut(said)


def _cut(said: str) -> str:
    kept: list[str] = []
    left = LONGEST_TOLD
    for word in said.split():
        left -= word_count(word)
        if left < 0:
            break
        kept.append(word)
    cut = " ".join(kept) or said[: 2 * LONGEST_TOLD]
    return cut.rstrip(" ,;:.，、；：。") + "…"


def _speaker(cell: Cell) -> str:
    if cell.speaker in ("user", "assistant"):
        return f"The {cell.speaker}"
    return cell.speaker or ""


def _as_sentence(text: str) -> str:
    return _ended(text[:1].upper() + text[1:])


def _ended(text: str) -> str:
    if text and text[-1] in _END_MARKS + "”’\"')）":
        return text
    return text + ("。" if is_unspaced(text) and not _is_hangul(text) else ".")


def _is_hangul(text: str) -> bool:
    return any(kind == "hangul" for kind, _ in runs(text))


def _month(at: datetime) -> str:
    return MONTH_NAMES[at.month - 1]


# --- from "I" to a name ---------------------------------------------------------------------------

_LONGEST_REWRITTEN = 300  # characters
_PLAIN_MARKS = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "…": "."})
# What is no plain statement about the speaker and others: questions, quotations, "you" and "we",
# exclamations. "I'd" may be "had" or "would".
_NOT_PLAIN = re.compile(
    r"[?\"“”;:*#<>{}|`/]|\.\.|--|\b(?:you(?:rs?|rself|'\w+)?|ya|we(?:'\w+)?|us|our|ours|ourselves"
    r"|let's|let me|i'd(?! (?:really |also |still )?(?:love|like|prefer|rather)\b)|i mean|i guess"
    r"|i swear|thanks|please|hey|wow|oh|yeah|yes|yep|nope|lol|haha|btw|wanna"
    r"|ain't|gotta|myself)(?!\w)",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"^(?:And|But|So|Also|Plus|Then|Well)[, ]+(?=[A-Z]|my\b)")
_SHORT_FORM = re.compile(r"\bI'(m|ve|ll|d)\b")
_SPELLED_OUT = {"m": "I am", "ve": "I have", "ll": "I will", "d": "I would"}
_SPEAKERS_OWN = {"my": "their", "me": "them", "mine": "theirs"}
_SAME_FOR_ALL = word_set(
    "was wasn't can can't cannot could couldn't will won't would wouldn't should shouldn't might "
    "must may didn't hadn't did had used"
)
_AGREEING = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't",
}  # fmt: skip
_OF_THEY = {"am": "are", "was": "were", "wasn't": "weren't"}
_SAME_IN_PAST = word_set(
    "put cut hit let set cost hurt quit spread beat shut bet split upset read burst cast shed rid"
)
_PASTS = word_set(
    "ate became began bent bit blew bought bred broke brought built burnt came caught chose clung "
    "crept dealt dove drank drew drove dug fed fell felt fled flew forgave forgot fought found "
    "froze gave got grew heard held hid hung kept knelt knew laid led left lent lit lost made "
    "meant met mistook outgrew overcame overheard overslept paid ran rang redid rode rose said "
    "sang sank sat saw sent shone shook shot slept sold sought spent spoke spun stole stood struck "
    "stuck swam swept swore swung taught thought threw told took tore understood undertook "
    "underwent upheld went withdrew woke won wore wound wove wrote"
)
_NO_PASTS = word_set("bleed breed deed embed exceed feed heed need proceed reed seed speed succeed")
_ADVERBS = word_set(
    "also just still always never often sometimes even only now already ever soon once almost both "
    "all"
)
_INVERTING = word_set("am was do did does have had can could will would should must might or nor")
# Sentences without a subject, or with one that stands in the sentence before, open so.
_LEANING = word_set("it that this they these those he she there here who which")
_NO_SUBJECT = word_set(
    "been super always just so gonna glad excited happy not still never very really as if like "
    "nothing plus same have had do did was were turns can't won't don't haven't didn't definitely"
)
_FINITE = word_set(
    "is isn't are aren't was wasn't were weren't has hasn't have haven't had will won't can can't "
    "could does doesn't do don't did didn't would should means says wants needs it's that's "
    "there's he's she's"
)
_NO_VERBS = word_set(
    "the a an my his her their its this that these those i it he she they to in on at for from "
    "with of by about into as not also then so when where who which because if while after before "
    "since just still more some all two three four both no"
)


def third_person(statement: str, speaker: str) -> str | None:
    """`statement` told about its `speaker` instead of by them, or None where that is unsure.

    `third_person("I'm keen on counseling", "Caroline")` is "Caroline is keen on counseling.": the
    first "I" becomes the name, later ones "they", and the verb behind each agrees. A statement
    that keeps its "I" in a quotation is better than a sentence that is wrong, so whatever says
    "you" or "we" is left alone. `statement` may be a few sentences; each must be sure. The
    speakers called "user" and "assistant" become "The user" and "The assistant".
    """
    text = _IMAGE.sub("", statement).translate(_PLAIN_MARKS).strip()
    if not text or len(text) > _LONGEST_REWRITTEN or any(ord(c) >= 0x250 for c in text):
        return None
    name = f"The {speaker}" if speaker in ("user", "assistant") else speaker
    told: list[str] = []
    known = False
    for sentence in sentences(text):
        words = _plain_words(sentence, follows=bool(told))
        rewritten = _about(name, words, known) if words else None
        if rewritten is None:
            return None
        known = known or name in rewritten
        told.append(f"{rewritten[0].upper()}{rewritten[1:]}.")
    return " ".join(told) or None


def _plain_words(sentence: str, follows: bool) -> list[str]:
    """The words of a plain sentence of its own; none where it isn't one."""
    text = _CONJUNCTION.sub("", sentence.rstrip(" .!,-"))
    if _NOT_PLAIN.search(text):
        return []
    words = _SHORT_FORM.sub(lambda short: _SPELLED_OUT[short[1]], text).split()
    bare = [_bare(word) for word in words]
    if not 3 <= len(words) <= 40:
        return []
    opening = bare[0].partition("'")[0]
    called = words[-2].endswith(",") and words[-1][0].isupper()  # "…, Gina"
    if called or bare[-2].endswith("n't"):  # "…, don't they"
        return []
    if opening in ("i", "my"):
        return words
    has_subject = "i" in bare
    leans = opening in _LEANING and not follows
    verbal = opening.endswith("ing") or _is_past(opening) or bare[1] in _SPEAKERS_OWN
    verbal = verbal or (not has_subject and _may_be_verb(opening))
    if leans or verbal or bare[0] in _NO_SUBJECT:
        return []
    leaning = opening in _LEANING  # on the sentence before, which is sure
    is_whole = has_subject or leaning or any(b in _FINITE or _is_past(b) for b in bare[1:])
    return words if is_whole else []


def _about(name: str, words: Sequence[str], known: bool) -> str | None:
    """The sentence with its persons changed; `known` says that the name stands before it."""
    bare = [_bare(word) for word in words]
    told: list[str] = []
    named = agreeing = False
    verb_at = -1
    for at, (word, plain) in enumerate(zip(words, bare, strict=True)):
        if plain == "i":
            if not _is_subject(words, bare, at, named):
                return None
            told.append(_swapped(word, "they" if named else name))
            verb_at = next((i for i in range(at + 1, len(bare)) if not _is_adverb(bare[i])), -1)
            if verb_at < 0:
                return None
        elif plain in _SPEAKERS_OWN:
            first = not (named or known)
            told.append(_swapped(word, _SPEAKERS_OWN[plain] if not first else _own(name, plain)))
            known = True
        elif at == verb_at:
            verb = _OF_THEY.get(plain, plain) if named else _of_one(plain)
            if verb is None:
                return None
            agreeing = agreeing or (not named and verb != plain)
            named = True
            told.append(_swapped(word, verb))
        else:
            told.append(word)
        if agreeing and at > verb_at and _joins_a_verb(words, bare, at):
            return None
    return " ".join(told)


def _is_subject(words: Sequence[str], bare: Sequence[str], at: int, named: bool) -> bool:
    """Whether the "I" at this place is alone the subject of a verb behind it."""
    if at == 0:
        return True
    before = bare[at - 1]
    inverted = before in _INVERTING or before.endswith("n't")
    if inverted and not words[at - 1].endswith(","):
        return False
    # "My sister and I", "Max and I"
    return before != "and" or (named and "my" not in bare[max(at - 4, 0) : at])


def _joins_a_verb(words: Sequence[str], bare: Sequence[str], at: int) -> bool:
    """Whether a second verb follows, which would have to agree as well: "and live in Leeds"."""
    if bare[at] not in ("and", "or", "but", "then") and not words[at].endswith(","):
        return False
    after = next((word for word in bare[at + 1 :] if not _is_adverb(word)), "")
    return after in _AGREEING or _may_be_verb(after)


def _of_one(verb: str) -> str | None:
    """The form of a verb behind a name: have -> has, try -> tries, went -> went."""
    if verb in _SAME_FOR_ALL or _is_past(verb):
        return verb
    if verb in _AGREEING:
        return _AGREEING[verb]
    if verb in _SAME_IN_PAST or not verb.isalpha():
        return None
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "i", "o", "u"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


def _is_past(word: str) -> bool:
    return word in _PASTS or (word.endswith("ed") and len(word) > 3 and word not in _NO_PASTS)


def _may_be_verb(word: str) -> bool:
    """Whether a word may be a verb in the form that "I" takes, by its grade as a word."""
    if word in _NO_VERBS or _is_past(word) or word.endswith(("ing", "s", "s'", "ly")):
        return False
    return read_word(word)[1] in (LIGHT_WEIGHT, DOING_WEIGHT)


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 4)


def _own(name: str, word: str) -> str:
    return name if word == "me" else f"{name}'s"


def _bare(word: str) -> str:
    return word.strip(",.()!").lower()


def _swapped(word: str, by: str) -> str:
    """`word` with another in its place, the marks around it kept."""
    return word.replace(word.strip(",.()!"), by, 1)
