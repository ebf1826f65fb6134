"""The curve of the sizes: marks by the mouse and the keyboard, and what it says."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from bpe_studio.explain.comparison.curves import Series
from bpe_studio.gui.plots.size_curve import CURRENT, SizeCurve

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def falling(n_merges, first=1_000_000):
    return (first / (1 + np.log1p(np.arange(n_merges + 1)))).astype(np.int64)


@pytest.fixture
def curve(qtbot):
    curve = SizeCurve()
    qtbot.addWidget(curve)
    curve.resize(700, 360)
    curve.show()
    series = (Series("corpus", falling(10_000), 1_000_000), Series("your text", falling(10_000, 90), 0))
    curve.show_series(series, 256, 10_000, 400)
    curve.set_marks([1000, 4000], 7000)
    return curve


def test_a_mark_is_dragged_from_where_it_is_held(qtbot, curve):
    moved = []
    curve.mark_moved.connect(lambda number, step: moved.append((number, step)))
    handle, wanted = curve.handle(0), curve.scale().x(2000)
    start = QPoint(handle.width() // 2 + 3, handle.height() // 2)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
    end = handle.mapFromParent(QPoint(round(wanted) + 3, 200))
    QTest.mouseMove(handle, end)
    assert moved and moved[-1][0] == 0
    assert abs(curve.scale().x(moved[-1][1]) - wanted) < 2
    n = len(moved)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=end)
    QTest.mouseMove(handle, start)
    assert len(moved) == n, "it was let go"


@pytest.mark.parametrize("is_log", [True, False])
def test_keys_move_a_mark(qtbot, curve, is_log):
    curve.set_log(is_log)
    moved, gone, went = [], [], []
    curve.mark_moved.connect(lambda number, step: moved.append((number, step)))
    curve.mark_removed.connect(gone.append)
    curve.step_chosen.connect(went.append)
    handle = curve.handle(1)
    for key, keys in (
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier),
    ):
        QTest.keyClick(handle, key, keys)
    assert [step for _, step in moved[:4]] == [4001, 3999, 0, 10_000]
    assert moved[4][1] > 4001
    assert moved[5][1] < 3999
    QTest.keyClick(handle, Qt.Key.Key_Return)
    QTest.keyClick(handle, Qt.Key.Key_Delete)
    assert (went, gone) == ([4000], [1])
    QTest.keyClick(curve.handle(CURRENT), Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert went[-1] == 7001


def test_marks_are_named_and_said(curve):
    handle = curve.handle(0)
    assert handle.accessibleName() == "Size 1 of 2"
    assert "Vocabulary 1,256" in handle.accessibleDescription()
    assert curve.handle(CURRENT).accessibleName() == "Step of the window"
    assert "corpus: 1,000,000 tokens, 1.000 bytes per token" in curve.accessibleDescription()
    assert "knee" in curve.accessibleDescription()
    assert "your text: 90 tokens" in curve.tip(0) and "90 tokens," not in curve.tip(0)


@pytest.mark.parametrize("is_log", [True, False])
def test_of_250_000_merges_a_pixel_draws_one_point(curve, is_log):
    n = 250_000
    curve.set_log(is_log)
    curve.show_series((Series("corpus", falling(n), 1), Series("held-out part", falling(n), 1)), 256, n, 999)
    drawn = [points.size() for _, points in curve.curves()]
    assert len(drawn) == 2 and all(100 < n_points <= curve.width() for n_points in drawn)
    assert not curve.grab().isNull()
