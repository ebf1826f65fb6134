"""A place in a view: a heading of one line, and below it a panel, or several behind tabs.

A panel is one widget that may have a place in several views; a place takes its panels (`take`) when
its view is shown. The controls that a panel has for its heading come with it
(`LazyPanels.heading_items`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QWidget,
)

from bpe_studio.gui.look import icons
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_menus import pop_up_actions
from bpe_studio.gui.views.layouts import FOLDS, PANELS
from bpe_studio.gui.views.lazy_panels import LazyPanels
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    STRETCH,
    TIGHT_PX,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import named, on_trigger
from bpe_studio.gui.widgets.labels import heading
from bpe_studio.gui.widgets.tab_bar import SteadyTabBar

LEAST_PX = 34
"""The least height of a heading: that of a button."""
LEAST_EM = 13, 5
"""The least width of a panel, and the least height below its heading, in line heights; a view with
less room scrolls.
"""
QWIDGETSIZE_MAX = 16_777_215
ICON_SHARE = 0.8
"""The side of a heading's icons, in line heights."""


class Place(FollowsLook, QWidget):
    """Holds one panel, or several that share the place.

    Args:
        keys: the panels; the first is in front.
        panels: the panels by their keys.
        is_drawer: whether the place has a button that closes it instead of one that maximizes it.

    Signals:
        maximize_requested: the user wants the panel to fill its view, or not any more.
        window_requested: str, the panel for which the user wants a window of its own.
        close_requested: the user wants to close the drawer.
        folded: bool, whether only the heading is shown.
    """

    maximize_requested = Signal()
    window_requested = Signal(str)
    close_requested = Signal()
    folded = Signal(bool)

    def __init__(
        self, keys: tuple[str, ...], panels: LazyPanels, *, is_drawer: bool = False
    ) -> None:
        super().__init__()
        self.keys = keys
        self._panels = panels
        self._away: dict[str, QWidget] = {}
        self._front = keys[0]
        self._items_place = QWidget()
        self._room_for_items = row(spacing=TIGHT_PX, parent=self._items_place)
        self._items: QWidget | None = None
        self._pages = QStackedWidget()
        self._build(is_drawer)
        self.follow_look()

    def _build(self, is_drawer: bool) -> None:
        first = self.keys[0]
        self.title: QLabel | None = None
        self.tabs: QTabBar | None = None
        if len(self.keys) == 1 or is_drawer:  # the buttons of the drawer are right above it
            self.title = heading(PANELS[first])
        else:
            tabs = self.tabs = named(SteadyTabBar(), f"panel.{first}.tabs", "Panels")
            tabs.setDrawBase(False)
            tabs.setExpanding(False)
            tabs.setElideMode(Qt.TextElideMode.ElideNone)
            for key in self.keys:
                tabs.setTabToolTip(tabs.addTab(PANELS[key]), PANELS[key])
            tabs.currentChanged.connect(self._on_tab_chosen)
        self.fold = _tool(
            "fold", f"panel.{first}.fold", "Fold the panel to its heading, or unfold it"
        )
        self.fold.setCheckable(True)
        self.fold.setVisible(first in FOLDS)
        self.fold.is_quiet = False  # always visible, because it shows whether there is more
        self.fold.toggled.connect(self._on_fold_toggled)
        self.window_button = _tool(
            "float", f"panel.{first}.window", "Open the panel in its own window"
        )
        self.window_button.clicked.connect(self._on_window_clicked)
        if is_drawer:
            self.close_button = _tool("close", f"panel.{first}.close", "Close the drawer")
            self.close_button.is_quiet = False
            self.close_button.clicked.connect(self.close_requested)
        else:
            self.close_button = _tool(
                "maximize",
                f"panel.{first}.maximize",
                "Shows the panel alone, or restores the others (double click on the heading)",
            )
            self.close_button.clicked.connect(self.maximize_requested)
        names: QWidget = self.title if self.title is not None else self.tabs  # type: ignore[assignment]
        names.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.head = QWidget()
        items = (self._items_place, 1)
        icons_of_head = (self.fold, self.window_button, self.close_button)
        rest = (items, *icons_of_head) if is_drawer else (*icons_of_head, items)
        row(
            names,
            GROUP_PX,
            *rest,
            parent=self.head,
            spacing=2,
            margins=(MARGIN_PX, 0, MARGIN_PX, 0),
        )
        pages = scrolled(self._pages, "drawer.scroll") if is_drawer else self._pages
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(self.head, 0, 0)
        self._grid.addWidget(pages, 1, 0)
        self._grid.setRowStretch(1, 1)
        self.head.installEventFilter(self)
        pop_up_actions(self.head)
        room_title = "Close the drawer" if is_drawer else "Fill the view"
        for button, what, title in (
            (self.window_button, "window", "Open in its own window"),
            (self.close_button, "room", room_title),
        ):
            action = named(QAction(title, self.head), f"panel.{first}.menu_{what}")
            on_trigger(action, button.click)
            self.head.addAction(action)
        self.is_drawer = is_drawer
        if is_drawer:
            self.setAutoFillBackground(True)  # it lies over a view
            margins = self.contentsMargins()
            margins.setLeft(1)
            self.setContentsMargins(margins)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_drawer:
            with QPainter(self) as painter:
                painter.fillRect(
                    0, 0, 1, self.height(), self.palette().color(QPalette.ColorRole.Mid)
                )

    def font_changed(self) -> None:
        """Give all headings one height, and each panel its least room."""
        em = self.fontMetrics().height()
        self.head.setFixedHeight(max(LEAST_PX, round(1.8 * em)))
        self._take_room()
        side = max(14, round(ICON_SHARE * em))
        for button in (self.fold, self.window_button, self.close_button):
            button.setIconSize(QSize(side, side))

    # Its panels.

    @property
    def front(self) -> str:
        """The panel in front."""
        return self._front

    def bring(self, key: str) -> None:
        """Show one of its panels."""
        if self.tabs is not None:
            self.tabs.setCurrentIndex(self.keys.index(key))
        elif self.title is not None:
            self._front = key
            self.title.setText(PANELS[key])
            self._show_front()
        if self.fold.isChecked():
            self.fold.setChecked(False)

    def take(self, *keys: str) -> None:
        """Take its panels, or some of them, from other places; those in own windows stay there."""
        for key in keys or self.keys:
            widget = self._away.get(key) or self._panels.place(key)
            if self._pages.indexOf(widget) < 0:
                self._pages.addWidget(widget)
        self._show_front()

    def lend(self, key: str, note: QWidget | None) -> None:
        """Show a note in place of a panel that is in a window of its own; None ends that."""
        before = self._away.pop(key, None)
        if before is not None:
            self._pages.removeWidget(before)
            before.deleteLater()
        if note is not None:
            self._away[key] = note

    def _show_front(self) -> None:
        key = self._front
        widget = self._away.get(key) or self._panels.place(key)
        if self._pages.indexOf(widget) < 0:
            return  # its view is not shown
        self._pages.setCurrentWidget(widget)
        self.window_button.setEnabled(key not in self._away)
        items = None if key in self._away else self._panels.heading_items(key)
        if (
            self._items is not None
            and self._items is not items
            and self._items.parentWidget() is self._items_place
        ):
            self._items.hide()
        self._items = items
        if items is not None:
            self._room_for_items.addWidget(items)
            items.show()

    @Slot(int)
    def _on_tab_chosen(self, number: int) -> None:
        self._front = self.keys[number]
        self._show_front()

    @Slot()
    def _on_window_clicked(self) -> None:
        self.window_requested.emit(self._front)

    @Slot(bool)
    def _on_fold_toggled(self, is_folded: bool) -> None:
        self._pages.setVisible(not is_folded)
        self._take_room()
        icon = "unfold" if is_folded else "fold"
        self.fold.setIcon(icons.icon(icon))
        self.folded.emit(is_folded)

    def _take_room(self) -> None:
        """Keep the least room, or only that of the heading if it is folded."""
        em = self.fontMetrics().height()
        self._grid.setColumnMinimumWidth(0, LEAST_EM[0] * em)
        if self.fold.isChecked():
            self._grid.setRowMinimumHeight(1, 0)
            self.setMaximumHeight(self.head.height())
        else:
            self._grid.setRowMinimumHeight(1, LEAST_EM[1] * em)
            self.setMaximumHeight(QWIDGETSIZE_MAX)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.head.update()
        if event.type() == QEvent.Type.MouseButtonDblClick and isinstance(event, QMouseEvent):
            self.maximize_requested.emit()
            return True
        return False


