"""The matters of a small memory, from the bottom up: the statements most alike come together first.

Where little has been said yet, hardly any term is said in bursts, and a model of topics has nothing
to count. So a memory that begins with a short stretch of talk compares its statements pair by pair:
by the terms they share, rare ones counting most, and by how close together they were said (average
linkage, UPGMA). No matter may grow to swallow the rest, and what fits nothing stays with what was
said around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from scenemem.engines.rules.cohesion import Terms
from scenemem.engines.rules.terms import is_field

__all__ = ["MOST_STATEMENTS", "agglomerated"]

MOST_STATEMENTS = 120  # up to which pairs are compared
_NEXT = 0.1  # likeness of statements said one after another
_NEXT_BUT_ONE = 0.04
_SAME_MESSAGE = 0.08
_LINKED = 0.02  # mean likeness from which two groups are one matter
_LARGEST_SHARE = 0.15  # of the statements, for one matter
_LARGEST_AT_LEAST = 10
_SMALLEST = 3  # statements a matter has, else it joins another
_RARELY = 0.05  # of the statements: as many may have nothing to do with any other
_OVERFULL = 1.25  # of the largest, for what has nowhere else to go
_FIELD_SHARE = 0.5  # what a field of life tells beside a word that was said


def agglomerated(
    statements: Sequence[Terms], sessions: Sequence[str], messages: Sequence[object]
) -> list[int]:
    """The group of each statement, groups numbered from 0 in the order they come up.

    `statements[i]` are the terms of statement i, said in `sessions[i]` and in the message
    `messages[i]`; what was said together stands together.
    """
    groups = _Groups(_likenesses(statements, sessions, messages))
    largest = max(_LARGEST_AT_LEAST, _LARGEST_SHARE * len(statements))
    groups.join_alike(largest)
    groups.join_small(largest * _OVERFULL, sessions)
    return groups.numbered()


def _likenesses(
    statements: Sequence[Terms], sessions: Sequence[str], messages: Sequence[object]
) -> list[list[float]]:
    said_in = Counter(term for statement in statements for term in statement)
    vectors = [_vector(statement, said_in, len(statements)) for statement in statements]
    alike = [[0.0] * len(statements) for _ in statements]
    for later in range(len(statements)):
        for earlier in range(later):
            value = sum(
                weight * vectors[earlier].get(term, 0.0) for term, weight in vectors[later].items()
            )
            if sessions[earlier] == sessions[later] and later - earlier <= 2:
                value += _NEXT if later - earlier == 1 else _NEXT_BUT_ONE
                value += _SAME_MESSAGE if messages[earlier] == messages[later] else 0.0
            alike[earlier][later] = alike[later][earlier] = value
    return alike


def _vector(statement: Terms, said_in: Counter[str], statements: int) -> dict[str, float]:
    """The terms by how rare they are, as a vector no longer than 1; one that tells little stays
    short."""
    weighed = {
        term: weight * log(statements / said_in[term]) * (_FIELD_SHARE if is_field(term) else 1.0)
        for term, weight in statement.items()
    }
    length = sqrt(sum(weight * weight for weight in weighed.values()))
    shortest = log(max(statements, 2))
    return {term: weight / max(length, shortest) for term, weight in weighed.items()}


class _Groups:
    """Groups of statements and, for each two of them, the sum of their statements' likenesses."""

    def __init__(self, alike: list[list[float]]) -> None:
        self._alike = alike
        self._members = {at: [at] for at in range(len(alike))}

    def join_alike(self, largest: float) -> None:
        """Join the two groups most alike, again and again, while they are of one matter."""
        while True:
            best, pair = _LINKED, None
            groups = list(self._members)
            for place, one in enumerate(groups):
                for other in groups[place + 1 :]:
                    if self._size(one) + self._size(other) > largest:
                        continue
                    linked = self._linked(one, other)
                    if linked > best:
                        best, pair = linked, (one, other)
            if pair is None:
                return
            self._join(pair[1], pair[0])

    def join_small(self, largest: float, sessions: Sequence[str]) -> None:
        """Join what is too small for a matter to the group it is closest to, smallest first.

        Without a word in common that is the group of its nearest neighbour in the session. What
        stands alone in its session, too, goes with what was said before it where that is a rare
        exception, and stays for itself where such statements are many.
        """
        alone: set[int] = set()
        while len(self._members) > 1:
            small = [g for g in self._members if self._size(g) < _SMALLEST and g not in alone]
            if not small:
                break
            group = min(small, key=lambda group: (self._size(group), group))
            others = [o for o in self._members if o != group and self._closest(group, o) > 0]
            if not others:
                beside = self._beside(group, sessions)
                if beside is None:
                    alone.add(group)
                else:
                    self._join(group, beside)
                continue
            room = [o for o in others if self._size(o) + self._size(group) <= largest] or others
            self._join(group, max(room, key=lambda o: (self._closest(group, o), -o)))

        if len(alone) <= _RARELY * len(sessions):
            for group in alone & self._members.keys():
                before = self._members[group][0] - 1
                into = next((o for o, members in self._members.items() if before in members), None)
                if into is not None:
                    self._join(group, into)

    def _beside(self, group: int, sessions: Sequence[str]) -> int | None:
        """The group of the statement nearest to this one's first in the same session."""
        at = self._members[group][0]
        near = [
            (abs(place - at), other)
            for other, members in self._members.items()
            if other != group
            for place in members
            if sessions[place] == sessions[at]
        ]
        return min(near)[1] if near else None

    def numbered(self) -> list[int]:
        """The group of each statement."""
        placed = [0] * len(self._alike)
        for number, group in enumerate(sorted(self._members.values(), key=min)):
            for at in group:
                placed[at] = number
        return placed

    def _size(self, group: int) -> int:
        return len(self._members[group])

    def _linked(self, one: int, other: int) -> float:
        """The mean likeness of the statements of two groups."""
        return self._alike[one][other] / (self._size(one) * self._size(other))

    def _closest(self, one: int, other: int) -> float:
        return self._alike[one][other] / sqrt(self._size(one) * self._size(other))

    def _join(self, group: int, into: int) -> None:
        for other in self._members:
            summed = self._alike[into][other] + self._alike[group][other]
            self._alike[into][other] = self._alike[other][into] = summed
        self._members[into] += self._members.pop(group)
