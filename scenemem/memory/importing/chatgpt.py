"""ChatGPT's data export: conversations as trees (`mapping`), of which one branch was shown.

What the two said to each other is imported: texts and the transcripts of spoken messages, on the
shown branch. What was not said is left out: hidden messages, system messages and the context that
users set up once, thoughts and their recaps, calls to tools (a recipient other than "all", code)
and what tools returned (search results, program output). Marks of citations, which stand in the
text for links, are taken out; marks of names become the names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from scenemem.base.records import MessageDraft, Role
from scenemem.base.text import clean
from scenemem.memory.importing.branches import shown_branch
from scenemem.memory.importing.format import (
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

_SPEAKERS: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}
_PROSE = (None, "text", "multimodal_text")
_PART_KINDS = ("image", "audio", "video", "file")
# U+E200 kind U+E202 content U+E201, with U+E203.. inside some; only "entity" and titles are words.
_MARK = re.compile("\ue200([a-z_]*)[\ue202|]?([^\ue200\ue201]*)\ue201")
_STRAY_MARK = re.compile("[\ue200-\ue206]")


def read_conversations(value: object, where: str) -> Iterator[Read]:
    """The conversation that one element of an export holds."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield BadLine(where, what_is_wrong(value))
    elif not isinstance(value.get("mapping"), dict):
        yield BadLine(where, f"no ChatGPT conversation: it has no mapping ({keys_of(value)})")
    else:
        yield _read_conversation(value, where)


def _read_conversation(record: Mapping[str, Any], where: str) -> Conversation:
    nodes = {key: node for key, node in record["mapping"].items() if isinstance(node, dict)}
    at, bad = told_time(record, where, ("create_time",))
    items: list[Said] = list(bad)
    current = record.get("current_node")
    branch = shown_branch(
        _parents(nodes),
        {key: _time_of(node) for key, node in nodes.items()},
        current if isinstance(current, str) else None,
    )
    for key in branch:
        items.extend(_read_node(key, nodes[key], where))
    return Conversation(
        items=tuple(items),
        session=first_name(record, ("conversation_id", "id")),
        title=name_of(record.get("title")) or "",
        at=at,
    )


def _parents(nodes: Mapping[str, dict[str, Any]]) -> dict[str, str | None]:
    """Each node's parent, by its own word, or else by the list of children that has it."""
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parent = node.get("parent")
        parents[key] = parent if isinstance(parent, str) and parent in nodes else None
    for key, node in nodes.items():
        children = node.get("children")
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and child in parents and parents[child] is None:
                parents[child] = key
    return parents


def _time_of(node: Mapping[str, Any]) -> datetime | None:
    message = node.get("message")
    try:
        return read_time(message.get("create_time")) if isinstance(message, dict) else None
    except ValueError:
        return None


def _read_node(key: str, node: Mapping[str, Any], where: str) -> Iterator[Said]:
    message = node.get("message")
    if not isinstance(message, dict):
        return
    role = _speaker(message)
    if role is None:
        return
    own_id = name_of(message.get("id")) or name_of(key)
    place = f"{where}, message {short_id(own_id)}"
    content = message.get("content")
    if isinstance(content, str):
        content = {"parts": [content]}
    if not isinstance(content, dict):
        if content is not None:
            yield BadLine(place, f"its content is {kind_of(content)}")
        return
    text = _prose(content) or _attachments(message)
    if text.strip():
        at, bad = told_time(message, place, ("create_time",))
        yield from bad
        yield MessageDraft(role, clean(text), at, external_id=own_id)


def _speaker(message: Mapping[str, Any]) -> Role | None:
    """Who said the message to whom it was said; None for what was not said by either."""
    author, metadata = message.get("author"), message.get("metadata")
    told = author.get("role") if isinstance(author, dict) else None
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    if message.get("recipient") not in (None, "", "all"):
        return None
    return _SPEAKERS.get(told) if isinstance(told, str) else None


def _prose(content: Mapping[str, Any]) -> str:
    """The text of a message's content; "[image]" and the like when it holds no text at all."""
    if content.get("content_type") not in _PROSE:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        parts = [content.get("text")]
    texts = [text for part in parts if (text := _part_text(part)).strip()]
    if texts:
        return "\n".join(texts)
    return " ".join(kind for part in parts if (kind := _part_kind(part)))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return without_marks(part)
    if isinstance(part, dict) and part.get("content_type") in ("audio_transcription", "text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _part_kind(part: object) -> str:
    told = part.get("content_type") if isinstance(part, dict) else None
    if not isinstance(told, str):
        return ""
    return next((f"[{kind}]" for kind in _PART_KINDS if kind in told), "")


def _attachments(message: Mapping[str, Any]) -> str:
    """The names of files that were sent without a word."""
    content, metadata = message.get("content"), message.get("metadata")
    if isinstance(content, dict) and content.get("content_type") not in _PROSE:
        return ""
    files = metadata.get("attachments") if isinstance(metadata, dict) else None
    names = [
        name
        for file in (files if isinstance(files, list) else ())
        if isinstance(file, dict) and (name := name_of(file.get("name")))
    ]
    return " ".join(f"[file: {name}]" for name in names)


def without_marks(text: str) -> str:
    """`text` as it was shown: names and link titles in place of their marks, other marks gone."""
    if "\ue200" not in text:
        return text
    return _STRAY_MARK.sub("", _MARK.sub(_shown, text))


def _shown(mark: re.Match[str]) -> str:
    kind, content = mark.groups()
    if kind in ("url", "link_title"):
        return content.partition("\ue202")[0]
    if kind != "entity":
        return ""
    try:
        entity = json.loads(content)
    except (ValueError, RecursionError):
        return "" if content.startswith(("[", "turn")) else content
    named = isinstance(entity, list) and len(entity) > 1 and isinstance(entity[1], str)
    return entity[1] if named else ""


FORMAT = JsonFormat(
    name="chatgpt",
    signs=(frozenset({"mapping"}),),
    unit="conversation",
    read_value=read_conversations,
)
