"""The page Difference: the differences between A and B, two of all that is compared.

The difference is computed in the thread pool when the page is visible and no run trains; until
then, the page keeps the previous one. It shares the selection with the other panels.
"""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHeaderView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from bpe_studio.explain.comparison.difference import (
    VOCABULARY,
    Difference,
    compare,
    cost_words,
    facts,
    same_size,
)
from bpe_studio.explain.comparison.divergence import CutWord, DivergenceWording
from bpe_studio.explain.comparison.measure_curves import Line
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import isolated
from bpe_studio.explain.settings import SettingDifference
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.gui.actions_on.targets import Target, text_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, resting
from bpe_studio.gui.compare.own_tokens import OwnTokensView
from bpe_studio.gui.compare.pair import CURRENT
from bpe_studio.gui.compare.shortest_text import ShortestText
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.line_chart import LineChart
from bpe_studio.gui.tables.model import Column, RowsModel, widest_number
from bpe_studio.gui.tables.view import Cell, CellDelegate, CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import STRETCH, column, divided, row, scrolled
from bpe_studio.gui.widgets.controls import more_button, named, point_arrow
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

REST_MS = 80
LEAST_PX = 150
"""The least height of a part of the page; a smaller page scrolls."""
NOTHING = "Nothing to compare yet: train on a text, then add another size, run or tokenizer above"
FAILED = "These two could not be compared here: choose others. The details are in the log."


_BETWEEN_PX = 9


