"""Likeness: how near messages are in meaning to a question, by the cosine of their vectors.

A message is taken with what was said right before and after it, as ranking by words does: an
answer such as "in Oslo, since May" is told apart only by what it answers. The mixture is never
stored: its cosine follows from the products of the vectors themselves. Pure, over numpy arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["MessageMatrix", "as_stored", "unit_rows"]

Rows: TypeAlias = NDArray[np.float32]

_BEFORE = 0.4  # of the vector of the message before, in the mixture
_AFTER = 0.2  # of the one after
_STORED = np.dtype("<f2")  # half floats: likeness keeps three digits, in half the bytes


def unit_rows(vectors: Sequence[Sequence[float]], count: int) -> Rows:
    """The vectors as rows of length 1; one without a direction (zeros, not finite) as zeros.

    Raises `ValueError` unless they are `count` vectors of numbers, all of one length.
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
    """Each row as it is stored: half floats, little-endian."""
    return (row.tobytes() for row in rows.astype(_STORED))


class MessageMatrix:
    """The vectors of messages in the order of their ids; it does not change."""

    def __init__(self, ids: NDArray[np.int64], vectors: Rows) -> None:
        self._ids = ids
        self._vectors = vectors
        self._follows = np.diff(ids) == 1  # whether the next row is the next message
        self._lengths = self._mixed_lengths()

    @classmethod
    def of(cls, stored: Sequence[tuple[int, bytes]], dimensions: int) -> MessageMatrix:
        """The matrix of vectors as they are stored, in any order."""
        ordered = sorted(stored)
        ids = np.fromiter((message for message, _ in ordered), np.int64, len(ordered))
        halves = np.frombuffer(b"".join(vector for _, vector in ordered), _STORED)
        return cls(ids, halves.reshape(len(ordered), dimensions).astype(np.float32))

    def __len__(self) -> int:
        return len(self._ids)

    def joined(self, more: MessageMatrix) -> MessageMatrix:
        """This one with the rows of another, which has none of its messages."""
        ids = np.concatenate([self._ids, more._ids])
        order = np.argsort(ids, kind="stable")
        vectors = np.concatenate([self._vectors, more._vectors])
        if len(order) > 1 and not (np.diff(order) == 1).all():
            vectors = vectors[order]
        return MessageMatrix(ids[order], vectors)

    def likeness(self, question: Rows) -> Rows:
        """The cosine of each message, with its neighbours, to the question's vector."""
        own = self._vectors @ question
        mixed = own.copy()
        mixed[1:] += _BEFORE * self._follows * own[:-1]
        mixed[:-1] += _AFTER * self._follows * own[1:]
        found: Rows = mixed / self._lengths
        return found

    def nearest(self, likeness: Rows, above: float) -> Iterator[tuple[int, float]]:
        """The messages whose likeness is above that, the nearest first."""
        near = np.flatnonzero(likeness > above)
        near = near[np.argsort(-likeness[near], kind="stable")]
        return zip(self._ids[near].tolist(), likeness[near].tolist(), strict=True)

    def of_messages(self, likeness: Rows, messages: Iterable[int]) -> dict[int, float]:
        """The likeness of those of these messages that have a vector."""
        wanted = np.unique(np.fromiter(messages, np.int64))
        places = np.searchsorted(self._ids, wanted)
        places = places[places < len(self._ids)]
        places = places[np.isin(self._ids[places], wanted)]
        return dict(zip(self._ids[places].tolist(), likeness[places].tolist(), strict=True))

    def _mixed_lengths(self) -> Rows:
        """The length of each row with its neighbours mixed in; 1 for one without a direction."""
        vectors, follows = self._vectors, self._follows
        squares = np.einsum("ij,ij->i", vectors, vectors)
        beside = follows * np.einsum("ij,ij->i", vectors[1:], vectors[:-1])
        mixed = squares.copy()
        mixed[1:] += follows * _BEFORE**2 * squares[:-1] + 2 * _BEFORE * beside
        mixed[:-1] += follows * _AFTER**2 * squares[1:] + 2 * _AFTER * beside
        around = np.einsum("ij,ij->i", vectors[2:], vectors[:-2])
        mixed[1:-1] += 2 * _BEFORE * _AFTER * follows[1:] * follows[:-1] * around
        lengths: Rows = np.sqrt(np.where(mixed > 1e-6, mixed, 1.0)).astype(np.float32)
        return lengths
