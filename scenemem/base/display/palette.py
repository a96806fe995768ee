"""The colours of cell types, in the order of their table, for light, dark and unknown grounds.

The last three of each ground are spare: a new type takes the next one. Beyond them the colours
start again from the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from scenemem.base.cell_types import CELL_TYPES

__all__ = ["DARK_TYPES", "EITHER_TYPES", "LIGHT_TYPES"]


def _of_types(colours: Sequence[str]) -> dict[str, str]:
    return dict(zip(CELL_TYPES, cycle(colours), strict=False))


_LIGHT = "#0072b2 #4aa3d8 #b8629a #00855f #b97700 #c8500a #6b5bb5 #5f7d1f #8a5a44"
_DARK = "#58a6e0 #8ccbf0 #df9cc6 #3dc79b #eaae3c #f0834a #a99be8 #b5c95a #c99f87"
_EITHER = "#2e86c1 #6cb6e6 #c274a6 #199b75 #cf8b17 #dd6a2c #8a7bd0 #86a13a #a97a62"
LIGHT_TYPES = _of_types(_LIGHT.split())
DARK_TYPES = _of_types(_DARK.split())
EITHER_TYPES = _of_types(_EITHER.split())
