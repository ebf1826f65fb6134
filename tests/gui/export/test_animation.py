"""A person exports an animation of some steps, and shares the run as a page."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtWidgets import QFileDialog

from bpe_studio.errors import SaveError
from bpe_studio.gui.export import animation
from bpe_studio.gui.export.animation import SIZE, AnimationDialog
from bpe_studio.workspace.state import State
from tests.files.third_party.made import content_of
from tests.gui.hand import Hand

PATIENCE_MS = 20_000
TEXT = "low lower newest widest low low newest سلام دنیا 👨‍👩‍👧 " * 8
TYPED = "the lowest\nسلام دنیا\n👨‍👩‍👧 newer"


@pytest.fixture
def hand(lasting_window, qtbot):
    window = lasting_window.window
    workspace = lasting_window.window.workspace

    def train():
        before = workspace.run
        workspace.opener.open_text(TEXT, "many words.txt")
        qtbot.waitUntil(
            lambda: workspace.run is not before and workspace.state is State.ready,
            timeout=PATIENCE_MS,
        )
        workspace.transport.run_training()
        qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)

    lasting_window.put_back(qtbot, 1280, 800)
    window.set_theme("system")
    lasting_window.open_trained("many words", train)
    window.banner.clear()  # of what was open before
    workspace.set_typed_text(TYPED)
    workspace.transport.go_to(30)
    return Hand(window, lambda said: qtbot.waitUntil(said, timeout=PATIENCE_MS))


@pytest.fixture
def saved_as(monkeypatch, tmp_path):
    """Stands in for the person who chooses a file, and says what was offered."""
    offered: list[str] = []

    def choose(name: str) -> list[str]:
        def answer(parent, title, start, kinds, *_):
            offered.append(Path(start).name)
            return (str(tmp_path / name) if name else "", kinds)

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        return offered

    return choose


def open_dialog(hand: Hand) -> AnimationDialog:
    hand.choose_from_menu("File", "Export an animation…")
    return hand.window.findChild(AnimationDialog)


def test_share_writes_the_run_as_a_page(hand, saved_as, tmp_path):
    offered = saved_as("shared")
    hand.choose_from_menu("File", "Share…")
    hand.wait_until(lambda: hand.window.banner.isVisible())
    assert offered == ["many words.html"]
    data = json.loads(
        re.search(r'id="data">(.*?)</script>', (tmp_path / "shared.html").read_text("utf-8"), re.S)[
            1
        ]
    )
    assert (data["view"]["step"], data["view"]["text"]) == (30, TYPED)
    assert len(data["run"]["merges"]) == hand.window.workspace.n_merges


def test_share_leaves_out_a_compared_tokenizer_that_no_page_can_show(hand, saved_as, tmp_path):
    tokenizers = hand.window.workspace.tokenizers
    for name in ("gpt2", "unigram"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tokenizer.json").write_text(content_of(name), encoding="utf-8")
    tokenizers.add([tmp_path / "unigram", tmp_path / "gpt2"])
    hand.wait_until(lambda: len(tokenizers.entries) == 2)
    saved_as("shared")
    hand.choose_from_menu("File", "Share…")
    hand.wait_until(lambda: hand.window.banner.isVisible())
    said = hand.window.banner.message.text()
    assert said.count("Saved the page") == said.count("unigram cannot stand beside") == 1
    page = (tmp_path / "shared.html").read_text("utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert [other["name"] for other in data["others"]] == ["gpt2"]


def test_an_animation_of_the_last_merges_leaves_the_step_where_it_was(hand, saved_as, tmp_path):
    dialog = open_dialog(hand)
    assert (dialog.begin.value(), dialog.end.value()) == (10, 30)
    hand.type_into("animation.begin", "27")
    offered = saved_as("made")
    hand.click("animation.save")
    hand.wait_until(lambda: hand.window.banner.isVisible())
    assert offered == ["many words Steps 27-30.gif"] and hand.window.workspace.step == 30
    with Image.open(tmp_path / "made.gif") as picture:
        assert (picture.size, picture.n_frames, picture.info["loop"]) == (SIZE.toTuple(), 4, 0)
        seconds = []
        for frame in range(picture.n_frames):
            picture.seek(frame)
            seconds.append(picture.info["duration"] / 1000)
    assert seconds == [1.5, 1.5, 1.5, 3.0]


def test_too_many_pictures_or_none_are_refused_with_a_way_out(hand, monkeypatch):
    monkeypatch.setattr("bpe_studio.gui.export.animation.MOST_PICTURES", 10)
    dialog = open_dialog(hand)
    assert not dialog.save.isEnabled() and "21 pictures" in dialog.about.text()
    dialog.every.setValue(4)
    assert dialog.save.isEnabled() and dialog.steps == [10, 14, 18, 22, 26, 30]
    dialog.begin.setValue(30)
    assert not dialog.save.isEnabled()
    dialog.reject()


def test_a_step_that_is_moved_meanwhile_ends_it_with_a_sentence(hand, saved_as, tmp_path):
    workspace = hand.window.workspace
    window = hand.window
    open_dialog(hand)
    saved_as("never.gif")
    moving = workspace.step_changed.connect(
        lambda step: step == 12 and workspace.transport.go_to(3)
    )
    hand.click("animation.save")
    hand.wait_until(lambda: window.banner.isVisible())
    workspace.step_changed.disconnect(moving)
    assert "pause the run" in window.banner.message.text() and not list(tmp_path.glob("never*"))


def test_cancelling_writes_nothing_and_goes_back_to_the_step(hand, saved_as, tmp_path):
    open_dialog(hand)
    saved_as("never.gif")
    hand.click("animation.save")
    workspace = hand.window.workspace
    saving = hand.window.export_menu.saving
    hand.wait_until(lambda: workspace.step != 30)
    saving.cancel()
    assert not saving.is_busy and workspace.step == 30 and not list(tmp_path.glob("never*"))


@pytest.fixture
def ffmpeg(monkeypatch, tmp_path):
    """Puts a program called ffmpeg on the path, which does what a line of Python says."""

    def put(line: str) -> None:
        program = tmp_path / "bin" / "ffmpeg"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!{sys.executable}\nimport pathlib, sys\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))

    return put


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_video_is_written_by_ffmpeg_which_may_fail(hand, ffmpeg, saved_as, tmp_path):
    ffmpeg("pathlib.Path(sys.argv[-1]).write_text(pathlib.Path('list').read_text())")
    open_dialog(hand)
    hand.type_into("animation.begin", "29")
    hand.choose("animation.form", "WebM")
    saved_as("made.webm")
    hand.click("animation.save")
    hand.wait_until(lambda: hand.window.banner.isVisible())
    made = (tmp_path / "made.webm").read_text("utf-8").splitlines()
    assert made[1:] == ["file 0.png", "duration 1.5", "file 1.png", "duration 3.0", "file 1.png"]
    ffmpeg("sys.exit('Unknown encoder')")
    with pytest.raises(SaveError, match=r"WebM .*Unknown encoder"):
        animation.write_video([Image.new("RGB", (4, 2))], [900], "webm")


def test_without_ffmpeg_the_format_says_how_to_get_videos(hand, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    dialog = open_dialog(hand)
    assert dialog.form.count() == 1 and "ffmpeg" in dialog.form.toolTip()
    dialog.reject()
