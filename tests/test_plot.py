"""`scenemem plot`: pictures into files, and what is said when that can't be."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from conftest import Run
from explored import remember_a_move

from scenemem.memory.memory_db import MemoryDB

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


@pytest.fixture
def memory(path: Path) -> str:
    with MemoryDB(path) as db:
        remember_a_move(db)
    return str(path)


def test_a_picture_is_written_where_it_is_wanted(run: Run, memory: str, tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    done = run("-d", memory, "plot", "change", "-o", str(target))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"What was held true, before and after: {target}\n"
    assert "I live in Bergen now." in target.read_text("utf-8")
    again = run("-d", memory, "plot", "change", "-o", str(target))
    assert again.returncode == 2 and "exists already; --force overwrites it" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sky",), "'sky' is not one of"),
        (("explain",), "'explain' needs a question: pass --query"),
        (("explain", "--query", "  "), "'explain' needs a question: pass --query"),
        (("growth", "--query", "x"), "--query is for 'explain'"),
        (("growth", "--cell", "1"), "--cell is for 'change'"),
        (("map", "-o", "map.gif"), "'map.gif' must end in one of .html, .svg, .png"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_drawn(
    run: Run, memory: str, arguments: tuple[str, ...], said: str
) -> None:
    done = run("-d", memory, "plot", *arguments)
    assert done.returncode == 2 and said in done.stderr


def test_a_folder_that_is_not_there_and_an_unknown_cell_are_told(
    run: Run, memory: str, tmp_path: Path
) -> None:
    nowhere = str(tmp_path / "no" / "t.svg")
    done = run("-d", memory, "plot", "change", "-o", nowhere)
    told = f"Error: {nowhere} can't be written: there is no such folder\n"
    assert (done.returncode, done.stderr) == (1, told)
    done = run("-d", memory, "plot", "change", "--cell", "99", "-o", str(tmp_path / "c.svg"))
    assert done.returncode == 1 and "there is no cell 99" in done.stderr


def test_without_the_extra_one_sentence_tells_what_to_install(
    run: Run, memory: str, tmp_path: Path
) -> None:
    hidden = tmp_path / "hidden" / "altair.py"
    hidden.parent.mkdir()
    hidden.write_text("raise ModuleNotFoundError(\"No module named 'altair'\", name='altair')\n")
    done = run(
        "-d", memory, "plot", "growth", "-o", str(tmp_path / "g.svg"),
        env={"PYTHONPATH": str(hidden.parent)},
    )  # fmt: skip
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (
        "Error: this needs altair, which is not installed: pip install 'scenemem[notebook]'\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("picture", ["timeline", "growth", "map", "explain", "change"])
def test_every_picture_is_written_in_every_format(
    run: Run, memory: str, tmp_path: Path, picture: str
) -> None:
    query = ("--query", "the garden plot") if picture == "explain" else ()
    for ending in ("html", "svg", "png"):
        target = tmp_path / f"picture.{ending}"
        done = run("-d", memory, "plot", picture, "-o", str(target), *query)
        assert (done.returncode, done.stderr) == (0, "")
    png = (tmp_path / "picture.png").read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG") and width > 600 and height > 100
    assert (tmp_path / "picture.svg").read_text("utf-8").startswith("<svg")
    assert "vegaEmbed" in (tmp_path / "picture.html").read_text("utf-8")
