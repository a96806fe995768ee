"""Plain commands: what a message asks for, clause by clause, as tool calls and questions.

    read_parts("Set my locale to en_US. What is 12*(8+5)?")
        Call("remember", {"key": "locale", "value": "en_US", "scope": "short"}, ...)
        Call("calculator", {"expression": "12*(8+5)"}, ...)

Pure, and a function of the words alone. A message is cut into sentences, a sentence into clauses
where a new command or question begins; a clause in none of the known forms stays what it is: an
`Other`. A reader that does not know a command answers it as talk; one that takes talk for a
command changes the memory unasked. So what is unsure is no command. The forms are English; an order
in any other form, or to forget something in another language, is known for one and not carried out
(`Unread`), so that nobody believes it was.

Each pattern is matched against a whole clause from the first word behind its `LEAD` on, so that a
report ("I set my alarm to 6"), somebody else's words and what only contains a command are none.
Named groups: `key`, `value`, `note`, `name`, `amount`, `thing`.

Figures: without it the agent's demo answers none of its four messages right without a model, and
its notebooks stay empty; with it all four.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from scenemem.base.calculator import is_arithmetic
from scenemem.base.session_records import Fact, FactScope
from scenemem.base.talk import sentences_of
from scenemem.base.text import clean, fold
from scenemem.engines.rules.sentence import Sentence, word_set
from scenemem.engines.rules.statements import act_of, opens_a_payload, opens_a_role

LONGEST_READ = 2_000  # characters of a message that may hold commands
_JOINT = re.compile(
    r"(?:\s*[,;]\s*(?:(?:and|then|but|also)\s+)?"
    r"|\s+(?:and(?: then| also)?|then)\s+)"
)
_ANOTHER_THING = re.compile(r"\s+and\s+(?:(?:my|our)\s+)?")
_MAY_COMMAND = re.compile(
    r"\b(?:counter|tool|forget|delete|remove|drop|erase|wipe|clear|purge|reset|calc\w*|compute|sqrt"
    r"|(?:in|de)crement|count (?:up|down)|set my|vergiss|lösche?|oublie|efface|supprime|olvida"
    r"|borra|elimina)\b",
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

    `many` says that it is asked with "are".
    """

    thing: str
    text: str
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
        lead = LEAD.match(rest)
        if joint.start() == 0 or not FIRST_WORDS.match(rest, lead.end() if lead else 0):
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
    return parts


def _clause_parts(clause: str) -> list[_Read]:
    """What one clause says; an `Other` where it is in no known form.

    What changes something is asked for, or ordered, but never put as a question.
    """
    text = clause.strip()
    lead = LEAD.match(text)
    words = text[lead.end() :] if lead else text
    is_order = not text.endswith(("?", "？")) or bool(lead and lead["asked"])
    scope, bare = _without_scope(TRAILING_COURTESY.sub("", words))
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
    for found in SCOPE.finditer(text):
        named = found["inside"] or found["last"]
        if found["last"] and SCOPE_IN_VALUE.search(text[: found.start()]):
            continue
        rest = f"{text[: found.start()]}{text[found.end() :]}".strip()
        is_long = named is not None and named.lower() == "long"
        return ("long" if is_long else "short"), rest
    return None, text


# --- facts ---------------------------------------------------------------------------------------


def _facts(bare: str, text: str, scope: FactScope | None) -> list[_Read]:
    for form in FORMS:
        pairs = _pairs(form, bare)
        if pairs:
            told = [(key, *_without_scope(value)) for key, value in pairs]
            return [
                _remember(key, value, own or scope or form.scope, text) for key, own, value in told
            ]
    return []


def _pairs(form: Form, text: str) -> list[tuple[str, str]]:
    """The keys and values that `text` names in this form; none where it tells something else."""
    opening = form.opening.match(text)
    first = form.pair.match(text, opening.end()) if opening else None
    if first is None or not is_key(first["key"]):
        return []
    found = [first]
    for pair in form.next_pair.finditer(text, first.end()):
        if is_key(pair["key"]):
            found.append(pair)
    ends = [*(pair.start() for pair in found[1:]), len(text)]
    pairs = []
    for pair, end in zip(found, ends, strict=True):
        value = GOES_ON.sub("", _END.sub("", text[pair.end() : end]))
        if not value or (form.states and _tells(pair["key"], value)):
            return []
        pairs.append((pair["key"], value))
    return pairs


