"""Two runs compared, as the panel shows it: what is compared, and a page with the details.

The page Runs has what sets them apart: facts, why they diverge, and the settings that differ. The page Tokens has what
each makes of the text: the tokens that only one has, how much the vocabularies overlap, and the text as both cut it.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from bpe_studio.explain.runs.comparison import RunComparison
from bpe_studio.explain.runs.vocabularies import VocabularyComparison
from bpe_studio.gui.runs.compare.choice import RunChoice
from bpe_studio.gui.runs.compare.divergence_view import DivergenceView
from bpe_studio.gui.runs.compare.settings_table import SettingsTable
from bpe_studio.gui.runs.compare.summary import RunSummary
from bpe_studio.gui.runs.compare.text import DifferingTexts
from bpe_studio.gui.runs.compare.unique_tokens import OwnTokensView
from bpe_studio.gui.widgets.containers import column, scrolled
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.splitter import Splitter

TOKENS, RUNS = "Tokens", "Runs"
LEAST_PX = 90
"""The height below which a part of a page cannot be used."""


class ComparisonView(QWidget):
    """The choice of two runs, above one of the two pages.

    Attributes:
        making: the rest of the construction, in pieces of a few milliseconds.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.making = self._make()

    def _make(self) -> Iterator[None]:
        self.choice = RunChoice(self)
        yield
        self.facts = RunSummary(self)
        self.curve = self.facts.curve
        yield
        self.why = DivergenceView(self)
        yield
        self.settings = SettingsTable(self)
        yield
        self.own = (OwnTokensView("left", self), OwnTokensView("right", self))
        yield
        self.texts = DifferingTexts(self)
        yield
        self.note = named(Note("", "help", self), "branches.note", "Whether the comparison is up to date")
        self.note.hide()
        self._pages = QStackedWidget(self)
        self._of_runs = self._made_of_runs()
        yield
        self._of_tokens = self._made_of_tokens()
        yield
        for page in (self._of_runs, self._of_tokens):
            self._pages.addWidget(page)
        column(self.choice, (self._pages, 1), self.note, parent=self)

    def _made_of_runs(self) -> QWidget:
        area = scrolled(self.facts, "branches.facts_area")
        finish_controls(area)  # until it is arranged it is in no window
        area.setMinimumWidth(self.facts.minimumSizeHint().width())
        reasons = _split(Qt.Orientation.Vertical, (self.why, 3), (self.settings, 2))
        return _split(Qt.Orientation.Horizontal, (area, 4), (reasons, 6))

    def _made_of_tokens(self) -> QWidget:
        tokens = _split(Qt.Orientation.Horizontal, (self.own[0], 3), (self.own[1], 3), (self.curve, 4))
        return _split(Qt.Orientation.Vertical, (tokens, 3), (self.texts, 2))

    def show_page(self, title: str) -> None:
        """Show one of the two pages."""
        self._pages.setCurrentWidget(self._of_tokens if title == TOKENS else self._of_runs)

    def show_vocabularies(self, found: VocabularyComparison) -> None:
        """Show a comparison with a tokenizer, on the page Tokens; it has no merges to compare."""
        self.show_difference(None)
        self.curve.hide()
        self.texts.show_difference(found)
        for view, own, n_shared in zip(self.own, found.own, found.n_shared, strict=True):
            view.show_tokens(own, n_shared + len(own.tokens))

    def show_difference(self, difference: RunComparison | None) -> None:
        """Show another comparison, or none."""
        self.curve.show()
        self.facts.show_difference(difference)
        if difference is None:
            self.why.show_words(None)
        else:
            first, second = (side.run for side in difference.sides)
            self.why.show_words(difference.divergence, (first, second))
        self.settings.show_settings(None if difference is None else difference.settings)
        self.texts.show_difference(difference)
        for k, view in enumerate(self.own):
            if difference is None:
                view.show_tokens(None, 0)
            else:
                own = difference.own[k]
                view.show_tokens(own, difference.found.n_common + len(own.tokens))


def _split(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> Splitter:
    splitter = Splitter(orientation)
    for number, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(number, share)
        splitter.setCollapsible(number, False)
        if orientation is Qt.Orientation.Vertical:
            part.setMinimumHeight(LEAST_PX)  # less than its tables ask for with a large font: they scroll
    splitter.setSizes([100 * share for _, share in parts])
    return splitter
