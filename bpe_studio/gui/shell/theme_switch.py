"""The visible switch between the system's theme, light and dark, at the end of the menu bar."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.widgets.controls import named

TITLES = {"system": "System", "light": "Light", "dark": "Dark"}


class ThemeSwitch(QToolButton):
    """A click switches between light and dark; the menu View offers the system's theme too.

    Signals:
        mode_chosen: str, "system", "light" or "dark".
    """

    mode_chosen = Signal(str)

    def __init__(self, mode: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "view.theme", "Theme")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.menu_of_modes = QMenu("&Theme", self)
        self._group = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for key in theme.MODES:
            action = QAction(icons.icon(key), TITLES[key], self.menu_of_modes)
            self.menu_of_modes.addAction(action)
            action.setObjectName(f"view.theme_{key}")
            action.setCheckable(True)
            action.setData(key)
            self._group.addAction(action)
            self._actions[key] = action
        self._mode = mode
        self._group.triggered.connect(self._on_triggered)
        self.clicked.connect(self._on_clicked)
        self.set_mode(mode)

    def sizeHint(self) -> QSize:
        # It is next to the menus, and no higher than they are.
        return QSize(super().sizeHint().width(), self.fontMetrics().height() + 4)

    @property
    def mode(self) -> str:
        """The choice: "system", "light" or "dark"."""
        return self._mode

    def set_mode(self, mode: str) -> None:
        """Show another choice."""
        self._mode = mode
        self._actions[mode].setChecked(True)
        self.setIcon(icons.icon(mode))
        self.setText(TITLES[mode])
        self.setToolTip(f"Theme: {TITLES[mode].lower()}\nClick to switch between light and dark")

    @Slot()
    def _on_clicked(self) -> None:
        other = "light" if theme.is_dark(QGuiApplication.palette()) else "dark"
        self._choose(other)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self._choose(str(action.data()))

    def _choose(self, mode: str) -> None:
        self.set_mode(mode)
        self.mode_chosen.emit(mode)
