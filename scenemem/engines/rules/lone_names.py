"""Names that stand alone ("Maria", not "Maria Street"): whom talk is with, seldom what it is about.

A person is named whatever the matter is, so such a name ties statements together less than the
words for the matter do. Names are told by how they are written: with a capital that no start of a
sentence explains, and next to no other word with one.
"""

from __future__ import annotations

import re

from scenemem.engines.rules.terms import TOPIC_WEIGHT, read_any_word

__all__ = ["LoneNames"]

_SHARE = 0.45  # of its weight that such a name keeps
_MOST_NAMES = 20_000  # names beyond these are left to counting
_WORD = re.compile(r"[^\W\d_][^\W_]*")
_TITLE = re.compile(r"\b(?:Mrs?|Ms|Dr|Prof)\.? (?=[^\W\d_])")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;\n\"“«¿¡(–—])\W*\Z")  # what may stand before a capital


class LoneNames:
    """The lone names met so far, as terms."""

    def __init__(self) -> None:
        self._keys: set[str] = set()

    def meet(self, content: str) -> None:
        """Learn the names in one statement."""
        if len(self._keys) < _MOST_NAMES:
            self._keys.update(lone_names(content))

    def lighten(self, terms: dict[str, float]) -> dict[str, float]:
        """`terms` themselves, the names among them weighing less from now on."""
        for key in self._keys & terms.keys():
            terms[key] *= _SHARE
        return terms


def lone_names(content: str) -> set[str]:
    """The terms of the words in `content` that are written as names and stand alone."""
    found: set[str] = set()
    joined = False
    content = _TITLE.sub("the ", content)
    matches = list(_WORD.finditer(content))
    for match, after in zip(matches, [*matches[1:], None], strict=False):
        opens = _SENTENCE_START.search(content, max(match.start() - 4, 0), match.start())
        joins = not opens and _is_joined(content, match, after)
        if not (opens or joined or joins):
            key, weight = read_any_word(match.group().lower(), "en")
            if _is_capital(match) and len(match.group()) > 2 and weight >= TOPIC_WEIGHT:
                found.add(key)
        joined = joins
    return found


def _is_capital(match: re.Match[str]) -> bool:
    word = match.group()
    return word[0].isupper() and word[1:].islower()


def _is_joined(content: str, match: re.Match[str], after: re.Match[str] | None) -> bool:
    """Whether a word and the one after it make one name, two capitals with a space between."""
    if after is None or content[match.end() : after.start()] != " ":
        return False
    return match.group()[0].isupper() and after.group()[0].isupper()
