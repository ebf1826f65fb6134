"""The colours and fonts of the window: two palettes, the six token colours and the accent colour.

The numbers that exported pages share are in `files/exports/colours.py`. Colour is reserved for
tokens and the lines of charts; everything else is neutral grey, except the accent colour, which
marks the current step everywhere. Panels get colours from a palette when they paint, or on
``QEvent.PaletteChange``, and do not store them, so that all change together.

The palettes are used with Fusion, because ``QStyleHints.setColorScheme`` has no effect on several
platforms. `style` says what Fusion paints differently here. This module paints nothing and imports
QtGui and QtWidgets only.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetrics, QPalette
from PySide6.QtWidgets import QApplication

from bpe_studio.files.exports.colours import GROUND_COLOURS, TOKEN_COLOURS
from bpe_studio.gui.look.style import Style

MODES = ("system", "light", "dark")

_LINES = ("#D55E00", "#009E73", "#0072B2", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
"""Okabe and Ito's palette without its black; the colours that show best on white come first."""
_LIGHT_GROUND = GROUND_COLOURS["light"]
_DARK_GROUND = GROUND_COLOURS["dark"]
_LIGHT = {
    QPalette.ColorRole.Window: _LIGHT_GROUND["ground"],
    QPalette.ColorRole.WindowText: _LIGHT_GROUND["ink"],
    QPalette.ColorRole.Base: _LIGHT_GROUND["sheet"],
    QPalette.ColorRole.AlternateBase: "#F8F9FA",
    QPalette.ColorRole.ToolTipBase: "#FFFFFF",
    QPalette.ColorRole.ToolTipText: _LIGHT_GROUND["ink"],
    QPalette.ColorRole.PlaceholderText: _LIGHT_GROUND["quiet"],
    QPalette.ColorRole.Text: _LIGHT_GROUND["ink"],
    QPalette.ColorRole.Button: "#FAFBFC",
    QPalette.ColorRole.ButtonText: _LIGHT_GROUND["ink"],
    QPalette.ColorRole.BrightText: "#FFFFFF",
    QPalette.ColorRole.Light: "#FFFFFF",
    QPalette.ColorRole.Midlight: "#E9EBEE",
    QPalette.ColorRole.Mid: _LIGHT_GROUND["line"],
    QPalette.ColorRole.Dark: "#A8AFB9",
    QPalette.ColorRole.Shadow: "#7C8490",
    QPalette.ColorRole.Highlight: _LIGHT_GROUND["line"],
    QPalette.ColorRole.HighlightedText: _LIGHT_GROUND["ink"],
    QPalette.ColorRole.Link: _LIGHT_GROUND["accent"],
    QPalette.ColorRole.LinkVisited: "#5A6B86",
    QPalette.ColorRole.Accent: _LIGHT_GROUND["quiet"],
}
_DARK = {
    QPalette.ColorRole.Window: _DARK_GROUND["ground"],
    QPalette.ColorRole.WindowText: _DARK_GROUND["ink"],
    QPalette.ColorRole.Base: _DARK_GROUND["sheet"],
    QPalette.ColorRole.AlternateBase: "#1E2226",
    QPalette.ColorRole.ToolTipBase: "#2E333A",
    QPalette.ColorRole.ToolTipText: _DARK_GROUND["ink"],
    QPalette.ColorRole.PlaceholderText: _DARK_GROUND["quiet"],
    QPalette.ColorRole.Text: _DARK_GROUND["ink"],
    QPalette.ColorRole.Button: "#2E333A",
    QPalette.ColorRole.ButtonText: _DARK_GROUND["ink"],
    QPalette.ColorRole.BrightText: "#FFFFFF",
    QPalette.ColorRole.Light: "#454C55",
    QPalette.ColorRole.Midlight: "#363C44",
    QPalette.ColorRole.Mid: _DARK_GROUND["line"],
    QPalette.ColorRole.Dark: "#14171A",
    QPalette.ColorRole.Shadow: "#0B0D0F",
    QPalette.ColorRole.Highlight: _DARK_GROUND["line"],
    QPalette.ColorRole.HighlightedText: _DARK_GROUND["ink"],
    QPalette.ColorRole.Link: _DARK_GROUND["accent"],
    QPalette.ColorRole.LinkVisited: "#A5B8CC",
    QPalette.ColorRole.Accent: _DARK_GROUND["quiet"],
}
_DISABLED_LIGHT = "#8A929D"
_DISABLED_DARK = "#6F7883"
_IS_DARK: dict[int, bool] = {}
_MOST_PALETTES = 1000


def is_dark(palette: QPalette) -> bool:
    """Whether text is lighter than its background."""
    # Cached, because this is called for each cell and chip; a changed palette has another key.
    key = palette.cacheKey()
    is_known = _IS_DARK.get(key)
    if is_known is None:
        base = palette.color(QPalette.ColorRole.Base)
        text = palette.color(QPalette.ColorRole.Text)
        if len(_IS_DARK) >= _MOST_PALETTES:
            _IS_DARK.clear()
        is_known = _IS_DARK[key] = base.lightnessF() < text.lightnessF()
    return is_known


def token_colours(palette: QPalette) -> tuple[QColor, ...]:
    """The six backgrounds of tokens: the k-th token of a paragraph takes colour ``k % 6``."""
    return _tokens(_mode(palette))


