"""WorkerAgent: answers from recalled memory; its manager maintains the memory itself.

In one turn, the agent stores the user's message, recalls scenes, builds one system message from
them and from the session's notebook, and lets the engine reply, calling tools on the way. It then
stores the reply, has the exchange extracted, and compacts the session if it has grown long. The
reply is delivered even if everything after it fails; the exchange then stays pending.

Tools are called in a loop: ask the engine, run the calls it makes, and ask again until it answers.
Each step is stored in one piece, the calls with all their results, so that the history is always
valid. After the last step, the engine is asked once more without tools.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from scenemem.agent.compaction import HistoryCompactor
from scenemem.agent.function_tool import ToolContext
from scenemem.agent.prompt import SessionNotes, build_prompt, verbatim_tail
from scenemem.agent.tools import FORGOTTEN, MayForget, MemoryTools
from scenemem.base.checks import datetime_given, int_given, memory_given, object_given, str_given
from scenemem.base.errors import ModelError, SceneMemError
from scenemem.base.records import Message, MessageDraft, now_utc
from scenemem.base.text import clean
from scenemem.engines.engine import Engine, Prompt, Reply, stream_reply
from scenemem.memory.manager import DEFAULT_SESSION, MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.session_only import OwnWord, own_sentences, own_words, without_sentences
from scenemem.retrieval.recall import recall

__all__ = ["DEFAULT_PERSONA", "ToolLoop", "WorkerAgent", "build_prompt"]

DEFAULT_PERSONA = (
    "You are a helpful assistant with a long memory. Answer from the memory below where it helps, "
    "and say so when it does not hold the answer."
)
_TAIL = 400  # messages from which a prompt's tail is chosen
_NOTES = 50
_LONGEST_WAIT = 60.0  # seconds that a repeated turn waits for the first attempt's answer
_SYSTEM = 20  # system messages from the session's history in a prompt
_log = logging.getLogger("scenemem")
_Function = TypeVar("_Function", bound=Callable[..., Any])
SINCE_FORGOTTEN = "what was found has been forgotten since"
Store = Callable[[Sequence[MessageDraft]], tuple[Message, ...]]


class _Turn(NamedTuple):
    """A started turn: its prompt, or its reply if it was answered already."""

    id: int
    session: str
    at: datetime
    prompt: Prompt | None = None
    reply: str = ""


class WorkerAgent:
    """Answers from recalled scenes, calls tools, and remembers each exchange.

    `persona` opens the system message; `recall_budget` is the number of tokens for recalled memory.
    `tools` defaults to the memory's own tools; `may_forget` is called before the forget tool
    removes anything (without it, forgetting is refused). At most `max_steps` replies per turn may
    call tools. `compactor` shortens long sessions; by default it uses the manager's engine.
    """

    def __init__(
        self,
        db: MemoryDB,
        manager: MemoryManager | None = None,
        *,
        persona: str = DEFAULT_PERSONA,
        recall_budget: int = 1000,
        tools: MemoryTools | None = None,
        may_forget: MayForget | None = None,
        max_steps: int = 5,
        compactor: HistoryCompactor | None = None,
    ) -> None:
        memory_given(db)
        if manager is not None:
            object_given("manager", manager, "a MemoryManager", "digest", "take_in")
        if tools is not None:
            object_given("tools", tools, "MemoryTools", "add", "call")
        if compactor is not None:
            object_given("compactor", compactor, "a HistoryCompactor", "maybe_compact")
        if tools is not None and may_forget is not None:
            raise ValueError("pass may_forget to MemoryTools when you pass your own tools")
        self.db = db
        self.manager = MemoryManager(db) if manager is None else manager
        self.persona = str_given("persona", persona)
        self.recall_budget = int_given("recall_budget", recall_budget, 1)
        self.tools = MemoryTools(self.manager, may_forget=may_forget) if tools is None else tools
        self.max_steps = int_given("max_steps", max_steps)
        self.compactor = compactor or HistoryCompactor(
            db, self.manager.engine, fallback=self.manager.fallback
        )
        # One lock per turn, kept as long as someone holds it or waits for it.
        self._under_way: WeakValueDictionary[tuple[str, str], threading.Lock] = (
            WeakValueDictionary()
        )
        self._guard = threading.Lock()  # for that dictionary

    def tool(self, function: _Function) -> _Function:
        """Let the model call `function`. Can be used as a decorator.

        The function's name, docstring and annotations tell the model what it does and takes; the
        model gets its result as text. Arguments are validated before the call, and if the function
        raises, the model gets the error. A parameter of type `ToolContext` receives the session.
        """
        self.tools.add(function)
        return function

    # -- answering ---------------------------------------------------------------------------

    def agent_step(self, user_input: str, session: str) -> str:
        """One step of a conversation: all that a user interface needs; see `answer`."""
        return self.answer(user_input, session)

    def answer(
        self,
        user_input: str,
        session: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> str:
        """Reply to `user_input` and remember the exchange.

        If the session already has a turn with this `external_id`, it is not stored again, and its
        reply is returned if there is one. Raises `ModelError` if the engine can't reply; the user's
        message is stored even then.
        """
        return _result(self._run(user_input, session, at, external_id, stream=False)).text

    def answer_stream(
        self,
        user_input: str,
        session: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> Generator[str, None, None]:
        """Yield the reply piece by piece; store and remember it after the last piece.

        This includes what the model says before it calls tools. If the stream breaks, the text so
        far is stored as the reply and a warning is logged. Raises `ModelError` if nothing arrived
        at all.
        """
        yield from self._run(user_input, session, at, external_id, stream=True)

    async def aanswer(
        self,
        user_input: str,
        session: str = DEFAULT_SESSION,
        *,
        at: datetime | None = None,
        external_id: str | None = None,
    ) -> str:
        """`answer` in a separate thread, so that it does not block the event loop."""
        import asyncio

        return await asyncio.to_thread(
            self.answer, user_input, session, at=at, external_id=external_id
        )

    # -- one turn ----------------------------------------------------------------------------

    def _run(
        self,
        user_input: str,
        session: str,
        at: datetime | None,
        external_id: str | None,
        *,
        stream: bool,
    ) -> Generator[str, None, Reply]:
        str_given("user_input", user_input)
        str_given("session", session)
        at = None if at is None else datetime_given("at", at)
        if external_id is not None:
            external_id = str_given("external_id", external_id)
        with self._alone(session, external_id):
            turn = self._begin(user_input, session, at, external_id)
            if turn.prompt is None:
                if stream:
                    yield turn.reply
                return Reply(turn.reply)
            return (yield from self._reply(turn, turn.prompt, stream))

    @contextmanager
    def _alone(self, session: str, external_id: str | None) -> Iterator[None]:
        """Make a turn that is sent again wait until the first attempt has been answered."""
        if external_id is None:
            yield
            return
        with self._guard:
            lock = self._under_way.setdefault((session, external_id), threading.Lock())
        held = lock.acquire(timeout=_LONGEST_WAIT)  # an abandoned stream may hold it
        try:
            yield
        finally:
            if held:
                lock.release()
            else:
                with self._guard:  # so that no one else waits that long for it
                    if self._under_way.get((session, external_id)) is lock:
                        del self._under_way[session, external_id]

    def _reply(self, turn: _Turn, prompt: Prompt, stream: bool) -> Generator[str, None, Reply]:
        loop = ToolLoop(
            self.manager.engine,
            self.tools,
            ToolContext(turn.session, turn.id),
            lambda drafts: self._store(turn, drafts),
            self.max_steps,
        )
        reply, broken = None, "the reader stopped"
        try:
            reply = yield from loop.run(prompt, stream=stream)
            return reply
        except ModelError as error:
            broken = str(error)
            raise
        finally:
            # Even if the reader stops early: what was shown was said.
            if reply is not None or loop.shown:
                self._finish(turn, prompt, reply or Reply(loop.shown, broken=broken))
            else:
                self.db.sessions.close_turn(turn.id)  # no answer will come

    def _begin(
        self, user_input: str, session: str, at: datetime | None, external_id: str | None
    ) -> _Turn:
        """Store the question and build the prompt, unless the turn was answered already."""
        sessions = self.db.sessions
        at = at or now_utc()
        own = own_sentences(user_input)
        recallable = without_sentences(user_input, own) if own else None
        question = MessageDraft("user", user_input, at=at, recallable=recallable)
        turn, is_new = sessions.open_turn(session, question, external_id=external_id)
        messages = sessions.list_messages(turn=turn)
        last = messages[-1]
        if not is_new and last.role == "assistant" and not last.tool_calls:
            return _Turn(turn, session, at, reply=last.content)
        notes, tail = self._session(session, turn)
        prompt = build_prompt(
            self.persona,
            recall(self.db, user_input, now=at, without_turn=turn),
            [*tail, *messages],
            notes=notes,
            budget=self.recall_budget,
        )
        return _Turn(turn, session, at, replace(prompt, own=tuple(own)))

    def _session(self, session: str, turn: int) -> tuple[SessionNotes, list[Message]]:
        """The session's notes, and its last messages except those of `turn`."""
        sessions = self.db.sessions
        summary, through = sessions.get_summary(session)
        notes = SessionNotes(
            session,
            summary,
            tuple(self.db.notebook.list_facts(session)),
            tuple(self.db.notebook.list_notes(session, last=_NOTES)),
            self.db.notebook.list_globals(),
        )
        first_words = {
            m.content: m
            for m in sessions.list_messages(session, role="system", last=True, limit=_SYSTEM)
            if not m.echo  # echoes were imported from a file, so the app did not write them
        }
        since = sessions.list_messages(session, after=through, last=True, limit=_TAIL)
        said = [m for m in since if m.turn != turn and m.role != "system"]
        tail = verbatim_tail(said, self.manager.engine.economy.history_tokens)
        return notes, [*first_words.values(), *tail]

    def _store(self, turn: _Turn, drafts: Sequence[MessageDraft]) -> tuple[Message, ...]:
        return self.db.sessions.append_to_turn(turn.id, [d._replace(at=turn.at) for d in drafts])

    def _finish(self, turn: _Turn, prompt: Prompt, reply: Reply) -> None:
        """Store the reply and remember the exchange; failures are logged, not raised."""
        if reply.broken:
            _log.warning("the reply to turn %d was cut off: %s", turn.id, reply.broken)
        try:
            self._store_reply(turn, reply)
            self.db.cells.note_recalled(hit.cell.id for hit in prompt.recalled if hit.cell)
            self.manager.digest(turn.id)
            self.compactor.maybe_compact(turn.session)
        except SceneMemError as error:
            _log.warning("turn %d was answered but not yet remembered: %s", turn.id, error)
        except Exception:
            # A custom engine may raise anything; the reply exists and is delivered.
            _log.exception("turn %d was answered but not yet remembered", turn.id)

    def _store_reply(self, turn: _Turn, reply: Reply) -> None:
        """Store the reply, with what only this session may see hidden from the others."""
        sessions = self.db.sessions
        messages = sessions.list_messages(turn=turn.id)
        has_forgotten = any(m.role == "tool" and m.content.startswith(FORGOTTEN) for m in messages)
        own = self._own_words(turn.session)
        recallable = (
            "" if has_forgotten else without_sentences(reply.text, (), own) if own else None
        )
        echo = self.manager.engine.quotes_memory
        draft = MessageDraft("assistant", reply.text, echo=echo, recallable=recallable)
        with self.db.transaction():
            if has_forgotten:  # the user's message contains it too
                sessions.withhold_messages(m.id for m in messages)
            self._store(turn, [draft])
            sessions.close_turn(turn.id)

    def _own_words(self, session: str) -> list[OwnWord]:
        """The notebook values that only this session may see."""
        sessions = self.db.sessions
        withheld = sessions.list_withheld(session)
        if not withheld:
            return []
        written = [(f.key, f.value) for f in self.db.notebook.list_facts(session)]
        written += [("", note.note) for note in self.db.notebook.list_notes(session, last=_NOTES)]
        return own_words(written, withheld)


