"""Which cells were counted already, so that none counts twice.

What is placed is counted at once and comes back later as a stored cell; a cell may also be shown
more than once. Both are told at the cost of a bit for each cell and a bounded list.
"""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["CountedCells"]

_EXPECTED_KEPT = 20_000
_PAGE = 1024


class CountedCells:
    """What was counted of one memory. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # page of ids -> one bit for each
        self._expected: OrderedDict[tuple[int, str], int] = OrderedDict()

    def expect(self, number: int, content: str) -> None:
        """Know that `content` was counted for scene `number` when it was placed."""
        self._expected[number, content] = self._expected.get((number, content), 0) + 1
        if len(self._expected) > _EXPECTED_KEPT:
            self._expected.popitem(last=False)

    def was_expected(self, number: int, content: str) -> bool:
        """Whether this was counted when it was placed; it is expected once less from now on."""
        times = self._expected.pop((number, content), 0)
        if times > 1:
            self._expected[number, content] = times - 1
        return times > 0

    def is_known(self, cell: int) -> bool:
        """Whether the cell of this id was shown before; from now on it was."""
        page, place = divmod(cell, _PAGE)
        bits = self._known.get(page, 0)
        self._known[page] = bits | 1 << place
        return bool(bits >> place & 1)
