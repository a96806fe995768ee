"""`scenemem remember`, `facts`, `jot`, `counter`: the sessions' notebooks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

from scenemem.cli.opening import opened_memory
from scenemem.memory.written_down import SHARED_SESSION

if TYPE_CHECKING:
    from scenemem.base.session_records import FactScope
    from scenemem.memory.notebook_changes import CounterOp

SESSION = SHARED_SESSION  # of commands that name none, as `scenemem ask` has it
# What is written down for the command line's own session is recalled by all; what is written down
# for a session of a name is that session's own, as what its agent writes down is.
_session = click.option(
    "--session",
    metavar="NAME",
    default=SESSION,
    show_default=True,
    help="The session whose notebook it is in.",
)


@click.command()
@click.argument("key")
@click.argument("value")
@_session
@click.option("--long", "scope", flag_value="long", help="Store as a long-term fact.")
@click.option(
    "--short",
    "scope",
    flag_value="short",
    default=True,
    help="Store as a short-term fact (default).",
)
@click.option("--global", "shared", is_flag=True, help="Share it with all sessions.")
def remember(key: str, value: str, session: str, scope: FactScope, shared: bool) -> None:
    """Save VALUE under KEY. A value that is JSON keeps its type.

    `scenemem recall` finds it, in every conversation. With --session NAME it is
    for the agent in that session alone, and recall does not find it. What looks
    like a key or a password is never recalled.

    \b
      scenemem remember locale en_US
      scenemem remember --long dark_mode false
      scenemem remember --session trip hotel Aurora
    """
    from scenemem.base.secrets import is_secret
    from scenemem.cli.printing import printable
    from scenemem.memory import notebook_changes

    if not key.strip():
        raise click.UsageError("the key can't be empty")
    read = _value(value)
    with opened_memory(create=True) as db:
        if shared:
            notebook_changes.share(db, key, read, actor="cli")
        else:
            notebook_changes.remember(
                db, session, key, read, scope, actor="cli", recalled=session == SESSION
            )
    where = "all sessions" if shared else f"{session}, {scope} term"
    if not shared and session != SESSION:
        where += f"; only {session} sees it"
    elif is_secret(key, read):
        where += "; looks like a secret, so it is never recalled"
    click.echo(printable(f"{key} = {_shown(read)}  ({where})"))


@click.command()
@click.argument("key", required=False)
@click.option("--session", metavar="NAME", help="Only facts of this session.")
@click.option("--global", "shared", is_flag=True, help="Only values shared by all sessions.")
@click.option("--forget", "forget_", is_flag=True, help="Delete KEY from --session or --global.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def facts(
    key: str | None, session: str | None, shared: bool, forget_: bool, as_json_: bool
) -> None:
    """List the saved facts, or those under KEY, and the values all sessions share."""
    from scenemem.cli.printing import as_json, printable

    if shared and session is not None:
        raise click.UsageError("--global and --session can't be combined")
    if forget_:
        if key is None or (session is None and not shared):
            raise click.UsageError(
                f"give the key and its session ({SESSION} if you named none): "
                "facts KEY --session NAME --forget, or facts KEY --global --forget"
            )
        _forget_fact(key, session)
        return
    with opened_memory() as db:
        found = [] if shared else db.notebook.list_facts(session)
        common = {} if session is not None else db.notebook.list_globals()
    found = [fact for fact in found if key in (None, fact.key)]
    common = {name: value for name, value in common.items() if key in (None, name)}
    if as_json_:
        click.echo(as_json({"facts": [f._asdict() for f in found], "global": common}))
        return
    width = max((len(f.key) for f in found), default=0)
    for fact in found:
        where = click.style(printable(f"{fact.session}, {fact.scope} term"), dim=True)
        click.echo(f"{printable(f'{fact.key:{width}} = {_shown(fact.value)}')}  {where}")
    for name, value in common.items():
        where = click.style("all sessions", dim=True)
        click.echo(f"{printable(f'{name:{width}} = {_shown(value)}')}  {where}")
    if not found and not common:
        click.echo("Nothing is saved." if key is None else f"No {key!r} is saved.")


def _forget_fact(key: str, session: str | None) -> None:
    """Delete what is saved under a key, for a session or, without one, for all."""
    from scenemem.base.errors import NotFoundError
    from scenemem.cli.printing import printable
    from scenemem.memory.forgetting import forget_fact, forget_global

    with opened_memory() as db:
        if session is None:
            forget_global(db, key, actor="cli")
        else:
            found = [fact for fact in db.notebook.list_facts(session) if fact.key == key]
            if not found:
                raise NotFoundError(f"no {key!r} is saved in {session!r}")
            for fact in found:
                forget_fact(db, fact, actor="cli")
    where = "all sessions" if session is None else session
    click.echo(printable(f"Forgot {key} of {where}."))


@click.command()
@click.argument("note", nargs=-1)
@_session
@click.option("--forget", "forget_", metavar="ID", type=int, help="Delete the note with this id.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def jot(note: tuple[str, ...], session: str, forget_: int | None, as_json_: bool) -> None:
    """Write NOTE down; without NOTE, list the notes with their ids.

    `scenemem recall` finds it, in every conversation. With --session NAME, only
    that session sees it.
    """
    from scenemem.cli.printing import as_json, printable
    from scenemem.memory import notebook_changes

    if forget_ is not None:
        if note:
            raise click.UsageError("--forget takes an id and no NOTE")
        _forget_note(forget_)
        return
    text = " ".join(note)
    if note:
        if not text.strip():
            raise click.UsageError("a note can't be empty")
        with opened_memory(create=True) as db:
            notebook_changes.jot(db, session, text, actor="cli", recalled=session == SESSION)
        click.echo("Noted.")
        return
    with opened_memory() as db:
        notes = db.notebook.list_notes(session)
    if as_json_:
        click.echo(as_json([written._asdict() for written in notes]))
        return
    for written in notes:
        click.echo(f"{written.id:>4}  {written.at:%Y-%m-%d %H:%M}  {printable(written.note)}")
    if not notes:
        click.echo(printable(f"No notes in {session}."))


def _forget_note(note_id: int) -> None:
    from scenemem.memory.forgetting import forget_note

    with opened_memory() as db:
        forget_note(db, note_id, actor="cli")
    click.echo(f"Forgot note {note_id}.")


class _TakesNegativeNumbers(click.Command):
    """A command that reads -5 as a number and anything else with a dash as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.ignore_unknown_options = any(re.fullmatch(r"-\d+", word) for word in args)
        return super().parse_args(ctx, args)


