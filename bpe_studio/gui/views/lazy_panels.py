"""The panels of the window; some are made only when there is something to show in them.

What a panel needs to be imported costs more than the rest of the start. Those that show nothing without a corpus are
made when a person first sees their place, or before, one after another, while the start page is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_studio.gui.widgets.controls import finish_in_steps

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace


P = TypeVar("P", bound=QWidget)
Making = Generator[None, None, QWidget]
"""Makes a panel, in pieces of a few milliseconds, and returns it.

A panel that takes longer has an argument `at_once`, and an attribute `making` with the rest of its construction. What
its handlers of events use is there before: it may get another size, font or colours while it is hidden and half made.
"""


def makers(workspace: Workspace) -> dict[str, Callable[[QWidget], Making]]:
    """What makes the panels that can wait; each is imported when it is made."""

    def skyline(parent: QWidget) -> Making:
        from bpe_studio.gui.skyline.panel import SkylinePanel

        yield
        return SkylinePanel(workspace, parent)

    def why(parent: QWidget) -> Making:
        from bpe_studio.gui.why.panel import WhyPanel

        yield
        panel = WhyPanel(workspace, parent, at_once=False)
        panel.hide()  # until it is made, also if its place is shown
        yield from panel.making
        return panel

    def marks(parent: QWidget) -> Making:
        from bpe_studio.gui.marks.panel import MarksPanel

        yield
        return MarksPanel(workspace, parent)

    def difference(parent: QWidget) -> Making:
        from bpe_studio.gui.compare.difference_page import DifferencePage

        yield
        return DifferencePage(workspace, parent)

    def lines(parent: QWidget) -> Making:
        from bpe_studio.gui.corpus.concordance_panel import ConcordancePanel

        yield
        return ConcordancePanel(workspace, parent)

    def doctor(parent: QWidget) -> Making:
        from bpe_studio.gui.doctor.panel import DoctorPanel

        yield
        return DoctorPanel(workspace, parent)

    def inspection(parent: QWidget) -> Making:
        from bpe_studio.gui.corpus.inspection_panel import InspectionPanel

        yield
        return InspectionPanel(workspace, parent)

    def enough(parent: QWidget) -> Making:
        from bpe_studio.gui.corpus.enough_panel import EnoughPanel

        yield
        return EnoughPanel(workspace, parent)

    return {
        "skyline": skyline,
        "why": why,
        "marks": marks,
        "branches": difference,
        "lines": lines,
        "doctor": doctor,
        "inspection": inspection,
        "enough": enough,
    }


class LazyPanels(QObject):
    """The panels by their keys; asking for one makes it, and so does showing its place.

    Args:
        panels: those that are made.
        makers: what makes each of the others.

    Signals:
        made: str, the key of a panel that has just been made.
    """

    made = Signal(str)

    def __init__(
        self,
        panels: Mapping[str, QWidget],
        makers: Mapping[str, Callable[[QWidget], Making]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panels = dict(panels)
        self._makings = {key: self._make(key, make) for key, make in makers.items()}
        self._holders = {key: _Holder(partial(self.__getitem__, key)) for key in makers}

    def __getitem__(self, key: str) -> QWidget:
        for _ in self.make_in_steps(key):
            pass
        return self._panels[key]

    def make_in_steps(self, key: str) -> Iterator[None]:
        """Makes a panel, or what is left of it to make, in pieces of a few milliseconds."""
        # Not `yield from`, which would end the making together with the one who waits for it.
        for _ in self._makings.get(key, ()):
            yield

    def _make(self, key: str, make: Callable[[QWidget], Making]) -> Iterator[None]:
        panel = yield from make(self._holders[key])
        yield
        del self._makings[key]
        self._panels[key] = panel
        self._holders[key].hold(panel)
        for part in filter(None, (panel, self.heading_items(key))):
            yield from finish_in_steps(part)
        self.made.emit(key)

    def typed(self, key: str, kind: type[P]) -> P:
        """A panel as what it is, so that a type checker knows it too."""
        panel = self[key]
        assert isinstance(panel, kind)
        return panel

    def __iter__(self) -> Iterator[str]:
        return iter((*self._panels, *self._makings))

    def values(self) -> list[QWidget]:
        """Every panel; those that are not made yet are made."""
        return [self[key] for key in self]

    def waiting(self) -> list[str]:
        """The keys of the panels that are not made."""
        return list(self._makings)

    def place(self, key: str) -> QWidget:
        """What a view holds: the panel, or the container that it will be put in."""
        return self._holders.get(key) or self._panels[key]

    def made_panel(self, key: str) -> QWidget | None:
        """A panel, if it is made."""
        return self._panels.get(key)

    def heading_items(self, key: str) -> QWidget | None:
        """The controls that a panel has for the line of its title; None where it has none, or is not made yet."""
        panel = self._panels.get(key)
        return panel.heading_items if isinstance(panel, HasHeading) else None


@runtime_checkable
class HasHeading(Protocol):
    """A panel that has controls for the line of its title.

    Attributes:
        heading_items: the widget that holds them; as wide as the heading has room.
    """

    heading_items: QWidget


@runtime_checkable
class HasPages(Protocol):
    """A panel whose pages are panels."""

    def bring(self, key: str) -> None:
        """Bring a page, or what is the panel's own, to the front."""


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
