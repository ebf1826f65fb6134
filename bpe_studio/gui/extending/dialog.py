"""The form that extends or prunes a tokenizer: which one, on which corpus, and to which size.

Before tokens are removed, it shows which, and what that costs on the corpus. What can be removed,
and in which order, is found once for a tokenizer and a corpus, in a thread of its own; what a size
costs is counted in the pool whenever the size rests. Until that is known, the most that it can cost
is shown.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QDialog, QFormLayout, QLabel, QSlider, QWidget

from bpe_studio.engine.config import MAX_VOCAB_SIZE
from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.extending.removed_model import RemovedModel
from bpe_studio.gui.extending.tokenizer_choice import TokenizerChoice
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import (
    FORM_MARGINS,
    accept_or_cancel,
    begin_form,
    size_within,
)
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.files.changes.prune import PruningPlan
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.opening.changes import Place, Plan, Ready
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM = 42
HEIGHT_EM = 38
USUAL_MORE = 1000
COST_AFTER_MS = 120
_EXTENDS = (
    "Trains more merges on top of a tokenizer. Its tokens keep their ids, and so does a text in"
    " which no new merge applies."
)
_PRUNES = (
    "Removes the least used tokens that no other token is made from. A removed token is encoded as"
    " its two parts, which may merge with their neighbours."
)
_IN_LIST = "The result is a new run, which you can save in any format."
_OPENED = (
    "A third-party tokenizer is changed in its own format. The result is opened, and Save"
    " tokenizer… writes it; Undo returns to what is open now."
)


class ChangeDialog(QDialog):
    """Which tokenizer, on which corpus, and how many tokens it has afterwards.

    Args:
        workspace: what is open.
        memory: remembers the folder of files.
        prunes: whether tokens are removed, instead of added.
    """

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings,
        *,
        prunes: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._prunes = prunes
        self._jobs = Jobs(self)
        self._job = -1
        self._asked: tuple[Ready | None, Place | None] = (None, None)
        self._plan: Plan | None = None
        self._problem = ""
        self._cost: tuple[int, int | str] | None = None
        name, verb = ("prune", "Prune") if prunes else ("extend", "Extend")
        begin_form(self, name, f"{verb} a tokenizer")
        self.choice = TokenizerChoice(workspace, memory, name, self)
        self.about = Note("", "help", self)
        self.vocab_size = named(
            WholeNumber(self),
            f"{name}.vocab_size",
            "Vocabulary size",
            "The number of tokens to keep"
            if prunes
            else "The number of tokens in all, with the new ones",
        )
        self.vocab_size.setGroupSeparatorShown(True)
        self.vocab_size.setRange(0, MAX_VOCAB_SIZE)
        self.vocab_size.setSingleStep(1 if prunes else 100)
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal, self), f"{name}.slider", "Vocabulary size", ""
        )
        self.status = named(Note("", "help", self), f"{name}.status", "What will be done")
        self.progress = named(
            ProgressLine(self), f"{name}.progress", "How much of the corpus is counted"
        )
        self.progress.setFixedHeight(8)
        self.model = RemovedModel(self)
        self.table = named(CompactTable(self), f"{name}.table", "Tokens that are removed")
        self.table.setModel(self.model)
        self.table.fit_columns()
        stops = "Changes nothing (Esc)"
        buttons, self.start = accept_or_cancel(self, "start", f"&{verb}", cancel_tip=stops)
        self._counting = LatestAnswer(_cost_of, self, rest_ms=COST_AFTER_MS)
        column(
            self.about,
            GROUP_PX,
            self._form(),
            SPACING_PX,
            self.status,
            self.progress,
            (self.table, 1),
            *([] if prunes else [STRETCH]),
            GROUP_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
        )
        for widget in (self.slider, self.progress, self.table):
            widget.setVisible(prunes)
        self._connect()
        finish_controls(self)
        self.resize(self.sizeHint())
        self._on_choice_changed()

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setHorizontalSpacing(GROUP_PX)
        form.setVerticalSpacing(SPACING_PX)
        form.addRow("&Tokenizer", self.choice.tokenizer)
        form.addRow("&Corpus", self.choice.corpus)
        label = QLabel("&Vocabulary size", self)
        label.setBuddy(self.vocab_size)
        form.addRow(label, row(self.vocab_size, (self.slider, 1) if self._prunes else STRETCH))
        return form

    def _connect(self) -> None:
        self.choice.changed.connect(self._on_choice_changed)
        if self._prunes:
            self.vocab_size.valueChanged.connect(self.slider.setValue)
            self.slider.valueChanged.connect(self.vocab_size.setValue)
        self.vocab_size.valueChanged.connect(self._on_size_changed)
        self._counting.answered.connect(self._on_counted)
        self.start.clicked.connect(self._on_start)
        self.finished.connect(self._on_finished)

    def sizeHint(self) -> QSize:
        if self._prunes:
            return size_within(self, WIDTH_EM, HEIGHT_EM)
        em = self.fontMetrics().height()
        return QSize(WIDTH_EM * em, super().sizeHint().height() + 2 * em)

    @property
    def plan(self) -> PruningPlan | None:
        """What can be removed; None while that is not known."""
        return None if self._plan is None else self._plan.order

    @property
    def cost_is_known(self) -> bool:
        """Whether what the chosen size costs is counted, or cannot be."""
        return self._cost is not None and self._cost[0] == self.vocab_size.value()

    @Slot()
    def _on_choice_changed(self) -> None:
        asked = (self.choice.ready, self.choice.place)
        if asked != self._asked:
            before = self._asked
            self._asked = asked
            ready, place = asked
            if self._prunes:
                self._jobs.abandon(self._job)
                self._plan = None
                self._cost = None
                self._problem = ""
                self.model.show((), None)
                if ready is not None and place is not None:
                    work = partial(self._workspace.changes.plan, ready, place)
                    self._job = self._jobs.start(
                        partial(run_in_thread, work), self._on_progress, self._on_planned
                    )
                    self.progress.setRange(0, 0)
            elif ready is not None and ready is not before[0]:
                self.vocab_size.setRange(ready.vocab_size, MAX_VOCAB_SIZE)
                self.vocab_size.setValue(ready.vocab_size + USUAL_MORE)
        self._refresh()

    # What can be removed, and what a size costs.

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

    @Slot()
    def _on_size_changed(self) -> None:
        plan = self.plan
        if plan is not None:
            self.model.show(plan.removed(self.vocab_size.value()), plan.config)
            self.table.fit_columns()
            if not self.cost_is_known:
                self._counting.ask(plan, self.vocab_size.value())
        self._refresh()

    @Slot(object)
    def _on_counted(self, cost: tuple[PruningPlan, int, int | str]) -> None:
        plan, size, n_tokens = cost
        if plan is self.plan:
            self._cost = size, n_tokens
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        ready = self.choice.ready
        plan = self.plan
        is_opened = ready is not None and ready.replaces_what_is_open
        self.about.set_message(
            f"{_PRUNES if self._prunes else _EXTENDS} {_OPENED if is_opened else _IN_LIST}"
        )
        problem = self._problem or self._why_no_cost()
        why_not = self.choice.why_not or problem
        is_counting = self._prunes and plan is None and not why_not
        for field in (self.vocab_size, self.slider):
            field.setEnabled(plan is not None if self._prunes else ready is not None)
        self.progress.setVisible(is_counting)
        if why_not:
            self.status.set_message(why_not, "error" if self.choice.is_wrong or problem else "help")
        elif is_counting:
            self.status.set_message("Counting the tokens of the corpus …", "help")
            why_not = "the tokens are being counted"
        elif plan is not None:
            self.status.set_message(self._cost_text(plan), "plain")
            if not plan.removed(self.vocab_size.value()):
                why_not = "choose a smaller vocabulary"
        elif ready is not None:
            n_more = self.vocab_size.value() - ready.vocab_size
            more = (
                plural(n_more, "further merge")
                if n_more
                else "no further merge: the tokenizer stays as it is"
            )
            self.status.set_message(
                f"{ready.name} has {number(ready.vocab_size)} tokens; {more}", "help"
            )
        tip = (
            "Removes these tokens and shows the resulting run"
            if self._prunes
            else (
                "Trains the merges in the background and shows the run; what each saves is its"
                " count in Merges"
            )
        )
        enable(self.start, tip, why_not[:1].lower() + why_not[1:])
        self.table.set_placeholder("" if plan is None else "No token is removed")

    def _why_no_cost(self) -> str:
        """Why the tokenizer cannot be left with the chosen size; "" if it can, or that is not known
        yet.
        """
        return (
            self._cost[1]
            if self.cost_is_known and self._cost and isinstance(self._cost[1], str)
            else ""
        )

    def _cost_text(self, plan: PruningPlan) -> str:
        size = self.vocab_size.value()
        now = plan.n_tokens
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
        self.vocab_size.interpretText()
        if ready is None or place is None or self.choice.why_not:
            return
        if not self._prunes:
            self.accept()
            self._workspace.changes.extend(ready, place, self.vocab_size.value())
        elif plan is not None:
            self.accept()
            self._workspace.changes.prune(ready, place, plan, self.vocab_size.value())

    @Slot()
    def _on_finished(self) -> None:
        self._counting.forget()
        self._jobs.shutdown()
        self.deleteLater()


def _after(now: int, after: int) -> str:
    """The number of tokens afterwards, with how many percent more there are."""
    share = f" (+{percent((after - now) / now)})" if after > now > 0 else ""
    return f"{plural(after, 'token')}{share}"


def _cost_of(
    plan: PruningPlan, size: int
) -> Generator[object, None, tuple[PruningPlan, int, int | str]]:
    """The tokens of the corpus under a size, or why there is no such tokenizer.

    Runs in the pool.
    """
    try:
        return plan, size, (yield from plan.pruning(size)).n_tokens[1]
    except BpeError as error:
        text = str(error)
        return plan, size, text[:1].upper() + text[1:]
