"""A row of controls that wraps into more lines if a large font or a small window leaves no room.

A row that does not wrap would make its panel wider than its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

TIGHT_PX = 6
"""The gap between controls of one group."""


@dataclass(frozen=True)
class Unit:
    """Controls that stay in one line.

    Attributes:
        widgets: the controls, in order.
        grows: the index of the control that takes the space that is left over; None for none.
        least_px: the least width of that control.
    """

    widgets: tuple[QWidget, ...]
    grows: int | None = None
    least_px: int = 0

    def measured(self) -> Measured | None:
        """The controls that are not hidden, with their widths; None if all are hidden."""
        shown = [widget for widget in self.widgets if not widget.isHidden()]
        if not shown:
            return None
        least = [max(widget.minimumSizeHint().width(), widget.minimumWidth()) for widget in shown]
        growing = None
        if self.grows is not None and self.widgets[self.grows] in shown:
            growing = shown.index(self.widgets[self.grows])
            least[growing] = max(least[growing], self.least_px)
        wanted = [
            max(a, min(w.sizeHint().width(), w.maximumWidth()))
            for a, w in zip(least, shown, strict=True)
        ]
        if growing is not None:
            wanted[growing] = least[growing]
        return Measured(self, shown, growing, least, wanted)


class Measured(NamedTuple):
    """The visible controls of a unit, measured once for each layout.

    Attributes:
        unit: the unit.
        shown: its controls that are not hidden.
        growing: the index among those of the one that takes the space that is left over.
        least: the least usable width of each.
        wanted: the width of each if there is room; for the one that grows, its least width.
    """

    unit: Unit
    shown: list[QWidget]
    growing: int | None
    least: list[int]
    wanted: list[int]

    @property
    def least_px(self) -> int:
        """The least usable width of all together."""
        return sum(self.least) + TIGHT_PX * (len(self.shown) - 1)

    @property
    def wanted_px(self) -> int:
        """The width of all together if there is room."""
        return sum(self.wanted) + TIGHT_PX * (len(self.shown) - 1)


class WrappingRow(QWidget):
    """A row that wraps; it can be as narrow as its widest unit.

    Args:
        spacing_px: the gap between units; between lines it is half of that.
    """

    def __init__(self, parent: QWidget | None = None, spacing_px: int = 8) -> None:
        super().__init__(parent)
        self._units: list[Unit] = []
        self._springs: set[int] = set()
        self._spacing = spacing_px
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, *widgets: QWidget, grows: int | None = None, least_px: int = 0) -> None:
        """Add controls that stay together, such as a label and its field.

        See `Unit` for the arguments.
        """
        for widget in widgets:
            is_hidden = widget.isHidden() and widget.testAttribute(
                Qt.WidgetAttribute.WA_WState_ExplicitShowHide
            )
            widget.setParent(self)
            widget.setVisible(not is_hidden)
        self._units.append(Unit(widgets, grows, least_px))
        self.updateGeometry()

    def add_spring(self) -> None:
        """Align what is added after this to the end of the line."""
        self._springs.add(len(self._units))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(self._shown(), width, is_real=False)

    def sizeHint(self) -> QSize:
        units = self._shown()
        width = sum(unit.wanted_px for unit in units) + self._spacing * max(0, len(units) - 1)
        return QSize(width, self._place(units, width, is_real=False))

    def minimumSizeHint(self) -> QSize:
        units = self._shown()
        # The minimum height of wrapped text is for its least width, and so too large.
        height = 0
        for unit in units:
            for widget in unit.shown:
                if widget.hasHeightForWidth():
                    height = max(height, widget.fontMetrics().height())
                else:
                    height = max(height, widget.minimumSizeHint().height())
        return QSize(max((unit.least_px for unit in units), default=0), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(self._shown(), self.width(), is_real=True)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.LayoutDirectionChange):
            self._place(self._shown(), self.width(), is_real=True)
            self.updateGeometry()
        return super().event(event)

    def _shown(self) -> list[Measured]:
        return [measured for unit in self._units if (measured := unit.measured()) is not None]

    def _lines(self, units: Sequence[Measured], width: int) -> list[list[Measured]]:
        """The units of each line."""
        lines: list[list[Measured]] = []
        left = -1
        for unit in units:
            own = unit.wanted_px
            if lines and own + self._spacing <= left:
                lines[-1].append(unit)
                left -= own + self._spacing
            else:
                lines.append([unit])
                left = width - own
        return lines

    def _place(self, units: Sequence[Measured], width: int, *, is_real: bool) -> int:
        """Compute the height of all lines, and, if `is_real`, give each control its place."""
        top = 0
        for number, line in enumerate(self._lines(units, width)):
            top += self._spacing // 2 if number else 0
            placed, height = self._line(line, width)
            if is_real:
                for widget, left, own, high in placed:
                    room = QRect(QPoint(left, top + (height - high) // 2), QSize(own, high))
                    widget.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), room))
            top += height
        return top

    def _line(
        self, line: Sequence[Measured], width: int
    ) -> tuple[list[tuple[QWidget, int, int, int]], int]:
        """The controls of a line with their lefts, widths and heights, and its height."""
        gaps = [0, *(len(line) - 1) * [self._spacing]]
        room = width - sum(gaps) - sum(TIGHT_PX * (len(unit.shown) - 1) for unit in line)
        least = [unit.least for unit in line]
        wanted = [unit.wanted for unit in line]
        widths = _share(room, least, wanted)
        over = room - sum(map(sum, widths))
        growing = [(k, unit.growing) for k, unit in enumerate(line) if unit.growing is not None]
        for part, (k, inner) in enumerate(growing):
            widths[k][inner] += over * (part + 1) // len(growing) - over * part // len(growing)
        places = [self._units.index(unit.unit) for unit in line]
        spring = next((k for k, place in enumerate(places) if k and place in self._springs), None)
        left = 0
        height = 0
        placed = []
        for k, (unit, gap, own) in enumerate(zip(line, gaps, widths, strict=True)):
            space = over if k == spring and not growing else 0
            left += gap + space
            begins = accumulate([0, *own[:-1]])
            for number, (widget, begin, wide) in enumerate(
                zip(unit.shown, begins, own, strict=True)
            ):
                start = left + begin + TIGHT_PX * number
                high = (
                    widget.heightForWidth(wide)
                    if widget.hasHeightForWidth()
                    else widget.sizeHint().height()
                )
                high = max(high, widget.minimumHeight())
                placed.append((widget, start, wide, high))
                height = max(height, high)
            left += sum(own) + TIGHT_PX * (len(own) - 1)
        return placed, height


def _share(room: int, least: list[list[int]], wanted: list[list[int]]) -> list[list[int]]:
    """The width of each control: as wanted, or less if the room is short, but never too little."""
    missing = sum(map(sum, wanted)) - room
    spare = sum(map(sum, wanted)) - sum(map(sum, least))
    if missing <= 0 or spare <= 0:
        return [list(own) for own in wanted]
    part = min(1.0, missing / spare)
    shares = []
    for pair in zip(least, wanted, strict=True):
        own = [most - round(part * (most - fewest)) for fewest, most in zip(*pair, strict=True)]
        shares.append(own)
    return shares
