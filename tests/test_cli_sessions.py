"""The command line around sessions: chat, history, and what is written down."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Self

import pytest
from conftest import Run
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import Act, Received, ScriptedServer, fails, says, streams

from scenemem import MemoryDB, MemoryManager
from scenemem.cli.printing import printable
from scenemem.testing import cells_json


def test_a_chat_goes_on_where_it_was_left(run: Run, path: Path) -> None:
    options = ("-d", str(path), "-m", "embedded", "chat", "--session", "monday")
    first = run(
        *options, stdin="I moved to Oslo in May.\n\nRemember my name is Ann\n/quit\nnever\n"
    )
    assert first.returncode == 0 and first.stderr == ""
    assert first.stdout == "Noted.\nRemembered (long term): name is Ann.\n"
    second = run(*options, stdin="What is my name? Where did I move to?\n")
    assert "Your name is Ann." in second.stdout and "Oslo" in second.stdout
    listed = json.loads(run("-d", str(path), "sessions", "--json").stdout)
    assert [(s["session"], s["messages"], s["facts"]) for s in listed] == [("monday", 8, 1)]


def test_the_commands_of_a_chat(run: Run, path: Path) -> None:
    told = "My sister Nora is allergic to nuts.\nRemember my name is Ann\n"
    commands = (
        "/recall nuts\n/facts\n/scenes\n/history\n/forget nuts\n/compact\n/help\n/what\n/recall\n"
    )
    done = run("-d", str(path), "-m", "embedded", "chat", stdin=told + commands + "//facts\n")
    out = done.stdout
    assert done.returncode == 0
    for shown in (
        "user: My sister Nora is allergic to nuts.", 'name = "Ann"  long term', "2 cells",
        "user: Remember my name is Ann", "Nothing to condense yet.", "/forget WORDS",
    ):  # fmt: skip
        assert shown in out, shown
    assert "Unknown command /what" in done.stderr
    assert "/recall needs words" in done.stderr
    assert "there is no terminal to ask on." in done.stderr
    history = run("-d", str(path), "history", "chat").stdout
    assert "user: /facts" in history and "/recall nuts" not in history
    assert "allergic" in run("-d", str(path), "cells").stdout


def test_a_model_that_fails_ends_no_chat(run: Run, path: Path) -> None:
    answers = [fails(401, "wrong key"), streams("Hel", "lo.")]

    def act(received: Received) -> Act:
        return answers.pop(0) if received.body.get("stream") else says(cells_json())

    with ScriptedServer(act=act) as server:
        options = ("-d", str(path), "-m", "tiny", "--base-url", server.base_url)
        done = run(*options, "chat", stdin="Hi.\nHi again.\n")
    assert done.returncode == 0 and done.stdout.strip() == "Hello."
    assert done.stderr.count("Error: ") == 1 and "Traceback" not in done.stderr
    with MemoryDB(path) as db:
        assert [m.content for m in db.sessions.list_messages("chat")] == [
            "Hi.", "Hi again.", "Hello.",
        ]  # fmt: skip


class Terminal:
    """The real command line in a real terminal."""

    def __init__(self, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scenemem", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "dumb", "COLUMNS": "90", "INPUTRC": os.devnull},
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""
        self.is_over = False

    @property
    def shown(self) -> str:
        """What is shown since something was typed last."""
        return self._seen.decode(errors="replace")

    def wait_for(self, text: str) -> None:
        """Read until `text` is shown."""
        for _ in range(600):
            if text in self.shown:
                return
            if select.select([self._master], [], [], 0.1)[0]:
                self._seen += os.read(self._master, 4096)
        raise AssertionError(f"{text!r} is not shown, but {self.shown!r}")

    def send(self, keys: str) -> None:
        """Type."""
        self._seen = b""
        os.write(self._master, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C, once whoever reads the line has begun to wait for it."""
        time.sleep(0.3)
        self._seen = b""
        self.process.send_signal(signal.SIGINT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the input; the command ends well, unless the test did not."""
        if kind is None and not self.is_over:
            self.send("\x04")
            assert self.process.wait(timeout=60) == 0
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def test_a_chat_in_a_terminal_edits_lines_asks_and_resumes(path: Path) -> None:
    options = ("-d", str(path), "-m", "embedded", "chat")
    left = "\x1b[D"
    with Terminal(*options) as terminal:
        terminal.wait_for("A new session, chat.")
        terminal.wait_for("> ")
        moved = left * len("ra is allergic to nuts.")
        terminal.send(f"My sister Nra is allergic to nuts.{moved}o\r")
        terminal.wait_for("Noted.")
        terminal.send("/forget nuts\r")
        terminal.wait_for("Forget “My sister Nora is allergic to nuts.” for good?")
        terminal.send("y\r")
        terminal.wait_for("Forgot 1 cell")
        terminal.wait_for("> ")
    with Terminal(*options) as terminal:
        terminal.wait_for("chat, 2 messages.")
        terminal.wait_for("> ")


def test_ctrl_c_at_the_prompt_drops_the_line_and_twice_on_an_empty_one_leaves(path: Path) -> None:
    with Terminal("-d", str(path), "-m", "embedded", "chat") as terminal:
        terminal.wait_for("> ")
        terminal.send("I hate this")
        terminal.wait_for("I hate this")
        terminal.interrupt()
        terminal.wait_for("> ")
        terminal.send("My sister Nora is allergic to nuts.\r")
        terminal.wait_for("Noted.")
        terminal.wait_for("> ")
        terminal.interrupt()
        terminal.wait_for("> ")
        terminal.send("half a li")
        terminal.wait_for("half a li")
        terminal.interrupt()  # the second in a row, but something was typed
        terminal.wait_for("> ")
        terminal.interrupt()
        assert terminal.process.wait(timeout=60) == 130
        terminal.is_over = True
    with MemoryDB(path) as db:
        contents = [m.content for m in db.sessions.list_messages("chat")]
    assert contents[0] == "My sister Nora is allergic to nuts." and len(contents) == 2


def test_what_is_to_be_forgotten_in_a_chat_has_a_word_of_the_query(path: Path) -> None:
    with MemoryDB(path) as db:
        manager = MemoryManager(db)
        manager.update("My sister Nora is allergic to nuts.", session="chat")
        manager.update("My brother Ben lives in Oslo.", session="chat")
        db.notebook.remember_fact("chat", "snack_nuts", "almonds")
        db.notebook.remember_fact("chat", "tz", "CET")
        db.notebook.add_note("chat", "buy nuts")
        db.notebook.add_note("chat", "call Ben")
    with Terminal("-d", str(path), "-m", "embedded", "chat") as terminal:
        terminal.wait_for("> ")
        asked = (
            "/forget nuts\r", "Forget “My sister Nora is allergic to nuts.” for good?",
            "y\r", 'Forget “snack_nuts = "almonds"” for good?',
            "y\r", "Forget “buy nuts” for good?",
            "y\r", "Forgot 1 cell, 1 fact, 1 note, blanked",
        )  # fmt: skip
        for keys, shown in zip(asked[::2], asked[1::2], strict=True):
            terminal.send(keys)
            terminal.wait_for(shown)
        terminal.wait_for("> ")
        terminal.send("/forget zeppelin\r")
        terminal.wait_for("Nothing remembered matches 'zeppelin'.")
        terminal.wait_for("> ")
    with MemoryDB(path) as db:
        assert [cell.content for cell in db.cells.list_cells()] == ["My brother Ben lives in Oslo."]
        assert [fact.key for fact in db.notebook.list_facts()] == ["tz"]
        assert [note.note for note in db.notebook.list_notes()] == ["call Ben"]


def test_ctrl_c_stops_an_answer_and_keeps_what_was_shown(path: Path) -> None:
    slow = [streams("I have ", "begun"), streams("Fine.")]

    def act(received: Received) -> Act:
        if not received.body.get("stream"):
            return says(cells_json())
        answer = slow.pop(0)
        if slow:  # the end of the first answer takes its time
            return Act(answer.parts[:2], content_type=answer.content_type, cut=False, linger=20)
        return answer

    with ScriptedServer(act=act) as server:
        options = ("-d", str(path), "-m", "tiny", "--base-url", server.base_url)
        with Terminal(*options, "chat") as terminal:
            terminal.wait_for("> ")
            terminal.send("Tell me all.\r")
            terminal.wait_for("begun")
            terminal.interrupt()
            terminal.wait_for("(stopped)")
            terminal.wait_for("> ")
            terminal.send("And now?\r")
            terminal.wait_for("Fine.")
            terminal.wait_for("> ")
    with MemoryDB(path) as db:
        assert [m.content for m in db.sessions.list_messages("chat")] == [
            "Tell me all.", "I have begun", "And now?", "Fine.",
        ]  # fmt: skip


# -- what is written down ------------------------------------------------------------------------


def test_facts_keep_their_type_and_are_listed_and_forgotten(run: Run, path: Path) -> None:
    def scenemem(*arguments: str) -> str:
        done = run("-d", str(path), *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert scenemem("remember", "locale", "en_US") == 'locale = "en_US"  (cli, short term)\n'
    scenemem("remember", "--long", "dark_mode", "false")
    scenemem("remember", "--session", "A", "tags", "[]")
    scenemem("remember", "--global", "team", '{"name": "blue"}')
    told = json.loads(scenemem("facts", "--json"))
    assert {(f["session"], f["key"]): (f["value"], f["scope"]) for f in told["facts"]} == {
        ("cli", "locale"): ("en_US", "short"),
        ("cli", "dark_mode"): (False, "long"),
        ("A", "tags"): ([], "short"),
    }
    assert told["global"] == {"team": {"name": "blue"}}
    assert "locale" not in scenemem("facts", "--session", "A")
    assert scenemem("facts", "locale", "--session", "cli", "--forget") == "Forgot locale of cli.\n"
    assert scenemem("facts", "locale") == "No 'locale' is saved.\n"
    assert "en_US" not in scenemem("log")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("remember", " ", "x"), 2, "the key can't be empty"),
        (("facts", "x", "--forget"), 2, "give the key and its session"),
        (("facts", "x", "--session", "A", "--forget"), 1, "no 'x' is saved in 'A'"),
        (("counter", "c", "set"), 2, "set needs an amount"),
        (("counter", "c", "get", "3"), 2, "get takes no amount"),
        (("counter", "nope"), 1, "there is no counter 'nope' yet"),
        (("counter", "c", "inc", "9223372036854775808"), 1, "must be at most"),
        (("counter", "c", "explode"), 2, "'explode' is not one of"),
        (("jot", " "), 2, "a note can't be empty"),
        (("jot", "--forget", "7"), 1, "there is no note 7"),
        (("jot", "x", "--forget", "7"), 2, "an id and no NOTE"),
        (("facts", "x", "--global", "--forget"), 1, "no 'x' is saved for all sessions"),
        (("facts", "--global", "--forget"), 2, "give the key and its session"),
        (("facts", "x", "--global", "--session", "A"), 2, "can't be combined"),
        (("counter", "c", "inc", "-x"), 2, "No such option"),
        (("counter", "--jsno"), 2, "No such option"),
        (("counter", "c", "inc", "-5", "--jsno"), 2, "jsno"),
        (("history", "nope"), 1, "there is no session 'nope'"),
    ],
)
def test_wrong_use_has_one_clear_sentence(
    run: Run, path: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    MemoryDB(path).close()
    done = run("-d", str(path), *arguments)
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_notes_and_shared_values_are_forgotten_with_what_the_log_quoted(
    run: Run, path: Path
) -> None:
    def scenemem(*arguments: str) -> str:
        done = run("-d", str(path), *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    scenemem("jot", "the marzipan is under the stairs")
    scenemem("jot", "call Ann")
    scenemem("remember", "--global", "hideout", "marzipan")
    scenemem("remember", "--global", "team", "blue")
    first, second = scenemem("jot").splitlines()
    assert first.split()[0] == "1" and second.split()[0] == "2"
    assert "marzipan" in scenemem("log")
    assert scenemem("jot", "--forget", "1") == "Forgot note 1.\n"
    assert (
        scenemem("facts", "hideout", "--global", "--forget") == "Forgot hideout of all sessions.\n"
    )
    assert "call Ann" in scenemem("jot") and "marzipan" not in scenemem("jot")
    assert json.loads(scenemem("facts", "--global", "--json")) == {
        "facts": [],
        "global": {"team": "blue"},
    }
    assert "marzipan" not in scenemem("log") and "forget" in scenemem("log")
    assert b"marzipan" not in path.read_bytes()


@pytest.mark.parametrize(
    "text", ["1e999", "NaN", "-Infinity", "[1, 1e999]", "[" * 5000, "9" * 5000]
)
def test_what_is_no_json_value_is_kept_as_a_text(run: Run, path: Path, text: str) -> None:
    done = run("-d", str(path), "remember", "n", "--", text)
    assert done.returncode == 0 and done.stderr == ""
    with MemoryDB(path) as db:
        assert db.notebook.recall_fact("cli", "n") == text


def test_a_counter_takes_a_negative_number(run: Run, path: Path) -> None:
    for arguments, standing in (
        (("inc", "-5"), -5), (("dec", "-15"), 10), (("set", "-3"), -3), (("inc", "--", "-1"), -4),
    ):  # fmt: skip
        done = run("-d", str(path), "counter", "c", *arguments)
        assert (done.returncode, done.stdout) == (0, f"c  {standing}\n"), done.stderr
    done = run("-d", str(path), "counter", "c", "inc", "-6", "--json")
    assert json.loads(done.stdout) == {"c": -10}


# -- what a terminal would obey ------------------------------------------------------------------

CLEARS = "\x1b[2J\x1b]0;owned\x07\x9b31m\rover\x7f\x08"


def assert_harmless(shown: str) -> None:
    assert not [c for c in shown if ord(c) < 32 and c not in "\t\n"], repr(shown)
    assert not [c for c in shown if 127 <= ord(c) < 160], repr(shown)


def test_nothing_stored_reaches_the_terminal_as_a_command(run: Run, path: Path) -> None:
    with MemoryDB(path) as db:
        manager = MemoryManager(db)
        manager.update(f"My sister Nora {CLEARS} is allergic to nuts.", f"Noted {CLEARS}")
        db.insert_cell({"content": f"The boiler{CLEARS} is old.", "scene": f"Boiler {CLEARS}"})
        sessions = db.sessions
        session = f"odd {CLEARS}"
        sessions.append_history(session, "user", f"Hello {CLEARS}", name=f"Ann {CLEARS}")
        sessions.set_summary(session, f"- likes {CLEARS} tea")
        db.notebook.remember_fact(session, f"key {CLEARS}", f"value {CLEARS}")
        db.notebook.upsert_global(f"team {CLEARS}", [f"blue {CLEARS}"])
        db.notebook.set_counter(f"count {CLEARS}", 3)
        db.notebook.add_note(session, f"note {CLEARS}")
        db.log.log_change("cli", "test", f"subject {CLEARS}", before=f"old {CLEARS}", reason=CLEARS)
        db.log.log_change("cli", "test", "x", after=f"new {CLEARS}")
    for arguments in (
        ("cells",), ("cells", "--json"), ("scenes",), ("scenes", "--json"), ("log",),
        ("log", "--json"), ("sessions",), ("sessions", "--json"), ("history", session),
        ("history", session, "--json"), ("facts",), ("facts", "--json"), ("jot",),
        ("jot", "--session", session), ("jot", "--session", session, "--json"), ("counter",),
        ("counter", "--json"), ("recall", "boiler nuts"), ("recall", "boiler", "--json"),
        ("recall", "boiler", "--explain"), ("recall", "boiler", "-b", "300"), ("export",),
        ("history", "default"), ("scene", f"Boiler {CLEARS}"), ("status",),
        ("remember", f"a{CLEARS}", f"b{CLEARS}"), ("counter", f"d{CLEARS}", "inc"),
        ("-m", "embedded", "ask", "Who is allergic to nuts?"), ("compact", session, "--dry-run"),
    ):  # fmt: skip
        done = run("-d", str(path), *arguments)
        assert "Traceback" not in done.stderr
        assert_harmless(done.stdout + done.stderr)
    typed = f"/facts\n/history\n/scenes\n/recall boiler nuts\n/forget nuts\n/{CLEARS}\n"
    done = run("-d", str(path), "-m", "embedded", "chat", "--session", session, stdin=typed)
    assert done.returncode == 0 and "Hello" in done.stdout and "value" in done.stdout
    assert_harmless(done.stdout + done.stderr)


def test_json_of_the_command_line_keeps_every_character(run: Run, path: Path) -> None:
    with MemoryDB(path) as db:
        db.notebook.add_note("cli", f"é {CLEARS}")
    (note,) = json.loads(run("-d", str(path), "jot", "--json").stdout)
    assert note["note"] == f"é {CLEARS}"


def test_a_models_words_are_shown_and_not_obeyed(run: Run, path: Path) -> None:
    answers = [
        fails(401, f"wrong key {CLEARS}"),
        streams("Hel\x1b[2J", "lo\x1b", "]0;x\x07.\n\tOk"),
    ]

    def act(received: Received) -> Act:
        return answers.pop(0) if received.body.get("stream") else says(cells_json())

    with ScriptedServer(act=act) as server:
        options = ("-d", str(path), "-m", "tiny", "--base-url", server.base_url)
        done = run(*options, "chat", stdin="Hi.\nHi again.\n")
        assert_harmless(done.stdout + done.stderr)
        assert done.stdout == "\nHel\ufffd[2Jlo\ufffd]0;x\ufffd.\n\tOk\n"
        answers.append(fails(401, f"wrong key {CLEARS}"))
        done = run(*options, "ask", "Hi.")
        assert done.returncode == 1 and "wrong key" in done.stderr
        assert_harmless(done.stdout + done.stderr)


@given(text=st.text())
def test_printable_text_has_no_controls_and_harmless_text_is_as_it_was(text: str) -> None:
    shown = printable(text)
    assert_harmless(shown)
    assert printable(shown) == shown
    if not any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        assert shown == text


def test_counters_notes_and_histories_have_json(run: Run, path: Path) -> None:
    options = ("-d", str(path))
    assert run(*options, "counter", "coffee", "inc", "2").stdout == "coffee  2\n"
    assert json.loads(run(*options, "counter", "--json").stdout) == {"coffee": 2}
    run(*options, "jot", "call", "Ann")
    (note,) = json.loads(run(*options, "jot", "--json").stdout)
    assert note["note"] == "call Ann"
    run(*options, "-m", "embedded", "ask", "What is 2+2?")
    lines = [json.loads(x) for x in run(*options, "history", "cli", "--json").stdout.splitlines()]
    assert [line["role"] for line in lines] == ["user", "assistant", "tool", "assistant"]
    assert lines[2]["content"] == "4" and lines[1]["tool_calls"]
    assert len(run(*options, "history", "cli", "-n", "1").stdout.splitlines()) == 1


def test_the_log_tells_who_changed_what_for_which_turn(run: Run, path: Path) -> None:
    run("-d", str(path), "-m", "embedded", "ask", "Remember my name is Ann")
    run("-d", str(path), "counter", "coffee", "inc")
    lines = [json.loads(line) for line in run("-d", str(path), "log", "--json").stdout.splitlines()]
    changes = {(c["actor"], c["action"], c["subject"]): c["turn"] for c in lines}
    assert changes[("tool", "remember", "fact name of cli")] == 1
    assert changes[("cli", "count", "counter coffee")] is None
