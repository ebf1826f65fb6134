"""The controls that choose which two runs are compared, and at which step.

By default these are the run that is shown and the one that it was branched from (or the newest side run), at the last
step that both have reached; if their alphabets differ in size, at the largest vocabulary that both have reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPaintEvent, QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.controls import WholeNumber, named

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry

STEP, SIZE, END = "step", "size", "end"
_MEASURES = (
    (STEP, "same step", "Compares where equally many merges apply in both"),
    (SIZE, "same vocabulary", "Compares where both vocabularies are equally large: alphabet, merges and specials"),
    (END, "each at its end", "Compares each at the last step that it has reached"),
)
_NEVER = "Not now: their vocabularies are never equally large"
_ONE_ROW_EM = 46
"""From this width on, in line heights, all controls are in one row."""


class RunChoice(QWidget):
    """The controls above a comparison.

    Signals:
        changed: other runs or another step are chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._branches: tuple[RunEntry, ...] = ()
        self._tokenizers: tuple[tuple[int, str], ...] = ()
        self._pair: tuple[int, int] | None = None
        self._measure: str | None = None
        self._is_one_row: bool | None = None
        self._build()
        for chooser in (self.left, self.right):
            chooser.activated.connect(self._on_chosen)
        self.measure.activated.connect(self._on_measure_chosen)
        self.spin.valueChanged.connect(self._on_step_chosen)
        self.at_end.toggled.connect(self._on_end_toggled)

    def _build(self) -> None:
        self.left = _chooser("left", "A, the first of the two runs that are compared")
        self.right = _chooser("right", "B, the second of the two runs that are compared")
        self.measure = named(QComboBox(self), "branches.measure", "What is the same for both")
        for name, title, tip in _MEASURES:
            self.measure.addItem(title, name)
            self.measure.setItemData(self.measure.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.spin = WholeNumber(self)
        self.spin.setObjectName("branches.step")
        self.spin.setGroupSeparatorShown(True)
        self.spin.setKeyboardTracking(False)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.at_end = named(QCheckBox("at the end", self), "branches.at_end", "Compare at the end")
        self.at_end.setChecked(True)
        self._runs, self._place = QWidget(self), QWidget(self)
        rows = [_row(self._runs), _row(self._place)]
        for text, control in (("&A", self.left), ("&B", self.right)):
            label = QLabel(text, self)
            label.setBuddy(control)
            rows[0].addWidget(label)
            rows[0].addWidget(control, 1)
        label = QLabel("a&t", self)
        label.setBuddy(self.measure)
        for widget in (label, self.measure, self.spin, self.at_end):
            rows[1].addWidget(widget)
        rows[1].addStretch(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._arrange(False)

    @property
    def chosen(self) -> tuple[RunEntry, RunEntry] | None:
        """The two runs; None if there are not two."""
        by_number = {branch.number: branch for branch in self._branches}
        a, b = (by_number.get(chooser.currentData()) for chooser in (self.left, self.right))
        return None if a is None or b is None or len(by_number) < 2 else (a, b)

    @property
    def chosen_vocabularies(self) -> tuple[int, int] | None:
        """What is chosen where one of them is a tokenizer: the number of a run, or `tokenizer_data`; else None."""
        pair = self.left.currentData(), self.right.currentData()
        known = {branch.number for branch in self._branches} | {data for data, _ in self._tokenizers}
        if not all(data in known for data in pair) or min(pair) >= 0 or pair[0] == pair[1]:
            return None
        return pair

    @property
    def step(self) -> int:
        """The step of A at which they are compared."""
        return self.steps[0]

    @property
    def steps(self) -> tuple[int, int]:
        """The step of each at which they are compared."""
        chosen, value = self.chosen, self.spin.value()
        if chosen is None:
            return value, value
        a, b = chosen
        ends = a.position.n_merges, b.position.n_merges
        if self.measured == END:
            return ends
        if self.measured == SIZE:
            value_a, value_b = value - _base(a), value - _base(b)
        else:
            value_a = value_b = value
        return min(max(value_a, 0), ends[0]), min(max(value_b, 0), ends[1])

    @property
    def measured(self) -> str:
        """What is the same for both: STEP, SIZE, or END for neither."""
        return str(self.measure.currentData())

    def forget(self) -> None:
        """Go back to the default."""
        self._pair = self._measure = None
        self.at_end.setChecked(True)

    def choose(self, left: int, right: int) -> None:
        """Choose two runs by their numbers, as the user does."""
        self._pair, self._measure = (left, right), None
        self.at_end.setChecked(True)

    def show_branches(
        self,
        branches: Sequence[RunEntry],
        shown: RunEntry | None,
        tokenizers: Sequence[tuple[int, str]] = (),
    ) -> None:
        """Offer the current runs; the user's choice stays if those runs still exist.

        Args:
            branches: the runs.
            shown: the one that the window shows.
            tokenizers: `tokenizer_data` and the name of each tokenizer that is offered too.
        """
        self._branches, self._tokenizers = tuple(branches), tuple(tokenizers)
        known = {branch.number for branch in branches} | {data for data, _ in tokenizers}
        if self._pair is not None and not known.issuperset(self._pair):
            self._pair = None
        pair = self._pair or _default_pair(branches, shown)
        if pair[0] == pair[1] and tokenizers:
            pair = pair[0], tokenizers[-1][0]
        for chooser, number in zip((self.left, self.right), pair, strict=True):
            blocked = chooser.blockSignals(True)
            chooser.clear()
            for branch in branches:
                chooser.addItem(branch.name, branch.number)
                chooser.setItemData(chooser.count() - 1, plain_tip(branch.name), Qt.ItemDataRole.ToolTipRole)
            for data, name in tokenizers:
                chooser.addItem(name, data)
                chooser.setItemData(chooser.count() - 1, plain_tip(name), Qt.ItemDataRole.ToolTipRole)
            chooser.setCurrentIndex(chooser.findData(number))
            chooser.blockSignals(blocked)
        self._fit_step()

    def follow_growth(self, branches: Sequence[RunEntry]) -> None:
        """Update the range of steps, as the runs are trained further."""
        self._branches = tuple(branches)
        self._fit_step()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self.width() >= _ONE_ROW_EM * self.fontMetrics().height())

    def _arrange(self, is_one_row: bool) -> None:
        if is_one_row != self._is_one_row:
            self._is_one_row = is_one_row
            for widget in (self._runs, self._place):
                self._grid.removeWidget(widget)
            self._grid.addWidget(self._runs, 0, 0)
            self._grid.addWidget(self._place, 0 if is_one_row else 1, 1 if is_one_row else 0)

    def _fit_step(self) -> None:
        """Set the range of the controls to the two runs."""
        for chooser in (self.left, self.right):
            chooser.setToolTip(plain_tip(f"{chooser.accessibleName()}\n{chooser.currentText()}"))
        chosen = self.chosen
        self._place.setVisible(self.chosen_vocabularies is None)
        if chosen is None:
            return
        a, b = chosen
        bases, ends = (_base(a), _base(b)), (a.position.n_merges, b.position.n_merges)
        low, high = max(bases), min(bases[0] + ends[0], bases[1] + ends[1])
        is_ever_equal = low <= high
        model = self.measure.model()
        assert isinstance(model, QStandardItemModel)
        item = model.item(self.measure.findData(SIZE))
        item.setEnabled(is_ever_equal)
        item.setToolTip(_MEASURES[1][2] if is_ever_equal else _NEVER)
        wanted = self._measure or (STEP if bases[0] == bases[1] else SIZE)
        if wanted == SIZE and not is_ever_equal:
            wanted = END
        self.measure.setCurrentIndex(self.measure.findData(wanted))
        self.measure.setToolTip(next(tip for name, _, tip in _MEASURES if name == wanted))
        what = "vocabulary size" if wanted == SIZE else "step"
        self.spin.setAccessibleName(f"The {what} at which the runs are compared")
        self.spin.setToolTip(
            "How large the vocabulary of each is in the comparison"
            if wanted == SIZE
            else "How many merges of each apply in the comparison"
        )
        self.at_end.setToolTip(f"Compares at the last {what} that both have reached")
        blocked = self.spin.blockSignals(True)
        self.spin.setRange(*((low, high) if wanted == SIZE else (0, min(ends))))
        if self.at_end.isChecked():
            self.spin.setValue(self.spin.maximum())
        self.spin.blockSignals(blocked)
        for widget in (self.spin, self.at_end):
            widget.setVisible(wanted != END)

    @Slot()
    def _on_chosen(self) -> None:
        self._pair = (self.left.currentData(), self.right.currentData())
        self._fit_step()
        self.changed.emit()

    @Slot()
    def _on_measure_chosen(self) -> None:
        self._measure = self.measured
        self.at_end.setChecked(True)
        self._fit_step()
        self.changed.emit()

    @Slot(int)
    def _on_step_chosen(self, step: int) -> None:
        blocked = self.at_end.blockSignals(True)
        self.at_end.setChecked(step == self.spin.maximum())
        self.at_end.blockSignals(blocked)
        self.changed.emit()

    @Slot(bool)
    def _on_end_toggled(self, is_on: bool) -> None:
        if is_on:
            self._fit_step()
        self.changed.emit()


class ElidedChooser(QComboBox):
    """A combo box that elides a long name in the middle."""

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        part = QStyle.SubControl.SC_ComboBoxEditField
        field = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        name = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, field.width() - 4)
        option.currentText = name
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


def tokenizer_data(number: int) -> int:
    """What identifies a tokenizer among the numbers of runs, which are not negative."""
    return -1 - number


def _default_pair(branches: Sequence[RunEntry], shown: RunEntry | None) -> tuple[int, int]:
    """The run that is shown, with the one it was branched from; or with the newest branch or side run of it."""
    if shown is None:
        return -1, -1
    if shown.parent is not None:
        return shown.number, shown.parent
    children = [branch.number for branch in branches if branch.parent == shown.number]
    side_runs = [branch.number for branch in branches if branch.parent is None and branch.number != shown.number]
    return shown.number, max(children, default=max(side_runs, default=shown.number))


def _base(branch: RunEntry) -> int:
    """The size of the vocabulary before the first merge."""
    return branch.run.vocab_size_at(0)


def _row(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    return row


def _chooser(side: str, name: str) -> QComboBox:
    chooser = named(ElidedChooser(), f"branches.{side}", name)
    chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    chooser.setMinimumContentsLength(8)
    chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return chooser
