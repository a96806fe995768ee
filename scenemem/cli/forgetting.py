"""`scenemem forget`: permanently delete cells or a scene."""

from __future__ import annotations

import click

from scenemem.cli.opening import chosen_engine, opened_memory


@click.command()
@click.argument("cells", nargs=-1, type=int, metavar="[CELL]...")
@click.option("--scene", metavar="NAME", help="Forget this scene with all its cells.")
@click.option("-y", "--yes", is_flag=True, help="Don't ask for confirmation.")
def forget(cells: tuple[int, ...], scene: str | None, yes: bool) -> None:
    """Permanently delete cells by their ids, or a whole scene.

    Their source messages are blanked, summaries are rewritten, and the text is erased from the
    file. `scenemem cells` lists the ids.
    """
    from scenemem.base.errors import NotFoundError
    from scenemem.cli import printing
    from scenemem.memory.manager import MemoryManager

    if not cells and scene is None:
        raise click.UsageError("give cell ids, or a scene with --scene")
    with opened_memory() as db:
        meant = [cell for cell in map(db.cells.get_cell, cells) if cell]
        if len(meant) < len(cells):
            missing = next(c for c in cells if db.cells.get_cell(c) is None)
            raise NotFoundError.of("cell", missing)
        if scene is not None:
            meant += db.cells.list_cells(scene=scene, superseded=True)
        if not yes:
            for cell in meant:
                click.echo(printing.cell_line(cell))
            count = printing.counted(len(meant), "cell")
            click.confirm(f"Forget {count} for good?", abort=True)
        gone = MemoryManager(db, chosen_engine()).forget(cells=cells, scene=scene, actor="cli")
    click.echo(
        f"Forgot {printing.counted(len(gone.cells), 'cell')}, "
        f"blanked {printing.counted(gone.messages, 'message')}."
    )
