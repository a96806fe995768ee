"""Plain commands without a model: what is one, the tool calls it becomes, and what is answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scenemem import EmbeddedEngine, MemoryDB, WorkerAgent
from scenemem.base.calculator import calculate
from scenemem.base.records import Cell, Message
from scenemem.base.session_records import Fact, FactScope
from scenemem.engines.engine import Prompt, Reply
from scenemem.engines.rules.commands import (
    LONGEST_READ,
    Ask,
    AskAll,
    Call,
    Other,
    Unread,
    find_fact,
    key_for,
    read_parts,
    typed_value,
    value_in_words,
)

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(part.tool, part.arguments) for part in read_parts(text) if isinstance(part, Call)]


def remember(key: str, value: Any, scope: str = "long") -> tuple[str, dict[str, Any]]:
    return "remember", {"key": key, "value": value, "scope": scope}


def jot(note: str) -> tuple[str, dict[str, Any]]:
    return "jot", {"note": note}


def counter(name: str, op: str, amount: int | None = None) -> tuple[str, dict[str, Any]]:
    return "counter", {"name": name, "op": op} | ({} if amount is None else {"amount": amount})


def calculator(expression: str) -> tuple[str, dict[str, Any]]:
    return "calculator", {"expression": expression}


# --- what is a command ---------------------------------------------------------------------------

FACTS = {
    "Remember my favorite tea is oolong": [remember("favorite_tea", "oolong")],
    "Please remember that my favorite tea is oolong.": [remember("favorite_tea", "oolong")],
    "Can you remember that my cat is called Tom?": [remember("cat", "Tom")],
    "remember: my name is Ann": [remember("name", "Ann")],
    "Keep in mind that our budget is 500": [remember("budget", 500)],
    "remember locale = en_US": [remember("locale", "en_US")],
    "remember a = 1, b = 2.5 and c = true": [
        remember("a", 1),
        remember("b", 2.5),
        remember("c", True),
    ],
    "remember wifi name: attic": [remember("wifi_name", "attic")],
    "save my favourite colour as teal": [remember("favourite_colour", "teal")],
    "note my shoe size as 42": [remember("shoe_size", 42)],
    "keep my timezone as CET for this session": [remember("timezone", "CET", "short")],
    "Remember my name is Ann and my city is Oslo": [
        remember("name", "Ann"),
        remember("city", "Oslo"),
    ],
    "Please remember that my name is Ann, my city is Oslo, and my job is baking.": [
        remember("name", "Ann"),
        remember("city", "Oslo"),
        remember("job", "baking"),
    ],
    "Remember my favorite band is Salt and Pepper": [remember("favorite_band", "Salt and Pepper")],
    "Remember my birthday is 3 May and I like cake.": [remember("birthday", "3 May")],
    "Remember my mother's birthday is 3 May": [remember("mothers_birthday", "3 May")],
    "Remember my hobby is playing the harp": [remember("hobby", "playing the harp")],
    'Remember my motto is "Be kind. Be brave."': [remember("motto", "Be kind. Be brave.")],
    "My name is Ann. Use a tool to store it (long term).": [remember("name", "Ann")],
    "My name is Ann, please remember that.": [remember("name", "Ann")],
    "My name is Ann. My city is Oslo. Remember that for this session.": [
        remember("name", "Ann", "short"),
        remember("city", "Oslo", "short"),
    ],
    "Remember my name is Ann. Store it (short term).": [remember("name", "Ann", "short")],
    "Set my locale to en_US": [remember("locale", "en_US", "short")],
    'set the locale to "en_US".': [remember("locale", "en_US", "short")],
    "Set locale to de (long-term)": [remember("locale", "de")],
    "Set my locale to de, long-term": [remember("locale", "de")],
    "Please set my locale to en_US and time format to 24h (short term).": [
        remember("locale", "en_US", "short"),
        remember("time_format", "24h", "short"),
    ],
    "Set my title to Lord and Master": [remember("title", "Lord and Master", "short")],
    "Change my locale to fr": [remember("locale", "fr", "short")],
    "Remember my name is Ann (long term) and my city is Oslo (short term).": [
        remember("name", "Ann"),
        remember("city", "Oslo", "short"),
    ],
    "Remember my long-term goal is to retire early": [
        remember("long_term_goal", "to retire early")
    ],
    "Remember my goal is to think long-term": [remember("goal", "to think long-term")],
    "forget my locale": [("forget", {"key": "locale"})],
    "Please forget my favorite tea.": [("forget", {"key": "favorite_tea"})],
    "delete my locale": [("forget", {"key": "locale"})],
    "Remove my favorite tea.": [("forget", {"key": "favorite_tea"})],
    "Could you drop my locale?": [("forget", {"key": "locale"})],
    "delete my locale from your memory": [("forget", {"key": "locale"})],
}
NOTES = {
    "jot down that the printer is broken": [jot("the printer is broken")],
    "Jot down: call Bob on Friday.": [jot("call Bob on Friday")],
    "make a note: call Bob": [jot("call Bob")],
    "Note that the door sticks.": [jot("the door sticks")],
    "note to self: buy milk": [jot("buy milk")],
    "Remember that the launch is on Friday.": [jot("the launch is on Friday")],
    "remember that I'm allergic to nuts": [jot("I'm allergic to nuts")],
    "Please remember I'm allergic to nuts.": [jot("I'm allergic to nuts")],
    "Remember that my sister is coming on Friday": [jot("my sister is coming on Friday")],
    "The boiler was serviced in May. Make a note of that.": [jot("The boiler was serviced in May")],
}
COUNTERS = {
    "count the coffee counter": [counter("coffee", "inc")],
    "Increment the coffee counter by 3": [counter("coffee", "inc", 3)],
    "add one to my coffee counter": [counter("coffee", "inc", 1)],
    "decrement the push-up counter": [counter("push_up", "dec")],
    "subtract 2 from the tea counter": [counter("tea", "dec", 2)],
    "set the coffee counter to 5": [counter("coffee", "set", 5)],
    "set the tea counter to zero": [counter("tea", "set", 0)],
    "reset the coffee counter": [counter("coffee", "reset")],
    "Can you reset the coffee counter?": [counter("coffee", "reset")],
    "How many coffees are on the counter?": [counter("coffee", "get")],
    "what is the coffee counter?": [counter("coffee", "get")],
    "What's my coffee counter at?": [counter("coffee", "get")],
    "count up coffee": [counter("coffee", "inc")],
    "Count up coffees by 2.": [counter("coffee", "inc", 2)],
    "count down coffee": [counter("coffee", "dec")],
    "increment coffee": [counter("coffee", "inc")],
    "coffee counter +1": [counter("coffee", "inc", 1)],
    "The coffee counter ++": [counter("coffee", "inc")],
    "coffee counter plus two": [counter("coffee", "inc", 2)],
    "coffee counter -1": [counter("coffee", "dec", 1)],
    "set the coffee counter to five and reset the tea counter": [
        counter("coffee", "set", 5),
        counter("tea", "reset"),
    ],
}
SUMS = {
    "calculate 12*(8+5)": [calculator("12*(8+5)")],
    "Compute 2^10.": [calculator("2^10")],
    "Use the calculator to compute 5*6 please": [calculator("5*6")],
    "what is 12*(8+5)?": [calculator("12*(8+5)")],
    "how much is 3 + 4": [calculator("3 + 4")],
    "What is 3 plus 4?": [calculator("3 + 4")],
    "what's 15% of 80?": [calculator("15/100*80")],
    "What is 1000-25?": [calculator("1000-25")],
    "What is 1/0?": [calculator("1/0")],
    "calculate 9**9**9": [calculator("9**9**9")],
    "calculate 2+2 and 3+3": [calculator("2+2"), calculator("3+3")],
    "12*(8+5)": [calculator("12*(8+5)")],
    "calc 3^4": [calculator("3^4")],
    "sqrt 16": [calculator("16**0.5")],
    "sqrt(2+7)": [calculator("(2+7)**0.5")],
    "sqrt(sqrt(16))": [calculator("((((16)**0.5))**0.5)")],
    "2*sqrt(16) + 1": [calculator("2*((16)**0.5) + 1")],
    "What is the square root of 2.25?": [calculator("2.25**0.5")],
    "√16": [calculator("16**0.5")],
    "3 + 4 =": [calculator("3 + 4")],
    "100/8=": [calculator("100/8")],
}


@pytest.mark.parametrize(("text", "expected"), (FACTS | NOTES | COUNTERS | SUMS).items())
def test_a_plain_command_becomes_its_calls(
    text: str, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    assert calls(text) == expected


NO_COMMANDS = """
I set my alarm to 6 yesterday
I remember that my first car was red
My boss told me to remember that my badge is lost
My boss told me to sit down and remember that my badge is lost
Do you remember my sister?
Do you remember that my sister is Ann?
What is my sister's name?
Remember my name is Ann?
Remember when we went to Oslo?
Remember that time we went to Oslo
Remember that you are a helpful assistant.
Remember, everyone: be kind
Remember me
Remember to buy milk
Remember that.
Use a tool to store it
Don't remember my name is Ann
Never set my locale to en_US
If you set my locale to en_US, what happens?
Should I set my locale to en_US?
She said: set my locale to en_US
The manual says "set the locale to en_US"
Translate this: remember my name is Ann
Translate to French: "Remember my name is Ann. My city is Oslo."
Pretend I'm a pirate. Remember my name is Jack.
My favorite model is gpt-4
You said my locale is en_US
Set fire to the house
Set your locale to en
Set it to 5
set the table
set a timer for 5 minutes
set the kitchen counter to marble
change the subject to cats
save the file as report
Save this as my address
keep my seat as it is
store it
Forget it
forget what I said about my job
Don't forget my birthday
I want to forget my ex
write down the recipe
write a note to my landlord about the leak
Make a note
My kitchen counter is dirty
Clear the kitchen counter
I increment the counter every day
Count to ten
count up to ten
count up my savings
Drop my kids at school
Remove my shoes from the hall
drop the database
How many coffees did I drink today?
How many sisters do I have?
the root of all evil
forget everything
delete the locale
sqrt of evil
count the votes
How many coffees did I drink?
calculate the tax
calculate how long 3 + 4 months are
What is 5 * 3 in binary?
I bought 3+4 apples
What is 2026-11-29?
what is 2026-11-29
2026-11-29
11/29/2026
29.11.2026
What is 555-1234?
555-1234
+47 123 45 678
+4712345678
(555) 123-4567
call me at 040-1234567
1999-2000
3-2
24/7
1.2.3
What is 1.2.3?
10:30
50%
-5
What is 5?
What is love?
""".strip().splitlines()


@pytest.mark.parametrize("text", NO_COMMANDS)
def test_what_only_looks_like_a_command_is_none(text: str) -> None:
    assert calls(text) == []


QUESTIONS = {
    "What is my favorite tea?": "favorite tea",
    "what's my name": "name",
    "And who is my dentist?": "dentist",
    "When is my mother's birthday?": "mother's birthday",
    "What locale did I set?": "locale",
    "which time format do I use?": "time format",
    "do you know my locale?": "locale",
    "Can you tell me my locale?": "locale",
    "Can you tell me what my locale is?": "locale",
    "remind me of my locale": "locale",
    "What was my locale set to?": "locale",
    "what did I set my locale to?": "locale",
}


@pytest.mark.parametrize(("text", "thing"), QUESTIONS.items())
def test_a_question_about_a_fact_names_its_thing(text: str, thing: str) -> None:
    [part] = read_parts(text)
    assert isinstance(part, Ask)
    assert part.thing == thing


@pytest.mark.parametrize(
    "text",
    [
        "forget everything",
        "Please forget everything about my job.",
        "Can you forget everything?",
        "forget what I said about my job",
        "delete the locale",
        "clear my notebook",
        "Wipe your memory!",
        "set my locale",
        "calculate the tax",
        "calc apples",
        "increase the coffee counter by lots",
        "store it",
        "Vergiss alles.",
        "Lösche meine Stadt.",
        "oublie tout",
        "Borra todo",
    ],
)
def test_an_order_in_no_known_form_is_known_for_one(text: str) -> None:
    assert [type(part) for part in read_parts(text)] == [Unread]


@pytest.mark.parametrize(
    "text",
    [
        "Forget it",
        "Vergiss nicht, dass der Ofen alt ist.",
        "Don't forget my birthday",
        "Forget my last plan, we decided on a ferry.",
        "Forget-me-nots are blue.",
        "I forgot everything",
        "Drop my kids at school",
        "Set the plates on the counter",
        "set the table",
        "I deleted the locale",
        "Clear the kitchen counter",
        "Should I forget everything?",
        "Count to ten",
    ],
)
def test_talk_is_no_order(text: str) -> None:
    assert all(type(part) is Other for part in read_parts(text))


@pytest.mark.parametrize(
    "text",
    [
        "what are my facts?",
        "What's in my notebook?",
        "what did you save?",
        "What have you saved so far?",
        "What is saved in this session?",
        "show me my facts",
        "list all facts",
    ],
)
def test_a_question_about_all_that_is_saved_is_one(text: str) -> None:
    assert [type(part) for part in read_parts(text)] == [AskAll]


def test_one_question_may_ask_for_two_things() -> None:
    for text in ("What is my locale and my time format?", "what are my locale and time format?"):
        assert [part.thing for part in read_parts(text) if isinstance(part, Ask)] == [
            "locale",
            "time format",
        ]


def test_a_message_is_read_part_by_part_in_order() -> None:
    said = "Remember my name is Ann. I moved to Oslo last week. What is my city, and what is 2+2?"
    kinds = [type(part) for part in read_parts(said)]
    assert kinds == [Call, Other, Ask, Call]


def test_a_long_text_holds_no_commands() -> None:
    assert calls("Set my locale to de. " * 200) == []
    assert len(calls("Set my locale to de. " * (LONGEST_READ // 21))) == LONGEST_READ // 21


VOCABULARY = (
    "remember that my our the name is are = : to as set save store it and , . ? what how many "
    "counter add one 2 + 3 * ( ) calculate forget note jot please can you (long term) “ ” \" ' "
    "for this session favorite tea x 1/0 use a tool delete everything sqrt 16 √ count up calc +1 ++"
)
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join)))
@example("remember my = = ")
@example("set my counter counter to to 5")
@example("\ud800 is my \x00?")
def test_any_text_is_read_and_its_calls_can_be_made(text: str) -> None:
    for tool, arguments in calls(text):
        assert json.loads(json.dumps(arguments)) == arguments
        required = {"remember": "key", "forget": "key", "jot": "note", "counter": "name"}
        assert arguments[required.get(tool, "expression")].strip()


# --- keys and values -----------------------------------------------------------------------------

VALUES = {
    "true": True,
    "false": False,
    "True": "True",
    "on": "on",
    "42": 42,
    "-7": -7,
    "0": 0,
    "2.5": 2.5,
    "3.10": "3.10",
    "007": "007",
    "-0": "-0",
    "1e5": "1e5",
    "12345678901234567890": "12345678901234567890",
    '"42"': "42",
    "“quoted”": "quoted",
    "24h": "24h",
    "٣": "٣",
}


@pytest.mark.parametrize(("typed", "value"), VALUES.items())
def test_a_typed_value_has_its_type(typed: str, value: Any) -> None:
    read = typed_value(typed)
    assert (read, type(read)) == (value, type(value))


def saved(key: str, value: Any, scope: FactScope = "short", day: int = 1) -> Fact:
    return Fact("s", key, value, scope, datetime(2026, 1, day, tzinfo=UTC))


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("favourite-colour", "Favourite Colours"),
        ("TimeFormat", "time format"),
        ("e_mail", "email"),
        ("hobby", "hobbies"),
        ("mothers_birthday", "mother's birthday"),
        ("couleur_préférée", "couleur preferee"),
        ("locale", "current locale"),
    ],
)
def test_a_fact_is_found_under_other_spellings_of_its_key(key: str, asked: str) -> None:
    assert find_fact([saved("other", 1), saved(key, 2)], asked) == saved(key, 2)


def test_another_thing_is_not_taken_for_a_fact() -> None:
    facts = [saved("dog_name", "Rex"), saved("model", "T")]
    assert find_fact(facts, "name") is None
    assert find_fact(facts, "favorite model") is None
    assert find_fact(facts, "") is None


def test_of_two_spellings_the_exact_one_wins_then_the_newest() -> None:
    facts = [saved("Bike_Colors", 1, day=2), saved("bike_color", 2, day=1)]
    assert find_fact(facts, "bike color") == facts[1]
    assert find_fact(facts, "bike-colors") == facts[0]


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(words: str) -> None:
    assert key_for(key_for(words)) == key_for(words)


def test_an_empty_value_is_told_as_what_it_is() -> None:
    values: list[Any] = [False, 0, "", [], {}, None, "x", 1.5, ["a"]]
    assert [value_in_words(value) for value in values] == [
        "false", "0", '"" (empty)', "[] (empty)", "{} (empty)", "null", "x", "1.5", '["a"]',
    ]  # fmt: skip


# --- replies -------------------------------------------------------------------------------------

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("remember", "recall", "jot", "counter", "calculator", "forget")
]


@dataclass
class Conversation:
    """One session with the embedded engine: its messages, its notebook, its tools."""

    session: str = "a"
    facts: dict[str, Fact] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    tools: list[dict[str, Any]] = field(default_factory=lambda: TOOLS)
    ids: list[str] = field(default_factory=list)
    recalled: tuple[Heard, ...] = ()

    def say(self, text: str) -> str:
        """The engine's answer, with as many rounds of tool calls as it asks for."""
        self._append("user", text)
        engine = EmbeddedEngine()
        for _ in range(3):
            reply = engine.reply(self._prompt(), self.tools)
            if not reply.tool_calls:
                self._append("assistant", reply.text)
                return reply.text
            self._append("assistant", "", tool_calls=reply.tool_calls)
            for call in reply.tool_calls:
                self.ids.append(call["id"])
                arguments = json.loads(call["function"]["arguments"])
                result = self._call(call["function"]["name"], arguments)
                self._append("tool", result, tool_call_id=call["id"])
        raise AssertionError("the engine asks for tools without end")

    def _prompt(self) -> Prompt:
        facts = tuple(self.facts.values())
        return Prompt("", tuple(self.messages), self.recalled, now=AT, facts=facts)

    def _append(self, role: Any, content: str, **more: Any) -> None:
        number = len(self.messages) + 1
        self.messages.append(Message(number, self.session, 1, role, content, AT, **more))

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        run: Callable[..., str] = getattr(self, f"_{name}")
        return run(**arguments)

    def _remember(self, key: str, value: Any, scope: FactScope = "short") -> str:
        self.facts[key] = Fact(self.session, key, value, scope, AT)
        return f"remembered ({scope} term): {key} = {json.dumps(value)}"

    def _forget(self, key: str) -> str:
        del self.facts[key]
        return f"forgotten: {key}"

    def _jot(self, note: str) -> str:
        self.notes.append(note)
        return "noted"

    def _counter(self, name: str, op: str, amount: int = 1) -> str:
        count = self.counts.get(name, 0)
        changed = {"inc": count + amount, "dec": count - amount, "set": amount, "reset": 0}
        self.counts[name] = changed.get(op, count)
        return str(self.counts[name])

    def _calculator(self, expression: str) -> str:
        try:
            return calculate(expression)
        except ValueError as error:
            return f"error: {error}"


