"""The page Text: the compared text, and below it a column for each subject.

Only the visible columns cut it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from bpe_studio.engine.encoding.editable_text import TokenSpans
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.comparison.subjects import RunAt
from bpe_studio.explain.comparison.texts import CutDifferences
from bpe_studio.explain.cut_text import difference_words
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.compare.every_tokenizer import ids_text
from bpe_studio.gui.compare.text_editor import ComparedTextEditor
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.text.panel import MOST_IDS
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.text.visible_tokens import BlockTokens, TokenHit
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.tokens.geometry import borders_of
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row, scrolled
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel, Note

if TYPE_CHECKING:
    from PySide6.QtGui import QTextBlock

    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.explain.comparison.measures import Row
    from bpe_studio.explain.comparison.texts import ComparedText
    from bpe_studio.explain.cut_text import CutText
    from bpe_studio.workspace.workspace import Workspace

COLUMN_EM = 15
GAP_PX = 12
MOST_SPOKEN = 100
IDS_LINES = 4
LARGE = 1.7
MOST_OF_WORD = 200
"""The most characters of a word that are added; without a split, a word may be the whole text."""


_MARKS_PX = 9.0
"""The room for the marks, below each line."""
_TICK = (QPointF(0, 1.5), QPointF(3, 6), QPointF(-3, 6))
_TIE_PX = 9.0


class TextColumn(QWidget):
    """A subject, and the text in its tokens and ids; a slider changes the step of the open run.

    Args:
        number: the column, from 1; part of the object names.

    Signals:
        step_chosen: (number, step), chosen with the slider.
    """

    step_chosen = Signal(int, int)

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = number
        self.title = named(ElidedLabel(), f"compare.title_{number}", f"Title of column {number}")
        self.count = named(
            AccessibleLabel(), f"compare.count_{number}", f"Tokens in column {number}"
        )
        font = self.count.font()
        font.setPointSizeF(LARGE * font.pointSizeF())
        font.setWeight(QFont.Weight.DemiBold)
        self.count.setFont(font)
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal),
            f"compare.slider_{number}",
            f"Step of column {number}",
        )
        self.difference = Note()
        self.difference.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.difference.setFixedHeight(self.difference.fontMetrics().lineSpacing() + 2)
        self.text = named(_CompareText(), f"compare.text_{number}", f"The text in column {number}")
        self.ids = named(
            QPlainTextEdit(),
            f"compare.ids_{number}",
            f"The ids in column {number}",
            "The ids of the tokens, in order",
        )
        self.ids.setReadOnly(True)
        self.ids.setTabChangesFocus(True)
        self.ids.setFont(theme.numeric_font())
        policy = self.slider.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the texts of all columns begin at the same height
        self.slider.setSizePolicy(policy)
        head = row((self.title, 1), self.count, spacing=8)
        column(head, self.slider, self.difference, (self.text, 1), self.ids, parent=self, spacing=4)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.slider.valueChanged.connect(self._on_value_changed)

    def show_subject(self, measures: Row, n_merges: int, letter: str) -> None:
        """Show the subject of the column, without emitting a signal.

        Args:
            measures: its measures.
            n_merges: the last step of the open run.
            letter: "A", "B" or "".
        """
        self.setMinimumWidth(COLUMN_EM * self.fontMetrics().height())
        self.ids.setFixedHeight(IDS_LINES * self.ids.fontMetrics().lineSpacing() + 10)
        subject = measures.subject
        size_name = number(measures.vocab_size)
        whose = "of this column"
        if measures.is_current:
            size_name = f"Current step ({size_name})"
            whose = "of the whole window"
        name = subject.name or size_name
        title = f"{letter}: {name}" if letter else name
        self.title.setText(title)
        font = self.title.font()
        font.setBold(measures.is_current)
        self.title.setFont(font)
        self.slider.setVisible(measures.is_size)
        blocked = self.slider.blockSignals(True)
        self.slider.setRange(0, n_merges)
        self.slider.setValue(max(0, measures.step))
        self.slider.blockSignals(blocked)
        self.slider.setToolTip(f"The step {whose}: {number(max(0, measures.step))} merges apply")

    def show_cut(self, measures: Row, words: str, content: CutText | None) -> None:
        """Show a cut text with its measures, or the reason in `words` why there is none."""
        n_tokens = measures.n_tokens
        count = "" if n_tokens is None else plural(n_tokens, "token")
        self.count.setText(count)
        self.count.setToolTip(
            f"Vocabulary {number(measures.vocab_size)}: alphabet, merges and special tokens"
        )
        self.difference.set_message(words)
        self.difference.setToolTip(
            f"{words}\n▴ marks a boundary that is merged in another column, ‿ one merged here"
        )
        cut = "" if content is None else f"; {cut_as_text(content)}"
        self.text.setAccessibleDescription(f"{self.count.text()}; {words}{cut}")
        self.text.set_content(content)
        tokens = [] if content is None else content.ids[: MOST_IDS + 1].tolist()
        ids = [measures.subject.id_of(each) for each in tokens]
        self.ids.setPlainText(ids_text(ids))

    def clear(self) -> None:
        """Show no text."""
        self.count.setText("")
        self.difference.set_message("")
        self.text.set_content(None)
        self.ids.clear()

    @Slot(int)
    def _on_value_changed(self, step: int) -> None:
        self.step_chosen.emit(self.number, step)


def cut_as_text(content: CutText) -> str:
    """The beginning of a cut text with a bar between its tokens, for screen readers.

    Example:
        "low|er wide|st".
    """
    places = sorted({0, *(int(place) for place in content.starts[:MOST_SPOKEN].tolist())})
    last = len(content.text)
    more = ""
    if len(content.starts) > MOST_SPOKEN:
        last = int(content.starts[MOST_SPOKEN])
        more = "…"
    pieces = [content.text[start:end] for start, end in pairwise([*places, last])]
    return "|".join(filter(None, pieces)) + more


class TextPage(QWidget):
    """The text, to be edited, above the columns, in the order of the rows of the table.

    Signals:
        step_chosen: (number, step), in the column of this number, from 1.
    """

    step_chosen = Signal(int, int)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.columns: list[TextColumn] = []
        self._text: ComparedText | None = None
        self._rows: tuple[Row, ...] = ()
        self._others: dict[str, tuple[CutText | None, str]] = {}
        self._reference = 0
        self._filled: dict[int, tuple[object, ...]] = {}
        self._inside = QWidget(self)
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP_PX)
        self.area = scrolled(self._inside, "compare.columns", sideways=True)
        self.area.horizontalScrollBar().setSingleStep(50)
        self.area.horizontalScrollBar().valueChanged.connect(self._fill)
        legend = Note(
            "▴ boundary here, merged in another column   ‿ merged here, boundary in another column"
        )
        self.editor = ComparedTextEditor(workspace, self)
        self.longest = named(
            QPushButton("Add longest words", self),
            "compare.longest_words",
            "Add the longest words of the corpus",
            "Writes the longest words of the corpus below the text, so that every column cuts them",
        )
        self.longest.clicked.connect(self._on_longest_wanted)
        column(
            self.editor,
            (self.area, 1),
            row((legend, 1), self.longest),
            parent=self,
            spacing=TIGHT_PX,
        )

    def show_text(
        self,
        text: ComparedText | None,
        rows: Sequence[Row],
        others: dict[str, tuple[CutText | None, str]],
        pair: tuple[int, int],
        n_merges: int,
    ) -> None:
        """Show a text as each subject cuts it.

        Args:
            text: the text, encoded with the open run; None for none.
            rows: the subjects.
            others: for each subject that is not a size of the open run, by its key: the cut text,
                or None and the reason.
            pair: the rows of A and B; the others are compared with B.
            n_merges: the last step of the open run.
        """
        run = self._workspace.run
        self.longest.setEnabled(run is not None and len(run.corpus) > 0)
        if text is not self._text:
            self._filled.clear()
        self._text = text
        self._rows = tuple(rows)
        self._others = others
        self._reference = pair[1]
        self._set_columns(len(rows))
        for place, (shown, each) in enumerate(zip(self.columns, rows, strict=True)):
            letter = ""
            if place == pair[1]:
                letter = "B"
            elif place == pair[0]:
                letter = "A"
            shown.show_subject(each, n_merges, letter)
        self._fill()

    @Slot()
    def _on_longest_wanted(self) -> None:
        from bpe_studio.engine.analysis.size_measures import longest_words

        run = self._workspace.run
        if run is not None:
            run = run.at(self._workspace.step)
            words = [
                run.corpus.pre_token(word)[:MOST_OF_WORD] for word in longest_words(run).tolist()
            ]
            lines = [self._workspace.typed_text, *(word.replace("▁", " ") for word in words)]
            self._workspace.set_typed_text("\n".join(filter(None, lines)))

    def columns_in_sight(self) -> list[int]:
        """The indices of the columns that are visible, or would be if the panel were."""
        seen = QRect(
            self.area.horizontalScrollBar().value(),
            0,
            max(1, self.area.viewport().width()),
            1 << 20,
        )
        least = COLUMN_EM * self.fontMetrics().height()
        if self._inside.width() < len(self.columns) * least // 2:
            # The columns are not laid out yet.
            return list(range(min(len(self.columns), seen.width() // least + 2)))
        return [k for k, each in enumerate(self.columns) if seen.intersects(each.geometry())]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fill()

    def _cut(self, k: int) -> CutText | None:
        subject = self._rows[k].subject
        text = self._text
        if isinstance(subject, RunAt) and self._rows[k].is_size and text is not None:
            return text.cut(subject.step)
        return self._others.get(subject.key, (None, ""))[0]

    @Slot()
    def _fill(self) -> None:
        """Cut the text for the visible columns that do not show it yet."""
        if self._text is None or len(self._rows) != len(self.columns):
            return
        steps = [each.step for each in self._rows if each.is_size]
        others = [k for k, each in enumerate(self._rows) if not each.is_size]
        cuts = [self._text.cut(min(steps)), self._text.cut(max(steps)), *map(self._cut, others)]
        differences = CutDifferences(cuts)
        against = self._cut(self._reference)
        for k in self.columns_in_sight():
            measures = self._rows[k]
            cut = self._cut(k)
            # A growing run does not change the text at a step.
            key: tuple[object, ...] = (
                measures.subject,
                measures.n_tokens,
                cut,
                k == self._reference,
                against,
                *cuts,
            )
            if self._filled.get(k) == key:
                continue
            self._filled[k] = key
            if cut is None:
                self.columns[k].show_cut(
                    measures, self._others.get(measures.subject.key, (None, ""))[1], None
                )
                continue
            words = ""
            if k != self._reference and against is not None:
                words = difference_words(cut.starts, against.starts)
            self.columns[k].show_cut(measures, words, differences.marked(cut))

    def _set_columns(self, n_columns: int) -> None:
        if self._text is None:
            self._filled.clear()
            for each in self.columns:
                each.clear()
        if len(self.columns) == n_columns:
            return
        self._filled.clear()
        while len(self.columns) > n_columns:
            last = self.columns.pop()
            self._row.removeWidget(last)
            last.hide()
            last.deleteLater()
        while len(self.columns) < n_columns:
            added = TextColumn(len(self.columns) + 1, self._inside)
            added.step_chosen.connect(self.step_chosen)
            added.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
            self._row.addWidget(added, 1)
            self.columns.append(added)
        order: list[QWidget] = [self.editor]
        for each in self.columns:
            order += (each.slider, each.text, each.ids)
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for each in self.columns:
            each.text.verticalScrollBar().setValue(value)


class _CompareText(TokenEditor):
    """The text of a column, with its tokens in colour and the marks of its cuts.

    Below a border, a tick means that this column cuts here and another does not. A tie (as between
    two notes) means that another column cuts here, but this one has merged the two sides.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: CutText | None = None
        self._colours = ColoursOfRun()
        self.colours_of = self._colours_of
        self.set_tip(self._tip_of)
        self.setReadOnly(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.font_changed()

    @property
    def content(self) -> CutText | None:
        """The text that is shown, with its cuts."""
        return self._content

    def set_content(self, content: CutText | None) -> None:
        """Show a text with its cuts; None for none."""
        self._content = content
        text = ""
        cut = None
        if content is not None:
            text = content.text
            cut = cast("EditableText", _Cut(content))
        if text != self.text():
            self.set_live(None)
            self.set_text(text)
        self.set_live(cut)

    def sizeHint(self) -> QSize:
        return QSize(260, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 48)

    def font_changed(self) -> None:
        super().font_changed()
        self.set_gap(_MARKS_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        content = self._content
        if content is None:
            return
        colour = theme.muted(self.palette())
        x = self.contentOffset().x()
        blocks = list(self._visible_blocks(event.rect()))
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for (block, top), (_, tokens, _) in zip(
                blocks, self._drawn(self._tokens, blocks), strict=True
            ):
                painter.resetTransform()
                painter.translate(x, top)
                for place, is_cut in self._differences(content, block, tokens):
                    if is_cut:
                        painter.setPen(Qt.PenStyle.NoPen)
                        painter.setBrush(colour)
                        corners = [place + corner for corner in _TICK]
                        painter.drawPolygon(QPolygonF(corners))
                    else:
                        painter.setPen(QPen(colour, 1.3))
                        painter.setBrush(Qt.BrushStyle.NoBrush)
                        path = QPainterPath(place + QPointF(-_TIE_PX / 2, 1.5))
                        path.quadTo(
                            place + QPointF(0, _MARKS_PX + 0.5), place + QPointF(_TIE_PX / 2, 1.5)
                        )
                        painter.drawPath(path)

    def _differences(
        self, content: CutText, block: QTextBlock, tokens: BlockTokens
    ) -> list[tuple[QPointF, bool]]:
        """The lower ends of the borders that not all columns have, and whether this one does."""
        if not tokens.starts:
            return []
        low, high = content.joined_here.searchsorted([tokens.start, tokens.start + block.length()])
        joined = content.joined_here[low:high] - tokens.start
        starts = np.unique(np.concatenate([tokens.starts, joined]))
        ends = [*starts[1:].tolist(), max(tokens.ends)]
        shapes = self._geometry.shapes(
            block, starts.tolist(), ends, has_break=self.record.has_break(block)
        )
        cuts = set((content.cut_here - tokens.start).tolist())
        found = []
        for shape in shapes:
            for mark in borders_of(shape):
                start = float(starts[mark.token])
                if start in cuts or start in joined:
                    found.append((QPointF(mark.x, shape.top + shape.height), start in cuts))
        return found

    # The tokens and borders are those of the column, not those of the window's run.

    def border_under(self, place: QPoint) -> TokenHit | None:
        return None

    def target_at(self, place: QPoint) -> Target | None:
        return self._target_of(self.token_at(place))

    def current_target(self) -> tuple[Target | None, QPoint]:
        return self._target_of(self.cursor_token()), self.cursorRect().bottomLeft()

    def _target_of(self, hit: TokenHit | None) -> Target | None:
        content = self._content
        return None if hit is None or content is None else token_target(content.run, hit.id)

    def _tip_of(self, hit: TokenHit) -> str:
        content = self._content
        if content is None:
            return ""
        return plain_tip(content.tip(int(content.ends.searchsorted(hit.start, "right"))))

    def _colours_of(self, tokens: Sequence[int]) -> Sequence[int] | None:
        return None if self._content is None else self._colours.of(self._content.run, list(tokens))


class _Cut:
    """A text that is cut already, with the methods of `EditableText` that the editor calls."""

    encodes_whole = True

    def __init__(self, content: CutText) -> None:
        self.text = content.text
        self._spans = TokenSpans(
            content.starts, content.ends, np.where(content.is_unknown, UNKNOWN, content.ids)
        )

    def n_tokens(self, step: int) -> int:
        """The number of all tokens."""
        return len(self._spans.ids)

    def tokens(self, step: int, start: int = 0, end: int | None = None) -> TokenSpans:
        """All tokens, whatever the range."""
        return self._spans

    def set_text(self, text: str) -> None:
        """Do nothing; the text was cut already."""

    def border_at(self, place: float, step: int, end: float) -> None:
        """None, because no border belongs to the window's run."""

    def places_of_border(self, border: object, start: int, end: int) -> list[float]:
        """An empty list, because no border is selected here."""
        return []