def _tells(key: str, value: str) -> bool:
    """Whether "my `key` is `value`" is a statement rather than a fact with a value."""
    return TELLS.match(value) is not None and PURSUIT.search(key) is None


def _remember(key: str, value: str, scope: FactScope, text: str) -> Call:
    typed = typed_value(_END.sub("", value))
    arguments = {"key": key_for(key), "value": typed, "scope": scope}
    return Call("remember", arguments, text)


def _forget(bare: str, text: str) -> list[_Read]:
    found = FORGET.fullmatch(bare)
    if found is None:
        return []
    key = found["key"] or found["deleted"]
    if not is_key(key) or (found["deleted"] and not ELSEWHERE.isdisjoint(key.lower().split())):
        return []
    return [Call("forget", {"key": key_for(key)}, text)]


def _unread(bare: str, text: str) -> list[_Read]:
    found = ORDER.fullmatch(bare)
    if found is None:
        return []
    named = found["name"] or found["named"]
    return [Unread(text)] if named is None or is_key(named) else []


def _store_it(bare: str, text: str, scope: FactScope | None) -> list[_Read]:
    return [_StoreIt(text, scope)] if STORE_IT.fullmatch(bare) else []


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
        pairs = _pairs(MY_IS, bare) if isinstance(part, Other) else []
        if len(pairs) != 1 or part.text.endswith("?"):
            break
        [(key, value)] = pairs
        run.append(_remember(key, value, named or scope, part.text))
    yield from reversed(run)


# --- notes, counters, arithmetic, questions ------------------------------------------------------


def _note(bare: str, text: str) -> list[_Read]:
    found = JOT.fullmatch(bare) or REMEMBER_THAT.fullmatch(bare)
    return [Call("jot", {"note": found["note"]}, text)] if found else []


def _counter(bare: str, text: str, is_order: bool) -> list[_Read]:
    for op, pattern in COUNTER_FORMS:
        found = pattern.fullmatch(bare)
        if found is None:
            continue
        groups = found.groupdict()
        named = groups.get("name") or groups.get("named") or _one(groups.get("many") or "")
        if not is_key(named) or not (is_order or op == "get"):
            continue
        arguments: dict[str, Any] = {"name": key_for(named), "op": op}
        if amount := groups.get("amount") or groups.get("added"):
            word = amount.lower()
            arguments["amount"] = NUMBER_WORDS[word] if word.isalpha() else int(word)
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
    if ALL_SAVED.fullmatch(words):
        return [AskAll(text)]
    for pattern in ASKS:
        found = pattern.fullmatch(words)
        if found is None:
            continue
        groups = found.groupdict()
        things = _ANOTHER_THING.split(groups["thing"])
        if not all(map(is_key, things)):
            continue
        many = (groups.get("many") or "").strip() in ("are", "were", "'re")
        if len(things) > 1:
            return [Ask(thing, thing) for thing in things]
        return [Ask(things[0], text, many)]
    return []


# --- saved facts: keys and values ----------------------------------------------------------------

_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[^\W_]+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")
_QUOTES: Final = (
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("`", "`"),
    ("‘", "’"),
)
_IDLE: Final = frozenset(("the", "a", "an", "my", "current", "own", "saved", "stored"))


def key_for(words: str) -> str:
    """The key under which a fact is saved: "Mother's birthday" -> "mothers_birthday"."""
    plain = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", clean(words)))
    return "_".join(_WORD.findall(plain.lower()))


def in_words(key: str) -> str:
    """A key as one would say it: "favorite_model" -> "favorite model"."""
    return key.replace("_", " ").strip() or key


def find_fact(facts: Iterable[Fact], words: str) -> Fact | None:
    """The fact whose key `words` may be another spelling of, the newest where there are several."""
    wanted, key = _spelled(words), key_for(words)
    if not wanted:
        return None
    alike = [fact for fact in facts if _spelled(fact.key) == wanted]
    return max(alike, key=lambda fact: (fact.key == key, fact.updated_at), default=None)


