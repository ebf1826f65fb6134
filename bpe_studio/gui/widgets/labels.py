"""Every kind of label: notes in the colour of their role, elided lines, texts to read, headings, figures with a name.

They show what their owner gives them and know no tokenizer. What a screen reader says of a label is settled here too.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip

SMALLER = 0.92
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
    """A label whose accessible name says what it shows, and whose text is read out after it.

    Qt reads a label's accessible name in the place of its text, so that a named number would never be heard. What is
    shown is kept as the accessible description too. Nothing else differs from a plain label.
    """

    def setText(self, text: str) -> None:
        super().setText(text)
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)


class Note(FollowsLook, QLabel):
    """A word-wrapped line of secondary text in the colour of its role: help, a state or a warning beside a control.

    It keeps that colour in both themes. It is not an error presenter.

    Args:
        role: "help" and "plain" say what is; "warning" and "error" begin with a sign, so that colour is not alone.
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
        """Show another text, in another role if one is given."""
        if role is not None and role != self._role:
            self._role = role
            self.palette_changed()
        sign = "⚠ " if text and self._role in ("warning", "error") else ""
        self.setText(sign + text)

    @property
    def role(self) -> str:
        """What kind of note it is."""
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
    """A line that ends in "…" where it is too long; its tip holds the whole, and what it means if that is set.

    Args:
        is_left_to_right: its parts run to the right whatever its first letter is, as those of a file's name do.
    """

    def __init__(self, parent: QWidget | None = None, *, is_left_to_right: bool = False) -> None:
        super().__init__(parent)
        self._whole = self._meaning = ""
        self._lead = _LEFT_TO_RIGHT_MARK if is_left_to_right else ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.follow_look(fit_now=False)

    def setText(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            self._elide()

    def explain(self, meaning: str) -> None:
        """Say in the tip what the line counts, and over what."""
        self._meaning = meaning
        self._elide()

    def text(self) -> str:
        """The whole line."""
        return self._whole

    @property
    def shown(self) -> str:
        """What there is room for."""
        room = max(0, self.width() - 2)
        return self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def font_changed(self) -> None:
        self._elide()

    def _elide(self) -> None:
        shown = self.shown
        super().setText(self._lead + shown)
        tip = "\n".join(filter(None, (self._whole if shown != self._whole else "", self._meaning)))
        self.setToolTip(plain_tip(tip))
        self.setAccessibleDescription(self._whole)


class ReadingLabel(QLabel):
    """A text to read: wrapped, in the direction of its language, and to be copied with the mouse.

    Args:
        name: its objectName.
        accessible_name: what it is called.
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
        """Show another text."""
        if text != self.accessibleDescription():
            side = Qt.AlignmentFlag.AlignRight if is_right_to_left(text) else Qt.AlignmentFlag.AlignLeft
            self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop)
            self.setText(unbroken(text))
            self.setAccessibleDescription(text)


def unbroken(text: str) -> str:
    """The text with a pair or a short segmentation, such as ``b · ug``, kept on one line."""
    return _TOKENS.sub(
        lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}") if len(found[0]) <= MOST_UNBROKEN else found[0], text
    )
