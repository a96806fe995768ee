"""From "I" to a name: statements rewritten in the third person, for summaries.

`third_person("I'm keen on counseling", "Caroline", None)` is "Caroline is keen on counseling."
The rewriting follows a few sure patterns and gives up on everything else: a statement that keeps
its "I" beside the speaker's name is better than a sentence that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from scenemem.base.text import sentences
from scenemem.engines.rules import voice_cues as cues
from scenemem.engines.rules.english_verbs import BASE_VERBS, is_past, third_singular

__all__ = ["third_person"]

_LONGEST = 300  # characters of a statement that is still rewritten


def third_person(statement: str, speaker: str, other: str | None = None) -> str | None:
    """`statement`, said by `speaker` to `other`, in the third person, or None where that is unsure.

    `statement` may be a few sentences; each must be sure. Of an image's caption nothing is kept.
    The speakers called "user" and "assistant" become "The user" and "The assistant".
    """
    text = cues.EMOJI.sub("", cues.IMAGE.sub("", statement)).translate(cues.MARKS).strip()
    if not text or len(text) > _LONGEST or not _is_latin(text):
        return None
    name = f"The {speaker}" if speaker in ("user", "assistant") else speaker
    told: list[str] = []
    for sentence in sentences(text):
        rewritten = _rewritten(sentence, name, other, follows=bool(told))
        if rewritten is None:
            return None
        told.append(rewritten)
    return " ".join(told) or None


def _is_latin(text: str) -> bool:
    return all(ord(c) < 0x250 for c in text)


def _rewritten(sentence: str, name: str, other: str | None, follows: bool) -> str | None:
    if cues.UNSURE.search(sentence):
        return None
    text = cues.RELATIVE_DAY.sub(_dated, sentence.rstrip(" .!,-"))
    if cues.DATE_WITH_VERB.search(text):
        return None
    text = cues.CHEER.sub("", text)
    for short, full in cues.SPELLED_OUT:
        text = short.sub(full, text)
    text = re.sub(r"^(?:And|But|So|Also|Plus|Then|Well)[, ]+(?=[A-Za-z])", "", text)
    if together := cues.TOGETHER.match(text):
        if cues.SELF.search(text, together.end()):
            return None
        return f"{name} and their {together['who']} {text[together.end() :]}."
    words = text.split(" ")
    if not 3 <= len(words) <= 40:
        return None
    return _Rewriting(words, name, other, follows).sentence()


def _dated(match: re.Match[str]) -> str:
    """ "yesterday (7 May 2023)" -> "on 7 May 2023", "for tonight (…)" -> "for 7 May 2023"."""
    return f"{match['preposition'] or 'on'} {match['date']}"


class _GivingUp(Exception):
    """The sentence is not one that can be rewritten for sure."""


class _Rewriting:
    """One pass over the words of a sentence, which either ends in a sure sentence or gives up."""

    def __init__(self, words: list[str], name: str, other: str | None, follows: bool) -> None:
        self._words = words
        self._bare = [word.strip(",.()!").lower() for word in words]
        self._name = name
        self._other = other
        self._follows = follows
        self._named = False  # the speaker has been named as subject

    def sentence(self) -> str | None:
        """The rewritten sentence, or None."""
        try:
            self._check_whole()
            words = list(self._pass())
            self._check_coordination()
        except _GivingUp:
            return None
        text = " ".join(words)
        return f"{text[0].upper()}{text[1:]}."

    def _check_whole(self) -> None:
        bare = self._bare
        self._check_opening()
        if self._other and self._ends_on_a_name(self._other.lower()):
            raise _GivingUp  # "I love the thought, Nate!"
        own = [i for i, word in enumerate(bare) if word in ("i", "my", "me", "mine")]
        if not own:
            self._check_without_self()
            return
        if len(bare) <= 6 and not self._follows and not cues.POINTING.isdisjoint(bare[2:]):
            raise _GivingUp  # "I love it!": of what?
        subject = bare.index("i") if "i" in bare else len(bare)
        if bare.count("i") > 2 or sum(i < subject for i in own) > 1:
            raise _GivingUp
        if any(bare[i - 1] in ("like", "as", "than") for i in own if bare[i] == "me"):
            raise _GivingUp
        # A main clause of its own: "With my job and living here.", "Being with people I like."
        if (subject == len(bare) or bare[0].endswith("ing")) and not self._is_whole(subject):
            raise _GivingUp
        if "we" in bare and not self._in_company(subject):
            raise _GivingUp
        # "They" would stand for two.
        if not {"they", "them", "their", "they're", "they've"}.isdisjoint(bare) and len(own) > 1:
            raise _GivingUp

    def _check_opening(self) -> None:
        """Gives up on sentences without a subject, with a vocative, or about a thing just shown."""
        first, bare = self._words[0], self._bare[0]
        if bare in ("i", "my"):
            return
        if (
            bare in cues.NO_SUBJECT
            or bare in cues.SAME_IN_PAST
            or bare in BASE_VERBS
            or is_past(bare)
            or _is_she_form(bare)
        ):
            raise _GivingUp
        if bare in cues.DANGLING and not self._follows:
            raise _GivingUp
        if (_is_adverb(bare) and _is_verbal(self._bare[1])) or (
            bare == "on" and len(self._bare) > 4 and is_past(self._bare[4])
        ):
            raise _GivingUp
        if first.endswith(",") and not (_is_adverb(bare) or bare in cues.OPENING_ADVERBS):
            raise _GivingUp
        if not self._follows and self._points_outside():
            raise _GivingUp
        if self._bare[-1] in cues.TAGS or self._bare[-2].endswith("n't"):
            raise _GivingUp  # "…, right", "… don't they"

    def _ends_on_a_name(self, other: str) -> bool:
        last, before = self._bare[-1], self._bare[-2]
        if self._words[-2].endswith(",") and last[:2] == other[:2]:
            return True
        return last == other and before not in cues.ADDRESSED

    def _is_whole(self, subject: int) -> bool:
        """Whether a verb, or the comma of an opening phrase, stands before the subject "I"."""
        if any(self._is_finite(i) for i in range(1, subject)):
            return True
        return subject < len(self._bare) and self._words[subject - 1].endswith(",")

    def _is_finite(self, i: int) -> bool:
        word = self._bare[i]
        if word in cues.FINITE or is_past(word):
            return True
        # After a preposition or an article "studies" is a noun.
        return _is_she_form(word) and self._bare[i - 1] not in cues.BEFORE_NOUNS

    def _points_outside(self) -> bool:
        """Whether a "her" or "them" stands for somebody that the sentence has not named."""
        named = False
        for word, bare in zip(self._words, self._bare, strict=True):
            if bare in cues.PERSONS and not named:
                return True
            named = (
                named
                or bare in cues.ARTICLES
                or (word[:1].isupper() and bare != "i" and word != self._words[0])
            )
        return False

    def _in_company(self, subject: int) -> bool:
        """Whether somebody was named with whom the speaker can be "they"."""
        at = self._bare.index("we")
        return subject < at and not cues.COMPANY.isdisjoint(self._bare[subject:at])

    def _check_without_self(self) -> None:
        bare = self._bare
        if not {"we", "us", "our", "ours", "you", "your", "you're", "you'll", "you've"}.isdisjoint(
            bare
        ):
            raise _GivingUp
        if not any(self._is_finite(i) for i in range(1, len(bare))):
            raise _GivingUp

    def _pass(self) -> Iterator[str]:
        i = 0
        while i < len(self._words):
            word, bare = self._words[i], self._bare[i]
            if bare == "i":
                i = yield from self._subject(i)
                continue
            yield self._with_marks(word, self._other_word(i, bare))
            i += 1

    def _with_marks(self, word: str, replacement: str | None) -> str:
        if replacement is None:
            return word
        core = word.strip(",.()!")
        return word.replace(core, replacement, 1)

    def _other_word(self, i: int, bare: str) -> str | None:
        """What stands for a word that is not the subject "I", None to keep it."""
        known = self._named or "i" in self._bare[:i]
        if bare == "my":
            return "their" if known or self._comes_later(i) else _possessive(self._name)
        if bare == "me":
            return "them" if known else self._name
        if bare in ("mine", "ours"):
            return "theirs"
        if bare == "we":
            return "they"
        if bare == "our":
            return "their" if known else _possessive(self._name)
        if bare == "us":
            if not known:
                raise _GivingUp
            return "them"
        if bare in ("you", "your"):
            return self._addressed(i, bare)
        if bare in ("you're", "you've", "you'll", "you'd", "yours", "yourself", "ourselves", "i's"):
            raise _GivingUp
        return None

    def _comes_later(self, i: int) -> bool:
        """Whether the subject follows an opening phrase: "After selling my boat, I …"."""
        rest = self._bare[i:]
        if i == 0 or "i" not in rest:
            return False
        return any(word.endswith(",") for word in self._words[i : i + rest.index("i")])

    def _addressed(self, i: int, bare: str) -> str:
        if self._other is None or (bare == "you" and self._bare[i - 1] not in cues.ADDRESSED):
            raise _GivingUp
        if self._bare.count("you") + self._bare.count("your") > 1:
            raise _GivingUp
        if not cues.ANYBODYS.isdisjoint(self._bare[i + 1 : i + 2]):
            raise _GivingUp  # "the lesson about following your dreams"
        return self._other if bare == "you" else _possessive(self._other)

    def _subject(self, i: int) -> Generator[str, None, int]:
        """The "I" at `i` and the verb that belongs to it; returns where to go on."""
        if i and self._bare[i - 1] in cues.INVERTING and not self._after_comma(i):
            raise _GivingUp
        verb_at = i + 1
        while verb_at < len(self._words) and _is_adverb(self._bare[verb_at]):
            verb_at += 1
        if verb_at >= len(self._words):
            raise _GivingUp
        again = self._named
        if self._bare[i - 1] == "and" and self._joins_a_name(i):
            raise _GivingUp  # "Max and I"
        if again and self._words[i - 1].endswith(","):
            raise _GivingUp  # "I'm well, I just had a break": two sentences in one
        yield "they" if again else self._name
        yield from self._words[i + 1 : verb_at]
        verb = self._bare[verb_at]
        yield self._with_marks(
            self._words[verb_at], _they_form(verb) if again else self._she_form(verb)
        )
        self._named = True
        return verb_at + 1

    def _joins_a_name(self, i: int) -> bool:
        before = self._words[i - 2]
        return i == 2 or self._bare[i - 2] in cues.COMPANY or (i > 2 and before[:1].isupper())

    def _after_comma(self, i: int) -> bool:
        return self._words[i - 1].endswith(",") or self._bare[i - 1] in ("and", "than", "or")

    def _she_form(self, verb: str) -> str:
        if verb in cues.UNCHANGED or is_past(verb):
            return verb
        if verb in cues.AGREEING:
            return cues.AGREEING[verb]
        if verb in cues.SAME_IN_PAST or verb not in BASE_VERBS:
            raise _GivingUp
        return third_singular(verb)

    def _check_coordination(self) -> None:
        """Gives up on a second verb of the speaker's that would have to agree as well."""
        for i, word in enumerate(self._words[:-1]):
            if word.endswith(",") and self._bare[i + 1] in BASE_VERBS and i > 1:
                raise _GivingUp  # "…, have fun"
        for i in range(1, len(self._bare) - 1):
            joins = self._bare[i] in ("and", "or", "but", "then") or self._words[i].endswith(",")
            after = i + 1
            while after < len(self._bare) - 1 and _is_adverb(self._bare[after]):
                after += 1
            if joins and (self._bare[after] in BASE_VERBS or self._bare[after] in cues.AGREEING):
                raise _GivingUp


def _they_form(verb: str) -> str:
    if verb in ("am", "was", "wasn't"):
        return {"am": "are", "was": "were", "wasn't": "weren't"}[verb]
    if verb in BASE_VERBS or verb in cues.UNCHANGED or verb in cues.AGREEING or is_past(verb):
        return verb
    raise _GivingUp


def _is_adverb(word: str) -> bool:
    return word in cues.ADVERBS or (
        word.endswith("ly") and word not in cues.NO_ADVERBS and len(word) > 4
    )


def _is_she_form(word: str) -> bool:
    return word.endswith("s") and any(
        base in BASE_VERBS and third_singular(base) == word
        for base in (word[:-1], word[:-2], f"{word[:-3]}y")
    )


def _is_verbal(word: str) -> bool:
    return is_past(word) or word.endswith("ing") or word in BASE_VERBS


def _possessive(name: str) -> str:
    return f"{name}'s"
