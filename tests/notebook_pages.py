"""A notebook's outputs as one page that loads nothing, and a browser that tells what it did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

VEGA = "application/vnd.vegalite.v5+json"
SHOWN = ("text/html", "image/svg+xml", "text/plain")  # what is shown of an output, the best first

_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>{title}</title>
<style>body {{ max-width: 70em; margin: 2em auto; font: 15px/1.5 system-ui, sans-serif; }}
pre {{ overflow: auto; }} table {{ font-size: 12px; }}</style>
{body}
<script>{library}</script>
<script>
for (const place of document.querySelectorAll("[data-picture]")) {{
  vegaEmbed(place, JSON.parse(place.dataset.picture), {{ renderer: "svg", actions: false }});
}}
</script>
"""


def page_of(notebook: Any, title: str, library: str) -> str:
    """The notebook as HTML; pictures are drawn by `library`, as JupyterLab draws them."""
    body = "".join(_cell(cell) for cell in notebook.cells)
    return _PAGE.format(title=escape(title), body=body, library=library)


def _cell(cell: Any) -> str:
    source = f"<pre>{escape(cell.source)}</pre>"
    return source + "".join(_output(output) for output in cell.get("outputs", []))


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return f"<pre>{escape(output.text)}</pre>"
    found = output.get("data", {})
    if VEGA in found:
        # The data stays that of version 5; the library reads 5 and 6, and would warn of the name.
        picture = {key: value for key, value in found[VEGA].items() if key != "$schema"}
        return f'<div data-picture="{escape(json.dumps(picture))}"></div>'
    kind = next(kind for kind in SHOWN if kind in found)
    return f"<pre>{escape(found[kind])}</pre>" if kind == "text/plain" else f"{found[kind]}"


def browser_path() -> str | None:
    """The Chromium of this machine, or None."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return found if found and shutil.which("chromedriver") else None


@contextmanager
def browser(*, dark: bool = False) -> Iterator[Chrome]:
    """A headless Chromium that keeps its console and its requests."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = browser_path() or ""
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "window-size=1100,1400"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()


def complaints(driver: Chrome) -> list[str]:
    """What the page wrote to the console, and what it asked of the network."""
    said = [f"{entry['level']}: {entry['message']}" for entry in _log(driver, "browser")]
    events = [json.loads(entry["message"])["message"] for entry in _log(driver, "performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    own = ("file:", "data:", "blob:")
    return said + [url for url in asked if not url.startswith(own)]


def _log(driver: Chrome, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = driver.execute("getLog", {"type": kind})["value"]
    return entries
