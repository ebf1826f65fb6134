"""A person exports a range of steps: the page is stepped through in a browser, the animation is read frame by frame.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog

from bpe_studio._system import no_browser
from bpe_studio.files.samples import find_sample
from tests.gui.acceptance.compare_teach_take.browser import CHROMIUM, Browser
from tests.gui.acceptance.compare_teach_take.learner import Learner
from tests.gui.acceptance.compare_teach_take.plain_bpe import like_gpt2, plain, shown, words_of

SAMPLES = {
    "english": ("English story", "the bridge, over water\n<b>& they</b>"),
    "persian": ("داستان فارسی (Persian story)", "باغ و آب\nدر باغ"),
    "many-scripts": ("Many scripts and emoji", "日本 👨‍👩‍👧 the"),
}
FIRST, LAST = 10, 17


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
    run = like_gpt2(find_sample(sample).path.read_text(encoding="utf-8"))
    run.learn(LAST + 1)
    return run, typed


def chips(browser, selector):
    """The tokens that stand in an element of the page, each on its chip."""
    return [
        plain(text)
        for text in browser.ask(f"[...document.querySelectorAll({selector!r})].map((each) => each.textContent)")
    ]


@pytest.mark.skipif(CHROMIUM is None, reason=no_browser())
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_page_is_stepped_in_a_browser(exporter, saved_as, tmp_path, sample):
    run, typed = open_and_learn(exporter, sample)
    path = tmp_path / "steps.html"
    saved_as(path)
    exporter.open_dialog(FIRST, LAST, "Step-through page (HTML)")
    exporter.export()
    assert path.name in exporter.told() and f"Steps {FIRST} to {LAST} were" in exporter.told()
    browser = Browser(tmp_path / "browser", path)
    try:
        name = exporter.workspace.corpus.name
        assert browser.ask("document.title") == f"Steps {FIRST} to {LAST} of {name}"
        # A merge has the same number as in the window's table, the step behind it is one more.
        ranks = [exporter.find("merges.table").model().index(row, 0).data() for row in range(FIRST, LAST)]
        assert ranks == [str(rank) for rank in range(FIRST, LAST)]
        rows = "[...document.querySelectorAll('#merges .row')]"
        assert browser.ask(f"{rows}.map((row) => row.querySelector('.num').textContent)") == ranks
        browser.click(f"#merge-{LAST - 2}")
        assert browser.ask("document.documentElement.dataset.step") == str(LAST - 1)
        assert browser.ask(f"{rows}.filter((row) => row.ariaSelected === 'true').map((row) => row.id)") == [
            f"merge-{LAST - 2}"
        ]
        browser.press("Home")
        browser.click("#apart")
        words = words_of(typed, "gpt2")
        for step in range(FIRST, LAST + 1):
            assert browser.ask("document.querySelector('#step').textContent") == f"Step {step} of {LAST}"
            assert chips(browser, "#text .chip") == [shown(token) for token in run.tokens(words, step)]
            assert browser.ask("document.querySelector('#sizes').textContent").endswith(
                f"corpus {run.n_tokens(step):,} tokens"
            )
            if step > FIRST:
                (left, right), _, _ = run.merges[step - 1]
                assert chips(browser, "#made .chip") == [shown(left), shown(right), shown(left + right)]
                said = browser.ask("document.querySelector('#made .quiet').textContent")
                assert said.startswith(f"merge {step - 1} · ")
            # Each word with its count, as a recount cuts it; those that no merge of the range changes are left out.
            rows = browser.ask(
                "[...document.querySelectorAll('#words .word')].map((word) => [word.querySelector('.num').textContent,"
                " ...[...word.querySelectorAll('.chip')].map((each) => each.textContent)])"
            )
            wanted = sorted(
                (f"{run.count(word):,}", *map(shown, cut)) for word, cut in run.cuts(step).items()
                if len(run.cuts(LAST)[word]) < len(run.cuts(FIRST)[word])
            )  # fmt: skip
            found = sorted(tuple(map(plain, row)) for row in rows)
            assert found == wanted if len(wanted) <= 40 else set(found) <= set(wanted) and len(found) == 40
            browser.press("ArrowRight")
        # There it ends; back by the button, to the start by its key, and on by a click.
        assert browser.ask("document.querySelector('#step').textContent") == f"Step {LAST} of {LAST}"
        browser.click("#back")
        assert browser.ask("document.documentElement.dataset.step") == str(LAST - 1)
        browser.press("Home")
        browser.click("#next")
        assert browser.ask("document.documentElement.dataset.step") == str(FIRST + 1)
        browser.click("#apart")
        assert browser.ask("document.querySelector('#text').textContent") == typed
        asked = [event["params"]["request"]["url"] for event in browser.events
                 if event["method"] == "Network.requestWillBeSent"]  # fmt: skip
        assert all(url.startswith(("file:", "about:")) for url in asked), "it needs no network"
        assert not [event for event in browser.events if event["method"] == "Runtime.exceptionThrown"]
    finally:
        browser.close()


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
