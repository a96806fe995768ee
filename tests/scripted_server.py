"""A chat-completions server on loopback that plays a script, fault by fault, and counts requests.

Tests talk to it through the real client, over real sockets:

    with ScriptedServer(fails(429, retry_after="1"), says("hello")) as server:
        OpenAIChat("m", base_url=server.base_url).complete(...)
        assert len(server.requests) == 2

The last act of a script is repeated. Instead of acts, a function from the request to an act may be
given. Only `POST {path}` is served; everything else is 404.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

__all__ = [
    "Act",
    "Received",
    "ScriptedServer",
    "answers",
    "cuts_off",
    "fails",
    "refuses",
    "says",
    "streams",
    "tool_call",
]


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages in it."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages


@dataclass(frozen=True)
class Act:
    """What the server does with one request.

    Headers and then the parts of the body are sent. `cut` closes the connection after them,
    without the end that was promised. `delay` is in seconds, before anything is sent; `linger`
    after all of it, before the connection is closed.
    """

    parts: tuple[bytes, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    cut: bool = False
    delay: float = 0.0
    linger: float = 0.0


def answers(document: object, status: int = 200, **headers: str) -> Act:
    """A JSON document, whatever it is; a text is sent as it stands."""
    text = document if isinstance(document, str) else json.dumps(document)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act((text.encode(),), status, named)


def says(
    text: str | None,
    *,
    finish_reason: str = "stop",
    tool_calls: Sequence[dict[str, Any]] = (),
    usage: tuple[int, int] | None = (10, 5),
    **message: Any,
) -> Act:
    """A completion with this text."""
    said: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if tool_calls:
        said["tool_calls"] = list(tool_calls)
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return answers({**_ENVELOPE, "choices": [choice], **_usage(usage)})


def tool_call(name: str, arguments: str, call_id: str = "call_1") -> dict[str, Any]:
    """A tool call as the chat API writes it."""
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def fails(
    status: int,
    message: str = "out of order",
    *,
    code: str | None = None,
    param: str | None = None,
    retry_after: str | None = None,
) -> Act:
    """An error status with the error document that the chat API sends."""
    error = {"message": message, "type": "error", "code": code, "param": param}
    headers = {} if retry_after is None else {"retry_after": retry_after}
    return answers({"error": error}, status, **headers)


def refuses(*parameters: str, otherwise: Act) -> Callable[[Received], Act]:
    """A server that knows nothing of some parameters and says so, one at a time."""

    def act(received: Received) -> Act:
        for parameter in parameters:
            if parameter in received.body:
                message = f"Unsupported parameter: '{parameter}' is not supported with this model."
                return fails(400, message, code="unsupported_parameter", param=parameter)
        return otherwise

    return act


def cuts_off(after: bytes = b"") -> Act:
    """A connection that is closed in the middle of the answer."""
    return Act((after,), cut=True)


def streams(
    *pieces: str | dict[str, Any],
    finish_reason: str | None = "stop",
    usage: tuple[int, int] | None = (10, 5),
    cut: bool = False,
) -> Act:
    """A streamed answer; a piece is text or a whole `delta`. `cut` breaks it off after the last."""
    deltas = [{"content": piece} if isinstance(piece, str) else piece for piece in pieces]
    events = [{"choices": [_delta(delta, None)]} for delta in deltas]
    if not cut:
        events.append({"choices": [_delta({}, finish_reason)]})
        if usage:
            events.append({"choices": [], **_usage(usage)})
    lines = [_event(json.dumps({**_ENVELOPE, **event})) for event in events]
    if not cut:
        lines.append(_event("[DONE]"))
    return Act(tuple(lines), content_type="text/event-stream", cut=cut)


_ENVELOPE = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}


def _delta(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason}


def _event(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


def _usage(usage: tuple[int, int] | None) -> dict[str, Any]:
    if usage is None:
        return {}
    prompt, completion = usage
    total = prompt + completion
    return {
        "usage": {
            "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total,
        }
    }  # fmt: skip


class ScriptedServer:
    """Serves a script of acts, or a function that chooses them, on 127.0.0.1."""

    def __init__(
        self,
        *script: Act,
        act: Callable[[Received], Act] | None = None,
        path: str = "/v1/chat/completions",
    ) -> None:
        self.requests: list[Received] = []
        self.missed: list[str] = []
        self._script = list(script)
        self._act = act
        self._path = path
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def root(self) -> str:
        """The server's address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The base address of its chat API."""
        return self.root + self._path.removesuffix("/chat/completions")

    def then(self, *script: Act) -> None:
        """Play these acts from now on."""
        with self._lock:
            self._script = list(script)

    def next_act(self, received: Received) -> Act:
        """The act for one request, which is noted."""
        with self._lock:
            if received.path.partition("?")[0] != self._path:
                self.missed.append(received.path)
                return answers({"error": {"message": "no such page"}}, 404)
            self.requests.append(received)
            if self._act is not None:
                return self._act(received)
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the test."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        """Play the next act."""
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._play(self.server.owner.next_act(Received(self.path, headers, body)))

    def _play(self, act: Act) -> None:
        time.sleep(act.delay)
        self.send_response(act.status)
        self.send_header("content-type", act.content_type)
        if act.content_type == "application/json":
            promised = sum(map(len, act.parts)) + (100 if act.cut else 0)
            self.send_header("content-length", str(promised))
        elif act.cut:
            self.send_header("content-length", "1000000")
        for name, value in act.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(act.parts)
        time.sleep(act.linger)
        self.close_connection = True

    def _send(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Tests need no access log."""
