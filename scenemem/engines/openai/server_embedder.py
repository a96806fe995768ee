"""ServerEmbedder: an embedding model behind any OpenAI-compatible server.

It reaches the server as the chat model does, and its faults become the same errors. A request is
not repeated: a question that can't be embedded is one of words alone, and a message waits for the
next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenemem.base.errors import PromptTooLongError
from scenemem.engines.openai.completion import whole
from scenemem.engines.openai.connection import ServerConnection
from scenemem.engines.openai.faults import Fault

__all__ = ["ServerEmbedder"]

_SHORTEST = 50  # characters of a text that no model refuses for its length


class ServerEmbedder:
    """A model behind the embeddings of an OpenAI-compatible API.

    `base_url` and `api_key` are as those of `OpenAIChat`: a local server needs no key. `timeout` is
    in seconds, for each request; recall waits that long at most. `batch` is how many texts a
    request holds; `weight` how much likeness counts, times `Weights.meaning`. Texts that the model
    finds too long are sent apart, and then shortened.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        batch: int = 64,
        weight: float = 1.0,
    ) -> None:
        if not model.strip():
            raise ValueError("model is empty; it is a name such as 'text-embedding-3-small'")
        if batch < 1:
            raise ValueError(f"batch is {batch}; it is a number of texts from 1")
        self.weight = weight
        self._batch = batch
        self._connection = _EmbeddingConnection(model, base_url, api_key, timeout)

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._connection.model

    @property
    def address(self) -> str:
        """The full address that is asked."""
        return self._connection.address

    def __repr__(self) -> str:
        return f"ServerEmbedder({self.name!r}, {self.address!r})"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text.

        Raises `ModelUnavailableError` when the server can't be reached or is too busy,
        `ModelRequestError` when it refuses, `ModelError` when its answer holds no vectors.
        """
        return [
            vector
            for start in range(0, len(texts), self._batch)
            for vector in self._embedded(texts[start : start + self._batch])
        ]

    def _embedded(self, texts: Sequence[str]) -> list[Sequence[float]]:
        try:
            return self._asked(texts)
        except PromptTooLongError:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._embedded(texts[:half]) + self._embedded(texts[half:])
            (text,) = texts
            if len(text) <= _SHORTEST:
                raise
            return self._embedded([text[: len(text) // 2]])

    def _asked(self, texts: Sequence[str]) -> list[Sequence[float]]:
        body = {
            "model": self.name,
            # A server may refuse a text without any word.
            "input": [whole(text) if text.strip() else "-" for text in texts],
            "encoding_format": "float",
        }
        try:
            document = self._connection.post(body)
            vectors = _vectors_in(document)
            if vectors is None or len(vectors) != len(texts):
                lacks = f"a vector for each of {len(texts)} texts"
                raise Fault.unreadable(self._connection.asked, "", lacks)
        except Fault as fault:
            raise fault.error from fault.__cause__
        return vectors


class _EmbeddingConnection(ServerConnection):
    """A server that is asked for vectors instead of completions."""

    endpoint = "/embeddings"
    answer = "vectors"

    def _answer(self, body: Mapping[str, Any]) -> str:
        created = self._ready_client().embeddings.with_raw_response.create(**body)
        return created.http_response.text

    def _is_answer(self, document: object) -> bool:
        return _vectors_in(document) is not None


def _vectors_in(document: object) -> list[Sequence[float]] | None:
    """The vectors of an answer in the order of its texts; None when it holds none."""
    entries = document.get("data") if isinstance(document, Mapping) else None
    if not isinstance(entries, list) or not entries:
        return None
    vectors: dict[int, Sequence[float]] = {}
    for place, entry in enumerate(entries):
        vector = entry.get("embedding") if isinstance(entry, Mapping) else None
        if not isinstance(vector, list) or not all(isinstance(n, int | float) for n in vector):
            return None
        index = entry.get("index")
        vectors[index if isinstance(index, int) else place] = vector
    return [vectors[index] for index in sorted(vectors)]
