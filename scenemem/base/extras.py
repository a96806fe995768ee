"""Extras: packages that only a part of scenemem needs; a missing one is said in a sentence."""

from __future__ import annotations

import importlib
from typing import Any, Literal

from scenemem.base.errors import SceneMemError

__all__ = ["Extra", "MissingExtraError", "needed"]

Extra = Literal["dense", "notebook"]


class MissingExtraError(SceneMemError, ImportError):
    """A package of one of scenemem's extras is not installed."""


def needed(module: str, extra: Extra) -> Any:
    """The module of that name. Raises `MissingExtraError` when it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or module).partition(".")[0]
        raise MissingExtraError(
            f"this needs {package}, which is not installed: pip install 'scenemem[{extra}]'"
        ) from error
