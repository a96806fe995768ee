"""The words that the engine tells topics and names by, as the language files list them.

English words come in grades. *Stop* words hold sentences together; *light* words (everyday verbs,
adjectives, adverbs, praise and greetings) say little about a topic and never name it; *vague* nouns
("time", "thing", "experience") may be part of a name, never all of it; *doing* words ("plan",
"walk") are verbs and nouns alike and count as nouns where the word before says so. Everything else
is taken for a topic word, and what is common in one memory is weighed down by counting. Each word
is in one grade only; inflected forms follow their stems. *Fields* group everyday words by the field
of life they belong to. Other languages have stop words, links and articles.
"""

from __future__ import annotations

from typing import Final

from scenemem.base.languages import codes, lines, rows, words

STOP: Final = words("stop words", "en") | words("filler words", "en")
LIGHT: Final = words("everyday words", "en")
VAGUE: Final = words("vague nouns", "en")
DOING: Final = words("doing words", "en")

# Nouns that tell little of a matter when they stand alone as its name.
GENERIC: Final = words("generic nouns", "en")

# Short forms that a name gives way to the full word for, where somebody wrote that.
SLANG: Final = words("short forms", "en")

# Everyday adjectives that make compounds with the noun after them ("high school").
COMPOUND_MODIFIERS: Final = words("compound modifiers", "en")

# Nouns that look like a verb in -ed, and words in -ly that are no adverbs.
NOUNS_IN_ED: Final = words("nouns in ed", "en")
NOUNS_IN_LY: Final = words("nouns in ly", "en")

# Words before a word that make it a verb, or a noun.
VERB_ANNOUNCERS: Final = words("before a verb", "en")
NOUN_ANNOUNCERS: Final = words("before a noun", "en")

# Of these, the ones behind which even a word in -ing is a noun ("the opening").
ARTICLES: Final = frozenset(rows("naming", "en")["articles"])

# Small words that tie two nouns into one name ("trip to Paris").
LINKS: Final = frozenset(rows("naming", "en")["links"])

# Words of one matter that share no stem, a family a line.
KINDRED: Final = lines("kindred words", "en")


_OTHERS: Final = tuple(code for code in codes() if code != "en")


def _named(key: str) -> dict[str, frozenset[str]]:
    """What the row of this key in the sections `naming` holds, by language."""
    found = {code: frozenset(rows("naming", code).get(key, ())) for code in _OTHERS}
    return {code: listed for code, listed in found.items() if listed}


FOREIGN_STOP: Final = {
    code: listed
    for code in _OTHERS
    if (listed := words("stop words", code) | words("filler words", code))
}
FOREIGN_LINKS: Final = _named("links")
# Words behind which a noun stands: articles and possessives.
FOREIGN_ARTICLES: Final = _named("articles")
FOREIGN_AND: Final = {code: next(iter(listed)) for code, listed in _named("and").items()}
HAN_GLUE_WORDS: Final = words("glue words")
HAN_GLUE: Final = words("glue characters")

# How a scene of mere small talk is named, by language.
SMALL_TALK: Final = {
    code: names[0] for code in codes() if (names := rows("naming", code).get("small talk"))
}


FIELDS: Final[dict[str, str]] = {
    field: " ".join(listed) for field, listed in rows("fields of life", "en").items()
}
