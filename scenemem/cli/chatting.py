"""`scenemem chat`: a conversation in the terminal, with the memory at hand."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import click

from scenemem.cli import printing
from scenemem.cli.opening import chosen_engine, opened_memory
from scenemem.errors import SceneMemError
from scenemem.text import shorten

if TYPE_CHECKING:
    from scenemem.agent import WorkerAgent
    from scenemem.tools import ForgetRequest

_HELP = """\
/recall WORDS   what the memory holds about them
/facts          what this session has saved, and its notes
/scenes         the scenes
/history        this session's messages
/forget WORDS   remove cells for good; shows them and asks first
/compact        condense this session's older messages now
/quit           leave (or Ctrl-D)
Ctrl-C stops an answer. A line that begins with // is said with one slash."""
_SHOWN = 4  # messages of a resumed session


@click.command()
@click.option("--session", metavar="NAME", default="chat", show_default=True)
def chat(session: str) -> None:
    """Talk with the agent; every exchange is remembered, and a session is resumed by its name."""
    from scenemem.agent import WorkerAgent
    from scenemem.manager import MemoryManager

    with opened_memory(create=True) as db:
        manager = MemoryManager(db, chosen_engine())
        agent = WorkerAgent(db, manager, may_forget=_may_forget)
        _greet(agent, session)
        for line in _lines():
            text = line.strip()
            if text in ("/quit", "/exit", "/q"):
                break
            if text.startswith("/") and not text.startswith("//"):
                _command(agent, session, text)
            elif text:
                _answer(agent, session, text[1:] if text.startswith("//") else text)


def _greet(agent: WorkerAgent, session: str) -> None:
    if not sys.stdin.isatty():
        return
    found = agent.db.sessions.get_session(session)
    if found is None or not found.messages:
        click.echo(click.style(f"A new session, {session}. /help lists the commands.", dim=True))
        return
    last = agent.db.sessions.list_messages(session, limit=_SHOWN, last=True)
    click.echo(
        click.style(
            f"{session}, {printing.counted(found.messages, 'message')}. /help lists the commands.",
            dim=True,
        )
    )
    for message in last:
        if message.content and message.role in ("user", "assistant"):
            said = shorten(message.content, printing.page_width() - 12)
            click.echo(click.style(f"  {message.speaker}: {said}", dim=True))


def _lines() -> Iterator[str]:
    """The lines that are typed, with editing where Python has it; without a terminal, stdin's."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):  # Windows has none
        importlib.import_module("readline")  # once it is loaded, input() edits lines
    while True:
        try:
            yield input("> ")
        except EOFError:
            click.echo()
            return


def _answer(agent: WorkerAgent, session: str, text: str) -> None:
    """Print the answer as it comes; Ctrl-C stops it, and what was shown is kept as the answer."""
    try:
        with closing(agent.answer_stream(text, session)) as pieces:
            for piece in pieces:
                click.echo(piece, nl=False)
        click.echo()
    except KeyboardInterrupt:
        click.echo(click.style(" (stopped)", dim=True))
    except SceneMemError as error:
        click.echo()
        click.echo(f"Error: {error}", err=True)


def _command(agent: WorkerAgent, session: str, text: str) -> None:
    name, _, rest = text.partition(" ")
    commands: dict[str, Callable[[WorkerAgent, str, str], None]] = {
        "/recall": _recall,
        "/facts": _facts,
        "/scenes": _scenes,
        "/history": _history,
        "/forget": _forget,
        "/compact": _compact,
        "/help": lambda *_: click.echo(_HELP),
    }
    if name not in commands:
        click.echo(f"There is no command {name}; /help lists them.", err=True)
        return
    try:
        commands[name](agent, session, rest.strip())
    except SceneMemError as error:
        click.echo(f"Error: {error}", err=True)


def _recall(agent: WorkerAgent, session: str, query: str) -> None:
    from scenemem.recollection import recall

    if not query:
        click.echo("/recall takes the words to look for.", err=True)
        return
    for line in printing.recollection_lines(recall(agent.db, query)):
        click.echo(line)


def _facts(agent: WorkerAgent, session: str, _: str) -> None:
    sessions = agent.db.sessions
    facts = sessions.list_facts(session)
    notes = sessions.list_notes(session)
    for fact in facts:
        scope = click.style(f"{fact.scope} term", dim=True)
        click.echo(f"{fact.key} = {printing.as_json(fact.value)}  {scope}")
    for note in notes:
        click.echo(f"{note.at:%Y-%m-%d %H:%M}  {note.note}")
    if not facts and not notes:
        click.echo("Nothing is saved in this session.")


def _scenes(agent: WorkerAgent, session: str, _: str) -> None:
    scenes = agent.db.list_scenes()
    for scene in scenes:
        click.echo(printing.scene_heading(scene))
    if not scenes:
        click.echo("No scenes yet.")


def _history(agent: WorkerAgent, session: str, _: str) -> None:
    for message in agent.db.sessions.list_messages(session):
        if message.content:
            click.echo(f"{message.at:%Y-%m-%d %H:%M}  {message.speaker}: {message.content}")


def _forget(agent: WorkerAgent, session: str, query: str) -> None:
    from scenemem.recollection import recall

    cells = recall(agent.db, query).cells if query else ()
    if not cells:
        click.echo(
            f"Nothing remembered matches {query!r}."
            if query
            else "/forget takes the words to look for.",
            err=True,
        )
        return
    gone = [
        cell.id
        for cell in cells
        if _asked(f"Forget “{shorten(cell.content, printing.page_width() - 20)}” for good?")
    ]
    if gone:
        done = agent.manager.forget(cells=gone, actor="cli")
        click.echo(
            f"Forgot {printing.counted(len(done.cells), 'cell')}, "
            f"blanked {printing.counted(done.messages, 'message')}."
        )


def _compact(agent: WorkerAgent, session: str, _: str) -> None:
    done = agent.compactor.compact(session)
    if done is None:
        click.echo("Nothing to condense yet.")
        return
    click.echo(
        f"Condensed {printing.counted(done.messages, 'message')}: about "
        f"{done.tokens_before:,} tokens are now {done.tokens_after:,}."
    )


def _may_forget(request: ForgetRequest) -> bool:
    """Ask the person at the terminal; without one, nothing is forgotten."""
    for cell in request.cells:
        click.echo(printing.cell_line(cell))
    for fact in request.facts:
        click.echo(f"  {fact.key} = {printing.as_json(fact.value)}")
    return _asked("The model wants to forget this for good. Allow it?")


def _asked(question: str) -> bool:
    if not sys.stdin.isatty():
        click.echo(f"{question} There is no terminal to ask at: no.", err=True)
        return False
    try:
        return click.confirm(question)
    except click.Abort:
        return False
