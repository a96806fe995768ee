"""Which words carry a topic and which only carry a sentence: word lists for naming and cohesion.

English words come in grades. *Stop* words hold sentences together; *light* words (everyday verbs,
adjectives, adverbs, praise and greetings) say little of what a matter is about and never name it;
*vague* nouns ("time", "thing", "experience") may end a name, never be one; *doing* words ("plan",
"walk") are verbs and nouns alike and count as nouns where an article or a possessive says so.
Everything else is taken as a topic word. For other languages there are stop words only; what is
common in one memory is weighed down by counting.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words(
    """
a an the this that these those some any each every either neither both all another other others such
what which who whom whose whatever whichever whoever when whenever where wherever why how however
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its
itself we us our ours ourselves they them their theirs themselves one ones someone somebody something
anyone anybody anything everyone everybody everything nobody nothing none
and or but nor so yet for if then than else because since although though while whereas unless until
till whether as of at by to from in into on onto in out off up down over under above below between
among amongst against about around across along through throughout during before after behind beyond
beside besides near with within without upon toward towards per via despite except like unlike
am is are was were be been being isn aren wasn weren ain do does did done doing don doesn didn have
has had having haven hasn hadn can could may might must shall should will would ought cannot couldn
shouldn wouldn mustn won
not no yes yeah yep yup nah nope ok okay oh ah wow hey hi hello hmm huh mmm oops ooh aww haha ha lol btw
omg hiya yay woah whoa woo woohoo oof ugh bye goodbye ya ye please pls thanks thank thx cheers welcome
congrats congratulations sorry
here there now again also too very just only even still already ever never always often sometimes
usually rarely seldom once twice soon later ago yesterday today tomorrow tonight lately recently
currently almost quite rather pretty really actually definitely absolutely totally truly maybe perhaps
probably certainly surely indeed anyway anyways well much many more most less least few little lot
lots bit several enough plenty plus else instead together apart away back forward ahead aside
own same so way going goes gone seen kinda sorta gonna wanna gotta lemme let lets y'all
ll ve re s t d m im ive id dont didnt cant isnt thats whats
image photo picture pic caption
fave faves fav favs prob probs ttyl tho cuz cos imo imho idk tbh nvm omw til em ups downs yea yeahh
yess sooo hehe hehehe hahaha lmao rn fr asap gotcha wassup sup howdy yo nope
"""
)

LIGHT = _words(
    """
