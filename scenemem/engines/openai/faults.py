"""Faults of model servers: each becomes one of our errors, once and here.

A fault says whether the same request may succeed in a moment (server busy, down, timed out, cut
off) and how long the server asks to wait. The error's message is one sentence: the model, the full
address, what the server said, and what to do about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from scenemem.base.errors import (
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
    PromptTooLongError,
)
from scenemem.base.records import utc
from scenemem.base.text import clean, shorten

__all__ = ["Answered", "Asked", "Fault", "is_too_long", "retry_after"]

_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded|string_above_max_length"
    r"|(?:maximum|max|exceeds?|available|model'?s?) (?:the )?(?:\w+ )?context"
    r"|context (?:length|window|size)"
    r"|(?:prompt|input|request|message)s? (?:is |are )?too (?:long|large)"
    r"|too many (?:input )?tokens"
    r"|reduce the length",
    re.I,
)
_LONGEST_QUOTE = 300  # characters of a server's answer that an error message quotes


@dataclass(frozen=True, slots=True)
class Asked:
    """Which model was asked, at which full address."""

    model: str
    address: str

    def __str__(self) -> str:
        return f"model {self.model!r} at {self.address}"


@dataclass(frozen=True, slots=True)
class Answered:
    """A server's error answer: its status, its message, and how many seconds it asks to wait.

    `code` and `param` are the error's code and the parameter it is about, if the server names them.
    """

    status: int
    said: str
    code: str | None = None
    param: str | None = None
    wait: float | None = None


class Fault(Exception):
    """One failed request: the error to raise, and whether the request is worth repeating.

    `answered` is what the server said, if it answered with an error status.
    """

    def __init__(
        self,
        error: ModelError,
        *,
        again: bool = False,
        answered: Answered | None = None,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.answered = answered

    @property
    def wait(self) -> float | None:
        """How many seconds the server asks to wait."""
        return self.answered.wait if self.answered else None

    @classmethod
    def timed_out(cls, asked: Asked, seconds: float) -> Fault:
        """The server did not answer in time."""
        return cls(
            ModelUnavailableError(
                f"{asked} did not answer within {seconds:g} s; raise `timeout` if it is only slow"
            ),
            again=True,
        )

    @classmethod
    def unreachable(cls, asked: Asked, why: str) -> Fault:
        """There is no connection, or it was cut."""
        reason = f": {_quote(why)}" if why else ""
        return cls(
            ModelUnavailableError(
                f"no connection to {asked}{reason}; check the address and that the server is up"
            ),
            again=True,
        )

    @classmethod
    def unreadable(cls, asked: Asked, said: str, lacks: str) -> Fault:
        """The server reported success, but its answer lacks what was asked for."""
        quote = f": {_quote(said)}" if said else ""
        return cls(
            ModelError(
                f"{asked} answered without {lacks}{quote}; check that the address belongs to an "
                "OpenAI-compatible server"
            )
        )

    @classmethod
    def without_key(cls, asked: Asked) -> Fault:
        """The server needs a key, and none was given."""
        return cls(
            ModelRequestError(f"{asked} needs an API key; pass `api_key`, or set OPENAI_API_KEY")
        )

    @classmethod
    def refused(cls, asked: Asked, answered: Answered) -> Fault:
        """The server answered with an error status."""
        status = answered.status
        said = f"{status}: {_quote(answered.said)}" if answered.said else str(status)
        error: ModelError
        if status == 429 and answered.code != "insufficient_quota":
            when = f"in {answered.wait:.0f} s" if answered.wait else "later"
            error = ModelUnavailableError(f"{asked} is too busy ({said}); try again {when}")
        elif status in (408, 409, 425) or status >= 500:
            error = ModelUnavailableError(f"{asked} failed ({said}); try again later")
        elif is_too_long(answered):
            error = PromptTooLongError(
                f"{asked} refused a prompt longer than its window ({said}); set a smaller `window`"
            )
        else:
            error = ModelRequestError(f"{asked} refused the request ({said}); {_advice(answered)}")
        error.status = status
        return cls(error, again=isinstance(error, ModelUnavailableError), answered=answered)


def is_too_long(answered: Answered) -> bool:
    """Whether the server refused the request because the prompt does not fit."""
    if answered.status == 413:
        return True
    spoken = f"{answered.code or ''} {answered.said}"
    return answered.status in (400, 422) and _TOO_LONG.search(spoken) is not None


def _advice(answered: Answered) -> str:
    if answered.status in (401, 403):
        return "check the API key"
    if answered.status == 404:
        return "check the model's name and the address"
    if answered.status in (402, 429):
        return "check the account's quota"
    return "the same request will be refused again"


def _quote(said: str) -> str:
    return shorten(clean(re.sub(r"<[^>]+>", " ", said)), _LONGEST_QUOTE)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """How many seconds the server asks to wait, from `retry-after-ms` or `Retry-After`.

    `Retry-After` holds seconds or an HTTP date. Unreadable values give None, past dates 0.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = (headers.get(name) or "").strip()
        if re.fullmatch(r"\d{1,12}(?:\.\d+)?", value):
            return float(value) * unit
    try:
        then = utc(parsedate_to_datetime((headers.get("retry-after") or "").strip()))
    except (TypeError, ValueError):
        return None
    return max((then - now).total_seconds(), 0.0)
