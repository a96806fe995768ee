"""Likeness by products of vectors is the cosine of the mixture that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.retrieval.likeness import MessageMatrix, as_stored, unit_rows

IDS = st.lists(
    st.integers(1, 40).map(lambda n: n // 20 << 24 | n), min_size=1, max_size=20, unique=True
)


def matrix_of(ids: list[int], seed: int) -> tuple[MessageMatrix, dict[int, np.ndarray]]:
    rows = unit_rows(np.random.default_rng(seed).normal(size=(len(ids), 6)).tolist(), len(ids))
    stored = list(as_stored(rows))
    halves = {i: np.frombuffer(v, "<f2").astype("f4") for i, v in zip(ids, stored, strict=True)}
    return MessageMatrix.of(list(zip(ids, stored, strict=True)), 6), halves


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@given(IDS, st.integers(0, 1000))
def test_a_message_is_mixed_with_what_was_said_before_and_after_it(
    ids: list[int], seed: int
) -> None:
    matrix, rows = matrix_of(ids, seed)
    (question,) = unit_rows([[1.0, -2.0, 3.0, 0.5, 0.0, 1.0]], 1)
    likeness = matrix.likeness(question)
    found = matrix.of_messages(likeness, [*ids, 7 << 24])
    nothing = np.zeros(6)
    assert found.keys() == set(ids)
    for number, row in rows.items():
        mixed = row + 0.4 * rows.get(number - 1, nothing) + 0.2 * rows.get(number + 1, nothing)
        assert found[number] == pytest.approx(cosine(mixed, question), abs=1e-4)
    near = list(matrix.nearest(likeness, 0.2))
    assert dict(near) == {number: like for number, like in found.items() if like > 0.2}
    assert [like for _, like in near] == sorted((like for _, like in near), reverse=True)


@given(IDS, st.integers(0, 1000), st.integers(0, 20))
def test_a_matrix_that_grew_is_the_matrix_of_all(ids: list[int], seed: int, split: int) -> None:
    whole, rows = matrix_of(ids, seed)
    halves = [(i, rows[i].astype("<f2").tobytes()) for i in ids]
    grown = MessageMatrix.of(halves[:split], 6).joined(MessageMatrix.of(halves[split:], 6))
    (question,) = unit_rows([[1.0, 1.0, 0.0, 0.0, 0.0, 1.0]], 1)
    assert len(grown) == len(ids)
    ours = dict(grown.nearest(grown.likeness(question), -2.0))
    assert ours == pytest.approx(dict(whole.nearest(whole.likeness(question), -2.0)), abs=1e-6)
