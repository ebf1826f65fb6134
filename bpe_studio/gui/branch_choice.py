"""Which two branches are compared, and at which step: two choosers, a step, and whether that is the end.

Until the person chooses, the two are the branch that is shown and the one that it came from, at the last step that
both have learned. It compares nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QSizePolicy, QSpinBox, QWidget

from bpe_studio.gui.plain_tip import plain_tip

if TYPE_CHECKING:
    from bpe_studio.workspace.sitting import Branch


class BranchChoice(QWidget):
    """The line of controls above a comparison.

    Signals:
        changed: other branches or another step are chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._branches: tuple[Branch, ...] = ()
        self._pair: tuple[int, int] | None = None
        self._build()
        for chooser in (self.left, self.right):
            chooser.activated.connect(self._on_chosen)
        self.spin.valueChanged.connect(self._on_step_chosen)
        self.at_end.toggled.connect(self._on_end_toggled)

    def _build(self) -> None:
        self.left = _chooser("left", "A, the first of the two branches that are compared")
        self.right = _chooser("right", "B, the second of the two branches that are compared")
        self.spin = QSpinBox(self)
        self.spin.setObjectName("branches.step")
        self.spin.setAccessibleName("Step at which the branches are compared")
        self.spin.setToolTip("How many merges of each branch apply in the comparison")
        self.spin.setGroupSeparatorShown(True)
        self.spin.setKeyboardTracking(False)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.at_end = QCheckBox("at the end", self)
        self.at_end.setObjectName("branches.at_end")
        self.at_end.setAccessibleName("Compare at the end")
        self.at_end.setToolTip("Compares at the last step that both branches have learned")
        self.at_end.setChecked(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for text, control, stretch in (("&A", self.left, 3), ("&B", self.right, 3), ("step", self.spin, 0)):
            label = QLabel(text, self)
            label.setBuddy(control)
            row.addWidget(label)
            row.addWidget(control, stretch)
        row.addWidget(self.at_end)

    @property
    def chosen(self) -> tuple[Branch, Branch] | None:
        """The two branches; None where there are not two."""
        by_number = {branch.number: branch for branch in self._branches}
        a, b = (by_number.get(chooser.currentData()) for chooser in (self.left, self.right))
        return None if a is None or b is None or len(by_number) < 2 else (a, b)

    @property
    def step(self) -> int:
        """The step at which they are compared."""
        return self.spin.value()

    def forget(self) -> None:
        """Go back to what is chosen for a person who has chosen nothing."""
        self._pair = None
        self.at_end.setChecked(True)

    def show_branches(self, branches: Sequence[Branch], shown: Branch | None) -> None:
        """Offer the branches as they stand now; what the person has chosen stays, if it is still there."""
        self._branches = tuple(branches)
        if self._pair is not None and not {branch.number for branch in branches}.issuperset(self._pair):
            self._pair = None
        pair = self._pair or _default_pair(branches, shown)
        for chooser, number in zip((self.left, self.right), pair, strict=True):
            blocked = chooser.blockSignals(True)
            chooser.clear()
            for branch in branches:
                chooser.addItem(branch.name, branch.number)
                chooser.setItemData(chooser.count() - 1, plain_tip(branch.name), Qt.ItemDataRole.ToolTipRole)
            chooser.setCurrentIndex(chooser.findData(number))
            chooser.blockSignals(blocked)
        self._fit_step()

    def follow_growth(self, branches: Sequence[Branch]) -> None:
        """The same branches have learned more."""
        self._branches = tuple(branches)
        self._fit_step()

    def _fit_step(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        end = min(branch.cursor.n_merges for branch in chosen)
        blocked = self.spin.blockSignals(True)
        self.spin.setRange(0, end)
        if self.at_end.isChecked():
            self.spin.setValue(end)
        self.spin.blockSignals(blocked)

    @Slot()
    def _on_chosen(self) -> None:
        self._pair = (self.left.currentData(), self.right.currentData())
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


def _default_pair(branches: Sequence[Branch], shown: Branch | None) -> tuple[int, int]:
    """The branch that is shown, and the one that it came from; of the first run, the newest that came from it."""
    if shown is None:
        return -1, -1
    if shown.parent is not None:
        return shown.number, shown.parent
    children = [branch.number for branch in branches if branch.parent == shown.number]
    return shown.number, max(children, default=shown.number)


def _chooser(side: str, name: str) -> QComboBox:
    chooser = QComboBox()
    chooser.setObjectName(f"branches.{side}")
    chooser.setAccessibleName(name)
    chooser.setToolTip(name)
    chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    chooser.setMinimumContentsLength(6)
    chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return chooser
