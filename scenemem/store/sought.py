"""What a full-text search looks for, as a small tree; each store compiles it to its own syntax.

A leaf is a text, whose words must stand one behind the other. The store cuts and stems it as it did
what it indexed: words of letters and digits, case and accents removed, English endings stripped. So
no text of a user is ever syntax, and nothing above the store knows any. A leaf without a word
matches nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["Sought", "all_of", "any_of", "phrase", "prefix", "without"]


class Sought(NamedTuple):
    """One node: a "phrase" or "prefix" has its `text`, the others the nodes that they are `of`.

    "any" matches where one of its nodes does, "all" where each does, "without" where its first
    does and its second does not.
    """

    op: Literal["phrase", "prefix", "any", "all", "without"]
    text: str = ""
    of: tuple[Sought, ...] = ()


def phrase(text: str) -> Sought:
    """The words of `text`, one behind the other."""
    return Sought("phrase", text)


def prefix(text: str) -> Sought:
    """The words of `text`, one behind the other, of the last only its beginning."""
    return Sought("prefix", text)


def any_of(nodes: Iterable[Sought]) -> Sought:
    """Any of the nodes, each once; of none, what matches nothing."""
    distinct = tuple(dict.fromkeys(nodes))
    return distinct[0] if len(distinct) == 1 else Sought("any", of=distinct)


def all_of(*nodes: Sought) -> Sought:
    """All of the nodes, at least one."""
    if not nodes:
        raise ValueError("all_of needs at least one node")
    return Sought("all", of=nodes)


def without(node: Sought, unwanted: Sought) -> Sought:
    """Where the node matches and the unwanted one does not."""
    return Sought("without", of=(node, unwanted))
