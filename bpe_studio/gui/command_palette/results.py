"""The rows of the command palette: the model of the results, and the delegate that paints them.

A row has the name with the matched letters in bold, the reason why it is disabled, and at the end
its state and shortcut. The current row has a bar and a background. Neither is in the accent colour,
which marks the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from bpe_studio.gui.command_palette.entries import NOT_NOW, Entry
from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.qt_positions import unit_places

MARGIN_PX = 16
N_ROWS = 12
GAP_PX = 12
BAR_PX = 3
Found = tuple[Entry, tuple[int, ...]]
"""An entry and the indices of the matched letters of its name."""


class ResultList(QAbstractListModel):
    """The results, best first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Sequence[Found] = ()

    def set_found(self, found: Sequence[Found]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.found)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid() or index.row() >= len(self.found):
            return None
        entry = self.found[index.row()][0]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return entry.accessible_text
        if role == Qt.ItemDataRole.ToolTipRole:
            why_not = entry.why_not()
            return NOT_NOW + why_not if why_not else entry.about
        return None


class RowDelegate(QStyledItemDelegate):
    """Paints a row."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(200, row_height(option.fontMetrics))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        model = index.model()
        if not isinstance(model, ResultList):
            return
        entry, places = model.found[index.row()]
        palette = option.palette
        rect = option.rect
        why_not = entry.why_not()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, palette.color(QPalette.ColorRole.Midlight))
            painter.fillRect(
                QRect(rect.topLeft(), QSize(BAR_PX, rect.height())),
                palette.color(QPalette.ColorRole.Text),
            )
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, palette.color(QPalette.ColorRole.AlternateBase))
        inner = rect.adjusted(MARGIN_PX, 0, -MARGIN_PX, 0)
        painter.setFont(option.font)
        painter.setPen(theme.muted(palette))
        # Only "on" is shown: among many "off" it would not be noticed.
        state = "on" if entry.state() == "on" else ""
        for text in (entry.keys, state):
            if text:
                width = option.fontMetrics.horizontalAdvance(text)
                painter.drawText(
                    inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
                )
                inner.setRight(inner.right() - width - GAP_PX)
        group = QPalette.ColorGroup.Disabled if why_not else QPalette.ColorGroup.Active
        painter.setPen(palette.color(group, QPalette.ColorRole.Text))
        quiet_ink = None if why_not else theme.muted(palette)
        quiet = (entry.main_from, quiet_ink)
        width = _paint_name(painter, inner, entry.name, places, option.font, quiet)
        if why_not:
            inner.setLeft(inner.left() + width + GAP_PX)
            painter.setPen(theme.muted(palette))
            reason = option.fontMetrics.elidedText(
                NOT_NOW + why_not, Qt.TextElideMode.ElideRight, inner.width()
            )
            painter.drawText(
                inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, reason
            )
        painter.restore()


def row_height(metrics: QFontMetrics) -> int:
    """The height of a row, in pixels."""
    return metrics.height() + 12


def _paint_name(
    painter: QPainter,
    rect: QRect,
    name: str,
    places: Sequence[int],
    font: QFont,
    quiet: tuple[int, QColor | None],
) -> int:
    """Paint a name with some letters in bold, elided if it is too long, and return its width.

    Args:
        painter: its pen has the colour.
        rect: the available rectangle.
        name: the name.
        places: the indices of the letters in bold.
        font: the font of the other letters.
        quiet: the number of letters before the main part of the name, and their colour.
    """
    bold = QFont(font)
    bold.setWeight(QFont.Weight.Bold)
    shown = QFontMetrics(bold).elidedText(name, Qt.TextElideMode.ElideRight, rect.width())
    ranges = []
    form = QTextCharFormat()
    form.setFontWeight(QFont.Weight.Bold)
    units = unit_places(shown) or range(len(shown) + 1)
    n_quiet = min(quiet[0], len(shown))
    colour = quiet[1]
    if n_quiet and colour is not None:
        before = QTextLayout.FormatRange()
        before.start = 0
        before.length = units[n_quiet]
        before.format = QTextCharFormat()
        before.format.setForeground(colour)
        ranges.append(before)
    for place in places:
        if place < len(shown) and (shown == name or place < len(shown) - 1):
            each = QTextLayout.FormatRange()
            each.start = units[place]
            each.length = units[place + 1] - units[place]
            each.format = form
            ranges.append(each)
    # The whole name has one layout, so that letters join and right-to-left names keep their order.
    layout = QTextLayout(shown, font)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats(ranges)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(rect.width())
    layout.endLayout()
    layout.draw(painter, QPointF(rect.left(), rect.top() + (rect.height() - line.height()) / 2))
    return round(line.naturalTextWidth())
