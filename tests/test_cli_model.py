"""The command line on a model: chosen by options and environment, streaming, counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from scripted_server import Act, Received, ScriptedServer, fails, says, streams

from scenemem.testing import cells_json

REPLY = "The boiler is from 1998, as you said."


def well(received: Received) -> Act:
    if received.body.get("stream"):
        return streams("The boiler is ", "from 1998,", " as you said.", usage=(120, 9))
    return says(cells_json("The boiler is from 1998"), usage=(300, 20))


def forgetful(received: Received) -> Act:
    """Answers well, and fails at whatever the memory asks of it."""
    return well(received) if received.body.get("stream") else fails(500)


def test_ask_streams_the_models_reply_and_keeps_the_cell(run: Run, path: Path) -> None:
    with ScriptedServer(act=well) as server:
        options = ["-d", str(path), "-m", "tiny", "--base-url", server.base_url]
        done = run(*options, "ask", "How old is the boiler? I think it is from 1998.")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{REPLY}\n", "")
    assert "The boiler is from 1998" in run("-d", str(path), "cells").stdout
    used = {u["purpose"]: u for u in json.loads(run("-d", str(path), "usage", "--json").stdout)}
    assert (used["reply"]["calls"], used["reply"]["prompt_tokens"]) == (1, 120)
    assert (used["extract"]["calls"], used["extract"]["completion_tokens"]) == (1, 20)
    assert {u["model"] for u in used.values()} == {"tiny"}
    assert "tiny" in run("-d", str(path), "usage").stdout


def test_an_answer_is_delivered_when_the_memory_fails_and_caught_up_later(
    run: Run, path: Path
) -> None:
    with ScriptedServer(act=forgetful) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "SCENEMEM_MODEL": "tiny"}
        done = run("-d", str(path), "ask", "The boiler is from 1998.", env=env)
        assert done.returncode == 0 and done.stdout == f"{REPLY}\n"
        assert "Traceback" not in done.stderr
        assert run("-d", str(path), "extract", env=env).returncode == 1
    status = run("-d", str(path), "status").stdout
    assert "1 turn waiting to be extracted" in status and "500" in status
    assert "boiler" in run("-d", str(path), "recall", "boiler").stdout
    with ScriptedServer(act=well) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "SCENEMEM_MODEL": "tiny"}
        assert "1 turn extracted, 1 cell kept" in run("-d", str(path), "extract", env=env).stdout
    assert "nothing waiting" in run("-d", str(path), "status").stdout


def test_without_a_model_the_embedded_engine_works_and_says_so_once(run: Run, path: Path) -> None:
    done = run("-d", str(path), "ask", "I moved to Bergen.")
    assert done.stdout == "Noted.\n"
    assert done.stderr.count("embedded") == 2 and len(done.stderr.splitlines()) == 1
    assert run("-d", str(path), "-m", "embedded", "ask", "Where did I move?").stderr == ""


@pytest.mark.parametrize(
    ("options", "says_"),
    [
        (["-m", "gpt-4o-mini"], "needs OPENAI_API_KEY"),
        (["--base-url", "http://127.0.0.1:9/v1"], "--model"),
    ],
)
def test_half_a_choice_of_model_is_refused(
    run: Run, path: Path, options: list[str], says_: str
) -> None:
    done = run("-d", str(path), *options, "ask", "hello")
    assert done.returncode == 2 and says_ in done.stderr


def test_a_server_that_is_not_there_is_named_and_the_question_is_kept(run: Run, path: Path) -> None:
    options = ["-d", str(path), "-m", "tiny", "--base-url", "http://127.0.0.1:9"]
    done = run(*options, "ask", "The boiler is from 1998.")
    assert done.returncode == 1
    assert "http://127.0.0.1:9" in done.stderr and len(done.stderr.splitlines()) == 1
    assert "boiler" in run("-d", str(path), "recall", "boiler").stdout


def test_no_usage_is_said(run: Run, path: Path) -> None:
    run("-d", str(path), "-m", "embedded", "ask", "I moved to Bergen.")
    assert run("-d", str(path), "usage").stdout == "No model was called.\n"
