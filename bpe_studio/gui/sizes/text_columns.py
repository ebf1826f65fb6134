"""The columns of the tab Text, one for each size; only the visible ones cut their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QRect, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from bpe_studio.explain.sizes.comparison import Comparison
from bpe_studio.explain.sizes.measures import SizeMeasures
from bpe_studio.explain.sizes.others import OtherResult
from bpe_studio.gui.sizes.text_column import OtherColumn, TextColumn
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, scrolled
from bpe_studio.gui.widgets.labels import Note

ROOM_FOR_LEGEND_PX = 180
COLUMN_PX = 200
GAP_PX = 12


class TextColumns(QWidget):
    """A column for each size, of which the last is the step of the window, and one for each other run and tokenizer.

    Signals:
        step_chosen: (number, step), in the column of this number, from 1.
        removed: int, the number of a column.
        other_removed: str, the key of another run or a tokenizer.
    """

    step_chosen = Signal(int, int)
    removed = Signal(int)
    other_removed = Signal(str)

    def __init__(self, before: Callable[[], QWidget], parent: QWidget | None = None) -> None:
        """No columns yet.

        Args:
            before: gives the widget that precedes the first column in the tab order.
            parent: the panel.
        """
        super().__init__(parent)
        self._before = before
        self.columns: list[TextColumn] = []
        self.others: list[OtherColumn] = []
        self._results: tuple[OtherResult, ...] = ()
        self._comparison: Comparison | None = None
        self._rows: tuple[SizeMeasures, ...] = ()
        self._reference = 0
        self._filled: dict[int, tuple[object, ...]] = {}
        self._inside = QWidget(self)
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP_PX)
        self.area = scrolled(self._inside, "compare.columns", sideways=True)
        self.area.horizontalScrollBar().setSingleStep(COLUMN_PX // 4)
        self.area.horizontalScrollBar().valueChanged.connect(self._fill)
        self._legend = Note("▴ boundary here, merged in another column   ‿ merged here, boundary in another column")
        column((self.area, 1), self._legend, parent=self, spacing=TIGHT_PX)

    def set_steps(self, steps: Sequence[int], n_merges: int, *, are_removable: bool) -> None:
        """Show a column for each step."""
        self._set_columns(len(steps))
        for each, step in zip(self.columns, steps, strict=True):
            each.set_step(step, n_merges)
            each.set_removable(are_removable)

    def show_comparison(
        self,
        comparison: Comparison | None,
        rows: Sequence[SizeMeasures],
        reference: int,
        others: Sequence[OtherResult] = (),
    ) -> None:
        """Show a text cut at the steps of some rows, compared with one of them; None for none.

        Args:
            comparison: the text, encoded with the open run.
            rows: the sizes.
            reference: which is the reference, counted through the sizes and then the others.
            others: the results of other runs and tokenizers.
        """
        if comparison is not self._comparison or tuple(others) != self._results:
            self._filled.clear()
        self._comparison, self._rows, self._reference = comparison, tuple(rows), reference
        self._results = tuple(others)
        self._set_others(len(others))
        if comparison is None:
            self._filled.clear()
            for each in self.columns:
                each.clear()
        else:
            self._fill()

    def columns_in_sight(self) -> list[int]:
        """The indices of the columns that are visible, or would be if the panel were."""
        seen = QRect(self.area.horizontalScrollBar().value(), 0, max(1, self.area.viewport().width()), 1 << 20)
        if self._inside.width() < len(self.columns) * COLUMN_PX // 2:
            return list(range(min(len(self.columns), seen.width() // COLUMN_PX + 2)))  # not laid out yet
        return [k for k, column in enumerate(self.columns) if seen.intersects(column.geometry())]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._legend.setVisible(self.height() >= ROOM_FOR_LEGEND_PX)
        self._fill()

    @Slot()
    def _fill(self) -> None:
        """Cut the text for the visible columns that do not show it yet."""
        comparison = self._comparison
        if comparison is None or len(self._rows) != len(self.columns):
            return
        steps = [row.step for row in self._rows]
        ends = (min(steps), max(steps))
        usable = [each for each in self._results if each.content is not None]
        compared = [each.content.starts for each in usable if each.content is not None]
        reference = self._reference
        if reference >= len(steps):
            chosen = self._results[reference - len(steps)] if reference - len(steps) < len(self._results) else None
            reference = len(steps) + usable.index(chosen) if chosen in usable else 0
        against = steps[reference] if reference < len(steps) else usable[reference - len(steps)]
        for k in self.columns_in_sight():
            # A growing run does not change the text at a step, so only the step and the reference matter.
            key: tuple[object, ...] = (self._rows[k], *ends, against, k == reference)
            if self._filled.get(k) != key:
                self._filled[k] = key
                result = comparison.column(steps, k, reference, compared)
                self.columns[k].set_result(self._rows[k], result.words, result.content)
        for place, (shown, each) in enumerate(zip(self.others, self._results, strict=True), len(self.columns)):
            key = (each, *ends, against)
            if self._filled.get(place) == key:
                continue
            self._filled[place] = key
            if each.content is None:
                shown.set_result(each, each.why_not, None)
            else:
                other = comparison.other_column(steps, usable.index(each), reference, compared, each.content)
                shown.set_result(each, other.words, other.content)

    def _set_others(self, n_others: int) -> None:
        if len(self.others) == n_others:
            return
        while len(self.others) > n_others:
            column = self.others.pop()
            self._row.removeWidget(column)
            column.hide()
            column.deleteLater()
        while len(self.others) < n_others:
            column = OtherColumn(len(self.others) + 1, self._inside)
            column.setMinimumWidth(COLUMN_PX)
            column.removed.connect(self.other_removed)
            column.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
            self._row.insertWidget(len(self.columns) + len(self.others), column, 1)
            self.others.append(column)
        self._order_tabs()

    def _set_columns(self, n_columns: int) -> None:
        if len(self.columns) == n_columns:
            return
        self._filled.clear()
        while len(self.columns) > n_columns:
            # The last one is the step of the window, and stays.
            column = self.columns.pop(-2 if len(self.columns) > 1 and n_columns else -1)
            self._row.removeWidget(column)
            column.hide()
            column.deleteLater()
        while len(self.columns) < n_columns:
            is_current = not self.columns
            column = TextColumn(len(self.columns) + 1, is_current, self._inside)
            column.setMinimumWidth(COLUMN_PX)
            column.step_chosen.connect(self.step_chosen)
            column.removed.connect(self.removed)
            column.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
            place = 0 if is_current else len(self.columns) - 1
            self._row.insertWidget(place, column, 1)
            self.columns.insert(place, column)
        for number, each in enumerate(self.columns, 1):
            each.set_number(number)
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Set the tab order from left to right."""
        parts = [part for column in self.columns for part in (column.spin, column.slider, column.remove, column.text)]
        parts += [part for column in self.others for part in (column.remove, column.text)]
        for one, other in pairwise([self._before(), *parts]):
            QWidget.setTabOrder(one, other)

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for text in [*(each.text for each in self.columns), *(each.text for each in self.others)]:
            text.verticalScrollBar().setValue(value)
