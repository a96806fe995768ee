"""Whatever a caller meets is importable from `scenemem`: arguments, results and their parts."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scenemem
import scenemem.explore

PACKAGE = Path(scenemem.__file__).parent
NAME = re.compile(r"[A-Za-z_]\w*")
PUBLIC = [name for name in scenemem.__all__ if not name.isupper()]


def types_of_ours() -> set[str]:
    """The names of all classes and type aliases that the package defines, but for private ones."""
    names: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                is_alias = isinstance(node.value, ast.Subscript | ast.BinOp)
                names |= {
                    t.id
                    for t in targets
                    if is_alias and isinstance(t, ast.Name) and re.fullmatch(r"[A-Z]\w*[a-z]", t.id)
                }
    return {name for name in names if not name.startswith("_")}


# The insides of a recall: a caller passes them on at most.
INSIDE = {"Asked", "Meaning", "Term"}
OURS = types_of_ours() - INSIDE


def annotations_of(value: Any) -> Iterator[str]:
    """The annotations, as written, that somebody reads who uses a function or a class."""
    if inspect.isclass(value):
        for base in inspect.getmro(value):
            if not base.__module__.startswith("scenemem"):
                continue
            fields = vars(base).get("__annotations__", {})
            yield from (f"{kind}" for field, kind in fields.items() if not field.startswith("_"))
            for name, member in vars(base).items():
                if name == "__init__" or not name.startswith("_"):
                    yield from annotations_of(member)
    elif isinstance(value, property):
        yield from annotations_of(value.fget)
    elif isinstance(value, classmethod | staticmethod):
        yield from annotations_of(value.__func__)
    elif hasattr(value, "func"):  # a cached property
        yield from annotations_of(value.func)
    elif inspect.isfunction(value):
        yield from (f"{kind}" for kind in value.__annotations__.values())


@pytest.mark.parametrize("name", PUBLIC)
def test_every_type_in_a_public_signature_is_exported(name: str) -> None:
    met = {
        word
        for annotation in annotations_of(getattr(scenemem, name))
        for word in NAME.findall(annotation)
    }
    missing = sorted((met & OURS) - set(scenemem.__all__))
    assert not missing, f"{name} tells of {missing}, which can't be imported from scenemem"


def test_every_public_name_is_found_where_it_is_said_to_be() -> None:
    for name in scenemem.__all__:
        assert getattr(scenemem, name) is not None
    assert len(scenemem.__all__) == len(set(scenemem.__all__))
    assert set(scenemem.__all__) <= set(dir(scenemem))


@pytest.mark.parametrize(
    "name",
    ["Weights", "CellType", "Appended", "MissingExtraError", "MemoryView", "Store", "Evidence"],
)
def test_what_callers_meet_is_exported(name: str) -> None:
    assert name in scenemem.__all__
