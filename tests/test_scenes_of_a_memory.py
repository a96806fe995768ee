"""Scenes: one for all spellings of a name, renamed and merged without losing a cell or a name."""

from __future__ import annotations

import pytest

from scenemem.base.errors import NotFoundError
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
