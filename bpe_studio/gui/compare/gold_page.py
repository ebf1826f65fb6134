"""The page Gold words: the agreement of tokens with the parts of words, over all sizes.

It also lists the agreement of all that is compared, and the worst words. The thread pool reads the
file and cuts the words (`explain/comparison/gold.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.gold import (
    NOTABLE,
    Gold,
    GoldAnswer,
    GoldMeasurer,
    Score,
    WorstWord,
    gold_sentence,
)
from bpe_studio.explain.comparison.measure_curves import Line
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, resting
from bpe_studio.gui.compare.advice_page import ASIDE_PX
from bpe_studio.gui.compare.pair import CURRENT
from bpe_studio.gui.plots.line_chart import LineChart
from bpe_studio.gui.tables.model import Column, Export, RowsModel, RowState
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row, scrolled
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.file_dialogs import ask_for_file
from bpe_studio.gui.widgets.labels import Note, heading, statement
from bpe_studio.gui.widgets.window_settings import WindowSettings

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.boundaries import Boundaries
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

REST_MS = 80
CHART_PX = 180
TABLE_PX = 110
FILES = "Gold words (*.tsv *.txt *.csv *.gz *.segmentations);;All files (*)"
NOTHING = "Gold words tell whether tokens end where the parts of words do, such as morphemes."
FORMAT = (
    "The file has a line for each word: the word, a tab, and its parts with spaces, | or @@ between"
    " them; a third column may name its group, such as the language. The segmentations of UniMorph"
    " and MorphyNet can be read as they are."
)
READING = "Reading {} …"
NO_RUN = "Open a text and train on it, then compare it with the gold words"
FAILED = "The gold words could not be compared. The details are in the log."
ALL_WORDS = "all words"
BY_GROUP = "by group"
WHY = "Explains the first border of A in the chosen word that is wrong, or the token across one"
NO_WORD = "choose a word in the table"
NO_STEPS = "only the open run can explain its cuts"
CURVES: tuple[tuple[str, Callable[[Boundaries], np.ndarray]], ...] = (
    ("F1", lambda found: found.f1),
    ("precision", lambda found: found.precision),
    ("recall", lambda found: found.recall),
    ("whole stems", lambda found: found.whole_stems),
)


class GoldPage(Panel):
    """A sentence, the curve and the scores on the left, and the worst words on the right.

    Signals:
        why_requested: the user asks about the border or the token that is now selected.
        step_chosen: int, the step that the user clicks in the curve.
        compared: the scores have changed, or there are none any more.
    """

    at_rest = resting(REST_MS)
    needs = Needs.no_run  # even out of sight, because the page Numbers shows its results too
    why_requested = Signal()
    step_chosen = Signal(object)
    compared = Signal()

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("gold")
        self._memory = memory or WindowSettings()
        self._gold: Gold | None = None
        self._subjects: tuple[Subject, ...] = ()
        self._a: Subject | None = None
        self._asked: tuple[object, ...] | None = None
        self._measurer = GoldMeasurer()
        self._reading = LatestAnswer(_read, self)
        self._job = LatestAnswer(self._measure, self)
        self.answer: GoldAnswer | None = None
        self._build()
        self._reading.answered.connect(self._on_read)
        self._job.answered.connect(self._on_answered)
        self.open.clicked.connect(self._on_open)
        self.by.activated.connect(self.request_refresh)
        self.chart.place_chosen.connect(self._on_place_chosen)
        self.why.clicked.connect(self._on_why)
        self.worst_table.activated.connect(self._on_why)
        self.worst_table.doubleClicked.connect(self._on_why)
        self.worst_table.selectionModel().currentRowChanged.connect(self._allow_why)
        self._show_nothing(NOTHING, FORMAT)

    def _build(self) -> None:
        self.said = statement("gold.said", "Agreement of tokens with gold words")
        self.open = named(
            QPushButton("Gold words…", self),
            "gold.open",
            "Open gold words",
            "Opens a table of words that are divided into their parts",
        )
        self.about = named(Note("", "plain", self), "gold.about", "Gold words that were read")
        self.by = named(
            QComboBox(self), "gold.by", "Groups", "Measures each group of the file by itself"
        )
        self.by.addItems([ALL_WORDS, BY_GROUP])
        self.chart = LineChart(
            "gold.curve", "Agreement with gold words", "vocabulary size", self, is_log=True
        )
        self.chart.setMinimumHeight(CHART_PX)
        self.scores = _ScoresModel(self)
        self.scores_table = _table("gold.scores", "Agreement of all that is compared", self.scores)
        self.worst = _WorstModel(self)
        self.worst_table = _table("gold.worst", "Words that A cuts worst", self.worst)
        self.worst_title = heading("Words that A cuts worst")
        self.why = named(QPushButton("Why this cut", self), "gold.why", "Why this cut", WHY)
        self.parts = QWidget()
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom, self.parts)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(16)
        self._sides.addLayout(column((self.chart, 2), (self.scores_table, 1), spacing=TIGHT_PX), 1)
        titles = row((self.worst_title, 1), self.why)
        self._sides.addLayout(column(titles, (self.worst_table, 1), spacing=TIGHT_PX), 1)
        inside = QWidget()
        column(
            self.about,
            (self.parts, 1),
            (QWidget(), 0),
            parent=inside,
            spacing=TIGHT_PX,
            margins=(0, 0, 8, 0),
        )
        top = Qt.AlignmentFlag.AlignTop
        column(
            row((self.said, 1), (self.by, 0, top), (self.open, 0, top)),
            (scrolled(inside, "gold.area"), 1),
            parent=self,
            spacing=TIGHT_PX,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction.TopToBottom
        if self.width() >= ASIDE_PX:
            direction = QBoxLayout.Direction.LeftToRight
        self._sides.setDirection(direction)

    @property
    def has_words(self) -> bool:
        """Whether gold words are open."""
        return self._gold is not None

    def score_of(self, subject: Subject) -> Score | None:
        """The agreement of a subject with all words; None while it is not known."""
        return None if self.answer is None else self.answer.totals.get(subject)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the page shows the current words and subjects."""
        is_waiting = self._reading.is_busy or self._job.is_busy or self.is_refresh_pending
        return not is_waiting and self._asked == self._question()

    def open_file(self, path: Path) -> None:
        """Read gold words, and compare with them."""
        self._show_nothing(READING.format(path.name), "")
        self._reading.ask(path)

    def show_subjects(
        self, subjects: Sequence[Subject], pair: tuple[Subject, Subject] | None
    ) -> None:
        """Compare subjects, and list the words that the first of a pair cuts worst."""
        self._subjects = tuple(subjects)
        self._a = None if pair is None else pair[0]
        if self._question() != self._asked:
            self.request_refresh()

    def forget(self) -> None:
        """Drop the runs of a text that was closed."""
        self._subjects = ()
        self._a = None
        self._asked = None
        self.answer = None

    def show_state(self) -> None:
        question = self._question()
        if question == self._asked:
            return
        self._asked = question
        if question is not None:
            self._job.ask(*question)
            return
        self._job.forget()
        if self._gold is not None:
            self._show_nothing(NO_RUN, self._gold.about)

    def _question(self) -> tuple[object, ...] | None:
        run = self._workspace.run
        if self._gold is None or run is None or self._a is None:
            return None
        by_group = self.by.currentText() == BY_GROUP
        return self._gold, run, len(run.merges), self._subjects, self._a, by_group

    def _measure(
        self,
        gold: Gold,
        run: object,
        n_merges: int,
        subjects: Sequence[Subject],
        a: Subject,
        by_group: bool,
    ) -> GoldAnswer | str:
        """Measure in the pool; returns a sentence if it fails."""
        try:
            return self._measurer.measure(gold, run, subjects, a, by_group=by_group)  # type: ignore[arg-type]
        except BpeError as error:
            return str(error)
        except Exception:
            _log.exception("Gold words could not be compared.")
            return FAILED

    @Slot()
    def _on_open(self) -> None:
        path = ask_for_file(self, self._memory, "Open gold words", FILES)
        if path is not None:
            self.open_file(path)

    @Slot(object)
    def _on_read(self, answer: Gold | str) -> None:
        if isinstance(answer, str):
            self._show_nothing(NOTHING, f"{answer}.", role="error")
            return
        self._gold = answer
        self.by.setCurrentIndex(0)
        self.about.set_message(answer.about, "plain")
        self.request_refresh()

    @Slot(object)
    def _on_answered(self, answer: GoldAnswer | str) -> None:
        if isinstance(answer, str):
            self._show_nothing(NOTHING, answer, role="error")
            return
        assert self._a is not None
        self.answer = answer
        self.said.setText(gold_sentence(answer, self._a))
        self.about.set_message(answer.gold.about, "plain")
        self.by.setVisible(len(answer.gold.groups) > 1)
        self.parts.show()
        self._draw(answer)
        self.scores.show_rows(answer.scores)
        self.scores_table.setColumnHidden(_ScoresModel.GROUP, len(answer.curves) == 1)
        self.scores_table.fit_columns()
        self.worst.show_rows(answer.worst)
        self.worst_table.fit_columns()
        self._allow_why()
        self.compared.emit()

    def _show_nothing(self, sentence: str, details: str, role: str = "plain") -> None:
        self.answer = None
        self.said.setText(sentence)
        self.about.set_message(details, role)
        self.by.hide()
        self.parts.hide()
        self.compared.emit()

    def _draw(self, answer: GoldAnswer) -> None:
        base = answer.run.vocab_size_at(0)
        lines = []
        title = "agreement with the gold words"
        callout = None
        if len(answer.curves) > 1:
            title = "F1 of the borders"
            for group, found in answer.curves.items():
                lines.append(Line(group, base + np.arange(len(found.f1)), found.f1))
        else:
            (found,) = answer.curves.values()
            sizes = base + np.arange(len(found.f1))
            for name, values in CURVES:
                lines.append(Line(name, sizes, values(found)))
            here = found.f1[min(self._workspace.step, len(found.f1) - 1)]
            size, best = answer.best
            if best - here >= NOTABLE:
                callout = size, f"{number(size)} agrees best"
        self.chart.show_lines(lines, title, is_share=True, callout=callout)
        self.chart.set_marks((), base + self._workspace.step)

    @Slot(object)
    def _on_place_chosen(self, size: int) -> None:
        if self.answer is not None:
            self.step_chosen.emit(size - self.answer.run.vocab_size_at(0))

    @Slot()
    def _allow_why(self) -> None:
        why_not = ""
        if not self.worst_table.currentIndex().isValid():
            why_not = NO_WORD
        elif not isinstance(self._a, RunAt) or self._a.run is not self._workspace.run:
            why_not = NO_STEPS
        enable(self.why, WHY, why_not)

    @Slot(QModelIndex)
    @Slot()
    def _on_why(self) -> None:
        """Select the border or the token at which the chosen word is cut wrongly."""
        index = self.worst_table.currentIndex()
        a = self._a
        if not index.isValid() or not isinstance(a, RunAt) or a.run is not self._workspace.run:
            return
        worst = self.worst.rows[index.row()]
        place = (worst.wrong or worst.missed)[0] + 1
        self._workspace.transport.go_to(a.step)
        selection = self._workspace.selection
        live = a.run.live(f" {worst.gold.word}")
        border = live.border_at(place, a.step) if worst.wrong else None
        if border is not None:
            selection.select_border(border.piece, border.place, border.following)
        else:
            spans = live.tokens(a.step, place, place + 1)
            selection.select_token(int(spans.ids[0]))
        self.why_requested.emit()


