"""A person exports a range of steps: the dialog, the animation's pictures, and what happens when it fails."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QLabel

import bpe_studio as bpe
from bpe_studio.errors import Cancelled, SaveError
from bpe_studio.gui.export import animation_job, video
from bpe_studio.gui.export.animation_dialog import AnimationDialog
from bpe_studio.gui.export.animation_frames import SIZES
from bpe_studio.gui.export.animation_job import ExportRequest, preview_of
from bpe_studio.gui.export.gif import write_gif
from bpe_studio.gui.look import theme
from bpe_studio.workspace.state import State
from tests.gui.hand import Hand

# Fonts need an application.
pytestmark = pytest.mark.usefixtures("qapp")
PATIENCE_MS = 20_000
TEXT = "low lower newest widest low low newest سلام دنیا 👨‍👩‍👧 " * 8
TYPED = "the lowest\nسلام دنیا\n👨‍👩‍👧 newer"


@pytest.fixture
def hand(lasting_window, qtbot):
    window, workspace = lasting_window.window, lasting_window.window.workspace

    def train():
        before = workspace.run
        workspace.opener.open_text(TEXT, "many words.txt")
        qtbot.waitUntil(lambda: workspace.run is not before and workspace.state is State.ready, timeout=PATIENCE_MS)
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


def _open(hand: Hand) -> AnimationDialog:
    hand.choose_from_menu("File", "Export a range of steps…")
    dialog = hand.window.findChild(AnimationDialog)
    _wait(hand, dialog)
    return dialog


def _wait(hand: Hand, dialog: AnimationDialog) -> None:
    hand._wait_until(lambda: dialog.save.isEnabled())


def _request(form: str = "gif", **changes) -> ExportRequest:
    config = bpe.TrainingConfig.preset(merges=40)
    run = bpe.train(bpe.Corpus.from_text(TEXT, config), config)
    values = {
        "run": run, "corpus_name": "x", "first": 5, "last": 9, "every": 1, "text": TYPED, "n_words": 8,
        "changing": False, "form": form, "theme": "light", "palette": theme.light_palette(), "family": "Noto Sans",
        "size": SIZES[0], "seconds": 1.0,
    }  # fmt: skip
    return ExportRequest(**{**values, **changes})


def test_a_page_of_the_last_merges(hand, saved_as, tmp_path):
    dialog = _open(hand)
    assert (dialog.begin.value(), dialog.end.value()) == (10, 30)
    assert re.match(r"One page of \d+ kB, 21 steps, 20 merges", hand.text("export_range.about"))
    assert not hand.find("export_range.preview").pixmap().isNull()
    offered = saved_as("steps")
    hand.click("export_range.save")
    hand._wait_until(lambda: hand.window.banner.isVisible())
    assert offered == ["many words.txt steps 10-30.html"]
    page = (tmp_path / "steps.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    view = data["view"]
    assert (view["first"], view["last"], view["text"], len(data["run"]["merges"])) == (10, 30, TYPED, 30)
    assert 'data-theme="' not in page.split("<style>")[0]
    assert "Steps 10 to 30 were saved as" in " ".join(label.text() for label in hand.window.banner.findChildren(QLabel))
    hand._wait_until(lambda: hand.window.findChild(AnimationDialog) is None)


def test_share_writes_the_run_as_a_page(hand, saved_as, tmp_path):
    offered = saved_as("shared")
    hand.choose_from_menu("File", "Share…")
    hand._wait_until(lambda: hand.window.banner.isVisible())
    assert offered == ["many words.html"]
    data = json.loads(re.search(r'id="data">(.*?)</script>', (tmp_path / "shared.html").read_text("utf-8"), re.S)[1])
    assert (data["view"]["step"], data["view"]["text"]) == (30, TYPED)
    assert len(data["run"]["merges"]) == hand.window.workspace.n_merges == data["view"]["last"]


@pytest.mark.slow(buys="an animation that is really written, from the dialog of a whole window")
def test_an_animation_from_a_bookmark_on(hand, saved_as, tmp_path):
    workspace = hand.window.workspace
    workspace.transport.go_to(24)
    hand.window.actions_by_id["go.bookmark"].trigger()
    workspace.transport.go_to(30)
    dialog = _open(hand)
    name = next(mark.name for mark in workspace.marks.bookmarks)
    hand.choose("export_range.begin_mark", name)
    hand.key(Qt.Key.Key_Return)
    assert dialog.begin.value() == 24
    hand.choose("export_range.form", "Animation (GIF)")
    hand.choose("export_range.theme", "Dark")
    _wait(hand, dialog)
    assert "12 pictures" in hand.text("export_range.about")
    offered = saved_as("made.gif")
    hand.click("export_range.save")
    hand._wait_until(lambda: hand.window.findChild(AnimationDialog) is None)
    assert offered[-1].endswith(" steps 24-30.gif")
    with Image.open(tmp_path / "made.gif") as picture:
        assert (picture.size, picture.n_frames, picture.info["loop"]) == ((960, 540), 12, 0)
        assert picture.convert("RGB").getpixel((2, 2)) == (0x19, 0x1C, 0x20)


def test_a_file_that_cannot_be_written_keeps_all_that_was_chosen(hand, saved_as):
    dialog = _open(hand)
    hand.type_into("export_range.end", "25")
    hand.key(Qt.Key.Key_Tab)
    _wait(hand, dialog)
    saved_as("missing/folder/x.html")
    hand.click("export_range.save")
    hand._wait_until(lambda: dialog.about.role == "error")
    assert "there is no folder" in dialog.about.text()
    assert dialog.isVisible() and dialog.end.value() == 25 and dialog.save.isEnabled()


@pytest.mark.slow(buys="an animation that is cancelled while it is written")
def test_cancel_stops_what_is_being_written(hand, saved_as, tmp_path, monkeypatch):
    stopped = []

    def draw(self, request, stop):
        stopped.append(stop.wait(3))
        return b"whole"

    monkeypatch.setattr(animation_job.AnimationExport, "_animation", draw)
    dialog = _open(hand)
    hand.choose("export_range.form", "Animation (GIF)")
    _wait(hand, dialog)
    saved_as("never.gif")
    hand.click("export_range.save")
    hand.click("export_range.cancel")
    hand._wait_until(lambda: stopped == [True] and hand.window.findChild(AnimationDialog) is None)
    assert list(tmp_path.glob("never*")) == []


def test_a_gif_holds_its_pictures_and_times():
    images = []
    for colour in ("red", "lime", "blue"):
        image = QImage(QSize(40, 30), QImage.Format.Format_RGB32)
        image.fill(colour)
        images.append(image)
    flat = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    content = write_gif(lambda: iter(images), [100, 200, 900], images)
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.n_frames, picture.info["loop"]) == (3, 0)
        for number, (colour, duration) in enumerate(zip(flat, (100, 200, 900), strict=True)):
            picture.seek(number)
            assert picture.info["duration"] == duration
            assert picture.convert("RGB").getpixel((20, 15)) == colour


@pytest.fixture
def ffmpeg(monkeypatch, tmp_path):
    """Puts a program called ffmpeg on the path, which does what a line of Python says."""

    def put(line: str) -> None:
        program = tmp_path / "bin" / "ffmpeg"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!{sys.executable}\nimport pathlib, sys, time\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))

    return put


def _video(stop=None):
    pictures = [QImage(QSize(4, 2), QImage.Format.Format_RGB32) for _ in range(2)]
    return video.write_video(pictures, [100, 900], "webm", stop or threading.Event())


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_video_is_written_by_ffmpeg_which_may_fail_or_be_stopped(ffmpeg, tmp_path):
    ffmpeg("pathlib.Path(sys.argv[-1]).write_text(pathlib.Path('list').read_text())")
    made = _video().decode().splitlines()
    assert made[1:] == ["file 0.png", "duration 0.1", "file 1.png", "duration 0.9", "file 1.png"]
    ffmpeg("sys.exit('Unknown encoder')")
    with pytest.raises(SaveError, match=r"WebM .*Unknown encoder"):
        _video()
    stop = threading.Event()
    stop.set()
    ffmpeg("time.sleep(60)")
    with pytest.raises(Cancelled):
        _video(stop)


def test_videos_are_offered_where_ffmpeg_is(hand, monkeypatch, tmp_path):
    monkeypatch.setattr(video, "can_write_video", lambda: False)
    dialog = _open(hand)
    assert "ffmpeg" in hand.text("export_range.videos") and dialog.form.count() == 2
    dialog.reject()
    hand._wait_until(lambda: hand.window.findChild(AnimationDialog) is None)
    monkeypatch.setattr(video, "can_write_video", lambda: True)
    dialog = _open(hand)
    assert not dialog.videos.isVisible()
    hand.choose("export_range.form", "Video (WebM)")
    _wait(hand, dialog)
    assert dialog.request().form == "webm" and dialog.seconds.isEnabled()
    dialog.reject()


def test_too_many_pictures_are_refused_with_a_way_out():
    config = bpe.TrainingConfig.preset(merges=700)
    letters = "".join(chr(97 + (k * k) % 23) + chr(97 + k % 26) + (" " if k % 5 == 0 else "") for k in range(9000))
    run = bpe.train(bpe.Corpus.from_text(letters, config), config)
    found = preview_of(_request(run=run, first=0, last=min(700, len(run.merges)), text="ab"))
    assert not found.can_save and "export fewer merges" in found.message
    assert preview_of(_request("html", run=run, first=0, last=650, text="ab")).can_save
