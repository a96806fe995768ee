"""ServerEmbedder: an embedding model behind any OpenAI-compatible server.

It reaches the server like the chat model does, and raises the same errors. Requests are not
retried: a question that can't be embedded is searched by words alone, and a message waits for the
next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenemem.base.checks import int_given, number_given
from scenemem.base.errors import PromptTooLongError
from scenemem.base.text import clean
from scenemem.engines.openai.connection import Endpoint, ServerConnection
from scenemem.engines.openai.faults import Fault

__all__ = ["ServerEmbedder"]

_ALWAYS_FITS = 50  # characters; a text this short is not refused for its length


class ServerEmbedder:
    """A model behind the embeddings endpoint of an OpenAI-compatible API.

    `base_url` and `api_key` work as for `OpenAIChat`: a local server needs no key. `timeout` is in
    seconds, per request, and the longest that a recall waits for its question. `batch` is how many
    texts a request holds. `weight` scales how much likeness counts, on top of `Weights.meaning`.
    Texts too long for the model are sent one by one, and then shortened.
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
        int_given("batch", batch, 1)
        number_given("weight", weight, 0)
        self.weight = weight
        self._batch = batch
        self._connection = ServerConnection(_EMBEDDINGS, model, base_url, api_key, timeout)

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._connection.model

    @property
    def address(self) -> str:
        """The full address that requests go to."""
        return self._connection.address

    def __repr__(self) -> str:
        return f"ServerEmbedder({self.name!r}, {self.address!r})"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text.

        Raises `ModelUnavailableError` if the server can't be reached or is too busy,
        `ModelRequestError` if it refuses, `ModelError` if its answer holds no vectors.
        """
        return [
            vector
            for start in range(0, len(texts), self._batch)
            for vector in self._embed_batch(texts[start : start + self._batch])
        ]

    def _embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            return self._request(texts)
        except PromptTooLongError:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._embed_batch(texts[:half]) + self._embed_batch(texts[half:])
            (text,) = texts
            if len(text) <= _ALWAYS_FITS:
                raise
            return self._embed_batch([text[: len(text) // 2]])

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        body = {
            "model": self.name,
            # A server may refuse a text without any word.
            "input": [clean(text) if text.strip() else "-" for text in texts],
            "encoding_format": "float",
        }
        try:
            vectors = _vectors_in(self._connection.post(body))
            if vectors is None or len(vectors) != len(texts):
                lacks = f"a vector for each of {len(texts)} texts"
                raise Fault.unreadable(self._connection.asked, "", lacks)
        except Fault as fault:
            raise fault.error from fault.__cause__
        return vectors


def _vectors_in(document: object) -> list[list[float]] | None:
    """The vectors of an answer in the order of the texts; None if it holds none."""
    entries = document.get("data") if isinstance(document, Mapping) else None
    if not isinstance(entries, list) or not entries:
        return None
    vectors: dict[int, list[float]] = {}
    for place, entry in enumerate(entries):
        vector = entry.get("embedding") if isinstance(entry, Mapping) else None
        if not isinstance(vector, list) or not all(isinstance(n, int | float) for n in vector):
            return None
        index = entry.get("index")
        vectors[index if isinstance(index, int) else place] = vector
    return [vectors[index] for index in sorted(vectors)]


_EMBEDDINGS = Endpoint(
    "/embeddings",
    "vectors",
    lambda client: client.embeddings,
    lambda document: _vectors_in(document) is not None,
)
