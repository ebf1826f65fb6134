"""Makes the panels that the start does not need, one after another, once the window has been painted.

Closing the window stops it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from bpe_studio.gui.compare.panel import ComparePanel
    from bpe_studio.gui.views.lazy_panels import LazyPanels
    from bpe_studio.workspace.workspace import Workspace

BREATH_MS = 10


class Preloader(QObject):
    """Makes the panels.

    Args:
        workspace: whose kernels are compiled at the end.
        compare: the panel whose pages are made.
        late: the panels that are made.
    """

    def __init__(
        self,
        workspace: Workspace,
        compare: ComparePanel,
        late: LazyPanels,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._turns: list[Callable[[], object]] = [
            *(partial(late.__getitem__, key) for key in late.waiting()),
            compare.make_parts,
            workspace.backend.begin_warm_up,
        ]

    @Slot()
    def begin(self) -> None:
        """Make the first panel, and then the others, with time for keys and painting in between."""
        if self._turns:
            self._turns.pop(0)()
            QTimer.singleShot(BREATH_MS, self, self.begin)
