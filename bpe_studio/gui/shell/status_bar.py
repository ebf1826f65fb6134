"""The status bar: the four numbers of the current step."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from bpe_studio.explain.merges import has_pairs
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    SPACING_PX,
    STRETCH,
    Item,
    row,
)
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel
from bpe_studio.workspace.workspace import Workspace

_PARTS = (
    ("vocab_size", "Vocabulary", "Alphabet, merges and special tokens at this step"),
    ("n_tokens", "Tokens in the corpus", "Tokens of the whole corpus at this step"),
    (
        "bytes_per_token",
        "Bytes per token",
        "UTF-8 bytes of the corpus divided by its tokens at this step",
    ),
    (
        "fertility",
        "Tokens per whitespace word",
        "Fertility: tokens of the corpus divided by its whitespace words",
    ),
)


class StatusBar(QWidget):
    """The numbers of the corpus at the step.

    Signals:
        vocabulary_requested: the user wants to see the tokens that the first number counts.
    """

    vocabulary_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self._workspace = workspace
        self.numbers: dict[str, QLabel | QToolButton] = {}
        self._headings: dict[str, QLabel] = {}
        items: list[Item] = []
        for key, title, tip in _PARTS:
            heading = QLabel(title)
            heading.setToolTip(tip)
            heading.setMinimumWidth(1)  # if there is too little room, the numbers need it more
            number: QLabel | QToolButton
            if key == "vocab_size":
                shows = f"{title}: show every token", f"{tip}; shows every token"
                number = named(QToolButton(), f"status.{key}", *shows)
                number.setAutoRaise(True)
                number.clicked.connect(self.vocabulary_requested)
            else:
                number = named(AccessibleLabel(), f"status.{key}", title, tip)
            number.setFont(theme.numeric_font())
            items += [heading, number, GROUP_PX]
            self.numbers[key] = number
            self._headings[key] = heading
        # The panels above keep their place when a text is opened.
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        row(*items, STRETCH, parent=self, margins=(MARGIN_PX, 2, MARGIN_PX, 4))
        workspace.step_changed.connect(self.refresh)
        workspace.run_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the known numbers of the step."""
        run = self._workspace.run
        step = self._workspace.step
        self.setVisible(run is not None)
        if run is None:
            return
        locale = grouping_locale()
        n_tokens = int(run.n_tokens_at(step))
        corpus = run.corpus
        shown_tokens = locale.toString(n_tokens) if has_pairs(run) else ""
        texts = {
            "vocab_size": locale.toString(int(run.vocab_size_at(step))),
            "n_tokens": shown_tokens,
            "bytes_per_token": _ratio(corpus.size_bytes, n_tokens),
            "fertility": _ratio(n_tokens, corpus.n_whitespace_words),
        }
        for key, number in self.numbers.items():
            number.setText(texts[key])
        self._fit()
        self.numbers["vocab_size"].setAccessibleDescription(texts["vocab_size"])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the known numbers that have room; the last ones are left out first."""
        left = self.width() - 2 * MARGIN_PX - GROUP_PX * len(self.numbers)
        for key, number in self.numbers.items():
            heading = self._headings[key]
            is_known = bool(number.text())
            if is_known:
                left -= heading.sizeHint().width() + number.sizeHint().width() + 2 * SPACING_PX
            for part in (heading, number):
                part.setVisible(is_known and (left >= 0 or key == _PARTS[0][0]))


def _ratio(part: int | None, whole: int | None) -> str:
    return grouping_locale().toString(part / whole, "f", 2) if part and whole else ""
