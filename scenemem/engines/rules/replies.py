"""Replies without a model: commands carried out by tools, saved facts, and what is remembered.

A message that holds a plain command is answered by tool calls first; when their results have come,
by what they say. A question about a saved fact is answered from the notebook. Any other question
is answered by the session's notes and the best of what was recalled, word for word, with its date
and its speaker; where nothing was recalled, the reply says so; a statement is acknowledged. Nothing
is made up.

Figures: none of recall; the agent answers without a model (see `commands.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from scenemem.base.records import Cell, Message
from scenemem.base.session_records import Fact, FactScope
from scenemem.base.text import day_in_words
from scenemem.base.tool_calls import MadeCall, made_calls
from scenemem.engines.engine import Prompt, Recalled, Reply
from scenemem.engines.rules.commands import (
    Ask,
    AskAll,
    Call,
    Other,
    Part,
    Unread,
    find_fact,
    in_words,
    is_only_command,
    key_for,
    read_parts,
    value_in_words,
)
from scenemem.engines.rules.sentence import Sentence
from scenemem.engines.rules.statements import is_question, read_statements
from scenemem.engines.rules.terms import is_field, terms

__all__ = ["reply_to"]

MOST_QUOTES = 4
_MOST_NOTES = 2
_MOST_FACTS = 40  # that are listed
_WEAKEST = 0.4  # of the best score: what is weaker is not worth quoting
_ASKS = re.compile(
    r"[?？؟;]\s*$|^\s*(?:who|what|when|where|which|why|how|whose|whom|do|does|did|is|are|was|were|"
    r"can|could|should|would|will|have|has|had|tell|show|list|remind(?! me to)|find|search|recall|"
    r"suggest|"
    r"wer|was|wann|wo|wie|warum|welche\w*|qui|quand|où|comment|quién|qué|cuándo|dónde|cómo|"
    r"кто|что|когда|где|как|почему)\b|[吗呢么]\s*$|什么|哪|谁|怎么|何|どこ|いつ|誰",
    re.IGNORECASE,
)


def reply_to(prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> Reply:
    """The reply to the user's last message: calls of the offered `tools`, or the text."""
    message, after = _last_of_user(prompt.messages)
    parts = read_parts(message.content) if message.role == "user" else []
    parts = [_kept_here(part, prompt.own) for part in parts]
    made: dict[str, MadeCall] = {}
    for place, call in made_calls(after):
        # Some servers give one id to the calls of several steps.
        made[call.id if call.id not in made else f"{call.id} of {place}"] = call
    has_command = any(isinstance(part, Call | Unread) for part in parts)
    offered = _names_of(tools) if has_command else frozenset()
    if not made:
        calls = tuple(_calls_for(parts, message, prompt.facts, offered))
        if calls:
            return Reply("", tool_calls=calls)
    told = _Told(prompt, message, made, offered)
    if made or told.knows_any(parts):
        return Reply(told.text_of(parts))
    return Reply(_from_memory(message.content, _known_of(message.content, prompt), prompt.now))


def _kept_here(part: Part, own: Sequence[str]) -> Part:
    """A part that is only for this session and is no command to save something: it is noted."""
    if isinstance(part, Other | Unread):
        for sentence in own:
            if part.text.strip() in sentence or sentence in part.text:
                return Call("jot", {"note": sentence}, part.text)
    return part


class _Noted(NamedTuple):
    """A note of the session, as something recalled."""

    text: str
    at: datetime
    score: float
    speaker: str | None = None
    scene: str | None = None
    cell: Cell | None = None


def _known_of(clause: str, prompt: Prompt) -> list[Recalled]:
    """What bears on a clause: the session's latest notes that have a word of it, what was recalled.

    A note that is recalled as a cell too is told once.
    """
    wanted = {term for term in terms(clause) if not is_field(term)}
    said = " ".join(found.text for found in prompt.recalled).lower()
    score = prompt.recalled[0].score if prompt.recalled else 1.0
    fitting = [note for note in prompt.notes if wanted & terms(note.note).keys()]
    noted: list[Recalled] = [
        _Noted(note.note, note.at, score)
        for note in fitting[-_MOST_NOTES:]
        if note.note.lower().rstrip(".!") not in said
    ]
    return [*noted, *prompt.recalled]


# --- calling tools -------------------------------------------------------------------------------


