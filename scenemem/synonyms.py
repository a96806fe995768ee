"""English words that stand near one another, so that "movies" finds the film.

They come from `synonyms.txt`, which was made of static word embeddings and of no conversation:
`benchmarks/make_synonyms.py` tells how. The file is searched as it is, since few words are looked
up; of a word's forms it holds the most frequent one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache

__all__ = ["synonyms_of"]

_ENDING = re.compile(r"(?:ings?|edly|ed|ies|es|s|ly|y|e)$")


@cache
def synonyms_of(word: str) -> tuple[str, ...]:
    """What stands near an English word in lower case, whatever its ending; often nothing."""
    if not word.isalpha():
        return ()
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), f"{word}s"):
        start = _text().find(f"\n{form}:")
        if start >= 0:
            return _listed(start)
    stem = _stem(word)
    return next((_listed(place) for place in _begins(stem) if _stem(_key(place)) == stem), ())


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return bare if len(bare) > 2 else word


@cache
def _text() -> str:
    with open(os.path.join(os.path.dirname(__file__), "synonyms.txt"), encoding="utf-8") as file:
        return "\n" + file.read()


def _begins(stem: str) -> Iterator[int]:
    """Where lines begin with the stem."""
    place = _text().find(f"\n{stem}")
    while place >= 0:
        yield place
        place = _text().find(f"\n{stem}", place + 1)


def _key(line: int) -> str:
    return _text()[line + 1 : _text().index(":", line)]


def _listed(line: int) -> tuple[str, ...]:
    text = _text()
    return tuple(text[text.index(":", line) + 1 : text.index("\n", line + 1)].split())
