"""The views: what each shows where, a panel that fills its view or has a window of its own, and how
it is kept.
"""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QByteArray, QPoint, QRect, QRegularExpression, Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QSplitter, QWidget

from bpe_studio.gui.views.frame import Views
from bpe_studio.gui.views.layouts import DRAWER, INSIDE, PANELS, VIEWS, home_of, keys_of
from bpe_studio.gui.views.lazy_panels import LazyPanels
from bpe_studio.gui.views.place import Place
from tests.gui.hand import double_click


@pytest.fixture
def make(qtbot):
    def views(width: int, height: int, state: QByteArray | None = None) -> Views:
        panels: dict[str, QWidget] = {key: QLabel(key) for key in PANELS}
        made = Views(LazyPanels(panels, {}))
        made.panels_of_the_test = panels
        qtbot.addWidget(made)
        if state is not None:
            assert made.restore_state(state)
        made.resize(width, height)
        made.show()
        qtbot.waitExposed(made)
        return made

    return views


def in_sight(views: Views) -> set[str]:
    return set(views.in_sight())


def test_every_panel_has_a_title_and_a_place():
    placed = {key for view in VIEWS.values() for key in keys_of(view.layout)} | set(DRAWER.keys)
    assert placed | set(INSIDE) == set(PANELS) and not placed & set(INSIDE)
    assert home_of("branches") == "compare", "it is a page of another panel"
    assert (
        home_of("merges") == "explore"
        and home_of("lines") == "corpus"
        and home_of("settings") == ""
    )


def _label(key: str, parent: QWidget) -> QLabel:
    return QLabel(key, parent)


def test_a_panel_is_made_when_its_place_is_first_seen(qtbot):
    late = {key: partial(_label, key) for key in ("skyline", "why", "lines", "marks")}
    panels = LazyPanels({key: QLabel(key) for key in PANELS if key not in late}, late)
    views = Views(panels)
    qtbot.addWidget(views)
    views.resize(1440, 760)
    assert panels.waiting() == [*late]
    views.show()
    assert panels.waiting() == ["why", "lines", "marks"] and panels["skyline"].isVisible()
    views.show_panel("why")
    assert panels.waiting() == ["lines", "marks"] and panels["why"].isVisible()
    views.show_view("corpus")
    assert panels.waiting() == ["marks"] and panels["lines"].isVisible()
    views.open_window("marks")
    assert panels.waiting() == [] and panels["marks"].isVisible()


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_shows_its_panels_and_no_others(make, view):
    views = make(1440, 760)
    views.show_view(view)
    keys = set(keys_of(VIEWS[view].layout))
    behind = {
        "explore": {"why"},
        "vocabulary": {"doctor"},
        "corpus": {"inspection", "enough"},
    }.get(view, set())
    assert in_sight(views) == keys - behind
    assert views.current == view


def test_a_panel_comes_to_the_front_in_the_view_that_is_shown_if_that_has_it(make):
    views = make(1440, 760)
    views.show_panel("why")
    assert (
        views.current == "explore"
        and "why" in in_sight(views)
        and "candidates" not in in_sight(views)
    )
    views.show_panel("lines")
    assert views.current == "corpus"
    views.show_panel("why")
    assert views.current == "corpus" and "why" in in_sight(views)
    views.show_panel("merges")
    assert views.current == "explore"


def test_the_drawer_opens_at_the_side_and_closes(make):
    views = make(1440, 760)
    said = []
    views.drawer_changed.connect(said.append)
    views.toggle_drawer("marks")
    assert views.drawer.isVisible() and views.drawer.front == "marks"
    views.toggle_drawer("settings")
    assert views.drawer.front == "settings" and "text" in in_sight(views), "the view stays"
    views.toggle_drawer("settings")
    assert not views.drawer.isVisible() and said == ["marks", "settings", ""]
    views.open_drawer("marks")
    views.show_panel("why")
    assert "why" in in_sight(views), "what lies below it is shown if it is asked for"


