"""Words and patterns by which `voice.py` tells sure sentences from unsure ones."""

from __future__ import annotations

import re
from typing import Final

from scenemem.engines.rules.sentence import word_set

IMAGE: Final = re.compile(r"\s*\[image: [^\]]*\]\s*$")
MARKS: Final = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "…": "."})
EMOJI: Final = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
UNSURE: Final = re.compile(
    r"[?\"“”;:*#<>{}|`/]|\.\.|--|\b(?:ya|[Ii]'d(?! (?:really |also |still )?(?:love|like|prefer"
    r"|rather)\b)|you know|i mean|long time no|i guess|i swear|let me|let's|ain't|gotta|'em|y'all"
    r"|lol|haha|wow|oh"
    r"|hey|yes|no,|nope|yeah|yep|thanks|thank you|congrat\w*|please|here's|here is|here are"
    r"|here it|myself|as for|speaking of|btw|by the way|dude|man,|buddy|pal"
    r"|i and|me and|me,|me too|so do i|neither do i|omg|u|ur)(?!\w)",
    re.IGNORECASE,
)
RELATIVE_DAY: Final = re.compile(
    r"\b(?:(?P<preposition>for|by|until|till|from|since|before|after|of) )?(?:yesterday|today"
    r"|tonight|tomorrow|last night|this (?:morning|afternoon|evening)"
    r"|the day (?:before yesterday|after tomorrow)|(?:last|this|next|on) (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)day|on the \d{1,2}(?:st|nd|rd|th))"
    r" \((?P<date>\d{1,2} [A-Z][a-z]+ \d{4})\)",
    re.IGNORECASE,
)
# "Tomorrow's going to be fun" with its date put in.
DATE_WITH_VERB: Final = re.compile(r"\d{4}\)?'s\b")
SPELLED_OUT: Final = (
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
TOGETHER: Final = re.compile(r"My (?P<who>(?:[a-z-]+ )?[a-z-]+) and I (?=[a-z]+ )")
SELF: Final = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|you|your|it|them|they|this|that)\b", re.IGNORECASE
)
# Tails that only cheer: "… - so exciting!"
CHEER: Final = re.compile(
    r"(?: - |, )(?:so|such|really|it's|it was|it is|what|how|pretty|super|totally|love|loved|can't"
    r"|definitely|and it was so|and it's so)\b[^,-]*$",
    re.I,
)
ADVERBS: Final = word_set(
    "also just still always never often usually sometimes even only now already ever soon once "
    "mostly rarely seldom almost both all currently"
)
NO_ADVERBS: Final = word_set("rely apply reply supply fly multiply comply ally family")
INVERTING: Final = word_set(
    "am was do did does have had has can could will would should might must are were and or than "
    "nor like"
)
UNCHANGED: Final = word_set(
    "was wasn't can can't cannot could couldn't will won't would wouldn't should shouldn't might "
    "must may didn't hadn't did had used"
)
AGREEING: Final = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't",
}  # fmt: skip
SAME_IN_PAST: Final = word_set(
    "put cut hit let set cost hurt quit spread beat shut bet split upset read burst cast shed rid"
)
ADDRESSED: Final = word_set(
    "told showed gave sent with to for from about saw met miss missed visit visited help helped "
    "invited asked tell show give send thank"
)
FINITE: Final = word_set(
    "is isn't are aren't was wasn't were weren't has hasn't have haven't had will won't can can't "
    "could does doesn't do don't did didn't would should it's that's there's he's she's they're "
    "they've"
)
NO_SUBJECT: Final = word_set(
    "been super always just wish so love gonna glad excited stoked happy ready not still never be "
    "guess fingers can't won't don't haven't hadn't didn't oof yea phew same too very really as if "
    "especially like "
    "nothing taking, looking trying working planning hoping going getting yup sure absolutely "
    "definitely whatever even plus man bummer mmm"
)
OPENING_ADVERBS: Final = word_set("yesterday today tomorrow lately sometimes now growing")
COMPANY: Final = word_set(
    "kids family wife husband partner friend friends team brother sister mom mum dad parents son "
    "daughter dog dogs girlfriend boyfriend colleagues group band crew guys with"
)
PERSONS: Final = word_set("he she him her his them they their he's she's they're")
ARTICLES: Final = word_set(
    "my our the a an some two three four five many several people someone everyone other others"
)
BEFORE_NOUNS: Final = word_set(
    "with of the a an my your his her our their in for and or to on at from by about these those "
    "some all no more other"
)
# What follows a "your" that means anybody's.
ANYBODYS: Final = word_set("dreams heart mind body life own goals passion limits way head self")
TAGS: Final = word_set("right huh eh though")
POINTING: Final = word_set("it this that those them these")
DANGLING: Final = word_set("it it's that that's this they they're these those he he's she she's")
