"""The engine protocol: what reads and writes language for the memory.

Four verbs: `extract` turns exchanges into cell drafts, `summarize` writes a scene's summary,
`condense` shortens history, `reply` answers. Two implementations stand behind it: the embedded
engine (`scenemem.embedded`), which needs no model, and the model engine, over any
OpenAI-compatible chat model. An engine never writes to the memory; it only proposes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from scenemem.records import Cell, CellDraft, Exchange, Message, Scene


class MemoryView(Protocol):
    """What an engine may ask of the memory while it extracts; read-only."""

    def related_cells(self, text: str, limit: int = 10) -> list[Cell]:
        """The cells in force that match `text` best, best first."""
        ...

    def related_scenes(self, text: str, limit: int = 8) -> list[Scene]:
        """The scenes whose cells match `text` best, best first."""
        ...

    def cells_after(self, cell_id: int, limit: int) -> list[Cell]:
        """Up to `limit` cells in force with ids above `cell_id`, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """What extraction made of one exchange.

    `drafts` may be empty (nothing to keep). `error` is set when the exchange, or a part of it,
    could not be read: it then stays pending, and drafts that were whole are kept all the same.
    `rejected` says, a sentence each, which drafts were refused and why.
    """

    exchange: int
    drafts: tuple[CellDraft, ...] = ()
    error: str | None = None
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reply is made from.

    `system` is the one system message; `messages` the verbatim tail of the session with the
    user's new message last; `recalled` the recalled cells that `system` shows, best first.
    """

    system: str
    messages: tuple[Message, ...]
    recalled: tuple[Cell, ...] = ()
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer: its text, and the tool calls it asks for, in order."""

    text: str
    tool_calls: tuple[dict[str, Any], ...] = field(default=())


class Engine(Protocol):
    """What reads and writes language for the memory."""

    @property
    def name(self) -> str:
        """What the change log calls this engine, such as "embedded" or a model's name."""
        ...

    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        """One `Extraction` for each exchange, in their order.

        Raises `ModelError` when nothing could be read at all; every exchange then stays pending.
        """
        ...

    def summarize(self, scene: Scene, cells: Sequence[Cell]) -> str:
        """A summary of the scene from its `cells`, oldest first, in under 100 words."""
        ...

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """The session so far in short: `previous` (may be empty) and the `messages` after it."""
        ...

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The answer to the last message of `prompt`."""
        ...
