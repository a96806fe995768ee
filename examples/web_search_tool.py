"""A custom tool: `@agent.tool` lets the model call a Python function.

    python examples/web_search_tool.py
    python examples/web_search_tool.py --model NAME [--base-url URL]

The function's name, docstring and annotations tell the model what it does and which arguments it
takes. Arguments are validated before the call, and if the function raises, the model gets the
error. The web search here is a stub that knows three pages. Without `--model`, a scripted model
runs offline: it searches for the question and answers with the result.
"""

from __future__ import annotations

import argparse

from scenemem import MemoryDB, MemoryManager, ModelEngine, OpenAIChat, WorkerAgent
from scenemem.engines.openai.chat import ChatModel, Completion
from scenemem.testing import Request, ScriptedModel, cells_json, tool_call

QUESTION = "How high is the Eiffel Tower?"
PAGES = {
    "Eiffel Tower": "a lattice tower in Paris, finished in 1889. It is 330 metres high.",
    "Brooklyn Bridge": "a bridge in New York, opened in 1883. Its main span is 486 metres long.",
    "Lake Constance": "a lake between three countries. At its deepest it has 251 metres.",
}


def searching_agent(db: MemoryDB, chat: ChatModel) -> WorkerAgent:
    """An agent with a web search tool in addition to the built-in tools."""
    agent = WorkerAgent(db, MemoryManager(db, ModelEngine(chat)))

    @agent.tool
    def web_search(query: str) -> str:
        """Search the web for a few words and return the text of the best matching page."""
        # A stub. Replace it with a call to a real search service.
        for title, text in PAGES.items():
            if title.lower() in query.lower():
                return f"{title}: {text}"
        return "No page was found."

    return agent


def play(request: Request) -> str | Completion:
    """The scripted model: search for the question, then answer with the result."""
    if request.purpose != "reply":
        return cells_json()  # an extraction request: nothing to keep
    if request.messages[-1]["role"] == "tool":
        return f"I have looked it up. {request.last}"
    return Completion("", tool_calls=(tool_call("web_search", query=request.last),))


def main() -> None:
    """Ask a question and print the tool calls that led to the answer."""
    parser = argparse.ArgumentParser(description="A custom tool.")
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--model", help="an OpenAI-compatible model, as its server names it")
    parser.add_argument("--base-url", help="the server's URL (default: OpenAI's)")
    options = parser.parse_args()
    chat: ChatModel = ScriptedModel(answer=play)
    if options.model:
        chat = OpenAIChat(options.model, base_url=options.base_url)
    with MemoryDB(":memory:") as db:
        answer = searching_agent(db, chat).agent_step(options.question, "example")
        print(f"you:   {options.question}")
        for message in db.sessions.list_messages("example"):
            for call in message.tool_calls:
                print(f"calls: {call['function']['name']} {call['function']['arguments']}")
            if message.role == "tool":
                print(f"gets:  {message.content}")
        print(f"agent: {answer}")


if __name__ == "__main__":
    main()
