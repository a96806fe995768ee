"""OpenAI-style messages and pairs, and JSON that is damaged or hostile."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_importing import contents, imported

from scenemem.base.records import MessageDraft
from scenemem.memory.importing import BadLine


def drafts(*records: Any) -> list[MessageDraft]:
    messages, bad = imported("\n".join(json.dumps(record) for record in records))
    assert not bad
    return [message.draft for message in messages]


def reasons(*lines: str) -> list[tuple[str, str]]:
    good = '{"role": "user", "content": "fine"}'
    messages, bad = imported("\n".join([good, *lines, good]))
    assert [message.draft.content for message in messages] == ["fine", "fine"]
    assert all(line.lost for line in bad)
    return [(line.where, line.reason) for line in bad]


def test_the_texts_of_a_list_of_parts_are_taken_and_null_contents_say_nothing() -> None:
    history = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "I collect stamps"},
                {"type": "image_url", "image_url": {"url": "data:..."}},
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": ["c1"]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "42"}]},
        {"role": "assistant", "tool_calls": []},
    ]
    for source in (history, {"messages": history}):
        messages, bad = imported(json.dumps(source))
        assert not bad
        user, call, result = (message.draft for message in messages)
        assert user.content == "I collect stamps"
        assert (call.content, call.tool_calls) == ("", ({"id": "c1"},))
        assert (result.role, result.content, result.tool_call_id) == ("tool", "42", "c1")
        assert "None" not in str([user.content, call.content, result.content])


def test_tool_calls_are_kept_as_they_are_and_their_texts_can_be_stored() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    odd = {
        "id": "c2",
        "function": {"name": "g", "arguments": "x\ud83d\u0000", "list": [1, None, "\udc00"]},
    }
    draft, old = drafts(
        {"role": "assistant", "content": "", "tool_calls": [call, odd]},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    )
    assert draft.tool_calls[0] == call
    assert draft.tool_calls[1]["function"]["arguments"] == "x\ufffd\ufffd"
    assert draft.tool_calls[1]["function"]["list"] == [1, None, "\ufffd"]
    assert old.tool_calls == ({"type": "function", "function": {"name": "f", "arguments": "{}"}},)


def test_every_form_of_a_part_gives_its_text() -> None:
    parts: list[Any] = [
        "plain",
        {"type": "input_text", "text": "input"},
        {"type": "text", "text": {"value": "value"}},
        {"type": "refusal", "refusal": "no"},
        {"type": "input_audio", "input_audio": {"transcript": "spoken"}},
        None,
        {"type": "image_url"},
    ]
    (draft,) = drafts({"role": "user", "content": parts})
    assert draft.content == "plain\ninput\nvalue\nno\nspoken"


def test_a_message_of_nothing_but_a_picture_says_so() -> None:
    (draft,) = drafts({"role": "user", "content": [{"type": "input_image", "url": "x"}]})
    assert draft.content == "[image]"


@pytest.mark.parametrize(
    ("told", "role"),
    [
        ("user", "user"),
        ("Human", "user"),
        ("AI", "assistant"),
        (" assistant ", "assistant"),
        ("developer", "system"),
        ("function", "tool"),
    ],
)
def test_roles_go_by_their_usual_names(told: str, role: str) -> None:
    assert drafts({"role": told, "content": "hi"})[0].role == role


def test_name_time_id_and_session_are_taken() -> None:
    record = {"role": "user", "content": "hi", "name": "Ann", "timestamp": 1772356500, "id": 5}
    for key in ("session", "session_id", "conversation_id"):
        messages, _ = imported(json.dumps({**record, key: "talk"}))
        draft = messages[0].draft
        assert messages[0].session == "talk"
        assert (draft.name, draft.external_id) == ("Ann", "5")
        assert draft.at is not None
        assert draft.at.isoformat() == "2026-03-01T09:15:00+00:00"


def test_a_time_that_can_t_be_read_costs_a_warning_and_not_the_message() -> None:
    messages, bad = imported(json.dumps({"role": "user", "content": "hi", "at": "long ago"}))
    assert messages[0].draft.at is None
    assert bad == [BadLine("line 1", bad[0].reason, lost=False)]
    assert "'long ago'" in bad[0].reason


def test_a_pair_becomes_two_messages_with_one_time_and_two_ids() -> None:
    pair = {"user": "hi", "assistant": "hello", "at": "2026-03-01", "session": "s", "id": "p"}
    user, assistant = drafts(pair)
    assert (user.role, user.content, user.external_id) == ("user", "hi", "p:user")
    assert (assistant.role, assistant.content) == ("assistant", "hello")
    assert assistant.external_id == "p:assistant"
    assert user.at == assistant.at
    assert user.at is not None


def test_half_a_pair_is_one_message() -> None:
    only = drafts({"user": "hi", "assistant": None}, {"assistant": "welcome"})
    assert [(draft.role, draft.content) for draft in only] == [
        ("user", "hi"),
        ("assistant", "welcome"),
    ]


def test_pairs_messages_and_whole_conversations_may_share_a_file() -> None:
    lines: list[Any] = [
        {"user": "a", "assistant": "b"},
        {"role": "user", "content": "c"},
        {"id": "talk", "messages": [{"role": "user", "content": "d"}]},
        [{"role": "user", "content": "e"}],
        None,
    ]
    messages, bad = imported("\n".join(map(json.dumps, lines)))
    assert [message.draft.content for message in messages] == ["a", "b", "c", "d", "e"]
    assert messages[3].session == "talk"
    assert not bad


def test_a_list_of_messages_an_object_with_messages_and_jsonl_say_the_same() -> None:
    said = [{"role": "user", "content": f"line {n}"} for n in range(5)]
    expected = [f"line {n}" for n in range(5)]
    assert contents(json.dumps(said)) == expected
    assert contents(json.dumps(said, indent=4)) == expected
    assert contents(json.dumps({"messages": said})) == expected
    assert contents(json.dumps([{"messages": said[:2]}, {"messages": said[2:]}])) == expected
    assert contents("\n\n".join(map(json.dumps, said))) == expected
    assert contents("\n".join(json.dumps([one]) for one in said)) == expected


def test_characters_that_can_t_be_stored_are_replaced() -> None:
    (draft,) = drafts({"role": "user", "content": "Leeds \ud83d near \u0000 the river \U0001f41d"})
    assert draft.content == "Leeds \ufffd near \ufffd the river \U0001f41d"
    assert draft.content.encode()


# Lines that can't be read


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"role": "user", "content": "cut', "not valid JSON: unterminated string"),
        ('{"role": "user",', "at its end"),
        ("just words", "not valid JSON"),
        ("12", "a number, not an object"),
        ('"text"', "a text, not an object"),
        ("true", "true or false, not an object"),
        ("{}", "an empty object"),
        ('{"speaker": "Ann"}', "keys: speaker"),
        ('{"role": "wizard", "content": "hi"}', "its role is 'wizard'"),
        ('{"role": null, "content": "hi"}', "its role is null"),
        ('{"role": "user"}', "no content"),
        ('{"role": "user", "content": 5}', "its content holds a number"),
        ('{"role": "user", "content": ["a", 5]}', "its content holds a number"),
        ('{"role": "user", "content": [["a"]]}', "its content holds a list"),
        ('{"user": 5}', "user: its content holds a number"),
        ('{"role": "user", "content": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deeply"),
        ('{"role": "user", "content": "x", "n": ' + "9" * 5000 + "}", "too many digits"),
        (
            '{"role": "assistant", "tool_calls": [' + '{"a":' * 60 + "1" + "}" * 60 + "]}",
            "nested too deeply",
        ),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_reason_and_costs_only_itself(
    line: str, reason: str
) -> None:
    ((where, told),) = reasons(line)
    assert where == "line 2"
    assert reason in told
    assert len(told) < 200
    assert "\n" not in told


def test_blank_lines_are_counted_and_not_told() -> None:
    assert [where for where, _ in reasons("", "  ", "oops", "", "oops")] == ["line 4", "line 6"]


def test_a_bad_message_within_a_conversation_is_told_with_its_place() -> None:
    whole = {"messages": [{"role": "user", "content": "a"}, 5, {"role": "?"}, None]}
    messages, bad = imported(
        json.dumps({"role": "user", "content": "x"}) + "\n" + json.dumps(whole)
    )
    assert len(messages) == 2
    assert [line.where for line in bad] == ["line 2, message 2", "line 2, message 3"]


# Documents


def elements(*texts: str) -> str:
    return "[" + ",\n".join(texts) + "]"


GOOD = '{"role": "user", "content": "fine"}'


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ('{"role": "user" "content": "x"}', "not valid JSON"),
        ('{"role": "wizard", "content": "x"}', "wizard"),
        ("12", "a number, not an object"),
        ('"some, text"', "a text, not an object"),
        ("oops", "not valid JSON"),
        ('{"a": ' + "[" * 500 + "]" * 500 + "}", "nested too deeply"),
    ],
)
def test_a_bad_element_of_a_list_costs_only_itself(element: str, reason: str) -> None:
    messages, bad = imported(elements(GOOD, element, GOOD))
    assert len(messages) == 2
    assert [(line.where, reason in line.reason) for line in bad] == [("message 2", True)]


def test_a_list_that_was_cut_off_gives_what_it_has() -> None:
    whole = elements(GOOD, GOOD, GOOD)
    for cut, count in ((len(whole) - 1, 3), (len(whole) - 9, 2), (len(GOOD) + 2, 1)):
        messages, bad = imported(whole[:cut])
        assert len(messages) == count
        assert len(bad) == 1
        assert "the file ends" in bad[0].reason


def test_what_follows_a_list_is_told() -> None:
    messages, bad = imported(elements(GOOD) + " and more")
    assert len(messages) == 1
    assert "follows the end" in bad[0].reason


def test_a_list_s_elements_are_cut_at_the_right_brackets() -> None:
    tricky = ['a "quoted" } bracket', "back\\slash\\", 'end\\"', "[{", "\\u005d ]", "{,}", "é🐝"]
    source = [{"role": "user", "content": text, "x": [{"y": []}]} for text in tricky]
    for text in (json.dumps(source), json.dumps(source, ensure_ascii=False, indent=3)):
        assert contents(text) == tricky


def test_elements_longer_than_any_chunk_are_whole() -> None:
    texts = ['"\\' * 70_000, "[" * 150_000, "x" * 500_000, "short"]
    source = [{"role": "user", "content": text} for text in texts]
    assert contents(json.dumps(source)) == texts
