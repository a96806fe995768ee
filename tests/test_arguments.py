"""The public door: what is handed in wrong is refused at once, in one sentence for programmers.

Every public function is found by itself, and the type that each of its parameters is annotated
with says what is wrong for it: a new function is held to the same without a line here.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scenemem
import scenemem.explore
from scenemem import (
    CallableEmbedder,
    CellDraft,
    Compaction,
    EmbeddedEngine,
    HistoryCompactor,
    MemoryDB,
    MemoryManager,
    MemoryTools,
    MessageDraft,
    ModelEngine,
    OpenAIChat,
    SceneMemError,
    ServerEmbedder,
    SessionStore,
    UsageRecord,
    WorkerAgent,
    agent_path,
    arecall,
    ingest_file,
    recall,
)
from scenemem.store.protocol import Store

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HUGE = 2**70


class World:
    """A memory with something in it, and all that works on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = MemoryDB(":memory:")
        self.manager = MemoryManager(self.db)
        self.agent = WorkerAgent(self.db, self.manager)
        self.compactor = HistoryCompactor(self.db, self.manager.engine)
        self.store = SessionStore(self.db)
        self.tools = MemoryTools(self.manager)
        self.found = recall(self.db, "boiler")
        self.db.insert_cell({"content": "The boiler is from 1998.", "scene": "House", "at": NOON})
        self.db.insert_cell({"content": "The boiler is new.", "scene": "Home", "at": NOON})
        self.db.sessions.append_messages("A", [MessageDraft("user", "The roof leaks.", at=NOON)])


# What is right for a parameter of that name, where it must be given.
RIGHT: dict[str, Any] = {
    "action": "test", "actor": "me", "after": 0, "alias": "Villa", "by": 2, "cell": {"content":
    "x"}, "cell_id": 1, "cells": [1], "chat": OpenAIChat("m", base_url="http://localhost:1/v1"),
    "content": "x", "count": 1, "db": None, "dimensions": 2, "done": Compaction("A", NOON, 1, 1, 9,
    1), "drafts": [MessageDraft("user", "x")], "embedder": "e", "engine": EmbeddedEngine(),
    "error": "e", "function": len, "ids": [1], "into": "Home", "kept": {1: 1}, "key": "k", "limit":
    1, "manager": None, "message": 1, "messages": [1], "model": "m", "name": "n", "names": {"a":
    "b"}, "note": "n", "note_id": 1, "number": 0, "path": "none.json", "query": "boiler",
    "question": MessageDraft("user", "x"), "role": "user", "scene": "House", "scenes": ["House"],
    "session": "A", "subject": "s", "subjects": ["s"], "summary": "s", "text": "x", "texts": ["x"],
    "turn": 1, "turns": [1], "used": UsageRecord(NOON, "m", "reply", 1, 1), "user_input": "Hi",
    "given": "s", "through": 1, "taken": set(), "at": NOON,
    "value": 1, "vectors": [], "arguments": "{}", "context": None, "destination": "copy.db",
}  # fmt: skip


class Wrong(NamedTuple):
    """A value that is wrong, how it is refused, and how the sentence about it goes on."""

    value: Any
    error: type[Exception]
    says: str


