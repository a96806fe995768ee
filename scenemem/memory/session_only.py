"""Decide which parts of a message only its own session may see.

Other sessions can't see a session's notebook, but they can see scenes. When the user asks to put
something in the notebook ("Set my locale to en_US (short term)", "… Use a tool to store it"), those
sentences are therefore visible only in the session's own history, and so are the sentences of a
reply that repeat them. The rest of the message is remembered as usual. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from scenemem.base.talk import sentences_of
from scenemem.base.text import fold, words

__all__ = ["OwnWord", "own_sentences", "own_words", "value_texts", "without_sentences"]

# For how long, or by which means, something should be kept.
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
# "Use a tool to store it (long term)" refers to the previous sentence.
_ABOUT_IT = re.compile(
    r"\b(?:store|save|keep|remember|note|record|put|jot|write)\w*(?: \w+)? (?:it|this|that|them)\b"
    r"|\b(?:it|this|that|them) (?:short|long)[- ]?term\b",
    re.IGNORECASE,
)
_SHORTEST = 3  # characters; a shorter value also needs the words of its key


class OwnWord(NamedTuple):
    """A value in the session's notebook, used to recognize sentences that repeat it.

    A short value must occur together with the words of its key.
    """

    value: str
    key: frozenset[str]

    def is_repeated_in(self, sentence: str) -> bool:
        """Whether a sentence repeats the value."""
        found = re.search(rf"(?<!\w){re.escape(self.value)}(?!\w)", sentence, re.IGNORECASE)
        if found is None:
            return False
        return len(self.value) >= _SHORTEST or self.key <= _folded_words(sentence)


def own_words(
    written: Iterable[tuple[str, Any]], withheld: Sequence[tuple[str, str]]
) -> list[OwnWord]:
    """The notebook values that only the session may see, from its (key, value) pairs.

    `withheld` pairs each of its messages with what others see of it; a value that occurs only in
    the withheld part belongs to the session. The key of a note is "".
    """
    return [
        OwnWord(text, _folded_words(key))
        for key, value in written
        for text in value_texts(value)
        if any(text in whole and text not in seen for whole, seen in withheld)
    ]


def own_sentences(text: str) -> list[str]:
    """The sentences of a user's message that only the session may see, in order."""
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


def without_sentences(text: str, own: Iterable[str], repeated: Sequence[OwnWord] = ()) -> str:
    """The text without these sentences, and without those that repeat one of the values.

    A line that becomes empty is removed.
    """
    for sentence in own:
        text = text.replace(sentence, "", 1)
    if repeated:
        for sentence in list(sentences_of(text)):
            if any(word.is_repeated_in(sentence) for word in repeated):
                text = text.replace(sentence, "", 1)
    return "\n".join(line for line in text.splitlines() if line.strip()).strip()


def value_texts(value: Any) -> Iterator[str]:
    """The texts in a JSON value, as a person would write them."""
    if isinstance(value, list):
        for part in value:
            yield from value_texts(part)
    elif isinstance(value, dict):
        yield from value_texts(list(value.values()))
    elif value is not None and (text := str(value).strip().rstrip(".")):
        yield text.lower() if isinstance(value, bool) else text


def _folded_words(text: str) -> frozenset[str]:
    return frozenset(fold(part) for word in words(text) for part in word.split("_") if part)
