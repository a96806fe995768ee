"""Recall: from the user's words to a ranked, dated context."""
