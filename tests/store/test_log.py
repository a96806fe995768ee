"""The change log, and what model calls cost."""

from __future__ import annotations

from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import now_utc
from scenemem.store.protocol import Store


def test_changes_are_listed_newest_first_by_subject_and_actor(store: Store) -> None:
    for n, (actor, subject) in enumerate(
        [("Ann", "cell 1"), ("Bob", "cell 1"), ("Ann", "scene A")], start=1
    ):
        store.log.log_change(actor, "note", subject, turn=n, before="b", after="a", reason="r")
    assert [c.turn for c in store.log.list_changes()] == [3, 2, 1]
    assert [c.turn for c in store.log.list_changes(limit=1)] == [3]
    assert [c.turn for c in store.log.list_changes(subject="cell 1")] == [2, 1]
    assert [c.turn for c in store.log.list_changes(actor="Ann", subject="cell 1")] == [1]


def test_what_entries_quote_can_be_removed_and_their_subjects_renamed(store: Store) -> None:
    for subject, reason in (("cell 1", None), ("cell 2", "by cell 1"), ("cell 3", "r")):
        store.log.log_change("Ann", "note", subject, before="b", after="a", reason=reason)
    store.log.blank_changes(["cell 1"], reasons=["by cell 1"])
    assert [c.before for c in store.log.list_changes()] == ["b", None, None]
    assert [c.after for c in store.log.list_changes()] == ["a", None, None]
    store.log.rename_subjects({"cell 3": "a forgotten cell"})
    assert store.log.list_changes()[0].subject == "a forgotten cell"


def test_no_secret_is_stored_in_the_log(store: Store) -> None:
    store.log.log_change("Ann", "note", "cell 1", before="The password is hunter22xy.")
    assert "hunter22xy" not in f"{store.log.list_changes()}"


def test_model_calls_are_counted_by_day_model_and_purpose(store: Store) -> None:
    at = now_utc()
    for purpose, failed in (("extract", False), ("extract", True), ("condense", False)):
        store.log.note_usage(UsageRecord(at, "m", purpose, 10, 2, failed=failed, estimated=failed))
    condense, extract = store.log.list_usage()
    assert (condense.purpose, condense.calls) == ("condense", 1)
    assert extract[3:] == (2, 1, 20, 4, 1)
