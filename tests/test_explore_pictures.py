"""Pictures: what they are drawn from, and that what is written needs no server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from explored import day, remember_a_move

from scenemem.agent.compaction import HistoryCompactor
from scenemem.agent.prompt import estimate_messages
from scenemem.base.cell_types import CELL_TYPES
from scenemem.base.display import stylesheet
from scenemem.base.errors import NotFoundError
from scenemem.base.records import Cell, CellDraft, Message
from scenemem.base.session_records import Compaction
from scenemem.explore import Picture, change, explain, growth, scene_map, timeline
from scenemem.explore.change_picture import chains
from scenemem.explore.explain_picture import asked_words, part_shares
from scenemem.explore.growth_picture import carried, in_effect
from scenemem.explore.map_picture import _labelled_below
from scenemem.explore.picture import DARK, LIGHT, as_script
from scenemem.explore.timeline_picture import chosen_cells
from scenemem.memory.manager import MemoryManager
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.embedding import CallableEmbedder
from scenemem.retrieval.recall import recall

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

Captured = pytest.CaptureFixture[str]
Drawn = Callable[[MemoryDB], Picture]
PICTURES: list[Drawn] = [
    timeline,
    growth,
    scene_map,
    change,
    lambda db: explain(db, "the garden plot", now=day(10, 1)),
]


@pytest.fixture(scope="module")
def moved() -> Iterator[MemoryDB]:
    """A memory that no test changes."""
    with MemoryDB() as db:
        remember_a_move(db)
        yield db


def rows(picture: Picture, *keys: str) -> list[dict[str, Any]]:
    """The rows of the picture's data that have these keys."""
    data = picture.spec["datasets"].values()
    return [row for values in data for row in values if all(key in row for key in keys)]


@pytest.mark.parametrize("draw", PICTURES)
def test_every_picture_is_drawn_also_of_an_empty_memory(draw: Drawn, moved: MemoryDB) -> None:
    with MemoryDB() as nothing:
        for db in (moved, nothing):
            picture = draw(db)
            assert picture.title and picture.title in json.dumps(picture.spec, ensure_ascii=False)


@pytest.mark.parametrize("draw", PICTURES)
def test_the_same_memory_gives_the_same_picture(draw: Drawn, moved: MemoryDB) -> None:
    assert json.dumps(draw(moved).spec) == json.dumps(draw(moved).spec)


def test_the_timeline_has_a_mark_a_cell_and_a_lane_a_scene(moved: MemoryDB) -> None:
    marks = rows(timeline(moved), "salience", "said")
    cells = moved.cells.list_cells(superseded=True)
    assert sorted(mark["text"] for mark in marks) == sorted(cell.content for cell in cells)
    assert {mark["held"] for mark in marks} == {"in force", "superseded"}
    bruno = next(mark for mark in marks if mark["text"].startswith("My dog"))
    assert bruno["said"] == "2026-07-08 09:00 UTC"
    assert bruno["source"] == "July, user: My dog Bruno is afraid of thunder."
    lanes = rows(timeline(moved), "first", "last")
    assert [lane["first"] for lane in lanes] == sorted(lane["first"] for lane in lanes)
    assert sum(lane["cells"] for lane in lanes) == len(cells)


def test_of_many_cells_the_largest_scenes_and_most_salient_are_shown_and_it_is_said() -> None:
    cells = [
        Cell(n, f"Scene {n % 60}", "fact", n % 100 / 100, f"Thing {n}.", day(6, 1))
        for n in range(9000)
    ] + [Cell(9001, "Scene 3", "fact", 0.5, "One more.", day(6, 1))]
    shown, note = chosen_cells(cells)
    assert len({cell.scene for cell in shown}) == 40 and len(shown) == 5000
    assert any(cell.scene == "Scene 3" for cell in shown)
    least = min(cell.salience for cell in shown)
    left_out = {cell.id for cell in cells} - {cell.id for cell in shown}
    kept = {cell.scene for cell in shown}
    assert all(c.salience <= least for c in cells if c.id in left_out and c.scene in kept)
    assert "9,001 cells in 60 scenes" in note and "(the 40 largest shown)" in note
    assert "5,000 most salient" in note


