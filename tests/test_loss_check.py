"""The loss check: what a summary may not lose comes back, within bounds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base import loss_check
from scenemem.base.loss_check import ALSO_WORDS, LossCheck, count_words, trim_words
from scenemem.base.records import Cell
from scenemem.engines.engine import SUMMARY_WORDS

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def check_loss(summary: str, of: list[Cell], most: int = SUMMARY_WORDS) -> LossCheck:
    return loss_check.check_loss(summary, of, most=most)


def cells(*contents: str, saliences: tuple[float, ...] = ()) -> list[Cell]:
    weights = saliences or (0.7,) * len(contents)
    return [
        Cell(n, "Boat", "fact", weight, content, NOON)
        for n, (content, weight) in enumerate(zip(contents, weights, strict=True), 1)
    ]


def test_a_summary_that_lost_nothing_is_left_as_it_is() -> None:
    checked = check_loss(
        "Jan's boat Calypso is 9.5 m long.",
        cells("Jan has a boat, Calypso", "Calypso is 9.5 m long"),
    )
    assert checked.text == "Jan's boat Calypso is 9.5 m long."
    assert checked.lost == ()
    assert checked.kept > 0.8


@pytest.mark.parametrize(
    ("content", "lost"),
    [
        ("The harbour code is 4471#", "4471#"),
        ("The mooring costs 1,250 euros a year", "1,250"),
        ("Inspection is due on 2026-08-14", "2026-08-14"),
        ("The engine was serviced by Fatima", "Fatima"),
        ("The mechanic's mail is yard@calypso.example", "yard@calypso.example"),
        ("Charts are in ~/boat/charts_v2", "~/boat/charts_v2"),
        ("The radio's call name is OxBow7", "OxBow7"),
    ],
)
def test_names_numbers_dates_and_identifiers_come_back(content: str, lost: str) -> None:
    checked = check_loss("The boat lies in the harbour; engine, mooring, radio, charts, mail.",
                         cells("The boat lies in the harbour", content))  # fmt: skip
    assert lost in checked.text.split("\nAlso: ")[1]
    assert checked.lost == ()


def test_what_was_lost_is_told_with_the_words_around_it() -> None:
    checked = check_loss("The boat is in the harbour.", cells("The boat is in the harbour",
                         "The on-call phone of the yard is 555-0142"))  # fmt: skip
    assert checked.text.endswith("Also: phone of the yard is 555-0142.")


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("Inspection on 2026-08-14", "Inspection is on 14 August 2026."),
        ("It costs 1,250 euros", "Cost: 1250 euros."),
        ("Meet Fatima’s brother", "The brother of FATIMA."),
        ("Sails from Zürich", "Sailing from Zurich."),
        ("Émile sails", "emile sails."),
    ],
)
def test_another_way_to_write_it_is_no_loss(said: str, summary: str) -> None:
    assert "Also" not in check_loss(summary, cells(said)).text


def test_the_most_salient_losses_come_first_and_the_line_is_bounded() -> None:
    many = cells(
        *(f"Sailor Name{n} has number {1000 + n} in the boat club" for n in range(40)),
        saliences=tuple(n / 40 for n in range(40)),
    )
    checked = check_loss("Sailors of the boat club have numbers.", many)
    also = checked.text.split("\nAlso: ")[1]
    assert count_words(also) <= ALSO_WORDS
    assert "1039" in also
    assert "1001" not in also
    assert checked.lost


@pytest.mark.parametrize("summary", ["I'm sorry, I can't do that.", "", "Bread needs flour."])
def test_a_summary_of_something_else_is_not_acceptable(summary: str) -> None:
    checked = check_loss(
        summary, cells("Calypso lies in Ostend", "Jan paints the boat", "The mast is broken")
    )
    assert not checked.is_acceptable


def test_a_short_summary_of_a_large_scene_is_acceptable_if_it_is_about_it() -> None:
    many = cells(
        *(f"The boat Calypso needs repair number {n} in Ostend harbour" for n in range(100))
    )
    assert check_loss("The boat Calypso needs many repairs in Ostend.", many).is_acceptable


def test_unspaced_scripts_are_checked_as_well() -> None:
    said = cells("林さんは大阪で船を売っている", "検査は2026年8月14日です")
    kept = check_loss("林さんは大阪で船を売り、検査は2026年8月14日。", said)
    lost = check_loss("天気がいい。", said)
    assert kept.is_acceptable
    assert not lost.is_acceptable


def test_a_scene_without_cells_accepts_anything() -> None:
    assert check_loss("Nothing yet.", []).text == "Nothing yet."


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=80), max_size=8))
def test_any_text_is_checked_within_bounds(summary: str, contents: list[str]) -> None:
    checked = check_loss(summary, cells(*contents))
    assert count_words(checked.text) <= SUMMARY_WORDS + 1
    assert 0 <= checked.kept <= 1


@given(st.text(max_size=300), st.integers(1, 40))
def test_trimming_keeps_a_beginning_within_the_limit(text: str, most: int) -> None:
    trimmed = trim_words(text, most)
    assert count_words(trimmed) <= max(most, 1)
    assert text.strip().startswith(trimmed.removesuffix("…").strip())


def test_trimming_ends_at_a_sentence_where_it_can() -> None:
    assert (
        trim_words("One two three four. Five six. Seven eight nine", 7)
        == "One two three four. Five six."
    )
