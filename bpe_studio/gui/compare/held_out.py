"""A control of the advice: hold out a part of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.explain.wording import data_size
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.held_out import MAX_SHARE
from bpe_studio.workspace.corpus.text_files import has_text, why_no_text
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

USUAL_PERCENT = 5
_RESTING = (State.ready, State.paused, State.done, State.running)


class HoldOut(QWidget):
    """The share of the text to hold out, and the part that is held out now."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.percent = named(
            WholeNumber(self), "compare.hold_share", "Share of the corpus to hold out"
        )
        self.percent.setRange(0, round(100 * MAX_SHARE))
        self.percent.setSuffix(" %")
        self.percent.setValue(USUAL_PERCENT)
        self.percent.setToolTip(
            "The share of the text to hold out before training; 0 trains on all of it"
        )
        self.hold = named(
            QPushButton("Hold out", self), "compare.hold_out", "Hold out this share of the corpus"
        )
        self.now = Note(role="plain")
        self.now.setObjectName("compare.held")
        row = WrappingRow(self)
        row.add(self.percent, self.hold)
        row.add(self.now, grows=0, least_px=200)
        column(row, parent=self)
        self.percent.valueChanged.connect(self.refresh)
        self.hold.clicked.connect(self._on_clicked)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        for signal in (
            workspace.state_changed,
            workspace.run_grew,
            workspace.run_changed,
        ):
            signal.connect(self.refresh)
        self._on_corpus_changed()

    @Slot()
    def _on_corpus_changed(self) -> None:
        """Offer the share that is held out, or the usual share if none is."""
        info = self._workspace.corpus
        held = 0.0 if info is None else info.request.held_out
        self.percent.setValue(round(100 * held) or USUAL_PERCENT)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current state."""
        info = self._workspace.corpus
        share = self.percent.value() / 100
        held = None if info is None else info.held_out
        if info is None:
            self.now.set_message("")
        elif held is None:
            self.now.set_message("Nothing is held out")
        else:
            self.now.set_message(
                f"{100 * held.share:g} % ({data_size(held.n_bytes)}) is held out and not trained on"
            )
        why_not = self._why_not(share)
        self.hold.setEnabled(not why_not)
        self.hold.setToolTip(
            why_not or "Reads the text again without this share of its lines; Undo goes back"
        )

    def _why_not(self, share: float) -> str:
        info = self._workspace.corpus
        if info is None:
            return "Open a text first"
        if self._workspace.shown_state not in _RESTING:
            return "Another job is running"
        if info.lacks_text:
            return f"None of the text can be held out: {why_no_text(info)}"
        if not has_text(info.request):
            return (
                f"{info.name} was opened without its text, so none of it can be held out: open the"
                " text itself"
            )
        if share == info.request.held_out:
            if not share:
                return "Nothing is held out"
            return f"{self.percent.value()} % is held out already"
        return ""

    @Slot()
    def _on_clicked(self) -> None:
        self._workspace.settings.hold_out(self.percent.value() / 100)
