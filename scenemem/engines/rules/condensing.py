"""A session's notes without a model: the statements that tell most, and the latest, as said.

Statements, what tools returned and what was asked become one line each, behind the notes there
were; where these are too many words, the weightiest and the newest stay, in their order. Pure.

Figures: none of recall; a session without a model, or whose model keeps next to nothing, is
compacted with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scenemem.base.loss_check import count_words
from scenemem.base.records import Message
from scenemem.base.session_records import Exchange
from scenemem.base.text import shorten
from scenemem.base.tool_calls import MadeCall, made_calls
from scenemem.engines.rules.extraction import draft_cells

__all__ = ["CONDENSED_WORDS", "condense"]

CONDENSED_WORDS = 220
_LONGEST = 240  # characters of a line
_OUTCOME = 0.35  # salience of what a tool returned
_WRITTEN_DOWN = frozenset({"remember", "recall", "jot"})  # what the notebook holds is shown anyway
_QUESTION = 0.2
_ASKED = 90  # characters of a question


class _Line(NamedTuple):
    text: str
    salience: float


def condense(messages: Sequence[Message], previous: str, most: int = CONDENSED_WORDS) -> str:
    """The notes `previous` (may be empty) and what the messages tell, in at most `most` words."""
    every = (*_earlier(previous, messages), *_told(messages))
    lines = list({line.text: line for line in every}.values())
    by_salience = sorted(range(len(lines)), key=lambda n: -lines[n].salience)
    newest = range(len(lines) - 1, -1, -1)
    left = most
    chosen: set[int] = set()
    for place in (n for pair in zip(by_salience, newest, strict=True) for n in pair):
        size = count_words(lines[place].text)
        if place not in chosen and size <= left:
            chosen.add(place)
            left -= size
    return "\n".join(f"- {lines[n].text}" for n in sorted(chosen))


def _earlier(previous: str, messages: Sequence[Message]) -> Iterator[_Line]:
    for line in previous.splitlines():
        text = line.strip().removeprefix("- ").strip()
        if text and not messages:
            yield _Line(text, _QUESTION)
        elif text:
            as_said = messages[0]._replace(role="user", content=text, tool_calls=(), name=None)
            drafts = draft_cells(Exchange(0, as_said.session, (as_said,)))
            yield _Line(text, max((d.salience for d in drafts), default=_QUESTION))


def _told(messages: Sequence[Message]) -> Iterator[_Line]:
    outcomes: dict[int, list[str]] = {}
    for place, call in made_calls(messages):
        if call.tool in _WRITTEN_DOWN and not (call.result or "").startswith("error"):
            continue
        outcomes.setdefault(place, []).append(_outcome(call))
    for place, message in enumerate(messages):
        yield from (_Line(text, _OUTCOME) for text in outcomes.get(place, ()))
        drafts = draft_cells(Exchange(message.turn, message.session, (message,)))
        for draft in drafts:
            who = f"{message.name}: " if message.name else ""
            yield _Line(shorten(f"{who}{draft.content}", _LONGEST), draft.salience)
        if not drafts and message.role == "user" and message.content.strip():
            asked = shorten(" ".join(message.content.split()), _ASKED)
            yield _Line(f"asked: {asked}", _QUESTION)


def _outcome(call: MadeCall) -> str:
    given = ", ".join(str(value) for value in call.arguments.values())
    result = " ".join((call.result or "").split())
    asked = f"{call.tool or 'a tool'}({given})"
    return shorten(f"{asked} gave {result}" if result else f"{asked} was called", _LONGEST)
