"""What exploring needs beside the package itself, said in one sentence when it is missing."""

from __future__ import annotations

from functools import partial

from scenemem.base import extras
from scenemem.base.extras import MissingExtraError

__all__ = ["MissingExtraError", "needed"]

needed = partial(extras.needed, extra="notebook")
