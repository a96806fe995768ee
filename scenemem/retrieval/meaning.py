"""Meaning: a memory's embedder, the vectors it made, and how questions are compared with them.

Messages are embedded outside any transaction and stored batch by batch. Until a message has a
vector, it is found by its words alone. Up to `MOST_IN_MEMORY` vectors are held in one matrix, and a
question is compared with all of them; the matrix is updated when vectors are added or removed. In a
larger memory, only the vectors of messages that were found by words are read and compared.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from scenemem.base.errors import DatabaseError, ModelError, SceneMemError, needed
from scenemem.base.text import clean
from scenemem.retrieval.embedding import Embedder, checked, weight_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scenemem.retrieval.likeness import MessageMatrix, Rows
    from scenemem.store.evidence import Evidence
    from scenemem.store.protocol import Store
    from scenemem.store.records import Kept, Spoken

__all__ = ["MOST_IN_MEMORY", "AskedMeaning", "Meaning"]

MOST_IN_MEMORY = 200_000  # 200 MB at 256 numbers each
BATCH = 128  # messages embedded and stored together
LONGEST = 8_000  # characters of a text that are embedded
_AROUND = (-1, 0, 1)
_LATE_TURNS = 500  # turns that may still get messages when newer ones have theirs
_log = logging.getLogger("scenemem")


class Meaning:
    """What the messages of one memory mean, according to one embedder.

    Raises `TypeError` if `embedder` is not an `Embedder`, and `MissingExtraError` without the
    extra `dense`.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        needed("numpy", "dense")
        self.embedder = checked(embedder)
        self.weight = weight_of(embedder)
        self._store = store
        self._name = embedder.name
        self._held: tuple[Kept, MessageMatrix] | None = None
        self._guard = threading.Lock()
        self._all_until = 0  # up to this turn, all messages are known to have vectors

    # -- messages ----------------------------------------------------------------------------

    def count_waiting(self) -> int:
        """How many messages have no vector yet."""
        return self._store.vectors.count_waiting(self._name)

    def embed_waiting(
        self,
        limit: int | None = None,
        progress: Callable[[int], None] | None = None,
        *,
        after_turn: int = 0,
    ) -> int:
        """Embed up to `limit` messages that have no vector yet; return how many were embedded.

        `progress` is called with the size of each batch. Turns up to `after_turn` are skipped.
        Raises `ModelError` if the embedder fails; batches stored before stay.
        """
        vectors = self._store.vectors
        newest, waiting = vectors.last_turn(), vectors.waiting(self._name, limit, after_turn)
        done = 0
        for start in range(0, len(waiting), BATCH):
            batch = vectors.spoken(waiting[start : start + BATCH])
            if batch:  # empty if all of them were forgotten in the meantime
                self._embed(batch)
            done += len(batch)
            if progress is not None:
                progress(len(batch))
        if limit is None:
            self._all_until = newest
        return done

    def _embed(self, messages: Sequence[Spoken]) -> None:
        from scenemem.retrieval.likeness import as_stored

        rows = self._rows([message.spoken for message in messages])
        try:
            self._store.vectors.insert_vectors(self._name, messages, as_stored(rows), rows.shape[1])
        except ValueError as error:
            raise self._fault(error) from error

    def keep_up(self) -> None:
        """Embed messages that have no vector yet, if that is possible now.

        If the embedder fails, a warning is logged; the messages are found by their words and
        embedded next time. Inside a transaction it does nothing, because no model may be called
        there. Once all messages have vectors, only recent turns are checked, because checking all
        of them takes longer with every message.
        """
        if self._store.in_transaction:
            return
        try:
            self.embed_waiting(after_turn=max(self._all_until - _LATE_TURNS, 0))
        except SceneMemError as error:
            _log.warning("messages stay without vectors for now: %s", error)

    def _rows(self, texts: Sequence[str]) -> Rows:
        """A row of length 1 for each text. Raises `ModelError`."""
        from scenemem.retrieval.likeness import unit_rows

        try:
            return unit_rows(
                self.embedder.embed([clean(text)[:LONGEST] for text in texts]), len(texts)
            )
        except SceneMemError:
            raise
        except (
            Exception
        ) as error:  # an embedder may be anyone's code, and a turn must not fail because of it
            raise self._fault(error) from error

    def _fault(self, error: Exception) -> ModelError:
        said = error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        return ModelError(f"the embedder {self.embedder.name!r} can't be used: {said}")

    # -- questions ---------------------------------------------------------------------------

    def asked(self, text: str) -> AskedMeaning | None:
        """The question, embedded; None if there is nothing to compare it with.

        Call it before reading the memory, because an embedder may take a while. If the embedder
        fails, a warning is logged and recall uses words alone. The same happens inside a
        transaction, where no model may be called.
        """
        if self._store.in_transaction:
            _log.warning("recalled by words alone: no embedder is called inside a transaction")
            return None
        try:
            kept = self._store.vectors.kept(self._name)
            if kept is None or not kept.held or not text.strip():
                return None
            (question,) = self._rows([text])
            if len(question) != kept.dimensions:
                raise ModelError(
                    f"the embedder {self.embedder.name!r} can't be used: it gave "
                    f"{len(question)} numbers, and the vectors in the memory have "
                    f"{kept.dimensions}"
                )
        except DatabaseError:
            raise
        except SceneMemError as error:
            _log.warning("recalled by words alone: %s", error)
            return None
        return AskedMeaning(self, question)

    def matrix(self) -> MessageMatrix | None:
        """All vectors, as of this read or later; None if there are too many, or none."""
        kept = self._store.vectors.kept(self._name)
        if kept is None or not 0 < kept.held <= MOST_IN_MEMORY:
            return None
        with self._guard:
            return self._updated(kept)

    def _updated(self, kept: Kept) -> MessageMatrix:
        from scenemem.retrieval.likeness import MessageMatrix

        vectors = self._store.vectors
        before, matrix = self._held or (None, None)
        if before is not None and matrix is not None and before.removed >= kept.removed:
            if before.added >= kept.added:
                return matrix
            new = vectors.added_after(self._name, before.added)
            matrix = matrix.joined(MessageMatrix.of(new, kept.dimensions))
        else:
            matrix = MessageMatrix.of(vectors.added_after(self._name, 0), kept.dimensions)
        self._held = kept, matrix
        return matrix

    def around(self, messages: Iterable[int]) -> MessageMatrix | None:
        """The vectors of these messages and their neighbours, read for this question."""
        from scenemem.retrieval.likeness import MessageMatrix

        kept = self._store.vectors.kept(self._name)
        if kept is None:
            return None
        near = {message + step for message in messages for step in _AROUND}
        return MessageMatrix.of(self._store.vectors.of_messages(self._name, near), kept.dimensions)


