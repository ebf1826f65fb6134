"""The page Difference: the runs of the open text, and how two of all that is compared differ.

The difference is computed in the thread pool, when the page is visible and no run trains; the old one stays until the
new one is there. The page shares the selection with the other panels.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QWidget

from bpe_studio.explain.comparison.difference import Difference, compare, same_size
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, resting
from bpe_studio.gui.compare.compared import run_at_end
from bpe_studio.gui.compare.difference_facts import DifferenceFacts
from bpe_studio.gui.compare.divergence_view import DivergenceView
from bpe_studio.gui.compare.own_tokens import OwnTokensView
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.plots.overlap_curve import OverlapCurve
from bpe_studio.gui.runs.new_run_button import NewRunButton, RunsInvitation
from bpe_studio.gui.runs.table import RunsTable
from bpe_studio.gui.widgets.containers import column, row, scrolled
from bpe_studio.gui.widgets.controls import ActionButton, named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.splitter import Splitter
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

REST_MS = 80
LEAST_PX = 90
"""The height below which a part of the page cannot be used."""
RUNS_LEAST_PX, RUNS_MOST_PX = 190, 400
SHOWN_CHARACTERS = 60
FAILED = "These two could not be compared here: choose others. The details are in the log."


class DifferencePage(Panel):
    """The list of runs at the left, the difference of A and B at the right.

    Signals:
        vocabulary_requested: the user wants to see every token of the run and the step that are shown now.
    """

    at_rest, needs = resting(REST_MS), Needs.sight | Needs.no_run
    vocabulary_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("branches")
        self._sizes: tuple[RunAt, ...] = ()
        self._pair: tuple[str, str] | None = None
        self._asked: tuple[Subject, Subject] | None = None
        self._shown_for: tuple[Subject, Subject] | None = None
        self._shown: Difference | None = None
        self._runs: frozenset[int] = frozenset()
        self._text: object = None
        self._was_shown = False
        self._job = LatestAnswer(self._compare, self)
        self._build()
        self._connect()
        self._on_runs_changed()

    def _build(self) -> None:
        self.runs = RunsTable(self._workspace, self)
        runs_side = QWidget(self)
        self.new = NewRunButton(self._workspace, runs_side)
        buttons = WrappingRow(runs_side, 4)
        buttons.add(self.new)
        for action in (self.runs.switch, self.runs.rename, self.runs.remove):
            button = ActionButton(action, runs_side)
            named(button, action.objectName(), f"{action.text()} the chosen branch")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            buttons.add(button)
        column((self.runs, 1), buttons, parent=runs_side, spacing=4)
        self.a, self.b = self._chooser("A"), self._chooser("B")
        self.same_size = named(
            QCheckBox("Same vocabulary size", self),
            "difference.same_size",
            "Compare runs at the same vocabulary size",
            "Compares two runs where their vocabularies are equally large; otherwise each is compared as it is",
        )
        self.same_size.setChecked(True)
        choosers = QHBoxLayout()
        choosers.setSpacing(6)
        for letter, chooser in (("&A", self.a), ("&B", self.b)):
            label = QLabel(letter, self)
            label.setBuddy(chooser)
            choosers.addWidget(label)
            choosers.addWidget(chooser, 1)
        choosers.addWidget(self.same_size)
        self.facts, self.why = DifferenceFacts(self), DivergenceView(self)
        self.own = (OwnTokensView("a", self), OwnTokensView("b", self))
        self.curve = OverlapCurve(self)
        self.note = named(Note("", "help", self), "difference.note", "Whether the comparison is up to date")
        self.note.hide()
        tokens = _split(Qt.Orientation.Horizontal, (self.own[0], 3), (self.own[1], 3), (self.curve, 4))
        above = _split(Qt.Orientation.Horizontal, (self.facts, 4), (self.why, 6))
        compared = QWidget(self)
        column(choosers, (_split(Qt.Orientation.Vertical, (above, 1), (tokens, 1)), 1), self.note, parent=compared)
        self.invitation = RunsInvitation(self._workspace, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(scrolled(self.invitation, "branches.invitation_area"))
        self._pages.addWidget(compared)
        self._splitter = Splitter(Qt.Orientation.Horizontal)
        for part, share in ((runs_side, 2), (self._pages, 5)):
            self._splitter.addWidget(part)
            self._splitter.setStretchFactor(self._splitter.count() - 1, share)
        row((self._splitter, 1), parent=self)

    def _chooser(self, letter: str) -> QComboBox:
        chooser = named(QComboBox(self), f"difference.{letter.lower()}", f"{letter}, one of the two that are compared")
        chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        chooser.setMinimumContentsLength(8)
        chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return chooser

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.runs.changed.connect(self._on_runs_changed)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.state_changed.connect(self._on_moved)
        workspace.run_grew.connect(self._on_moved)
        workspace.tokenizers.changed.connect(self._offer)
        workspace.selection.changed.connect(self._show_selected)
        for chooser in (self.a, self.b):
            chooser.activated.connect(self._on_chosen)
        self.same_size.toggled.connect(self.request_refresh)
        self.facts.divergence_chosen.connect(self._on_divergence_chosen)
        self.facts.vocabulary_requested.connect(self._on_vocabulary_requested)
        for view in self.own:
            view.selected.connect(self._on_selected)
            view.opened.connect(self._on_opened)
        self._job.answered.connect(self._on_answered)

    @property
    def shown(self) -> Difference | None:
        """The difference that is shown."""
        return self._shown

    @property
    def is_up_to_date(self) -> bool:
        """Whether the difference shown is the one that was requested last."""
        return self._shown is not None and self._shown_for == self._question()

    def choose(self, a: str, b: str) -> None:
        """Compare two subjects, given by their keys."""
        self._pair = a, b
        self._offer()

    @Slot(object)
    def show_sizes(self, sizes: Sequence[RunAt]) -> None:
        """Offer the compared sizes of the open run; the user's choice stays if it is still there."""
        if tuple(sizes) != self._sizes:
            self._sizes = tuple(sizes)
            if self.isVisible():
                self._offer()

    def _subjects(self) -> dict[str, Subject]:
        """All that can be compared, by their keys: the runs at their ends, tokenizers, and sizes of the open run."""
        workspace, shown = self._workspace, self._workspace.runs.shown
        if shown is None:
            return {}
        sizes = [each for each in self._sizes if each.run is workspace.run and each.step <= workspace.n_merges]
        found = [*map(run_at_end, workspace.runs.entries), *workspace.tokenizers.entries, *sizes]
        return {each.key: each for each in found}

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._offer()
        if not self._was_shown:
            self._was_shown = True
            width = min(RUNS_MOST_PX, max(RUNS_LEAST_PX, self.width() * 25 // 100))
            self._splitter.setSizes([width, self.width() - width])

    @Slot()
    def _offer(self) -> None:
        subjects = self._subjects()
        keys, pair = list(subjects), self._pair
        if pair is None or not subjects.keys() >= set(pair):
            pair = self._default_pair(subjects)
        has_two = len(self._workspace.runs.entries) > 1 or any(each.run is None for each in subjects.values())
        self._pages.setCurrentIndex(int(has_two or self._pair is not None))
        for chooser, key in zip((self.a, self.b), pair, strict=True):
            if [chooser.itemData(k) for k in range(chooser.count())] != keys:
                chooser.clear()
                for each in keys:
                    chooser.addItem("", each)
            for place, subject in enumerate(subjects.values()):
                chooser.setItemText(place, elided(_title(subject), SHOWN_CHARACTERS))
                chooser.setItemData(place, plain_tip(subject.tip), Qt.ItemDataRole.ToolTipRole)
            chooser.setCurrentIndex(chooser.findData(key))
            chooser.setToolTip(plain_tip(chooser.currentText()))
        self.request_refresh()

    def _default_pair(self, subjects: Mapping[str, Subject]) -> tuple[str, str]:
        """The shown run with the one it was branched from; or with the newest branch, side run or tokenizer."""
        shown = self._workspace.runs.shown
        if shown is None:
            return "", ""
        if shown.parent is not None:
            return f"run {shown.number}", f"run {shown.parent}"
        entries = self._workspace.runs.entries
        others = [each.number for each in entries if each.parent == shown.number]
        others = others or [each.number for each in entries if each.parent is None and each.number != shown.number]
        keys = [f"run {max(others)}"] if others else []
        keys += [key for key, each in subjects.items() if each.run is None][-1:]
        return f"run {shown.number}", next((key for key in keys if key in subjects), f"run {shown.number}")

    # Slots of the workspace.

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        text = None if info is None else info.request
        if text is not self._text or text is None:  # otherwise it is the same text, cut by another run
            self._text, self._runs, self._pair = text, frozenset(), None
            self._job.forget()
            self._show(None)

    @Slot()
    def _on_runs_changed(self) -> None:
        entries, shown = self._workspace.runs.entries, self._workspace.runs.shown
        self.invitation.refresh()
        self._compare_new(entries, shown)
        self._offer()

    def _compare_new(self, entries: Sequence[RunEntry], shown: RunEntry | None) -> None:
        """Compare a new side run with the run that is shown."""
        numbers = frozenset(each.number for each in entries)
        new = [each for each in entries if each.number not in self._runs and each.is_side_run]
        if self._runs and len(new) == 1 and shown is not None and new[0].number != shown.number:
            self._pair = f"run {shown.number}", f"run {new[0].number}"
        elif not numbers >= self._runs:
            self._pair = None  # a run was removed
        self._runs = numbers

    # The difference.

    def _question(self) -> tuple[Subject, Subject] | None:
        subjects = self._subjects()
        a, b = (subjects.get(chooser.currentData() or "") for chooser in (self.a, self.b))
        if a is None or b is None or not self._pages.currentIndex():
            return None
        return same_size(a, b) if self.same_size.isChecked() else (a, b)

    def show_state(self) -> None:
        question = self._question()
        if question is None:
            self._job.forget()
            self._asked = None
            self._show(None)
        elif question == self._asked:
            self._hold_back()
        else:
            self._asked = question
            self._say("Comparing …")
            self._job.ask(*question)

    @Slot()
    def _on_moved(self) -> None:
        if self.is_training:
            self._hold_back()
        self.request_refresh()

    def _hold_back(self) -> None:
        """Do not compare now, because a run trains or nothing has changed."""
        question = self._question()
        if question is not None and question != self._asked:
            self._say("Updates when paused")
        elif self.note.role != "error" or question != self._asked:
            self._say("")

    def _compare(self, a: Subject, b: Subject) -> Difference | str:
        """Compare in the thread pool; if that fails, the answer is a sentence."""
        try:
            return compare(a, b)
        except Exception:
            _log.exception("Two subjects could not be compared.")
            return FAILED

    @Slot(object)
    def _on_answered(self, answer: Difference | str) -> None:
        if isinstance(answer, str):
            # The old difference must not be shown below other choices.
            self._show(None)
            self._say(answer, "error")
        else:
            self._shown_for = self._asked
            self._show(answer)

    def _show(self, difference: Difference | None) -> None:
        self._say("")
        if difference is None and self._shown is None:
            return
        self._shown = difference
        runs = difference is not None and difference.found is not None
        self.curve.setVisible(runs)
        self.facts.show_difference(difference)
        self.curve.show_difference(None if difference is None else difference.found)
        sides = () if difference is None else [side.run for side in difference.sides if side.run is not None]
        pair = (sides[0], sides[1]) if len(sides) == 2 else None
        self.why.setVisible(runs)
        self.why.show_words(None if difference is None else difference.divergence, pair)
        for view, own in zip(self.own, (None, None) if difference is None else difference.own, strict=True):
            view.show_tokens(own)
        self._show_selected()

    def _say(self, text: str, role: str = "help") -> None:
        self.note.set_message(text, role)
        self.note.setVisible(bool(text) and (self._shown is None or self._workspace.state is State.running))

    @Slot()
    def _show_selected(self) -> None:
        """Mark the selected token in the tables."""
        selected = self._workspace.selection.current
        for k, view in enumerate(self.own):
            is_here = self._shown is not None and self._shown.sides[k].run is self._workspace.run
            view.show_selected(selected.token if is_here and selected is not None else -1)

    # User actions.

    @Slot()
    def _on_chosen(self) -> None:
        self._pair = self.a.currentData(), self.b.currentData()
        self._offer()

    @Slot(object)
    def _on_divergence_chosen(self, rank: int) -> None:
        workspace = self._workspace
        workspace.transport.go_to(rank + 1)
        if rank < workspace.n_merges:
            workspace.selection.select_merge(rank)

    @Slot(object, object)
    def _on_selected(self, subject: Subject, token: int) -> None:
        """Select a token in the run that is shown, if it has it."""
        run = self._workspace.run
        found = token if run is None or subject.run is run else run.find_token(subject.written(token))
        if run is not None and found is not None:
            self._workspace.selection.select_token(found)

    @Slot(object, object)
    def _on_opened(self, subject: Subject, token: int) -> None:
        """Show the run that has a token, and select it there."""
        self._show_run(subject)
        self._on_selected(subject, token)

    @Slot(int)
    def _on_vocabulary_requested(self, k: int) -> None:
        """Show the run of a side at the compared step, and ask for its tokens."""
        subject = None if self._shown is None else self._shown.sides[k]
        if isinstance(subject, RunAt):
            self._show_run(subject)
            self._workspace.transport.go_to(subject.step)
            self.vocabulary_requested.emit()

    def _show_run(self, subject: Subject) -> None:
        entry = next((each for each in self._workspace.runs.entries if each.run is subject.run), None)
        if entry is not None:
            self._workspace.runs.show(entry.number)


def _title(subject: Subject) -> str:
    return subject.name or f"size {number(subject.vocab_size)}"


def _split(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> Splitter:
    splitter = Splitter(orientation)
    for place, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(place, share)
        splitter.setCollapsible(place, False)
        if orientation is Qt.Orientation.Vertical:
            part.setMinimumHeight(LEAST_PX)  # less than its tables ask for with a large font: they scroll
    splitter.setSizes([100 * share for _, share in parts])
    return splitter
