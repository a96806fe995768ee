"""What a store offers: everything the layers above ask of one agent's memory, as protocols.

To write another store, implement these protocols and `evidence.Evidence` in a folder of its own
and add it to `tests/stores.py`: the tests in `tests/store` run over every store listed there. No
connection, cursor, row or query leaves a store, only records and plain values. What all methods
have in common:

Words
    A cell is *in force* until another one supersedes it. A scene's summary covers the scene's cells
    up to its *watermark*, the id of a cell. A scene is *due* when something its summary may tell
    has changed: a cell of it was corrected, superseded, deleted or merged in. It is *stale* when it
    is due or its newest cell in force lies beyond the watermark. A scene without any cell in force
    is neither; when its last one goes, so does its summary. A turn is *open* until its answer is
    there, *pending* while it waits for extraction, *done* once its cells are stored, and *failed*
    after `MAX_ATTEMPTS` failures. A *redacted* text is what everybody but the session's own history
    sees of a message: without secrets, and without what was withheld.

Ids
    A message's id is `session number << SESSION_SHIFT | position`. Sessions are numbered from 1,
    positions count from 1 without a gap, and messages are never deleted: ranking takes id ± 1 for
    a message's neighbours and `id >> SESSION_SHIFT` for its session. Ids of cells, turns and notes
    only grow and are never given twice, not even after a deletion. So the order of ids is the
    order of storage; of messages, within their session.

Order
    A list has the order its method names. Where none is named, the order means nothing.

Text and time
    Text is stored as `base.text.clean` leaves it. `base.secrets.without_secrets` goes over all that
    is derived from messages before it is stored: contents of cells, names of scenes that drafts
    bring along, summaries, log entries. Instants come back aware, in UTC, to the microsecond; one
    that is given without a zone is UTC.

Writers and readers
    Every method that writes is all or nothing by itself, and joins the `transaction()` it is
    called in. Writers take turns: what a transaction has read stays true until it ends. So two
    processes writing at once never give an id twice, never store the same `external_id` in a
    session or two scenes for one name, never mark a turn as done twice, and lose no count of a
    counter, `told` or `recalls`. Readers wait for nobody and see what was committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from scenemem.base.checks import LARGEST_INT

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from scenemem.base.cell_types import CellType
    from scenemem.base.outcomes import Change, UsageRecord, UsageTotals
    from scenemem.base.records import Cell, CellDraft, Message, MessageDraft, Role, Scene
    from scenemem.base.session_records import (
        Appended,
        Compaction,
        Exchange,
        Fact,
        FactScope,
        Note,
        Session,
        Turn,
        TurnState,
    )
    from scenemem.store.evidence import Evidence, Scope
    from scenemem.store.records import Kept, PastCell, PastMessage, PastTurn, Spoken
else:
    # Making protocols takes every command a millisecond, and nothing asks for them at run time.
    Protocol = object

__all__ = [
    "DEFAULT_SCENE",
    "LARGEST_COUNT",
    "MAX_ATTEMPTS",
    "REPLY_GRACE",
    "Cells",
    "Log",
    "Notebook",
    "Scenes",
    "Sessions",
    "Store",
    "Vectors",
]

DEFAULT_SCENE = "General"  # where cells go that name no scene
MAX_ATTEMPTS = 5  # failed extractions of one turn before it waits to be asked for again
REPLY_GRACE = timedelta(minutes=10)  # a turn left open for so long won't get its answer
LARGEST_COUNT = LARGEST_INT  # of a counter, in both directions


class Cells(Protocol):
    """The cells of a memory.

    A cell is stored once. A draft repeats a cell in force when `fingerprint` and speaker are the
    same and it belongs to the same scene; a draft that has a source, whose scene an engine chose,
    repeats a cell of any scene. A repeat increments `told`, raises the salience to its own if that
    is higher, and records its message; the same message counts once. A superseded cell is kept,
    with the time at which that happened.
    """

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        """Store one cell and return it; of a repeat, return the cell that it repeats.

        A mapping has the fields of `CellDraft`: `content`, and optionally `scene`, `cell_type`,
        `salience` and so on. Raises `ValueError` if the content is empty, the type unknown or the
        salience outside 0 to 1, `TypeError` for an unknown field.
        """

    def insert_cells(self, cells: Iterable[CellDraft | Mapping[str, Any]]) -> list[Cell]:
        """Store cells, all or none; return one for each draft, in their order.

        A draft may supersede cells of drafts before it. Cells that it repeats are returned as they
        are after the last draft.
        """

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
        """Correct a cell in place; what is None stays as it is. The old text stays in the log.

        The summaries of its scene, and of the one it moves to, become due. Raises `NotFoundError`
        if there is no such cell, `ValueError` as `insert_cell` does.
        """

    def supersede_cell(
        self, cell_id: int, by: int, *, at: datetime | None = None, actor: str = "caller"
    ) -> None:
        """Mark `cell_id` as superseded by `by`, effective `at`, by default when `by` was said.

        Its scene becomes due. Raises `NotFoundError` if one of them is missing, `ValueError` if
        both are the same or `by` was itself superseded by `cell_id`, directly or by way of others.
        """

    def restore_cells(self, cells: Sequence[PastCell], taken: set[int]) -> tuple[list[int], int]:
        """Put cells back as another memory had them; return their ids here, and how many are new.

        A cell that is here already (same text, time, speaker, source and scene) stays as it is, as
        does one that was corrected here since; one whose earlier text is here is corrected. A cell
        in force that repeats one in force only adds its tellings to it. `taken` are the ids that
        cells of the same memory have been given already; it grows. A cell with `valid_to` is out
        of force at once, and superseded by itself until `restore_succession` says by which other.
        """

    def restore_succession(self, cell_id: int, by: int | None, *, at: datetime | None) -> bool:
        """Say which cell superseded a restored one; None puts it back in force.

        A cell in force becomes superseded at `at`; one that another cell superseded stays so. False
        if `by` is the cell itself or was superseded by it, directly or by way of others: then it is
        in force, as none of them would be otherwise.
        """

    def delete_cells(self, ids: Iterable[int]) -> list[Cell]:
        """Delete cells for good and return what they were; unknown ids are skipped.

        Nothing that quotes them is left in this store's cells, scenes and log: their scenes'
        summaries are emptied and due, their scenes' aliases removed, scenes left without cells
        deleted (and renamed to "a forgotten scene" in the log), log entries about them blanked.
        Cells they had superseded are in force again. Messages stay as they are:
        `MemoryManager.forget` takes care of those.
        """

    def note_recalled(self, ids: Iterable[int]) -> None:
        """Increment `recalls` of these cells, as an answer was built on them; skips unknown ids."""

    def get_cell(self, cell_id: int) -> Cell | None:
        """The cell with that id, or None."""

    def get_cells(self, ids: Iterable[int]) -> dict[int, Cell]:
        """The cells with these ids, by id; missing ones are left out."""

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
        """The cells in force, with `superseded` also those replaced.

        `scene` may be any spelling. They were said from `since` on and before `until`, and have
        ids above `after`. `order` is by id ("told"), newest id first ("newest"), or highest
        salience first, the newer first among equals ("salience"). Raises `NotFoundError` for an
        unknown scene.
        """

    def list_most_salient(self, limit: int) -> list[Cell]:
        """The most salient cells in force, at most `limit`, the newer first among equals.

        All cells of salience 0.75 or more are considered, and of the others at least the newest
        thousand: a large memory need not be read through.
        """

    def cells_from(self, messages: Iterable[int]) -> list[Cell]:
        """The cells, superseded ones included, that came from these messages, in order.

        A cell came from the first and the last message of its source, and from those that told it
        again.
        """

    def list_same(self, texts: Iterable[str]) -> list[Cell]:
        """The cells with the words of one of these texts (the same `fingerprint`), oldest first.

        Superseded cells are among them.
        """

    def list_superseded(self, by: Iterable[int]) -> list[Cell]:
        """The cells whose place these cells took, oldest first."""

    def is_superseded(self, content: str) -> bool:
        """Whether a cell of this content (by `fingerprint`) was superseded and none is in force."""

    def told_in(self, cells: Iterable[int]) -> list[int]:
        """The messages that told these cells again, beyond those that they came from."""

    def list_speakers(self) -> list[str]:
        """The names of those who speak in this memory, in messages or cells. Every recall asks."""

    def count_cells(self, *, superseded: bool = False) -> int:
        """How many cells are in force, or how many have been superseded."""


class Scenes(Protocol):
    """The scenes of a memory, their summaries, and the spellings that lead to them.

    A scene is found under any spelling of its name (two are the same when `base.text.name_key` is)
    and under every name it had before. Each key leads to one scene at most. Apart from
    `get_scenes` and `is_extracted`, which take stored names, every `scene` may be any spelling.
    """

    def resolve_scene(self, scene: str) -> str | None:
        """The stored name of the scene found under this spelling or alias, or None."""

    def get_scene(self, scene: str) -> Scene | None:
        """The scene under any spelling of its name or an alias, or None."""

    def get_scenes(self, scenes: Iterable[str]) -> list[Scene]:
        """The scenes of these stored names, in their order; missing ones are left out."""

    def list_scenes(self, *, stale: bool = False, limit: int | None = None) -> list[Scene]:
        """All scenes, or only the `stale` ones; the one with the latest cell first, then by name.

        A scene without cells counts by when it was made or summarized.
        """

    def ensure_scene(self, scene: str) -> str:
        """The stored name for any spelling of a scene's name; makes the scene if it is new.

        An empty name stands for `DEFAULT_SCENE`.
        """

    def upsert_scene(
        self,
        scene: str,
        summary: str,
        *,
        watermark: int | None = None,
        at: datetime | None = None,
        actor: str = "caller",
    ) -> Scene:
        """Write a scene's summary, making the scene if it is new; return the scene.

        `watermark` is the id of the last cell that the summary covers, by default the scene's
        newest. The scene is no longer due. The old summary stays in the change log.
        """

    def add_alias(self, scene: str, alias: str) -> None:
        """Make another spelling lead to a scene; one that already leads to a scene is left alone.

        Raises `NotFoundError` if there is no such scene.
        """

    def rename_scene(
        self, scene: str, name: str, *, actor: str = "caller", keep_alias: bool = True
    ) -> Scene:
        """Give a scene another name; its cells, and the log's entries about it, follow.

        The old name stays an alias unless `keep_alias` is False, which removes every other alias
        too. Raises `NotFoundError` if there is no such scene, `ValueError` if the new name is
        empty or belongs to another scene (merge them instead).
        """

    def merge_scenes(self, scene: str, into: str, *, actor: str = "caller") -> Scene:
        """Move all cells and aliases of one scene into another, which becomes due; return that.

        Merging a scene into itself changes nothing. Raises `NotFoundError` if one is missing.
        """

    def list_due(self) -> list[Scene]:
        """The scenes that are due, by name."""

    def is_extracted(self, scene: str) -> bool:
        """Whether all cells of the scene of this stored name came from messages.

        Its engine named it then, and may rename it.
        """

    def retrieve_scene_summary(self, scene: str) -> str:
        """The summary of a scene, under any spelling; "" when there is none yet."""

    def count_scenes(self, *, stale: bool = False) -> int:
        """How many scenes there are, or how many of them are stale."""


class Sessions(Protocol):
    """The sessions of a memory: verbatim messages in turns, summaries, the queue of extraction.

    Where a parameter is called `session`, it is the session's name.
    """

    def ensure_session(self, session: str, at: datetime | None = None) -> Session:
        """The session by that name, made if there is none; it begins `at`, by default now."""

    def get_session(self, session: str) -> Session | None:
        """The session by that name, or None."""

    def list_sessions(self) -> list[Session]:
        """All sessions, the one with the latest message first."""

    def get_summary(self, session: str) -> tuple[str, int]:
        """A session's summary and the id of the last message that it covers; ("", 0) for none."""

    def set_summary(self, session: str, summary: str) -> None:
        """Give a session this summary, making the session if it is new.

        It covers the same messages as the one before, and counts as given: `drop_summaries` keeps
        it.
        """

    def compact_session(self, done: Compaction, summary: str, *, after: int) -> bool:
        """Replace a session's summary by one that covers more, and record it.

        `after` is the id of the last message that the summary covered when the work on `summary`
        began. If that has changed since, nothing is stored and False is returned. Raises
        `NotFoundError` if there is no such session.
        """

    def list_compactions(self, session: str | None = None) -> list[Compaction]:
        """What compaction did, of one session or of all, oldest first."""

    def drop_summaries(self, messages: Sequence[int], texts: Sequence[str] = ()) -> list[str]:
        """Take back the summaries that cover any of these messages; return their sessions' names.

        Nothing is covered then, so the next compaction condenses the messages anew. What was given
        as a summary (`set_summary`) is restored, without the lines that tell one of `texts`.
        """

    def open_turn(
        self, session: str, question: MessageDraft, *, external_id: str | None = None
    ) -> tuple[int, bool]:
        """Store the message that begins a turn; return the turn's id and whether it is new.

        If the session already has a turn of this `external_id`, nothing is stored and that turn is
        returned. Earlier turns of the session that are still open become pending.
        """

    def append_to_turn(self, turn: int, drafts: Sequence[MessageDraft]) -> tuple[Message, ...]:
        """Store further messages of a turn, in order.

        A turn that is done becomes pending again, as these messages were not extracted. Raises
        `NotFoundError` if there is no such turn.
        """

    def close_turn(self, turn: int) -> None:
        """Make an open turn pending, as it is complete."""

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
        """Store one message as it is said; return it, or None if its `external_id` is known.

        A message of role user or system begins a turn, others continue the session's last one (a
        done turn becomes pending again). A system message, or an assistant's without tool calls,
        completes its turn, which becomes pending.
        """

    def append_messages(
        self, session: str, drafts: Iterable[MessageDraft], *, at: datetime | None = None
    ) -> Appended:
        """Store messages of a past conversation, as turns that are pending.

        The first message, and every one of role user or system, begins a turn; others continue the
        one before. Messages whose `external_id` the session already has are skipped. A message
        without a time takes that of the one before it; the first takes `at`, by default now.
        """

    def restore_messages(
        self, session: str, messages: Sequence[PastMessage], turns: dict[int, int]
    ) -> tuple[list[int], int]:
        """Put messages back as another memory had them; return their ids here, how many are new.

        Turns come back in the state they were in, so that what was extracted is not extracted
        again; one that is done here stays done. A message whose id the session has already, or
        that is the very message it was exported from, is not stored again. `turns` holds the ids
        here of turns restored before, by their number there; it grows.
        """

    def restore_summary(
        self, session: str, summary: str, given: str, through: int, done: Sequence[Compaction]
    ) -> bool:
        """Put back a session's summary, and what compaction did; False if it has a summary.

        `given` is the summary that a caller gave, `through` the last message that it covers.
        """

    def given_summary(self, session: str) -> str:
        """The summary that a caller or an import gave a session, which compaction built upon."""

    def get_turns(self, turns: Iterable[int]) -> dict[int, PastTurn]:
        """These turns as they stand in the queue, by id; missing ones are left out."""

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
        """The messages of a session, of a turn, or all, by id; those with ids above `after`.

        `limit` takes the first so many, or with `last` the last. `redacted` shows them as all but
        the session's history see them.
        """

    def get_messages(self, ids: Iterable[int], *, redacted: bool = False) -> dict[int, Message]:
        """The messages with these ids, by id; missing ones are left out.

        `redacted` shows them as all but the session's history see them.
        """

    def withhold_messages(self, ids: Iterable[int]) -> None:
        """Show these messages to their session's history only: empty their redacted text."""

    def list_withheld(self, session: str) -> list[tuple[str, str]]:
        """The messages of a session with a redacted text, by id: the whole text, and that."""

    def quotes_of(self, texts: Iterable[str]) -> list[int]:
        """The ids of messages that quote one of these texts, letter for letter.

        Only what quotes by itself counts: tool calls (in their arguments), tool results, echoes. An
        id may come once for each text.
        """

    def messages_with(self, text: str, session: str) -> list[Message]:
        """The messages of a session that hold this text in content or tool calls, by id.

        The case of ASCII letters doesn't matter.
        """

    def redact_messages(self, ids: Iterable[int]) -> int:
        """Blank text and tool calls of these messages for good; return how many had any.

        Their place in the session stays.
        """

    def pending_turns(self) -> list[int]:
        """The ids of all turns that wait for extraction: pending, or open for over `REPLY_GRACE`.

        Turns without an error come first, then those with the fewest attempts; the older first
        among equals. So a turn that fails holds up no other.
        """

    def get_exchanges(self, turns: Sequence[int]) -> list[Exchange]:
        """The exchanges of those of these turns that are pending or open, in the order given.

        Their messages are redacted.
        """

    def list_pending(self, limit: int = 100) -> list[Exchange]:
        """The exchanges of the first `limit` of `pending_turns()`."""

    def get_turn(self, turn: int) -> Turn | None:
        """How a turn stands in the queue, or None if there is no such turn."""

    def mark_extracted(self, kept: dict[int, int]) -> list[int]:
        """Mark turns as done, each with the number of cells kept; return those marked by this call.

        Call it before inserting their cells, in one transaction: a turn that is done already, as
        another process was faster, is not returned, and its cells must not be inserted.
        """

    def mark_failed(self, turns: Iterable[int], error: str, *, count: bool = True) -> list[int]:
        """Record a failed extraction of turns that are not done; return those turns.

        A turn with `MAX_ATTEMPTS` failures becomes failed, any other pending. `count=False` records
        the reason only, for faults that are not the turn's.
        """

    def retry_failed(self) -> int:
        """Make the failed turns pending, with no attempts counted; return how many there were."""

    def count_turns(self) -> dict[TurnState, int]:
        """How many turns are in each state."""

    def list_errors(self, limit: int = 5) -> list[tuple[int, str, int, str]]:
        """Turns that are not done and have an error, the newest first, at most `limit`.

        Each with its id, session, attempts and last error.
        """


