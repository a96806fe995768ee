"""The process of the command line: `python -m scenemem`, and the command `scenemem`."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["start"]


def start() -> None:
    """Run the command line and end the process; nothing comes after it."""
    # Loading modules makes many objects and no garbage: looking for it takes a tenth of a start.
    gc.set_threshold(100_000)
    from scenemem.cli import main

    try:
        main()
    except SystemExit as stop:
        _end(stop)


def _end(stop: SystemExit) -> None:
    """End at once: taking the interpreter down, module by module, takes as long as a recall.

    By now the memory is closed, and what was printed is flushed here. With threads still running,
    or an exit that has something to say, Python ends in its own way.
    """
    threads = sys.modules.get("threading")
    if not isinstance(stop.code, int) or (threads is not None and threads.active_count() > 1):
        raise stop
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(stop.code)


if __name__ == "__main__":
    start()