class DifferencePage(Panel):
    """The divergence of A and B with its reasons, the facts of both, and their tokens.

    Signals:
        vocabulary_requested: the user wants to see all tokens of the shown run at its step.
    """

    at_rest = resting(REST_MS)
    needs = Needs.sight | Needs.no_run
    vocabulary_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("branches")
        self._pair: tuple[Subject, Subject] | None = None
        self._asked: tuple[Subject, Subject] | None = None
        self._shown_for: tuple[Subject, Subject] | None = None
        self._shown: Difference | None = None
        self._job = LatestAnswer(self._compare, self)
        self._build()
        self._connect()
        self.show_pair(None)
        self._say(NOTHING)

    def _build(self) -> None:
        self.same_size = named(
            QCheckBox("Same vocabulary size", self),
            "difference.same_size",
            "Compare runs at the same vocabulary size",
            "Compares two runs at the same vocabulary size; otherwise each at its own",
        )
        self.same_size.setChecked(True)
        self.said = statement("difference.said", "Difference")
        self.details = named(Note("", "plain", self), "difference.details", "Further differences")
        self.facts = _DifferenceFacts(self)
        self.why = _DivergenceView(self)
        self.own = (OwnTokensView("a", self), OwnTokensView("b", self))
        self.curve = LineChart("difference.overlap", "Tokens in common, by merges", "merge", self)
        self.note = named(Note("", "help", self), "difference.note", "State of the comparison")
        self.shortest = ShortestText(self)
        self.more = more_button(
            self,
            "difference.more",
            "More of the difference",
            "Shows the sizes of A and B, and the settings in which they differ",
        )
        self._reasons = divided(Qt.Orientation.Horizontal, (self.why, 5), (self.curve, 6))
        tokens = divided(Qt.Orientation.Horizontal, (self.own[0], 1), (self.own[1], 1))
        # With a large font, the tables ask for more, but they can scroll.
        for part in (self._reasons, tokens):
            part.setMinimumHeight(LEAST_PX)
        evidence = divided(Qt.Orientation.Vertical, (self._reasons, 1), (tokens, 1))
        evidence.setMinimumHeight(2 * LEAST_PX)
        evidence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._body = QWidget(self)
        top = Qt.AlignmentFlag.AlignTop
        column(
            self.facts,
            row((self.facts.first, 0, top), (self.shortest, 1)),
            (evidence, 1),
            self.more,
            self.facts.table,
            parent=self._body,
            margins=(0, 0, 8, 0),
        )
        order = (self.facts.first, self.shortest, self.why, self.curve, *self.own, self.more)
        for one, other in pairwise((*order, self.facts.table)):
            QWidget.setTabOrder(one, other)
        self._area = scrolled(self._body, "difference.area")
        policy = self._area.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._area.setSizePolicy(policy)
        for widget in (self.said, self.details, self._area):
            widget.hide()
        self._on_more(False)
        column(self.said, self.details, self.same_size, self.note, (self._area, 1), parent=self)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.state_changed.connect(self._on_moved)
        workspace.run_grew.connect(self._on_moved)
        workspace.selection.changed.connect(self._show_selected)
        self.same_size.toggled.connect(self.request_refresh)
        self.more.toggled.connect(self._on_more)
        self.shortest.merge_chosen.connect(self._on_merge_chosen)
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
        """Whether the page shows the difference that was requested last."""
        return self._shown is not None and self._shown_for == self._question()

    @Slot(object)
    def show_pair(self, pair: tuple[Subject, Subject] | None) -> None:
        """Compare two subjects, or none."""
        self._pair = pair
        runs = {id(each.run) for each in pair or () if each.run is not None}
        self.same_size.setVisible(len(runs) == 2)
        self.request_refresh()

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._job.forget()
        self._asked = None
        self._show(None)
        self.request_refresh()

    # The difference.

    def _question(self) -> tuple[Subject, Subject] | None:
        if self._pair is None or self._pair[0] == self._pair[1]:
            return None
        a, b = (self._whole(each, other) for each, other in (self._pair, self._pair[::-1]))
        return same_size(a, b) if self.same_size.isChecked() else (a, b)

    def _whole(self, side: Subject, other: Subject) -> Subject:
        """The whole run of the window if it is compared with another run, as its step may move."""
        is_with_run = other.run is not None and other.run is not side.run
        # Another run may have been chosen a moment ago.
        is_of_window = side.key == CURRENT and side.run is self._workspace.run
        if isinstance(side, RunAt) and is_of_window and is_with_run:
            return side.at(self._workspace.n_merges)
        return side

    def show_state(self) -> None:
        question = self._question()
        if question is None:
            self._job.forget()
            self._asked = None
            self._show(None)
            self._say(NOTHING)
        elif question == self._asked:
            self._hold_back()
        else:
            if [each.key for each in self._shown_for or ()] != [each.key for each in question]:
                self._show(None)  # the difference of another pair must not stay below this one
            self._asked = question
            self._say("Comparing …")
            self._job.ask(*question)

    @Slot()
    def _on_moved(self) -> None:
        if self.is_training:
            self._hold_back()
        self.request_refresh()

    def _hold_back(self) -> None:
        """Wait, because a run trains or nothing has changed."""
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
            # The previous difference must not stay below other choices.
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
        self._area.setVisible(difference is not None)
        diverge = difference is not None and difference.rank is not None
        self._reasons.setVisible(diverge)
        said = () if difference is None else difference.said
        self.said.setText("".join(said[:1]))
        self.details.set_message(" ".join(said[1:]))
        for place, label in enumerate((self.said, self.details)):
            label.setVisible(len(said) > place)
        self.facts.show_difference(difference)
        found = None if difference is None else difference.found
        self._show_overlap(found)
        sides = None if difference is None else difference.sides
        runs = [side.run for side in sides or () if side.run is not None]
        pair = (runs[0], runs[1]) if len(runs) == 2 else None
        divergence = None if difference is None else difference.divergence
        self.why.show_words(divergence, pair)
        own_tokens = (None, None) if difference is None else difference.own
        for view, own in zip(self.own, own_tokens, strict=True):
            view.show_tokens(own)
        self.shortest.show_pair(sides, self._workspace.shown_text)
        self._show_selected()

    def _show_overlap(self, found: RunDifference | None) -> None:
        """Draw the share of tokens that two runs have in common, from their divergence on."""
        lines = []
        if found is not None and len(found.overlap_steps):
            lines.append(Line("", found.overlap_steps, found.overlap))
        callout = None
        if found is not None and found.rank is not None:
            callout = found.rank + 1, f"they differ from {merge_name(found.rank)} on"
        self.curve.show_lines(lines, "tokens in common", is_share=True, callout=callout)

    def _say(self, text: str, role: str = "help") -> None:
        self.note.set_message(text, role)
        self.note.setVisible(
            bool(text) and (self._shown is None or self._workspace.state is State.running)
        )

    @Slot()
    def _show_selected(self) -> None:
        selected = self._workspace.selection.current
        for k, view in enumerate(self.own):
            is_here = self._shown is not None and self._shown.sides[k].run is self._workspace.run
            token = selected.token if is_here and selected is not None else -1
            view.show_selected(token)

    # User actions.

    @Slot(bool)
    def _on_more(self, is_shown: bool) -> None:
        self.facts.table.setVisible(is_shown)
        point_arrow(self.more, is_open=is_shown)

    @Slot(object)
    def _on_divergence_chosen(self, rank: int) -> None:
        workspace = self._workspace
        workspace.transport.go_to(rank + 1)
        if rank < workspace.n_merges:
            workspace.selection.select_merge(rank)

    @Slot(object, object)
    def _on_merge_chosen(self, subject: RunAt, rank: int) -> None:
        """Show the run that has a merge, and select it there."""
        self._show_run(subject)
        self._on_divergence_chosen(rank)

    @Slot(object, object)
    def _on_selected(self, subject: Subject, token: int) -> None:
        """Select a token in the run that is shown, if it has it."""
        run = self._workspace.run
        if run is None:
            return
        found: int | None = token
        if subject.run is not run:
            found = run.find_token(subject.written(token))
        if found is not None:
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
        entries = self._workspace.runs.entries
        entry = next((each for each in entries if each.run is subject.run), None)
        if entry is not None:
            self._workspace.runs.show(entry.number)


