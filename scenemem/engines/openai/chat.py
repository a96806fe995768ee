"""Chat models: what the model engine needs of one, and any model behind an OpenAI-compatible API.

A `ChatModel` has one method, `complete`. `OpenAIChat` owns all retries, learns which settings and
which form of its address the server accepts, and raises every fault as a `ModelError`. Servers that
call themselves compatible leave things out: choices, usage, the content of a message. The readers
of their answers here accept any JSON value and never raise.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from scenemem.base.checks import function_given, int_given, number_given
from scenemem.base.text import clean, estimate_tokens
from scenemem.engines.openai.connection import (
    Accepted,
    Endpoint,
    ServerConnection,
    Wanted,
    adapted,
)
from scenemem.engines.openai.faults import Fault

__all__ = [
    "LONGEST_WAIT",
    "MOST_TRIES",
    "ChatModel",
    "Completion",
    "OpenAIChat",
    "StreamReader",
    "StreamingChatModel",
    "Tokens",
    "estimate_prompt",
    "read_completion",
]

MOST_TRIES = 3  # requests per call, while they fail for reasons that may pass
LONGEST_WAIT = 20.0  # seconds between two of them; if the server asks for more, the call fails
_FIRST_WAIT = 0.5
_MESSAGE_TOKENS = 4  # what a message's role and separators add to its text
_log = logging.getLogger("scenemem")
_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call, as counted by the server."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a chat model.

    `tool_calls` have the chat API's shape: `{"id", "type": "function", "function": {"name",
    "arguments"}}`, with the arguments as JSON text. `finish_reason` is "stop", "length" (the token
    limit was reached), "tool_calls", "content_filter", or "broken" for a stream that ended early,
    with the reason in `error`. `refusal` is what the model said if it declined. `usage` is None if
    the server did not report it.
    """

    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str = "stop"
    usage: Tokens | None = None
    refusal: str | None = None
    error: str | None = None


def estimate_prompt(prompt: Sequence[Mapping[str, Any]]) -> int:
    """Roughly how many tokens a chat takes, without a tokenizer."""
    return sum(
        estimate_tokens(str(message.get("content") or "")) + _MESSAGE_TOKENS for message in prompt
    )


class ChatModel(Protocol):
    """A language model that completes chats."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

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
        """One answer to `messages`, which have the chat API's shape (`role`, `content`, …).

        `schema` is a JSON schema that the answer should follow, if the model can be held to one;
        it may carry a `title`. `tools` are tool specifications of the chat API. `max_tokens` and
        `temperature` default to the model's own settings. `purpose` is one word for what the
        answer is for. Raises `ModelError`.
        """
        ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A chat model that can also stream its answers."""

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        purpose: str = "reply",
    ) -> Iterator[str | Completion]:
        """The pieces of the answer's text as they arrive, then one `Completion` with all of it.

        A stream that breaks after its first piece ends in a `Completion` with what arrived,
        `finish_reason="broken"` and the reason in `error`. Raises `ModelError` before the first
        piece, like `complete`.
        """
        ...


# -- a model behind an OpenAI-compatible API -------------------------------------------------


