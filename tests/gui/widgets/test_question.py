"""The question before something is lost, and the file of which the file dialog knew nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLabel

from bpe_studio.gui.widgets import question
from bpe_studio.gui.widgets.file_dialogs import ask_for_place
from bpe_studio.gui.widgets.question import Answer, Question
from bpe_studio.gui.widgets.window_settings import WindowSettings

ROLE = QDialogButtonBox.ButtonRole


@pytest.fixture
def asked(qtbot):
    answers = (
        Answer("save", "&Save…", "Saves it", 7, ROLE.AcceptRole),
        Answer("no", "Cancel", "Keeps it", 0, ROLE.RejectRole),
    )
    dialog = Question("q", "Title", "Save it?", "You lose 3 marks.", answers)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_the_first_answer_is_the_default_and_escape_the_way_out(qtbot, asked):
    assert asked.buttons["save"].isDefault() and asked.buttons["save"].objectName() == "q.save"
    assert asked.buttons["save"].accessibleName() == "Save"
    assert all(button.icon().isNull() for button in asked.buttons.values())
    assert (
        asked.findChild(QLabel, "q.lost").text()
        == "You lose 3 marks."
        == asked.accessibleDescription()
    )
    with qtbot.waitSignal(asked.finished) as said:
        QTest.keyClick(asked, Qt.Key.Key_Return)
    assert said.args == [7]
    asked.show()
    with qtbot.waitSignal(asked.finished) as said:
        QTest.keyClick(asked, Qt.Key.Key_Escape)
    assert said.args == [0]


def test_a_file_is_replaced_after_one_question(tmp_path, monkeypatch, qapp):
    memory = WindowSettings()
    options = set()

    def ask():
        return ask_for_place(None, memory, "Save the merges", "merges.csv", "Tables")

    def chosen(*arguments):
        options.add(arguments[-1])
        return str(tmp_path / "mine"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", chosen)
    monkeypatch.setattr(question, "UNSEEN", ())
    said = []
    answers = [0, 1]

    def answered(dialog):
        said.append(dialog.findChild(QLabel, "replace.question").text())
        return answers.pop(0)

    monkeypatch.setattr(Question, "exec", answered)
    whole = tmp_path / "mine.csv"
    assert ask() == whole and not said, "there is nothing to lose"
    whole.write_text("x")
    assert ask() is None and said == ["Replace mine.csv?"]
    assert ask() == whole
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(whole), ""))
    answers += [0, 1]
    assert ask() is None and ask() == whole and len(said) == 4, (
        "nor one whose whole name was chosen"
    )
    assert options == {QFileDialog.Option.DontConfirmOverwrite}, "the file dialog does not ask, too"
