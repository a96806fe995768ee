"""Which words of a question a text holds, in whatever forms; pure."""

from __future__ import annotations

from collections.abc import Collection

from scenemem.base.marking import marked_spans

__all__ = ["words_matched"]


def words_matched(text: str, terms: Collection[str]) -> tuple[str, ...]:
    """Those of `terms` that `text` has, in the order of the question."""
    return tuple(term for term in dict.fromkeys(terms) if marked_spans(text, [term]))
