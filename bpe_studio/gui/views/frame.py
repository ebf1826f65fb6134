"""The views below their buttons: one at a time, and the drawer at their end.

If a view has too little room, for example with large text on a small screen, its parts are below
each other and it scrolls.

`layouts` has the places of each view. A panel is brought to the front by its key: in the shown view
if that has it, in the drawer, or else in the first view that has it. Any panel can fill its view,
or have a window of its own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QStyle, QWidget
from shiboken6 import isValid

from bpe_studio.gui.views.layouts import (
    DRAWER,
    EXPLORE,
    INSIDE,
    LAYOUTS,
    PANELS,
    VIEWS,
    Split,
    Stack,
)
from bpe_studio.gui.views.lazy_panels import HasPages
from bpe_studio.gui.views.place import AwayNote, PanelWindow, Place
from bpe_studio.gui.widgets.containers import column, divided, is_in_sight, scrolled, would_be_shown
from bpe_studio.gui.widgets.controls import on_trigger

if TYPE_CHECKING:
    from bpe_studio.gui.views.lazy_panels import LazyPanels

DRAWER_EM = 24
"""The width of the drawer, in line heights."""
LOW_EM = 24
"""The height of a view, in line heights, below which panels that fold are folded."""
WINDOW_SHARE = 60
"""The initial size of a panel's own window, in percent of the main window."""


