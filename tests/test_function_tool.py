"""Functions of an app as tools: their signatures, arguments and results, whatever they are."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import itertools
import json
import re
import sqlite3
import subprocess
import sys
import typing
from collections.abc import Callable
from datetime import date
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, NewType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field
from scripted_server import Act, Received, ScriptedServer, says, tool_call

from scenemem import MemoryDB, MemoryManager, ModelEngine, OpenAIChat, WorkerAgent
from scenemem.agent.function_tool import FunctionTool, ToolContext
from scenemem.agent.tools import MemoryTools
from scenemem.testing import cells_json

HERE = ToolContext("A", 7)


@pytest.fixture
def tools(db: MemoryDB) -> MemoryTools:
    return MemoryTools(MemoryManager(db))


def called(tools: MemoryTools, function: Callable[..., Any], **arguments: Any) -> str:
    """What the model gets of a function that the app has added."""
    name = f"tool_{len(tools.names)}"
    tools.add(function, name)
    return tools.call(name, json.dumps(arguments), HERE)


# -- what can be a tool --------------------------------------------------------------------------


class Odd:
    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> Any:
        raise OSError("no schema today")


def unnamed(words: str, c: Any) -> None: ...


unnamed.__annotations__["c"] = "NoSuchType"


def bad_connection(words: str, c: sqlite3.Connection) -> None: ...


def bad_callback(c: Callable[[int], int]) -> None: ...


def bad_schema(words: str, c: list[Odd] | None = None) -> None: ...


@pytest.mark.parametrize("function", [bad_connection, bad_callback, bad_schema, unnamed])
def test_a_type_that_no_json_can_be_is_refused_when_it_is_added(
    db: MemoryDB, function: Callable[..., Any]
) -> None:
    agent = WorkerAgent(db)
    with pytest.raises(TypeError) as caught:
        agent.tool(function)
    assert function.__name__ in str(caught.value) and "'c'" in str(caught.value)
    assert function.__name__ not in agent.tools.names
    assert agent.answer("Hello.", "A")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python's own TypedDict can be read there")
def test_a_typed_dict_that_can_not_be_read_is_refused(tools: MemoryTools) -> None:
    class Pair(typing.TypedDict):
        left: int

    def bad_pair(c: Any) -> None: ...

    bad_pair.__annotations__["c"] = Pair
    with pytest.raises(TypeError, match=r"bad_pair.*parameter 'c'"):
        tools.add(bad_pair)


def test_the_memorys_own_tools_load_nothing_before_they_are_looked_at() -> None:
    code = (
        "import sys; from scenemem import MemoryDB, WorkerAgent; "
        "agent = WorkerAgent(MemoryDB(':memory:')); print('pydantic' in sys.modules); "
        "agent.tools.specs[0]; print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("name", ["größe", "two words", "", "x" * 65, "a.b", "line\n", "日本語"])
def test_a_name_that_servers_refuse_is_refused(tools: MemoryTools, name: str) -> None:
    def fine() -> None: ...

    with pytest.raises(TypeError, match="can't be the name of a tool"):
        tools.add(fine, name)


@given(name=st.text(max_size=70) | st.from_regex(r"[a-zA-Z0-9_-]{60,66}", fullmatch=True))
def test_any_name_is_one_for_the_server_or_is_refused(name: str) -> None:
    def fine() -> None: ...

    try:
        tool = FunctionTool(fine, name)
    except TypeError:
        assert not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
    else:
        assert tool.spec["function"]["name"] == name
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)


class Search:
    """Searches."""

    def __call__(self, words: str, context: ToolContext) -> str:
        """Find pages with these words."""
        return f"{words} in {context.session}"


def weather(city: str, user_id: int, days: int = 1) -> str:
    """The weather of a city."""
    return f"{city}, {user_id}, {days}"


def test_partials_and_callable_objects_are_tools_under_a_given_name(tools: MemoryTools) -> None:
    for function in (Search(), functools.partial(weather, user_id=5)):
        with pytest.raises(TypeError, match="pass one: add"):
            tools.add(function)
    tools.add(Search(), "search")
    assert tools.call("search", '{"words": "ferry"}', HERE) == "ferry in A"
    tools.add(functools.partial(weather, user_id=5), "weather")
    spec = {s["function"]["name"]: s["function"] for s in tools.specs}["weather"]
    assert list(spec["parameters"]["properties"]) == ["city", "days"]
    assert spec["description"] == "The weather of a city."
    assert tools.call("weather", '{"city": "Oslo"}', HERE) == "Oslo, 5, 1"
    assert tools.call("weather", '{"city": "Oslo", "user_id": 6}', HERE).startswith("error: ")


def test_what_is_no_function_or_has_no_signature_is_refused(tools: MemoryTools) -> None:
    text: Any = "weather"
    with pytest.raises(TypeError, match="must be a function"):
        FunctionTool(text)
    with pytest.raises(TypeError):
        tools.add(max)


def test_a_default_that_json_can_not_tell_is_still_the_default(tools: MemoryTools) -> None:
    marker = object()

    def find(words: str, after: Any = marker) -> bool:
        return after is marker

    assert called(tools, find, words="x") == "true"


# -- the context is the app's --------------------------------------------------------------------


def optional(words: str, context: ToolContext | None = None) -> str:
    return f"{words}: {context and context.session}"


def older_optional(words: str, context: Any = None) -> str:
    return f"{words}: {context and context.session}"


older_optional.__annotations__["context"] = "typing.Optional['ToolContext']"


def annotated(words: str, context: Annotated[ToolContext | None, "the app's"] = None) -> str:
    return f"{words}: {context and context.session}"


def twice(words: str, context: ToolContext, again: ToolContext | str = "B") -> str:
    return f"{words}: {again.session if isinstance(again, ToolContext) else again}"


@pytest.mark.parametrize("function", [optional, older_optional, annotated, twice])
def test_the_model_never_sees_or_sets_the_context(
    tools: MemoryTools, function: Callable[..., str]
) -> None:
    tools.add(function)
    spec = tools.specs[-1]["function"]["parameters"]
    assert list(spec["properties"]) == ["words"] and "ontext" not in json.dumps(spec)
    assert tools.call(function.__name__, '{"words": "x"}', HERE) == "x: A"
    for value in ('{"session": "B"}', '["B", 1]', '"B"', "null"):
        for name in ("context", "again"):
            told = tools.call(function.__name__, f'{{"words": "x", "{name}": {value}}}', HERE)
            assert told.startswith("error: ") and "not one of its arguments" in told


class Holder(BaseModel):
    context: ToolContext | None = None


@dataclasses.dataclass
class Nested:
    holders: dict[str, Holder]


class Mine(ToolContext):
    pass


Renamed = NewType("Renamed", ToolContext)


def test_a_context_in_a_class_within_a_function_is_refused(tools: MemoryTools) -> None:
    class Box(BaseModel):
        held: ToolContext

    class Outer(Box):
        more: list[int] = Field(default_factory=list)

    def leak(c: Any) -> None: ...

    leak.__annotations__["c"] = Outer
    with pytest.raises(TypeError, match=r"leak.*'c'"):
        tools.add(leak)


@pytest.mark.parametrize(
    "kind",
    [
        list[ToolContext],
        dict[str, ToolContext | None],
        tuple[int, ToolContext],
        list[ToolContext] | None,
        Annotated[list[ToolContext], "many"],
        Callable[[ToolContext], None],
        Holder,
        list[Nested],
        Mine,
        Renamed,
    ],
    ids=str,
)
def test_a_context_within_another_type_is_refused(tools: MemoryTools, kind: Any) -> None:
    def leak(words: str, c: Any) -> None: ...

    leak.__annotations__["c"] = kind
    with pytest.raises(TypeError, match=r"leak.*'c'"):
        tools.add(leak)


# -- arguments -----------------------------------------------------------------------------------


class Item(BaseModel):
    amount: int
    price: float = 0.0


def order(
    count: int = 0,
    price: float = 0.0,
    gift: bool = False,
    items: list[Item] | None = None,
    sizes: dict[str, int] | None = None,
    either: int | float | None = None,
    few: Annotated[int, Field(le=3)] = 0,
) -> Any:
    return [count, price, gift, items, sizes, either, few]


ORDER = FunctionTool(order, reads_numbers=True)


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ({"count": "1"}, 1),
        ({"count": 1000.0}, 1000),
        ({"count": "-12.0"}, -12),
        ({"count": str(10**40)}, 10**40),
        ({"price": "2.5"}, 2.5),
        ({"price": "3"}, 3.0),
        ({"price": 3}, 3.0),
        ({"gift": "True"}, True),
        ({"items": [{"amount": 1}, {"amount": "2", "price": "1e2"}]}, 2),
        ({"sizes": {"a": 1, "int": "7"}}, 7),
        ({"either": "2.5"}, 2.5),
        ({"few": "3", "count": "2"}, 3),
    ],
)
def test_a_number_written_as_a_text_is_read_when_nothing_is_lost(
    tools: MemoryTools, arguments: dict[str, Any], read: Any
) -> None:
    got = json.loads(called(tools, order, **arguments))
    values = [*got[:3], (got[3] or [{}])[-1].get("amount"), (got[4] or {}).get("int"), *got[5:]]
    assert any(value == read and type(value) is type(read) for value in values), got


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"count": True}, "count is True"),
        ({"price": True}, "price is True"),
        ({"count": 1.5}, "count is 1.5"),
        ({"count": "1.5"}, "count is '1.5'"),
        ({"count": 1e300}, "count is 1e+300"),
        ({"count": "one"}, "count is 'one'"),
        ({"count": ""}, "count is ''"),
        ({"count": "٣"}, "count is"),
        ({"price": "nan"}, "price is 'nan'"),
        ({"price": "1e999"}, "price is '1e999'"),
        ({"gift": 1}, "gift is 1"),
        ({"gift": "yes"}, "gift is 'yes'"),
        ({"few": "4"}, "few is 4"),
        ({"items": [{"amount": True}]}, "items.0.amount is True"),
        ({"count": "1", "price": "x"}, "price is 'x'"),
        ({"count": "9" * 5000}, "count is '999"),
    ],
)
def test_an_argument_that_would_lose_something_is_refused(
    tools: MemoryTools, arguments: dict[str, Any], told: str
) -> None:
    result = called(tools, order, **arguments)
    assert result.startswith("error: ") and told in result


@given(value=st.integers(-(2**53), 2**53))
def test_any_whole_number_is_read_however_it_is_written(value: int) -> None:
    for written in (value, str(value), float(value)):
        told = ORDER.call(json.dumps({"count": written}), HERE)
        assert json.loads(told)[0] == value


@given(arguments=st.text() | st.from_regex(r'\{"(count|price|items)": .{0,20}\}', fullmatch=True))
def test_whatever_a_model_writes_gets_a_text(arguments: str) -> None:
    assert ORDER.call(arguments, HERE)


@pytest.mark.parametrize("written", ["9" * 5000, "1e999", "-1e999", "[" * 500, "NaN"])
def test_a_monstrous_number_is_told_and_breaks_nothing(written: str) -> None:
    for name in ("count", "price", "gift", "either", "items"):
        told = ORDER.call(f'{{"{name}": {written}, "few": "x"}}', HERE)
        assert told.startswith("error: order was not called") and len(told) < 2000


def lookup(word: str) -> str:
    return {"red": "rouge"}[word]


def test_a_validator_of_the_app_that_fails_is_told_to_the_model(tools: MemoryTools) -> None:
    def paint(colour: Annotated[str, AfterValidator(lookup)]) -> str:
        return colour

    tools.add(paint)
    assert tools.call("paint", '{"colour": "red"}', HERE) == "rouge"
    told = tools.call("paint", '{"colour": "blue"}', HERE)
    assert told == "error: paint failed: KeyError: 'blue'"


def test_the_memorys_own_tools_stay_strict(tools: MemoryTools) -> None:
    for amount in ("2", 1.5, 2.0, True):
        told = tools.call("counter", json.dumps({"op": "inc", "amount": amount}), HERE)
        assert told.startswith("error: ") and "valid integer" in told


# -- results -------------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"


class Shade(StrEnum):
    DARK = "dark"


@dataclasses.dataclass
class Point:
    x: int
    on: date


class Unknown:
    def __str__(self) -> str:
        return "an unknown thing"


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (Item(amount=2), '{"amount":2,"price":0.0}'),
        ([Item(amount=2)], '[{"amount":2,"price":0.0}]'),
        (Point(1, date(2026, 5, 1)), '{"x":1,"on":"2026-05-01"}'),
        ({"c": Colour.RED, "d": {date(2026, 5, 1): {1}}}, '{"c":"red","d":{"2026-05-01":[1]}}'),
        (Colour.RED, '"red"'),
        (Shade.DARK, "dark"),
        ({"u": Unknown()}, '{"u":"an unknown thing"}'),
        ([float("nan")], '["NaN"]'),
        (b"caf\xc3\xa9", '"café"'),
        (b"\xff\xfe", "b'\\xff\\xfe'"),
        (LOOP, "[[...]]"),
        ("plain", "plain"),
        ({"é": None}, '{"é":null}'),
    ],
    ids=itertools.count(),
)
def test_a_result_is_told_as_json(tools: MemoryTools, result: Any, told: str) -> None:
    def give() -> Any:
        return result

    assert called(tools, give) == told


# -- a tool that ends the process ----------------------------------------------------------------


@pytest.mark.parametrize(
    "ending", [SystemExit(3), asyncio.CancelledError(), ExceptionGroup("g", [OSError()])]
)
@pytest.mark.parametrize("later", [False, True])
def test_a_tool_that_stops_the_process_is_told_to_the_model(
    tools: MemoryTools, ending: BaseException, later: bool
) -> None:
    def stop() -> None:
        raise ending

    async def stop_later() -> None:
        raise ending

    result = called(tools, stop_later if later else stop)
    assert re.fullmatch(rf"error: tool_\d failed: {type(ending).__name__}.*", result)


def test_ctrl_c_within_a_tool_passes(tools: MemoryTools) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        called(tools, stop)


def test_a_small_models_calls_reach_a_function_of_the_app(db: MemoryDB) -> None:
    calls = [tool_call("book", '{"seats": "2", "kind": "aisle"}', "c1")]
    replies = [says(None, tool_calls=calls), says("Booked.")]
    asked: list[Received] = []

    def act(received: Received) -> Act:
        if "tools" not in received.body:
            return says(cells_json())
        asked.append(received)
        return replies.pop(0)

    with ScriptedServer(act=act) as server:
        chat = OpenAIChat("tiny", base_url=server.base_url, sleep=lambda _: None)
        agent = WorkerAgent(db, MemoryManager(db, ModelEngine(chat)))

        @agent.tool
        def book(
            seats: int, kind: Literal["aisle", "window"], context: ToolContext | None = None
        ) -> dict[str, Any]:
            """Book seats."""
            return {"seats": seats, "who": context and context.session, "kind": kind}

        assert agent.answer("Two seats, please.", "A") == "Booked."
    offered = asked[0].body["tools"][-1]["function"]["parameters"]["properties"]
    assert list(offered) == ["seats", "kind"]
    assert asked[1].messages[-1]["content"] == '{"seats":2,"who":"A","kind":"aisle"}'
