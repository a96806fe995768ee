"""Words that a question is made of and that say nothing of what it is about, by language.

They are the sections `stop words` of the language files. `stopwords_of` finds the language by the
stop words themselves: the one whose list covers most of the question, English where two are level.
So the list of one language is never used on another ("die" is no stop word in an English question).
`light_words` are those that people ask with ("recommend", "remember", "kind"): they count, but less
than what is asked about. All are folded: lower case, without accents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from scenemem.base.languages import codes, folded_words

__all__ = ["english_stopwords", "light_words", "stop_characters", "stopwords_of"]


def stopwords_of(keys: Iterable[str]) -> Collection[str]:
    """The stop words of the language in which most of the folded words `keys` are stop words."""
    found = list(keys)
    best: Collection[str] = frozenset()
    most = 0
    for listed in _lists():
        if (count := sum(map(listed.__contains__, found))) > most:  # the first of equals: English
            best, most = listed, count
    return best


@cache
def _lists() -> tuple[frozenset[str], ...]:
    return tuple(filter(None, (folded_words("stop words", code) for code in codes())))


def english_stopwords() -> frozenset[str]:
    """The stop words of English."""
    return folded_words("stop words", "en")


def light_words() -> frozenset[str]:
    """English words that people ask with: weighed down, not dropped."""
    return folded_words("light words", "en")


def stop_characters() -> frozenset[str]:
    """The characters of Chinese and Japanese function words, which say little alone."""
    return folded_words("stop characters")
