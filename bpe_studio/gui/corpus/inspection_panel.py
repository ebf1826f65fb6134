"""The panel Inspection: problems of the open text, their places, and the merges that they cause.

The workspace inspects (`workspace/corpus/inspector.py`) in a thread of its own, with progress, and
keeps the result while the text is open. A finding that a normalization or the option `clean`
removes has a price: *Train without it* trains a comparison run with this setting, and the panel
lists the merges that the shown run has only because of the finding. A click on a merge selects it,
so that the panels Why and Lines show it.
"""

from __future__ import annotations

import os.path
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QTabWidget, QToolButton, QWidget

from bpe_studio.engine.options import label_of
from bpe_studio.explain.inspection.findings import MEANINGS, visible_excerpt
from bpe_studio.explain.names import display_name, elided, is_right_to_left, isolated
from bpe_studio.explain.wording import data_size, merge_name, number, plural, times
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Panel, every
from bpe_studio.gui.tables.model import Column, Index, RowsModel, TableModel, widest_number
from bpe_studio.gui.tables.selection import TableSelection
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, column, divided, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.gui.widgets.progress_line import ProgressLine, show_job
from bpe_studio.gui.widgets.tab_bar import SteadyTabBar
from bpe_studio.workspace.corpus.text_files import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.inspection.findings import Finding, Place
    from bpe_studio.explain.inspection.inspection import Inspection
    from bpe_studio.explain.inspection.price import Blamed, Price
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

REFRESH_MS = 30
_INSPECT = (
    "Reads the text again and finds the causes of strange tokens: lost letters, invisible"
    " characters, data, repeats"
)
_TRAIN = "Trains a comparison run of the same text with the setting that removes this"
_REMOVED = "the settings of the shown run remove it already"
_CAUSED = "The merges of the shown run that the finding caused"
_PLACES, _MERGES = range(2)
_INVITATION = "See what in this text causes strange tokens"
_ABOUT = (
    "Finds lost letters, invisible characters, words in mixed scripts, data, and repeated lines and"
    " documents. The text is not changed."
)


