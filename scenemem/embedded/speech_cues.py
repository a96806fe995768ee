"""The cues by which `speech_acts.py` tells what a sentence does: phrases and patterns.

Patterns are matched against `Sentence.lower`: lower case, straight apostrophes. English first; for
other languages only what is sure from a word or two.
"""

from __future__ import annotations

import re
from typing import Final

from scenemem.embedded.sentence import Phrases, word_set

# What may stand before the words that decide.
_LEAD_IN = (
    r"(?:(?:so|and|but|ok|okay|hey|hi|hello|please|also|well|now|then|oh|um|sure|great|thanks|yeah"
    r"|yes|no|wow|aww|haha)[,.!]* ){0,3}"
)


def _opening(source: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD_IN}(?:{source})")


# --- questions -----------------------------------------------------------------------------------

QUESTION_END: Final = re.compile(
    r"[?？؟⁇][\s!?？！\"'”’)\]»」』*~.\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*$|[吗嗎][。.!！]?$"
)
_SOMEBODY = r"(?:i|you|we|they|he|she|it|this|that|anyone|someone|anybody|somebody)"
QUESTION_OPENING: Final = _opening(
    rf"(?:do|does|did|have|has) {_SOMEBODY}\b(?!')|(?:is|are|was|were|am|can|could|will|would"
    rf"|should|shall|may) (?:{_SOMEBODY}|there|these|those"
    r"|my|your|our)\b(?!')|(?:isn't|aren't|wasn't|don't|doesn't|didn't|can't|couldn't|won't"
    r"|wouldn't) (?:you|it|that|there|we|they)\b|(?:what|which|who|whose|where|when|why|how) (?:is"
    r"|are|was|were|do|does|did|should|would|can|could|will|much|many|about|to|kinds?|types?|come"
    r"|long|often|far|old|else)\b|(?:what|how|where|who)'(?:s|re|d) (?!more\b|great\b|important\b"
    r"|worse\b)|any (?:\w+ )?(?:ideas?|tips|suggestions?|advice|recommendations?|thoughts|plans"
    r"|news)\b|i(?:'m| am| was)? (?:just |also )?(?:wonder|wondering|curious|want to know"
    r"|would like to know)\b|let me know|tell me (?:about|more|how|what|why|when|where|who|if"
    r"|whether|a|an|the)\b"
)
# A fact that a sentence carries although it asks: "…, which I got from my sister last month".
OWN_RELATIVE_CLAUSE: Final = re.compile(
    r",? (?:which|where|that|who|when|because|since|considering) (?:i|we)(?:'ve| have| had"
    r"|'d)? (?!am\b|are\b|can\b|could\b|should\b|will\b|would\b|need\b|want\b|might\b|do\b)\w+"
)

# --- asking to be remembered ---------------------------------------------------------------------

EXPLICIT: Final = Phrases(
    "remember that|please remember|and remember|remember my|remember our|remember this|also "
    "remember|keep in mind|bear in mind|make a note|take note|note that|note to self"
    "|don't forget to|don't forget that|don't forget the|don't forget my|don't forget our"
    "|don't forget about|don't let me forget|do not forget|for the record|for your records|for "
    "future reference|fyi|save this|merk dir|merke dir|vergiss nicht|denk daran|denk dran"
    "|n'oublie pas|rappelle-toi|souviens-toi|recuerda que|recuérdame|no olvides|запомни|не забудь"
    "|ricorda che|lembre-se",
    "记住|記住|记得|別忘|别忘|请记|覚えて|忘れないで",
)
EXPLICIT_OPENING: Final = re.compile(
    r"(?:please |and |also |ok(?:ay)?,? )*(?:remember|note|reminder)(?: ?[:,]| i\b| the\b| we\b)"
)

# --- roles, jokes, text to work on ---------------------------------------------------------------

