"""What the start does not need is made while the start page is shown, in turns."""

from __future__ import annotations

from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.gui.shell.preload import Preloader
from bpe_studio.gui.views.lazy_panels import LazyPanels, makers
from bpe_studio.workspace.workspace import Workspace


def test_every_panel_is_made_and_then_the_kernels_are_compiled(qtbot, monkeypatch):
    workspace, order = Workspace(), []
    compare = ComparePanel(workspace)
    panels = LazyPanels({}, makers(workspace))
    monkeypatch.setattr(workspace.backend, "begin_warm_up", lambda: order.append("kernels"))
    panels.made.connect(order.append)
    for widget in (compare, *(panels.place(key) for key in panels)):
        qtbot.addWidget(widget)
    preloader = Preloader(workspace, compare, panels)
    assert not order
    preloader.begin()
    assert len(order) == 1  # one panel in a turn
    qtbot.waitUntil(lambda: "kernels" in order)
    assert not panels.waiting() and compare.are_parts_made and order[-1] == "kernels"
    workspace.shutdown()
