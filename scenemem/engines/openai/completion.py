"""What a chat model answers, and what is read from the JSON documents of the chat API.

Servers that call themselves compatible differ in what they leave out: no choices, no usage, null
content, content in parts, an error under status 200. The readers here take any JSON value, and
never raise on one that is odd; what can't be read is None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scenemem.base.text import clean

__all__ = ["Completion", "StreamReader", "Tokens", "read_completion", "server_error", "whole"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call, as the server counted them."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a chat model.

    `tool_calls` have the chat API's shape: `{"id", "type": "function", "function": {"name",
    "arguments"}}`, arguments as JSON text. `finish_reason` is "stop", "length" (the token limit was
    reached), "tool_calls", "content_filter", or "broken": a stream that ended early, for the reason
    in `error`. `refusal` is what a model said that declined. `usage` is None where the server
    told none.
    """

    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str = "stop"
    usage: Tokens | None = None
    refusal: str | None = None
    error: str | None = None


def whole(text: str) -> str:
    """`text` with split surrogate pairs joined, and what can't be stored replaced."""
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return clean(text)


def read_completion(document: object) -> Completion | None:
    """The completion in an answer of the chat API; None when it holds no choice."""
    choice = _first_choice(document)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return None
    return Completion(
        text=whole(_text_of(message.get("content"))),
        tool_calls=tuple(_calls_of(message)),
        finish_reason=_finish_of(choice) or "stop",
        usage=_tokens_of(document),
        refusal=_refusal_of(message),
    )


def server_error(document: object) -> tuple[str, int | None] | None:
    """What an answer says went wrong, and its status, where it holds an error for choices."""
    if not isinstance(document, Mapping):
        return None
    error = document.get("error")
    if not error:
        return None
    if not isinstance(error, Mapping):
        return str(error), None
    code = str(error.get("code"))
    status = int(code) if code.isdecimal() else None
    return str(error.get("message") or error), status


@dataclass
class StreamReader:
    """Puts the events of a streamed answer together; `read` gives the text that each one adds.

    `is_empty` until the first event. Half a surrogate pair waits for its other half.
    """

    _text: list[str] = field(default_factory=list)
    _refusal: list[str] = field(default_factory=list)
    _calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)  # each with its index
    _finish: str | None = None
    _usage: Tokens | None = None
    _half: str = ""
    is_empty: bool = True

    def read(self, event: object) -> str:
        """Take in one event; return the piece of text in it, which may be empty."""
        self.is_empty = False
        self._usage = _tokens_of(event) or self._usage
        choice = _first_choice(event)
        self._finish = _finish_of(choice) or self._finish
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
        piece, self._half = self._half + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        return whole(piece)

    def _add_call(self, delta: Mapping[str, Any]) -> None:
        function = delta.get("function")
        told = function if isinstance(function, Mapping) else {}
        call_id = str(delta.get("id") or "")
        name, arguments = _text_of(told.get("name")), _text_of(told.get("arguments"))
        call = self._call_at(delta.get("index"), call_id, name, arguments)
        call["id"] = call["id"] or call_id
        if name != call["function"]["name"]:  # some servers repeat it in each piece
            call["function"]["name"] += name
        call["function"]["arguments"] += arguments

    def _call_at(self, index: object, call_id: str, name: str, arguments: str) -> dict[str, Any]:
        """The call that a piece goes on with, or a new one.

        Servers that send whole calls leave the index out, or give 0 to every one of them.
        """
        place = index if isinstance(index, int) else None
        begun = [call for at, call in self._calls if place is None or at == place]
        if begun:
            last = begun[-1]
            has_its_id = bool(call_id) and call_id == last["id"]
            is_whole_one = place is None and bool(name)
            if has_its_id or not (is_whole_one or _is_another(last, call_id, name, arguments)):
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
        return self._finish is not None

    def completion(self, error: str | None = None) -> Completion:
        """What has come so far; with an `error`, as a stream that broke."""
        return Completion(
            text=whole("".join(self._text)),
            tool_calls=() if error else self._calls_in_order(),
            finish_reason="broken" if error else self._finish or "stop",
            usage=self._usage,
            refusal=whole("".join(self._refusal)) or None,
            error=error,
        )


def _is_another(begun: Mapping[str, Any], call_id: str, name: str, arguments: str) -> bool:
    """Whether a piece with another id, or none, begins a call beside the one at its place.

    A new id alone does not tell: some servers make one up for every piece of a call.
    """
    can_not_follow = bool(arguments.strip()) and _is_whole(begun["function"]["arguments"])
    if call_id and begun["id"]:
        return bool(name) or can_not_follow
    return bool(name) and can_not_follow


def _is_whole(arguments: str) -> bool:
    """Whether the arguments are complete, so that nothing can follow them."""
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
    """Text given as a string or in parts; parts that are no answer (thoughts) are left out."""
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


def _finish_of(choice: Mapping[str, Any]) -> str | None:
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) and reason else None


def _refusal_of(message: Mapping[str, Any]) -> str | None:
    refusal = message.get("refusal")
    return whole(refusal) if isinstance(refusal, str) and refusal.strip() else None


def _tokens_of(document: object) -> Tokens | None:
    usage = document.get("usage") if isinstance(document, Mapping) else None
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Tokens(prompt, completion)
