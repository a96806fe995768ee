"""A message cut into its statements: what somebody says that is worth remembering.

The text is cut into sentences (never inside a quotation), run-on sentences into their independent
clauses, and every piece is judged by what it does (`act_of`): questions, hypotheticals, somebody
else's words, roles being played, instructions and small talk are dropped; a question gives up the
plain clause it may carry ("I'm moving to Oslo in May, can you help me pack?"). Follow-ups that lean
on the sentence before ("It took all day.") stay with it. Of a machine's message only what it did,
promised or settled is kept (`reported`).

The rules know English best. They look for cues, never for what is missing, so a sentence in a
language they do not know is a statement unless it is a plain question or greeting. Patterns are
matched against `Sentence.lower`: lower case, straight apostrophes. A `…_WORDS` set beside a pattern
holds words without one of which it cannot match, to save most sentences the search.

Figures (LoCoMo R@10, .823 with all; without the part): whole messages as cells .812, every sentence
a cell .812 (and twice the cells), questions kept .812, small talk kept .820, its cues left out
.817, hypotheticals kept .822, fillers kept .821 (summaries hold .38 of the answers' words, not
.40), follow-ups apart .823 (.39), clauses together .822. LongMemEval: instructions kept .903
(.921). MemoryBank: questions give up nothing .984 (.995). Quotes, roles, jokes and a machine's
reports move none: they keep out what is not so, and in what an assistant did.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import Final, Literal

from scenemem.base.languages import phrases
from scenemem.base.talk import caption_off, sentences_of
from scenemem.base.text import is_unspaced, lowered
from scenemem.engines.rules.sentence import Phrases, Sentence, word_set
from scenemem.engines.rules.terms import read_word


@dataclass(slots=True, eq=False)
class Statement:
    """One kept statement, or a tight group of them, as said but for fillers.

    `information` is what `information` counts; `explicit` tells that the speaker asks
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
    if act == "question" and (declared := _declared(clause)):
        clause = Sentence.of(declared)
        act = act_of(clause)
    return act, Statement(clause, information(clause), explicit)


# --- clauses -------------------------------------------------------------------------------------

_SPEAKER_WORD = r"(?:i|i'm|i've|i'll|my|we|our|we're|we've|we'll)"
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
    rf"(?:{_SPEAKER_WORD}|i'd|the|this|he|she|they) "
)
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


# --- what a machine reports ----------------------------------------------------------------------

_LONGEST = 20_000  # characters of an answer that are looked at
_EXPLAINING = 600  # characters from which an answer is taken to explain rather than to report

_DONE = (
    "booked|scheduled|reserved|sent|created|added|updated|ordered|cancell?ed|moved|saved|deployed"
    "|fixed|merged|filed|renamed|removed|deleted|paid|called|emailed|submitted|uploaded|installed"
    "|configured|purchased|bought|rescheduled|finished|registered|enrolled|signed|confirmed"
    "|arranged|transferred|published|released|started|stopped|changed|replaced|switched|migrated"
    "|ran|tested"
)
_ARRANGED = (
    "booked|scheduled|reserved|sent|ordered|cancell?ed|deployed|merged|paid|submitted|rescheduled"
    "|confirmed|saved|moved|renamed|deleted"
)
_NOW = "(?:(?:just|now|already|also|all|successfully) )?"
_OWN: Final = re.compile(
    rf"\b(?:i|we)(?:'ve| have)? {_NOW}(?:{_DONE})\b|\byour [\w' -]{{1,40}}?(?:is|are|has been"
    rf"|have been) {_NOW}(?:{_ARRANGED})\b"
    r"|\b(?:we|you and i)(?:'ve| have)? (?:agreed|decided|settled|chosen|chose|picked)\b"
    r"|\bwe(?:'ll| will) (?:go with|ship|launch|meet|move|switch)\b"
    r"|\bi(?:'ll| will) (?:send|book|call|email|order|schedule|file|deploy|update|write up"
    r"|follow up|cancel|move|pay|ship|prepare|deliver|remind you) "
    r"|\bich habe\b.*\b(?:gebucht|gesendet|bestellt|reserviert|erstellt|geändert|verschickt)\b"
    r"|\bj'ai (?:réservé|envoyé|commandé|créé)\b|\bhe (?:reservado|enviado|pedido|creado)\b"
    r"|\bя (?:забронировал|отправил|заказал|создал)"
    r"|我已经?|已[为為]您|已经为你|予約しました|送信しました"
)
_SPEAKING: Final = (
    " i ", "i've ", "i'll ", "i have ", "i will ", " we ", "we've ", "we'll ", "ich habe", "j'ai ",
    " he reserv", " he enviado", " he pedido", " he creado", "я ", "我", "已", "予約", "送信",
)  # fmt: skip
# Forms that report in a short answer, but as often explain in a long one.
_IN_SHORT: Final = re.compile(
    r"^(?:the|our|everything|it|all|that) ?[\w' -]{0,40}?(?:is|are|was|were|has been|have been) "
    rf"{_NOW}(?:{_ARRANGED})\b|^(?:done[.!:,]? )?(?:{_DONE})(?: (?:the|your|a|an|it|for|on)\b|:)"
    rf"|^done\b[.!:,]|^decision:"
)
_ADVICE: Final = re.compile(
    r"\b(?:you (?:can|could|should|might|may|need|will want)|consider|make sure|it's (?:important"
    r"|recommended|best|worth)|recommend(?:ed)?|typically|usually|often|generally|in general"
    r"|for example|such as|let me know|happy to help|feel free|designed|known|based on|here's"
    r"|here are|since you|as you|because you|given your|you (?:mentioned|said|told)|noted"
    r"|remember)\b|:$|^\*\*|\bif\b"
)


