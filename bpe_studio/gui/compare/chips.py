"""The list of all that is compared: sizes, other runs and tokenizers, with a menu to add more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, run_target
from bpe_studio.gui.compare.add_menu import AddMenu
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import Progress

MOST_SHOWN = 16
"""Further items are only counted; each has its row in the numbers."""
SHOWN_CHARACTERS = 28
CHOOSE = "Click two to compare them on every page: the first is A, the second B"


class Item(NamedTuple):
    """A size, run or tokenizer that is compared.

    Attributes:
        key: identifies it.
        text: its name.
        tip: its tooltip.
        is_removable: whether it can be removed.
        is_current: whether it is the step of the window.
        letter: "A" or "B" for the two that are compared in detail; "" for the others.
    """

    key: str
    text: str
    tip: str
    is_removable: bool = True
    is_current: bool = False
    letter: str = ""


class Chips(QWidget):
    """The items in a row that wraps, then the button *+ Add* and the name of the compared text.

    Attributes:
        menu: the menu of the button.
        which: names the text.

    Signals:
        chosen: str, the key of an item that becomes B.
        removed: str, the key of an item to remove.
        cancel_requested: the user wants to stop opening or counting.
    """

    chosen = Signal(str)
    removed = Signal(str)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[Item, ...] = ()
        self._chips = [_Chip(number, self) for number in range(1, MOST_SHOWN + 1)]
        self.more = QLabel(self)
        self.more.setObjectName("compare.more_items")
        self.add = named(
            QPushButton("+ Add", self),
            "compare.add",
            "Add to the comparison",
            "Adds sizes, other runs and tokenizers",
        )
        self.menu = AddMenu(self.add)
        self.add.setMenu(self.menu)
        self.counting = named(
            Note(role="help"), "compare.counting", "What is being opened or counted"
        )
        self.cancel = named(
            QPushButton("Cancel", self), "compare.cancel_counting", "Stop opening and counting"
        )
        self.problem = named(
            Note(role="error"), "compare.problem", "Why a tokenizer could not be opened"
        )
        self.which = named(ElidedLabel(), "compare.which", "The compared text")
        self.which.explain("The text that every column cuts, and its length in code points")
        self.which.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for widget in (self.more, self.counting, self.cancel, self.problem):
            widget.hide()
        line = WrappingRow(self, TIGHT_PX)
        for chip in self._chips:
            line.add(chip)
        line.add(self.more)
        line.add(self.add)
        line.add(self.counting, self.cancel, grows=0, least_px=160)
        line.add(self.which, grows=0, least_px=160)
        column(line, self.problem, parent=self, spacing=TIGHT_PX)
        for chip in self._chips:
            chip.label.clicked.connect(partial(self._on_chosen, chip))
            chip.remove.clicked.connect(partial(self._on_removed, chip))
        self.cancel.clicked.connect(self.cancel_requested)

    def set_items(self, items: Sequence[Item]) -> None:
        """Show the items, in the order of the rows and columns."""
        items = tuple(items)
        if items == self._items:
            return
        self._items = items
        # The last ones were added by the user.
        shown = items if len(items) <= MOST_SHOWN else items[-MOST_SHOWN:]
        for chip, item in zip(self._chips, shown, strict=False):
            if chip.item != item:
                chip.show_item(item)
        for number, chip in enumerate(self._chips):
            chip.setVisible(number < len(shown))
        n_more = len(items) - len(shown)
        self.more.setText(f"and {n_more:,} more")
        self.more.setVisible(n_more > 0)

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that are compared."""
        return self._items

    @Slot(object)
    def set_progress(self, progress: Progress | None) -> None:
        """Show the progress of opening or counting; None for none."""
        if progress is not None:
            share = progress.fraction
            amount = " …" if share is None else f" · {share:.0%}"
            self.counting.set_message(progress.what + amount)
        for widget in (self.counting, self.cancel):
            widget.setVisible(progress is not None)

    @Slot(str)
    def set_problem(self, problem: str) -> None:
        """Say why a tokenizer could not be opened, or nothing."""
        self.problem.set_message(problem)
        self.problem.setVisible(bool(problem))

    def _on_chosen(self, chip: _Chip, checked: bool = False) -> None:
        self.chosen.emit(chip.item.key)

    def _on_removed(self, chip: _Chip, checked: bool = False) -> None:
        self.set_problem("")
        self.removed.emit(chip.item.key)


class _Chip(HasContextMenu, QWidget):
    """The name of an item, which chooses it, and the button that removes it."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.item = Item("", "", "")
        self.label = named(QToolButton(self), f"compare.item_{number}", "Compared tokenizer")
        self.label.setAutoRaise(True)
        self.label.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remove = named(
            QToolButton(self), f"compare.remove_item_{number}", "Remove it from the comparison"
        )
        self.remove.setText("✕")
        self.remove.setAutoRaise(True)
        self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._room = row(self.label, self.remove, parent=self, spacing=2)
        self.hide()

    def show_item(self, item: Item) -> None:
        self.item = item
        text = elided(item.text, SHOWN_CHARACTERS)
        self.label.setText(text.replace("&", "&&"))
        name = text
        left = 6
        if item.letter:
            name = f"{item.letter}: {text}"
            left = self._badge_px + 8
        self.label.setAccessibleName(name)
        self.setToolTip(plain_tip(f"{item.tip}\n{CHOOSE}"))
        font = self.label.font()
        font.setBold(item.is_current)
        self.label.setFont(font)
        self.remove.setVisible(item.is_removable)
        right = 4 if item.is_removable else 6
        if self.isRightToLeft():
            left, right = right, left
        self._room.setContentsMargins(left, 1, right, 1)
        # As high as its neighbours that have the button.
        self.setMinimumHeight(self.remove.sizeHint().height() + 2)
        self.remove.setAccessibleName(f"Remove {text}")
        self.update()

    @property
    def _badge_px(self) -> int:
        return self.fontMetrics().height()

    def target_at(self, place: QPoint) -> Target | None:
        kind, _, number = self.item.key.partition(" ")
        return run_target(int(number)) if kind == "run" else None

    def current_target(self) -> tuple[Target | None, QPoint]:
        return self.target_at(QPoint()), self.rect().bottomLeft()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and self.item.key:
            self.show_item(self.item)  # the letter needs more room
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        role = QPalette.ColorRole.Link if self.item.is_current else QPalette.ColorRole.Mid
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(palette.color(role)))
            painter.setBrush(palette.color(QPalette.ColorRole.Base))
            edge = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(edge, edge.height() / 2, edge.height() / 2)
            if self.item.letter:
                x = self.width() - 5 - self._badge_px if self.isRightToLeft() else 5
                badge = QRectF(
                    x, (self.height() - self._badge_px) / 2, self._badge_px, self._badge_px
                )
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(palette.color(QPalette.ColorRole.Text))
                painter.drawEllipse(badge)
                painter.setPen(palette.color(QPalette.ColorRole.Base))
                painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, self.item.letter)
