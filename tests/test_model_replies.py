"""What models answer to an extraction prompt: a corpus of replies, each read to what it says.

`replies/NAME.txt` is a reply as it came; `replies/expected.json` says what is in it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.cell_types import CELL_TYPES
from scenemem.engines.openai.json_salvage import find_values
from scenemem.engines.openai.replies import ThoughtFilter, parse_cells, without_thoughts

CORPUS = Path(__file__).parent / "replies"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CORPUS / "expected.json").read_text("utf-8"))


def test_every_reply_of_the_corpus_has_its_expectation() -> None:
    assert {path.stem for path in CORPUS.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_reply_is_read_to_what_it_says(name: str) -> None:
    text = (CORPUS / f"{name}.txt").read_text("utf-8")
    expected = EXPECTED[name]
    reply = parse_cells(text, expected.get("finish_reason", "stop"))
    assert [cell.content for cell in reply.cells] == expected["cells"]
    assert (reply.failed is not None) == expected.get("failed", False), reply.failed
    assert reply.truncated == expected.get("truncated", False)
    if "types" in expected:
        assert [cell.cell_type for cell in reply.cells] == expected["types"]
    if "scenes" in expected:
        assert [cell.scene for cell in reply.cells] == expected["scenes"]
    if "saliences" in expected:
        assert [round(cell.salience, 6) for cell in reply.cells] == expected["saliences"]
    if "rejected" in expected:
        assert len(reply.rejected) == expected["rejected"]
    if "turn" in expected:
        (cell,) = reply.cells
        assert (cell.turn, list(cell.replaces)) == (expected["turn"], expected["replaces"])
        assert cell.days is not None
        assert [day.isoformat() for day in cell.days] == expected["days"]


def test_a_reply_cut_off_by_the_limit_is_truncated_even_if_its_last_bracket_fits() -> None:
    cut = parse_cells('Cells: [{"content": "Rita keeps bees"}] and', finish_reason="length")
    assert cut.truncated
    assert [cell.content for cell in cut.cells] == ["Rita keeps bees"]


def test_nothing_to_keep_and_nothing_read_are_different() -> None:
    assert parse_cells("[]").failed is None
    assert parse_cells("").failed == "the reply is empty"
    assert parse_cells("", "length").failed == "the reply is empty (cut off by the token limit)"


def test_every_rejection_says_what_was_rejected() -> None:
    reply = parse_cells('[{"content": "Rita keeps bees"}, {"content": {"city": "Ghent"}}]')
    assert len(reply.rejected) == 1
    assert "Ghent" in reply.rejected[0]


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    reply = parse_cells(text)
    assert isinstance(reply.cells, tuple)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["content", "scene", "salience", "cell_type", "cells", "turn", "replaces"]
            )
            | st.text(max_size=8),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_whatever_is_in_the_json_cells_come_out_valid(value: Any) -> None:
    for cell in parse_cells(json.dumps(value)).cells:
        assert cell.content.strip()
        assert cell.cell_type in CELL_TYPES
        assert math.isfinite(cell.salience)
        assert 0 <= cell.salience <= 1
        assert "\n" not in cell.scene


cells = st.lists(
    st.builds(
        lambda content, scene, salience: {
            "content": content, "cell_type": "fact", "salience": salience, "scene": scene,
        },
        st.text("abcé日 \"'`{}[],:\\\n\t</>", min_size=1, max_size=40).map(lambda t: f"w{t}w"),
        st.text("abc", max_size=8),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda cell: "".join(c for c in str(cell["content"]) if c.isalnum()),
)  # fmt: skip


@given(cells)
def test_valid_json_is_never_changed(found: list[dict[str, Any]]) -> None:
    reply = parse_cells(json.dumps(found))
    assert [cell.content for cell in reply.cells] == [cell["content"] for cell in found]


@given(cells, st.data())
def test_of_a_reply_cut_anywhere_only_whole_cells_are_kept(
    found: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = json.dumps({"cells": found})
    end = data.draw(st.integers(0, len(text) - 3))
    whole = [cell["content"] for cell in found]
    kept = [cell.content for cell in parse_cells(text[:end], "length").cells]
    assert kept == whole[: len(kept)]


@given(st.text("[]{}\",:abc1\\' \n", max_size=300))
def test_looking_for_values_always_ends(text: str) -> None:
    find_values(text)


@given(st.lists(st.text("<>/think abc\n", max_size=12), max_size=8))
def test_a_streamed_answer_shows_what_the_whole_one_would(pieces: list[str]) -> None:
    shown = ThoughtFilter()
    streamed = "".join([shown.feed(piece) for piece in pieces]) + shown.rest()
    text = "".join(pieces).lstrip()
    if text.lower().startswith("<think>") or "</think>" not in text.lower():
        assert streamed.strip() == without_thoughts(text)