class _FactsModel(RowsModel[SettingDifference]):
    """The facts of A and B, and the settings that differ, a row each."""

    def is_link(self, row: int, column: int) -> bool:
        return self.rows[row].option == VOCABULARY and super().is_link(row, column)

    def tip(self, row: int, column: int) -> str:
        _, name, a, b = self.rows[row]
        shown = "\nClick to see that run and its tokens" if self.is_link(row, column) else ""
        return f"{name}\nA: {a}\nB: {b}{shown}"

    columns = (
        Column(
            "",
            "Facts, then the settings in which two runs differ, and their overrides",
            lambda model, row: model.rows[row].name,
            is_number=False,
            sample="Minimum frequency",
        ),
        Column(
            "A",
            "Its value in A",
            lambda model, row: model.rows[row].a,
            is_number=False,
            is_link=True,
        ),
        Column(
            "B",
            "Its value in B",
            lambda model, row: model.rows[row].b,
            is_number=False,
            is_link=True,
        ),
    )
    NAME, A, B = range(len(columns))


class _DifferenceFacts(QWidget):
    """The cost of the difference, with a button and a table that the page places.

    Attributes:
        first: the button that leads to the first merge that differs.
        table: the facts of A and B.

    Signals:
        divergence_chosen: int, the rank of the first merge that differs.
        vocabulary_requested: int, the side, 0 or 1, whose tokens the user wants to see.
    """

    divergence_chosen = Signal(object)
    vocabulary_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rank = -1
        self.first = named(
            QPushButton(self),
            "difference.first",
            "The first merge that differs",
            "Goes to the step after the first merge that differs, and selects it",
        )
        self.first.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.same = named(Note("", "plain", self), "difference.same", "")
        self.cost = named(
            Note("", "plain", self), "difference.cost", "", "Tokens of the corpus; relative to B"
        )
        self.model = _FactsModel(self)
        self.table = named(
            CompactTable(self), "difference.facts", "What A and B are, and the settings that differ"
        )
        self.table.setModel(self.model)
        self.table.fit_columns()
        column(self.same, self.cost, parent=self, spacing=6)
        self.first.clicked.connect(self._on_first)
        self.table.link_chosen.connect(self._on_link_chosen)

    def show_difference(self, difference: Difference | None) -> None:
        """Show a difference; None for none."""
        rank = None
        found = None
        cost = ""
        rows: tuple[SettingDifference, ...] = ()
        if difference is not None:
            rank = difference.rank
            found = difference.found
            cost = cost_words(difference)
            rows = (*facts(difference), *difference.settings)
        self._rank = -1 if rank is None else rank
        self.first.setVisible(rank is not None)
        self.first.setText(f"Go to {merge_name(self._rank)}, the first difference")
        self.same.setVisible(found is not None and rank is None)
        if found is not None:
            self.same.set_message(
                f"No merge differs up to step {number(min(found.step_a, found.step_b))}"
            )
        self.cost.set_message(cost)
        self.cost.setVisible(bool(cost))
        self.model.show_rows(rows)
        self.table.show_high(self.model.rowCount())

    @Slot()
    def _on_first(self) -> None:
        if self._rank >= 0:
            self.divergence_chosen.emit(self._rank)

    @Slot(QModelIndex)
    def _on_link_chosen(self, index: QModelIndex) -> None:
        self.vocabulary_requested.emit(int(index.column() == _FactsModel.B))


