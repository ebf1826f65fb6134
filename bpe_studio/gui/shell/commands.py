"""The actions of the window that need dialogs, pages or the screen.
`actions.py` has the names and shortcuts of the actions and enables them; `main_window.py` connects
them. The workspace implements the actions that change the run or the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QFont, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QTextBrowser,
    QWidget,
)

import bpe_studio
from bpe_studio.explain.merges import bookmark_name
from bpe_studio.gui.background.file_writing import Written, try_write
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.shell.actions import TABLE
from bpe_studio.gui.shell.banner import NOTICE
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.file_dialogs import ask_for_place, ask_for_texts
from bpe_studio.gui.widgets.form_dialog import size_within
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.selection import Kind
from bpe_studio.workspace.state import Failure, Notice, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bpe_studio.explain.export_report import ExportReport
    from bpe_studio.files.text.columns import ColumnChoice
    from bpe_studio.gui.command_palette.entries import Entry
    from bpe_studio.gui.help.window import HelpWindow
    from bpe_studio.gui.shell.banner import Banner
    from bpe_studio.gui.shell.document_view import DocumentView
    from bpe_studio.gui.text.panel import TextPanel
    from bpe_studio.gui.timeline.transport_bar import TransportBar
    from bpe_studio.gui.trainer_check.dialog import TrainerCheckDialog
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.gui.views.lazy_panels import LazyPanels
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.opening.tokenizers import SplitQuestion
    from bpe_studio.workspace.workspace import Workspace

DOCUMENT_FORMAT = "studio"
"""The format that is a document, which holds everything that is open."""


_MARGINS = (20, GROUP_PX, 20, GROUP_PX)
_OTHER_KEYS = (
    ("Type a tab", "Ctrl+Tab", "in the typed text, where Tab moves to the next control"),
    ("Step, by one", "← →", "while the timeline has the keyboard focus"),
    ("Step, by a twentieth", "Page Up, Page Down", "while the timeline has the keyboard focus"),
    ("Answer a question", "1 … 9", "in a lesson, if the question has answers to choose from"),
    ("Guess a pair", "1 … 4", "in the game; with Shift, for a hint"),
)


class FileCommands(QObject):
    """Asks for files to open and for places to save.

    Args:
        window: the parent of the dialogs.
        workspace: opens and saves.
        view: the part of the view that a document stores.
        banner: shows the outcome.
        memory: remembers the folder that was chosen last.

    Attributes:
        trainer_check: the page that checks a trainer, while it is open.

    Signals:
        files_chosen: list of str, the paths to open; empty if the dialog was cancelled.
        tokenizers_chosen: list of Path, the tokenizer to compare; not emitted if the dialog was
            cancelled.
        lesson_requested: str, the title of a lesson.
    """

    files_chosen = Signal(object)
    tokenizers_chosen = Signal(object)
    lesson_requested = Signal(str)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        view: DocumentView,
        banner: Banner,
        memory: WindowSettings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._view = view
        self._banner = banner
        self._memory = memory
        self.trainer_check: TrainerCheckDialog | None = None
        self._writer = LatestAnswer(try_write, self, keeps_late=True)
        self._writer.answered.connect(self._on_written)
        workspace.saver.saved.connect(self._on_saved)
        workspace.saver.compared.connect(self._on_compared)

    @Slot()
    def choose_files(self) -> None:
        """Ask for files to open."""
        self.files_chosen.emit(ask_for_texts(self._window, self._memory))

    @Slot()
    def choose_text(self) -> None:
        """Ask for the files of the text whose words are open."""
        self._workspace.opener.locate_text(
            ask_for_texts(self._window, self._memory, "Locate the text")
        )

    @Slot()
    def choose_address(self) -> None:
        """Ask for an address, a folder or a pattern to open."""
        from bpe_studio.gui.corpus.address_dialog import AddressDialog

        dialog = AddressDialog(self._memory, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.files_chosen)
        dialog.open()

    def choose_column(self, choice: ColumnChoice, go_on: Callable[[str | None], None]) -> None:
        """Ask for the column of a corpus that holds the text.

        Args:
            choice: the columns.
            go_on: called with the column, or with None to read the files as plain text; not called
                if nothing is chosen.
        """
        from bpe_studio.gui.corpus.column_dialog import ColumnDialog

        dialog = ColumnDialog(choice, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(go_on)
        dialog.open()

    def choose_split(self, question: SplitQuestion, go_on: Callable[[str], None]) -> None:
        """Ask for the pre-tokenization of a tokenizer whose file lacks it, and remember the answer.

        Args:
            question: the tokenizer, and a guess.
            go_on: called with the split; not called if nothing is chosen.
        """
        from bpe_studio.gui.corpus.split_dialog import SplitDialog

        dialog = SplitDialog(question.name, question.guess, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(partial(self._memory.remember_split, question.key))
        dialog.chosen.connect(go_on)
        dialog.open()

    @Slot()
    def choose_tokenizers(self) -> None:
        """Ask for a tokenizer to compare."""
        self._choose_tokenizer("Add a tokenizer to compare", "&Add", self.tokenizers_chosen.emit)

    @Slot()
    def look_at_tokenizer(self) -> None:
        """Ask for a tokenizer to open by itself."""
        self._look_at()

    def _look_at(self, name: str = "") -> None:
        self._choose_tokenizer(
            "Look at a tokenizer", "&Open", self._workspace.opener.open_files, name
        )

    def published_tokenizers(self) -> Iterator[Entry]:
        """The published tokenizers, for the command palette.

        Each opens the list of tokenizers with its name typed.
        """
        from bpe_studio.files.third_party.known import PUBLISHED
        from bpe_studio.gui.command_palette.entries import Entry

        for name, repository, remark, *_ in PUBLISHED:
            about = ", ".join(filter(None, (repository, remark)))
            yield Entry(
                f"known.{repository}",
                f"Look at a tokenizer: {name}",
                partial(self._look_at, name),
                about,
            )

    def _choose_tokenizer(
        self, title: str, opens: str, go_on: Callable[[list[Path]], object], name: str = ""
    ) -> None:
        from bpe_studio.gui.corpus.tokenizer_dialog import TokenizerDialog

        dialog = TokenizerDialog(title, opens, self._memory, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(go_on)
        dialog.filter.setText(name)
        dialog.open()

    @Slot()
    def paste(self) -> None:
        """Open the text on the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text:
            self._workspace.opener.open_text(text, "Pasted text")
        else:
            message = "The clipboard holds no text: copy some text, then paste it here."
            self._banner.show_notice(Notice(message))

    @Slot()
    def choose_place_to_save(self) -> None:
        """Ask for a step, a format and a place, and save the tokenizer there."""
        from bpe_studio.gui.saving.dialog import SaveTokenizerDialog

        run = self._workspace.run
        if run is None:
            return
        dialog = SaveTokenizerDialog(self._workspace, run, self._memory, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._on_tokenizer_chosen)
        dialog.open()

    @Slot()
    def extend(self) -> None:
        """Ask for a tokenizer and extend it."""
        self._change(prunes=False)

    @Slot()
    def prune(self) -> None:
        """Ask for a tokenizer, show the cost of pruning it, and prune it."""
        self._change(prunes=True)

    def _change(self, *, prunes: bool) -> None:
        from bpe_studio.gui.extending.dialog import ChangeDialog

        ChangeDialog(self._workspace, self._memory, prunes=prunes, parent=self._window).open()

    def check_trainer(self, path: Path | None = None) -> None:
        """Open the dialog that checks a trainer.

        Args:
            path: the trainer; None to ask for it.
        """
        from bpe_studio.gui.trainer_check.dialog import TrainerCheckDialog

        dialog = TrainerCheckDialog(self._workspace, self._memory, path, self._window)
        dialog.lesson_requested.connect(self.lesson_requested)
        dialog.open_requested.connect(self.files_chosen)
        dialog.finished.connect(self._on_checked)
        self.trainer_check = dialog
        dialog.open()

    @Slot()
    def _on_checked(self) -> None:
        self.trainer_check = None

    @Slot(object, str, int)
    def _on_tokenizer_chosen(self, path: Path, form: str, step: int) -> None:
        if form == DOCUMENT_FORMAT:
            self._save(path, holds_text=False)
        else:
            self._workspace.saver.save_tokenizer(path, form, step=step, is_compared=True)

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self._show_saved(path, f"The tokenizer was saved as {path}.")

    @Slot(object)
    def _on_compared(self, report: ExportReport) -> None:
        """Say that the tokenizer was saved, and offer the report."""
        from bpe_studio.gui.saving.report import ReportDialog

        path = Path(report.path)

        def show_report() -> None:
            ReportDialog(report, self._window).open()

        self._show_saved(
            path, f"The tokenizer was saved as {path}. {report.sentence}", ("Report…", show_report)
        )

    def _show_saved(self, path: Path, message: str, *more: tuple[str, Callable[[], None]]) -> None:
        from bpe_studio.gui.saving.report import copy_path, show_folder

        actions = (
            ("Copy path", partial(copy_path, path)),
            ("Show folder", partial(show_folder, path)),
        )
        self._banner.clear(NOTICE)
        self._banner.show_notice(Notice(message, is_report=True), (*more, *actions))

    @Slot(str, str)
    def save_report(self, report: str, name: str) -> None:
        """Ask for a file and save a report there.

        Args:
            report: its content.
            name: the suggested name.
        """
        path = ask_for_place(self._window, self._memory, "Save the report", name, "Reports")
        if path is not None:
            self._writer.ask(report.encode("utf-8", "surrogatepass"), path)

    @Slot(object)
    def _on_written(self, written: Written) -> None:
        if written.problem:
            self._banner.show_failure(Failure("Save the report", written.problem))
        else:
            self._show_saved(written.path, f"The report was saved as {written.path}.")

    @Slot()
    def choose_document(self, *, holds_text: bool = False) -> None:
        """Ask for a file and save a document with everything that is open there.

        Args:
            holds_text: whether it holds the text of the corpus, even if the open document does not.
        """
        info = self._workspace.corpus
        document = self._workspace.document
        stem = Path(info.name).stem if info is not None else ""
        suggested = f"{stem or 'my'}.bpestudio" if document is None else str(document.path)
        path = ask_for_place(
            self._window, self._memory, "Save a studio document", suggested, "BPE Studio documents"
        )
        if path is not None:
            self._save(path, holds_text=holds_text)

    def _save(self, path: Path, *, holds_text: bool) -> None:
        info = self._workspace.corpus
        document = self._workspace.document
        has_it = document is not None and document.holds_text and not why_no_text(info)
        self._workspace.saver.save_document(
            path, self._view.to_dict(), holds_text=holds_text or has_it
        )


