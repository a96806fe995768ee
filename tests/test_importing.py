"""Opening and recognising files, and the ids that make an import repeatable."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import pytest

from scenemem.base.errors import ImportFormatError
from scenemem.base.records import MessageDraft
from scenemem.memory.importing import (
    BadLine,
    ImportedMessage,
    SavedMessage,
    format_names,
    read_file,
    registry,
)
from scenemem.memory.importing.format import JsonFormat, Read, SessionMessage
from scenemem.memory.importing.opening import HEAD_BYTES

SAMPLES: dict[str, str] = {
    "messages": '{"role": "user", "content": "I keep bees"}\n',
    "pairs": '{"user": "I keep bees", "assistant": "How many hives?"}\n',
    "chatgpt": json.dumps(
        [
            {
                "title": "bees",
                "mapping": {
                    "a": {
                        "parent": None,
                        "message": {
                            "author": {"role": "user"},
                            "content": {"parts": ["I keep bees"]},
                        },
                    }
                },
            }
        ]
    ),
    "claude": json.dumps(
        [{"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "I keep bees"}]}]
    ),
    "locomo": json.dumps(
        [
            {
                "sample_id": "s",
                "conversation": {
                    "speaker_a": "Ann",
                    "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "I keep bees"}],
                },
            }
        ]
    ),
    "memory-store": json.dumps(
        {
            "global": {"lang": "en"},
            "sessions": {"A": {"history": [{"role": "user", "content": "I keep bees"}]}},
        }
    ),
    "scenemem": '{"kind": "message", "session": "A", "id": "1", "at": "2026-03-01T09:00:00+00:00", '
    '"role": "user", "content": "I keep bees"}\n',
    "transcript": "Ann: I keep bees\nBob: How many hives?\n",
}

FORMATS = format_names()


def imported(
    source: str | bytes, name: str = "chat.txt", **options: Any
) -> tuple[list[ImportedMessage], list[BadLine]]:
    raw = source.encode() if isinstance(source, str) else source
    items = list(read_file(Path(name), stream=io.BytesIO(raw), **options))
    messages = [
        ImportedMessage(item.session or "", item.draft)
        for item in items
        if isinstance(item, ImportedMessage | SavedMessage)
    ]
    return messages, [item for item in items if isinstance(item, BadLine)]


def contents(source: str | bytes, **options: Any) -> list[str]:
    return [message.draft.content for message in imported(source, **options)[0]]


def ids(source: str | bytes, **options: Any) -> list[tuple[str, str | None]]:
    messages, _ = imported(source, **options)
    return [(message.session, message.draft.external_id) for message in messages]


class Pipe(io.RawIOBase):
    """A stream that can't seek and gives a few bytes at a time."""

    def __init__(self, raw: bytes) -> None:
        self._raw = io.BytesIO(raw)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        return self._raw.read(min(size, 7) if size >= 0 else 7)


# Recognition


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_recognised_by_its_content_alone(format: str) -> None:
    assert contents(SAMPLES[format], name="export.bin")[0] == "I keep bees"


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_that_is_named_reads_the_same_as_one_that_is_recognised(format: str) -> None:
    assert imported(SAMPLES[format], format=format) == imported(SAMPLES[format])


@pytest.mark.parametrize("actual", FORMATS)
@pytest.mark.parametrize("told", FORMATS)
def test_a_wrong_format_is_refused_in_one_sentence(actual: str, told: str) -> None:
    if actual == told:
        return
    with pytest.raises(ImportFormatError) as refusal:
        imported(SAMPLES[actual], name="export.json", format=told)
    assert "export.json" in str(refusal.value)
    assert actual in str(refusal.value) or "Name: text" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_format_that_does_not_exist_is_the_caller_s_mistake() -> None:
    with pytest.raises(ValueError, match="one of chatgpt, claude"):
        imported("Ann: hi", format="csv")


@pytest.mark.parametrize("format", [f for f in FORMATS if f != "transcript"])
def test_json_is_recognised_whether_it_is_on_one_line_or_indented(format: str) -> None:
    value = json.loads(SAMPLES[format])
    expected = contents(SAMPLES[format])
    assert contents(json.dumps(value, indent=2)) == expected
    assert contents(json.dumps(value)) == expected
    assert contents("\n \n" + json.dumps(value, indent=1)) == expected


