"""`scenemem ask`: one question to the agent, from the shell."""

from __future__ import annotations

import click

from scenemem.cli.opening import opened_memory


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--session", metavar="NAME", default="cli", show_default=True)
def ask(text: tuple[str, ...], session: str) -> None:
    """Ask the agent; it answers from the memory, and the exchange is remembered."""
    from scenemem.agent import WorkerAgent

    with opened_memory(create=True) as db:
        click.echo(WorkerAgent(db).answer(" ".join(text), session))