be become became get got gotten go went gone come came make made take took taken give gave given put
set keep kept let leave left hold held bring brought carry carried send sent show showed shown turn
move stay stand stood sit sat lie lay fall fell fallen rise rose lose lost win won find found look see
saw seen watch hear heard listen feel felt touch taste smell say said tell told speak spoke spoken
talk chat ask answer reply respond mention explain describe discuss share suggest recommend advise
agree disagree admit deny claim promise thank greet congratulate apologize
think thought know knew known understand understood believe guess suppose assume imagine consider
wonder doubt remember forget forgot forgotten realize realise recognize notice learn learnt mean meant
decide choose chose chosen prefer want wish hope expect need like love hate enjoy miss appreciate
admire care mind matter seem appear happen occur remain continue start begin began begun stop finish
end try tried manage attempt fail succeed achieve accomplish reach arrive return enter join meet met
follow lead led pass cross spend spent pay paid buy bought sell sold cost use used help allow enable
cause create build built produce provide offer serve include involve contain add remove reduce
increase improve grow grew grown develop change become adjust adapt affect impact influence depend
belong exist live die born wait hurry rush check test prove confirm ensure handle deal face tackle
overcome struggle push pull throw threw thrown catch caught drop pick lift raise hang hung hit cut
break broke broken fix mend open close shut read wrote written sleep slept wake woke eat ate eaten
drank wear wore worn pack grab
encourage inspire motivate excite amaze impress fascinate please satisfy relax calm cheer boost uplift
recharge refresh unwind chill vibe stoke pump thrill worry scare bother stress overwhelm disappoint
frustrate surprise remind reflect express explore discover experience capture connect bond relate
focus commit dedicate determine embrace accept respect value honor cherish treasure celebrate
support supportive trust aim strive pursue chase seek sought search lack rely stick stuck lean
figure sort work works working worked play played plays happen figure hang check keep catch
try trying deal dealing brought set setting hit hitting pursue reward attend attended visit visited
schedule book booked order ordered update updated note noted save saved point pointed
good great nice fine bad better best worse worst awesome amazing cool incredible fantastic wonderful
lovely beautiful gorgeous stunning perfect excellent terrific superb brilliant fabulous magnificent
marvelous delightful adorable cute sweet kind nice friendly fun funny hilarious exciting interesting
fascinating inspiring motivating rewarding fulfilling satisfying enjoyable enjoy relaxing calming
soothing peaceful serene tranquil refreshing uplifting comforting cozy comfy warm breathtaking
impressive remarkable extraordinary unforgettable memorable epic magical special unique rare
happy glad sad excited thrilled stoked pumped psyched proud grateful thankful blessed lucky fortunate
honored touched moved amused amazed impressed inspired motivated determined passionate keen eager
curious interested ready willing able unable busy free tired exhausted stressed stressful overwhelmed
overwhelming worried nervous anxious scared afraid scary upset angry mad annoyed frustrated
frustrating disappointed confused lost alone lonely confident comfortable sure certain unsure aware
hopeful positive negative optimistic tough hard difficult easy simple tricky complicated challenging
hectic crazy wild insane weird strange odd unreal surreal intense powerful strong weak deep emotional
big small large huge tiny giant massive enormous little long short tall high low wide narrow thick
thin full empty heavy light quick fast slow early late new old young fresh modern ancient recent
current past previous next last final first second third upcoming coming future main major minor
important essential crucial vital necessary key useful helpful valuable meaningful worth worthwhile
worthy priceless true false real fake right wrong correct clear obvious different similar various
diverse specific particular general common usual normal regular typical average ordinary whole entire
total complete half double single separate individual personal own private public open close near far
away outside inside alive dead safe dangerous risky healthy sick clean dirty wet dry hot cold cool
dark bright loud quiet silent soft smooth rough sharp favorite favourite favourites favorites popular
famous fancy cheap expensive poor rich available possible impossible likely unlikely creative
talented skilled resilient genuine honest loyal patient gentle brave bold calm wise smart clever
intelligent silly stupid dumb super extra ultra mega tasty delicious yummy vibrant colorful lively
energetic active
red blue green yellow orange purple pink black white brown grey gray silver golden gold color colour
truly finally eventually suddenly immediately quickly slowly easily hardly nearly exactly especially
particularly mostly mainly generally basically literally honestly seriously obviously clearly simply
completely fully entirely deeply highly extremely incredibly super fairly somehow somewhere anywhere
everywhere nowhere someday sometime anytime forever nowadays meanwhile otherwise therefore thus hence
moreover furthermore besides hopefully unfortunately luckily thankfully apparently
long-term asap alright fyi aka etc ton tons bunch loads couple dozen hundred thousand million
guy guys folks dude man buddy pal babe bro sis gal honey sweetie y'know
one two three four five six seven eight nine ten eleven twelve
bigger smaller larger easier harder younger older closer deeper happier stronger faster slower higher
lower longer shorter wider brighter simpler tougher warmer cooler newer smarter healthier richer busier
biggest smallest largest easiest hardest youngest oldest closest deepest happiest strongest fastest
highest longest
spread hustle juggle brighten cling bounce nudge spark fuel thrive lift resonate evolve transform
incorporate combine contribute participate collaborate balance fill wrap tune buzz dig stumble
savor hype persevere eachother ease vary quit guess
damn gosh god yikes sheesh huge bummer
gain suit stare hide hid hung rode ridden flew flown drove driven swam swum sang sung drew drawn
spoil rock rocks rocked crush crushed nail nailed shine shone ease eased surround mess mixed blow blew
totally wholly definitely pleased delighted joyful cheerful joyous blown stop by ended
rush stack refuse hop hopped stuff
assist handy glance peek swing steal stole stolen split dig dug lend lent borrow borrowed bet
seemed hear based related located needed required supposed likely
allow encourage maintain require prepare prepared preparing organize organized arrange arranged
complete completed compare receive received contact reach cover covered include including choose
"""
)

VAGUE = _words(
    """
