"""From text to terms: what a statement is about, as comparable keys with weights.

A term is a word cut to a stem ("paintings", "painted" -> "paint") and folded with its kindred
("kids", "children"); where a script puts no spaces between words, a pair of neighbouring
characters. Its weight says how much of a topic the word carries before anything is counted.

Figures: what scenes, names, summaries and small talk are told by. Without the fields of life
(LoCoMo) .226 instead of .240 of what answers one question stands in one scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from scenemem.base.text import fold, words
from scenemem.engines.rules.vocabulary import (
    ARTICLES,
    DOING,
    FIELDS,
    FOREIGN_STOP,
    HAN_GLUE,
    HAN_GLUE_WORDS,
    KINDRED,
    LIGHT,
    NOUNS_IN_ED,
    NOUNS_IN_LY,
    STOP,
    VAGUE,
)

TOPIC_WEIGHT = 1.0
DOING_WEIGHT = 0.6
VAGUE_WEIGHT = 0.2
LIGHT_WEIGHT = 0.06
PAIR_WEIGHT = 0.6
VERB_FORM_WEIGHT = 0.4
FIELD_WEIGHT = 0.4
MIN_WEIGHT = 0.1
CAPTION_SHARE = 0.4

_THAI_LIKE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

_PLAIN_MARKS = str.maketrans("‘’“”–—…", "''\"\"--.")
_ASCII_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:'[A-Za-z]+)?")
_TOKEN = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>[{_HIRAGANA}]+)"
    f"|(?P<thai>[{_THAI_LIKE}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<word>[^\\W\\d_{_HAN}{_KATAKANA}{_HIRAGANA}{_THAI_LIKE}{_HANGUL}]"
    f"(?:[^\\W_{_HAN}{_KATAKANA}{_HIRAGANA}{_THAI_LIKE}{_HANGUL}]|[\u0300-\u036f'’](?=\\w))*)"
)
_HANGUL_PARTICLES = re.compile(
    "(?:에서는|에서|에게|으로|부터|까지|처럼|보다|하고|이랑|은|는|이|가|을|를|에|의|도|로|와|과|랑|만)$"
)
_VOWEL = re.compile("[aeiouy]")
_ADJECTIVE = re.compile(r"\w{2,}(?:ful|ous|able|ible|less|ish|iest)$")
_VERB_FORM = re.compile(r"\w{2,}(?:ing|ed)$")
_DROPPED_E = re.compile("[^aeiou][aeiou][^aeiouwxy]")
_IRREGULAR_FORMS = """
children=child men=man women=woman feet=foot teeth=tooth mice=mouse geese=goose wives=wife
knives=knife leaves=leaf shelves=shelf loaves=loaf wolves=wolf lives=life ran=run swam=swim
sang=sing drew=draw drove=drive rode=ride flew=fly taught=teach sewn=sew knitted=knit
wrote=write written=write grew=grow shot=shoot sung=sing plane=airplane planes=airplane
stare=gaze drawn=draw
"""
_IRREGULAR = dict(pair.split("=") for pair in _IRREGULAR_FORMS.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A key that the forms of one English word share; it need not be a word itself."""
    word = word.removesuffix("'s").replace("'", "")
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    if len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "ches", "shes", "xes", "zzes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and _VOWEL.search(base):
            if base[-1] == base[-2] and base[-1] not in "aeioulsz":
                word = base[:-1]
            else:
                word = base + "e" if _DROPPED_E.fullmatch(base) else base
            break
    if word.endswith("tion") and len(word) >= 8:
        word = word[:-3]
    if word.endswith("y") and len(word) > 3:
        word = word[:-1] + "i"
    return word.removesuffix("e") if len(word) > 4 else word


@lru_cache(maxsize=1)
def _kindred() -> dict[str, str]:
    folded: dict[str, str] = {}
    for family in KINDRED:
        keys = [stem(word) for word in family]
        head = folded.get(keys[0], keys[0])
        for key in keys:
            folded.setdefault(key, head)
    return folded


@lru_cache(maxsize=1)
def _graded_stems() -> dict[str, float]:
    """Weights by stem, so that every form of a listed word has its grade."""
    grades: dict[str, float] = {}
    for weight, listed in (
        (VAGUE_WEIGHT, VAGUE),
        (DOING_WEIGHT, DOING),
        (LIGHT_WEIGHT, LIGHT),
    ):
        for word in listed:
            grades.setdefault(stem(word), weight)
    return grades


