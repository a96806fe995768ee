"""A sentence made ready for questions about its words, and lists of phrases to ask for.

Most cues are plain phrases. Looking them up by their words, in sets, costs a small part of what
searching a sentence with one long pattern after another does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemem.base.languages import phrases
from scenemem.base.text import is_unspaced, lowered

__all__ = ["Phrases", "Sentence", "word_set"]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def word_set(words: str) -> frozenset[str]:
    """The words of a table, written with spaces between them."""
    return frozenset(words.split())


@dataclass(slots=True, eq=False)
class Sentence:
    """A sentence with its lower-case form (equally long), its words in order and as a set.

    `line` is the words with one space around each, for finding phrases. `told` holds what
    `statements.information` found, once it has looked.
    """

    text: str
    lower: str
    words: list[str]
    known: set[str]
    line: str
    told: float | None = None

    @classmethod
    def of(cls, text: str) -> Sentence:
        """`text` read."""
        lower = lowered(text)
        words = _WORD.findall(lower)
        return cls(text, lower, words, set(words), f" {' '.join(words)} ")


class Phrases:
    """Phrases, written with "|" between them; those of unspaced scripts are found anywhere."""

    def __init__(self, spaced: str, unspaced: str = "") -> None:
        listed = [phrase.split() for phrase in " ".join(spaced.split()).split("|")]
        self._single = frozenset(phrase[0] for phrase in listed if len(phrase) == 1)
        by_word: dict[str, list[str]] = {}
        for phrase in listed:
            if len(phrase) > 1:
                by_word.setdefault(max(phrase, key=len), []).append(f" {' '.join(phrase)} ")
        self._by_word = {word: tuple(phrases) for word, phrases in by_word.items()}
        self._longer = frozenset(by_word)
        self._unspaced = re.compile(unspaced) if unspaced else None

    @classmethod
    def of_section(cls, section: str) -> Phrases:
        """The phrases of a section of the language files, in all languages."""
        listed = phrases(section)
        unspaced = [re.escape(phrase) for phrase in listed if is_unspaced(phrase)]
        spaced = [phrase for phrase in listed if not is_unspaced(phrase)]
        return cls("|".join(spaced), "|".join(unspaced))

    def found_in(self, sentence: Sentence) -> bool:
        """Whether one of the phrases stands in `sentence`."""
        known = sentence.known
        if not self._single.isdisjoint(known):
            return True
        if not self._longer.isdisjoint(known):
            for word in self._longer & known:
                if any(phrase in sentence.line for phrase in self._by_word[word]):
                    return True
        if self._unspaced is None or sentence.text.isascii():
            return False
        return self._unspaced.search(sentence.text) is not None
