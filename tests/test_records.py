"""Records: instants as text and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from scenemem.base.records import stamp, unstamp, utc

_ZONES = st.sampled_from([UTC, timezone(timedelta(0)), timezone(timedelta(hours=-3, minutes=-30))])
# Of the first and the last year, some can't be told in another zone.
_INSTANTS = st.datetimes(timezones=st.none() | _ZONES).filter(lambda at: 1 < at.year < 9999)


@given(_INSTANTS, _INSTANTS)
def test_stamps_are_of_one_width_ordered_in_time_and_come_back(
    first: datetime, second: datetime
) -> None:
    for at in (first, second):
        assert len(stamp(at)) == 27
        assert stamp(at).endswith("Z")
        assert unstamp(stamp(at)) == utc(at)
    assert (stamp(first) < stamp(second)) == (utc(first) < utc(second))
