"""The working page is drawn and the kernels are asked for while the start page stands."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import pytest
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.plots.growth_panel import GrowthPanel
from bpe_studio.gui.shell import preload as rehearsal_module
from bpe_studio.gui.shell.lazy_panels import LazyPanels
from bpe_studio.gui.shell.preload import Preloader
from bpe_studio.gui.sizes.panel import SizesPanel
from bpe_studio.workspace.workspace import Workspace


class Panel(QWidget):
    def __init__(self, told: list[str], name: str) -> None:
        super().__init__()
        self.told, self.name = told, name

    def paintEvent(self, event):
        self.told.append(self.name)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def workspace(qtbot, told, monkeypatch):
    workspace = Workspace()
    monkeypatch.setattr(workspace, "start_warm_up", lambda: told.append("kernels"))
    yield workspace
    workspace.shutdown()


def test_each_hidden_panel_is_drawn_and_then_the_kernels_are_compiled(workspace, told, qtbot, monkeypatch):
    modules = []
    monkeypatch.setattr(rehearsal_module, "import_module", modules.append)
    growth, panels = GrowthPanel(workspace), [Panel(told, "text"), Panel(told, "corpus")]
    compare = SizesPanel(workspace)
    for widget in (growth, compare, *panels):
        qtbot.addWidget(widget)
    late = LazyPanels({}, {"why": partial(Panel, told, "why")}, growth)
    qtbot.addWidget(late.place("why"))
    rehearsal = Preloader(workspace, growth, compare, panels, late)
    rehearsal.begin()
    qtbot.waitUntil(lambda: "kernels" in told, timeout=20_000)
    assert told == ["text", "corpus", "kernels"]
    assert late.waiting() == []
    assert "bpe_studio.gui.lessons.panel" in modules and all(find_spec(module) for module in modules)
    assert compare.parts.are_made
    assert growth.plot is not None
    assert not any(panel.isVisible() for panel in panels)


def test_what_is_seen_already_is_not_drawn_for_nothing(workspace, told, qtbot, monkeypatch):
    growth, panel = GrowthPanel(workspace), Panel(told, "text")
    compare = SizesPanel(workspace)
    for widget in (growth, compare, panel):
        qtbot.addWidget(widget)
    panel.show()
    qtbot.waitUntil(lambda: "text" in told)
    monkeypatch.setattr(panel, "render", lambda picture: told.append("rendered"))
    rehearsal = Preloader(workspace, growth, compare, [panel], LazyPanels({}, {}))
    growth.ensure_plot()
    rehearsal.begin()
    qtbot.waitUntil(lambda: "kernels" in told)
    assert "rendered" not in told
