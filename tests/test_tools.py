"""The tools that a model may call, and what it is told when it calls them wrongly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem import MemoryDB, MemoryManager, SessionStore
from scenemem.agent.function_tool import LONGEST_RESULT, FunctionTool, ToolContext
from scenemem.agent.tools import ForgetRequest, MemoryTools

HERE = ToolContext("A", 7)
Call = Callable[..., str]


@pytest.fixture
def tools(db: MemoryDB) -> MemoryTools:
    return MemoryTools(MemoryManager(db))


@pytest.fixture
def call(tools: MemoryTools) -> Call:
    def call_with(name: str, /, **arguments: Any) -> str:
        return tools.call(name, json.dumps(arguments), HERE)

    return call_with


# -- the notebook --------------------------------------------------------------------------------


def test_stored_falsy_values_are_found_with_their_types(call: Call) -> None:
    call("remember", key="dark_mode", value=True, scope="long")
    call("remember", key="dark_mode", value=False, scope="short")
    for key, value in (("unread", 0), ("nickname", ""), ("tags", [])):
        call("remember", key=key, value=value)
    found = {key: call("recall", key=key) for key in ("dark_mode", "unread", "nickname", "tags")}
    assert found == {"dark_mode": "false", "unread": "0", "nickname": '""', "tags": "[]"}
    assert call("recall", key="missing").startswith("not found: no 'missing' is saved")


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("remember", '{"key": "tz", "value": ', "invalid JSON"),
        ("remember", "null", "input should be an object"),
        ("remember", "[]", "input should be an object"),
        ("remember", '"x"', "input should be an object"),
        ("remember", '{"key": "tz", "value": "CET", "extra": 1}', "extra is not one of its"),
        ("remember", '{"key": "tz", "value": NaN}', "what JSON can hold"),
        ("remember", '{"key": "", "value": 1}', "key must not be empty"),
        ("remember", '{"key": "tz", "value": 1, "scope": "LONG"}', "'short' or 'long'"),
        ("remember", '{"key": "tz", "value": %s}' % ("[" * 5000 + "]" * 5000), "recursion"),
        ("recall", "", "key is missing"),
        ("recal", '{"key": "tz"}', "Did you mean 'recall'?"),
        ("", "{}", "there is no tool ''"),
        ("jot", '{"note": " "}', "note must not be empty"),
        ("counter", '{"op": "explode"}', "'inc', 'dec', 'get', 'set' or 'reset'"),
        ("counter", '{"op": "INC"}', "op is 'INC'"),
        ("counter", '{"op": ""}', "op is ''"),
        ("counter", '{"op": "inc", "amount": "2"}', "valid integer"),
        ("counter", '{"op": "inc", "amount": 1.5}', "valid integer"),
        ("counter", '{"op": "inc", "amount": true}', "valid integer"),
        ("calculator", '{"expression": "1/0"}', "zero"),
        ("forget", "{}", "nothing to forget was given"),
        ("forget", '{"cells": [99]}', "there is no cell 99"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong_and_changes_nothing(
    db: MemoryDB, tools: MemoryTools, name: str, arguments: str, told: str
) -> None:
    result = tools.call(name, arguments, HERE)
    assert result.startswith("error: ") and told in result
    assert len(result) < 1000
    assert SessionStore(db).get() == {"global": {}, "sessions": {}}
    assert db.notebook.list_counters() == {} and db.log.list_changes() == []


@given(
    name=st.sampled_from(["remember", "recall", "jot", "counter", "calculator", "forget", "x"]),
    arguments=st.text() | st.from_regex(r'\{"(key|op|note|cells)": .{0,20}\}', fullmatch=True),
)
def test_whatever_a_model_writes_gets_a_text(name: str, arguments: str) -> None:
    with MemoryDB(":memory:") as db:
        assert MemoryTools(MemoryManager(db)).call(name, arguments, HERE)


def test_a_counter_at_its_limit_stays_a_whole_number(call: Call, db: MemoryDB) -> None:
    assert call("counter", op="set", name="c", amount=9223372036854775807) == "9223372036854775807"
    assert "would leave the range" in call("counter", op="inc", name="c")
    assert db.notebook.get_counter("c") == 9223372036854775807
    assert call("counter", op="dec", name="below") == "-1"
    assert call("counter", op="reset", name="c") == "0"


def test_every_change_is_in_the_log_with_the_turn_that_caused_it(call: Call, db: MemoryDB) -> None:
    call("remember", key="tz", value="CET")
    call("remember", key="tz", value="PST")
    call("jot", note="call the dentist")
    call("counter", op="inc", name="coffee")
    call("recall", key="tz")
    call("counter", op="get", name="coffee")
    changes = [
        (c.actor, c.action, c.subject, c.turn, c.before, c.after) for c in db.log.list_changes()
    ][::-1]
    assert changes == [
        ("tool", "remember", "fact tz of A", 7, None, '"CET"'),
        ("tool", "remember", "fact tz of A", 7, '"CET"', '"PST"'),
        ("tool", "jot", "note 1 of A", 7, None, "call the dentist"),
        ("tool", "count", "counter coffee", 7, None, "1"),
    ]


def test_a_key_is_found_in_another_spelling_and_shared_values_last(
    call: Call, db: MemoryDB
) -> None:
    call("remember", key="favorite_model", value="gpt-4")
    db.notebook.upsert_global("team", "blue")
    assert call("recall", key="Favorite model") == '"gpt-4"'
    assert call("recall", key="team") == '"blue"'
    call("remember", key="team", value="red")
    assert call("recall", key="team") == '"red"'


@pytest.mark.parametrize(
    ("key", "value", "is_kept"),
    [
        ("wifi_password", "teal-Otter-42", False),
        ("api key", "sk-test-51Habcdefghijklmnopqrstuvwxyz", False),
        ("pin", 1234, False),
        ("login", {"password": "hunter2!"}, False),
        ("password_manager", "on the NAS", True),
        ("token_budget", 500, True),
        ("favorite_model", "gpt-4", True),
        ("secret_santa", True, True),
    ],
)
def test_secrets_are_not_kept_and_talk_about_them_is(
    call: Call, db: MemoryDB, key: str, value: Any, is_kept: bool
) -> None:
    result = call("remember", key=key, value=value)
    assert (db.notebook.get_fact("A", key) is not None) is is_kept
    assert is_kept or "looks like a secret" in result
    assert is_kept or not db.log.list_changes()


# -- searching and forgetting --------------------------------------------------------------------


def test_a_search_shows_what_was_said_with_the_numbers_of_cells(call: Call, db: MemoryDB) -> None:
    MemoryManager(db).update("My sister Nora is allergic to nuts.", session="B")
    (cell,) = db.cells.list_cells()
    result = call("search_memory", query="who is allergic?")
    assert f"[cell {cell.id}] " in result and "user: My sister Nora is allergic" in result
    assert call("search_memory", query="zeppelin").startswith("not found: ")
    assert db.cells.list_cells()[0].recalls == 1


def test_forgetting_is_refused_unless_the_app_allows_it(db: MemoryDB) -> None:
    manager = MemoryManager(db)
    manager.update("My sister Nora is allergic to nuts.", session="B")
    db.notebook.remember_fact("A", "tz", "CET")
    (cell,) = db.cells.list_cells()
    arguments = json.dumps({"cells": [cell.id], "key": "tz"})
    asked: list[ForgetRequest] = []
    for answer in (None, False, True):

        def may_forget(request: ForgetRequest, answer: bool | None = answer) -> bool:
            asked.append(request)
            return bool(answer)

        tools = MemoryTools(manager, may_forget=None if answer is None else may_forget)
        result = tools.call("forget", arguments, HERE)
        assert result.startswith("forgotten: " if answer else "refused: ")
        assert len(db.cells.list_cells()) == (0 if answer else 1)
        assert len(db.notebook.list_facts("A")) == (0 if answer else 1)
    assert [(r.session, [c.id for c in r.cells], [f.key for f in r.facts]) for r in asked] == [
        ("A", [cell.id], ["tz"])
    ] * 2
    forgotten = {c.subject: c for c in db.log.list_changes() if c.action == "forget"}
    assert forgotten.keys() == {f"cell {cell.id}", "fact tz of A"}
    assert {c.turn for c in forgotten.values()} == {7}
    assert not any("CET" in (c.after or "") for c in db.log.list_changes())


# -- functions of the app ------------------------------------------------------------------------


class Unit(Enum):
    CELSIUS = "c"
    KELVIN = "k"


def weather(
    city: str,
    context: ToolContext,
    day: date | None = None,
    unit: Unit = Unit.CELSIUS,
    kind: Literal["short", "full"] = "short",
    json: list[float] | None = None,
) -> dict[str, Any]:
    """The weather of a day.

    A second paragraph.
    """
    return {"city": city, "day": day, "unit": unit.value, "kind": kind, "who": context.session}


def test_a_function_is_described_by_its_signature_and_docstring() -> None:
    spec = FunctionTool(weather).spec["function"]
    assert spec["name"] == "weather"
    assert spec["description"].startswith("The weather of a day.\n\nA second")
    schema = spec["parameters"]
    assert list(schema["properties"]) == ["city", "day", "unit", "kind", "json"]
    assert schema["required"] == ["city"] and schema["additionalProperties"] is False
    assert "context" not in json.dumps(schema) and "title" not in json.dumps(schema)


def test_a_functions_arguments_are_read_as_its_types_and_the_app_sets_the_session() -> None:
    tool = FunctionTool(weather)
    result = tool.call('{"city": "Oslo", "day": "2026-05-01", "unit": "k"}', HERE)
    assert json.loads(result) == {
        "city": "Oslo",
        "day": "2026-05-01",
        "unit": "k",
        "kind": "short",
        "who": "A",
    }
    for wrong in ('{"city": 1}', '{"city": "Oslo", "context": {"session": "B"}}', '{"kind": "x"}'):
        assert tool.call(wrong, HERE).startswith("error: weather was not called: ")


def test_whatever_a_function_does_the_model_gets_a_text(caplog: pytest.LogCaptureFixture) -> None:
    async def later(text: str) -> str:
        """Say it later."""
        await asyncio.sleep(0)
        return text

    def broken() -> None:
        raise OSError("the disk is gone")

    def long() -> str:
        return "x" * (LONGEST_RESULT + 5)

    def nothing() -> None:
        return None

    assert FunctionTool(later).call('{"text": "hi"}', HERE) == "hi"

    async def inside_a_loop() -> str:
        return FunctionTool(later).call('{"text": "hi"}', HERE)

    assert asyncio.run(inside_a_loop()) == "hi"
    assert FunctionTool(broken).call("", HERE) == "error: broken failed: OSError: the disk is gone"
    assert "the disk is gone" in caplog.text
    assert FunctionTool(long).call("{}", HERE).endswith("(5 characters left out)")
    assert FunctionTool(nothing).call("{}", HERE) == "done"
    assert "takes no arguments" in FunctionTool(nothing).call('{"a": 1}', HERE)


def test_what_can_not_be_a_tool_is_refused_when_it_is_added(tools: MemoryTools) -> None:
    def many(*cities: str) -> None: ...

    with pytest.raises(TypeError, match="passes every argument by name"):
        tools.add(many)
    with pytest.raises(TypeError, match="can't be the name of a tool"):
        tools.add(lambda: None)
    with pytest.raises(ValueError, match="a tool 'remember' already"):
        tools.add(weather, "remember")
    tools.remove("remember")
    tools.add(weather, "remember")
    assert [s["function"]["name"] for s in tools.specs][-1] == "remember"


def test_a_bomb_is_refused_before_it_is_worked_out(call: Call) -> None:
    # Worked out, any of them would take minutes.
    for bomb in ("9**9**9", "((((7**60)**60)**60)**60)**60", "(" * 5000, "10**10**10"):
        assert call("calculator", expression=bomb).startswith("error: ")
    assert call("calculator", expression="2**200") == str(2**200)
    assert call("calculator", expression="12*(8+5)") == "156"
