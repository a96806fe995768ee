"""Which English words carry a topic and which only carry a sentence: for cohesion and for names.

The words stand in the language file `en.txt`. They come in grades. *Stop* words hold sentences
together; *light* words (everyday verbs, adjectives, adverbs, praise and greetings) say little of
what a matter is about and never name it; *vague* nouns ("time", "thing", "experience") may be a
part of a name, never all of it; *doing* words ("plan", "walk") are verbs and nouns alike and count
as nouns where the word before says so. Everything else is taken as a topic word, and what is common
in one memory is weighed down by counting. A word is listed in one grade only; inflected forms
follow their stems.
"""

from __future__ import annotations

from typing import Final

from scenemem.base.languages import lines, rows, words

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
