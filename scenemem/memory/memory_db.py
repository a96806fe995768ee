"""MemoryDB: one agent's memory, combining its store, recall of cells, and an embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from scenemem.base.checks import function_given, int_given, store_given, str_given
from scenemem.base.errors import DatabaseError
from scenemem.store.sqlite.store import SQLiteStore

if TYPE_CHECKING:
    from pathlib import Path

    from scenemem.base.outcomes import Status
    from scenemem.base.records import Cell, CellDraft, Scene
    from scenemem.retrieval.embedding import Embedder
    from scenemem.retrieval.meaning import Meaning
    from scenemem.store.evidence import Evidence, Scope
    from scenemem.store.protocol import Cells, Log, Notebook, Scenes, Sessions, Store, Vectors

__all__ = ["MemoryDB"]

IN_MEMORY = ":memory:"


class MemoryDB:
    """One agent's memory, in the file at `path` (created if missing) or in ":memory:".

    Its contents are grouped: `cells`, `scenes`, `sessions` (messages, turns, summaries), `notebook`
    (facts, notes, globals, counters), `log` (changes, usage) and `vectors`. A `transaction()` spans
    all of them. `read_only` never writes; `synchronous="NORMAL"` is faster but may lose the last
    commits in a power failure. Raises `DatabaseError` or `SchemaVersionError` if the file can't be
    used. Use it as a context manager or call `close()`; everything is then in the one file. Threads
    and processes may share it.

    With an `embedder`, recall also finds messages close in meaning to the question; their vectors
    are kept in the same file (see `embed_pending`). This needs the extra `dense`: raises
    `MissingExtraError` without it, or `TypeError` if `embedder` is not an `Embedder`.

    Instead of a path, `store` gives a store that is open already, of any kind: what implements
    `scenemem.store.protocol.Store`. Closing the memory closes it.
    """

    def __init__(
        self,
        path: str | Path = IN_MEMORY,
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        embedder: Embedder | None = None,
        store: Store | None = None,
    ) -> None:
        if store is None:
            store = SQLiteStore(path, read_only=read_only, synchronous=synchronous)
        else:
            store_given(store)
            if path != IN_MEMORY or read_only or synchronous != "FULL":
                raise ValueError(
                    "MemoryDB takes a store or a path, got both; path, read_only and synchronous "
                    "say how to open a file"
                )
        self.store: Store = store
        self.meaning: Meaning | None = None
        if embedder is not None:
            from scenemem.retrieval.meaning import Meaning  # and with it numpy

            self.meaning = Meaning(self.store, embedder)

    # -- contents ----------------------------------------------------------------------------

    @property
    def cells(self) -> Cells:
        """The cells: typed, dated statements, each with its scene and its source."""
        return self.store.cells

    @property
    def scenes(self) -> Scenes:
        """The scenes: named groups of cells, their summaries and aliases."""
        return self.store.scenes

    @property
    def sessions(self) -> Sessions:
        """The sessions: verbatim messages in turns, summaries, and the extraction queue."""
        return self.store.sessions

    @property
    def notebook(self) -> Notebook:
        """The facts and notes of each session, and the globals and counters all sessions share."""
        return self.store.notebook

    @property
    def log(self) -> Log:
        """The change log and the usage of model calls."""
        return self.store.log

    @property
    def vectors(self) -> Vectors:
        """The vectors of messages, by embedder."""
        return self.store.vectors

    def transaction(self) -> AbstractContextManager[None]:
        """Commit at the end, or roll back on any exception. Transactions nest.

        Raises `DatabaseError` if the memory is read-only.
        """
        return self.store.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        """Within it, this thread reads the memory as it was at the first read."""
        return self.store.snapshot()

    def evidence(self, scope: Scope) -> Evidence:
        """The evidence that ranking reads, limited to `scope`; use it inside a `snapshot()`."""
        return self.store.evidence(scope)

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a `transaction()`."""
        return self.store.in_transaction

    # -- cells and scenes, by their published names -----------------------------------------

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        """Store one cell; see `cells.insert_cell`."""
        return self.cells.insert_cell(cell)

    def get_scene(self, scene: str) -> Scene | None:
        """The scene with this name or alias, in any spelling, or None."""
        return self.scenes.get_scene(scene)

    def upsert_scene(
        self,
        scene: str,
        summary: str,
        *,
        watermark: int | None = None,
        at: datetime | None = None,
        actor: str = "caller",
    ) -> Scene:
        """Write a scene's summary; see `scenes.upsert_scene`."""
        return self.scenes.upsert_scene(scene, summary, watermark=watermark, at=at, actor=actor)

    def retrieve_scene_context(self, query: str, limit: int = 6) -> list[Cell]:
        """Up to `limit` cells relevant to `query`, best first; each names its scene.

        Empty if none is relevant. `recall` also returns messages, summaries and reasons.
        """
        from scenemem.retrieval.recall import recall_cells  # most commands recall nothing

        str_given("query", query)
        int_given("limit", limit)
        return recall_cells(self.store, query, limit)

    def retrieve_scene_summary(self, scene: str) -> str:
        """The summary of a scene, in any spelling of its name; "" if there is none yet."""
        return self.scenes.retrieve_scene_summary(scene)

    # -- meaning -----------------------------------------------------------------------------

    def embed_pending(
        self, limit: int | None = None, *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Embed up to `limit` messages that have no vector yet; return how many were embedded.

        Vectors are stored batch by batch, and `progress` is called with the size of each batch. A
        `MemoryManager` embeds what it takes in by itself. Raises `ModelError` if the embedder fails
        (batches stored before stay), and `ValueError` if the memory has no embedder.
        """
        if limit is not None:
            int_given("limit", limit)
        if progress is not None:
            function_given("progress", progress)
        if self.meaning is None:
            raise ValueError("this memory has no embedder; open it with MemoryDB(path, embedder=…)")
        return self.meaning.embed_waiting(limit, progress)

    # -- the whole memory --------------------------------------------------------------------

    def status(self) -> Status:
        """What the memory holds and what is still to be done."""
        from scenemem.base.outcomes import Status

        turns, sessions = self.sessions.count_turns(), self.sessions.list_sessions()
        return Status(
            sessions=len(sessions),
            messages=sum(session.messages for session in sessions),
            pending=turns["pending"] + turns["open"],
            failed=turns["failed"],
            cells=self.cells.count_cells(),
            superseded=self.cells.count_cells(superseded=True),
            scenes=self.scenes.count_scenes(),
            stale=self.scenes.count_scenes(stale=True),
            errors=tuple(self.sessions.list_errors()),
        )

    @property
    def location(self) -> str:
        """The path the memory was opened with, or `:memory:`."""
        return self.store.location

    @property
    def path(self) -> Path:
        """The file's path, or `:memory:` for a memory without a file."""
        from pathlib import Path

        return Path(self.store.location)

    @property
    def read_only(self) -> bool:
        """Whether the memory was opened read-only."""
        return self.store.read_only

    def backup(self, destination: str | Path) -> Path:
        """Write a consistent copy to `destination`, even while others write; return its path.

        Raises `DatabaseError` if the destination exists or can't be written.
        """
        return self.store.backup(destination)

    def check(self) -> list[str]:
        """One sentence for each problem found in the memory; empty if there is none."""
        return self.store.check()

    def rebuild_index(self) -> None:
        """Rebuild the full-text indexes from the texts."""
        self.store.rebuild_index()

    def merge_index(self) -> None:
        """Merge the full-text indexes into the form that is fastest to search."""
        self.store.merge_index()

    def scrub(self) -> None:
        """Erase deleted content from the file itself, so that no forgotten word remains in it."""
        self.store.scrub()

    def close(self) -> None:
        """Close the memory; everything is then in the one file. Closing twice is fine."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store.location!r})"

    def _repr_html_(self) -> str:
        from scenemem.base.display import unreadable_html  # only notebooks need it

        try:
            return self._overview_html()
        except DatabaseError as error:  # a notebook would print the whole traceback
            return unreadable_html(self.path.name, f"{error}")

    def _overview_html(self) -> str:
        from scenemem.base.display import SCENES_SHOWN, memory_html

        scenes = self.scenes.list_scenes(limit=SCENES_SHOWN)
        return memory_html(self.path.name, self.status(), scenes)
