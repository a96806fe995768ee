"""Scenes: one for all spellings of a name, renamed and merged without losing a cell or a name."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import Kind, fresh

from scenemem.base.errors import NotFoundError
from scenemem.base.records import CellDraft, MessageDraft, Source
from scenemem.base.text import name_key
from scenemem.store.protocol import DEFAULT_SCENE, Store


def test_every_spelling_leads_to_the_one_scene(store: Store) -> None:
    name = store.scenes.ensure_scene("  Kitchen   Remodel ")
    assert name == "Kitchen Remodel"
    for spelling in (
        "kitchen remodel",
        " kitchen-remodel ",
        "KITCHEN_REMODEL",
        "ＫＩＴＣＨＥＮ remodel",
    ):
        assert store.scenes.ensure_scene(spelling) == name
        assert store.scenes.resolve_scene(spelling) == name
    assert store.scenes.resolve_scene("kitchens") is None
    assert store.scenes.ensure_scene("") == DEFAULT_SCENE
    assert store.scenes.count_scenes() == 2


def test_an_alias_leads_to_its_scene_unless_it_leads_elsewhere(store: Store) -> None:
    store.scenes.ensure_scene("Boiler")
    store.scenes.ensure_scene("Garden")
    store.scenes.add_alias("boiler", "Heating")
    store.scenes.add_alias("garden", "heating")
    assert store.scenes.resolve_scene("HEATING") == "Boiler"
    with pytest.raises(NotFoundError, match="'Cellar'"):
        store.scenes.add_alias("Cellar", "Basement")


def test_a_renamed_scene_is_found_under_its_old_name(store: Store) -> None:
    store.cells.insert_cell({"scene": "Boiler", "content": "Boiler is from 1998"})
    renamed = store.scenes.rename_scene("boiler", "Kitchen remodel")
    assert (renamed.scene, renamed.aliases) == ("Kitchen remodel", ("Boiler",))
    assert store.cells.list_cells(scene="Boiler")[0].scene == "Kitchen remodel"
    store.cells.insert_cell({"scene": "BOILER", "content": "It was serviced in May"})
    assert store.scenes.count_scenes() == 1


def test_a_name_in_use_can_not_be_taken(store: Store) -> None:
    store.cells.insert_cells([{"scene": "A", "content": "one"}, {"scene": "B", "content": "two"}])
    with pytest.raises(ValueError, match="belongs to the scene 'B'"):
        store.scenes.rename_scene("A", "b")
    with pytest.raises(ValueError, match="empty"):
        store.scenes.rename_scene("A", "  ")
    with pytest.raises(NotFoundError, match="'C'"):
        store.scenes.rename_scene("C", "D")


def test_merged_scenes_keep_all_cells_and_names(store: Store) -> None:
    store.cells.insert_cells(
        [{"scene": "Trip", "content": "to Porto"}, {"scene": "Travel", "content": "by rail"}]
    )
    store.scenes.upsert_scene("Travel", "By rail.")
    merged = store.scenes.merge_scenes("trip", "travel")
    assert (merged.scene, merged.cells, merged.stale) == ("Travel", 2, True)
    assert merged.aliases == ("Trip",)
    assert store.scenes.get_scene("Trip") == merged
    assert [c.action for c in store.log.list_changes(subject="scene Travel")] == [
        "merge",
        "summarize",
    ]


def test_a_scene_is_stale_while_it_has_cells_beyond_its_summary(store: Store) -> None:
    first = store.cells.insert_cell({"scene": "Garden", "content": "Tray 1 holds basil"})
    assert [s.scene for s in store.scenes.list_scenes(stale=True)] == ["Garden"]
    store.scenes.upsert_scene("Garden", "Basil.")
    assert store.scenes.list_scenes(stale=True) == []
    store.cells.insert_cell({"scene": "Garden", "content": "Tray 2 holds mint"})
    scene = store.scenes.get_scene("Garden")
    assert scene is not None and scene.stale and scene.watermark == first.id
    assert store.scenes.count_scenes(stale=True) == 1


def test_the_summary_before_stays_in_the_log(store: Store) -> None:
    store.scenes.upsert_scene("Garden", "Basil.")
    store.scenes.upsert_scene("Garden", "Basil and mint.")
    change = store.log.list_changes(subject="scene Garden")[0]
    assert (change.before, change.after) == ("Basil.", "Basil and mint.")


def test_what_is_missing_is_none_or_named(store: Store) -> None:
    assert store.scenes.get_scene("nowhere") is None
    assert store.scenes.retrieve_scene_summary("nowhere") == ""
    with pytest.raises(NotFoundError, match="'nowhere'"):
        store.cells.list_cells(scene="nowhere")


def test_many_scenes_are_listed_with_the_one_spoken_of_last_first(store: Store) -> None:
    store.cells.insert_cells({"scene": f"Scene {n}", "content": f"cell {n}"} for n in range(1200))
    scenes = store.scenes.list_scenes()
    assert len(scenes) == 1200
    assert all(a.last_at and b.last_at and a.last_at >= b.last_at for a, b in pairwise(scenes))
    assert len(store.scenes.list_scenes(limit=7)) == 7


def test_any_text_is_a_scene_name_and_leads_back_to_its_scene(kind: Kind, tmp_path: Path) -> None:
    @given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
    def check(names: list[str]) -> None:
        with fresh(kind, tmp_path) as store:
            for number, name in enumerate(names):
                store.cells.insert_cell({"scene": name, "content": f"cell {number}"})
            keys = {name_key(" ".join(name.split())) or name_key("General") for name in names}
            assert store.scenes.count_scenes() <= len(keys) + 1
            assert sum(scene.cells for scene in store.scenes.list_scenes()) == len(names)
            for name in names:
                if name.strip():
                    assert store.scenes.get_scene(name) is not None

    check()


def test_scenes_are_read_by_their_names_in_the_order_that_is_given(store: Store) -> None:
    store.cells.insert_cells({"scene": name, "content": name} for name in "ABC")
    assert [s.scene for s in store.scenes.get_scenes(["C", "missing", "A", "C"])] == ["C", "A"]
    assert store.scenes.get_scenes([]) == []


def test_a_summary_covers_the_cells_up_to_its_watermark(store: Store) -> None:
    first, second = store.cells.insert_cells(
        {"scene": "Garden", "content": text} for text in ("basil", "mint")
    )
    at = datetime(2026, 5, 1, tzinfo=UTC)
    scene = store.scenes.upsert_scene("Garden", " Basil. ", watermark=first.id, at=at)
    assert (scene.summary, scene.watermark, scene.updated_at) == ("Basil.", first.id, at)
    assert scene.stale and scene.cells == 2
    assert not store.scenes.upsert_scene("garden", "Basil and mint.").stale
    assert [s.scene for s in store.scenes.list_due()] == []
    store.cells.update_cell(second.id, content="sage")
    assert [s.scene for s in store.scenes.list_due()] == ["Garden"]
    assert [s.scene for s in store.scenes.list_scenes(stale=True)] == ["Garden"]


def test_a_scene_without_a_cell_in_force_has_no_summary_and_is_not_stale(store: Store) -> None:
    old = store.cells.insert_cell({"scene": "Garden", "content": "basil"})
    store.scenes.upsert_scene("Garden", "Basil.")
    new = store.cells.insert_cell({"scene": "Balcony", "content": "basil is on the balcony"})
    store.cells.supersede_cell(old.id, new.id)
    scene = store.scenes.get_scene("Garden")
    assert scene is not None and (scene.summary, scene.cells, scene.stale) == ("", 0, False)


def test_a_scene_can_be_renamed_without_a_trace_of_its_old_name(store: Store) -> None:
    store.cells.insert_cell({"scene": "Quasimodo", "content": "a parrot"})
    renamed = store.scenes.rename_scene("quasimodo", "Parrot", keep_alias=False, actor="Ann")
    assert (renamed.scene, renamed.aliases) == ("Parrot", ())
    assert store.scenes.resolve_scene("Quasimodo") is None
    (change,) = store.log.list_changes(actor="Ann")
    assert (change.subject, change.before) == ("scene Parrot", None)


def test_a_scene_of_a_caller_is_told_from_an_engines_own(store: Store) -> None:
    message = store.sessions.append_messages("A", [MessageDraft("user", "hi")]).messages[0]
    source = Source("A", message.id, message.id)
    store.cells.insert_cell(CellDraft("one", "Engine", source=source))
    assert store.scenes.is_extracted("Engine")
    store.cells.insert_cell(CellDraft("two", "Engine"))
    assert not store.scenes.is_extracted("Engine")


def test_no_secret_is_stored_in_a_summary(store: Store) -> None:
    scene = store.scenes.upsert_scene("Wi-Fi", "The password is hunter22xy.")
    assert "hunter22xy" not in scene.summary
