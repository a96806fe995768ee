"""Scenes of the embedded engine: where a statement is placed, live and in bulk."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemem.base.records import Cell, CellDraft, Source
from scenemem.base.text import name_key
from scenemem.engines.rules.cohesion import SceneProfile, TermCounts
from scenemem.engines.rules.naming import SMALL_TALK_NAMES
from scenemem.engines.rules.scenes import SceneIndex, propose_merges

START = datetime(2024, 3, 4, 9, tzinfo=UTC)

POTTERY = (
    "My pottery class started with a clay bowl on the wheel.",
    "The pottery teacher showed us how to glaze a bowl.",
    "I want to fire my clay vase in the kiln.",
    "The kiln cracked my bowl, so pottery class begins again with fresh clay.",
    "I bought a new glaze for the vase.",
)
LAUNCH = (
    "The launch date of the payment app is the second of June.",
    "Marketing wants the launch a week earlier than the payment team.",
    "The payment team needs a security audit before the launch.",
    "We moved the launch date because the audit found a hole.",
    "The audit of the payment app costs four thousand euros.",
)
TOMATOES = (
    "The tomato seedlings in the greenhouse need compost.",
    "Slugs ate half of the tomato seedlings.",
    "I put a copper ring round the greenhouse against slugs.",
    "The compost heap smells, but the tomatoes love it.",
    "The greenhouse window broke in the storm.",
)
MATTERS = {"pottery": POTTERY, "launch": LAUNCH, "tomatoes": TOMATOES}


def drafts(
    statements: Sequence[str], session: str = "s1", day: int = 0, speaker: str | None = "user"
) -> list[CellDraft]:
    at = START + timedelta(days=day)
    return [
        CellDraft(text, at=at + timedelta(minutes=n), speaker=speaker, source=Source(session, n, n))
        for n, text in enumerate(statements, 1)
    ]


def stored(placed: Sequence[CellDraft], scenes: Sequence[str], first: int = 1) -> list[Cell]:
    return [
        Cell(
            id=first + n,
            scene=scene,
            cell_type=draft.cell_type,
            salience=draft.salience,
            content=draft.content,
            created_at=draft.at or START,
            speaker=draft.speaker,
            source=draft.source,
        )
        for n, (draft, scene) in enumerate(zip(placed, scenes, strict=True))
    ]


def live(index: SceneIndex, said: Sequence[CellDraft]) -> list[str]:
    return [index.place([draft])[0] for draft in said]


def most_common_scene(scenes: Sequence[str]) -> str:
    return Counter(scenes).most_common(1)[0][0]


def talk_of_all_matters(rounds: int = 2) -> list[CellDraft]:
    """Several sessions, each about all matters one after another."""
    said: list[CellDraft] = []
    for turn in range(rounds):
        statements = [text for matter in MATTERS.values() for text in matter]
        said += drafts(statements, session=f"s{turn}", day=7 * turn)
    return said


def test_talk_about_the_same_matter_weeks_later_lands_in_the_same_scene() -> None:
    index = SceneIndex()
    first = live(index, drafts(POTTERY, "march"))
    live(index, drafts(LAUNCH, "april", day=30))
    later = live(index, drafts(["Today the pottery kiln broke my best clay bowl."], "may", day=60))
    assert later == [most_common_scene(first)]


def test_another_matter_in_the_same_session_opens_another_scene() -> None:
    index = SceneIndex()
    pottery = live(index, drafts(POTTERY))
    launch = live(index, drafts(LAUNCH))
    assert most_common_scene(pottery) != most_common_scene(launch)


def test_a_follow_up_with_few_words_of_its_own_stays_with_what_was_just_talked_about() -> None:
    index = SceneIndex()
    live(index, drafts(LAUNCH, "work"))
    pottery = live(index, drafts(POTTERY, "evening"))
    follow_up = drafts(["It was really wonderful, I loved it so much."], "evening")
    assert index.place(follow_up) == [pottery[-1]]


def test_in_bulk_each_matter_has_a_scene_of_its_own_across_sessions() -> None:
    said = talk_of_all_matters()
    scenes = SceneIndex().place(said)
    of: dict[str, set[str]] = {draft.content: set() for draft in said}
    for draft, scene in zip(said, scenes, strict=True):
        of[draft.content].add(scene)
    homes = {
        matter: most_common_scene([scene for text in texts for scene in of[text]])
        for matter, texts in MATTERS.items()
    }
    assert len(set(homes.values())) == len(MATTERS)
    for matter, texts in MATTERS.items():
        astray = [text for text in texts if homes[matter] not in of[text]]
        assert len(astray) <= 1, f"{matter}: {astray}"


def test_in_bulk_what_the_memory_knows_already_goes_to_the_scene_that_has_it() -> None:
    index = SceneIndex()
    known = most_common_scene(index.place(talk_of_all_matters()[:15] + drafts(POTTERY, "extra")))
    again = index.place(drafts([*POTTERY, *TOMATOES, *POTTERY], "later", day=40))
    pottery = most_common_scene(again[:5])
    assert pottery == known or pottery in index.place(drafts(POTTERY[:1], "check", day=41))


def test_an_index_learned_from_cells_places_like_the_one_that_stored_them() -> None:
    said = talk_of_all_matters()
    first = SceneIndex()
    scenes = first.place(said)
    second = SceneIndex()
    second.learn(stored(said, scenes))
    probe = drafts(
        ["The glaze of my pottery bowl", "The launch audit", "Slugs in the greenhouse"], "p", 90
    )
    assert [second.place([one])[0] for one in probe] == [first.place([one])[0] for one in probe]


def test_an_index_restored_from_profiles_places_like_the_one_that_made_them() -> None:
    said = talk_of_all_matters()
    first = SceneIndex()
    first.place(said)
    second = SceneIndex(first.profiles())
    probe = drafts(["My pottery bowl and its glaze", "The payment launch", "Compost"], "p", 90)
    assert [second.place([one])[0] for one in probe] == [first.place([one])[0] for one in probe]
    assert {p.scene: p.cells for p in SceneIndex(first.profiles()).profiles()}.keys() == {
        p.scene for p in SceneIndex(first.profiles()).profiles()
    }


def test_a_session_goes_on_where_it_was_after_the_index_is_restored() -> None:
    first = SceneIndex()
    live(first, drafts(LAUNCH, "work"))
    pottery = live(first, drafts(POTTERY, "evening"))
    second = SceneIndex(first.profiles())
    assert second.place(drafts(["It was really wonderful."], "evening")) == [pottery[-1]]


def test_profiles_count_every_cell_once() -> None:
    index = SceneIndex()
    said = talk_of_all_matters()
    scenes = index.place(said)
    cells = stored(said, scenes)
    index.learn(cells)
    index.learn(cells)
    assert {p.scene: p.cells for p in index.profiles()} == dict(Counter(scenes))


def test_cells_learned_twice_count_once() -> None:
    said = drafts(POTTERY)
    cells = stored(said, ["Pottery class"] * len(said))
    index = SceneIndex()
    index.learn(cells)
    index.learn(reversed(cells))
    assert [p.cells for p in index.profiles()] == [len(said)]


def test_ids_far_apart_are_learned_without_room_for_those_between() -> None:
    cell = stored(drafts(POTTERY[:1]), ["Pottery"])[0]
    index = SceneIndex()
    index.learn([cell._replace(id=2**62), cell._replace(id=1)])
    index.learn([cell._replace(id=2**62)])
    assert [p.cells for p in index.profiles()] == [2]


def test_a_draft_that_names_its_scene_keeps_it_in_the_spelling_that_is_known() -> None:
    index = SceneIndex()
    first = drafts(["Boiler is from 1998"])[0]._replace(scene="Kitchen Remodel")
    second = drafts(["Floor is uneven by the door"])[0]._replace(scene=" kitchen-remodel ")
    assert index.place([first]) == ["Kitchen Remodel"]
    assert index.place([second]) == ["Kitchen Remodel"]


def test_new_scenes_have_distinct_names() -> None:
    index = SceneIndex()
    index.place(talk_of_all_matters())
    names = [p.scene for p in index.profiles()]
    assert len({name_key(name) for name in names}) == len(names)
    assert all(1 <= len(name.split()) <= 4 for name in names)


def test_the_speakers_names_hold_no_scene_together() -> None:
    index = SceneIndex()
    said = drafts([f"Wanda, {text}" for text in POTTERY], speaker="Tobias")
    answers = drafts([f"Tobias, {text}" for text in LAUNCH], "s2", 9, speaker="Wanda")
    index.place(answers + said)
    names = " ".join(p.scene for p in index.profiles()).lower()
    terms = {term for p in index.profiles() for term in p.terms}
    assert "wanda" not in names
    assert "tobias" not in names
    assert not {"wanda", "tobias", "tobia"} & terms


def test_greetings_share_one_scene_of_small_talk_and_are_nobodys_topic() -> None:
    index = SceneIndex()
    greetings = [index.place(drafts(["Hey there, how nice!"], f"s{n}", n))[0] for n in range(3)]
    assert set(greetings) == {"Small talk"}
    after = index.place(drafts(["The greenhouse needs new tomato seedlings."], "s2", 2))
    assert after != ["Small talk"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("你好！", "闲聊"), ("こんにちは", "雑談"), ("¡Hola, gracias!", "Charla")],
)
def test_small_talk_is_called_so_in_its_own_language(text: str, name: str) -> None:
    assert SceneIndex().place(drafts([text])) == [name]
    assert name in SMALL_TALK_NAMES


def test_no_scene_swallows_a_long_talk_about_many_matters() -> None:
    rng = random.Random(5)
    nouns = [f"{a}{b}" for a in ("brin", "cal", "dor", "fen", "gul", "hax") for b in "aeiouy"]
    said: list[CellDraft] = []
    for session in range(40):
        topic = rng.sample(nouns, 1)[0]
        others = [f"{topic}{n}lk" for n in range(6)]
        said += drafts(
            [
                f"The {topic} has a {rng.choice(others)} and a {rng.choice(others)} for my house."
                for _ in range(12)
            ],
            f"s{session}",
            session,
        )
    scenes = SceneIndex().place(said)
    largest = Counter(scenes).most_common(1)[0][1]
    assert largest <= 0.15 * len(said)
    assert 15 <= len(set(scenes)) <= 45


def test_in_bulk_few_scenes_have_a_single_cell() -> None:
    said = talk_of_all_matters(3) + drafts(["A parcel from Lisbon came."], "s9", 50)
    sizes = Counter(SceneIndex().place(said))
    assert sum(size == 1 for size in sizes.values()) <= 0.1 * len(sizes)


def test_placing_is_deterministic() -> None:
    said = talk_of_all_matters()
    assert SceneIndex().place(said) == SceneIndex().place(said)


def test_nothing_to_place_places_nothing() -> None:
    assert SceneIndex().place([]) == []


def test_a_renamed_scene_goes_on_under_its_new_name() -> None:
    index = SceneIndex()
    scene = most_common_scene(live(index, drafts(POTTERY)))
    index.rename(scene, "Clay club")
    assert index.place(drafts(["The pottery kiln and the clay bowl"], "x", 3)) == ["Clay club"]


def test_two_scenes_that_were_merged_are_one_from_then_on() -> None:
    index = SceneIndex()
    index.learn(stored(drafts(POTTERY), ["Pottery class"] * 5))
    index.learn(stored(drafts(TOMATOES, "s2"), ["Greenhouse"] * 5, first=10))
    index.rename("Greenhouse", "Pottery class")
    assert [p.cells for p in index.profiles()] == [10]
    assert index.place(drafts(["Slugs in the greenhouse"], "x", 3)) == ["Pottery class"]


def test_a_forgotten_scene_gets_no_more_cells() -> None:
    index = SceneIndex()
    index.learn(stored(drafts(POTTERY), ["Pottery class"] * 5))
    index.forget("pottery CLASS")
    assert index.profiles() == []
    assert index.place(drafts([POTTERY[0]], "x", 3)) != ["Pottery class"]


def profile(name: str, words: str, cells: int, **more: str) -> SceneProfile:
    return SceneProfile(name, {word: 2.0 for word in words.split()}, cells, START, "s", **more)


def test_a_tiny_scene_is_proposed_to_join_the_one_its_terms_speak_for() -> None:
    merges = propose_merges(
        [
            profile("Pottery class", "potteri clai kiln glaz bowl", 9),
            profile("Launch date", "launch audit payment team", 9),
            profile("Broken kiln", "kiln crack", 1),
        ]
    )
    assert merges == [("Broken kiln", "Pottery class")]


def test_near_identical_scenes_are_proposed_to_merge_the_smaller_into_the_larger() -> None:
    merges = propose_merges(
        [
            profile("Clay", "potteri clai kiln glaz", 4),
            profile("Pottery class", "potteri clai kiln glaz bowl", 6),
            profile("Launch date", "launch audit payment team", 9),
        ]
    )
    assert merges == [("Clay", "Pottery class")]


def test_the_larger_scene_takes_the_smaller_in_whichever_order_they_come() -> None:
    large = profile("Pottery class", "potteri clai kiln glaz bowl", 6)
    small = profile("Clay", "potteri clai kiln glaz", 4)
    other = profile("Launch date", "launch audit payment team", 9)
    for order in ([large, small, other], [small, other, large], [other, large, small]):
        assert propose_merges(order) == [("Clay", "Pottery class")]


def test_a_statement_does_not_speak_for_the_scene_that_it_alone_makes_up() -> None:
    counts = TermCounts()
    for scene, terms in enumerate(({"kiln": 1.0}, {"kiln": 1.0, "bowl": 1.0}, {"audit": 1.0})):
        counts.note(terms)
        counts.add(scene, terms)
    assert counts.gains({"kiln": 1.0}, own=0).keys() == {1}
    assert counts.gains({"kiln": 1.0}).keys() == {0, 1}


def test_the_larger_a_scene_the_more_must_speak_for_it() -> None:
    def gain(cells: int) -> float:
        counts = TermCounts()
        counts.restore(0, {"kiln": 4.0, "bowl": 4.0}, cells)
        counts.restore(1, {"audit": 4.0}, 100)
        return counts.gains({"kiln": 1.0})[0]

    assert gain(10) == gain(15)
    assert gain(60) < 0.5 * gain(15)


def test_what_is_trimmed_from_a_scene_is_what_speaks_for_it_least() -> None:
    counts = TermCounts()
    counts.restore(0, {"kiln": 9.0, "child": 1.0}, 9)
    counts.restore(1, {"child": 90.0}, 90)
    counts.trim(0, kept=1)
    assert set(counts.scene_terms[0]) == {"kiln"}


def test_what_is_taken_out_of_a_scene_leaves_nothing_behind() -> None:
    counts = TermCounts()
    counts.add(0, {"kiln": 1.0, "bowl": 0.4})
    counts.add(0, {"kiln": 1.0})
    counts.remove(0, {"kiln": 1.0, "bowl": 0.4})
    assert counts.scene_terms[0] == {"kiln": 1.0}
    assert counts.scene_size[0] == 1


def test_scenes_about_different_things_stay_apart() -> None:
    assert (
        propose_merges(
            [
                profile("Pottery class", "potteri clai kiln glaz bowl", 9),
                profile("Launch date", "launch audit payment team", 9),
                profile("Greenhouse", "tomato slug compost", 9),
            ]
        )
        == []
    )


def test_a_lone_statement_joins_what_was_being_talked_about_when_nothing_speaks_for_it() -> None:
    merges = propose_merges(
        [
            profile("Pottery class", "potteri clai kiln glaz bowl", 9),
            profile("Odd parcel", "parcel lisbon", 1, beside="Pottery class"),
        ]
    )
    assert merges == [("Odd parcel", "Pottery class")]


def test_a_lone_statement_of_another_field_of_life_is_left_alone() -> None:
    merges = propose_merges(
        [
            profile("Pottery class", "potteri clai kiln glaz bowl #art", 9),
            profile("Diet", "vegetarian #food", 1, beside="Pottery class"),
        ]
    )
    assert merges == []


def test_merges_can_be_carried_out_in_their_order() -> None:
    profiles = [
        profile("Pottery class", "potteri clai kiln glaz bowl", 6),
        profile("Clay", "potteri clai kiln glaz", 4),
        profile("Kiln", "clai kiln glaz bowl", 3),
        profile("Launch date", "launch audit payment team", 9),
        profile("Audit", "launch audit payment", 3),
    ]
    scenes = {p.scene for p in profiles}
    merges = propose_merges(profiles)
    assert len(merges) > 1
    for scene, into in merges:
        assert scene in scenes
        assert into in scenes
        scenes.remove(scene)


def test_the_index_proposes_merges_of_given_scenes_without_chains() -> None:
    index = SceneIndex()
    index.learn(stored(drafts(POTTERY), ["Pottery class"] * 5))
    index.learn(stored(drafts(["The kiln cracked my clay bowl."], "s2"), ["Kiln"], first=10))
    index.learn(stored(drafts(LAUNCH, "s3"), ["Launch date"] * 5, first=20))
    assert index.merges(["Kiln", "Launch date", "unknown"]) == [("Kiln", "Pottery class")]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=20))
def test_any_text_is_placed_somewhere_with_a_usable_name(texts: list[str]) -> None:
    index = SceneIndex()
    scenes = index.place(drafts(texts))
    assert len(scenes) == len(texts)
    assert all(scene.strip() and name_key(scene) for scene in scenes)
    assert sum(p.cells for p in index.profiles()) == len(texts)


@pytest.mark.parametrize(
    "statements",
    [
        ("昨天我去陶艺课做了一个花瓶。", "陶艺课的老师教我们上釉。", "我想在陶艺课再做一个花瓶。"),
        (
            "昨日は陶芸教室で花瓶を作りました。",
            "陶芸教室の先生は親切です。",
            "花瓶に釉薬を塗ります。",
        ),
        ("어제 도자기 수업에서 꽃병을 만들었다", "도자기 수업은 재미있다", "꽃병을 다시 굽는다"),
        ("Ayer hice un jarrón en la clase de cerámica.", "La clase de cerámica es por la tarde."),
        ("Вчера на гончарном кружке я сделала вазу.", "Гончарный кружок начинается вечером."),
        ("เมื่อวานฉันไปเรียนปั้นดินเผา", "เรียนปั้นดินเผาสนุกมาก"),
    ],
)
def test_a_matter_in_another_language_stays_one_scene(statements: tuple[str, ...]) -> None:
    index = SceneIndex()
    assert len(set(live(index, drafts(statements)))) == 1


WORKSHOP = (
    "The bicycle workshop opens in the old bakery.",
    "The bakery oven must go before the workshop can move in.",
    "Ravi wants a repair stand for the workshop.",
)
BROCHURE = (
    "The brochure needs a photograph of the harbour.",
    "Ravi thinks the brochure is too long.",
    "The printer wants the brochure as a file.",
)
SAILING = (
    "Our sailing boat has a torn sail.",
    "Ravi is sewing the sail on his machine.",
    "The boat waits for its sail in the marina.",
)
ALLOTMENT = (
    "Foxes dug up the potatoes on the allotment.",
    "The allotment fence has a hole behind the potatoes.",
    "Ravi has wire for the allotment fence.",
)
SMALL_MEMORY = (WORKSHOP, BROCHURE, SAILING, ALLOTMENT)


def test_in_a_small_memory_a_person_in_every_matter_ties_none_of_them_together() -> None:
    said = [
        draft
        for turn, matter in enumerate(SMALL_MEMORY)
        for draft in drafts(matter, f"s{turn}", day=turn)
    ]
    scenes = SceneIndex().place(said)
    per_matter = [scenes[at : at + 3] for at in range(0, len(scenes), 3)]
    assert all(len(set(of_one)) == 1 for of_one in per_matter)
    assert len(set(scenes)) == len(SMALL_MEMORY)
    assert not any("ravi" in scene.lower() for scene in scenes)


def test_in_bulk_a_small_memory_has_no_scene_that_swallows_the_others() -> None:
    said = [
        draft
        for turn in range(6)
        for matter in SMALL_MEMORY
        for draft in drafts(matter[turn % 3 :][:2], f"s{turn}", day=turn)
    ]
    sizes = Counter(SceneIndex().place(said))
    assert len(sizes) >= len(SMALL_MEMORY)
    assert max(sizes.values()) <= 0.3 * len(said)


PARCEL = "The accountant lost our parcel at the customs office in Lisbon."


def test_a_remark_that_opens_a_session_and_tells_little_goes_with_what_came_next() -> None:
    index = SceneIndex()
    remark, parcel = live(index, drafts(["The kettle is on.", PARCEL], "morning"))
    assert remark != parcel
    assert index.merges([parcel]) == [(remark, parcel)]


def test_what_was_just_opened_is_not_merged_away_before_more_is_said_of_it() -> None:
    index = SceneIndex()
    sailing, parcel = live(index, drafts([SAILING[0], PARCEL], "evening"))
    assert sailing != parcel
    assert index.merges([parcel]) == []


def test_a_scene_in_a_small_memory_takes_no_lone_statement_that_tells_much() -> None:
    full = profile("Sailing", "sail boat marina", 9)
    lone = profile("Parcel", "parcel lisbon accountant customs", 1, beside="Sailing")
    assert propose_merges([full, lone]) == []
