"""The dialog that saves the tokenizer: every format and why not, the step, the place, and the
report afterwards.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.files.formats import registry
from bpe_studio.files.third_party.opened_run import OpenedRun
from bpe_studio.gui.saving.dialog import FormatChoice, SaveTokenizerDialog
from bpe_studio.gui.saving.report import ReportDialog
from bpe_studio.gui.widgets.window_settings import WindowSettings
from tests.facts import says
from tests.files.third_party.made import sentencepiece_model
from tests.trained import run_of_text

TEXT = "low low lower newest newest widest\n" * 20


@pytest.fixture
def memory(tmp_path):
    memory = WindowSettings()
    memory.folder = tmp_path
    return memory


@pytest.fixture
def ask(qtbot, trained_workspace, memory):
    def make(preset="gpt2", step=None, **options):
        workspace = trained_workspace(TEXT, TrainingConfig.preset(preset, **options))
        if step is not None:
            workspace.transport.go_to(step)
        dialog = SaveTokenizerDialog(workspace, workspace.run, memory)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: dialog.formats.is_known)
        return dialog

    return make


def test_every_format_says_what_it_keeps_or_why_it_cannot(ask):
    dialog = ask("gpt2")
    assert list(dialog.formats.buttons) == list(registry.FORMATS)
    tokenizer = run_of_text(TEXT, merges=None).tokenizer()
    for name, form in registry.FORMATS.items():
        note = dialog.formats.notes[name].text()
        why_not = "" if name == "studio" else registry.why_not(tokenizer, name)
        assert dialog.formats.buttons[name].isEnabled() == (not why_not)
        if why_not:
            assert note == f"Not possible: {why_not}"
        else:
            assert form.module.KEEPS in note and form.module.DROPS in note
    possible = {name for name, button in dialog.formats.buttons.items() if button.isEnabled()}
    assert "studio" in possible and "sentencepiece" not in possible


def test_the_format_that_a_tokenizer_of_others_has_says_what_its_own_files_keep(
    qtbot, workspace, sound_files, tmp_path
):
    (tmp_path / "a.model").write_bytes(sentencepiece_model("llama"))
    run = OpenedRun(bpe.load(tmp_path / "a.model"))
    choice = FormatChoice(run, "huggingface")
    qtbot.addWidget(choice)
    choice.set_step(len(run.merges))
    qtbot.waitUntil(lambda: choice.is_known)
    assert choice.form == "sentencepiece"
    kept = registry.kept(run.tokenizer(), "sentencepiece").sentence
    assert (
        choice.notes["sentencepiece"].text()
        == kept
        != registry.FORMATS["sentencepiece"].kept.sentence
    )
    assert (
        choice.notes["gpt2"]
        .text()
        .startswith("Not possible: Our engine can neither train this tokenizer nor")
    )


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_whole_run_is_saved_unless_the_current_step_is_chosen(qtbot, ask, is_whole):
    dialog = ask("gpt2", step=3)
    n = len(run_of_text(TEXT, merges=None).merges)
    assert dialog.whole.isChecked() and dialog.chosen_step == n
    assert says(dialog.whole.text(), n, 257 + n)
    assert dialog.step.isVisible() and says(dialog.step.text(), 3, 260)
    if not is_whole:
        dialog.step.click()
    qtbot.waitUntil(lambda: dialog.formats.is_known and dialog.save.isEnabled())
    with qtbot.waitSignal(dialog.chosen) as said:
        dialog.save.click()
    assert said.args[2] == (n if is_whole else 3)


def test_a_document_holds_every_step(qtbot, ask):
    dialog = ask("gpt2", step=3)
    dialog.step.click()
    dialog.formats.buttons["studio"].click()
    assert (
        dialog.whole.isChecked()
        and not dialog.step.isEnabled()
        and "every step" in dialog.step.toolTip()
    )
    dialog.formats.buttons["tiktoken"].click()
    assert dialog.step.isEnabled()


def test_return_saves_and_the_format_is_remembered(qtbot, ask, memory, tmp_path):
    dialog = ask("gpt2")
    dialog.formats.buttons["tiktoken"].click()
    assert dialog.path.text() == str(tmp_path / "a text-tokenizer.tiktoken")
    with qtbot.waitSignal(dialog.chosen) as said:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert said.args == [
        tmp_path / "a text-tokenizer.tiktoken",
        "tiktoken",
        len(run_of_text(TEXT, merges=None).merges),
    ]
    assert ask("gpt2").formats.form == "tiktoken"
    assert ask("textbook", merges=5).formats.form == "huggingface", (
        "where the remembered one cannot hold it"
    )
    assert memory.save_format == "tiktoken"


def test_what_is_replaced_is_said_and_what_is_wrong_cannot_be_saved(ask, tmp_path):
    dialog = ask("gpt2")
    dialog.formats.buttons["tiktoken"].click()
    (tmp_path / "old").write_text("x")
    dialog.path.setText(str(tmp_path / "old"))
    assert dialog.status.text() == "old exists and is replaced" and dialog.save.text() == "&Replace"
    for wrong, words in (
        ("", "Type the name"),
        (tmp_path / "no" / "x", "There is no folder"),
        (tmp_path, "a folder"),
    ):
        dialog.path.setText(str(wrong))
        assert not dialog.save.isEnabled() and words in dialog.status.text()
    dialog.formats.buttons["gpt2"].click()
    dialog.path.setText(str(tmp_path / "old"))
    assert not dialog.save.isEnabled() and "is a file" in dialog.status.text()
    dialog.path.setText(str(tmp_path))
    assert dialog.save.isEnabled() and "other files stay" in dialog.status.text()
    (tmp_path / "tokenizer.model").write_text("x")
    dialog.path.setText(f"{tmp_path}/")
    assert not dialog.save.isEnabled() and "tokenizer.model" in dialog.status.text()


def test_escape_saves_nothing(qtbot, ask, tmp_path):
    dialog = ask("gpt2")
    with qtbot.assertNotEmitted(dialog.chosen):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible() and not [
        each for each in tmp_path.iterdir() if each.name.startswith("a text")
    ]


def test_after_saving_the_message_has_the_comparison_and_the_path(
    qtbot, make_trained_window, tmp_path
):
    window = make_trained_window(TEXT, 12, "low")
    window.memory.folder = tmp_path
    window.actions_by_id["file.save_tokenizer"].trigger()
    dialog = window.findChild(SaveTokenizerDialog)
    qtbot.waitUntil(dialog.save.isEnabled)
    QTest.keyClick(dialog, Qt.Key.Key_Return)  # two actions: the shortcut, and Return
    qtbot.waitUntil(lambda: "Checked: " in window.banner.message.text())
    n_words = len(window.workspace.corpus.corpus)
    assert (
        f"the same tokens and ids for all {n_words} distinct words" in window.banner.message.text()
    )
    place = tmp_path / "Words-tokenizer"
    assert bpe.load(place).model.tokens == window.workspace.run.tokenizer().model.tokens
    buttons = {
        button.text(): button for button in window.banner.actions_row if not button.isHidden()
    }
    assert list(buttons) == ["Report…", "Copy path", "Show folder"]
    buttons["Copy path"].click()
    assert QGuiApplication.clipboard().text() == str(place)
    buttons["Report…"].click()
    report = window.findChild(ReportDialog)
    assert report.findChild(object, "export_report.place").text() == str(place)
    report.reject()
