"""How version 1 cleans, compares, indexes and stamps: frozen copies, for the step that makes it.

What is stored was made by functions, and a step must make what its own version held, whatever
`scenemem.base` does by then. While version 1 is today's, a test holds these to the same results.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from datetime import UTC, datetime

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
    "\u3005\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_WORD = re.compile(r"[^\W_](?:[\w\u0300-\u036f]*)(?:['\u2019][^\W_]\w*)*")
_NOT_WORD = re.compile(r"[\W_]+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` with lone surrogates and NUL replaced by U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\x00", "\ufffd"))


def index_terms(text: str) -> str:
    """What the index needs beside `text`: parts of unspaced runs, folded forms."""
    terms: list[str] = []
    for run in _UNSPACED_RUN.findall(unicodedata.normalize("NFKC", text)):
        terms.extend(run)
        terms.extend(run[i : i + 2] for i in range(len(run) - 1))
    for word in _WORD.findall(text):
        if word.isascii():
            continue
        parts = [part for part in _UNSPACED_RUN.split(word) if part]
        if parts != [word]:
            terms.extend(map(_folded, parts))
        elif _folded(word) != _as_indexed(word):
            terms.append(_folded(word))
    return " ".join(terms)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFKC", _without_accents(decomposed))


def _as_indexed(word: str) -> str:
    """About what unicode61 makes of a word: accents go from Latin letters only."""
    folded = []
    for character in word.lower():
        base = unicodedata.normalize("NFD", character)[0]
        folded.append(base if "a" <= base <= "z" else character)
    return _without_accents("".join(folded))


def _without_accents(text: str) -> str:
    return "".join(c for c in text if not 0x300 <= ord(c) <= 0x36F)


def name_key(name: str) -> str:
    """What two spellings of one name share."""
    folded = unicodedata.normalize("NFKC", clean(name)).casefold()
    return _bare(folded) or " ".join(folded.split())


def fingerprint(text: str) -> int:
    """A 63-bit number that texts share which differ only in case, spaces, punctuation."""
    bare = _bare(unicodedata.normalize("NFKC", clean(text)).casefold()) or " ".join(text.split())
    digest = hashlib.blake2b(bare.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _bare(folded: str) -> str:
    return " ".join(_NOT_WORD.sub(" ", folded).split())


def stamp(at: datetime) -> str:
    """An instant as UTC text of one width; without a zone it is taken as UTC."""
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
