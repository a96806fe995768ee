"""Embedders turn texts into vectors, so that recall finds messages of similar meaning.

Recall matches words. In a memory with an embedder, similarity of meaning counts too. An embedder
has a name and one method. This module has one that needs no server and one that calls any function;
`ServerEmbedder` calls a server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from scenemem.base.checks import function_given, number_given, quoted, str_given
from scenemem.base.errors import ModelError, needed

__all__ = ["CallableEmbedder", "Embedder", "StaticEmbedder", "Vectors", "checked", "weight_of"]

# A list of lists of numbers, or an array: one row for each text.
Vectors = Sequence[Sequence[float]]


class Embedder(Protocol):
    """Turns texts into vectors.

    It may have a `weight` (1.0 if not), which scales how much likeness counts, on top of
    `Weights.meaning`.
    """

    @property
    def name(self) -> str:
        """Identifies its vectors: a different model must have a different name."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, in order, all of the same length and of any scale.

        Raises `ModelError` if it can't provide them. Several threads may call it at once.
        """


class CallableEmbedder:
    """A function as an embedder: `function(texts)` returns a vector for each text.

    `name` identifies its model; `weight` scales how much likeness counts, on top of
    `Weights.meaning`.
    """

    def __init__(
        self, name: str, function: Callable[[Sequence[str]], Vectors], *, weight: float = 1.0
    ) -> None:
        str_given("name", name, empty=False)
        function_given("function", function)
        number_given("weight", weight, 0)
        self.name = name
        self.weight = weight
        self._function = function

    def embed(self, texts: Sequence[str]) -> Vectors:
        """What the function returns. Raises `ModelError` if the function raises anything."""
        try:
            return self._function(texts)
        except Exception as error:  # whatever it is, a turn must not fail because of it
            raise ModelError(
                f"the embedder {self.name!r} failed ({type(error).__name__}: {error}); "
                "check the function it calls"
            ) from error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class StaticEmbedder:
    """The static vectors of the package `wordllama` (MIT, 16 MB): no model to run, no network.

    A text's vector is the mean of its tokens' vectors, of 256 numbers. Needs the extra `dense`, and
    raises `MissingExtraError` on first use without it.
    """

    name = "wordllama l2_supercat 256"
    weight = 0.7  # its likeness is less reliable than a sentence encoder's

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector of 256 numbers for each text; zeros for a text without any tokens."""
        vectors: Vectors = self._model.embed(list(texts), norm=False)
        return vectors

    @cached_property
    def _model(self) -> Any:
        wordllama = needed("wordllama", "dense")
        folder = Path(wordllama.__file__).parent
        try:
            return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        except OSError as error:
            raise ModelError(
                f"the vectors of wordllama can't be read from {folder} ({error}); "
                "reinstall it: pip install --force-reinstall wordllama"
            ) from error

    def __repr__(self) -> str:
        return "StaticEmbedder()"


def checked(embedder: Embedder) -> Embedder:
    """The embedder, after checking that it is one. Raises `TypeError` if it is not."""
    name = getattr(embedder, "name", None)
    if not isinstance(name, str) or not callable(getattr(embedder, "embed", None)):
        raise TypeError(
            f"embedder must have a name and a method embed(texts), got {quoted(embedder)}"
        )
    return embedder


def weight_of(embedder: Embedder) -> float:
    """How much the embedder's likeness counts, on top of `Weights.meaning`."""
    return float(number_given("weight", getattr(embedder, "weight", 1.0), 0))
