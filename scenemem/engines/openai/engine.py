"""ModelEngine: the engine over a chat model; it extracts, summarizes, condenses and replies.

If the model is down or returns garbage, nothing is lost: an unusable answer is a `ModelError` or an
`Extraction` with an error, never an empty result, and the work is retried later. Every request is
bounded in size, however much there is to read, and every call is counted by purpose.
"""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from scenemem.base.checks import function_given, int_given, object_given
from scenemem.base.errors import ModelError
from scenemem.base.loss_check import check_loss, trim_words
from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import Cell, Message, Scene, now_utc
from scenemem.base.session_records import Exchange
from scenemem.base.text import estimate_tokens
from scenemem.engines.engine import (
    LEAST_SUMMARY_WORDS,
    SUMMARY_WORDS,
    Economy,
    Extraction,
    MemoryView,
    Prompt,
    Reply,
    SceneSummary,
    UsageListener,
)
from scenemem.engines.openai.chat import (
    ChatModel,
    Completion,
    StreamingChatModel,
    estimate_prompt,
)
from scenemem.engines.openai.extraction import SMALLEST_BUDGET, ExtractionPass
from scenemem.engines.openai.prompts import (
    Part,
    Piece,
    bounded_cells,
    cells_schema,
    chat_messages,
    condense_messages,
    extraction_messages,
    history_text,
    parts_of_pieces,
    summary_messages,
)
from scenemem.engines.openai.replies import (
    CellReply,
    ThoughtFilter,
    parse_cells,
    read_condensed,
    read_summary,
    without_thoughts,
)

__all__ = ["ModelEngine", "Purpose", "Usage"]

Purpose = Literal["extract", "summarize", "condense", "reply"]
_log = logging.getLogger("scenemem")
_USABLE_WINDOW = 0.75  # share of the window that is planned with, since token counts are estimates
_HISTORY = 0.4  # share of the window that a session's history may take
_EXTRACT_TOKENS = 500  # tokens of an answer about one turn
_EXTRACT_MORE = 150  # for each further turn
_MOST_ANSWER = 2000
_TOKENS_OF_A_WORD = 2.5  # of a summary, at most
_CELLS_TOKENS = 900  # tokens of cells that one summary is made from
_SUMMARY_TEMPERATURE = 0.05


@dataclass(frozen=True, slots=True)
class Usage:
    """The model calls of one purpose: how many, how many failed, and their tokens.

    `estimated` is the number of calls whose tokens the server did not report.
    """

    calls: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0

    def with_record(self, record: UsageRecord) -> Usage:
        """The usage with one more call."""
        return Usage(
            self.calls + 1,
            self.failed + record.failed,
            self.prompt_tokens + record.prompt_tokens,
            self.completion_tokens + record.completion_tokens,
            self.estimated + record.estimated,
        )


class _Shared:
    """What all calls of an engine share: totals, the caller's hook, the budget.

    `turns_budget` is how many tokens of conversation one extraction request may hold; it only
    shrinks, when the model's window turns out to be smaller than thought.
    """

    def __init__(self, on_usage: UsageListener | None) -> None:
        self.on_usage = on_usage
        self.totals: dict[Purpose, Usage] = {}
        self.turns_budget = 0
        self._lock = threading.Lock()

    def count(self, purpose: Purpose, record: UsageRecord) -> None:
        with self._lock:
            self.totals[purpose] = self.totals.get(purpose, Usage()).with_record(record)

    def shrink_budget(self, budget: int) -> None:
        with self._lock:
            self.turns_budget = min(self.turns_budget, budget)


