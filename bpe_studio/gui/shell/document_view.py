"""The part of the window's view that a document stores: the panels in front, white space, the
speed,
and the choice whether special tokens are recognized.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from typing import TYPE_CHECKING

from bpe_studio.gui.timeline.transport_bar import FASTEST, SLOWEST
from bpe_studio.gui.views.layouts import PANELS, VIEWS

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from bpe_studio.gui.views.frame import Views
    from bpe_studio.workspace.workspace import Workspace


class DocumentView:
    """Reads and restores that part.

    Args:
        views: the views.
        white_space: the action that shows white space.
        workspace: has the speed, and the choice about special tokens in the typed text.
    """

    def __init__(self, views: Views, white_space: QAction, workspace: Workspace) -> None:
        self._views = views
        self._white_space = white_space
        self._open = workspace

    def to_dict(self) -> dict[str, object]:
        """The state, as a document stores it."""
        views = self._views
        speed = self._open.transport.speed
        kept_speed = None if isinf(speed) else speed
        return {
            "view": views.current,
            "front": views.in_sight(),
            "white_space": self._white_space.isChecked(),
            "speed": kept_speed,
            "special_tokens": self._open.recognizes_special,
        }

    def restore(self, kept: Mapping[str, object]) -> None:
        """Restore the state of a document.
        Unknown keys are ignored, because the document may come from anywhere.
        """
        view = kept.get("view")
        front = kept.get("front")
        white_space = kept.get("white_space")
        named = front if isinstance(front, list) else []
        keys = [key for key in named if isinstance(key, str) and key in PANELS]
        if isinstance(view, str) and view in VIEWS:
            self._views.show_view(view)
            # Panels of other views are left out, so that a document from elsewhere shows one view.
            keys = [key for key in keys if self._views.place_of(key) is not None]
        for key in keys:
            self._views.show_panel(key)
        if isinstance(white_space, bool):
            self._white_space.setChecked(white_space)
        speed = kept.get("speed")
        if isinstance(speed, float) and SLOWEST <= speed <= FASTEST:
            self._open.transport.set_speed(speed)
        special = kept.get("special_tokens")
        if isinstance(special, bool):
            self._open.set_recognizes_special(special)
