"""Words that a question is made of and that say nothing of what it is about, by language.

`stopwords_of` finds the language by the stop words themselves: the one whose list covers most of
the question, English where two are level. So the list of one language is never used on another
("die" is no stop word in an English question). `LIGHT` holds English words that people ask with
("recommend", "remember", "kind"): they count, but less than what is asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

__all__ = ["LIGHT", "STOPWORDS", "STOP_CHARACTERS", "stopwords_of"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Folded: lower case, without accents. Pieces that an apostrophe leaves ("don", "ll") are listed.
STOPWORDS: Final[dict[str, frozenset[str]]] = {
    "en": _words(
        """
        a an the this that these those such
        i me my mine myself you your yours yourself he him his himself she her hers herself it its
        itself we us our ours ourselves they them their theirs themselves
        who whom whose which what when where why how
        am is are was were be been being do does did doing done have has had having can could will
        would shall should may might must
        s t d m ll re ve isn aren wasn weren doesn didn haven hasn hadn can couldn wouldn
        shouldn ain
        and or but nor not no so than then if else because as while until of at by for with about
        against between into through during before after above below to from up down in out on off
        over under again further once here there all any both each few more most other some only own
        same too very just also
        """
    ),
    "de": _words(
        """
        der die das den dem des ein eine einen einem einer eines kein keine keinen
        ich mich mir mein meine meinen meinem meiner du dich dir dein deine deinen er ihn ihm sein
        seine seinen sie ihr ihre ihren es wir uns unser unsere euch euer man
        wer wen wem wessen was wann wo wohin woher warum wieso wie welche welcher welches welchen
        bin bist ist sind seid war warst waren wird werden wurde wurden worden habe hast hat haben
        hatte hatten kann kannst konnte konnen soll sollte muss musste will wollte mag
        und oder aber doch denn weil dass ob wenn als auch nur noch schon sehr so nicht nein ja
        an am auf aus bei beim bis durch fur gegen in im ins mit nach seit uber um unter von vom vor
        zu zum zur zwischen dort hier da dann etwas
        """
    ),
    "fr": _words(
        """
        le la les l un une des du de d au aux ce cet cette ces c
        je j me m moi mon ma mes tu te t toi ton ta tes il elle on se s son sa ses nous notre nos
        vous votre vos ils elles leur leurs lui y en qui que qu quoi quand ou comment pourquoi quel
        quelle quels quelles combien est ce suis es sommes etes sont etait etaient ai as a avons
        avez ont avait avaient fait peut doit
        et mais donc or ni car ne n pas plus tres aussi si non oui
        dans par pour sur sous avec sans chez entre vers depuis avant apres
        """
    ),
    "es": _words(
        """
        el la los las lo un una unos unas de del al este esta estos estas ese esa eso
        yo me mi mis mio tu te ti tus el ella se su sus nos nosotros nuestro nuestra os vosotros
        ellos ellas les le
        que quien quienes cual cuales cuando donde como cuanto cuantos cuanta cuantas por porque
        es soy eres somos son era eran fue fueron ser estar estoy esta estan he has ha hemos han
        habia hay puede debe
        y o u pero ni no si mas muy tambien ya en con sin para sobre entre hasta desde a
        """
    ),
    "pt": _words(
        """
        o a os as um uma uns umas de do da dos das ao aos no na nos nas num numa pelo pela este esta
        esse essa isso isto
        eu me mim meu minha meus minhas tu te teu tua voce voces ele ela se seu sua seus suas nos
        nosso nossa eles elas lhe
        que quem qual quais quando onde como quanto quantos quantas por porque
        e sou es somos sao era eram foi foram ser estar estou esta estao tenho tem temos tinha ha
        pode deve
        ou mas nem nao sim mais muito tambem ja em com sem para sobre entre ate desde
        """
    ),
    "it": _words(
        """
        il lo la i gli le l un uno una di del dello della dei degli delle d al allo alla ai agli
        alle dal dalla nel nella nei sul sulla questo questa quello quella
        io mi me mio mia miei mie tu ti te tuo tua lui lei si suo sua noi ci nostro voi vi loro
        che chi cosa cos quale quali qual quando dove dov come com quanto quanti quante perche
        e sono sei siamo siete era erano stato ho hai ha abbiamo hanno aveva puo deve
        ed o ma ne non piu molto anche gia in con senza per su tra fra fino da a
        """
    ),
    "ru": _words(
        """
        я меня мне мной мой моя мое мои ты тебя тебе твой он его ему она ее ей оно мы нас нам наш
        вы вас вам ваш они их им себя свой этот эта это эти тот та то те
        кто кого кому что чего чему когда где куда откуда почему зачем как какой какая какое какие
        сколько чей
        быть есть был была было были буду будет
        и или но а не ни да нет же ли бы если чтобы потому в во на за из от до по с со к ко у о об
        при для без над под между уже еще тоже только очень
        """
    ),
    "hi": _words(
        """
        मैं मुझे मेरा मेरी मेरे तुम तुम्हारा आप आपका आपकी वह वे यह ये उस उसका उसकी इस हम हमारा
        का की के को से में पर ने तक और या भी ही तो कि क्या कौन कब कहाँ कहां कैसे क्यों कितना कितने
        है हैं हूँ हूं हो था थी थे
        """
    ),
}

# Weighed down, not dropped: "what did Ann recommend" asks for a recommendation after all.
LIGHT: Final = _words(
    """
    recommend recommended recommendation recommendations suggest suggested suggestion suggestions
    advice advise tip tips idea ideas tell told say said says mention mentioned mentions talk talked
    talking speak spoke discuss discussed share shared ask asked remember remind recall know knew
    known think thought thinking feel feeling felt like liked likes want wanted wants need needed
    needs find found get gets got getting go goes went going gone come came make makes made making
    take takes took give gives gave use used using try tried trying see saw seen look looked looking
    help helped happen happened call called name named names
    something anything everything someone anyone everyone thing things way ways kind kinds type
    types sort sorts lot many much one two new other another different good great best better
    interesting current currently recent recently lately last previous previously earlier first
    usually often always really time times day days maybe
    bit quite even still ever yet now soon whether since able seem seems seemed upcoming
    helpful useful sure
    """
)

# Characters of Chinese and Japanese function words, as single characters of little meaning.
STOP_CHARACTERS: Final = frozenset(
    "的了是在我你您他她它们們吗嗎呢吧啊呀么麼什哪怎谁誰这這那个個之就也都很和与與或及"
    "有没沒不曾把被给給让讓向从從到会會能要可以过過得着著为為而且对對请請问問几幾多少"
    "はがをにでとのもかやへねよわらりるれろすまたしいてなだあう"
)


def stopwords_of(keys: Iterable[str]) -> Collection[str]:
    """The stop words of the language in which most of the folded words `keys` are stop words."""
    found = list(keys)
    counts = {code: sum(map(words.__contains__, found)) for code, words in STOPWORDS.items()}
    best = max(counts, key=lambda code: counts[code])  # the first of equals: English
    return STOPWORDS[best] if counts[best] else frozenset()
