"""The typed text at the current step: the editor, the token at the cursor, the counts and the ids.

The editor updates with each key press; ids and counts, which need the whole text, follow within a
frame or two. The text is kept when the run changes and when the program restarts
(`Workspace.typed_text`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont, QFontMetrics, QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.errors import BpeError
from bpe_studio.explain.names import hex_bytes
from bpe_studio.explain.text_counts import TextCounts
from bpe_studio.explain.token_facts import token_facts
from bpe_studio.gui.background.panel import FRAME_MS, Panel, every
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.text.layer import Layer
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.text.visible_tokens import TokenHit
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.tokens.tooltip import TokenDetails, tip_html
from bpe_studio.gui.widgets.containers import MARGIN_PX, StableSize, column, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import ElidedLabel, Note
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.open_state import EXCERPT_CHARACTERS

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.border import TextBorder
    from bpe_studio.engine.encoding.editable_text import TokenSpans
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

_SLOWEST_MS = 400
_ROOM_FOR_DETAILS_PX = 420
_ROOM_FOR_IDS_PX = 290
_AROUND_LINES_PX = 20
MOST_IDS = 500
_USUAL_LINE_PX = 17
LARGE = 1.35
"""The size of the text relative to other editors; it applies twice if a tokenizer alone is open."""
_IDS_AHEAD = 8 * MOST_IDS
WHOSE = (
    "Beginning of the corpus: type to replace it",
    "Beginning of the corpus",
    "Corpus excerpt",
    "",
)
"""The source of the text, and shorter wordings for little room."""
LAYER_TIP = "Shows the id of each token below it, then its bytes, then neither (Ctrl+B)"
MOST_BYTES = 8
_INVITATION = (
    "Type or paste any text here to see its tokens.\n\nEvery script works: سلام، 漢字, नमस्ते, 👩‍💻"
)

_SHORTER = {
    "characters per token": "characters/token",
    "tokens per whitespace word (fertility)": "fertility",
}
"""Shorter labels for when the counts do not fit in one line; if they still do not fit, these counts
are left out, the last one first.
"""


class TextPanel(FollowsLook, Panel):
    """The typed text as the run cuts it at the step, with counts and ids.

    Attributes:
        heading_items: the controls next to its title.

    Signals:
        why_requested: the user asked why the text is cut at the border that is now selected.
    """

    # With a long text and a fast run, leave time for the rest of the window.
    at_rest = every(FRAME_MS, slowest_ms=_SLOWEST_MS)
    why_requested = Signal()

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._run: Run | None = None
        self._is_run_stale = False
        self._spans: TokenSpans | None = None
        self._colours = ColoursOfRun()
        self._is_alone = False
        self._layers = {False: Layer.nothing, True: Layer.ids}  # by `_is_alone`
        self._build()
        self._connect()
        self._on_noticed("")
        if workspace.shown_text:
            self._on_shown_text_changed(workspace.shown_text)
        self._on_run_changed()
        self._on_corpus_changed()

    def _build(self) -> None:
        self.excerpt = named(
            QPushButton("From the corpus"),
            "text.excerpt",
            "Replace the typed text with the beginning of the corpus",
        )
        self.before = named(
            QPushButton("Typed before"),
            "text.before",
            "Bring back what you typed before",
            "Shows the text that you had typed before this corpus was opened",
        )
        self.whose = named(ElidedLabel(), "text.whose", "Source of the text")
        self.whose.setMinimumWidth(1)  # if the room is short, the title needs it more
        self.whose.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.white_space = QAction("White &space", self, checkable=True)
        named(
            self.white_space,
            "view.white_space",
            "",
            "Marks spaces, tabs, line breaks and other invisible characters",
        )
        self.special = named(
            QCheckBox("Special tokens"),
            "text.special_tokens",
            "Recognize special tokens",
            "Encodes the text of a special token, such as <|endoftext|>, as that token; otherwise"
            " it is ordinary text",
        )
        self.editor = named(
            TokenEditor(),
            "text.input",
            "Typed text, cut into tokens",
            "Point at a token to see its facts; Tab moves the focus, Ctrl+Tab types a tab",
        )
        self.editor.setPlaceholderText(_INVITATION)
        font = QFont(self.editor.font())
        font.setPointSizeF(LARGE * font.pointSizeF())
        self.editor.setFont(font)
        self.notice = named(
            Note(role="warning"), "text.notice", "Characters of the text that were replaced"
        )
        self.details = named(
            TokenDetails(),
            "text.details",
            "The token at the cursor",
            "Its id, its bytes and its origin; counts are over the whole corpus, at its merge and"
            " at this step",
        )
        self.counts = named(_CountsLine(), "text.counts", "Counts of the typed text")
        self.ids = named(
            QPlainTextEdit(),
            "text.ids",
            "Token ids of the typed text",
            "The ids of the tokens of the typed text at the step, in order",
        )
        self.ids.setReadOnly(True)
        self.ids.setTabChangesFocus(True)
        self.ids.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        for bar in (self.ids.setVerticalScrollBarPolicy, self.ids.setHorizontalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.ids.document().setDocumentMargin(2)
        self.about = named(Note(), "text.about_tokenizer", "About this tokenizer")
        self.about.hide()
        self.ids_heading = QLabel("Ids")
        self.layer = named(
            QToolButton(), "text.layer_button", "Ids and bytes below the tokens", LAYER_TIP
        )
        self.layer.setCheckable(True)
        self.as_corpus = named(
            QPushButton("Use as corpus"), "text.as_corpus_button", "Use this text as the corpus"
        )
        self.as_corpus.setToolTip("Makes the typed text the corpus")
        self.copy = named(QToolButton(), "text.copy_ids", "Copy all ids")
        self.copy.setText("Copy")
        self.copy.setAutoRaise(True)
        self.set_layer(Layer.nothing)
        self._lay_out()

    def _lay_out(self) -> None:
        self._counts_room = StableSize(self.counts)
        self._details_room = StableSize(self.details)
        self._ids_room = QWidget()
        self._below = column()
        self.heading_items = QWidget()
        row(
            (self.whose, 1),
            self.before,
            self.as_corpus,
            self.excerpt,
            self.special,
            self.layer,
            parent=self.heading_items,
        )
        row(self.ids_heading, (self.ids, 1), self.copy, parent=self._ids_room)
        self._layout = column(
            self.heading_items,
            (self.editor, 1),
            self.notice,
            self._counts_room,
            self._details_room,
            self._ids_room,
            self.about,
            self._below,
            parent=self,
            margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX),
        )
        self.follow_look()

    def add_below(self, widget: QWidget) -> None:
        """Add a widget at the lower edge."""
        if not self.isAncestorOf(widget):
            self._below.addWidget(widget)
            self._make_room()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Hide parts if the panel is low: first the details (see the tooltip), then the ids."""
        # With a larger font, everything needs more room.
        height = self.height() / max(1.0, self.fontMetrics().lineSpacing() / _USUAL_LINE_PX)
        self._details_room.setVisible(height >= _ROOM_FOR_DETAILS_PX)
        self._ids_room.setVisible(height >= _ROOM_FOR_IDS_PX)
        self.editor.setMinimumHeight(2 * self.editor.fontMetrics().lineSpacing() + _AROUND_LINES_PX)
        self.setMinimumHeight(self._least_height())

    def _least_height(self) -> int:
        """The height of the parts that are never hidden: the text, its counts, the lower edge."""
        inside = self.contentsRect().marginsRemoved(self._layout.contentsMargins())
        heights = [
            self.editor.minimumHeight(),
            self._counts_room.heightForWidth(inside.width()),
            self._below.minimumSize().height(),
        ]
        return sum(heights) + len(heights) * self._layout.spacing() + MARGIN_PX

    def font_changed(self) -> None:
        widths = map(self.layer.fontMetrics().horizontalAdvance, ("Ids", "Bytes"))
        self.layer.setFixedWidth(max(widths) + 24)
        self.ids.setFont(theme.numeric_font())
        self.ids.setFixedHeight(self.ids.fontMetrics().height() + 8)
        self._make_room()

    def _connect(self) -> None:
        self.editor.text_edited.connect(self.request_refresh)
        self.editor.typed.connect(self._on_typed)
        self.editor.encoded.connect(self.request_refresh)
        self.editor.noticed.connect(self._on_noticed)
        self.editor.token_hovered.connect(self._show_token)
        self.editor.token_at_cursor.connect(self._show_token)
        self.editor.token_clicked.connect(self._on_token_clicked)
        self.editor.border_clicked.connect(self._on_border_clicked)
        self.editor.set_tip(self._tip)
        self.editor.colours_of = self._colours_of
        self.editor.label_of = self._label_of
        self.layer.clicked.connect(self.show_next_layer)
        self.as_corpus.clicked.connect(self.use_as_corpus)
        self.white_space.toggled.connect(self.editor.set_shows_hidden)
        self.special.clicked.connect(self._workspace.set_recognizes_special)
        self._workspace.special_changed.connect(self._on_run_changed)
        self.before.clicked.connect(self._on_before_clicked)
        self.excerpt.clicked.connect(self._on_excerpt_clicked)
        self.copy.clicked.connect(self._on_copy_clicked)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._workspace.run_grew.connect(self.request_refresh)
        self._workspace.step_changed.connect(self.follow_step)
        self._workspace.corpus_changed.connect(self._on_corpus_changed)
        self._workspace.shown_text_changed.connect(self._on_shown_text_changed)
        self._workspace.typed_text_changed.connect(self._show_whose)
        self._workspace.selection.changed.connect(self.editor.show_selected)

    def show_state(self) -> None:
        if self._is_run_stale:
            self._take_run()
        self.editor.set_step(self._workspace.step)
        self._count()
        self._show_token()

    def _count(self) -> None:
        text = self.editor.text()
        live = self.editor.live
        step = self.editor.step
        counts = TextCounts(
            len(text), len(text.encode("utf-8", "surrogatepass")), len(text.split())
        )
        self._spans = None
        if live is not None and self._run is not None:
            counts = TextCounts(
                counts.n_characters,
                counts.n_bytes,
                counts.n_words,
                live.n_tokens(step),
                live.n_unknown(step),
            )
            spans = live.tokens(step, 0, min(len(text), _IDS_AHEAD))
            if len(spans.ids) < MOST_IDS and len(text) > _IDS_AHEAD:
                spans = live.tokens(step)
            self._spans = spans
        self.counts.show_counts(counts)
        self._show_ids(counts.n_tokens or 0)

    def _show_ids(self, n_tokens: int) -> None:
        run = self._run
        spans = self._spans
        step = self.editor.step
        self.copy.setEnabled(n_tokens > 0)
        copy_tip = "There are no ids yet"
        if n_tokens:
            copy_tip = "Copies the ids of the whole text, separated by spaces"
        self.copy.setToolTip(copy_tip)
        if run is None or spans is None:
            self._set_ids("")
            self.ids_heading.setText("Ids")
            return
        self._set_ids(
            " ".join(_id_text(run, token, step) for token in spans.ids[:MOST_IDS].tolist())
        )
        number = grouping_locale().toString
        part = f"the first {number(MOST_IDS)} of {number(n_tokens)}" if n_tokens > MOST_IDS else ""
        heading = f"Ids, {part}" if part else "Ids"
        self.ids_heading.setText(heading)

    def _set_ids(self, ids: str) -> None:
        if ids != self.ids.toPlainText():
            self.ids.setPlainText(ids)

    @Slot()
    def _show_token(self) -> None:
        run = self._run
        hit = self.editor.hovered
        lead = "Under the mouse"
        if hit is None:
            hit = self.editor.cursor_token()
            lead = "At the cursor"
        if run is not None and hit is not None:
            self.details.show_token(run, hit.id, self.editor.step, lead)
        elif run is None:
            hint = ""
            if self.editor.text():
                hint = "Tokens are shown as soon as a text is open and trained"
            self.details.set_message(hint)
        else:
            hint = ""
            if self.editor.text():
                hint = "No token at the cursor: this split drops white space"
            self.details.set_message(hint)

    def _tip(self, hit: TokenHit) -> str:
        if self._run is None:
            return ""
        facts = token_facts(self._run, hit.id, self.editor.step) if hit.id != UNKNOWN else None
        return tip_html(facts)

    def _colours_of(self, tokens: Sequence[int]) -> Sequence[int] | None:
        return self._colours.of(self._run, tokens)

    @Slot()
    def _on_run_changed(self) -> None:
        self._is_run_stale = True
        if self.window().isVisible() and not self.isVisible():
            # Many panels show a new run, and the page with this panel comes last.
            self.take_turn()
        else:
            self.refresh()

    def _take_run(self) -> None:
        """Cut the text by the run of the workspace."""
        self._is_run_stale = False
        run = self._workspace.run
        self._run = run
        self._spans = None
        self._show_special(run)
        special = frozenset() if run is None else frozenset(run.added_tokens().tolist())
        try:
            live = None if run is None else run.live()
            self.editor.set_live(live, self._workspace.step, special)
        except BpeError as error:
            self._run = None
            self.editor.set_live(None)
            self._on_noticed(str(error))

    def _show_special(self, run: Run | None) -> None:
        """Offer to recognize special tokens if there are any besides the unknown token."""
        has_any = run is not None and bool(
            set(run.config.all_special) - {run.config.unknown} or len(run.added_tokens()) > 0
        )
        self.special.setVisible(has_any)
        if run is not None and has_any:
            self.special.setChecked(run.segmenter.recognizes_special)

    @Slot()
    def _on_corpus_changed(self) -> None:
        info = self._workspace.corpus
        self._show_alone(info is not None and not info.has_words)
        if info is None:
            self.excerpt.setEnabled(False)
            self.excerpt.setToolTip("Open a text first")
        else:
            enable(
                self.excerpt,
                "Replaces the typed text with the beginning of the corpus",
                why_no_text(info),
            )
        self._show_whose()

    def _show_alone(self, is_alone: bool) -> None:
        """Show the text even larger, with its ids, if a tokenizer alone is open."""
        if is_alone == self._is_alone:
            return
        self._is_alone = is_alone
        font = QFont(self.editor.font())
        scale = LARGE if is_alone else 1 / LARGE
        font.setPointSizeF(font.pointSizeF() * scale)
        self.editor.setFont(font)
        self._make_room()
        self.set_layer(self._layers[is_alone])

    @Slot(str)
    def show_about(self, said: str) -> None:
        """Show notices about a tokenizer that is open alone."""
        self.about.set_message(said)
        self.about.setVisible(bool(said))

    @Slot()
    def _on_typed(self) -> None:
        self._workspace.set_typed_text(self.editor.text(), is_cleared=True)

    @Slot(object)
    def _on_shown_text_changed(self, text: str) -> None:
        if text != self.editor.text():
            self.editor.set_text(text)
        self._show_whose()

    @Slot()
    def _show_whose(self) -> None:
        """Show the source of the text; typing replaces the beginning of the corpus."""
        is_excerpt = self._workspace.is_excerpt_shown
        self.editor.set_replaced_by_typing(is_excerpt)
        is_typed = bool(self._workspace.typed_text)
        self.before.setHidden(is_typed or not self._workspace.typed_before)
        self.as_corpus.setVisible(is_typed)
        self.excerpt.setHidden(is_excerpt or is_typed or self._is_alone)
        whose = WHOSE if is_excerpt else ("",)
        self.whose.setText(*whose)

    @Slot(str)
    def _on_noticed(self, sentence: str) -> None:
        self.notice.set_message(sentence)
        self.notice.setVisible(bool(sentence))

    @Slot(object)
    def _on_token_clicked(self, hit: TokenHit) -> None:
        self._workspace.selection.select_token(hit.id)

    @Slot(object)
    def _on_border_clicked(self, border: TextBorder) -> None:
        self._workspace.selection.select_border(border.piece, border.place, border.following)
        self.why_requested.emit()

    def select_border_at_cursor(self) -> None:
        """Select the border at the text cursor, or the one next to it."""
        border = self.editor.border_at_cursor()
        if border is not None:
            self._workspace.selection.select_border(border.piece, border.place, border.following)

    def select_at_cursor(self) -> None:
        """Select the token at the text cursor."""
        hit = self.editor.cursor_token()
        if hit is not None:
            self._workspace.selection.select_token(hit.id)

    @Slot()
    def show_next_layer(self) -> None:
        """Show ids below the tokens, then bytes, then neither."""
        self.set_layer(self.editor.layer.following)

    def set_layer(self, layer: Layer) -> None:
        """Show ids or bytes below the tokens, or neither."""
        self._layers[self._is_alone] = layer
        self.editor.set_layer(layer)
        self.layer.setChecked(layer is not Layer.nothing)
        layer_name = "Bytes" if layer is Layer.bytes else "Ids"
        self.layer.setText(layer_name)

    @property
    def kept_layer(self) -> Layer:
        """The layer that is used with a corpus, which is kept for the next start."""
        return self._layers[False]

    @Slot()
    def use_as_corpus(self) -> None:
        """Open the typed text as the corpus."""
        if self.editor.text().strip():
            self._workspace.opener.open_typed(self.editor.text())

    def _label_of(self, token: int, layer: Layer) -> str:
        run = self._run
        if run is None or token == UNKNOWN:
            return "?"
        if layer is Layer.ids:
            return _id_text(run, token, self.editor.step)
        return hex_bytes(run.token_content(token)[:MOST_BYTES]) if token >= 0 else ""

    @Slot()
    def _on_before_clicked(self) -> None:
        self.editor.replace_all(self._workspace.typed_before)
        self.editor.setFocus()

    @Slot()
    def _on_excerpt_clicked(self) -> None:
        self.editor.replace_all(corpus_excerpt(self._workspace.corpus, EXCERPT_CHARACTERS))
        self.editor.setFocus()

    @Slot()
    def _on_copy_clicked(self) -> None:
        live = self.editor.live
        run = self._run
        if live is not None and run is not None:
            step = self.editor.step
            ids = (_id_text(run, token, step) for token in live.tokens(step).ids.tolist())
            QGuiApplication.clipboard().setText(" ".join(ids))


