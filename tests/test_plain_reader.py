"""What reads without a model: the engine itself if it can, else the embedded engine."""

from __future__ import annotations

from scenemem import EmbeddedEngine, ModelEngine
from scenemem.base.records import Message, now_utc
from scenemem.base.session_records import Exchange
from scenemem.engines import default_engine, plain_reader
from scenemem.engines.engine import PlainReader
from scenemem.testing import ScriptedModel

SAID = Message(1, "A", 1, "user", "Please remember that my deadline is 4 June.", now_utc())


def test_an_engine_that_reads_without_a_model_is_asked_itself() -> None:
    engine = EmbeddedEngine()
    assert isinstance(engine, PlainReader)
    assert plain_reader(engine) is engine


def test_for_any_other_engine_the_embedded_one_is_asked() -> None:
    assert isinstance(default_engine(), EmbeddedEngine)
    assert isinstance(plain_reader(ModelEngine(ScriptedModel())), EmbeddedEngine)
    assert isinstance(plain_reader(), EmbeddedEngine)


def test_statements_are_told_with_or_without_the_words_that_ask_to_remember_them() -> None:
    exchange = Exchange(1, "A", (SAID,))
    [plain] = default_engine().statements(exchange)
    [framed] = default_engine().statements(exchange, framed=True)
    assert plain.content == "My deadline is 4 June."
    assert framed.content == "Please remember that my deadline is 4 June."


def test_a_name_is_found_that_is_not_refused() -> None:
    texts = ["The kiln cracked my clay bowl.", "The kiln needs clay for the next bowl."]
    first = default_engine().name_scene(texts, lambda name: False)
    other = default_engine().name_scene(texts, lambda name: name == first)
    assert other != first


def test_health_and_deadlines_are_grave() -> None:
    assert default_engine().is_grave("I'm allergic to nuts.")
    assert not default_engine().is_grave("The barn is red.")
