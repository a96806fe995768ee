"""The notebooks: committed with their outputs, run without a warning, and shown by a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explored import remember_a_move
from notebook_pages import browser, browser_path, complaints, page_of

from scenemem.explore import change, explain, explore, growth, scene_map, timeline
from scenemem.explore.answering import answer_to
from scenemem.explore.picture import DARK, LIGHT
from scenemem.memory.memory_db import MemoryDB

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("anywidget")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
STRICT = "import warnings; warnings.simplefilter('error')"
needs_browser = pytest.mark.skipif(browser_path() is None, reason="needs chromium and chromedriver")


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def outputs(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


def executed(notebook_file: Path, tmp_path: Path, **parameters: object) -> Any:
    """The notebook, run in a kernel in which a warning is an error; its cells, without ours."""
    notebook = read(notebook_file)
    set_to = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    tagged = [
        place + 1
        for place, cell in enumerate(notebook.cells)
        if "parameters" in cell.metadata.get("tags", [])
    ]
    for place in tagged if parameters else []:
        notebook.cells.insert(place, nbformat.v4.new_code_cell(set_to))
    notebook.cells.insert(0, nbformat.v4.new_code_cell(STRICT))
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=where).execute()
    notebook.cells = notebook.cells[1:]
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_with_its_outputs(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert len([cell for cell in code if cell.outputs]) >= 8
    for output in outputs(notebook):
        assert output.output_type != "error"
        assert output.get("name") != "stderr"
    text = path.read_text("utf-8")
    assert not re.search(r"/(?:home|root|Users|work)/", text)
    assert path.stat().st_size < 1_000_000


def test_there_are_three_notebooks() -> None:
    names = ["01_scene_memory", "02_sessions_and_compaction", "03_explore_an_agent"]
    assert [path.stem for path in NOTEBOOKS] == names


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_a_warning_and_says_the_same(path: Path, tmp_path: Path) -> None:
    notebook = executed(path, tmp_path)
    for output in outputs(notebook):
        assert output.output_type != "error" and output.get("name") != "stderr"

    def printed(of: Any) -> str:
        # All at once: how a cell's lines are put into outputs is a matter of time.
        return "".join(output.text for output in outputs(of) if output.output_type == "stream")

    assert printed(notebook) == printed(read(path))


@pytest.mark.slow
def test_the_third_notebook_takes_a_conversation_or_a_memory(tmp_path: Path) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text(
        "Ada: The choir sings on Friday 5 June 2026.\nBen: I'll bring my tenor, Kim.\n"
        "Ada: Kim is allergic to nuts, so no cake with nuts please.\n"
    )
    memory = tmp_path / "agent.db"
    with MemoryDB(memory) as db:
        remember_a_move(db)
    for path, question, told in ((talk, "allergic", "nuts"), (memory, "garden plot", "canal")):
        notebook = executed(
            FOLDER / "03_explore_an_agent.ipynb", tmp_path, path=str(path), questions=[question]
        )
        shown = [output["data"].get("text/html", "") for output in outputs(notebook)]
        assert any(told in html and "<mark>" in html for html in shown)


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_browser_shows_a_notebook_without_a_complaint(
    path: Path, tmp_path: Path, dark: bool
) -> None:
    library = pytest.importorskip("vl_convert").javascript_bundle()
    page = tmp_path / "page.html"
    page.write_text(page_of(read(path), path.stem, library), "utf-8")
    with browser(dark=dark) as driver:
        driver.get(page.as_uri())
        driver.implicitly_wait(20)
        assert driver.find_elements("css selector", "[data-picture] svg")
        driver.implicitly_wait(0)
        pictures = driver.find_elements("css selector", "[data-picture]")
        marks = {
            picture.find_element("css selector", ".role-title-text text").text: len(
                picture.find_elements("css selector", ".mark-symbol path, .mark-area path")
            )
            for picture in pictures
        }
        assert pictures and all(number > 0 for title, number in marks.items() if "No" not in title)
        if "timeline(db)" in path.read_text("utf-8"):
            assert marks["When each scene was spoken of"] >= 67
        displays = driver.find_elements("css selector", ".scenemem")
        ink = displays[0].value_of_css_property("color")
        assert ink == ("rgba(230, 237, 243, 1)" if dark else "rgba(31, 35, 40, 1)")
        assert complaints(driver) == []


@pytest.fixture
def moved(db: MemoryDB) -> MemoryDB:
    remember_a_move(db)
    return db


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_saved_pictures_draw_themselves_without_a_request(
    moved: MemoryDB, tmp_path: Path, dark: bool
) -> None:
    pictures = {
        "timeline": (
            timeline(moved),
            ".mark-symbol path",
            len(moved.cells.list_cells(superseded=True)),
        ),
        "growth": (growth(moved), ".mark-area path", 1),
        "map": (scene_map(moved), ".mark-symbol path", moved.scenes.count_scenes()),
        "explain": (explain(moved, "the garden plot"), ".mark-rect path", 5),
        "change": (change(moved), ".mark-rect path", 4),
    }
    with browser(dark=dark) as driver:
        driver.implicitly_wait(20)
        for name, (picture, marks, least) in pictures.items():
            driver.get(picture.save(tmp_path / f"{name}.html").as_uri())
            assert len(driver.find_elements("css selector", f"#picture svg {marks}")) >= least
            title = driver.find_element("css selector", "#picture svg .role-title-text text")
            assert title.text == picture.title
            assert title.get_attribute("fill") == (DARK if dark else LIGHT).ink
            assert complaints(driver) == [], name


_HOST = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>{style}</style><div id="root"></div>
<script type="module">
const state = {state};
const hooks = {{}};
const model = {{
  get: (name) => state[name],
  set: (name, value) => {{ state[name] = value; }},
  save_changes: () => {{ window.asked = state.ask; }},
  on: (event, hook) => {{ hooks[event] = hook; }},
  off: () => {{}},
}};
window.reply = (answer) => {{ state.answer = answer; hooks["change:answer"](); }};
{script}
widget.render({{ model, el: document.getElementById("root") }});
</script>
"""


