"""The command palette: finds actions, merges by their numbers, tokens, words, runs and more.
It is shown over the window, takes the keyboard focus while it is open and gives it back afterwards.
Its entries are the actions of the window, the entries of providers (runs, bookmarks, terms), and
the tokens and words that a search in the pool finds a moment later.
Names with the words of the text come first, then the results of the search, then names that have
the text inside a word, then rare entries. Choosing an entry closes the palette and calls the
function of the entry. The recently used entries are kept as long as the window exists; the caller
can store them with `used_changed` and `set_used`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QMainWindow,
    QWidget,
)
from shiboken6 import isValid

from bpe_studio.explain.wording import number
from bpe_studio.gui.command_palette.entries import NOT_NOW, Entry, entries_of, merge_entry
from bpe_studio.gui.command_palette.name_match import Match, Target, match, prepare
from bpe_studio.gui.command_palette.results import (
    MARGIN_PX,
    N_ROWS,
    Found,
    ResultList,
    RowDelegate,
    row_height,
)
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ElidedLabel

MOST_USED = 20
USED_WEIGHT = 6.0
WIDTH_IN_LETTERS = 84
TOP_PX = 40
ROUND_PX = 8
SHADOW_PX = 10
HINT = "Find an action, a merge by its number, a token, a word, a run, a term …"

Provider = Callable[[], Iterable[Entry]]
Search = Callable[[str], object]


_LARGER = 1.15
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -N_ROWS,
    Qt.Key.Key_PageDown: N_ROWS,
}
_CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Line(NamedTuple):
    entry: Entry
    target: Target


class CommandPalette(FollowsLook, QWidget):
    """A field and a list over a window.

    Args:
        window: the window over which it is shown, and whose actions it lists.
        go_to_step: goes to a merge whose number is typed; without it, a number is a text.
        last_step: returns the last step of the run.

    Signals:
        used_changed: list of str, the keys of the recently used entries, newest first.
    """

    used_changed = Signal(object)

    def __init__(
        self,
        window: QMainWindow,
        go_to_step: Callable[[int], object] | None = None,
        last_step: Callable[[], int] | None = None,
    ) -> None:
        super().__init__(window)
        named(self, "palette", "Command palette")
        self._window = window
        self._providers: list[Provider] = []
        self._search: Search | None = None
        self._go_to_step = go_to_step
        self._last_step = last_step or (lambda: 0)
        self._found_text = ""
        self._found_entries: tuple[Entry, ...] = ()
        self._instead: dict[str, Callable[[], object]] = {}
        self._lines: list[_Line] = []
        self._used: list[str] = []
        self._focus_before: QWidget | None = None
        self.rows = ResultList(self)
        self._build()
        self._connect()
        self.hide()
        window.installEventFilter(self)
        self.follow_look(fit_now=False)

    def _build(self) -> None:
        self.panel = QFrame(self)
        self.panel.setObjectName("palette.panel")
        self.panel.setAutoFillBackground(True)
        self.panel.setBackgroundRole(QPalette.ColorRole.Base)
        self.input = _SearchField(self.panel)
        self.input.setPlaceholderText(HINT)
        self.list = named(QListView(self.panel), "palette.list", "Entries found")
        self.list.setModel(self.rows)
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.about = named(ElidedLabel(self.panel), "palette.about", "About the chosen entry")
        self.n_found = named(ElidedLabel(self.panel), "palette.n_found", "Entries found")
        self.n_found.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for label in (self.about, self.n_found):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._foot = QWidget(self.panel)
        margins = (MARGIN_PX, SPACING_PX, MARGIN_PX, SPACING_PX)
        row(
            (self.about, 3), (self.n_found, 1), parent=self._foot, spacing=GROUP_PX, margins=margins
        )
        self._column = column(
            self.input, self.list, self._foot, parent=self.panel, spacing=0, margins=1
        )

    def _connect(self) -> None:
        self.input.textChanged.connect(self._find)
        self.input.moved.connect(self._on_moved)
        self.input.chosen.connect(self._on_chosen)
        self.input.cancelled.connect(self.close_palette)
        self.input.left.connect(self._on_left)
        self.list.clicked.connect(self._on_clicked)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)

    @property
    def used(self) -> list[str]:
        """The keys of the recently used entries, newest first."""
        return list(self._used)

    def set_used(self, keys: Iterable[str]) -> None:
        """Set the keys of the recently used entries, newest first."""
        self._used = list(keys)[:MOST_USED]

    def add_provider(self, provider: Provider) -> None:
        """Add a function that returns more entries.

        It is called each time the palette is opened.
        """
        self._providers.append(provider)

    def do_instead(self, key: str, run: Callable[[], object]) -> None:
        """Replace the function of an action's entry, as by one that only shows, and never hides."""
        self._instead[key] = run

    def set_search(self, search: Search) -> None:
        """Set the function that is called with each text.
        It hands its results to `show_found`, at once or later.
        """
        self._search = search

    def show_found(self, text: str, entries: Iterable[Entry]) -> None:
        """Add the results of a search to the list, if its text is still in the field."""
        if self.isVisible() and text == self.input.text():
            self._found_text = text
            self._found_entries = tuple(entries)
            row = self.list.currentIndex().row()
            current = self.rows.found[row][0] if row > 0 else None
            self._show(text)
            kept = (place for place, (entry, _) in enumerate(self.rows.found) if entry is current)
            self.list.setCurrentIndex(self.rows.index(next(kept, 0)))

    def open_palette(self, text: str = "") -> None:
        """Show all entries, recently used ones first, or those that a text finds.
        An open palette is closed instead.
        """
        if self.isVisible():
            self.close_palette()
            return
        self._focus_before = QApplication.focusWidget()
        entries = entries_of(self._window)
        for provider in self._providers:
            entries += provider()
        about = (
            "Lists everything that can be exported: tables, pictures, the coloured text, a script"
        )
        entries.append(
            Entry("palette.export", "File: Export…", partial(self.open_palette, "export "), about)
        )
        self._lines = [
            _Line(entry, prepare(entry.name, entry.main_from, entry.synonyms)) for entry in entries
        ]
        self.input.clear()
        self._find("")
        self._place()
        self.show()
        self.raise_()
        self.input.setFocus(Qt.FocusReason.PopupFocusReason)
        self.input.setText(text)

    @Slot()
    def close_palette(self) -> None:
        """Hide it and give the keyboard focus back."""
        if self.isVisible():
            before = self._focus_before
            self._focus_before = None
            self.hide()
            # The widget with the focus may have been deleted, such as the editor of a table cell.
            if before is not None and isValid(before) and before.isVisible():
                before.setFocus(Qt.FocusReason.PopupFocusReason)

    @Slot(str)
    def _find(self, text: str) -> None:
        self._show(text)
        if self.rows.found:
            self.list.setCurrentIndex(self.rows.index(0))
            self.list.scrollToTop()
        else:
            self.about.setText(f"Nothing found for {text}")
            self._announce(self.about.text())
        if self._search is not None:
            self._search(text)

    def _show(self, text: str) -> None:
        rows: list[Found] = []
        if self._go_to_step is not None:
            to_merge = merge_entry(self._go_to_step, self._last_step, text)
            if to_merge is not None:
                rows.append((to_merge, ()))
        by_words, by_parts = self._matches(text)
        rows += by_words
        if text == self._found_text:
            rows += [(entry, ()) for entry in self._found_entries]
        rows += by_parts
        self.rows.set_found(rows)
        found = f"{number(len(rows))} found" if text else ""
        self.n_found.setText(found)
        self._fit()

    def _matches(self, text: str) -> tuple[list[Found], list[Found]]:
        """The entries that words find, and the others (found inside words, or rare), best first."""
        recency = {key: 1.0 - place / (2 * MOST_USED) for place, key in enumerate(self._used)}
        scored: list[tuple[bool, bool, float, int, tuple[int, ...]]] = []
        for place, (entry, target) in enumerate(self._lines):
            fit = match(text, target)
            if fit is None or (entry.is_rare and not _is_meant(text, entry, fit)):
                continue
            score = fit.score + USED_WEIGHT * recency.get(entry.key, 0.0)
            is_late = entry.is_rare or not fit.is_by_words
            scored.append((is_late, entry.is_rare, -score, place, fit.places))
        by_words: list[Found] = []
        late: list[Found] = []
        for is_late, _, _, place, places in sorted(scored):
            found = late if is_late else by_words
            found.append((self._lines[place].entry, places))
        return by_words, late

    def _fit(self) -> None:
        """Give the list the height of its rows, but at most twelve, and no more than the window."""
        metrics = self.list.fontMetrics()
        room = (
            self.height()
            - TOP_PX
            - 2 * SHADOW_PX
            - self.input.sizeHint().height()
            - self._foot.sizeHint().height()
        )
        n_rows = max(1, min(N_ROWS, self.rows.rowCount(), room // row_height(metrics)))
        self.list.setVisible(self.rows.rowCount() > 0)
        self.list.setFixedHeight(n_rows * row_height(metrics))
        width = min(self.width() - 4 * SHADOW_PX, WIDTH_IN_LETTERS * metrics.averageCharWidth())
        before = self.panel.geometry()
        # The layout only notices that the list is hidden when it is activated again.
        self._column.activate()
        self.panel.setGeometry(
            (self.width() - width) // 2, TOP_PX, width, self.panel.sizeHint().height()
        )
        if before != self.panel.geometry():
            self.update()

    def _place(self) -> None:
        self.setGeometry(self._window.rect())
        self._fit()

    @Slot(int)
    def _on_moved(self, n_rows: int) -> None:
        n_all = self.rows.rowCount()
        if n_all:
            row = self.list.currentIndex().row() + n_rows
            # A single step wraps around; a page stops at the ends.
            row = row % n_all if abs(n_rows) == 1 else min(max(0, row), n_all - 1)
            self.list.setCurrentIndex(self.rows.index(row))

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        if current.isValid():
            entry = self.rows.found[current.row()][0]
            self.about.setText(entry.about)
            said = f"{entry.accessible_text}, {current.row() + 1} of {self.rows.rowCount()}"
            self.input.setAccessibleDescription(said)
            self._announce(said)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.list.setCurrentIndex(index)
        self._on_chosen()

    @Slot()
    def _on_chosen(self) -> None:
        row = self.list.currentIndex().row()
        if not 0 <= row < self.rows.rowCount():
            return
        entry = self.rows.found[row][0]
        why_not = entry.why_not()
        if why_not:
            self.about.setText(NOT_NOW + why_not)
            self._announce(self.about.text())
            return
        if entry.key:
            self._used = [entry.key, *(key for key in self._used if key != entry.key)][:MOST_USED]
            self.used_changed.emit(list(self._used))
        self.close_palette()
        self._instead.get(entry.key, entry.run)()

    @Slot()
    def _on_left(self) -> None:
        """Close without giving the focus back, because another widget has got it."""
        self._focus_before = None
        self.close_palette()

    def _announce(self, text: str) -> None:
        # The field keeps the focus, so screen readers do not notice the current row by themselves.
        if self.isVisible() and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.input, text))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def font_changed(self) -> None:
        if self.isVisible():
            self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # As with a menu, a click outside closes it and does nothing else.
        self.close_palette()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            shade = QColor(0, 0, 0, 10)
            inner = QRectF(self.panel.geometry())
            for width in range(SHADOW_PX, 0, -1):
                painter.setBrush(shade)
                painter.drawRoundedRect(
                    inner.adjusted(-width, -width + 3, width, width + 3), ROUND_PX, ROUND_PX
                )
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Shadow), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(inner.adjusted(-0.5, -0.5, 0.5, 0.5))


