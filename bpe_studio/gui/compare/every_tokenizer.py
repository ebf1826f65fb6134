"""The page Tokenizers: the typed text in every known tokenizer, with a bar for each line.

The lines are meant to be one sentence in several languages. A thread opens one tokenizer after
another; the pool counts the tokens.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QPainter, QShowEvent
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import ComparedTokenizer, LiveTexts, RunAt, Subject
from bpe_studio.explain.names import elided, isolated, isolated_title
from bpe_studio.explain.wording import number
from bpe_studio.files.exports.counts_page import LineCounts, counts_page
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.compare.table import BarDelegate
from bpe_studio.gui.compare.text_editor import ComparedTextEditor
from bpe_studio.gui.look import theme
from bpe_studio.gui.tables.model import WORD, Column, Index, RowState, TableModel
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.text.panel import MOST_IDS
from bpe_studio.gui.widgets.containers import TIGHT_PX, column, is_in_sight, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note, statement

if TYPE_CHECKING:
    from bpe_studio.workspace.corpus.known_tokenizers import KnownEntry
    from bpe_studio.workspace.workspace import Workspace

MOST_LINES = 6
YOURS = "Yours"
NAME_EM = 20
MOST_NAME = 30
MOST_TITLE = 18
IDS_LINES = 5
_REST_MS = 30
_PICTURE_PX = 900
_PICTURE_NAME_PX = 200


@dataclass(frozen=True)
class Counted:
    """The lines, encoded by a tokenizer.

    Attributes:
        ids: the ids of each line; empty if it cannot encode them.
        why_not: why it cannot.
    """

    ids: tuple[tuple[int, ...], ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class TableRow:
    """A tokenizer of the table.

    Attributes:
        name: its name.
        subject: the subject that encodes; None until it is open.
        entry: its entry among the known tokenizers; None for the others.
        counted: the encoded lines; None until they are known.
    """

    name: str
    subject: Subject | None
    entry: KnownEntry | None = None
    counted: Counted | None = None

    @property
    def counts(self) -> LineCounts | None:
        if self.counted is None or not self.counted.ids:
            return None
        return LineCounts(self.name, tuple(len(ids) for ids in self.counted.ids))

    @property
    def why_not(self) -> str:
        """The reason why it has no counts, as a sentence; "" if it has, or will have."""
        if self.counted is not None:
            return self.counted.why_not
        return "" if self.entry is None else self.entry.why_not

    @property
    def status(self) -> str:
        """The effect of a click, with the progress; "" once it is open."""
        entry = self.entry
        if entry is None or entry.tokenizer is not None:
            return ""
        if entry.is_under_way:
            share = None if entry.progress is None else entry.progress.fraction
            return "Cancel" if share is None else f"Cancel ({share:.0%})"
        if entry.why_not:
            return "Try again"
        return "Open" if entry.known.is_kept else "Get"

    @property
    def is_offered(self) -> bool:
        """Whether a click opens it, or stops that."""
        return self.entry is not None and self.entry.tokenizer is None


class EveryModel(TableModel):
    """The tokenizers.

    Attributes:
        rows: the tokenizers.
        lines: the lines.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[TableRow, ...] = ()
        self.lines: tuple[str, ...] = ()
        self.set_lines(())

    def set_lines(self, lines: tuple[str, ...]) -> None:
        """Show a column for each line, and one for all if there are several."""
        is_reset = len(lines) != len(self.lines) or not self.columns
        if is_reset:
            self.beginResetModel()
            self.rows = ()
        self.lines = lines
        columns: list[Column[EveryModel]] = [
            Column(
                "tokenizer",
                "The tokenizer; its ids are below the table",
                EveryModel.name,
                is_number=False,
                sample="M" * NAME_EM,
            )
        ]
        for k, line in enumerate(lines):
            tip = f"Tokens of line {k + 1}: {isolated(elided(line, 200))}"
            if k:
                tip += "\n× is their number divided by that of line 1"
            title = isolated_title(elided(line, MOST_TITLE))
            columns.append(Column(title, tip, partial(EveryModel.count_text, line=k)))
        if len(lines) > 1:
            columns.append(
                Column("all lines", "Tokens of all lines", EveryModel.total_text, sample="00,000")
            )
        columns.append(
            Column(
                "",
                "Get downloads a tokenizer once; Open opens one that is on this computer",
                lambda model, place: model.rows[place].status,
                is_number=False,
                sample="Cancel (100%)",
                exports=(),
            )
        )
        self.columns = tuple(columns)
        if is_reset:
            self.endResetModel()
        else:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(columns) - 1)

    def set_rows(self, rows: Sequence[TableRow]) -> None:
        """Replace the tokenizers; the current row stays if their number is the same."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()
        else:
            self.rows = tuple(rows)
            self.emit_all_changed()

    def name(self, place: int) -> str:
        return isolated(elided(self.rows[place].name, MOST_NAME))

    def count_text(self, place: int, line: int) -> str:
        each = self.rows[place]
        if each.counts is None:
            return "" if line else each.why_not
        return each.counts.count_text(line)

    def total_text(self, place: int) -> str:
        counts = self.rows[place].counts
        return "" if counts is None else number(counts.total)

    def share(self, place: int, column: int) -> float:
        counts = self.rows[place].counts
        line = column - 1
        if counts is None or not 0 <= line < len(self.lines):
            return 0.0
        known = [each.counts for each in self.rows]
        most = max(max(each.counts) for each in known if each is not None)
        return counts.counts[line] / most if most else 0.0

    def beside_bars(self, column: int) -> str:
        texts: list[str] = []
        for each in self.rows:
            if each.counts:
                texts += [each.counts.count_text(line) for line in range(len(self.lines))]
        return max(texts, key=len, default="")

    def alignment(self, place: int, column: int) -> int:
        is_reason = column == 1 and self.rows[place].counts is None
        return WORD if is_reason else super().alignment(place, column)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def state(self, place: int) -> RowState:
        return RowState.CURRENT if self.rows[place].name == YOURS else RowState.APPLIED

    def is_link(self, place: int, column: int) -> bool:
        return column == len(self.columns) - 1 and self.rows[place].is_offered

    def tip(self, place: int, column: int) -> str:
        each = self.rows[place]
        if each.why_not:
            return each.why_not
        if column == 0 and each.entry is not None:
            return "\n".join(
                filter(None, (each.name, each.entry.known.source, each.entry.known.remark))
            )
        if column == 0 and each.subject is not None:
            return each.subject.tip
        return super().tip(place, column)


class _LinesEditor(ComparedTextEditor):
    n_lines_shown = 4


class TokenizersPage(QWidget):
    """The typed text, a sentence and the table, which can be saved as a picture or a page.

    Signals:
        shown: the page came to the front.
    """

    shown = Signal()
    export_name = "Your text in every tokenizer"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenizers.page")
        self._workspace = workspace
        self._lives = LiveTexts()
        self._counted: dict[Subject, Counted] = {}
        self._counted_lines: tuple[str, ...] = ()
        self._counter = LatestAnswer(self._count, self, rest_ms=_REST_MS)
        self._counter.answered.connect(self._on_counted)
        self.editor = _LinesEditor(workspace, self)
        named(
            self.editor, "tokenizers.text", "The text to count", "Each line is counted on its own"
        )
        self.editor.setPlaceholderText(
            "Type a sentence, and below it the same sentence in other languages"
        )
        self.found = statement("tokenizers.statement", "Tokenizer with the fewest tokens")
        self.save = named(
            QPushButton("Save…"), "tokenizers.save", "Save the table as a picture or a page"
        )
        self._menu = QMenu(self.save)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.save.setMenu(self._menu)
        self.model = EveryModel(self)
        self.table = named(
            CompactTable(), "tokenizers.table", "Tokens of each line in each tokenizer"
        )
        self.table.setItemDelegate(BarDelegate(self.table))
        self.table.setModel(self.model)
        self.table.set_placeholder("Looking for tokenizers on this computer …")
        self.note = Note()
        self.ids = named(
            QPlainTextEdit(), "tokenizers.ids", "The ids of each line in the chosen tokenizer"
        )
        self.ids.setReadOnly(True)
        self.ids.setTabChangesFocus(True)
        self.ids.setFont(theme.numeric_font())
        self.ids.setFixedHeight(IDS_LINES * self.ids.fontMetrics().lineSpacing() + 10)
        self.ids.setPlaceholderText("Choose a row to see its ids")
        head = row((self.found, 1), self.save)
        column(
            self.editor, head, (self.table, 1), self.note, self.ids, parent=self, spacing=TIGHT_PX
        )
        self.table.link_chosen.connect(self._on_link_chosen)
        self.table.selectionModel().currentChanged.connect(self._show_ids)
        workspace.known_tokenizers.changed.connect(self.show_state)
        self._show_found()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._workspace.known_tokenizers.begin()
        self.shown.emit()

    @Slot()
    def show_state(self) -> None:
        """Show the tokenizers that are open, and count the lines with them."""
        if not is_in_sight(self):
            return
        whole = [line for line in self._workspace.shown_text.splitlines() if line.strip()]
        lines = tuple(whole[:MOST_LINES])
        left_out = len(whole) - len(lines)
        note = f"The first {MOST_LINES} lines are counted." if left_out else ""
        self.note.set_message(note)
        self.note.setVisible(left_out > 0)
        if lines != self.model.lines:
            self.model.set_lines(lines)
        subjects = [each.subject for each in self._rows() if each.subject is not None]
        if lines != self._counted_lines or any(each not in self._counted for each in subjects):
            self._counter.ask(lines, tuple(subjects))
        self._show_rows()

    def _rows(self) -> list[TableRow]:
        """The tokenizers: yours, those that are compared, and the known ones."""
        workspace = self._workspace
        run = workspace.run
        info = workspace.corpus
        rows = []
        if run is not None and info is not None and not info.has_words:
            rows.append(TableRow(info.name, RunAt("yours", info.name, run, workspace.step)))
        elif run is not None and workspace.step:
            rows.append(TableRow(YOURS, RunAt("yours", YOURS, run, workspace.step)))
        rows += [TableRow(each.name, each) for each in workspace.tokenizers.entries]
        for number_of, entry in enumerate(workspace.known_tokenizers.entries):
            subject = None
            if entry.tokenizer is not None:
                # A negative number, because the corpus is never counted with it.
                subject = ComparedTokenizer(-1 - number_of, entry.name, entry.tokenizer)
            rows.append(TableRow(entry.name, subject, entry))
        return rows

    def _show_rows(self) -> None:
        rows = self._rows()
        # While another text with as many lines is counted, the previous counts stay.
        if len(self._counted_lines) == len(self.model.lines):
            rows = [replace(each, counted=self._counted_by(each.subject)) for each in rows]
        self.model.set_rows(rows)
        if self._workspace.known_tokenizers.is_listed:
            self.table.set_placeholder("There is no tokenizer on this computer. Add one with + Add")
        self.table.fit_columns()
        self._show_found()
        self._show_ids()

    def _counted_by(self, subject: Subject | None) -> Counted | None:
        return None if subject is None else self._counted.get(subject)

    def _show_found(self) -> None:
        fewest = fewest_sentence(self.counts()) if self.model.lines else ""
        self.found.setText(fewest)
        self.save.setEnabled(self._counted_lines == self.model.lines and bool(self.counts()))

    def counts(self) -> list[LineCounts]:
        """The counts that are known."""
        known = [each.counts for each in self.model.rows]
        return [each for each in known if each is not None]

    def _count(
        self, lines: tuple[str, ...], subjects: Sequence[Subject]
    ) -> Generator[None, None, tuple[tuple[str, ...], dict[Subject, Counted]]]:
        """Encode the lines with each subject, in the pool."""
        found = {}
        for subject in subjects:
            yield
            found[subject] = counted(subject, lines, self._lives)
        return lines, found

    @Slot(object)
    def _on_counted(self, answer: tuple[tuple[str, ...], dict[Subject, Counted]]) -> None:
        self._counted_lines, self._counted = answer
        self._show_rows()

    @Slot()
    def _show_ids(self) -> None:
        place = self.table.currentIndex().row()
        if not 0 <= place < len(self.model.rows):
            self.ids.clear()
            return
        each = self.model.rows[place]
        text = each.why_not
        if each.counted is not None and each.counted.ids:
            text = "\n".join(ids_text(ids) for ids in each.counted.ids)
        if text != self.ids.toPlainText():
            self.ids.setPlainText(text)

    @Slot(QModelIndex)
    def _on_link_chosen(self, index: QModelIndex) -> None:
        entry = self.model.rows[index.row()].entry
        assert entry is not None
        if entry.is_under_way:
            self._workspace.known_tokenizers.cancel(entry.name)
        else:
            self._workspace.known_tokenizers.open(entry.name)

    @Slot()
    def _fill_menu(self) -> None:
        """Offer the actions that the window adds to everything that can be saved."""
        self._menu.clear()
        self._menu.addActions(self.actions())

    # The picture and the page.

    def export_page(self) -> bytes:
        """The table as a web page."""
        page = counts_page(self.found.text(), self.model.lines, self.counts())
        return page.encode("utf-8", "replace")

    def export_size(self) -> QSize:
        rows = self.counts()
        if not rows:
            return QSize()
        return QSize(_PICTURE_PX, self._head_px + (len(rows) + 1) * self._row_px)

    @property
    def _row_px(self) -> int:
        return self.fontMetrics().height() + 14

    @property
    def _head_px(self) -> int:
        wrapped = int(Qt.TextFlag.TextWordWrap)
        room = QRect(0, 0, _PICTURE_PX, 1000)
        return self.found.fontMetrics().boundingRect(room, wrapped, self.found.text()).height() + 12

    def paint_export(self, painter: QPainter) -> None:
        """Paint the sentence, and a row for each tokenizer that is counted."""
        palette = self.palette()
        ink = palette.text().color()
        quiet = theme.muted(palette)
        wrapped = int(Qt.TextFlag.TextWordWrap)
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        plain = QFont(painter.font())
        painter.setFont(self.found.font())
        painter.setPen(ink)
        painter.drawText(QRect(0, 0, _PICTURE_PX, self._head_px), wrapped, self.found.text())
        painter.setFont(plain)
        lines = self.model.lines
        rows = self.counts()
        width = (_PICTURE_PX - _PICTURE_NAME_PX) // len(lines)
        gap = 16
        most = max(max(each.counts) for each in rows)
        painter.translate(QPoint(0, self._head_px))
        painter.setPen(quiet)
        for k, line in enumerate(lines):
            title = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, width - gap)
            painter.drawText(
                QRect(_PICTURE_NAME_PX + k * width, 0, width - gap, self._row_px), middle, title
            )
        for each in rows:
            painter.translate(QPoint(0, self._row_px))
            is_yours = each.name == YOURS
            painter.setPen(ink)
            name = painter.fontMetrics().elidedText(
                each.name, Qt.TextElideMode.ElideRight, _PICTURE_NAME_PX - gap
            )
            painter.drawText(QRect(0, 0, _PICTURE_NAME_PX - gap, self._row_px), middle, name)
            colour = theme.accent(palette) if is_yours else quiet
            for k, count in enumerate(each.counts):
                text = each.count_text(k)
                left = _PICTURE_NAME_PX + k * width
                room = width - gap - painter.fontMetrics().horizontalAdvance("00,000 ×00.00")
                length = max(0, room) * count / max(1, most)
                painter.fillRect(
                    QRectF(left, 0.3 * self._row_px, length, 0.4 * self._row_px), colour
                )
                painter.drawText(
                    QRect(round(left + length) + 8, 0, width, self._row_px), middle, text
                )


def counted(subject: Subject, lines: Sequence[str], lives: LiveTexts) -> Counted:
    """The ids of some lines; or why they cannot be encoded."""
    found = []
    try:
        for line in lines:
            ids = subject.cut(line, lives).ids.tolist()
            found.append(tuple(subject.id_of(token) for token in ids))
    except BpeError as error:
        return Counted(why_not=str(error))
    return Counted(tuple(found))


def ids_text(ids: Sequence[int]) -> str:
    """The first ids.

    >>> ids_text((12, -1))
    '12 ?'
    """
    words = [_id_text(each) for each in ids[:MOST_IDS]]
    if len(ids) > MOST_IDS:
        words.append("…")
    return " ".join(words)


def _id_text(number: int) -> str:
    """The text of an id, which is negative for an unknown one."""
    return "?" if number < 0 else str(number)


def fewest_sentence(rows: Sequence[LineCounts]) -> str:
    """A sentence with the tokenizer that needs the fewest tokens, and the needs of yours.

    >>> fewest_sentence([LineCounts("Yours", (34,)), LineCounts("GPT-4o", (21,))])
    'GPT-4o needs the fewest tokens, 21; yours needs 34.'
    """
    if not rows:
        return "Counting …"
    best = min(rows, key=lambda each: each.total)
    if len(rows) == 1:
        return f"{best.name} needs {number(best.total)} tokens."
    said = f"{best.name} needs the fewest tokens, {number(best.total)}"
    yours = next((each for each in rows if each.name == YOURS), None)
    if yours is None or yours is best:
        worst = max(rows, key=lambda each: each.total)
        if worst.total == best.total:
            return f"{said}."
        return f"{said}; {worst.name} needs {number(worst.total)}."
    if yours.total == best.total:
        return f"{said}; yours needs as many."
    return f"{said}; yours needs {number(yours.total)}."