class _Page:
    """The widget in a page whose host answers from a real memory, as a kernel would."""

    def __init__(self, driver: Any, db: MemoryDB, path: Path) -> None:
        from scenemem.explore.widget import script, style

        explorer = explore(db)
        state = {"memory": explorer.memory, "ask": explorer.ask, "answer": explorer.answer}
        code = script().replace("export default", "const widget =")
        path.write_text(
            _HOST.format(style=style(), state=json.dumps(state), script=code), encoding="utf-8"
        )
        self.driver, self.db = driver, db
        driver.get(path.as_uri())

    def find(self, css: str) -> Any:
        return self.driver.find_element("css selector", css)

    def answer(self, number: int) -> None:
        """Wait for the ask of that number, and answer it from the memory."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 20).until(
            lambda driver: driver.execute_script("return window.asked?.number") == number
        )
        ask = self.driver.execute_script("return window.asked")
        self.driver.execute_script("window.reply(arguments[0])", answer_to(self.db, ask))

    @property
    def hits(self) -> list[str]:
        found = self.driver.find_elements("css selector", ".sx-hit .sm-text")
        return [element.text for element in found]


@pytest.mark.slow
@needs_browser
def test_the_widget_answers_a_query_filters_and_opens_a_cell(
    moved: MemoryDB, tmp_path: Path
) -> None:
    with browser() as driver:
        page = _Page(driver, moved, tmp_path / "widget.html")
        assert len(page.hits) == len(moved.cells.list_cells(superseded=True))
        page.find("input[type=search]").send_keys("garden plot")
        page.answer(1)
        assert "garden plot" in page.hits[0]
        marks = driver.find_elements("css selector", ".sx-hit mark")
        assert {mark.text for mark in marks} >= {"garden", "plot"}
        page.find(".sx-type[data-type=decision]").click()
        page.answer(2)
        assert page.hits == ["user: We decided to rent the garden plot by the canal."]
        page.find(".sx-hit").click()
        page.answer(3)
        assert page.find(".sx-own").text.endswith(
            "We decided to rent the garden plot by the canal."
        )
        assert page.find(".sx-hit").get_attribute("aria-expanded") == "true"
        assert complaints(driver) == []


@pytest.mark.slow
@needs_browser
def test_the_widget_shows_hostile_text_as_text(db: MemoryDB, tmp_path: Path) -> None:
    told = "<img src=x onerror=alert(1)> & <b>bold</b>"
    db.insert_cell({"content": told, "scene": "<i>x</i>"})
    with browser() as driver:
        page = _Page(driver, db, tmp_path / "widget.html")
        assert page.hits == [told]
        assert not driver.find_elements("css selector", "#root img, #root b")
        assert complaints(driver) == []
