"""The pages of the comparison, behind one row of tabs; each has the whole width of the view.

The numbers exist from the beginning. The rest is imported and created when it is first needed, because it is not
visible before a text is open, and the window is painted before. The pages Tokens and Runs are those of the panel
`runs`, which is made by the window (`hold_runs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.controls import finish_controls, finish_in_steps, named
from bpe_studio.gui.widgets.tab_bar import SteadyTabBar

if TYPE_CHECKING:
    from bpe_studio.gui.sizes.advice_tab import AdviceTab
    from bpe_studio.gui.sizes.curve_tab import CurveTab
    from bpe_studio.gui.sizes.text_columns import TextColumns
    from bpe_studio.gui.sizes.words_tab import WordsTab
    from bpe_studio.workspace.workspace import Workspace

W = TypeVar("W", bound=QWidget)
NUMBERS, CURVE, TEXT, WORDS, TOKENS, RUNS, ADVICE = "Numbers", "Curve", "Text", "Words", "Tokens", "Runs", "Advice"
OF_TWO_RUNS = (TOKENS, RUNS)
"""The pages that compare two runs, in detail."""


class ComparePages(QTabWidget):
    """The pages.

    Signals:
        made: the contents of the pages were created.
        runs_page_changed: str, the page of two runs that is shown now.
    """

    made = Signal()
    runs_page_changed = Signal(str)

    def __init__(self, workspace: Workspace, numbers: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.are_made = False
        self._runs: QWidget | None = None
        self._last = {False: NUMBERS, True: RUNS}
        named(self, "compare.tabs", "What is compared")
        self.setTabBar(SteadyTabBar(self))
        self.setDocumentMode(True)
        bar = named(self.tabBar(), "compare.tab_bar", "What is compared")
        bar.setDrawBase(False)
        bar.setStyleSheet(f"{theme.TAB_BAR_STYLE} QTabBar::tab:first {{ margin-left: 0; }}")
        self._rooms = {title: _Room() for title in (NUMBERS, CURVE, TEXT, WORDS, TOKENS, RUNS, ADVICE)}
        self._rooms[NUMBERS].hold(numbers)
        for title, room in self._rooms.items():
            self.addTab(room, title)
        self.setCurrentIndex(0)
        self.currentChanged.connect(self._on_current_changed)

    def make(self) -> None:
        """Create the contents, once."""
        if self.are_made:
            return
        self.are_made = True
        for title, part in ((CURVE, self.curve), (TEXT, self.texts), (WORDS, self.words), (ADVICE, self.advice)):
            self._rooms[title].hold(part)
            finish_controls(part)
        self.made.emit()

    def make_in_steps(self) -> Iterator[None]:
        """Create the contents, once, in pieces of a few milliseconds."""
        for name in ("curve", "texts", "words"):
            part: QWidget = getattr(self, name)
            yield
            yield from finish_in_steps(part)
        yield from self._advice.making
        yield from finish_in_steps(self._advice)
        self.make()

    @cached_property
    def texts(self) -> TextColumns:
        """The columns of text."""
        from bpe_studio.gui.sizes.text_columns import TextColumns

        return _hidden(TextColumns(self.tabBar, self))

    @cached_property
    def words(self) -> WordsTab:
        """The longest words."""
        from bpe_studio.gui.sizes.words_tab import WordsTab

        return _hidden(WordsTab(self))

    @cached_property
    def curve(self) -> CurveTab:
        """The curve over all sizes."""
        from bpe_studio.gui.sizes.curve_tab import CurveTab

        return _hidden(CurveTab(self._workspace, self))

    @property
    def advice(self) -> AdviceTab:
        """The advisor."""
        for _ in self._advice.making:
            pass
        return self._advice

    @cached_property
    def _advice(self) -> AdviceTab:
        from bpe_studio.gui.sizes.advice_tab import AdviceTab

        return _hidden(AdviceTab(self._workspace, self))

    def hold_runs(self, runs: QWidget) -> None:
        """Show the comparison of two runs in its two pages; it is one widget, which is in the page that is shown."""
        self._runs = runs
        self._rooms[self._last[True]].hold(runs)

    @property
    def page(self) -> str:
        """The title of the page that is shown."""
        return list(self._rooms)[self.currentIndex()]

    @property
    def runs_page(self) -> str:
        """The page of two runs that is shown, or was shown last."""
        return self._last[True]

    def show_page(self, title: str) -> None:
        """Bring a page to the front."""
        self.setCurrentWidget(self._rooms[title])

    def show_pages_of_runs(self, are_wanted: bool) -> None:
        """Bring a page of two runs to the front, or one of the others; the last one that was shown."""
        if (self.page in OF_TWO_RUNS) is not are_wanted:
            self.show_page(self._last[are_wanted])

    @Slot(int)
    def _on_current_changed(self) -> None:
        page = self.page
        is_of_runs = page in OF_TWO_RUNS
        self._last[is_of_runs] = page
        if is_of_runs:
            if self._runs is not None:
                self._rooms[page].hold(self._runs)
            self.runs_page_changed.emit(page)


def _hidden(part: W) -> W:
    """A new part, hidden until its page holds it: the pages may be shown before."""
    part.hide()
    return part


class _Room(QWidget):
    """A margin above the content of a page, or an empty space for it."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 8, 0, 0)

    def hold(self, content: QWidget) -> None:
        self._layout.addWidget(content)
        content.show()  # Qt hides what comes from another page, until later
