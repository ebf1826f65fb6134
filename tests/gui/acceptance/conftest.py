"""Acceptance tests: what a person does, on the whole window, by what a mouse and a keyboard can do
(`hand.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QContextMenuEvent

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State
from tests.gui.acceptance.lasting_window import lasting_windows
from tests.gui.hand import ALT, CONTROL, Hand

FOLDER = Path(__file__).parent
PATIENCE_MS = 20_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(
                pytest.mark.slow(
                    buys="each builds a whole window and learns a text as a person does"
                )
            )


class Person(Hand):
    """A hand that knows its way about this window.

    Attributes:
        workspace: what is open, to look at only.
        panels: the panels, to look at only.
    """

    def __init__(self, window: MainWindow, qtbot) -> None:
        super().__init__(window, lambda is_so: qtbot.waitUntil(is_so, timeout=PATIENCE_MS))
        self.workspace = window.workspace
        self.panels = window.panels

    def wait(self, is_so) -> None:
        """Wait until something is so."""
        self.wait_until(is_so)

    def open_sample(self, name: str) -> None:
        """Click on a sample of the start page.

        If a text is open already, the sample is opened in its place.
        """
        before = self.workspace.run
        if before is None:
            self.click(f"start.sample.{name}")
        else:
            self.workspace.opener.open_sample(name)
        self.wait(
            lambda: (
                self.workspace.run is not before
                and self.workspace.state is State.ready
                and self.panels["merges"].isVisible()
            )
        )
        self.rest()

    def learn(self) -> None:
        """Press F5 and wait for the end of the run, or a stop."""
        n_merges = self.workspace.n_merges
        self.key(Qt.Key.Key_F5)
        self.wait(
            lambda: (
                self.workspace.n_merges > n_merges
                and self.workspace.state in (State.done, State.paused)
            )
        )
        self.rest()

    def go_to(self, step: int) -> None:
        """Type a step."""
        self.key(Qt.Key.Key_G, CONTROL)
        self.type(str(step))
        self.key(Qt.Key.Key_Return)
        self.rest()
        assert self.step == step

    def go_to_end(self) -> None:
        """Press Alt+End."""
        self.key(Qt.Key.Key_End, ALT)
        self.rest()

    @property
    def step(self) -> int:
        """The step that stands above the timeline."""
        return int(self.text("transport.jump_to").replace(",", ""))

    def rest(self) -> None:
        """Let every panel that is in sight get up to date."""
        panels = self.panels
        for panel, is_there in (
            (panels["candidates"], lambda: panels["candidates"].is_up_to_date),
            (
                panels["why"],
                lambda: panels["why"].is_up_to_date and not panels["why"]._turn.is_waiting,
            ),
            (panels["skyline"], lambda: panels["skyline"].is_up_to_date),
            (panels["words"], lambda: panels["words"].is_up_to_date),
            (
                panels["lines"],
                lambda: panels["lines"].is_up_to_date and not panels["lines"].is_searching,
            ),
        ):
            if not panel.visibleRegion().isEmpty():
                self.wait(
                    is_there
                    if panel is not panels["lines"]
                    else lambda: _are_lines_there(panels["lines"])
                )
        editor = self.window.text_panel.editor
        self.wait(lambda: editor.step == self.workspace.step)

    def show_run(self, place: int) -> None:
        """Choose a run of the list above the timeline, by keys."""
        chooser = self.find("run.chooser")
        chooser.setFocus(Qt.FocusReason.TabFocusReason)
        self.key(Qt.Key.Key_Home)
        for _ in range(place):
            self.key(Qt.Key.Key_Down)
        self.rest()

    def ask_for_menu(self, name: str) -> None:
        """Click on a widget with the right button."""
        widget = self.find(name)
        at = widget.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
        QCoreApplication.sendEvent(widget, event)

    def joint_place(self, rank: int):
        """Where the joint of a merge stands in the skyline, scrolled into sight."""
        view = self.panels["skyline"].view
        picture = view.picture
        gap = next(gap for gap in picture.joints().tolist() if picture.joint(gap).rank == rank)
        place = picture.place_of(gap)
        at = place.center()
        at.setY(place.top())
        return at - view._seen().topLeft()


def _are_lines_there(panel) -> bool:
    return panel.is_up_to_date and not panel.is_searching


@pytest.fixture(scope="package")
def lasting_window(qapp, request, tmp_path_factory):
    """A whole window for all tests of this folder, which puts it back before each."""
    yield from lasting_windows(request, tmp_path_factory)


@pytest.fixture
def person(lasting_window, qtbot):
    """A person in front of the window, in which all is as at the beginning, until the test opens a
    text.
    """
    lasting_window.put_back(qtbot)
    return Person(lasting_window.window, qtbot)


@pytest.fixture
def opened(lasting_window, person):
    """Opens a sample, trained to the end."""

    def open_trained(sample: str) -> Person:
        lasting_window.open_trained(sample, lambda: (person.open_sample(sample), person.learn()))
        person.rest()
        workspace = person.workspace
        assert workspace.state is State.done and len(workspace.runs.entries) == 1
        assert workspace.selection.current is None and person.step == workspace.n_merges == len(
            workspace.run.merges
        )
        return person

    return open_trained


@pytest.fixture
def reader(opened):
    """A person who has the English sample open, trained to the end.

    All else is as at the beginning.
    """
    return opened("english")
