"""Remove secrets (keys, tokens, passwords) from everything derived from the messages.

The history keeps every message verbatim. Cells, scene and session summaries, the full-text indexes,
recall's output, extraction's input and exports all go through this module.

Only the value is removed, so that it stays visible that there was one: "The Wi-Fi password is
[secret not kept]". Talk about keys and passwords is left alone ("My password manager is on the
NAS.").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scenemem.base.text import lowered, words

__all__ = ["WITHHELD", "is_secret", "redacted_call", "without_secrets"]

WITHHELD: Final = "[secret not kept]"

# Values recognizable as keys by their shape alone, and substrings that each of them contains in
# lower case. The rest of the word is removed with them.
_BY_SHAPE: Final = re.compile(
    r"(?:-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{12,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abposr]-[\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{16,}"
    r"|\bnpm_[A-Za-z0-9]{20,}|\beyJ[\w-]{6,}\.[\w-]+\.[\w-]+)[\w-]*"
)
_SHAPE_HINTS: Final = (
    "-----begin", "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "xox", "akia", "aiza", "hf_", "npm_", "eyj",
)  # fmt: skip

# A value after a word that announces one: "Authorization: Bearer …", "postgres://user:…@host". On
# its own, such a word counts only if what follows is not a word: "a basic understanding", "a bearer
# bond".
_ANNOUNCED: Final = re.compile(
    r"(?:\bauthorization[\"'\s:=]+(?:bearer|basic)\s+|\bbearer\s+(?=[^\s@,;\"']*[0-9._~+/=-][^\s@,;\"'])"
    r"|\bbasic\s+(?=[a-z+/]*[0-9=])(?=[a-z0-9+/=]{12})|\w://[^\s:/@]+:(?=[^\s@]{1,200}@))"
    r"(?P<value>(?!\[)[^\s@,;\"']{3,})"
)
_ANNOUNCED_HINTS: Final = ("bearer", "basic ", "://")

# "The password for the guest Wi-Fi is …", "API_KEY=…", {"password": "…"}.
_OWNED: Final = r"(?:(?:db|pg|mysql|postgres|redis|smtp|ssh|ftp|wifi|user|admin|root)[_-]?)?"
_NAME: Final = (
    rf"(?<![^\W_])(?P<name>{_OWNED}pass(?:word|wort|wd|code|phrase)s?|pwd|passwörter"
    r"|mots? de passe|contraseñas?|парол[ьи]|pins?(?: code| number)?|(?:client[ _-]?)?secrets?"
    r"|(?:api |auth |access )?token"
    r"|(?:api|secret|access|private|auth|license|signing|encryption)[ _-]?(?:key|token)s?"
    rf"|{_OWNED}pass)(?:[_-]?(?:\d{{1,2}}|prod|dev|test|live|staging|new|old)\b)?"
)
_OF: Final = r"(?: (?:for|to|of|für|vom|von|zum|du|de|del|para|pour|от|для) [\w' -]{1,40}?)?"
_GIVEN: Final = re.compile(
    rf"(?:{_NAME}{_OF}(?:(?P<keyed>[\\*]*[\"'`][*]*)|\**)"
    r"\s*(?:(?P<sign>=>|:=|[:=：])[*\\]{0,3}\s*[*\\]{0,3}"
    r"|(?P<said>\s(?:is|was|ist|lautet|est|es)(?: now| still)?:?\s+))"
    r"|密[码碼](?:是|为|：|:)\s*|パスワードは\s*)"
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|\[[^\[\]\n]+\]|[^\s,;。，、]+)"
    r"(?P<last>\s*(?:[.,;!]|$|(?:and|but|so|for|und|et|y)\b))?"
)
# Every name begins with one of `_BEGINNINGS`, or contains one of `_WITHIN` within its first
# `_BEFORE` characters.
_BEGINNINGS: Final = (
    "pin", "api", "auth", "access", "private", "pwd", "license", "signing", "encrypt",
    "contraseña", "парол", "密码", "密碼", "パスワード",
)  # fmt: skip
_WITHIN: Final = ("pass", "token", "secret")
_BEFORE: Final = 10
_GIVEN_HINTS: Final = (*_BEGINNINGS, *_WITHIN)
# Every hint contains one of these, so a text without any of them (most texts) contains no hint.
_MARKS: Final = (
    "-", "_", "xox", "akia", "aiza", "eyj", "bearer", "basic ", "://", "pass", "token", "secret",
    "pin", "api", "auth", "access", "private", "pwd", "license", "signing", "encrypt",
)  # fmt: skip
_FOREIGN_MARKS: Final = ("contraseña", "парол", "密码", "密碼", "パスワード")
# Words that say something about a password rather than give it.
_ABOUT: Final = frozenset(
    words(
        "a an the my our your in on at under by with from to for of as not no never too very "
        "still also stored saved kept written strong weak easy hard long short safe secure "
        "secured expired wrong correct right invalid valid different same required needed missing "
        "lost forgotten changed reset rotated shared hidden encrypted hashed leaked important "
        "enough fine ok okay good bad being now back out gone set managed handled unknown empty "
        "old new what that this it one strict ready active inactive locked unlocked available "
        "optional mandatory temporary permanent random unique broken used unused reused stolen "
        "compromised revoked disabled enabled generated created updated better worse terrible "
        "great nice perfect simple complex complicated tricky where who when why how which whose "
        "see ask none null true false undefined str string int bool bytes optional any "
        "nicht kein keine im am auf unter bei noch schon zu sehr falsch richtig sicher unsicher "
        "lang kurz leicht schwer abgelaufen geändert vergessen gespeichert neu alt wichtig weg "
        "pas dans sur sous chez encore très trop faux correct incorrect sûr court facile difficile "
        "expiré changé oublié perdu nouveau vieux en muy demasiado no incorrecta correcta segura "
        "larga corta fácil difícil caducada nueva vieja importante не очень слишком"
    )
)
_ABOUT_UNSPACED: Final = (
    "什么", "什麼", "多少", "哪", "错", "錯", "对的", "對的", "正确", "正確", "不", "很", "何",
    "正し", "間違",
)  # fmt: skip
# Code that reads a secret from elsewhere: "password = os.environ[…]".
_REFERENCE: Final = ("${", "{{", "os.environ", "os.getenv", "getenv(", "process.env", "getpass")
_COUNTS: Final = ("max_", "max ", "min_", "min ", "num_", "total_", "total ", "per_", "per ")
_PASSWORD: Final = re.compile(rf"{_OWNED}pass(?:w|c|p)|pwd|mot|contra|парол")
_IN_NUMBERS: Final = re.compile(r"[._]")
_OPENING: Final = "\"'`[({<\\"
_CLOSING: Final = "\"'`])}>\\.!?？！"


def without_secrets(text: str) -> str:
    """`text` with every secret value replaced by `WITHHELD`; most texts are returned unchanged."""
    lower = lowered(text)
    if not _has_mark(lower):
        return text
    if any(map(lower.__contains__, _SHAPE_HINTS)):
        text = _BY_SHAPE.sub(WITHHELD, text)
        lower = lowered(text)
    if any(map(lower.__contains__, _ANNOUNCED_HINTS)):
        text = _withhold(text, [match.span("value") for match in _ANNOUNCED.finditer(lower)])
        lower = lowered(text)
    if any(map(lower.__contains__, _GIVEN_HINTS)):
        text = _withhold(text, list(_value_spans(lower)))
    return text


def _has_mark(lower: str) -> bool:
    for mark in _MARKS:
        if mark in lower:
            return True
    return not lower.isascii() and any(map(lower.__contains__, _FOREIGN_MARKS))


def is_secret(key: str, value: object) -> bool:
    """Whether a value, by itself or under this key, is removed from everything but the history.

    In a mapping or list, every part is checked under the key of the whole as well.
    """
    return any(
        without_secrets(text) != text
        for keys, part in _leaves(key, value)
        for text in (*(f"{key}={part}" for key in keys), str(part))
    )


def redacted_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A tool call, in the chat API's format or any other, without the secrets in its arguments.

    A call without secrets is returned exactly as it is; JSON arguments stay JSON.
    """
    shown = {key: _redacted((str(key),), part) for key, part in call.items()}
    return dict(call) if shown == call else shown