@lru_cache(maxsize=65536)
def read_word(word: str) -> tuple[str, float]:
    """The key and the weight of one lower-case word read as English; stop words weigh nothing."""
    bare, _, rest = word.partition("'")
    if word in STOP or (rest and bare in STOP):
        return "", 0.0
    if rest and rest != "s":
        return "", 0.0
    key = stem(word)
    if bare in VAGUE:
        weight = VAGUE_WEIGHT
    elif bare in DOING:
        weight = DOING_WEIGHT
    elif bare in _field_words():
        weight = TOPIC_WEIGHT
    elif bare in LIGHT:
        weight = LIGHT_WEIGHT
    elif key in _graded_stems():
        weight = _graded_stems()[key]
    elif bare.endswith("ly") and len(bare) > 4 and bare not in NOUNS_IN_LY:
        weight = LIGHT_WEIGHT
    elif len(bare) == 1:
        return "", 0.0
    elif _ADJECTIVE.match(bare) or (_VERB_FORM.match(bare) and bare not in NOUNS_IN_ED):
        weight = VERB_FORM_WEIGHT
    else:
        weight = TOPIC_WEIGHT
    return _kindred().get(key, key), weight


@lru_cache(maxsize=1)
def _field_words() -> frozenset[str]:
    return frozenset(word for listed in FIELDS.values() for word in listed.split())


def is_field(term: str) -> bool:
    """Whether a term is a field of life, not a word that was said."""
    return term[0] == "#"


def news_of(found: Mapping[str, float]) -> float:
    """The weight of the topic words among terms: how much a statement says of some matter."""
    return sum(
        weight for term, weight in found.items() if weight >= DOING_WEIGHT and term[0] != "#"
    )


def is_happening(word: str, before: str, after: str) -> bool:
    """Whether a lower-case word in -ing is a noun by its place, as in "the opening": behind an
    article or its like, and before nothing that it could describe."""
    return (
        before in ARTICLES
        and word.endswith("ing")
        and len(word) > 5
        and word not in LIGHT
        and read_word(word)[1] < DOING_WEIGHT
        and (not after or read_word(after)[1] < VAGUE_WEIGHT)
    )


def nicknames(name: str) -> list[str]:
    """How a lower-case first name may be cut short ("mel", "mela"), where that is no other word."""
    shorter = [name[:length] for length in range(3, len(name))] if name.isascii() else []
    return [
        short
        for short in shorter
        if read_word(short)[1] == TOPIC_WEIGHT and short not in _field_words()
    ]


def is_activity(word: str) -> bool:
    """Whether a word in -ing is the name of something people do ("painting", not "stunning")."""
    return word in _field_words() or word in DOING or stem(word) in _doing_stems()


@lru_cache(maxsize=1)
def _doing_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in DOING)


@lru_cache(maxsize=1)
def _fields_by_key() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, listed in FIELDS.items():
        for word in listed.split():
            key = read_word(word)[0]
            if key:
                found.setdefault(key, "#" + name)
    return found


def without_dates(text: str) -> str:
    """`text` without the resolved dates that extraction adds in brackets."""
    return _DATE_NOTE.sub("", text) if "(" in text else text


_DATE_NOTE = re.compile(r" ?\((?:\d[^()]*\d{4}|\d{4}-[\d/-]+|[A-Z][a-z]+ \d{4}|\d{4})\)")


def terms(text: str) -> dict[str, float]:
    """The terms of `text` with their weights; a term said again weighs a little more.

    What a picture shows (a closing "[image: ...]") tells less of the matter than what is said.
    """
    said, shown, caption = without_dates(text).partition("[image:")
    if not shown:
        return _terms(said)
    found = _terms(said)
    for term, weight in _terms(caption).items():
        found.setdefault(term, CAPTION_SHARE * weight)
    return found


