"""The links between panels: the panel that a click in another one shows, and the palette's entries
of panels.
Each panel follows the selection (`workspace.selection`) by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bpe_studio.engine.encoding.border import TextBorder
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.question import ask_for_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractItemView, QMenu

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.explain.comparison.suggestions import Suggestion
    from bpe_studio.explain.text_search import FoundText
    from bpe_studio.explain.vocabulary import TokenState
    from bpe_studio.gui.command_palette.entries import Entry
    from bpe_studio.gui.command_palette.palette import CommandPalette
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.gui.views.lazy_panels import LazyPanels
    from bpe_studio.workspace.corpus.place_lines import FoundPlaces
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace


class PanelLinks(QObject):
    """Connects the panels of a window with each other.

    Args:
        workspace: the run, the corpus and the selection.
        panels: the panels.
        views: brings them to the front.
        tables: the tables in which a click shows why.
    """

    def __init__(
        self,
        workspace: Workspace,
        panels: LazyPanels,
        views: Views,
        tables: Iterable[QAbstractItemView],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._panels = panels
        self._views = views
        self._searching: LatestAnswer | None = None
        for table in tables:
            table.clicked.connect(self.show_why)
            table.activated.connect(self.show_why)
        panels.made.connect(self._on_made)
        workspace.selection.changed.connect(self._on_selected)

    def offer(self, palette: CommandPalette) -> None:
        """Add the entries of panels and the search for tokens and words to the palette."""
        palette.add_provider(self._never_used)
        palette.add_provider(self._branches)
        palette.add_provider(self._suggested_runs)
        palette.add_provider(self._bookmarks)
        palette.add_provider(self._tokenizers)
        self._palette = palette
        palette.set_search(self._search)

    @Slot(str)
    def _on_made(self, key: str) -> None:
        if key == "skyline":
            from bpe_studio.gui.skyline.panel import SkylinePanel

            skyline = self._panels.typed(key, SkylinePanel)
            skyline.merge_selected.connect(self._on_joint_selected)
            skyline.token_selected.connect(self._workspace.selection.select_token)
            skyline.border_selected.connect(self._on_border_selected)
            self._on_selected(self._workspace.selection.current)
        elif key == "why":
            from bpe_studio.gui.why.panel import WhyPanel

            why = self._panels.typed(key, WhyPanel)
            why.concordance_requested.connect(partial(self._views.show_panel, "lines"))
        elif key == "doctor":
            from bpe_studio.gui.doctor.panel import DoctorPanel

            doctor = self._panels.typed(key, DoctorPanel)
            doctor.tokens_requested.connect(self.show_vocabulary)
            doctor.why_requested.connect(self.show_why)
        elif key == "inspection":
            from bpe_studio.gui.corpus.inspection_panel import InspectionPanel

            inspection = self._panels.typed(key, InspectionPanel)
            inspection.compare_requested.connect(self.compare_with)
            inspection.lines_requested.connect(self.show_places)
            inspection.why_requested.connect(self.show_why)
        elif key == "branches":
            from bpe_studio.gui.compare.difference_page import DifferencePage
            from bpe_studio.gui.compare.panel import ComparePanel

            page = self._panels.typed(key, DifferencePage)
            compare = self._panels.typed("compare", ComparePanel)
            page.vocabulary_requested.connect(self.show_all_tokens)
            compare.pair_changed.connect(page.show_pair)
            page.show_pair(compare.pair)

    @Slot(object, int)
    @Slot(object)
    def show_vocabulary(
        self, state: TokenState | None = None, rare_below: int | None = None
    ) -> None:
        """Bring the vocabulary to the front, filtered by a state.

        Args:
            state: the state of the tokens that are shown; None for all.
            rare_below: the count below which a token is rare; None to leave it.
        """
        from bpe_studio.gui.vocabulary.panel import VocabularyPanel

        self._views.show_panel("vocabulary")
        self._panels.typed("vocabulary", VocabularyPanel).show_only(state, rare_below)

    @Slot(object)
    def show_places(self, places: FoundPlaces) -> None:
        """Show the lines of a finding in the concordance."""
        from bpe_studio.gui.corpus.concordance_panel import ConcordancePanel

        self._views.show_panel("lines")
        self._panels.typed("lines", ConcordancePanel).show_places(places)

    def show_panel(self, key: str) -> None:
        """Bring a panel to the front."""
        self._views.show_panel(key)

    def show_in_vocabulary(self, token: int) -> None:
        """Bring the vocabulary to the front, with all tokens, and select one of them."""
        self.show_vocabulary()
        self._workspace.selection.select_token(token)

    def compare_runs(self, left: int, right: int) -> None:
        """Bring a comparison of two runs to the front."""
        from bpe_studio.gui.compare.panel import ComparePanel

        self._views.show_panel("branches")
        self._panels.typed("compare", ComparePanel).choose(f"run {left}", f"run {right}")

    def rename_run(self, number: int) -> None:
        """Ask for a new name for a run."""
        runs = self._workspace.runs
        name = next(each.name for each in runs.entries if each.number == number)
        rename = partial(runs.rename, number)
        ask_for_text(
            self._views.window(), "runs.rename", "Rename run", "Name of the run", rename, name
        )

    @Slot(object)
    def compare_with(self, number: int) -> None:
        """Bring a comparison of the shown run and another one to the front."""
        shown = self._workspace.runs.shown
        if shown is not None:
            self.compare_runs(shown.number, number)

    @Slot()
    def compare_branch(self) -> None:
        """Bring a comparison of the shown branch and the run that it branched from to the front."""
        shown = self._workspace.runs.shown
        if shown is not None and shown.parent is not None:
            self.compare_runs(shown.parent, shown.number)

    @Slot()
    def compare_texts(self) -> None:
        """Bring the typed text, side by side at several sizes, to the front."""
        from bpe_studio.gui.compare.panel import TEXT, ComparePanel

        self._views.show_panel("compare")
        self._panels.typed("compare", ComparePanel).show_page(TEXT)

    @Slot()
    def show_every_tokenizer(self) -> None:
        """Bring the typed text in every known tokenizer to the front."""
        from bpe_studio.gui.compare.panel import TOKENIZERS, ComparePanel

        self._views.show_panel("compare")
        self._panels.typed("compare", ComparePanel).show_page(TOKENIZERS)

    @Slot()
    def show_all_tokens(self) -> None:
        """Bring every token of the step to the front."""
        self.show_vocabulary()

    @Slot()
    def show_why(self) -> None:
        """Bring the answers about the selection to the front."""
        self._views.show_panel("why")

    @Slot(object)
    def _on_joint_selected(self, rank: int) -> None:
        self._workspace.selection.select_merge(rank)
        self.show_why()

    @Slot(object)
    def _on_border_selected(self, border: TextBorder) -> None:
        self._workspace.selection.select_border(border.piece, border.place, border.following)
        self.show_why()

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        if "skyline" in self._panels.waiting():
            return
        from bpe_studio.gui.skyline.panel import SkylinePanel

        tokens: tuple[int, ...] = ()
        border = None
        if selected is not None:
            tokens = (selected.left, selected.right) if selected.token < 0 else (selected.token,)
            if selected.piece:
                border = TextBorder(selected.piece, selected.place, selected.following)
        skyline = self._panels.typed("skyline", SkylinePanel)
        skyline.show_selected(frozenset(token for token in tokens if token >= 0))
        skyline.view.show_border(border)

    def _never_used(self) -> Iterator[Entry]:
        from bpe_studio.explain.vocabulary import TokenState
        from bpe_studio.gui.command_palette.entries import Entry

        run = self._workspace.run
        why_not = "" if run is not None and has_pairs(run) else "open a text first"
        yield Entry(
            "vocabulary.never_used",
            "Vocabulary: Never used",
            partial(self.show_vocabulary, TokenState.unused),
            "Shows the tokens that do not occur in the corpus at the step",
            synonyms="unused dead tokens zero",
            why_not=partial(str, why_not),
        )

    def _branches(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry

        shown = self._workspace.runs.shown
        if shown is None:
            return
        for branch in self._workspace.runs.entries:
            is_shown = branch.number == shown.number
            kind = "Run" if branch.parent is None else "Branch"
            why_not = "it is already shown" if is_shown else ""
            yield Entry(
                f"branch.{branch.number}",
                f"{kind}: {branch.name}",
                partial(self._workspace.runs.show, branch.number),
                "Shows this run or branch at the step where it was left",
                why_not=partial(str, why_not),
            )

    def _suggested_runs(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry
        from bpe_studio.gui.runs.new_run_dialog import suggested, why_no_new_run

        if self._workspace.run is None:
            return
        for each in suggested(self._workspace):
            yield Entry(
                f"new_run.{each.key}",
                f"New run: {each.title}",
                partial(self._start_comparison_run, each.config, each.name),
                f"Trains the same text with {each.tip} and compares the two runs",
                why_not=partial(why_no_new_run, self._workspace, each.config),
            )

    def add_suggested_runs(self, menu: QMenu) -> None:
        """Add the suggested runs to a menu; each entry trains a run and compares it."""
        from bpe_studio.gui.runs.new_run_dialog import add_suggestions

        def train(suggestion: Suggestion) -> None:
            self._start_comparison_run(suggestion.config, suggestion.name)

        add_suggestions(menu, self._workspace, train)

    def _start_comparison_run(self, config: TrainingConfig, name: str) -> None:
        self._views.show_panel("branches")
        self._workspace.side_runs.train(config, name)

    def _bookmarks(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry

        for mark in self._workspace.marks.bookmarks:
            step = number(mark.step)
            yield Entry(
                f"bookmark.{mark.step}",
                f"Bookmark: {mark.name} (step {step})",
                partial(self._workspace.transport.go_to, mark.step),
                "Goes to this bookmark",
            )

    def _tokenizers(self) -> Iterator[Entry]:
        from bpe_studio.gui.command_palette.entries import Entry

        for each in self._workspace.tokenizers.entries:
            yield Entry(
                f"tokenizer.{each.number}",
                f"Tokenizer: {each.name}",
                partial(self._views.show_panel, "compare"),
                "Shows the comparison with this tokenizer",
            )

    def _search(self, text: str) -> None:
        """Search the tokens and words; only the last text is answered."""
        if self._searching is None:
            from bpe_studio.explain.text_search import TextSearch

            self._searching = LatestAnswer(TextSearch().find, self)
            self._searching.answered.connect(self._on_found)
        info = self._workspace.corpus
        corpus = info.corpus if info is not None else None
        self._searching.ask(text, self._workspace.run, corpus)

    @Slot(object)
    def _on_found(self, found: FoundText) -> None:
        self._palette.show_found(
            found.text, [*self._token_entries(found.tokens), *self._word_entries(found.words)]
        )

    def _token_entries(self, tokens: Iterable[int]) -> Iterator[Entry]:
        from bpe_studio.explain.names import display_name, isolated
        from bpe_studio.gui.command_palette.entries import Entry

        run = self._workspace.run
        if run is None:
            return
        for token in tokens:
            rank = run.rank_of(token)
            made = f"merge {number(rank + 1)}" if rank >= 0 else "alphabet"
            yield Entry(
                "",
                f"Token: {isolated(display_name(run, token))}",
                partial(self._show_token, token),
                "Selects this token and shows how it was made",
                made,
            )

    def _word_entries(self, words: Iterable[int]) -> Iterator[Entry]:
        from bpe_studio.explain.names import display_token, isolated
        from bpe_studio.gui.command_palette.entries import Entry

        info = self._workspace.corpus
        if info is None:
            return
        for word in words:
            name = isolated(display_token(info.corpus.pre_token_bytes(word)))
            yield Entry(
                "",
                f"Word: {name}",
                partial(self._show_word, word),
                "Selects this word and shows its merges",
                f"{number(int(info.corpus.counts[word]))} ×",
            )

    def _show_token(self, token: int) -> None:
        self._workspace.selection.select_token(token)
        self.show_why()

    def _show_word(self, word: int) -> None:
        self._workspace.selection.select_word(word)
        self.show_why()