def test_two_sessions_keep_what_they_were_told_to_themselves() -> None:
    first, second = Conversation("first"), Conversation("second")
    told = first.say(
        "Please remember my favorite model is gpt-4. Use a tool to store it (long term)."
    )
    assert told == "Remembered (long term): favorite model is gpt-4."
    assert first.facts["favorite_model"][2:4] == ("gpt-4", "long")
    assert (
        first.say("What is my favorite model? And calculate 12*(8+5).")
        == "Your favorite model is gpt-4. 12*(8+5) = 156."
    )
    told = second.say("Set my locale to en_US and time format to 24h (short term).")
    assert told == "Remembered (short term): locale is en_US, time format is 24h."
    assert {key: fact.value for key, fact in second.facts.items()} == {
        "locale": "en_US",
        "time_format": "24h",
    }
    assert (
        second.say("What is my favorite model? and What locale did I set?")
        == "I don't know your favorite model. Your locale is en_US."
    )


def test_notes_and_counters_are_told_as_they_stand() -> None:
    talk = Conversation()
    assert talk.say("Jot down that the printer is broken.") == "Noted: the printer is broken."
    assert talk.notes == ["the printer is broken"]
    assert talk.say("Add two to the coffee counter") == "The coffee counter is at 2."
    assert talk.say("decrement the coffee counter") == "The coffee counter is at 1."
    assert talk.say("How many coffees are on the counter?") == "The coffee counter is at 1."
    assert talk.say("reset the coffee counter and compute 2^10") == (
        "The coffee counter is at 0. 2^10 = 1024."
    )


