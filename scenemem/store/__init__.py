"""The memory file: all SQL, behind one door."""
