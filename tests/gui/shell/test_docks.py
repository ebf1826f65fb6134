"""The docks: their room by the size of the text, their tabs, and windows of their own without a mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTabBar, QWidget

from bpe_studio.files.lessons.reader import PANELS, parse_lesson
from bpe_studio.gui.look import theme
from bpe_studio.gui.shell.docks import PLACES, Workbench
from bpe_studio.gui.shell.lazy_panels import LazyPanels


@pytest.fixture
def text_size(qapp):
    before = QApplication.font()

    def set_size(points: float) -> None:
        font = QApplication.font()
        font.setPointSizeF(points)
        QApplication.setFont(font)

    yield set_size
    QApplication.setFont(before)


@pytest.fixture
def make(qtbot):
    def workbench(width: int, height: int) -> Workbench:
        panels: dict[str, QWidget] = {key: QLabel(key) for key in PLACES}
        made = Workbench(QLabel("text"), LazyPanels(panels, {}))
        made.panels_of_the_test = panels
        qtbot.addWidget(made)
        made.resize(width, height)
        made.show()
        qtbot.waitUntil(lambda: made._is_arranged)
        return made

    return workbench


def is_in_front(workbench: Workbench, key: str) -> bool:
    return not workbench.docks[key].visibleRegion().isEmpty()


@pytest.mark.parametrize(("width", "height"), [(1280, 620), (1920, 980), (3840, 2060)])
def test_the_docks_grow_with_the_window_and_leave_the_text_its_room(make, width, height):
    workbench = make(width, height)
    em = workbench.fontMetrics().height()
    left, right = workbench.docks["corpus"].width(), workbench.docks["merges"].width()
    assert left >= 15 * em and right >= 19 * em
    assert workbench.centralWidget().width() >= 0.4 * width
    assert is_in_front(workbench, "merges") and is_in_front(workbench, "candidates")


def test_large_text_widens_the_docks(make, text_size):
    small = make(1920, 980).docks["merges"].width()
    text_size(18)
    assert make(1920, 980).docks["merges"].width() > small


def test_where_there_is_no_height_for_both_the_merges_are_a_tab(make, text_size, qtbot):
    text_size(20)
    workbench = make(1280, 480)
    assert workbench.docks["merges"] in workbench.tabifiedDockWidgets(workbench.docks["candidates"])
    assert is_in_front(workbench, "candidates")
    text_size(9)
    workbench.setFont(QApplication.font())
    qtbot.waitUntil(lambda: not workbench.tabifiedDockWidgets(workbench.docks["merges"]))
    assert workbench.docks["why"] in workbench.tabifiedDockWidgets(workbench.docks["candidates"])
    assert is_in_front(workbench, "merges") and is_in_front(workbench, "candidates")


def test_a_panel_takes_a_window_of_its_own_and_comes_back_by_its_action(make):
    workbench = make(1280, 700)
    for key, action in zip(PLACES, workbench.float_actions(), strict=True):
        assert action.objectName() == f"view.float_{key}" and PLACES[key][0] in action.text()
        action.trigger()
        assert workbench.docks[key].isFloating() and action.isChecked()
        action.trigger()
        assert not workbench.docks[key].isFloating() and not action.isChecked()


def test_a_dock_that_is_floated_otherwise_is_told_by_its_action(make):
    workbench = make(1280, 700)
    workbench.docks["merges"].titleBarWidget().floats.click()
    action = next(each for each in workbench.float_actions() if each.objectName() == "view.float_merges")
    assert action.isChecked()


@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_a_tab_has_a_menu_for_its_panel(make, qtbot):
    workbench = make(1280, 700)
    tabs = next(
        bar for bar in workbench.findChildren(QTabBar) if "Growth" in [bar.tabText(k) for k in range(bar.count())]
    )
    place = [tabs.tabText(k) for k in range(tabs.count())].index("Growth")
    tabs.customContextMenuRequested.emit(tabs.tabRect(place).center())
    menu = workbench.findChild(QMenu, "view.tab_menu")
    assert [action.objectName() for action in menu.actions()] == ["view.float_growth", "view.growth"]
    menu.close()
    qtbot.waitUntil(lambda: workbench.findChild(QMenu, "view.tab_menu") is None)
    tabs.customContextMenuRequested.emit(QPoint(-5, -5))  # as by the keyboard: the panel in front
    menu = workbench.findChild(QMenu, "view.tab_menu")
    assert menu.actions()[0].objectName() == "view.float_skyline"
    menu.close()


def test_tabs_show_their_whole_names(make, text_size):
    text_size(20)
    for tabs in make(1280, 480).findChildren(QTabBar):
        if tabs.objectName() == "view.tabs":
            assert tabs.elideMode() is Qt.TextElideMode.ElideNone and tabs.usesScrollButtons()
            assert [tabs.tabToolTip(k) for k in range(tabs.count())] == [tabs.tabText(k) for k in range(tabs.count())]


def test_the_line_under_the_tab_in_front_follows_the_theme(make, qapp, qtbot):
    theme.apply(qapp, "light")
    workbench = make(1280, 700)
    tabs = next(bar for bar in workbench.findChildren(QTabBar) if bar.isVisible() and bar.count() > 3)

    def line() -> QColor:
        rect, image = tabs.tabRect(tabs.currentIndex()), tabs.grab().toImage()
        place = QPoint(rect.center().x() + 4, rect.bottom())
        # While the style sheet is set anew, the bar is laid out a moment after its tabs.
        return image.pixelColor(place) if image.rect().contains(place) else QColor("grey")

    qtbot.waitUntil(lambda: line().lightnessF() < 0.3)
    theme.apply(qapp, "dark")
    qtbot.waitUntil(lambda: line().lightnessF() > 0.7)
    theme.apply(qapp, "light")


def test_a_lesson_may_look_at_the_panels_by_their_keys():
    assert set(PANELS) <= {"text", *PLACES}


def test_a_lesson_may_name_a_panel_as_the_window_does():
    titles = {key: PLACES[key][0] if key in PLACES else "Typed text" for key in PANELS}
    steps = "".join(f"  - {{heading: One, say: Look., look: {title}}}\n" for title in titles.values())
    lesson = parse_lesson(f"title: Panels\ntext: a text\nsteps:\n{steps}", Path("panels.yaml"))
    assert [step.look for step in lesson.steps] == list(titles)


@pytest.fixture
def saved_with_runs_in_front(make, qtbot):
    """The layout of a workbench in which the runs were in front when it was closed."""
    workbench = make(1280, 700)
    workbench.show_dock("branches")
    qtbot.waitUntil(lambda: is_in_front(workbench, "branches"))
    return workbench.saveState()


@pytest.fixture
def restored(qtbot, saved_with_runs_in_front):
    """A workbench as it is at a start: its layout is restored before it is shown."""
    panels: dict[str, QWidget] = {key: QLabel(key) for key in PLACES}
    workbench = Workbench(QLabel("text"), LazyPanels(panels, {}))
    workbench.panels_of_the_test = panels
    qtbot.addWidget(workbench)
    assert workbench.restore(saved_with_runs_in_front)
    workbench.resize(1280, 700)
    return workbench


@pytest.mark.parametrize("moment", ["before it is shown", "when it is shown"])
def test_a_panel_that_is_asked_for_before_the_layout_is_there_stays_in_front(restored, qtbot, moment):
    # A document says which panels were in front, and is open before the workbench is laid out.
    if moment == "before it is shown":
        restored.show_dock("compare")
    restored.show()
    if moment == "when it is shown":
        restored.show_dock("compare")
    qtbot.waitUntil(lambda: restored._was_shown)
    assert is_in_front(restored, "compare") and not is_in_front(restored, "branches")
