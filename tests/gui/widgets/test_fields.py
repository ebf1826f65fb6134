"""The text of a field is not at its border, and has room."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import FIELD_MARGIN_PX, finish_controls


def test_the_text_of_fields_is_moved_from_their_borders_and_not_cut(qtbot, shown):
    root = QWidget()
    plain, own, spin = QLineEdit("a text"), QLineEdit("of its own"), QSpinBox(maximum=999_999_999)
    own.setTextMargins(9, 1, 9, 1)
    spin.setPrefix("below ")
    spin.setValue(spin.maximum())
    column(plain, own, spin, parent=root)
    finish_controls(root)
    shown(root, 300, 200)
    spin.resize(spin.sizeHint())
    assert plain.textMargins().left() == plain.textMargins().right() == FIELD_MARGIN_PX
    assert own.textMargins().left() == 9
    field = spin.lineEdit()
    room = field.width() - field.textMargins().left() - field.textMargins().right()
    assert room >= field.fontMetrics().horizontalAdvance(field.text())
