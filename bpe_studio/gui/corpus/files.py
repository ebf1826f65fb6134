"""The files of a corpus: their sizes, the shares that they have in training, and their weights."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from bpe_studio.explain.wording import data_size, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.containers import SPACING_PX
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.workspace.state import CorpusInfo

MOST_FILES = 20
"""How many files have a row; the weights of others are patterns in the settings."""
_PARTS_OF_WEIGHTS = QRegularExpression(r"\d{1,9}([./]\d{0,9})?")
_WEIGHT_TIP = (
    "How many times the text of this file counts: a number above 0, such as 2, 0.5 or 1/3. Another"
    " weight starts a new run; Undo brings this one back"
)
_SHARE_TIP = "The share of the text that is trained on, with weights"
_HEADS = (
    ("File", "The files of the corpus, in order"),
    ("Size", "The text of the file as UTF-8"),
    ("Share", _SHARE_TIP),
    ("Weight", _WEIGHT_TIP),
)


class FilesView(QWidget):
    """A row for each file, with a field for its weight.

    Signals:
        weight_given: the path of a file, its name, and what was written as its weight.
    """

    weight_given = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("corpus.files")
        self.setAccessibleName("The files of the corpus")
        self.weights: list[QLineEdit] = []
        self._shown: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, SPACING_PX)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        for place, (title, tip) in enumerate(_HEADS):
            head = QLabel(title)
            head.setToolTip(tip)
            head.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            if place:
                head.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(head, 0, place)

    def set_info(self, info: CorpusInfo) -> None:
        """Show the files of a corpus that is open."""
        self._clear()
        corpus = info.corpus
        from bpe_studio.engine.counting.source_weights import weight_of

        for row, (path, name) in enumerate(zip(corpus.sources, corpus.source_names, strict=True)):
            if row == MOST_FILES:
                more = f"and {len(corpus.sources) - row:,} more"
                self._add(QLabel(more), row, 0)
                break
            weight = QLineEdit(_written(weight_of(path, corpus.config)))
            named(weight, f"corpus.weight_{row}", f"Weight of {name}", _WEIGHT_TIP)
            weight.setAlignment(Qt.AlignmentFlag.AlignRight)
            weight.setValidator(QRegularExpressionValidator(_PARTS_OF_WEIGHTS, weight))
            weight.setFont(theme.numeric_font())
            weight.setFixedWidth(6 * self.fontMetrics().horizontalAdvance("0") + 12)
            weight.editingFinished.connect(partial(self._on_edited, weight, path, name))
            self.weights.append(weight)
            label = ElidedLabel(is_left_to_right=True)
            label.setText(name)
            self._add(label, row, 0)
            size = data_size(corpus.sources[path].size_bytes)
            self._add_number(row, 1, size, f"Size of {name}")
            self._add_number(row, 2, percent(_share(corpus, path)), f"Share of {name}")
            self._add(weight, row, 3)

    def _add_number(self, row: int, place: int, text: str, title: str) -> None:
        label = AccessibleLabel()
        label.setAccessibleName(title)
        label.setText(text)
        label.setFont(theme.numeric_font())
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setToolTip(_HEADS[place][1])
        self._add(label, row, place)

    def _add(self, widget: QWidget, row: int, place: int) -> None:
        self._grid.addWidget(widget, row + 1, place)
        self._shown.append(widget)

    def _clear(self) -> None:
        self.weights = []
        for widget in self._shown:
            widget.hide()
            widget.deleteLater()
        self._shown = []

    def _on_edited(self, weight: QLineEdit, path: str, name: str) -> None:
        if weight.isModified():
            weight.setModified(False)
            self.weight_given.emit(path, name, weight.text() or "1")


def _written(weight: Fraction) -> str:
    """A weight as a decimal if that is exact."""
    text = f"{float(weight):.9g}"
    return text if Fraction(text) == weight else str(weight)


def _share(corpus: Corpus, path: str) -> float:
    counted = corpus.sources[path].size_bytes * corpus.repetitions[path]
    return counted / max(1, corpus.size_bytes)
