"""Vectors: which messages wait for one, and that a vector goes with its text."""

from __future__ import annotations

import pytest

from scenemem.base.records import MessageDraft
from scenemem.store.protocol import Store
from scenemem.store.records import Spoken


def vectors(count: int, value: bytes = b"\x00\x3c") -> list[bytes]:
    return [value * 2] * count


def test_messages_wait_for_a_vector_of_each_embedder(store: Store) -> None:
    drafts = [
        MessageDraft("user", "boat", name="Ann"),
        MessageDraft("assistant", "quoted", echo=True),
        MessageDraft("tool", "42"),
        MessageDraft("assistant", ""),
        MessageDraft("user", "berth"),
    ]
    messages = store.sessions.append_messages("A", drafts).messages
    boat, berth = messages[0].id, messages[4].id
    assert store.vectors.waiting("e") == [boat, berth]
    assert store.vectors.waiting("e", 1) == [boat]
    assert store.vectors.waiting("e", after_turn=messages[0].turn) == [berth]
    assert store.vectors.count_waiting("e") == 2
    assert store.vectors.last_turn() == messages[4].turn
    said = store.vectors.spoken([boat, berth, messages[3].id])
    assert [s.spoken for s in sorted(said)] == ["Ann: boat", "berth"]
    assert store.vectors.kept("e") is None
    store.vectors.insert_vectors("e", sorted(said)[:1], vectors(1), 2)
    assert store.vectors.waiting("e") == [berth]
    assert store.vectors.kept("e") == (2, 1, 0)
    assert store.vectors.of_messages("e", [boat, berth]) == [(boat, vectors(1)[0])]


def test_vectors_are_told_apart_by_when_they_came(store: Store) -> None:
    store.sessions.append_messages("A", [MessageDraft("user", f"boat {n}") for n in range(3)])
    said = store.vectors.spoken(store.vectors.waiting("e"))
    store.vectors.insert_vectors("e", said[:2], vectors(2), 2)
    store.vectors.insert_vectors("e", said[2:], vectors(1), 2)
    assert {m for m, _ in store.vectors.added_after("e", 0)} == {s.id for s in said}
    assert [m for m, _ in store.vectors.added_after("e", 2)] == [said[2].id]
    assert store.vectors.added_after("e", 3) == []


def test_a_vector_goes_with_the_text_that_it_is_of(store: Store) -> None:
    messages = store.sessions.append_messages(
        "A", [MessageDraft("user", f"boat {n}") for n in range(3)]
    ).messages
    said = store.vectors.spoken([m.id for m in messages])
    store.vectors.insert_vectors("e", said, vectors(3), 2)
    store.sessions.redact_messages([messages[0].id])
    store.sessions.withhold_messages([messages[1].id])
    assert [m for m, _ in store.vectors.added_after("e", 0)] == [messages[2].id]
    kept = store.vectors.kept("e")
    assert kept == (2, 3, 2) and kept is not None and kept.held == 1
    store.vectors.insert_vectors("e", [Spoken(messages[0].id, None, "boat 0")], vectors(1), 2)
    assert store.vectors.of_messages("e", [messages[0].id]) == []  # its text has changed


def test_another_embedder_takes_a_messages_vector_over(store: Store) -> None:
    store.sessions.append_messages("A", [MessageDraft("user", "boat")])
    said = store.vectors.spoken(store.vectors.waiting("e"))
    store.vectors.insert_vectors("e", said, vectors(1), 2)
    with pytest.raises(ValueError, match="another model needs another name"):
        store.vectors.insert_vectors("e", said, [b"1234" * 2], 4)
    store.vectors.insert_vectors("f", said, [b"1234" * 2], 4)
    assert store.vectors.kept("e") == (2, 1, 1) and store.vectors.kept("f") == (4, 1, 0)
    assert store.vectors.waiting("e") == [said[0].id]
