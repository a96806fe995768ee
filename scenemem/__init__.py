"""scenemem: episodic memory for LLM agents, in one SQLite file.

What was said becomes typed *cells*, cells gather in named *scenes* with summaries, and both are
recalled by full text, with no key and no server:

    from scenemem import MemoryDB, MemoryManager, WorkerAgent, recall

    db = MemoryDB("agent.db")
    memory = MemoryManager(db)
    memory.update("I moved to Oslo in May and I'm vegetarian.", "Noted!")
    print(recall(db, "where should we eat?").render(budget=300))

Everything named here is loaded when it is first used; importing the package reads nothing and
makes nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenemem.agent.agent import WorkerAgent
    from scenemem.agent.compaction import HistoryCompactor
    from scenemem.agent.function_tool import ToolContext, ToolRefusal
    from scenemem.agent.tools import ForgetRequest, MemoryTools
    from scenemem.base.errors import (
        DatabaseError,
        ExtractionError,
        ImportFormatError,
        ModelError,
        ModelRequestError,
        ModelUnavailableError,
        NotFoundError,
        PromptTooLongError,
        SceneMemError,
        SchemaVersionError,
    )
    from scenemem.base.locations import agent_path
    from scenemem.base.records import (
        CELL_TYPES,
        Cell,
        CellDraft,
        Change,
        Compaction,
        Exchange,
        Extracted,
        Fact,
        Forgotten,
        Message,
        MessageDraft,
        Note,
        Scene,
        Session,
        Source,
        Status,
        Update,
    )
    from scenemem.engines.engine import Economy, Engine, Extraction, Prompt, Reply, SceneSummary
    from scenemem.engines.openai.chat import ChatModel, OpenAIChat
    from scenemem.engines.openai.embedder import ServerEmbedder
    from scenemem.engines.openai.engine import ModelEngine
    from scenemem.engines.rules import EmbeddedEngine
    from scenemem.memory.ingestion import Ingested, ingest_file
    from scenemem.memory.manager import MemoryManager
    from scenemem.memory.memory_db import MemoryDB
    from scenemem.memory.session_store import SessionStore
    from scenemem.retrieval.embedding import CallableEmbedder, Embedder, StaticEmbedder
    from scenemem.retrieval.recollection import Hit, RecalledScene, Recollection, arecall, recall

__version__ = "0.1.0"

_HOME = {
    "agent.agent": ("WorkerAgent",),
    "engines.openai.chat": ("ChatModel", "OpenAIChat"),
    "agent.compaction": ("HistoryCompactor",),
    "engines.rules": ("EmbeddedEngine",),
    "retrieval.embedding": ("CallableEmbedder", "Embedder", "StaticEmbedder"),
    "engines.engine": ("Economy", "Engine", "Extraction", "Prompt", "Reply", "SceneSummary"),
    "base.errors": (
        "DatabaseError",
        "ExtractionError",
        "ImportFormatError",
        "ModelError",
        "ModelRequestError",
        "ModelUnavailableError",
        "NotFoundError",
        "PromptTooLongError",
        "SceneMemError",
        "SchemaVersionError",
    ),
    "agent.function_tool": ("ToolContext", "ToolRefusal"),
    "memory.ingestion": ("Ingested", "ingest_file"),
    "base.locations": ("agent_path",),
    "memory.manager": ("MemoryManager",),
    "memory.memory_db": ("MemoryDB",),
    "engines.openai.engine": ("ModelEngine",),
    "retrieval.recollection": ("Hit", "RecalledScene", "Recollection", "arecall", "recall"),
    "base.records": (
        "CELL_TYPES",
        "Cell",
        "CellDraft",
        "Change",
        "Compaction",
        "Exchange",
        "Extracted",
        "Fact",
        "Forgotten",
        "Message",
        "MessageDraft",
        "Note",
        "Scene",
        "Session",
        "Source",
        "Status",
        "Update",
    ),
    "engines.openai.embedder": ("ServerEmbedder",),
    "memory.session_store": ("SessionStore",),
    "agent.tools": ("ForgetRequest", "MemoryTools"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "CELL_TYPES",
    "CallableEmbedder",
    "Cell",
    "CellDraft",
    "Change",
    "ChatModel",
    "Compaction",
    "DatabaseError",
    "Economy",
    "EmbeddedEngine",
    "Embedder",
    "Engine",
    "Exchange",
    "Extracted",
    "Extraction",
    "ExtractionError",
    "Fact",
    "ForgetRequest",
    "Forgotten",
    "HistoryCompactor",
    "Hit",
    "ImportFormatError",
    "Ingested",
    "MemoryDB",
    "MemoryManager",
    "MemoryTools",
    "Message",
    "MessageDraft",
    "ModelEngine",
    "ModelError",
    "ModelRequestError",
    "ModelUnavailableError",
    "NotFoundError",
    "Note",
    "OpenAIChat",
    "Prompt",
    "PromptTooLongError",
    "RecalledScene",
    "Recollection",
    "Reply",
    "Scene",
    "SceneMemError",
    "SceneSummary",
    "SchemaVersionError",
    "ServerEmbedder",
    "Session",
    "SessionStore",
    "Source",
    "StaticEmbedder",
    "Status",
    "ToolContext",
    "ToolRefusal",
    "Update",
    "WorkerAgent",
    "agent_path",
    "arecall",
    "ingest_file",
    "recall",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'scenemem' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"scenemem.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
