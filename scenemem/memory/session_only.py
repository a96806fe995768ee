"""What of a message is the session's own: what the user wants kept with a tool, or in a term.

A session's notebook is not seen by other sessions; scenes are. So the words by which the user has
something put into the notebook ("Set my locale to en_US (short term)", "… Use a tool to store it")
are cut from what all but the session's own history see of a message, and so are the sentences of a
reply that only tell it again. All else in the message is remembered as ever. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from scenemem.base.talk import sentences_of
from scenemem.base.text import fold, words

__all__ = ["OwnWord", "own_sentences", "own_words", "value_texts", "without_sentences"]

# How long, or with what, something is to be kept.
_TERM = (
    r"\b(?:short|long)[- ]?term\b|\bwith (?:a|the|your) tool\b|\buse (?:a|the|your) (?:\w+ )?tool\b"
    r"|\b(?:kurz|lang)fristig\b|\ba (?:corto|largo) plazo\b|\bà (?:court|long) terme\b"
)
_HERE = r"\b(?:for|in) (?:this|the current) (?:session|chat|conversation)\b"
_ONLY_HERE = re.compile(
    rf"{_HERE}(?: only| alone)|\b(?:only|just) {_HERE[2:]}|^for this (?:session|chat)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"^(?:please )?(?:set|remember(?: that)?) (?:my|our)\b.*\bfor now\W*$", re.IGNORECASE
)
_IN_BRACKETS = re.compile(
    rf"[(\[][^)\]]*(?:{_TERM}|{_HERE})[^)\]]*[)\]]\s*[.!]*\s*$", re.IGNORECASE
)
_KEPT_SO = re.compile(rf"{_TERM}|{_HERE}", re.IGNORECASE)
_ORDER = re.compile(
    r"^(?:(?:please|now|ok(?:ay)?|and|also|then|bitte|por favor)[, ]+)*"
    r"(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:remember|set|store|save|keep|note|jot|write|use|put|memori[sz]e|record|change"
    r"|merk\w*|setz\w*|speicher\w*|notier\w*|guarda|recuerda|retiens|mémorise)\b",
    re.IGNORECASE,
)
# "Use a tool to store it (long term)": about the sentence before.
_ABOUT_IT = re.compile(
    r"\b(?:store|save|keep|remember|note|record|put|jot|write)\w*(?: \w+)? (?:it|this|that|them)\b"
    r"|\b(?:it|this|that|them) (?:short|long)[- ]?term\b",
    re.IGNORECASE,
)
_SHORTEST = 3  # characters of a value that alone tells it


class OwnWord(NamedTuple):
    """A value of the session's notebook, by which a sentence is known to tell it again.

    A short value needs the words of its key beside it.
    """

    value: str
    key: frozenset[str]

    def is_told_in(self, sentence: str) -> bool:
        """Whether a sentence tells the value."""
        found = re.search(rf"(?<!\w){re.escape(self.value)}(?!\w)", sentence, re.IGNORECASE)
        if found is None:
            return False
        return len(self.value) >= _SHORTEST or self.key <= _folded(sentence)


def own_words(
    written: Iterable[tuple[str, Any]], withheld: Sequence[tuple[str, str]]
) -> list[OwnWord]:
    """The values that only the session may see, of what it has written down as (key, value).

    `withheld` are its messages, whole and as others see them: a value is its own that stands in
    what others do not see. The key of a note is "".
    """
    return [
        OwnWord(text, _folded(key))
        for key, value in written
        for text in value_texts(value)
        if any(text in whole and text not in seen for whole, seen in withheld)
    ]


def own_sentences(text: str) -> list[str]:
    """The sentences of a user's message that are only for the session, in order."""
    own: list[str] = []
    if not _KEPT_SO.search(text) and "for now" not in text.lower():
        return own
    before: str | None = None
    for sentence in sentences_of(text):
        is_order = bool(_ORDER.match(sentence))
        if any(p.search(sentence) for p in (_ONLY_HERE, _IN_BRACKETS, _FOR_NOW)):
            is_own = True
        else:
            is_own = is_order and bool(_KEPT_SO.search(sentence))
        if is_own and is_order and before is not None and _ABOUT_IT.search(sentence):
            own.append(before)
        if is_own:
            own.append(sentence)
        before = None if is_own else sentence
    return own


def without_sentences(text: str, own: Iterable[str], told: Sequence[OwnWord] = ()) -> str:
    """The text without these sentences, and without those that tell one of the words.

    A sentence is cut with the line that it is in where nothing else is left of it.
    """
    for sentence in own:
        text = text.replace(sentence, "", 1)
    if told:
        for sentence in list(sentences_of(text)):
            if any(word.is_told_in(sentence) for word in told):
                text = text.replace(sentence, "", 1)
    return "\n".join(line for line in text.splitlines() if line.strip()).strip()


def value_texts(value: Any) -> Iterator[str]:
    """The texts in a JSON value, as somebody would write them."""
    if isinstance(value, list):
        for part in value:
            yield from value_texts(part)
    elif isinstance(value, dict):
        yield from value_texts(list(value.values()))
    elif value is not None and (text := str(value).strip().rstrip(".")):
        yield text.lower() if isinstance(value, bool) else text


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(part) for word in words(text) for part in word.split("_") if part)
