"""Facts as rows of a label and a wrapped sentence; rows keep their places when facts change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from bpe_studio.explain.facts import Fact
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note


class Facts(QWidget):
    """Rows of facts; the labels are as wide as the widest.

    Args:
        name: the prefix of the rows' object names, such as "why.pair"; the label follows.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._rows: list[tuple[Note, Note]] = []
        self._facts: tuple[Fact, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that are shown."""
        return self._facts

    def show_facts(self, facts: Sequence[Fact]) -> None:
        if tuple(facts) == self._facts:
            return
        self._facts = tuple(facts)
        while len(self._rows) < len(facts):
            self._add_row()
        for number, (label, value) in enumerate(self._rows):
            is_used = number < len(facts)
            if is_used:
                fact = facts[number]
                if label.text() != fact.label:
                    label.set_message(fact.label)
                    named(value, f"{self._name}.{fact.label.replace(' ', '_')}", fact.label)
                if value.text() != fact.text:
                    value.set_message(fact.text)
                value.setToolTip(fact.tip)
                label.setToolTip(fact.tip)
            label.setVisible(is_used)
            value.setVisible(is_used)
        self.setVisible(bool(facts))

    def _add_row(self) -> None:
        label = Note("", "help", self)
        value = Note("", "plain", self)
        label.setWordWrap(False)
        label.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Minimum)
        label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        value.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = len(self._rows)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(label, row, 0, top)
        self._grid.addWidget(value, row, 1)
        self._rows.append((label, value))
