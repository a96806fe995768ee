"""English verb forms, as far as rewriting a sentence from "I" to "she" needs them."""

from __future__ import annotations

from typing import Final

from scenemem.embedded.sentence import word_set

__all__ = ["BASE_VERBS", "PAST_VERBS", "is_past", "third_singular"]

# Verbs in the form that "I" takes in the present.
BASE_VERBS: Final = word_set("""
    accept achieve add admire admit adopt adore advise agree aim allow answer apologize appear apply
    appreciate argue arrive ask attend avoid bake be become begin believe belong bike blame blog book
    borrow bring brush build burn buy call camp care carry catch celebrate challenge change chat check
    cherish choose clean climb close coach collect combine come commute compete compose conduct consider
    consult contact continue cook cope count cover crave create cry cycle dance deal decide decorate
    deliver depend deserve design develop dislike discover discuss donate doubt draw dread dream dress
    drink drive earn eat edit encourage end enjoy enter exercise expect experience experiment explain
    explore express face fail fall fear feed feel fight figure fill find finish fish fit fix fly focus
    follow force forget forgive form foster freelance garden gather get give go grab grow guess handle
    hang happen hate have hear help hide hike hire hold hope host hunt imagine improve include increase
    inspire intend invest invite iron jog join journal juggle jump keep kick know laugh launch lead
    learn leave lend lie lift like listen live look lose love maintain make manage mark matter mean
    measure meditate meet mention mentor mind miss mix motivate move need notice observe offer open
    order organize owe own pack paint park participate pass pay perform photograph pick plan plant play
    post practice practise pray prefer prepare pretend produce promise promote protect provide publish
    pull pursue push race raise reach realize recall receive recommend record recycle reflect refuse
    regret rehearse relate relax rely remember remind renovate rent repair research respect respond rest
    return ride rise run save say schedule search see seek seem sell send serve sew share shop show sing
    sit skate ski sleep smell smile smoke snowboard speak spend sponsor spot stand start stay stick stop
    stream strive struggle study suffer suggest supply support suppose surf suspect sweat swim take talk
    taste teach tell tend test thank think train translate transport travel treasure treat trust try
    turn understand update use value video visit volunteer vote wait wake walk want wash watch wear
    weigh welcome wish wonder work worry write
    """)
# Irregular pasts, which every person shares.
PAST_VERBS: Final = word_set("""
    ate became began bent bit blew bought bred broke brought built burnt came caught chose clung crept
    dealt did dove drank drew drove dug fed fell felt fled flew forgave forgot fought found froze gave
    got grew had heard held hid hung kept knelt knew laid led left lent lit lost made meant met mistook
    outgrew overcame overheard overslept paid ran rang redid rode rose said sang sat saw sent shone shot
    shook slept sold sought spent spoke spun stole stood struck stuck swam swept swore swung taught
    thought threw told took tore underwent understood undertook upheld went withdrew woke won wore
    wound wove wrote
    """)
_BASES_IN_ED: Final = word_set(
    "bleed breed embed exceed feed heed need proceed seed shed speed succeed weed"
)
_SHORT_OF_ES: Final = ("s", "x", "z", "ch", "sh", "o")


def is_past(word: str) -> bool:
    """Whether `word`, in lower case, is a past form that is no present form as well."""
    return word in PAST_VERBS or (
        word.endswith("ed") and len(word) > 4 and word not in _BASES_IN_ED
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
