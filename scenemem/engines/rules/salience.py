"""How much a statement matters, from 0 to 1: what it tells, and what its cues ask for.

Information (topic words, names, numbers, dates) carries a statement from 0.2 towards 0.65 along a
curve that flattens, so that length alone never reaches the top. From there cues move it: what
somebody asks to be remembered, health, family, decisions, deadlines up; praise and moods down.
"""

from __future__ import annotations

import math
import re
from typing import Final

from scenemem.base.records import CellType
from scenemem.engines.rules.sentence import Phrases, Sentence

__all__ = ["is_grave", "salience_of"]

_BY_TYPE: Final[dict[CellType, float]] = {
    "decision": 0.14,
    "risk": 0.12,
    "task": 0.10,
    "preference": 0.06,
    "plan": 0.06,
    "fact": 0.0,
}
_GRAVE: Final = Phrases(
    "allergic|allergy|allergies|deadline|diabetes|diabetic|pregnant|died|death|cancer|surgery"
    "|hospital|medication|emergency|important|critical|urgent|married|divorced|engaged|born"
    "|birthday|anniversary|funeral|password|phone number|address|must not|never use|never call"
    "|always use|fired|hired|promoted|diagnosed|injured|accident|vegetarian|vegan|celiac|asthma"
    "|epilepsy|allergisch|alérgico|alérgica|allergique|geburtstag|anniversaire|cumpleaños|аллергия"
    "|умер|умерла",
    "过敏|過敏|アレルギー|生日|誕生日|去世|结婚|結婚|住院|病院",
)
_ABOUT_ONESELF: Final = Phrases(
    "my name|my wife|my husband|my partner|my girlfriend|my boyfriend|my son|my daughter|my mother"
    "|my father|my mom|my mum|my dad|my sister|my brother|my job|my boss|my dog|my cat|my doctor"
    "|i live|i work|i moved|i was born|i study|i'm from|i am from|we live|we moved|i started|i quit"
    "|i got|i bought|i have a|i own|ich wohne|ich arbeite|ich heiße|meine frau|mein mann|j'habite"
    "|je travaille|je m'appelle|vivo en|trabajo|me llamo|меня зовут|я живу|я работаю",
    "我叫|我住|我在|我是|私は|住んで|働いて",
)
_MOOD: Final = Phrases(
    "so glad|so happy|so proud|so excited|feels great|feeling good|means a lot|so much fun"
    "|appreciate|grateful|thankful|awesome|amazing|incredible|totally"
)
_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w-]+")


def is_grave(text: str) -> bool:
    """Whether a statement speaks of health, life and death, deadlines, and the like."""
    return _GRAVE.found_in(Sentence.of(text))


def salience_of(
    sentence: Sentence, cell_type: CellType, information: float, *, explicit: bool, dated: bool
) -> float:
    """The salience of a statement, 0 to 1, rounded to two places.

    `information` is what `speech_acts.information` counts in it; `explicit` tells that it asks to
    be remembered, `dated` that it names a date.
    """
    told = information + 0.6 * len(_NAME.findall(sentence.text)) + (0.8 if dated else 0.0)
    salience = 0.2 + 0.45 * (1 - math.exp(-told / 5)) + _BY_TYPE[cell_type]
    if _GRAVE.found_in(sentence):
        salience += 0.16
    if _ABOUT_ONESELF.found_in(sentence):
        salience += 0.05
    if _MOOD.found_in(sentence):
        salience -= 0.08
    if explicit:
        salience += 0.25
    return round(min(max(salience, 0.05), 1.0), 2)
