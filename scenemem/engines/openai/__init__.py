"""The model engine over any OpenAI-compatible server: requests, prompts, and replies read."""
