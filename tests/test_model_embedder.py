"""The server embedder against a real server on loopback, and a memory that uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted_server import Act, Received, ScriptedServer, answers, cuts_off, fails

from scenemem.base.errors import ModelError, ModelRequestError, ModelUnavailableError
from scenemem.engines.openai.embedder import ServerEmbedder
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall

PATH = "/v1/embeddings"


def vectors(*rows: list[float]) -> Act:
    entries = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    # In no order: the index tells which text a vector is of.
    return answers({"object": "list", "model": "tiny", "data": entries[::-1]})


def by_length(received: Received) -> Act:
    return vectors(*([float(len(text)), 1.0] for text in received.body["input"]))


def refuses_long(received: Received) -> Act:
    if sum(map(len, received.body["input"])) > 100:
        return fails(400, "This model's maximum context length is 25 tokens")
    return by_length(received)


def server(*script: Act, **settings: Any) -> ScriptedServer:
    return ScriptedServer(*script, path=PATH, **settings)


def test_each_text_gets_its_vector_in_batches() -> None:
    with server(act=by_length) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.base_url, batch=2)
        assert embedder.embed(["a", "bbb", "cc"]) == [[1.0, 1.0], [3.0, 1.0], [2.0, 1.0]]
        assert [r.body["input"] for r in asked.requests] == [["a", "bbb"], ["cc"]]
        assert {r.body["model"] for r in asked.requests} == {"tiny"}
        assert embedder.address == f"{asked.root}/v1/embeddings"


@pytest.mark.parametrize("written", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_every_form_of_the_address_finds_the_server(written: str) -> None:
    with server(act=by_length) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.root + written)
        assert embedder.embed(["ab"]) == [[2.0, 1.0]]


def test_texts_that_are_too_long_go_apart_and_are_shortened() -> None:
    with server(act=refuses_long) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.base_url)
        assert embedder.embed(["a" * 90, "b" * 300]) == [[90.0, 1.0], [75.0, 1.0]]


def test_a_text_without_words_or_with_half_a_character_can_be_sent() -> None:
    with server(act=by_length) as asked:
        ServerEmbedder("tiny", base_url=asked.base_url).embed([" ", "a\ud83d"])
        assert asked.requests[0].body["input"] == ["-", "a\ufffd"]


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (fails(503, "loading"), ModelUnavailableError, "failed .503: loading"),
        (fails(429, "slow down"), ModelUnavailableError, "too busy"),
        (fails(401, "bad key"), ModelRequestError, "check the API key"),
        (cuts_off(b'{"data"'), ModelUnavailableError, "no connection"),
        (answers("<html>hello</html>"), ModelError, "without vectors: hello"),
        (answers({"data": [{"embedding": "AAAA"}]}), ModelError, "without vectors"),
        (answers({"error": {"message": "no such model"}}), ModelError, "vectors: no such model"),
        (vectors([1.0], [2.0]), ModelError, "without a vector for each of 1 texts"),
    ],
)
def test_a_fault_is_one_error_after_one_request(act: Act, kind: type[Exception], said: str) -> None:
    with server(act) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.base_url)
        with pytest.raises(kind, match=said) as raised:
            embedder.embed(["a"])
        assert "\n" not in str(raised.value)
        assert f"model 'tiny' at {asked.root}/v1/embeddings" in str(raised.value)
        assert len(asked.requests) == 1


def test_a_slow_server_is_waited_for_as_long_as_was_said() -> None:
    with server(Act(delay=3.0)) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.base_url, timeout=0.1)
        with pytest.raises(ModelUnavailableError, match=r"within 0\.1 s"):
            embedder.embed(["a"])


def test_wrong_settings_are_value_errors() -> None:
    for wrong in ({"model": " "}, {"batch": 0}, {"base_url": "ftp://x"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ServerEmbedder(**({"model": "tiny"} | wrong))


def test_a_memory_goes_by_words_while_its_server_is_down(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with server(act=by_length) as asked:
        embedder = ServerEmbedder("tiny", base_url=asked.base_url)
        db = MemoryDB(path, embedder=embedder)
        memory = MemoryManager(db)
        memory.update("We paddled the red canoe.")
        assert recall(db, "canoe").hits[0].parts["meaning"] > 0.0
    assert recall(db, "canoe").hits[0].parts["meaning"] == 0.0
    assert memory.update("It rained in Oslo all day.").outcome == "kept"
    assert db.meaning is not None
    assert db.meaning.count_waiting() == 1
    assert "recalled by words alone: no connection to model 'tiny'" in caplog.text
    assert "messages stay without vectors for now: no connection" in caplog.text
    db.close()
