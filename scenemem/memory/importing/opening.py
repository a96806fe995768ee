"""Files, streams and zipped exports as text: opened, decoded, counted, with their head in view.

UTF-8 is taken as it is and UTF-16 or UTF-32 by their mark; bytes that are no UTF-8 are replaced
and counted, so that text in an old encoding costs its accents and nothing else. Everything the
system can say about a file that can't be read becomes one `ImportFormatError`.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from scenemem.base.errors import ImportFormatError

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

Progress = Callable[[int], None]

HEAD_BYTES = 1 << 18
_BUFFER = 1 << 16
_STREAM_NAME = "standard input"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_KNOWN_BINARIES = (
    (b"\x1f\x8b", "gzip-compressed; unpack it first"),
    (b"\xfd7zXZ", "xz-compressed; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database, not a chat export"),
    (b"%PDF", "a PDF; save the chat as text first"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_STRAY_CONTROLS = 8  # as many may stand in a text by accident
_SPLIT_EXPORT = re.compile(r"conversations(?:-\d+)?\.json")
# What `surrogateescape` and the other codecs' replacing leave for bytes that can't be decoded.
_UNDECODED = re.compile("[\udc80-\udcff]")


class Text:
    """A decoded text, by lines or by characters; remembers what could not be decoded."""

    def __init__(self, raw: io.RawIOBase, encoding: str) -> None:
        self._foreign = "\ufffd" if encoding in ("utf-16", "utf-32") else ""
        errors = "replace" if self._foreign else "surrogateescape"
        self._decoded = io.TextIOWrapper(io.BufferedReader(raw, _BUFFER), encoding, errors=errors)
        self._newlines = 0
        self.replaced = 0
        self.first_replaced: int | None = None

    def lines(self) -> Iterator[str]:
        """The lines, without their ends."""
        for line in self._decoded:
            yield self._mended(line).removesuffix("\n")

    def read(self, size: int) -> str:
        """Up to `size` characters; an empty text at the end."""
        return self._mended(self._decoded.read(size))

    def _mended(self, text: str) -> str:
        """`text` with U+FFFD for what could not be decoded, which is counted."""
        if not text.isascii():
            mended, count = _UNDECODED.subn("\ufffd", text)
            count += mended.count(self._foreign) if self._foreign else 0
            if count:
                if self.first_replaced is None:
                    before = mended.partition("\ufffd")[0]
                    self.first_replaced = self._newlines + before.count("\n") + 1
                self.replaced += count
                text = mended
        self._newlines += text.count("\n")
        return text


@dataclass(frozen=True, slots=True)
class OpenText:
    """A text that lies open: its name for messages, its first part decoded, and all of it.

    `whole` tells whether `head` is all of it.
    """

    name: str
    head: str
    whole: bool
    text: Text


class _Bytes(io.RawIOBase):
    """The bytes of a stream, with a head put back, reporting how far they were read."""

    def __init__(self, stream: IO[bytes], head: bytes, name: str, report: Progress) -> None:
        self._stream, self._head, self._name, self._report = stream, head, name, report
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = len(buffer)
        if self._head:
            chunk, self._head = self._head[:size], self._head[size:]
        else:
            chunk = _read(self._stream, size, self._name)
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        self._report(self._position)
        return len(chunk)


def open_texts(
    path: Path | None, stream: IO[bytes] | None, progress: Progress | None
) -> Iterator[OpenText]:
    """The text of a file or a stream; of a zip archive each of the conversation files in it.

    `progress` is told how many bytes of the file were read so far. Raises `ImportFormatError`.
    """
    report = progress or (lambda position: None)
    name = str(path) if path is not None else _STREAM_NAME
    with ExitStack() as stack:
        if stream is None:
            if path is None:
                raise TypeError("read_file needs a path or a stream")
            stream = stack.enter_context(_open(path))
        head = _read_head(stream, name)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            yield from _zipped_texts(stream, head, name, report, stack)
        else:
            yield _open_text(stream, head, name, report)


def _open(path: Path) -> IO[bytes]:
    if path.is_dir():
        inside = path / "conversations.json"
        give = inside if inside.exists() else "a file in it"
        raise ImportFormatError(f"{path} is a directory; give {give} instead.")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise ImportFormatError(f"{path} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ImportFormatError(f"{path} can't be opened: {reason}.") from error


def _read(stream: IO[bytes], size: int, name: str) -> bytes:
    """Up to `size` bytes, with whatever goes wrong on the way as an `ImportFormatError`."""
    from zipfile import BadZipFile
    from zlib import error as CompressionError

    try:
        return stream.read(size) or b""
    except (BadZipFile, CompressionError, EOFError) as error:
        reason = "its archive is damaged; download or copy it again"
        raise ImportFormatError(f"{name} can't be read to its end: {reason}.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFormatError(f"{name} can't be read: {reason}.") from error


def _read_head(stream: IO[bytes], name: str) -> bytes:
    parts: list[bytes] = []
    missing = HEAD_BYTES
    while missing and (part := _read(stream, missing, name)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _open_text(stream: IO[bytes], head: bytes, name: str, report: Progress) -> OpenText:
    encoding = next((codec for mark, codec in _MARKS if head.startswith(mark)), "utf-8")
    decoded = head.decode(encoding, "replace")
    _refuse_binary(head, decoded, encoding, name)
    text = Text(_Bytes(stream, head, name, report), encoding)
    decoded = decoded.replace("\r\n", "\n").replace("\r", "\n")
    return OpenText(name, decoded, len(head) < HEAD_BYTES, text)


def _refuse_binary(head: bytes, decoded: str, encoding: str, name: str) -> None:
    if not decoded.strip():
        raise ImportFormatError(f"{name} is empty: there is nothing to import.")
    for mark, what in _KNOWN_BINARIES:
        if head.startswith(mark):
            raise ImportFormatError(f"{name} is {what}.")
    shown = head if encoding.startswith("utf-8") else decoded.encode("utf-8", "replace")
    controls = len(shown) - len(shown.translate(None, _CONTROLS))
    if controls > _STRAY_CONTROLS and controls * 50 > len(shown):
        raise ImportFormatError(f"{name} is a binary file; chats are read from text and JSON.")


def _zipped_texts(
    stream: IO[bytes], head: bytes, name: str, report: Progress, stack: ExitStack
) -> Iterator[OpenText]:
    from zipfile import BadZipFile, ZipFile

    stream = stack.enter_context(_seekable(stream, head, name))
    size = stream.seek(0, io.SEEK_END)
    try:
        archive = stack.enter_context(ZipFile(stream))
    except (BadZipFile, OSError, NotImplementedError, ValueError) as error:
        raise ImportFormatError(f"{name} is a damaged zip archive; download it again.") from error
    members = _conversation_files(archive, name)
    total = sum(member.file_size for member in members) or 1
    before = 0
    for member in members:
        place = f"{name}/{member.filename}"
        with _open_member(archive, member, place) as inside:
            inner_head = _read_head(inside, place)

            def scaled(position: int, before: int = before) -> None:
                # Of the archive's own size, which is what the caller knows.
                report(min(size, size * (before + position) // total))

            yield _open_text(inside, inner_head, place, scaled)
        before += member.file_size


@contextmanager
def _seekable(stream: IO[bytes], head: bytes, name: str) -> Iterator[IO[bytes]]:
    """The stream, or a copy on disk of one that can't go back: an archive's index is at its end."""
    from tempfile import TemporaryFile

    if stream.seekable():
        yield stream
        return
    with TemporaryFile() as copy:
        copy.write(head)
        while chunk := _read(stream, 1 << 20, name):
            copy.write(chunk)
        yield copy


def _conversation_files(archive: ZipFile, name: str) -> list[ZipInfo]:
    """The members that hold the chats: an export's conversations, or the only text there is."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    chats = [m for m in members if _SPLIT_EXPORT.fullmatch(PurePosixPath(m.filename).name)]
    if not chats:
        suffixes = (".json", ".jsonl", ".txt")
        chats = [m for m in members if PurePosixPath(m.filename).suffix.lower() in suffixes]
        if len(chats) != 1:
            raise ImportFormatError(
                f"{name} is a zip archive without a conversations.json; unpack it and give the "
                "file that holds the chat."
            )
    return sorted(chats, key=lambda member: member.filename)


def _open_member(archive: ZipFile, member: ZipInfo, place: str) -> IO[bytes]:
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile

    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ImportFormatError(f"{place} is packed in an uncommon way; unpack it first.")
    try:
        return archive.open(member)
    except (BadZipFile, RuntimeError, OSError) as error:
        reason = "it is encrypted or damaged; unpack it by other means first"
        raise ImportFormatError(f"{place} can't be unpacked: {reason}.") from error
