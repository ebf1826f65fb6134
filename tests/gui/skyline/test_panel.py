"""The skyline follows the workspace: run, growth, step and typed text.

It says what is missing, and is saved.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

import bpe_studio as bpe
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.gui.background.file_writing import write_file
from bpe_studio.gui.export.picture import MARGIN_PX, picture_in_pieces
from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.panel import MOST_CHARACTERS, NO_RUN, NO_TEXT, SkylinePanel
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.engine.encoding.cut_afresh import cut_afresh
from tests.gui.stage import put_run

TEXT = "low lower newest widest low low newest newest سلام دنیا " * 10
SVG = "{http://www.w3.org/2000/svg}"


class Stage(Workspace):
    """A workspace whose values the test sets."""

    def __init__(self) -> None:
        super().__init__(config=bpe.TrainingConfig.preset("gpt2"))

    def open(self, run, step=0, n_merges=None):
        n_merges = len(run.merges) if n_merges is None and run is not None else n_merges or 0
        put_run(self, run, n_merges, step)
        self.run_changed.emit()

    def grow(self, n_merges):
        super().grow(n_merges)
        self.set_step(n_merges)

    def go_to(self, step):
        self.set_step(step)


def run_of(text=TEXT, preset="gpt2", **options):
    config = bpe.TrainingConfig.preset(preset, **({"merges": 40, "min_frequency": 1} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.fixture
def stage(qtbot, qapp):
    theme.apply(qapp, "light")
    return Stage()


@pytest.fixture
def panel(shown, stage):
    return shown(SkylinePanel(stage), 560, 260)


@pytest.fixture
def opened(panel, stage):
    stage.set_typed_text("newest lower سلام low")
    stage.open(run_of(), 12)
    return panel


def test_without_a_run_and_without_a_text_it_says_what_to_do(panel, stage, qtbot):
    assert panel.view.placeholder == NO_RUN
    assert not panel.save_svg.isEnabled()
    stage.open(run_of())
    assert panel.view.placeholder == NO_TEXT
    stage.set_typed_text("low")
    qtbot.waitUntil(panel.save_svg.isEnabled)
    assert panel.view.placeholder == ""
    stage.set_typed_text("low " * MOST_CHARACTERS)
    qtbot.waitUntil(lambda: "too long" in panel.view.placeholder)
    assert not panel.save_svg.isEnabled()
    stage.open(None)
    assert panel.view.placeholder == NO_RUN
    assert panel.readout.text() == ""


def test_it_counts_over_what_is_said(opened, stage, qtbot):
    live = cut_afresh(stage.run, "newest lower سلام low")
    counts = f"{live.n_tokens(12)} tokens of {live.n_tokens(0)} symbols"
    assert opened.readout.shown == f"{counts}  ·  step 12", "the transport says of how many"
    stage.go_to(20)
    qtbot.waitUntil(lambda: opened.readout.shown.endswith("step 20"))


def test_the_line_follows_the_step_and_moves_it(opened, stage, qtbot):
    stage.go_to(3)
    qtbot.waitUntil(lambda: opened.view.picture.step == 3)
    qtbot.keyClick(opened.view, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: stage.step == len(stage.run.merges))
    assert opened.view.picture.step == stage.step


def test_typing_is_followed(opened, stage, qtbot):
    for typed in ("newest lower سلام low x", "ewest lower low x", "", "aaaa"):
        stage.set_typed_text(typed)
        picture = opened.view.picture
        assert picture.text.text != typed and not opened.is_up_to_date, "the key is answered first"
        qtbot.waitUntil(lambda: opened.is_up_to_date)
        assert picture.text.text == typed
        assert picture.n_tokens() == cut_afresh(stage.run, typed).n_tokens(12)
    assert opened.view.placeholder == ""


def test_the_tree_grows_as_merges_are_learned(panel, stage, qtbot):
    config = bpe.TrainingConfig.preset("gpt2", merges=40, min_frequency=1)
    trainer = Trainer(bpe.Corpus.from_text(TEXT, config), config)
    run = trainer.run_record
    stage.set_typed_text("newest lower low")
    stage.set_target(40)
    stage.open(run, 0, 0)
    assert len(panel.view.picture.joints()) == 0
    stage.set_state(State.running)
    n_joints = []
    top = panel.view.picture.top
    while trainer.run(3):
        stage.grow(len(run.merges))
        qtbot.waitUntil(lambda: panel.view.n_merges == len(run.merges) and panel.is_up_to_date)
        n_joints.append(len(panel.view.picture.joints()))
    assert n_joints == sorted(n_joints)
    assert n_joints[-1] > 5
    assert panel.view.picture.top == top == 40, (
        "heights stay while the run learns towards its target"
    )


def test_the_scale_of_a_few_words_ends_where_their_merges_can(panel, stage, qtbot):
    stage.open(run_of("hug pug pun", preset="textbook", merges=2), n_merges=1)
    stage.set_target(1000)
    qtbot.waitUntil(lambda: 1 < panel.view.picture.top < 20)


def export(view, path):
    """Saves the view as File > Export does, at twice the size where it is a PNG."""
    making = picture_in_pieces(view, path.suffix, scale=1.0 if path.suffix == ".svg" else 2.0)
    while True:
        try:
            next(making)
        except StopIteration as stop:
            write_file(stop.value, path)
            return


def letters_of(path):
    return "".join(text.text for text in ET.parse(path).iter(f"{SVG}text"))


def test_a_picture_holds_what_is_scrolled_away_too(opened, stage, qtbot, tmp_path):
    stage.set_typed_text("low lower\n" * 30)
    qtbot.waitUntil(lambda: opened.is_up_to_date)
    export(opened.view, tmp_path / "all.svg")
    assert letters_of(tmp_path / "all.svg").count("lower") == 30
    export(opened.view, tmp_path / "all.png")
    image = QImage(str(tmp_path / "all.png"))
    assert image.height() == pytest.approx(
        2 * (30 * opened.view.picture.row_height + 2 * MARGIN_PX), abs=4
    )
