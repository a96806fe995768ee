"""From an exchange to cell drafts: the statements that people made in it, typed, weighed and dated.

People are users and named speakers. An assistant without a name is a machine: of its words only
what it did, promised or reports as settled is kept, never its advice or its talk. System and tool
messages make no cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from scenemem.base.dates.finding import DateMention, find_dates, format_dates
from scenemem.base.records import CellDraft, Exchange, Message, Source
from scenemem.base.secrets import without_secrets
from scenemem.base.text import is_unspaced
from scenemem.engines.rules.assistant_reports import reported
from scenemem.engines.rules.cell_types import type_of
from scenemem.engines.rules.framing import unframed
from scenemem.engines.rules.readable_text import bounded
from scenemem.engines.rules.salience import salience_of
from scenemem.engines.rules.statements import Statement, read_statements

__all__ = ["MOST_CELLS", "draft_cells"]

# What a statement that is only a command has in it, or among its first words.
_COMMAND_WORDS = re.compile(r"\b(?:counter|forget|tool)\b", re.IGNORECASE)
_COMMAND_OPENING = re.compile(
    r"(?:[\w',]+ ){0,4}?(?:delete|remove|drop|erase|wipe|clear|purge|reset|calc|calculate|compute"
    r"|sqrt|increment|decrement|berechne|rechne|count|set my|vergiss|lösche|oublie"
    r"|efface|supprime|olvida|borra|elimina)\b",
    re.IGNORECASE,
)
MOST_CELLS = 60  # of one message: a pasted document leaves its weightiest statements


def draft_cells(exchange: Exchange, *, framed: bool = False) -> list[CellDraft]:
    """The cells that an exchange proposes, in the order in which things were said.

    Every draft has `content`, `cell_type`, `salience`, `at`, `speaker` and `source`, and the days
    it speaks of where it names any; `scene` is left empty. Words that ask for it to be remembered
    are cut off its content, unless `framed`.
    """
    names = [message.name for message in exchange.messages if message.name]
    return [draft for message in exchange.messages for draft in _drafts_of(message, names, framed)]


def _drafts_of(message: Message, names: list[str], framed: bool) -> Iterator[CellDraft]:
    if message.role not in ("user", "assistant") or not message.content.strip():
        return
    addressee = next((name for name in names if name != message.name), None)
    content = without_secrets(bounded(message.content))
    if message.role == "assistant" and message.name is None:
        statements = reported(content)
    else:
        read = read_statements(content, addressee)
        statements = [s for s in read if not _is_command(s.text)]
    told_once = {statement.sentence.lower: statement for statement in statements}
    drafts = [_draft(statement, message, framed) for statement in told_once.values()]
    if len(drafts) > MOST_CELLS:
        by_weight = sorted(range(len(drafts)), key=lambda at: -drafts[at].salience)
        drafts = [drafts[at] for at in sorted(by_weight[:MOST_CELLS])]
    yield from drafts


def _is_command(statement: str) -> bool:
    if not (_COMMAND_WORDS.search(statement) or _COMMAND_OPENING.match(statement)):
        return False
    from scenemem.engines.rules.commands import is_only_command  # its patterns take a while to load

    return is_only_command(statement)


def _draft(statement: Statement, message: Message, framed: bool) -> CellDraft:
    said = statement.sentence
    text = said.text if framed else unframed(said.text, said.lower)
    mentions = find_dates(text, message.at.date())
    cell_type = type_of(said)
    first, last = _days(mentions)
    return CellDraft(
        content=_with_dates(text, mentions),
        cell_type=cell_type,
        salience=salience_of(
            said,
            cell_type,
            statement.information,
            explicit=statement.explicit,
            dated=bool(mentions),
        ),
        at=message.at,
        occurred_at=first,
        occurred_until=last,
        speaker=message.speaker,
        source=Source(message.session, message.id, message.id),
    )


def _days(mentions: list[DateMention]) -> tuple[date | None, date | None]:
    """The days a statement speaks of: those of its first date."""
    if not mentions:
        return None, None
    return mentions[0].first, mentions[0].last


def _with_dates(text: str, mentions: list[DateMention]) -> str:
    """`text` with the resolved days in brackets behind every relative date."""
    for mention in reversed(mentions):
        if mention.relative and not text[mention.end :].lstrip().startswith("("):
            days = _written(text, mention)
            text = f"{text[: mention.end]} ({days}){text[mention.end :]}"
    return text


def _written(text: str, mention: DateMention) -> str:
    if not is_unspaced(text[mention.start : mention.end]):
        return format_dates(mention.first, mention.last)
    if mention.first == mention.last:
        return mention.first.isoformat()
    return f"{mention.first.isoformat()}/{mention.last.isoformat()}"