thing things stuff way ways time times moment moments while day days week weeks weekend weekends month
months year years hour hours minute minutes night nights morning mornings evening evenings afternoon
life lives world part parts piece pieces side kind kinds sort type types form person people everyone
group place places spot spots area point points reason reasons fact facts case cases matter issue
issues problem problems question questions answer answers idea ideas thought thoughts opinion view
views perspective mind heart soul head hand hands eye eyes face word words story stories name number
amount level rate degree list lot end start beginning top bottom middle center front line set step
steps stage process progress result results effect effects impact difference change changes chance
chances opportunity opportunities possibility option options choice choices decision decisions goal
goals aim purpose target dream dreams hope hopes wish plan plans effort efforts attempt try trying
success failure achievement achievements accomplishment accomplishments milestone challenge challenges
obstacle obstacles setback setbacks struggle struggles difficulty difficulties trouble experience
experiences memory memories feeling feelings emotion emotions mood vibe vibes joy happiness peace fun
love passion passions interest interests inspiration motivation encouragement support help advice tip
tips suggestion suggestions recommendation recommendations info information details detail reminder
news update updates luck courage strength power energy confidence determination dedication commitment
resilience perseverance positivity growth creativity imagination freedom comfort relief balance
connection connections bond bonds relationship relationships friendship friend friends buddy buddies
attitude mindset outlook spirit sense value values meaning importance role example adventure adventures
journey journeys escape break breaks rest activity activities event events session sessions situation
environment atmosphere surroundings scene beauty wonder magic blast treat reward rewards gift smile
smiles laugh laughs laughter tear tears hug hugs touch look looks appearance voice sound sounds
attention focus patience discipline habit routine skill skills talent talents ability abilities
knowledge understanding insight insights lesson lessons learning work job stuff thanks self
favorite favourite pursuit pursuits reality truth outcome outcomes potential approach strategy
strategies method methods style quality today tomorrow yesterday tonight future past present
woman women man men lady boy boys girl girls background table desk wall
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue
wed thu fri sat sun
am pm o'clock
chat conversation conversations call message messages text texts reply photo photos pic pics picture
pictures image images shot shots video videos share max min
fam bud buds fan fans player players artist artists lady ladies someone stranger strangers member
members mate mates individual individuals human humans generation ages age
acceptance fulfillment satisfaction enthusiasm optimism hardship hustle payoff discovery improvement
assistance guidance appreciation contribution essence root roots path paths ground vision action
actions solution solutions system systems form kindness symbol symbols reminder reminders personality
diversity inclusivity uniqueness togetherness vulnerability authenticity self-care self-expression
expression identity unity progress setup piece combo mix bunch pair pairs bit highlight highlights
course courses guts gut country countries city cities town towns body bodies owner owners way
impression impressions honor pleasure delight surprise surprises shock excitement anticipation thrill
rush stress pressure worry worries fear fears doubt doubts anxiety pain loss grief sadness
appreciation gratitude respect trust faith belief beliefs kindness compassion empathy care
size shape color colors colour colours space room corner edge bit deal share whole rest sign
source resource resources tool tools item items section topic topics subject content note notes
version bit summary overview
""" 
)

DOING = _words(
    """
