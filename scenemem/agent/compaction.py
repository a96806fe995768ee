"""HistoryCompactor: condenses a session's history into its summary, so that prompts stay small.

All but the last messages are condensed, together with the previous summary, into a new one. The
messages themselves stay in the history verbatim. The summary and the pointer to its last message
change in one transaction: a failure changes nothing, and of two compactors running at once only one
succeeds. Anything marked as important is kept even if the engine drops it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from scenemem.agent.prompt import estimate_messages, turn_starts
from scenemem.base.checks import engine_given, int_given, memory_given, reader_given, str_given
from scenemem.base.errors import ModelError, NotFoundError, SceneMemError
from scenemem.base.languages import pattern
from scenemem.base.loss_check import check_loss, count_words, trim_words
from scenemem.base.records import Cell, Message, now_utc
from scenemem.base.secrets import redacted_call, without_secrets
from scenemem.base.session_records import Compaction, Exchange
from scenemem.base.text import estimate_tokens, fingerprint
from scenemem.engines import plain_reader
from scenemem.engines.engine import Engine, PlainReader
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.usage import counting_in

__all__ = [
    "KEPT_WORDS",
    "NOTE_WORDS",
    "CompactionPlan",
    "HistoryCompactor",
    "SessionSummary",
    "choose_cut",
    "is_marked",
    "read_summary",
    "without_heading",
]

NOTE_WORDS = 260  # words in the notes, including the line of what they lost
KEPT_WORDS = 150  # words kept verbatim
RETURNED_WORDS = 60  # words without room there that go back to the notes, at a time
_LONGEST = 60  # words in one kept line
_HEADING = "Kept word for word:"
KEEP_MESSAGES = 6
MAX_TURNS = 18
_AT_ONCE = 4  # one turn condenses at most this many times `max_tokens`
_SALIENT = 0.8  # cells at least this salient are kept verbatim
_log = logging.getLogger("scenemem")


class SessionSummary(NamedTuple):
    """A session's summary: the engine's notes, and the lines kept verbatim, in order."""

    notes: str
    kept: tuple[str, ...] = ()

    def with_kept(
        self, fresh: Iterable[str], is_grave: Callable[[str], bool] = lambda _: False
    ) -> SessionSummary:
        """The summary with more lines to keep, without repeats, within `KEPT_WORDS`.

        If they don't all fit, grave lines come first, then the oldest and the newest alternately,
        so that later lines don't push out early ones and early ones don't shut out later ones.
        Lines without room go to the notes, up to `RETURNED_WORDS`, and are condensed with them.
        """
        lines = {fingerprint(line): line for line in map(_kept_line, (*self.kept, *fresh)) if line}
        every = list(lines.values())
        ends = [n for pair in zip(range(len(every)), _backwards(every), strict=True) for n in pair]
        order = sorted(dict.fromkeys(ends), key=lambda place: not is_grave(every[place]))
        chosen = _fitting(every, order, KEPT_WORDS)
        returned = _fitting(every, [n for n in order if n not in chosen], RETURNED_WORDS)
        notes = [self.notes, *(f"- {every[n]}" for n in sorted(returned))]
        return SessionSummary(
            "\n".join(part for part in notes if part), tuple(every[n] for n in sorted(chosen))
        )

    def render(self) -> str:
        """The summary as it is stored and displayed."""
        if not self.kept:
            return self.notes
        kept = {fingerprint(line) for line in self.kept}
        notes = [line for line in self.notes.splitlines() if fingerprint(line) not in kept]
        return "\n".join([*notes, _HEADING, *(f"- {line}" for line in self.kept)])


def read_summary(text: str) -> SessionSummary:
    """Parse a summary written by `render`; any other text counts as notes."""
    notes, heading, kept = text.rpartition(f"{_HEADING}\n")
    if not heading:
        return SessionSummary(text.strip())
    lines = tuple(line.removeprefix("- ") for line in kept.splitlines() if line.startswith("- "))
    return SessionSummary(notes.strip(), lines)


def is_marked(text: str) -> bool:
    """Whether a statement calls itself important or asks not to be forgotten."""
    return bool(pattern("important").search(text)) and not pattern("unimportant").search(text)


def without_heading(notes: str) -> str:
    """An engine's notes without any line that equals the heading of the verbatim part."""
    return "\n".join(line for line in notes.splitlines() if line.strip() != _HEADING)


