"""What a question is understood to ask for."""

from __future__ import annotations

import sqlite3
import string
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.stopwords import english_stopwords
from scenemem.base.text import index_terms
from scenemem.retrieval import synonyms
from scenemem.retrieval.question import MOST_TERMS, Question, understand
from scenemem.retrieval.synonyms import synonyms_of
from scenemem.store.sought import any_of
from scenemem.store.sqlite.evidence import compiled


def expressions(text: str) -> list[str]:
    return [compiled(term.sought) for term in understand(text).terms]


def finds(question: str, *contents: str) -> list[str]:
    """Those of the contents that a full-text index finds for the question, in any order."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(content, terms, "
        "tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    connection.executemany(
        "INSERT INTO t VALUES (?, ?)", [(content, index_terms(content)) for content in contents]
    )
    terms = understand(question).terms
    if not terms:
        return []
    expression = compiled(any_of(term.sought for term in terms))
    rows = connection.execute("SELECT content FROM t WHERE t MATCH ?", (expression,)).fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_stop_words_are_no_terms() -> None:
    assert expressions("What is the deadline of it?") == ['"deadline"']


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Wann ist die Abnahme?", {"abnahme"}),
        ("Où est la facture ?", {"facture"}),
        ("¿Cuándo fue la mudanza?", {"mudanza"}),
        ("Quando foi a mudança?", {"mudanca", "mudança"}),
        ("Dov'è la chiave?", {"chiave"}),
        ("Где лежит ключ?", {"лежит", "ключ"}),
    ],
)
def test_stop_words_of_other_languages_are_no_terms(question: str, left: set[str]) -> None:
    texts = {term.text for term in understand(question).terms if term.kind == "word"}
    assert texts <= left | {text.lower() for text in left}
    assert texts


def test_the_stop_words_of_one_language_are_terms_in_another() -> None:
    assert '"die"' in expressions("what happens when plants die in winter")
    assert '"die"' not in expressions("wann ist die Lesung in Köln")


def test_a_question_of_stop_words_alone_says_so_and_keeps_them() -> None:
    question = understand("to be or not to be")
    assert question.only_stopwords
    assert question.terms


@pytest.mark.parametrize("text", ["", "   ", "???", "🎉", "…", "\u200b", "*", '"', "\x00"])
def test_a_question_without_words_has_no_terms(text: str) -> None:
    question = understand(text)
    assert question.terms == ()
    assert question.only_stopwords


def test_a_compound_is_searched_whole_and_in_parts() -> None:
    assert expressions("ticket AB-4711-x") == [
        '"ticket"',
        '"ab"',
        '"4711"',
        '"x"',
        '"ab 4711 x"',
    ]


def test_a_quotation_is_searched_as_a_phrase() -> None:
    assert '"blue harbour"' in expressions('who sang "Blue Harbour"?')


def test_possessives_and_contractions_leave_no_letters_behind() -> None:
    assert expressions("what's Dana's turnip?") == ['"dana"', '"turnip"']


@pytest.mark.parametrize("short", ["won't", "WON’T", "don't", "can't", "shan't"])
def test_a_shortened_negation_leaves_nothing_behind(short: str) -> None:
    assert expressions(f"what {short} the turnip do?")[0] == '"turnip"'


def test_what_looks_like_the_piece_of_a_negation_is_a_word() -> None:
    found = expressions("how many prizes has Don won?")
    assert {'("don" NOT "don t")', '("won" NOT "won t")'} <= set(found)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("where is the hotel?", set()),
        ("I asked The Boss where it is", {"The Boss"}),
        ("Will the hotel have a pool?", set()),
        ("what did Will say of the pool?", {"Will Smith"}),
        ("what did will smith say of the pool?", {"Will Smith"}),
        ("what did dana say?", {"Dana Fox"}),
        ("王小明喜欢喝什么茶？", {"王小明"}),
    ],
)
def test_a_speaker_is_named_by_a_name_and_not_by_a_function_word(
    question: str, named: set[str]
) -> None:
    names = ["The Boss", "Will Smith", "Dana Fox", "王小明", "李雷"]
    assert understand(question, names=names).names == named


def test_irregular_forms_and_synonyms_are_weaker_forms_of_one_concept() -> None:
    terms = understand("did he sell the movie").terms
    sell = [term for term in terms if term.concept == terms[0].concept]
    assert [term.kind for term in sell] == ["word", "form"]
    assert "sold" in sell[1].text.split()
    assert sell[1].weight < sell[0].weight
    assert any("film" in term.text.split() for term in terms)


def test_english_forms_are_not_added_in_another_language() -> None:
    assert all(term.kind == "word" for term in understand("wo ist das Boot im see").terms)


def test_words_that_people_ask_with_count_less() -> None:
    weights = {term.text: term.weight for term in understand("what kind of tea").terms}
    assert weights["kind"] < weights["tea"]


def test_named_people_are_found_and_are_no_terms() -> None:
    question = understand("Where did Ann-Marie meet bob?", names=["Ann-Marie", "Bob Stone", "Eve"])
    assert question.names == {"Ann-Marie", "Bob Stone"}
    assert not {"ann", "marie", "bob"} & {term.text for term in question.terms}


def test_a_name_alone_is_still_searched() -> None:
    assert [term.text for term in understand("Ann?", names=["Ann"]).terms] == ["ann"]


_SPOKEN = st.lists(st.text("abC", min_size=1, max_size=2), min_size=1, max_size=4).map(" ".join)


@given(_SPOKEN, st.lists(_SPOKEN, max_size=6))
def test_a_name_stands_for_whom_it_names_first_or_whole(text: str, names: list[str]) -> None:
    said = text.lower().split()
    names = [name for name in names if name.lower().split()[0] not in english_stopwords()]
    expected = {name for name in names if name.lower().split()[0] in said}
    assert understand(text, names=names).names == expected


def test_a_name_inside_another_word_is_no_name() -> None:
    assert understand("the annual plan", names=["Ann"]).names == frozenset()


def test_days_are_taken_as_given_and_ask_for_something() -> None:
    days = [(date(2024, 5, 1), date(2024, 5, 31))]
    question = understand("what was it?", days=days)
    assert question.days == tuple(days)
    assert not question.only_stopwords


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("When did it rain?", {"when"}),
        ("which year was that", {"when"}),
        ("How many cats are there?", {"how many"}),
        ("whenever", set()),
    ],
)
def test_what_is_asked_is_told(text: str, asked: set[str]) -> None:
    assert understand(text).asks == asked


@pytest.mark.parametrize(
    "text",
    ["What did you recommend for the roof?", "Remind me of the title", "你给我推荐了什么书？"],
)
def test_a_question_for_the_assistants_words_is_told(text: str) -> None:
    assert understand(text).about_assistant
    assert not understand("Where did I put my roof rack?").about_assistant


@pytest.mark.parametrize(
    ("question", "content", "other"),
    [
        ("在哪里买茶壶", "她在集市买了一个茶壶", "他喜欢登山"),
        ("京都の旅館", "来月は京都に行く", "猫が好き"),
        ("กาแฟ", "เขาดื่มกาแฟทุกเช้า", "แมวนอนหลับ"),
        ("김치", "점심에 김치를 먹었다", "비가 온다"),
        ("где живёт Ольга", "Мы видели Ольгу вчера", "Кот спит"),
        ("חיפה", "הוא גר בחיפה", "החתול ישן"),
        ("قهوة", "يحب القهوة كثيرا", "القط نائم"),
        ("हिंदी की किताब", "उसने हिंदी सीखी", "बारिश हुई"),
        ("GRÖSSE der Straße", "die STRASSE ist lang", "der Hund schläft"),
        ("Zu\u0308rich", "Umzug nach Zürich", "Berlin"),
        ("ＡＢＣ", "the ABC of it", "xyz"),
    ],
)
def test_every_script_finds_its_own(question: str, content: str, other: str) -> None:
    assert finds(question, content, other) == [content]


def test_escaped_characters_are_not_found_as_letters() -> None:
    assert finds("u4eac", "京都") == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("AND", ["b with x and 50 and log"]),
        ("a OR b", ["b with x and 50 and log"]),  # not "or": all but "b" are function words
        ("NEAR(x y", ["x alone", "b with x and 50 and log"]),
        ("x*", ["x alone", "b with x and 50 and log"]),  # and no "xylophone"
        ('"', []),
        ("-x", ["x alone", "b with x and 50 and log"]),
        ("^b", ["b with x and 50 and log"]),
        ("{c}: xylophone", ["xylophone"]),
        ("C:\\tmp\\log", ["b with x and 50 and log"]),
        ("50%", ["b with x and 50 and log"]),
        ("x NOT log", ["x alone", "b with x and 50 and log"]),
    ],
)
def test_no_text_is_syntax(query: str, found: list[str]) -> None:
    contents = ("x alone", "xylophone", "b with x and 50 and log")
    assert finds(query, *contents) == found


@given(st.text(max_size=300))
def test_any_text_is_a_legal_query(text: str) -> None:
    assert finds(text, "some content") in ([], ["some content"])


@given(st.text(string.printable, max_size=80))
def test_whatever_is_typed_finds_the_same_text(text: str) -> None:
    assert finds(text, text) == ([text] if understand(text).terms else [])


@given(st.text(st.characters(categories=["Lo", "Mn", "Mc", "Nd", "So"]), max_size=200))
def test_letters_and_marks_of_any_script_find_their_own_text(text: str) -> None:
    assert finds(text, text) == ([text] if understand(text).terms else [])


@pytest.mark.parametrize(
    "text",
    [
        "水" * 100_000,
        " ".join(f"word{number}" for number in range(20_000)),
        "a-" * 50_000,
        "กาแฟเย็น" * 10_000,
        '"' * 100_000,
        "x" * 100_000,
    ],
    ids=["one character", "many words", "hyphens", "unspaced", "quotes", "one word"],
)
def test_the_number_of_terms_is_bounded(text: str) -> None:
    question = understand(text)
    assert len(question.terms) <= 3 * MOST_TERMS
    finds(text, "some content")


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=4))
def test_the_same_text_is_understood_the_same(text: str, names: list[str]) -> None:
    first: Question = understand(text, names=names)
    assert first == understand(text, names=list(names))
    assert all(0 < term.weight <= 1 for term in first.terms)


# -- words that stand near one another ------------------------------------------------------------


def test_a_word_is_known_by_its_regular_forms() -> None:
    assert "film" in synonyms_of("movie")
    assert synonyms_of("movies") == synonyms_of("movie")
    assert synonyms_of("animal") == synonyms_of("animals") != ()


def test_every_listed_word_is_found_with_all_that_stands_beside_it() -> None:
    lines = Path(synonyms.__file__).with_name("synonyms.txt").read_text().splitlines()
    listed = [line.partition(": ") for line in lines if not line.startswith("#")]
    assert len(listed) > 5_000
    for word, _, beside in listed:
        assert synonyms_of(word) == tuple(beside.split())


def test_names_days_and_counts_have_no_synonyms() -> None:
    assert not any(map(synonyms_of, ["dana", "tammy", "february", "monday", "two"]))


def test_nearness_is_mutual() -> None:
    assert "film" in synonyms_of("movie") and "movie" in synonyms_of("film")
    assert "dog" in synonyms_of("pet") and "pet" in synonyms_of("dog")


@pytest.mark.parametrize("word", ["", "a", "xqzzt", "film:", "\n", "#", ":", "été", "日本"])
def test_an_unknown_word_has_no_synonyms(word: str) -> None:
    assert synonyms_of(word) == ()
