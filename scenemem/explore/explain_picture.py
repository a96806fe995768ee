"""Explain a recall: how each hit's score is made up, and which word matched what.

Three views side by side share the hits as rows. A score is a sum of evidence multiplied by factors;
the bars show each part of the sum after multiplication, so that they add up to the score. Each word
of the question has a column that shows the word as it appears in the hit, or in italics if it
appears in a neighbouring message.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scenemem.base.checks import memory_given, str_given
from scenemem.base.text import shorten
from scenemem.explore.axes import chart_of, empty_chart, needed
from scenemem.explore.picture import Picture
from scenemem.memory.memory_db import MemoryDB
from scenemem.retrieval.marking import marked_spans
from scenemem.retrieval.question import Question
from scenemem.retrieval.recall import recall
from scenemem.retrieval.recollection import Hit
from scenemem.retrieval.weights import EVIDENCE, FACTORS

__all__ = ["asked_words", "explain", "part_shares"]

_AROUND = 2  # messages before and after that count as neighbours
_ROW = 30
_WORDS_SHOWN = 8


def explain(db: MemoryDB, query: str, **narrowed: Any) -> Picture:
    """Draw why each hit of a recall was found; `narrowed` is passed on to `recall`."""
    memory_given(db)
    str_given("query", query)
    alt = needed("altair")
    found = recall(db, query, **narrowed)
    if not found.hits:
        title = f"Nothing remembered matches “{shorten(query, 80)}”"
        return Picture(empty_chart(alt, title, "Nothing relevant was said."), title)
    title = f"What speaks for each hit of “{shorten(query, 80)}”"
    rows = [f"{rank}" for rank in range(1, len(found.hits) + 1)]
    words = asked_words(found.question) if found.question else {}
    views = [_score_view(alt, found.hits, rows)]
    if matches := _matches(db, found.hits, rows, words):
        views.append(_words_view(alt, matches, rows, list(words)[:_WORDS_SHOWN]))
    if factors := _factors(found.hits, rows):
        views.append(_factors_view(alt, factors, rows))
    note = "Bars add up to the score. Words as they appear in the hit; italic: in its neighbours."
    chart = alt.hconcat(*views, spacing=14).properties(title=alt.TitleParams(title, subtitle=note))
    return Picture(chart.resolve_scale(color="independent"), title)


def part_shares(parts: dict[str, float]) -> dict[str, float]:
    """What each part of the sum contributes to the score, with the factors multiplied in."""
    factor = 1.0
    for name in FACTORS:
        factor *= parts[name]
    return {name: parts[name] * factor for name in EVIDENCE}


def asked_words(question: Question) -> dict[str, tuple[str, ...]]:
    """The words of the question, each with the other words that count as the same."""
    forms: dict[int, list[str]] = {}
    for term in question.terms:
        if term.kind != "phrase":
            forms.setdefault(term.concept, []).extend(term.text.split())
    return {listed[0]: tuple(listed) for listed in forms.values()}


def _matches(
    db: MemoryDB, hits: Sequence[Hit], rows: Sequence[str], words: dict[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """For each hit and word of the question, the word as the hit or a neighbour has it."""
    nearby = {number for hit in hits for number in _nearby_ids(hit)}
    said = db.sessions.get_messages(nearby, redacted=True)
    values = []
    for row, hit in zip(rows, hits, strict=True):
        sessions = {said[number].session for number in hit.sources if number in said}
        near = [
            said[n].content for n in _nearby_ids(hit) if n in said and said[n].session in sessions
        ]
        for word, forms in list(words.items())[:_WORDS_SHOWN]:
            own = _first_match(hit.text, forms)
            found = own or next((m for text in near if (m := _first_match(text, forms))), "")
            if found:
                values.append({"row": row, "word": word, "as": found, "own": bool(own)})
    return values


def _nearby_ids(hit: Hit) -> list[int]:
    """The ids of a hit's messages and of those around them, nearest first."""
    if not hit.sources:
        return []
    first, last = hit.sources[0], hit.sources[-1]
    steps = [number for step in range(1, _AROUND + 1) for number in (first - step, last + step)]
    return [*hit.sources, *steps]


def _first_match(text: str, forms: Sequence[str]) -> str:
    spans = marked_spans(text, forms)
    return text[spans[0][0] : spans[0][1]] if spans else ""


