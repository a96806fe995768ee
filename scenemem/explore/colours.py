"""The colours and the typography of the pictures, in light and in dark.

The six types have the colours of Okabe and Ito's palette (2008), which people with any common
colour blindness tell apart, a little darker or lighter where the ground asks for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scenemem.base.records import CELL_TYPES

__all__ = [
    "DARK",
    "EITHER",
    "LIGHT",
    "Scheme",
    "configuration",
]

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Scheme(NamedTuple):
    """The colours of one ground: of text, of lines, of marks that stand back, of the types."""

    ground: str
    ink: str
    soft: str
    line: str
    quiet: str
    strong: str
    types: dict[str, str]
    parts: tuple[str, ...]  # of a score


def _types(*colours: str) -> dict[str, str]:
    return dict(zip(CELL_TYPES, colours, strict=True))


LIGHT = Scheme(
    ground="#ffffff",
    ink="#1f2328",
    soft="#59636e",
    line="#e3e7eb",
    quiet="#b4bcc4",
    strong="#0b5a92",
    types=_types("#0072b2", "#4aa3d8", "#b8629a", "#00855f", "#b97700", "#c8500a"),
    parts=("#0b5a92", "#6aaedb", "#4fb393", "#c28ab0", "#d99a2b", "#8f86c9"),
)
DARK = Scheme(
    ground="#16191d",
    ink="#e6edf3",
    soft="#9da7b3",
    line="#2b3138",
    quiet="#545d68",
    strong="#7cc0f0",
    types=_types("#58a6e0", "#8ccbf0", "#df9cc6", "#3dc79b", "#eaae3c", "#f0834a"),
    parts=("#7cc0f0", "#3f7fae", "#3c9c7c", "#a86f96", "#c48a2a", "#7d74b8"),
)

# For a ground that is not known: a notebook's, which may be light or dark.
EITHER = Scheme(
    ground="transparent",
    ink="#7b838c",
    soft="#7b838c",
    line="rgba(128, 136, 144, 0.22)",
    quiet="rgba(128, 136, 144, 0.6)",
    strong="#3b8fd0",
    types=_types("#2e86c1", "#6cb6e6", "#c274a6", "#199b75", "#cf8b17", "#dd6a2c"),
    parts=("#2e79b5", "#79b8e0", "#3fa585", "#b67fa5", "#cf9228", "#867dc0"),
)


def configuration(scheme: Scheme) -> dict[str, Any]:
    """Vega-Lite's `config` for this scheme; pictures themselves name no colour but by style."""
    return {
        "background": scheme.ground,
        "font": FONT,
        "padding": 16,
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "color": scheme.ink,
            "fontSize": 16,
            "fontWeight": 600,
            "subtitleColor": scheme.soft,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "offset": 14,
            "frame": "group",
        },
        "axis": {
            "domain": False,
            "ticks": False,
            "gridColor": scheme.line,
            "labelColor": scheme.soft,
            "labelFontSize": 11,
            "labelPadding": 6,
            "titleColor": scheme.soft,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
        },
        "axisY": {"labelColor": scheme.ink},
        "legend": {
            "labelColor": scheme.ink,
            "labelFontSize": 11,
            "titleColor": scheme.soft,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 0,
        },
        "header": {"labelColor": scheme.ink, "titleColor": scheme.soft},
        "range": {"category": list(scheme.types.values()), "ordinal": list(scheme.parts)},
        "style": {
            "sm-label": {"color": scheme.ink, "fill": scheme.ink, "fontSize": 11},
            "sm-soft": {"color": scheme.soft, "fill": scheme.soft, "fontSize": 11},
            "sm-found": {"color": scheme.strong, "fontSize": 11, "fontWeight": 600},
            "sm-faint": {"color": scheme.soft, "fontStyle": "italic", "fontSize": 11},
            "sm-line": {"color": scheme.line, "stroke": scheme.line},
            "sm-ink": {"color": scheme.ink, "stroke": scheme.ink},
            "sm-quiet": {"color": scheme.quiet, "stroke": scheme.quiet},
            "sm-quiet-fill": {"color": scheme.quiet, "fill": scheme.quiet},
            "sm-merge": {"color": scheme.types["task"], "stroke": scheme.types["task"]},
            "sm-merge-fill": {"color": scheme.types["task"], "fill": scheme.types["task"]},
            "sm-strong": {"color": scheme.strong, "stroke": scheme.strong},
            "sm-strong-fill": {"color": scheme.strong, "fill": scheme.strong},
        },
    }
