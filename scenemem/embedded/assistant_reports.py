"""What a machine assistant's message settles: things done, promised, decided or confirmed.

Its advice, explanations and courtesies are no memory of the person's; nor is what it repeats of
what it was told ("Since you avoid peanuts, …").
"""

from __future__ import annotations

import re
from typing import Final

from scenemem.embedded.readable_text import sentences_of
from scenemem.embedded.sentence import Sentence
from scenemem.embedded.speech_acts import act_of, information
from scenemem.embedded.statements import Statement
from scenemem.embedded.trimming import trimmed

__all__ = ["reported"]

_DONE = (
    r"booked|scheduled|reserved|sent|created|added|updated|ordered|cancell?ed|moved|set|saved|deployed|fixed|merged|filed|"
    r"renamed|removed|deleted|paid|called|emailed|submitted|uploaded|installed|configured|purchased|bought|rescheduled|"
    r"completed|finished|registered|enrolled|signed|confirmed|arranged|transferred|published|released|started|stopped|"
    r"changed|replaced|switched|migrated|wrote|written|built|ran|tested|found"
)
_SETTLED: Final = re.compile(
    (
        rf"\b(?:i|we)(?:'ve| have)? (?:just |now |already |also |successfully )?(?:{_DONE})\b"
        rf"|\b(?:is|are|was|were|has been|have been) (?:now |all |already |successfully )?(?:{_DONE})\b"
        rf"|^(?:done[.!:,]? )?(?:{_DONE})\b(?: (?:the|your|a|an|it|for|on)|:)"
        r"|\b(?:we|you and i)(?:'ve| have)? (?:agreed|decided|settled|chosen|chose|picked)\b|^decision:|\bwe(?:'ll| will) (?:use|go with|ship|launch|meet|move|switch)\b"
        r"|\bi(?:'ll| will) (?:send|book|call|email|order|schedule|remind|file|deploy|update|write up|follow up|cancel|move|pay|ship|prepare|deliver)\b"
        r"|\bich habe\b.*\b(?:gebucht|gesendet|bestellt|reserviert|erstellt|geändert)\b|\bj'ai (?:réservé|envoyé|commandé|créé)\b"
        r"|\bhe (?:reservado|enviado|pedido|creado)\b|\bя (?:забронировал|отправил|заказал|создал)|我已经?|已为您|已经为你|予約しました|送信しました"
    ).replace("'", "['’]"),
    re.IGNORECASE,
)
_ADVICE: Final = re.compile(
    r"\b(?:you (?:can|could|should|might|may|need|will want)|consider|make sure|it['’]s (?:important|recommended|best)|recommend|"
    r"typically|usually|often|generally|in general|for example|such as|let me know|happy to help|feel free|designed|known|based on|"
    r"since you|as you|because you|you (?:mentioned|said|told)|noted|remember)\b",
    re.IGNORECASE,
)
_LONGEST = 20_000  # characters of an answer that are looked at


def reported(content: str) -> list[Statement]:
    """The statements of a machine's message that settle something; most messages have none."""
    text = content[:_LONGEST]
    if _SETTLED.search(text) is None:
        return []
    kept: list[Statement] = []
    for sentence in sentences_of(text):
        if len(sentence) > 300 or _SETTLED.search(sentence) is None or _ADVICE.search(sentence):
            continue
        said = Sentence.of(trimmed(sentence))
        if act_of(said) in (None, "small talk"):
            kept.append(Statement(said, information(said)))
    return kept
