"""Names for scenes: one to four words that a person would use for the matter.

A name is a phrase that the scene's own statements use, as they wrote it, chosen by how many of them
use it, how noun-like it is, and how much more it is said here than elsewhere. A long phrase wins
over its parts where it recurs ("mental health" over "health"; the C-value idea of term extraction),
and a scene of two matters is named by both ("Camping and hiking").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field
from math import log1p

from scenemem.embedded.phrases import Phrase, phrases
from scenemem.records import Cell
from scenemem.text import is_unspaced, name_key, shorten, words

LONGEST_NAME = 48
CELLS_READ = 48
_SHORTLIST = 12
_LENGTH_BONUS = {1: 1.0, 2: 1.9, 3: 2.1}
_LONE_LENGTH_BONUS = {1: 1.0, 2: 1.2, 3: 1.25}

Weigh = Callable[[str], float]


def propose_name(
    cells: Sequence[Cell], weigh: Weigh | None = None, taken: Collection[str] = ()
) -> str:
    """A name for the scene that `cells` make up.

    `weigh` says how much more a term is said in this scene than elsewhere (all alike without it);
    `taken` are the names of other scenes. The scene's present name stays where it is as good.
    """
    raise NotImplementedError


@dataclass(slots=True)
class _Candidate:
    keys: tuple[str, ...]
    said_in: set[int] = field(default_factory=set)
    strength: float = 0.0
    count: int = 0
    surfaces: Counter[str] = field(default_factory=Counter)
    score: float = 0.0


def name_for(
    texts: Sequence[str],
    weigh: Weigh | None = None,
    avoid: Set[str] = frozenset(),
    taken: Set[str] = frozenset(),
) -> str:
    """A name for the matter that `texts` speak of.

    `avoid` are lower-case words that it must not contain, such as the speakers' names; `taken` are
    `name_key`s that belong to other scenes.
    """
    ranked = _ranked(texts[:CELLS_READ], weigh or (lambda term: 1.0), avoid)
    for name in _names(ranked, len(texts)):
        if name_key(name) not in taken and len(name) <= LONGEST_NAME:
            return name
    return _numbered(ranked, texts, taken)


def _ranked(texts: Sequence[str], weigh: Weigh, avoid: Set[str]) -> list[_Candidate]:
    found: dict[tuple[str, ...], _Candidate] = {}
    for place, text in enumerate(texts):
        for phrase in phrases(text, avoid):
            candidate = found.get(phrase.keys)
            if candidate is None:
                candidate = found[phrase.keys] = _Candidate(phrase.keys)
            candidate.said_in.add(place)
            candidate.strength += phrase.strength
            candidate.count += 1
            candidate.surfaces[phrase.surface] += 3 if phrase.as_written else 1
    for candidate in found.values():
        candidate.score = _score(candidate, weigh)
    _discount_parts(found)
    order = sorted(found.values(), key=lambda c: (-c.score, -len(c.keys), c.keys))
    return order[:_SHORTLIST]


def _score(candidate: _Candidate, weigh: Weigh) -> float:
    said = len(candidate.said_in)
    bonus = _LENGTH_BONUS if said > 1 else _LONE_LENGTH_BONUS
    weights = [weigh(key) for key in candidate.keys]
    distinct = 0.5 * max(weights) + 0.5 * sum(weights) / len(weights)
    strength = candidate.strength / candidate.count
    unspaced = not candidate.keys[0].isascii() and is_unspaced(candidate.keys[0])
    length = min(len(candidate.keys[0]), 5) / 3 if unspaced else bonus[len(candidate.keys)]
    return log1p(said) * distinct * strength * length


def _discount_parts(found: dict[tuple[str, ...], _Candidate]) -> None:
    """Halve what is mostly said as a part of something longer."""
    for keys, longer in list(found.items()):
        if len(keys) < 2 or len(longer.said_in) < 2:
            continue
        for start in range(len(keys)):
            for end in range(start + 1, len(keys) + 1):
                part = found.get(keys[start:end])
                if part and part is not longer and len(longer.said_in) >= 0.6 * len(part.said_in):
                    part.score = min(part.score, 0.9 * longer.score)


def _names(ranked: Sequence[_Candidate], texts: int) -> Iterable[str]:
    for place, first in enumerate(ranked):
        one = _surface(first)
        second = next((c for c in ranked[place + 1 :] if not _overlap(first, c)), None)
        mixed = (
            second is not None
            and len(first.keys) == 1
            and len(second.keys) == 1
            and second.score > 0.75 * first.score
            and len(second.said_in - first.said_in) >= 0.15 * texts
            and len(first.said_in) < 0.4 * texts
            and not is_unspaced(one)
        )
        if mixed and second is not None:
            yield _sentence_case(f"{one} and {_surface(second)}")
        yield _sentence_case(one)
        if second is not None and not mixed and len(words(one)) < 3:
            yield _sentence_case(_joined(one, _surface(second)))


def _joined(one: str, other: str) -> str:
    if is_unspaced(one) and is_unspaced(other):
        return f"{one}与{other}"
    return f"{one} and {other}"


def _overlap(one: _Candidate, other: _Candidate) -> bool:
    if set(one.keys) & set(other.keys):
        return True
    return any(a in b or b in a for a in one.keys for b in other.keys)


def _surface(candidate: _Candidate) -> str:
    best = min(candidate.surfaces, key=lambda s: (-candidate.surfaces[s], s))
    return best.removesuffix("'s").removesuffix("'")


def _sentence_case(name: str) -> str:
    return name[:1].upper() + name[1:]


def _numbered(ranked: Sequence[_Candidate], texts: Sequence[str], taken: Set[str]) -> str:
    """A name at any price: the best phrase, or the beginning of what was said, with a number."""
    base = _sentence_case(_surface(ranked[0])) if ranked else ""
    base = base or shorten(" ".join(words(texts[0])[:4]) if texts else "", LONGEST_NAME) or "Notes"
    if name_key(base) not in taken:
        return base
    number = 2
    while name_key(f"{base} {number}") in taken:
        number += 1
    return f"{base} {number}"
