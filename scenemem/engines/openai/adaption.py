"""Which settings of a request a server takes, learnt from what it refuses.

Newer models want `max_completion_tokens` and no temperature, older servers know `max_tokens` only,
many have no JSON schemas, some no tools. The first refusal that names a setting takes it out (or
its older form in); each step goes one way only, so that adapting always ends. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

__all__ = ["Accepted", "Refusal", "adapt"]

ResponseFormat = Literal["json_schema", "json_object"]
TokenLimit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a server is taken to accept; it begins with everything, in the oldest form."""

    token_limit: TokenLimit | None = "max_tokens"
    temperature: bool = True
    response_format: ResponseFormat | None = "json_schema"
    tools: bool = True
    stream_options: bool = True

    def settings(
        self,
        *,
        schema: Mapping[str, Any] | None,
        tools: Sequence[Mapping[str, Any]],
        max_tokens: int | None,
        temperature: float | None,
        stream: bool,
    ) -> dict[str, Any]:
        """The optional part of a request body; what is None or not accepted is left out."""
        body: dict[str, Any] = {}
        if self.token_limit and max_tokens is not None:
            body[self.token_limit] = max_tokens
        if self.temperature and temperature is not None:
            body["temperature"] = temperature
        if self.response_format and schema is not None:
            body["response_format"] = _response_format(self.response_format, schema)
        if self.tools and tools:
            body["tools"] = list(tools)
        if stream:
            body["stream"] = True
            if self.stream_options:
                body["stream_options"] = {"include_usage": True}
        return body


def _response_format(kind: ResponseFormat, schema: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": "json_object"}
    name = re.sub(r"\W+", "_", str(schema.get("title", "answer")))
    return {"type": kind, "json_schema": {"name": name, "strict": True, "schema": dict(schema)}}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server said when it refused a request; `param` where it names one by itself."""

    message: str
    param: str | None = None


# How servers speak of each setting; longer names first where one is part of another.
_SPOKEN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("token_limit", re.compile(r"max_(?:completion_)?tokens", re.I)),
    ("temperature", re.compile(r"\btemperature\b", re.I)),
    (
        "response_format",
        re.compile(
            r"response_?format|json_schema|json_object|json mode|structured output|\bgrammar\b"
            r"|\bguided_json\b|\bschema\b",
            re.I,
        ),
    ),
    ("tools", re.compile(r"\btools\b|tool[_ ]choice|(?:tool|function)[_ ]call(?:ing|s?\b)", re.I)),
    ("stream_options", re.compile(r"stream_options|include_usage", re.I)),
)


def adapt(accepted: Accepted, refusal: Refusal, sent: Mapping[str, Any]) -> Accepted | None:
    """What to send instead of the refused `sent`; None when no setting of it was named.

    A parameter that the server names by itself decides; else the setting its message speaks of
    first does.
    """
    for spoken in (refusal.param, refusal.message):
        if not spoken:
            continue
        found = [
            (match.start(), name)
            for name, pattern in _SPOKEN
            if (match := pattern.search(spoken)) and _was_sent(name, accepted, sent)
        ]
        if found:
            return _without(accepted, min(found)[1])
    return None


def _was_sent(name: str, accepted: Accepted, sent: Mapping[str, Any]) -> bool:
    return (accepted.token_limit if name == "token_limit" else name) in sent


def _without(accepted: Accepted, name: str) -> Accepted:
    if name == "token_limit":
        older = accepted.token_limit == "max_tokens"
        return replace(accepted, token_limit="max_completion_tokens" if older else None)
    if name == "temperature":
        return replace(accepted, temperature=False)
    if name == "response_format":
        strict = accepted.response_format == "json_schema"
        return replace(accepted, response_format="json_object" if strict else None)
    if name == "tools":
        return replace(accepted, tools=False)
    return replace(accepted, stream_options=False)
