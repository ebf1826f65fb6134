"""The first line of the window: buttons for views, the running job, the run, and the drawer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.views.frame import Views
from bpe_studio.gui.views.layouts import DRAWER, VIEWS
from bpe_studio.gui.widgets.containers import MARGIN_PX, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import ActionButton
from bpe_studio.gui.widgets.tab_bar import bold_width, paint_tab

PADDING_PX = 10
LEAST_EM = 24
"""The least width of the running job between the buttons, in line heights; else it gets a line."""


class ViewBar(FollowsLook, QWidget):
    """One line of fixed height, and one below it for the running job if the room is short.

    With even less room, the buttons of the drawer are left out; the menu View has them too.

    Args:
        views: the views that the buttons show.
        actions: the actions of the window, one for each view and each panel of the drawer.
        runs: chooses the run; left out if there is no room for it.
    """

    def __init__(self, views: Views, actions: Mapping[str, QAction], runs: QWidget) -> None:
        super().__init__()
        self._views = views
        self._runs = runs
        self._strip: QWidget | None = None
        self._group = QActionGroup(self)
        self._view_actions = {key: actions[f"view.{key}"] for key in VIEWS}
        self._drawer_actions = {key: actions[f"view.{key}"] for key in DRAWER.keys}
        pages = {"start": actions["view.start"]} | self._view_actions
        for action in (*pages.values(), *self._drawer_actions.values()):
            action.setCheckable(True)
        for action in pages.values():
            self._group.addAction(action)
        self._pages = tuple(pages)
        self._buttons = {
            key: _button(action) for key, action in (pages | self._drawer_actions).items()
        }
        # These stay even if empty, so that the buttons keep their places.
        self._between = QWidget()
        self._below = QWidget()
        self._runs_room = QWidget()
        self._rooms = row(parent=self._between), row(parent=self._below)
        row(runs, parent=self._runs_room)
        page_buttons = [self._buttons[key] for key in pages]
        drawer_buttons = [self._buttons[key] for key in DRAWER.keys]
        self._line = row(
            *page_buttons,
            (self._between, 1),
            self._runs_room,
            *drawer_buttons,
            spacing=TIGHT_PX,
            margins=(2, 2, MARGIN_PX, 2),
        )
        column(self._line, self._below, parent=self, spacing=0)
        views.changed.connect(self._show_view)
        views.drawer_changed.connect(self._show_drawer)
        self._show_view(views.current)
        self.follow_look()

    def font_changed(self) -> None:
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # for example when there is a second run to choose
        return super().event(event)

    def hold(self, strip: QWidget) -> None:
        """Show the running job here."""
        if self._strip is not strip or not self.isAncestorOf(strip):
            self._strip = strip
            self._rooms[self._is_strip_below].addWidget(strip)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._taken(self._pages), super().minimumSizeHint().height())

    def _taken(self, keys: Iterable[str]) -> int:
        widths = [self._buttons[key].sizeHint().width() + TIGHT_PX for key in keys]
        return sum(widths) + MARGIN_PX

    @property
    def _is_strip_below(self) -> bool:
        return self.width() < self._taken(self._buttons) + LEAST_EM * self.fontMetrics().height()

    def _fit(self) -> None:
        """Put the running job between the buttons, or below them if the room is short."""
        taken = self._taken(self._buttons)
        self._runs_room.setVisible(self.width() >= taken + self._runs.sizeHint().width())
        shown = [*self._pages]
        for key in DRAWER.keys:
            shown.append(key)
            self._buttons[key].setVisible(self.width() >= self._taken(shown))
        strip = self._strip
        if strip is not None and self.isAncestorOf(strip):
            room = self._below if self._is_strip_below else self._between
            if strip.parentWidget() is not room:
                self._rooms[self._is_strip_below].addWidget(strip)

    def show_page(self, *, is_home: bool) -> None:
        """Mark the start page, or the view that is shown."""
        self._group.actions()[0].setChecked(is_home)
        if not is_home:
            self._show_view(self._views.current)

    @Slot(str)
    def _show_view(self, key: str) -> None:
        self._view_actions[key].setChecked(True)

    @Slot(str)
    def _show_drawer(self, key: str) -> None:
        for each, action in self._drawer_actions.items():
            action.setChecked(each == key)


class _ViewButton(ActionButton):
    """A button that looks like a tab."""

    def sizeHint(self) -> QSize:
        return QSize(
            bold_width(self, self.text()) + 2 * PADDING_PX, self.fontMetrics().height() + 12
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            is_chosen = self.isChecked()
            is_on = self.isEnabled()
            paint_tab(self, painter, self.rect(), self.text(), is_chosen=is_chosen, is_on=is_on)


def _button(action: QAction) -> ActionButton:
    button = _ViewButton(action)
    button.setObjectName(f"{action.objectName()}_button")
    button.setAccessibleName(action.text().replace("&", ""))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
