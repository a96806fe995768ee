"""The words that ask for something to be remembered, cut off before it: "Please remember that …".

What is kept is what was asked to be remembered: "Jot down: the party is on Friday" becomes "The
party is on Friday". Only openings after which a whole statement stands are cut off; reminiscing
("Remember that time in Rome?") and what is addressed to somebody else stay as they are. Pure.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["unframed"]

# Words without one of which, in lower case, no opening can stand.
_HINTS: Final = (
    "remember", "memori", "mind", "note", "forget", "jot", "write", "merk", "notier", "vergiss",
    "souviens", "rappelle", "retiens", "oublie", "recuerda", "olvides", "anota", "apunta",
)  # fmt: skip
_SO = r"(?: (?:short|long)[- ]term)?(?: (?:also|too|please|for me|for later))*"
_WITH_COLON = (
    rf"remember{_SO}(?: this| the following)?|memori[sz]e(?: this)?|(?:keep|bear)(?: this)? in mind"
    r"|don't forget(?: this)?|do not forget(?: this)?|(?:please )?note(?: down| to self)?"
    r"|jot(?: (?:it|this))?(?: down)?|write(?: (?:it|this))? down"
    r"|(?:make|take|add|write)(?: me)? (?:a |another )?(?:quick )?note"
    r"|merke? dir(?: bitte)?|notiere?(?: dir)?(?: bitte)?|vergiss(?: bitte)? nicht"
    r"|souviens-toi|rappelle-toi|retiens|note[zr]?|n'oublie pas"
    r"|recuerda|no olvides|anota|apunta"
)
_WITH_THAT = (
    rf"remember{_SO}|memori[sz]e|(?:keep|bear) in mind|don't forget|do not forget"
    r"|don't let me forget|note(?: down)?|jot(?: it)?(?: down)?|write(?: it)? down"
    r"|(?:make|take)(?: me)? (?:a )?note"
)
_WITH_QUE = (
    r"souviens-toi|rappelle-toi|retiens|note[zr]?|n'oublie pas"
    r"|recuerda|no olvides|anota|apunta|ten en cuenta"
)
_FRAME: Final = re.compile(
    r"(?:(?:and|also|so|ok(?:ay)?|please|kindly|bitte|por favor|s'il te plaît)[,!]? ){0,3}(?:"
    rf"(?:{_WITH_COLON}): ?(?=\S)"
    # "Remember that time …" reminisces, "remember that is wrong" points at something.
    rf"|(?:{_WITH_THAT}),? that,? (?!(?:time|day|night|summer|winter|year|week|guy|girl|man|woman"
    r"|movie|film|song|place|trip|one|is|was|are|were|will|can|has|had|you|your|you're)\b)"
    rf"|(?:{_WITH_QUE}) (?:que |qu')"
    r"|jot down (?!as\b|(?:this|that|it)\b)"
    r"|remember,? (?=(?:my|our) [^,;:?]{1,60} (?:is|are) |i(?:'m|'ve| am| have) ))"
)
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]+(?='?[^\W_]*(?:\s|$))")


def unframed(text: str, lower: str) -> str:
    """`text` without such an opening; `lower` is it in lower case, as long, apostrophes straight.

    What is left begins with a capital letter.
    """
    if not any(map(lower[:60].__contains__, _HINTS)):
        return text
    found = _FRAME.match(lower)
    rest = text[found.end() :].lstrip() if found else ""
    if len(rest.split()) < 2 and not (rest and not rest.isascii()):
        return text
    word = _PLAIN_WORD.match(rest)
    # "iPhone", "gpt-4" are written as they are.
    return f"{rest[0].upper()}{rest[1:]}" if word and word.group().islower() else rest
