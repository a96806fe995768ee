"""What a store offers: all that the layers above ask of one agent's memory, as protocols.

A second store implements these protocols and `evidence.Evidence`, and passes the tests in
`tests/store`, which run over every store there is. No connection, cursor, row or expression of a
database passes this door: records and plain values do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from scenemem.base.records import (
    Appended,
    Cell,
    CellDraft,
    CellType,
    Change,
    Compaction,
    Exchange,
    Fact,
    FactScope,
    Message,
    MessageDraft,
    Note,
    Role,
    Scene,
    Session,
    Turn,
    TurnState,
    UsageRecord,
    UsageTotals,
)

if TYPE_CHECKING:
    from pathlib import Path

    from scenemem.store.evidence import Evidence, Scope

__all__ = [
    "DEFAULT_SCENE",
    "LARGEST_COUNT",
    "MAX_ATTEMPTS",
    "REPLY_GRACE",
    "Cells",
    "Kept",
    "Log",
    "Notebook",
    "Scenes",
    "Sessions",
    "Spoken",
    "Store",
    "Vectors",
]

DEFAULT_SCENE = "General"  # where cells go that name no scene
MAX_ATTEMPTS = 5  # failed extractions of one turn before it waits to be asked for again
REPLY_GRACE = timedelta(minutes=10)  # a turn left open for so long won't get its answer
LARGEST_COUNT = 2**63 - 1  # of a counter, in both directions


class Cells(Protocol):
    """The cells of a memory.

    A cell is stored once: the same text said again within a scene raises `told`. A cell that
    another one supersedes stays, dated, out of the default recall.
    """

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        """Store one cell and return it; one that the scene has already only counts as told again.

        A mapping has the fields of `CellDraft`: `content`, and as you like `scene`, `cell_type`,
        `salience`, and the rest. Raises `ValueError` for an empty content, an unknown type or a
        salience outside 0 to 1, `TypeError` for an unknown field.
        """

    def insert_cells(self, cells: Iterable[CellDraft | Mapping[str, Any]]) -> list[Cell]:
        """Store cells in one transaction, all or none; return them in their order."""

    def update_cell(
        self,
        cell_id: int,
        *,
        content: str | None = None,
        salience: float | None = None,
        cell_type: CellType | None = None,
        scene: str | None = None,
        actor: str = "caller",
    ) -> Cell:
        """Correct a cell in place; what is None stays. The text before it stays in the log."""

    def supersede_cell(
        self, cell_id: int, by: int, *, at: datetime | None = None, actor: str = "caller"
    ) -> None:
        """Let the cell `by` take the place of `cell_id`, from `at` (when `by` was said) on.

        Raises `NotFoundError` when one of them is missing, `ValueError` for a cell by itself.
        """

    def delete_cells(self, ids: Iterable[int]) -> list[Cell]:
        """Delete cells for good and return what they were; unknown ids are passed over.

        Their scenes' summaries are emptied and due anew, and scenes left without cells go. The
        messages they came from stay: `MemoryManager.forget` takes care of those too.
        """

    def note_recalled(self, ids: Iterable[int]) -> None:
        """Count that an answer was built on these cells."""

    def get_cell(self, cell_id: int) -> Cell | None:
        """The cell of that id, or None."""

    def get_cells(self, ids: Iterable[int]) -> dict[int, Cell]:
        """The cells of these ids, by id; missing ones are left out."""

    def list_cells(
        self,
        *,
        scene: str | None = None,
        cell_type: CellType | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int = 0,
        superseded: bool = False,
        limit: int | None = None,
        order: Literal["told", "salience", "newest"] = "told",
    ) -> list[Cell]:
        """Cells, by default in the order they were told; `superseded` includes those replaced.

        `scene` may be any spelling; `since` and `until` bound when they were said; `after` lists
        only ids above it. Raises `NotFoundError` for an unknown scene.
        """

    def list_most_salient(self, limit: int) -> list[Cell]:
        """The most salient cells in force, at most `limit`, the newer first among equals.

        Where fewer than `limit` have a salience of 0.75 or more, which an index holds, only the
        newest thousand of the others are looked through, so that no memory is too large for it.
        """

    def cells_from(self, messages: Iterable[int]) -> list[Cell]:
        """The cells, superseded ones included, that came from these messages, in order."""

    def is_superseded(self, content: str) -> bool:
        """Whether a cell of this content was superseded, and none of it is in force."""

    def told_in(self, cells: Iterable[int]) -> list[int]:
        """The further messages that told these cells again."""

    def list_speakers(self) -> list[str]:
        """Who speaks in this memory, by name."""

    def count_cells(self, *, superseded: bool = False) -> int:
        """How many cells are in force, or how many have been superseded."""


class Scenes(Protocol):
    """The scenes of a memory, their summaries, and the spellings that lead to them.

    A scene is found under any spelling of its name (case, spaces and hyphens don't matter) and
    under every name it had before.
    """

    def resolve_scene(self, scene: str) -> str | None:
        """The stored name of the scene that this spelling leads to, or None."""

    def get_scene(self, scene: str) -> Scene | None:
        """The scene under any spelling of its name or an alias, or None."""

    def get_scenes(self, scenes: Iterable[str]) -> list[Scene]:
        """The scenes of these stored names, in their order; missing ones are left out."""

    def list_scenes(self, *, stale: bool = False, limit: int | None = None) -> list[Scene]:
        """All scenes, the one spoken of last first; `stale` lists only those due a new summary."""

    def ensure_scene(self, scene: str) -> str:
        """The stored name for any spelling of a scene's name, making the scene when it is new."""

    def upsert_scene(
        self,
        scene: str,
        summary: str,
        *,
        watermark: int | None = None,
        at: datetime | None = None,
        actor: str = "caller",
    ) -> Scene:
        """Write a scene's summary, making the scene when it is new; return it.

        `watermark` is the id of the last cell that the summary covers, by default the scene's
        newest. The summary before it stays in the change log.
        """

    def add_alias(self, scene: str, alias: str) -> None:
        """Let another spelling lead to a scene; one that leads elsewhere already stays there."""

    def rename_scene(
        self, scene: str, name: str, *, actor: str = "caller", keep_alias: bool = True
    ) -> Scene:
        """Give a scene another name; the old one stays an alias, unless it is to be forgotten.

        Raises `NotFoundError` when there is no such scene, `ValueError` when the new name belongs
        to another scene (merge them instead) or is empty.
        """

    def merge_scenes(self, scene: str, into: str, *, actor: str = "caller") -> Scene:
        """Move all cells and names of one scene into another, which becomes stale; return that."""

    def list_due(self) -> list[Scene]:
        """The scenes in which something that their summary told has changed."""

    def is_extracted(self, scene: str) -> bool:
        """Whether all cells of a scene came from messages, so that its engine named it."""

    def retrieve_scene_summary(self, scene: str) -> str:
        """The summary of a scene, under any spelling; "" when there is none yet."""

    def count_scenes(self, *, stale: bool = False) -> int:
        """How many scenes there are, or how many of them are stale."""


class Sessions(Protocol):
    """The sessions of a memory: verbatim messages in turns, summaries, the queue of extraction.

    Where a parameter is called `session`, it is the session's name.
    """

    def ensure_session(self, session: str, at: datetime | None = None) -> Session:
        """The session by that name, made when there is none; it begins `at`, by default now."""

    def get_session(self, session: str) -> Session | None:
        """The session by that name, or None."""

    def list_sessions(self) -> list[Session]:
        """All sessions, the one spoken in last first."""

    def get_summary(self, session: str) -> tuple[str, int]:
        """A session's summary and the id of the last message that it covers; ("", 0) for none."""

    def set_summary(self, session: str, summary: str) -> None:
        """Give a session this summary; it covers the same messages as the one before."""

    def compact_session(self, done: Compaction, summary: str, *, after: int) -> bool:
        """Move a session's summary on, in one transaction; False when somebody else has.

        `after` is the id of the last message that the summary covered when the work on `summary`
        began. Raises `NotFoundError` without such a session.
        """

    def list_compactions(self, session: str | None = None) -> list[Compaction]:
        """What compaction did, of one session or of all, oldest first."""

    def drop_summaries(self, messages: Sequence[int], texts: Sequence[str] = ()) -> list[str]:
        """Take back the summaries that cover any of these messages; return their sessions.

        The messages are all still there, and the next compaction condenses them anew. A summary
        that was given stays, but for the lines that tell one of `texts`.
        """

    def open_turn(
        self, session: str, question: MessageDraft, *, external_id: str | None = None
    ) -> tuple[int, bool]:
        """Store the message that begins a turn; return the turn's id and whether it is new.

        With an `external_id` that the session has already, nothing is stored and the turn that
        has it is returned. Earlier turns of the session that never got their answer become
        pending as they are.
        """

    def append_to_turn(self, turn: int, drafts: Sequence[MessageDraft]) -> tuple[Message, ...]:
        """Store further messages of a turn, in order.

        A turn that was extracted already waits again: its answer was not read.
        """

    def close_turn(self, turn: int) -> None:
        """The turn is complete: it now waits for extraction."""

    def append_history(
        self,
        session: str,
        role: Role,
        content: str | None,
        *,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        tool_call_id: str | None = None,
        external_id: str | None = None,
    ) -> Message | None:
        """Store one message as it is said; return it, or None when its `external_id` is known.

        A message of role user or system begins a turn, others continue the one before; an
        assistant's answer (without tool calls) completes it, and it waits for extraction.
        """

    def append_messages(
        self, session: str, drafts: Iterable[MessageDraft], *, at: datetime | None = None
    ) -> Appended:
        """Store messages of a conversation that has taken place, as turns that are pending.

        A message of role user or system begins a turn, others continue the one before. Messages
        whose `external_id` the session has already are skipped. A message without a time takes
        that of the one before it, the first `at` or now.
        """

    def list_messages(
        self,
        session: str | None = None,
        *,
        turn: int | None = None,
        after: int = 0,
        limit: int | None = None,
        last: bool = False,
        role: Role | None = None,
        redacted: bool = False,
    ) -> list[Message]:
        """Messages in order of insertion: of a session, a turn, or all; `last` takes the end.

        `redacted` takes the secrets out that were told in them.
        """

    def get_messages(self, ids: Iterable[int], *, redacted: bool = False) -> dict[int, Message]:
        """The messages of these ids, by id; missing ones are left out.

        `redacted` takes the secrets out that were told in them.
        """

    def withhold_messages(self, ids: Iterable[int]) -> None:
        """From now on only their session sees these messages: they are kept, never recalled."""

    def list_withheld(self, session: str) -> list[tuple[str, str]]:
        """The messages of a session that others see only in part: whole, and what they see."""

    def quotes_of(self, texts: Iterable[str]) -> list[int]:
        """What quotes one of these texts: tool calls, their results, and replies that only quote
        the memory."""

    def messages_with(self, text: str, session: str) -> list[Message]:
        """The messages of a session that have this text, in their content or tool calls.

        Whether letters of ASCII are large or small is not asked.
        """

    def redact_messages(self, ids: Iterable[int]) -> int:
        """Blank the text of these messages for good; their place in the session stays."""

    def pending_turns(self) -> list[int]:
        """The ids of all turns that wait for extraction, the fresh ones first, oldest first.

        A turn whose extraction failed comes after those that were never tried, so that it keeps
        nothing waiting. A turn left open long ago (its answer never came) counts as waiting.
        """

    def get_exchanges(self, turns: Sequence[int]) -> list[Exchange]:
        """The exchanges of these turns, in their order, as far as they still wait.

        Without the secrets that were told in them: these stay in the history alone.
        """

    def list_pending(self, limit: int = 100) -> list[Exchange]:
        """Up to `limit` exchanges that wait for extraction, the fresh ones first."""

    def get_turn(self, turn: int) -> Turn | None:
        """How a turn stands in the queue, or None without such a turn."""

    def mark_extracted(self, kept: dict[int, int]) -> list[int]:
        """Mark turns as done, with the number of cells kept of each; return those now marked.

        Call it before inserting their cells, in one transaction: a turn that another process has
        marked meanwhile is not returned, and its cells must not be inserted again.
        """

    def mark_failed(self, turns: Iterable[int], error: str, *, count: bool = True) -> list[int]:
        """Note a failed extraction; return the turns that it is noted of, done ones left out.

        After `MAX_ATTEMPTS` a turn waits to be asked for again. `count=False` notes the reason
        only, for faults that are no fault of the turn's.
        """

    def retry_failed(self) -> int:
        """Put the failed turns back into the queue; return how many there were."""

    def count_turns(self) -> dict[TurnState, int]:
        """How many turns are in each state."""

    def list_errors(self, limit: int = 5) -> list[tuple[int, str, int, str]]:
        """Turns whose extraction failed, newest first: id, session, attempts, the last error."""


class Notebook(Protocol):
    """What sessions have written down, facts and notes; globals and counters, which all share.

    A fact is a key with any JSON value, of a session and a scope: "short" for the matter at hand,
    "long" for what is meant to last; short wins. What is missing is told apart from what is empty.
    """

    def remember_fact(self, session: str, key: str, value: Any, scope: FactScope = "short") -> None:
        """Save a fact, in place of the one of the same key and scope.

        Raises `TypeError` for a value that JSON can't hold as it is, `ValueError` for an empty key
        or an unknown scope.
        """

    def recall_fact(self, session: str, key: str, default: Any = None) -> Any:
        """The value of a key, short-term before long-term; `default` when there is none."""

    def get_fact(self, session: str, key: str, scope: FactScope | None = None) -> Fact | None:
        """The fact of a key, in one scope, or the short-term one before the long-term one."""

    def list_facts(self, session: str | None = None) -> list[Fact]:
        """The facts of a session, or of all, by session and key, short-term before long-term."""

    def delete_fact(self, session: str, key: str, scope: FactScope | None = None) -> int:
        """Remove the facts of a key, in one scope or both; return how many there were."""

    def add_note(self, session: str, note: str, *, at: datetime | None = None) -> Note:
        """Write a note down. Raises `ValueError` for an empty one."""

    def list_notes(self, session: str | None = None, *, last: int | None = None) -> list[Note]:
        """The notes of a session, or of all, oldest first; only the `last` so many, if given."""

    def delete_note(self, note_id: int) -> bool:
        """Remove a note; False when there is none of that id."""

    def upsert_global(self, key: str, value: Any) -> None:
        """Save a value that all sessions share; see `remember_fact` for what a value may be."""

    def get_global(self, key: str, default: Any = None) -> Any:
        """A value that all sessions share; `default` when there is none."""

    def list_globals(self) -> dict[str, Any]:
        """All values that the sessions share, by key."""

    def delete_global(self, key: str) -> bool:
        """Remove a shared value; False when there is none."""

    def add_to_counter(self, name: str, amount: int = 1) -> int:
        """Raise a counter, which begins at 0, in one statement; return where it stands now.

        Raises `TypeError` for an amount that is no whole number, `ValueError` where the counter
        would leave 64 bits; it then stays as it is.
        """

    def set_counter(self, name: str, count: int) -> int:
        """Set a counter; return where it stands now."""

    def get_counter(self, name: str) -> int | None:
        """Where a counter stands; None for one that was never used."""

    def list_counters(self) -> dict[str, int]:
        """All counters by name."""

    def delete_counter(self, name: str) -> bool:
        """Remove a counter; False when there is none."""


class Log(Protocol):
    """Who changed what in the memory, when and why; what its model calls cost."""

    def log_change(
        self,
        actor: str,
        action: str,
        subject: str,
        *,
        turn: int | None = None,
        before: str | None = None,
        after: str | None = None,
        reason: str | None = None,
        at: datetime | None = None,
    ) -> None:
        """Append one entry."""

    def list_changes(
        self, *, limit: int = 50, subject: str | None = None, actor: str | None = None
    ) -> list[Change]:
        """The latest changes, newest first; of one `subject` ("cell 12"), by one `actor`."""

    def blank_changes(self, subjects: Iterable[str], *, reasons: Iterable[str] = ()) -> None:
        """Remove what the entries about these subjects, or for these reasons, quote.

        That there was a change stays.
        """

    def rename_subjects(self, names: Mapping[str, str]) -> None:
        """Let the entries about these subjects speak of them by other names."""

    def note_usage(self, used: UsageRecord) -> None:
        """Count one model call."""

    def list_usage(self) -> UsageTotals:
        """What was used, newest day first."""


class Spoken(NamedTuple):
    """What is embedded of a message."""

    id: int
    speaker: str | None
    text: str

    @property
    def spoken(self) -> str:
        """What is embedded: the text, with the name of a person who says it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class Kept(NamedTuple):
    """What is held of one embedder: the length of its vectors, how many came and went."""

    dimensions: int
    added: int
    removed: int

    @property
    def held(self) -> int:
        """How many vectors there are."""
        return self.added - self.removed


class Vectors(Protocol):
    """The vectors of messages, by the name of the embedder that made them.

    A vector is half floats, little-endian, of length 1; it is of the text that all but the history
    see, and goes when that text changes.
    """

    def last_turn(self) -> int:
        """The id of the newest turn; 0 when there is none."""

    def waiting(self, embedder: str, limit: int | None = None, after_turn: int = 0) -> list[int]:
        """The messages, of turns after that one, that have no vector of this embedder."""

    def count_waiting(self, embedder: str) -> int:
        """How many messages have no vector of this embedder."""

    def spoken(self, messages: Iterable[int]) -> list[Spoken]:
        """What is embedded of those of these messages that still say something."""

    def insert_vectors(
        self,
        embedder: str,
        messages: Sequence[Spoken],
        vectors: Iterable[bytes],
        dimensions: int,
    ) -> None:
        """Store a vector for each message whose text is still the same, in one transaction.

        One of another embedder is replaced. Raises `ValueError` when the vectors of this embedder
        have another length.
        """

    def kept(self, embedder: str) -> Kept | None:
        """What there is of this embedder; None when it never made a vector here."""

    def added_after(self, embedder: str, number: int) -> list[tuple[int, bytes]]:
        """The messages whose vectors came after the first `number` ones, with these."""

    def of_messages(self, embedder: str, messages: Iterable[int]) -> list[tuple[int, bytes]]:
        """Those of these messages that have a vector, with it."""


class Store(Protocol):
    """One agent's memory as its store holds it: groups of tables, and one transaction over all.

    Threads and processes may share it. Every fault of the database leaves as a `DatabaseError`.
    """

    @property
    def cells(self) -> Cells: ...
    @property
    def scenes(self) -> Scenes: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def notebook(self) -> Notebook: ...
    @property
    def log(self) -> Log: ...
    @property
    def vectors(self) -> Vectors: ...

    def evidence(self, scope: Scope) -> Evidence:
        """What ranking reads, narrowed to `scope`; asked inside a `snapshot()`."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing: commits at the end, rolls back on any exception; nests.

        Whatever this thread writes or reads inside belongs to it. Raises `DatabaseError` when the
        store is read-only.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """All that this thread reads inside sees the memory as it was at the first read."""

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a `transaction()`."""

    @property
    def location(self) -> str:
        """Where the memory is, as it was opened: a file's path, or `:memory:`."""

    @property
    def read_only(self) -> bool:
        """Whether nothing can be stored."""

    def backup(self, destination: str | Path) -> Path:
        """Write a consistent copy to `destination`, safe while others write; return its path.

        Raises `DatabaseError` when the destination exists or can't be written.
        """

    def check(self) -> list[str]:
        """What is wrong with the store, a sentence each; empty when all is well."""

    def rebuild_index(self) -> None:
        """Make the full-text indexes anew from the texts."""

    def merge_index(self) -> None:
        """Bring the full-text indexes into the shape in which they are searched fastest.

        Worth it after much was stored at once; about a second for a million texts.
        """

    def scrub(self) -> None:
        """Remove what was deleted from the storage itself, so that no forgotten word is left."""

    def close(self) -> None:
        """Close. Closing twice is fine."""