# --- in text -------------------------------------------------------------------------------------


def _withhold(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}{WITHHELD}{text[end:]}"
    return text


def _value_spans(lower: str) -> Iterator[tuple[int, int]]:
    """The spans of the secret values in the text, in order.

    Names are looked for only around hints, as searching the whole of a long text takes many times
    longer.
    """
    begins = {at for hint in _BEGINNINGS if hint in lower for at in _positions(lower, hint)}
    for hint in _WITHIN:
        for at in _positions(lower, hint):
            begins.update(range(max(at - _BEFORE, 0), at + 1))
    read_to = 0
    for begin in sorted(begins):
        found = _GIVEN.match(lower, begin) if begin >= read_to else None
        if found:
            span = _value_span(found)
            # What follows a name without a value may contain another name.
            read_to = span[1] if span else found.start("value")
            if span:
                yield span


def _positions(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _value_span(match: re.Match[str]) -> tuple[int, int] | None:
    """The span of the value; None if the words only talk about a password."""
    start, end = match.span("value")
    value = match["value"]
    start += len(value) - len(value.lstrip(_OPENING))
    end -= len(value) - len(value.rstrip(_CLOSING))
    bare = match.string[start:end]
    if match.string.startswith(WITHHELD, max(start - 1, 0)):
        return None
    if not bare.strip("*•") or bare in _ABOUT or bare.startswith((*_ABOUT_UNSPACED, *_REFERENCE)):
        return None
    looks_made_up = any(c.isdigit() or c in "#$%&@!_-" for c in bare)
    if match["name"] is not None and not _is_plausible(match, bare, looks_made_up):
        return None
    ends = match["last"] is not None or value.endswith((".", "!"))
    if match["said"] and not (value[0] in _OPENING[:3] or looks_made_up or ends):
        return None
    return start, end


def _is_plausible(match: re.Match[str], bare: str, looks_made_up: bool) -> bool:
    """Whether such a value is plausible for a secret of this name.

    A PIN consists of digits, while a few digits may be a number of tokens or keys. People talk
    about "passwords" in general, and "secret", "pass" and "token" often mean something else. In
    these cases the value must be assigned as in a program, or look made up.
    """
    name, before = match["name"], match.string[: match.start("name")]
    if name.startswith("pin"):
        return sum(map(str.isdigit, bare)) >= 3
    if bare.isdecimal() and len(bare) < 3:  # "Tips for passwords: 1. …"
        return False
    if _PASSWORD.match(name):
        is_program = match["keyed"] is not None or match["sign"] not in (None, ":")
        return looks_made_up or not name.endswith("s") or is_program
    number = _IN_NUMBERS.sub("", bare)
    if number.isdecimal() and (len(number) < 6 or before.endswith(_COUNTS)):
        return False
    is_pass = name.endswith("pass")
    if not (is_pass or name in ("secret", "secrets", "token")):
        return True
    if match["said"]:
        return name == "token"
    if match["keyed"] or match["sign"] == "=":
        return name != "pass" or not before.endswith(("_", "-"))
    return looks_made_up and not (is_pass and before.rstrip(" ")[-1:].isalnum())


# --- in values -----------------------------------------------------------------------------------

_DEEPEST: Final = 60  # nested levels; anything deeper is withheld without looking


def _leaves(key: str, value: object) -> Iterator[tuple[tuple[str, ...], str | int]]:
    """The strings and integers in a value, each with the keys above it."""
    waiting: list[tuple[tuple[str, ...], object]] = [((key,), value)]
    while waiting:
        keys, part = waiting.pop()
        if isinstance(part, Mapping):
            waiting += [((*keys[:_DEEPEST], str(inner)), within) for inner, within in part.items()]
        elif isinstance(part, list | tuple):
            waiting += [(keys, within) for within in part]
        elif isinstance(part, str | int) and not isinstance(part, bool):
            yield keys, part


def _redacted(keys: tuple[str, ...], value: Any) -> Any:
    """A part of a tool call, found under `keys`, without its secrets."""
    if len(keys) > _DEEPEST:
        return WITHHELD
    if isinstance(value, Mapping):
        shown = {name: _redacted((*keys, str(name)), part) for name, part in value.items()}
        if is_secret(str(value.get("key", "")), value.get("value")):
            shown["value"] = WITHHELD
        return shown
    if isinstance(value, list | tuple):
        return [_redacted((*keys, ""), part) for part in value]
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        return _redacted_json(keys, value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    written = str(value)
    text = without_secrets(written)
    if any(without_secrets(f"{key}={written}") != f"{key}={text}" for key in keys):
        return WITHHELD
    return value if text == written else text


def _redacted_json(keys: tuple[str, ...], text: str) -> str:
    """Redact a JSON text so that it stays JSON; unchanged if it contains no secret."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return without_secrets(text)
    if not isinstance(value, dict | list):
        return without_secrets(text)
    shown = _redacted((*keys, ""), value)
    return text if shown == value else json.dumps(shown, ensure_ascii=False)
