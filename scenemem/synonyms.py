"""Everyday English words that stand for one another, so that "pets" finds the puppy.

Groups of what people say of family, home, work, health, travel, food and leisure: a question and
its answer seldom choose the same one. Few and plain on purpose: a whole thesaurus finds no more and
drowns the words that were asked for. A group "kind: this that" names a kind and some of it.
"""

from __future__ import annotations

from functools import cache

__all__ = ["synonyms_of"]

_GROUPS = """
dog puppy pup doggy | cat kitten kitty | kid child toddler | mother mom mum mama mommy | father
dad daddy papa | parents folks | grandmother grandma granny nana | grandfather grandpa granddad
| brother sibling | sister sibling | husband spouse hubby | wife spouse | girlfriend gf partner
| boyfriend bf partner | friend buddy pal | fiance fiancee engaged engagement | baby newborn
infant | marry marriage married wedding wed | divorce divorced separated | pregnant pregnancy
expecting | birthday bday | doctor physician | hospital clinic er | illness sick ill disease |
injury injured hurt | pain ache | surgery operation | medicine medication pills | therapy
therapist counseling counselor | exercise workout fitness training | gym fitness | weight pounds
kilos | diet nutrition | job work career occupation profession | employer company firm | boss
manager supervisor | colleague coworker | salary pay wage income | business company startup |
office workplace | hire hired recruit | fire fired laid | promotion promoted | quit resign
resigned left | retire retired retirement | school college university | student pupil | teacher
professor instructor | class course lesson workshop | exam test | degree diploma graduate |
study major | house home apartment flat | rent lease | move relocate moved relocated | neighbor
neighbour | room bedroom | furniture: couch sofa | garden yard backyard | buy purchase bought |
cost price | money cash funds | gift present | shop store | expensive costly | cheap affordable
| sell sold | car vehicle auto automobile | bike bicycle cycling | motorcycle motorbike | drive
drove road | trip travel journey vacation holiday getaway | flight fly plane | hotel
accommodation | city town | country nation | beach ocean sea coast shore | mountain mountains
hill | forest woods | hike hiking trail trek | camp camping campfire | food meal dish cuisine |
dinner supper | cook cooking bake baking recipe | dessert sweets cake | drink beverage |
restaurant diner cafe eatery | coffee espresso latte | vegetarian vegan | movie film cinema |
show series tv | book novel reading | story tale | author writer | music song band | singer
musician | concert gig | instrument: guitar piano violin drums | paint painting drawing art
sketch | photo picture photograph pic image | dance dancing | game gaming | sport sports | match
game | team club | player athlete | coach trainer | win won victory champion trophy | lose lost
defeat | competition contest tournament championship | race marathon run | hobby pastime |
activity activities | event occasion | party celebration celebrate | festival fair | church
religious faith | charity donation fundraiser nonprofit | volunteer volunteering | scared afraid
fear frightened | happy glad joy | sad upset down | angry mad furious | stress stressed
stressful anxiety | tired exhausted | excited thrilled | proud pride | favorite favourite best |
nervous anxious worried | relax unwind calm | big large huge | small little tiny | start begin
began started | finish complete end ended | stop quit | problem issue trouble challenge |
difficult hard tough | goal aim target | plan intend | decide decision choose choice | reason
why because | idea suggestion | advice tip | name called named | type kind sort | learn study |
improve better | create make built | fix repair | break broke broken | accident crash | storm
hurricane tornado flood | computer laptop pc | phone smartphone cell mobile | app application
software | website site online | video clip | message text | email mail | internet wifi |
picture image | pet: dog cat puppy kitten | animal: dog cat bird horse | sibling: brother sister
| relative: aunt uncle cousin | aunt auntie | outfit clothes dress | clothes clothing outfit |
shoes: sneakers boots | jewelry: necklace ring bracelet | age old birthday | nationality country
| religion church faith | identity gender | status single married | hometown grew born | origin
from roots | join joined enroll signed | visit visited went | attend attended went | receive
received got | adopt adopted adoption rescue | participate participated joined | meet met |
support supporting encourage | help assist | teach taught | speak talk speech | win won award
prize | award prize trophy medal | write wrote written writing | watch watched saw | enjoy like
love | love like enjoy | hate dislike | want wish | wish hope dream | collect collection |
invest investment | sign signed | achieve accomplish achievement milestone | experience
experienced went | describe said | inspire inspired inspiration motivated | grow grew growing
plant planting | plant flower | nature outdoors outdoor | community local neighborhood |
military army veterans | politics political election | government council | environment climate
green | science research | space stars astronomy
"""


@cache
def synonyms_of(word: str) -> tuple[str, ...]:
    """What else an English word in lower case, or its regular base, is called; often nothing."""
    for ending in ("", "s", "es", "ing", "ed"):
        base = word.removesuffix(ending)
        if word.endswith(ending) and base in _GROUPS and (found := _others(base)):
            return found
    return ()


def _others(word: str) -> tuple[str, ...]:
    """What stands with a word in its groups; of a kind all of it, of some of a kind the kind."""
    others: dict[str, None] = {}
    for group in _GROUPS.split("|"):
        if word not in group:
            continue
        kind, colon, rest = group.partition(":")
        listed = (rest if colon else group).split()
        if colon and word == kind.strip():
            others.update(dict.fromkeys(listed))
        elif word in listed:
            beside = [kind.strip()] if colon else [other for other in listed if other != word]
            others.update(dict.fromkeys(beside))
    return tuple(others)
