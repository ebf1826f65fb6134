"""The page Alignment: the text in A above the text in B; bands join tokens that cover the same
part.

The thread pool lines up the text (`explain/alignment.py`) when the page is visible and no run
trains.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import MOST_DRAWN, Subject
from bpe_studio.explain.names import display_token, is_right_to_left
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.background.panel import Needs, Panel, resting
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.chips import GAP_PX, ChipRow, joined_forms, natural_width
from bpe_studio.gui.widgets.containers import column, scrolled
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, statement

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.explain.alignment import Alignment
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

REST_MS = 80
NOTHING = "Nothing to line up yet: train on a text, then add another size, run or tokenizer above"
NO_TEXT = "Type a text to line up"
FAILED = "These two could not be lined up: choose others. The details are in the log."
LEGEND = (
    "A is above, B below. A faint band joins one token to one, a strong band joins groups of other"
    " sizes. A triangle marks text for which the other has no token."
)
WAITING = "Updates when paused"
FAINT = 0.14
STRONG = 0.32
_MARGIN_PX = 26.0
_BAND_PX = 22.0
_BETWEEN_GROUPS_PX = 5.0
_BETWEEN_LINES_PX = 18.0
_MOST_SPOKEN = 30


class DrawnGroup(NamedTuple):
    """A group of the alignment, ready to be drawn.

    Attributes:
        names: the displayed tokens of A and of B, with the forms of letters that join.
        firsts: the number of the first token of each side, in the whole text.
        tip: the tooltip.
        direction: whether its letters run from right to left; None without letters.
        ends_line: whether the text has a line break there.
    """

    names: tuple[Sequence[str], Sequence[str]]
    firsts: tuple[int, int]
    tip: str
    direction: bool | None
    ends_line: bool


@dataclass(frozen=True)
class Answer:
    """A text, lined up.

    Attributes:
        sentence: the number of groups that are one token in both; or why there are none.
        details: the tokens that cannot be lined up, and the part of the text that is shown.
        groups: the groups that are drawn.
        is_failure: whether the text could not be lined up.
    """

    sentence: str
    details: str = ""
    groups: Sequence[DrawnGroup] = ()
    is_failure: bool = False


class AlignmentPage(Panel):
    """The tokens of the compared text in A and in B, lined up."""

    at_rest = resting(REST_MS)
    needs = Needs.sight | Needs.no_run

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("alignment")
        self._pair: tuple[Subject, Subject] | None = None
        self._asked: tuple[Subject, Subject, str] | None = None
        self._job = LatestAnswer(_answer, self)
        self.answer = Answer(NOTHING)
        self.said = statement("alignment.said", "Groups that are one token in both")
        self.details = named(
            Note("", "plain", self), "alignment.details", "Tokens that cannot be lined up"
        )
        self.view = AlignmentView(self)
        self.legend = Note(LEGEND, "help", self)
        self.area = scrolled(self.view, "alignment.area")
        column(self.said, self.details, (self.area, 1), self.legend, parent=self)
        self._job.answered.connect(self._on_answered)
        workspace.shown_text_changed.connect(self.request_refresh)
        workspace.state_changed.connect(self._on_state_changed)
        workspace.special_changed.connect(self._on_special_changed)
        self._show(self.answer)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the alignment is of the current pair and text."""
        is_waiting = self.is_refresh_pending or self._job.is_busy
        return not is_waiting and self._asked == self._question()

    @Slot(object)
    def show_pair(self, pair: tuple[Subject, Subject] | None) -> None:
        """Line up two subjects, or none."""
        self._pair = pair
        self.request_refresh()

    def show_state(self) -> None:
        question = self._question()
        if question == self._asked and question is not None:
            return
        self._asked = question
        if question is not None:
            self._job.ask(*question)
            return
        self._job.forget()
        has_pair = self._pair is not None and self._pair[0] != self._pair[1]
        sentence = NO_TEXT if has_pair else NOTHING
        self._show(Answer(sentence))

    def _question(self) -> tuple[Subject, Subject, str] | None:
        text = self._workspace.shown_text
        if self._pair is None or self._pair[0] == self._pair[1] or not text:
            return None
        return (*self._pair, text)

    @Slot()
    def _on_state_changed(self) -> None:
        text = WAITING if self.is_training else LEGEND
        self.legend.set_message(text)
        self.request_refresh()

    @Slot()
    def _on_special_changed(self) -> None:
        self._asked = None
        self.request_refresh()

    @Slot(object)
    def _on_answered(self, answer: Answer) -> None:
        self._show(answer)

    def _show(self, answer: Answer) -> None:
        self.answer = answer
        self.said.setVisible(not answer.is_failure)
        self.said.setText(answer.sentence)
        self.details.setVisible(bool(answer.details))
        role = "error" if answer.is_failure else "plain"
        self.details.set_message(answer.details, role)
        self.legend.setVisible(bool(answer.groups))
        self.view.show_groups(answer.groups)


class _Placed(NamedTuple):
    """A group with its place: the chips of A and of B, and the band between them."""

    group: DrawnGroup
    rows: tuple[ChipRow, ChipRow]
    band: QPolygonF
    area: QRectF


