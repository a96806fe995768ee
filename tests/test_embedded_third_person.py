"""First-person statements told about their speaker by name, or left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.engines.rules.summaries import third_person


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'm keen on counseling", "Caroline is keen on counseling."),
        ("I love my new desk", "Caroline loves their new desk."),
        ("I was born in Kiel.", "Caroline was born in Kiel."),
        ("I've visited Rome twice!", "Caroline has visited Rome twice."),
        ("I have a cello.", "Caroline has a cello."),
        ("I don't eat fish.", "Caroline doesn't eat fish."),
        ("I haven't seen the sea in years.", "Caroline hasn't seen the sea in years."),
        ("I can't stand coriander.", "Caroline can't stand coriander."),
        ("I'll paint the barn.", "Caroline will paint the barn."),
        ("I'd love to learn the cello.", "Caroline would love to learn the cello."),
        ("I'm gonna move to Oslo.", "Caroline is gonna move to Oslo."),
        ("I also teach chemistry.", "Caroline also teaches chemistry."),
        ("I usually fly to Rome in May.", "Caroline usually flies to Rome in May."),
        ("I need a new boiler.", "Caroline needs a new boiler."),
        ("I went to Lisbon and loved it there.", "Caroline went to Lisbon and loved it there."),
        ("I put a fence around it.", None),
        ("Last week I went to Kiel.", "Last week Caroline went to Kiel."),
        ("But I painted the barn red.", "Caroline painted the barn red."),
        ("Maybe I'll sell the barn.", "Maybe Caroline will sell the barn."),
        ("My sister lives in Leeds.", "Caroline's sister lives in Leeds."),
        ("The choir made me happy.", "The choir made Caroline happy."),
        ("The barn of my aunt burnt down.", "The barn of Caroline's aunt burnt down."),
        ("I sold the car because I cycle now.", "Caroline sold the car because they cycle now."),
        ("I felt calm when I was outside.", "Caroline felt calm when they were outside."),
        ("After selling my boat, I cried.", "After selling Caroline's boat, Caroline cried."),
        ("The old mill is haunted.", "The old mill is haunted."),
        ("I grok the code of the mill.", "Caroline groks the code of the mill."),
        ("I watch the mill and the barn.", "Caroline watches the mill and the barn."),
        ("I cry and she tries to help.", "Caroline cries and she tries to help."),
        ("I fix boats, cars and mills.", "Caroline fixes boats, cars and mills."),
        ("Priya says the barn is full.", "Priya says the barn is full."),
    ],
)
def test_sure_sentences_are_told_of_the_speaker(said: str, expected: str | None) -> None:
    assert third_person(said, "Caroline") == expected


@pytest.mark.parametrize(
    "said",
    [
        "I work as a nurse and live in Leeds.",  # a second verb would have to agree
        "I'm tired and need a break.",
        "I'd painted the barn before.",
        "Do I like sushi?",
        "So am I, and happily.",
        "My aunt and I sold my barn.",
        "My aunt and I sold the barn.",
        "I took my kids to Rome and we ate ice cream.",
        "I told you about the mill.",
        "I won the regatta, Melanie",
        "Was so nervous about my boat.",
        "Turns out my boat sank.",
        "Makes me happy to see the sea.",
        "My programmer friends and I, well, I won.",
        "We enjoy hiking in the mountains.",
        "What a wonderful day!",
        "So powerful and moving!",
        "Painted the barn red.",
        "Just signed up for a course.",
        "Reminds me of my youth.",
        "It was so powerful.",
        "With my job and living here.",
        "Being up there with people I admire.",
        "Dyed my hair last week.",
        "Haven't talked for a few days.",
        "Dogs make life more fun don't they.",
        "Max and I would walk for hours.",
        "I'm always here for you, Mel.",
        "I love the song about following your dreams.",
        "Sounds like a fine barn, even from here.",
        "This is my barn.",
        "Here's my barn from last year.",
        "You can do anything.",
        "I'll call you soon, have fun.",
        "I love expressing myself.",
        'I said "I love it".',
        "I love the idea, Melanie",
        "Ich wohne in Hamburg und arbeite dort.",
        "我住在上海。",
        "",
        "   ",
        "word " * 100,
    ],
)
def test_what_is_not_sure_is_left_alone(said: str) -> None:
    assert third_person(said, "Caroline") is None


def test_a_follow_up_may_lean_on_the_sentence_before() -> None:
    said = "I built a shed last year (2022). It took all of April."
    assert third_person(said, "Ann") == "Ann built a shed last year (2022). It took all of April."


def test_one_unsure_sentence_makes_the_whole_unsure() -> None:
    assert third_person("I built a shed. What a job!", "Ann") is None


def test_captions_are_dropped() -> None:
    assert third_person("I won the regatta. [image: a cup on a table]", "Ann") == (
        "Ann won the regatta."
    )


def test_a_name_once_told_is_followed_by_they() -> None:
    said = "I sail when I can. My boat took me to Kiel. It helps me clear my head."
    assert third_person(said, "Ann") == (
        "Ann sails when they can. Their boat took them to Kiel. It helps them clear their head."
    )


def test_speakers_without_a_name_are_called_by_their_role() -> None:
    assert third_person("I live in Oslo.", "user") == "The user lives in Oslo."
    assert third_person("My cat is called Miso.", "user") == "The user's cat is called Miso."


@settings(deadline=None)
@given(st.text(max_size=200), st.text(min_size=1, max_size=8))
def test_any_statement_can_be_asked_for(said: str, speaker: str) -> None:
    told = third_person(said, speaker)
    assert told is None or told.strip()


_WORDS = (
    "I I'm my me we love went work have painted the barn Oslo and but when cat on 3 May, "
    "always happy"
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(_WORDS.split()), min_size=1, max_size=9).map(" ".join))
def test_no_first_person_is_left_over(said: str) -> None:
    told = third_person(said, "Ann")
    assert told is None or not re.search(r"\b(?:I|my|me|we|I'm)\b", told)
