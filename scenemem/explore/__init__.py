"""Explore a memory visually: frames, pictures, and a notebook widget.

    from scenemem import MemoryDB
    from scenemem.explore import cells_frame, explain, explore, timeline

    db = MemoryDB("agent.db")
    timeline(db)                         # a picture: one lane per scene, with its cells as marks
    explain(db, "when is the launch?")   # why each hit was found
    cells_frame(db)                      # a pandas DataFrame
    explore(db)                          # a query box with live recall

Nothing here contacts a server or loads anything from the network. It needs the extra `notebook`;
each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenemem.explore.change_picture import change
    from scenemem.explore.explain_picture import explain
    from scenemem.explore.frames import (
        cells_frame,
        messages_frame,
        recalls_frame,
        scenes_frame,
        usage_frame,
    )
    from scenemem.explore.growth_picture import growth
    from scenemem.explore.map_picture import scene_map
    from scenemem.explore.picture import Picture
    from scenemem.explore.timeline_picture import timeline
    from scenemem.explore.widget import Explorer, explore

__all__ = [
    "Explorer",
    "Picture",
    "cells_frame",
    "change",
    "explain",
    "explore",
    "growth",
    "messages_frame",
    "recalls_frame",
    "scene_map",
    "scenes_frame",
    "timeline",
    "usage_frame",
]

_HOME = {
    "change_picture": ("change",),
    "explain_picture": ("explain",),
    "frames": (
        "cells_frame",
        "messages_frame",
        "recalls_frame",
        "scenes_frame",
        "usage_frame",
    ),
    "growth_picture": ("growth",),
    "map_picture": ("scene_map",),
    "picture": ("Picture",),
    "timeline_picture": ("timeline",),
    "widget": ("Explorer", "explore"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'scenemem.explore' has no attribute {name!r}")
    from scenemem.explore.axes import needed

    value = getattr(needed(f"scenemem.explore.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
