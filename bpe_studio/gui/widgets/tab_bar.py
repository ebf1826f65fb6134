"""A row of tabs that do not move, although the text of the chosen one is bold."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QTabBar, QWidget

_BETWEEN_PX = 18
_ABOVE_PX = 6
_LINE_PX = 2
_CENTRE = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextShowMnemonic


def bold_width(widget: QWidget, text: str) -> int:
    """The width of a text in bold, as `paint_tab` paints that of the chosen tab."""
    return QFontMetrics(_bold(widget)).size(Qt.TextFlag.TextShowMnemonic.value, text).width()


def _bold(widget: QWidget) -> QFont:
    font = QFont(widget.font())
    font.setWeight(QFont.Weight.DemiBold)
    return font


def paint_tab(
    widget: QWidget, painter: QPainter, rect: QRect, text: str, *, is_chosen: bool, is_on: bool
) -> None:
    """Paint a text with a line below it, as a tab or the button of a view.

    Args:
        widget: gives the font and the colours, and knows where the mouse is.
        painter: paints on the widget.
        rect: the place of the tab.
        text: may have a mnemonic.
        is_chosen: whether it is the one in front.
        is_on: whether it can be chosen.
    """
    group = QPalette.ColorGroup.Active if is_on else QPalette.ColorGroup.Disabled
    role = (
        QPalette.ColorRole.WindowText
        if is_chosen or not is_on
        else QPalette.ColorRole.PlaceholderText
    )
    colour = widget.palette().color(group, role)
    font = _bold(widget) if is_chosen else widget.font()
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(rect, _CENTRE, text)
    is_over = (
        is_on and widget.underMouse() and rect.contains(widget.mapFromGlobal(widget.cursor().pos()))
    )
    if is_chosen or is_over:
        line = QRect(rect.left(), rect.bottom() + 1 - _LINE_PX, rect.width(), _LINE_PX)
        line_colour = colour if is_chosen else widget.palette().color(QPalette.ColorRole.Mid)
        painter.fillRect(line, line_colour)


class SteadyTabBar(QTabBar):
    """Gives each tab the width of its bold text."""

    def tabSizeHint(self, index: int) -> QSize:
        height = self.fontMetrics().height() + 2 * _ABOVE_PX
        return QSize(bold_width(self, self.tabText(index)) + _BETWEEN_PX, height)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            for index in range(self.count()):
                rect = self.tabRect(index)
                rect.setWidth(rect.width() - _BETWEEN_PX + 4)
                is_on = self.isTabEnabled(index) and self.isEnabled()
                text = self.tabText(index)
                is_chosen = index == self.currentIndex()
                paint_tab(self, painter, rect, text, is_chosen=is_chosen, is_on=is_on)
