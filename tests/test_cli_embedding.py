"""The command line with an embedder, named by an option or the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from scripted_server import Act, Received, ScriptedServer, answers, fails

SAID = "The surgeon removed my tonsils."
NOTHING = "Nothing remembered matches"
ASKED = "Was there any medical operation?"


@pytest.fixture
def talk(tmp_path: Path) -> str:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": SAID, "at": "2026-11-01"}))
    return str(file)


def topics(received: Received) -> Act:
    rows = [[float("surgeon" in t or "medical" in t), 0.1] for t in received.body["input"]]
    return answers({"data": [{"index": n, "embedding": row} for n, row in enumerate(rows)]})


def test_what_was_ingested_before_is_embedded_and_then_found(
    run: Run, path: Path, talk: str
) -> None:
    run("-d", str(path), "ingest", talk)
    static = {"SCENEMEM_EMBEDDER": "static"}
    assert NOTHING in run("-d", str(path), "recall", ASKED, env=static).stdout
    done = run("-d", str(path), "--embedder", "static", "embed")
    assert (done.returncode, done.stdout) == (0, "1 message embedded, 0 still waiting\n")
    assert "0 messages embedded" in run("-d", str(path), "embed", env=static).stdout
    found = run("-d", str(path), "recall", ASKED, "--explain", env=static)
    assert SAID in found.stdout and "meaning" in found.stdout and NOTHING not in found.stdout
    assert NOTHING in run("-d", str(path), "recall", ASKED).stdout


def test_a_servers_model_embeds_what_is_ingested(run: Run, path: Path, talk: str) -> None:
    with ScriptedServer(act=topics, path="/v1/embeddings") as server:
        env = {"OPENAI_BASE_URL": server.base_url, "SCENEMEM_EMBEDDER": "tiny"}
        done = run("-d", str(path), "-m", "embedded", "ingest", talk, env=env)
        assert done.returncode == 0 and not done.stderr
        assert NOTHING not in run("-d", str(path), "recall", ASKED, env=env).stdout
        assert {request.body["model"] for request in server.requests} == {"tiny"}
        server.then(fails(503))
    down = run("-d", str(path), "recall", "tonsils", env=env)
    assert down.returncode == 0 and SAID in down.stdout
    assert down.stderr.startswith("recalled by words alone: no connection to model 'tiny'")


def test_embed_says_what_went_wrong_and_how_many_it_may_take(
    run: Run, path: Path, talk: str
) -> None:
    run("-d", str(path), "ingest", talk)
    with ScriptedServer(fails(401, "bad key"), path="/v1/embeddings") as server:
        options = ("-d", str(path), "--base-url", server.base_url, "--embedder", "tiny")
        refused = run(*options, "embed")
    assert refused.returncode == 1 and not refused.stdout
    assert refused.stderr.startswith("Error: model 'tiny' at http://127.0.0.1")
    unnamed = run("-d", str(path), "embed")
    assert unnamed.returncode == 2 and "choose an embedder" in unnamed.stderr
    keyless = run("-d", str(path), "--embedder", "tiny", "embed")
    assert keyless.returncode == 2 and "'static' needs neither" in keyless.stderr
    assert "-n" in run("embed", "--help").stdout
