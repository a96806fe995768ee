"""The names of those who speak: they are said all the time, and are nobody's topic."""

from __future__ import annotations

from scenemem.base.records import ROLES
from scenemem.base.text import words
from scenemem.engines.rules.terms import is_field, nicknames, read_word, terms

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