plan walk run ride drive trip travel fly swim climb hike camp race jump dance sing paint draw sketch
design cook bake grill roast drink shop craft sew knit garden plant farm fish hunt train practice
practise exercise stretch lift coach teach study research program code test film record edit publish
write type print post blog stream perform tour concert show exhibit compete match score score goal
game plays call text email message visit date party guest host volunteer donate interview hire
promote present speech report review repair paint renovate remodel clean wash
move rent lease travel tour cruise surf ski skate sail row kayak bike cycle
raise rescue adopt foster pet feed groom treat dress cast act mentor counsel
launch release ship deploy trade invest budget bank tax loan charge
photograph picture shoot stream sign sculpt carve weld craft brew ferment pickle
vote protest march campaign pray worship meditate
read eat study move record graduate donate adopt invest volunteer pray drive cuddle hug fetch
snack lunch dinner breakfast meal fall spring park store shop stage stand board block cover
"""
)

# Everyday adjectives that make compounds with the noun after them; they count where the pair recurs.
COMPOUND_MODIFIERS = _words(
    """
high hot ice social mental physical real open public private classic fast short long free light dark
red white black green blue old new young special live local global national international online
digital electric electronic virtual video board role self healthy financial personal professional
creative musical medical natural solar second spare first annual weekly monthly main outdoor indoor
sweet dry raw wild slow deep small big early late
"""
)

# Listed endings of nouns that look like another kind of word.
NOUNS_IN_ED = _words("seed weed speed need bed breed feed bleed shed sled thread bread hundred")

# Words before a word that make it a verb, and that make it a noun.
VERB_ANNOUNCERS = _words(
    """
i we you they he she it who to can could will would should may might must shall do don't did didn't
does doesn't not never gonna wanna let's let please i'll we'll you'll they'll i'd we'd you'd they'd
help helps helped always also just really can't won't couldn't wouldn't
"""
)
NOUN_ANNOUNCERS = _words(
    """
the a an my your his her its our their this that these those some any no every each another about of
for with in at on from by into like own new old big first last next favorite favourite great good
best amazing awesome beautiful nice local two three few many several more most
"""
)

# Nouns that tell little of a matter when they stand alone as its name.
GENERIC = _words(
    """
home house kid kids child children son daughter mom mother dad father husband wife parent parents
partner family neighbor neighbors sister brother cousin aunt uncle girlfriend boyfriend teammate
teammates student students teacher customer customers client clients boss colleague colleagues
game games team teams show shows court road class classes school schools book books series card
cards test tests food meal meals dish car cars project projects page pages film films movie movies
water air sky light show store shop park room floor wheel wheels tree trees business company program
programs money price animal animals pet pets dog dogs cat cats people crowd music song songs art job
community phone app apps website tag tags machine screen company brand world country record records
character characters track tracks box bag hat street building
"""
)

# Small words that tie two nouns into one name.
LINKS = frozenset(("to", "of", "in", "for"))
FOREIGN_LINKS: dict[str, frozenset[str]] = {
    "es": _words("de del"),
    "fr": _words("de du des d'"),
    "it": _words("di del della"),
    "pt": _words("de do da"),
}

# Words of one matter that share no stem, each line under its first word.
KINDRED_LINES = """
child children kid kids toddler son sons daughter daughters baby babies
mother mom mum mama mommy mothers
father dad daddy papa fathers
grandmother grandma granny grandmom
grandfather grandpa granddad
doctor doctors physician clinic hospital checkup
film films movie movies cinema
bicycle bike bikes biking cycling cyclist
car cars vehicle automobile auto
business biz businesses
job jobs career careers employer employment workplace
dog dogs pup pups puppy puppies doggy
cat cats kitty kitten kittens
guitar guitars guitarist
picture pictures photo photos photograph photography photographer
cook cooks cooking cooked recipe recipes
bake baking baker bakery
dance dancing dancer dancers
run running runner marathon
swim swimming swimmer
paint painting paintings painter
counselor counsellor counseling counselling therapist therapy
art artwork artworks artist artists artistic
write writing writer writers wrote
music musical musician musicians song songs
game games gaming gamer gamers
tournament tournaments competition competitions contest contests
lgbtq lgbt queer
trans transgender
flight flights airline airport
gym workout workouts fitness
yoga yogi
hike hiking hiker hikes trail trails
camp camping campsite campfire tent
beach beaches seaside
garden gardening gardener
bird birds birding birdwatching
wedding married marriage marry
apartment flat
teach teacher teachers teaching taught
student students
shop shopping
vacation vacations holiday holidays
friend friends buddies
drum drums drummer drumming
violin violinist
piano pianist
phone smartphone cellphone
pc computer laptop
church religious
knit knitting
sew sewing
photo photos
volunteer volunteers volunteering volunteered
donate donation donations donated
adopt adoption adopting adopted
"""

# Stop words of other languages, most frequent first; a text is read in the language whose words it
# uses most. Words that are rare outside talk are left to counting.
FOREIGN_STOP: dict[str, frozenset[str]] = {
    "es": _words(
        """
