"""`scenemem ingest`: read conversations from files into the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from scenemem.cli.opening import chosen_engine, opened_memory
from scenemem.memory.importing import format_names

_MOST_SHOWN = 10


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(format_names()),
    help="The files' format.  [default: detected]",
)
@click.option("--session", metavar="NAME", help="The session for messages that name none.")
def ingest(files: tuple[Path, ...], format_: str | None, session: str | None) -> None:
    """Read conversations from FILES into the memory; - reads stdin.

    Formats: JSON or JSON lines of OpenAI-style messages or of {user, assistant} pairs (with at,
    session and id if there are any), ChatGPT and Claude exports (also as a zip), LoCoMo, and plain
    transcripts of "Name: text" lines. A memory_store.json comes with its notebooks, and an export
    of `scenemem export` with everything. Nothing is imported twice: if it stops, run it again.
    """
    from scenemem.base.errors import ImportFormatError
    from scenemem.cli.printing import counted, printable
    from scenemem.memory.ingestion import ingest_file
    from scenemem.memory.manager import MemoryManager

    missing = [file for file in files if str(file) != "-" and not file.exists()]
    if len(missing) == len(files):  # nothing to make a memory from
        for file in missing:
            click.echo(printable(f"Error: {file} does not exist; check the path"), err=True)
        sys.exit(1)
    failures = 0
    with opened_memory(create=True) as db:
        manager = MemoryManager(db, chosen_engine())
        for file in files:
            is_stdin = str(file) == "-"
            try:
                with _progress(file) as progress:
                    done = ingest_file(
                        manager,
                        None if is_stdin else file,
                        format=format_,
                        session=session,
                        stream=sys.stdin.buffer if is_stdin else None,
                        progress=progress,
                    )
            except ImportFormatError as error:
                click.echo(printable(f"Error: {error}"), err=True)
                failures += 1
                continue
            click.echo(
                f"{'stdin' if is_stdin else file}: {done.imported:,} imported, "
                f"{done.skipped:,} skipped, {done.failed:,} failed; "
                f"{counted(done.cells, 'cell')} kept"
            )
            if done.restored:
                kinds = [
                    counted(n, kind).replace("summarys", "summaries")
                    for kind, n in sorted(done.restored.items())
                ]
                click.echo(f"  restored {', '.join(kinds)}")
            for line in done.bad[:_MOST_SHOWN]:
                click.echo(printable(f"  {line}"), err=True)
            if len(done.bad) > _MOST_SHOWN:
                click.echo(f"  and {len(done.bad) - _MOST_SHOWN:,} more", err=True)
            if done.pending:
                click.echo(printable(f"  {done.pending:,} turns waiting: {done.reason}"), err=True)
    if failures:
        sys.exit(1)


@contextmanager
def _progress(file: Path) -> Iterator[Callable[[int], None] | None]:
    """On a terminal, show a progress bar over the file's bytes; yields its update function."""
    if not sys.stderr.isatty() or not file.is_file():
        yield None
        return
    with click.progressbar(length=file.stat().st_size, label=file.name, file=sys.stderr) as bar:
        position = 0

        def advance(read: int) -> None:
            nonlocal position
            bar.update(read - position)
            position = read

        yield advance
