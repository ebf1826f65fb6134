"""What the window shows while nothing is open: a text, a sample or a lesson to begin with; files can be dropped."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.errors import BpeError
from bpe_studio.files.samples import Sample, list_samples
from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, SPACING_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.entry_button import EntryButton
from bpe_studio.gui.widgets.labels import Note, heading

WIDTH_PX = 740
DEMO = (("t", 0), ("oken", 1), ("izer", 2), ("s", 3), (" ", -1), ("are", 4), (" ", -1), ("learn", 5), ("ed", 0))


class StartPage(QWidget):
    """An invitation.

    Signals:
        open_requested: the user wants to choose files.
        paste_requested: the clipboard's text is to be opened.
        lessons_requested: the user wants to choose a lesson.
        sample_chosen: str, the sample's id.
    """

    open_requested = Signal()
    paste_requested = Signal()
    lessons_requested = Signal()
    sample_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        self._is_target = False
        title = QLabel("Watch a tokenizer being trained on your own text")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.9)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        title.setWordWrap(True)
        about = Note("Byte-pair encoding, one merge at a time, with every step open to inspection.", "help")
        opening = Choice(
            "open",
            "Open a text",
            "Plain text, JSON lines or tables; one file or several. Or drop them here.",
            "start.open",
        )
        pasting = Choice("paste", "Paste a text", "The text on the clipboard becomes the corpus.", "start.paste")
        opening.clicked.connect(self.open_requested)
        pasting.clicked.connect(self.paste_requested)
        learning = Choice(
            "lesson", "Take a lesson", "Step by step through real merges, with a question before each answer.",
            "start.lesson",
        )  # fmt: skip
        learning.clicked.connect(self.lessons_requested)
        self.setFocusProxy(opening)
        inner = QWidget()
        inner.setMaximumWidth(max(WIDTH_PX, 42 * inner.fontMetrics().lineSpacing()))
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        ways = column(opening, pasting, learning, STRETCH, spacing=MARGIN_PX)
        choices = row((ways, 3), (self._samples(), 2), spacing=GROUP_PX)
        margins = (32, 12, 32, 12)
        column(DemoLine(), SPACING_PX, title, about, 20, choices, parent=inner, margins=margins)
        # Where there is less height than the page needs, as with large text, it is scrolled.
        page = QWidget()
        area = named(QScrollArea(), "start.area")
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for each in (area, area.viewport(), page):
            each.setAutoFillBackground(False)
        column(area, parent=self, margins=GROUP_PX)
        whole = column(parent=page)
        whole.addStretch(2)
        whole.addLayout(row(STRETCH, (inner, 100), STRETCH))
        whole.addStretch(3)

    def _samples(self) -> QVBoxLayout:
        title = heading("Try a sample")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        title.setContentsMargins(8, 12, 0, 4)
        buttons = []
        for each in samples():
            does = f"Open the sample {each.title}"
            button = EntryButton(each.title, each.about, f"start.sample.{each.id}", does)
            button.clicked.connect(partial(self._on_sample_clicked, each.id))
            buttons.append(button)
        return column(title, *buttons, STRETCH, spacing=2)

    def set_drop_target(self, is_target: bool) -> None:
        """Shows that what is being dragged can be dropped here."""
        if is_target != self._is_target:
            self._is_target = is_target
            self.update()

    def _on_sample_clicked(self, sample: str) -> None:
        self.sample_chosen.emit(sample)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            colour = palette.color(QPalette.ColorRole.WindowText if self._is_target else QPalette.ColorRole.Mid)
            painter.setPen(QPen(colour, 2 if self._is_target else 1.2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(12, 12, -12, -12), 10, 10)


class Choice(QAbstractButton):
    """A large button: a picture, what it does, and one sentence below."""

    def __init__(self, icon: str, text: str, about: str, name: str) -> None:
        super().__init__()
        self._icon, self._about = icon, about
        self.setText(text)
        named(self, name, text, about)
        self.setAccessibleDescription(about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        # The words, and their sentence on two lines, in whichever text size.
        return QSize(360, max(84, round(4.6 * self.fontMetrics().lineSpacing())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = palette.color(QPalette.ColorRole.WindowText if self.hasFocus() else QPalette.ColorRole.Mid)
            painter.setPen(QPen(edge, 1.5 if self.hasFocus() else 1))
            painter.setBrush(
                palette.color(QPalette.ColorRole.Midlight if self.underMouse() else QPalette.ColorRole.Base)
            )
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            ratio = self.devicePixelRatioF()
            side = max(32, 2 * self.fontMetrics().height())
            drawn = icons.pixmap(self._icon, side, palette.color(QPalette.ColorRole.Text), ratio)
            painter.drawPixmap(20, (self.height() - side) // 2, drawn)
            words = self.rect().adjusted(40 + side, 8, -12, -8)
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold)
            font.setPointSizeF(font.pointSizeF() * 1.15)
            painter.setFont(font)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            upper = painter.fontMetrics().lineSpacing() + 4
            flags = int(Qt.AlignmentFlag.AlignLeft) | int(Qt.TextFlag.TextWordWrap)
            lower = self.fontMetrics().boundingRect(words, flags, self._about).height()
            words.setTop(max(8, (self.height() - upper - lower) // 2))
            painter.drawText(words, Qt.AlignmentFlag.AlignLeft, self.text())
            painter.setFont(self.font())
            painter.setPen(theme.muted(palette))
            words.setTop(words.top() + upper)
            painter.drawText(words, flags, self._about)


class DemoLine(QWidget):
    """A few words cut into coloured tokens: what the program is about, at a glance."""

    def __init__(self) -> None:
        super().__init__()
        font = theme.numeric_font(QFont().pointSizeF() * 1.5)
        self.setFont(font)
        self.setFixedHeight(self.fontMetrics().height() + 10)
        self.setAccessibleName("Words cut into tokens")

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours = theme.token_colours(palette)
        x, metrics = 0.0, self.fontMetrics()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self.font())
            for text, colour in DEMO:
                width = float(metrics.horizontalAdvance(text))
                if colour >= 0:
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(colours[colour])
                    painter.drawRoundedRect(QRectF(x, 2, width + 2, self.height() - 4), 3, 3)
                    painter.setPen(theme.token_text_colour(palette))
                    painter.drawText(QRectF(x + 1, 0, width + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, text)
                x += width + 3


def samples() -> tuple[Sample, ...]:
    """The sample texts of the program; none where their list cannot be read."""
    try:
        return list_samples()
    except BpeError:
        return ()
