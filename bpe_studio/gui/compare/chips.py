"""The list of what is compared: sizes of the open run, other runs and tokenizers, with buttons that add and remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QToolButton, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import Progress

MOST_SHOWN = 16
"""More items are only counted: each has its row in the numbers."""
SHOWN_CHARACTERS = 28
ADD_TOKENIZER = (
    "Opens a tokenizer of any kind, a file or a folder, and compares it on the typed text and on the corpus; "
    "the open run and the settings stay as they are"
)


class Item(NamedTuple):
    """One of what is compared.

    Attributes:
        key: identifies it.
        text: what it is called.
        tip: what it is.
        is_removable: whether it can be removed.
        is_current: whether it is the step of the window.
    """

    key: str
    text: str
    tip: str
    is_removable: bool = True
    is_current: bool = False


class Chips(QWidget):
    """The items in a row that wraps; the buttons that add runs and tokenizers have their place above it.

    Attributes:
        add_suggestions: adds runs that could be trained to the menu of runs; set by the window.

    Signals:
        removed: str, the key of an item.
        run_chosen: int, the number of a run that is to be compared again.
        new_run_requested: the user wants to train another run.
        tokenizer_requested: the user wants to open a tokenizer.
        folder_requested: the user wants to open a tokenizer that is a folder.
        cancel_requested: opening or counting is to be stopped.
    """

    removed = Signal(str)
    run_chosen = Signal(int)
    new_run_requested = Signal()
    tokenizer_requested = Signal()
    folder_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[Item, ...] = ()
        self._hidden_runs: list[tuple[int, str]] = []
        self._add_tip = ADD_TOKENIZER
        self.add_suggestions: Callable[[QMenu], None] | None = None
        self._chips = [_Chip(number, self) for number in range(1, MOST_SHOWN + 1)]
        self._build()
        for chip in self._chips:
            chip.remove.clicked.connect(partial(self._on_removed, chip))
        self.add_run.menu().aboutToShow.connect(self._fill_runs)
        self.add_tokenizer.clicked.connect(self.tokenizer_requested)
        self.cancel.clicked.connect(self.cancel_requested)

    def _build(self) -> None:
        self.more = QLabel(self)
        self.more.setObjectName("compare.more_items")
        self.add_run = named(
            QPushButton("Add run", self), "compare.add_run", "Add a run", "Compares another run of this text"
        )
        menu = QMenu(self.add_run)
        menu.setObjectName("compare.add_run_menu")
        menu.setToolTipsVisible(True)
        self.add_run.setMenu(menu)
        self.add_tokenizer = named(QToolButton(self), "compare.add_tokenizer", "Add a tokenizer", ADD_TOKENIZER)
        self.add_tokenizer.setText("Add tokenizer…")
        self.add_tokenizer.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.add_tokenizer.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.add_tokenizer.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        kinds = QMenu(self.add_tokenizer)
        kinds.setObjectName("compare.add_tokenizer_menu")
        named(kinds.addAction("A file…", self.tokenizer_requested.emit), "compare.add_tokenizer_file", "")
        named(kinds.addAction("A folder…", self.folder_requested.emit), "compare.add_tokenizer_folder", "")
        self.add_tokenizer.setMenu(kinds)
        self.counting = named(Note(role="help"), "compare.counting", "What is opened or counted")
        self.cancel = named(QPushButton("Cancel", self), "compare.cancel_counting", "Stop opening and counting")
        self.problem = named(Note(role="error"), "compare.problem", "Why a tokenizer could not be opened")
        for widget in (self.more, self.counting, self.cancel, self.problem):
            widget.hide()
        line = WrappingRow(self, TIGHT_PX)
        for chip in self._chips:
            line.add(chip)
        line.add(self.more)
        line.add(self.counting, self.cancel, grows=0, least_px=160)
        column(line, self.problem, parent=self, spacing=TIGHT_PX)

    @property
    def buttons(self) -> tuple[QWidget, ...]:
        """The buttons that add, for the row in which the sizes are chosen."""
        return self.add_run, self.add_tokenizer

    def show_keys(self, keys: QKeySequence) -> None:
        """Say the shortcut by which a tokenizer is added."""
        self._add_tip = f"{ADD_TOKENIZER} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})"
        self.allow_adding(self.add_tokenizer.isEnabled())

    def allow_adding(self, has_run: bool) -> None:
        """Make the buttons usable while a run is open; at once, so that a quick click is not lost."""
        self.add_run.setEnabled(has_run)
        self.add_tokenizer.setEnabled(has_run)
        self.add_tokenizer.setToolTip(self._add_tip if has_run else "Not now: open a text first")

    def set_items(self, items: Sequence[Item], hidden_runs: Sequence[tuple[int, str]]) -> None:
        """Show what is compared.

        Args:
            items: in the order of the rows and columns.
            hidden_runs: the number and name of each run that could be added.
        """
        self._hidden_runs = list(hidden_runs)
        items = tuple(items)
        if items == self._items:
            return
        self._items = items
        # The last ones are what was added by hand.
        shown = items if len(items) <= MOST_SHOWN else items[-MOST_SHOWN:]
        for chip, item in zip(self._chips, shown, strict=False):
            chip.show_item(item)
        for number, chip in enumerate(self._chips):
            chip.setVisible(number < len(shown))
        n_more = len(items) - len(shown)
        self.more.setText(f"and {n_more:,} more")
        self.more.setVisible(n_more > 0)

    @property
    def items(self) -> tuple[Item, ...]:
        """What is compared."""
        return self._items

    @Slot(object)
    def set_progress(self, progress: Progress | None) -> None:
        """Show what is opened or counted; None for nothing."""
        if progress is not None:
            share = progress.fraction
            self.counting.set_message(progress.what + (" …" if share is None else f" · {share:.0%}"))
        for widget in (self.counting, self.cancel):
            widget.setVisible(progress is not None)

    @Slot(str)
    def set_problem(self, problem: str) -> None:
        """Say why a tokenizer could not be opened, or nothing."""
        self.problem.set_message(problem)
        self.problem.setVisible(bool(problem))

    @Slot()
    def _fill_runs(self) -> None:
        menu = self.add_run.menu()
        menu.clear()
        for number, name in self._hidden_runs:
            action = menu.addAction(elided(name, 60).replace("&", "&&"), partial(self.run_chosen.emit, number))
            action.setObjectName(f"compare.add_run_{number}")
        if self._hidden_runs:
            menu.addSeparator()
        new = menu.addAction("New run…", self.new_run_requested.emit)
        new.setObjectName("compare.new_run")
        new.setToolTip("Trains a comparison run on the same text with other settings")
        if self.add_suggestions is not None:
            self.add_suggestions(menu)

    def _on_removed(self, chip: _Chip, checked: bool = False) -> None:
        self.set_problem("")
        self.removed.emit(chip.key)


class _Chip(QWidget):
    """The name of an item, and the button that removes it."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.key = ""
        self._is_current = False
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setObjectName(f"compare.item_{number}")
        self.remove = named(QToolButton(self), f"compare.remove_item_{number}", "Remove it from the comparison")
        self.remove.setText("✕")
        self.remove.setAutoRaise(True)
        self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._room = row(self.label, self.remove, parent=self, spacing=2, margins=(10, 1, 4, 1))
        self.hide()

    def show_item(self, item: Item) -> None:
        """Show an item."""
        self.key, self._is_current = item.key, item.is_current
        text = elided(item.text, SHOWN_CHARACTERS)
        self.label.setText(text)
        self.setToolTip(plain_tip(item.tip))
        font = self.label.font()
        font.setBold(item.is_current)
        self.label.setFont(font)
        self.remove.setVisible(item.is_removable)
        self._room.setContentsMargins(10, 1, 4 if item.is_removable else 10, 1)
        self.setMinimumHeight(self.remove.sizeHint().height() + 2)  # as high as its neighbours that have the button
        self.remove.setAccessibleName(f"Remove {text}")
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        role = QPalette.ColorRole.Highlight if self._is_current else QPalette.ColorRole.Mid
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(palette.color(role)))
            painter.setBrush(palette.color(QPalette.ColorRole.Base))
            edge = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(edge, edge.height() / 2, edge.height() / 2)
