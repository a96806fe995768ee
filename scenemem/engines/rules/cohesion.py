"""How strongly a statement belongs to a scene, from counted terms alone.

Each scene is a bag of weighted terms, and so is the memory as a whole. A term speaks for a scene by
how much more often it is said there than elsewhere (pointwise mutual information, log(1 + p/q)), so
words that are said everywhere speak for no scene. Only a scene's strongest terms are kept, and a
term that is listed under very many scenes is not followed, so the cost of one statement stays the
same however large the memory. The names of the speakers are no terms: they are said all the time.

Figures: those of `scenes.py`, which stands on this. Speakers' names as terms: evidence of one
question in one scene .235 instead of .240.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import log1p

from scenemem.base.records import ROLES
from scenemem.base.text import words
from scenemem.engines.rules.terms import (
    is_field,
    nicknames,
    read_word,
    terms,
)

TERMS_KEPT = 40
PRIOR_MASS = 200.0  # of talk about other things, as if heard before the memory began
EVERYDAY = 8  # statements that say a term before it counts less; below that nothing is common
EVERYDAY_SHARE = 0.1  # the same, of all statements
FOLLOWED_WEIGHT = 0.3
_CROWD_SHARE = 0.08
_SMALLEST_CROWD = 8  # of a memory that has only begun
_SMALLEST_DAMPED = 10  # cells up to which nothing that speaks for a scene is held back
_CROWD_SHARE_YOUNG = 0.14  # while a memory is small
_CROWD_YOUNG = 15  # and up to this many statements
_TERMS_CEILING = 120
_SMOOTHING = 6.0
_GAIN_CEILING = 3.0
_POSTINGS_FOLLOWED = 250
_VOCABULARY_CEILING = 400_000

BEGINNING = datetime.min.replace(tzinfo=UTC)

Terms = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SceneProfile:
    """What is known of one scene, cheap to keep: its strongest terms with their weights, how many
    cells it has, when the last of them was said and in which session, and the scene that was being
    talked about when it was opened."""

    scene: str
    terms: Mapping[str, float] = field(default_factory=dict)
    cells: int = 0
    last_at: datetime = BEGINNING
    last_session: str | None = None
    beside: str | None = None


class TermCounts:
    """Counted terms: of the whole memory, and of each scene, which goes by a number here."""

    def __init__(self) -> None:
        self.statements = 0
        self.mass = 0.0
        self.weights: dict[str, float] = {}
        self.said_in: dict[str, int] = {}
        self.scene_terms: dict[int, dict[str, float]] = {}
        self.scene_mass: dict[int, float] = {}
        self.scene_size: dict[int, int] = {}
        self._scenes_of: dict[str, dict[int, float]] = {}

    @property
    def crowd(self) -> float:
        """How many statements a scene may have before it counts as one that swallows others."""
        young = min(_CROWD_SHARE_YOUNG * self.statements, _CROWD_YOUNG)
        return max(_SMALLEST_CROWD, young, _CROWD_SHARE * self.statements)

    def note(self, terms: Terms) -> None:
        """Count one statement for the memory as a whole."""
        self.statements += 1
        for term, weight in terms.items():
            self.weights[term] = self.weights.get(term, 0.0) + weight
            self.said_in[term] = self.said_in.get(term, 0) + 1
            self.mass += weight
        if len(self.weights) > _VOCABULARY_CEILING:
            self._forget_rare_terms()

    def add(self, scene: int, terms: Terms) -> None:
        """Count one statement for `scene`."""
        counted = self.scene_terms.setdefault(scene, {})
        for term, weight in terms.items():
            total = counted.get(term, 0.0) + weight
            counted[term] = total
            listed = self._scenes_of.get(term)
            if listed is None:
                self._scenes_of[term] = {scene: total}
            else:
                listed[scene] = total
        self.scene_mass[scene] = self.scene_mass.get(scene, 0.0) + sum(terms.values())
        self.scene_size[scene] = self.scene_size.get(scene, 0) + 1
        if len(counted) > _TERMS_CEILING:
            self.trim(scene)

    def remove(self, scene: int, terms: Terms) -> None:
        """Take one statement out of `scene` again."""
        counted = self.scene_terms[scene]
        for term, weight in terms.items():
            left = counted.get(term, 0.0) - weight
            if left > 1e-6:
                counted[term] = self._scenes_of[term][scene] = left
            elif term in counted:
                del counted[term]
                self._unlist(term, scene)
        self.scene_mass[scene] = max(self.scene_mass[scene] - sum(terms.values()), 0.0)
        self.scene_size[scene] -= 1

    def restore(self, scene: int, terms: Terms, statements: int) -> None:
        """Count for `scene`, and for the memory, what was counted earlier elsewhere."""
        self.note(terms)
        self.statements += statements - 1
        self.add(scene, terms)
        self.scene_size[scene] += statements - 1

    def drop(self, scene: int) -> None:
        """Forget `scene`; what it said still counts for the memory as a whole."""
        for term in self.scene_terms.pop(scene, {}):
            self._unlist(term, scene)
        self.scene_mass.pop(scene, None)
        self.scene_size.pop(scene, None)

    def merge(self, scene: int, into: int) -> None:
        """Count everything of `scene` as said in `into`."""
        mass = self.scene_mass.get(scene, 0.0)
        size = self.scene_size.get(scene, 0)
        moved = dict(self.scene_terms.get(scene, {}))
        self.drop(scene)
        self.add(into, moved)
        self.scene_size[into] += size - 1
        self.scene_mass[into] += mass - sum(moved.values())

    def trim(self, scene: int, kept: int = TERMS_KEPT) -> None:
        """Keep the `kept` strongest terms of `scene`."""
        counted = self.scene_terms[scene]
        mass = self.scene_mass[scene]
        if len(counted) <= kept:
            return
        by_strength = sorted(
            counted, key=lambda term: (-counted[term] * self._gain(term, counted[term], mass), term)
        )
        for term in by_strength[kept:]:
            del counted[term]
            self._unlist(term, scene)

    def gains(self, terms: Terms, own: int | None = None) -> dict[int, float]:
        """How strongly `terms` speak for each scene that shares one with them.

        `own` is the scene that already counts these very terms: they do not speak for
        themselves.
        """
        found: dict[int, float] = {}
        masses, total, left = self.scene_mass, self.mass + PRIOR_MASS, _POSTINGS_FOLLOWED
        usual = max(EVERYDAY, EVERYDAY_SHARE * self.statements)
        for count, term in self._rarest_first(terms):
            left -= count
            if left < 0:
                break
            weight = terms[term]
            share = total / self.weights[term]
            everyday = self.said_in[term] / usual
            for scene, counted in self._scenes_of[term].items():
                mass = masses[scene] + _SMOOTHING
                if scene == own:
                    counted -= weight
                    mass -= weight
                    if counted <= 1e-6:
                        continue
                gain = log1p(counted / mass * share)
                if gain > _GAIN_CEILING:
                    gain = _GAIN_CEILING
                gain *= weight if everyday <= 1.0 else weight / everyday
                found[scene] = found[scene] + gain if scene in found else gain
        crowd = max(self.crowd, _SMALLEST_DAMPED)
        for scene in found:
            size = self.scene_size[scene]
            if size > crowd:
                found[scene] *= crowd / size
        return found

    def _rarest_first(self, terms: Terms) -> list[tuple[int, str]]:
        """The terms to follow, each with the number of its scenes; weak ones for want of others."""
        listed = [
            (len(scenes), term)
            for term, weight in terms.items()
            if weight >= FOLLOWED_WEIGHT and (scenes := self._scenes_of.get(term))
        ]
        if not listed:
            listed = [
                (len(scenes), term) for term in terms if (scenes := self._scenes_of.get(term))
            ]
        listed.sort()
        return listed

    def strongest(self, scene: int, count: int) -> list[str]:
        """The terms that speak for `scene` most, strongest first; field terms are left out."""
        counted = self.scene_terms.get(scene, {})
        mass = self.scene_mass.get(scene, 0.0)
        strength = {
            term: weight * self._gain(term, weight, mass)
            for term, weight in counted.items()
            if not term.startswith("#")
        }
        return sorted(strength, key=lambda term: (-strength[term], term))[:count]

    def distinctness(self, scene: int, term: str) -> float:
        """How much more `term` is said in `scene` than elsewhere, from 0 to 3."""
        counted = self.scene_terms.get(scene, {}).get(term)
        if counted is None:
            return 0.0
        return self._gain(term, counted, self.scene_mass[scene])

    def ownership(self, term: str) -> tuple[int | None, float]:
        """The scene that says `term` most and its share of all that is said of it."""
        scenes = self._scenes_of.get(term)
        if not scenes or len(scenes) > 200:
            return None, 0.0
        owner = min(scenes, key=lambda scene: (-scenes[scene], scene))
        return owner, scenes[owner] / self.weights[term]

    def _gain(self, term: str, counted: float, mass: float) -> float:
        everywhere = self.weights.get(term, counted) / (self.mass + PRIOR_MASS)
        return min(log1p(counted / (mass + _SMOOTHING) / everywhere), _GAIN_CEILING)

    def _unlist(self, term: str, scene: int) -> None:
        scenes = self._scenes_of[term]
        scenes.pop(scene, None)
        if not scenes:
            del self._scenes_of[term]

    def _forget_rare_terms(self) -> None:
        for term in [term for term, count in self.said_in.items() if count == 1]:
            if term not in self._scenes_of:
                self.mass -= self.weights.pop(term)
                del self.said_in[term]


# --- the names of the speakers -------------------------------------------------------------------

_MOST_SPEAKERS = 10_000  # names beyond these are left to counting


class SpeakerNames:
    """The speakers met so far.

    `words` are their names and short forms in lower case, for names of scenes to keep clear of.
    """

    def __init__(self) -> None:
        self.words: set[str] = set()
        self._keys: set[str] = set()
        self._met: set[str] = set()

    def meet(self, speaker: str | None) -> None:
        """Learn one speaker's name; roles are no names."""
        if not speaker or speaker in self._met or speaker in ROLES:
            return
        if len(self._met) >= _MOST_SPEAKERS:
            return
        self._met.add(speaker)
        self._keys.update(key for key in terms(speaker) if not is_field(key))
        for word in words(speaker.lower()):
            self.words.add(word)
            for nickname in nicknames(word):
                self.words.add(nickname)
                self._keys.add(read_word(nickname)[0])

    def terms_without_names(self, content: str) -> dict[str, float]:
        """The terms of a statement, those of the speakers' names left out."""
        found = terms(content)
        for key in self._keys & found.keys():
            del found[key]
        return found