de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ya o
este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante
todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos qué unos yo otro otras otra él
tanto esa estos mucho nada muchos cual poco ella estar estas algo nosotros mi mis tú te ti tu tus
ellas soy eres somos son estoy está están era fue ser tengo tiene tener hace hacer voy va vamos ir
puede puedo quiero gusta bien hoy ayer mañana ahora siempre nunca gracias hola he ha han había muy
día días año años cosa cosas vez veces
"""
    ),
    "fr": _words(
        """
de la le et les des en un une du que est pour qui dans a par plus pas au sur ne se ce il sont avec son
ils mais comme ou si leur y dont je tu elle nous vous on me te lui moi toi mon ma mes ton ta tes sa ses
notre nos votre vos cette ces cet être avoir ai as avons avez ont suis es sommes êtes était fait faire
va vais aller très bien aussi tout tous toute toutes rien quand où quoi comment pourquoi oui non
aujourd'hui hier demain maintenant toujours jamais merci bonjour salut peu beaucoup encore déjà même
c'est j'ai n'est qu'il d'un d'une l'on jour jours an ans chose choses fois
"""
    ),
    "de": _words(
        """
der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus
er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber
vor zur bis mehr durch man sein wurde sei ich du wir ihr mich dich uns euch mir dir mein meine meinen
meiner dein deine ihre seine unser habe hast bin bist seid waren hatte kann können muss müssen will
wollen soll sollen möchte gehe gehen geht ganz sehr gut schon immer nie heute gestern morgen jetzt da
dann wenn weil denn was wer wo warum ja nein danke hallo etwas nichts alle alles viel viele wieder
tag tage jahr jahre mal
"""
    ),
    "it": _words(
        """
di e il la che a in un è per una non sono da con si del le i della al lo gli come ma più o anche nel
ha mi ci se ho hai abbiamo hanno questo questa quello quella io tu lui lei noi voi loro mio mia tuo tua
suo sua nostro essere avere fare vado va andare molto bene anche tutto tutti niente quando dove cosa
perché sì oggi ieri domani ora sempre mai grazie ciao poco già ancora stato sta giorno giorni anno anni
alla dei delle dalla sul
"""
    ),
    "pt": _words(
        """
de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à
seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem
mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas meu às minha têm numa
pelos elas havia seja qual será nós tenho lhe deles essas esses vou vai bem hoje ontem amanhã agora
sempre nunca obrigado obrigada olá fazer dia dias ano anos coisa vez
"""
    ),
    "nl": _words(
        """
de en van ik te dat die in een hij het niet zijn is was op aan met als voor had er maar om hem dan zou
of wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben
deze u want nog zal me zij nu ge geen omdat iets worden toch al waren veel meer doen toen moet ben
zonder kan hun dus alles onder ja eens hier wie werd altijd wordt wezen kunnen ons zelf tegen na reeds
wil kon niets uw iemand geweest andere ga gaan heel goed vandaag gisteren morgen bedankt hallo
dag dagen jaar jaren
"""
    ),
    "ru": _words(
        """
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот
от меня еще нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь
опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам
чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой совсем ним здесь
этом один почти мой тем чтобы нее сейчас были куда зачем всех никогда можно при наконец два об другой
хоть после над больше тот через эти нас про всего них какая много разве три эту моя свою этой перед
иногда лучше чуть том нельзя такой им более всегда конечно всю между очень мои моей моего сегодня
вчера завтра спасибо привет это хочу буду надо день дня год лет
"""
    ),
    "sv": _words(
        """
