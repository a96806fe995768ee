"""Text cut into sentences, for any language.

The library `sentencex` finds the ends of sentences. It knows the abbreviations of the language
that it is told, which a message doesn't tell, so it is always asked as for English. Around what it
finds stand the language files: their sections `abbreviations` tell what ends no sentence ("approx.
300", "M. Dupont", "z.B."), in which company, and which of these are words as well ("No."). German
ordinals ("am 19. Juni") are known by the months and other nouns behind them.

A line break always ends a sentence, and a full stop with no space behind it never does ("ASP.NET").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from scenemem.base.languages import codes, rows, values, words

__all__ = ["sentences"]

_MAY_END = re.compile(r"[.!?…。！？｡．؟۔।॥](?=.)")
_BEFORE_A_CAPITAL = re.compile(r"(?<=[.)\]])\s+(?=[A-ZÀ-ÞА-Я])")
# Ends that the library looks for only before a capital, or never: an ellipsis, a doubled mark, a
# mark in brackets. A full stop in brackets is one before a capital alone: "(2 hrs.) late".
_STRONG_END = re.compile(r"(?:…|\.{2,}|[!?]{2,}|[!?…][)\]]+)(\s+)(?=\S)")
_LAST_WORD = re.compile(r"(?<!\w)([^\W\d_]+)\.$")
_LONGEST_ABBREVIATION = 12
_END_MARKS = frozenset(".!?")
_OPENING = "\"'“„«»‘’([{¿¡*_"
_WORD = re.compile(r"[^\W\d_]+")
_ORDINAL = re.compile(r"\d{1,2}")
_NUMBERED = re.compile(r"[\"'(\[*]*(?:\d{1,3}|[^\W\d_])\.")
_ADDRESS = re.compile(r"[/=@\\]\S*$")


def sentences(text: str) -> list[str]:
    """`text` cut into sentences, in order, each stripped; abbreviations and numbers stay whole."""
    found: list[str] = []
    for line in text.split("\n"):
        if _MAY_END.search(line):
            found.extend(_of_line(line))
        elif line := line.strip():
            found.append(line)
    return found


def _of_line(line: str) -> Iterator[str]:
    from sentencex import segment

    held = ""
    for piece in segment("en", line):
        if held and not _goes_on(held, piece):
            yield from _cut_further(held.strip())
            held = ""
        held += piece
    if held := held.strip():
        yield from _cut_further(held)


def _goes_on(before: str, after: str) -> bool:
    """Whether the sentence that `before` holds goes on in `after`, where the library cut it."""
    ended = before.rstrip()
    if not ended:
        return True
    mark = ended[-1]
    if len(ended) == len(before) and mark.isascii():  # no space behind the mark
        return mark == "." or not after[:1].isupper() or bool(_ADDRESS.search(ended))
    if mark != ".":
        return False
    if _NUMBERED.fullmatch(ended):  # "1. Milk": the number of a list is no sentence; "M. Dupont"
        return True
    *earlier, last = ended[:-1].rsplit(None, 2)[-2:] or [""]
    return _is_open("".join(earlier), last.lstrip(_OPENING), after)


def _is_open(second_last: str, last: str, after: str) -> bool:
    """Whether a full stop behind these two tokens ends no sentence, by what comes after."""
    after = after.lstrip(_OPENING)
    first = _WORD.match(after)
    word = first[0] if first else ""
    if _ORDINAL.fullmatch(last):
        return word.lower() in _behind_an_ordinal()
    key = last.lower()
    pair = f"{second_last.lstrip(_OPENING).lower()} {key}"
    if key in _also_words() and not last[:1].isupper():
        return False
    kinds = _kinds(key) | _kinds(pair)
    begins = word[:1].isupper()
    return (
        ("anywhere" in kinds and not (begins and key in _also_words()))
        or ("before a number" in kinds and after[:1].isdecimal())
        or ("before a name" in kinds and begins and word.lower() not in _no_names())
        or ("unless a sentence begins" in kinds and bool(after) and not begins)
    )


def _cut_further(sentence: str) -> Iterator[str]:
    """The sentence, cut behind strong ends and where the library saw an abbreviation in a word."""
    ends = {m.start(): m.end() for m in _BEFORE_A_CAPITAL.finditer(sentence)}
    ends = {at: after for at, after in ends.items() if _ends(sentence[:at])}
    ends |= {m.start(1): m.end() for m in _STRONG_END.finditer(sentence)}
    start = 0
    for at in sorted(ends):
        yield sentence[start:at]
        start = ends[at]
    yield sentence[start:]


def _ends(before: str) -> bool:
    """Whether a sentence ends here, before a capital letter, though the library cut nothing.

    "I said no. John left.": English words that it takes for an abbreviation; a title is one with
    a capital.
    """
    if before[-1] != ".":
        return before[-2:-1] in _END_MARKS  # "(It rained.) Then"
    word = _LAST_WORD.search(before, max(0, len(before) - _LONGEST_ABBREVIATION))
    if word is None:
        return False
    key = word[1].lower()
    is_title = "before a name" in _kinds(key) and word[1] != key
    return key in _english_words() and not is_title


@cache
def _english_words() -> frozenset[str]:
    return frozenset(rows("abbreviations", "en").get("words as well", ()))


@cache
def _by_kind() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, listed in rows("abbreviations").items():
        for abbreviation in listed:
            found.setdefault(abbreviation, set()).add(kind)
    return {abbreviation: frozenset(kinds) for abbreviation, kinds in found.items()}


def _kinds(abbreviation: str) -> frozenset[str]:
    return _by_kind().get(abbreviation, frozenset())


@cache
def _also_words() -> frozenset[str]:
    return frozenset(rows("abbreviations").get("words as well", ()))


@cache
def _no_names() -> frozenset[str]:
    """Words that begin a sentence rather than name somebody: stop words, without a name's "de"."""
    return words("stop words") - frozenset(rows("naming").get("links", ())) | words(
        "stop words", "en"
    )


@cache
def _behind_an_ordinal() -> frozenset[str]:
    """What stands behind an ordinal, in the languages that write one with a full stop."""
    nouns = {code: rows("abbreviations", code).get("behind an ordinal", ()) for code in codes()}
    months = (month for code, listed in nouns.items() if listed for month in values("months", code))
    return frozenset(months).union(*nouns.values())
