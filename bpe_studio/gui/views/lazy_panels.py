"""The panels of the window; some are made only when they have something to show.

Importing the modules of panels costs more than the rest of the start. So panels that show nothing
without a corpus are made when their place is first shown, or earlier, one after another, while the
start page is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_studio.gui.widgets.controls import finish_controls

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace


P = TypeVar("P", bound=QWidget)


_WAITING = {
    "skyline": "skyline.panel:SkylinePanel",
    "why": "why.panel:WhyPanel",
    "marks": "marks.panel:MarksPanel",
    "branches": "compare.difference_page:DifferencePage",
    "lines": "corpus.concordance_panel:ConcordancePanel",
    "doctor": "doctor.panel:DoctorPanel",
    "inspection": "corpus.inspection_panel:InspectionPanel",
    "enough": "corpus.enough_panel:EnoughPanel",
}
"""The panels that can wait: the module of `gui` and the class of each."""


def makers(workspace: Workspace) -> dict[str, Callable[[QWidget], QWidget]]:
    """Functions that make the panels that can wait; each is imported when it is made."""

    def make(place: str, parent: QWidget) -> QWidget:
        module, _, name = place.partition(":")
        panel: QWidget = getattr(import_module(f"bpe_studio.gui.{module}"), name)(workspace, parent)
        return panel

    return {key: partial(make, place) for key, place in _WAITING.items()}


class LazyPanels(QObject):
    """The panels by their keys; a request for one makes it, and so does showing its place.

    Args:
        panels: the panels that are made already.
        makers: functions that make the others.

    Signals:
        made: str, the key of a panel that has just been made.
    """

    made = Signal(str)

    def __init__(
        self,
        panels: Mapping[str, QWidget],
        makers: Mapping[str, Callable[[QWidget], QWidget]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panels = dict(panels)
        self._makers = dict(makers)
        self._holders = {key: _Holder(partial(self.__getitem__, key)) for key in makers}

    def __getitem__(self, key: str) -> QWidget:
        if key in self._makers:
            panel = self._makers.pop(key)(self._holders[key])
            self._panels[key] = panel
            self._holders[key].hold(panel)
            for part in filter(None, (panel, self.heading_items(key))):
                finish_controls(part)
            self.made.emit(key)
        return self._panels[key]

    def typed(self, key: str, kind: type[P]) -> P:
        """A panel with its type, for the type checker."""
        panel = self[key]
        assert isinstance(panel, kind)
        return panel

    def __iter__(self) -> Iterator[str]:
        return iter((*self._panels, *self._makers))

    def values(self) -> list[QWidget]:
        """Every panel; those that are not made yet are made."""
        return [self[key] for key in self]

    def waiting(self) -> list[str]:
        """The keys of the panels that are not made."""
        return list(self._makers)

    def place(self, key: str) -> QWidget:
        """The panel, or the container that will hold it."""
        return self._holders.get(key) or self._panels[key]

    def made_panel(self, key: str) -> QWidget | None:
        """A panel, if it is made."""
        return self._panels.get(key)

    def heading_items(self, key: str) -> QWidget | None:
        """The controls of a panel for its title line; None if it has none or is not made."""
        panel = self._panels.get(key)
        return panel.heading_items if isinstance(panel, HasHeading) else None


@runtime_checkable
class HasHeading(Protocol):
    """A panel that has controls for the line of its title.

    Attributes:
        heading_items: the widget that holds them, as wide as the room in the heading.
    """

    heading_items: QWidget


@runtime_checkable
class HasPages(Protocol):
    """A panel whose pages are panels."""

    def bring(self, key: str) -> None:
        """Bring a page, or the panel itself, to the front."""


class _Holder(QWidget):
    """The container of a panel, which is made when the container is first shown, if not before."""

    def __init__(self, make: Callable[[], object]) -> None:
        super().__init__()
        self._make = make
        self._room = QVBoxLayout(self)
        self._room.setContentsMargins(0, 0, 0, 0)

    def hold(self, panel: QWidget) -> None:
        self._room.addWidget(panel)
        panel.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._make()
