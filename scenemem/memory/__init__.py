"""The memory of one agent: intake, extraction, scenes, forgetting, files in and out."""
