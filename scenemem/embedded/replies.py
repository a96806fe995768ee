"""Replies without a model: what is remembered, quoted with its date and its speaker.

Nothing is made up: a question is answered by the best of what was recalled, word for word; where
nothing was recalled, the reply says so; a statement is acknowledged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from scenemem.context import day_in_words
from scenemem.engine import Prompt, Recalled

__all__ = ["reply_to"]

MOST_QUOTES = 4
_WEAKEST = 0.4  # of the best score: what is weaker is not worth quoting
_ASKS = re.compile(
    r"[?？؟;]\s*$|^\s*(?:who|what|when|where|which|why|how|whose|whom|do|does|did|is|are|was|were|"
    r"can|could|should|would|will|have|has|had|tell|show|list|remind|find|search|recall|suggest|"
    r"wer|was|wann|wo|wie|warum|welche\w*|qui|quand|où|comment|quién|qué|cuándo|dónde|cómo|"
    r"кто|что|когда|где|как|почему)\b|[吗呢么]\s*$|什么|哪|谁|怎么|何|どこ|いつ|誰",
    re.IGNORECASE,
)


def reply_to(prompt: Prompt) -> str:
    """The reply to the last message of the prompt."""
    question = prompt.messages[-1].content.strip()
    if not _ASKS.search(question):
        return "Noted."
    quotes = _worth_quoting(prompt.recalled)
    if not quotes:
        return "I don't remember anything about that."
    if len(quotes) == 1:
        return f"I remember this: {_quote(quotes[0], prompt.now)}"
    lines = "\n".join(f"- {_quote(found, prompt.now)}" for found in quotes)
    return f"This is what I remember:\n{lines}"


def _worth_quoting(recalled: Sequence[Recalled]) -> list[Recalled]:
    if not recalled:
        return []
    floor = recalled[0].score * _WEAKEST
    return [found for found in recalled if found.score >= floor][:MOST_QUOTES]


def _quote(found: Recalled, now: datetime | None) -> str:
    day = "today" if now and found.at.date() == now.date() else f"on {day_in_words(found.at)}"
    who = {None: "It was noted", "user": "You said", "assistant": "I said"}.get(
        found.speaker, f"{found.speaker} said"
    )
    scene = f" ({found.scene})" if found.scene else ""
    text = " ".join(found.text.split())
    return f"{who} {day}: “{text}”{scene}"
