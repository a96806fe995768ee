"""The explorer widget: it answers the page's requests from the memory, without a server."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from scenemem.base.checks import memory_given, str_given
from scenemem.base.display import stylesheet
from scenemem.base.errors import DatabaseError
from scenemem.explore.answering import answer_to, overview
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.recall import recall

__all__ = ["Explorer", "explore", "script", "style"]


def script() -> str:
    """The JavaScript side of the widget, as one module without imports."""
    return files("scenemem.explore").joinpath("widget.js").read_text("utf-8")


def style() -> str:
    """The widget's CSS; it shares colours and cells with the other displays."""
    own = files("scenemem.explore").joinpath("widget.css").read_text("utf-8")
    return f"{stylesheet()}\n{own}"


class Explorer(anywidget.AnyWidget):
    """A widget that shows and queries one memory; `explore(db)` creates it.

    `ask` and `answer` are the input and output of `answering.answer_to`; setting `ask` queries.
    """

    _esm = script()
    _css = style()
    memory = traitlets.Dict().tag(sync=True)
    ask = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(self, db: MemoryDB, query: str = "") -> None:
        ask: dict[str, Any] = {"query": query, "number": 0}
        super().__init__(memory=overview(db), ask=ask, answer=answer_to(db, ask))
        self._db = db

    def __repr__(self) -> str:
        return f"<Explorer of {self._db.path.name}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        shown, metadata = bundle
        # Where widgets can't be shown, show the query and its results as HTML.
        query = self.ask.get("query", "")
        try:
            still = (recall(self._db, query) if query else self._db)._repr_html_()
        except DatabaseError:  # closed meanwhile; the widget says so on the next query
            return shown, metadata
        return shown | {"text/html": still}, metadata

    @traitlets.observe("ask")
    def _on_ask(self, change: dict[str, Any]) -> None:
        if hasattr(self, "_db"):
            self.answer = answer_to(self._db, change["new"])


def explore(db: MemoryDB, query: str = "") -> Explorer:
    """A query box with live recall over `db`, filters by type, scene and time, and the messages
    behind each hit. `query` is run immediately."""
    memory_given(db)
    str_given("query", query)
    return Explorer(db, query)