ROLE_PLAY: Final = re.compile(
    r"(?:^|[,;:] |\b(?:let's|we|please|and|you|to"
    r"|i want you to) )(?:just )?pretend(?:ing)?\b(?! to be busy)"
    r"|\blet's (?:role-?play|imagine|play a game|say i'm|make believe)\b|\brole-?play(?:ing)?\b"
    r"|(?:^|, |please |let's )imagine (?:that )?(?:i'm|i am|you're|you are|we're|we are|being"
    r"|yourself|a world)\b|(?:^|please |you |to )act (?:as|like) (?:if|an?|though|my|the)\b"
    r"|\bplay the (?:role|part) of\b|\byou are now an?\b|^from now on,? you(?:'re| are)\b"
    r"|\bspeak (?:to me )?like an?\b|\bin character\b|\bstell dir vor, (?:du|ich)\b"
    r"|\btu so,? als\b|\bfais comme si\b|\bimagine que (?:je|tu)\b"
    r"|\bimagina que\b|\bпредставь,? что\b|(?:^|[，。])(?:假装|假裝|扮演|想象)|ふりをして"
)
ROLE_WORDS: Final = word_set(
    "pretend pretending imagine role roleplay act speak character game believe say now stell tu "
    "fais imagina представь"
)
IN_A_ROLE: Final = re.compile(
    r"\bin (?:this|our|the|my) (?:story|game|role-?play|novel|campaign|scenario|fantasy|dream"
    r"|script|play|movie|skit),? (?:i|i'm|my)\b|\bi(?:'m| am) playing (?:the role|a character"
    r"|the part)\b|\bmy (?:character|persona|avatar|alter ego)(?:'s name)? (?:is|has|lives|was"
    r"|will|would)\b|\bi dream(?:ed|t) (?:that )?i\b|\b(?:just kidding|only joking|just joking"
    r"|i'm kidding|i'm joking)\b|\bjk[.!]*$"
)
IN_A_ROLE_WORDS: Final = word_set(
    "story game role-play roleplay role play novel campaign scenario fantasy dream script movie "
    "skit playing character persona avatar alter dreamed dreamt kidding joking jk"
)
PAYLOAD: Final = _opening(
    r"(?:(?:can|could|would|will) you )?(?:please )?(?:help me )?(?:translate|rewrite|re-write"
    r"|proofread|summari[sz]e|paraphrase|correct|edit|improve|fix|debug|review|explain|analy[sz]e"
    r"|shorten|rephrase|continue|complete|classify|turn|convert)\b"
    r"(?:[^.!?]{0,80}[:：]|[^.!?]{0,60}\b(?:this|the following|these|below)\b(?! (?:week|month"
    r"|year)))|(?:write|compose|draft|generate|create) (?:me )?(?:a|an|the|some)\b[^.!?]{0,120}"
    r"(?:story|poem|song|script|dialogue|monologue|essay|lyrics|novel|scene|speech|letter|email)\b"
    r"|(?:übersetze|traduis|traduce|переведи)\b[^.!?]{0,60}:|(?:请)?翻译"
)
INSTRUCTION: Final = _opening(
    r"(?:write|draft|compose|generate|give|show|tell|list|explain|describe|summari[sz]e|translate"
    r"|rewrite|suggest|recommend|calculate|compute|convert|draw|continue|provide|compare|analy[sz]e"
    r"|answer|debug|implement|code|proofread|help|look up|search|rank|define|brainstorm|outline"
    r"|solve|elaborate|expand|schreib|schreibe|erkläre|écris|explique|escribe|explica|напиши"
    r"|объясни)\b|(?:create|make|find|design|build|plan) me\b"
    r"|(?:帮我|请帮我)?(?:写|解释)(?:一|下|个)"
)

# --- what is not so ------------------------------------------------------------------------------

_SELF = r"(?:i|i'm|i've|i'd|we|we're|you|you're|my|our)"
_HEDGE = r"\b(?:would|wouldn't|could|couldn't|might|may|\w+'d|will|won't|\w+'ll|should)\b"
UNREAL: Final = re.compile(
    # if-clauses about the speaker with a main clause that hedges
    rf"(?<!know )(?<!knows )(?<!see )(?<!sure )(?<!wonder )(?<!even "
    rf")\bif {_SELF}(?= )[^.!?]*?{_HEDGE}"
    rf"|{_HEDGE}[^.!?]*?(?<!know )(?<!knows )(?<!see )(?<!sure )(?<!even )\bif {_SELF} "
    r"|\bif \w+(?: \w+)? (?:were|was|had|could)\b[^.!?]*?\b(?:would|wouldn't|could|might|\w+'d)\b"
    r"|\b(?:i'd|i would|i might)\b[^.!?]*?\bif\b|\bwhat if\b|\bif only\b|\bas if (?:i|we)\b"
    r"|\bunless (?:i|we)\b[^.!?]*?\b(?:would|will|\w+'ll|\w+'d)\b|\bif i (?:ever|were|was to|had)\b"
    r"|\b(?:hypothetically|theoretically|in theory|in another life|in a parallel universe"
    r"|in an alternate)\b|\bi wish (?:that )?(?:i|we|my \w+) (?:\w+ed|had|was|were|could|knew"
    r"|lived|owned|spoke|didn't|wasn't|weren't|hadn't|would)\b"
)
UNREAL_WORDS: Final = word_set(
    "if unless hypothetically theoretically theory life universe alternate wish"
)
UNREAL_OPENING: Final = re.compile(
    r"(?:but |and |so |just |now |then )*(?:(?:suppose|supposing|say|let's say|assume|assuming"
    r"|let's assume|picture)(?: that)? (?:i|i'm|we|we're|you|my)\b|(?:had|were|should) (?:i|we)\b"
    r"|had \w+ known\b)"
)
UNREAL_PAST: Final = re.compile(r"\bi (?:could|would|might|should) have\b(?! to\b)|\bi'd have\b")
UNREAL_ABROAD: Final = re.compile(
    r"(?:如果|假如|要是|假设|假設|若)我|もし(?:も)?、?(?:私|僕|俺)|\bwenn ich\b[^.!?]*"
    r"\b(?:würde|wäre|hätte|könnte)\b|\b(?:würde|wäre|hätte)\b[^.!?]*\bwenn ich\b|\bsi j(?:'"
    r"|e )(?:étais|avais|habitais|vivais|pouvais)\b|\bsi (?:yo )?(?:fuera|tuviera|viviera"
    r"|pudiera)\b|\bесли бы\b"
)
UNREAL_ABROAD_WORDS: Final = word_set("wenn si если")

