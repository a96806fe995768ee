"""What a sentence does: does it state something that is worth remembering, or only talk?

`act_of` names what a sentence is when it is no statement of the speaker's own: a question, a
hypothetical, somebody else's words, a role being played, an instruction to the listener, small
talk. The rules know English best. They look for cues, never for what is missing, so that a
sentence in a language they do not know is a statement unless it is a plain question or greeting.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from scenemem.base.text import is_unspaced
from scenemem.engines.rules import speech_cues as cues
from scenemem.engines.rules.sentence import Sentence, word_set
from scenemem.engines.rules.terms import read_word

__all__ = [
    "Act",
    "act_of",
    "information",
    "is_explicit",
    "is_question",
    "opens_a_payload",
    "opens_a_role",
]

Act = Literal["question", "hypothetical", "quote", "role play", "instruction", "small talk"]

_FIRST_PERSON = word_set("i i'm i've i'd i'll my mine me we we're we've we'll our ours us myself")
_SUBJECT = _FIRST_PERSON - {"me", "us"}
_OTHER_PERSON = word_set("you your you're yours you've you'll you'd yourself")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")

# How much a sentence must tell to be kept: one about the speaker, any other, one with a "you" in
# it, and one that opens like a reaction to what the other one said.
_ENOUGH_OWN = 0.45
_ENOUGH = 0.8
_ENOUGH_OF_OTHERS = 1.4
_ENOUGH_OWN_REACTION = 1.6
_ENOUGH_REACTION = 2.2


def is_explicit(sentence: Sentence) -> bool:
    """Whether the sentence asks to be remembered ("remember that …", "for the record: …")."""
    asked = cues.EXPLICIT.found_in(sentence) or cues.EXPLICIT_OPENING.match(sentence.lower)
    # "Remember that you're great" encourages.
    return bool(asked) and sentence.known.isdisjoint(_OTHER_PERSON) and not is_question(sentence)


def is_question(sentence: Sentence) -> bool:
    """Whether the sentence asks something, in any language that marks its questions."""
    return (
        cues.QUESTION_OPENING.match(sentence.lower) is not None
        or cues.QUESTION_END.search(sentence.text, max(0, len(sentence.text) - 12)) is not None
    )


def opens_a_role(sentence: Sentence) -> bool:
    """Whether what follows is said in a role or a game ("Pretend I'm a pirate.")."""
    may = not sentence.known.isdisjoint(cues.ROLE_WORDS) or not sentence.text.isascii()
    if not may and not sentence.lower.startswith(("be ", "you be ")):
        return False
    return cues.ROLE_PLAY.search(sentence.lower) is not None


def opens_a_payload(sentence: Sentence) -> bool:
    """Whether what follows is text to work on, not something said ("Translate this: …")."""
    return cues.PAYLOAD.match(sentence.lower) is not None


def act_of(sentence: Sentence) -> Act | None:
    """What `sentence` is, None for a statement."""
    if is_question(sentence):
        return "question"
    if _is_unreal(sentence):
        return "hypothetical"
    if _is_quote(sentence):
        return "quote"
    known, lower = sentence.known, sentence.lower
    if not known.isdisjoint(cues.IN_A_ROLE_WORDS) and cues.IN_A_ROLE.search(lower):
        return "role play"
    if known.isdisjoint(_SUBJECT) and cues.INSTRUCTION.match(lower):
        return "instruction"
    return "small talk" if _is_small_talk(sentence) else None


def _is_unreal(sentence: Sentence) -> bool:
    known = sentence.known
    if not known.isdisjoint(cues.UNREAL_WORDS) and cues.UNREAL.search(sentence.lower):
        return True
    if sentence.words and cues.UNREAL_OPENING.match(sentence.lower):
        return True
    if "have" in known and cues.UNREAL_PAST.search(sentence.lower):
        return True
    if sentence.text.isascii() and known.isdisjoint(cues.UNREAL_ABROAD_WORDS):
        return False
    return cues.UNREAL_ABROAD.search(sentence.lower) is not None


def _is_quote(sentence: Sentence) -> bool:
    lower = sentence.lower
    if '"' not in lower and " '" not in lower and lower[:1] != "'" and lower.isascii():
        return False
    quoted = [
        q.group() for q in cues.QUOTATION.finditer(lower) if cues.SELF_INSIDE.search(q.group())
    ]
    return bool(quoted) and (
        max(map(len, quoted)) > 0.8 * len(lower) or cues.REPORTED.search(lower) is not None
    )


def _is_small_talk(sentence: Sentence) -> bool:
    words = sentence.words
    if _LETTER.search(sentence.text) is None:
        return True
    if len(words) <= 3 and sentence.line.strip() in cues.FOREIGN_SMALL_TALK:
        return True
    if not sentence.text.isascii() and cues.FOREIGN_COURTESY.match(sentence.text):
        return True
    own = _is_own(sentence)
    enough = _ENOUGH_OWN if own else _ENOUGH
    if cues.CONVERSING.match(sentence.lower):
        enough = _ENOUGH_REACTION
    elif cues.REACTION.match(sentence.lower) or (not own and cues.GUESS in sentence.line):
        enough = _ENOUGH_OWN_REACTION if own else _ENOUGH_REACTION
    elif cues.SECOND_PERSON.match(sentence.lower):
        enough = _ENOUGH_REACTION
    elif not own and not sentence.known.isdisjoint(_OTHER_PERSON):
        enough = _ENOUGH_OF_OTHERS
    return information(sentence) < enough


@lru_cache(maxsize=65536)
def _weight(word: str) -> float:
    return read_word(word)[1]


def _is_own(sentence: Sentence) -> bool:
    """Whether the speaker is in it: an "I" or "my", or a verb whose "I" is left out."""
    return not sentence.known.isdisjoint(_FIRST_PERSON) or (
        bool(sentence.words) and sentence.words[0] in cues.SUBJECT_DROPPED
    )


def information(sentence: Sentence) -> float:
    """How much it tells: about one for each word that carries a topic, for numbers, for dates."""
    if sentence.told is not None:
        return sentence.told
    total = 0.3 if _is_own(sentence) else 0.0
    total += sum(map(_weight, sentence.known))
    if not sentence.text.isascii() and is_unspaced(sentence.text):
        # There a "word" is a run of many; its length tells more than that it is one.
        total += min(max(len(sentence.text) - 5, 0) / 6, 5.0)
    if _DIGIT.search(sentence.text):
        total += 1.0
    if not sentence.known.isdisjoint(cues.DATED):
        total += 0.8
    sentence.told = total
    return total