def _fitting(lines: Sequence[str], order: Iterable[int], room: int) -> set[int]:
    """The indexes of the lines that fit in `room` words, taken in this order."""
    chosen: set[int] = set()
    for place in order:
        size = count_words(lines[place])
        if size <= room:
            chosen.add(place)
            room -= size
    return chosen


def _kept_line(text: str) -> str:
    return trim_words(" ".join(text.split()), _LONGEST)


def _backwards(lines: Sequence[str]) -> range:
    return range(len(lines) - 1, -1, -1)


class CompactionPlan(NamedTuple):
    """What a compaction would do: the messages to condense and those to keep verbatim."""

    session: str
    condensed: tuple[Message, ...]
    kept: tuple[Message, ...]
    previous: str
    after: int

    @property
    def tokens(self) -> int:
        """The estimated tokens of the messages to condense."""
        return estimate_messages(self.condensed)


def choose_cut(messages: Sequence[Message], keep: int = KEEP_MESSAGES) -> int:
    """The number of messages to condense from the start, so that the last `keep` stay.

    The cut is at the beginning of a turn, so that no question loses its answer and no tool call its
    result. More than `keep` may stay, and 0 means that nothing can be condensed. Pure.
    """
    most = len(messages) - max(keep, 1)
    return max((start for start in turn_starts(messages) if start <= most), default=0)


