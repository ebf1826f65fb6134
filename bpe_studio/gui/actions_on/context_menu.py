"""The context menu of a target, and the mixin for widgets that show targets.

A widget says what is at a place and what has the keyboard focus; its window has the menus
(`ActionsOn`). In a widget outside such a window, the menu has only the widget's own actions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QAction, QContextMenuEvent, QFont
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from bpe_studio.gui.actions_on.table import TABLE, Places, shown_target, use
from bpe_studio.gui.actions_on.targets import Target, title_of
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.controls import on_trigger, with_reason

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

    _Widget = QWidget
else:
    _Widget = object


class ActionsOn(QObject):
    """The menus of a window.

    Args:
        workspace: the open corpus and its runs.
        places: the places to which actions lead.
    """

    def __init__(self, workspace: Workspace, places: Places, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._places = places

    def fill(self, menu: QMenu, target: Target) -> None:
        """Add the name of a target and the actions on it."""
        workspace = self._workspace
        if target.run is None and target.what is not None:
            known = shown_target(workspace, target.what)
            if known is None:
                return
            target = known
        title = title_of(target)
        if title:
            _add_title(menu, title)
        group = -1
        for action in TABLE:
            if not action.is_for(workspace, target):
                continue
            if group not in (-1, action.group):
                menu.addSeparator()
            group = action.group
            text = action.text_for(workspace, target).replace("&", "&&")
            label = f"{text}\t{action.keys}" if action.keys else text
            entry = menu.addAction(label)
            entry.setObjectName(f"on.{action.id}")
            why_not = action.why_not(workspace, target)
            entry.setEnabled(not why_not)
            entry.setToolTip(plain_tip(with_reason(action.tip, why_not)))
            on_trigger(entry, partial(use, action, workspace, self._places, target))


@runtime_checkable
class HasActionsOn(Protocol):
    """A window whose widgets have context menus."""

    actions_on: ActionsOn


class HasContextMenu(_Widget):
    """A mixin, listed before the widget's class: `class TokenLinks(HasContextMenu, QWidget)`.

    The widget overrides `target_at` and `current_target`.
    """

    def target_at(self, place: QPoint) -> Target | None:
        """The target at a place (of the viewport, in a scroll area); None for nothing."""
        return None

    def current_target(self) -> tuple[Target | None, QPoint]:
        """The target of the keyboard, and its place."""
        return None, self.rect().center()

    def menu_below(self) -> Iterable[QAction]:
        """The widget's own actions, which follow those on the target."""
        return self.actions()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            target = self.target_at(event.pos())
            at = event.globalPos()
        else:
            target, place = self.current_target()
            seen = self.viewport() if isinstance(self, QAbstractScrollArea) else self
            at = seen.mapToGlobal(place)
        show_menu(self, target, at, self.menu_below())
        event.accept()


def show_menu(
    widget: QWidget, target: Target | None, at: QPoint, below: Iterable[QAction] = ()
) -> None:
    """Show the menu of a target.

    Args:
        widget: the widget that shows the target.
        target: the target of the actions; None for only the actions in `below`.
        at: the place on the screen.
        below: further actions, at the end of the menu.
    """
    menu = QMenu(widget)
    menu.setObjectName("on.menu")
    menu.setToolTipsVisible(True)
    actions_on = _actions_on(widget)
    if actions_on is not None and target is not None:
        actions_on.fill(menu, target)
    own = list(below)
    if own:
        menu.addSeparator()
        menu.addActions(own)
    menu.aboutToHide.connect(menu.deleteLater)
    if menu.isEmpty():
        menu.deleteLater()
    else:
        menu.popup(at)


def _actions_on(widget: QWidget) -> ActionsOn | None:
    parent: QObject | None = widget
    while parent is not None:
        if isinstance(parent, HasActionsOn):
            return parent.actions_on
        parent = parent.parent()
    return None


def _add_title(menu: QMenu, title: str) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    font = QFont(menu.font())
    font.setWeight(QFont.Weight.DemiBold)
    action.setFont(font)
    action.setEnabled(False)
    menu.addSeparator()
