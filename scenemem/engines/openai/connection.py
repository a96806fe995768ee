"""How a model server is reached: its address, the settings it accepts, requests through `openai`.

Users write the address of a server in many forms, and servers accept different subsets of the API.
Both are worked out from what the server answers and then kept. The `openai` package is loaded with
the first request, with its own retries turned off; whatever it raises becomes a `Fault` here.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from ipaddress import ip_address
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import SplitResult, parse_qsl, urlsplit

from scenemem.base.checks import number_given, str_given
from scenemem.base.records import now_utc
from scenemem.engines.openai.faults import Answered, Asked, Fault, is_too_long, retry_after

if TYPE_CHECKING:
    import openai

__all__ = ["Accepted", "Address", "Endpoint", "ServerConnection", "Wanted", "adapted", "addresses"]

_T = TypeVar("_T")
_NO_KEY = "not-needed"  # the client insists on a key; local servers ignore it

# -- addresses -------------------------------------------------------------------------------

_ENDPOINT_PATH = re.compile(r"/(?:(?:chat/)?completions|embeddings)/*$")
_VERSION_PATH = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")
_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


@dataclass(frozen=True, slots=True)
class Address:
    """A base address without a slash at its end, and the query string sent with each request."""

    base: str
    query: tuple[tuple[str, str], ...] = ()


def addresses(base_url: str) -> tuple[Address, ...]:
    """The addresses that `base_url` may mean, in the order to try them.

    `http://127.0.0.1:11434`, the same with a slash, with `/v1`, or with the full path of an
    endpoint (as copied from a manual) all mean one server. Only the server knows which form it
    serves, so an address without a version is tried as it stands and then with `/v1`. Raises
    `ValueError` if `base_url` is not an http or https address.
    """
    parts = _split_url(base_url.strip())
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    path = _ENDPOINT_PATH.sub("", parts.path).rstrip("/")
    base = f"{parts.scheme}://{parts.netloc}{path}"
    if _VERSION_PATH.search(path):
        return (Address(base, query),)
    return (Address(base, query), Address(f"{base}/v1", query))


def _split_url(url: str) -> SplitResult:
    if "://" not in url:
        scheme = "http" if _is_local(f"http://{url}") else "https"
        url = f"{scheme}://{url}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises if the port is not a number
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            "base_url must be an http or https address such as http://127.0.0.1:11434/v1, "
            f"got {url!r}"
        )
    return parts


def _is_local(base_url: str) -> bool:
    """Whether the address is on this machine or a private network, where no key is needed."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)
    return address.is_loopback or address.is_private or address.is_link_local


# -- the settings that a server accepts ------------------------------------------------------

ResponseFormat = Literal["json_schema", "json_object"]
TokenLimit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The optional settings of one request; None leaves a setting to the server."""

    schema: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """The settings that a server is believed to accept; at first all, each in its oldest form.

    Newer models want `max_completion_tokens` and no temperature, older servers know only
    `max_tokens`, many have no JSON schemas, some no tools.
    """

    token_limit: TokenLimit | None = "max_tokens"
    temperature: bool = True
    response_format: ResponseFormat | None = "json_schema"
    tools: bool = True
    stream_options: bool = True

    def settings(self, wanted: Wanted) -> dict[str, Any]:
        """The part of a request body for what is wanted, as far as the server accepts it."""
        body: dict[str, Any] = {}
        if self.token_limit and wanted.max_tokens is not None:
            body[self.token_limit] = wanted.max_tokens
        if self.temperature and wanted.temperature is not None:
            body["temperature"] = wanted.temperature
        if self.response_format and wanted.schema is not None:
            body["response_format"] = _response_format(self.response_format, wanted.schema)
        if self.tools and wanted.tools:
            body["tools"] = list(wanted.tools)
        if wanted.stream:
            body["stream"] = True
            if self.stream_options:
                body["stream_options"] = {"include_usage": True}
        return body


def _response_format(kind: ResponseFormat, schema: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": "json_object"}
    name = re.sub(r"\W+", "_", str(schema.get("title", "answer")))
    return {"type": kind, "json_schema": {"name": name, "strict": True, "schema": dict(schema)}}


# How servers name each setting; where one name is part of another, the longer comes first.
_NAMES_OF_SETTINGS: tuple[tuple[str, re.Pattern[str]], ...] = (
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


def adapted(accepted: Accepted, fault: Fault, sent: Mapping[str, Any]) -> Accepted | None:
    """What to try after `sent` was refused; None if the refusal is not about one of its settings.

    A parameter that the server names explicitly decides, otherwise the setting that its message
    mentions first. The setting is dropped or replaced by its newer form and never comes back, so
    adapting always ends.
    """
    answered = fault.answered
    if answered is None or is_too_long(answered) or not _may_be_about_settings(answered):
        return None
    for spoken in (answered.param, answered.said):
        if not spoken:
            continue
        found = [
            (match.start(), name)
            for name, pattern in _NAMES_OF_SETTINGS
            if (match := pattern.search(spoken)) and _was_sent(name, accepted, sent)
        ]
        if found:
            return _without(accepted, min(found)[1])
    return None


def _may_be_about_settings(answered: Answered) -> bool:
    if answered.status == 500:  # from servers with no grammar or template for schemas or tools
        return "support" in answered.said
    return answered.status in (400, 404, 415, 422, 501)


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


# -- requests --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One thing that servers offer: its path, its place in the client, how to tell its answers.

    `answer` names what an answer must have, for error messages.
    """

    path: str
    answer: str
    resource: Callable[[openai.OpenAI], Any]
    is_answer: Callable[[object], bool]


