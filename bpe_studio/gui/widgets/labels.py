"""Labels: notes in the colour of their role, elided lines, reading text, headings, and labels for
screen readers.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QWidget

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip

SMALLER = 0.92
STATEMENT = 1.3
MOST_UNBROKEN = 32
_TOKENS = re.compile(r"\S+(?: [·+] \S+)+")
_LEFT_TO_RIGHT_MARK = "\u200e"


def heading(text: str, name: str = "", parent: QWidget | None = None) -> QLabel:
    """A heading of a group, in demi-bold."""
    label = QLabel(text, parent)
    label.setObjectName(name)
    font = QFont(label.font())
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    return label


class AccessibleLabel(QLabel):
    """A label with an accessible name whose text screen readers read too.

    Qt reads a label's accessible name instead of its text, so a named number would never be read.
    This class sets the text as the accessible description as well.
    """

    def setText(self, text: str) -> None:
        super().setText(text)
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)


def statement(name: str, title: str) -> QLabel:
    """The sentence with the result of a page, larger than a heading.

    It can be selected and copied.
    """
    label = AccessibleLabel()
    label.setObjectName(name)
    label.setAccessibleName(title)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = QFont(label.font())
    font.setWeight(QFont.Weight.DemiBold)
    font.setPointSizeF(STATEMENT * font.pointSizeF())
    label.setFont(font)
    return label


class Note(FollowsLook, QLabel):
    """A word-wrapped line of secondary text in the colour of its role: help, a state or a warning.

    It keeps that colour in both themes. Errors of actions are shown by the banner, not here.

    Args:
        role: "help" and "plain" for information; each line of a "warning" or "error" begins with a
            sign, so as not to rely on colour.
    """

    def __init__(self, text: str = "", role: str = "help", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.follow_look()
        self.set_message(text)

    def set_message(self, text: str, role: str | None = None) -> None:
        """Set the text, and the role if one is given."""
        if role is not None and role != self._role:
            self._role = role
            self.palette_changed()
        sign = "⚠ " if text and self._role in ("warning", "error") else ""
        self.setText(sign + text.replace("\n", f"\n{sign}"))

    @property
    def role(self) -> str:
        """The role of the note."""
        return self._role

    def palette_changed(self) -> None:
        palette = self.palette()
        colour = {
            "help": theme.muted,
            "warning": theme.warning,
            "error": theme.error,
        }.get(self._role, _plain)(palette)
        if palette.color(QPalette.ColorRole.WindowText) != colour:
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)
        if self._role == "help":
            font = QFont(self.font())
            size = font.pointSizeF()
            if size > 0 and not self.property("is_small"):
                self.setProperty("is_small", True)
                font.setPointSizeF(size * SMALLER)
                self.setFont(font)


def _plain(palette: QPalette) -> QColor:
    return palette.color(QPalette.ColorRole.Text)


class ElidedLabel(FollowsLook, QLabel):
    """A line that is shortened or elided if it does not fit; its tooltip has the whole text.

    Unlike in QLabel, another text requests no new layout; otherwise, the window would lay itself
    out at each step.

    Args:
        is_left_to_right: whether it runs from left to right whatever its first letter, as a file
            name does.
    """

    def __init__(self, parent: QWidget | None = None, *, is_left_to_right: bool = False) -> None:
        super().__init__(parent)
        self._whole = ""
        self._meaning = ""
        self._shorter: tuple[str, ...] = ()
        self._lead = _LEFT_TO_RIGHT_MARK if is_left_to_right else ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.follow_look(fit_now=False)

    def setText(self, text: str, *shorter: str) -> None:
        """Set the line.

        Args:
            text: the whole line.
            shorter: shorter wordings for when it does not fit, the longest first; only the last
                is elided.
        """
        if (text, shorter) != (self._whole, self._shorter):
            self._whole = text
            self._shorter = shorter
            self._elide()

    def explain(self, meaning: str) -> None:
        """Set the meaning of the line, which the tooltip adds."""
        self._meaning = meaning
        self._elide()

    def text(self) -> str:
        """The whole line."""
        return self._whole

    @property
    def shown(self) -> str:
        """The first wording that fits, or the last one, elided."""
        metrics = self.fontMetrics()
        room = max(0, self.width() - 2)
        wordings = (self._whole, *self._shorter)
        fitting = (text for text in wordings if metrics.horizontalAdvance(text) <= room)
        found = next(fitting, wordings[-1])
        return metrics.elidedText(found, Qt.TextElideMode.ElideRight, room)

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        metrics = self.fontMetrics()
        height = metrics.height() + margins.top() + margins.bottom()
        return QSize(metrics.horizontalAdvance(self._whole), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            place = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
            self.style().drawItemText(
                painter,
                self.contentsRect(),
                place,
                self.palette(),
                self.isEnabled(),
                self._lead + self.shown,
                self.foregroundRole(),
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def font_changed(self) -> None:
        self._elide()

    def _elide(self) -> None:
        shown = self.shown
        self.update()
        whole = self._whole if shown != self._whole else ""
        tip = "\n".join(filter(None, (whole, self._meaning)))
        self.setToolTip(plain_tip(tip))
        self.setAccessibleDescription(self._whole)


class ReadingLabel(QLabel):
    """A text for reading: wrapped, in the direction of its language, and selectable with the mouse.

    Args:
        name: its objectName.
        accessible_name: its accessible name.
    """

    def __init__(self, name: str, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible_name)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def set_message(self, text: str) -> None:
        if text != self.accessibleDescription():
            side = (
                Qt.AlignmentFlag.AlignRight
                if is_right_to_left(text)
                else Qt.AlignmentFlag.AlignLeft
            )
            self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop)
            self.setText(unbroken(text))
            self.setAccessibleDescription(text)


def unbroken(text: str) -> str:
    """A text that keeps a pair or a short segmentation, such as ``b · ug``, on one line."""

    def kept_together(found: re.Match[str]) -> str:
        if len(found[0]) > MOST_UNBROKEN:
            return found[0]
        return found[0].replace(" ", "\N{NO-BREAK SPACE}")

    return _TOKENS.sub(kept_together, text)