class HistoryCompactor:
    """Compacts sessions that have grown beyond `max_turns` turns or `max_tokens` tokens.

    At least the last `keep_messages` messages are kept verbatim. `max_tokens` is by default what
    the engine recommends for a session's history (a share of a model's window). `fallback` finds
    what must survive, and condenses if the engine keeps too little; by default it is the engine
    itself if it can do that, otherwise the embedded engine.
    """

    def __init__(
        self,
        db: MemoryDB,
        engine: Engine,
        *,
        max_turns: int = MAX_TURNS,
        max_tokens: int | None = None,
        keep_messages: int = KEEP_MESSAGES,
        fallback: PlainReader | None = None,
    ) -> None:
        memory_given(db)
        if fallback is not None:
            reader_given(fallback)
        engine_given(engine)
        self.db = db
        self.engine = counting_in(db, engine)
        self.max_turns = int_given("max_turns", max_turns, 1)
        self.max_tokens = (
            engine.economy.history_tokens
            if max_tokens is None
            else int_given("max_tokens", max_tokens, 1)
        )
        self.keep_messages = int_given("keep_messages", keep_messages, 1)
        self._fallback = fallback

    def plan(self, session: str) -> CompactionPlan | None:
        """What a compaction would condense now, due or not; None if there is nothing.

        Raises `NotFoundError` if there is no such session.
        """
        if self.db.sessions.get_session(session) is None:
            raise NotFoundError.of("session", session)
        return self._plan(session)

    def maybe_compact(self, session: str) -> Compaction | None:
        """Compact a session if it has grown too long; return what was done, or None.

        If it fails, a warning is logged and nothing changes, so that it can be retried later.
        """
        str_given("session", session)
        try:
            plan = self._plan(session)
            if plan is None or not self._is_due(plan):
                return None
            return self._compact(self._part_for_one_turn(plan))
        except SceneMemError as error:
            _log.warning("session %r was not compacted: %s", session, error)
            return None

    def compact(self, session: str) -> Compaction | None:
        """Compact a session now, due or not; None if there is nothing to condense.

        Raises `NotFoundError` if there is no such session, and `ModelError` if the engine fails.
        """
        plan = self.plan(session)
        return None if plan is None else self._compact(plan)

    @cached_property
    def _reader(self) -> PlainReader:
        return self._fallback or plain_reader(self.engine)

    # -- one compaction ----------------------------------------------------------------------

    def _plan(self, session: str) -> CompactionPlan | None:
        previous, after = self.db.sessions.get_summary(session)
        messages = [
            m._replace(
                content=without_secrets(m.content),
                tool_calls=tuple(redacted_call(call) for call in m.tool_calls),
            )
            for m in self.db.sessions.list_messages(session, after=after)
        ]
        cut = choose_cut(messages, self.keep_messages)
        if not cut:
            return None
        return CompactionPlan(
            session, tuple(messages[:cut]), tuple(messages[cut:]), previous, after
        )

    def _is_due(self, plan: CompactionPlan) -> bool:
        messages = (*plan.condensed, *plan.kept)
        turns = sum(1 for _ in turn_starts(messages))
        return turns > self.max_turns or estimate_messages(messages) > self.max_tokens

    def _part_for_one_turn(self, plan: CompactionPlan) -> CompactionPlan:
        """The part of a plan that one turn should wait for; the next turns do the rest."""
        left = _AT_ONCE * self.max_tokens
        for cut in turn_starts(plan.condensed):
            if cut and estimate_messages(plan.condensed[:cut]) > left:
                rest = (*plan.condensed[cut:], *plan.kept)
                return plan._replace(condensed=plan.condensed[:cut], kept=rest)
        return plan

    def _compact(self, plan: CompactionPlan) -> Compaction | None:
        said = [m for m in plan.condensed if m.role != "system" and (m.content or m.tool_calls)]
        before = read_summary(plan.previous)
        notes = self._condensed(plan.session, said, before.notes)
        carried = [line for line in before.kept if not self.db.cells.is_superseded(line)]
        summary = before._replace(notes=notes, kept=tuple(carried))
        text = summary.with_kept(self._important(said), self._is_grave).render()
        done = Compaction(
            session=plan.session,
            at=now_utc(),
            through=plan.condensed[-1].id,
            messages=len(plan.condensed),
            tokens_before=plan.tokens,
            tokens_after=estimate_tokens(text),
        )
        with self.db.transaction():
            if not self.db.sessions.compact_session(done, text, after=plan.after):
                return None  # another compactor has done it
            self.db.log.log_change(
                self.engine.name,
                "compact",
                f"session {plan.session}",
                before=plan.previous or None,
                after=text,
                reason=f"{done.messages} messages, {done.tokens_before} tokens",
            )
        return done

    def _condensed(self, session: str, said: Sequence[Message], previous: str) -> str:
        """The engine's notes, with what they lost; the fallback's where little is left."""
        if not said:
            return previous
        notes = self.engine.condense(said, previous)
        if not notes.strip():
            raise ModelError(f"{self.engine.name!r} condensed session {session!r} to nothing")
        checked = check_loss(without_heading(notes), list(self._statements(said)), most=NOTE_WORDS)
        if checked.is_acceptable:
            return checked.text
        _log.warning(
            "the summary of session %r by %r keeps only %.0f %% of what was said; "
            "using the messages' own words instead",
            session,
            self.engine.name,
            100 * checked.kept,
        )
        return self._reader.condense(said, previous)

    def _important(self, said: Sequence[Message]) -> Iterator[str]:
        """What these messages mark as important, in their own words."""
        for cell, framed in zip(
            self._statements(said), self._statements(said, framed=True), strict=True
        ):
            if is_marked(framed.content):
                yield cell.content
        for cell in self.db.cells.cells_from(m.id for m in said):
            if cell.salience >= _SALIENT and cell.superseded_by is None:
                yield cell.content

    def _is_grave(self, line: str) -> bool:
        # What is called important may be anything.
        return self._reader.is_grave(line.partition(": ")[2] or line)

    def _statements(self, messages: Sequence[Message], *, framed: bool = False) -> Iterator[Cell]:
        """The statements in the messages, as far as they can be found without a model.

        `framed` keeps the words that ask to remember them.
        """
        number = 0
        for turn, group in groupby(messages, key=lambda m: m.turn):
            exchange = tuple(group)
            read = Exchange(turn, exchange[0].session, exchange)
            for draft in self._reader.statements(read, framed=framed):
                number += 1
                yield Cell(
                    id=number,
                    scene="",
                    cell_type=draft.cell_type,
                    salience=draft.salience,
                    content=draft.content,
                    created_at=draft.at or exchange[0].at,
                    speaker=draft.speaker,
                )