def _spelled(words: str) -> str:
    """What all spellings of a key share."""
    listed = _WORD.findall(fold(_APOSTROPHE.sub("", words)))
    kept = [word for word in listed if word not in _IDLE] or listed
    return "".join(_one_spelling(word) for word in kept)


def _one_spelling(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


def typed_value(text: str) -> Any:
    """The JSON value of what was typed: true and false, plain numbers, else the text itself.

    A number that would not be written the same again ("3.10", "007") stays text; so does what
    stands in quotation marks.
    """
    text = text.strip()
    for opening, closing in _QUOTES:
        if len(text) > 1 and text.startswith(opening) and text.endswith(closing):
            return text[1:-1].strip()
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text) and text != "-0":
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def value_in_words(value: Any) -> str:
    """A saved value in a sentence: text as it is, all else as JSON; what is empty says so."""
    if isinstance(value, str) and value.strip():
        return value
    written = json.dumps(value, ensure_ascii=False)
    return f"{written} (empty)" if value in ("", [], {}) or isinstance(value, str) else written


# --- sums ----------------------------------------------------------------------------------------

_ANOTHER_SUM = re.compile(r"\s+and\s+|;\s+|,\s+")


def sums_in(clause: str) -> list[str]:
    """The expressions that a clause asks to work out; none where it asks for anything else."""
    asked = HOW_MUCH.fullmatch(clause)
    told = CALCULATE.fullmatch(clause)
    if asked and not NO_SUM.fullmatch(asked["value"].strip()):
        values = asked["value"]
    elif told:
        values = told["value"]
    elif is_sum_alone(clause):
        values = clause
    else:
        return []
    expressions = [written_out(value) for value in _ANOTHER_SUM.split(values)]
    return expressions if all(map(is_arithmetic, expressions)) else []


def is_sum_alone(text: str) -> bool:
    """Whether the text is nothing but arithmetic, and no date, telephone number, score or range."""
    bare = text.rstrip(" .?=")
    if NO_SUM.fullmatch(bare) or (NO_SUM_ALONE.fullmatch(bare) and "=" not in text):
        return False
    return is_arithmetic(written_out(text))


def written_out(text: str) -> str:
    """An expression as a calculator takes it: operators and roots in words become signs."""
    for pattern, sign in IN_WORDS:
        text = pattern.sub(sign, pattern.sub(sign, text))  # a root may stand within a root
    text = text.strip(" \t\r\n=?!:").removesuffix(".")
    alone = ROOT_ALONE.fullmatch(text)
    return alone[1] if alone else text


_LONGEST_KEY = 60  # characters


# --- forms: what may stand around a command ------------------------------------------------------

LEAD: Final = re.compile(
    r"(?:(?:please|kindly|ok(?:ay)?|hey|hi|hello|alright|great|thanks|and|also|then|now|so|well|just"
    r"|by the way|btw|(?P<asked>(?:can|could|would|will) you)|i(?:'d| would) like you to"
    r"|i (?:want|need) you to|use (?:a|the|your)(?: \w+)? (?:tool|calculator|counter|memory) to"
    r")[,!:]?\s+){0,4}",
    re.I,
)
SCOPE: Final = re.compile(
    r"[,;]?\s*(?:\((?:(?:in|for|as) )?(?:the |your |my )?(?P<inside>short|long)[- ]?term"
    r"(?: memory)?\)"
    r"|(?:\b(?:in|into|to|for|as) (?:the |your |my )?)?\b(?P<last>short|long)[- ]term(?: memory)?"
    r"(?=[\s.!]*$)"
    r"|\(?\b(?:just |only )?(?P<session>for (?:this|the current) session|for now)(?: only)?\)?"
    r"(?=[\s.!]*$))",
    re.I,
)
# "My goal is to think long term": there it belongs to the value.
SCOPE_IN_VALUE: Final = re.compile(r"(?:\b(?:is|are) |^)to\b[^,;]*$", re.I)
TRAILING_COURTESY: Final = re.compile(r"[,\s]+(?:please|thanks|thank you)[\s.!]*$", re.I)
STORE_IT: Final = re.compile(
    r"(?:(?:store|save|remember|keep|note|memori[sz]e|record)(?: down)?"
    r"|(?:make|take) (?:a )?note of) "
    r"(?:it|that|this|them|these|those)(?:,? (?:please|for (?:me|later|next time|future"
    r" reference)|in mind|(?:in|to) (?:your |the )?(?:memory|notes)))*[\s.!]*",
    re.I,
)
FIRST_WORDS: Final = re.compile(
    r"(?:what|which|who|when|where|how|do you|did i|tell|show|recall|remind|remember"
    r"|memori[sz]e|keep|bear|save|store|record|note|jot|write|make|take|add|set|change|switch|update"
    r"|count|increment|increase|raise|bump|decrement|decrease|lower|subtract|reset|clear|zero"
    r"|calc|calculate|compute|work out|evaluate|solve|sqrt|forget|delete|remove"
    r"|drop|erase|[-+(\d])",
    re.I,
)


