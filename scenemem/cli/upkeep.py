"""`scenemem status`, `extract`, `doctor`, `backup`, `export`, `usage`, `log`, `path`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scenemem.cli.opening import chosen_engine, memory_path, opened_memory


@click.command()
def path() -> None:
    """Print the path of the memory file, which may not exist yet."""
    click.echo(memory_path())


@click.command()
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def status(as_json_: bool) -> None:
    """Show what the memory holds and what is waiting."""
    from scenemem.cli.printing import as_json, counted, printable

    with opened_memory() as db:
        now = db.status()
        file = db.path
    if as_json_:
        click.echo(as_json({"path": str(file), "bytes": file.stat().st_size} | now._asdict()))
        return
    click.echo(f"{click.style(str(file), bold=True)}  {file.stat().st_size / 1024:,.0f} KiB")
    click.echo(f"  {counted(now.messages, 'message')} in {counted(now.sessions, 'session')}")
    gone = f", {now.superseded:,} superseded" if now.superseded else ""
    click.echo(f"  {counted(now.cells, 'cell')} in {counted(now.scenes, 'scene')}{gone}")
    waiting = [
        (now.pending, "turn", "waiting to be extracted"),
        (now.failed, "turn", "failed too often; `scenemem extract --retry` tries again"),
        (now.stale, "scene", "with a summary that is due"),
    ]
    for number, noun, what in waiting:
        if number:
            click.echo(f"  {counted(number, noun)} {what}")
    if not any(number for number, _, _ in waiting):
        click.echo("  nothing waiting")
    for turn, session, attempts, reason in now.errors:
        failure = printable(f"turn {turn} of {session}: {reason} ({attempts}x)")
        click.echo(click.style(f"  {failure}", fg="red"))


@click.command()
@click.option("--retry", is_flag=True, help="Include turns that failed too often.")
def extract(retry: bool) -> None:
    """Extract waiting turns and update the summaries that are due."""
    from scenemem.cli.printing import counted, printable
    from scenemem.memory.manager import MemoryManager

    with opened_memory() as db:
        manager = MemoryManager(db, chosen_engine())
        if retry:
            db.sessions.retry_failed()
        done = manager.extract_pending()
        renewed = manager.consolidate_stale()
    click.echo(
        f"{counted(done.turns, 'turn')} extracted, {counted(len(done.cells), 'cell')} kept, "
        f"{counted(len(renewed), 'summary').replace('summarys', 'summaries')} updated"
    )
    if done.failed:
        reason = next(iter(done.failed.values()))
        waiting = f"{counted(len(done.failed), 'turn')} still waiting: {reason}"
        click.echo(printable(waiting), err=True)
        sys.exit(1)


@click.command()
@click.option("--mend", is_flag=True, help="Rebuild the full-text indexes from the tables.")
def doctor(mend: bool) -> None:
    """Check the file, its links and its full-text indexes."""
    with opened_memory() as db:
        if mend:
            db.rebuild_index()
        faults = db.check()
    for fault in faults:
        click.echo(fault, err=True)
    if faults:
        click.echo("`scenemem doctor --mend` rebuilds the indexes", err=True)
        sys.exit(1)
    click.echo("The file, its links and its indexes are sound.")


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
def backup(target: Path) -> None:
    """Write a consistent copy to TARGET, even while the memory is in use.

    Copying the file directly is safe only while no process has it open.
    """
    with opened_memory() as db:
        click.echo(f"Wrote {db.backup(target)}.")


@click.command()
def export() -> None:
    """Write everything as JSON lines: messages, notebooks, cells and scenes.

    `scenemem ingest` reads all of it back. What looks like a key or a password is
    left out.
    """
    from scenemem.cli.printing import json_line
    from scenemem.memory.exporting import export_lines

    with opened_memory() as db, db.snapshot():
        for line in export_lines(db):
            click.echo(json_line(line))


@click.command()
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def usage(as_json_: bool) -> None:
    """Show model calls and tokens by day, model and purpose."""
    from scenemem.cli.printing import as_json, printable

    with opened_memory() as db:
        totals = db.log.list_usage()
    if as_json_:
        click.echo(as_json([total._asdict() for total in totals]))
        return
    if not totals:
        click.echo("No model was called.")
        return
    click.echo(
        f"{'day':10}  {'model':24} {'purpose':9} {'calls':>6} {'failed':>6} {'in':>10} {'out':>9}"
    )
    for t in totals:
        about = "~" if t.estimated else " "
        click.echo(
            f"{t.day}  {printable(t.model[:24]):24} {t.purpose:9} {t.calls:6,} {t.failed:6,} "
            f"{t.prompt_tokens:10,} {t.completion_tokens:9,}{about}"
        )


@click.command()
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000_000), default=20, show_default=True)
@click.option("--json", "as_json_", is_flag=True, help="Print JSON lines.")
def log(limit: int, as_json_: bool) -> None:
    """Show changes to the memory, newest first."""
    from scenemem.base.text import shorten
    from scenemem.cli.printing import json_line, printable

    with opened_memory() as db:
        changes = db.log.list_changes(limit=limit)
    for change in changes:
        if as_json_:
            as_dict = change._asdict() | {"at": change.at.isoformat()}
            click.echo(json_line(as_dict))
            continue
        click.echo(
            f"{change.at:%Y-%m-%d %H:%M}  {printable(f'{change.actor} {change.action}')} "
            f"{click.style(printable(change.subject), bold=True)}"
            + (f"  ({printable(change.reason)})" if change.reason else "")
        )
        for sign, text in (("-", change.before), ("+", change.after)):
            if text:
                click.echo(click.style(f"    {sign} {printable(shorten(text, 90))}", dim=True))
