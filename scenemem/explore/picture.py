"""Picture: a chart that displays itself in a notebook and can be saved, without any server.

JupyterLab draws the Vega-Lite specification itself, with tooltips and selections. Where that is not
possible, an SVG is shown instead, which follows the reader's light or dark setting. A saved HTML
page includes the drawing library. Nothing is ever loaded from the network.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scenemem.base.checks import number_given, path_given
from scenemem.base.display.palette import DARK_TYPES, EITHER_TYPES, LIGHT_TYPES
from scenemem.explore.axes import needed

if TYPE_CHECKING:
    import altair as alt

__all__ = ["DARK", "EITHER", "FORMATS", "LIGHT", "Picture", "Scheme", "as_script", "configuration"]

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
FORMATS = ("html", "svg", "png")
# The type JupyterLab draws itself; specifications use only what versions 5 and 6 share.
_NOTEBOOK_TYPE = "application/vnd.vegalite.v5+json"
_NOTEBOOK_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_LABELLED = re.compile(
    r'<(path|text) ([^>]*?aria-label="([^"]*)"[^>]*?)(?:/>|>(.*?)</\1>)', re.DOTALL
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:;
 style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
html {{ background: {light}; }}
body {{ margin: 0; padding: 8px; overflow-x: auto; }}
@media (prefers-color-scheme: dark) {{ html {{ background: {dark}; }} }}
#vg-tooltip-element {{ max-width: 34em; font: 12px/1.45 system-ui, sans-serif;
  white-space: pre-line; }}
#vg-tooltip-element table tr td.value {{ max-width: 28em; overflow: visible; white-space: normal;
  text-overflow: clip; }}
</style>
</head>
<body>
<main id="picture"></main>
<script>{library}</script>
<script>
const picture = {spec};
const schemes = {schemes};
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {{
  const config = schemes[dark.matches ? "dark" : "light"];
  const actions = {{ export: true, source: false, compiled: false, editor: false }};
  const tooltip = {{ theme: dark.matches ? "dark" : "light" }};
  vegaEmbed("#picture", {{ ...picture, config }}, {{ actions, tooltip, renderer: "svg" }});
}}
dark.addEventListener("change", draw);
draw();
</script>
</body>
</html>
"""


class Scheme(NamedTuple):
    """The colours for one background: text, lines, muted marks, cell types, score parts."""

    ground: str
    ink: str
    soft: str
    line: str
    quiet: str
    strong: str
    types: dict[str, str]
    parts: tuple[str, ...]  # of a score; the last two are spare


LIGHT = Scheme(
    ground="#ffffff",
    ink="#1f2328",
    soft="#59636e",
    line="#e3e7eb",
    quiet="#b4bcc4",
    strong="#0b5a92",
    types=LIGHT_TYPES,
    parts=("#0b5a92", "#6aaedb", "#4fb393", "#c28ab0", "#d99a2b", "#8f86c9", "#7d8a99", "#c2703d"),
)
DARK = Scheme(
    ground="#16191d",
    ink="#e6edf3",
    soft="#9da7b3",
    line="#2b3138",
    quiet="#545d68",
    strong="#7cc0f0",
    types=DARK_TYPES,
    parts=("#7cc0f0", "#3f7fae", "#3c9c7c", "#a86f96", "#c48a2a", "#7d74b8", "#8b98a7", "#b0633a"),
)

# For an unknown background, such as a notebook's, which may be light or dark.
EITHER = Scheme(
    ground="transparent",
    ink="#7b838c",
    soft="#7b838c",
    line="rgba(128, 136, 144, 0.22)",
    quiet="rgba(128, 136, 144, 0.6)",
    strong="#3b8fd0",
    types=EITHER_TYPES,
    parts=("#2e79b5", "#79b8e0", "#3fa585", "#b67fa5", "#cf9228", "#867dc0", "#84919f", "#b96a3b"),
)


def configuration(scheme: Scheme) -> dict[str, Any]:
    """Vega-Lite's `config` for this scheme; pictures name colours only through styles."""
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


class Picture:
    """A chart of a memory. `chart` is the altair chart, which you can change or combine."""

    def __init__(self, chart: alt.TopLevelMixin, title: str) -> None:
        self.chart = chart
        self.title = title

    def __repr__(self) -> str:
        return f"<Picture {self.title!r}>"

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification including its data, without colours or fonts."""
        # A picture includes its data, however the user has configured altair.
        with needed("altair").data_transformers.enable("default", max_rows=None):
            spec: dict[str, Any] = self.chart.to_dict()
        spec.pop("config", None)
        return spec

    def save(self, path: str | Path) -> Path:
        """Write the picture to `path` as .html, .svg or .png, by its suffix; return the path.

        The HTML page is self-contained and has tooltips; HTML and SVG follow the reader's light or
        dark setting. Raises `ValueError` for any other suffix.
        """
        path = Path(path_given("path", path))
        ending = path.suffix.lower().removeprefix(".")
        if ending not in FORMATS:
            known = ", ".join(f".{name}" for name in FORMATS)
            raise ValueError(f"the suffix of path must be one of {known}, got {path.name!r}")
        if ending == "png":
            path.write_bytes(self.png())
        else:
            path.write_text(self.html() if ending == "html" else self.svg(), "utf-8")
        return path

    def html(self) -> str:
        """The picture as a self-contained HTML page."""
        schemes = {"light": configuration(LIGHT), "dark": configuration(DARK)}
        return _PAGE.format(
            title=escape(self.title),
            light=LIGHT.ground,
            dark=DARK.ground,
            library=needed("vl_convert").javascript_bundle(),
            spec=as_script(self.spec),
            schemes=as_script(schemes),
        )

    def svg(self) -> str:
        """The picture as SVG in both schemes, with tooltips on its marks."""
        svg: str = needed("vl_convert").vegalite_to_svg(
            self.spec | {"config": configuration(LIGHT)}
        )
        return _in_both_schemes(_with_tooltips(svg))

    def png(self, *, scale: float = 2.0) -> bytes:
        """The picture as a light PNG; `scale` is pixels per point."""
        number_given("scale", scale, 0.1, 20)
        drawn: bytes = needed("vl_convert").vegalite_to_png(
            self.spec | {"config": configuration(LIGHT)}, scale=scale
        )
        return drawn

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        drawn = self.spec | {"$schema": _NOTEBOOK_SCHEMA, "config": configuration(EITHER)}
        return {
            _NOTEBOOK_TYPE: drawn,
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }


def as_script(value: Any) -> str:
    """JSON that is safe inside a page's script: nothing in it can end the script or begin one."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _with_tooltips(svg: str) -> str:
    """The SVG with each mark's description as its title, which browsers show as a tooltip."""
    return _LABELLED.sub(
        lambda m: f"<{m[1]} {m[2]}><title>{m[3]}</title>{m[4] or ''}</{m[1]}>", svg
    )


def _in_both_schemes(svg: str) -> str:
    """The SVG with a style sheet that maps the light scheme's colours to the dark ones."""
    pairs = dict(zip(_colours(LIGHT), _colours(DARK), strict=True))
    rules = "".join(
        f'.scenemem-picture [{name}="{light}"]{{{name}:{dark}}}'
        for light, dark in pairs.items()
        for name in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    opening, _, rest = svg.partition(">")
    marked = re.sub(r'class="', 'class="scenemem-picture ', opening, count=1)
    return f"{marked}>{style}{rest}"


def _colours(scheme: Scheme) -> list[str]:
    ground, ink, soft, line, quiet, strong, types, parts = scheme
    return [ground, ink, soft, line, quiet, strong, *types.values(), *parts]
