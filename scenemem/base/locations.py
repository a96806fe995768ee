"""Where memory files live: the platform's data folder, one file per agent.

An agent's name is data, never a path. The file name consists of the name's readable letters
followed by a short hash of the exact name. No name can therefore escape the folder or be a reserved
file name, and two names never share a file, even on a case-insensitive disk.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from scenemem.base.checks import path_given, str_given

__all__ = ["DEFAULT_AGENT", "agent_path", "data_folder"]

DEFAULT_AGENT = "default"
_UNSAFE = re.compile(r"[^a-z0-9]+")
_LONGEST = 40


def data_folder() -> Path:
    """The folder for memory files on this platform, which may not exist yet."""
    import platformdirs

    return Path(platformdirs.user_data_dir("scenemem", appauthor=False))


def agent_path(agent: str = DEFAULT_AGENT, folder: str | Path | None = None) -> Path:
    """The memory file of the named agent. Raises `ValueError` for an empty name."""
    str_given("agent", agent, empty=False)
    directory = data_folder() if folder is None else Path(path_given("folder", folder))
    if agent == DEFAULT_AGENT:
        return directory / "default.db"
    readable = _UNSAFE.sub("-", agent.lower()).strip("-")[:_LONGEST].strip("-")
    digest = hashlib.blake2b(agent.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return directory / (f"{readable}-{digest}.db" if readable else f"agent-{digest}.db")
