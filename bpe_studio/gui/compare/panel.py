"""Compare: sizes of the open run, other runs of its text and tokenizers, above one row of pages.

The last size is always the step of the window; the others have their own steps, which the workspace
stores. The text is the typed text, or the beginning of the corpus while nothing is typed. The
tokens of a size are updated at once; numbers that need a pass over a vocabulary are computed in the
thread pool, for visible parts only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from bpe_studio.explain.comparison.size_list import MOST_SIZES, SizeRange, usual_steps
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.wording import number as count_text
from bpe_studio.explain.wording import plural
from bpe_studio.gui.background.panel import FRAME_MS, Needs, Panel, every
from bpe_studio.gui.compare.add_menu import NO_RUN
from bpe_studio.gui.compare.chips import Chips, Item
from bpe_studio.gui.compare.numbers_page import NumbersPage
from bpe_studio.gui.compare.pair import CURRENT, Pair
from bpe_studio.gui.compare.size_field import SizeField
from bpe_studio.gui.compare.table_model import RARE, UNUSED, Found, MeasuresModel
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, is_in_sight, would_be_shown
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.tab_bar import SteadyTabBar
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bpe_studio.explain.comparison.measures import Measured, Row
    from bpe_studio.explain.comparison.subjects import RunAt, Subject
    from bpe_studio.explain.comparison.texts import ComparedText
    from bpe_studio.explain.comparison.verdict import Side
    from bpe_studio.explain.cut_text import CutText
    from bpe_studio.gui.compare.advice_page import AdvicePage
    from bpe_studio.gui.compare.alignment_page import AlignmentPage
    from bpe_studio.gui.compare.compared import Compared
    from bpe_studio.gui.compare.curve_page import CurvePage
    from bpe_studio.gui.compare.every_tokenizer import TokenizersPage
    from bpe_studio.gui.compare.gold_page import GoldPage
    from bpe_studio.gui.compare.text_page import TextPage
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

RUNNING_MS = 250
TYPING_MS = 30
NUMBERS, CURVE, TEXT, TOKENIZERS, DIFFERENCE, ALIGNMENT, GOLD, ADVICE = PAGES = (
    "Numbers",
    "Curve",
    "Text",
    "Tokenizers",
    "Difference",
    "Alignment",
    "Gold words",
    "Advice",
)


class ComparePanel(Panel):
    """The list of all that is compared, above one row of pages.

    Signals:
        tokens_requested: (TokenState or None, int), the user wants to see the tokens of the current
            step: all, or those in a state; the int is the limit for rare tokens.
        new_run_requested: the user wants to train another run.
        tokenizer_requested: the user wants to open a tokenizer.
        made: the contents of the pages were created.
        why_requested: the user asks about the selection.
        pair_changed: (Subject, Subject): A and B; or None.
    """

    at_rest = every(FRAME_MS)
    while_training = every(RUNNING_MS)
    needs = Needs.sight
    tokens_requested = Signal(object, int)
    new_run_requested = Signal()
    tokenizer_requested = Signal()
    made = Signal()
    why_requested = Signal()
    pair_changed = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        memory: WindowSettings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workspace, parent)
        self._memory = memory
        self._compared_text: ComparedText | None = None
        self._request: object = None
        self._compared: Compared | None = None
        self._pair = Pair()
        self.pair: tuple[Subject, Subject] | None = None
        self._last = NUMBERS
        self.texts: TextPage
        self.every: TokenizersPage
        self.curve: CurvePage
        self.advice: AdvicePage
        self.alignment: AlignmentPage
        self.gold: GoldPage
        self.model = MeasuresModel(self)
        self._build()
        self._connect()
        self.add.allow_adding(workspace.run is not None)
        self.refresh()

    def _build(self) -> None:
        self.list = Chips(self)
        self.bar = SizeField(self)
        self.add = self.list.menu
        self.which = self.list.which
        self.numbers = NumbersPage(self.model, self)
        self.table = self.numbers.table
        self.tabs = named(QTabWidget(self), "compare.tabs", "Comparisons")
        self.tabs.setTabBar(SteadyTabBar(self.tabs))
        self.tabs.setDocumentMode(True)
        bar = named(self.tabs.tabBar(), "compare.tab_bar", "Comparisons")
        bar.setDrawBase(False)
        for title in PAGES:
            page = QWidget()
            QVBoxLayout(page).setContentsMargins(0, 8, 0, 0)
            self.tabs.addTab(page, title)
        self.hold(NUMBERS, self.numbers)
        column(
            self.list,
            self.bar,
            (self.tabs, 1),
            parent=self,
            spacing=6,
            margins=PANEL_MARGINS,
        )

    def _connect(self) -> None:
        self.bar.added.connect(self._on_added)
        add = self.add
        add.filled.connect(self._on_filled)
        add.current_chosen.connect(self._on_add_clicked)
        add.sizes_requested.connect(self.bar.ask)
        add.new_run_requested.connect(self.new_run_requested)
        add.tokenizer_requested.connect(self.tokenizer_requested)
        add.run_chosen.connect(self._on_run_added)
        self.list.chosen.connect(self.choose)
        self.list.removed.connect(self._on_item_removed)
        self.list.cancel_requested.connect(self._on_cancel)
        self.table.doubleClicked.connect(self._on_row_chosen)
        self.table.activated.connect(self._on_row_chosen)
        self.table.link_chosen.connect(self._on_number_chosen)
        removing = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.table)
        removing.setContext(Qt.ShortcutContext.WidgetShortcut)
        removing.activated.connect(self._on_delete_pressed)
        self.numbers.changed.connect(self.refresh)
        self.tabs.currentChanged.connect(self._on_page_changed)
        workspace = self._workspace
        workspace.run_changed.connect(self._on_run_changed)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.run_grew.connect(self.request_refresh)
        workspace.step_changed.connect(self.request_refresh)
        workspace.compared_steps_changed.connect(self.request_refresh)
        workspace.state_changed.connect(self.request_refresh)
        workspace.shown_text_changed.connect(self._on_typed_text_changed)
        workspace.special_changed.connect(self._on_special_changed)

    # The pages.

    @property
    def page(self) -> str:
        """The title of the page that is shown."""
        return PAGES[self.tabs.currentIndex()]

    def show_page(self, title: str) -> None:
        """Bring a page to the front."""
        self.tabs.setCurrentIndex(PAGES.index(title))

    def bring(self, key: str) -> None:
        """Bring the page of a panel to the front: Difference, or the last other page."""
        if (self.page == DIFFERENCE) is not (key == "branches"):
            page = DIFFERENCE if key == "branches" else self._last
            self.show_page(page)

    def hold(self, title: str, content: QWidget) -> None:
        """Put the content into a page."""
        page = self.tabs.widget(PAGES.index(title))
        assert page is not None
        room = page.layout()
        assert room is not None
        room.addWidget(content)

    @property
    def are_parts_made(self) -> bool:
        """Whether the contents of the pages exist."""
        return self._compared is not None

    def make_parts(self) -> None:
        """Create the contents of the pages, once; they are not visible before a text is open."""
        if self._compared is not None:
            return
        from bpe_studio.gui.compare.advice_page import AdvicePage
        from bpe_studio.gui.compare.alignment_page import AlignmentPage
        from bpe_studio.gui.compare.compared import Compared
        from bpe_studio.gui.compare.curve_page import CurvePage
        from bpe_studio.gui.compare.every_tokenizer import TokenizersPage
        from bpe_studio.gui.compare.gold_page import GoldPage
        from bpe_studio.gui.compare.text_page import TextPage

        workspace = self._workspace
        self._compared = Compared(workspace, self)
        self.curve = CurvePage(workspace, self._memory, self)
        self.texts = TextPage(workspace, self)
        self.advice = AdvicePage(workspace, self)
        self.every = TokenizersPage(workspace, self)
        self.alignment = AlignmentPage(workspace, self)
        self.gold = GoldPage(workspace, self._memory, self)
        pages = (
            (CURVE, self.curve),
            (TEXT, self.texts),
            (TOKENIZERS, self.every),
            (ALIGNMENT, self.alignment),
            (ADVICE, self.advice),
            (GOLD, self.gold),
        )
        for title, part in pages:
            self.hold(title, part)
            finish_controls(part)
        self._compared.changed.connect(self.request_refresh)
        self._compared.measured.connect(self._on_measured)
        workspace.tokenizers.failed.connect(self.list.set_problem)
        workspace.tokenizers.progress_changed.connect(self.list.set_progress)
        workspace.tokenizers.progress_changed.connect(self._on_progress_changed)
        self.texts.step_chosen.connect(self._on_step_chosen)
        self.every.shown.connect(self.request_refresh)
        self.advice.step_chosen.connect(workspace.transport.go_to)
        self.advice.tokens_requested.connect(self._on_cost_chosen)
        self.curve.counted.connect(self._show_advice)
        self.curve.mark_moved.connect(self._on_mark_moved)
        self.curve.step_chosen.connect(workspace.transport.go_to)
        self.pair_changed.connect(self.alignment.show_pair)
        self.alignment.show_pair(self.pair)
        self.gold.compared.connect(self._on_gold_compared)
        self.gold.step_chosen.connect(workspace.transport.go_to)
        self.gold.why_requested.connect(self.why_requested)
        self.made.emit()

    @Slot()
    def _on_gold_compared(self) -> None:
        self.numbers.show_gold(self.gold.has_words)
        self.request_refresh()

    @Slot(int)
    def _on_page_changed(self) -> None:
        if self.page != DIFFERENCE:
            self._last = self.page
        self.request_refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.make_parts()

    @property
    def is_up_to_date(self) -> bool:
        """Whether the numbers are of the current subjects, run and text."""
        run = self._workspace.run
        compared = self._compared_text
        text = self._workspace.shown_text if run is not None else ""
        if self.is_refresh_pending or (compared is None) is not (not text):
            return False
        if compared is None:
            return True
        is_of_all = compared.run is run and compared.text == text
        is_of_steps = [row.step for row in self.model.rows if row.is_size] == self._steps()
        is_known = self._compared is None or self._compared.is_up_to_date
        return (
            is_of_all and is_of_steps and is_known and self._workspace.tokenizers.progress is None
        )

    def show_state(self) -> None:
        if not self.is_in_sight:
            self.wait_for_sight()
        workspace = self._workspace
        run = self._workspace.run
        steps = self._steps()
        self.list.setVisible(self.page != TOKENIZERS)
        self._say_bar(len(steps))
        if would_be_shown(self):
            self.make_parts()  # a window that is never shown creates nothing in advance
        compared = self._compared
        if compared is None:
            self._say_empty(has_run=run is not None)
            return
        self.every.show_state()
        # A part that another tab has just covered may still count as visible.
        parts = (self.numbers, self.texts, self.curve, self.advice)
        if any(part.isVisible() and not is_in_sight(part) for part in parts):
            self.wait_for_sight()
        sizes = self._sizes(steps) if run is not None else []
        subjects: list[Subject] = list(sizes)
        if sizes:
            subjects += compared.others
        before = self.pair
        self.pair = self._pair.among(subjects)
        if self.pair != before:
            self.pair_changed.emit(self.pair)
        self._show_list(subjects)
        self.gold.show_subjects(subjects, self.pair)
        text = self._workspace.shown_text if run is not None else ""
        if run is None or not text:
            self._compared_text = None
            self.model.set_rows((), ())
            compared.want((), "", 0, None)
            self._say_empty(has_run=run is not None)
        else:
            self._compare(compared, subjects, text)
        rows = self.model.rows
        reference = self.model.reference
        others = subjects[len(steps) :]
        self._show_verdict()
        self.numbers.show_rows(rows, reference, is_typed=bool(workspace.typed_text))
        if is_in_sight(self.texts):
            self.texts.show_text(
                self._compared_text,
                rows,
                self._other_cuts(compared, others),
                self._pair_rows(),
                workspace.n_merges,
            )
        is_advice_seen = is_in_sight(self.advice)
        if is_advice_seen or is_in_sight(self.curve):
            self.curve.show_sizes(steps, text)
            self.curve.show_others(rows)
        if is_advice_seen:
            self._show_advice()

    def _compare(self, compared: Compared, subjects: Sequence[Subject], text: str) -> None:
        """Show the known measures of a text, and request the others."""
        from bpe_studio.explain.comparison.measures import Row
        from bpe_studio.explain.comparison.texts import ComparedText

        run = self._workspace.run
        known = self._compared_text
        assert run is not None
        if known is None or known.run is not run or known.text != text:
            known = self._compared_text = ComparedText(run, text)
        rows = []
        for subject in subjects:
            measured = compared.known(subject)
            n_tokens = None if measured is None else measured.n_tokens
            if not subject.name:
                n_tokens = known.n_tokens(subject.step)  # type: ignore[attr-defined]
            rows.append(
                Row.of(subject, run, known.size, n_tokens, is_current=subject.key == CURRENT)
            )
        assert self.pair is not None
        reference = [each.key for each in subjects].index(self.pair[1].key)
        is_running = self._workspace.state is State.running
        if not is_running or is_in_sight(self.numbers) or is_in_sight(self.advice):
            compared.want(subjects, text, self.numbers.rare, subjects[reference])
        if not is_running and self.is_in_sight:
            self._workspace.tokenizers.count()
        self.model.set_rows(rows, self._found(compared, subjects, known, reference), reference)
        self._say_which(known)

    @Slot(object)
    def _on_measured(self, subjects: set[Subject]) -> None:
        """Show new numbers; everything else is shown again only if it changed too."""
        compared = self._compared
        text = self._compared_text
        rows = self.model.rows
        if compared is None or text is None or any(each.name for each in subjects):
            self.request_refresh()
            return
        self._show_verdict()
        reference = self.model.reference
        shown = [row.subject for row in rows]
        found = self._found(compared, shown, text, reference)
        self.model.set_rows(rows, found, reference)
        if is_in_sight(self.advice):
            self._show_advice()

    def _pair_rows(self) -> tuple[int, int]:
        """The rows of A and B."""
        keys = [row.subject.key for row in self.model.rows]
        if self.pair is None or not keys:
            return 0, 0
        a, b = self.pair
        return keys.index(a.key), keys.index(b.key)

    @Slot()
    def _on_progress_changed(self) -> None:
        if not self.is_refresh_pending:
            self._show_verdict()

    def _show_verdict(self) -> None:
        """Show the verdict on A and B as far as it is known, or the tokenizer being opened."""
        from bpe_studio.explain.comparison import verdict

        compared = self._compared
        rows = {row.subject.key: row for row in self.model.rows}
        if compared is None or self.pair is None or any(each.key not in rows for each in self.pair):
            self.numbers.show_verdict("", "")
            return
        a, b = (rows[each.key] for each in self.pair)
        known = [compared.known(row.subject) for row in (a, b)]
        opening = self._workspace.tokenizers.opening
        if opening:
            self.numbers.show_verdict(f"{opening} …", "")
        elif a.subject == b.subject:
            self.numbers.show_verdict(verdict.NO_PAIR, "")
        elif compared.has_failed:
            self.numbers.show_verdict(verdict.FAILED, "")
        elif (a.n_tokens is None and known[0] is None) or (b.n_tokens is None and known[1] is None):
            self.numbers.show_verdict(verdict.COUNTING, "")
        else:
            sides = (self._side(a, b, known[0]), self._side(b, a, known[1]))
            is_a_trained = a.subject.run is not None
            trained = ""
            if self._has_words and is_a_trained is (b.subject.run is None):
                trained_side = sides[0] if is_a_trained else sides[1]
                trained = trained_side.name
            headline, details = verdict.verdict(
                *sides,
                self._corpus_name,
                self._text_name,
                is_counting=self._is_counting(a.subject) or self._is_counting(b.subject),
                trained=trained,
            )
            self.numbers.show_verdict(headline, details)

    def _side(self, row: Row, other: Row, measured: Measured | None) -> Side:
        from bpe_studio.explain.comparison.difference import have_same_weights
        from bpe_studio.explain.comparison.verdict import Side

        subject = row.subject
        compared = self._compared
        is_known = measured is not None and compared is not None and compared.is_known(subject)
        kinds = measured.kinds if measured is not None and is_known else {}
        name = self._size_name(row.vocab_size, is_alone=other.subject.run is subject.run)
        if subject.name:
            # Quoted, because the user chooses the name of a run, such as "Without t + h".
            name = f"“{subject.name}”" if subject.run is not None else subject.name
        is_same_text = have_same_weights(subject.run, other.subject.run)
        n_corpus = row.corpus_tokens if is_same_text else None
        return Side(name, row.vocab_size, row.n_tokens, n_corpus, kinds)

    def _size_name(self, vocab_size: int, *, is_alone: bool) -> str:
        """The name of a size of the open run.

        Args:
            vocab_size: the size.
            is_alone: whether it is compared with another size of this run.
        """
        from bpe_studio.workspace.session import ROOT

        shown = self._workspace.runs.shown
        if is_alone:
            return f"size {count_text(vocab_size)}"
        if not self._has_words:
            return self._corpus_name
        if shown is None or shown.number == ROOT:
            return f"your tokenizer of {count_text(vocab_size)}"
        return f"{shown.name} at {count_text(vocab_size)}"

    def _is_counting(self, subject: Subject) -> bool:
        """Whether the tokens of the corpus under a subject are being counted."""
        return self._workspace.tokenizers.can_count and getattr(subject, "is_being_counted", False)

    def _found(
        self, compared: Compared, subjects: Sequence[Subject], text: ComparedText, reference: int
    ) -> list[Found]:
        """The findings about each subject, as far as they are known."""
        from bpe_studio.explain.cut_text import n_differing

        cuts = [self._cut_of(compared, text, subject) for subject in subjects]
        against = cuts[reference]
        found = []
        for subject, cut in zip(subjects, cuts, strict=True):
            measured = compared.known(subject)
            use = None if measured is None else measured.use
            differing = (
                None if cut is None or against is None else n_differing(cut.starts, against.starts)
            )
            found.append(
                Found(
                    use,
                    differing,
                    compared.n_shared(subject),
                    self.gold.score_of(subject),
                    is_late=self._is_counting(subject) or not compared.is_known(subject),
                )
            )
        return found

    def _cut_of(self, compared: Compared, text: ComparedText, subject: Subject) -> CutText | None:
        if not subject.name:
            return text.cut(subject.step)  # type: ignore[attr-defined]
        measured = compared.known(subject)
        return None if measured is None else measured.content

    def _other_cuts(
        self, compared: Compared, others: Sequence[Subject]
    ) -> dict[str, tuple[CutText | None, str]]:
        """The text as cut by each other subject, or why it cannot cut it, by its key."""
        cuts: dict[str, tuple[CutText | None, str]] = {}
        for each in others:
            measured = compared.known(each)
            cuts[each.key] = (None, "")
            if measured is not None:
                cuts[each.key] = (measured.content, measured.why_not)
        return cuts

    def _sizes(self, steps: Sequence[int]) -> list[RunAt]:
        from bpe_studio.explain.comparison.subjects import RunAt

        run = self._workspace.run
        config = self._workspace.config
        assert run is not None
        keys = [*(f"size {number}" for number in range(1, len(steps))), CURRENT]
        return [RunAt(key, "", run, step, config) for key, step in zip(keys, steps, strict=True)]

    # The compared tokenizers.

    def _show_list(self, subjects: Sequence[Subject]) -> None:
        compared = self._compared
        letters = {} if self.pair is None else {self.pair[0].key: "A", self.pair[1].key: "B"}
        n_sizes = sum(not each.name for each in subjects)
        items = []
        listed = subjects if self._workspace.n_merges else ()
        for each in listed:
            is_current = each.key == CURRENT
            text = each.name or count_text(each.vocab_size)
            if is_current:
                text = self._whole_run_name() or f"Current step ({text})"
            items.append(
                Item(
                    each.key,
                    text,
                    each.tip,
                    is_removable=bool(each.name) or (not is_current and n_sizes > 2),
                    is_current=is_current,
                    letter=letters.get(each.key, ""),
                )
            )
        self.list.set_items(items)
        hidden = [] if compared is None else compared.hidden_runs
        self.add.set_hidden_runs(hidden)

    def _whole_run_name(self) -> str:
        """The name of the window's run if it is compared as a whole, not at its step; else ""."""
        shown = self._workspace.runs.shown
        if self.page != DIFFERENCE or self.pair is None or shown is None:
            return ""
        others = [each for each in self.pair if each.run is not None and each.run is not shown.run]
        keys = [each.key for each in self.pair]
        return shown.name if others and CURRENT in keys else ""

    @Slot(str)
    def choose(self, *keys: str) -> None:
        """Choose B, so that the last B becomes A; or choose first A and then B.

        Args:
            keys: the keys of subjects; a hidden run is shown again.
        """
        shown = self._workspace.runs.shown
        chosen = []
        for key in keys:
            kind, _, number = key.partition(" ")
            if kind == "run" and self._compared is not None:
                self._compared.add_run(int(number))
            if shown is not None and key == f"run {shown.number}":
                key = CURRENT
            chosen.append(key)
        self.refresh()
        self._pair.choose(*chosen)
        self.refresh()

    @Slot(int)
    def _on_run_added(self, number: int) -> None:
        if self._compared is not None:
            self._compared.add_run(number)

    @Slot(object)
    def add_tokenizers(self, paths: Sequence[Path]) -> None:
        """Open tokenizers and compare them."""
        self.make_parts()
        if self.page == ADVICE:
            self.show_page(NUMBERS)  # the page Advice is not about tokenizers
        self.list.set_problem("")
        self._workspace.tokenizers.add(paths)

    @Slot(str)
    def _on_item_removed(self, key: str) -> None:
        kind, _, number = key.partition(" ")
        if kind == "size":
            self._on_removed(int(number))
        elif kind != CURRENT and self._compared is not None:
            self._compared.remove(key)

    @Slot()
    def _on_cancel(self) -> None:
        self._workspace.tokenizers.cancel()

    @Slot()
    def _show_advice(self) -> None:
        rows = self.model.rows
        sizes = tuple(row for row in rows if row.is_size)
        run = self._workspace.run
        curves = self.curve.curves if run is not None and has_pairs(run) else None
        self.advice.show_advice(
            curves, sizes, self.model.found[: len(sizes)], has_failed=self.curve.has_failed
        )

    def _own_steps(self) -> list[int]:
        """The steps of all sizes but the last, limited to the run."""
        workspace = self._workspace
        n_merges = workspace.n_merges
        if not n_merges:
            return []  # all of them would be step 0, the window's
        if workspace.compared_steps:
            return [min(step, n_merges) for step in workspace.compared_steps[:MOST_SIZES]]
        reached = [step for step in self._usual_steps() if step < n_merges]
        return reached[:MOST_SIZES] or [0]

    def _usual_steps(self) -> tuple[int, ...]:
        """The steps until the user chooses some."""
        workspace = self._workspace
        early = default_step(workspace.n_merges, workspace.target, workspace.shown_state)
        if workspace.run is None:
            return (early,)
        end = final_length(workspace.n_merges, workspace.target, workspace.shown_state)
        return tuple(usual_steps(SizeRange.of(workspace.run, end), self._remembered())) or (early,)

    def _remembered(self) -> list[int]:
        return [] if self._memory is None else self._memory.compared_sizes

    def _remember(self, steps: Sequence[int]) -> None:
        """Keep the chosen sizes for the next text and the next session."""
        if self._memory is not None and self._workspace.run is not None:
            base = int(self._workspace.run.vocab_size_at(0))
            self._memory.compared_sizes = sorted({base + step for step in steps})

    def _steps(self) -> list[int]:
        return [*self._own_steps(), self._workspace.step]

    @property
    def _corpus_name(self) -> str:
        corpus = self._workspace.corpus
        return "the corpus" if corpus is None else corpus.name

    @property
    def _has_words(self) -> bool:
        """Whether a corpus is open, and not a tokenizer alone."""
        corpus = self._workspace.corpus
        return corpus is not None and corpus.has_words

    @property
    def _text_name(self) -> str:
        """The name of the compared text, with its length."""
        length = plural(len(self._workspace.shown_text), "character")
        if self._workspace.typed_text:
            return f"your text ({length})"
        return f"the beginning of {self._corpus_name} ({length})"

    def _say_which(self, comparison: ComparedText) -> None:
        workspace = self._workspace
        if workspace.typed_text:
            whose = "Your text"
        else:
            whose = f"Beginning of {self._corpus_name}"
        n = len(comparison.text)
        n_drawn = comparison.n_drawn
        drawn = f"; the first {n_drawn:,} are shown, all are counted" if n_drawn < n else ""
        unit = "character" if n == 1 else "characters"
        self.which.setText(f"{whose} ({n:,} {unit}{drawn})", whose)

    def _say_empty(self, *, has_run: bool) -> None:
        if has_run:
            self.which.setText("Type a text to compare")
            self.table.set_placeholder("There is no text to compare yet")
        else:
            self.which.setText("Open a text and train on it to compare vocabulary sizes")
            self.table.set_placeholder("The table will have a row for each vocabulary size")

    def _say_bar(self, n_sizes: int) -> None:
        workspace = self._workspace
        run = workspace.run
        reason = ""
        if run is None:
            reason = NO_RUN
        elif not workspace.n_merges:
            reason = "run first, or take a step"
        elif n_sizes > MOST_SIZES:
            reason = f"at most {MOST_SIZES} sizes can be compared"
        elif workspace.step in self._own_steps():
            reason = "this step is one of the sizes already"
        within = SizeRange.of(run, workspace.n_merges) if run is not None else None
        is_chosen = bool(workspace.compared_steps or self._remembered())
        why_not_cleared = "" if is_chosen else "no sizes are chosen yet"
        self.add.set_sizes(within, reason, why_not_cleared)
        self.bar.set_range(within)

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._compared_text = None
        self.add.allow_adding(self._workspace.run is not None)
        if self.are_parts_made:
            self.curve.forget()
        self.request_refresh()

    @Slot()
    def _on_corpus_changed(self) -> None:
        self.bar.set_message("")
        request = None if self._workspace.corpus is None else self._workspace.corpus.request
        if request is not self._request and self._compared is not None:
            self._compared.forget()
            if not self.is_in_sight:  # a hidden panel keeps no run of the previous text
                self._pair = Pair()
                self.pair = None
                self.pair_changed.emit(None)
                self.model.set_rows((), ())
                if self.are_parts_made:
                    self.gold.forget()
        self._request = request
        self._on_run_changed()

    @Slot()
    def _on_special_changed(self) -> None:
        """Cut the text again, because special tokens are recognized now or not any more."""
        self._compared_text = None
        self.request_refresh()

    @Slot()
    def _on_typed_text_changed(self) -> None:
        self.request_refresh_in(TYPING_MS)

    # User actions.

    def _choose(self, steps: list[int]) -> None:
        if len(set(steps)) > MOST_SIZES:
            self.bar.set_message(
                f"These are {len(set(steps)):,} sizes; at most {MOST_SIZES} can be compared."
            )
            return
        self._remember(steps)
        self._workspace.set_compared_steps(steps)
        self.request_refresh()  # the sizes that are shown without chosen ones may change too

    def _chosen_steps(self) -> tuple[int, ...]:
        """The steps that the user chose, now or last time."""
        if self._workspace.compared_steps:
            return self._workspace.compared_steps
        return self._usual_steps() if self._remembered() else ()

    @Slot()
    def _on_add_clicked(self) -> None:
        self._choose([*self._own_steps(), self._workspace.step])

    @Slot(object)
    def _on_added(self, steps: list[int]) -> None:
        self._choose(sorted({*self._chosen_steps(), *steps}))

    @Slot(object)
    def _on_filled(self, steps: list[int]) -> None:
        self.bar.set_message("")
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
        self.curve.set_marks(self._steps())  # at once, because the drag continues

    @Slot(int)
    def _on_removed(self, number: int) -> None:
        steps = self._own_steps()
        if 0 < number <= len(steps):
            del steps[number - 1]
            self._choose(steps)

    @Slot()
    def _on_delete_pressed(self) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row < len(self.model.rows):
            self._on_item_removed(self.model.rows[row].subject.key)

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        kind, _, number = self.model.rows[index.row()].subject.key.partition(" ")
        if kind in ("size", CURRENT):
            self._workspace.transport.go_to(self.model.rows[index.row()].step)
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
        state = TokenState.rare if is_rare else None
        self.tokens_requested.emit(state, self.numbers.rare)


def default_step(n_merges: int, target: int, state: State) -> int:
    """The step of the first size until the user chooses one; it stays while the run grows."""
    length = final_length(n_merges, target, state)
    return length // 10 if length >= 50 else length // 2


def final_length(n_merges: int, target: int, state: State) -> int:
    """The number of merges that a run has at its end, as far as that is known."""
    return n_merges if state is State.done or not target else target
