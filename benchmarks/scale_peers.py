"""What recall at size is compared with: FTS5 by hand, and tantivy and chroma if installed."""

from __future__ import annotations

import importlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from latency import RAW_QUERY, RAW_SCHEMA

from scenemem.base.stopwords import english_stopwords
from scenemem.base.text import words

__all__ = ["PEERS", "Peer"]

BEST = 10
CHROMA_HOLDS = 10_000  # filling it with more takes too long


class Peer(Protocol):
    """Another store of the same texts."""

    def fill(self, texts: Sequence[str]) -> float:
        """Store the texts; return the CPU seconds it took, or 0.0 if they were there already."""

    def search(self, question: str) -> object:
        """The best ten for a question, as typed."""

    def close(self) -> None: ...


class _PlainFts5:
    """An external-content table with triggers, in WAL mode; searches all or content words."""

    def __init__(self, path: Path, *, content_words: bool = False) -> None:
        self._filled = path.exists()
        self._content_words = content_words
        self._connection = sqlite3.connect(path, isolation_level=None)

    def fill(self, texts: Sequence[str]) -> float:
        if self._filled:
            return 0.0
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(RAW_SCHEMA)
        start = time.process_time()
        for first in range(0, len(texts), 1_000):
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "INSERT INTO cells (content) VALUES (?)",
                ((text,) for text in texts[first : first + 1_000]),
            )
            self._connection.execute("COMMIT")
        return time.process_time() - start

    def search(self, question: str) -> object:
        asked = words(question.lower())
        if self._content_words:
            asked = [word for word in asked if word not in english_stopwords()] or asked
        expression = " OR ".join(f'"{word}"' for word in asked)
        return self._connection.execute(RAW_QUERY, (expression,)).fetchall()

    def close(self) -> None:
        self._connection.close()


class _Tantivy:
    """tantivy's full-text index with its English stemmer."""

    def __init__(self, tantivy: Any, path: Path) -> None:
        self._filled = path.exists()
        path.mkdir(exist_ok=True)
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("content", stored=True, tokenizer_name="en_stem")
        self._tantivy = tantivy
        self._index = tantivy.Index(builder.build(), path=str(path))

    def fill(self, texts: Sequence[str]) -> float:
        if self._filled:
            return 0.0
        start = time.process_time()
        writer = self._index.writer(num_threads=1)
        for text in texts:
            writer.add_document(self._tantivy.Document(content=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        return time.process_time() - start

    def search(self, question: str) -> object:
        query = self._index.parse_query(" ".join(words(question.lower())), ["content"])
        searcher = self._index.searcher()
        return [searcher.doc(address) for _, address in searcher.search(query, BEST).hits]

    def close(self) -> None:
        self._index = None


class _Chroma:
    """chroma's approximate nearest neighbours, over vectors of hashed words (64 numbers)."""

    def __init__(self, chromadb: Any, path: Path) -> None:
        self._filled = path.exists()
        self._client = chromadb.PersistentClient(
            str(path), chromadb.config.Settings(anonymized_telemetry=False)
        )
        self._cells = self._client.get_or_create_collection("cells", embedding_function=None)

    @staticmethod
    def _vector(text: str) -> list[float]:
        vector = [0.0] * 64
        for word in words(text.lower()):
            vector[zlib.crc32(word.encode()) % 64] += 1.0
        return vector

    def fill(self, texts: Sequence[str]) -> float:
        if self._filled:
            return 0.0
        start = time.process_time()
        for first in range(0, len(texts), 1_000):
            batch = list(texts[first : first + 1_000])
            self._cells.add(
                ids=[str(first + place) for place in range(len(batch))],
                embeddings=[self._vector(text) for text in batch],
                documents=batch,
            )
            if first + 1_000 >= CHROMA_HOLDS:
                break
        return time.process_time() - start

    def search(self, question: str) -> object:
        return self._cells.query(query_embeddings=[self._vector(question)], n_results=BEST)

    def close(self) -> None:
        self._client = None


def _installed(name: str) -> Any | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _content_words(path: Path) -> Peer:
    return _PlainFts5(
        path.with_name(path.name.replace("content words", "FTS5")), content_words=True
    )


def _tantivy(path: Path) -> Peer | None:
    module = _installed("tantivy")
    return _Tantivy(module, path) if module else None


def _chroma(path: Path) -> Peer | None:
    module = _installed("chromadb")
    if module is None or int(path.name.rpartition("-")[2]) > CHROMA_HOLDS:
        return None
    return _Chroma(module, path)


PEERS: dict[str, Callable[[Path], Peer | None]] = {
    "FTS5": _PlainFts5,
    "content words": _content_words,
    "tantivy": _tantivy,
    "chroma": _chroma,
}
