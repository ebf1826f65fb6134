"""A row of tabs that stay where they are when another one is chosen, whose text is bold then."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTabBar


class SteadyTabBar(QTabBar):
    """Gives each tab the width of its bold text."""

    def tabSizeHint(self, index: int) -> QSize:
        size = super().tabSizeHint(index)
        if index != self.currentIndex():
            bold = QFont(self.font())
            bold.setWeight(QFont.Weight.DemiBold)
            wide, usual = (
                each.size(Qt.TextFlag.TextShowMnemonic.value, self.tabText(index))
                for each in (QFontMetrics(bold), self.fontMetrics())
            )
            size.setWidth(size.width() + wide.width() - usual.width())
        return size
