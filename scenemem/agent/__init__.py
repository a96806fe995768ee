"""The agent that answers: prompt, tools, compaction."""