class InspectionPanel(Panel):
    """The state, the findings, and the places and the price of the selected one.

    Signals:
        compare_requested: int, the user wants to compare the shown run with the run of this number.
        lines_requested: FoundPlaces, the user clicked one of these places.
        why_requested: the user chose a merge, which is selected now.
    """

    compare_requested = Signal(object)
    lines_requested = Signal(object)
    at_rest = every(REFRESH_MS)
    why_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("inspection")
        self._inspector = workspace.inspector
        self._shown: Inspection | None = None
        self._finding: Finding | None = None
        self._without: int | None = None
        self._trained: Finding | None = None
        self._price: Price | None = None
        self.findings = FindingsModel(self)
        self.places = PlacesModel(self)
        self.merges = CausedModel(self)
        self._prices = LatestAnswer(_price, self)
        self._build()
        self._connect()
        self.show_state()

    def _build(self) -> None:
        self.inspect = named(
            QPushButton("&Inspect", self), "inspection.inspect", "Inspect the text", _INSPECT
        )
        self.cancel = named(
            QPushButton("Cancel", self), "inspection.cancel", "Cancel", "Stops inspecting"
        )
        self.progress = named(
            ProgressLine(self), "inspection.progress", "Progress of the inspection"
        )
        self.progress.setFixedHeight(8)
        self.copy = named(
            QToolButton(self), "inspection.copy", "Copy the report", "Copies the report as JSON"
        )
        self.copy.setText("Copy report")
        self.said = statement("inspection.said", "Result")
        self.state = named(Note("", "plain", self), "inspection.state", "Inspected text")
        self.table = named(CompactTable(self), "inspection.table", "Findings in the text")
        self.table.setModel(self.findings)
        self._selection = TableSelection(self.table)
        self.place_table = named(CompactTable(self), "inspection.places", "The places of a finding")
        self.place_table.setModel(self.places)
        self.merge_table = named(
            CompactTable(self), "inspection.merges", "The merges that a finding caused"
        )
        self.merge_table.setModel(self.merges)
        self.merge_table.target_of = self._target_of
        self.tabs = named(QTabWidget(self), "inspection.tabs", "Places and merges of a finding")
        self.tabs.setTabBar(SteadyTabBar(self.tabs))
        self.tabs.setDocumentMode(True)
        bar = named(self.tabs.tabBar(), "inspection.tab_bar", "Places and merges of a finding")
        bar.setDrawBase(False)
        self.tabs.addTab(self.place_table, "Places")
        self.tabs.addTab(self.merge_table, "Merges it caused")
        self.tabs.setTabEnabled(_MERGES, False)
        self.tabs.setTabToolTip(_PLACES, "Where it was found; click a place to see its line")
        self.sentence = named(
            Note("", "plain", self), "inspection.sentence", "Meaning of the finding"
        )
        self.price = named(
            Note("", "help", self), "inspection.price", "Which merges the finding causes"
        )
        self.train = named(
            QPushButton("Train without it", self), "inspection.train", "Train without it", _TRAIN
        )
        self.compare = named(
            QPushButton("Compare", self),
            "inspection.compare",
            "Compare the runs",
            "Compares both runs",
        )
        details = QWidget(self)
        column(
            self.sentence,
            (self.tabs, 1),
            self.price,
            row(self.train, self.compare, STRETCH),
            parent=details,
            spacing=6,
        )
        self._found = divided(Qt.Orientation.Vertical, (self.table, 26), (details, 38))
        self._spare = QWidget(self)
        column(
            self.said,
            row(self.inspect, (self.progress, 100), self.cancel, STRETCH, self.copy),
            self.state,
            (self._found, 1),
            (self._spare, 1),
            parent=self,
            margins=PANEL_MARGINS,
        )

        # Without this, Tab would reach the tables before the tabs above them.
        order = (self.table, bar, self.place_table, self.merge_table, self.train, self.compare)
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)

    def _connect(self) -> None:
        self.inspect.clicked.connect(self._inspector.inspect)
        self.cancel.clicked.connect(self._inspector.cancel)
        self.copy.clicked.connect(self._on_copy)
        self.train.clicked.connect(self._on_train)
        self.compare.clicked.connect(self._on_compare)
        self._selection.chosen.connect(self._on_chosen)
        self.place_table.clicked.connect(self._on_place_chosen)
        self.place_table.activated.connect(self._on_place_chosen)
        self.merge_table.clicked.connect(self._on_merge_chosen)
        self.merge_table.activated.connect(self._on_merge_chosen)
        self._workspace.selection.changed.connect(self._on_selected)
        self._inspector.changed.connect(self.show_state)
        self._inspector.progress_changed.connect(self._show_progress)
        self._workspace.runs.changed.connect(self.request_refresh)
        self._workspace.run_changed.connect(self.request_refresh)
        self._workspace.state_changed.connect(self.request_refresh)
        self._prices.answered.connect(self._on_priced)

    @Slot()
    def show_state(self) -> None:
        found = self._inspector.result
        problem = self._inspector.problem
        self._show_progress(self._inspector.progress)
        has_findings = found is not None and bool(found.findings)
        self.copy.setVisible(found is not None)
        said = _INVITATION
        role = "help"
        findings: list[Finding] = []
        if found is not None:
            said = _said(found)
            role = "plain"
            findings = found.findings
        self.said.setText(said)
        self.inspect.setDefault(found is None)
        self._found.setVisible(has_findings)
        self._spare.setVisible(not has_findings)
        if problem:
            role = "error"
        if self._inspector.progress is None:
            self.state.set_message(problem or self._state_text(found), role)
        if found is not self._shown:
            self._shown = found
            self.findings.show_rows(findings)
            self.table.fit_columns()
            first = 0 if has_findings else -1
            self._choose(first)
        why_not = self._inspector.why_not()
        if found and not why_not:
            why_not = "this text is inspected"
        if why_not and self.inspect.hasFocus():
            next_widget = self.table if has_findings else self.copy
            next_widget.setFocus()
        enable(self.inspect, _INSPECT, why_not)
        self._show_price()

    def _state_text(self, found: Inspection | None) -> str:
        if found is None:
            why_not = self._inspector.why_not()
            return f"The text cannot be inspected: {why_not}." if why_not else _ABOUT
        counted = (
            data_size(found.n_bytes),
            plural(found.n_documents, "document"),
            plural(found.n_lines, "line"),
        )
        words = found.measures["words"]
        once = (
            f"{number(words['n_once'])} of {number(words['n_distinct'])} distinct words occur once"
        )
        return f"{', '.join(counted)}; {once}."

    @Slot(object)
    def _show_progress(self, progress: Progress | None) -> None:
        show_job(progress, self.inspect, self.progress, self.cancel, self.state)

    def _choose(self, place: int) -> None:
        """Show the places and the price of a finding; -1 for none."""
        self.findings.selected = place
        self._selection.mark(place)
        self.table.viewport().update()
        self._finding = self.findings.rows[place] if place >= 0 else None
        self._price = None
        self.merges.show(None)
        self.merge_table.set_placeholder("")
        self.places.show(self._finding, names_files=self._has_files())
        self.place_table.fit_columns()
        finding = self._finding
        said = [] if finding is None else [finding.sentence, finding.places_sentence]
        self.sentence.set_message(
            " ".join(f"{each[:1].upper()}{each[1:]}." for each in said if each)
        )
        self._show_price()

    def _has_files(self) -> bool:
        """Whether the corpus has several files."""
        info = self._workspace.corpus
        return info is not None and (
            len(info.sources) > 1 or any("archive" in each.form for each in info.sources)
        )

    def _show_price(self) -> None:
        """Show the price of the finding, if a run without it has been trained."""
        workspace = self._workspace
        finding = self._finding
        if finding is None:
            return
        from bpe_studio.explain.inspection.findings import NOT_PRICED
        from bpe_studio.explain.inspection.price import is_removed, option_of
        from bpe_studio.workspace.messages import changed_fields

        config = self._config_without(finding)
        other = None
        if config is not None:
            entries = (
                each
                for each in workspace.runs.entries
                if each.parent is None and each.override is None
            )
            alike = (each for each in entries if not changed_fields(each.config, config))
            other = next(alike, None)
        self._without = None if other is None else other.number
        why_not = ""
        if config is None:
            is_there = bool(finding.fix) and is_removed(workspace.config, finding.fix)
            why_not = (
                _REMOVED if is_there else NOT_PRICED.get(finding.name, "no setting removes it")
            )
        if not why_not and workspace.run is None:
            why_not = NO_TEXT
        elif not why_not and other is not None:
            why_not = f"“{other.name}” is this run"
        enable(self.train, _TRAIN, why_not)
        self.compare.setVisible(other is not None)
        if other is not None and workspace.run is not None:
            self._prices.ask(workspace.run, other.run, finding)
        else:
            self._prices.forget()
            self._show_merges(None, None)
            setting = label_of(option_of(finding.fix), finding.fix)
            if config is not None:
                text = f"A run with the setting “{setting}” shows which merges it causes."
            elif why_not == _REMOVED:
                text = f"The settings of this run remove it already: “{setting}”."
            else:
                text = f"It has no price: {why_not}."
            self.price.set_message(text, "help")

    def _config_without(self, finding: Finding) -> TrainingConfig | None:
        from bpe_studio.explain.inspection.price import without

        return without(self._workspace.config, finding.fix)

    @Slot(object)
    def _on_priced(self, answer: tuple[Run, Finding, Price]) -> None:
        run, finding, price = answer
        if finding is self._finding and run is self._workspace.run:
            words = price.in_words(None, f"“{label_of(price.option, price.fix)}”")
            self.price.set_message(f"Its price: {words}.", "plain")
            self._show_merges(run, price)
            if finding is self._trained:
                self._trained = None
                self.tabs.setCurrentIndex(_MERGES)

    def _show_merges(self, run: Run | None, price: Price | None) -> None:
        """List the merges that the finding caused; None if they are not known."""
        if run is not self.merges.run or price != self._price:
            self._price = price
            caused = () if price is None else price.merges
            self.merges.show(run, caused)
            self.merge_table.fit_columns()
        none = "None: a run without the finding makes all of them as early"
        placeholder = none if price is not None and not price.merges else ""
        self.merge_table.set_placeholder(placeholder)
        self.tabs.setTabEnabled(_MERGES, price is not None)
        tip = _CAUSED if price is not None else f"{_CAUSED}: train a run without it first"
        self.tabs.setTabToolTip(_MERGES, tip)
        if price is None:
            self.tabs.setCurrentIndex(_PLACES)
        self._on_selected(self._workspace.selection.current)

    # Actions of the user.

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        if index.row() != self.findings.selected:
            self._choose(index.row())

    @Slot(QModelIndex)
    def _on_merge_chosen(self, index: QModelIndex) -> None:
        if self.merges.run is self._workspace.run:
            self._workspace.selection.select_merge(self.merges.rows[index.row()].rank)
            self.why_requested.emit()

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        return self.merges.target(index.row())

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        run = self.merges.run
        self.merges.selected = -1
        if selected is not None and run is not None:
            self.merges.selected = run.rank_of(selected.token)
        self.merge_table.viewport().update()

    @Slot(QModelIndex)
    def _on_place_chosen(self, index: QModelIndex) -> None:
        from bpe_studio.workspace.corpus.place_lines import found_places

        finding = self._finding
        info = self._workspace.corpus
        if finding is None or info is None:
            return
        chosen = self.places.place_of(index.row())
        places = found_places(info, finding, chosen)
        if places is not None:
            self.lines_requested.emit(places)

    @Slot()
    def _on_train(self) -> None:
        finding = self._finding
        config = None if finding is None else self._config_without(finding)
        if config is not None:
            self._trained = finding
            self._workspace.side_runs.train(config)

    @Slot()
    def _on_compare(self) -> None:
        if self._without is not None:
            self.compare_requested.emit(self._without)

    @Slot()
    def _on_copy(self) -> None:
        import json

        found = self._inspector.result
        if found is not None:
            QGuiApplication.clipboard().setText(json.dumps(found.as_json(), ensure_ascii=True))


