"""The recall benchmarks: what they measure, the peers they ask, and the option that names them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import locomo
import pytest
from evidence import DATE_AND_SPEAKER, Haystack, Question, compare, fitting, quantile
from hypothesis import given
from hypothesis import strategies as st
from peer_systems import PlainFts5
from recall_peers import OFFERS, Offer, Peer, add_option, chosen, made

from scenemem.base.records import Message, MessageDraft
from scenemem.base.text import estimate_tokens
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB

AT = datetime(2026, 3, 1, tzinfo=UTC)
ABSENT = "a_module_that_nobody_has"


class ByAge:
    """A peer that holds the newest messages for the best, or the oldest."""

    def __init__(self, name: str = "newest first", *, newest: bool = True) -> None:
        self.name = name
        self.newest = newest
        self.indexed: list[list[int]] = []
        self.asked: list[str] = []
        self.closed = False

    def index(self, messages: Sequence[Message]) -> None:
        self.indexed.append([message.id for message in messages])

    def search(self, question: str, most: int) -> list[int]:
        self.asked.append(question)
        return sorted(self.indexed[-1], reverse=self.newest)[:most]

    def close(self) -> None:
        self.closed = True


OFFERED = {"newest": Offer(ByAge), "absent": Offer(ByAge, [ABSENT])}


@pytest.fixture
def db() -> Iterator[MemoryDB]:
    with MemoryDB() as memory:
        yield memory


def told(db: MemoryDB, *texts: str, session: str = "s") -> list[Message]:
    """The messages of one session, each a turn of its own, with their cells."""
    manager = MemoryManager(db)
    messages = [
        manager.ingest([MessageDraft("user", text)], session=session, at=AT).messages[0]
        for text in texts
    ]
    manager.extract_pending()
    return messages


def message(number: int, text: str) -> Message:
    return Message(number, "s", number, "user", text, AT)


def read(parser: argparse.ArgumentParser, *arguments: str) -> list[str]:
    names: list[str] = parser.parse_args(arguments).peers
    return names


def test_every_system_is_asked_the_same_questions_over_the_same_messages(db: MemoryDB) -> None:
    first, last = told(db, "Ada keeps two cats called Mint and Salt.", "The ferry leaves at noon.")
    asked = [
        Question("What are Ada's cats called?", frozenset([first.id]), "pets", "a"),
        Question("When does the ferry leave?", frozenset([last.id]), "travel", "b"),
    ]
    peers, lines = [ByAge(), ByAge("oldest first", newest=False)], list[str]()
    ours, theirs, others = compare([Haystack(db, asked, 1.5)], peers, lines.append, ks=[1, 2])
    for peer in peers:
        assert peer.indexed == [[first.id, last.id]]
        assert peer.asked == [question.text for question in asked]
    assert ours.tally.means("all")["R@1"] == 1.0
    assert ours.indexing == 1.5
    assert theirs.tally.means("all")["R@1"] == 0.5
    assert others.tally.means("travel")["R@1"] == 0.0
    assert theirs.tally.means("travel")["R@1"] == theirs.tally.means("half b")["R@1"] == 1.0
    assert theirs.tally.means("half a") == {
        "R@1": 0.0, "R@2": 1.0, "B500": 1.0, "B1000": 1.0, "B2000": 1.0
    }  # fmt: skip
    assert len(theirs.answering) == 2


def test_a_table_for_each_system_and_one_line_of_each_in_the_summary(db: MemoryDB) -> None:
    (only,) = told(db, "Ada keeps two cats.")
    asked = [Question("Who keeps cats?", frozenset([only.id]), "pets", "a")]
    lines = list[str]()
    compare([Haystack(db, asked, 2.0)], [ByAge("one"), ByAge("two")], lines.append, ks=[5])
    *tables, summary = lines
    heads = [table.splitlines()[0] for table in tables]
    assert heads == [
        f"| {name} | n | R@5 | B500 | B1000 | B2000 |" for name in ("scenemem", "one", "two")
    ]
    assert "| half a | 1 | 1.000 | 1.000 | 1.000 | 1.000 |" in tables[1]
    rows = summary.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| scenemem", "| one", "| two"]
    assert rows[0].endswith("| 2.0 |")


def test_messages_of_one_unit_count_once(db: MemoryDB) -> None:
    a, b, c = told(db, "The tea is green.", "The cup is blue.", "The pot is old.")
    asked = [Question("Which tea?", frozenset([1]))]
    units = {a.id: 1, b.id: 2, c.id: 2}
    lines = list[str]()
    _, peer = compare([Haystack(db, asked, 0.0, units)], [ByAge()], lines.append, ks=[1, 2])
    assert peer.tally.means("all")["R@1"] == 0.0
    assert peer.tally.means("all")["R@2"] == 1.0


def test_a_peers_context_is_its_messages_in_rank_order_until_the_budget_is_full() -> None:
    texts = {1: "x" * 400, 2: "y" * 4_000, 3: "z" * 40}
    each = estimate_tokens(texts[1]) + DATE_AND_SPEAKER
    assert fitting([1, 3, 2], texts, 500) == [1, 3]
    assert fitting([1, 2, 3], texts, 500) == [1], "what does not fit ends it"
    assert fitting([1], texts, each) == [1]
    assert fitting([1], texts, each - 1) == []


def test_quantiles_are_of_any_number_of_measurements() -> None:
    assert quantile([3.0], 0.95) == 3.0
    assert quantile([float(n) for n in range(100)], 0.5) == 50.0
    assert quantile([float(n) for n in range(100, 0, -1)], 0.95) == 96.0


def test_plain_fts5_ranks_by_words_and_holds_one_haystack_at_a_time() -> None:
    with closing(PlainFts5()) as plain:
        plain.index([message(1, "a ferry"), message(2, "the ferry leaves at noon"), message(3, "")])
        assert plain.search("When does the ferry leave? At noon", 10) == [2, 1]
        assert plain.search("When does the ferry leave? At noon", 1) == [2]
        plain.index([message(7, "noon")])
        assert plain.search("ferry noon", 10) == [7]


@given(st.text(max_size=60))
def test_plain_fts5_answers_whatever_is_asked(question: str) -> None:
    with closing(PlainFts5()) as plain:
        plain.index([message(1, "What's new? 'Quotes' \"and\" NEAR(words)*"), message(2, question)])
        found = plain.search(question, 10)
    assert len(found) == len(set(found)) and set(found) <= {1, 2}


def test_peers_are_named_in_a_list_each_once() -> None:
    assert chosen("newest", OFFERED) == ["newest"]
    assert chosen("newest, newest", OFFERED) == ["newest"]


def test_all_means_those_that_are_installed() -> None:
    assert chosen("all", OFFERED) == ["newest"]


@pytest.mark.parametrize("names", ["oldest", "newest,oldest", "", "newest,"])
def test_a_name_that_is_not_offered_is_refused_with_those_that_are(names: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"unknown peer .*newest, absent"):
        chosen(names, OFFERED)


def test_a_peer_that_is_not_installed_is_refused_with_what_it_needs() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"absent needs {ABSENT}.*requirements"):
        chosen("absent", OFFERED)


def test_without_the_option_no_peer_is_asked() -> None:
    parser = argparse.ArgumentParser()
    add_option(parser)
    assert read(parser) == []


def test_a_wrong_option_ends_a_benchmark_with_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = argparse.ArgumentParser()
    add_option(parser)
    with pytest.raises(SystemExit):
        read(parser, "--peers", "nobody")
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.endswith(f"unknown peer 'nobody'; choose from {', '.join(OFFERS)}, or all")


def test_plain_fts5_comes_first_and_all_are_closed() -> None:
    with made(["newest"], OFFERED) as peers:
        plain, newest = peers
        assert plain.name == "plain FTS5, bm25"
        assert isinstance(newest, ByAge) and not newest.closed
    assert newest.closed


def test_locomo_runs_from_its_file_to_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "I keep two cats, Mint and Salt."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "My ferry leaves at noon tomorrow."},
    ]
    sample = {
        "sample_id": "conv-2",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1": turns,
            "session_1_date_time": "1:00 pm on 1 March, 2026",
        },
        "qa": [
            {"question": "Which cats does Ada keep?", "evidence": ["D1:1"], "category": 4},
            {"question": "Left out?", "evidence": ["D1:2"], "category": 5},
        ],
    }
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([sample]))
    monkeypatch.setattr(sys, "argv", ["locomo.py", str(file)])
    locomo.main()
    shown = capsys.readouterr().out
    assert "| 4 single-hop | 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |" in shown
    assert [line.split(" | ")[0] for line in shown.splitlines() if "| n |" in line] == [
        "| scenemem",
        "| plain FTS5, bm25",
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of other projects' code
@pytest.mark.parametrize("name", OFFERS)
def test_an_installed_peer_finds_what_is_asked_for(name: str) -> None:
    if not OFFERS[name].is_installed():
        pytest.skip(f"{name} is not installed")
    texts = ["The harbour is closed on Mondays.", "Ada has two cats.", "Rain again, all week long."]
    with closing(OFFERS[name].make()) as peer:
        asked: Peer = peer
        asked.index([message(9, "Where are the cats of before?")])
        asked.index([message(number, text) for number, text in enumerate(texts, 1)])
        found = asked.search("Who has cats?", 2)
    assert found[0] == 2 and len(found) <= 2 and set(found) <= {1, 2, 3}
