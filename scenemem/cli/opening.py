"""Choose the memory file, the engine and the embedder of a command, and open the memory."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from scenemem.base.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scenemem.cli import Choices
    from scenemem.engines.engine import Engine
    from scenemem.memory.memory_db import MemoryDB
    from scenemem.retrieval.embedding import Embedder

EMBEDDED = "embedded"
STATIC = "static"
DEFAULT_MODEL = "gpt-4o-mini"  # if there is a key but no model is named


def _choices() -> Choices:
    choices: Choices = click.get_current_context().find_root().obj
    return choices


def memory_path() -> str:
    """The memory file chosen by the options and the environment."""
    database, agent, *_ = _choices()
    root = click.get_current_context().find_root()
    given = click.core.ParameterSource.COMMANDLINE
    if database and agent and root.get_parameter_source("database") is not given:
        database = None  # an option overrides the environment
    elif database and agent and root.get_parameter_source("agent") is not given:
        agent = None
    if database == "":
        raise click.UsageError("--database is empty")
    if database and agent:
        raise click.UsageError("--database and --agent can't be combined")
    if database:
        return database
    from scenemem.base.locations import DEFAULT_AGENT, agent_path

    try:
        return str(agent_path(DEFAULT_AGENT if agent is None else agent))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def opened_memory(*, create: bool = False) -> Iterator[MemoryDB]:
    """Open the memory; without `create`, a missing file is an error."""
    from scenemem.memory.memory_db import MemoryDB

    path = memory_path()
    if not create and not os.path.exists(path):
        raise DatabaseError(
            f"there is no memory at {path} yet; create one with `scenemem ingest FILE`, "
            "or try `scenemem demo`"
        )
    with MemoryDB(path, embedder=chosen_embedder()) as db:
        yield db


def chosen_embedder() -> Embedder | None:
    """The embedder chosen by the options and the environment, or None."""
    name, base_url = _choices().embedder, _choices().base_url
    if name is None:
        return None
    if name == STATIC:
        from scenemem.retrieval.embedding import StaticEmbedder

        return StaticEmbedder()
    key = os.environ.get("OPENAI_API_KEY") or None
    if base_url is None and key is None:
        raise click.UsageError(
            f"the embedder {name!r} needs OPENAI_API_KEY, or your own server with --base-url; "
            f"{STATIC!r} needs neither"
        )
    from scenemem.engines.openai.embedder import ServerEmbedder

    return ServerEmbedder(name, base_url=base_url, api_key=key)


def chosen_engine() -> Engine:
    """The engine chosen by the options and the environment.

    Without a model, a server or a key, it is the embedded engine, with a note on stderr.
    """
    _, _, model, base_url, _ = _choices()
    key = os.environ.get("OPENAI_API_KEY") or None
    if model is None and base_url is None and key is None:
        click.echo(
            "(no model chosen: the embedded engine answers; -m embedded hides this)", err=True
        )
    if model == EMBEDDED or (model is None and base_url is None and key is None):
        from scenemem.engines import default_engine

        return default_engine()
    if base_url is None and key is None:
        raise click.UsageError(
            f"the model {model!r} needs OPENAI_API_KEY, or your own server with --base-url"
        )
    if base_url is not None and model is None:
        raise click.UsageError(f"choose a model on {base_url} with --model")
    from scenemem.engines.openai.chat import OpenAIChat
    from scenemem.engines.openai.engine import ModelEngine

    return ModelEngine(OpenAIChat(model or DEFAULT_MODEL, base_url=base_url, api_key=key))


class Instant(click.ParamType[datetime]):
    """A day or time: 2026-11-29, 2026-11-29T18:00, today, yesterday; UTC unless it has a zone."""

    name = "WHEN"

    def __init__(self, *, end: bool = False) -> None:
        self.end = end  # whether a day means its end

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        text = str(value).strip().lower()
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        days = {"today": today, "yesterday": today - timedelta(days=1)}
        try:
            at = days.get(text) or datetime.fromisoformat(text.upper())
        except ValueError:
            self.fail(f"{value!r} is not a day or time; write 2026-11-29 or 2026-11-29T18:00")
        is_day = text in days or len(text) == len("2026-11-29")
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
        try:
            return at + timedelta(days=1) if is_day and self.end else at
        except OverflowError:  # the end of the calendar
            return at
