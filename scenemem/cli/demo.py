"""`scenemem demo`: ingest the packaged conversation, then show its scenes and some recalls."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

import click

QUESTIONS = ("why no glass?", "when is the opening?", "¿qué prefiere Tomás?")


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the memory in this file.")
def demo(keep: Path | None) -> None:
    """Try scenemem out on a conversation that ships with it."""
    if keep is not None:
        if keep.exists():
            raise click.UsageError(f"{keep} exists already; the demo needs a new file")
        _show(keep)
        click.echo(f"\nThe memory was kept. To query it: scenemem -d {keep} recall …")
        return
    with tempfile.TemporaryDirectory(prefix="scenemem-demo-") as folder:
        _show(Path(folder) / "demo.db")


def _show(path: Path) -> None:
    from scenemem.cli import printing
    from scenemem.memory.ingestion import ingest_file
    from scenemem.memory.manager import MemoryManager
    from scenemem.memory.memory_db import MemoryDB
    from scenemem.retrieval.recall import recall

    with MemoryDB(path) as db:
        manager = MemoryManager(db)
        with as_file(files("scenemem").joinpath("demo.jsonl")) as conversation:
            done = ingest_file(manager, conversation)
        now = manager.db.status()
        click.echo(
            f"{done.imported + done.skipped} messages of {now.sessions} conversations became "
            f"{now.cells} cells in {now.scenes} scenes:\n"
        )
        for scene in db.scenes.list_scenes():
            click.echo(f"  {printing.scene_heading(scene)}")
        for question in QUESTIONS:
            command = click.style(f"scenemem recall {question!r}", fg="cyan")
            click.echo(f"\n$ {command}\n")
            found = recall(db, question, limit=2, now=datetime(2026, 11, 22, tzinfo=UTC))
            for line in printing.recollection_lines(found):
                click.echo(line)
