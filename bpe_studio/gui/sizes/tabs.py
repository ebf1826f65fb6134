"""The tabs of the comparison of sizes: numbers, curve, text, words and advice; a wide panel has the curve next to them.

The numbers exist from the beginning. The rest is imported and created when it is first needed, because it is not
visible before a text is open, and the window is painted before.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.splitter import Splitter

if TYPE_CHECKING:
    from bpe_studio.gui.sizes.advice_tab import AdviceTab
    from bpe_studio.gui.sizes.curve_tab import CurveTab
    from bpe_studio.gui.sizes.text_columns import TextColumns
    from bpe_studio.gui.sizes.words_tab import WordsTab
    from bpe_studio.workspace.workspace import Workspace

WIDE_PX = 1180
"""A panel at least this wide shows the curve next to the tabs, instead of in one."""
MARGIN_PX = 24
CURVE, TEXT, WORDS, ADVICE = "Curve", "Text", "Words", "Advice"


class SizeTabs(Splitter):
    """The tabs at the left, and the curve at the right if there is room.

    Signals:
        made: the contents of the tabs were created.
    """

    made = Signal()

    def __init__(self, workspace: Workspace, numbers: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._workspace = workspace
        self._is_wide = False
        self.are_made = False
        self.tabs = named(QTabWidget(self), "compare.tabs", "What is compared")
        self.tabs.setDocumentMode(True)
        bar = named(self.tabs.tabBar(), "compare.tab_bar", "What is compared")
        bar.setDrawBase(False)
        bar.setStyleSheet(theme.TAB_BAR_STYLE)
        self._rooms = {title: _Room() for title in (CURVE, TEXT, WORDS, ADVICE)}
        self.tabs.addTab(_Room(numbers), "Numbers")
        for title, room in self._rooms.items():
            self.tabs.addTab(room, title)
        self.addWidget(self.tabs)
        self.tabs.setCurrentIndex(0)

    def make(self) -> None:
        """Create the contents, once."""
        if self.are_made:
            return
        self.are_made = True
        for title, part in ((TEXT, self.texts), (WORDS, self.words), (ADVICE, self.advice)):
            self._rooms[title].hold(part)
        self._place_curve()
        self.made.emit()

    @cached_property
    def texts(self) -> TextColumns:
        """The columns of text."""
        from bpe_studio.gui.sizes.text_columns import TextColumns

        return TextColumns(self.tabs.tabBar(), self.tabs)

    @cached_property
    def words(self) -> WordsTab:
        """The longest words."""
        from bpe_studio.gui.sizes.words_tab import WordsTab

        return WordsTab(self.tabs)

    @cached_property
    def curve(self) -> CurveTab:
        """The curve over all sizes."""
        from bpe_studio.gui.sizes.curve_tab import CurveTab

        return CurveTab(self._workspace, self.tabs)

    @cached_property
    def advice(self) -> AdviceTab:
        """The advisor."""
        from bpe_studio.gui.sizes.advice_tab import AdviceTab

        return AdviceTab(self._workspace, self.tabs)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() + MARGIN_PX >= WIDE_PX
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        if is_wide:
            self.tabs.removeTab(self.tabs.indexOf(self._rooms[CURVE]))
        else:
            self.tabs.insertTab(1, self._rooms[CURVE], CURVE)
        if self.are_made:
            self._place_curve()

    def _place_curve(self) -> None:
        if self._is_wide:
            self.addWidget(self.curve)
            self.setSizes([self.width() * 55 // 100, self.width() * 45 // 100])
            self.curve.show()
        else:
            self._rooms[CURVE].hold(self.curve)


class _Room(QWidget):
    """A margin above the content of a tab, or an empty space for it."""

    def __init__(self, content: QWidget | None = None) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 8, 0, 0)
        if content is not None:
            self.hold(content)

    def hold(self, content: QWidget) -> None:
        self._layout.addWidget(content)
