"""What a model replied, read into what the memory stores: cells, summaries, session notes.

Models wrap answers in thoughts, fences and prose, name fields as they like, and break off. Each
cell is judged on its own, and a field that can't be read gets its default instead of costing the
cell. Pure.
"""

from __future__ import annotations

import json
import math
import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from scenemem.base.cell_types import CELL_TYPES, TYPES, CellType
from scenemem.base.text import clean, fingerprint, shorten
from scenemem.engines.openai.json_salvage import CutObject, find_values

__all__ = [
    "DEFAULT_SALIENCE",
    "DEFAULT_TYPE",
    "LONGEST_CELL",
    "CellReply",
    "DayRange",
    "ParsedCell",
    "ThoughtFilter",
    "parse_cells",
    "read_condensed",
    "read_days",
    "read_numbers",
    "read_salience",
    "read_scene",
    "read_summary",
    "read_type",
    "salience_scale",
    "without_thoughts",
]

# -- cells -----------------------------------------------------------------------------------

DEFAULT_SALIENCE = 0.5
DEFAULT_TYPE: CellType = "fact"
_LONGEST_SCENE_NAME = 80
DayRange = tuple[date, date]

_TYPE_SYNONYMS: Mapping[str, CellType] = {
    word: name for name, of in TYPES.items() for word in of.synonyms
}

LONGEST_CELL = 2000  # characters; a longer cell is a babbling model, not an atomic memory

_CONTENT_KEYS = ("content", "text", "memory", "fact", "statement", "description", "value")
_TYPE_KEYS = ("cell_type", "type", "category", "kind")
_SALIENCE_KEYS = ("salience", "importance", "score", "priority", "relevance")
_SCENE_KEYS = ("scene", "scene_name", "topic", "subject")
_WRAPPERS = ("cells", "memories", "memory", "facts", "items", "results", "result", "data", "list")
_NOTHING_TO_KEEP = re.compile(
    r"\W*(?:none|nothing(?: to (?:keep|remember|store))?|null|n/a|empty)\W*", re.I
)