NOT_STR = [Wrong(3, TypeError, "a str, got 3"), Wrong(b"x", TypeError, "a str, got b'x'")]
NOT_INT = [
    Wrong("3", TypeError, "an int, got '3'"),
    Wrong(True, TypeError, "an int, got True"),
    Wrong(2.0, TypeError, r"an int, got 2\.0"),
    Wrong(-HUGE, ValueError, rf"at least -?\d+, got -{HUGE}"),
    Wrong(HUGE, ValueError, rf"at most \d+, got {HUGE}"),
]
NOT_DATETIME = [
    Wrong("2026-01-01", TypeError, "a datetime, got '2026-01-01'"),
    Wrong(date(2026, 1, 1), TypeError, r"a datetime, got datetime\.date\(2026, 1, 1\)"),
    Wrong(
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-9))), ValueError, "in the years"
    ),
]
NOT_IDS = [
    Wrong("12", TypeError, "a list or another iterable of ints, got '12'"),
    Wrong(12, TypeError, "a list or another iterable of ints, got 12"),
    Wrong([1, "2"], TypeError, "hold ints, got '2'"),
    Wrong([HUGE], ValueError, f"hold ints of 64 bits, got {HUGE}"),
]
NOT_STRS = [Wrong("x", TypeError, "a list or another"), Wrong(7, TypeError, "a list or another")]
NOT_BOOL = [Wrong("no", TypeError, "True or False, got 'no'")]
NOT_PATH = [Wrong(3, TypeError, "a str or a Path, got 3"), Wrong("", ValueError, "name a file")]
NOT_NUMBER = [
    Wrong("1", TypeError, "a number, got '1'"),
    Wrong(math.nan, ValueError, "a number, got nan"),
    Wrong(-1, ValueError, "(at least|from)"),
]
NOT_FUNCTION = [Wrong("f", TypeError, "a function, got 'f'")]
NOT_MEMORY = [Wrong("a.db", TypeError, "a MemoryDB, got 'a.db'"), Wrong(MemoryDB, TypeError, "a")]
NONE = Wrong(None, TypeError, ".*got None")


def one_of(*words: str) -> list[Wrong]:
    return [Wrong("zz", ValueError, f"one of {', '.join(words)}, got 'zz'"), *NOT_STR]


CELL_TYPE = one_of(*scenemem.CELL_TYPES)
ROLE = one_of("system", "user", "assistant", "tool")
SCOPE = one_of("short", "long")
# By the annotation of a parameter, without "| None".
WRONG: dict[str, list[Wrong]] = {
    "str": NOT_STR,
    "int": NOT_INT,
    "float": NOT_NUMBER,
    "bool": NOT_BOOL,
    "datetime": NOT_DATETIME,
    "str | Path": NOT_PATH,
    "Iterable[int]": NOT_IDS,
    "Sequence[int]": NOT_IDS,
    "Iterable[str]": NOT_STRS,
    "Sequence[str]": NOT_STRS,
    "CellType": CELL_TYPE,
    "Role": ROLE,
    "FactScope": SCOPE,
    "Literal['told', 'salience', 'newest']": one_of("told", "salience", "newest"),
    "Literal['FULL', 'NORMAL']": one_of("FULL", "NORMAL"),
    "MemoryDB": NOT_MEMORY,
    "Memory": NOT_MEMORY,
    "MemoryManager": [Wrong("m", TypeError, "a MemoryManager, got 'm'")],
    "Engine": [
        Wrong("gpt", TypeError, "an Engine, got 'gpt'"),
        Wrong(EmbeddedEngine, TypeError, "a"),
    ],
    "PlainReader": [Wrong("x", TypeError, "a PlainReader, got 'x'")],
    "UsageListener": NOT_FUNCTION,
    "MemoryTools": [Wrong("t", TypeError, "MemoryTools, got 't'")],
    "HistoryCompactor": [Wrong("c", TypeError, "a HistoryCompactor, got 'c'")],
    "MayForget": NOT_FUNCTION,
    "Weights": [Wrong({}, TypeError, r"Weights, got \{\}")],
    "ChatModel": [Wrong("gpt", TypeError, "a ChatModel, got 'gpt'")],
    "Store": [Wrong("a.db", TypeError, "a Store, got 'a.db'"), Wrong(MemoryDB, TypeError, "a")],
    "Embedder": [Wrong("static", TypeError, "have a name and a method")],
    "MessageDraft": [Wrong("hi", TypeError, "a MessageDraft, got 'hi'")],
    "Sequence[MessageDraft]": [*NOT_STRS, Wrong(["hi"], TypeError, "a MessageDraft, got 'hi'")],
    "Iterable[MessageDraft]": [*NOT_STRS, Wrong(["hi"], TypeError, "a MessageDraft, got 'hi'")],
    "Iterable[MessageDraft | Mapping[str, Any]]": [*NOT_STRS, Wrong([{"a": 1}], ValueError, "")],
    "CellDraft | Mapping[str, Any]": [
        Wrong("hi", TypeError, "a CellDraft or a dict, got 'hi'"),
        Wrong({"content": " "}, ValueError, "not be empty"),
        Wrong({"content": "x", "salience": math.nan}, ValueError, "a number, got nan"),
        Wrong({"content": "x", "cell_type": "zz"}, ValueError, "one of fact"),
        Wrong({"content": "x", "at": "2026-01-01"}, TypeError, "a datetime, got '2026-01-01'"),
        Wrong({"content": "x", "occurred_at": "2026-01-01"}, TypeError, "a date, got"),
        Wrong({"content": "x", "supersedes": "y"}, TypeError, "a list or another"),
        Wrong({"content": "x", "colour": 1}, TypeError, ""),
    ],
    "Iterable[CellDraft | Mapping[str, Any]]": [*NOT_STRS, Wrong(["hi"], TypeError, "a CellDraft")],
    "Mapping[str, str]": [Wrong("x", TypeError, "a dict, got 'x'")],
    "dict[int, int]": [Wrong("x", TypeError, "a dict, got 'x'")],
    "Sequence[Mapping[str, Any]]": NOT_STRS,
    "Sequence[PastMessage]": [*NOT_STRS, Wrong(["hi"], TypeError, "hold PastMessages, got 'hi'")],
    "Sequence[PastCell]": [*NOT_STRS, Wrong(["hi"], TypeError, "hold PastCells, got 'hi'")],
    "Sequence[Compaction]": [*NOT_STRS, Wrong(["hi"], TypeError, "hold Compactions, got 'hi'")],
    "set[int]": [Wrong([1], TypeError, r"a set, got \[1\]")],
    "UsageRecord": [Wrong("x", TypeError, "a UsageRecord, got 'x'")],
    "int | Cell": NOT_INT,
    "Compaction": [Wrong("x", TypeError, "a Compaction, got 'x'")],
}
# What may be anything, or is checked elsewhere.
FREE = {"Any", "Scope", "Mapping[str, Any]", "_Function", "Iterable[bytes]", "Sequence[Spoken]"}
FREE |= {"ToolContext", "IO[bytes]", "CounterOp", "Vectors"}


