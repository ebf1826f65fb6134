"""The form that trains further merges of a tokenizer on a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QDialog, QWidget

from bpe_studio.engine.config import MAX_VOCAB_SIZE
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.extending.tokenizer_choice import TokenizerChoice
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel, begin_form
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM = 40
USUAL_MORE = 1000
_ABOUT = (
    "Trains further merges on top of a tokenizer's own. Its tokens keep their ids, and a text in which no new merge "
    "applies keeps its ids."
)
_TIP = "Trains the merges in the background and shows the run; what each saves is its count in Merges"


class ExtendDialog(QDialog):
    """Which tokenizer, on which corpus, and up to which size.

    Args:
        workspace: what is open.
        memory: remembers the folder of files.
    """

    def __init__(self, workspace: Workspace, memory: WindowSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        begin_form(self, "extend", "Extend a tokenizer")
        self.choice = TokenizerChoice(workspace, memory, "extend", self)
        self.about = self.choice.about(_ABOUT)
        self.vocab_size = named(
            WholeNumber(self), "extend.vocab_size", "Vocabulary size", "The number of tokens in all, with the new ones"
        )
        self.vocab_size.setRange(0, MAX_VOCAB_SIZE)
        self.vocab_size.setGroupSeparatorShown(True)
        self.vocab_size.setSingleStep(100)
        self.status = named(Note("", "help", self), "extend.status", "What will be done")
        buttons, self.start = accept_or_cancel(self, "start", "&Extend", cancel_tip="Changes nothing (Esc)")
        form = self.choice.form(self.vocab_size, row(self.vocab_size, STRETCH))
        column(
            self.about, GROUP_PX, form, SPACING_PX, self.status, STRETCH, GROUP_PX, buttons,
            parent=self, margins=FORM_MARGINS,
        )  # fmt: skip
        self._known = 0
        self.choice.changed.connect(self._refresh)
        self.vocab_size.valueChanged.connect(self._refresh)
        self.start.clicked.connect(self._on_start)
        self.finished.connect(self.deleteLater)
        finish_controls(self)
        self.resize(self.sizeHint())
        self._refresh()

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(WIDTH_EM * em, super().sizeHint().height() + 2 * em)

    @Slot()
    def _refresh(self) -> None:
        ready, why_not = self.choice.ready, self.choice.why_not
        if ready is not None and ready.vocab_size != self._known:
            self._known = ready.vocab_size
            self.vocab_size.setRange(ready.vocab_size, MAX_VOCAB_SIZE)
            self.vocab_size.setValue(ready.vocab_size + USUAL_MORE)
        self.vocab_size.setEnabled(ready is not None)
        if why_not or ready is None:
            self.status.set_message(why_not, "error" if self.choice.is_wrong else "help")
        else:
            n_more = self.vocab_size.value() - ready.vocab_size
            more = plural(n_more, "further merge") if n_more else "no further merge: the tokenizer stays as it is"
            self.status.set_message(f"{ready.name} has {number(ready.vocab_size)} tokens; {more}", "help")
        enable(self.start, _TIP, why_not[:1].lower() + why_not[1:])

    @Slot()
    def _on_start(self) -> None:
        ready, place = self.choice.ready, self.choice.place
        if ready is not None and place is not None and not self.choice.why_not:
            self.vocab_size.interpretText()
            self.accept()
            self._workspace.extensions.extend(ready, place, self.vocab_size.value())
