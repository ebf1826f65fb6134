"""What is being opened, how far, how long still, and the way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QProgressBar, QPushButton, QWidget

from bpe_studio.gui.note import Note
from bpe_studio.workspace.state import Progress


class LoadingBar(QWidget):
    """One line of words, a bar, and Cancel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.what = Note("Reading", "plain")
        self.bar = QProgressBar(self)
        self.bar.setObjectName("corpus.progress")
        self.bar.setAccessibleName("Progress of opening")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.cancel = QPushButton("Cancel")
        self.cancel.setObjectName("corpus.cancel")
        self.cancel.setAccessibleName("Cancel opening")
        self.cancel.setToolTip("Stops; what was open stays open")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.what, 0, 0)
        grid.addWidget(self.cancel, 0, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.bar, 1, 0)

    def set_progress(self, progress: Progress | None) -> None:
        """Show how far it is; None is just begun."""
        fraction = progress.fraction if progress is not None else None
        self.bar.setRange(0, 0 if fraction is None else 1000)
        self.bar.setValue(0 if fraction is None else round(fraction * 1000))
        if progress is None:
            self.what.say("Opening")
            return
        left = progress.seconds_left
        rest = "" if left is None or left < 1 else f", about {left:.0f} s left"
        self.what.say(f"{progress.what}{rest}")
        self.cancel.setEnabled(progress.can_cancel)