class Door(NamedTuple):
    """One parameter of one public function."""

    function: str
    find: Callable[[World], Callable[..., Any]]
    parameter: inspect.Parameter
    required: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.function}({self.parameter.name})"


def methods(owner: str, kind: type, *names: str) -> Iterator[tuple[str, Callable[[World], Any]]]:
    def found(name: str) -> Callable[[World], Any]:
        return lambda world: getattr(_at(world, owner), name)

    for name in names or [n for n in dir(kind) if not n.startswith("_")]:
        if inspect.isfunction(inspect.getattr_static(kind, name)):
            yield f"{owner}.{name}", found(name)


def _at(world: World, owner: str) -> Any:
    for part in owner.split("."):
        world = getattr(world, part)
    return world


def public_functions() -> Iterator[tuple[str, Callable[[World], Any]]]:
    for group in ("cells", "scenes", "sessions", "notebook", "log", "vectors"):
        yield from methods(f"db.{group}", getattr(scenemem, group.capitalize()))
    yield from methods("db", MemoryDB)
    yield from methods("manager", MemoryManager)
    yield from methods("agent", WorkerAgent)
    yield from methods("compactor", HistoryCompactor)
    yield from methods("tools", MemoryTools, "add", "call")
    yield from methods("store", SessionStore, "import_json_store")
    yield from methods("found", scenemem.Recollection, "render", "shown")
    made: list[Callable[..., Any]] = [MemoryDB, MemoryManager, WorkerAgent, HistoryCompactor]
    made += [MemoryTools, SessionStore, OpenAIChat, ModelEngine, ServerEmbedder, CallableEmbedder]
    made += [recall, ingest_file, agent_path]
    made += [getattr(scenemem.explore, name) for name in scenemem.explore.__all__ if name.islower()]
    for function in made:
        yield function.__name__, lambda world, function=function: function  # type: ignore[misc]


