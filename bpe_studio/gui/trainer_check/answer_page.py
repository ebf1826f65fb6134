"""The answer of a check: a sentence, the two pairs in their words, the mistake, and the marks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.check.check import lessons_about
from bpe_studio.explain.check.grading import results_of
from bpe_studio.explain.facts import Fact
from bpe_studio.explain.names import (
    any_right_to_left,
    display_log_name,
    display_text,
    isolated,
)
from bpe_studio.explain.wording import number, times
from bpe_studio.gui.tables.model import Column, RowsModel, widest_number
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.fact_list import Facts
from bpe_studio.gui.widgets.labels import Note, ReadingLabel, heading, statement
from bpe_studio.workspace.opening.trainer_checker import CheckedSplit

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.explain.check.check import Check, PairFacts
    from bpe_studio.explain.why.answers import WordRow, WordRows
    from bpe_studio.workspace.opening.trainer_checker import TrainerChecker, TrainerQuestion

_PAIR_SCALE = 1.6
_BOTH = (
    "Saves the right run and the trainer's run as a studio document, and opens it at the first"
    " wrong merge; Compare shows how each cuts the text"
)


class WordsModel(RowsModel["WordRow"]):
    """The words in which a pair occurs, the most frequent first."""

    def word(self, row: int) -> Chips:
        """The tokens of a word, with those of the pair highlighted."""
        each: WordRow = self.rows[row]
        names = [piece.name for piece in each.before]
        return Chips(names, each.is_rtl, each.highlighted, keeps_highlighted=True, between=" | ")

    def _widest(self) -> str:
        counts = [each.count for each in self.rows]
        return widest_number(*counts, 1000)

    columns = (
        Column(
            "word",
            "The word as it is cut at this merge; the pair's two tokens are outlined",
            is_number=False,
            chips=lambda model, row: model.word(row),
        ),
        Column(
            "count",
            "The number of times that the word occurs in the text",
            lambda model, row: number(model.rows[row].count),
            sample=lambda model: model._widest(),
        ),
    )


class PairColumn(QWidget):
    """One of the two pairs: its tokens, its count, and its words.

    Args:
        name: the prefix of its object names.
        title: its heading.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = heading(title, f"{name}_title", self)
        self.pair = named(TokenLinks(self, scale=_PAIR_SCALE), name, title)
        self.count = named(Note("", "help", self), f"{name}_count", f"{title}: how often it occurs")
        self.words = WordsModel(self)
        self.table = named(
            CompactTable(self), f"{name}_words", f"{title}: the words in which it occurs"
        )
        self.table.setModel(self.words)
        self.table.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        column(
            self.title, self.pair, self.count, self.table, STRETCH, parent=self, spacing=TIGHT_PX
        )

    def show_pair(self, pair: PairFacts | None, words: WordRows, config: TrainingConfig) -> None:
        """Shows a pair; None hides it."""
        self.setVisible(pair is not None)
        if pair is None:
            return
        left = display_log_name(pair.left, config)
        right = display_log_name(pair.right, config)
        is_known = pair.count is not None
        links = [Link(name, is_outlined=not is_known) for name in (left, right)]
        self.pair.set_links(
            [links[0], Link("+", is_sign=True), links[1]], is_rtl=any_right_to_left(left, right)
        )
        if pair.count is None:
            said = "one of its tokens does not exist yet"
        elif pair.count == 0:
            said = "does not occur"
        else:
            said = f"occurs {times(pair.count)}"
        self.count.set_message(said)
        self.words.show_rows(words.rows)
        self.table.setVisible(bool(words.rows))
        self.table.show_high(len(words.rows))
        self.table.fit_columns()