class AlignmentView(QWidget):
    """Groups in lines: the tokens of A, bands, the tokens of B."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: Sequence[DrawnGroup] = ()
        self.placed: list[_Placed] = []
        self._lines: list[tuple[float, bool]] = []
        named(self, "alignment.view", "The text in A above the text in B")
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setSizePolicy(policy)

    def show_groups(self, groups: Sequence[DrawnGroup]) -> None:
        self._groups = groups
        spoken = []
        for group in groups[:_MOST_SPOKEN]:
            a, b = map("|".join, group.names)
            spoken.append(f"{a or 'nothing'} and {b or 'nothing'}")
        self.setAccessibleDescription("; ".join(spoken))
        self._lay_out()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        height = self._lines[-1][0] + self._line_height if self._lines else 0.0
        return QSize(0, round(height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()

    @property
    def _row_height(self) -> float:
        return QFontMetricsF(self.font()).height() + 4.0

    @property
    def _line_height(self) -> float:
        return 2 * self._row_height + _BAND_PX

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self.font())
        room = max(100.0, self.width() - 2 * _MARGIN_PX)
        self.placed = []
        self._lines = []
        top = 0.0
        for paragraph in _paragraphs(self._groups):
            is_rtl = _runs_left(paragraph)
            line: list[tuple[DrawnGroup, float]] = []
            taken = 0.0
            for group in paragraph:
                width = min(room, max(natural_width(names, metrics) for names in group.names))
                if line and taken + width > room:
                    self._place(line, top, is_rtl)
                    top += self._line_height + _BETWEEN_LINES_PX
                    line = []
                    taken = 0.0
                line.append((group, width))
                taken += width + _BETWEEN_GROUPS_PX
            self._place(line, top, is_rtl)
            top += self._line_height + _BETWEEN_LINES_PX
        self.updateGeometry()
        self.update()

    def _place(self, line: Sequence[tuple[DrawnGroup, float]], top: float, is_rtl: bool) -> None:
        """Lay out one line; words of the other direction keep their own."""
        self._lines.append((top, is_rtl))
        directions = resolved([group.direction for group, _ in line], is_rtl)
        width = sum(each for _, each in line) + _BETWEEN_GROUPS_PX * (len(line) - 1)
        x = self.width() - _MARGIN_PX - width if is_rtl else _MARGIN_PX
        for place in visual_order(directions, is_rtl):
            group, width = line[place]
            area = QRectF(x, top, width, self._line_height)
            self.placed.append(self._placed(group, area, directions[place]))
            x += width + _BETWEEN_GROUPS_PX

    def _placed(self, group: DrawnGroup, area: QRectF, is_rtl: bool) -> _Placed:
        metrics = QFontMetricsF(self.font())
        height = self._row_height
        rows = []
        edges = []
        for side, top in enumerate((area.top(), area.bottom() - height)):
            names = group.names[side]
            width = min(area.width(), natural_width(names, metrics))
            cell = QRectF(area.center().x() - width / 2, top, width, height)
            rows.append(_chips(names, group.firsts[side], cell, metrics, is_rtl))
            edges.append((cell.left(), max(cell.left(), cell.right() - GAP_PX)))
        (a_left, a_right), (b_left, b_right) = edges
        upper = area.top() + height
        lower = area.bottom() - height
        corners = [
            QPointF(a_left, upper),
            QPointF(a_right, upper),
            QPointF(b_right, lower),
            QPointF(b_left, lower),
        ]
        return _Placed(group, (rows[0], rows[1]), QPolygonF(corners), area)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        muted = theme.muted(palette)
        seen = QRectF(event.rect())
        for top, is_rtl in self._lines:
            left = self.width() - _MARGIN_PX + 6.0 if is_rtl else 0.0
            row = QRectF(left, top, _MARGIN_PX - 6.0, self._row_height)
            painter.setPen(muted)
            painter.drawText(row, Qt.AlignmentFlag.AlignCenter, "A")
            row.moveTop(top + self._row_height + _BAND_PX)
            painter.drawText(row, Qt.AlignmentFlag.AlignCenter, "B")
        for placed in self.placed:
            if not placed.area.intersects(seen):
                continue
            sizes = [len(names) for names in placed.group.names]
            strength = FAINT if sizes == [1, 1] else STRONG
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.with_alpha(muted, strength))
            painter.drawPolygon(placed.band)
            for row_of_chips in placed.rows:
                row_of_chips.paint(painter, palette)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self.group_at(QPointF(event.pos()))
            tip = plain_tip(found.tip) if found else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def group_at(self, place: QPointF) -> DrawnGroup | None:
        return next((each.group for each in self.placed if each.area.contains(place)), None)


def _chips(
    names: Sequence[str], first: int, cell: QRectF, metrics: QFontMetricsF, is_rtl: bool
) -> ChipRow:
    """All tokens of a group, elided if they are too wide together."""
    widths = [natural_width([name], metrics) - GAP_PX for name in names]
    share = (cell.width() - GAP_PX * len(names)) / max(1.0, sum(widths))
    texts = list(names)
    if share < 1.0:
        widths = [share * width for width in widths]
        mode = Qt.TextElideMode.ElideRight
        texts = [
            metrics.elidedText(name, mode, width) for name, width in zip(names, widths, strict=True)
        ]
    inside = cell.adjusted(0, 1, -GAP_PX, -1)
    row = ChipRow.placed(texts, widths, inside, GAP_PX, is_rtl=is_rtl)
    # If colours go by place, the index of a token in the whole text decides its colour.
    return row._replace(first=first)


def _paragraphs(groups: Sequence[DrawnGroup]) -> list[list[DrawnGroup]]:
    found: list[list[DrawnGroup]] = []
    is_new = True
    for group in groups:
        if is_new:
            found.append([])
        found[-1].append(group)
        is_new = group.ends_line
    return found


def _runs_left(paragraph: Sequence[DrawnGroup]) -> bool:
    """Whether the first letters of a paragraph run from right to left."""
    directions = (group.direction for group in paragraph)
    return next((each for each in directions if each is not None), False)


def resolved(directions: Sequence[bool | None], base: bool) -> list[bool]:
    """The direction of each group of a line.

    A group without letters takes the direction of its neighbours if they agree, or else that of the
    line.

    >>> resolved([False, None, True, None, True, None], False)
    [False, False, True, True, True, False]
    """
    found = []
    before = base
    for place, each in enumerate(directions):
        if each is None:
            after = next((other for other in directions[place:] if other is not None), base)
            each = before if before == after else base
        found.append(each)
        before = each
    return found


def visual_order(directions: Sequence[bool], base: bool) -> list[int]:
    """The groups of a line from left to right.

    >>> visual_order([False, True, True, False], False), visual_order([True, False, False], True)
    ([0, 2, 1, 3], [1, 2, 0])
    """
    runs: list[list[int]] = []
    for place, direction in enumerate(directions):
        if not runs or directions[runs[-1][-1]] != direction:
            runs.append([])
        runs[-1].append(place)
    if base:
        runs.reverse()
    order: list[int] = []
    for run in runs:
        order += reversed(run) if directions[run[0]] else run
    return order


def _direction(text: str) -> bool | None:
    kinds = map(unicodedata.bidirectional, text)
    if not any(kind in ("L", "R", "AL", "EN", "AN") for kind in kinds):
        return None
    return is_right_to_left(text)


def _answer(a: Subject, b: Subject, text: str) -> Answer:
    """Line up a text, in the thread pool."""
    from bpe_studio.explain.alignment import align, alone_sentences, summary

    try:
        sides = a.as_tokenizer(), b.as_tokenizer()
        found = align(*sides, text)
    except BpeError as error:
        return Answer("", str(error), is_failure=True)
    except Exception:
        _log.exception("Two subjects could not be lined up.")
        return Answer("", FAILED, is_failure=True)
    details = [f"{sentence}." for sentence in alone_sentences([found], *sides)]
    if len(text) > MOST_DRAWN:
        details.append(f"The first {number(MOST_DRAWN)} characters are shown.")
    return Answer(f"{summary([found])}.", "\n".join(details), _drawn(found, sides))


def _drawn(found: Alignment, sides: tuple[Tokenizer, Tokenizer]) -> list[DrawnGroup]:
    groups = list(takewhile(lambda group: group.start < MOST_DRAWN, found))
    texts = [found.text[group.start : group.end] for group in groups]
    names = []
    tips = []
    for side, tokenizer in enumerate(sides):
        tokens = [(group.a, group.b)[side] for group in groups]
        names.append(_joined_names(tokens, texts, tokenizer))
        tips.append([_tip("AB"[side], ids, tokenizer) for ids in tokens])
    drawn = []
    for place, text in enumerate(texts):
        a, b = (of_side[place] for of_side in names)
        first_a, first_b = (int(firsts[place]) for firsts in found.firsts)
        tip = f"{tips[0][place]}\n{tips[1][place]}"
        has_break = "\n" in text
        drawn.append(DrawnGroup((a, b), (first_a, first_b), tip, _direction(text), has_break))
    return drawn


def _joined_names(
    groups: Sequence[Sequence[int]], texts: Sequence[str], tokenizer: Tokenizer
) -> list[list[str]]:
    """The names of the tokens of each group; letters join across groups as in the text."""
    names: list[str] = []
    firsts = []
    for ids, text in zip(groups, texts, strict=True):
        if text[:1].isspace():
            names.append("")
        firsts.append(len(names))
        names += [display_token(tokenizer.content(each)) for each in ids]
        if text[-1:].isspace():
            names.append("")
    joined = joined_forms(names)
    return [joined[first : first + len(ids)] for first, ids in zip(firsts, groups, strict=True)]


def _tip(letter: str, ids: Sequence[int], tokenizer: Tokenizer) -> str:
    tokens = [f"{display_token(tokenizer.content(each))} ({each})" for each in ids]
    return f"{letter}: {' '.join(tokens) or 'no token'}"
