"""One file a language: what the files hold, and that adding one file adds a language."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scenemem
from scenemem.base import languages
from scenemem.base.languages import codes, folded_words, lines, phrases, rows, values, words

FILES = sorted((Path(scenemem.__file__).parent / "base" / "languages").glob("*.txt"))

# A language that nobody speaks, in every section that a part of the package reads.
TOY = """\
# Toy.

[stop words]
zub kel mip dorr vash

[months]
3: plimmo
4: grantu

[weekdays]
1: zondik
5: farvik

[named days]
-1: yestrik

[date words]
surely a month: plimmo, grantu

[abbreviations]
before a name: blor
before a number: numk
anywhere: zb.x

[risk]
gref worrat

[headings]
notik

[placeholders]
alone: mediak ommit
in brackets: fotok

[naming]
small talk: Mipik
"""

ASKED_OF_THE_TOY = """
from datetime import date
from scenemem.base.dates import days_named
from scenemem.base.dates.finding import find_dates
from scenemem.base.languages import codes
from scenemem.base.sentences import sentences
from scenemem.base.talk import is_placeholder
from scenemem.engines.rules.naming import small_talk
from scenemem.engines.rules.sentence import Sentence
from scenemem.retrieval.question import understand
from scenemem.engines.rules.extraction import type_of
from scenemem.memory.importing.transcript import split_speaker, Speakers

assert "xx" in codes()

question = understand("zub kel heliograph mip dorr")
assert [term.text for term in question.terms if term.kind == "word"] == ["heliograph"]

said = date(2026, 11, 18)  # a Wednesday
assert days_named("vash 7 plimmo 2026", said) == [(date(2026, 3, 7), date(2026, 3, 7))]
assert days_named("zub plimmo", said)
[friday] = find_dates("kel farvik", said)
assert friday.first.weekday() == 4
[yesterday] = find_dates("mip yestrik", said)
assert yesterday.first == date(2026, 11, 17)

for whole in ("Zub blor. Ansel dorr", "Kel numk. 5 mip", "Vash zb.x. Zub"):
    assert sentences(whole + ". Mip.") == [whole + ".", "Mip."], sentences(whole + ". Mip.")

assert type_of(Sentence.of("zub gref worrat heliograph")) == "risk"

assert small_talk("zub kel mip dorr") == "Mipik"

assert is_placeholder("<Mediak ommit>") and is_placeholder("[fotok]")
assert not is_placeholder("fotok")

speakers = Speakers()
speakers.enter("Ansel")
assert not speakers.speaks("Notik", "zub", above="", goes_on=False)
assert speakers.speaks("Berit", "zub", above="", goes_on=False)
"""


def test_adding_one_file_adds_a_language(tmp_path: Path) -> None:
    package = Path(shutil.copytree(Path(scenemem.__file__).parent, tmp_path / "scenemem"))
    (package / "base" / "languages" / "xx.txt").write_text(TOY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ASKED_OF_THE_TOY],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_english_comes_first_and_every_file_is_a_language() -> None:
    assert codes()[0] == "en"
    assert set(codes()) == {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_section_is_one_that_is_read(path: Path) -> None:
    """A heading that is misspelt would be read by nobody."""
    described = languages.__doc__ or ""
    headings = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "["]
    assert len(headings) == len(set(headings))
    assert [h for h in headings if f"    {h[1:-1]} " not in described] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_words_are_written_in_lower_case(path: Path) -> None:
    text = path.read_text(encoding="utf-8").partition("\n")[2]
    kept = [line for line in text.splitlines() if not line.startswith(("#", "small talk:"))]
    assert [line for line in kept if line != line.lower()] == []


def test_a_word_for_two_months_or_weekdays_would_be_read_wrongly() -> None:
    for section in ("months", "weekdays", "short weekdays", "named days", "pointing words"):
        found = [phrase for listed in rows(section).values() for phrase in listed]
        assert len(found) == len(set(found)), section
        assert set(values(section)) == set(found)


def test_sections_are_read_as_words_phrases_lines_and_rows() -> None:
    assert {"the", "of"} <= words("stop words", "en")
    assert "für" in words("stop words", "de") and "fur" in folded_words("stop words", "de")
    assert words("stop words", "en") < words("stop words")
    assert "i need to" in phrases("task", "en") and "ich muss" in phrases("task")
    assert ("phone", "smartphone", "cellphone") in lines("kindred words", "en")
    assert rows("months", "de")["3"] == ("märz",)
    assert values("months")["mars"] == "3"


def test_a_language_without_a_file_or_section_has_no_words() -> None:
    assert words("stop words", "qq") == frozenset()
    assert phrases("no such section") == () and rows("no such section", "en") == {}
    assert words("stop words", "../en") == frozenset()
