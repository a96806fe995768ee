"""From "I" to a name: statements rewritten in the third person, for summaries.

`third_person("I'm keen on counseling", "Caroline", None)` is "Caroline is keen on counseling."
The rewriting follows a few sure patterns and gives up on everything else: a statement that keeps
its "I" beside the speaker's name is better than a sentence that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from scenemem.embedded.english_verbs import BASE_VERBS, is_past, third_singular
from scenemem.embedded.sentence import word_set
from scenemem.text import sentences

__all__ = ["third_person"]

_LONGEST = 300  # characters of a statement that is still rewritten

_IMAGE: Final = re.compile(r"\s*\[image: [^\]]*\]\s*$")
_MARKS: Final = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "…": "."})
_EMOJI: Final = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
_UNSURE: Final = re.compile(
    r"[?\"“”;:*#<>{}|`/]|\.\.|--|\b(?:ya|[Ii]'d(?! (?:really |also |still )?(?:love|like|prefer|rather)\b)|you know|i mean"
    r"|i guess|i swear|let me|let's|ain't|gotta|y'all|lol|haha|wow|oh|hey|yes|no,|nope|yeah|yep|thanks|thank you"
    r"|congrat\w*|please|here's|here is|here are|here it|myself|as for|speaking of|btw|by the way|dude|man,|buddy|pal"
    r"|i and|me and|me,|me too|so do i|neither do i|shit|damn|omg|u|ur)(?!\w)",
    re.IGNORECASE,
)
_RELATIVE_DAY: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last night|this (?:morning|afternoon|evening)"
    r"|the day (?:before yesterday|after tomorrow)|(?:last|this|next|on) (?:mon|tues|wednes|thurs|fri|satur|sun)day|on the \d{1,2}(?:st|nd|rd|th))"
    r" \((\d{1,2} [A-Z][a-z]+ \d{4})\)",
    re.IGNORECASE,
)
_SPELLED_OUT: Final = (
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\bkinda\b"), "kind of"),
    (re.compile(r"(?<!\w)'cause\b|\bcuz\b|\bcos\b"), "because"),
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\bI've\b"), "I have"),
    (re.compile(r"\bI'll\b"), "I will"),
    (re.compile(r"\bI'd\b"), "I would"),
    (re.compile(r"\b(we|We)'re\b"), r"\1 are"),
    (re.compile(r"\b(we|We)'ve\b"), r"\1 have"),
    (re.compile(r"\b(we|We)'ll\b"), r"\1 will"),
    (re.compile(r"(\w)in'(?= )"), r"\1ing"),
)
# Tails that only cheer: "… - so exciting!"
_CHEER: Final = re.compile(
    r"(?: - |, )(?:so|such|really|it's|it was|it is|what|how|pretty|super|totally|love|loved|can't|definitely|and it was so|and it's so)\b[^,-]*$",
    re.I,
)
_ADVERBS: Final = word_set(
    "also just still always never often usually sometimes even only now already ever soon once mostly "
    "rarely seldom almost both all currently"
)
_NO_ADVERBS: Final = word_set("rely apply reply supply fly multiply comply ally family")
_INVERTING: Final = word_set(
    "am was do did does have had has can could will would should might must are were and or than "
    "nor like"
)
_UNCHANGED: Final = word_set(
    "was wasn't can can't cannot could couldn't will won't would wouldn't should shouldn't might must "
    "may didn't hadn't did had used"
)
_AGREEING: Final = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't",
}  # fmt: skip
_SAME_IN_PAST: Final = word_set(
    "put cut hit let set cost hurt quit spread beat shut bet split upset read burst cast shed rid"
)
_ADDRESSED: Final = word_set(
    "told showed gave sent with to for from about saw met miss missed visit visited help helped "
    "invited asked tell show give send thank"
)
_FINITE: Final = word_set(
    "is isn't are aren't was wasn't were weren't has hasn't have haven't had will won't can can't could "
    "does doesn't do don't did didn't would should it's that's there's he's she's they're they've"
)
_NO_SUBJECT: Final = word_set(
    "been super always just wish so love gonna glad excited stoked happy ready not still never be "
    "guess fingers can't won't don't oof yea phew same too very really as if especially like nothing "
    "taking, looking trying working planning hoping going getting yup sure absolutely definitely "
    "whatever even plus man bummer mmm"
)
_OPENING_ADVERBS: Final = word_set("yesterday today tomorrow lately sometimes now growing")
_COMPANY: Final = word_set(
    "kids family wife husband partner friend friends team brother sister mom mum dad parents son "
    "daughter dog dogs girlfriend boyfriend colleagues group band crew guys with"
)
_PERSONS: Final = word_set("he she him her his them they their he's she's they're")
_ARTICLES: Final = word_set(
    "my our the a an some two three four five many several people someone everyone other others"
)
_BEFORE_NOUNS: Final = word_set(
    "with of the a an my your his her our their in for and or to on at from by about these those "
    "some all no more other"
)
_POINTING: Final = word_set("it this that those them these")
_DANGLING: Final = word_set("it it's that that's this they they're these those he he's she she's")


def third_person(statement: str, speaker: str, other: str | None = None) -> str | None:
    """`statement`, said by `speaker` to `other`, in the third person, or None where that is unsure.

    `statement` may be a few sentences; each must be sure. Of an image's caption nothing is kept.
    The speakers called "user" and "assistant" become "The user" and "The assistant".
    """
    text = _EMOJI.sub("", _IMAGE.sub("", statement)).translate(_MARKS).strip()
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
    if _UNSURE.search(sentence):
        return None
    text = _RELATIVE_DAY.sub(r"on \1", sentence.rstrip(" .!,-"))
    text = _CHEER.sub("", text)
    for short, full in _SPELLED_OUT:
        text = short.sub(full, text)
    text = re.sub(r"^(?:And|But|So|Also|Plus|Then|Well)[, ]+(?=[A-Za-z])", "", text)
    words = text.split(" ")
    if not 3 <= len(words) <= 40:
        return None
    return _Rewriting(words, name, other, follows).sentence()


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
        own = [i for i, word in enumerate(bare) if word in ("i", "my", "me", "mine")]
        if not own:
            self._check_without_self()
            return
        if len(bare) <= 6 and not self._follows and not _POINTING.isdisjoint(bare[2:]):
            raise _GivingUp  # "I love it!": of what?
        subject = bare.index("i") if "i" in bare else len(bare)
        if bare.count("i") > 2 or sum(i < subject for i in own) > 1:
            raise _GivingUp
        if any(bare[i - 1] in ("like", "as", "than") for i in own if bare[i] == "me"):
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
            bare in _NO_SUBJECT
            or bare in _SAME_IN_PAST
            or bare in BASE_VERBS
            or is_past(bare)
            or _is_she_form(bare)
        ):
            raise _GivingUp
        if bare in _DANGLING and not self._follows:
            raise _GivingUp
        if (_is_adverb(bare) and _is_verbal(self._bare[1])) or (
            bare == "on" and len(self._bare) > 4 and is_past(self._bare[4])
        ):
            raise _GivingUp
        if self._other and self._bare[-1] == self._other.lower():
            raise _GivingUp  # "I love the thought Nate!"
        if first.endswith(",") and not (_is_adverb(bare) or bare in _OPENING_ADVERBS):
            raise _GivingUp
        if not self._follows and self._points_outside():
            raise _GivingUp
        if self._bare[-1] in ("right", "huh", "eh", "though") or self._bare[-2:] == [
            "doesn't",
            "it",
        ]:
            raise _GivingUp

    def _is_finite(self, i: int) -> bool:
        word = self._bare[i]
        if word in _FINITE or is_past(word):
            return True
        # After a preposition or an article "studies" is a noun.
        return _is_she_form(word) and self._bare[i - 1] not in _BEFORE_NOUNS

    def _points_outside(self) -> bool:
        """Whether a "her" or "them" stands for somebody that the sentence has not named."""
        named = False
        for word, bare in zip(self._words, self._bare, strict=True):
            if bare in _PERSONS and not named:
                return True
            named = (
                named
                or bare in _ARTICLES
                or (word[:1].isupper() and bare != "i" and word != self._words[0])
            )
        return False

    def _in_company(self, subject: int) -> bool:
        """Whether somebody was named with whom the speaker can be "they"."""
        at = self._bare.index("we")
        return subject < at and not _COMPANY.isdisjoint(self._bare[subject:at])

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
            return "their" if known else _possessive(self._name)
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

    def _addressed(self, i: int, bare: str) -> str:
        if self._other is None or (bare == "you" and self._bare[i - 1] not in _ADDRESSED):
            raise _GivingUp
        if self._bare.count("you") + self._bare.count("your") > 1:
            raise _GivingUp
        return self._other if bare == "you" else _possessive(self._other)

    def _subject(self, i: int) -> Iterator[str]:
        """The "I" at `i` and the verb that belongs to it; returns where to go on."""
        if i and self._bare[i - 1] in _INVERTING and not self._after_comma(i):
            raise _GivingUp
        verb_at = i + 1
        while verb_at < len(self._words) and _is_adverb(self._bare[verb_at]):
            verb_at += 1
        if verb_at >= len(self._words):
            raise _GivingUp
        again = self._named
        if again and (
            self._bare[i - 1] == "and"
            and not self._words[i - 2].endswith(",")
            and self._bare[i - 2] in _COMPANY
        ):
            raise _GivingUp
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

    def _after_comma(self, i: int) -> bool:
        return self._words[i - 1].endswith(",") or self._bare[i - 1] in ("and", "than", "or")

    def _she_form(self, verb: str) -> str:
        if verb in _UNCHANGED or is_past(verb):
            return verb
        if verb in _AGREEING:
            return _AGREEING[verb]
        if verb in _SAME_IN_PAST or verb not in BASE_VERBS:
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
            if joins and (self._bare[after] in BASE_VERBS or self._bare[after] in _AGREEING):
                raise _GivingUp


def _they_form(verb: str) -> str:
    if verb in ("am", "was", "wasn't"):
        return {"am": "are", "was": "were", "wasn't": "weren't"}[verb]
    if verb in BASE_VERBS or verb in _UNCHANGED or verb in _AGREEING or is_past(verb):
        return verb
    raise _GivingUp


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in _NO_ADVERBS and len(word) > 4)


def _is_she_form(word: str) -> bool:
    return word.endswith("s") and any(
        base in BASE_VERBS and third_singular(base) == word
        for base in (word[:-1], word[:-2], f"{word[:-3]}y")
    )


def _is_verbal(word: str) -> bool:
    return is_past(word) or word.endswith("ing") or word in BASE_VERBS


def _possessive(name: str) -> str:
    return f"{name}'s"
