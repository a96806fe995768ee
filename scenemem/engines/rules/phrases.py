"""The phrases of a text that could name its matter: noun-like runs of one to three words.

There is no part-of-speech model here. Word grades, endings and the word before tell well enough: an
article, a possessive or a preposition announces a noun; a pronoun, "to" or a modal a verb. In
scripts without spaces the stretches between the words that hold sentences together stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import NamedTuple

from scenemem.engines.rules.other_languages import FOREIGN_ARTICLES, FOREIGN_LINKS
from scenemem.engines.rules.terms import (
    DOING_WEIGHT,
    TOPIC_WEIGHT,
    VAGUE_WEIGHT,
    guess_language,
    han_chunks,
    is_activity,
    is_english,
    is_happening,
    read_any_word,
    read_word,
    runs,
    without_particle,
)
from scenemem.engines.rules.vocabulary import (
    ARTICLES,
    COMPOUND_MODIFIERS,
    LINKS,
    NOUN_ANNOUNCERS,
    NOUNS_IN_ED,
    VERB_ANNOUNCERS,
)

LONGEST_PHRASE = 3
LONGEST_UNSPACED = 6
_UNANNOUNCED = 0.6  # how noun-like a word is that no article announces where nouns have one

_CLAUSE_END = re.compile(r"[^\w\s'’&\-]+|\s[-–—]+\s|\s&\s|[\n\r]+")
_TITLE = re.compile(r"\b(Mrs?|Ms|Dr|Prof|St)\.")  # whose full stop ends no clause
_WORD = re.compile(r"[^\W_][\w'’]*(?:-[^\W_][\w'’]*)*")
_ADJECTIVE_ENDING = re.compile(r"\w{2,}(?:ful|ous|able|ible|less|ish|iest)$")
_BE_FORMS = frozenset(
    ("am", "is", "are", "was", "were", "be", "been", "i'm", "you're", "we're", "they're", "it's")
)
# How noun-like a word is after each kind of word: a topic word, and one that is a verb as well.
_NOUN_STRENGTH = (
    {"": 0.8, "be": 0.8, "noun": 1.0, "to": 0.6},
    {"": 0.5, "be": 0.5, "noun": 0.9},
)
_QUOTED = re.compile(r"[\"“「『《]([^\"“”「」『』《》]{2,40})[\"”」』》]")


class Phrase(NamedTuple):
    """A run that could be a name.

    `keys` are its words as terms, `surface` how it was written, `strength` from 0 to about 1.2 how
    noun-like it is; `as_written` says whether its capitals are its own, not a sentence's.
    """

    keys: tuple[str, ...]
    surface: str
    strength: float
    as_written: bool


class _Word(NamedTuple):
    surface: str
    key: str
    kind: str  # noun, vague, modifier
    strength: float
    opens_clause: bool


def phrases(
    text: str, avoid: Set[str] = frozenset(), english: bool | None = None
) -> Iterator[Phrase]:
    """The phrases of `text`, a word and each longer run it is in alike.

    `avoid` are lower-case words (the speakers' names) that no phrase contains; `english` says
    whether the text is English where that is known.
    """
    text = text.partition("[image:")[0]
    if is_english(text) if english is None else english:
        yield from _english(text, avoid)
        return
    language = guess_language(text)
    if language == "en":
        yield from _unspaced(text)
    yield from _foreign(text, language, avoid)


def _english(text: str, avoid: Set[str]) -> Iterator[Phrase]:
    for clause in _CLAUSE_END.split(_TITLE.sub(r"\1", text.replace("’", "'"))):
        run: list[_Word] = []
        head: _Word | None = None
        announced, link, opens_clause = "", "", True
        surfaces = _WORD.findall(clause)
        before = ""
        for surface, after in zip(surfaces, [*surfaces[1:], ""], strict=False):
            lower = surface.lower()
            named = avoid and lower.removesuffix("'s") in avoid
            # Whose it is ("Maria's piano lesson") is no part of what it is.
            owner = lower.endswith("'s") and surface[0].isupper() and after[:1].islower()
            word = None if named or owner else _read(surface, announced, opens_clause)
            if before in ARTICLES and is_happening(lower, before, after.lower()):
                word = _Word(surface, lower, "noun", 1.0, opens_clause)
            before = lower
            if word is None:
                head = None
                if run:
                    yield from _grams(run)
                    head = run[-1] if run[-1].kind == "noun" else None
                    run = []
                link = surface if head and surface in LINKS else ""
            else:
                if link and head and not run and _is_proper(word):
                    joined = f"{_lowered(head)} {link} {word.surface}"
                    yield Phrase((head.key, word.key), joined, 1.0, True)
                run.append(word)
                link = ""
            announced = _announces(lower)
            opens_clause = False
        yield from _grams(run)


@lru_cache(maxsize=4096)
def _announces(before: str) -> str:
    """What a word says of the one after it: it is a "verb", a "noun", after "to", after "be"."""
    if before in _BE_FORMS:
        return "be"
    if before == "to":
        return "to"
    if before in VERB_ANNOUNCERS:
        return "verb"
    return "noun" if before in NOUN_ANNOUNCERS or before.endswith("'s") else ""


@lru_cache(maxsize=32768)
def _read(surface: str, announced: str, opens_clause: bool) -> _Word | None:
    """One English word as a part of a phrase, None where it ends one."""
    lower = surface.lower()
    bare = lower.removesuffix("'s")
    if not bare.replace("-", "").replace("'", "").isalpha():
        return None
    parts = bare.split("-")
    key, weight = read_word(parts[-1])
    if len(parts) > 1:
        key, weight = _compound(parts)
    proper = (surface[0].isupper() and not opens_clause) or not surface[1:].islower()
    verbal = announced in ("verb", "to")
    if lower in COMPOUND_MODIFIERS:
        return _Word(surface, key or lower, "modifier", 0.3, opens_clause)
    if weight < VAGUE_WEIGHT:
        return None
    if weight == VAGUE_WEIGHT:
        return None if verbal else _Word(surface, key, "vague", 0.25, opens_clause)
    if proper:
        return _Word(surface, key, "noun", 1.2, opens_clause)
    if bare.endswith("ed") and len(bare) > 4 and bare not in NOUNS_IN_ED:
        return None
    if _ADJECTIVE_ENDING.match(bare):
        return _Word(surface, key, "modifier", 0.4, opens_clause)
    if bare.endswith("ing") and len(bare) > 5:
        if not is_activity(bare):
            return _Word(surface, key, "modifier", 0.3, opens_clause)
        strength = 0.4 if announced == "be" else 0.8
    elif announced == "verb" or (verbal and weight == DOING_WEIGHT):
        return None
    else:
        strength = _NOUN_STRENGTH[weight == DOING_WEIGHT][announced]
    return _Word(surface, key, "noun", strength, opens_clause)


def _compound(parts: list[str]) -> tuple[str, float]:
    read = [read_word(part) for part in parts if part]
    weight = max((weight for _, weight in read), default=0.0)
    key = "-".join(key or part for (key, _), part in zip(read, filter(None, parts), strict=True))
    return key, weight if any(weight >= DOING_WEIGHT for _, weight in read) else 0.0


def _grams(run: list[_Word]) -> Iterator[Phrase]:
    if not run:
        return
    if len(run) == 1:
        word = run[0]
        if word.kind == "noun":
            yield Phrase((word.key,), _lowered(word), word.strength, not word.opens_clause)
        return
    for start in range(len(run)):
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
            words = run[start:end]
            if words[-1].kind == "modifier" or (len(words) == 1 and words[0].kind != "noun"):
                continue
            strengths = [word.strength for word in words]
            strength = 0.5 * max(strengths) + 0.5 * sum(strengths) / len(strengths)
            surface = " ".join(
                _lowered(word) if place == 0 else word.surface for place, word in enumerate(words)
            )
            as_written = not words[0].opens_clause
            yield Phrase(tuple(word.key for word in words), surface, strength, as_written)


def _is_proper(word: _Word) -> bool:
    return word.kind == "noun" and word.strength > 1.0


def _lowered(word: _Word) -> str:
    """The word without the capital that only its place in the sentence gave it."""
    surface = word.surface
    own = surface[1:].lower() != surface[1:]
    return surface[0].lower() + surface[1:] if word.opens_clause and not own else surface


def _foreign(text: str, language: str, avoid: Set[str]) -> Iterator[Phrase]:
    """Runs of content words of another language that puts spaces between words."""
    links = FOREIGN_LINKS.get(language, frozenset())
    articles = FOREIGN_ARTICLES.get(language, frozenset())
    for clause in _CLAUSE_END.split(text):
        run: list[_Word] = []
        linked: tuple[_Word, str] | None = None
        announced = False
        for place, (kind, surface) in enumerate(runs(clause)):
            if kind not in ("word", "hangul"):
                continue
            word = _read_foreign(surface, kind, language, place == 0)
            if word is None or surface.lower() in avoid:
                announced = surface.lower() in articles
                yield from _grams(run)
                if linked and not run and announced:
                    linked = linked[0], f"{linked[1]} {surface}"
                else:
                    linked = (run[-1], surface) if run and surface.lower() in links else None
                run = []
                continue
            if articles and not run and not announced and not linked and not _is_proper(word):
                word = word._replace(strength=_UNANNOUNCED * word.strength)
            announced = False
            if linked and not run:
                head, link = linked
                joined = f"{_lowered(head)} {link} {word.surface}"
                yield Phrase((head.key, word.key), joined, 0.9, not head.opens_clause)
            linked = None
            run.append(word)
        yield from _grams(run)


def _read_foreign(surface: str, kind: str, language: str, opens_clause: bool) -> _Word | None:
    if kind == "hangul":
        noun = without_particle(surface)
        # A particle shows a noun; Korean verbs end a clause in 다 or 요.
        if len(noun) < 2 or noun.endswith(("다", "요", "게", "고", "서")):
            return None
        return _Word(noun, noun, "noun", 1.0 if noun != surface else 0.6, False)
    key, weight = read_any_word(surface.lower(), language)
    if weight < TOPIC_WEIGHT:
        return None
    proper = surface[0].isupper() and not opens_clause
    # German writes its nouns with a capital, so there a small letter is no noun.
    strength = 1.0 if proper else 0.3 if language == "de" else 0.7
    return _Word(surface, key, "noun", strength, opens_clause and language != "de")


def _unspaced(text: str) -> Iterator[Phrase]:
    for quoted in _QUOTED.findall(text):
        if not quoted.isascii() and len(quoted) <= 2 * LONGEST_UNSPACED:
            yield Phrase((quoted,), quoted, 1.2, True)
    before = ""
    for kind, run in runs(text):
        if kind == "han":
            for chunk in han_chunks(run):
                yield from _substrings(chunk)
        elif kind == "katakana" and len(run) > 1:
            yield Phrase((run,), run, 1.0, True)
        elif kind == "thai":
            yield from _substrings(run, 4, 14, whole_only=len(run) > 40)
        if kind == "katakana" and before:
            yield Phrase((before, run), before + run, 1.0, True)
        before = run if kind == "han" and len(run) <= LONGEST_UNSPACED else ""


def _substrings(
    chunk: str, shortest: int = 2, longest: int = LONGEST_UNSPACED, whole_only: bool = False
) -> Iterator[Phrase]:
    if whole_only:
        yield Phrase((chunk[:longest],), chunk[:longest], 0.5, True)
        return
    for start in range(len(chunk)):
        for end in range(start + shortest, min(start + longest, len(chunk)) + 1):
            whole = start == 0 and end == len(chunk)
            edge = start == 0 or end == len(chunk)
            part = chunk[start:end]
            yield Phrase((part,), part, 1.0 if whole else 0.6 if edge else 0.4, True)
