"""Names for scenes: one to four words that a person would use for the matter.

A name is a phrase that the scene's own statements use, as they wrote it: a noun-like run of one to
three words, chosen by how many statements use it, how noun-like it is, and how much more it is said
here than elsewhere. A long phrase wins over its parts where it recurs ("mental health" over
"health"; the C-value idea of term extraction), and a scene of two matters is named by both
("Camping and hiking"). There is no part-of-speech model here: word grades, endings and the word
before tell well enough. In scripts without spaces the stretches between the words that hold
sentences together stand in.

Figures: none of recall; a scene must have a name that people can read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from scenemem.base.records import Cell
from scenemem.base.text import is_unspaced, name_key, shorten, words
from scenemem.engines.rules.terms import (
    DOING_WEIGHT,
    TOPIC_WEIGHT,
    VAGUE_WEIGHT,
    guess_language,
    han_chunks,
    is_activity,
    is_english,
    is_field,
    is_happening,
    read_any_word,
    read_word,
    runs,
    terms,
    without_dates,
    without_particle,
)
from scenemem.engines.rules.vocabulary import (
    ARTICLES,
    COMPOUND_MODIFIERS,
    FOREIGN_AND,
    FOREIGN_ARTICLES,
    FOREIGN_LINKS,
    GENERIC,
    LINKS,
    NOUN_ANNOUNCERS,
    NOUNS_IN_ED,
    SLANG,
    SMALL_TALK,
    VERB_ANNOUNCERS,
)

LONGEST_NAME = 48
CELLS_READ = 14
_GENERIC_SHARE = 0.65
_NAME_SHARE = 0.5
_PART_SHARE = 0.5  # of the statements with a phrase, from which on it is a part of a longer one
_COVERAGE = 0.65  # how much it counts that many statements use a phrase
_SHORTLIST = 12
_GOOD_SHARE = 0.6
_LENGTH_BONUS = {1: 1.0, 2: 1.9, 3: 2.1}
_LONE_LENGTH_BONUS = {1: 1.0, 2: 1.2, 3: 1.25}

# The language that names small talk in a script that one language has or speaks for.
_BY_SCRIPT = {"han": "zh", "hiragana": "ja", "katakana": "ja", "hangul": "ko", "thai": "th"}
SMALL_TALK_NAMES = frozenset(SMALL_TALK.values())

_YOUNGEST_RENAMED = 4
_YOUNG = 8  # cells up to which a scene is renamed after what was said twice
_OFTEN_YOUNG = 2
_OFTEN = 3
_FIRST_CELLS = 3
_LONGEST_BEGINNING = 16

Weigh = Callable[[str], float]
IsTaken = Callable[[str], bool]


def propose_name(
    cells: Sequence[Cell], weigh: Weigh | None = None, is_taken: IsTaken | None = None
) -> str | None:
    """A better name for the scene of `cells` (oldest first), None where its present one will do.

    A name that was made from a scene's first statements gives way when hardly any later one uses
    it and another is used a lot. A name that its first statements do not explain was given by
    somebody, and stays. `weigh` says how much more a term is said in this scene than elsewhere
    (all alike without it), `is_taken` whether a name is another scene's.
    """
    if len(cells) < _YOUNGEST_RENAMED or cells[-1].scene in SMALL_TALK_NAMES:
        return None
    present = likeness(cells[-1].scene)
    texts = [cell.content for cell in _spread(cells)]
    avoid = {word for cell in cells for word in words((cell.speaker or "").lower())}
    first = _ranked([cell.content for cell in cells[:_FIRST_CELLS]], _alike, avoid, shortlist=None)
    if not _explains(first, present):
        return None

    def is_others(name: str) -> bool:
        return is_taken is not None and likeness(name) != present and is_taken(name)

    ranked = _ranked(texts, weigh or _alike, avoid)
    said = max((len(c.said_in) for c in ranked if c.likeness & present), default=0)
    name = name_for(texts, weigh, avoid, is_others)
    used = max((len(c.said_in) for c in ranked if c.likeness & likeness(name)), default=0)
    often = _OFTEN if len(cells) > _YOUNG else _OFTEN_YOUNG
    if likeness(name) == present or used < max(often, 2 * said):
        return None
    return name


def likeness(name: str) -> frozenset[str]:
    """What two names have in common that are too alike to tell apart: their words' stems."""
    numbers = (word for word in words(name) if word.isdigit())
    keys = frozenset((*(term for term in terms(name) if not is_field(term)), *numbers))
    return keys or frozenset((name_key(name),))


