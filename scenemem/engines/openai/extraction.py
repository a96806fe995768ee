"""Extraction: waiting turns become cell drafts, in as few requests as their size allows.

`ExtractionPass` decides which turns share a request and what to do when one fails; `draft_cells`
decides what becomes of the cells in a reply: whose words they are, of which day, in place of what.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from scenemem.base.dates.finding import find_dates
from scenemem.base.errors import (
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
    PromptTooLongError,
)
from scenemem.base.records import CellDraft, Message, Scene, Source
from scenemem.base.session_records import Exchange
from scenemem.base.stopwords import english_stopwords
from scenemem.base.text import fingerprint, fold, is_unspaced, unspaced_terms, words
from scenemem.engines.engine import Extraction, MemoryView
from scenemem.engines.openai.prompts import EXAMPLE_CELLS, Part, Piece, parts_of, requests_of
from scenemem.engines.openai.replies import CellReply, DayRange, ParsedCell

__all__ = ["SMALLEST_BUDGET", "Asking", "Drafted", "ExtractionPass", "Known", "draft_cells"]

SMALLEST_BUDGET = 200  # tokens of conversation; smaller requests are not split further
_RELATED_CELLS = 8
_RELATED_SCENES = 6
_RECENT_DRAFTS = 6
_LONGEST_QUERY = 2000  # characters to search for related cells with
_FAILURES_IN_A_ROW = 2  # after this many failed requests the pass ends
_BUSY_STATUSES = (429, 502, 503, 504, 520, 522, 524, 529)
_MISCONFIGURED_STATUSES = (401, 402, 403, 404, 405, 429)

# Asks for the cells of parts, showing scenes and known cells; True if asking for the rest.
Asking = Callable[[Sequence[Part], Sequence[Scene], Sequence[str], bool], CellReply]


@dataclass(frozen=True, slots=True)
class Known:
    """A cell shown to the model as known: one that is stored, or a draft about to be.

    `reference` is how a draft that supersedes it names it: its id, or its content.
    """

    content: str
    at: datetime
    reference: int | str


@dataclass(frozen=True, slots=True)
class Drafted:
    """The drafts of one request and what was rejected, in a sentence each, by turn."""

    drafts: dict[int, list[CellDraft]]
    rejected: dict[int, list[str]]


@dataclass
class _TurnProgress:
    """What has been made of one turn so far."""

    exchange: Exchange
    drafts: list[CellDraft] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    error: str | None = None
    unread: bool = False

    def fail(self, error: str, *, unread: bool = False) -> None:
        self.error, self.unread = error, unread

    def extraction(self) -> Extraction:
        return Extraction(
            self.exchange.id, tuple(self.drafts), self.error, self.unread, tuple(self.rejected)
        )


@dataclass(frozen=True, slots=True)
class _Request:
    """The parts of one request; `rest` if it asks for what a truncated reply left out."""

    parts: Sequence[Part]
    rest: bool = False


class ExtractionPass:
    """Extracts cells from turns through `ask`; use once.

    `budget` is how many tokens of conversation one request may hold, `most` how many turns. After
    `run`, `budget` is what the model's window turned out to allow.

    If a reply can't be read or the model refuses, the turns of that request are asked for one by
    one. Of a truncated reply the complete cells are kept and the rest is asked for. A prompt that
    is too long is split. If the server is down or refuses the key, the pass ends. Turns that failed
    before come after fresh ones, so that a turn that always fails blocks nobody.
    """

    def __init__(self, ask: Asking, memory: MemoryView, *, budget: int, most: int) -> None:
        self.budget = budget
        self._ask = ask
        self._memory = memory
        self._most = most
        self._turns: dict[int, _TurnProgress] = {}
        self._waiting: deque[_Request] = deque()
        self._failures = 0
        self._answered = False
        self._last_error: ModelError | None = None

    def run(self, exchanges: Sequence[Exchange]) -> list[Extraction]:
        """One `Extraction` per exchange, in order. Raises `ModelError` if nothing could be read."""
        self._turns = {exchange.id: _TurnProgress(exchange) for exchange in exchanges}
        fresh = [exchange for exchange in exchanges if exchange.last_error is None]
        again = [e for e in exchanges if e.last_error is not None and e.attempts < 2]
        alone = [e for e in exchanges if e.last_error is not None and e.attempts >= 2]
        for group, most in ((fresh, self._most), (again, self._most), (alone, 1)):
            self._enqueue(group, most)
        while self._waiting:
            self._ask_about(self._waiting.popleft())
        turns = self._turns.values()
        if self._last_error and turns and all(t.unread and not t.drafts for t in turns):
            raise self._last_error
        return [turn.extraction() for turn in turns]

    def _enqueue(self, exchanges: Sequence[Exchange], most: int) -> None:
        parts: list[Part] = []
        for exchange in exchanges:
            found, left_out = parts_of(exchange, self.budget)
            parts += found
            if left_out:
                self._turns[exchange.id].rejected.append(left_out)
        self._waiting += [_Request(group) for group in requests_of(parts, self.budget, most)]

    def _ask_about(self, request: _Request) -> None:
        known = self._known_cells(request.parts)
        text = _query_for(request.parts)
        scenes = self._memory.related_scenes(text, _RELATED_SCENES) if text else []
        try:
            reply = self._ask(request.parts, scenes, [k.content for k in known], request.rest)
        except PromptTooLongError as error:
            self._split(request, error)
        except ModelError as error:
            self._handle_error(request, error)
        else:
            self._answered, self._failures = True, 0
            self._take_in(request, reply, known)

    def _take_in(self, request: _Request, reply: CellReply, known: Sequence[Known]) -> None:
        drafted = draft_cells(reply.cells, request.parts, known)
        for turn, drafts in drafted.drafts.items():
            self._turns[turn].drafts += drafts
            self._turns[turn].rejected += drafted.rejected[turn]
        self._turns[request.parts[0].exchange].rejected += reply.rejected
        if reply.failed is None and not reply.truncated:
            return
        if len(request.parts) > 1:
            self._one_by_one(request)
        elif reply.failed is None and not request.rest:
            self._waiting.appendleft(_Request(request.parts, rest=True))
        else:
            why = reply.failed or "the reply broke off at the token limit twice"
            self._turns[request.parts[0].exchange].fail(why)

    def _handle_error(self, request: _Request, error: ModelError) -> None:
        self._last_error = error
        if _ends_the_pass(error):
            self._stop([request, *self._waiting], error)
        elif len(request.parts) > 1 and (self._answered or error.status is not None):
            self._one_by_one(request)
        else:
            self._failures += 1
            # If the server has answered nothing at all, the turn is not to blame.
            self._fail(request, error, unread=not self._answered)
            if self._failures >= _FAILURES_IN_A_ROW:
                self._stop(self._waiting, error)

    def _stop(self, requests: Iterable[_Request], error: ModelError) -> None:
        for request in requests:
            self._fail(request, error, unread=True)
        self._waiting.clear()

    def _fail(self, request: _Request, error: ModelError, *, unread: bool) -> None:
        for part in request.parts:
            self._turns[part.exchange].fail(str(error), unread=unread)

    def _one_by_one(self, request: _Request) -> None:
        self._waiting.extendleft(_Request([part]) for part in reversed(request.parts))

    def _split(self, request: _Request, error: PromptTooLongError) -> None:
        """The prompt did not fit into the window: ask again in smaller requests."""
        self._last_error = error
        if self.budget // 2 < SMALLEST_BUDGET:
            self._fail(request, error, unread=not self._answered)
            return
        self.budget //= 2
        waiting = [request, *self._waiting]
        turns = dict.fromkeys(part.exchange for r in waiting for part in r.parts)
        self._waiting.clear()
        for turn in turns:
            self._turns[turn].rejected.clear()
        self._enqueue([self._turns[turn].exchange for turn in turns], self._most)

    def _known_cells(self, parts: Sequence[Part]) -> list[Known]:
        """What the memory already has: cells of these turns, related cells, drafts of this pass."""
        cells = {
            cell.id: cell
            for part in parts
            if self._turns[part.exchange].exchange.attempts
            for cell in self._memory.cells_from([p.message.id for p in part.pieces])
        }
        text = _query_for(parts)
        for cell in self._memory.related_cells(text, _RELATED_CELLS) if text else ():
            cells.setdefault(cell.id, cell)
        stored = [Known(cell.content, cell.created_at, cell.id) for cell in cells.values()]
        return stored + self._related_drafts(parts, text)

    def _related_drafts(self, parts: Sequence[Part], text: str) -> list[Known]:
        asked = {part.exchange for part in parts}
        ranked = [
            (turn.exchange.id in asked, shared_terms(draft.content, text), draft)
            for turn in self._turns.values()
            for draft in turn.drafts
        ]
        near = [entry for entry in ranked if entry[0] or entry[1]]
        near.sort(key=lambda entry: entry[:2], reverse=True)
        return [
            Known(draft.content, draft.at, draft.content)
            for own, _, draft in near[: max(_RECENT_DRAFTS, sum(entry[0] for entry in near))]
            if draft.at is not None
        ]


def _query_for(parts: Sequence[Part]) -> str:
    share = _LONGEST_QUERY // len(parts)
    return "\n".join(part.text[:share] for part in parts)


def _ends_the_pass(error: ModelError) -> bool:
    """Whether any other request would fail too: the server is down or busy, or refuses the key.

    A timeout or a cut connection may be due to this one request, so another one is tried.
    """
    if isinstance(error, ModelUnavailableError):
        return error.status in _BUSY_STATUSES
    return isinstance(error, ModelRequestError) and (
        error.status is None or error.status in _MISCONFIGURED_STATUSES
    )


# -- from cells to drafts --------------------------------------------------------------------

_ENDING = re.compile(r"(?:'s|’s|ings?|ed|es|s|e)$")
# Words that any two texts may share without being about the same thing.
_SPEAKERS = frozenset(("user", "users", "user's", "assistant"))


def draft_cells(
    cells: Sequence[ParsedCell], parts: Sequence[Part], known: Sequence[Known]
) -> Drafted:
    """Turn the `cells` of a reply about `parts` into drafts; `known` is what the prompt numbered.

    The model proposes, these rules decide. A cell comes from the message that shares most of its
    words. A cell that repeats what the model was shown is dropped. A cell supersedes another only
    if both speak of the same thing and the other was said before.
    """
    drafts: dict[int, list[CellDraft]] = {part.exchange: [] for part in parts}
    rejected: dict[int, list[str]] = {part.exchange: [] for part in parts}
    said = {fingerprint(_without_fillers(cell.content)) for cell in known}
    for cell in cells:
        part = _part_of(cell, parts)
        draft, doubt = _draft_of(cell, part, known)
        key = fingerprint(_without_fillers(draft.content))
        if key in said:
            continue
        if fingerprint(cell.content) in EXAMPLE_CELLS and shared_terms(cell.content, part.text) < 2:
            rejected[part.exchange].append(f"an example of the prompt: {cell.content}")
            continue
        said.add(key)
        drafts[part.exchange].append(draft)
        if doubt:
            rejected[part.exchange].append(doubt)
    return Drafted({turn: _with_scenes(found) for turn, found in drafts.items()}, rejected)


def _draft_of(cell: ParsedCell, part: Part, known: Sequence[Known]) -> tuple[CellDraft, str | None]:
    message, source = _message_behind(cell.content, part.pieces)
    replaced, doubt = _replaced_by(cell, message, known)
    content, days = _with_days(cell.content, message)
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


def _part_of(cell: ParsedCell, parts: Sequence[Part]) -> Part:
    if cell.turn is not None and 1 <= cell.turn <= len(parts):
        return parts[cell.turn - 1]
    return max(parts, key=lambda part: shared_terms(cell.content, part.text))


def _message_behind(content: str, pieces: Sequence[Piece]) -> tuple[Message, Source]:
    """The message a cell comes from; if words can't tell, the first, with all as the source."""
    shared = [shared_terms(content, piece.text) for piece in pieces]
    first, last = pieces[0].message, pieces[-1].message
    if not any(shared):
        return first, Source(first.session, first.id, last.id)
    users_first = max(
        range(len(pieces)), key=lambda n: (shared[n], pieces[n].message.role == "user", -n)
    )
    message = pieces[users_first].message
    return message, Source(message.session, message.id, message.id)