class AskedMeaning:
    """A question's vector and the messages that are like it, for one recall, in its snapshot.

    `weight` scales how much likeness counts, on top of `Weights.meaning`.
    """

    def __init__(self, meaning: Meaning, question: Rows) -> None:
        self.weight = meaning.weight
        self._meaning = meaning
        self._question = question
        self._compared: tuple[MessageMatrix, Rows] | None = None

    def nearest(self, evidence: Evidence, most: int, above: float) -> dict[int, float]:
        """The `most` messages in scope that are most like the question, each with its likeness.

        Likeness is a cosine, at most 1; only messages above `above` count. Returns no messages if
        there are too many to compare.
        """
        found: dict[int, float] = {}
        compared = self._all()
        if compared is None:
            return found
        matrix, likeness = compared
        ordered = matrix.nearest(likeness, above)
        look = most
        while len(found) < most and (near := dict(islice(ordered, look))):
            in_scope = evidence.in_scope(near)
            found |= {row: near[row] for row in near if row in in_scope}
            look *= 4  # a narrow scope has few of them
        return dict(islice(found.items(), most))

    def likeness(self, messages: Iterable[int]) -> dict[int, float]:
        """The likeness of each of these messages that has a vector."""
        wanted = list(messages)
        compared = self._all()
        if compared is None:
            matrix = self._meaning.around(wanted)
            if matrix is None:
                return {}
            compared = matrix, matrix.likeness(self._question)
        return compared[0].of_messages(compared[1], wanted)

    def _all(self) -> tuple[MessageMatrix, Rows] | None:
        if self._compared is None and (matrix := self._meaning.matrix()) is not None:
            self._compared = matrix, matrix.likeness(self._question)
        return self._compared
