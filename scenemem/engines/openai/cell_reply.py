"""A model's reply to an extraction prompt, read into cells; each cell is judged on its own.

Strict JSON is read as it is. Else thoughts are taken off and lists and objects are looked for
(`json_salvage`). Four outcomes are told apart: cells; nothing to keep (`[]`, `{}`, null); a reply
that broke off, of which the whole cells are kept; and a failure: no answer, prose, a refusal. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scenemem.base.records import CellType
from scenemem.base.text import fingerprint, shorten
from scenemem.engines.openai.cell_fields import (
    DEFAULT_TYPE,
    DayRange,
    read_days,
    read_numbers,
    read_salience,
    read_scene,
    read_type,
    salience_scale,
)
from scenemem.engines.openai.completion import whole
from scenemem.engines.openai.json_salvage import CutObject, find_values
from scenemem.engines.openai.thinking import without_thoughts

__all__ = ["LONGEST_CELL", "CellReply", "ParsedCell", "parse_cells"]

LONGEST_CELL = 2000  # characters; a longer one is no atomic memory but a model that babbles

_CONTENT = ("content", "text", "memory", "fact", "statement", "description", "value")
_TYPE = ("cell_type", "type", "category", "kind")
_SALIENCE = ("salience", "importance", "score", "priority", "relevance")
_SCENE = ("scene", "scene_name", "topic", "subject")
_WRAPPERS = ("cells", "memories", "memory", "facts", "items", "results", "result", "data", "list")
_NOTHING = re.compile(
    r"\W*(?:none|nothing(?: to (?:keep|remember|store))?|null|n/a|empty)\W*", re.I
)


@dataclass(frozen=True, slots=True)
class ParsedCell:
    """One cell of a reply. `turn` and `replaces` are the numbers that the prompt gave out."""

    content: str
    scene: str = ""
    cell_type: CellType = DEFAULT_TYPE
    salience: float = 0.5
    days: DayRange | None = None
    turn: int | None = None
    replaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CellReply:
    """What a reply holds.

    `rejected` says, a sentence each, what was refused or taken for something else. `truncated`
    when the reply broke off after these cells. `failed` says why nothing could be read: it does
    not mean that there is nothing to keep.
    """

    cells: tuple[ParsedCell, ...] = ()
    rejected: tuple[str, ...] = ()
    truncated: bool = False
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that may be a cell, with what its place in the reply says about it."""

    value: Any
    scene: str = ""
    cell_type: CellType | None = None


def parse_cells(text: str, finish_reason: str = "stop") -> CellReply:
    """The cells in a reply; `finish_reason` "length" says that it was cut off. Never raises."""
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _salvaged(text, finish_reason)
    if isinstance(document, str) and document.strip():
        return _without_json(document)
    items = list(_items(document))
    if not items and isinstance(document, dict) and _tells_something(document):
        return CellReply(failed=f"the reply holds no cells: {shorten(text, 120)}")
    return _read(items, truncated=False)


def _tells_something(document: Mapping[str, Any]) -> bool:
    """Whether an object without cells says anything else, such as an error."""
    return any(value and not isinstance(value, list | dict) for value in document.values())


def _salvaged(text: str, finish_reason: str) -> CellReply:
    cut = finish_reason == "length"
    answer = without_thoughts(text, closing_anywhere=True)
    if not answer:
        why = "the reply holds only thoughts" if text.strip() else "the reply is empty"
        return CellReply(failed=f"{why} (cut off by the token limit)" if cut else why)
    found = find_values(answer)
    lists = [f for f in found if not _is_single(f.value) and _holds_cells(f.value)]
    singles = [f for f in found if _is_single(f.value)]
    chosen = lists[-1:] or singles or [f for f in found if _is_empty(f.value)][-1:]
    if not chosen:
        return _without_json(answer)
    items = [item for f in chosen for item in _items(f.value)]
    return _read(items, truncated=cut or found[-1].is_cut)


def _without_json(answer: str) -> CellReply:
    if _says_nothing(answer):
        return CellReply()
    return CellReply(failed=f"the reply is no list of cells: {shorten(answer, 120)}")


