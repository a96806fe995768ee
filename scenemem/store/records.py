"""Records that only a store is given or gives: what is restored from elsewhere, and vectors."""

from __future__ import annotations

from typing import NamedTuple

from scenemem.base.records import Cell, MessageDraft
from scenemem.base.session_records import TurnState


class PastTurn(NamedTuple):
    """A turn as the memory it comes from had it, where its id was `number`."""

    number: int
    state: TurnState = "pending"
    kept: int | None = None
    attempts: int = 0
    last_error: str | None = None
    external_id: str | None = None


class PastMessage(NamedTuple):
    """A message of another memory, to be restored; its draft has an `external_id`.

    `number` is its id there if it had no external id there; `turn` is None if its turn is unknown.
    """

    draft: MessageDraft
    turn: PastTurn | None = None
    number: int | None = None


class PastCell(NamedTuple):
    """A cell of another memory, to be restored, with the messages here that it came from.

    `tellings` are the further messages that told it; `before` are its texts before corrections.
    """

    cell: Cell
    tellings: tuple[int, ...] = ()
    before: tuple[str, ...] = ()


class Spoken(NamedTuple):
    """What is embedded of a message."""

    id: int
    speaker: str | None
    text: str

    @property
    def spoken(self) -> str:
        """What is embedded: the text, with the name of a person who says it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class Kept(NamedTuple):
    """What is kept of one embedder: the length of its vectors, how many were added and removed."""

    dimensions: int
    added: int
    removed: int

    @property
    def held(self) -> int:
        """How many vectors there are now."""
        return self.added - self.removed
