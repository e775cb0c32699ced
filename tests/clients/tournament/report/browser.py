"""A page as a browser shows it."""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

from tests.servers import required_program

CHROMIUM = "/usr/bin/chromium"
_SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)
# The page lies in a frame of just the width that is asked for; a window has a least width. It is not changed, so that
# its own policy holds in the frame, but for that all that is folded is opened before it is measured.
_FRAME = """<!doctype html>
<meta charset="utf-8">
<iframe id="frame" style="width:{width}px;height:900px;border:0" srcdoc="{page}"></iframe>
<pre id="seen"></pre>
<script>
window.onload = () => {{
  const view = frame.contentWindow, page = frame.contentDocument;
  const handles = element => [...element.attributes].some(attribute => attribute.name.startsWith("on"));
  page.querySelectorAll("details").forEach(folded => folded.open = true);
  for (const key of {keys}) page.body.dispatchEvent(new view.KeyboardEvent("keydown", {{ key, bubbles: true }}));
  seen.textContent = JSON.stringify({{
    width: view.innerWidth,
    needed: page.documentElement.scrollWidth,
    text: page.body.textContent,
    shown: page.body.innerText,
    scripts: page.scripts.length,
    handlers: [...page.querySelectorAll("*")].filter(handles).length,
    requests: view.performance.getEntriesByType("resource").map(entry => entry.name),
  }});
}};
</script>
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a browser makes of a page.

    Attributes:
        width: how wide its window is, in pixels.
        needed: how wide the page is.
        text: all of its text.
        shown: the text that is not hidden.
        scripts: how many scripts it has.
        handlers: how many of its elements would do something by script.
        requests: what it asked for.
    """

    width: int
    needed: int
    text: str
    shown: str
    scripts: int
    handlers: int
    requests: list[str]


def seen(page: str, width: int, home: Path, keys: Sequence[str] = ()) -> Seen:
    """Shows a page and presses keys; `home` is an empty folder for the browser."""
    frame = home / "frame.html"
    frame.write_text(_FRAME.format(width=width, page=escape(page), keys=json.dumps(keys)), encoding="utf-8")
    command = [required_program(CHROMIUM, "chromium"), *_SWITCHES, f"--user-data-dir={home / 'profile'}"]
    run = subprocess.run(
        [*command, "--virtual-time-budget=10000", "--dump-dom", frame.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    told = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.DOTALL)
    assert told, run.stdout[-1000:]
    values: dict[str, Any] = json.loads(unescape(told[1]))
    return Seen(**values)
