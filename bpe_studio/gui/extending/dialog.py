"""The form that extends or prunes a tokenizer: it asks for the tokenizer, the corpus and the size.

Before tokens are removed, the form lists them and shows the cost on the corpus. The order in which
tokens can be removed is found once for a tokenizer and a corpus, in a thread of its own. The pool
counts the cost of a size after each pause; until then, the form shows an upper limit.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QLabel, QSizePolicy, QSlider, QWidget

from bpe_studio.engine.config import MAX_VOCAB_SIZE
from bpe_studio.errors import BpeError
from bpe_studio.explain.names import display_log_name, elided
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.tables.model import Column, RowsModel, widest_number
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, Item, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, enable, finish_controls, named
from bpe_studio.gui.widgets.file_dialogs import ask_for_texts, ask_for_tokenizer
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
from bpe_studio.workspace.opening.changes import Changes, Place, Ready, Source
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.files.changes.prune import PruningPlan, RemovedToken
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.opening.changes import Plan
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM = 42
HEIGHT_EM = 38
USUAL_MORE = 1000
COST_AFTER_MS = 120
_EXTENDS = (
    "Trains more merges on top of a tokenizer. Its tokens keep their ids, and a text in which no"
    " new merge applies keeps its ids too."
)
_PRUNES = (
    "Removes the least used tokens that no other token is made from. The two parts of a removed"
    " token then take its place, and may merge with their neighbours."
)
_IN_LIST = "The result is a new run, which you can save in any format."
_OPENED = (
    "A third-party tokenizer is changed in its own format. The program opens the result: Save"
    " tokenizer… writes it, and Undo returns to what is open now."
)

_log = logging.getLogger(__name__)
_FILE = "A file…"
_FOLDER = "A folder…"
_TEXT = "A text in files…"
_MOST_CHARACTERS = 44


class ChangeDialog(QDialog):
    """Asks for the tokenizer, the corpus, and the number of tokens afterwards.

    Args:
        workspace: the open corpus and its runs.
        memory: remembers the folder of files.
        prunes: whether tokens are removed instead of added.
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
        name = "extend"
        verb = "Extend"
        tip = "The number of all tokens, with the new ones"
        step = 100
        if prunes:
            name = "prune"
            verb = "Prune"
            tip = "The number of tokens to keep"
            step = 1
        begin_form(self, name, f"{verb} a tokenizer")
        self.choice = _TokenizerChoice(workspace, memory, name, self)
        self.about = Note("", "help", self)
        self.vocab_size = named(WholeNumber(self), f"{name}.vocab_size", "Vocabulary size", tip)
        self.vocab_size.setGroupSeparatorShown(True)
        self.vocab_size.setRange(0, MAX_VOCAB_SIZE)
        self.vocab_size.setSingleStep(step)
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal, self), f"{name}.slider", "Vocabulary size", ""
        )
        self.status = named(Note("", "help", self), f"{name}.status", "Effect of the change")
        self.progress = named(
            ProgressLine(self), f"{name}.progress", "The share of the corpus that is counted"
        )
        self.progress.setFixedHeight(8)
        self.model = _RemovedModel(self)
        self.table = named(CompactTable(self), f"{name}.table", "Tokens that are removed")
        self.table.setModel(self.model)
        self.table.fit_columns()
        stops = "Changes nothing (Esc)"
        buttons, self.start = accept_or_cancel(self, "start", f"&{verb}", cancel_tip=stops)
        self._counting = LatestAnswer(_cost_of, self, rest_ms=COST_AFTER_MS)
        parts: list[Item] = [
            self.about,
            GROUP_PX,
            self._form(),
            SPACING_PX,
            self.status,
            self.progress,
        ]
        parts.append((self.table, 1))
        if not prunes:
            parts.append(STRETCH)
        column(*parts, GROUP_PX, buttons, parent=self, margins=FORM_MARGINS)
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
        beside = (self.slider, 1) if self._prunes else STRETCH
        form.addRow(label, row(self.vocab_size, beside))
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
        """The order in which tokens can be removed; None while it is not known."""
        return None if self._plan is None else self._plan.order

    @property
    def cost_is_known(self) -> bool:
        """Whether the cost of the chosen size is counted, or cannot be."""
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

    # The removable tokens, and the cost of a size.

    def _on_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            share = progress.fraction
            most = 0 if share is None else 100
            self.progress.setRange(0, most)
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
        action = _EXTENDS
        can_choose = ready is not None
        tip = (
            "Trains the merges in the background and shows the run; the count of a merge in Merges"
            " is what it saves"
        )
        if self._prunes:
            action = _PRUNES
            can_choose = plan is not None
            tip = "Removes these tokens and shows the resulting run"
        whose = _OPENED if is_opened else _IN_LIST
        self.about.set_message(f"{action} {whose}")
        problem = self._problem or self._why_no_cost()
        why_not = self.choice.why_not or problem
        is_counting = self._prunes and plan is None and not why_not
        for field in (self.vocab_size, self.slider):
            field.setEnabled(can_choose)
        self.progress.setVisible(is_counting)
        if why_not:
            role = "error" if self.choice.is_wrong or problem else "help"
            self.status.set_message(why_not, role)
        elif is_counting:
            self.status.set_message("Counting the tokens of the corpus …", "help")
            why_not = "the tokens are being counted"
        elif plan is not None:
            self.status.set_message(self._cost_text(plan), "plain")
            if not plan.removed(self.vocab_size.value()):
                why_not = "choose a smaller vocabulary"
        elif ready is not None:
            n_more = self.vocab_size.value() - ready.vocab_size
            more = plural(n_more, "further merge")
            if not n_more:
                more = "no further merge: the tokenizer stays as it is"
            self.status.set_message(
                f"{ready.name} has {number(ready.vocab_size)} tokens; {more}", "help"
            )
        enable(self.start, tip, why_not[:1].lower() + why_not[1:])
        placeholder = "" if plan is None else "No token is removed"
        self.table.set_placeholder(placeholder)

    def _why_no_cost(self) -> str:
        """The reason why the chosen size is not possible; "" if it is, or if that is not known
        yet.
        """
        if self.cost_is_known and self._cost is not None and isinstance(self._cost[1], str):
            return self._cost[1]
        return ""

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
        ready, place = self._asked
        plan = self._plan
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
    """The number of tokens afterwards, with the change in percent."""
    share = f" (+{percent((after - now) / now)})" if after > now > 0 else ""
    return f"{plural(after, 'token')}{share}"


