"""Change: whether a newer statement takes an older one's place."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.engines.rules.change import contradicts, may_replace

REPLACED = [
    # newer, older
    ("I don't take the bus any more, I cycle to work now.", "I take the bus to work."),
    ("I hate spicy food.", "I love spicy food."),
    ("I don't like coriander.", "I really like coriander."),
    ("I'm not a fan of horror films anymore.", "I'm a big fan of horror films."),
    ("I can't stand jazz.", "I love jazz."),
    ("I enjoy running now.", "I hate running."),
    ("I used to love jazz.", "I love jazz."),
    ("I don't like jazz any more.", "I love jazz at dawn."),
    ("My sister hates opera.", "My sister loves opera."),
    ("My favourite tea is oolong now.", "My favorite tea is sencha."),
    ("My favourite colour is teal.", "My favourite colour is red."),
    ("I moved to Bergen.", "I live in Oslo."),
    ("I live in Oslo.", "I live in Bergen."),
    ("I just moved to New York.", "I've moved to Boston."),
    ("My sister lives in Leeds.", "My sister lives in York."),
    ("I work at Acme now.", "I work at Globex."),
    ("I started at Acme.", "I work for Globex."),
    ("My boss is Karen.", "My boss is Tom."),
    ("My phone number is 555-0101.", "My phone number is 555-0100."),
    ("My name is Alex now.", "My name is Alexandra."),
    ("The launch is on 19 May.", "The launch is on 12 May."),
    ("The launch moved to 19 May.", "The launch is on 12 May."),
    ("The launch is now on 26 May.", "The launch moved to 19 May."),
    ("I moved my standup to 10:30.", "My standup is at 10:00."),
    ("We pushed the release to June.", "The release is in May."),
    ("The dentist appointment was rescheduled to Friday.", "The dentist appointment is on Monday."),
    ("Our meeting is now on Thursdays at 3pm.", "Our meeting is on Tuesdays at 3pm."),
    ("The budget is 5,000 euros.", "The budget is 3,000 euros."),
    ("The oak is 12 metres tall.", "The oak is 10 metres tall."),
    ("I no longer eat meat.", "I eat meat twice a week."),
    ("I stopped drinking coffee.", "I drink coffee every morning."),
    ("I don't drink coffee.", "I drink coffee every morning."),
    ("I drink coffee again.", "I don't drink coffee."),
    ("I gave up meat.", "I eat meat."),
    ("I quit smoking.", "I smoke a pack a day."),
    ("I no longer live in Oslo.", "I live in Oslo."),
    ("I hate spicy food (1 March 2026).", "I love spicy food. [image: a red chilli]"),
]

BOTH_HOLD = [
    ("I love sushi.", "I love ramen."),
    ("I love spicy food.", "I love spicy food."),
    ("I hate dogs.", "I love cats."),
    ("I hate barking dogs.", "I love dogs."),
    ("I'd like a coffee.", "I dislike coffee."),
    ("I hate waiting for the bus.", "I take the bus to work."),
    ("I like green tea with honey and lemon.", "I dislike black coffee."),
    ("I don't like how cold it is.", "I like the cold brew here."),
    ("My brother loves spicy food.", "I hate spicy food."),
    ("My sister lives in Leeds.", "I live in Oslo."),
    ("I live in Oslo.", "I moved to Oslo in May."),
    ("I visited Paris.", "I live in Oslo."),
    ("I used to live in Rome.", "I live in Oslo."),
    ("I want to move to Bergen.", "I live in Oslo."),
    ("I planted tomatoes in bed 3.", "I planted beans in bed 2."),
    ("Bed 3 needs water.", "Bed 4 needs water."),
    ("I ran 5 km on Monday.", "I ran 8 km on Tuesday."),
    ("I don't have time today.", "I have time on Mondays."),
    ("My favourite tea is oolong.", "My favourite cake is apple pie."),
    ("The roses need pruning in March.", "The roses need feeding in May."),
    ("The meeting is in room 4.", "The meeting is on Friday."),
    ("The launch is on 12 May.", "The launch is in the big hall."),
    ("I don't take sugar in my tea.", "I take the bus to work."),
    ("I no longer run.", "I run a bakery."),
    ("I no longer live in Oslo.", "I work in Oslo."),
    ("I don't work on Fridays.", "I work on Friday reports."),
    ("I never water at noon.", "I water the pots at noon in heatwaves."),
    ("My sister is a nurse.", "My sister is in Leeds."),
    ("My goal is to run a marathon.", "My goal is to learn Dutch."),
    ("Can you move the standup?", "The standup is at 10:00."),
    ("", "I live in Oslo."),
    ("I live in Oslo.", ""),
]

GARDEN = """
The tomatoes in bed 3 need staking.
The tomatoes in bed 2 are ripening.
I planted basil next to the tomatoes.
The compost is 40 degrees warm inside.
I watered the beans this morning.
The beans are in bed 1.
I love the smell of the lavender.
The lavender needs cutting back in August.
The greenhouse door sticks.
I don't use pesticides.
I use nettle brew against aphids.
The aphids are on the roses.
The roses are by the gate.
I want to plant garlic in October.
The garlic goes into bed 4.
My spade is broken.
My neighbour lent me a spade.
The slugs ate the lettuce.
I hate slugs.
I like slow evenings in the garden.
The lettuce is in bed 5.
The pond is 60 cm deep.
The pond needs a pump.
I never water at noon.
I water the pots at noon in heatwaves.
The apple tree is 12 years old.
The pear tree is 8 years old.
The hose is 20 m long.
I moved the rhubarb to bed 6.
The rhubarb is doing well.
""".strip().splitlines()


@pytest.mark.parametrize(("newer", "older"), REPLACED)
def test_a_changed_fact_takes_the_old_ones_place(newer: str, older: str) -> None:
    assert contradicts(newer, older)
    assert may_replace(newer)


@pytest.mark.parametrize(("newer", "older"), BOTH_HOLD)
def test_what_can_both_hold_is_no_change(newer: str, older: str) -> None:
    assert not contradicts(newer, older)


def test_thirty_notes_on_one_garden_leave_each_other_alone() -> None:
    clashes = [pair for pair in itertools.permutations(GARDEN, 2) if contradicts(*pair)]
    assert clashes == []


def test_most_statements_can_replace_nothing() -> None:
    assert not may_replace("We sailed around Corsica with Aunt Olga.")


@settings(deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_compared(newer: str, older: str) -> None:
    assert contradicts(newer, older) in (True, False)


@settings(deadline=None)
@given(st.sampled_from([text for pair in (*REPLACED, *BOTH_HOLD) for text in pair]))
def test_no_statement_contradicts_itself(statement: str) -> None:
    assert not contradicts(statement, statement)