def _last_of_user(messages: Sequence[Message]) -> tuple[Message, Sequence[Message]]:
    """The user's last message and those after it; without one, the last message."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return messages[index], messages[index + 1 :]
    return messages[-1], ()


def _names_of(tools: Sequence[dict[str, Any]]) -> frozenset[str]:
    return frozenset(str(tool.get("function", {}).get("name", "")) for tool in tools)


def _calls_for(
    parts: Sequence[Part], message: Message, facts: Sequence[Fact], offered: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The tool calls that the parts ask for, in the chat API's shape."""
    for number, part in enumerate(parts):
        if not isinstance(part, Call) or part.tool not in offered:
            continue
        arguments = dict(part.arguments)
        if part.tool in ("remember", "forget"):
            fact = find_fact(facts, arguments["key"])
            if fact is None and part.tool == "forget":
                continue
            # One key for one thing, however it is spelled this time.
            arguments["key"] = fact.key if fact else arguments["key"]
        yield {
            "id": _call_id(message, number),
            "type": "function",
            "function": {
                "name": part.tool,
                "arguments": json.dumps(arguments, ensure_ascii=False),
            },
        }


def _call_id(message: Message, number: int) -> str:
    return f"call_{message.id}_{number + 1}"


# --- telling -------------------------------------------------------------------------------------


class _Saved(NamedTuple):
    """A fact that was just saved: told in one sentence with those beside it."""

    scope: str
    fact: str


class _Told:
    """What is told of the parts of one message, in their order.

    What a part has saved or forgotten holds for the questions behind it.
    """

    def __init__(
        self, prompt: Prompt, message: Message, made: dict[str, MadeCall], offered: Collection[str]
    ) -> None:
        self._prompt = prompt
        self._message = message
        self._made = made
        self._offered = offered
        self._facts = list(prompt.facts)

    def knows_any(self, parts: Sequence[Part]) -> bool:
        """Whether any part can be answered without the memory of scenes."""
        return any(
            self._fact_for(part) is not None
            if isinstance(part, Ask)
            else isinstance(part, AskAll | Unread)
            or (isinstance(part, Call) and part.tool == "forget" and "forget" in self._offered)
            for part in parts
        )

    def text_of(self, parts: Sequence[Part]) -> str:
        """The reply's text."""
        left = dict(self._made)
        told: list[str | _Saved] = []
        for number, part in enumerate(parts):
            call = left.pop(_call_id(self._message, number), None)
            if call is not None:
                told.append(self._result(call))
            elif (answer := self._answer(part)) and answer not in told:
                told.append(answer)
        told += [self._result(call) for call in left.values()]
        pieces = list(_joined(told))
        return ("\n" if any("\n" in piece for piece in pieces) else " ").join(pieces) or "Noted."

    def _result(self, call: MadeCall) -> str | _Saved:
        """What came of a call; failures, refusals and what is not understood as they are."""
        arguments = call.arguments
        result = "error: no result came" if call.result is None else call.result.strip()
        if result.startswith(("error:", "refused:")):
            return result
        if call.tool == "remember" and "value" in arguments and result.startswith("remembered"):
            self._learn(arguments)
            fact = f"{in_words(str(arguments.get('key')))} is {value_in_words(arguments['value'])}"
            return _Saved(str(arguments.get("scope", "short")), fact)
        if call.tool == "calculator":
            return f"{arguments.get('expression', '')} = {result}."
        if call.tool == "counter" and result.lstrip("-").isdigit():
            return f"The {in_words(str(arguments.get('name', '')))} counter is at {result}."
        if call.tool == "jot" and result == "noted":
            return _ended(f"Noted: {arguments.get('note', '')}")
        if call.tool == "forget":
            self._unlearn(str(arguments.get("key", "")))
            return _ended(result[:1].upper() + result[1:])
        return result

    def _answer(self, part: Part) -> str:
        """The answer to a part that no tool was called for; "" where it only tells something."""
        if isinstance(part, Ask):
            fact = self._fact_for(part)
            if fact is not None:
                verb = "are" if part.many else "is"
                return _ended(f"Your {part.thing} {verb} {value_in_words(fact.value)}")
            return self._recollected(part.text) or f"I don't know your {part.thing}."
        if isinstance(part, Call):
            if part.tool == "forget" and "forget" in self._offered:
                return f"Nothing is saved as {in_words(part.arguments['key'])}."
            return ""
        if isinstance(part, Unread):
            return _not_understood(self._offered)
        if isinstance(part, AskAll):
            return self._all_facts()
        return self._from_scenes(part)

    def _all_facts(self) -> str:
        """The saved facts, the newest first."""
        newest = sorted(self._facts, key=lambda fact: fact.updated_at, reverse=True)
        told = [f"{in_words(f.key)} is {value_in_words(f.value)}" for f in newest[:_MOST_FACTS]]
        if len(newest) > _MOST_FACTS:
            told.append(f"and {len(newest) - _MOST_FACTS} more")
        if not told:
            return "Nothing is saved in this conversation yet."
        return _ended(f"Saved in this conversation: {', '.join(told)}")

    def _from_scenes(self, part: Other) -> str:
        if not _ASKS.search(part.text):
            return ""
        return self._recollected(part.text) or f"I don't remember anything about “{part.text}”"

    def _recollected(self, clause: str) -> str:
        """What was recalled for one clause of the message; "" where nothing was."""
        wanted = {term for term in terms(clause) if not is_field(term)}
        known = _known_of(clause, self._prompt)
        fitting = [found for found in known if wanted & terms(found.text).keys()]
        return _quoted(fitting, self._prompt.now)

    def _fact_for(self, ask: Ask) -> Fact | None:
        return find_fact(self._facts, ask.thing)

    def _learn(self, arguments: dict[str, Any]) -> None:
        key = str(arguments.get("key"))
        self._unlearn(key)
        scope: FactScope = "long" if arguments.get("scope") == "long" else "short"
        message = self._message
        self._facts.append(Fact(message.session, key, arguments["value"], scope, message.at))

    def _unlearn(self, key: str) -> None:
        self._facts = [fact for fact in self._facts if key_for(fact.key) != key_for(key)]


