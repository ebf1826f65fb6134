"""`bpe-studio worksheet`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Studio

TEXT = (
    "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
)


@pytest.mark.usefixtures("qapp")
def test_the_command(studio: Studio) -> None:
    Path("a.txt").write_text(TEXT, encoding="utf-8")
    outcome = studio("worksheet", "a.txt", "--merges", "3", "-o", "sheet.pdf", "--paper", "a4")
    assert outcome.status == 0 and "3 merges" in outcome.err
    assert Path("sheet.pdf").read_bytes().startswith(b"%PDF")
    assert "no more" in studio("worksheet", "a.txt", "--merges", "30", "-o", "sheet.pdf").err
    Path("b.txt").write_text("a", encoding="utf-8")
    assert "by hand" in studio("worksheet", "b.txt", "-o", "b.pdf").sentence()
    assert not Path("b.pdf").exists()


def test_without_qt_it_says_what_to_install(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "PySide6.QtGui", None)
    assert "PySide6" in studio("worksheet", "a.txt", "-o", "sheet.pdf").sentence()
