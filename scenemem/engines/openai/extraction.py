"""One pass of extraction over waiting turns: in as few requests as their size allows.

Turns are read several at a time. What goes wrong with a request is narrowed down: a reply that
can't be read, or a refusal, sends its turns one by one; a reply that broke off keeps its whole
cells and is asked for the rest; a prompt too long is split smaller. A server that is down or
refuses the key ends the pass. Turns that failed before are read after the fresh ones, so that one
poisonous turn stands in nobody's way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from scenemem.base.errors import (
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
    PromptTooLongError,
)
from scenemem.base.records import CellDraft, Exchange, Scene
from scenemem.engines.engine import Extraction, MemoryView
from scenemem.engines.openai.cell_reply import CellReply
from scenemem.engines.openai.drafting import Known, draft_cells, shared_terms
from scenemem.engines.openai.transcript import Part, parts_of, requests_of

__all__ = ["SMALLEST_BUDGET", "Asking", "ExtractionPass"]

SMALLEST_BUDGET = 200  # tokens of conversation below which a request is not split further
_RELATED_CELLS = 8
_RELATED_SCENES = 6
_RECENT_DRAFTS = 6
_QUERY = 2000  # characters that related cells are looked for with
_MOST_FAILURES = 2  # requests that may fail one after the other
_PASSING = (429, 502, 503, 504, 520, 522, 524, 529)
_CONFIGURED = (401, 402, 403, 404, 405, 429)

# Asks about parts, beside scenes and the contents of known cells; True when it is for the rest.
Asking = Callable[[Sequence[Part], Sequence[Scene], Sequence[str], bool], CellReply]


@dataclass
class _Read:
    """What has become of one turn so far."""

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
    """Parts to ask about in one request; `rest` when it asks for what a cut reply left out."""

    parts: Sequence[Part]
    rest: bool = False


class ExtractionPass:
    """Reads turns through `ask`; use once.

    `budget` is how many tokens of conversation one request may hold, `most` how many turns. After
    `run`, `budget` is what the model's window was found to allow.
    """

    def __init__(self, ask: Asking, memory: MemoryView, *, budget: int, most: int) -> None:
        self.budget = budget
        self._ask = ask
        self._memory = memory
        self._most = most
        self._reads: dict[int, _Read] = {}
        self._waiting: deque[_Request] = deque()
        self._failures = 0
        self._answered = False
        self._last_error: ModelError | None = None

    def run(self, exchanges: Sequence[Exchange]) -> list[Extraction]:
        """One `Extraction` for each exchange, in their order; `ModelError` when none was read."""
        self._reads = {exchange.id: _Read(exchange) for exchange in exchanges}
        fresh = [exchange for exchange in exchanges if exchange.last_error is None]
        again = [e for e in exchanges if e.last_error is not None and e.attempts < 2]
        alone = [e for e in exchanges if e.last_error is not None and e.attempts >= 2]
        for group, most in ((fresh, self._most), (again, self._most), (alone, 1)):
            self._enqueue(group, most)
        while self._waiting:
            self._take(self._waiting.popleft())
        reads = self._reads.values()
        if self._last_error and reads and all(r.unread and not r.drafts for r in reads):
            raise self._last_error
        return [read.extraction() for read in reads]

    def _enqueue(self, exchanges: Sequence[Exchange], most: int) -> None:
        parts: list[Part] = []
        for exchange in exchanges:
            found, left_out = parts_of(exchange, self.budget)
            parts += found
            if left_out:
                self._reads[exchange.id].rejected.append(left_out)
        self._waiting += [_Request(group) for group in requests_of(parts, self.budget, most)]

    def _take(self, request: _Request) -> None:
        known = self._known(request.parts)
        text = _query(request.parts)
        scenes = self._memory.related_scenes(text, _RELATED_SCENES) if text else []
        try:
            reply = self._ask(request.parts, scenes, [k.content for k in known], request.rest)
        except PromptTooLongError as error:
            self._split(request, error)
        except ModelError as error:
            self._refused(request, error)
        else:
            self._answered, self._failures = True, 0
            self._keep(request, reply, known)

    # -- what the model answered ---------------------------------------------------------------

    def _keep(self, request: _Request, reply: CellReply, known: Sequence[Known]) -> None:
        drafted = draft_cells(reply.cells, request.parts, known)
        for turn, drafts in drafted.drafts.items():
            self._reads[turn].drafts += drafts
            self._reads[turn].rejected += drafted.rejected[turn]
        self._reads[request.parts[0].exchange].rejected += reply.rejected
        if reply.failed is None and not reply.truncated:
            return
        if len(request.parts) > 1:
            self._one_by_one(request)
        elif reply.failed is None and not request.rest:
            self._waiting.appendleft(_Request(request.parts, rest=True))
        else:
            why = reply.failed or "the reply broke off by the token limit, twice"
            self._reads[request.parts[0].exchange].fail(why)

    # -- what went wrong -----------------------------------------------------------------------

    def _refused(self, request: _Request, error: ModelError) -> None:
        self._last_error = error
        if _ends_the_pass(error):
            self._stop([request, *self._waiting], error)
        elif len(request.parts) > 1 and (self._answered or error.status is not None):
            self._one_by_one(request)
        else:
            self._failures += 1
            # Where nothing was answered at all, the server is at fault and not the turn.
            self._fail(request, error, unread=not self._answered)
            if self._failures >= _MOST_FAILURES:
                self._stop(self._waiting, error)

    def _stop(self, requests: Iterable[_Request], error: ModelError) -> None:
        for request in requests:
            self._fail(request, error, unread=True)
        self._waiting.clear()

    def _fail(self, request: _Request, error: ModelError, *, unread: bool) -> None:
        for part in request.parts:
            self._reads[part.exchange].fail(str(error), unread=unread)

    def _one_by_one(self, request: _Request) -> None:
        self._waiting.extendleft(_Request([part]) for part in reversed(request.parts))

    def _split(self, request: _Request, error: PromptTooLongError) -> None:
        """The prompt was longer than the window: the same turns again, in smaller requests."""
        self._last_error = error
        if self.budget // 2 < SMALLEST_BUDGET:
            self._fail(request, error, unread=not self._answered)
            return
        self.budget //= 2
        waiting = [request, *self._waiting]
        turns = dict.fromkeys(part.exchange for r in waiting for part in r.parts)
        self._waiting.clear()
        for turn in turns:
            self._reads[turn].rejected.clear()
        self._enqueue([self._reads[turn].exchange for turn in turns], self._most)

    # -- what the model is shown ---------------------------------------------------------------

    def _known(self, parts: Sequence[Part]) -> list[Known]:
        """What is remembered already: of these turns, near to them, and from this pass."""
        cells = {
            cell.id: cell
            for part in parts
            if self._reads[part.exchange].exchange.attempts
            for cell in self._memory.cells_from([p.message.id for p in part.pieces])
        }
        text = _query(parts)
        for cell in self._memory.related_cells(text, _RELATED_CELLS) if text else ():
            cells.setdefault(cell.id, cell)
        stored = [Known(cell.content, cell.created_at, cell.id) for cell in cells.values()]
        return stored + self._related_drafts(parts, text)

    def _related_drafts(self, parts: Sequence[Part], text: str) -> list[Known]:
        turns = {part.exchange for part in parts}
        ranked = [
            (read.exchange.id in turns, shared_terms(draft.content, text), draft)
            for read in self._reads.values()
            for draft in read.drafts
        ]
        near = [entry for entry in ranked if entry[0] or entry[1]]
        near.sort(key=lambda entry: entry[:2], reverse=True)
        return [
            Known(draft.content, draft.at, draft.content)
            for own, _, draft in near[: max(_RECENT_DRAFTS, sum(entry[0] for entry in near))]
            if draft.at is not None
        ]


def _query(parts: Sequence[Part]) -> str:
    share = _QUERY // len(parts)
    return "\n".join(part.text[:share] for part in parts)


def _ends_the_pass(error: ModelError) -> bool:
    """Whether any other request would fail in the same way: server down, busy, or key refused.

    A timeout or a cut connection may come of the request itself: a second one is tried.
    """
    if isinstance(error, ModelUnavailableError):
        return error.status in _PASSING
    return isinstance(error, ModelRequestError) and (
        error.status is None or error.status in _CONFIGURED
    )
