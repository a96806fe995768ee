"""LoCoMo's own format: two people's talk over many sessions, for measuring memory.

A sample becomes one session for each of its own, `<sample_id>/session_N`; the first speaker takes
the user's part and the second the assistant's, both with their names. Pictures are not in the
data; their captions are, and stand in brackets after the text. (Maharana et al., "Evaluating Very
Long-Term Conversational Memory of LLM Agents", 2024.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from scenemem.base.records import MessageDraft
from scenemem.base.text import clean
from scenemem.memory.importing.format import (
    BadLine,
    Conversation,
    JsonFormat,
    Read,
    Said,
    digest_of,
    first_name,
    keys_of,
    name_of,
    short_id,
)
from scenemem.memory.importing.json_values import what_is_wrong
from scenemem.memory.importing.times import read_time

_SESSION = re.compile(r"session_(\d{1,6})")
_DATE = re.compile(r"(\d{1,2}):(\d\d)\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})", re.I)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def read_samples(value: object, where: str) -> Iterator[Read]:
    """The sessions of one sample, as conversations in the order of their numbers."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield BadLine(where, what_is_wrong(value))
        return
    talk = value.get("conversation") if "speaker_a" not in value else value
    if not isinstance(talk, dict):
        yield BadLine(where, f"no LoCoMo sample: it has no conversation ({keys_of(value)})")
        return
    speakers = {
        name: role
        for role in ("speaker_b", "speaker_a")
        if (name := talk.get(role)) and isinstance(name, str)
    }
    sample = first_name(value, ("sample_id", "id")) or _derived_sample(talk, speakers)
    numbers = (int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
    for number in sorted(numbers):
        yield from _read_session(talk, number, sample, speakers, where)


def _derived_sample(talk: Mapping[str, Any], speakers: Mapping[str, str]) -> str:
    pair = " and ".join(sorted(clean(name) for name in speakers)) or "sample"
    began = name_of(talk.get("session_1_date_time")) or ""
    return f"{pair} {digest_of(pair, began)[:6]}"


def _read_session(
    talk: Mapping[str, Any], number: int, sample: str, speakers: Mapping[str, str], where: str
) -> Iterator[Read]:
    place = f"{where}, session_{number}"
    turns = talk.get(f"session_{number}")
    if not isinstance(turns, list):
        if turns is not None:
            yield BadLine(place, what_is_wrong(turns))
        return
    items: list[Said] = []
    at: datetime | None = None
    try:
        at = read_session_time(talk.get(f"session_{number}_date_time"))
    except ValueError as error:
        items.append(BadLine(place, f"{error}; the session was imported without it", lost=False))
    for position, turn in enumerate(turns, 1):
        items.extend(_read_turn(turn, position, speakers, at, place))
    yield Conversation(tuple(items), f"{sample}/session_{number}", at=at)


def _read_turn(
    turn: object, position: int, speakers: Mapping[str, str], at: datetime | None, where: str
) -> Iterator[Said]:
    if turn is None:
        return
    if not isinstance(turn, dict):
        yield BadLine(f"{where}, turn {position}", what_is_wrong(turn))
        return
    own_id = name_of(turn.get("dia_id"))
    place = f"{where}, turn {short_id(own_id) if own_id else position}"
    name = name_of(turn.get("speaker"))
    if name is None:
        yield BadLine(place, "it names no speaker")
        return
    text, caption = turn.get("text"), turn.get("blip_caption")
    parts = [text.strip()] if isinstance(text, str) else []
    if isinstance(caption, str) and caption.strip():
        parts.append(f"[image: {caption.strip()}]")
    content = clean(" ".join(filter(None, parts)))
    if content:
        first = speakers.get(str(turn["speaker"])) == "speaker_a"
        yield MessageDraft("user" if first else "assistant", content, at, name, external_id=own_id)


def read_session_time(value: object) -> datetime | None:
    """The instant of a text such as "1:56 pm on 8 May, 2023", in UTC; also ISO 8601.

    None without a time; raises ValueError for one that can't be read.
    """
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return read_time(value)
    hour, minute, half, day, month, year = found.groups()
    if (month_name := month[:3].lower()) not in _MONTHS or not 1 <= int(hour) <= 12:
        raise ValueError(f"its time {found.group()!r} has no such month or hour")
    hours = int(hour) % 12 + (12 if half.lower() == "p" else 0)
    number = _MONTHS.index(month_name) + 1
    try:
        return datetime(int(year), number, int(day), hours, int(minute), tzinfo=UTC)
    except ValueError:
        raise ValueError(f"its time {found.group()!r} is on no calendar") from None


FORMAT = JsonFormat(
    name="locomo",
    signs=(
        frozenset({"qa"}),
        frozenset({"speaker_a"}),
        frozenset({"sample_id", "conversation"}),
    ),
    unit="sample",
    read_value=read_samples,
)
