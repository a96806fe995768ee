"""Two sessions share one memory, but each has its own notebook, which it fills through tool calls.

    python examples/session_demo.py
    python examples/session_demo.py --model NAME [--base-url URL]

Session A stores a long-term fact, then asks for it and for the result of a calculation. Session B
stores two short-term settings, then asks for one of them and for A's fact, which it cannot see
because the fact is in A's notebook. Without `--model`, the embedded engine answers: no key, no
network.
"""

from __future__ import annotations

import argparse

from scenemem import EmbeddedEngine, MemoryDB, MemoryManager, ModelEngine, OpenAIChat, WorkerAgent

STEPS = (
    ("A", "Please remember my favorite model is gpt-4. Use a tool to store it (long term)."),
    ("A", "What is my favorite model? And calculate 12*(8+5)."),
    ("B", "Set my locale to en_US and time format to 24h (short term)."),
    ("B", "What is my favorite model? and What locale did I set?"),
)


def main() -> None:
    """Run the four steps, then print both notebooks."""
    parser = argparse.ArgumentParser(description="Two sessions, one memory.")
    parser.add_argument("--model", help="an OpenAI-compatible model, as its server names it")
    parser.add_argument("--base-url", help="the server's URL (default: OpenAI's)")
    options = parser.parse_args()
    engine = (
        ModelEngine(OpenAIChat(options.model, base_url=options.base_url))
        if options.model
        else EmbeddedEngine()
    )
    with MemoryDB(":memory:") as db:  # a path keeps it: MemoryDB("agent.db")
        agent = WorkerAgent(db, MemoryManager(db, engine))
        for session, user_input in STEPS:
            print(f"[{session}] you:   {user_input}")
            print(f"[{session}] agent: {agent.agent_step(user_input, session)}\n")
        for session in ("A", "B"):
            print(f"The notebook of session {session}:")
            for fact in db.notebook.list_facts(session):
                print(f"  {fact.key} = {fact.value!r} ({fact.scope} term)")


if __name__ == "__main__":
    main()
