"""Wheel and sdist: what is in them, and that the wheel runs in a clean environment."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    return folder


def test_the_wheel_holds_schema_demo_and_type_marker(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert {"scenemem/demo.jsonl", "scenemem/py.typed"} <= names
        pages = {"base/display/theme.css", "explore/widget.css", "explore/widget.js"}
        assert {f"scenemem/{page}" for page in pages} <= names
        schema = archive.read("scenemem/store/sqlite/schema.sql")
        assert schema == (ROOT / "schema.sql").read_bytes()
        assert "scenemem/store/sqlite/steps/version_1.sql" in names
        assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive_:
        inside = {Path(name).relative_to(Path(name).parts[0]) for name in archive_.getnames()}
    wanted = {"schema.sql", "scenemem/store/sqlite/schema.sql", "README.md", "LICENSE"}
    wanted |= {"tests/conftest.py", "tests/files/article.sqlite", "tests/files/version-1.sqlite"}
    assert wanted <= {path.as_posix() for path in inside}


def test_the_installed_wheel_runs_on_its_own(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        str(wheel),
    ]
    subprocess.run(install, check=True)
    scenemem = tmp_path / "clean" / "bin" / "scenemem"
    done = subprocess.run(
        [scenemem, "demo"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "scenes" in done.stdout and done.stderr == ""
    module = [str(python), "-m", "scenemem", "--version"]
    version = subprocess.run(module, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert version.stdout.startswith("scenemem ")


def test_the_sdist_builds_the_same_wheel(distributions: Path, tmp_path: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--quiet",
        "-w",
        str(tmp_path),
        str(sdist),
    ]
    subprocess.run(build, check=True)
    (wheel,), (original,) = tmp_path.glob("*.whl"), distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(original) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
