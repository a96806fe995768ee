"""Chat formats to sessions of messages, by one registry of formats.

    for item in read_file("chat.jsonl"):
        match item:
            case ImportedMessage():
                store(item.session, item.draft)
            case BadLine():
                print(item)

`read_file` opens a file (`opening.py`) and recognises its format (`registry.py`); the format's
reader says what the file says, and `registering.py` gives every message a session, a time and an
id that stays the same when the file is imported again or has grown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from scenemem.base.checks import one_of_given
from scenemem.base.errors import ImportFormatError
from scenemem.memory.importing import json_values
from scenemem.memory.importing.format import (
    BadLine,
    Imported,
    ImportedMessage,
    Read,
    SavedEntry,
    SavedMessage,
    TextFormat,
    WrongFormatError,
)
from scenemem.memory.importing.opening import OpenText, open_texts
from scenemem.memory.importing.registering import SessionRegister
from scenemem.memory.importing.registry import (
    Shape,
    format_named,
    format_names,
    layout_of,
    recognise,
)

__all__ = [
    "BadLine",
    "Imported",
    "ImportedMessage",
    "SavedEntry",
    "SavedMessage",
    "format_names",
    "read_file",
]


def read_file(
    path: str | Path | None,
    *,
    format: str | None = None,
    stream: IO[bytes] | None = None,
    session: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Imported]:
    """Yield every message of a chat file, in the file's order, and every part that can't be read.

    Reads `stream` if one is given (it need not be seekable, and is left open), otherwise the file
    at `path`; a path beside a stream only names it. `format` is one of `format_names()`; without
    it the format is recognised. `session` names the session of messages that name none themselves.
    `progress` is called with the number of bytes read so far. A zip archive is read for the
    conversation files in it. Lines of JSONL, elements of JSON lists and lines of transcripts are
    read one at a time, whatever the size of the file.

    Every draft has an `external_id`, the same one in each import of the file, grown or not. Its
    `at` is the source's, in UTC, or that of the message before; None if the source gives none. An
    export of a memory also yields what else the memory holds, as `SavedEntry`.

    Raises `ImportFormatError`, before or between messages, if the file can't be opened, is no
    chat in a known format, or is not in `format`; `ValueError` for a format that does not exist.
    """
    path = None if path is None else Path(path)
    if format is not None:
        one_of_given("format", format, format_names())
    register = SessionRegister(path.stem if path is not None else "stdin", session)
    for opened in open_texts(path, stream, progress):
        shape = _shape(opened, format)
        try:
            for item in _read(opened, shape):
                yield from register.enter(item)
        except WrongFormatError as error:
            raise ImportFormatError(f"{opened.name} {error}") from error
        yield from _undecoded(opened)


def _shape(opened: OpenText, format: str | None) -> Shape:
    """The text's shape, with the caller's format where there is one and nothing contradicts it."""
    try:
        shape = recognise(opened.head, opened.name, whole=opened.whole)
    except ImportFormatError:
        if format is None:
            raise
        named = format_named(format)
        if isinstance(named, TextFormat):  # its reader tells when nobody speaks
            return Shape(named, "prose")
        layout = layout_of(opened.head, whole=opened.whole)
        if opened.whole or layout == "prose":
            raise
        return Shape(named, layout)
    if format not in (None, shape.format.name):
        raise ImportFormatError(
            f"{opened.name} is in the format {shape.format.name}, not {format}; leave the format "
            f"out, or give {shape.format.name}."
        )
    return shape


def _read(opened: OpenText, shape: Shape) -> Iterator[Read]:
    format = shape.format
    if isinstance(format, TextFormat):
        found = False
        for item in format.read_lines(opened.text.lines(), opened.head):
            found = True
            yield item
        if not found:
            raise WrongFormatError(f"{format.found_none}.")
        return
    unit = format.unit
    if shape.layout == "lines":
        unit, values = "line", json_values.parse_lines(opened.text.lines())
    else:
        values = json_values.parse_document(opened.text.read)
    for number, value in values:
        inner = value.get("conversations") if isinstance(value, dict) else None
        if isinstance(inner, list):  # some exports wrap their list in an object
            for inner_number, inner_value in enumerate(inner, 1):
                yield from format.read_value(inner_value, f"conversation {inner_number}")
        else:
            yield from format.read_value(value, f"{unit} {number}")


def _undecoded(opened: OpenText) -> Iterator[BadLine]:
    """One warning for all bytes that could not be decoded."""
    text = opened.text
    if text.replaced:
        bytes_ = "1 byte" if text.replaced == 1 else f"{text.replaced} bytes"
        yield BadLine(
            f"line {text.first_replaced}",
            f"{bytes_} from here on can't be decoded and became \N{REPLACEMENT CHARACTER}; "
            "save the file as UTF-8 to keep what they stood for",
            lost=False,
        )
