"""Understand a question: which terms to look for, whose words, which days, what it asks.

Pure functions. What a term looks for is a small tree, which the store compiles. The number of terms
is bounded, however long the text is. Each language's rules apply to that language only: stop words
if the question's own function words show the language, irregular forms in English, attached
prefixes in Hebrew and Arabic, open endings in Cyrillic and Greek. Text in scripts without spaces is
found by its parts, as `text.index_terms` lists them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from scenemem.base.inflection import attached_forms, open_ending, other_forms
from scenemem.base.stopwords import (
    english_stopwords,
    light_words,
    stop_characters,
    stopwords_of,
)
from scenemem.base.text import clean, fold, is_unspaced, name_key
from scenemem.retrieval.synonyms import synonyms_of
from scenemem.store.sought import Sought, any_of, phrase, prefix, without

__all__ = ["MOST_TERMS", "Asked", "Question", "Term", "TermKind", "understand"]

TermKind = Literal["word", "form", "phrase", "part"]
Asked = Literal["when", "how many"]

MOST_TERMS = 40  # of a question with more words, the longest are searched for
_LONGEST_RUN = 60  # characters of one unspaced run that are read
_LONGEST_TEXT = 20_000  # characters of a question that are read
_LIGHT_WEIGHT = 0.5
_OTHER_WEIGHT = 0.5  # other forms of an irregular word, and synonyms
_PHRASE_WEIGHT = 0.5
_CHARACTER_WEIGHT = 0.5

# Letters and digits with the marks that stand on them (accents, points, vowel signs of Indic
# scripts). The index cuts a word at such a vowel sign and so does the quoted term: as a phrase
# it finds the word again.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(f"[^\\W_](?:[^\\W_]|[{_MARKS}])*")
_COMPOUNDING = frozenset("-_./\\:=&+@#")
_QUOTES = '"“”„«»「」『』'


class Term(NamedTuple):
    """One thing to look for: what is `sought`, and how much a match counts.

    Terms of the same `concept` say the same thing in other words; the best match counts, not the
    sum.
    """

    text: str
    sought: Sought
    weight: float
    kind: TermKind
    concept: int


class Question(NamedTuple):
    """What a question asks for.

    `names` are the people in the memory whom it names, spelled as in the memory. `days` are the
    days it mentions, as (first, last). `about_assistant` means that it asks what the assistant
    said. `only_stopwords` means that nothing in it says what it is about, so no match is relevant.
    """

    text: str
    terms: tuple[Term, ...] = ()
    names: frozenset[str] = frozenset()
    days: tuple[tuple[date, date], ...] = ()
    asks: frozenset[Asked] = frozenset()
    about_assistant: bool = False
    only_stopwords: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the terms, to mark what matched."""
        return tuple(dict.fromkeys(word for term in self.terms for word in term.text.split()))


def understand(
    text: str, *, names: Collection[str] = (), days: Sequence[tuple[date, date]] = ()
) -> Question:
    """What `text` asks for. Never raises, whatever the text.

    `names` are the speakers in the memory. `days` are the days that `text` names, which the caller
    resolves relative to the day of asking.
    """
    text = unicodedata.normalize("NFKC", clean(text[:_LONGEST_TEXT]))
    found = [_Word(word) for word in _pieces(text)]
    named = _names_in(found, names)
    stop = stopwords_of(word.key for word in found if not word.unspaced)
    of_names = {key for name in named for key in name_key(name).split()}
    content = [w for w in found if not w.is_stop(stop) and w.key not in of_names]
    only_stopwords = not content and not named and not days
    kept = content or [w for w in found if not w.is_stop(stop)] or found
    english = bool(content) and stop is english_stopwords()
    terms = _Terms()
    for word in _longest(kept, MOST_TERMS):
        _add_word(terms, word, english)
    for parts in _phrases(text):
        if not all(fold(part) in stop for part in parts):
            together = " ".join(parts)
            terms.add(together, _said(together), _PHRASE_WEIGHT, "phrase")
    return Question(
        text=text,
        terms=tuple(terms.found),
        names=frozenset(named),
        days=tuple(days),
        asks=_asked(text),
        about_assistant=_is_about_assistant(text),
        only_stopwords=only_stopwords,
    )


