"""One model server, reached through the `openai` package: requests out, JSON documents in.

The package is loaded with the first request, its own retries are off, and whatever it raises is
turned into a `Fault` here. Of the forms that the server's address may have, the first that answers
is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from scenemem.base.records import now_utc
from scenemem.engines.openai.addresses import Address, addresses, is_local
from scenemem.engines.openai.completion import read_completion, server_error
from scenemem.engines.openai.faults import Answered, Asked, Fault, retry_after

if TYPE_CHECKING:
    import openai

__all__ = ["ServerConnection"]

_T = TypeVar("_T")
_NO_KEY = "not-needed"  # the client insists on one; local servers ignore it


class ServerConnection:
    """Sends the requests of one model to its server.

    With `base_url=None` the `openai` package's defaults hold: the environment's `OPENAI_BASE_URL`,
    else the address of OpenAI. Without an `api_key` a local server is asked without one, any other
    with the environment's `OPENAI_API_KEY`. Raises `ValueError` for an address that is none.
    """

    endpoint = "/chat/completions"
    answer = "choices"  # what an answer of the server's must have

    def __init__(
        self, model: str, base_url: str | None, api_key: str | None, timeout: float
    ) -> None:
        self.model = model
        self.timeout = timeout
        self._candidates = addresses(base_url) if base_url else ()
        if api_key is None and base_url and is_local(self._candidates[0].base):
            api_key = _NO_KEY
        self._key = api_key.strip() if api_key else None
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise ValueError("api_key has characters that no key has; was something else pasted?")
        self._client: openai.OpenAI | None = None

    @property
    def address(self) -> str:
        """The full address that is asked."""
        if self._candidates:
            return self._candidates[0].base + self.endpoint
        if self._client is not None:
            return str(self._client.base_url).rstrip("/") + self.endpoint
        return "the default address"

    @property
    def asked(self) -> Asked:
        """The model and the address, as messages tell them."""
        return Asked(self.model, self.address)

    def post(self, body: Mapping[str, Any]) -> Any:
        """Send one request, not streamed; the answer is a document with choices.

        Raises `Fault`.
        """
        return self._at_the_right_address(lambda: self._post(body))

    def stream(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        """Send one streamed request; return its events once the first has come.

        Raises `Fault`, now or in the middle of the events.
        """
        return self._at_the_right_address(lambda: self._open_stream(body))

    def _at_the_right_address(self, request: Callable[[], _T]) -> _T:
        try:
            return request()
        except Fault as fault:
            if len(self._candidates) < 2 or not _is_wrong_place(fault):
                raise
        self._candidates = self._candidates[1:]
        self.close()
        return request()

    def _keep_address(self) -> None:
        """This form of the address answers: a later 404 is about something else."""
        self._candidates = self._candidates[:1]

    def close(self) -> None:
        """Close the connections to the server; a later request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    # -- through the package -----------------------------------------------------------------

    def _post(self, body: Mapping[str, Any]) -> Any:
        with _Faults(self.asked, self.timeout):
            text = self._answer(body)
        try:
            document = json.loads(text)
        except ValueError:
            raise Fault.unreadable(self.asked, text, self.answer) from None
        if not self._is_answer(document):
            raise self._no_answer(document)
        self._keep_address()
        return document

    def _answer(self, body: Mapping[str, Any]) -> str:
        """The text of the server's answer."""
        created = self._ready_client().chat.completions.with_raw_response.create(**body)
        return created.http_response.text

    def _is_answer(self, document: object) -> bool:
        """Whether a document is what was asked for."""
        return read_completion(document) is not None

    def _no_answer(self, document: object) -> Fault:
        said, status = server_error(document) or ("", None)
        if status is not None and status >= 400:
            return Fault.refused(self.asked, Answered(status, said))
        return Fault.unreadable(self.asked, said, self.answer)

    def _open_stream(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        events = self._events(body)
        first = list(islice(events, 1))
        if first:
            self._keep_address()
        return _with_first(first, events)

    def _events(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        client = self._ready_client()
        with _Faults(self.asked, self.timeout):
            stream = client.chat.completions.create(**body)
            with closing(stream):
                for event in stream:
                    yield event.to_dict(warnings=False) if hasattr(event, "to_dict") else event

    def _ready_client(self) -> openai.OpenAI:
        if self._client is None:
            import openai

            address = self._candidates[0] if self._candidates else Address("")
            with _Faults(self.asked, self.timeout):
                self._client = openai.OpenAI(
                    base_url=address.base or None,
                    default_query=dict(address.query) or None,
                    api_key=self._key,
                    timeout=self.timeout,
                    max_retries=0,
                )
        return self._client


def _with_first(first: list[Any], events: Generator[Any, None, None]) -> Generator[Any, None, None]:
    with closing(events):
        yield from first
        yield from events


def _is_wrong_place(fault: Fault) -> bool:
    """Whether the server answered as one does where there is no such endpoint."""
    answered = fault.answered
    if answered is None:
        return not fault.again  # an answer without choices
    return answered.status in (404, 405)


class _Faults:
    """Turns what the `openai` package raises inside a `with` block into a `Fault`."""

    def __init__(self, asked: Asked, timeout: float) -> None:
        self._asked = asked
        self._timeout = timeout

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            fault = self._fault(error)
            if fault is not None:
                raise fault from error

    def _fault(self, error: Exception) -> Fault | None:
        import openai

        if isinstance(error, openai.APITimeoutError):
            return Fault.timed_out(self._asked, self._timeout)
        if isinstance(error, openai.APIStatusError):
            return Fault.refused(self._asked, _answered(error))
        if isinstance(error, openai.APIConnectionError):
            return Fault.unreachable(self._asked, str(error.__cause__ or ""))
        if isinstance(error, openai.APIError):  # an error told in the middle of a stream
            return Fault.refused(self._asked, _told(error))
        if isinstance(error, openai.OpenAIError):
            return Fault.without_key(self._asked)
        if isinstance(error, ValueError):  # events that are no JSON
            return Fault.unreadable(self._asked, str(error))
        return None


def _answered(error: openai.APIStatusError) -> Answered:
    told = error.body if isinstance(error.body, Mapping) else {}
    said = told.get("message") or told.get("error") or error.response.text
    return Answered(
        status=error.status_code,
        said=said if isinstance(said, str) else json.dumps(said, ensure_ascii=False),
        code=_word(told.get("code")) or _word(told.get("type")),
        param=_word(told.get("param")),
        wait=retry_after(error.response.headers, now_utc()),
    )


def _told(error: openai.APIError) -> Answered:
    code = error.code or ""
    return Answered(int(code) if code.isdigit() else 500, error.message, code or None)


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None
