"""The page that is shown while nothing is open: an editor for the user's own text, and other ways
to begin.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QShortcut,
    QTextCursor,
)
from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.gui.corpus.panel import samples
from bpe_studio.gui.text.plain_editor import PlainEditor
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    SPACING_PX,
    STRETCH,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.entry_button import SIDE_PX, EntryButton
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.gui.widgets.window_settings import Recent
from bpe_studio.workspace.opening.opener import fitting_preset

WIDTH_EM = 64
MOST_RECENT = 3
MOST_KEPT = 2_000
FEWEST_LINES = 6
MOST_LINES = 14
"""The least and the greatest height of the editor."""
PRESETS = {
    "textbook": ("Characters and words", "Fits a few lines: you can follow each merge by hand"),
    "gpt2": ("Bytes, as in GPT-2", "Fits longer texts, in any language"),
}
"""The presets for a typed text, each with its title and the texts that it fits."""
_KEYS = ". Press Ctrl+Enter, then F8 for each merge."
_USE = "Uses the text as the corpus and opens Explore, where F8 steps and F5 runs (Ctrl+Enter)"


class StartEditor(PlainEditor):
    """The editor of the start page, for texts of up to about two megabytes."""

    most_characters = 2_000_000


class StartPage(QWidget):
    """An invitation to type, and other ways to begin.
    Signals:
        text_chosen: str, str, the text that becomes the corpus, and the preset.
        open_requested: the user wants to choose files.
        tokenizer_requested: the user wants to look at a tokenizer.
        every_requested: the user wants to see the typed text in every known tokenizer.
        lessons_requested: the user wants to choose a lesson.
        back_requested: the user wants to go back to the open corpus.
        sample_chosen: str, the sample's id.
        recent_chosen: tuple of str, the paths of a recent entry.
    """

    text_chosen = Signal(str, str)
    open_requested = Signal()
    tokenizer_requested = Signal()
    every_requested = Signal()
    lessons_requested = Signal()
    back_requested = Signal()
    sample_chosen = Signal(str)
    recent_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        self._is_target = False
        self._is_preset_chosen = False
        self._used = ""
        title = heading("Watch a tokenizer being trained on your own text")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        title.setFont(font)
        title.setWordWrap(True)
        self.back = named(QPushButton(), "start.back", "Go back to the open corpus")
        self.back.hide()
        self.editor = named(StartEditor(), "start.text", "The text to train on")
        self.editor.setPlaceholderText("Type or paste a text, for example: hug pug pun bun hugs")
        line_px = self.editor.fontMetrics().lineSpacing()
        self.editor.setMinimumHeight(FEWEST_LINES * line_px)
        self.editor.setMaximumHeight(MOST_LINES * line_px)
        self.notice = named(
            Note(role="warning"), "start.notice", "Characters of the text that were replaced"
        )
        self.notice.hide()
        self.preset = named(
            QComboBox(),
            "start.preset",
            "Kind of tokenizer",
            "Sets how the text is cut before training",
        )
        for key, (name, _) in PRESETS.items():
            self.preset.addItem(name, key)
        self.why = Note()
        self.use = named(QPushButton("Use this text"), "start.use", "Use this text")
        self.use.setDefault(True)
        self.setFocusProxy(self.editor)
        typing = column(
            row((title, 1), self.back),
            SPACING_PX,
            (self.editor, 1),
            self.notice,
            row(self.preset, (self.why, 1), self.use),
            margins=(SIDE_PX, 0, SIDE_PX, 0),  # aligned with the texts of the entries
        )
        self._recent = QWidget()
        self._entries: list[Recent] = []
        self._buttons = [
            EntryButton("", "", f"start.recent.{k}", "Open it again") for k in range(MOST_RECENT)
        ]
        for number, button in enumerate(self._buttons):
            button.clicked.connect(partial(self._on_recent_clicked, number))
        column(_small_heading("Recent"), *self._buttons, STRETCH, parent=self._recent, spacing=2)
        others = row(
            (self._ways(), 1),
            (self._recent, 1),
            (_samples(self.sample_chosen.emit), 2),
            spacing=GROUP_PX,
        )
        inner = QWidget()
        inner.setMaximumWidth(WIDTH_EM * inner.fontMetrics().lineSpacing())
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        column(
            STRETCH,
            typing,
            GROUP_PX,
            others,
            STRETCH,
            STRETCH,
            parent=inner,
            margins=(24, GROUP_PX, 24, GROUP_PX),
        )
        # The page scrolls if it is higher than the window, as with large text.
        page = QWidget()
        row(STRETCH, (inner, 100), STRETCH, parent=page)
        area = scrolled(page, "start.area")
        for each in (area, area.viewport(), page):
            each.setAutoFillBackground(False)
        column(area, parent=self, margins=MARGIN_PX)
        self.show_recent([])
        self._connect()
        self._on_text_edited()

    def _connect(self) -> None:
        self.editor.text_edited.connect(self._on_text_edited)
        self.editor.noticed.connect(self._on_noticed)
        self.preset.activated.connect(self._on_preset_chosen)
        self.use.clicked.connect(self._on_used)
        self.back.clicked.connect(self.back_requested)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(
                QKeySequence(keys), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut
            )
            shortcut.activated.connect(self.use.click)

    def _ways(self) -> QVBoxLayout:
        entries = []
        for key, text, about, signal in (
            (
                "open",
                "Open files…",
                "Texts, JSON lines, tables; or drop them here",
                self.open_requested,
            ),
            (
                "tokenizer",
                "Look at a tokenizer…",
                "An existing tokenizer, from any program",
                self.tokenizer_requested,
            ),
            (
                "every",
                "Your text in every tokenizer",
                "GPT-4o, Llama 3, …: count its tokens",
                self.every_requested,
            ),
            ("lesson", "Take a lesson", "Step by step through real merges", self.lessons_requested),
        ):
            entry = EntryButton(text, about, f"start.{key}", text.rstrip("…"))
            entry.clicked.connect(signal)
            entries.append(entry)
        return column(_small_heading("Or begin with"), *entries, STRETCH, spacing=2)

    @property
    def text(self) -> str:
        """The typed text."""
        return self.editor.text()

    @property
    def draft(self) -> str:
        """The typed text to keep for the next start; "" for a long one that was used."""
        if self.text == self._used and len(self.text) > MOST_KEPT:
            return ""
        return self.text

    def show_draft(self, text: str) -> None:
        """Show a text that was kept."""
        self.editor.set_text(text)
        self.editor.moveCursor(QTextCursor.MoveOperation.End)

    @Slot(object)
    def show_recent(self, entries: Iterable[Recent]) -> None:
        """List the corpora, tokenizers and documents that were opened last."""
        self._entries = list(entries)[:MOST_RECENT]
        self._recent.setVisible(bool(self._entries))
        for button in self._buttons[len(self._entries) :]:
            button.hide()
        for button, entry in zip(self._buttons, self._entries, strict=False):
            button.setText(elided(entry.name, 34))
            button.setAccessibleName(f"Open {entry.name}")
            button.set_about(elided(f"{entry.kind.capitalize()} · {entry.place}", 34))
            button.show()

    def show_open(self, name: str) -> None:
        """Offer the way back to the corpus with this name; "" if nothing is open."""
        self.back.setVisible(bool(name))
        self.back.setText(f"Back to {isolated_title(elided(name, 30))}".replace("&", "&&"))
        self.back.setToolTip("Goes back to the open corpus (Esc)")

    def set_drop_target(self, is_target: bool) -> None:
        """Show whether the dragged files can be dropped here."""
        if is_target != self._is_target:
            self._is_target = is_target
            self.update()

    @Slot()
    def _on_text_edited(self) -> None:
        text = self.text
        keys = _KEYS
        why_not = ""
        if not text or text.isspace():
            self._is_preset_chosen = False
            keys = ""
            why_not = "type some words first"
        if not self._is_preset_chosen:
            self.preset.setCurrentIndex(self.preset.findData(fitting_preset(text)))
        self.why.set_message(PRESETS[self.preset.currentData()][1] + keys)
        enable(self.use, _USE, why_not)

    @Slot(str)
    def _on_noticed(self, notice: str) -> None:
        self.notice.set_message(notice)
        self.notice.setVisible(bool(notice))

    @Slot()
    def _on_preset_chosen(self) -> None:
        self._is_preset_chosen = True
        self._on_text_edited()

    @Slot()
    def _on_used(self) -> None:
        self._used = self.text
        self.text_chosen.emit(self.text, self.preset.currentData())

    def _on_recent_clicked(self, number: int, checked: bool = False) -> None:
        self.recent_chosen.emit(self._entries[number].paths)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._is_target:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(
                    QPen(
                        self.palette().color(QPalette.ColorRole.WindowText), 2, Qt.PenStyle.DashLine
                    )
                )
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(6, 6, -6, -6), 10, 10)


def _small_heading(text: str) -> QWidget:
    title = heading(text)
    title.setFont(QFont(title.font()))
    title.setContentsMargins(SIDE_PX, 0, 0, 4)
    return title


def _samples(choose: object) -> QVBoxLayout:
    grid = QGridLayout()
    grid.setSpacing(2)
    grid.setContentsMargins(0, 0, 0, 0)
    found = samples()
    for number, each in enumerate(found):
        button = EntryButton(
            each.title, each.about, f"start.sample.{each.id}", f"Open the sample {each.title}"
        )
        button.clicked.connect(partial(_call, choose, each.id))
        half = (len(found) + 1) // 2
        grid.addWidget(button, number % half, number // half)
    return column(_small_heading("Samples"), grid, STRETCH, spacing=2)


def _call(choose: object, sample: str, checked: bool = False) -> None:
    assert callable(choose)
    choose(sample)
