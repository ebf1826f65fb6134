"""Offers what a program that was killed has kept of its unsaved work: a line with the buttons Restore and Discard.

It stays until the person decides; nothing else waits for that. What is not decided is offered again at the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QDateTime, QLocale, QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.explain.wording import plural
from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.gui.shell.document_view import DocumentView
    from bpe_studio.workspace.workspace import Workspace

MOST_CHARACTERS = 60


class SessionOffer(FollowsLook, QWidget):
    """One session at a time, the newest first.

    Args:
        workspace: found the sessions, and restores or discards them.
        view: shows the panels that were in front.
    """

    def __init__(self, workspace: Workspace, view: DocumentView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keeping, self._view = workspace.keeping, view
        self.setObjectName("session")
        self.setAccessibleName("Unsaved session")
        self._picture = QLabel()
        self.message = QLabel()
        self.message.setObjectName("session.message")
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.restore = named(QPushButton("Restore"), "session.restore", "Restore the session")
        self.restore.setToolTip("Opens it as it was: runs, branches, marks and typed text")
        self.discard = named(QPushButton("Discard"), "session.discard", "Discard the session")
        self.discard.setToolTip("Removes it for good")
        row(
            (self._picture, 0, Qt.AlignmentFlag.AlignVCenter),
            (self.message, 1),
            self.restore,
            self.discard,
            parent=self,
            spacing=MARGIN_PX,
            margins=(MARGIN_PX, SPACING_PX, MARGIN_PX, SPACING_PX),
        )
        self.restore.clicked.connect(self._on_restore)
        self.discard.clicked.connect(self._on_discard)
        self._keeping.found.connect(self.refresh)
        workspace.state_changed.connect(self._on_state_changed)
        self.hide()
        self.follow_look(fit_now=False)

    @Slot()
    def refresh(self) -> None:
        """Shows the newest session that was kept, or nothing."""
        sessions = self._keeping.sessions
        self.setVisible(bool(sessions))
        if not sessions:
            return
        session = sessions[0]
        when = _when(QDateTime.fromSecsSinceEpoch(int(session.saved_at_s)))
        more = f" {plural(len(sessions) - 1, 'more session')} after it." if len(sessions) > 1 else ""
        name = isolated_title(elided(session.name, MOST_CHARACTERS))
        self.message.setText(f"An unsaved session of {name} was kept {when}: {session.words}.{more}")
        self.setAccessibleDescription(self.message.text())
        self.palette_changed()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        """While something is opened, perhaps this session, neither button may be used."""
        for button in (self.restore, self.discard):
            button.setEnabled(state is not State.loading)

    @Slot()
    def _on_restore(self) -> None:
        self._keeping.restore(self._keeping.sessions[0], self._on_restored)

    def _on_restored(self, view: object) -> None:
        self.refresh()
        if isinstance(view, dict):
            self._view.restore(view)

    @Slot()
    def _on_discard(self) -> None:
        self._keeping.discard(self._keeping.sessions[0])
        self.refresh()

    def palette_changed(self) -> None:
        self._picture.setPixmap(icons.pixmap("notice", 20, theme.muted(self.palette()), self.devicePixelRatioF()))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
            painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())
            painter.fillRect(QRectF(0, 0, 4, self.height()), theme.muted(palette))


def _when(moment: QDateTime) -> str:
    short = QLocale.FormatType.ShortFormat
    time = QLocale().toString(moment.time(), short)
    if moment.date() == QDate.currentDate():
        return f"today at {time}"
    return f"on {QLocale().toString(moment.date(), short)} at {time}"
