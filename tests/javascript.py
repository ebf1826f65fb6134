"""Runs JavaScript in headless Chromium if it is installed, and otherwise in node."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_PAGE = """<!doctype html><meta charset="utf-8"><pre id="found">nothing</pre>
<script id="data" type="application/json">{data}</script>
<script>{source}</script>
<script>
const run = () => {{ const data = JSON.parse(document.getElementById("data").textContent); {script} }};
const shown = () => {{ try {{ return JSON.stringify(run()); }} catch (error) {{ return "FAILED " + error.stack; }} }};
document.getElementById("found").textContent = shown();
</script>"""


@cache
def browser() -> str | None:
    """Chromium, by whatever name it is installed."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def run_javascript(
    folder: Path, source: str, script: str, data: Any, timeout_s: float = 300
) -> Any:
    """What a script returns, as JSON values.

    Args:
        folder: where a page may be written.
        source: scripts that run before.
        script: the body of a function; `data` is a name in it.
        data: JSON values.
        timeout_s: how long it may take.
    """
    content = json.dumps(data).replace("<", "\\u003c")
    if (chromium := browser()) is not None:
        page = folder / "page.html"
        page.write_text(_PAGE.format(data=content, source=source, script=script), encoding="utf-8")
        command = [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder / 'profile'}",
        ]
        command += ["--dump-dom", page.as_uri()]
        shown = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=timeout_s, check=True
        ).stdout
        found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
        assert found is not None, shown[:500]
        answer = html.unescape(found[1])
        assert not answer.startswith("FAILED"), answer
        return json.loads(answer)
    if (node := shutil.which("node")) is None:
        pytest.skip("neither Chromium nor node is installed")
    (folder / "data.json").write_text(content, encoding="utf-8")
    program = folder / "program.js"
    program.write_text(
        f"{source}\nconst data = JSON.parse(require('fs').readFileSync('data.json'));\n"
        f"process.stdout.write(JSON.stringify((() => {{ {script} }})()));",
        encoding="utf-8",
    )
    command = [node, str(program)]
    return json.loads(
        subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout_s,
            check=True,
        ).stdout
    )
