"""A short text that A and B encode differently: both cuts, the reason, and the merge to blame.

The search (`explain/tokenizer_diff`) runs on request in the thread pool, and can be cancelled.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import display_text, display_token, isolated
from bpe_studio.explain.wording import merge_name, plural
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.tables.model import Column, RowsModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.widgets.containers import STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.explain.tokenizer_diff.difference import TextDifference, TokenizerDifference

_log = logging.getLogger(__name__)

SECONDS = 10.0
SEARCHING = "Looking for a short text with other ids …"
FAILED = "These two could not be compared: choose others. The details are in the log."
_Pair = tuple[Subject, Subject]


@dataclass(frozen=True)
class Answer:
    """The result of the search.

    Attributes:
        sentence: the result in words.
        cuts: for A and B, the displayed tokens of the text and their ids; empty if no text differs.
        merges: for A and B, the rank of the merge to blame; None for none.
        is_failure: whether A and B could not be compared.
    """

    sentence: str
    cuts: tuple[tuple[Sequence[str], str], ...] = ()
    merges: tuple[int | None, int | None] = (None, None)
    is_failure: bool = False


class CutsModel(RowsModel[tuple[Sequence[str], str]]):
    """The tokens of the text in A and in B, a row each."""

    def tip(self, row: int, column: int) -> str:
        return "\n".join(self.text(row, each) for each in range(len(self.columns)))

    columns = (
        Column("", "A or B", lambda model, row: "AB"[row], is_number=False, sample="A"),
        Column(
            "tokens",
            "The tokens of the text",
            is_number=False,
            share=2,
            chips=lambda model, row: Chips.of(*model.rows[row][0], between=" "),
        ),
        Column(
            "ids", "The ids of these tokens", lambda model, row: model.rows[row][1], is_number=False
        ),
    )


class ShortestText(QWidget):
    """A button that looks for the text, and the result.

    Signals:
        merge_chosen: (RunAt, int), the user wants to see the merge of this rank in its run.
    """

    merge_chosen = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair: _Pair | None = None
        self._answer: Answer | None = None
        self._text = ""
        self._job = LatestAnswer(_looking, self)
        self.search = _button(
            "Find a short text with other ids",
            "difference.find_text",
            "Tries many texts, shortens the first that A and B encode differently, and says why"
            " they differ",
        )
        self.cancel = _button("Cancel", "difference.cancel_text", "Stops looking for a text")
        self.merge = _button(
            "", "difference.text_merge", "Goes to the step after this merge, and selects it"
        )
        self.verdict = named(Note("", "plain", self), "difference.text_verdict", "Result")
        self.model = CutsModel(self)
        self.table = named(
            CompactTable(self), "difference.text_cuts", "The text as A and as B cut it"
        )
        self.table.setModel(self.model)
        buttons = row(self.search, self.cancel, self.merge, STRETCH, spacing=8)
        column(self.verdict, self.table, buttons, parent=self, spacing=6)
        self.search.clicked.connect(self._on_find)
        self.cancel.clicked.connect(self._on_cancel)
        self.merge.clicked.connect(self._on_merge)
        self._job.answered.connect(self._on_answered)
        self._show(None)

    @property
    def is_busy(self) -> bool:
        """Whether a text is being looked for."""
        return self._job.is_busy

    def show_pair(self, pair: _Pair | None, text: str) -> None:
        """Offer to compare two subjects, and drop the result for others.

        Args:
            pair: the two; None for none.
            text: a text that is tried first.
        """
        self._text = text
        before = self._pair
        self._pair = pair
        # A tokenizer that has counted the corpus meanwhile is another subject, with the same ids.
        if _same(before) != _same(pair):
            self._job.forget()
            self._show(None)

    @Slot()
    def _on_find(self) -> None:
        if self._pair is not None:
            self._job.ask(*self._pair, self._text)
            self._show(Answer(SEARCHING))
            self.search.hide()
            self.cancel.show()

    @Slot()
    def _on_cancel(self) -> None:
        self._job.forget()
        self._show(None)

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        self._show(answer)

    def _show(self, answer: Answer | None) -> None:
        self._answer = answer
        cuts = () if answer is None else answer.cuts
        sentence = "" if answer is None else answer.sentence
        role = "error" if answer is not None and answer.is_failure else "plain"
        self.verdict.set_message(sentence, role)
        self.verdict.setVisible(answer is not None)
        self.model.show_rows(cuts)
        self.table.setVisible(bool(cuts))
        self.table.fit_columns()
        self.table.show_high(len(cuts))
        self.search.setVisible(self._pair is not None and answer is None)
        self.cancel.hide()
        run, rank = self._merge_of(answer)
        self.merge.setVisible(run is not None)
        self.merge.setText(f"Go to {merge_name(rank)}")

    def _merge_of(self, answer: Answer | None) -> tuple[RunAt | None, int]:
        """The merge to blame, in A if that is a run."""
        if answer is not None and self._pair is not None:
            for subject, rank in zip(self._pair, answer.merges, strict=True):
                if isinstance(subject, RunAt) and rank is not None:
                    return subject, rank
        return None, 0

    @Slot()
    def _on_merge(self) -> None:
        run, rank = self._merge_of(self._answer)
        if run is not None:
            self.merge_chosen.emit(run, rank)


def _same(pair: _Pair | None) -> list[object]:
    """The values that the ids of two subjects depend on."""
    return [(each.key, each.run, each.vocab_size) for each in pair or ()]


def _button(text: str, name: str, tip: str) -> QPushButton:
    button = named(QPushButton(text), name, text or "The merge to blame", tip)
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return button


def _looking(a: Subject, b: Subject, text: str) -> Generator[object, None, Answer]:
    """Compare two subjects, in the thread pool."""
    from bpe_studio.explain.tokenizer_diff.difference import comparing

    try:
        sides = a.as_tokenizer(), b.as_tokenizer()
        yield None
        texts = [text] if text else []
        found = yield from comparing(*sides, texts, SECONDS)
        return _answer(sides, found)
    except BpeError as error:
        return Answer(str(error), is_failure=True)
    except Exception:
        _log.exception("The ids of two subjects could not be compared.")
        return Answer(FAILED, is_failure=True)


def _answer(sides: tuple[Tokenizer, Tokenizer], found: TokenizerDifference) -> Answer:
    from bpe_studio.explain.tokenizer_diff.sentences import kind_of_example, why

    if not found.texts:
        more = "" if found.is_complete else "; there was no time for more"
        return Answer(f"The same ids on everything tried: {plural(found.n_tried, 'text')}{more}")
    text = found.texts[0]
    cuts = tuple(_cut(side, text, each) for each, side in enumerate(sides))
    when = f" {text.when}" if text.when else ""
    shown = isolated(display_text(text.text)) or "the empty text"
    sentence = f"{kind_of_example(text)}{when}: {shown}\n{why(text)}"
    return Answer(sentence, cuts, text.blame.ranks)


def _cut(tokenizer: Tokenizer, text: TextDifference, side: int) -> tuple[Sequence[str], str]:
    ids = text.ids[side]
    if ids is None:
        return (), "cannot be encoded"
    return [display_token(tokenizer.content(number)) for number in ids], " ".join(map(str, ids))
