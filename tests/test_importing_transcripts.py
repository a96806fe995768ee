"""Plain transcripts: who speaks, when, and what is only a word before a colon."""

from __future__ import annotations

import re

import pytest
from test_importing import contents, ids, imported

from scenemem.base.errors import ImportFormatError


def told(source: str) -> list[tuple[str, str | None, str]]:
    messages, bad = imported(source)
    assert not bad
    return [(m.draft.role, m.draft.name, m.draft.content) for m in messages]


def names(source: str) -> list[str | None]:
    return [name for _, name, _ in told(source)]


def times(source: str) -> list[str]:
    messages, _ = imported(source)
    return [m.draft.at.strftime("%Y-%m-%d %H:%M:%S") if m.draft.at else "" for m in messages]


# Messages and speakers


def test_the_first_speaker_is_the_user_and_all_others_assist() -> None:
    assert told("Ann: hi\nBob: hello\nCara: hey\nAnn: so\n") == [
        ("user", "Ann", "hi"),
        ("assistant", "Bob", "hello"),
        ("assistant", "Cara", "hey"),
        ("user", "Ann", "so"),
    ]


def test_lines_without_a_speaker_belong_to_the_message_before_them() -> None:
    source = "Ann: one\n  two: indented\n\n\n- three\n\nBob: \nfour\n\n"
    assert contents(source) == ["one\n  two: indented\n\n\n- three", "four"]


@pytest.mark.parametrize(
    ("source", "roles"),
    [
        ("User: hi\nAssistant: hello\n", ["user", "assistant"]),
        ("Assistant: welcome\nUser: hi\n", ["assistant", "user"]),
        ("human: hi\nai: hello\n", ["user", "assistant"]),
        ("AI: welcome\nAnn: hi\nAI: so\n", ["assistant", "user", "assistant"]),
        ("Me: hi\nYou: hello\n", ["user", "assistant"]),
        ("ChatGPT: welcome\nYou: hi\n", ["assistant", "user"]),
        ("You said:\nhi\nChatGPT said:\nhello\n", ["user", "assistant"]),
        ("System: be kind\nUser: hi\nBot: hello\n", ["system", "user", "assistant"]),
        ("Q: why?\nA: because\nQ: really?\n", ["user", "assistant", "user"]),
        ("User: hi\nAnn: hello\n", ["user", "assistant"]),
    ],
)
def test_those_who_are_called_by_their_part_play_it(source: str, roles: list[str]) -> None:
    assert [role for role, _, _ in told(source)] == roles


def test_a_part_is_no_name_but_a_product_is() -> None:
    assert names("User: hi\nClaude: hello\n") == [None, "Claude"]


NAMES = """
Ann / Ann Lee / Dr. Okafor / J. Doe / Jean-Luc / O'Neill / Anna van der Berg / Speaker 2
Ann (host) / Ann & Bob / Łukasz / Иван / 田中 / محمد / ann_42 / April
"""


@pytest.mark.parametrize("name", re.split(r"\s*[/\n]\s*", NAMES.strip()))
def test_names_of_many_kinds_speak(name: str) -> None:
    assert names(f"{name}: hi\nZoe: hello\n{name}: so\n") == [name, "Zoe", name]


def test_a_full_width_colon_needs_no_space() -> None:
    assert told("田中：こんにちは\n佐藤：元気：とても\n") == [
        ("user", "田中", "こんにちは"),
        ("assistant", "佐藤", "元気：とても"),
    ]


@pytest.mark.parametrize("form", ["**Ann:** {}", "**Ann**: {}", "__Ann:__ {}", "Ann : {}"])
def test_names_in_bold_speak(form: str) -> None:
    source = f"{form.format('hi')}\nBob: hello\n{form.format('so')}\n"
    assert told(source)[0] == ("user", "Ann", "hi")
    assert names(source) == ["Ann", "Bob", "Ann"]


@pytest.mark.parametrize(
    "line",
    [
        "Note: bring the keys",
        "PS: it rains",
        "Next Steps: paint the door",
        "Zutaten: Mehl und Zucker",
        "Monday: paint",
        "https://example.org/path: look here",
        "We meet at 10:30: be there",
        "and he said: no",
        "This is a rather long remark about Bob: he is late",
        "What happened? Bob: nothing",
        "remember: the keys",
        "Q: is this a heading?",
        "12: a dozen",
        "- Bob: quoted",
        "> Bob: quoted",
        "  Bob: indented",
    ],
)
def test_words_before_a_colon_in_the_middle_of_prose_do_not_speak(line: str) -> None:
    source = f"Ann: hi\nBob: let me think\n{line}\nAnn: so\n"
    assert contents(source) == ["hi", f"let me think\n{line}", "so"]


def test_headings_in_an_assistant_s_answer_do_not_speak() -> None:
    answer = "Sure!\n\nLarch: lasts longest\n\nOption Blue: paint it\n\nBottom Line:\ngood"
    assert contents(f"User: a door?\nAssistant: {answer}\nUser: thanks\n") == [
        "a door?",
        answer,
        "thanks",
    ]


def test_what_follows_an_announcing_colon_does_not_speak() -> None:
    assert contents("Ann: hi\nBob: the crew:\nMarta: carpenter\nAnn: fine\n") == [
        "hi",
        "the crew:\nMarta: carpenter",
        "fine",
    ]


def test_a_newcomer_in_the_middle_of_a_long_message_does_not_speak() -> None:
    source = "Ann: hi\nBob: it went\non and on\nMarta: carpenter\n\nCara: hello\n"
    assert names(source) == ["Ann", "Bob", "Cara"]