def _with_days(content: str, message: Message) -> tuple[str, DayRange | None]:
    """The content with dates in brackets after words such as "last week", and the first days named.

    Relative days count from when the message was said; left as they are, they would mislead later.
    """
    mentions = find_dates(content, message.at.date())
    for mention in reversed(mentions):
        if mention.relative and not content[mention.end :].lstrip().startswith("("):
            ends = dict.fromkeys((mention.first.isoformat(), mention.last.isoformat()))
            days = " to ".join(ends)
            content = f"{content[: mention.end]} ({days}){content[mention.end :]}"
    return content, (mentions[0].first, mentions[0].last) if mentions else None


def _without_fillers(content: str) -> str:
    """The content without the words in which two wordings of the same thing usually differ."""
    kept = [word for word in words(content) if fold(word) not in ("a", "an", "the", "user", "is")]
    return " ".join(kept) or content


def _replaced_by(
    cell: ParsedCell, message: Message, known: Sequence[Known]
) -> tuple[tuple[int | str, ...], str | None]:
    """References of the known cells that this one supersedes, and a sentence on any doubt."""
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
    """How many content words of `content` occur in `text`, in any inflection."""
    return len(_content_terms(content) & _content_terms(text))


def _content_terms(text: str) -> frozenset[str]:
    terms: set[str] = set()
    for word in words(text):
        folded = fold(word)
        if is_unspaced(folded):
            terms.update(unspaced_terms(folded))
        elif folded not in _SPEAKERS and folded not in english_stopwords():
            terms.add(folded if any(c.isdigit() for c in folded) else _stem(folded))
    return frozenset(terms)


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return (bare if len(bare) > 2 else word)[:6]


def _with_scenes(drafts: Iterable[CellDraft]) -> list[CellDraft]:
    """The drafts of one turn; those without a scene join the most common scene of the others."""
    drafts = list(drafts)
    named = Counter(draft.scene for draft in drafts if draft.scene)
    if not named:
        return drafts
    usual = named.most_common(1)[0][0]
    return [draft if draft.scene else draft._replace(scene=usual) for draft in drafts]
