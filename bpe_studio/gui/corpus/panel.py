"""The panel Corpus: buttons to open a text, and the facts of the open one.

Opening files is requested by a signal or passed to the workspace. The main window handles dropped
files and progress, also while this panel is hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.files.samples import Sample, list_samples
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.corpus.facts import CorpusFacts
from bpe_studio.gui.widgets.containers import MARGIN_PX, STRETCH, column, row, scrolled
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.workspace.workspace import Workspace


class CorpusPanel(QWidget):
    """The corpus that the run is trained on.

    Signals:
        open_requested: the user wants to choose files.
        paste_requested: the user wants to open the text on the clipboard.
        locate_requested: the user wants to choose the files of the text, which the open document
            does not hold.
        said_of_tokenizer: str, what is worth knowing about a tokenizer that is open alone; "" for
            nothing.
    """

    open_requested = Signal()
    paste_requested = Signal()
    locate_requested = Signal()
    said_of_tokenizer = Signal(str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.open = named(
            QPushButton("Open…"),
            "corpus.open",
            "Open a text",
            "Opens one file or several as one corpus: plain text, JSON lines or tables, also"
            " compressed",
        )
        self.paste = named(
            QPushButton("Paste"),
            "corpus.paste",
            "Paste a text",
            "Opens the text on the clipboard as a corpus",
        )
        self.samples = named(
            QPushButton("Samples"),
            "corpus.samples",
            "Sample texts",
            "Opens one of the sample texts",
        )
        self.samples.setMenu(self._sample_menu())
        self.facts = CorpusFacts(self)
        self.words_only = named(Note(role="plain"), "corpus.words_only")
        self.words_only.set_message(
            "This document contains only the words of the text and their counts. Locate the text to"
            " search it or to split it differently."
        )
        self.locate = named(
            QPushButton("Locate text…"),
            "corpus.locate",
            "Locate the text",
            "Opens the text of these words from files",
        )
        self.transformers = named(
            Note(role="plain"), "corpus.transformers", "Compared with Transformers"
        )
        self._compared = LatestAnswer(_compared, self)
        self._build()
        self._connect()
        self._refresh()

    def _build(self) -> None:
        buttons = WrappingRow(self)
        for button in (self.open, self.paste, self.samples):
            buttons.add(button)
        inside = QWidget()
        column(
            buttons,
            self.facts,
            self.transformers,
            self.words_only,
            row(self.locate, STRETCH),
            STRETCH,
            parent=inside,
            spacing=MARGIN_PX,
        )
        # With a large font a low window has no room for all of it.
        area = scrolled(inside, "corpus.area")
        column(area, parent=self, margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX))
        self.setMinimumWidth(240)

    def _connect(self) -> None:
        self.open.clicked.connect(self.open_requested)
        self.locate.clicked.connect(self.locate_requested)
        self.paste.clicked.connect(self.paste_requested)
        self._compared.answered.connect(self._on_compared)
        self._workspace.corpus_changed.connect(self._refresh)
        self._workspace.state_changed.connect(self._refresh)

    def _sample_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        found = samples()
        for sample in found:
            action = menu.addAction(sample.title)
            action.setObjectName(f"corpus.sample.{sample.id}")
            action.setToolTip(sample.about)
            action.setData(sample.id)
        menu.triggered.connect(self._on_sample_triggered)
        if not found:
            menu.addAction("No samples are installed").setEnabled(False)
        return menu

    @Slot(object)
    def _on_sample_triggered(self, action: QAction) -> None:
        self._workspace.opener.open_sample(str(action.data()))

    @Slot()
    def _refresh(self) -> None:
        info = self._workspace.corpus
        self.facts.setVisible(info is not None)
        for widget in (self.words_only, self.locate):
            widget.setVisible(info is not None and info.lacks_text)
        if info is not self.facts.info:
            self.facts.set_info(info)
            self._compare_with_transformers()
            self._say_of_tokenizer()

    def _compare_with_transformers(self) -> None:
        """Ask whether Transformers gives other ids for the open tokenizer; a line says so later."""
        self._compared.forget()
        self.transformers.setVisible(False)
        run = self._workspace.run
        if run is not None and not run.is_own and run.tokenizer().folder:
            self._compared.ask(run.tokenizer(), run.tokenizer().folder)

    @Slot(object)
    def _on_compared(self, found: tuple[bool, str]) -> None:
        is_same, said = found
        self.transformers.set_message(said)
        self.transformers.setVisible(not is_same)
        if not is_same:
            self._say_of_tokenizer(said)

    def _say_of_tokenizer(self, *more: str) -> None:
        """Pass the notices on, for the page of a tokenizer."""
        info = self.facts.info
        lines = () if info is None or info.has_words else (*info.notices, *more)
        self.said_of_tokenizer.emit("\n".join(lines))


def _compared(tokenizer: Tokenizer, folder: str) -> tuple[bool, str] | None:
    from bpe_studio.files.third_party.folders.transformers import (
        compared_with_transformers,
    )  # not needed at the start

    return compared_with_transformers(tokenizer, folder)


def samples() -> tuple[Sample, ...]:
    """The sample texts of the program; none where their list cannot be read."""
    try:
        return list_samples()
    except BpeError:
        return ()
