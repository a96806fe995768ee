"""Conversation as a model reads it: dated turns between marks that nothing inside can close.

Turns are put together into requests within a token budget; a turn that is longer than a request
is split at paragraph, line or word ends into parts, each with its turn's date. Of a turn beyond
`MOST_PARTS` parts the middle is left out, and that is said, in the text and to the caller. What
only repeats the memory is no part of it: system and tool messages, and recalled blocks. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scenemem.base.records import Exchange, Message
from scenemem.base.text import estimate_tokens

__all__ = [
    "MOST_PARTS",
    "Part",
    "Piece",
    "day_of",
    "inert",
    "parts_of",
    "parts_of_pieces",
    "pieces_of",
    "requests_of",
    "speaker_line",
    "transcript",
]

MOST_PARTS = 12  # requests that one turn is read in, at most
_MARKS = re.compile(r"<(?=\s*/?\s*(?:turn|known|scenes|cells|memory|summary|session)\b)", re.I)
_RECALLED = re.compile(r"<memory>.*?(?:</memory>|\Z)", re.S | re.I)
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?。！？]\s*"),
    re.compile(r"\s"),
)
_LINE_TOKENS = 8  # what a line's speaker and a turn's marks add to its text


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, or a part of one, as it is shown: `text` is what of it a model reads."""

    message: Message
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A turn, or part `number` of `count` of it, with what is shown of its messages."""

    exchange: int
    pieces: tuple[Piece, ...]
    number: int = 1
    count: int = 1

    @property
    def text(self) -> str:
        """All that was said in it."""
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def tokens(self) -> int:
        """About how many tokens it takes in a prompt."""
        return sum(estimate_tokens(piece.text) + _LINE_TOKENS for piece in self.pieces)


def inert(text: str) -> str:
    """Text that can neither open nor close one of the marks that data stands between."""
    return _MARKS.sub("‹", text)


def day_of(message: Message) -> str:
    """The day a message was said, as in `Tuesday, 2026-05-12`."""
    return f"{message.at:%A, %Y-%m-%d}"


def speaker_line(speaker: str, text: str) -> str:
    """One message; further lines of its text are indented, so that none can pass for another."""
    return inert(f"{' '.join(speaker.split())}: " + text.strip().replace("\n", "\n  "))


def transcript(parts: Sequence[Part]) -> str:
    """The parts as text, numbered from 1 where there are several."""
    return "\n".join(_turn(part, n if len(parts) > 1 else 0) for n, part in enumerate(parts, 1))


def _turn(part: Part, number: int) -> str:
    named = f' number="{number}"' if number else ""
    section = f' part="{part.number} of {part.count}"' if part.count > 1 else ""
    lines = "\n".join(speaker_line(p.message.speaker, p.text) for p in part.pieces)
    return f'<turn{named} date="{day_of(part.pieces[0].message)}"{section}>\n{lines}\n</turn>'


# -- from exchanges to parts -----------------------------------------------------------------


def pieces_of(messages: Iterable[Message]) -> list[Piece]:
    """What people and assistants said, without what was recalled into it."""
    pieces = [
        Piece(message, _RECALLED.sub("", message.content).strip())
        for message in messages
        if message.role in ("user", "assistant")
    ]
    return [piece for piece in pieces if piece.text]


def parts_of(exchange: Exchange, budget: int) -> tuple[list[Part], str | None]:
    """A turn in parts of at most about `budget` tokens, and what was left out, in a sentence."""
    return parts_of_pieces(exchange.id, pieces_of(exchange.messages), budget)


def parts_of_pieces(
    exchange: int, pieces: list[Piece], budget: int
) -> tuple[list[Part], str | None]:
    """The same, of messages in what form they are shown."""
    if not pieces:
        return [], None
    pieces, left_out = _without_middles(pieces, budget * MOST_PARTS)
    groups = list(_packed(_cut(pieces, budget), budget))
    count = len(groups)
    parts = [Part(exchange, tuple(group), n, count) for n, group in enumerate(groups, 1)]
    return parts, left_out


def _without_middles(pieces: list[Piece], most: int) -> tuple[list[Piece], str | None]:
    """The pieces in at most about `most` tokens: the longest lose their middle."""
    sizes = [estimate_tokens(piece.text) for piece in pieces]
    over = sum(sizes) - most
    left_out = 0
    for place in sorted(range(len(pieces)), key=lambda n: -sizes[n]):
        if over <= 0:
            break
        kept = max(sizes[place] - over, most // (2 * len(pieces)), 1)
        text, missing = _ends_of(pieces[place].text, kept / sizes[place])
        pieces[place] = replace(pieces[place], text=text)
        left_out += missing
        over -= sizes[place] - kept
    if not left_out:
        return pieces, None
    return pieces, f"the turn is too long: {left_out:,} characters in its middle were not read"


def _ends_of(text: str, share: float) -> tuple[str, int]:
    end = max(int(len(text) * share / 2), 1)
    missing = len(text) - 2 * end
    if missing <= 0:
        return text, 0
    return f"{text[:end]}\n[… {missing:,} characters left out …]\n{text[-end:]}", missing


def _cut(pieces: Sequence[Piece], budget: int) -> Iterator[Piece]:
    for piece in pieces:
        for text in _chunks(piece.text, max(budget - _LINE_TOKENS, 1)):
            yield replace(piece, text=text)


def _chunks(text: str, budget: int) -> Iterator[str]:
    """`text` in chunks of at most `budget` tokens, cut where it pauses."""
    while estimate_tokens(text) > budget:
        end = max(_fitting(text, budget), 1)
        cut = _pause_before(text, end)
        yield text[:cut].strip()
        text = text[cut:].strip()
    if text:
        yield text


def _fitting(text: str, budget: int) -> int:
    """How many characters from the start of `text` make `budget` tokens."""
    start = text[: budget * 4]
    return len(start.encode("utf-8", "replace")[: budget * 4].decode("utf-8", "ignore"))


def _pause_before(text: str, end: int) -> int:
    for pause in _BREAKS:
        found = [match.end() for match in pause.finditer(text, end // 2, end)]
        if found:
            return found[-1]
    return end


def _packed(pieces: Iterable[Piece], budget: int) -> Iterator[list[Piece]]:
    group: list[Piece] = []
    size = 0
    for piece in pieces:
        tokens = estimate_tokens(piece.text) + _LINE_TOKENS
        if group and size + tokens > budget:
            yield group
            group, size = [], 0
        group.append(piece)
        size += tokens
    if group:
        yield group


def requests_of(parts: Iterable[Part], budget: int, most: int) -> Iterator[list[Part]]:
    """Parts together, in order: at most `most` and about `budget` tokens a request.

    A part of a turn that had to be split is asked for alone.
    """
    group: list[Part] = []
    size = 0
    for part in parts:
        alone = part.count > 1
        if group and (alone or len(group) >= most or size + part.tokens > budget):
            yield group
            group, size = [], 0
        group.append(part)
        size += part.tokens
        if alone:
            yield group
            group, size = [], 0
    if group:
        yield group
