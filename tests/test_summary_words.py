"""The length of a scene's summary: one setting that engines, prompt and loss check read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scenemem.base.loss_check import count_words
from scenemem.base.records import Cell, Scene
from scenemem.engines.engine import SUMMARY_WORDS, Economy, Engine
from scenemem.engines.openai.engine import ModelEngine
from scenemem.engines.rules import EmbeddedEngine
from scenemem.testing import ScriptedModel

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HIVES = Scene("Hives", "", NOON)
PLACES = ("the orchard", "the old quarry", "the chapel yard", "the mill pond", "the railway")
CELLS = [
    Cell(n, "Hives", "fact", 0.7, f"Hive {n} by {PLACES[n % 5]} gave {n + 7} kg of honey.", at)
    for n in range(1, 60)
    for at in [NOON + timedelta(days=n)]
]


SAID = """\
Karim repaired the roof of the barn in Ghent.
Elena sold 40 jars of heather honey at the market.
The bottling machine broke down on 3 March 2026.
Tomas keeps bumblebees behind the library.
A queen from Slovenia cost 55 euros.
The veterinary office asked for samples by Friday.
Frost killed two colonies near the canal.
Nadia painted the boxes blue and yellow.
The lease of the meadow ends in October.
Pesticide from the rapeseed drifted over the fence.
Bruno learned grafting from a monk in Leuven.
The apprentice wants a smoker made of copper.
Wax candles brought more money than mead.
A bear was seen beside the northern gate.
The school class visits every June.
""".splitlines()
VARIED = [CELLS[n]._replace(content=content) for n, content in enumerate(SAID)]


def words_of(engine: Engine) -> int:
    return count_words(engine.summarize(HIVES, VARIED).text)


def test_the_embedded_engine_fills_the_words_that_it_is_given() -> None:
    short, usual, long = (
        words_of(EmbeddedEngine(summary_words=words)) for words in (40, SUMMARY_WORDS, 240)
    )
    assert short <= 40 < usual <= SUMMARY_WORDS
    assert usual < long <= 240


@pytest.mark.parametrize("words", [40, SUMMARY_WORDS, 240])
def test_a_models_summary_is_cut_to_its_words_with_what_it_lost(words: int) -> None:
    model = ScriptedModel(" ".join(cell.content for cell in CELLS))
    text = ModelEngine(model, summary_words=words).summarize(HIVES, CELLS).text
    assert words // 2 < count_words(text) <= words
    assert "Also: " in text


@pytest.mark.parametrize(("words", "asked"), [(40, 20), (SUMMARY_WORDS, 60), (240, 160)])
def test_a_model_is_asked_for_fewer_words_so_that_what_it_lost_has_room(
    words: int, asked: int
) -> None:
    model = ScriptedModel("Every hive gave honey.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scenemem.base.loss_check.LEAST_KEPT", 0.0)
        ModelEngine(model, summary_words=words).summarize(HIVES, CELLS)
    assert f"in at most {asked} words" in model.requests[0].messages[0]["content"]
    assert model.requests[0].max_tokens == pytest.approx(2.5 * words, abs=5)


def test_the_setting_is_told_as_part_of_the_economy() -> None:
    assert Economy().summary_words == SUMMARY_WORDS
    assert EmbeddedEngine(summary_words=150).economy.summary_words == 150
    assert ModelEngine(ScriptedModel(""), summary_words=150).economy.summary_words == 150


@pytest.mark.parametrize("words", [29, 0, -1])
def test_too_few_words_for_a_summary_are_refused(words: int) -> None:
    with pytest.raises(ValueError, match=f"summary_words must be at least 30, got {words}"):
        EmbeddedEngine(summary_words=words)
    with pytest.raises(ValueError, match=f"summary_words must be at least 30, got {words}"):
        ModelEngine(ScriptedModel(""), summary_words=words)