class ServerConnection:
    """Sends requests for one model to one endpoint of its server; threads may share it.

    If `base_url` is None, the defaults of the `openai` package apply: `OPENAI_BASE_URL` from the
    environment, or the address of OpenAI. Without an `api_key`, a local server is asked without
    one, and any other with `OPENAI_API_KEY` from the environment. Raises `ValueError` if the
    address or the key can't be one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
    ) -> None:
        self.model = str_given("model", model, empty=False)
        if base_url is not None:
            str_given("base_url", base_url)
        if api_key is not None:
            str_given("api_key", api_key)
        if number_given("timeout", timeout, 0) == 0:
            raise ValueError(f"timeout must be above 0, got {timeout}")
        self.timeout = timeout
        self._endpoint = endpoint
        self._candidates = addresses(base_url) if base_url else ()
        if api_key is None and base_url and _is_local(self._candidates[0].base):
            api_key = _NO_KEY
        self._key = api_key.strip() if api_key else None
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise ValueError(
                "api_key contains characters that no key has; was something else pasted?"
            )
        self._client: openai.OpenAI | None = None
        self._lock = threading.Lock()  # of the client and the candidates

    @property
    def address(self) -> str:
        """The full address that requests go to."""
        if self._candidates:
            return self._candidates[0].base + self._endpoint.path
        if self._client is not None:
            return str(self._client.base_url).rstrip("/") + self._endpoint.path
        return "the default address"

    @property
    def asked(self) -> Asked:
        """The model and the address, for error messages."""
        return Asked(self.model, self.address)

    def post(self, body: Mapping[str, Any]) -> Any:
        """Send one request and return the document it is answered with. Raises `Fault`."""
        return self._at_the_right_address(lambda: self._post(body))

    def stream(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        """Send one streamed request; return its events once the first has come.

        Raises `Fault`, here or while the events are read.
        """
        return self._at_the_right_address(lambda: self._open_stream(body))

    def _at_the_right_address(self, request: Callable[[], _T]) -> _T:
        candidates = self._candidates
        try:
            return request()
        except Fault as fault:
            if len(candidates) < 2 or not _is_wrong_place(fault):
                raise
            self._try_next_address(candidates)
        return request()

    def _try_next_address(self, tried: tuple[Address, ...]) -> None:
        with self._lock:
            if self._candidates is not tried:
                return  # another thread has moved on already
            self._candidates = tried[1:]
            if self._client is not None:  # its connections stay, for requests still under way
                self._client = self._client.with_options(base_url=self._candidates[0].base)

    def _keep_address(self) -> None:
        """This form of the address works: a later 404 means something else."""
        self._candidates = self._candidates[:1]

    def _post(self, body: Mapping[str, Any]) -> Any:
        resource = self._endpoint.resource(self._ready_client())
        with _Faults(self.asked, self.timeout):
            text = resource.with_raw_response.create(**body).http_response.text
        try:
            document = json.loads(text)
        except ValueError:
            raise Fault.unreadable(self.asked, text, self._endpoint.answer) from None
        if not self._endpoint.is_answer(document):
            raise self._no_answer(document)
        self._keep_address()
        return document

    def _no_answer(self, document: object) -> Fault:
        """The fault for an answer that reports success but does not hold what was asked for."""
        said, status = _error_in(document)
        if status is not None and status >= 400:
            return Fault.refused(self.asked, Answered(status, said))
        return Fault.unreadable(self.asked, said, self._endpoint.answer)

    def _open_stream(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        events = self._events(body)
        first = list(islice(events, 1))
        if first:
            self._keep_address()
        return _with_first(first, events)

    def _events(self, body: Mapping[str, Any]) -> Generator[Any, None, None]:
        resource = self._endpoint.resource(self._ready_client())
        with _Faults(self.asked, self.timeout):
            stream = resource.create(**body)
            with closing(stream):
                for event in stream:
                    yield event.to_dict(warnings=False) if hasattr(event, "to_dict") else event

    def _ready_client(self) -> openai.OpenAI:
        with self._lock:
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
    """Whether the server answered as servers do where they have no such endpoint."""
    if fault.answered is None:
        return not fault.again  # an answer that lacks what was asked for
    return fault.answered.status in (404, 405)


def _error_in(document: object) -> tuple[str, int | None]:
    """The error message and status in an answer that reports success; "" and None without one."""
    error = document.get("error") if isinstance(document, Mapping) else None
    if not error:
        return "", None
    if not isinstance(error, Mapping):
        return str(error), None
    code = str(error.get("code"))
    return str(error.get("message") or error), int(code) if code.isdecimal() else None


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
            return Fault.refused(self._asked, _answer_with_status(error))
        if isinstance(error, openai.APIConnectionError):
            return Fault.unreachable(self._asked, str(error.__cause__ or ""))
        if isinstance(error, openai.APIError):
            return Fault.refused(self._asked, _error_within_a_stream(error))
        if isinstance(error, openai.OpenAIError):
            return Fault.without_key(self._asked)
        if isinstance(error, ValueError):  # an event of a stream that is not JSON
            return Fault.unreadable(self._asked, str(error), "choices")
        return None


def _answer_with_status(error: openai.APIStatusError) -> Answered:
    document = error.body if isinstance(error.body, Mapping) else {}
    said = document.get("message") or document.get("error") or error.response.text
    return Answered(
        status=error.status_code,
        said=said if isinstance(said, str) else json.dumps(said, ensure_ascii=False),
        code=_str_or_none(document.get("code")) or _str_or_none(document.get("type")),
        param=_str_or_none(document.get("param")),
        wait=retry_after(error.response.headers, now_utc()),
    )


def _error_within_a_stream(error: openai.APIError) -> Answered:
    code = error.code or ""
    return Answered(int(code) if code.isdigit() else 500, error.message, code or None)


def _str_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
