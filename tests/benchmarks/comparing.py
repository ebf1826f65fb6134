"""Section on comparing, teaching and taking away: how long each takes to the screen of a real window or to its file.

A hand drives the window as a person would; see `asking.py`. What the engine's part of the sizes takes by itself is
`sizes.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFileDialog, QTabBar, QWidget

from bpe_studio.gui.export.animation_dialog import AnimationDialog
from bpe_studio.workspace.state import State
from tests.benchmarks import texts
from tests.benchmarks.asking import FRAME_S, PAGE, REST_MS, Asker, section
from tests.benchmarks.measuring import Bench
from tests.benchmarks.window_driving import own_folder
from tests.benchmarks.window_probe import wait, wait_until
from tests.gui.hand import CONTROL

N_SIZES, N_TIMES, N_FRAMES, N_ROUNDS = 10, 4, 90, 3
LESSONS = ("01-hug-pug", "05-persian-lines", "11-five-languages")
SECOND_MS = 1000.0
WIDE, NARROW = (1500, 800), (1100, 800)
"""Of the panel where the curve stands beside its tabs."""
STRETCH = 20

PARTS: dict[str, tuple[str, float | None]] = {
    "sizes": ("ten sizes chosen, to the full table", SECOND_MS),
    "curve": ("the curve over all sizes, after its tab is clicked", REST_MS),
    "curve_page": ("the curve of a page that was pasted", SECOND_MS),
    "mark_curve": ("a mark dragged: a frame, curve alone", FRAME_S * 1000),
    "mark_numbers": ("a mark dragged: a frame, beside Numbers", FRAME_S * 1000),
    "mark_text": ("a mark dragged: a frame, beside Text", FRAME_S * 1000),
    "mark_words": ("a mark dragged: a frame, beside Words", FRAME_S * 1000),
    "mark_advice": ("a mark dragged: a frame, beside Advice", FRAME_S * 1000),
    "advice": ("the advice, after its tab is clicked", REST_MS),
    "hold_out": ("5 % held out, to the text counted again", None),
    "hold_out_curve": ("its curve, after the run is learned again", SECOND_MS),
    "reach": ("the largest vocabulary, found beside the window", None),
    "ask_run": ("the dialog for a run by other settings", REST_MS),
    "ties": ("a run by other ties, learned beside", None),
    "ties_why": ("... compared, with its reason", SECOND_MS),
    "split": ("a run by another split, learned beside", None),
    "split_why": ("... compared, with its reason", SECOND_MS),
    "sentencepiece": ("a run by the preset sentencepiece, learned beside", None),
    "sentencepiece_why": ("... compared, with its reason", SECOND_MS),
    "none": ("a run without a split, learned beside", None),
    "none_why": ("... compared, with its reason", SECOND_MS),
    "lesson": ("a lesson chosen, to its first step", None),
    "lesson_step": ("the next step of a lesson", REST_MS),
    "play": ("the game begun, to its question", REST_MS),
    "guess": ("a guess, to its verdict", REST_MS),
    "round": ("the next round, to its question", REST_MS),
    "merges_csv": ("the merges as CSV", None),
    "words_csv": ("the words of the corpus as CSV", None),
    "growth_svg": ("the growth as SVG", None),
    "coloured": ("the coloured text as HTML", None),
    "script": ("the run as a script", None),
    "ask_steps": ("the dialog for a range of steps, to its first picture", None),
    "steps_html": ("a range of steps of 20 merges as HTML", None),
    "steps_gif": ("a range of steps of 20 merges as GIF", None),
    "document": ("a document with its text saved", None),
    "document_opened": ("... and opened", None),
    "all_merges_csv": ("the merges up to the largest vocabulary as CSV", None),
}
"""What is measured, in words, and within how many milliseconds it has to be there."""


def compare(bench: Bench) -> str:
    """Every comparison, lesson and file, from the click to the screen or the disk."""
    return section(
        bench, "comparing:use_window", PARTS, texts.text(bench),
        lambda series: f"; the largest vocabulary has {series.value('n_merges'):,} merges",
    )  # fmt: skip


def use_window(path: str, vocab_size: int) -> dict[str, Any]:
    """Open and train, then do all of it."""
    with own_folder() as folder:
        asker = CompareAsker(Path(path), folder)
        return asker.ask(
            vocab_size,
            (
                asker.compare_sizes, asker.drag_marks, asker.learn_beside, asker.play, asker.take_away,
                asker.keep_document, asker.take_lessons, asker.hold_out, asker.reach_the_end,
            ),
        )  # fmt: skip


class CompareAsker(Asker):
    """Compares, learns and takes away."""

    def __init__(self, path: Path, folder: Path) -> None:
        super().__init__(path, folder, PARTS)
        self._vocab_size = 0

    # Sizes.

    def compare_sizes(self) -> None:
        """Ten sizes, the curve and the advice."""
        hand, panel = self.hand, self.window.panels["compare"]
        self._vocab_size = self.workspace.run.vocab_size_at(self.workspace.n_merges)
        hand.show_panel("Compare")
        self._settle()
        n_merges = self.workspace.n_merges
        hand.choose("compare.kind", "steps")
        for k in range(N_TIMES):
            steps = [max(1, n_merges * (j + 1) // N_SIZES - 7 * k - 1) for j in range(N_SIZES)]
            if panel.bar.clear.isEnabled():
                hand.click("compare.clear")
            self._settle()
            hand.type_into("compare.sizes", ", ".join(map(str, steps)))
            self._take("sizes", lambda: hand.key(Qt.Key.Key_Return), self._is_table_full)
        self._take("curve", lambda: self._open_tab("Curve"), self._is_curve_there)
        self._settle()
        hand.type_into("text.input", "")
        hand.write(self._text[:PAGE])
        length = len(self.workspace.typed_text)
        self._take("curve_page", lambda: None, lambda: self._is_curve_there(length))
        self._take("advice", lambda: self._open_tab("Advice"), self._is_advice_there)

    def drag_marks(self) -> None:
        """A mark is dragged over the curve, alone and beside each tab."""
        panel, window = self.window.panels["compare"], self.window
        before = window.size()
        window.resize(*NARROW)
        wait_until(lambda: panel.width() <= NARROW[0])
        self._open_tab("Curve")
        self._settle()
        self._drag_mark("mark_curve")
        window.resize(*WIDE)
        wait_until(lambda: panel.curve.isVisible() and panel.width() > WIDE[0] - 100)
        for title in ("Numbers", "Text", "Words", "Advice"):
            self._open_tab(title)
            self._settle()
            self._drag_mark(f"mark_{title.lower()}")
        window.resize(before)
        self._settle()

    def _drag_mark(self, part: str) -> None:
        curve = self.window.panels["compare"].curve.curve
        number = len(curve.marks) // 2
        handle = curve.handle(number)
        places, first = [], self._rng.uniform(0.2, 0.35)
        for k in range(N_FRAMES):
            share = first + 0.6 * abs(1 - 2 * k / N_FRAMES)
            places.append(QPointF(share * curve.width(), curve.height() / 2))
        place = QPointF(handle.geometry().center().x(), curve.height() / 2)
        moves: list[int] = []
        note = lambda _number, step: moves.append(step)  # noqa: E731
        curve.mark_moved.connect(note)
        self._drag(part, handle, [place, *places], curve)
        curve.mark_moved.disconnect(note)
        assert len(set(moves)) > N_FRAMES // 4, f"{part}: the mark moved to {len(set(moves))} steps only"

    def hold_out(self) -> None:
        """A part of the text is set aside, and the run is learned again."""
        hand, workspace, panel = self.hand, self.workspace, self.window.panels["compare"]
        self._open_tab("Advice")
        hand.type_into(panel.advice.hold_out.percent.objectName(), "5")
        hand.key(Qt.Key.Key_Tab)
        self._take(
            "hold_out",
            lambda: hand.click(panel.advice.hold_out.hold),
            lambda: workspace.corpus.held_out is not None and workspace.state is State.ready,
        )
        hand.click("transport.run_button")
        wait_until(lambda: workspace.state is State.done)
        self._take("hold_out_curve", lambda: None, self._is_held_out_there)

    def reach_the_end(self) -> None:
        """The largest vocabulary is found, then learned, and its merges are saved."""
        hand, workspace, panel = self.hand, self.workspace, self.window.panels["compare"]
        hand.show_panel("Compare")
        self._open_tab("Advice")
        self._settle()
        self._take(
            "reach",
            lambda: hand.click(panel.advice.reach.search),
            lambda: workspace.largest_vocabulary.found is not None and workspace.largest_vocabulary.found.is_known,
        )
        workspace.settings.apply(workspace.config.replace(vocab_size=workspace.largest_vocabulary.found.vocab_size))
        wait_until(lambda: workspace.state in (State.ready, State.paused))
        self._settle()
        hand.click("transport.run_button")
        wait_until(lambda: workspace.state is State.done)
        self._settle()
        self._save("all_merges_csv", "all merges.csv", self._save_merges)

    # Runs.

    def learn_beside(self) -> None:
        """Runs by other settings, each compared with the one that is open."""
        hand = self.hand
        hand.show_panel("Runs")
        self._settle()
        for part, name, value in (
            ("ties", "new_run.ties", "first-seen (textbooks)"),
            ("split", "new_run.split", "cl100k (GPT-4)"),
            ("sentencepiece", "new_run.preset", "sentencepiece"),
            ("none", "new_run.split", "none"),
        ):
            self._take("ask_run", lambda: hand.click("branches.new"), lambda: self._sees("new_run"))
            hand.choose(name, value)
            self._settle()
            n = len(self.workspace.runs.entries)
            self._take(
                part,
                lambda: hand.click("new_run.learn"),
                lambda n=n: len(self.workspace.runs.entries) > n and self.workspace.state is not State.loading,
            )
            self._take(f"{part}_why", lambda: None, lambda: self.window.panels["branches"].is_up_to_date)
            self._settle()

    # Lessons.

    def play(self) -> None:
        """Rounds of the game."""
        hand, window, game = self.hand, self.window, self.workspace.game
        self.workspace.transport.go_to(self.workspace.n_merges // 3)
        self._settle()
        begin = window.actions_by_id["learn.game"].trigger
        self._take("play", begin, lambda: self._is_asked(self.workspace.step))
        window.activateWindow()
        for _ in range(N_ROUNDS):
            step = self.workspace.step
            n = len(game.guesses)
            self._take("guess", lambda: hand.key(Qt.Key.Key_1), lambda n=n: len(game.guesses) > n)
            self._take("round", lambda: hand.key(Qt.Key.Key_Return), lambda step=step: self._is_asked(step + 1))
        hand.click("game.leave")
        self._settle()

    def _is_asked(self, step: int) -> bool:
        asked, page = self.workspace.game.round, self.window.game.page
        return asked is not None and asked.step == step and page.shown is not None

    def take_lessons(self) -> None:
        """Lessons from their first step to their last; then the corpus is opened again."""
        window, workspace, player = self.window, self.workspace, self.workspace.lesson
        by_id = {entry.id: entry for entry in window.lessons.entries}
        for name in LESSONS:
            path = by_id[name].path
            self._take("lesson", lambda path=path: window.open_files([path]), lambda: self._is_lesson_at(0))
            for place in range(1, len(player.lesson.steps)):
                go = lambda: self.hand.key(Qt.Key.Key_PageDown, CONTROL)  # noqa: E731
                self._take("lesson_step", go, lambda place=place: self._is_lesson_at(place))
        window.actions_by_id["learn.leave"].trigger()
        workspace.settings.apply(type(workspace.config).preset("gpt2", vocab_size=self._vocab_size))
        window.open_files([self._path])
        wait_until(lambda: workspace.state is State.ready and workspace.corpus.name == self._path.name)
        window.views.show_panel("compare")
        self._settle()

    def _is_lesson_at(self, place: int) -> bool:
        player = self.workspace.lesson
        return player.lesson is not None and player.place == place and player.is_ready

    # Files.

    def take_away(self) -> None:
        """Tables, plots, text, script and ranges of steps, each as its file."""
        exporter, window = self.window.export_menu, self.window
        self._save("merges_csv", "merges.csv", self._save_merges)
        words = window.findChild(QWidget, "corpus.words")
        self._save("words_csv", "words.csv", lambda: exporter.save_table(words))
        window.views.show_panel("growth")
        self._settle()
        plot = next(each for each in exporter.plots() if each.window() is window and "rowth" in str(each.export_name))
        self._save("growth_svg", "growth.svg", lambda: exporter.save_picture(plot, ".svg"))
        self._save("coloured", "text.html", exporter._own["text_html"].trigger)
        self._save("script", "run.py", exporter._own["script"].trigger)
        self._take("ask_steps", window.actions_by_id["file.export_range"].trigger, self._is_range_asked)
        self._choose_range("steps_html", "steps.html")
        window.actions_by_id["file.export_range"].trigger()
        wait_until(self._is_range_asked)
        self.hand.choose("export_range.form", "Animation (GIF)")
        wait(0.3)
        wait_until(self._is_range_asked)
        self._choose_range("steps_gif", "steps.gif")

    def _save_merges(self) -> None:
        self.window.export_menu.save_table(self.window.panels["merges"].table)

    def _is_range_asked(self) -> bool:
        dialog = self.window.findChild(AnimationDialog)
        return dialog is not None and dialog.save.isEnabled()

    def _choose_range(self, part: str, name: str) -> None:
        path = self._answer(name)
        dialog = self.window.findChild(AnimationDialog)
        end = dialog.end.value()
        dialog.begin.setValue(end - STRETCH)
        wait(0.3)
        wait_until(self._is_range_asked)
        click = lambda: self.hand.click("export_range.save")  # noqa: E731
        self._take(part, click, lambda: path.exists() and not dialog.export.is_busy)
        wait_until(lambda: self.window.findChild(AnimationDialog) is None)

    def _save(self, part: str, name: str, act: Callable[[], Any]) -> None:
        path, saving = self._answer(name), self.window.export_menu.saving
        self._take(part, act, lambda: path.exists() and not saving.is_busy)

    def _answer(self, name: str) -> Path:
        """What the person answers when they are asked where to."""
        path = self._folder / name
        QFileDialog.getSaveFileName = lambda *_args, **_kinds: (str(path), "")  # type: ignore[assignment,misc]
        return path

    def keep_document(self) -> None:
        """All of it is saved with its text, and opened."""
        window, workspace = self.window, self.workspace
        path = self._answer("all.bpestudio")
        n_branches, step = len(workspace.runs.entries), workspace.step
        act = window.actions_by_id["file.save_whole_document"].trigger
        self._take("document", act, lambda: workspace.document is not None and workspace.state is not State.loading)
        before = workspace.run
        self._take(
            "document_opened",
            lambda: window.open_files([path]),
            lambda: workspace.run not in (None, before) and workspace.state is not State.loading,
        )
        assert (len(workspace.runs.entries), workspace.step) == (n_branches, step)
        self._settle()

    # What is there.

    def _open_tab(self, title: str) -> None:
        bar = self.window.panels["compare"].tabs.tabBar()
        assert isinstance(bar, QTabBar)
        number = next(k for k in range(bar.count()) if bar.tabText(k) == title)
        self.hand.click(bar, bar.tabRect(number).center())

    def _is_table_full(self) -> bool:
        model = self.window.panels["compare"].model
        rows, uses = model.rows, model.uses
        return len(rows) == N_SIZES + 1 and all(
            use is not None and use.step == row.step for row, use in zip(rows, uses, strict=True)
        )

    def _is_curve_there(self, n_characters: int = 0) -> bool:
        curves = self.window.panels["compare"].curve.curves
        is_there = curves is not None and curves.run is self.workspace.run
        if not is_there or curves.n_merges != self.workspace.n_merges:
            return False
        n_bytes = len(self.workspace.typed_text.encode())
        return not n_characters or (curves.text is not None and curves.text.n_bytes == n_bytes)

    def _is_held_out_there(self) -> bool:
        return self._is_curve_there() and self.window.panels["compare"].curve.curves.held_out is not None

    def _is_advice_there(self) -> bool:
        advice = self.window.panels["compare"].advice
        return advice.costs.rowCount() > 0 and advice.savings.rowCount() > 0 and "of the tokens" in advice.words.text()

    def _sees(self, name: str) -> bool:
        return any(each.isVisible() for each in self.window.findChildren(QWidget, name))
