"""ModelEngine: the engine over a chat model; it extracts, summarizes, condenses and replies.

Whatever a model does, it costs nothing but a later try: an answer that can't be used is a
`ModelError`, or an `Extraction` with an error, never an empty result. Every request is bounded in
size, however much there is to read, and every call is counted by purpose.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scenemem.base.errors import ModelError
from scenemem.base.loss_check import check_loss, trim_words
from scenemem.base.records import Cell, Exchange, Message, Scene
from scenemem.engines.engine import Economy, Extraction, MemoryView, Prompt, Reply, SceneSummary
from scenemem.engines.openai.cell_reply import CellReply, parse_cells
from scenemem.engines.openai.chat_history import chat_messages, history_text
from scenemem.engines.openai.chat_model import ChatModel, Completion, StreamingChatModel
from scenemem.engines.openai.extraction import SMALLEST_BUDGET, ExtractionPass
from scenemem.engines.openai.extraction_prompt import cells_schema, extraction_messages
from scenemem.engines.openai.summary_prompts import (
    bounded_cells,
    condense_messages,
    read_condensed,
    read_summary,
    summary_messages,
)
from scenemem.engines.openai.thinking import ThoughtFilter, without_thoughts
from scenemem.engines.openai.transcript import Part, Piece, parts_of_pieces
from scenemem.engines.openai.usage import Purpose, Usage, UsageMeter, UsageRecord, estimate_prompt

__all__ = ["ModelEngine"]

_log = logging.getLogger("scenemem")
_FILLED = 0.75  # share of the window that is planned with: token counts are estimates
_HISTORY = 0.4  # share of the window that a session's history may take
_EXTRACT_TOKENS = 500  # tokens of an answer about one turn
_EXTRACT_MORE = 150  # for each further turn
_MOST_ANSWER = 2000
_SUMMARY_TOKENS = 250
_CELLS_TOKENS = 900  # tokens of cells that one summary is made from
_SUMMARY_TEMPERATURE = 0.05


class ModelEngine:
    """An engine over any `ChatModel`.

    `window` is how many tokens a prompt and its answer may have together; where the model's is
    found to be smaller, requests get smaller. `turns_per_call` is how many waiting turns are read
    in one call. `condensed_words` bounds the summary of a session. `on_usage` is called with each
    model call, after it, in the thread that made it.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        window: int = 8000,
        turns_per_call: int = 6,
        condensed_words: int = 250,
        on_usage: Callable[[UsageRecord], None] | None = None,
    ) -> None:
        if window < 1000:
            raise ValueError(f"window is {window}; it is a number of tokens from 1000")
        if turns_per_call < 1 or condensed_words < 50:
            raise ValueError("turns_per_call is a whole number from 1, condensed_words one from 50")
        self.chat = chat
        self.window = window
        self.turns_per_call = turns_per_call
        self.condensed_words = condensed_words
        self._meter = UsageMeter(chat.model, on_usage)
        self._turns_budget = max(self._room(extraction_messages([], [], [])), SMALLEST_BUDGET)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.chat.model

    @property
    def quotes_memory(self) -> bool:
        """False: a model's replies are its own words."""
        return False

    @property
    def economy(self) -> Economy:
        """Few turns at a time, so that little is lost when it is stopped; few summaries."""
        return Economy(
            batch=2 * self.turns_per_call,
            consolidate_after=40,
            summary_cells=40,
            history_tokens=int(self.window * _HISTORY),
        )

    @property
    def usage(self) -> Mapping[Purpose, Usage]:
        """Calls and tokens by purpose, since this engine was made."""
        return dict(self._meter.by_purpose)

    @property
    def on_usage(self) -> Callable[[UsageRecord], None] | None:
        """What is called with each model call."""
        return self._meter.on_usage

    @on_usage.setter
    def on_usage(self, callback: Callable[[UsageRecord], None] | None) -> None:
        self._meter.on_usage = callback

    # -- the four verbs ----------------------------------------------------------------------

    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        """One `Extraction` for each exchange, in their order; see `engine.Engine.extract`."""
        reading = ExtractionPass(
            self._ask_for_cells, memory, budget=self._turns_budget, most=self.turns_per_call
        )
        try:
            return reading.run(exchanges)
        finally:
            self._turns_budget = reading.budget

    def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
        """A summary of under 100 words; what it lost of the cells is added, as far as it fits.

        Raises `ModelError` when the model fails, or its summary lost too much.
        """
        room = min(self._room(summary_messages(scene, []), _SUMMARY_TOKENS), _CELLS_TOKENS)
        prompt = summary_messages(scene, bounded_cells(cells, room))
        completion = self._complete(
            "summarize", prompt, max_tokens=_SUMMARY_TOKENS, temperature=_SUMMARY_TEMPERATURE
        )
        checked = check_loss(read_summary(self._text_of(completion)), cells)
        if not checked.is_acceptable:
            raise ModelError(
                f"the summary of {scene.scene!r} by model {self.name!r} keeps {checked.kept:.0%} "
                "of what its cells tell; the scene keeps the one it has"
            )
        return SceneSummary(checked.text)

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """The session so far in at most `condensed_words` words, in several calls if it is long.

        Raises `ModelError` when the model fails; there is no partial result.
        """
        pieces = [Piece(m, text) for m in messages if (text := history_text(m))]
        limit = 2 * self.condensed_words
        previous = trim_words(previous, self.condensed_words)
        room = self._room(condense_messages([], previous, self.condensed_words), limit)
        parts, left_out = parts_of_pieces(0, pieces, room)
        if left_out:
            _log.warning("the history is long: %s", left_out)
        for part in parts:
            prompt = condense_messages([part], previous, self.condensed_words)
            completion = self._complete(
                "condense", prompt, max_tokens=limit, temperature=_SUMMARY_TEMPERATURE
            )
            notes = read_condensed(self._text_of(completion))
            previous = trim_words(notes, self.condensed_words)
        return previous

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The answer to the last message of `prompt`, or the tool calls that it asks for.

        Raises `ModelError` when there is neither.
        """
        chat = chat_messages(prompt.system, prompt.messages)
        return self._reply_of(self._complete("reply", chat, tools=tools))

    def reply_stream(
        self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()
    ) -> Iterator[str | Reply]:
        """The answer's text in pieces as they come, and the whole `Reply` last, always.

        A stream that breaks keeps what came, and says why in `Reply.broken`. Raises `ModelError`
        when nothing came at all.
        """
        chat = chat_messages(prompt.system, prompt.messages)
        if not isinstance(self.chat, StreamingChatModel):
            reply = self._reply_of(self._complete("reply", chat, tools=tools))
            if reply.text:
                yield reply.text
            yield reply
            return
        shown = ThoughtFilter()
        completion: Completion | None = None
        try:
            for piece in self.chat.stream(chat, tools=tools, purpose="reply"):
                if isinstance(piece, Completion):
                    completion = piece
                elif text := shown.feed(piece):
                    yield text
        finally:
            self._meter.note("reply", chat, completion)
        if rest := shown.rest():
            yield rest
        if completion is None:
            raise ModelError(f"the stream of model {self.name!r} ended without a completion")
        yield self._reply_of(completion)

    # -- requests ----------------------------------------------------------------------------

    def _ask_for_cells(
        self, parts: Sequence[Part], scenes: Sequence[Scene], known: Sequence[str], rest: bool
    ) -> CellReply:
        limit = _EXTRACT_TOKENS + _EXTRACT_MORE * (len(parts) - 1)
        completion = self._complete(
            "extract",
            extraction_messages(parts, scenes, known),
            schema=cells_schema(len(parts), len(known)),
            max_tokens=min(2 * limit if rest else limit, _MOST_ANSWER),
        )
        declined = _declined(completion)
        if declined:
            return CellReply(failed=declined)
        return parse_cells(completion.text, completion.finish_reason)

    def _complete(
        self,
        purpose: Purpose,
        chat: list[dict[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[dict[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        completion: Completion | None = None
        try:
            completion = self.chat.complete(
                chat,
                schema=schema,
                tools=tools,
                max_tokens=max_tokens,
                temperature=temperature,
                purpose=purpose,
            )
        finally:
            self._meter.note(purpose, chat, completion)
        return completion

    def _room(self, prompt: list[dict[str, Any]], answer: int = _EXTRACT_TOKENS) -> int:
        """The tokens that are left for data beside a prompt and its answer."""
        return max(int(self.window * _FILLED) - estimate_prompt(prompt) - answer, SMALLEST_BUDGET)

    # -- answers -----------------------------------------------------------------------------

    def _reply_of(self, completion: Completion) -> Reply:
        broken = completion.error
        if completion.finish_reason == "length":
            broken = "the reply reached the token limit"
        if completion.tool_calls:
            return Reply(without_thoughts(completion.text), completion.tool_calls, broken)
        text = without_thoughts(completion.text) or completion.refusal or ""
        if not text:
            raise ModelError(self._why_empty(completion))
        return Reply(text, broken=broken)

    def _text_of(self, completion: Completion) -> str:
        if declined := _declined(completion):
            raise ModelError(f"model {self.name!r}: {declined}")
        if not without_thoughts(completion.text):
            raise ModelError(self._why_empty(completion))
        return completion.text

    def _why_empty(self, completion: Completion) -> str:
        if completion.error:
            return completion.error
        if completion.finish_reason == "length":
            why = "it reached the token limit before its answer; raise `max_tokens`"
        elif completion.finish_reason == "content_filter":
            why = "the server's content filter held it back"
        else:
            why = f"finish_reason is {completion.finish_reason!r}"
        return f"model {self.name!r} answered without text: {why}"


def _declined(completion: Completion) -> str | None:
    """Why the model, or its server's filter, would not answer; None when it did."""
    if completion.refusal:
        return f"the model declined: {completion.refusal}"
    if completion.finish_reason == "content_filter":
        return "the server's content filter held the answer back"
    return None
