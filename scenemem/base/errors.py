"""Every error that scenemem raises on purpose, as one tree.

    SceneMemError
    ├── DatabaseError             the file can't be opened, read or written
    │   └── SchemaVersionError    the file was written by a newer scenemem
    ├── ModelError                a language model gave no usable answer
    │   ├── ModelUnavailableError it can't be reached, or is too busy: trying later may help
    │   └── ModelRequestError     it refused the request: trying again changes nothing
    │       └── PromptTooLongError    the request does not fit the model's window
    ├── ExtractionError           an exchange could not be turned into cells; it stays pending
    ├── ImportFormatError         a file is not in a form that can be imported
    ├── NotFoundError             no scene, cell, session or message by that name
    └── MissingExtraError         a package of an extra is not installed

Each message is one sentence: what failed, with which value, and what to do. Wrong use by a
programmer (a salience of 3, an unknown cell type) stays TypeError or ValueError.
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
    """Base of all errors that scenemem raises on purpose."""


class DatabaseError(SceneMemError):
    """The memory file can't be opened, read or written."""


class SchemaVersionError(DatabaseError):
    """The memory file was written by a newer version of scenemem; it was left untouched."""


class ModelError(SceneMemError):
    """A language model gave no usable answer.

    `status` is the HTTP status, where the server answered with one.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ModelUnavailableError(ModelError):
    """The model can't be reached, timed out, or is too busy: a later try may succeed."""


class ModelRequestError(ModelError):
    """The model's server refused the request: the same request will be refused again."""


class PromptTooLongError(ModelRequestError):
    """The request does not fit the model's window."""


class ExtractionError(SceneMemError):
    """An exchange could not be turned into cells; it stays pending and is tried again later."""


class ImportFormatError(SceneMemError):
    """A file is not in a form that can be imported."""


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
