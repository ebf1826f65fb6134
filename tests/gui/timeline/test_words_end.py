"""A run with superwords in the window: its mark, and what the panels show on both sides of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.actions_on.table import shown_target
from bpe_studio.gui.actions_on.targets import content_of, tokens_of
from bpe_studio.gui.corpus.words import WordsModel
from bpe_studio.gui.shell.actions import make_actions
from bpe_studio.gui.skyline.picture import SkylinePicture
from bpe_studio.gui.timeline.transport_bar import TransportBar
from bpe_studio.workspace.selection import Kind
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

TEXT = "by the way, it is by the way of the sea, and in the way of it\n" * 4 + "don't 't 12345\n"
N_FIRST = 15
PATIENCE_MS = 20_000


@pytest.fixture
def workspace(qtbot):
    config = TrainingConfig.preset("superbpe", vocab_size=290, superwords_from=257 + N_FIRST)
    workspace = Workspace(config=config)
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)
    yield workspace
    workspace.shutdown()


@pytest.fixture
def slider(qtbot, workspace):
    bar = TransportBar(workspace, make_actions(workspace))
    qtbot.addWidget(bar)
    bar.resize(1000, 100)
    bar.show()
    return bar.slider


def test_the_timeline_says_where_the_words_end(slider):
    says = [slider.words_at(QPointF(slider.place_of(step), 20)) for step in (3, N_FIRST)]
    assert ["words end here" in each for each in says] == [False, True]


def test_the_mark_is_dragged_to_compare_another_place(qtbot, workspace, slider):
    other = 7
    above = [QPointF(slider.place_of(step), 2).toPoint() for step in (N_FIRST, other)]
    step = workspace.step
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=above[0])
    qtbot.mouseMove(slider, above[1])
    assert f"end at step {other}" in slider.readout
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=above[1])
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2, timeout=PATIENCE_MS)
    first, second = (entry.trainer.run_record for entry in workspace.runs.entries)
    assert (first.n_first, second.n_first) == (N_FIRST, other)
    assert workspace.run is first and workspace.step == step
    assert [merge.token for merge in second.merges[:other]] == [
        merge.token for merge in first.merges[:other]
    ]
    # In the groove, a press goes to the step.
    groove = QPointF(slider.place_of(N_FIRST), 20).toPoint()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=groove)
    assert workspace.step == N_FIRST


def test_words_are_those_of_the_stage(workspace):
    run = workspace.run
    model = WordsModel()
    model.set_corpus(workspace.corpus.corpus)
    for step in (0, N_FIRST - 1, N_FIRST, workspace.n_merges, 3):
        model.set_run(run, step)
        corpus = run.at(step).corpus
        assert model.rowCount() == len(corpus)
        for row in range(model.rowCount()):
            source = model.source_row(row)
            cut = model.cut(source)
            content = b"".join(map(run.token_content, cut.ids))
            assert content == corpus.pre_token_bytes(source)


def test_a_selected_word_belongs_to_its_stage(workspace):
    run = workspace.run
    workspace.transport.go_to(N_FIRST - 1)
    way = list(run.at(0).corpus.pre_tokens()).index(" way")
    workspace.selection.select_word(way)
    target = shown_target(workspace, workspace.selection.current)
    assert content_of(target) == b" way"
    assert b"".join(map(run.token_content, tokens_of(target, 5))) == b" way"
    workspace.transport.go_to(N_FIRST)
    assert workspace.selection.current is None
    workspace.selection.select_word(0)
    assert content_of(shown_target(workspace, workspace.selection.current)).startswith(
        b"by the way"
    )
    workspace.selection.select_token(260)
    workspace.transport.go_to(2)
    assert workspace.selection.current.kind is Kind.token


def test_the_skyline_cuts_as_the_tokenizer_of_each_step(workspace):
    run = workspace.run
    picture = SkylinePicture(QFont())
    picture.set_run(run, "by the way don't 't", workspace.n_merges)
    for step in (0, 5, N_FIRST - 1, N_FIRST, workspace.n_merges, 1):
        picture.set_step(step)
        assert picture.n_tokens() == len(run.tokenizer(step).encode("by the way don't 't").ids)
