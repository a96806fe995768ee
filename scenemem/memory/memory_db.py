"""MemoryDB: the memory of one agent: what its store holds, recall of cells, and an embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from scenemem.base.checks import function_given, int_given, str_given
from scenemem.base.errors import DatabaseError
from scenemem.retrieval.cell_recall import recall_cells
from scenemem.store.sqlite.store import SQLiteStore

if TYPE_CHECKING:
    from pathlib import Path

    from scenemem.base.records import Cell, CellDraft, Scene, Status
    from scenemem.retrieval.embedding import Embedder
    from scenemem.retrieval.meaning import Meaning
    from scenemem.store.evidence import Evidence, Scope
    from scenemem.store.protocol import Cells, Log, Notebook, Scenes, Sessions, Store, Vectors

__all__ = ["MemoryDB"]


class MemoryDB:
    """The memory of one agent, in the file at `path` (created when missing), or ":memory:".

    What it holds is in groups: `cells`, `scenes`, `sessions` (messages, turns, summaries),
    `notebook` (facts, notes, globals, counters), `log` (changes, usage), `vectors`; a
    `transaction()` spans all of them. `read_only` never writes; `synchronous="NORMAL"` trades the
    last commits at a power loss for speed. Raises `DatabaseError` or `SchemaVersionError` when the
    file can't be used. Use it as a context manager, or call `close()`; the one file then holds
    everything. Threads and processes may share it.

    With an `embedder`, recall also finds messages whose meaning is close to the question; their
    vectors are kept in the same file (`embed_pending`). Needs the extra `dense`: raises
    `MissingExtraError` without it, `TypeError` if `embedder` is not an `Embedder`.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        read_only: bool = False,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        embedder: Embedder | None = None,
    ) -> None:
        self.store: Store = SQLiteStore(path, read_only=read_only, synchronous=synchronous)
        self.meaning: Meaning | None = None
        if embedder is not None:
            from scenemem.retrieval.meaning import Meaning  # and with it numpy

            self.meaning = Meaning(self.store, embedder)

    # -- what it holds -----------------------------------------------------------------------

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
        """The sessions: verbatim messages in turns, summaries, the queue of extraction."""
        return self.store.sessions

    @property
    def notebook(self) -> Notebook:
        """The facts and notes of sessions; the globals and counters that all share."""
        return self.store.notebook

    @property
    def log(self) -> Log:
        """What changed, and what model calls cost."""
        return self.store.log

    @property
    def vectors(self) -> Vectors:
        """The vectors of messages, by embedder."""
        return self.store.vectors

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing: commits at the end, rolls back on any exception; nests.

        Raises `DatabaseError` when the memory is read-only.
        """
        return self.store.transaction()

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything this thread reads inside sees the memory as it was at the first read."""
        return self.store.snapshot()

    def evidence(self, scope: Scope) -> Evidence:
        """What ranking reads, narrowed to `scope`; inside a `snapshot()`."""
        return self.store.evidence(scope)

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a `transaction()`."""
        return self.store.in_transaction

    # -- cells and scenes, in the words of scene memory --------------------------------------

    def insert_cell(self, cell: CellDraft | Mapping[str, Any]) -> Cell:
        """Store one cell; see `cells.insert_cell`."""
        return self.cells.insert_cell(cell)

    def get_scene(self, scene: str) -> Scene | None:
        """The scene under any spelling of its name or an alias, or None."""
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
        """The cells that bear on `query`, best first, at most `limit`; each names its scene.

        Empty when none does; `recall` also has the messages, the summaries and the reasons.
        """
        str_given("query", query)
        int_given("limit", limit)
        return recall_cells(self.store, query, limit)

    def retrieve_scene_summary(self, scene: str) -> str:
        """The summary of a scene, under any spelling; "" when there is none yet."""
        return self.scenes.retrieve_scene_summary(scene)

    # -- meaning -----------------------------------------------------------------------------

    def embed_pending(
        self, limit: int | None = None, *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Embed the messages that have no vector yet, at most `limit`; return how many.

        They are stored batch by batch, and `progress` is told the number of each. A
        `MemoryManager` does it with what it takes in. Raises `ModelError` when the embedder fails
        (what was stored by then stays), `ValueError` for a memory without an embedder.
        """
        if limit is not None:
            int_given("limit", limit)
        if progress is not None:
            function_given("progress", progress)
        if self.meaning is None:
            raise ValueError("this memory has no embedder; open it with MemoryDB(path, embedder=…)")
        return self.meaning.embed_waiting(limit, progress)

    # -- the whole of it ---------------------------------------------------------------------

    def status(self) -> Status:
        """What the memory holds and what waits."""
        from scenemem.base.records import Status

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
        """Where the memory is, as it was opened: the file's path, or `:memory:`."""
        return self.store.location

    @property
    def path(self) -> Path:
        """The file's path; `:memory:` for a memory without a file."""
        from pathlib import Path

        return Path(self.store.location)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be stored."""
        return self.store.read_only

    def backup(self, destination: str | Path) -> Path:
        """Write a consistent copy to `destination`, safe while others write; return its path.

        Raises `DatabaseError` when the destination exists or can't be written.
        """
        return self.store.backup(destination)

    def check(self) -> list[str]:
        """What is wrong with the memory, a sentence each; empty when all is well."""
        return self.store.check()

    def rebuild_index(self) -> None:
        """Make the full-text indexes anew from the texts."""
        self.store.rebuild_index()

    def merge_index(self) -> None:
        """Bring the full-text indexes into the shape in which they are searched fastest."""
        self.store.merge_index()

    def scrub(self) -> None:
        """Remove what was deleted from the file itself, so that no forgotten word is left."""
        self.store.scrub()

    def close(self) -> None:
        """Close; the one file then holds everything. Closing twice is fine."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store.location!r})"

    def _repr_html_(self) -> str:
        from scenemem.base.display import unreadable_html  # only notebooks ask

        try:
            return self._shown()
        except DatabaseError as error:  # a notebook would show where it was raised, line by line
            return unreadable_html(self.path.name, f"{error}")

    def _shown(self) -> str:
        from scenemem.base.display import SCENES_SHOWN, memory_html

        scenes = self.scenes.list_scenes(limit=SCENES_SHOWN)
        return memory_html(self.path.name, self.status(), scenes)
