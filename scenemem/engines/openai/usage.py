"""What the model is asked for and what it costs: calls and tokens by purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scenemem.base.records import UsageRecord, now_utc
from scenemem.base.text import estimate_tokens
from scenemem.engines.openai.completion import Completion

__all__ = ["Purpose", "Usage", "UsageMeter", "UsageRecord", "estimate_prompt"]

Purpose = Literal["extract", "summarize", "condense", "reply"]
_MESSAGE_TOKENS = 4  # what role and marks add to a message


@dataclass(frozen=True, slots=True)
class Usage:
    """The model calls of one purpose: how many, how many of them failed, and their tokens."""

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


class UsageMeter:
    """Counts the calls of one model since it was made, and passes each on to `on_usage`."""

    def __init__(self, model: str, on_usage: Callable[[UsageRecord], None] | None = None) -> None:
        self.model = model
        self.on_usage = on_usage
        self.by_purpose: dict[Purpose, Usage] = {}

    def note(
        self, purpose: Purpose, prompt: Sequence[Mapping[str, Any]], completion: Completion | None
    ) -> None:
        """Count one call; without a completion, as failed."""
        record = self._record(purpose, prompt, completion)
        self.by_purpose[purpose] = self.by_purpose.get(purpose, Usage()).with_record(record)
        if self.on_usage is not None:
            self.on_usage(record)

    def _record(
        self, purpose: Purpose, prompt: Sequence[Mapping[str, Any]], completion: Completion | None
    ) -> UsageRecord:
        at = now_utc()
        if completion is None:
            return UsageRecord(at, self.model, purpose, 0, 0, failed=True)
        if completion.usage is None:
            answered = estimate_tokens(completion.text)
            return UsageRecord(at, self.model, purpose, estimate_prompt(prompt), answered, True)
        tokens = completion.usage
        return UsageRecord(at, self.model, purpose, tokens.prompt, tokens.completion)


def estimate_prompt(prompt: Sequence[Mapping[str, Any]]) -> int:
    """About how many tokens a chat takes; no tokenizer and no network is needed."""
    return sum(
        estimate_tokens(str(message.get("content") or "")) + _MESSAGE_TOKENS for message in prompt
    )
