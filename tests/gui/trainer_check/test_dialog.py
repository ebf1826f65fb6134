"""Check a trainer…: what it asks, what it shows of a right, a wrong and a hostile trainer, and its
report.
"""

from __future__ import annotations

import json
import os

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from shiboken6 import isValid

import bpe_studio as bpe
from bpe_studio.explain.names import isolated
from bpe_studio.gui.trainer_check import dialog as dialog_module
from bpe_studio.gui.trainer_check import form as form_module
from bpe_studio.gui.trainer_check.dialog import TrainerCheckDialog
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.state import OpeningRequest, State

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest widest\n"
PERSIAN = "سلام به دنیا سلام به همه دنیای سلام همه دنیا\n" * 3
CONFIG = bpe.TrainingConfig.preset("textbook", merges=6)
PATIENCE_MS = 60_000


def merges_of(text, config=CONFIG):
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    return [(merge.left, merge.right) for merge in run.merges]


@pytest.fixture
def homework(tmp_path):
    """Writes a Python file whose function returns some merges, or does what some lines say."""

    def write(merges=(), body=""):
        path = tmp_path / "homework.py"
        lines = body or f"    return {list(merges)!r}"
        path.write_text(
            f"def helper(): pass\ndef train(text, vocab_size):\n{lines}\n", encoding="utf-8"
        )
        return path

    return write


@pytest.fixture
def open_dialog(qtbot, trained_workspace):
    """Opens the dialog over a trained text; it is closed at the end."""
    opened = []

    def show(path=None, text=TEXT, workspace=None):
        workspace = trained_workspace(text, CONFIG) if workspace is None else workspace
        dialog = TrainerCheckDialog(workspace, WindowSettings(), path)
        dialog.open()
        opened.append(dialog)
        return workspace, dialog

    yield show
    for dialog in filter(isValid, opened):
        dialog.accept()


def checked(qtbot, workspace, dialog):
    dialog.start.click()
    qtbot.waitUntil(lambda: workspace.trainer_checker.progress is None, timeout=PATIENCE_MS)


def test_without_a_trainer_it_invites(open_dialog):
    _, dialog = open_dialog()
    assert dialog.invitation.isVisible() and not dialog.start.isVisible()
    assert dialog.invitation.findChild(QLabel, "check.invitation").text()


def test_a_right_trainer_on_the_text_and_settings_that_are_open(qtbot, open_dialog, homework):
    workspace, dialog = open_dialog(homework(merges_of(TEXT)))
    question = dialog.form.question
    assert question.place.info is workspace.corpus and question.config == CONFIG
    checked(qtbot, workspace, dialog)
    assert workspace.trainer_checker.result.found.correct
    assert dialog.answer.answer.text() == "All 6 merges are right."
    assert not dialog.answer.given.isVisible()
    assert not any(each.isVisible() for each in dialog.answer.findChildren(QPushButton))


def test_right_merges_with_a_wrong_vocabulary_are_not_all_right(qtbot, open_dialog, homework):
    body = f"    return {{0: b''}}, {merges_of(TEXT)!r}"
    workspace, dialog = open_dialog(homework(body=body))
    checked(qtbot, workspace, dialog)
    assert dialog.answer.answer.text() == "All 6 merges are right."
    assert "The vocabulary has 1 token" in dialog.answer.others.text()


@pytest.mark.parametrize("text", [TEXT, PERSIAN])
def test_a_wrong_trainer_has_both_pairs_their_words_the_mistake_and_its_lesson(
    qtbot, open_dialog, homework, text
):
    given = merges_of(text, CONFIG.replace(ties="greatest-bytes"))
    workspace, dialog = open_dialog(homework(given), text)
    checked(qtbot, workspace, dialog)
    found = workspace.trainer_checker.result.found
    page = dialog.answer
    wrong = found.first_wrong
    for token in (wrong.given.left, wrong.expected.left):
        assert isolated(token) in page.reason.accessibleDescription()
    assert page.answer.text() == f"Merge {wrong.rank + 1} is wrong"
    for column, pair in ((page.given, wrong.given), (page.expected, wrong.expected)):
        assert [link.text for link in column.pair.links] == [pair.left, "+", pair.right]
        row = column.words.rows[0]
        shown = [row.before[place].name for place in sorted(row.highlighted)]
        assert shown[:2] == [pair.left, pair.right] and str(pair.count) in column.count.text()
    assert any(mistake.name in page.explanation.text() for mistake in found.mistakes)
    asked = []
    dialog.lesson_requested.connect(asked.append)
    page.findChild(QPushButton, "check.lesson_0").click()
    assert asked == [found.mistakes[0].lesson]


SPLIT = "def split(text):\n    import re\n    return re.findall(r'[a-z]+| ', text)\n"
SPLIT_RUBRIC = """\
tests:
  - {name: The first piece, points: 2, merges: 1}
  - {name: All pieces, points: 4}
  - {name: One mistake, points: 1, mistakes: 1}
"""


