"""The skyline under the hand: the line is dragged, joints are pointed at, clicked and walked over.

Zoom, scrolling.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.view import SkylineView
from tests.trained import run_of_text

NONE = Qt.MouseButton.NoButton
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def run():
    return run_of_text()


@pytest.fixture
def view(qtbot, qapp, run):
    theme.apply(qapp, "light")
    view = SkylineView()
    qtbot.addWidget(view)
    view.resize(560, 260)
    view.show()
    view.step_wanted.connect(view.set_step)
    open_text(view, run, "newest lower low")
    return view


def open_text(view, run, typed, step=0):
    view.set_run(run, typed, step, len(run.merges), len(run.merges))


def send(view, kind, place, buttons=NONE):
    button = buttons if kind is not QEvent.Type.MouseMove else NONE
    spot = QPointF(place)
    event = QMouseEvent(
        kind,
        spot,
        QPointF(view.viewport().mapToGlobal(spot.toPoint())),
        button,
        buttons,
        Qt.KeyboardModifier(0),
    )
    QApplication.sendEvent(view.viewport(), event)


def drag(view, start, *ways):
    send(view, QEvent.Type.MouseButtonPress, start, LEFT)
    for place in ways:
        send(view, QEvent.Type.MouseMove, place, LEFT)
    event = QMouseEvent(
        QEvent.Type.MouseButtonRelease,
        QPointF(ways[-1]),
        QPointF(ways[-1]),
        LEFT,
        NONE,
        Qt.KeyboardModifier(0),
    )
    QApplication.sendEvent(view.viewport(), event)


def roof(view, gap):
    """The middle of a joint's roof, on the viewport."""
    place = view.picture.place_of(gap)
    return QPointF(place.center().x(), place.top()) - view._seen().topLeft()


def picture_of(view) -> QImage:
    return view.grab().toImage()


def test_the_letters_are_seen_in_a_low_view(view, qtbot):
    view.resize(560, 100)
    qtbot.waitUntil(lambda: view.picture.height <= view.viewport().height())


def test_dragging_the_line_chooses_the_step(view, qtbot, run):
    x = view.picture.left + 200
    start = QPointF(x, view.picture.line_y(0))
    with qtbot.waitSignal(view.step_wanted):
        drag(view, start, start - QPointF(0, 30), start - QPointF(0, 60))
    assert 0 < view.picture.step < len(run.merges)
    assert view.picture.line_y(0) == pytest.approx(start.y() - 60, abs=6)
    drag(view, QPointF(x, view.picture.line_y(0)), QPointF(x, -500))
    assert view.picture.step == len(run.merges)
    drag(view, QPointF(x, view.picture.line_y(0)), QPointF(x, 900))
    assert view.picture.step == 0


def test_a_joint_lights_up_says_what_it_is_and_takes_there(view, run, qtbot):
    gap = int(view.picture.joints()[0])
    rank = view.picture.joint(gap).rank
    before = picture_of(view)
    send(view, QEvent.Type.MouseMove, roof(view, gap))
    assert view.hovered.rank == rank
    assert picture_of(view) != before
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    place = roof(view, gap).toPoint()
    help_event = QHelpEvent(QEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), help_event)
    merge = run.merges[rank]
    pair = f"{merge.left} + {merge.right} → {merge.left}{merge.right}"
    shown = f"Merge {rank + 1}: {pair}, counted {merge.count} times"
    assert QToolTip.text().startswith(shown.replace("Ġ", "␣"))
    assert QToolTip.text().endswith("in the corpus when it was merged")
    with qtbot.waitSignal(view.joint_clicked) as clicked:
        drag(view, roof(view, gap), roof(view, gap))
    assert clicked.args == [rank]
    assert view.picture.step == rank + 1
    send(view, QEvent.Type.MouseMove, QPointF(540, 5))
    assert view.hovered is None


def test_a_token_is_clicked_at_its_letters(view, run, qtbot):
    view.set_step(len(run.merges))
    row = view.picture.rows.row(0)
    y = view.picture.measures.base + 10
    with qtbot.waitSignal(view.token_clicked) as clicked:
        drag(
            view,
            QPointF(view.picture.left + float(row.lefts[0]) + 2, y),
            QPointF(view.picture.left + 4, y),
        )
    assert run.token_name(clicked.args[0]) == "new"


def test_up_and_down_move_by_a_merge_that_the_text_takes(view, run, qtbot):
    open_text(view, run, "newest lower low widest سلام")
    ranks = view.picture.text.ranks().tolist()
    assert 10 < len(ranks) < len(run.merges)
    steps = []
    view.step_wanted.connect(steps.append)
    for rank in ranks[:3]:
        with qtbot.waitSignal(view.step_wanted):
            qtbot.keyClick(view, Qt.Key.Key_Up)
        assert steps[-1] == rank + 1
    with qtbot.waitSignal(view.step_wanted):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert steps[-1] == ranks[2]
    for key, step in (
        (Qt.Key.Key_End, len(run.merges)),
        (Qt.Key.Key_PageDown, ranks[-10]),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_PageUp, ranks[9] + 1),
    ):
        with qtbot.waitSignal(view.step_wanted):
            qtbot.keyClick(view, key)
        assert steps[-1] == step


def test_left_and_right_walk_over_joints_and_enter_goes_there(view, run, qtbot):
    joints = view.picture.joints().tolist()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.picture.lights.focused == joints[0]
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.picture.lights.focused == joints[1]
    assert view.accessibleDescription() == view.sentence(view.focused.rank)
    with qtbot.waitSignal(view.joint_clicked):
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.picture.step == view.focused.rank + 1
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.picture.lights.focused == joints[0]


def test_zoom_by_wheel_and_to_fit(view, run, qtbot):
    zooms = []
    view.zoom_changed.connect(zooms.append)
    up = QWheelEvent(
        QPointF(100, 100),
        QPointF(100, 100),
        QPoint(),
        QPoint(0, 120),
        NONE,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), up)
    assert zooms == [110]
    view.fit()
    assert view.zoom > 100
    assert view.verticalScrollBar().maximum() == view.horizontalScrollBar().maximum() == 0
    for _ in range(12):
        view.zoom_in()
    assert view.zoom == 400
    for _ in range(12):
        view.zoom_out()
    assert view.zoom == 50


@pytest.mark.parametrize(
    "typed",
    [
        "aaaa",
        "e\u0301\u0301",
        "👩‍💻",
        "漢字",
        "سلام",
        "\u200c",
        "\n",
        " ",
        "zzz",
        "\ufffd",
        "a" * 400,
    ],
)
@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sentencepiece", "raw"])
def test_every_text_is_painted(view, typed, preset, qtbot):
    run = run_of_text("aaaa low lower", preset=preset, merges=6)
    for step in (0, len(run.merges)):
        open_text(view, run, typed, step)
        view.grab()
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Return):
            qtbot.keyClick(view, key)
    for place in range(0, 500, 40):
        send(view, QEvent.Type.MouseMove, QPointF(place, 100))
