"""Palettes of single widget classes, for what Fusion paints wrongly with the main palettes.

Fusion paints the edges of fields, check boxes and buttons in a darker shade of the window's colour, which is invisible
on a dark window. And it uses one colour for selected text, slider grooves, progress bars, menu selections and focus
frames, which would be mistaken for the accent colour. A style in Python would be called for every edge of every widget;
palettes cost nothing while painting. This module paints nothing.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

FIELDS = ("QCheckBox", "QRadioButton", "QGroupBox", "QLineEdit", "QAbstractSpinBox", "QComboBox")
"""Classes that are recognized by their edge alone; none of them paints the colour that its edge is made from."""
BUTTONS = ("QPushButton", "QToolButton", "QProgressBar")
"""Classes that are recognized by their fill too."""
SLIDERS = ("QSlider",)
LISTS = ("QMenuBar", "QAbstractItemView")
EDGE_SHADE = 1.4
"""Fusion darkens the window's colour by this factor to paint an edge."""

_EDGE = {"light": "#717985", "dark": "#87919E"}
_EDGE_OFF = {"light": "#C3C8CF", "dark": "#444B54"}
_BUTTON_EDGE = {"light": "#A8AFB9", "dark": "#555E69"}
_STRONG = {"light": "#5C646F", "dark": "#A0A9B4"}


def class_palettes(palette: QPalette, is_on_dark: bool) -> dict[str, QPalette]:
    """The palettes of the widget classes that need another than the main one.

    Args:
        palette: the main palette.
        is_on_dark: whether its text is lighter than its background.

    Returns:
        Palettes by class name; each holds for subclasses too, and no widget belongs to two of the classes.
    """
    mode = "dark" if is_on_dark else "light"
    strong, base = QColor(_STRONG[mode]), palette.color(QPalette.ColorRole.Base)
    field = _with_edge(_chosen(palette, strong, base), _EDGE[mode], _EDGE_OFF[mode])
    button = _with_edge(_chosen(palette, strong, base), _BUTTON_EDGE[mode], _EDGE_OFF[mode])
    row = _chosen(palette, palette.color(QPalette.ColorRole.Mid), palette.color(QPalette.ColorRole.Text))
    return {
        **dict.fromkeys(FIELDS, field),
        **dict.fromkeys(BUTTONS, button),
        **dict.fromkeys(SLIDERS, _chosen(palette, strong, base)),
        **dict.fromkeys(LISTS, row),
        "QMenu": _with_edge(row, _EDGE[mode], _EDGE_OFF[mode]),
    }


def _chosen(palette: QPalette, ground: QColor, text: QColor) -> QPalette:
    """A palette with this background and text for selections; disabled ones keep their background."""
    changed = QPalette(palette)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        changed.setColor(group, QPalette.ColorRole.Highlight, ground)
        changed.setColor(group, QPalette.ColorRole.HighlightedText, text)
    return changed


def _with_edge(palette: QPalette, edge: str, edge_off: str) -> QPalette:
    """A palette from whose window colour Fusion makes these edges."""
    changed = QPalette(palette)
    lighter = round(100 * EDGE_SHADE)
    changed.setColor(QPalette.ColorRole.Window, QColor(edge).lighter(lighter))
    changed.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Window, QColor(edge_off).lighter(lighter))
    return changed
