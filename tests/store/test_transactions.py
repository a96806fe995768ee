"""One memory as a whole: transactions over all groups, snapshots, other writers, copies."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kept_files import all_it_holds, tell_everything

from scenemem.base.errors import DatabaseError
from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import MessageDraft, now_utc
from scenemem.store.evidence import Scope
from scenemem.store.protocol import Store
from scenemem.store.sought import phrase


def test_a_transaction_is_all_or_nothing_and_nests(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.cells.insert_cell({"content": "first"})
        raise RuntimeError
    assert store.cells.list_cells() == []
    with store.transaction():
        store.cells.insert_cell({"content": "outer"})
        with pytest.raises(RuntimeError), store.transaction():
            store.cells.insert_cell({"content": "inner"})
            raise RuntimeError
    assert [c.content for c in store.cells.list_cells()] == ["outer"]


def test_a_snapshot_shows_one_state_while_others_write(two_stores: tuple[Store, Store]) -> None:
    store, other = two_stores
    other.cells.insert_cell({"content": "before"})
    with store.snapshot():
        assert store.cells.count_cells() == 1
        other.cells.insert_cell({"content": "meanwhile"})
        other.sessions.append_messages("A", [MessageDraft("user", "meanwhile")])
        with store.snapshot():
            assert store.cells.count_cells() == 1
            assert store.sessions.list_messages() == []
            assert store.evidence(Scope()).counts("cell", [phrase("meanwhile")]) == [0]
    assert store.cells.count_cells() == 2
    store.cells.insert_cell({"content": "after"})
    assert other.cells.count_cells() == 3


def test_a_snapshot_that_fails_leaves_no_transaction_behind(store: Store) -> None:
    with pytest.raises(RuntimeError), store.snapshot():
        raise RuntimeError
    store.cells.insert_cell({"content": "stored"})
    with pytest.raises(RuntimeError), store.transaction():
        store.cells.insert_cell({"content": "undone"})
        with store.snapshot():
            assert store.cells.count_cells() == 2
        raise RuntimeError
    assert [c.content for c in store.cells.list_cells()] == ["stored"]


def test_a_transaction_spans_every_group(store: Store) -> None:
    before = all_it_holds(store)
    with pytest.raises(RuntimeError), store.transaction():
        tell_everything(store)
        assert store.in_transaction
        assert store.cells.count_cells() > 0  # what it wrote it reads
        raise RuntimeError
    assert not store.in_transaction
    assert all_it_holds(store) == before
    assert store.check() == []


def test_an_inner_transaction_that_fails_takes_back_only_itself(store: Store) -> None:
    with store.transaction():
        store.notebook.add_to_counter("runs")
        with pytest.raises(RuntimeError), store.transaction():
            store.notebook.add_to_counter("runs")
            store.log.note_usage(UsageRecord(now_utc(), "m", "extract", 1, 1))
            store.sessions.ensure_session("A")
            raise RuntimeError
        assert store.in_transaction
        store.scenes.ensure_scene("Garden")
    assert store.notebook.get_counter("runs") == 1
    assert store.log.list_usage() == [] and store.sessions.list_sessions() == []
    assert store.scenes.count_scenes() == 1


def test_what_is_not_committed_is_seen_by_nobody_else(two_stores: tuple[Store, Store]) -> None:
    store, other = two_stores
    with store.transaction():
        store.cells.insert_cell({"content": "boat"})
        assert other.cells.count_cells() == 0
    assert other.cells.count_cells() == 1


def test_one_writer_waits_for_the_other_and_reads_what_it_wrote(
    two_stores: tuple[Store, Store],
) -> None:
    store, other = two_stores
    begun = threading.Event()

    def count_on() -> None:
        begun.set()
        with other.transaction():
            counted = other.notebook.get_counter("n") or 0
            other.notebook.set_counter("n", counted + 1)

    with store.transaction():
        writer = threading.Thread(target=count_on)
        writer.start()
        begun.wait()
        counted = store.notebook.get_counter("n") or 0
        store.notebook.set_counter("n", counted + 1)
    writer.join()
    assert store.notebook.get_counter("n") == 2


def test_threads_share_one_store(store: Store) -> None:
    def work(thread: int) -> None:
        for n in range(10):
            store.notebook.add_to_counter("n")
            store.cells.insert_cell({"content": f"note {n} of {thread}", "scene": f"S{n % 3}"})
            store.sessions.append_history("A", "user", f"line {n} of {thread}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert store.notebook.get_counter("n") == store.cells.count_cells() == 40
    assert store.scenes.count_scenes() == 3
    messages = store.sessions.list_messages("A")
    assert [m.id for m in messages] == list(range(messages[0].id, messages[0].id + 40))
    assert store.check() == []


def test_two_that_write_at_once_mark_a_turn_once(two_stores: tuple[Store, Store]) -> None:
    turns = [
        m.turn
        for m in two_stores[0]
        .sessions.append_messages("A", [MessageDraft("user", str(n)) for n in range(40)])
        .messages
    ]
    with ThreadPoolExecutor(2) as pool:
        marked = list(
            pool.map(lambda s: [s.sessions.mark_extracted({t: 1}) for t in turns], two_stores)
        )
    assert sorted(turn for one in marked for found in one for turn in found) == turns


def test_a_backup_holds_the_same(store: Store, tmp_path: Path) -> None:
    tell_everything(store)
    copy = store.backup(tmp_path / "copy.backup")
    assert copy == tmp_path / "copy.backup" and copy.exists()
    with pytest.raises(DatabaseError, match=r"copy\.backup"):
        store.backup(copy)


def test_upkeep_changes_nothing_that_is_read(store: Store) -> None:
    tell_everything(store)
    before = all_it_holds(store)
    for work in (store.rebuild_index, store.merge_index, store.scrub):
        work()
        assert store.check() == []
        assert all_it_holds(store) == before
        with store.snapshot():
            assert store.evidence(Scope()).counts("message", [phrase("berth")]) == [1]


def test_a_closed_store_says_so(store: Store) -> None:
    assert not store.read_only and store.location
    store.close()
    store.close()
    with pytest.raises(DatabaseError, match="was closed"):
        store.cells.count_cells()
