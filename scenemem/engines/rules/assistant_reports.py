"""What a machine assistant's message settles: things done, promised, decided or confirmed.

Its advice, explanations and courtesies are no memory of the person's; nor is what it repeats of
what it was told ("Since you avoid peanuts, …").
"""

from __future__ import annotations

import re
from typing import Final

from scenemem.base.text import lowered
from scenemem.engines.rules.readable_text import sentences_of
from scenemem.engines.rules.sentence import Sentence
from scenemem.engines.rules.speech_acts import act_of, information
from scenemem.engines.rules.statements import Statement
from scenemem.engines.rules.trimming import trimmed

__all__ = ["reported"]

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