def _joined(told: Sequence[str | _Saved]) -> Iterator[str]:
    """The sentences, with neighbouring facts of one scope in one."""
    run: list[_Saved] = []
    for piece in [*told, None]:
        if run and not (isinstance(piece, _Saved) and piece.scope == run[0].scope):
            facts = ", ".join(saved.fact for saved in run)
            yield _ended(f"Remembered ({run[0].scope} term): {facts}")
            run = []
        if isinstance(piece, _Saved):
            run.append(piece)
        elif piece:
            yield piece


_KNOWN: Final = {
    "remember": "“remember my locale is en_US”",
    "forget": "“forget my locale”",
    "jot": "“jot down that the door sticks”",
    "counter": "“add 2 to the coffee counter”",
    "calculator": "“calculate 12*(8+5)”",
}


def _not_understood(offered: Collection[str]) -> str:
    """What is said to an order in no known form, with forms that are known."""
    known = [form for tool, form in _KNOWN.items() if tool in offered]
    forms = " or ".join(part for part in (", ".join(known[:-1]), *known[-1:]) if part)
    told = f"; I know such as {forms}" if forms else ""
    return f"I did not understand that as a command, and nothing was done{told}."


def _ended(sentence: str) -> str:
    return sentence if sentence.rstrip("\"'”’)").endswith((".", "!", "?", "…")) else f"{sentence}."


# --- quoting what is remembered ------------------------------------------------------------------


def _from_memory(message: str, recalled: Sequence[Recalled], now: datetime | None) -> str:
    """The reply to a message that holds no command and asks for no saved fact."""
    if not _ASKS.search(message.strip()):
        return "Noted."
    return _quoted(recalled, now) or "I don't remember anything about that."


def _quoted(recalled: Sequence[Recalled], now: datetime | None) -> str:
    """The best of what was recalled, word for word; "" where nothing was."""
    quotes = _worth_quoting(recalled)
    if not quotes:
        return ""
    if len(quotes) == 1:
        return f"I remember this: {_quote(quotes[0], now)}"
    lines = "\n".join(f"- {_quote(found, now)}" for found in quotes)
    return f"This is what I remember:\n{lines}"


def _worth_quoting(recalled: Sequence[Recalled]) -> list[Recalled]:
    telling = [found for found in recalled if found.cell or not _tells_nothing(found.text)]
    if not telling:
        return []
    floor = telling[0].score * _WEAKEST
    return [found for found in telling if found.score >= floor][:MOST_QUOTES]


def _tells_nothing(said: str) -> bool:
    """Whether nothing was said but questions and passing commands: they answer no question."""
    return all(map(_asks, read_parts(said))) and all(
        is_only_command(statement.text) for statement in read_statements(said)
    )


def _asks(part: Part) -> bool:
    if isinstance(part, Other):
        return is_question(Sentence.of(part.text))
    return not isinstance(part, Call) or part.tool in ("calculator", "counter", "forget")


def _quote(found: Recalled, now: datetime | None) -> str:
    day = "today" if now and found.at.date() == now.date() else f"on {day_in_words(found.at)}"
    who = {None: "It was noted", "user": "You said", "assistant": "I said"}.get(
        found.speaker, f"{found.speaker} said"
    )
    scene = f" ({found.scene})" if found.scene else ""
    text = " ".join(found.text.split())
    return f"{who} {day}: “{text}”{scene}"
