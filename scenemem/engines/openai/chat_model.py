"""Chat models: one method wide, and the one that speaks to any OpenAI-compatible server.

`ChatModel` is what the model engine needs of a model. `OpenAIChat` reaches one through the `openai`
package. It owns all retries, learns which settings and which form of the address the server takes,
and remembers it; every fault is a `ModelError` of one sentence.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol, TypeVar, runtime_checkable

from scenemem.base.errors import PromptTooLongError
from scenemem.engines.openai.adaption import Accepted, Refusal, adapt
from scenemem.engines.openai.completion import (
    Completion,
    StreamReader,
    Tokens,
    read_completion,
    whole,
)
from scenemem.engines.openai.connection import ServerConnection
from scenemem.engines.openai.faults import Fault

__all__ = [
    "LONGEST_WAIT",
    "MOST_TRIES",
    "ChatModel",
    "Completion",
    "OpenAIChat",
    "StreamingChatModel",
    "Tokens",
]

MOST_TRIES = 3  # requests of one call, when they fail for a fault that may pass
LONGEST_WAIT = 20.0  # seconds between two of them; a server that asks for more is not waited for
_FIRST_WAIT = 0.5
_log = logging.getLogger("scenemem")
_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)


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
        it may carry a `title`. `tools` are the chat API's tool specifications. `max_tokens` and
        `temperature` default to the model's own settings. `purpose` says what the answer is for,
        in one word. Raises `ModelError`.
        """
        ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A chat model that can also deliver its answer as it comes."""

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        purpose: str = "reply",
    ) -> Iterator[str | Completion]:
        """The pieces of the answer's text as they come, and one `Completion` of all of it last.

        A stream that breaks after its first piece ends in a `Completion` with what came,
        `finish_reason="broken"` and the reason in `error`. Raises `ModelError` before the first
        piece, as `complete` does.
        """
        ...


class OpenAIChat:
    """A model behind an OpenAI-compatible chat API.

    `base_url` is the server's address, with or without `/v1` and slashes; by default the `openai`
    package's own, which is OpenAI unless the environment's `OPENAI_BASE_URL` says otherwise.
    `api_key` is not needed for a server on this machine or a private network; for any other, the
    `openai` package's default is the environment's `OPENAI_API_KEY`. Nothing else of the
    environment is read.

    `timeout` is in seconds, for each request. `temperature` and `max_tokens` hold where a call does
    not say otherwise; None leaves the setting out of every request, for models that refuse it or
    whose own default is wanted.

    A call makes at most `MOST_TRIES` (3) requests for faults that may pass: 429, 5xx, timeouts,
    broken connections, with pauses of at most `LONGEST_WAIT` (20 s), or as long as the server asks
    within that; a server that asks for longer is not tried again. Wrong keys and bad requests are
    never repeated. What a server refuses by name (`max_tokens`, `temperature`, `response_format`,
    `tools`, the address without `/v1`) is left out or replaced once, with one request more each,
    and remembered by this instance.
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
        if not model.strip():
            raise ValueError("model is empty; it is a name such as 'gpt-4o-mini'")
        self._connection = ServerConnection(model, base_url, api_key, timeout)
        self._accepted = Accepted()
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._sleep = sleep

    @property
    def model(self) -> str:
        """The model's name, as the server knows it."""
        return self._connection.model

    @property
    def address(self) -> str:
        """The full address that is asked."""
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

        Raises `ModelUnavailableError` when the server can't be reached or stays too busy,
        `PromptTooLongError` and `ModelRequestError` when it refuses, `ModelError` when it answers
        without any choice.
        """
        body = self._body(schema, tools, max_tokens, temperature, stream=False)
        document = self._with_retries(self._connection.post, messages, body, purpose)
        completion = read_completion(document)
        assert completion is not None  # the connection has seen to it
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
        body = self._body(None, tools, max_tokens, temperature, stream=True)
        reader = StreamReader()
        broken: str | None = None
        with closing(
            self._with_retries(self._connection.stream, messages, body, purpose)
        ) as events:
            try:
                for event in events:
                    if piece := reader.read(event):
                        yield piece
            except Fault as fault:
                broken = str(fault.error)
        if reader.is_empty and not broken:
            yield from self._at_once(messages, tools, max_tokens, temperature, purpose)
            return
        if not broken and not reader.is_done:
            broken = f"{self._connection.asked} ended its stream without saying that it was done"
        yield reader.completion(error=broken)

    def _at_once(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        max_tokens: int | None,
        temperature: float | None,
        purpose: str,
    ) -> Iterator[str | Completion]:
        """The whole answer in one piece, from a server that does not know how to stream."""
        completion = self.complete(
            messages, tools=tools, max_tokens=max_tokens, temperature=temperature, purpose=purpose
        )
        if completion.text:
            yield completion.text
        yield completion

    # -- requests ----------------------------------------------------------------------------

    def _body(
        self,
        schema: Mapping[str, Any] | None,
        tools: Sequence[Mapping[str, Any]],
        max_tokens: int | None,
        temperature: float | None,
        *,
        stream: bool,
    ) -> Callable[[Accepted], dict[str, Any]]:
        """What makes the optional part of the request, from what the server accepts by then."""
        limit = _setting(max_tokens, self._max_tokens)
        warmth = _setting(temperature, self._temperature)
        return lambda accepted: accepted.settings(
            schema=schema, tools=tools, max_tokens=limit, temperature=warmth, stream=stream
        )

    def _with_retries(
        self,
        request: Callable[[dict[str, Any]], _T],
        messages: Sequence[Mapping[str, Any]],
        body: Callable[[Accepted], dict[str, Any]],
        purpose: str,
    ) -> _T:
        # tenacity loads asyncio, which nothing else here needs: not before the first request
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        fixed = {"model": self.model, "messages": [_sendable(message) for message in messages]}
        retrying = Retrying(
            retry=retry_if_exception(_is_worth_another_try),
            stop=stop_after_attempt(MOST_TRIES),
            wait=_pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer: _T = retrying(self._adapting, request, fixed, body)
            return answer
        except Fault as fault:
            _log.debug("%s failed: %s", purpose, fault.error)
            raise fault.error from fault.__cause__

    def _adapting(
        self,
        request: Callable[[dict[str, Any]], _T],
        fixed: Mapping[str, Any],
        body: Callable[[Accepted], dict[str, Any]],
    ) -> _T:
        """Send the request; where a setting of it is refused, once more without that setting."""
        while True:
            settings = body(self._accepted)
            try:
                return request({**fixed, **settings})
            except Fault as fault:
                adapted = self._adapted(fault, settings)
                if adapted is None:
                    raise
                _log.info("%s; continuing without", fault.error)
                self._accepted = adapted

    def _adapted(self, fault: Fault, settings: Mapping[str, Any]) -> Accepted | None:
        answered = fault.answered
        if answered is None or isinstance(fault.error, PromptTooLongError):
            return None
        if not _may_be_about_settings(answered.status, answered.said):
            return None
        return adapt(self._accepted, Refusal(answered.said, answered.param), settings)


def _setting(asked: _Number | None, default: _Number | None) -> _Number | None:
    """What a call asks for, unless the setting is left out of every request."""
    return default if default is None or asked is None else asked


def _may_be_about_settings(status: int, said: str) -> bool:
    # Some servers answer 500 to tools or schemas that they have no grammar or template for.
    return status in (400, 404, 415, 422, 501) or (status == 500 and "support" in said)


def _sendable(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message without half surrogates, which no request can carry."""
    return {name: whole(part) if isinstance(part, str) else part for name, part in message.items()}


def _is_worth_another_try(error: BaseException) -> bool:
    return isinstance(error, Fault) and error.again and (error.wait or 0.0) <= LONGEST_WAIT


def _pause(state: Any) -> float:
    """Seconds before the next try: as the server asks, else growing from half a second."""
    error = state.outcome.exception()
    if isinstance(error, Fault) and error.wait is not None:
        return error.wait
    return float(_FIRST_WAIT * 4 ** (state.attempt_number - 1))
