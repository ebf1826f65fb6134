"""Doctor: examines the tokenizer of the step on request, and links its findings to other panels.

The workspace examines (`workspace/runs/examiner.py`) in a thread of its own, with progress, and
keeps the result while the run is open. Each number leads to the vocabulary with that filter. A
click on a token selects it, so that the panel Why explains it; a click on a reason selects the
merge in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from bpe_studio.explain.doctor.sentences import merge_rank, verdict, why
from bpe_studio.explain.doctor.token_classes import TokenClass
from bpe_studio.explain.names import display_name, isolated
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.background.panel import Panel, every
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.tables.filtered_table import FilteredTable, ObjectNames
from bpe_studio.gui.tables.model import Column, Export, each_row, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    PANEL_MARGINS,
    STRETCH,
    TIGHT_PX,
    column,
    row,
)
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note, statement
from bpe_studio.gui.widgets.progress_line import ProgressLine, show_job
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.explain.doctor.examination import ExaminedToken
    from bpe_studio.explain.doctor.gates import Gate
    from bpe_studio.explain.vocabulary import TokenState
    from bpe_studio.workspace.runs.examiner import Examined
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.state import Progress
    from bpe_studio.workspace.workspace import Workspace

REFRESH_MS = 30
_EXAMINE = "Finds tokens that are never made, says why, and checks that every text round-trips"
_CLASSES = (
    ("reachable", "Reachable", "Tokens that some text is encoded as"),
    ("unreachable", "Unreachable", "Tokens that no text is encoded as"),
    ("partial", "Part of a character", "Tokens whose bytes are not valid text on their own"),
    ("special", "Special", "Added tokens, matched before the text is split"),
    ("unused", "Never used", "Tokens that do not occur in the corpus at this step"),
)
_INVITATION = "See which tokens are never made, and why"
_ABOUT = (
    "The doctor examines every token of this step. It also finds parts of characters and checks"
    " that every text round-trips."
)


_SIGNS = {True: "✓", False: "✗"}
_AT_TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class DoctorPanel(Panel):
    """The state, the counts, the checks and the tokens.

    Signals:
        tokens_requested: TokenState, the user wants to see the tokens that a number counts.
        why_requested: the user chose a token or a merge, which is selected now.
        save_requested: (str, str): the report to save, and its name.
    """

    tokens_requested = Signal(object)
    at_rest = every(REFRESH_MS)
    why_requested = Signal()
    save_requested = Signal(str, str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("doctor")
        self._examiner = workspace.examiner
        self.model = ExaminedModel(self)
        self._build()
        self._connect()
        self.show_state()

    def _build(self) -> None:
        self.examine = named(
            QPushButton("&Examine", self), "doctor.examine", "Examine the tokenizer", _EXAMINE
        )
        self.cancel = named(
            QPushButton("Cancel", self), "doctor.cancel", "Cancel", "Stops examining"
        )
        self.progress = named(ProgressLine(self), "doctor.progress", "Progress of the examination")
        self.progress.setFixedSize(220, 8)
        self.copy = named(
            QToolButton(self), "doctor.copy", "Copy the report", "Copies the report as JSON"
        )
        self.copy.setText("Copy report")
        self.save = named(
            QToolButton(self), "doctor.save", "Save the report", "Saves the report as a JSON file"
        )
        self.save.setText("Save report…")
        self.verdict = statement("doctor.verdict", "Result")
        self.state = named(Note("", "plain", self), "doctor.state", "Examined tokenizer")
        self.classes = {
            key: named(
                QToolButton(self), f"doctor.{key}", title, f"{tip}; shows them in Vocabulary"
            )
            for key, title, tip in _CLASSES
        }
        self._class_row = WrappingRow(self)
        for button in self.classes.values():
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._class_row.add(button)
        self.gates = _GatesView(self)
        self.filtered = FilteredTable(
            self.model,
            self._workspace,
            names=ObjectNames("doctor.filter", "doctor.count", "doctor.table"),
            label="Unreachable tokens",
            rows="tokens",
            contain="that contain this text",
            of_all="of the unreachable ones",
            order=(ExaminedModel.ID, Qt.SortOrder.AscendingOrder),
            no_match="No token contains “{}”",
            no_rows=lambda: "No token is unreachable",
            unit="token",
            parent=self,
        )
        self.table = self.filtered.table
        self.filtered.filter.setPlaceholderText("Filter the unreachable tokens")
        self.table.target_of = self._target_of
        self._no_tokens = QWidget(self)
        self._found = QWidget(self)
        column(
            self._class_row,
            self.gates,
            (self.filtered, 1),
            (self._no_tokens, 1),
            parent=self._found,
            spacing=GROUP_PX // 2 + 2,
        )
        self._spare = QWidget(self)
        column(
            self.verdict,
            row(self.examine, self.progress, self.cancel, STRETCH, self.copy, self.save),
            self.state,
            (self._found, 1),
            (self._spare, 1),
            parent=self,
            margins=PANEL_MARGINS,
        )

    def _connect(self) -> None:
        workspace = self._workspace
        self.examine.clicked.connect(self._examiner.examine)
        self.cancel.clicked.connect(self._examiner.cancel)
        self.copy.clicked.connect(self._on_copy)
        self.save.clicked.connect(self._on_save)
        for key, button in self.classes.items():
            button.clicked.connect(partial(self._on_class_clicked, key))
        self._examiner.changed.connect(self.show_state)
        self._examiner.progress_changed.connect(self._show_progress)
        workspace.run_changed.connect(self.request_refresh)
        workspace.step_changed.connect(self.request_refresh)
        workspace.state_changed.connect(self.request_refresh)
        workspace.selection.changed.connect(self._on_selected)
        self.filtered.chosen.connect(self._on_chosen)
        self.model.modelReset.connect(self._on_rows_changed)

    @property
    def shown(self) -> Examined | None:
        """The last examination of the run, which may be of another step; None if there is none."""
        found = self._examiner.result
        return found if found is not None and found.run is self._workspace.run else None

    @Slot()
    def show_state(self) -> None:
        examined = self.shown
        workspace = self._workspace
        is_of_step = examined is not None and examined.step == workspace.step
        self._show_progress(self._examiner.progress)
        why_not = "this step is examined" if is_of_step else ""
        if workspace.run is None:
            why_not = "open a text or a tokenizer first"
        enable(self.examine, _EXAMINE, why_not)
        for button in (self.copy, self.save):
            button.setVisible(examined is not None)
        self.examine.setDefault(examined is None)
        self._found.setVisible(examined is not None)
        self._spare.setVisible(examined is None)
        said = _INVITATION
        role = "help"
        if examined is not None:
            said = verdict(examined.found)
            role = "plain"
        if self._examiner.problem:
            role = "error"
        if self._examiner.progress is None:
            self.state.set_message(self._state_text(examined), role)
        self.verdict.setText(said)
        self.model.show(examined)
        if examined is not None:
            self.gates.show_gates(examined.found.gates)
            self._show_classes(examined, is_of_step=is_of_step)
            self._on_selected(workspace.selection.current)

    def _state_text(self, examined: Examined | None) -> str:
        if self._examiner.problem:
            return self._examiner.problem
        if self._workspace.run is None:
            return "Open a text or a tokenizer to examine its tokens."
        if examined is None:
            return _ABOUT
        if examined.step != self._workspace.step:
            return (
                f"This is about step {number(examined.step)}, but the window shows step"
                f" {number(self._workspace.step)}. Examine again to see that step."
            )
        return f"Step {number(examined.step)}"

    def _show_classes(self, examined: Examined, *, is_of_step: bool) -> None:
        for key, title, tip in _CLASSES:
            button = self.classes[key]
            n = examined.n_unused if key == "unused" else examined.found.counts[TokenClass[key]]
            button.setVisible(n is not None)
            if n is not None:
                button.setText(f"{title}  {number(n)}")
                why_not = (
                    "" if is_of_step else f"go to step {number(examined.step)}, or examine this one"
                )
                enable(button, f"{tip}; shows them in Vocabulary", why_not)

    @Slot(object)
    def _show_progress(self, progress: Progress | None) -> None:
        show_job(progress, self.examine, self.progress, self.cancel, self.state)

    # Actions of the user.

    @Slot()
    def _on_copy(self) -> None:
        examined = self.shown
        if examined is not None:
            QGuiApplication.clipboard().setText(examined.found.as_line())

    @Slot()
    def _on_save(self) -> None:
        examined = self.shown
        info = self._workspace.corpus
        if examined is not None and info is not None:
            self.save_requested.emit(
                examined.found.as_line(), f"{info.name.partition('.')[0]}-doctor.json"
            )

    def _on_class_clicked(self, key: str, checked: bool = False) -> None:
        from bpe_studio.explain.vocabulary import TokenState

        state: TokenState = TokenState[key]
        self.tokens_requested.emit(state)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        examined = self.model.shown
        if examined is None or examined.run is not self._workspace.run:
            return
        rank = self.model.merge_rank(index.row())
        token = self.model.token(index.row())
        if index.column() == ExaminedModel.WHY and rank is not None:
            self._workspace.selection.select_merge(rank)
        else:
            self._workspace.selection.select_token(token)
        self.why_requested.emit()

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        examined = self.model.shown
        if examined is None:
            return None
        return token_target(examined.run, self.model.token(index.row()))

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        self.model.selected = -1 if selected is None else selected.token
        self.table.viewport().update()

    @Slot()
    def _on_rows_changed(self) -> None:
        examined = self.model.shown
        has_tokens = examined is not None and bool(examined.found.counts[TokenClass.unreachable])
        self.filtered.setVisible(has_tokens)
        self._no_tokens.setHidden(has_tokens)
        self.table.fit_columns()
        self.filtered.show_count()


class _GatesView(FollowsLook, QWidget):
    """The gates, a row each; failed ones come first, with the full result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "doctor.gates", "Checks of the tokenizer")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(MARGIN_PX)
        self._grid.setVerticalSpacing(TIGHT_PX)
        self._grid.setColumnStretch(2, 1)
        self._gates: tuple[Gate, ...] = ()
        self._signs: list[QLabel] = []
        self._widgets: list[QWidget] = []
        self.follow_look()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The checks, in the order in which they are shown."""
        return self._gates

    def show_gates(self, gates: Sequence[Gate]) -> None:
        """Show checks."""
        ordered = tuple(sorted(gates, key=lambda gate: gate.passed))
        if ordered == self._gates:
            return
        self._gates = ordered
        for widget in self._widgets:
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._signs = []
        self._widgets = []
        for line, gate in enumerate(ordered):
            sign = QLabel(_SIGNS[gate.passed], self)
            sign.setAlignment(_AT_TOP)
            outcome = "passed" if gate.passed else "failed"
            sign.setAccessibleName(outcome)
            title = QLabel(gate.title, self)
            title.setAlignment(_AT_TOP)
            title.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Minimum)
            detail = self._detail(gate)
            named(detail, f"doctor.gate_{gate.name}", f"{gate.title}: {outcome}")
            for place, widget in enumerate((sign, title, detail)):
                self._grid.addWidget(widget, line, place)
                widget.show()
            self._signs.append(sign)
            self._widgets += [sign, title, detail]
        self._grid.setColumnMinimumWidth(2, 1)
        self.palette_changed()

    def palette_changed(self) -> None:
        for sign, gate in zip(self._signs, self._gates, strict=True):
            colour = theme.muted(self.palette()) if gate.passed else theme.error(self.palette())
            _colour(sign, colour)

    def _detail(self, gate: Gate) -> QWidget:
        if gate.passed:
            label = ElidedLabel(self)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            label.setText(gate.detail)
            return label
        note = Note(gate.detail, "plain", self)
        note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return note


def _colour(label: QLabel, colour: QColor) -> None:
    palette = label.palette()
    if palette.color(QPalette.ColorRole.WindowText) != colour:
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        label.setPalette(palette)


class ExaminedModel(SortedTableModel):
    """The tokens that no text is encoded as, by id, each with its reason."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: Examined | None = None
        self._order: list[int] = []

    @property
    def shown(self) -> Examined | None:
        """The examination whose tokens the rows show."""
        return self._shown

    def show(self, examined: Examined | None) -> None:
        """Show the tokens of an examination; None shows none."""
        if examined is self._shown:
            return
        self._shown = examined
        if examined is None:
            self._order = []
            self.reset_rows(0, NameIndex(str))
            return
        found = [
            place
            for place, token in enumerate(examined.found.tokens)
            if token.token_class is TokenClass.unreachable and examined.tokens[place] >= 0
        ]
        self._order = sorted(found, key=lambda place: examined.found.tokens[place].id)
        self.reset_rows(len(self._order), NameIndex(self._name_of))

    def number_of(self, row: int) -> int:
        return self.token(row)

    def token(self, row: int) -> int:
        """The internal id of the token in a row."""
        return -1 if self._shown is None else self._shown.tokens[self._order[self.source_row(row)]]

    def examined(self, row: int) -> ExaminedToken:
        """The result for the token in a row."""
        assert self._shown is not None
        return self._shown.found.tokens[self._order[self.source_row(row)]]

    def name(self, row: int) -> str:
        """The name of the token in a row."""
        return self._names.name(self.source_row(row))

    def merge_rank(self, row: int) -> int | None:
        """The rank of the merge that takes a part of the token in a row; None if none does."""
        return None if self._shown is None else merge_rank(self.examined(row), self._shown.run)

    def is_link(self, row: int, column: int) -> bool:
        return column == self.WHY and self.merge_rank(row) is not None

    def tip(self, row: int, column: int) -> str:
        return f"{isolated(self.name(row))}, id {self._id(row)}\n{self._why(row)}"

    def plain_state(self) -> object:
        return self._shown

    def _name_of(self, place: int) -> str:
        shown = self._shown
        if shown is None or place >= len(self._order):
            return ""
        return display_name(shown.run, shown.tokens[self._order[place]])

    def _id(self, row: int) -> str:
        return self._locale.toString(self.examined(row).id)

    def _id_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        assert self._shown is not None
        tokens = self._shown.found.tokens
        ids = [tokens[place].id for place in self._order[:n]]
        return np.array(ids)

    def _why(self, row: int) -> str:
        assert self._shown is not None
        return why(self.examined(row), self._shown.run)

    def _name_order(self, n: int) -> NDArray[Any]:
        ranks = self._names.ranks
        assert ranks is not None
        return ranks[:n]

    columns = (
        Column(
            "id",
            "The token's id in the tokenizer",
            _id,
            sample=lambda model: model._widest_id(),
            sort_key=_id_order,
            exports=(Export("id", each_row(lambda model, row: model.examined(row).id)),),
        ),
        Column(
            "token",
            "The token; ␣ is a space",
            lambda model, row: isolated(model.name(row)),
            is_number=False,
            sort_key=_name_order,
            sorts_by_name=True,
            chips=lambda model, row: Chips.of(model.name(row)),
            exports=(Export("token", each_row(lambda model, row: model.examined(row).token)),),
        ),
        Column(
            "why",
            "Why no text is encoded as it; click a merge to select that merge",
            _why,
            is_number=False,
            share=2.2,
        ),
    )
    ID, TOKEN, WHY = range(len(columns))

    def _widest_id(self) -> str:
        tokens = () if self._shown is None else self._shown.found.tokens
        return widest_number(max((token.id for token in tokens), default=0), 1000)
