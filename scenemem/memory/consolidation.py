"""Consolidation: when a scene's summary is renewed, and from which cells.

A scene is *due* when enough cells came after its watermark. The summary is made from the cells
themselves, never from the previous summary's wording, so that what was forgotten can't come back
and no error is copied on. The input is bounded however large the scene is: its most salient and
its newest cells, in the order they were told.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemem.base.records import Cell, Scene
from scenemem.base.text import name_key
from scenemem.engines.engine import Engine, SceneSummary
from scenemem.memory.memory_db import MemoryDB

__all__ = ["cells_to_summarize", "consolidate"]


def cells_to_summarize(salient: Sequence[Cell], newest: Sequence[Cell], most: int) -> list[Cell]:
    """At most `most` cells, half for being salient and half for being new, as told.

    Pure; `salient` and `newest` come best first.
    """
    chosen: dict[int, Cell] = {}
    for ranked in (salient[: most // 2], newest, salient[most // 2 :]):
        for cell in ranked:
            if len(chosen) < most:
                chosen.setdefault(cell.id, cell)
    return [chosen[cell_id] for cell_id in sorted(chosen)]


def consolidate(db: MemoryDB, engine: Engine, scene: Scene) -> Scene:
    """Renew one scene's summary, and its name where the engine knows a better one.

    The engine works outside of any transaction. What was stored meanwhile is not covered: the
    scene stays stale then. Raises `ModelError` when the engine fails; nothing has changed then.
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
            return now or scene  # forgotten, or renewed by another process with more in view
        renewed = db.scenes.upsert_scene(
            now.scene, summary.text, watermark=newest[0].id, actor=engine.name
        )
        return _renamed(db, renewed, summary, engine.name)


def _renamed(db: MemoryDB, scene: Scene, summary: SceneSummary, actor: str) -> Scene:
    name = summary.name
    if name is None or name_key(name) == name_key(scene.scene):
        return scene
    if not db.scenes.is_extracted(scene.scene):
        return scene  # a caller named it
    if db.scenes.resolve_scene(name) is not None:
        return scene  # the name belongs to another scene
    return db.scenes.rename_scene(scene.scene, name, actor=actor)
