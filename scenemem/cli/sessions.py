"""`scenemem sessions`, `history`, `compact`: the conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scenemem.cli.opening import chosen_engine, opened_memory

if TYPE_CHECKING:
    from scenemem.base.records import Message
    from scenemem.base.session_records import Session
    from scenemem.memory.memory_db import MemoryDB


@click.command()
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def sessions(as_json_: bool) -> None:
    """List the sessions, the most recently used first."""
    from scenemem.base.text import shorten
    from scenemem.cli.printing import as_json, counted, printable

    with opened_memory() as db:
        found = db.sessions.list_sessions()
        facts: dict[str, int] = {}
        for fact in db.notebook.list_facts():
            facts[fact.session] = facts.get(fact.session, 0) + 1
    if as_json_:
        click.echo(as_json([s._asdict() | {"facts": facts.get(s.session, 0)} for s in found]))
        return
    for session in found:
        details = [counted(session.messages, "message")]
        if session.session in facts:
            details.append(counted(facts[session.session], "fact"))
        if session.summarized_through:
            details.append("compacted")
        day = f"{session.last_at or session.created_at:%Y-%m-%d %H:%M}"
        name = click.style(printable(shorten(session.session, 60)), bold=True)
        click.echo(f"{name}  {', '.join(details)} · {day}")
    if not found:
        click.echo("No sessions yet.")


@click.command()
@click.argument("session")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000_000),
    help="Show only the last messages, up to this many.",
)
@click.option("--json", "as_json_", is_flag=True, help="Print JSON lines.")
def history(session: str, limit: int | None, as_json_: bool) -> None:
    """Show the messages of SESSION verbatim, oldest first."""
    from scenemem.cli.printing import json_line, printable

    with opened_memory() as db:
        found = _required(db, session)
        messages = db.sessions.list_messages(session, limit=limit, last=True)
    if as_json_:
        for message in messages:
            click.echo(json_line(_message_as_dict(message)))
        return
    if found.summary:
        click.echo(click.style("Summary of the compacted messages:", dim=True))
        summary = printable(found.summary).splitlines()
        click.echo(click.style("\n".join(f"  {line}" for line in summary), dim=True))
        click.echo()
    for message in messages:
        _show(message)
    if not messages:
        click.echo("No messages.")


@click.command()
@click.argument("session")
@click.option(
    "--dry-run", is_flag=True, help="Only show what would be condensed and what would stay."
)
def compact(session: str, dry_run: bool) -> None:
    """Condense the older messages of SESSION into its summary. The history keeps every message."""
    from scenemem.agent.compaction import HistoryCompactor
    from scenemem.cli.printing import counted, printable
    from scenemem.engines import default_engine

    with opened_memory() as db:
        engine = default_engine() if dry_run else chosen_engine()
        compactor = HistoryCompactor(db, engine)
        plan = compactor.plan(session)
        if plan is None:
            click.echo(
                f"Nothing to condense: the last {compactor.keep_messages} messages stay verbatim, "
                "and everything before them is condensed already."
            )
            return
        if dry_run:
            click.echo(
                f"Would condense {counted(len(plan.condensed), 'message')} "
                f"(about {plan.tokens:,} tokens):"
            )
            for message in plan.condensed:
                _show(message, short=True)
            click.echo(f"{counted(len(plan.kept), 'message')} would stay verbatim:")
            for message in plan.kept:
                _show(message, short=True)
            return
        done = compactor.compact(session)
        if done is None:
            click.echo("Another process has just compacted this session.")
            return
        summary, _ = db.sessions.get_summary(session)
    click.echo(
        f"Condensed {counted(done.messages, 'message')}: about {done.tokens_before:,} tokens are "
        f"now {done.tokens_after:,}."
    )
    click.echo(printable(summary))


def _required(db: MemoryDB, session: str) -> Session:
    from scenemem.base.errors import NotFoundError

    found = db.sessions.get_session(session)
    if found is None:
        raise NotFoundError.of("session", session)
    return found


def _show(message: Message, *, short: bool = False) -> None:
    from scenemem.base.text import shorten
    from scenemem.base.tool_calls import asked_of
    from scenemem.cli.printing import page_width, printable

    indent = " " * 18
    text = printable(message.content) or (
        click.style("(forgotten)", dim=True) if not message.tool_calls else ""
    )
    calls = [printable(f"{tool}({given})") for tool, given in map(asked_of, message.tool_calls)]
    lines = [line for part in (text, *calls) for line in part.splitlines()]
    who = click.style(f"{printable(shorten(message.speaker, 20))}:", bold=message.role == "user")
    if short:
        width = max(page_width() - 20 - len(message.speaker), 30)
        click.echo(f"  {message.at:%Y-%m-%d %H:%M}  {who} {shorten(' '.join(lines), width)}")
        return
    click.echo(f"{message.at:%Y-%m-%d %H:%M}  {who} " + f"\n{indent}".join(lines))


def _message_as_dict(message: Message) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": message.id,
        "turn": message.turn,
        "at": message.at.isoformat(),
        "role": message.role,
        "content": message.content,
    }
    optional = {
        "name": message.name,
        "tool_calls": list(message.tool_calls),
        "tool_call_id": message.tool_call_id,
    }
    return line | {key: value for key, value in optional.items() if value}
