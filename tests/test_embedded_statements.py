"""Statements: what is kept of a message, and what is only talk."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.talk import bounded, caption_off, sentences_of
from scenemem.base.text import lowered
from scenemem.engines.rules.sentence import Phrases, Sentence
from scenemem.engines.rules.statements import read_statements, trimmed


def kept(message: str, addressee: str | None = None) -> list[str]:
    return [statement.text for statement in read_statements(message, addressee)]


# --- what is kept --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    """
I live in Oslo.
I'm allergic to peanuts.
My sister lives in Leeds.
My boss Karen hates surprises.
Vegetarian, always.
In Oslo.
Yes, since 2016.
No, I never eat fish.
I don't have a car.
The boiler is from 1998.
redis needs maxmemory set to 2gb
Call the tiler.
I'd love to learn the cello.
If the delivery is late, the caterer brings his own plates.
I moved to Oslo if you remember correctly, and I work for the harbour.
My mother said she is moving to Leeds in May.
I remember when we sailed to Corsica.
I need to renew my passport by 3 June.
We decided to use Postgres.
I quit smoking.
You told me your mother comes from Kyoto.
Ich wohne seit 2019 in Hamburg.
Ich bin Vegetarier.
J'habite à Lyon avec mes deux filles.
Vivo en Sevilla y tengo un gato.
Я живу в Казани и работаю врачом.
我住在上海，养了两只猫。
我对花生过敏。
好吃的面在城南。
感谢信写好了。
私は大阪に住んでいます。
أعيش في القاهرة مع عائلتي.
גרתי בחיפה עשר שנים.
ฉันอาศัยอยู่ในเชียงใหม่
나는 부산에서 산다.
Mieszkam w Krakowie od pięciu lat.
""".strip().splitlines(),
)
def test_a_statement_in_any_language_is_kept_as_it_was_said(message: str) -> None:
    assert kept(message) == [message]


@pytest.mark.parametrize(
    "message",
    """
