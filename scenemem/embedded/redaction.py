"""Secrets taken out of what becomes a cell: keys, tokens and passwords that were given as such.

The value goes, the note that one was given stays: "The Wi-Fi password is [secret not kept]".
Talk about keys and passwords is left alone ("My password manager is on the NAS.").
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["WITHHELD", "without_secrets"]

WITHHELD: Final = "[secret not kept]"

_HINTS: Final = (
    "password", "passwort", "passcode", "passphrase", "mot de passe", "contraseña", "пароль", "密码",
    "密碼", "パスワード", "pwd", "key", "token", "secret", "bearer", "basic ", "pin ", "://", "sk-", "sk_",
    "pk_", "ghp_", "gho_", "github_pat_", "glpat-", "xox", "akia", "aiza", "hf_", "npm_", "eyj",
)  # fmt: skip

# Values whose shape alone tells that they are keys.
_BY_SHAPE: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{12,}"
    r"|\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abposr]-[\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{16,}"
    r"|\bnpm_[A-Za-z0-9]{20,}|\beyJ[\w-]{6,}\.[\w-]+\.[\w-]+"
)
# A value after a word that announces one, such as "Bearer …" or "postgres://user:…@host".
_ANNOUNCED: Final = re.compile(
    r"(?P<before>\bBearer\s+|\bBasic\s+(?=[A-Za-z0-9+/=]{12})|\w://[^\s:/@]+:)(?P<value>(?!\[)[^\s@,;\"']{3,})",
    re.IGNORECASE,
)
_NAMED: Final = (
    r"(?:password|passwort|passcode|passphrase|pwd|mot de passe|contraseña|пароль|pin(?: code| number)?"
    r"|(?:api|secret|access|private|auth|license|signing|encryption)[ _-]?(?:key|token)|(?:api |auth |access )?token"
    r"|client[ _-]?secret)"
)
_GIVEN: Final = re.compile(
    rf"(?P<before>\b{_NAMED}(?: (?:for|to|of) [\w' -]{{1,40}}?)?\s*(?:[:=]\s*|\s(?:is|was|ist|lautet|est|es)(?: now| still)?:?\s+)|[密][码碼](?:是|为|：|:)\s*|パスワードは\s*|пароль[:\s—-]+)"
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|[^\s,;。，、]+)(?P<after>\s*(?:[.,;!]|$|and\b|but\b|so\b|for\b|und\b|et\b|y\b)?)",
    re.IGNORECASE,
)
# Words that say something about a password instead of giving it.
_ABOUT: Final = frozenset(
    (
        "a an the my our your in on at under by with from to for of as not no never too very still also"
        " stored saved kept written strong weak easy hard long short safe secure secured expired wrong"
        " correct right invalid valid different same required needed missing lost forgotten changed"
        " reset rotated shared hidden encrypted hashed leaked important enough fine ok okay good bad"
        " being now back out gone set managed handled unknown empty old new what that this it one"
    ).split()
)


def without_secrets(text: str) -> str:
    """`text` with every secret value in it replaced by `WITHHELD`; most texts come back as they are."""
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return text
    text = _BY_SHAPE.sub(WITHHELD, text)
    text = _ANNOUNCED.sub(rf"\g<before>{WITHHELD}", text)
    return _GIVEN.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    value, before = match["value"], match["before"]
    bare = value.strip("\"'`.!?").lower()
    if not bare or value.startswith(WITHHELD[:7]) or bare in _ABOUT:
        return match.group()
    quoted = value[0] in "\"'`"
    assigned = before.rstrip().endswith((":", "=", "：", "是", "为", "は"))
    looks_made_up = any(map(str.isdigit, bare)) or bare != bare.strip("-_") or any(c in bare for c in "#$%&@!_")
    stands_last = match["after"].strip() != "" or match.end() == len(match.string)
    if not (quoted or assigned or looks_made_up or (stands_last and " " not in bare)):
        return match.group()
    dot = "." if value.endswith(".") and not quoted else ""
    return f"{before}{WITHHELD}{dot}{match['after']}"
