"""The lines between typed text and skyline: the merge that was just made, and below it the activity
or the next merge.
While a text is read or trained on, the lower line has the activity, its progress, the time left,
and a button that cancels it. At rest it has the next merge, or the result and buttons to go on with
it. The lines keep their height, so that nothing jumps. Other pages only have the activity, while
one is underway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.explain.merges import comes_next, coming_in_words, forced_by, just_made
from bpe_studio.explain.names import in_sentence
from bpe_studio.explain.wording import number, plural, progress_text
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, column, row
from bpe_studio.gui.widgets.controls import ActionButton, named
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.marks import breakpoint_in_words
from bpe_studio.workspace.state import Progress, State
from bpe_studio.workspace.workspace import Workspace

if TYPE_CHECKING:
    from bpe_studio.explain.candidates import CandidateList
    from bpe_studio.workspace.session import RunEntry

SENTENCE = 1.15
"""The size of the letters of the two sentences: between the typed text and everything else."""
N_MORE = 1000
BUSY = (State.loading, State.running)


class ProgressStrip(FollowsLook, QWidget):
    """Two lines of fixed height, or one.

    Signals:
        compare_requested: the user wants to see sizes side by side.
        branch_compare_requested: the user wants to compare the branch that was just made with the
            run that it branched from.
    """

    compare_requested = Signal()
    branch_compare_requested = Signal()

    def __init__(
        self, workspace: Workspace, actions: Mapping[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._next: CandidateList | None = None
        self._new_branch = -1, -1
        self._is_wanted = True
        self._is_brief = False
        self._turn = RefreshSlot(workspace, self)
        self.made = ElidedLabel()
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
        named(self.made, "strip.made", "The merge that was just made")
        named(self.what, "strip.what", "Current activity").explain(
            "Vocabulary: alphabet, merges and special tokens; tokens, bytes and times: over the"
            " whole corpus"
        )
        named(self.bar, "strip.progress", "Progress")
        self.bar.setFixedSize(120, 8)
        named(self.figures, "strip.figures", "Progress and time left").setFont(theme.numeric_font())
        named(self.cancel, "strip.cancel", "Cancel")
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        names = (
            (
                self.compare_branch,
                "compare_branch",
                "Compares the new branch with the run that it branched from",
            ),
            (
                self.compare,
                "compare",
                "Shows the typed text at several vocabulary sizes side by side",
            ),
            (self.more, "more", "Raises the target and trains on"),
            (self.save, "save", actions["file.save_tokenizer"].toolTip()),
        )
        for button, name, tip in names:
            named(button, f"strip.{name}", button.text().rstrip("…") or "More merges", tip)
        rest = (
            self.bar,
            self.figures,
            self.cancel,
            self.compare_branch,
            self.more,
            self.compare,
            self.save,
        )
        self._lines = column(self.made, row((self.what, 1), *rest), parent=self, spacing=0)
        for sentence in (self.made, self.what):
            enlarge(sentence, SENTENCE)
        self.follow_look()

    def font_changed(self) -> None:
        """Keep one height, with room for a button in the system's text size."""
        line = self.save.sizeHint().height() + 4
        self.made.setFixedHeight(self.made.fontMetrics().height() + 4)
        height = line if self._is_brief else line + self.made.height()
        self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_buttons()

    def place(self, *, is_wanted: bool, is_brief: bool) -> None:
        """Follow the page that is shown.

        Args:
            is_wanted: whether the lines may be seen on it.
            is_brief: whether only the activity is shown, while one is underway.
        """
        if (is_wanted, is_brief) != (self._is_wanted, self._is_brief):
            self._is_wanted = is_wanted
            self._is_brief = is_brief
            self.made.setHidden(is_brief)
            side_px = MARGIN_PX if is_brief else 0
            self._lines.setContentsMargins(side_px, 0, side_px, 0)
            self.font_changed()
        self.refresh()

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
        """Make Save the filled button, for the usual next action, if Run is not."""
        self.save.setDefault(not is_enabled)

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
            # The upper line changes with the step; the rest waits for its turn.
            self.made.setText(*self._above())
            self._turn.request()
        else:
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current state of the workspace."""
        self._turn.cancel()
        is_busy = self._is_busy
        self.setVisible(self._is_wanted and (is_busy or not self._is_brief))
        self.bar.setVisible(is_busy)
        self.figures.setVisible(is_busy)
        self.cancel.setVisible(is_busy)
        self.made.setText(*self._above())
        if is_busy:
            self._show_progress(self._workspace.progress)
        else:
            self.what.setText(*self._at_rest())
        self._show_buttons()

    @property
    def _is_busy(self) -> bool:
        return self._workspace.shown_state in BUSY or self._workspace.progress is not None

    def _show_buttons(self) -> None:
        """Offer the usual next actions, and the comparison of sizes if it has room, too."""
        workspace = self._workspace
        is_done = workspace.shown_state is State.done and not self._is_busy
        is_new = not self._is_busy and self._branch_just_made() is not None
        self.compare_branch.setVisible(is_new)
        self.save.setVisible(is_done)
        self.more.setVisible(is_done and workspace.transport.can_train_more)
        self.more.setText(f"Train {number(N_MORE)} more")
        taken = self.what.sizeHint().width()
        for button in (self.save, self.more, self.compare):
            taken += button.sizeHint().width() + SPACING_PX
        self.compare.setVisible(
            is_done and not is_new and workspace.n_merges > 1 and taken <= self.width()
        )

    def _show_progress(self, progress: Progress | None) -> None:
        if progress is None:
            what = "Training" if self._workspace.state is State.running else "Opening"
            self.what.setText(what)
            self.figures.setText("")
            fraction = None
        else:
            self.what.setText(progress.what)
            done = progress.done
            total = progress.total
            if self._workspace.state is State.running:
                # The step is shown next to it already, and is repainted at another moment.
                done = 0
                total = 0
            self.figures.setText(progress_text(done, total, progress.unit, progress.seconds_left))
            fraction = progress.fraction
        # A bar repaints at once, together with everything that waits to be painted, so its updates
        # are held back.
        self.bar.setUpdatesEnabled(False)
        most = 0 if fraction is None else 1000
        self.bar.setRange(0, most)
        self.bar.setValue(round(1000 * (fraction or 0)))
        self.bar.setUpdatesEnabled(True)

    def _above(self) -> tuple[str, ...]:
        """The merge that was just made, or how to make the first one, and shorter wordings."""
        workspace = self._workspace
        run = workspace.run
        if run is None:
            return ("",)
        if 0 < workspace.step <= workspace.n_merges:
            return just_made(run, workspace.step)
        if workspace.n_merges > 0 or workspace.stop_reason:
            return ("",)
        ready = f"Ready to train {plural(workspace.target, 'merge')}"
        return f"{ready}: run (F5), or step through them (F8)", ready

    def _at_rest(self) -> tuple[str, ...]:
        """The next merge or the result, and shorter wordings."""
        workspace = self._workspace
        if workspace.run is None:
            return ("Nothing is open",)
        where = ""
        branch = self._branch_just_made()
        is_at_end = workspace.step == workspace.n_merges and workspace.transport.stopped_at is None
        if workspace.shown_state is State.done and is_at_end and branch is None:
            return (self._reached(),)
        if branch is not None and branch.override is not None:
            where = f"Branch “{branch.name}” from step {number(branch.override.step)}"
        elif workspace.transport.stopped_at is not None:
            step, point = workspace.transport.stopped_at
            where = f"Stopped at step {number(step)}: {breakpoint_in_words(point)}"
        coming = self._coming()
        if not where:
            return coming
        return *(f"{where}.  {each}" for each in coming), where

    def _coming(self) -> tuple[str, ...]:
        """The next merge and the reason for it, and shorter wordings."""
        workspace = self._workspace
        answer = self._next
        run = workspace.run
        step = workspace.step
        assert run is not None
        if step < workspace.n_merges:
            return comes_next(run, step)
        if answer is None or answer.step != step:
            return ("",)
        row = next((row for row in answer.rows if row.mark == "next"), None)
        if row is None:
            return (answer.reason,)
        left, right, token = map(in_sentence, (row.left, row.right, row.token))
        why = ""
        if run.plan.forced_at(step) is not None:
            why = forced_by(run, step)
        return coming_in_words(run, f"{left} + {right} → {token}", row.count, row.tied, why)

    def _reached(self) -> str:
        workspace = self._workspace
        run = workspace.run
        corpus = workspace.corpus
        assert run is not None
        if corpus is not None and not corpus.has_words:
            return (
                "A tokenizer without a text: vocabulary size"
                f" {number(run.vocab_size_at(workspace.n_merges))}"
            )
        # The status bar has the numbers of the corpus.
        message = f"Done: vocabulary size {number(run.vocab_size_at(workspace.n_merges))}"
        if workspace.stop_reason and workspace.n_merges < workspace.target:
            message += f"; {workspace.stop_reason}"
        return message
