"""`scenemem scenes`, `scene`, `cells`: list the memory's contents."""

from __future__ import annotations

from datetime import datetime

import click

from scenemem.base.cell_types import CELL_TYPES, CellType, types_in_words
from scenemem.cli.opening import Instant, opened_memory


@click.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000_000),
    help="Show at most this many scenes.",
)
@click.option("--stale", is_flag=True, help="Only scenes whose summary is out of date.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def scenes(limit: int | None, stale: bool, as_json_: bool) -> None:
    """List the scenes, the most recently mentioned first."""
    from scenemem.base.text import shorten
    from scenemem.cli import printing

    with opened_memory() as db:
        found = db.scenes.list_scenes(stale=stale, limit=limit)
    if as_json_:
        click.echo(printing.as_json([printing.scene_as_dict(scene) for scene in found]))
        return
    for scene in found:
        click.echo(printing.scene_heading(scene))
        if scene.summary:
            summary = shorten(scene.summary, printing.page_width() - 2)
            click.echo(f"  {printing.printable(summary)}")
    if not found:
        click.echo("No stale scenes." if stale else "No scenes yet.")


@click.command()
@click.argument("name")
@click.option("--superseded", is_flag=True, help="Include superseded cells.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def scene(name: str, superseded: bool, as_json_: bool) -> None:
    """Show the summary and cells of the scene NAME (any spelling)."""
    from scenemem.base.errors import NotFoundError
    from scenemem.cli import printing
    from scenemem.retrieval.recollection import cell_as_dict

    with opened_memory() as db:
        found = db.scenes.get_scene(name)
        if found is None:
            raise NotFoundError.of("scene", name)
        held = db.cells.list_cells(scene=name, superseded=superseded)
    if as_json_:
        listed = [cell_as_dict(cell) for cell in held]
        click.echo(printing.as_json(printing.scene_as_dict(found) | {"cells": listed}))
        return
    click.echo(printing.scene_heading(found))
    if found.aliases:
        also = printing.printable(", ".join(found.aliases))
        click.echo(click.style(f"  also: {also}", dim=True))
    for line in printing.summary_lines(found):
        click.echo(line)
    for cell in held:
        click.echo(printing.cell_line(cell))


@click.command()
@click.option("--scene", "scene_", metavar="NAME", help="Only from this scene.")
@click.option(
    "--type",
    "cell_type",
    type=click.Choice(CELL_TYPES),
    help=f"Only cells of this type: {types_in_words()}.",
)
@click.option("--since", type=Instant(), help="Only cells said on or after this day.")
@click.option("--until", type=Instant(end=True), help="Only cells said on or before this day.")
@click.option("--superseded", is_flag=True, help="Include superseded cells.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000_000),
    help="Show only the newest cells, up to this many.",
)
@click.option("--json", "as_json_", is_flag=True, help="Print JSON lines.")
def cells(
    scene_: str | None,
    cell_type: CellType | None,
    since: datetime | None,
    until: datetime | None,
    superseded: bool,
    limit: int | None,
    as_json_: bool,
) -> None:
    """List the cells with their ids, oldest first."""
    from scenemem.cli import printing
    from scenemem.retrieval.recollection import cell_as_dict

    with opened_memory() as db:
        found = db.cells.list_cells(
            scene=scene_,
            cell_type=cell_type,
            since=since,
            until=until,
            superseded=superseded,
            limit=limit,
            order="newest",
        )[::-1]
    for cell in found:
        if as_json_:
            click.echo(printing.json_line(cell_as_dict(cell)))
        else:
            click.echo(f"{cell.id:>6}{printing.cell_line(cell)}")
    if not found and not as_json_:
        click.echo("No cells.")
