"""The branch of a conversation tree that was shown: edited and regenerated messages fork it.

Both ChatGPT and Claude keep every version of an edited question and a regenerated answer as
siblings. What the user saw last is the way from the current leaf up through the parents.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime


def shown_branch(
    parents: Mapping[str, str | None],
    times: Mapping[str, datetime | None],
    current: str | None,
) -> list[str]:
    """The nodes from the root to the leaf `current`, or to the newest leaf without it.

    `parents` has every node, in the order of the file; a parent that is no node is none. When no
    node has a parent, the nodes are a plain list and all of them are shown.
    """
    known = {node: parent if parent in parents else None for node, parent in parents.items()}
    if all(parent is None for parent in known.values()):
        return list(known)
    leaf = current if current in known else _newest_leaf(known, times)
    branch: dict[str, None] = {}
    while leaf is not None and leaf not in branch:  # a cycle ends where it began
        branch[leaf] = None
        leaf = known[leaf]
    return list(reversed(branch))


def _newest_leaf(
    parents: Mapping[str, str | None], times: Mapping[str, datetime | None]
) -> str | None:
    """The leaf with the latest time, its own or its nearest ancestor's; of equals the last one."""
    inner = set(parents.values())
    nearest: dict[str, datetime | None] = {}
    newest: str | None = None
    newest_at: datetime | None = None
    for leaf in [node for node in parents if node not in inner] or list(parents):
        at = _nearest_time(leaf, parents, times, nearest)
        if newest_at is None or (at is not None and at >= newest_at):
            newest, newest_at = leaf, at
    return newest


def _nearest_time(
    node: str,
    parents: Mapping[str, str | None],
    times: Mapping[str, datetime | None],
    nearest: dict[str, datetime | None],
) -> datetime | None:
    """The time of `node` or of its nearest ancestor that has one; `nearest` keeps what is known."""
    path: list[str] = []
    above: str | None = node
    found: datetime | None = None
    while above is not None:
        if above in nearest:
            found = nearest[above]
            break
        path.append(above)
        nearest[above] = None  # so that a cycle ends
        if (found := times.get(above)) is not None:
            break
        above = parents[above]
    nearest.update(dict.fromkeys(path, found))
    return found