def test_a_split_has_its_first_wrong_piece_in_the_text_the_mistake_and_marks(
    qtbot, open_dialog, tmp_path, monkeypatch
):
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text(SPLIT_RUBRIC, encoding="utf-8")
    monkeypatch.setattr(dialog_module, "ask_for_file", lambda *_: rubric)
    function = tmp_path / "mine.py"
    function.write_text(SPLIT, encoding="utf-8")
    pieces = tmp_path / "pieces.json"
    pieces.write_text(json.dumps(TEXT.split()), encoding="utf-8")
    workspace, dialog = open_dialog(function)
    assert dialog.form.kind.currentData() == "split"
    assert not dialog.form.vocab_size.isVisible() and not dialog.form.encoded.isVisible()
    checked(qtbot, workspace, dialog)
    found = workspace.trainer_checker.result.found
    page = dialog.answer
    assert found.first_wrong == 1 and page.answer.text() == found.sentences[0]
    assert "low" in page.reason.text() and page.explanation.text() and not page.both.isVisible()
    dialog.rubric.click()
    assert [fact.text for fact in page.marks.facts] == ["2 of 2", "0 of 4", "1 of 1", "3 of 7"]
    assert found.sentences[0] in page.report and "In all: 3 of 7" in page.report
    dialog.take([str(pieces)])
    assert not dialog.form.function.isVisible()
    checked(qtbot, workspace, dialog)
    assert workspace.trainer_checker.result.found.correct
    assert page.answer.text() in page.report and not page.reason.isVisible()
    assert page.marks.facts[-1].text == "7 of 7"
    function.write_text("def split(text):\n    return 1 / 0\n", encoding="utf-8")
    dialog.take([str(function)])
    checked(qtbot, workspace, dialog)
    assert "ZeroDivisionError" in page.answer.text() and page.marks.facts[-1].text == "0 of 7"


def test_an_endless_trainer_is_cancelled_and_its_process_ends(
    qtbot, open_dialog, homework, tmp_path
):
    started = tmp_path / "pid"
    body = f"    import os\n    open({str(started)!r}, 'w').write(str(os.getpid()))\n    while True: pass"
    workspace, dialog = open_dialog(homework(body=body))
    dialog.start.click()
    qtbot.waitUntil(lambda: started.exists() and bool(started.read_text()), timeout=PATIENCE_MS)
    assert (
        dialog.cancel.isVisible()
        and dialog.progress.is_unknown
        and "homework.py" in dialog.doing.text()
    )

    def is_gone():
        try:
            os.kill(int(started.read_text()), 0)
        except OSError:
            return True
        return False

    dialog.cancel.click()
    assert dialog.form.isVisible() and workspace.trainer_checker.result is None
    qtbot.waitUntil(is_gone, timeout=PATIENCE_MS)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    return 1 / 0", "ZeroDivisionError in line 3"),
        ("    return (", "SyntaxError"),
        ("    return 7", "7"),
    ],
)
def test_a_broken_trainer_has_one_sentence(qtbot, open_dialog, homework, body, said):
    workspace, dialog = open_dialog(homework(body=body))
    checked(qtbot, workspace, dialog)
    assert said in dialog.answer.answer.text() and not dialog.answer.given.isVisible()
    assert workspace.trainer_checker.result is None


def test_a_list_has_as_many_merges_as_it_has(qtbot, open_dialog, tmp_path):
    path = tmp_path / "merges.txt"
    path.write_text("\n".join(" ".join(pair) for pair in merges_of(TEXT)[:4]), encoding="utf-8")
    workspace, dialog = open_dialog(path)
    assert dialog.form.question.as_many and not dialog.form.function.isVisible()
    checked(qtbot, workspace, dialog)
    assert dialog.answer.answer.text() == "All 4 merges are right."
    dialog.change.click()
    dialog.form.vocab_size.setValue(6)
    checked(qtbot, workspace, dialog)
    assert dialog.answer.answer.text() == "Merge 5 is missing"
    path.write_bytes(b"\xff\xfe\xfd")
    checked(qtbot, workspace, dialog)
    assert "merges.txt" in dialog.answer.answer.text() and dialog.answer.reason.isHidden()


def test_marks_and_report_and_the_next_trainer(qtbot, open_dialog, homework, tmp_path, monkeypatch):
    rubric = {"tests": [{"name": "First", "points": 4, "merges": 1}, {"name": "All", "points": 3}]}
    (tmp_path / "rubric.json").write_text(json.dumps(rubric))
    workspace, dialog = open_dialog(homework(merges_of(TEXT)[:2]))
    checked(qtbot, workspace, dialog)
    monkeypatch.setattr(dialog_module, "ask_for_file", lambda *_: tmp_path / "rubric.json")
    dialog.rubric.click()
    marks = [(fact.label, fact.text) for fact in dialog.answer.marks.facts]
    assert marks == [("First", "4 of 4"), ("All", "0 of 3"), ("In all", "4 of 7")]
    report = tmp_path / "report.txt"
    monkeypatch.setattr(dialog_module, "ask_for_place", lambda *_: report)
    dialog.save.click()
    qtbot.waitUntil(lambda: str(report) in dialog.note.text())
    written = report.read_text(encoding="utf-8")
    assert str(workspace.trainer_checker.result.found) in written and "In all: 4 of 7" in written
    dialog.accept()
    _, dialog = open_dialog(workspace=workspace)
    assert dialog.answer.answer.text() == "Merge 3 is missing"
    _, dialog = open_dialog(homework(body="    return 1 / 0"), workspace=workspace)
    checked(qtbot, workspace, dialog)
    assert dialog.answer.marks.facts[-1].text == "0 of 7"


