"""Two pages of Compare: a tree of the runs of the open text and their branches, and a comparison of two of them.

The comparison is computed in the thread pool, at a common step, when the panel is visible and no run trains; the old
one stays until the new one is there. The panel shares the selection with the other panels.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.explain.runs.comparison import Comparer, RunComparison, Side
from bpe_studio.explain.runs.vocabularies import VocabularyComparer, VocabularyComparison
from bpe_studio.explain.sizes.others import Other, OtherRun, OtherTokenizer
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel_refresh import Needs, PanelRefresh, resting
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.runs.compare.choice import tokenizer_data
from bpe_studio.gui.runs.compare.view import RUNS, TOKENS, ComparisonView
from bpe_studio.gui.runs.new_run_button import NewRunButton, RunsInvitation
from bpe_studio.gui.runs.tree import RunTree
from bpe_studio.gui.widgets.containers import scrolled
from bpe_studio.gui.widgets.controls import ActionButton, named
from bpe_studio.gui.widgets.splitter import Splitter
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.state import CorpusInfo, OpeningRequest
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

REST_MS = 80
EXCERPT_CHARACTERS = 600
TREE_LEAST_PX, TREE_MOST_PX = 190, 400


class RunsPanel(QWidget):
    """The tree at the left, the comparison at the right; the page Tokens is without the tree.

    Args:
        at_once: false leaves the rest of the construction to `making`.

    Attributes:
        making: the rest of the construction, in pieces of a few milliseconds.

    Signals:
        vocabulary_requested: the user wants to see every token of the run and the step that are shown now.
    """

    vocabulary_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None, *, at_once: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("branches")
        self._workspace = workspace
        self._comparer, self._vocabularies = Comparer(), VocabularyComparer()
        self._page = RUNS
        self._job = LatestAnswer(self._compare, self)
        self._vocabulary_job = LatestAnswer(self._compare_vocabularies, self)
        self._shown_vocabularies: VocabularyComparison | None = None
        self._refresh = PanelRefresh(
            self,
            workspace,
            self._ask,
            at_rest=resting(REST_MS),
            needs=Needs.sight | Needs.no_run,
            held_back=self._hold_back,
        )
        self._turn = RefreshSlot(workspace, self)
        self._asked: tuple[object, ...] | None = None
        self._shown_for: tuple[object, ...] | None = None
        self._answer: tuple[tuple[object, ...] | None, RunComparison] | None = None
        self._shown: RunComparison | None = None
        self._is_cleared = False
        self._known: frozenset[int] = frozenset()
        self._text: OpeningRequest | None = None if workspace.corpus is None else workspace.corpus.request
        self._was_shown = False
        self.making = self._make()
        for _ in self.making if at_once else ():
            pass

    def _make(self) -> Iterator[None]:
        yield from self._build()
        self._connect()
        self._on_branches_changed()

    def _build(self) -> Iterator[None]:
        self.tree = RunTree(self._workspace, self)
        yield
        tree_side = self._tree_side = QWidget(self)
        column = QVBoxLayout(tree_side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.tree, 1)
        self.new = NewRunButton(self._workspace, tree_side)
        row = WrappingRow(tree_side, 4)
        row.add(self.new)
        for action in (self.tree.switch, self.tree.rename, self.tree.remove):
            button = ActionButton(action, tree_side)
            named(button, action.objectName(), f"{action.text()} the chosen branch")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            row.add(button)
        column.addWidget(row)
        yield
        self.view = ComparisonView(self)
        yield from self.view.making
        self.choice, self.note = self.view.choice, self.view.note
        self.facts, self.own, self.texts = self.view.facts, self.view.own, self.view.texts
        self.invitation = RunsInvitation(self._workspace, self)
        self.empty = self.invitation.note
        yield
        self._pages = QStackedWidget(self)
        self._pages.addWidget(scrolled(self.invitation, "branches.invitation_area"))
        compared = QWidget(self)
        page = QVBoxLayout(compared)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(self.view, 1)
        self._pages.addWidget(compared)
        yield
        self._splitter = Splitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(tree_side)
        self._splitter.addWidget(self._pages)
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 5)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._splitter)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.runs.changed.connect(self._on_branches_changed)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.run_grew.connect(self._on_moved)
        workspace.state_changed.connect(self._on_moved)
        workspace.typed_text_changed.connect(self._on_moved)
        workspace.selection.changed.connect(self._show_selected)
        self.choice.changed.connect(self._refresh.request)
        self.facts.divergence_chosen.connect(self._on_divergence_chosen)
        self.facts.vocabulary_requested.connect(self._on_vocabulary_requested)
        self.own[0].selected.connect(self._on_left_selected)
        self.own[1].selected.connect(self._on_right_selected)
        self.own[0].opened.connect(self._on_left_opened)
        self.own[1].opened.connect(self._on_right_opened)
        self._job.answered.connect(self._on_answered)
        self._vocabulary_job.answered.connect(self._on_vocabularies_compared)
        workspace.tokenizers.changed.connect(self._on_branches_changed)
        self._turn.granted.connect(self._show_answer)

    @property
    def shown(self) -> RunComparison | None:
        """The comparison that is shown."""
        return self._shown

    @property
    def is_up_to_date(self) -> bool:
        """Whether the comparison shown is the one that was requested last."""
        shown = self._shown if self.choice.chosen_vocabularies is None else self._shown_vocabularies
        return shown is not None and self._shown_for == self._question()

    @Slot()
    def ask_for_run(self) -> None:
        """Ask for other settings to train on the same text."""
        self.new.ask()

    @Slot(str)
    def show_page(self, title: str) -> None:
        """Show the page Runs with the tree, or the page Tokens without it."""
        self._page = title
        self._tree_side.setVisible(title != TOKENS)
        self.view.show_page(title)
        if title == RUNS and self.choice.chosen_vocabularies is not None:
            self.choice.forget()
        self._on_branches_changed()

    def compare(self, left: int, right: int) -> None:
        """Compare two runs, given by their numbers."""
        self.choice.choose(left, right)
        self._on_branches_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            tree = min(TREE_MOST_PX, max(TREE_LEAST_PX, self.width() * 30 // 100))
            self._splitter.setSizes([tree, self.width() - tree])

    # Slots of the workspace.

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        text = None if info is None else info.request
        if text is self._text and text is not None:
            return  # the same text, cut by another run
        self._text, self._known = text, frozenset()
        self._job.forget()
        self._turn.cancel()
        self._comparer.forget()
        self._vocabulary_job.forget()
        self._vocabularies, self._shown_vocabularies = VocabularyComparer(), None
        self._asked, self._answer = None, None
        self.choice.forget()
        self._show(None)

    @Slot()
    def _on_branches_changed(self) -> None:
        branches, shown = self._workspace.runs.entries, self._workspace.runs.shown
        # A tokenizer has no merges to compare: it is offered on the page of the tokens alone.
        tokenizers = self._workspace.tokenizers.entries if self._page == TOKENS and shown is not None else ()
        has_two = len(branches) > 1 or bool(tokenizers)
        self._pages.setCurrentIndex(int(has_two))
        self.invitation.refresh()
        if not has_two:
            self._job.forget()
            self._comparer.forget()
            self._asked = None
            self._show(None)
        self._choose_new(branches, shown)
        self.choice.show_branches(branches, shown, [(tokenizer_data(each.number), each.name) for each in tokenizers])
        self._refresh.request()

    def _choose_new(self, branches: Sequence[RunEntry], shown: RunEntry | None) -> None:
        """Compare a new side run with the run that is shown."""
        numbers = frozenset(branch.number for branch in branches)
        new = [branch for branch in branches if branch.number not in self._known and branch.is_side_run]
        if self._known and len(new) == 1 and shown is not None and new[0].number != shown.number:
            self.choice.choose(shown.number, new[0].number)
        self._known = numbers

    @Slot()
    def _on_moved(self) -> None:
        self.choice.follow_growth(self._workspace.runs.entries)
        self._refresh.request()

    # The comparison.

    def _question(self) -> tuple[object, ...] | None:
        chosen = self.choice.chosen
        text = self._workspace.typed_text or corpus_excerpt(self._workspace.corpus, EXCERPT_CHARACTERS)
        others = self._chosen_others()
        if others is not None:
            return (*(_identity(other) for other in others), text)
        if chosen is None:
            return None
        a, b = chosen
        return a.number, b.number, a.run, b.run, a.name, b.name, self.choice.steps, text

    def _ask(self) -> None:
        chosen, question, others = self.choice.chosen, self._question(), self._chosen_others()
        if others is not None and question is not None and question != self._asked:
            self._asked = question
            self._say("Comparing …")
            self._vocabulary_job.ask(question, others, self._workspace.typed_text, self._workspace.corpus)
            return
        if chosen is None or question == self._asked:
            self._hold_back()
            return
        self._asked = question
        self._say("Comparing …")
        sides = tuple(Side(branch.number, branch.name, branch.run, branch.config) for branch in chosen)
        self._job.ask(sides, self.choice.steps, self._workspace.typed_text, self._workspace.corpus)

    def _hold_back(self) -> None:
        """Do not compare now, because a run trains or nothing has changed."""
        question = self._question()
        if question is not None and question != self._asked:
            self._say("Updates when paused")
        elif self.note.role != "error" or question != self._asked:
            self._say("")

    def _compare(
        self, sides: tuple[Side, Side], steps: tuple[int, int], typed: str, corpus: CorpusInfo | None
    ) -> RunComparison | str:
        """Compare two runs, in the thread pool; if that fails, the answer is a sentence."""
        try:
            text = typed or corpus_excerpt(corpus, EXCERPT_CHARACTERS)
            return self._comparer.compare(sides, steps, text, is_excerpt=not typed)
        except Exception:
            _log.exception("Two runs could not be compared.")
            return (
                "These two runs could not be compared here: choose another step, or other runs. The details are in the "
                "log."
            )

    def _chosen_others(self) -> tuple[Other, Other] | None:
        """What is compared where one of the two is a tokenizer: it, and the other one or a run at its last step."""
        pair = self.choice.chosen_vocabularies
        if pair is None:
            return None
        known: dict[int, Other] = {
            entry.number: OtherRun(entry.number, entry.name, entry.run, entry.position.n_merges)
            for entry in self._workspace.runs.entries
        }
        known |= {tokenizer_data(each.number): each for each in self._workspace.tokenizers.entries}
        a, b = (known.get(data) for data in pair)
        return None if a is None or b is None else (a, b)

    def _compare_vocabularies(
        self, question: tuple[object, ...], others: tuple[Other, Other], typed: str, corpus: CorpusInfo | None
    ) -> tuple[tuple[object, ...], VocabularyComparison | str]:
        """Compare two vocabularies, in the thread pool; if that fails, the answer has a sentence."""
        try:
            text = typed or corpus_excerpt(corpus, EXCERPT_CHARACTERS)
            return question, self._vocabularies.compare(others, text, is_excerpt=not typed)
        except Exception:
            _log.exception("Two vocabularies could not be compared.")
            return question, "These two could not be compared here: choose others. The details are in the log."

    @Slot(object)
    def _on_vocabularies_compared(self, answer: tuple[tuple[object, ...], VocabularyComparison | str]) -> None:
        question, found = answer
        if question != self._asked or self.choice.chosen_vocabularies is None:
            return
        self._shown = None
        if isinstance(found, str):
            self._show(None)
            self._say(found, "error")
            return
        self._shown_for, self._shown_vocabularies, self._is_cleared = question, found, False
        self._say("")
        self.view.show_vocabularies(found)

    @Slot(object)
    def _on_answered(self, answer: RunComparison | str) -> None:
        # This answers the latest request only.
        if isinstance(answer, str):
            # The old comparison must not be shown below other choices.
            self._show(None)
            self._say(answer, "error")
            return
        self._answer = (self._asked, answer)
        self._turn.request()

    @Slot()
    def _show_answer(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and self.choice.chosen is not None:
            self._shown_for, difference = answer
            self._show(difference)

    def _show(self, difference: RunComparison | None) -> None:
        if difference is None and self._is_cleared:
            self._say("")
            return
        self._is_cleared = difference is None
        self._shown, self._shown_vocabularies = difference, None
        self._say("")
        self.view.show_difference(difference)
        self._show_selected()

    def _say(self, text: str, role: str = "help") -> None:
        self.note.set_message(text, role)
        self.note.setVisible(bool(text) and (self._shown is None or self._workspace.state is State.running))
        self.setProperty("says", text)

    @Slot()
    def _show_selected(self) -> None:
        """Mark the selected token in the tables."""
        selected, branch = self._workspace.selection.current, self._workspace.runs.shown
        difference = self._shown
        for k, view in enumerate(self.own):
            is_here = difference is not None and branch is not None and difference.sides[k].number == branch.number
            view.show_selected(selected.token if is_here and selected is not None else -1)

    # User actions.

    @Slot(object)
    def _on_divergence_chosen(self, rank: int) -> None:
        workspace = self._workspace
        workspace.transport.go_to(rank + 1)
        if rank < workspace.n_merges:
            workspace.selection.select_merge(rank)

    def _select(self, k: int, token: int) -> None:
        """Select a token in the run that is shown, if it has it."""
        comparison, run = self._shown or self._shown_vocabularies, self._workspace.run
        if comparison is None or run is None:
            return
        own = comparison.own[k]
        found = token if own.run is run else run.find_token(own.written(token))
        if found is not None:
            self._workspace.selection.select_token(found)

    def _open(self, k: int, token: int) -> None:
        """Show the run that has a token, and select it there."""
        if self._shown is not None:
            self._workspace.runs.show(self._shown.sides[k].number)
            self._select(k, token)

    @Slot(int)
    def _on_vocabulary_requested(self, k: int) -> None:
        """Show the run of a side at the compared step, and ask for its tokens."""
        if self._shown is not None:
            self._workspace.runs.show(self._shown.sides[k].number)
            self._workspace.transport.go_to(self._shown.steps[k])
            self.vocabulary_requested.emit()

    @Slot(object)
    def _on_left_selected(self, token: int) -> None:
        self._select(0, token)

    @Slot(object)
    def _on_right_selected(self, token: int) -> None:
        self._select(1, token)

    @Slot(object)
    def _on_left_opened(self, token: int) -> None:
        self._open(0, token)

    @Slot(object)
    def _on_right_opened(self, token: int) -> None:
        self._open(1, token)


def _identity(other: Other) -> tuple[object, ...]:
    """What a comparison depends on."""
    if isinstance(other, OtherTokenizer):
        return other.key, other.name, other.counts is None
    return other.key, other.run, other.step
