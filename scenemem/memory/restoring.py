"""Restoring: what an export says is put back as it was, into a memory that may hold other things.

What is here already stays as it is and is not stored twice, so an import that was stopped can be
run again. Messages come back with the state of their turns: what was extracted is not extracted
again, and its cells come back with their corrections. A line that can't be read is counted and
said.

An export of an older version does not tell the states of turns. Its messages are extracted as any
others; of its cells only those come back that no message led to, and scenes only as these need
them.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any, NamedTuple, get_args

from scenemem.base.errors import NotFoundError
from scenemem.base.records import SESSION_SHIFT, Cell, CellDraft, Source, utc
from scenemem.base.secrets import without_secrets
from scenemem.base.session_records import Compaction, Note, TurnState
from scenemem.base.text import clean
from scenemem.memory.importing.format import BadLine, SavedEntry, SavedMessage, kind_of
from scenemem.memory.memory_db import MemoryDB
from scenemem.store.records import PastCell, PastMessage, PastTurn

__all__ = ["Restoring"]

BATCH = 500  # scenes, links between cells a transaction
_STATES = get_args(TurnState)
_MADE_ID = re.compile(r"m(\d{1,18})(?:-[0-9a-f]{12})?")  # what a message without an id is given


class _Links(NamedTuple):
    """Cells here that are out of force, and the numbers in the file of what superseded them."""

    cells: array[int]
    by: array[int]


class Restoring:
    """Puts one export back into a memory.

    Give `take` the export's parts in their order, a transaction each, and call `finish` at the end.
    """

    def __init__(self, db: MemoryDB) -> None:
        self._db = db
        self.bad: list[BadLine] = []
        self.messages = 0
        self.skipped = 0
        self.restored: Counter[str] = Counter()
        self._positions: dict[str, array[int]] = {}  # ids here of a session's messages
        self._empty: set[int] = set()  # ids here of messages that say nothing in the file
        self._turns: dict[int, int] = {}
        self._turns_of = ""
        self._numbers = array("q")  # cells in the file, rising, and their ids here
        self._cells = array("q")
        self._taken: set[int] = set()
        self._links = _Links(array("q"), array("q"))
        self._notes: dict[str, tuple[Counter[str], Counter[str]]] = {}
        self._scenes: list[SavedEntry] = []
        self._entry: dict[str, Callable[[Mapping[str, Any]], bool]] = {
            "session": self._session,
            "summary": self._summary,
            "fact": self._fact,
            "note": self._note,
            "global": self._global,
            "counter": self._counter,
        }

    def take(self, items: Sequence[SavedMessage | SavedEntry]) -> None:
        """Put these parts back, in one transaction."""
        with self._db.transaction():
            for kind, group in groupby(items, key=_kind_of_part):
                if kind == "message":
                    self._take_messages([i for i in group if isinstance(i, SavedMessage)])
                    continue
                entries = [item for item in group if isinstance(item, SavedEntry)]
                if kind == "cell":
                    self._take_cells(entries)
                elif kind == "scene":
                    self._scenes += entries
                else:
                    for entry in entries:
                        self._take_entry(entry, self._entry[kind])

    def finish(self) -> None:
        """Put back what had to wait for the rest: scenes, and what superseded which cell."""
        for start in range(0, len(self._links.cells), BATCH):
            with self._db.transaction():
                for cell, by in zip(
                    self._links.cells[start : start + BATCH],
                    self._links.by[start : start + BATCH],
                    strict=True,
                ):
                    self._link(cell, by)
        for start in range(0, len(self._scenes), BATCH):
            with self._db.transaction():
                for entry in self._scenes[start : start + BATCH]:
                    self._take_entry(entry, self._scene)
        if self.restored:
            told = ", ".join(f"{kind} {n}" for kind, n in sorted(self.restored.items()))
            self._db.log.log_change("import", "restore", "an export", reason=told)

    def _take_entry(self, entry: SavedEntry, restore: Callable[[Mapping[str, Any]], bool]) -> None:
        try:
            self.restored[entry.kind] += restore(entry.entry)
        except (KeyError, TypeError, ValueError, OverflowError, NotFoundError) as error:
            self._refuse(entry, error)

    def _refuse(self, entry: SavedEntry, error: Exception) -> None:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        self.bad.append(BadLine(f"{entry.where}, a {entry.kind}", reason))

    # -- sessions and messages ---------------------------------------------------------------

    def _session(self, line: Mapping[str, Any]) -> bool:
        name = _text(line, "session")
        if self._db.sessions.get_session(name) is not None:
            return False
        self._db.sessions.ensure_session(name, _time(line, "at"))
        return True

    def _take_messages(self, items: Sequence[SavedMessage]) -> None:
        for session, group in groupby(items, key=lambda item: item.session or ""):
            given = list(group)
            if session != self._turns_of:
                self._turns, self._turns_of = {}, session
            past: list[PastMessage] = []
            read: list[SavedMessage] = []
            for item in given:
                try:
                    past.append(_past_message(item))
                    read.append(item)
                except (TypeError, ValueError) as error:
                    self.bad.append(BadLine(item.where, str(error)))
            if not past:
                continue
            ids, new = self._db.sessions.restore_messages(session, past, self._turns)
            self.messages += new
            self.skipped += len(ids) - new
            for item, message in zip(read, ids, strict=True):
                self._place(session, item.entry.get("position"), message)
                if not item.draft.content:
                    self._empty.add(message)

    def _place(self, session: str, position: object, message: int) -> None:
        """Note which message here stands at a position in the file."""
        known = self._positions.setdefault(session, array("q"))
        if isinstance(position, int) and 0 < position < 1 << SESSION_SHIFT:
            known.extend([0] * (position - len(known)))
            known[position - 1] = message

    def _message_at(self, session: object, first: object, last: object) -> int | None:
        """The first message here between two positions of a session in the file."""
        known = self._positions.get(session) if isinstance(session, str) else None
        if known is None or not isinstance(first, int) or not isinstance(last, int) or first < 1:
            return None
        return next((m for m in known[first - 1 : last] if m), None)

    def _summary(self, line: Mapping[str, Any]) -> bool:
        session, summary = _text(line, "session"), _text(line, "summary")
        through = line.get("through", 0)
        end = self._message_at(session, through, through)
        if end is not None and end & ((1 << SESSION_SHIFT) - 1) != through:
            end = None  # there are messages before it that the summary does not tell of
        compactions = [self._compaction(session, c) for c in line.get("compactions", [])]
        return self._db.sessions.restore_summary(
            session,
            summary,
            _text(line, "given") if "given" in line else summary,
            end or 0,
            [done for done in compactions if done is not None] if end else [],
        )

    def _compaction(self, session: str, told: Mapping[str, Any]) -> Compaction | None:
        end = self._message_at(session, told["through"], told["through"])
        at = _time(told, "at")
        if end is None or at is None:
            return None
        counts = (_count(told, key) for key in ("messages", "tokens_before", "tokens_after"))
        return Compaction(session, at, end, *counts)

    # -- the notebook ------------------------------------------------------------------------

    def _fact(self, line: Mapping[str, Any]) -> bool:
        session, key, scope, value = line["session"], line["key"], line["scope"], line["value"]
        if self._db.notebook.get_fact(session, key, scope) is not None:
            return False
        self._db.notebook.remember_fact(session, key, value, scope, at=_time(line, "at"))
        return True

    def _note(self, line: Mapping[str, Any]) -> bool:
        session, note = _text(line, "session"), _text(line, "note")
        if session not in self._notes:
            here: list[Note] = self._db.notebook.list_notes(session)
            self._notes[session] = Counter(without_secrets(n.note) for n in here), Counter()
        held, told = self._notes[session]
        text = without_secrets(clean(note)).strip()
        told[text] += 1
        if told[text] <= held[text]:
            return False
        self._db.notebook.add_note(session, note, at=_time(line, "at"))
        held[text] += 1
        return True

    def _global(self, line: Mapping[str, Any]) -> bool:
        missing = object()
        if self._db.notebook.get_global(line["key"], missing) is not missing:
            return False
        self._db.notebook.upsert_global(line["key"], line["value"])
        return True

    def _counter(self, line: Mapping[str, Any]) -> bool:
        if self._db.notebook.get_counter(line["name"]) is not None:
            return False
        self._db.notebook.set_counter(line["name"], line["count"])
        return True

    # -- cells and scenes --------------------------------------------------------------------

    def _take_cells(self, entries: Sequence[SavedEntry]) -> None:
        kept: list[tuple[SavedEntry, PastCell]] = []
        for entry in entries:
            try:
                past = self._past_cell(entry.entry)
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                self._refuse(entry, error)
                continue
            if past is not None:
                kept.append((entry, past))
        if not kept:
            return
        ids, new = self._db.cells.restore_cells([past for _, past in kept], self._taken)
        self.restored["cell"] += new
        for (_, past), cell in zip(kept, ids, strict=True):
            if past.cell.id > (self._numbers[-1] if self._numbers else 0):
                self._numbers.append(past.cell.id)
                self._cells.append(cell)
            if past.cell.superseded_by is not None:
                self._links.cells.append(cell)
                self._links.by.append(past.cell.superseded_by)

    def _past_cell(self, line: Mapping[str, Any]) -> PastCell | None:
        """The cell of a line; None if its messages are extracted anew, or were forgotten here."""
        told_of = line.get("source")
        source: Source | None = None
        if isinstance(told_of, Mapping):
            session = told_of.get("session")
            if "told" not in line and session in self._positions:
                return None
            source = self._source(told_of)
            if source is not None and self._is_forgotten(source):
                return None
        number, by = _count(line, "id"), line.get("superseded_by")
        at = _time(line, "at")
        if at is None:
            raise KeyError("at")
        CellDraft(line["content"], line["scene"], line["type"], line["salience"]).validated()
        if by is not None and (isinstance(by, bool) or not isinstance(by, int)):
            raise ValueError(f"its superseded_by is {kind_of(by)}")
        cell = Cell(
            id=number,
            scene=line["scene"],
            cell_type=line["type"],
            salience=float(line["salience"]),
            content=line["content"],
            created_at=at,
            occurred_at=_day(line, "occurred_at"),
            occurred_until=_day(line, "occurred_until"),
            speaker=line.get("speaker") and _text(line, "speaker"),
            source=source,
            superseded_by=by,
            valid_to=None if by is None else (_time(line, "valid_to") or at),
            told=max(1, _count(line, "told", 1)),
            recalls=_count(line, "recalls", 0),
        )
        tellings = (self._message_at(s, p, p) for s, p in line.get("tellings", ()))
        before = tuple(text for text in line.get("before", ()) if isinstance(text, str))
        return PastCell(cell, tuple(message for message in tellings if message), before)

    def _source(self, told: Mapping[str, Any]) -> Source | None:
        session, first, last = told.get("session"), told.get("first"), told.get("last")
        begins = self._message_at(session, first, last)
        if begins is None or not isinstance(session, str) or not isinstance(last, int):
            return None
        return Source(session, begins, self._message_at(session, last, last) or begins)

    def _is_forgotten(self, source: Source) -> bool:
        """Whether its message was blanked here, so that nothing of it comes back."""
        if source.first in self._empty:
            return False
        message = self._db.sessions.get_messages([source.first]).get(source.first)
        return message is not None and not message.content and not message.tool_calls

    def _cell_of(self, number: int) -> int | None:
        """The cell here of a number in the file."""
        place = bisect_right(self._numbers, number)
        return self._cells[place - 1] if place and self._numbers[place - 1] == number else None

    def _link(self, cell: int, by: int) -> None:
        end = self._cell_of(by)
        if end is None:
            reason = "the cell that superseded it is not in the file; it is in force again"
            self.bad.append(BadLine(f"cell {cell}", reason, lost=False))
        if not self._db.cells.restore_succession(cell, end, at=None):
            reason = "it is said to supersede itself"
            if end != cell:
                reason = f"it and cell {end} are said to supersede one another"
            reason += "; it is in force again"
            self.bad.append(BadLine(f"cell {cell}", reason, lost=False))

    def _scene(self, line: Mapping[str, Any]) -> bool:
        scenes, name, summary = self._db.scenes, _text(line, "scene"), _text(line, "summary")
        whole = "watermark" in line
        found = scenes.get_scene(name)
        if found is None:
            if not whole:
                return False
            scenes.ensure_scene(name)
        for alias in filter(str.strip, line.get("aliases", ())):
            scenes.add_alias(name, alias)
        found = scenes.get_scene(name)
        if found is None or found.summary or (not whole and not summary):
            return False
        if not whole or found.cells != line.get("cells"):
            # It holds other cells, too: the summary is as good as it goes, and due anew.
            if summary:
                scenes.upsert_scene(name, summary, watermark=0, actor="import")
            return True
        at, stale = _time(line, "at"), bool(line.get("stale"))
        if not stale or summary:
            floor = self._floor(_count(line, "watermark")) if stale else None
            restored = scenes.upsert_scene(name, summary, watermark=floor, at=at, actor="import")
            if stale and not restored.stale:
                scenes.upsert_scene(name, summary, watermark=0, at=at, actor="import")
        return True

    def _floor(self, number: int) -> int:
        """The cell here of the last number in the file that is not above this one."""
        place = bisect_right(self._numbers, number)
        return self._cells[place - 1] if place else 0


def _kind_of_part(item: SavedMessage | SavedEntry) -> str:
    return "message" if isinstance(item, SavedMessage) else item.kind


def _past_message(item: SavedMessage) -> PastMessage:
    line = item.entry
    number = line.get("number")
    if number is None and (made := _MADE_ID.fullmatch(item.draft.external_id or "")):
        number = int(made[1])
    if "turn" not in line:
        return PastMessage(item.draft, None, number)
    state = line.get("state", "pending")
    if state not in _STATES:
        raise ValueError(f"its state is {state!r}, not one of {', '.join(_STATES)}")
    kept = line.get("kept")
    return PastMessage(
        item.draft,
        PastTurn(
            number=_count(line, "turn"),
            state=state,
            kept=None if kept is None else _count(line, "kept"),
            attempts=_count(line, "attempts", 0),
            last_error=line.get("error") and _text(line, "error"),
            external_id=line.get("turn_id") and _text(line, "turn_id"),
        ),
        None if number is None else _whole_number("number", number),
    )


def _text(line: Mapping[str, Any], key: str) -> str:
    value = line[key]
    if not isinstance(value, str):
        raise ValueError(f"its {key} is {kind_of(value)}, not a text")
    return value


def _count(line: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = line[key] if default is None else line.get(key, default)
    return _whole_number(key, value)


def _whole_number(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise ValueError(f"its {key} is not a whole number from 0 on")
    return value


def _time(line: Mapping[str, Any], key: str) -> datetime | None:
    told = line.get(key)
    if told is None:
        return None
    if not isinstance(told, str):
        raise ValueError(f"its {key} is {kind_of(told)}, not a time")
    return utc(datetime.fromisoformat(told))


def _day(line: Mapping[str, Any], key: str) -> date | None:
    told = line.get(key)
    return None if told is None else date.fromisoformat(told)
