"""Gives every message its session, its time and an id that the next import gives it again.

The id is the source's own where it has one; else it is made from who said what and from how often
the same was said before in that session. So a file that has grown gives its old messages their
old ids, wherever its bytes lie now, and an import that was cut off can simply be run again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from scenemem.base.records import MessageDraft
from scenemem.base.text import shorten
from scenemem.memory.importing.format import (
    BadLine,
    Conversation,
    Imported,
    ImportedMessage,
    Read,
    SavedEntry,
    SavedMessage,
    SessionMessage,
    digest_of,
    name_of,
)

_LONGEST_TITLE = 48


class SessionRegister:
    """The sessions of one file while it is imported.

    `stem` is the file's name without its suffix. `session` names the session of messages and
    conversations that have no session of their own.
    """

    def __init__(self, stem: str, session: str | None = None) -> None:
        self._stem = name_of(stem) or "chat"
        self._session = name_of(session)
        self._default: str | None = self._session
        self._names: Counter[str] = Counter()
        self._last_at: dict[str, datetime] = {}
        self._repeats: dict[int, int] = {}
        self._own_ids: dict[int, int] = {}

    def enter(self, item: Read) -> Iterator[Imported]:
        """The item's messages, complete, and its bad lines, in order."""
        if isinstance(item, BadLine | SavedEntry):
            yield item
        elif isinstance(item, SavedMessage):
            session = self._default_session(item.draft) if item.session is None else item.session
            whole = self._complete(session, item.draft)
            yield replace(item, session=session, draft=whole.draft)
        elif isinstance(item, SessionMessage):
            session = item.session or self._default_session(item.draft)
            yield self._complete(session, item.draft)
        else:
            yield from self._enter_conversation(item)

    def _enter_conversation(self, conversation: Conversation) -> Iterator[Imported]:
        drafts = [item for item in conversation.items if isinstance(item, MessageDraft)]
        session = conversation.session
        if session is None and drafts:
            session = self._derived_name(conversation, drafts)
        if session is not None:
            self._begin(session, conversation.at, drafts)
        for item in conversation.items:
            if isinstance(item, BadLine):
                yield item
            elif session is not None:
                yield self._complete(session, item)

    def _begin(self, session: str, at: datetime | None, drafts: list[MessageDraft]) -> None:
        """Sets the time that the conversation's first messages take when they have none."""
        if at is not None:
            self._last_at[session] = at
        elif first := next((draft.at for draft in drafts if draft.at), None):
            self._last_at.setdefault(session, first)

    def _complete(self, session: str, draft: MessageDraft) -> ImportedMessage:
        at = draft.at or self._last_at.get(session)
        if at is not None:
            self._last_at[session] = at
        external_id = self._external_id(session, draft)
        return ImportedMessage(session, draft._replace(at=at, external_id=external_id))

    def _external_id(self, session: str, draft: MessageDraft) -> str:
        content = digest_of(
            draft.role,
            draft.name or "",
            draft.content,
            draft.tool_call_id or "",
            json.dumps(draft.tool_calls, sort_keys=True) if draft.tool_calls else "",
        )
        if draft.external_id is None:
            key = _key(session, content)
            told = self._repeats[key] = self._repeats.get(key, 0) + 1
            return content if told == 1 else f"{content}-{told}"
        # An id that stands for two different messages must not make the second one vanish.
        key, mark = _key(session, draft.external_id), _key(content)
        if self._own_ids.setdefault(key, mark) == mark:
            return draft.external_id
        return f"{draft.external_id}~{content[:12]}"

    def _default_session(self, first: MessageDraft) -> str:
        """The file's stem, and a mark of its first message: many a chat is named `chat.txt`."""
        if self._default is None:
            self._default = f"{self._stem}-{digest_of(first.name or '', first.content)[:6]}"
        return self._default

    def _derived_name(self, conversation: Conversation, drafts: list[MessageDraft]) -> str:
        first = next((draft for draft in drafts if draft.role != "system"), drafts[0])
        name = self._session
        if name is None:
            words = shorten(conversation.title or first.content, _LONGEST_TITLE) or self._stem
            began = conversation.at.isoformat() if conversation.at else ""
            name = f"{words} {digest_of(conversation.title, began, first.content)[:6]}"
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name} {self._names[name]}"


def _key(*parts: str) -> int:
    """The parts as one small number, so that millions of messages can be told apart in memory."""
    return int(digest_of(*parts)[:16], 16)
