"""Plain transcripts: `Name: text`, a line each or more, with or without times before the names.

A line that begins no message belongs to the message above it. The first speaker takes the user's
part and all others the assistant's, unless they are called by their part (`User`, `Assistant`,
`Me`, `ChatGPT`, ...). A stamped line without a name is a notice of the chat program ("Ann joined")
and is left out. Of transcripts whose messages bear stamps, a line without one begins no message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from scenemem.base.records import MessageDraft, Role
from scenemem.base.text import clean
from scenemem.memory.importing.imported import BadLine, Read, SessionMessage
from scenemem.memory.importing.speakers import Speakers, split_speaker
from scenemem.memory.importing.stamps import INVISIBLE, Stamp, day_comes_first, read_stamp

_SAMPLE = 60  # lines


@dataclass(frozen=True, slots=True)
class Style:
    """How a transcript is written, read off its first lines."""

    stamped: bool = False
    day_first: bool = True


@dataclass(slots=True)
class _Message:
    """A message while its lines are gathered."""

    role: Role
    name: str | None
    at: datetime | None
    lines: list[str] = field(default_factory=list)

    def finished(self) -> Iterator[SessionMessage]:
        content = clean("\n".join(self.lines).strip())
        if content:
            yield SessionMessage(None, MessageDraft(self.role, content, self.at, self.name))


def style_of(lines: Iterable[str]) -> Style:
    """The style of a transcript that begins with `lines`."""
    stamps: list[tuple[Stamp, str]] = []
    named = 0
    for line in [line for line in lines if line.strip()][:_SAMPLE]:
        if (stamp := read_stamp(line)) is None:
            named += split_speaker(line) is not None
        elif split_speaker(line[stamp.end :], stamped=True) is not None:
            stamps.append((stamp, line))
    return Style(
        stamped=len(stamps) > 0 and len(stamps) >= named, day_first=day_comes_first(stamps)
    )


def looks_like_a_transcript(lines: Iterable[str]) -> bool:
    """Whether these first lines of a text hold a talk, and no list of keys and values."""
    sample = [line for line in lines if line.strip()][:_SAMPLE]
    reader = _Reader(style_of(sample))
    names = [name for line in sample if (name := reader.begun_by(line)) is not None]
    if len(set(names)) < len(names):
        return True
    # Nobody speaks twice: a talk this short begins at once, and has few speakers.
    return 1 <= len(names) <= 4 and reader.strays <= 1


def read_transcript(lines: Iterable[str], style: Style) -> Iterator[Read]:
    """The messages of a transcript, in order; what comes before the first one as a bad line."""
    reader = _Reader(style)
    for line in lines:
        yield from reader.read(line)
    yield from reader.finish()


class _Reader:
    """Reads a transcript line by line; what it knows comes from the lines so far."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._speakers = Speakers()
        self._message: _Message | None = None
        self._began = False
        self._stamps: set[str] = set()  # the punctuation of the stamps before messages
        self._above = ""
        self._goes_on = False
        self._lines = 0
        self._first_stray, self._last_stray = 0, 0
        self.strays = 0  # how many lines that are not empty stand before the first message

    def begun_by(self, line: str) -> str | None:
        """The speaker's name or role when `line` begins a message."""
        before = self._message
        for _ in self.read(line):
            pass
        if self._message is None or self._message is before:
            return None
        return self._message.name or self._message.role

    def read(self, line: str) -> Iterator[Read]:
        """What this line brings to its end."""
        self._lines += 1
        if not line.strip():
            self._goes_on = False
            if self._message is not None:
                self._message.lines.append("")
            return
        stamp = read_stamp(line)
        rest = line[stamp.end :] if stamp else line.lstrip(INVISIBLE)
        split = split_speaker(rest, stamped=stamp is not None)
        begins = split is not None and self._begins(*split, stamp)
        if split is not None and begins:
            yield from self._begin(*split, stamp)
        elif stamp is not None and self._is_notice(stamp):
            yield from self.finish()
        elif self._message is not None:
            self._message.lines.append(line)
        elif self._began:
            yield BadLine(f"line {self._lines}", "it follows a notice; nobody says it")
        else:
            self.strays += 1
            self._first_stray = self._first_stray or self._lines
            self._last_stray = self._lines
        self._above, self._goes_on = line, not begins

    def finish(self) -> Iterator[Read]:
        """The message that goes on until here."""
        if self._message is not None:
            yield from self._message.finished()
            self._message = None

    def _begins(self, name: str, rest: str, stamp: Stamp | None) -> bool:
        if stamp is not None or self._style.stamped:
            return stamp is not None
        return self._speakers.speaks(name, rest, above=self._above, goes_on=self._goes_on)

    def _begin(self, name: str, rest: str, stamp: Stamp | None) -> Iterator[Read]:
        yield from self.finish()
        if not self._began:
            yield from self._told_strays()
        self._began = True
        role, own_name = self._speakers.enter(name)
        at = None
        if stamp is not None:
            at = stamp.instant(self._style.day_first)
            self._stamps.add(stamp.punctuation)
        self._message = _Message(role, own_name and clean(own_name), at, [rest])

    def _is_notice(self, stamp: Stamp) -> bool:
        """Whether a stamped line without a name is the chat program's, not a message's text."""
        return not self._began or stamp.punctuation in self._stamps

    def _told_strays(self) -> Iterator[BadLine]:
        if self.strays:
            first, last = self._first_stray, self._last_stray
            where = f"line {first}" if first == last else f"lines {first} to {last}"
            yield BadLine(where, "it comes before the first 'Name: text'; nobody says it")
