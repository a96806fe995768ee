"""Claude's data export: conversations with `chat_messages`, each of typed content blocks.

The text blocks are what was said. Thinking, calls to tools and their results are left out; of
`text`, which repeats the blocks with placeholders for the others, only messages without text
blocks make use. The text of an attachment is kept with the message it came with, between lines in
brackets, for it is not the user's own words. Where an export tells each message's parent, the
branch that was shown is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from scenemem.base.records import MessageDraft
from scenemem.base.text import clean
from scenemem.memory.importing.branches import shown_branch
from scenemem.memory.importing.format import (
    ROLE_WORDS,
    BadLine,
    Conversation,
    JsonFormat,
    Read,
    Said,
    first_name,
    keys_of,
    kind_of,
    name_of,
    short_id,
)
from scenemem.memory.importing.json_values import what_is_wrong
from scenemem.memory.importing.times import read_time, told_time

_MESSAGE_TIMES = ("created_at", "updated_at")
_ROOT = "00000000-0000-4000-8000-000000000000"


def read_conversations(value: object, where: str) -> Iterator[Read]:
    """The conversation that one element of an export holds."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield BadLine(where, what_is_wrong(value))
    elif not isinstance(value.get("chat_messages"), list):
        yield BadLine(where, f"no Claude conversation: it has no chat_messages ({keys_of(value)})")
    else:
        at, bad = told_time(value, where, ("created_at",))
        items: list[Said] = list(bad)
        for number, message in _shown(value):
            items.extend(_read_message(message, number, where))
        yield Conversation(
            items=tuple(items),
            session=first_name(value, ("uuid", "id")),
            title=first_name(value, ("name", "title")) or "",
            at=at,
        )


def _shown(record: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """The entries that are not null, numbered from 1; of a tree those of the shown branch."""
    entries = [(n, entry) for n, entry in enumerate(record["chat_messages"], 1) if entry]
    by_id = {
        entry["uuid"]: (number, entry)
        for number, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("uuid"), str)
    }
    parents = {
        uuid: name_of(entry.get("parent_message_uuid")) for uuid, (_, entry) in by_id.items()
    }
    # Only a tree without gaps is followed: a gap would cut off everything before it.
    if len(by_id) < len(entries) or not all(p == _ROOT or p in by_id for p in parents.values()):
        return entries
    times = {key: _time_of(entry) for key, (_, entry) in by_id.items()}
    leaf = record.get("current_leaf_message_uuid")
    branch = shown_branch(parents, times, leaf if isinstance(leaf, str) else None)
    return [by_id[uuid] for uuid in branch]


def _time_of(entry: Mapping[str, Any]) -> datetime | None:
    try:
        return read_time(entry.get("created_at"))
    except ValueError:
        return None


def _read_message(entry: object, number: int, where: str) -> Iterator[Said]:
    if not isinstance(entry, dict):
        yield BadLine(f"{where}, message {number}", what_is_wrong(entry))
        return
    own_id = name_of(entry.get("uuid"))
    place = f"{where}, message {short_id(own_id) if own_id else number}"
    sender = entry.get("sender")
    role = ROLE_WORDS.get(sender.lower()) if isinstance(sender, str) else None
    if role is None:
        shown = short_id(sender) if isinstance(sender, str) else kind_of(sender)
        yield BadLine(place, f"its sender is {shown}, not human or assistant")
        return
    text = "\n\n".join(filter(str.strip, (_prose(entry), *_attachments(entry)))) or _files(entry)
    if text.strip():
        at, bad = told_time(entry, place, _MESSAGE_TIMES)
        yield from bad
        yield MessageDraft(role, clean(text), at, external_id=own_id)


def _prose(entry: Mapping[str, Any]) -> str:
    blocks = entry.get("content")
    texts = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict)
        and block.get("type", "text") == "text"
        and isinstance(block.get("text"), str)
        and block["text"].strip()
    ]
    if texts:
        return "\n\n".join(texts)
    text = entry.get("text")
    return text if isinstance(text, str) else ""


def _attachments(entry: Mapping[str, Any]) -> Iterator[str]:
    attachments = entry.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else ():
        text = attachment.get("extracted_content") if isinstance(attachment, dict) else None
        if isinstance(text, str) and text.strip():
            name = name_of(attachment.get("file_name")) or "unnamed"
            yield f"[attachment: {name}]\n{text.strip()}\n[end of attachment]"


def _files(entry: Mapping[str, Any]) -> str:
    """The names of files that were sent without a word."""
    names = [
        name
        for key in ("files", "attachments")
        for file in (entry[key] if isinstance(entry.get(key), list) else ())
        if isinstance(file, dict) and (name := name_of(file.get("file_name")))
    ]
    return " ".join(f"[file: {name}]" for name in names)


FORMAT = JsonFormat(
    name="claude",
    signs=(frozenset({"chat_messages"}),),
    unit="conversation",
    read_value=read_conversations,
)
