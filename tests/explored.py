"""A memory of a talk with changes, decisions and a second language, for what explores memories."""

from __future__ import annotations

from datetime import UTC, datetime

from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB

__all__ = ["day", "remember_a_move"]


def day(month: int, number: int) -> datetime:
    """Nine in the morning of a day of 2026."""
    return datetime(2026, month, number, 9, tzinfo=UTC)


def remember_a_move(db: MemoryDB) -> MemoryManager:
    """Fill `db` with a talk of five months about a move, a garden and a dog."""
    memory = MemoryManager(db)
    for at, said, answer in (
        (day(6, 1), "I live in Oslo. I love spicy food.", "Noted!"),
        (day(6, 2), "We decided to rent the garden plot by the canal.", "Lovely."),
        (day(6, 3), "The garden plot costs 400 kroner a year.", "That is fair."),
        (day(7, 8), "My dog Bruno is afraid of thunder.", "Poor Bruno!"),
        (day(8, 2), "I hate spicy food.", "Good to know."),
        (day(9, 9), "I live in Bergen now.", "How is Bergen?"),
        (day(9, 10), "Bruno, my dog, likes the new garden.", "I'm glad."),
    ):
        memory.update(said, answer, session=f"{at:%B}", at=at)
    return memory
