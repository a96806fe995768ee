"""The command line, in processes of its own: what it prints, how it fails, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Run
from sqlite_files import sqlite_of

from scenemem.base.records import MessageDraft
from scenemem.memory.memory_db import MemoryDB

TALK = [
    {"role": "user", "content": "I moved to Oslo in May.", "at": "2026-06-01T10:00:00Z"},
    {"role": "assistant", "content": "How do you like it?", "at": "2026-06-01T10:00:10Z"},
    {
        "role": "user",
        "content": "The boiler in my flat is from 1998.",
        "at": "2026-06-02T10:00:00Z",
    },
]


@pytest.fixture
def memory(path: Path) -> str:
    """A memory with a few cells, made by the library."""
    with MemoryDB(path) as db:
        db.cells.insert_cells(
            [
                {"content": "Moved to Oslo in May", "scene": "Oslo", "salience": 0.8},
                {"content": "Boiler is from 1998", "scene": "Kitchen Remodel"},
                {"content": "Call the tiler", "scene": "Kitchen Remodel", "cell_type": "task"},
            ]
        )
        db.upsert_scene("Kitchen Remodel", "An old boiler; the tiler is to be called.")
    return str(path)


def test_recall_shows_the_scene_its_summary_and_the_dated_cells(run: Run, memory: str) -> None:
    done = run("-d", memory, "recall", "how", "old", "is", "the", "boiler?")
    assert done.returncode == 0 and done.stderr == ""
    heading, summary, cell = done.stdout.splitlines()
    assert heading.startswith("Kitchen Remodel  2 cells · ")
    assert summary == "  An old boiler; the tiler is to be called."
    assert cell.endswith("  Boiler is from 1998")
    assert "\x1b" not in done.stdout


def test_recall_prints_json_a_context_and_an_explanation(run: Run, memory: str) -> None:
    found = json.loads(run("-d", memory, "recall", "boiler", "--json").stdout)
    assert (found["matched"], found["hits"][0]["content"]) == (True, "Boiler is from 1998")
    context = run("-d", memory, "recall", "boiler", "--budget", "100").stdout
    assert context.startswith("<memory>") and context.rstrip().endswith("</memory>")
    assert "own" in run("-d", memory, "recall", "boiler", "--explain").stdout


def test_what_does_not_match_is_said_and_the_fallback_is_marked(run: Run, memory: str) -> None:
    done = run("-d", memory, "recall", "zeppelin")
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing remembered matches 'zeppelin'.\nNot matches")
    assert json.loads(run("-d", memory, "recall", "zeppelin", "--json").stdout)["matched"] is False


def test_recall_can_be_narrowed(run: Run, memory: str) -> None:
    def hits(*options: str) -> list[str]:
        done = run("-d", memory, "recall", "boiler tiler Oslo", "--json", *options)
        return [hit["content"] for hit in json.loads(done.stdout)["hits"]]

    assert hits("--type", "task") == ["Call the tiler"]
    assert hits("--scene", "oslo") == ["Moved to Oslo in May"]
    assert len(hits("--limit", "2")) == 2
    assert len(hits("--since", "2020-01-01", "--until", "today")) == 3
    assert hits("--until", "2020-01-01") == []
    assert hits("--as-of", "2020-01-01") == []


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["recall"], 2, "Missing argument"),
        (["recall", "-rf"], 2, "Put -- before text that starts with a dash"),
        (["recal", "x"], 2, "Did you mean 'recall'?"),
        (["recall", "x", "--since", "soon"], 2, "'soon' is not a day or time"),
        (["recall", "x", "--type", "mood"], 2, "mood"),
        (["recall", "x", "--scene", "nowhere"], 1, "there is no scene 'nowhere'"),
        (["scene", "nowhere"], 1, "there is no scene 'nowhere'"),
        (["forget", "99", "--yes"], 1, "there is no cell 99"),
        (["forget"], 2, "give cell ids"),
        (["ingest", "missing.jsonl"], 1, "missing.jsonl"),
        (["--agent", "a", "status"], 2, "can't be combined"),
        (["--agent", "", "status"], 2, "must not be empty"),
    ],
)
def test_a_fault_is_one_clear_sentence(
    run: Run, memory: str, arguments: list[str], code: int, says: str
) -> None:
    database = [] if "--agent" in arguments and arguments[1] == "" else ["-d", memory]
    done = run(*database, *arguments)
    assert done.returncode == code
    assert says in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_text_that_looks_like_an_option_is_searched_after_two_dashes(run: Run, path: Path) -> None:
    with MemoryDB(path) as db:
        db.insert_cell({"content": "never run rm -rf on the depot"})
    for arguments in (["--", "-rf"], ["rm -rf"]):
        assert "never run rm -rf" in run("-d", str(path), "recall", *arguments).stdout


def test_a_missing_memory_is_said_and_not_made(run: Run, path: Path) -> None:
    for command in (["recall", "x"], ["status"], ["scenes"], ["export"]):
        done = run("-d", str(path), *command)
        assert done.returncode == 1 and f"no memory at {path}" in done.stderr
    assert not path.exists()


def test_help_needs_no_home_and_makes_nothing(run: Run, tmp_path: Path) -> None:
    done = run("--help", env={"HOME": "/nonexistent"})
    assert done.returncode == 0 and "recall" in done.stdout
    path = run("path", env={"HOME": "/nonexistent"})
    assert path.returncode == 0 and path.stdout.rstrip().endswith("default.db")
    assert list(tmp_path.iterdir()) == []


def test_the_environment_names_the_memory(run: Run, memory: str, tmp_path: Path) -> None:
    assert run("path", env={"SCENEMEM_DATABASE": memory}).stdout.rstrip() == memory
    one = run("path", env={"SCENEMEM_AGENT": "team:alpha"}).stdout
    assert one == run("--agent", "team:alpha", "path").stdout
    assert one != run("--agent", "team:beta", "path").stdout
    assert str(tmp_path) in one and ":" not in Path(one).name


def test_two_agents_see_nothing_of_each_other(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "a.txt"
    secret.write_text("Ann: The violet lantern is under the stairs.\nBob: I was in Porto.\n")
    other = tmp_path / "b.txt"
    other.write_text("Cid: The boiler was serviced yesterday.\nDora: I prefer tea.\n")
    assert run("--agent", "A", "ingest", str(secret)).returncode == 0
    assert run("--agent", "B", "ingest", str(other)).returncode == 0
    for command in (
        ["recall", "violet lantern stairs"],
        ["recall", "zeppelin"],
        ["scenes"],
        ["cells"],
        ["export"],
        ["status"],
        ["log"],
        ["doctor"],
        ["ask", "where is the violet lantern?"],
    ):
        seen = run("--agent", "B", *command)
        assert seen.returncode == 0, seen.stderr
        told = seen.stdout.replace("'violet lantern stairs'", "")
        assert not any(word in told.lower() for word in ("lantern", "stairs", "porto", "ann:"))


def test_ingest_reports_and_repeats_nothing(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    lines = [json.dumps(message) for message in TALK]
    file.write_text("\n".join([lines[0], "{not json", *lines[1:]]))
    done = run("-d", str(path), "ingest", str(file))
    assert done.returncode == 0
    assert f"{file}: 3 imported, 0 skipped, 1 failed" in done.stdout
    assert "line 2" in done.stderr
    again = run("-d", str(path), "ingest", str(file))
    assert "0 imported, 3 skipped, 1 failed; 0 cells kept" in again.stdout
    assert "moved" in run("-d", str(path), "recall", "Oslo").stdout.lower()
    grown = [
        *TALK,
        {"role": "user", "content": "I bought a new boiler.", "at": "2026-07-01T10:00:00Z"},
    ]
    file.write_text("\n".join(json.dumps(message) for message in grown))
    assert "1 imported, 3 skipped, 0 failed" in run("-d", str(path), "ingest", str(file)).stdout


def test_ingest_reads_stdin_and_bytes_that_are_no_utf8(run: Run, path: Path) -> None:
    text = "Ann: I live in Zürich now.\nBob: Nice!\n".encode("latin-1")
    done = run("-d", str(path), "ingest", "-", stdin=text)
    assert done.returncode == 0 and "2 imported" in done.stdout
    assert "Ann" in run("-d", str(path), "recall", "where does Ann live?").stdout


def test_one_bad_file_does_not_stop_the_others(run: Run, path: Path, tmp_path: Path) -> None:
    good = tmp_path / "talk.jsonl"
    good.write_text("\n".join(json.dumps(message) for message in TALK))
    done = run("-d", str(path), "ingest", str(tmp_path / "missing.json"), str(good))
    assert done.returncode == 1
    assert "missing.json" in done.stderr and "3 imported" in done.stdout


def test_a_closed_pipe_ends_quietly(path: Path) -> None:
    with MemoryDB(path) as db:
        db.cells.insert_cells({"content": f"cell {n} about the boiler"} for n in range(5000))
    command = f"{sys.executable} -m scenemem -d {path} cells | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cell 0" in done.stdout


def test_ctrl_c_during_ingest_ends_quietly_and_can_be_resumed(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("w") as out:
        for n in range(20_000):
            message = {
                "role": "user",
                "content": f"Valve {n} was replaced by Ines in Porto.",
                "id": n,
            }
            out.write(json.dumps(message) + "\n")
    ingest = [sys.executable, "-m", "scenemem", "-d", str(path), "ingest", str(file)]
    process = subprocess.Popen(ingest, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not path.exists() or path.stat().st_size < 200_000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in error
    with MemoryDB(path) as db:
        assert db.check() == []
        stored = db.sessions.list_sessions()[0].messages
        assert 0 < stored < 20_000


def test_ask_answers_from_the_memory_and_remembers_the_exchange(run: Run, path: Path) -> None:
    with MemoryDB(path) as db:
        db.sessions.append_messages("A", [MessageDraft("user", "My sister Nora lives in Bergen.")])
    assert "Bergen" in run("-d", str(path), "ask", "Where does Nora live?").stdout
    assert run("-d", str(path), "ask", "I moved to Oslo last week.").stdout == "Noted.\n"
    assert "Oslo" in run("-d", str(path), "ask", "Where did I move?").stdout
    assert "don't remember" in run("-d", str(path), "ask", "Who won the zeppelin race?").stdout


def test_scenes_and_cells_are_listed(run: Run, memory: str) -> None:
    assert [s["scene"] for s in json.loads(run("-d", memory, "scenes", "--json").stdout)] == [
        "Kitchen Remodel",
        "Oslo",
    ]
    scene = run("-d", memory, "scene", "kitchen-remodel").stdout
    assert "Call the tiler [task]" in scene
    cells = run("-d", memory, "cells", "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in cells] == [1, 2, 3]
    assert len(run("-d", memory, "cells", "--type", "task").stdout.splitlines()) == 1


def test_forget_asks_and_leaves_nothing_behind(run: Run, memory: str) -> None:
    refused = run("-d", memory, "forget", "2", stdin="n\n")
    assert refused.returncode == 130 and "Boiler is from 1998" in refused.stdout
    done = run("-d", memory, "forget", "2", stdin="y\n")
    assert "Forgot 1 cell" in done.stdout
    assert "1998" not in run("-d", memory, "scene", "kitchen remodel").stdout
    assert run("-d", memory, "recall", "boiler").stdout.startswith("Nothing remembered")
    assert "Forgot 1 cell" in run("-d", memory, "forget", "--scene", "oslo", "--yes").stdout
    assert "sound" in run("-d", memory, "doctor").stdout


def test_doctor_finds_and_mends_a_broken_index(run: Run, memory: str) -> None:
    with MemoryDB(memory) as db, sqlite_of(db).transaction() as connection:
        connection.execute("INSERT INTO mem_cells_fts (mem_cells_fts) VALUES ('delete-all')")
    broken = run("-d", memory, "doctor")
    assert broken.returncode == 1 and "does not agree" in broken.stderr
    assert "sound" in run("-d", memory, "doctor", "--mend").stdout
    assert "Boiler" in run("-d", memory, "recall", "boiler").stdout


def test_backup_and_export_hold_everything(run: Run, memory: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    assert run("-d", memory, "backup", str(target)).returncode == 0
    one, other = run("-d", memory, "export").stdout, run("-d", str(target), "export").stdout
    assert one == other
    kinds = [json.loads(line)["kind"] for line in one.splitlines()]
    assert kinds == ["cell", "cell", "cell", "scene", "scene"]


def test_an_export_can_be_ingested_again(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(json.dumps(message) for message in TALK))
    run("-d", str(path), "ingest", str(file))
    exported = tmp_path / "export.jsonl"
    exported.write_text(run("-d", str(path), "export").stdout)
    again = str(tmp_path / "again.db")
    done = run("-d", again, "ingest", str(exported))
    assert "3 imported, 0 skipped, 0 failed" in done.stdout, done.stderr
    assert run("-d", again, "export").stdout == exported.read_text()


def test_status_says_what_waits(run: Run, memory: str) -> None:
    with MemoryDB(memory) as db:
        db.sessions.append_messages("A", [MessageDraft("user", "I moved to Bergen.")])
        db.sessions.mark_failed([1], "the model is down", count=False)
    status = run("-d", memory, "status").stdout
    assert "1 turn waiting to be extracted" in status and "the model is down" in status
    assert "1 turn extracted, 1 cell kept" in run("-d", memory, "extract").stdout
    assert "nothing waiting" in run("-d", memory, "status").stdout
    assert json.loads(run("-d", memory, "status", "--json").stdout)["pending"] == 0


def test_the_demo_shows_scenes_and_recalls_and_leaves_nothing(run: Run, tmp_path: Path) -> None:
    done = run("demo", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0 and done.stderr == ""
    assert "scenes" in done.stdout and "scenemem recall" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_on_a_terminal_the_matching_words_are_marked(memory: str) -> None:
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scenemem", "-d", memory, "recall", "boiler"],
        stdout=follower,
        stdin=follower,
        stderr=follower,
    )
    assert process.wait(timeout=60) == 0
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)
    assert "\x1b[33m\x1b[1mBoiler\x1b[0m is from 1998" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["cells", "status", "recall boiler", "export"])
def test_a_full_disk_or_no_stdout_is_no_traceback(memory: str, command: str) -> None:
    base = f"{sys.executable} -m scenemem -d {memory} {command}"
    full = subprocess.run(
        ["sh", "-c", f"{base} > /dev/full"], capture_output=True, text=True, check=False
    )
    assert (full.returncode, full.stderr) == (
        1,
        "Error: the output can't be written, since its disk is full\n",
    )
    closed = subprocess.run(
        ["sh", "-c", f"{base} >&-"], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")


def test_a_file_that_is_not_there_makes_no_memory(run: Run, path: Path) -> None:
    done = run("-d", str(path), "ingest", "nofile.jsonl")
    assert done.returncode == 1
    assert "nofile.jsonl does not exist" in done.stderr and not path.exists()