@pytest.mark.parametrize("view", VIEWS)
def test_the_drawer_takes_room_of_the_view_and_gives_it_back(make, qtbot, view):
    views = make(1280, 560)
    views.show_view(view)
    panels = [views.place_of(key) for key in sorted(in_sight(views))]

    def rects():
        return [QRect(each.mapTo(views, QPoint()), each.size()) for each in panels]

    before = rects()
    views.open_drawer("settings")
    qtbot.waitUntil(lambda: not any(each.intersects(views.drawer.geometry()) for each in rects()))
    views.close_drawer()
    qtbot.waitUntil(lambda: rects() == before)


def test_the_drawer_takes_the_place_of_the_last_column_where_there_is_no_room_for_all(make, qtbot):
    views = make(1280, 560)
    for key in PANELS:
        views.panels_of_the_test[key].setMinimumWidth(340)
    root = outermost_splitter(views, "explore")
    root.setSizes([850, 400])
    before = root.sizes()
    views.open_drawer("settings")
    assert "text" in in_sight(views) and "merges" not in in_sight(views)
    qtbot.waitUntil(
        lambda: root.mapTo(views, root.rect().topRight()).x() < views.drawer.geometry().left()
    )
    again = make(1280, 560, views.save_state())
    again.close_drawer()
    qtbot.waitUntil(lambda: "merges" in in_sight(again))
    assert outermost_splitter(again, "explore").sizes() == pytest.approx(before, abs=20)
    views.show_panel("merges")
    assert views.drawer.isHidden()
    qtbot.waitUntil(lambda: "merges" in in_sight(views))
    qtbot.waitUntil(lambda: root.sizes() == pytest.approx(before, abs=20))


def test_a_panel_can_fill_its_view_next_to_the_drawer(make):
    views = make(1280, 560)
    for key in PANELS:
        views.panels_of_the_test[key].setMinimumWidth(340)
    views.open_drawer("settings")
    place = views.place_of("text")
    views.toggle_maximized(place)
    assert in_sight(views) == {"text", "settings"}
    views.toggle_maximized(place)
    assert "words" in in_sight(views) and "merges" not in in_sight(views)


def test_the_drawer_takes_the_place_of_a_view_that_has_no_room_next_to_it(make):
    views = make(420, 560)
    before = views.place_of("merges").size()
    views.open_drawer("settings")
    assert views.drawer.size() == views.size()
    assert views.place_of("merges").size() == before


def test_a_panel_fills_its_view_and_gives_the_others_their_places_back(make, qtbot):
    views = make(1440, 760)
    before = {key: views.place_of(key).size() for key in keys_of(VIEWS["explore"].layout)}
    place = views.place_of("skyline")
    double_click(place.head, QPoint(200, 8))
    assert in_sight(views) == {"skyline"}
    qtbot.waitUntil(lambda: place.size() == views.size())
    qtbot.keyClick(place, Qt.Key.Key_Escape)
    assert not views.is_maximized
    qtbot.waitUntil(lambda: {key: views.place_of(key).size() for key in before} == before)
    place.close_button.click()
    views.show_panel("merges")
    assert "merges" in in_sight(views), "a panel that is asked for is shown"


@pytest.mark.parametrize("key", [key for key in PANELS if key not in INSIDE])
def test_a_panel_takes_a_window_of_its_own_and_comes_back_by_its_action(make, key):
    views = make(1280, 700)
    views.show_panel(key)
    action = views.window_actions[key]
    panel = views.panels_of_the_test[key]
    action.trigger()
    (window,) = views.windows()
    assert (
        panel.window() is window
        and window.isVisible()
        and action.isChecked()
        and PANELS[key] in window.windowTitle()
    )
    views.show_view("learn" if views.current == "explore" else "explore")
    assert panel.window() is window, "another view does not take it"
    views.show_panel(key)
    assert panel.window() is window
    action.trigger()
    assert not views.windows() and panel.window() is views and not action.isChecked()
    views.show_panel(key)
    assert key in in_sight(views)


