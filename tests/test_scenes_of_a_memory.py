"""Scenes: one for all spellings of a name, renamed and merged without losing a cell or a name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.errors import NotFoundError
from scenemem.base.text import name_key
from scenemem.memory.memory_db import MemoryDB


def test_three_spellings_of_a_name_are_one_scene(db: MemoryDB) -> None:
    for name, content in (
        ("Kitchen Remodel", "Boiler is from 1998"),
        ("kitchen remodel", "Floor is uneven by the door"),
        (" kitchen-remodel ", "Call the tiler"),
    ):
        db.insert_cell({"scene": name, "content": content})
    db.upsert_scene("KITCHEN_REMODEL", "An old boiler and an uneven floor.")
    (scene,) = db.scenes.list_scenes()
    assert (scene.scene, scene.cells) == ("Kitchen Remodel", 3)
    for spelling in (
        "Kitchen Remodel",
        "kitchen remodel",
        " kitchen-remodel ",
        "ＫＩＴＣＨＥＮ remodel",
    ):
        assert db.get_scene(spelling) == scene
        assert db.retrieve_scene_summary(spelling) == "An old boiler and an uneven floor."
        assert len(db.cells.list_cells(scene=spelling)) == 3


def test_another_name_leads_to_a_scene_unless_it_leads_elsewhere(db: MemoryDB) -> None:
    db.insert_cell({"scene": "Boiler", "content": "The boiler is from 1998."})
    db.insert_cell({"scene": "Garden", "content": "The pear tree bloomed."})
    db.scenes.add_alias("boiler", "Heating")
    db.scenes.add_alias("garden", "heating")
    assert db.scenes.resolve_scene("HEATING") == "Boiler"
    (cell,) = db.retrieve_scene_context("When is the boiler from?")
    assert (cell.scene, cell.content) == ("Boiler", "The boiler is from 1998.")
    with pytest.raises(NotFoundError):
        db.scenes.add_alias("Cellar", "Basement")


def test_a_renamed_scene_is_found_under_its_old_name(db: MemoryDB) -> None:
    db.insert_cell({"scene": "Boiler", "content": "Boiler is from 1998"})
    renamed = db.scenes.rename_scene("boiler", "Kitchen remodel")
    assert (renamed.scene, renamed.aliases) == ("Kitchen remodel", ("Boiler",))
    assert db.cells.list_cells(scene="Boiler")[0].scene == "Kitchen remodel"
    db.insert_cell({"scene": "BOILER", "content": "It was serviced in May"})
    assert db.scenes.count_scenes() == 1


def test_a_name_in_use_can_not_be_taken(db: MemoryDB) -> None:
    db.cells.insert_cells([{"scene": "A", "content": "one"}, {"scene": "B", "content": "two"}])
    with pytest.raises(ValueError, match="belongs to the scene 'B'"):
        db.scenes.rename_scene("A", "b")
    with pytest.raises(ValueError, match="empty"):
        db.scenes.rename_scene("A", "  ")
    with pytest.raises(NotFoundError, match="'C'"):
        db.scenes.rename_scene("C", "D")


def test_merged_scenes_keep_all_cells_and_names(db: MemoryDB) -> None:
    db.cells.insert_cells(
        [{"scene": "Trip", "content": "to Porto"}, {"scene": "Travel", "content": "by rail"}]
    )
    db.upsert_scene("Travel", "By rail.")
    merged = db.scenes.merge_scenes("trip", "travel")
    assert (merged.scene, merged.cells, merged.stale) == ("Travel", 2, True)
    assert merged.aliases == ("Trip",)
    assert db.get_scene("Trip") == merged
    assert [c.action for c in db.log.list_changes(subject="scene Travel")] == ["merge", "summarize"]


def test_a_scene_is_stale_while_it_has_cells_beyond_its_summary(db: MemoryDB) -> None:
    first = db.insert_cell({"scene": "Garden", "content": "Tray 1 holds basil"})
    assert [s.scene for s in db.scenes.list_scenes(stale=True)] == ["Garden"]
    db.upsert_scene("Garden", "Basil.")
    assert db.scenes.list_scenes(stale=True) == []
    db.insert_cell({"scene": "Garden", "content": "Tray 2 holds mint"})
    scene = db.get_scene("Garden")
    assert scene is not None and scene.stale and scene.watermark == first.id
    assert db.scenes.count_scenes(stale=True) == 1


def test_the_summary_before_stays_in_the_log(db: MemoryDB) -> None:
    db.upsert_scene("Garden", "Basil.")
    db.upsert_scene("Garden", "Basil and mint.")
    change = db.log.list_changes(subject="scene Garden")[0]
    assert (change.before, change.after) == ("Basil.", "Basil and mint.")


def test_what_is_missing_is_none_or_named(db: MemoryDB) -> None:
    assert db.get_scene("nowhere") is None
    assert db.retrieve_scene_summary("nowhere") == ""
    with pytest.raises(NotFoundError, match="'nowhere'"):
        db.cells.list_cells(scene="nowhere")


def test_many_scenes_are_listed_with_the_one_spoken_of_last_first(db: MemoryDB) -> None:
    db.cells.insert_cells({"scene": f"Scene {n}", "content": f"cell {n}"} for n in range(1200))
    scenes = db.scenes.list_scenes()
    assert len(scenes) == 1200
    assert all(a.last_at and b.last_at and a.last_at >= b.last_at for a, b in pairwise(scenes))
    assert len(db.scenes.list_scenes(limit=7)) == 7


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_any_text_is_a_scene_name_and_leads_back_to_its_scene(names: list[str]) -> None:
    with MemoryDB() as db:
        for number, name in enumerate(names):
            db.insert_cell({"scene": name, "content": f"cell {number}"})
        keys = {name_key(" ".join(name.split())) or name_key("General") for name in names}
        assert db.scenes.count_scenes() <= len(keys) + 1
        assert sum(scene.cells for scene in db.scenes.list_scenes()) == len(names)
        for name in names:
            if name.strip():
                assert db.get_scene(name) is not None
