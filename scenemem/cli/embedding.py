"""`scenemem embed`: vectors for the messages that have none yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from scenemem.cli.opening import opened_memory


@click.command()
@click.option("-n", "--limit", type=click.IntRange(1), help="At most so many messages.")
def embed(limit: int | None) -> None:
    """Embed the messages that wait, so that they are recalled by meaning too.

    Name the embedder with `scenemem --embedder NAME embed`, or in SCENEMEM_EMBEDDER: `static`
    needs no server (pip install 'scenemem[dense]'); any other name is a model of the server at
    --base-url. What is stored stays after a stop: run it again.
    """
    from scenemem.cli.printing import counted

    with opened_memory() as db:
        if db.meaning is None:
            raise click.UsageError("name an embedder: scenemem --embedder static embed")
        waiting = db.meaning.count_waiting()
        with _progress(waiting if limit is None else min(limit, waiting)) as progress:
            done = db.embed_pending(limit, progress=progress)
        left = db.meaning.count_waiting()
    click.echo(f"{counted(done, 'message')} embedded, {left:,} still waiting")


@contextmanager
def _progress(messages: int) -> Iterator[Callable[[int], None] | None]:
    """On a terminal, a progress bar over the messages, and what to tell it with."""
    if not sys.stderr.isatty() or not messages:
        yield None
        return
    with click.progressbar(length=messages, label="messages", file=sys.stderr) as bar:
        yield bar.update
