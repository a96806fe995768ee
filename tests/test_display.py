"""Displays: what notebooks show of records; escaped, in both schemes, and asking nobody."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.display import cell_html, recollection_html, stylesheet
from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import Cell, CellDraft, Message, MessageDraft, Scene
from scenemem.base.session_records import Session
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.retrieval.recollection import Hit

NOON = datetime(2026, 6, 1, 12, 30, tzinfo=UTC)
TAGS = {"style", "div", "span", "time", "i", "mark", "details", "summary", "p"}


class _Shown(HTMLParser):
    """The tags of a piece of HTML, its text by class, and whatever could load something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [name for name, _ in attrs if name in ("src", "href") or name[:2] == "on"]
        name = dict(attrs).get("class") or tag
        self.open.append(name)
        self.texts.setdefault(name, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for name in set(self.open):
            self.texts[name][-1] += data


class _Displayed(Protocol):
    def _repr_html_(self) -> str: ...


def shown(thing: _Displayed) -> _Shown:
    return _Shown(thing._repr_html_())


def a_cell(**changed: Any) -> Cell:
    return Cell(3, "Launch", "decision", 0.65, "We launch on 19 June.", NOON)._replace(**changed)


@given(st.text(min_size=1), st.text(min_size=1), st.text())
def test_any_text_is_shown_as_text(content: str, scene: str, speaker: str) -> None:
    found = _Shown(cell_html(a_cell(content=content, scene=scene, speaker=speaker)))
    assert set(found.tags) <= TAGS and not found.loads
    lead = f"{speaker}: " if speaker else ""
    told = (lead + content).replace("\r\n", "\n").replace("\r", "\n")
    assert found.texts["sm-text"][0].replace("\r\n", "\n").replace("\r", "\n") == told
    assert found.open == []


def test_a_cell_shows_type_salience_date_and_what_became_of_it() -> None:
    gone = a_cell(superseded_by=9, valid_to=NOON, occurred_at=date(2026, 6, 19), told=2)
    found = shown(gone)
    assert found.texts["sm-type sm-type-decision"] == ["decision"]
    assert found.texts["time"] == ["1 Jun 2026"]
    assert "sm-cell sm-gone" in found.texts
    told = "of 19 Jun 2026 · said 2 times · superseded 1 Jun 2026"
    assert found.texts["sm-soft"] == [told]
    assert 'title="salience 0.65"' in gone._repr_html_()


def test_a_scene_shows_its_summary_its_days_and_that_one_is_due() -> None:
    later = datetime(2026, 7, 3, tzinfo=UTC)
    scene = Scene("Launch", "A <b>date</b> was set.", NOON, 1, 1, True, NOON, later, ("start",))
    found = shown(scene)
    assert found.texts["sm-name"] == ["Launch"]
    assert found.texts["sm-summary"] == ["A <b>date</b> was set."]
    assert found.texts["sm-due"] == ["summary due"]
    assert found.texts["sm-soft"] == ["1 cell · 1 Jun – 3 Jul 2026", "also: start"]


def test_a_session_and_a_message_show_themselves() -> None:
    session = Session("work", NOON, "They planned.", 4, 2, NOON)
    assert shown(session).texts["sm-soft"] == ["2 messages · last on 1 Jun 2026"]
    message = Message(1, "work", 1, "user", "Hello", NOON, name="Ada")
    assert shown(message).texts["sm-text"] == ["Ada: Hello"]


@pytest.fixture
def talk(db: MemoryDB) -> MemoryDB:
    memory = MemoryManager(db)
    memory.update("We decided to launch the podcast on 19 June.", "Noted!", at=NOON)
    memory.update("My sister Nora is allergic to nuts.", "Good to know.", at=NOON)
    return db


def test_a_recollection_shows_scenes_marks_and_sources(talk: MemoryDB) -> None:
    found = recall(talk, "when is the launch?", now=NOON)
    page = shown(found)
    assert "launch" in page.texts["mark"]
    assert found.scenes[0].scene.summary in page.texts["sm-summary"]
    quoted = page.texts["sm-source"][0]
    assert quoted.endswith("We decided to launch the podcast on 19 June.")
    assert set(page.tags) <= TAGS and not page.loads


def test_sources_are_shown_without_the_secrets_that_the_history_keeps(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    said = "The boat club's password is teal-Otter-42, and I keep my boat in Bergen."
    memory.update(said, "Noted.", at=NOON)
    assert any(message.content == said for message in db.sessions.list_messages())
    found = recall(db, "boat", now=NOON)
    page = shown(found)
    assert any("[secret not kept]" in text for text in page.texts["sm-source"])
    assert "Otter" not in found._repr_html_()


def test_a_source_that_is_forgotten_is_not_an_empty_line(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    memory.update("My boat lies in Bergen.", "Nice.", at=NOON)
    found = recall(db, "boat", now=NOON)
    db.sessions.redact_messages(message.id for message in db.sessions.list_messages())
    assert shown(found).texts["sm-source"][0].endswith("for its session alone")


def test_a_recollection_of_a_closed_memory_shows_what_it_holds(talk: MemoryDB) -> None:
    found = recall(talk, "launch", now=NOON)
    talk.close()
    page = shown(found)
    assert "sm-text" in page.texts and "details" not in page.tags


def test_what_does_not_match_is_never_shown_as_a_match(talk: MemoryDB) -> None:
    page = shown(recall(talk, "zeppelin", now=NOON))
    assert page.texts["sm-soft"][0] == "nothing remembered matches"
    assert "Not matches" in page.texts["sm-name"] and "mark" not in page.tags


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=4))
def test_marks_never_change_the_text(text: str, marks: list[tuple[int, int]]) -> None:
    spans, end = [], 0
    for start, length in sorted(marks):
        if start >= end and start + length <= len(text):
            spans.append((start, start + length))
            end = start + length
    message = Message(1, "s", 1, "user", text, NOON)
    hits = [Hit(1.0, {}, message=message)]
    page = _Shown(recollection_html("q", hits, {}, (), marked=lambda _: spans, messages={}))
    plain = _Shown(recollection_html("q", hits, {}, (), marked=lambda _: (), messages={}))
    assert page.texts["sm-text"] == plain.texts["sm-text"]
    assert page.tags.count("mark") == len(spans)


def test_a_memory_shows_what_it_holds_and_what_waits(talk: MemoryDB) -> None:
    talk.insert_cell(CellDraft("Ada likes tea.", scene="Ada", at=NOON))
    talk.sessions.open_turn("later", MessageDraft("user", "And?", at=NOON))
    page = shown(talk)
    assert page.texts["sm-count"] == ["2sessions", "5messages", "3cells", "3scenes"]
    assert page.texts["sm-due"] == ["1 turn waiting · 1 summary due"]
    assert "Ada" in page.texts["sm-name"]


def test_a_closed_memory_says_so_instead_of_raising(talk: MemoryDB) -> None:
    talk.close()
    page = shown(talk)
    assert page.texts["sm-name"] == [talk.path.name]
    assert "was closed" in page.texts["sm-due"][0]


def test_usage_shows_a_table_with_its_sum(db: MemoryDB) -> None:
    assert "No model was called." in db.log.list_usage()._repr_html_()
    for prompt in (1200, 34):
        db.log.note_usage(UsageRecord(NOON, "small", "extract", prompt, 10))
    db.log.note_usage(UsageRecord(NOON, "small", "reply", 1000, 5, failed=True))
    rows = shown(db.log.list_usage()).texts["tr"]
    assert rows[1] == "1 Jun 2026smallextract201,23420"
    assert rows[-1] == "in all312,23425"


def test_the_looks_follow_light_and_dark_and_load_nothing() -> None:
    css = stylesheet()
    assert "prefers-color-scheme: dark" in css and 'data-jp-theme-light="false"' in css
    assert "url(" not in css and "@import" not in css and "http" not in css


def test_recall_loads_no_display(tmp_path: Path) -> None:
    code = (
        "import sys; from scenemem import MemoryDB, recall; "
        f"repr(recall(MemoryDB({str(tmp_path / 'a.db')!r}), 'launch')); "
        "print([m for m in sys.modules if 'display' in m and 'scenemem' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
