"""The model engine, over any OpenAI-compatible server."""
