"""Words that only carry a sentence, in languages other than English: out of the language files.

For the languages that put spaces between words, their stop words with what talk is filled up with,
and the small words that tie two nouns into one name. For Chinese and Japanese, the characters and
the words of Han characters that hold a sentence together: no topic starts, ends or goes on across
one. Words that are rare outside talk are left to counting.
"""

from __future__ import annotations

from typing import Final

from scenemem.base.languages import codes, rows, words

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
