"""From an exchange to cell drafts: the statements that people made in it, typed, weighed and dated.

People are users and named speakers. An assistant without a name is a machine: of its words only
what it did, promised or reports as settled is kept, never its advice or its talk. System and tool
messages make no cells.

The type is what the strongest cue says, in the order of what people would miss most: a decision or
a risk before a task, a preference before a plan, and "fact" where no cue stands. English knows the
most cues; other languages a few that are sure. Salience follows what a statement tells (topic
words, names, numbers, dates) along a curve that flattens, so that length alone never reaches the
top; types and what is grave add to it, and most what somebody asks to be remembered.

Figures (LoCoMo R@10 / inside 1,000 tokens; without the part): dates .809 / .871 (.823 / .879).
Types and salience move none by more than .001: the schema has them, summaries choose by them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from scenemem.base.cell_types import TYPES, CellType
from scenemem.base.dates.finding import DateMention, find_dates, format_dates
from scenemem.base.records import CellDraft, Message, Source
from scenemem.base.secrets import without_secrets
from scenemem.base.session_records import Exchange
from scenemem.base.talk import bounded
from scenemem.base.text import is_unspaced
from scenemem.engines.rules.sentence import Phrases, Sentence
from scenemem.engines.rules.statements import Statement, read_statements, reported, unframed

# What a statement that is only a command has in it, or among its first words.
_COMMAND_WORDS = re.compile(r"\b(?:counter|forget|tool)\b", re.IGNORECASE)
_COMMAND_OPENING = re.compile(
    r"(?:[\w',]+ ){0,4}?(?:delete|remove|drop|erase|wipe|clear|purge|reset|calc|calculate|compute"
    r"|sqrt|increment|decrement|count|set my|vergiss|lösche?|oublie|efface|supprime|olvida|borra"
    r"|elimina)\b",
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


# --- types ---------------------------------------------------------------------------------------

_DECISION: Final = Phrases.of_section("decision")
_RISK: Final = Phrases.of_section("risk")
_TASK: Final = Phrases.of_section("task")
_CHORE: Final = re.compile(
    r"(?:please )?(?:call|buy|send|email|book|pay|renew|order|pick up|submit|schedule|cancel|finish"
    r"|fix|return|ask|tell|reply to|write to|update|check|review|prepare|clean|water|ring) "
    r"(?:the|my|our|a|an|to|for|up|[a-z]+ (?:about|by|on|before|for|back)\b|mum|mom|dad)\b"
)
_LOVING: Final = re.compile(
    r"(?:^|\b(?:i|we|they|you|\w+s|absolutely|really|also|just|still|always|do|don't"
    r"|and) )love (?!and\b|from\b)"
)
_PREFERENCE: Final = Phrases.of_section("preference")
# Phrases that only look like a liking.
_NO_PREFERENCE: Final = re.compile(
    r"i'd love|would love|would have loved|love to (?:hear|see|know|chat)|with love|love you"
    r"|lots of love|(?:their|your|his|her|our|of|the|and|so much|full of|with) love(?! (?:for|of"
    r"|to)\b)"
)
_PLAN: Final = Phrases.of_section("plan")
_GOING: Final = re.compile(
    r"going to (?!the\b|an?\b|my\b|our\b|their\b|this\b|that\b|school|work|bed|church|college"
    r"|therapy)|(?:i'm|we're|i am|we are) (?:flying|leaving|moving|starting|visiting|launching"
    r"|travell?ing|getting married|heading|meeting|hosting|having)\b.* (?:in|on|next|this|soon"
    r"|at the end)\b"
)


def type_of(sentence: Sentence) -> CellType:
    """The type of a cell with this content: what its strongest cue says, "fact" without one."""
    if _DECISION.found_in(sentence):
        return "decision"
    if _RISK.found_in(sentence):
        return "risk"
    if _TASK.found_in(sentence) or _CHORE.match(sentence.lower):
        return "task"
    if _prefers(sentence):
        return "preference"
    if _PLAN.found_in(sentence) or ("ing " in sentence.lower and _GOING.search(sentence.lower)):
        return "plan"
    return "fact"


def _prefers(sentence: Sentence) -> bool:
    if _PREFERENCE.found_in(sentence):
        return True
    if "love" not in sentence.known:
        return False
    return _LOVING.search(_NO_PREFERENCE.sub(" ", sentence.lower)) is not None


# --- salience ------------------------------------------------------------------------------------

_GRAVE: Final = Phrases.of_section("grave")
_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w-]+")


def is_grave(text: str) -> bool:
    """Whether a statement speaks of health, life and death, deadlines, and the like."""
    return _GRAVE.found_in(Sentence.of(text))


def salience_of(
    sentence: Sentence, cell_type: CellType, information: float, *, explicit: bool, dated: bool
) -> float:
    """The salience of a statement, 0 to 1, rounded to two places.

    `information` is what `statements.information` counts in it; `explicit` tells that it asks to
    be remembered, `dated` that it names a date.
    """
    told = information + 0.6 * len(_NAME.findall(sentence.text)) + (0.8 if dated else 0.0)
    salience = 0.2 + 0.45 * (1 - math.exp(-told / 5)) + TYPES[cell_type].salience
    if _GRAVE.found_in(sentence):
        salience += 0.16
    if explicit:
        salience += 0.25
    return round(min(max(salience, 0.05), 1.0), 2)
