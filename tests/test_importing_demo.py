"""The conversation that the package ships, which newcomers see first."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from scenemem.memory.importing import ImportedMessage, read_file

DEMO = files("scenemem") / "demo.jsonl"
MONTHS = {"November": 11, "December": 12, "noviembre": 11, "diciembre": 12}
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
DIAS = "lunes martes miércoles jueves viernes sábado domingo"


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DEMO.read_text("utf-8").splitlines()]


def test_it_imports_without_a_bad_line() -> None:
    items = list(read_file(Path(str(DEMO))))
    assert all(isinstance(item, ImportedMessage) for item in items)
    keys = {(i.session, i.draft.external_id) for i in items if isinstance(i, ImportedMessage)}
    assert len(keys) == len(items)
    assert 60 <= len(items) <= 90


def test_its_sessions_follow_one_another_over_three_weeks(records: list[dict[str, Any]]) -> None:
    times = [record["at"] for record in records]
    assert times == sorted(times)
    assert (times[0][:10], times[-1][:10]) == ("2026-11-02", "2026-11-21")
    sessions = list(dict.fromkeys(record["session"] for record in records))
    assert 8 <= len(sessions) <= 10
    by_session = [[r for r in records if r["session"] == name] for name in sessions]
    assert [record for part in by_session for record in part] == records
    for part in by_session:
        roles = [record["role"] for record in part]
        assert roles == ["user", "assistant"] * (len(part) // 2)


def test_every_weekday_agrees_with_its_date(records: list[dict[str, Any]]) -> None:
    checked = 0
    for record in records:
        for weekday, day, month in re.findall(r"(\w+) (\d\d?) (?:de )?(\w+)", record["content"]):
            for names in (WEEKDAYS.split(), DIAS.split()):
                if weekday in names and month in MONTHS:
                    told = date(2026, MONTHS[month], int(day))
                    assert names[told.weekday()] == weekday, record["content"]
                    checked += 1
    assert checked >= 8


def test_its_messages_are_short(records: list[dict[str, Any]]) -> None:
    assert all(len(record["content"].split()) <= 40 for record in records)


def test_it_speaks_two_languages_and_changes_a_decision(records: list[dict[str, Any]]) -> None:
    text = {record["id"]: record["content"] for record in records}
    assert sum("¿" in said or "«" in said for said in text.values()) >= 5
    decided = [key for key, said in text.items() if "decided to go with glass" in said]
    changed = [key for key, said in text.items() if "changed our minds: no glass" in said]
    assert list(text).index(decided[0]) < list(text).index(changed[0])