def reported(content: str) -> list[Statement]:
    """The statements of a machine's message that settle something; most messages have none."""
    text = content[:_LONGEST]
    explains = len(text) > _EXPLAINING
    if explains and not _may_settle(lowered(text)):
        return []
    kept: list[Statement] = []
    for raw in sentences_of(text):
        said = Sentence.of(trimmed(raw))
        if _settles(said, explains) and act_of(said) in (None, "small talk"):
            kept.append(Statement(said, information(said)))
    return kept


def _may_settle(lower: str) -> bool:
    """Whether a long answer can settle anything; a cheap look before it is cut into sentences."""
    if not any(person in lower for person in _SPEAKING) and not any(
        f" {word}" in lower for word in _ARRANGED.split("|")
    ):
        return False
    return _OWN.search(lower) is not None


def _settles(said: Sentence, explains: bool) -> bool:
    if not said.words or len(said.text) > 300 or _ADVICE.search(said.lower):
        return False
    if _OWN.search(said.lower):
        return True
    return not explains and _IN_SHORT.search(said.lower) is not None


# --- what a sentence does ------------------------------------------------------------------------

Act = Literal["question", "hypothetical", "quote", "role play", "instruction", "small talk"]

_FIRST_PERSON = word_set("i i'm i've i'd i'll my mine me we we're we've we'll our ours us myself")
_SPEAKER = _FIRST_PERSON - {"me", "us"}
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
    asked = EXPLICIT.found_in(sentence) or EXPLICIT_OPENING.match(sentence.lower)
    # "Remember that you're great" encourages.
    return bool(asked) and sentence.known.isdisjoint(_OTHER_PERSON) and not is_question(sentence)


def is_question(sentence: Sentence) -> bool:
    """Whether the sentence asks something, in any language that marks its questions."""
    return (
        QUESTION_OPENING.match(sentence.lower) is not None
        or QUESTION_END.search(sentence.text, max(0, len(sentence.text) - 12)) is not None
    )


def opens_a_role(sentence: Sentence) -> bool:
    """Whether what follows is said in a role or a game ("Pretend I'm a pirate.")."""
    may = not sentence.known.isdisjoint(ROLE_WORDS) or not sentence.text.isascii()
    if not may and not sentence.lower.startswith(("be ", "you be ")):
        return False
    return ROLE_PLAY.search(sentence.lower) is not None


def opens_a_payload(sentence: Sentence) -> bool:
    """Whether what follows is text to work on, not something said ("Translate this: …")."""
    return PAYLOAD.match(sentence.lower) is not None


