"""Fixtures that every test may use: a memory in a file of its own, the real command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from stores import KINDS, Kind

from scenemem.memory.memory_db import MemoryDB
from scenemem.store.protocol import Store

SHARED = {name: kind for name, kind in KINDS.items() if kind.is_shared}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def db(path: Path) -> Iterator[MemoryDB]:
    with MemoryDB(path) as memory:
        yield memory


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of store."""
    found: Kind = request.param
    return found


@pytest.fixture
def store(kind: Kind, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = kind.open(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(params=SHARED.values(), ids=list(SHARED))
def two_stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two stores over one memory, as two processes have them, of each kind that can be shared."""
    kind: Kind = request.param
    one, other = kind.open(tmp_path), kind.open(tmp_path)
    yield one, other
    one.close()
    other.close()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the real command line in a process of its own, with a home of its own."""

    def run_scenemem(
        *arguments: str, stdin: str | bytes = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("SCENEMEM", "OPENAI", "XDG"))
        }
        home = {"HOME": str(tmp_path), "PYTHONWARNINGS": "error", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [sys.executable, "-m", "scenemem", *arguments],
            input=stdin if isinstance(stdin, bytes) else stdin.encode(),
            capture_output=True,
            env=kept | home | (env or {}),
            timeout=120,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return run_scenemem


# Real files on a shared machine: time says nothing about right or wrong.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
