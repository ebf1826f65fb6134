"""The panel Why: explains the selection at the step or, without one, the choice of the next merge.

The selection is at the top, as chips and in words, with buttons for the previous and the next one.
The thread pool computes the answers after a pause, and the panel keeps the old ones until the new
ones are there. While a run trains fast, a note says that they are updated when it pauses. The panel
shows the workspace and changes its selection; it has no state of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import (
    display_name,
    display_text,
    display_token,
    elided,
    in_sentence,
    is_right_to_left,
    joined_name,
    short_name,
)
from bpe_studio.explain.why.answers import PairAnswer
from bpe_studio.explain.why.border import pair_at
from bpe_studio.explain.why.facts import pair_sentence, token_sentence, word_sentence
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.gui.actions_on.targets import border_place
from bpe_studio.gui.background.panel import Needs, Panel, StepNote, every, resting
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why.border_section import BorderSection
from bpe_studio.gui.why.pair_section import PairSection
from bpe_studio.gui.why.questions import Question, WhyQuestions, is_about_same, questions_of
from bpe_studio.gui.why.token_section import TokenSection
from bpe_studio.gui.why.word_section import WordSection
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    PANEL_MARGINS,
    STRETCH,
    TIGHT_PX,
    StableSize,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import arrow_button, named
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.workspace.selection import Kind, Selected

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 30
FAST_MS = 250
NOTHING_OPEN = "Open a text to ask why its pairs are merged, and its tokens made"
NOTHING_CHOSEN = "Click a token to see how it is made, or a border to see why the text is cut there"
MOST_BYTES = 200
MOST_CHARACTERS = 40


class WhyPanel(Panel):
    """The selection, and the answers below it.

    Signals:
        concordance_requested: the user wants to see lines of the corpus with the selected token.
        answered: an answer is shown.
    """

    at_rest = resting(REST_MS)
    while_training = every(FAST_MS)
    needs = Needs.sight | Needs.paced_run
    concordance_requested = Signal()
    answered = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("why")
        self._shown: dict[str, tuple[Question, Any]] = {}
        self._pending: dict[str, tuple[Question, Any]] = {}
        self._asked_for: Selected | None = None
        self._needs_top = False
        self._questions = WhyQuestions(self)
        self._turn = RefreshSlot(workspace, self)
        self._build()
        self._connect()
        self._on_run_changed()

    def _build(self) -> None:
        self.back = arrow_button(
            "why.back", Qt.ArrowType.LeftArrow, "Go back to the previous selection", self
        )
        self.forward = arrow_button(
            "why.forward", Qt.ArrowType.RightArrow, "Go forward to the next selection", self
        )
        self.selected = named(
            TokenLinks(self, scale=1.2),
            "why.picked",
            "The selection",
            "The subject of the answers; click a token to see that token",
        )
        self.sentence = statement("why.sentence", "The answer in one sentence")
        self.what = named(
            Note("", "help", self), "why.what", "The selection, and the step of the answers"
        )
        self.step_note = StepNote(self, "why.step")
        self.heading_items = QWidget(self)
        row((self.step_note, 1), parent=self.heading_items)
        self.empty = Note("", "plain", self)
        self.empty.setObjectName("why.empty")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        selection = self._workspace.selection
        self.pair = PairSection(selection, self)
        self.token = TokenSection(selection, self)
        self.word = WordSection(selection, self)
        self.border = BorderSection(selection, self)
        self._sections: dict[str, PairSection | TokenSection | WordSection | BorderSection] = {
            "pair": self.pair,
            "token": self.token,
            "word": self.word,
            "border": self.border,
        }
        inside = _Column(self)
        column(
            *self._sections.values(),
            STRETCH,
            parent=inside,
            spacing=GROUP_PX,
            margins=PANEL_MARGINS,
        )
        for section in self._sections.values():
            section.hide()
        self.area = scrolled(inside, "why.area")
        for ground in (self.area.viewport(), inside):
            ground.setAutoFillBackground(False)
        top = row(
            (self.back, 0, Qt.AlignmentFlag.AlignTop),
            (self.forward, 0, Qt.AlignmentFlag.AlignTop),
            4,
            (self.selected, 1),
            spacing=TIGHT_PX,
        )
        head = column(
            top,
            self.sentence,
            StableSize(self.what, self),
            spacing=TIGHT_PX,
            margins=(12, 8, 12, 4),
        )
        column(head, (self.empty, 1), (self.area, 1), parent=self, spacing=0)
        for table in inside.findChildren(CompactTable):
            # Tables are as high as their rows, so moving in them with keys must scroll the area.
            table.selectionModel().currentRowChanged.connect(self._on_row_reached)

    def _connect(self) -> None:
        workspace = self._workspace
        selection = self._workspace.selection
        workspace.run_changed.connect(self._on_run_changed)
        for signal in (workspace.step_changed, workspace.state_changed, workspace.run_grew):
            signal.connect(self._on_moved)
        selection.changed.connect(self._on_selected)
        self.back.clicked.connect(selection.go_back)
        self.forward.clicked.connect(selection.go_forward)
        self.selected.selected.connect(selection.select_token)
        self.token.concordance_requested.connect(self.concordance_requested)
        self.token.step_chosen.connect(self._on_step_chosen)
        self._questions.answered.connect(self._on_answered)
        self._turn.granted.connect(self._show_answers)

    @property
    def is_up_to_date(self) -> bool:
        """Whether all answers are of the selection and the step."""
        wanted = self._wanted()
        return all(
            kind in self._shown and self._shown[kind][0] == question
            for kind, question in wanted.items()
        )

    # Slots of the workspace.

    @Slot()
    def _on_run_changed(self) -> None:
        self._questions.forget()
        self._turn.cancel()
        self._pending.clear()
        self._shown.clear()
        for section in self._sections.values():
            section.hide()
            section.forget()
        self._on_selected(self._workspace.selection.current)

    @Slot()
    def _on_moved(self) -> None:
        if self.token.isVisibleTo(self) and not self.is_held_back:
            self.token.set_step(self._workspace.step)
            self._show_sentence()
        self.follow_step()
        self._say()

    @Slot(object)
    def _on_selected(self, selected: Selected | None) -> None:
        selection = self._workspace.selection
        self.back.setEnabled(selection.can_go_back)
        self.forward.setEnabled(selection.can_go_forward)
        self._needs_top = selected != self._asked_for
        self._asked_for = selected
        self.request_refresh()
        self._show_header()
        self._say()

    # Requests.

    def _wanted(self) -> dict[str, Question]:
        workspace = self._workspace
        if workspace.run is None:
            return {}
        return questions_of(
            workspace.selection.current, workspace.run, workspace.step, workspace.n_merges
        )

    def show_state(self) -> None:
        self._questions.ask(self._wanted())
        self._say()

    @Slot(object)
    def _on_answered(self, answered: tuple[str, Question, Any]) -> None:
        kind, question, answer = answered
        self._pending[kind] = (question, answer)
        self._turn.request()

    @Slot()
    def _show_answers(self) -> None:
        wanted = self._wanted()
        pending = self._pending
        self._pending = {}
        for kind, (question, answer) in pending.items():
            if is_about_same(question, wanted.get(kind)):
                self._shown[kind] = (question, answer)
                self._show(kind, answer)
        if not pending:
            return
        for kind, section in self._sections.items():
            is_there = kind in wanted and kind in self._shown and self._shown[kind][1] is not None
            if section.isHidden() == is_there:
                section.setVisible(is_there)
        if self._needs_top:
            self._needs_top = False
            self.area.verticalScrollBar().setValue(0)
        self._show_header()
        self._say()
        self.answered.emit()

    def _show(self, kind: str, answer: Any) -> None:
        if answer is None:
            return
        if kind == "pair":
            self.pair.show_answer(answer, is_steady=self._workspace.selection.current is None)
        elif kind == "token":
            self.token.show_answer(answer, self._workspace.step)
        elif kind == "containing_words":
            self.token.show_words(answer)
        elif kind == "border":
            self.border.show_answer(answer)
        else:
            self.word.show_answer(answer)

    # Display.

    def _show_header(self) -> None:
        """Name the selection or, without one, the next merge once the answer names it."""
        run = self._workspace.run
        selected = self._workspace.selection.current
        is_open = run is not None and (selected is not None or self._has_next(run))
        if self.area.isHidden() == is_open:
            self.area.setVisible(is_open)
        self.empty.setVisible(not is_open)
        for widget in (self.back, self.forward, self.selected, self.what):
            widget.setVisible(is_open)
        if run is None or not is_open:
            message = NOTHING_OPEN if run is None else NOTHING_CHOSEN
            self.empty.set_message(message)
            self.selected.set_links(())
            self.sentence.hide()
            return
        question, answer = self._shown.get("pair", (None, None))
        if question is None or question[1] is not None:
            answer = None
        links, is_rtl = header_links(
            run, selected, answer, self._workspace.step, self._workspace.n_merges
        )
        self.selected.set_links(links, is_rtl=is_rtl)
        self._show_sentence()
        self.what.set_message(header_text(run, selected, answer, self._workspace.step))

    def _show_sentence(self) -> None:
        """Show the answer in one sentence; the sections below have the details."""
        sentence = ""
        for kind in self._sections:
            _, answer = self._shown.get(kind, (None, None))
            if kind in self._wanted() and answer is not None:
                sentence = sentence or self._sentence_of(kind, answer)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    def _sentence_of(self, kind: str, answer: Any) -> str:
        if kind == "pair":
            return pair_sentence(answer) or str(answer.trouble)
        if kind == "token":
            return token_sentence(answer, self._workspace.step)
        return answer.sentence if kind == "border" else word_sentence(answer)

    def _has_next(self, run: Run) -> bool:
        """Whether there may be a next merge to explain; a tokenizer alone has none at its end."""
        return has_pairs(run) or self._workspace.step < self._workspace.n_merges

    def _say(self) -> None:
        """Show the merge that the answers are about, or that they failed."""
        behind = [
            kind
            for kind, question in self._wanted().items()
            if self._shown.get(kind, (None,))[0] != question
        ]
        if not behind and any(self._shown[kind][1] is None for kind in self._wanted()):
            self.step_note.setText("could not be computed; see the log")
        elif not behind:
            self.step_note.show_step(self._workspace.step)
        else:
            of_step = [
                self._shown[kind][0][2]
                for kind in behind
                if kind in self._shown and kind != "token"
            ]
            step = of_step[0] if of_step else None
            self.step_note.show_step(step)

    @Slot(object)
    def _on_step_chosen(self, step: int) -> None:
        self._workspace.transport.go_to(step)

    @Slot(QModelIndex, QModelIndex)
    def _on_row_reached(self, current: QModelIndex, _before: QModelIndex) -> None:
        selection = self.sender()
        table = selection.parent() if selection is not None else None
        if isinstance(table, CompactTable) and table.hasFocus() and current.isValid():
            rect = table.visualRect(current)
            inside = self.area.widget()
            assert inside is not None
            middle = table.viewport().mapTo(inside, rect.center())
            self.area.ensureVisible(middle.x(), middle.y(), 0, rect.height())


class _Column(QWidget):
    """The content of the scroll area, which may be higher than the area."""

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


def header_links(
    run: Run, selected: Selected | None, answer: PairAnswer | None, step: int, n_merges: int
) -> tuple[list[Link], bool]:
    """The selection as chips, and whether it runs from right to left.

    Args:
        run: the run.
        selected: the selection; None for the next merge.
        answer: the last answer about a pair, which names the next merge.
        step: the number of merges that apply.
        n_merges: the number of merges of the run that the window may read.
    """
    if selected is not None and selected.kind is Kind.word:
        corpus = run.at(step).corpus
        content = corpus.blob[corpus.offsets[selected.word] : corpus.offsets[selected.word + 1]]
        text = display_token(content[:MOST_BYTES].tobytes())
        if len(content) > MOST_BYTES:
            text += "…"
        return [Link(text, is_outlined=True)], is_right_to_left(text)
    if selected is not None and selected.kind is Kind.border:
        return _border_links(run, selected, step, n_merges)
    if selected is not None and selected.kind is Kind.token:
        name = display_name(run, selected.token)
        return [Link(name, selected.token)], is_right_to_left(name)
    if selected is not None:
        pair = (selected.left, selected.right)
        made = selected.token
    elif answer is not None and answer.run is run and answer.pair is not None:
        pair = answer.pair
        made = answer.made
    else:
        return [], False
    if pair[0] < 0:
        return [Link(display_name(run, made), made)], is_right_to_left(display_name(run, made))
    left, right = (
        Link(display_name(run, each), each, f"Show {short_name(run, each)}") for each in pair
    )
    if made >= 0:
        whole = display_name(run, made)
        joined = Link(whole, made, f"Show {in_sentence(elided(whole))}")
    else:
        whole = joined_name(run, *pair)
        joined = Link(whole, made, "Not a token of the run so far", is_outlined=True)
    return [left, Link("+", is_sign=True), right, Link("→", is_sign=True), joined], False


def _border_links(
    run: Run, selected: Selected, step: int, n_merges: int
) -> tuple[list[Link], bool]:
    """The two tokens that meet at a border, with a line between them."""
    if selected.following:
        texts = [
            elided(display_text(each), MOST_CHARACTERS)
            for each in (selected.piece, selected.following)
        ]
        links = [Link(text, is_outlined=True) for text in texts]
    else:
        pair = pair_at(run, border_place(selected, run.at(step)), step, n_merges)
        if pair is None:
            text = elided(
                display_text(selected.piece) or f"word {selected.word + 1}", MOST_CHARACTERS
            )
            return [Link(text, is_outlined=True)], is_right_to_left(text)
        links = [
            Link(each.name, each.token, f"Show {in_sentence(elided(each.name))}") for each in pair
        ]
    is_rtl = is_right_to_left(display_text(selected.piece) or links[0].text)
    return [links[0], Link("|", is_sign=True), links[1]], is_rtl


def header_text(run: Run, selected: Selected | None, answer: PairAnswer | None, step: int) -> str:
    """The kind of the selection, and its step, as a heading."""
    if selected is None:
        is_known = answer is not None and answer.run is run
        n = answer.step if answer is not None and is_known else step
        if answer is not None and is_known and answer.pair is None:
            return "There is no next merge"
        return f"{merge_name(n).capitalize()}, the next one"
    if selected.kind is Kind.word:
        n_words = len(run.at(step).corpus)
        return f"Word {number(selected.word + 1)} of {number(n_words)}, at step {number(step)}"
    if selected.kind is Kind.border:
        if selected.following:
            return f"A border of the split, at step {number(step)}"
        piece = (
            display_text(selected.piece) if selected.piece else f"word {number(selected.word + 1)}"
        )
        return f"A border in {in_sentence(elided(piece, MOST_CHARACTERS))}, at step {number(step)}"
    rank = run.rank_of(selected.token)
    if selected.kind is Kind.token:
        if rank < 0:
            return f"A symbol of the alphabet, at step {number(step)}"
        return f"Token of {merge_name(rank)}, at step {number(step)}"
    if 0 <= rank < step or (selected.kind is Kind.merge and rank >= 0):
        return merge_name(rank).capitalize()
    later = f"; {merge_name(rank)} merges it" if rank >= step else ""
    there = max(step, run.rank_of(max(selected.left, selected.right)) + 1)
    if there > step:
        return f"A pair at step {number(there)}, the first that has both tokens{later}"
    return f"A candidate at step {number(step)}{later}"
