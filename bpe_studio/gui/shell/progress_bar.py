"""The line under the transport: what happens now, or, while nothing does, what comes next.

While a text is read or trained on: what, how far, the time left, and a button to cancel. At rest: what a run would do,
the next merge, or what was reached and what to do with it. The line keeps its height, so that nothing jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import in_sentence
from bpe_studio.explain.wording import number, plural, progress_text, times
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import MARGIN_PX, row
from bpe_studio.gui.widgets.controls import ActionButton, named
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.marks import breakpoint_in_words
from bpe_studio.workspace.state import Progress, State
from bpe_studio.workspace.workspace import Workspace

if TYPE_CHECKING:
    from bpe_studio.explain.candidates import CandidateList
    from bpe_studio.workspace.session import RunEntry

HEIGHT_PX = 36
N_MORE = 1000
BUSY = (State.loading, State.running)


class ProgressStrip(FollowsLook, QWidget):
    """One line of fixed height.

    Signals:
        compare_requested: the user wants to see sizes side by side.
        branch_compare_requested: the user wants to compare the branch that was just made with what it branched from.
    """

    compare_requested = Signal()
    branch_compare_requested = Signal()

    def __init__(self, workspace: Workspace, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._next: CandidateList | None = None
        self._new_branch = -1, -1
        self._view = ""
        self._turn = RefreshSlot(workspace, self)
        self.what = ElidedLabel()
        self.bar = ProgressLine()
        self.figures = AccessibleLabel()
        self.cancel = ActionButton(actions["transport.cancel"])
        self.compare_branch = QPushButton("Compare")
        self.compare = QPushButton("Compare sizes")
        self.more = QPushButton()
        self.save = QPushButton("Save tokenizer…")
        self._run = actions["transport.run"]
        self._build(actions)
        self._connect(actions)
        self.refresh()

    def _build(self, actions: Mapping[str, QAction]) -> None:
        named(self.what, "strip.what", "Current activity").explain(
            "Vocabulary: alphabet, merges and special tokens; tokens, bytes and times: over the whole corpus"
        )
        named(self.bar, "strip.progress", "Progress")
        self.bar.setFixedSize(220, 8)
        named(self.figures, "strip.figures", "Progress and time left").setFont(theme.numeric_font())
        named(self.cancel, "strip.cancel", "Cancel")
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        names = ((self.compare_branch, "compare_branch", "Compares the new branch with the run that it branched from"),
                 (self.compare, "compare", "Shows the typed text at several vocabulary sizes side by side"),
                 (self.more, "more", "Raises the target and trains on"),
                 (self.save, "save", actions["file.save_tokenizer"].toolTip()))  # fmt: skip
        for button, name, tip in names:
            named(button, f"strip.{name}", button.text().rstrip("…") or "More merges", tip)
        rest = (self.bar, self.figures, self.cancel, self.compare_branch, self.more, self.compare, self.save)
        row((self.what, 1), *rest, parent=self, margins=(MARGIN_PX, 2, MARGIN_PX, 2))
        self.follow_look()

    def font_changed(self) -> None:
        """Keep one height whatever is shown, with room for a button in the system's text size."""
        self.setFixedHeight(max(HEIGHT_PX, self.save.sizeHint().height() + 4))

    def _connect(self, actions: Mapping[str, QAction]) -> None:
        self.compare.clicked.connect(self.compare_requested)
        self.compare_branch.clicked.connect(self.branch_compare_requested)
        self._workspace.runs.branched.connect(self._on_branched)
        self.save.clicked.connect(actions["file.save_tokenizer"].trigger)
        self._run.enabledChanged.connect(self._on_run_enabled)
        self._on_run_enabled(self._run.isEnabled())
        self.more.clicked.connect(self._on_more_clicked)
        self._workspace.state_changed.connect(self.refresh)
        self._workspace.progress_changed.connect(self._on_changed)
        self._turn.granted.connect(self.refresh)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.step_changed.connect(self._on_changed)
        self._workspace.transport.stopped.connect(self._on_changed)
        self._workspace.target_changed.connect(self.refresh)

    @Slot(bool)
    def _on_run_enabled(self, is_enabled: bool) -> None:
        """Save is what one does next, and filled, only where Run is not."""
        self.save.setDefault(not is_enabled)

    @Slot(str)
    def show_view(self, key: str) -> None:
        """Offer to compare, except in the view that does."""
        self._view = key
        self.refresh()

    @Slot(object)
    def show_next(self, answer: CandidateList) -> None:
        """Show the first of the candidates that were counted for a step."""
        self._next = answer
        self.refresh()

    @Slot()
    def _on_run_changed(self) -> None:
        self._next = None
        self.refresh()

    @Slot(object)
    def _on_branched(self, number: int) -> None:
        """Show that the branch exists, until the user continues."""
        self._new_branch = number, self._workspace.step
        self.refresh()

    def _branch_just_made(self) -> RunEntry | None:
        """The current branch, if it was just made."""
        shown = self._workspace.runs.shown
        is_new = shown is not None and (shown.number, self._workspace.step) == self._new_branch
        return shown if is_new else None

    @Slot()
    def _on_more_clicked(self) -> None:
        self._workspace.transport.extend_target(N_MORE)
        self._workspace.transport.run_training()

    @Slot()
    def _on_changed(self) -> None:
        if self._workspace.state is State.running:
            self._turn.request()
        else:
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current state of the workspace."""
        self._turn.cancel()
        workspace = self._workspace
        state, progress = workspace.shown_state, workspace.progress
        is_busy = state in BUSY or progress is not None
        is_done = state is State.done and not is_busy
        self.bar.setVisible(is_busy)
        self.figures.setVisible(is_busy)
        self.cancel.setVisible(is_busy)
        is_new = not is_busy and self._branch_just_made() is not None
        self.compare_branch.setVisible(is_new)
        self.compare.setVisible(is_done and not is_new and workspace.n_merges > 1 and self._view != "compare")
        self.save.setVisible(is_done)
        self.more.setVisible(is_done and workspace.transport.can_train_more)
        self.more.setText(f"Train {number(N_MORE)} more")
        if is_busy:
            self._show_progress(progress)
        else:
            self.what.setText(*self._at_rest())

    def _show_progress(self, progress: Progress | None) -> None:
        if progress is None:
            self.what.setText("Training" if self._workspace.state is State.running else "Opening")
            self.figures.setText("")
            fraction = None
        else:
            self.what.setText(progress.what)
            # The step of a run is beside it already, and is repainted at another moment.
            is_run = self._workspace.state is State.running
            done, total = (0, 0) if is_run else (progress.done, progress.total)
            self.figures.setText(progress_text(done, total, progress.unit, progress.seconds_left))
            fraction = progress.fraction
        # A bar repaints itself at once, and with it all else that waits to be painted; so its updates are held back.
        self.bar.setUpdatesEnabled(False)
        self.bar.setRange(0, 0 if fraction is None else 1000)
        self.bar.setValue(round(1000 * (fraction or 0)))
        self.bar.setUpdatesEnabled(True)

    def _at_rest(self) -> tuple[str, ...]:
        """What comes next or was reached, and shorter wordings for where there is little room."""
        workspace = self._workspace
        state = workspace.shown_state
        if workspace.run is None:
            return ("Nothing is open",)
        if workspace.n_merges == 0 and not workspace.stop_reason:
            how = "run (F5), or step through them (F8)"
            ready = f"Ready to train {plural(workspace.target, 'merge')}"
            return *(f"{ready}: {how}{following}" for following in self._what_next()), f"{ready}: {how}", ready
        where, branch = "Paused", self._branch_just_made()
        is_at_end = workspace.step == workspace.n_merges and workspace.transport.stopped_at is None
        if state is State.done and is_at_end and branch is None:
            return (self._reached(),)
        if branch is not None and branch.override is not None:
            where = f"Branch “{branch.name}” from step {number(branch.override.step)}"
        elif workspace.transport.stopped_at is not None:
            step, point = workspace.transport.stopped_at
            where = f"Stopped at step {number(step)}: {breakpoint_in_words(point)}"
        elif workspace.step < workspace.n_merges:
            where = f"Step {number(workspace.step)} of {number(workspace.n_merges)}"
        return *(f"{where}{following}" for following in self._what_next()), where

    def _what_next(self) -> tuple[str, ...]:
        """The next merge, why it is next, and less of it."""
        answer = self._next
        if answer is None or answer.step != self._workspace.step:
            return ()
        row = next((row for row in answer.rows if row.mark == "next"), None)
        if row is None:
            return (f".  {answer.reason}",)
        left, right, token = map(in_sentence, (row.left, row.right, row.token))
        why = "the most frequent" if row.tied == 1 else f"one of {number(row.tied)} equally frequent"
        run = self._workspace.run
        if run is not None and run.plan.forced_at(answer.step) is not None:
            why = "forced by the settings" if run.plan.override_at(answer.step) is None else "forced by you"
        merge = f".  Next: {left} + {right} → {token}"
        if run is not None and not has_pairs(run):
            return (merge,)
        return f"{merge}, {times(row.count)}, {why}", f"{merge}, {times(row.count)}", merge

    def _reached(self) -> str:
        workspace = self._workspace
        run, corpus = workspace.run, workspace.corpus
        assert run is not None
        if corpus is not None and not corpus.has_words:
            return f"A tokenizer without a text: vocabulary size {number(run.vocab_size_at(workspace.n_merges))}"
        is_short = workspace.stop_reason and workspace.n_merges < workspace.target
        why = f"; {workspace.stop_reason}" if is_short else ""
        # What the corpus has become is in the status bar.
        return f"Done: vocabulary size {number(run.vocab_size_at(workspace.n_merges))}{why}"