def _cost_of(
    plan: PruningPlan, size: int
) -> Generator[object, None, tuple[PruningPlan, int, int | str]]:
    """Count the tokens of the corpus under a size, or say why it is not possible; in the pool."""
    try:
        return plan, size, (yield from plan.pruning(size)).n_tokens[1]
    except BpeError as error:
        text = str(error)
        return plan, size, text[:1].upper() + text[1:]


class _RemovedModel(RowsModel["RemovedToken"]):
    """The tokens that pruning removes, the least used first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._config: TrainingConfig | None = None

    def show(self, tokens: Sequence[RemovedToken], config: TrainingConfig | None) -> None:
        """Show the tokens that are removed.

        Args:
            tokens: in the order in which they go.
            config: the configuration that decides their names.
        """
        self._config = config
        self.show_rows(tokens)

    def name(self, row: int) -> str:
        """The name of the token in a row."""
        assert self._config is not None
        return display_log_name(self.rows[row].token, self._config)

    def _widest(self) -> str:
        # The last rows are the most used.
        last = [token.count for token in self.rows[-1:]]
        return widest_number(*last, 1000)

    columns = (
        Column(
            "id",
            "The token's id in the tokenizer now",
            lambda model, row: number(model.rows[row].id),
            sample="1,000,000",
        ),
        Column(
            "token",
            "The token; ␣ is a space",
            is_number=False,
            chips=lambda model, row: Chips.of(model.name(row)),
        ),
        Column(
            "used",
            "The number of its uses in the corpus when it was removed; the corpus grows by at most"
            " this number",
            lambda model, row: number(model.rows[row].count),
            sample=lambda model: model._widest(),
        ),
    )
    ID, TOKEN, USED = range(len(columns))


class _TokenizerChoice(QObject):
    """The tokenizer and the corpus of a form: those that are open, or files.

    The thread pool reads and checks a tokenizer as soon as it is chosen, so that the form knows its
    size, or says why it cannot be used.

    Args:
        workspace: the open corpus and its runs.
        memory: remembers the folder of files.
        name: the first part of the object names.
        parent: the form.

    Attributes:
        tokenizer, corpus: the boxes.

    Signals:
        changed: another tokenizer or corpus is chosen, or more is known of it.
    """

    changed = Signal()

    def __init__(
        self, workspace: Workspace, memory: WindowSettings, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        self._form = parent
        self._sources: list[Source] = []
        self._places: list[Place] = []
        self._ready: Ready | None = None
        self._problem = ""
        self._job = LatestAnswer(_prepared, self)
        self.tokenizer = named(
            QComboBox(parent), f"{name}.tokenizer", "Tokenizer", "The tokenizer to begin with"
        )
        self.corpus = named(QComboBox(parent), f"{name}.corpus", "Corpus", "The text to count in")
        for box in (self.tokenizer, self.corpus):
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMinimumContentsLength(20)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        for source in self._open_sources():
            self._add_source(source)
        self.tokenizer.addItems([_FILE, _FOLDER])
        place = workspace.changes.open_place()
        if place is not None:
            self._add_place(place)
        self.corpus.addItem(_TEXT)
        if not self._sources:
            self.tokenizer.setCurrentIndex(-1)
        if not self._places:
            self.corpus.setCurrentIndex(-1)
        self._last = self.tokenizer.currentIndex()
        self.tokenizer.activated.connect(self._on_tokenizer_chosen)
        self.corpus.activated.connect(self._on_corpus_chosen)
        self._job.answered.connect(self._on_prepared)
        self._prepare()

    @property
    def ready(self) -> Ready | None:
        """The tokenizer; None while it is read, or if it cannot be used."""
        return self._ready

    @property
    def place(self) -> Place | None:
        """The corpus; None if none is chosen."""
        number = self.corpus.currentIndex()
        return self._places[number] if 0 <= number < len(self._places) else None

    @property
    def why_not(self) -> str:
        """The reason why the form cannot go on yet, or ""."""
        if not 0 <= self.tokenizer.currentIndex() < len(self._sources):
            return "Choose a tokenizer"
        if self._problem:
            return self._problem
        if self._ready is None:
            return "Reading the tokenizer …"
        return "" if self.place is not None else "Choose a text"

    @property
    def is_wrong(self) -> bool:
        """Whether the tokenizer cannot be used."""
        return bool(self._problem)

    def _open_sources(self) -> list[Source]:
        compared = [
            Source(each.name, tokenizer=each.tokenizer)
            for each in self._workspace.tokenizers.entries
        ]
        sources = self._workspace.changes.sources()
        # A tokenizer that was opened is more likely meant than a run of the text.
        n_before = sum(
            source.run is not None and not _is_of_text(self._workspace, source)
            for source in sources
        )
        return [*sources[:n_before], *compared, *sources[n_before:]]

    def _add_source(self, source: Source) -> int:
        at = len(self._sources)
        self._sources.append(source)
        self.tokenizer.insertItem(at, _title(source))
        return at

    def _add_place(self, place: Place) -> int:
        at = len(self._places)
        self._places.append(place)
        if place.info is not None:
            title = elided(place.info.name, _MOST_CHARACTERS)
        else:
            title = elided(place.paths[0].name, _MOST_CHARACTERS)
            title += f" and {number(len(place.paths) - 1)} more" if len(place.paths) > 1 else ""
        self.corpus.insertItem(at, title)
        return at

    @Slot(int)
    def _on_tokenizer_chosen(self, at: int) -> None:
        if at >= len(self._sources):
            path = ask_for_tokenizer(self._form, self._memory, is_folder=at > len(self._sources))
            at = self._last if path is None else self._add_source(Source(path.name, path=path))
            self.tokenizer.setCurrentIndex(at)
        self._last = at
        self._prepare()

    @Slot(int)
    def _on_corpus_chosen(self, at: int) -> None:
        if at >= len(self._places):
            paths = tuple(map(Path, ask_for_texts(self._form, self._memory)))
            at = self._add_place(Place(None, paths)) if paths else len(self._places) - 1
            self.corpus.setCurrentIndex(at)
        self.changed.emit()

    def _prepare(self) -> None:
        self._ready = None
        self._problem = ""
        at = self.tokenizer.currentIndex()
        if 0 <= at < len(self._sources):
            self._job.ask(self._workspace.changes, self._sources[at])
        self.changed.emit()

    @Slot(object)
    def _on_prepared(self, answer: Ready | str) -> None:
        if isinstance(answer, str):
            self._problem = answer
        else:
            self._ready = answer
        self.changed.emit()


def _is_of_text(workspace: Workspace, source: Source) -> bool:
    return any(
        entry.run is source.run and entry.corpus.has_words for entry in workspace.runs.entries
    )


def _title(source: Source) -> str:
    name = elided(source.name, _MOST_CHARACTERS)
    if source.run is None:
        return name
    size = plural(source.run.vocab_size_at(source.step), "token")
    return f"{name}, step {number(source.step)}: {size}"


def _prepared(changes: Changes, source: Source) -> Ready | str:
    """Read a tokenizer, or say why it cannot be used; in the pool."""
    try:
        return changes.prepare(source)
    except BpeError as error:
        text = str(error)
        return text[:1].upper() + text[1:]
    except Exception as error:
        _log.exception("A tokenizer could not be read.")
        return f"{source.name} could not be read ({type(error).__name__}): choose another tokenizer"
