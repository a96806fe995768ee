"""Frames: every column typed, the same for an empty memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from explored import day, remember_a_move

from scenemem import explore
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.errors import MissingExtraError
from scenemem.base.outcomes import UsageRecord
from scenemem.base.records import ROLES, CellDraft
from scenemem.explore import (
    cells_frame,
    messages_frame,
    recalls_frame,
    scenes_frame,
    usage_frame,
)
from scenemem.explore.explain_picture import part_shares
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall
from scenemem.retrieval.weights import EVIDENCE, FACTORS

pandas = pytest.importorskip("pandas")

Frame = Callable[[MemoryDB], Any]


def recalls(db: MemoryDB) -> Any:
    return recalls_frame(db, "the garden plot", now=day(10, 1))


@pytest.fixture(scope="module")
def moved() -> Iterator[MemoryDB]:
    """A memory that no test changes."""
    with MemoryDB() as db:
        remember_a_move(db)
        db.log.note_usage(UsageRecord(day(6, 1), "small", "extract", 10, 2))
        yield db


@pytest.mark.parametrize("frame", [scenes_frame, cells_frame, messages_frame, recalls, usage_frame])
def test_an_empty_memory_has_the_same_columns_and_types(frame: Frame, moved: MemoryDB) -> None:
    full = frame(moved)
    with MemoryDB() as nothing:
        empty = frame(nothing)
    assert len(empty) == 0 and len(full) > 0
    assert list(empty.columns) == list(full.columns)
    for name in full.columns:
        one, other = full[name].dtype, empty[name].dtype
        assert type(one) is type(other), name
        if isinstance(one, pandas.CategoricalDtype):
            assert one.categories.dtype == other.categories.dtype, name
        else:
            assert one == other, name


def test_cells_have_aware_instants_categories_and_whole_numbers(moved: MemoryDB) -> None:
    frame = cells_frame(moved)
    assert str(frame["created_at"].dtype) == "datetime64[us, UTC]"
    assert list(frame["cell_type"].cat.categories) == list(CELL_TYPES)
    assert str(frame["superseded_by"].dtype) == "Int64"
    stored = moved.cells.list_cells(superseded=True)
    assert list(frame["content"]) == [cell.content for cell in stored]
    assert frame["created_at"].iloc[0].to_pydatetime() == day(6, 1)
    gone = frame[frame["superseded_by"].notna()]
    assert set(gone["content"]) == {"I live in Oslo.", "I love spicy food."}
    assert frame["session"].iloc[0] == "June"


def test_a_cell_of_any_year_and_without_a_source_has_its_row(db: MemoryDB) -> None:
    ancient = day(6, 1).replace(year=1066)
    db.insert_cell(CellDraft("A comet was seen.", scene="Sky", at=ancient))
    frame = cells_frame(db)
    assert frame["created_at"].iloc[0].to_pydatetime() == ancient
    assert frame["source_first"].isna().all() and frame["session"].isna().all()


def test_scenes_count_cells_in_force_and_superseded_ones(moved: MemoryDB) -> None:
    frame = scenes_frame(moved)
    assert frame["cells"].sum() == moved.cells.count_cells()
    assert frame["superseded"].sum() == 2
    assert list(frame["scene"]) == [scene.scene for scene in moved.scenes.list_scenes()]


def test_messages_tell_how_many_cells_they_made(moved: MemoryDB) -> None:
    frame = messages_frame(moved)
    assert list(frame["role"].cat.categories) == list(ROLES)
    assert frame["content"].iloc[0] == "I live in Oslo. I love spicy food."
    assert frame["cells"].iloc[0] == 2 and frame["tokens"].iloc[0] == 9
    assert frame["cells"].sum() == len(cells_frame(moved))


def test_messages_are_verbatim_or_without_secrets_as_asked_for(db: MemoryDB) -> None:
    MemoryManager(db).update("The boat club's password is teal-Otter-42.", "Noted.")
    assert "teal-Otter-42" in messages_frame(db)["content"].iloc[0]
    assert "[secret not kept]" in messages_frame(db, redacted=True)["content"].iloc[0]
    assert not messages_frame(db, redacted=True)["content"].str.contains("Otter").any()


def test_recalls_have_a_row_a_hit_with_the_parts_of_its_score(moved: MemoryDB) -> None:
    frame = recalls_frame(moved, "the garden plot", "Bruno", limit=2, now=day(10, 1))
    assert list(frame["query"]) == ["the garden plot"] * 2 + ["Bruno"] * 2
    assert list(frame["rank"]) == [1, 2, 1, 2]
    first = recall(moved, "the garden plot", limit=1, now=day(10, 1)).hits[0]
    row = frame.iloc[0]
    assert row["text"] == first.text and row["score"] == pytest.approx(first.score)
    parts = {name: float(row[f"part_{name}"]) for name in (*EVIDENCE, *FACTORS)}
    assert parts == pytest.approx(first.parts)
    assert sum(part_shares(parts).values()) == pytest.approx(first.score)
    assert row["words"] == ("garden", "plot")


def test_usage_has_a_row_a_day_model_and_purpose(db: MemoryDB) -> None:
    db.log.note_usage(UsageRecord(day(6, 1), "small", "extract", 10, 2))
    db.log.note_usage(UsageRecord(day(6, 1), "small", "extract", 5, 1, failed=True))
    row = usage_frame(db).iloc[0]
    assert (row["calls"], row["failed"], row["prompt_tokens"]) == (2, 1, 15)
    assert str(usage_frame(db)["day"].dtype) == "datetime64[us]"


def test_a_missing_extra_is_said_in_one_sentence(
    db: MemoryDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'scenemem\[notebook\]'"):
        cells_frame(db)


def test_a_missing_extra_is_said_also_where_names_are_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "scenemem.explore.widget", raising=False)
    monkeypatch.delitem(vars(explore), "Explorer", raising=False)
    with pytest.raises(MissingExtraError, match="this needs anywidget"):
        _ = explore.Explorer
