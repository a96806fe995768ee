"""ChatGPT's and Claude's data exports, and LoCoMo samples."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_importing import contents, ids, imported

# ChatGPT


def node(
    parent: str | None,
    role: str | None = None,
    parts: Any = None,
    *,
    content: Any = None,
    **more: Any,
) -> dict[str, Any]:
    """A node of a ChatGPT tree; without a role one whose message is null."""
    if role is None:
        return {"parent": parent, "message": None}
    said = content if content is not None else {"content_type": "text", "parts": parts}
    return {"parent": parent, "message": {"author": {"role": role}, "content": said, **more}}


def chatgpt(mapping: dict[str, Any], **more: Any) -> str:
    return json.dumps([{"title": "shop", **more, "mapping": mapping}])


def test_the_branch_that_was_shown_is_followed_and_not_the_first_child() -> None:
    shop = "My shop is called Fern & Co"
    mapping = {
        "n0": {**node(None), "children": ["n1"]},
        "n1": {**node("n0", "user", [shop], create_time=None), "children": ["n2a", "n2b"]},
        "n2a": {**node("n1", "assistant", content={"parts": ["OLD reply"]}), "children": []},
        "n2b": node("n1", "assistant", content={"parts": ["NEW reply", {"asset_pointer": "x"}]}),
    }
    source = chatgpt(mapping, create_time=1765000000.5, current_node="n2b")
    messages, bad = imported(source)
    assert not bad
    assert [message.draft.content for message in messages] == [shop, "NEW reply"]
    assert [message.draft.role for message in messages] == ["user", "assistant"]
    assert {message.draft.at.timestamp() for message in messages if message.draft.at} == {
        1765000000.5
    }
    assert messages[0].session.startswith("shop ")
    old = chatgpt(mapping, create_time=1765000000.5, current_node="n2a")
    assert contents(old) == [shop, "OLD reply"]


def test_without_a_current_node_the_newest_leaf_is_followed() -> None:
    mapping = {
        "q": node(None, "user", ["question"], create_time=10.0**9),
        "new": node("q", "assistant", ["new"], create_time=10.0**9 + 9),
        "old": node("q", "assistant", ["old"], create_time=10.0**9 + 5),
    }
    assert contents(chatgpt(mapping)) == ["question", "new"]
    assert contents(chatgpt(mapping, current_node="gone")) == ["question", "new"]
    for key in mapping:
        del mapping[key]["message"]["create_time"]
    assert contents(chatgpt(mapping)) == ["question", "old"]


def test_a_leaf_without_a_time_counts_as_its_nearest_ancestor() -> None:
    mapping = {
        "q": node(None, "user", ["question"], create_time=10.0**9),
        "edit": node("q", "user", ["edited"], create_time=10.0**9 + 50),
        "answer": node("edit", "assistant", ["new"]),
        "old": node("q", "assistant", ["old"], create_time=10.0**9 + 5),
    }
    assert contents(chatgpt(mapping)) == ["question", "edited", "new"]


def test_a_tree_that_tells_only_children_or_nothing_is_read() -> None:
    said = {
        "a": node(None, "user", ["1"]),
        "b": node(None, "assistant", ["2"]),
        "c": node(None, "assistant", ["3"]),
    }
    for one in said.values():
        del one["parent"]
    assert contents(chatgpt(said)) == ["1", "2", "3"]
    said["a"]["children"] = ["b", "c"]
    assert contents(chatgpt(said, current_node="b")) == ["1", "2"]


def test_a_tree_that_bites_its_tail_ends() -> None:
    mapping = {
        "a": node("b", "user", ["1"]),
        "b": node("a", "assistant", ["2"]),
        "c": node("c", "user", ["3"]),
    }
    assert sorted(contents(chatgpt(mapping))) in (["1", "2"], ["3"])
    assert contents(chatgpt(mapping, current_node="a")) == ["2", "1"]


def test_a_tree_of_ten_thousand_forks_is_followed() -> None:
    mapping = {"0": node(None, "user", ["0"], create_time=10.0**9)}
    for number in range(1, 10_000):
        mapping[f"{number}"] = node(f"{number - 1}", "user", [f"{number}"])
        mapping[f"{number}x"] = node(f"{number - 1}", "user", ["x"])
    assert len(contents(chatgpt(mapping))) == 10_000


@pytest.mark.parametrize(
    "unsaid",
    [
        node("q", "system", ["You are helpful"]),
        node("q", "tool", ["Search result"]),
        node("q", "user", content={"content_type": "user_editable_context", "user_profile": "p"}),
        node("q", "assistant", content={"content_type": "thoughts", "parts": ["hm"]}),
        node("q", "assistant", content={"content_type": "reasoning_recap", "content": "5 s"}),
        node("q", "assistant", content={"content_type": "code", "text": "print(1)"}),
        node("q", "assistant", ['{"query": "bees"}'], recipient="browser"),
        node("q", "user", ["hidden"], metadata={"is_visually_hidden_from_conversation": True}),
        node("q", "assistant", [""]),
        node("q", "assistant", []),
        node("q", "assistant", content={}),
        node("q", "assistant", content={"content_type": "text", "parts": [None, 5, []]}),
        node("q"),
        {"parent": "q"},
        {"parent": "q", "message": {}},
        {"parent": "q", "message": {"author": None, "content": None}},
        {"parent": "q", "message": {"author": {"role": ["user"]}, "content": {"parts": ["x"]}}},
    ],
)
def test_what_was_not_said_is_left_out_and_does_not_break_the_branch(unsaid: Any) -> None:
    mapping = {
        "q": node(None, "user", ["question"]),
        "unsaid": unsaid,
        "answer": node("unsaid", "assistant", ["answer"], recipient="all"),
    }
    messages, bad = imported(chatgpt(mapping, current_node="answer"))
    assert [message.draft.content for message in messages] == ["question", "answer"]
    assert not bad


def test_spoken_words_are_read_and_pictures_alone_are_named() -> None:
    mapping = {
        "a": node(
            None,
            "user",
            content={
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "audio_transcription", "text": "I said this"},
                    {"content_type": "audio_asset_pointer"},
                ],
            },
        ),
        "b": node("a", "user", [{"content_type": "image_asset_pointer"}]),
        "c": node("b", "user", [""], metadata={"attachments": [{"name": "plan.pdf"}, None]}),
    }
    assert contents(chatgpt(mapping)) == ["I said this", "[image]", "[file: plan.pdf]"]


def test_marks_of_citations_are_taken_out_and_names_stay() -> None:
    text = (
        '\ue200entity\ue202["city","Oslo","place"]\ue201 is north'
        "\ue200cite\ue202turn0search1\ue202turn0search2\ue201. "
        "See \ue200url\ue202the map\ue202turn1\ue201 \ue200filecite\ue202x"
    )
    mapping = {"a": node(None, "assistant", [text])}
    assert contents(chatgpt(mapping)) == ["Oslo is north. See the map filecitex"]


def test_a_message_s_own_id_is_kept_and_else_its_node_s() -> None:
    mapping = {"a": node(None, "user", ["1"], id="m-1"), "b": node("a", "user", ["2"])}
    assert ids(chatgpt(mapping, id="talk")) == [("talk", "m-1"), ("talk", "b")]
    assert ids(chatgpt(mapping, id="talk", conversation_id="real"))[0][0] == "real"


def test_a_single_conversation_and_a_list_read_the_same() -> None:
    source = chatgpt({"a": node(None, "user", ["1"])}, id="talk")
    assert contents(source[1:-1]) == contents(source)
    assert contents(json.dumps(json.loads(source)[0], indent=2)) == ["1"]


def test_a_conversation_that_is_damaged_costs_only_itself() -> None:
    good = json.loads(chatgpt({"a": node(None, "user", ["1"], create_time="soon")}))[0]
    messages, bad = imported(json.dumps([good, {"mapping": []}, None, 5, good]))
    assert len(messages) == 2
    lost = [line for line in bad if line.lost]
    assert [line.where for line in lost] == ["conversation 2", "conversation 4"]
    kept = [line for line in bad if not line.lost]
    assert kept[0].where == "conversation 1, message 'a'"
    assert "'soon'" in kept[0].reason


# Claude


def claude(*messages: Any, **more: Any) -> str:
    return json.dumps([{"uuid": "talk", "name": "t", "chat_messages": list(messages), **more}])


def human(text: str, uuid: str = "m", **more: Any) -> dict[str, Any]:
    return {"uuid": uuid, "sender": "human", "text": text, **more}


def test_a_claude_export_is_read_from_a_list_an_object_and_one_conversation() -> None:
    source = claude(
        human("hi", "a", created_at="2026-03-01T09:15:00.123456Z"),
        None,
        {"uuid": "b", "sender": "assistant", "text": "hello"},
    )
    wrapped = json.dumps({"conversations": json.loads(source)}, indent=1)
    for text in (source, wrapped, source[1:-1]):
        messages, bad = imported(text)
        assert not bad
        assert [(m.session, m.draft.external_id, m.draft.role) for m in messages] == [
            ("talk", "a", "user"),
            ("talk", "b", "assistant"),
        ]
        assert messages[0].draft.at == messages[1].draft.at is not None


def test_the_text_blocks_are_taken_and_the_text_with_placeholders_only_without_them() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I looked it up."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": [{"type": "text", "text": "raw"}]},
        {"type": "text", "text": "It is Oslo."},
        None,
    ]
    source = claude(
        human("I looked it up. ```not supported``` It is Oslo.", "a", content=blocks),
        human("only text", "b", content=[]),
        human("only text, too", "c", content=blocks[:1]),
    )
    assert contents(source) == ["I looked it up.\n\nIt is Oslo.", "only text", "only text, too"]


def test_an_attachment_s_text_is_kept_and_marked() -> None:
    attachment = {"file_name": "notes.txt", "extracted_content": "The door is green.\n"}
    (content,) = contents(claude(human("See my notes", attachments=[attachment, None, {}])))
    assert content == (
        "See my notes\n\n[attachment: notes.txt]\nThe door is green.\n[end of attachment]"
    )
    assert contents(claude(human("", files=[{"file_name": "door.png"}]))) == ["[file: door.png]"]
    assert contents(claude(human("", "a"), human("b", "b"))) == ["b"]


def test_the_shown_branch_of_a_claude_tree_is_followed() -> None:
    root = "00000000-0000-4000-8000-000000000000"
    said = [
        human("first try", "1", parent_message_uuid=root, created_at="2026-03-01T09:00:00Z"),
        human("second try", "2", parent_message_uuid=root, created_at="2026-03-01T09:05:00Z"),
        human("reply to it", "3", parent_message_uuid="2", created_at="2026-03-01T09:06:00Z"),
    ]
    assert contents(claude(*said)) == ["second try", "reply to it"]
    assert contents(claude(*said, current_leaf_message_uuid="1")) == ["first try"]


def test_a_claude_tree_with_a_gap_loses_nothing() -> None:
    root = "00000000-0000-4000-8000-000000000000"
    said = [
        human("one", "1", parent_message_uuid=root),
        human("two", "2", parent_message_uuid="lost"),
        human("three", "3", parent_message_uuid="2"),
    ]
    assert contents(claude(*said)) == ["one", "two", "three"]


def test_a_claude_message_that_is_damaged_costs_only_itself() -> None:
    messages, bad = imported(
        claude(human("1", "a"), 5, {"uuid": "x", "sender": "wizard"}, {"sender": None}, human("2"))
    )
    assert len(messages) == 2
    assert [line.where for line in bad] == [
        "conversation 1, message 2",
        "conversation 1, message 'x'",
        "conversation 1, message 4",
    ]
    messages, bad = imported(json.dumps([json.loads(claude(human("1")))[0], {"uuid": "empty"}]))
    assert len(messages) == 1
    assert "no chat_messages" in bad[0].reason


# LoCoMo


def turn(speaker: str, dia_id: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **more}


TALK: dict[str, Any] = {
    "speaker_a": "Ann",
    "speaker_b": "Bob",
    "session_10_date_time": "9:00 am on 3 April, 2026",
    "session_10": [turn("Bob", "D10:1", "late")],
    "session_2_date_time": "1:56 pm on 8 March, 2026",
    "session_2": [
        turn("Bob", "D2:1", "Look!", blip_caption="a red kite", img_url="x", query="kite"),
        turn("Ann", "D2:2", "", blip_caption="a dog"),
        turn("Ann", "D2:3", " "),
    ],
    "session_3_date_time": "1:56 pm on 9 March, 2026",
}


def test_a_locomo_sample_is_a_session_for_each_of_its_own() -> None:
    source = json.dumps([{"qa": [], "sample_id": "conv-1", "conversation": TALK}])
    messages, bad = imported(source)
    assert not bad
    told = [(m.session, m.draft.role, m.draft.name, m.draft.external_id) for m in messages]
    assert told == [
        ("conv-1/session_2", "assistant", "Bob", "D2:1"),
        ("conv-1/session_2", "user", "Ann", "D2:2"),
        ("conv-1/session_10", "assistant", "Bob", "D10:1"),
    ]
    assert contents(source) == ["Look! [image: a red kite]", "[image: a dog]", "late"]
    times = [m.draft.at.isoformat() for m in messages if m.draft.at]
    assert times == ["2026-03-08T13:56:00+00:00"] * 2 + ["2026-04-03T09:00:00+00:00"]


def test_a_locomo_sample_alone_and_a_bare_conversation_are_read() -> None:
    sample = {"sample_id": "conv-1", "conversation": TALK}
    assert len(contents(json.dumps(sample))) == 3
    assert len(contents(json.dumps(TALK))) == 3
    assert ids(json.dumps(TALK)) == ids(json.dumps([TALK]))


def test_what_is_damaged_in_a_locomo_sample_costs_only_itself() -> None:
    talk = {
        **TALK,
        "session_2_date_time": "once upon a time",
        "session_2": [5, None, {"text": "x"}, *TALK["session_2"]],
        "session_4": "gone",
    }
    messages, bad = imported(json.dumps([{"sample_id": "s", "conversation": talk}, {"qa": []}]))
    assert len(messages) == 3
    assert [(line.where, line.lost) for line in bad] == [
        ("sample 1, session_2", False),
        ("sample 1, session_2, turn 1", True),
        ("sample 1, session_2, turn 3", True),
        ("sample 1, session_4", True),
        ("sample 2", True),
    ]