def test_what_is_decided_never_depends_on_what_follows() -> None:
    lines = [
        "Ann: hi",
        "Bob: the list",
        "Materials: wood",
        "Tools: a saw",
        "Cara: and me",
        "",
        "Dan: also me",
        "Bob: well",
        "Cara: yes",
    ]
    whole = ids("\n".join(lines))
    for length in range(3, len(lines)):
        part = ids("\n".join(lines[:length]))
        assert part[:-1] == whole[: len(part) - 1]


def test_lines_before_the_first_speaker_are_told_together() -> None:
    messages, bad = imported("Minutes\n\nof March\nAnn: hi\nBob: hello\nAnn: so\n")
    assert len(messages) == 3
    assert [(line.where, line.lost) for line in bad] == [("lines 1 to 3", True)]


@pytest.mark.parametrize(
    "text",
    [
        "name: thing\nversion: 2\nauthor: me\nlicense: MIT\nhomepage: none\n",
        "Dear all,\n\nthe meeting is moved.\nPlease note: it is at ten.\n",
        "Title: A\nDate: B\nSubject: C\n",
        "import os\nclass Door: pass\n",
        "a,b,c\n1,2,3\n",
    ],
)
def test_text_that_only_has_colons_is_no_transcript(text: str) -> None:
    with pytest.raises(ImportFormatError, match="known formats"):
        imported(text)


def test_a_transcript_that_is_named_needs_a_speaker_somewhere() -> None:
    preamble = "It rained all day.\n" * 200
    messages, bad = imported(preamble + "Ann: hi\n", format="transcript")
    assert [message.draft.content for message in messages] == ["hi"]
    assert [line.where for line in bad] == ["lines 1 to 200"]
    with pytest.raises(ImportFormatError, match="no line of the form 'Name: text'"):
        imported(preamble, format="transcript")


# Times


@pytest.mark.parametrize(
    "form",
    [
        "[2026-03-01 09:15] Ann: {}",
        "[2026-03-01T09:15:00Z] Ann: {}",
        "2026-03-01 09:15 - Ann: {}",
        "2026-03-01 09:15:00 Ann: {}",
        "2026-03-01T10:15:00+01:00 Ann: {}",
        "2026/03/01, 9:15 AM - Ann: {}",
        "01/03/2026, 09:15 - Ann: {}",
        "01.03.26, 09:15 - Ann: {}",
        "[01.03.26, 09:15:00] Ann: {}",
        "[1.3.2026 klo 9.15.00] Ann: {}",
        "[3/1/26, 9:15:00\u202fAM] Ann: {}",
        "3/1/26, 9:15 a.m. - Ann: {}",
        "\u200e[01/03/2026, 09:15:00] Ann: \u200e{}",
    ],
)
def test_times_are_read_however_a_program_writes_them(form: str) -> None:
    source = f"{form.format('hi: you')}\n{form.format('so')}\nand on\n"
    assert told(source) == [("user", "Ann", "hi: you"), ("user", "Ann", "so\nand on")]
    assert times(source) == ["2026-03-01 09:15:00"] * 2


def test_a_number_above_twelve_tells_days_from_months() -> None:
    assert times("02/03/26, 09:15 - A: x\n25/03/26, 09:15 - B: y\n")[0].startswith("2026-03-02")
    assert times("02/03/26, 09:15 - A: x\n03/25/26, 09:15 - B: y\n")[0].startswith("2026-02-03")


def test_noon_and_midnight_are_told_apart() -> None:
    source = "3/13/26, 12:05 AM - A: x\n3/13/26, 12:05 PM - A: y\n3/13/26, 1:05 PM - A: z\n"
    assert [time[11:16] for time in times(source)] == ["00:05", "12:05", "13:05"]


def test_a_time_of_day_alone_is_no_time_but_begins_a_message() -> None:
    assert times("[09:15] Ann: hi\n[09:16] Bob: hello\n") == ["", ""]
    assert names("[09:15] Ann: hi\n[09:16] Bob: hello\n") == ["Ann", "Bob"]


def test_a_time_that_is_on_no_calendar_costs_only_itself() -> None:
    source = "2026-02-28 09:15 - Ann: hi\n2026-02-31 09:15 - Bob: hello\n"
    assert times(source) == ["2026-02-28 09:15:00"] * 2


def test_notices_of_the_chat_program_are_left_out() -> None:
    source = (
        "01/03/2026, 09:14 - Messages are encrypted. Tap to learn more.\n"
        "01/03/2026, 09:15 - Ann: hi\n"
        "01/03/2026, 09:16 - Bob joined\n"
        '01/03/2026, 09:16 - Bob changed the subject to "Trip: Rome"\n'
        "01/03/2026, 09:17 - +49 170 1234567: who is this?\n"
        "01/03/2026, 09:18 - Ann 🌻: me\n"
    )
    assert [(name, text) for _, name, text in told(source)] == [
        ("Ann", "hi"),
        ("+49 170 1234567", "who is this?"),
        ("Ann 🌻", "me"),
    ]


def test_where_messages_bear_times_only_those_with_a_time_begin() -> None:
    source = (
        "[2026-03-01 09:15] Ann: the list:\n"
        "Materials: wood\n"
        "Bob: will bring it\n"
        "2026-04-01 10:00 is the day\n"
        "[2026-03-01 09:16] Bob: fine\n"
    )
    assert [text for _, _, text in told(source)] == [
        "the list:\nMaterials: wood\nBob: will bring it\n2026-04-01 10:00 is the day",
        "fine",
    ]


def test_where_most_messages_bear_no_time_those_without_begin_too() -> None:
    source = "[2026-03-01 09:15] Ann: hi\nBob: hello\nAnn: so\nBob: yes\n"
    assert names(source) == ["Ann", "Bob", "Ann", "Bob"]
    assert times(source) == ["2026-03-01 09:15:00"] * 4
