"""The engine protocol: what reads and writes language for the memory.

Four verbs: `extract` turns exchanges into cell drafts, `summarize` writes a scene's summary,
`condense` shortens history, `reply` answers. Two implementations stand behind it: the embedded
engine (`scenemem.engines.rules`), which needs no model, and the model engine, over any
OpenAI-compatible chat model. An engine never writes to the memory; it only proposes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol, runtime_checkable

from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import Cell, CellDraft, Message, Scene
from scenemem.base.session_records import Exchange, Fact, Note


class MemoryView(Protocol):
    """What an engine may ask of the memory while it extracts; read-only."""

    def related_cells(self, text: str, limit: int = 10) -> list[Cell]:
        """The cells in force that match `text` best, best first."""
        ...

    def related_scenes(self, text: str, limit: int = 8) -> list[Scene]:
        """The scenes whose cells match `text` best, best first."""
        ...

    def cells_from(self, messages: Sequence[int]) -> list[Cell]:
        """The cells that are already stored from these messages, oldest first."""
        ...

    def recent_cells(self, limit: int) -> list[Cell]:
        """The newest cells in force, at most `limit`, oldest first."""
        ...

    def cells_after(self, cell_id: int, limit: int) -> list[Cell]:
        """Up to `limit` cells in force with ids above `cell_id`, oldest first."""
        ...


class Extraction(NamedTuple):
    """What extraction made of one exchange.

    `drafts` may be empty (nothing to keep). `error` is set when the exchange, or a part of it,
    could not be read: it then stays pending, and drafts that were whole are kept all the same.
    `unread` says that the model could not be asked at all (down, busy, wrong key), which does not
    count against the exchange. `rejected` says, a sentence each, which drafts were refused.
    """

    exchange: int
    drafts: tuple[CellDraft, ...] = ()
    error: str | None = None
    unread: bool = False
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneSummary:
    """A scene's summary, and a better name for the scene if one is known."""

    text: str
    name: str | None = None


