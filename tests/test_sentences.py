"""Text is cut where its sentences end, and at no abbreviation, initial, ordinal or number."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem import MemoryDB, MemoryManager, recall
from scenemem.base.sentences import sentences
from scenemem.base.talk import is_placeholder, sentences_of


@pytest.mark.parametrize(
    "whole",
    [
        "We saw Dr. Lund and Mrs. Okafor there",
        "Prof. Adeyemi met Capt. Ruiz, Lt. Dan and Rev. Moss",
        "We met at 3 p.m. on Friday",
        "The shop opens at 9 a.m. and closes late",
        "On Feb. 3 we left for Oslo",
        "She was born on Sept. 12 in Rome",
        "Bring fruit, e.g. apples, or nuts",
        "Go by train, i.e. slowly",
        "I read a book by N.K. Jemisin today",
        "J. R. R. Tolkien wrote it",
        "It took approx. 300 days",
        "Take No. 5 from the shelf",
        "See p. 12 and fig. 4",
        "It was cats vs. dogs again",
        "We drove to St. Mary by Mt. Hood",
        "He works at Lund Inc. and likes it",
        "Version 3.5 runs on ASP.NET here",
        "Das ist am 19. Juni im Garten",
        "Das war im 19. Jahrhundert üblich",
        "Bring z.B. Brot mit",
        "Es sind ca. 300 Meter",
        "Das kostet 5 Mio. Euro",
        "El Sr. García y la Sra. Pérez vienen",
        "Vive en la pág. 12 del libro",
        "M. Dupont est là avec Mme. Curie",
        "Он жил в г. Москве",
        "1. Buy milk and bread",
        'He said "Stop." and left',
    ],
)
def test_an_abbreviation_cuts_no_sentence(whole: str) -> None:
    assert sentences(f"{whole}. It is so.") == [f"{whole}.", "It is so."]


@pytest.mark.parametrize(
    "cut",
    [
        ["I live in the U.S.", "It is big."],
        ["We came at 3 p.m.", "We left at five."],
        ["Bring pens, paper, etc.", "Then come in."],
        ["No.", "I don't want it."],
        ["I said no.", "John left."],
        ["It means a lot to me.", "You're great."],
        ["He is doing OK.", "Anna left."],
        ["I got a B.", "Then I left."],
        ["I sat.", "He stood."],
        ["Take a plate of 8 mm.", "Anna has one."],
        ["(It rained.)", "Then the sun came out."],
        ["Really?!", "Yes."],
        ["“I came. I saw.”", "He left."],
        ["我喜欢猫。", "你呢？", "好！"],
        ["今日は晴れ。", "明日は雨？", "はい！"],
        ["मैं ठीक हूँ।", "आप कैसे हैं?"],
        ["one line", "another line"],
    ],
)
def test_a_sentence_ends_before_the_next(cut: list[str]) -> None:
    ends = "\n" if cut[0] == "one line" else "" if ord(cut[0][0]) in range(0x3000, 0xA000) else " "
    assert sentences(ends.join(cut)) == cut


def test_a_full_stop_without_a_space_cuts_nothing() -> None:
    assert sentences("See https://example.com/?Q=1 or System.Out.println. OK?") == [
        "See https://example.com/?Q=1 or System.Out.println.",
        "OK?",
    ]


@given(st.text(max_size=200))
def test_cutting_loses_nothing_but_space(text: str) -> None:
    bare = "".join(text.split())
    assert "".join("".join(sentence.split()) for sentence in sentences(text)) == bare


@pytest.mark.parametrize(
    "line",
    ["<Media omitted>", "\u200eimage omitted", "<Medien ausgeschlossen>", "Bild weggelassen",
     "This message was deleted.", "<Multimedia omitido>", "[图片]", "[写真]", "[Photo]"],
)  # fmt: skip
def test_a_placeholder_of_an_export_is_no_talk(line: str) -> None:
    assert is_placeholder(line)
    assert list(sentences_of(line)) == []
    assert list(sentences_of(f"{line}\nThe cat sat on it.")) == ["The cat sat on it."]


@pytest.mark.parametrize("line", ["photo", "The image was omitted by the editor.", "", "[x]"])
def test_what_only_looks_like_a_placeholder_is_talk(line: str) -> None:
    assert not is_placeholder(line)


def test_text_of_one_sentence_does_not_load_the_library() -> None:
    code = (
        "import sys; from scenemem.base.sentences import sentences; "
        "assert sentences('Just one.') == ['Just one.']; assert 'sentencex' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("I live in Oslo... and you?", ["I live in Oslo...", "and you?"]),
        ("I love green tea!! do you?", ["I love green tea!!", "do you?"]),
        ("Ich wohne in Bonn… und du?", ["Ich wohne in Bonn…", "und du?"]),
        ("We moved (finally!) is it cold?", ["We moved (finally!)", "is it cold?"]),
        ("The ferry left.. Did you wave?", ["The ferry left..", "Did you wave?"]),
        ("Really?! That was Tom.", ["Really?!", "That was Tom."]),
        ("Bring tools (e.g.) a saw.", ["Bring tools (e.g.) a saw."]),
        ("We need pears (etc.) and jam.", ["We need pears (etc.) and jam."]),
        ("Ask Ann (Ph.D.) about it.", ["Ask Ann (Ph.D.) about it."]),
        ("Der Zug (ca. 3 Std.) war voll.", ["Der Zug (ca. 3 Std.) war voll."]),
        ("El tren (aprox. 2 hrs.) salió tarde.", ["El tren (aprox. 2 hrs.) salió tarde."]),
        ("It rained (a lot.) Then it stopped.", ["It rained (a lot.)", "Then it stopped."]),
        ('She said "no!" and left.', ['She said "no!" and left.']),
    ],
)
def test_strong_ends_end_a_sentence_whatever_letter_follows(text: str, cut: list[str]) -> None:
    assert sentences(text) == cut


@pytest.mark.parametrize("end", ["...", "…", "!!", "!!!", "..", " (finally!)"])
@pytest.mark.parametrize("asked", ["and you?", "Do you?"])
def test_a_statement_before_a_question_is_kept_and_recalled(end: str, asked: str) -> None:
    with MemoryDB() as db:
        MemoryManager(db).update(f"I collect old harmonicas{end} {asked}")
        assert [c.content.startswith("I collect old harmonicas") for c in db.cells.list_cells()]
        assert recall(db, "harmonicas").hits
