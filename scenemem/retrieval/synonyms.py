"""English synonyms, so that a question about "dad" finds the father.

They are read from `synonyms.txt`, which `benchmarks/make_synonyms.py` made from a language model's
vectors of single words, without any conversation. Its lines are in alphabetical order and are
searched as they are, because few words are looked up. Of a word's forms it holds the most frequent.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

__all__ = ["synonyms_of"]

_ENDING = re.compile(r"(?:ings?|edly|ed|ies|es|s|ly|y|e)$")


@cache
def synonyms_of(word: str) -> tuple[str, ...]:
    """Words that mean about the same as this lowercase English word, whatever its ending.

    Often there are none.
    """
    if not (word.isascii() and word.isalpha()):
        return ()
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s"):
        for key, beside in _entries(form):
            if key == form:
                return beside
            break
    stem = _stem(word)
    return next((beside for key, beside in _entries(stem) if _stem(key) == stem), ())


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return bare if len(bare) > 2 else word


@cache
def _text() -> str:
    with open(os.path.join(os.path.dirname(__file__), "synonyms.txt"), encoding="utf-8") as file:
        return file.read()


def _entries(beginning: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words that begin like this, each with its synonyms, in alphabetical order."""
    text = _text()
    first = bisect_left(range(len(text)), beginning, key=lambda place: _key(_line_of(place)))
    start = _line_of(first) if first < len(text) else len(text)
    while text.startswith(beginning, start):
        end = text.index("\n", start)
        key, _, beside = text[start:end].partition(": ")
        yield key, tuple(beside.split())
        start = end + 1


def _line_of(place: int) -> int:
    """Where the line with this character begins."""
    return _text().rfind("\n", 0, place) + 1


def _key(line: int) -> str:
    return _text()[line : _text().index(":", line)]
