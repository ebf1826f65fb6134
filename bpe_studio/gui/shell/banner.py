"""The one place where failures and notices are shown: what happened, what to do, and a button to dismiss it.

The banner is above the panels and blocks nothing. It may also offer something, such as the way back to what was open
before: then it has a button for that.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.state import Failure, Notice

FAILURE, OFFER, NOTICE = "failure", "offer", "notice"
MOST_LINES = 3
_NAMES = {FAILURE: "Failure", OFFER: "Offer", NOTICE: "Notice"}


class Banner(FollowsLook, QWidget):
    """One message at a time; a notice never hides a failure.

    Signals:
        dismissed: the user has dismissed a message.
    """

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = ""
        self._go_on: Callable[[], None] | None = None
        self.title = _line("banner.title")
        self.message = _line("banner.message")
        self.picture = QLabel()
        self.accept = QPushButton()
        named(self.accept, "banner.accept", "Accept")
        self.close_button = named(QToolButton(), "banner.dismiss", "Dismiss", "Dismiss")
        self.close_button.setAutoRaise(True)
        self.close_button.setIcon(icons.icon("close"))
        if not icons.are_available():
            self.close_button.setText("×")
        self._build()
        self.accept.clicked.connect(self._on_accepted)
        self.close_button.clicked.connect(self.dismiss)
        self.setObjectName("banner")
        self.hide()
        self.follow_look(fit_now=False)

    def _build(self) -> None:
        bold = self.title.font()
        bold.setBold(True)
        self.title.setFont(bold)
        words = column(self.title, self.message, spacing=2)
        row(
            (self.picture, 0, Qt.AlignmentFlag.AlignTop),
            (words, 1),
            self.accept,
            self.close_button,
            parent=self,
            spacing=MARGIN_PX,
            margins=(MARGIN_PX, SPACING_PX, MARGIN_PX, SPACING_PX),
        )

    @property
    def kind(self) -> str:
        """What is shown: "failure", "offer", "notice" or ""."""
        return self._kind

    @Slot(object)
    def show_failure(self, failure: Failure) -> None:
        """Show what failed, what happened and what to do."""
        sentence = f"{failure.message} {failure.hint}".strip()
        self._show(FAILURE, f"Failed: {failure.what}", sentence)

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Show a notice; several in a row are shown together, and below an offer."""
        if self._kind == FAILURE:
            return
        said = self.message.text() if self._kind else ""
        if notice.message in said:
            return
        lines = [line for line in said.split("\n") if line][-MOST_LINES + 1 :]
        self._show(self._kind or NOTICE, "", "\n".join([*lines, notice.message]))

    def offer(self, message: str, accept: str, go_on: Callable[[], None]) -> None:
        """Show a message with a button.

        Args:
            message: what happened.
            accept: the text of the button.
            go_on: called when the button is pressed.
        """
        self._go_on = go_on
        self.accept.setText(accept.replace("&", "&&"))
        self.accept.setAccessibleName(accept)
        self.accept.setToolTip(plain_tip(accept))
        self._show(OFFER, "", message)

    def clear(self, *kinds: str) -> None:
        """Hide the message if it is of one of these kinds, or of any kind if none is given."""
        if self._kind and (not kinds or self._kind in kinds):
            self._kind = ""
            self._go_on = None
            self.hide()

    @Slot()
    def dismiss(self) -> None:
        """Hides the message."""
        self.clear()
        self.dismissed.emit()

    @Slot()
    def _on_accepted(self) -> None:
        go_on = self._go_on
        self.clear()
        if go_on is not None:
            go_on()

    def _show(self, kind: str, title: str, message: str) -> None:
        self._kind = kind
        self.setAccessibleName(_NAMES[kind])
        self.setAccessibleDescription(f"{title}. {message}" if title else message)
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.message.setText(message)
        self.accept.setVisible(kind == OFFER)
        self._tint()
        self.show()
        self.update()

    def _colour(self) -> QColor:
        palette = self.palette()
        return theme.error(palette) if self._kind == FAILURE else theme.muted(palette)

    def _tint(self) -> None:
        name = "failure" if self._kind == FAILURE else "notice"
        self.picture.setPixmap(icons.pixmap(name, 20, self._colour(), self.devicePixelRatioF()))

    def palette_changed(self) -> None:
        if self._kind:
            self._tint()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
            painter.drawLine(self.rect().topLeft(), self.rect().topRight())
            painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())
            painter.fillRect(QRectF(0, 0, 4, self.height()), self._colour())


def _line(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