def _is_meant(text: str, entry: Entry, fit: Match) -> bool:
    """Whether a text means a rare entry: by a word of its own, or with a space after their menu."""
    return fit.is_by_words and (
        text.endswith(" ") or any(place >= entry.main_from for place in fit.places)
    )


class _SearchField(FollowsLook, QLineEdit):
    """A line edit whose arrow keys move in the list below it.
    Signals:
        moved: int, the number of rows; a negative one moves up.
        chosen: Enter was pressed.
        cancelled: Esc was pressed.
        left: another widget has got the keyboard focus.
    """

    moved = Signal(int)
    chosen = Signal()
    cancelled = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("palette.input")
        self.setAccessibleName("Find")
        self.setToolTip("Up and Down select an entry, Enter runs it, Esc closes the palette")
        self.setFrame(False)
        self.setTextMargins(MARGIN_PX - 4, 10, MARGIN_PX - 4, 10)
        self.follow_look()

    def font_changed(self) -> None:
        font = QApplication.font(self)
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * _LARGER)
            self.setFont(font)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key == Qt.Key.Key_Escape or key in _MOVES or key in _CHOOSE:
                event.accept()  # the window's shortcut with this key must not be triggered
                return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                by = 1 if key == Qt.Key.Key_Tab else -1
                self.moved.emit(by)
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _MOVES:
            self.moved.emit(_MOVES[key])
        elif key in _CHOOSE:
            self.chosen.emit()
        elif key == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        ):
            self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
            low = QRect(self.rect()).bottom()
            painter.drawLine(0, low, self.width(), low)