class _Word:
    """A word of the question and its folded key."""

    __slots__ = ("key", "text", "unspaced")

    def __init__(self, text: str) -> None:
        self.text = text
        self.key = fold(text)
        self.unspaced = is_unspaced(text)

    def is_stop(self, stop: Collection[str]) -> bool:
        if self.unspaced:
            return all(character in stop_characters() for character in self.text)
        return self.key in stop


class _Terms:
    """The terms found so far, each once."""

    def __init__(self) -> None:
        self.found: list[Term] = []
        self._seen: set[Sought] = set()
        self._concept = -1

    def add(
        self, text: str, sought: Sought, weight: float, kind: TermKind, *, same: bool = False
    ) -> None:
        """Add a term; `same` means that it says the same as the one before."""
        if sought in self._seen or len(self.found) >= 3 * MOST_TERMS:
            return
        self._seen.add(sought)
        self._concept += not same
        self.found.append(Term(text, sought, weight, kind, self._concept))


def _pieces(text: str) -> Iterator[str]:
    """The words of `text` without possessive endings; a run of an unspaced script is one piece.

    "won't" is dropped, because its first piece alone would be another word.
    """
    if "'" in text or "’" in text:
        negated, possessive = _apostrophes()
        text = possessive.sub(" ", negated.sub(" ", text))
    yield from _WORD.findall(text)


@cache
def _apostrophes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Negated verbs, and the endings of possessives."""
    return (
        re.compile(r"\b[a-z]+n['’]t(?:['’]ve)?\b", re.IGNORECASE),
        re.compile(r"(?<=\w)['’]s?(?!\w)"),
    )


def _longest(found: Sequence[_Word], most: int) -> list[_Word]:
    """The distinct words in order; if there are too many, the longest, which are rarer."""
    distinct = list({word.key: word for word in found}.values())
    if len(distinct) <= most:
        return distinct
    chosen = set(sorted(range(len(distinct)), key=lambda i: (-len(distinct[i].key), i))[:most])
    return [word for i, word in enumerate(distinct) if i in chosen]


def _add_word(terms: _Terms, word: _Word, english: bool) -> None:
    if word.unspaced:
        _add_parts(terms, word.text)
        return
    light = english and word.key in light_words()
    weight = _LIGHT_WEIGHT if light else 1.0
    if word.key.isascii():
        terms.add(word.key, _said(word.key), weight, "word")
        others = other_forms(word.key) if english else ()
        if english and not light:  # what people ask with stands near words of every talk
            others += synonyms_of(word.key)
        if others:
            text = " ".join(others)
            terms.add(text, _any_said(others), _OTHER_WEIGHT * weight, "form", same=True)
        return
    terms.add(word.text, _any_said([word.text, word.key]), weight, "word")
    forms = attached_forms(word.key)
    if forms:
        terms.add(word.key, _any_said(forms), weight, "form", same=True)
    stem = open_ending(word.text.lower())
    if stem:
        terms.add(word.key, prefix(stem), 0.8 * weight, "form", same=True)


def _add_parts(terms: _Terms, run: str) -> None:
    """Add the parts of an unspaced run, as the index lists them: see `text.index_terms`.

    Thai and similar scripts are letters, so only windows of four mean anything. A syllable of
    Hangul or Kana means little by itself; an ideograph is often a word.
    """
    single: list[str] = []
    for match in _script().finditer(run[:_LONGEST_RUN]):
        piece = match.group()
        if match.lastgroup == "letters":
            for window in _windows(piece, 4):
                terms.add(window, _said(" ".join(_windows(window, 2))), 1.0, "part")
            continue
        for pair in _windows(piece, 2):
            if len(pair) == 2 and not all(character in stop_characters() for character in pair):
                terms.add(pair, _said(pair), 1.0, "part")
        single.extend(c for c in piece if len(piece) == 1 or _ideograph().match(c))
    for character in single:
        if character not in stop_characters() or len(run) == 1:
            terms.add(character, _said(character), _CHARACTER_WEIGHT, "part")


def _windows(piece: str, length: int) -> Iterator[str]:
    """The overlapping pieces of `length` characters; the whole piece if it is shorter."""
    for i in range(max(len(piece) - length + 1, 1)):
        yield piece[i : i + length]


# Patterns over wide ranges are slow to compile, and most questions need none of them.
@cache
def _script() -> re.Pattern[str]:
    letters = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    hangul = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
    return re.compile(
        f"(?P<letters>[{letters}]+)|(?P<hangul>[{hangul}]+)|(?P<ideographs>[^{letters}{hangul}]+)"
    )


@cache
def _ideograph() -> re.Pattern[str]:
    return re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


def _phrases(text: str) -> Iterator[list[str]]:
    """Words that must stand together: compounds (identifiers, dates, paths) and quotations."""
    together: list[str] = []
    if not _COMPOUNDING.isdisjoint(text):
        together += [match.group() for match in _compound().finditer(text)][:8]
    if not frozenset(_QUOTES).isdisjoint(text):
        together += [match.group(1) for match in _quoted().finditer(text)][:4]
    for words in together:
        parts = re.findall(r"[^\W_]+", words)
        if 2 <= len(parts) <= 12 and not is_unspaced(words):
            yield [part.lower() for part in parts]


@cache
def _compound() -> re.Pattern[str]:
    return re.compile(r"(?<![^\W_])[^\W_]+(?:[-_./\\:=&+@#]+[^\W_]+)+")


@cache
def _quoted() -> re.Pattern[str]:
    return re.compile(f"[{_QUOTES}]([^{_QUOTES}]{{2,80}})[{_QUOTES}]")


def _names_in(found: Sequence[_Word], names: Iterable[str]) -> set[str]:
    """The names that the question has in full, or by their first word.

    If the first word is a function word ("The Boss", "Will Smith"), it counts only if it is
    capitalized within a sentence or the whole name is there. A name in an unspaced script counts
    anywhere within a run.
    """
    by_word = _by_first_word(tuple(names))
    capital = {word.key for word in found[1:] if word.text[:1].isupper()}
    said = " ".join(word.key for word in found)
    named = set()
    for word in said.split():
        for name in by_word.get(word, ()):
            surely = word not in english_stopwords() or word in capital
            if surely or (" " in (key := name_key(name)) and f" {key} " in f" {said} "):
                named.add(name)
    if any(word.unspaced for word in found):
        named |= {name for name in names if is_unspaced(name) and name_key(name) in said}
    return named


@lru_cache(maxsize=16)
def _by_first_word(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The names by the first word of their keys; the same for all questions to a memory."""
    found: dict[str, list[str]] = {}
    for name in names:
        if key := name_key(name):
            found.setdefault(key.split()[0], []).append(name)
    return found


