"""The errors that scenemem raises deliberately, as one hierarchy.

    SceneMemError
    ├── DatabaseError             the file can't be opened, read or written
    │   └── SchemaVersionError    the file was written by a newer scenemem
    ├── ModelError                a language model returned no usable answer
    │   ├── ModelUnavailableError it is unreachable or busy; retrying later may help
    │   └── ModelRequestError     it rejected the request; retrying won't help
    │       └── PromptTooLongError    the request exceeds the model's context window
    ├── ExtractionError           an exchange could not be turned into cells; it stays pending
    ├── ImportFormatError         a file is not in an importable format
    ├── NotFoundError             no scene, cell, session or message by that name
    └── MissingExtraError         a package from one of scenemem's extras is not installed

Each message is one sentence that says what failed, with which value, and what to do about it. A
programming error (a salience of 3, an unknown cell type) raises TypeError or ValueError instead.
"""

from __future__ import annotations

import importlib
from typing import Any, Literal

__all__ = [
    "DatabaseError",
    "Extra",
    "ExtractionError",
    "ImportFormatError",
    "MissingExtraError",
    "ModelError",
    "ModelRequestError",
    "ModelUnavailableError",
    "NotFoundError",
    "PromptTooLongError",
    "SceneMemError",
    "SchemaVersionError",
    "needed",
]


class SceneMemError(Exception):
    """Base class of the errors that scenemem raises deliberately."""


class DatabaseError(SceneMemError):
    """The memory file can't be opened, read or written."""


class SchemaVersionError(DatabaseError):
    """The memory file was written by a newer version of scenemem; it was left untouched."""


class ModelError(SceneMemError):
    """A language model returned no usable answer.

    `status` is the HTTP status, if the server returned one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ModelUnavailableError(ModelError):
    """The model is unreachable, timed out or is busy; retrying later may succeed."""


class ModelRequestError(ModelError):
    """The model's server rejected the request and would reject it again."""


class PromptTooLongError(ModelRequestError):
    """The request exceeds the model's context window."""


class ExtractionError(SceneMemError):
    """An exchange could not be turned into cells; it stays pending and is retried later."""


class ImportFormatError(SceneMemError):
    """A file is not in an importable format."""


class NotFoundError(SceneMemError, LookupError):
    """There is no scene, cell, session or message by that name.

    `kind` says what there is none of, where it is one of a list that can be shown.
    """

    def __init__(self, message: str, *, kind: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind

    @classmethod
    def of(cls, kind: str, name: object) -> NotFoundError:
        """The error for a name that nothing of that kind has."""
        return cls(f"there is no {kind} {name!r}", kind=kind)


Extra = Literal["dense", "notebook"]


class MissingExtraError(SceneMemError, ImportError):
    """A package from one of scenemem's extras is not installed."""


def needed(module: str, extra: Extra) -> Any:
    """Import and return a module. Raises `MissingExtraError` if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or module).partition(".")[0]
        raise MissingExtraError(
            f"this needs {package}, which is not installed: pip install 'scenemem[{extra}]'"
        ) from error
