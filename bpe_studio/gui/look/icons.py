"""The icons of the window: glyphs of Material Design Icons, painted in the palette's colours.

The font is the one that QtAwesome ships; it is loaded when the first icon is painted. QtAwesome
itself is not imported, because that takes as long as the rest of the window. Icons are painted anew
each time, so they follow the theme. If the font is missing, `are_available` is False and buttons
show their texts.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)

FONT = "materialdesignicons6-webfont*.ttf"
CHARACTERS = "materialdesignicons6-webfont-charmap*.json"

GLYPHS = {
    "run": "play",
    "pause": "pause",
    "start": "skip-previous",
    "end": "skip-next",
    "back": "step-backward",
    "step": "step-forward",
    "step_n": "fast-forward",
    "cancel": "stop",
    "jump": "target",
    "shown": "eye-outline",
    "branch": "source-branch",
    "side_run": "source-commit-start",
    "open": "folder-open-outline",
    "recent": "history",
    "paste": "clipboard-text-outline",
    "sample": "book-open-outline",
    "save": "content-save-outline",
    "document": "file-document-outline",
    "image": "camera-outline",
    "share": "share-variant-outline",
    "system": "theme-light-dark",
    "light": "white-balance-sunny",
    "dark": "weather-night",
    "reset": "view-dashboard-outline",
    "keyboard": "keyboard-outline",
    "about": "information-outline",
    "notice": "information-outline",
    "failure": "alert-circle-outline",
    "close": "close",
    "float": "open-in-new",
    "maximize": "arrow-expand",
    "fold": "chevron-down",
    "unfold": "chevron-up",
    "undo": "undo",
    "redo": "redo",
    "why": "comment-question-outline",
    "bookmark": "bookmark-outline",
    "palette": "magnify",
    "game": "puzzle-outline",
    "home": "home-outline",
    "lesson": "school-outline",
    "tokenizer": "scale-balance",
}
"""The glyph of each icon, by the name that the window uses."""


def icon(name: str) -> QIcon:
    """The icon with a name of `GLYPHS`, in the palette's colours."""
    return QIcon(_Engine(GLYPHS[name]))


def pixmap(name: str, size: int, colour: QColor, ratio: float = 1.0) -> QPixmap:
    """An icon in one colour, for a label.

    Args:
        name: a key of `GLYPHS`.
        size: the side, in device-independent pixels.
        colour: the colour.
        ratio: the device pixel ratio, as `devicePixelRatioF` gives it.
    """
    return _drawn(GLYPHS[name], round(size * ratio), colour.rgba(), ratio)


def window_icon() -> QIcon:
    """The icon of the program: four tokens in their colours."""
    icon_ = QIcon()
    colours = [QColor(name) for name in ("#7FB9EE", "#E0A24E", "#6FCB97", "#C98BDB")]
    for side in (16, 24, 32, 48, 64, 128, 256):
        drawn = QPixmap(side, side)
        drawn.fill(Qt.GlobalColor.transparent)
        unit = side / 16
        with QPainter(drawn) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            bars = ((1, 1.5, 5, 5.5), (7, 1.5, 8, 5.5), (1, 9, 9, 5.5), (11, 9, 4, 5.5))
            for colour, (x, y, width, height) in zip(colours, bars, strict=True):
                painter.setBrush(colour)
                painter.drawRoundedRect(
                    QRectF(x * unit, y * unit, width * unit, height * unit), unit, unit
                )
        icon_.addPixmap(drawn)
    return icon_


def are_available() -> bool:
    """Whether the icon font is installed."""
    return _family() is not None


@cache
def _folder() -> Path | None:
    found = importlib.util.find_spec("qtawesome")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "fonts"


@cache
def _family() -> str | None:
    folder = _folder()
    files = sorted(folder.glob(FONT)) if folder is not None else ()
    for path in files:
        families = QFontDatabase.applicationFontFamilies(
            QFontDatabase.addApplicationFont(str(path))
        )
        if families:
            return families[0]
    return None


@cache
def _characters() -> dict[str, str]:
    folder = _folder()
    files = sorted(folder.glob(CHARACTERS)) if folder is not None else ()
    for path in files:
        codes = json.loads(path.read_text(encoding="utf-8"))
        return {glyph: chr(int(codes[glyph], 16)) for glyph in GLYPHS.values() if glyph in codes}
    return {}


def _drawn(glyph: str, side: int, rgba: int, ratio: float) -> QPixmap:
    """A glyph on a transparent square of `side` device pixels."""
    drawn = QPixmap(side, side)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        _paint(painter, drawn.rect(), glyph, QColor.fromRgba(rgba))
    drawn.setDevicePixelRatio(ratio)
    return drawn


def _paint(painter: QPainter, rect: QRect, glyph: str, colour: QColor) -> None:
    family = _family()
    if family is None:
        return
    font = QFont(family)
    font.setPixelSize(max(1, min(rect.width(), rect.height())))
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, _characters().get(glyph, ""))


class _Engine(QIconEngine):
    """Paints one glyph in the colour that the application's palette has for the icon's mode."""

    def __init__(self, glyph: str) -> None:
        super().__init__()
        self._glyph = glyph

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        palette = QGuiApplication.palette()
        if mode is QIcon.Mode.Disabled:
            colour = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
        else:
            # Selected and checked states are neutral too, because the accent colour is for the
            # step.
            colour = palette.color(QPalette.ColorRole.ButtonText)
        _paint(painter, rect, self._glyph, colour)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        with QPainter(drawn) as painter:
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        return drawn

    def clone(self) -> QIconEngine:
        return _Engine(self._glyph)
