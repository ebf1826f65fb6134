"""A heading, the number of occurrences, and the table of the most frequent words that contain
something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from bpe_studio.explain.why.answers import WordRows
from bpe_studio.explain.wording import times
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.why.words_table import ContainingWordsTable
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
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
        self,
        name: str,
        title: str,
        *,
        of_pairs: bool,
        selection: Selection,
        parent: QWidget | None = None,
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
        column(self.title, self.total, self.table, parent=self, spacing=TIGHT_PX)
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
        number = grouping_locale().toString
        n_words = len(run.corpus)
        n_shown = len(words.rows)
        of = f"{number(words.n_words)} of {number(n_words)} word{'s' * (n_words != 1)}"
        most = f"; the {number(n_shown)} most frequent" if n_shown < words.n_words else ""
        self.total.set_message(
            f"{verb} {times(words.total)} in {of}{most}"
            if words.n_words
            else "occurs in no word at this step"
        )
        self.table.show_rows(words.rows, run)
        self.table.setVisible(bool(words.rows) or self.table.is_steady)
