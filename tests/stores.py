"""Every kind of store there is: the tests in `tests/store` run over each.

A new store adds its line to `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from scenemem.store.protocol import Store
from scenemem.store.sqlite.store import SQLiteStore

__all__ = ["KINDS", "Kind", "fresh"]


class Kind(NamedTuple):
    """One kind of store: how to open the one at a place, which a folder of its own stands for.

    `is_shared` says whether two that are opened at the same place are one memory; of a memory that
    lives in its process there is only one.
    """

    open: Callable[[Path], Store]
    is_shared: bool


def _in_a_file(place: Path) -> Store:
    return SQLiteStore(place / "memory.db")


def _in_memory(_: Path) -> Store:
    return SQLiteStore()


KINDS = {
    "sqlite-file": Kind(_in_a_file, is_shared=True),
    "sqlite-memory": Kind(_in_memory, is_shared=False),
}


@contextmanager
def fresh(kind: Kind, folder: Path) -> Iterator[Store]:
    """A store of that kind with nothing in it, in a place of its own in the folder."""
    place = folder / f"{sum(1 for _ in folder.iterdir())}"
    place.mkdir()
    store = kind.open(place)
    yield store
    store.close()
