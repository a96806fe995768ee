"""Append and read back in one long session: this store next to openai-agents' SQLiteSession.

All stores run in one process on files in the same folder, filled with the same made-up
conversation. Then, in rounds, one message is appended to each store and the last ones are read
back, with the order of the stores rotating. SQLiteSession is used as it comes, awaited in a running
event loop: WAL mode, a full sync at each commit, and each call in a thread of asyncio's pool. *Its
store alone* is the same class with the calls made directly, without the thread.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Literal, NamedTuple, Protocol

from made_talk import Talk

from scenemem.base.records import MessageDraft, Role
from scenemem.memory.memory_db import MemoryDB

__all__ = ["PEER", "STORES", "Spent", "measure"]

SESSION = "session"
BATCH = 1_000
READ_BACK = 20
ROUNDS = 800
WARM_UP = 20
PEER = "openai-agents"
Said = tuple[Role, str]


class HistoryStore(Protocol):
    """A session's history in a file."""

    async def fill(self, said: Sequence[Said]) -> None:
        """Append many messages."""

    async def append(self, role: Role, content: str) -> None:
        """Append one message; it is then as durable as the store's settings make it."""

    async def read_back(self) -> int:
        """Read the last messages and return how many there were."""

    def close(self) -> None: ...


class _Ours:
    """`MemoryDB.sessions`."""

    def __init__(self, path: Path, synchronous: Literal["FULL", "NORMAL"]) -> None:
        self._db = MemoryDB(path, synchronous=synchronous)

    async def fill(self, said: Sequence[Said]) -> None:
        drafts = [MessageDraft(role, content) for role, content in said]
        self._db.sessions.append_messages(SESSION, drafts)

    async def append(self, role: Role, content: str) -> None:
        self._db.sessions.append_history(SESSION, role, content)

    async def read_back(self) -> int:
        return len(self._db.sessions.list_messages(SESSION, limit=READ_BACK, last=True))

    def close(self) -> None:
        self._db.close()


class _SQLiteSession:
    """openai-agents' session, with or without its threads."""

    def __init__(self, agents_memory: Any, path: Path, *, threads: bool) -> None:
        self._session = agents_memory.SQLiteSession(SESSION, path)
        self._threads = threads

    async def fill(self, said: Sequence[Said]) -> None:
        await self._session.add_items([{"role": r, "content": c} for r, c in said])

    async def append(self, role: Role, content: str) -> None:
        await self._run(self._session.add_items([{"role": role, "content": content}]))

    async def read_back(self) -> int:
        return len(await self._run(self._session.get_items(READ_BACK)))

    async def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._threads:
            return await work
        names = vars(asyncio)
        kept, names["to_thread"] = names["to_thread"], _at_once
        try:
            return await work
        finally:
            names["to_thread"] = kept

    def close(self) -> None:
        self._session.close()


async def _at_once(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _peer(path: Path, *, threads: bool) -> HistoryStore | None:
    try:
        agents_memory = importlib.import_module("agents.memory")
    except ImportError:
        return None
    return _SQLiteSession(agents_memory, path, threads=threads)


STORES: dict[str, Callable[[Path], HistoryStore | None]] = {
    "scenemem FULL": lambda path: _Ours(path, "FULL"),
    "scenemem NORMAL": lambda path: _Ours(path, "NORMAL"),
    PEER: lambda path: _peer(path, threads=True),
    "its store alone": lambda path: _peer(path, threads=False),
}


class Spent(NamedTuple):
    """Medians of one call, in milliseconds: by the clock, and of the processor."""

    clock: float
    processor: float


def measure(count: int, folder: Path) -> dict[str, dict[str, Spent]]:
    """For each deed, "append" and "read back", what each store takes with `count` messages."""
    return asyncio.run(_measured(count, folder))


async def _measured(count: int, folder: Path) -> dict[str, dict[str, Spent]]:
    said = list(_talk(count + WARM_UP + ROUNDS))
    opened = {name: make(folder / f"{count}-{name}.db") for name, make in STORES.items()}
    stores = {name: store for name, store in opened.items() if store is not None}
    for store in stores.values():
        for start in range(0, count, BATCH):
            await store.fill(said[start : min(start + BATCH, count)])
    times: dict[str, dict[str, list[Spent]]] = {"append": {}, "read back": {}}
    names = list(stores)
    for number, (role, content) in enumerate(said[count:]):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            appended, read = await _one_round(stores[name], role, content)
            if number >= WARM_UP:
                times["append"].setdefault(name, []).append(appended)
                times["read back"].setdefault(name, []).append(read)
    for store in stores.values():
        store.close()
    return {
        deed: {name: _median(by_name[name]) for name in names} for deed, by_name in times.items()
    }


async def _one_round(store: HistoryStore, role: Role, content: str) -> tuple[Spent, Spent]:
    begin = _now()
    await store.append(role, content)
    middle = _now()
    found = await store.read_back()
    end = _now()
    assert found == READ_BACK
    return _between(begin, middle), _between(middle, end)


def _now() -> Spent:
    return Spent(time.perf_counter() * 1e3, time.process_time() * 1e3)


def _between(begin: Spent, end: Spent) -> Spent:
    return Spent(end.clock - begin.clock, end.processor - begin.processor)


def _median(spent: Sequence[Spent]) -> Spent:
    return Spent(median(s.clock for s in spent), median(s.processor for s in spent))


def _talk(count: int) -> Iterator[Said]:
    for number, line in enumerate(Talk().lines(count)):
        yield ("assistant" if number % 2 else "user"), line.text
