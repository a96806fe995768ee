"""The README is true: every block runs, and prints what the README says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEST_COMMAND = "pip install -e '.[test]' && python -m pytest"


def blocks() -> Iterator[tuple[str, str, str | None]]:
    """Each block of code with the text block behind it, which is its output."""
    found = _BLOCK.findall(README.read_text())
    for (language, code), behind in zip(found, [*found[1:], ("", "")], strict=True):
        if language != "text":
            yield language, code, behind[1] if behind[0] == "text" else None


def run_shell(code: str) -> str:
    printed = ""
    for line in code.splitlines():
        command = line.removeprefix("pip install . && ")  # installing is tested with the packages
        words = shlex.split(command)
        assert words[0] == "scenemem"
        done = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"COLUMNS": "100"},
        )
        printed += done.stdout
    return printed


def run_python(code: str, namespace: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), namespace)
    return out.getvalue()


def test_every_block_of_the_readme_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    outputs = 0
    for language, code, expected in blocks():
        if code.strip() == TEST_COMMAND:
            continue  # the command that runs this test
        printed = run_shell(code) if language == "sh" else run_python(code, namespace)
        if expected is not None:
            assert printed == expected, f"the README shows another output of:\n{code}"
            outputs += 1
    assert outputs >= 6


def test_the_test_command_stands_where_ci_reads_it() -> None:
    lines = README.read_text().splitlines()
    assert lines[lines.index("<!-- test command -->") + 2] == TEST_COMMAND
