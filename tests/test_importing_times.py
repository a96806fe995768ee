"""Times as sources write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemem.memory.importing.locomo import read_session_time
from scenemem.memory.importing.times import read_time

MORNING = datetime(2026, 3, 1, 9, 15, tzinfo=UTC)
EPOCH = int(MORNING.timestamp())


@pytest.mark.parametrize(
    "told",
    [
        "2026-03-01T09:15:00Z",
        "2026-03-01T09:15:00",
        "2026-03-01 09:15",
        " 2026-03-01T10:15:00+01:00 ",
        "2026-03-01T09:15:00.000000Z",
        "2026-03-01 09:15:00 UTC",
        "20260301T091500Z",
        "2026/03/01 (Sun) 09:15",
        "2026/03/01 09:15",
        "Sun, 01 Mar 2026 09:15:00 GMT",
        "Sun, 01 Mar 2026 11:15:00 +0200",
        EPOCH,
        float(EPOCH),
        EPOCH * 1000,
        EPOCH * 1_000_000,
        EPOCH * 1_000_000_000,
        str(EPOCH),
        f"{EPOCH}.0",
        str(EPOCH * 1000),
    ],
)
def test_a_time_is_read_however_it_is_written(told: object) -> None:
    assert read_time(told) == MORNING


@pytest.mark.parametrize("told", [None, "", "  ", 0, 0.0, True, False])
def test_what_tells_no_time_is_none(told: object) -> None:
    assert read_time(told) is None


@pytest.mark.parametrize(
    "told",
    [
        "yesterday",
        "2026-13-01",
        "0001-01-01T00:00:00+14:00",
        "Sun, 99 Mar 2026 09:15:00 GMT",
        "9" * 70,
        " " * 9 + "x" * 10_000,
        -5,
        1e300,
        10**400,
        float("nan"),
        float("inf"),
        [],
        {},
    ],
)
def test_a_time_that_can_t_be_read_says_what_it_is(told: object) -> None:
    with pytest.raises(ValueError, match="its time") as refusal:
        read_time(told)
    assert len(str(refusal.value)) < 200


@given(st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.lists(st.integers())))
def test_any_value_is_a_utc_time_or_none_or_a_value_error(told: object) -> None:
    try:
        at = read_time(told)
    except ValueError:
        return
    assert at is None or at.tzinfo is UTC


@given(st.integers(200_000_000, 4_000_000_000), st.sampled_from([1, 10**3, 10**6, 10**9]))
def test_iso_and_epoch_agree_for_every_recent_instant(seconds: int, unit: int) -> None:
    at = datetime.fromtimestamp(seconds, UTC)
    assert read_time(seconds * unit) == at
    assert read_time(str(seconds * unit)) == at
    assert read_time(at.isoformat()) == at
    assert read_time(at.replace(tzinfo=None).isoformat()) == at


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:05 am on 1 January, 2024", datetime(2024, 1, 1, 0, 5, tzinfo=UTC)),
        ("12:05 PM on 31 December 2024", datetime(2024, 12, 31, 12, 5, tzinfo=UTC)),
        ("2023-05-08 13:56", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (None, None),
    ],
)
def test_the_time_of_a_locomo_session_is_read(told: object, expected: datetime | None) -> None:
    assert read_session_time(told) == expected


@pytest.mark.parametrize(
    "told", ["1:56 pm on 31 June, 2023", "25:00 pm on 8 May, 2023", "1:56 pm on 8 Mai, 2023"]
)
def test_a_locomo_time_that_is_on_no_calendar_is_refused(told: str) -> None:
    with pytest.raises(ValueError, match="its time"):
        read_session_time(told)
