"""The words of each language, one text file a language, for all parts that read text.

`en.txt`, `de.txt` and the others stand beside this file, and the folder is the list of languages:
a file that is added adds one. A file has sections, each a heading in brackets and what stands
below it, up to the next heading:

    # A line that begins with a number sign is a comment.
    [stop words]
    the a of
    [months]
    1: january, jan
    [task]
    i need to, remind me

There are three kinds of sections, by how they are read. `words` takes what stands between spaces,
`phrases` what stands between commas (or line ends), `rows` lines of a key, a colon and phrases.
Every reader takes the heading first, then the code of one language; without a code it brings all
languages together. A language that lacks a section has no words in it, which is no error. Words are
written as people spell them, in lower case; who compares folded text asks for `folded_words`.

A file is read when something first asks for its language, a section is taken apart when it is
first asked for, and both are kept. README.txt in this folder lists the sections and their readers.
"""

from __future__ import annotations

import os
from functools import cache

from scenemem.base.text import fold

__all__ = ["codes", "folded_words", "lines", "phrases", "rows", "values", "words"]

_FOLDER = os.path.dirname(__file__)
_ENDING = ".txt"


@cache
def codes() -> tuple[str, ...]:
    """The codes of the languages that have a file: English first, the others by the alphabet."""
    names = (name for name in os.listdir(_FOLDER) if name.endswith(_ENDING))
    found = sorted(name.removesuffix(_ENDING) for name in names)
    return tuple(sorted(found, key=lambda code: code != "en"))


@cache
def words(section: str, code: str = "") -> frozenset[str]:
    """The words of a section: what stands between spaces."""
    return frozenset(_text(section, code).split())


@cache
def folded_words(section: str, code: str = "") -> frozenset[str]:
    """The words of a section as `text.fold` makes them: without accents."""
    return frozenset(fold(_text(section, code)).split())


@cache
def lines(section: str, code: str = "") -> tuple[tuple[str, ...], ...]:
    """The words of each line of a section that has any: words that belong together."""
    return tuple(tuple(line.split()) for line in _text(section, code).splitlines() if line.strip())


@cache
def phrases(section: str, code: str = "") -> tuple[str, ...]:
    """The phrases of a section, each once, in order: what stands between commas or line ends."""
    return tuple(dict.fromkeys(_phrases_in(_text(section, code).replace("\n", ","))))


@cache
def rows(section: str, code: str = "") -> dict[str, tuple[str, ...]]:
    """The rows of a section: the phrases behind each key. A key's rows are taken together."""
    found: dict[str, dict[str, None]] = {}
    for line in _text(section, code).splitlines():
        key, colon, listed = line.partition(":")
        if colon:
            found.setdefault(key.strip(), {}).update(dict.fromkeys(_phrases_in(listed)))
    return {key: tuple(listed) for key, listed in found.items()}


@cache
def values(section: str, code: str = "") -> dict[str, str]:
    """The rows of a section the other way around: the key of each phrase."""
    return {phrase: key for key, listed in rows(section, code).items() for phrase in listed}


def _phrases_in(text: str) -> list[str]:
    return [phrase for part in text.split(",") if (phrase := " ".join(part.split()))]


def _text(section: str, code: str) -> str:
    """What stands below a heading, comments left out; of all languages without a code."""
    texts = [_sections(each).get(section, "") for each in ((code,) if code else codes())]
    text = "\n".join(filter(None, texts))
    if "#" in text:
        text = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    return text


@cache
def _sections(code: str) -> dict[str, str]:
    """The sections of a language's file by their headings; none for a language without a file."""
    if code not in codes():
        return {}
    # Unbuffered, since a recall reads the files of all languages as it starts.
    with open(os.path.join(_FOLDER, code + _ENDING), "rb", buffering=0) as file:
        text = file.read().decode().replace("\r\n", "\n")
    found: dict[str, str] = {}
    for part in f"\n{text}".split("\n[")[1:]:
        heading, _, below = part.partition("]")
        found[heading.strip()] = below
    return found
