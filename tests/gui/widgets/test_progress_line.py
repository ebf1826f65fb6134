"""A progress bar that does not look full while nothing is known."""

from __future__ import annotations

from bpe_studio.gui.widgets.progress_line import MOVING_SHARE, ProgressLine


def test_a_part_moves_until_it_is_known_how_far_it_is(qtbot):
    line = ProgressLine()
    qtbot.addWidget(line)
    line.resize(200, 8)
    line.setRange(0, 0)
    line.show()
    start, end = line.filled()
    assert 0 <= start < end <= 1 and abs(end - start - MOVING_SHARE) < 1e-9
    qtbot.waitUntil(lambda: line.filled()[0] != start)
    line.grab()
    line.setRange(0, 1000)
    line.setValue(400)
    assert line.filled() == (0.0, 0.4) and not line._frames.isActive()
    line.setRange(0, 0)
    assert line._frames.isActive()
    line.hide()
    assert not line._frames.isActive(), "nothing is painted where nobody looks"