# --- somebody else's words -----------------------------------------------------------------------

_I = r"(?:i|i'm|i've|i'll|i'd|my|me|we|we're|our|ich|mein|meine|je|j'\w+|mon|ma|yo|mi|я|мой|моя)"
# One quotation, from its opening to its closing mark; single quotes only where they open with an I.
QUOTATION: Final = re.compile(
    rf"\"[^\"]*(?:\"|$)|[“„][^“”]*(?:[”“]|$)|«[^»]*(?:»|$)|[「『][^」』]*(?:[」』]|$)"
    rf"|(?<!\w)['‘](?={_I}(?!\w))[^\n]+?['](?!\w)"
)
SELF_INSIDE: Final = re.compile(rf"(?<!\w){_I}(?!\w)|[我私僕俺]")
REPORTED: Final = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\bi just )\b(?:said|says|told|tells|asked|goes|replied|answered"
    r"|shouted|wrote|texted|yelled|whispered|claims|claimed|saying|was like|is like|were like"
    r"|announced|mumbled|joked|sang|reads|screamed|insisted|admitted|lyrics?|quote|quoted|sagte"
    r"|meinte|sagt|schrieb|dit|dijo|dice|сказал|сказала|говорит|написал|написала)\b|[说說道]|言"
)

# --- small talk ----------------------------------------------------------------------------------

