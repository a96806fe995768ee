"""Consolidation: rewrite a scene's summary from its cells.

A scene is *due* once enough cells have been added after its watermark. The summary is written from
the cells themselves, never from the previous summary, so that forgotten content can't come back and
errors are not copied forward. The input is bounded however large the scene is: its most salient and
its newest cells, in the order they were said.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemem.base.records import Cell, Scene
from scenemem.base.text import name_key
from scenemem.engines.engine import Engine, SceneSummary
from scenemem.memory.memory_db import MemoryDB

__all__ = ["cells_to_summarize", "consolidate"]


def cells_to_summarize(salient: Sequence[Cell], newest: Sequence[Cell], most: int) -> list[Cell]:
    """At most `most` cells, half the most salient and half the newest, in the order they were said.

    Pure; `salient` and `newest` are sorted best first.
    """
    chosen: dict[int, Cell] = {}
    for ranked in (salient[: most // 2], newest, salient[most // 2 :]):
        for cell in ranked:
            if len(chosen) < most:
                chosen.setdefault(cell.id, cell)
    return [chosen[cell_id] for cell_id in sorted(chosen)]


def consolidate(db: MemoryDB, engine: Engine, scene: Scene) -> Scene:
    """Rewrite one scene's summary, and rename the scene if the engine suggests a better name.

    The engine runs outside any transaction. If cells are stored meanwhile, the summary does not
    cover them and the scene stays stale. Raises `ModelError` if the engine fails; nothing is
    changed then.
    """
    most = engine.economy.summary_cells
    newest = db.cells.list_cells(scene=scene.scene, order="newest", limit=most)
    if not newest:
        return scene
    salient = db.cells.list_cells(scene=scene.scene, order="salience", limit=most)
    summary = engine.summarize(scene, cells_to_summarize(salient, newest, most))
    with db.transaction():
        now = db.scenes.get_scene(scene.scene)
        if now is None or now.watermark > newest[0].id:
            return now or scene  # forgotten, or rewritten from newer cells by another process
        renewed = db.scenes.upsert_scene(
            now.scene, summary.text, watermark=newest[0].id, actor=engine.name
        )
        return _rename_if_better(db, renewed, summary, engine.name)


def _rename_if_better(db: MemoryDB, scene: Scene, summary: SceneSummary, actor: str) -> Scene:
    name = summary.name
    if name is None or name_key(name) == name_key(scene.scene):
        return scene
    if not db.scenes.is_extracted(scene.scene):
        return scene  # the name is a caller's choice
    if db.scenes.resolve_scene(name) is not None:
        return scene  # the name belongs to another scene
    return db.scenes.rename_scene(scene.scene, name, actor=actor)