class Commands(QObject):
    """The actions of the run, the panels and the help.

    Args:
        window: the parent of the dialogs.
        workspace: the open run and its selection.
        actions: every action, for the list of shortcuts.
        transport: the bar with the field for the number of merges.
        text_panel: the typed text, with the cursor at a token.
        views: brings panels to the front.
        panels: the panels.
    """

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        actions: Mapping[str, QAction],
        transport: TransportBar,
        text_panel: TextPanel,
        views: Views,
        panels: LazyPanels,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._actions = actions
        self._transport = transport
        self._text_panel = text_panel
        self._views = views
        self._panels = panels
        self._help: HelpWindow | None = None

    @Slot()
    def run_or_pause(self) -> None:
        """Run, or pause a run."""
        if self._workspace.state is State.running:
            self._workspace.transport.pause()
        else:
            self._workspace.transport.run_training()

    @Slot()
    def step_n(self) -> None:
        """Step on by the number of merges in the field."""
        self._workspace.transport.step_forward(self._transport.n.value())

    @Slot()
    def bookmark(self) -> None:
        """Give the step a bookmark with the name of its token, and show the list of marks."""
        step = self._workspace.step
        if all(mark.step != step for mark in self._workspace.marks.bookmarks):
            self._workspace.marks.add_bookmark(step, bookmark_name(self._workspace.run, step))
        self._views.show_panel("marks")

    @Slot()
    def ask_why(self) -> None:
        """Show why the selected token exists: the one at the text cursor, if the text has the
        focus.
        """
        if self._text_panel.editor.hasFocus():
            self._text_panel.select_at_cursor()
        self._views.show_panel("why")

    @Slot()
    def ask_why_border(self) -> None:
        """Select a border, at the text cursor or in the selected word, and show why it is there."""
        selection = self._workspace.selection
        run = self._workspace.run
        pick = selection.current
        word = None
        if pick is not None and pick.kind is Kind.word and not self._text_panel.editor.hasFocus():
            word = pick.word
        if word is not None and run is not None:
            firsts = run.words_at(self._workspace.step).firsts(word).tolist()
            if len(firsts) > 1:
                selection.select_word_border(word, firsts[1])
        else:
            self._text_panel.select_border_at_cursor()
        self._views.show_panel("why")

    @Slot()
    def new_run(self) -> None:
        """Show the comparison of runs, ask for other settings, and train a run with them."""
        from bpe_studio.gui.runs.new_run_dialog import NewRunDialog

        self._views.show_panel("branches")
        dialog = NewRunDialog(self._workspace, self._views.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._workspace.side_runs.train)
        dialog.open()

    @Slot()
    def examine(self) -> None:
        """Examine the tokenizer of the step, and show the findings."""
        self._views.show_panel("doctor")
        self._workspace.examiner.examine()

    @Slot()
    def show_context_menu(self) -> None:
        """Open the context menu of the widget with the keyboard focus.
        Qt does this for the menu key, but not on every system for Shift+F10.
        """
        focused = QApplication.focusWidget()
        if focused is None or QApplication.activePopupWidget() is not None:
            return
        place = focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
        place = place.toPoint() if isinstance(place, QPointF) else place
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(
            focused, QContextMenuEvent(reason, place, focused.mapToGlobal(place))
        )

    @property
    def help(self) -> HelpWindow:
        """The window with the manual; it is made when it is first needed."""
        if self._help is None:
            from bpe_studio.gui.help.window import HelpWindow

            self._help = HelpWindow(self._window)
        return self._help

    def terms(self) -> Iterator[Entry]:
        """The terms of the glossary, for the command palette."""
        from bpe_studio.files.manual import list_terms
        from bpe_studio.gui.command_palette.entries import Entry

        for term, meaning in list_terms():
            yield Entry(
                f"term.{term}",
                f"Glossary: {term}",
                partial(self._show_term, term),
                meaning,
                is_rare=True,
            )

    def _show_term(self, term: str) -> None:
        self.help.show_term(term)

    @Slot()
    def show_manual(self) -> None:
        """Open the manual."""
        self.help.show_page()

    @Slot()
    def show_glossary(self) -> None:
        """Open the glossary."""
        self.help.show_page("glossary")

    @Slot()
    def show_shortcuts(self) -> None:
        """Open the list of shortcuts."""
        ShortcutsDialog(self._actions, self._window).open()

    @Slot()
    def show_about(self) -> None:
        """Open About BPE Studio."""
        AboutDialog(self._window).open()


