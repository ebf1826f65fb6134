"""The working page is drawn and the kernels are asked for while the start page stands."""

from __future__ import annotations

import itertools
import subprocess
import sys
from functools import partial

import pytest
from PySide6.QtWidgets import QGraphicsView, QWidget

from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from bpe_studio.gui.shell.preload import MODULES, Preloader
from bpe_studio.gui.views.lazy_panels import LazyPanels, Making, makers
from bpe_studio.gui.widgets.containers import column
from bpe_studio.workspace.workspace import Workspace


class Panel(QWidget):
    def __init__(self, told: list[str], name: str) -> None:
        super().__init__()
        self.told, self.name = told, name

    def paintEvent(self, event):
        self.told.append(self.name)


def make(told: list[str], parent: QWidget) -> Making:
    yield
    return Panel(told, "why")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def workspace(qtbot, told, monkeypatch):
    workspace = Workspace()
    monkeypatch.setattr(workspace.backend, "begin_warm_up", lambda: told.append("kernels"))
    yield workspace
    workspace.shutdown()


def test_each_hidden_panel_is_drawn_and_then_the_kernels_are_compiled(workspace, told, qtbot):
    growth, panels = GrowthPanel(workspace), [Panel(told, "text"), Panel(told, "corpus")]
    compare = ComparePanel(workspace)
    for widget in (growth, compare, *panels):
        qtbot.addWidget(widget)
    late = LazyPanels({}, {"why": partial(make, told)}, growth)
    qtbot.addWidget(late.place("why"))
    preloader = Preloader(workspace, growth, compare, panels, late)
    preloader.begin()
    qtbot.waitUntil(lambda: "kernels" in told, timeout=20_000)
    assert told == ["text", "corpus", "kernels"]
    assert late.waiting() == []
    assert compare.are_parts_made
    assert growth.plot is not None
    assert not any(panel.isVisible() for panel in panels)


_MAKING = """
import sys
from bpe_studio.gui.app import make_application, take_apart
application = make_application()
from bpe_studio.gui.background.import_steps import import_steps
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.preload import MODULES
window = MainWindow()
steps, growth, before = [], [], len(sys.modules)
for _ in import_steps(*MODULES):
    growth.append(len([name for name in sys.modules if name.startswith("bpe_studio.")]))
known = {*sys.modules}
window.panels.values()
window._compare.make_parts()
window.close()
take_apart(window)
late = [name for name in sys.modules if name.startswith("bpe_studio.") and name not in known]
print(max(later - earlier for earlier, later in zip(growth, growth[1:])), *late)
"""


_CURVES = """
import sys
from bpe_studio.gui.app import make_application
application = make_application()
from bpe_studio.gui.plots.plot_import import _pyqtgraph_steps
n_before, pieces = 0, []
for _ in _pyqtgraph_steps():
    n = len([name for name in sys.modules if name.startswith("pyqtgraph.")])
    pieces.append(n - n_before)
    n_before = n
import pyqtgraph
print(sorted(pieces)[-2], sum(pieces), hasattr(pyqtgraph, "PlotItem"))
"""


@pytest.mark.slow(buys="a program of its own, in which the curves are not imported; each other test imports them too")
def test_the_library_of_the_curves_is_imported_a_few_modules_at_a_time():
    outcome = subprocess.run([sys.executable, "-c", _CURVES], capture_output=True, text=True, check=True)
    second, n_modules, has_plots = outcome.stdout.split()
    assert 40 < int(n_modules) < 80 and has_plots == "True", "without the widgets that no curve uses, which are 80 more"
    assert int(second) <= 10, "only one package imports its own parts itself"


def test_the_panels_that_take_long_are_made_in_pieces(workspace, qtbot):
    late = LazyPanels({}, makers(workspace))
    growth, compare = GrowthPanel(workspace), ComparePanel(workspace)
    for widget in (growth, compare, *map(late.place, late.waiting())):
        qtbot.addWidget(widget)
    # The panel itself, its parts, and each control that is styled.
    assert len(list(late.make_in_steps("why"))) > 15
    assert late["why"].findChild(QWidget, "why.border_title") is not None
    growth.prepare()
    with qtbot.waitSignal(growth.drawn, timeout=20_000):
        qtbot.waitUntil(lambda: growth.area.findChild(QGraphicsView) is not None, timeout=20_000)
        assert growth.plot is None, "the areas of the plot follow one after another"
        assert growth.area.findChild(QGraphicsView).isHidden(), "half made it cannot paint"


@pytest.mark.slow(buys="an error in a hidden widget while it gets its size ends the process, now and then")
def test_a_picture_can_be_taken_and_the_size_changed_while_panels_are_made(workspace, qtbot):
    late, growth, compare = LazyPanels({}, makers(workspace)), GrowthPanel(workspace), ComparePanel(workspace)
    window = QWidget()
    qtbot.addWidget(window)
    places = [growth, compare, *map(late.place, late.waiting())]
    column(*places, parent=window)
    width = itertools.cycle((900, 1300))

    def making():
        compare.make_parts()
        yield
        for key in late.waiting():
            yield from late.make_in_steps(key)

    for _ in making():
        window.resize(next(width), 1000)
        # Hidden widgets get their size, too; an error in them would be raised here.
        window.grab()
    assert late.waiting() == [] and compare.are_parts_made


def test_what_panels_need_is_imported_before_they_are_made_and_a_module_at_a_time():
    found = subprocess.run([sys.executable, "-c", _MAKING], capture_output=True, text=True, check=True)
    most, *late = found.stdout.split()
    assert late == []
    # A module and its package, whose initialisation holds no code.
    assert int(most) <= 3


def test_what_the_first_lesson_and_the_first_game_need_is_imported():
    assert {
        "bpe_studio.files.lessons.reader", "bpe_studio.workspace.lessons.stage", "bpe_studio.workspace.lessons.facts",
        "bpe_studio.gui.lessons.panel", "bpe_studio.gui.lessons.highlights", "bpe_studio.gui.game.page",
    } <= {*MODULES}  # fmt: skip


def test_what_is_seen_already_is_not_drawn_for_nothing(workspace, told, qtbot, monkeypatch):
    growth, panel = GrowthPanel(workspace), Panel(told, "text")
    compare = ComparePanel(workspace)
    for widget in (growth, compare, panel):
        qtbot.addWidget(widget)
    panel.show()
    qtbot.waitUntil(lambda: "text" in told)
    monkeypatch.setattr(panel, "render", lambda picture: told.append("rendered"))
    preloader = Preloader(workspace, growth, compare, [panel], LazyPanels({}, {}))
    growth.ensure_plot()
    preloader.begin()
    qtbot.waitUntil(lambda: "kernels" in told)
    assert "rendered" not in told
