"""The cues by which `speech_acts.py` tells what a sentence does: phrases and patterns.

Patterns are matched against `Sentence.lower`: lower case, straight apostrophes. English first; for
other languages only what is sure from a word or two. A `…_WORDS` set beside a pattern holds words
without one of which the pattern cannot match, to save most sentences the search.
"""

from __future__ import annotations

import re
from typing import Final

from scenemem.engines.rules.sentence import Phrases, phrase_set, word_set

# What may stand before the words that decide.
_LEAD_IN = (
    r"(?:(?:so|and|but|ok|okay|hey|hi|hello|please|also|well|now|then|oh|um|sure|great|thanks|yeah"
    r"|yes|no|wow|aww|haha)[,.!]* ){0,3}"
)


def _opening(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD_IN}(?:{'|'.join(alternatives)})")


def _anywhere(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


# --- questions -----------------------------------------------------------------------------------

QUESTION_END: Final = re.compile(
    r"[?？؟⁇][\s!?？！\"'”’)\]»」』*~.\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*$|[吗嗎][。.!！]?$"
)
_SOMEBODY = r"(?:i|you|we|they|he|she|it|this|that|anyone|someone|anybody|somebody)"
QUESTION_OPENING: Final = _opening(
    rf"(?:do|does|did|have|has) {_SOMEBODY}\b(?!')",
    r"(?:is|are|was|were|am|can|could|will|would|should|shall|may) "
    rf"(?:{_SOMEBODY}|there|these|those|my|your|our)\b(?!')",
    r"(?:isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't) "
    r"(?:you|it|that|there|we|they)\b",
    r"(?:what|which|who|whose|where|when|why|how) (?:is|are|was|were|do|does|did|should|would|can"
    r"|could|will|much|many|about|to|kinds?|types?|come|long|often|far|old|else)\b",
    r"(?:what|how|where|who)'(?:s|re|d) (?!more\b|great\b|important\b|worse\b)",
    r"any (?:\w+ )?(?:ideas?|tips|suggestions?|advice|recommendations?|thoughts|plans|news)\b",
    r"i(?:'m| am| was)? (?:just |also )?(?:wonder|wondering|curious|want to know"
    r"|would like to know)\b",
    r"let me know|tell me (?:about|more|how|what|why|when|where|who|if|whether|a|an|the)\b",
)
# A fact that a sentence carries although it asks: "…, which I got from my sister last month".
OWN_RELATIVE_CLAUSE: Final = re.compile(
    r",? (?:which|where|that|who|when|because|since|considering) (?:i|we)(?:'ve| have| had|'d)? "
    r"(?!am\b|are\b|can\b|could\b|should\b|will\b|would\b|need\b|want\b|might\b|do\b)\w+"
)

# --- asking to be remembered ---------------------------------------------------------------------

EXPLICIT: Final = Phrases(
    "remember that|please remember|and remember|remember my|remember our|remember this|also "
    "remember|keep in mind|bear in mind|make a note|take note|note that|note to self"
    "|don't forget to|don't forget that|don't forget the|don't forget my|don't forget our"
    "|don't forget about|don't let me forget|do not forget|for the record|for your records"
    "|for future reference|fyi|save this|merk dir|merke dir|vergiss nicht|denk daran|denk dran"
    "|n'oublie pas|rappelle-toi|souviens-toi|recuerda que|recuérdame|no olvides|запомни|не забудь"
    "|ricorda che|lembre-se",
    "记住|記住|记得|別忘|别忘|请记|覚えて|忘れないで",
)
EXPLICIT_OPENING: Final = re.compile(
    r"(?:please |and |also |ok(?:ay)?,? )*(?:remember|note|reminder)(?: ?[:,]| i\b| the\b| we\b)"
)

# --- roles, jokes, text to work on ---------------------------------------------------------------

ROLE_PLAY: Final = _anywhere(
    r"(?:^|[,;:] |\b(?:let's|us|we|please|and|you|to) )(?:just )?pretend(?:ing)?\b(?! to be busy)",
    r"\blet's (?:imagine|play a game|say i'm|make believe)\b|^make believe\b|\bin character\b",
    r"(?:^|let's |let's do (?:a|some) |do (?:a|some) |please )role[ -]?play(?:ing)?\b(?! (?:game"
    r"|group))",
    r"(?:^|, |please |let's |now )imagine (?:that )?(?:i|i'm|we|we're|you|you're|my|being|yourself"
    r"|a world)\b",
    r"(?:^|please |you |to )act (?:as|like) (?:if|an?|though|my|the|i'm|you're|i|you)\b",
    r"(?:^|please |you |to )play the (?:role|part) of\b|\bspeak (?:to me )?like an?\b",
    r"\byou are now an?\b|^from now on,? you(?:'re| are)\b|^you be (?:the|an?|my)\b",
    r"^you(?:'re| are) an? (?:[\w-]+ ){1,4}(?:named|called)\b|^be (?:my|an?|the) [\w ]{2,30}[:,.]",
    r"\bstell dir vor, (?:du|ich)\b|\btu so,? als\b|\bfais comme si\b|\bimagine que (?:je|tu)\b",
    r"\bimagina que\b|\bпредставь,? что\b|(?:^|[，。])(?:假装|假裝|扮演|想象)|ふりをして",
)
ROLE_WORDS: Final = word_set(
    "pretend pretending imagine role roleplay act speak character game believe say now named "
    "called stell tu fais imagina представь"
)
IN_A_ROLE: Final = _anywhere(
    r"\bin (?:this|our|the|my) (?:story|game|role-?play|novel|campaign|scenario|fantasy|dream"
    r"|script|play|movie|skit),? (?:i|i'm|my)\b",
    r"\bi(?:'m| am) playing (?:the role|a character|the part)\b",
    r"\bmy (?:character|persona|avatar|alter ego)(?:'s name)? (?:is|has|lives|was|will|would)\b",
    r"\bi dream(?:ed|t) (?:that )?i\b|^as a joke\b",
    r"\b(?:just kidding|only joking|just joking|i'm kidding|i'm joking)\b|\bjk[.!]*$",
)
IN_A_ROLE_WORDS: Final = word_set(
    "story game roleplay role novel campaign scenario fantasy dream script play movie skit playing "
    "character persona avatar alter dreamed dreamt kidding joking jk joke"
)
# "Just kidding!": takes back what was said before it.
TAKING_BACK: Final = re.compile(
    r"(?:no,? |haha,? |ok,? )*(?:just kidding|only joking|just joking|i'm kidding|i'm joking"
    r"|jk)[.!]*$"
)
_WORKING = (
    r"(?:translate|rewrite|re-write|proofread|summari[sz]e|paraphrase|correct|edit|improve|fix"
    r"|debug|review|explain|analy[sz]e|shorten|rephrase|continue|complete|classify|turn|convert)"
)
_PIECE = (
    r"(?:story|poem|song|script|dialogue|monologue|essay|lyrics|novel|scene|speech|letter|email"
    r"|tweet"
    r"|post|message|caption|headline|slogan|bio|biography|reply|review|blog|article|paragraph|joke"
    r"|toast)"
)
PAYLOAD: Final = _opening(
    rf"(?:(?:can|could|would|will) you )?(?:please )?(?:help me )?{_WORKING}\b"
    r"(?:[^.!?]{0,80}[:：]| [\"“„«]"
    r"|[^.!?]{0,60}\b(?:this|the following|these|below)\b(?! (?:week|month|year)))",
    r"(?:write|compose|draft|generate|create) (?:me )?(?:a|an|the|some)\b"
    rf"[^.!?]{{0,120}}{_PIECE}\b",
    r"(?:übersetze|traduis|traduce|переведи)\b[^.!?]{0,60}:|(?:请)?翻译",
)
INSTRUCTION: Final = _opening(
    r"(?:compose|generate|explain|describe|summari[sz]e|translate|rewrite|suggest|recommend"
    r"|calculate"
    r"|compute|convert|provide|compare|analy[sz]e|debug|implement|proofread|define|brainstorm"
    r"|outline"
    r"|elaborate)\b",
    # Verbs that are nouns as well: "List price is 400 euros."
    r"(?:write|draft|give|show|tell|list|draw|continue|answer|code|help|look up|search|rank|solve"
    r"|expand) (?:me|us|an?|the|how|why|what|who|which|this|that|these|those|some|all|every|each"
    r"|any"
    r"|more|your|it|them|for|about|on|with|\d+|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|several|both|out)\b",
    r"(?:schreib|schreibe|erkläre|écris|explique|escribe|explica|напиши|объясни)\b",
    r"(?:create|make|find|design|build|plan) me\b|(?:帮我|请帮我)?(?:写|解释)(?:一|下|个)",
)

# --- what is not so ------------------------------------------------------------------------------

_SELF = r"(?:i|i'm|i've|i'd|we|we're|you|you're|my|our)"
_HEDGE = r"\b(?:would|wouldn't|could|couldn't|might|may|\w+'d|will|won't|\w+'ll|should)\b"
# "I don't know if I may park there" asks, it supposes nothing.
_IF = r"(?<!know )(?<!knows )(?<!see )(?<!sure )(?<!wonder )\bif"
UNREAL: Final = _anywhere(
    rf"{_IF} {_SELF}(?= )[^.!?]*?{_HEDGE}",
    rf"{_HEDGE}[^.!?]*?{_IF} {_SELF} ",
    r"\bif \w+(?: \w+)? (?:were|was|had|could)\b[^.!?]*?\b(?:would|wouldn't|could|might|\w+'d)\b",
    r"\b(?:would|could|might)\b[^.!?]*\bif \w+(?: \w+)? (?:were|was|had)\b",
    r"\b(?:i'd|i would|i might)\b[^.!?]*?\bif\b|\bwhat if\b|\bif only\b|\bas if (?:i|we)\b",
    r"\bunless (?:i|we)\b[^.!?]*?\b(?:would|will|\w+'ll|\w+'d)\b|\bif i (?:ever|were|was to|had)\b",
    r"\b(?:hypothetically|theoretically|in theory|in another life|in a parallel universe"
    r"|in an alternate|in (?:a|this) hypothetical|for (?:the|this) (?:sake|exercise|purpose))\b",
    r"(?:\bi |^)wish (?:that )?(?:i|we|my \w+) (?:\w+ed|had|was|were|could|knew|lived|owned|spoke"
    r"|didn't"
    r"|wasn't|weren't|hadn't|would)\b",
)
UNREAL_WORDS: Final = word_set(
    "if unless hypothetically hypothetical theoretically theory life universe alternate wish sake "
    "exercise purpose"
)
UNREAL_OPENING: Final = re.compile(
    r"(?:but |and |so |just |now |then )*(?:(?:suppose|supposing|say|let's say|assume|assuming"
    r"|let's assume|picture)(?: for (?:a moment|now|a second))?(?: that)? (?:i|i'm|we|we're|you"
    r"|my)\b|(?:had|were|should) (?:i|we)\b"
    r"|had \w+ known\b|would that\b)"
)
UNREAL_PAST: Final = re.compile(
    r"\bi (?:could|would|might|should) have (?:\w+ly )?(?:been|\w+ed|known|gone|done|seen|taken|had"
    r"|made|said|bought|come|left|told|got|gotten|given|found|chosen|become|won|lost|thought"
    r"|written|eaten|met|paid)\b|\bi'd have\b"
)
UNREAL_ABROAD: Final = _anywhere(
    r"(?:如果|假如|要是|假设|假設|若)我|もし(?:も)?、?(?:私|僕|俺)|\bесли бы\b",
    r"\bwenn ich\b[^.!?]*\b(?:würde|wäre|hätte|könnte)\b",
    r"\b(?:würde|wäre|hätte)\b[^.!?]*\bwenn ich\b|^(?:wäre|hätte|würde|könnte) ich\b",
    r"\bsi j(?:'|e )(?:étais|avais|habitais|vivais|pouvais)\b",
    r"\bsi (?:yo )?(?:fuera|tuviera|viviera|pudiera)\b",
)
UNREAL_ABROAD_WORDS: Final = word_set("wenn si если wäre hätte würde könnte")

# --- somebody else's words -----------------------------------------------------------------------

_I = r"(?:i|i'm|i've|i'll|i'd|my|me|we|we're|our|ich|mein|meine|je|j'\w+|mon|ma|yo|mi|я|мой|моя)"
# One quotation, from its opening to its closing mark; single quotes only where they open with an I.
QUOTATION: Final = _anywhere(
    r"\"[^\"]*(?:\"|$)|[“„][^“”]*(?:[”“]|$)|«[^»]*(?:»|$)|[「『][^」』]*(?:[」』]|$)",
    rf"(?<!\w)['‘](?={_I}(?!\w))[^\n]+?['](?!\w)",
)
SELF_INSIDE: Final = re.compile(rf"(?<!\w){_I}(?!\w)|[我私僕俺]")
REPORTED: Final = _anywhere(
    r"(?<!\bi )(?<!\bwe )(?<!\bi just )\b(?:said|says|told|tells|asked|goes|replied|answered"
    r"|shouted|wrote|texted|yelled|whispered|claims|claimed|saying|was like|is like|were like"
    r"|announced|mumbled|joked|sang|reads|screamed|insisted|admitted|lyrics?|quote|quoted"
    r"|according to|used to say)\b",
    r"\b(?:sagte|meinte|sagt|schrieb|dit|dijo|dice|сказал|сказала|говорит|написал|написала)\b",
    r"[说說道]|言",
)

# --- small talk ----------------------------------------------------------------------------------

REACTION: Final = _opening(
    r"(?:wow|aww?|congrat\w*|thanks|thank you|cheers|yay|haha|lol|good luck|great job|well done"
    r"|way to go|nice|awesome|cool|amazing|incredible|sounds|looks|glad|happy (?:to|for)"
    r"|so (?:glad|happy|proud|cool|sweet|sorry)|sorry to)\b",
    r"i(?:'m| am) (?:so |really |very )?(?:glad|happy|proud|sorry|sure|rooting|impressed)\b",
    r"that(?:'s| is| was| sounds| looks| must)\b|this (?:is|looks|sounds)\b|what an?\b",
    r"it(?:'s| is) (?:great|awesome|amazing|so|really|nice|cool)\b",
    r"it(?:'s| is| was) (?:good|great|nice|lovely) to\b|it(?:'s| has) been (?:a while|ages"
    r"|too long)\b",
    r"how (?:cool|nice|sweet|lovely|amazing|great|exciting|fun)\b",
    r"can't wait (?:to|for)\b|looking forward to (?:hear|see)|keep (?:it|up|going|me)\b",
    r"(?:take care|have (?:a|an|fun)|enjoy|hope (?:you|it|to hear)|i hope|best of luck"
    r"|no (?:worries|problem|doubt)|let's (?:catch|chat|talk|keep)|talk (?:to you )?soon|see you"
    r"|bye|later|welcome|great to|good to|nice to|long time no (?:see|talk|chat|speak))\b",
    r"i (?:totally |completely |really |definitely |can )?"
    r"(?:agree|appreciate|understand|bet|hear you|imagine|love (?:that|how))\b",
    r"as an ai\b|how can i\b",
)
# "That must be fun": about what the other one told.
GUESS: Final = " must "
SECOND_PERSON: Final = _opening(
    r"(?:you|your|you(?:'re|'ve|'ll|'d)|y'all)\b(?! (?:told|said|mentioned|promised|asked"
    r"|recommended|suggested|gave|lent|owe|sent|showed|need to))"
)
# Courtesies towards the answers of an assistant, and interest in more of them.
CONVERSING: Final = _opening(
    r"i(?:'d| would)? (?:really )?(?:like|love|want) to (?:ask|know|hear|learn more|understand"
    r"|see more)\b",
    r"i(?:'ll| will| think i'll) (?:definitely |be sure to |make sure to |also |certainly )?"
    r"(?:take a look|check (?:out )?|try|keep|look into|give|consider|take|use|do|follow"
    r"|start with)"
    r"(?: at| into)? ?(?:some of |all )?"
    r"(?:those|these|that|them|it|your|the (?:tips|advice|suggestions))\b",
    r"i(?:'m| am) (?:also |really )?(?:excited|eager|interested|looking forward) (?:to|in) "
    r"(?:hear|learn|know|see)\w*",
    r"i have (?:another|a few more|one more|a) questions?|that (?:makes sense|helps)",
)
FOREIGN_SMALL_TALK: Final = phrase_set(
    "hallo|guten morgen|guten tag|guten abend|gute nacht|danke|danke schön|dankeschön"
    "|vielen dank|bitte|ja|nein|tschüss|genau|super|alles klar|alles gut|wie geht's|bonjour"
    "|bonsoir|salut|merci|merci beaucoup|oui|non|au revoir|d'accord|de rien|à bientôt|ça va"
    "|hola|buenos días|buenas tardes|buenas noches|gracias|muchas gracias|sí|de nada|adiós"
    "|vale|claro|ciao|buongiorno|grazie|grazie mille|prego|olá|obrigado|obrigada|bom dia"
    "|tudo bem|привет|здравствуйте|доброе утро|добрый день|добрый вечер|спасибо"
    "|большое спасибо|да|нет|пока|хорошо|ок|понятно|谢谢|謝謝|再見|大家好|哈哈|こんにちは"
    "|こんばんは|おはよう|おはようございます|ありがとう|はい|いいえ|さようなら|おやすみ"
    "|おやすみなさい|안녕하세요|안녕|감사합니다|고마워요|고마워|네|아니요|مرحبا|شكرا|شكرا لك"
    "|السلام عليكم|نعم|لا|שלום|תודה|merhaba|teşekkürler|tak|hej|tack|dank je|hoi|สวัสดี"
    "|ขอบคุณ|नमस्ते|धन्यवाद"
)
# Greetings, thanks and yeses of whole sentences, where a list of phrases would be too long.
FOREIGN_COURTESY: Final = re.compile(
    r"(?:(?:你好|您好|嗨|哈喽|早上好|晚上好)[呀啊]?[，,！! ]*(?:我的)?(?:朋友|伴侣)?"
    r"|(?:好的?|嗯+|哦|是的|明白了?|没问题)?[呀啊吧]?[，, ]*(?:我的)?(?:朋友)?[，, ]*"
    r"(?:非常|太|真的?很?)?(?:谢谢|感谢|多谢)(?:[你您][^，,。！!]{0,8})?|(?:好的?|嗯+|是的|没问题|不客气|当然|再见|晚安)[，,呀啊吧了]*"
    r"|(?:どうも)?ありがとう[^。！、]{0,6}|(?:お)?元気です)[。！!～~]*$"
)
# Words that date a statement; a dated word is worth keeping.
DATED: Final = word_set(
    "yesterday tomorrow tonight ago monday tuesday wednesday thursday friday saturday sunday "
    "january february march april june july august september october november december weekend "
    "gestern morgen hier demain ayer mañana вчера завтра tomorrow's yesterday's tonight's"
)
# First words of statements whose "I" is left out: "Just started a course.", "Been to Rome twice."
SUBJECT_DROPPED: Final = word_set(
    "just been gonna got love loved went still never finally can't started made took had saw tried "
    "bought working planning trying moved met found read watched finished haven't hadn't prefer "
    "hate always don't"
)
