"""`scenemem ask`: one question to the agent, from the shell."""

from __future__ import annotations

import click

from scenemem.cli.opening import chosen_engine, opened_memory


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--session", metavar="NAME", default="cli", show_default=True)
def ask(text: tuple[str, ...], session: str) -> None:
    """Ask the agent. It answers from the memory and remembers the exchange."""
    from scenemem.agent.agent import WorkerAgent
    from scenemem.cli.printing import printable
    from scenemem.memory.manager import MemoryManager

    if not " ".join(text).strip():
        raise click.UsageError("the question is empty")
    with opened_memory(create=True) as db:
        agent = WorkerAgent(db, MemoryManager(db, chosen_engine()))
        for piece in agent.answer_stream(" ".join(text), session):
            click.echo(printable(piece), nl=False)
        click.echo()