class PanelWindow(QWidget):
    """A panel in a window of its own, for a second screen.

    Signals:
        closed: str, the panel goes back to its place.
    """

    closed = Signal(str)

    def __init__(self, key: str, panels: LazyPanels, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.key = key
        self.setObjectName(f"panel.{key}.own_window")
        self.setWindowTitle(f"{PANELS[key]} – BPE Studio")
        panel = panels.place(key)
        items = panels.heading_items(key)
        head = (
            [] if items is None else [row((items, 1), margins=(MARGIN_PX, TIGHT_PX, MARGIN_PX, 0))]
        )
        column(*head, (panel, 1), parent=self, spacing=0)
        self.addActions(parent.window().actions())
        panel.show()
        if items is not None:
            items.show()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit(self.key)


class AwayNote(QWidget):
    """The note in a panel's place while the panel is in a window of its own."""

    def __init__(self, key: str, bring_back: Callable[[str], object]) -> None:
        super().__init__()
        label = QLabel(f"{PANELS[key]} is in its own window")
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        back = named(
            QPushButton("Bring back"), f"panel.{key}.bring_back", f"Bring {PANELS[key]} back"
        )
        back.clicked.connect(partial(bring_back, key))
        column(
            STRETCH,
            label,
            (back, 0, Qt.AlignmentFlag.AlignCenter),
            STRETCH,
            parent=self,
            margins=MARGIN_PX,
        )


class _HeadButton(QToolButton):
    """A button of a heading, which is visible while the mouse is over the heading."""

    is_quiet = True

    def paintEvent(self, event: QPaintEvent) -> None:
        head = self.parentWidget()
        if not self.is_quiet or (head is not None and head.underMouse()):
            super().paintEvent(event)


def _tool(icon: str, name: str, tip: str) -> _HeadButton:
    button = named(_HeadButton(), name, tip, tip)
    button.setIcon(icons.icon(icon))
    button.setAutoRaise(True)
    # The menu View does the same, and Tab has enough stops.
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
