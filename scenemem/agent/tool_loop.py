"""The tool loop: ask the engine, call the tools that it asks for, ask again, until it answers.

A step is stored whole, the call with all its results, so that the history is valid at any moment.
After the last step the engine is asked once more, without tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from scenemem.agent.function_tool import ToolContext
from scenemem.agent.tools import FORGOTTEN, MemoryTools
from scenemem.base.errors import ModelError
from scenemem.base.records import Message, MessageDraft
from scenemem.base.text import clean
from scenemem.engines.engine import Engine, Prompt, Reply, stream_reply

__all__ = ["ToolLoop"]

SINCE_FORGOTTEN = "what was found was forgotten since"
Store = Callable[[Sequence[MessageDraft]], tuple[Message, ...]]


class ToolLoop:
    """The steps of one turn. `shown` is the text of the present step that was delivered so far."""

    def __init__(
        self,
        engine: Engine,
        tools: MemoryTools,
        context: ToolContext,
        store: Store,
        max_steps: int,
    ) -> None:
        self._engine = engine
        self._tools = tools
        self._context = context
        self._store = store
        self._max_steps = max_steps
        self._begun = 0
        self.shown = ""

    def run(self, prompt: Prompt, *, stream: bool) -> Generator[str, None, Reply]:
        """The pieces of text as they come (when streaming), and the last reply as the value.

        Raises `ModelError` when the engine fails, or asks for tools and nothing else at the end.
        """
        # A turn that is tried again has steps in its history already.
        self._begun = sum(bool(m.tool_calls) for m in prompt.messages)
        for step in range(self._max_steps):
            reply = yield from self._ask(prompt, self._tools.specs, stream)
            if not reply.tool_calls:
                return reply
            stored = self._take(step, reply)
            self.shown = ""  # it is stored
            prompt = replace(prompt, messages=(*prompt.messages, *stored))
            if stream and reply.text:
                yield "\n\n"
        reply = yield from self._ask(prompt, (), stream)
        if not reply.text:
            raise ModelError(
                f"the model {self._engine.name!r} gave no answer after {self._max_steps} steps "
                "with tools; raise max_steps, or ask for less at a time"
            )
        return replace(reply, tool_calls=())

    def _ask(
        self, prompt: Prompt, tools: Sequence[dict[str, Any]], stream: bool
    ) -> Generator[str, None, Reply]:
        self.shown = ""
        if not stream:
            return self._engine.reply(prompt, tools)
        with closing(stream_reply(self._engine, prompt, tools)) as pieces:
            for piece in pieces:
                if isinstance(piece, Reply):
                    return piece
                if piece:
                    self.shown += piece
                    yield piece
        raise ModelError(f"the stream of model {self._engine.name!r} ended without a reply")

    def _take(self, step: int, reply: Reply) -> tuple[Message, ...]:
        """Call the tools that a reply asks for, in order, and store the calls with the results."""
        calls = _with_ids(reply.tool_calls, f"call_{self._context.turn}_{self._begun + step}")
        told = [self._result(call) for call in calls]
        if any(text.startswith(FORGOTTEN) for text in told):
            # What another call of the step has found may be what is now forgotten.
            told = [
                SINCE_FORGOTTEN if call["function"]["name"] == "search_memory" else text
                for call, text in zip(calls, told, strict=True)
            ]
        results = [
            MessageDraft("tool", text, tool_call_id=call["id"])
            for call, text in zip(calls, told, strict=True)
        ]
        asked = MessageDraft("assistant", reply.text, tool_calls=tuple(map(_readable, calls)))
        return self._store([asked, *results])

    def _result(self, call: dict[str, Any]) -> str:
        function = call["function"]
        return self._tools.call(function["name"], function["arguments"], self._context)


def _with_ids(calls: Sequence[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """The calls, each with an id of its own: some servers give none, or one twice."""
    taken: set[str] = set()
    named = []
    for number, call in enumerate(calls):
        call_id = call.get("id") or ""
        if not call_id or call_id in taken:
            call_id = f"{prefix}_{number}"
        taken.add(call_id)
        named.append(call | {"id": call_id})
    return named


def _readable(call: dict[str, Any]) -> dict[str, Any]:
    """The call as it may stand in a history: servers refuse one whose arguments are no object.

    Its letters are written out, so that forgetting finds what it says.
    """
    function = call["function"]
    arguments = function["arguments"] or "{}"
    try:
        read = json.loads(arguments)
        if not isinstance(read, dict):
            arguments = "{}"
        elif "\\u" in arguments:
            arguments = clean(json.dumps(read, ensure_ascii=False))
    except (ValueError, RecursionError):
        arguments = "{}"
    return call | {"function": function | {"arguments": arguments}}
