"""Near scenes: which share their terms, what they share, and where they stand on the map."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from explored import day
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.records import Cell
from scenemem.explore.map_picture import (
    Pair,
    candidates,
    near_pairs,
    places,
    scene_terms,
)


def cells(**told: list[str]) -> list[Cell]:
    """Cells with these contents, by scene."""
    listed = [(scene, text) for scene, texts in told.items() for text in texts]
    return [
        Cell(number, scene, "fact", 0.5, text, day(6, 1))
        for number, (scene, text) in enumerate(listed, start=1)
    ]


TALK = cells(
    Garden=["The garden plot is by the canal.", "We planted tomatoes in the garden."],
    Plants=["The tomatoes in the garden need water.", "Tomatoes love the sun."],
    Taxes=["The tax form is due in March.", "The accountant wants receipts."],
)


def test_the_nearest_scenes_are_those_that_share_most() -> None:
    pairs = near_pairs(scene_terms(TALK))
    assert {pairs[0].one, pairs[0].other} == {"Garden", "Plants"}
    assert {"tomatoes", "garden"} <= set(pairs[0].shared)
    assert all(a.nearness >= b.nearness for a, b in pairwise(pairs))
    assert not any("Taxes" in (p.one, p.other) and p.nearness > 0.2 for p in pairs)


def test_scenes_of_the_same_words_are_nearest_of_all() -> None:
    pair = near_pairs(scene_terms(cells(A=["Red kites fly."], B=["Red kites fly."])))[0]
    assert pair.nearness == pytest.approx(1.0)


def test_scenes_that_say_the_same_are_candidates_to_merge() -> None:
    same = [f"The boiler in the cellar of house {n} needs a new valve." for n in range(4)]
    other = ["The choir sings on Friday.", "Our choir has a new conductor.", "A tenor is ill."]
    found = candidates(scene_terms(cells(Boiler=same, Cellar=same[:3], Choir=other)))
    assert found == {frozenset({"Boiler", "Cellar"})}


def test_shared_terms_of_unspaced_scripts_are_readable() -> None:
    told = cells(A=["図書館で本を借りました"], B=["図書館は月曜日に休みです"])
    assert "図書" in near_pairs(scene_terms(told))[0].shared


def test_near_scenes_stand_nearer_than_others() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    spots = places(names, [Pair("a", "d", 0.6, ()), Pair("b", "e", 0.6, ())])

    def apart(one: str, other: str) -> float:
        (x1, y1), (x2, y2) = spots[one], spots[other]
        return math.hypot(x1 - x2, y1 - y2)

    assert apart("a", "d") < apart("a", "b") and apart("a", "d") < apart("a", "c")
    assert places(names, [Pair("a", "d", 0.6, ()), Pair("b", "e", 0.6, ())]) == spots


@given(
    st.lists(st.text(min_size=1), max_size=8, unique=True),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0, 1)), max_size=6),
)
def test_every_scene_has_a_place_on_the_map(
    names: list[str], near: list[tuple[int, int, float]]
) -> None:
    pairs = [
        Pair(names[i], names[j], nearness, ()) for i, j, nearness in near if i < j < len(names)
    ]
    spots = places(names, pairs)
    assert list(spots) == names
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in spots.values())


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_text_has_terms_or_none(texts: list[str]) -> None:
    told = cells(**{f"s{n}": [text] for n, text in enumerate(texts)})
    for pair in near_pairs(scene_terms(told)):
        assert 0 < pair.nearness <= 1
