"""What must hold of a tokenizer as a whole: a row for each check, with its sign and what
was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import MARGIN_PX, TIGHT_PX
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note

if TYPE_CHECKING:
    from bpe_studio.explain.doctor.gates import Gate

_SIGNS = {True: "✓", False: "✗"}
_AT_TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class GatesView(FollowsLook, QWidget):
    """The checks; those that failed are first, with all that was found of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "doctor.gates", "Checks of the tokenizer")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(MARGIN_PX)
        self._grid.setVerticalSpacing(TIGHT_PX)
        self._grid.setColumnStretch(2, 1)
        self._gates: tuple[Gate, ...] = ()
        self._signs: list[QLabel] = []
        self._widgets: list[QWidget] = []
        self.follow_look()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The checks, in the order in which they are shown."""
        return self._gates

    def show_gates(self, gates: Sequence[Gate]) -> None:
        """Show checks."""
        ordered = tuple(sorted(gates, key=lambda gate: gate.passed))
        if ordered == self._gates:
            return
        self._gates = ordered
        for widget in self._widgets:
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._signs = []
        self._widgets = []
        for line, gate in enumerate(ordered):
            sign = QLabel(_SIGNS[gate.passed], self)
            sign.setAlignment(_AT_TOP)
            sign.setAccessibleName("passed" if gate.passed else "failed")
            title = QLabel(gate.title, self)
            title.setAlignment(_AT_TOP)
            title.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Minimum)
            detail = self._detail(gate)
            named(
                detail,
                f"doctor.gate_{gate.name}",
                f"{gate.title}: {'passed' if gate.passed else 'failed'}",
            )
            for place, widget in enumerate((sign, title, detail)):
                self._grid.addWidget(widget, line, place)
                widget.show()
            self._signs.append(sign)
            self._widgets += [sign, title, detail]
        self._grid.setColumnMinimumWidth(2, 1)
        self.palette_changed()

    def palette_changed(self) -> None:
        for sign, gate in zip(self._signs, self._gates, strict=True):
            colour = theme.muted(self.palette()) if gate.passed else theme.error(self.palette())
            _colour(sign, colour)

    def _detail(self, gate: Gate) -> QWidget:
        if gate.passed:
            label = ElidedLabel(self)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            label.setText(gate.detail)
            return label
        note = Note(gate.detail, "plain", self)
        note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return note


def _colour(label: QLabel, colour: QColor) -> None:
    palette = label.palette()
    if palette.color(QPalette.ColorRole.WindowText) != colour:
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        label.setPalette(palette)
