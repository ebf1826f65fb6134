"""Another run of the same text: asked for in the dialog or by one click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QSpinBox

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.runs.new_run_dialog import NewRunDialog, add_suggestions, why_no_new_run
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import OpeningRequest, State
from tests.facts import says

TEXT = "The theme then other thin thing, 1234 low lower newest widest. سلام دنیا سلام\n" * 9
GPT2 = TrainingConfig.preset("gpt2", vocab_size=300)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, GPT2)


@pytest.fixture
def dialog(shown, workspace):
    dialog = shown(NewRunDialog(workspace), 900, 700)
    dialog.chosen.connect(workspace.side_runs.train)
    return dialog


def choose(widget, name, value):
    box = widget.findChild(QComboBox, name)
    box.setCurrentIndex(box.findData(value))


def test_the_dialog_begins_from_the_open_run_and_learns_nothing_alike(dialog, workspace):
    assert dialog.draft.config == workspace.config
    assert dialog.differs.text().startswith("The same settings as Main run")
    assert not dialog.learn.isEnabled() and "has these settings already" in dialog.learn.toolTip()


def test_a_changed_option_is_said_in_one_line_and_learned(dialog, workspace, qtbot):
    choose(dialog, "new_run.split", "cl100k")
    assert says(dialog.differs.text(), "Main run", "GPT-4 (cl100k) instead of GPT-2")
    assert says(dialog.status.text(), "split again")
    assert dialog.name.placeholderText() == "split GPT-4 (cl100k)"
    dialog.draft.preview.set_text("1234")
    dialog.draft.preview.refresh()
    assert [chip.text for chip in dialog.draft.preview.flow.links] == ["123", "4"]
    QTest.keyClicks(dialog.findChild(QLineEdit, "new_run.name"), "digits in threes")
    QTest.mouseClick(dialog.learn, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    beside = workspace.runs.entries[1]
    assert (
        beside.name == "digits in threes" and beside.is_side_run and beside.config.split == "cl100k"
    )
    assert workspace.runs.shown.number == ROOT, "what is shown stays"


def test_the_dialog_is_used_by_keyboard_alone(dialog):
    chain = []
    widget = dialog.draft.preset
    while widget is not dialog.learn and len(chain) < 200:
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            chain.append(widget.objectName())
        widget = widget.nextInFocusChain()
    wanted = [
        "preset",
        "vocab_size",
        "min_frequency",
        "units",
        "split",
        "ties",
        "more",
        "preview_text",
        "name",
    ]
    assert [name for name in chain if name.removeprefix("new_run.") in wanted] == [
        f"new_run.{name}" for name in wanted
    ]
    choose(dialog, "new_run.split", "none")
    assert dialog.learn.isDefault() and dialog.learn.isEnabled()


def test_settings_that_make_no_sense_cannot_be_learned(dialog):
    choose(dialog, "new_run.preset", "gpt2")
    dialog.findChild(QSpinBox, "new_run.vocab_size").setValue(10)
    assert not dialog.learn.isEnabled() and "too small" in dialog.learn.toolTip()
    assert dialog.status.role == "error"


def test_a_suggested_run_says_what_it_changes_and_one_that_exists_is_not_suggested(
    shown, workspace, qtbot
):
    menu = shown(QMenu(), 300, 300)
    asked = []
    add_suggestions(menu, workspace, asked.append)
    names = {action.objectName(): action for action in menu.actions()}
    assert (
        "first in the text instead of smallest ids (Hugging Face)"
        in names["compare.suggest_ties"].toolTip()
    )
    names["compare.suggest_ties"].trigger()
    workspace.side_runs.train(asked[0].config)
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    assert [each.config.ties for each in workspace.runs.entries] == ["huggingface", "first-seen"]
    menu.clear()
    add_suggestions(menu, workspace, asked.append)
    assert "compare.suggest_ties" not in {action.objectName() for action in menu.actions()}


def test_where_the_text_is_not_there_another_cut_is_refused_with_the_reason(workspace):
    object.__setattr__(workspace.corpus, "request", OpeningRequest("words.txt"))
    assert "cannot be split differently" in why_no_new_run(workspace, GPT2.replace(split="none"))
    assert why_no_new_run(workspace, GPT2.replace(ties="raw-ids")) == ""


def test_words_that_came_with_their_counts_are_learned_by_any_settings(workspace, qtbot):
    config = TrainingConfig.preset("textbook")
    workspace.opener.open_with(OpeningRequest("Words", counts=(("hug", 10), ("pug", 5))), config)
    qtbot.waitUntil(
        lambda: workspace.corpus is not None and workspace.corpus.name == "Words", timeout=20_000
    )
    qtbot.waitUntil(lambda: why_no_new_run(workspace) == "", timeout=20_000)
    assert why_no_new_run(workspace, config.replace(split="none")) == ""
