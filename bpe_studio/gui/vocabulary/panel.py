"""Every token of the step in one table, with filters by text, state, script and length.

The selected row is the selected token, in whichever panel it was selected. Counting the tokens is a
pass over the corpus, so the thread pool does it, and only while the panel is in sight. While a run
trains fast, the last table stays, and a note says so. The doctor finds the unreachable tokens. In a
large vocabulary this starts once the table rests, because painting and checking both need the
interpreter.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QToolButton, QWidget

from bpe_studio.engine.analysis.rare_tokens import MOST_RARE_BELOW, RARE_BELOW
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, StepNote, every, resting
from bpe_studio.gui.tables.filtered_table import FilteredTable, ObjectNames
from bpe_studio.gui.vocabulary.model import VocabularyModel
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, enable, named
from bpe_studio.gui.widgets.labels import statement
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_traits import TokenTraits
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.vocabulary import TokenState, Vocabulary, VocabularyFilter
    from bpe_studio.workspace.selection import Selected
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 60
FAST_MS = 500
CHECK_MS = 300
_NO_MATCH = "No token matches the filters"


_BUTTONS = (
    (
        "unused",
        "Never used",
        "Tokens that do not occur in the corpus at this step: merges have absorbed them",
    ),
    (
        "rare",
        "Rare",
        "Tokens that occur in the corpus less often than the number on the right, or never",
    ),
    (
        "unreachable",
        "Unreachable",
        (
            "Tokens that no text is ever encoded as: an earlier merge uses part of them, or the"
            " split divides them"
        ),
    ),
    ("partial", "Part of a character", "Tokens whose bytes are not whole characters"),
    ("special", "Special", "Special tokens, which no merge makes"),
    ("base", "Alphabet", "The symbols before the first merge"),
    ("reachable", "Reachable", "Tokens that some text is encoded as"),
)
_ONLY_CHOSEN = "reachable"
"""The state whose button is shown only while a link has chosen it; it holds most tokens."""
_BOX_CHARACTERS = 10


class VocabularyPanel(Panel):
    """The filters and the table.

    Signals:
        answered: other tokens are shown.
        chosen: the user chose a token, which is now selected.
    """

    at_rest = resting(REST_MS)
    while_training = every(FAST_MS)
    needs = Needs.sight | Needs.paced_run
    answered = Signal()
    chosen = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("vocabulary")
        self._traits: tuple[Run, TokenTraits] | None = None
        self._is_about_unused = False
        self.model = VocabularyModel(self)
        self._job = LatestAnswer(_vocabulary_at, self, in_turn_of=workspace, keeps_late=True)
        self._check = LatestAnswer(_check_tokens, self, rest_ms=CHECK_MS, keeps_late=True)
        self._build()
        self._connect()
        self._on_run_changed()

    def _build(self) -> None:
        self.filters = _VocabularyFilters(self)
        self.filtered = FilteredTable(
            self.model,
            self._workspace,
            names=ObjectNames("vocabulary.filter", "vocabulary.count", "vocabulary.table"),
            label="Tokens of the step",
            rows="tokens",
            contain="that contain this text",
            of_all="of all tokens of the step",
            order=(VocabularyModel.ID, Qt.SortOrder.AscendingOrder),
            no_match=_NO_MATCH,
            no_rows=self._no_rows,
            unit="token",
            beside_filter=(self.filters.script, self.filters.length),
            parent=self,
        )
        self.filter = self.filtered.filter
        self.table = self.filtered.table
        self.filter.setPlaceholderText("Filter tokens")
        self.table.target_of = self._target_of
        self.step_note = StepNote(self, "vocabulary.step")
        self.heading_items = QWidget(self)
        row((self.step_note, 1), parent=self.heading_items)
        self.sentence = statement("vocabulary.sentence", "Tokens that are never used")
        column(self.filters, self.sentence, (self.filtered, 1), parent=self, margins=PANEL_MARGINS)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.run_changed.connect(self._on_run_changed)
        workspace.step_changed.connect(self._on_moved)
        workspace.state_changed.connect(self._on_moved)
        workspace.selection.changed.connect(self._on_selected)
        self.filters.changed.connect(self._on_filters_changed)
        self.filtered.chosen.connect(self._on_chosen)
        self.filtered.filtered.connect(self._show_first)
        self.filtered.text_changed.connect(self.filters.clear)
        self.model.modelReset.connect(self._on_rows_changed)
        self.table.verticalScrollBar().valueChanged.connect(self._check_at_rest)
        self._job.answered.connect(self._on_answered)
        self._check.answered.connect(self._on_checked)
        workspace.examiner.changed.connect(self._on_checked)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the tokens are those of the run and the step."""
        shown = self.model.shown
        workspace = self._workspace
        if shown is None or workspace.run is None:
            return shown is None and workspace.run is None
        return shown.run is workspace.run and shown.step == workspace.step

    def show_only(self, state: TokenState | None, rare_below: int | None = None) -> None:
        """Show the tokens in a state without other filters, as after a click on their number."""
        if rare_below is not None:
            self.filters.fill()
            self.filters.rare_below.setValue(rare_below)
        self.filter.clear()
        self.filtered.apply_filter()
        self.filters.clear()
        self.filters.set_state(state)

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._job.forget()
        self._check.forget()
        self._traits = None
        if self.model.shown is not None:
            self.model.show(None)
            self.filters.show_counts(None)
        self.filtered.show_count()
        self.request_refresh()
        self._say()

    @Slot()
    def _on_moved(self) -> None:
        self.request_refresh()
        self._say()

    def show_state(self) -> None:
        run = self._workspace.run
        if run is None or self.is_up_to_date:
            self._job.forget()
        else:
            self._job.ask(self, run, self._workspace.step)
        self.filters.fill()
        if self.model.shown is None:
            self.filtered.show_count()  # its placeholder says why the table is empty
        self._say()

    def traits_of(self, run: Run) -> TokenTraits:
        """The traits of a run's tokens, found once; called in the pool, one call at a time."""
        from bpe_studio.engine.analysis.token_traits import TokenTraits

        known = self._traits
        if known is None or known[0] is not run:
            known = self._traits = (run, TokenTraits(run))
        return known[1]

    @Slot(object)
    def _on_answered(self, answer: Vocabulary) -> None:
        top = self.table.rowAt(0) if self.model.shown is not None else -1
        self.model.wanted = self.filters.wanted
        self.model.show(answer)
        self.filters.show_counts(answer)
        if 0 < top < self.model.rowCount():
            # The rows were replaced; the table keeps its place.
            self.table.scroll_quietly(
                self.model.index(top, 0), QAbstractItemView.ScrollHint.PositionAtTop
            )
        self._on_selected(self._workspace.selection.current)
        self._say()
        self.answered.emit()

    @Slot()
    def _check_at_rest(self) -> None:
        shown = self.model.shown
        is_wanted = (
            shown is not None and shown.unreachable is None and shown.run is self._workspace.run
        )
        if shown is not None and is_wanted and not self._check.is_busy:
            self._check.forget()  # it rests anew
            self._check.ask(shown.run, self._workspace.n_merges)

    @Slot()
    def _on_checked(self) -> None:
        """Show the same tokens again, now that the unreachable ones are known."""
        shown = self.model.shown
        if shown is None:
            return
        from bpe_studio.explain.doctor.unreachable import known_unreachable

        found = known_unreachable(shown.run, shown.step)
        if found is None:
            self._check_at_rest()  # the run has grown meanwhile
        elif found != shown.unreachable:
            self._on_answered(replace(shown, unreachable=found))

    # Actions of the user.

    @Slot()
    def _on_filters_changed(self) -> None:
        if self._is_about_unused != self.filters.is_about_unused:
            self._is_about_unused = self.filters.is_about_unused
            # Among unused tokens, merges tell more than the alphabet, so they come first.
            ends_first = Qt.SortOrder.DescendingOrder
            order = ends_first if self._is_about_unused else Qt.SortOrder.AscendingOrder
            self.table.sortByColumn(VocabularyModel.ID, order)
        self.model.set_wanted(self.filters.wanted)
        self.filters.show_counts(self.model.shown)
        self.filtered.show_count()
        self._show_first()

    @Slot()
    def _show_first(self) -> None:
        """Scroll to the token whose name was typed, or else to the first row."""
        if self.filter.text():
            self.filtered.show_best_match()
        elif self.model.rowCount():
            self.table.scroll_quietly(
                self.model.index(0, 0), QAbstractItemView.ScrollHint.PositionAtTop
            )

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        token = self.model.token(index.row())
        if token >= 0:
            self._workspace.selection.select_token(token)
            self.chosen.emit()

    def _target_of(self, index: QModelIndex, _place: QPoint | None) -> Target | None:
        shown = self.model.shown
        return None if shown is None else token_target(shown.run, self.model.token(index.row()))

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        """Mark the selected token, and scroll to it."""
        token = -1 if selected is None else selected.token
        self.model.selected = token
        shown = self.model.shown
        if shown is not None and token >= 0 and self.isVisible():
            # A later event would lay out the new rows; until then, the table cannot scroll to them.
            self.table.executeDelayedItemsLayout()
            self.filtered.show_source_row(token + shown.n_special)
        self.table.viewport().update()

    # Display.

    @Slot()
    def _on_rows_changed(self) -> None:
        shown = self.model.shown
        why_none = "" if shown is None else shown.why_unknown(self.filters.wanted.state)
        self.filtered.no_match = f"{why_none[0].upper()}{why_none[1:]}" if why_none else _NO_MATCH
        sentence = ""
        if shown is not None and self.filters.is_about_unused:
            sentence = shown.never_used()
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.table.fit_columns()
        self.filtered.show_count()
        self._check_at_rest()

    def _no_rows(self) -> str:
        if self._workspace.run is None and self._workspace.state is State.loading:
            return "The text is still being read"
        if self._workspace.run is None:
            return "Open a text or a tokenizer to see its tokens"
        return "Counting tokens …"

    def _say(self) -> None:
        shown = self.model.shown
        step = None if shown is None else shown.step
        self.step_note.show_step(step)


