"""Helpers for testing code built on scenemem: a scripted chat model and an empty memory view.

    model = ScriptedModel('{"cells": []}', ModelUnavailableError("down"), "Hello!")
    engine = ModelEngine(model)
    ...
    assert model.requests[0].purpose == "extract"

No server, no network, no waiting. Every request is recorded for inspection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenemem.base.records import Cell, Scene
from scenemem.base.text import estimate_tokens
from scenemem.engines.openai.chat import Completion, Tokens, estimate_prompt

__all__ = ["EmptyMemory", "Request", "ScriptedModel", "cells_json", "tool_call"]

Act = str | Completion | BaseException
"""What a scripted model does with a request: answer a text or a completion, or raise."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as a chat model received it."""

    messages: tuple[Mapping[str, Any], ...]
    purpose: str
    schema: Mapping[str, Any] | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None

    @property
    def system(self) -> str:
        """The text of the system message, or "" if there is none."""
        return next((str(m["content"]) for m in self.messages if m["role"] == "system"), "")

    @property
    def last(self) -> str:
        """The text of the last message."""
        return str(self.messages[-1]["content"])

    @property
    def tokens(self) -> int:
        """The estimated number of tokens in its messages."""
        return estimate_prompt(self.messages)


class ScriptedModel:
    """A `ChatModel` that plays acts in order, or calls a function to get the act for each request.

    An act is the text to answer, a `Completion`, or an exception to raise. After the last act,
    every further request raises `AssertionError`. `requests` lists the requests so far. Streamed
    answers arrive word by word.
    """

    def __init__(
        self,
        *acts: Act,
        answer: Callable[[Request], Act] | None = None,
        model: str = "scripted",
    ) -> None:
        if acts and answer is not None:
            raise ValueError("pass either acts or answer, not both")
        self.model = model
        self.requests: list[Request] = []
        self._acts = list(acts)
        self._answer = answer

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        purpose: str = "reply",
    ) -> Completion:
        """Play the next act; see `ChatModel.complete`."""
        request = Request(
            tuple(dict(m) for m in messages), purpose, schema, tuple(tools), max_tokens, temperature
        )
        self.requests.append(request)
        act = self._next_act(request)
        if isinstance(act, BaseException):
            raise act
        if isinstance(act, Completion):
            return act
        return Completion(act, usage=Tokens(request.tokens, estimate_tokens(act)))

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        purpose: str = "reply",
    ) -> Iterator[str | Completion]:
        """Play the next act word by word; see `StreamingChatModel.stream`."""
        completion = self.complete(
            messages, tools=tools, max_tokens=max_tokens, temperature=temperature, purpose=purpose
        )
        yield from _word_pieces(completion.text)
        yield completion

    def _next_act(self, request: Request) -> Act:
        if self._answer is not None:
            return self._answer(request)
        if not self._acts:
            raise AssertionError(f"a {request.purpose} request came after the last act")
        return self._acts.pop(0)


def _word_pieces(text: str) -> list[str]:
    return [piece for piece in text.replace(" ", " \0").split("\0") if piece]


def cells_json(*cells: str | Mapping[str, Any]) -> str:
    """The answer of a model that extracts these cells; a str is a cell's content."""
    return json.dumps({"cells": [{"content": c} if isinstance(c, str) else dict(c) for c in cells]})


def tool_call(name: str, call_id: str = "call_1", **arguments: Any) -> dict[str, Any]:
    """A tool call in the chat API's format, for `Completion(tool_calls=(…,))`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


class EmptyMemory:
    """A memory view without content, for calling `Engine.extract` without a database."""

    def related_cells(self, text: str, limit: int = 10) -> list[Cell]:
        """No cells."""
        return []

    def related_scenes(self, text: str, limit: int = 8) -> list[Scene]:
        """No scenes."""
        return []

    def cells_from(self, messages: Sequence[int]) -> list[Cell]:
        """No cells."""
        return []

    def recent_cells(self, limit: int) -> list[Cell]:
        """No cells."""
        return []

    def cells_after(self, cell_id: int, limit: int) -> list[Cell]:
        """No cells."""
        return []
