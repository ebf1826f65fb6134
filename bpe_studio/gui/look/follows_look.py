"""Widgets that must do something when the theme or the text size changes.

Qt sends each widget a change event at the moment its own palette or font changes. A signal of the whole program would
come before that (widgets with a style sheet or a font size of their own follow one pass of the event loop later) and
leave the widget with the old colours. But Qt also sends such events while a widget is still being constructed. The
guard against that, which every such widget needs, is written here once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    _Widget = QWidget
else:
    _Widget = object

OWN_FONT = frozenset({QEvent.Type.FontChange})
APPLICATION_FONT = frozenset({QEvent.Type.ApplicationFontChange})
ANY_FONT = OWN_FONT | APPLICATION_FONT


class FollowsLook(_Widget):
    """Comes before the widget's class: `class MergesPanel(FollowsLook, QWidget)`.

    The widget overrides `font_changed`, `palette_changed` or both, and calls `follow_look` once it is constructed.

    Attributes:
        font_events: the events after which `font_changed` is called.
    """

    font_events: ClassVar[frozenset[QEvent.Type]] = OWN_FONT
    _follows_look = False

    def follow_look(self, *, fit_now: bool = True) -> None:
        """Fit to every font and palette from now on; with `fit_now`, to the present ones too."""
        self._follows_look = True
        if fit_now:
            self.font_changed()
            self.palette_changed()

    def font_changed(self) -> None:
        """React to another font of the widget or of the application, as `font_events` says."""

    def palette_changed(self) -> None:
        """React to another palette of the widget."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._follows_look:
            kind = event.type()
            if kind in self.font_events:
                self.font_changed()
            elif kind == QEvent.Type.PaletteChange:
                self.palette_changed()