@dataclass(frozen=True, slots=True)
class ParsedCell:
    """One cell of a reply. `turn` and `replaces` refer to numbers given in the prompt."""

    content: str
    scene: str = ""
    cell_type: CellType = DEFAULT_TYPE
    salience: float = 0.5
    days: DayRange | None = None
    turn: int | None = None
    replaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CellReply:
    """What was read from a reply.

    `rejected` says, in a sentence each, which parts were refused or reinterpreted. `truncated` is
    True if the reply broke off after these cells. `failed` says why nothing could be read, which
    is not the same as nothing to keep.
    """

    cells: tuple[ParsedCell, ...] = ()
    rejected: tuple[str, ...] = ()
    truncated: bool = False
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A value that may be a cell, with what its place in the reply says about it."""

    value: Any
    scene: str = ""
    cell_type: CellType | None = None


def parse_cells(text: str, finish_reason: str = "stop") -> CellReply:
    """The cells in a reply; never raises.

    Strict JSON is read as it is. Otherwise thoughts are removed, and lists and objects are searched
    for (`json_salvage`). Four outcomes are kept apart: cells; nothing to keep (`[]`, `{}`, null); a
    reply that broke off (`finish_reason` "length" says so too), of which the complete cells are
    kept; and a failure: no answer, prose, a refusal.
    """
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _parse_prose(text, finish_reason)
    if isinstance(document, str) and document.strip():
        return _parse_without_json(document)
    candidates = list(_candidates_in(document))
    if not candidates and isinstance(document, dict) and _says_something_else(document):
        return CellReply(failed=f"the reply holds no cells: {shorten(text, 120)}")
    return _parse_candidates(candidates, truncated=False)


def _says_something_else(document: Mapping[str, Any]) -> bool:
    """Whether an object without cells holds anything else, such as an error."""
    return any(value and not isinstance(value, list | dict) for value in document.values())


def _parse_prose(text: str, finish_reason: str) -> CellReply:
    cut = finish_reason == "length"
    answer = without_thoughts(text, closing_anywhere=True)
    if not answer:
        why = "the reply holds only thoughts" if text.strip() else "the reply is empty"
        return CellReply(failed=f"{why} (cut off by the token limit)" if cut else why)
    found = find_values(answer)
    lists = [f for f in found if not _is_one_cell(f.value) and _holds_cells(f.value)]
    singles = [f for f in found if _is_one_cell(f.value)]
    chosen = lists[-1:] or singles or [f for f in found if _holds_nothing(f.value)][-1:]
    if not chosen:
        return _parse_without_json(answer)
    candidates = [candidate for f in chosen for candidate in _candidates_in(f.value)]
    return _parse_candidates(candidates, truncated=cut or found[-1].is_cut)


def _parse_without_json(answer: str) -> CellReply:
    if _says_nothing(answer):
        return CellReply()
    return CellReply(failed=f"the reply is not a list of cells: {shorten(answer, 120)}")


# -- where a document holds cells ------------------------------------------------------------


def _candidates_in(
    value: Any, scene: str = "", cell_type: CellType | None = None
) -> Iterator[_Candidate]:
    """All values that may be cells: members of lists under any key, or the one object itself."""
    if isinstance(value, list):
        for member in value:
            if isinstance(member, list):
                yield from _candidates_in(member, scene, cell_type)
            elif member is not None:
                yield _Candidate(member, scene, cell_type)
    elif _is_one_cell(value):
        yield _Candidate(value, scene, cell_type)
    elif isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, list | dict):
                by_type = read_type(key)
                by_scene = "" if by_type or key.lower() in _WRAPPERS else read_scene(key)
                yield from _candidates_in(member, by_scene, by_type)


def _is_one_cell(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key in value and not isinstance(value[key], list | dict) for key in _CONTENT_KEYS
    )


def _holds_cells(value: Any) -> bool:
    """Whether a list or object found in prose is more than a word in brackets."""
    return any(isinstance(found.value, dict | str) for found in _candidates_in(value))


def _holds_nothing(value: Any) -> bool:
    return not any(True for _ in _candidates_in(value))


# -- one cell --------------------------------------------------------------------------------


def _parse_candidates(candidates: list[_Candidate], *, truncated: bool) -> CellReply:
    complete = [c for c in candidates if not isinstance(c.value, CutObject)]
    scale = salience_scale(
        [_first_value(candidate.value, _SALIENCE_KEYS) for candidate in complete]
    )
    truncated = truncated or len(complete) < len(candidates)
    cells: dict[int, ParsedCell] = {}
    rejected: list[str] = []
    for candidate in complete:
        cell = _parse_cell(candidate, scale, rejected)
        if cell is not None:
            cells.setdefault(fingerprint(cell.content), cell)
    failed = None
    if not cells and truncated:
        failed = "the reply broke off before its first cell was whole"
    elif not cells and not all(_is_placeholder(candidate.value) for candidate in complete):
        failed = f"the reply holds no usable cell: {rejected[0]}"
    return CellReply(tuple(cells.values()), tuple(rejected), truncated, failed)


def _is_placeholder(value: Any) -> bool:
    """Whether a value is only an empty cell, which is how some models say "nothing"."""
    content = _first_value(value, _CONTENT_KEYS) if isinstance(value, dict) else value
    named = isinstance(value, dict) and any(name in value for name in _CONTENT_KEYS)
    return content in ("", [], {}) or (named and content is None) or _says_nothing(content)


def _says_nothing(content: Any) -> bool:
    return isinstance(content, str) and _NOTHING_TO_KEEP.fullmatch(content) is not None


def _parse_cell(candidate: _Candidate, scale: float, rejected: list[str]) -> ParsedCell | None:
    value = candidate.value if isinstance(candidate.value, dict) else {"content": candidate.value}
    content = _content_in(value)
    if not content:
        rejected.append(f"a cell without usable content: {_brief(candidate.value)}")
        return None
    if len(content) > LONGEST_CELL:
        rejected.append(f"a cell of {len(content)} characters: {shorten(content, 80)}")
        return None
    named_type = _first_value(value, _TYPE_KEYS)
    cell_type = read_type(named_type) or candidate.cell_type
    if cell_type is None and named_type is not None:
        rejected.append(
            f"the type {_brief(named_type)} is unknown, kept as {DEFAULT_TYPE}: {content}"
        )
    turns = read_numbers(value.get("turn"))
    return ParsedCell(
        content=content,
        scene=read_scene(_first_value(value, _SCENE_KEYS)) or candidate.scene,
        cell_type=cell_type or DEFAULT_TYPE,
        salience=read_salience(_first_value(value, _SALIENCE_KEYS), scale),
        days=read_days(value.get("occurred_at")),
        turn=turns[0] if turns else None,
        replaces=read_numbers(value.get("replaces")),
    )


def _content_in(value: Mapping[str, Any]) -> str:
    content = _first_value(value, _CONTENT_KEYS)
    if isinstance(content, list) and content and all(isinstance(part, str) for part in content):
        content = "; ".join(content)
    if not isinstance(content, str):
        return ""
    text = clean(content).strip()
    return text if any(c.isalnum() for c in text) and not _says_nothing(text) else ""


def _first_value(value: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in names if value.get(name) is not None), None)


def _brief(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value, default=str), 80)


# -- the fields of a cell --------------------------------------------------------------------


def read_type(value: object) -> CellType | None:
    """The cell type that a model's word stands for; None if it is not one of ours."""
    if not isinstance(value, str):
        return None
    word = re.sub(r"[\W_]+", " ", value).strip().lower()
    for name in (word, word.removesuffix("s"), word.removesuffix(" cell")):
        for cell_type in CELL_TYPES:
            if name == cell_type:
                return cell_type
        if name in _TYPE_SYNONYMS:
            return _TYPE_SYNONYMS[name]
    return None


