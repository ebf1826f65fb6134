from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, column, row
from bpe_studio.gui.widgets.controls import named


def test_a_column_of_a_row_and_a_table_is_laid_out_as_said(qtbot):
    panel = QWidget()
    qtbot.addWidget(panel)
    first, second, third = (QLabel(text) for text in "abc")
    top = row((first, 1), 16, second, STRETCH)
    whole = column(top, (third, 2, Qt.AlignmentFlag.AlignTop), parent=panel, margins=PANEL_MARGINS)
    assert panel.layout() is whole
    margins = whole.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (12, 4, 12, 12)
    assert (top.spacing(), whole.spacing()) == (8, 8)
    assert [top.stretch(k) for k in range(top.count())] == [1, 0, 0, 1]
    panel.resize(400, 600)
    panel.show()
    assert second.x() - first.geometry().right() - 1 == 16 + top.spacing()
    assert whole.stretch(1) == 2
    assert third.height() == third.sizeHint().height()
    assert all(label.parentWidget() is panel for label in (first, second, third))


def test_a_widget_is_named_in_one_line(qtbot):
    label = named(QLabel("12"), "panel.count", "Words shown", "How many there are")
    qtbot.addWidget(label)
    assert (label.objectName(), label.accessibleName(), label.toolTip()) == (
        "panel.count",
        "Words shown",
        "How many there are",
    )
    bare = named(QLabel("Words"), "panel.words")
    qtbot.addWidget(bare)
    assert (bare.accessibleName(), bare.toolTip()) == ("", "")
