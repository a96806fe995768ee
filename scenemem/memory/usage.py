"""Model calls are counted in the memory that they are made for."""

from __future__ import annotations

import logging

from scenemem.base.errors import DatabaseError
from scenemem.base.outcomes import UsageRecord
from scenemem.engines.engine import Engine, MeteredEngine
from scenemem.memory.memory_db import MemoryDB

__all__ = ["counting_in"]

_log = logging.getLogger("scenemem")


def counting_in(db: MemoryDB, engine: Engine) -> Engine:
    """The engine, with its model calls counted in `db`; an engine without any as it is.

    Whoever has an engine work for a memory goes through this, so that an engine may serve several
    memories at once. Doing it twice counts once.
    """
    if not isinstance(engine, MeteredEngine):
        return engine

    def note(used: UsageRecord) -> None:
        try:
            db.log.note_usage(used)
        except DatabaseError as error:  # what the call returned is worth more than its count
            _log.warning("a model call of %r could not be counted: %s", used.model, error)

    return engine.metered_by(note)