REACTION: Final = _opening(
    r"(?:wow|aww?|congrat\w*|thanks|thank you|cheers|yay|haha|lol|good luck|great job|well done"
    r"|way to go|nice|awesome|cool|amazing|incredible|sounds|looks|glad|happy (?:to|for)"
    r"|so (?:glad|happy|proud|cool|sweet|sorry)|sorry to|i(?:'m| am) (?:so |really |very )?(?:glad"
    r"|happy|proud|sorry|sure|rooting|impressed)|that(?:'s| is| was| sounds| looks| must)|it(?:'s"
    r"| is) (?:great|awesome|amazing|so|really|nice|cool)|this (?:is|looks|sounds)|what an?"
    r"|how (?:cool|nice|sweet|lovely|amazing|great|exciting|fun)|can't wait (?:to|for)"
    r"|looking forward to (?:hear|see)|keep (?:it|up|going|me)"
    r"|take care|have (?:a|an|fun)|enjoy|hope (?:you|it|to hear)|i hope|best of luck|i (?:totally "
    r"|completely |really |definitely |can )?(?:agree|appreciate|understand|bet|hear you|imagine"
    r"|love (?:that|how))|no (?:worries|problem|doubt)|let's (?:catch|chat|talk|keep)"
    r"|talk (?:to you )?soon|see you|bye|later|welcome|great to|good to|nice to|it(?:'s| is"
    r"| was) (?:good|great|nice|lovely) to|long time no (?:see|talk|chat|speak)|it(?:'s"
    r"| has) been (?:a while|ages|too long)|as an ai|how can i)\b"
)
# "That must be fun": about what the other one told.
GUESS: Final = " must "
SECOND_PERSON: Final = _opening(
    r"(?:you|your|you(?:'re|'ve|'ll|'d)|y'all)\b(?! (?:told|said|mentioned|promised|asked"
    r"|recommended|suggested|gave|lent|owe|sent|showed|need to))"
)
FOREIGN_SMALL_TALK: Final = frozenset(
    [
        "hallo",
        "guten morgen",
        "guten tag",
        "guten abend",
        "gute nacht",
        "danke",
        "danke schön",
        "dankeschön",
        "vielen dank",
        "bitte",
        "ja",
        "nein",
        "tschüss",
        "genau",
        "super",
        "alles klar",
        "alles gut",
        "wie geht's",
        "bonjour",
        "bonsoir",
        "salut",
        "merci",
        "merci beaucoup",
        "oui",
        "non",
        "au revoir",
        "d'accord",
        "de rien",
        "à bientôt",
        "ça va",
        "hola",
        "buenos días",
        "buenas tardes",
        "buenas noches",
        "gracias",
        "muchas gracias",
        "sí",
        "de nada",
        "adiós",
        "vale",
        "claro",
        "ciao",
        "buongiorno",
        "grazie",
        "grazie mille",
        "prego",
        "olá",
        "obrigado",
        "obrigada",
        "bom dia",
        "tudo bem",
        "привет",
        "здравствуйте",
        "доброе утро",
        "добрый день",
        "добрый вечер",
        "спасибо",
        "большое спасибо",
        "да",
        "нет",
        "пока",
        "хорошо",
        "ок",
        "понятно",
        "你好",
        "您好",
        "谢谢",
        "謝謝",
        "谢谢你",
        "早上好",
        "晚安",
        "晚上好",
        "再见",
        "再見",
        "好的",
        "好",
        "嗯",
        "嗯嗯",
        "是的",
        "不客气",
        "哈哈",
        "大家好",
        "こんにちは",
        "こんばんは",
        "おはよう",
        "おはようございます",
        "ありがとう",
        "ありがとうございます",
        "はい",
        "いいえ",
        "さようなら",
        "おやすみ",
        "おやすみなさい",
        "안녕하세요",
        "안녕",
        "감사합니다",
        "고마워요",
        "고마워",
        "네",
        "아니요",
        "مرحبا",
        "شكرا",
        "شكرا لك",
        "السلام عليكم",
        "نعم",
        "لا",
        "שלום",
        "תודה",
        "merhaba",
        "teşekkürler",
        "tak",
        "hej",
        "tack",
        "dank je",
        "hoi",
        "สวัสดี",
        "ขอบคุณ",
        "नमस्ते",
        "धन्यवाद",
    ]
)
# Courtesies towards the answers of an assistant, and interest in more of them.
CONVERSING: Final = _opening(
    r"i(?:'d| would)? (?:really )?(?:like|love|want) to (?:ask|know|hear|learn more|understand"
    r"|see more)\b|i(?:'ll| will| think i'll) (?:definitely |be sure to |make sure to |also "
    r"|certainly )?"
    r"(?:take a look|check (?:out )?|try|keep|look into|give|consider|take|use|do|follow"
    r"|start with)"
    r"(?: at| into)? ?(?:some of |all )?(?:those|these|that|them|it|your|the (?:tips|advice"
    r"|suggestions))\b|i(?:'m| am) (?:also |really )?(?:excited|eager|interested"
    r"|looking forward) (?:to|in) (?:hear|learn|know|see)\w*|i have (?:another|a few more|one more"
    r"|a) questions?|that (?:makes sense|helps)"
)
# Greetings, thanks and yeses of whole sentences, where a list of phrases would be too long.
FOREIGN_COURTESY: Final = re.compile(
    r"(?:(?:你好|您好|嗨|哈喽|早上好|晚上好)[呀啊]?[，,！! ]*(?:我的)?(?:朋友|伴侣)?"
    r"|(?:好的?|嗯+|哦|是的|明白了?|没问题)?[呀啊吧]?[，, ]*(?:我的)?(?:朋友)?[，, ]*"
    r"(?:非常|太|真的?很?)?(?:谢谢|感谢|多谢)(?:[你您][^，,。！!]{0,8})?"
    r"|(?:好的?|没问题|当然|再见|晚安)[，,呀啊吧了]*"
    r"|(?:どうも)?ありがとう[^。！、]{0,6}|(?:お)?元気です)[。！!～~]*$"
)
# Words that date a statement; a dated word is worth keeping.
DATED: Final = word_set(
    "yesterday tomorrow tonight ago monday tuesday wednesday thursday friday saturday sunday "
    "january february april june july august september october november december weekend gestern "
    "morgen hier demain ayer mañana вчера завтра tomorrow's yesterday's tonight's"
)
# First words of statements whose "I" is left out: "Just started a course.", "Been to Rome twice."
SUBJECT_DROPPED: Final = word_set(
    "just been gonna got love loved went still never finally can't started made took had saw tried "
    "bought working planning trying moved met found read watched finished haven't hadn't"
)