class Notebook(Protocol):
    """What sessions have written down, facts and notes; globals and counters, which all share.

    A fact is a key with any JSON value, of a session and a scope: "short" for the matter at hand,
    "long" for what is meant to last; short wins. What is missing is told apart from what is empty.
    """

    def remember_fact(
        self,
        session: str,
        key: str,
        value: Any,
        scope: FactScope = "short",
        *,
        at: datetime | None = None,
    ) -> None:
        """Save a fact, replacing the one of the same key and scope; makes the session if it is new.

        It counts as updated `at`, by default now.

        The value must come back from JSON as it was. Raises `TypeError` if it would not,
        `ValueError` if the key is empty or the scope unknown.
        """

    def recall_fact(self, session: str, key: str, default: Any = None) -> Any:
        """The value of a key, short-term before long-term; `default` if there is none."""

    def get_fact(self, session: str, key: str, scope: FactScope | None = None) -> Fact | None:
        """The fact of a key, in one scope, or the short-term one before the long-term one."""

    def list_facts(self, session: str | None = None) -> list[Fact]:
        """The facts of a session or of all, by session (the older first), key, short-term first."""

    def delete_fact(self, session: str, key: str, scope: FactScope | None = None) -> int:
        """Remove the facts of a key, in one scope or both; return how many there were."""

    def add_note(self, session: str, note: str, *, at: datetime | None = None) -> Note:
        """Write a note down; makes the session if it is new. Raises `ValueError` if it is empty."""

    def list_notes(self, session: str | None = None, *, last: int | None = None) -> list[Note]:
        """The notes of a session or of all, oldest first; with `last` only the last so many."""

    def delete_note(self, note_id: int) -> bool:
        """Remove a note; False if there is none with that id."""

    def upsert_global(self, key: str, value: Any) -> None:
        """Save a value that all sessions share; see `remember_fact` for what a value may be."""

    def get_global(self, key: str, default: Any = None) -> Any:
        """A value that all sessions share; `default` if there is none."""

    def list_globals(self) -> dict[str, Any]:
        """All values that the sessions share, by key."""

    def delete_global(self, key: str) -> bool:
        """Remove a shared value; False if there is none."""

    def add_to_counter(self, name: str, amount: int = 1) -> int:
        """Add to a counter, which starts at 0; return the sum. No concurrent addition is lost.

        Raises `TypeError` if the amount is not an int, `ValueError` if the counter would go beyond
        ±`LARGEST_COUNT`; it then stays as it is.
        """

    def set_counter(self, name: str, count: int) -> int:
        """Set a counter; return it. Raises as `add_to_counter` does."""

    def get_counter(self, name: str) -> int | None:
        """What a counter stands at; None if it was never used."""

    def list_counters(self) -> dict[str, int]:
        """All counters by name."""

    def delete_counter(self, name: str) -> bool:
        """Remove a counter; False if there is none."""


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
        """Append one entry; the time is now unless `at` is given."""

    def list_changes(
        self, *, limit: int = 50, subject: str | None = None, actor: str | None = None
    ) -> list[Change]:
        """The latest changes, newest first, of one `subject` ("cell 12") or by one `actor`."""

    def blank_changes(self, subjects: Iterable[str], *, reasons: Iterable[str] = ()) -> None:
        """Blank `before` and `after` of the entries about these subjects or for these reasons."""

    def rename_subjects(self, names: Mapping[str, str]) -> None:
        """Change the subjects of entries: from each key to its value."""

    def note_usage(self, used: UsageRecord) -> None:
        """Count one model call."""

    def list_usage(self) -> UsageTotals:
        """What was used, by day (the newest first), model and purpose."""


