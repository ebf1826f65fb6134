"""The form that removes tokens: what any size costs on the corpus is shown before anything is done.

What can be removed, and in which order, is found once for a tokenizer and a corpus, in a thread of its own; what a size
costs is counted in the pool whenever the size rests. Until that is known, the most that it can cost is shown.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QSlider, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.extending.removed_model import RemovedModel, RemovedTokenDelegate
from bpe_studio.gui.extending.tokenizer_choice import TokenizerChoice
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel, begin_form, size_within
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.training.pruning import PruningPlan
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.opening.extensions import Place
    from bpe_studio.workspace.opening.tokenizer_change import Changeable, Plan
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM, HEIGHT_EM = 42, 38
COST_AFTER_MS = 120
_ABOUT = (
    "Removes tokens that no other token is made from, the least used first; where one occurred, its two parts occur."
)
_TIP = "Removes these tokens and shows the run that is left"


class PruneDialog(QDialog):
    """Which tokenizer, in which corpus its tokens are counted, and how many remain.

    Args:
        workspace: what is open.
        memory: remembers the folder of files.
    """

    def __init__(self, workspace: Workspace, memory: WindowSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._jobs, self._job = Jobs(self), -1
        self._asked: tuple[Changeable | None, Place | None] = (None, None)
        self._plan: Plan | None = None
        self._problem = ""
        self._cost: tuple[int, int | str] | None = None
        begin_form(self, "prune", "Prune a tokenizer")
        self.choice = TokenizerChoice(workspace, memory, "prune", self)
        self.about = self.choice.about(_ABOUT)
        self.vocab_size = named(
            WholeNumber(self), "prune.vocab_size", "Vocabulary size", "The number of tokens that remain"
        )
        self.vocab_size.setGroupSeparatorShown(True)
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal, self), "prune.slider", "Tokens that remain", "How many tokens remain"
        )
        self.cost = named(Note("", "plain", self), "prune.cost", "What it costs on the corpus")
        self.progress = named(ProgressLine(self), "prune.progress", "How much of the corpus is counted")
        self.progress.setFixedHeight(8)
        self.model = RemovedModel(self)
        self.table = named(CompactTable(self), "prune.table", "Tokens that are removed")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(RemovedModel.TOKEN, RemovedTokenDelegate(self.table))
        self.table.fit_columns()
        stops = "Stops counting and changes nothing (Esc)"
        buttons, self.start = accept_or_cancel(self, "start", "&Prune", cancel_tip=stops)
        self._rest = QTimer(self, singleShot=True, interval=COST_AFTER_MS)
        self._counting = LatestAnswer(_cost_of, self)
        self._lay_out(buttons)
        self._connect()
        finish_controls(self)
        self.resize(self.sizeHint())
        self._on_choice_changed()

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        form = self.choice.form(self.vocab_size, row(self.vocab_size, (self.slider, 1)))
        column(
            self.about, GROUP_PX, form, SPACING_PX, self.cost, self.progress, (self.table, 1), GROUP_PX,
            buttons, parent=self, margins=FORM_MARGINS,
        )  # fmt: skip

    def _connect(self) -> None:
        self.choice.changed.connect(self._on_choice_changed)
        self.vocab_size.valueChanged.connect(self.slider.setValue)
        self.slider.valueChanged.connect(self.vocab_size.setValue)
        self.vocab_size.valueChanged.connect(self._on_size_changed)
        self._rest.timeout.connect(self._count)
        self._counting.answered.connect(self._on_counted)
        self.start.clicked.connect(self._on_start)
        self.finished.connect(self._on_finished)

    def sizeHint(self) -> QSize:
        return size_within(self, WIDTH_EM, HEIGHT_EM)

    @property
    def plan(self) -> PruningPlan | None:
        """What can be removed; None while that is not known."""
        return None if self._plan is None else self._plan.order

    @property
    def cost_is_known(self) -> bool:
        """Whether what the chosen size costs is counted, or cannot be."""
        return self._cost is not None and self._cost[0] == self.vocab_size.value()

    # What can be removed.

    @Slot()
    def _on_choice_changed(self) -> None:
        asked = (self.choice.ready, self.choice.place)
        if asked != self._asked:
            self._asked = asked
            self._jobs.abandon(self._job)
            self._plan, self._cost, self._problem = None, None, ""
            ready, place = asked
            if ready is not None and place is not None:
                work = partial(self._workspace.extensions.plan, ready, place)
                self._job = self._jobs.start(partial(run_in_thread, work), self._on_progress, self._on_planned)
                self.progress.setRange(0, 0)
            self.model.show((), None)
        self._refresh()

    def _on_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            share = progress.fraction
            self.progress.setRange(0, 0 if share is None else 100)
            self.progress.setValue(round(100 * (share or 0.0)))

    def _on_planned(self, ended: Ended) -> None:
        if ended.outcome is Outcome.finished:
            self._plan = ended.result
            plan = self.plan
            assert plan is not None
            size = plan.vocab_size
            for field in (self.vocab_size, self.slider):
                field.setRange(plan.smallest, size)
            self.vocab_size.setValue(size - plan.n_free)
            self.slider.setPageStep(max(1, (size - plan.smallest) // 20))
            self._on_size_changed()
        elif ended.error is not None:
            self._problem = failure_of("Count the tokens", ended.error).message
            self._refresh()

    # What a size costs.

    @Slot()
    def _on_size_changed(self) -> None:
        plan = self.plan
        if plan is not None:
            self.model.show(plan.removed(self.vocab_size.value()), plan.config)
            self.table.fit_columns()
            self._rest.start()
        self._refresh()

    @Slot()
    def _count(self) -> None:
        if self.plan is not None and not self.cost_is_known:
            self._counting.ask(self.plan, self.vocab_size.value())

    @Slot(object)
    def _on_counted(self, cost: tuple[PruningPlan, int, int | str]) -> None:
        plan, size, n_tokens = cost
        if plan is self.plan:
            self._cost = size, n_tokens
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        plan, why_not = self.plan, self.choice.why_not or self._problem or self._why_no_cost()
        is_counting = plan is None and not why_not
        self.progress.setVisible(is_counting)
        for field in (self.vocab_size, self.slider):
            field.setEnabled(plan is not None)
        if why_not:
            is_wrong = self.choice.is_wrong or self._problem or self._why_no_cost()
            self.cost.set_message(why_not, "error" if is_wrong else "help")
        elif plan is None:
            self.cost.set_message("Counting the tokens of the corpus …", "help")
        else:
            self.cost.set_message(self._cost_text(plan), "plain")
        if is_counting:
            why_not = "the tokens are being counted"
        n_removed = len(plan.removed(self.vocab_size.value())) if plan is not None else 0
        if not why_not and not n_removed:
            why_not = "choose a smaller vocabulary"
        enable(self.start, _TIP, why_not[:1].lower() + why_not[1:])
        self.table.set_placeholder("" if plan is None else "No token is removed")

    def _why_no_cost(self) -> str:
        """Why the tokenizer cannot be left with the chosen size; "" if it can, or that is not known yet."""
        return self._cost[1] if self.cost_is_known and self._cost and isinstance(self._cost[1], str) else ""

    def _cost_text(self, plan: PruningPlan) -> str:
        size, now = self.vocab_size.value(), plan.n_tokens
        removed = plural(len(plan.removed(size)), "token")
        most = plan.most_tokens(size)
        if most == now:
            return f"{removed} removed: the corpus keeps its {plural(now, 'token')}"
        begin = f"{removed} removed: the corpus has"
        if self.cost_is_known and self._cost is not None and isinstance(self._cost[1], int):
            return f"{begin} {_after(now, self._cost[1])} instead of {number(now)}"
        return f"{begin} at most {_after(now, most)} instead of {number(now)} …"

    @Slot()
    def _on_start(self) -> None:
        (ready, place), plan = self._asked, self._plan
        if plan is not None and ready is not None and place is not None:
            self.accept()
            self._workspace.extensions.prune(ready, place, plan, self.vocab_size.value())

    @Slot()
    def _on_finished(self) -> None:
        self._rest.stop()
        self._counting.forget()
        self._jobs.shutdown()
        self.deleteLater()


def _after(now: int, after: int) -> str:
    """The number of tokens afterwards, with how many percent more there are."""
    share = f" (+{percent((after - now) / now)})" if after > now > 0 else ""
    return f"{plural(after, 'token')}{share}"


def _cost_of(plan: PruningPlan, size: int) -> Generator[object, None, tuple[PruningPlan, int, int | str]]:
    """The tokens of the corpus under a size, or why there is no such tokenizer; runs in the pool."""
    try:
        return plan, size, (yield from plan.counting(size))
    except BpeError as error:
        text = str(error)
        return plan, size, text[:1].upper() + text[1:]
