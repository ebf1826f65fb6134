"""A preview of the split of a draft: each pre-token is a chip, updated while the settings or the
text change.

The text is typed here or taken from the corpus. Only a short text is cut, so that a slow regular
expression is reported after a tenth of a second and never blocks the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget

from bpe_studio.errors import BpeError, PatternError
from bpe_studio.explain.names import display_text, is_right_to_left
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.excerpt import corpus_excerpt, pieces_of

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace

EXAMPLE = "It's 2024: don't stop, it costs 12,500 coins!"
MOST_CHARACTERS = 600
MOST_CHIPS = 80
BEGINNING_CHARACTERS = 240
PATTERN_TIMEOUT_S = 0.1
DELAY_MS = 60


class SplitPreview(QWidget):
    """A text and its pre-tokens.

    Args:
        workspace: what is open, for a text from the corpus.
        is_tall: whether there is room for a text of several lines.
    """

    def __init__(
        self, workspace: Workspace, *, is_tall: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._draft: TrainingConfig | None = None
        self._pieces: list[str] | None = None
        self._n_taken = 0
        title = heading("Split preview") if is_tall else QLabel("Split preview")
        self.text = named(
            QPlainTextEdit(self), "settings.preview_text", "Sample text for the split"
        )
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(self.fontMetrics().lineSpacing() * (5 if is_tall else 2) + 14)
        title.setBuddy(self.text)
        self.next_piece = QPushButton("From the corpus")
        self.next_piece.setAutoDefault(False)
        named(self.next_piece, "settings.preview_corpus", "Use the next lines of the corpus")
        self.flow = named(TokenLinks(self), "settings.preview", "Pre-tokens of the text")
        self.note = Note()
        self.note.setToolTip(
            "Pre-tokens of the text above, each occurrence counted; distinct: how many differ"
        )
        top = WrappingRow()
        top.add(title)
        top.add_spring()
        top.add(self.next_piece)
        column(
            top,
            self.text,
            self.flow,
            self.note,
            *([STRETCH] if is_tall else []),
            parent=self,
            spacing=TIGHT_PX,
        )
        self._timer = QTimer(self, interval=DELAY_MS, singleShot=True)
        self._connect()
        self._on_corpus_changed()

    def set_draft(self, draft: TrainingConfig | None) -> None:
        """Set the draft whose split is shown; None while it is not valid."""
        self._draft = draft
        self._timer.start()

    def set_text(self, text: str) -> None:
        """Set the text, for example to one that is selected elsewhere."""
        self.text.setPlainText(text[:MOST_CHARACTERS])

    def show_beginning(self) -> None:
        """Set the text to the beginning of the corpus, where that can be read."""
        beginning = (
            corpus_excerpt(self._workspace.corpus)
            if not why_no_text(self._workspace.corpus)
            else ""
        )
        if len(beginning) > BEGINNING_CHARACTERS:
            whole_words = beginning[:BEGINNING_CHARACTERS].rsplit(maxsplit=1)
            beginning = whole_words[0] if len(whole_words) > 1 else beginning
        self.set_text(beginning)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    @Slot()
    def _on_due(self) -> None:
        # Importing what cuts takes longer than opening the window; a hidden preview waits.
        if self.isVisible():
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Cut the text and show the chips now."""
        self._timer.stop()
        if self._draft is None:
            self.flow.set_links(())
            self.note.set_message("The preview returns when the settings are valid")
            return
        text = self.text.toPlainText() or EXAMPLE
        try:
            pieces = cut_text(text[:MOST_CHARACTERS], self._draft)
        except BpeError as error:
            self.flow.set_links(())
            self.note.set_message(str(error), "error")
        else:
            chips = [Link(display_text(piece), tip=_tip(piece)) for piece in pieces[:MOST_CHIPS]]
            self.flow.set_links(chips, is_rtl=is_right_to_left(text))
            self.note.set_message(self._summary(pieces, text), "help")

    def _summary(self, pieces: list[str], text: str) -> str:
        n = len(pieces)
        n_distinct = len(set(pieces))
        words = plural(n, "pre-token") + (f", {number(n_distinct)} distinct" if n != 1 else "")
        more = f", the first {MOST_CHIPS} shown" if n > MOST_CHIPS else ""
        assert self._draft is not None
        is_lossy = self._draft.drops_text and any(char.isspace() for char in text)
        dropped = "; white space between them is dropped" if is_lossy else ""
        return f"{words}{more}{dropped}"

    def _connect(self) -> None:
        self._timer.timeout.connect(self._on_due)
        self.text.textChanged.connect(self._timer.start)
        self.next_piece.clicked.connect(self._on_next_piece)
        self._workspace.corpus_changed.connect(self._on_corpus_changed)

    @Slot()
    def _on_next_piece(self) -> None:
        if self._pieces is None:
            self._pieces = pieces_of(corpus_excerpt(self._workspace.corpus))
            self._n_taken = 0
        if self._pieces:
            self.set_text(self._pieces[self._n_taken % len(self._pieces)])
            self._n_taken += 1

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._pieces = None
        why_not = why_no_text(self._workspace.corpus)
        enable(self.next_piece, "Takes the next lines of the corpus", why_not)
        self.text.setPlaceholderText(EXAMPLE)
        self._timer.start()


def cut_text(text: str, config: TrainingConfig) -> list[str]:
    """The pre-tokens of a short text under a configuration.

    Raises:
        PatternError: the regular expression is not valid, or takes too long.
    """
    from bpe_studio.engine.text.normalization import normalize
    from bpe_studio.engine.text.pretokenization import compile_split, pre_tokens
    from bpe_studio.engine.text.special_text import split_at_specials

    texts = [text]
    if config.documents == "line":
        texts = _lines(text)
    elif config.documents == "separator" and config.all_special:
        texts = split_at_specials(text, config.all_special)
    pieces: list[str] = []
    for part in texts:
        part = normalize(part, config.normalize)
        if config.cutting.startswith("regex:"):
            pattern = compile_split(config.cutting)
            try:
                found = pattern.finditer(part, timeout=PATTERN_TIMEOUT_S, concurrent=True)
                pieces.extend(match.group() for match in found if match.group())
            except TimeoutError:
                raise PatternError(
                    f"The regular expression {pattern.pattern!r} takes too long on this text; "
                    "avoid nested repetitions, such as (a+)+"
                ) from None
        else:
            pieces.extend(pre_tokens(part, config.cutting))
    return pieces


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]


def _tip(piece: str) -> str:
    n = len(piece)
    n_bytes = len(piece.encode("utf-8", "surrogatepass"))
    code_points = " ".join(f"U+{ord(char):04X}" for char in piece[:12])
    return f"{plural(n, 'character')}, {plural(n_bytes, 'byte')}\n{code_points}"