class Vectors(Protocol):
    """The vectors of messages, by the name of the embedder that made them.

    A vector is of length 1, as little-endian half floats. A message has one at most, of its
    redacted text: a text that changes takes its vector away, whoever changes it. Only what can be
    recalled gets one: messages of user and assistant that are no echo and say something.
    """

    def last_turn(self) -> int:
        """The id of the newest turn; 0 if there is none."""

    def waiting(self, embedder: str, limit: int | None = None, after_turn: int = 0) -> list[int]:
        """The messages of turns after `after_turn` that want a vector of this embedder, by id."""

    def count_waiting(self, embedder: str) -> int:
        """How many messages want a vector of this embedder."""

    def spoken(self, messages: Iterable[int]) -> list[Spoken]:
        """What is embedded of these messages, without those that say nothing any more."""

    def insert_vectors(
        self,
        embedder: str,
        messages: Sequence[Spoken],
        vectors: Iterable[bytes],
        dimensions: int,
    ) -> None:
        """Store a vector for each message whose redacted text is still the same, all or none.

        A message's vector of whatever embedder is replaced. Raises `ValueError` if vectors of this
        embedder have other `dimensions`.
        """

    def kept(self, embedder: str) -> Kept | None:
        """What there is of this embedder; None if it never made a vector here."""

    def added_after(self, embedder: str, number: int) -> list[tuple[int, bytes]]:
        """The messages and vectors that came after the first `number` vectors of this embedder.

        Those that went are counted too, so that `Kept.added` is the `number` for the next time.
        """

    def of_messages(self, embedder: str, messages: Iterable[int]) -> list[tuple[int, bytes]]:
        """Those of these messages that have a vector of this embedder, with it."""


