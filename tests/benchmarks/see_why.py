"""Section on seeing why: how long each answer takes to the screen of a real window, and what its thread felt meanwhile.

A hand drives the window as a person would, with clicks, drags and keys; the answer is there when the panel says that
it shows what was asked and the window has painted it. What the engine's part of that takes by itself is `reasons.py`.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio.gui.skyline.picture import Joint
from bpe_studio.workspace.state import State
from tests.benchmarks import texts
from tests.benchmarks.asking import FRAME_S, PARAGRAPH, REST_MS, SWITCH_MS, Asker, section
from tests.benchmarks.measuring import Bench
from tests.benchmarks.window_driving import own_folder
from tests.benchmarks.window_probe import wait, wait_until
from tests.gui.hand import ALT, CONTROL

N_FRAMES, N_ASKED, N_SWITCHES, N_LINES = 120, 12, 10, 6
BREAKPOINTS = (
    ("the token contains", "th"),
    ("the token's characters reach", "12"),
    ("a tie decides", ""),
    ("the pair's count falls below", "300"),
    ("a word becomes one token", "because"),
)

PARTS: dict[str, tuple[str, float | None]] = {
    "move": ("timeline: a move of a drag, to the painted window", FRAME_S * 1000),
    "rest": ("timeline: a click, to candidates and words of that step", REST_MS),
    "point": ("a breakpoint added, to its marks on the timeline", None),
    "stop": ("F9, to candidates and words of the next stop", REST_MS),
    "run_to_stop": ("Run from the start, to the first stop", None),
    "bookmark": ("Ctrl+D, to the bookmark in its list", SWITCH_MS),
    "next": ("why the next merge, after a click on the timeline", REST_MS),
    "candidate": ("why a candidate, clicked in the list", REST_MS),
    "merge": ("why a merge and its token, clicked in the list of merges", REST_MS),
    "token": ("why a token, clicked in the typed text", REST_MS),
    "tree": ("why a part of a token, clicked in its tree", REST_MS),
    "curve": ("the step of a place in a token's curve, with all that hangs on it", REST_MS),
    "first_line": ("lines of the corpus, to the first one", None),
    "all_lines": ("lines of the corpus, to all that are shown", None),
    "line_paragraph": ("skyline: a move of its line, a paragraph", FRAME_S * 1000),
    "line_page": ("skyline: a move of its line, a page", FRAME_S * 1000),
    "hover": ("skyline: a joint pointed at", FRAME_S * 1000),
    "joint": ("skyline: a joint clicked, to why its merge", REST_MS),
    "svg": ("skyline: a page saved as SVG", None),
    "png": ("skyline: a paragraph saved as PNG", None),
    "force": ("force a pair, to its branch learned and shown", None),
    "ties": ("another tie rule, to its branch learned and shown", None),
    "switch": ("another branch, to its step in the timeline, the text and the merges", SWITCH_MS),
    "switch_rest": ("another branch, to its candidates and words", REST_MS),
    "compare": ("two branches compared, after one is shown", None),
    "undo": ("Ctrl+Z, to the branch gone", SWITCH_MS),
}
"""What is measured, in words, and within how many milliseconds it has to be there."""


def why(bench: Bench) -> str:
    """Every answer, from the click to the screen."""
    return section(bench, "see_why:ask_window", PARTS, texts.text(bench))


def ask_window(path: str, vocab_size: int) -> dict[str, Any]:
    """Open and train, then ask everything of the window."""
    with own_folder() as folder:
        asker = WhyAsker(Path(path), folder)
        return asker.ask(
            vocab_size,
            (asker.travel, asker.ask_pairs, asker.ask_tokens, asker.use_skyline, asker.decide_otherwise),
        )


class WhyAsker(Asker):
    """Asks why."""

    def __init__(self, path: Path, folder: Path) -> None:
        super().__init__(path, folder, PARTS)

    # The parts.

    def travel(self) -> None:
        """Breakpoints, stops, bookmarks and the timeline."""
        hand, slider, marks = self.hand, self.window.transport.slider, self.window.panels["marks"]
        feed = self.window.transport.feed
        hand.show_panel("Marks")
        for question, value in BREAKPOINTS:
            hand.choose("marks.question", question)
            if value:
                hand.type_into("marks.value", value)
            self._take("point", lambda: hand.click("marks.add"), lambda: feed.is_up_to_date)
        hand.key(Qt.Key.Key_Home, ALT)
        self._settle()
        for _ in range(N_ASKED):
            here = self.workspace.step
            self._take(
                "stop",
                lambda: hand.key(Qt.Key.Key_F9),
                lambda here=here: self.workspace.step != here and self._is_step_there(),
            )
        hand.key(Qt.Key.Key_Home, ALT)
        self._settle()
        self._take("run_to_stop", lambda: hand.key(Qt.Key.Key_F5), lambda: self.workspace.step > 0)
        self._settle()
        self._drag("move", slider, [self._on_timeline(abs(1 - 2 * k / N_FRAMES)) for k in range(N_FRAMES)])
        for _ in range(N_ASKED):
            self._take("rest", self._click_timeline, self._is_step_there)
        n_marks = marks.bookmarks.topLevelItemCount()
        self._take(
            "bookmark", lambda: hand.key(Qt.Key.Key_D, CONTROL), lambda: marks.bookmarks.topLevelItemCount() > n_marks
        )

    def ask_pairs(self) -> None:
        """Why the next merge, and why not another."""
        hand, candidates = self.hand, self.window.panels["candidates"]
        self.window.actions_by_id["go.nothing"].trigger()
        hand.show_panel("Why")
        for _ in range(N_ASKED):
            self._take("next", self._click_timeline, self._is_why_there)
        for number in range(N_ASKED):
            hand.show_panel("Candidates")
            self._click_timeline()
            self._settle()
            hand.click_row(candidates.table, number % 5 + 1)
            self._take("candidate", lambda: hand.show_panel("Why"), self._is_why_there)

    def ask_tokens(self) -> None:
        """Why a merge, a token, its parts and its life; and lines of the corpus."""
        hand, merges, why_panel = self.hand, self.window.panels["merges"], self.window.panels["why"]
        editor, lines = self.window.text_panel.editor, self.window.panels["lines"]
        for _ in range(N_ASKED):
            self._click_timeline()
            self._settle()
            row = merges.table.rowAt(self._rng.randrange(10, merges.table.viewport().height() - 10))
            self._take("merge", lambda row=row: hand.click_row(merges.table, row), self._is_why_there)
            tree = why_panel.token.tree
            if tree.isVisible() and len(tree.spots) > 1:
                self._take("tree", lambda: hand.click(why_panel.token.tree, self._part()), self._is_why_there)
        hand.key(Qt.Key.Key_End, ALT)
        self._settle()
        for _ in range(N_ASKED):
            room = editor.viewport().rect()
            place = QPointF(self._rng.randrange(20, room.width() - 20), self._rng.randrange(20, room.height() - 20))
            self._take("token", lambda place=place: hand.click(editor, place), self._is_why_there)
            curve = why_panel.token.curve
            if curve.isVisible():
                at = QPointF(self._rng.uniform(0.2, 0.9) * curve.width(), curve.height() / 2)
                self._take("curve", lambda curve=curve, at=at: hand.click(curve, at), self._is_why_there)
        for _ in range(N_LINES):
            self._click_timeline()
            self._settle()
            hand.click_row(merges.table, merges.table.rowAt(30))
            self._settle()
            wait_until(self._is_why_there)
            hand.show_panel("Skyline")
            self._settle()
            self._take(
                "first_line",
                lambda: hand.click("why.lines"),
                lambda: lines.is_up_to_date and not lines._is_stale and lines.table.lines.rowCount() > 0,
            )
            begun_s = time.perf_counter()
            self.probe.enter("all_lines")
            wait_until(lambda: not lines.is_searching and lines._end is not None)
            self.probe.enter("")
            self._times_s["all_lines"].append(self._times_s["first_line"][-1] + time.perf_counter() - begun_s)
        hand.show_panel("Skyline")

    def _part(self) -> QPointF:
        tree = self.window.panels["why"].token.tree
        return tree.place_of(next(number for number in tree.spots if number)).center()

    def use_skyline(self) -> None:
        """Its line is dragged, its joints are pointed at and clicked, and it is saved."""
        hand, panel = self.hand, self.window.panels["skyline"]
        view = panel.view
        self._settle()
        for part in ("line_paragraph", "line_page"):
            if part == "line_page":
                hand.type_into("text.input", "")
                hand.write(self._text)
                wait(1.0)
                self._settle()
            picture = view.picture
            base = view.viewport().height() - 60.0
            here = QPointF(picture.left - 5.0, base)
            places = [
                here - QPointF(0, (base - 20.0) * abs(1 - abs(1 - 4 * k / N_FRAMES % 2))) for k in range(N_FRAMES)
            ]
            self._drag(part, view, places)
        hand.key(Qt.Key.Key_End, ALT)
        self._settle()
        joints = [view.picture.joint(gap) for gap in view.picture.joints().tolist()]
        for joint in self._rng.sample([each for each in joints if each is not None], N_ASKED):
            place = self._joint_place(joint)
            self._take("hover", lambda place=place: hand.hover(view, place), lambda: True)
            self._take("joint", lambda place=place: hand.click(view, place), self._is_why_there)
        for suffix in ("svg", "png"):
            if suffix == "png":  # a page is too large for one at its size, which the window says
                hand.type_into("text.input", "")
                hand.write(self._text[:PARAGRAPH])
                self._settle()
            path = self._folder / f"skyline.{suffix}"
            QFileDialog.getSaveFileName = lambda *_args, path=path: (str(path), "")  # type: ignore[assignment,misc]
            act = panel.save_svg if suffix == "svg" else panel.save_png
            saving = self.window.export_menu.saving
            self._take(suffix, act.trigger, lambda path=path, saving=saving: path.exists() and not saving.is_busy)

    def _joint_place(self, joint: Joint) -> QPointF:
        view = self.window.panels["skyline"].view
        view._show_place(view.picture.place_of(joint.gap))
        rect = view.picture.place_of(joint.gap)
        return QPointF(rect.center().x(), rect.top()) - view._seen().topLeft()

    def decide_otherwise(self) -> None:
        """Branches: made, shown in turn, compared, and taken back."""
        hand, workspace = self.hand, self.workspace
        candidates, branches = self.window.panels["candidates"], self.window.panels["branches"]
        hand.show_panel("Runs")
        hand.show_panel("Candidates")
        for share in (0.02, 0.3, 0.8):
            self._click_timeline(share)
            self._settle()
            row = next(k for k in range(1, candidates.model.rowCount()) if not candidates.model.row(k).obstacle)
            hand.click_row(candidates.table, row)
            n = len(workspace.runs.entries)
            self._take("force", lambda: hand.click("candidates.force"), lambda n=n: self._is_branched(n))
            self._settle()
            wait_until(lambda: branches.is_up_to_date)
        self._click_timeline(0.05)
        self._settle()
        n = len(workspace.runs.entries)
        rule = next(each for each in candidates.what_if.ties.actions() if not each.isChecked())
        self._take("ties", rule.trigger, lambda: self._is_branched(n))
        self._settle()
        wait_until(lambda: branches.is_up_to_date)
        for number in range(N_SWITCHES):
            chosen = workspace.runs.entries[number % len(workspace.runs.entries)].number
            if chosen == workspace.runs.shown.number:
                continue
            index = branches.tree.model().index_of(chosen)
            hand.click_row(branches.tree, index)
            wait(0.3)
            begun_s = time.perf_counter()
            self.probe.enter("switch")
            hand.key(Qt.Key.Key_Return)
            for part, is_there in (
                ("switch", self._is_switched),
                ("switch_rest", self._is_step_there),
                ("compare", lambda: branches.is_up_to_date),
            ):
                self.probe.enter(part)
                wait_until(is_there)
                QCoreApplication.processEvents()
                self._times_s[part].append(time.perf_counter() - begun_s)
            wait(0.1)
            self.probe.enter("")
            self._settle()
        hand.click("branches.tree", QPointF(5, 200))
        self._take("undo", lambda: hand.key(Qt.Key.Key_Z, CONTROL), lambda: len(workspace.runs.entries) == n)

    # What is there.

    def _is_branched(self, n_before: int) -> bool:
        return len(self.workspace.runs.entries) > n_before and self.workspace.state is not State.loading

    def _is_switched(self) -> bool:
        window, workspace = self.window, self.workspace
        editor, slider = window.text_panel.editor, window.transport.slider
        is_text_there = editor.step == workspace.step
        return is_text_there and slider.value() == workspace.step and slider.maximum() == workspace.n_merges

    def _is_step_there(self) -> bool:
        panels = self.window.panels
        front = panels["candidates"].isVisible() and not panels["candidates"].visibleRegion().isEmpty()
        is_listed = panels["candidates"].is_up_to_date if front else self._is_why_there()
        words = panels["words"]
        return is_listed and (words.is_up_to_date or words.visibleRegion().isEmpty())

    def _is_why_there(self) -> bool:
        panel = self.window.panels["why"]
        return bool(panel.is_up_to_date and not panel._turn.is_waiting)

    # The hand.

    def _click_timeline(self, share: float | None = None) -> None:
        share = self._rng.random() if share is None else share
        self.hand.click(self.window.transport.slider, self._on_timeline(share))

    def _on_timeline(self, share: float) -> QPointF:
        slider = self.window.transport.slider
        return QPointF(slider.place_of(share * slider.maximum()), slider.height() / 2)

    def _settle(self) -> None:
        wait(0.05)
        wait_until(self._is_step_there)
        wait(0.3)
