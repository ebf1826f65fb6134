"""A progress bar on a terminal says what it waits for."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.commands.output import ProgressBar
from bpe_studio.engine import progress_bar
from bpe_studio.engine.kernels import loader


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_while_kernels_are_compiled_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress_bar, "DELAY_S", 0)
    monkeypatch.setattr(loader, "_LOADED_AFTER_S", 0)
    monkeypatch.setattr(loader, "_ready", set())
    compiled = threading.Event()
    waiting = loader.compile_in_thread("some", lambda: compiled.wait(10) and None)
    with ProgressBar("Reading a.txt") as bar:
        next(waiting)
        bar.update(0, 10)
    assert (
        "Reading a.txt" in terminal.getvalue()
        and "compiling for this computer" in terminal.getvalue()
    )
    compiled.set()
    for _ in waiting:
        pass
    assert not loader.is_compiling()


@pytest.mark.usefixtures("few_characters")
def test_functions_show_a_bar_if_they_are_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_bar, "DELAY_S", 0)
    path = tmp_path / "text.txt"
    path.write_text("low lower lowest\n" * 500, encoding="utf-8")
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=265)
    for asked in (False, True):
        run = bpe.train(bpe.Corpus.from_files(path, config, progress=asked), progress=asked)
        bpe.doctor(run.tokenizer(), progress=asked)
        bpe.inspect(path, progress=asked)
        bpe.enough(path, config, progress=asked)
        bpe.extend(run.tokenizer(), ["hug hug"], 268, progress=asked)
        out, err = capsys.readouterr()
        for job in ("Reading", "Learning", "Examining", "Inspecting", "Training"):
            assert (job in err) == asked
        assert not out
