"""Widgets that must do something when the theme or the text size changes.

Qt tells each widget by a change event, in the moment in which its own palette or font is another; a signal of the
whole program would come before that (what has a style sheet or a size of its own follows a turn later) and leave it
with the colours of before. But Qt sends such events while a widget is still being made too. What all widgets did about
that is done here once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    _Widget = QWidget
else:
    _Widget = object

_FONT = (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange)


class FollowsLook(_Widget):
    """Comes before the widget's class: `class MergesPanel(FollowsLook, QWidget)`.

    The widget overrides `font_changed`, `palette_changed` or both, and calls `follow_look` once it is made.
    """

    _follows_look = False

    def follow_look(self) -> None:
        """Fit to the font and the palette of now, and to each that follows."""
        self._follows_look = True
        self.font_changed()
        self.palette_changed()

    def font_changed(self) -> None:
        """The widget's font, or the program's, is another."""

    def palette_changed(self) -> None:
        """The widget's palette is another."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._follows_look:
            kind = event.type()
            if kind in _FONT:
                self.font_changed()
            elif kind == QEvent.Type.PaletteChange:
                self.palette_changed()
