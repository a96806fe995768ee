"""Upkeep of a memory file: is it whole, do its full-text indexes agree with its tables."""

from __future__ import annotations

import sqlite3

__all__ = ["check", "merge_index", "rebuild_index"]

_MOST_NAMED = 10  # cells in one sentence
_INDEXES = ("messages_fts", "mem_cells_fts")


def check(connection: sqlite3.Connection, *, writable: bool) -> list[str]:
    """What is wrong with the file, a sentence each.

    FTS5 compares an index with its table by a command that it takes as a write, so a file that is
    not `writable` is checked without it.
    """
    faults = [
        f"the file is damaged: {row[0]}"
        for row in connection.execute("PRAGMA quick_check(10)")
        if row[0] != "ok"
    ]
    faults += [
        f"a row of {table} refers to a missing row of {parent}"
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    ]
    faults += [
        f"the cell {cell} is in the scene {scene!r}, which is missing"
        for cell, scene in connection.execute(
            "SELECT min(id), scene FROM mem_cells "
            "WHERE scene NOT IN (SELECT scene FROM mem_scenes) GROUP BY scene"
        )
    ]
    faults += _endless_successions(connection)
    for index in _INDEXES if writable else ():
        try:
            # rank 1 compares the index with the table's text, not only with itself.
            connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError:
            faults.append(f"the full-text index {index} does not agree with its table")
    return faults


def _endless_successions(connection: sqlite3.Connection) -> list[str]:
    """Cells that supersede themselves or one another, so that none of them is in force."""
    links: dict[int, int] = dict(
        connection.execute(
            "SELECT id, superseded_by FROM mem_cells WHERE superseded_by IS NOT NULL ORDER BY id"
        )
    )
    faults = []
    own = [cell for cell, by in links.items() if cell == by]
    if own:
        told = ", ".join(map(str, own[:_MOST_NAMED])) + (", …" if own[_MOST_NAMED:] else "")
        faults.append(
            "an import was stopped and left cells out of force without a successor "
            f"({told}); run it again"
        )
    for circle in _circles(links):
        told = ", ".join(map(str, circle[:_MOST_NAMED])) + (", …" if circle[_MOST_NAMED:] else "")
        faults.append(
            f"the cells {told} supersede one another, so that none is in force; "
            "ingest an export of this memory to put the newest back in force"
        )
    return faults


def _circles(links: dict[int, int]) -> list[list[int]]:
    """The circles of more than one cell among these links, each from its lowest id."""
    circles: list[list[int]] = []
    seen: set[int] = set()
    for start in links:
        path: dict[int, None] = {}  # a set in order
        cell: int | None = start
        while cell is not None and cell not in seen:
            seen.add(cell)
            path[cell] = None
            cell = links.get(cell)
        if cell in path:
            walked = list(path)
            circle = sorted(walked[walked.index(cell) :])
            if len(circle) > 1:
                circles.append(circle)
    return circles


def rebuild_index(connection: sqlite3.Connection) -> None:
    """Make the full-text indexes anew from the tables."""
    for index in _INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")


def merge_index(connection: sqlite3.Connection) -> None:
    """Merge each full-text index into one segment, which drops what was deleted."""
    # (The option 'secure-delete' would drop it too, but an index written with it can't be read by
    # SQLite before 3.42.)
    for index in _INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
