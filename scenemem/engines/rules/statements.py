"""A message cut into its statements: what a speaker says that is worth remembering.

The text is cut into sentences (never inside a quotation), run-on sentences into their independent
clauses, and every piece is judged by `speech_acts.act_of`; questions give up the plain clause they
may carry ("I'm moving to Oslo in May, can you help me pack?"). Follow-ups that lean on the
sentence before ("It took all day.") stay with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemem.engines.rules.readable_text import caption_off, sentences_of
from scenemem.engines.rules.sentence import Sentence, word_set
from scenemem.engines.rules.speech_acts import (
    Act,
    act_of,
    information,
    is_explicit,
    is_question,
    opens_a_payload,
    opens_a_role,
)
from scenemem.engines.rules.speech_cues import (
    OWN_RELATIVE_CLAUSE,
    QUESTION_OPENING,
    REACTION,
    TAKING_BACK,
)
from scenemem.engines.rules.trimming import trimmed

__all__ = ["Statement", "read_statements"]


@dataclass(slots=True, eq=False)
class Statement:
    """One kept statement, or a tight group of them, as said but for fillers.

    `information` is what `speech_acts.information` counts; `explicit` tells that the speaker asks
    for it to be remembered.
    """

    sentence: Sentence
    information: float
    explicit: bool = False

    @property
    def text(self) -> str:
        """What was said."""
        return self.sentence.text


def read_statements(content: str, addressee: str | None = None) -> list[Statement]:
    """The statements of a message, in order, fillers and the addressee's name trimmed off.

    A role ("Pretend I'm a pirate.") or a text to work on ("Translate this: …") takes the rest of
    the message with it, but for what is asked to be remembered.
    """
    body, caption = caption_off(content)
    kept: list[Statement] = []
    said: list[str] = []
    follows_a_kept = in_role = False
    for raw in sentences_of(body):
        sentence = Sentence.of(raw)
        explicit = is_explicit(sentence)
        if not explicit:
            in_role = in_role or opens_a_role(sentence) or opens_a_payload(sentence)
            if in_role:
                continue
        if follows_a_kept and TAKING_BACK.match(sentence.lower):
            kept.pop()
        said.append(raw)
        found = _kept_clauses(sentence, addressee, explicit)
        if found and follows_a_kept and _leans_on(kept[-1], found[0]):
            kept[-1] = _joined(kept[-1], found.pop(0))
        else:
            follows_a_kept = bool(found)
        kept.extend(found)
    return _with_caption(kept, said, caption) if caption else kept


def _kept_clauses(raw: Sentence, addressee: str | None, explicit: bool) -> list[Statement]:
    text = trimmed(raw.text, addressee)
    whole = raw if text == raw.text else Sentence.of(text)
    judged = [_judged(clause, explicit) for clause in _clauses(whole)]
    if len(judged) > 1 and any(act == "small talk" for act, _ in judged):
        # A clause that says little on its own belongs to the one that says more.
        judged = [_judged(whole, explicit)]
    return [
        statement
        for act, statement in judged
        if act is None or (explicit and act not in ("question", "quote"))
    ]


def _judged(clause: Sentence, explicit: bool) -> tuple[Act | None, Statement]:
    act = act_of(clause)
    if act == "question":
        if _states_by_the_way(clause):
            act = None
        elif declared := _declared(clause):
            clause = Sentence.of(declared)
            act = act_of(clause)
    return act, Statement(clause, information(clause), explicit)


# --- clauses -------------------------------------------------------------------------------------

_I = r"(?:i|i'm|i've|i'll|my|we|our|we're|we've|we'll)"
_INDEPENDENT = re.compile(
    r"(?:[,;] | )(?:and|but|so) (?=(?:i|i'm|i've|i'll|we|we're|we've|we'll) \w"
    r"|(?:my|our) (?:\w+ ){1,3}?(?:is|are|was|were|has|have|had|will)\b)|; (?=\w)"
)
_SUBORDINATE = word_set(
    "if when while because since that although though unless until before after whether which who "
    "where wish hope think thought said remember so what how than as"
)
_SUBJECT = re.compile(
    r"(?:(?:yesterday|today|recently|lately|last \w+|this \w+|two \w+ ago),? )?"
    rf"(?:{_I}|i'd|the|this|he|she|they) "
)
_DIGIT = re.compile(r"\d")
_QUOTE = re.compile('["“”„«「『]')


def _clauses(sentence: Sentence) -> list[Sentence]:
    """The independent clauses of a run-on sentence; the sentence itself where it is not clear."""
    text = sentence.text
    clauses: list[Sentence] = []
    start = 0
    if len(text) >= 30 and (not sentence.known.isdisjoint(("and", "but", "so")) or ";" in text):
        for found in _INDEPENDENT.finditer(sentence.lower):
            left = text[start : found.start()]
            if _stands_alone(left) and len(text) - found.end() > 8:
                clauses.append(Sentence.of(f"{left}."))
                start = found.end()
    if not clauses:
        return [sentence]
    return [*clauses, Sentence.of(text[start].upper() + text[start + 1 :])]


def _stands_alone(clause: str) -> bool:
    if len(clause) < 12 or _QUOTE.search(clause):
        return False
    sentence = Sentence.of(clause)
    return _SUBJECT.match(sentence.lower.lstrip()) is not None and sentence.known.isdisjoint(
        _SUBORDINATE
    )


_ASKING = re.compile(
    r"(?:[,;.–-] (?:and |but |so )?|(?<=[\"”]) | and | but | so | - )(?:"
    r"(?=(?:can|could|would|will|do|does|did|is|are|should|have) (?:i|you|we|it|there|that|they|he"
    r"|she)\b)|(?=(?:what|which|who|where|when|why|how|any) )"
    r"|(?=(?:i was|was|i'm|i am) (?:just )?(?:wondering|curious)\b)"
    r"|(?=(?:right|ok|okay|yeah|correct)\?)|(?=(?:isn't|don't|doesn't|aren't|can't) (?:it|you|they"
    r"|that)\b))"
)
_CARRIED = re.compile(
    r"\b(?:considering|given that|given|since|because|as|now that) "
    r"(?=(?:i|i'm|i've|we|we're|we've) )"
)


def _declared(question: Sentence) -> str:
    """The plain clause that a question carries, or nothing."""
    text, lower = question.text, question.lower
    for found in _ASKING.finditer(lower):
        left = text[: found.start()].strip(" ,;-–")
        tag = lower.startswith(("right", "isn't", "don't", "ok", "correct"), found.end())
        opening = Sentence.of(left)
        # "The demo is on Friday, right?" asks; "I moved to Oslo, can you help?" tells.
        if not tag and _SUBJECT.match(opening.lower) and not is_question(opening):
            return f"{left}."
        break
    if "，" in text:
        return _declared_unspaced(text)
    carried = _CARRIED.search(lower)
    if carried and _ASKING.search(lower, carried.end()) is None:
        clause = text[carried.end() :].rstrip("?！？! ")
        return f"{clause[0].upper()}{clause[1:]}."
    return ""


_ASKING_UNSPACED = re.compile("[你您吗呢嗎哪]|什么|什麼|怎么|怎麼|怎样|多少|有没有")


def _declared_unspaced(question: str) -> str:
    """The clauses before the one that asks, where they speak of the speaker."""
    told: list[str] = []
    for clause in question.split("，"):
        if _ASKING_UNSPACED.search(clause):
            break
        told.append(clause)
    left = "，".join(told)
    return f"{left}。" if "我" in left and len(left) >= 5 and len(left) < len(question) else ""


def _states_by_the_way(question: Sentence) -> bool:
    """Whether it tells a fact in passing: "I wonder if the fern, which I got in May, needs sun"."""
    if question.text.rstrip().endswith(("?", "？")):
        if _DIGIT.search(question.text) is None or QUESTION_OPENING.match(question.lower):
            return False
    elif not {"i", "i'm"}.intersection(question.words[:2]):
        return False
    return OWN_RELATIVE_CLAUSE.search(question.lower) is not None


# --- groups --------------------------------------------------------------------------------------

_LEANING = re.compile(
    r"(?:it|it's|it'll|that|that's|this|they|they're|these|those|he|he's|she|she's|which|because"
    r"|them|his|her|their|its)\b"
)
_LONGEST_GROUP = 260


def _leans_on(before: Statement, after: Statement) -> bool:
    return (
        len(before.text) + len(after.text) <= _LONGEST_GROUP
        and _LEANING.match(after.sentence.lower) is not None
    )


def _joined(before: Statement, after: Statement) -> Statement:
    gap = "" if before.text[-1:] in "。！？" else " " if before.text[-1:] in '.!?…"”' else ". "
    return Statement(
        Sentence.of(f"{before.text}{gap}{after.text}"),
        before.information + after.information,
        before.explicit or after.explicit,
    )


def _with_caption(kept: list[Statement], said: list[str], caption: str) -> list[Statement]:
    """The statements with the image's caption on the last one, or alone where there is none."""
    note = f"[image: {caption}]"
    shown = information(Sentence.of(caption))
    if kept:
        last = kept[-1]
        both = Sentence.of(f"{last.text} {note}")
        return [*kept[:-1], Statement(both, last.information + shown / 2, last.explicit)]
    leads = [piece for piece in map(Sentence.of, said) if _leads_to_an_image(piece)]
    return [Statement(Sentence.of(f"{leads[-1].text} {note}" if leads else note), shown)]


def _leads_to_an_image(sentence: Sentence) -> bool:
    """Whether a sentence can introduce an image: "They made this!", but not "See you!"."""
    return not is_question(sentence) and REACTION.match(sentence.lower) is None