def act_of(sentence: Sentence) -> Act | None:
    """What `sentence` is, None for a statement."""
    if is_question(sentence):
        return "question"
    if _is_unreal(sentence):
        return "hypothetical"
    if _is_quote(sentence):
        return "quote"
    known, lower = sentence.known, sentence.lower
    if not known.isdisjoint(IN_A_ROLE_WORDS) and IN_A_ROLE.search(lower):
        return "role play"
    if known.isdisjoint(_SPEAKER) and INSTRUCTION.match(lower):
        return "instruction"
    return "small talk" if _is_small_talk(sentence) else None


def _is_unreal(sentence: Sentence) -> bool:
    known = sentence.known
    if not known.isdisjoint(UNREAL_WORDS) and UNREAL.search(sentence.lower):
        return True
    if sentence.words and UNREAL_OPENING.match(sentence.lower):
        return True
    if "have" in known and UNREAL_PAST.search(sentence.lower):
        return True
    if sentence.text.isascii() and known.isdisjoint(UNREAL_ABROAD_WORDS):
        return False
    return UNREAL_ABROAD.search(sentence.lower) is not None


def _is_quote(sentence: Sentence) -> bool:
    lower = sentence.lower
    if '"' not in lower and " '" not in lower and lower[:1] != "'" and lower.isascii():
        return False
    quoted = [q.group() for q in QUOTATION.finditer(lower) if SELF_INSIDE.search(q.group())]
    return bool(quoted) and (
        max(map(len, quoted)) > 0.8 * len(lower) or REPORTED.search(lower) is not None
    )


def _is_small_talk(sentence: Sentence) -> bool:
    words = sentence.words
    if _LETTER.search(sentence.text) is None:
        return True
    if len(words) <= 3 and sentence.line.strip() in FOREIGN_SMALL_TALK:
        return True
    if not sentence.text.isascii() and FOREIGN_COURTESY.match(sentence.text):
        return True
    own = _is_own(sentence)
    enough = _ENOUGH_OWN if own else _ENOUGH
    if CONVERSING.match(sentence.lower):
        enough = _ENOUGH_REACTION
    elif REACTION.match(sentence.lower) or (not own and GUESS in sentence.line):
        enough = _ENOUGH_OWN_REACTION if own else _ENOUGH_REACTION
    elif SECOND_PERSON.match(sentence.lower):
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
        bool(sentence.words) and sentence.words[0] in SUBJECT_DROPPED
    )


def information(sentence: Sentence) -> float:
    """How much it tells: about one for each word that carries a topic, for numbers, for dates."""
    if sentence.told is not None:
        return sentence.told
    total = 0.3 if _is_own(sentence) else 0.0
    total += fsum(map(_weight, sentence.known))  # whatever the order of the set
    if not sentence.text.isascii() and is_unspaced(sentence.text):
        # There a "word" is a run of many; its length tells more than that it is one.
        total += min(max(len(sentence.text) - 5, 0) / 6, 5.0)
    if _DIGIT.search(sentence.text):
        total += 1.0
    if not sentence.known.isdisjoint(DATED):
        total += 0.8
    sentence.told = total
    return total


# --- fillers -------------------------------------------------------------------------------------

_FILLER = (
    r"(?:oh|wow|aww?|well|so|anyways?|(?:oh,? )?(?:and )?by the way|oh,? and|yum|btw|yeah|yep|yup"
    r"|hey|hi|hello|hiya|haha|lol|hmm|um|uh|ok|okay|alright|you know|i mean|honestly|to be honest"
    r"|actually|speaking of which|thanks|thank you|sure|of course|absolutely|definitely|totally"
    r"|true|right|no worries|man|dude|gosh|oh my gosh|omg|and|but|also|mmm|ah|woah|whoa|phew|great"
    r"|awesome|cool)"
)
_STOP_MARK = r"[,!.…–—]+"
_ENDING = re.compile(r"[,;]? ?\b(?:haha|hehe|lol|lmao)[.!]*$|\s*(?::\)|:D|;\))+$", re.I)
_LOOSE = " \t\r\n,;–—-"