def doors() -> Iterator[Door]:
    world = World(Path())
    for name, find in public_functions():
        signature = inspect.signature(find(world))
        required = tuple(
            p.name
            for p in signature.parameters.values()
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        )
        for parameter in signature.parameters.values():
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                yield Door(name, find, parameter, required)
    world.db.close()


def kind_of(parameter: inspect.Parameter) -> tuple[str, bool]:
    """The annotation without "| None", and whether it had it."""
    written = str(parameter.annotation).replace('"', "'")
    kind = re.sub(r" \| None$", "", written)
    if kind.startswith("Callable["):
        kind = "Callable"
    return kind, kind != written


WRONG["Callable"] = NOT_FUNCTION
DOORS = [door for door in doors() if kind_of(door.parameter)[0] not in FREE]
CASES = [
    pytest.param(door, wrong, id=f"{door}-{number}")
    for door in DOORS
    for number, wrong in enumerate(
        [*WRONG[kind_of(door.parameter)[0]], *(() if kind_of(door.parameter)[1] else (NONE,))]
    )
]


def called(door: Door, world: World, value: Any) -> Any:
    right = {**RIGHT, "db": world.db, "manager": world.manager}
    right["destination"] = str(world.folder / "copy.db")
    arguments = {name: right[name] for name in door.required if name != door.parameter.name}
    if door.function == "manager.ingest":
        arguments["messages"] = [MessageDraft("user", "x")]
    if door.function == "db.sessions.restore_messages":
        arguments["turns"] = {}
    if door.function == "db.sessions.restore_summary":
        arguments["done"] = []
    arguments[door.parameter.name] = value
    if door.function == "ingest_file":
        arguments.setdefault("path", str(world.folder / "none.jsonl"))
    if door.function == "CallableEmbedder":
        arguments.setdefault("name", "n")
    result = door.find(world)(**arguments)
    if inspect.isgenerator(result):
        return list(result)
    return asyncio.run(result) if inspect.iscoroutine(result) else result


@pytest.mark.parametrize(("door", "wrong"), CASES)
def test_a_wrong_argument_is_refused_in_one_sentence(
    door: Door, wrong: Wrong, tmp_path: Path
) -> None:
    world = World(tmp_path)
    with pytest.raises((TypeError, ValueError)) as refused:
        called(door, world, wrong.value)
    said = str(refused.value)
    assert type(refused.value) is wrong.error, said
    assert re.search(wrong.says, said), said
    assert " must " in said and "\n" not in said and "`" not in said and len(said) < 250
    world.db.close()


# -- what is asked for by name ---------------------------------------------------------------------


def test_the_calls_that_somebody_gets_wrong_first(tmp_path: Path) -> None:
    world = World(tmp_path)
    use: Any = world
    wrong: dict[str, Callable[[], object]] = {
        "query must be a str, got None": lambda: recall(use.db, None),  # type: ignore[arg-type]
        "db must be a MemoryDB, got 'a.db'": lambda: recall("a.db", "q"),  # type: ignore[arg-type]
        "db must be a MemoryDB, got 'b.db'": lambda: MemoryManager("b.db"),  # type: ignore[arg-type]
        "order must be one of told, salience, newest, got 'best'": lambda: use.db.cells.list_cells(
            order="best"
        ),
        "limit must be at least 0, got -1": lambda: use.db.cells.list_cells(limit=-1),
        "limit must be an int, got '3'": lambda: use.db.cells.list_cells(limit="3"),
        "limit must be an int, got True": lambda: use.db.scenes.list_scenes(limit=True),
        "limit must be at least 1, got 0": lambda: recall(use.db, "q", limit=0),
        "forget needs cells or a scene, got neither": lambda: use.manager.forget(),
        "ingest_file needs a path or a stream, got neither": lambda: ingest_file(use.manager, None),
        "path must name a file, got ''": lambda: MemoryDB(""),
        "an int of 5,000 digits": lambda: use.db.cells.get_cell(10**5000),
        "a message must be a MessageDraft or a dict, got 'role'": lambda: use.manager.ingest(
            {"role": "user", "content": "x"}
        ),
        "messages must be a list or another iterable of messages, got 'hi'": lambda: (
            use.manager.ingest("hi")
        ),
    }
    for told, call in wrong.items():
        with pytest.raises((TypeError, ValueError)) as refused:
            call()
        assert str(refused.value) == told or ("digits" in told and "at most" in str(refused.value))
    assert use.manager.forget(cells=[]).cells == ()


