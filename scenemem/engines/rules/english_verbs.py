"""English verb forms, as far as rewriting a sentence from "I" to "she" needs them."""

from __future__ import annotations

from typing import Final

from scenemem.engines.rules.sentence import word_set

__all__ = ["BASE_VERBS", "PAST_VERBS", "is_past", "third_singular"]

# Verbs in the form that "I" takes in the present.
BASE_VERBS: Final = word_set("""
    accept achieve add admire admit adopt adore advise agree aim allow answer apologize appear
    apply appreciate argue arrive ask attend avoid bake bat be become begin believe belong bet
    bike blame blog book borrow box bring brush build burn buy call camp care carry catch
    celebrate challenge change chat check cherish chill choose clean climb close coach collect
    combine come commute compete compose conduct consider consult contact continue cook cope
    count cover crave create crochet cry cycle dance deal decide decorate deliver depend deserve
    design develop dig dine discover discuss dislike dive donate doubt draw dread dream dress
    drink drive drop drum earn eat edit encourage end enjoy enter exercise expect experience
    experiment explain explore express face fail fall fear feed feel fence fight figure file
    fill find finish fish fit fix fly focus follow force forget forgive form foster freelance
    garden gather get give go grab grow guess gym hack handle hang happen hate have hear help
    hide hike hire hold hope host hunt imagine improve include increase inspire intend invest
    invite iron jog join journal juggle jump kayak keep kick kneel knit know land laugh launch
    lead learn leave lend lie lift like listen live log look lose love maintain make manage mark
    matter mean measure meditate meet mention mentor mind miss mix motivate move mow nap need
    notice observe offer open order organize owe own pack paddle paint park participate pass pay
    perform photograph pick plan plant play plow pop post practice practise pray preach prefer
    prepare pretend print produce promise promote protect provide publish pull pursue push race
    raise rap reach realize recall receive recommend record recycle reflect refuse regret
    rehearse relate relax relocate rely remember remind renovate rent repair repeat research
    respect respond rest retire return review ride rise roast rock row run sail save say
    schedule sculpt search see seek seem sell send serve settle sew share ship shop shout show
    sign sing sit skate ski skip sleep slip smell smile smoke snap snowboard sort sound speak spend
    spin sponsor spot squat stand stare start stay steal stick stop stream stretch strive
    struggle study suffer suggest supply support suppose surf suspect sweat swim swing take talk
    tap taste teach tell tend test thank think tour train translate transport travel treasure
    treat trust try turn tutor understand update use value video visit volunteer vote wait wake
    walk wander want wash watch wear weave weigh welcome weld whistle whittle win wish wonder
    work worry wrestle write yell zoom
    """)
# Irregular pasts, which every person shares.
PAST_VERBS: Final = word_set("""
    ate became began bent bit blew bought bred broke brought built burnt came caught chose clung
    crept dealt did dove drank drew drove dug fed fell felt fled flew forgave forgot fought
    found froze gave got grew had heard held hid hung kept knelt knew laid led left lent lit
    lost made meant met mistook outgrew overcame overheard overslept paid ran rang redid rode
    rose said sang sat saw sent shone shook shot slept sold sought spent spoke spun stole stood
    struck stuck swam swept swore swung taught thought threw told took tore understood undertook
    underwent upheld went withdrew woke won wore wound wove wrote
    """)
_BASES_IN_ED: Final = word_set(
    "bleed breed deed embed exceed feed heed need proceed reed seed shed sled speed succeed weed"
)
_SHORT_OF_ES: Final = ("s", "x", "z", "ch", "sh", "o")


def is_past(word: str) -> bool:
    """Whether `word`, in lower case, is a past form that is no present form as well."""
    return word in PAST_VERBS or (
        word.endswith("ed") and len(word) > 3 and word not in _BASES_IN_ED
    )


def third_singular(base: str) -> str:
    """The form that "she" takes: have -> has, try -> tries, watch -> watches, work -> works."""
    if base == "have":
        return "has"
    if base == "be":
        return "is"
    if base.endswith("y") and base[-2:-1] not in ("a", "e", "i", "o", "u"):
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(_SHORT_OF_ES) else f"{base}s"
