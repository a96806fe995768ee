"""Chat formats to sessions of messages: OpenAI-style JSON, ChatGPT, Claude, LoCoMo, transcripts.

    for item in read_file(Path("chat.jsonl")):
        if isinstance(item, BadLine):
            print(item)
        else:
            store(item.session, item.draft)

`read_file` opens a file and recognises its format (`opening.py`, `recognition.py`), a reader for
the format says what the file says, and `registering.py` gives every message a session, a time and
an id that stays the same when the file is imported again or has grown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from scenemem.base.checks import one_of_given
from scenemem.base.errors import ImportFormatError
from scenemem.memory.importing import (
    chatgpt,
    claude,
    json_values,
    locomo,
    openai_messages,
    transcript,
)
from scenemem.memory.importing.imported import BadLine, Imported, ImportedMessage, Read
from scenemem.memory.importing.opening import OpenText, open_texts
from scenemem.memory.importing.recognition import FORMATS, Shape, layout_of, recognise
from scenemem.memory.importing.registering import SessionRegister

__all__ = [
    "FORMATS",
    "BadLine",
    "Imported",
    "ImportedMessage",
    "read_file",
]

_ValueReader = Callable[[object, str], Iterator[Read]]

# For each JSON format what reads one value, and what a value of a document is called.
_VALUE_READERS: dict[str, tuple[_ValueReader, str]] = {
    "messages": (openai_messages.read_record, "message"),
    "pairs": (openai_messages.read_record, "pair"),
    "chatgpt": (chatgpt.read_conversations, "conversation"),
    "claude": (claude.read_conversations, "conversation"),
    "locomo": (locomo.read_samples, "sample"),
}


def read_file(
    path: Path | None,
    *,
    format: str | None = None,
    stream: IO[bytes] | None = None,
    session: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Imported]:
    """Every message of a chat file, in the file's order, and every part that can't be read.

    Reads `stream` when one is given (it need not be seekable, and is left open), else the file at
    `path`; a path given beside a stream only names it. `format` is one of `FORMATS`; without it
    the format is recognised. `session` names the session of messages that name none themselves.
    `progress` is told, as reading goes on, how many bytes of the file have been read. A zip archive
    is read for the conversation files in it. Lines of JSONL, elements of JSON lists and lines of
    transcripts are read one at a time, whatever the size of the file.

    Every draft has an `external_id`, the same one in each import of the file, grown or not. Its
    `at` is the source's, in UTC, or that of the message before; None when the source tells none.

    Raises `ImportFormatError`, before or between messages, when the file can't be opened, is no
    chat in a known format, or is not in `format`; ValueError for a format that does not exist.
    """
    if format is not None:
        one_of_given("format", format, FORMATS)
    register = SessionRegister(path.stem if path is not None else "stdin", session)
    for opened in open_texts(path, stream, progress):
        shape = _shape(opened, format)
        for item in _read(opened, shape):
            yield from register.enter(item)
        yield from _undecoded(opened)


def _shape(opened: OpenText, format: str | None) -> Shape:
    """The text's shape, with the caller's format where there is one and nothing contradicts it."""
    try:
        shape = recognise(opened.head, opened.name, whole=opened.whole)
    except ImportFormatError:
        if format == "transcript":  # its reader tells when nobody speaks
            return Shape(format, "prose")
        layout = layout_of(opened.head, whole=opened.whole)
        if format is None or opened.whole or layout == "prose":
            raise
        return Shape(format, layout)
    if format not in (None, shape.format):
        raise ImportFormatError(
            f"{opened.name} is in the format {shape.format}, not {format}; leave the format out, "
            f"or give {shape.format}."
        )
    return shape


def _read(opened: OpenText, shape: Shape) -> Iterator[Read]:
    if shape.format == "transcript":
        yield from _read_transcript(opened)
        return
    read_value, unit = _VALUE_READERS[shape.format]
    if shape.layout == "lines":
        unit, values = "line", json_values.parse_lines(opened.text.lines())
    else:
        values = json_values.parse_document(opened.text.read)
    for number, value in values:
        inner = value.get("conversations") if isinstance(value, dict) else None
        if isinstance(inner, list):  # some exports wrap their list in an object
            for inner_number, inner_value in enumerate(inner, 1):
                yield from read_value(inner_value, f"conversation {inner_number}")
        else:
            yield from read_value(value, f"{unit} {number}")


def _read_transcript(opened: OpenText) -> Iterator[Read]:
    style = transcript.style_of(opened.head.split("\n"))
    found = False
    for item in transcript.read_transcript(opened.text.lines(), style):
        found = True
        yield item
    if not found:
        raise ImportFormatError(
            f"{opened.name} has no line of the form 'Name: text', so nobody speaks in it."
        )


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
