"""How the index cuts a text into words and these to their stems, asked of the index itself.

Whoever marks what a search found has to know which words the index takes for one. No stemmer beside
it agrees in all: of the 12,624 English words that were tried, the Snowball project's Porter stemmer
differed in 47. So words are put into a full-text table in memory with the tokenizer of the memory's
own, and its terms are read back. Nothing is opened before something is marked; what was asked once
is kept.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Iterable
from threading import Lock

__all__ = ["TOKENIZER", "stems_of"]

TOKENIZER = "porter unicode61 remove_diacritics 2"  # as in the schema
_MOST_KEPT = 50_000
_known: dict[str, frozenset[str]] = {}
_lock = Lock()
_connections: dict[int, sqlite3.Connection] = {}  # by process


def stems_of(texts: Iterable[str]) -> dict[str, frozenset[str]]:
    """The terms that the index makes of each text: one of most words, none of a mere "!"."""
    asked = set(texts)
    with _lock:
        if new := [text for text in asked if text not in _known]:
            if len(_known) > _MOST_KEPT:
                _known.clear()
                new = list(asked)
            _learn(new)
        return {text: _known[text] for text in asked}


def _learn(texts: list[str]) -> None:
    connection = _connection()
    found: dict[int, set[str]] = {number: set() for number in range(len(texts))}
    connection.execute("BEGIN")
    try:
        connection.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", enumerate(texts))
        for number, term in connection.execute("SELECT doc, term FROM terms"):
            found[number].add(term)
    finally:
        connection.execute("ROLLBACK")  # the table stays empty
    _known.update((texts[number], frozenset(terms)) for number, terms in found.items())


def _connection() -> sqlite3.Connection:
    """The table's connection of this process: a forked child must not touch its parent's."""
    connection = _connections.get(os.getpid())
    if connection is None:
        connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        connection.execute(
            f"CREATE VIRTUAL TABLE said USING fts5(text, content='', tokenize='{TOKENIZER}')"
        )
        connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(said, 'instance')")
        _connections[os.getpid()] = connection
    return connection


@atexit.register
def _close() -> None:
    if connection := _connections.pop(os.getpid(), None):
        connection.close()


def _begin_anew() -> None:
    """In a forked child, the lock may be held by a thread that only its parent has."""
    global _lock
    _lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
