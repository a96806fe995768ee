"""The fillers of talk, trimmed off a statement's ends: "Wow, ", "By the way, ", ", haha"."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["trimmed"]

_FILLER = (
    r"(?:oh|wow|aww?|well|so|anyways?|by the way|btw|yeah|yep|yup|hey|hi|hello|hiya|haha|lol|hmm|um|uh"
    r"|ok|okay|alright|you know|i mean|honestly|to be honest|actually|speaking of which|thanks"
    r"|thank you|sure|of course|absolutely|definitely|totally|true|right|no worries|man|dude|gosh"
    r"|oh my gosh|omg|and|but|also|mmm|ah|woah|whoa|phew|great|awesome|cool)[,!.…–—]+"
)
_ENDING = re.compile(r"[,;]? ?\b(?:haha|hehe|lol|lmao)[.!]*$|\s*(?::\)|:D|;\))+$", re.I)
_LOOSE = " \t\r\n,;–—-"


@lru_cache(maxsize=256)
def _opening(addressee: str | None) -> re.Pattern[str]:
    if not addressee:
        return re.compile(rf"(?i:(?:{_FILLER}\s*){{1,4}}(?=\S))")
    # By the name or a short form of it: "Thanks, Mel! …" to Melanie.
    name = rf"{re.escape(addressee[:2])}[^\W\d_]{{0,{len(addressee)}}}[,!]"
    return re.compile(rf"(?i:(?:(?:{_FILLER}|{name})\s*){{1,4}}(?=\S))")


def trimmed(clause: str, addressee: str | None = None) -> str:
    """`clause` without fillers at its ends and without the addressee's name before it.

    What is left begins with a capital letter where something was cut off before it.
    """
    text = clause.strip(_LOOSE)
    found = _opening(addressee).match(text)
    if found:
        text = text[found.end() :]
    if text[-3:].lower().rstrip(".!").endswith(("a", "e", "l", "o", ")", "d")):
        text = _ENDING.sub("", text)
    return text[0].upper() + text[1:] if text[:1].islower() and found else text