@cache
def _tokens(mode: str) -> tuple[QColor, ...]:
    return tuple(map(QColor, TOKEN_COLOURS[mode]))


def _mode(palette: QPalette) -> str:
    return "dark" if is_dark(palette) else "light"


def token_text_colour(palette: QPalette) -> QColor:
    """The colour of text on a token's background."""
    return QColor(GROUND_COLOURS[_mode(palette)]["token-ink"])


def line_colours(palette: QPalette) -> tuple[QColor, ...]:
    """The colours of the lines of a chart: that of text, then those of Okabe and Ito."""
    return (palette.color(QPalette.ColorRole.Text), *map(QColor, _LINES))


def accent(palette: QPalette) -> QColor:
    """The accent colour, which marks the current step: in the timeline, the plots and the
    tables.
    """
    return QColor(GROUND_COLOURS[_mode(palette)]["accent"])


def warning(palette: QPalette) -> QColor:
    """The colour of warnings; always used with a sign or a word."""
    name = "#F2B84B" if is_dark(palette) else "#8A5A00"
    return QColor(name)


def error(palette: QPalette) -> QColor:
    """The colour of errors; always used with a sign or a word."""
    name = "#FF8A80" if is_dark(palette) else "#B3261E"
    return QColor(name)


def muted(palette: QPalette) -> QColor:
    """The colour of secondary text, with a contrast of at least 4.5:1 on windows and lists."""
    return QColor(GROUND_COLOURS[_mode(palette)]["quiet"])


def numeric_font(point_size: float | None = None) -> QFont:
    """A monospaced font with tabular figures, for ids, ranks, counts and bytes.

    Args:
        point_size: the size in points; by default, that of the application's font.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if not QFontInfo(font).fixedPitch():
        font.setFamily(_monospace_family())
    font.setStyleHint(QFont.StyleHint.Monospace)
    size = QApplication.font().pointSizeF() if point_size is None else point_size
    if size > 0:
        font.setPointSizeF(size)
    return font


@cache
def _monospace_family() -> str:
    """A family whose letters all have the same width.

    "monospace" may be any family, and monospaced CJK families are not reported as fixed pitch,
    because they have letters of two widths; so the widths are measured.
    """
    latin = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    likely = [
        family for family in latin if QFontDatabase.isFixedPitch(family) or "mono" in family.lower()
    ]
    found = (family for family in ("monospace", *likely) if is_monospace(QFont(family)))
    return next(found, "monospace")


def with_alpha(colour: QColor, alpha: float) -> QColor:
    """A translucent copy of a colour; `alpha` is from 0 (transparent) to 1 (opaque)."""
    translucent = QColor(colour)
    translucent.setAlphaF(alpha)
    return translucent


def is_monospace(font: QFont) -> bool:
    """Whether narrow letters, wide letters and digits have the same width."""
    metrics = QFontMetrics(font)
    widths = {metrics.horizontalAdvance(letter) for letter in "ilmW08"}
    return len(widths) == 1


def light_palette() -> QPalette:
    """The light palette: neutral greys, text areas white."""
    return _palette(_LIGHT, _DISABLED_LIGHT)


def dark_palette() -> QPalette:
    """The dark palette: neutral greys, text areas almost black."""
    return _palette(_DARK, _DISABLED_DARK)


def apply(app: QApplication, mode: str) -> None:
    """Set the theme of the application.

    Args:
        app: the application.
        mode: "light", "dark", or "system", which follows the desktop and is light if the desktop
            does not say.
    """
    follower = app.findChild(_SystemFollower)
    if follower is None:
        app.setStyle(Style())
        follower = _SystemFollower(app)
    known_mode = mode if mode in MODES else "system"
    follower.set_mode(known_mode)


def _palette(colours: dict[QPalette.ColorRole, str], disabled: str) -> QPalette:
    palette = QPalette()
    for role, name in colours.items():
        palette.setColor(role, QColor(name))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
        QPalette.ColorRole.PlaceholderText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(disabled))
    palette.setColor(
        QPalette.ColorGroup.Disabled,
        QPalette.ColorRole.Highlight,
        QColor(colours[QPalette.ColorRole.Mid]),
    )
    palette.setColor(
        QPalette.ColorGroup.Disabled,
        QPalette.ColorRole.Accent,
        QColor(colours[QPalette.ColorRole.Mid]),
    )
    return palette


class _SystemFollower(QObject):
    """Sets the palette of the application, and again whenever the desktop changes between light and
    dark.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._mode = "system"
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def set_mode(self, mode: str) -> None:
        self._mode = mode
        self._set_palettes()

    @Slot()
    def _on_scheme_changed(self) -> None:
        if self._mode == "system":
            self._set_palettes()

    def _set_palettes(self) -> None:
        dark = self._mode == "dark" or (
            self._mode == "system" and self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        )
        palette = dark_palette() if dark else light_palette()
        if palette != self._app.palette():
            self._app.setPalette(palette)
            # Fusion fills the groove of a slider with the colour of selections, which is too pale
            # for it.
            of_sliders = QPalette(palette)
            of_sliders.setColor(
                QPalette.ColorRole.Highlight, palette.color(QPalette.ColorRole.Accent)
            )
            self._app.setPalette(of_sliders, "QSlider")  # type: ignore[arg-type]  # the stubs want bytes
