"""How a draft of the settings cuts a text: each pre-token is a chip, live while the settings or the text change.

The text is typed here or taken from the corpus. Only a short text is cut, so that a slow regular expression is
noticed in a tenth of a second and said, and never holds up the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from bpe_studio.errors import BpeError, PatternError
from bpe_studio.explain.names import is_right_to_left, visible_white_space
from bpe_studio.gui.tokens.chips import Chip, ChipFlow
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.excerpt import corpus_excerpt, pieces_of

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace

EXAMPLE = "It's 2024: don't stop, it costs 12,500 coins!"
MOST_CHARACTERS = 600
MOST_CHIPS = 80
PATTERN_TIMEOUT_S = 0.1
DELAY_MS = 60


class SplitPreview(QWidget):
    """A text and the pre-tokens that a draft makes of it.

    Signals:
        cut: the chips were made anew.
    """

    cut = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._draft: TrainingConfig | None = None
        self._pieces: list[str] | None = None
        self._next_piece = 0
        heading = QLabel("How this cuts")
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("settings.preview_text")
        self.text.setAccessibleName("Text to try the split on")
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(self.fontMetrics().lineSpacing() * 2 + 14)
        heading.setBuddy(self.text)
        self.take = QPushButton("From the corpus")
        self.take.setObjectName("settings.preview_corpus")
        self.take.setAccessibleName("Take the next piece of the corpus")
        self.flow = ChipFlow(self)
        self.flow.setObjectName("settings.preview")
        self.flow.setAccessibleName("Pre-tokens of the text")
        self.note = Note()
        self.note.setToolTip("Pieces of the text above, every occurrence counted; distinct: how many differ")
        top = WrappingRow()
        top.add(heading)
        top.add_spring()
        top.add(self.take)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(top)
        for widget in (self.text, self.flow, self.note):
            column.addWidget(widget)
        self._timer = QTimer(self, interval=DELAY_MS, singleShot=True)
        self._connect()
        self._on_corpus_changed()

    def set_draft(self, draft: TrainingConfig | None) -> None:
        """Cut by another draft; None while the draft is not valid."""
        self._draft = draft
        self._timer.start()

    def set_text(self, text: str) -> None:
        """Cut another text, for example one that was selected elsewhere."""
        self.text.setPlainText(text[:MOST_CHARACTERS])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    @Slot()
    def _on_due(self) -> None:
        # What cuts takes longer to import than the window to open; where nobody looks it can wait.
        if self.isVisible():
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Cut now."""
        self._timer.stop()
        if self._draft is None:
            self.flow.set_chips(())
            self.note.set_message("The preview returns when the settings make sense")
            self.cut.emit()
            return
        text = self.text.toPlainText() or EXAMPLE
        try:
            pieces = cut_text(text[:MOST_CHARACTERS], self._draft)
        except BpeError as error:
            self.flow.set_chips(())
            self.note.set_message(str(error), "error")
        else:
            chips = [Chip(visible_white_space(piece), _tip(piece)) for piece in pieces[:MOST_CHIPS]]
            self.flow.set_chips(chips, is_right_to_left(text))
            self.note.set_message(self._summary(pieces, text), "help")
        self.cut.emit()

    def _summary(self, pieces: list[str], text: str) -> str:
        n, n_distinct = len(pieces), len(set(pieces))
        words = "1 piece" if n == 1 else f"{n:,} pieces, {n_distinct:,} distinct"
        more = f", the first {MOST_CHIPS} shown" if n > MOST_CHIPS else ""
        assert self._draft is not None
        is_lossy = self._draft.drops_text and any(char.isspace() for char in text)
        dropped = "; what stands between them is dropped" if is_lossy else ""
        return f"{words}{more}{dropped}"

    def _connect(self) -> None:
        self._timer.timeout.connect(self._on_due)
        self.text.textChanged.connect(self._timer.start)
        self.take.clicked.connect(self._on_take_clicked)
        self._workspace.corpus_changed.connect(self._on_corpus_changed)

    @Slot()
    def _on_take_clicked(self) -> None:
        if self._pieces is None:
            self._pieces = pieces_of(corpus_excerpt(self._workspace.corpus))
            self._next_piece = 0
        if self._pieces:
            self.set_text(self._pieces[self._next_piece % len(self._pieces)])
            self._next_piece += 1

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._pieces = None
        has_corpus = self._workspace.corpus is not None
        self.take.setEnabled(has_corpus)
        self.take.setToolTip("Takes the next lines of the corpus" if has_corpus else "Open a text first")
        self.text.setPlaceholderText(EXAMPLE)
        self._timer.start()


def cut_text(text: str, config: TrainingConfig) -> list[str]:
    """The pre-tokens of a short text under a configuration.

    Raises:
        PatternError: the regular expression is not valid, or takes too long.
    """
    import regex

    from bpe_studio.engine.text.normalization import normalize
    from bpe_studio.engine.text.pretokenization import compile_split, pre_tokens

    texts = [text]
    if config.documents == "line":
        texts = _lines(text)
    elif config.documents == "separator" and config.all_special:
        texts = regex.split("|".join(map(regex.escape, sorted(config.all_special, key=len, reverse=True))), text)
    pieces: list[str] = []
    for part in texts:
        part = normalize(part, config.normalize)
        if config.split.startswith("regex:"):
            pattern = compile_split(config.split)
            try:
                found = pattern.finditer(part, timeout=PATTERN_TIMEOUT_S, concurrent=True)
                pieces.extend(match.group() for match in found if match.group())
            except TimeoutError:
                raise PatternError(
                    f"The regular expression {pattern.pattern!r} takes too long on this text; "
                    "it probably repeats a repetition, such as (a+)+, so write it without"
                ) from None
        else:
            pieces.extend(pre_tokens(part, config.split))
    return pieces


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]


def _tip(piece: str) -> str:
    n, n_bytes = len(piece), len(piece.encode("utf-8", "surrogatepass"))
    characters, size = "character" if n == 1 else "characters", "byte" if n_bytes == 1 else "bytes"
    code_points = " ".join(f"U+{ord(char):04X}" for char in piece[:12])
    return f"{n:,} {characters}, {n_bytes:,} {size}\n{code_points}"
