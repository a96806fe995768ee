"""The fillers of talk, trimmed off a statement's ends: "Wow, ", "By the way, ", ", haha"."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["trimmed"]

_FILLER = (
    r"(?:oh|wow|aww?|well|so|anyways?|(?:oh,? )?(?:and )?by the way|oh,? and|yum|btw|yeah|yep|yup"
    r"|hey|hi|hello|hiya|haha|lol|hmm|um|uh|ok|okay|alright|you know|i mean|honestly|to be honest"
    r"|actually|speaking of which|thanks|thank you|sure|of course|absolutely|definitely|totally"
    r"|true|right|no worries|man|dude|gosh|oh my gosh|omg|and|but|also|mmm|ah|woah|whoa|phew|great"
    r"|awesome|cool)"
)
_STOP_MARK = r"[,!.…–—]+"
_ENDING = re.compile(r"[,;]? ?\b(?:haha|hehe|lol|lmao)[.!]*$|\s*(?::\)|:D|;\))+$", re.I)
_LOOSE = " \t\r\n,;–—-"


@lru_cache(maxsize=256)
def _patterns(addressee: str | None) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """What is cut off before a statement, and the addressee's name as it stands behind one."""
    greeting = (
        r"(?:(?:hey|hi|hello|hiya|thanks|thank you|congrats|good morning),? (?-i:[A-Z][a-z]+)"
        r"|(?:wow|aww?|nice|cool|great|awesome),? (?-i:[A-Z][a-z]+)(?=[!.]))"
    )
    if not addressee:
        return re.compile(rf"(?i:(?:(?:{greeting}|{_FILLER}){_STOP_MARK}\s*){{1,4}}(?=\S|$))"), None
    # By the name or a short form of it: "Thanks, Mel! …" to Melanie.
    name = rf"{re.escape(addressee[:2])}[^\W\d_]{{0,{len(addressee)}}}"
    opening = (
        rf"(?i:(?:(?:(?:{greeting}|{_FILLER}(?:,? {name})?){_STOP_MARK}"
        rf"|{name}{_STOP_MARK})\s*){{1,4}}(?=\S|$))"
    )
    return re.compile(opening), re.compile(rf"(?i:(?:^|, ){name}(?=[.!]*$))")


def trimmed(clause: str, addressee: str | None = None) -> str:
    """`clause` without fillers at its ends and without the addressee's name.

    What is left begins with a capital letter where something was cut off before it.
    """
    text = clause.strip(_LOOSE)
    opening, name = _patterns(addressee)
    found = opening.match(text)
    if found:
        text = text[found.end() :]
    if text[-3:].lower().rstrip(".!").endswith(("a", "e", "l", "o", ")", "d")):
        text = _ENDING.sub("", text)
    if name is not None:
        text = name.sub("", text, count=1)
    return text[0].upper() + text[1:] if text[:1].islower() and found else text
