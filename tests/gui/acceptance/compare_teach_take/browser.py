"""A headless Chromium that is driven by its own protocol: it opens a page, presses keys and clicks as a person does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bpe_studio._system import browser

CHROMIUM = browser()
# A browser reads commands at its descriptor 3 and answers at 4.
_BEGIN = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 20) for each in sys.argv[1:3]]
for at, end in zip((3, 4), ends):
    os.dup2(end, at)
os.execv(sys.argv[3], sys.argv[3:])
"""
_KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35}


class Browser:
    """One page in a browser of its own.

    Args:
        folder: where it may keep what it needs.
        page: the file to open.
    """

    def __init__(self, folder: Path, page: Path) -> None:
        commands, answers = os.pipe(), os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        inner = (str(commands[0]), str(answers[1]))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN, *inner, str(CHROMIUM), *flags, "about:blank"],
            pass_fds=(commands[0], answers[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands[0])
        os.close(answers[1])
        self._commands = os.fdopen(commands[1], "wb", 0)
        self._answers = os.fdopen(answers[0], "rb")
        self._n, self._session = 0, ""
        self.events: list[dict[str, Any]] = []
        found = self._send("Target.getTargets")["targetInfos"]
        page_id = next(each["targetId"] for each in found if each["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=page_id, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._send(f"{domain}.enable")
        self._send("Page.navigate", url=page.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        self._send("Input.dispatchKeyEvent", type="keyDown", **code)
        self._send("Input.dispatchKeyEvent", type="keyUp", **code)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.ask(f"[{box}.x + {box}.width / 2, {box}.y + {box}.height / 2]")
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def close(self) -> None:
        """End it."""
        self._session = ""
        self._send("Browser.close")
        self._process.wait(20)
        self._commands.close()
        self._answers.close()

    def _send(self, method: str, **params: Any) -> Any:
        self._n += 1
        message: dict[str, Any] = {"id": self._n, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._n:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        found = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser ended"
            found += byte
        answer: dict[str, Any] = json.loads(found)
        return answer
