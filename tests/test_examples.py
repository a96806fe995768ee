"""The examples run as they stand, without a warning, and give the right answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from scripted_server import Act, Received, ScriptedServer, says, tool_call

from scenemem.testing import cells_json

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: str, folder: Path) -> str:
    """What an example prints, run in an empty folder with warnings as errors."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONWARNINGS": "error", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(folder.iterdir()) == [], "an example leaves nothing behind"
    return done.stdout


def answers_of(printed: str, session: str) -> list[str]:
    """What the agent answered in a session of the demo."""
    begin = f"[{session}] agent: "
    return [line.removeprefix(begin) for line in printed.splitlines() if line.startswith(begin)]


def notebook_of(printed: str, session: str) -> set[str]:
    """What the demo shows of a session's notebook in the end."""
    shown = printed.partition(f"The notebook of session {session}:\n")[2]
    return {line.strip() for line in shown.partition("The notebook")[0].splitlines()}


NOTEBOOKS = {
    "A": {"favorite_model = 'gpt-4' (long term)"},
    "B": {"locale = 'en_US' (short term)", "time_format = '24h' (short term)"},
}


def check_demo(printed: str) -> None:
    """A knows its model and the sum; B knows its locale and nothing of A's notebook."""
    a, b = answers_of(printed, "A"), answers_of(printed, "B")
    assert len(a) == len(b) == 2
    assert "gpt-4" in a[1] and "156" in a[1]
    assert "en_US" in b[1] and "gpt-4" not in "".join(b)
    assert {session: notebook_of(printed, session) for session in "AB"} == NOTEBOOKS


def test_the_session_demo_gives_the_right_answers_with_the_embedded_engine(tmp_path: Path) -> None:
    check_demo(run("session_demo.py", folder=tmp_path))


DEMO_CALLS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "Please remember": [
        ("remember", {"key": "favorite_model", "value": "gpt-4", "scope": "long"}),
    ],
    "calculate": [
        ("recall", {"key": "favorite_model"}),
        ("calculator", {"expression": "12*(8+5)"}),
    ],
    "Set my locale": [
        ("remember", {"key": "locale", "value": "en_US"}),
        ("remember", {"key": "time_format", "value": "24h"}),
    ],
    "What locale": [("recall", {"key": "favorite_model"}), ("recall", {"key": "locale"})],
}


def calls_tools(received: Received) -> Act:
    """A model that calls what a step of the demo asks for, then answers with the results alone."""
    if not received.body.get("tools"):
        return says(cells_json())
    messages = received.messages
    if messages[-1]["role"] == "tool":
        asked = max(n for n, message in enumerate(messages) if message["role"] == "user")
        return says(" | ".join(m["content"] for m in messages[asked:] if m["role"] == "tool"))
    wanted = next(calls for words, calls in DEMO_CALLS.items() if words in messages[-1]["content"])
    made = [
        tool_call(name, json.dumps(arguments), f"call_{number}")
        for number, (name, arguments) in enumerate(wanted)
    ]
    return says(None, tool_calls=made)


def test_the_session_demo_gives_the_right_answers_with_a_model_that_calls_tools(
    tmp_path: Path,
) -> None:
    with ScriptedServer(act=calls_tools) as server:
        model = ["--model", "tiny", "--base-url", server.base_url]
        check_demo(run("session_demo.py", *model, folder=tmp_path))
    assert {received.body["model"] for received in server.requests} == {"tiny"}


def test_the_web_search_is_called_offline_and_its_page_is_answered_with(tmp_path: Path) -> None:
    lines = run("web_search_tool.py", folder=tmp_path).splitlines()
    asked, called, found, answered = lines
    assert asked == "you:   How high is the Eiffel Tower?"
    assert called.startswith("calls: web_search {") and "Eiffel Tower" in called
    assert found.startswith("gets:  Eiffel Tower:")
    assert answered.startswith("agent: ") and "330 metres" in answered
    other = run("web_search_tool.py", "Who is Brunhild?", folder=tmp_path)
    assert "No page was found." in other and "metres" not in other


def test_a_model_is_told_of_the_web_search_by_its_docstring(tmp_path: Path) -> None:
    def searches(received: Received) -> Act:
        if not received.body.get("tools"):
            return says(cells_json())
        if received.messages[-1]["role"] == "tool":
            return says(f"Found: {received.messages[-1]['content']}")
        return says(None, tool_calls=[tool_call("web_search", '{"query": "lake constance"}')])

    with ScriptedServer(act=searches) as server:
        model = ["--model", "tiny", "--base-url", server.base_url]
        printed = run("web_search_tool.py", "How deep is it?", *model, folder=tmp_path)
    assert "agent: Found: Lake Constance: " in printed and "251 metres" in printed
    offered = {
        tool["function"]["name"]: tool["function"] for tool in server.requests[0].body["tools"]
    }
    assert offered["web_search"]["description"].startswith("Search the web")
    assert list(offered["web_search"]["parameters"]["properties"]) == ["query"]
