"""`scenemem embed`: compute vectors for messages that have none yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from scenemem.cli.opening import opened_memory


@click.command()
@click.option("-n", "--limit", type=click.IntRange(1), help="Embed at most this many messages.")
def embed(limit: int | None) -> None:
    """Embed messages that have no vector yet, so that recall can find them by meaning.

    Choose the embedder with `scenemem --embedder NAME embed` or SCENEMEM_EMBEDDER: `static` needs
    no server (pip install 'scenemem[dense]'); any other name is a model on the server at
    --base-url. If it is interrupted, run it again: it continues where it stopped.
    """
    from scenemem.cli.printing import counted

    with opened_memory() as db:
        if db.meaning is None:
            raise click.UsageError("choose an embedder: scenemem --embedder static embed")
        waiting = db.meaning.count_waiting()
        with _progress(waiting if limit is None else min(limit, waiting)) as progress:
            done = db.embed_pending(limit, progress=progress)
        left = db.meaning.count_waiting()
    click.echo(f"{counted(done, 'message')} embedded, {left:,} still waiting")


@contextmanager
def _progress(messages: int) -> Iterator[Callable[[int], None] | None]:
    """On a terminal, show a progress bar over the messages; yields its update function."""
    if not sys.stderr.isatty() or not messages:
        yield None
        return
    with click.progressbar(length=messages, label="messages", file=sys.stderr) as bar:
        yield bar.update
