"""A progress bar on a terminal says what it waits for."""

from __future__ import annotations

import io
import threading

import pytest

from bpe_studio.commands.output import ProgressBar
from bpe_studio.engine.kernels import loader


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_while_kernels_are_compiled_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(loader, "_LOADED_AFTER_S", 0)
    monkeypatch.setattr(loader, "_ready", set())
    compiled = threading.Event()
    waiting = loader.compile_in_thread("some", lambda: compiled.wait(10) and None)
    with ProgressBar("Reading a.txt") as bar:
        next(waiting)
        bar.update(0, 10)
    assert "Reading a.txt" in terminal.getvalue() and "compiling for this computer" in terminal.getvalue()
    compiled.set()
    for _ in waiting:
        pass
    assert not loader.is_compiling()
