"""What reads and writes language for the memory: the protocol, and the engines behind it.

The rest of the package asks for an engine here and names none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenemem.engines.engine import Engine, PlainReader
    from scenemem.engines.rules import EmbeddedEngine

__all__ = ["default_engine", "plain_reader"]


def default_engine() -> EmbeddedEngine:
    """The engine used unless another is given: the embedded one, which needs no model.

    It is loaded here, on first use, because recall alone doesn't need its language tables.
    """
    from scenemem.engines.rules import EmbeddedEngine

    return EmbeddedEngine()


def plain_reader(engine: Engine | None = None) -> PlainReader:
    """What reads without a model: `engine` itself if it can, else the default engine."""
    from scenemem.engines.engine import PlainReader

    return engine if isinstance(engine, PlainReader) else default_engine()
