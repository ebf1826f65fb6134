"""A list of full paths to read: wrapped anywhere, never elided, and to be copied; of many the list scrolls.

Paths run from the left to the right whatever the script of their names is, so that their parts stay in order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from bpe_studio.explain.names import visible_path
from bpe_studio.gui.look.follows_look import FollowsLook

MOST_LINES = 7


class PathsView(FollowsLook, QPlainTextEdit):
    """As high as its lines, up to `MOST_LINES`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptDrops(False)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        self.document().setDefaultTextOption(option)
        self.follow_look(fit_now=False)

    def set_paths(self, paths: Iterable[Path]) -> None:
        """Show other paths, one a line."""
        text = "\n".join(visible_path(str(path)) for path in paths)
        if text != self.toPlainText():
            self.setPlainText(text)
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def font_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        # Lines with letters of other fonts may be higher than those of this one.
        block, height = self.document().begin(), 0.0
        while block.isValid():
            height += self.blockBoundingRect(block).height()
            block = block.next()
        frame = 2 * (self.frameWidth() + math.ceil(self.document().documentMargin()))
        self.setFixedHeight(math.ceil(min(height, MOST_LINES * self.fontMetrics().lineSpacing())) + frame)
