"""Memory files of every schema there was, kept in `tests/files`, and how each was made.

`python tests/kept_files.py` writes the file of today's schema when it is not there yet: a small
made-up conversation, stored by the real code through everything a store offers. The file of the
article's schema is written as that schema was published.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.base.session_records import Compaction
from scenemem.store.protocol import Store
from scenemem.store.records import Spoken
from scenemem.store.sqlite.migrations import TODAYS
from scenemem.store.sqlite.store import SQLiteStore

FOLDER = Path(__file__).parent / "files"
DAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EMBEDDER = "made-up-4"
SECRET = "sk-proj-4f9aK2mQ8xZt7Lw3Vb6Nc1Hd"


def kept_file(version: int) -> Path:
    """The file of that version of the schema; 0 is the article's."""
    return FOLDER / ("article.sqlite" if version == 0 else f"version-{version}.sqlite")


# -- the conversation ------------------------------------------------------------------------------


def tell_everything(store: Store) -> None:
    """Store a conversation and what a memory makes of it, so that no table stays empty."""
    sessions, cells, scenes = store.sessions, store.cells, store.scenes
    harbour = sessions.append_messages(
        "harbour",
        [
            MessageDraft("user", "The boat is called Petrel.", DAY, "Ann", external_id="m1"),
            MessageDraft("assistant", "Noted.", DAY, echo=True, external_id="m2"),
            MessageDraft("user", "The lease of the berth ends in June.", DAY, "Ann"),
            MessageDraft("user", "We meet Zoë at the 港 in Osaka, 大阪出張.", DAY, "Bob"),
        ],
        at=DAY,
    ).messages
    call = {"id": "c1", "function": {"name": "calculate", "arguments": '{"expression": "6*7"}'}}
    later = DAY + timedelta(days=1)
    turn, _ = sessions.open_turn("office", MessageDraft("user", "What is 6 times 7?", later))
    sessions.append_to_turn(
        turn,
        [
            MessageDraft("assistant", "", later, tool_calls=(call,)),
            MessageDraft("tool", "42", later, tool_call_id="c1"),
            MessageDraft("assistant", "It is 42.", later),
        ],
    )
    sessions.close_turn(turn)
    sessions.append_history("office", "user", f"My key is {SECRET}, keep it.", at=later)
    sessions.append_history("office", "assistant", "I will.", at=later)
    own = sessions.append_history("office", "user", "Only for this session: blue.", at=later)
    assert own is not None
    sessions.withhold_messages([own.id])
    sessions.mark_extracted({harbour[0].turn: 1, harbour[2].turn: 2})
    sessions.mark_failed([harbour[3].turn], "the model was down", count=False)

    def source(place: int) -> Source:
        return Source("harbour", harbour[place].id, harbour[place].id)

    boat, june, july = cells.insert_cells(
        [
            CellDraft(
                "The boat is called Petrel",
                "Harbour",
                "fact",
                0.8,
                DAY,
                speaker="Ann",
                source=source(0),
            ),
            CellDraft(
                "The lease of the berth ends in June",
                "harbour",
                "plan",
                0.6,
                DAY,
                occurred_at=date(2026, 6, 1),
                occurred_until=date(2026, 6, 30),
                speaker="Ann",
                source=source(2),
            ),
            CellDraft(
                "The lease of the berth ends in July",
                "Harbour",
                "plan",
                0.7,
                later,
                supersedes=("The lease of the berth ends in June",),
                speaker="Ann",
            ),
        ]
    )
    again = CellDraft("the boat is called petrel", "Boats", speaker="Ann", source=source(2))
    cells.insert_cell(again)
    cells.insert_cell(CellDraft("大阪出張は来週の火曜", "Trips", "task", at=DAY))
    cells.note_recalled([boat.id, july.id])
    cells.update_cell(boat.id, salience=0.9)
    scenes.upsert_scene("Harbour", "A boat, Petrel, and a berth until July.", at=later)
    scenes.rename_scene("Trips", "Osaka")
    scenes.add_alias("Osaka", "Japan trip")

    notebook = store.notebook
    notebook.remember_fact("office", "favourite", {"colour": "blue", "of": [1, None, 2.5]})
    notebook.remember_fact("office", "favourite", "green", "long")
    notebook.add_note("office", "call the harbour master", at=later)
    notebook.upsert_global("team", ["Ann", "Bob"])
    notebook.add_to_counter("visits", 3)

    sessions.set_summary("office", "Sums.")
    done = Compaction("office", later, own.id - 1, 6, 40, 5)
    assert sessions.compact_session(done, "Sums and a key.", after=0)
    store.log.log_change("caller", "note", "cell 1", reason="to be sure", at=later)
    store.log.note_usage(UsageRecord(DAY, "made-up", "extract", 120, 30, estimated=True))
    store.log.note_usage(UsageRecord(DAY, "made-up", "extract", 80, 10, failed=True))
    said = store.vectors.spoken(store.vectors.waiting(EMBEDDER)[:3])
    store.vectors.insert_vectors(EMBEDDER, said, map(vector_of, said), 4)
    assert june.superseded_by is None  # as it was when it was stored