def test_jsonl_is_recognised_although_its_first_line_is_damaged() -> None:
    lines = ['{"role": "user", "content": "cut o', *[SAMPLES["messages"].strip()] * 2]
    messages, bad = imported("\n".join(lines))
    assert len(messages) == 2
    assert [line.where for line in bad] == ["line 1"]


def test_keys_that_look_like_a_pair_do_not_hide_an_export() -> None:
    wrapped = {"user": {"name": "Ann"}, "conversations": json.loads(SAMPLES["claude"])}
    assert contents(json.dumps(wrapped)) == ["I keep bees"]
    assert contents(json.dumps(wrapped, indent=1)) == ["I keep bees"]


def test_a_format_is_recognised_when_the_first_value_is_longer_than_what_is_looked_at() -> None:
    long = "honey " * HEAD_BYTES
    assert contents(json.dumps({"role": "user", "content": long})) == [long]
    export = json.loads(SAMPLES["chatgpt"])
    export[0]["mapping"]["a"]["message"]["content"]["parts"] = [long]
    assert contents(json.dumps(export)) == [long]


# What is no chat


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n\r\n", "is empty"),
        (b"[]", "holds no messages"),
        (b"{}", "holds no messages"),
        (b"null\n", "known formats"),
        (b'[{"foo": 1, "bar": 2}]', "keys: bar, foo"),
        (b"[1, 2, 3]", "holds no messages"),
        (b"It was late. Nobody spoke.\nThe lamp went out.\n", "It was late."),
        (b"# Title\n\nSome text: with a colon\n", "known formats"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 20, "binary"),
        (b"\x1f\x8b\x08\x00" + b"\x00" * 40, "gzip"),
        (b"SQLite format 3\x00" + b"\x00" * 84, "database"),
        (b"PK\x03\x04 this is no archive", "damaged zip"),
        (b"[" * 300_000, "known formats"),
        (b'{"a":' * 100_000, "known formats"),
    ],
)
def test_what_is_no_chat_is_refused_with_the_file_s_name_and_the_reason(
    raw: bytes, words: str
) -> None:
    with pytest.raises(ImportFormatError) as refusal:
        imported(raw, name="dir/thing.dat")
    assert words in str(refusal.value)
    assert "dir/thing.dat" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(ImportFormatError, match=r"nope\.json does not exist"):
        list(read_file(tmp_path / "nope.json"))
    with pytest.raises(ImportFormatError, match="is a directory; give a file"):
        list(read_file(tmp_path))
    (tmp_path / "conversations.json").write_text("[]")
    with pytest.raises(ImportFormatError, match=r"give .*conversations\.json"):
        list(read_file(tmp_path))


def test_a_file_that_can_t_be_read_is_named_with_the_system_s_reason() -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(ImportFormatError, match=r"chat\.txt can't be read: Input/output error"):
        list(read_file(Path("chat.txt"), stream=cast(IO[bytes], Broken())))


def test_neither_a_path_nor_a_stream_is_the_caller_s_mistake() -> None:
    with pytest.raises(TypeError):
        list(read_file(None))


# Streams, encodings, archives


@pytest.mark.parametrize("format", FORMATS)
def test_a_pipe_that_can_t_seek_reads_the_same_as_a_file(tmp_path: Path, format: str) -> None:
    path = tmp_path / "chat.any"
    path.write_text(SAMPLES[format])
    from_file = [item.draft for item in read_file(path) if isinstance(item, ImportedMessage)]
    pipe = Pipe(SAMPLES[format].encode())
    from_pipe = [
        item.draft
        for item in read_file(None, stream=cast(IO[bytes], pipe))
        if isinstance(item, ImportedMessage)
    ]
    assert from_pipe == from_file
    assert not pipe.closed


