"""SessionStore: a memory under the method names of a session store in one JSON file.

For code that keeps its sessions in a `memory_store.json` and moves over: the same calls, the same
shapes, and `import_json_store` to bring the file along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scenemem.base.checks import memory_given, path_given
from scenemem.base.errors import ImportFormatError
from scenemem.base.records import Message
from scenemem.memory.memory_db import MemoryDB

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ImportedStore", "SessionStore"]


class ImportedStore(NamedTuple):
    """What came in from a JSON store; `skipped` messages were here already."""

    sessions: int = 0
    messages: int = 0
    skipped: int = 0
    facts: int = 0
    notes: int = 0
    shared: int = 0


class SessionStore:
    """The sessions of a memory: history, summary, facts and notes of each, globals of all."""

    def __init__(self, db: MemoryDB) -> None:
        memory_given(db)
        self._db = db
        sessions, notebook = db.sessions, db.notebook
        self.ensure_session = sessions.ensure_session
        self.append_history = sessions.append_history
        self.set_summary = sessions.set_summary
        self.add_note = notebook.add_note
        self.remember_fact = notebook.remember_fact
        self.recall_fact = notebook.recall_fact
        self.upsert_global = notebook.upsert_global
        self.get_global = notebook.get_global

    def get(self) -> dict[str, Any]:
        """Everything, as plain JSON values: `{"global": {…}, "sessions": {session: blob}}`."""
        sessions = sorted(self._db.sessions.list_sessions(), key=lambda s: s.created_at)
        return {
            "global": self._db.notebook.list_globals(),
            "sessions": {s.session: self.get_session_blob(s.session) for s in sessions},
        }

    def get_session_blob(self, session: str) -> dict[str, Any] | None:
        """A session as plain JSON values; None when there is none.

        `{"created_at", "short_term": {"notes", "facts"}, "long_term": {"summary", "facts"},
        "history"}`; the history is what the summary does not cover (`list_messages` has it all).
        """
        found = self._db.sessions.get_session(session)
        if found is None:
            return None
        facts = self._db.notebook.list_facts(session)
        tail = self._db.sessions.list_messages(session, after=found.summarized_through)
        return {
            "created_at": found.created_at.isoformat(),
            "short_term": {
                "notes": [note.note for note in self._db.notebook.list_notes(session)],
                "facts": {f.key: f.value for f in facts if f.scope == "short"},
            },
            "long_term": {
                "summary": found.summary,
                "facts": {f.key: f.value for f in facts if f.scope == "long"},
            },
            "history": [_as_chat(message) for message in tail],
        }

    def import_json_store(self, path: str | Path) -> ImportedStore:
        """Take in a `memory_store.json`, in one transaction: what is here already stays as it is.

        Importing it again, or after it has grown, adds what is new; so does `ingest_file`, which
        takes it in just the same, but extracts at once. Here its messages wait for extraction.
        Raises `ImportFormatError` when the file is no such store; nothing is taken in then.
        """
        from pathlib import Path

        from scenemem.memory.importing import ImportedMessage, SavedEntry
        from scenemem.memory.importing.memory_store import parts_of, read_json_store
        from scenemem.memory.importing.registering import SessionRegister
        from scenemem.memory.ingestion import append_messages, changed_at
        from scenemem.memory.restoring import Restoring

        file = Path(path_given("path", path))
        store = read_json_store(file)
        register = SessionRegister(file.stem)
        parts = [part for read in parts_of(store, "the file") for part in register.enter(read)]
        restoring = Restoring(self._db)
        with self._db.transaction():
            restoring.take([part for part in parts if isinstance(part, SavedEntry)])
            said = [part for part in parts if isinstance(part, ImportedMessage)]
            new, skipped = append_messages(self._db, said, changed_at(file))
            restoring.finish()
            if restoring.bad:
                raise ImportFormatError(f"{file} is no session store: {restoring.bad[0]}")
        return ImportedStore(
            sessions=len(store.sessions),
            messages=new,
            skipped=skipped,
            facts=restoring.restored["fact"],
            notes=restoring.restored["note"],
            shared=restoring.restored["global"],
        )


def _as_chat(message: Message) -> dict[str, Any]:
    """A message in the chat API's shape."""
    chat: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.name:
        chat["name"] = message.name
    if message.tool_calls:
        chat["tool_calls"] = list(message.tool_calls)
    if message.tool_call_id:
        chat["tool_call_id"] = message.tool_call_id
    return chat
