"""WorkerAgent: answers from what it recalls; the memory itself is its manager's business.

One turn: the user's message is stored; scenes are recalled; one system message is built from them;
the engine replies; the reply is stored; the exchange is extracted. The reply is delivered even if
all that follows it fails: the exchange then stays pending.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime

from scenemem.engine import Prompt, Reply, stream_reply
from scenemem.errors import ModelError, SceneMemError
from scenemem.manager import DEFAULT_SESSION, MemoryManager
from scenemem.memory_db import MemoryDB
from scenemem.recollection import Recollection, recall
from scenemem.records import Message, MessageDraft, now_utc

__all__ = ["DEFAULT_PERSONA", "WorkerAgent", "build_prompt"]

DEFAULT_PERSONA = (
    "You are a helpful assistant with a long memory. Answer from the memory below where it helps, "
    "and say so when it does not hold the answer."
)
_log = logging.getLogger("scenemem")


def build_prompt(
    persona: str, recollection: Recollection, messages: tuple[Message, ...], *, budget: int = 1000
) -> Prompt:
    """The prompt of one turn: one system message, then the messages, the user's new one last.

    Pure. The system message holds the persona, today's date and the recalled scenes within
    `budget` tokens, as data that can't be taken for instructions.
    """
    now = messages[-1].at
    parts = [persona, f"Today is {now:%A} {now.day} {now:%B %Y}.", recollection.render(budget)]
    return Prompt(
        system="\n\n".join(part for part in parts if part),
        messages=messages,
        recalled=recollection.hits,
        now=now,
    )


class WorkerAgent:
    """Answers from recalled scenes, and has each exchange remembered.

    `persona` opens the system message; `recall_budget` bounds, in tokens, what is recalled into it.
    """

    def __init__(
        self,
        db: MemoryDB,
        manager: MemoryManager | None = None,
        *,
        persona: str = DEFAULT_PERSONA,
        recall_budget: int = 1000,
    ) -> None:
        self.db = db
        self.manager = manager or MemoryManager(db)
        self.persona = persona
        self.recall_budget = recall_budget

    def answer(
        self,
        user_input: str,
        session_id: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> str:
        """The reply to `user_input`; the exchange is remembered.

        A turn whose `external_id` the session has already is not stored again; its reply is
        returned. Raises `ModelError` when the engine can't reply: the user's message is stored
        all the same.
        """
        turn, prompt, earlier = self._begin(user_input, session_id, at, external_id)
        if earlier is not None:
            return earlier
        try:
            reply = self.manager.engine.reply(prompt)
        except BaseException:
            self.db.sessions.close_turn(turn)  # no answer will come: the question waits as it is
            raise
        self._finish(turn, prompt, reply)
        return reply.text

    def answer_stream(
        self,
        user_input: str,
        session_id: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> Iterator[str]:
        """The reply in pieces as they come; stored and remembered when the last has come.

        A stream that breaks keeps what came: it is stored as the reply, with a warning in the log.
        Raises `ModelError` when nothing came at all.
        """
        turn, prompt, earlier = self._begin(user_input, session_id, at, external_id)
        if earlier is not None:
            yield earlier
            return
        shown, reply, broken = "", None, "the reader stopped"
        try:
            with closing(stream_reply(self.manager.engine, prompt)) as pieces:
                for piece in pieces:
                    if isinstance(piece, Reply):
                        reply = piece
                    else:
                        shown += piece
                        yield piece
        except ModelError as error:
            broken = str(error)
            raise
        finally:
            # Also when the reader stops early: what was shown was said.
            if reply is not None or shown:
                self._finish(turn, prompt, reply or Reply(shown, broken=broken))
            else:
                self.db.sessions.close_turn(turn)

    def _begin(
        self, user_input: str, session_id: str, at: datetime | None, external_id: str | None
    ) -> tuple[int, Prompt, str | None]:
        """Store the question and make the prompt; the earlier reply, if the turn was answered."""
        sessions = self.db.sessions
        at = at or now_utc()
        turn, is_new = sessions.open_turn(
            session_id, MessageDraft("user", user_input, at=at), external_id=external_id
        )
        messages = tuple(sessions.list_messages(turn=turn))
        recollection = recall(self.db, user_input, now=at, without_turn=turn)
        prompt = build_prompt(self.persona, recollection, messages[:1], budget=self.recall_budget)
        answered = not is_new and len(messages) > 1
        return turn, prompt, messages[-1].content if answered else None

    def _finish(self, turn: int, prompt: Prompt, reply: Reply) -> None:
        """Store the reply and have the exchange remembered; no failure of that is the caller's."""
        if reply.broken:
            _log.warning("the reply of turn %d ends early: %s", turn, reply.broken)
        engine, at = self.manager.engine, prompt.messages[-1].at
        message = MessageDraft("assistant", reply.text, at=at, echo=engine.quotes_memory)
        try:
            self.db.sessions.append_to_turn(turn, [message])
            self.db.sessions.close_turn(turn)
            self.db.note_recalled(hit.cell.id for hit in prompt.recalled if hit.cell)
            self.manager.digest(turn)
        except SceneMemError as error:
            _log.warning("turn %d is answered, its remembering waits: %s", turn, error)
        except Exception:
            # An engine of somebody's own may raise anything; the reply is made and is delivered.
            _log.exception("turn %d is answered, its remembering waits", turn)

    async def aanswer(
        self,
        user_input: str,
        session_id: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> str:
        """`answer` in a thread of its own, so that an event loop goes on meanwhile."""
        import asyncio

        return await asyncio.to_thread(
            self.answer, user_input, session_id, at=at, external_id=external_id
        )
