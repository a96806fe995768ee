"""How a summary tells one statement: in the third person where that is sure, else as a quotation.

English statements become sentences about the speaker ("Ines chose the blue tiles."); what can't be
rewritten is quoted with the speaker's name. Other languages are quoted with punctuation alone, so
that no English word stands in a scene that has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from scenemem.base.dates.date_words import MONTH_NAMES
from scenemem.base.records import ROLES, Cell
from scenemem.base.text import is_unspaced, sentences
from scenemem.engines.rules.terms import is_english, runs
from scenemem.engines.rules.voice import third_person

LONGEST_TOLD = 26  # words of one statement

_IMAGE = re.compile(r"\s*\[image: ([^\]]*)\]\s*")
_MARKUP = re.compile(r"\*\*|__|`+|^#+ |^[*•-] ")
_MID_ROLE = re.compile(r"(?<=[^.!?”] )The (?=user\b|assistant\b)")
_BRACKETS = re.compile(r"^[\"“”'«»]+|[\"“”'«»]+$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_UNSPACED_KINDS = frozenset(("han", "hiragana", "katakana", "thai"))
_END_MARKS = ".!?…。！？"


@dataclass(frozen=True, slots=True)
class Told:
    """One statement as a summary tells it.

    `sure` says that it is a sentence about its speaker (or needs none), not a quotation; `subject`
    is the name it begins with, where two such sentences can become one; `words` is its length.
    """

    text: str
    sure: bool
    subject: str
    words: int


def tell(cell: Cell, other: str | None = None) -> Told | None:
    """How to tell the statement of a cell, said to `other`; None where there is nothing to tell."""
    caption = _IMAGE.search(cell.content)
    said = " ".join(_MARKUP.sub("", _IMAGE.sub(" ", cell.content)).split())
    if not said:
        return _told_picture(cell, caption.group(1)) if caption else None
    if not is_english(said):
        return _quoted_plainly(cell, _beginning(said))
    for text in _shorter_and_shorter(said):
        if word_count(text) > LONGEST_TOLD:
            continue
        if cell.speaker is None:
            return Told(_as_sentence(text), True, "", word_count(text))
        rewritten = third_person(text, cell.speaker, other)
        if rewritten and word_count(rewritten) <= LONGEST_TOLD + 4:
            return _told(rewritten, _speaker(cell))
    return _quoted(cell, _beginning(said))


def dated(told: str, label: str) -> str:
    """A told statement with the date on which it was said; `label` as `date_label` gives it."""
    if not is_english(told):
        return f"{label}{told}"
    end = told[-1] if told[-1] in _END_MARKS else ""
    return f"{told[: len(told) - len(end)]} ({label}){end or '.'}"


def date_label(at: datetime, by_day: bool, sample: str) -> str:
    """The day or the month of `at` as the language of `sample` writes it, ready for `dated`."""
    scripts = {kind for kind, _ in runs(sample)}
    if "hangul" in scripts:
        return f"{at.year}년 {at.month}월 {at.day}일: " if by_day else f"{at.year}년 {at.month}월: "
    if scripts & {"han", "hiragana", "katakana"}:
        return f"{at.year}年{at.month}月{at.day}日：" if by_day else f"{at.year}年{at.month}月："
    if not is_english(sample):
        return f"{at:%Y-%m-%d}: " if by_day else f"{at:%Y-%m}: "
    return f"{at.day} {_month(at)} {at.year}" if by_day else f"{_month(at)} {at.year}"


def names_a_year(text: str) -> bool:
    """Whether a statement tells a date itself."""
    return _YEAR.search(text) is not None


def runs_on(before: str, after: str) -> bool:
    """Whether `after` follows `before` without a space, as in Chinese or Japanese."""
    ends = [kind for kind, _ in runs(before)][-1:], [kind for kind, _ in runs(after)][:1]
    return all(kinds and kinds[0] in _UNSPACED_KINDS for kinds in ends)


def word_count(text: str) -> int:
    """The words of a text; in unspaced scripts two characters count as one."""
    return sum(-(-len(word) // 2) if is_unspaced(word) else 1 for word in text.split())


def _shorter_and_shorter(said: str) -> Iterator[str]:
    """The whole, then its first sentences, fewer each time."""
    pieces = sentences(said)
    glue = "" if is_unspaced(said) else " "
    for count in range(len(pieces), 0, -1):
        yield glue.join(pieces[:count])


def _told(text: str, subject: str) -> Told:
    text = _MID_ROLE.sub("the ", text)
    begins = subject if text.startswith(f"{subject} ") else ""
    return Told(text, True, begins, word_count(text))


def _told_picture(cell: Cell, caption: str) -> Told | None:
    speaker = _speaker(cell)
    if not speaker or not is_english(caption):
        return None
    return _told(f"{speaker} shared {caption.strip(' .')}.", speaker)


def _quoted_plainly(cell: Cell, text: str) -> Told:
    """A statement of another language: by name where there is one, never by an English role."""
    text = _ended(text)
    if cell.speaker is None or cell.speaker in ROLES:
        return Told(text, True, "", word_count(text))
    colon = "：" if is_unspaced(text) else ": "
    whole = f"{cell.speaker}{colon}“{text}”"
    return Told(whole, False, "", word_count(whole))


def _quoted(cell: Cell, text: str) -> Told:
    speaker = _speaker(cell)
    text = _BRACKETS.sub("", text)
    whole = f"{speaker} said: “{text}”" if speaker else _as_sentence(text)
    return Told(whole, False, "", word_count(whole))


def _beginning(said: str) -> str:
    """As many of the first sentences as fit, or of the first words."""
    fitting = (text for text in _shorter_and_shorter(said) if word_count(text) <= LONGEST_TOLD)
    return next(fitting, None) or _cut(said)


def _cut(said: str) -> str:
    kept: list[str] = []
    left = LONGEST_TOLD
    for word in said.split():
        left -= word_count(word)
        if left < 0:
            break
        kept.append(word)
    cut = " ".join(kept) or said[: 2 * LONGEST_TOLD]
    return cut.rstrip(" ,;:.，、；：。") + "…"


def _speaker(cell: Cell) -> str:
    if cell.speaker in ("user", "assistant"):
        return f"The {cell.speaker}"
    return cell.speaker or ""


def _as_sentence(text: str) -> str:
    return _ended(text[:1].upper() + text[1:])


def _ended(text: str) -> str:
    if text and text[-1] in _END_MARKS + "”’\"')）":
        return text
    return text + ("。" if is_unspaced(text) and not _is_hangul(text) else ".")


def _is_hangul(text: str) -> bool:
    return any(kind == "hangul" for kind, _ in runs(text))


def _month(at: datetime) -> str:
    return MONTH_NAMES[at.month - 1]
