"""What reads and writes language for the memory: the protocol, and the engines behind it."""
