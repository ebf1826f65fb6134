"""What a document keeps of the window's view: the panels in front, and whether white space is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractButton

    from bpe_studio.gui.shell.docks import Workbench


class DocumentView:
    """Reads and restores it.

    Args:
        workbench: the panels.
        white_space: the box that is ticked while white space is shown.
    """

    def __init__(self, workbench: Workbench, white_space: QAbstractButton) -> None:
        self._workbench, self._white_space = workbench, white_space

    def to_dict(self) -> dict[str, object]:
        """What a document keeps."""
        docks = self._workbench.docks
        front = [key for key, dock in docks.items() if not dock.visibleRegion().isEmpty()]
        return {"front": front, "white_space": self._white_space.isChecked()}

    def restore(self, kept: Mapping[str, object]) -> None:
        """Shows what a document kept; it may come from a stranger, so only what there is here counts."""
        front, white_space = kept.get("front"), kept.get("white_space")
        for key in front if isinstance(front, list) else ():
            if isinstance(key, str) and key in self._workbench.docks:
                self._workbench.show_dock(key)
        if isinstance(white_space, bool):
            self._white_space.setChecked(white_space)