def salience_scale(values: Sequence[object]) -> float:
    """The scale of the saliences in one reply: 10 if all are whole numbers and one is above 1.

    A model that counts from 1 to 10 means the least by 1, not the most.
    """
    numbers = [n for n in map(_plain_number, values) if n is not None]
    counted = all(n == int(n) and 0 <= n <= 10 for n in numbers)
    return 10.0 if counted and any(n > 1 for n in numbers) else 1.0


def read_salience(value: object, scale: float = 1.0) -> float:
    """A number from 0 to 1: 0.7, "0.7", "70%", 7 (of 10), 70 (of 100), "7/10", "7 of 10".

    Anything else (words, null, booleans, out of range) gives `DEFAULT_SALIENCE`.
    """
    if isinstance(value, str):
        text = value.strip().replace(",", ".")
        if of := re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+(?:\.\d+)?)", text):
            return _as_share(float(of[1]), float(of[2]))
        if percent := re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:%|percent)", text):
            return _as_share(float(percent[1]), 100.0)
    number = _plain_number(value)
    if number is None:
        return DEFAULT_SALIENCE
    if number <= 1:
        return _as_share(number, scale)
    return _as_share(number, 10.0 if number <= 10 else 100.0)


def _plain_number(value: object) -> float | None:
    """A JSON number or numeric text as a finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.strip().replace(",", ".") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _as_share(part: float, whole: float) -> float:
    if whole <= 0 or not 0 <= part <= whole:
        return DEFAULT_SALIENCE
    return part / whole


def read_scene(value: object) -> str:
    """A scene's name on one line, the first of several; "" if there is none."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, str) and item.strip()), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    name = shorten(value.strip().strip("[]\"'`#").replace("_", " "), _LONGEST_SCENE_NAME)
    return "" if name.lower() in ("none", "null", "n/a", "unknown") else name


def read_numbers(value: object) -> tuple[int, ...]:
    """Whole numbers above 0, from a number, text ("2", "#2, #5") or a list."""
    if isinstance(value, list):
        return tuple(n for item in value for n in read_numbers(item))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ()
    digits = re.findall(r"\d{1,9}", value) if isinstance(value, str) else [value]
    return tuple(n for n in map(int, digits) if n > 0)


def read_days(value: object) -> DayRange | None:
    """The first and last day of `2026`, `2026-05`, `2026-05-07`, or a range `…/…` of these."""
    if not isinstance(value, str):
        return None
    parts = [_days_in(part) for part in re.split(r"\s*(?:/|\bto\b|–|\.\.)\s*", value.strip())]
    if not parts or len(parts) > 2 or None in parts:
        return None
    ranges = [part for part in parts if part is not None]
    first, last = ranges[0][0], ranges[-1][1]
    return (first, last) if first <= last else None


def _days_in(text: str) -> DayRange | None:
    match = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?", text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        if month is None:
            return date(year or 0, 1, 1), date(year or 0, 12, 31)
        if day is None:
            last = monthrange(year or 1, month)[1]
            return date(year or 0, month, 1), date(year or 0, month, last)
        return date(year or 0, month, day), date(year or 0, month, day)
    except ValueError:
        return None


# -- summaries and notes ---------------------------------------------------------------------

_OPENING_PHRASE = re.compile(
    r"^(?:\s*[*_#]*(?:(?:here(?: is|'s| are)|sure|certainly|of course)\b[^\n:]{0,60}:|"
    r"(?:updated |new )?(?:summary|notes)\b[^\n:]{0,30}:)[*_]*)+\s*",
    re.I,
)
_FENCE = re.compile(r"^```\w*\n(.*?)\n?```\s*$", re.S)


def read_summary(text: str) -> str:
    """The summary in an answer as one paragraph, without thoughts, fences and opening phrases."""
    lines = [line.strip().lstrip("-*•# ").strip() for line in _bare_answer(text).splitlines()]
    return " ".join(line for line in lines if line).strip('"“” ')


def read_condensed(text: str) -> str:
    """The session notes in an answer, line by line."""
    return "\n".join(line.rstrip() for line in _bare_answer(text).splitlines() if line.strip())


def _bare_answer(text: str) -> str:
    answer = without_thoughts(text)
    if fenced := _FENCE.match(answer):
        answer = fenced[1]
    return _OPENING_PHRASE.sub("", answer, count=1).strip()


# -- thoughts --------------------------------------------------------------------------------

_THOUGHT_MARKS = "think|thinking|thought|reasoning"
_THOUGHT_BEGINS = re.compile(rf"<(?:{_THOUGHT_MARKS})>", re.I)
_THOUGHT_ENDS = re.compile(rf"</(?:{_THOUGHT_MARKS})>", re.I)
_THOUGHT_ENDS_A_LINE = re.compile(rf"</(?:{_THOUGHT_MARKS})>[ \t]*(?:\n|$)", re.I)
_LONGEST_MARK = len("</reasoning>")


def without_thoughts(text: str, *, closing_anywhere: bool = False) -> str:
    """The answer in `text`, stripped; empty if there are only thoughts.

    Thoughts are what a reasoning model writes before its answer, between `<think>` and `</think>`;
    some servers remove them, others send them as text. The opening mark may be missing (a template
    wrote it into the prompt), and so may the closing one (the token limit cut the model off). A
    closing mark without its opening one counts if it ends a line, or anywhere with
    `closing_anywhere`. Marks further on belong to the answer.
    """
    rest = text.lstrip()
    while opened := _THOUGHT_BEGINS.match(rest):
        closed = _THOUGHT_ENDS.search(rest, opened.end())
        if closed is None:
            return ""
        rest = rest[closed.end() :].lstrip()
    closing = _THOUGHT_ENDS if closing_anywhere else _THOUGHT_ENDS_A_LINE
    first_open, first_close = _THOUGHT_BEGINS.search(rest), closing.search(rest)
    if first_close and (first_open is None or first_close.start() < first_open.start()):
        rest = rest[first_close.end() :]
    return rest.strip()


class ThoughtFilter:
    """Passes on a streamed answer piece by piece, without the thoughts at its beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"  # start, thinking, answer

    def feed(self, piece: str) -> str:
        """The part of the answer that can be shown once `piece` has arrived."""
        self._held += piece
        if self._state == "start":
            self._begin()
        if self._state == "thinking":
            self._skip()
        return self._release() if self._state == "answer" else ""

    def rest(self) -> str:
        """What is still held back when the stream ends."""
        held, self._held = self._held, ""
        return "" if self._state == "thinking" else held

    def _begin(self) -> None:
        self._held = self._held.lstrip()
        if _THOUGHT_BEGINS.match(self._held):
            self._state = "thinking"
        elif self._held and not _may_begin_a_thought(self._held):
            self._state = "answer"

    def _skip(self) -> None:
        closed = _THOUGHT_ENDS.search(self._held)
        if closed is None:
            self._held = self._held[-_LONGEST_MARK:]
            return
        self._held = self._held[closed.end() :]
        self._state = "start"
        self._begin()
        if self._state == "thinking":
            self._skip()

    def _release(self) -> str:
        shown, self._held = self._held, ""
        return shown


def _may_begin_a_thought(text: str) -> bool:
    return any(f"<{name}>".startswith(text.lower()) for name in _THOUGHT_MARKS.split("|"))
