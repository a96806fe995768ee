"""Plain commands: what a message asks for, clause by clause, as tool calls and questions.

    read_parts("Set my locale to en_US. What is 12*(8+5)?")
        Call("remember", {"key": "locale", "value": "en_US", "scope": "short"}, ...)
        Call("calculator", {"expression": "12*(8+5)"}, ...)

Pure, and a function of the words alone. A message is cut into sentences, a sentence into clauses
where a new command or question begins; a clause in none of the known forms stays what it is: an
`Other`. A reader that does not know a command answers it as talk; one that takes talk for a
command changes the memory unasked. So what is unsure is no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scenemem.base.records import FactScope
from scenemem.engines.rules import command_forms as forms
from scenemem.engines.rules.readable_text import sentences_of
from scenemem.engines.rules.saved_facts import key_for, typed_value
from scenemem.engines.rules.sentence import Sentence
from scenemem.engines.rules.speech_acts import act_of, opens_a_payload, opens_a_role
from scenemem.engines.rules.spoken_sums import is_sum_alone, sums_in, written_out

__all__ = ["Ask", "AskAll", "Call", "Other", "Part", "Unread", "is_only_command", "read_parts"]

LONGEST_READ = 2_000  # characters of a message that may hold commands
_JOINT = re.compile(
    r"(?:\s*[,;]\s*(?:(?:and|then|but|also|und|et|y)\s+)?"
    r"|\s+(?:and(?: then| also)?|then|und|et|y)\s+)"
)
_ANOTHER = re.compile(r"\s+and\s+(?:(?:my|our)\s+)?")
_MAY_COMMAND = re.compile(
    r"\b(?:counter|tool|forget|delete|remove|drop|erase|wipe|clear|purge|reset|calc\w*|compute|sqrt"
    r"|berechne|rechne|(?:in|de)crement|count (?:up|down)|set my|vergiss|lösche"
    r"|oublie|efface|supprime|olvida|borra|elimina)\b",
    re.IGNORECASE,
)
_LONGEST_COMMAND = 200  # characters
_PASSING = frozenset({"counter", "calculator", "forget"})  # tools whose calls tell nothing lasting
_END = re.compile(r"[\s.!?…]+$")


class Call(NamedTuple):
    """A command that one tool carries out, with the words that ask for it."""

    tool: str
    arguments: dict[str, Any]
    text: str


class Ask(NamedTuple):
    """A question about something that may be saved: the `thing` in the user's words.

    `also` is another name it may have been saved under; `many` says that it is asked with "are".
    """

    thing: str
    text: str
    also: str = ""
    many: bool = False


class AskAll(NamedTuple):
    """A question about all that is saved."""

    text: str


class Unread(NamedTuple):
    """An order to the notebook, a counter or the calculator that is in no known form."""

    text: str


class Other(NamedTuple):
    """A clause that is neither an order nor a question about a fact."""

    text: str


class _StoreIt(NamedTuple):
    """ "Use a tool to store it": about what was said before."""

    text: str
    scope: FactScope | None


Part = Call | Ask | AskAll | Unread | Other
_Read = Part | _StoreIt


def read_parts(message: str) -> list[Part]:
    """The parts of a message, in their order."""
    text = message.strip()
    if not text or len(text) > LONGEST_READ:
        return [Other(text)]
    if is_sum_alone(text):
        return [Call("calculator", {"expression": written_out(text)}, text)]
    parts: list[Part] = []
    pieces = list(sentences_of(text))
    for number, sentence in enumerate(pieces):
        read = Sentence.of(sentence)
        if opens_a_payload(read) or opens_a_role(read):
            # What follows is text to work on, or a game.
            return [*parts, *(Other(piece) for piece in pieces[number:])]
        for part in _sentence_parts(sentence):
            if isinstance(part, _StoreIt):
                parts = _stored(parts, part)
            else:
                parts.append(part)
    return parts


def is_only_command(statement: str) -> bool:
    """Whether a statement only tells what to do with a counter, a sum or the notebook itself.

    Such a command is carried out, and tells nothing of the user that is worth a cell.
    """
    if not _MAY_COMMAND.search(statement) or len(statement) > _LONGEST_COMMAND:
        return False
    read = [part for sentence in sentences_of(statement) for part in _sentence_parts(sentence)]
    return bool(read) and all(
        isinstance(part, _StoreIt | Unread) or (isinstance(part, Call) and part.tool in _PASSING)
        for part in read
    )


# --- sentences and clauses -----------------------------------------------------------------------


def _sentence_parts(sentence: str) -> list[_Read]:
    """A sentence cut where another command or question begins.

    A command behind "and" is one only where one stands before it ("He told me to sit and remember
    that …" is a report), or where it says please; a question always is.
    """
    parts: list[_Read] = []
    begin = 0
    before = False
    for joint in _JOINT.finditer(sentence):
        rest = sentence[joint.end() :]
        lead = forms.LEAD.match(rest)
        if joint.start() == 0 or not forms.FIRST_WORDS.match(rest, lead.end() if lead else 0):
            continue
        following = _JOINT.search(rest)
        clause = rest[: following.start()] if following else rest
        opened = _clause_parts(clause)
        if all(isinstance(part, Other) for part in opened):
            opened = _clause_parts(rest)
        if all(isinstance(part, Other) for part in opened):
            continue
        left = _clause_parts(sentence[begin : joint.start()])
        before = before or any(not isinstance(part, Other) for part in left)
        is_question = all(isinstance(part, Ask | AskAll) for part in opened)
        hint = any(isinstance(part, _StoreIt) for part in opened)
        if before or is_question or hint or rest.lower().startswith("please"):
            parts += left
            begin = joint.end()
    parts += _clause_parts(sentence[begin:])
    return _with_common_scope(parts)


def _clause_parts(clause: str) -> list[_Read]:
    """What one clause says; an `Other` where it is in no known form.

    What changes something is asked for, or ordered, but never put as a question.
    """
    text = clause.strip()
    lead = forms.LEAD.match(text)
    words = text[lead.end() :] if lead else text
    is_order = not text.endswith(("?", "？")) or bool(lead and lead["asked"])
    scope, bare = _without_scope(forms.TRAILING_COURTESY.sub("", words))
    return (
        _counter(bare, text, is_order)
        or _sums(bare, text)
        or _question(words, text)
        or (is_order and _order(_END.sub("", bare), text, scope))
        or (is_order and _unread(_END.sub("", bare), text))
        or [Other(text)]
    )


def _order(bare: str, text: str, scope: FactScope | None) -> list[_Read]:
    return (
        _store_it(bare, text, scope)
        or _forget(bare, text)
        or _facts(bare, text, scope)
        or _note(bare, text)
    )


def _without_scope(text: str) -> tuple[FactScope | None, str]:
    """The scope that a clause names, and the clause without it."""
    for found in forms.SCOPE.finditer(text):
        named = found["inside"] or found["last"]
        if found["last"] and forms.SCOPE_IN_VALUE.search(text[: found.start()]):
            continue
        rest = f"{text[: found.start()]}{text[found.end() :]}".strip()
        is_long = named is not None and named.lower() == "long"
        return ("long" if is_long else "short"), rest
    return None, text


def _with_common_scope(parts: list[_Read]) -> list[_Read]:
    """A scope that is named last holds for all facts of the sentence that name none."""
    named: FactScope | None = None
    read: list[_Read] = []
    for part in reversed(parts):
        if isinstance(part, Call) and part.tool == "remember":
            own, _ = _without_scope(part.text)
            if own:
                named = part.arguments["scope"]
            elif named:
                part = _rescoped(part, named)
        read.append(part)
    return read[::-1]


# --- facts ---------------------------------------------------------------------------------------


def _facts(bare: str, text: str, scope: FactScope | None) -> list[_Read]:
    inverse = forms.INTO_FACT.fullmatch(bare)
    if inverse and forms.is_key(inverse["key"]):
        return [_remember(inverse["key"], inverse["value"], scope or "long", text)]
    for form in forms.FORMS:
        pairs = _pairs(form, bare)
        if pairs:
            told = [(key, *_without_scope(value)) for key, value in pairs]
            return [
                _remember(key, value, own or scope or form.scope, text) for key, own, value in told
            ]
    return []


def _pairs(form: forms.Form, text: str) -> list[tuple[str, str]]:
    """The keys and values that `text` names in this form; none where it tells something else."""
    opening = form.opening.match(text)
    first = form.pair.match(text, opening.end()) if opening else None
    if first is None or not forms.is_key(first["key"]):
        return []
    found = [first]
    for pair in form.next_pair.finditer(text, first.end()):
        if forms.is_key(pair["key"]):
            found.append(pair)
    ends = [*(pair.start() for pair in found[1:]), len(text)]
    pairs = []
    for pair, end in zip(found, ends, strict=True):
        value = forms.GOES_ON.sub("", _END.sub("", text[pair.end() : end]))
        if form.closing:
            closed = form.closing.search(value)
            if closed is None:
                return []
            value = value[: closed.start()]
        if not value or (form.states and _tells(pair["key"], value)):
            return []
        pairs.append((pair["key"], value))
    return pairs


def _tells(key: str, value: str) -> bool:
    """Whether "my `key` is `value`" is a statement rather than a fact with a value."""
    return forms.TELLS.match(value) is not None and forms.PURSUIT.search(key) is None


def _remember(key: str, value: str, scope: FactScope, text: str) -> Call:
    typed = typed_value(_END.sub("", value))
    arguments = {"key": key_for(key), "value": typed, "scope": scope}
    return Call("remember", arguments, text)


def _forget(bare: str, text: str) -> list[_Read]:
    found = forms.FORGET.fullmatch(bare)
    if found is None:
        return []
    key = next(found[group] for group in ("key", "deleted", "de", "fr", "es") if found[group])
    if not forms.is_key(key) or (
        found["deleted"] and not forms.ELSEWHERE.isdisjoint(key.lower().split())
    ):
        return []
    return [Call("forget", {"key": key_for(key)}, text)]


def _unread(bare: str, text: str) -> list[_Read]:
    found = forms.ORDER.fullmatch(bare)
    if found is None:
        return []
    named = found["name"] or found["named"]
    return [Unread(text)] if named is None or forms.is_key(named) else []


def _store_it(bare: str, text: str, scope: FactScope | None) -> list[_Read]:
    return [_StoreIt(text, scope)] if forms.STORE_IT.fullmatch(bare) else []


def _stored(parts: Sequence[Part], hint: _StoreIt) -> list[Part]:
    """The parts, with what stands right before the hint stored as it says."""
    last = parts[-1] if parts else None
    if isinstance(last, Call) and last.tool == "remember":
        if not hint.scope:
            return list(parts)
        return [
            _rescoped(part, hint.scope)
            if isinstance(part, Call) and part.tool == "remember"
            else part
            for part in parts
        ]
    stored = list(_statements(parts, hint.scope or "long"))
    if stored:
        return [*parts[: -len(stored)], *stored]
    if isinstance(last, Other) and act_of(Sentence.of(last.text)) is None:
        return [*parts[:-1], Call("jot", {"note": _END.sub("", last.text)}, last.text)]
    if isinstance(last, Call) and last.tool == "jot":
        return list(parts)
    return [*parts, Unread(hint.text)]


def _rescoped(part: Call, scope: FactScope) -> Call:
    return part._replace(arguments={**part.arguments, "scope": scope})


def _statements(parts: Sequence[Part], scope: FactScope) -> Iterator[Call]:
    """The run of "my X is Y" at the end of `parts`, one call for each part."""
    run: list[Call] = []
    for part in reversed(parts):
        named, bare = _without_scope(part.text)
        pairs = _pairs(forms.MY_IS, bare) if isinstance(part, Other) else []
        if len(pairs) != 1 or part.text.endswith("?"):
            break
        [(key, value)] = pairs
        run.append(_remember(key, value, named or scope, part.text))
    yield from reversed(run)


# --- notes, counters, arithmetic, questions ------------------------------------------------------


def _note(bare: str, text: str) -> list[_Read]:
    found = forms.JOT.fullmatch(bare) or forms.REMEMBER_THAT.fullmatch(bare)
    return [Call("jot", {"note": found["note"]}, text)] if found else []


def _counter(bare: str, text: str, is_order: bool) -> list[_Read]:
    for op, pattern in forms.COUNTER_FORMS:
        found = pattern.fullmatch(bare)
        if found is None:
            continue
        groups = found.groupdict()
        named = groups.get("name") or groups.get("named") or _one(groups.get("many") or "")
        if not forms.is_key(named) or not (is_order or op == "get"):
            continue
        arguments: dict[str, Any] = {"name": key_for(named), "op": op}
        if amount := groups.get("amount") or groups.get("added"):
            word = amount.lower()
            arguments["amount"] = forms.NUMBER_WORDS[word] if word.isalpha() else int(word)
        return [Call("counter", arguments, text)]
    return []


def _one(many: str) -> str:
    """One of many: "coffees" -> "coffee"."""
    if many.endswith("ies") and len(many) > 4:
        return f"{many[:-3]}y"
    if many.endswith(("sses", "shes", "ches", "xes")):
        return many[:-2]
    return many[:-1] if many.endswith("s") and not many.endswith(("ss", "us", "is")) else many


def _sums(bare: str, text: str) -> list[_Read]:
    return [Call("calculator", {"expression": value}, text) for value in sums_in(bare)]


def _question(words: str, text: str) -> list[_Read]:
    if forms.ALL_SAVED.fullmatch(words):
        return [AskAll(text)]
    for pattern in forms.ASKS:
        found = pattern.fullmatch(words)
        if found is None:
            continue
        groups = found.groupdict()
        things = _ANOTHER.split(groups.get("liked") or groups.get("thing") or "")
        if not all(map(forms.is_key, things)):
            continue
        many = (groups.get("many") or "").strip() in ("are", "were", "'re")
        if len(things) > 1:
            return [Ask(thing, thing) for thing in things]
        also = f"favorite {things[0]}" if groups.get("liked") else ""
        return [Ask(things[0], text, also, many)]
    return []
