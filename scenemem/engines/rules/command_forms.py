"""The forms of plain commands: patterns for what one clause may say.

English first; German, Spanish and French where a few words are sure. Each pattern is matched
against a whole clause from the first word behind its `LEAD` on, so that a report ("I set my alarm
to 6"), somebody else's words and what only contains a command are none. Named groups: `key`,
`value`, `note`, `name`, `amount`, `thing`, and others beside an alternative of one of these.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from scenemem.base.records import FactScope
from scenemem.engines.rules.sentence import word_set

_LONGEST_KEY = 60  # characters

# --- what may stand around a command -------------------------------------------------------------

LEAD: Final = re.compile(
    r"(?:(?:please|kindly|ok(?:ay)?|hey|hi|hello|alright|great|thanks|and|also|then|now|so|well|just"
    r"|by the way|btw|(?P<asked>(?:can|could|would|will) you)|i(?:'d| would) like you to"
    r"|i (?:want|need) you to|use (?:a|the|your)(?: \w+)? (?:tool|calculator|counter|memory) to"
    r"|bitte|por favor|s'il te plaît|s'il vous plaît)[,!:]?\s+){0,4}¿?",
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
TRAILING_COURTESY: Final = re.compile(
    r"[,\s]+(?:please|thanks|thank you|bitte|por favor)[\s.!]*$", re.I
)
STORE_IT: Final = re.compile(
    r"(?:(?:store|save|remember|keep|note|memori[sz]e|record|merk dir)(?: down)?"
    r"|(?:make|take) (?:a )?note of) "
    r"(?:it|that|this|them|these|those|das|es)(?:,? (?:please|for (?:me|later|next time|future"
    r" reference)|in mind|(?:in|to) (?:your |the )?(?:memory|notes)))*[\s.!]*",
    re.I,
)
FIRST_WORDS: Final = re.compile(
    r"(?:what|which|who|when|where|how|do you|did i|tell|show|recall|remind|remember"
    r"|memori[sz]e|keep|bear|save|store|record|note|jot|write|make|take|add|set|change|switch|update"
    r"|count|increment|increase|raise|bump|decrement|decrease|lower|subtract|reset|clear|zero"
    r"|calc|calculate|compute|work out|evaluate|solve|sqrt|forget|delete|remove"
    r"|drop|erase|was|wie|welche\w*|wer|merke?|setze?|stelle?|berechne|rechne|notiere?|vergiss|quel\w*|combien|calcul\w*|note[zr]?|mets|oublie"
    r"|cuál\w*|cuánto|anota|recuerda|pon|olvida|[-+(\d])",
    re.I,
)

# --- facts ---------------------------------------------------------------------------------------

_WORDS = r"[^\W_][\w'’.+#/-]*(?: [\w'’.+#/-]+){0,5}?"
_KEY = rf"(?P<key>{_WORDS})"
_AND = r"(?:\s*[,;]\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+)(?:that\s+)?"
_NO_KEY: Final = word_set(
    "i me you he him she it its we us they them this that these those a an the your his her their "
    "who which whose what when where why how if and or but not to is are was were be been has have "
    "had said told says asked wants want need needs can could will would should must may might do "
    "does did up off out down aside over back from ready able due close next go going try fire "
    "sail foot eyes course yourself myself mind clock according counter"
)


class Form(NamedTuple):
    """A way to name facts: an opening, then pairs ("my X is" Y), `scope` unless another is told.

    `next_pair` finds the pairs behind the first one; `closing` is cut off the last value. In a
    `states` form the pairs are sentences, which may tell something other than a fact.
    """

    opening: re.Pattern[str]
    pair: re.Pattern[str]
    next_pair: re.Pattern[str]
    scope: FactScope
    states: bool = False
    closing: re.Pattern[str] | None = None


def _form(
    opening: str,
    whose: str,
    joint: str,
    scope: FactScope = "long",
    *,
    states: bool = False,
    closing: str | None = None,
) -> Form:
    pair = rf"{whose}{_KEY}{joint}"
    return Form(
        re.compile(opening, re.I),
        re.compile(pair, re.I),
        re.compile(_AND + pair, re.I),
        scope,
        states,
        re.compile(closing, re.I) if closing else None,
    )


_MY = r"(?:my|our)\s+"
_MAYBE_MY = r"(?:(?:my|our)\s+)?"
_MEIN = r"mein(?:e[nrms]?)?\s+"
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
    _form(r"merke? dir[,:]?(?: bitte[,:]?)?(?: dass)?\s+", _MEIN, r"\s+(?:ist|sind|lautet)\s+"),
    _form(r"merke? dir[,:]?(?: bitte)?,? dass\s+", _MEIN, r"\s+", closing=r"\s+(?:ist|sind)$"),
    _form(
        r"(?:setze?|stelle?|ändere)\s+", rf"(?:{_MEIN}|(?:den|die|das)\s+)?", r"\s+auf\s+", "short"
    ),
    _form(
        r"(?:souviens-toi|rappelle-toi|retiens|n'oublie pas|mémorise) que\s+",
        r"(?:mon|ma|mes)\s+",
        r"\s+(?:est|sont)\s+",
    ),
    _form(
        r"(?:mets|règle|définis|change)\s+", r"(?:mon|ma|mes)\s+", r"\s+(?:à|sur|en)\s+", "short"
    ),
    _form(r"(?:recuerda|guarda|memoriza) que\s+", r"mis?\s+", r"\s+(?:es|son|está)\s+"),
    _form(r"(?:pon|establece|cambia)\s+", r"(?:mis?|el|la)\s+", r"\s+(?:a|en)\s+", "short"),
)
INTO_FACT: Final = re.compile(
    r"(?:save|store|keep|record|remember)\s+(?P<value>(?!this\b|that\b|it\b|them\b).+?)"
    rf"\s+as\s+(?:my|our)\s+{_KEY}[\s.!]*",
    re.I,
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
    rf"|(?:vergiss|lösche)\s+mein(?:e[nrms]?)?\s+(?P<de>{_WORDS})"
    rf"|(?:oublie|efface|supprime)\s+(?:mon|ma|mes)\s+(?P<fr>{_WORDS})"
    rf"|(?:olvida|borra|elimina)\s+mis?\s+(?P<es>{_WORDS}))[\s.!]*",
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


# --- notes ---------------------------------------------------------------------------------------

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
    r"|take note(?: that)?[,:]?|notiere?(?: dir)?(?:,? dass|:)|note(?:z)? que|anota(?: que|:))"
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

# --- counters ------------------------------------------------------------------------------------

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
    ("inc", rf"\+\s*(?P<amount>{_AMOUNT})\s+(?:to|on|for)\s+{_COUNTER}"),
    ("inc", rf"add\s+{_ADDED}\s+(?:to|on)\s+{_COUNTER}"),
    ("inc", rf"add\s+{_ADDED}\s+(?P<many>[^\W_][\w'’-]*)\s+to (?:the|my) counter"),
    ("dec", rf"(?:decrement|decrease|dec|count down)\s+{_COUNTER}{_BY}"),
    ("dec", rf"(?:count down|decrement|dec)\s+{_MANY}{_BY}"),
    ("dec", rf"{_COUNTER}\s*(?:--|(?:[-−–]|minus\s)\s*(?P<amount>{_AMOUNT}))"),
    ("dec", rf"(?:subtract|take|remove)\s+{_ADDED}\s+(?:from|off)\s+{_COUNTER}"),
    ("set", rf"(?:set|put|change)\s+{_COUNTER}\s+(?:to|at)\s+(?P<amount>{_AMOUNT})"),
    ("reset", rf"(?:reset|zero)\s+{_COUNTER}(?:\s+(?:to zero|to 0))?"),
    ("get", rf"(?:what(?:'s| is)|show(?: me)?|tell me)\s+{_COUNTER}(?: (?:at|on|now|value))*"),
    ("get", rf"(?:what does|what number does)\s+{_COUNTER}\s+(?:say|show|read|stand at)"),
    ("get", rf"(?:how high is|where is|what number is)\s+{_COUNTER}(?: (?:at|on|now))*"),
    (
        "get",
        r"how many\s+(?P<many>[^\W_][\w'’-]*(?: [\w'’-]+){0,2}?)\s+(?:are|is|do i have)"
        r"(?: there)?\s+(?:on|in) (?:the|my) counter(?: now)?",
    ),
    ("get", rf"how many\s+{_MANY}(?:\s+(?:so far|by now|now|in total))?"),
)
COUNTER_FORMS: Final = tuple(
    (op, re.compile(rf"{pattern}[\s.!?]*", re.I)) for op, pattern in COUNTERS
)

# --- arithmetic ----------------------------------------------------------------------------------

CALCULATE: Final = re.compile(
    r"(?:calc|calculate|compute|work out|evaluate|solve|berechne|rechne(?: aus)?|calcule[zr]?"
    r"|calcula)(?: for me| the value of| the result of)?:?\s+(?P<value>.+)",
    re.I | re.S,
)
HOW_MUCH: Final = re.compile(
    r"(?:(?:what|how much)(?:'s| is| are| does| do| would)"
    r"|(?:do you know|tell me) (?:what|how much)|(?:was|wie ?viel) (?:ist|sind|ergibt|macht)"
    r"|combien (?:font|fait)|cuánto (?:es|son)|cuanto (?:es|son))\s+(?P<value>.+?)"
    r"(?:\s+(?:equals?|make|is|be|come to|equal to))?[\s?=.!]*",
    re.I | re.S,
)
_OPERAND = r"(\d[\d.,]*(?<![.,])|\((?:[^()]|\([^()]*\))*\))"
IN_WORDS: Final = (
    (
        re.compile(
            r"(?:(?:the |die |la )?(?:square root of|sqrt(?: of)?|(?:quadrat)?wurzel (?:aus|von)"
            rf"|racine carrée de|raíz cuadrada de)|√)\s*{_OPERAND}",
            re.I,
        ),
        r"(\1**0.5)",
    ),
    (re.compile(rf"(?:the )?(?:cube root of|cbrt(?: of)?)\s*{_OPERAND}", re.I), r"(\1**(1/3))"),
    (re.compile(r"(?<=\d)\s*% of (?=[\d(])", re.I), "/100*"),
    (re.compile(r"\bplus\b", re.I), "+"),
    (re.compile(r"\bminus\b", re.I), "-"),
    (re.compile(r"\b(?:times|multiplied by|mal)\b", re.I), "*"),
    (re.compile(r"\b(?:divided by|geteilt durch)\b", re.I), "/"),
    (re.compile(r"\b(?:to the power of|hoch)\b", re.I), "**"),
)
# A root that is all there is needs no brackets.
ROOT_ALONE: Final = re.compile(r"\(((?:[\d.,]+|\([^()]*\))\*\*(?:0\.5|\(1/3\)))\)")
# Digits with marks between them that are no sum: dates, times of years, phone numbers, scores.
NO_SUM: Final = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}-0\d|\d{3}[-–]\d{4}"
    r"|(?:19|20)\d\d[-–](?:19|20)\d\d|\+?\d{1,4}(?:[-–]\d{2,4})+[-–]\d{4}|\+\d{2,}[-–\d]*"
    r"|0\d+[-–/]\d.*|\(\d{3,5}\)\s*[-–]?\s*\d.*"
)
NO_SUM_ALONE: Final = re.compile(r"\d+(?:[-–/]\d+)+")

# --- questions about facts -----------------------------------------------------------------------

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
        rf"(?:what|which)\s+(?P<liked>{_WORDS})\s+do i\s+(?:prefer|like|love)(?: (?:best|most))?",
        r"(?:do|did|can|could) you (?:still )?(?:know|remember|recall|tell me)\s+"
        rf"(?:what\s+|which\s+|who\s+)?(?:my|our)\s+{_THING}(?:\s+(?:is|are|was))?",
        r"(?:tell me|remind me(?: of| about)?|show me|recall|remember|say|know|look up)\s+"
        rf"(?:what\s+|which\s+|who\s+)?(?:my|our)\s+{_THING}(?:\s+(?:is|are|was))?",
        r"what did i (?:set|save|store|choose|pick|give)(?: you)?(?: as| for)?\s+(?:my|the|our)\s+"
        rf"{_THING}",
        rf"(?:my|our)\s+{_THING}(?=\?)",
        rf"(?:was|wie|welche[rsnm]?|wer|wo|wann)\s+(?:ist|sind|lautet|heißt|heisst|war)\s+{_MEIN}"
        rf"{_THING}",
        rf"welche[rsnm]?\s+{_THING}\s+habe ich\s+(?:gesetzt|eingestellt|gewählt|gespeichert"
        r"|angegeben)",
        rf"(?:quel(?:le)?s?|qui|où)\s+(?:est|sont)\s+(?:mon|ma|mes)\s+{_THING}",
        rf"(?:cuál|cuáles|qué|quién|dónde|cuándo)\s+(?:es|son|está)\s+mis?\s+{_THING}",
    )
)

# --- all that is saved, and what is no known form ------------------------------------------------

_FACTS_WORD = r"(?:saved |stored )?(?:facts|notebook|notebook entries|saved things)"
ALL_SAVED: Final = re.compile(
    rf"(?:what(?:'s|'re| is| are)(?: in| on)? (?:my|the|your|our) {_FACTS_WORD}"
    r"|what (?:did|have|do) (?:you|i|we) (?:save|saved|store|stored|have saved|have stored)"
    r"|what(?:'s| is| has been) (?:saved|stored)|which facts (?:are|do you have) (?:saved|stored)"
    rf"|(?:show|list|tell|give)(?: me)?(?: all)?(?: of)?(?: my| the| your| our)? {_FACTS_WORD}"
    r"|was (?:hast du (?:dir )?gespeichert|ist gespeichert)|(?:zeig|zeige|nenne) (?:mir )?meine"
    r" fakten|qu'(?:as-tu|est-ce que tu as) (?:enregistré|noté)|qué has (?:guardado|anotado))"
    r"(?: (?:so far|until now|already|for me|about me|in (?:it|there)|right now|now|here"
    r"|in (?:this|the) (?:session|conversation)))*[\s?!.]*",
    re.I,
)
# Orders to the notebook, a counter or the calculator, whatever else they say.
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
    r"|(?:calc|calculate|compute|sqrt|cbrt|berechne|rechne|calcule[zr]?|calcula)\b"
    r"|use (?:a|the|your)(?: \w+)? (?:tool|calculator|memory)\b|set my\s"
    r"|(?:vergiss|lösche) alles|(?:oublie|efface|supprime) tout|(?:olvida|borra) todo"
    rf"|(?:count|increase|decrease|raise|lower|bump|set|put|reset|zero|read|add [^,;:]{{1,30}}? to"
    rf"|(?:subtract|take) [^,;:]{{1,30}}? from) {_COUNTER}(?!\w))[^,;:]*",
    re.I,
)
