"""Two runs compared, as the panel shows it: what is compared, what sets them apart, and the tabs with the details."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from bpe_studio.explain.runs.comparison import RunComparison
from bpe_studio.gui.look import theme
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

_CLOSE_TABS = "QTabBar::tab { margin-right: 10px; } QTabBar::tab:first { margin-left: 0; }"


LEAST_PX = 150


class ComparisonView(QWidget):
    """The facts next to the tabs, the curve below them; where there is no room, each behind a tab of its own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_wide: bool | None = None
        self.choice = RunChoice(self)
        self.facts = RunSummary(self)
        self._facts_area = scrolled(self.facts, "branches.facts_area")
        finish_controls(self._facts_area)  # until it is arranged it is in no window
        self._facts_area.setMinimumWidth(self.facts.minimumSizeHint().width())
        self.why = DivergenceView(self)
        self.settings = SettingsTable(self)
        self.own = (OwnTokensView("left", self), OwnTokensView("right", self))
        self.texts = DifferingTexts(self)
        self.note = named(Note("", "help", self), "branches.note", "Whether the comparison is up to date")
        self.note.hide()
        self._tokens = QWidget(self)
        lists = QHBoxLayout(self._tokens)
        lists.setContentsMargins(0, 0, 0, 0)
        lists.setSpacing(12)
        for each in self.own:
            lists.addWidget(each, 1)
        self.tabs = named(QTabWidget(self), "branches.tabs", "What is compared")
        self.tabs.setDocumentMode(True)
        self.tabs.setMinimumHeight(LEAST_PX)  # less than its tables ask for with a large font: they scroll
        bar = named(self.tabs.tabBar(), "branches.tab_bar", "What is compared")
        bar.setDrawBase(False)
        bar.setStyleSheet(theme.TAB_BAR_STYLE + _CLOSE_TABS)
        pages = ((self.why, "Why"), (self._tokens, "Tokens"), (self.texts, "Text"), (self.settings, "Settings"))
        for page, title in pages:
            self.tabs.addTab(_padded(page), title)
        self._facts_tab, self._curve_tab = _padded(), _padded()
        self._beside = Splitter(Qt.Orientation.Horizontal)
        self._beside.addWidget(self.tabs)
        column(self.choice, (self._beside, 1), self.note, parent=self)

    def arrange(self, is_wide: bool) -> None:
        """Put the facts and the curve next to the tabs, or behind tabs of their own."""
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        if is_wide:
            for page in (self._facts_tab, self._curve_tab):
                self.tabs.removeTab(self.tabs.indexOf(page))
            self.facts.take_curve()
            self._beside.insertWidget(0, self._facts_area)
            width = self.window().width()
            self._beside.setSizes([width * 3 // 10, width * 4 // 10])
            self._facts_area.show()
        else:
            for page, content in ((self._facts_tab, self._facts_area), (self._curve_tab, self.facts.curve)):
                layout = page.layout()
                assert layout is not None
                layout.addWidget(content)
            self.tabs.insertTab(0, self._facts_tab, "Difference")
            self.tabs.insertTab(2, self._curve_tab, "Overlap")
            self.tabs.setCurrentIndex(0)

    def show_difference(self, difference: RunComparison | None) -> None:
        """Show another comparison, or none."""
        self.facts.show_difference(difference)
        self.why.show_words(None if difference is None else difference.divergence)
        self.settings.show_settings(None if difference is None else difference.settings)
        self.texts.show_difference(difference)
        for k, view in enumerate(self.own):
            if difference is None:
                view.show_tokens(None, 0)
            else:
                own = difference.own[k]
                view.show_tokens(own, difference.found.n_common + len(own.tokens))


def _padded(content: QWidget | None = None) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 8, 0, 0)
    if content is not None:
        layout.addWidget(content)
    return page
