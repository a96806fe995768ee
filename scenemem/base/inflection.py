"""Other forms of a word that the index's stemmer does not bring together with it.

English irregular verbs and nouns; Hebrew and Arabic words with and without a glued prefix; the
open ending of an inflected Cyrillic or Greek word. Each rule looks at one script or language only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["attached_forms", "open_ending", "other_forms"]

# Families, divided by bars; regular forms are the stemmer's business.
_FAMILIES: Final = """
be was were been | become became | begin began begun | bite bit bitten | blow blew blown | break
broke broken | bring brought | build built | burn burnt | buy bought | catch caught | choose
chose chosen | come came | deal dealt | dig dug | draw drew drawn | dream dreamt | drink drank
drunk | drive drove driven | eat ate eaten | fall fell fallen | feed fed | feel felt | fight
fought | find found | flee fled | fly flew flown | forget forgot forgotten | freeze froze frozen
| get got gotten | give gave given | go went gone | grow grew grown | hang hung | hear heard |
hide hid hidden | hold held | keep kept | know knew known | lead led | learn learnt | leave left
| lend lent | lie lay lain | light lit | lose lost | make made | mean meant | meet met | pay
paid | ride rode ridden | ring rang rung | rise rose risen | run ran | say said | see saw seen |
seek sought | sell sold | send sent | sew sewn | shake shook shaken | shine shone | shoot shot |
show shown | sing sang sung | sink sank sunk | sit sat | sleep slept | speak spoke spoken |
spend spent | spring sprang | stand stood | steal stole stolen | stick stuck | strike struck |
swear swore sworn | sweep swept | swim swam swum | swing swung | take took taken | teach taught
| tear tore torn | tell told | think thought | throw threw thrown | understand understood | wake
woke woken | wear wore worn | weave wove woven | win won | write wrote written | child children
| man men | woman women | foot feet | tooth teeth | mouse mice | goose geese | person people |
life lives | wife wives | knife knives | leaf leaves | shelf shelves | loaf loaves | half halves
"""


@cache
def other_forms(word: str) -> tuple[str, ...]:
    """The other forms of an irregular English word in lower case: go -> went, gone."""
    bases = [word]
    if word.endswith("ing"):
        bases += [word[:-3] + "e", word[:-3]]
    for base in bases:
        if base not in _FAMILIES:
            continue
        for family in map(str.split, _FAMILIES.split("|")):
            if base in family:
                return tuple(form for form in family if form != base)
    return ()


_HEBREW: Final = re.compile(r"[\u05d0-\u05ea]{3,}")
_ARABIC: Final = re.compile(r"[\u0620-\u064a]{3,}")
_HEBREW_PREFIXES: Final = ("ב", "ה", "ל", "מ", "ש", "ו", "כ")
_ARABIC_PREFIXES: Final = ("ال", "وال", "بال", "لل", "و", "ب", "ل")


def attached_forms(word: str) -> tuple[str, ...]:
    """The same Hebrew or Arabic word with other glued prefixes, or without its own."""
    if _HEBREW.fullmatch(word):
        prefixes = _HEBREW_PREFIXES
    elif _ARABIC.fullmatch(word):
        prefixes = _ARABIC_PREFIXES
    else:
        return ()
    bare = [word[len(p) :] for p in prefixes if word.startswith(p) and len(word) - len(p) >= 3]
    stems = [word, *bare]
    glued = (p + stem for stem in stems for p in prefixes if not stem.startswith(p))
    return tuple(dict.fromkeys([*bare, *glued]))


_INFLECTED: Final = re.compile(r"[\u0370-\u03ff\u0400-\u04ff]+")


def open_ending(word: str) -> str | None:
    """The beginning that the forms of a Cyrillic or Greek word share; None for short words."""
    if len(word) < 5 or not _INFLECTED.fullmatch(word):
        return None
    return word[: max(4, len(word) - (2 if len(word) >= 7 else 1))]
