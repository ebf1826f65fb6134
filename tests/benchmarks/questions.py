"""Section on questions: how many actions a person needs for an answer, and how long the answer takes to the screen.

Each question begins at the end of a finished run, in the view *Explore*, with nothing selected. An action is a click, a
click with the right button, a key with its modifiers, or a text typed into a field, with the click into it and the
Enter after it; a file that is chosen in the system's dialog is one. The answer is read from the window and printed, so
that one sees that the question was answered. A question without an answer after `DEADLINE_S` is reported as such, and
the next one is asked.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QWidget

import bpe_studio as bpe
from bpe_studio.workspace.state import State
from tests.benchmarks import texts
from tests.benchmarks.asking import Asker
from tests.benchmarks.measuring import Bench, Series, call
from tests.benchmarks.tables import table
from tests.benchmarks.window import screen
from tests.benchmarks.window_driving import own_folder
from tests.benchmarks.window_probe import wait, wait_until
from tests.gui.hand import ALT, CONTROL

MOST_ACTIONS = 3
LONGEST_ANSWER = 110
DEADLINE_S = 60.0
SENTENCE = "The uncopyrightable tokenizers kept antidisestablishmentarians waiting."
"""The typed text, with words that no size makes one token."""

Actions = list[tuple[str, Callable[[], Any]]]
"""Each action in words, and what does it."""


def questions(bench: Bench) -> str:
    """The questions of a person in front of a finished run: actions, time and answer."""
    with screen() as environment:
        job = call("questions:ask_questions", environment, path=str(texts.text(bench)), vocab_size=bench.vocab_size)
        series = bench.measure({"questions": job})["questions"]
    if series.failure:
        return series.failure
    rows = [_row(question, series) for question in QuestionAsker.QUESTIONS]
    return (
        f"A window on the platform `{series.value('platform')}`, {texts.describe(bench)}, "
        f"{series.value('n_trained'):,} merges. In milliseconds, from the last action to the answer on the screen; no "
        f"question should need more than {MOST_ACTIONS} actions.\n\n"
        + table(["question", "actions", "which", "median", "worst", "answer"], rows)
    )


def _row(question: str, series: Series) -> list[str]:
    """The line of one question; its answer is that of the first round, as "12 lines so far" differs between rounds."""
    rounds = [outcome for outcome in series.rounds if f"{question} failure" not in outcome]
    if len(rounds) < len(series.rounds):
        failed = next(outcome for outcome in series.rounds if outcome not in rounds)
        n_failed = len(series.rounds) - len(rounds)
        return [question, "", "", "", "", f"{n_failed} of {len(series.rounds)} times {failed[f'{question} failure']}"]
    times = series.values(question)
    asked = rounds[0][f"{question} actions"]
    return [
        question, str(len(asked)), "; ".join(asked), f"{statistics.median(times):.0f}", f"{max(times):.0f}",
        rounds[0][f"{question} answer"],
    ]  # fmt: skip


def ask_questions(path: str, vocab_size: int) -> dict[str, Any]:
    """Open and train, then ask all questions of the window."""
    with own_folder() as folder:
        asker = QuestionAsker(Path(path), folder)
        return asker.ask(vocab_size, (asker.ask_all,)) | asker.found


class QuestionAsker(Asker):
    """Asks each question once, from the same place."""

    QUESTIONS: ClassVar[tuple[str, ...]] = (
        "What merges first, and why?",
        "Did a tie decide?",
        'When does "ing" become a token?',
        "Why is this word cut here?",
        "What if I forbid that merge?",
        "How is this sentence cut at 1,000, 8,000 and 32,000?",
        "Which size is enough?",
        "Which tokens are never used?",
        "Where in the corpus is this token?",
        "Is mine better than that tokenizer?",
        "What does the split forbid?",
        "How do I get it as a file that my trainer reads?",
    )

    def __init__(self, path: Path, folder: Path) -> None:
        super().__init__(path, folder, ())
        self.found: dict[str, Any] = {}

    def ask_all(self) -> None:
        """All questions."""
        asked = (
            self._first_merge, self._tie, self._when, self._why_cut, self._forbid, self._sizes, self._enough,
            self._never_used, self._where, self._is_better, self._split, self._as_file,
        )  # fmt: skip
        self.hand.type_into("text.input", SENTENCE)
        for question, ask in zip(self.QUESTIONS, asked, strict=True):
            try:
                self._begin_again()
                ask(question)
            except (TimeoutError, AssertionError) as error:
                self.found[f"{question} failure"] = f"no answer: {error or 'the window does not show it'}"
                for widget in QApplication.topLevelWidgets():
                    if isinstance(widget, QDialog) and widget.isVisible():
                        widget.reject()

    def _begin_again(self) -> None:
        """Go back to the end of the run that was trained first, with nothing selected."""
        window, runs = self.window, self.workspace.runs
        if runs.shown is not None and runs.shown.number != runs.entries[0].number:
            runs.show(runs.entries[0].number)
            wait_until(lambda: self.workspace.state is State.done, DEADLINE_S)
        window.actions_by_id["go.nothing"].trigger()
        window.panels["merges"].filter.clear()
        window.views.show_view("explore")
        self.hand.key(Qt.Key.Key_End, ALT)
        self._settle()

    def _asked(self, question: str, actions: Actions, is_there: Callable[[], bool], answer: Callable[[], str]) -> None:
        for number, (_, act) in enumerate(actions):
            if number:
                wait(0.3)
            begun_s = time.perf_counter()
            act()
        wait_until(is_there, DEADLINE_S)
        QCoreApplication.processEvents()
        taken_s = time.perf_counter() - begun_s
        said = " ".join(answer().split())
        self.found |= {
            question: 1000 * taken_s,
            f"{question} actions": [what for what, _ in actions],
            f"{question} answer": said if len(said) <= LONGEST_ANSWER else f"{said[: LONGEST_ANSWER - 1]}…",
        }

    def _first_merge(self, question: str) -> None:
        panel = self.window.panels["candidates"]
        self._asked(
            question,
            [("Alt+Home", lambda: self.hand.key(Qt.Key.Key_Home, ALT))],
            lambda: self.workspace.step == 0 and panel.is_up_to_date,
            lambda: panel.reason.text(),
        )

    def _tie(self, question: str) -> None:
        merges = self.window.panels["merges"]
        row = merges.table.rowAt(merges.table.viewport().height() - 30)
        self._asked(
            question,
            [("click on the merge", lambda: self.hand.click_row(merges.table, row))],
            self._is_why_there,
            lambda: _said(self.window.panels["why"].pair.facts),
        )

    def _when(self, question: str) -> None:
        self._asked(
            question,
            [("ing and Enter in the filter of the merges", lambda: self._write("merges.filter", "ing"))],
            lambda: self._is_why_there() and self._merge_of_step() == "ing",
            lambda: f"{self._merge_of_step()}: {self.window.panels['why'].what.text()}",
        )

    def _merge_of_step(self) -> str:
        """The token that the last merge of the step made."""
        step = self.workspace.step
        return self.workspace.run.merges[step - 1].token if step else ""

    def _why_cut(self, question: str) -> None:
        editor = self.window.text_panel.editor
        place = self._border_place()
        self._asked(
            question,
            [("click on the border", lambda: self.hand.click(editor, place))],
            lambda: self._is_why_there() and self.window.panels["why"].border.isVisible(),
            lambda: self.window.panels["why"].border.sentence.text(),
        )

    def _forbid(self, question: str) -> None:
        merges, runs = self.window.panels["merges"], self.workspace.runs
        n_before = len(runs.entries)
        row = merges.table.rowAt(merges.table.viewport().height() - 30)
        index = merges.table.model().index(row, 1)
        place = merges.table.visualRect(index).center()
        self._asked(
            question,
            [
                ("right click on the merge", lambda: self._right_click(merges.table.viewport(), place)),
                ("Forbid", lambda: self.hand.pick_in_popup("Forbid")),
            ],
            lambda: len(runs.entries) > n_before and self.window.text_panel.editor.step == self.workspace.step,
            lambda: runs.shown.name,
        )
        self._settle()
        self.window.actions_by_id["edit.undo"].trigger()
        wait_until(lambda: len(runs.entries) == n_before, DEADLINE_S)

    def _never_used(self, question: str) -> None:
        panel = self.window.panels["vocabulary"]
        self._asked(
            question,
            [
                ("Ctrl+2", lambda: self.hand.key(Qt.Key.Key_2, CONTROL)),
                ("Never used", lambda: self.hand.click("vocabulary.unused")),
            ],
            lambda: panel.is_up_to_date and not panel.model.is_busy and panel.filters.states["unused"].isChecked(),
            lambda: f"{panel.filtered.count.text()}: {', '.join(panel.model.name(row) for row in range(5))}",
        )
        self.hand.click("vocabulary.unused")

    def _sizes(self, question: str) -> None:
        panel = self.window.panels["compare"]
        largest = self.workspace.run.vocab_size_at(self.workspace.n_merges)
        sizes = [size for size in (1_000, 8_000, 32_000) if size <= largest]
        self._asked(
            question,
            [
                ("Ctrl+3", lambda: self.hand.key(Qt.Key.Key_3, CONTROL)),
                ("the sizes and Enter", lambda: self._write("compare.sizes", ", ".join(map(str, sizes)))),
                ("Text", lambda: self.hand.show_panel("Text")),
            ],
            lambda: panel.is_up_to_date and len(self.workspace.compared_steps) == len(sizes),
            lambda: _said(panel.parts.currentWidget()),
        )

    def _enough(self, question: str) -> None:
        panel = self.window.panels["compare"]
        self._asked(
            question,
            [
                ("Ctrl+3", lambda: self.hand.key(Qt.Key.Key_3, CONTROL)),
                ("Advice", lambda: self.hand.show_panel("Advice")),
            ],
            lambda: panel.is_up_to_date and bool(self._headline()),
            self._headline,
        )

    def _headline(self) -> str:
        return next(
            (each.text() for each in self.window.findChildren(QLabel, "compare.enough") if each.isVisible()), ""
        )

    def _where(self, question: str) -> None:
        editor, lines = self.window.text_panel.editor, self.window.panels["lines"]
        place = QPointF(editor.cursorRect().center()) + QPointF(40, 0)
        self._asked(
            question,
            [
                ("click on the token", lambda: self.hand.click(editor, place)),
                ("Ctrl+L", lambda: self.hand.key(Qt.Key.Key_L, CONTROL)),
            ],
            lambda: lines.is_up_to_date and not lines._is_stale and lines.table.lines.rowCount() > 0,
            lambda: f"{lines.table.lines.rowCount()} lines so far",
        )

    def _is_better(self, question: str) -> None:
        panel, others = self.window.panels["compare"], self.workspace.tokenizers
        path = self._other_tokenizer()
        QFileDialog.getOpenFileNames = lambda *_args, **_kinds: ([str(path)], "")  # type: ignore[assignment,misc]
        self._asked(
            question,
            [
                ("Ctrl+3", lambda: self.hand.key(Qt.Key.Key_3, CONTROL)),
                ("Add tokenizer…, and the file", lambda: self.hand.click("compare.add_tokenizer", QPoint(10, 10))),
                ("Numbers", lambda: self.hand.show_panel("Numbers")),
            ],
            lambda: panel.is_up_to_date and bool(others.entries) and others.entries[-1].counts is not None,
            lambda: " · ".join(panel.model.text(len(panel.model.rows) - 1, k) for k in range(8)),
        )

    def _other_tokenizer(self) -> Path:
        """A tokenizer of another text in the form of GPT-2's files."""
        config = bpe.TrainingConfig.preset("gpt2", vocab_size=4096)
        folder = self._folder / "other"
        bpe.train(bpe.Corpus.from_text(self._text * 3, config), config).tokenizer().save(folder, "gpt2")
        return folder / "vocab.json"

    def _split(self, question: str) -> None:
        runs = self.workspace.runs
        n_before = len(runs.entries)
        self._asked(
            question,
            [
                ("New run…", self.window.actions_by_id["transport.new_run"].trigger),
                ("Split: none", lambda: self.hand.choose("new_run.split", "none")),
                ("Run", lambda: self.hand.click("new_run.learn")),
            ],
            lambda: (
                len(runs.entries) > n_before
                and self.workspace.state is State.done
                and self.window.panels["branches"].is_up_to_date
            ),
            lambda: _said(self.window.panels["branches"]),
        )

    def _as_file(self, question: str) -> None:
        path = self._folder / "for the trainer"
        saving = self.workspace.saver
        self._asked(
            question,
            [
                ("Save tokenizer…", self.window.actions_by_id["file.save_tokenizer"].trigger),
                ("the format", lambda: self.hand.click("save_tokenizer.gpt2")),
                ("the place and Enter", lambda: self._save_at(path)),
            ],
            lambda: (path / "merges.txt").exists() and not saving.is_saving,
            lambda: ", ".join(sorted(each.name for each in path.iterdir())),
        )

    def _save_at(self, path: Path) -> None:
        """Write the place, and press Enter when it is known what the formats can hold."""
        save = self.hand.find("save_tokenizer.save")
        wait_until(save.isEnabled, DEADLINE_S)
        self._write("save_tokenizer.path", str(path))

    def _right_click(self, target: QWidget, place: QPoint) -> None:
        """Ask for the menu of a place, as the platform does when the right button is pressed there."""
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, target.mapToGlobal(place))
        QTimer.singleShot(0, target, lambda: QCoreApplication.sendEvent(target, event))

    def _write(self, name: str, text: str) -> None:
        """Write a text into a field, and press Enter."""
        self.hand.type_into(name, text)
        self.hand.key(Qt.Key.Key_Return)

    # What is there.

    def _is_why_there(self) -> bool:
        panel = self.window.panels["why"]
        return bool(panel.isVisible() and panel.is_up_to_date and not panel._turn.is_waiting)

    def _border_place(self) -> QPoint:
        """A place on the border between two tokens of one word in the typed text."""
        editor = self.window.text_panel.editor
        room = editor.viewport().rect()
        for y in range(4, room.height(), 6):
            for x in range(0, room.width(), 2):
                hit = editor.border_under(QPoint(x, y))
                border = None if hit is None else editor.border_before(hit)
                if border is not None and not border.following:
                    return QPoint(x, y)
        raise AssertionError("no word of the text is cut")


def _said(widget: QWidget) -> str:
    """What the labels of a panel say."""
    return " · ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text())
