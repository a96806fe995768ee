"""Who speaks in a transcript: which words before a colon are names, and which role each plays.

A line such as `Note: bring the keys` must not become a speaker, nor may `Pros:` in an assistant's
long answer. What decides is only what came before the line, never what follows, so that a
transcript that has grown is read as before.
"""

from __future__ import annotations

import re

from scenemem.base.languages import words
from scenemem.base.records import Role
from scenemem.base.text import fold
from scenemem.memory.importing.imported import ROLE_WORDS
from scenemem.memory.importing.stamps import INVISIBLE

_NAME = re.compile(
    rf"[{INVISIBLE}~]*(?P<bold>\*\*|__)?(?P<name>[^\W\d_][^:：*\n\"“”„«»<>{{}}\[\]=;!?]{{0,59}}?)"
    r"(?:\s{1,3}(?:said|wrote|says))?(?(bold)(?:\*\*|__)?)\s?(?:(?P<ascii>:)|：)(?(bold)(?:\*\*|__)?)"
    r"(?(ascii)(?=\s|$)|)\s*"
)
_STAMPED_NAME = re.compile(
    rf"[{INVISIBLE}~\s]*+(?P<name>[^:：\s\"“”„«»{INVISIBLE}][^:：\n\"“”„«»]{{0,79}}?)"
    rf"[{INVISIBLE}]*\s?[:：](?=\s|$|[^\s/\d])[{INVISIBLE}\s]*"
)
_ASSISTANTS = "chatgpt claude gemini copilot gpt grok llama mistral deepseek llm agent chatbot"
_ROLES: dict[str, Role] = {
    **ROLE_WORDS,
    **dict.fromkeys(["me", "i", "myself", "customer", "client"], "user"),
    **dict.fromkeys(["prompt", "question", "q"], "user"),
    **dict.fromkeys(_ASSISTANTS.split(), "assistant"),
    **dict.fromkeys(["response", "answer", "a"], "assistant"),
}
# Words for a part, not for someone: the draft of such a message has no name.
_PARTS = {*ROLE_WORDS, "me", "i", "myself", "you", "q", "a", "question", "answer", "prompt"}
# Speakers only where the transcript begins with one of them; a heading otherwise.
_PAIRED = {"q", "a", "question", "answer", "prompt", "response"}
_PARTICLES = {"al", "and", "bin", "da", "de", "del", "der", "di", "do", "dos", "du", "el"}
_PARTICLES |= {"ibn", "la", "le", "ten", "und", "van", "von", "y"}
_WORD = re.compile(r"[^\W_](?:[\w.'’\-]*[\w)])?\.?|\(\w[\w .'’\-]*\)|&|#?\d+")


def split_speaker(line: str, *, stamped: bool = False) -> tuple[str, str] | None:
    """The name before the line's first colon and the text after it; None without such a name.

    After a stamp nearly anything is a name: a phone number, a nickname, a name with a smiley.
    """
    found = (_STAMPED_NAME if stamped else _NAME).match(line)
    if found is None:
        return None
    name = " ".join(found["name"].split())
    if not name or len(name.split()) > (7 if stamped else 4):
        return None
    return name, line[found.end() :]


class Speakers:
    """The speakers of one transcript so far, each with one role."""

    def __init__(self) -> None:
        self._roles: dict[str, Role] = {}
        self._first = ""

    def speaks(self, name: str, rest: str, *, above: str, goes_on: bool) -> bool:
        """Whether `name: rest`, a line without a stamp, begins a message.

        `above` is the last line that was not empty; `goes_on` tells that it directly precedes this
        one and did not begin a message itself.
        """
        key = _key(name)
        if key in self._roles:
            return True
        if not self._roles:
            return key in _PAIRED or _may_be_a_name(name, lower=True)
        if key in _PAIRED:
            return _key(self._first) in _PAIRED
        if above.rstrip().endswith((":", "：")) or not self._may_be_new(name):
            return False
        if len(self._roles) == 1:
            return True
        if all(known in _ROLES or known == "you" for known in self._roles):
            return key in _ROLES  # a talk with an assistant has no third party, but has headings
        return bool(rest.strip()) and not goes_on

    def _may_be_new(self, name: str) -> bool:
        return _may_be_a_name(name, lower=self._first.islower())

    def enter(self, name: str) -> tuple[Role, str | None]:
        """The role of a speaker, the same one each time, and the name, if it is one."""
        key = _key(name)
        if key not in self._roles:
            self._first = self._first or name
            self._roles[key] = self._new_role(key)
        return self._roles[key], None if key in _PARTS else name

    def _new_role(self, key: str) -> Role:
        if key == "you":
            return "assistant" if "user" in self._roles.values() else "user"
        told = _ROLES.get(key)
        if told is not None:
            return told
        return "assistant" if "user" in self._roles.values() else "user"


def _key(name: str) -> str:
    return fold(name).strip(" .")


def _may_be_a_name(name: str, *, lower: bool) -> bool:
    """Whether these words look like a name: capital letters, or a script that has none.

    `lower` admits one word in small letters, as nicknames are.
    """
    key = _key(name)
    if key in _ROLES or key == "you":
        return True
    parts = name.split()
    # No list can be complete; months are in none, for April, May and June speak, too.
    if not words("headings").isdisjoint(word.strip(".()") for word in name.casefold().split()):
        return False
    if not all(_WORD.fullmatch(part) for part in parts):
        return False
    if all(_begins_large(part) or part in _PARTICLES for part in parts):
        return parts[0] not in _PARTICLES
    return lower and len(parts) == 1 and len(name) <= 24


def _begins_large(word: str) -> bool:
    if word.startswith("("):  # what a name's holder does: "(host)"
        return True
    letter = next((character for character in word if character.isalpha()), "")
    return not letter or letter.isupper() or letter.lower() == letter.upper()
