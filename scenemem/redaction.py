"""Secrets taken out of what is made of the messages: keys, tokens, passwords given as such.

The history keeps every message word for word. Cells, scene and session summaries, the full-text
indexes, what recall shows, what extraction reads and what export writes go through here.

The value goes, the note that one was given stays: "The Wi-Fi password is [secret not kept]".
Talk about keys and passwords is left alone ("My password manager is on the NAS.").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from scenemem.text import lowered, words

__all__ = ["WITHHELD", "is_secret", "without_secrets"]

WITHHELD: Final = "[secret not kept]"

# Values whose shape alone tells that they are keys, and what every one of them holds in lower case.
_BY_SHAPE: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{12,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abposr]-[\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{16,}"
    r"|\bnpm_[A-Za-z0-9]{20,}|\beyJ[\w-]{6,}\.[\w-]+\.[\w-]+"
)
_SHAPE_HINTS: Final = (
    "-----begin", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "xox", "akia", "aiza", "hf_", "npm_", "eyj",
)  # fmt: skip

# A value behind a word that announces one: "Bearer …", "postgres://user:…@host".
_ANNOUNCED: Final = re.compile(
    r"(?:\bbearer\s+|\bbasic\s+(?=[a-z0-9+/=]{12})|\w://[^\s:/@]+:)(?P<value>(?!\[)[^\s@,;\"']{3,})"
)
_ANNOUNCED_HINTS: Final = ("bearer", "basic ", "://")

# "The password for the guest Wi-Fi is …", "api_key=…".
_NAMED: Final = (
    r"(?:password|passwort|passcode|passphrase|pwd|mot de passe|contraseña|пароль"
    r"|pin(?: code| number)?|client[ _-]?secret|(?:api |auth |access )?token"
    r"|(?:api|secret|access|private|auth|license|signing|encryption)[ _-]?(?:key|token))"
)
_GIVEN: Final = re.compile(
    rf"(?:\b{_NAMED}(?: (?:for|to|of) [\w' -]{{1,40}}?)?"
    r"\s*(?P<assigned>[:=]\s*|(?P<said>\s(?:is|was|ist|lautet|est|es)(?: now| still)?:?\s+))"
    r"|密[码碼](?:是|为|：|:)\s*|パスワードは\s*)"
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|[^\s,;。，、]+)"
    r"(?P<last>\s*(?:[.,;!]|$|(?:and|but|so|for|und|et|y)\b))?"
)
_GIVEN_HINTS: Final = (
    "password", "passwort", "passcode", "passphrase", "pwd", "mot de passe", "contraseña", "пароль",
    "密码", "密碼", "パスワード", "pin ", "pin:", "api", "token", "secret", "access", "private key",
    "auth", "license key", "signing key", "encryption key",
)  # fmt: skip
# Words that say something about a password instead of giving it.
_ABOUT: Final = frozenset(
    words(
        "a an the my our your in on at under by with from to for of as not no never too very "
        "still also stored saved kept written strong weak easy hard long short safe secure "
        "secured expired wrong correct right invalid valid different same required needed missing "
        "lost forgotten changed reset rotated shared hidden encrypted hashed leaked important "
        "enough fine ok okay good bad being now back out gone set managed handled unknown empty "
        "old new what that this it one strict"
    )
)
_QUOTES: Final = "\"'`"


def without_secrets(text: str) -> str:
    """`text` with every secret value replaced by `WITHHELD`; most texts come back as they are."""
    lower = lowered(text)
    if any(hint in lower for hint in _SHAPE_HINTS):
        text = _BY_SHAPE.sub(WITHHELD, text)
        lower = lowered(text)
    if any(hint in lower for hint in _ANNOUNCED_HINTS):
        text = _hidden(text, [match.span("value") for match in _ANNOUNCED.finditer(lower)])
        lower = lowered(text)
    if any(hint in lower for hint in _GIVEN_HINTS):
        text = _hidden(text, [span for m in _GIVEN.finditer(lower) if (span := _given(m))])
    return text


def is_secret(key: str, value: object) -> bool:
    """Whether a value, alone or under this key, is what is taken out of all but the history."""
    if isinstance(value, Mapping):
        return any(is_secret(str(inner), part) for inner, part in value.items())
    if isinstance(value, list):
        return any(is_secret(key, part) for part in value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    texts = (f"{key.replace('_', ' ')}: {value}", str(value))
    return any(without_secrets(text) != text for text in texts)


def _hidden(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}{WITHHELD}{text[end:]}"
    return text


def _given(match: re.Match[str]) -> tuple[int, int] | None:
    """Where the value stands, None where the words only speak about a password."""
    value = match["value"]
    bare = value.strip(f"{_QUOTES}.!?")
    if not bare or value.startswith(WITHHELD[:7]) or bare in _ABOUT:
        return None
    looks_made_up = any(c.isdigit() or c in "#$%&@!_-" for c in bare)
    assigned = match["said"] is None
    if not (assigned or value[0] in _QUOTES or looks_made_up or match["last"] is not None):
        return None
    start, end = match.span("value")
    return start, end - (1 if value[0] not in _QUOTES and value.endswith((".", "!", "?")) else 0)