def _id_text(run: Run, token: int, step: int) -> str:
    """The id of a token; "?" for an unknown symbol."""
    return "?" if token == UNKNOWN else str(run.external_id(token, step))


class _CountsLine(FollowsLook, QLabel):
    """Counts in one wrapped line, with bold numbers and muted labels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: TextCounts | None = None
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setToolTip(
            "Characters are code points, bytes are UTF-8; unknown symbols are not in the alphabet\n"
            "Fertility: tokens per whitespace word"
        )
        self.follow_look(fit_now=False)

    def show_counts(self, counts: TextCounts) -> None:
        self._counts = counts
        phrases = counts.phrases()
        self.setAccessibleDescription(", ".join(" ".join(phrase) for phrase in phrases))
        if self._width_of(phrases) > self.width():
            phrases = [(number, _SHORTER.get(what, what)) for number, what in phrases]
        for ratio in reversed(_SHORTER.values()):
            if self._width_of(phrases) > self.width():
                phrases = [phrase for phrase in phrases if phrase[1] != ratio]
        muted = theme.muted(self.palette()).name()
        # A number and its label stay on the same line.
        words = [
            f"<b>{number}</b>&nbsp;<span style='color:"
            f" {muted}'>{what.replace(' ', '&nbsp;')}</span>"
            for number, what in phrases
        ]
        self.setText(" &nbsp; ".join(words))

    def _width_of(self, phrases: list[tuple[str, str]]) -> int:
        """The width of a line with bold numbers."""
        bold = QFont(self.font())
        bold.setBold(True)
        numbers = QFontMetrics(bold).horizontalAdvance("".join(number for number, _ in phrases))
        return numbers + self.fontMetrics().horizontalAdvance(
            "   ".join(f" {what}" for _, what in phrases)
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.palette_changed()

    def palette_changed(self) -> None:
        if self._counts is not None:
            self.show_counts(self._counts)
