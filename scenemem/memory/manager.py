"""MemoryManager: durable intake of exchanges, their extraction into cells, scenes kept current.

An exchange is stored before anything is derived from it and stays pending until the transaction
that stores its cells marks it done. If the process crashes, the model is down or its reply can't be
read, the exchange is retried later. No model runs while a transaction is open.

A scene is due for a new summary when enough cells were stored after its watermark. The summary is
made from the cells themselves, never from the previous summary's wording, so what was forgotten
can't come back and no error is copied on. However large the scene is, the input is bounded: its
most salient and its newest cells, in the order they were said.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from scenemem.base.checks import (
    engine_given,
    ids_given,
    int_given,
    items_given,
    memory_given,
    quoted,
    reader_given,
    str_given,
)
from scenemem.base.errors import ExtractionError, ModelError, NotFoundError
from scenemem.base.outcomes import Extracted, Forgotten, Update
from scenemem.base.records import (
    Cell,
    CellDraft,
    Message,
    MessageDraft,
    Role,
    Scene,
    Source,
    now_utc,
)
from scenemem.base.session_records import Appended, Exchange
from scenemem.base.text import name_key
from scenemem.engines import default_engine
from scenemem.engines.engine import Engine, Extraction, PlainReader, SceneMerger, SceneSummary
from scenemem.memory.forgetting import forget_cells
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.usage import counting_in
from scenemem.retrieval.recall import recall_cells
from scenemem.store.protocol import Store

__all__ = ["DEFAULT_SESSION", "MemoryManager", "MemorySearch", "cells_to_summarize", "consolidate"]

DEFAULT_SESSION = "default"
_log = logging.getLogger("scenemem")


class MemoryManager:
    """Turns what was said into cells and scenes.

    `engine` defaults to the embedded engine, which needs no model; one engine may serve several
    managers, and each counts its model calls in its own memory: the manager's `engine` is then a
    view of the one given, with the same attributes. `extract_every` is how many turns `update` lets
    wait before it extracts them together: what waits is recalled all the same, and a model costs
    less for several at a time. `consolidate_after` is how many new cells make a scene due for a new
    summary (1: after each change; by default what the engine is best given).
    `fallback` reads what must be read without a model, when something is forgotten or a session
    compacted; by default the engine itself if it can, else the embedded engine.
    """

    def __init__(
        self,
        db: MemoryDB,
        engine: Engine | None = None,
        *,
        extract_every: int = 1,
        consolidate_after: int | None = None,
        fallback: PlainReader | None = None,
    ) -> None:
        memory_given(db)
        if fallback is not None:
            reader_given(fallback)
        if engine is not None:
            engine_given(engine)
        self.db = db
        self.engine = counting_in(db, default_engine() if engine is None else engine)
        # None: the default engine, which is loaded only if it is needed.
        self.fallback = fallback or (self.engine if isinstance(self.engine, PlainReader) else None)
        self.extract_every = int_given("extract_every", extract_every, 1)
        self.consolidate_after = (
            self.engine.economy.consolidate_after
            if consolidate_after is None
            else int_given("consolidate_after", consolidate_after, 1)
        )
        self._view = MemorySearch(db)

    # -- one exchange ------------------------------------------------------------------------

    def update(
        self,
        user_input: str,
        assistant_reply: str = "",
        *,
        session: str = DEFAULT_SESSION,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> Update:
        """Take in one exchange, extract what waits, renew the scenes that are due.

        `external_id` makes a retry harmless: a turn of that id is stored once. Returns what
        became of this exchange; a failure of the engine is no exception but `outcome="pending"`.
        """
        turn = self.take_in(
            user_input, assistant_reply, session=session, at=at, external_id=external_id
        )
        return self.digest(turn)

    def take_in(
        self,
        user_input: str,
        assistant_reply: str = "",
        *,
        session: str = DEFAULT_SESSION,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> int:
        """Store one exchange, durably, and leave its extraction for later; return its turn."""
        str_given("user_input", user_input)
        str_given("assistant_reply", assistant_reply)
        with self.db.transaction():
            turn, is_new = self.db.sessions.open_turn(
                session, MessageDraft("user", user_input, at=at), external_id=external_id
            )
            if is_new:
                if assistant_reply:
                    self.db.sessions.append_to_turn(
                        turn, [MessageDraft("assistant", assistant_reply, at=at)]
                    )
                self.db.sessions.close_turn(turn)
        return turn

    async def aupdate(
        self,
        user_input: str,
        assistant_reply: str = "",
        *,
        session: str = DEFAULT_SESSION,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> Update:
        """`update` in a thread of its own, so that an event loop goes on meanwhile."""
        import asyncio

        return await asyncio.to_thread(
            self.update,
            user_input,
            assistant_reply,
            session=session,
            at=at,
            external_id=external_id,
        )

    def digest(self, turn: int) -> Update:
        """Extract what waits, this turn among it, and renew the scenes that are due.

        With fewer than `extract_every` turns waiting, they wait on.
        """
        int_given("turn", turn)
        if len(self.db.sessions.pending_turns()) >= self.extract_every:
            self._consolidate_due(self.extract_pending().scenes)
        else:
            self._embed()
        cells = tuple(
            self.db.cells.cells_from([m.id for m in self.db.sessions.list_messages(turn=turn)])
        )
        found = self.db.sessions.get_turn(turn)
        if found is not None and found.state != "done":
            return Update(turn, "pending", cells, found.last_error)
        return Update(turn, "kept" if found and found.kept else "nothing to keep", cells)

    def end_session(self) -> None:
        """Extract all that waits and renew all summaries that are due."""
        self.extract_pending()
        self.consolidate_stale()

    def extract_cells(self, user_input: str, assistant_reply: str = "") -> list[CellDraft]:
        """What the engine would keep of an exchange, as drafts; nothing is stored.

        Raises `ModelError` when the model fails, `ExtractionError` when its answer can't be read.
        """
        str_given("user_input", user_input)
        str_given("assistant_reply", assistant_reply)
        now = now_utc()
        drafts: list[tuple[Role, str]] = [("user", user_input), ("assistant", assistant_reply)]
        messages = tuple(
            Message(number, DEFAULT_SESSION, 0, role, text, now)
            for number, (role, text) in enumerate(drafts, start=1)
            if text
        )
        if not messages:
            return []
        (extraction,) = self.engine.extract([Exchange(0, DEFAULT_SESSION, messages)], self._view)
        if extraction.error and not extraction.drafts:
            raise ExtractionError(extraction.error)
        return list(extraction.drafts)

    # -- in bulk -----------------------------------------------------------------------------

    def ingest(
        self,
        messages: Iterable[MessageDraft | Mapping[str, Any]],
        *,
        session: str = DEFAULT_SESSION,
        at: datetime | None = None,
    ) -> Appended:
        """Store past messages of a session, in one transaction; return those that were new.

        Messages are drafts, or mappings in OpenAI's form: `role`, `content` (text, a list of parts
        or null), and as they have them `name`, `tool_calls`, `id`, `at` (a datetime, an ISO 8601
        string or an epoch number). One whose id the session
        has already is skipped; one without a time takes that of the one before, at first `at` or
        now. Extraction waits for `extract_pending`, summaries for `consolidate_stale`. Raises
        `ValueError` for a mapping that is no message; nothing is stored then.
        """
        items = items_given("messages", messages, "messages")
        drafts = [draft for message in items if (draft := _as_draft(message))]
        appended = self.db.sessions.append_messages(session, drafts, at=at)
        self._embed()
        return appended

    def extract_pending(self, limit: int | None = None) -> Extracted:
        """Extract what waits, at most `limit` turns, a transaction a batch.

        Fresh turns come before those that failed. Stops when the engine can't be reached. With an
        embedder, messages without a vector get theirs.
        """
        if limit is not None:
            int_given("limit", limit)
        turns, cells, rejected = 0, list[Cell](), list[str]()
        failed: dict[int, str] = {}
        waiting = self.db.sessions.pending_turns()[:limit]
        size = self.engine.economy.batch
        for start in range(0, len(waiting), size):
            batch = self.db.sessions.get_exchanges(waiting[start : start + size])
            if not batch:
                continue  # another process was faster
            done, can_go_on = self._extract(batch)
            turns += done.turns
            cells += done.cells
            rejected += done.rejected
            failed.update(done.failed or {})
            if not can_go_on:
                break
        self._embed()
        return Extracted(turns, tuple(cells), failed or None, tuple(rejected))

    def _embed(self) -> None:
        """Embed the messages that have no vector yet, where the memory has an embedder."""
        if self.db.meaning is not None:
            self.db.meaning.keep_up()

    def _extract(self, exchanges: Sequence[Exchange]) -> tuple[Extracted, bool]:
        """What became of one batch, and whether the engine can be asked for more."""
        turns = [exchange.id for exchange in exchanges]
        try:
            extractions = self.engine.extract(exchanges, self._view)
        except ModelError as error:
            _log.warning("extraction of %d turns stays pending: %s", len(turns), error)
            self.db.sessions.mark_failed(turns, str(error), count=False)
            return Extracted(failed=dict.fromkeys(turns, str(error))), False
        return self._store(exchanges, extractions), not any(e.unread for e in extractions)

    def _store(self, exchanges: Sequence[Exchange], extractions: Sequence[Extraction]) -> Extracted:
        given = {exchange.id: exchange for exchange in exchanges}
        extractions = [_checked(e, given[e.exchange]) for e in extractions if e.exchange in given]
        failed = {e.exchange: e.error for e in extractions if e.error}
        uncounted = {e.exchange for e in extractions if e.unread}
        whole = {e.exchange: len(e.drafts) for e in extractions if not e.error}
        with self.db.transaction():
            marked = set(self.db.sessions.mark_extracted(whole))
            partly = {
                turn
                for turn, error in failed.items()
                if self.db.sessions.mark_failed([turn], error, count=turn not in uncounted)
            }
            read = marked | partly
            cells = self.db.cells.insert_cells(
                draft for e in extractions if e.exchange in read for draft in e.drafts
            )
            if cells:
                self.db.log.log_change(
                    self.engine.name,
                    "extract",
                    f"turns {min(read)} to {max(read)}" if len(read) > 1 else f"turn {min(read)}",
                    reason=f"{len(cells)} cells kept" if len(cells) != 1 else "1 cell kept",
                )
        for turn, error in failed.items():
            _log.warning("extraction of turn %d stays pending: %s", turn, error)
        return Extracted(
            turns=len(marked),
            cells=tuple(dict.fromkeys(cells)),
            failed=failed or None,
            rejected=tuple(reason for e in extractions for reason in e.rejected),
        )

    # -- scenes ------------------------------------------------------------------------------

    def consolidate_scene(self, scene: str) -> Scene:
        """Renew the summary of one scene, under any spelling of its name, and return the scene.

        Raises `NotFoundError` for an unknown scene, `ModelError` when the engine fails.
        """
        found = self.db.scenes.get_scene(scene)
        if found is None:
            raise NotFoundError.of("scene", scene)
        return consolidate(self.db, self.engine, found)

    def consolidate_stale(self, limit: int | None = None) -> list[Scene]:
        """Renew the summaries of all scenes that have cells beyond theirs; return those scenes.

        Stops at the first `ModelError` (a warning in the log); the rest stays stale.
        """
        if limit is not None:
            int_given("limit", limit)
        self._merge([scene.scene for scene in self.db.scenes.list_scenes(stale=True)])
        renewed = []
        for scene in self.db.scenes.list_scenes(stale=True, limit=limit):
            try:
                renewed.append(consolidate(self.db, self.engine, scene))
            except ModelError as error:
                _log.warning("the scene %r keeps its old summary: %s", scene.scene, error)
                break
        return renewed

    def _merge(self, scenes: Sequence[str]) -> None:
        """Bring scenes together that the engine takes for one; a caller's own scenes stay."""
        if not isinstance(self.engine, SceneMerger):
            return
        for scene, into in self.engine.merges(scenes, self._view):
            gone, kept = self.db.scenes.resolve_scene(scene), self.db.scenes.resolve_scene(into)
            if gone is None or kept is None or gone == kept:
                continue
            if self.db.scenes.is_extracted(gone) and self.db.scenes.is_extracted(kept):
                self.db.scenes.merge_scenes(gone, kept, actor=self.engine.name)

    def _consolidate_due(self, scenes: Sequence[str]) -> None:
        self._merge(scenes)
        current = [name for scene in scenes if (name := self.db.scenes.resolve_scene(scene))]
        due = {scene.scene for scene in self.db.scenes.list_due()}
        for scene in self.db.scenes.get_scenes([*current, *due]):
            waiting = len(
                self.db.cells.list_cells(
                    scene=scene.scene, after=scene.watermark, limit=self.consolidate_after
                )
            )
            if waiting < self.consolidate_after and scene.scene not in due:
                continue
            try:
                consolidate(self.db, self.engine, scene)
            except ModelError as error:
                _log.warning("the scene %r keeps its old summary: %s", scene.scene, error)
                return

    # -- forgetting --------------------------------------------------------------------------

    def forget(
        self,
        *,
        cells: Iterable[int] | None = None,
        scene: str | None = None,
        actor: str = "caller",
        turn: int | None = None,
    ) -> Forgotten:
        """Remove cells, or a scene with all its cells, and the words they came from, for good.

        All messages that told the cells are blanked in the history too (a message may have led to
        other cells: those stay), and so are replies and tool results that quoted them; the
        summaries that told of them are made anew, and the words leave the index and the file.
        `turn` is the turn in which it was asked for, for the change log.
        Raises `NotFoundError` for a cell or a scene that there isn't, `ValueError` if neither is
        given.
        """
        str_given("actor", actor)
        if turn is not None:
            int_given("turn", turn)
        if cells is None and scene is None:
            raise ValueError("forget needs cells or a scene, got neither")
        ids = [] if cells is None else ids_given("cells", cells)
        if scene is not None:
            ids += [c.id for c in self.db.cells.list_cells(scene=scene, superseded=True)]
        gone = forget_cells(self.db, ids, actor=actor, turn=turn, reader=self.fallback)
        if isinstance(self.engine, SceneMerger):
            self.engine.relearn(self._view)
        self.consolidate_stale()
        return gone


