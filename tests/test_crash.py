"""A memory killed at random moments of an ingest, twenty times, then ingested to the end."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scenemem import MemoryDB, MemoryManager

pytestmark = pytest.mark.slow
PEOPLE = ("Ines", "Tomás", "Priya", "Dilip")


def talk(count: int) -> str:
    rng = random.Random(11)
    lines = []
    for n in range(count):
        who, cost = rng.choice(PEOPLE), rng.randint(3, 90)
        content = f"{who} replaced valve {n} on the upper deck for {cost} euros."
        role = "user" if n % 2 == 0 else "assistant"
        message = {
            "role": role,
            "name": PEOPLE[n % 2],
            "session": f"day {n // 300}",
            "id": str(n),
            "at": f"2026-{n // 3000 + 1:02}-{n // 300 % 28 + 1:02}T10:00:00Z",
            "content": content,
        }
        lines.append(json.dumps(message))
    return "\n".join(lines)


def test_twenty_kills_during_ingest_lose_nothing_and_double_nothing(
    path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(talk(6000))
    ingest = [sys.executable, "-m", "scenemem", "-d", str(path), "ingest", str(file)]
    rng = random.Random(5)
    for _ in range(20):
        process = subprocess.Popen(ingest, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.15, 1.2))
        process.kill()
        process.wait()
        if path.exists():
            with MemoryDB(path) as db:
                assert db.check() == []
    done = subprocess.run(ingest, capture_output=True, text=True, check=True)
    assert "0 failed" in done.stdout
    with MemoryDB(path) as db:
        messages = db.sessions.list_messages()
        assert sorted(int(m.external_id or -1) for m in messages) == list(range(6000))
        assert db.sessions.count_turns()["done"] == sum(db.sessions.count_turns().values())
        cells = db.cells.list_cells()
        assert len({cell.source and cell.source.first for cell in cells}) == len(cells) == 6000
        assert {cell.told for cell in cells} == {1}
        assert db.scenes.list_scenes(stale=True) == []
        assert db.check() == []


def test_ten_kills_while_an_export_comes_back_lose_nothing(path: Path, tmp_path: Path) -> None:
    file, exported, again = (tmp_path / name for name in ("talk.jsonl", "x.jsonl", "again.db"))
    file.write_text(talk(3000))
    scenemem = [sys.executable, "-m", "scenemem", "-d"]
    subprocess.run([*scenemem, str(path), "ingest", str(file)], check=True, capture_output=True)
    with MemoryDB(path) as db:
        own, other = db.cells.insert_cells({"content": f"My own cell {n}."} for n in range(2))
        db.cells.supersede_cell(own.id, other.id)
        db.cells.update_cell(db.cells.list_cells()[0].id, content="Corrected by hand.")
        MemoryManager(db).end_session()
    out = subprocess.run([*scenemem, str(path), "export"], check=True, capture_output=True)
    exported.write_bytes(out.stdout)
    ingest = [*scenemem, str(again), "ingest", str(exported)]
    rng = random.Random(5)
    for _ in range(10):
        process = subprocess.Popen(ingest, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.2, 1.2))
        process.kill()
        process.wait()
        if again.exists():
            with MemoryDB(again) as there:
                assert there.check() == []
    subprocess.run(ingest, check=True, capture_output=True)
    with MemoryDB(path) as here, MemoryDB(again) as there:
        for told in (here, there):
            assert told.sessions.count_turns()["pending"] == 0
        assert _contents(there) == _contents(here)
        assert there.check() == []


def _contents(db: MemoryDB) -> tuple[object, ...]:
    """What both memories must hold, without ids."""
    cells = db.cells.list_cells(superseded=True)
    return (
        sorted((m.session, m.external_id or "", m.content) for m in db.sessions.list_messages()),
        sorted((c.content, c.scene, c.told, str(c.created_at), str(c.valid_to)) for c in cells),
        sorted((s.scene, s.summary, s.cells, s.stale) for s in db.scenes.list_scenes()),
    )
