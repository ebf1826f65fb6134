"""A person exports a range of steps: the animation is read frame by frame.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog

from tests.gui.acceptance.compare_teach_take.learner import Learner

SAMPLES = {
    "english": ("English story", "the bridge, over water\n<b>& they</b>"),
    "persian": ("داستان فارسی (Persian story)", "باغ و آب\nدر باغ"),
}
FIRST = 10


class Exporter(Learner):
    """Uses the dialog for a range of steps."""

    def open_dialog(self, first: int, last: int, form: str) -> QDialog:
        self.choose_from_menu("File", "Export a range of steps…")
        dialog = self.window.findChild(QDialog, "export_range")
        for name, value in (("export_range.begin", first), ("export_range.end", last)):
            self.find(name).setFocus()
            self.find(name).selectAll()
            self.type_in(name, str(value))
        chooser = self.find("export_range.form")
        QTest.keyClick(chooser, Qt.Key.Key_End if "GIF" in form else Qt.Key.Key_Home)
        assert chooser.currentText() == form
        self.wait(lambda: self.find("export_range.save").isEnabled())
        return dialog

    def type_in(self, name: str, text: str) -> None:
        QTest.keyClicks(self.find(name), text)
        QTest.keyClick(self.find(name), Qt.Key.Key_Tab)

    def export(self) -> None:
        self.click("export_range.save")
        self.wait(lambda: not any(each.isVisible() for each in self.window.findChildren(QDialog, "export_range")))


@pytest.fixture
def exporter(window, qtbot):
    return Exporter(window, qtbot)


@pytest.fixture
def saved_as(monkeypatch):
    def choose(path):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path) if path else "", ""))

    return choose


def open_and_learn(exporter, sample):
    title, typed = SAMPLES[sample]
    exporter.open_sample(title)
    exporter.learn()
    exporter.type_text(typed)


def test_the_animation_has_a_frame_for_each_picture(exporter, saved_as, tmp_path):
    open_and_learn(exporter, "persian")
    path = tmp_path / "steps.gif"
    saved_as(path)
    exporter.open_dialog(FIRST, FIRST + 4, "Animation (GIF)")
    size = exporter.find("export_range.size").currentText()
    exporter.find("export_range.seconds").selectAll()
    exporter.type_in("export_range.seconds", "1.0")
    exporter.wait(lambda: exporter.find("export_range.save").isEnabled())
    exporter.export()
    animation = Image.open(io.BytesIO(path.read_bytes()))
    assert animation.format == "GIF" and animation.size == tuple(int(each) for each in size.split(" × "))
    frames, durations = [], []
    for number in range(animation.n_frames):
        animation.seek(number)
        frames.append(animation.convert("RGB"))
        durations.append(animation.info["duration"])
    # The first step, then each merge apart and joined: more frames than steps, and each step one second or more.
    assert len(frames) >= 5 and min(durations) >= 20
    assert 4000 <= sum(durations) <= 9000, durations
    for before, after in zip(frames, frames[1:], strict=False):
        assert ImageChops.difference(before, after).getbbox() is not None
    assert animation.info.get("loop") == 0


def test_a_range_that_cannot_be_written_keeps_what_was_chosen(exporter, saved_as, tmp_path):
    open_and_learn(exporter, "english")
    dialog = exporter.open_dialog(2, 6, "Step-through page (HTML)")
    saved_as(None)
    exporter.click("export_range.save")
    assert dialog.isVisible() and exporter.find("export_range.begin").value() == 2
    (tmp_path / "a file").write_text("x")
    saved_as(tmp_path / "a file" / "steps.html")
    exporter.click("export_range.save")
    exporter.wait(lambda: exporter.find("export_range.save").isEnabled())
    said = exporter.says("export_range.about")
    assert "steps.html" in said and "Traceback" not in said
    assert dialog.isVisible() and exporter.find("export_range.end").value() == 6
    saved_as(tmp_path / "steps.html")
    exporter.export()
    assert (tmp_path / "steps.html").stat().st_size > 10_000 and exporter.workspace.step == exporter.workspace.n_merges