def _checked(extraction: Extraction, exchange: Exchange) -> Extraction:
    """The extraction with its drafts checked one by one, and where and when they were said."""
    drafts, rejected = list[CellDraft](), list(extraction.rejected)
    first, last = exchange.messages[0].id, exchange.messages[-1].id
    for draft in extraction.drafts:
        try:
            draft.validated()
        except (TypeError, ValueError) as error:
            rejected.append(f"a draft of turn {exchange.id} was refused: {error}")
            continue
        source = draft.source or Source(exchange.session, first, last)
        drafts.append(draft._replace(source=source, at=draft.at or exchange.at))
    return extraction._replace(drafts=tuple(drafts), rejected=tuple(rejected))


def _as_draft(message: MessageDraft | Mapping[str, Any]) -> MessageDraft | None:
    if isinstance(message, MessageDraft):
        return message
    if not isinstance(message, Mapping):
        raise TypeError(f"a message must be a MessageDraft or a dict, got {quoted(message)}")
    from scenemem.memory.importing.openai_messages import check_times, read_message

    check_times(message)
    return read_message(message)


# -- summaries -----------------------------------------------------------------------------------


def cells_to_summarize(salient: Sequence[Cell], newest: Sequence[Cell], most: int) -> list[Cell]:
    """At most `most` cells, half the most salient and half the newest, in the order they were said.

    Pure; `salient` and `newest` are sorted best first.
    """
    chosen: dict[int, Cell] = {}
    for ranked in (salient[: most // 2], newest, salient[most // 2 :]):
        for cell in ranked:
            if len(chosen) < most:
                chosen.setdefault(cell.id, cell)
    return [chosen[cell_id] for cell_id in sorted(chosen)]


def consolidate(db: MemoryDB, engine: Engine, scene: Scene) -> Scene:
    """Rewrite one scene's summary, and rename the scene if the engine suggests a better name.

    The engine runs outside any transaction. If cells are stored meanwhile, the summary does not
    cover them and the scene stays stale. Raises `ModelError` if the engine fails; nothing is
    changed then.
    """
    most = engine.economy.summary_cells
    newest = db.cells.list_cells(scene=scene.scene, order="newest", limit=most)
    if not newest:
        return scene
    salient = db.cells.list_cells(scene=scene.scene, order="salience", limit=most)
    summary = engine.summarize(scene, cells_to_summarize(salient, newest, most))
    with db.transaction():
        now = db.scenes.get_scene(scene.scene)
        if now is None or now.watermark > newest[0].id:
            return now or scene  # forgotten, or rewritten from newer cells by another process
        renewed = db.scenes.upsert_scene(
            now.scene, summary.text, watermark=newest[0].id, actor=engine.name
        )
        return _rename_if_better(db, renewed, summary, engine.name)


def _rename_if_better(db: MemoryDB, scene: Scene, summary: SceneSummary, actor: str) -> Scene:
    name = summary.name
    if name is None or name_key(name) == name_key(scene.scene):
        return scene
    if not db.scenes.is_extracted(scene.scene):
        return scene  # the name is a caller's choice
    if db.scenes.resolve_scene(name) is not None:
        return scene  # the name belongs to another scene
    return db.scenes.rename_scene(scene.scene, name, actor=actor)


# -- what an engine may ask ----------------------------------------------------------------------


class MemorySearch:
    """`engine.MemoryView` over a memory file; messages take no part in it."""

    def __init__(self, db: Store) -> None:
        self._db = db

    def related_cells(self, text: str, limit: int = 10) -> list[Cell]:
        """The cells in force that match `text` best, best first."""
        return list(recall_cells(self._db, text, limit))

    def related_scenes(self, text: str, limit: int = 8) -> list[Scene]:
        """The scenes whose cells match `text` best, best first."""
        cells = recall_cells(self._db, text, 4 * limit)
        names = list(dict.fromkeys(cell.scene for cell in cells))
        return self._db.scenes.get_scenes(names[:limit])

    def cells_from(self, messages: Sequence[int]) -> list[Cell]:
        """The cells that are already stored from these messages, oldest first."""
        return self._db.cells.cells_from(messages)

    def recent_cells(self, limit: int) -> list[Cell]:
        """The newest cells in force, at most `limit`, oldest first."""
        return self._db.cells.list_cells(order="newest", limit=limit)[::-1]

    def cells_after(self, cell_id: int, limit: int) -> list[Cell]:
        """Up to `limit` cells in force with ids above `cell_id`, oldest first."""
        return self._db.cells.list_cells(after=cell_id, limit=limit)
