"""The dialog that checks a trainer: the form, then the running check, then the answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QStackedWidget, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import percent
from bpe_studio.gui.background.file_writing import Written, try_write
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.trainer_check.answer_page import AnswerPage
from bpe_studio.gui.trainer_check.form import CheckForm, Invitation
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, scrolled
from bpe_studio.gui.widgets.controls import enable, finish_controls, named
from bpe_studio.gui.widgets.drop_target import DropTarget
from bpe_studio.gui.widgets.file_dialogs import ask_for_file, ask_for_place
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, begin_form, size_within
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.opening.trainer_checker import CheckedTrainer

if TYPE_CHECKING:
    from bpe_studio.explain.check.check import Check
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.opening.trainer_checker import TrainerQuestion
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

RUBRICS = "Rubrics (*.yaml *.yml *.json)"
WIDTH_EM = 44
HEIGHT_EM = 40
_CHECK = "Compares the trainer's merges with the right ones"
_RUBRIC = "Chooses a rubric; this trainer and the next ones then get points"
_ACTION = QDialogButtonBox.ButtonRole.ActionRole


class TrainerCheckDialog(QDialog):
    """One page at a time: the form, the running check, the answer.

    Args:
        workspace: has the checker, the corpus and the run.
        memory: remembers the folder of files.
        path: the trainer to check; None for the answer to the last question, if there was one.

    Signals:
        lesson_requested: str, the title of a lesson.
        open_requested: list of str, a Python file to open as a text, or a document with two runs.
    """

    lesson_requested = Signal(str)
    open_requested = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings,
        path: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._checker = workspace.trainer_checker
        self._memory = memory
        self._is_target = False
        begin_form(self, "check", "Check a trainer")
        self.invitation = Invitation(self)
        self.form = CheckForm(workspace, memory, self)
        self.answer = AnswerPage(self)
        self._running = self._running_page()
        self.pages = QStackedWidget(self)
        self._answer_area = scrolled(self.answer, "check.area")
        self._form_area = scrolled(self.form, "check.form_area")
        for page in (self.invitation, self._form_area, self._running, self._answer_area):
            self.pages.addWidget(page)
        self.note = named(Note("", "help", self), "check.note", "Result of saving")
        self._buttons = self._row_of_buttons()
        column(
            (self.pages, 1), self.note, GROUP_PX, self._buttons, parent=self, margins=FORM_MARGINS
        )
        self._writer = LatestAnswer(try_write, self, keeps_late=True)
        self._runs_writer = LatestAnswer(try_write, self, keeps_late=True)
        self._drops = DropTarget(self)
        self._connect()
        finish_controls(self)
        self.resize(self.sizeHint())
        if self._checker.question is not None:
            self.form.show_question(self._checker.question)
        if path is not None:
            self.form.show_trainer(path)
        has_answer = self._checker.result is not None or bool(self._checker.problem)
        first = self._answer_area if has_answer and path is None else self._asking
        self._show_page(first)

    @property
    def _asking(self) -> QWidget:
        return self._form_area if self.form.has_trainer else self.invitation

    def _running_page(self) -> QWidget:
        page = QWidget(self)
        self.doing = statement("check.doing", "Activity")
        self.progress = named(ProgressLine(page), "check.progress", "Progress of the check")
        self.progress.setFixedHeight(8)
        column(self.doing, SPACING_PX, self.progress, STRETCH, parent=page)
        return page

    def _row_of_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(self)
        self.save = self._button(
            buttons, "&Save report…", "save", "Writes the answer and the marks into a file"
        )
        self.rubric = self._button(buttons, "&Rubric…", "rubric", _RUBRIC)
        self.change = self._button(
            buttons, "C&hange…", "change", "Checks another trainer, or by other settings"
        )
        self.start = self._button(buttons, "&Check", "start", _CHECK)
        self.cancel = self._button(buttons, "Cancel", "cancel", "Stops the trainer (Esc)")
        self.close_it = self._button(buttons, "Close", "close", "Closes this page (Esc)")
        return buttons

    def _button(self, buttons: QDialogButtonBox, text: str, key: str, tip: str) -> QPushButton:
        button = buttons.addButton(text, _ACTION)
        button.setAutoDefault(False)
        return named(button, f"check.{key}", text.replace("&", ""), tip)

    def _connect(self) -> None:
        checker = self._checker
        checker.changed.connect(self._on_changed)
        checker.progress_changed.connect(self._on_progress)
        self.invitation.choose.clicked.connect(self.form.choose_trainer)
        self.form.changed.connect(self._on_form_changed)
        self.form.text_requested.connect(self._on_open_requested)
        self.answer.lesson_requested.connect(self._on_lesson_requested)
        self.start.clicked.connect(self._on_start)
        self.cancel.clicked.connect(checker.cancel)
        self.close_it.clicked.connect(self.accept)
        self.change.clicked.connect(self._on_change)
        self.rubric.clicked.connect(self._on_rubric)
        self.save.clicked.connect(self._on_save)
        self.answer.runs_requested.connect(self._on_runs_requested)
        self._writer.answered.connect(self._on_written)
        self._runs_writer.answered.connect(self._on_runs_written)
        self._drops.files_dropped.connect(self.take)
        self._drops.hovered.connect(self._on_hovered)
        self.finished.connect(self._on_finished)

    def sizeHint(self) -> QSize:
        return size_within(self, WIDTH_EM, HEIGHT_EM)

    def reject(self) -> None:
        """Stop a running check on Esc, or else close the page."""
        if self._checker.progress is not None:
            self._checker.cancel()
        else:
            super().reject()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._is_target:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(theme.accent(self.palette()), 2, Qt.PenStyle.DashLine))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(6, 6, -6, -6), 10, 10)

    def _show_page(self, page: QWidget) -> None:
        if page is self._answer_area:
            self.answer.show_answer(self._checker)
        self.pages.setCurrentWidget(page)
        self.note.set_message("")
        self._refresh()
        if page is self._running:
            self.cancel.setFocus()
        elif page is self._form_area:
            self.start.setFocus()
        elif page is self.invitation:
            self.invitation.choose.setFocus()
        else:
            self.close_it.setFocus()

    @Slot()
    def _refresh(self) -> None:
        page = self.pages.currentWidget()
        is_answer = page is self._answer_area
        is_running = page is self._running
        for button in (self.save, self.rubric, self.change):
            button.setVisible(is_answer)
        self.start.setVisible(page in (self._form_area, self._answer_area))
        start = "&Check again" if is_answer else "&Check"
        self.start.setText(start)
        self.start.setDefault(page is self._form_area)
        self.cancel.setVisible(is_running)
        self.close_it.setVisible(not is_running)
        self.note.setVisible(bool(self.note.text()))
        enable(self.start, _CHECK, self.form.why_not)

    @Slot()
    def _on_form_changed(self) -> None:
        if self.pages.currentWidget() is self.invitation and self.form.has_trainer:
            self._show_page(self._form_area)
        else:
            self._refresh()

    @Slot()
    def _on_start(self) -> None:
        if not self.form.why_not:
            self.form.vocab_size.interpretText()
            self._checker.check(self.form.question)

    @Slot(object)
    def _on_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            share = progress.fraction
            doing = progress.what
            most = 0
            if share is not None:
                doing = f"{progress.what}: {percent(share, 0)}"
                most = 100
            self.doing.setText(doing)
            self.progress.setRange(0, most)
            self.progress.setValue(round(100 * (share or 0.0)))

    @Slot()
    def _on_changed(self) -> None:
        checker = self._checker
        if checker.progress is not None:
            self._show_page(self._running)
        elif checker.result is not None or checker.problem:
            self._show_page(self._answer_area)
        else:
            self._show_page(self._asking)

    @Slot()
    def _on_change(self) -> None:
        self._show_page(self._form_area)

    @Slot()
    def _on_rubric(self) -> None:
        from bpe_studio.explain.check.grading import read_rubric

        path = ask_for_file(self, self._memory, "Choose a rubric", RUBRICS)
        if path is None:
            return
        try:
            self._checker.rubric = read_rubric(path)
        except BpeError as error:
            self._say(str(error), "error")
            return
        self._show_page(self._answer_area)

    @Slot()
    def _on_save(self) -> None:
        question = self._checker.question
        assert question is not None
        name = f"{question.path.stem}-check.txt"
        path = ask_for_place(self, self._memory, "Save the report", name, "Reports")
        if path is not None:
            self._writer.ask(self.answer.report.encode("utf-8", "surrogatepass"), path)

    @Slot(object)
    def _on_written(self, written: Written) -> None:
        if written.problem:
            self._say(written.problem, "error")
        else:
            self._say(f"The report was saved as {written.path}.", "plain")

    @Slot()
    def _on_runs_requested(self) -> None:
        question = self._checker.question
        result = self._checker.result
        assert question is not None and isinstance(result, CheckedTrainer)
        name = f"{question.path.stem}-check.bpestudio"
        path = ask_for_place(self, self._memory, "Save both runs", name, "BPE Studio documents")
        if path is not None:
            self._runs_writer.ask(partial(_both_runs, question, result.found), path)

    @Slot(object)
    def _on_runs_written(self, written: Written) -> None:
        if written.problem:
            self._say(written.problem, "error")
        else:
            self._on_open_requested([str(written.path)])

    def _say(self, text: str, role: str) -> None:
        self.note.set_message(text, role)
        self.note.setVisible(bool(text))

    @Slot(object)
    def take(self, paths: Sequence[str]) -> None:
        """Show a dropped file in the form, unless another one is being checked."""
        if self._checker.progress is None:
            self.form.show_trainer(Path(paths[0]))
            self._show_page(self._form_area)

    @Slot(bool)
    def _on_hovered(self, is_over: bool) -> None:
        self._is_target = is_over
        self.update()

    @Slot(object)
    def _on_open_requested(self, paths: list[str]) -> None:
        self.accept()
        self.open_requested.emit(paths)

    @Slot(str)
    def _on_lesson_requested(self, title: str) -> None:
        self.accept()
        self.lesson_requested.emit(title)

    @Slot()
    def _on_finished(self) -> None:
        self._checker.cancel()
        self.deleteLater()


def _both_runs(question: TrainerQuestion, found: Check) -> bytes:
    """The document with the right run and the given one."""
    from bpe_studio.files.document.writing import pack
    from bpe_studio.files.text.reading import LENIENT_READING

    info = question.place.info
    if info is None:
        return pack(found.document(question.text_name, LENIENT_READING))
    return pack(found.document(info.name, info.request.reading))
