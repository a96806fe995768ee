"""Forgetting: cells and facts leave the memory with the words that they came from.

Not only they go: every message that told them is blanked, and so are replies, tool calls and tool
results that quoted them; notes and facts that tell the same go too; session summaries that cover
such a message are taken back, to be made anew; a scene whose name tells what only they said gets
another; what the change log quoted is blanked; the words leave the full-text index and the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from scenemem.base.errors import NotFoundError
from scenemem.base.outcomes import Forgotten
from scenemem.base.records import Cell, Message, now_utc
from scenemem.base.session_records import Fact, Note
from scenemem.base.text import clean, fold, is_unspaced, tells, words
from scenemem.engines import default_engine
from scenemem.engines.engine import PlainReader
from scenemem.memory.memory_db import MemoryDB
from scenemem.memory.session_only import value_texts
from scenemem.memory.written_down import (
    SHARED_SESSION,
    fact_text,
    fact_texts,
    let_go,
    note_texts,
)

__all__ = ["forget_cells", "forget_fact", "forget_global", "forget_note"]

_LOOKED_AT = 500  # cells of a scene that its new name is chosen from
_SHORTEST = 3  # bytes of a value that alone tells a fact, where it is quoted


def forget_cells(
    db: MemoryDB,
    ids: Sequence[int],
    *,
    actor: str,
    turn: int | None = None,
    reader: PlainReader | None = None,
) -> Forgotten:
    """Remove the cells of these ids in one transaction, then scrub the file.

    `reader` gives a scene another name where that is needed; by default the embedded engine.

    The summaries of their scenes are due afterwards. Raises `NotFoundError` for an unknown id;
    nothing is removed then.
    """
    held = db.cells.get_cells(ids)
    missing = [number for number in ids if number not in held]
    if missing:
        raise NotFoundError.of("cell", missing[0])
    texts = [cell.content for cell in held.values()]
    with db.transaction():
        facts = [f for f in db.notebook.list_facts() if any(_tells_fact(t, f) for t in texts)]
        notes = [n for n in db.notebook.list_notes() if any(tells(t, n.note) for t in texts)]
        shared = [g for g in _globals(db) if any(_tells_fact(t, g) for t in texts)]
        also = [*chain.from_iterable(_told_fact(db, fact) for fact in facts)]
        also += chain.from_iterable(_told_note(db, note) for note in notes)
        for fact in facts:
            _drop_fact(db, fact, actor, turn)
        for note in notes:
            _drop_note(db, note, actor, turn)
        for entry in shared:
            _drop_global(db, entry.key, actor, turn)
        written = [i for entry in (*facts, *shared) for i in _written_cells(db, entry)]
        written += _cells_of_notes(db, notes)
        gone = _forget(db, list(dict.fromkeys([*ids, *written])), actor, turn, also, reader)
    db.scrub()
    return gone


def forget_fact(
    db: MemoryDB,
    fact: Fact,
    *,
    actor: str,
    turn: int | None = None,
    reader: PlainReader | None = None,
) -> Forgotten:
    """Remove a fact, with its session's messages and the cells that tell it; scrub the file."""
    with db.transaction():
        _drop_fact(db, fact, actor, turn)
        told_in = _told_fact(db, fact)
        cells = [c.id for c in db.cells.cells_from(told_in) if _tells_fact(c.content, fact)]
        cells += _written_cells(db, fact)
        gone = _forget(db, cells, actor, turn, told_in, reader)
    db.scrub()
    return gone


def forget_global(
    db: MemoryDB,
    key: str,
    *,
    actor: str,
    turn: int | None = None,
    reader: PlainReader | None = None,
) -> Forgotten:
    """Remove a value that all sessions share, with the messages and cells that tell it; scrub.

    Raises `NotFoundError` when there is none.
    """
    with db.transaction():
        found = next((entry for entry in _globals(db) if entry.key == clean(key)), None)
        if found is None:
            raise NotFoundError(f"no {key!r} is saved for all sessions")
        _drop_global(db, found.key, actor, turn)
        told_in = [
            message
            for session in db.sessions.list_sessions()
            for message in _told_fact(db, found._replace(session=session.session))
        ]
        cells = [c.id for c in db.cells.cells_from(told_in) if _tells_fact(c.content, found)]
        cells += _written_cells(db, found)
        gone = _forget(db, list(dict.fromkeys(cells)), actor, turn, told_in, reader)
    db.scrub()
    return gone


def forget_note(
    db: MemoryDB,
    note_id: int,
    *,
    actor: str,
    turn: int | None = None,
    reader: PlainReader | None = None,
) -> Forgotten:
    """Remove a note, with its session's messages and the cells that tell it; scrub the file.

    Raises `NotFoundError` when there is no such note.
    """
    note = next((note for note in db.notebook.list_notes() if note.id == note_id), None)
    if note is None:
        raise NotFoundError.of("note", note_id)
    with db.transaction():
        _drop_note(db, note, actor, turn)
        told_in = _told_note(db, note)
        cells = [c.id for c in db.cells.cells_from(told_in) if tells(c.content, note.note)]
        cells += _cells_of_notes(db, [note])
        gone = _forget(db, cells, actor, turn, told_in, reader)
    db.scrub()
    return gone


