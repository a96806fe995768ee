"""The command line: click commands that parse arguments, call the library, and print.

This is the only place that reads environment variables. A command's file is loaded only when the
command is called, so that `scenemem recall` starts about as fast as click itself. Exit codes: 0, 1
with one sentence on stderr, 2 for wrong usage. A closed pipe or Ctrl-C ends it quietly.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any, NamedTuple

import click

from scenemem import __version__
from scenemem.base.errors import SceneMemError

__all__ = ["main", "scenemem"]

# Command: (module, short help). The help is here so that listing commands loads no module.
_COMMANDS = {
    "ingest": ("ingesting", "Read conversations from files into the memory."),
    "recall": ("recalling", "Recall scenes and cells by full text."),
    "ask": ("asking", "Ask the agent; the exchange is remembered."),
    "chat": ("chatting", "Talk with the agent; resumes the named session."),
    "scenes": ("scenes", "List the scenes."),
    "scene": ("scenes", "Show one scene: its summary and its cells."),
    "cells": ("scenes", "List the cells."),
    "plot": ("plotting", "Draw the memory: timeline, growth, map, explain, change."),
    "sessions": ("sessions", "List the sessions."),
    "history": ("sessions", "Show a session's messages verbatim."),
    "compact": ("sessions", "Condense a session's older messages into its summary."),
    "remember": ("notebook", "Save a fact, for recall to find."),
    "facts": ("notebook", "List the saved facts."),
    "jot": ("notebook", "Add a note, or list the notes."),
    "counter": ("notebook", "Count something, or show the counters."),
    "forget": ("forgetting", "Permanently delete cells or a scene."),
    "embed": ("embedding", "Embed waiting messages for recall by meaning."),
    "extract": ("upkeep", "Extract waiting turns and update stale summaries."),
    "status": ("upkeep", "Show what the memory holds and what is waiting."),
    "doctor": ("upkeep", "Check the file and repair its full-text index."),
    "backup": ("upkeep", "Write a consistent copy, even while in use."),
    "export": ("upkeep", "Write everything as JSON lines."),
    "usage": ("upkeep", "Show model calls and tokens."),
    "log": ("upkeep", "Show changes to the memory, newest first."),
    "path": ("upkeep", "Print the path of the memory file."),
    "demo": ("demo", "Try it out on a conversation that ships with scenemem."),
}

# What is there instead of something that was not found is shown by these commands.
_LISTED_BY = {"scene": "scenes", "cell": "cells", "session": "sessions", "note": "jot"}


class Choices(NamedTuple):
    """The choices made by options and the environment, for all commands."""

    database: str | None
    agent: str | None
    model: str | None
    base_url: str | None
    embedder: str | None = None


class _LazyGroup(click.Group):
    """A group that imports its commands when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"scenemem.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0] if args else "", _COMMANDS, n=1)
            if near:
                raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from error
            raise


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-d",
    "--database",
    metavar="FILE",
    envvar="SCENEMEM_DATABASE",
    help="The memory file.  [env: SCENEMEM_DATABASE; default: in the data folder]",
)
@click.option(
    "--agent",
    metavar="NAME",
    envvar="SCENEMEM_AGENT",
    help="The agent; each has its own file in the data folder.  [env: SCENEMEM_AGENT]",
)
@click.option(
    "-m",
    "--model",
    metavar="NAME",
    envvar="SCENEMEM_MODEL",
    help="The model to use, or 'embedded' for none.  [env: SCENEMEM_MODEL]",
)
@click.option(
    "--base-url",
    metavar="URL",
    envvar="OPENAI_BASE_URL",
    help="An OpenAI-compatible server, such as http://localhost:11434/v1.  [env: OPENAI_BASE_URL]",
)
@click.option(
    "--embedder",
    metavar="NAME",
    envvar="SCENEMEM_EMBEDDER",
    help="Also recall by meaning: 'static' or a server's model.  [env: SCENEMEM_EMBEDDER]",
)
@click.version_option(
    __version__, "--version", prog_name="scenemem", message="%(prog)s %(version)s"
)
@click.pass_context
def scenemem(
    ctx: click.Context,
    database: str | None,
    agent: str | None,
    model: str | None,
    base_url: str | None,
    embedder: str | None,
) -> None:
    """Episodic memory for LLM agents: turns conversations into scenes and recalls them.

    Everything is in one SQLite file. No key or server is needed.

    \b
      scenemem demo                          see it work
      scenemem ingest chat.jsonl             remember a conversation
      scenemem recall "where did we meet?"   recall it
    """
    ctx.obj = Choices(database, agent, model, base_url, embedder or None)


def main() -> None:
    """Run the command line; ends with `SystemExit`."""
    if sys.stdout is None:  # the shell has closed it: there is nobody to print for
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    out = sys.stdout
    try:
        sys.exit(_run())
    except BrokenPipeError:
        # The reader has closed the pipe. Python would raise again when it flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo("Error: the output can't be written, since its disk is full", err=True)
        sys.exit(1)
    except SystemExit as stop:
        # On a closed pipe, click replaces stdout by a silent stream and exits with 1.
        sys.exit(stop.code if sys.stdout is out else 0)


def _run() -> int:
    try:
        code: Any = scenemem.main(standalone_mode=False, prog_name="scenemem")
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoSuchOption as error:
        hint = f"{error.message} Put -- before text that starts with a dash."
        click.UsageError(hint, error.ctx).show()
        return 2
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo(err=True)
        return 130
    except SceneMemError as error:
        from scenemem.cli.printing import printable  # it may contain text from a server

        command = _LISTED_BY.get(getattr(error, "kind", None) or "")
        listed = f"; `scenemem {command}` lists them" if command else ""
        click.echo(printable(f"Error: {error}{listed}"), err=True)
        return 1
    except click.exceptions.Exit as stop:
        return stop.exit_code
