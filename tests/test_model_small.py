"""The whole loop on a real small model: it is a bad one, and nothing may be lost for it.

What a model of 135 million parameters writes can't be foretold, so the tests look at shapes and at
what must hold whatever it writes. `SCENEMEM_TEST_BASE_URL` and `SCENEMEM_TEST_MODEL` name another
server; otherwise the model is fetched and started (`small_model`), and where that is impossible
these tests are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from small_model import NotAvailableError, cache_folder, running_model

from scenemem.agent.agent import WorkerAgent
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.errors import ModelError
from scenemem.base.loss_check import count_words
from scenemem.base.records import Cell, Message, Scene
from scenemem.base.session_records import Exchange
from scenemem.engines.engine import Extraction, Prompt, Reply
from scenemem.engines.openai.chat import OpenAIChat
from scenemem.engines.openai.engine import ModelEngine
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.testing import EmptyMemory

pytestmark = pytest.mark.slow

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TALK = (
    ("I moved to Tromsø in May and I work as a nurse.", "Welcome to the north!"),
    ("Please never suggest mushrooms, I'm allergic to them.", "Noted, no mushrooms."),
    ("We decided to name the boat Calypso.", "A lovely name."),
    ("My brother Anton visits from Riga next week.", "How nice!"),
)


@pytest.fixture(scope="module")
def chat() -> Iterator[OpenAIChat]:
    named = os.environ.get("SCENEMEM_TEST_BASE_URL")
    if named:
        model = os.environ.get("SCENEMEM_TEST_MODEL", "local")
        yield OpenAIChat(model, base_url=named, timeout=300, temperature=0)
        return
    try:
        with running_model(cache_folder()) as base_url:
            yield OpenAIChat("smollm2-135m", base_url=base_url, timeout=120, temperature=0)
    except NotAvailableError as error:
        pytest.skip(f"NO REAL MODEL WAS TESTED: {error}")


@pytest.fixture(scope="module")
def engine(chat: OpenAIChat) -> ModelEngine:
    return ModelEngine(chat, turns_per_call=2, condensed_words=60)


def exchanges() -> list[Exchange]:
    return [
        Exchange(
            n,
            "s",
            (
                Message(2 * n, "s", n, "user", user, MONDAY + timedelta(hours=n)),
                Message(2 * n + 1, "s", n, "assistant", reply, MONDAY + timedelta(hours=n)),
            ),
        )
        for n, (user, reply) in enumerate(TALK, 1)
    ]


@pytest.fixture(scope="module")
def extractions(engine: ModelEngine) -> list[Extraction]:
    return engine.extract(exchanges(), EmptyMemory())


def test_every_turn_gets_its_verdict(extractions: list[Extraction]) -> None:
    assert [extraction.exchange for extraction in extractions] == list(range(1, len(TALK) + 1))
    assert not any(extraction.unread for extraction in extractions)
    read = [extraction for extraction in extractions if extraction.error is None]
    assert len(read) >= len(TALK) // 2, [extraction.error for extraction in extractions]


def test_whatever_was_written_the_drafts_are_sound(extractions: list[Extraction]) -> None:
    drafts = [draft for extraction in extractions for draft in extraction.drafts]
    assert drafts
    for draft in drafts:
        assert draft.validated() is draft
        assert draft.cell_type in CELL_TYPES
        assert draft.source is not None
        assert draft.at is not None


def test_a_schema_is_kept_to(chat: OpenAIChat) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "green"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    asked = [{"role": "user", "content": "Which colour is grass? Answer in JSON."}]
    completion = chat.complete(asked, schema=schema, max_tokens=30)
    assert json.loads(completion.text)["colour"] in ("red", "green")
    assert completion.usage is not None


def test_a_summary_is_bounded_and_loses_no_name_or_it_is_refused(engine: ModelEngine) -> None:
    contents = ("Anton lives in Riga", "Anton visits on 2026-03-09", "Anton likes sailing")
    cells = [Cell(n, "Anton", "fact", 0.7, text, MONDAY) for n, text in enumerate(contents, 1)]
    try:
        summary = engine.summarize(Scene("Anton", "", MONDAY), cells)
    except ModelError as error:
        assert "keeps" in str(error)
    else:
        assert count_words(summary.text) < 100
        assert "Riga" in summary.text


def test_notes_are_bounded(engine: ModelEngine) -> None:
    messages = [message for exchange in exchanges() for message in exchange.messages]
    notes = engine.condense(messages, "- The user asked for ticket HV-17")
    assert 0 < count_words(notes) <= engine.condensed_words


def test_replies_come_whole_and_streamed(engine: ModelEngine) -> None:
    asked = Message(1, "s", 1, "user", "Say hello in five words.", MONDAY)
    prompt = Prompt("You answer briefly.", (asked,))
    assert engine.reply(prompt).text
    *pieces, last = engine.reply_stream(prompt)
    assert isinstance(last, Reply)
    assert "".join(map(str, pieces)).strip() == last.text.strip()
    assert engine.usage["reply"].prompt_tokens > 0
    assert engine.usage["reply"].estimated == 0


def test_a_stream_can_be_left_early_and_the_server_goes_on(engine: ModelEngine) -> None:
    asked = Message(1, "s", 1, "user", "Count to one hundred.", MONDAY)
    stream = engine.reply_stream(Prompt("", (asked,)))
    assert next(stream)
    del stream
    assert engine.reply(Prompt("", (asked,))).text


def test_the_whole_loop_loses_nothing(engine: ModelEngine, db: MemoryDB) -> None:
    manager = MemoryManager(db, engine)
    turns = [
        manager.take_in(user, reply, at=MONDAY + timedelta(hours=n))
        for n, (user, reply) in enumerate(TALK)
    ]
    extracted = manager.extract_pending()
    manager.consolidate_stale()
    status = manager.db.status()
    assert extracted.turns + len(extracted.failed or {}) == len(turns)
    assert status.pending + status.failed == len(extracted.failed or {})
    assert status.cells > 0
    found = recall(db, "Where does Anton come from?")
    assert any("Riga" in hit.text or "Anton" in hit.text for hit in found)
    assert "Calypso" in recall(db, "What is the boat called?").render(400)
    answer = WorkerAgent(db, manager).answer("What is the boat called?")
    assert answer.strip()
    assert answer in [message.content for message in db.sessions.list_messages()]
