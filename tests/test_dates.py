"""Dates in text: found, resolved against the day of speaking, written out."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.dates.finding import find_dates, format_dates

SAID = date(2023, 5, 10)  # a Wednesday


def read(text: str, said: date = SAID) -> list[tuple[str, str]]:
    """The dates found: the words they stand in, and the days as people write them."""
    return [(text[m.start : m.end], format_dates(m.first, m.last)) for m in find_dates(text, said)]


def days(text: str, said: date = SAID) -> str:
    """The days of the only date in `text`."""
    [(_, written)] = read(text, said)
    return written


def test_last_week_is_the_week_before_the_one_of_speaking() -> None:
    [mention] = find_dates("I went to Lisbon last week.", date(2022, 11, 16))
    assert (mention.first, mention.last) == (date(2022, 11, 7), date(2022, 11, 13))
    assert mention.relative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on 8 May 2023.", "8 May 2023"),
        ("We met on the 8th of May, 2023.", "8 May 2023"),
        ("We met on May 8th, 2021.", "8 May 2021"),
        ("We met on Dec. 3, 2020.", "3 December 2020"),
        ("The fair is on 3-5 June 2023.", "3-5 June 2023"),
        ("The fair is June 3rd to 5th.", "3-5 June 2023"),
        ("Due 2026-03-14.", "14 March 2026"),
        ("Due 2026/03/14!", "14 March 2026"),
        ("Born 14.03.1990 in Ulm.", "14 March 1990"),
        ("Signed 3/14/2022.", "14 March 2022"),
        ("Signed 31/12/2022.", "31 December 2022"),
        ("It was May 2019 when it began.", "May 2019"),
        ("We married in the summer of 2019.", "June-August 2019"),
        ("I have run since 2016.", "2016"),
        ("It was built in the 1990s.", "1990-1999"),
    ],
)
def test_absolute_dates_are_read_as_written(text: str, expected: str) -> None:
    assert days(text) == expected
    assert not find_dates(text, SAID)[0].relative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw her yesterday.", "9 May 2023"),
        ("I saw her last night.", "9 May 2023"),
        ("I saw her the day before yesterday.", "8 May 2023"),
        ("I ran this morning.", "10 May 2023"),
        ("See you tomorrow.", "11 May 2023"),
        ("We leave the day after tomorrow.", "12 May 2023"),
        ("I saw her three days ago.", "7 May 2023"),
        ("I saw her a few days ago.", "6-8 May 2023"),
        ("I saw her two weeks ago.", "24-30 April 2023"),
        ("I moved a couple of months ago.", "March 2023"),
        ("I moved a few months ago.", "January-March 2023"),
        ("I moved 10 years ago.", "2013"),
        ("We danced two Fridays ago.", "28 April 2023"),
        ("We danced last Friday.", "5 May 2023"),
        ("We danced last Wed.", "3 May 2023"),
        ("We dance next Friday.", "19 May 2023"),
        ("We dance this Friday.", "12 May 2023"),
        ("We danced last weekend.", "6-7 May 2023"),
        ("We danced the weekend before last.", "29-30 April 2023"),
        ("We danced over the weekend.", "6-7 May 2023"),
        ("We will dance this weekend.", "13-14 May 2023"),
        ("We dance next weekend.", "20-21 May 2023"),
        ("I start next month.", "June 2023"),
        ("I quit last month.", "April 2023"),
        ("I quit last year.", "2022"),
        ("I was there last summer.", "June-August 2022"),
        ("I was there last winter.", "December 2022-February 2023"),
        ("I go there this autumn.", "September-November 2023"),
        ("We leave in three days.", "13 May 2023"),
        ("We leave in two weeks.", "22-28 May 2023"),
        ("I slept badly the past week.", "3-10 May 2023"),
        ("I slept badly the last two weeks.", "24 April-10 May 2023"),
        ("It rains for the next three days.", "10-13 May 2023"),
        ("I was ill Monday last week.", "1 May 2023"),
        ("It is due by the end of the month.", "May 2023"),
        ("We were in Rome last Christmas.", "25 December 2022"),
    ],
)
def test_relative_dates_are_counted_from_the_day_of_speaking(text: str, expected: str) -> None:
    assert days(text) == expected
    assert find_dates(text, SAID)[0].relative


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have a call on Friday.", "12 May 2023"),
        ("I was at the dentist on Friday.", "5 May 2023"),
        ("We will meet in March.", "March 2024"),
        ("We met in March.", "March 2023"),
        ("We met in November.", "November 2022"),
        ("I booked a table for two on Friday.", "12 May 2023"),
        ("We decided to launch on 19 June.", "19 June 2023"),
        ("We moved the launch to 3 March.", "3 March 2023"),
        ("I will call on the 3rd.", "3 June 2023"),
        ("I called on the 3rd.", "3 May 2023"),
        ("I called on the 20th.", "20 April 2023"),
    ],
)
def test_what_is_left_open_leans_on_the_tense(text: str, expected: str) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Letzte Woche war ich in Rom.", "1-7 May 2023"),
        ("Vor zwei Wochen war ich in Rom.", "24-30 April 2023"),
        ("Ich war vorgestern in Rom.", "8 May 2023"),
        ("Ich fahre übermorgen nach Rom.", "12 May 2023"),
        ("Nächsten Monat ziehe ich um.", "June 2023"),
        ("Am 3. Mai 2022 zogen wir um.", "3 May 2022"),
        ("La semaine dernière, j'étais à Rome.", "1-7 May 2023"),
        ("Je suis arrivé il y a deux semaines.", "24-30 April 2023"),
        ("Je l'ai vue avant-hier.", "8 May 2023"),
        ("Il vient lundi prochain.", "15 May 2023"),
        ("La semana pasada estuve en Roma.", "1-7 May 2023"),
        ("Llegué hace tres días.", "7 May 2023"),
        ("El 3 de mayo de 2022 nos mudamos.", "3 May 2022"),
        ("Nos vemos la semana que viene.", "15-21 May 2023"),
        ("На прошлой неделе я был в Риме.", "1-7 May 2023"),
        ("Мы переехали два года назад.", "2021"),
        ("昨天我去了医院。", "9 May 2023"),
        ("我上周去了里斯本。", "1-7 May 2023"),
        ("上周五我们见了面。", "5 May 2023"),
        ("我们5月3日见面。", "3 May 2023"),
        ("他2022年5月3号出生。", "3 May 2022"),
        ("我两个月前搬了家。", "March 2023"),
        ("去年夏天我在罗马。", "June-August 2022"),
        ("昨日、病院に行きました。", "9 May 2023"),
        ("先週の金曜日に会いました。", "5 May 2023"),
        ("3日前に着きました。", "7 May 2023"),
        ("来月引っ越します。", "June 2023"),
    ],
)
def test_the_plain_forms_of_other_languages_are_read(text: str, expected: str) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "This may help, and I may go.",
        "The march was long and the sun was out.",
        "We sat down.",
        "I play every Friday and on most Sundays.",
        "Version 3.14 costs 20/20.",
        "There were 2000 people on platform 12.",
        "I lost five kilos in two months.",
        "Rome wasn't built in a day.",
        "Guten Morgen zusammen",
        "I came last in the race and first in the next.",
        "It is on the 12th floor.",
        "April and June are my sisters.",
        "Meet me on 31 April or on 45 May.",
        "",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert read(text) == []


def test_a_small_morning_of_german_is_tomorrow_and_a_capital_one_is_not() -> None:
    assert days("Ich komme morgen vorbei.") == "11 May 2023"
    assert read("Jeden Morgen laufe ich.") == []


def test_dates_come_in_order_and_do_not_overlap() -> None:
    text = (
        "Last week I flew home, on 3 May I slept, and tomorrow I leave for two weeks in June 2024."
    )
    mentions = find_dates(text, SAID)
    assert [text[m.start : m.end] for m in mentions] == [
        "Last week",
        "3 May",
        "tomorrow",
        "June 2024",
    ]


def test_a_date_beyond_the_calendar_is_no_mention() -> None:
    assert find_dates("900 years ago and 999 decades ago", date(40, 1, 1)) == []
    assert find_dates("tomorrow, next year, in 3 weeks", date(9999, 12, 31)) == []


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(2023, 5, 7), date(2023, 5, 7), "7 May 2023"),
        (date(2022, 11, 7), date(2022, 11, 13), "7-13 November 2022"),
        (date(2022, 10, 31), date(2022, 11, 6), "31 October-6 November 2022"),
        (date(2022, 12, 29), date(2023, 1, 4), "29 December 2022-4 January 2023"),
        (date(2023, 5, 1), date(2023, 5, 31), "May 2023"),
        (date(2022, 6, 1), date(2022, 8, 31), "June-August 2022"),
        (date(2022, 12, 1), date(2023, 2, 28), "December 2022-February 2023"),
        (date(2019, 1, 1), date(2019, 12, 31), "2019"),
        (date(1990, 1, 1), date(1999, 12, 31), "1990-1999"),
        (date(9999, 12, 1), date(9999, 12, 31), "December 9999"),
    ],
)
def test_a_range_is_written_the_way_people_write_it(first: date, last: date, expected: str) -> None:
    assert format_dates(first, last) == expected


_FRAGMENTS = """
last next this the week weekend month year Friday May 3 12 2023 31 ago in two few before after of on
yesterday - / . : , 上周 五 月 日 年 前 先 vor hace il y a letzten Freitag пятницу
"""


@settings(deadline=None)
@given(
    text=st.one_of(
        st.text(), st.lists(st.sampled_from(_FRAGMENTS.split()), max_size=14).map(" ".join)
    ),
    said=st.dates(),
)
def test_any_text_on_any_day_gives_spans_inside_the_text(text: str, said: date) -> None:
    end = 0
    for mention in find_dates(text, said):
        assert end <= mention.start < mention.end <= len(text)
        assert mention.first <= mention.last
        assert format_dates(mention.first, mention.last)
        end = mention.end


@pytest.mark.parametrize(
    "text",
    ["We open on Saturday 5 December.", "It is Saturday, 5 December", "Samstag, den 5. Dezember"],
)
def test_a_weekday_with_its_date_is_one_day(text: str) -> None:
    (mention,) = find_dates(text, date(2026, 11, 2))
    assert (mention.first, mention.last) == (date(2026, 12, 5), date(2026, 12, 5))
    assert not mention.relative


@pytest.mark.parametrize(
    ("text", "said", "day"),
    [
        ("Marta postponed the exam to 10 February.", date(2026, 1, 21), date(2026, 2, 10)),
        ("We moved the launch to May 4th.", date(2026, 1, 22), date(2026, 5, 4)),
        ("Ilona moved the wedding to 19 June.", date(2026, 4, 1), date(2026, 6, 19)),
    ],
)
def test_what_was_put_off_lies_ahead(text: str, said: date, day: date) -> None:
    (mention,) = find_dates(text, said)
    assert mention.first == day
