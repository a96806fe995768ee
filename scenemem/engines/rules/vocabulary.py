"""Which English words carry a topic and which only carry a sentence: for cohesion and for names.

Words come in grades. *Stop* words hold sentences together; *light* words (everyday verbs,
adjectives, adverbs, praise and greetings) say little of what a matter is about and never name it;
*vague* nouns ("time", "thing", "experience") may be a part of a name, never all of it; *doing*
words ("plan", "walk") are verbs and nouns alike and count as nouns where the word before says so.
Everything else is taken as a topic word, and what is common in one memory is weighed down by
counting. A word is listed in one grade only; inflected forms follow their stems.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP: Final = _words(
    """
    mr mrs ms dr prof mm cm km kg kw kwh ml mb gb lb lbs oz ft sq
    using a an the this that these those some any each every either neither both all another other
    others such what which who whom whose whatever whichever whoever when whenever where wherever
    why how however i me my mine myself you your yours yourself yourselves he him his himself she
    her hers herself it its itself we us our ours ourselves they them their theirs themselves one
    ones someone somebody something anyone anybody anything everyone everybody everything nobody
    nothing none and or but nor so yet for if then than else because since although though while
    whereas unless until till whether as of at by to from in into on onto out off up down over
    under above below between among amongst against about around across along through throughout
    during before after behind beyond beside besides near with within without upon toward towards
    per via despite except like unlike am is are was were be been being isn aren wasn weren ain do
    does did done doing don doesn didn have has had having haven hasn hadn can could may might must
    shall should will would ought cannot couldn shouldn wouldn mustn won not no yes yeah yep yup
    nah nope ok okay oh ah wow hey hi hello hmm huh mmm oops ooh aww haha ha lol btw omg hiya yay
    woah whoa woo woohoo oof ugh bye goodbye ya ye please pls thanks thank thx cheers welcome
    congrats congratulations sorry here there now again also too very just only even still already
    ever never always often sometimes usually rarely seldom once twice soon later ago yesterday
    today tomorrow tonight lately recently currently almost quite rather pretty really actually
    definitely absolutely totally truly maybe perhaps probably certainly surely indeed anyway
    anyways well much many more most less least few little lot lots bit several enough plenty plus
    instead together apart away back forward ahead aside own same way going goes gone seen kinda
    sorta gonna wanna gotta lemme let lets y'all ll ve re s t d m im ive id dont didnt cant isnt
    thats whats image photo picture pic caption fave faves fav favs prob probs ttyl tho cuz cos imo
    imho idk tbh nvm omw til em ups downs yea yeahh yess sooo hehe hehehe hahaha lmao rn fr asap
    gotcha wassup sup howdy yo
    """
)

LIGHT: Final = _words(
    """
    align allocate heighten reinforce clearer become became get got gotten go went come came make
    made take took taken give gave given put keep kept leave left hold held bring brought carry
    carried send sent showed shown turn stay stood sit lie lay fell fallen rise rose lose lost win
    find found see saw watch hear heard listen feel felt taste smell say said tell told speak spoke
    spoken talk ask respond mention explain describe discuss suggest recommend advise agree
    disagree admit deny claim promise greet congratulate apologize think know knew known understand
    understood believe guess suppose assume imagine consider remember forget forgot forgotten
    realize realise recognize notice learn learnt mean meant decide choose chose chosen prefer want
    expect need hate enjoy miss appreciate admire seem appear happen occur remain continue begin
    began begun stop finish tried manage fail succeed achieve accomplish reach arrive return enter
    join meet met follow lead led pass cross spend spent pay paid buy bought sell sold use used
    allow enable cause create build built produce provide offer serve include involve contain add
    remove reduce increase improve grow grew grown develop adjust adapt affect influence depend
    belong exist live die born wait hurry check prove confirm ensure handle tackle overcome push
    pull throw threw thrown catch caught drop pick hang hung hit cut broke broken fix mend open
    close shut wrote written sleep slept wake woke ate eaten drank wear wore worn pack grab
    encourage inspire motivate excite amaze impress fascinate satisfy relax calm cheer boost uplift
    recharge refresh unwind chill stoke pump scare bother overwhelm disappoint frustrate remind
    reflect express explore discover capture connect relate commit dedicate determine embrace
    accept cherish treasure celebrate supportive strive pursue chase seek sought search lack rely
    stick stuck lean figure works working worked play played dealing setting hitting attend
    attended visited schedule booked order ordered updated noted save saved pointed good great nice
    fine bad better best worse worst awesome amazing cool incredible fantastic wonderful lovely
    beautiful gorgeous stunning perfect excellent terrific superb brilliant fabulous magnificent
    marvelous delightful adorable cute sweet friendly funny hilarious exciting interesting
    fascinating inspiring motivating rewarding fulfilling satisfying enjoyable relaxing calming
    soothing peaceful serene tranquil refreshing uplifting comforting cozy comfy warm breathtaking
    impressive remarkable extraordinary unforgettable memorable epic magical special unique rare
    happy glad sad excited thrilled stoked pumped psyched proud grateful thankful blessed lucky
    fortunate honored touched amused amazed impressed inspired motivated determined passionate keen
    eager curious interested ready willing able unable busy free tired exhausted stressed stressful
    overwhelmed overwhelming worried nervous anxious scared afraid scary upset angry mad annoyed
    frustrated frustrating disappointed confused alone lonely confident comfortable sure certain
    unsure aware hopeful positive negative optimistic tough hard difficult easy simple tricky
    complicated challenging hectic crazy wild insane weird strange odd unreal surreal intense
    powerful strong weak deep emotional big small large huge tiny giant massive enormous long short
    tall high low wide narrow thick thin full empty heavy light quick fast slow early late new old
    young fresh modern ancient recent current previous next last final first second third upcoming
    coming major minor important essential crucial vital necessary key useful helpful valuable
    meaningful worth worthwhile worthy priceless true false real fake right wrong correct clear
    obvious different similar various diverse specific particular general common usual normal
    regular typical average ordinary entire total complete half double single separate personal
    private public far outside inside alive dead safe dangerous risky healthy dirty wet dry hot
    cold dark bright loud quiet silent soft smooth rough sharp favourites favorites popular famous
    fancy cheap expensive poor rich available possible impossible likely unlikely creative talented
    skilled resilient genuine honest loyal patient gentle brave bold wise smart clever intelligent
    silly stupid dumb super extra ultra mega tasty delicious yummy vibrant colorful lively
    energetic active red blue green yellow orange purple pink black white brown grey gray silver
    golden gold finally eventually suddenly immediately quickly slowly easily hardly nearly exactly
    especially particularly mostly mainly generally basically literally honestly seriously
    obviously clearly simply completely fully entirely deeply highly extremely incredibly fairly
    somehow somewhere anywhere everywhere nowhere someday sometime anytime forever nowadays
    meanwhile otherwise therefore thus hence moreover furthermore hopefully unfortunately luckily
    thankfully apparently long-term alright fyi aka etc ton tons loads couple dozen hundred
    thousand million guy guys folks dude pal babe bro sis gal honey sweetie y'know two three four
    five six seven eight nine ten eleven twelve bigger smaller larger easier harder younger older
    closer deeper happier stronger faster slower higher lower longer shorter wider brighter simpler
    tougher warmer cooler newer smarter healthier richer busier biggest smallest largest easiest
    hardest youngest oldest closest deepest happiest strongest fastest highest longest spread
    juggle brighten cling bounce nudge spark fuel thrive resonate evolve transform incorporate
    combine contribute participate collaborate fill wrap tune buzz dig stumble savor hype persevere
    eachother ease vary quit damn gosh yikes sheesh bummer gain suit stare hide hid rode ridden
    flew flown drove driven swam swum sang sung drew drawn spoil rocks rocked crush crushed nail
    nailed shine shone eased surround mess mixed blow blew wholly pleased delighted joyful cheerful
    joyous blown ended stack refuse hop hopped assist handy glance peek swing steal stole split dug
    lend lent borrow borrowed bet seemed based related located needed required supposed maintain
    require prepare prepared preparing organize organized arrange arranged completed compare
    receive received contact covered including
    """
)

VAGUE: Final = _words(
    """
    arm arms leg legs shoulder shoulders brain brains belly
    companion companions finger fingers likes comeback comebacks tracks matters moves grasp oomph
    boost booster thing things stuff ways time times moment moments day days week weeks weekend
    weekends month months year years hour hours minute minutes night nights morning mornings
    evening evenings afternoon life lives world part parts piece pieces side kind kinds sort type
    types form person people group place places spot spots area point points reason reasons fact
    facts case cases matter issue issues problem problems question questions answer answers idea
    ideas thought thoughts opinion view views perspective mind heart soul head hand hands eye eyes
    face word words story stories name number amount level rate degree list end start beginning top
    bottom middle center front line set step steps stage process progress result results effect
    effects impact difference change changes chance chances opportunity opportunities possibility
    option options choice choices decision decisions goal goals aim purpose target dream dreams
    hope hopes wish plan plans effort efforts attempt try trying success failure achievement
    achievements accomplishment accomplishments milestone challenge challenges obstacle obstacles
    setback setbacks struggle struggles difficulty difficulties trouble experience experiences
    memory memories feeling feelings emotion emotions mood vibe vibes joy happiness peace fun love
    passion passions interest interests inspiration motivation encouragement support help advice
    tip tips suggestion suggestions recommendation recommendations info information details detail
    reminder news update updates luck courage strength power energy confidence determination
    dedication commitment resilience perseverance positivity growth creativity imagination freedom
    comfort relief balance connection connections bond bonds relationship relationships friendship
    friend friends buddy buddies attitude mindset outlook spirit sense value values meaning
    importance role example adventure adventures journey journeys escape break breaks rest activity
    activities event events session sessions situation environment atmosphere surroundings scene
    beauty wonder magic blast treat reward rewards gift smile smiles laugh laughs laughter tear
    tears hug hugs touch look looks appearance voice sound sounds attention focus patience
    discipline habit routine skill skills talent talents ability abilities knowledge understanding
    insight insights lesson lessons learning work job self favorite favourite pursuit pursuits
    reality truth outcome outcomes potential approach strategy strategies method methods style
    quality future past present woman women man men lady boy boys girl girls background table desk
    wall monday tuesday wednesday thursday friday saturday sunday january february march april june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov
    dec mon tue wed thu fri sat sun pm o'clock chat conversation conversations call message
    messages text texts reply photos pics pictures images shot shots video videos share max min fam
    bud buds fan fans player players artist artists ladies stranger strangers member members mate
    mates individual individuals human humans generation ages age acceptance fulfillment
    satisfaction enthusiasm optimism hardship hustle payoff discovery improvement assistance
    guidance appreciation contribution essence root roots path paths ground vision action actions
    solution solutions system systems kindness symbol symbols reminders personality diversity
    inclusivity uniqueness togetherness vulnerability authenticity self-care self-expression
    expression identity unity setup combo mix bunch pair pairs highlight highlights course courses
    guts gut country countries city cities town towns body bodies owner owners impression
    impressions honor pleasure delight surprise surprises shock excitement anticipation thrill rush
    stress pressure worry worries fear fears doubt doubts anxiety pain loss grief sadness gratitude
    respect trust faith belief beliefs compassion empathy care size shape color colors colour
    colours space room corner edge deal whole sign source resource resources tool tools item items
    section topic topics subject content note notes version summary overview ai st main
    """
)

DOING: Final = _words(
    """
    walk run ride drive trip travel fly swim climb hike camp race jump dance sing paint draw sketch
    design cook bake grill roast drink shop craft sew knit garden plant farm fish hunt train
    practice practise exercise stretch lift coach teach study research program code test film
    record edit publish write print post blog stream perform tour concert show exhibit compete
    match score game plays email visit date party guest host volunteer donate interview hire
    promote speech report review repair renovate remodel clean wash move rent lease cruise surf ski
    skate sail row kayak bike cycle raise rescue adopt foster pet feed groom dress cast act mentor
    counsel launch release ship deploy trade invest budget bank tax loan charge photograph shoot
    sculpt carve weld brew ferment pickle vote protest campaign pray worship meditate read eat
    graduate cuddle fetch snack lunch dinner breakfast meal fall spring park store stand board
    block cover
    """
)

# Nouns that tell little of a matter when they stand alone as its name.
GENERIC: Final = _words(
    """
    north south east west
    home house kid kids child children son daughter mom mother dad father husband wife parent
    parents partner family neighbor neighbors sister brother cousin aunt uncle girlfriend boyfriend
    teammate teammates student students teacher customer customers client clients boss colleague
    colleagues game games team teams show shows court road class classes school schools book books
    series card cards test tests food meal meals dish car cars project projects page pages film
    films movie movies water air sky light store shop park room floor wheel wheels tree trees
    business company program programs money price animal animals pet pets dog dogs cat cats people
    crowd music song songs art job community phone app apps website tag tags machine screen brand
    world country record records character characters track tracks box bag hat street building
    """
)

# Short forms that a name gives way to the full word for, where somebody wrote that.
SLANG: Final = _words("biz comp comps pup pups doggy doggo doggos kiddo kiddos vid vids fest convo")

# Everyday adjectives that make compounds with the noun after them ("high school").
COMPOUND_MODIFIERS: Final = _words(
    """
    inner outer unfortunate therapeutic european american italian chinese mexican asian african
    indian canadian japanese british ideal unknown vintage dear high hot ice social mental physical
    real open public private classic fast short long free light dark red white black green blue old
    new young special live local global national international online digital electric electronic
    virtual video board role self healthy financial personal professional creative musical medical
    natural solar second spare first annual weekly monthly main outdoor indoor contemporary modern
    sweet dry raw wild slow deep small big early late
    """
)

# Nouns that look like a verb in -ed.
NOUNS_IN_ED: Final = _words(
    "seed weed speed need bed breed feed bleed shed sled thread bread hundred"
)

# Words in -ly that are no adverbs.
NOUNS_IN_LY: Final = _words(
    """
    family italy assembly supply reply butterfly dragonfly jelly belly anomaly monopoly rally bully
    emily sally kelly molly billy polly holly melancholy
    """
)

# Words before a word that make it a verb.
VERB_ANNOUNCERS: Final = _words(
    """
    i we you they he she it who to can could will would should may might must shall do don't did
    didn't does doesn't not never gonna wanna let's let please i'll we'll you'll they'll i'd we'd
    you'd they'd help helps helped always also just really can't won't couldn't wouldn't
    """
)

# Words before a word that make it a noun.
NOUN_ANNOUNCERS: Final = _words(
    """
    the a an my your his her its our their this that these those some any no every each another
    about of for with in at on from by into like own new old big first last next favorite favourite
    great good best amazing awesome beautiful nice local two three few many several more most
    """
)

# Of these, the ones behind which even a word in -ing is a noun ("the opening").
ARTICLES: Final = frozenset(("the", "a", "an", "my", "our", "your", "his", "her", "their", "this"))

# Small words that tie two nouns into one name ("trip to Paris").
LINKS: Final = frozenset(("to", "of", "in", "for"))

# Words of one matter that share no stem, a family a line.
KINDRED: Final = """
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
flight flights airline airport airplane plane
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
volunteer volunteers volunteering volunteered
donate donation donations donated
adopt adoption adopting adopted
"""