def test_errors_of_a_pipe_speak_of_standard_input() -> None:
    with pytest.raises(ImportFormatError, match="standard input is empty"):
        list(read_file(None, stream=io.BytesIO(b"")))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_every_unicode_encoding_reads_the_same(encoding: str) -> None:
    text = "Ann: Café in 東京 🐝\nBob: Привет\n"
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    assert contents(mark + text.encode(encoding)) == ["Café in 東京 🐝", "Привет"]
    line = json.dumps({"role": "user", "content": "Café 🐝"}, ensure_ascii=False) + "\n"
    assert contents(mark + (line * 2).encode(encoding)) == ["Café 🐝"] * 2
    assert contents(mark + f"[{line}]".encode(encoding)) == ["Café 🐝"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_is_one(ending: str) -> None:
    assert contents(ending.join(["Ann: hi", "Bob: one", "two", "Ann: bye"])) == [
        "hi",
        "one\ntwo",
        "bye",
    ]
    assert contents(ending.join([SAMPLES["messages"].strip()] * 3)) == ["I keep bees"] * 3


def test_bytes_in_an_old_encoding_cost_a_warning_and_their_characters_only() -> None:
    text = "Ann: hello\nBob: Müller said olé\nAnn: bye\n"
    messages, bad = imported(text.encode("latin-1"))
    assert [message.draft.content for message in messages] == [
        "hello",
        "M\N{REPLACEMENT CHARACTER}ller said ol\N{REPLACEMENT CHARACTER}",
        "bye",
    ]
    assert len(bad) == 1
    assert bad[0].where == "line 2"
    assert not bad[0].lost
    assert "2 bytes" in bad[0].reason
    assert "UTF-8" in bad[0].reason


def test_undecodable_bytes_are_counted_in_json_too() -> None:
    line = '{"role": "user", "content": "Müller"}\n'.encode("latin-1")
    for raw in (line * 3, b"[" + b",".join([line] * 3) + b"]"):
        messages, bad = imported(raw)
        assert len(messages) == 3
        assert ["3 bytes" in line.reason for line in bad] == [True]


def test_a_character_that_lies_across_two_chunks_is_whole() -> None:
    for shift in range(4):
        text = "x" * (HEAD_BYTES - shift - len('[{"role": "user", "content": "')) + "🐝東"
        value = [{"role": "user", "content": text}, {"role": "user", "content": "end"}]
        source = json.dumps(value, ensure_ascii=False)
        assert contents(source) == [text, "end"]


def test_the_separators_inside_json_texts_do_not_end_a_line() -> None:
    text = "one\u2028two\u0085three\u2029four"
    line = json.dumps({"role": "user", "content": text}, ensure_ascii=False)
    assert contents(f"{line}\n{line}\n") == [text, text]


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_an_export_is_read_from_its_zip_archive() -> None:
    raw = zipped(
        {
            "export/user.json": "{}",
            "export/conversations.json": SAMPLES["chatgpt"],
            "__MACOSX/conversations.json": "junk",
            "chat.html": "<html>",
        }
    )
    assert contents(raw, name="export.zip") == ["I keep bees"]
    piped = list(read_file(None, stream=cast(IO[bytes], Pipe(raw))))
    assert [item.draft.content for item in piped if isinstance(item, ImportedMessage)] == [
        "I keep bees"
    ]


def test_an_export_that_is_split_over_files_is_read_in_their_order() -> None:
    parts = {
        f"conversations-{number:03}.json": SAMPLES["claude"].replace("bees", f"bees {number}")
        for number in (2, 0, 1)
    }
    assert contents(zipped(parts)) == ["I keep bees 0", "I keep bees 1", "I keep bees 2"]


def test_an_archive_with_one_chat_needs_no_certain_name() -> None:
    assert contents(zipped({"_chat.txt": SAMPLES["transcript"], "photo.jpg": "x"})) == [
        "I keep bees",
        "How many hives?",
    ]
    with pytest.raises(ImportFormatError, match=r"without a conversations\.json"):
        imported(zipped({"a.txt": "Ann: hi", "b.txt": "Bob: hi"}))


def test_a_damaged_archive_is_refused_and_names_the_file() -> None:
    many = SAMPLES["chatgpt"].replace("bees", "".join(map(str, range(90_000))))
    raw = bytearray(zipped({"conversations.json": many}))
    raw[2000:2400] = b"\x00" * 400
    with pytest.raises(ImportFormatError, match=r"conversations\.json can't be read to its end"):
        imported(bytes(raw), name="export.zip")


# Progress and size


@pytest.mark.parametrize("make", [lambda s: s, lambda s: zipped({"conversations.json": s})])
def test_progress_rises_to_the_size_of_the_file(
    tmp_path: Path, make: Callable[[str], str | bytes]
) -> None:
    text = "[" + ",".join([SAMPLES["chatgpt"][1:-1]] * 5000) + "]"
    made = make(text)
    path = tmp_path / "export"
    path.write_bytes(made.encode() if isinstance(made, str) else made)
    seen: list[int] = []
    messages = sum(1 for _ in read_file(path, progress=seen.append))
    assert messages == 5000
    assert seen == sorted(seen)
    assert seen[-1] == path.stat().st_size
    assert len(seen) > 5


class Endless(io.RawIOBase):
    """A file without an end: `first`, then `again` over and over."""

    def __init__(self, first: bytes, again: bytes) -> None:
        self._first, self._again = first, again
        self.given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        turned = self.given - len(self._first)
        made = self._first[self.given :] + self._again[max(turned, 0) % len(self._again) :]
        self.given += size
        return (made + self._again * (size // len(self._again) + 1))[:size]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"", b'{"role": "user", "content": "again and again"}\n'),
        (b"[", b'{"role": "user", "content": "again and again"},'),
        (b"[", SAMPLES["chatgpt"][1:-1].encode() + b","),
        (b"", b"Ann: on and on\nBob: and on\n"),
    ],
)
def test_a_file_of_any_size_is_read_piece_by_piece(first: bytes, again: bytes) -> None:
    source = Endless(first, again)
    items = read_file(Path("endless"), stream=cast(IO[bytes], source))
    for _ in range(3000):
        assert isinstance(next(items), ImportedMessage)
    assert source.given < 3000 * len(again) + 2 * HEAD_BYTES


# Ids, sessions and times


@pytest.mark.parametrize("format", FORMATS)
def test_importing_a_file_again_gives_every_message_the_same_id(format: str) -> None:
    first, again = ids(SAMPLES[format]), ids(SAMPLES[format])
    assert first == again
    assert all(external_id for _, external_id in first)


def jsonl(*said: str, **more: str) -> str:
    return "".join(json.dumps({"role": "user", "content": text, **more}) + "\n" for text in said)


def test_a_file_that_has_grown_adds_only_its_new_messages() -> None:
    old = ids(jsonl("hello", "ok", "ok", "bye"))
    new = ids(jsonl("hello", "ok", "ok", "bye", "ok", "one more"))
    assert new[:4] == old
    assert len(set(new)) == 6


def test_a_transcript_that_has_grown_adds_only_its_new_messages() -> None:
    text = "Ann: hello\nBob: ok\nand fine\nAnn: ok\n"
    old = ids(text)
    new = ids(text + "Bob: ok\nCara: me too\nNote: bring keys\n\nAnn: bye\n")
    assert new[:3] == old
    assert len(set(new)) == 6


def test_lines_that_are_mended_or_moved_by_blank_lines_keep_the_other_ids() -> None:
    broken = jsonl("hello", "there") + "{oops\n" + jsonl("bye")
    mended = "\n\n" + jsonl("hello", "there", "mended", "bye")
    assert set(ids(broken)) < set(ids(mended))


def test_the_same_words_from_two_speakers_or_in_two_sessions_are_two_messages() -> None:
    lines = [
        {"role": "user", "content": "ok", "session": "a"},
        {"role": "assistant", "content": "ok", "session": "a"},
        {"role": "user", "content": "ok", "session": "b"},
        {"role": "user", "name": "Ann", "content": "ok", "session": "a"},
    ]
    assert len(set(ids("\n".join(map(json.dumps, lines))))) == 4


def test_an_id_of_the_file_s_own_is_kept_and_one_that_stands_for_two_messages_loses_none() -> None:
    lines = [
        {"role": "user", "content": "first", "id": "m1"},
        {"role": "user", "content": "second", "id": 7},
        {"role": "user", "content": "first", "id": "m1"},
        {"role": "user", "content": "third", "id": "m1"},
    ]
    source = "\n".join(map(json.dumps, lines))
    own = [external_id for _, external_id in ids(source)]
    assert own[:3] == ["m1", "7", "m1"]
    assert own[3] not in (None, "m1")
    assert ids(source) == ids(source)


def test_messages_without_a_session_get_one_from_the_file_s_name_and_first_message() -> None:
    session = ids(jsonl("I keep bees"), name="dir/bees.jsonl")[0][0]
    assert session.startswith("bees-")
    assert ids(jsonl("I keep bees", "more"), name="else/bees.jsonl")[1][0] == session
    assert ids(jsonl("I keep hens"), name="dir/bees.jsonl")[0][0] != session


def test_the_caller_s_session_serves_where_the_file_names_none() -> None:
    own = jsonl("with", session="own")
    assert [s for s, _ in ids(own + jsonl("without"), session="mine")] == ["own", "mine"]
    whole = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    assert [s for s, _ in ids(f"{whole}\n{whole}\n", session="mine")] == ["mine", "mine 2"]


def test_conversations_without_an_id_are_told_apart_by_title_words_and_order() -> None:
    def conversation(text: str, **more: str) -> str:
        return json.dumps({**more, "messages": [{"role": "user", "content": text}]})

    source = "\n".join(
        [
            conversation("How do I bake bread?"),
            conversation("How do I bake bread?"),
            conversation("Hello", title="Garden plans"),
        ]
    )
    sessions = [session for session, _ in ids(source)]
    assert sessions[0].startswith("How do I bake bread? ")
    assert sessions[1] == sessions[0] + " 2"
    assert sessions[2].startswith("Garden plans ")
    assert [session for session, _ in ids(source)] == sessions


def test_a_session_s_name_is_one_short_line() -> None:
    messages, _ = imported(jsonl("hi", session="  two\n words\t" + "long " * 200))
    assert messages[0].session.startswith("two words long")
    assert len(messages[0].session) <= 200


def test_a_message_without_a_time_takes_that_of_the_message_before_it_in_its_session() -> None:
    lines = [
        {"role": "user", "content": "1", "session": "a"},
        {"role": "user", "content": "2", "session": "a", "at": "2026-03-01T10:00:00+02:00"},
        {"role": "user", "content": "3", "session": "b"},
        {"role": "user", "content": "4", "session": "a"},
    ]
    messages, _ = imported("\n".join(map(json.dumps, lines)))
    morning = datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert [message.draft.at for message in messages] == [None, morning, None, morning]


def test_within_a_whole_conversation_the_first_messages_take_its_own_time() -> None:
    said = [
        {"role": "user", "content": "1"},
        {"role": "user", "content": "2", "at": "2026-03-01T10:00:00Z"},
    ]
    messages, _ = imported(json.dumps({"created_at": "2026-03-01T09:00:00Z", "messages": said}))
    assert [m.draft.at.hour for m in messages if m.draft.at] == [9, 10]
    messages, _ = imported(json.dumps({"messages": said}))
    assert [m.draft.at.hour for m in messages if m.draft.at] == [10, 10]


def test_a_format_is_one_file_and_its_line_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_log(value: object, where: str) -> Iterator[Read]:
        if isinstance(value, dict) and isinstance(value.get("said"), str):
            yield SessionMessage(value.get("room"), MessageDraft("user", value["said"]))
        else:
            yield BadLine(where, "nobody says anything")

    toy = JsonFormat("toy", (frozenset({"room", "said"}),), "entry", read_log)
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, toy))
    log = '[{"room": "kitchen", "said": "I keep bees"}, {"room": "hall"}]'
    assert "toy" in format_names()
    for format in (None, "toy"):
        messages, bad = imported(log, format=format)
        assert [(m.session, m.draft.content) for m in messages] == [("kitchen", "I keep bees")]
        assert [str(line) for line in bad] == ["entry 2: nobody says anything"]
    with pytest.raises(ImportFormatError, match="is in the format toy, not claude"):
        imported(log, format="claude")