def test_cells_of_one_moment_do_not_hide_each_other(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"Note {n}.", scene="Notes", at=day(6, 1)) for n in range(20))
    db.insert_cell(CellDraft("Later.", scene="Notes", at=day(9, 1)))
    marks = rows(timeline(db), "salience", "said")
    assert len({(mark["at"], mark["spread"]) for mark in marks}) == 21
    assert all(abs(mark["spread"]) <= 0.5 for mark in marks)


def test_crowded_marks_have_room_where_lanes_are_few_and_stay_near_their_time() -> None:
    with MemoryDB() as db:
        db.cells.insert_cells(
            CellDraft(f"Note {n}.", scene="Notes", at=day(6, 1)) for n in range(400)
        )
        db.insert_cell(CellDraft("Later.", scene="Notes", at=day(9, 1)))
        picture = timeline(db)
    crowd = [mark for mark in rows(picture, "salience", "said") if mark["text"] != "Later."]
    assert len({(mark["at"], mark["spread"]) for mark in crowd}) == 400
    weeks = 2 * 7 * 86_400_000
    said = day(6, 1).timestamp() * 1000
    assert all(abs(mark["at"] - said) < weeks for mark in crowd)
    assert 300 <= picture.spec["height"] <= 400


def test_cells_that_were_all_said_at_once_do_not_hide_each_other(db: MemoryDB) -> None:
    db.cells.insert_cells(CellDraft(f"Note {n}.", scene="Notes", at=day(6, 1)) for n in range(90))
    marks = rows(timeline(db), "salience", "said")
    places = {(mark["at"] // 60_000, mark["spread"]) for mark in marks}  # an axis of two hours
    assert len(places) == 90


HOSTILE = [
    "constructor",
    "__proto__",
    "</script><b>",
    'a "quote" \\ \u2028',
    "n" * 200,
    "猫 🚀",
    "שלום",
]


@pytest.mark.parametrize("draw", PICTURES)
def test_any_name_and_text_can_be_drawn(draw: Drawn, db: MemoryDB) -> None:
    for name in HOSTILE:
        db.insert_cell(CellDraft(f"The garden plot of {name}.", scene=name, at=day(6, 1)))
    db.insert_cell(
        CellDraft("The garden plot, in a year.", scene="First", at=datetime(1, 1, 1, tzinfo=UTC))
    )
    svg = draw(db).svg()
    assert svg.startswith("<svg") and "undefined" not in svg and "[object" not in svg


def test_a_question_of_any_word_can_be_explained(db: MemoryDB, capfd: Captured) -> None:
    db.insert_cell(CellDraft("The constructor is slow.", scene="constructor", at=day(6, 1)))
    svg = explain(db, "which constructor?", now=day(7, 1)).svg()
    assert "constructor" in svg and not capfd.readouterr().err


def test_long_names_are_shortened_and_keep_the_number_of_their_cells(db: MemoryDB) -> None:
    db.insert_cell(CellDraft("A note.", scene="n" * 200, at=day(6, 1)))
    assert re.search(r">n{20,30}…\s+1</text>", timeline(db).svg())


@pytest.mark.parametrize("draw", PICTURES)
def test_no_picture_shows_a_secret_that_the_history_keeps(draw: Drawn, db: MemoryDB) -> None:
    memory = MemoryManager(db)
    said = "The password of the garden plot is teal-Otter-42 and I live in Oslo."
    memory.update(said, "Noted.", at=day(6, 1))
    memory.update("I live in Bergen now.", "Nice.", at=day(7, 1))
    assert any(message.content == said for message in db.sessions.list_messages())
    assert "Otter" not in json.dumps(draw(db).spec)


def test_a_picture_of_nothing_is_refused(moved: MemoryDB) -> None:
    with pytest.raises(ValueError, match="lanes must be at least 1, got 0"):
        timeline(moved, lanes=0)
    with pytest.raises(ValueError, match="scenes must be at least 1, got -1"):
        scene_map(moved, scenes=-1)


def test_names_on_the_map_stand_where_they_hide_least() -> None:
    spots = {"Horse and painting": (0.55, 0.5), "LGBTQ art show": (0.4, 0.51), "Far": (0.9, 0.0)}
    assert _labelled_below(spots) == {"Horse and painting"}
    under = {"Upper": (0.5, 0.5), "Lower": (0.53, 0.46)}  # above its dot it would hide the upper
    assert _labelled_below(under) == {"Lower"}


def test_growth_counts_up_to_all_that_there_is(moved: MemoryDB) -> None:
    picture = growth(moved)
    said = rows(picture, "messages")
    assert said[-1]["messages"] == 14 and said[0]["messages"] == 2
    assert len(said) == len({row["at"] for row in said}) <= 162
    last = max(row["at"] for row in rows(picture, "cells", "type"))
    kept = [row["cells"] for row in rows(picture, "cells", "type") if row["at"] == last]
    assert sum(kept) == len(moved.cells.list_cells(superseded=True))


def test_growth_tells_what_compaction_saves(db: MemoryDB) -> None:
    memory = MemoryManager(db)
    for turn in range(12):
        said = f"Step {turn}: the valve of boiler number {turn} was checked and it was fine again."
        memory.update(said, "Good, then go on with the next one, please.", at=day(6, turn + 1))
    done = HistoryCompactor(db, memory.engine).compact("default")
    assert done is not None
    whole = estimate_messages(db.sessions.list_messages())
    last = rows(growth(db), "said", "carried")[-1]
    assert last["said"] == pytest.approx(whole, abs=24)
    assert last["said"] - last["carried"] == done.tokens_before - done.tokens_after


def compaction(through: int, messages: int, before: int, after: int) -> Compaction:
    return Compaction("s", day(9, 1), through, messages, before, after)


def test_a_summary_that_takes_in_the_one_before_is_carried_once() -> None:
    said = [Message(n, "s", n, "user", "x" * 400, day(6, n)) for n in range(1, 9)]
    size = estimate_messages(said[:1])
    done = [compaction(3, 3, 3 * size, 50), compaction(6, 3, 3 * size, 60)]
    end = int(day(7, 1).timestamp() * 1000)
    (now,) = carried(said, done, [end])
    assert now == {"at": end, "said": 8 * size, "carried": 2 * size + 60}
    early = int(day(6, 4).timestamp() * 1000)
    assert carried(said, done, [early])[0]["carried"] == size + 50


def test_compactions_that_forgetting_undid_do_not_count() -> None:
    first, anew = compaction(3, 3, 30, 5), compaction(6, 6, 60, 8)
    assert in_effect([first, compaction(6, 3, 30, 8)], {"s": 6})[0] == first
    assert in_effect([first, anew], {"s": 6}) == [anew]
    assert in_effect([first, anew], {"s": 0}) == []


def test_explained_parts_add_up_to_the_score(moved: MemoryDB) -> None:
    found = recall(moved, "the garden plot", now=day(10, 1))
    assert found.hits
    for hit in found.hits:
        assert sum(part_shares(hit.parts).values()) == pytest.approx(hit.score)


def test_meaning_stands_in_the_legend_where_there_is_an_embedder(moved: MemoryDB) -> None:
    assert "its meaning" not in {row["part"] for row in rows(explain(moved, "garden"), "part")}
    alike = CallableEmbedder("alike", lambda texts: [[1.0] for _ in texts])
    with MemoryDB(embedder=alike) as db:
        MemoryManager(db).update("I grow tomatoes on the balcony.", at=day(6, 1))
        shares = {row["part"]: row["share"] for row in rows(explain(db, "vegetables?"), "part")}
    assert shares["its meaning"] > 0.0


def test_explain_says_which_word_matched_what(moved: MemoryDB) -> None:
    picture = explain(moved, "gardens with a dog", now=day(10, 1))
    matches = rows(picture, "word", "as")
    assert {(m["word"], m["as"]) for m in matches if m["own"]} >= {
        ("gardens", "garden"),
        ("dog", "dog"),
    }


def test_words_that_count_as_the_same_stand_in_one_column(moved: MemoryDB) -> None:
    question = recall(moved, "where did I buy the dog?", now=day(10, 1)).question
    assert question is not None
    words = asked_words(question)
    assert "dog" in words and all(word in forms for word, forms in words.items())
    assert any("bought" in form for form in words["buy"])


def test_changes_stand_in_chains_from_the_oldest_to_what_holds(moved: MemoryDB) -> None:
    cells = {cell.id: cell for cell in moved.cells.list_cells(superseded=True)}
    told = [[cell.content for cell in chain] for chain in chains(cells)]
    assert told == [
        ["I live in Oslo.", "I live in Bergen now."],
        ["I love spicy food.", "I hate spicy food."],
    ]


def test_a_change_of_one_cell_is_found_from_either_end(moved: MemoryDB) -> None:
    oslo = next(
        c for c in moved.cells.list_cells(superseded=True) if c.content == "I live in Oslo."
    )
    assert oslo.superseded_by is not None
    for cell in (oslo, oslo.superseded_by):
        bars = rows(change(moved, cell), "from", "to")
        assert {bar["text"] for bar in bars} == {"I live in Oslo.", "I live in Bergen now."}
        assert {bar["until"] for bar in bars} == {"2026-09-09", "now"}
    with pytest.raises(NotFoundError, match="no cell 999"):
        change(moved, 999)


def test_links_that_go_round_or_nowhere_end() -> None:
    def cell(number: int, by: int | None) -> Cell:
        return Cell(number, "s", "fact", 0.5, f"c{number}", day(6, 1), superseded_by=by)

    round_ = {1: cell(1, 2), 2: cell(2, 1)}
    assert [{c.id for c in chain} for chain in chains(round_)] in ([{1, 2}], [{1, 2}, {1, 2}])
    assert [[c.id for c in chain] for chain in chains({3: cell(3, 8)})] == [[3]]


def test_candidates_to_merge_stand_out_on_the_map(db: MemoryDB) -> None:
    same = [f"The boiler in the cellar of house {n} needs a new valve." for n in range(4)]
    for scene, texts in {"Boiler": same, "Cellar": [t + " Soon." for t in same[:3]]}.items():
        db.cells.insert_cells(CellDraft(text, scene=scene, at=day(6, 1)) for text in texts)
    for text in ("The choir sings on Friday.", "Our choir has a tenor.", "A tenor is ill."):
        db.insert_cell(CellDraft(text, scene="Choir", at=day(6, 1)))
    (pair,) = [row for row in rows(scene_map(db), "pair", "merge") if row["merge"]]
    assert set(pair["pair"].split(" – ")) == {"Boiler", "Cellar"}
    assert "boiler" in pair["shared"]


@pytest.mark.slow
def test_a_saved_page_carries_all_that_it_needs(db: MemoryDB, tmp_path: Path) -> None:
    db.insert_cell(CellDraft("</script><script>alert(1)</script>", scene="x", at=day(9, 9)))
    page = timeline(db).save(tmp_path / "t.HTML").read_text("utf-8")
    own = page.partition("<script>")[0] + page.rpartition("<script>")[2]  # without the library
    assert not re.findall(r"(?:src|href)=[\"'](?!data:)|url\(", own)
    assert "default-src 'none'" in page and "alert(1)</script>" not in page


def test_json_in_a_script_reads_back() -> None:
    told = {"text": "</script> <!-- <script> ü 猫 \u2028"}
    written = as_script(told)
    assert "</script" not in written and "<!--" not in written and "<script" not in written
    assert json.loads(written) == told


def test_an_svg_has_both_schemes_and_tells_its_marks(moved: MemoryDB, tmp_path: Path) -> None:
    svg = timeline(moved).save(tmp_path / "t.svg").read_text("utf-8")
    assert "<title>My dog Bruno is afraid of thunder.</title>" in svg
    assert f'[fill="{LIGHT.ink}"]{{fill:{DARK.ink}}}' in svg and f'fill="{LIGHT.ink}"' in svg


def test_an_unknown_ending_is_refused_before_anything_is_drawn(
    moved: MemoryDB, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"one of \.html, \.svg, \.png, got 't\.gif'"):
        timeline(moved).save(tmp_path / "t.gif")
    assert list(tmp_path.iterdir()) == []


def test_types_have_the_same_colours_in_pictures_and_displays() -> None:
    css = stylesheet()
    for kind in CELL_TYPES:
        told = re.findall(rf"--sm-{kind}: (#\w+)", css)
        assert set(told) == {LIGHT.types[kind], DARK.types[kind]} and len(told) == 4


def test_a_notebook_gets_a_drawing_and_a_still_picture(moved: MemoryDB) -> None:
    bundle = change(moved)._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"}
    assert bundle["text/plain"] == "<Picture 'What was held true, before and after'>"
