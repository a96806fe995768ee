"""Checks of what callers pass in: one set for every public function.

Called first thing, so that a wrong call fails at once, with one sentence that names the parameter,
what it must be, and what it got: "limit must be at least 1, got 0". A wrong type is a `TypeError`,
a wrong value a `ValueError`. A check costs well under a microsecond when all is well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from scenemem.base.text import clean, shorten

__all__ = [
    "LARGEST_INT",
    "bool_given",
    "date_given",
    "datetime_given",
    "engine_given",
    "function_given",
    "ids_given",
    "int_given",
    "items_given",
    "mapping_given",
    "memory_given",
    "number_given",
    "object_given",
    "one_of_given",
    "path_given",
    "quoted",
    "reader_given",
    "records_given",
    "store_given",
    "str_given",
    "strs_given",
]

LARGEST_INT = 2**63 - 1  # what a store can hold
Record = TypeVar("Record")
_LONGEST = 80  # characters of a wrong value that are quoted


def quoted(value: object) -> str:
    """A wrong value as an error quotes it: its repr, on one line, shortened."""
    try:
        return shorten(" ".join(repr(value).split()), _LONGEST)
    except Exception:  # a repr may be anybody's code, and Python writes no int of 5,000 digits
        return f"a {type(value).__name__}"


def str_given(name: str, value: object, *, empty: bool = True) -> str:
    """A str, with what can't be stored in it replaced. `empty` says whether it may be blank."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {quoted(value)}")
    if not empty and not value.strip():
        raise ValueError(f"{name} must not be empty")
    return clean(value)


def int_given(name: str, value: object, least: int = 0, most: int = LARGEST_INT) -> int:
    """An int from `least` to `most`; neither True nor 2.0 is one."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, got {quoted(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {quoted(value)}")
    if value > most:
        raise ValueError(f"{name} must be at most {most}, got {quoted(value)}")
    return value


def number_given(
    name: str, value: object, least: float | None = None, most: float | None = None
) -> float:
    """An int or a float within bounds; NaN is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, got {quoted(value)}")
    if value != value:
        raise ValueError(f"{name} must be a number, got nan")
    if least is not None and most is not None and not least <= value <= most:
        raise ValueError(f"{name} must be from {least:g} to {most:g}, got {quoted(value)}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least:g}, got {quoted(value)}")
    return value


def bool_given(name: str, value: object) -> bool:
    """True or False, and nothing that only counts as such."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {quoted(value)}")
    return value


def one_of_given(name: str, value: object, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {quoted(value)}")
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {quoted(value)}")
    return value


def datetime_given(name: str, value: object) -> datetime:
    """A datetime, in UTC; one without a zone is taken as UTC."""
    if not isinstance(value, datetime):
        raise TypeError(f"{name} must be a datetime, got {quoted(value)}")
    if value.tzinfo is UTC:
        return value
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(
            f"{name} must be in the years 1 to 9999 in UTC, got {quoted(value)}"
        ) from error


def date_given(name: str, value: object) -> date:
    """A date; of a datetime, its date."""
    if not isinstance(value, date):
        raise TypeError(f"{name} must be a date, got {quoted(value)}")
    return value.date() if isinstance(value, datetime) else value


def path_given(name: str, value: object) -> str:
    """A path as a str, from a str or a `pathlib.Path`."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise TypeError(f"{name} must be a str or a Path, got {quoted(value)}")
    if not path or "\x00" in path:
        raise ValueError(f"{name} must name a file, got {quoted(value)}")
    return path


def items_given(name: str, values: object, kind: str) -> Iterable[Any]:
    """Something that can be iterated over, but no text. `kind` names its items."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(
            f"{name} must be a list or another iterable of {kind}, got {quoted(values)}"
        )
    return values


def strs_given(name: str, values: object) -> list[str]:
    """A list of strs, from any iterable of them but a str itself."""
    texts = list(items_given(name, values, "strs"))
    for value in texts:
        if not isinstance(value, str):
            raise TypeError(f"{name} must hold strs, got {quoted(value)}")
    return list(map(clean, texts))


def ids_given(name: str, values: object) -> list[int]:
    """A list of ids, from any iterable of ints."""
    ids = list(items_given(name, values, "ints"))
    for value in ids:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must hold ints, got {quoted(value)}")
        if not -LARGEST_INT <= value <= LARGEST_INT:
            raise ValueError(f"{name} must hold ints of 64 bits, got {quoted(value)}")
    return ids


def records_given(name: str, values: object, kind: type[Record]) -> list[Record]:
    """A list of records of one kind, from any iterable of them."""
    records = list(items_given(name, values, f"{kind.__name__}s"))
    for value in records:
        if not isinstance(value, kind):
            raise TypeError(f"{name} must hold {kind.__name__}s, got {quoted(value)}")
    return records


def mapping_given(name: str, value: object) -> Mapping[Any, Any]:
    """A dict or another mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, got {quoted(value)}")
    return value


def function_given(name: str, value: object) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {quoted(value)}")
    return value


def object_given(name: str, value: object, kind: str, *methods: str) -> None:
    """An object of a kind that is known by its methods, so that anybody's own will do."""
    if isinstance(value, type) or not all(callable(getattr(value, m, None)) for m in methods):
        raise TypeError(f"{name} must be {kind}, got {quoted(value)}")


def memory_given(db: object) -> None:
    """A `MemoryDB`, or what offers the same: a store alone does not, as it knows no meaning."""
    object_given("db", db, "a MemoryDB", "snapshot", "evidence")
    if not hasattr(db, "meaning"):
        raise TypeError(f"db must be a MemoryDB, got {quoted(db)}; wrap it in MemoryDB(store=…)")


def store_given(store: object) -> None:
    """A `Store`, anybody's."""
    object_given("store", store, "a Store", "transaction", "snapshot", "evidence", "check", "close")


def engine_given(engine: object) -> None:
    """An `Engine`, anybody's."""
    object_given("engine", engine, "an Engine", "extract", "summarize", "condense", "reply")


def reader_given(fallback: object) -> None:
    """A `PlainReader`, as the fallback of a model."""
    methods = ("statements", "condense", "name_scene", "is_grave")
    object_given("fallback", fallback, "a PlainReader", *methods)
