"""The weights that ranking uses, and the parts that every score is made of.

To add a part to the score, name it here (in `EVIDENCE` if it adds to the score, in `FACTORS` if it
multiplies it), give it a weight, and compute it in `ranking`. Everything that shows or stores
scores reads the parts by name from these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

__all__ = ["DEFAULT_WEIGHTS", "EVIDENCE", "FACTORS", "Weights", "score_of"]


class Weights(NamedTuple):
    """How much each part of the evidence counts, relative to 1 for a message's own words.

    What each part is worth: without it, the share of LoCoMo / LongMemEval evidence among the first
    ten hits drops by .075 / .018 (neighbours), .036 / .070 (speaker and user), .020 / .000 (dates),
    .015 / .036 (session), .003 / .018 (scene); and, for the terms of the question, by .009 / .021
    (synonyms) and .005 / .036 (light words weighed down). The curves are flat around these values:
    one step of `benchmarks/tune.py` rarely changes a share by .005.
    """

    before: float = 0.5  # the message right before
    second_before: float = 0.35  # two before: between two people, the same speaker again
    after: float = 0.25  # the message right after
    second_after: float = 0.2  # two after
    repeated: float = 0.5  # the weaker of own and neighbours' match, if both hold a concept
    lecture: int = 100  # characters of an unnamed neighbour that count in full; longer ones less
    length: float = 0.6  # how much texts longer than the mean are discounted: b of BM25
    saturation: float = 1.2  # k1 of BM25
    session: float = 0.3  # how much of the question the message's session holds
    date: float = 3.0  # said on a day that the question names, or about it
    named: float = 2.0  # factor: said by a person whom the question names
    user: float = 2.0  # factor: the user's own words, if messages have roles but no names
    dated: float = 0.2  # factor above 1: says when it happened; doubled if the question asks when
    counted: float = 0.1  # factor above 1: has a number, if the question asks how many
    asking: float = 0.3  # factor below 1: a message that only asks
    sibling: float = 0.3  # share of a message's own match for those of its cells that hold none
    scene: float = 0.1  # the best other cells of the same scene
    recency: float = 0.04  # factor from the oldest to the newest: decides near ties only
    salience: float = 0.03  # factor from salience 0 to 1: decides nearer ties
    use: float = 0.01  # factor from never recalled to recalled often
    meaning: float = 1.0  # similarity of meaning (needs an embedder), relative to all words held
    unlike: float = 0.2  # similarity up to which a message is considered unrelated
    margin: int = 40  # messages scored in full beyond the limit, since many don't become hits


DEFAULT_WEIGHTS = Weights()

EVIDENCE: Mapping[str, str] = {  # parts that add up, each with what it looks at
    "own": "its own words",
    "neighbours": "said right around it",
    "session": "its session",
    "scene": "its scene",
    "date": "the day asked for",
    "meaning": "its meaning",
}
FACTORS: Mapping[str, str] = {  # parts that multiply the sum, each with what it looks at
    "speaker": "who says it",
    "role": "whether the user says it",
    "telling": "whether it is of the kind that answers",
    "recency": "how new it is",
    "salience": "how important it is",
    "use": "how often it was recalled",
}


def score_of(evidence: Mapping[str, float], factors: Mapping[str, float]) -> float:
    """The score that these parts make: the sum of the evidence, times each of the factors."""
    total = 0.0
    for value in evidence.values():  # `sum` rounds differently from Python 3.12 on
        total += value
    return prod(factors.values(), start=total)
