"""Plain transcripts: `Name: text`, a line each or more, with or without times before the names.

A line that begins no message belongs to the message above it. The first speaker takes the user's
part and all others the assistant's, unless they are called by their part (`User`, `Assistant`,
`Me`, `ChatGPT`, ...). A stamped line without a name is a notice of the chat program ("Ann joined")
and is left out. Of transcripts whose messages bear stamps, a line without one begins no message.

A line such as `Note: bring the keys` must not become a speaker, nor may `Pros:` in an assistant's
long answer. Only what came before a line decides that, never what follows, so that a transcript
that has grown is read as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from scenemem.base.languages import words
from scenemem.base.records import MessageDraft, Role
from scenemem.base.text import clean, fold
from scenemem.memory.importing.format import (
    ROLE_WORDS,
    BadLine,
    Read,
    SessionMessage,
    TextFormat,
)
from scenemem.memory.importing.times import INVISIBLE, Stamp, day_comes_first, read_stamp

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


def read_transcript(lines: Iterable[str], head: str) -> Iterator[Read]:
    """The messages of a transcript that begins with `head`, in order.

    What comes before the first message is a bad line.
    """
    reader = _Reader(style_of(head.split("\n")))
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


# -- who speaks --------------------------------------------------------------------------------

_NAME = re.compile(
    rf"[{INVISIBLE}~]*(?P<bold>\*\*|__)?(?P<name>[^\W\d_][^:：*\n\"“”„«»<>{{}}\[\]=;!?]{{0,59}}?)"
    r"(?:\s{1,3}(?:said|wrote|says))?(?(bold)(?:\*\*|__)?)\s?(?:(?P<ascii>:)|：)(?(bold)(?:\*\*|__)?)"
    r"(?(ascii)(?=\s|$)|)\s*"
)
_STAMPED_NAME = re.compile(
    rf"[{INVISIBLE}~\s]*+(?P<name>[^:：\s\"“”„«»{INVISIBLE}][^:：\n\"“”„«»]{{0,79}}?)"
    rf"[{INVISIBLE}]*\s?[:：](?=\s|$|[^\s/\d])[{INVISIBLE}\s]*"
)
_ASSISTANTS = "chatgpt claude gemini copilot gpt grok llama mistral deepseek llm agent chatbot"
_ROLES: dict[str, Role] = {
    **ROLE_WORDS,
    **dict.fromkeys(["me", "i", "myself", "customer", "client"], "user"),
    **dict.fromkeys(["prompt", "question", "q"], "user"),
    **dict.fromkeys(_ASSISTANTS.split(), "assistant"),
    **dict.fromkeys(["response", "answer", "a"], "assistant"),
}
# Words for a part, not for someone: the draft of such a message has no name.
_PARTS = {*ROLE_WORDS, "me", "i", "myself", "you", "q", "a", "question", "answer", "prompt"}
# Speakers only where the transcript begins with one of them; a heading otherwise.
_PAIRED = {"q", "a", "question", "answer", "prompt", "response"}
_PARTICLES = {"al", "and", "bin", "da", "de", "del", "der", "di", "do", "dos", "du", "el"}
_PARTICLES |= {"ibn", "la", "le", "ten", "und", "van", "von", "y"}
_WORD = re.compile(r"[^\W_](?:[\w.'’\-]*[\w)])?\.?|\(\w[\w .'’\-]*\)|&|#?\d+")


def split_speaker(line: str, *, stamped: bool = False) -> tuple[str, str] | None:
    """The name before the line's first colon and the text after it; None without such a name.

    After a stamp nearly anything is a name: a phone number, a nickname, a name with a smiley.
    """
    found = (_STAMPED_NAME if stamped else _NAME).match(line)
    if found is None:
        return None
    name = " ".join(found["name"].split())
    if not name or len(name.split()) > (7 if stamped else 4):
        return None
    return name, line[found.end() :]


class Speakers:
    """The speakers of one transcript so far, each with one role."""

    def __init__(self) -> None:
        self._roles: dict[str, Role] = {}
        self._first = ""

    def speaks(self, name: str, rest: str, *, above: str, goes_on: bool) -> bool:
        """Whether `name: rest`, a line without a stamp, begins a message.

        `above` is the last line that was not empty; `goes_on` tells that it directly precedes this
        one and did not begin a message itself.
        """
        key = _key(name)
        if key in self._roles:
            return True
        if not self._roles:
            return key in _PAIRED or _may_be_a_name(name, lower=True)
        if key in _PAIRED:
            return _key(self._first) in _PAIRED
        if above.rstrip().endswith((":", "：")) or not self._may_be_new(name):
            return False
        if len(self._roles) == 1:
            return True
        if all(known in _ROLES or known == "you" for known in self._roles):
            return key in _ROLES  # a talk with an assistant has no third party, but has headings
        return bool(rest.strip()) and not goes_on

    def _may_be_new(self, name: str) -> bool:
        return _may_be_a_name(name, lower=self._first.islower())

    def enter(self, name: str) -> tuple[Role, str | None]:
        """The role of a speaker, the same one each time, and the name, if it is one."""
        key = _key(name)
        if key not in self._roles:
            self._first = self._first or name
            self._roles[key] = self._new_role(key)
        return self._roles[key], None if key in _PARTS else name

    def _new_role(self, key: str) -> Role:
        if key == "you":
            return "assistant" if "user" in self._roles.values() else "user"
        told = _ROLES.get(key)
        if told is not None:
            return told
        return "assistant" if "user" in self._roles.values() else "user"


def _key(name: str) -> str:
    return fold(name).strip(" .")


def _may_be_a_name(name: str, *, lower: bool) -> bool:
    """Whether these words look like a name: capital letters, or a script that has none.

    `lower` admits one word in small letters, as nicknames are.
    """
    key = _key(name)
    if key in _ROLES or key == "you":
        return True
    parts = name.split()
    # No list can be complete; months are in none, for April, May and June speak, too.
    if not words("headings").isdisjoint(word.strip(".()") for word in name.casefold().split()):
        return False
    if not all(_WORD.fullmatch(part) for part in parts):
        return False
    if all(_begins_large(part) or part in _PARTICLES for part in parts):
        return parts[0] not in _PARTICLES
    return lower and len(parts) == 1 and len(name) <= 24


def _begins_large(word: str) -> bool:
    if word.startswith("("):  # what a name's holder does: "(host)"
        return True
    letter = next((character for character in word if character.isalpha()), "")
    return not letter or letter.isupper() or letter.lower() == letter.upper()


FORMAT = TextFormat(
    name="transcript",
    looks_like=looks_like_a_transcript,
    read_lines=read_transcript,
    found_none="has no line of the form 'Name: text', so nobody speaks in it",
    seen_as="is text, but not lines of the form 'Name: text'",
)