def _spread(cells: Sequence[Cell]) -> Sequence[Cell]:
    """At most `CELLS_READ` cells from all over the scene."""
    return cells[:: -(-len(cells) // CELLS_READ) or 1]


def _explains(candidates: Sequence[_Candidate], name: frozenset[str]) -> bool:
    return name <= frozenset(key for candidate in candidates for key in candidate.likeness)


def _alike(term: str) -> float:
    return 1.0


@dataclass(slots=True)
class _Candidate:
    keys: tuple[str, ...]
    said_in: set[int] = field(default_factory=set)
    strength: float = 0.0
    count: int = 0
    surfaces: Counter[str] = field(default_factory=Counter)
    score: float = 0.0

    @property
    def is_generic(self) -> bool:
        """Whether it is one word that tells little of a matter."""
        return len(self.keys) == 1 and any(surface in GENERIC for surface in self.surfaces)

    @property
    def is_lone_name(self) -> bool:
        """Whether it is one word written as a name, who is there more often than what it is; of
        abbreviations, one that was said in passing."""
        if len(self.keys) > 1:
            return False
        once = len(self.said_in) == 1
        return any(s[0].isupper() and (s[1:].islower() or once) for s in self.surfaces)

    @property
    def likeness(self) -> frozenset[str]:
        return likeness(max(self.surfaces, key=lambda surface: (self.surfaces[surface], surface)))


def small_talk(text: str) -> str:
    """What the scene of talk about nothing is called in the language of `text`."""
    scripts = {kind for kind, _ in runs(text)}
    for script in ("hiragana", "katakana", "han", "hangul", "thai"):
        if script in scripts:
            return SMALL_TALK[_BY_SCRIPT[script]]
    return SMALL_TALK.get(guess_language(text), SMALL_TALK["en"])


def name_for(
    texts: Sequence[str],
    weigh: Weigh | None = None,
    avoid: Set[str] = frozenset(),
    is_taken: IsTaken | None = None,
) -> str:
    """A name for the matter that `texts` speak of; of talk about nothing, "Small talk".

    `avoid` are lower-case words that it must not contain, such as the speakers' names; `is_taken`
    says whether a name is another scene's.
    """
    taken = is_taken or _is_free
    ranked = _ranked(texts[:CELLS_READ], weigh or _alike, avoid)
    for name in _names(ranked, texts):
        if len(name) <= LONGEST_NAME and not taken(name):
            return name
    return _numbered(ranked, texts, taken)


def _ranked(
    texts: Sequence[str], weigh: Weigh, avoid: Set[str], shortlist: int | None = _SHORTLIST
) -> list[_Candidate]:
    found: dict[tuple[str, ...], _Candidate] = {}
    for place, text in enumerate(texts):
        for phrase in phrases(without_dates(text), avoid):
            candidate = found.get(phrase.keys)
            if candidate is None:
                candidate = found[phrase.keys] = _Candidate(phrase.keys)
            candidate.said_in.add(place)
            candidate.strength += phrase.strength
            candidate.count += 1
            candidate.surfaces[phrase.surface] += 3 if phrase.as_written else 1
    for candidate in found.values():
        candidate.score = _score(candidate, weigh)
    _discount_parts(found)
    order = sorted(found.values(), key=lambda c: (-c.score, -len(c.keys), c.keys))
    return order[:shortlist]


def _score(candidate: _Candidate, weigh: Weigh) -> float:
    said = len(candidate.said_in)
    bonus = _LENGTH_BONUS if said > 1 else _LONE_LENGTH_BONUS
    weights = [weigh(key) for key in candidate.keys]
    distinct = 0.5 * max(weights) + 0.5 * sum(weights) / len(weights)
    strength = candidate.strength / candidate.count
    unspaced = not candidate.keys[0].isascii() and is_unspaced(candidate.keys[0])
    if candidate.is_generic:
        strength *= _GENERIC_SHARE
    elif candidate.is_lone_name:
        strength *= _NAME_SHARE
    length = min(len(candidate.keys[0]), 5) / 3 if unspaced else bonus[len(candidate.keys)]
    return float(said**_COVERAGE) * distinct * strength * length


def _discount_parts(found: dict[tuple[str, ...], _Candidate]) -> None:
    """Put what is mostly said as a part of something longer behind it."""
    for keys, longer in list(found.items()):
        if len(keys) < 2 or len(longer.said_in) < 2:
            continue
        for start in range(len(keys)):
            for end in range(start + 1, len(keys) + 1):
                part = found.get(keys[start:end])
                if part is None or part is longer:
                    continue
                if len(longer.said_in) >= _PART_SHARE * len(part.said_in):
                    part.score = min(part.score, 0.9 * longer.score)


def _names(ranked: Sequence[_Candidate], texts: Sequence[str]) -> Iterator[str]:
    """Names in the order of how good they are, the scene's own phrases before joined ones."""
    if not ranked:
        return
    first = ranked[0]
    good = [candidate for candidate in ranked if candidate.score >= _GOOD_SHARE * first.score]
    other = _companion(first, ranked, len(texts))
    if other is not None:
        yield _joined(first, other, texts)
    for candidate in good:
        yield _sentence_case(_surface(candidate))
    for candidate in ranked[1:]:
        if not _overlap(first, candidate):
            yield _joined(first, candidate, texts)
    for candidate in ranked[len(good) :]:
        yield _sentence_case(_surface(candidate))


def _companion(first: _Candidate, ranked: Sequence[_Candidate], texts: int) -> _Candidate | None:
    """A second matter that belongs in the name: one word beside one that tells too little alone,
    said in statements that do not say the first."""
    if len(first.keys) > 1 or is_unspaced(first.keys[0]) or len(first.said_in) >= 0.5 * texts:
        return None
    if texts < CELLS_READ and not first.is_generic:
        return None
    for candidate in ranked[1:]:
        if (
            len(candidate.keys) == 1
            and not _overlap(first, candidate)
            and candidate.score > (0.6 if first.is_generic else 0.8) * first.score
            and len(candidate.said_in) > 1
            and len(candidate.said_in - first.said_in) >= 0.12 * texts
        ):
            return candidate
    return None


def _joined(first: _Candidate, other: _Candidate, texts: Sequence[str]) -> str:
    """Both in one name, with the "and" of the language of `texts`."""
    one, two = _surface(first), _surface(other)
    if is_unspaced(one) and is_unspaced(two):
        return f"{one}·{two}"
    both = FOREIGN_AND.get(guess_language(" ".join(texts[:4])), "and")
    return _sentence_case(f"{one} {both} {two}")


def _overlap(one: _Candidate, other: _Candidate) -> bool:
    if set(one.keys) & set(other.keys):
        return True
    return any(a in b or b in a for a in one.keys for b in other.keys)


def _surface(candidate: _Candidate) -> str:
    """How the phrase is written most; what people do is named by its -ing form."""
    surfaces = {s: n for s, n in candidate.surfaces.items() if s.lower() not in SLANG}
    surfaces = surfaces or dict(candidate.surfaces)
    if len(candidate.keys) == 1:
        gerunds = [s for s in surfaces if s.endswith("ing") and s.islower() and is_activity(s)]
        if gerunds and not any(s.endswith("s") for s in surfaces if surfaces[s] > 2):
            return min(gerunds, key=lambda s: (-surfaces[s], s))
    best = min(surfaces, key=lambda s: (-surfaces[s], s))
    return best.removesuffix("'s").removesuffix("'")


def _sentence_case(name: str) -> str:
    return name[:1].upper() + name[1:]


def _is_free(name: str) -> bool:
    return False


def _numbered(ranked: Sequence[_Candidate], texts: Sequence[str], is_taken: IsTaken) -> str:
    """A name at any price: the best phrase with a number, or the beginning of what was said."""
    if not ranked:
        said = " ".join(texts)
        if is_english(said) or not words(said):
            return small_talk(said)
        base = shorten(" ".join(words(said)[:4]), _LONGEST_BEGINNING)
    else:
        base = _sentence_case(_surface(ranked[0]))
    name, number = base, 2
    while is_taken(name):
        name, number = f"{base} {number}", number + 1
    return name


# --- phrases that could be a name ----------------------------------------------------------------

LONGEST_PHRASE = 3
LONGEST_UNSPACED = 6
_UNANNOUNCED = 0.6  # how noun-like a word is that no article announces where nouns have one

_CLAUSE_END = re.compile(r"[^\w\s'’&\-]+|\s[-–—]+\s|\s&\s|[\n\r]+")
_TITLE = re.compile(r"\b(Mrs?|Ms|Dr|Prof|St)\.")  # whose full stop ends no clause
_WORD = re.compile(r"[^\W_][\w'’]*(?:-[^\W_][\w'’]*)*")
_ADJECTIVE_ENDING = re.compile(r"\w{2,}(?:ful|ous|able|ible|less|ish|iest)$")
_BE_FORMS = frozenset(
    ("am", "is", "are", "was", "were", "be", "been", "i'm", "you're", "we're", "they're", "it's")
)
# How noun-like a word is after each kind of word: a topic word, and one that is a verb as well.
_NOUN_STRENGTH = (
    {"": 0.8, "be": 0.8, "noun": 1.0, "to": 0.6},
    {"": 0.5, "be": 0.5, "noun": 0.9},
)
_QUOTED = re.compile(r"[\"“「『《]([^\"“”「」『』《》]{2,40})[\"”」』》]")


class Phrase(NamedTuple):
    """A run that could be a name.

    `keys` are its words as terms, `surface` how it was written, `strength` from 0 to about 1.2 how
    noun-like it is; `as_written` says whether its capitals are its own, not a sentence's.
    """

    keys: tuple[str, ...]
    surface: str
    strength: float
    as_written: bool


class _Word(NamedTuple):
    surface: str
    key: str
    kind: str  # noun, vague, modifier
    strength: float
    opens_clause: bool


def phrases(
    text: str, avoid: Set[str] = frozenset(), english: bool | None = None
) -> Iterator[Phrase]:
    """The phrases of `text`, a word and each longer run it is in alike.

    `avoid` are lower-case words (the speakers' names) that no phrase contains; `english` says
    whether the text is English where that is known.
    """
    text = text.partition("[image:")[0]
    if is_english(text) if english is None else english:
        yield from _english(text, avoid)
        return
    language = guess_language(text)
    if language == "en":
        yield from _unspaced(text)
    yield from _foreign(text, language, avoid)


def _english(text: str, avoid: Set[str]) -> Iterator[Phrase]:
    for clause in _CLAUSE_END.split(_TITLE.sub(r"\1", text.replace("’", "'"))):
        run: list[_Word] = []
        head: _Word | None = None
        announced, link, opens_clause = "", "", True
        surfaces = _WORD.findall(clause)
        before = ""
        for surface, after in zip(surfaces, [*surfaces[1:], ""], strict=False):
            lower = surface.lower()
            named = avoid and lower.removesuffix("'s") in avoid
            # Whose it is ("Maria's piano lesson") is no part of what it is.
            owner = lower.endswith("'s") and surface[0].isupper() and after[:1].islower()
            word = None if named or owner else _read(surface, announced, opens_clause)
            if before in ARTICLES and is_happening(lower, before, after.lower()):
                word = _Word(surface, lower, "noun", 1.0, opens_clause)
            before = lower
            if word is None:
                head = None
                if run:
                    yield from _grams(run)
                    head = run[-1] if run[-1].kind == "noun" else None
                    run = []
                link = surface if head and surface in LINKS else ""
            else:
                if link and head and not run and _is_proper(word):
                    joined = f"{_lowered(head)} {link} {word.surface}"
                    yield Phrase((head.key, word.key), joined, 1.0, True)
                run.append(word)
                link = ""
            announced = _announces(lower)
            opens_clause = False
        yield from _grams(run)


@lru_cache(maxsize=4096)
def _announces(before: str) -> str:
    """What a word says of the one after it: it is a "verb", a "noun", after "to", after "be"."""
    if before in _BE_FORMS:
        return "be"
    if before == "to":
        return "to"
    if before in VERB_ANNOUNCERS:
        return "verb"
    return "noun" if before in NOUN_ANNOUNCERS or before.endswith("'s") else ""


@lru_cache(maxsize=32768)
def _read(surface: str, announced: str, opens_clause: bool) -> _Word | None:
    """One English word as a part of a phrase, None where it ends one."""
    lower = surface.lower()
    bare = lower.removesuffix("'s")
    if not bare.replace("-", "").replace("'", "").isalpha():
        return None
    parts = bare.split("-")
    key, weight = read_word(parts[-1])
    if len(parts) > 1:
        key, weight = _compound(parts)
    proper = (surface[0].isupper() and not opens_clause) or not surface[1:].islower()
    verbal = announced in ("verb", "to")
    if lower in COMPOUND_MODIFIERS:
        return _Word(surface, key or lower, "modifier", 0.3, opens_clause)
    if weight < VAGUE_WEIGHT:
        return None
    if weight == VAGUE_WEIGHT:
        return None if verbal else _Word(surface, key, "vague", 0.25, opens_clause)
    if proper:
        return _Word(surface, key, "noun", 1.2, opens_clause)
    if bare.endswith("ed") and len(bare) > 4 and bare not in NOUNS_IN_ED:
        return None
    if _ADJECTIVE_ENDING.match(bare):
        return _Word(surface, key, "modifier", 0.4, opens_clause)
    if bare.endswith("ing") and len(bare) > 5:
        if not is_activity(bare):
            return _Word(surface, key, "modifier", 0.3, opens_clause)
        strength = 0.4 if announced == "be" else 0.8
    elif announced == "verb" or (verbal and weight == DOING_WEIGHT):
        return None
    else:
        strength = _NOUN_STRENGTH[weight == DOING_WEIGHT][announced]
    return _Word(surface, key, "noun", strength, opens_clause)


def _compound(parts: list[str]) -> tuple[str, float]:
    read = [read_word(part) for part in parts if part]
    weight = max((weight for _, weight in read), default=0.0)
    key = "-".join(key or part for (key, _), part in zip(read, filter(None, parts), strict=True))
    return key, weight if any(weight >= DOING_WEIGHT for _, weight in read) else 0.0


def _grams(run: list[_Word]) -> Iterator[Phrase]:
    if not run:
        return
    if len(run) == 1:
        word = run[0]
        if word.kind == "noun":
            yield Phrase((word.key,), _lowered(word), word.strength, not word.opens_clause)
        return
    for start in range(len(run)):
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
            words = run[start:end]
            if words[-1].kind == "modifier" or (len(words) == 1 and words[0].kind != "noun"):
                continue
            strengths = [word.strength for word in words]
            strength = 0.5 * max(strengths) + 0.5 * sum(strengths) / len(strengths)
            surface = " ".join(
                _lowered(word) if place == 0 else word.surface for place, word in enumerate(words)
            )
            as_written = not words[0].opens_clause
            yield Phrase(tuple(word.key for word in words), surface, strength, as_written)


def _is_proper(word: _Word) -> bool:
    return word.kind == "noun" and word.strength > 1.0


def _lowered(word: _Word) -> str:
    """The word without the capital that only its place in the sentence gave it."""
    surface = word.surface
    own = surface[1:].lower() != surface[1:]
    return surface[0].lower() + surface[1:] if word.opens_clause and not own else surface


def _foreign(text: str, language: str, avoid: Set[str]) -> Iterator[Phrase]:
    """Runs of content words of another language that puts spaces between words."""
    links = FOREIGN_LINKS.get(language, frozenset())
    articles = FOREIGN_ARTICLES.get(language, frozenset())
    for clause in _CLAUSE_END.split(text):
        run: list[_Word] = []
        linked: tuple[_Word, str] | None = None
        announced = False
        for place, (kind, surface) in enumerate(runs(clause)):
            if kind not in ("word", "hangul"):
                continue
            word = _read_foreign(surface, kind, language, place == 0)
            if word is None or surface.lower() in avoid:
                announced = surface.lower() in articles
                yield from _grams(run)
                if linked and not run and announced:
                    linked = linked[0], f"{linked[1]} {surface}"
                else:
                    linked = (run[-1], surface) if run and surface.lower() in links else None
                run = []
                continue
            if articles and not run and not announced and not linked and not _is_proper(word):
                word = word._replace(strength=_UNANNOUNCED * word.strength)
            announced = False
            if linked and not run:
                head, link = linked
                joined = f"{_lowered(head)} {link} {word.surface}"
                yield Phrase((head.key, word.key), joined, 0.9, not head.opens_clause)
            linked = None
            run.append(word)
        yield from _grams(run)


def _read_foreign(surface: str, kind: str, language: str, opens_clause: bool) -> _Word | None:
    if kind == "hangul":
        noun = without_particle(surface)
        # A particle shows a noun; Korean verbs end a clause in 다 or 요.
        if len(noun) < 2 or noun.endswith(("다", "요", "게", "고", "서")):
            return None
        return _Word(noun, noun, "noun", 1.0 if noun != surface else 0.6, False)
    key, weight = read_any_word(surface.lower(), language)
    if weight < TOPIC_WEIGHT:
        return None
    proper = surface[0].isupper() and not opens_clause
    # German writes its nouns with a capital, so there a small letter is no noun.
    strength = 1.0 if proper else 0.3 if language == "de" else 0.7
    return _Word(surface, key, "noun", strength, opens_clause and language != "de")


def _unspaced(text: str) -> Iterator[Phrase]:
    for quoted in _QUOTED.findall(text):
        if not quoted.isascii() and len(quoted) <= 2 * LONGEST_UNSPACED:
            yield Phrase((quoted,), quoted, 1.2, True)
    before = ""
    for kind, run in runs(text):
        if kind == "han":
            for chunk in han_chunks(run):
                yield from _substrings(chunk)
        elif kind == "katakana" and len(run) > 1:
            yield Phrase((run,), run, 1.0, True)
        elif kind == "thai":
            yield from _substrings(run, 4, 14, whole_only=len(run) > 40)
        if kind == "katakana" and before:
            yield Phrase((before, run), before + run, 1.0, True)
        before = run if kind == "han" and len(run) <= LONGEST_UNSPACED else ""


def _substrings(
    chunk: str, shortest: int = 2, longest: int = LONGEST_UNSPACED, whole_only: bool = False
) -> Iterator[Phrase]:
    if whole_only:
        yield Phrase((chunk[:longest],), chunk[:longest], 0.5, True)
        return
    for start in range(len(chunk)):
        for end in range(start + shortest, min(start + longest, len(chunk)) + 1):
            whole = start == 0 and end == len(chunk)
            edge = start == 0 or end == len(chunk)
            part = chunk[start:end]
            yield Phrase((part,), part, 1.0 if whole else 0.6 if edge else 0.4, True)
