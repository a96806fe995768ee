"""Likeness: how close messages are in meaning to a question, as the cosine of their vectors.

Each message is mixed with those right before and after it, as in ranking by words: an answer such
as "in Oslo, since May" makes sense only with its question. The mixture is never stored, because its
cosine follows from the products of the vectors themselves. Pure, over numpy arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["MessageMatrix", "as_stored", "unit_rows"]

Rows: TypeAlias = NDArray[np.float32]

_BEFORE = 0.4  # weight of the message before, in the mixture
_AFTER = 0.2  # weight of the message after
_AT_ONCE = 4096  # rows whose mixtures are computed together
_STORED = np.dtype("<f2")  # half floats: three digits of likeness in half the bytes


def unit_rows(vectors: Sequence[Sequence[float]], count: int) -> Rows:
    """The vectors as rows of length 1; a vector of zeros, or one that isn't finite, as zeros.

    Raises `ValueError` unless there are `count` vectors of numbers, all of the same length.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("it gave no vectors of numbers, all of one length") from None
    if rows.ndim != 2 or len(rows) != count or not rows.shape[1]:
        raise ValueError(f"it gave {'×'.join(map(str, rows.shape))} numbers for {count} texts")
    rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0.0, largest, 1.0)  # so that no square overflows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)


def as_stored(rows: Rows) -> Iterator[bytes]:
    """Each row as it is stored: little-endian half floats."""
    return (row.tobytes() for row in rows.astype(_STORED))


class MessageMatrix:
    """The vectors of messages, ordered by id; immutable."""

    def __init__(self, ids: NDArray[np.int64], vectors: Rows, lengths: Rows) -> None:
        self._ids = ids
        self._vectors = vectors
        self._lengths = lengths  # of each row, mixed with its neighbours
        # Whether each row's message directly follows the one before; one extra at the end.
        self._follows = np.concatenate([[False], np.diff(ids) == 1, [False]])[-len(ids) - 1 :]

    @classmethod
    def of(cls, stored: Sequence[tuple[int, bytes]], dimensions: int) -> MessageMatrix:
        """The matrix of vectors as stored, in any order."""
        ordered = sorted(stored)
        ids = np.fromiter((message for message, _ in ordered), np.int64, len(ordered))
        halves = np.frombuffer(b"".join(vector for _, vector in ordered), _STORED)
        vectors = halves.reshape(len(ordered), dimensions).astype(np.float32)
        matrix = cls(ids, vectors, np.ones(len(ordered), np.float32))
        matrix._measure(np.arange(len(ordered)))
        return matrix

    def __len__(self) -> int:
        return len(self._ids)

    def joined(self, more: MessageMatrix) -> MessageMatrix:
        """This matrix with the rows of another, which must hold other messages."""
        before = np.searchsorted(self._ids, more._ids)
        joined = MessageMatrix(
            np.insert(self._ids, before, more._ids),
            np.insert(self._vectors, before, more._vectors, axis=0),
            np.insert(self._lengths, before, more._lengths),
        )
        places = before + np.arange(len(before))
        touched = np.unique(np.concatenate([places - 1, places, places + 1]))
        joined._measure(touched[(touched >= 0) & (touched < len(joined))])
        return joined

    def likeness(self, question: Rows) -> Rows:
        """The cosine of each message, mixed with its neighbours, with the question's vector."""
        own = self._vectors @ question
        mixed = own.copy()
        follows = self._follows[1:-1]
        mixed[1:] += _BEFORE * follows * own[:-1]
        mixed[:-1] += _AFTER * follows * own[1:]
        found: Rows = mixed / self._lengths
        return found

    def nearest(self, likeness: Rows, above: float) -> Iterator[tuple[int, float]]:
        """The messages whose likeness is above that, nearest first."""
        near = np.flatnonzero(likeness > above)
        near = near[np.argsort(-likeness[near], kind="stable")]
        return zip(self._ids[near].tolist(), likeness[near].tolist(), strict=True)

    def of_messages(self, likeness: Rows, messages: Iterable[int]) -> dict[int, float]:
        """The likeness of each of these messages that has a vector."""
        wanted = np.unique(np.fromiter(messages, np.int64))
        places = np.searchsorted(self._ids, wanted)
        places = places[places < len(self._ids)]
        places = places[np.isin(self._ids[places], wanted)]
        return dict(zip(self._ids[places].tolist(), likeness[places].tolist(), strict=True))

    def _measure(self, places: NDArray[np.int64]) -> None:
        """Compute the lengths of these rows, mixed with their neighbours."""
        for start in range(0, len(places), _AT_ONCE):
            at = places[start : start + _AT_ONCE]
            mixed = self._vectors[at]
            for beside, near, weight in (
                (at - 1, self._follows[at], _BEFORE),
                (at + 1, self._follows[at + 1], _AFTER),
            ):
                mixed[near] += weight * self._vectors[beside[near]]
            lengths = np.linalg.norm(mixed, axis=1)
            self._lengths[at] = np.where(lengths > 1e-3, lengths, 1.0)
