"""Whatever a file holds, importing ends in messages, bad lines or one clear refusal."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.errors import ImportFormatError
from scenemem.base.records import ROLES
from scenemem.memory.importing import (
    BadLine,
    Imported,
    ImportedMessage,
    SavedEntry,
    format_names,
    read_file,
)
from scenemem.memory.importing.own_export import KINDS


def read(raw: bytes, format: str | None = None) -> list[Imported]:
    """What importing makes of the bytes, checked for what always holds; a refusal is nothing."""
    items: list[Imported] = []
    try:
        for item in read_file(Path("any.thing"), format=format, stream=io.BytesIO(raw)):
            items.append(item)
    except ImportFormatError as refusal:
        assert "any.thing" in str(refusal)
        assert "\n" not in str(refusal)
    for item in items:
        check(item)
    return items


def check(item: Imported) -> None:
    if isinstance(item, BadLine):
        assert item.where
        assert item.reason
        assert str(item).encode()
        return
    if isinstance(item, SavedEntry):
        assert item.kind in KINDS
        return
    draft = item.draft
    assert draft.role in ROLES
    assert draft.external_id
    assert item.session is not None
    if isinstance(item, ImportedMessage):
        assert item.session.strip()
        assert draft.content.strip() or draft.tool_calls
    assert draft.at is None or draft.at.utcoffset() is not None
    stored = (item.session, draft.content, draft.name or "", draft.external_id)
    assert all(text.encode() and "\0" not in text for text in stored if text)
    assert json.dumps(draft.tool_calls).encode()


KEY_WORDS = """
role content user assistant messages session session_id conversation_id id uuid name at timestamp
created_at create_time tool_calls tool_call_id function_call type text title mapping current_node
parent children message author parts content_type metadata recipient chat_messages sender
attachments files extracted_content file_name parent_message_uuid current_leaf_message_uuid
conversations sample_id conversation speaker_a speaker_b session_1 session_1_date_time speaker
dia_id blip_caption qa
"""
VALUE_WORDS = """
user/assistant/tool/human/text/all/a/b/Ann/Bob/[image]/2026-03-01/1:56 pm on 8 May, 2023
multimodal_text/\ud83d/\x00/\ue200
"""
KEYS = st.sampled_from(KEY_WORDS.split())
WORDS = st.sampled_from(re.split("[/\n]", VALUE_WORDS.strip()))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=20)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS | st.sampled_from(["a", "b"]), inner, max_size=6)
    ),
    max_leaves=15,
)


FORMAT = st.sampled_from([None, *format_names()])


@given(format=FORMAT, raw=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(format: str | None, raw: bytes) -> None:
    read(raw, format)


@given(format=FORMAT, text=st.text(max_size=300))
def test_any_text_is_read_or_refused(format: str | None, text: str) -> None:
    read(text.encode("utf-8", "surrogatepass"), format)


@given(format=FORMAT, value=JSON, lines=st.booleans())
def test_any_json_is_read_or_refused(format: str | None, value: Any, lines: bool) -> None:
    if lines and isinstance(value, list):
        read("\n".join(map(json.dumps, value)).encode(), format)
    else:
        read(json.dumps(value).encode(), format)


RECORDS = st.dictionaries(KEYS, JSON, max_size=5)
SEEDS: dict[str, dict[str, Any]] = {
    "messages": {"role": "user", "content": "hi"},
    "pairs": {"user": "hi", "assistant": "hello"},
    "chatgpt": {"mapping": {"a": {"message": {"author": {"role": "user"}, "content": "hi"}}}},
    "claude": {"chat_messages": [{"sender": "human", "text": "hi"}]},
    "locomo": {"sample_id": "s", "conversation": {"session_1": [{"speaker": "A", "text": "hi"}]}},
}


# Keys by which a file is recognised: among other records they would make it one of their format.
TELLING = "mapping chat_messages qa speaker_a sample_id role messages user assistant conversations"
OTHER_KEYS = st.sampled_from(sorted(set(KEY_WORDS.split()) - set(TELLING.split())))


@pytest.mark.parametrize("seed", SEEDS)
@given(
    records=st.lists(
        st.dictionaries(OTHER_KEYS, JSON, max_size=4),
        max_size=3,
    ),
    lines=st.booleans(),
)
@settings(max_examples=50)
def test_a_good_record_is_read_among_any_others(
    seed: str, records: list[dict[str, Any]], lines: bool
) -> None:
    values = [json.dumps(record) for record in (SEEDS[seed], *records, SEEDS[seed])]
    items = read(("\n".join(values) if lines else f"[{','.join(values)}]").encode())
    said = [item.draft.content for item in items if isinstance(item, ImportedMessage)]
    assert said.count("hi") == 2


@pytest.mark.parametrize("seed", SEEDS)
@given(changed=RECORDS, nested=JSON)
@settings(max_examples=50)
def test_a_record_with_anything_in_its_places_is_read(
    seed: str, changed: dict[str, Any], nested: Any
) -> None:
    good = SEEDS[seed]
    read(json.dumps([{**good, **changed}]).encode(), seed)
    for key in good:
        read(json.dumps([good, {**good, key: nested}]).encode(), seed)
        read(json.dumps([good, {**good, key: [nested]}]).encode(), seed)
        read(json.dumps([good, {**good, key: {"a": nested}}]).encode(), seed)


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": WORDS | st.text(max_size=8)},
        optional={"session": WORDS, "id": st.integers(0, 3), "name": WORDS},
    ),
    max_size=12,
)


def keys(items: list[Imported]) -> list[tuple[str, str | None]]:
    return [(i.session, i.draft.external_id) for i in items if isinstance(i, ImportedMessage)]


@given(old=MESSAGES, new=MESSAGES)
def test_a_file_that_has_grown_gives_its_old_messages_their_old_ids(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    before = keys(read(json.dumps(old).encode(), "messages"))
    after = keys(read(json.dumps(old + new).encode(), "messages"))
    assert after[: len(before)] == before


@given(messages=MESSAGES)
def test_no_two_different_messages_have_one_id(messages: list[dict[str, Any]]) -> None:
    items = read("\n".join(map(json.dumps, messages)).encode(), "messages")
    told: dict[tuple[str, str | None], tuple[Any, ...]] = {}
    for item in items:
        if isinstance(item, ImportedMessage):
            draft = item.draft
            said = (draft.role, draft.name, draft.content)
            assert told.setdefault((item.session, draft.external_id), said) == said


@given(messages=MESSAGES)
def test_lines_and_a_list_of_the_same_messages_say_the_same(
    messages: list[dict[str, Any]],
) -> None:
    lines = read("\n".join(map(json.dumps, messages)).encode(), "messages")
    document = read(json.dumps(messages, indent=1).encode(), "messages")
    assert lines == document


LINE_WORDS = """
Ann: hi|Bob: well|Cara: me too|Note: keys|and on|  x: y|User: a|Dan said:|**Eve:** bold|田中：はい
[2026-03-01 09:15] Ann: hi|01/03/26, 09:15 - Bob: yes|[2026-03-02 10:00] Bob left|a list:||
"""
LINES = st.lists(
    st.sampled_from(re.split("[|\n]", LINE_WORDS.strip()))
    | st.text(st.characters(exclude_categories=["Cc"]), max_size=20),
    max_size=20,
)


@given(lines=LINES)
@settings(max_examples=200)
def test_no_word_of_a_transcript_is_lost_without_being_told(lines: list[str]) -> None:
    first = "[2026-03-01 09:14] Ann: begin"
    items = read("\n".join([first, *lines]).encode("utf-8", "replace"), "transcript")
    said = "\n".join(i.draft.content for i in items if isinstance(i, ImportedMessage))
    lost = sum(isinstance(item, BadLine) for item in items)
    for word in ("begin", "hi", "well", "me too", "keys", "and on", "yes", "bold", "はい"):
        assert said.count(word) + lost >= sum(line.endswith(word) for line in [first, *lines])


DEEP = 50_000


@pytest.mark.parametrize(
    "text",
    [
        '[{"role": "user", "content": "a"},' + "[" * DEEP + "]" * DEEP + "]",
        '[{"role": "user", "content": "a"},' + '{"a":' * DEEP + "1" + "}" * DEEP + "]",
        '{"role": "user", "content": "a"}\n' + "[" * DEEP,
        '{"role": "user", "content": "a"}\n{"role": ' + "[" * DEEP + "]" * DEEP + "}",
        '{"messages": [{"role": "user", "content": "a"}], "x": ' + "[" * 400 + "]" * 400 + "}",
        '{"mapping": {"a": ' + '{"message":' * 300 + "1" + "}" * 300 + "}}",
        '[{"chat_messages": [{"sender": "human", "text": "a", "content": '
        + "[" * 300
        + "]" * 300
        + "}]}]",
        "Ann: a\n" + "Bob:" * DEEP + "\n" + " " * DEEP + "x:" + "\n" * DEEP,
        "[2026-03-01 09:15] " + " " * DEEP + "\n" + "Ann: a\n" + "A" + " " * DEEP + ": b",
        "\\" * DEEP + '"' * DEEP,
        '[{"role": "user", "content": "' + "\\" * (2 * DEEP) + '"}]',
        '[{"role": "user", "content": "a", "at": "' + " " * DEEP + "x" + '"}]',
    ],
)
@pytest.mark.parametrize("format", [None, *format_names()])
def test_hostile_text_ends_like_any_other(format: str | None, text: str) -> None:
    read(text.encode(), format)
