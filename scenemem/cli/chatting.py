"""`scenemem chat`: talk with the agent in the terminal."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

import click

from scenemem.base.errors import SceneMemError
from scenemem.base.text import shorten
from scenemem.cli import printing
from scenemem.cli.opening import chosen_engine, opened_memory
from scenemem.cli.printing import printable

if TYPE_CHECKING:
    from scenemem.agent.agent import WorkerAgent
    from scenemem.agent.tools import ForgetRequest
    from scenemem.base.records import Cell
    from scenemem.base.session_records import Fact, Note
    from scenemem.memory.memory_db import MemoryDB

_HELP = """\
/recall WORDS   search the memory
/facts          show this session's facts and notes
/scenes         list the scenes
/history        show this session's messages
/forget WORDS   permanently delete matching cells, facts and notes; asks for each
/compact        condense this session's older messages now
/quit           leave (or Ctrl-D)
Ctrl-C stops an answer or clears the line; press it again on an empty line to leave.
Start a line with // to send a message that begins with a slash."""
_SHOWN = 4  # last messages shown when a session is resumed


@click.command()
@click.option("--session", metavar="NAME", default="chat", show_default=True)
def chat(session: str) -> None:
    """Talk with the agent. Resumes the named session; every exchange is remembered."""
    from scenemem.agent.agent import WorkerAgent
    from scenemem.memory.manager import MemoryManager

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
        new = printable(f"A new session, {session}. /help lists the commands.")
        click.echo(click.style(new, dim=True))
        return
    last = agent.db.sessions.list_messages(session, limit=_SHOWN, last=True)
    click.echo(
        click.style(
            f"{printable(session)}, {printing.counted(found.messages, 'message')}. "
            "/help lists the commands.",
            dim=True,
        )
    )
    for message in last:
        if message.content and message.role in ("user", "assistant"):
            said = shorten(message.content, printing.page_width() - 12)
            click.echo(click.style(f"  {printable(f'{message.speaker}: {said}')}", dim=True))