class CutWordsModel(RowsModel[CutWord]):
    """The words, a row each."""

    def as_cut(self, row: int, side: int) -> str:
        """The tokens of a word in A or in B."""
        return " │ ".join(" ".join(map(isolated, tokens)) for tokens in self.rows[row].cuts[side])

    columns = (
        Column(
            "as A tokenizes it",
            "A word of the text, in A’s tokens at the divergence; a line separates its pieces",
            lambda model, row: model.as_cut(row, 0),
            is_number=False,
        ),
        Column(
            "as B tokenizes it",
            "The same, in B’s tokens at the divergence; a line separates its pieces",
            lambda model, row: model.as_cut(row, 1),
            is_number=False,
        ),
        Column(
            "in A",
            "The number of times that the pair occurs in the word in A",
            lambda model, row: number(model.rows[row].pairs[0]),
            sample="00",
        ),
        Column(
            "in B",
            "The number of times that the pair occurs in the word in B",
            lambda model, row: number(model.rows[row].pairs[1]),
            sample="00",
        ),
        Column(
            "times",
            "The number of times that the word occurs in the text",
            lambda model, row: number(model.rows[row].times),
            sample=lambda model: widest_number(max((row.times for row in model.rows), default=0)),
        ),
    )
    A, B, IN_A, IN_B, TIMES = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        a, b, in_a, in_b, times = (self.text(row, each) for each in range(len(self.columns)))
        pair = f"the pair occurs in it {in_a} times in A, {in_b} times in B"
        return f"A: {a}\nB: {b}\n{pair}\nthe word occurs {times} times in the text"


class _CutDelegate(CellDelegate):
    """Paints the tokens of a word as chips, with a line between its pre-tokens."""

    def paint_content(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        model = cell.model
        assert isinstance(model, CutWordsModel)
        word = model.rows[cell.row]
        first = 0
        is_rtl = word.is_rtl
        for k, tokens in enumerate(word.cuts[cell.column]):
            if rect.width() < _BETWEEN_PX:
                return
            if k:
                x = rect.left() - _BETWEEN_PX // 2 - 1
                if is_rtl:
                    x = rect.right() + 1 + _BETWEEN_PX // 2
                painter.setPen(theme.muted(cell.palette))
                painter.drawLine(x, rect.top() + 3, x, rect.bottom() - 3)
            highlighted = frozenset(token - first for token in word.highlighted[cell.column])
            first += len(tokens)
            width = Chips(tokens, is_rtl, highlighted).paint(painter, rect, cell.palette)
            taken = round(width) + _BETWEEN_PX
            rect = rect.adjusted(0, 0, -taken, 0) if is_rtl else rect.adjusted(taken, 0, 0, 0)


class _DivergenceView(QScrollArea):
    """The divergence of two runs and its reasons: sentences, and words as each run cuts them.

    `explain/comparison/divergence.py` makes the sentences.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference.why")
        self.setAccessibleName("Why the runs diverge")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.headline = Note("", "plain", self)
        self.headline.setObjectName("difference.why_headline")
        font = self.headline.font()
        font.setBold(True)
        self.headline.setFont(font)
        self.sentences = named(
            Note("", "plain", self), "difference.why_text", "Why the runs diverge"
        )
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.about = Note("", "help", self)
        self.about.setObjectName("difference.why_about")
        self.model = CutWordsModel(self)
        self.words = named(CompactTable(self), "difference.why_words", "Words that show it")
        self.words.setModel(self.model)
        self.words.target_of = self._target_of
        self._runs: tuple[Run, Run] | None = None
        for side in (CutWordsModel.A, CutWordsModel.B):
            self.words.setItemDelegateForColumn(side, _CutDelegate(self.words))
        inside = QWidget(self)
        parts = (self.headline, self.sentences, self.about, self.words)
        column(*parts, STRETCH, parent=inside, spacing=6, margins=(0, 0, 8, 0))
        self.setWidget(inside)
        self.show_words(None)

    def show_words(
        self, words: DivergenceWording | None, runs: tuple[Run, Run] | None = None
    ) -> None:
        """Show an explanation of why two runs differ; None for none."""
        self._runs = runs
        headline = ""
        sentences = ""
        about = ""
        rows: tuple[CutWord, ...] = ()
        if words is not None:
            headline = words.headline
            sentences = "\n".join(words.sentences)
            about = words.about_words
            rows = words.rows
        self.headline.set_message(headline)
        self.sentences.set_message(sentences)
        self.about.set_message(about)
        self.model.show_rows(rows)
        self.words.setVisible(bool(rows))
        self.about.setVisible(bool(rows))
        self.words.fit_columns()
        self.words.horizontalHeader().setSectionResizeMode(
            CutWordsModel.B, QHeaderView.ResizeMode.Stretch
        )
        self.words.show_high(len(rows))

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        """The word of a row, in the run whose column was clicked, or else in the first."""
        if self._runs is None:
            return None
        word = self.model.rows[index.row()]
        side = int(index.column() == CutWordsModel.B)
        run = self._runs[side]
        tokens = []
        for name in word.names[side]:
            found = run.find_token(name)
            token = -1 if found is None else found
            tokens.append(token)
        return text_target(run, word.text, tuple(tokens))
