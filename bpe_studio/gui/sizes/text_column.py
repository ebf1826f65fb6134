"""One column of the tab Text: a step, its token counts, and the text cut at that step."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QSlider, QToolButton, QVBoxLayout, QWidget

from bpe_studio.explain.cut_text import CutText
from bpe_studio.explain.sizes.measures import SizeMeasures
from bpe_studio.explain.sizes.others import OtherResult
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.look.control_styles import style_controls
from bpe_studio.gui.tokens.cut_text import CompareText
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note

WIDTH_PX = 190
MOST_SPOKEN = 100


class TextColumn(QWidget):
    """A step to choose, and the text as it is cut there.

    Args:
        number: the column, from 1; part of the object names.
        is_current: whether it shows the step of the window instead of its own.

    Signals:
        step_chosen: (number, step), chosen with the spin box or the slider.
        removed: int, the number of a column that the user removes.
    """

    step_chosen = Signal(int, int)
    removed = Signal(int)

    def __init__(self, number: int, is_current: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = number
        self._name = name = "Current step" if is_current else "Step"
        self.title = QLabel(name)
        font = QFont(self.title.font())
        font.setBold(is_current)
        self.title.setFont(font)
        self.spin = WholeNumber()
        self.spin.setGroupSeparatorShown(True)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.spin.setKeyboardTracking(False)
        self.title.setBuddy(self.spin)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.remove = QToolButton()
        self.remove.setText("✕")
        self.remove.setAutoRaise(True)
        self.size_label, self.difference = _lines_of_result()
        self.text = CompareText()
        tip = "The step of the whole window" if is_current else "The merges that apply in this column"
        self.spin.setToolTip(tip)
        self.slider.setToolTip(tip)
        head = QGridLayout()
        head.setHorizontalSpacing(4)
        head.setVerticalSpacing(4)
        head.setColumnStretch(2, 1)
        for place, widget in enumerate((self.title, self.spin, self.slider, self.remove)):
            head.addWidget(widget, 0, place)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(head)
        style_controls(self)
        # Without a parent it would be shown as a window and take the keyboard focus.
        self.remove.setVisible(not is_current)
        whole.addWidget(self.size_label)
        whole.addWidget(self.difference)
        whole.addWidget(self.text, 1)
        self.setMinimumWidth(WIDTH_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.set_number(number)
        self._connect()

    def set_number(self, number: int) -> None:
        """Set the number of the column, from 1."""
        self.number = number
        named(self.spin, f"compare.step_{number}", f"{self._name} of column {number}")
        named(self.slider, f"compare.slider_{number}", f"{self._name} of column {number}, slider")
        named(self.remove, f"compare.remove_{number}", f"Remove column {number}")
        named(self.text, f"compare.text_{number}", f"The text in column {number}")

    def set_step(self, step: int, n_merges: int) -> None:
        """Show a step of a run with `n_merges` merges, without emitting a signal."""
        for control in (self.spin, self.slider):
            blocked = control.blockSignals(True)
            control.setRange(0, n_merges)
            control.setValue(step)
            control.blockSignals(blocked)

    def set_removable(self, is_removable: bool) -> None:
        """Set whether the column can be removed; at least two are needed."""
        self.remove.setEnabled(is_removable)
        self.remove.setToolTip("Remove this column" if is_removable else "At least two columns are needed")

    def set_result(self, measures: SizeMeasures, words: str, content: CutText) -> None:
        """Show a cut text with its measures."""
        self.size_label.setText(f"vocabulary {number(measures.vocab_size)}, {plural(measures.n_tokens or 0, 'token')}")
        self.size_label.setToolTip(
            f"{self.size_label.text()}\nVocabulary: alphabet, merges and special tokens at this step; "
            "tokens: those of the compared text"
        )
        self.difference.set_message(words)
        self.difference.setToolTip("▴ marks a boundary that is merged in another column, ‿ one that is merged here")
        self.text.setAccessibleDescription(f"{self.size_label.text()}; {words}; {spoken_cut(content)}")
        self.text.set_content(content)

    def clear(self) -> None:
        """Show no text."""
        self.size_label.setText("")
        self.difference.set_message("")
        self.text.set_content(None)

    def _connect(self) -> None:
        self.spin.valueChanged.connect(self._on_value_changed)
        self.slider.valueChanged.connect(self._on_value_changed)
        self.remove.clicked.connect(self._on_remove_clicked)

    @Slot(int)
    def _on_value_changed(self, step: int) -> None:
        self.set_step(step, self.spin.maximum())
        self.step_chosen.emit(self.number, step)

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.number)


class OtherColumn(QWidget):
    """The text as another run or a tokenizer cuts it.

    Args:
        number: the column, from 1; part of the object names.

    Signals:
        removed: str, the key of what it shows.
    """

    removed = Signal(str)

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = ""
        self.title = ElidedLabel()
        self.title.setObjectName(f"compare.other_{number}")
        self.remove = named(QToolButton(), f"compare.remove_other_{number}", "Remove it from the comparison")
        self.remove.setText("✕")
        self.remove.setAutoRaise(True)
        self.size_label, self.difference = _lines_of_result()
        self.text = named(CompareText(), f"compare.text_other_{number}", "The text")
        step = WholeNumber(self)
        style_controls(self)
        self.title.setFixedHeight(step.sizeHint().height())  # as high as the step of a size
        step.deleteLater()
        head = row((self.title, 1), self.remove, spacing=4)
        column(head, self.size_label, self.difference, (self.text, 1), parent=self, spacing=4)
        self.setMinimumWidth(WIDTH_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.remove.clicked.connect(self._on_remove_clicked)

    def set_result(self, result: OtherResult, words: str, content: CutText | None) -> None:
        """Show a cut text with its measures; without one, `words` says why."""
        self._key, measures = result.other.key, result.row
        self.title.setText(measures.name)
        n_tokens = "" if measures.n_tokens is None else f", {plural(measures.n_tokens, 'token')}"
        self.size_label.setText(f"vocabulary {number(measures.vocab_size)}{n_tokens}")
        self.difference.set_message(words)
        self.difference.setToolTip(words)
        self.remove.setAccessibleName(f"Remove {measures.name}")
        self.text.setAccessibleName(f"The text as {measures.name} cuts it")
        spoken = "" if content is None else f"; {spoken_cut(content)}"
        self.text.setAccessibleDescription(f"{self.size_label.text()}; {words}{spoken}")
        self.text.set_content(content)

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self._key)


def _lines_of_result() -> tuple[QLabel, Note]:
    """The two lines between the head and the text: the size, which never widens the column, and what differs."""
    size_label, difference = QLabel(), Note()
    size_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    difference.setAlignment(Qt.AlignmentFlag.AlignTop)
    difference.setFixedHeight(difference.fontMetrics().lineSpacing() + 2)
    return size_label, difference


def spoken_cut(content: CutText) -> str:
    """The beginning of a cut text with a bar between its tokens, for screen readers.

    Example:
        "low|er wide|st".
    """
    places = sorted({0, *(int(place) for place in content.starts[:MOST_SPOKEN].tolist())})
    n_all = len(content.starts)
    last = int(content.starts[MOST_SPOKEN]) if n_all > MOST_SPOKEN else len(content.text)
    pieces = [content.text[start:end] for start, end in pairwise([*places, last])]
    return "|".join(piece for piece in pieces if piece) + ("…" if n_all > MOST_SPOKEN else "")
