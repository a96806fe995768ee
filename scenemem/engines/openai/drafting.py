"""From the cells that a model wrote to drafts: whose words, of which day, in place of what.

The model proposes, these rules decide: a cell comes from the message whose words it shares most; a
cell that only says again what was shown to the model is dropped; one cell replaces another only
when both speak of the same thing and the other was said before. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scenemem.base.dates.finding import find_dates
from scenemem.base.records import CellDraft, Message, Source
from scenemem.base.stopwords import STOPWORDS
from scenemem.base.text import fingerprint, fold, is_unspaced, unspaced_terms, words
from scenemem.engines.openai.cell_fields import DayRange
from scenemem.engines.openai.cell_reply import ParsedCell
from scenemem.engines.openai.extraction_prompt import EXAMPLE_CELLS
from scenemem.engines.openai.transcript import Part, Piece

__all__ = ["Drafted", "Known", "draft_cells", "shared_terms"]

_ENDING = re.compile(r"(?:'s|’s|ings?|ed|es|s|e)$")
# Words that a cell may share with any text without being about the same.
_NO_CONTENT = STOPWORDS["en"] | {"user", "users", "user's", "assistant"}


@dataclass(frozen=True, slots=True)
class Known:
    """What was remembered before and is shown to the model: a stored cell, or a draft to be stored.

    `reference` is what a draft that takes its place names it by: an id, or the content itself.
    """

    content: str
    at: datetime
    reference: int | str


@dataclass(frozen=True, slots=True)
class Drafted:
    """The drafts of one request by turn, and what was refused, a sentence each."""

    drafts: dict[int, list[CellDraft]]
    rejected: dict[int, list[str]]


def draft_cells(
    cells: Sequence[ParsedCell], parts: Sequence[Part], known: Sequence[Known]
) -> Drafted:
    """Drafts from the `cells` of a reply about `parts`; `known` is what the prompt numbered."""
    drafts: dict[int, list[CellDraft]] = {part.exchange: [] for part in parts}
    rejected: dict[int, list[str]] = {part.exchange: [] for part in parts}
    said = {fingerprint(_bare(cell.content)) for cell in known}
    for cell in cells:
        part = _part_of(cell, parts)
        draft, doubt = _draft(cell, part, known)
        key = fingerprint(_bare(draft.content))
        if key in said:
            continue
        if fingerprint(cell.content) in EXAMPLE_CELLS and shared_terms(cell.content, part.text) < 2:
            rejected[part.exchange].append(f"an example of the prompt: {cell.content}")
            continue
        said.add(key)
        drafts[part.exchange].append(draft)
        if doubt:
            rejected[part.exchange].append(doubt)
    return Drafted({turn: _in_scenes(found) for turn, found in drafts.items()}, rejected)


def _draft(cell: ParsedCell, part: Part, known: Sequence[Known]) -> tuple[CellDraft, str | None]:
    message, source = _origin(cell.content, part.pieces)
    replaced, doubt = _replaced(cell, message, known)
    content, days = _dated(cell.content, message)
    first, last = cell.days or days or (None, None)
    draft = CellDraft(
        content=content,
        scene=cell.scene,
        cell_type=cell.cell_type,
        salience=cell.salience,
        at=message.at,
        occurred_at=first,
        occurred_until=last,
        speaker=message.speaker,
        source=source,
        supersedes=replaced,
    )
    return draft, doubt


# -- whose words -----------------------------------------------------------------------------


def _part_of(cell: ParsedCell, parts: Sequence[Part]) -> Part:
    if cell.turn is not None and 1 <= cell.turn <= len(parts):
        return parts[cell.turn - 1]
    return max(parts, key=lambda part: shared_terms(cell.content, part.text))


def _origin(content: str, pieces: Sequence[Piece]) -> tuple[Message, Source]:
    """The message a cell comes from; where no words tell, the first, and all of them as source."""
    shared = [shared_terms(content, piece.text) for piece in pieces]
    first, last = pieces[0].message, pieces[-1].message
    if not any(shared):
        return first, Source(first.session, first.id, last.id)
    users_first = max(
        range(len(pieces)), key=lambda n: (shared[n], pieces[n].message.role == "user", -n)
    )
    message = pieces[users_first].message
    return message, Source(message.session, message.id, message.id)


def _dated(content: str, message: Message) -> tuple[str, DayRange | None]:
    """The content with the days meant in brackets behind "last week", and the first days it names.

    The days are read from when it was said; what a model left relative would mislead later.
    """
    mentions = find_dates(content, message.at.date())
    for mention in reversed(mentions):
        if mention.relative and not content[mention.end :].lstrip().startswith("("):
            ends = dict.fromkeys((mention.first.isoformat(), mention.last.isoformat()))
            days = " to ".join(ends)
            content = f"{content[: mention.end]} ({days}){content[mention.end :]}"
    return content, (mentions[0].first, mentions[0].last) if mentions else None


# -- what it says ----------------------------------------------------------------------------


def _bare(content: str) -> str:
    """The content without what two wordings of one thing differ in most often."""
    kept = [word for word in words(content) if fold(word) not in ("a", "an", "the", "user", "is")]
    return " ".join(kept) or content


def _replaced(
    cell: ParsedCell, message: Message, known: Sequence[Known]
) -> tuple[tuple[int | str, ...], str | None]:
    """The known cells that this one takes the place of, and a doubt, in a sentence."""
    numbered = [known[n - 1] for n in cell.replaces if n <= len(known)]
    taken = [
        old for old in numbered if old.at <= message.at and shared_terms(cell.content, old.content)
    ]
    doubtful = [old for old in numbered if old not in taken]
    doubt = (
        f"kept beside {doubtful[0].content!r}, not in its place: {cell.content}"
        if doubtful
        else None
    )
    return tuple(old.reference for old in taken), doubt


def shared_terms(content: str, text: str) -> int:
    """How many content words of `content` are in `text`, inflected or not."""
    return len(_terms(content) & _terms(text))


def _terms(text: str) -> frozenset[str]:
    terms: set[str] = set()
    for word in words(text):
        folded = fold(word)
        if is_unspaced(folded):
            terms.update(unspaced_terms(folded))
        elif folded not in _NO_CONTENT:
            terms.add(folded if any(c.isdigit() for c in folded) else _stem(folded))
    return frozenset(terms)


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return (bare if len(bare) > 2 else word)[:6]


def _in_scenes(drafts: Iterable[CellDraft]) -> list[CellDraft]:
    """The drafts of one turn; those without a scene join the one that most of the others are in."""
    drafts = list(drafts)
    named = Counter(draft.scene for draft in drafts if draft.scene)
    if not named:
        return drafts
    usual = named.most_common(1)[0][0]
    return [draft if draft.scene else draft._replace(scene=usual) for draft in drafts]