def vector_of(said: Spoken) -> bytes:
    """Four half floats of length 1 that differ from message to message."""
    place = said.id % 4
    return struct.pack("<4e", *(1.0 if n == place else 0.0 for n in range(4)))


def all_it_holds(store: Store) -> dict[str, Any]:
    """Everything that can be read of a store, but for the times at which it was stored."""
    sessions, cells, scenes, notebook = store.sessions, store.cells, store.scenes, store.notebook
    messages = sessions.list_messages()
    turns = sorted({message.turn for message in messages})
    states = {turn: sessions.get_turn(turn) for turn in turns}
    open_turns = {turn for turn, stands in states.items() if stands and stands.state == "open"}
    all_cells = cells.list_cells(superseded=True)
    return {
        "sessions": sessions.list_sessions(),
        "messages": messages,
        "as others see them": sessions.list_messages(redacted=True),
        "withheld": sessions.list_withheld("office"),
        "turns": states,
        # (An open turn begins to wait after a while.)
        "waiting": [e for e in sessions.list_pending() if e.id not in open_turns],
        "errors": sessions.list_errors(),
        "compactions": sessions.list_compactions(),
        "cells": all_cells,
        "tellings": sorted(cells.told_in(cell.id for cell in all_cells)),
        "speakers": sorted(cells.list_speakers()),
        "scenes": sorted(scene._replace(updated_at=DAY) for scene in scenes.list_scenes()),
        "facts": [fact._replace(updated_at=DAY) for fact in notebook.list_facts()],
        "notes": notebook.list_notes(),
        "globals": notebook.list_globals(),
        "counters": notebook.list_counters(),
        "changes": [change._replace(at=DAY) for change in store.log.list_changes(limit=1000)],
        "usage": list(store.log.list_usage()),
        "embedder": store.vectors.kept(EMBEDDER),
        "vectors": sorted(store.vectors.added_after(EMBEDDER, 0)),
        "to embed": store.vectors.waiting(EMBEDDER),
    }


# -- the files -------------------------------------------------------------------------------------

ARTICLE_TEXTS = [f"Valve {n} was replaced by Ines" for n in range(10)] + [
    "大阪出張は来週の火曜",
    "Café meeting with Zoë at the 港",
]


def write_article_file(path: Path) -> None:
    """A file as the published six-column schema makes it: JSON text, an index without links."""
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE mem_cells (id INTEGER PRIMARY KEY, scene TEXT, cell_type TEXT,
                                    salience REAL, content TEXT, created_at TEXT);
            CREATE TABLE mem_scenes (scene TEXT PRIMARY KEY, summary TEXT, updated_at TEXT);
            CREATE VIRTUAL TABLE mem_cells_fts USING fts5(content, scene, cell_type);
            """
        )
        for number, text in enumerate(ARTICLE_TEXTS, start=1):
            scene = "Kitchen Remodel" if number % 2 else "kitchen-remodel"
            row = (number, scene, "fact", 0.6, json.dumps(text), "2025-03-01T10:00:00")
            connection.execute("INSERT INTO mem_cells VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute(
                "INSERT INTO mem_cells_fts VALUES (?, ?, ?)", (json.dumps(text), scene, "fact")
            )
        connection.execute(
            "INSERT INTO mem_scenes "
            "VALUES ('Kitchen Remodel', 'Valves and trips.', '2025-03-02T00:00:00')"
        )
    connection.close()


def write_todays_file(path: Path) -> None:
    """The conversation in a file of today's schema."""
    store = SQLiteStore(path)
    tell_everything(store)
    store.close()


if __name__ == "__main__":
    for version, write in ((0, write_article_file), (TODAYS.version, write_todays_file)):
        if not kept_file(version).exists():
            write(kept_file(version))
            print(f"wrote {kept_file(version)}")