class Views(QWidget):
    """The views, the drawer, and the windows that panels have of their own.

    Args:
        panels: the panels by their keys.

    Signals:
        asked: a view or a panel was requested; it may be shown already.
        changed: str, the key of the view that is shown now.
        drawer_changed: str, the key of the panel in the drawer, or "" if the drawer is closed.
    """

    asked = Signal()
    changed = Signal(str)
    drawer_changed = Signal(str)

    def __init__(self, panels: LazyPanels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("views")
        self._panels = panels
        self._windows: dict[str, PanelWindow] = {}
        self._maximized: Place | None = None
        self._replaced: QWidget | None = None
        self._undivided: list[int] = []
        self._is_low = False
        self._places: dict[str, list[Place]] = {}
        self._splitters: dict[str, dict[QSplitter, Split]] = {}
        self._pages = QStackedWidget()
        self._focused: dict[str, QWidget] = {}
        self._roots: dict[str, QWidget] = {}
        self._scrolled: dict[str, QScrollArea] = {}
        for key, layout in LAYOUTS.items():
            self._places[key] = []
            self._splitters[key] = {}
            root = self._roots[key] = self._made(layout, key)
            root.setObjectName(f"view.{key}.page")
            root.installEventFilter(self)
            if len(layout.parts) == 1:
                self._places[key][0].head.hide()  # the button of the view is its title
            page = self._scrolled[key] = scrolled(root, f"view.{key}.scroll")
            page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
            self._pages.addWidget(page)
        self.drawer = Place(DRAWER.keys, panels, is_drawer=True)
        self.drawer.setObjectName("drawer")
        self.drawer.take()
        self.drawer.hide()
        self.drawer.close_requested.connect(self.close_drawer)
        self.drawer.window_requested.connect(self.open_window)
        self._room = column(self._pages, parent=self)
        self.drawer.setParent(self)  # next to the pages, but not divided from them by a handle
        for key, title in PANELS.items():
            panel = panels.place(key)
            if not panel.accessibleName():
                panel.setAccessibleName(title)
        self.panel_actions = {key: self._panel_action(key) for key in PANELS}
        self.window_actions = {key: self._window_action(key) for key in PANELS if key not in INSIDE}
        for name in reversed(VIEWS):
            self._take(name)  # so that each panel is in its home, and a child of the window
        self._current = EXPLORE
        self._explore = EXPLORE
        panels.made.connect(self._on_panel_made)

    @Slot(str)
    def _on_panel_made(self, key: str) -> None:
        place = self.place_of(key)
        if place is not None:
            place.take()
            self._fit()

    def _made(self, part: str | Stack | Split, view: str) -> QWidget:
        if isinstance(part, Split):
            parts = [(self._made(inner, view), share) for inner, share in part.parts]
            whole = divided(part.orientation, *parts)
            self._splitters[view][whole] = part
            return whole
        keys = part.keys if isinstance(part, Stack) else (part,)
        place = Place(keys, self._panels)
        place.setObjectName(f"view.{view}.{keys[0]}")
        place.maximize_requested.connect(partial(self.toggle_maximized, place))
        place.window_requested.connect(self.open_window)
        self._places[view].append(place)
        return place

    def _panel_action(self, key: str) -> QAction:
        action = QAction(PANELS[key], self)
        action.setObjectName(f"panel.show_{key}")
        action.setToolTip(f"Shows the panel “{PANELS[key]}”")
        on_trigger(action, partial(self.show_panel, key))
        return action

    def _window_action(self, key: str) -> QAction:
        action = QAction(PANELS[key], self)
        action.setObjectName(f"panel.window_{key}")
        action.setCheckable(True)
        action.setToolTip(f"Opens {PANELS[key]} in its own window, or brings it back")
        on_trigger(action, partial(self._on_window_toggled, key))
        return action

    # The view that is shown.

    @property
    def current(self) -> str:
        """The key of the view that is shown."""
        return self._current

    def show_view(self, key: str) -> None:
        """Show another view."""
        if key != self._current:
            self._show(key, self._explore)
            self.changed.emit(key)
        self.asked.emit()

    def lay_out_explore(self, layout: str) -> None:
        """Give Explore another of its layouts: for a corpus, or for a tokenizer alone."""
        if layout == self._explore:
            return
        self._show(self._current, layout)
        for key in PANELS:
            is_there = key in DRAWER.keys or bool(self._view_of(key))
            for actions in (self.panel_actions, self.window_actions):
                if key in actions:
                    actions[key].setVisible(is_there)

    def _laid_out(self, view: str) -> str:
        """The key of the layout that a view has now."""
        return self._explore if view == EXPLORE else view

    @property
    def _shown(self) -> str:
        return self._laid_out(self._current)

    def _view_of(self, key: str) -> str:
        """The first view that has a panel; "" for none."""
        key = INSIDE.get(key, key)
        for view in VIEWS:
            if self._place(self._laid_out(view), key) is not None:
                return view
        return ""

    def _show(self, view: str, explore: str) -> None:
        self.restore_panels()
        focused = self.window().focusWidget()
        had_focus = focused is not None and self._pages.isAncestorOf(focused)
        if had_focus:
            self._focused[self._shown] = focused
        self.setUpdatesEnabled(False)
        is_same_view = view == self._current
        self._current = view
        self._explore = explore
        key = self._shown
        self._take(key)
        self._pages.setCurrentWidget(self._scrolled[key])
        self._fit()
        self.setUpdatesEnabled(True)
        if would_be_shown(self):
            # Qt would send this event when it shows the panels, which never happens here.
            for panel in self._roots[key].findChildren(QWidget):
                QCoreApplication.sendEvent(panel, QEvent(QEvent.Type.ShowToParent))
        if had_focus:
            wanted = focused if is_same_view else self._focused.get(key)
            self._give_focus(wanted)

    def _give_focus(self, widget: QWidget | None) -> None:
        """Return the keyboard focus to the widget that had it in this view, or to the view itself.

        Qt would give it to the next widget, and a key such as Ctrl+Z would then change a text
        field.
        """
        if widget is not None and isValid(widget) and self._roots[self._shown].isAncestorOf(widget):
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._pages.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take(self, view: str) -> None:
        for place in self._places[view]:
            place.take()

    def show_panel(self, key: str) -> None:
        """Bring a panel to the front, in the view that is shown if that has it."""
        self.asked.emit()
        outer = INSIDE.get(key, key)
        panel = self._panels.made_panel(outer)
        if isinstance(panel, HasPages):
            panel.bring(key)
        key = outer
        if key in self._windows:
            self._windows[key].raise_()
            self._windows[key].activateWindow()
            return
        if key in DRAWER.keys:
            self.open_drawer(key)
            return
        place = self._place(self._shown, key)
        if place is None:
            view = self._view_of(key)
            if not view:
                return  # the panel needs a corpus, and none is open
            self.show_view(view)
            place = self._place(self._shown, key)
            assert place is not None
        if self._maximized is not None and self._maximized is not place:
            self.restore_panels()
        place.bring(key)
        self._scrolled[self._shown].ensureWidgetVisible(place, 0, 0)
        if self.drawer.isVisible() and not is_in_sight(place):
            self.close_drawer()  # it covers the panel

    def place_of(self, key: str) -> Place | None:
        """The place of a panel in the view or in the drawer; None if it is in neither."""
        return self.drawer if key in DRAWER.keys else self._place(self._shown, INSIDE.get(key, key))

    def _place(self, view: str, key: str) -> Place | None:
        return next((place for place in self._places[view] if key in place.keys), None)

    def panel_of(self, widget: QWidget) -> str:
        """The key of the panel that a widget is in, or ""."""
        return next((key for key in (*INSIDE, *PANELS) if self._is_in(key, widget)), "")

    def _is_in(self, key: str, widget: QWidget) -> bool:
        panel = self._panels.place(key)
        return panel is widget or panel.isAncestorOf(widget)

    def in_sight(self) -> list[str]:
        """The keys of the panels that are at least partly visible."""
        return [key for key in PANELS if is_in_sight(self._panels.place(key))]

    # The drawer.

    def open_drawer(self, key: str) -> None:
        """Show a panel of the drawer."""
        self.drawer.show()
        self.drawer.raise_()
        self._fit()
        self.drawer.bring(key)
        self.drawer_changed.emit(key)

    @Slot()
    def close_drawer(self) -> None:
        """Close the drawer; what is edited in it stays."""
        focused = self.window().focusWidget()
        if focused is not None and self.drawer.isAncestorOf(focused):
            self._give_focus(self._focused.get(self._shown))
        self.drawer.hide()
        self._fit()
        self.drawer_changed.emit("")

    def _place_drawer(self) -> int:
        """Place the drawer next to the view, and return the width that is left.

        Without room for all, it takes the place of the last column; without room for a single
        panel, that of the whole view.
        """
        width = min(self.width(), DRAWER_EM * self.fontMetrics().height())
        left = self.width()
        replaced = None
        if not self.drawer.isHidden():
            root = self._roots[self._shown]
            parts = self._splitters[self._shown]
            whole = _least_px(root, parts) + self._scroll_bar_px()
            single = max(place.minimumSizeHint().width() for place in self._places[self._shown])
            if left - width < single + self._scroll_bar_px():
                width = left
            else:
                if left - width < whole <= left and isinstance(root, QSplitter):
                    replaced = root.widget(root.count() - 1)
                left -= width
        self._replace(replaced)
        taken = self.width() - left
        if self.isRightToLeft():
            self._room.setContentsMargins(taken, 0, 0, 0)
            self.drawer.setGeometry(0, 0, width, self.height())
        else:
            self._room.setContentsMargins(0, 0, taken, 0)
            self.drawer.setGeometry(self.width() - width, 0, width, self.height())
        return left

    def _replace(self, column: QWidget | None) -> None:
        """Hide a column for the drawer; None shows the hidden column again."""
        if self._maximized is not None or not self.isVisible():
            return
        if self._replaced is not None and self._replaced is not column:
            self._replaced.show()
        if column is not None and not column.isHidden():
            splitter = column.parentWidget()
            assert isinstance(splitter, QSplitter)
            self._undivided = splitter.sizes()
            column.hide()
        self._replaced = column

    def _scroll_bar_px(self) -> int:
        return self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)

    def toggle_drawer(self, key: str) -> None:
        """Open the drawer at a panel, or close it if that panel is in front."""
        if self.drawer.isVisible() and self.drawer.front == key:
            self.close_drawer()
        else:
            self.open_drawer(key)

    # A panel as large as its view.

    @Slot()
    def maximize(self) -> None:
        """Let the panel with the keyboard focus fill its view, or restore the others."""
        focused = self.window().focusWidget()
        key = "" if focused is None else self.panel_of(focused)
        place = self.place_of(key) if key else None
        if place is None or place is self.drawer:
            place = self._maximized or self._places[self._shown][0]
        self.toggle_maximized(place)

    def toggle_maximized(self, place: Place) -> None:
        """Let a place fill its view, or restore the others."""
        is_alone = place is self._maximized
        self.restore_panels()
        if not is_alone:
            self._maximized = place
            for widget in self._others(place):
                widget.hide()

    def restore_panels(self) -> None:
        """Restore all panels of the view."""
        place = self._maximized
        self._maximized = None
        if place is not None:
            for widget in self._others(place):
                widget.show()
            self._fit()

    @property
    def is_maximized(self) -> bool:
        """Whether one panel fills the view."""
        return self._maximized is not None

    def _others(self, place: Place) -> Iterator[QWidget]:
        """The neighbours of a place, and of the splitters around it."""
        widget: QWidget = place
        splitter = widget.parentWidget()
        while isinstance(splitter, QSplitter):
            for number in range(splitter.count()):
                other = splitter.widget(number)
                if other is not None and other is not widget:
                    yield other
            widget = splitter
            splitter = splitter.parentWidget()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_maximized:
            self.restore_panels()
        elif event.key() == Qt.Key.Key_Escape and self.drawer.isVisible():
            self.close_drawer()
        else:
            super().keyPressEvent(event)

    # Windows of their own.

    def windows(self) -> list[PanelWindow]:
        """The windows that panels have of their own."""
        return list(self._windows.values())

    @Slot(str)
    def open_window(self, key: str) -> None:
        """Give a panel a window of its own."""
        key = INSIDE.get(key, key)
        if key in self._windows:
            return
        place = self.place_of(key)
        if self._maximized is place and place is not None:
            self.restore_panels()
        for each in self._all_places(key):
            each.lend(key, AwayNote(key, self.close_window))
        main = self.window()
        _ = self._panels[key]  # made now, so that its window gets the controls of its heading
        window = self._windows[key] = PanelWindow(key, self._panels, self)
        window.resize(main.size() * WINDOW_SHARE / 100)
        # It must not cover the place that it came from.
        at = main.frameGeometry().topLeft()
        if place is not None:
            at = place.mapToGlobal(place.rect().topLeft())
        window.move(max(0, at.x() - window.width() - 20), max(0, at.y()))
        window.closed.connect(self.close_window)
        if place is not None:
            place.take(key)
        self.window_actions[key].setChecked(True)
        window.show()

    @Slot(str)
    def close_window(self, key: str) -> None:
        """Bring a panel back to its place."""
        window = self._windows.pop(key, None)
        if window is None:
            return
        places = self._all_places(key)
        for place in places:
            place.lend(key, None)
        (self.place_of(key) or places[0]).take(key)
        items = self._panels.heading_items(key)
        if items is not None and window.isAncestorOf(items):
            items.setParent(self)  # otherwise those of a panel behind a tab would be deleted
        self.window_actions[key].setChecked(False)
        window.hide()
        window.deleteLater()

    def _all_places(self, key: str) -> list[Place]:
        places = chain(*self._places.values(), [self.drawer])
        return [each for each in places if key in each.keys]

    def _on_window_toggled(self, key: str) -> None:
        if self.window_actions[key].isChecked():
            self.open_window(key)
        else:
            self.close_window(key)

    # The layout.

    @Slot()
    def arrange(self) -> None:
        """Give every panel its first place and size."""
        for key in list(self._windows):
            self.close_window(key)
        self.restore_panels()
        self.close_drawer()
        for view, splitters in self._splitters.items():
            for splitter, part in splitters.items():
                splitter.setSizes(_sizes(part))
            for place in self._places[view]:
                place.fold.setChecked(False)
                place.bring(place.keys[0])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        is_low = self.height() < LOW_EM * self.fontMetrics().height()
        if is_low != self._is_low:
            self._is_low = is_low
            for places in self._places.values():
                for place in places:
                    if not place.fold.isHidden():
                        place.fold.setChecked(is_low)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self._roots[self._shown]:
            self._fit()  # for example when the heading of a panel gets other buttons
        return False

    def _fit(self) -> None:
        """Put parts below each other if the room is short, so that a view scrolls one way only."""
        width = self._place_drawer() - self._scroll_bar_px()
        if not self.isVisible():
            return  # it has no size yet
        parts = self._splitters[self._shown]
        for splitter, part in reversed(parts.items()):  # the outer ones first
            is_across = (
                part.orientation is Qt.Orientation.Horizontal
                and _least_px(splitter, parts, self._replaced) <= width
            )
            orientation = Qt.Orientation.Horizontal if is_across else Qt.Orientation.Vertical
            if splitter.orientation() is not orientation:
                splitter.setOrientation(orientation)
                splitter.setSizes(_sizes(part))

    def save_state(self) -> QByteArray:
        """The view that is shown and how each is divided; `restore_state` reads it."""
        drawer = self.drawer.front if not self.drawer.isHidden() else ""
        sizes = {}
        for view, parts in self._splitters.items():
            sizes[view] = [self._kept_sizes(each, part) for each, part in parts.items()]
        front = {}
        for view, places in self._places.items():
            front[view] = [place.front for place in places]
        windows = {key: _text(window.saveGeometry()) for key, window in self._windows.items()}
        state: dict[str, object] = {
            "view": self._current,
            "drawer": drawer,
            "sizes": sizes,
            "front": front,
            "windows": windows,
        }
        return QByteArray(json.dumps(state).encode("ascii"))

    def _kept_sizes(self, splitter: QSplitter, part: Split) -> list[int]:
        if splitter.orientation() is not part.orientation:
            return _sizes(part)
        is_replaced = self._replaced is not None and self._replaced.parentWidget() is splitter
        return self._undivided if is_replaced else splitter.sizes()

    def restore_state(self, state: QByteArray) -> bool:
        """Lay out the views as they were saved; returns False if the state cannot be read."""
        try:
            read = json.loads(bytes(state.data()))
        except ValueError:
            return False
        if not isinstance(read, dict):
            return False
        for view, all_sizes in _items(read, "sizes"):
            for splitter, sizes in zip(self._splitters.get(view, ()), all_sizes, strict=False):
                if (
                    isinstance(sizes, list)
                    and len(sizes) == splitter.count()
                    and all(map(_is_size, sizes))
                ):
                    splitter.setSizes(sizes)
        for view, fronts in _items(read, "front"):
            for place, key in zip(self._places.get(view, ()), fronts, strict=False):
                if key in place.keys:
                    place.bring(key)
        if read.get("view") in VIEWS:
            self.show_view(read["view"])
        if read.get("drawer") in DRAWER.keys:
            self.open_drawer(read["drawer"])
        windows = read.get("windows")
        geometries = windows.items() if isinstance(windows, dict) else ()
        for key, geometry in geometries:
            if key in PANELS and isinstance(geometry, str):
                self.open_window(key)
                self._windows[key].restoreGeometry(
                    QByteArray.fromBase64(geometry.encode("ascii", "replace"))
                )
        return True


def _sizes(part: Split) -> list[int]:
    """The initial sizes of the parts."""
    return [10 * share for _, share in part.parts]


def _least_px(
    widget: QWidget, parts: Mapping[QSplitter, Split], without: QWidget | None = None
) -> int:
    """The least width of a part of a view with its parts side by side, except one column."""
    if not isinstance(widget, QSplitter):
        return max(widget.minimumSizeHint().width(), widget.minimumWidth())
    inner = [
        _least_px(each, parts, without)
        for k in range(widget.count())
        if (each := widget.widget(k)) is not None and each is not without
    ]
    if parts[widget].orientation is Qt.Orientation.Vertical:
        return max(inner)
    return sum(inner) + widget.handleWidth() * (len(inner) - 1)


def _items(state: Mapping[str, object], key: str) -> Iterator[tuple[str, list[object]]]:
    part = state.get(key)
    views = part.items() if isinstance(part, dict) else ()
    for view, values in views:
        if isinstance(values, list):
            yield view, values


def _is_size(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < 100_000


def _text(data: QByteArray) -> str:
    return base64.b64encode(data.data()).decode("ascii")
