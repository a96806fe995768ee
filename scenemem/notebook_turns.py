"""What of a turn is the session's own: written into its notebook, and not for other sessions.

A session's notebook is not seen by other sessions; scenes are. So what the user wants kept in the
notebook ("use a tool", "short term", "for this session") and a tool has written there makes no
cells, and neither does a reply that only reads from it. All else in such a turn is remembered as
ever. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from scenemem.records import Message

__all__ = ["SessionOnly", "session_only"]

_WISH = re.compile(
    r"\b(?:short|long)[- ]?term\b|\buse (?:a|the|your) (?:\w+ )?tool\b|\bwith (?:a|the|your) tool\b"
    r"|\b(?:for|in) (?:this|the current) (?:session|chat|conversation)\b"
    r"|\b(?:kurz|lang)fristig\b|\ba (?:corto|largo) plazo\b|\bà (?:court|long) terme\b",
    re.IGNORECASE,
)
_FEWEST = 2  # characters of a value that is looked for


class SessionOnly:
    """The values that are only for the session of a turn: `has` finds them in a text."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = frozenset(values)
        self._pattern = (
            re.compile(
                "|".join(rf"(?<!\w){re.escape(v)}(?!\w)" for v in sorted(self.values, key=len)),
                re.IGNORECASE,
            )
            if self.values
            else None
        )

    def has(self, text: str) -> bool:
        """Whether the text tells one of the values."""
        return self._pattern is not None and bool(self._pattern.search(text))

    def covers(self, statement: str) -> bool:
        """Whether a statement tells one of the values, or only how they are to be kept."""
        return self._pattern is not None and bool(
            self._pattern.search(statement) or _WISH.search(statement)
        )

    def __bool__(self) -> bool:
        return self._pattern is not None


def session_only(messages: Sequence[Message]) -> SessionOnly:
    """What of a turn, given as its messages, is only for its session."""
    asked = " ".join(m.content for m in messages if m.role == "user")
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    values: set[str] = set()
    for message in messages:
        for call in message.tool_calls:
            name, result = call["function"]["name"], results.get(call["id"], "")
            if name == "remember" and result.startswith("remembered") and _WISH.search(asked):
                values.update(_texts(_json(call["function"]["arguments"], "value")))
            elif name == "recall":
                read = SessionOnly(_texts(_json(result)))
                if not read.has(asked):
                    values.update(read.values)
    return SessionOnly(values)


def _json(text: str, key: str | None = None) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value.get(key) if key and isinstance(value, dict) else value


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers in a JSON value that are long enough to be told from others."""
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value).strip()
        if len(text) >= _FEWEST:
            yield text