def _told_fact(db: MemoryDB, fact: Fact) -> list[int]:
    """The messages of a fact's session that tell it, the calls that saved or read it among them."""
    value = max(value_texts(fact.value), key=len, default="")
    if not value:
        return []
    tells_alone = len(value.encode()) >= _SHORTEST and not isinstance(fact.value, bool)
    return [
        m.id
        for m in db.sessions.messages_with(value, fact.session)
        if _tells_fact(_with_calls(m), fact)
        or (_quotes(m) and (tells_alone or m.content.strip('"') == value))
    ]


def _with_calls(message: Message) -> str:
    return "\n".join([message.content, *value_texts(list(message.tool_calls))])


def _quotes(message: Message) -> bool:
    """Whether a message is made of what a memory or a model holds, and of no user's own words."""
    return bool(message.tool_calls) or message.role == "tool" or message.echo


def _told_note(db: MemoryDB, note: Note) -> list[int]:
    return [m.id for m in db.sessions.messages_with(note.note.rstrip(" .!"), note.session)]


def _forget(
    db: MemoryDB,
    ids: Sequence[int],
    actor: str,
    turn: int | None,
    also: Iterable[int] = (),
    reader: PlainReader | None = None,
) -> Forgotten:
    """Remove cells and blank what told or quoted them, and the messages `also`."""
    told_again = db.cells.told_in(ids)
    removed = db.cells.delete_cells(ids)
    texts = [cell.content for cell in removed]
    told_in = {*also, *told_again, *db.sessions.quotes_of(texts), *_sources(removed)}
    blanked = db.sessions.redact_messages(told_in)
    for session in db.sessions.drop_summaries(sorted(told_in), texts):
        db.log.blank_changes([f"session {session}"])
    for cell in removed:
        db.log.log_change(actor, "forget", f"cell {cell.id}", turn=turn)
    for scene in sorted({cell.scene for cell in removed}):
        _rename(db, scene, removed, actor, reader)
    return Forgotten(tuple(removed), blanked)


def _drop_fact(db: MemoryDB, fact: Fact, actor: str, turn: int | None) -> None:
    subject = f"fact {fact.key} of {fact.session}"
    db.notebook.delete_fact(fact.session, fact.key, fact.scope)
    db.log.blank_changes([subject])
    db.log.log_change(actor, "forget", subject, turn=turn)


def _globals(db: MemoryDB) -> list[Fact]:
    """What all sessions share, as facts of no session."""
    shared = db.notebook.list_globals().items()
    return [Fact("", key, value, "long", now_utc()) for key, value in shared]


def _drop_global(db: MemoryDB, key: str, actor: str, turn: int | None) -> None:
    subject = f"global {key}"
    db.notebook.delete_global(key)
    db.log.blank_changes([subject])
    db.log.log_change(actor, "forget", subject, turn=turn)


def _written_cells(db: MemoryDB, fact: Fact) -> list[int]:
    """The cells as which a fact was written down; call it when the fact itself is gone."""
    if fact.session not in ("", SHARED_SESSION):
        return []  # it was its session's own
    text = fact_text(fact.key, fact.value)
    return let_go(db, [text], still_told=fact_texts(db, fact.key)) if text else []


def _cells_of_notes(db: MemoryDB, notes: Iterable[Note]) -> list[int]:
    """The cells as which notes were written down; call it when the notes themselves are gone."""
    texts = [note.note for note in notes if note.session == SHARED_SESSION]
    return let_go(db, texts, still_told=note_texts(db))


def _drop_note(db: MemoryDB, note: Note, actor: str, turn: int | None) -> None:
    subject = f"note {note.id} of {note.session}"
    db.notebook.delete_note(note.id)
    db.log.blank_changes([subject])
    db.log.log_change(actor, "forget", subject, turn=turn)


def _tells_fact(text: str, fact: Fact) -> bool:
    """Whether a text tells a fact: its value, and the words of its key."""
    value = list(value_texts(fact.value))
    told = _words_of([text])
    return bool(value) and all(_is_told(part, text, told) for part in (*value, fact.key))


def _is_told(part: str, text: str, told: set[str]) -> bool:
    """Whether a text, which has the words `told`, has a part of a fact."""
    spoken = _words_of([part])
    if not spoken or is_unspaced(part):
        return part in text
    return spoken <= told


def _rename(
    db: MemoryDB, scene: str, removed: Sequence[Cell], actor: str, reader: PlainReader | None
) -> None:
    """Give a scene another name where its name tells what only the removed cells said.

    A name that a caller gave stays.
    """
    held = db.scenes.get_scene(scene)
    if held is None or not db.scenes.is_extracted(scene):
        return
    left = db.cells.list_cells(scene=scene, superseded=True, limit=_LOOKED_AT)
    still_told = _words_of(cell.content for cell in left)
    gone = _words_of(cell.content for cell in removed) - still_told
    if not _words_of([scene]) & gone:
        return

    def is_refused(name: str) -> bool:
        return bool(_words_of([name]) & gone) or db.scenes.resolve_scene(name) is not None

    told = [cell.content for cell in left]
    name = (reader or default_engine()).name_scene(told, is_refused)
    if is_refused(name):
        name = f"Scene of cell {left[0].id}"
    db.scenes.rename_scene(scene, name, actor=actor, keep_alias=False)


def _words_of(texts: Iterable[str]) -> set[str]:
    every = (part for text in texts for word in words(text) for part in word.split("_") if part)
    return {fold(part).removesuffix("'s").removesuffix("s") for part in every}


def _sources(cells: Sequence[Cell]) -> Iterator[int]:
    for cell in cells:
        if cell.source:
            yield from range(cell.source.first, cell.source.last + 1)