class OpenAIChat:
    """A model behind an OpenAI-compatible chat API; threads may share it.

    `base_url` is the server's address, with or without `/v1`. It defaults to that of the `openai`
    package: `OPENAI_BASE_URL` from the environment, or OpenAI. A server on this machine or a
    private network needs no `api_key`; for any other it defaults to `OPENAI_API_KEY` from the
    environment. Nothing else is read from the environment.

    `timeout` is in seconds, per request. `temperature` and `max_tokens` apply unless a call sets
    its own; None leaves the setting out of every request, for models that refuse it or to use the
    model's own default.

    Rate limits, 5xx, timeouts and broken connections are retried: at most `MOST_TRIES` (3)
    requests per call, waiting as long as the server asks, but never more than `LONGEST_WAIT`
    (20 s); if it asks for more, the call fails at once. Wrong keys and bad requests are not
    retried. A setting or an address that the server refuses (`max_tokens`, `temperature`,
    `response_format`, `tools`, the address without `/v1`) is dropped or replaced at the cost of
    one request, and this instance remembers it.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        temperature: float | None = 0.1,
        max_tokens: int | None = 500,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if temperature is not None:
            number_given("temperature", temperature, 0)
        if max_tokens is not None:
            int_given("max_tokens", max_tokens, 1)
        function_given("sleep", sleep)
        self._connection = ServerConnection(_CHAT, model, base_url, api_key, timeout)
        self._accepted = Accepted()
        self._learning = threading.Lock()
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._sleep = sleep

    @property
    def model(self) -> str:
        """The model's name, as the server knows it."""
        return self._connection.model

    @property
    def address(self) -> str:
        """The full address that requests go to."""
        return self._connection.address

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, {self.address!r})"

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
        """One answer; see `ChatModel.complete`.

        Raises `ModelUnavailableError` if the server can't be reached or stays too busy,
        `PromptTooLongError` or `ModelRequestError` if it refuses, `ModelError` if its answer holds
        no choices.
        """
        wanted = Wanted(schema, tools, *self._defaults(max_tokens, temperature))
        document = self._with_retries(self._connection.post, messages, wanted, purpose)
        completion = read_completion(document)
        assert completion is not None  # the connection has checked it
        return completion

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        purpose: str = "reply",
    ) -> Generator[str | Completion, None, None]:
        """The answer's text in pieces, then the `Completion`; see `StreamingChatModel.stream`.

        Closing the iterator ends the request.
        """
        wanted = Wanted(None, tools, *self._defaults(max_tokens, temperature), stream=True)
        reader = StreamReader()
        broken: str | None = None
        with closing(
            self._with_retries(self._connection.stream, messages, wanted, purpose)
        ) as events:
            try:
                for event in events:
                    if piece := reader.read(event):
                        yield piece
            except Fault as fault:
                broken = str(fault.error)
        if reader.is_empty and not broken:
            # The server does not know how to stream: ask for the whole answer.
            completion = self.complete(
                messages,
                tools=tools,
                max_tokens=max_tokens,
                temperature=temperature,
                purpose=purpose,
            )
            if completion.text:
                yield completion.text
            yield completion
            return
        if not broken and not reader.is_done:
            broken = f"{self._connection.asked} ended its stream without saying that it was done"
        yield reader.completion(error=broken)

    def _defaults(
        self, max_tokens: int | None, temperature: float | None
    ) -> tuple[int | None, float | None]:
        return (
            _unless_left_out(max_tokens, self._max_tokens),
            _unless_left_out(temperature, self._temperature),
        )

    def _with_retries(
        self,
        request: Callable[[dict[str, Any]], _T],
        messages: Sequence[Mapping[str, Any]],
        wanted: Wanted,
        purpose: str,
    ) -> _T:
        # tenacity loads asyncio, which nothing else here needs: not before the first request
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        chat = {"model": self.model, "messages": [_sendable(message) for message in messages]}
        retrying = Retrying(
            retry=retry_if_exception(_is_worth_another_try),
            stop=stop_after_attempt(MOST_TRIES),
            wait=_pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer: _T = retrying(self._send, request, chat, wanted)
            return answer
        except Fault as fault:
            _log.debug("%s failed: %s", purpose, fault.error)
            raise fault.error from fault.__cause__

    def _send(
        self,
        request: Callable[[dict[str, Any]], _T],
        chat: Mapping[str, Any],
        wanted: Wanted,
    ) -> _T:
        """Send the request; if the server refuses a setting, send it again without that setting."""
        while True:
            accepted = self._accepted
            settings = accepted.settings(wanted)
            try:
                return request({**chat, **settings})
            except Fault as fault:
                fewer = adapted(accepted, fault, settings)
                if fewer is None:
                    raise
                with self._learning:
                    if self._accepted is accepted:  # else another thread learned something first
                        _log.info("%s; continuing without it", fault.error)
                        self._accepted = fewer


def _unless_left_out(asked: _Number | None, default: _Number | None) -> _Number | None:
    """What a call asks for, unless the setting is left out of every request."""
    return default if default is None or asked is None else asked


def _sendable(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message without lone surrogates, which no request can carry."""
    return {name: clean(part) if isinstance(part, str) else part for name, part in message.items()}


def _is_worth_another_try(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.again and (error.wait or 0.0) <= LONGEST_WAIT


def _pause(state: Any) -> float:
    """Seconds until the next try: as the server asks, or growing from half a second."""
    error = state.outcome.exception()
    if isinstance(error, Fault) and error.wait is not None:
        return error.wait
    return float(_FIRST_WAIT * 4 ** (state.attempt_number - 1))


# -- reading answers -------------------------------------------------------------------------


def read_completion(document: object) -> Completion | None:
    """The completion in an answer of the chat API; None if it holds no choice."""
    choice = _first_choice(document)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return None
    return Completion(
        text=clean(_text_of(message.get("content"))),
        tool_calls=tuple(_calls_of(message)),
        finish_reason=_finish_reason_of(choice) or "stop",
        usage=_tokens_of(document),
        refusal=_refusal_of(message),
    )


_CHAT = Endpoint(
    "/chat/completions",
    "choices",
    lambda client: client.chat.completions,
    lambda document: read_completion(document) is not None,
)


@dataclass
class StreamReader:
    """Assembles a streamed answer from its events; `read` returns the text that each one adds.

    `is_empty` is True until the first event. Half a surrogate pair waits for its other half.
    """

    _text: list[str] = field(default_factory=list)
    _refusal: list[str] = field(default_factory=list)
    _calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)  # each with its index
    _finish_reason: str | None = None
    _usage: Tokens | None = None
    _half_pair: str = ""
    is_empty: bool = True

    def read(self, event: object) -> str:
        """Take in one event; return the piece of text in it, which may be empty."""
        self.is_empty = False
        self._usage = _tokens_of(event) or self._usage
        choice = _first_choice(event)
        self._finish_reason = _finish_reason_of(choice) or self._finish_reason
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return ""
        for call in _mappings(delta.get("tool_calls")):
            self._add_call(call)
        self._refusal.append(_text_of(delta.get("refusal")))
        piece = _text_of(delta.get("content"))
        self._text.append(piece)
        return self._with_whole_pairs(piece)

    def _with_whole_pairs(self, piece: str) -> str:
        piece, self._half_pair = self._half_pair + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half_pair = piece[:-1], piece[-1]
        return clean(piece)

    def _add_call(self, delta: Mapping[str, Any]) -> None:
        function = delta.get("function")
        sent = function if isinstance(function, Mapping) else {}
        call_id = str(delta.get("id") or "")
        name, arguments = _text_of(sent.get("name")), _text_of(sent.get("arguments"))
        call = self._call_at(delta.get("index"), call_id, name, arguments)
        call["id"] = call["id"] or call_id
        if name != call["function"]["name"]:  # some servers repeat it in each piece
            call["function"]["name"] += name
        call["function"]["arguments"] += arguments

    def _call_at(self, index: object, call_id: str, name: str, arguments: str) -> dict[str, Any]:
        """The call that a piece continues, or a new one.

        Servers that send whole calls leave the index out, or give 0 to every one of them.
        """
        place = index if isinstance(index, int) else None
        begun = [call for at, call in self._calls if place is None or at == place]
        if begun:
            last = begun[-1]
            has_its_id = bool(call_id) and call_id == last["id"]
            is_whole_one = place is None and bool(name)
            if has_its_id or not (is_whole_one or _begins_a_call(last, call_id, name, arguments)):
                return last
        call: dict[str, Any] = {
            "id": "",
            "type": "function",
            "function": {"name": "", "arguments": ""},
        }
        self._calls.append((len(self._calls) if place is None else place, call))
        return call

    def _calls_in_order(self) -> tuple[dict[str, Any], ...]:
        return tuple(call for _, call in sorted(self._calls, key=lambda placed: placed[0]))

    @property
    def is_done(self) -> bool:
        """Whether the server said why the answer ends."""
        return self._finish_reason is not None

    def completion(self, error: str | None = None) -> Completion:
        """What has arrived so far; with an `error`, as a stream that broke."""
        return Completion(
            text=clean("".join(self._text)),
            tool_calls=() if error else self._calls_in_order(),
            finish_reason="broken" if error else self._finish_reason or "stop",
            usage=self._usage,
            refusal=clean("".join(self._refusal)) or None,
            error=error,
        )


def _begins_a_call(begun: Mapping[str, Any], call_id: str, name: str, arguments: str) -> bool:
    """Whether a piece with another id, or none, begins a call beside `begun` at its index.

    A new id alone proves nothing: some servers make one up for every piece of a call.
    """
    can_not_follow = bool(arguments.strip()) and _are_complete(begun["function"]["arguments"])
    if call_id and begun["id"]:
        return bool(name) or can_not_follow
    return bool(name) and can_not_follow


def _are_complete(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _first_choice(document: object) -> Mapping[str, Any]:
    choices = document.get("choices") if isinstance(document, Mapping) else None
    return next(iter(_mappings(choices)), {})


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []


def _text_of(content: object) -> str:
    """Text given as a string or in parts; parts that are not the answer (thoughts) are left out."""
    if isinstance(content, str):
        return content
    parts = [part for part in _mappings(content) if part.get("type") in ("text", "output_text")]
    return "".join(str(part.get("text") or "") for part in parts)


def _calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = []
    for call in _mappings(message.get("tool_calls")):
        function = call.get("function")
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        arguments = function.get("arguments")
        calls.append(
            {
                "id": str(call.get("id") or ""),
                "type": "function",
                "function": {
                    "name": function["name"],
                    "arguments": arguments if isinstance(arguments, str) else _as_json(arguments),
                },
            }
        )
    return calls


def _as_json(arguments: object) -> str:
    return json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)


def _finish_reason_of(choice: Mapping[str, Any]) -> str | None:
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) and reason else None


def _refusal_of(message: Mapping[str, Any]) -> str | None:
    refusal = message.get("refusal")
    return clean(refusal) if isinstance(refusal, str) and refusal.strip() else None


def _tokens_of(document: object) -> Tokens | None:
    usage = document.get("usage") if isinstance(document, Mapping) else None
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Tokens(prompt, completion)