def test_what_a_panel_has_in_its_heading_survives_its_window_behind_another_tab(qtbot):
    panels: dict[str, QWidget] = {key: QLabel(key) for key in PANELS}
    items = panels["candidates"].heading_items = QLabel("step 7")
    views = Views(LazyPanels(panels, {}))
    qtbot.addWidget(views)
    views.show()
    views.show_panel("candidates")
    views.open_window("candidates")
    (window,) = views.windows()
    views.show_panel("why")
    with qtbot.waitSignal(window.destroyed):
        window.close()
    views.show_panel("candidates")
    assert items.isVisible()


def test_growth_folds_to_its_heading_and_is_unfolded_when_it_is_asked_for(make, qtbot):
    views = make(1440, 760)
    place = views.place_of("growth")
    text = views.place_of("text")
    before = text.height()
    place.fold.click()
    qtbot.waitUntil(lambda: place.height() == place.head.height() and text.height() > before)
    views.show_panel("growth")
    assert "growth" in in_sight(views)


def outermost_splitter(views, view):
    """The splitter that divides the whole of a view."""
    found = None
    places = views.findChildren(Place, QRegularExpression(f"^view.{view}[.]"))
    inner = places[0]
    while inner is not views:
        found = inner if isinstance(inner, QSplitter) else found
        inner = inner.parentWidget()
    return found


def test_the_sizes_come_back(make):
    first = make(1720, 760)
    first.show_view("corpus")
    outermost_splitter(first, "corpus").setSizes([600, 700, 400])
    second = make(1720, 760, first.save_state())
    assert abs(outermost_splitter(second, "corpus").sizes()[0] - 600) < 20


def test_everything_is_put_back_in_its_place(make, qtbot):
    views = make(1440, 760)
    outermost = outermost_splitter(views, "explore")

    def sizes():
        found = outermost.sizes()
        for splitter in outermost.findChildren(QSplitter):
            found += splitter.sizes()
        return found

    before = sizes()
    views.open_window("merges")
    views.open_drawer("marks")
    views.show_panel("why")
    outermost.setSizes([100, 600])
    views.arrange()
    assert not views.windows() and views.drawer.isHidden() and "candidates" in in_sight(views)
    qtbot.waitUntil(lambda: sizes() == pytest.approx(before, abs=3))


@pytest.mark.parametrize(
    ("view", "first", "last"), [("explore", "words", "merges"), ("corpus", "corpus", "lines")]
)
def test_a_narrow_view_puts_its_parts_below_each_other_and_scrolls_one_way(
    make, qtbot, view, first, last
):
    views = make(1440, 760)
    views.show_view(view)
    area = views.findChild(QScrollArea, f"view.{view}.scroll")

    def place(key):
        return views.panels_of_the_test[key].mapTo(views, QPoint())

    left = place(last).x()
    views.resize(390, 280)
    qtbot.waitUntil(lambda: place(last).x() == place(first).x())
    assert place(last).y() > place(first).y()
    qtbot.waitUntil(
        lambda: area.horizontalScrollBar().maximum() == 0 < area.verticalScrollBar().maximum()
    )
    views.resize(1440, 760)
    qtbot.waitUntil(lambda: abs(place(last).x() - left) < 40)


def test_the_keyboard_returns_to_what_had_it_in_a_view(make, qtbot):
    views = make(1440, 760)
    widget = views.panels_of_the_test["words"]
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    views.show_view("vocabulary")
    assert not widget.hasFocus()
    views.show_view("explore")
    assert views.window().focusWidget() is widget


def test_a_panel_that_is_asked_for_is_scrolled_into_sight(make, qtbot):
    views = make(400, 300)
    panel = views.panels_of_the_test["merges"]
    qtbot.waitUntil(lambda: panel.visibleRegion().isEmpty())
    views.show_panel("merges")
    assert not panel.visibleRegion().isEmpty()