@lru_cache(maxsize=256)
def _patterns(addressee: str | None) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """What is cut off before a statement, and the addressee's name as it stands behind one."""
    greeting = (
        r"(?:(?:hey|hi|hello|hiya|thanks|thank you|congrats|good morning),? (?-i:[A-Z][a-z]+)"
        r"|(?:wow|aww?|nice|cool|great|awesome),? (?-i:[A-Z][a-z]+)(?=[!.]))"
    )
    if not addressee:
        return re.compile(rf"(?i:(?:(?:{greeting}|{_FILLER}){_STOP_MARK}\s*){{1,4}}(?=\S|$))"), None
    # By the name or a short form of it: "Thanks, Mel! …" to Melanie.
    name = rf"{re.escape(addressee[:2])}[^\W\d_]{{0,{len(addressee)}}}"
    opening = (
        rf"(?i:(?:(?:(?:{greeting}|{_FILLER}(?:,? {name})?){_STOP_MARK}"
        rf"|{name}{_STOP_MARK})\s*){{1,4}}(?=\S|$))"
    )
    return re.compile(opening), re.compile(rf"(?i:(?:^|, ){name}(?=[.!]*$))")


def trimmed(clause: str, addressee: str | None = None) -> str:
    """`clause` without fillers at its ends and without the addressee's name.

    What is left begins with a capital letter where something was cut off before it.
    """
    text = clause.strip(_LOOSE)
    opening, name = _patterns(addressee)
    found = opening.match(text)
    if found:
        text = text[found.end() :]
    if text[-3:].lower().rstrip(".!").endswith(("a", "e", "l", "o", ")", "d")):
        text = _ENDING.sub("", text)
    if name is not None:
        text = name.sub("", text, count=1)
    return text[0].upper() + text[1:] if text[:1].islower() and found else text


# --- what asks to be remembered ------------------------------------------------------------------