def _read(path: Path) -> Gold | str:
    """Read the file in the pool; returns a sentence if it cannot be read."""
    try:
        return Gold.load(str(path), path.name)
    except BpeError as error:
        return str(error)


def _table(name: str, said: str, model: _ScoresModel | _WorstModel) -> CompactTable:
    table = named(CompactTable(), name, said)
    table.setModel(model)
    table.setMinimumHeight(TABLE_PX)
    return table


def _score(title: str, value: Callable[[Score], Value]) -> Export[_ScoresModel]:
    return Export(title, lambda model, rows, run: [value(model.rows[row]) for row in rows])


def _share_column(title: str, tip: str, place: int) -> Column[_ScoresModel]:
    def text(model: _ScoresModel, row: int) -> str:
        shares = model.rows[row].shares
        return "–" if shares is None else f"{number(100 * shares[place], 1)} %"

    def plain(score: Score) -> Value:
        return None if score.shares is None else score.shares[place]

    return Column(title, tip, text, sample="precision", exports=(_score(title, plain),))


class _ScoresModel(RowsModel[Score]):
    """The agreement of each subject in each group, a row each."""

    def name(self, row: int) -> str:
        """The vocabulary size of the open run, or the name of another subject."""
        subject = self.rows[row].subject
        return isolated(subject.name) if subject.name else number(subject.vocab_size)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self.rows[row].subject.key == CURRENT else RowState.APPLIED

    def tip(self, row: int, column: int) -> str:
        return self.rows[row].why_not or self.columns[column].tip

    columns = (
        Column(
            "compared",
            "A vocabulary size of the open run, another run, or a tokenizer",
            name,
            is_number=False,
            exports=(_score("compared", lambda score: score.subject.name),),
        ),
        Column(
            "group",
            "The group of the words",
            lambda model, row: model.rows[row].group,
            is_number=False,
            sample="language",
        ),
        _share_column("F1", "The harmonic mean of precision and recall", 2),
        _share_column(
            "precision", "The share of the borders of tokens that are borders of parts", 0
        ),
        _share_column("recall", "The share of the borders of parts that are borders of tokens", 1),
        _share_column("stems", "The share of words whose stem, the longest part, is one token", 3),
        Column(
            "words",
            "The number of gold words that were compared",
            lambda model, row: number(model.rows[row].n_words),
            sample="000,000",
            least_em=30,
        ),
    )
    GROUP = 1


class _WorstModel(RowsModel[WorstWord]):
    """The words that A cuts worst, a row for each."""

    columns = (
        Column(
            "word",
            "The word, divided into its parts",
            lambda model, row: isolated("·".join(model.rows[row].gold.parts)),
            is_number=False,
        ),
        Column(
            "tokens",
            "Its tokens after a space",
            is_number=False,
            chips=lambda model, row: Chips.of(*model.rows[row].tokens),
        ),
        Column(
            "wrong",
            "Borders of tokens where no parts meet",
            lambda model, row: number(len(model.rows[row].wrong)),
            sample="wrong",
        ),
        Column(
            "missed",
            "Places where parts meet inside a token",
            lambda model, row: number(len(model.rows[row].missed)),
            sample="missed",
        ),
    )