def _terms(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    ascii_text = text if text.isascii() else text.translate(_PLAIN_MARKS)
    if ascii_text.isascii():
        listed = _ASCII_WORD.findall(ascii_text.lower())
        read = [read_word(word) for word in listed]
        if len(listed) < 3 or 4 * sum(not weight for _, weight in read) >= len(listed):
            fields = _fields_by_key()
            for key, weight in read:
                if weight >= MIN_WEIGHT:
                    before = found.get(key)
                    found[key] = weight if before is None else before + 0.3 * weight
                    if FIELD_WEIGHT and (field := fields.get(key)):
                        found[field] = max(found.get(field, 0.0), FIELD_WEIGHT)
            for word in _happenings(listed):
                found[word] = max(found.get(word, 0.0), DOING_WEIGHT)
            return found
    for key, weight in _terms_of_any_script(ascii_text):
        before = found.get(key)
        found[key] = weight if before is None else before + 0.3 * weight
    return found


def _happenings(listed: Sequence[str]) -> Iterator[str]:
    for before, word, after in zip(listed, listed[1:], [*listed[2:], ""], strict=False):
        if before in ARTICLES and is_happening(word, before, after):
            yield word


def _terms_of_any_script(text: str) -> Iterator[tuple[str, float]]:
    language = guess_language(text)
    for kind, run in runs(text):
        if kind == "word":
            key, weight = read_any_word(run.lower(), language)
            if weight:
                yield key, weight
        elif kind == "han":
            for chunk in han_chunks(run):
                yield from _pairs(chunk)
        elif kind == "katakana":
            if len(run) > 1:
                yield run, TOPIC_WEIGHT
        elif kind == "hangul":
            noun = without_particle(run)
            if len(noun) > 1:
                yield noun, TOPIC_WEIGHT
        elif kind == "thai":
            for i in range(max(len(run) - 4, 0) + 1):
                yield run[i : i + 5], 0.25


def runs(text: str) -> Iterator[tuple[str, str]]:
    """The words and the unspaced runs of `text` with their kind of script, in order.

    Kinds: word (any spaced script), han, hiragana, katakana, hangul, thai (and its like).
    """
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or "word", match.group()


def without_particle(word: str) -> str:
    """A Korean word without the particle at its end."""
    return _HANGUL_PARTICLES.sub("", word) if len(word) > 2 else word


def read_any_word(word: str, language: str) -> tuple[str, float]:
    """The key and the weight of one lower-case word of a spaced script in `language`."""
    word = word.replace("’", "'")
    if language == "en" and word.isascii():
        return read_word(word)
    return _read_foreign_word(word, language)


def _pairs(chunk: str) -> Iterator[tuple[str, float]]:
    for i in range(len(chunk) - 1):
        yield chunk[i : i + 2], PAIR_WEIGHT


@lru_cache(maxsize=1)
def _han_glue() -> re.Pattern[str]:
    listed = sorted(HAN_GLUE_WORDS, key=lambda word: (-len(word), word))
    return re.compile("|".join(listed) + f"|[{''.join(sorted(HAN_GLUE))}]")


def han_chunks(run: str) -> list[str]:
    """The stretches of a Han run between the words that only hold sentences together."""
    return [chunk for chunk in _han_glue().split(run) if len(chunk) > 1]


@lru_cache(maxsize=65536)
def _read_foreign_word(word: str, language: str) -> tuple[str, float]:
    if len(word) < 3 or word in FOREIGN_STOP.get(language, ()):
        return "", 0.0
    _, elided, rest = word.partition("'")
    bare = fold(rest if elided and len(rest) > 2 else word)
    # An ending of up to two letters is where most languages inflect.
    return (bare[: max(4, len(bare) - 2)] if len(bare) > 5 else bare), TOPIC_WEIGHT


@lru_cache(maxsize=1)
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    by_word: dict[str, list[str]] = {}
    for language, listed in FOREIGN_STOP.items():
        for word in listed:
            by_word.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in by_word.items()}


def guess_language(text: str) -> str:
    """The code of the language whose stop words `text` uses most, "en" when none stands out."""
    votes: dict[str, int] = {}
    english = 0
    for word in words(text.lower()):
        english += word in STOP
        for language in _languages_by_word().get(word, ()):
            votes[language] = votes.get(language, 0) + 1
    best = max(votes, key=lambda language: votes[language], default="en")
    return best if votes and votes[best] > english else "en"


def is_english(text: str) -> bool:
    """Whether `text` reads as English."""
    if not text.isascii():
        letters = [c for c in text if c.isalpha()]
        if sum(not c.isascii() for c in letters) > 0.1 * len(letters):
            return False
    return guess_language(text) == "en"
