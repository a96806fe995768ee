"""What is written into a prompt or onto a page: text made inert, and a day in words. Pure."""

from __future__ import annotations

import re
from datetime import datetime

__all__ = ["day_in_words", "without_marks"]

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:memory|session))", re.IGNORECASE)


def without_marks(text: str) -> str:
    """Text that can neither open nor close the marks that data stands between in a prompt."""
    return _DELIMITER.sub("‹", text)


def day_in_words(at: datetime) -> str:
    """A day as people write it: 8 May 2023."""
    return f"{at.day} {at:%b} {at.year}"