def _vocabulary_at(panel: VocabularyPanel, run: Run, step: int) -> Vocabulary:
    """Count the tokens of a step, in the thread pool."""
    from bpe_studio.explain.vocabulary import vocabulary_at

    return vocabulary_at(run, step, panel.traits_of(run))


def _check_tokens(run: Run, step: int) -> Generator[None, None, bool]:
    """Find the unreachable tokens of a run, in the thread pool."""
    from bpe_studio.explain.doctor.unreachable import finding_unreachable

    return finding_unreachable(run, step)


class _VocabularyFilters(QWidget):
    """The filters by state, script and length; each state has a button.

    Attributes:
        script, length: boxes that the panel places beside the text filter.

    Signals:
        changed: the user changed a filter.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ""
        self._counts: dict[str, int] = {}
        self._scripts: list[int] = []
        self.states: dict[str, QToolButton] = {}
        for key, title, tip in _BUTTONS:
            button = named(
                QToolButton(self), f"vocabulary.{key}", f"Show only: {title.lower()}", tip
            )
            button.setText(title)
            button.setCheckable(True)
            button.clicked.connect(self._on_state_clicked)
            self.states[key] = button
        self.rare_below = named(
            WholeNumber(self),
            "vocabulary.rare_below",
            "Rare below",
            "A token that occurs less often than this is rare",
        )
        self.rare_below.setRange(1, MOST_RARE_BELOW)
        self.rare_below.setValue(RARE_BELOW)
        self.rare_below.setPrefix("below ")
        self.script = named(
            QComboBox(self),
            "vocabulary.script",
            "Script",
            "Show only tokens whose letters are of one script",
        )
        self.length = named(
            QComboBox(self),
            "vocabulary.length",
            "Length",
            "Show only tokens of this length in characters",
        )
        for box in (self.script, self.length):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow)
            box.setMinimumContentsLength(_BOX_CHARACTERS)
        self.row = WrappingRow(self)
        self.row.add(self.states["unused"])
        self.row.add(self.states["rare"], self.rare_below)
        for key in ("unreachable", "partial", "special", "base", _ONLY_CHOSEN):
            self.row.add(self.states[key])
        self.states[_ONLY_CHOSEN].hide()
        column(self.row, parent=self)
        self._is_filled = False

    def fill(self) -> None:
        """Offer lengths and scripts; their module is imported when the panel is first used."""
        from bpe_studio.explain.vocabulary import LENGTHS, length_text

        if self._is_filled:
            return
        self._is_filled = True
        self.script.addItem("Any script")
        self.length.addItem("Any length")
        lengths = [length_text(length) for length in LENGTHS]
        self.length.addItems(lengths)
        self.rare_below.valueChanged.connect(self.changed)
        self.script.currentIndexChanged.connect(self.changed)
        self.length.currentIndexChanged.connect(self.changed)

    @property
    def wanted(self) -> VocabularyFilter:
        """The chosen filter."""
        from bpe_studio.explain.vocabulary import LENGTHS, TokenState, VocabularyFilter

        self.fill()
        script = self.script.currentIndex() - 1
        length = self.length.currentIndex() - 1
        state = TokenState[self._state] if self._state else None
        chosen_script = self._scripts[script] if script >= 0 else None
        chosen_length = LENGTHS[length] if length >= 0 else None
        return VocabularyFilter(state, self.rare_below.value(), chosen_script, chosen_length)

    @property
    def is_about_unused(self) -> bool:
        """Whether the tokens that are never used are chosen."""
        return self._state == "unused"

    def set_state(self, state: TokenState | None) -> None:
        """Want only tokens in a state; None for any."""
        name = "" if state is None else state.name
        if name != self._state:
            self._state = name
            self._check()
            self.changed.emit()

    def clear(self) -> None:
        """Want every token."""
        if not self._state and max(self.script.currentIndex(), self.length.currentIndex()) <= 0:
            return
        self._state = ""
        self._check()
        for box in (self.script, self.length):
            box.blockSignals(True)
            box.setCurrentIndex(0)
            box.blockSignals(False)
        self.changed.emit()

    def show_counts(self, vocabulary: Vocabulary | None) -> None:
        """Write the number of tokens on each button, and offer the scripts that occur."""
        from bpe_studio.explain.vocabulary import BEING_CHECKED, TokenState, script_text

        self.fill()
        for key, title, tip in _BUTTONS:
            text = title
            why_not = "" if vocabulary is None else vocabulary.why_unknown(TokenState[key])
            why_disabled = "" if key == self._state else why_not
            enable(self.states[key], tip, why_disabled)  # a chosen one can be released
            if why_not == BEING_CHECKED:
                text = f"{title}  …"
            elif vocabulary is not None and not why_not:
                held = vocabulary.holding(TokenState[key], self.rare_below.value())
                text = f"{title}  {number(int(held.sum()))}"
            if self.states[key].text() != text:
                self.states[key].setText(text)
        self.rare_below.setEnabled(self.states["rare"].isEnabled())
        for each in (self.states["unused"], self.states["rare"], self.rare_below):
            each.setVisible(vocabulary is None or vocabulary.is_counted)
        scripts = [] if vocabulary is None else vocabulary.present_scripts()
        if scripts == self._scripts:
            return
        before = self.script.currentIndex() - 1
        chosen = self._scripts[before] if before >= 0 else None
        self._scripts = scripts
        self.script.blockSignals(True)
        self.script.clear()
        self.script.addItems(["Any script", *(script_text(each) for each in scripts)])
        place = scripts.index(chosen) + 1 if chosen in scripts else 0
        self.script.setCurrentIndex(place)
        self.script.blockSignals(False)
        if chosen is not None and chosen not in scripts:
            self.changed.emit()

    def _check(self) -> None:
        for key, button in self.states.items():
            button.setChecked(key == self._state)
        self.states[_ONLY_CHOSEN].setVisible(self._state == _ONLY_CHOSEN)

    @Slot()
    def _on_state_clicked(self) -> None:
        button = self.sender()
        key = next((key for key, each in self.states.items() if each is button), "")
        self._state = "" if key == self._state else key
        self._check()
        self.changed.emit()
