"""The mixin for widgets that react to a change of theme or font size.

Qt sends each widget a change event when its palette or font changes. A signal of the application
would come too early: widgets with a style sheet or their own font size change one pass of the event
loop later. But Qt also sends change events to a widget that is not fully constructed yet; the guard
against that is written once, here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    _Widget = QWidget
else:
    _Widget = object

_FONT_CHANGES = (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange)


class FollowsLook(_Widget):
    """A mixin, listed before the widget's class: `class MergesPanel(FollowsLook, QWidget)`.

    The widget overrides `font_changed`, `palette_changed` or both, and calls `follow_look` at the
    end of `__init__`.
    """

    _follows_look = False

    def follow_look(self, *, fit_now: bool = True) -> None:
        """Start calling `font_changed` and `palette_changed`; with `fit_now`, call both at once."""
        self._follows_look = True
        if fit_now:
            self.font_changed()
            self.palette_changed()

    def font_changed(self) -> None:
        """Adapt to a change of the font of the widget or the application."""

    def palette_changed(self) -> None:
        """Adapt to a change of the widget's palette."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._follows_look:
            kind = event.type()
            if kind in _FONT_CHANGES:
                self.font_changed()
            elif kind == QEvent.Type.PaletteChange:
                self.palette_changed()
