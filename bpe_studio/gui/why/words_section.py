"""A heading, the number of occurrences, the table of words that contain something, and a button for more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.explain.why.answers import WordRows
from bpe_studio.explain.wording import times
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.why.words_table import N_FIRST, ContainingWordsTable
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class ContainingWordsSection(QWidget):
    """The words that contain a pair or a token.

    Args:
        name: the prefix of the object names, as in "why.pair".
        title: the heading.
        of_pairs: whether each word is shown before and after the merge.
        selection: the selection that clicks change.
    """

    def __init__(
        self, name: str, title: str, *, of_pairs: bool, selection: Selection, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = WordRows()
        self.title = heading(title, f"{name}_words_title", self)
        self.total = named(
            Note("", "help", self),
            f"{name}_words_total",
            f"{title}: how many",
            "The total number of occurrences in the corpus, and in how many of its distinct words",
        )
        self.table = named(ContainingWordsTable(self, of_pairs=of_pairs), f"{name}_words", title)
        self.more = named(QPushButton(self), f"{name}_more", "Show more words, or fewer")
        self.more.setFlat(True)
        self.more.setToolTip(f"Shows the {N_FIRST} most frequent words, or up to 200 of them")
        column(self.title, self.total, self.table, row(self.more, STRETCH), parent=self, spacing=TIGHT_PX)
        self.more.clicked.connect(self._on_more_clicked)
        self.table.word_selected.connect(selection.select_word)
        self.table.token_selected.connect(selection.select_token)

    @property
    def words(self) -> WordRows:
        """The words that are shown."""
        return self._words

    def show_words(self, words: WordRows, run: Run, verb: str) -> None:
        """Show words.

        Args:
            words: the most frequent of them, and how many there are.
            run: the run that cuts them.
            verb: the verb of the sentence, such as "occurs".
        """
        self._words = words
        number, n_words = grouping_locale().toString, len(run.corpus)
        of = f"{number(words.n_words)} of {number(n_words)} word{'s' * (n_words != 1)}"
        self.total.set_message(
            f"{verb} {times(words.total)} in {of}" if words.n_words else "occurs in no word at this step"
        )
        self.table.show_rows(words.rows, run)
        self._say()

    @Slot()
    def _on_more_clicked(self) -> None:
        self.table.set_whole(not self.table.is_whole)
        self._say()

    def _say(self) -> None:
        n, number = len(self._words.rows), grouping_locale().toString
        if self.table.is_whole:
            text = "Show fewer words"
        elif n < self._words.n_words:
            text = f"Show the {number(n)} most frequent words"
        else:
            text = f"Show all {number(n)} words"
        self.more.setText(text)
        self.more.setAccessibleName(text)
        self.more.setVisible(n > N_FIRST)
        self.table.setVisible(bool(n) or self.table.is_steady)
