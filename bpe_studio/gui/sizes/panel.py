"""Any number of vocabulary sizes of one run side by side: their numbers, texts, words, curve, and advice.

The last one is always the step of the window; the others have their own steps, which the workspace stores. The text is
the typed text, or the beginning of the corpus while nothing is typed. Token counts are updated at once; what needs a
pass over the vocabulary is computed in the thread pool, for visible parts only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.sizes.size_list import MOST_SIZES, SizeRange, usual_steps
from bpe_studio.explain.wording import number as count_text
from bpe_studio.gui.background.panel_refresh import PanelRefresh, every
from bpe_studio.gui.sizes.compared_list import ComparedList, Item
from bpe_studio.gui.sizes.continue_training import ContinueTraining
from bpe_studio.gui.sizes.numbers import SizeNumbers
from bpe_studio.gui.sizes.numbers_model import RARE, UNUSED, Against, NumbersModel
from bpe_studio.gui.sizes.size_field import SizeField
from bpe_studio.gui.sizes.tabs import ADVICE, NUMBERS, RUNS, ComparePages
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, is_in_sight, would_be_shown
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bpe_studio.explain.cut_text import FloatArray
    from bpe_studio.explain.sizes.comparison import Comparison
    from bpe_studio.explain.sizes.measures import SizeMeasures, Subject
    from bpe_studio.explain.sizes.others import Other, OtherResult
    from bpe_studio.gui.sizes.advice_tab import AdviceTab
    from bpe_studio.gui.sizes.curve_tab import CurveTab
    from bpe_studio.gui.sizes.others import Others
    from bpe_studio.gui.sizes.text_columns import TextColumns
    from bpe_studio.gui.sizes.words_tab import WordsTab
    from bpe_studio.workspace.workspace import Workspace

EXCERPT_CHARACTERS = 600
FRAME_MS = 16
HIDDEN_MS = 250
RUNNING_MS = 250
TYPING_MS = 80
LOW_LINES = 14


class RememberedSizes(Protocol):
    """Keeps the sizes that were compared last from one session to the next.

    Attributes:
        compared_sizes: vocabulary sizes, rising.
    """

    compared_sizes: list[int]


class SizesPanel(QWidget):
    """The sizes to compare, above one row of pages.

    Signals:
        tokens_requested: (TokenState or None, int), the user wants to see the tokens of the step that is shown now: all
            of them or those in a state, and below which count a token is rare.
        new_run_requested: the user wants to train another run.
        tokenizer_requested, folder_requested: the user wants to open a tokenizer, a file or a folder.
    """

    tokens_requested = Signal(object, int)
    new_run_requested = Signal()
    tokenizer_requested = Signal()
    folder_requested = Signal()

    def __init__(
        self, workspace: Workspace, memory: RememberedSizes | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        self._comparison: Comparison | None = None
        self._excerpt: str | None = None
        self._compared_text: object = None
        self.model = NumbersModel(self)
        self._refresh = PanelRefresh(
            self,
            workspace,
            self._show_all,
            at_rest=every(FRAME_MS),
            running=every(RUNNING_MS),
            hidden_ms=HIDDEN_MS,
        )
        self._build()
        self._connect()
        self.list.allow_adding(workspace.run is not None)
        self.refresh()

    def _build(self) -> None:
        self.bar = SizeField(self)
        self.add = self.bar.add
        self.list = ComparedList(self)
        self.bar.add_at_end(*self.list.buttons)
        self._others: Others | None = None
        self.continue_training = ContinueTraining(self._workspace, self)
        self.which = named(
            Note(role="plain"), "compare.which", "", "The text that every size cuts, and its length in code points"
        )
        self.numbers = SizeNumbers(self.model, self)
        self.table = self.numbers.table
        self.parts = self.tabs = ComparePages(self._workspace, self.numbers, self)
        column(
            self.bar,
            self.list,
            self.continue_training,
            self.which,
            (self.parts, 1),
            parent=self,
            spacing=6,
            margins=PANEL_MARGINS,
        )

    def _connect(self) -> None:
        self.parts.made.connect(self._on_made)
        self.bar.added.connect(self._on_added)
        self.bar.filled.connect(self._on_filled)
        self.bar.current_added.connect(self._on_add_clicked)
        self.bar.beyond.connect(self.continue_training.offer)
        self.continue_training.begun.connect(self.bar.forget)
        self.continue_training.reached.connect(self._on_added)
        self.list.removed.connect(self._on_item_removed)
        self.list.new_run_requested.connect(self.new_run_requested)
        self.list.tokenizer_requested.connect(self.tokenizer_requested)
        self.list.folder_requested.connect(self.folder_requested)
        self.list.run_chosen.connect(self._on_run_chosen)
        self.list.cancel_requested.connect(self._on_cancel)
        self.table.doubleClicked.connect(self._on_row_chosen)
        self.table.activated.connect(self._on_row_chosen)
        self.table.link_chosen.connect(self._on_number_chosen)
        removing = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.table)
        removing.setContext(Qt.ShortcutContext.WidgetShortcut)
        removing.activated.connect(self._on_delete_pressed)
        self.numbers.changed.connect(self.refresh)
        self.tabs.currentChanged.connect(self._refresh.request)
        workspace = self._workspace
        workspace.run_changed.connect(self._on_run_changed)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.run_grew.connect(self._refresh.request)
        workspace.step_changed.connect(self._refresh.request)
        workspace.compared_steps_changed.connect(self._refresh.request)
        workspace.state_changed.connect(self._refresh.request)
        workspace.typed_text_changed.connect(self._on_typed_text_changed)
        workspace.special_changed.connect(self._on_special_changed)

    def make_parts(self) -> None:
        """Create the contents of the pages, if they do not exist yet."""
        self.parts.make()

    def bring(self, key: str) -> None:
        """Bring the pages of a panel to the front: of the sizes, or of two runs."""
        self.parts.show_pages_of_runs(key == "branches")

    @property
    def texts(self) -> TextColumns:
        """The columns of text."""
        return self.parts.texts

    @property
    def words(self) -> WordsTab:
        """The longest words."""
        return self.parts.words

    @property
    def curve(self) -> CurveTab:
        """The curve over all sizes."""
        return self.parts.curve

    @property
    def advice(self) -> AdviceTab:
        """The advisor."""
        return self.parts.advice

    @Slot()
    def _on_made(self) -> None:
        from bpe_studio.gui.sizes.counts import UseCounts
        from bpe_studio.gui.sizes.others import Others

        self._uses = UseCounts(self)
        self._uses.counted.connect(self._on_counted)
        self._others = Others(self._workspace, self)
        self._others.changed.connect(self._refresh.request)
        tokenizers = self._workspace.tokenizers
        tokenizers.failed.connect(self.list.set_problem)
        self._workspace.tokenizers.progress_changed.connect(self.list.set_progress)
        self.texts.other_removed.connect(self._on_item_removed)
        workspace, curve = self._workspace, self.curve
        self.texts.step_chosen.connect(self._on_step_chosen)
        self.texts.removed.connect(self._on_removed)
        self.words.step_chosen.connect(workspace.transport.go_to)
        self.advice.step_chosen.connect(workspace.transport.go_to)
        self.advice.tokens_requested.connect(self._on_cost_chosen)
        curve.counted.connect(self._show_advice)
        curve.curve.mark_moved.connect(self._on_mark_moved)
        curve.curve.mark_removed.connect(self._on_mark_removed)
        curve.curve.step_chosen.connect(self._on_place_chosen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.make_parts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # A low window has no room for this line; the comparison names the text too.
        self.which.setVisible(self.height() >= LOW_LINES * self.fontMetrics().height())

    @property
    def is_up_to_date(self) -> bool:
        """Whether the numbers are those of the chosen sizes, the run and the text."""
        run, comparison = self._workspace.run, self._comparison
        text = self._text() if run is not None else ""
        if self._refresh.is_pending or (comparison is None) is not (not text):
            return False
        if comparison is None:
            return True
        is_of_all = comparison.run is run and comparison.text == text
        steps = self._steps()
        return is_of_all and [row.step for row in self.model.rows if not row.key] == steps and self._are_others_known

    @property
    def _are_others_known(self) -> bool:
        others = self._others
        if others is None:
            return True
        is_known = all(others.result(other) is not None for other in others.entries)
        return is_known and others.is_up_to_date and self._workspace.tokenizers.progress is None

    @Slot()
    def refresh(self) -> None:
        """Compare now."""
        self._refresh.now()

    def _show_all(self) -> None:
        if not self._refresh.is_in_sight:
            self._refresh.wait_for_sight()
        workspace, run = self._workspace, self._workspace.run
        steps = self._steps()
        self._say_bar(len(steps))
        self._show_list(steps)
        if would_be_shown(self):
            self.make_parts()  # nothing is created beforehand in a window that is never shown
        if not self.parts.are_made:
            self._say_empty(has_run=run is not None)
            return
        # What was just covered by another tab may still be visible.
        parts = (self.numbers, self.texts, self.words, self.curve, self.advice)
        if any(part.isVisible() and not is_in_sight(part) for part in parts):
            self._refresh.wait_for_sight()
        # They are created with the tabs, after the window is painted.
        from bpe_studio.explain.sizes.comparison import Comparison
        from bpe_studio.explain.sizes.measures import Subject

        text = self._text() if run is not None else ""
        if run is None or not text:
            self._comparison = None
            self.numbers.offer(())
            self.model.set_rows(())
            self._uses.want(None, [])
            self._say_empty(has_run=run is not None)
        else:
            comparison = self._comparison
            if comparison is None or comparison.run is not run or comparison.text != text:
                comparison = self._comparison = Comparison(run, text)
            sizes = comparison.measures(steps, len(steps) - 1)
            rows = [*sizes, *self._other_rows(comparison)]
            self.numbers.offer(rows)
            self.model.set_rows(rows, self._reference(len(rows)))
            self._count(Subject(run, text, self.numbers.rare), steps)
            self._show_against(comparison, steps)
            self._say_which(comparison)
        self.numbers.show_rows(self.model.rows, is_typed=bool(workspace.typed_text))
        if is_in_sight(self.texts):
            self.texts.set_steps(steps, workspace.n_merges, are_removable=len(steps) > 2)
            self.texts.show_comparison(
                self._comparison, self.model.rows[: len(steps)], self.model.reference, self._results()
            )
        if is_in_sight(self.words):
            self.words.show_text(run if text else None, workspace.n_merges, text, self._entries())
            self.words.set_steps(steps, self.model.reference)
        is_advice_seen = is_in_sight(self.advice)
        if is_advice_seen or is_in_sight(self.curve):
            self.curve.show_sizes(steps, text)
            self.curve.show_others(self._entries(), [row for row in self.model.rows if row.key])
        if is_advice_seen:
            self._show_advice()

    def _count(self, subject: Subject, steps: list[int]) -> None:
        """Request the counts that need a pass over the vocabulary, and show those that are known."""
        if self._workspace.state is State.running and self._uses_are_late():
            return
        if self._uses.want(subject, steps):
            self.model.forget_uses()
        self._set_uses(steps)

    def _set_uses(self, steps: list[int]) -> None:
        uses = [self._uses.use(step) for step in steps]
        others = self._others
        for other in self._entries():
            found = None if others is None else others.result(other)
            uses.append(None if found is None else found.use)
        self.model.set_uses(uses)

    # Other runs and tokenizers.

    def _entries(self) -> list[Other]:
        return [] if self._others is None else self._others.entries

    def _results(self) -> list[OtherResult]:
        """The results that are there, of what is compared besides the sizes."""
        found = [] if self._others is None else [self._others.result(other) for other in self._others.entries]
        return [each for each in found if each is not None]

    def _other_rows(self, comparison: Comparison) -> list[SizeMeasures]:
        """The rows of other runs and tokenizers; what is not known of them is requested."""
        others, entries = self._others, self._entries()
        if others is None or not entries:
            return []
        others.want(entries, comparison.text, comparison.counts, self.numbers.rare)
        if self._workspace.state is not State.running and self._refresh.is_in_sight:
            self._workspace.tokenizers.count()
        return [others.row(other, comparison.counts) for other in entries]

    def _show_against(self, comparison: Comparison, steps: list[int]) -> None:
        """Show how the rows differ from the reference."""
        from bpe_studio.explain.cut_text import n_differing
        from bpe_studio.explain.sizes.others import OtherTokenizer

        others, entries, reference = self._others, self._entries(), self.model.reference
        run = self._workspace.run
        assert run is not None
        shared: list[int] | None = [
            int(run.n_alphabet) + min(step, steps[min(reference, len(steps) - 1)]) for step in steps
        ]
        if others is not None and entries:
            is_running = self._workspace.state is State.running
            shared = None if is_running else others.shared(run, steps, entries, reference)
        starts: list[FloatArray | None] = [comparison.starts(steps, k) for k in range(len(steps))]
        for other in entries:
            found = None if others is None else others.result(other)
            starts.append(None if found is None or found.content is None else found.content.starts)
        own = starts[reference]
        against = [
            Against(
                None if own is None or each is None else n_differing(each, own), None if shared is None else shared[k]
            )
            for k, each in enumerate(starts)
        ]
        can_count = bool(entries) and self._workspace.tokenizers.can_count
        pending = {
            other.key
            for other in entries
            if others is None
            or others.result(other) is None
            or (isinstance(other, OtherTokenizer) and other.counts is None and not other.why_not and can_count)
        }
        self.model.set_against(against, pending)

    def _show_list(self, steps: list[int]) -> None:
        """Show what is compared as a list."""
        run = self._workspace.run
        items = []
        for number, step in enumerate(steps if run is not None and self._workspace.n_merges else ()):
            is_current = number == len(steps) - 1
            size = count_text(run.vocab_size_at(step)) if run is not None else ""
            items.append(
                Item(
                    f"size {number + 1}",
                    f"{size} · step of the window" if is_current else size,
                    f"Vocabulary size {size} of the open run, step {count_text(step)}",
                    is_removable=not is_current and len(steps) > 2,
                    is_current=is_current,
                )
            )
        for other in self._entries():
            items.append(Item(other.key, other.name, other.tip()))
        hidden = [] if self._others is None else self._others.hidden_runs
        self.list.set_items(items, hidden)

    @Slot(object)
    def add_tokenizers(self, paths: Sequence[Path]) -> None:
        """Open tokenizers and compare them."""
        self.make_parts()
        if self.parts.page in (RUNS, ADVICE):
            self.parts.show_page(NUMBERS)  # the others say nothing of a tokenizer
        self.list.set_problem("")
        self._workspace.tokenizers.add(paths)

    @Slot(str)
    def _on_item_removed(self, key: str) -> None:
        kind, _, number = key.partition(" ")
        if kind == "size":
            self._on_removed(int(number))
        elif self._others is not None:
            self._others.remove(key)

    @Slot(int)
    def _on_run_chosen(self, number: int) -> None:
        if self._others is not None:
            self._others.add_run(number)

    @Slot()
    def _on_cancel(self) -> None:
        self._workspace.tokenizers.cancel()

    def _uses_are_late(self) -> bool:
        """Whether the counts can wait, because a run trains and they are not visible."""
        return not is_in_sight(self.numbers) and not is_in_sight(self.advice)

    @Slot()
    def _on_counted(self) -> None:
        self._set_uses([row.step for row in self.model.rows if not row.key])
        if is_in_sight(self.advice):
            self._show_advice()

    @Slot()
    def _show_advice(self) -> None:
        has_failed = self.curve.has_failed
        sizes = tuple(row for row in self.model.rows if not row.key)
        self.advice.show_advice(self.curve.curves, sizes, self.model.uses[: len(sizes)], has_failed=has_failed)

    def _own_steps(self) -> list[int]:
        """The steps of all sizes but the last, limited to the run."""
        workspace = self._workspace
        if not workspace.n_merges:
            return []  # all of them would be the window's, step 0
        steps = workspace.compared_steps or self._usual_steps()
        return [min(step, workspace.n_merges) for step in steps[:MOST_SIZES]]

    def _usual_steps(self) -> tuple[int, ...]:
        """The steps until the user chooses some."""
        workspace = self._workspace
        early = default_step(workspace.n_merges, workspace.target, workspace.shown_state)
        if workspace.run is None:
            return (early,)
        end = workspace.n_merges if workspace.shown_state is State.done or not workspace.target else workspace.target
        return tuple(usual_steps(SizeRange.of(workspace.run, end), self._remembered())) or (early,)

    def _remembered(self) -> list[int]:
        return [] if self._memory is None else self._memory.compared_sizes

    def _remember(self, steps: Sequence[int]) -> None:
        """Keep the sizes that the user chose for the next text and the next session."""
        if self._memory is not None and self._workspace.run is not None:
            base = int(self._workspace.run.vocab_size_at(0))
            self._memory.compared_sizes = sorted({base + step for step in steps})

    def _steps(self) -> list[int]:
        return [*self._own_steps(), self._workspace.step]

    def _reference(self, n: int) -> int:
        return min(self.numbers.reference, n - 1)

    def _text(self) -> str:
        if self._workspace.typed_text:
            return self._workspace.typed_text
        if self._excerpt is None:
            from bpe_studio.workspace.excerpt import corpus_excerpt

            self._excerpt = corpus_excerpt(self._workspace.corpus, EXCERPT_CHARACTERS)
        return self._excerpt

    def _say_which(self, comparison: Comparison) -> None:
        workspace = self._workspace
        if workspace.typed_text:
            whose = "Your text"
        else:
            name = workspace.corpus.name if workspace.corpus is not None else "the corpus"
            whose = f"The beginning of {name}, as nothing is typed yet"
        n, n_drawn = len(comparison.text), comparison.n_drawn
        drawn = f"; the first {n_drawn:,} are drawn, all are counted" if n_drawn < n else ""
        self.which.set_message(f"{whose}: {n:,} {'character' if n == 1 else 'characters'}{drawn}")

    def _say_empty(self, *, has_run: bool) -> None:
        if has_run:
            self.which.set_message("Type a text to compare")
            self.table.set_placeholder("There is no text to compare yet")
        else:
            self.which.set_message("Open a text and train on it to compare vocabulary sizes")
            self.table.set_placeholder("One row a vocabulary size, once there is a run")

    def _say_bar(self, n_sizes: int) -> None:
        workspace = self._workspace
        run = workspace.run
        reason = ""
        if run is None:
            reason = "There is no run yet"
        elif not workspace.n_merges:
            reason = "No merges yet: run, or take a step"
        elif n_sizes > MOST_SIZES:
            reason = f"At most {MOST_SIZES} sizes can be compared"
        elif workspace.step in self._own_steps():
            reason = "This step is one of the sizes already"
        self.bar.set_add(reason)
        self.bar.set_clear("" if workspace.compared_steps or self._remembered() else "No sizes are chosen yet")
        self.bar.set_range(SizeRange.of(run, workspace.n_merges) if run is not None else None)

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._comparison = None
        self.list.allow_adding(self._workspace.run is not None)
        if self.parts.are_made:
            self._uses.want(None, [])
            self.curve.forget()
        self._refresh.request()

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._excerpt = None
        self.bar.set_message("")
        text = None if self._workspace.corpus is None else self._workspace.corpus.request
        if text is not self._compared_text and self._others is not None:
            self._others.forget()
        self._compared_text = text
        self._on_run_changed()

    @Slot()
    def _on_special_changed(self) -> None:
        """Cut the text again, as its special tokens are recognized now or no longer."""
        self._comparison = None
        self._refresh.request()

    @Slot()
    def _on_typed_text_changed(self) -> None:
        self._refresh.request_soon(TYPING_MS)

    # User actions.

    def _choose(self, steps: list[int]) -> None:
        if len(set(steps)) > MOST_SIZES:
            self.bar.set_message(f"These are {len(set(steps)):,} sizes; at most {MOST_SIZES} can be compared.")
            return
        self._remember(steps)
        self._workspace.set_compared_steps(steps)
        self._refresh.request()  # what is shown without chosen sizes may have changed too

    def _chosen_steps(self) -> tuple[int, ...]:
        """The steps that the user chose, now or the last time."""
        return self._workspace.compared_steps or (self._usual_steps() if self._remembered() else ())

    @Slot()
    def _on_add_clicked(self) -> None:
        self._choose([*self._own_steps(), self._workspace.step])

    @Slot(object)
    def _on_added(self, steps: list[int]) -> None:
        self._choose(sorted({*self._chosen_steps(), *steps}))

    @Slot(object)
    def _on_filled(self, steps: list[int]) -> None:
        # The window's step has its own row, which must not be doubled.
        self._choose([step for step in steps if step != self._workspace.step] or steps)

    @Slot(int, int)
    def _on_step_chosen(self, number: int, step: int) -> None:
        steps = self._own_steps()
        if number > len(steps):
            self._workspace.transport.go_to(step)
        elif step not in steps:
            # Two columns at one step would become one during a drag.
            steps[number - 1] = step
            self._workspace.set_compared_steps(steps)

    @Slot(int, object)
    def _on_mark_moved(self, number: int, step: int) -> None:
        self._on_step_chosen(number + 1, step)
        self._put_marks()

    @Slot(object)
    def _on_place_chosen(self, step: int) -> None:
        self._workspace.transport.go_to(step)
        self._put_marks()

    def _put_marks(self) -> None:
        """Move the marks at once, as the next key may come before the rest is painted."""
        self.curve.curve.set_marks(self._own_steps(), self._workspace.step)

    @Slot(int)
    def _on_removed(self, number: int) -> None:
        steps = self._own_steps()
        if 0 < number <= len(steps):
            del steps[number - 1]
            self._choose(steps)

    @Slot(int)
    def _on_mark_removed(self, number: int) -> None:
        self._on_removed(number + 1)

    @Slot()
    def _on_delete_pressed(self) -> None:
        row = self.table.currentIndex().row()
        key = self.model.rows[row].key if 0 <= row < len(self.model.rows) else ""
        self._on_item_removed(key or f"size {row + 1}")

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        row = self.model.rows[index.row()]
        kind, _, number = row.key.partition(" ")
        if not kind:
            self._workspace.transport.go_to(row.step)
        elif kind == "run":
            self._workspace.runs.show(int(number))

    @Slot(QModelIndex)
    def _on_number_chosen(self, index: QModelIndex) -> None:
        """Show the tokens that a number counts, at the step of its row."""
        from bpe_studio.explain.vocabulary import TokenState

        self._workspace.transport.go_to(self.model.rows[index.row()].step)
        states = {UNUSED: TokenState.unused, RARE: TokenState.rare}
        self.tokens_requested.emit(states.get(index.column()), self.numbers.rare)

    @Slot(int, bool)
    def _on_cost_chosen(self, step: int, is_rare: bool) -> None:
        from bpe_studio.explain.vocabulary import TokenState

        self._workspace.transport.go_to(step)
        self.tokens_requested.emit(TokenState.rare if is_rare else None, self.numbers.rare)


def default_step(n_merges: int, target: int, state: State) -> int:
    """The step of the first size until the user chooses one: early in the run, and fixed while it grows."""
    length = n_merges if state is State.done or not target else target
    return min(n_merges, length // 10 if length >= 50 else length // 2)
