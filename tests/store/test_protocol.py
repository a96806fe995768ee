"""What a store offers is what is tested here: no method without its test, none left out."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

from scenemem.store import evidence, protocol
from scenemem.store.evidence import Evidence, Scope
from scenemem.store.protocol import Cells, Log, Notebook, Scenes, Sessions, Store, Vectors

GROUPS: dict[str, type] = {
    "cells": Cells,
    "scenes": Scenes,
    "sessions": Sessions,
    "notebook": Notebook,
    "log": Log,
    "vectors": Vectors,
    "evidence": Evidence,
    "store": Store,
}
OFFERED = [
    (group, name)
    for group, offered in GROUPS.items()
    for name in vars(offered)
    if not name.startswith("_")
]


def _named(node: ast.expr) -> str:
    """The last name of what an attribute is asked of: "cells" in `store.cells` and in `cells`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


USED = {
    (_named(node.value), node.attr)
    for file in Path(__file__).parent.glob("*.py")
    for node in ast.walk(ast.parse(file.read_text()))
    if isinstance(node, ast.Attribute)
}


@pytest.mark.parametrize(("group", "name"), OFFERED)
def test_every_part_of_the_protocols_is_tested(group: str, name: str) -> None:
    assert (group, name) in USED


def _opened(store: Store) -> dict[str, Any]:
    with store.snapshot():
        looked_into = store.evidence(Scope())
    groups = {name: getattr(store, name) for name in GROUPS if name not in ("store", "evidence")}
    return {**groups, "evidence": looked_into, "store": store}


def test_every_store_offers_all_of_it_in_its_own_way(store: Store) -> None:
    opened = _opened(store)
    for group, name in OFFERED:
        own = inspect.getattr_static(opened[group], name)
        assert own is not inspect.getattr_static(GROUPS[group], name), f"{group}.{name} is missing"
        ours = inspect.getattr_static(GROUPS[group], name)
        if inspect.isfunction(ours):
            theirs = getattr(opened[group], name)
            assert (
                list(inspect.signature(theirs).parameters)
                == list(inspect.signature(ours).parameters)[1:]
            ), f"{group}.{name}"


@pytest.mark.parametrize("module", [protocol, evidence])
def test_every_method_of_the_protocols_is_documented(module: Any) -> None:
    for offered in GROUPS.values():
        if offered.__module__ == module.__name__:
            for name, method in vars(offered).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    assert method.__doc__, f"{offered.__name__}.{name}"