def _said(text: str) -> Sought:
    if text in ("won", "don"):  # the index holds "won't" as two words
        return without(phrase(text), phrase(f"{text} t"))
    return phrase(text)


def _any_said(texts: Iterable[str]) -> Sought:
    return any_of(map(_said, texts))


def _asked(text: str) -> frozenset[Asked]:
    lower = text.lower()
    if not any(cue in lower for cue in ("when", "what", "which", "how ")):
        return frozenset()
    return frozenset(asked for asked, pattern in _asking() if pattern.search(lower))


@cache
def _asking() -> tuple[tuple[Asked, re.Pattern[str]], ...]:
    return (
        ("when", re.compile(r"\b(when|(what|which) (day|date|month|year|time))\b")),
        ("how many", re.compile(r"\bhow (many|much|long|old|often|far)\b")),
    )


def _is_about_assistant(text: str) -> bool:
    lower = text.lower()
    cues = ("you", "remind", "conversation", "chat", "discussion", "你")
    return any(cue in lower for cue in cues) and _about_assistant().search(lower) is not None


@cache
def _about_assistant() -> re.Pattern[str]:
    return re.compile(
        r"\byou(?:r|'ve|'d)?\b[^.?!]{0,60}\b(?:recommend|suggest|said|say|told|tell|mention|gave|"
        r"give|provid|list|explain|advi[cs]e|shared?|describe)|\bremind me\b|"
        r"\b(?:previous|last|earlier|our)\s(?:\w+\s)?(?:conversation|chat|discussion)|"
        r"你[^。？]{0,12}(?:推荐|建议|告诉|说|介绍|提到|给我)"
    )