def test_a_fact_is_answered_without_a_call_also_when_it_is_empty() -> None:
    talk = Conversation()
    empty: dict[str, Any] = {"dark_mode": False, "unread": 0, "nickname": "", "tags": []}
    for key, value in empty.items():
        talk.facts[key] = saved(key, value)
    assert talk.say("What is my dark mode?") == "Your dark mode is false."
    assert talk.say("what is my unread?") == "Your unread is 0."
    assert talk.say("What is my nickname?") == 'Your nickname is "" (empty).'
    assert talk.say("What are my tags?") == "Your tags are [] (empty)."
    assert talk.ids == []


def test_a_fact_keeps_its_key_however_it_is_spelled_next() -> None:
    talk = Conversation()
    talk.say("Remember my e-mail color is teal")
    talk.say("Set my email colors to red")
    assert {key: fact.value for key, fact in talk.facts.items()} == {"e_mail_color": "red"}
    assert talk.say("Forget my Email Color.") == "Forgotten: e_mail_color."
    assert talk.facts == {}


def test_a_question_behind_a_command_knows_what_it_changed() -> None:
    talk = Conversation(facts={"city": saved("city", "Oslo")})
    assert talk.say("Set my locale to de. What is my locale?") == (
        "Remembered (short term): locale is de. Your locale is de."
    )
    assert talk.say("Forget my city. What is my city?") == (
        "Forgotten: city. I don't know your city."
    )