def _factors(hits: Sequence[Hit], rows: Sequence[str]) -> list[dict[str, Any]]:
    """The factors that are not 1 for every hit."""
    telling = [name for name in FACTORS if any(abs(hit.parts[name] - 1) > 1e-9 for hit in hits)]
    return [
        {"row": row, "factor": name, "times": round(hit.parts[name], 3)}
        for row, hit in zip(rows, hits, strict=True)
        for name in telling
    ]


def _row_channel(alt: Any, rows: Sequence[str]) -> Any:
    return alt.Y("row:N", sort=list(rows), title=None, axis=None)


def _score_view(alt: Any, hits: Sequence[Hit], rows: Sequence[str]) -> Any:
    """Each hit's text with its score bar below it; both start at the left edge."""
    headlines = json.dumps({row: _headline(hit) for row, hit in zip(rows, hits, strict=True)})
    y = alt.Y("row:N", sort=list(rows), title=None).axis(
        labelExpr=f"({headlines})[datum.value]",
        labelAlign="left",
        labelPadding=0,
        labelOffset=-7,
        labelLimit=0,
        labelFontSize=12,
        grid=False,
        zindex=1,
    )
    # Without an embedder, meaning contributes nothing and is left out of the legend.
    used = [name for name in EVIDENCE if name != "meaning" or any(hit.parts[name] for hit in hits)]
    values = [
        {"row": row, "part": EVIDENCE[name], "share": round(share, 4), "text": hit.text}
        | {"order": place}
        for row, hit in zip(rows, hits, strict=True)
        for place, (name, share) in enumerate(part_shares(hit.parts).items())
        if name in used
    ]
    x = alt.X("share:Q", title=None, axis=None).scale(domain=[0, hits[0].score * 1.12])
    bars = (
        chart_of(alt, values)
        .mark_bar(height=9, yOffset=7)
        .encode(
            x,
            y,
            color=alt.Color("part:N", title="what the score is made of")
            .scale(domain=[EVIDENCE[name] for name in used], range="ordinal")
            .legend(orient="bottom", direction="horizontal", symbolType="square"),
            order="order:O",
            tooltip=["text:N", "part:N", "share:Q"],
        )
    )
    scores = [
        {"row": row, "score": round(hit.score, 2)} for row, hit in zip(rows, hits, strict=True)
    ]
    numbers = (
        chart_of(alt, scores)
        .mark_text(style="sm-soft", align="left", dx=5, dy=7, tooltip=None)
        .encode(alt.X("score:Q"), y, text=alt.Text("score:Q", format=".2f"))
    )
    return (bars + numbers).properties(width=430, height=_ROW * len(rows))


def _headline(hit: Hit) -> str:
    where = hit.scene or "said in conversation"
    return f"{shorten(hit.text, 56)}   [{shorten(where, 18)}]"


def _words_view(
    alt: Any, values: list[dict[str, Any]], rows: Sequence[str], words: list[str]
) -> Any:
    # Columns are numbered and labels padded with spaces, because Vega would take a word such as
    # "constructor" for a member of its objects.
    columns = [f"{place}" for place in range(len(words))]
    numbered = [value | {"column": f"{words.index(value['word'])}"} for value in values]
    label = f"({json.dumps([f' {word} ' for word in words])})[+datum.value]"
    base = chart_of(alt, numbered).encode(
        alt.X("column:N", sort=columns, title="word of the question")
        .scale(domain=columns)
        .axis(orient="top", labelAngle=0, labelLimit=84, grid=False, labelExpr=label),
        _row_channel(alt, rows),
    )
    texts = [
        base.transform_filter(f"datum.own === {str(own).lower()}")
        .mark_text(style="sm-found" if own else "sm-faint", limit=84)
        .encode(text="as:N")
        for own in (True, False)
    ]
    return alt.layer(*texts).properties(width=88 * len(words), height=_ROW * len(rows))


def _factors_view(alt: Any, values: list[dict[str, Any]], rows: Sequence[str]) -> Any:
    names = list(dict.fromkeys(value["factor"] for value in values))
    base = chart_of(alt, values).encode(
        alt.X("factor:N", sort=names, title="times")
        .scale(domain=names)
        .axis(orient="top", labelAngle=0, grid=False),
        _row_channel(alt, rows),
    )
    texts = base.mark_text(style="sm-soft").encode(text=alt.Text("times:Q", format=".2f"))
    return texts.properties(width=62 * len(names), height=_ROW * len(rows))