# --- forms: facts --------------------------------------------------------------------------------

_WORDS = r"[^\W_][\w'’.+#/-]*(?: [\w'’.+#/-]+){0,5}?"
_KEY = rf"(?P<key>{_WORDS})"
_AND = r"(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+)(?:that\s+)?"
_NO_KEY: Final = word_set(
    "i me you he him she it its we us they them this that these those a an the your his her their "
    "who which whose what when where why how if and or but not to is are was were be been has have "
    "had said told says asked wants want need needs can could will would should must may might do "
    "does did up off out down aside over back from ready able due close next go going try fire "
    "sail foot eyes course yourself myself mind clock according counter"
)


class Form(NamedTuple):
    """A way to name facts: an opening, then pairs ("my X is" Y), `scope` unless another is told.

    `next_pair` finds the pairs behind the first one. In a `states` form the pairs are sentences,
    which may tell something other than a fact.
    """

    opening: re.Pattern[str]
    pair: re.Pattern[str]
    next_pair: re.Pattern[str]
    scope: FactScope
    states: bool = False


def _form(
    opening: str,
    whose: str,
    joint: str,
    scope: FactScope = "long",
    *,
    states: bool = False,
) -> Form:
    pair = rf"{whose}{_KEY}{joint}"
    return Form(
        re.compile(opening, re.I),
        re.compile(pair, re.I),
        re.compile(_AND + pair, re.I),
        scope,
        states,
    )


_MY = r"(?:my|our)\s+"
_MAYBE_MY = r"(?:(?:my|our)\s+)?"
_AS = r"\s+as\s+(?!(?:it|usual|before|always|soon|long|well|possible|if|though)\b)"
_REMEMBER = (
    r"(?:remember|memori[sz]e|(?:keep|bear) in mind|don't forget|store|save|record|note(?! that\b))"
    r"(?: (?:down|this|also|the following|(?:short|long)[- ]term))*(?:[,:]? that| down)?"
)
FORMS: Final = (
    _form(
        _REMEMBER + r"[,:]?\s+",
        _MY,
        r"(?:\s+(?:is|are)(?: called| named)?\s+|\s*=\s*|\s*:\s+)",
        states=True,
    ),
    _form(_REMEMBER + r":?\s+", r"(?:(?:my|our|the)\s+)?", r"\s*=\s*"),
    _form(r"(?:remember|memori[sz]e|store|save)\s+", "", r":\s+"),
    _form(r"(?:save|store|keep|note|record|remember)\s+", _MAYBE_MY, _AS),
    _form(r"set\s+", r"(?:(?:my|our|the)\s+)?", r"\s+to\s+", "short"),
    _form(r"(?:change|switch|update)\s+", _MY, r"\s+to\s+", "short"),
)
MY_IS: Final = _form("", _MY, r"\s+(?:is|are)(?: called| named)?\s+", states=True)
# "My sister is coming on Friday" tells something, but no value.
TELLS: Final = re.compile(
    r"(?:not|never|going to|gonna|so|very|too|really|allergic|afraid|about to|supposed to|able to"
    r"|[a-z]+ing (?:to|at|in|on|for|from|with|by|the|an?|my|me|home|back|over|soon|tomorrow|next"
    r"|this|tonight|today))\b"
)
# "… is blue, and I like it": what goes on behind a value.
GOES_ON: Final = re.compile(
    r",?\s+(?:and|but|because|so|which)\s+(?:i|we|he|she|it|they|is|that)(?:'\w+)?\s.*$",
    re.I | re.S,
)
PURSUIT: Final = re.compile(r"\b(?:favou?rite|hobb\w+|goals?|jobs?|sports?|plans?|dreams?)\b", re.I)
FORGET: Final = re.compile(
    rf"(?:forget(?: about)?\s+(?:my|our|the saved)\s+{_KEY}"
    rf"|(?:delete|remove|erase|drop)\s+my\s+(?P<deleted>{_WORDS})"
    r"(?:\s+from (?:your |the |my )?(?:memory|notes|facts|notebook))?"
    r")[\s.!]*",
    re.I,
)


