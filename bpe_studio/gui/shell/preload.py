"""Prepares panels while the start page is shown, so that they appear at once when a text is opened.

The curves are imported and built, each panel is drawn once into a picture that is not shown (which lays it out and
loads its fonts); then the modules of the other panels, of lessons and of the game are imported, those panels made, and
the engine's kernels loaded or compiled. It takes turns with the panels that repaint, each as short as its longest step.
Closing the window stops it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from bpe_studio.gui.background.import_steps import import_steps
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from bpe_studio.gui.views.lazy_panels import LazyPanels

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

MODULES = (
    "bpe_studio.gui.skyline.panel",
    "bpe_studio.gui.why.panel",
    "bpe_studio.gui.compare.compared",
    "bpe_studio.workspace.corpus.compared_tokenizers",
    "bpe_studio.gui.compare.text_page",
    "bpe_studio.gui.compare.words_page",
    "bpe_studio.gui.compare.curve_page",
    "bpe_studio.gui.compare.advice_page",
    "bpe_studio.gui.marks.panel",
    "bpe_studio.gui.doctor.panel",
    "bpe_studio.gui.corpus.inspection_panel",
    "bpe_studio.workspace.corpus.inspector",
    "bpe_studio.gui.corpus.enough_panel",
    "bpe_studio.workspace.corpus.sampler",
    "bpe_studio.gui.compare.difference_page",
    "bpe_studio.gui.corpus.concordance_panel",
    "bpe_studio.gui.export.picture",
    "bpe_studio.gui.lessons.chooser",
    "bpe_studio.files.lessons.reader",
    "bpe_studio.workspace.lessons.stage",
    "bpe_studio.workspace.lessons.facts",
    "bpe_studio.gui.lessons.panel",
    "bpe_studio.gui.lessons.highlights",
    "bpe_studio.gui.game.page",
)
"""What the late panels, the first lesson and the first game need, and the start of the window does not."""
MOST_AT_ONCE = 12
"""A panel of more widgets is drawn part by part."""
TURN_S = 0.002
"""Many steps take less, some take longer: a turn ends with the first that does."""


class Preloader(QObject):
    """Prepares the panels.

    Args:
        workspace: whose kernels are wanted.
        growth: the panel whose curves are imported first.
        compare: the panel whose parts are made after the others are drawn.
        others: what else is drawn.
        late: the panels that are made when all this is done.
        modules: what is imported before they are made.
    """

    def __init__(
        self,
        workspace: Workspace,
        growth: GrowthPanel,
        compare: ComparePanel,
        others: Sequence[QWidget],
        late: LazyPanels,
        modules: Sequence[str] = MODULES,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._growth, self._compare, self._others = growth, compare, others
        self._late = late
        self._modules = modules
        self._steps = self._prepare()
        self._turn = RefreshSlot(workspace, self)
        self._turn.granted.connect(self._on_turn)

    @Slot()
    def begin(self) -> None:
        """Begin with the curves; the rest follows when they are built."""
        if self._growth.plot is None:
            self._growth.drawn.connect(self._turn.request)
            self._growth.prepare()
        else:
            self._turn.request()

    @Slot()
    def _on_turn(self) -> None:
        end_s = perf_counter() + TURN_S
        for _ in self._steps:
            if perf_counter() > end_s:
                self._turn.request()
                return

    def _prepare(self) -> Iterator[None]:
        for panel in (self._growth, *self._others):
            yield from _draw(panel)
        yield from import_steps(*self._modules)
        self._compare.make_parts()
        yield
        yield from _draw(self._compare)
        while waiting := self._late.waiting():
            yield from self._late.make_in_steps(waiting[0])
            yield from _draw(self._late[waiting[0]])
        self._workspace.backend.begin_warm_up()


def _draw(panel: QWidget) -> Iterator[None]:
    if panel.isVisible():
        return
    # Half of the first drawing is that each widget is given its style, fonts and colours.
    for part in panel.findChildren(QWidget):
        if isValid(part):
            part.ensurePolished()
        yield
    yield from _render(panel)


def _render(panel: QWidget) -> Iterator[None]:
    """Draws a panel into a picture, one part of it after another."""
    if not isValid(panel) or panel.isVisible():
        return
    if len(panel.findChildren(QWidget)) > MOST_AT_ONCE:
        for part in panel.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if isValid(part) and not part.isHidden():
                yield from _render(part)
    else:
        panel.render(QPixmap(panel.size().expandedTo(QSize(1, 1))))
        yield
