"""The dialog that asks for the split of a tokenizer whose file does not name it.

The most likely split is chosen at first.
"""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QWidget

from bpe_studio.engine.options import OPTIONS
from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.explain.names import display_text, isolated, isolated_title
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel, begin_form
from bpe_studio.gui.widgets.labels import Note, ReadingLabel, heading

_WIDTH_EM = 40
_SAMPLE = "We'll pay 12,345 euros!\n\n  سلام دنیا، 你好世界 👋🏽"


class SplitDialog(QDialog):
    """Asks for the split.

    Args:
        name: the name of the tokenizer.
        guess: the likely split.

    Signals:
        chosen: str, the split.
    """

    chosen = Signal(str)

    def __init__(self, name: str, guess: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        begin_form(self, "split", "How is text split?")
        question = heading(f"How does {isolated_title(name)} split text?", "split.question", self)
        titles = {str(value): title for value, title, _ in OPTIONS["split"].labelled_choices}
        said = (
            "The file does not say how text is split before tokens are merged."
            f" “{titles.get(guess, guess)}” is the most likely split, because it divides the fewest"
            " tokens. Another split gives other ids. The program remembers your answer for this"
            " file."
        )
        self.about = named(Note(said, "help", self), "split.about")
        self.choice = named(
            QComboBox(self), "split.choice", "Split", "How text is split before tokens are merged"
        )
        for split in dict.fromkeys((guess, *KEEPING_SPLITS)):
            self.choice.addItem(titles.get(split, split), split)
        self.preview = ReadingLabel("split.preview", "A text, cut by the split", self)
        opens = "Opens the tokenizer with this split"
        buttons, self.open_button = accept_or_cancel(
            self, "open", "&Open", opens, cancel_tip="Opens nothing (Esc)"
        )
        column(
            question,
            self.about,
            SPACING_PX,
            self.choice,
            self.preview,
            STRETCH,
            GROUP_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
        )
        self.choice.currentIndexChanged.connect(self._show_preview)
        self.open_button.clicked.connect(self._on_open)
        finish_controls(self)
        self._show_preview()
        self.resize(_WIDTH_EM * self.fontMetrics().height(), self.sizeHint().height())

    @Slot()
    def _show_preview(self) -> None:
        from bpe_studio.engine.text.pretokenization import spans

        split = str(self.choice.currentData())
        pieces = [isolated(display_text(_SAMPLE[a:b])) for a, b in spans(_SAMPLE, split)]
        self.preview.set_message(" | ".join(pieces))

    @Slot()
    def _on_open(self) -> None:
        split = str(self.choice.currentData())
        self.accept()
        self.chosen.emit(split)