def _lines() -> Iterator[str]:
    """Lines typed by the user, with editing if Python has readline; else the lines of stdin."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):  # not on Windows
        importlib.import_module("readline")  # importing it makes input() editable
    was_stopped = False
    while True:
        try:
            yield input("> ")
            was_stopped = False
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:
            if was_stopped and not _typed():
                raise
            was_stopped = True
            click.echo()


def _typed() -> str:
    """The text typed so far on the current line."""
    line = sys.modules.get("readline")
    return line.get_line_buffer() if line else ""


def _answer(agent: WorkerAgent, session: str, text: str) -> None:
    """Print the answer as it arrives; Ctrl-C stops it and keeps what was shown as the answer."""
    try:
        with closing(agent.answer_stream(text, session)) as pieces:
            for piece in pieces:
                click.echo(printable(piece), nl=False)
        click.echo()
    except KeyboardInterrupt:
        click.echo(click.style(" (stopped)", dim=True))
    except SceneMemError as error:
        click.echo()
        click.echo(printable(f"Error: {error}"), err=True)


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
        click.echo(printable(f"Unknown command {name}; /help lists the commands."), err=True)
        return
    try:
        commands[name](agent, session, rest.strip())
    except KeyboardInterrupt:
        click.echo(click.style(" (stopped)", dim=True))
    except SceneMemError as error:
        click.echo(printable(f"Error: {error}"), err=True)


def _recall(agent: WorkerAgent, session: str, query: str) -> None:
    from scenemem.retrieval.recall import recall

    if not query:
        click.echo("/recall needs words to search for.", err=True)
        return
    for line in printing.recollection_lines(recall(agent.db, query)):
        click.echo(line)


def _facts(agent: WorkerAgent, session: str, _: str) -> None:
    facts = agent.db.notebook.list_facts(session)
    notes = agent.db.notebook.list_notes(session)
    for fact in facts:
        scope = click.style(f"{fact.scope} term", dim=True)
        click.echo(f"{_fact_line(fact)}  {scope}")
    for note in notes:
        click.echo(f"{note.at:%Y-%m-%d %H:%M}  {printable(note.note)}")
    if not facts and not notes:
        click.echo("Nothing is saved in this session.")


def _scenes(agent: WorkerAgent, session: str, _: str) -> None:
    scenes = agent.db.scenes.list_scenes()
    for scene in scenes:
        click.echo(printing.scene_heading(scene))
    if not scenes:
        click.echo("No scenes yet.")


def _history(agent: WorkerAgent, session: str, _: str) -> None:
    for message in agent.db.sessions.list_messages(session):
        if message.content:
            said = printable(f"{message.speaker}: {message.content}")
            click.echo(f"{message.at:%Y-%m-%d %H:%M}  {said}")


def _forget(agent: WorkerAgent, session: str, query: str) -> None:
    if not query:
        click.echo("/forget needs words to search for.", err=True)
        return
    meant = _matches(agent.db, session, query)
    if not any(meant):
        click.echo(printable(f"Nothing remembered matches {query!r}."), err=True)
        return
    cells = [cell for cell in meant.cells if _confirms_forgetting(cell.content)]
    facts = [fact for fact in meant.facts if _confirms_forgetting(_fact_line(fact))]
    notes = [note for note in meant.notes if _confirms_forgetting(note.note)]
    if cells or facts or notes:
        click.echo(_forget_all(agent, _Meant(cells, facts, notes)))


class _Meant(NamedTuple):
    """What the user wants to forget."""

    cells: Sequence[Cell]
    facts: Sequence[Fact]
    notes: Sequence[Note]


def _matches(db: MemoryDB, session: str, query: str) -> _Meant:
    """The cells, and the session's facts and notes, that contain a word of the query.

    Recall finds more, such as neighbours of a match, which the user did not mean.
    """
    from scenemem.retrieval.marking import marked_spans
    from scenemem.retrieval.recall import recall

    found = recall(db, query)

    def has_a_word(text: str) -> bool:
        return bool(marked_spans(text, found.terms))

    facts = db.notebook.list_facts(session)
    return _Meant(
        [cell for cell in found.cells if has_a_word(cell.content)],
        [f for f in facts if has_a_word(f"{f.key} {f.key.replace('_', ' ')} {f.value}")],
        [note for note in db.notebook.list_notes(session) if has_a_word(note.note)],
    )


def _confirms_forgetting(text: str) -> bool:
    shown = printable(shorten(text, printing.page_width() - 20))
    return _confirmed(f"Forget “{shown}” for good?")


def _forget_all(agent: WorkerAgent, meant: _Meant) -> str:
    """Forget all of it; some may have been deleted already, with others that said the same."""
    from scenemem.memory.forgetting import forget_fact, forget_note

    gone = []
    if meant.cells:
        gone.append(agent.manager.forget(cells=[c.id for c in meant.cells], actor="cli"))
    for fact in meant.facts:
        if agent.db.notebook.get_fact(fact.session, fact.key, fact.scope) is not None:
            gone.append(forget_fact(agent.db, fact, actor="cli", reader=agent.manager.fallback))
    for note in meant.notes:
        if any(left.id == note.id for left in agent.db.notebook.list_notes(note.session)):
            gone.append(forget_note(agent.db, note.id, actor="cli", reader=agent.manager.fallback))
    cells = sum(len(forgotten.cells) for forgotten in gone)
    messages = sum(forgotten.messages for forgotten in gone)
    named = ((cells, "cell"), (len(meant.facts), "fact"), (len(meant.notes), "note"))
    counts = [printing.counted(number, noun) for number, noun in named if number]
    return f"Forgot {', '.join(counts)}, blanked {printing.counted(messages, 'message')}."


def _fact_line(fact: Fact) -> str:
    return printable(f"{fact.key} = {printing.as_json(fact.value)}")


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
    """Ask the user; without a terminal, refuse."""
    for cell in request.cells:
        click.echo(printing.cell_line(cell))
    for fact in request.facts:
        click.echo(f"  {_fact_line(fact)}")
    return _confirmed("The model wants to forget this for good. Allow it?")


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        click.echo(f"{question} No: there is no terminal to ask on.", err=True)
        return False
    try:
        return click.confirm(question)
    except click.Abort:
        return False
