"""Saved facts as people speak of them: keys for their words, values for what they typed.

`key_for("Favorite model")` is "favorite_model"; `find_fact` finds a fact under any spelling of its
key: case, spaces, hyphens, underscores, British or American, one or many.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final

from scenemem.base.records import Fact
from scenemem.base.text import clean, fold

__all__ = ["find_fact", "in_words", "key_for", "typed_value", "value_in_words"]

_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[^\W_]+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")
_QUOTES: Final = (
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("`", "`"),
    ("‘", "’"),
)
# One spelling for what is spelled in two ways; both sides of a comparison go through it.
_SPELLINGS: Final = (
    (re.compile(r"(?<=[a-z]{2})our(?=$|ite|ing|ed|hood)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=e$|ed$|ing$|ation$|er$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3}[^aeiou])re$"), "er"),
    (re.compile(r"ogue$"), "og"),
    (re.compile(r"^grey$"), "gray"),
    (re.compile(r"^programme$"), "program"),
    (re.compile(r"^licence$"), "license"),
    (re.compile(r"^preferred$"), "favorite"),
)
_IDLE: Final = frozenset(("the", "a", "an", "my", "current", "own", "saved", "stored"))


def key_for(words: str) -> str:
    """The key under which a fact is saved: "Mother's birthday" -> "mothers_birthday"."""
    plain = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", clean(words)))
    return "_".join(_WORD.findall(plain.lower()))


def in_words(key: str) -> str:
    """A key as one would say it: "favorite_model" -> "favorite model"."""
    return key.replace("_", " ").strip() or key


def find_fact(facts: Iterable[Fact], words: str) -> Fact | None:
    """The fact whose key `words` may be another spelling of, the newest where there are several."""
    wanted, key = _spelled(words), key_for(words)
    if not wanted:
        return None
    alike = [fact for fact in facts if _spelled(fact.key) == wanted]
    return max(alike, key=lambda fact: (fact.key == key, fact.updated_at), default=None)


def _spelled(words: str) -> str:
    """What all spellings of a key share."""
    listed = _WORD.findall(fold(_APOSTROPHE.sub("", words)))
    kept = [word for word in listed if word not in _IDLE] or listed
    return "".join(_one_spelling(word) for word in kept)


def _one_spelling(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    for pattern, spelling in _SPELLINGS:
        word = pattern.sub(spelling, word)
    return word


def typed_value(text: str) -> Any:
    """The JSON value of what was typed: true and false, plain numbers, else the text itself.

    A number that would not be written the same again ("3.10", "007") stays text; so does what
    stands in quotation marks.
    """
    text = text.strip()
    for opening, closing in _QUOTES:
        if len(text) > 1 and text.startswith(opening) and text.endswith(closing):
            return text[1:-1].strip()
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def value_in_words(value: Any) -> str:
    """A saved value in a sentence: text as it is, all else as JSON; what is empty says so."""
    if isinstance(value, str) and value.strip():
        return value
    written = json.dumps(value, ensure_ascii=False)
    return f"{written} (empty)" if value in ("", [], {}) or isinstance(value, str) else written
