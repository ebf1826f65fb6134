"""The one place where failures and notices are shown: what happened, what to do, and a button that
dismisses them.
The banner is a strip below the panels. It covers nothing, and is shown only while it has a message.
A message can be an offer with buttons, such as the way back to the corpus that was open before.
Notices and offers disappear after a time, unless the mouse or the keyboard focus is in them. A
failure stays until it is dismissed, and so do an offer of unsaved work and a report on something
that was opened, made or saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import Failure, Notice

FAILURE = "failure"
OFFER = "offer"
NOTICE = "notice"
MOST_LINES = 3
MOST_ACTIONS = 3
LEAST_EM = 14
"""The least width of the message next to its buttons, in line heights."""
EDGE_PX = 4
STAYS_MS = {NOTICE: 5_000, OFFER: 15_000}
"""The time for which a notice stays, and an offer that the menus have too."""
Buttons = Sequence[tuple[str, Callable[[], None]]]
"""The text and the function of each button."""
_NAMES = {FAILURE: "Failure", OFFER: "Offer", NOTICE: "Notice"}


class Banner(FollowsLook, QWidget):
    """One message at a time; a notice never hides a failure.

    Signals:
        dismissed: the user has dismissed a message.
    """

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._time = QTimer(self, singleShot=True)
        self._kind = ""
        self._stays = False
        self.title = _line("banner.title")
        self.message = _line("banner.message")
        self.picture = QLabel()
        self.actions_row = tuple(QPushButton() for _ in range(MOST_ACTIONS))
        self._actions: Buttons = ()
        self.close_button = named(QToolButton(), "banner.dismiss", "Dismiss", "Dismiss")
        self.close_button.setAutoRaise(True)
        self.close_button.setIcon(icons.icon("close"))
        if not icons.are_available():
            self.close_button.setText("×")
        self._build()
        self.close_button.clicked.connect(self.dismiss)
        self._time.timeout.connect(self._on_time_over)
        self.setObjectName("banner")
        self.hide()
        self.follow_look(fit_now=False)

    def _build(self) -> None:
        bold = self.title.font()
        bold.setBold(True)
        self.title.setFont(bold)
        top = Qt.AlignmentFlag.AlignTop
        for number, button in enumerate(self.actions_row):
            named(button, f"banner.action_{number}", "Action of the message")
            button.clicked.connect(partial(self._on_action, number))
            button.hide()
        words = QWidget()
        column(self.title, self.message, parent=words, spacing=TIGHT_PX)
        whole = WrappingRow()
        whole.add(words, grows=0, least_px=LEAST_EM * self.fontMetrics().height())
        whole.add(*self.actions_row)
        row(
            self.picture,
            (whole, 1),
            (self.close_button, 0, top),
            parent=self,
            margins=(MARGIN_PX + EDGE_PX, SPACING_PX, SPACING_PX, SPACING_PX),
        )

    @property
    def kind(self) -> str:
        """The kind of the message: "failure", "offer", "notice", or "" for none."""
        return self._kind

    @Slot(object)
    def show_failure(self, failure: Failure) -> None:
        """Show what failed, what happened and what to do."""
        self._actions = copying(failure.report)
        self._stays = True
        sentence = f"{failure.message} {failure.hint}".strip()
        self._show(FAILURE, f"Could not {failure.what[:1].lower()}{failure.what[1:]}", sentence)

    @Slot(object)
    def show_notice(self, notice: Notice, actions: Buttons = ()) -> None:
        """Show a notice, together with notices that are still shown, and below an offer.

        Args:
            notice: the notice.
            actions: buttons, which do not close it, and stay if a notice without buttons follows.
                A notice with buttons replaces an offer.
        """
        if self._kind == FAILURE:
            return
        if actions:
            self.clear(OFFER)
        said = self.message.text() if self._kind else ""
        if notice.message in said and not actions:
            return
        # A notice replaces a line with which it begins.
        lines = [line for line in said.split("\n") if line and not notice.message.startswith(line)]
        lines = lines[-MOST_LINES + 1 :]
        self._actions = tuple(actions) or self._actions
        self._stays = self._stays or notice.is_report
        self._show(self._kind or NOTICE, "", "\n".join([*lines, notice.message]))

    def offer(self, message: str, buttons: Buttons, *, stays: bool = False) -> None:
        """Show a message with buttons that close it.

        Args:
            message: the text.
            buttons: the text and the function of each button.
            stays: whether it stays until the user decides.
        """
        self._actions = tuple(buttons)
        self._stays = stays
        self._show(OFFER, "", message)

    def clear(self, *kinds: str) -> None:
        """Hide the message if it is of one of these kinds, or of any kind if none is given."""
        if self._kind and (not kinds or self._kind in kinds):
            self._kind = ""
            self._actions = ()
            self._stays = False
            self._time.stop()
            self.hide()

    @Slot()
    def dismiss(self) -> None:
        """Hide the message."""
        self.clear()
        self.dismissed.emit()

    def _on_action(self, number: int, checked: bool = False) -> None:
        act = self._actions[number][1]
        self.clear(OFFER)
        act()

    def _show(self, kind: str, title: str, message: str) -> None:
        self._kind = kind
        self.setAccessibleName(_NAMES[kind])
        description = f"{title}. {message}" if title else message
        self.setAccessibleDescription(description)
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.message.setText(message)
        for number, button in enumerate(self.actions_row):
            text = self._actions[number][0] if number < len(self._actions) else ""
            button.setText(text.replace("&", "&&"))
            button.setAccessibleName(text or "Action of the message")
            button.setToolTip(plain_tip(text))
            button.setVisible(bool(text))
        self._tint()
        self.show()
        self.update()
        self._time.stop()
        if not self._stays:
            self._time.start(STAYS_MS[kind])

    @Slot()
    def _on_time_over(self) -> None:
        """Disappear, or wait while the user reads or uses the message."""
        focused = self.window().focusWidget()
        if self.underMouse() or (focused is not None and self.isAncestorOf(focused)):
            self._time.start()
        else:
            self.clear()

    def hasHeightForWidth(self) -> bool:
        # Otherwise the scroll area of the window would use the preferred height of all widgets.
        return False

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        height = 0 if layout is None else layout.heightForWidth(self.width())
        return QSize(0, height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

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
            painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.ToolTipBase))
            edge = self.rect()
            edge.setWidth(EDGE_PX)
            painter.fillRect(edge, self._colour())


def copying(report: Path | None) -> Buttons:
    """A button that copies a report, if there is one."""
    if report is None:
        return ()

    def copy() -> None:
        with suppress(OSError):
            QGuiApplication.clipboard().setText(report.read_text(encoding="utf-8"))

    return [("Copy details", copy)]


def _line(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