class Store(Protocol):
    """One agent's memory: its groups, and one transaction over all of them.

    Threads may share a store, and processes may open the same memory. Every fault of the database
    leaves as a `DatabaseError`, in one sentence that names the memory.
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
        """What ranking reads, narrowed to `scope`; open and use it inside one `snapshot()`."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing: commits at the end, rolls back on any exception.

        Whatever this thread reads or writes inside, through any group, belongs to it. Transactions
        nest: an inner one that fails takes back only what was written in it. It is the only writer
        from its beginning on; others wait. Raises `DatabaseError` if the store is read-only.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything this thread reads inside sees the memory as it was at the first read.

        Nothing is written inside, except where it stands in a `transaction()`: there it changes
        nothing. Snapshots nest, as part of the outer one.
        """

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a `transaction()`."""

    @property
    def location(self) -> str:
        """Where the memory is, as it was opened: a file's path, ":memory:", or an address."""

    @property
    def read_only(self) -> bool:
        """Whether the store can only be read."""

    def backup(self, destination: str | Path) -> Path:
        """Write a consistent copy to `destination` while others may write; return its path.

        Raises `DatabaseError` if the destination exists or can't be written.
        """

    def check(self) -> list[str]:
        """What is wrong with the store, a sentence each; empty if all is well.

        Cells that supersede themselves or one another are among it: they are out of force for good.
        """

    def rebuild_index(self) -> None:
        """Rebuild the full-text indexes from the texts."""

    def merge_index(self) -> None:
        """Bring the full-text indexes into the shape that is searched fastest.

        Worth it after much was stored at once; takes about a second for a million texts.
        """

    def scrub(self) -> None:
        """Remove from the storage itself what was deleted, so that no forgotten word is left."""

    def close(self) -> None:
        """Close. Closing twice is fine."""