@click.command(cls=_TakesNegativeNumbers)
@click.argument("name", required=False)
@click.argument("op", required=False, type=click.Choice(["inc", "dec", "get", "set", "reset"]))
@click.argument("amount", required=False, type=int)
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def counter(name: str | None, op: CounterOp | None, amount: int | None, as_json_: bool) -> None:
    """Count NAME up or down, or show the counters.

    \b
      scenemem counter                 show all counters
      scenemem counter coffee          show this one
      scenemem counter coffee inc 2    count up by 2
      scenemem counter coffee set 10   set it to 10
    """
    from scenemem.base.errors import NotFoundError
    from scenemem.cli.printing import as_json, printable
    from scenemem.memory.notebook_changes import count

    if op == "set" and amount is None:
        raise click.UsageError("set needs an amount: counter NAME set AMOUNT")
    if op in ("get", "reset") and amount is not None:
        raise click.UsageError(f"{op} takes no amount")
    with opened_memory(create=op not in (None, "get")) as db:
        if name is None:
            counts = db.notebook.list_counters()
        elif op in (None, "get"):
            standing = db.notebook.get_counter(name)
            if standing is None:
                raise NotFoundError(f"there is no counter {name!r} yet")
            counts = {name: standing}
        else:
            step = 1 if amount is None else amount
            try:
                counts = {name: count(db, name, op, step, actor="cli")}
            except ValueError as error:
                raise click.ClickException(str(error)) from error
    if as_json_:
        click.echo(as_json(counts))
        return
    for key, standing in counts.items():
        click.echo(printable(f"{key}  {standing}"))
    if not counts:
        click.echo("No counters yet.")


def _value(text: str) -> Any:
    """Parse the text as JSON if it is JSON; otherwise return it unchanged."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)  # anything JSON can't hold, such as 1e999, stays text
    except (ValueError, RecursionError):
        return text
    return value


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