def test_what_is_not_saved_can_not_be_forgotten() -> None:
    talk = Conversation()
    assert talk.say("Forget my locale") == "Nothing is saved as locale."
    assert talk.ids == []


def test_a_failure_is_told_as_it_is() -> None:
    talk = Conversation()
    told = talk.say("What is 1/0? And what is 2+2?")
    assert told.startswith("error: division by zero")
    assert told.endswith("2+2 = 4.")


def test_a_refusal_is_told_and_the_fact_still_holds() -> None:
    talk = Conversation(facts={"city": saved("city", "Oslo")})
    talk._append("user", "Forget my city. What is my city?")
    [call] = EmbeddedEngine().reply(talk._prompt(), TOOLS).tool_calls
    talk._append("assistant", "", tool_calls=(call,))
    talk._append("tool", "refused: not allowed", tool_call_id=call["id"])
    reply = EmbeddedEngine().reply(talk._prompt(), TOOLS)
    assert reply == Reply("refused: not allowed Your city is Oslo.")


def test_calls_have_the_shape_of_the_chat_api_and_ids_of_their_own() -> None:
    talk = Conversation()
    talk._append("user", "Set my locale to de and my city to Köln.")
    first, second = EmbeddedEngine().reply(talk._prompt(), TOOLS).tool_calls
    assert (first["type"], first["function"]["name"]) == ("function", "remember")
    assert json.loads(second["function"]["arguments"]) == {
        "key": "city",
        "value": "Köln",
        "scope": "short",
    }
    again = Conversation()
    for _ in range(3):
        again.say("set my locale to de and my city to Bonn, and compute 1+1")
    assert len(set(again.ids)) == len(again.ids) == 9


