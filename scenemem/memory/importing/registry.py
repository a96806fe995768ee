"""The registry of formats, and which of them a text is in, told from its first part alone.

JSON is told apart by the keys of its first objects, even when the part ends in the middle of one
or some of it is damaged; everything else is plain lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from scenemem.base.errors import ImportFormatError
from scenemem.base.text import clean, shorten
from scenemem.memory.importing import (
    chatgpt,
    claude,
    locomo,
    memory_store,
    openai_messages,
    own_export,
    transcript,
)
from scenemem.memory.importing.format import JsonFormat, TextFormat
from scenemem.memory.importing.json_values import BadJson, parse
from scenemem.memory.importing.times import read_stamp

# A text is taken for the first of these that it can be: the surest signs come first.
FORMATS: tuple[JsonFormat | TextFormat, ...] = (
    chatgpt.FORMAT,
    claude.FORMAT,
    locomo.FORMAT,
    own_export.FORMAT,
    openai_messages.MESSAGES,
    openai_messages.PAIRS,
    memory_store.FORMAT,
    transcript.FORMAT,
)

Layout = Literal["lines", "document", "prose"]

_LINES_LOOKED_AT = 50
# A key with its colon, another string, a bracket, or the quote of a string that is cut off.
_TOKEN = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")(\s*:)?|[\[\]{}]|"', re.DOTALL)
_OBJECT = re.compile(r'\{\s*["}]')
_WRAPPERS = ("conversations",)


@dataclass(frozen=True, slots=True)
class Shape:
    """A text's format, and whether its JSON is one value a line, or one document."""

    format: JsonFormat | TextFormat
    layout: Layout


def format_names() -> list[str]:
    """The names of all formats, in alphabetical order."""
    return sorted(format.name for format in FORMATS)


def format_named(name: str) -> JsonFormat | TextFormat:
    """The format of that name. Raises `ValueError` if there is none."""
    for format in FORMATS:
        if format.name == name:
            return format
    raise ValueError(f"format must be one of {', '.join(format_names())}, got {name!r}")


def recognise(head: str, name: str, *, whole: bool = True) -> Shape:
    """The shape of the text that begins with `head`; `whole` tells whether that is all of it.

    Raises `ImportFormatError` with one sentence: `name`, what was seen, the formats known.
    """
    layout = layout_of(head, whole=whole)
    if layout == "prose":
        lines = head.split("\n")
        of_lines = [format for format in FORMATS if isinstance(format, TextFormat)]
        for of_text in of_lines:
            if of_text.looks_like(lines):
                return Shape(of_text, layout)
        first = next((line for line in lines if line.strip()), "")
        seen = f"{of_lines[-1].seen_as} (it begins {_quoted(first)})"
        raise ImportFormatError(f"{name} {seen}; {_known()}.")
    objects = _lines_keys(head) if layout == "lines" else _document_keys(head)
    for format in FORMATS:
        if isinstance(format, JsonFormat) and any(
            signs <= keys for keys in objects for signs in format.signs
        ):
            return Shape(format, layout)
    seen = "holds no messages"
    if names := sorted(set().union(*objects)):
        shown = ", ".join(shorten(clean(name), 30) for name in names[:8])
        seen = f"is JSON, but in no chat format that is known (keys: {shown})"
    raise ImportFormatError(f"{name} {seen}; {_known()}.")


def _known() -> str:
    return f"known formats are {', '.join(format_names())}"


def _quoted(line: str) -> str:
    return repr(shorten(clean(line), 40))


def layout_of(head: str, *, whole: bool) -> Layout:
    """Whether the text is JSON line by line, one JSON document, or no JSON at all."""
    lines = [line for line in head.split("\n") if line.strip()][:_LINES_LOOKED_AT]
    if not lines:
        return "prose"
    start = lines[0].lstrip()[0]
    if start == "[" and read_stamp(lines[0]) is None:
        lists = len(lines) > 1 and lines[1].startswith("[") and _is_json(lines[0])
        return "lines" if lists else "document"
    braces = sum(_OBJECT.match(line) is not None for line in lines)
    if braces * 2 >= len(lines):
        document = start == "{" and len(lines) > 1 and whole and _is_json(head)
        return "document" if document else "lines"
    return "document" if start == "{" else "prose"


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except BadJson:
        return False
    return True


def _lines_keys(head: str) -> list[set[str]]:
    lines = [line for line in head.split("\n") if line.strip()][:_LINES_LOOKED_AT]
    return [keys for line in lines for keys in _document_keys(line)]


def _document_keys(text: str) -> list[set[str]]:
    """The keys of the objects that may be records: the outermost ones, and those in wrappers."""
    found: dict[tuple[str, ...], set[str]] = {}
    for path, key in _keys(text):
        if all(step == "" or step in _WRAPPERS for step in path):
            found.setdefault(path, set()).add(key)
    return list(found.values())


def _keys(text: str) -> Iterable[tuple[tuple[str, ...], str]]:
    """Each key of the outer objects of `text`, with the keys it lies under ("" for a list)."""
    open_objects: list[str] = []
    depth = 0  # of containers too deep to matter
    for token in _TOKEN.finditer(text):
        sign = token.group()[0]
        if sign in "[{":
            if depth or len(open_objects) == 4:
                depth += 1
            else:
                open_objects.append("" if sign == "[" else "{")
        elif sign in "]}":
            if depth:
                depth -= 1
            elif open_objects:
                open_objects.pop()
        elif token.group() == '"':
            return
        elif token[2] and not depth and open_objects and open_objects[-1] != "":
            key = token[1][1:-1]
            open_objects[-1] = key
            yield tuple(open_objects[:-1]), key
