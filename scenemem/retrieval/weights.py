"""Weights: the numbers that ranking weighs evidence with, and the parts that a score is made of."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEFAULT_WEIGHTS", "Parts", "Weights", "score_of"]


class Weights(NamedTuple):
    """How much each part of the evidence counts, against 1 for a message's own words.

    What the parts are worth: without them, the share of LoCoMo / LongMemEval evidence among the
    first ten falls by .075 / .018 (neighbours), .036 / .070 (speaker and user), .020 / .000
    (dates), .015 / .036 (session), .003 / .018 (scene); of the terms of the question, by .009 /
    .021 (synonyms) and .005 / .036 (light words weighed down). The curves are flat around the
    values: one step of `benchmarks/tune.py` mostly moves what is found by less than .005.
    """

    before: float = 0.5  # what was said right before it
    second_before: float = 0.35  # two before it: in a talk of two, by the same speaker
    after: float = 0.25  # right after it
    second_after: float = 0.2  # two after it
    repeated: float = 0.5  # the weaker of own and neighbours' match, where both hold a concept
    lecture: int = 100  # characters of an unnamed neighbour that count; of a longer one, less
    length: float = 0.6  # how far longer texts than the mean count less: b of BM25
    saturation: float = 1.2  # k1 of BM25
    session: float = 0.3  # how much of the question its session holds
    date: float = 3.0  # said on, or speaking of, a day that the question names
    named: float = 2.0  # factor: said by a person whom the question names
    user: float = 2.0  # factor: the user's own words, where messages have roles and no names
    dated: float = 0.2  # factor above 1: tells when it happened; twice that for "when"
    counted: float = 0.1  # factor above 1: has a number, where the question asks how many
    asking: float = 0.3  # factor below 1: a message that only asks
    sibling: float = 0.3  # of the own match of a message, what a cell has that holds none of it
    scene: float = 0.1  # the best other cells of its scene
    recency: float = 0.04  # factor from the oldest to the newest: decides near ties only
    salience: float = 0.03  # factor from salience 0 to 1: decides nearer ties
    use: float = 0.01  # factor from never to often recalled
    meaning: float = 1.0  # likeness of meaning, where there is an embedder, against all words held
    unlike: float = 0.2  # likeness up to which a message has nothing to do with the question
    margin: int = 40  # messages beyond the limit that are weighed in full: many make no hit


DEFAULT_WEIGHTS = Weights()


class Parts(NamedTuple):
    """What a score is made of: the sum of the first six, times each of the others."""

    own: float = 0.0
    neighbours: float = 0.0
    session: float = 0.0
    scene: float = 0.0
    date: float = 0.0
    meaning: float = 0.0
    speaker: float = 1.0
    role: float = 1.0
    telling: float = 1.0
    recency: float = 1.0
    salience: float = 1.0
    use: float = 1.0

    @property
    def score(self) -> float:
        """The score."""
        return score_of(*self)


def score_of(
    own: float,
    neighbours: float,
    session: float,
    scene: float,
    date: float,
    meaning: float,
    speaker: float,
    role: float,
    telling: float,
    recency: float,
    salience: float,
    use: float,
) -> float:
    """The score of these parts: the sum of the first six, times each of the others."""
    total = (own + neighbours + session + scene + date + meaning) * (speaker * role * telling)
    return total * recency * salience * use