# "Drop my kids at school": words that no saved thing's name has.
ELSEWHERE: Final = word_set("at from in on onto into by with for of under behind before after")


def is_key(words: str) -> bool:
    """Whether these words may name a fact: a few words, none that opens a clause of its own."""
    if len(words) > _LONGEST_KEY:
        return False
    listed = words.lower().replace("’", "'").split()
    return listed == ["a"] or (bool(listed) and _NO_KEY.isdisjoint(listed))


# --- forms: notes --------------------------------------------------------------------------------

_MEMORABLE = (
    # Reminiscing, and words to the listener.
    r"(?!(?:time|day|night|summer|winter|year|week|guy|girl|man|woman|movie|film|song|place|trip"
    r"|one)\b|you(?:'re|'ve|'ll|'d)?\b|your\b)"
)
JOT: Final = re.compile(
    r"(?:jot(?: (?:it|this))?(?: down)?(?: that)?[,:]?|write(?: (?:it|this))? down(?: that|:)"
    r"|(?:make|take)(?: me)? (?:a |another )?(?:quick )?note(?: (?:that|of|saying))?[,:]?"
    r"|(?:write|add)(?: me)? (?:a |another )?note(?:[,:]? that| saying|:)"
    r"|add (?:this )?to (?:my|the) notes:|note(?: down| to self)?:|note (?:down )?that"
    r"|take note(?: that)?[,:]?)"
    r"\s+(?P<note>(?!as\b|(?:this|that|it)$).+)",
    re.I | re.S,
)
REMEMBER_THAT: Final = re.compile(
    r"(?:(?:remember|memori[sz]e)(?: (?:short|long)[- ]term)?(?: also)? that"
    r"|(?:keep|bear) in mind that|remember(?: this| the following)?:"
    r"|remember(?=\s+i(?:'(?:m|ve|d|ll))?\s))"
    rf"\s+(?P<note>{_MEMORABLE}.+)",
    re.I | re.S,
)


# --- forms: counters -----------------------------------------------------------------------------