def _price(run: Run, other: Run, finding: Finding) -> tuple[Run, Finding, Price]:
    from bpe_studio.explain.inspection.price import price

    return run, finding, price(run, other, finding.fix)


def _said(found: Inspection) -> str:
    """The number of findings, as a sentence."""
    n_kinds = len(found.findings)
    if not n_kinds:
        return "Nothing in this text causes strange tokens."
    what = plural(n_kinds, "kind of finding", "kinds of findings")
    return f"This text has {what}."


class FindingsModel(RowsModel["Finding"]):
    """The findings with their counts."""

    def _widest_count(self) -> str:
        counts = [each.count for each in self.rows]
        return widest_number(1000, *counts)

    def tip(self, row: int, column: int) -> str:
        return self.rows[row].sentence

    columns = (
        Column(
            "finding",
            "The kind of finding",
            lambda model, row: MEANINGS[model.rows[row].name].title,
            is_number=False,
        ),
        Column(
            "count",
            "The number of places in the text",
            lambda model, row: number(model.rows[row].count),
            sample=_widest_count,
        ),
    )
    FINDING, COUNT = range(len(columns))


class PlacesModel(TableModel):
    """The first places of a finding, with the text around them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._finding: Finding | None = None
        self._names_files = False

    def show(self, finding: Finding | None, *, names_files: bool = False) -> None:
        """Show the places of a finding, with or without the names of their files; None for none."""
        self.beginResetModel()
        self._finding = finding
        self._names_files = names_files
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() or self._finding is None else len(self._finding.places)

    def place(self, row: int) -> str:
        """The place of a row, as editors and compilers write it."""
        assert self._finding is not None
        place = self._finding.places[row]
        file = os.path.basename(place.file) if self._names_files else ""
        return place.after(file).lstrip(" :")

    def place_of(self, row: int) -> Place:
        assert self._finding is not None
        return self._finding.places[row]

    def excerpt(self, row: int) -> str:
        """The text around the place of a row."""
        assert self._finding is not None
        return self._finding.excerpts[row]

    def tip(self, row: int, column: int) -> str:
        assert self._finding is not None
        place = self._finding.places[row]
        record = f"record {number(place.record)}, " if place.record else ""
        where = f"{record}line {number(place.line)}, column {number(place.column)}"
        return f"{place.file}\n{where}\n{isolated(visible_excerpt(self.excerpt(row)))}"

    def _widest(self) -> str | None:
        places = [self.place(row) for row in range(self.rowCount())]
        return max(places, key=len, default="1000:10")

    columns = (
        Column(
            "place",
            "The file if there are several, the record if it has records, line and column",
            lambda model, row: model.place(row),
            is_number=False,
            sample=lambda model: model._widest(),
        ),
        Column(
            "text",
            "The text around it; characters that cannot be seen are named",
            lambda model, row: isolated(visible_excerpt(model.excerpt(row))),
            is_number=False,
            is_rtl=lambda model, row: is_right_to_left(model.excerpt(row)),
        ),
    )
    PLACE, TEXT = range(len(columns))


_NOT_MADE = "–"
_TOKEN_CHARACTERS = 40


class CausedModel(RowsModel["Blamed"]):
    """The merges of the shown run that a finding caused."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.run: Run | None = None

    def show(self, run: Run | None, merges: Sequence[Blamed] = ()) -> None:
        """Show merges of a run; those that the other run does not make come first."""
        self.run = run
        self.show_rows(sorted(merges, key=lambda each: each.rank_without is not None))

    def target(self, row: int) -> Target | None:
        """The token that the merge of a row makes."""
        if self.run is None:
            return None
        return token_target(self.run, self.run.token_of(self.rows[row].rank))

    def name(self, row: int) -> str:
        """The displayed token of a row."""
        assert self.run is not None
        return elided(
            display_name(self.run, self.run.token_of(self.rows[row].rank)), _TOKEN_CHARACTERS
        )

    def number_of(self, row: int) -> int:
        return self.rows[row].rank

    def tip(self, row: int, column: int) -> str:
        merge = self.rows[row]
        there = "not made without the finding"
        if merge.rank_without is not None and merge.count_without is not None:
            there = (
                f"without it {merge_name(merge.rank_without)}, where its pair occurs"
                f" {times(merge.count_without)}"
            )
        with_it = f"{merge_name(merge.rank)}: its pair occurs {times(merge.count)}"
        return f"{isolated(self.name(row))}\n{with_it}\n{there}"

    def _there(self, row: int) -> str:
        rank = self.rows[row].rank_without
        return _NOT_MADE if rank is None else number(rank + 1)

    def _widest_count(self) -> str:
        counts = [each.count for each in self.rows]
        return widest_number(1000, *counts)

    def _widest_rank(self) -> str:
        ranks = [max(each.rank, each.rank_without or 0) for each in self.rows]
        return widest_number(1000, *ranks)

    columns = (
        Column(
            "token",
            "A token of the shown run that the finding caused",
            is_number=False,
            chips=lambda model, row: Chips.of(model.name(row)),
        ),
        Column(
            "count",
            "The count of its pair when it was merged",
            lambda model, row: number(model.rows[row].count),
            sample=_widest_count,
        ),
        Column(
            "merge",
            "The merge that makes it",
            lambda model, row: number(model.rows[row].rank + 1),
            sample=_widest_rank,
        ),
        Column(
            "without it",
            "The merge that makes it in the run without the finding; – if none does",
            _there,
            sample=_widest_rank,
        ),
    )
    TOKEN, COUNT, RANK, WITHOUT = range(len(columns))