def test_a_memory_is_made_from_a_store_and_a_store_alone_is_none(store: Store) -> None:
    for call in (lambda: recall(store, "roof"), lambda: MemoryManager(store)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"^db must be a MemoryDB, got .*MemoryDB\(store=…\)$"):
            call()
    with pytest.raises(ValueError, match=r"^MemoryDB takes a store or a path, got both"):
        MemoryDB("a.db", store=store)
    with MemoryDB(store=store) as db:
        MemoryManager(db).update("The roof leaks.", at=NOON)
        assert "leaks" in recall(db, "roof").render()
        assert db.location == store.location
    with pytest.raises(SceneMemError, match="closed"):
        store.cells.count_cells()


def test_an_unknown_name_is_told_without_a_command(tmp_path: Path) -> None:
    world = World(tmp_path)
    unknown: dict[str, Callable[[], object]] = {
        "there is no scene 'Attic'": lambda: world.manager.consolidate_scene("Attic"),
        "there is no cell 99": lambda: world.manager.forget(cells=[99]),
        "there is no session 'Z'": lambda: world.compactor.compact("Z"),
    }
    for told, call in unknown.items():
        with pytest.raises(SceneMemError, match=f"^{told}$"):
            call()


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (datetime(2024, 2, 3, 4, 5, tzinfo=UTC), "2024-02-03T04:05"),
        (datetime(2024, 2, 3, 4, 5), "2024-02-03T04:05"),  # noqa: DTZ001
        (datetime(2024, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))), "2024-02-03T02:05"),
        ("2024-02-03T04:05:00+00:00", "2024-02-03T04:05"),
        ("2024-02-03", "2024-02-03T00:00"),
        (1706933100, "2024-02-03T04:05"),
        (1706933100.0, "2024-02-03T04:05"),
    ],
)
def test_a_message_is_dated_by_whatever_tells_an_instant(at: Any, day: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    for message in ({"role": "user", "content": "x", "at": at}, _draft(at)):
        if message is not None:
            (stored,) = world.manager.ingest([message]).messages
            assert f"{stored.at:%Y-%m-%dT%H:%M}" == day and stored.at.tzinfo is UTC


def _draft(at: Any) -> MessageDraft | None:
    return MessageDraft("user", "x", at=at) if isinstance(at, datetime) else None


@pytest.mark.parametrize(
    ("at", "error"),
    [
        ("rubbish", ValueError),
        (-5, ValueError),
        (math.nan, ValueError),
        (math.inf, ValueError),
        (True, TypeError),
        ({}, TypeError),
        (date(2024, 2, 3), TypeError),
        (b"2024", TypeError),
    ],
)
def test_a_message_with_a_time_that_tells_none_is_refused(
    at: Any, error: type[Exception], tmp_path: Path
) -> None:
    world = World(tmp_path)
    says = "at must be a datetime, an ISO 8601 string or an epoch number, got "
    with pytest.raises(error, match=f"^{re.escape(says + repr(at))}$"):
        world.manager.ingest([{"role": "user", "content": "a"}, _said(at)])
    assert [m.content for m in world.db.sessions.list_messages()] == ["The roof leaks."]


def _said(at: Any) -> Mapping[str, Any]:
    return {"role": "user", "content": "b", "at": at}


def test_paths_are_strs_or_paths(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role": "user", "content": "The boiler is from 1998."}\n')
    with MemoryDB(str(tmp_path / "a.db")) as db:
        assert ingest_file(MemoryManager(db), str(file)).imported == 1
        assert ingest_file(MemoryManager(db), file).skipped == 1
        assert db.backup(str(tmp_path / "b.db")) == tmp_path / "b.db"
    assert agent_path("me", str(tmp_path)) == agent_path("me", tmp_path)


def test_generators_do_where_lists_do(tmp_path: Path) -> None:
    world = World(tmp_path)
    messages = ({"role": "user", "content": f"Line {n}."} for n in range(3))
    assert len(world.manager.ingest(messages).messages) == 3
    cells = world.db.cells.insert_cells({"content": f"Cell {n}"} for n in range(3))
    assert len(world.manager.forget(cells=(cell.id for cell in cells)).cells) == 3


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    db = MemoryDB(tmp_path / "a.db")
    manager = MemoryManager(db)
    db.close()
    for call in (
        lambda: recall(db, "x"),
        lambda: manager.update("x"),
        lambda: db.cells.list_cells(),
        lambda: db.notebook.add_note("A", "x"),
        lambda: WorkerAgent(db).answer("x"),
    ):
        with pytest.raises(SceneMemError, match="was closed; open it again"):
            call()


def test_arecall_refuses_what_recall_refuses(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="query must be a str, got 3"):
        asyncio.run(arecall(World(tmp_path).db, 3))  # type: ignore[arg-type]


# -- whatever is handed in -------------------------------------------------------------------------

anything: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**80), 2**80)
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.binary()
    | st.datetimes(timezones=st.none() | st.timezones())
    | st.dates()
    | st.lists(st.integers() | st.text(), max_size=3)
    | st.dictionaries(st.text(), st.none() | st.text() | st.floats(), max_size=3)
    | st.builds(object)
    | st.builds(lambda: CellDraft("x"))
)


