"""What exploring needs beside the package itself, said in one sentence when it is missing."""

from __future__ import annotations

import importlib
from typing import Any

from scenemem.errors import SceneMemError

__all__ = ["MissingExtraError", "needed"]


class MissingExtraError(SceneMemError, ImportError):
    """A package of the extra `notebook` is not installed."""


def needed(module: str) -> Any:
    """The module of that name. Raises `MissingExtraError` when it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or module).partition(".")[0]
        raise MissingExtraError(
            f"this needs {package}, which is not installed: pip install 'scenemem[notebook]'"
        ) from error
