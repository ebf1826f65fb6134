"""The panels around the typed text, in docks: where each is, and how a layout is restored.

Docks can be moved, floated, hidden and put into tabs. A dock that shares its place with others is named by its tab;
one that has its place to itself has a small heading instead, so that no name is shown twice.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, QPoint, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.shell.lazy_panels import LazyPanels
from bpe_studio.gui.widgets.containers import MARGIN_PX, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import heading

LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
PLACES = {
    "corpus": ("Corpus", LEFT),
    "settings": ("Settings", LEFT),
    "marks": ("Marks", LEFT),
    "skyline": ("Skyline", BOTTOM),
    "growth": ("Growth", BOTTOM),
    "compare": ("Compare sizes", BOTTOM),
    "branches": ("Runs", BOTTOM),
    "lines": ("Lines", BOTTOM),
    "vocabulary": ("Vocabulary", BOTTOM),
    "merges": ("Merges", RIGHT),
    "candidates": ("Candidates", RIGHT),
    "why": ("Why", RIGHT),
}
TABBED = (
    ("corpus", "settings", "marks"),
    ("skyline", "growth", "compare", "branches", "lines", "vocabulary"),
    ("candidates", "why"),
)
"""The docks that share a place at first; the first of each is in front."""
BOTTOM_SHARES = {"skyline": 44, "growth": 40, "compare": 64, "branches": 64, "lines": 44, "vocabulary": 64}
"""How much of the height, in percent, each panel below the text takes at first."""
LOW_EM = 24
"""Where the window has fewer lines of text than this, the merges share the place of the candidates."""


class Workbench(FollowsLook, QMainWindow):
    """The typed text in the middle, the other panels in docks around it.

    Args:
        centre: the widget in the middle.
        panels: what each dock holds, by the keys of PLACES.
    """

    def __init__(self, centre: QWidget, panels: LazyPanels, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self.setObjectName("workbench")
        self.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setDocumentMode(True)
        for area in (LEFT, RIGHT, BOTTOM, Qt.DockWidgetArea.TopDockWidgetArea):
            self.setTabPosition(area, QTabWidget.TabPosition.North)
        for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
            self.setCorner(corner, LEFT)
        for corner in (Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner):
            self.setCorner(corner, RIGHT)
        self.setCentralWidget(centre)
        self._tidying = QTimer(self)
        self._tidying.setSingleShot(True)
        self._tidying.setInterval(0)
        self._tidying.timeout.connect(self._tidy)
        self._is_arranged = False
        self._was_shown = False
        self._waiting = QByteArray()
        self._front = "skyline"
        self._is_low = False
        self._shares = dict(BOTTOM_SHARES)
        self._floats: dict[str, QAction] = {}
        self.docks = {key: self._dock(key, panels.place(key)) for key in PLACES}
        self.arrange()

    def _dock(self, key: str, panel: QWidget) -> QDockWidget:
        title, area = PLACES[key]
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock.{key}")
        dock.setAccessibleName(title)
        dock.setWidget(panel)
        dock.setTitleBarWidget(DockTitle(dock))
        action = dock.toggleViewAction()
        action.setObjectName(f"view.{key}")
        action.setToolTip(f"Shows or hides the panel “{title}”")
        floats = QAction(f"Float {title}", dock)
        floats.setObjectName(f"view.float_{key}")
        floats.setCheckable(True)
        floats.setToolTip(f"Undocks {title} into a window of its own, or docks it again")
        floats.toggled.connect(partial(self._on_float_toggled, dock))
        dock.topLevelChanged.connect(floats.setChecked)
        self._floats[key] = floats
        dock.visibilityChanged.connect(self._tidying.start)
        dock.dockLocationChanged.connect(self._tidying.start)
        dock.topLevelChanged.connect(self._tidying.start)
        self.addDockWidget(area, dock)
        return dock

    @Slot()
    def arrange(self) -> None:
        """Puts every dock to its first place."""
        docks = self.docks
        for key, dock in docks.items():
            dock.setFloating(False)
            self.addDockWidget(PLACES[key][1], dock)
        self.splitDockWidget(docks["merges"], docks["candidates"], Qt.Orientation.Vertical)
        self._is_low = False
        for first, *others in TABBED:
            for key in others:
                self.tabifyDockWidget(docks[first], docks[key])
        for dock in docks.values():
            dock.show()
        for first, *_ in TABBED:
            docks[first].raise_()
        self._front = "skyline"
        self._shares = dict(BOTTOM_SHARES)
        self._share_out()
        self._tidying.start()

    def restore(self, state: QByteArray) -> bool:
        """Puts the docks where a `saveState` saw them; returns whether that was possible."""
        self._is_arranged = bool(self.restoreState(state))
        if self._is_arranged and not self._was_shown:
            # Before it is shown it is far too small, and the docks are squeezed; sizes are given once it is laid out.
            self._waiting = state
        self._tidying.start()
        return self._is_arranged

    def saveState(self, version: int | None = None) -> QByteArray:
        """Where the docks are; what was to be restored, where they were never laid out."""
        was_laid_out = self._was_shown or (self._waiting.isEmpty() and self.isVisible())
        return super().saveState(version or 0) if was_laid_out else QByteArray(self._waiting)

    def show_dock(self, key: str) -> None:
        """Brings a dock to the front."""
        self.docks[key].show()
        self.docks[key].raise_()

    def toggle_actions(self) -> list[QAction]:
        """An action for each dock that shows or hides it."""
        return [dock.toggleViewAction() for dock in self.docks.values()]

    def float_actions(self) -> list[QAction]:
        """An action for each dock that floats it, or docks it again."""
        return list(self._floats.values())

    def _share_out(self) -> None:
        """Gives each dock its room: so many letters' heights, and no more of the window than leaves the text enough."""
        width, height, em = self.width(), self.height(), self.fontMetrics().height()
        left = min(max(width * 20 // 100, 16 * em), width * 25 // 100, 26 * em)
        right = min(max(width * 31 // 100, 20 * em), width * 33 // 100, 36 * em)
        docks = self.docks
        if self.isVisible():
            self._put_together(height < LOW_EM * em)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([docks["corpus"], docks["merges"]], [left, right], across)
        self.resizeDocks([docks[self._front]], [max(10 * em, height * self._shares[self._front] // 100)], down)
        if not self._is_low:
            self.resizeDocks([docks["merges"], docks["candidates"]], [height * 42 // 100, height * 58 // 100], down)

    @Slot()
    def fit_height(self) -> None:
        """Fits the docks to another height, as when a lesson is shown above them."""
        self._put_together(self.height() < LOW_EM * self.fontMetrics().height())

    def _put_together(self, is_low: bool) -> None:
        """Puts the merges into the tabs of the candidates where there is no height for both, and out of them again."""
        merges, candidates = self.docks["merges"], self.docks["candidates"]
        is_moved = any(d.isFloating() or self.dockWidgetArea(d) is not RIGHT for d in (merges, candidates))
        if is_low == self._is_low or is_moved:
            return
        self._is_low = is_low
        front = self.docks["why"] if not self.docks["why"].visibleRegion().isEmpty() else candidates
        if is_low:
            self.tabifyDockWidget(candidates, merges)
        else:
            self.addDockWidget(RIGHT, merges)
            self.splitDockWidget(merges, candidates, Qt.Orientation.Vertical)
            self.tabifyDockWidget(candidates, self.docks["why"])
        front.raise_()
        self._tidying.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tidying.start()
        if not self._is_arranged:
            self._share_out()
        if not self._was_shown:
            QTimer.singleShot(0, self, self._end_arranging)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_arranged:
            self._share_out()
            return
        # What is below the text keeps its share of the height; Qt would give all that is gained to the text.
        before, after = event.oldSize().height(), event.size().height()
        docks = [d for d in self.docks.values() if self.dockWidgetArea(d) is BOTTOM and not d.visibleRegion().isEmpty()]
        if docks and before > 0 and after != before:
            self.resizeDocks(docks, [d.height() * after // before for d in docks], Qt.Orientation.Vertical)

    def font_changed(self) -> None:
        QTimer.singleShot(0, self, self._share_out)

    def palette_changed(self) -> None:
        for tabs in self._tab_bars():
            # WORKAROUND: a style sheet keeps the colours that `palette(…)` meant when it was set.
            tabs.setStyleSheet("")
        self._tidying.start()

    @Slot()
    def _end_arranging(self) -> None:
        """From now on keep the widths that the user sets."""
        self._was_shown = True
        self.follow_look(fit_now=False)
        if not self._waiting.isEmpty():
            self._restore_sizes()
        else:
            self._share_out()
        self._is_arranged = True

    def _restore_sizes(self) -> None:
        """Restores the layout once more, now that there is room for its sizes."""
        # A document that is opened at the start has its own panels in front by now, and a user may have clicked.
        front = [dock for dock in self.docks.values() if not dock.visibleRegion().isEmpty()]
        replaced = [tabs for tabs in self._tab_bars() if tabs.isVisible()]
        self.restoreState(self._waiting)
        for tabs in replaced:
            # Qt deletes them with a later event; a click on one of them until then would go nowhere.
            tabs.hide()
        for dock in front:
            dock.raise_()

    def _change_front(self) -> None:
        """Gives the panels below the text each a height of its own, as sizes side by side need more than curves."""
        if not self._is_arranged:
            return
        front = next((key for key in BOTTOM_SHARES if not self.docks[key].visibleRegion().isEmpty()), self._front)
        dock, before = self.docks[front], self.docks[self._front]
        if dock not in self.tabifiedDockWidgets(before) or self.dockWidgetArea(dock) is not BOTTOM:
            return
        self._shares[self._front] = 100 * self.docks[front].height() // max(1, self.height())
        self._front = front
        wanted = self.height() * self._shares[front] // 100
        self.resizeDocks([self.docks[front]], [wanted], Qt.Orientation.Vertical)

    @Slot()
    def _tidy(self) -> None:
        """Gives a heading to the docks that have no tab."""
        self._change_front()
        for dock in self.docks.values():
            bar = dock.titleBarWidget()
            if isinstance(bar, DockTitle):
                bar.set_shown(dock.isFloating() or not self.tabifiedDockWidgets(dock))
        for tabs in self._tab_bars():
            tabs.setDrawBase(False)
            tabs.setExpanding(False)
            tabs.setElideMode(Qt.TextElideMode.ElideNone)
            tabs.setUsesScrollButtons(True)
            tabs.setStyleSheet(theme.TAB_BAR_STYLE)
            tabs.setAccessibleName("Panels")
            if not tabs.objectName():
                tabs.setObjectName("view.tabs")
                tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                tabs.customContextMenuRequested.connect(partial(self._on_menu_wanted, tabs))
            for place in range(tabs.count()):
                # Its name may be cut where the window is narrow.
                tabs.setTabToolTip(place, tabs.tabText(place))

    def _tab_bars(self) -> list[QTabBar]:
        return self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def _on_float_toggled(self, dock: QDockWidget, is_out: bool) -> None:
        if is_out != dock.isFloating():
            dock.show()
            dock.setFloating(is_out)
            if is_out:
                dock.activateWindow()
            dock.widget().setFocus()

    def _on_menu_wanted(self, tabs: QTabBar, at: QPoint) -> None:
        """What can be done with the panel of the tab under the pointer, or of the one in front by the keyboard."""
        place = tabs.tabAt(at)
        title = tabs.tabText(place if place >= 0 else tabs.currentIndex())
        key = next((key for key, (name, _) in PLACES.items() if name == title), None)
        if key is None:
            return
        menu = QMenu(tabs)
        menu.setObjectName("view.tab_menu")
        menu.setToolTipsVisible(True)
        menu.addActions([self._floats[key], self.docks[key].toggleViewAction()])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(tabs.mapToGlobal(at))


class DockTitle(QWidget):
    """A dock's name, and buttons to float and to hide it; it takes no room where a tab names the dock."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._is_shown = True
        self.name = heading(dock.windowTitle())
        self.floats = _tool("float", f"{dock.objectName()}.float", f"Undock or dock {dock.windowTitle()}")
        self.hides = _tool(
            "close", f"{dock.objectName()}.hide", f"Hide {dock.windowTitle()}; the menu View shows it again"
        )
        row((self.name, 1), self.floats, self.hides, parent=self, spacing=2, margins=(MARGIN_PX, 4, 6, 0))
        self.floats.clicked.connect(self._on_float_clicked)
        self.hides.clicked.connect(dock.close)

    def set_shown(self, is_shown: bool) -> None:
        """Takes its room, or none."""
        if is_shown != self._is_shown:
            self._is_shown = is_shown
            for child in (self.name, self.floats, self.hides):
                child.setVisible(is_shown)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self._is_shown else QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() if self._is_shown else QSize(0, 0)

    @Slot()
    def _on_float_clicked(self) -> None:
        dock = self.parentWidget()
        if isinstance(dock, QDockWidget):
            dock.setFloating(not dock.isFloating())


def _tool(icon: str, name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icons.icon(icon))
    side = max(14, button.fontMetrics().height() * 4 // 5)
    button.setIconSize(QSize(side, side))
    button.setAutoRaise(True)
    named(button, name, tip, tip)
    # The menu View and the menu of a tab do the same, and Tab has enough stops.
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