och det att i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du
henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när efter upp
vi dem vara vad över än dig kan sina här ha mot alla under någon eller allt mycket sedan ju denna själv
detta åt utan varit hur ingen mitt ni bli blev oss din dessa några deras blir mina samma vilken er
sådan vår blivit dess inom mellan idag igår imorgon tack hej ska går
"""
    ),
    "pl": _words(
        """
i w na z do nie się to że a o jest co jak po za od tak ale czy już tylko ja ty on ona my wy oni mnie
mi mój moja moje twój jego jej ich nas was dla przez przy bo gdy kiedy gdzie kto być był była było
jestem jesteś są mam masz ma mamy może można bardzo dobrze też także jeszcze zawsze nigdy dziś dzisiaj
wczoraj jutro teraz dziękuję cześć ten ta te tego tej tym tych ze we aby żeby lub oraz dzień rok lat
"""
    ),
    "tr": _words(
        """
ve bir bu da de ne için ile çok ben sen o biz siz onlar mi mı mu mü var yok ama gibi daha en her şey
kadar sonra önce şimdi bugün dün yarın evet hayır teşekkürler merhaba benim senin onun bana sana ona
beni seni onu ki ya veya değil olarak olan oldu olur
"""
    ),
    "ar": _words(
        """
في من على إلى عن مع هذا هذه ذلك تلك التي الذي أن إن كان كانت لا ما لم لن قد هو هي هم نحن أنا أنت كل
بعد قبل عند حتى ثم أو و يا لي له لها لنا جدا اليوم أمس غدا نعم شكرا مرحبا
"""
    ),
}

# Characters that hold Chinese sentences together, and words of two that do: no topic starts, ends or
# goes on across one.
HAN_GLUE_WORDS = (
    "今天 明天 昨天 后天 前天 最近 现在 刚才 刚刚 以后 以前 之前 之后 然后 后来 时候 有时 平时 一直 已经 正在 "
    "可以 可能 应该 需要 必须 能够 觉得 感觉 认为 知道 希望 想要 喜欢 打算 准备 开始 继续 建议 推荐 告诉 谢谢 感谢 "
    "非常 特别 真的 真是 比较 十分 有点 一点 一些 一下 一个 一种 一起 一样 一定 这个 那个 这些 那些 这样 那样 这里 "
    "那里 什么 怎么 怎样 为什么 哪里 哪个 多少 因为 所以 但是 不过 而且 如果 虽然 或者 还是 还有 以及 并且 只是 "
    "自己 我们 你们 他们 她们 大家 别人 事情 东西 问题 方面 时间 地方 没有 不是 不会 不能 不要 就是 也是 都是 "
    "很多 许多 更多 其他 另外 关于 对于 通过 进行 成为 变得 起来 出来 下来 过来 看到 听到 遇到 想到 收到 做到 "
    "不错 很好 太好 好的 当然 其实 确实 可是 真棒 加油 你好 您好 再见 早上 晚上 下午 上午 中午 周末 星期 "
    "帮助 非常好 听起来 分享 尝试 重要 开心 高兴 快乐 伴侣"
).split()
HAN_GLUE = frozenset(
    "的了着过是在有和与及或就也都还又很太更最这那哪我你您他她它们个些吗呢吧啊呀哦嗯哈啦嘛么之其把被让给对向从到"
    "为以于而但并不没别要会能可想去来说看做吃听叫用找得地里上下中前后时每各该此只才再已将等如若则因所什怎谁几多少"
    "非真好点"
)
