"""Summaries that the embedded engine writes of scenes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.cell_types import CellType
from scenemem.base.records import Cell
from scenemem.engines.engine import Economy
from scenemem.engines.rules import summaries
from scenemem.engines.rules.summaries import LONGEST_TOLD, word_count

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
MOST_WORDS = Economy().told_words


def summarize(scene: str, of: Sequence[Cell], most: int = MOST_WORDS) -> str:
    return summaries.summarize(scene, of, most)


def cell(
    content: str,
    number: int = 1,
    *,
    speaker: str | None = "Ines",
    day: int = 0,
    salience: float = 0.5,
    cell_type: CellType = "fact",
) -> Cell:
    return Cell(
        id=number,
        scene="Allotment",
        cell_type=cell_type,
        salience=salience,
        content=content,
        created_at=START + timedelta(days=day, minutes=number),
        speaker=speaker,
    )


def cells(texts: Sequence[str], speaker: str = "Ines") -> list[Cell]:
    return [cell(text, n, day=10 * n, speaker=speaker) for n, text in enumerate(texts, 1)]


ALLOTMENT = (
    "I rented an allotment behind the station in Ghent.",
    "I am planting broad beans and garlic on the allotment.",
    "The shed on the allotment has a leaking roof.",
    "I decided to build a new shed from old doors.",
    "My neighbour Karim gave me three plum trees.",
    "I want to win the pumpkin prize in October.",
)


def test_a_summary_is_told_about_the_speaker_in_sentences() -> None:
    text = summarize("Allotment", cells(ALLOTMENT))
    assert "Ines" in text
    assert " I " not in f" {text}"
    assert text.endswith(".")


def test_a_summary_stays_well_under_a_hundred_words_however_large_the_scene() -> None:
    texts = [f"I planted {n} rows of {veg} in bed {n} of the allotment." for n in range(300)
             for veg in ("beans", "leeks", "chard")]  # fmt: skip
    text = summarize("Allotment", cells(texts))
    assert 0 < word_count(text) <= MOST_WORDS


def test_statements_are_told_in_the_order_of_time_not_of_weight() -> None:
    said = [one._replace(salience=0.3 + 0.1 * n) for n, one in enumerate(cells(ALLOTMENT))]
    text = summarize("Allotment", said)
    told = [text.find(word) for word in ("Ghent", "garlic", "roof", "doors", "Karim", "pumpkin")]
    present = [place for place in told if place >= 0]
    assert len(present) >= 3
    assert present == sorted(present)


def test_a_summary_says_when() -> None:
    assert "March 2024" in summarize("Allotment", [cell(ALLOTMENT[0])])


def test_a_date_is_not_said_again_for_every_sentence_of_the_same_time() -> None:
    same_day = [cell(text, n) for n, text in enumerate(ALLOTMENT, 1)]
    assert summarize("Allotment", same_day).count("2024") == 1


WEATHER = [
    cell(f"The sky over the {place} looked grey and quiet this week.", n, day=n)
    for n, place in enumerate(
        [
            "canal",
            "shed",
            "station",
            "field",
            "hill",
            "road",
            "barn",
            "mill",
            "pond",
            "fence",
            "ditch",
            "meadow",
        ],
        1,
    )
]


def test_what_is_salient_is_told_before_what_is_not() -> None:
    roof = cell("The roof of the barn had a leak in the corner.", 50, day=6)
    assert "leak" in summarize("Weather", [*WEATHER, roof._replace(salience=1.0)])
    assert "leak" not in summarize("Weather", [*WEATHER, roof._replace(salience=0.0)])


def test_a_decision_is_told_before_a_fact_of_the_same_salience() -> None:
    roof = cell("The sky over the orchard looked grey and quiet this week.", 50)
    assert "orchard" in summarize("Weather", [*WEATHER, roof._replace(cell_type="decision")])
    assert "orchard" not in summarize("Weather", [*WEATHER, roof])


def test_of_statements_alike_in_all_else_the_newest_is_told() -> None:
    text = summarize("Weather", WEATHER)
    assert "meadow" in text
    assert "canal" not in text


def test_of_two_statements_that_say_the_same_the_newer_is_told() -> None:
    text = summarize(
        "Launch",
        [
            cell("The launch date of the payment app is 2 June.", 1),
            cell("The launch date of the payment app is 9 July.", 2, day=20),
        ],
    )
    assert "9 July" in text
    assert "2 June" not in text


def test_the_newer_stands_in_whatever_order_the_cells_come() -> None:
    old = cell("The launch date of the payment app is 2 June.", 1)
    new = cell("The launch date of the payment app is 9 July.", 2, day=20)
    assert summarize("Launch", [new, old]) == summarize("Launch", [old, new])


def test_what_cannot_be_told_for_sure_is_quoted_with_its_speaker() -> None:
    text = summarize("Allotment", [cell("As for the shed, ain't nobody got time for me and you!")])
    assert text.startswith("Ines said: “")


def test_a_statement_without_a_speaker_is_told_as_it_stands() -> None:
    assert (
        summarize("Boiler", [cell("boiler is from 1998", speaker=None)]) == "Boiler is from 1998."
    )


def test_the_user_is_called_the_user() -> None:
    text = summarize("Allotment", [cell("I rented an allotment in Ghent.", speaker="user")])
    assert text.startswith("The user rented an allotment in Ghent")


@pytest.mark.parametrize("speaker", ["Ines", None])
def test_pictures_are_left_out_of_what_is_told(speaker: str | None) -> None:
    content = "The shed is built. [image: a photo of a wooden shed]"
    text = summarize("Allotment", [cell(content, speaker=speaker)])
    assert "[image" not in text
    assert "photo" not in text


def test_a_picture_without_words_is_told_as_shared() -> None:
    text = summarize("Allotment", [cell("[image: a photo of a plum tree]")])
    assert text == "Ines shared a photo of a plum tree (4 March 2024)."


def test_one_more_cell_changes_little() -> None:
    said = cells(ALLOTMENT)
    before = summarize("Allotment", said)
    after = summarize("Allotment", [*said, cell("It rained a bit.", 90, day=70, salience=0.1)])
    assert before == after


def test_the_same_cells_give_the_same_summary_in_any_order() -> None:
    said = cells(ALLOTMENT)
    assert summarize("Allotment", said) == summarize("Allotment", said[::-1])


def test_no_cells_give_no_summary() -> None:
    assert summarize("Allotment", []) == ""


@pytest.mark.parametrize(
    "texts",
    [
        ("我在根特租了一块菜园。", "卡里姆送了我三棵李子树。", "十月我想赢得南瓜奖。"),
        ("ゲントで畑を借りました。", "カリムが梅の木を三本くれました。"),
    ],
)
def test_no_english_stands_in_a_summary_of_a_scene_that_has_none(texts: tuple[str, ...]) -> None:
    for speaker in ("user", "小林"):
        text = summarize("菜园", cells(texts, speaker=speaker))
        assert text
        assert not any(c.isascii() and c.isalpha() for c in text)


def test_a_korean_summary_is_dated_in_korean() -> None:
    text = summarize("텃밭", cells(["겐트에서 텃밭을 빌렸다.", "카림이 자두나무를 줬다."]))
    assert "2024년 3월" in text


def test_another_language_is_quoted_by_name_without_english_words() -> None:
    text = summarize("Huerto", cells(["Alquilé un huerto en Gante con mi hermana."]))
    assert text == "2024-03-14: Ines: “Alquilé un huerto en Gante con mi hermana.”"


def test_a_statement_of_any_length_is_told_in_a_few_words() -> None:
    text = summarize("Allotment", [cell("bean " * 500)])
    assert word_count(text) <= LONGEST_TOLD + 8


@settings(max_examples=150)
@given(st.lists(st.text(max_size=120), min_size=1, max_size=12))
def test_any_text_gives_a_bounded_summary(texts: list[str]) -> None:
    text = summarize("Anything", cells(texts))
    assert word_count(text) <= MOST_WORDS + 12