class ModelEngine:
    """An engine over any `ChatModel`.

    `window` is how many tokens a prompt and its answer may take together; if the model's turns out
    to be smaller, requests get smaller. `turns_per_call` is how many waiting turns are read in one
    call. `condensed_words` bounds the summary of a session, `summary_words` that of a scene. These
    settings are fixed once the engine is made.

    `on_usage` is called after every model call, in the thread that made it, whatever memory the
    call was for. Managers and compactors count their calls in their own memory through
    `metered_by`, so one engine may serve several memories and threads at once.
    """

    # The listener stands beside the attributes, which an engine and its metered views share.
    __slots__ = ("__dict__", "__weakref__", "_listener")
    _listener: UsageListener | None

    def __init__(
        self,
        chat: ChatModel,
        *,
        window: int = 8000,
        turns_per_call: int = 6,
        condensed_words: int = 250,
        summary_words: int = SUMMARY_WORDS,
        on_usage: UsageListener | None = None,
    ) -> None:
        object_given("chat", chat, "a ChatModel", "complete")
        if on_usage is not None:
            function_given("on_usage", on_usage)
        for name, value, least in (
            ("window", window, 1000),
            ("turns_per_call", turns_per_call, 1),
            ("condensed_words", condensed_words, 50),
            ("summary_words", summary_words, LEAST_SUMMARY_WORDS),
        ):
            int_given(name, value, least)
        self._chat = chat
        self._window = window
        self._turns_per_call = turns_per_call
        self._condensed_words = condensed_words
        self._summary_words = summary_words
        self._listener = None
        self._shared = _Shared(on_usage)
        self._shared.turns_budget = self._room(extraction_messages([], [], []))

    @property
    def chat(self) -> ChatModel:
        """The model that is asked."""
        return self._chat

    @property
    def window(self) -> int:
        """How many tokens a prompt and its answer may take together."""
        return self._window

    @property
    def turns_per_call(self) -> int:
        """How many waiting turns are read in one call, at most."""
        return self._turns_per_call

    @property
    def condensed_words(self) -> int:
        """How many words the summary of a session has, at most."""
        return self._condensed_words

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.model

    @property
    def quotes_memory(self) -> bool:
        """False: a model's replies are its own words."""
        return False

    @property
    def economy(self) -> Economy:
        """Few turns at a time, so that little is lost if it is stopped; few summaries."""
        return Economy(
            batch=2 * self._turns_per_call,
            consolidate_after=40,
            summary_cells=40,
            history_tokens=int(self._window * _HISTORY),
            summary_words=self._summary_words,
        )

    # -- usage -------------------------------------------------------------------------------

    def metered_by(self, listener: UsageListener) -> Self:
        """This engine, but every call made through the returned one is also told to `listener`.

        The result is of the same class and has the same attributes, those of a subclass included:
        what is set on one is set on both. Only the listener is its own; it takes the place of one
        that this engine was metered by.
        """
        view = copy.copy(self)
        view.__dict__ = self.__dict__  # not a copy: what a subclass counts must not split
        view._listener = listener
        return view

    @property
    def usage(self) -> Mapping[Purpose, Usage]:
        """Calls and tokens by purpose since this engine was made, for all memories together."""
        return dict(self._shared.totals)

    @property
    def on_usage(self) -> UsageListener | None:
        """Called after every model call, for all memories; may be set at any time."""
        return self._shared.on_usage

    @on_usage.setter
    def on_usage(self, listener: UsageListener | None) -> None:
        self._shared.on_usage = listener

    def _count(
        self, purpose: Purpose, chat: Sequence[Mapping[str, Any]], completion: Completion | None
    ) -> None:
        """Count one call; without a completion it has failed."""
        record = _usage_record(self.name, purpose, chat, completion)
        self._shared.count(purpose, record)
        for listener in (self._listener, self._shared.on_usage):
            if listener is not None:
                listener(record)

    # -- the four verbs ----------------------------------------------------------------------

    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        """One `Extraction` per exchange, in order; see `Engine.extract`."""
        reading = ExtractionPass(
            self._ask_for_cells,
            memory,
            budget=self._shared.turns_budget,
            most=self._turns_per_call,
        )
        try:
            return reading.run(exchanges)
        finally:
            self._shared.shrink_budget(reading.budget)

    def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
        """A summary of at most `summary_words`; what it lost of the cells is added, if it fits.

        Raises `ModelError` if the model fails, or its summary lost too much.
        """
        words, told = self._summary_words, self.economy.told_words
        limit = int(round(_TOKENS_OF_A_WORD * words, -1))
        room = min(self._room(summary_messages(scene, [], told), limit), _CELLS_TOKENS)
        chat = summary_messages(scene, bounded_cells(cells, room), told)
        completion = self._complete(
            "summarize", chat, max_tokens=limit, temperature=_SUMMARY_TEMPERATURE
        )
        checked = check_loss(read_summary(self._text_of(completion)), cells, most=words)
        if not checked.is_acceptable:
            raise ModelError(
                f"the summary of {scene.scene!r} by model {self.name!r} keeps only "
                f"{checked.kept:.0%} of what its cells say; the scene keeps its old summary"
            )
        return SceneSummary(checked.text)

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """The session so far in at most `condensed_words` words; a long one takes several calls.

        Raises `ModelError` if the model fails; there is no partial result.
        """
        pieces = [Piece(m, text) for m in messages if (text := history_text(m))]
        limit = 2 * self._condensed_words
        previous = trim_words(previous, self._condensed_words)
        room = self._room(condense_messages([], previous, self._condensed_words), limit)
        parts, left_out = parts_of_pieces(0, pieces, room)
        if left_out:
            _log.warning("the history is long: %s", left_out)
        for part in parts:
            chat = condense_messages([part], previous, self._condensed_words)
            completion = self._complete(
                "condense", chat, max_tokens=limit, temperature=_SUMMARY_TEMPERATURE
            )
            notes = read_condensed(self._text_of(completion))
            previous = trim_words(notes, self._condensed_words)
        return previous

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The answer to the last message of `prompt`, or the tool calls that the model asks for.

        Raises `ModelError` if there is neither.
        """
        chat = chat_messages(prompt.system, prompt.messages)
        return self._reply_of(self._complete("reply", chat, tools=tools))

    def reply_stream(
        self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()
    ) -> Iterator[str | Reply]:
        """The answer's text in pieces as they arrive, then always the whole `Reply`.

        A stream that breaks keeps what arrived, with the reason in `Reply.broken`. Raises
        `ModelError` if nothing arrived at all.
        """
        chat = chat_messages(prompt.system, prompt.messages)
        if not isinstance(self._chat, StreamingChatModel):
            reply = self._reply_of(self._complete("reply", chat, tools=tools))
            if reply.text:
                yield reply.text
            yield reply
            return
        answer = ThoughtFilter()
        completion: Completion | None = None
        try:
            for piece in self._chat.stream(chat, tools=tools, purpose="reply"):
                if isinstance(piece, Completion):
                    completion = piece
                elif text := answer.feed(piece):
                    yield text
        finally:
            self._count("reply", chat, completion)
        if rest := answer.rest():
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
        declined = _why_declined(completion)
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
            completion = self._chat.complete(
                chat,
                schema=schema,
                tools=tools,
                max_tokens=max_tokens,
                temperature=temperature,
                purpose=purpose,
            )
        finally:
            self._count(purpose, chat, completion)
        return completion

    def _room(self, chat: list[dict[str, Any]], answer: int = _EXTRACT_TOKENS) -> int:
        """How many tokens are left for data beside a prompt without data and its answer."""
        usable = int(self._window * _USABLE_WINDOW)
        return max(usable - estimate_prompt(chat) - answer, SMALLEST_BUDGET)

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
        if declined := _why_declined(completion):
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


def _why_declined(completion: Completion) -> str | None:
    """Why the model or its server's content filter did not answer; None if there is an answer."""
    if completion.refusal:
        return f"the model declined: {completion.refusal}"
    if completion.finish_reason == "content_filter":
        return "the server's content filter held the answer back"
    return None


def _usage_record(
    model: str,
    purpose: Purpose,
    chat: Sequence[Mapping[str, Any]],
    completion: Completion | None,
) -> UsageRecord:
    """What one call used; estimated if the server did not report it, nothing if the call failed."""
    at = now_utc()
    if completion is None:
        return UsageRecord(at, model, purpose, 0, 0, failed=True)
    if completion.usage is None:
        answered = estimate_tokens(completion.text)
        return UsageRecord(at, model, purpose, estimate_prompt(chat), answered, estimated=True)
    tokens = completion.usage
    return UsageRecord(at, model, purpose, tokens.prompt, tokens.completion)