# Words without one of which, in lower case, no opening can stand.
_HINTS: Final = (
    "remember", "memori", "mind", "note", "forget", "jot", "write", "merk", "notier", "vergiss",
    "souviens", "rappelle", "retiens", "oublie", "recuerda", "olvides", "anota", "apunta",
)  # fmt: skip
_SO = r"(?: (?:short|long)[- ]term)?(?: (?:also|too|please|for me|for later))*"
_WITH_COLON = (
    rf"remember{_SO}(?: this| the following)?|memori[sz]e(?: this)?|(?:keep|bear)(?: this)? in mind"
    r"|don't forget(?: this)?|do not forget(?: this)?|(?:please )?note(?: down| to self)?"
    r"|jot(?: (?:it|this))?(?: down)?|write(?: (?:it|this))? down"
    r"|(?:make|take|add|write)(?: me)? (?:a |another )?(?:quick )?note"
    r"|merke? dir(?: bitte)?|notiere?(?: dir)?(?: bitte)?|vergiss(?: bitte)? nicht"
    r"|souviens-toi|rappelle-toi|retiens|note[zr]?|n'oublie pas"
    r"|recuerda|no olvides|anota|apunta"
)
_WITH_THAT = (
    rf"remember{_SO}|memori[sz]e|(?:keep|bear) in mind|don't forget|do not forget"
    r"|don't let me forget|note(?: down)?|jot(?: it)?(?: down)?|write(?: it)? down"
    r"|(?:make|take)(?: me)? (?:a )?note"
)
_WITH_QUE = (
    r"souviens-toi|rappelle-toi|retiens|note[zr]?|n'oublie pas"
    r"|recuerda|no olvides|anota|apunta|ten en cuenta"
)
_FRAME: Final = re.compile(
    r"(?:(?:and|also|so|ok(?:ay)?|please|kindly|bitte|por favor|s'il te plaît)[,!]? ){0,3}(?:"
    rf"(?:{_WITH_COLON}): ?(?=\S)"
    # "Remember that time …" reminisces, "remember that is wrong" points at something.
    rf"|(?:{_WITH_THAT}),? that,? (?!(?:time|day|night|summer|winter|year|week|guy|girl|man|woman"
    r"|movie|film|song|place|trip|one|is|was|are|were|will|can|has|had|you|your|you're)\b)"
    rf"|(?:{_WITH_QUE}) (?:que |qu')"
    r"|jot down (?!as\b|(?:this|that|it)\b)"
    r"|remember,? (?=(?:my|our) [^,;:?]{1,60} (?:is|are) |i(?:'m|'ve| am| have) ))"
)
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]+(?='?[^\W_]*(?:\s|$))")


def unframed(text: str, lower: str) -> str:
    """`text` without such an opening; `lower` is it in lower case, as long, apostrophes straight.

    What is left begins with a capital letter.
    """
    if not any(map(lower[:60].__contains__, _HINTS)):
        return text
    found = _FRAME.match(lower)
    rest = text[found.end() :].lstrip() if found else ""
    if len(rest.split()) < 2 and not (rest and not rest.isascii()):
        return text
    word = _PLAIN_WORD.match(rest)
    # "iPhone", "gpt-4" are written as they are.
    return f"{rest[0].upper()}{rest[1:]}" if word and word.group().islower() else rest


# --- cues ----------------------------------------------------------------------------------------

# What may stand before the words that decide.
_LEAD_IN = (
    r"(?:(?:so|and|but|ok|okay|hey|hi|hello|please|also|well|now|then|oh|um|sure|great|thanks|yeah"
    r"|yes|no|wow|aww|haha)[,.!]* ){0,3}"
)


def _opening(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD_IN}(?:{'|'.join(alternatives)})")


def _anywhere(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


# --- questions -----------------------------------------------------------------------------------

QUESTION_END: Final = re.compile(
    r"[?？؟⁇][\s!?？！\"'”’)\]»」』*~.\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*$|[吗嗎][。.!！]?$"
)
_SOMEBODY = r"(?:i|you|we|they|he|she|it|this|that|anyone|someone|anybody|somebody)"
QUESTION_OPENING: Final = _opening(
    rf"(?:do|does|did|have|has) {_SOMEBODY}\b(?!')",
    r"(?:is|are|was|were|am|can|could|will|would|should|shall|may) "
    rf"(?:{_SOMEBODY}|there|these|those|my|your|our)\b(?!')",
    r"(?:isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't) "
    r"(?:you|it|that|there|we|they)\b",
    r"(?:what|which|who|whose|where|when|why|how) (?:is|are|was|were|do|does|did|should|would|can"
    r"|could|will|much|many|about|to|kinds?|types?|come|long|often|far|old|else)\b",
    r"(?:what|how|where|who)'(?:s|re|d) (?!more\b|great\b|important\b|worse\b)",
    r"any (?:\w+ )?(?:ideas?|tips|suggestions?|advice|recommendations?|thoughts|plans|news)\b",
    r"i(?:'m| am| was)? (?:just |also )?(?:wonder|wondering|curious|want to know"
    r"|would like to know)\b",
    r"let me know|tell me (?:about|more|how|what|why|when|where|who|if|whether|a|an|the)\b",
)


# --- asking to be remembered ---------------------------------------------------------------------

EXPLICIT: Final = Phrases.of_section("remember")
EXPLICIT_OPENING: Final = re.compile(
    r"(?:please |and |also |ok(?:ay)?,? )*(?:remember|note|reminder)(?: ?[:,]| i\b| the\b| we\b)"
)


# --- roles, jokes, text to work on ---------------------------------------------------------------

ROLE_PLAY: Final = _anywhere(
    r"(?:^|[,;:] |\b(?:let's|us|we|please|and|you|to) )(?:just )?pretend(?:ing)?\b(?! to be busy)",
    r"\blet's (?:imagine|play a game|say i'm|make believe)\b|^make believe\b|\bin character\b",
    r"(?:^|let's |let's do (?:a|some) |do (?:a|some) |please )role[ -]?play(?:ing)?\b(?! (?:game"
    r"|group))",
    r"(?:^|, |please |let's |now )imagine (?:that )?(?:i|i'm|we|we're|you|you're|my|being|yourself"
    r"|a world)\b",
    r"(?:^|please |you |to )act (?:as|like) (?:if|an?|though|my|the|i'm|you're|i|you)\b",
    r"(?:^|please |you |to )play the (?:role|part) of\b|\bspeak (?:to me )?like an?\b",
    r"\byou are now an?\b|^from now on,? you(?:'re| are)\b|^you be (?:the|an?|my)\b",
    r"^you(?:'re| are) an? (?:[\w-]+ ){1,4}(?:named|called)\b|^be (?:my|an?|the) [\w ]{2,30}[:,.]",
    r"\bstell dir vor, (?:du|ich)\b|\btu so,? als\b|\bfais comme si\b|\bimagine que (?:je|tu)\b",
    r"\bimagina que\b|\bпредставь,? что\b|(?:^|[，。])(?:假装|假裝|扮演|想象)|ふりをして",
)
ROLE_WORDS: Final = word_set(
    "pretend pretending imagine role roleplay act speak character game believe say now named "
    "called stell tu fais imagina представь"
)
IN_A_ROLE: Final = _anywhere(
    r"\bin (?:this|our|the|my) (?:story|game|role-?play|novel|campaign|scenario|fantasy|dream"
    r"|script|play|movie|skit),? (?:i|i'm|my)\b",
    r"\bi(?:'m| am) playing (?:the role|a character|the part)\b",
    r"\bmy (?:character|persona|avatar|alter ego)(?:'s name)? (?:is|has|lives|was|will|would)\b",
    r"\bi dream(?:ed|t) (?:that )?i\b|^as a joke\b",
    r"\b(?:just kidding|only joking|just joking|i'm kidding|i'm joking)\b|\bjk[.!]*$",
)
IN_A_ROLE_WORDS: Final = word_set(
    "story game roleplay role novel campaign scenario fantasy dream script play movie skit playing "
    "character persona avatar alter dreamed dreamt kidding joking jk joke"
)
# "Just kidding!": takes back what was said before it.
TAKING_BACK: Final = re.compile(
    r"(?:no,? |haha,? |ok,? )*(?:just kidding|only joking|just joking|i'm kidding|i'm joking"
    r"|jk)[.!]*$"
)
_WORKING = (
    r"(?:translate|rewrite|re-write|proofread|summari[sz]e|paraphrase|correct|edit|improve|fix"
    r"|debug|review|explain|analy[sz]e|shorten|rephrase|continue|complete|classify|turn|convert)"
)
_PIECE = (
    r"(?:story|poem|song|script|dialogue|monologue|essay|lyrics|novel|scene|speech|letter|email"
    r"|tweet"
    r"|post|message|caption|headline|slogan|bio|biography|reply|review|blog|article|paragraph|joke"
    r"|toast)"
)
PAYLOAD: Final = _opening(
    rf"(?:(?:can|could|would|will) you )?(?:please )?(?:help me )?{_WORKING}\b"
    r"(?:[^.!?]{0,80}[:：]| [\"“„«]"
    r"|[^.!?]{0,60}\b(?:this|the following|these|below)\b(?! (?:week|month|year)))",
    r"(?:write|compose|draft|generate|create) (?:me )?(?:a|an|the|some)\b"
    rf"[^.!?]{{0,120}}{_PIECE}\b",
    r"(?:übersetze|traduis|traduce|переведи)\b[^.!?]{0,60}:|(?:请)?翻译",
)
INSTRUCTION: Final = _opening(
    r"(?:compose|generate|explain|describe|summari[sz]e|translate|rewrite|suggest|recommend"
    r"|calculate"
    r"|compute|convert|provide|compare|analy[sz]e|debug|implement|proofread|define|brainstorm"
    r"|outline"
    r"|elaborate)\b",
    # Verbs that are nouns as well: "List price is 400 euros."
    r"(?:write|draft|give|show|tell|list|draw|continue|answer|code|help|look up|search|rank|solve"
    r"|expand) (?:me|us|an?|the|how|why|what|who|which|this|that|these|those|some|all|every|each"
    r"|any"
    r"|more|your|it|them|for|about|on|with|\d+|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|several|both|out)\b",
    r"(?:schreib|schreibe|erkläre|écris|explique|escribe|explica|напиши|объясни)\b",
    r"(?:create|make|find|design|build|plan) me\b|(?:帮我|请帮我)?(?:写|解释)(?:一|下|个)",
)


# --- what is not so ------------------------------------------------------------------------------

_SELF = r"(?:i|i'm|i've|i'd|we|we're|you|you're|my|our)"
_HEDGE = r"\b(?:would|wouldn't|could|couldn't|might|may|\w+'d|will|won't|\w+'ll|should)\b"
# "I don't know if I may park there" asks, it supposes nothing.
_IF = r"(?<!know )(?<!knows )(?<!see )(?<!sure )(?<!wonder )\bif"
UNREAL: Final = _anywhere(
    rf"{_IF} {_SELF}(?= )[^.!?]*?{_HEDGE}",
    rf"{_HEDGE}[^.!?]*?{_IF} {_SELF} ",
    r"\bif \w+(?: \w+)? (?:were|was|had|could)\b[^.!?]*?\b(?:would|wouldn't|could|might|\w+'d)\b",
    r"\b(?:would|could|might)\b[^.!?]*\bif \w+(?: \w+)? (?:were|was|had)\b",
    r"\b(?:i'd|i would|i might)\b[^.!?]*?\bif\b|\bwhat if\b|\bif only\b|\bas if (?:i|we)\b",
    r"\bunless (?:i|we)\b[^.!?]*?\b(?:would|will|\w+'ll|\w+'d)\b|\bif i (?:ever|were|was to|had)\b",
    r"\b(?:hypothetically|theoretically|in theory|in another life|in a parallel universe"
    r"|in an alternate|in (?:a|this) hypothetical|for (?:the|this) (?:sake|exercise|purpose))\b",
    r"(?:\bi |^)wish (?:that )?(?:i|we|my \w+) (?:\w+ed|had|was|were|could|knew|lived|owned|spoke"
    r"|didn't"
    r"|wasn't|weren't|hadn't|would)\b",
)
UNREAL_WORDS: Final = word_set(
    "if unless hypothetically hypothetical theoretically theory life universe alternate wish sake "
    "exercise purpose"
)
UNREAL_OPENING: Final = re.compile(
    r"(?:but |and |so |just |now |then )*(?:(?:suppose|supposing|say|let's say|assume|assuming"
    r"|let's assume|picture)(?: for (?:a moment|now|a second))?(?: that)? (?:i|i'm|we|we're|you"
    r"|my)\b|(?:had|were|should) (?:i|we)\b"
    r"|had \w+ known\b|would that\b)"
)
UNREAL_PAST: Final = re.compile(
    r"\bi (?:could|would|might|should) have (?:\w+ly )?(?:been|\w+ed|known|gone|done|seen|taken|had"
    r"|made|said|bought|come|left|told|got|gotten|given|found|chosen|become|won|lost|thought"
    r"|written|eaten|met|paid)\b|\bi'd have\b"
)
UNREAL_ABROAD: Final = _anywhere(
    r"(?:如果|假如|要是|假设|假設|若)我|もし(?:も)?、?(?:私|僕|俺)|\bесли бы\b",
    r"\bwenn ich\b[^.!?]*\b(?:würde|wäre|hätte|könnte)\b",
    r"\b(?:würde|wäre|hätte)\b[^.!?]*\bwenn ich\b|^(?:wäre|hätte|würde|könnte) ich\b",
    r"\bsi j(?:'|e )(?:étais|avais|habitais|vivais|pouvais)\b",
    r"\bsi (?:yo )?(?:fuera|tuviera|viviera|pudiera)\b",
)
UNREAL_ABROAD_WORDS: Final = frozenset(phrases("unreal words"))


# --- somebody else's words -----------------------------------------------------------------------

_I = r"(?:i|i'm|i've|i'll|i'd|my|me|we|we're|our|ich|mein|meine|je|j'\w+|mon|ma|yo|mi|я|мой|моя)"
# One quotation, from its opening to its closing mark; single quotes only where they open with an I.
QUOTATION: Final = _anywhere(
    r"\"[^\"]*(?:\"|$)|[“„][^“”]*(?:[”“]|$)|«[^»]*(?:»|$)|[「『][^」』]*(?:[」』]|$)",
    rf"(?<!\w)['‘](?={_I}(?!\w))[^\n]+?['](?!\w)",
)
SELF_INSIDE: Final = re.compile(rf"(?<!\w){_I}(?!\w)|[我私僕俺]")
REPORTED: Final = _anywhere(
    r"(?<!\bi )(?<!\bwe )(?<!\bi just )\b(?:said|says|told|tells|asked|goes|replied|answered"
    r"|shouted|wrote|texted|yelled|whispered|claims|claimed|saying|was like|is like|were like"
    r"|announced|mumbled|joked|sang|reads|screamed|insisted|admitted|lyrics?|quote|quoted"
    r"|according to|used to say)\b",
    r"\b(?:sagte|meinte|sagt|schrieb|dit|dijo|dice|сказал|сказала|говорит|написал|написала)\b",
    r"[说說道]|言",
)


# --- small talk ----------------------------------------------------------------------------------

REACTION: Final = _opening(
    r"(?:wow|aww?|congrat\w*|thanks|thank you|cheers|yay|haha|lol|good luck|great job|well done"
    r"|way to go|nice|awesome|cool|amazing|incredible|sounds|looks|glad|happy (?:to|for)"
    r"|so (?:glad|happy|proud|cool|sweet|sorry)|sorry to)\b",
    r"i(?:'m| am) (?:so |really |very )?(?:glad|happy|proud|sorry|sure|rooting|impressed)\b",
    r"that(?:'s| is| was| sounds| looks| must)\b|this (?:is|looks|sounds)\b|what an?\b",
    r"it(?:'s| is) (?:great|awesome|amazing|so|really|nice|cool)\b",
    r"it(?:'s| is| was) (?:good|great|nice|lovely) to\b|it(?:'s| has) been (?:a while|ages"
    r"|too long)\b",
    r"how (?:cool|nice|sweet|lovely|amazing|great|exciting|fun)\b",
    r"can't wait (?:to|for)\b|looking forward to (?:hear|see)|keep (?:it|up|going|me)\b",
    r"(?:take care|have (?:a|an|fun)|enjoy|hope (?:you|it|to hear)|i hope|best of luck"
    r"|no (?:worries|problem|doubt)|let's (?:catch|chat|talk|keep)|talk (?:to you )?soon|see you"
    r"|bye|later|welcome|great to|good to|nice to|long time no (?:see|talk|chat|speak))\b",
    r"i (?:totally |completely |really |definitely |can )?"
    r"(?:agree|appreciate|understand|bet|hear you|imagine|love (?:that|how))\b",
    r"as an ai\b|how can i\b",
)
# "That must be fun": about what the other one told.
GUESS: Final = " must "
SECOND_PERSON: Final = _opening(
    r"(?:you|your|you(?:'re|'ve|'ll|'d)|y'all)\b(?! (?:told|said|mentioned|promised|asked"
    r"|recommended|suggested|gave|lent|owe|sent|showed|need to))"
)
# Courtesies towards the answers of an assistant, and interest in more of them.
CONVERSING: Final = _opening(
    r"i(?:'d| would)? (?:really )?(?:like|love|want) to (?:ask|know|hear|learn more|understand"
    r"|see more)\b",
    r"i(?:'ll| will| think i'll) (?:definitely |be sure to |make sure to |also |certainly )?"
    r"(?:take a look|check (?:out )?|try|keep|look into|give|consider|take|use|do|follow"
    r"|start with)"
    r"(?: at| into)? ?(?:some of |all )?"
    r"(?:those|these|that|them|it|your|the (?:tips|advice|suggestions))\b",
    r"i(?:'m| am) (?:also |really )?(?:excited|eager|interested|looking forward) (?:to|in) "
    r"(?:hear|learn|know|see)\w*",
    r"i have (?:another|a few more|one more|a) questions?|that (?:makes sense|helps)",
)
FOREIGN_SMALL_TALK: Final = frozenset(phrases("small talk"))
# Greetings, thanks and yeses of whole sentences, where a list of phrases would be too long.
FOREIGN_COURTESY: Final = re.compile(
    r"(?:(?:你好|您好|嗨|哈喽|早上好|晚上好)[呀啊]?[，,！! ]*(?:我的)?(?:朋友|伴侣)?"
    r"|(?:好的?|嗯+|哦|是的|明白了?|没问题)?[呀啊吧]?[，, ]*(?:我的)?(?:朋友)?[，, ]*"
    r"(?:非常|太|真的?很?)?(?:谢谢|感谢|多谢)(?:[你您][^，,。！!]{0,8})?|(?:好的?|嗯+|是的|没问题|不客气|当然|再见|晚安)[，,呀啊吧了]*"
    r"|(?:どうも)?ありがとう[^。！、]{0,6}|(?:お)?元気です)[。！!～~]*$"
)
# Words that date a statement; a dated word is worth keeping.
DATED: Final = frozenset(phrases("dated words"))
# First words of statements whose "I" is left out: "Just started a course.", "Been to Rome twice."
SUBJECT_DROPPED: Final = word_set(
    "just been gonna got love loved went still never finally can't started made took had saw tried "
    "bought working planning trying moved met found read watched finished haven't hadn't prefer "
    "hate always don't"
)