def _result(run: Generator[str, None, Reply]) -> Reply:
    """Run to the end, ignore the pieces, and return the reply."""
    while True:
        try:
            next(run)
        except StopIteration as end:
            reply: Reply = end.value
            return reply


class ToolLoop:
    """The steps of one turn. `shown` is the text of the current step delivered so far."""

    def __init__(
        self,
        engine: Engine,
        tools: MemoryTools,
        context: ToolContext,
        store: Store,
        max_steps: int,
    ) -> None:
        self._engine = engine
        self._tools = tools
        self._context = context
        self._store = store
        self._max_steps = max_steps
        self._begun = 0
        self.shown = ""

    def run(self, prompt: Prompt, *, stream: bool) -> Generator[str, None, Reply]:
        """Yield pieces of text as they arrive (when streaming); return the last reply.

        Raises `ModelError` if the engine fails, or if it only calls tools until the last step.
        """
        # A retried turn already has steps in its history.
        self._begun = sum(bool(m.tool_calls) for m in prompt.messages)
        for step in range(self._max_steps):
            reply = yield from self._ask(prompt, self._tools.specs, stream)
            if not reply.tool_calls:
                return reply
            stored = self._call_tools(step, reply)
            self.shown = ""  # stored now
            prompt = replace(prompt, messages=(*prompt.messages, *stored))
            if stream and reply.text:
                yield "\n\n"
        reply = yield from self._ask(prompt, (), stream)
        if not reply.text:
            raise ModelError(
                f"the model {self._engine.name!r} gave no answer after {self._max_steps} steps "
                "with tools; raise max_steps, or ask for less at once"
            )
        return replace(reply, tool_calls=())

    def _ask(
        self, prompt: Prompt, tools: Sequence[dict[str, Any]], stream: bool
    ) -> Generator[str, None, Reply]:
        self.shown = ""
        if not stream:
            return self._engine.reply(prompt, tools)
        with closing(stream_reply(self._engine, prompt, tools)) as pieces:
            for piece in pieces:
                if isinstance(piece, Reply):
                    return piece
                if piece:
                    self.shown += piece
                    yield piece
        raise ModelError(f"the stream of model {self._engine.name!r} ended without a reply")

    def _call_tools(self, step: int, reply: Reply) -> tuple[Message, ...]:
        """Run a reply's tool calls in order, and store the calls with their results."""
        calls = _with_ids(reply.tool_calls, f"call_{self._context.turn}_{self._begun + step}")
        texts = [self._call(call) for call in calls]
        if any(text.startswith(FORGOTTEN) for text in texts):
            # Another call in this step may have found what is now forgotten.
            texts = [
                SINCE_FORGOTTEN if call["function"]["name"] == "search_memory" else text
                for call, text in zip(calls, texts, strict=True)
            ]
        results = [
            MessageDraft("tool", text, tool_call_id=call["id"])
            for call, text in zip(calls, texts, strict=True)
        ]
        asked = MessageDraft("assistant", reply.text, tool_calls=tuple(map(_storable, calls)))
        return self._store([asked, *results])

    def _call(self, call: dict[str, Any]) -> str:
        function = call["function"]
        return self._tools.call(function["name"], function["arguments"], self._context)


def _with_ids(calls: Sequence[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """The calls with unique ids, since some servers send none or repeat one."""
    taken: set[str] = set()
    named = []
    for number, call in enumerate(calls):
        call_id = call.get("id") or ""
        if not call_id or call_id in taken:
            call_id = f"{prefix}_{number}"
        taken.add(call_id)
        named.append(call | {"id": call_id})
    return named


def _storable(call: dict[str, Any]) -> dict[str, Any]:
    """The call in a form that can be stored: servers reject arguments that are not an object.

    Escaped characters are written out, so that forgetting finds them.
    """
    function = call["function"]
    arguments = function["arguments"] or "{}"
    try:
        read = json.loads(arguments)
        if not isinstance(read, dict):
            arguments = "{}"
        elif "\\u" in arguments:
            arguments = clean(json.dumps(read, ensure_ascii=False))
    except (ValueError, RecursionError):
        arguments = "{}"
    return call | {"function": function | {"arguments": arguments}}
