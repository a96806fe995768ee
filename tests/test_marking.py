"""What is marked in a text is what the full-text index finds there, by the index's own stemmer."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import scenemem
from scenemem.base.text import index_terms
from scenemem.retrieval.marking import marked_spans
from scenemem.store import stemming
from scenemem.store.stemming import TOKENIZER, stems_of

# Words in their forms, irregular ones, short ones, words that stemmers disagree on, other letters.
_LISTED = """
move moves moved moving mover paint paints painted painting paintings painter happy happily
happiness possibly possible psychology psychologist apology apologise technology is as us gas bus
buses ties tie tied tying skis ski skies sky dying die dies news new generous general generate
universe university universal relate relative relativity operate operation operative run runs ran
running runner child children mice mouse leaf leaves leave left study studies studied student
agree agreed agreement feed fed feeding need needed sing singing sang king hop hoping hopping hope
café cafes Café cafés naïve naive Zürich zurich über uber straße strasse jalapeños jalapeno résumé
resume résumés Москва москва дом дома θάλασσα 2023 3rd x1 covid19 it its item items
"""
WORDS = _LISTED.split()


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(word, tokenize='{TOKENIZER}')")
    connection.executemany(
        "INSERT INTO words(rowid, word) VALUES (?, ?)",
        [(number, f"{word} {index_terms(word)}") for number, word in enumerate(WORDS)],
    )
    yield connection
    connection.close()


@pytest.mark.parametrize("term", [word for word in WORDS if word.isascii()])
def test_a_word_is_marked_exactly_where_the_index_matches_it(
    index: sqlite3.Connection, term: str
) -> None:
    found = index.execute("SELECT rowid FROM words WHERE words MATCH ?", (f'"{term}"',))
    matched = {number for (number,) in found}
    marked = {number for number, word in enumerate(WORDS) if marked_spans(word, [term])}
    assert {WORDS[n] for n in marked} == {WORDS[n] for n in matched}


def test_the_stemmer_is_that_of_the_memory_s_own_index() -> None:
    schemas = list(Path(scenemem.__file__).parent.rglob("schema.sql"))
    assert schemas
    for schema in schemas:
        found = re.findall(r'tokenize = "([^"]*)"', schema.read_text())
        assert set(found) == {TOKENIZER}


def test_words_within_a_text_are_marked_where_they_stand() -> None:
    text = "She's moving to the café; they moved, didn't they? (Moves!)"
    assert [text[a:b] for a, b in marked_spans(text, ["move", "cafe"])] == [
        "moving",
        "café",
        "moved",
        "Moves",
    ]


def test_a_term_without_spaces_is_marked_within_a_run_and_no_other_part_of_it() -> None:
    text = "我们的数据库坏了"
    assert [text[a:b] for a, b in marked_spans(text, ["数据"])] == ["数据"]


def test_inflected_cyrillic_and_prefixed_hebrew_words_are_marked_as_they_are_found() -> None:
    assert marked_spans("жил в Москве", ["москва"]) == [(6, 12)]
    assert marked_spans("גר בירושלים", ["ירושלים"]) == [(3, 11)]


def test_stems_are_the_same_from_many_threads() -> None:
    asked = [[f"painting{n}", f"moved{n}", "running"] for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(stems_of, asked))
    assert found == [stems_of(words) for words in asked]
    assert stems_of(["running", "!"]) == {"running": {"run"}, "!": frozenset()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_marks_although_a_thread_of_its_parent_was_at_it() -> None:
    marked_spans("the boats", ["boat"])
    with stemming._lock:  # as a thread holds it when another one forks
        child = os.fork()
        if child == 0:
            signal.alarm(10)
            found = marked_spans("seven lanterns", ["lantern"])
            os._exit(0 if found == [(6, 14)] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
