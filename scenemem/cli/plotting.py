"""`scenemem plot`: draw pictures of a memory, each into one self-contained file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scenemem.cli.opening import opened_memory

if TYPE_CHECKING:
    from scenemem.explore.picture import Picture
    from scenemem.memory.memory_db import MemoryDB

PICTURES = ("timeline", "growth", "map", "explain", "change")
_ENDINGS = (".html", ".svg", ".png")


@click.command()
@click.argument("picture", type=click.Choice(PICTURES))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The .html, .svg or .png file to write.  [default: PICTURE.html]",
)
@click.option("-q", "--query", metavar="TEXT", help="The question for 'explain'.")
@click.option("--cell", type=int, metavar="ID", help="Limit 'change' to this cell.")
@click.option("-f", "--force", is_flag=True, help="Overwrite an existing file.")
def plot(
    picture: str, output: Path | None, query: str | None, cell: int | None, force: bool
) -> None:
    """Draw a PICTURE of the memory into one self-contained file.

    \b
    timeline  when each scene was mentioned, and by which types of cells
    growth    messages and cells over time, and what compaction saves
    map       which scenes share words, and candidates for merging
    explain   why each hit for --query was found
    change    statements that later ones replaced, before and after
    """
    target = _target(picture, output, force)
    if picture == "explain" and not (query or "").strip():
        raise click.UsageError("'explain' needs a question: pass --query")
    if query and picture != "explain":
        raise click.UsageError("--query is for 'explain'")
    if cell is not None and picture != "change":
        raise click.UsageError("--cell is for 'change'")
    with opened_memory() as db:
        drawn = _drawn(db, picture, query or "", cell)
    try:
        written = drawn.save(target)
    except OSError as error:
        raise click.ClickException(f"{target} can't be written: {error.strerror}") from error
    from scenemem.cli.printing import printable

    click.echo(printable(f"{drawn.title}: {written}"))


def _target(picture: str, output: Path | None, force: bool) -> Path:
    target = output or Path(f"{picture}.html")
    if target.suffix.lower() not in _ENDINGS:
        raise click.UsageError(f"{str(target)!r} must end in one of {', '.join(_ENDINGS)}")
    if not target.absolute().parent.is_dir():
        raise click.ClickException(f"{target} can't be written: there is no such folder")
    if target.exists() and not force:
        raise click.UsageError(f"{target} exists already; --force overwrites it")
    return target


def _drawn(db: MemoryDB, picture: str, query: str, cell: int | None) -> Picture:
    from scenemem import explore

    if picture == "explain":
        return explore.explain(db, query)
    if picture == "change":
        return explore.change(db, cell)
    if picture == "map":
        return explore.scene_map(db)
    return explore.growth(db) if picture == "growth" else explore.timeline(db)