class Recalled(Protocol):
    """One thing that was recalled for a reply: what, when, by whom, in which scene."""

    @property
    def text(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def speaker(self) -> str | None: ...
    @property
    def scene(self) -> str | None: ...
    @property
    def score(self) -> float: ...
    @property
    def cell(self) -> Cell | None: ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reply is made from.

    `system` is the one system message; `messages` the verbatim tail of the session with the
    user's new message last, and behind it the tool calls made for it, each with its result.
    `recalled` is what `system` shows of the memory, best first; `facts` what the session's
    notebook holds, the short-term value of a key where there are two, and `notes` its notes,
    oldest first. `own` are the sentences of the new message that are only for this session.
    """

    system: str
    messages: tuple[Message, ...]
    recalled: tuple[Recalled, ...] = ()
    now: datetime | None = None
    facts: tuple[Fact, ...] = ()
    notes: tuple[Note, ...] = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's answer: its text, and the tool calls it asks for, in order.

    `broken` says why the text ends early (a stream that broke, the token limit); the text is what
    came until then.
    """

    text: str
    tool_calls: tuple[dict[str, Any], ...] = field(default=())
    broken: str | None = None


SUMMARY_WORDS = 99  # words of a scene's summary, unless an engine is told otherwise
LEAST_SUMMARY_WORDS = 30


class Economy(NamedTuple):
    """How much an engine is best given at a time.

    `batch` exchanges to extract; `consolidate_after` new cells before a summary is worth making
    anew; `summary_cells` that one summary is made from, at most; `history_tokens` of a session's
    history that a prompt has word for word, before it is compacted. `summary_words` is the
    maximum length of a scene's summary, including the line of what it lost.
    """

    batch: int = 200
    consolidate_after: int = 1
    summary_cells: int = 120
    history_tokens: int = 3000
    summary_words: int = SUMMARY_WORDS

    @property
    def told_words(self) -> int:
        """Words to write a summary in: a third is left for a line of what it lost."""
        return 2 * self.summary_words // 3


class Engine(Protocol):
    """What reads and writes language for the memory."""

    @property
    def name(self) -> str:
        """What the change log calls this engine, such as "embedded" or a model's name."""
        ...

    @property
    def economy(self) -> Economy:
        """How much it is best given at a time; what a manager does unless told otherwise."""
        ...

    @property
    def quotes_memory(self) -> bool:
        """Whether replies only quote what was recalled, so that they are no evidence themselves."""
        ...

    def extract(self, exchanges: Sequence[Exchange], memory: MemoryView) -> list[Extraction]:
        """One `Extraction` for each exchange, in their order.

        Raises `ModelError` when nothing could be read at all; every exchange then stays pending.
        """
        ...

    def summarize(self, scene: Scene, cells: Sequence[Cell]) -> SceneSummary:
        """A summary of the scene, of at most `summary_words`, from its `cells`, oldest first."""
        ...

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """The session so far in short: `previous` (may be empty) and the `messages` after it."""
        ...

    def reply(self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        """The answer to the last message of `prompt`."""
        ...


@runtime_checkable
class PlainReader(Protocol):
    """What reads text by rules, at once and without a model.

    Forgetting and compaction need this whichever engine is in use: a scene must lose a name that
    tells what was forgotten, and a summary must keep what was marked as important, even if the
    model is down or drops it. An engine that has these methods is asked itself; for any other,
    callers pass a `fallback`, by default the embedded engine.
    """

    def statements(self, exchange: Exchange, *, framed: bool = False) -> list[CellDraft]:
        """What people state in an exchange, as cells without a scene, in order.

        Words that ask for it to be remembered ("Please remember that …") are cut off, unless
        `framed`.
        """
        ...

    def condense(self, messages: Sequence[Message], previous: str) -> str:
        """As `Engine.condense`, from the messages' own words."""
        ...

    def name_scene(self, texts: Sequence[str], is_refused: Callable[[str], bool]) -> str:
        """A name for the scene of these statements, one that is not refused where there is one."""
        ...

    def is_grave(self, statement: str) -> bool:
        """Whether a statement speaks of health, life and death, deadlines, and the like."""
        ...


@runtime_checkable
class SceneMerger(Protocol):
    """An engine that also sees when two scenes are about one matter."""

    def merges(self, scenes: Sequence[str], memory: MemoryView) -> list[tuple[str, str]]:
        """Of these scenes, those that belong into another one, as (scene, into)."""
        ...

    def relearn(self, memory: MemoryView) -> None:
        """Drop what was learned of the scenes; it is learned anew from the stored cells."""
        ...


@runtime_checkable
class StreamingEngine(Protocol):
    """An engine that also delivers a reply while it comes."""

    def reply_stream(
        self, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()
    ) -> Iterator[str | Reply]:
        """The reply's text in pieces as they come, and the whole `Reply` last."""
        ...


def stream_reply(
    engine: Engine, prompt: Prompt, tools: Sequence[dict[str, Any]] = ()
) -> Generator[str | Reply, None, None]:
    """An engine's reply in pieces, and the whole `Reply` last; in one piece where it can't."""
    if isinstance(engine, StreamingEngine):
        yield from engine.reply_stream(prompt, tools)
        return
    reply = engine.reply(prompt, tools)
    yield reply.text
    yield reply


UsageListener = Callable[[UsageRecord], None]
"""Called with each model call, after it, in the thread that made it."""


@runtime_checkable
class MeteredEngine(Protocol):
    """An engine that tells what its model calls cost, separately for everyone who uses it."""

    def metered_by(self, listener: UsageListener) -> Engine:
        """This engine, but every call made through the returned one is told to `listener`.

        That includes calls that a stream makes later, in whatever thread. An engine that is metered
        already gets the new listener in place of the old one. Whoever wraps a metered engine in one
        of their own should pass this method on.
        """
        ...
