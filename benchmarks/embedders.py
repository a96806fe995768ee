"""The embedders that `--embedder` can add to the memory in the recall benchmarks.

`static` is scenemem's own, from the extra `dense`. `minilm` is all-MiniLM-L6-v2, wrapped in
`CallableEmbedder` and set up as in the peer of the same name.
"""

from __future__ import annotations

import argparse

import peer_systems

from scenemem.retrieval.embedding import CallableEmbedder, Embedder, StaticEmbedder

__all__ = ["add_option", "made"]

NAMES = ("static", "minilm")


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--embedder`, which defaults to no embedder."""
    parser.add_argument("--embedder", choices=NAMES, help="also recall by meaning")


def made(name: str | None) -> Embedder | None:
    """The embedder with that name, or None if no name is given."""
    if name == "minilm":
        vectors = peer_systems.minilm()
        return CallableEmbedder(vectors.name, vectors.embed)
    return StaticEmbedder() if name else None
