"""Which chat format a text is in, told from its first part alone.

JSON is told apart by the keys of its first objects, even when the part ends in the middle of one
or some of it is damaged; everything else may be a transcript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from scenemem.base.errors import ImportFormatError
from scenemem.base.text import clean, shorten
from scenemem.memory.importing.json_values import BadJson, parse
from scenemem.memory.importing.stamps import read_stamp
from scenemem.memory.importing.transcript import looks_like_a_transcript

FORMATS: tuple[str, ...] = ("messages", "pairs", "chatgpt", "claude", "locomo", "transcript")

Layout = Literal["lines", "document", "prose"]

_LINES_LOOKED_AT = 50
# A key with its colon, another string, a bracket, or the quote of a string that is cut off.
_TOKEN = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")(\s*:)?|[\[\]{}]|"', re.DOTALL)
_OBJECT = re.compile(r'\{\s*["}]')
_WRAPPERS = ("conversations",)
# The keys that tell a format, the surest formats first; one of the sets is enough.
_SIGNS: tuple[tuple[str, tuple[frozenset[str], ...]], ...] = (
    ("chatgpt", (frozenset({"mapping"}),)),
    ("claude", (frozenset({"chat_messages"}),)),
    ("locomo", tuple(map(frozenset, ({"qa"}, {"speaker_a"}, {"sample_id", "conversation"})))),
    ("messages", (frozenset({"role"}), frozenset({"messages"}))),
    ("pairs", (frozenset({"user"}), frozenset({"assistant"}))),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A text's format, and whether its JSON is one value a line, or one document."""

    format: str
    layout: Layout


def recognise(head: str, name: str, *, whole: bool = True) -> Shape:
    """The shape of the text that begins with `head`; `whole` tells whether that is all of it.

    Raises `ImportFormatError` with one sentence: `name`, what was seen, the formats known.
    """
    layout = layout_of(head, whole=whole)
    if layout == "prose":
        if looks_like_a_transcript(head.split("\n")):
            return Shape("transcript", layout)
        first = next((line for line in head.split("\n") if line.strip()), "")
        seen = f"is text, but not lines of the form 'Name: text' (it begins {_quoted(first)})"
        raise ImportFormatError(f"{name} {seen}; {_known()}.")
    objects = _lines_keys(head) if layout == "lines" else _document_keys(head)
    for format, told_by in _SIGNS:
        if any(signs <= keys for keys in objects for signs in told_by):
            return Shape(format, layout)
    seen = "holds no messages"
    if names := sorted(set().union(*objects)):
        shown = ", ".join(shorten(clean(name), 30) for name in names[:8])
        seen = f"is JSON, but in no chat format that is known (keys: {shown})"
    raise ImportFormatError(f"{name} {seen}; {_known()}.")


def _known() -> str:
    return f"known formats are {', '.join(FORMATS)}"


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