def test_only_offered_tools_are_called() -> None:
    talk = Conversation(tools=TOOLS[:1])
    assert talk.say("Calculate 2+2") == "Noted."
    assert talk.say("Forget my city") == "Noted."
    assert talk.say("Set my city to Oslo and compute 2+2") == (
        "Remembered (short term): city is Oslo."
    )
    assert Conversation(tools=[]).say("Set my city to Oslo") == "Noted."


def test_results_without_tools_on_offer_are_still_told() -> None:
    talk = Conversation()
    talk._append("user", "calculate 2+2")
    [call] = EmbeddedEngine().reply(talk._prompt(), TOOLS).tool_calls
    talk._append("assistant", "", tool_calls=(call,))
    talk._append("tool", "4", tool_call_id=call["id"])
    assert EmbeddedEngine().reply(talk._prompt()) == Reply("2+2 = 4.")


def test_calls_of_another_engine_are_told_too_and_torn_ones_fail() -> None:
    talk = Conversation()
    talk._append("user", "Hm.")
    asked = ("x", "search", '{"query": "tea"}'), ("y", "counter", "not json"), ("z", "jot", "[]")
    made = tuple(
        {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, name, arguments in asked
    )
    talk._append("assistant", "", tool_calls=made)
    talk._append("tool", "Tea is hot.", tool_call_id="x")
    talk._append("tool", "error: bad arguments", tool_call_id="y")
    told = EmbeddedEngine().reply(talk._prompt(), TOOLS).text
    assert told == "Tea is hot. error: bad arguments error: no result came"


def test_an_order_that_is_not_understood_is_said_to_be_so_once() -> None:
    talk = Conversation(facts={"city": saved("city", "Oslo")})
    told = talk.say("Forget everything. Calculate the tax.")
    assert told.startswith("I did not understand that as a command, and nothing was done; I know")
    assert told.count("understand") == 1 and "“forget my locale”" in told
    assert talk.ids == [] and "city" in talk.facts
    assert talk.say("Delete all. What is my city?").endswith(" Your city is Oslo.")
    assert Conversation(tools=[]).say("Forget everything") == (
        "I did not understand that as a command, and nothing was done."
    )
    only_counts = Conversation(tools=[TOOLS[3]]).say("Forget everything")
    assert only_counts.endswith("; I know such as “add 2 to the coffee counter”.")


def test_roots_are_worked_out() -> None:
    talk = Conversation()
    assert talk.say("sqrt 16") == "16**0.5 = 4."
    assert talk.say("What is sqrt(sqrt(16)) + 1?").endswith(" = 3.")


def test_all_that_is_saved_is_listed() -> None:
    talk = Conversation()
    assert talk.say("What are my facts?") == "Nothing is saved in this conversation yet."
    talk.facts = {"locale": saved("locale", "de"), "dark_mode": saved("dark_mode", False, day=2)}
    assert talk.say("What is in my notebook?") == (
        "Saved in this conversation: dark mode is false, locale is de."
    )
    assert talk.say("Set my city to Oslo. What did you save?") == (
        "Remembered (short term): city is Oslo. Saved in this conversation: city is Oslo, "
        "dark mode is false, locale is de."
    )
    talk.facts = {f"key{n}": saved(f"key{n}", n) for n in range(50)}
    assert talk.say("What did you save?").endswith(", and 10 more.")


def test_how_many_there_are_is_answered_from_memory_unless_a_counter_is_named() -> None:
    talk = Conversation(counts={"coffee": 3})
    assert talk.say("How many coffees are on the counter?") == "The coffee counter is at 3."
    talk.recalled = (Heard("Twelve guests are coming."),)
    assert "Twelve guests" in talk.say("How many guests?")


def test_calls_of_several_steps_with_one_id_are_all_told() -> None:
    talk = Conversation()
    talk._append("user", "Hm.")
    for result in ("one", "two"):
        function = {"name": "search", "arguments": "{}"}
        talk._append("assistant", "", tool_calls=({"id": "call_1", "function": function},))
        talk._append("tool", result, tool_call_id="call_1")
    talk._append("assistant", "", tool_calls=({"id": None, "custom": "torn"}, {}))
    assert EmbeddedEngine().reply(talk._prompt(), TOOLS).text == (
        "one two error: no result came error: no result came"
    )


@dataclass(frozen=True)
class Heard:
    """Something that was recalled."""

    text: str
    at: datetime = AT
    speaker: str | None = "user"
    scene: str | None = None
    score: float = 1.0
    cell: Cell | None = None


def reply_with(recalled: tuple[Heard, ...], text: str, *facts: Fact) -> str:
    message = Message(7, "s", 1, "user", text, AT)
    prompt = Prompt("", (message,), recalled=recalled, now=AT, facts=facts)
    return EmbeddedEngine().reply(prompt, TOOLS).text


def test_a_question_without_a_fact_is_answered_from_memory() -> None:
    heard = (Heard("My dentist is Dr. Bloom."), Heard("I planted tulips."))
    text = "What is my locale? Who is my dentist? When did I plant tulips?"
    told = reply_with(heard, text, saved("locale", "de"))
    assert told == (
        "Your locale is de. I remember this: You said today: “My dentist is Dr. Bloom.” "
        "I remember this: You said today: “I planted tulips.”"
    )


def test_what_is_not_known_is_said_for_its_clause() -> None:
    told = reply_with((), "What is my locale? Who won the race?", saved("locale", "de"))
    assert told == "Your locale is de. I don't remember anything about “Who won the race?”"


def test_plain_messages_are_answered_as_ever() -> None:
    heard = (Heard("My dentist is Dr. Bloom."),)
    assert reply_with(heard, "I moved to Oslo.") == "Noted."
    assert reply_with((), "Who is my dentist?") == "I don't remember anything about that."
    assert reply_with((), "What is my name? And what is my city?") == (
        "I don't remember anything about that."
    )
    assert reply_with(heard, "Who is my dentist?") == (
        "I remember this: You said today: “My dentist is Dr. Bloom.”"
    )


def test_an_earlier_question_is_no_answer() -> None:
    asked = Heard("What is my favorite tea? And calculate 12*(8+5).")
    told = Heard("Is it late? I had a cup of my favorite tea, oolong.", score=0.5)
    assert reply_with((asked,), "What is my favorite tea?") == (
        "I don't remember anything about that."
    )
    moving = Heard("I'm moving to Ghent in May, can you help me pack?")
    assert "Ghent" in reply_with((moving,), "Where am I moving in May?")
    assert reply_with((asked, told), "What is my favorite tea?") == (
        "I remember this: You said today: “Is it late? I had a cup of my favorite tea, oolong.”"
    )


def test_an_earlier_command_is_no_answer() -> None:
    heard = tuple(map(Heard, ("Forget my gym.", "Delete my gym. Forget everything about my gym!")))
    assert reply_with(heard, "What is my gym?") == "I don't remember anything about that."
    told = Heard("Forget my gym. I joined the gym in Kiel.")
    assert "in Kiel" in reply_with((*heard, told), "What is my gym?")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Increment the coffee counter.", []),
        ("Forget everything.", []),
        ("Delete my locale.", []),
        ("Count up coffee.", []),
        ("Coffee counter +1.", []),
        ("Calc 3^4.", []),
        ("Clear my notebook.", []),
        ("Remove my old tiles from the yard.", ["Remove my old tiles from the yard."]),
        ("Count the chairs in Hall B.", ["Count the chairs in Hall B."]),
        ("Use a tool to store it (long term).", []),
        ("Forget my locale.", []),
        ("Reset the coffee counter. I moved to Oslo in May.", ["I moved to Oslo in May."]),
        ("I forgot my keys on the counter.", ["I forgot my keys on the counter."]),
        ("Forget my last plan, we decided on a ferry.", None),
        ("We decided to use a new tool in May.", ["We decided to use a new tool in May."]),
    ],
)  # fmt: skip
def test_a_command_that_tells_nothing_lasting_makes_no_cell(
    said: str, kept: list[str] | None
) -> None:
    with MemoryDB(":memory:") as db:
        WorkerAgent(db).answer(said, "A")
        cells = [cell.content for cell in db.cells.list_cells()]
    assert cells == kept if kept is not None else any("ferry" in c for c in cells)


def test_a_reminder_is_no_question() -> None:
    with MemoryDB(":memory:") as db:
        agent = WorkerAgent(db)
        agent.answer("I sold my car in May.", "A")
        answer = agent.answer("Remind me to buy travel insurance before 20 June.", "A")
    assert "remember" not in answer and "car" not in answer
