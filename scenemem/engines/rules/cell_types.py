"""The type of a cell, by the cues in what was said.

The checks run in the order of what people would miss most: a decision or a risk before a task, a
preference before a plan, and "fact" where no cue stands. English knows the most cues; German,
French, Spanish, Russian, Chinese and Japanese a few that are sure.
"""

from __future__ import annotations

import re
from typing import Final

from scenemem.base.records import CellType
from scenemem.engines.rules.sentence import Phrases, Sentence

__all__ = ["type_of"]

_DECISION: Final = Phrases(
    "decided|decide on|decision|chose|have chosen|i picked|we picked|settled on|let's go with"
    "|let's use|going with|we went with|ended up with|i'll go with|we'll go with|i'd go with"
    "|we'll use|we will use|i'll use|agreed to|agreed on|agreed that|opted"
    "|made up my mind|switched to|switching to|use instead|will be using"
    "|entschieden|beschlossen|entscheidung|décidé|choisi|décision|decidí|decidido|decidimos|elegí"
    "|решил|решила|решили",
    "决定|決定|選んだ|決めた|選択|选定|改用",
)
_RISK: Final = Phrases(
    "worried|worries|worries me|worry about|afraid that|concerned about|concerned that|at risk"
    "|risky|risk|risks|might fail|might miss|might break|might not make|might lose|might slip"
    "|might be late|may fail|may miss|may slip|could fail|could break|in danger|dangerous"
    "|anaphylaxis|anaphylactic|blocker|blocked by|blocked on|behind schedule"
    "|running out of reaction|side effects|besorgt|sorgen|befürchte|gefahr|risiko|inquiet|inquiète"
    "|risque|preocupado|preocupada|riesgo|боюсь|беспокоюсь|риск|риски",
    "担心|担忧|擔心|风险|風險|心配|リスク|恐れ",
)
_TASK: Final = Phrases(
    "i need to|we need to|needs to|need to be|i have to|we have to|has to be|i've got to|we've got "
    "to|gotta|i must|we must|still have to|still need to|just need to"
    "|must be done|todo|to-do|to do list|remind me|don't forget|do not forget|remember to|make "
    "sure to|be sure to|i should|we should|still owe|deadline|is due|are due|due on|due by"
    "|action item|ich muss|wir müssen|muss noch|il faut|je dois|nous devons|tengo que|tenemos que"
    "|hay que|мне нужно|нам нужно|надо|нужно|должен|должна|vergiss nicht|n'oublie pas|no olvides",
    "必须|必須|得去|需要去|记得|別忘|别忘|提醒我|なければ|しないと|する必要|忘れずに",
)
_CHORE: Final = re.compile(
    r"(?:please )?(?:call|buy|send|email|book|pay|renew|order|pick up|submit|schedule|cancel|finish"
    r"|fix|return|ask|tell|reply to|write to|update|check|review|prepare|clean|water|ring) "
    r"(?:the|my|our|a|an|to|for|up|[a-z]+ (?:about|by|on|before|for|back)\b|mum|mom|dad)\b"
)
_LOVING: Final = re.compile(
    r"(?:^|\b(?:i|we|they|you|\w+s|absolutely|really|also|just|still|always|do|don't"
    r"|and) )love (?!and\b|from\b)"
)
_PREFERENCE: Final = Phrases(
    "loves|loved|adore|hate|hates|hated|can't stand|can not stand|dislike|dislikes|enjoy|enjoys"
    "|prefer|prefers|preferred|favorite|favourite|favorites|favourites|fave|faves|fan of|fond of"
    "|keen on|obsessed with|vegetarian|vegan|can't eat|don't eat|don't drink|never eat"
    "|passionate about|i like|we like|really like|likes|don't like|doesn't like|do not like|i'm "
    "into|really into|i'd rather|would rather|my thing|cup of tea|soft spot for|addicted to"
    "|ich mag|mag keine|mag kein|mag keinen|liebe|hasse|am liebsten|lieblingsessen|lieblingsfarbe"
    "|lieblingsbuch|bevorzuge|vegetarier|vegetarierin|j'aime|j'adore|je déteste|je préfère|préféré"
    "|préférée|n'aime pas|me gusta|me encanta|me gustan|odio|prefiero|favorito|favorita|люблю"
    "|нравится|нравятся|ненавижу|предпочитаю|любимый|любимая|любимое",
    "喜欢|喜歡|讨厌|討厭|爱吃|最爱|偏好|吃素|好き|嫌い|大好き",
)
# Phrases that only look like a liking.
_NO_PREFERENCE: Final = re.compile(
    r"i'd love|would love|would have loved|love to (?:hear|see|know|chat)|with love|love you"
    r"|lots of love|(?:their|your|his|her|our|of|the|and|so much|full of|with) love(?! (?:for|of"
    r"|to)\b)"
)
_PLAN: Final = Phrases(
    "planning|plan to|plans to|planned to|plan on|plans for|my plan|our plan|the plan|a plan|hope "
    "to|hoping to|looking forward to|i'll|we'll|i will|we will|he will|she will|they will|it will"
    "|intend to|aim to|aiming to|want to|wanna|would like to|i'd like to|i'd love to|would love to"
    "|thinking of|thinking about|considering|scheduled for|is scheduled|upcoming|next week|next "
    "month|next year|next weekend|next summer|next winter|next spring|next fall|next monday"
    "|next tuesday|next wednesday|next thursday|next friday|next saturday|next sunday|tomorrow"
    "|goal is to|dream is to|saving up|i'm off to|can't wait to|about to|gonna|someday"
    "|ich werde|wir werden|habe vor|haben vor|plane|planen|nächste woche|nächsten monat|morgen"
    "|je vais|nous allons|on va|demain|prochaine|voy a|vamos a|quiero|pienso|planeo|mañana"
    "|собираюсь|собираемся|планирую|планируем|буду|будем|хочу|завтра",
    "打算|计划|計劃|准备|準備|想要|下周|下个月|明天|明年|つもり|予定|来週|来月",
)
_GOING: Final = re.compile(
    r"going to (?!the\b|an?\b|my\b|our\b|their\b|this\b|that\b|school|work|bed|church|college"
    r"|therapy)|(?:i'm|we're|i am|we are) (?:flying|leaving|moving|starting|visiting|launching"
    r"|travell?ing|getting married|heading|meeting|hosting|having)\b.* (?:in|on|next|this|soon"
    r"|at the end)\b"
)


def type_of(sentence: Sentence) -> CellType:
    """The type of a cell with this content: what its strongest cue says, "fact" without one."""
    if _DECISION.found_in(sentence):
        return "decision"
    if _RISK.found_in(sentence):
        return "risk"
    if _TASK.found_in(sentence) or _CHORE.match(sentence.lower):
        return "task"
    if _prefers(sentence):
        return "preference"
    if _PLAN.found_in(sentence) or ("ing " in sentence.lower and _GOING.search(sentence.lower)):
        return "plan"
    return "fact"


def _prefers(sentence: Sentence) -> bool:
    if _PREFERENCE.found_in(sentence):
        return True
    if "love" not in sentence.known:
        return False
    return _LOVING.search(_NO_PREFERENCE.sub(" ", sentence.lower)) is not None