def test_texts_with_their_tokens_check_an_encoder_too(
    qtbot, open_dialog, homework, tmp_path, monkeypatch
):
    path = tmp_path / "words.jsonl"
    path.write_text(json.dumps({"text": TEXT.split()[0], "tokens": list(TEXT.split()[0])}))
    workspace, dialog = open_dialog(homework(merges_of(TEXT)))
    monkeypatch.setattr(form_module, "ask_for_file", lambda *_: path)
    dialog.form.encoded.setCurrentIndex(dialog.form.encoded.count() - 1)
    dialog.form.encoded.activated.emit(dialog.form.encoded.currentIndex())
    checked(qtbot, workspace, dialog)
    assert "encode-not-merged" in dialog.answer.others.text()
    assert "words.jsonl" in dialog.answer.about.text()
    path.write_text("no JSON")
    checked(qtbot, workspace, dialog)
    assert "words.jsonl" in dialog.answer.answer.text()
    dialog.accept()
    _, dialog = open_dialog(workspace=workspace)
    assert dialog.form.question.encoded == path


def dropped(window, path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    copy = Qt.DropAction.CopyAction
    no_keys = Qt.KeyboardModifier.NoModifier
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(5, 5), copy, mime, left, no_keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), copy, mime, left, no_keys))


def test_a_dropped_trainer_is_offered_to_be_checked_or_opened_as_a_text(
    qtbot, make_window, homework, tmp_path
):
    window = make_window(1280, 720)
    dropped(window, homework(merges_of(TEXT)))
    dialog = window.findChild(TrainerCheckDialog)
    assert dialog.form.isVisible() and window.workspace.state is State.empty
    dialog.form.as_text.click()
    qtbot.waitUntil(lambda: window.workspace.state is State.ready, timeout=PATIENCE_MS)
    assert window.workspace.corpus.name == "homework.py"
    (tmp_path / "other.py").write_text("x = 'no function here'\n")
    dropped(window, tmp_path / "other.py")
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "other.py", timeout=PATIENCE_MS)


def test_what_is_dropped_while_the_page_is_open_is_for_that_page(
    qtbot, make_window, homework, tmp_path
):
    window = make_window(1280, 720)
    window.files.check_trainer()
    dialog = window.findChild(TrainerCheckDialog)
    dropped(window, homework(merges_of(TEXT)))
    assert dialog.form.isVisible() and dialog.form.question.path.name == "homework.py"
    path = tmp_path / "merges.txt"
    path.write_text("h u\n")
    dropped(window, path)
    assert dialog.form.question.path == path
    assert window.findChildren(TrainerCheckDialog) == [dialog]
    dialog.accept()
    dropped(window, path)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=PATIENCE_MS)


def test_both_runs_are_opened_at_the_first_wrong_merge(
    qtbot, make_window, homework, tmp_path, monkeypatch
):
    window = make_window(1280, 720)
    workspace = window.workspace
    workspace.opener.open(OpeningRequest("a text", text=TEXT), CONFIG)
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    given = merges_of(TEXT, CONFIG.replace(ties="greatest-bytes"))
    window.files.check_trainer(homework(given))
    dialog = window.findChild(TrainerCheckDialog)
    checked(qtbot, workspace, dialog)
    rank = workspace.trainer_checker.result.found.first_wrong.rank
    path = tmp_path / "both.bpestudio"
    monkeypatch.setattr(dialog_module, "ask_for_place", lambda *_: path)
    dialog.answer.both.click()
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2, timeout=PATIENCE_MS)
    assert workspace.corpus.name == "a text" and workspace.step == rank
    right, other = (entry.run.merges for entry in workspace.runs.entries)
    assert (right[rank].left, right[rank].right) == merges_of(TEXT)[rank]
    assert (other[rank].left, other[rank].right) == given[rank]


def test_a_lesson_is_opened_by_its_title_and_the_palette_finds_the_page(qtbot, make_window):
    window = make_window(1280, 720)
    window.lessons.choose_language("English")
    window.files.lesson_requested.emit("Two right answers: low, newest and a tie")
    assert window.workspace.lesson.lesson.title == "Two right answers: low, newest and a tie"
    window.open_palette()
    palette = window.palette_of_actions
    for word in ("check a trainer", "student", "homework", "mistake"):
        palette.input.setText(word)
        assert palette.rows.found[0][0].key == "check.show", word
    palette.close_palette()