_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS: Final[dict[str, int]] = {
    **{word: number for number, word in enumerate(_COUNTED.split())},
    **dict.fromkeys(("a", "an", "another"), 1),
}
_AMOUNT = rf"(?:-?[0-9]{{1,18}}|{'|'.join(NUMBER_WORDS)})"
_COUNTER = (
    r"(?:(?:the|my|our)\s+)?(?:(?P<name>[^\W_][\w'’-]*(?: [\w'’-]+){0,3}?)\s+(?:counter|tally)"
    r"|counter\s+(?:called |named |for )?[\"“']?(?P<named>[^\W_][\w'’-]*)[\"”']?)"
)
_BY = rf"(?:\s+by\s+(?P<amount>{_AMOUNT}))?"
_ADDED = rf"(?P<added>{_AMOUNT})(?:\s+more)?"
_MANY = r"(?!(?:my|our)\b)(?P<many>[^\W_][\w'’-]*(?: [\w'’-]+)?)"
COUNTERS: Final = (
    ("inc", rf"(?:count|increment|increase|bump|inc)(?: up)?\s+{_COUNTER}(?: up)?{_BY}"),
    ("inc", rf"(?:count up|increment|inc)\s+{_MANY}{_BY}"),
    ("inc", rf"{_COUNTER}\s*(?:\+\+|(?:\+|plus\s)\s*(?P<amount>{_AMOUNT}))"),
    ("inc", rf"add\s+{_ADDED}\s+(?:to|on)\s+{_COUNTER}"),
    ("dec", rf"(?:decrement|decrease|dec|count down)\s+{_COUNTER}{_BY}"),
    ("dec", rf"(?:count down|decrement|dec)\s+{_MANY}{_BY}"),
    ("dec", rf"{_COUNTER}\s*(?:--|(?:[-−–]|minus\s)\s*(?P<amount>{_AMOUNT}))"),
    ("dec", rf"(?:subtract|take|remove)\s+{_ADDED}\s+(?:from|off)\s+{_COUNTER}"),
    ("set", rf"(?:set|put|change)\s+{_COUNTER}\s+(?:to|at)\s+(?P<amount>{_AMOUNT})"),
    ("reset", rf"(?:reset|zero)\s+{_COUNTER}(?:\s+(?:to zero|to 0))?"),
    ("get", rf"(?:what(?:'s| is)|show(?: me)?|tell me)\s+{_COUNTER}(?: (?:at|on|now|value))*"),
    (
        "get",
        r"how many\s+(?P<many>[^\W_][\w'’-]*(?: [\w'’-]+){0,2}?)\s+(?:are|is|do i have)"
        r"(?: there)?\s+(?:on|in) (?:the|my) counter(?: now)?",
    ),
)
COUNTER_FORMS: Final = tuple(
    (op, re.compile(rf"{pattern}[\s.!?]*", re.I)) for op, pattern in COUNTERS
)


# --- forms: arithmetic ---------------------------------------------------------------------------

CALCULATE: Final = re.compile(
    r"(?:calc|calculate|compute|work out|evaluate|solve)"
    r"(?: for me| the value of| the result of)?:?\s+(?P<value>.+)",
    re.I | re.S,
)
HOW_MUCH: Final = re.compile(
    r"(?:(?:what|how much)(?:'s| is| are| does| do| would)"
    r"|(?:do you know|tell me) (?:what|how much))\s+(?P<value>.+?)"
    r"(?:\s+(?:equals?|make|is|be|come to|equal to))?[\s?=.!]*",
    re.I | re.S,
)
_OPERAND = r"(\d[\d.,]*(?<![.,])|\((?:[^()]|\([^()]*\))*\))"
IN_WORDS: Final = (
    (
        re.compile(
            rf"(?:(?:the )?(?:square root of|sqrt(?: of)?)|√)\s*{_OPERAND}",
            re.I,
        ),
        r"(\1**0.5)",
    ),
    (re.compile(r"(?<=\d)\s*% of (?=[\d(])", re.I), "/100*"),
    (re.compile(r"\bplus\b", re.I), "+"),
    (re.compile(r"\bminus\b", re.I), "-"),
    (re.compile(r"\b(?:times|multiplied by)\b", re.I), "*"),
    (re.compile(r"\b(?:divided by)\b", re.I), "/"),
    (re.compile(r"\b(?:to the power of)\b", re.I), "**"),
)
# A root that is all there is needs no brackets.
ROOT_ALONE: Final = re.compile(r"\(((?:[\d.,]+|\([^()]*\))\*\*0\.5)\)")
# Digits with marks between them that are no sum: dates, times of years, phone numbers, scores.
NO_SUM: Final = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}-0\d|\d{3}[-–]\d{4}"
    r"|(?:19|20)\d\d[-–](?:19|20)\d\d|\+?\d{1,4}(?:[-–]\d{2,4})+[-–]\d{4}|\+\d{2,}[-–\d]*"
    r"|0\d+[-–/]\d.*|\(\d{3,5}\)\s*[-–]?\s*\d.*"
)
NO_SUM_ALONE: Final = re.compile(r"\d+(?:[-–/]\d+)+")


# --- forms: questions about facts ----------------------------------------------------------------

