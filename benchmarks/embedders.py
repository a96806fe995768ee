"""The embedders that the recall benchmarks can give a memory, with `--embedder`.

`static` is scenemem's own, of the extra `dense`; `minilm` is all-MiniLM-L6-v2, as its peer has it,
through `CallableEmbedder`.
"""

from __future__ import annotations

import argparse

import peer_systems

from scenemem.retrieval.embedding import CallableEmbedder, Embedder, StaticEmbedder

__all__ = ["add_option", "made"]

NAMES = ("static", "minilm")


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option `--embedder`: none by default."""
    parser.add_argument("--embedder", choices=NAMES, help="recall by likeness of meaning too")


def made(name: str | None) -> Embedder | None:
    """The embedder of that name; None without a name."""
    if name == "minilm":
        vectors = peer_systems.minilm()
        return CallableEmbedder(vectors.name, vectors.embed)
    return StaticEmbedder() if name else None