class AnswerPage(QWidget):
    """The result of a check, or why it could not be made.

    Signals:
        lesson_requested: str, the title of a lesson.
        runs_requested: the user wants to open the right run and the given one.
    """

    lesson_requested = Signal(str)
    runs_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer = statement("check.answer", "Answer")
        self.reason = ReadingLabel("check.reason", "Why", self)
        self.others = named(Note("", "warning", self), "check.others", "Further mistakes")
        self.given = PairColumn("check.given", "The trainer merges", self)
        self.expected = PairColumn("check.expected", "The right merge", self)
        self.explanation = ReadingLabel("check.mistake", "The mistake", self)
        self._lesson_lines = column(spacing=TIGHT_PX)
        self._lessons: list[QPushButton] = []
        self._titles: list[str] = []
        self.both = named(
            QPushButton("&Open both runs…", self), "check.both", "Open both runs", _BOTH
        )
        self.both.setAutoDefault(False)
        self.both.clicked.connect(self.runs_requested)
        self.marks_title = heading("Marks", "check.marks_title", self)
        self.marks = Facts("check.marks", self)
        self.about = named(Note("", "help", self), "check.about", "Checked file")
        pairs = QGridLayout()
        pairs.setContentsMargins(0, 0, 0, 0)
        pairs.setHorizontalSpacing(2 * GROUP_PX)
        for place, part in enumerate((self.given, self.expected)):
            pairs.addWidget(part, 0, place, Qt.AlignmentFlag.AlignTop)
            pairs.setColumnStretch(place, 1)
        column(
            self.answer,
            self.reason,
            self.others,
            SPACING_PX,
            pairs,
            SPACING_PX,
            self.explanation,
            self._lesson_lines,
            row(self.both, STRETCH),
            SPACING_PX,
            self.marks_title,
            self.marks,
            STRETCH,
            self.about,
            parent=self,
        )
        # Otherwise, the scroll area would take the height that the sentences need at the least
        # width.
        self.setMinimumHeight(1)
        self.report = ""

    def show_answer(self, checker: TrainerChecker) -> None:
        """Shows the result of a checker."""
        question = checker.question
        assert question is not None
        checked = checker.result
        found = None if checked is None else checked.found
        for part in (self.reason, self.others, self.given, self.expected, self.explanation):
            part.hide()
        self.both.hide()
        self._show_lessons([])
        if isinstance(checked, CheckedSplit):
            self._show_split(checked)
        elif checked is not None:
            self._show_found(
                checked.found, checked.given_words, checked.expected_words, question.config
            )
        else:
            self.answer.setText(checker.problem)
        self.about.set_message(_about(question))
        said = checker.problem if found is None else str(found)
        marks = results_of(checker.rubric, found, said) if checker.rubric else None
        self._show_marks(marks)
        self.report = _report(question, said, marks)

    def _show_found(
        self, found: Check, given: WordRows, expected: WordRows, config: TrainingConfig
    ) -> None:
        wrong = found.first_wrong
        self.answer.setText(found.headline)
        self.both.setVisible(wrong is not None)
        self._show_lessons(lessons_about(found.mistakes))
        given_pair = None
        expected_pair = None
        reason = " ".join(found.sentences[1:])
        if wrong is not None:
            given_pair = wrong.given
            expected_pair = wrong.expected
            reason = f"{found.reason[:1].upper()}{found.reason[1:]}"
        self._say(self.reason, reason)
        self.given.show_pair(given_pair, given, config)
        self.expected.show_pair(expected_pair, expected, config)
        self._say(self.explanation, "\n".join(found.explanation))
        self._say(self.others, "\n".join(found.others))

    def _show_split(self, checked: CheckedSplit) -> None:
        headline, *explanation = checked.found.sentences
        self.answer.setText(headline)
        if not checked.found.correct:
            before = isolated(display_text(checked.before))
            after = isolated(display_text(checked.after))
            self._say(self.reason, f"A piece begins at the bar: {before} | {after}")
        self._say(self.explanation, "\n".join(explanation))

    def _say(self, label: ReadingLabel | Note, text: str) -> None:
        label.set_message(text)
        label.setVisible(bool(text))

    def _show_lessons(self, titles: list[str]) -> None:
        while len(self._lessons) < len(titles):
            self._add_lesson()
        for place, button in enumerate(self._lessons):
            is_used = place < len(titles)
            if is_used:
                button.setText(f"Lesson: {titles[place]}".replace("&", "&&"))
            button.setVisible(is_used)
        self._titles = titles

    def _add_lesson(self) -> None:
        place = len(self._lessons)
        tip = "Closes this page and opens the lesson, which shows the mistake on a few words"
        button = named(QPushButton(self), f"check.lesson_{place}", "", tip)
        button.setAutoDefault(False)
        button.clicked.connect(partial(self._on_lesson, place))
        self._lessons.append(button)
        self._lesson_lines.addLayout(row(button, STRETCH))

    def _on_lesson(self, place: int, checked: bool = False) -> None:
        self.lesson_requested.emit(self._titles[place])

    def _show_marks(self, marks: dict[str, Any] | None) -> None:
        lines = [] if marks is None else _mark_lines(marks)
        self.marks_title.setVisible(bool(lines))
        facts = [Fact(*line) for line in lines]
        self.marks.show_facts(facts)


def _about(question: TrainerQuestion) -> str:
    name = question.path.name
    trainer = f"{name}, function {question.function}" if question.function else name
    lines = [f"Checked: {trainer}", f"Text: {question.text_name}"]
    if question.encoded is not None:
        lines.append(f"Encoded texts: {question.encoded.name}")
    return "\n".join([*lines, f"Settings: {question.settings_name}"])


def _mark_lines(marks: dict[str, Any]) -> list[tuple[str, str]]:
    """The points of each test, and of all."""
    tests = marks["tests"]
    lines = [(test["name"], f"{test['score']:g} of {test['max_score']:g}") for test in tests]
    total = sum(test["max_score"] for test in tests)
    return [*lines, ("In all", f"{marks['score']:g} of {total:g}")]


def _report(question: TrainerQuestion, said: str, marks: dict[str, Any] | None) -> str:
    lines = [_about(question), "", said, ""]
    if marks is not None:
        lines += ["Marks", *(f"{name}: {points}" for name, points in _mark_lines(marks)), ""]
    return "\n".join(lines)
