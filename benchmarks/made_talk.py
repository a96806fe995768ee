"""A made-up conversation of any length, with the statistics of real speech, to benchmark size.

Words follow Zipf's law over a vocabulary of 50,000 (in Mandelbrot's form: the most frequent word is
in a tenth of the lines, the hundredth in one line in a hundred). The commonest are real English
words, so that stop words, irregular forms and synonyms cost what they cost in practice. Function
words are mixed in, and names, dates and numbers occur now and then. Half of the conversations are
between two named people, half between a user and an assistant. The same seed gives the same lines.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

__all__ = ["SHAPES", "Line", "Talk"]

VOCABULARY = 50_000
SESSION = 40  # lines of one conversation


def _words(text: str) -> list[str]:
    return text.split()


FUNCTION_WORDS = _words("""
the a of to and in we that it is was for on with they at she he this have my your i you be are so
but not do what me if about there all can will just from had our when up out
""")
EVERYDAY = _words("""
great really like love good thing time people work new think help know day feel lot try year nice
friend family week keep way start make talk plan idea enjoy book game music job home place photo
life share project trip food school money house kid dog cat car city park walk run dinner movie
team doctor beach art paint dance cook recipe garden club class study write read story support
learn change buy sell gift party birthday wedding mother father sister brother parent summer
winter weekend morning night sleep tired happy sad proud afraid busy early late long small big old
young hard easy cheap expensive travel flight hotel train bike hike camp mountain river forest
weather rain snow storm fire phone computer website email message video picture camera song
concert guitar piano violin drum show series festival church community charity volunteer health
exercise gym yoga diet weight pain injury hospital medicine therapy stress advice decision goal
dream problem reason question answer company office boss colleague salary meeting launch budget
contract customer product design report deadline server database release test bug code
""")
MONTHS = _words("""
January February March April May June July August September October November December
""")
SHAPES = {
    "three words": "three words of one line, rare and common alike",
    "one rare word": "a word that occurs in few lines",
    "a name": "what a named person said about two words",
    "a date": "what was said about one word in a month",
    "common words": "two or three of the hundred most common words",
    "a long text": "a whole line and more, as if pasted",
    "stop words": "function words only",
}
_ONSETS = _words("b br c cl d dr f fl g gr h j k l m n p pl pr r s sh sl st t tr v w")
_VOWELS = _words("a e i o u ai ea ou")
_ENDS = ["", "", "n", "r", "l", "s", "t", "nd", "rk", "m"]


class Line(NamedTuple):
    """One line: its conversation's number, speaker, text, time, and the day it mentions."""

    session: int
    speaker: str | None
    by_user: bool
    text: str
    at: datetime
    day: date | None


class Talk:
    """An endless conversation, and questions to ask about it."""

    def __init__(self, seed: int = 7) -> None:
        self._rng = random.Random(seed)
        self.words = self._vocabulary()
        self._cumulated = list(accumulate(1 / (rank + 11) for rank in range(len(self.words))))
        self.people = [self._made_word(2, 2).capitalize() for _ in range(200)]

    def _made_word(self, least: int, most: int) -> str:
        rng = self._rng
        return "".join(
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ENDS)
            for _ in range(rng.randint(least, most))
        )

    def _vocabulary(self) -> list[str]:
        known = dict.fromkeys(EVERYDAY)
        while len(known) < VOCABULARY:
            known[self._made_word(1, 3)] = None
        return list(known)

    def lines(self, count: int) -> Iterator[Line]:
        """The first `count` lines, in chronological order."""
        rng = self._rng
        drawn = self._drawn_words()
        at = datetime(2015, 1, 1, 8, tzinfo=UTC)
        apart = timedelta(days=3650 / (count / SESSION + 1))  # ten years, whatever the count
        pair: Sequence[str | None] = ()
        for number in range(count):
            session, place = divmod(number, SESSION)
            if place == 0:
                at = datetime(2015, 1, 1, 8, tzinfo=UTC) + session * apart
                pair = rng.sample(self.people, 2) if session % 2 else (None, None)
            at += timedelta(minutes=1)
            text, day = self._text(drawn, at)
            yield Line(session, pair[place % 2], place % 2 == 0, text, at, day)

    def _drawn_words(self) -> Iterator[str]:
        while True:
            yield from self._rng.choices(self.words, cum_weights=self._cumulated, k=50_000)

    def _text(self, drawn: Iterator[str], at: datetime) -> tuple[str, date | None]:
        rng = self._rng
        said = [
            rng.choice(FUNCTION_WORDS) if rng.random() < 0.45 else next(drawn)
            for _ in range(rng.randint(7, 27))
        ]
        day = None
        chance = rng.random()
        if chance < 0.10:
            day = (at - timedelta(days=rng.randint(0, 60))).date()
            said.append(f"on {day.day} {MONTHS[day.month - 1]} {day.year}")
        elif chance < 0.22:
            said.insert(rng.randrange(len(said)), rng.choice(self.people))
        elif chance < 0.30:
            said.insert(rng.randrange(len(said)), str(rng.randint(2, 4000)))
        text = " ".join(said)
        return f"{text[0].upper()}{text[1:]}.", day

    def questions(self, lines: Sequence[Line], each: int) -> dict[str, list[str]]:
        """`each` questions of every shape in `SHAPES` about these lines."""
        return {shape: [self._question(shape, lines) for _ in range(each)] for shape in SHAPES}

    def _question(self, shape: str, lines: Sequence[Line]) -> str:
        rng = self._rng
        line = rng.choice(lines)
        own = [w for w in line.text.strip(".").lower().split() if w not in FUNCTION_WORDS]
        some = rng.sample(own, 3) if len(own) > 3 else rng.choices(self.words[:500], k=3)
        match shape:
            case "three words":
                return f"What did we say about the {some[0]} and the {some[1]} and the {some[2]}?"
            case "one rare word":
                return f"Do you remember {rng.choice(self.words[len(self.words) // 4 :])}?"
            case "a name":
                who = line.speaker or rng.choice(self.people)
                return f"What did {who} tell me about {some[0]} {some[1]}?"
            case "a date":
                month = MONTHS[line.at.month - 1]
                return f"What happened with the {some[0]} in {month} {line.at.year}?"
            case "common words":
                common = rng.sample(self.words[:100], rng.randint(2, 3))
                return f"How is the {' and '.join(common)} going?"
            case "a long text":
                return f"{line.text} {rng.choice(lines).text} So what should I do about it?"
            case _:
                return " ".join(rng.choices(FUNCTION_WORDS, k=6)) + "?"