class ShortcutsDialog(QDialog):
    """A list of every shortcut of the window, which can be used meanwhile."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcuts")
        self.setWindowTitle("Keyboard shortcuts")
        # The names come from the table, because an action's text can change, as that of Undo.
        rows = [
            (row.text.replace("&", ""), _keys(actions[row.id]), row.tip)
            for row in TABLE
            if row.shortcuts
        ]
        lines = ""
        for row in (*rows, *_OTHER_KEYS):
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
            lines += f"<tr>{cells}</tr>"
        table = named(QTextBrowser(self), "shortcuts.area", "Keyboard shortcuts")
        table.setHtml(f"<table cellpadding=4>{lines}</table>")
        table.setFrameShape(QFrame.Shape.NoFrame)
        closing = _closing(self)
        column(table, closing, parent=self, spacing=GROUP_PX, margins=_MARGINS)
        closing.button(QDialogButtonBox.StandardButton.Close).setFocus()
        self.resize(size_within(self, 50, 40))


class AboutDialog(QDialog):
    """The name, the version, one sentence and the licence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle("About BPE Studio")
        name = QLabel(f"BPE Studio {bpe_studio.__version__}")
        font = name.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setWeight(QFont.Weight.DemiBold)
        name.setFont(font)
        about = QLabel(
            "Trains a byte-pair-encoding tokenizer on your own text, merge by merge and in full"
            " view, and saves it in the formats that other programs read. MIT licence."
        )
        about.setWordWrap(True)
        about.setMinimumWidth(380)
        column(name, about, _closing(self), parent=self, spacing=MARGIN_PX, margins=_MARGINS)


def _keys(action: QAction) -> str:
    shown = [keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts()]
    return " or ".join(shown)


def _closing(dialog: QDialog) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    dialog.finished.connect(dialog.deleteLater)
    return buttons