I moved here because if you work at the mill you get a flat.
My sister said that she hates dogs.
My brother Tom is allergic to nuts.
My neighbour thinks I'm crazy, but I keep 12 hens.
I don't know if I'm allowed to park there, but I park there daily.
My doctor told me to avoid salt.
If it rains on Saturday, we will hold the party inside.
I called my novel "The Long Winter".
My cat is named "I-Ping".
I act in a theatre group in Kiel.
I play the role of Hamlet in June.
I imagine my gran as a tough farmer from Wales.
I should have the report ready by Friday.
I'm not vegetarian any more.
No sugar for me.
Two kids, Mia and Jon.
Since March.
My wife works as a vet.
Our landlord raised the rent to 900 euros.
Don't use semicolons in my emails.
Never call me before 9am.
Always answer me in Spanish.
Call me Al.
I could not sleep because of the heat in Seville.
I may be late on Tuesday.
My name's Priya.
I'm 34.
I was born in 1989 in Pune.
Peanuts make me sick.
The client wants the logo in teal.
Deadline: 4 June.
We use tabs, not spaces.
Prefer short answers.
My mother-in-law visits us in June.
They fired my brother.
He lives in Boston now.
Please remember I take milk in my tea.
FYI the printer on floor 3 is broken.
Mi hermana vive en Bilbao.
Meine Tochter heißt Lena.
Je suis végétarienne.
Мою собаку зовут Барон.
我女儿五岁了。
娘の名前はハナです。
My uncle keeps bees near Bath.
I married Jo in 2011.
My new number is 0176 555.
I had a root canal done on Tuesday.
I have been to Japan if that counts, twice, with my brother.
My therapist is called Dr. Vo.
I said no to the offer from Siemens.
Tell my brother the keys are with Ines.
We won the game 3:1.
I play chess on Thursdays.
I say hello to the baker each morning at 6.
I assume the rent covers heating.
I act as treasurer of our club.
Show notes are due on Friday.
Help arrived at 4 pm.
List price is 400 euros.
I am what you would call a night owl.
Should be done by June.
My dream is to open a bakery in Ghent.
I wish to be called Sam.
If asked, I'm vegan.
I suppose you know that my mother died in March.
I like it when it rains.
Mein Name ist Jonas.
Wir haben zwei Kinder.
Ho due gatti e un cane.
Eu moro em Porto.
Ik woon in Gent.
Jag bor i Malmö.
Nazywam się Ola.
Benim adım Emre.
""".strip().splitlines(),
)
def test_a_statement_that_looks_like_something_else_is_kept(message: str) -> None:
    assert kept(message) != []


def test_what_is_taken_back_as_a_joke_is_not_kept() -> None:
    assert kept("I'm Batman. Just kidding!") == []


def test_a_question_gives_up_the_plain_clause_that_it_carries() -> None:
    assert kept("I'm moving to Oslo in May, can you help me pack?") == [
        "I'm moving to Oslo in May."
    ]
    assert kept("我想去户外玩，你有什么推荐吗？") == ["我想去户外玩。"]
    assert kept("I have a golden retriever, any tips on collars?") == ["I have a golden retriever."]
    assert kept("Which exercises suit me, considering I used to play tennis in high school?") == [
        "I used to play tennis in high school."
    ]


def test_a_clause_that_a_question_continues_is_no_statement() -> None:
    assert kept("I'm trying to figure out what to cook on Friday, can you help?") == [
        "I'm trying to figure out what to cook on Friday."
    ]


def test_independent_clauses_become_statements_of_their_own() -> None:
    assert kept("By the way, I moved to Oslo in May and I'm vegetarian.") == [
        "I moved to Oslo in May.",
        "I'm vegetarian.",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "When I moved to Oslo and I lost my job, everything changed.",
        "I plan a trip for both of us and our dogs.",
        "I know that she left and I miss her.",
        "My favourite dish is fish and chips.",
    ],
)
def test_clauses_that_need_each_other_stay_together(message: str) -> None:
    assert kept(message) == [message]


def test_a_follow_up_stays_with_the_sentence_that_it_leans_on() -> None:
    message = "I built a shed out of old pallets. It took all of April. My knees hurt."
    assert kept(message) == [
        "I built a shed out of old pallets. It took all of April.",
        "My knees hurt.",
    ]


def test_a_follow_up_of_a_question_stands_alone() -> None:
    assert kept("Where is the shed? It needs a new roof before winter.") == [
        "It needs a new roof before winter."
    ]


def test_a_quotation_of_several_sentences_is_one_sentence() -> None:
    message = (
        'He said "I hate dogs. I once bit one. My dentist was proud." Then the bus to Kiel came.'
    )
    assert kept(message) == ["Then the bus to Kiel came."]
    assert list(sentences_of('The sign says "Stop. Look. Listen." at every gate.')) == [
        'The sign says "Stop. Look. Listen." at every gate.'
    ]


def test_ones_own_words_in_quotes_are_kept() -> None:
    assert kept('I told the board "we ship in May".') == ['I told the board "we ship in May".']
    assert kept('I just finished "The Left Hand of Darkness", which I loved.') == [
        'I just finished "The Left Hand of Darkness", which I loved.'
    ]


# --- fillers, captions, code ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Wow, I got the job in Kiel!", "I got the job in Kiel!"),
        ("By the way, my cat is called Miso.", "My cat is called Miso."),
        ("Oh, and by the way, my cat is called Miso.", "My cat is called Miso."),
        ("Thanks, Mel! I painted the barn.", "I painted the barn."),
        ("Yeah, Melanie, my barn is red.", "My barn is red."),
        ("Hey Melanie! I painted the barn.", "I painted the barn."),
        ("I painted the barn, Melanie!", "I painted the barn!"),
        ("I painted the barn, haha", "I painted the barn"),
        ("Melanie", ""),
        ("Melons grow well here.", "Melons grow well here."),
        ("Well-known people live here.", "Well-known people live here."),
        ("iPhones are banned here.", "iPhones are banned here."),
    ],
)
def test_fillers_and_the_addressee_are_trimmed_off(said: str, expected: str) -> None:
    assert trimmed(said, "Melanie") == expected


def test_a_call_by_name_alone_is_no_statement() -> None:
    assert kept("Wow, Ann! Hey Joanna! Thanks, Mel!") == []


def test_an_image_keeps_its_caption_with_what_was_said_about_it() -> None:
    message = "We built this in May. Look at it! [image: a red shed behind a house]"
    assert kept(message)[-1].endswith("[image: a red shed behind a house]")
    assert kept("What do you think? [image: a blue vase]") == ["[image: a blue vase]"]
    assert kept("See you! [image: a harbour at dusk]") == ["[image: a harbour at dusk]"]


def test_brackets_inside_a_message_are_no_caption() -> None:
    assert caption_off("The list [image: none] is empty.") == (
        "The list [image: none] is empty.",
        "",
    )


def test_code_and_logs_are_not_read_as_talk() -> None:
    message = (
        "My build server is called Frodo.\n```python\nimport os\nname = 'I live in Rome'\n```\n"
        "2026-03-01 10:00:01 INFO started\n2026-03-01 10:00:02 INFO worker up\n"
        "2026-03-01 10:00:03 WARN slow disk\n2026-03-01 10:00:04 ERROR out of memory\n"
        "It has 64 GB of memory."
    )
    assert kept(message) == ["My build server is called Frodo. It has 64 GB of memory."]


def test_one_log_line_in_a_message_is_still_told() -> None:
    assert kept("2026-03-01 10:00:04 ERROR payment service out of memory") != []


def test_lists_are_read_line_by_line_without_their_marks() -> None:
    message = "- The boiler is from 1998\n- [ ] Call the tiler\n2. The floor is uneven by the door"
    assert kept(message) == [
        "The boiler is from 1998",
        "Call the tiler",
        "The floor is uneven by the door",
    ]


def test_quoted_mail_is_left_out() -> None:
    assert kept("> I live in Madrid.\nI live in Porto.") == ["I live in Porto."]


@pytest.mark.parametrize("filling", ["x", "lorem ipsum ", "{'a': 1}\n", "A. ", "如果"])
def test_what_stands_at_the_end_of_two_million_characters_is_found(filling: str) -> None:
    message = filling * (2_000_000 // len(filling)) + " and remember, the on-call phone is 555-0100"
    assert len(bounded(message)) < 150_000
    assert any("on-call phone is 555-0100" in text for text in kept(message))


def test_what_is_to_be_remembered_is_found_in_the_middle_of_a_dump() -> None:
    message = (
        "lorem ipsum\n" * 50_000
        + "Remember that the spare key is with Ines.\n"
        + "dolor\n" * 90_000
    )
    assert "Remember that the spare key is with Ines." in kept(message)


# --- any text ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text(max_size=400), st.one_of(st.none(), st.text(min_size=1, max_size=8)))
def test_any_text_can_be_read(message: str, addressee: str | None) -> None:
    for statement in read_statements(message, addressee):
        assert statement.text.strip()
        assert statement.information >= 0


@settings(deadline=None)
@given(st.text())
def test_lower_case_is_as_long_as_the_text(text: str) -> None:
    assert len(lowered(text)) == len(text)


def test_phrases_are_found_as_whole_words_only() -> None:
    cue = Phrases("need to|todo", "打算")
    assert cue.found_in(Sentence.of("I need to go."))
    assert cue.found_in(Sentence.of("TODO: paint"))
    assert cue.found_in(Sentence.of("我打算去"))
    assert not cue.found_in(Sentence.of("I need tomatoes, to be fair."))
