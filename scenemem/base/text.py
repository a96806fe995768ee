"""What every part needs of text: cleaning, folding, words, tokens, fingerprints, index terms.

Pure functions over `str`, for any language. The full-text index splits text at what is not a
letter or digit (SQLite's `unicode61`), which serves scripts that put spaces between words.
Chinese, Japanese, Thai and their like put none, and Korean glues particles to its nouns, so
`index_terms` lists the characters and the overlapping pairs of such runs for the index, and
`retrieval/question.py` asks for the same. (Characters with bigrams found as much as a dictionary
segmenter on Chinese questions, and more than trigrams, which miss two-character words.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from functools import cache

__all__ = [
    "clean",
    "day_in_words",
    "estimate_tokens",
    "fingerprint",
    "fold",
    "index_terms",
    "lowered",
    "name_key",
    "shorten",
    "tells",
    "unspaced_terms",
    "without_marks",
    "words",
]

# Scripts written without spaces between words, and Hangul, whose particles are glued to the noun.
_UNSPACED = (
    ("\u0e00", "\u0eff"),  # Thai, Lao
    ("\u1000", "\u109f"),  # Myanmar
    ("\u1100", "\u11ff"),  # Hangul
    ("\u1780", "\u17ff"),  # Khmer
    ("\u3005", "\u3005"),
    ("\u3040", "\u30ff"),  # Kana
    ("\u3130", "\u318f"),  # Hangul
    ("\u31f0", "\u31ff"),  # Kana
    ("\u3400", "\u4dbf"),  # Han
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7af"),  # Hangul
    ("\uf900", "\ufaff"),  # Han
    ("\uff66", "\uff9f"),  # Kana
    ("\U00020000", "\U0003134f"),  # Han
)
# A word: letters, marks and digits of any script, with apostrophes inside ("don't", "l'été").
_WORD = re.compile(r"[^\W_](?:[\w\u0300-\u036f]*)(?:['\u2019][^\W_]\w*)*")
_ASCII_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()}
_ACCENTS = re.compile("[\u0300-\u036f]+")
_NOT_WORD = re.compile(r"[\W_]+")
_LEAST_TOLD = 8  # characters of a text that another one is known to tell


# Patterns over wide ranges take milliseconds to make ready, and English text needs none of them.
@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(f"[{''.join(map('-'.join, _UNSPACED))}]+")


def clean(text: str) -> str:
    """`text` with surrogate pairs joined, and U+FFFD for lone surrogates and NUL."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        pass
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def fold(text: str) -> str:
    """`text` for comparing: compatibility forms, case and accents removed."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", decomposed))


def lowered(text: str) -> str:
    """`text` in lower case with straight apostrophes, character for character as long as before."""
    lower = text.lower()
    if len(lower) != len(text):  # a few capitals, such as İ, have two small characters
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower if lower.isascii() else lower.replace("’", "'")


def words(text: str) -> list[str]:
    """The words of `text` as written, in order; an unspaced run is one word."""
    return _WORD.findall(text)


def unspaced_terms(run: str) -> Iterator[str]:
    """The characters of an unspaced run, then its overlapping pairs."""
    yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def index_terms(text: str) -> str:
    """What the index needs beside `text` itself to find all of it, as one spaced string.

    The characters and pairs of unspaced runs; for words whose folded form differs from what
    `unicode61` makes of them (full-width letters, ligatures, ß), the folded form. For plain
    ASCII it is empty.
    """
    if text.isascii():
        return ""
    terms: list[str] = []
    for run in _unspaced_run().findall(unicodedata.normalize("NFKC", text)):
        terms.extend(unspaced_terms(run))
    for word in words(text):
        if word.isascii():
            continue
        parts = [part for part in _unspaced_run().split(word) if part]
        if parts != [word]:  # letters glued to an unspaced run are words of their own
            terms.extend(fold(part) for part in parts)
        elif (folded := fold(word)) != _as_indexed(word):
            terms.append(folded)
    return " ".join(terms)


def _as_indexed(word: str) -> str:
    """A word about as `unicode61 remove_diacritics 2` folds it: accents go from Latin letters only.

    Decomposed accents, which it drops after any letter, are dropped too.
    """
    folded = []
    for character in word.lower():
        base = unicodedata.normalize("NFD", character)[0]
        folded.append(base if "a" <= base <= "z" else character)
    return _ACCENTS.sub("", "".join(folded))


def is_unspaced(text: str) -> bool:
    """Whether `text` has a run of a script that is found by its parts."""
    if text.isascii() or max(text) < _UNSPACED[0][0]:
        return False
    return any(first <= c <= last for c in set(text) for first, last in _UNSPACED)


def name_key(name: str) -> str:
    """What two spellings of one name share: case, accents of width, spaces and hyphens removed.

    `"Kitchen Remodel"`, `" kitchen-remodel "` and `"kitchen_remodel"` have one key. A name with
    no letter or digit at all keeps its characters.
    """
    folded = unicodedata.normalize("NFKC", clean(name)).casefold()
    return " ".join(_NOT_WORD.sub(" ", folded).split()) or " ".join(folded.split())


def fingerprint(text: str) -> int:
    """A 63-bit number that two texts share when they differ only in case, spaces, punctuation."""
    import hashlib  # recall never needs it

    if text.isascii():
        bare = " ".join(text.lower().translate(_ASCII_SPACED).split())
    else:
        folded = unicodedata.normalize("NFKC", clean(text)).casefold()
        bare = " ".join(_NOT_WORD.sub(" ", folded).split())
    bare = bare or " ".join(text.split())
    digest = hashlib.blake2b(bare.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of `text`: one for every four UTF-8 bytes.

    An estimate that needs no tokenizer file and no network. It is a little high for English
    prose, near for Chinese and Cyrillic, low for long runs of digits and punctuation.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // 4)


def shorten(text: str, limit: int) -> str:
    """`text` on one line, cut at a word's end to at most `limit` characters, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: max(limit - 1, 0)]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > limit // 2 else cut).rstrip(" ,;:") + "…"


def tells(text: str, told: str) -> bool:
    """Whether one of two texts holds the other, but for case, spaces and punctuation."""
    one, other = name_key(text), name_key(told)
    return min(len(one), len(other)) >= _LEAST_TOLD and (one in other or other in one)


def without_marks(text: str) -> str:
    """Text that can neither open nor close the marks that data stands between in a prompt."""
    return _delimiter().sub("‹", text) if "<" in text else text


@cache
def _delimiter() -> re.Pattern[str]:
    return re.compile(r"<(?=\s*/?\s*(?:memory|session))", re.IGNORECASE)


def day_in_words(at: datetime) -> str:
    """A day as people write it: 8 May 2023."""
    return f"{at.day} {at:%b} {at.year}"
