"""Another run of the same text beside the open one: asked for in the dialog or by one click, and compared."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QSpinBox

from bpe_studio.engine.analysis.divergence import explain_divergence
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.explain.names import visible_white_space
from bpe_studio.gui.actions_on.targets import content_of
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from bpe_studio.gui.runs.compare.choice import END, SIZE, STEP
from bpe_studio.gui.runs.compare.divergence_view import CutWordsModel
from bpe_studio.gui.runs.new_run_dialog import NewRunDialog, why_no_new_run
from bpe_studio.gui.runs.panel import RunsPanel
from bpe_studio.gui.runs.tree_model import RunTreeModel
from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.session import ROOT
from bpe_studio.workspace.state import OpeningRequest, State
from bpe_studio.workspace.workspace import Workspace

TEXT = "The theme then other thin thing, 1234 low lower newest widest. سلام دنیا سلام\n" * 9
GPT2 = TrainingConfig.preset("gpt2", vocab_size=300)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, GPT2)


@pytest.fixture
def panel(shown, workspace):
    return shown(RunsPanel(workspace), 1300, 400)


@pytest.fixture
def dialog(qtbot, panel):
    QTest.mouseClick(panel.new, Qt.MouseButton.LeftButton, pos=QPoint(8, panel.new.height() // 2))
    found = [each for each in QApplication.topLevelWidgets() if isinstance(each, NewRunDialog) and each.isVisible()]
    assert len(found) == 1
    yield found[0]
    QApplication.processEvents()


def learn(qtbot, panel, workspace, config, name=""):
    n = len(workspace.runs.entries)
    workspace.side_runs.train(config, name)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) > n and workspace.state is not State.loading)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    return workspace.runs.entries[-1]


def choose(widget, name, value):
    box = widget.findChild(QComboBox, name)
    box.setCurrentIndex(box.findData(value))


def compare_ends(qtbot, panel):
    panel.choice.measure.setFocus()
    QTest.keyClick(panel.choice.measure, Qt.Key.Key_End)
    assert panel.choice.measured == END
    qtbot.waitUntil(lambda: panel.is_up_to_date)


def column(model, number):
    return [model.text(row, number) for row in range(model.rowCount())]


# Asking for a run.


def test_the_dialog_begins_from_the_open_run_and_learns_nothing_alike(dialog, workspace):
    assert dialog.draft.config == workspace.config
    assert dialog.differs.text().startswith("The same settings as Main run")
    assert not dialog.learn.isEnabled() and "has these settings already" in dialog.learn.toolTip()


def test_a_changed_option_is_said_in_one_line_and_learned(dialog, panel, workspace, qtbot):
    choose(dialog, "new_run.split", "cl100k")
    assert dialog.differs.text() == "Differs from Main run in: split cl100k instead of gpt2"
    assert dialog.status.text() == "The text is read and split again"
    assert dialog.name.placeholderText() == "split cl100k"
    dialog.draft.preview.set_text("1234")
    dialog.draft.preview.refresh()
    assert [chip.text for chip in dialog.draft.preview.flow.chips] == ["123", "4"]
    QTest.keyClicks(dialog.findChild(QLineEdit, "new_run.name"), "digits in threes")
    QTest.mouseClick(dialog.learn, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading)
    beside = workspace.runs.entries[1]
    assert beside.name == "digits in threes" and beside.is_side_run and beside.config.split == "cl100k"
    assert workspace.runs.shown.number == ROOT, "what is shown stays"
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [side.number for side in panel.shown.sides] == [ROOT, beside.number], "the two are compared by themselves"


def test_the_preview_is_next_to_the_form_and_begins_with_the_corpus(dialog, workspace):
    form, preview = dialog.draft, dialog.draft.preview
    assert preview.mapTo(dialog, QPoint(0, 0)).x() >= form.mapTo(dialog, QPoint(form.width(), 0)).x()
    beginning = preview.text.toPlainText()
    whole = corpus_excerpt(workspace.corpus)
    assert beginning and whole.startswith(beginning)
    assert whole[len(beginning) :][:1].strip() == "", "no word is cut"
    preview.refresh()
    assert "".join(chip.text for chip in preview.flow.chips[:2]) in visible_white_space(beginning)


def test_what_differs_from_the_open_run_is_marked_in_the_form(dialog):
    labels = dialog.draft.form._labels
    assert not any(label.font().bold() for label in labels.values())
    choose(dialog, "new_run.split", "cl100k")
    assert [name for name, label in labels.items() if label.font().bold()] == ["split"]
    assert labels["split"].toolTip() == "cl100k instead of gpt2"
    choose(dialog, "new_run.split", "gpt2")
    assert not labels["split"].font().bold()


def test_the_dialog_is_used_by_keyboard_alone(dialog, workspace, qtbot):
    chain, widget = [], dialog.draft.preset
    while widget is not dialog.learn and len(chain) < 200:
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            chain.append(widget.objectName())
        widget = widget.nextInFocusChain()
    wanted = ["preset", "vocab_size", "min_frequency", "units", "split", "ties", "more", "preview_text", "name"]
    assert [name for name in chain if name.removeprefix("new_run.") in wanted] == [f"new_run.{name}" for name in wanted]
    choose(dialog, "new_run.split", "none")
    assert dialog.learn.isDefault()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading)


def test_escape_learns_nothing(dialog, workspace):
    choose(dialog, "new_run.split", "none")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible() and workspace.state is State.done and len(workspace.runs.entries) == 1


def test_another_trainer_keeps_the_target(dialog):
    choose(dialog, "new_run.preset", "sentencepiece")
    assert dialog.draft.config.ties == "sentencepiece" and dialog.draft.config.vocab_size == 300
    assert "more" in dialog.differs.text()


def test_settings_that_make_no_sense_cannot_be_learned(dialog):
    choose(dialog, "new_run.preset", "gpt2")
    dialog.findChild(QSpinBox, "new_run.vocab_size").setValue(10)
    assert not dialog.learn.isEnabled() and "too small" in dialog.learn.toolTip()
    assert dialog.status.role == "error"


def test_another_target_alone_is_no_other_run(dialog):
    dialog.findChild(QSpinBox, "new_run.vocab_size").setValue(400)
    assert not dialog.learn.isEnabled()


def test_cancel_learns_nothing(dialog, workspace):
    choose(dialog, "new_run.split", "none")
    QTest.mouseClick(dialog.findChild(QPushButton, "new_run.cancel"), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible() and workspace.state is State.done and len(workspace.runs.entries) == 1


def test_the_controls_of_the_dialog_are_not_those_of_the_panel(dialog):
    names = [each.objectName() for each in dialog.findChildren(QComboBox)]
    assert "new_run.split" in names and not [name for name in names if name.startswith("settings.")]


def test_one_click_in_the_invitation_learns_and_compares(panel, workspace, qtbot):
    assert panel.invitation.isVisible()
    button = next(each for each in panel.invitation.buttons if each.objectName() == "branches.try_ties")
    assert "first-seen instead of huggingface" in button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [branch.config.ties for branch in workspace.runs.entries] == ["huggingface", "first-seen"]
    assert panel.view.isVisible() and not panel.invitation.isVisible()


def test_what_is_suggested_follows_the_settings_once_it_is_seen(panel, workspace, qtbot):
    def titles() -> list[str]:
        return [each.text() for each in panel.invitation.buttons if each.isVisible()]

    before = titles()
    panel.hide()
    shown = panel.invitation._shown
    workspace.settings.apply(workspace.config.replace(split="cl100k"))
    qtbot.waitUntil(lambda: workspace.config.split == "cl100k" and workspace.state is State.ready)
    assert panel.invitation._shown is shown, "nothing is worked out while it is hidden"
    panel.show()
    assert len(before) == len(titles()) == 4 and titles() != before


def test_without_a_text_nothing_is_suggested(qtbot):
    workspace = Workspace()
    panel = RunsPanel(workspace)
    qtbot.addWidget(panel)
    assert (
        not any(each.isVisibleTo(panel) for each in panel.invitation.buttons)
        and not panel.new.isEnabled()
        and "open a text" in panel.new.toolTip()
    )
    workspace.shutdown()


def test_where_the_text_is_not_there_another_cut_is_refused_with_the_reason(panel, workspace):
    object.__setattr__(workspace.corpus, "request", OpeningRequest("words.txt"))
    assert "cannot be split differently" in why_no_new_run(workspace, GPT2.replace(split="none"))
    assert why_no_new_run(workspace, GPT2.replace(ties="raw-ids")) == ""


def test_words_that_came_with_their_counts_are_learned_by_any_settings(workspace, qtbot):
    config = TrainingConfig.preset("textbook")
    workspace.opener.open_with(OpeningRequest("Words", counts=(("hug", 10), ("pug", 5))), config)
    qtbot.waitUntil(lambda: workspace.corpus is not None and workspace.corpus.name == "Words", timeout=20_000)
    qtbot.waitUntil(lambda: why_no_new_run(workspace) == "", timeout=20_000)
    assert why_no_new_run(workspace, config.replace(split="none")) == ""


# Comparing.


def test_runs_stand_beside_each_other_with_their_own_branches(panel, workspace, qtbot):
    beside = learn(qtbot, panel, workspace, GPT2.replace(split="cl100k", ties="raw-ids"), "other")
    workspace.runs.show(beside.number)
    workspace.runs.branch_off(Override(3, OverrideKind.force, "n", "g"), "ng first")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 3 and workspace.state is not State.loading)
    model = panel.tree.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["Main run", "other"]
    inside = model.index(1, 0)
    assert model.index(0, 0, inside).data() == "ng first · shown"
    assert model.text(beside.number, RunTreeModel.CHANGED) == "split cl100k, ties raw-ids"
    assert "comparison run: split cl100k" in model.tip(beside.number)


def test_what_differs_in_the_settings_stands_a_line_each(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, GPT2.replace(split="cl100k", ties="raw-ids"))
    rows = panel.view.settings.rows
    assert [column(rows, k) for k in range(3)] == [["Split", "Ties"], ["gpt2", "huggingface"], ["cl100k", "raw-ids"]]
    assert panel.facts.differs.text() == "split: gpt2 in A, cl100k in B; ties: huggingface in A, raw-ids in B"


def test_of_a_branch_the_decision_stands_there_and_why_they_part(panel, workspace, qtbot):
    workspace.runs.branch_off(Override(2, OverrideKind.force, "n", "g"), "ng first")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    rows = panel.view.settings.rows
    assert [rows.text(0, k) for k in range(3)] == ["Overrides", "force n + g from step 2", "–"]
    why = panel.view.why
    assert why.headline.text() == "An override decides, whatever the counts"
    assert "Override in A at step 2: force n + g." in why.sentences.text()
    assert "A merges n\u00a0+\u00a0g (forced), which occurs" in why.sentences.text()


def test_a_tie_is_told_with_both_rules_and_the_count(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, GPT2.replace(ties="first-seen"))
    why, (a, b) = panel.view.why, panel.shown.sides
    found = explain_divergence(a.run, b.run, *panel.shown.steps)
    said = why.sentences.text()
    assert why.headline.text() == "The runs break a tie differently"
    assert f"each of the two pairs occurs {found.a.own_count} times in both runs" in said
    assert "smallest token ids (huggingface)" in said and "first in the text (first-seen)" in said
    assert not why.words.isVisible()


def test_another_split_is_told_with_words_that_show_it(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, GPT2.replace(split="none"))
    why, (a, b) = panel.view.why, panel.shown.sides
    found = explain_divergence(a.run, b.run, *panel.shown.steps)
    said = why.sentences.text()
    assert why.headline.text() == "The text is split into words differently" and "split gpt2 in A, none in B" in said
    assert f"occurs {found.b.own_count} times there" in said
    assert why.words.isVisible() and why.model.rowCount() == len(found.words)
    for row, word in enumerate(found.words):
        assert why.model.text(row, CutWordsModel.IN_A) == str(word.times_a)
        assert why.model.text(row, CutWordsModel.IN_B) == str(word.times_b)
        side = "ab".index(found.shown)
        assert why.model.highlighted(row, side) or not (word.times_a, word.times_b)[side], (
            "the pair is marked where it stands"
        )
    assert not why.words.grab().isNull()
    for column, run, cuts in ((CutWordsModel.A, a.run, "cut_a"), (CutWordsModel.B, b.run, "cut_b")):
        for row, word in enumerate(found.words):
            thing = why.words.target_of(why.model.index(row, column), None)
            names = [name for names in getattr(word, cuts) for name in names]
            assert thing.run is run and [run.token_name(token) for token in thing.tokens] == names
            assert content_of(thing).decode() == word.text, "its context menu is of the word"


def test_a_pair_that_cannot_stand_there_is_said_so(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, TrainingConfig.preset("sentencepiece", vocab_size=300))
    assert "cannot occur there, as B lacks one of its tokens" in panel.view.why.sentences.text()


def test_a_run_that_ends_is_told_by_its_frequency(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, GPT2.replace(min_frequency=15))
    assert panel.facts.same.text().startswith("No merge differs up to step"), "as far as both have learned"
    compare_ends(qtbot, panel)
    assert panel.view.why.headline.text() == "In one run no pair is frequent enough"
    assert "reaches the minimum frequency of 15" in panel.view.why.sentences.text()


def test_of_equal_alphabets_the_same_step_is_compared_and_each_can_be_at_its_end(panel, workspace, qtbot):
    beside = learn(qtbot, panel, workspace, GPT2.replace(min_frequency=15))
    ends = workspace.n_merges, beside.position.n_merges
    assert panel.choice.measured == STEP and panel.shown.steps == (min(ends), min(ends))
    compare_ends(qtbot, panel)
    assert panel.shown.steps == ends and ends[0] != ends[1] and not panel.choice.spin.isVisible()
    sizes = [panel.facts.cells["vocabulary", letter].text() for letter in "AB"]
    assert sizes == [str(side.run.vocab_size_at(step)) for side, step in zip(panel.shown.sides, ends, strict=True)]


def test_of_other_alphabets_the_same_vocabulary_size_is_compared(panel, workspace, qtbot):
    small = GPT2.replace(full_alphabet=False, vocab_size=90)
    workspace.settings.apply(small)
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    learn(qtbot, panel, workspace, small.replace(units="characters"))
    assert panel.choice.measured == SIZE
    sizes = [side.run.vocab_size_at(step) for side, step in zip(panel.shown.sides, panel.shown.steps, strict=True)]
    assert sizes[0] == sizes[1] == panel.choice.spin.value() == panel.choice.spin.maximum()
    panel.choice.spin.setValue(panel.choice.spin.minimum())
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert 0 in panel.shown.steps and not panel.choice.at_end.isChecked()
    found = panel.shown.found
    for letter, n_tokens, side in zip("AB", (found.n_tokens_a, found.n_tokens_b), panel.shown.sides, strict=True):
        assert panel.facts.cells["bytes per token", letter].text() == f"{side.run.corpus.size_bytes / n_tokens:.3f}"


def test_vocabularies_that_are_never_equally_large_are_compared_at_their_ends(panel, workspace, qtbot):
    config = GPT2.replace(units="characters", full_alphabet=False, vocab_size=None, merges=3)
    workspace.side_runs.train(config)
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2)
    beside = workspace.runs.entries[1]
    panel.choice._branches = ()
    small = beside.run.vocab_size_at(3)
    object.__setattr__(beside.position, "n_merges", 3)
    assert small < workspace.run.vocab_size_at(0)
    panel.choice.show_branches(workspace.runs.entries, workspace.runs.shown)
    assert panel.choice.measured == END and "never equally large" in panel.choice.measure.model().item(1).toolTip()


def test_a_new_run_is_compared_also_after_others_were_chosen_by_hand(panel, workspace, qtbot):
    first = learn(qtbot, panel, workspace, GPT2.replace(split="none"), "one")
    panel.choice.left.setFocus()
    QTest.keyClick(panel.choice.left, Qt.Key.Key_End)
    QTest.keyClick(panel.choice.right, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [side.number for side in panel.shown.sides] == [first.number, ROOT]
    second = learn(qtbot, panel, workspace, GPT2.replace(split="words"), "two")
    assert [side.number for side in panel.shown.sides] == [ROOT, second.number]
    workspace.runs.rename(second.number, "three")
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert [side.name for side in panel.shown.sides] == ["Main run", "three"]


def test_show_makes_it_the_runs_own_and_everything_follows(panel, workspace, qtbot):
    beside = learn(qtbot, panel, workspace, GPT2.replace(split="cl100k"))
    index = panel.tree.model().index_of(beside.number)
    panel.tree.setCurrentIndex(index)
    panel.tree.switch.trigger()
    assert workspace.run is beside.run and workspace.config.split == "cl100k"
    assert workspace.corpus.corpus.config.split == "cl100k"
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    assert panel.choice.chosen[1].number == beside.number, "what is compared stays, in another cut of the same text"
    workspace.runs.remove(beside.number)
    assert workspace.runs.shown.number == ROOT and panel.invitation.isVisible()


def test_the_curves_of_growth_are_drawn_once_when_another_run_is_shown(panel, workspace, qtbot):
    growth = GrowthPanel(workspace)
    qtbot.addWidget(growth)
    growth.ensure_plot()
    beside = learn(qtbot, panel, workspace, GPT2.replace(split="none"))
    drawn, draw = [], growth.plot.set_data
    growth.plot.set_data = lambda *data: (drawn.append(len(data[1])), draw(*data))[1]
    workspace.runs.show(beside.number)
    qtbot.waitUntil(lambda: bool(drawn))
    qtbot.wait(60)
    assert drawn == [beside.position.n_merges]
    workspace.runs.show(ROOT)
    assert drawn == [beside.position.n_merges, workspace.n_merges]


def test_a_long_name_is_shown_with_its_beginning_and_end_and_told_whole(panel, workspace, qtbot):
    name = "a name that is far too long for the chooser in which it stands at the moment, end"
    learn(qtbot, panel, workspace, GPT2.replace(split="none"), name)
    assert panel.choice.right.currentText() == name and name in panel.choice.right.toolTip()
    assert not panel.choice.right.grab().isNull()


def test_the_curve_says_step_and_share_under_the_mouse(panel, workspace, qtbot):
    learn(qtbot, panel, workspace, GPT2.replace(ties="first-seen"))
    panel.show_page("Tokens")
    curve = panel.facts.curve
    QTest.mouseMove(curve, QPointF(curve.width() - 3, curve.height() / 2).toPoint())
    qtbot.waitUntil(lambda: curve.chart.hovered == len(curve.chart.steps) - 1)
    assert curve.export_name and not curve.grab().isNull()
