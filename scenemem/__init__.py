"""scenemem: episodic memory for LLM agents, in one SQLite file.

It turns conversations into typed *cells*, groups the cells into named *scenes* with summaries, and
recalls both by full text, without a key or a server:

    from scenemem import MemoryDB, MemoryManager, WorkerAgent, recall

    db = MemoryDB("agent.db")
    memory = MemoryManager(db)
    memory.update("I moved to Oslo in May and I'm vegetarian.", "Noted!")
    print(recall(db, "where should we eat?").render(budget=300))

Each public name is loaded when it is first used; importing the package reads and creates nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenemem.agent.agent import WorkerAgent
    from scenemem.agent.compaction import CompactionPlan, HistoryCompactor
    from scenemem.agent.function_tool import ToolContext, ToolRefusal
    from scenemem.agent.tools import ForgetRequest, MayForget, MemoryTools
    from scenemem.base.cell_types import CELL_TYPES, CellType
    from scenemem.base.errors import (
        DatabaseError,
        ExtractionError,
        ImportFormatError,
        MissingExtraError,
        ModelError,
        ModelRequestError,
        ModelUnavailableError,
        NotFoundError,
        PromptTooLongError,
        SceneMemError,
        SchemaVersionError,
    )
    from scenemem.base.locations import agent_path
    from scenemem.base.outcomes import (
        Change,
        Extracted,
        Forgotten,
        Outcome,
        Status,
        Update,
        UsageRecord,
        UsageTotal,
        UsageTotals,
    )
    from scenemem.base.records import Cell, CellDraft, Message, MessageDraft, Role, Scene, Source
    from scenemem.base.session_records import (
        Appended,
        Compaction,
        Exchange,
        Fact,
        FactScope,
        Note,
        Session,
        Turn,
        TurnState,
    )
    from scenemem.engines.engine import (
        Economy,
        Engine,
        Extraction,
        MemoryView,
        MeteredEngine,
        PlainReader,
        Prompt,
        Recalled,
        Reply,
        SceneMerger,
        SceneSummary,
        StreamingEngine,
        UsageListener,
    )
    from scenemem.engines.openai.chat import (
        ChatModel,
        Completion,
        OpenAIChat,
        StreamingChatModel,
        Tokens,
    )
    from scenemem.engines.openai.embedder import ServerEmbedder
    from scenemem.engines.openai.engine import ModelEngine, Purpose, Usage
    from scenemem.engines.rules import EmbeddedEngine
    from scenemem.memory.importing import BadLine
    from scenemem.memory.ingestion import Ingested, ingest_file
    from scenemem.memory.manager import MemoryManager
    from scenemem.memory.memory_db import MemoryDB
    from scenemem.memory.notebook_changes import CounterOp
    from scenemem.memory.session_store import ImportedStore, SessionStore
    from scenemem.retrieval.embedding import CallableEmbedder, Embedder, StaticEmbedder
    from scenemem.retrieval.question import Question
    from scenemem.retrieval.recall import Memory, arecall, recall
    from scenemem.retrieval.recollection import Hit, RecalledScene, Recollection
    from scenemem.retrieval.weights import Weights
    from scenemem.store.evidence import Evidence, Item, Kind, Scope
    from scenemem.store.protocol import Cells, Log, Notebook, Scenes, Sessions, Store, Vectors
    from scenemem.store.records import Kept, PastCell, PastMessage, PastTurn, Spoken
    from scenemem.store.sought import Sought

__version__ = "0.1.0"

_HOME = {
    "agent.agent": ("WorkerAgent",),
    "agent.compaction": (
        "CompactionPlan",
        "HistoryCompactor",
    ),
    "agent.function_tool": (
        "ToolContext",
        "ToolRefusal",
    ),
    "agent.tools": (
        "ForgetRequest",
        "MayForget",
        "MemoryTools",
    ),
    "base.errors": (
        "DatabaseError",
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
    ),
    "base.locations": ("agent_path",),
    "base.session_records": (
        "Appended",
        "Compaction",
        "Exchange",
        "Fact",
        "FactScope",
        "Note",
        "Session",
        "Turn",
        "TurnState",
    ),
    "base.cell_types": ("CELL_TYPES", "CellType"),
    "base.records": (
        "Cell",
        "CellDraft",
        "Message",
        "MessageDraft",
        "Role",
        "Scene",
        "Source",
    ),
    "base.outcomes": (
        "Change",
        "Extracted",
        "Forgotten",
        "Outcome",
        "Status",
        "Update",
        "UsageRecord",
        "UsageTotal",
        "UsageTotals",
    ),
    "engines.engine": (
        "Economy",
        "Engine",
        "Extraction",
        "MemoryView",
        "MeteredEngine",
        "PlainReader",
        "Prompt",
        "Recalled",
        "Reply",
        "SceneMerger",
        "SceneSummary",
        "StreamingEngine",
        "UsageListener",
    ),
    "engines.openai.chat": (
        "ChatModel",
        "Completion",
        "OpenAIChat",
        "StreamingChatModel",
        "Tokens",
    ),
    "engines.openai.embedder": ("ServerEmbedder",),
    "engines.openai.engine": (
        "ModelEngine",
        "Purpose",
        "Usage",
    ),
    "engines.rules": ("EmbeddedEngine",),
    "memory.importing": ("BadLine",),
    "memory.ingestion": (
        "Ingested",
        "ingest_file",
    ),
    "memory.manager": ("MemoryManager",),
    "memory.memory_db": ("MemoryDB",),
    "memory.notebook_changes": ("CounterOp",),
    "memory.session_store": (
        "ImportedStore",
        "SessionStore",
    ),
    "retrieval.embedding": (
        "CallableEmbedder",
        "Embedder",
        "StaticEmbedder",
    ),
    "retrieval.question": ("Question",),
    "retrieval.recall": ("Memory", "arecall", "recall"),
    "retrieval.recollection": ("Hit", "RecalledScene", "Recollection"),
    "retrieval.weights": ("Weights",),
    "store.evidence": (
        "Evidence",
        "Item",
        "Kind",
        "Scope",
    ),
    "store.protocol": (
        "Cells",
        "Log",
        "Notebook",
        "Scenes",
        "Sessions",
        "Store",
        "Vectors",
    ),
    "store.records": (
        "Kept",
        "PastCell",
        "PastMessage",
        "PastTurn",
        "Spoken",
    ),
    "store.sought": ("Sought",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "CELL_TYPES",
    "Appended",
    "BadLine",
    "CallableEmbedder",
    "Cell",
    "CellDraft",
    "CellType",
    "Cells",
    "Change",
    "ChatModel",
    "Compaction",
    "CompactionPlan",
    "Completion",
    "CounterOp",
    "DatabaseError",
    "Economy",
    "EmbeddedEngine",
    "Embedder",
    "Engine",
    "Evidence",
    "Exchange",
    "Extracted",
    "Extraction",
    "ExtractionError",
    "Fact",
    "FactScope",
    "ForgetRequest",
    "Forgotten",
    "HistoryCompactor",
    "Hit",
    "ImportFormatError",
    "ImportedStore",
    "Ingested",
    "Item",
    "Kept",
    "Kind",
    "Log",
    "MayForget",
    "Memory",
    "MemoryDB",
    "MemoryManager",
    "MemoryTools",
    "MemoryView",
    "Message",
    "MessageDraft",
    "MeteredEngine",
    "MissingExtraError",
    "ModelEngine",
    "ModelError",
    "ModelRequestError",
    "ModelUnavailableError",
    "NotFoundError",
    "Note",
    "Notebook",
    "OpenAIChat",
    "Outcome",
    "PastCell",
    "PastMessage",
    "PastTurn",
    "PlainReader",
    "Prompt",
    "PromptTooLongError",
    "Purpose",
    "Question",
    "Recalled",
    "RecalledScene",
    "Recollection",
    "Reply",
    "Role",
    "Scene",
    "SceneMemError",
    "SceneMerger",
    "SceneSummary",
    "Scenes",
    "SchemaVersionError",
    "Scope",
    "ServerEmbedder",
    "Session",
    "SessionStore",
    "Sessions",
    "Sought",
    "Source",
    "Spoken",
    "StaticEmbedder",
    "Status",
    "Store",
    "StreamingChatModel",
    "StreamingEngine",
    "Tokens",
    "ToolContext",
    "ToolRefusal",
    "Turn",
    "TurnState",
    "Update",
    "Usage",
    "UsageListener",
    "UsageRecord",
    "UsageTotal",
    "UsageTotals",
    "Vectors",
    "Weights",
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
