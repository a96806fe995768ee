"""`scenemem recall`: query the memory from the shell."""

from __future__ import annotations

from datetime import datetime

import click

from scenemem.base.cell_types import CELL_TYPES, CellType, types_in_words
from scenemem.cli.opening import Instant, opened_memory


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1_000_000_000),
    help="Show at most this many hits.  [default: 10]",
)
@click.option(
    "-b",
    "--budget",
    type=click.IntRange(1, 1_000_000_000),
    metavar="TOKENS",
    help="Print the context for a prompt, within this many tokens.",
)
@click.option("--scene", metavar="NAME", help="Only from this scene (any spelling).")
@click.option(
    "--type",
    "cell_type",
    type=click.Choice(CELL_TYPES),
    help=f"Only cells of this type: {types_in_words()}.",
)
@click.option("--session", metavar="NAME", help="Only what was said in this session.")
@click.option("--since", type=Instant(), help="Only what was said on or after this day.")
@click.option("--until", type=Instant(end=True), help="Only what was said on or before this day.")
@click.option("--as-of", type=Instant(end=True), help="What was true at the end of this day.")
@click.option("--explain", is_flag=True, help="Show the parts of each hit's score.")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def recall(
    query: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    scene: str | None,
    cell_type: CellType | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
    as_of: datetime | None,
    explain: bool,
    as_json_: bool,
) -> None:
    """Recall scenes and cells relevant to QUERY, which can be any text.

    Put -- before text that starts with a dash.
    """
    from scenemem.cli import printing
    from scenemem.retrieval.recall import recall as recall_from

    with opened_memory() as db:
        found = recall_from(
            db,
            " ".join(query),
            limit=limit,
            scene=scene,
            cell_type=cell_type,
            session=session,
            since=since,
            until=until,
            as_of=as_of,
        )
    if as_json_:
        context = {"context": found.render(budget)} if budget else {}
        parts = {"explain": found.explain()} if explain else {}
        click.echo(printing.as_json(found.as_dict() | context | parts))
    elif budget:
        nothing = "(nothing matches)" if not found.hits else f"(nothing fits in {budget} tokens)"
        click.echo(printing.printable(found.render(budget)) or nothing)
    elif explain:
        for hit in found.hits:
            click.echo(printing.hit_line(hit, found.terms))
            parts_ = "  ".join(f"{name} {value:.2f}" for name, value in hit.parts.items() if value)
            click.echo(click.style(f"{'':15}= {hit.score:.2f}: {parts_}", dim=True))
    else:
        for line in printing.recollection_lines(found):
            click.echo(line)