_THING = rf"(?P<thing>{_WORDS})"
_SINCE = (
    r"(?:\s+(?:you|before|earlier|last time|again|now|as|to|for (?:this|the) session|so far"
    r"|to be|by default|at the moment|currently|called|named))*[\s?!.]*"
)
ASKS: Final = tuple(
    re.compile(rf"{pattern}{_SINCE}", re.I)
    for pattern in (
        r"(?:what|which|who|when|where)(?P<many>'s|'re| is| are| was| were)\s+(?:my|our)\s+"
        rf"{_THING}(?:\s+set)?",
        rf"what(?:'s| is| was) the {_THING} (?:that )?i (?:set|chose|saved|use|prefer|picked|gave)",
        rf"(?:what|which)\s+{_THING}\s+(?:did|do|have|had|am)\s+i\s+(?:set|choose|chosen|use|using"
        r"|used|saved?|stored?|pick|picked|give|given|configured?|tell|told|ask for|selected?"
        r"|have|said|say|specify)",
        r"(?:do|did|can|could) you (?:still )?(?:know|remember|recall|tell me)\s+"
        rf"(?:what\s+|which\s+|who\s+)?(?:my|our)\s+{_THING}(?:\s+(?:is|are|was))?",
        r"(?:tell me|remind me(?: of| about)?|show me|recall|remember|say|know|look up)\s+"
        rf"(?:what\s+|which\s+|who\s+)?(?:my|our)\s+{_THING}(?:\s+(?:is|are|was))?",
        r"what did i (?:set|save|store|choose|pick|give)(?: you)?(?: as| for)?\s+(?:my|the|our)\s+"
        rf"{_THING}",
        rf"(?:my|our)\s+{_THING}(?=\?)",
    )
)


# --- forms: all that is saved, and what is no known form -----------------------------------------

_FACTS_WORD = r"(?:saved |stored )?(?:facts|notebook|notebook entries|saved things)"
ALL_SAVED: Final = re.compile(
    rf"(?:what(?:'s|'re| is| are)(?: in| on)? (?:my|the|your|our) {_FACTS_WORD}"
    r"|what (?:did|have|do) (?:you|i|we) (?:save|saved|store|stored|have saved|have stored)"
    r"|what(?:'s| is| has been) (?:saved|stored)|which facts (?:are|do you have) (?:saved|stored)"
    rf"|(?:show|list|tell|give)(?: me)?(?: all)?(?: of)?(?: my| the| your| our)? {_FACTS_WORD}"
    r")"
    r"(?: (?:so far|until now|already|for me|about me|in (?:it|there)|right now|now|here"
    r"|in (?:this|the) (?:session|conversation)))*[\s?!.]*",
    re.I,
)
# Orders to the notebook, a counter or the calculator, whatever else they say; of other languages
# those to forget, since nobody must believe that this was done.
_HELD = (
    r"(?:whole |entire |saved |stored )*(?:memory|memories|notebook|notes?|facts?|data|history"
    r"|counters?|settings?|session|conversation)\b"
)
ORDER: Final = re.compile(
    r"(?:forget (?:everything|anything|all\b(?! about)|(?:about )?(?:my|our|what i|that i|the"
    r" (?:last|previous|first|saved|stored))\b)"
    r"|(?:delete|remove|erase|wipe|clear|purge|reset|drop)(?: out)? (?:everything\b"
    rf"|all(?: of it)?$|(?:(?:my|your|the|our|all)\s+){{1,2}}{_HELD})"
    r"|delete (?:my|our|the|that|this|it)\b|(?:increment|decrement)\b"
    r"|(?:calc|calculate|compute|sqrt)\b"
    r"|use (?:a|the|your)(?: \w+)? (?:tool|calculator|memory)\b|set my\s"
    r"|(?:vergiss(?! nicht)|lösche?|oublie|efface|supprime|olvida|borra|elimina)\b"
    rf"|(?:count|increase|decrease|raise|lower|bump|set|put|reset|zero|read|add [^,;:]{{1,30}}? to"
    rf"|(?:subtract|take) [^,;:]{{1,30}}? from) {_COUNTER}(?!\w))[^,;:]*",
    re.I,
)