# -- where cells are in a document -----------------------------------------------------------


def _items(value: Any, scene: str = "", cell_type: CellType | None = None) -> Iterator[_Item]:
    """All that may be a cell: members of lists, under any key, or the one object itself."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, list):
                yield from _items(item, scene, cell_type)
            elif item is not None:
                yield _Item(item, scene, cell_type)
    elif _is_single(value):
        yield _Item(value, scene, cell_type)
    elif isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, list | dict):
                by_type = read_type(key)
                by_scene = "" if by_type or key.lower() in _WRAPPERS else read_scene(key)
                yield from _items(member, by_scene, by_type)


def _is_single(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key in value and not isinstance(value[key], list | dict) for key in _CONTENT
    )


def _holds_cells(value: Any) -> bool:
    """Whether a list or object found among prose has more to it than a bracketed word."""
    return any(isinstance(item.value, dict | str) for item in _items(value))


def _is_empty(value: Any) -> bool:
    return not any(True for _ in _items(value))


# -- what a cell is --------------------------------------------------------------------------


def _read(items: list[_Item], *, truncated: bool) -> CellReply:
    whole_items = [item for item in items if not isinstance(item.value, CutObject)]
    scale = salience_scale([_field(item.value, _SALIENCE) for item in whole_items])
    truncated = truncated or len(whole_items) < len(items)
    cells: dict[int, ParsedCell] = {}
    rejected: list[str] = []
    for item in whole_items:
        read = _read_cell(item, scale, rejected)
        if read is not None:
            cells.setdefault(fingerprint(read.content), read)
    failed = None
    if not cells and truncated:
        failed = "the reply broke off before its first cell was whole"
    elif not cells and not all(_is_blank(item.value) for item in whole_items):
        failed = f"the reply holds no usable cell: {rejected[0]}"
    return CellReply(tuple(cells.values()), tuple(rejected), truncated, failed)


def _is_blank(value: Any) -> bool:
    """Whether an item only holds the place of a cell: some models say "nothing" in this way."""
    content = _field(value, _CONTENT) if isinstance(value, dict) else value
    named = isinstance(value, dict) and any(name in value for name in _CONTENT)
    return content in ("", [], {}) or (named and content is None) or _says_nothing(content)


def _says_nothing(content: Any) -> bool:
    return isinstance(content, str) and _NOTHING.fullmatch(content) is not None


def _read_cell(item: _Item, scale: float, rejected: list[str]) -> ParsedCell | None:
    value = item.value if isinstance(item.value, dict) else {"content": item.value}
    content = _content_of(value)
    if not content:
        rejected.append(f"a cell without usable content: {_shown(item.value)}")
        return None
    if len(content) > LONGEST_CELL:
        rejected.append(f"a cell of {len(content)} characters: {shorten(content, 80)}")
        return None
    told = _field(value, _TYPE)
    cell_type = read_type(told) or item.cell_type
    if cell_type is None and told is not None:
        rejected.append(f"the type {_shown(told)} is unknown, kept as {DEFAULT_TYPE}: {content}")
    turns = read_numbers(value.get("turn"))
    return ParsedCell(
        content=content,
        scene=read_scene(_field(value, _SCENE)) or item.scene,
        cell_type=cell_type or DEFAULT_TYPE,
        salience=read_salience(_field(value, _SALIENCE), scale),
        days=read_days(value.get("occurred_at")),
        turn=turns[0] if turns else None,
        replaces=read_numbers(value.get("replaces")),
    )


def _content_of(value: Mapping[str, Any]) -> str:
    content = _field(value, _CONTENT)
    if isinstance(content, list) and content and all(isinstance(part, str) for part in content):
        content = "; ".join(content)
    if not isinstance(content, str):
        return ""
    text = whole(content).strip()
    return text if any(c.isalnum() for c in text) and not _says_nothing(text) else ""


def _field(value: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in names if value.get(name) is not None), None)


def _shown(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value, default=str), 80)
