"""Prepares panels while the start page is shown, so that they appear at once when a text is opened.

The curves are imported and built, each panel is drawn once into a picture that is not shown (which lays it out and
loads its fonts), one panel per turn; then the modules of lessons are imported, and the engine's kernels loaded or
compiled. Closing the window stops it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from bpe_studio.gui.sizes.panel import SizesPanel
from bpe_studio.gui.views.lazy_panels import LazyPanels

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace


class Preloader(QObject):
    """Prepares the panels.

    Args:
        workspace: whose kernels are wanted.
        growth: the panel whose curves are imported first.
        compare: the panel whose parts are made after the others are drawn.
        others: what else is drawn.
        late: the panels that are made when all this is done.
        imports: functions that each import a module, one per turn; see `lessons/controller.py`.
    """

    def __init__(
        self,
        workspace: Workspace,
        growth: GrowthPanel,
        compare: SizesPanel,
        others: Sequence[QWidget],
        late: LazyPanels,
        imports: Sequence[Callable[[], None]] = (),
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._growth = growth
        self._compare: SizesPanel | None = compare
        self._late = late
        self._waiting = [growth, *others]
        self._imports = list(imports)
        self._turn = RefreshSlot(workspace, self)
        self._turn.granted.connect(self._on_turn)
        growth.drawn.connect(self._turn.request)

    @Slot()
    def begin(self) -> None:
        """Begin with the curves; the rest follows when they are built."""
        if self._growth.plot is None:
            self._growth.prepare()
        else:
            self._turn.request()

    @Slot()
    def _on_turn(self) -> None:
        while self._waiting:
            panel = self._waiting.pop(0)
            if not panel.isVisible():
                picture = QPixmap(panel.size().expandedTo(QSize(1, 1)))
                panel.render(picture)
                self._turn.request()
                return
        if self._compare is not None:
            self._compare.make_parts()
            self._waiting.append(self._compare)
            self._compare = None
            self._turn.request()
            return
        waiting = self._late.waiting()
        if waiting:
            self._waiting.append(self._late[waiting[0]])
            self._turn.request()
            return
        if self._imports:
            self._imports.pop(0)()
            self._turn.request()
            return
        self._workspace.backend.begin_warm_up()