@given(value=anything, other=anything)
def test_nothing_that_is_handed_in_breaks_a_memory(value: Any, other: Any) -> None:
    world = World(Path("nowhere"))
    db: Any = world.db
    calls: list[Callable[[], object]] = [
        lambda: recall(db, value, limit=other),
        lambda: recall(db, "boiler", now=value, since=other),
        lambda: recall(db, "boiler yesterday", scene=value, session=other),
        lambda: recall(db, "boiler", as_of=value, cell_type=other).render(value),
        lambda: db.insert_cell({"content": value, "scene": other}),
        lambda: db.insert_cell({"content": "x", "at": value, "occurred_at": other}),
        lambda: db.insert_cell({"content": "x", "salience": value, "speaker": other}),
        lambda: db.insert_cell({"content": "x", "supersedes": value, "source": other}),
        lambda: db.insert_cell(value),
        lambda: db.cells.list_cells(scene=value, since=other),
        lambda: db.cells.update_cell(1, content=value, scene=other),
        lambda: db.cells.delete_cells(value),
        lambda: db.scenes.rename_scene("House", value),
        lambda: db.scenes.get_scenes(value),
        lambda: db.notebook.remember_fact(value, other, value),
        lambda: db.notebook.add_note("A", value, at=other),
        lambda: db.notebook.add_to_counter(value, other),
        lambda: db.sessions.append_history(value, "user", other),
        lambda: db.sessions.append_history("A", "user", "x", at=value, external_id=other),
        lambda: db.sessions.append_messages("A", [MessageDraft("user", value, other)]),
        lambda: db.sessions.append_messages("A", [MessageDraft("tool", "x", tool_calls=value)]),
        lambda: db.sessions.list_messages(value, after=other),
        lambda: db.log.list_changes(subject=value, limit=other),
        lambda: world.manager.update(value, session=other),
        lambda: world.manager.ingest([{"role": "user", "content": value, "at": other}]),
        lambda: world.manager.ingest([{"role": value, "content": "x", "id": other}]),
        lambda: world.manager.ingest([value, other]),
        lambda: world.manager.ingest(value),
        lambda: world.manager.forget(cells=value, scene=other),
        lambda: ingest_file(world.manager, "no.jsonl", format=value, session=other),
        lambda: world.tools.call("remember", value, other),
        lambda: agent_path(value),
        lambda: HistoryCompactor(db, value, max_turns=other),
    ]
    for call in calls:
        try:
            call()
        except UnicodeError:  # a ValueError, and no answer
            raise
        except (TypeError, ValueError, SceneMemError) as error:
            assert "sqlite" not in str(error).lower() and "\n" not in str(error)
    assert db.check() == []
    db.close()
