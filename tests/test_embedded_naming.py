"""Names that the embedded engine gives to scenes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.records import Cell
from scenemem.base.text import name_key
from scenemem.engines.rules.naming import LONGEST_NAME, likeness, name_for, phrases, propose_name
from scenemem.engines.rules.terms import guess_language, nicknames, stem, terms

START = datetime(2024, 3, 4, 9, tzinfo=UTC)


def cells(scene: str, texts: Sequence[str], speaker: str | None = "Ines") -> list[Cell]:
    return [
        Cell(
            id=n,
            scene=scene,
            cell_type="fact",
            salience=0.5,
            content=text,
            created_at=START + timedelta(hours=n),
            speaker=speaker,
        )
        for n, text in enumerate(texts, 1)
    ]


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["I went to a chess club yesterday and it was great."], "Chess club"),
        (
            ["We're planning a trip to Lisbon in May.", "The trip to Lisbon is booked."],
            "Trip to Lisbon",
        ),
        (
            ["The kitchen remodel starts in June.", "Our kitchen remodel needs a new sink."],
            "Kitchen remodel",
        ),
        (["I joined the LGBTQ choir.", "The LGBTQ choir sings on Mondays."], "LGBTQ choir"),
        (["She hikes a lot.", "Hiking is fun.", "We went hiking."], "Hiking"),
    ],
)
def test_a_scene_is_named_by_what_its_statements_call_the_matter(
    texts: list[str], name: str
) -> None:
    assert name_for(texts) == name


def test_a_phrase_that_recurs_wins_over_its_parts() -> None:
    texts = [
        "Mental health is a big topic at work.",
        "I want to study mental health.",
        "Health matters.",
    ]
    assert name_for(texts) == "Mental health"


def test_a_name_keeps_the_capitals_that_are_not_a_sentences() -> None:
    assert name_for(["We saw the NASA launch.", "That NASA launch was loud."]) == "NASA launch"


@pytest.mark.parametrize(
    "text",
    [
        "It was really good and I had a great time last Saturday.",
        "Something amazing happened yesterday, absolutely wonderful!",
        "I'm so happy, thanks a lot.",
    ],
)
def test_praise_fillers_and_days_are_no_names(text: str) -> None:
    assert name_for([text]) == "Small talk"


def test_a_speakers_name_is_no_name_for_a_scene() -> None:
    texts = ["I saw Ruben here.", "We called Ruben.", "It was Ruben with the violin."]
    assert name_for(texts) == "Ruben"
    assert name_for(texts, avoid={"ruben"}) == "Violin"


def test_a_word_that_tells_little_alone_gives_way_to_one_that_tells_more() -> None:
    texts = ["The team rowed.", "The regatta was on.", "A team for the regatta.", "My team."]
    assert name_for(texts) == "Regatta"


def test_a_part_of_a_name_is_not_a_name_for_itself() -> None:
    texts = ["Rooftop garden.", "The rooftop garden.", "My rooftop garden.", "A new rooftop."]
    assert name_for(texts, weigh=lambda term: 3.0 if term == "rooftop" else 0.3) == (
        "Rooftop garden"
    )


def test_what_people_do_is_named_by_its_ing_form() -> None:
    assert name_for(["My hike.", "The hike was long.", "I like hiking."]) == "Hiking"


def test_a_verb_is_no_name() -> None:
    texts = ["I sketch to relax.", "We sketch with a flute.", "They sketch a lot."]
    assert name_for(texts) == "Flute"


def test_nicknames_are_short_forms_that_are_no_words() -> None:
    assert "mel" in nicknames("melanie")
    assert "car" not in nicknames("caroline")


def test_what_is_said_everywhere_gives_way_to_what_is_said_here() -> None:
    texts = ["The project needs a kiln.", "The kiln of the project broke.", "A project for a kiln."]
    assert name_for(texts, weigh=lambda term: 0.1 if term == "project" else 2.0) == "Kiln"


def test_a_name_that_another_scene_has_is_not_given_again() -> None:
    texts = ["The chess club meets on Mondays in the library.", "Our chess club has a new clock."]
    given: list[str] = []
    for _ in range(6):
        given.append(name_for(texts, is_taken=lambda name: name in given))
    assert len({name_key(name) for name in given}) == 6


def test_two_forms_of_one_word_are_too_alike_for_two_scenes() -> None:
    assert likeness("Hike") == likeness("Hiking")
    assert likeness("Chess club") != likeness("Chess set")


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (
            ["昨天我去陶艺课做了花瓶。", "陶艺课很有意思，老师很好。", "下次陶艺课在星期五。"],
            "陶艺课",
        ),
        (["我最近在看《红楼梦》。", "《红楼梦》里的人物很多。"], "红楼梦"),
        (["昨日は美術館に行きました。", "美術館の絵が好きです。"], "美術館"),
        (["カメラを買いました。", "新しいカメラは軽いです。"], "カメラ"),
        (["어제 미술관에서 그림을 봤다", "미술관에 다시 가고 싶다"], "미술관"),
        (
            ["Ayer fui a la clase de cerámica.", "La clase de cerámica fue bonita."],
            "Clase de cerámica",
        ),
        (["Der Töpferkurs war schön.", "Ich gehe wieder in den Töpferkurs."], "Töpferkurs"),
    ],
)
def test_other_languages_get_names_of_their_own(texts: list[str], name: str) -> None:
    assert name_for(texts) == name


def test_a_name_that_later_statements_bear_out_stays() -> None:
    texts = ["The chess club meets today.", *["The chess club won a match."] * 5]
    assert propose_name(cells("Chess club", texts)) is None


def test_a_name_of_a_first_statement_gives_way_to_what_the_scene_became() -> None:
    texts = ["The parcel for the allotment came.", *["We dug the allotment for beans."] * 6]
    assert propose_name(cells("Parcel", texts)) == "Allotment"


def test_a_name_that_somebody_gave_stays() -> None:
    texts = ["We dug the allotment for beans."] * 7
    assert propose_name(cells("Operation Sunrise", texts)) is None


def test_a_scene_of_a_few_cells_is_not_renamed_yet() -> None:
    assert propose_name(cells("Parcel", ["The parcel came.", "The allotment."])) is None


def test_no_better_name_is_proposed_that_another_scene_has() -> None:
    texts = ["The parcel for the allotment came.", *["We dug the allotment for beans."] * 6]
    assert propose_name(cells("Parcel", texts), is_taken=lambda name: name == "Allotment") != (
        "Allotment"
    )


@settings(max_examples=200)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_gets_a_name_of_at_most_four_words(texts: list[str]) -> None:
    name = name_for(texts)
    assert name.strip() == name
    assert name_key(name)
    assert len(name) <= LONGEST_NAME
    assert len(name.split()) <= 4 + 1  # a number may follow


@given(st.text(max_size=200))
def test_terms_and_phrases_of_any_text_are_well_formed(text: str) -> None:
    assert all(term and weight > 0 for term, weight in terms(text).items())
    for phrase in phrases(text):
        assert phrase.keys
        assert phrase.surface.strip()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("painting", "painted"),
        ("classes", "class"),
        ("cities", "city"),
        ("running", "runs"),
        ("hiking", "hike"),
        ("adoption", "adopt"),
        ("children", "child"),
        ("taught", "teaching"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("care", "car"), ("plan", "plane"), ("glass", "gas")])
def test_different_words_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I think that we should go there now", "en"),
        ("Ich habe das nicht gesehen und bin sehr müde", "de"),
        ("Creo que la casa de mi madre es muy grande", "es"),
        ("Je ne sais pas où est la maison de ma mère", "fr"),
        ("Я думаю, что это очень хорошая книга", "ru"),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_everyday_words_weigh_less_than_topics() -> None:
    found = terms("The really nice people made a wonderful vase for the exhibition")
    assert set(found) >= {"vas", "exhibit"} or set(found) >= {"vase", "exhibit"}
    assert "wonderful" not in found
    assert max(found, key=lambda term: found[term]) not in {"peopl", "mad"}


def test_what_a_picture_shows_weighs_less_than_what_is_said() -> None:
    said, shown = terms("A vase"), terms("Look! [image: a photo of a vase]")
    assert 0 < shown["vase"] < said["vase"]


def test_a_vague_word_that_is_a_verb_here_is_no_part_of_a_name() -> None:
    surfaces = {phrase.surface for phrase in phrases("They support choirs. The support group met.")}
    assert "support choirs" not in surfaces
    assert {"choirs", "support group"} <= surfaces


def test_a_word_in_ing_behind_an_article_is_a_noun() -> None:
    texts = ["Nobody has seen the briefing.", "We need chairs for the briefing."]
    assert name_for(texts) == "Briefing"
    assert "briefing" in terms("Nobody has seen the briefing.")
    assert "missing" not in terms("Nobody has seen the missing piece.")


def test_a_matter_names_a_scene_rather_than_a_person_who_is_there() -> None:
    texts = [
        "I showed Ravi the brochure.",
        "Yesterday Ravi printed the brochure.",
        "My cousin Ravi came by.",
    ]
    assert name_for(texts) == "Brochure"


def test_two_matters_of_a_small_scene_are_not_strung_together() -> None:
    texts = ["The hammock is wet.", "A hammock costs little.", "The ferry is late.", "The ferry!"]
    assert " and " not in name_for([*texts, "It rains.", "It is cold."])


def test_an_idiom_of_the_body_gives_no_name() -> None:
    assert name_for(["I can't feel my arms.", "The fence is green now."]) == "Fence"
