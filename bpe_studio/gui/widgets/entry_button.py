"""A button that reads as an entry of a list: a title, and one phrase about it below."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import SMALLER

_TOP = int(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextWordWrap)
SIDE_PX = 8
"""The gap from the edge of a button to its text."""
_ABOVE_PX = 4
_BETWEEN_PX = 4


class EntryButton(QAbstractButton):
    """One entry.

    Args:
        title: the title.
        about: the phrase below; both wrap if they are too long.
        name: its objectName.
        is_card: whether it has a border, as in a grid.
        does: its name for screen readers, such as "Open the sample X".

    Attributes:
        about: the phrase below.
    """

    def __init__(
        self,
        title: str,
        about: str,
        name: str,
        does: str,
        parent: QWidget | None = None,
        *,
        is_card: bool = False,
    ) -> None:
        super().__init__(parent)
        self.about = about
        self._is_card = is_card
        self.setText(title)
        named(self, name, does, about)
        self.setAccessibleDescription(about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_about(self, about: str) -> None:
        """Set the phrase below."""
        self.about = about
        self.setToolTip(about)
        self.setAccessibleDescription(about)
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(240, self.fontMetrics().lineSpacing() * 2 + 10)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        room = QRect(0, 0, max(1, width - 2 * SIDE_PX), 10_000)
        title = self.fontMetrics().boundingRect(room, self._place(), self.text()).height()
        about = QFontMetrics(self._smaller()).boundingRect(room, self._place(), self.about).height()
        return title + about + 2 * _ABOVE_PX + _BETWEEN_PX

    def _place(self) -> int:
        """The alignment by the direction of the button, so that titles in all scripts line up."""
        is_right = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        return _TOP | int(side)

    def _smaller(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * SMALLER)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.setLayoutDirection(self.layoutDirection())
            if self._is_card:
                painter.setPen(palette.color(QPalette.ColorRole.Mid))
                painter.setBrush(palette.color(QPalette.ColorRole.Base))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            if self.underMouse() or self.hasFocus() or self.isChecked():
                painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Midlight))
            if self.hasFocus() or self.isChecked():
                painter.fillRect(
                    QRect(0, 0, 3, self.height()), palette.color(QPalette.ColorRole.WindowText)
                )
            inner = self.rect().adjusted(SIDE_PX, _ABOVE_PX, -SIDE_PX, -_ABOVE_PX)
            group = QPalette.ColorGroup.Active if self.isEnabled() else QPalette.ColorGroup.Disabled
            painter.setPen(palette.color(group, QPalette.ColorRole.WindowText))
            title = painter.boundingRect(inner, self._place(), self.text())
            painter.drawText(inner, self._place(), self.text())
            painter.setFont(self._smaller())
            painter.setPen(theme.muted(palette))
            painter.drawText(
                inner.adjusted(0, title.height() + _BETWEEN_PX, 0, 0), self._place(), self.about
            )
