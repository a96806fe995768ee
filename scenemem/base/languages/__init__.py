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

There are three kinds of sections, by how they are read. `words` takes what stands between spaces
(`lines` the words of each line), `phrases` what stands between commas or line ends (`pattern` finds
them in a text), and `rows`
lines of a key, a colon and phrases (`values` the other way around, the key of each phrase). Every
reader takes the heading first, then the code of one language; without a code it brings all
languages together. A language that lacks a section has no words in it, which is no error. Words
are written as people spell them, in lower case; `folded_words` takes their accents off.

A file is read when something first asks for its language, a section is taken apart when it is
first asked for, and both are kept. A new language needs no section; these are read, with what by:

    stop words            words that say nothing of what a text is about (words; recall, engine)
    light words           words that people ask with, which count half (words; recall)
    stop characters       characters of such words, in scripts without spaces (words; recall)
    filler words          what talk is filled up with, beside the stop words (words; engine)
    months                by their number, in all forms (rows; dates)
    weekdays              1 is Monday (rows; dates)
    short weekdays        read as days only where a word points at them: "last mon" (rows; dates)
    seasons               spring, summer, autumn, winter (rows; dates)
    day units             day, week, fortnight, weekend, month, year, decade (rows; dates)
    pointing words        last, next, this, last but one, next but one (rows; dates)
    named days            by their distance from today: -1 is yesterday (rows; dates)
    holidays              by month and day: 12-25 (rows; dates)
    numbers               by what they count, at least and at most: 2-4 is few (rows; dates)
    date words            the small words around a date, by their place (rows; dates)
    past words            words that put a date into the past (phrases; dates)
    future words          words that put a date into the future (phrases; dates)
    abbreviations         what ends no sentence, by what it stands before (rows; sentences)
    headings              words before a colon that are nobody's name (words; transcripts)
    placeholders          what exports write in place of a picture (rows; talk)
    decision              cues of a cell's type (phrases; engine), and so the next four
    risk                  of a worry or a danger
    task                  of something to be done
    preference            of a liking or a dislike
    plan                  of what is meant to be done
    remember              what asks to be remembered (phrases; engine, talk)
    important             what says of itself that it must be kept (pattern; compaction)
    unimportant           and what says that it need not (pattern; compaction)
    grave                 health, life and death, deadlines (phrases; engine)
    small talk            greetings, thanks and yeses that are whole sentences (phrases; engine)
    unreal words          words without which nothing is supposed (phrases; engine)
    dated words           words that date a statement (phrases; engine)
    naming                links, articles, "and", and the name of small talk (rows; engine)
    glue words            words of Han characters that no topic goes across (words; engine)
    glue characters       characters that no topic goes across (words; engine)

English alone has grades of words, for topics and names (all read by the engine):

    everyday words        verbs, adjectives and adverbs that say little of a matter (words)
    vague nouns           nouns that are never all of a name: "time" (words)
    doing words           verbs that are nouns alike: "walk" (words)
    generic nouns         nouns that tell little alone: "house" (words)
    short forms           words that a name gives way to the full word for: "vid" (words)
    compound modifiers    adjectives that make compounds: "high school" (words)
    nouns in ed           nouns that look like a verb: "seed" (words)
    nouns in ly           words that look like an adverb: "family" (words)
    before a verb         words that make the next one a verb (words)
    before a noun         words that make the next one a noun (words)
    kindred words         words of one matter without a common stem, a family a line (lines)
    fields of life        words by the field of life that they belong to (rows)
"""

from __future__ import annotations

import os
import re
from functools import cache

from scenemem.base.text import fold, is_unspaced

__all__ = ["codes", "folded_words", "lines", "pattern", "phrases", "rows", "values", "words"]

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
def pattern(section: str, code: str = "") -> re.Pattern[str]:
    """Finds the phrases of a section in a text, in whatever case; a caret is the text's beginning.

    A phrase is found as whole words, but in scripts without spaces wherever it stands.
    """
    listed = sorted(phrases(section, code), key=len, reverse=True)
    found = []
    for phrase in listed:
        begins = "^" if phrase.startswith("^") else ""
        written = re.escape(phrase.removeprefix("^")).replace("’", "'").replace("'", "['’]")
        bounded = written if is_unspaced(phrase) else f"(?<!\\w){written}(?!\\w)"
        found.append(begins + bounded)
    return re.compile("|".join(found) or r"(?!)", re.IGNORECASE)


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
